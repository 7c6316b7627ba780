package snapshots_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
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
		resource.TestStep{Config: config, ExpectError: regexp.MustCompile("(?s)Not Found.*UNEXPECTED_ERROR")},
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
    create = "10s"
    delete = "10s"
  }

  lifecycle {
    %[5]s
  }
}`, providertest.Payments, providertest.Orders, week, onDestroy, lifecycle))
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
		r.Service.Inject(emulator.Fault{Method: "POST", Status: 200, Body: `{"clusterName": "orders", "description": "Done."}`}) // and nothing appears
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
		second := r.interruptOnceRunning()
		r.Service.SetSnapshot(providertest.Payments, providertest.Orders, second, map[string]any{"complete": false}) // and stays so
		r.fails(noLater, "apply", "-auto-approve")
		r.wantComplete(1)
		r.Service.SetSnapshot(providertest.Payments, providertest.Orders, second, map[string]any{"complete": true})
		r.MustRun("apply", "-auto-approve")
		if left := r.wantComplete(1); left[0] != second {
			t.Errorf("left %v, want %v", left, second)
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

// Terraform shows neither the warnings of a plan with -replace, nor the previous snapshot to a plan
// of a tainted resource.
func TestTerraformDeletesNoSnapshotWithoutAWarning(t *testing.T) {
	t.Parallel()
	const refusal = "that deletes the previous snapshot"
	r := startRotation(t, -1)
	r.Service.SetSnapshot(providertest.Payments, providertest.Orders, "66d544b0c4d6e8f0a2b4c6f1", map[string]any{ // could replace it
		"complete": true, "created": map[string]any{"date": time.Now().UTC().Add(time.Hour).Format(time.RFC3339), "increment": 1},
	})
	r.fails(refusal, "plan", "-replace="+latest)
	r.configure("1", "delete", "replace_triggered_by = [terraform_data.week]")
	r.MustRun("apply", "-auto-approve")
	r.fails(refusal, "apply", "-auto-approve", "-replace=terraform_data.week")
	r.wantComplete(2)

	// Without create_before_destroy, the deletion lacks the private state of a tainted resource.
	for _, test := range []struct{ lifecycle, says string }{{"", "Removed Only From the State"}, {"create_before_destroy = true", "Destroy Deletes the Snapshot"}} {
		r.configure("1", "delete", test.lifecycle)
		r.MustRun("apply", "-auto-approve")
		r.MustRun("taint", latest)
		providertest.WantContains(t, r.MustRun("apply", "-auto-approve"), test.says)
		r.wantComplete(3)
	}
	r.configure("1", "keep", "")
	r.MustRun("apply", "-auto-approve")
	r.MustRun("apply", "-auto-approve", "-replace="+latest)
	r.wantComplete(4)
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
