package provider_test

import (
	"flag"
	"testing"

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

func TestMain(m *testing.M) {
	// Most tests here run Terraform, and wait for it. A test that is not waiting needs less than a
	// processor, so by default more of them run at once than there are processors.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	providertest.Main(m)
}
