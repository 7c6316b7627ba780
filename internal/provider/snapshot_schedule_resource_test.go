package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	scheduleType = "opsmanager_snapshot_schedule"

	// Clusters of the emulator's own seed.
	payments = "64f0c2a19b3d5e7f80a1b2c3"
	ledger   = "650a1f3c2e4b6d8091a3b5c7" // interval 24, recent snapshots for 20 days, 02:30 UTC
	cards    = "650a1f8b5d7092a4c6e8f013" // interval 6, 03:00 UTC
)

// schedule configures the schedule of a cluster of the first project.
func schedule(cluster string, fields values) values {
	config := values{"project_id": payments, "cluster_id": cluster}
	maps.Copy(config, fields)
	return config
}

// patches returns the bodies of the changes that were sent, without the empty
// ones that only read.
func (s *testService) patches(t *testing.T) []map[string]any {
	t.Helper()
	var found []map[string]any
	for _, body := range s.sent("PATCH", "/snapshotSchedule") {
		var fields map[string]any
		if err := json.Unmarshal([]byte(body), &fields); err != nil {
			t.Fatal(err)
		}
		if len(fields) > 0 {
			found = append(found, fields)
		}
	}
	return found
}

func wantPatches(t *testing.T, s *testService, want ...map[string]any) {
	t.Helper()
	if got := s.patches(t); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
		t.Errorf("sent %v, want %v", got, want)
	}
}

func wantEmpty(t *testing.T, p *planned) {
	t.Helper()
	if !p.isEmpty() || len(p.errors()) > 0 {
		t.Errorf("the plan is not empty: %v %v", p.changes(), p.errors())
	}
}

// wantOne checks that there is one text, and that it holds all the words.
func wantOne(t *testing.T, texts []string, words ...string) {
	t.Helper()
	if len(texts) != 1 {
		t.Fatalf("want one that says %q, got %d: %q", words, len(texts), texts)
	}
	wantWords(t, texts[0], words...)
}

func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in %q", word, text)
		}
	}
}

// onEachProfile runs a test on the service as all of it is documented, and on
// one with the four operations that every description has.
func onEachProfile(t *testing.T, test func(t *testing.T, s *testService)) {
	t.Helper()
	for _, options := range services {
		t.Run(string(options.Profile+emulator.Profile(options.UnknownRoutes)), func(t *testing.T) {
			t.Parallel()
			test(t, startService(t, options))
		})
	}
}

func TestScheduleIsAdoptedWithTheConfiguredFieldsOnly(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		config := schedule(cards, values{"daily_snapshot_retention_days": 0, "full_incremental_day_of_week": "MONDAY"})
		r.create(config)
		wantPatches(t, s, map[string]any{"dailySnapshotRetentionDays": 0.0, "fullIncrementalDayOfWeek": "MONDAY"})
		if held := s.Schedule(payments, cards); fmt.Sprint(held["dailySnapshotRetentionDays"]) != "0" || held["fullIncrementalDayOfWeek"] != "MONDAY" {
			t.Errorf("the service holds %v", held)
		}
		for name, want := range (values{"daily_snapshot_retention_days": 0, "snapshot_interval_hours": 6, "weekly_snapshot_retention_weeks": 4,
			"reference_hour_of_day": 3, "reference_minute_of_hour": 0, "reference_time_zone_offset": "+0000", "cluster_checkpoint_interval_min": nil}) {
			if got := r.attributes()[name]; got != want {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		r.refresh()
		wantEmpty(t, r.plan(config))
	})
}

func TestAdoptionThatChangesNothingSendsNothing(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		config := schedule(cards, values{"snapshot_interval_hours": 6, "reference_hour_of_day": 5, "reference_time_zone_offset": "+02"})
		told := r.create(config)
		wantPatches(t, s)
		if len(told) > 0 {
			t.Errorf("told %v", told.warnings())
		}
		r.refresh()
		wantEmpty(t, r.plan(config))
		if got := r.attributes()["reference_hour_of_day"]; got != 5 {
			t.Errorf("the hour is shown as %v, not in the configured zone", got)
		}
	})
}

func TestPlanOfAnAdoptionTellsWhatItOverwrites(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		p := r.plan(schedule(cards, values{"snapshot_interval_hours": 12, "weekly_snapshot_retention_weeks": 4, "reference_hour_of_day": 6, "reference_time_zone_offset": "+0200"}))
		wantOne(t, p.warnings(), cards, "snapshot_interval_hours: 6 -> 12", "reference_hour_of_day: 5 at +0200 -> 6 at +0200")
		if strings.Contains(p.warnings()[0], "weekly") {
			t.Errorf("a value that agrees is not overwritten: %q", p.warnings()[0])
		}
		wantPatches(t, s)
	})
}

func TestOnlyARetentionThatAnIntervalShortensIsUnknown(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(ledger, values{"snapshot_interval_hours": 24}))
	p := r.plan(schedule(ledger, values{"snapshot_interval_hours": 12}))
	if got, want := p.changes(), []string{"snapshot_interval_hours", "snapshot_retention_days"}; !slices.Equal(got, want) {
		t.Errorf("the plan changes %v, want %v", got, want)
	}
	r.apply(p, nil)
	// Ops Manager keeps recent snapshots for at most 5 days below 24 hours.
	if got := r.attributes()["snapshot_retention_days"]; got != 5 {
		t.Errorf("recent snapshots are kept %v days", got)
	}
	wantEmpty(t, r.plan(schedule(ledger, values{"snapshot_interval_hours": 12})))

	for field, value := range (values{"full_incremental_day_of_week": "FRIDAY", "snapshot_interval_hours": 8, "weekly_snapshot_retention_weeks": 9}) {
		p = r.plan(schedule(ledger, values{field: value}))
		if got := p.changes(); !slices.Equal(got, []string{field}) {
			t.Errorf("%s changes %v", field, got)
		}
	}
}

func TestDriftOfAConfiguredFieldIsPlannedAndOnlyThat(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		config := schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200", "full_incremental_day_of_week": "TUESDAY"})
		r.create(config)
		s.SetSchedule(payments, cards, map[string]any{"referenceHourOfDay": 23, "weeklySnapshotRetentionWeeks": 9})
		r.refresh()
		if got := r.attributes()["reference_hour_of_day"]; got != 1 {
			t.Errorf("23:00 UTC is shown as %v at +0200", got)
		}
		p := r.plan(config)
		if got := p.changes(); !slices.Equal(got, []string{"reference_hour_of_day"}) {
			t.Errorf("the plan changes %v", got)
		}
		r.apply(p, nil)
		if got := s.Schedule(payments, cards)["referenceHourOfDay"]; fmt.Sprint(got) != "3" {
			t.Errorf("the service holds hour %v", got)
		}
		wantEmpty(t, r.plan(config))
	})
}

func TestWhatIsSentIsAlwaysUTC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config values
		want   map[string]any
	}{
		{values{"reference_hour_of_day": 7, "reference_time_zone_offset": "Z"}, map[string]any{"referenceHourOfDay": 7.0, "referenceMinuteOfHour": 0.0, "referenceTimeZoneOffset": "+0000"}},
		{values{"reference_hour_of_day": 1, "reference_time_zone_offset": "+02:00"}, map[string]any{"referenceHourOfDay": 23.0, "referenceMinuteOfHour": 0.0, "referenceTimeZoneOffset": "+0000"}},
		{values{"reference_hour_of_day": 22, "reference_minute_of_hour": 15, "reference_time_zone_offset": "-05"}, map[string]any{"referenceHourOfDay": 3.0, "referenceMinuteOfHour": 15.0, "referenceTimeZoneOffset": "+0000"}},
		{values{"reference_hour_of_day": 5, "reference_minute_of_hour": 0, "reference_time_zone_offset": "+0530"}, map[string]any{"referenceHourOfDay": 23.0, "referenceMinuteOfHour": 30.0, "referenceTimeZoneOffset": "+0000"}},
		{values{"reference_hour_of_day": 9}, map[string]any{"referenceHourOfDay": 9.0, "referenceMinuteOfHour": 0.0}},
		{values{"reference_minute_of_hour": 45}, map[string]any{"referenceHourOfDay": 3.0, "referenceMinuteOfHour": 45.0}},
	} {
		t.Run(fmt.Sprint(c.config), func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{})
			r := openWorkspace(t, s, nil).resource(scheduleType)
			config := schedule(cards, c.config)
			r.create(config)
			wantPatches(t, s, c.want)
			r.refresh()
			wantEmpty(t, r.plan(config))
		})
	}
}

func TestAnotherSpellingOfTheSameTimeIsTakenWithAnotherTime(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
	respelled := values{"reference_hour_of_day": 4, "reference_time_zone_offset": "+01:00"}
	wantEmpty(t, r.plan(schedule(cards, respelled)))
	respelled["reference_hour_of_day"] = 6
	r.create(schedule(cards, respelled))
	if got := r.attributes(); got["reference_hour_of_day"] != 6 || got["reference_time_zone_offset"] != "+01:00" {
		t.Errorf("the state holds %v %v", got["reference_hour_of_day"], got["reference_time_zone_offset"])
	}
	wantEmpty(t, r.plan(schedule(cards, respelled)))
}

// Terraform plans again when it applies, and holds that to the first plan.
func TestAValueThatTurnsOutToBeNoChangeLeavesTheTimeAsItWas(t *testing.T) {
	t.Parallel()
	for _, late := range []struct {
		attribute string
		value     any
	}{
		{"snapshot_interval_hours", 6}, {"snapshot_interval_hours", 12},
		{"full_incremental_day_of_week", "SUNDAY"}, {"full_incremental_day_of_week", "FRIDAY"},
		{"prevent_retention_decrease", true},
	} {
		t.Run(fmt.Sprint(late.attribute, late.value), func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{})
			s.SetSchedule(payments, cards, map[string]any{"snapshotIntervalHours": 6, "fullIncrementalDayOfWeek": "SUNDAY"})
			r := openWorkspace(t, s, nil).resource(scheduleType)
			r.create(schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
			config := values{"reference_hour_of_day": 4, "reference_time_zone_offset": "+01:00", late.attribute: unknown}
			p := r.plan(schedule(cards, config))
			config[late.attribute] = late.value
			if told := r.apply(p, values{late.attribute: late.value}); len(told.errors()) > 0 {
				t.Fatal(told.errors())
			}
			wantEmpty(t, r.plan(schedule(cards, config)))
		})
	}
}

func TestAnOffsetThatTheServiceDoesNotShowIsTakenFromTheConfiguration(t *testing.T) {
	t.Parallel()
	for offset, hour := range map[string]int{"Z": 3, "+0000": 3, "+0200": 5} {
		t.Run(offset, func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{OmitFields: []string{"referenceTimeZoneOffset"}})
			s.SetSchedule(payments, cards, map[string]any{"referenceHourOfDay": 3})
			r := openWorkspace(t, s, nil).resource(scheduleType)
			r.create(schedule(cards, values{"reference_hour_of_day": 3}))
			config := schedule(cards, values{"reference_hour_of_day": hour, "reference_time_zone_offset": offset})
			r.create(config)
			wantEmpty(t, r.plan(config))
			r.refresh()
			wantEmpty(t, r.plan(config))
		})
	}
}

func TestAnOffsetWithoutAnHourIsNotImported(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{OmitFields: []string{"referenceHourOfDay"}})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.importID(payments + "/" + cards)
	wantEmpty(t, r.plan(r.attributes()))
}

func TestHalfHourOffsetsAreKeptWhereTheServiceShowsHalfTheTime(t *testing.T) {
	t.Parallel()
	for _, omitted := range []string{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"} {
		t.Run(omitted, func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{OmitFields: []string{omitted}})
			r := openWorkspace(t, s, nil).resource(scheduleType)
			config := schedule(cards, values{"reference_hour_of_day": 5, "reference_minute_of_hour": 15, "reference_time_zone_offset": "+0530"})
			r.create(config)
			wantEmpty(t, r.plan(config))
			r.refresh()
			wantEmpty(t, r.plan(config))
			if held := s.Schedule(payments, cards); fmt.Sprint(held["referenceHourOfDay"], held["referenceMinuteOfHour"]) != "23 45" {
				t.Errorf("the service holds %v:%v", held["referenceHourOfDay"], held["referenceMinuteOfHour"])
			}
		})
	}
}

func TestRemovingOnlyTheOffsetMovesTheTimeAndSaysSo(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
	config := schedule(cards, values{"reference_hour_of_day": 5})
	p := r.plan(config)
	if p.isEmpty() {
		t.Fatal("the plan is empty")
	}
	wantOne(t, p.warnings(), cards, "+0200", "reference_hour_of_day: 3 UTC -> 5 UTC")
	r.apply(p, nil)
	if got := s.Schedule(payments, cards)["referenceHourOfDay"]; fmt.Sprint(got) != "5" {
		t.Errorf("the service holds hour %v", got)
	}
	wantEmpty(t, r.plan(config))
}

func TestAnotherHourInUTCSaysNothingOfAnOffset(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, values{"reference_hour_of_day": 3}))
	if told := r.create(schedule(cards, values{"reference_hour_of_day": 4})); len(told) > 0 {
		t.Errorf("told %q", told.warnings())
	}
}

func TestAnOffsetThatIsKnownLateNeedsItsMinuteToo(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	p := r.plan(schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": unknown}))
	wantOne(t, r.apply(p, values{"reference_time_zone_offset": "+0530"}).errors(), "reference_minute_of_hour")
	wantPatches(t, s)
}

func TestRemovingFieldsFromTheConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, values{"weekly_snapshot_retention_weeks": 8, "reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
	wantEmpty(t, r.plan(schedule(cards, nil)))
}

func TestAValueThatTheServiceAdjustsIsAnErrorOnItsAttribute(t *testing.T) {
	t.Parallel()
	adjust := func(_, after map[string]any, sent []string) {
		if slices.Contains(sent, "weeklySnapshotRetentionWeeks") {
			after["weeklySnapshotRetentionWeeks"] = 3
		}
	}
	s := startService(t, emulator.Options{Adjust: adjust})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	config := schedule(cards, values{"weekly_snapshot_retention_weeks": 8})

	told := r.apply(r.plan(config), nil)
	wantOne(t, told.errors(), "weekly_snapshot_retention_weeks", "sent 8", "made it 3", "has been changed, but is not in the state")
	if !r.state.IsNull() {
		t.Error("a creation that failed is stored, and would be tainted")
	}

	s.SetSchedule(payments, cards, map[string]any{"weeklySnapshotRetentionWeeks": 20})
	r.create(schedule(cards, nil))
	told = r.apply(r.plan(config), nil)
	wantOne(t, told.errors(), "weekly_snapshot_retention_weeks", "sent 8", "made it 3", "The state has the value that Ops Manager has")
	if got := r.attributes()["weekly_snapshot_retention_weeks"]; got != 3 {
		t.Errorf("the state holds %v, the service 3", got)
	}
}

func TestFieldsThatAnswersLeaveOutKeepTheirState(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{OmitFields: []string{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset", "weeklySnapshotRetentionWeeks"}})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	config := schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200", "weekly_snapshot_retention_weeks": 8})
	r.create(config)
	r.refresh()
	wantEmpty(t, r.plan(config))
	if got := r.attributes(); got["reference_hour_of_day"] != 5 || got["weekly_snapshot_retention_weeks"] != 8 || got["reference_minute_of_hour"] != nil {
		t.Errorf("the state holds %v", got)
	}
}

func TestAServiceThatAnswersInAnotherZoneIsUnderstood(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	s.SetSchedule(payments, cards, map[string]any{"referenceHourOfDay": 5, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0200"})
	w := openWorkspace(t, s, nil)
	r := w.resource(scheduleType)
	if p := r.plan(schedule(cards, values{"reference_hour_of_day": 3})); len(p.warnings()) > 0 {
		t.Errorf("03:00 UTC is 05:00 at +0200: %q", p.warnings())
	}
	config := schedule(cards, values{"reference_hour_of_day": 8, "reference_minute_of_hour": 30, "reference_time_zone_offset": "+0530"})
	r.create(config)
	wantPatches(t, s)
	r.refresh()
	wantEmpty(t, r.plan(config))

	imported := w.resource(scheduleType)
	imported.importID(payments + "/" + cards)
	if got := imported.attributes(); got["reference_hour_of_day"] != 5 || got["reference_time_zone_offset"] != "+0200" {
		t.Errorf("imported as %v", got)
	}
}

func TestUnknownValuesCountAsChangedAndConverge(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, values{"weekly_snapshot_retention_weeks": 4}))
	s.SetSchedule(payments, cards, map[string]any{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20})
	r.refresh()
	p := r.plan(schedule(cards, values{"snapshot_interval_hours": unknown}))
	if got := p.values()["snapshot_retention_days"]; got != unknown {
		t.Errorf("the plan promises %v days of recent snapshots", got)
	}
	s.ResetRequests()
	r.apply(p, values{"snapshot_interval_hours": 24})
	wantPatches(t, s) // it was 24 all along
	if got := r.attributes()["snapshot_retention_days"]; got != 20 {
		t.Errorf("recent snapshots are kept %v days in the state", got)
	}
}

func TestDestroyForgetsAndSaysSo(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, values{"snapshot_interval_hours": 12}))
	before, asked := s.Schedule(payments, cards), len(s.Requests())
	told := r.destroy()
	wantOne(t, told.warnings(), cards, "Only Removed From the State", "calls nothing")
	if len(s.Requests()) != asked || !reflect.DeepEqual(before, s.Schedule(payments, cards)) {
		t.Error("the service was called")
	}
	if !r.state.IsNull() {
		t.Error("the state still has it")
	}
}

func TestOnlyTheServiceItselfCanSayThatAScheduleIsGone(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		r.create(schedule(cards, nil))
		for _, page := range []string{
			"<html><title>Not Found</title></html>", `{"error": 404, "message": "no route"}`, `{"error": 500, "detail": "no route"}`, `{"errorCode": "ROUTE_MISSING"}`,
		} {
			s.ClearFaults()
			s.Inject(emulator.Fault{Times: -1, Path: cards, Status: 404, Body: page, BeforeAuth: true})
			wantOne(t, r.refresh().errors(), "404", "not an answer of the Ops Manager API")
			if r.state.IsNull() {
				t.Fatalf("%s emptied the state", page)
			}
		}
	})
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		r.create(schedule(cards, nil))
		s.RemoveCluster(payments, cards)
		r.identity = nil // as a Terraform before 1.12 has it
		if told := r.refresh(); len(told.errors()) > 0 {
			t.Errorf("refresh: %v", told.errors())
		}
		if !r.state.IsNull() {
			t.Error("the state still has what is gone")
		}
	})
}

func TestAShorterRetentionWarnsOrIsRefused(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		w := openWorkspace(t, s, nil)
		r := w.resource(scheduleType)
		shorter := values{"daily_snapshot_retention_days": 3, "weekly_snapshot_retention_weeks": 0, "monthly_snapshot_retention_months": 20, "point_in_time_window_hours": 12}

		for _, step := range []string{"creation", "update"} {
			if step == "update" {
				r.create(schedule(cards, nil))
			}
			warnings := slices.DeleteFunc(r.plan(schedule(cards, shorter)).warnings(), func(text string) bool { return strings.Contains(text, "Overwritten") })
			wantOne(t, warnings, "Shorter Retention of Cluster "+cards, "daily_snapshot_retention_days: 7 -> 3", "weekly_snapshot_retention_weeks: 4 -> 0. The rule is switched off",
				"point_in_time_window_hours: 24 -> 12", "stay until they expire", "prevent_retention_decrease")
			if strings.Contains(warnings[0], "monthly") {
				t.Errorf("a longer retention is no decrease: %q", warnings[0])
			}

			refused := schedule(cards, shorter)
			refused["prevent_retention_decrease"] = true
			errors := r.plan(refused).errors()
			if len(errors) != 3 {
				t.Fatalf("%s: want three errors, got %q", step, errors)
			}
			wantWords(t, errors[0], "[daily_snapshot_retention_days]", "7 -> 3", cards)
		}
		wantPatches(t, s)
	})
}

func TestADecreaseThatThePlanCouldNotSeeIsRefusedByTheApply(t *testing.T) {
	t.Parallel()
	longer := values{"daily_snapshot_retention_days": 15, "prevent_retention_decrease": true}
	for _, step := range []string{"creation", "update"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{})
			r := openWorkspace(t, s, nil).resource(scheduleType)
			if step == "update" {
				r.create(schedule(cards, nil))
			}
			p := r.plan(schedule(cards, longer))
			s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 90})
			wantOne(t, r.apply(p, nil).errors(), "daily_snapshot_retention_days", "90 -> 15")
			wantPatches(t, s)
			wantOne(t, r.plan(schedule(cards, longer)).errors(), "daily_snapshot_retention_days", "90 -> 15")
		})
	}
}

func TestAGuardedUpdateThatCannotSeeWhatItWouldShortenSendsNothing(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, nil))
	before := r.attributes()
	p := r.plan(schedule(cards, values{"daily_snapshot_retention_days": 15, "prevent_retention_decrease": true}))
	s.Inject(emulator.Fault{Method: "GET", Status: 500})
	wantOne(t, r.apply(p, nil).errors(), "Unable to Update Snapshot Schedule", "500")
	wantPatches(t, s)
	if fmt.Sprint(r.attributes()) != fmt.Sprint(before) {
		t.Errorf("the state is %v", r.attributes())
	}
}

func TestScheduleConfigurationsThatNoVersionTakesAreRefused(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	for _, c := range []struct {
		fields    values
		attribute string
		words     []string
	}{
		{values{"project_id": "payments"}, "project_id", []string{"24 hexadecimal digits"}},
		{values{"cluster_id": ledger + "0"}, "cluster_id", []string{"24 hexadecimal digits"}},
		{values{"snapshot_interval_hours": 7}, "snapshot_interval_hours", []string{"6", "8", "12", "24"}},
		{values{"snapshot_retention_days": 0}, "snapshot_retention_days", []string{"at least 1"}},
		{values{"daily_snapshot_retention_days": -1}, "daily_snapshot_retention_days", []string{"at least 0"}},
		{values{"weekly_snapshot_retention_weeks": -1}, "weekly_snapshot_retention_weeks", []string{"at least 0"}},
		{values{"monthly_snapshot_retention_months": -1}, "monthly_snapshot_retention_months", []string{"at least 0"}},
		{values{"point_in_time_window_hours": -1}, "point_in_time_window_hours", []string{"at least 0"}},
		{values{"cluster_checkpoint_interval_min": 20}, "cluster_checkpoint_interval_min", []string{"15", "30", "60"}},
		{values{"reference_hour_of_day": 24}, "reference_hour_of_day", []string{"between 0 and 23"}},
		{values{"reference_minute_of_hour": 60}, "reference_minute_of_hour", []string{"between 0 and 59"}},
		{values{"reference_hour_of_day": 1, "reference_time_zone_offset": "CET"}, "reference_time_zone_offset", []string{"+0200", "CET"}},
		{values{"reference_time_zone_offset": "+0200"}, "reference_time_zone_offset", []string{"reference_hour_of_day"}},
		{values{"reference_hour_of_day": 1, "reference_time_zone_offset": "+0530"}, "reference_time_zone_offset", []string{"reference_minute_of_hour"}},
		{values{"full_incremental_day_of_week": "sunday"}, "full_incremental_day_of_week", []string{"SUNDAY"}},
	} {
		t.Run(fmt.Sprint(c.fields), func(t *testing.T) {
			t.Parallel()
			p := w.resource(scheduleType).plan(schedule(ledger, c.fields))
			wantOne(t, p.errors(), append(c.words, fmt.Sprintf("[%s]", c.attribute))...)
		})
	}
	for _, fields := range []values{
		{"reference_hour_of_day": unknown, "reference_time_zone_offset": "+0200"},
		{"reference_hour_of_day": 1, "reference_minute_of_hour": unknown, "reference_time_zone_offset": "-0330"},
		{"reference_hour_of_day": 1, "reference_time_zone_offset": unknown},
	} {
		if errors := w.resource(scheduleType).plan(schedule(ledger, fields)).errors(); len(errors) > 0 {
			t.Errorf("%v may come to be right: %q", fields, errors)
		}
	}
}

func TestValuesThatOnlySomeVersionsTakeWarnAndAreSent(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	for _, c := range []struct {
		fields values
		word   string
	}{
		{values{"snapshot_retention_days": 1}, "at least 2 days"},
		{values{"snapshot_retention_days": 31}, "at most 30 days"},
		{values{"snapshot_retention_days": 6, "snapshot_interval_hours": 12}, "at most 5 days"},
		{values{"daily_snapshot_retention_days": 365}, "accept only"},
		{values{"weekly_snapshot_retention_weeks": 53}, "at most 52 weeks"},
		{values{"monthly_snapshot_retention_months": 84}, "at most 36 months"},
	} {
		p := w.resource(scheduleType).plan(schedule(ledger, c.fields))
		doubtful := slices.DeleteFunc(p.warnings(), func(text string) bool { return !strings.Contains(text, "Unusual") })
		wantOne(t, doubtful, "of Cluster "+ledger, c.word)
		if len(p.errors()) > 0 {
			t.Errorf("%v: %q", c.fields, p.errors())
		}
	}
	for _, fields := range []values{{"snapshot_retention_days": 30, "snapshot_interval_hours": 24}, {"snapshot_retention_days": 6}, {"daily_snapshot_retention_days": 360}} {
		for _, text := range w.resource(scheduleType).plan(schedule(ledger, fields)).warnings() {
			if strings.Contains(text, "Unusual") {
				t.Errorf("%v: %q", fields, text)
			}
		}
	}

	r := w.resource(scheduleType)
	wantOne(t, r.apply(r.plan(schedule(ledger, values{"daily_snapshot_retention_days": 365})), nil).errors(),
		"[daily_snapshot_retention_days]", "INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD")
	wantPatches(t, s, map[string]any{"dailySnapshotRetentionDays": 365.0})
}

func TestScheduleIsImportedByIDAndByIdentity(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		w := openWorkspace(t, s, nil)
		byID := w.resource(scheduleType)
		if told := byID.importID(payments + "/" + ledger); len(told) > 0 {
			t.Fatalf("import: %v", told.errors())
		}
		byIdentity := w.resource(scheduleType)
		if told := byIdentity.importIdentity(byID.identity); len(told) > 0 {
			t.Fatalf("import: %v", told.errors())
		}
		if !byID.state.Equal(byIdentity.state) {
			t.Errorf("%v by id, %v by identity", byID.attributes(), byIdentity.attributes())
		}
		exported := byID.attributes()
		wantEmpty(t, byID.plan(exported))
		wantPatches(t, s)
	})
	s := startService(t, emulator.Options{})
	for _, id := range []string{"", payments, payments + "/", "/" + ledger, payments + "/" + ledger + "/", payments + "/" + ledger + "/1", "payments/ledger"} {
		if errors := openWorkspace(t, s, nil).resource(scheduleType).importID(id).errors(); len(errors) == 0 {
			t.Errorf("%q is imported", id)
		} else {
			wantOne(t, errors, "project_id/cluster_id", fmt.Sprintf("%q", id))
		}
	}
}

func TestAnotherClusterReplacesWithoutTouchingTheFirst(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	r.create(schedule(cards, values{"snapshot_interval_hours": 8, "daily_snapshot_retention_days": 60}))
	p := r.plan(schedule(ledger, values{"snapshot_interval_hours": 24, "daily_snapshot_retention_days": 30}))
	if !p.replaces {
		t.Fatal("another cluster is updated in place")
	}
	if len(p.warnings()) > 0 { // the other cluster keeps its daily snapshots for 30 days already
		t.Errorf("the first cluster's values are taken for the other's: %q", p.warnings())
	}
	s.ResetRequests()
	r.apply(p, nil)
	for _, request := range s.Requests() {
		if strings.Contains(request.Path, cards) {
			t.Errorf("%s %s", request.Method, request.Path)
		}
	}
}

func TestASettingThatIsNotKnownYetPlansWithoutAPreviewAndKeepsTheState(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	known := openWorkspace(t, s, nil).resource(scheduleType)
	known.create(schedule(cards, nil))
	r := openWorkspace(t, s, values{"base_url": unknown}).resource(scheduleType)
	s.ResetRequests()
	if p := r.plan(schedule(cards, values{"snapshot_interval_hours": 12})); len(p.diagnostics) > 0 {
		t.Errorf("plan: %v %v", p.errors(), p.warnings())
	}
	r.state, r.identity = known.state, known.identity
	wantOne(t, r.refresh().warnings(), "base_url", "state was kept")
	if !r.state.Equal(known.state) {
		t.Errorf("the state is %v", r.attributes())
	}
	if asked := len(s.Requests()); asked > 0 {
		t.Errorf("%d requests", asked)
	}
}
