package schedules_test

import (
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestScheduleOfATerminatedBackupIsGone(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := scheduleOn(t, s)
	config := providertest.Schedule(cards, values{"daily_snapshot_retention_days": 30})
	r.Create(config)
	s.SetBackupConfig(payments, cards, object{"statusName": "INACTIVE"})
	r.Refresh().WantNone(t)
	providertest.WantNoState(t, r)
	p := r.Plan(config)
	p.WantWarning(t, cards, "Compared Only During the Apply")
}

func TestScheduleOfABackupWhoseStartWasNotAnsweredHasNothingToLose(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{TransitionReads: 1})
	w := providertest.NewWorkspaceOn(t, s.NewServer(50*time.Millisecond), s)
	backup, schedule := w.NewResource(providertest.BackupConfigType), w.NewResource(providertest.ScheduleType)
	start := backup.Plan(values{"project_id": payments, "cluster_id": reports, "status_name": "STARTED"})
	adoption := schedule.Plan(providertest.Schedule(reports, values{"weekly_snapshot_retention_weeks": 1, "retention_protection": true})) // 2 by default
	s.Inject(emulator.Fault{Method: "PATCH", DropAfter: true, Times: 1})
	backup.Apply(start).WantNone(t)
	if diags := schedule.Apply(adoption); len(diags) > 0 {
		t.Errorf("the schedule of the new backup: %q %q", diags.Errors(), diags.Warnings())
	}
}

func TestScheduleOfABackupThatStillAwaitsItsFirstSnapshotHasNothingToLose(t *testing.T) {
	t.Parallel()
	for _, hasSnapshots := range []bool{false, true} {
		s := providertest.StartService(t, emulator.Options{AwaitApproval: true})
		w := providertest.NewWorkspaceOn(t, s.NewServer(50*time.Millisecond), s)
		backup, schedule := w.NewResource(providertest.BackupConfigType), w.NewResource(providertest.ScheduleType)
		cluster := reports
		if hasSnapshots {
			cluster = ledger
		}
		config := values{"project_id": payments, "cluster_id": cluster, "status_name": "STARTED"}
		guarded := providertest.Schedule(cluster, values{"weekly_snapshot_retention_weeks": 1, "retention_protection": true})
		s.SetBackupStatus(payments, cluster, "PROVISIONING") // as after an apply that did not wait long enough
		start, adoption := backup.Plan(config), schedule.Plan(guarded)
		if hasSnapshots {
			adoption.WantError(t, "Would Be Reduced")
			continue
		}
		if diags := adoption.Diagnostics; len(diags) > 0 {
			t.Fatalf("the plan: %q %q", diags.Errors(), diags.Warnings())
		}
		w.Configure()
		go func() {
			time.Sleep(time.Second) // after the apply has seen PROVISIONING
			s.SetBackupStatus(payments, cluster, "STARTED")
		}()
		backup.Apply(start).WantNone(t)
		if diags := schedule.Apply(adoption); len(diags) > 0 {
			t.Errorf("the apply: %q %q", diags.Errors(), diags.Warnings())
		}
	}
}
