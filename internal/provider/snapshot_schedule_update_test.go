package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// heldField returns a number or a text that the service holds of a schedule.
func (s *testService) heldField(cluster, field string) string {
	return fmt.Sprint(s.Schedule(payments, cluster)[field])
}

func wantHeld(t *testing.T, s *testService, cluster string, want map[string]any) {
	t.Helper()
	for field, value := range want {
		if got := s.heldField(cluster, field); got != fmt.Sprint(value) {
			t.Errorf("Ops Manager holds %s %s, want %v", field, got, value)
		}
	}
}

func startedSchedule(t *testing.T, options emulator.Options) (*testService, *managed) {
	t.Helper()
	s := startService(t, options)
	return s, openWorkspace(t, s, nil).resource(scheduleType)
}

func TestAnUpdateLeavesAloneWhatIgnoreChangesNames(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	r.ignoreChanges = []string{"daily_snapshot_retention_days"}
	config := schedule(cards, values{"daily_snapshot_retention_days": 7, "full_incremental_day_of_week": "SUNDAY"})
	r.create(config)
	s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 360})
	r.refresh()
	s.ResetRequests()
	config["full_incremental_day_of_week"] = "MONDAY"
	p := r.plan(config)
	if got := p.changes(); !slices.Equal(got, []string{"full_incremental_day_of_week"}) {
		t.Errorf("the plan changes %v", got)
	}
	r.applyAgainPlanned(p)
	wantPatches(t, s, map[string]any{"fullIncrementalDayOfWeek": "MONDAY"})
	wantHeld(t, s, cards, map[string]any{"dailySnapshotRetentionDays": 360})
	wantAttributes(t, r, values{"daily_snapshot_retention_days": 360})
	r.refresh()
	wantEmpty(t, r.plan(config))
}

func TestASavedPlanChangesOnlyWhatItShows(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		config := schedule(cards, values{"daily_snapshot_retention_days": 7, "weekly_snapshot_retention_weeks": 4, "full_incremental_day_of_week": "SUNDAY"})
		r.create(config)
		config["full_incremental_day_of_week"] = "MONDAY"
		p := r.plan(config)
		s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 360, "referenceHourOfDay": 9})
		s.ResetRequests()
		r.applyAgainPlanned(p)
		wantPatches(t, s, map[string]any{"fullIncrementalDayOfWeek": "MONDAY"})
		r.refresh()
		if got := r.plan(config).changes(); !slices.Equal(got, []string{"daily_snapshot_retention_days"}) {
			t.Errorf("the next plan changes %v", got)
		}
	})
}

func TestAPartOfTheTimeOfDayLeavesTheOtherPartAsItIsNow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after values
		want          map[string]any
	}{
		{values{"reference_hour_of_day": 3, "reference_minute_of_hour": 0}, values{"reference_hour_of_day": 3, "reference_minute_of_hour": 30},
			map[string]any{"referenceHourOfDay": 20.0, "referenceMinuteOfHour": 30.0}},
		{values{"reference_hour_of_day": 3, "reference_minute_of_hour": 0}, values{"reference_hour_of_day": 4, "reference_minute_of_hour": 0},
			map[string]any{"referenceHourOfDay": 4.0, "referenceMinuteOfHour": 10.0}},
		{values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200", "reference_minute_of_hour": 0}, values{"reference_hour_of_day": 6, "reference_time_zone_offset": "+0200", "reference_minute_of_hour": 0},
			map[string]any{"referenceHourOfDay": 4.0, "referenceMinuteOfHour": 10.0, "referenceTimeZoneOffset": "+0000"}},
		{values{"reference_hour_of_day": 8, "reference_time_zone_offset": "+0530", "reference_minute_of_hour": 30}, values{"reference_hour_of_day": 8, "reference_time_zone_offset": "+0530", "reference_minute_of_hour": 45},
			map[string]any{"referenceHourOfDay": 20.0, "referenceMinuteOfHour": 15.0, "referenceTimeZoneOffset": "+0000"}}, // 20:10 UTC is 01:40 there
	} {
		t.Run(fmt.Sprint(c.after), func(t *testing.T) {
			t.Parallel()
			s, r := startedSchedule(t, emulator.Options{})
			r.create(schedule(cards, c.before))
			p := r.plan(schedule(cards, c.after))
			s.SetSchedule(payments, cards, map[string]any{"referenceHourOfDay": 20, "referenceMinuteOfHour": 10})
			s.ResetRequests()
			r.applyAgainPlanned(p)
			wantPatches(t, s, c.want)
		})
	}
}

func TestAnAdoptionSendsOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	r.create(schedule(cards, values{"snapshot_interval_hours": 6, "daily_snapshot_retention_days": 7, "weekly_snapshot_retention_weeks": 9, "reference_hour_of_day": 3}))
	wantPatches(t, s, map[string]any{"weeklySnapshotRetentionWeeks": 9.0})
}

func TestAnUpdateOfAScheduleThatIsGoneSendsNothing(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	r.create(schedule(cards, nil))
	p := r.plan(schedule(cards, values{"weekly_snapshot_retention_weeks": 9}))
	s.RemoveCluster(payments, cards)
	wantOne(t, r.apply(p, nil).errors(), "Unable to Update Snapshot Schedule", "404")
	wantPatches(t, s)
}

func TestAServerThatShowsOldValuesForAMomentAdjustsNothing(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{
		"answers": {StaleAnswers: true}, "answers and reads": {StaleAnswers: true, StaleReads: 2}, "reads": {StaleReads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedSchedule(t, options)
			config := schedule(cards, values{"weekly_snapshot_retention_weeks": 9})
			r.create(config)
			config["weekly_snapshot_retention_weeks"] = 12
			if told := r.create(config); len(told) > 0 {
				t.Errorf("told %q", told.warnings())
			}
			wantHeld(t, s, cards, map[string]any{"weeklySnapshotRetentionWeeks": 12})
			wantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 12})
		})
	}
}

// The interval of ledger is 24 hours, and its recent snapshots are kept 20 days.
func TestAnIntervalThatShortensARetentionIsPlannedSo(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"creation", "update", "import"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s, r := startedSchedule(t, emulator.Options{})
			switch step {
			case "update":
				r.create(schedule(ledger, nil))
			case "import":
				r.importID(payments + "/" + ledger)
			}
			config := schedule(ledger, values{"snapshot_interval_hours": 12, "prevent_retention_decrease": true})
			wantOne(t, r.plan(config).errors(), "[snapshot_interval_hours]", "Shorter Retention Prevented", "snapshot_retention_days: 20 -> 5", ledger)
			wantPatches(t, s)

			delete(config, "prevent_retention_decrease")
			p := r.plan(config)
			wantWords(t, strings.Join(p.warnings(), "\n"), "Shorter Retention of Cluster "+ledger, "snapshot_retention_days: 20 -> 5")
			if told := r.apply(p, nil); len(told) > 0 { // the plan said it all
				t.Errorf("told %q %q", told.errors(), told.warnings())
			}
			wantAttributes(t, r, values{"snapshot_retention_days": 5})
		})
	}
}

func TestAnIntervalIsRefusedRatherThanShortenAConfiguredRetention(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	p := r.plan(schedule(ledger, values{"snapshot_interval_hours": 12, "snapshot_retention_days": 20}))
	wantWords(t, strings.Join(p.warnings(), "\n"), "Unusual snapshot_retention_days", "at most 5 days")
	wantOne(t, r.apply(p, nil).errors(), "[snapshot_retention_days]", "INVALID_SNAPSHOT_RETENTION_PERIOD")
	wantPatches(t, s, map[string]any{"snapshotIntervalHours": 12.0, "snapshotRetentionDays": 20.0})
	wantHeld(t, s, ledger, map[string]any{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20})
}

// shrinking is a server that shortens the weekly retention along with any change.
func shrinking(_, after map[string]any, _ []string) { after["weeklySnapshotRetentionWeeks"] = 1.0 }

func TestARetentionThatTheServerShortensAlongIsToldOfAfterwards(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"creation", "update"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			_, r := startedSchedule(t, emulator.Options{Adjust: shrinking})
			if step == "update" {
				r.create(schedule(cards, nil))
			}
			config := schedule(cards, values{"full_incremental_day_of_week": "MONDAY"})
			p := r.plan(config)
			told := r.apply(p, nil)
			wantOne(t, told.warnings(), "Shorter Retention of Cluster "+cards+" Than Planned", "weekly_snapshot_retention_weeks: 4 -> 1")
			if len(told.errors()) > 0 {
				t.Fatal(told.errors())
			}
			r.refresh()
			wantEmpty(t, r.plan(config))
		})
	}
}

func TestTheGuardMakesARetentionThatTheServerShortensAlongAnError(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{Adjust: shrinking})
	config := schedule(cards, values{"full_incremental_day_of_week": "MONDAY", "prevent_retention_decrease": true})
	told := r.apply(r.plan(config), nil)
	wantOne(t, told.errors(), "[weekly_snapshot_retention_weeks]", "Retention Shortened", "4 -> 1", "To get the retention back, configure it")
	wantNothing(t, r)

	s, r := startedSchedule(t, emulator.Options{Adjust: shrinking})
	r.create(schedule(cards, nil))
	told = r.apply(r.plan(config), nil)
	wantOne(t, told.errors(), "[weekly_snapshot_retention_weeks]", "4 -> 1")
	wantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 1, "full_incremental_day_of_week": "MONDAY"})
	wantHeld(t, s, cards, map[string]any{"weeklySnapshotRetentionWeeks": 1})
}

func TestAConfiguredFieldThatTheServerChangesAlongIsAnError(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{Adjust: shrinking})
	config := schedule(cards, values{"weekly_snapshot_retention_weeks": 4})
	r.create(config)
	config["full_incremental_day_of_week"] = "MONDAY"
	told := r.apply(r.plan(config), nil)
	wantOne(t, told.errors(), "[weekly_snapshot_retention_weeks]", "Ops Manager Changed a Configured Value", "4 -> 1")
	wantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 1})
}

func TestFieldsThatTheServerChangesAlongAreToldOf(t *testing.T) {
	t.Parallel()
	adjust := func(_, after map[string]any, _ []string) {
		after["weeklySnapshotRetentionWeeks"], after["fullIncrementalDayOfWeek"], after["referenceHourOfDay"] = 20.0, "FRIDAY", 11.0
	}
	s, r := startedSchedule(t, emulator.Options{Adjust: adjust})
	s.SetSchedule(payments, cards, map[string]any{"fullIncrementalDayOfWeek": "SUNDAY", "referenceHourOfDay": 3})
	r.create(schedule(cards, nil))
	config := schedule(cards, values{"daily_snapshot_retention_days": 15})
	told := r.apply(r.plan(config), nil)
	wantOne(t, told.warnings(), "Further Changes", cards, "weekly_snapshot_retention_weeks: 4 -> 20", "full_incremental_day_of_week: SUNDAY -> FRIDAY", "reference_hour_of_day: 3 UTC -> 11 UTC")
	wantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 4}) // as planned, until the next refresh
	r.refresh()
	wantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 20})
	wantEmpty(t, r.plan(config))
}

func TestAPlannedIncreaseThatHasBecomeADecreaseIsToldOf(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	r.create(schedule(cards, nil))
	p := r.plan(schedule(cards, values{"weekly_snapshot_retention_weeks": 12}))
	s.SetSchedule(payments, cards, map[string]any{"weeklySnapshotRetentionWeeks": 20})
	wantOne(t, r.apply(p, nil).warnings(), "Shorter Retention of Cluster "+cards, "weekly_snapshot_retention_weeks: 20 -> 12")
}

func TestTheGuardKeepsWhatDriftHasLengthened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config values
		drift  map[string]any
		words  []string
	}{
		"a retention":            {values{"daily_snapshot_retention_days": 30}, map[string]any{"dailySnapshotRetentionDays": 60}, []string{"daily_snapshot_retention_days: 30 -> 60"}},
		"the window":             {values{"point_in_time_window_hours": 24}, map[string]any{"pointInTimeWindowHours": 72}, []string{"point_in_time_window_hours: 24 -> 72"}},
		"an interval":            {values{"snapshot_interval_hours": 6}, map[string]any{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20}, []string{"snapshot_interval_hours: 6 -> 24"}},
		"an interval with a day": {values{"snapshot_interval_hours": 6, "snapshot_retention_days": 5}, map[string]any{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20}, []string{"snapshot_interval_hours: 6 -> 24", "snapshot_retention_days: 5 -> 20"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedSchedule(t, emulator.Options{})
			config := schedule(cards, values{"prevent_retention_decrease": true})
			maps.Copy(config, c.config)
			r.create(config)
			s.SetSchedule(payments, cards, c.drift)
			r.refresh()
			p := r.plan(config)
			wantEmpty(t, p)
			wantOne(t, p.warnings(), append(c.words, "Longer Retention of Cluster "+cards+" Kept")...)

			// Another change leaves it alone, and is not mistaken for a new configuration.
			config["full_incremental_day_of_week"] = "TUESDAY"
			r.create(config)
			wantHeld(t, s, cards, c.drift)
			r.refresh()
			wantEmpty(t, r.plan(config))
			if told := r.destroy(); len(told.errors()) > 0 {
				t.Error(told.errors())
			}
		})
	}
}

func TestTheGuardRefusesADecreaseThatTheConfigurationBrings(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	config := schedule(cards, values{"daily_snapshot_retention_days": 60, "prevent_retention_decrease": true})
	r.create(config)
	config["daily_snapshot_retention_days"] = 30
	wantOne(t, r.plan(config).errors(), "[daily_snapshot_retention_days]", "Shorter Retention Prevented", "60 -> 30")

	// Nor is it drift if the value was last applied long ago, or was ignored.
	r.ignoreChanges = []string{"daily_snapshot_retention_days"}
	config["full_incremental_day_of_week"] = "TUESDAY"
	r.create(config)
	r.ignoreChanges = nil
	wantOne(t, r.plan(config).errors(), "[daily_snapshot_retention_days]", "60 -> 30")

	imported := openWorkspace(t, s, nil).resource(scheduleType)
	imported.importID(payments + "/" + cards)
	wantOne(t, imported.plan(config).errors(), "[daily_snapshot_retention_days]", "60 -> 30")
}

func TestWithoutTheGuardDriftIsPutBack(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	config := schedule(cards, values{"daily_snapshot_retention_days": 30})
	r.create(config)
	s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 60})
	r.refresh()
	wantOne(t, r.plan(config).warnings(), "Shorter Retention", "daily_snapshot_retention_days: 60 -> 30")
}

func TestRetentionsThatAreNotReturnedAreToldOf(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{OmitFields: []string{"weeklySnapshotRetentionWeeks"}})
	config := schedule(cards, values{"weekly_snapshot_retention_weeks": 2, "prevent_retention_decrease": true})
	p := r.plan(config)
	wantWords(t, strings.Join(p.warnings(), "\n"), "weekly_snapshot_retention_weeks = 2 (not returned by Ops Manager)", "Overwritten", "Retention of Cluster "+cards+" Not Returned")
	wantOne(t, r.apply(p, nil).warnings(), "Retention of Cluster "+cards+" Not Returned", "prevent_retention_decrease cannot tell")
	wantOne(t, r.refresh().warnings(), "Retention of Cluster "+cards+" Not Returned", "weekly_snapshot_retention_weeks", "drift does not show")

	// Nor can the guard tell what an interval shortens.
	_, r3 := startedSchedule(t, emulator.Options{OmitFields: []string{"snapshotRetentionDays"}})
	p = r3.plan(schedule(ledger, values{"snapshot_interval_hours": 12, "prevent_retention_decrease": true}))
	wantWords(t, strings.Join(p.warnings(), "\n"), "Retention of Cluster "+ledger+" Not Returned", "snapshot_retention_days = at most 5")

	// What is not configured need not be shown.
	r2 := openWorkspace(t, s, nil).resource(scheduleType)
	r2.create(schedule(cards, nil))
	if told := r2.refresh(); len(told) > 0 {
		t.Errorf("told %q", told.warnings())
	}
}

func TestAPlanThatCannotBeAppliedFails(t *testing.T) {
	t.Parallel()
	const shard, nowhere = "650a2036b7d9f1e3a5c70925", "0123456789abcdef01234567"
	for name, c := range map[string]struct {
		settings values
		config   values
		words    []string
	}{
		"wrong key":        {values{"private_key": "wrong"}, schedule(cards, nil), []string{"401", "private_key"}},
		"unknown project":  {nil, values{"project_id": nowhere, "cluster_id": cards}, []string{"[project_id]", "project"}},
		"shard":            {nil, schedule(shard, nil), []string{"[cluster_id]", "CANNOT_MODIFY_SHARD_BACKUP_CONFIG"}},
		"unreachable host": {values{"base_url": "http://127.0.0.1:1"}, schedule(cards, nil), []string{"could not be reached"}},
		"TLS":              {values{"base_url": "https"}, schedule(cards, nil), []string{"does not speak TLS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{})
			settings := maps.Clone(c.settings)
			if settings["base_url"] == "https" {
				settings["base_url"] = strings.Replace(s.URL, "http://", "https://", 1)
			}
			wantOne(t, openWorkspace(t, s, settings).resource(scheduleType).plan(c.config).errors(), append(c.words, "Unable to Adopt Snapshot Schedule")...)
		})
	}
	for name, cluster := range map[string]string{"a cluster that isn't there": nowhere, "a backup that is not started": "650a2177e1f3a5b7c9d00e42"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := startedSchedule(t, emulator.Options{})
			p := r.plan(schedule(cluster, values{"daily_snapshot_retention_days": 7}))
			if len(p.errors()) > 0 {
				t.Errorf("told %q", p.errors())
			}
			wantOne(t, p.warnings(), "No Preview of the Snapshot Schedule of Cluster "+cluster)
		})
	}
}

func TestValuesThatAreKnownLateInTheSameZoneApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live     map[string]any // of hour and minute in UTC
		config   values
		late     values
		before   values // configured first, if not nil
		wantHour any
	}{
		{nil, values{"reference_hour_of_day": unknown, "reference_minute_of_hour": 0, "reference_time_zone_offset": "Z"}, values{"reference_hour_of_day": 3}, values{}, 3},
		{nil, values{"reference_hour_of_day": 3, "reference_minute_of_hour": unknown, "reference_time_zone_offset": "Z"}, values{"reference_minute_of_hour": 0}, values{}, 3},
		{nil, values{"reference_hour_of_day": 3, "reference_minute_of_hour": unknown, "reference_time_zone_offset": "Z"}, values{"reference_minute_of_hour": 30}, values{}, 3},
		{nil, values{"reference_hour_of_day": unknown, "reference_time_zone_offset": "+02:00"}, values{"reference_hour_of_day": 5}, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}, 5},
		{nil, values{"reference_hour_of_day": unknown, "reference_time_zone_offset": "+02:00"}, values{"reference_hour_of_day": 6}, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}, 6},
		// Only the minute is late, and the zone is another one by whole hours.
		{nil, values{"reference_hour_of_day": 5, "reference_minute_of_hour": unknown, "reference_time_zone_offset": "+02:00"}, values{"reference_minute_of_hour": 0}, values{}, 3},
		{nil, values{"reference_hour_of_day": 5, "reference_minute_of_hour": unknown, "reference_time_zone_offset": "+02:00"}, values{"reference_minute_of_hour": 30}, values{}, 3},
		{nil, values{"reference_hour_of_day": 9, "reference_minute_of_hour": unknown, "reference_time_zone_offset": "+02:00"}, values{"reference_minute_of_hour": 30}, values{}, 9},
	} {
		t.Run(fmt.Sprint(c.config, c.late), func(t *testing.T) {
			t.Parallel()
			_, r := startedSchedule(t, emulator.Options{})
			r.create(schedule(cards, c.before))
			p := r.plan(schedule(cards, c.config))
			if told := r.apply(p, c.late); len(told.errors()) > 0 {
				t.Fatal(told.errors())
			}
			wantAttributes(t, r, values{"reference_hour_of_day": c.wantHour})
			known := maps.Clone(c.config)
			maps.Copy(known, c.late)
			r.refresh()
			wantEmpty(t, r.plan(schedule(cards, known)))
		})
	}
}

func TestADayThatCrossesMidnightIsToldOf(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{})
	config := schedule(cards, values{"reference_hour_of_day": 1, "reference_time_zone_offset": "+02:00", "full_incremental_day_of_week": "SATURDAY"})
	told := func(p *planned) []string {
		return slices.DeleteFunc(p.warnings(), func(text string) bool { return !strings.Contains(text, "Not Converted") })
	}
	p := r.plan(config)
	wantOne(t, told(p), "[full_incremental_day_of_week]", cards, "+02:00", "day before", "SATURDAY")
	r.apply(p, nil)
	if got := r.plan(config).warnings(); len(got) > 0 {
		t.Errorf("an empty plan tells %q", got)
	}
	config["reference_hour_of_day"] = 3
	if got := told(r.plan(config)); len(got) > 0 {
		t.Errorf("03:00 at +02:00 is on the same day: %q", got)
	}
	wantOne(t, told(r.plan(schedule(cards, values{"reference_hour_of_day": 23, "reference_time_zone_offset": "-02:00", "full_incremental_day_of_week": "SATURDAY"}))), "day after")
}

func TestIDsInCapitalsAreTheSameIDs(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{})
	r.create(schedule(cards, nil))
	capitals := values{"project_id": strings.ToUpper(payments), "cluster_id": strings.ToUpper(cards)}
	wantEmpty(t, r.plan(capitals))

	imported := r.workspace.resource(scheduleType)
	if told := imported.importID(strings.ToUpper(payments + "/" + cards)); len(told) > 0 {
		t.Fatal(told.errors())
	}
	wantAttributes(t, imported, values{"project_id": payments, "cluster_id": cards})
	wantEmpty(t, imported.plan(capitals))

	created := r.workspace.resource(scheduleType)
	created.create(capitals)
	created.refresh()
	wantEmpty(t, created.plan(schedule(cards, nil)))
}

func TestCheckpointsOfAReplicaSetFailThePlan(t *testing.T) {
	t.Parallel()
	onEachProfile(t, func(t *testing.T, s *testService) {
		r := openWorkspace(t, s, nil).resource(scheduleType)
		p := r.plan(schedule(cards, values{"cluster_checkpoint_interval_min": 15}))
		if t.Name() == "TestCheckpointsOfAReplicaSetFailThePlan/full" {
			wantOne(t, p.errors(), "[cluster_checkpoint_interval_min]", "replica set", cards)
		} else {
			wantOne(t, r.apply(p, nil).errors(), "[cluster_checkpoint_interval_min]", "CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET")
		}
		if p := r.plan(schedule(orders, values{"cluster_checkpoint_interval_min": 15})); len(p.errors()) > 0 {
			t.Error(p.errors())
		}
	})
}

func TestAnImportOfWhatIsNotThereTellsTheReason(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{})
	wantOne(t, r.importID(payments+"/0123456789abcdef01234567").errors(), "Unable to Read Snapshot Schedule", "CLUSTER_NOT_FOUND")

	// Once it has been imported, a schedule can go.
	s, r := startedSchedule(t, emulator.Options{})
	r.importID(payments + "/" + cards)
	s.RemoveCluster(payments, cards)
	if told := r.refresh(); len(told.errors()) > 0 {
		t.Error(told.errors())
	}
	wantNothing(t, r)
}

func TestAReplacementIsPreviewedAndGuarded(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	s.SetSchedule(payments, ledger, map[string]any{"dailySnapshotRetentionDays": 360})
	r.create(schedule(cards, nil))
	config := schedule(ledger, values{"daily_snapshot_retention_days": 7})
	p := r.plan(config)
	if !p.replaces {
		t.Fatal("not replaced")
	}
	wantWords(t, strings.Join(p.warnings(), "\n"), "Live Snapshot Schedule of Cluster "+ledger+" Overwritten", "Shorter Retention of Cluster "+ledger, "360 -> 7")
	config["prevent_retention_decrease"] = true
	wantOne(t, r.plan(config).errors(), "360 -> 7", ledger)
}

func TestUnusualValuesAreToldOfOnce(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{})
	config := schedule(cards, values{"snapshot_interval_hours": 24, "snapshot_retention_days": 30, "monthly_snapshot_retention_months": 36})
	r.create(config)
	config["snapshot_interval_hours"] = 12
	wantOne(t, slices.DeleteFunc(r.plan(config).warnings(), func(text string) bool { return !strings.Contains(text, "Unusual") }), "snapshot_retention_days of Cluster "+cards)
	config["snapshot_interval_hours"] = 24
	if got := r.plan(config).warnings(); len(got) > 0 {
		t.Errorf("told %q", got)
	}
}

func TestATimeThatDoesNotMoveIsNotToldOf(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	r.create(schedule(cards, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"}))
	for name, config := range map[string]values{
		"the same moment": {"reference_hour_of_day": 3}, "an hour that is known late": {"reference_hour_of_day": unknown},
	} {
		if p := r.plan(schedule(cards, config)); len(p.warnings()) > 0 {
			t.Errorf("%s: told %q", name, p.warnings())
		}
	}
	// Nor is drift, if there never was an offset.
	r2 := r.workspace.resource(scheduleType)
	s.SetSchedule(payments, cards, map[string]any{"referenceHourOfDay": 5, "referenceTimeZoneOffset": "+0200"})
	r2.create(schedule(cards, values{"reference_hour_of_day": 3}))
	s.SetSchedule(payments, cards, map[string]any{"referenceHourOfDay": 9})
	r2.refresh()
	if p := r2.plan(schedule(cards, values{"reference_hour_of_day": 3})); p.isEmpty() || len(p.warnings()) > 0 {
		t.Errorf("the plan changes %v and tells %q", p.changes(), p.warnings())
	}
}

func TestATimeOfDayMissingAFieldIsReportedOnTheHour(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	p := r.plan(schedule(cards, values{"reference_minute_of_hour": 20}))
	s.Inject(emulator.Fault{Method: "PATCH", Status: 400, Body: `{"error": 400, "errorCode": "INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS", "detail": "Both are required."}`})
	wantOne(t, r.apply(p, nil).errors(), "[reference_hour_of_day]", "INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS")
}

func TestDriftIsKnownWhereverTheBaselineComesFrom(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(s *testService, r *managed, config values){
		"a value that was configured when it was there already": func(s *testService, r *managed, config values) {
			s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 30})
			r.create(schedule(cards, values{"prevent_retention_decrease": true}))
			r.refresh()
			wantEmpty(r.t.(*testing.T), r.plan(config))
		},
		"a state of a provider that kept no baseline": func(_ *testService, r *managed, config values) {
			r.create(config)
			r.private = nil
		},
		"an update that failed after it was sent": func(s *testService, r *managed, config values) {
			r.create(schedule(cards, values{"daily_snapshot_retention_days": 7, "prevent_retention_decrease": true}))
			s.Inject(emulator.Fault{Method: "PATCH", DropAfter: true})
			if told := r.apply(r.plan(config), nil); len(told.errors()) == 0 {
				r.t.Fatalf("not failed")
			}
			r.refresh()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startedSchedule(t, emulator.Options{})
			config := schedule(cards, values{"daily_snapshot_retention_days": 30, "prevent_retention_decrease": true})
			prepare(s, r, config)
			s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 60})
			r.refresh()
			p := r.plan(config)
			wantEmpty(t, p)
			wantOne(t, p.warnings(), "Longer Retention of Cluster "+cards+" Kept", "daily_snapshot_retention_days: 30 -> 60")
		})
	}
}

func TestAnUpdateThatShortenedARetentionStillKnowsWhatWasApplied(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{Adjust: shrinking})
	r.create(schedule(cards, nil))
	config := schedule(cards, values{"daily_snapshot_retention_days": 30, "prevent_retention_decrease": true})
	wantOne(t, r.apply(r.plan(config), nil).errors(), "Retention Shortened")
	s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 60})
	r.refresh()
	if p := r.plan(config); len(p.errors()) > 0 || slices.Contains(p.changes(), "daily_snapshot_retention_days") {
		t.Errorf("the plan changes %v: %q", p.changes(), p.errors())
	}
}

func TestARetentionThatAnUnansweredChangeShortenedIsToldOf(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{Adjust: shrinking})
	config := schedule(cards, nil)
	r.create(config)
	config["daily_snapshot_retention_days"] = 30
	s.Inject(emulator.Fault{Method: "PATCH", DropAfter: true})
	wantOne(t, r.apply(r.plan(config), nil).errors(), "Unable to Update Snapshot Schedule", "The change may have taken effect")
	wantOne(t, r.refresh().warnings(), "Shorter Retention of Cluster "+cards+" Since an Unanswered Change", "weekly_snapshot_retention_weeks: 4 -> 1")
	wantEmpty(t, r.plan(config))
	if told := r.refresh(); len(told) > 0 {
		t.Errorf("told again: %q", told.warnings())
	}

	// A creation has no state to remember it in.
	s, r = startedSchedule(t, emulator.Options{Adjust: shrinking})
	s.Inject(emulator.Fault{Method: "PATCH", DropAfter: true})
	told := r.apply(r.plan(config), nil)
	wantOne(t, told.errors(), "Unable to Adopt Snapshot Schedule", "The change may have taken effect")
	wantOne(t, told.warnings(), "Before an Unanswered Change", "weekly_snapshot_retention_weeks = 4")
	wantNothing(t, r)
}

func TestAGuardThatIsNotKnownYetDoesNotDecideOnDrift(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	config := schedule(cards, values{"daily_snapshot_retention_days": 30})
	r.create(config)
	config["prevent_retention_decrease"] = unknown
	if p := r.plan(config); len(p.errors()) > 0 {
		t.Errorf("nothing to decide: %q", p.errors())
	}
	s.SetSchedule(payments, cards, map[string]any{"dailySnapshotRetentionDays": 60})
	r.refresh()
	wantOne(t, r.plan(config).errors(), "[prevent_retention_decrease]", "Unknown Guard", "daily_snapshot_retention_days: 30 -> 60")
}

func TestAnIntervalThatDriftHasLengthenedIsKeptWhateverTheRetentionBecomes(t *testing.T) {
	t.Parallel()
	for _, late := range []int{5, 20, 25} {
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			t.Parallel()
			s, r := startedSchedule(t, emulator.Options{})
			config := schedule(cards, values{"snapshot_interval_hours": 12, "snapshot_retention_days": 5, "prevent_retention_decrease": true})
			r.create(config)
			s.SetSchedule(payments, cards, map[string]any{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20})
			r.refresh()
			config["snapshot_retention_days"] = unknown
			if told := r.apply(r.plan(config), values{"snapshot_retention_days": late}); len(told.errors()) > 0 {
				t.Fatal(told.errors())
			}
			wantHeld(t, s, cards, map[string]any{"snapshotIntervalHours": 24, "snapshotRetentionDays": max(late, 20)})
		})
	}
}

func TestAFieldThatBecomesAsConfiguredAlongIsNoError(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	config := schedule(cards, values{"snapshot_interval_hours": 24, "snapshot_retention_days": 5})
	r.create(config)
	config["snapshot_interval_hours"] = 12
	p := r.plan(config)
	s.SetSchedule(payments, cards, map[string]any{"snapshotRetentionDays": 20})
	told := r.apply(p, nil)
	wantOne(t, told.warnings(), "Shorter Retention of Cluster "+cards+" Than Planned", "20 -> 5")
	if len(told.errors()) > 0 {
		t.Error(told.errors())
	}
	r.refresh()
	wantEmpty(t, r.plan(config))
}

func TestWhatIsIgnoredMayBeChangedAlong(t *testing.T) {
	t.Parallel()
	moving := func(_, after map[string]any, sent []string) {
		if !slices.Contains(sent, "referenceHourOfDay") {
			after["weeklySnapshotRetentionWeeks"], after["referenceHourOfDay"], after["fullIncrementalDayOfWeek"] = 20.0, 11.0, "FRIDAY"
		}
	}
	_, r := startedSchedule(t, emulator.Options{Adjust: moving})
	r.create(schedule(cards, nil))
	r.ignoreChanges = []string{"weekly_snapshot_retention_weeks", "reference_hour_of_day", "full_incremental_day_of_week"}
	config := schedule(cards, values{"daily_snapshot_retention_days": 15, "weekly_snapshot_retention_weeks": 2, "reference_hour_of_day": 7, "full_incremental_day_of_week": "MONDAY"})
	told := r.apply(r.plan(config), nil)
	if len(told.errors()) > 0 {
		t.Error(told.errors())
	}
	wantOne(t, told.warnings(), "Further Changes", "weekly_snapshot_retention_weeks", "reference_hour_of_day", "full_incremental_day_of_week")
}

func TestARefusedUpdateLeavesTheStateAsItWas(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{OmitFields: []string{"fullIncrementalDayOfWeek"}})
	r.create(schedule(cards, nil))
	s.Inject(emulator.Fault{Method: "PATCH", Status: 400, Body: `{"error": 400, "detail": "No."}`})
	told := r.apply(r.plan(schedule(cards, values{"daily_snapshot_retention_days": 15, "full_incremental_day_of_week": "MONDAY", "prevent_retention_decrease": true})), nil)
	wantOne(t, told.errors(), "Unable to Update Snapshot Schedule")
	wantAttributes(t, r, values{"daily_snapshot_retention_days": 7, "full_incremental_day_of_week": nil, "prevent_retention_decrease": nil})
}

func TestARetentionThatIsKnownLateIsNotForeseen(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{})
	p := r.plan(schedule(ledger, values{"snapshot_interval_hours": 12, "snapshot_retention_days": unknown, "prevent_retention_decrease": true}))
	if len(p.errors()) > 0 {
		t.Error(p.errors())
	}
}

func TestAnIntervalTakesARetentionAlongOnlyIfItIsHeld(t *testing.T) {
	t.Parallel()
	s, r := startedSchedule(t, emulator.Options{})
	r.create(schedule(ledger, values{"snapshot_retention_days": 20}))
	p := r.plan(schedule(ledger, values{"snapshot_interval_hours": 12, "snapshot_retention_days": 20}))
	s.SetSchedule(payments, ledger, map[string]any{"snapshotRetentionDays": 4})
	r.apply(p, nil)
	wantPatches(t, s, map[string]any{"snapshotIntervalHours": 12.0})
	wantHeld(t, s, ledger, map[string]any{"snapshotRetentionDays": 4})
}

func TestARetentionThatTheStateLacksMayComeWithAnInterval(t *testing.T) {
	t.Parallel()
	_, r := startedSchedule(t, emulator.Options{})
	r.create(schedule(cards, values{"snapshot_interval_hours": 24}))
	r.state = r.replaced(r.state, values{"snapshot_retention_days": nil})
	r.apply(r.plan(schedule(cards, values{"snapshot_interval_hours": 12})), nil)
	if r.attributes()["snapshot_retention_days"] == nil {
		t.Error("the state has no retention")
	}
}
