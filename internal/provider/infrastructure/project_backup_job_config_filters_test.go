package infrastructure_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// stores returns a filter that names a store.
func stores(filter, id, kind string) values {
	return values{filter: []any{values{"id": id, "type": kind}}}
}

func daemons(named ...any) values { return values{"daemon_filter": named} }

func TestFilterThatSelectsNothingIsAWarning(t *testing.T) {
	t.Parallel()
	const (
		snapshots, oplogs, syncs, machines = "snapshot_store_filter", "oplog_store_filter", "sync_store_filter", "daemon_filter"
		noStore, noDaemon                  = "No Such Store", "No Such Daemon"
	)
	type list = []any
	store := func(id any, kind string) any { return values{"id": id, "type": kind} }
	off, on, missing := store("off-1", "blockstore"), store("ny-blockstore-1", "blockstore"), store("lon-1", "s3OplogStore")
	for name, test := range map[string]struct {
		attribute string
		names     list
		title     string // empty without a warning
		says      string
	}{
		"a snapshot store that does not exist": {snapshots, list{store("lon-1", "blockstore")}, noStore, "\n  - lon-1, type blockstore\n"},
		"an oplog store that does not exist":   {oplogs, list{missing}, noStore, "\n  - lon-1, type s3OplogStore\n"},
		"a sync store that does not exist":     {syncs, list{"ny-sync-1", "lon-1"}, noStore, ":\n  - lon-1, type sync store\n"},
		"a daemon that does not exist": {
			machines, list{daemon(inUse), daemon("om-lon.example.com")}, noDaemon, ":\n  - om-lon.example.com|/data/backup/\n",
		},
		"a machine without a daemon":       {machines, list{values{"machine": "om-lon.example.com"}}, noDaemon, "\n  - om-lon.example.com\n"},
		"a snapshot store that exists":     {snapshots, list{store("ny-s3-1", "s3blockstore")}, "", ""},
		"an oplog store that exists":       {oplogs, list{store("ny-oplog-1", "oplogStore")}, "", ""},
		"a sync store that exists":         {syncs, list{"ny-sync-1"}, "", ""},
		"a machine with a daemon":          {machines, list{values{"machine": strings.ToUpper(unused)}}, "", ""},
		"an oplog store that is not known": {oplogs, list{store(providertest.Unknown, "oplogStore")}, "", ""},
		"a sync store that is not known":   {syncs, list{providertest.Unknown}, "", ""},
		"a machine that is not known":      {machines, list{values{"machine": providertest.Unknown}}, "", ""},

		"a store that is off":        {snapshots, list{off}, "No Assignable Store", "\n  - off-1\n"},
		"one of two stores is off":   {snapshots, list{off, on}, "", ""},
		"the other is not known":     {snapshots, list{off, store(providertest.Unknown, "blockstore")}, "", ""},
		"the other store is missing": {snapshots, list{off, store("lon-1", "blockstore")}, "No Assignable Store", "\n  - off-1\n"},
		"a daemon that is off":       {machines, list{daemon("om-off.example.com")}, "No Assignable Daemon", "\n  - om-off.example.com"},
		"one of two daemons is off":  {machines, list{daemon("om-off.example.com"), daemon(unused)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			s.SetBackupStore(emulator.Blockstore, "off-1", object{"assignmentEnabled": false})
			s.SetBackupDaemon("om-off.example.com", headRoot, object{"assignmentEnabled": false})
			p := r.Plan(jobConfig(payments, values{test.attribute: test.names}))
			warned := slices.DeleteFunc(p.Warnings(), func(text string) bool { return strings.HasPrefix(text, "[label_filter]") })
			if test.title == "" {
				providertest.WantEqual(t, len(warned), 0)
				return
			}
			title := "[" + test.attribute + "] " + test.title + " in " + test.attribute + " of Project Payments (" + payments + ")"
			providertest.WantContains(t, strings.Join(warned, "\n"), title, test.says, "refer to its resource")
		})
	}
}

var noFilters = values{"snapshot_store_filter": []any{}, "oplog_store_filter": []any{}, "sync_store_filter": []any{}, "daemon_filter": []any{}}

func TestAPlanDoesNotDeleteWhatAFilterOfItNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typeName, id string
		filter       values
	}{
		"a snapshot store": {providertest.BlockstoreType, "ny-blockstore-1", stores("snapshot_store_filter", "ny-blockstore-1", "blockstore")},
		"an oplog store":   {providertest.OplogStoreType, "ny-oplog-1", stores("oplog_store_filter", "ny-oplog-1", "oplogStore")},
		"a sync store":     {providertest.SyncStoreType, "ny-sync-1", values{"sync_store_filter": []any{"ny-sync-1"}}},
		"a daemon":         {providertest.DaemonType, "", daemons(daemon(inUse))},
		"a machine":        {providertest.DaemonType, "", daemons(values{"machine": strings.ToUpper(inUse)})},
	} {
		for _, isDeletedFirst := range []bool{false, true} {
			_, r := startJobConfig(t)
			r.MustApply(jobConfig(payments, test.filter))
			used := r.NewResource(test.typeName)
			if test.id == "" {
				used.MustApply(daemon(inUse, values{"on_destroy": "delete"}))
			} else {
				used.ImportID(test.id).WantNoErrors(t)
			}
			for _, filter := range []values{nil, test.filter, noFilters} {
				r.Configure()
				plans := []func() []string{
					func() []string { return r.Plan(jobConfig(payments, filter)).Errors() },
					func() []string { return used.Plan(nil).Errors() },
				}
				if isDeletedFirst {
					slices.Reverse(plans)
				}
				first, second := plans[0](), plans[1]()
				isUsed := len(filter) < len(noFilters)
				if len(first) > 0 || !isUsed && len(second) > 0 {
					t.Fatalf("%s: %q, %q", name, first, second)
				}
				if isUsed {
					providertest.WantOne(t, second, "Deleted and Used in One Plan", "on_destroy")
				}
			}
		}
	}
}

func TestFiltersAreNotComparedWithWhatOpsManagerDoesNotReturn(t *testing.T) {
	t.Parallel()
	filters := stores("oplog_store_filter", "lon-1", "oplogStore").With(
		stores("snapshot_store_filter", "lon-1", "blockstore"), daemons(daemon("om-lon.example.com")),
	)
	for name, fault := range map[string]emulator.Fault{
		"a key without the role": {Status: http.StatusForbidden},
		"a list with a null":     {Status: http.StatusOK, Body: `{"results": [null]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			for _, path := range []string{"/backup/oplog/", "/backup/snapshot/", "/backup/daemon/"} {
				fault.Path, fault.Times = path, -1
				s.Inject(fault)
			}
			p := r.Plan(jobConfig(payments, filters))
			if texts := append(p.Errors(), p.Warnings()...); len(texts) > 0 {
				t.Error(texts)
			}
		})
	}
}

// A filter refers to the stores and daemons of the same plan, so Terraform plans them first.
func TestFiltersAreComparedWithWhatTheSamePlanMakes(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t)
	s.SetBackupStore(emulator.FileSystemStore, "on", object{"storePath": "/backups", "labels": []any{"east", "production"}})
	store := values{"id": "new", "store_path": "/backups", "labels": []any{"east"}}
	turnedOff := r.NewResource(providertest.FileSystemStoreType)
	turnedOff.ImportID("on")
	turnedOff.Plan(values{"id": "on", "store_path": "/backups", "assignment_enabled": false}).WantNoErrors(t)
	r.NewResource(providertest.FileSystemStoreType).Plan(store).WantNoErrors(t)
	r.NewResource(providertest.DaemonType).Plan(daemon(starting)).WantNoErrors(t)
	suits := byLabel.With(stores("snapshot_store_filter", "new", "fileSystemStore"), daemons(values{"machine": starting}))
	r.Plan(jobConfig(payments, suits)).WantNone(t)
	other := r.NewResource(providertest.JobConfigType)
	other.Plan(jobConfig(analytics, stores("snapshot_store_filter", "on", "fileSystemStore"))).WantWarning(t, "No Assignable Store")
}
