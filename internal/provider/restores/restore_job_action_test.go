package restores_test

import (
	"fmt"
	"testing"

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
		providertest.WantEqual(t, requested(s), []string{restoreIntoCardsBody})
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

// A value that is unknown in the plan may turn out to be null or another one.
func TestActionIsCheckedAgainRightBeforeTheRequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t)
		for name, test := range map[string]struct {
			change values
			says   []string
		}{
			"another name": {values{"target_cluster_name": "ledger"}, []string{"[target_cluster_name]", `is called "cards"`}},
			"no source":    {values{"snapshot_id": nil}, []string{"[snapshot_id]", "Restore Without a Source"}},
			"two sources":  {values{"point_in_time": "2025-08-31T02:30:05Z"}, []string{"Several Sources"}},
			"two other sources": {
				values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z", "oplog_ts": 1, "oplog_inc": 1}, []string{"Several Sources"},
			},
			"half of an oplog entry": {values{"snapshot_id": nil, "oplog_ts": 1756607405}, []string{"[oplog_ts]", "oplog_inc"}},
			"no time":                {values{"snapshot_id": nil, "point_in_time": "yesterday"}, []string{"[point_in_time]", "yesterday"}},
		} {
			_, diags := r.InvokeAction(providertest.RestoreJobType, ordered(test.change))
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
		timeout string
		fault   emulator.Fault
		says    []string
	}
	providertest.EachInBubble(t, map[string]row{
		"broken": {
			emulator.Options{RestoreOutcome: "BROKEN"}, "6h", emulator.Fault{},
			[]string{"Restore of Cluster ledger (" + ledger + ") Is BROKEN", "The target may contain a part"},
		},
		"timeout": {
			emulator.Options{RestoreReads: 1000}, "50ms", emulator.Fault{},
			[]string{"Has Not Ended", "was IN_PROGRESS after 0s", "set a longer timeout in timeouts", "Ops Manager continues"},
		},
		"unreadable": {
			emulator.Options{RestoreReads: 1000}, "2s", emulator.Fault{Method: "GET", Path: "/restoreJobs/", Times: -1, Status: 403},
			[]string{"Has Not Ended", "could not be read", "403"},
		},
		"lost": {
			emulator.Options{}, "6h", emulator.Fault{Method: "POST", DropBefore: true},
			[]string{
				"Restore of Cluster ledger (" + ledger + ") May Have Been Started", "It is not known whether",
				"lists no restore of the cluster yet",
			},
		},
	}, func(t *testing.T, test row) {
		s, r := begin(t, test.options)
		config := ordered(values{"timeouts": values{"invoke": test.timeout}})
		r.PlanAction(providertest.RestoreJobType, config).WantNoErrors(t)
		if test.fault.Method != "" {
			s.Inject(test.fault)
		}
		_, diags := r.InvokeAction(providertest.RestoreJobType, config)
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
		"the cluster, without a name": {
			values{"target_cluster_id": providertest.Unknown, "target_cluster_name": nil}, nil,
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
