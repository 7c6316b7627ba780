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

func TestFilterThatNamesWhatDoesNotExistIsAWarning(t *testing.T) {
	t.Parallel()
	const snapshots, oplogs, syncs = "snapshot_store_filter", "oplog_store_filter", "sync_store_filter"
	for name, test := range map[string]struct {
		filter values
		warns  []string // of which the first one is the attribute
	}{
		"a snapshot store that does not exist": {stores(snapshots, "lon-1", "blockstore"), []string{snapshots, "\n  - lon-1, type blockstore\n"}},
		"an oplog store that does not exist":   {stores(oplogs, "lon-1", "s3OplogStore"), []string{oplogs, "\n  - lon-1, type s3OplogStore\n"}},
		"a sync store that does not exist":     {values{syncs: []any{"ny-sync-1", "lon-1"}}, []string{syncs, ":\n  - lon-1, type sync store\n"}},
		"a store of another type": {
			stores(snapshots, "ny-s3-1", "blockstore"),
			[]string{snapshots, "ny-s3-1, type blockstore (the store with this ID has the type s3blockstore)"},
		},
		"a daemon that does not exist": {
			daemons(daemon(inUse), daemon("om-lon.example.com")),
			[]string{"daemon_filter", ":\n  - om-lon.example.com|/data/backup/\n"},
		},
		"a machine without a daemon": {daemons(values{"machine": "om-lon.example.com"}), []string{"daemon_filter", "\n  - om-lon.example.com\n"}},

		"stores that exist": {stores(snapshots, "ny-s3-1", "s3blockstore").With(
			stores(oplogs, "ny-oplog-1", "oplogStore"), values{syncs: []any{"ny-sync-1"}, "label_filter": []any{"east", "production"}},
		), nil},
		"a machine with a daemon": {daemons(values{"machine": strings.ToUpper(unused)}), nil},
		"an ID that is not known": {
			values{oplogs: []any{values{"id": providertest.Unknown, "type": "oplogStore"}}, syncs: []any{providertest.Unknown}}, nil,
		},
		"a machine that isn't known": {daemons(values{"machine": providertest.Unknown}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			s.SetBackupStore(emulator.SyncStore, "ny-sync-1", object{"labels": []any{"east", "production"}})
			for range 2 { // a creation and an update
				warned := slices.DeleteFunc(r.Plan(jobConfig(payments, test.filter)).Warnings(), func(text string) bool {
					return strings.HasPrefix(text, "[label_filter] No Daemon")
				})
				if test.warns == nil && len(warned) > 0 {
					t.Error(warned)
				} else if test.warns != nil {
					title := "[" + test.warns[0] + "] No Such "
					providertest.WantOne(t, warned, title, " in "+test.warns[0]+" of Project Payments ("+payments+")", test.warns[1], "refer to its resource")
				}
				r.Configure()
				r.MustApply(jobConfig(payments, byLabel))
				r.Configure()
			}
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

func TestFilterWithNothingAssignableIsAWarning(t *testing.T) {
	t.Parallel()
	store := func(id any) any { return values{"id": id, "type": "blockstore"} }
	for name, test := range map[string]struct {
		filter values
		warns  []string
	}{
		"a store that is off": {
			stores("snapshot_store_filter", "off-1", "blockstore"),
			[]string{"[snapshot_store_filter] No Assignable Store", "\n  - off-1\n"},
		},
		"one of two stores":      {values{"snapshot_store_filter": []any{store("off-1"), store("ny-blockstore-1")}}, nil},
		"an ID that isn't known": {values{"snapshot_store_filter": []any{store("off-1"), store(providertest.Unknown)}}, nil},
		"a store that is missing": {values{"snapshot_store_filter": []any{store("off-1"), store("lon-1")}},
			[]string{"[snapshot_store_filter] No Assignable Store", "[snapshot_store_filter] No Such Store"}},
		"a daemon that is off": {daemons(daemon(inUse)), []string{"[daemon_filter] No Assignable Daemon", "\n  - " + inUse}},
		"one of two daemons":   {daemons(daemon(inUse), daemon(unused)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			s.SetBackupStore(emulator.Blockstore, "off-1", object{"assignmentEnabled": false})
			s.SetBackupDaemon(inUse, headRoot, object{"assignmentEnabled": false})
			warned := slices.Sorted(slices.Values(r.Plan(jobConfig(payments, test.filter)).Warnings()))
			if len(warned) > 0 != (test.warns != nil) {
				t.Fatal(warned)
			}
			providertest.WantContains(t, strings.Join(warned, "\n"), test.warns...)
		})
	}
}

func TestFiltersAreNotComparedWithWhatOpsManagerDoesNotReturn(t *testing.T) {
	t.Parallel()
	filters := stores("oplog_store_filter", "lon-1", "oplogStore").With(
		stores("snapshot_store_filter", "lon-1", "blockstore"), daemons(daemon("om-lon.example.com")),
	)
	for name, fault := range map[string]emulator.Fault{
		"a key without the role": {Status: http.StatusForbidden},
		"a list with a null":     {Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"results": [null]}`},
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
	store := func(more values) values {
		return values{"id": "lon-1", "store_path": "/backups"}.With(more)
	}
	labels := func(labels ...any) values { return values{"labels": labels} }
	suits := byLabel.With(stores("snapshot_store_filter", "lon-1", "fileSystemStore"))
	alone := stores("snapshot_store_filter", "lon-1", "fileSystemStore")
	assigned := func(is bool) values { return values{"assignment_enabled": is} }
	const noLabels, noAssignment = "No Snapshot Store Has the Labels", "No Assignable Store"
	for name, test := range map[string]struct {
		held, planned, filter values
		warns                 string
	}{
		"a new store that fits":         {nil, store(labels("east")), suits, ""},
		"a new store that does not fit": {nil, store(labels("west")), suits, noLabels},
		"labels that leave":             {labels("east"), store(labels("west")), suits, noLabels},
		"assignment that ends":          {assigned(true), store(assigned(false)), alone, noAssignment},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			w := providertest.NewWorkspace(t, s)
			named, filter := w.NewResource(providertest.FileSystemStoreType), w.NewResource(providertest.JobConfigType)
			if test.held != nil {
				s.SetBackupStore(
					emulator.FileSystemStore, "lon-1",
					object{"storePath": "/backups", "labels": test.held["labels"], "assignmentEnabled": test.held["assignment_enabled"] != false},
				)
				named.ImportID("lon-1")
			}
			named.Plan(test.planned).WantNoErrors(t)
			warned := filter.Plan(jobConfig(payments, test.filter)).Warnings()
			if test.warns == "" && len(warned) > 0 {
				t.Error(warned)
			} else if test.warns != "" {
				providertest.WantOne(t, warned, test.warns)
			}
		})
	}
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	named, filter := w.NewResource(providertest.DaemonType), w.NewResource(providertest.JobConfigType)
	named.Plan(daemon(starting)).WantNoErrors(t)
	filter.Plan(jobConfig(payments, daemons(values{"machine": starting}))).WantNoWarnings(t)
}
