package restores_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const drill = "opsmanager_restore_job.drill"

const hasToFinish = `
  lifecycle {
    postcondition {
      condition     = self.status_name == "FINISHED"
      error_message = "The restore is ${self.status_name}."
    }
  }`

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
`, name, payments, ledger, snapshot, cards, drill, more)
}

const isRepeated = "Would Be Repeated"

func TestTerraformStartsNoSecondRestoreAfterALostResponse(t *testing.T) {
	t.Parallel()
	const isUndecided = "May Have Been Started"
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	w.Env = append(w.Env, "TF_CLI_ARGS_apply=-auto-approve")
	w.Configure(intoCardsBlock("drill", heldSnapshot, "1", hasToFinish))
	w.Service.Inject(emulator.Fault{Method: "POST", Path: "/restoreJobs", DropBefore: true})
	wantFailure(w, isUndecided, "apply")
	for _, taint := range []string{"untaint", "taint"} {
		w.Configure(intoCardsBlock("drill", heldSnapshot, "1", "lifecycle {\n create_before_destroy = true\n}"))
		for _, how := range []string{"-refresh=true", "-refresh=false", "-replace=" + drill, "-target=" + drill} {
			wantFailure(w, isUndecided, "plan", how)
		}
		wantFailure(w, isUndecided, "destroy", "-auto-approve")
		w.Configure(intoCardsBlock("renamed", expiredSnapshot, "1", ""))
		wantFailure(w, isUndecided, "apply")
		w.MustRun(taint, drill)
	}
	w.Configure(intoCardsBlock("drill", heldSnapshot, "2", hasToFinish))
	wantFailure(w, isUndecided, "apply")
	wantRequests(t, w.Service, 1)
	w.MustRun("state", "rm", drill)
	w.MustRun("apply")
	w.MustRun("plan", "-detailed-exitcode")
	wantRequests(t, w.Service, 2)
}

// Whatever makes Terraform plan a restore of the state again is an error, also if its source has
// moved on, and if Terraform doesn't refresh it.
func TestTerraformRecognizesARestoreThatItWouldRepeat(t *testing.T) {
	t.Parallel()
	w := providertest.StartRun(t, emulator.Options{RestoreReads: -1})
	w.Service.SetSnapshot(payments, ledger, incompleteSnapshot, object{"complete": true, "doNotDelete": true})
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
}`, payments, ledger, heldSnapshot, trigger))
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
