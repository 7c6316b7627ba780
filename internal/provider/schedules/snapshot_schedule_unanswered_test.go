package schedules_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// everyField has a value for each field of a schedule that differs from those of orders.
var everyField = values{
	"snapshot_interval_hours": 12, "snapshot_retention_days": 5, "daily_snapshot_retention_days": 90, "weekly_snapshot_retention_weeks": 30,
	"monthly_snapshot_retention_months": 30, "point_in_time_window_hours": 60, "cluster_checkpoint_interval_min": 60,
	"reference_hour_of_day": 17, "reference_minute_of_hour": 43, "full_incremental_day_of_week": "THURSDAY",
}

// A server that leaves a field out of its answers may have ignored it. If only the answer to the change lacks it, the
// next read tells.
func TestFieldThatTheAnswersLeaveOutDoesNotCountAsTaken(t *testing.T) {
	t.Parallel()
	kinds := map[string]struct {
		typeName string
		config   func(fields values) values
	}{
		"schedule": {providertest.ScheduleType, func(fields values) values {
			return providertest.Schedule(orders, fields)
		}},
		"policy": {providertest.PolicyType, func(fields values) values {
			return policy(fields, only(orders))
		}},
		"policy that raises": {providertest.PolicyType, func(fields values) values {
			return policy(fields, only(orders).With(values{"retention_mode": "minimum"}))
		}},
	}
	for kind, of := range kinds {
		for _, attribute := range slices.Sorted(maps.Keys(everyField)) {
			for _, readsHaveIt := range []bool{false, true} {
				name := kind + ", " + attribute + " is left out of all answers"
				if readsHaveIt {
					name = kind + ", " + attribute + " is left out of the answer to the change"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					field := fieldOf[attribute]
					d := providertest.StartFaultProxy(t)
					r := providertest.NewWorkspace(t, d.Service).NewResource(of.typeName)
					first := values{"snapshot_interval_hours": 24, "snapshot_retention_days": 3, "weekly_snapshot_retention_weeks": 12}
					r.MustApply(of.config(first))
					before := d.Schedule(payments, orders)[field]
					var isChanged atomic.Bool
					omit := providertest.Rewrite(func(request *http.Request, document object) {
						if isWrite := request.Method == http.MethodPatch; strings.HasSuffix(request.URL.Path, "/snapshotSchedule") &&
							(isWrite || isChanged.Load() && !readsHaveIt) {
							if isWrite && !readsHaveIt {
								d.SetSchedule(payments, orders, object{field: before}) // it is ignored
							}
							isChanged.Store(true)
							delete(document, field)
						}
					})
					config := of.config(everyField)
					p := r.Plan(config)
					p.WantNoErrors(t)
					d.Handle(omit)
					errors := r.ApplyReplanned(p).Errors()
					d.Handle(nil)
					if readsHaveIt {
						if len(errors) > 0 {
							t.Fatal(errors)
						}
						r.MustBeSettled(config)
						return
					}
					name := attribute
					if field == "referenceHourOfDay" || field == "referenceMinuteOfHour" {
						name = "reference_time_of_day"
					}
					providertest.WantOne(t, errors, "Value Not Returned", name)
					r.MustRefresh()
					p = r.Plan(config)
					if p.IsEmpty() {
						t.Fatal("the next plan is empty")
					}
					r.ApplyReplanned(p)
					r.MustBeSettled(config)
				})
			}
		}
	}
}
