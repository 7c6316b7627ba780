package snapshots_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestActionTakesASnapshotAndShowsItsProgress(t *testing.T) {
	t.Parallel()
	for name, unknown := range unknowns {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s, r := newSnapshot(t, emulator.Options{TransitionReads: 20, Unknowns: unknown})
				r.PlanAction(providertest.OnDemandSnapshotType, onDemand(nil)).WantNone(t)
				wantTaken(t, s, 0, 0)
				progress, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand(nil))
				diags.WantNone(t)
				wantTaken(t, s, 1, 1)
				snapshot := taken(s)[0]
				if snapshot["complete"] != true {
					t.Errorf("the action did not wait: %v", snapshot)
				}
				shows := []string{fmt.Sprintf("Cluster orders (%s): the requested snapshot is %s", orders, snapshot["id"])}
				if !unknown.RunningSnapshotLacksExpires {
					shows = append(shows, fmt.Sprintf("waiting for snapshot %s to be complete", snapshot["id"]))
				}
				providertest.WantContains(t, strings.Join(progress, "\n"), shows...)
			})
		})
	}
}

func TestPlanOfASnapshotWarnsIfTheBackupIsNotStarted(t *testing.T) {
	t.Parallel()
	const reports = "650a2177e1f3a5b7c9d00e42"
	_, r := newSnapshot(t)
	config := onDemand(values{"cluster_id": reports})
	says := []string{
		"[cluster_id]", "Snapshot of Cluster reports (" + reports + ") May Fail",
		"schedule of cluster reports (" + reports + ") can't be read. If its backup is not started, the snapshot fails, unless this run starts the backup first",
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
		diags.WantError(t, "Unable to Take Snapshot", "another snapshot is still in progress")
		providertest.WantContains(t, strings.Join(progress, "\n"), "waiting until a snapshot can be taken")
		providertest.WantWrites(t, s)
	})
}

// Terraform validates an action only in the plan, when values may be unknown.
func TestActionIsCheckedAgainRightBeforeTheRequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, days := range []any{0, -1, nil} {
			s, r := newSnapshot(t)
			_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand(values{"retention_days": days}))
			diags.WantError(t, "[retention_days]", "No snapshot was requested")
			wantTaken(t, s, 0, 0)
		}
	})
}

func TestInvalidActionSendsNothing(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for attribute, value := range map[string]any{
			"project_id": "payments", "cluster_id": "orders", "retention_days": 0, "timeouts": values{"invoke": "-1s"},
		} {
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
		config  values
		do      func(s *providertest.Service, r *providertest.Resource)
		says    []string
		taken   int
	}
	providertest.EachInBubble(t, map[string]row{
		"timeout": {emulator.Options{TransitionReads: 1000}, values{"timeouts": values{"invoke": "400ms"}}, nil,
			[]string{"of Cluster orders (" + orders + ") Not Complete", "the timeout ended", "continues with it", asks}, 1},
		"interrupted": {emulator.Options{TransitionReads: 1000}, nil, func(s *providertest.Service, r *providertest.Resource) {
			ctx, interrupt := context.WithCancel(r.Context)
			time.AfterFunc(time.Second, interrupt)
			r.Context = ctx
		}, []string{"Not Complete", "the run was interrupted", asks}, 1},
		"gone": {emulator.Options{TransitionReads: 1000}, nil, func(s *providertest.Service, _ *providertest.Resource) {
			time.AfterFunc(time.Second, func() {
				for _, snapshot := range taken(s) {
					s.RemoveSnapshot(payments, orders, fmt.Sprint(snapshot["id"]))
				}
			})
		}, []string{"Is Gone", "may have failed"}, 0},
		"lost": {emulator.Options{}, nil, func(s *providertest.Service, _ *providertest.Resource) { s.Inject(losses["500"]) },
			[]string{"Requested Snapshot of Cluster orders (" + orders + ") Not Known", "the outcome of the request is unknown", "UNEXPECTED_ERROR", asks}, 0},
		"lost, with another one": {emulator.Options{}, nil, func(s *providertest.Service, _ *providertest.Resource) {
			s.Inject(losses["500"])
			onceRequested(t.Context(), s, func() {
				s.SetSnapshot(payments, orders, "66d544b0c4d6e8f0a2b4c6f1", object{
					"complete": true, "doNotDelete": false, "created": object{"date": time.Now().UTC().Format(time.RFC3339), "increment": 1},
					"expires": time.Now().UTC().AddDate(0, 0, 4).Format(time.RFC3339),
				})
			})
		}, []string{"Not Known", "If you know which one", "66d544b0c4d6e8f0a2b4c6f1", asks}, 1},
		"rejected": {emulator.Options{ServiceVersion: "7.0.11"}, nil, nil, []string{"Unable to Take Snapshot", "RESOURCE_NOT_FOUND"}, 0},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t, test.options)
		if test.do != nil {
			test.do(s, r)
		}
		_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand(test.config))
		diags.WantError(t, test.says...)
		diags.WantNoWarnings(t)
		wantTaken(t, s, 1, test.taken)
	})
}

func TestSnapshotIsRequestedOnceHoweverTheResponseIsLost(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, way := range providertest.LostResponses(isHTTP2) {
			for _, isAction := range []bool{false, true} {
				t.Run(fmt.Sprintf("HTTP/2 %t, %s, action %t", isHTTP2, way, isAction), func(t *testing.T) {
					t.Parallel()
					s := providertest.StartLosingService(t, emulator.Options{}, isHTTP2)
					r := providertest.NewWorkspace(t, s.Service, providertest.LostResponseSettings(way)).NewResource(providertest.OnDemandSnapshotType)
					s.Lose(way, "/onDemandSnapshot")
					var diags providertest.Diagnostics
					if isAction {
						_, diags = r.InvokeAction(providertest.OnDemandSnapshotType, onDemand(nil))
					} else {
						diags = r.Apply(r.Plan(onDemand(nil)), nil)
						providertest.WantNoState(t, r)
					}
					diags.WantError(t, "Not Known", "the outcome of the request is unknown", fmt.Sprint(taken(s.Service)[0]["id"]))
					wantTaken(t, s.Service, 1, 1)
				})
			}
		}
	}
}

func TestActionAndResourceTakeTheirOwnSnapshots(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t, emulator.Options{Unknowns: emulator.Unknowns{SnapshotAppearsAfter: 2}})
		p := r.Plan(onDemand(nil))
		done := make(chan providertest.Diagnostics)
		onceRequested(t.Context(), s, func() { // in the same process, which the apply starts
			_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand(nil))
			done <- diags
		})
		append(r.Apply(p), <-done...).WantNone(t)
		wantTaken(t, s, 2, 2)
	})
}
