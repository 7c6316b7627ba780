package restores_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
	"terraform-provider-opsmanager/internal/tfcli"
)

const drill = "opsmanager_restore_job.drill"

// drillConfig returns a configuration of a restore of the newest complete snapshot of ledger into
// cards.
func drillConfig(s *providertest.Service, trigger, more string) string {
	return s.Config(fmt.Sprintf(`
data "opsmanager_cluster_snapshots" "ledger" {
  project_id = %[1]q
  cluster_id = %[2]q
}

resource "opsmanager_restore_job" "drill" {
  project_id          = %[1]q
  cluster_id          = %[2]q
  snapshot_id         = data.opsmanager_cluster_snapshots.ledger.results[0].id
  target_project_id   = %[1]q
  target_cluster_id   = %[3]q
  target_cluster_name = "cards"
  triggers            = { drill = %[4]q }
%[5]s
}`, providertest.Payments, providertest.Ledger, providertest.Cards, trigger, more))
}

const hasToFinish = `
  lifecycle {
    postcondition {
      condition     = self.status_name == "FINISHED"
      error_message = "The restore is ${self.status_name}."
    }
  }`

func drillDoes(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(drill, action)}}
}

func drillHolds(attribute, value string) []statecheck.StateCheck {
	return []statecheck.StateCheck{statecheck.ExpectKnownValue(drill, tfjsonpath.New(attribute), knownvalue.StringExact(value))}
}

func TestTerraformRestoresTheNewestSnapshotOnlyWhenTriggersChange(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	const newest = "66d696b0c4d6e8f0a2b4c604"
	providertest.Terraform(t,
		resource.TestStep{
			Config: drillConfig(s, "1", hasToFinish), ConfigPlanChecks: drillDoes(plancheck.ResourceActionCreate),
			ConfigStateChecks: append(drillHolds("status_name", "FINISHED"), drillHolds("snapshot_id", expiredSnapshot)...),
		},
		resource.TestStep{
			PreConfig: func() {
				s.SetSnapshot(providertest.Payments, providertest.Ledger, newest, map[string]any{
					"complete": true, "doNotDelete": true, "created": map[string]any{"date": "2025-09-02T02:30:04Z", "increment": 1}, "expires": nil,
				})
			},
			Config: drillConfig(s, "1", hasToFinish), ConfigPlanChecks: drillDoes(plancheck.ResourceActionNoop),
			ConfigStateChecks: drillHolds("snapshot_id", expiredSnapshot),
		},
		resource.TestStep{
			Config: drillConfig(s, "2", hasToFinish), ConfigPlanChecks: drillDoes(plancheck.ResourceActionUpdate),
			ConfigStateChecks: append(drillHolds("status_name", "FINISHED"), drillHolds("snapshot_id", newest)...),
		},
	)
	wantRequests(t, s, 2)
}

func TestPostconditionFailsEachRunAfterABrokenRestoreAndNoneStartsAnother(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{RestoreOutcome: "BROKEN"})
	broken := resource.TestStep{Config: drillConfig(s, "1", hasToFinish), ExpectError: regexp.MustCompile(`The restore is BROKEN\.`)}
	providertest.Terraform(t,
		broken, broken,
		resource.TestStep{
			PreConfig: func() { wantRequests(t, s, 1) },
			Config:    drillConfig(s, "1", ""), ConfigPlanChecks: drillDoes(plancheck.ResourceActionNoop), ConfigStateChecks: drillHolds("status_name", "BROKEN"),
		},
	)
	wantRequests(t, s, 1)
}

func TestTerraformStartsNoSecondRestoreAfterALostResponse(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulator.Fault{{Method: "POST", DropAfter: true}, {Method: "POST", DropBefore: true}} {
		s := providertest.StartService(t, emulator.Options{})
		want := "FINISHED"
		if fault.DropBefore {
			want = "UNKNOWN"
		}
		again := resource.TestStep{Config: drillConfig(s, "1", ""), ConfigPlanChecks: drillDoes(plancheck.ResourceActionNoop), ConfigStateChecks: drillHolds("status_name", want)}
		providertest.Terraform(t,
			resource.TestStep{
				PreConfig: func() { s.Inject(fault) },
				Config:    drillConfig(s, "1", ""), ConfigStateChecks: drillHolds("status_name", want),
			},
			again, again,
		)
		wantRequests(t, s, 1)
	}
}

// run runs a command and returns its output and its exit code.
func run(t *testing.T, w providertest.Folder, args ...string) (printed string, exitCode int) {
	t.Helper()
	var out strings.Builder
	w.Out = &out
	exitCode, err := w.Run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(out.String()), " "), exitCode
}

func TestTerraformRepeatsNoRestoreWithoutOtherTriggers(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	s := providertest.StartService(t, emulator.Options{RestoreReads: -1})
	w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}
	write := func(snapshot, version, more string) {
		w.Write("main.tf", "terraform {\n  required_providers {\n    opsmanager = { source = \"terraform.local/local/opsmanager\" }\n  }\n}\n"+s.Config(fmt.Sprintf(`
resource "terraform_data" "drill" {
  input            = "weekly"
  triggers_replace = %[5]q
}

resource "opsmanager_restore_job" "drill" {
  project_id          = %[1]q
  cluster_id          = %[2]q
  snapshot_id         = %[4]q
  target_project_id   = %[1]q
  target_cluster_id   = %[3]q
  target_cluster_name = "cards"
  triggers            = { drill = terraform_data.drill.output }
%[6]s
}`, providertest.Payments, providertest.Ledger, providertest.Cards, snapshot, version, more)))
	}
	fails := func(want string, args ...string) {
		t.Helper()
		if printed, exitCode := run(t, w, args...); exitCode != 1 || !strings.Contains(printed, want) {
			t.Errorf("%q: exit code %d\n%s", args, exitCode, printed)
		}
	}
	const again = "Restore of Cluster " + providertest.Ledger + " Would Be Repeated"

	write(heldSnapshot, "1", `provisioner "local-exec" { command = "exit 1" }`)
	w.MustRun("init", "-plugin-dir="+plugins)
	fails("exit status 1", "apply", "-auto-approve")
	fails(again, "apply", "-auto-approve") // it is tainted
	w.MustRun("untaint", drill)
	fails(again, "apply", "-auto-approve", "-replace="+drill)
	write(heldSnapshot, "1", "for_each = toset([\"a\"])")
	w.MustRun("state", "mv", drill, drill+`["a"]`)
	w.MustRun("plan", "-detailed-exitcode")
	write(heldSnapshot, "1", "for_each = toset([\"b\"])")
	fails(again, "apply", "-auto-approve")
	write(heldSnapshot, "1", "lifecycle {\n replace_triggered_by = [terraform_data.drill]\n}")
	w.MustRun("state", "mv", drill+`["a"]`, drill)
	w.MustRun("apply", "-auto-approve")
	write(heldSnapshot, "2", "lifecycle {\n replace_triggered_by = [terraform_data.drill]\n}")
	fails(again, "apply", "-auto-approve")

	// The triggers are unknown in the plan, and turn out to be the same. Terraform requires that
	// the source stays as planned.
	write(expiredSnapshot, "3", "")
	fails("inconsistent final plan", "apply", "-auto-approve")
	w.MustRun("apply", "-auto-approve")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, s, 1)
}

func TestTerraformNeitherPrintsNorLogsTheLinkForDownloads(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	s := providertest.StartService(t, emulator.Options{RestoreReads: -1})
	w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_LOG=TRACE", "TF_LOG_PATH=terraform.log"}}}
	write := func(trigger string) {
		w.Write("main.tf", "terraform {\n  required_providers {\n    opsmanager = { source = \"terraform.local/local/opsmanager\" }\n  }\n}\n"+s.Config(fmt.Sprintf(`
resource "opsmanager_restore_job" "download" {
  project_id    = %q
  cluster_id    = %q
  snapshot_id   = %q
  max_downloads = 1
  triggers      = { download = %q }
}

output "jobs" {
  value = opsmanager_restore_job.download.jobs
}`, providertest.Payments, providertest.Ledger, heldSnapshot, trigger)))
	}
	write("1")
	printed := w.MustRun("init", "-plugin-dir="+plugins) + w.MustRun("apply", "-auto-approve")
	write("2")
	printed += w.MustRun("plan", "-out=saved") + w.MustRun("show", "saved") + w.MustRun("apply", "saved") + w.MustRun("plan") + w.MustRun("show")
	log, err := os.ReadFile(filepath.Join(w.Dir, "terraform.log"))
	if err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	const secret = "/backup/restore/v2/pull/" // in each link
	if !strings.Contains(string(state), secret) {
		t.Error("the state has no link")
	}
	for name, text := range map[string]string{"the output": printed, "the log": string(log)} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("%s has a link: %s", name, text[max(0, i-200):i+100])
		}
	}
}
