package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// leavingPage has the table of how objects leave.
const leavingPage = "LEAVING.md"

const leavingIntroduction = "# How an object leaves\n\n" +
	"For each resource type and each way in which its object can leave: the exit code of `terraform plan -detailed-exitcode` before " +
	"the next apply, what the plan says, and the exit code after that apply. 0 is no change, 1 an error, and 2 a change. What a person " +
	"has to know is a change or an error, never only a warning. A test makes this page: " +
	"`go test ./internal/provider -run Leaving -update`.\n\n" +
	"| type | way | what happens | before | what the plan says | after |\n" +
	"|---|---|---|---|---|---|\n"

// waysToLeave are the ways in which an object can leave, in the order of the table.
var waysToLeave = []string{"deleted", "ended", "renamed", "hidden", "taken over", "moved", "expired"}

// departure is a way in which the object of a resource leaves, or the reason why it can't.
type departure struct {
	way   string
	what  string
	leave func(s *providertest.Service, r *providertest.Resource) // nil if it can't
}

func never(way, reason string) departure { return departure{way: way, what: reason} }

// refuse makes Ops Manager refuse each request whose path has a part.
func refuse(part string, status int, code string) func(*providertest.Service, *providertest.Resource) {
	return func(s *providertest.Service, _ *providertest.Resource) {
		s.Inject(emulator.Fault{
			Path: part, Times: -1, Status: status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: fmt.Sprintf(`{"error": %d, "errorCode": %q, "detail": "No."}`, status, code),
		})
	}
}

var (
	hiddenProject        = departure{"hidden", "the API key loses its role in the project", refuse("/groups/"+payments, http.StatusNotFound, "GROUP_NOT_FOUND")}
	hiddenAdministration = departure{"hidden", "the API key loses its global role", refuse("/admin/backup", http.StatusForbidden, "USER_UNAUTHORIZED")}
)

const otherProject = "64f0c2d57c1e4a6b92d3f4e5"

// ofCluster returns the departures of what a cluster has.
func ofCluster(id, name string) []departure {
	set := func(fields object) func(*providertest.Service, *providertest.Resource) {
		return func(s *providertest.Service, _ *providertest.Resource) {
			s.SetBackupConfig(payments, id, fields)
		}
	}
	another := func(project, clusterName string) func(*providertest.Service, *providertest.Resource) {
		return func(s *providertest.Service, _ *providertest.Resource) {
			s.RemoveCluster(payments, id)
			s.AddCluster(project, emulator.Cluster{
				ID: id, Name: clusterName, TypeName: "REPLICA_SET", ReplicaSetName: clusterName,
				BackupConfig: object{"statusName": "STARTED"},
			})
		}
	}
	return []departure{
		{"deleted", "the cluster is removed", func(s *providertest.Service, _ *providertest.Resource) { s.RemoveCluster(payments, id) }},
		{"deleted", "the backup configuration is gone", refuse("/backupConfigs/"+id, http.StatusNotFound, "BACKUP_CONFIG_NOT_FOUND")},
		{"ended", "the backup is terminated: INACTIVE", set(object{"statusName": "INACTIVE"})},
		{"ended", "the backup is TERMINATING", set(object{"statusName": "TERMINATING"})},
		{"ended", "the cluster is no longer monitored", refuse("/backupConfigs/"+id, http.StatusConflict, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE")},
		{"renamed", "the cluster is renamed", another(payments, name+"-new")},
		hiddenProject,
		{"taken over", "another product backs up the cluster", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetThirdPartyBackup(payments, id, "ACTIVE")
			s.SetBackupStatus(payments, id, "INACTIVE")
		}},
		{"moved", "the cluster is in another project", another(otherProject, name)},
	}
}

// ofStore returns the departures of a store.
func ofStore(kind emulator.StoreKind, location object) []departure {
	return []departure{
		{"deleted", "the store is deleted", func(s *providertest.Service, _ *providertest.Resource) { s.RemoveBackupStore(kind, "new") }},
		never("ended", "a store has no status"),
		never("renamed", "the ID of a store is its name, and can't be changed"),
		hiddenAdministration,
		never("taken over", "no other product has stores"),
		{"moved", "the location is changed", func(s *providertest.Service, _ *providertest.Resource) { s.SetBackupStore(kind, "new", location) }},
		never("expired", "a store has no expiry"),
	}
}

func idOf(r *providertest.Resource) string {
	for _, attribute := range []string{"id", "alert_configuration_id"} {
		if id, ok := r.Attributes()[attribute].(string); ok {
			return id
		}
	}
	r.T.Fatalf("%s has no ID", r.TypeName)
	return ""
}

// departures are those of each resource type. The configurations are those of destructions.
var departures = map[string][]departure{
	providertest.ScheduleType:     append(ofCluster(ledger, "ledger"), never("expired", "a schedule has no expiry")),
	providertest.PolicyType:       append(ofCluster(ledger, "ledger"), never("expired", "a schedule has no expiry")),
	providertest.BackupConfigType: append(ofCluster(cards, "cards"), never("expired", "a backup has no expiry")),
	providertest.OnDemandSnapshotType: {
		{"deleted", "the snapshot is deleted", func(s *providertest.Service, r *providertest.Resource) {
			s.RemoveSnapshot(payments, orders, idOf(r))
		}},
		{"deleted", "the cluster is removed", func(s *providertest.Service, _ *providertest.Resource) {
			s.RemoveCluster(payments, orders)
		}},
		{"ended", "the backup is terminated, with its snapshots", func(s *providertest.Service, r *providertest.Resource) {
			s.SetBackupConfig(payments, orders, object{"statusName": "INACTIVE"})
			s.RemoveSnapshot(payments, orders, idOf(r))
		}},
		never("renamed", "a snapshot has no name"),
		hiddenProject,
		{"taken over", "another product backs up the cluster", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetThirdPartyBackup(payments, orders, "ACTIVE")
		}},
		never("moved", "a snapshot stays with its cluster"),
		{"expired", "the snapshot expires", func(s *providertest.Service, r *providertest.Resource) {
			time.Sleep(4 * 24 * time.Hour)
			s.RemoveSnapshot(payments, orders, idOf(r))
		}},
	},
	providertest.RestoreJobType: {
		{"deleted", "the restore is no longer listed", func(s *providertest.Service, _ *providertest.Resource) {
			s.RemoveRestoreJobs(payments, ledger)
		}},
		{"deleted", "the cluster is removed", func(s *providertest.Service, _ *providertest.Resource) {
			s.RemoveCluster(payments, ledger)
		}},
		{"ended", "the backup is terminated", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetBackupConfig(payments, ledger, object{"statusName": "INACTIVE"})
		}},
		never("renamed", "a restore has no name"),
		hiddenProject,
		{"taken over", "another product backs up the cluster", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetThirdPartyBackup(payments, ledger, "ACTIVE")
		}},
		never("moved", "a restore stays with its cluster"),
		{"expired", "the link to download expires", func(*providertest.Service, *providertest.Resource) { time.Sleep(2 * time.Hour) }},
	},
	providertest.BackupModuleType: {
		{"deleted", "the automation configuration is gone", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetAutomationConfig(payments, nil)
		}},
		{"deleted", "the host leaves the project", func(s *providertest.Service, _ *providertest.Resource) {
			s.RemoveAgent(payments, moduleHost)
			s.PublishAutomationConfig(payments, withoutModule)
		}},
		{"ended", "the module is deactivated", func(s *providertest.Service, _ *providertest.Resource) {
			s.PublishAutomationConfig(payments, withoutModule)
		}},
		never("renamed", "the name of a host is its ID"),
		hiddenProject,
		{"taken over", "an external system locks the project", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetControlledFeature(payments, object{
				"externalManagementSystem": object{"name": "operator"}, "policies": []any{object{
					"policy": "EXTERNALLY_MANAGED_LOCK", "disabledParams": []any{},
				}},
			})
			s.PublishAutomationConfig(payments, withoutModule)
		}},
		never("moved", "a host in another project is another host"),
		never("expired", "a module has no expiry"),
	},
	providertest.DaemonType: {
		{"deleted", "the configuration is deleted", func(s *providertest.Service, _ *providertest.Resource) {
			s.RemoveBackupDaemon("om-au.example.com", "/data/backup/")
		}},
		{"ended", "the daemon is no longer configured", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetBackupDaemon("om-au.example.com", "/data/backup/", object{"configured": false})
		}},
		never("renamed", "the machine and the directory of a daemon are its ID"),
		hiddenAdministration,
		never("taken over", "no other product has daemons"),
		{"moved", "the daemon has another head directory", func(s *providertest.Service, _ *providertest.Resource) {
			s.RemoveBackupDaemon("om-au.example.com", "/data/backup/")
			s.SetBackupDaemon("om-au.example.com", "/data/moved/", object{"configured": true})
		}},
		never("expired", "a daemon has no expiry"),
	},
	providertest.JobConfigType: {
		{"deleted", "the filters are removed", func(s *providertest.Service, _ *providertest.Resource) { s.RemoveJobConfig(payments) }},
		never("ended", "a job configuration has no status"),
		never("renamed", "a job configuration has no name"),
		hiddenAdministration,
		never("taken over", "no other product has job configurations"),
		never("moved", "a project has one job configuration"),
		never("expired", "a job configuration has no expiry"),
	},
	providertest.RegionType: {
		{"deleted", "the region is deleted", func(s *providertest.Service, _ *providertest.Resource) { s.RemoveRegion("NEW") }},
		never("ended", "a region has no status"),
		never("renamed", "the ID of a region is its name, and can't be changed"),
		hiddenAdministration,
		never("taken over", "no other product has regions"),
		{"moved", "an endpoint is changed", func(s *providertest.Service, _ *providertest.Resource) {
			s.SetRegion("NEW", object{"restoreEndpoint": "https://moved.example.com:8443"})
		}},
		never("expired", "a region has no expiry"),
	},
	"opsmanager_alert_configuration": {
		{"deleted", "the alert configuration is deleted", func(s *providertest.Service, r *providertest.Resource) {
			s.RemoveAlertConfig(payments, idOf(r))
		}},
		{"ended", "the alert configuration is disabled", func(s *providertest.Service, r *providertest.Resource) {
			s.SetAlertConfig(payments, idOf(r), object{"enabled": false})
		}},
		never("renamed", "an alert configuration has no name"),
		hiddenProject,
		never("taken over", "no other product has alert configurations"),
		never("moved", "an alert configuration stays in its project"),
		never("expired", "an alert configuration has no expiry"),
	},
	providertest.BlockstoreType:      ofStore(emulator.Blockstore, object{"uri": "mongodb://moved.example.com"}),
	providertest.OplogStoreType:      ofStore(emulator.OplogStore, object{"uri": "mongodb://moved.example.com"}),
	providertest.SyncStoreType:       ofStore(emulator.SyncStore, object{"uri": "mongodb://moved.example.com"}),
	providertest.S3BlockstoreType:    ofStore(emulator.S3Blockstore, object{"s3BucketName": "moved"}),
	providertest.S3OplogStoreType:    ofStore(emulator.S3OplogStore, object{"s3BucketName": "moved"}),
	providertest.FileSystemStoreType: ofStore(emulator.FileSystemStore, object{"storePath": "/mnt/moved"}),
}

// nothingLost says why "No changes" is right, by type and by what happens.
var nothingLost = map[string]string{
	"opsmanager_alert_configuration the alert configuration is disabled": "enabled is not configured, and what is not configured is not compared",
	"opsmanager_backup_config the cluster is renamed":                    "the cluster and its backup are the same",
	"opsmanager_backup_daemon the daemon is no longer configured":        "configured is not configured, and what is not configured is not compared",
	"opsmanager_on_demand_snapshot another product backs up the cluster": "the snapshot is still there",
	"opsmanager_on_demand_snapshot the snapshot expires":                 "it was kept as long as it had to be",
	"opsmanager_restore_job another product backs up the cluster":        hasEnded,
	"opsmanager_restore_job the API key loses its role in the project":   hasEnded,
	"opsmanager_restore_job the backup is terminated":                    hasEnded,
	"opsmanager_restore_job the cluster is removed":                      hasEnded,
	"opsmanager_restore_job the link to download expires":                hasEnded,
	"opsmanager_restore_job the restore is no longer listed":             hasEnded,
	"opsmanager_snapshot_schedule the backup is TERMINATING":             "the schedule is there until the backup is INACTIVE",
	"opsmanager_snapshot_schedule the cluster is renamed":                "the cluster and its schedule are the same",
}

const hasEnded = "a restore is an event, and one that has ended is not read again"

const moduleHost = "reports-0.payments.example.com"

// withoutModule removes the module of moduleHost from an automation configuration.
func withoutModule(document []byte) []byte {
	return []byte(strings.ReplaceAll(string(document), moduleHost, "elsewhere.payments.example.com"))
}

// plannedExit returns the exit code of terraform plan -detailed-exitcode, and what the plan says first.
func plannedExit(r *providertest.Resource, config values) (exitCode int, says string, p *providertest.Plan) {
	r.Configure()
	diags := r.Refresh()
	if errors := diags.Errors(); len(errors) > 0 {
		return 1, "Error: " + title(errors[0]), nil
	}
	isMissing := r.State.IsNull()
	p = r.Plan(config)
	warnings := slices.Concat(diags.Warnings(), p.Warnings())
	switch {
	case len(p.Errors()) > 0:
		return 1, "Error: " + title(p.Errors()[0]), nil
	case isMissing:
		exitCode, says = 2, "creates it"
	case p.Replaces:
		exitCode, says = 2, "replaces it"
	case !p.IsEmpty():
		exitCode, says = 2, "changes "+strings.Join(p.Changes(), ", ")
	default:
		says = "No changes"
	}
	if len(warnings) > 0 {
		says += "; Warning: " + title(warnings[0])
	}
	return exitCode, says, p
}

func title(diagnostic string) string {
	if strings.HasPrefix(diagnostic, "[") {
		_, diagnostic, _ = strings.Cut(diagnostic, "] ")
	}
	text, _, _ := strings.Cut(diagnostic, ": ")
	return text
}

// row tries a departure.
func (d departure) row(t *testing.T, typeName string, config values) string {
	t.Helper()
	if d.leave == nil {
		return fmt.Sprintf("| `%s` | %s | %s | - | | - |\n", typeName, d.way, d.what)
	}
	s, r := providertest.StartResourceInMemory(t, typeName, emulator.Options{TransitionReads: -1, RestoreReads: -1, ThirdPartyBackup: true})
	r.Context = t.Context() // without the deadline
	r.MustApply(config)
	d.leave(s, r)
	before, says, p := plannedExit(r, config)
	after, reason := before, nothingLost[typeName+" "+d.what]
	if isNothingLost := before == 0; isNothingLost != (reason != "") {
		t.Errorf("exit code %d, %s; nothingLost says %q", before, says, reason)
	} else if isNothingLost {
		says += " (" + reason + ")"
	}
	if p != nil {
		s.ResetRequests()
		if errors := r.ApplyReplanned(p).Errors(); len(errors) > 0 {
			says += "; the apply: " + title(errors[0])
		}
		after, _, _ = plannedExit(r, config)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %d | %s | %d |\n", typeName, d.way, d.what, before, says, after)
}

func TestLeavingObjectsAreChangesOrErrorsOfThePlan(t *testing.T) {
	t.Parallel()
	rows, mu := map[string]string{}, sync.Mutex{}
	keyOf := func(typeName string, d departure) string {
		return fmt.Sprintf("%s %d %s", typeName, slices.Index(waysToLeave, d.way), d.what)
	}
	schema := providertest.NewWorkspace(t, providertest.StartService(t)).Schema
	t.Run("all", func(t *testing.T) {
		t.Parallel()
		for typeName := range schema.ResourceSchemas {
			i := slices.IndexFunc(destructions, func(d destruction) bool { return d.typeName == typeName })
			for _, way := range waysToLeave {
				if i < 0 || !slices.ContainsFunc(departures[typeName], func(d departure) bool { return d.way == way }) {
					t.Errorf("departures does not say how the object of %s leaves: %s", typeName, way)
				}
			}
			for _, d := range departures[typeName] {
				t.Run(typeName+"/"+d.way+"/"+d.what, func(t *testing.T) {
					t.Parallel()
					providertest.InBubble(t, func(t *testing.T) {
						row := d.row(t, typeName, destructions[i].config)
						mu.Lock()
						defer mu.Unlock()
						rows[keyOf(typeName, d)] = row
					})
				})
			}
		}
	})
	t.Cleanup(func() {
		page := leavingIntroduction
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			page += rows[key]
		}
		if *update {
			if err := os.WriteFile(leavingPage, []byte(page), 0o600); err != nil {
				t.Error(err)
			}
			return
		}
		if text, err := os.ReadFile(leavingPage); err != nil || string(text) != page {
			t.Errorf("%s is not up to date (%v); run go test ./internal/provider -run Leaving -update", leavingPage, err)
		}
	})
}

// A destroy of what has left ends, or its error says how it ends: without a refresh.
func TestDestroyOfWhatHasLeftEndsOrSaysHow(t *testing.T) {
	t.Parallel()
	for _, d := range destructions {
		for _, departure := range departures[d.typeName] {
			if departure.leave == nil || departure.what == hiddenAdministration.what { // the key needs its role again
				continue
			}
			for _, settings := range []values{nil, d.settings} {
				if d.refused && settings != nil {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%v", d.typeName, departure.what, settings), func(t *testing.T) {
					t.Parallel()
					providertest.InBubble(t, func(t *testing.T) {
						s, r := providertest.StartResourceInMemory(
							t, d.typeName, emulator.Options{TransitionReads: -1, RestoreReads: -1, ThirdPartyBackup: true},
						)
						r.Context = t.Context() // without the deadline
						config := d.config.With(settings)
						r.MustApply(config)
						departure.leave(s, r)
						r.Configure()
						errors := r.Refresh().Errors()
						if len(errors) == 0 {
							errors = r.Plan(config).Errors() // Terraform also plans before a destroy
						}
						if len(errors) == 0 && !r.State.IsNull() {
							errors = r.Destroy().Errors()
						}
						if len(errors) == 0 {
							return
						}
						text := strings.Join(errors, "\n")
						if !strings.Contains(text, "-refresh=false") && !strings.Contains(text, "Destroy again to wait") {
							t.Errorf("the error does not say how: %q", errors)
						}
						if r.State.IsNull() {
							return // without a refresh, it has a state
						}
						if text := strings.Join(r.Destroy().Errors(), "\n"); text != "" && !strings.Contains(text, "terraform state rm") &&
							!strings.Contains(text, "Destroy again to wait") {
							t.Errorf("without a refresh: %q", text)
						}
					})
				})
			}
		}
	}
}
