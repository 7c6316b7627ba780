package schedules_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// withoutTime leaves the time of day out of all responses about a schedule, and then changes the document of a PATCH.
func withoutTime(change func(document object)) providertest.Handler {
	return providertest.Rewrite(func(request *http.Request, document object) {
		if !strings.HasSuffix(request.URL.Path, "/snapshotSchedule") {
			return
		}
		for _, part := range []string{"referenceHourOfDay", "referenceMinuteOfHour", "referenceTimeZoneOffset"} {
			delete(document, part)
		}
		if request.Method == http.MethodPatch {
			change(document)
		}
	})
}

func TestTimeOfWhichAResponseHasAnotherPartIsNotTaken(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	r := scheduleOn(t, d.Service)
	d.Handle(withoutTime(func(document object) { document["referenceHourOfDay"] = 5 }))
	p := r.Plan(providertest.Schedule(cards, values{"reference_hour_of_day": 10, "reference_minute_of_hour": 30}))
	r.Apply(p).WantError(t, "Value Not Returned", "reference_time_of_day")
}

func TestStateHasAHiddenTimeThatWasSentBesideAValueThatWasNotTaken(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	r := scheduleOn(t, d.Service)
	time := func(hour, days int) values {
		return providertest.Schedule(cards, values{
			"reference_hour_of_day": hour, "reference_minute_of_hour": 30, "daily_snapshot_retention_days": days,
		})
	}
	r.MustApply(time(5, 30))
	d.Handle(withoutTime(func(document object) {
		document["dailySnapshotRetentionDays"] = 31
		d.SetSchedule(payments, cards, document)
	}))
	r.MustRefresh()
	r.ApplyReplanned(r.Plan(time(10, 60))).WantError(t, "Ops Manager Adjusted the Value", "daily_snapshot_retention_days")
	providertest.WantAttributes(t, r, values{"reference_hour_of_day": 10, "daily_snapshot_retention_days": 31})
}

// A time of which Ops Manager no longer returns the minute can be changed once, and then nothing is left to send.
func TestTimeThatIsReturnedInPartIsCompared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		live int
		says string
	}{
		"the hour is as the plan saw it": {5, "Value Not Returned"},
		"another client changed it":      {7, "reference_time_of_day is 07:30 UTC, and the plan showed 05:30 UTC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startSchedule(t)
			r.MustApply(providertest.Schedule(cards, values{"reference_hour_of_day": 5, "reference_minute_of_hour": 30}))
			p := r.Plan(providertest.Schedule(cards, values{"reference_hour_of_day": 10, "reference_minute_of_hour": 30}))
			s.SetSchedule(payments, cards, object{"referenceHourOfDay": test.live})
			s.OmitFields("referenceMinuteOfHour")
			r.Apply(p).WantError(t, test.says)
		})
	}
}

// What the plan of an adoption saw and did not show as overwritten is not overwritten if it is no longer returned.
func TestAdoptionKeepsWhatIsNoLongerReturned(t *testing.T) {
	t.Parallel()
	for field, test := range map[string]struct {
		sets    values
		saw, is int
		says    string
	}{
		"dailySnapshotRetentionDays": {
			values{"daily_snapshot_retention_days": 30, "weekly_snapshot_retention_weeks": 9}, 30, 180,
			"daily_snapshot_retention_days is not returned",
		},
		"snapshotRetentionDays": {
			values{"snapshot_interval_hours": 12}, 4, 30, "snapshot_retention_days is not returned",
		},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			s, r := startSchedule(t)
			s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24, field: test.saw})
			p := r.Plan(providertest.Schedule(cards, test.sets))
			s.SetSchedule(payments, cards, object{field: test.is})
			s.OmitFields(field)
			r.Apply(p).WantError(t, test.says+", and the plan showed no change of it")
			wantHeld(t, s, cards, object{field: test.is})
		})
	}
}

func TestPolicyKnowsNoRetentionThatAnIntervalTakesAlongUnseen(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 2})
	s.OmitFields("snapshotRetentionDays")
	r := newPolicy(t, s)
	for _, hours := range []int{12, 8} {
		config := policy(values{"snapshot_interval_hours": hours}, only(cards))
		if errors := r.ApplyReplanned(r.Plan(config)).Errors(); len(errors) > 0 {
			t.Errorf("%d hours: %q", hours, errors)
		}
		r.MustRefresh()
		wantLines(t, r.Attributes(), "clusters", fmt.Sprintf("%s cards: snapshot_interval_hours %d, snapshot_retention_days at most 5", cards, hours))
	}
}

func TestMinimumDoesNotLowerWhatAnOldReadHas(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	d.SetSchedule(payments, cards, object{"dailySnapshotRetentionDays": 120, "weeklySnapshotRetentionWeeks": 2})
	mode := values{"retention_mode": "minimum", "retention_protection": true}
	schedule := values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": 4}
	r := newPolicy(t, d.Service)
	r.MustApply(policy(schedule, only(ledger).With(mode)))
	r.MustRefresh()
	p := r.Plan(policy(schedule, only(ledger, cards).With(mode)))
	d.Handle(providertest.Rewrite(func(req *http.Request, document object) {
		if req.Method == http.MethodGet && document["dailySnapshotRetentionDays"] != nil {
			document["dailySnapshotRetentionDays"] = 60
		}
	}))
	r.Apply(p)
	wantHeld(t, d.Service, cards, object{"dailySnapshotRetentionDays": 120, "weeklySnapshotRetentionWeeks": 4})
}

// What the plan saw stays the same for all attempts of a request.
func TestCreationOfAPolicyComparesEachAttemptWithItsPlan(t *testing.T) {
	t.Parallel()
	const taken, contested = "the lost request took effect", "another client changes the schedule that this run has created"
	for _, name := range []string{taken, contested} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providertest.StartFaultProxy(t)
			w := providertest.NewWorkspace(t, d.Service, values{"max_retries": 3})
			cluster := cards
			backup := w.NewResource(providertest.BackupConfigType)
			start := backup.Plan(values{"project_id": payments, "cluster_id": reports, "status_name": "STARTED"})
			if name == contested {
				cluster = reports
			}
			r := w.NewResource(providertest.PolicyType)
			p := r.Plan(policy(daily(90), only(cluster).With(values{"retention_mode": "minimum"})))
			backup.Apply(start).WantNoErrors(t)
			isFirst := true
			d.Handle(func(w http.ResponseWriter, req *http.Request, service http.Handler) {
				switch {
				case req.Method != http.MethodPatch || !isFirst:
					service.ServeHTTP(w, req)
					return
				case name == taken:
					service.ServeHTTP(httptest.NewRecorder(), req)
				default:
					d.SetSchedule(payments, cluster, object{"dailySnapshotRetentionDays": 45})
				}
				isFirst = false
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			errors := r.Apply(p).Errors()
			if name == taken {
				if len(errors) > 0 {
					t.Error(errors)
				}
				return
			}
			providertest.WantOne(t, errors, "changed since the plan", "daily_snapshot_retention_days is 45")
			wantHeld(t, d.Service, cluster, object{"dailySnapshotRetentionDays": 45})
		})
	}
}

// The state has an offset also if Ops Manager returns none. One that has no such member may reject a request with it.
func TestOffsetThatIsNotReturnedIsNotSent(t *testing.T) {
	t.Parallel()
	time := func(hour, minute int, offset any) values {
		return values{"reference_hour_of_day": hour, "reference_minute_of_hour": minute, "reference_time_zone_offset": offset}
	}
	for name, resource := range map[string]struct {
		typeName string
		config   func(time values) values
	}{
		"schedule": {providertest.ScheduleType, func(time values) values {
			return providertest.Schedule(cards, time)
		}},
		"policy": {providertest.PolicyType, func(time values) values {
			return policy(time, only(cards))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, resource.typeName)
			s.OmitFields("referenceTimeZoneOffset")
			for _, change := range []struct {
				time values
				sent string
			}{
				{time(5, 15, nil), `{"referenceHourOfDay": 5, "referenceMinuteOfHour": 15}`},
				{time(5, 45, nil), `{"referenceHourOfDay": 5, "referenceMinuteOfHour": 45}`},
				{time(8, 45, "+0200"), `{"referenceHourOfDay": 6, "referenceMinuteOfHour": 45}`},
				{time(9, 45, "+0200"), `{"referenceHourOfDay": 7, "referenceMinuteOfHour": 45}`},
			} {
				s.ResetRequests()
				r.MustApply(resource.config(change.time))
				wantSent(t, s, change.sent)
				r.MustRefresh()
			}
		})
	}
}
