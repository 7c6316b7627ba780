package snapshots_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// actionBlock returns the block of an action that takes a snapshot of orders. The retention is an
// expression.
func actionBlock(retention string) string {
	return fmt.Sprintf(`
action "opsmanager_on_demand_snapshot" "orders" {
  config {
    project_id     = %q
    cluster_id     = %q
    retention_days = %s
  }
}
`, payments, orders, retention)
}

const (
	ordersAction = "action.opsmanager_on_demand_snapshot.orders"
	invokeOrders = "-invoke=" + ordersAction
)

func TestTerraformInvokesASavedPlanAsOftenAsItIsApplied(t *testing.T) {
	t.Parallel()
	r := providertest.StartRunWithActions(t, emulator.Options{TransitionReads: -1})
	r.Configure(actionBlock("7") + "resource \"terraform_data\" \"any\" {}\n")
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("plan", "-out=saved", invokeOrders)
	wantTaken(t, r.Service, 0, 0)
	for n := range 2 {
		r.Succeeds("apply", "saved")
		wantTaken(t, r.Service, n+1, n+1)
	}
}

// Ctrl-C ends the wait of an action, and Ops Manager continues. The progress says that it was requested, because
// some versions don't print the error.
func TestInterruptedActionOfTerraformEndsAtOnce(t *testing.T) {
	t.Parallel()
	r := providertest.StartRunWithActions(t, emulator.Options{TransitionReads: 1000})
	r.Configure(actionBlock("7"))
	var printed strings.Builder
	command := exec.CommandContext(t.Context(), r.CLI.Path, "apply", "-auto-approve", "-no-color", invokeOrders)
	command.Dir, command.Stdout, command.Stderr = r.Dir, &printed, &printed
	command.Env = append(os.Environ(), "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); len(taken(r.Service)) == 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(1500 * time.Millisecond) // the provider has the response
	begin := time.Now()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // some versions exit with 0
	if passed := time.Since(begin); passed > 10*time.Second {
		t.Errorf("the action went on for %s", passed)
	}
	wantTaken(t, r.Service, 1, 1)
	providertest.WantContains(t, printed.String(), "Cluster orders ("+orders+"): a snapshot was requested (0s)")
}
