package provider_test

import (
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestALiveScheduleIsShownWithEveryField(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		before := s.Schedule(payments, orders)
		got := openWorkspace(t, s, nil).mustRead(t, scheduleType, values{"project_id": payments, "cluster_id": orders})
		want := values{
			"project_id": payments, "cluster_id": orders, "snapshot_interval_hours": 8, "snapshot_retention_days": 4,
			"daily_snapshot_retention_days": 15, "weekly_snapshot_retention_weeks": 4, "monthly_snapshot_retention_months": 6,
			"point_in_time_window_hours": 24, "cluster_checkpoint_interval_min": 30, "reference_hour_of_day": 1, "reference_minute_of_hour": 15,
			"reference_time_zone_offset": "+0000", "full_incremental_day_of_week": "WEDNESDAY", "links": []any{},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		if after := s.Schedule(payments, orders); !reflect.DeepEqual(after, before) {
			t.Errorf("reading it made %v of %v", after, before)
		}
	})
}

func TestWhatALiveScheduleLeavesOutIsNull(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	config := values{"project_id": payments, "cluster_id": cards}
	if got := w.mustRead(t, scheduleType, config); got["cluster_checkpoint_interval_min"] != nil {
		t.Errorf("a replica set has checkpoints: %v", got)
	}
	s.Inject(emulator.Fault{Status: 200, Body: `{"dailySnapshotRetentionDays": 0, "links": [{"rel": "self", "href": "https://om.example.com/x"}], "newField": 1}`})
	for name, value := range w.mustRead(t, scheduleType, config) {
		want := map[string]any{
			"project_id": payments, "cluster_id": cards, "daily_snapshot_retention_days": 0,
			"links": []any{values{"rel": "self", "href": "https://om.example.com/x"}},
		}[name]
		if !reflect.DeepEqual(value, want) {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
}

func TestALiveScheduleThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	for cluster, says := range map[string][]string{
		ordersShard:                {"CANNOT_MODIFY_SHARD_BACKUP_CONFIG", orders},
		"650a2177e1f3a5b7c9d00e42": {"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"},
		"0123456789abcdef01234567": {"CLUSTER_NOT_FOUND"},
	} {
		_, told := w.read(scheduleType, values{"project_id": payments, "cluster_id": cluster})
		wantOne(t, told.errors(), append(says, "[cluster_id]", "Unable to Read Snapshot Schedule")...)
	}
}
