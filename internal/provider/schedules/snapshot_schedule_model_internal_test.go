package schedules

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

func TestMissingFieldsOfAResponseKeepTheirValue(t *testing.T) {
	t.Parallel()
	seven, nine, three, thirty := int64(7), int64(9), int64(3), int64(30)
	plusTwo, utc, friday := "+0200", "+0000", "FRIDAY"
	held := opsmanager.SnapshotSchedule{
		DailySnapshotRetentionDays: &seven, WeeklySnapshotRetentionWeeks: &nine, FullIncrementalDayOfWeek: &friday,
		ReferenceHourOfDay: &nine, ReferenceMinuteOfHour: &thirty, ReferenceTimeZoneOffset: &plusTwo,
	}
	got := withLater(inUTC(held), opsmanager.SnapshotSchedule{DailySnapshotRetentionDays: &three})
	want := held
	want.DailySnapshotRetentionDays, want.ReferenceHourOfDay, want.ReferenceTimeZoneOffset = &three, &seven, &utc
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}

	model := snapshotScheduleModel{Values: tf.Values{
		"weekly_snapshot_retention_weeks": types.Int64Value(4), hourOfDay: types.Int64Value(5), zoneOffset: types.StringValue("+02"),
	}}
	if got, want := scheduleOf(model.refreshed(opsmanager.SnapshotSchedule{}).Values), scheduleOf(model.Values); !reflect.DeepEqual(got, want) {
		t.Errorf("an empty response changes the state to %+v", got)
	}
}

func TestUnknownValuesAreNotSent(t *testing.T) {
	t.Parallel()
	values := tf.Values{
		intervalHours: types.Int64Unknown(), "daily_snapshot_retention_days": types.Int64Value(0),
		hourOfDay: types.Int64Value(5), zoneOffset: types.StringUnknown(), fullSnapshotDay: types.StringUnknown(),
	}
	zero := int64(0)
	if got, want := scheduleOf(values), (opsmanager.SnapshotSchedule{DailySnapshotRetentionDays: &zero}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
