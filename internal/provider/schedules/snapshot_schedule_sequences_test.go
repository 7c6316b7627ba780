package schedules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

var weekday = rapid.SampledFrom([]string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"})

// scheduleValues draw the value of each field that is independent of the others.
var scheduleValues = []struct {
	attribute string
	value     *rapid.Generator[any]
}{
	{"snapshot_interval_hours", rapid.SampledFrom([]int{6, 8, 12, 24}).AsAny()},
	{"snapshot_retention_days", rapid.IntRange(2, 9).AsAny()},
	{"daily_snapshot_retention_days", rapid.SampledFrom([]int{0, 3, 7, 30, 360}).AsAny()},
	{"weekly_snapshot_retention_weeks", rapid.IntRange(0, 52).AsAny()},
	{"monthly_snapshot_retention_months", rapid.IntRange(0, 36).AsAny()},
	{"point_in_time_window_hours", rapid.IntRange(0, 99).AsAny()},
	{"full_incremental_day_of_week", weekday.AsAny()},
}

// fieldOf has the API's name of each attribute of a schedule.
var fieldOf = func() map[string]string {
	fields := map[string]string{"reference_time_zone_offset": "referenceTimeZoneOffset"}
	for field, attribute := range scheduleAttributes {
		fields[attribute] = field
	}
	return fields
}()

// retentions are the attributes whose decrease must be reported.
var retentions = []string{
	"snapshot_retention_days", "daily_snapshot_retention_days", "weekly_snapshot_retention_weeks", "monthly_snapshot_retention_months",
	"point_in_time_window_hours",
}

// intervals are the attributes whose increase must be reported.
var intervals = []string{"snapshot_interval_hours", "cluster_checkpoint_interval_min"}

// loses reports whether a change of an attribute must be reported.
func loses(attribute string, before, after any) bool {
	was, _ := before.(float64)
	return slices.Contains(retentions, attribute) && less(after, before) || slices.Contains(intervals, attribute) && was > 0 && less(before, after)
}

// timeOfDay are the attributes of the time of day, which change together.
var timeOfDay = []string{"reference_hour_of_day", "reference_minute_of_hour", "reference_time_zone_offset"}

var offsets = []string{"+0000", "+02", "+02:00", "+0530", "+1300", "-00:00", "-0330", "-11", "Z"}

// drawConfig draws a configuration that the provider accepts.
func drawConfig(t *rapid.T, cluster string) values {
	config := scheduleOf(cluster, nil)
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
		offset := rapid.SampledFrom(offsets).Draw(t, "offset")
		if minutesEast(offset)%60 == 0 || config["reference_minute_of_hour"] != nil {
			config["reference_time_zone_offset"] = offset
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "is guarded") == 0 {
		config["retention_protection"] = true
	}
	return config
}

// drawLate draws which values of a configuration are unknown during the plan.
func drawLate(t *rapid.T, config values) values {
	late := values{}
	for _, part := range timeOfDay {
		if value := config[part]; value != nil && rapid.IntRange(0, 3).Draw(t, part+" is unknown") == 0 {
			late[part] = value
		}
	}
	for _, v := range scheduleValues {
		if value := config[v.attribute]; value != nil && rapid.IntRange(0, 3).Draw(t, v.attribute+" is unknown") == 0 {
			late[v.attribute] = value
		}
	}
	for _, id := range []string{"project_id", "cluster_id"} {
		if rapid.IntRange(0, 7).Draw(t, id+" is unknown") == 0 {
			late[id] = config[id]
		}
	}
	return late
}

// drawIgnored draws the attributes in ignore_changes.
func drawIgnored(t *rapid.T) []string {
	if rapid.IntRange(0, 2).Draw(t, "ignores") > 0 {
		return nil
	}
	return rapid.SampledFrom([][]string{
		{"all"}, {"daily_snapshot_retention_days"}, {"snapshot_retention_days"}, {"snapshot_interval_hours", "snapshot_retention_days"},
		timeOfDay, {"full_incremental_day_of_week"},
	}).Draw(t, "ignored")
}

// drawLive draws changes of a schedule outside Terraform.
func drawLive(t *rapid.T, cluster string) object {
	live := object{}
	for _, v := range scheduleValues {
		if field := fieldOf[v.attribute]; rapid.Bool().Draw(t, "changes "+field) {
			live[field] = v.value.Draw(t, field)
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

// couplings are services that change other fields along with those that were sent.
var couplings = map[string]func(before, after object, sent []string){
	"none": nil,
	"longer weekly with longer daily": func(_, after object, sent []string) {
		daily, _ := after["dailySnapshotRetentionDays"].(float64)
		weekly, _ := after["weeklySnapshotRetentionWeeks"].(float64)
		if !slices.Contains(sent, "weeklySnapshotRetentionWeeks") && daily > 7*weekly {
			after["weeklySnapshotRetentionWeeks"] = float64(int(daily/7) + 1)
		}
	},
	"window follows the interval": func(_, after object, sent []string) {
		if slices.Contains(sent, "snapshotIntervalHours") && !slices.Contains(sent, "pointInTimeWindowHours") {
			interval, _ := after["snapshotIntervalHours"].(float64)
			after["pointInTimeWindowHours"] = interval * 2
		}
	},
	"shorter weekly with everything": func(_, after object, sent []string) {
		if weekly, _ := after["weeklySnapshotRetentionWeeks"].(float64); !slices.Contains(sent, "weeklySnapshotRetentionWeeks") && weekly > 1 {
			after["weeklySnapshotRetentionWeeks"] = weekly - 1
		}
	},
	"another day with another hour": func(_, after object, sent []string) {
		if slices.Contains(sent, "referenceHourOfDay") && !slices.Contains(sent, "fullIncrementalDayOfWeek") {
			after["fullIncrementalDayOfWeek"] = "FRIDAY"
		}
	},
	"everything that was not sent": func(before, after object, sent []string) {
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

// omittedFields draws the fields that a service doesn't return.
var omittedFields = rapid.SampledFrom([][]string{
	nil,
	{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"},
	{"referenceTimeZoneOffset", "fullIncrementalDayOfWeek"},
	{"clusterCheckpointIntervalMin", "monthlySnapshotRetentionMonths"},
	{"dailySnapshotRetentionDays", "snapshotIntervalHours"},
	{"snapshotRetentionDays", "weeklySnapshotRetentionWeeks"},
	{"referenceMinuteOfHour"},
	{"referenceHourOfDay"},
})

// scheduleSequence is a sequence of runs on the schedule of one cluster.
type scheduleSequence struct {
	*providertest.Resource
	service *providertest.Service
	cluster string
	config  values // the configuration that was applied last, or nil
	omitted []string
}

// sentOnly fails if a request has a field that the plan does not change and that no other field
// requires, or a value that is not the configured one.
func (f *scheduleSequence) sentOnly(p *providertest.Plan, config values, before object) {
	f.T.Helper()
	allowed := p.Changes()
	if p.Prior.IsNull() {
		allowed = slices.Collect(maps.Keys(fieldOf))
	}
	if slices.ContainsFunc(timeOfDay, func(a string) bool { return slices.Contains(allowed, a) }) {
		allowed = append(allowed, timeOfDay...)
	}
	if slices.Contains(allowed, "snapshot_interval_hours") {
		allowed = append(allowed, "snapshot_retention_days")
	}
	want := fieldsOfSchedule(config)
	for _, body := range f.service.Sent("PATCH", "/snapshotSchedule") {
		var fields object
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			f.T.Fatalf("%s: %v", body, err)
		}
		for attribute, field := range fieldOf {
			value, sent := fields[field]
			if !sent {
				continue
			}
			if !slices.Contains(allowed, attribute) {
				f.T.Fatalf("sent %s, but the plan changes %v", field, p.Changes())
			}
			same := fmt.Sprint(value) == fmt.Sprint(before[field]) // sent with an unchanged value
			if !same && !slices.Contains(timeOfDay, attribute) && fmt.Sprint(value) != fmt.Sprint(want[field]) {
				f.T.Fatalf("sent %s %v, configured %v", field, value, want[field])
			}
		}
	}
}

// asShown fails if an apply changed a field or shortened a retention, and neither the plan nor the
// apply reported it.
func (f *scheduleSequence) asShown(p *providertest.Plan, diags providertest.Diagnostics, before object) {
	f.T.Helper()
	said := strings.Join(slices.Concat(p.Warnings(), diags.Warnings(), diags.Errors()), "\n")
	held := f.service.Schedule(payments, f.cluster)
	shown := p.Changes()
	if slices.ContainsFunc(timeOfDay, func(a string) bool { return slices.Contains(shown, a) }) {
		shown = append(shown, timeOfDay...)
	}
	for attribute, field := range fieldOf {
		was, is := fmt.Sprint(before[field]), fmt.Sprint(held[field])
		if was == is || slices.Contains(f.omitted, field) {
			continue // the provider can't report fields that the server does not return
		}
		name := attribute
		if slices.Contains(timeOfDay, attribute) {
			name = "reference_time_of_day"
		}
		if !slices.Contains(shown, attribute) && !strings.Contains(said, name+": ") {
			f.T.Fatalf("%s was %s and is %s, but the plan changes %v and the diagnostics are %s", field, was, is, p.Changes(), said)
		}
		if loses(attribute, before[field], held[field]) &&
			!strings.Contains(said, fmt.Sprintf("%s: %s -> %s", attribute, was, is)) {
			f.T.Fatalf("%s changed from %s to %s, but the diagnostics are %q", field, was, is, said)
		}
	}
}

func less(a, b any) bool {
	x, ok := a.(float64)
	y, both := b.(float64)
	return ok && both && x < y
}

// settled fails if the plan of a configuration is not empty.
func (f *scheduleSequence) settled(when string, config values) {
	f.T.Helper()
	if p := f.Plan(config); !p.IsEmpty() || len(p.Errors()) > 0 {
		f.T.Fatalf("%s the plan changes %v %v\nstate %v", when, p.Changes(), p.Errors(), f.Attributes())
	}
}

func (f *scheduleSequence) refreshed() {
	f.T.Helper()
	if errors := f.Refresh().Errors(); len(errors) > 0 {
		f.T.Fatalf("refresh: %v", errors)
	}
}

// expectedErrors are the errors that a drawn configuration or server may cause.
var expectedErrors = []string{
	"INVALID_SNAPSHOT_RETENTION_PERIOD", "Schedule Changed During the Apply", "Would Be Reduced", "May Be Reduced",
	"Would Not Be Protected", "changed since the plan", "inconsistent final plan: produced an invalid new value for .",
}

func isExpected(text string) bool {
	return slices.ContainsFunc(expectedErrors, func(e string) bool { return strings.Contains(text, e) })
}

// saysNotReturned reports whether an error says that a sent value is not returned by a service that leaves out fields.
func saysNotReturned(errors, omitted []string) bool {
	said := strings.Join(errors, "\n")
	return len(omitted) > 0 && (strings.Contains(said, "Value Not Returned") || strings.Contains(said, "is not returned, and the plan showed"))
}

// converge plans and applies a configuration, and checks the result. The late values are unknown
// during the plan. If meanwhile is not nil, it changes the schedule between the plan and the apply.
// A stale plan is one without a refresh.
func (f *scheduleSequence) converge(config, late values, meanwhile object, stale bool) {
	f.T.Helper()
	f.Configure() // each run has its own process
	if !stale {
		f.refreshed()
	}
	stateBefore := f.State
	early := maps.Clone(config)
	for attribute := range late {
		early[attribute] = unknown
	}
	guarded := config["retention_protection"] != nil || !stateBefore.IsNull() && f.Attributes()["retention_protection"] == true
	p := f.Plan(early)
	if errors := p.Errors(); len(errors) > 0 {
		if !guarded || !isExpected(errors[0]) {
			f.T.Fatalf("plan: %v", errors)
		}
		if !f.State.IsNull() { // the way out
			f.refreshed()
			ignored := f.IgnoreChanges
			f.IgnoreChanges, f.config = nil, scheduleOf(f.cluster, values{"retention_protection": false})
			f.Create(f.config)
			f.IgnoreChanges = ignored
		}
		return
	}
	f.service.SetSchedule(payments, f.cluster, meanwhile)
	before := f.service.Schedule(payments, f.cluster)
	f.service.ResetRequests()
	created := p.Prior.IsNull()
	diags := f.Apply(p, late)
	kept := strings.Contains(strings.Join(slices.Concat(p.Warnings(), diags.Warnings()), ""), "Kept")
	f.asShown(p, diags, before)
	held := f.service.Schedule(payments, f.cluster)
	if errors := diags.Errors(); len(errors) > 0 {
		isUnanswered := saysNotReturned(errors, f.omitted)
		if !isUnanswered && !isExpected(errors[0]) {
			f.T.Fatalf("apply: %v", errors)
		}
		if keeps := !created || f.CreateBeforeDestroy && !stateBefore.IsNull(); keeps == f.State.IsNull() {
			f.T.Fatalf("a failed apply left the state %v", f.Attributes())
		}
		if refused := !isUnanswered && !strings.Contains(errors[0], "Schedule Changed During the Apply"); refused && fmt.Sprint(held) != fmt.Sprint(before) {
			f.T.Fatalf("a rejected change was applied: %v, before %v", held, before)
		} else if refused && !created && !f.State.Equal(stateBefore) {
			stored := f.State // the live values
			if f.refreshed(); !f.State.Equal(stored) {
				f.T.Fatalf("a rejected change is in the state: %v", providertest.Plain(stored))
			}
		}
		return
	}
	f.config = nil // ignored attributes have other values in the state
	if f.IgnoreChanges == nil {
		f.config = config
		f.sentOnly(p, config, before)
	}
	f.settled("after the apply", config)
	if stale || meanwhile != nil || f.IgnoreChanges != nil || kept {
		return
	}
	for field, want := range fieldsOfSchedule(config) {
		if fmt.Sprint(held[field]) != fmt.Sprint(want) && !slices.Contains(f.omitted, field) {
			f.T.Fatalf("%s is %v on the service, configured %v", field, held[field], want)
		}
	}
	f.refreshed()
	f.settled("after the apply and a refresh", config)
}

// drift changes the schedule outside Terraform, and checks that the plan shows the changed fields
// that are configured.
func (f *scheduleSequence) drift(live object) {
	f.T.Helper()
	f.Configure() // each run has its own process
	f.refreshed()
	f.service.SetSchedule(payments, f.cluster, live)
	if f.State.IsNull() || f.config == nil || f.config["retention_protection"] != nil || f.IgnoreChanges != nil {
		return
	}
	f.refreshed()
	held := f.service.Schedule(payments, f.cluster)
	differs := false
	for field, want := range fieldsOfSchedule(f.config) {
		if !slices.Contains(f.omitted, field) && fmt.Sprint(held[field]) != fmt.Sprint(want) {
			differs = true
		}
	}
	if p := f.Plan(f.config); p.IsEmpty() == differs && (differs || f.omitted == nil) {
		f.T.Fatalf("configured %v, held %v: the plan changes %v: %v", fieldsOfSchedule(f.config), held, p.Changes(), p.Errors())
	}
}

// reimport imports the schedule into an empty state, and checks that the plan of its exported
// configuration is empty.
func (f *scheduleSequence) reimport() {
	f.T.Helper()
	imported := f.NewResource(providertest.ScheduleType)
	if errors := imported.ImportID(payments + "/" + f.cluster).Errors(); len(errors) > 0 {
		f.T.Fatalf("import: %v", errors)
	}
	imported.Configure()
	if p := imported.Plan(imported.Attributes()); !p.IsEmpty() || len(p.Errors()) > 0 {
		f.T.Fatalf("the plan of an exported configuration changes %v: %v", p.Changes(), p.Errors())
	}
}

func TestEverySequenceOfRunsConverges(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		cluster := rapid.SampledFrom([]string{cards, orders}).Draw(t, "cluster")
		coupling := rapid.SampledFrom(slices.Sorted(maps.Keys(couplings))).Draw(t, "coupling")
		omitted := omittedFields.Draw(t, "omitted")
		options := providertest.AllServices[rapid.IntRange(0, len(providertest.AllServices)-1).Draw(t, "service")]
		options.OmitFields, options.Adjust = omitted, couplings[coupling]
		e := emulator.New(options)
		s := providertest.ServiceBehind(e, e)
		s.SetSchedule(payments, cluster, drawLive(t, cluster))
		f := &scheduleSequence{Resource: scheduleOn(t, s), service: s, cluster: cluster, omitted: omitted}

		t.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				config := drawConfig(t, cluster)
				f.IgnoreChanges = drawIgnored(t)
				f.CreateBeforeDestroy = rapid.IntRange(0, 3).Draw(t, "creates before it destroys") == 0
				f.converge(config, drawLate(t, config), nil, rapid.IntRange(0, 3).Draw(t, "is stale") == 0)
			},
			"apply a saved plan": func(t *rapid.T) {
				config := drawConfig(t, cluster)
				f.IgnoreChanges = drawIgnored(t)
				f.converge(config, values{}, drawLive(t, cluster), false)
			},
			"fields are no longer returned, or again": func(t *rapid.T) {
				f.omitted = omittedFields.Draw(t, "omitted from now on")
				s.OmitFields(f.omitted...)
			},
			"refresh": func(*rapid.T) { f.refreshed() },
			"drift":   func(t *rapid.T) { f.drift(drawLive(t, cluster)) },
			"import":  func(*rapid.T) { f.reimport() },
			"destroy": func(*rapid.T) {
				before := s.Schedule(payments, cluster)
				if f.State.IsNull() {
					return
				}
				f.Destroy()
				f.config = nil
				if fmt.Sprint(s.Schedule(payments, cluster)) != fmt.Sprint(before) {
					t.Fatalf("a destroy changed the schedule")
				}
			},
		})
	})
}
