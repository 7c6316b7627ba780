package emulator_test

import (
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// keysOfTeams are keys with roles.
var keysOfTeams = []string{
	"reader:GROUP_READ_ONLY@" + payments, "backups:GROUP_BACKUP_ADMIN@" + payments, "alerts:GROUP_MONITORING_ADMIN@" + payments,
	"automation:GROUP_AUTOMATION_ADMIN@" + payments, "owner:GROUP_OWNER@" + payments,
	"both:GROUP_READ_ONLY@" + payments + "+GROUP_BACKUP_ADMIN@" + analytics,
	"global-reader:GLOBAL_READ_ONLY", "global-backups:GLOBAL_BACKUP_ADMIN", "global-owner:GLOBAL_OWNER",
}

func TestEachCallNeedsItsRole(t *testing.T) {
	t.Parallel()
	const snapshots = snapshotsOfLedger
	const all = "reader backups alerts automation owner both global-reader global-backups global-owner"
	const restore = `{"snapshotId": "66d3f330c4d6e8f0a2b4c602", "delivery": {` +
		`"methodName": "AUTOMATED_RESTORE", "targetGroupId": "` + analytics + `", "targetClusterId": "` + scratch + `"}}`
	for _, test := range []struct{ method, path, body, allowed string }{
		{"GET", inPayments + "/backupConfigs", "", all},
		{"GET", schedulePath(payments, ledger), "", all},
		{"GET", snapshots, "", all},
		{"GET", inPayments + "/alertConfigs", "", all},
		{"PATCH", schedulePath(payments, ledger), `{"snapshotRetentionDays": 3}`, "backups owner global-backups global-owner"},
		{"PATCH", inPayments + "/backupConfigs/" + ledger, `{"statusName": "STARTED"}`, "backups owner global-backups global-owner"},
		{"DELETE", snapshots + "/66d2a1b0c4d6e8f0a2b4c601", "", "backups owner global-backups global-owner"}, // older than the window
		{"DELETE", snapshots + "/66d3f330c4d6e8f0a2b4c602", "", "global-backups global-owner"},
		{"POST", snapshots + "/onDemandSnapshot?retentionDays=9", "", "global-backups global-owner"},
		{"POST", inPayments + "/clusters/" + ledger + "/restoreJobs", restore, "global-backups global-owner"}, // needs the role in both projects
		{
			"POST", inPayments + "/clusters/" + ledger + "/restoreJobs/restorableTimeRanges", "",
			"backups owner global-reader global-backups global-owner",
		},
		{"GET", automationConfigPath, "", "automation owner global-owner"},
		{"GET", inAnalytics + "/clusters", "", "both global-reader global-backups global-owner"},
		{"GET", "/admin/backup/snapshot/s3Configs", "", "global-reader global-backups global-owner"},
		{"GET", "/admin/backup/groups/" + analytics, "", "global-reader global-backups global-owner"},
		{"PUT", "/admin/backup/groups/" + analytics, "{}", "global-backups global-owner"},
	} {
		for public := range strings.FieldsSeq(all) {
			c := start(t, emulator.Options{Keys: keysOfTeams, Now: time.Now})
			c.user = public
			got := c.do(test.method, test.path, test.body)
			isAllowed := got.status != 401
			if want := strings.Contains(" "+test.allowed+" ", " "+public+" "); isAllowed != want {
				t.Errorf("%s %s with the key %s: %d %s", test.method, test.path, public, got.status, got.body)
			}
		}
	}
}

func TestAKeyListsItsProjects(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{Keys: keysOfTeams})
	for public, want := range map[string]string{"reader": payments, "both": payments + " " + analytics, "global-reader": payments + " " + analytics} {
		c.user = public
		var ids []string
		for _, project := range c.get("/groups").document["results"].([]any) {
			ids = append(ids, project.(object)["id"].(string))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("the projects of %s are %s, want %s", public, got, want)
		}
	}
	c.user = "reader"
	c.get(inAnalytics).refused(t, 401, "NOT_IN_GROUP")
	c.get("/groups/byName/Analytics").refused(t, 404, "GROUP_NAME_NOT_FOUND")
}

func TestACallWhoseRoleIsNotDocumentedIsAllowedAndRecorded(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{Keys: keysOfTeams, ThirdPartyBackup: true})
	c.user = "reader"
	c.get("/backup/third_party/group/" + payments + "/clusters").ok(t)
	c.get(inPayments + "/clusters").ok(t)
	var unknown []string
	for _, request := range c.service.Requests() {
		if request.IsRoleUnknown {
			unknown = append(unknown, request.Path)
		}
	}
	if len(unknown) != 1 || !strings.Contains(unknown[0], "third_party") {
		t.Errorf("recorded %q", unknown)
	}
}

func TestKeysWithImpossibleRolesAreErrors(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"", "reader", "reader:", "reader:ADMIN", "reader:GROUP_READ_ONLY",
		"reader:GLOBAL_READ_ONLY@" + payments, ":GLOBAL_OWNER", "a:GROUP_X@" + payments,
	} {
		options := emulator.Defaults()
		options.Keys = []string{key}
		if err := options.Check(); err == nil || !strings.HasPrefix(err.Error(), "keys: ") {
			t.Errorf("%q: %v", key, err)
		}
	}
}
