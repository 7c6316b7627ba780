package restores_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const drill = "opsmanager_restore_job.drill"

// drillConfig returns a configuration of a restore of the newest complete snapshot of ledger into
// cards.
func drillConfig(s *providertest.Service, trigger, more string) string {
	data := fmt.Sprintf("data \"opsmanager_cluster_snapshots\" \"ledger\" {\n  project_id = %q\n  cluster_id = %q\n}\n", providertest.Payments, providertest.Ledger)
	return s.Config(data + strings.Replace(intoCardsBlock("drill", "newest", trigger, more), `"newest"`, "data.opsmanager_cluster_snapshots.ledger.newest_complete.id", 1))
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

// wantFailure runs a command that must fail with an error.
func wantFailure(r providertest.Run, want string, args ...string) {
	r.T.Helper()
	if printed := r.Fails(args...); !strings.Contains(printed, want) {
		r.T.Errorf("%q: want %q\n%s", args, want, printed)
	}
}

// intoCardsBlock returns the block of a restore of a snapshot of ledger into cards.
func intoCardsBlock(name, snapshot, drill, more string) string {
	return fmt.Sprintf(`
resource "opsmanager_restore_job" %[1]q {
  project_id          = %[2]q
  cluster_id          = %[3]q
  snapshot_id         = %[4]q
  target_project_id   = %[2]q
  target_cluster_id   = %[5]q
  target_cluster_name = "cards"
  triggers            = { drill = %[6]q }
%[7]s
}
`, name, providertest.Payments, providertest.Ledger, snapshot, providertest.Cards, drill, more)
}

const isRepeated = "Would Be Repeated"

func TestTerraformStartsNoSecondRestoreAfterALostResponse(t *testing.T) {
	t.Parallel()
	const isUndecided = "May Have Been Started"
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	w.Env = append(w.Env, "TF_CLI_ARGS_apply=-auto-approve")
	lost := emulator.Fault{Method: "POST", Path: "/restoreJobs", DropBefore: true}
	cbd := "lifecycle {\n create_before_destroy = true\n}"
	w.Configure(intoCardsBlock("drill", heldSnapshot, "1", hasToFinish))
	w.Service.Inject(lost)
	wantFailure(w, isUndecided, "apply")
	for i, taint := range []string{"untaint", "taint"} {
		for j, more := range []string{hasToFinish, cbd} {
			w.Configure(intoCardsBlock("drill", heldSnapshot, "1", more))
			for k, how := range []string{"-refresh=true", "-refresh=false", "-replace=" + drill, "-target=" + drill} {
				if !providertest.Sampled(2*i+j+k, 4) {
					continue // each way with one of the configurations
				}
				wantFailure(w, isUndecided, "plan", how)
				wantFailure(w, isUndecided, "apply", how)
			}
			wantFailure(w, isUndecided, "destroy", "-auto-approve")
		}
		w.Configure(intoCardsBlock("renamed", heldSnapshot, "1", ""))
		wantFailure(w, isUndecided, "apply")
		w.Configure(intoCardsBlock("drill", expiredSnapshot, "1", ""))
		wantFailure(w, isUndecided, "apply")
		w.MustRun(taint, drill)
	}
	wantRequests(t, w.Service, 1)
	w.Configure(intoCardsBlock("drill", heldSnapshot, "2", hasToFinish))
	wantFailure(w, isUndecided, "apply")
	wantRequests(t, w.Service, 1)
	w.MustRun("state", "rm", drill)
	w.MustRun("apply")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, w.Service, 2)

	// The lost request of an update.
	w.Configure(intoCardsBlock("drill", heldSnapshot, "3", ""))
	w.Service.Inject(lost)
	wantFailure(w, isUndecided, "apply")
	wantFailure(w, isUndecided, "plan")
	wantFailure(w, isUndecided, "apply", "-refresh=false")
	wantRequests(t, w.Service, 3)

	// Each way on.
	wantFailure(w, isUndecided, "destroy", "-auto-approve")
	id := w.Service.StartRestore(providertest.Payments, providertest.Ledger, map[string]any{"snapshotId": heldSnapshot, "pointInTime": false})[0]
	wantFailure(w, id, "plan")
	w.MustRun("state", "rm", drill)
	w.MustRun("import", drill, providertest.Payments+"/"+providertest.Ledger+"/"+id)
	w.MustRun("apply")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, w.Service, 3)
	w.Configure(intoCardsBlock("drill", heldSnapshot, "4", ""))
	w.Service.Inject(lost)
	wantFailure(w, isUndecided, "apply")
	wantFailure(w, isUndecided, "plan")
	w.MustRun("destroy", "-auto-approve", "-refresh=false")
	if printed := w.MustRun("state", "list"); strings.TrimSpace(printed) != "" {
		t.Errorf("the state has %s", printed)
	}
	wantRequests(t, w.Service, 4)
}

// Whatever makes Terraform plan a restore of the state again is an error, also if its source has
// moved on, and if Terraform doesn't refresh it.
func TestTerraformRecognizesARestoreThatItWouldRepeat(t *testing.T) {
	t.Parallel()
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	w.Service.SetSnapshot(providertest.Payments, providertest.Ledger, incompleteSnapshot, map[string]any{"complete": true, "doNotDelete": true})
	w.Env = append(w.Env, "TF_CLI_ARGS_apply=-auto-approve")
	w.Configure(intoCardsBlock("drill", heldSnapshot, "1", `provisioner "local-exec" { command = "exit 1" }`))
	wantFailure(w, "exit status 1", "apply")
	newer := func(name, drill, more string) string { return intoCardsBlock(name, incompleteSnapshot, drill, more) }
	for _, more := range []string{"", "lifecycle {\n create_before_destroy = true\n}"} {
		w.Configure(newer("drill", "1", more))
		wantFailure(w, isRepeated, "apply")
		wantFailure(w, isRepeated, "apply", "-refresh=false")
		wantFailure(w, isRepeated, "apply", "-refresh=false", "-target="+drill)
		wantFailure(w, isRepeated, "destroy", "-auto-approve")
	}
	wantRequests(t, w.Service, 1)
	w.MustRun("untaint", drill)
	w.Configure(newer("renamed", "1", ""))
	wantFailure(w, isRepeated, "apply")
	wantFailure(w, isRepeated, "apply", "-refresh=false")
	if version.Must(version.NewVersion("1.10.0")).LessThanOrEqual(w.CLI.Version) {
		w.Configure(newer("renamed", "1", "") + "removed {\n  from = " + drill + "\n  lifecycle {\n    destroy = false\n  }\n}\n")
		wantFailure(w, isRepeated, "apply")
	}
	wantRequests(t, w.Service, 1)
	w.Configure(newer("renamed", "1", "") + "moved {\n  from = " + drill + "\n  to = opsmanager_restore_job.renamed\n}\n")
	w.MustRun("apply")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, w.Service, 1)

	// Taint it again: other triggers replace it, and everything can be destroyed.
	w.MustRun("taint", "opsmanager_restore_job.renamed")
	w.Configure(newer("renamed", "2", ""))
	w.MustRun("apply")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, w.Service, 2)
	w.MustRun("taint", "opsmanager_restore_job.renamed")
	wantFailure(w, "terraform destroy -refresh=false", "destroy", "-auto-approve")
	w.MustRun("destroy", "-auto-approve", "-refresh=false")
}

// What the provider cannot notice: Terraform shows the old address to no process of the provider, or
// to that of another configuration. The warning names the restore.
func TestTerraformWarnsOfAnEarlierRestoreThatThePlanDoesNotShow(t *testing.T) {
	t.Parallel()
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	alias := strings.Replace(w.Service.Config(""), "{", "{\n alias = \"b\"", 1)
	w.Configure(alias + intoCardsBlock("drill", heldSnapshot, "1", ""))
	w.MustRun("apply", "-auto-approve")
	jobs := w.Service.RestoreJobs(providertest.Payments, providertest.Ledger)
	w.Service.SetRestoreJob(providertest.Payments, providertest.Ledger, fmt.Sprint(jobs[len(jobs)-1]["id"]), map[string]any{"created": "2026-01-01T00:00:00Z"}) // before the next one
	newest := func(id any) string {
		return fmt.Sprintf("The newest restores of cluster ledger (%[2]s) are: - %[1]s/%[2]s/%[3]v, requested at ", providertest.Payments, providertest.Ledger, id)
	}
	warning := newest(jobs[len(jobs)-1]["id"])
	w.Configure(alias + intoCardsBlock("renamed", heldSnapshot, "1", "provider = opsmanager.b"))
	providertest.WantContains(t, w.Succeeds("plan"), warning)
	w.Configure(alias + intoCardsBlock("renamed", heldSnapshot, "1", ""))
	providertest.WantContains(t, w.Succeeds("plan", "-target=opsmanager_restore_job.renamed"), warning)
	wantRequests(t, w.Service, 1)

	// A run that is killed saves no state.
	state := filepath.Join(w.Dir, "terraform.tfstate")
	saved, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	w.Configure(intoCardsBlock("drill", heldSnapshot, "2", ""))
	w.MustRun("apply", "-auto-approve")
	jobs = w.Service.RestoreJobs(providertest.Payments, providertest.Ledger)
	if err := os.WriteFile(state, saved, 0o600); err != nil {
		t.Fatal(err)
	}
	providertest.WantContains(t, w.Succeeds("plan"), newest(jobs[len(jobs)-1]["id"]))
	wantRequests(t, w.Service, 2)
}

func TestTerraformRepeatsNoRestoreWithoutOtherTriggers(t *testing.T) {
	t.Parallel()
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	write := func(snapshot, version, more string) {
		w.Configure(fmt.Sprintf("resource \"terraform_data\" \"drill\" {\n  input            = \"weekly\"\n  triggers_replace = %q\n}\n", version) +
			strings.Replace(intoCardsBlock("drill", snapshot, "late", more), `"late"`, "terraform_data.drill.output", 1))
	}
	write(heldSnapshot, "1", `provisioner "local-exec" { command = "exit 1" }`)
	wantFailure(w, "exit status 1", "apply", "-auto-approve")
	wantFailure(w, isRepeated, "apply", "-auto-approve") // it is tainted
	w.MustRun("untaint", drill)
	wantFailure(w, isRepeated, "apply", "-auto-approve", "-replace="+drill)
	write(heldSnapshot, "1", "for_each = toset([\"a\"])")
	w.MustRun("state", "mv", drill, drill+`["a"]`)
	w.MustRun("plan", "-detailed-exitcode")
	write(heldSnapshot, "1", "for_each = toset([\"b\"])")
	wantFailure(w, isRepeated, "apply", "-auto-approve")
	write(heldSnapshot, "1", "lifecycle {\n replace_triggered_by = [terraform_data.drill]\n}")
	w.MustRun("state", "mv", drill+`["a"]`, drill)
	w.MustRun("apply", "-auto-approve")
	write(heldSnapshot, "2", "lifecycle {\n replace_triggered_by = [terraform_data.drill]\n}")
	wantFailure(w, isRepeated, "apply", "-auto-approve")

	// The triggers are unknown in the plan, and turn out to be the same. Terraform requires that
	// the source stays as planned.
	write(expiredSnapshot, "3", "")
	wantFailure(w, "inconsistent final plan", "apply", "-auto-approve")
	w.MustRun("apply", "-auto-approve")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, w.Service, 1)
}

func TestTerraformNeitherPrintsNorLogsTheLinkForDownloads(t *testing.T) {
	t.Parallel()
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH=terraform.log")
	write := func(trigger string) {
		w.Configure(fmt.Sprintf(`
resource "opsmanager_restore_job" "download" {
  project_id    = %q
  cluster_id    = %q
  snapshot_id   = %q
  max_downloads = 1
  triggers      = { download = %q }
}

output "jobs" {
  value = opsmanager_restore_job.download.jobs
}`, providertest.Payments, providertest.Ledger, heldSnapshot, trigger))
	}
	write("1")
	printed := w.MustRun("apply", "-auto-approve")
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

// With create_before_destroy, Terraform shows the previous object to the apply only after the creation.
func TestTerraformRepeatsNoTaintedRestoreWhoseTargetIsKnownLate(t *testing.T) {
	t.Parallel()
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	configure := func(version, more string) {
		w.Configure(fmt.Sprintf("resource \"terraform_data\" \"target\" {\n  input            = %q\n  triggers_replace = %q\n}\n", providertest.Cards, version) +
			strings.Replace(intoCardsBlock("drill", heldSnapshot, "1", more), fmt.Sprintf("= %q", providertest.Cards), "= terraform_data.target.output", 1))
	}
	configure("1", "")
	w.MustRun("apply", "-auto-approve")
	w.MustRun("taint", drill)
	for _, more := range []string{"", "lifecycle {\n create_before_destroy = true\n}"} {
		configure("2", more)
		wantFailure(w, isRepeated, "apply", "-auto-approve")
		wantFailure(w, isRepeated, "apply", "-auto-approve", "-refresh=false")
	}
	w.MustRun("untaint", drill)
	w.MustRun("apply", "-auto-approve")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, w.Service, 1)
}
