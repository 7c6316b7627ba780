package monitoring_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func thirdPartyCluster(id, name, state string) emulator.Cluster {
	c := replicaSet(id, name, "STARTED")
	c.ThirdPartyBackup = state
	return c
}

var noRole = emulator.Fault{
	Path: "/backup/third_party/group/" + providertest.Payments + "/clusters", Times: -1, Status: 401,
	Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, Header: http.Header{"Content-Type": {"application/json"}},
}

func TestClusterOfAnotherProductIsNoProblem(t *testing.T) {
	t.Parallel()
	// A backup that is started is one of Ops Manager, whatever else the list has.
	const listed, healthy, unknown = "650a00000000000000000009", "650a0000000000000000000a", "650a0000000000000000000b"
	cards := thirdPartyCluster(first, "cards", "ACTIVE")
	cards.BackupConfig = object{"statusName": "INACTIVE"}
	twice := thirdPartyCluster(healthy, "twice", "ACTIVE")
	twice.Snapshots = []object{taken("-2h", nil)}
	newer := thirdPartyCluster(unknown, "newer", "ACTIVE")
	newer.BackupConfig = object{"statusName": "PAUSED"}
	s, w := open(t, options(payments(
		cards, newer, thirdPartyCluster(listed, "listed", "ACTIVE"), twice, replicaSet(second, "ledger", "STARTED", taken("-2h", nil)),
		replicaSet(third, "events", "STARTED"),
	)))
	clusters, problems := status(t, w, values{"include_schedules": true, "max_snapshot_age_hours": 26})
	if len(problems) != 3 || problems[third] != "Payments: events ("+third+") has no complete snapshot." ||
		problems[listed] != "Payments: listed ("+listed+") has no complete snapshot; Ops Manager also lists the cluster as backed up by another product." {
		t.Errorf("problems: %v", problems)
	}
	for id, want := range map[string]values{
		first:   {"third_party_backup": true, "code": "THIRD_PARTY", "restorable": nil, "problem": nil, "schedule": nil},
		listed:  {"third_party_backup": true, "code": "NO_SNAPSHOT", "restorable": nil},
		healthy: {"third_party_backup": true, "code": nil, "restorable": true, "schedule": nil},
		unknown: {"third_party_backup": true, "code": "UNREAD", "restorable": nil},
		second:  {"third_party_backup": false, "code": nil, "restorable": true},
	} {
		for name, want := range want {
			if got := field(clusters, id, name); got != want {
				t.Errorf("%s: %s is %v, want %v", id, name, got, want)
			}
		}
	}
	if calls := s.Calls(); slices.ContainsFunc(calls, func(call string) bool { return strings.Contains(call, first) }) {
		t.Errorf("called %q", calls)
	}
}

func TestUnknownOwnerOfABackupIsSaidIfAClusterHasAProblem(t *testing.T) {
	t.Parallel()
	healthy := replicaSet(second, "ledger", "STARTED", taken("-2h", nil))
	for name, test := range map[string]struct {
		cluster emulator.Cluster
		fault   *emulator.Fault
		words   []string // of the warning
	}{
		"no role": {
			thirdPartyCluster(first, "cards", "ACTIVE"), &noRole,
			[]string{"[project_ids] Third-Party Backups Not Known", "Payments (" + providertest.Payments + ")", "401 Unauthorized", "Project Backup Admin"},
		},
		"an undocumented state": {
			thirdPartyCluster(first, "cards", "DISCOVERING"), nil,
			[]string{"Third-Party Backups Not Known", "DISCOVERING", "Look at the backup of the cluster in Ops Manager and in the other product."},
		},
		"no problem": {thirdPartyCluster(second, "cards", "INACTIVE"), &noRole, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.words == nil {
				test.cluster.ID, test.cluster.Snapshots = first, healthy.Snapshots
			}
			s, w := open(t, options(payments(test.cluster, healthy)))
			if test.fault != nil {
				s.Inject(*test.fault)
			}
			data, diags := w.Read(providertest.BackupStatusType, nil)
			problems, _ := data["problems"].(values)
			switch {
			case test.words == nil && (len(problems) > 0 || len(diags) > 0):
				t.Errorf("got %v, %v", problems, diags)
			case test.words != nil:
				diags.WantWarning(t, test.words...)
				clusters, _ := data["clusters"].(values)
				if restorable, listed := field(clusters, first, "restorable"), field(clusters, first, "third_party_backup"); restorable != nil ||
					listed != nil {
					t.Errorf("restorable is %v, third_party_backup is %v", restorable, listed)
				}
				if problems[first] != "Payments: cards ("+first+") has no complete snapshot." || len(problems) != 1 {
					t.Errorf("problems: %v", problems)
				}
			}
		})
	}
}

// A name proves nothing: its shards may not be listed.
func TestReplicaSetDoesNotVanishBehindTheNameOfAShardedCluster(t *testing.T) {
	t.Parallel()
	sharded := replicaSet(first, "shop", "STARTED", taken("-2h", nil))
	sharded.TypeName = "SHARDED_REPLICA_SET"
	_, w := open(t, options(payments(sharded, replicaSet(second, "shop", "STOPPED", taken("-2h", nil)))))
	clusters, problems := status(t, w, nil)
	if len(clusters) != 2 || problems[second] != "Payments: shop ("+second+") gets no new snapshots, because its backup is stopped." || len(problems) != 1 {
		t.Errorf("got %v, %v", clusters, problems)
	}
}

func TestClusterWithAScheduleThatFailsIsNamedAndTheOtherOnesAreChecked(t *testing.T) {
	t.Parallel()
	s, w := open(t, options(payments(
		replicaSet(first, "cards", "STARTED", taken("-2h", nil)), replicaSet(second, "ledger", "STARTED", taken("-2h", nil)),
		replicaSet(third, "events", "STOPPED"),
	)))
	s.Inject(emulator.Fault{Path: first + "/snapshotSchedule", Times: -1, Status: 500})
	clusters, problems := status(t, w, values{"include_schedules": true})
	if len(clusters) != 3 || len(problems) != 2 || problems[first] != "Payments: cards ("+first+") could not be read: 500 Internal Server Error." ||
		problems[third] == nil || field(clusters, second, "schedule") == nil {
		t.Errorf("got %v, %v", clusters, problems)
	}
}
