package putresource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// removedBlocks is the first version whose removed blocks have a lifecycle: 1.7 of Terraform, and 1.10 of OpenTofu.
var removedBlocks = version.Must(version.NewVersion("1.10.0"))

const oceania = providertest.RegionsPath + "/AU_NZ"

// oneRegion returns the resource block of a region. The ID is an expression.
func oneRegion(name, id, more string) string {
	return fmt.Sprintf(`resource "opsmanager_deployment_region" %q {
  deployment_id          = %s
  deployment_description = "Test"
  ingestion_endpoint     = "https://om.example.com:8443"
  restore_endpoint       = "https://om.example.com:8443"
  bq_proxy_endpoint      = "om.example.com:27217"
%s
}
`, name, id, more)
}

const (
	createFirst = "  lifecycle {\n    create_before_destroy = true\n  }\n"
	imported    = "import {\n  to = opsmanager_deployment_region.one\n  id = \"AU_NZ\"\n}\n"
)

func TestTerraformTakesOverARegionWithTheBlockOfTheError(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	r.Configure(oneRegion("one", `"AU_NZ"`, ""))
	providertest.WantContains(t, r.Fails("plan"), "Deployment Region AU_NZ Already Exists", "to = opsmanager_deployment_region.NAME", `id = "AU_NZ"`)

	r.Configure(oneRegion("one", `"AU_NZ"`, "") + imported)
	providertest.WantContains(t, r.Succeeds("plan"), `"Australia and New Zealand" -> "Test"`, "1 to import, 0 to add, 1 to change")
	r.Succeeds("apply", "-auto-approve")
	providertest.WantWrites(t, r.Service, "PUT "+oceania)
	r.Succeeds("plan", "-detailed-exitcode")
	r.Succeeds("plan", "-refresh-only", "-detailed-exitcode")
	r.Service.SetRegion("AU_NZ", map[string]any{"deploymentDescription": "Clicked"})
	r.Succeeds("plan", "-out=saved")
	r.Service.SetRegion("AU_NZ", map[string]any{"deploymentDescription": "Theirs"})
	providertest.WantContains(t, r.Fails("apply", "saved"), "changed since the plan", `deployment_description is "Theirs", and the plan showed "Clicked"`, "Plan again")
	providertest.WantWrites(t, r.Service, "PUT "+oceania)
}

// Terraform 1.10 and 1.11 plan to destroy what is no longer configured as it was before the refresh.
func TestTerraformDeletesAChangedRegionOnceItsStateShowsThat(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	r.Configure(oneRegion("one", `"AU_NZ"`, "") + imported)
	r.Succeeds("apply", "-auto-approve")
	r.Configure("")
	r.Succeeds("plan", "-out=saved")
	r.Service.SetRegion("AU_NZ", map[string]any{"deploymentDescription": "Theirs"})
	r.Service.ResetRequests()
	providertest.WantContains(t, r.Fails("apply", "saved"), `changed since the plan: deployment_description is "Theirs", and the plan showed`, "Plan again.")
	providertest.WantWrites(t, r.Service)
	r.Succeeds("apply", "-refresh-only", "-auto-approve")
	providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "Theirs", "Deployment Region AU_NZ Deleted")
	providertest.WantWrites(t, r.Service, "DELETE "+oceania)
}

func TestTerraformDeletesARegionOnlyIfItsPlanShowsThat(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_deployment_region.one"
	start := func(t *testing.T, more string) providertest.Run {
		t.Helper()
		r := providertest.StartRun(t, emulator.Options{})
		r.Configure(oneRegion("one", `"AU_NZ"`, "") + imported)
		r.Succeeds("apply", "-auto-approve")
		r.Configure(oneRegion("one", `"AU_NZ"`, more))
		r.Succeeds("apply", "-auto-approve")
		r.Service.ResetRequests()
		return r
	}
	settings := map[string]string{"by default": "", "create first": createFirst, "kept": "  on_destroy = \"keep\"\n", "protected": "  deletion_protection = true\n"}
	for _, name := range providertest.Sample(2, "by default", "kept", "protected", "create first") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			more := settings[name]
			r := start(t, more)
			providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-replace="+address), "Already Exists")
			r.Succeeds("plan", "-detailed-exitcode")
			r.Succeeds("taint", address)
			for _, refresh := range []string{"-refresh=true", "-refresh=false"} {
				providertest.WantContains(t, r.Fails("apply", "-auto-approve", refresh), "Already Exists", "terraform untaint")
			}
			r.Succeeds("untaint", address)
			r.Succeeds("plan", "-detailed-exitcode")
			r.Configure(oneRegion("two", `"AU_NZ"`, more))
			r.Fails("apply", "-auto-approve")
			providertest.WantWrites(t, r.Service)
			r.Configure(oneRegion("two", `"AU_NZ"`, more) + "moved {\n  from = opsmanager_deployment_region.one\n  to   = opsmanager_deployment_region.two\n}\n")
			r.Succeeds("apply", "-auto-approve")
			if name == "protected" {
				providertest.WantContains(t, r.Fails("destroy", "-auto-approve"), "Deployment Region Is Protected")
				providertest.WantWrites(t, r.Service)
				return
			}
			r.Succeeds("destroy", "-auto-approve")
			if name == "kept" {
				providertest.WantWrites(t, r.Service)
			} else {
				providertest.WantWrites(t, r.Service, "DELETE "+oceania)
			}
		})
	}
	t.Run("removed, and imported at another address", func(t *testing.T) {
		t.Parallel()
		r := start(t, "")
		if !removedBlocks.LessThanOrEqual(r.CLI.Version) {
			t.Skip("this version has no removed blocks")
		}
		renamed := oneRegion("two", `"AU_NZ"`, "")
		r.Configure(renamed + "removed {\n  from = " + address + "\n  lifecycle {\n    destroy = false\n  }\n}\n" + strings.Replace(imported, ".one", ".two", 1))
		r.Succeeds("apply", "-auto-approve")
		r.Configure(renamed)
		r.Succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.Service)
	})
}

func TestTerraformLeavesNoDeposedRegionIfItsIDIsUnknown(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	late := func(trigger string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"id\" {\n  input            = \"NEW\"\n  triggers_replace = %q\n}\n", trigger) + oneRegion("one", "terraform_data.id.output", createFirst)
	}
	r.Configure(late("1"))
	r.Succeeds("apply", "-auto-approve")
	r.Service.ResetRequests()
	r.Configure(late("2"))
	for range 2 {
		providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Replace Deployment Region", "known when you plan", "-target", "-refresh=false")
	}
	r.Succeeds("apply", "-auto-approve", "-target=terraform_data.id")
	r.Succeeds("plan", "-detailed-exitcode")
	providertest.WantWrites(t, r.Service)
	r.Configure(late("3"))
	r.Fails("destroy", "-auto-approve") // Terraform plans the replacement first
	r.Succeeds("destroy", "-auto-approve", "-refresh=false")
	providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/NEW")
}

// An Ops Manager with only the operations of the first description of the API has none that reads a region.
func TestTerraformDeletesARegionThatItCannotRead(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{Profile: emulator.Documented})
	r.Configure("resource \"opsmanager_deployment_region\" \"one\" {\n  deployment_id = \"AU_NZ\"\n}\n")
	providertest.WantContains(t, r.Fails("plan"), "Unable to Create Deployment Region", "terraform import ADDRESS AU_NZ")
	providertest.WantContains(t, r.Succeeds("import", "opsmanager_deployment_region.one", "AU_NZ"), "Unverified Deployment Region AU_NZ")
	r.Succeeds("plan", "-detailed-exitcode")
	providertest.WantContains(t, r.Succeeds("destroy", "-auto-approve"), "Deployment Region AU_NZ Will Be Deleted", "1 destroyed")
	providertest.WantWrites(t, r.Service, "DELETE "+oceania)
	if calls := strings.Join(r.Service.Calls(), "\n"); strings.Contains(calls, "POST") || strings.Contains(calls, "PUT") {
		t.Errorf("called %s", calls)
	}
}
func TestTerraformShowsAndAppliesWhatAnAdoptionOverwrites(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	set := func(workers float64) {
		r.Service.SetBackupDaemon(daemonHost, headDirectory, map[string]any{"numWorkers": workers})
	}
	set(6)
	r.Configure(fmt.Sprintf("resource \"opsmanager_backup_daemon\" \"one\" {\n  machine             = %q\n  head_root_directory = %q\n  num_workers         = 4\n}\n", daemonHost, headDirectory))
	providertest.WantContains(t, r.Succeeds("plan", "-out=saved"), "overwrites", "6 -> 4")
	set(7)
	providertest.WantContains(t, r.Fails("apply", "saved"), "inconsistent final plan", ".overwrites", "7 -> 4")
	providertest.WantWrites(t, r.Service)

	r.Succeeds("apply", "-auto-approve")
	providertest.WantWrites(t, r.Service, "PUT /admin/backup/daemon/configs/om-au.example.com/%2Fdata%2Fbackup%2F")
	r.Succeeds("plan", "-detailed-exitcode")
}
