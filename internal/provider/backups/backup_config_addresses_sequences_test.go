package backups_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// addressed is the configuration of one address in one run.
type addressed struct {
	*providertest.Resource
	config  values // nil removes the resource
	late    values // what is unknown in the plan
	cluster string // of the configuration, or empty
	was     string // the cluster in the state, or empty
	ends    bool   // a destroy ends the backup
	plan    *providertest.Plan
}

// drawAddressed draws the configuration of an address.
func drawAddressed(t *rapid.T, r *providertest.Resource) addressed {
	a := addressed{Resource: r, late: values{}}
	if before := r.Attributes(); before != nil {
		a.was = fmt.Sprint(before["cluster_id"])
		a.ends = before["on_destroy"] == "stop" || before["on_destroy"] == "terminate"
	}
	r.CreateBeforeDestroy = rapid.IntRange(0, 3).Draw(t, "creates before it destroys") == 0
	r.Tainted = a.was != "" && rapid.IntRange(0, 4).Draw(t, "is tainted") == 0
	a.cluster = rapid.SampledFrom([]string{"", "", cards, cards, fraud}).Draw(t, "cluster")
	if a.cluster == "" {
		return a
	}
	a.ends = a.ends && !r.Tainted // which no plan shows
	a.config = backupConfig(a.cluster, values{"timeouts": values{"create": "30s", "update": "30s", "delete": "30s"}})
	if onDestroy := rapid.SampledFrom([]string{"", "keep", "stop", "terminate", "terminate"}).Draw(t, "on_destroy"); onDestroy != "" {
		a.config["on_destroy"] = onDestroy
	}
	if rapid.Bool().Draw(t, "is started") {
		a.config["status_name"] = "STARTED"
	}
	for _, id := range []string{"project_id", "cluster_id"} {
		if rapid.IntRange(0, 3).Draw(t, id+" is unknown") == 0 {
			a.late[id], a.config[id] = a.config[id], unknown
		}
	}
	return a
}

// planAll plans all addresses in one process, and reports whether the plan has no error.
func planAll(t *rapid.T, w *providertest.Workspace, all []addressed) bool {
	w.Configure()
	refreshes := rapid.IntRange(0, 3).Draw(t, "refreshes") > 0
	succeeds := true
	for _, i := range rapid.Permutation(indexes(all)).Draw(t, "order of the plan") {
		a := &all[i]
		if refreshes && len(a.Refresh().Errors()) > 0 {
			succeeds = false
			continue
		}
		if a.config == nil && a.State.IsNull() {
			continue
		}
		a.plan = a.Plan(a.config)
		succeeds = succeeds && len(a.plan.Errors()) == 0
	}
	return succeeds
}

// isRefusal reports whether an apply refused to end a backup, to change what the plan did not see, or to
// adopt a backup twice.
func isRefusal(text string) bool {
	return strings.Contains(text, "Replacement Would End the Backup") || strings.Contains(text, "in Two Resources") ||
		strings.Contains(text, "Ended and Managed") || strings.Contains(text, "Tainted Resource Not Destroyed") ||
		providertest.IsChangedSincePlan([]string{text})
}

func indexes(all []addressed) (found []int) {
	for i := range all {
		found = append(found, i)
	}
	return found
}

func TestNoSequenceOfRunsEndsABackupThatIsStillConfigured(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		e := emulator.New(emulator.Options{TransitionReads: -1})
		s := providertest.ServiceBehind(e, e)
		w := providertest.NewWorkspaceOn(t, s.NewServer(80*time.Millisecond), s)
		var resources []*providertest.Resource
		for range 3 {
			resources = append(resources, w.NewResource(providertest.BackupConfigType))
		}
		for range rapid.IntRange(2, 6).Draw(t, "runs") {
			var all []addressed
			for _, r := range resources {
				all = append(all, drawAddressed(t, r))
			}
			if !planAll(t, w, all) {
				continue
			}
			s.ResetRequests()
			w.Configure()
			for _, i := range rapid.Permutation(indexes(all)).Draw(t, "order of the apply") {
				a := all[i]
				if a.plan == nil || a.plan.IsEmpty() {
					continue
				}
				if errors := a.Apply(a.plan, a.late).Errors(); len(errors) > 0 && !isRefusal(errors[0]) {
					t.Fatalf("apply: %q", errors)
				}
			}
			for _, cluster := range []string{cards, fraud} {
				requests := strings.Join(sent(s, cluster), "\n")
				ended := strings.Contains(requests, "STOPPED") || strings.Contains(requests, "TERMINATING")
				isConfigured := slices.ContainsFunc(all, func(a addressed) bool { return a.cluster == cluster })
				mayEnd := slices.ContainsFunc(all, func(a addressed) bool { return a.was == cluster && a.cluster != cluster && a.ends })
				if ended && (isConfigured || !mayEnd) {
					t.Fatalf("the backup of %s was ended by %s; configured %v", cluster, requests, isConfigured)
				}
			}
		}
	})
}
