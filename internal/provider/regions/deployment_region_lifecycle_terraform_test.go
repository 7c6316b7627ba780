package regions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
	"terraform-provider-opsmanager/internal/tfcli"
)

// regionRun is a directory in which real Terraform manages regions.
type regionRun struct {
	providertest.Folder
	s *providertest.Service
}

func startRegionRun(t *testing.T, cli tfcli.CLI, plugins string, options emulator.Options) regionRun {
	t.Helper()
	s := providertest.StartService(t, options)
	r := regionRun{providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}, s}
	r.configure("")
	r.MustRun("init", "-plugin-dir="+plugins)
	return r
}

// configure writes the configuration.
func (r regionRun) configure(body string) {
	r.T.Helper()
	r.Write("main.tf", "terraform {\n  required_providers {\n    opsmanager = { source = \"terraform.local/local/opsmanager\" }\n  }\n}\n"+r.s.Config(body))
}

// oneRegion returns the resource block of a region.
func oneRegion(name, id string, described bool, more string) string {
	if described {
		more = `
  deployment_description = "Test"
  ingestion_endpoint     = "https://om.example.com:8443"
  restore_endpoint       = "https://om.example.com:8443"
  bq_proxy_endpoint      = "om.example.com:27217"
` + more
	}
	return fmt.Sprintf("resource \"opsmanager_deployment_region\" %q {\n  deployment_id = %q\n%s\n}\n", name, id, more)
}

// fails runs a command that must fail, and returns its output without line breaks.
func (r regionRun) fails(args ...string) string {
	r.T.Helper()
	var printed strings.Builder
	r.Out = &printed
	if exitCode, err := r.Run(r.T.Context(), args...); err != nil || exitCode != 1 {
		r.T.Fatalf("terraform %s: exit code %d, %v\n%s", strings.Join(args, " "), exitCode, err, &printed)
	}
	return unwrapped(printed.String())
}

func (r regionRun) succeeds(args ...string) string {
	r.T.Helper()
	return unwrapped(r.MustRun(args...))
}

// unwrapped undoes Terraform's line breaks.
func unwrapped(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)), " ")
}

func TestTerraformReplacesARegionOnlyIfThatCanSucceed(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	const address = "opsmanager_deployment_region.one"

	t.Run("forced", func(t *testing.T) {
		t.Parallel()
		r := startRegionRun(t, cli, plugins, emulator.Options{})
		r.configure(oneRegion("one", "AU_NZ", false, ""))
		r.succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.fails("apply", "-auto-approve", "-replace="+address), "Unable to Replace Deployment Region", "create it again")

		r.configure(oneRegion("one", "AU_NZ", true, "deletion_protection = true"))
		r.succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.fails("plan", "-replace="+address), "Deployment Region Is Protected")
		r.succeeds("plan", "-detailed-exitcode")

		r.configure(oneRegion("one", "AU_NZ", true, "skip_destroy = true"))
		r.succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.fails("plan", "-replace="+address), "Unable to Replace Deployment Region", "adopt_existing = true")

		r.configure(oneRegion("one", "AU_NZ", true, "lifecycle {\n    create_before_destroy = true\n  }"))
		r.succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.fails("apply", "-auto-approve", "-replace="+address), "Unable to Replace Deployment Region", "adopt_existing = true")
		r.succeeds("plan", "-detailed-exitcode")

		r.configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true"))
		r.succeeds("apply", "-auto-approve")
		r.s.ResetRequests()
		providertest.WantContains(t, r.succeeds("apply", "-auto-approve", "-replace="+address), "Deployment Region AU_NZ Deleted", `deployment_description = "Test"`, "1 added, 0 changed, 1 destroyed")
		providertest.WantWrites(t, r.s, "DELETE "+providertest.RegionsPath+"/AU_NZ", "POST "+providertest.RegionsPath)
		r.succeeds("plan", "-detailed-exitcode")
	})

	t.Run("triggered", func(t *testing.T) {
		t.Parallel()
		r := startRegionRun(t, cli, plugins, emulator.Options{})
		body := func(input string) string {
			return fmt.Sprintf("resource \"terraform_data\" \"trigger\" {\n  input = %q\n}\n", input) +
				oneRegion("one", "AU_NZ", false, "  lifecycle {\n    replace_triggered_by = [terraform_data.trigger]\n  }")
		}
		r.configure(body("a"))
		r.succeeds("apply", "-auto-approve")
		r.configure(body("b"))
		providertest.WantContains(t, r.fails("apply", "-auto-approve"), "Unable to Replace Deployment Region", "create it again")
		providertest.WantWrites(t, r.s)
	})

	t.Run("tainted", func(t *testing.T) {
		t.Parallel()
		r := startRegionRun(t, cli, plugins, emulator.Options{})
		failing := "  provisioner \"local-exec\" {\n    command = \"exit 1\"\n  }"
		r.configure(oneRegion("one", "AU_NZ", false, failing))
		r.fails("apply", "-auto-approve")
		providertest.WantContains(t, r.fails("apply", "-auto-approve"), "Unable to Replace Deployment Region", "create it again", "terraform untaint")
		r.succeeds("untaint", address)
		r.succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.s)

		r.configure(oneRegion("one", "AU_NZ", true, "deletion_protection = true"))
		r.succeeds("apply", "-auto-approve")
		r.succeeds("taint", address)
		providertest.WantContains(t, r.fails("plan"), "Deployment Region Is Protected")
		r.succeeds("untaint", address)
		r.configure(oneRegion("one", "AU_NZ", true, ""))
		r.succeeds("apply", "-auto-approve")
		r.succeeds("taint", address)
		providertest.WantContains(t, r.fails("plan"), "Unable to Replace Deployment Region", "untaint")
		r.configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true"))
		r.s.ResetRequests()
		printed := r.succeeds("apply", "-auto-approve")
		providertest.WantContains(t, printed, "Deletion of Deployment Region AU_NZ", "1 added, 0 changed, 1 destroyed")
		if strings.Contains(printed, "Exists Already") {
			t.Errorf("printed %s", printed)
		}
		providertest.WantWrites(t, r.s, "DELETE "+providertest.RegionsPath+"/AU_NZ", "POST "+providertest.RegionsPath)
		r.succeeds("plan", "-detailed-exitcode")
	})

	t.Run("to another id", func(t *testing.T) {
		t.Parallel()
		r := startRegionRun(t, cli, plugins, emulator.Options{})
		r.configure(oneRegion("one", "AU_NZ", false, ""))
		r.succeeds("apply", "-auto-approve")
		r.configure(oneRegion("one", "AU_NZX", false, ""))
		providertest.WantContains(t, r.fails("apply", "-auto-approve"), `There is no region "AU_NZX" to adopt`)
		providertest.WantWrites(t, r.s)
		r.configure(oneRegion("one", providertest.Europe, true, "adopt_existing = true"))
		providertest.WantContains(t, r.succeeds("plan"), "Deletion of Deployment Region AU_NZ", "Overwritten Values of Deployment Region "+providertest.Europe)
	})

	t.Run("created before it is destroyed", func(t *testing.T) {
		t.Parallel()
		r := startRegionRun(t, cli, plugins, emulator.Options{})
		body := oneRegion("one", "AU_NZ", true, "adopt_existing = true\n  lifecycle {\n    create_before_destroy = true\n  }")
		r.configure(body)
		r.succeeds("apply", "-auto-approve")
		r.s.ResetRequests()
		providertest.WantContains(t, r.succeeds("apply", "-auto-approve", "-replace="+address), "Deployment Region AU_NZ Not Deleted", "1 added, 0 changed, 1 destroyed")
		providertest.WantWrites(t, r.s)
		r.succeeds("plan", "-detailed-exitcode")

		// A dependent resource with create_before_destroy implies it.
		r.configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true") +
			"resource \"terraform_data\" \"user\" {\n  input            = opsmanager_deployment_region.one.deployment_id\n  triggers_replace = opsmanager_deployment_region.one.deployment_id\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n")
		r.succeeds("apply", "-auto-approve")
		r.s.ResetRequests()
		providertest.WantContains(t, r.succeeds("apply", "-auto-approve", "-replace="+address), "Deployment Region AU_NZ Not Deleted")
		providertest.WantWrites(t, r.s)
		if r.s.Region("AU_NZ") == nil {
			t.Error("the region is gone")
		}
	})

	t.Run("renamed", func(t *testing.T) {
		t.Parallel()
		r := startRegionRun(t, cli, plugins, emulator.Options{})
		r.configure(oneRegion("one", "AU_NZ", false, ""))
		r.succeeds("apply", "-auto-approve")
		renamed := oneRegion("two", "AU_NZ", false, "")
		r.configure(renamed)
		for range 3 { // in either order of planning
			providertest.WantContains(t, r.fails("apply", "-auto-approve", "-parallelism=1"), "moved {", "removed block")
		}
		providertest.WantWrites(t, r.s)
		r.configure(renamed + "moved {\n  from = opsmanager_deployment_region.one\n  to   = opsmanager_deployment_region.two\n}\n")
		r.succeeds("apply", "-auto-approve")
		r.configure(oneRegion("three", "AU_NZ", false, "") + "removed {\n  from = opsmanager_deployment_region.two\n  lifecycle {\n    destroy = false\n  }\n}\n")
		r.succeeds("apply", "-auto-approve")
		r.succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.s)
		r.succeeds("destroy", "-auto-approve")
		providertest.WantWrites(t, r.s, "DELETE "+providertest.RegionsPath+"/AU_NZ")
	})

	t.Run("imported", func(t *testing.T) {
		t.Parallel()
		r := startRegionRun(t, cli, plugins, emulator.Options{})
		r.s.SetRegion("AU_NZ", map[string]any{"restoreEndpoint": nil})
		r.configure("import {\n  to = opsmanager_deployment_region.one\n  id = \"AU_NZ\"\n}\n")
		r.succeeds("plan", "-generate-config-out=generated.tf")
		text, err := os.ReadFile(filepath.Join(r.Dir, "generated.tf"))
		if err != nil || !strings.Contains(string(text), "restore_endpoint       = null") {
			t.Fatalf("generated %s, %v", text, err)
		}
		providertest.WantContains(t, r.succeeds("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
		r.succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.s)

		r.configure("import {\n  to = opsmanager_deployment_region.two\n  id = \"NOWHERE\"\n}\n" + oneRegion("two", "NOWHERE", true, ""))
		providertest.WantContains(t, r.fails("plan"), "Unable to Import Deployment Region", `There is no region "NOWHERE"`, "No deployment region with ID NOWHERE exists")
	})
}

// Terraform may plan the two resources in either order.
func TestTerraformRejectsTwoResourcesWithOneRegion(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	r := startRegionRun(t, cli, plugins, emulator.Options{})
	r.configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true") + strings.Replace(oneRegion("two", "AU_NZ", true, "adopt_existing = true"), `"Test"`, `"Other"`, 1))
	providertest.WantContains(t, r.fails("apply", "-auto-approve"), "Deployment Region in Two Resources")
	providertest.WantWrites(t, r.s)

	r.configure(oneRegion("one", "NEW", true, "") + "resource \"opsmanager_deployment_region\" \"two\" {\n  deployment_id = opsmanager_deployment_region.one.deployment_id\n}\n")
	providertest.WantContains(t, r.succeeds("apply", "-auto-approve"), "Deployment Region NEW in Two Resources", "2 added")
	r.succeeds("plan", "-detailed-exitcode")
}
