package provider_test

import (
	"fmt"
	"net/http"
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

// Each cluster that leaves a policy, or that it skips from now on, is drift to a pipeline until an apply records it.
// A project that the key can't see is an error.
func TestPipelinesReportEachWayOutOfAPolicy(t *testing.T) {
	t.Parallel()
	status := func(status string) func(*providertest.Service) {
		return func(s *providertest.Service) {
			s.SetBackupConfig(providertest.Payments, providertest.Cards, map[string]any{"statusName": status})
		}
	}
	answer := func(status int, path, body string) func(*providertest.Service) {
		return func(s *providertest.Service) {
			s.Inject(emulator.Fault{Method: "GET", Path: path, Times: -1, Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body})
		}
	}
	remove := func(s *providertest.Service) { s.RemoveCluster(providertest.Payments, providertest.Cards) }
	const none, drift, failure = `{"totalCount": 0, "results": []}`, "true", ""
	for name, test := range map[string]struct {
		leave   func(*providertest.Service)
		reports string
		prints  string
	}{
		"ended":       {status("INACTIVE"), drift, "cards: INACTIVE"},
		"terminating": {status("TERMINATING"), drift, "cards: TERMINATING"},
		"removed":     {remove, drift, "no longer lists it"},
		"another product": {func(s *providertest.Service) {
			s.SetThirdPartyBackup(providertest.Payments, providertest.Cards, "ACTIVE")
		}, drift, "cards: backed up by another product"},
		"no configuration":     {answer(200, "/backupConfigs", none), drift, "cards: no backup configuration"},
		"no cluster":           {answer(200, "/clusters", none), drift, "lists only its backup configuration"},
		"an invisible project": {answer(404, "/clusters", `{"error": 404, "errorCode": "GROUP_NOT_FOUND", "detail": "No."}`), failure, "has no role in it"},
		"renamed": {func(s *providertest.Service) {
			remove(s)
			s.AddCluster(providertest.Payments, emulator.Cluster{
				ID: providertest.Cards, Name: "wallets", TypeName: "REPLICA_SET",
				BackupConfig: map[string]any{"statusName": "STARTED"}, SnapshotSchedule: map[string]any{"dailySnapshotRetentionDays": 60},
			})
		}, drift, "does not select the new name"},
	} {
		for _, file := range []string{"github-actions.yml", "gitlab-ci.yml"} {
			t.Run(name+", "+file, func(t *testing.T) {
				t.Parallel()
				r := providertest.StartRun(t, emulator.Options{ThirdPartyBackup: true})
				r.Env = append(r.Env, "OPSMANAGER_BASE_URL="+r.Service.URL)
				p := openPipeline(r.Folder, filepath.Join(examples, "pipelines", file), "terraform plan")
				r.Configure(fmt.Sprintf(guardedPolicy, providertest.Payments))
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
