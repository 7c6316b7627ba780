package schedules_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestOperationsOfASnapshotPolicySurviveEveryFault(t *testing.T) {
	t.Parallel()
	const failed = "1 of 1 change failed"
	adopting, reading, updating := []string{"GET", "GET", "GET", "GET", "PATCH"}, []string{"GET", "GET", "GET", "GET"}, []string{"GET", "GET", "PATCH"}
	providertest.CheckOperations(t,
		providertest.Operation{Name: "adopting the schedules of a policy", Sends: adopting, Hits: 4, Prepare: adoptPolicy,
			Fails: []string{"Unable to Apply Snapshot Policy", failed, "PATCH " + schedulePath}},
		providertest.Operation{Name: "refreshing a policy, its clusters", Sends: reading, Hits: 0, Prepare: refreshPolicy,
			Fails: []string{"Unable to List Clusters", "GET /groups/" + payments + "/clusters"}},
		providertest.Operation{Name: "refreshing a policy, its schedules", Sends: reading, Hits: 3, Prepare: refreshPolicy,
			Fails: []string{"Unable to Read Snapshot Schedules", "GET " + schedulePath}},
		providertest.Operation{Name: "updating a policy, its read", Sends: updating, Hits: 0, Prepare: updatePolicy,
			Fails: []string{"Unable to Apply Snapshot Policy", failed, "GET " + schedulePath}},
		providertest.Operation{Name: "updating a policy, its change", Sends: updating, Hits: 2, Prepare: updatePolicy,
			Fails: []string{"Unable to Apply Snapshot Policy", failed, "PATCH " + schedulePath}},
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
	setDaily(d.Service, cards, 60.0)
	return watchPolicy(d, m, providertest.Refreshing(m), 60)
}
