package regions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// removedBlocks is the first version with removed blocks.
var removedBlocks = version.Must(version.NewVersion("1.7.0"))

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

func TestTerraformReplacesARegionOnlyIfThatCanSucceed(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_deployment_region.one"

	t.Run("forced", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRun(t, emulator.Options{})
		r.Configure(oneRegion("one", "AU_NZ", false, ""))
		r.Succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-replace="+address), "Unable to Replace Deployment Region", "create it again")

		r.Configure(oneRegion("one", "AU_NZ", true, "deletion_protection = true"))
		r.Succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.Fails("plan", "-replace="+address), "Deployment Region Is Protected")
		r.Succeeds("plan", "-detailed-exitcode")

		r.Configure(oneRegion("one", "AU_NZ", true, "skip_destroy = true"))
		r.Succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.Fails("plan", "-replace="+address), "Unable to Replace Deployment Region", "adopt_existing = true")

		r.Configure(oneRegion("one", "AU_NZ", true, "lifecycle {\n    create_before_destroy = true\n  }"))
		r.Succeeds("apply", "-auto-approve")
		providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-replace="+address), "Unable to Replace Deployment Region", "adopt_existing = true")
		r.Succeeds("plan", "-detailed-exitcode")

		r.Configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true"))
		r.Succeeds("apply", "-auto-approve")
		r.Service.ResetRequests()
		providertest.WantContains(t, r.Succeeds("apply", "-auto-approve", "-replace="+address), "Deployment Region AU_NZ Deleted", `deployment_description = "Test"`, "1 added, 0 changed, 1 destroyed")
		providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/AU_NZ", "POST "+providertest.RegionsPath)
		r.Succeeds("plan", "-detailed-exitcode")
	})

	t.Run("triggered", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRun(t, emulator.Options{})
		body := func(input string) string {
			return fmt.Sprintf("resource \"terraform_data\" \"trigger\" {\n  input = %q\n}\n", input) +
				oneRegion("one", "AU_NZ", false, "  lifecycle {\n    replace_triggered_by = [terraform_data.trigger]\n  }")
		}
		r.Configure(body("a"))
		r.Succeeds("apply", "-auto-approve")
		r.Configure(body("b"))
		providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Replace Deployment Region", "create it again")
		providertest.WantWrites(t, r.Service)
	})

	t.Run("tainted", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRun(t, emulator.Options{})
		failing := "  provisioner \"local-exec\" {\n    command = \"exit 1\"\n  }"
		r.Configure(oneRegion("one", "AU_NZ", false, failing))
		r.Fails("apply", "-auto-approve")
		providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Replace Deployment Region", "create it again", "terraform untaint")
		r.Succeeds("untaint", address)
		r.Succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.Service)

		r.Configure(oneRegion("one", "AU_NZ", true, "deletion_protection = true"))
		r.Succeeds("apply", "-auto-approve")
		r.Succeeds("taint", address)
		providertest.WantContains(t, r.Fails("plan"), "Deployment Region Is Protected")
		r.Succeeds("untaint", address)
		r.Configure(oneRegion("one", "AU_NZ", true, ""))
		r.Succeeds("apply", "-auto-approve")
		r.Succeeds("taint", address)
		providertest.WantContains(t, r.Fails("plan"), "Unable to Replace Deployment Region", "untaint")
		r.Configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true"))
		r.Service.ResetRequests()
		printed := r.Succeeds("apply", "-auto-approve")
		providertest.WantContains(t, printed, "Deletion of Deployment Region AU_NZ", "1 added, 0 changed, 1 destroyed")
		if strings.Contains(printed, "Already Exists") {
			t.Errorf("printed %s", printed)
		}
		providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/AU_NZ", "POST "+providertest.RegionsPath)
		r.Succeeds("plan", "-detailed-exitcode")
	})

	t.Run("to another id", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRun(t, emulator.Options{})
		r.Configure(oneRegion("one", "AU_NZ", false, ""))
		r.Succeeds("apply", "-auto-approve")
		r.Configure(oneRegion("one", "AU_NZX", false, ""))
		providertest.WantContains(t, r.Fails("apply", "-auto-approve"), `There is no region "AU_NZX" to adopt`)
		providertest.WantWrites(t, r.Service)
		r.Configure(oneRegion("one", providertest.Europe, true, "adopt_existing = true"))
		providertest.WantContains(t, r.Succeeds("plan"), "Deletion of Deployment Region AU_NZ", "Overwritten Values of Deployment Region "+providertest.Europe)
	})

	t.Run("created before it is destroyed", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRun(t, emulator.Options{})
		body := oneRegion("one", "AU_NZ", true, "adopt_existing = true\n  lifecycle {\n    create_before_destroy = true\n  }")
		r.Configure(body)
		r.Succeeds("apply", "-auto-approve")
		r.Service.ResetRequests()
		providertest.WantContains(t, r.Succeeds("apply", "-auto-approve", "-replace="+address), "Deployment Region AU_NZ Not Deleted", "1 added, 0 changed, 1 destroyed")
		providertest.WantWrites(t, r.Service)
		r.Succeeds("plan", "-detailed-exitcode")

		// A dependent resource with create_before_destroy implies it.
		r.Configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true") +
			"resource \"terraform_data\" \"user\" {\n  input            = opsmanager_deployment_region.one.deployment_id\n  triggers_replace = opsmanager_deployment_region.one.deployment_id\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n")
		r.Succeeds("apply", "-auto-approve")
		r.Service.ResetRequests()
		providertest.WantContains(t, r.Succeeds("apply", "-auto-approve", "-replace="+address), "Deployment Region AU_NZ Not Deleted")
		providertest.WantWrites(t, r.Service)
		if r.Service.Region("AU_NZ") == nil {
			t.Error("the region is gone")
		}
	})

	t.Run("renamed", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRun(t, emulator.Options{})
		r.Configure(oneRegion("one", "AU_NZ", false, ""))
		r.Succeeds("apply", "-auto-approve")
		renamed := oneRegion("two", "AU_NZ", false, "")
		r.Configure(renamed)
		for range 3 { // in either order of planning
			providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-parallelism=1"), "moved {", "removed block")
		}
		providertest.WantWrites(t, r.Service)
		r.Configure(renamed + "moved {\n  from = opsmanager_deployment_region.one\n  to   = opsmanager_deployment_region.two\n}\n")
		r.Succeeds("apply", "-auto-approve")
		if removedBlocks.LessThanOrEqual(r.CLI.Version) {
			r.Configure(oneRegion("three", "AU_NZ", false, "") + "removed {\n  from = opsmanager_deployment_region.two\n  lifecycle {\n    destroy = false\n  }\n}\n")
			r.Succeeds("apply", "-auto-approve")
		}
		r.Succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.Service)
		r.Succeeds("destroy", "-auto-approve")
		providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/AU_NZ")
	})

	t.Run("imported", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRun(t, emulator.Options{})
		r.Service.SetRegion("AU_NZ", map[string]any{"restoreEndpoint": nil})
		r.Configure("import {\n  to = opsmanager_deployment_region.one\n  id = \"AU_NZ\"\n}\n")
		r.Succeeds("plan", "-generate-config-out=generated.tf")
		text, err := os.ReadFile(filepath.Join(r.Dir, "generated.tf"))
		if err != nil || strings.Contains(string(text), "restore_endpoint       = \"") { // newer versions write no null
			t.Fatalf("generated %s, %v", text, err)
		}
		providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
		r.Succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.Service)

		r.Configure("import {\n  to = opsmanager_deployment_region.two\n  id = \"NOWHERE\"\n}\n" + oneRegion("two", "NOWHERE", true, ""))
		providertest.WantContains(t, r.Fails("plan"), "Unable to Import Deployment Region", `There is no region "NOWHERE"`, "No deployment region with ID NOWHERE exists")
	})
}

// Terraform may plan the two resources in either order.
func TestTerraformRejectsTwoResourcesWithOneRegion(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	r.Configure(oneRegion("one", "AU_NZ", true, "adopt_existing = true") + strings.Replace(oneRegion("two", "AU_NZ", true, "adopt_existing = true"), `"Test"`, `"Other"`, 1))
	providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Deployment Region in Two Resources")
	providertest.WantWrites(t, r.Service)

	r.Configure(oneRegion("one", "NEW", true, "") + "resource \"opsmanager_deployment_region\" \"two\" {\n  deployment_id = opsmanager_deployment_region.one.deployment_id\n}\n")
	providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "Deployment Region NEW in Two Resources", "2 added")
	r.Succeeds("plan", "-detailed-exitcode")
}

// lateRegion returns the resource block of a described region whose ID is known late, whenever the
// trigger changes.
func lateRegion(name, id, trigger, more string) string {
	region := strings.Replace(oneRegion(name, id, true, more), fmt.Sprintf("%q\n\n", id), "terraform_data.id.output\n\n", 1)
	return fmt.Sprintf("resource \"terraform_data\" \"id\" {\n  input            = %q\n  triggers_replace = %q\n}\n", id, trigger) + region
}

func TestTerraformLeavesNoDeposedRegionIfItsIDIsUnknown(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_deployment_region.one"
	createFirst := "  lifecycle {\n    create_before_destroy = true\n  }"
	start := func(t *testing.T) providertest.Run {
		t.Helper()
		r := providertest.StartRun(t, emulator.Options{})
		r.Configure(lateRegion("one", "NEW", "1", createFirst))
		r.Succeeds("apply", "-auto-approve")
		r.Service.ResetRequests()
		return r
	}

	t.Run("replaced", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		r.Configure(lateRegion("one", "NEW", "2", createFirst))
		for range 2 {
			providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Replace Deployment Region", "known when you plan", "-target", "-refresh=false")
		}
		r.Succeeds("apply", "-auto-approve", "-target=terraform_data.id")
		r.Succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.Service)
		r.Configure(lateRegion("one", "NEW", "3", createFirst))
		r.Fails("destroy", "-auto-approve") // Terraform plans the replacement first
		r.Succeeds("destroy", "-auto-approve", "-refresh=false")
		providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/NEW")
	})

	t.Run("renamed", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		r.Configure(lateRegion("two", "NEW", "2", createFirst))
		for range 2 { // in either order of planning
			providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-parallelism=1"), "Unknown ID of a Deployment Region", "moved block")
		}
		providertest.WantWrites(t, r.Service)
	})

	// Terraform tells the provider neither that the region is tainted, nor its ID.
	t.Run("tainted", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		r.Succeeds("taint", address)
		r.Configure(lateRegion("one", "NEW", "2", createFirst))
		providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Already Exists")
		for _, command := range []string{"plan", "apply"} {
			providertest.WantContains(t, r.Fails(command, "-input=false"), "terraform state rm ADDRESS", "import the region")
		}
		providertest.WantContains(t, r.Fails("destroy", "-auto-approve"), "-refresh=false")
		providertest.WantWrites(t, r.Service)
		r.Succeeds("state", "rm", address)
		r.Succeeds("import", address, "NEW")
		providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "0 added, 0 changed, 1 destroyed") // the old trigger
		r.Succeeds("plan", "-detailed-exitcode")
		providertest.WantWrites(t, r.Service)
	})
}

// Someone else creates the region, with the same values, while the create request fails.
func TestTerraformKeepsARegionThatItOnlyGuessesToHaveCreated(t *testing.T) {
	t.Parallel()
	const address = "opsmanager_deployment_region.one"
	start := func(t *testing.T) providertest.Run {
		t.Helper()
		r := providertest.StartRun(t, emulator.Options{})
		r.Service.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
		// The plan reads the region once, and the apply twice before the request.
		r.Service.Inject(emulator.Fault{Method: "GET", Path: "NEW", Times: 3, Status: 404, Body: `{"error": 404, "detail": "No such region."}`})
		r.Service.Inject(emulator.Fault{Method: "POST", Status: 500})
		r.Configure(oneRegion("one", "NEW", true, ""))
		providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "Deployment Region NEW May Belong to Someone Else", "1 added")
		r.Succeeds("plan", "-detailed-exitcode")
		r.Service.ResetRequests()
		return r
	}

	t.Run("destroyed", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		r.Configure(strings.Replace(oneRegion("one", "NEW", true, ""), `"Test"`, `"Changed"`, 1))
		providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Update Deployment Region", "adopt_existing = true")
		r.Configure(oneRegion("one", "NEW", true, ""))
		providertest.WantContains(t, r.Succeeds("destroy", "-auto-approve"), "Deployment Region NEW Removed Only From the State")
		providertest.WantWrites(t, r.Service)
	})

	t.Run("tainted, then adopted", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		r.Succeeds("taint", address)
		r.Configure(oneRegion("one", "NEW", true, "adopt_existing = true"))
		providertest.WantContains(t, r.Fails("apply", "-auto-approve", "-refresh=false"), "Unable to Replace Deployment Region", "terraform untaint")
		providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "Deployment Region NEW Removed Only From the State", "1 added, 0 changed, 1 destroyed")
		providertest.WantWrites(t, r.Service)
		r.Succeeds("plan", "-detailed-exitcode")
		r.Succeeds("destroy", "-auto-approve")
		providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/NEW")
	})

	t.Run("imported", func(t *testing.T) {
		t.Parallel()
		r := start(t)
		r.Succeeds("state", "rm", address)
		r.Succeeds("import", address, "NEW")
		r.Succeeds("destroy", "-auto-approve")
		providertest.WantWrites(t, r.Service, "DELETE "+providertest.RegionsPath+"/NEW")
	})
}
