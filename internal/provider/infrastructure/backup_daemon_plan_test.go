package infrastructure_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestJobConfigOfAnUnknownProjectFailsInThePlan(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"6.0.27", oldest, newest} {
		s, r := startJobConfig(t, emulator.Options{ServiceVersion: version})
		r.Plan(jobConfig(strings.Repeat("f", 24), byLabel)).WantError(t, "[project_id] Unable to Preview Backup Job Configuration", "GROUP_NOT_FOUND")
		r.Plan(jobConfig(payments, byLabel)).WantNoErrors(t)
		// A key may not see the project. Then only the apply can tell.
		s.Inject(emulator.Fault{Path: "/groups/" + strings.Repeat("f", 24), Skip: 1, Times: -1, Status: http.StatusForbidden})
		if errors := r.Plan(jobConfig(strings.Repeat("f", 24), byLabel)).Errors(); version != "6.0.27" && len(errors) > 0 {
			t.Error(errors)
		}
	}
}

// about returns the warnings of a plan whose titles begin with a text.
func about(p *providertest.Plan, title string) []string {
	return slices.DeleteFunc(p.Warnings(), func(text string) bool { return !strings.HasPrefix(text, "[label_filter] "+title) })
}

// A label_filter is compared with the stores and the daemons that the other filters name, and without those with all of a kind.
func TestLabelsThatNothingHasAreAWarning(t *testing.T) {
	t.Parallel()
	const (
		snapshots, oplogs, syncs, machines = "No Snapshot Store", "No Oplog Store", "No Sync Store", "No Daemon"
		oplogList, daemonList              = "/oplog/s3Configs", "/daemon/configs"
	)
	files := func(ids ...string) values {
		references := []any{}
		for _, id := range ids {
			references = append(references, values{"id": id, "type": "fileSystemStore"})
		}
		return values{"snapshot_store_filter": references}
	}
	east, west, misspelled := []any{"east"}, []any{"west"}, []any{"esat"}
	oplog, sync := stores("oplog_store_filter", "ny-oplog-1", "oplogStore"), values{"sync_store_filter": []any{"ny-sync-1"}}
	daemonLabels := "\n  - " + inUse + ": east, production\n"
	for name, test := range map[string]struct {
		kind    string
		labels  any
		filter  values
		fault   emulator.Fault
		planned any      // the labels of an oplog store that the same plan creates
		says    []string // nil without a warning
	}{
		"no named store has the label": {
			kind: snapshots, labels: west, filter: files("both", "none"), says: []string{"both: east, production", "none: no labels"},
		},
		"a store has some of them":      {kind: snapshots, labels: []any{"east", "west"}, filter: files("both"), says: []string{"both: east, production"}},
		"a store has all of them":       {kind: snapshots, labels: []any{"east", "production"}, filter: files("none", "both")},
		"no filter, stores with labels": {kind: snapshots, filter: files("both"), says: []string{"both: east, production"}},
		"no filter, a store without":    {kind: snapshots, filter: files("both", "none")},
		"labels that are not known":     {kind: snapshots, labels: providertest.Unknown, filter: files("both")},
		"a label that is not known":     {kind: snapshots, labels: []any{"west", providertest.Unknown}, filter: files("both")},

		"an oplog store without the label": {kind: oplogs, labels: west, filter: oplog, says: []string{"ny-oplog-1: east"}},
		"an oplog store with the label":    {kind: oplogs, labels: east, filter: oplog},
		"oplog stores that are not known":  {kind: oplogs, labels: west, filter: values{"oplog_store_filter": providertest.Unknown}},
		"a sync store without the label":   {kind: syncs, labels: west, filter: sync, says: []string{"ny-sync-1: east"}},
		"a sync store with the label":      {kind: syncs, labels: east, filter: sync},
		"sync stores that are not known":   {kind: syncs, labels: west, filter: values{"sync_store_filter": providertest.Unknown}},

		"snapshot stores that are not named": {kind: snapshots, labels: west, says: []string{"None of the snapshot stores fits", "au-blockstore-1: oceania"}},
		"a snapshot store that is not named": {kind: snapshots, labels: []any{"oceania"}},
		"oplog stores that are not named": {kind: oplogs, labels: west, says: []string{
			"None of the oplog stores fits", "ny-oplog-1: east, production", "au-s3-oplog-1: no labels",
		}},
		"a new store that has the label":      {kind: oplogs, labels: west, planned: west},
		"a new store that has another":        {kind: oplogs, labels: west, planned: east, says: []string{"ny-oplog-1: east"}},
		"a new store whose labels come late":  {kind: oplogs, labels: west, planned: providertest.Unknown},
		"stores that the key can't read":      {kind: oplogs, labels: west, fault: emulator.Fault{Path: oplogList, Status: 403}},
		"a list of stores that has a null":    {kind: oplogs, labels: west, fault: emulator.Fault{Path: oplogList, Status: 200, Body: `{"results": [null]}`}},
		"a label that no daemon has":          {kind: machines, labels: misspelled, says: []string{daemonLabels, "\n  - " + unused + ": no labels\n"}},
		"one of two labels that a daemon has": {kind: machines, labels: []any{"east", "west"}, says: []string{daemonLabels}},
		"all labels of a daemon":              {kind: machines, labels: []any{"production", "east"}},
		"daemons without labels":              {kind: machines, labels: []any{}},
		"daemons that the key can't read":     {kind: machines, labels: misspelled, fault: emulator.Fault{Path: daemonList, Status: 403}},
		"no daemon": {kind: machines, labels: misspelled, fault: emulator.Fault{
			Path: daemonList, Status: 200, Body: `{"results": [], "totalCount": 0}`,
		}},
		"a list of daemons that has a null": {kind: machines, labels: misspelled, fault: emulator.Fault{
			Path: daemonList, Status: 200, Body: `{"results": [null, {"machine": {"machine": "a", "headRootDirectory": "/"}}]}`,
		}},
		"a named daemon without the label": {kind: machines, labels: east, filter: daemons(values{"machine": unused}), says: []string{
			"None of the daemons in daemon_filter fits label_filter:\n  - " + unused + ": no labels\n\n",
		}},
		"a named daemon with the label":    {kind: machines, labels: east, filter: daemons(values{"machine": inUse})},
		"a named daemon that is not known": {kind: machines, labels: east, filter: daemons(values{"machine": providertest.Unknown})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			setLabeledStores(s)
			if test.fault.Status != 0 {
				s.Inject(test.fault)
			}
			if test.planned != nil {
				config := values{"id": "new-1", "uri": "mongodb://oplog.example.com", "labels": test.planned}
				r.NewResource(providertest.OplogStoreType).Plan(config).WantNoErrors(t)
			}
			p := r.Plan(jobConfig(payments, values{"label_filter": test.labels}, test.filter))
			p.WantNoErrors(t)
			warned := about(p, test.kind)
			if test.says == nil {
				providertest.WantEqual(t, len(warned), 0)
				return
			}
			title := "[label_filter] " + test.kind + " Has the Labels of Project Payments (" + payments + ")"
			providertest.WantOne(t, warned, append(test.says, title)...)
		})
	}
}

// setLabeledStores adds a snapshot store with two labels and one with none, and gives a sync store a label.
func setLabeledStores(s *providertest.Service) {
	s.SetBackupStore(emulator.FileSystemStore, "both", object{"storePath": "/a", "labels": []any{"east", "production"}, "assignmentEnabled": true})
	s.SetBackupStore(emulator.FileSystemStore, "none", object{"storePath": "/b", "assignmentEnabled": true})
	s.SetBackupStore(emulator.SyncStore, "ny-sync-1", object{"labels": []any{"east"}})
}

// Of an update or an adoption, the plan compares the filters that it changes, and all of them if it changes the labels.
func TestChangedLabelsAreComparedWithTheFiltersThatStay(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t)
	setLabeledStores(s)
	kept := stores("oplog_store_filter", "ny-oplog-1", "oplogStore")
	r.MustApply(jobConfig(payments, kept, byLabel))
	relabeled := r.Plan(jobConfig(payments, kept, values{"label_filter": []any{"west"}}))
	providertest.WantOne(t, about(relabeled, "No Oplog Store"), "Has the Labels", "ny-oplog-1: east")
	for store, says := range map[string]string{"both": "", "none": `fits label_filter, which stays ["east"]:`} {
		adopted := jobConfigOn(t, s).Plan(jobConfig(payments, stores("snapshot_store_filter", store, "fileSystemStore")))
		providertest.WantEqual(t, strings.Contains(strings.Join(adopted.Warnings(), ""), cmp.Or(says, "label_filter")), says != "")
	}
}

func TestLabelsAreNotComparedIfTheSamePlanManagesADaemonOrKeepsThem(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	named, filter := w.NewResource(providertest.DaemonType), w.NewResource(providertest.JobConfigType)
	config := jobConfig(payments, values{"label_filter": []any{"west"}})
	named.Plan(daemon(starting, values{"labels": []any{"west"}})).WantNoErrors(t)
	if warned := about(filter.Plan(config), "No Daemon"); len(warned) > 0 {
		t.Error(warned)
	}
	filter.MustApply(config)
	s.ResetRequests()
	filter.MustBeSettled(config)
	if read := s.Sent("GET", "/daemon/configs"); len(read) > 0 {
		t.Errorf("read %q", read)
	}
}

// A relation is checked from both ends: a plan of the filter checks the labels, and one of the labels the filters.
func TestChangeOfLabelsWarnsOfTheProjectsThatItExcludes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		labels []any
		fault  emulator.Fault
		words  []string
	}{
		"a label of a filter goes": {labels: []any{"production"}, words: []string{"\n  - project Payments (" + payments + "): east\n"}},
		"a label more":             {labels: []any{"east", "production", "west"}},
		"a key without the role":   {labels: []any{}, fault: emulator.Fault{Path: "/admin/backup/groups", Status: 403, Times: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			w := providertest.NewWorkspace(t, s)
			w.NewResource(providertest.JobConfigType).MustApply(jobConfig(payments, values{"label_filter": []any{"east"}}))
			if test.fault.Status != 0 {
				s.Inject(test.fault)
			}
			store := w.NewResource(providertest.OplogStoreType)
			store.ImportID("ny-oplog-1").WantNone(t)
			plans := map[string]*providertest.Plan{
				"Backup Daemon " + inUse: w.NewResource(providertest.DaemonType).Plan(daemon(inUse, values{"labels": test.labels})),
				"Oplog Store ny-oplog-1": store.Plan(values{"id": "ny-oplog-1", "uri": "mongodb://oplog.example.com", "labels": test.labels}),
			}
			for name, p := range plans {
				p.WantNoErrors(t)
				warned := slices.DeleteFunc(p.Warnings(), func(text string) bool { return !strings.Contains(text, "Can No Longer Use") })
				if test.words != nil {
					providertest.WantOne(t, warned, append(test.words, "[labels] Projects Can No Longer Use "+name+":")...)
				} else if len(warned) > 0 {
					t.Errorf("%s: %s", name, warned)
				}
			}
		})
	}
}

func TestADaemonThatIsTurnedOffIsAWarning(t *testing.T) {
	t.Parallel()
	for _, attribute := range []string{"configured", "assignment_enabled", "backup_jobs_enabled"} {
		s, r := startDaemon(t)
		s.SetBackupDaemon(inUse, headRoot, object{"configured": true, "assignmentEnabled": true, "backupJobsEnabled": true})
		r.MustApply(daemon(inUse))
		for _, isOn := range []bool{true, false} {
			r.Configure()
			warned := strings.Join(r.Plan(daemon(inUse, values{attribute: isOn})).Warnings(), "\n")
			if isWarned := strings.Contains(warned, "["+attribute+"] Backup Daemon "+inUse+" Will Be Turned Off"); isWarned == isOn {
				t.Errorf("%s = %t: %q", attribute, isOn, warned)
			}
		}
	}
}
