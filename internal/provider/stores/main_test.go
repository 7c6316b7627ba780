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
	// Most tests wait for the next poll, so more of them run at once than there are processors.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	providertest.Main(m)
}
