package restores_test

import (
	"flag"
	"testing"

	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestMain(m *testing.M) {
	// A sequence waits for its restores, so it takes longer than those of other nouns.
	if err := flag.Set("rapid.checks", "10"); err != nil {
		panic(err)
	}
	providertest.Main(m)
}
