package putresource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

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
	r := providertest.StartRun(t)
	r.Configure(oneRegion("one", `"AU_NZ"`, ""))
	providertest.WantContains(t, r.Fails("plan"), "Deployment Region AU_NZ Already Exists", "to = opsmanager_deployment_region.NAME", `id = "AU_NZ"`)

	r.Configure(oneRegion("one", `"AU_NZ"`, "") + imported)
	providertest.WantContains(t, r.Succeeds("plan"), `"Australia and New Zealand" -> "Test"`, "1 to import, 0 to add, 1 to change")
	r.Succeeds("apply", "-auto-approve")
	providertest.WantWrites(t, r.Service, "PUT "+oceania)
	r.Succeeds("plan", "-detailed-exitcode")
	r.Succeeds("plan", "-refresh-only", "-detailed-exitcode")
}

func TestTerraformDeletesARegionOnlyIfItsPlanShowsThat(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_deployment_region.one"
	one, two := oneRegion("one", `"AU_NZ"`, ""), oneRegion("two", `"AU_NZ"`, "")
	start := func(t *testing.T) providertest.Run {
		t.Helper()
		r := providertest.StartRun(t)
		r.Configure(one + imported)
		r.Succeeds("apply", "-auto-approve")
		r.Configure(one)
		r.Service.ResetRequests()
		return r
	}
	t.Run("replaced, tainted, renamed and moved", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-replace="+address), "Already Exists")
		r.Succeeds("taint", address)
		for _, refresh := range []string{"-refresh=true", "-refresh=false"} {
			providertest.WantContains(t, r.Fails("apply", "-auto-approve", refresh), "Already Exists", "terraform untaint")
		}
		r.Succeeds("untaint", address)
		r.Succeeds("plan", "-detailed-exitcode")
		r.Configure(two)
		r.Fails("apply", "-auto-approve")
		r.Configure(two + "moved {\n  from = opsmanager_deployment_region.one\n  to   = opsmanager_deployment_region.two\n}\n")
		r.Succeeds("apply", "-auto-approve")
		providertest.WantWrites(t, r.Service)
		r.Succeeds("destroy", "-auto-approve")
		providertest.WantWrites(t, r.Service, "DELETE "+oceania)
	})
	t.Run("removed, and imported at another address", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		if !removedBlocks.LessThanOrEqual(r.CLI.Version) {
			t.Skip("this version has no removed blocks")
		}
		r.Configure(two + "removed {\n  from = " + address + "\n  lifecycle {\n    destroy = false\n  }\n}\n" + strings.Replace(imported, ".one", ".two", 1))
		r.Succeeds("apply", "-auto-approve")
		r.Configure(two)
		r.Succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.Service)
	})
}

func TestTerraformLeavesNoDeposedRegionIfItsIDIsUnknown(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t)
	late := func(trigger string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"id\" {\n  input            = \"NEW\"\n  triggers_replace = %q\n}\n", trigger) + oneRegion(
			"one", "terraform_data.id.output", createFirst,
		)
	}
	r.Configure(late("1"))
	r.Succeeds("apply", "-auto-approve")
	r.Service.ResetRequests()
	r.Configure(late("2"))
	for range 2 {
		providertest.WantContains(
			t, r.Fails("apply", "-auto-approve"), "Unable to Replace Deployment Region", "known when you plan", "-target",
			"-refresh=false",
		)
	}
	r.Succeeds("apply", "-auto-approve", "-target=terraform_data.id")
	r.Succeeds("plan", "-detailed-exitcode")
	providertest.WantWrites(t, r.Service)
	r.Configure(late("3"))
	r.Fails("destroy", "-auto-approve") // Terraform plans the replacement first
	r.Succeeds("destroy", "-auto-approve", "-refresh=false")
	providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/NEW")
}

func TestTerraformShowsAndAppliesWhatAnAdoptionOverwrites(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t)
	set := func(workers float64) {
		r.Service.SetBackupDaemon(daemonHost, headDirectory, object{"numWorkers": workers})
	}
	set(6)
	r.Configure(fmt.Sprintf(
		"resource \"opsmanager_backup_daemon\" \"one\" {\n  machine             = %q\n  head_root_directory = %q\n  num_workers         = 4\n}\n",
		daemonHost, headDirectory,
	))
	providertest.WantContains(t, r.Succeeds("plan", "-out=saved"), "overwrites", "6 -> 4")
	set(7)
	providertest.WantContains(t, r.Fails("apply", "saved"), "inconsistent final plan", ".overwrites", "7 -> 4")
	providertest.WantWrites(t, r.Service)

	r.Succeeds("apply", "-auto-approve")
	providertest.WantWrites(t, r.Service, "PUT /admin/backup/daemon/configs/om-au.example.com/%2Fdata%2Fbackup%2F")
	r.Succeeds("plan", "-detailed-exitcode")
}
