package projects_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// values are the attributes of a configuration, a plan or a state.
type values = providertest.Values

const (
	payments = providertest.Payments
	cards    = providertest.Cards
	ledger   = providertest.Ledger
	orders   = providertest.Orders
)

func TestMain(m *testing.M) { providertest.Main(m) }
