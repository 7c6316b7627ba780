package schedules_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// wantSent checks the bodies of the PATCH requests, without the empty ones that only read.
func wantSent(t *testing.T, s *providertest.Service, want ...string) {
	t.Helper()
	providertest.WantSent(t, s, "PATCH", "/snapshotSchedule", want...)
}

// startSchedule starts a service, and returns a snapshot schedule on it without a state.
func startSchedule(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResource(t, providertest.ScheduleType, options...)
}

// scheduleOn returns a snapshot schedule on a service without a state.
func scheduleOn(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.ScheduleType)
}

func TestAdoptionSendsOnlyTheConfiguredFields(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		config := providertest.Schedule(cards, values{"daily_snapshot_retention_days": 0, "full_incremental_day_of_week": "MONDAY"})
		r.Create(config)
		wantSent(t, s, `{"dailySnapshotRetentionDays": 0, "fullIncrementalDayOfWeek": "MONDAY"}`)
		if held := s.Schedule(payments, cards); fmt.Sprint(held["dailySnapshotRetentionDays"]) != "0" || held["fullIncrementalDayOfWeek"] != "MONDAY" {
			t.Errorf("the service holds %v", held)
		}
		for name, want := range (values{"daily_snapshot_retention_days": 0, "snapshot_interval_hours": 6, "weekly_snapshot_retention_weeks": 4,
			"reference_hour_of_day": 3, "reference_minute_of_hour": 0, "reference_time_zone_offset": "+0000", "cluster_checkpoint_interval_min": nil}) {
			if got := r.Attributes()[name]; got != want {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		r.MustBeSettled(config)
	})
}

func TestAdoptionThatChangesNothingSendsNothing(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		config := providertest.Schedule(cards, values{"snapshot_interval_hours": 6, "reference_hour_of_day": 5, "reference_time_zone_offset": "+02"})
		diags := r.Create(config)
		wantSent(t, s)
		if len(diags) > 0 {
			t.Errorf("got %v", diags.Warnings())
		}
		r.MustBeSettled(config)
		providertest.WantEqual(t, r.Attributes()["reference_hour_of_day"], 5)
	})
}

func TestPlanOfAnAdoptionShowsTheOverwrittenValues(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 12})
		r := scheduleOn(t, s)
		p := r.Plan(providertest.Schedule(
			cards,
			values{"snapshot_interval_hours": 6, "weekly_snapshot_retention_weeks": 4, "reference_hour_of_day": 6, "reference_time_zone_offset": "+0200"},
		))
		overwrites, _ := p.Values()["overwrites"].(values)
		if len(p.Warnings()) > 0 || overwrites["snapshot_interval_hours"] != "12 -> 6" ||
			overwrites["reference_time_of_day"] != "03:00 UTC -> 04:00 UTC" || overwrites["weekly_snapshot_retention_weeks"] != nil {
			t.Errorf("%v %q", overwrites, p.Warnings())
		}
		wantSent(t, s)
	})
}

func TestRetentionIsUnknownIfAnIntervalMayShortenIt(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := scheduleOn(t, s)
	r.Create(providertest.Schedule(ledger, values{"snapshot_interval_hours": 24}))
	p := r.Plan(providertest.Schedule(ledger, values{"snapshot_interval_hours": 12}))
	if got, want := p.Changes(), []string{"snapshot_interval_hours", "snapshot_retention_days"}; !slices.Equal(got, want) {
		t.Errorf("the plan changes %v, want %v", got, want)
	}
	r.Apply(p)
	// Ops Manager keeps recent snapshots for at most 5 days below 24 hours.
	providertest.WantEqual(t, r.Attributes()["snapshot_retention_days"], 5)
	providertest.WantEmptyPlan(t, r.Plan(providertest.Schedule(ledger, values{"snapshot_interval_hours": 12})))

	for field, value := range (values{"full_incremental_day_of_week": "FRIDAY", "snapshot_interval_hours": 8, "weekly_snapshot_retention_weeks": 9}) {
		p = r.Plan(providertest.Schedule(ledger, values{field: value}))
		if got := p.Changes(); !slices.Equal(got, []string{field}) {
			t.Errorf("%s changes %v", field, got)
		}
	}
}

func TestOnlyDriftOfConfiguredFieldsIsPlanned(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		config := providertest.Schedule(
			cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200", "full_incremental_day_of_week": "TUESDAY"},
		)
		r.Create(config)
		s.SetSchedule(payments, cards, object{"referenceHourOfDay": 23, "weeklySnapshotRetentionWeeks": 9})
		r.MustRefresh()
		providertest.WantEqual(t, r.Attributes()["reference_hour_of_day"], 1)
		p := r.Plan(config)
		providertest.WantEqual(t, p.Changes(), []string{"reference_hour_of_day"})
		r.Apply(p)
		if got := s.Schedule(payments, cards)["referenceHourOfDay"]; fmt.Sprint(got) != "3" {
			t.Errorf("the service holds hour %v", got)
		}
		providertest.WantEmptyPlan(t, r.Plan(config))
	})
}

func TestTimeOfDayIsSentInUTC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config values
		want   string
	}{
		{
			values{"reference_hour_of_day": 7, "reference_time_zone_offset": "Z"},
			`{"referenceHourOfDay": 7, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0000"}`,
		},
		{
			values{"reference_hour_of_day": 1, "reference_time_zone_offset": "+02:00"},
			`{"referenceHourOfDay": 23, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0000"}`,
		},
		{
			values{"reference_hour_of_day": 22, "reference_minute_of_hour": 15, "reference_time_zone_offset": "-05"},
			`{"referenceHourOfDay": 3, "referenceMinuteOfHour": 15, "referenceTimeZoneOffset": "+0000"}`,
		},
		{
			values{"reference_hour_of_day": 5, "reference_minute_of_hour": 0, "reference_time_zone_offset": "+0530"},
			`{"referenceHourOfDay": 23, "referenceMinuteOfHour": 30, "referenceTimeZoneOffset": "+0000"}`,
		},
		{values{"reference_hour_of_day": 9}, `{"referenceHourOfDay": 9, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0000"}`},
		{values{"reference_minute_of_hour": 45}, `{"referenceHourOfDay": 3, "referenceMinuteOfHour": 45, "referenceTimeZoneOffset": "+0000"}`},
	} {
		t.Run(fmt.Sprint(c.config), func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			r := scheduleOn(t, s)
			config := providertest.Schedule(cards, c.config)
			r.Create(config)
			wantSent(t, s, c.want)
			r.MustBeSettled(config)
		})
	}
}

func TestAnotherSpellingOfTheTimeIsPlannedAndSendsNothing(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	r.Create(providertest.Schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
	for _, respelled := range []values{
		{"reference_hour_of_day": 4, "reference_time_zone_offset": "+01:00"},
		{"reference_hour_of_day": 4, "reference_time_zone_offset": "+01"},
		{"reference_hour_of_day": 8, "reference_minute_of_hour": 30, "reference_time_zone_offset": "+0530"},
		{"reference_hour_of_day": 3, "reference_minute_of_hour": 0, "reference_time_zone_offset": "Z"},
		{"reference_hour_of_day": 3},
	} {
		config := providertest.Schedule(cards, respelled)
		p := r.Plan(config)
		if p.IsEmpty() != (len(respelled) == 1) {
			t.Errorf("%v: the plan changes %v", respelled, p.Changes())
		}
		s.ResetRequests()
		if diags := r.ApplyReplanned(p); len(diags) > 0 {
			t.Errorf("%v: %q", respelled, append(diags.Errors(), diags.Warnings()...))
		}
		if calls := s.Calls(); len(calls) > 0 {
			t.Errorf("%v: sent %q", respelled, calls)
		}
		providertest.WantAttributes(t, r, respelled)
		r.MustBeSettled(config)
	}
}

// Terraform plans again before an apply, and compares that plan with the first one.
func TestUnknownValueThatTurnsOutUnchangedKeepsTheTime(t *testing.T) {
	t.Parallel()
	for _, late := range []struct {
		attribute string
		value     any
	}{
		{"snapshot_interval_hours", 6}, {"snapshot_interval_hours", 12},
		{"full_incremental_day_of_week", "SUNDAY"}, {"full_incremental_day_of_week", "FRIDAY"},
		{"retention_protection", true},
	} {
		t.Run(fmt.Sprint(late.attribute, late.value), func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 6, "fullIncrementalDayOfWeek": "SUNDAY"})
			r := scheduleOn(t, s)
			r.Create(providertest.Schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
			config := values{"reference_hour_of_day": 4, "reference_time_zone_offset": "+01:00", late.attribute: providertest.Unknown}
			p := r.Plan(providertest.Schedule(cards, config))
			config[late.attribute] = late.value
			r.Apply(p, values{late.attribute: late.value}).WantNoErrors(t)
			providertest.WantEmptyPlan(t, r.Plan(providertest.Schedule(cards, config)))
		})
	}
}

func TestMissingOffsetIsTakenFromTheConfiguration(t *testing.T) {
	t.Parallel()
	for offset, hour := range map[string]int{"Z": 3, "+0000": 3, "+0200": 5} {
		t.Run(offset, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{OmitFields: []string{"referenceTimeZoneOffset"}})
			s.SetSchedule(payments, cards, object{"referenceHourOfDay": 3})
			r := scheduleOn(t, s)
			r.Create(providertest.Schedule(cards, values{"reference_hour_of_day": 3}))
			config := providertest.Schedule(cards, values{"reference_hour_of_day": hour, "reference_time_zone_offset": offset})
			r.Create(config)
			providertest.WantEmptyPlan(t, r.Plan(config))
			r.MustBeSettled(config)
		})
	}
}

func TestOffsetWithoutAnHourIsNotImported(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{OmitFields: []string{"referenceHourOfDay"}})
	r := scheduleOn(t, s)
	r.ImportID(payments + "/" + cards)
	providertest.WantEmptyPlan(t, r.Plan(r.Attributes()))
}

func TestHalfHourOffsetsAreKeptIfOnlyPartOfTheTimeIsReturned(t *testing.T) {
	t.Parallel()
	for _, omitted := range []string{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"} {
		t.Run(omitted, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			r := scheduleOn(t, s)
			config := providertest.Schedule(cards, values{"reference_hour_of_day": 5, "reference_minute_of_hour": 15, "reference_time_zone_offset": "+0530"})
			r.Create(config)
			s.OmitFields(omitted)
			providertest.WantEmptyPlan(t, r.Plan(config))
			r.MustBeSettled(config)
			if held := s.Schedule(payments, cards); fmt.Sprint(held["referenceHourOfDay"], held["referenceMinuteOfHour"]) != "23 45" {
				t.Errorf("the service holds %v:%v", held["referenceHourOfDay"], held["referenceMinuteOfHour"])
			}
		})
	}
}

func TestRemovingTheOffsetMovesTheTimeToUTC(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	r.Create(providertest.Schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
	config := providertest.Schedule(cards, values{"reference_hour_of_day": 5})
	p := r.Plan(config)
	providertest.WantEqual(t, p.Values()["reference_time_zone_offset"], "+0000")
	r.Apply(p)
	wantHeld(t, s, cards, object{"referenceHourOfDay": 5})
	providertest.WantEmptyPlan(t, r.Plan(config))
}

func TestUnknownOffsetMayRequireAMinute(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := scheduleOn(t, s)
	p := r.Plan(providertest.Schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": providertest.Unknown}))
	r.Apply(p, values{"reference_time_zone_offset": "+0530"}).WantError(t, "reference_minute_of_hour")
	wantSent(t, s)
}

func TestAdjustedValueIsAnErrorOnItsAttribute(t *testing.T) {
	t.Parallel()
	adjust := func(_, after object, sent []string) {
		if slices.Contains(sent, "weeklySnapshotRetentionWeeks") {
			after["weeklySnapshotRetentionWeeks"] = 3
		}
	}
	s := providertest.StartService(t, emulator.Options{Adjust: adjust})
	r := scheduleOn(t, s)
	config := providertest.Schedule(cards, values{"weekly_snapshot_retention_weeks": 8})

	diags := r.Apply(r.Plan(config), nil)
	diags.WantError(t, "weekly_snapshot_retention_weeks", "sent 8", "then returned 3", "was changed, but is not in the state")
	if !r.State.IsNull() {
		t.Error("a failed creation has a state, which would be tainted")
	}

	s.SetSchedule(payments, cards, object{"weeklySnapshotRetentionWeeks": 20})
	r.Create(providertest.Schedule(cards, nil))
	diags = r.Apply(r.Plan(config), nil)
	diags.WantError(t, "weekly_snapshot_retention_weeks", "sent 8", "then returned 3", "The state has the value that Ops Manager returned")
	providertest.WantEqual(t, r.Attributes()["weekly_snapshot_retention_weeks"], 3)
}

func TestMissingFieldsOfResponsesKeepTheirState(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{OmitFields: []string{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"}}) // as in a documented response
	r := scheduleOn(t, s)
	config := providertest.Schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200", "weekly_snapshot_retention_weeks": 8})
	r.Create(config)
	s.OmitFields("referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset", "weeklySnapshotRetentionWeeks")
	r.MustBeSettled(config)
	if got := r.Attributes(); got["reference_hour_of_day"] != 5 || got["weekly_snapshot_retention_weeks"] != 8 || got["reference_minute_of_hour"] != nil {
		t.Errorf("the state holds %v", got)
	}
}

func TestResponseAtAnotherOffsetIsConverted(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.SetSchedule(payments, cards, object{"referenceHourOfDay": 5, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0200"})
	w := providertest.NewWorkspace(t, s)
	r := w.NewResource(providertest.ScheduleType)
	if p := r.Plan(providertest.Schedule(cards, values{"reference_hour_of_day": 3})); len(p.Warnings()) > 0 {
		t.Errorf("the plan changes the time, although 03:00 UTC is 05:00 at +0200: %q", p.Warnings())
	}
	config := providertest.Schedule(cards, values{"reference_hour_of_day": 8, "reference_minute_of_hour": 30, "reference_time_zone_offset": "+0530"})
	r.Create(config)
	wantSent(t, s)
	r.MustBeSettled(config)

	imported := w.NewResource(providertest.ScheduleType)
	imported.ImportID(payments + "/" + cards)
	if got := imported.Attributes(); got["reference_hour_of_day"] != 3 || got["reference_time_zone_offset"] != "+0000" {
		t.Errorf("imported as %v", got)
	}
}

func TestDestroyForgetsTheScheduleWithAWarning(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := scheduleOn(t, s)
	r.Create(providertest.Schedule(cards, values{"snapshot_interval_hours": 12}))
	before, asked := s.Schedule(payments, cards), len(s.Requests())
	diags := r.Destroy()
	diags.WantWarning(t, cards, "Will Be Removed Only From the State", "sends no request", "until the backup is terminated", "add a moved block")
	if len(s.Requests()) != asked || !reflect.DeepEqual(before, s.Schedule(payments, cards)) {
		t.Error("the destroy sent a request")
	}
	if !r.State.IsNull() {
		t.Error("the state still has it")
	}
}

func TestOnlyAResponseOfTheAPIMeansThatAScheduleIsGone(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		r.Create(providertest.Schedule(cards, nil))
		for _, page := range []string{
			"<html><title>Not Found</title></html>", `{"error": 404, "message": "no route"}`, `{"error": 500, "detail": "no route"}`,
			`{"errorCode": "ROUTE_MISSING"}`,
		} {
			s.ClearFaults()
			s.Inject(emulator.Fault{Times: -1, Path: cards, Status: 404, Body: page, BeforeAuth: true})
			r.Refresh().WantError(t, "404", "not a response of the Ops Manager API")
			if r.State.IsNull() {
				t.Fatalf("%s emptied the state", page)
			}
		}
	})
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		r.Create(providertest.Schedule(cards, nil))
		s.RemoveBackupConfig(payments, cards)
		r.Identity = nil // as with Terraform before 1.12
		r.Refresh().WantNoErrors(t)
		if !r.State.IsNull() {
			t.Error("the state still has the schedule")
		}
	})
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		r.Create(providertest.Schedule(cards, nil))
		s.RemoveCluster(payments, cards)
		r.Refresh().WantError(t, "[cluster_id]", "no cluster "+cards, "lost its role", "terraform state rm", "terraform destroy -refresh=false")
		if r.State.IsNull() {
			t.Error("the state no longer has the schedule")
		}
	})
}

func TestShorterRetentionIsAWarningOrAnError(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		w := providertest.NewWorkspace(t, s)
		r := w.NewResource(providertest.ScheduleType)
		shorter := values{
			"daily_snapshot_retention_days": 3, "weekly_snapshot_retention_weeks": 0, "monthly_snapshot_retention_months": 20,
			"point_in_time_window_hours": 12,
		}

		for _, step := range []string{"creation", "update"} {
			if step == "update" {
				r.Create(providertest.Schedule(cards, nil))
			}
			warnings := slices.DeleteFunc(
				r.Plan(providertest.Schedule(cards, shorter)).Warnings(),
				func(text string) bool { return strings.Contains(text, "Overwritten") },
			)
			providertest.WantOne(t, warnings, "Will Be Reduced", cards, "daily_snapshot_retention_days: 7 -> 3", "weekly_snapshot_retention_weeks: 4 -> 0. The rule is turned off",
				"point_in_time_window_hours: 24 -> 12", "stay until they expire", "retention_protection")
			if strings.Contains(warnings[0], "keeps monthly") {
				t.Errorf("a longer retention is reported as a decrease: %q", warnings[0])
			}

			refused := providertest.Schedule(cards, shorter)
			refused["retention_protection"] = true
			r.Plan(refused).WantError(t, "[daily_snapshot_retention_days]", cards, "7 -> 3", "To keep 7, configure daily_snapshot_retention_days = 7.",
				"4 -> 0", "24 -> 12", "retention_protection is true. To accept fewer, set it to false.")
		}
		wantSent(t, s)
	})
}

func TestLongerIntervalIsAWarningOrAnError(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.SetSchedule(payments, orders, object{"clusterCheckpointIntervalMin": 15, "snapshotIntervalHours": 6})
	r := scheduleOn(t, s)
	longer := values{"snapshot_interval_hours": 24, "cluster_checkpoint_interval_min": 60}
	for _, step := range []string{"creation", "update"} {
		if step == "update" {
			r.Create(providertest.Schedule(orders, nil))
		}
		providertest.WantContains(t, strings.Join(r.Plan(providertest.Schedule(orders, longer)).Warnings(), "\n"), "Will Be Reduced", orders,
			"snapshot_interval_hours: 6 -> 24. Ops Manager takes a snapshot every 24 hours instead of every 6.",
			"cluster_checkpoint_interval_min: 15 -> 60. Ops Manager creates a checkpoint every 60 minutes instead of every 15.")
		r.Plan(providertest.Schedule(orders, longer.With(values{"retention_protection": true}))).WantError(t,
			"[snapshot_interval_hours]", "Would Be Reduced", "6 -> 24", "15 -> 60", orders)
	}
	// Where there were no checkpoints, any interval is a gain.
	s.SetSchedule(payments, orders, object{"clusterCheckpointIntervalMin": nil})
	r.MustRefresh()
	p := r.Plan(providertest.Schedule(orders, values{"cluster_checkpoint_interval_min": 60, "retention_protection": true}))
	p.WantNoErrors(t)
}

func TestValuesThatNoVersionAcceptsAreErrors(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	for _, c := range []struct {
		fields    values
		attribute string
		words     []string
	}{
		{values{"project_id": "payments"}, "project_id", []string{"24 hexadecimal digits"}},
		{values{"cluster_id": ledger + "0"}, "cluster_id", []string{"24 hexadecimal digits"}},
		{values{"cluster_id": "ledger"}, "cluster_id", []string{"opsmanager_cluster find", "by name"}},
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
			p := scheduleOn(t, s).Plan(providertest.Schedule(ledger, c.fields))
			p.WantError(t, append(c.words, fmt.Sprintf("[%s]", c.attribute))...)
		})
	}
	for _, fields := range []values{
		{"reference_hour_of_day": providertest.Unknown, "reference_time_zone_offset": "+0200"},
		{"reference_hour_of_day": 1, "reference_minute_of_hour": providertest.Unknown, "reference_time_zone_offset": "-0330"},
		{"reference_hour_of_day": 1, "reference_time_zone_offset": providertest.Unknown},
	} {
		w.Configure()
		if errors := w.NewResource(providertest.ScheduleType).Plan(providertest.Schedule(ledger, fields)).Errors(); len(errors) > 0 {
			t.Errorf("%v is rejected, although it may become valid: %q", fields, errors)
		}
	}
}

func TestValuesThatOnlySomeVersionsAcceptAreSentWithAWarning(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	for _, c := range []struct {
		fields values
		word   string
	}{
		{values{"snapshot_retention_days": 1}, "documents 2 to 5"},
		{values{"snapshot_retention_days": 31}, "documents 2 to 5"},
		{values{"snapshot_retention_days": 6, "snapshot_interval_hours": 12}, "documents 2 to 5"},
		{values{"daily_snapshot_retention_days": 365}, "lists 0, 3 to 7"},
		{values{"weekly_snapshot_retention_weeks": 53}, "up to 52"},
		{values{"monthly_snapshot_retention_months": 84}, "up to 36"},
	} {
		w.Configure()
		p := w.NewResource(providertest.ScheduleType).Plan(providertest.Schedule(ledger, c.fields))
		doubtful := slices.DeleteFunc(p.Warnings(), func(text string) bool { return !strings.Contains(text, "Will Be Sent") })
		providertest.WantOne(t, doubtful, ledger, c.word)
		if len(p.Errors()) > 0 {
			t.Errorf("%v: %q", c.fields, p.Errors())
		}
	}
	for _, fields := range []values{
		{"snapshot_retention_days": 30, "snapshot_interval_hours": 24}, {"snapshot_retention_days": 6},
		{"daily_snapshot_retention_days": 360},
	} {
		for _, text := range w.NewResource(providertest.ScheduleType).Plan(providertest.Schedule(ledger, fields)).Warnings() {
			if strings.Contains(text, "Will Be Sent") {
				t.Errorf("%v: %q", fields, text)
			}
		}
	}

	w.Configure()
	r := w.NewResource(providertest.ScheduleType)
	r.Apply(r.Plan(providertest.Schedule(ledger, values{"daily_snapshot_retention_days": 365})), nil).WantError(t,
		"[daily_snapshot_retention_days]", "INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD")
	wantSent(t, s, `{"dailySnapshotRetentionDays": 365}`)
}

func TestUnknownProviderSettingIsNamedByThePlanAndTheRefresh(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	known := scheduleOn(t, s)
	known.Create(providertest.Schedule(cards, nil))
	r := providertest.NewWorkspace(t, s, values{"base_url": providertest.Unknown}).NewResource(providertest.ScheduleType)
	late := r.Plan(providertest.Schedule(cards, values{"snapshot_interval_hours": 12}))
	late.WantWarning(t, "Overwritten Values Will Be Known Only During the Apply", "known only during the apply")
	r.State, r.Identity = known.State, known.Identity
	r.Refresh().WantWarning(t, "base_url", "the state was kept")
}
