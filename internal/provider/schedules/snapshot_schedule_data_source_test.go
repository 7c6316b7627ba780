package schedules_test

import (
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestSnapshotScheduleDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckSource(t, providertest.Source{
		Type: "opsmanager_snapshot_schedule", Config: values{"project_id": payments, "cluster_id": cards},
	})
}

func TestDataSourceReadsEveryFieldOfASchedule(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		before := s.Schedule(payments, orders)
		got := providertest.NewWorkspace(t, s).MustRead(t, providertest.ScheduleType, values{"project_id": payments, "cluster_id": orders})
		want := values{
			"project_id": payments, "cluster_id": orders, "snapshot_interval_hours": 8, "snapshot_retention_days": 4,
			"daily_snapshot_retention_days": 15, "weekly_snapshot_retention_weeks": 4, "monthly_snapshot_retention_months": 6,
			"point_in_time_window_hours": 24, "cluster_checkpoint_interval_min": 30, "reference_hour_of_day": 1, "reference_minute_of_hour": 15,
			"reference_time_zone_offset": "+0000", "full_incremental_day_of_week": "WEDNESDAY",
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		providertest.WantEqual(t, s.Schedule(payments, orders), before)
	})
}

func TestMissingFieldsOfAScheduleAreNull(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	config := values{"project_id": payments, "cluster_id": cards}
	if got := w.MustRead(t, providertest.ScheduleType, config); got["cluster_checkpoint_interval_min"] != nil {
		t.Errorf("a replica set has checkpoints: %v", got)
	}
	s.Inject(emulator.Fault{Status: 200, Body: `{"dailySnapshotRetentionDays": 0, "newField": 1}`})
	for name, value := range w.MustRead(t, providertest.ScheduleType, config) {
		want := object{
			"project_id": payments, "cluster_id": cards, "daily_snapshot_retention_days": 0,
		}[name]
		if !reflect.DeepEqual(value, want) {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
}

func TestErrorsOfReadingAScheduleNameTheAttribute(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	for cluster, says := range map[string][]string{
		providertest.OrdersShard:   {"CANNOT_MODIFY_SHARD_BACKUP_CONFIG", orders},
		"650a2177e1f3a5b7c9d00e42": {"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"},
		"0123456789abcdef01234567": {"CLUSTER_NOT_FOUND"},
	} {
		_, diags := w.Read(providertest.ScheduleType, values{"project_id": payments, "cluster_id": cluster})
		diags.WantError(t, append(says, "[cluster_id]", "Unable to Read Snapshot Schedule")...)
	}
}
