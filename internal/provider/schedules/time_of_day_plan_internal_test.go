package schedules

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// drawTime returns a time of day that the provider accepts. An hour of an offset is configured, and so is a
// minute of one that is not a whole number of hours.
func drawTime(r *rand.Rand) tf.Values {
	configured := tf.Values{hourOfDay: types.Int64Null(), minuteOfHour: types.Int64Null(), zoneOffset: types.StringNull()}
	if r.IntN(2) == 0 {
		configured[minuteOfHour] = types.Int64Value(r.Int64N(60))
	}
	if r.IntN(3) > 0 {
		configured[hourOfDay] = types.Int64Value(r.Int64N(24))
		if offset := []string{"", "Z", "-00:00", "+02", "+02:00", "-11", "+0530", "-0330"}[r.IntN(8)]; offset != "" {
			configured[zoneOffset] = types.StringValue(offset)
			if minutesEast(&offset)%minutesPerHour != 0 {
				configured[minuteOfHour] = types.Int64Value(r.Int64N(60))
			}
		}
	}
	return configured
}

// drawLateTime returns a configuration before some of its values are known. Those that turn out null may be
// among them.
func drawLateTime(r *rand.Rand, configured tf.Values) tf.Values {
	early := tf.Values{}
	for part, value := range configured {
		if early[part] = value; r.IntN(4) == 0 {
			early[part] = types.Int64Unknown()
			if part == zoneOffset {
				early[part] = types.StringUnknown()
			}
		}
	}
	return early
}

func (m snapshotScheduleModel) with(values tf.Values) snapshotScheduleModel {
	maps.Copy(m.Values, values)
	return m
}

// heldTime applies a planned time to an Ops Manager that holds UTC, and returns the state afterwards.
func heldTime(live *opsmanager.SnapshotSchedule, planned tf.Values) snapshotScheduleModel {
	wanted := scheduleOf(planned)
	*live = scheduleFields.Complete(wanted, *live)
	return snapshotScheduleModel{Values: tf.Values{}}.refreshed(opsmanager.SnapshotSchedule{}).with(planned).applied(*live)
}

func TestTimeOfDayIsNeverPlannedInconsistently(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same draws each time
		live := opsmanager.SnapshotSchedule{
			ReferenceHourOfDay: new(int64(3)), ReferenceMinuteOfHour: new(r.Int64N(60)), ReferenceTimeZoneOffset: new(utcOffset),
		}
		state := snapshotScheduleModel{Values: tf.Values{}}.refreshed(live)
		for range 1000 {
			if r.IntN(5) == 0 {
				live.ReferenceHourOfDay, live.ReferenceMinuteOfHour = new(r.Int64N(24)), new(r.Int64N(60))
			}
			if r.IntN(10) == 0 {
				state = snapshotScheduleModel{Values: tf.Values{}}.refreshed(live) // an import
			}
			if r.IntN(4) > 0 {
				state = state.refreshed(live)
			}
			configured := drawTime(r)
			early := plannedTime(drawLateTime(r, configured), state.Values)
			planned := plannedTime(configured, state.Values)
			context := fmt.Sprintf("seed %d: state %v, configured %v, planned %v and then %v", seed, state.Values, configured, early, planned)
			for part, value := range planned {
				if first := early[part]; !first.IsUnknown() && !first.Equal(value) || value.IsUnknown() || isSet(configured, part) &&
					!value.Equal(configured[part]) {
					t.Fatal(context)
				}
			}
			if !slices.ContainsFunc(timeParts, func(part string) bool { return isSet(configured, part) }) &&
				timeOf(scheduleOf(planned)).String() != timeOf(scheduleOf(state.Values)).String() {
				t.Fatal(context)
			}
			live = opsmanager.SnapshotSchedule{
				ReferenceHourOfDay: live.ReferenceHourOfDay, ReferenceMinuteOfHour: live.ReferenceMinuteOfHour,
				ReferenceTimeZoneOffset: live.ReferenceTimeZoneOffset,
			}
			state = heldTime(&live, planned)
			for _, after := range []tf.Values{state.Values, state.refreshed(live).Values} {
				for part, value := range plannedTime(configured, after) {
					if !after[part].Equal(value) || !after[part].Equal(planned[part]) {
						t.Fatalf("%s: the next plan changes %s from %v to %v", context, part, after[part], value)
					}
				}
			}
		}
	}
}
