package backups_test

import (
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
)

// unknown is a value that is known only after the apply.
var unknown = providertest.Unknown

func TestMain(m *testing.M) { providertest.Main(m) }
