package modules_test

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

	onCards  = "cards-0.payments.example.com"  // a host of cards, which has a module
	onLedger = "ledger-0.payments.example.com" // a host of ledger, which has one, too
)

var (
	unknown  = providertest.Unknown
	inBubble = providertest.InBubble
)

func TestMain(m *testing.M) { providertest.Main(m) }
