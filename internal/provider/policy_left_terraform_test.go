package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// guardedPolicy selects cards and ledger by name.
const guardedPolicy = `
resource "opsmanager_snapshot_policy" "fleet" {
  project_ids          = [%q]
  cluster_name_regex   = "^(cards|ledger)$"
  retention_protection = true
  schedule             = { daily_snapshot_retention_days = 60 }
}
`

// A cluster that leaves a policy is drift to a pipeline until an apply records it. A project that the key can't see is
// an error.
func TestPipelinesReportAClusterThatLeavesAPolicy(t *testing.T) {
	t.Parallel()
	const drift, failure = "true", ""
	for name, test := range map[string]struct {
		leave   func(*providertest.Service)
		reports string
		prints  string
	}{
		"removed": {func(s *providertest.Service) { s.RemoveCluster(payments, cards) }, drift, "no longer lists it"},
		"an invisible project": {func(s *providertest.Service) {
			s.Inject(emulator.Fault{
				Method: "GET", Path: "/clusters", Times: -1, Status: 404,
				Body: `{"error": 404, "errorCode": "GROUP_NOT_FOUND", "detail": "No."}`,
			})
		}, failure, "has no role in it"},
	} {
		for _, file := range []string{"github-actions.yml", "gitlab-ci.yml"} {
			t.Run(name+", "+file, func(t *testing.T) {
				t.Parallel()
				r := providertest.StartRun(t)
				r.Env = append(r.Env, "OPSMANAGER_BASE_URL="+r.Service.URL)
				p := openPipeline(r.Folder, filepath.Join(examples, "pipelines", file), "terraform plan")
				r.Configure(fmt.Sprintf(guardedPolicy, payments))
				r.Succeeds("apply", "-auto-approve")
				reported := func() (string, string) {
					exitCode, printed := p.run()
					if p.gitlab {
						return map[int]string{0: "false", 2: "true"}[exitCode], printed
					}
					output, _ := os.ReadFile(filepath.Join(r.Dir, "outputs"))
					return strings.TrimPrefix(strings.TrimSpace(string(output)), "drift="), printed
				}
				if got, printed := reported(); got != "false" {
					t.Fatalf("before, the pipeline reports %q\n%s", got, printed)
				}
				test.leave(r.Service)
				for range 2 {
					got, printed := reported()
					if got != test.reports {
						t.Errorf("the pipeline reports %q\n%s", got, printed)
					}
					providertest.WantContains(t, strings.Join(strings.Fields(strings.ReplaceAll(printed, "│", " ")), " "), test.prints)
				}
				if test.reports == failure {
					return
				}
				writes := len(r.Service.Writes())
				r.Succeeds("apply", "-auto-approve")
				if sent := r.Service.Writes(); len(sent) > writes {
					t.Errorf("the apply sent %q", sent[writes:])
				}
				if got, printed := reported(); got != "false" {
					t.Errorf("after the apply, the pipeline reports %q\n%s", got, printed)
				}
			})
		}
	}
}
