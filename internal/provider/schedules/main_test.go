package schedules_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestMain(m *testing.M) {
	// The default of the flag. A sequence has some 30 runs of Terraform.
	if err := flag.Set("rapid.checks", "30"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	providertest.Main(m)
}
