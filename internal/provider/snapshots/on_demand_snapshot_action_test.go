package snapshots_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestActionTakesASnapshotAndShowsItsProgress(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t, emulator.Options{TransitionReads: 20})
		r.PlanAction(providertest.OnDemandSnapshotType, onDemand()).WantNone(t)
		wantTaken(t, s, 0, 0)
		progress, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand())
		diags.WantNone(t)
		wantTaken(t, s, 1, 1)
		snapshot := taken(s)[0]
		if snapshot["complete"] != true {
			t.Errorf("the action did not wait: %v", snapshot)
		}
		providertest.WantContains(
			t, strings.Join(progress, "\n"),
			fmt.Sprintf("Cluster orders (%s): the requested snapshot is %s", orders, snapshot["id"]),
			fmt.Sprintf("waiting for snapshot %s to be complete", snapshot["id"]),
		)
	})
}

func TestPlanOfASnapshotWarnsIfTheBackupIsNotStarted(t *testing.T) {
	t.Parallel()
	const reports = "650a2177e1f3a5b7c9d00e42"
	_, r := newSnapshot(t)
	config := onDemand(values{"cluster_id": reports})
	says := []string{
		"[cluster_id]", "Snapshot of Cluster reports (" + reports + ") May Fail",
		"schedule of cluster reports (" + reports + ") can't be read. If its backup is not started, the snapshot fails",
		"unless this run starts the backup first",
	}
	for _, diags := range []providertest.Diagnostics{r.PlanAction(providertest.OnDemandSnapshotType, config), r.Plan(config).Diagnostics} {
		if diags.WantWarning(t, says...); len(diags.Errors()) > 0 {
			t.Errorf("errors %q", diags.Errors())
		}
	}
}

func TestActionWaitsUntilASnapshotCanBeTaken(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		config := onDemand(values{"cluster_id": ledger, "timeouts": values{"invoke": "100ms"}})
		progress, diags := r.InvokeAction(providertest.OnDemandSnapshotType, config)
		diags.WantError(t, "Unable to Take Snapshot", "another snapshot is still in progress", "Raise the timeout")
		providertest.WantContains(t, strings.Join(progress, "\n"), "waiting until a snapshot can be taken")
		providertest.WantWrites(t, s)
	})
}

func TestInvalidActionSendsNothing(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for attribute, value := range map[string]any{"cluster_id": "orders", "retention_days": 0, "timeouts": values{"invoke": "-1s"}} {
			s, r := newSnapshot(t)
			diags := r.PlanAction(providertest.OnDemandSnapshotType, onDemand(values{attribute: value}))
			diags.WantError(t, "["+attribute+"]")
			wantTaken(t, s, 0, 0)
		}
	})
}

func TestActionFailsIfTheSnapshotIsNotComplete(t *testing.T) {
	t.Parallel()
	const asks = "before you invoke the action again"
	type row struct {
		options emulator.Options
		do      func(s *providertest.Service)
		says    []string
		taken   int
	}
	providertest.EachInBubble(t, map[string]row{
		"timeout": {
			emulator.Options{TransitionReads: 1000}, func(*providertest.Service) {},
			[]string{"of Cluster orders (" + orders + ") Not Complete", "the timeout ended", "continues with it", asks}, 1,
		},
		"gone": {
			emulator.Options{TransitionReads: 1000},
			func(s *providertest.Service) {
				time.AfterFunc(time.Second, func() { s.RemoveSnapshot(payments, orders, fmt.Sprint(taken(s)[0]["id"])) })
			},
			[]string{"Is Gone", "may have failed"}, 0,
		},
		"lost": {
			emulator.Options{}, func(s *providertest.Service) { s.Inject(losses["500"]) },
			[]string{
				"Requested Snapshot of Cluster orders (" + orders + ") Not Known", "the outcome of the request is unknown",
				"UNEXPECTED_ERROR", asks,
			}, 0,
		},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t, test.options)
		test.do(s)
		_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand(values{"timeouts": values{"invoke": "2s"}}))
		diags.WantError(t, test.says...)
		diags.WantNoWarnings(t)
		wantTaken(t, s, 1, test.taken)
	})
}

func TestSnapshotIsRequestedOnceHoweverTheResponseIsLost(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, way := range providertest.LostResponses(isHTTP2) {
			t.Run(fmt.Sprintf("HTTP/2 %t, %s", isHTTP2, way), func(t *testing.T) {
				t.Parallel()
				s := providertest.StartLosingService(t, emulator.Options{}, isHTTP2)
				w := providertest.NewWorkspace(t, s.Service, providertest.LostResponseSettings(way))
				r := w.NewResource(providertest.OnDemandSnapshotType)
				s.Lose(way, "/onDemandSnapshot")
				diags := create(r, onDemand())
				providertest.WantNoState(t, r)
				diags.WantError(t, "Not Known", "the outcome of the request is unknown", fmt.Sprint(taken(s.Service)[0]["id"]))
				wantTaken(t, s.Service, 1, 1)
			})
		}
	}
}

func TestActionAndResourceTakeTheirOwnSnapshots(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 2}})
		p := r.Plan(onDemand())
		done := make(chan providertest.Diagnostics)
		onceRequested(t.Context(), s, func() { // in the same process, which the apply starts
			_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand())
			done <- diags
		})
		append(r.Apply(p), <-done...).WantNone(t)
		wantTaken(t, s, 2, 2)
	})
}
