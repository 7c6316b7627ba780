package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
)

// orders is a sharded cluster of the emulator's own seed.
const orders = "650a2035b7d9f1e3a5c70924"

var weekday = rapid.SampledFrom([]string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"})

// scheduleValues draw the value of each field that means something by itself:
// under its attribute, and as the API names it.
var scheduleValues = []struct {
	attribute, field string
	value            *rapid.Generator[any]
}{
	{"snapshot_interval_hours", "snapshotIntervalHours", rapid.SampledFrom([]int{6, 8, 12, 24}).AsAny()},
	{"snapshot_retention_days", "snapshotRetentionDays", rapid.IntRange(2, 7).AsAny()},
	{"daily_snapshot_retention_days", "dailySnapshotRetentionDays", rapid.SampledFrom([]int{0, 3, 7, 30, 360}).AsAny()},
	{"weekly_snapshot_retention_weeks", "weeklySnapshotRetentionWeeks", rapid.IntRange(0, 52).AsAny()},
	{"monthly_snapshot_retention_months", "monthlySnapshotRetentionMonths", rapid.IntRange(0, 36).AsAny()},
	{"point_in_time_window_hours", "pointInTimeWindowHours", rapid.IntRange(0, 99).AsAny()},
	{"full_incremental_day_of_week", "fullIncrementalDayOfWeek", weekday.AsAny()},
}

// Offsets, and how many minutes east of UTC each is.
var offsets = map[string]int{"Z": 0, "+0000": 0, "-00:00": 0, "+02": 120, "+02:00": 120, "+0530": 330, "-0330": -210, "+1300": 780, "-11": -660}

// drawConfig draws a configuration that the provider accepts.
func drawConfig(t *rapid.T, cluster string) values {
	config := schedule(cluster, nil)
	for _, v := range scheduleValues {
		if rapid.Bool().Draw(t, "configures "+v.attribute) {
			config[v.attribute] = v.value.Draw(t, v.attribute)
		}
	}
	if cluster == orders && rapid.Bool().Draw(t, "configures checkpoints") {
		config["cluster_checkpoint_interval_min"] = rapid.SampledFrom([]int{15, 30, 60}).Draw(t, "checkpoints")
	}
	if rapid.Bool().Draw(t, "configures the hour") {
		config["reference_hour_of_day"] = rapid.IntRange(0, 23).Draw(t, "hour")
	}
	if rapid.Bool().Draw(t, "configures the minute") {
		config["reference_minute_of_hour"] = rapid.IntRange(0, 59).Draw(t, "minute")
	}
	if config["reference_hour_of_day"] != nil && rapid.Bool().Draw(t, "configures the offset") {
		offset := rapid.SampledFrom(slices.Sorted(maps.Keys(offsets))).Draw(t, "offset")
		if offsets[offset]%60 == 0 || config["reference_minute_of_hour"] != nil {
			config["reference_time_zone_offset"] = offset
		}
	}
	return config
}

// drawLate draws which values of a configuration are not known when it is
// planned. The time of day is not among them: one that turns out to be the same
// time in another zone is the one thing that no plan can foresee.
func drawLate(t *rapid.T, config values) values {
	late := values{}
	for _, v := range scheduleValues {
		if value := config[v.attribute]; value != nil && rapid.IntRange(0, 3).Draw(t, v.attribute+" is late") == 0 {
			late[v.attribute] = value
		}
	}
	return late
}

// drawLive draws what somebody else makes of a schedule.
func drawLive(t *rapid.T, cluster string) map[string]any {
	live := map[string]any{}
	for _, v := range scheduleValues {
		if rapid.Bool().Draw(t, "changes "+v.field) {
			live[v.field] = v.value.Draw(t, v.field)
		}
	}
	if cluster == orders && rapid.Bool().Draw(t, "changes checkpoints") {
		live["clusterCheckpointIntervalMin"] = rapid.SampledFrom([]any{nil, 15, 60}).Draw(t, "live checkpoints")
	}
	if rapid.Bool().Draw(t, "changes the time") {
		live["referenceHourOfDay"] = rapid.IntRange(0, 23).Draw(t, "live hour")
		live["referenceMinuteOfHour"] = rapid.IntRange(0, 59).Draw(t, "live minute")
	}
	return live
}

// expected is what a service holds where it has taken a configuration: the
// fields of the API that are configured, with the time of day in UTC.
func expected(config values) map[string]any {
	want := map[string]any{}
	for _, v := range scheduleValues {
		if value := config[v.attribute]; value != nil {
			want[v.field] = value
		}
	}
	if value := config["cluster_checkpoint_interval_min"]; value != nil {
		want["clusterCheckpointIntervalMin"] = value
	}
	hour, hasHour := config["reference_hour_of_day"].(int)
	minute, hasMinute := config["reference_minute_of_hour"].(int)
	offset, hasOffset := config["reference_time_zone_offset"].(string)
	utc := (hour*60 + minute - offsets[offset] + 2*24*60) % (24 * 60)
	if hasHour {
		want["referenceHourOfDay"] = utc / 60
	}
	if hasMinute {
		want["referenceMinuteOfHour"] = utc % 60
	}
	if hasOffset {
		want["referenceTimeZoneOffset"] = "+0000"
	}
	return want
}

// couplings are services that change what was not sent along with what was.
var couplings = map[string]func(before, after map[string]any, sent []string){
	"none": nil,
	"longer weekly with longer daily": func(_, after map[string]any, sent []string) {
		daily, _ := after["dailySnapshotRetentionDays"].(float64)
		weekly, _ := after["weeklySnapshotRetentionWeeks"].(float64)
		if !slices.Contains(sent, "weeklySnapshotRetentionWeeks") && daily > 7*weekly {
			after["weeklySnapshotRetentionWeeks"] = float64(int(daily/7) + 1)
		}
	},
	"window follows the interval": func(_, after map[string]any, sent []string) {
		if slices.Contains(sent, "snapshotIntervalHours") && !slices.Contains(sent, "pointInTimeWindowHours") {
			interval, _ := after["snapshotIntervalHours"].(float64)
			after["pointInTimeWindowHours"] = interval * 2
		}
	},
	"everything that was not sent": func(before, after map[string]any, sent []string) {
		for _, field := range []string{"dailySnapshotRetentionDays", "weeklySnapshotRetentionWeeks", "monthlySnapshotRetentionMonths"} {
			if touched := slices.ContainsFunc(sent, func(s string) bool {
				return strings.Contains(s, "Retention") && fmt.Sprint(before[s]) != fmt.Sprint(after[s])
			}); touched && !slices.Contains(sent, field) {
				n, _ := after[field].(float64)
				after[field] = n + 1
			}
		}
	},
}

// fleet is one service, one cluster, and a resource that manages its schedule.
type fleet struct {
	*managed
	service *testService
	cluster string
	config  values // what was applied last; nil where nothing is
	omitted []string
}

// sentOnly fails where a change was sent with a field that is not configured, or
// a configured one with another value.
func (f *fleet) sentOnly(config values) {
	f.t.Helper()
	for _, body := range f.service.sent("PATCH", "/snapshotSchedule") {
		var fields map[string]any
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			f.t.Fatalf("%s: %v", body, err)
		}
		if want := expected(config); len(fields) > 0 && fmt.Sprint(fields) != fmt.Sprint(want) {
			f.t.Fatalf("sent %v, configured %v", fields, want)
		}
	}
}

// settled fails where the plan of a configuration is not empty.
func (f *fleet) settled(when string, config values) {
	f.t.Helper()
	if p := f.plan(config); !p.isEmpty() || len(p.errors()) > 0 {
		f.t.Fatalf("%s the plan changes %v %v\nstate %v", when, p.changes(), p.errors(), f.attributes())
	}
}

func (f *fleet) refreshed() {
	f.t.Helper()
	if errors := f.refresh().errors(); len(errors) > 0 {
		f.t.Fatalf("refresh: %v", errors)
	}
}

// converge plans and applies a configuration, and checks all that is promised of
// it. What is late is not known when it is planned.
func (f *fleet) converge(config, late values) {
	f.t.Helper()
	before := f.service.Schedule(payments, f.cluster)
	stateBefore := f.state
	early := maps.Clone(config)
	for attribute := range late {
		early[attribute] = unknown
	}
	p := f.plan(early)
	if len(p.errors()) > 0 {
		f.t.Fatalf("plan: %v", p.errors())
	}
	f.service.ResetRequests()
	told := f.apply(p, late)
	f.sentOnly(config)
	held := f.service.Schedule(payments, f.cluster)
	if errors := told.errors(); len(errors) > 0 {
		// The one rule of the service that a drawn configuration can break.
		if !strings.Contains(errors[0], "INVALID_SNAPSHOT_RETENTION_PERIOD") {
			f.t.Fatalf("apply: %v", errors)
		}
		if fmt.Sprint(held) != fmt.Sprint(before) {
			f.t.Fatalf("a refused change was applied: %v, before %v", held, before)
		}
		if p.prior.IsNull() != f.state.IsNull() || !p.prior.IsNull() && !f.state.Equal(stateBefore) {
			f.t.Fatalf("a refused change is in the state: %v", f.attributes())
		}
		return
	}
	for field, want := range expected(config) {
		if fmt.Sprint(held[field]) != fmt.Sprint(want) {
			f.t.Fatalf("%s is %v on the service, configured %v", field, held[field], want)
		}
	}
	f.config = config
	f.settled("after the apply", config)
	f.refreshed()
	f.settled("after the apply and a refresh", config)
}

// drift changes the schedule behind the resource's back, and expects the plan to
// show what changed of the configured fields.
func (f *fleet) drift(live map[string]any) {
	f.t.Helper()
	f.refreshed()
	f.service.SetSchedule(payments, f.cluster, live)
	if f.state.IsNull() || f.config == nil {
		return
	}
	f.refreshed()
	held := f.service.Schedule(payments, f.cluster)
	differs := false
	for field, want := range expected(f.config) {
		if !slices.Contains(f.omitted, field) && field != "referenceTimeZoneOffset" && fmt.Sprint(held[field]) != fmt.Sprint(want) {
			differs = true
		}
	}
	if p := f.plan(f.config); p.isEmpty() == differs {
		f.t.Fatalf("configured %v, held %v: the plan changes %v", expected(f.config), held, p.changes())
	}
}

// adoptAnew imports the schedule into an empty state, exports its configuration,
// and expects that to plan empty.
func (f *fleet) adoptAnew() {
	f.t.Helper()
	imported := f.resource(scheduleType)
	if errors := imported.importID(payments + "/" + f.cluster).errors(); len(errors) > 0 {
		f.t.Fatalf("import: %v", errors)
	}
	if p := imported.plan(imported.attributes()); !p.isEmpty() || len(p.errors()) > 0 {
		f.t.Fatalf("an exported configuration changes %v %v", p.changes(), p.errors())
	}
}

func TestEverySequenceOfRunsConverges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cluster := rapid.SampledFrom([]string{cards, orders}).Draw(t, "cluster")
		coupling := rapid.SampledFrom(slices.Sorted(maps.Keys(couplings))).Draw(t, "coupling")
		omitted := rapid.SampledFrom([][]string{
			nil,
			{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"},
			{"referenceTimeZoneOffset", "fullIncrementalDayOfWeek"},
			{"clusterCheckpointIntervalMin", "monthlySnapshotRetentionMonths"},
			{"referenceMinuteOfHour"},
			{"referenceHourOfDay"},
		}).Draw(t, "omitted")
		s := &testService{Emulator: emulator.New(emulator.Options{
			Profile:    rapid.SampledFrom(profiles).Draw(t, "profile"),
			OmitFields: omitted,
			Adjust:     couplings[coupling],
		})}
		server := httptest.NewServer(s)
		defer server.Close()
		s.URL = server.URL
		s.SetSchedule(payments, cluster, drawLive(t, cluster))
		f := &fleet{managed: openWorkspace(t, s, nil).resource(scheduleType), service: s, cluster: cluster, omitted: omitted}

		t.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				config := drawConfig(t, cluster)
				f.converge(config, drawLate(t, config))
			},
			"refresh": func(*rapid.T) { f.refreshed() },
			"drift":   func(t *rapid.T) { f.drift(drawLive(t, cluster)) },
			"import":  func(*rapid.T) { f.adoptAnew() },
			"destroy": func(*rapid.T) {
				before := s.Schedule(payments, cluster)
				if f.state.IsNull() {
					return
				}
				f.destroy()
				f.config = nil
				if fmt.Sprint(s.Schedule(payments, cluster)) != fmt.Sprint(before) {
					t.Fatalf("a destroy changed the schedule")
				}
			},
		})
	})
}
