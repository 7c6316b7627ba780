package schedules_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Each text about a cluster has its ID or its name, and may say how long it was tried, but all of them give one reason.
func TestEqualReasonsOfManyClustersAreOneParagraph(t *testing.T) {
	t.Parallel()
	const clusters = 60
	refusing := func(method string, status int) func(*providertest.Service) {
		return func(s *providertest.Service) {
			s.Inject(emulator.Fault{
				Method: method, Path: "/snapshotSchedule", Times: -1, Status: status,
				Body: fmt.Sprintf(`{"error": %d, "errorCode": "CANNOT_MODIFY", "detail": "Not now."}`, status),
			})
		}
	}
	changing := func(s *providertest.Service) {
		for i := range clusters {
			s.SetSchedule(payments, idOf(i), object{"dailySnapshotRetentionDays": 9})
		}
	}
	for name, test := range map[string]struct {
		creates, isRefreshed bool
		fails                func(*providertest.Service)
		says                 string
	}{
		"requests that are refused":           {false, false, refusing("PATCH", http.StatusConflict), "/CLUSTER_ID/snapshotSchedule: 409"},
		"requests of a creation":              {true, false, refusing("PATCH", http.StatusConflict), "/CLUSTER_ID/snapshotSchedule: 409"},
		"requests that are repeated":          {false, true, refusing("GET", http.StatusTooManyRequests), "(gave up after several attempts)"},
		"schedules that an apply can't read":  {true, false, refusing("GET", http.StatusConflict), "/CLUSTER_ID/snapshotSchedule: 409"},
		"schedules that a plan can't read":    {false, true, refusing("GET", http.StatusForbidden), "/CLUSTER_ID/snapshotSchedule: 403"},
		"schedules that changed":              {false, false, changing, "The schedule of cluster CLUSTER_ID changed since the plan"},
		"schedules that a plan saw otherwise": {true, false, changing, `which showed "CLUSTER_NAME: daily_snapshot_retention_days 60 (was 7)"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: "Many"}}}})
			for i := range clusters {
				addCluster(s, idOf(i), fmt.Sprintf("cluster %d (a)", i), 7)
			}
			r := providertest.NewWorkspace(t, s, values{"max_retries": 1}).NewResource(providertest.PolicyType)
			config := policy(daily(60), nil)
			if !test.creates {
				r.MustApply(config)
				config = policy(daily(90), nil)
			}
			p := r.Plan(config)
			test.fails(s)
			var errors []string
			if test.isRefreshed {
				errors = r.Refresh().Errors()
			} else {
				errors = r.Apply(p).Errors()
			}
			providertest.WantOne(t, errors, "60 clusters, such as cluster 0 (a) ("+idOf(0)+"), ", test.says)
			if named := regexp.MustCompile(`\([0-9a-f]{24}\)`).FindAllString(errors[0], -1); len(named) != 5 || strings.Contains(errors[0], "more cluster") {
				t.Errorf("names %d clusters: %s", len(named), errors[0])
			}
		})
	}
}

func idOf(i int) string { return fmt.Sprintf("%024x", i+1) }
