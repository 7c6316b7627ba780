package schedules_test

import (
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestScheduleOfATerminatedBackupIsGone(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	config := scheduleOf(cards, values{"daily_snapshot_retention_days": 30})
	r.Create(config)
	s.SetBackupConfig(payments, cards, object{"statusName": "INACTIVE"})
	r.Refresh().WantNone(t)
	providertest.WantNoState(t, r)
	p := r.Plan(config)
	p.WantWarning(t, cards, "Compared Only During the Apply")
}

// withBackup returns a configuration of a backup and a schedule of one run, and the plan that starts the backup.
func withBackup(t *testing.T, s *providertest.Service, cluster string) (backup, schedule *providertest.Resource, start *providertest.Plan) {
	w := providertest.NewWorkspaceOn(t, s.NewServer(50*time.Millisecond), s)
	backup = w.NewResource(providertest.BackupConfigType)
	start = backup.Plan(values{"project_id": payments, "cluster_id": cluster, "status_name": "STARTED"})
	return backup, w.NewResource(providertest.ScheduleType), start
}

func TestScheduleOfABackupWhoseStartWasNotAnsweredHasNothingToLose(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{TransitionReads: 1})
	backup, schedule, start := withBackup(t, s, reports)
	adoption := schedule.Plan(scheduleOf(reports, values{"weekly_snapshot_retention_weeks": 1}.With(guard))) // 2 by default
	s.Inject(emulator.Fault{Method: "PATCH", DropAfter: true, Times: 1})
	backup.Apply(start).WantNone(t)
	schedule.Apply(adoption).WantNone(t)
}

func TestScheduleOfABackupThatStillAwaitsItsFirstSnapshotHasNothingToLose(t *testing.T) {
	t.Parallel()
	for cluster, hasSnapshots := range map[string]bool{reports: false, ledger: true} {
		s := providertest.StartService(t, emulator.Options{AwaitApproval: true})
		s.SetBackupStatus(payments, cluster, "PROVISIONING") // as after an apply that did not wait long enough
		backup, schedule, start := withBackup(t, s, cluster)
		adoption := schedule.Plan(scheduleOf(cluster, values{"weekly_snapshot_retention_weeks": 1}).With(guard))
		if hasSnapshots {
			adoption.WantError(t, "Would Be Reduced")
			continue
		}
		adoption.WantNone(t)
		schedule.Configure()
		go func() {
			time.Sleep(time.Second) // after the apply has seen PROVISIONING
			s.SetBackupStatus(payments, cluster, "STARTED")
		}()
		backup.Apply(start).WantNone(t)
		schedule.Apply(adoption).WantNone(t)
	}
}
