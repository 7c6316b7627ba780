package projects_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// values are the attributes of a configuration, a plan or a state.
type values = providertest.Values

// object is a JSON object of the API.
type object = map[string]any

const (
	payments = providertest.Payments
	cards    = providertest.Cards
	ledger   = providertest.Ledger
	orders   = providertest.Orders
)

// start starts a service, and configures a provider for it.
func start(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Workspace) {
	t.Helper()
	s := providertest.StartService(t, options...)
	return s, providertest.NewWorkspace(t, s)
}

// withClusters are the options of a service that has only these clusters, in Payments.
func withClusters(clusters ...emulator.Cluster) emulator.Options {
	project := emulator.Project{ID: payments, Name: "Payments", Clusters: clusters}
	return emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{project}}}
}

func TestMain(m *testing.M) { providertest.Main(m) }
