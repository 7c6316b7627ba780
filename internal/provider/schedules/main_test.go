package schedules_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestMain(m *testing.M) {
	// This is the default of the flag. A sequence has about 30 runs of Terraform.
	if err := flag.Set("rapid.checks", "30"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	providertest.Main(m)
}
