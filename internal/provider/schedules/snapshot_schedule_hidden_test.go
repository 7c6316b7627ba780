package schedules_test

import (
	"fmt"
	"net/http"
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
	p := r.Plan(scheduleOf(cards, values{"reference_hour_of_day": 10, "reference_minute_of_hour": 30}))
	r.Apply(p).WantError(t, "Value Not Returned", "reference_time_of_day")
}

func TestStateHasAHiddenTimeThatWasSentBesideAValueThatWasNotTaken(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	r := scheduleOn(t, d.Service)
	time := func(hour, days int) values {
		return scheduleOf(cards, values{
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
			s, r := manageCards(t, values{"reference_hour_of_day": 5, "reference_minute_of_hour": 30})
			p := r.Plan(scheduleOf(cards, values{"reference_hour_of_day": 10, "reference_minute_of_hour": 30}))
			s.SetSchedule(payments, cards, object{"referenceHourOfDay": test.live})
			s.OmitFields("referenceMinuteOfHour")
			r.Apply(p).WantError(t, test.says)
		})
	}
}

func TestPolicyKnowsNoRetentionThatAnIntervalTakesAlongUnseen(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 2})
	s.OmitFields("snapshotRetentionDays")
	for _, hours := range []int{12, 8} {
		config := policy(values{"snapshot_interval_hours": hours}, only(cards))
		r.ApplyReplanned(r.Plan(config)).WantNoErrors(t)
		r.MustRefresh()
		wantLines(t, r.Attributes(), "clusters", fmt.Sprintf("%s cards: snapshot_interval_hours %d, snapshot_retention_days at most 5", cards, hours))
	}
}

// What the plan saw stays the same for all attempts of a request, also of a schedule that this run has created.
func TestCreationOfAPolicyComparesEachAttemptWithItsPlan(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	w := providertest.NewWorkspace(t, d.Service, values{"max_retries": 3})
	backup, r := w.NewResource(providertest.BackupConfigType), w.NewResource(providertest.PolicyType)
	start := backup.Plan(values{"project_id": payments, "cluster_id": reports, "status_name": "STARTED"})
	p := r.Plan(policy(daily(90), only(reports).With(minimum)))
	backup.Apply(start).WantNoErrors(t)
	isFirst := true
	d.Handle(func(w http.ResponseWriter, req *http.Request, service http.Handler) {
		if req.Method == http.MethodPatch && isFirst {
			isFirst = false
			setDaily(d.Service, reports, 45) // by another client
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		service.ServeHTTP(w, req)
	})
	r.Apply(p).WantError(t, "changed since the plan", "daily_snapshot_retention_days is 45")
	wantHeld(t, d.Service, reports, object{"dailySnapshotRetentionDays": 45})
}

// The state has an offset also if Ops Manager returns none. One that has no such member may reject a request with it.
func TestOffsetThatIsNotReturnedIsNotSent(t *testing.T) {
	t.Parallel()
	for kind, configOf := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			s.OmitFields("referenceTimeZoneOffset")
			r := newResource(providertest.NewWorkspace(t, s), configOf(cards, nil))
			for _, change := range []struct {
				hour, minute int
				offset       any
				sent         string
			}{
				{5, 15, nil, `{"referenceHourOfDay": 5, "referenceMinuteOfHour": 15}`},
				{5, 45, nil, `{"referenceHourOfDay": 5, "referenceMinuteOfHour": 45}`},
				{8, 45, "+0200", `{"referenceHourOfDay": 6, "referenceMinuteOfHour": 45}`},
				{9, 45, "+0200", `{"referenceHourOfDay": 7, "referenceMinuteOfHour": 45}`},
			} {
				s.ResetRequests()
				r.MustApply(configOf(cards, values{
					"reference_hour_of_day": change.hour, "reference_minute_of_hour": change.minute, "reference_time_zone_offset": change.offset,
				}))
				wantSent(t, s, change.sent)
				r.MustRefresh()
			}
		})
	}
}
