package provider_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"terraform-provider-opsmanager/internal/tfcli"
)

// TestMain finds Terraform or OpenTofu once, for all tests, and keeps this
// machine's configuration of it out.
func TestMain(m *testing.M) { os.Exit(withTerraform(m)) }

func withTerraform(m *testing.M) int {
	// Tests make much garbage and keep little, so collecting it seldom takes a third
	// off their time.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(2 << 30)
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("opsmanager-terraform-%d", os.Getpid())) // made only to fetch it
	defer os.RemoveAll(dir)

	environment := map[string]string{"TF_CLI_CONFIG_FILE": os.DevNull}
	cli, err := tfcli.Find(context.Background(), dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // tests that run no Terraform can still pass
	} else {
		environment["TF_ACC_TERRAFORM_PATH"] = cli.Path
	}
	if cli.OpenTofu() {
		environment["TF_ACC_PROVIDER_HOST"] = "registry.opentofu.org"
	}
	for name, value := range environment {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}
