package stores_test

import (
	"flag"
	"testing"

	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestMain(m *testing.M) {
	// The number of sequences in a plain run, since rapid's default of 100 takes half a minute.
	if err := flag.Set("rapid.checks", "10"); err != nil {
		panic(err)
	}
	providertest.Main(m)
}
