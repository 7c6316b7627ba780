package schedules_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

const schedulePath = "/groups/" + payments + "/backupConfigs/" + cards + "/snapshotSchedule"

func TestOperationsOfASnapshotScheduleSurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t, // between the read and the change, each asks for the third-party backups
		providertest.Operation{Name: "adopting a schedule, its read", Sends: []string{"GET", "GET", "PATCH"}, Hits: 0,
			Fails: []string{"Unable to Adopt Snapshot Schedule", "GET " + schedulePath}, Prepare: adoptSchedule},
		providertest.Operation{Name: "adopting a schedule, its change", Sends: []string{"GET", "GET", "PATCH"}, Hits: 2,
			Fails: []string{"Unable to Adopt Snapshot Schedule", "PATCH " + schedulePath}, Prepare: adoptSchedule},
		providertest.Operation{Name: "refreshing a schedule", Sends: []string{"GET"},
			Fails: []string{"Unable to Read Snapshot Schedule", "GET " + schedulePath}, Prepare: refreshSchedule},
		providertest.Operation{Name: "updating a schedule, its read", Sends: []string{"GET", "GET", "PATCH"}, Hits: 0,
			Fails: []string{"Unable to Update Snapshot Schedule", "GET " + schedulePath}, Prepare: updateSchedule},
		providertest.Operation{Name: "updating a schedule, its change", Sends: []string{"GET", "GET", "PATCH"}, Hits: 2,
			Fails: []string{"Unable to Update Snapshot Schedule", "PATCH " + schedulePath}, Prepare: updateSchedule},
	)
}

// contestedSchedule is a change of the daily retention of cards, while another client changes the schedule.
func contestedSchedule(
	name string, prepare func(*testing.T, *providertest.FaultProxy, *providertest.Workspace) *providertest.Attempt,
) providertest.Contested {
	return providertest.Contested{
		Name: name, Prepare: prepare, Method: "PATCH", Attribute: "daily_snapshot_retention_days",
		Field: "dailySnapshotRetentionDays", Third: 90.0,
		Other: "weeklySnapshotRetentionWeeks", Theirs: 7.0, Object: "The schedule of cluster cards (" + cards + ")",
		Set: func(d *providertest.FaultProxy, fields object) { d.SetSchedule(payments, cards, fields) },
		Get: func(d *providertest.FaultProxy) object { return d.Schedule(payments, cards) },
	}
}

func TestScheduleThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	policy := contestedSchedule("policy", updatePolicy)
	policy.Object = "The schedule of cluster " + cards
	providertest.CheckContested(t, contestedSchedule("schedule", updateSchedule), contestedSchedule("adopted schedule", adoptSchedule), policy)
}

func dailyHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.Schedule(payments, cards)["dailySnapshotRetentionDays"] }
}

func adoptSchedule(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.ScheduleType)
	return providertest.Applying(t, m, scheduleOf(cards, daily(15))).Watching(
		dailyHeld(d), providertest.Stored(m, "daily_snapshot_retention_days"), 15.0, 15,
	)
}

func updateSchedule(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.ScheduleType)
	m.Create(scheduleOf(cards, daily(15)))
	return providertest.Applying(t, m, scheduleOf(cards, daily(30))).Watching(
		dailyHeld(d), providertest.Stored(m, "daily_snapshot_retention_days"), 30.0, 30,
	)
}

func refreshSchedule(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.ScheduleType)
	m.Create(scheduleOf(cards, daily(15)))
	setDaily(d.Service, cards, 60.0)
	return providertest.Refreshing(m).Watching(dailyHeld(d), providertest.Stored(m, "daily_snapshot_retention_days"), 60.0, 60)
}
