package emulator_test

import (
	"fmt"
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	daemonsPath = backupPath + "daemon/configs"
	nyDaemon    = daemonsPath + "/om-ny.example.com/%2Fdata%2Fbackup%2F"
	euMachine   = daemonsPath + "/om-eu.example.com" // registered, and not configured yet
)

func machineField(machine, directory string) string {
	return `"machine":{"machine":"` + machine + `","headRootDirectory":"` + directory + `"}`
}

func TestRegisteredDaemonIsConfiguredReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	var r recorded
	c := start(t, emulator.Options{OnChange: r.add})
	field := machineField("om-eu.example.com", "/data/backup/")
	directory := euMachine + "/%2Fdata%2Fbackup%2F"
	c.get(directory).refused(t, 404, "DAEMON_MACHINE_CONFIG_NOT_FOUND")
	c.put(directory, body(field)).refused(t, 404, "DAEMON_MACHINE_CONFIG_NOT_FOUND")
	configured := c.put(euMachine, body(field, `"configured":true`, `"labels":["a","b"]`, `"numWorkers":4`)).ok(t)
	if configured["assignmentEnabled"] != true || len(configured["labels"].([]any)) != 2 || configured["labels"].([]any)[0] != "b" {
		t.Errorf("configured %v", configured)
	}
	wantChanges(t, "a configuration", r.take()[1:], `deleted the backup daemon "om-eu.example.com" without a head directory`)
	replaced := c.put(directory, body(field, `"configured":true`, `"assignmentEnabled":false`)).ok(t)
	if replaced["assignmentEnabled"] != false || replaced["numWorkers"] != nil || replaced["id"] != configured["id"] {
		t.Errorf("replaced %v", replaced)
	}
	equal(t, c.delete(directory).status, http.StatusNoContent)
	for range 2 { // its process is still running, so it registers again
		c.put(euMachine, body(field)).refused(t, 404, "DAEMON_MACHINE_CONFIG_NOT_FOUND")
	}
	c.put(euMachine, body(field)).ok(t)
}

func TestDaemonThatIsStartingRegistersAfterSomeRequests(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.StartBackupDaemon("host", 2)
	path := daemonsPath + "/host/%2Fdata%2F"
	c.get(path).refused(t, 404, "DAEMON_MACHINE_CONFIG_NOT_FOUND")
	c.put(daemonsPath+"/host", body(machineField("host", "/data/"))).refused(t, 404, "DAEMON_MACHINE_CONFIG_NOT_FOUND")
	c.put(daemonsPath+"/host", body(machineField("host", "/data/"))).ok(t)
	c.get(path).ok(t)
}

// This is what scripts send on 8.0.16: the entry of the list, with a head directory.
func TestUnconfiguredDaemonHasAnIDThatItsFirstConfigurationKeeps(t *testing.T) {
	t.Parallel()
	listed := func(c *client) object {
		t.Helper()
		for _, daemon := range c.get(daemonsPath).results(t) {
			if machine, _ := daemon["machine"].(object); machine["machine"] == "om-eu.example.com" {
				return daemon
			}
		}
		t.Fatal("it is not listed")
		return nil
	}
	for _, register := range []bool{false, true} {
		c := start(t)
		if register {
			c.service.RemoveBackupDaemon("om-eu.example.com", "")
			c.service.StartBackupDaemon("om-eu.example.com", 0)
		}
		daemon := listed(c)
		id := fmt.Sprintf(`"id":"%v"`, daemon["id"])
		if daemon["configured"] != false || len(id) != len(`"id":""`)+24 {
			t.Errorf("got %v", daemon)
		}
		field := machineField("om-eu.example.com", "/data/")
		c.put(euMachine, body(field, `"id":"000000000000000000000000"`)).refused(t, 400, "BACKUP_WRONG_DAEMON_CONFIG_ID")
		for _, path := range []string{euMachine, euMachine + "/%2Fdata%2F"} {
			equal(t, c.put(path, body(field, id, `"configured":true`)).ok(t)["id"], daemon["id"])
		}
	}
}

func TestDeletionOfAMissingDaemon(t *testing.T) {
	t.Parallel()
	const path = daemonsPath + "/om-ny.example.com/%2Fnone%2F"
	if got := start(t).do(http.MethodDelete, path, ""); got.status != 204 || got.body != "" {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

func TestDaemonInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.delete(nyDaemon).refused(t, 409, "BACKUP_CANNOT_REMOVE_DAEMON_CONFIG")
}

func TestInvalidDaemonIsRejected(t *testing.T) {
	t.Parallel()
	field := machineField("om-ny.example.com", "/data/backup/")
	for name, test := range map[string]struct{ body, code string }{
		"another ID":        {body(field, `"id":"000000000000000000000000"`), "BACKUP_WRONG_DAEMON_CONFIG_ID"},
		"a wrong type":      {body(field, `"numWorkers":0`), "INVALID_JSON_ATTRIBUTE"},
		"an unknown field":  {body(field, `"restoreJobsEnabled":true`), "INVALID_ATTRIBUTE"},
		"links":             {body(field, `"links":[]`), "ATTRIBUTE_READ_ONLY"},
		"no machine":        {body(`"configured":true`), "MISSING_ATTRIBUTE"},
		"another machine":   {body(machineField("om-au.example.com", "/data/backup/")), "INVALID_ATTRIBUTE"},
		"another directory": {body(machineField("om-ny.example.com", "/data/")), "INVALID_ATTRIBUTE"},
		"another disk":      {body(field, `"headDiskType":"TAPE"`), "INVALID_ENUM_VALUE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start(t).do(http.MethodPut, nyDaemon, test.body).refused(t, 400, test.code)
		})
	}
}

func TestNewVersionsRequireAFinalSlashOfAHeadDirectory(t *testing.T) {
	t.Parallel()
	for version, checked := range map[string]bool{"7.0.15": false, "7.0.16": true, "8.0.9": false, "8.0.10": true} {
		c := startVersion(t, version)
		got := c.put(euMachine, body(machineField("om-eu.example.com", "/data/backup")))
		if (got.status != 200) != checked {
			t.Errorf("%s: %d %s", version, got.status, got.body)
		}
	}
}

func TestListOfDaemonsLeavesOutThoseWithoutBackups(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{"": 2, "?backupJobsEnabledOnly=true": 2, "?backupJobsEnabledOnly=false": 3} {
		c := start(t)
		c.service.SetBackupDaemon("om-au.example.com", "/data/backup/", object{"backupJobsEnabled": false})
		got := c.get(daemonsPath + query).ok(t)
		if all, _ := got["results"].([]any); len(all) != want {
			t.Errorf("%q lists %v", query, all)
		}
	}
	if all, _ := startVersion(t, "6.0.20").do(http.MethodGet, daemonsPath, "").ok(t)["results"].([]any); len(all) != 3 {
		t.Errorf("6.0.20 lists %v", all)
	}
	startVersion(t, "6.0.20").do(
		http.MethodGet, daemonsPath+"?backupJobsEnabledOnly=true", "",
	).refused(t, 400, "INVALID_QUERY_PARAMETER")
}

func TestUnknownsOfDaemons(t *testing.T) {
	t.Parallel()
	field := machineField("om-eu.example.com", "/data/backup/")
	returning := startWith(t, emulator.Unknowns{ReturnsUnconfiguredDaemons: true})
	equal(t, returning.get(euMachine + "/%2Fdata%2Fbackup%2F").ok(t)["configured"], false)
	returning.put(euMachine+"/%2Fdata%2Fbackup%2F", body(field, `"configured":true`)).ok(t)
	if daemon := returning.service.BackupDaemon("om-eu.example.com", ""); daemon != nil {
		t.Errorf("the daemon is registered twice: %v", daemon)
	}
	noCode := startWith(t, emulator.Unknowns{MissingDaemonHasNoCode: true})
	noCode.get(euMachine+"/%2Fdata%2F").refused(t, 404, "")
	noCode.put(daemonsPath+"/none", body(machineField("none", "/data/"))).refused(t, 404, "DAEMON_MACHINE_CONFIG_NOT_FOUND")
	noBody := startWith(t, emulator.Unknowns{MissingDaemonHasNoBody: true})
	if got := noBody.get(daemonsPath + "/none/%2Fdata%2F"); got.status != 404 || got.body != "" {
		t.Errorf("got %d %s", got.status, got.body)
	}
}
