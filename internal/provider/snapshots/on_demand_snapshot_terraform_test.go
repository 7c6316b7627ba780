package snapshots_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	shardOfOrders = "650a2036b7d9f1e3a5c70925"

	latest = "opsmanager_on_demand_snapshot.latest"
)

// rotation is a working directory with a snapshot that on_destroy deletes.
type rotation struct{ providertest.Run }

func startRotation(t *testing.T, transitionReads int) rotation {
	t.Helper()
	r := rotation{providertest.StartRun(t, emulator.Options{TransitionReads: transitionReads})}
	r.configure("1", "delete", "create_before_destroy = true")
	r.MustRun("apply", "-auto-approve")
	return r
}

// configure writes the configuration with a trigger, a value of on_destroy, and a lifecycle.
func (r rotation) configure(week, onDestroy, lifecycle string) {
	r.T.Helper()
	r.Configure(fmt.Sprintf(`
resource "terraform_data" "week" {
  triggers_replace = %[3]q
}

resource "opsmanager_on_demand_snapshot" "latest" {
  project_id     = %[1]q
  cluster_id     = %[2]q
  retention_days = 7
  on_destroy     = %[4]q
  triggers       = { week = %[3]q }

  timeouts = {
    create = "20s"
  }

  lifecycle {
    %[5]s
  }
}`, payments, orders, week, onDestroy, lifecycle))
}

// rewrite replaces a text of the configuration.
func (r rotation) rewrite(from, to string) {
	r.T.Helper()
	path := filepath.Join(r.Dir, "main.tf")
	text, err := os.ReadFile(path)
	if err != nil {
		r.T.Fatal(err)
	}
	r.Write("main.tf", strings.Replace(string(text), from, to, 1))
}

// fails runs a command that must fail with a message.
func (r rotation) fails(want string, args ...string) {
	r.T.Helper()
	if printed := r.Fails(args...); !strings.Contains(printed, want) {
		r.T.Errorf("%q: want %q:\n%s", args, want, printed)
	}
}

// complete returns the IDs of the complete snapshots that were taken.
func (r rotation) complete() (ids []any) {
	for _, s := range taken(r.Service) {
		if s["complete"] == true {
			ids = append(ids, s["id"])
		}
	}
	return ids
}

func (r rotation) wantComplete(n int) []any {
	r.T.Helper()
	ids := r.complete()
	if len(ids) != n {
		r.T.Errorf("%d complete snapshots, want %d", len(ids), n)
	}
	return ids
}

const noLater = "has no later snapshot that is complete"

func TestTerraformDeletesThePreviousSnapshotOnlyAfterALaterOne(t *testing.T) {
	t.Parallel()
	const beforeDestroy = "create_before_destroy = true"
	t.Run("refused request", func(t *testing.T) {
		t.Parallel()
		r := startRotation(t, -1)
		r.Service.Inject(emulator.Fault{Method: "POST", Status: 409, Body: `{"error": 409, "errorCode": "BACKUP_UNAVAILABLE", "detail": "No."}`})
		r.configure("2", "delete", beforeDestroy)
		r.fails("BACKUP_UNAVAILABLE", "apply", "-auto-approve")
		first := r.wantComplete(1)
		r.MustRun("apply", "-auto-approve")
		if second := r.wantComplete(1); first[0] == second[0] {
			t.Error("the previous snapshot is left, and not the new one")
		}
		r.MustRun("plan", "-detailed-exitcode")
	})
	for name, then := range map[string]func(r rotation, second string){
		"deposed object": func(r rotation, second string) {
			r.Service.SetSnapshot(payments, orders, second, object{"complete": true})
			r.MustRun("apply", "-auto-approve")
			r.wantComplete(1)
		},
		"deposed object that is kept": func(r rotation, second string) { // as the error advises
			r.MustRun("state", "rm", latest)
			r.MustRun("import", latest, payments+"/"+orders+"/"+second)
			r.MustRun("apply", "-auto-approve")
			r.Service.SetSnapshot(payments, orders, second, object{"complete": true})
			r.wantComplete(2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRotation(t, -1)
			r.Service.Inject(emulator.Fault{Method: "DELETE", Status: 409, Body: `{"error": 409, "detail": "Busy."}`})
			r.configure("2", "delete", beforeDestroy)
			r.fails("Busy", "apply", "-auto-approve")
			second, _ := r.wantComplete(2)[1].(string)
			r.Service.SetSnapshot(payments, orders, second, object{"complete": false})
			printed := r.Fails("apply", "-auto-approve")
			providertest.WantContains(t, printed, noLater, "run 'terraform state rm ADDRESS', and import the current snapshot again")
			r.wantComplete(1)
			then(r, second)
			r.MustRun("plan", "-detailed-exitcode")
			wantTaken(t, r.Service, 2, len(r.complete()))
		})
	}
}

// A replacement deletes what its plan shows. Terraform shows no warnings with -replace. It plans a tainted resource like a new
// one, so without create_before_destroy, that deletes nothing.
func TestTerraformDeletesTheReplacedSnapshot(t *testing.T) {
	t.Parallel()
	r := startRotation(t, -1)
	first := r.wantComplete(1)[0]
	r.MustRun("apply", "-auto-approve", "-replace="+latest)
	second := r.wantComplete(1)[0]
	r.configure("1", "delete", "create_before_destroy = true\n    replace_triggered_by = [terraform_data.week]")
	r.MustRun("apply", "-auto-approve")
	r.MustRun("apply", "-auto-approve", "-replace=terraform_data.week")
	third := r.wantComplete(1)[0]
	r.MustRun("taint", latest)
	providertest.WantContains(t, r.MustRun("apply", "-auto-approve"), "Tainted Resource Would End snapshot ")
	fourth := r.wantComplete(1)[0]
	if first == second || second == third || third == fourth {
		t.Errorf("left %v, %v, %v, %v", first, second, third, fourth)
	}

	r.configure("1", "delete", "")
	r.MustRun("apply", "-auto-approve")
	r.MustRun("taint", latest)
	r.fails("Tainted Resource Not Destroyed", "apply", "-auto-approve")
	r.MustRun("untaint", latest) // as the error advises
	r.fails(noLater, "apply", "-auto-approve", "-replace="+latest)
	r.Service.SetSnapshot(payments, orders, later, object{ // could replace it
		"complete": true, "created": object{"date": time.Now().UTC().Add(time.Hour).Format(time.RFC3339), "increment": 1},
		"expires": time.Now().UTC().AddDate(0, 0, 2).Format(time.RFC3339),
	})
	r.MustRun("apply", "-auto-approve", "-replace="+latest)
	if fifth := r.wantComplete(1)[0]; fifth == fourth {
		t.Error("the replaced snapshot is left")
	}
	r.MustRun("plan", "-detailed-exitcode")
}

// A tainted resource has no plan of its destroy, which would refuse to delete a snapshot that is held.
func TestTerraformDeletesNoHeldSnapshot(t *testing.T) {
	t.Parallel()
	r := startRotation(t, -1)
	id, _ := r.wantComplete(1)[0].(string)
	r.MustRun("state", "rm", latest) // an imported one is known: for an hour, the next one could be the one that was requested
	r.MustRun("import", latest, payments+"/"+orders+"/"+id)
	r.MustRun("apply", "-auto-approve")
	r.Service.ResetRequests()
	r.Service.SetSnapshot(payments, orders, id, object{"doNotDelete": true, "expires": nil})
	r.MustRun("taint", latest)
	r.fails("or if it is held", "apply", "-auto-approve")
	r.wantComplete(1)
	r.fails("do_not_delete is true, and the plan showed false", "apply", "-auto-approve", "-refresh=false")
	r.wantComplete(2)
	r.fails("To keep that of a deposed object", "plan")
	if got := r.Service.Calls("DELETE", "PATCH"); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}

// Pipelines know from the exit code that another client deleted a snapshot, until an apply has recorded that.
func TestTerraformShowsThatASnapshotWasDeletedBeforeItExpired(t *testing.T) {
	t.Parallel()
	r := startRotation(t, -1)
	r.rewrite("retention_days = 7", "retention_days = 7\n  do_not_delete = true")
	r.MustRun("apply", "-auto-approve")
	r.MustRun("plan", "-detailed-exitcode")
	r.Service.RemoveSnapshot(payments, orders, r.wantComplete(1)[0].(string))
	changes := func(args ...string) string {
		r.T.Helper()
		var printed strings.Builder
		r.Out = &printed
		exitCode, err := r.Folder.Run(t.Context(), append([]string{"plan", "-detailed-exitcode"}, args...)...)
		if err != nil || exitCode != 2 {
			t.Fatalf("plan %q: exit code %d, %v\n%s", args, exitCode, err, &printed)
		}
		return printed.String()
	}
	r.Service.ResetRequests()
	for range 2 {
		providertest.WantContains(
			t, changes(), "will be updated in-place", "gone", "false -> true", "Is Gone", "0 to add, 1 to change, 0 to destroy",
		)
	}
	providertest.WantContains(t, changes("-destroy"), "Is Gone", "0 to add, 0 to change, ")
	changes("-replace=" + latest)
	r.MustRun("plan", "-out=saved")
	r.MustRun("apply", "saved")
	r.MustRun("plan", "-detailed-exitcode")
	r.MustRun("apply", "-auto-approve", "-refresh-only")
	r.MustRun("plan", "-detailed-exitcode", "-refresh=false")
	r.MustRun("destroy", "-auto-approve")
	providertest.WantWrites(t, r.Service)
}
