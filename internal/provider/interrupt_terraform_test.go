package provider_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// Terraform is interrupted when one schedule is stored, the change of a second one is in progress,
// and that of a third has not begun.
func TestInterruptedApplyOfTerraformStopsAndKeepsItsResults(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	d := providertest.StartFaultProxy(t)
	w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{"TF_CLI_ARGS=-no-color"}}}
	w.Write("main.tf", providertest.RequiredProvider+
		d.Config(fmt.Sprintf(`
resource "opsmanager_snapshot_schedule" "first" {
  project_id                      = %[1]q
  cluster_id                      = %[2]q
  weekly_snapshot_retention_weeks = 9
}

resource "opsmanager_snapshot_schedule" "second" {
  project_id                      = opsmanager_snapshot_schedule.first.project_id
  cluster_id                      = %[3]q
  weekly_snapshot_retention_weeks = 9
}

resource "opsmanager_snapshot_schedule" "third" {
  project_id                      = opsmanager_snapshot_schedule.second.project_id
  cluster_id                      = %[4]q
  weekly_snapshot_retention_weeks = 9
}
`, payments, ledger, cards, orders)))
	w.Init()

	underWay, left := make(chan struct{}), make(chan struct{})
	d.OnFault = func() {
		if d.Hits() == 2 {
			close(underWay)
		}
	}
	d.Inject(providertest.Fault{Handler: func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if strings.Contains(r.URL.Path, ledger) {
			service.ServeHTTP(w, r)
			return
		}
		defer close(left)
		providertest.Hang(w, r, service)
	}}, "PATCH", 0, true)

	var printed bytes.Buffer
	command := exec.CommandContext(t.Context(), cli.Path, "apply", "-auto-approve", "-no-color")
	command.Dir, command.Stdout, command.Stderr = w.Dir, &printed, &printed
	command.Env = append(os.Environ(), "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-underWay:
	case <-time.After(time.Minute):
		t.Fatal("the second change was never sent")
	}
	interrupted := time.Now()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-left
	if passed := time.Since(interrupted); passed > time.Second {
		t.Errorf("the request went on for %s", passed)
	}
	if err := command.Wait(); err == nil {
		t.Error("the interrupted apply exited with 0")
	}
	if passed := time.Since(interrupted); passed > 5*time.Second {
		t.Errorf("Terraform ended %s after the interrupt", passed)
	}
	providertest.WantContains(
		t, printed.String(), "Unable to Adopt Snapshot Schedule",
		"The run was interrupted. The state contains everything that was applied", "opsmanager_snapshot_schedule.second",
	)

	seen := d.Clear(t)
	if got := strings.Count(strings.Join(seen, " "), "PATCH"); got != 2 {
		t.Errorf("%d changes were sent: %q", got, seen)
	}
	providertest.WantEqual(t, d.Schedule(payments, orders)["weeklySnapshotRetentionWeeks"], 4.0)
	w.Out = &printed
	printed.Reset()
	if _, err := w.Run(t.Context(), "state", "list"); err != nil || strings.TrimSpace(printed.String()) != "opsmanager_snapshot_schedule.first" {
		t.Errorf("the state holds %q, %v", printed.String(), err)
	}
	w.MustRun("apply", "-auto-approve")
	w.MustRun("plan", "-detailed-exitcode")
	for _, cluster := range []string{ledger, cards, orders} {
		if got := d.Schedule(payments, cluster)["weeklySnapshotRetentionWeeks"]; got != 9.0 {
			t.Errorf("%s keeps %v weeks", cluster, got)
		}
	}
}
