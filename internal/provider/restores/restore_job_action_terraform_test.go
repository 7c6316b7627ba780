package restores_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// actionBlock returns the block of an action that restores into cards. The source is an expression.
func actionBlock(source string) string {
	return fmt.Sprintf(`
action "opsmanager_restore_job" "cards" {
  config {
    project_id          = %[1]q
    cluster_id          = %[2]q
    target_project_id   = %[1]q
    target_cluster_id   = %[3]q
    target_cluster_name = "cards"
    %[4]s
  }
}
`, payments, ledger, cards, source)
}

const (
	cardsAction = "action.opsmanager_restore_job.cards"
	invokeCards = "-invoke=" + cardsAction
)

var heldSource = fmt.Sprintf("snapshot_id = %q", heldSnapshot)

// A restore that fails makes the run fail, however it is invoked, and nothing sends the request again.
func TestTerraformFailsUnlessTheActionRestored(t *testing.T) {
	t.Parallel()
	for _, triggered := range []bool{false, true} {
		t.Run(fmt.Sprintf("triggered %t", triggered), func(t *testing.T) {
			t.Parallel()
			r := providertest.StartRunWithActions(t, emulator.Options{RestoreOutcome: "BROKEN", RestoreReads: -1})
			args := []string{"apply", "-auto-approve"}
			if triggered {
				r.Configure(actionBlock(heldSource) + providertest.TriggerBlock(cardsAction, "1", "after_create", ""))
			} else {
				r.Configure(actionBlock(heldSource))
				args = append(args, invokeCards)
			}
			providertest.WantContains(t, r.Fails(args...), "Is BROKEN")
			r.Succeeds("apply", "-auto-approve") // the resource of the trigger exists
			wantRequests(t, r.Service, 1)
		})
	}
}

// What the pages of the action and of the resource say.
func TestTerraformInvokesTheActionAsItsPageSays(t *testing.T) {
	t.Parallel()
	failing := `provisioner "local-exec" { command = "exit 1" }`

	t.Run("before_create", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRunWithActions(t, emulator.Options{RestoreOutcome: "BROKEN", RestoreReads: -1})
		r.Configure(actionBlock(heldSource) + providertest.TriggerBlock(cardsAction, "1", "before_create", ""))
		for n := range 2 {
			providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Is BROKEN")
			wantRequests(t, r.Service, n+1)
		}
		providertest.WantEqual(t, r.Succeeds("state", "list"), "")
	})

	t.Run("after_create", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRunWithActions(t, emulator.Options{RestoreReads: -1})
		r.Configure(actionBlock(heldSource) + providertest.TriggerBlock(cardsAction, "1", "after_create", failing))
		providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "exit status 1")
		invoked := 1 // although the provisioner has failed
		if r.CLI.Version.LessThan(version.Must(version.NewVersion("1.16.0-beta1"))) {
			invoked = 0
		}
		wantRequests(t, r.Service, invoked)
	})

	t.Run("two restores into one cluster", func(t *testing.T) {
		t.Parallel()
		r := providertest.StartRunWithActions(t, emulator.Options{RestoreReads: -1})
		r.Configure(actionBlock(heldSource) + strings.Replace(actionBlock(heldSource), `" "cards"`, `" "again"`, 1) +
			strings.Replace(providertest.TriggerBlock(cardsAction, "1", "after_create", ""), ".cards]", ".cards, action.opsmanager_restore_job.again]", 1))
		providertest.WantContains(t, r.Fails("plan"), "Two Restores Into Cluster cards ("+cards+")")
		r.Configure(actionBlock(heldSource) + providertest.TriggerBlock(cardsAction, "1", "after_create", "") + intoCardsBlock("drill", heldSnapshot, "1", ""))
		providertest.WantContains(t, r.Fails("plan"), "Two Restores Into Cluster cards ("+cards+")")
		wantRequests(t, r.Service, 0)
	})
}
