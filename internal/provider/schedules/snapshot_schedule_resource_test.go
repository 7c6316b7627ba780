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

// manageCards starts a service, and returns the snapshot schedule of cards, with these fields in its state.
func manageCards(t *testing.T, fields values) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s, r := startSchedule(t)
	r.Create(scheduleOf(cards, fields))
	return s, r
}

// scheduleOn returns a snapshot schedule on a service without a state.
func scheduleOn(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.ScheduleType)
}

func TestAdoptionSendsOnlyTheConfiguredFields(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		config := scheduleOf(cards, values{"daily_snapshot_retention_days": 0, "full_incremental_day_of_week": "MONDAY"})
		r.Create(config)
		wantSent(t, s, `{"dailySnapshotRetentionDays": 0, "fullIncrementalDayOfWeek": "MONDAY"}`)
		wantHeld(t, s, cards, object{"dailySnapshotRetentionDays": 0, "fullIncrementalDayOfWeek": "MONDAY"})
		providertest.WantAttributes(t, r, values{
			"daily_snapshot_retention_days": 0, "snapshot_interval_hours": 6, "weekly_snapshot_retention_weeks": 4, "reference_hour_of_day": 3,
			"reference_minute_of_hour": 0, "reference_time_zone_offset": "+0000", "cluster_checkpoint_interval_min": nil,
		})
		r.MustBeSettled(config)
	})
}

func TestAdoptionThatChangesNothingSendsNothing(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		config := scheduleOf(cards, values{"snapshot_interval_hours": 6, "reference_hour_of_day": 5, "reference_time_zone_offset": "+02"})
		diags := r.Create(config)
		wantSent(t, s)
		if len(diags) > 0 {
			t.Errorf("got %v", diags.Warnings())
		}
		r.MustBeSettled(config)
		providertest.WantEqual(t, r.Attributes()["reference_hour_of_day"], 5)
	})
}

func TestTimeOfDayIsSentInUTC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config values
		want   string
	}{
		{
			values{"reference_hour_of_day": 1, "reference_time_zone_offset": "+02:00"},
			`{"referenceHourOfDay": 23, "referenceMinuteOfHour": 0, "referenceTimeZoneOffset": "+0000"}`,
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
			s, r := startSchedule(t)
			config := scheduleOf(cards, c.config)
			r.Create(config)
			wantSent(t, s, c.want)
			r.MustBeSettled(config)
		})
	}
}

func TestAnotherSpellingOfTheTimeIsPlannedAndSendsNothing(t *testing.T) {
	t.Parallel()
	s, r := manageCards(t, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"})
	for _, respelled := range []values{
		{"reference_hour_of_day": 4, "reference_time_zone_offset": "+01:00"},
		{"reference_hour_of_day": 4, "reference_time_zone_offset": "+01"},
		{"reference_hour_of_day": 8, "reference_minute_of_hour": 30, "reference_time_zone_offset": "+0530"},
		{"reference_hour_of_day": 3, "reference_minute_of_hour": 0, "reference_time_zone_offset": "Z"},
		{"reference_hour_of_day": 3},
	} {
		config := scheduleOf(cards, respelled)
		p := r.Plan(config)
		if p.IsEmpty() != (len(respelled) == 1) {
			t.Errorf("%v: the plan changes %v", respelled, p.Changes())
		}
		s.ResetRequests()
		r.ApplyReplanned(p).WantNone(t)
		if calls := s.Calls(); len(calls) > 0 {
			t.Errorf("%v: sent %q", respelled, calls)
		}
		providertest.WantAttributes(t, r, respelled)
		r.MustBeSettled(config)
	}
}

func TestMissingOffsetIsTakenFromTheConfiguration(t *testing.T) {
	t.Parallel()
	for offset, hour := range map[string]int{"Z": 3, "+0000": 3, "+0200": 5} {
		t.Run(offset, func(t *testing.T) {
			t.Parallel()
			s, r := startSchedule(t, emulator.Options{OmitFields: []string{"referenceTimeZoneOffset"}})
			s.SetSchedule(payments, cards, object{"referenceHourOfDay": 3})
			r.Create(scheduleOf(cards, values{"reference_hour_of_day": 3}))
			config := scheduleOf(cards, values{"reference_hour_of_day": hour, "reference_time_zone_offset": offset})
			r.Create(config)
			providertest.WantEmptyPlan(t, r.Plan(config))
			r.MustBeSettled(config)
		})
	}
}

func TestOffsetWithoutAnHourIsNotImported(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t, emulator.Options{OmitFields: []string{"referenceHourOfDay"}})
	r.ImportID(payments + "/" + cards)
	providertest.WantEmptyPlan(t, r.Plan(r.Attributes()))
}

func TestHalfHourOffsetsAreKeptIfOnlyPartOfTheTimeIsReturned(t *testing.T) {
	t.Parallel()
	for _, omitted := range []string{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"} {
		t.Run(omitted, func(t *testing.T) {
			t.Parallel()
			s, r := startSchedule(t)
			config := scheduleOf(cards, values{"reference_hour_of_day": 5, "reference_minute_of_hour": 15, "reference_time_zone_offset": "+0530"})
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
	s, r := manageCards(t, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"})
	config := scheduleOf(cards, values{"reference_hour_of_day": 5})
	p := r.Plan(config)
	providertest.WantEqual(t, p.Values()["reference_time_zone_offset"], "+0000")
	r.Apply(p)
	wantHeld(t, s, cards, object{"referenceHourOfDay": 5})
	providertest.WantEmptyPlan(t, r.Plan(config))
}

func TestUnknownOffsetMayRequireAMinute(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	p := r.Plan(scheduleOf(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": unknown}))
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
	s, r := startSchedule(t, emulator.Options{Adjust: adjust})
	config := scheduleOf(cards, values{"weekly_snapshot_retention_weeks": 8})

	diags := r.Apply(r.Plan(config), nil)
	diags.WantError(t, "weekly_snapshot_retention_weeks", "sent 8", "then returned 3", "was changed, but is not in the state")
	if !r.State.IsNull() {
		t.Error("a failed creation has a state, which would be tainted")
	}

	s.SetSchedule(payments, cards, object{"weeklySnapshotRetentionWeeks": 20})
	r.Create(scheduleOf(cards, nil))
	diags = r.Apply(r.Plan(config), nil)
	diags.WantError(t, "weekly_snapshot_retention_weeks", "sent 8", "then returned 3", "The state has the value that Ops Manager returned")
	providertest.WantEqual(t, r.Attributes()["weekly_snapshot_retention_weeks"], 3)
}

func TestMissingFieldsOfResponsesKeepTheirState(t *testing.T) {
	t.Parallel()
	timeFields := []string{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"}
	s, r := startSchedule(t, emulator.Options{OmitFields: timeFields}) // as in a documented response
	config := scheduleOf(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200", "weekly_snapshot_retention_weeks": 8})
	r.Create(config)
	s.OmitFields(append(timeFields, "weeklySnapshotRetentionWeeks")...)
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
	r.Plan(scheduleOf(cards, values{"reference_hour_of_day": 3})).WantNoWarnings(t)
	config := scheduleOf(cards, values{"reference_hour_of_day": 8, "reference_minute_of_hour": 30, "reference_time_zone_offset": "+0530"})
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
	s, r := manageCards(t, values{"snapshot_interval_hours": 12})
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
		r.Create(scheduleOf(cards, nil))
		s.Inject(emulator.Fault{Times: -1, Path: cards, Status: 404, Body: `{"error": 404, "message": "no route"}`, BeforeAuth: true})
		r.Refresh().WantError(t, "404", "not a response of the Ops Manager API")
		s.ClearFaults()
		held := r.Attributes()
		s.RemoveBackupConfig(payments, cards)
		r.Identity = nil // as with Terraform before 1.12
		gone := *r
		gone.Refresh().WantNoErrors(t)
		providertest.WantNoState(t, &gone)
		s.RemoveCluster(payments, cards)
		r.Refresh().WantError(t, "[cluster_id]", "no cluster "+cards, "lost its role", "terraform state rm", "terraform destroy -refresh=false")
		providertest.WantAttributes(t, r, held)
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
				r.Create(scheduleOf(cards, nil))
			}
			p := r.Plan(scheduleOf(cards, shorter))
			p.WantWarning(t, "Will Be Reduced", cards, "daily_snapshot_retention_days: 7 -> 3", "point_in_time_window_hours: 24 -> 12",
				"weekly_snapshot_retention_weeks: 4 -> 0. The rule is turned off", "stay until they expire", "retention_protection")
			providertest.WantUnsaid(t, p.Warnings(), "keeps monthly") // for longer

			r.Plan(scheduleOf(cards, shorter.With(guard))).WantError(
				t, "[daily_snapshot_retention_days]", cards, "7 -> 3", "To keep 7, configure daily_snapshot_retention_days = 7.",
				"4 -> 0", "24 -> 12", "retention_protection is true. To accept fewer, set it to false.",
			)
		}
		wantSent(t, s)
	})
}

func TestLongerIntervalIsAWarningOrAnError(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	s.SetSchedule(payments, orders, object{"clusterCheckpointIntervalMin": 15, "snapshotIntervalHours": 6})
	longer := values{"snapshot_interval_hours": 24, "cluster_checkpoint_interval_min": 60}
	for _, step := range []string{"creation", "update"} {
		if step == "update" {
			r.Create(scheduleOf(orders, nil))
		}
		providertest.WantContains(t, strings.Join(r.Plan(scheduleOf(orders, longer)).Warnings(), "\n"), "Will Be Reduced", orders,
			"snapshot_interval_hours: 6 -> 24. Ops Manager takes a snapshot every 24 hours instead of every 6.",
			"cluster_checkpoint_interval_min: 15 -> 60. Ops Manager creates a checkpoint every 60 minutes instead of every 15.")
		r.Plan(scheduleOf(orders, longer.With(guard))).WantError(t,
			"[snapshot_interval_hours]", "Would Be Reduced", "6 -> 24", "15 -> 60", orders)
	}
	// Where there were no checkpoints, any interval is a gain.
	s.SetSchedule(payments, orders, object{"clusterCheckpointIntervalMin": nil})
	r.MustRefresh()
	p := r.Plan(scheduleOf(orders, values{"cluster_checkpoint_interval_min": 60, "retention_protection": true}))
	p.WantNoErrors(t)
}

func TestValuesThatNoVersionAcceptsAreErrors(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	hour := values{"reference_hour_of_day": 1}
	for _, c := range []struct {
		attribute string
		value     any
		more      values
		words     []string
	}{
		{"project_id", "payments", nil, []string{"24 hexadecimal digits"}},
		{"cluster_id", ledger + "0", nil, []string{"24 hexadecimal digits"}},
		{"cluster_id", "ledger", nil, []string{"opsmanager_cluster find", "by name"}},
		{"snapshot_interval_hours", 7, nil, []string{"6", "8", "12", "24"}},
		{"snapshot_retention_days", 0, nil, []string{"at least 1"}},
		{"daily_snapshot_retention_days", -1, nil, []string{"at least 0"}},
		{"weekly_snapshot_retention_weeks", -1, nil, []string{"at least 0"}},
		{"monthly_snapshot_retention_months", -1, nil, []string{"at least 0"}},
		{"point_in_time_window_hours", -1, nil, []string{"at least 0"}},
		{"cluster_checkpoint_interval_min", 20, nil, []string{"15", "30", "60"}},
		{"reference_hour_of_day", 24, nil, []string{"between 0 and 23"}},
		{"reference_minute_of_hour", 60, nil, []string{"between 0 and 59"}},
		{"reference_time_zone_offset", "CET", hour, []string{"+0200", "CET"}},
		{"reference_time_zone_offset", "+0200", nil, []string{"reference_hour_of_day"}},
		{"reference_time_zone_offset", "+0530", hour, []string{"reference_minute_of_hour"}},
		{"full_incremental_day_of_week", "sunday", nil, []string{"SUNDAY"}},
	} {
		t.Run(fmt.Sprint(c.attribute, c.value), func(t *testing.T) {
			t.Parallel()
			p := scheduleOn(t, s).Plan(scheduleOf(ledger, c.more).With(values{c.attribute: c.value}))
			p.WantError(t, append(c.words, "["+c.attribute+"]")...)
		})
	}
	for _, fields := range []values{
		{"reference_hour_of_day": unknown, "reference_time_zone_offset": "+0200"},
		{"reference_hour_of_day": 1, "reference_minute_of_hour": unknown, "reference_time_zone_offset": "-0330"},
		{"reference_hour_of_day": 1, "reference_time_zone_offset": unknown},
	} {
		w.Configure()
		w.NewResource(providertest.ScheduleType).Plan(scheduleOf(ledger, fields)).WantNoErrors(t)
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
		p := w.NewResource(providertest.ScheduleType).Plan(scheduleOf(ledger, c.fields))
		providertest.WantOne(t, thatSay(p.Warnings(), "Will Be Sent"), ledger, c.word)
		p.WantNoErrors(t)
	}
	for _, fields := range []values{
		{"snapshot_retention_days": 30, "snapshot_interval_hours": 24}, {"snapshot_retention_days": 6},
		{"daily_snapshot_retention_days": 360},
	} {
		providertest.WantUnsaid(t, w.NewResource(providertest.ScheduleType).Plan(scheduleOf(ledger, fields)).Warnings(), "Will Be Sent")
	}

	w.Configure()
	r := w.NewResource(providertest.ScheduleType)
	r.Apply(r.Plan(scheduleOf(ledger, values{"daily_snapshot_retention_days": 365})), nil).WantError(t,
		"[daily_snapshot_retention_days]", "INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD")
	wantSent(t, s, `{"dailySnapshotRetentionDays": 365}`)
}

func TestUnknownProviderSettingIsNamedByThePlanAndTheRefresh(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	known := scheduleOn(t, s)
	known.Create(scheduleOf(cards, nil))
	r := providertest.NewWorkspace(t, s, values{"base_url": unknown}).NewResource(providertest.ScheduleType)
	late := r.Plan(scheduleOf(cards, values{"snapshot_interval_hours": 12}))
	late.WantWarning(t, "Overwritten Values Will Be Known Only During the Apply", "known only during the apply")
	r.State, r.Identity = known.State, known.Identity
	r.Refresh().WantWarning(t, "base_url", "the state was kept")
}
