package schedules_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestOperationsOfASnapshotPolicySurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "adopting the schedules of a policy", Sends: []string{"GET", "GET", "GET", "GET", "PATCH"}, Hits: 4,
			Fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "PATCH " + schedulePath}, Prepare: adoptPolicy},
		providertest.Operation{Name: "refreshing a policy, its clusters", Sends: []string{"GET", "GET", "GET", "GET"}, Hits: 0,
			Fails: []string{"Unable to List Clusters", "GET /groups/" + payments + "/clusters"}, Prepare: refreshPolicy},
		providertest.Operation{Name: "refreshing a policy, its schedules", Sends: []string{"GET", "GET", "GET", "GET"}, Hits: 3,
			Fails: []string{"Unable to Read Snapshot Schedules", "GET " + schedulePath}, Prepare: refreshPolicy},
		providertest.Operation{Name: "updating a policy, its read", Sends: []string{"GET", "GET", "PATCH"}, Hits: 0,
			Fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "GET " + schedulePath}, Prepare: updatePolicy},
		providertest.Operation{Name: "updating a policy, its change", Sends: []string{"GET", "GET", "PATCH"}, Hits: 2,
			Fails: []string{"Unable to Apply Snapshot Policy", "1 of 1 change failed", "PATCH " + schedulePath}, Prepare: updatePolicy},
	)
}

func TestScheduleOfAPolicyThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	providertest.CheckContested(t,
		providertest.Contested{
			Name: "policy", Prepare: updatePolicy, Method: "PATCH", Attribute: "daily_snapshot_retention_days",
			Field: "dailySnapshotRetentionDays", Third: 90.0,
			Other: "weeklySnapshotRetentionWeeks", Theirs: 7.0, Object: "The schedule of cluster " + cards, Set: setSchedule, Get: getSchedule,
		},
	)
}

// cardsPolicy is a policy for one cluster.
func cardsPolicy(days int) values {
	return policy(daily(days), values{"cluster_ids": []any{cards}})
}

// watchPolicy watches the retention of the cluster, and its line in the state, without the value that the
// last change replaced.
func watchPolicy(d *providertest.FaultProxy, m *providertest.Resource, a *providertest.Attempt, days int) *providertest.Attempt {
	line := func() any {
		lines, _ := m.Attributes()["clusters"].(values)
		text, _, _ := strings.Cut(fmt.Sprint(lines[cards]), " (was ")
		return text
	}
	return a.Watching(dailyHeld(d), line, float64(days), fmt.Sprintf("cards: daily_snapshot_retention_days %d", days))
}

func adoptPolicy(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.PolicyType)
	return watchPolicy(d, m, providertest.Applying(t, m, cardsPolicy(15)), 15)
}

func updatePolicy(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.PolicyType)
	m.Create(cardsPolicy(15))
	return watchPolicy(d, m, providertest.Applying(t, m, cardsPolicy(30)), 30)
}

func refreshPolicy(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.PolicyType)
	m.Create(cardsPolicy(15))
	d.SetSchedule(payments, cards, object{"dailySnapshotRetentionDays": 60.0})
	return watchPolicy(d, m, providertest.Refreshing(m), 60)
}
