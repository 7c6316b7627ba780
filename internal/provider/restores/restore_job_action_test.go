package restores_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// ordered is the configuration of an action: intoCards without triggers.
func ordered(more ...values) values {
	config := intoCards(more...)
	delete(config, "triggers")
	return config
}

// invoke plans an action and invokes it.
func invoke(t *testing.T, w *providertest.Workspace, config values) (progress []string, diags providertest.Diagnostics) {
	t.Helper()
	w.PlanAction(providertest.RestoreJobType, config).WantNoErrors(t)
	return w.InvokeAction(providertest.RestoreJobType, config)
}

func TestActionRestoresIntoAClusterAndShowsItsProgress(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t)
		r.PlanAction(providertest.RestoreJobType, ordered()).WantWarning(
			t, "[target_cluster_id]", "Restore Will Overwrite Cluster cards",
			"snapshot "+heldSnapshot+" of cluster ledger ("+ledger+")",
		)
		wantRequests(t, s, 0)
		r.Configure() // as an apply, which reads the names again
		progress, diags := r.InvokeAction(providertest.RestoreJobType, ordered())
		diags.WantNone(t)
		want := `{"snapshotId":"` + heldSnapshot + `","delivery":{"methodName":"AUTOMATED_RESTORE","targetGroupId":"` + payments + `","targetClusterId":"` + cards + `"}}`
		if got := requested(s); len(got) != 1 || got[0] != want {
			t.Errorf("sent %q", got)
		}
		id := fmt.Sprint(s.RestoreJobs(payments, ledger)[0]["id"])
		if len(progress) < 3 {
			t.Fatalf("showed %q", progress)
		}
		providertest.WantContains(
			t, progress[0],
			"Restoring snapshot "+heldSnapshot+" of cluster ledger ("+ledger+") into cluster cards ("+cards+") of project Payments ("+payments+")",
		)
		providertest.WantContains(t, progress[1], "Restore "+id+" is IN_PROGRESS")
		providertest.WantContains(t, progress[len(progress)-1], "Restore "+id+" is FINISHED")
	})
}

func TestActionRestoresAShardedClusterAndAPointInTime(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for name, config := range map[string]values{
			"a sharded cluster": ordered(values{
				"cluster_id": orders, "snapshot_id": ordersSnapshot, "target_cluster_id": orders, "target_cluster_name": "orders",
				"overwrite_source": true,
			}),
			"a time": ordered(values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z"}),
		} {
			s, r := begin(t)
			if _, diags := invoke(t, r.Workspace, config); len(diags) > 0 {
				t.Errorf("%s: %q", name, diags.Errors())
			}
			wantRequests(t, s, 1)
		}
	})
}

func TestInvalidActionIsAnErrorOfThePlan(t *testing.T) {
	t.Parallel()
	type row struct {
		config values
		says   []string
	}
	providertest.EachInBubble(t, map[string]row{
		"no source":   {ordered(values{"snapshot_id": nil}), []string{"[snapshot_id]", "Restore Without a Source"}},
		"two sources": {ordered(values{"point_in_time": "2025-08-31T02:30:05Z"}), []string{"[snapshot_id]", "point_in_time"}},
		"two other sources": {
			ordered(values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z", "oplog_ts": 1, "oplog_inc": 1}),
			[]string{"[point_in_time]", "oplog_ts"},
		},
		"half of an oplog entry": {ordered(values{"snapshot_id": nil, "oplog_ts": 1}), []string{"[oplog_ts]", "oplog_inc"}},
		"the other half":         {ordered(values{"oplog_inc": 1}), []string{"[oplog_inc]", "oplog_ts"}},
		"no name":                {ordered(values{"target_cluster_name": ""}), []string{"[target_cluster_name]"}},
		"another name": {
			ordered(values{"target_cluster_name": "ledger"}),
			[]string{"[target_cluster_name]", "Cluster cards (" + cards + ") of project", `is called "cards"`},
		},
		"an unknown snapshot": {ordered(values{"snapshot_id": nowhere}), []string{"[snapshot_id]", "SNAPSHOT_NOT_FOUND"}},
		"no time":             {ordered(values{"timeouts": values{"invoke": "0s"}}), []string{"[timeouts]", "must be longer than 0"}},
	}, func(t *testing.T, test row) {
		s, r := begin(t)
		if errors := r.PlanAction(providertest.RestoreJobType, test.config).Errors(); !strings.Contains(strings.Join(errors, "\n"), test.says[0]) {
			t.Errorf("got %q", errors)
		} else {
			providertest.WantContains(t, strings.Join(errors, "\n"), test.says...)
		}
		wantRequests(t, s, 0)
	})
}

// A value that is unknown in the plan may turn out to be null or another one.
func TestActionIsCheckedAgainRightBeforeTheRequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t)
		_, diags := r.InvokeAction(providertest.RestoreJobType, ordered(values{"target_cluster_name": "ledger"}))
		diags.WantError(t, "[target_cluster_name]", `is called "cards"`)
		_, diags = r.InvokeAction(providertest.RestoreJobType, ordered(values{"snapshot_id": nil}))
		diags.WantError(t, "[snapshot_id]", "Restore Without a Source")
		for name, test := range map[string]struct {
			config values
			says   []string
		}{
			"two sources": {ordered(values{"point_in_time": "2025-08-31T02:30:05Z"}), []string{"Several Sources"}},
			"two other sources": {
				ordered(values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z", "oplog_ts": 1, "oplog_inc": 1}),
				[]string{"Several Sources"},
			},
			"half of an oplog entry": {ordered(values{"snapshot_id": nil, "oplog_ts": 1756607405}), []string{"[oplog_ts]", "oplog_inc"}},
			"no time":                {ordered(values{"snapshot_id": nil, "point_in_time": "yesterday"}), []string{"[point_in_time]", "yesterday"}},
		} {
			_, diags := r.InvokeAction(providertest.RestoreJobType, test.config)
			if len(diags.Errors()) != 1 {
				t.Errorf("%s: got %q", name, diags.Errors())
				continue
			}
			diags.WantError(t, test.says...)
		}
		wantRequests(t, s, 0)
	})
}

func TestActionFailsIfTheRestoreDoesNotFinish(t *testing.T) {
	t.Parallel()
	const asks = "Look at the restore in Ops Manager"
	type row struct {
		options emulator.Options
		config  values
		do      func(s *providertest.Service, r *providertest.Resource)
		says    []string
	}
	providertest.EachInBubble(t, map[string]row{
		"broken": {
			emulator.Options{RestoreOutcome: "BROKEN"}, ordered(), nil,
			[]string{"Restore of Cluster ledger (" + ledger + ") Is BROKEN", "The target may contain a part"},
		},
		"killed": {emulator.Options{RestoreOutcome: "KILLED"}, ordered(), nil, []string{"Is KILLED"}},
		"timeout": {emulator.Options{RestoreReads: 1000}, ordered(values{"timeouts": values{"invoke": "50ms"}}), nil,
			[]string{"Has Not Ended", "was IN_PROGRESS after 0s", "set a longer timeout in timeouts", "Ops Manager continues"}},
		"interrupted": {emulator.Options{RestoreReads: 1000}, ordered(), func(_ *providertest.Service, r *providertest.Resource) {
			ctx, interrupt := context.WithCancel(r.Context)
			time.AfterFunc(200*time.Millisecond, interrupt)
			r.Context = ctx
		}, []string{"Has Not Ended", "when the run was interrupted"}},
		"unreadable": {
			emulator.Options{RestoreReads: 1000}, ordered(values{"timeouts": values{"invoke": "2s"}}),
			func(s *providertest.Service, _ *providertest.Resource) {
				s.Inject(emulator.Fault{Method: "GET", Path: "/restoreJobs/", Times: -1, Status: 403})
			}, []string{"Has Not Ended", "could not be read", "403"},
		},
		"lost": {emulator.Options{}, ordered(), func(s *providertest.Service, _ *providertest.Resource) {
			s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
		}, []string{"Restore of Cluster ledger (" + ledger + ") May Have Been Started", "It is not known whether", "lists no restore of the cluster yet"}},
	}, func(t *testing.T, test row) {
		s, r := begin(t, test.options)
		r.PlanAction(providertest.RestoreJobType, test.config).WantNoErrors(t)
		if test.do != nil {
			test.do(s, r)
		}
		_, diags := r.InvokeAction(providertest.RestoreJobType, test.config)
		diags.WantError(t, append(test.says, asks)...)
		for _, job := range s.RestoreJobs(payments, ledger) {
			providertest.WantContains(t, diags.Errors()[0], fmt.Sprint(job["id"]))
		}
		wantRequests(t, s, 1)
	})
}

func TestActionRequiresTheProvidersSettings(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t)
		r.Settings["base_url"] = providertest.Unknown
		r.Configure()
		diags := r.PlanAction(providertest.RestoreJobType, ordered())
		diags.WantWarning(t, "[target_cluster_id] Restore Will Overwrite Cluster cards", "known only during the apply")
		_, diags = r.InvokeAction(providertest.RestoreJobType, ordered())
		diags.WantError(t, "Unable to Start Restore", "base_url is not known yet")
		wantRequests(t, s, 0)
	})
}

func TestTargetThatIsKnownLateIsConfirmedByItsName(t *testing.T) {
	t.Parallel()
	type row struct {
		late     values
		warnings []string
		errors   []string
	}
	providertest.EachInBubble(t, map[string]row{
		"the cluster": {
			values{"target_cluster_id": providertest.Unknown},
			[]string{"Restore Will Overwrite Cluster cards", "replaces all its data"}, nil,
		},
		"the project": {values{"target_project_id": providertest.Unknown}, []string{"Restore Will Overwrite Cluster cards"}, nil},
		"the cluster and name": {
			values{"target_cluster_id": providertest.Unknown, "target_cluster_name": providertest.Unknown}, nil,
			[]string{"[target_cluster_name] Target Not Confirmed", "Write the name itself"},
		},
	}, func(t *testing.T, test row) {
		_, r := begin(t)
		p := r.Plan(intoCards(test.late))
		if test.errors != nil {
			p.WantError(t, test.errors...)
		} else {
			p.WantWarning(t, test.warnings...)
		}
	})
}
