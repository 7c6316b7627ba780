package schedules_test

import (
	"fmt"
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
	for kind, configOf := range kinds {
		for attribute := range everyField {
			for _, readsHaveIt := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, reads have it %v", kind, attribute, readsHaveIt), func(t *testing.T) {
					t.Parallel()
					field := fieldOf[attribute]
					d := providertest.StartFaultProxy(t)
					config := configOf(orders, everyField)
					r := newResource(providertest.NewWorkspace(t, d.Service), config)
					r.MustApply(configOf(orders, values{
						"snapshot_interval_hours": 24, "snapshot_retention_days": 3, "weekly_snapshot_retention_weeks": 12,
					}))
					before := d.Schedule(payments, orders)[field]
					p := r.Plan(config)
					p.WantNoErrors(t)
					var isChanged atomic.Bool
					d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
						if isWrite := request.Method == http.MethodPatch; strings.HasSuffix(request.URL.Path, "/snapshotSchedule") &&
							(isWrite || isChanged.Load() && !readsHaveIt) {
							if isWrite && !readsHaveIt {
								d.SetSchedule(payments, orders, object{field: before}) // it is ignored
							}
							isChanged.Store(true)
							delete(document, field)
						}
					}))
					diags := r.ApplyReplanned(p)
					d.Handle(nil)
					if readsHaveIt {
						diags.WantNoErrors(t)
						r.MustBeSettled(config)
						return
					}
					name := attribute
					if slices.Contains(timeOfDay, attribute) {
						name = "reference_time_of_day"
					}
					diags.WantError(t, "Value Not Returned", name)
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
