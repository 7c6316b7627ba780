package infrastructure_test

import (
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

func TestLabelsThatNoNamedStoreHasAreAWarning(t *testing.T) {
	t.Parallel()
	stores := func(ids ...string) values {
		references := []any{}
		for _, id := range ids {
			references = append(references, values{"id": id, "type": "fileSystemStore"})
		}
		return values{"snapshot_store_filter": references}
	}
	labels := func(labels ...any) values { return values{"label_filter": labels} }
	for name, test := range map[string]struct {
		config values
		warns  bool
	}{
		"no store has the label":        {jobConfig(payments, labels("west"), stores("both", "none")), true},
		"a store has some of them":      {jobConfig(payments, labels("east", "west"), stores("both")), true},
		"a store has all of them":       {jobConfig(payments, labels("east", "production"), stores("none", "both")), false},
		"no filter, stores with labels": {jobConfig(payments, stores("both")), true},
		"no filter, a store without":    {jobConfig(payments, stores("both", "none")), false},
		"stores that are not named":     {jobConfig(payments, labels("west")), true},
		"a store that is not named":     {jobConfig(payments, labels("oceania")), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			s.SetBackupStore(emulator.FileSystemStore, "both", object{"storePath": "/a", "labels": []any{"east", "production"}, "assignmentEnabled": true})
			s.SetBackupStore(emulator.FileSystemStore, "none", object{"storePath": "/b", "assignmentEnabled": true})
			check := func(p *providertest.Plan) {
				t.Helper()
				p.WantNoErrors(t)
				warned := about(p, "No Snapshot Store")
				switch {
				case test.warns:
					providertest.WantOne(
						t, warned, "[label_filter] No Snapshot Store Has the Labels of Project Payments ("+payments+")",
						"both: east, production",
					)
				case len(warned) > 0:
					t.Error(warned)
				}
			}
			check(r.Plan(test.config))
			r.MustApply(jobConfig(payments, labels("other")))
			r.Configure()
			s.SetJobConfig(payments, object{"labelFilter": []any{"east"}, "snapshotStoreFilter": nil})
			if b := jobConfigOn(t, s); name == "no filter, stores with labels" {
				if warned := b.Plan(test.config).Warnings(); len(warned) > 0 { // it keeps the live filter
					t.Error(warned)
				}
				b = jobConfigOn(t, s)
				providertest.WantOne(
					t, about(b.Plan(jobConfig(payments, stores("none"))), "No Snapshot Store"),
					`fits label_filter, which stays ["east"]:`, "none: no labels",
				)
			}
			if name != "no filter, stores with labels" && name != "no filter, a store without" { // which keep the filter
				check(r.Plan(test.config))
			}
		})
	}
}

func TestLabelsThatNoOplogStoreOrSyncStoreHasAreAWarning(t *testing.T) {
	t.Parallel()
	for kind, named := range map[string]values{
		"Oplog": {"oplog_store_filter": []any{values{"id": "ny-oplog-1", "type": "oplogStore"}}},
		"Sync":  {"sync_store_filter": []any{"ny-sync-1"}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			s.SetBackupStore(emulator.SyncStore, "ny-sync-1", object{"labels": []any{"east"}})
			s.SetBackupDaemon(inUse, headRoot, object{"labels": []any{"east", "west"}})
			warned := func(label string, more values) []string {
				r.Configure()
				return about(r.Plan(jobConfig(payments, named, values{"label_filter": []any{label}}, more)), "No "+kind+" Store")
			}
			providertest.WantOne(t, warned("west", nil), "No "+kind+" Store Has the Labels of Project Payments ("+payments+")", "-1: east")
			r.MustApply(jobConfig(payments, named, byLabel))
			providertest.WantOne(t, warned("west", nil), "No "+kind+" Store Has the Labels")
			unknown := values{"oplog_store_filter": providertest.Unknown, "sync_store_filter": providertest.Unknown}
			if found := append(warned("east", nil), warned("west", unknown)...); len(found) > 0 {
				t.Error(found)
			}
		})
	}
}

func TestLabelsThatNoDaemonHasAreAWarning(t *testing.T) {
	t.Parallel()
	labels := func(labels ...any) values {
		return jobConfig(payments, values{"label_filter": labels})
	}
	daemonFilter := func(machine any) values {
		return values{"daemon_filter": []any{values{"machine": machine}}}
	}
	for name, test := range map[string]struct {
		config values
		fault  emulator.Fault
		warns  bool
		named  bool // so the warning is about these daemons
	}{
		"a misspelled label":     {config: labels("esat"), warns: true},
		"one of two labels":      {config: labels("east", "west"), warns: true},
		"all labels of a daemon": {config: labels("production", "east")},
		"daemons without labels": {config: labels()},
		"a label not known yet":  {config: labels("esat", providertest.Unknown)},
		"a key without the role": {config: labels("esat"), fault: emulator.Fault{Path: "/daemon/configs", Status: 403}},
		"no daemon": {
			config: labels("esat"),
			fault: emulator.Fault{
				Path: "/daemon/configs", Status: 200, Header: http.Header{"Content-Type": {"application/json"}},
				Body: `{"results": [], "totalCount": 0}`,
			},
		},
		"a daemon that is null": {config: labels("esat"), fault: emulator.Fault{
			Path: "/daemon/configs", Status: 200, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"results": [null, {"machine": {"machine": "a", "headRootDirectory": "/"}}]}`,
		}},
		"a daemon in daemon_filter without the labels": {config: labels("east").With(daemonFilter(unused)), warns: true, named: true},
		"a daemon in daemon_filter with the labels":    {config: labels("east").With(daemonFilter(inUse))},
		"a daemon in daemon_filter not known yet":      {config: labels("east").With(daemonFilter(providertest.Unknown))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startJobConfig(t)
			if test.fault.Status != 0 {
				s.Inject(test.fault)
			}
			p := r.Plan(test.config)
			if warned := about(p, "No Daemon"); test.named {
				providertest.WantOne(t, warned, "None of the daemons in daemon_filter fits label_filter:\n  - "+unused+": no labels\n\n")
			} else if test.warns {
				providertest.WantOne(
					t, warned, "[label_filter] No Daemon Has the Labels of Project Payments ("+payments+")",
					"\n  - "+inUse+": east, production\n", "\n  - "+unused+": no labels\n",
				)
			} else if len(warned) > 0 {
				t.Error(warned)
			}
			p.WantNoErrors(t)
		})
	}
}

// No filter names a store here, so each kind is compared as a whole, with what the same plan creates.
func TestLabelsAreComparedWithAllStoresThatNoFilterNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault   emulator.Fault
		planned any // labels of a new oplog store
		warns   bool
	}{
		"no store has the label":    {warns: true},
		"a new store has it":        {planned: []any{"west"}},
		"a new store has another":   {planned: []any{"east"}, warns: true},
		"labels that are not known": {planned: providertest.Unknown},
		"a key without the role":    {fault: emulator.Fault{Path: "/oplog/s3Configs", Status: 403}},
		"a store that is null": {fault: emulator.Fault{
			Path: "/oplog/s3Configs", Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"results": [null]}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			w := providertest.NewWorkspace(t, s)
			if test.fault.Status != 0 {
				s.Inject(test.fault)
			}
			if test.planned != nil {
				config := values{"id": "new-1", "uri": "mongodb://oplog.example.com", "labels": test.planned}
				w.NewResource(providertest.OplogStoreType).Plan(config).WantNoErrors(t)
			}
			p := w.NewResource(providertest.JobConfigType).Plan(jobConfig(payments, values{"label_filter": []any{"west"}}))
			providertest.WantOne(t, about(p, "No Snapshot Store"), "None of the snapshot stores fits", "au-blockstore-1: oceania")
			if warned := about(p, "No Oplog Store"); test.warns {
				providertest.WantOne(t, warned, "None of the oplog stores fits", "ny-oplog-1: east, production", "au-s3-oplog-1: no labels")
			} else if len(warned) > 0 {
				t.Error(warned)
			}
		})
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

func TestFilterThatIsNotKnownYetIsNotCompared(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t)
	s.SetBackupStore(emulator.FileSystemStore, "both", object{"storePath": "/a", "labels": []any{"east"}, "assignmentEnabled": true})
	for _, labels := range []any{providertest.Unknown, []any{providertest.Unknown}, []any{"west", providertest.Unknown}} {
		p := r.Plan(jobConfig(payments, stores("snapshot_store_filter", "both", "fileSystemStore"), values{"label_filter": labels}))
		if warned := about(p, "No Snapshot Store"); len(p.Errors())+len(warned) > 0 {
			t.Errorf("%v: got %q %q", labels, p.Errors(), warned)
		}
		r.Configure()
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
