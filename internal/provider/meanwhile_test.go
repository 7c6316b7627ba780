package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// contested is an operation whose first write fails while another client changes the same object.
type contested struct {
	name      string
	prepare   func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt
	method    string // of the write
	attribute string // that the operation changes
	field     string // of the attribute, in the API
	other     string // another field; empty if there is none
	object    string // its name in messages
	code      string // of a 409 that is temporary; empty if there is none

	set      func(d *providertest.FaultProxy, fields map[string]any)
	get      func(d *providertest.FaultProxy) map[string]any
	theirs   any // value of the other field
	third    any // value of the field
	isAbsent bool
}

// failures are how the first write fails. A failure calls the service if the write takes effect.
var failedWrites = map[string]providertest.Handler{
	"502":             providertest.Respond(502, ""),
	"503":             providertest.Respond(503, ""),
	"429":             providertest.Respond(429, ""),
	"an upgrade":      providertest.Respond(405, `{"error": 405, "errorCode": "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"}`, "Content-Type", "application/json"),
	"dropped before":  providertest.Drop,
	"dropped after":   providertest.DropAfter,
	"a temporary 409": nil, // with the code of the operation
}

var contestedChanges = []contested{
	{
		name: "region", prepare: updateRegion, method: "PUT", attribute: "deployment_description", field: "deploymentDescription", other: "ingestionEndpoint", object: "Deployment Region NEW",
		set: setRegion, get: func(d *providertest.FaultProxy) map[string]any { return d.Region("NEW") }, theirs: "https://theirs.example.com", third: "Theirs",
	},
	{
		name: "store", prepare: updateStore, method: "PUT", attribute: "load_factor", field: "loadFactor", other: "newSetting", object: "S3 Blockstore new", code: "BACKUP_S3_VALIDATION_FAILED",
		set: setStore, get: getStore, theirs: "theirs", third: 9.0,
	},
	{
		name: "adopted store", prepare: adoptStore, method: "PUT", attribute: "load_factor", field: "loadFactor", other: "s3RegionOverride", object: "S3 Blockstore new", code: "BACKUP_S3_VALIDATION_FAILED",
		set: setStore, get: getStore, theirs: "eu-theirs", third: 9.0,
	},
	{
		name: "daemon", prepare: updateDaemon, method: "PUT", attribute: "num_workers", field: "numWorkers", other: "headDiskType", object: "Backup Daemon " + daemonMachine + "|" + headDirectory,
		set: setDaemon(daemonMachine), get: getDaemon(daemonMachine), theirs: "HDD", third: 9.0,
	},
	{
		name: "daemon that was never configured", prepare: configureDaemon, method: "PUT", attribute: "num_workers", field: "numWorkers", object: "Unable to Create Backup Daemon",
		set: setDaemon("om-eu.example.com"), get: getDaemon("om-eu.example.com"), third: 9.0, isAbsent: true,
	},
	{
		name: "job configuration", prepare: updateJobConfig, method: "PUT", attribute: "kmip_client_cert_path", field: "kmipClientCertPath", other: "syncStoreFilter", object: "Job Configuration of Project",
		set: setJobConfig, get: getJobConfig, theirs: []any{"theirs"}, third: "/theirs.pem",
	},
	{
		name: "new job configuration", prepare: createJobConfig, method: "PUT", attribute: "kmip_client_cert_path", field: "kmipClientCertPath", object: "Unable to Create Backup Job Configuration",
		set: setJobConfig, get: getJobConfig, third: "/theirs.pem", isAbsent: true,
	},
	{
		name: "schedule", prepare: updateSchedule, method: "PATCH", attribute: "daily_snapshot_retention_days", field: "dailySnapshotRetentionDays", other: "weeklySnapshotRetentionWeeks", object: "The schedule of cluster " + providertest.Cards,
		set: setSchedule, get: getSchedule, theirs: 7.0, third: 90.0,
	},
	{
		name: "adopted schedule", prepare: adoptSchedule, method: "PATCH", attribute: "daily_snapshot_retention_days", field: "dailySnapshotRetentionDays", other: "weeklySnapshotRetentionWeeks", object: "The schedule of cluster " + providertest.Cards,
		set: setSchedule, get: getSchedule, theirs: 7.0, third: 90.0,
	},
	{
		name: "policy", prepare: updatePolicy, method: "PATCH", attribute: "daily_snapshot_retention_days", field: "dailySnapshotRetentionDays", other: "weeklySnapshotRetentionWeeks", object: "The schedule of cluster " + providertest.Cards,
		set: setSchedule, get: getSchedule, theirs: 7.0, third: 90.0,
	},
	{
		name: "backup configuration", prepare: excludeNamespace, method: "PATCH", attribute: "excluded_namespaces", field: "excludedNamespaces", other: "preferredMember", object: "The backup configuration of cluster " + providertest.Cards,
		set: setBackup, get: func(d *providertest.FaultProxy) map[string]any {
			return d.BackupConfig(providertest.Payments, providertest.Cards)
		},
		theirs: "theirs-0:27017", third: []any{"a", "theirs"},
	},
	{
		name: "expiry of a snapshot", prepare: changeExpiry, method: "PATCH", attribute: "expires", field: "expires", object: "Snapshot " + newestSnapshot,
		set: setSnapshot, get: getSnapshot, third: "2036-01-01T00:00:00Z",
	},
}

// excludeNamespace excludes another namespace.
func excludeNamespace(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.BackupConfigType)
	of := func(names ...any) providertest.Values {
		return providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards, "excluded_namespaces": names}
	}
	d.SetBackupConfig(providertest.Payments, providertest.Cards, map[string]any{"excludedNamespaces": []any{"a"}})
	m.Create(of("a"))
	return providertest.Applying(t, m, of("a", "b")).Watching(backupFieldHeld(d, "excludedNamespaces"), providertest.Stored(m, "excluded_namespaces"), []any{"a", "b"}, []any{"a", "b"})
}

func setRegion(d *providertest.FaultProxy, fields map[string]any) { d.SetRegion("NEW", fields) }
func setStore(d *providertest.FaultProxy, fields map[string]any) {
	d.SetBackupStore(emulator.S3Blockstore, "new", fields)
}

func getStore(d *providertest.FaultProxy) map[string]any {
	return d.BackupStore(emulator.S3Blockstore, "new")
}

func setDaemon(machine string) func(*providertest.FaultProxy, map[string]any) {
	return func(d *providertest.FaultProxy, fields map[string]any) {
		d.SetBackupDaemon(machine, headDirectory, fields)
	}
}

func getDaemon(machine string) func(*providertest.FaultProxy) map[string]any {
	return func(d *providertest.FaultProxy) map[string]any { return d.BackupDaemon(machine, headDirectory) }
}

func setJobConfig(d *providertest.FaultProxy, fields map[string]any) {
	d.SetJobConfig(providertest.Payments, fields)
}

func getJobConfig(d *providertest.FaultProxy) map[string]any {
	return d.JobConfig(providertest.Payments)
}

func setSchedule(d *providertest.FaultProxy, fields map[string]any) {
	d.SetSchedule(providertest.Payments, providertest.Cards, fields)
}

func getSchedule(d *providertest.FaultProxy) map[string]any {
	return d.Schedule(providertest.Payments, providertest.Cards)
}

func setBackup(d *providertest.FaultProxy, fields map[string]any) {
	d.SetBackupConfig(providertest.Payments, providertest.Cards, fields)
}

func setSnapshot(d *providertest.FaultProxy, fields map[string]any) {
	d.SetSnapshot(providertest.Payments, providertest.Orders, newestSnapshot, fields)
}

func getSnapshot(d *providertest.FaultProxy) map[string]any {
	for _, s := range d.Snapshots(providertest.Payments, providertest.Orders) {
		if s["id"] == newestSnapshot {
			return s
		}
	}
	return nil
}

// meanwhile is a service whose first write of a method fails. Then another client changes something.
type meanwhile struct {
	*providertest.Service
	method  string // none before it is set
	failure providertest.Handler
	change  func()
	seen    []string // the methods from the first write on
}

func (m *meanwhile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" && (len(m.seen) > 0 || r.Method == m.method) {
		m.seen = append(m.seen, r.Method)
		if len(m.seen) == 1 {
			defer m.change()
			m.failure(w, r, m.Emulator)
			return
		}
	}
	m.Emulator.ServeHTTP(w, r)
}

// contest runs an operation whose first write fails while another client makes a change, and returns the
// methods of its requests from that write on.
func contest(t *testing.T, c contested, failure string, change func(d *providertest.FaultProxy, a *providertest.Attempt), check func(d *providertest.FaultProxy, a *providertest.Attempt, diags providertest.Diagnostics, seen []string)) {
	t.Helper()
	handler := failedWrites[failure]
	if failure == "a temporary 409" {
		handler = providertest.Respond(409, fmt.Sprintf(`{"error": 409, "errorCode": %q}`, c.code), "Content-Type", "application/json")
	}
	providertest.InBubble(t, func(t *testing.T) {
		m := &meanwhile{failure: handler}
		m.Service = providertest.ServiceBehind(m, emulator.New(emulator.Options{}.Fixed()))
		d := &providertest.FaultProxy{Service: m.Service}
		a := c.prepare(t, d, providertest.NewWorkspace(t, m.Service, providertest.Values{"max_retries": 2}))
		m.method, m.change = c.method, func() { change(d, a) }
		diags := a.Run()
		check(d, a, diags, m.seen)
	})
}

// eachFailure calls test for each operation and failure.
func eachFailure(t *testing.T, operations []contested, test func(t *testing.T, c contested, failure string)) {
	t.Helper()
	for _, c := range operations {
		for _, failure := range slices.Sorted(maps.Keys(failedWrites)) {
			if failedWrites[failure] == nil && (failure != "a temporary 409" || c.code == "") {
				continue
			}
			t.Run(c.name+", "+failure, func(t *testing.T) {
				t.Parallel()
				test(t, c, failure)
			})
		}
	}
}

// wantRequests checks the methods of requests. After the last write, there may be more reads.
func wantRequests(t *testing.T, seen []string, want ...string) {
	t.Helper()
	for len(seen) > len(want) && seen[len(seen)-1] == "GET" {
		seen = seen[:len(seen)-1]
	}
	if !slices.Equal(seen, want) {
		t.Errorf("sent %q, want %q", seen, want)
	}
}

func TestRepeatedWriteKeepsWhatOthersHaveChanged(t *testing.T) {
	t.Parallel()
	eachFailure(t, contestedChanges, func(t *testing.T, c contested, failure string) {
		if c.other == "" {
			return
		}
		change := func(d *providertest.FaultProxy, _ *providertest.Attempt) { c.set(d, map[string]any{c.other: c.theirs}) }
		contest(t, c, failure, change, func(d *providertest.FaultProxy, a *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
			if len(diags.Errors()) > 0 {
				t.Errorf("got %q", diags.Errors())
			}
			seen = slices.CompactFunc(seen, func(a, b string) bool { return a == "GET" && b == "GET" }) // two reads may tell a mask
			want := []string{c.method, "GET", c.method}
			if failure == "dropped after" {
				want = want[:2]
			}
			wantRequests(t, seen, want...)
			if held := c.get(d); fmt.Sprint(held[c.other]) != fmt.Sprint(c.theirs) || fmt.Sprint(held[c.field]) != fmt.Sprint(a.Holds) {
				t.Errorf("the service holds %v", held)
			}
		})
	})
}

// comparesWithPlan reports whether the resource of a case changes a value only from what its plan showed.
func comparesWithPlan(c contested) bool {
	return slices.Contains([]string{"region", "store", "adopted store", "daemon", "job configuration", "policy", "backup configuration", "expiry of a snapshot"}, c.name) || strings.HasSuffix(c.name, "schedule")
}

func TestWriteIsNotRepeatedOverAThirdValue(t *testing.T) {
	t.Parallel()
	eachFailure(t, contestedChanges, func(t *testing.T, c contested, failure string) {
		change := func(d *providertest.FaultProxy, _ *providertest.Attempt) { c.set(d, map[string]any{c.field: c.third}) }
		contest(t, c, failure, change, func(d *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
			words := []string{c.object, "changed during the apply: ", c.attribute + " is ", ", and it was ", " when the apply began", "Plan again."}
			switch {
			case c.isAbsent:
				words = []string{c.object, "It was not sent again, because the read before that failed: it exists now"}
			case comparesWithPlan(c):
				words = []string{c.object, "changed since the plan: ", c.attribute + " is ", ", and the plan showed ", "Plan again."}
			}
			providertest.WantOne(t, diags.Errors(), words...)
			wantRequests(t, seen, c.method, "GET")
			if held := c.get(d); fmt.Sprint(held[c.field]) != fmt.Sprint(c.third) {
				t.Errorf("the service holds %v", held)
			}
		})
	})
}

func TestWriteIsNotRepeatedIfOthersHaveMadeTheSameChange(t *testing.T) {
	t.Parallel()
	eachFailure(t, contestedChanges, func(t *testing.T, c contested, failure string) {
		if c.isAbsent {
			return // the other fields of a new object would differ
		}
		change := func(d *providertest.FaultProxy, a *providertest.Attempt) { c.set(d, map[string]any{c.field: a.Holds}) }
		contest(t, c, failure, change, func(d *providertest.FaultProxy, a *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
			if len(diags.Errors()) > 0 {
				t.Errorf("got %q", diags.Errors())
			}
			wantRequests(t, seen, c.method, "GET")
			if held := c.get(d); fmt.Sprint(held[c.field]) != fmt.Sprint(a.Holds) {
				t.Errorf("the service holds %v", held)
			}
		})
	})
}

// Their field is not the attribute of an operation, which deletes the object.
var contestedDeletions = []contested{
	{
		name: "region", prepare: deleteRegion, method: "DELETE", attribute: "ingestion_endpoint", field: "ingestionEndpoint", object: `region "NEW"`,
		set: setRegion, get: func(d *providertest.FaultProxy) map[string]any { return d.Region("NEW") }, third: "https://theirs.example.com",
	},
	{
		name: "store", prepare: deleteStore, method: "DELETE", attribute: "s3_bucket_name", field: "s3BucketName", object: "S3 Blockstore new",
		set: setStore, get: getStore, third: "theirs",
	},
	{
		name: "daemon", prepare: deleteDaemon, method: "DELETE", attribute: "num_workers", field: "numWorkers", object: `daemon "` + daemonMachine + "|" + headDirectory + `"`,
		set: setDaemon(daemonMachine), get: getDaemon(daemonMachine), third: 9.0,
	},
	{
		name: "snapshot", prepare: deleteSnapshot, method: "DELETE", attribute: "do_not_delete", field: "doNotDelete", object: "Snapshot " + newestSnapshot,
		set: setSnapshot, get: getSnapshot, third: true,
	},
	{
		name: "job configuration", prepare: resetJobConfig, method: "PUT", attribute: "label_filter", field: "labelFilter", object: "Job Configuration of Project",
		set: setJobConfig, get: getJobConfig, third: []any{"theirs"},
	},
}

func TestDeletionIsNotRepeatedOverAnotherObject(t *testing.T) {
	t.Parallel()
	eachFailure(t, contestedDeletions, func(t *testing.T, c contested, failure string) {
		if c.name == "snapshot" && failure == "dropped after" {
			return // no other snapshot gets its ID
		}
		change := func(d *providertest.FaultProxy, _ *providertest.Attempt) { c.set(d, map[string]any{c.field: c.third}) }
		contest(t, c, failure, change, func(d *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
			words := []string{c.object, "changed during the apply: ", c.attribute + " is ", ", and it was ", " when the apply began", "Plan again."}
			switch c.name {
			case "region", "store", "daemon":
				words = []string{" changed since the plan: ", c.attribute + " is ", ", and the plan showed ", "Plan again."}
			case "job configuration", "snapshot":
				words = []string{c.object, " changed since the plan: ", c.attribute + " is ", ", and the plan showed ", "Plan again."}
			}
			providertest.WantOne(t, diags.Errors(), words...)
			wantRequests(t, seen, c.method, "GET")
			if held := c.get(d); fmt.Sprint(held[c.field]) != fmt.Sprint(c.third) {
				t.Errorf("the service holds %v", held)
			}
		})
	})
}

func TestDeletionIsNotRepeatedIfTheObjectIsGone(t *testing.T) {
	t.Parallel()
	remove := map[string]func(d *providertest.FaultProxy){
		"region": func(d *providertest.FaultProxy) { d.RemoveRegion("NEW") },
		"store":  func(d *providertest.FaultProxy) { d.RemoveBackupStore(emulator.S3Blockstore, "new") },
		"daemon": func(d *providertest.FaultProxy) { d.RemoveBackupDaemon(daemonMachine, headDirectory) },
		"snapshot": func(d *providertest.FaultProxy) {
			d.RemoveSnapshot(providertest.Payments, providertest.Orders, newestSnapshot)
		},
		"job configuration": func(d *providertest.FaultProxy) { d.RemoveJobConfig(providertest.Payments) },
	}
	eachFailure(t, contestedDeletions, func(t *testing.T, c contested, failure string) {
		contest(t, c, failure, func(d *providertest.FaultProxy, _ *providertest.Attempt) { remove[c.name](d) }, func(_ *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
			if len(diags.Errors()) > 0 {
				t.Errorf("got %q", diags.Errors())
			}
			wantRequests(t, seen, c.method, "GET")
		})
	})
}

// A request may be refused because the object is in use, and that may end soon.
func TestDeletionOfAStoreInUseIsRepeatedAfterARead(t *testing.T) {
	t.Parallel()
	c := contestedDeletions[1]
	inUse := func(d *providertest.FaultProxy, _ *providertest.Attempt) { c.set(d, map[string]any{c.field: c.third}) }
	c.code = "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG"
	contest(t, c, "a temporary 409", inUse, func(d *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
		providertest.WantOne(t, diags.Errors(), "changed since the plan: s3_bucket_name is ")
		wantRequests(t, seen, "DELETE", "GET")
		if c.get(d) == nil {
			t.Error("it was deleted")
		}
	})
}

// What Ops Manager shows of a secret tells a change of others.
func TestWriteIsNotRepeatedOverTheSecretOfOthers(t *testing.T) {
	t.Parallel()
	c := contestedChanges[1]
	change := func(d *providertest.FaultProxy, _ *providertest.Attempt) {
		c.set(d, map[string]any{"uri": "mongodb://theirs.example.com"})
	}
	contest(t, c, "503", change, func(d *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
		providertest.WantOne(t, diags.Errors(), "changed since the plan: uri is another secret")
		if strings.Contains(strings.Join(diags.Errors(), ""), "theirs") {
			t.Errorf("the error has the secret: %q", diags.Errors())
		}
		wantRequests(t, seen, "PUT", "GET")
	})
}

// The next apply of the same plan would be refused by Terraform, and a snapshot that is held must stay.
func TestExpiryIsNotChangedOverAHold(t *testing.T) {
	t.Parallel()
	c := contestedChanges[len(contestedChanges)-1]
	hold := func(d *providertest.FaultProxy, _ *providertest.Attempt) {
		c.set(d, map[string]any{"doNotDelete": true})
	}
	contest(t, c, "503", hold, func(_ *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
		providertest.WantOne(t, diags.Errors(), "changed since the plan: ", "do_not_delete is true, and the plan showed false")
		wantRequests(t, seen, "PATCH", "GET")
	})
}

// The status is requested once, and after a refusal only if it is still the one from before.
func TestStatusIsNotRequestedAgainIfOthersHaveChangedIt(t *testing.T) {
	t.Parallel()
	c := contested{prepare: stopBackup, method: "PATCH"}
	for status, want := range map[string][]string{"STARTED": {"PATCH", "GET", "PATCH"}, "STOPPED": {"PATCH"}} {
		change := func(d *providertest.FaultProxy, _ *providertest.Attempt) {
			d.SetBackupStatus(providertest.Payments, providertest.Cards, status)
		}
		contest(t, c, "429", change, func(d *providertest.FaultProxy, a *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
			if len(diags.Errors()) > 0 || a.Held() != "STOPPED" {
				t.Errorf("got %q, and the service holds %v", diags.Errors(), a.Held())
			}
			wantRequests(t, seen, want...)
		})
	}
}

// An Ops Manager that can't return a region can't show whether others have changed it, either.
func TestWriteOfARegionThatCannotBeReadIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Profile: emulator.Documented})
	r := providertest.NewWorkspace(t, s, providertest.Values{"max_retries": 2}).NewResource(providertest.RegionType)
	r.ImportID("NY_NJ")
	r.Configure()
	p := r.Plan(nil)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "DELETE", Status: 503})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unable to Delete Deployment Region", "503", "It was not sent again, because the read before that failed: GET "+providertest.RegionsPath+"/NY_NJ: 405")
	providertest.WantWrites(t, s, "DELETE "+providertest.RegionsPath+"/NY_NJ")
}
