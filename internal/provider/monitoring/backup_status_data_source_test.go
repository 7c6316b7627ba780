package monitoring_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// IDs of the seeds of these tests.
const (
	analytics = "64f0c2d57c1e4a6b92d3f4e5" // a second project
	first     = "650a00000000000000000001"
	second    = "650a00000000000000000002"
	third     = "650a00000000000000000003"
)

// taken returns a complete snapshot that was taken at a time relative to the start, such as -2h.
func taken(at string, more object) object {
	snapshot := object{"id": "66d2a1b0c4d6e8f0a2b4c601", "complete": true, "created": object{"date": at, "increment": 1}, "expires": "+48h"}
	maps.Copy(snapshot, more)
	return snapshot
}

// replicaSet returns a cluster. An empty status stands for no backup configuration.
func replicaSet(id, name, status string, snapshots ...object) emulator.Cluster {
	c := emulator.Cluster{ID: id, Name: name, TypeName: "REPLICA_SET", Snapshots: snapshots}
	if status != "" {
		c.BackupConfig = object{"statusName": status}
	}
	return c
}

func payments(clusters ...emulator.Cluster) emulator.Project {
	return emulator.Project{ID: providertest.Payments, Name: "Payments", Clusters: clusters}
}

// options returns options with some projects. The clock of the emulator is that of the provider.
func options(projects ...emulator.Project) emulator.Options {
	return emulator.Options{Now: time.Now, TransitionTime: -1, TransitionReads: 1_000, Seed: &emulator.Seed{Projects: projects}}
}

func open(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Workspace) {
	t.Helper()
	s := providertest.StartService(t, options...)
	return s, providertest.NewWorkspace(t, s)
}

// status reads the data source, which must succeed.
func status(t *testing.T, w *providertest.Workspace, config values) (clusters, problems values) {
	t.Helper()
	data := w.MustRead(t, providertest.BackupStatusType, config)
	clusters, _ = data["clusters"].(values)
	problems, _ = data["problems"].(values)
	return clusters, problems
}

// field returns an attribute of a cluster.
func field(clusters values, id, name string) any {
	c, _ := clusters[id].(values)
	return c[name]
}

// wantProblem checks the problem of a cluster.
func wantProblem(t *testing.T, w *providertest.Workspace, config values, id, code, text, sentence string) {
	t.Helper()
	clusters, problems := status(t, w, config)
	if field(clusters, id, "code") != code || field(clusters, id, "problem") != text || problems[id] != sentence {
		t.Errorf("got %v, %v, %v\nwant %v, %v, %v", field(clusters, id, "code"), field(clusters, id, "problem"), problems[id], code, text, sentence)
	}
}

// An operation reads the clusters one after the other.
func TestBackupStatusDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckSource(t, providertest.Source{
		Type: "opsmanager_backup_status", Config: values{"project_ids": []any{providertest.Payments}, "concurrency": 1}, Hits: []int{0, 1, 2},
	})
	providertest.CheckSource(t, providertest.Source{Type: "opsmanager_backup_status", Config: values{"concurrency": 1}})
}

func TestIncompleteListIsAnErrorOfTheBackupStatus(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{TotalCount: func(count int) int { return count + 1 }})
	_, diags := providertest.NewWorkspace(t, s).Read(providertest.BackupStatusType, nil)
	diags.WantError(t, "Unable to Read Backup Status", "distinct items, but Ops Manager counts", "pageNum and itemsPerPage")
}

func TestHealthyClustersOfAllProjectsAreQuiet(t *testing.T) {
	t.Parallel()
	s, w := open(t, options(
		payments(replicaSet(first, "ledger", "STARTED", taken("-50h", nil), taken("-2h", object{"id": "66d2a1b0c4d6e8f0a2b4c602"}))),
		emulator.Project{ID: analytics, Name: "Analytics", Clusters: []emulator.Cluster{
			{
				ID: second, Name: "events", TypeName: "SHARDED_REPLICA_SET", BackupConfig: object{"statusName": "STARTED"},
				Snapshots: []object{taken("-3h", object{"doNotDelete": true, "expires": nil})},
			},
			{ID: third, Name: "events", TypeName: "REPLICA_SET", ShardName: "events-0", ShardOf: second, BackupConfig: object{"statusName": "INACTIVE"}},
		}},
	))
	before := time.Now().UTC().Truncate(time.Second)
	clusters, problems := status(t, w, values{"max_snapshot_age_hours": 26, "concurrency": 1})
	if len(problems) != 0 || problems == nil {
		t.Errorf("problems: %v", problems)
	}
	events, _ := clusters[second].(values)
	newest, _ := events["newest_complete"].(values)
	at, err := time.Parse(time.RFC3339, fmt.Sprint(newest["created"]))
	if age := before.Sub(at); err != nil || age < 3*time.Hour-time.Minute || age > 3*time.Hour+time.Minute {
		t.Errorf("taken %v: %v", newest["created"], err)
	}
	delete(newest, "created")
	want := values{
		"project_id": analytics, "project_name": "Analytics", "cluster_id": second, "name": "events",
		"type_name": "SHARDED_REPLICA_SET", "status_name": "STARTED",
		"newest_complete": values{"id": "66d2a1b0c4d6e8f0a2b4c601", "expires": nil}, "schedule": nil, "recovery_points_json": nil, "restorable": true,
		"third_party_backup": false, "problem": nil, "code": nil,
	}
	if !reflect.DeepEqual(events, want) || len(clusters) != 2 {
		t.Errorf("got  %v\nwant %v", clusters, want)
	}
	if newest, _ := field(clusters, first, "newest_complete").(values); newest["id"] != "66d2a1b0c4d6e8f0a2b4c602" || newest["expires"] == nil {
		t.Errorf("newest: %v", newest)
	}
	if got, want := s.Calls(), []string{
		"GET /groups",
		"GET /groups/" + analytics + "/clusters", "GET /groups/" + analytics + "/backupConfigs", "GET /backup/third_party/group/" + analytics + "/clusters",
		"GET /backup/third_party/group/" + providertest.Payments + "/clusters",
		"GET /groups/" + providertest.Payments + "/clusters", "GET /groups/" + providertest.Payments + "/backupConfigs",
		"GET /groups/" + analytics + "/clusters/" + second + "/snapshots", "GET /groups/" + providertest.Payments + "/clusters/" + first + "/snapshots",
	}; !sameElements(got, want) {
		t.Errorf("called %q", got)
	}
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func TestEachProblemHasACodeATextAndASentence(t *testing.T) {
	t.Parallel()
	old, recent := taken("-30h", nil), taken("-2h", nil)
	lacking := taken("-2h", object{"id": "66d2a1b0c4d6e8f0a2b4c602", "missingShards": []any{object{"id": second}}})
	for name, test := range map[string]struct {
		status               any // "" without a backup configuration
		snapshots            []object
		restorable           any
		code, text, sentence string
	}{
		"no configuration": {
			"", []object{recent}, false,
			"NOT_BACKED_UP", "not backed up", "is not backed up.",
		},
		"INACTIVE": {
			"INACTIVE", []object{recent}, false,
			"NOT_BACKED_UP", "not backed up", "is not backed up.",
		},
		"PROVISIONING": {
			"PROVISIONING", nil, false,
			"NOT_BACKED_UP", "being set up", "is not backed up yet, because its backup is being set up.",
		},
		"PROVISIONING with a snapshot": {
			"PROVISIONING", []object{recent}, true,
			"NOT_BACKED_UP", "being set up", "gets no new snapshots yet, because its backup is being set up.",
		},
		"TERMINATING before no snapshot": {
			"TERMINATING", nil, false,
			"TERMINATING", "being terminated", "can't be restored, because its backup is being terminated, which deletes its snapshots.",
		},
		"TERMINATING with a snapshot": {
			"TERMINATING", []object{recent}, false,
			"TERMINATING", "being terminated", "can't be restored, because its backup is being terminated, which deletes its snapshots.",
		},
		"STOPPED": {
			"STOPPED", []object{recent}, true,
			"STOPPED", "stopped", "gets no new snapshots, because its backup is stopped.",
		},
		"STOPPED before no snapshot": {
			"STOPPED", nil, false,
			"STOPPED", "stopped, no complete snapshot", "has no complete snapshot, and gets none while its backup is stopped.",
		},
		"STOPPED before too old": {
			"STOPPED", []object{old}, true,
			"STOPPED", "stopped", "gets no new snapshots, because its backup is stopped.",
		},
		"an unknown status": {
			"PAUSED", []object{recent}, true,
			"UNREAD", `unknown status "PAUSED"`, `has a backup with the unknown status "PAUSED".`,
		},
		"an unknown status before no snapshot": {
			"PAUSED", nil, nil,
			"UNREAD", `unknown status "PAUSED"`, `has a backup with the unknown status "PAUSED".`,
		},
		"no status": {
			nil, []object{recent}, true,
			"UNREAD", "no status", "has a backup without a status.",
		},
		"no snapshot": {
			"STARTED", nil, false,
			"NO_SNAPSHOT", "no complete snapshot", "has no complete snapshot.",
		},
		"an incomplete snapshot": {
			"STARTED", []object{taken("-2h", object{"complete": false})}, false,
			"NO_SNAPSHOT", "no complete snapshot", "has no complete snapshot.",
		},
		"a snapshot that is not listed as complete": {
			"STARTED", []object{taken("-2h", object{"complete": nil})}, false,
			"NO_SNAPSHOT", "no complete snapshot", "has no complete snapshot.",
		},
		"a snapshot without a time": {
			"STARTED", []object{taken("-2h", object{"created": nil})}, nil,
			"NO_SNAPSHOT", "no snapshot known to be complete", "has only snapshots whose time or completeness is not known.",
		},
		"a snapshot that lacks a shard": {
			"STARTED", []object{lacking}, false,
			"NO_SNAPSHOT", "no complete snapshot", "has no complete snapshot.",
		},
		"too old": {
			"STARTED", []object{taken("-26h1m", nil)}, true,
			"TOO_OLD", "newest snapshot older than 26 hours", "has no complete snapshot that is younger than 26 hours.",
		},
		"too old, and a newer one that lacks a shard": {
			"STARTED", []object{old, lacking}, true,
			"TOO_OLD", "newest snapshot older than 26 hours", "has no complete snapshot that is younger than 26 hours.",
		},
		"from the future": {
			"STARTED", []object{taken("+2h", nil)}, true,
			"TOO_OLD", "newest snapshot dated in the future", "has a newest snapshot that is dated in the future, so its age is not known.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := replicaSet(first, "c", "", test.snapshots...)
			if test.status != "" {
				cluster.BackupConfig = object{"statusName": test.status}
			}
			s, w := open(t, options(payments(cluster)))
			sentence := "Payments: c (" + first + ") " + test.sentence
			wantProblem(t, w, values{"max_snapshot_age_hours": 26}, first, test.code, test.text, sentence)
			clusters, _ := status(t, w, nil)
			providertest.WantEqual(t, field(clusters, first, "restorable"), test.restorable)
			readsSnapshots := slices.ContainsFunc(s.Calls(), func(call string) bool { return strings.HasSuffix(call, "/snapshots") })
			if hasBackup := test.status != "" && test.status != "INACTIVE"; readsSnapshots != hasBackup {
				t.Errorf("called %q", s.Calls())
			}
		})
	}
}

func TestSnapshotThatDoesNotSayWhetherItIsCompleteIsNotKnown(t *testing.T) {
	t.Parallel()
	s, w := open(t, options(payments(replicaSet(first, "c", "STARTED"))))
	s.Inject(emulator.Fault{Path: "/snapshots", Times: 1, Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"totalCount": 1, "results": [{"id": "66d2a1b0c4d6e8f0a2b4c601", "clusterId": "` + first + `", "created": {"date": "2026-01-01T00:00:00Z"}}]}`})
	clusters, problems := status(t, w, nil)
	if got := field(clusters, first, "restorable"); got != nil || !strings.Contains(fmt.Sprint(problems[first]), "completeness is not known") {
		t.Errorf("restorable is %v, problem %v", got, problems[first])
	}
}

// Only snapshots of sharded clusters have missingShards, which is empty if they lack none.
func TestSnapshotOfAShardedClusterThatDoesNotSayWhichShardsItLacksIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, typeName := range []string{"REPLICA_SET", "SHARDED_REPLICA_SET", ""} {
		for _, says := range []bool{false, true} {
			one := replicaSet(first, "c", "STARTED", taken("-2h", object{"missingShards": []any{}}))
			one.TypeName = "SHARDED_REPLICA_SET"
			d := providertest.StartFaultProxy(t, options(payments(one)))
			d.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
				results, _ := document["results"].([]any)
				for _, result := range results {
					item, _ := result.(object)
					if !says {
						delete(item, "missingShards")
					}
					if item["typeName"] = typeName; typeName == "" {
						delete(item, "typeName")
					}
				}
			}))
			clusters, problems := status(t, providertest.NewWorkspace(t, d.Service), values{"include_recovery_points": true})
			isKnown := says || typeName == "REPLICA_SET"
			if got := field(clusters, first, "restorable"); (got == true) != isKnown || got == false || len(problems) == 0 != isKnown {
				t.Errorf("%s, says %t: restorable is %v, problems %v", typeName, says, got, problems)
			}
			points := fmt.Sprint(field(clusters, first, "recovery_points_json"))
			if want := map[bool]string{true: `"complete":true`, false: `"complete":null`}[isKnown]; !strings.Contains(points, want) {
				t.Errorf("%s, says %t: the recovery points are %s", typeName, says, points)
			}
		}
	}
}

func TestSnapshotMayHaveAnyAgeByDefault(t *testing.T) {
	t.Parallel()
	_, w := open(t, options(payments(replicaSet(first, "old", "STARTED", taken("-9000h", nil)), replicaSet(second, "future", "STARTED", taken("+2h", nil)))))
	if _, problems := status(t, w, nil); len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	if _, problems := status(t, w, values{"max_snapshot_age_hours": 9_000_000_000_000_000_000}); len(problems) != 1 { // of the one from the future
		t.Errorf("problems: %v", problems)
	}
}

func TestClusterThatCannotBeReadIsItsOwnProblem(t *testing.T) {
	t.Parallel()
	document := func(status int, code string) emulator.Fault {
		return emulator.Fault{
			Status: status, Body: fmt.Sprintf(`{"error": %d, "errorCode": %q, "detail": "request 4711", "reason": "No"}`, status, code),
			Header: http.Header{"Content-Type": {"application/json"}},
		}
	}
	for reason, fault := range map[string]emulator.Fault{
		"500 Internal Server Error (UNEXPECTED_ERROR)": document(500, "UNEXPECTED_ERROR"),
		"401 Unauthorized (USER_UNAUTHORIZED)":         document(401, "USER_UNAUTHORIZED"),
		"Ops Manager no longer has it":                 document(404, "CLUSTER_NOT_FOUND"),
		"404 Not Found":                                {Status: 404, Body: "<html></html>"},
		"503 Service Unavailable":                      {Status: 503},
		"Ops Manager did not respond":                  {DropBefore: true},
		"Ops Manager did not respond in time":          {Unanswered: true},
		"the response can't be used":                   {Status: 200, Body: "<html>request 4711</html>"},
		"the list of its snapshots may be incomplete":  {Status: 200, Body: `{"totalCount": 2, "results": [{"id": "66d2a1b0c4d6e8f0a2b4c601"}]}`},
		"the response was for another object": {
			Status: 200, Body: `{"totalCount": 1, "results": [{"clusterId": "` + second + `", "id": "66d2a1b0c4d6e8f0a2b4c601"}]}`,
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			// Behind the proxy, net/http does not send a dropped request again.
			s := providertest.StartFaultProxy(
				t,
				options(payments(replicaSet(first, "broken", "STOPPED", taken("-2h", nil)), replicaSet(second, "ledger", "STARTED", taken("-2h", nil)))),
			)
			w := providertest.NewWorkspace(t, s.Service, values{"request_timeout": "2s"})
			fault.Path, fault.Times = first+"/snapshots", -1
			s.Emulator.Inject(fault)
			wantProblem(t, w, nil, first, "UNREAD", "not read: "+reason, "Payments: broken ("+first+") could not be read: "+reason+".")
			clusters, problems := status(t, w, nil)
			if field(clusters, first, "status_name") != "STOPPED" || field(clusters, first, "newest_complete") != nil || len(problems) != 1 ||
				field(clusters, second, "code") != nil {
				t.Errorf("clusters: %v", clusters)
			}
		})
	}
}

func TestAgeOfOneHourIsSingular(t *testing.T) {
	t.Parallel()
	_, w := open(t, options(payments(replicaSet(first, "c", "STARTED", taken("-2h", nil)))))
	wantProblem(
		t, w, values{"max_snapshot_age_hours": 1}, first, "TOO_OLD", "newest snapshot older than 1 hour",
		"Payments: c ("+first+") has no complete snapshot that is younger than 1 hour.",
	)
}

// A backup whose cluster is not listed would look healthy if it were left out. A new cluster may be
// missing only because its list was read before that of the backups.
func TestBackupWithoutAClusterIsAProblem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lists    int // of clusters that lack the new one
		problems values
	}{
		"a new cluster":                {1, values{}},
		"a cluster that is not listed": {-1, values{second: "Payments: " + second + " could not be read: Ops Manager lists its backup, but not the cluster."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providertest.StartFaultProxy(t, options(payments(
				replicaSet(first, "ledger", "STARTED", taken("-2h", nil)), replicaSet(second, "new", "STARTED", taken("-2h", nil)),
			)))
			lists := 0
			d.Handle(providertest.Rewrite(func(r *http.Request, document object) {
				results, _ := document["results"].([]any)
				if !strings.HasSuffix(r.URL.Path, "/clusters") {
					return
				}
				if lists++; test.lists < 0 || lists <= test.lists {
					results = slices.DeleteFunc(results, func(item any) bool { return item.(object)["id"] == second })
					document["results"], document["totalCount"] = results, len(results)
				}
			}))
			clusters, problems := status(t, providertest.NewWorkspace(t, d.Service), nil)
			if !reflect.DeepEqual(problems, test.problems) || len(clusters) != 2 || lists != 2 {
				t.Errorf("%d lists, got %v, %v", lists, clusters, problems)
			}
			if problems[second] != nil &&
				(field(clusters, second, "code") != "UNREAD" || field(clusters, second, "name") != second ||
					field(clusters, second, "status_name") != "STARTED") {
				t.Errorf("got %v", clusters[second])
			}
		})
	}
}

// A cluster whose kind is not clear may be a whole one.
func TestClusterOfAnUnclearKindIsAProblem(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]object{
		"a shard of a new type":  {"typeName": "SOMETHING_NEW", "shardName": "shop-0"},
		"a shard without a type": {"typeName": nil, "shardName": "shop-0"},
		"an empty shard":         {"shardName": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providertest.StartFaultProxy(t, options(payments(replicaSet(first, "shop", "STOPPED"))))
			d.Handle(providertest.Rewrite(func(r *http.Request, document object) {
				if results, _ := document["results"].([]any); strings.HasSuffix(r.URL.Path, "/clusters") {
					for _, item := range results {
						maps.Copy(item.(object), change)
					}
				}
			}))
			_, problems := status(t, providertest.NewWorkspace(t, d.Service), nil)
			const sentence = "Payments: shop (" + first + ") has no complete snapshot, and gets none while its backup is stopped."
			if want := (values{first: sentence}); !reflect.DeepEqual(problems, want) {
				t.Errorf("got %v", problems)
			}
		})
	}
}
