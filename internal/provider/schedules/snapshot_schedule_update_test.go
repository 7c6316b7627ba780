package schedules_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// heldField returns a number or a text of a schedule, as the service holds it.
func heldField(s *providertest.Service, cluster, field string) string {
	return fmt.Sprint(s.Schedule(payments, cluster)[field])
}

func wantHeld(t *testing.T, s *providertest.Service, cluster string, want object) {
	t.Helper()
	for field, value := range want {
		if got := heldField(s, cluster, field); got != fmt.Sprint(value) {
			t.Errorf("Ops Manager holds %s %s, want %v", field, got, value)
		}
	}
}

func TestApplyChangesAValueOnlyFromWhatThePlanShowed(t *testing.T) {
	t.Parallel()
	plusTwo := func(hour int) values {
		return values{"reference_hour_of_day": hour, "reference_minute_of_hour": 0, "reference_time_zone_offset": "+0200"}
	}
	for name, c := range map[string]struct {
		before, after values
		meanwhile     object
		says          string
	}{
		"an increase": {
			nil, values{"weekly_snapshot_retention_weeks": 12}, object{"weeklySnapshotRetentionWeeks": 20},
			"weekly_snapshot_retention_weeks is 20, and the plan showed 4",
		},
		"an equal value": {
			nil, values{"weekly_snapshot_retention_weeks": 4, "daily_snapshot_retention_days": 30},
			object{"dailySnapshotRetentionDays": 60}, "daily_snapshot_retention_days is 60, and the plan showed 7",
		},
		"the hour":   {plusTwo(5), plusTwo(6), object{"referenceHourOfDay": 20}, "reference_time_of_day is 20:00 UTC, and the plan showed 03:00 UTC"},
		"the minute": {plusTwo(5), plusTwo(6), object{"referenceMinuteOfHour": 10}, "reference_time_of_day is 03:10 UTC, and the plan showed 03:00 UTC"},
		"taken along": {
			values{"snapshot_interval_hours": 24}, values{"snapshot_interval_hours": 12}, object{"snapshotRetentionDays": 20},
			"snapshot_retention_days is 20, and the plan showed",
		},
		"taken along with an interval that is so already": {
			values{"snapshot_interval_hours": 24, "snapshot_retention_days": 20}, values{"snapshot_interval_hours": 12},
			object{"snapshotIntervalHours": 12, "snapshotRetentionDays": 30}, "snapshot_retention_days is 30, and the plan showed",
		},
		"sent along": {
			values{"snapshot_interval_hours": 24, "snapshot_retention_days": 5},
			values{"snapshot_interval_hours": 12, "snapshot_retention_days": 5}, object{"snapshotRetentionDays": 20},
			"snapshot_retention_days is 20, and the plan showed 5",
		},
		"the day": {
			nil, values{"full_incremental_day_of_week": "FRIDAY"}, object{"fullIncrementalDayOfWeek": "MONDAY"},
			"full_incremental_day_of_week is MONDAY, and the plan showed TUESDAY",
		},
		"the other half":  {nil, values{"daily_snapshot_retention_days": 30}, object{"weeklySnapshotRetentionWeeks": 20}, ""},
		"what it becomes": {nil, values{"daily_snapshot_retention_days": 30}, object{"dailySnapshotRetentionDays": 30}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, adopts := range []bool{false, true} {
				s, r := manageCards(t, c.before)
				if adopts {
					r = r.NewResource(providertest.ScheduleType)
				}
				p := r.Plan(scheduleOf(cards, c.after))
				s.SetSchedule(payments, cards, c.meanwhile)
				s.ResetRequests()
				// Terraform plans an adoption again, and finds another value of overwrites. This one does not.
				diags := r.Apply(p)
				if c.says == "" {
					diags.WantNoErrors(t)
					continue
				}
				says := c.says
				if adopts { // what the plan of an adoption showed is in overwrites
					says, _, _ = strings.Cut(says, ", and the plan showed")
				}
				diags.WantError(t, says, "changed since the plan", "Plan again")
				wantSent(t, s)
				if !adopts {
					r.ApplyReplanned(p).WantError(t, c.says) // the state is the one of the plan
				}
			}
		})
	}
}

func TestOverwritesStayAsThePlanHadThem(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	config := scheduleOf(ledger, values{
		"snapshot_interval_hours": 12, "daily_snapshot_retention_days": unknown,
		"weekly_snapshot_retention_weeks": unknown, "reference_hour_of_day": 5, "reference_time_zone_offset": "+02:00",
	})
	p := r.Plan(config)
	overwrites, _ := p.Values()["overwrites"].(values)
	for name, want := range (values{
		"snapshot_interval_hours": "24 -> 12", "snapshot_retention_days": "20 -> 5",
		"daily_snapshot_retention_days": unknown, "monthly_snapshot_retention_months": nil,
		"reference_time_of_day": fmt.Sprintf("%02v:30 UTC -> 03:30 UTC", s.Schedule(payments, ledger)["referenceHourOfDay"]),
	}) {
		if overwrites[name] != want {
			t.Errorf("%s is %v, want %v", name, overwrites[name], want)
		}
	}
	unforeseen, _ := r.Plan(config.With(values{"snapshot_interval_hours": unknown})).Values()["overwrites"].(values)
	if unforeseen["snapshot_interval_hours"] != unknown || unforeseen["snapshot_retention_days"] != unknown {
		t.Errorf("an interval that is not known yet overwrites %v", unforeseen)
	}
	late := values{"daily_snapshot_retention_days": 90, "weekly_snapshot_retention_weeks": s.Schedule(payments, ledger)["weeklySnapshotRetentionWeeks"]}
	r.Apply(p, late).WantNoErrors(t)
	overwrites, _ = r.Attributes()["overwrites"].(values)
	if overwrites["daily_snapshot_retention_days"] != "30 -> 90" || overwrites["weekly_snapshot_retention_weeks"] != nil {
		t.Errorf("the state has %v", overwrites)
	}
	applied := config.With(late)
	r.MustBeSettled(applied)
	r.Create(applied.With(values{"daily_snapshot_retention_days": 120}))
	if got := r.Attributes()["overwrites"]; fmt.Sprint(got) != fmt.Sprint(overwrites) {
		t.Errorf("an update changed overwrites to %v", got)
	}

	imported := r.NewResource(providertest.ScheduleType)
	imported.ImportID(payments + "/" + ledger)
	providertest.WantEmptyPlan(
		t,
		imported.Plan(applied.With(values{"daily_snapshot_retention_days": 120, "reference_hour_of_day": 3, "reference_time_zone_offset": "+0000"})),
	)
}

// A response may lack what was sent, or have the value before. One read shows what Ops Manager holds.
func TestChangeIsReadOnceIfItsResponseDoesNotHaveIt(t *testing.T) {
	t.Parallel()
	for _, answered := range []any{nil, 4} {
		d := providertest.StartFaultProxy(t)
		r := scheduleOn(t, d.Service)
		d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
			if request.Method == http.MethodPatch {
				document["weeklySnapshotRetentionWeeks"] = answered
			}
		}))
		p := r.Plan(scheduleOf(cards, values{"weekly_snapshot_retention_weeks": 9}))
		r.Apply(p).WantNone(t)
		providertest.WantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 9})
		seen := d.Clear(t)
		providertest.WantEqual(t, seen[slices.Index(seen, http.MethodPatch):], []string{http.MethodPatch, http.MethodGet})
	}
}

// Another client, or a server whose reads lag, may return the wanted value before it is set.
func TestValueThatThePlanDidNotSeeIsSetAlsoIfAReadHasIt(t *testing.T) {
	t.Parallel()
	for kind, configOf := range kinds {
		for _, adopts := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, adopts %t", kind, adopts), func(t *testing.T) {
				t.Parallel()
				d := providertest.StartFaultProxy(t)
				config := func(weeks int) values { return configOf(cards, values{"weekly_snapshot_retention_weeks": weeks}) }
				r := newResource(providertest.NewWorkspace(t, d.Service), config(8))
				if !adopts {
					r.Create(config(8))
				}
				p := r.Plan(config(12))
				isOld := true
				d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
					if isOld && request.Method == http.MethodGet && document["weeklySnapshotRetentionWeeks"] != nil {
						document["weeklySnapshotRetentionWeeks"] = 12
					}
				}))
				diags := r.Apply(p)
				isOld = false
				if adopts && kind == "policy that raises" { // only its line says what the plan of an adoption saw
					diags.WantError(t, "changed since the plan", "Plan again")
					wantSent(t, d.Service)
					return
				}
				diags.WantNoErrors(t)
				wantHeld(t, d.Service, cards, object{"weeklySnapshotRetentionWeeks": 12})
			})
		}
	}
}

// The interval of ledger is 24 hours, and its recent snapshots are kept for 20 days.
func TestPlanShowsARetentionThatAnIntervalShortens(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"creation", "update", "import"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			s, r := startSchedule(t)
			switch step {
			case "update":
				r.Create(scheduleOf(ledger, nil))
			case "import":
				r.ImportID(payments + "/" + ledger)
			}
			config := scheduleOf(ledger, values{"snapshot_interval_hours": 12, "retention_protection": true})
			r.Plan(config).WantError(t, "[snapshot_interval_hours]", "Would Be Reduced", "snapshot_retention_days: 20 -> 5", ledger)
			wantSent(t, s)

			delete(config, "retention_protection")
			p := r.Plan(config)
			if step == "update" {
				providertest.WantEqual(t, p.Changes(), []string{"snapshot_interval_hours", "snapshot_retention_days"})
			}
			p.WantWarning(
				t, "Recovery Points of Cluster ledger ("+ledger+") Will Be Reduced",
				"snapshot_retention_days: 20 -> 5",
			)
			r.Apply(p).WantNone(t)
			providertest.WantAttributes(t, r, values{"snapshot_retention_days": 5})
		})
	}
}

func TestIntervalDoesNotShortenAConfiguredRetention(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	p := r.Plan(scheduleOf(ledger, values{"snapshot_interval_hours": 12, "snapshot_retention_days": 20}))
	providertest.WantUnsaid(t, p.Warnings(), "higher")
	p.WantWarning(t, "Undocumented Value of snapshot_retention_days Will Be Sent", "documents 2 to 5")
	r.Apply(p).WantError(t, "[snapshot_retention_days]", "INVALID_SNAPSHOT_RETENTION_PERIOD")
	wantSent(t, s, `{"snapshotIntervalHours": 12, "snapshotRetentionDays": 20}`)
	wantHeld(t, s, ledger, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20})
}

// shrinking starts a server that shortens the weekly retention along with any change.
func shrinking(_, after object, _ []string) { after["weeklySnapshotRetentionWeeks"] = 1.0 }

func TestRetentionThatOpsManagerShortensIsAnErrorWithTheGuard(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t, emulator.Options{Adjust: shrinking})
	config := scheduleOf(cards, values{"full_incremental_day_of_week": "MONDAY", "retention_protection": true})
	diags := r.Apply(r.Plan(config), nil)
	diags.WantError(t, "[weekly_snapshot_retention_weeks]", "Schedule Changed During the Apply", "4 -> 1", "To get an old value back, configure it")
	providertest.WantNoState(t, r)

	s, r := startSchedule(t, emulator.Options{Adjust: shrinking})
	r.Create(scheduleOf(cards, nil))
	diags = r.Apply(r.Plan(config), nil)
	diags.WantError(t, "[weekly_snapshot_retention_weeks]", "4 -> 1")
	providertest.WantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 1, "full_incremental_day_of_week": "MONDAY"})
	wantHeld(t, s, cards, object{"weeklySnapshotRetentionWeeks": 1})
}

func TestRetentionThatALostRequestShortensIsAnErrorWithTheGuard(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t, emulator.Options{Adjust: shrinking})
	r := providertest.NewWorkspace(t, d.Service, values{"max_retries": 3}).NewResource(providertest.ScheduleType)
	p := r.Plan(scheduleOf(cards, values{"full_incremental_day_of_week": "MONDAY", "retention_protection": true}))
	var isLost atomic.Bool
	d.Handle(func(w http.ResponseWriter, req *http.Request, service http.Handler) {
		if req.Method != http.MethodPatch || isLost.Swap(true) {
			service.ServeHTTP(w, req)
			return
		}
		service.ServeHTTP(httptest.NewRecorder(), req)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	r.Apply(p).WantError(t, "[weekly_snapshot_retention_weeks]", "Schedule Changed During the Apply", "4 -> 1")
}

func TestFieldsThatOpsManagerAlsoChangesAreReported(t *testing.T) {
	t.Parallel()
	adjust := func(_, after object, _ []string) {
		after["weeklySnapshotRetentionWeeks"], after["fullIncrementalDayOfWeek"], after["referenceHourOfDay"] = 20.0, "FRIDAY", 11.0
	}
	s, r := startSchedule(t, emulator.Options{Adjust: adjust})
	s.SetSchedule(payments, cards, object{"fullIncrementalDayOfWeek": "SUNDAY", "referenceHourOfDay": 3})
	r.Create(scheduleOf(cards, nil))
	config := scheduleOf(cards, values{"daily_snapshot_retention_days": 15})
	diags := r.Apply(r.Plan(config), nil)
	diags.WantWarning(
		t, "Further Changes", cards, "weekly_snapshot_retention_weeks: 4 -> 20", "full_incremental_day_of_week: SUNDAY -> FRIDAY",
		"reference_time_of_day: 03:00 UTC -> 11:00 UTC",
	)
	providertest.WantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 4}) // as planned, until the next refresh
	r.MustRefresh()
	providertest.WantAttributes(t, r, values{"weekly_snapshot_retention_weeks": 20})
	providertest.WantEmptyPlan(t, r.Plan(config))
}

func TestGuardRefusesToShortenWhatSomeoneLengthened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, accepted values
		drift            object
		words            []string
	}{
		"a retention": {
			daily(30), daily(60), object{"dailySnapshotRetentionDays": 60},
			[]string{"daily_snapshot_retention_days: 60 -> 30", "To keep 60, configure daily_snapshot_retention_days = 60"},
		},
		"a retention along with an interval": {
			values{"snapshot_interval_hours": 6}, values{"snapshot_interval_hours": 24},
			object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20},
			[]string{"[snapshot_interval_hours]", "snapshot_retention_days: 20 -> 5", "To keep 20, configure snapshot_interval_hours = 24"},
		},
		"an interval": {
			values{"snapshot_interval_hours": 24}, values{"snapshot_interval_hours": 6}, object{"snapshotIntervalHours": 6},
			[]string{"snapshot_interval_hours: 6 -> 24", "To keep 6, configure snapshot_interval_hours = 6"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startSchedule(t)
			if c.config["snapshot_interval_hours"] != nil {
				s.SetSchedule(payments, cards, object{"snapshotIntervalHours": c.config["snapshot_interval_hours"]})
			}
			config := scheduleOf(cards, c.config.With(guard))
			r.Create(config)
			s.SetSchedule(payments, cards, c.drift)
			r.MustRefresh()
			s.ResetRequests()
			r.Plan(config).WantError(t, append(c.words, "Would Be Reduced", "apply twice", "terraform destroy -refresh=false")...)
			for _, off := range []any{false, nil} { // the value in the state counts
				r.Plan(config.With(values{"retention_protection": off})).WantError(t, c.words...)
			}
			wantSent(t, s)

			// The way to the live value, and the one to the configured value.
			kept := scheduleOf(cards, c.accepted.With(guard))
			r.MustApply(kept)
			off := kept.With(values{"retention_protection": false})
			r.Create(off)
			r.MustApply(off.With(c.config))
			r.Destroy().WantNoErrors(t)
		})
	}
}

func TestWhatIsKnownOnlyDuringTheApplyIsAnnouncedOnceForEachKind(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	late := values{
		"daily_snapshot_retention_days": unknown, "weekly_snapshot_retention_weeks": unknown,
		"reference_hour_of_day": unknown,
	}
	announcement := "Will Be Known Only During the Apply"
	r.Plan(scheduleOf(cards, late)).WantWarning(t, announcement, "daily_snapshot_retention_days, weekly_snapshot_retention_weeks")
	r.Create(scheduleOf(cards, nil))
	r.Plan(scheduleOf(cards, late)).WantWarning(t, announcement, "daily_snapshot_retention_days, weekly_snapshot_retention_weeks")
	elsewhere := scheduleOf(cards, late).With(values{"cluster_id": unknown})
	if warnings := r.NewResource(providertest.ScheduleType).Plan(elsewhere).Warnings(); len(warnings) != 2 {
		t.Errorf("got %q", warnings)
	} else {
		providertest.WantContains(t, strings.Join(warnings, "\n"), "Overwritten Values Will Be Known Only During the Apply", announcement)
	}
}

func TestEnvironmentTurnsTheGuardOn(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.Environment = map[string]string{"OPSMANAGER_RETENTION_PROTECTION": "true"}
	w := providertest.NewWorkspace(t, s)
	schedule := scheduleOf(cards, values{"daily_snapshot_retention_days": 3, "retention_protection": false})
	for of, config := range map[string]values{
		providertest.ScheduleType: schedule, providertest.PolicyType: policy(daily(3), only(cards).With(values{"retention_protection": false})),
	} {
		w.Configure()
		w.NewResource(of).Plan(config).WantError(t, "Would Be Reduced", "7 -> 3", "OPSMANAGER_RETENTION_PROTECTION")
	}
	// What is known only during the apply is refused then.
	r := scheduleOn(t, s)
	late := schedule.With(values{"daily_snapshot_retention_days": unknown})
	r.Apply(r.Plan(late), values{"daily_snapshot_retention_days": 3}).WantError(t, "Would Be Reduced", "7 -> 3")
	wantSent(t, s)
}

func TestGuardPreventsADecreaseOfTheConfiguration(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	config := scheduleOf(cards, values{"daily_snapshot_retention_days": 60, "retention_protection": true})
	r.Create(config)
	config["daily_snapshot_retention_days"] = 30
	r.Plan(config).WantError(t, "[daily_snapshot_retention_days]", "Would Be Reduced", "60 -> 30")

	// A value that was applied earlier, or that is ignored, is not drift either.
	r.IgnoreChanges = []string{"daily_snapshot_retention_days"}
	config["full_incremental_day_of_week"] = "TUESDAY"
	r.Create(config)
	r.IgnoreChanges = nil
	r.Plan(config).WantError(t, "[daily_snapshot_retention_days]", "60 -> 30")

	imported := scheduleOn(t, s)
	imported.ImportID(payments + "/" + cards)
	imported.Plan(config).WantError(t, "[daily_snapshot_retention_days]", "60 -> 30")
}

func TestMissingRetentionsAreReported(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t, emulator.Options{OmitFields: []string{"weeklySnapshotRetentionWeeks"}})
	config := scheduleOf(cards, values{"weekly_snapshot_retention_weeks": 2, "retention_protection": true})
	r.Plan(config).WantError(
		t, "[weekly_snapshot_retention_weeks]", "Recovery Points of Cluster cards ("+cards+") May Be Reduced",
		"weekly_snapshot_retention_weeks = 2 (not returned by Ops Manager)", "can't tell whether",
	)
	p := r.Plan(config.With(values{"retention_protection": false}))
	providertest.WantContains(t, fmt.Sprint(p.Values()["overwrites"]), "weekly_snapshot_retention_weeks:not returned -> 2")
	r.Apply(p).WantError(t, "Value Not Returned", "sent 2 for weekly_snapshot_retention_weeks")
	providertest.WantNoState(t, r)
	s.OmitFields()
	r.Create(config)
	s.OmitFields("weeklySnapshotRetentionWeeks")
	r.Refresh().WantWarning(t, "Drift Will Not Be Shown", "weekly_snapshot_retention_weeks of cluster "+cards, "the plan does not show drift")

	// The guard can't compare a retention that an interval shortens either.
	_, r3 := startSchedule(t, emulator.Options{OmitFields: []string{"snapshotRetentionDays"}})
	p = r3.Plan(scheduleOf(ledger, values{"snapshot_interval_hours": 12, "retention_protection": true}))
	p.WantError(
		t, "[snapshot_interval_hours]", "Recovery Points of Cluster ledger ("+ledger+") May Be Reduced",
		"snapshot_retention_days = at most 5", "don't configure snapshot_interval_hours",
	)

	policy := values{
		"project_ids": []any{payments}, "cluster_ids": []any{ledger}, "schedule": values{"snapshot_retention_days": 25}, "retention_protection": true,
	}
	_, r4 := startPolicy(t, emulator.Options{OmitFields: []string{"snapshotRetentionDays"}})
	r4.Plan(policy).WantError(
		t, "[schedule]", "Recovery Points of Cluster ledger ("+ledger+") May Be Reduced",
		"snapshot_retention_days = 25 (not returned by Ops Manager)",
	)

	// A missing field that is not configured has no warning.
	r2 := scheduleOn(t, s)
	r2.Create(scheduleOf(cards, nil))
	r2.Refresh().WantNone(t)
}

// The provider sends the configured retention along with another interval, also if the state has it already.
func TestRetentionThatIsSentAlongMustBeReturned(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	config := scheduleOf(cards, values{"snapshot_interval_hours": 6, "snapshot_retention_days": 3})
	r.Create(config)
	p := r.Plan(config.With(values{"snapshot_interval_hours": 8}))
	s.SetSchedule(payments, cards, object{"snapshotRetentionDays": 5})
	s.OmitFields("snapshotRetentionDays")
	r.Apply(p).WantError(t, "snapshot_retention_days is not returned, and the plan showed 3", "Plan again")
	if held := s.Schedule(payments, cards)["snapshotRetentionDays"]; fmt.Sprint(held) != "5" {
		t.Errorf("recent snapshots are kept for %v days", held)
	}
}

func TestPlanFailsIfItsApplyCannotSucceed(t *testing.T) {
	t.Parallel()
	const nowhere = "0123456789abcdef01234567"
	for name, c := range map[string]struct {
		project, cluster string
		words            []string
	}{
		"unknown project": {nowhere, cards, []string{"[project_id]", "project"}},
		"missing cluster": {payments, nowhere, []string{"[cluster_id]", "CLUSTER_NOT_FOUND", "Check the cluster ID"}},
		"other project":   {analytics, cards, []string{"[cluster_id]", "CLUSTER_NOT_FOUND"}},
		"shard":           {payments, providertest.OrdersShard, []string{"[cluster_id]", "CANNOT_MODIFY_SHARD_BACKUP_CONFIG"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := startSchedule(t)
			r.Plan(values{"project_id": c.project, "cluster_id": c.cluster}).WantError(t, append(c.words, "Unable to Adopt Snapshot Schedule")...)
		})
	}
}

func TestScheduleThatDoesNotExistYetTakesTwoLinesOfThePlan(t *testing.T) {
	t.Parallel()
	const unmonitored = "650a22fad3b5a7c9e1f30817"
	for cluster, project := range map[string]string{"650a2177e1f3a5b7c9d00e42": payments, unmonitored: "64f0c2d57c1e4a6b92d3f4e5"} {
		_, r := startSchedule(t)
		p := r.Plan(values{"project_id": project, "cluster_id": cluster, "daily_snapshot_retention_days": 7})
		p.WantNoErrors(t)
		p.WantWarning(t, "Snapshot Schedule Will Be Compared Only During the Apply: Cluster "+cluster)
		if _, detail, _ := strings.Cut(p.Warnings()[0], ": "); len(detail) > 2*78 {
			t.Errorf("the warning takes more than two lines: %s", detail)
		}
	}
}

func TestScheduleOfAnInactiveBackupIsComparedOnlyInTheApplyEvenIfItIsReturned(t *testing.T) {
	t.Parallel()
	for _, response := range []int{200, 409} {
		s, r := startSchedule(t, emulator.Options{Unknowns: emulator.Unknowns{InactiveSchedule: response}})
		unguarded := scheduleOf(reports, values{"weekly_snapshot_retention_weeks": 1})
		config := unguarded.With(guard)
		p := r.Plan(config)
		p.WantWarning(t, "Snapshot Schedule Will Be Compared Only During the Apply", reports, "overwrites shows what it changed")
		r.Apply(r.Plan(unguarded)).WantError(t, "Unable to Adopt Snapshot Schedule", "409", "has not been started")
		providertest.WantNoState(t, r)
		s.SetBackupConfig(payments, reports, object{"statusName": "STARTED"})
		s.ResetRequests()
		r.Apply(p).WantError(t, "Would Be Reduced", "weekly_snapshot_retention_weeks: 2 -> 1")
		wantSent(t, s)
		r.Plan(config).WantError(t, "Would Be Reduced", "2 -> 1")
	}
}

func TestUnknownOffsetOverwritesNoTime(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	s.SetSchedule(payments, cards, object{"referenceHourOfDay": 3})
	late := values{"reference_hour_of_day": 5, "reference_time_zone_offset": unknown}
	for name, p := range map[string]*providertest.Plan{
		"schedule": r.Plan(scheduleOf(cards, late)),
		"policy":   r.NewResource(providertest.PolicyType).Plan(policy(late, only(cards))),
	} {
		for _, text := range p.Warnings() {
			if !strings.Contains(text, "Known Only During the Apply") {
				t.Errorf("the %s: %s", name, text)
			}
		}
	}
}

func TestCheckpointsOfAReplicaSetAreAnErrorOfThePlan(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		r := scheduleOn(t, s)
		p := r.Plan(scheduleOf(cards, values{"cluster_checkpoint_interval_min": 15}))
		if t.Name() == "TestCheckpointsOfAReplicaSetAreAnErrorOfThePlan/full" {
			p.WantError(t, "[cluster_checkpoint_interval_min]", "replica set", cards)
		} else {
			r.Apply(p).WantError(t, "[cluster_checkpoint_interval_min]", "CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET")
		}
		r.Plan(scheduleOf(orders, values{"cluster_checkpoint_interval_min": 15})).WantNoErrors(t)
	})
}

func TestUndocumentedValuesAreReportedOnce(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	config := scheduleOf(cards, values{"snapshot_interval_hours": 24, "snapshot_retention_days": 30, "monthly_snapshot_retention_months": 36})
	r.Create(config)
	config["snapshot_interval_hours"] = 12
	providertest.WantOne(t, thatSay(r.Plan(config).Warnings(), "Undocumented"), "snapshot_retention_days", cards)
	config["snapshot_interval_hours"] = 24
	r.Plan(config).WantNoWarnings(t)
}

func TestUnchangedTimeIsNotReported(t *testing.T) {
	t.Parallel()
	s, r := manageCards(t, values{"reference_hour_of_day": 5, "reference_time_zone_offset": "+0200"})
	for _, hour := range []any{3, unknown} {
		r.Plan(scheduleOf(cards, values{"reference_hour_of_day": hour})).WantNoWarnings(t)
	}
	// Drift is not reported either if no offset was configured.
	r2 := r.NewResource(providertest.ScheduleType)
	r2.Configure()
	s.SetSchedule(payments, cards, object{"referenceHourOfDay": 5, "referenceTimeZoneOffset": "+0200"})
	r2.Create(scheduleOf(cards, values{"reference_hour_of_day": 3}))
	s.SetSchedule(payments, cards, object{"referenceHourOfDay": 9})
	r2.MustRefresh()
	if p := r2.Plan(scheduleOf(cards, values{"reference_hour_of_day": 3})); p.IsEmpty() || len(p.Warnings()) > 0 {
		t.Errorf("the plan changes %v with the warnings %q", p.Changes(), p.Warnings())
	}
}

func TestMissingPartOfTheTimeIsReportedOnTheHour(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	p := r.Plan(scheduleOf(cards, values{"reference_minute_of_hour": 20}))
	s.Inject(emulator.Fault{
		Method: "PATCH", Status: 400,
		Body: `{"error": 400, "errorCode": "INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS", "detail": "Both are required."}`,
	})
	r.Apply(p).WantError(t, "[reference_hour_of_day]", "INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS")
}

func TestGuardThatIsKnownLateIsThatOfTheApply(t *testing.T) {
	t.Parallel()
	s, r := manageCards(t, nil)
	p := r.Plan(scheduleOf(cards, values{"daily_snapshot_retention_days": 3, "retention_protection": unknown}))
	p.WantWarning(t, "Will Be Reduced", "7 -> 3")
	r.Apply(p, guard).WantError(t, "Would Be Reduced", "7 -> 3")
	wantSent(t, s)
}

func TestIgnoredAttributeThatOpsManagerChangesIsNotAnError(t *testing.T) {
	t.Parallel()
	moving := func(_, after object, sent []string) {
		if !slices.Contains(sent, "referenceHourOfDay") {
			after["weeklySnapshotRetentionWeeks"], after["referenceHourOfDay"], after["fullIncrementalDayOfWeek"] = 20.0, 11.0, "FRIDAY"
		}
	}
	_, r := startSchedule(t, emulator.Options{Adjust: moving})
	r.Create(scheduleOf(cards, nil))
	r.IgnoreChanges = []string{"weekly_snapshot_retention_weeks", "reference_hour_of_day", "full_incremental_day_of_week"}
	config := scheduleOf(
		cards,
		values{"daily_snapshot_retention_days": 15, "weekly_snapshot_retention_weeks": 2, "reference_hour_of_day": 7, "full_incremental_day_of_week": "MONDAY"},
	)
	diags := r.Apply(r.Plan(config), nil)
	diags.WantNoErrors(t)
	diags.WantWarning(t, "Further Changes", "weekly_snapshot_retention_weeks", "reference_time_of_day", "full_incremental_day_of_week")
}

// The configuration of a plan has the value of the state in place of an ignored one, and that of an apply does not. So an
// apply sends the retention that its plan shows along with an interval that would shorten it, which Ops Manager may reject.
func TestIgnoredRetentionIsNotLostToAShortInterval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		written any // the retention that is ignored
		late    bool
		live    int
		sent    string
		says    string
	}{
		"configured":                       {7, false, 20, `{"snapshotIntervalHours": 12, "snapshotRetentionDays": 20}`, "INVALID_SNAPSHOT_RETENTION_PERIOD"},
		"not configured":                   {nil, false, 20, `{"snapshotIntervalHours": 12, "snapshotRetentionDays": 20}`, "INVALID_SNAPSHOT_RETENTION_PERIOD"},
		"configured, with a late interval": {7, true, 20, `{"snapshotIntervalHours": 12, "snapshotRetentionDays": 20}`, "INVALID_SNAPSHOT_RETENTION_PERIOD"},
		"not shortened":                    {7, false, 5, `{"snapshotIntervalHours": 12}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startSchedule(t)
			live := object{"snapshotIntervalHours": 24, "snapshotRetentionDays": c.live}
			s.SetSchedule(payments, cards, live)
			r.Create(scheduleOf(cards, values{"snapshot_interval_hours": 24}))
			s.ResetRequests()
			r.IgnoreChanges = []string{"snapshot_retention_days"}
			short := values{"snapshot_interval_hours": 12}
			config := scheduleOf(cards, short).With(values{"snapshot_retention_days": c.written})
			var late values
			if c.late {
				config["snapshot_interval_hours"], late = unknown, short
			}
			p := r.Plan(config)
			providertest.WantEqual(t, p.Values()["snapshot_retention_days"], c.live)
			r.Apply(p, late).WantOutcome(t, c.says)
			wantSent(t, s, c.sent)
			if c.says == "" {
				live["snapshotIntervalHours"] = 12
			}
			wantHeld(t, s, cards, live)
		})
	}
}

func TestOldValueAfterAChangeMayBeThatOfAnOldResponse(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	r := scheduleOn(t, d.Service)
	r.MustApply(scheduleOf(cards, daily(15)))
	config := scheduleOf(cards, daily(30))
	p := r.Plan(config)
	d.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
		if document["dailySnapshotRetentionDays"] != nil {
			document["dailySnapshotRetentionDays"] = 15
		}
	}))
	r.Apply(p).WantError(
		t,
		"sent 30 for daily_snapshot_retention_days, and Ops Manager then returned 15: it changed the value, or the response is old. Plan again.",
	)
	d.Handle(nil)
	r.MustBeSettled(config)
}

func TestPlanDoesNotPredictAnUnknownRetention(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	p := r.Plan(scheduleOf(
		ledger, values{"snapshot_interval_hours": 12, "snapshot_retention_days": unknown, "retention_protection": true},
	))
	p.WantNoErrors(t)
}

func TestRetentionMissingInTheStateMayChangeWithAnInterval(t *testing.T) {
	t.Parallel()
	_, r := manageCards(t, values{"snapshot_interval_hours": 24})
	r.State = r.ReplaceAttributes(r.State, values{"snapshot_retention_days": nil})
	r.Apply(r.Plan(scheduleOf(cards, values{"snapshot_interval_hours": 12})), nil)
	if r.Attributes()["snapshot_retention_days"] == nil {
		t.Error("the state has no retention")
	}
}

func TestAdoptionDoesNotOverwriteWhatOnlyItsPlanHasRead(t *testing.T) {
	t.Parallel()
	for attribute, f := range map[string]struct{ was, wanted, now any }{
		"snapshot_interval_hours":           {6, 24, 8},
		"snapshot_retention_days":           {3, 4, 5},
		"daily_snapshot_retention_days":     {7, 60, 180},
		"weekly_snapshot_retention_weeks":   {2, 4, 9},
		"monthly_snapshot_retention_months": {2, 4, 9},
		"point_in_time_window_hours":        {2, 4, 9},
		"full_incremental_day_of_week":      {"SUNDAY", "MONDAY", "FRIDAY"},
		"cluster_checkpoint_interval_min":   {60, 15, 30},
	} {
		for _, kind := range []string{"schedule", "policy"} {
			for _, isShown := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s of a %s, shown %v", attribute, kind, isShown), func(t *testing.T) {
					t.Parallel()
					s := providertest.StartService(t)
					config, field, was := kinds[kind](orders, values{attribute: f.wanted}), fieldOf[attribute], f.was
					says := "changed since the plan"
					if !isShown {
						was = f.wanted
						if kind == "schedule" {
							says = attribute + " is not returned, and the plan showed no change of it"
						}
					}
					s.SetSchedule(payments, orders, object{"snapshotIntervalHours": 6, field: was})
					r := newResource(providertest.NewWorkspace(t, s), config)
					p := r.Plan(config)
					s.SetSchedule(payments, orders, object{field: f.now})
					s.OmitFields(field)
					s.ResetRequests()
					r.Apply(p).WantError(t, says)
					providertest.WantWrites(t, s)
					providertest.WantNoState(t, r)
				})
			}
		}
	}
}

func TestLargestNumberIsPlannedAtOnce(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	for _, attribute := range []string{"daily_snapshot_retention_days", "snapshot_retention_days", "weekly_snapshot_retention_weeks"} {
		p := r.Plan(scheduleOf(cards, values{attribute: math.MaxInt64}))
		p.WantWarning(t, "Undocumented Value of "+attribute)
	}
}
