package snapshots_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// A request whose snapshot is not found fails. Terraform stores nothing, and the next plan takes a
// snapshot.
func TestTerraformStoresNothingIfTheRequestedSnapshotIsNotFound(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	s.Inject(losses["500"])
	config := s.Config(fmt.Sprintf(`
resource "opsmanager_on_demand_snapshot" "test" {
  project_id     = %q
  cluster_id     = %q
  retention_days = 7
}`, providertest.Payments, providertest.Orders))
	providertest.Terraform(t,
		resource.TestStep{Config: config, ExpectError: regexp.MustCompile("(?s)Not Known.*UNEXPECTED_ERROR")},
		resource.TestStep{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("opsmanager_on_demand_snapshot.test", plancheck.ResourceActionCreate),
			}},
		},
	)
	wantTaken(t, s, 2, 1)
}

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
}`, providertest.Payments, providertest.Orders, week, onDestroy, lifecycle))
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

// interruptOnceRunning applies, and interrupts Terraform while the new snapshot is being taken. It
// returns the ID of the snapshot.
func (r rotation) interruptOnceRunning() (id string) {
	r.T.Helper()
	command := exec.CommandContext(r.T.Context(), r.CLI.Path, "apply", "-auto-approve", "-no-color")
	command.Dir, command.Env = r.Dir, append(os.Environ(), "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
	if err := command.Start(); err != nil {
		r.T.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); id == ""; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.T.Fatal("no snapshot is being taken")
		}
		for _, s := range taken(r.Service) {
			if s["complete"] != true {
				id, _ = s["id"].(string)
			}
		}
	}
	time.Sleep(300 * time.Millisecond) // until the provider has seen it
	if err := command.Process.Signal(os.Interrupt); err != nil {
		r.T.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		r.T.Error("the interrupted apply exited with 0")
	}
	return id
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

	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		r := startRotation(t, -1)
		r.Service.Inject(accepted()) // and nothing appears
		r.configure("2", "delete", beforeDestroy)
		r.fails("may still appear", "apply", "-auto-approve")
		r.wantComplete(1)
		r.MustRun("apply", "-auto-approve")
		r.wantComplete(1)
	})

	t.Run("deposed object", func(t *testing.T) {
		t.Parallel()
		r := startRotation(t, -1)
		r.Service.Inject(emulator.Fault{Method: "DELETE", Status: 409, Body: `{"error": 409, "detail": "Busy."}`})
		r.configure("2", "delete", beforeDestroy)
		r.fails("Busy", "apply", "-auto-approve")
		ids := r.wantComplete(2)
		second, _ := ids[1].(string)
		r.Service.SetSnapshot(providertest.Payments, providertest.Orders, second, map[string]any{"complete": false})
		r.fails(noLater, "apply", "-auto-approve") // the deposed object stays
		r.wantComplete(1)
		r.Service.SetSnapshot(providertest.Payments, providertest.Orders, second, map[string]any{"complete": true})
		r.MustRun("apply", "-auto-approve")
		r.wantComplete(1)
		r.MustRun("plan", "-detailed-exitcode")
	})

	t.Run("deposed object without a later one", func(t *testing.T) {
		t.Parallel()
		r := startRotation(t, -1)
		r.Service.Inject(emulator.Fault{Method: "DELETE", Status: 409, Body: `{"error": 409, "detail": "Busy."}`})
		r.configure("2", "delete", beforeDestroy)
		r.fails("Busy", "apply", "-auto-approve")
		ids := r.wantComplete(2)
		second, _ := ids[1].(string)
		r.Service.SetSnapshot(providertest.Payments, providertest.Orders, second, map[string]any{"complete": false})
		r.fails("To keep that of a deposed object, run 'terraform state rm ADDRESS', and import the current snapshot again", "apply", "-auto-approve")
		r.MustRun("state", "rm", latest)
		r.MustRun("import", latest, providertest.Payments+"/"+providertest.Orders+"/"+second)
		r.MustRun("apply", "-auto-approve")
		r.MustRun("plan", "-detailed-exitcode")
		r.Service.SetSnapshot(providertest.Payments, providertest.Orders, second, map[string]any{"complete": true})
		r.wantComplete(2)
		wantTaken(t, r.Service, 2, 2)
	})

	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		r := startRotation(t, 3)
		r.configure("2", "delete", beforeDestroy)
		r.rewrite("retention_days = 7", "retention_days = 8") // otherwise, the first one may be the one that was requested now
		second := r.interruptOnceRunning()
		r.wantComplete(1)
		r.Service.SetSnapshot(providertest.Payments, providertest.Orders, second, map[string]any{"complete": true})
		r.MustRun("apply", "-auto-approve") // takes another one, as its plan shows
		if left := r.wantComplete(2); left[0] != second {
			t.Errorf("left %v, want also %v", left, second)
		}
		r.MustRun("plan", "-detailed-exitcode")
	})

	t.Run("destroy first", func(t *testing.T) {
		t.Parallel()
		r := startRotation(t, -1)
		r.configure("1", "delete", "")
		r.MustRun("apply", "-auto-approve")
		r.configure("2", "delete", "")
		r.fails(noLater, "apply", "-auto-approve")
		r.wantComplete(1)
		r.fails(noLater, "destroy", "-auto-approve")
		r.wantComplete(1)
		r.configure("1", "keep", "")
		r.MustRun("apply", "-auto-approve")
		r.MustRun("destroy", "-auto-approve")
		r.wantComplete(1)
	})
}

// A replacement deletes what its plan shows. Terraform shows no warnings with -replace, and destroys a tainted
// resource without its private state.
func TestTerraformDeletesTheReplacedSnapshot(t *testing.T) {
	t.Parallel()
	const says = "Will Be Deleted on Destroy"
	r := startRotation(t, -1)
	first := r.wantComplete(1)[0]
	r.MustRun("apply", "-auto-approve", "-replace="+latest)
	second := r.wantComplete(1)[0]
	r.configure("1", "delete", "create_before_destroy = true\n    replace_triggered_by = [terraform_data.week]")
	r.MustRun("apply", "-auto-approve")
	r.MustRun("apply", "-auto-approve", "-replace=terraform_data.week")
	third := r.wantComplete(1)[0]
	r.MustRun("taint", latest)
	providertest.WantContains(t, r.MustRun("apply", "-auto-approve"), says)
	fourth := r.wantComplete(1)[0]
	if first == second || second == third || third == fourth {
		t.Errorf("left %v, %v, %v, %v", first, second, third, fourth)
	}

	r.configure("1", "delete", "")
	r.MustRun("apply", "-auto-approve")
	r.MustRun("taint", latest)
	r.fails(noLater, "apply", "-auto-approve")
	r.Service.SetSnapshot(providertest.Payments, providertest.Orders, later, map[string]any{ // could replace it
		"complete": true, "created": map[string]any{"date": time.Now().UTC().Add(time.Hour).Format(time.RFC3339), "increment": 1},
	})
	providertest.WantContains(t, r.MustRun("apply", "-auto-approve"), says)
	if fifth := r.wantComplete(1)[0]; fifth == fourth {
		t.Error("the tainted snapshot is left")
	}
	r.MustRun("plan", "-detailed-exitcode")
	r.configure("1", "keep", "")
	r.MustRun("apply", "-auto-approve")
	r.MustRun("apply", "-auto-approve", "-replace="+latest)
	r.wantComplete(2)
}

// A tainted resource has no plan of its destroy, which would refuse to delete a snapshot that is held.
func TestTerraformDeletesNoHeldSnapshot(t *testing.T) {
	t.Parallel()
	r := startRotation(t, -1)
	id, _ := r.wantComplete(1)[0].(string)
	r.MustRun("state", "rm", latest) // an imported one is known: for an hour, the next one could be the one that was requested
	r.MustRun("import", latest, providertest.Payments+"/"+providertest.Orders+"/"+id)
	r.MustRun("apply", "-auto-approve")
	r.Service.ResetRequests()
	r.Service.SetSnapshot(providertest.Payments, providertest.Orders, id, map[string]any{"doNotDelete": true, "expires": nil})
	r.MustRun("taint", latest)
	r.fails("Snapshot Is Held", "apply", "-auto-approve")
	r.wantComplete(2)
	r.fails("To keep that of a deposed object", "plan")
	if got := r.Service.Calls("DELETE", "PATCH"); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}

// A saved plan, and a stale state, meet what another client has changed.
func TestTerraformKeepsWhatChangedSinceThePlan(t *testing.T) {
	t.Parallel()
	hold, extend := map[string]any{"doNotDelete": true, "expires": nil}, map[string]any{"expires": "2030-01-01T00:00:00Z"}
	r := startRotation(t, -1)
	id, _ := r.wantComplete(1)[0].(string)
	addLater(r.Service)
	was, _ := taken(r.Service)[0]["expires"].(string)
	for name, theirs := range map[string]map[string]any{"hold": hold, "extend": extend} {
		for _, args := range [][]string{{"-destroy"}, {"-var=days=9"}, {"-var=days=2"}} {
			r.Write("days.tf", "variable \"days\" {\n  type    = number\n  default = 7\n}\n")
			r.rewrite("retention_days = 7", "retention_days = var.days")
			r.MustRun(append([]string{"plan", "-out=saved"}, args...)...)
			r.Service.SetSnapshot(providertest.Payments, providertest.Orders, id, theirs)
			held := fmt.Sprint(taken(r.Service))
			r.fails("changed since the plan", "apply", "saved")
			r.fails("changed since the plan", append([]string{"apply", "-auto-approve", "-refresh=false"}, args...)...)
			if got := fmt.Sprint(taken(r.Service)); got != held {
				t.Errorf("%s, %q: the service has %s, and had %s", name, args, got, held)
			}
			r.Service.SetSnapshot(providertest.Payments, providertest.Orders, id, map[string]any{"doNotDelete": false, "expires": was})
		}
	}
	r.MustRun("plan", "-detailed-exitcode")
	if got := r.Service.Calls("DELETE", "PATCH"); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}

// Whatever happens to the response, one snapshot is requested, and the provider does not know it.
func TestTerraformRequestsOneSnapshotHoweverTheResponseIsLost(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, way := range providertest.Sample(3, providertest.LostResponses(isHTTP2)...) {
			t.Run(fmt.Sprintf("HTTP/2 %t, %s", isHTTP2, way), func(t *testing.T) {
				t.Parallel()
				r := providertest.StartRun(t, emulator.Options{})
				s := providertest.StartLosingService(t, emulator.Options{}, isHTTP2)
				r.Service = s.Service
				r.Write("ca.pem", providertest.Certificates().Authority)
				r.Env = append(r.Env, "OPSMANAGER_CA_CERT_FILE="+filepath.Join(r.Dir, "ca.pem"))
				r.Configure(fmt.Sprintf(`
resource "opsmanager_on_demand_snapshot" "test" {
  project_id     = %q
  cluster_id     = %q
  retention_days = 7
}`, providertest.Payments, providertest.Orders))
				written, err := os.ReadFile(filepath.Join(r.Dir, "main.tf"))
				if err != nil {
					t.Fatal(err)
				}
				r.Write("main.tf", strings.Replace(string(written), "base_url ", fmt.Sprintf("request_timeout = %q\n  base_url ", providertest.LostResponseTimeout(way)), 1))
				s.Lose(way, "/onDemandSnapshot")
				printed := r.Fails("apply", "-auto-approve")
				providertest.WantContains(t, printed, "Not Known", "the outcome of the request is unknown", "terraform import ADDRESS")
				wantTaken(t, s.Service, 1, 1)
				if state := r.MustRun("show"); !strings.Contains(state, "No state") && strings.Contains(state, "opsmanager") {
					t.Errorf("the state has %s", state)
				}
			})
		}
	}
}

func TestTerraformFailsInThePlanIfASnapshotIsCertainToFail(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	config := func(cluster string) string {
		return s.Config(fmt.Sprintf(`
resource "opsmanager_on_demand_snapshot" "test" {
  project_id     = %q
  cluster_id     = %q
  retention_days = 7
}`, providertest.Payments, cluster))
	}
	providertest.Terraform(t,
		resource.TestStep{Config: config("0123456789abcdef01234567"), PlanOnly: true, ExpectError: regexp.MustCompile("CLUSTER_NOT_FOUND")},
		resource.TestStep{Config: config(shardOfOrders), PlanOnly: true, ExpectError: regexp.MustCompile(`part of a\s+sharded\s+cluster`)},
		resource.TestStep{Config: strings.Replace(config(providertest.Orders), emulator.DefaultPrivateKey, "wrong", 1), PlanOnly: true, ExpectError: regexp.MustCompile("401")},
	)
	if got := s.Writes(); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}

// Pipelines know from the exit code that another client deleted a snapshot, until an apply has recorded that.
func TestTerraformShowsThatASnapshotWasDeletedBeforeItExpired(t *testing.T) {
	t.Parallel()
	for name, kept := range map[string]string{"held": "do_not_delete = true", "kept": `expires = "2033-03-03"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startRotation(t, -1)
			r.rewrite("retention_days = 7", "retention_days = 7\n  "+kept)
			r.MustRun("apply", "-auto-approve")
			r.MustRun("plan", "-detailed-exitcode")
			r.Service.RemoveSnapshot(providertest.Payments, providertest.Orders, r.wantComplete(1)[0].(string))
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
				providertest.WantContains(t, changes(), "will be updated in-place", "gone", "false -> true", "Is Gone", "0 to add, 1 to change, 0 to destroy")
			}
			providertest.WantContains(t, changes("-destroy"), "Is Gone", "0 to add, 0 to change, ")
			changes("-replace=" + latest)
			r.MustRun("plan", "-out=saved")
			r.MustRun("apply", "saved")
			r.MustRun("plan", "-detailed-exitcode")
			r.MustRun("apply", "-auto-approve", "-refresh-only")
			r.MustRun("plan", "-detailed-exitcode", "-refresh=false")
			r.MustRun("destroy", "-auto-approve")
			if got := r.Service.Writes(); len(got) > 0 {
				t.Errorf("sent %q", got)
			}
		})
	}
}
