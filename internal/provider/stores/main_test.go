package stores_test

import (
	"flag"
	"testing"

	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestMain(m *testing.M) {
	// Most tests wait for the next poll, so more of them run at once than there are processors.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	providertest.MainOfSlowSequences(m)
}
