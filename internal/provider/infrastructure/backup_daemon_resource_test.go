package infrastructure_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	oldest = "7.0.0"
	newest = emulator.NewestVersion
)

var bothVersions = []string{oldest, newest}

// startDaemon starts a service, and returns a daemon on it without a state.
func startDaemon(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResource(t, providertest.DaemonType, options...)
}

func TestDaemonIsWaitedForAndConfigured(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, bothVersions, func(t *testing.T, version string) {
		for name, unknowns := range map[string]emulator.Unknowns{
			"as documented": {}, "no code": {MissingDaemonHasNoCode: true}, "unconfigured daemons are returned": {ReturnsUnconfiguredDaemons: true},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, r := startDaemon(t, emulator.Options{ServiceVersion: version, Unknowns: unknowns})
				r.MustApply(daemon(starting, values{"assignment_enabled": true, "labels": []any{"b", "a"}}))
				providertest.WantLastSent(t, s, "PUT", `{
					"machine": {"machine": "om-new.example.com", "headRootDirectory": "/data/backup/"},
					"configured": true, "assignmentEnabled": true, "labels": ["a", "b"], "backupJobsEnabled": true,
					"garbageCollectionEnabled": true, "resourceUsageEnabled": true, "restoreQueryableJobsEnabled": true
				}`)
				if puts := s.Calls("PUT"); !slices.Contains(puts, "PUT /admin/backup/daemon/configs/om-new.example.com") {
					t.Errorf("called %q", puts)
				}
				providertest.WantAttributes(t, r, values{"configured": true, "backup_jobs_enabled": true})
			})
		}
	})
}

func TestDaemonThatNeverRegistersIsAnErrorWithItsMachine(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := providertest.StartResourceInMemory(t, providertest.DaemonType)
		p := r.Plan(daemon("om-typo.example.com", values{"timeouts": values{"create": "1s"}}))
		p.WantWarning(t, "[machine]", "Backup Daemon on om-typo.example.com Has Not Registered", "wait to be configured: "+unconfigured)
		began := time.Now()
		diags := r.Apply(p)
		diags.WantError(t, `[machine]`, "Backup Daemon Not Registered", "om-typo.example.com", "wait to be configured: "+unconfigured, "timeouts.create")
		if waited := time.Since(began); waited < time.Second || waited > 10*time.Second {
			t.Errorf("waited %s", waited)
		}
		providertest.WantNoState(t, r)
		s.StartBackupDaemon("om-typo.example.com", 1)
		r.Configure()
		r.MustApply(daemon("om-typo.example.com"))
	})
}

func TestAnotherHeadDirectoryNeverReconfiguresADaemon(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, bothVersions, func(t *testing.T, version string) {
		s, r := startDaemon(t, emulator.Options{ServiceVersion: version})
		s.SetBackupDaemon(inUse, headRoot, object{"backupJobsEnabled": false}) // which lists leave out by default
		mistyped := values{"head_root_directory": "/data/bakup/", "labels": []any{"typo"}}
		r.Plan(daemon(inUse, mistyped)).WantError(t, "[head_root_directory]", "Machine Has a Different Head Directory", "configured with "+headRoot)

		const later = "om-later.example.com"
		p := r.Plan(daemon(later, mistyped))
		p.WantNoErrors(t)
		s.SetBackupDaemon(later, headRoot, nil) // meanwhile
		r.Apply(p).WantError(t, "[head_root_directory]", "Machine Has a Different Head Directory", "configured with "+headRoot)
		providertest.WantNoState(t, r)
		providertest.WantWrites(t, s)
	})
}

// The first request replaces what the list has of a daemon that is not configured.
func TestFirstConfigurationKeepsWhatOpsManagerHasOfTheDaemon(t *testing.T) {
	t.Parallel()
	s, r := startDaemon(t)
	s.SetBackupDaemon(
		unconfigured, "",
		object{"assignmentEnabled": false, "backupJobsEnabled": false, "labels": []any{"west"}, "numWorkers": 3.0, "newSetting": "a"},
	)
	r.MustApply(daemon(unconfigured, values{"backup_jobs_enabled": true, "num_workers": 4}))
	providertest.WantLastSent(t, s, "PUT", `{
		"machine": {"machine": "om-eu.example.com", "headRootDirectory": "/data/backup/"},
		"configured": true, "assignmentEnabled": false, "backupJobsEnabled": true, "garbageCollectionEnabled": true,
		"resourceUsageEnabled": true, "restoreQueryableJobsEnabled": true, "labels": ["west"], "numWorkers": 4, "newSetting": "a"
	}`)
	providertest.WantAttributes(t, r, values{"assignment_enabled": false, "labels": []any{"west"}})
}

func TestMachineIsConfiguredForOneDirectoryUnderItsOwnName(t *testing.T) {
	t.Parallel()
	s, r := startDaemon(t)
	r.Plan(daemon(strings.ToUpper(unconfigured))).WantError(t, "[machine]", "Different Spelling", unconfigured)
	other := r.NewResource(providertest.DaemonType)
	for _, machine := range []string{unconfigured, "om-later.example.com"} {
		r.Configure()
		p := r.Plan(daemon(machine))
		p.WantNoErrors(t)
		other.Plan(daemon(machine, values{"head_root_directory": "/data/second/"})).WantError(t, "[machine]", "Machine in Two Resources", headRoot)
	}
	// Between the plan and the apply, someone configures it.
	r.Configure()
	p := r.Plan(daemon(unconfigured))
	s.Inject(emulator.Fault{Path: "/daemon/configs/" + unconfigured, Status: http.StatusNotFound}) // an old response
	s.SetBackupDaemon(unconfigured, headRoot, nil)
	r.Apply(p).WantError(t, "Unable to Create Backup Daemon", "404")
	providertest.WantWrites(t, s)
}

func TestWaitForADaemonEndsWithTheRun(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := providertest.StartResourceInMemory(t, providertest.DaemonType)
		p := r.Plan(daemon("nowhere.example.com"))
		ctx, interrupt := context.WithCancel(t.Context())
		r.Context = ctx
		time.AfterFunc(50*time.Millisecond, interrupt)
		r.Apply(p).WantError(t, "interrupted")
		providertest.WantNoState(t, r)
	})
}

func TestPlanOfADeletionSaysThatTheDaemonRegistersAgain(t *testing.T) {
	t.Parallel()
	_, r := startDaemon(t)
	r.MustApply(daemon(unused, values{"on_destroy": "delete"}))
	warnings := r.Plan(nil).Warnings()
	providertest.WantOne(t, warnings, "Backup Daemon "+unused+"|/data/backup/ Will Be Deleted", "registers again", "may still manage it")
	if strings.Contains(warnings[0], "After a refusal") {
		t.Errorf("the deletion of a daemon is not tried again: %s", warnings[0])
	}
}

func TestDaemonInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	_, r := startDaemon(t)
	r.MustApply(daemon(inUse, values{"on_destroy": "delete"}))
	r.Destroy().WantError(t, "Unable to Delete Backup Daemon", "no backup is bound to it", "terminate them")
}

func TestInvalidDaemonIsAnErrorOfThePlanOnItsAttribute(t *testing.T) {
	t.Parallel()
	for attribute, invalid := range map[string][]any{
		"head_root_directory": {
			"/data/backup", "", "/data/../backup/", "/", " /data/", "/data/ ", `C:\data/`, "C:/data/", "data/", "~/data/",
		}, "machine": {"", "..", "a/../b"},
		"head_disk_type": {"ssd"}, "num_workers": {0, 1.5}, "labels": {[]any{""}, []any{"a", "a"}}, "on_destroy": {"forget"},
	} {
		for _, value := range invalid {
			s, r := startDaemon(t)
			errors := r.Plan(daemon(inUse, values{attribute: value})).Errors()
			if len(errors) == 0 || !strings.Contains(errors[0], "["+attribute+"]") {
				t.Errorf("%s = %v: %q", attribute, value, errors)
			}
			providertest.WantWrites(t, s)
		}
	}
	_, r := startDaemon(t)
	r.Plan(daemon(inUse, values{"head_root_directory": "/data/backup"})).WantError(
		t, "Invalid Head Directory", "must end with a slash", `Write "/data/backup/"`,
	)
	r.Plan(daemon(starting, values{"head_root_directory": "/data/with blanks/"})).WantNoErrors(t)
	s, r := startDaemon(t)
	s.SetBackupDaemon("om-odd.example.com", "/headdb", object{"configured": true, "headDiskType": "NVME", "numWorkers": 0})
	r.MustApply(daemon("om-odd.example.com", values{"head_root_directory": "/headdb", "head_disk_type": "NVME", "num_workers": 0}))
	providertest.WantWrites(t, s) // the server has all of that
}

func TestDaemonsAreListedByMachineAndHeadDirectory(t *testing.T) {
	t.Parallel()
	s, r := startDaemon(t)
	s.SetBackupDaemon("om-odd.example.com", "/no/slash", nil)
	s.SetBackupDaemon(inUse, "/data/another/", nil)
	listed, leftOut := providertest.Listing(r.Query(providertest.DaemonType, nil, true, 100))
	providertest.WantEach(t, leftOut, []string{"Backup Daemon om-eu.example.com Not Listed", "never configured"})
	if names, want := providertest.Names(listed), []string{
		unused + "|" + headRoot, inUse + "|/data/another/", inUse + "|" + headRoot,
		"om-odd.example.com|/no/slash",
	}; !slices.Equal(names, want) {
		t.Fatalf("listed %q, want %q", names, want)
	}
	r.State = listed[2].Resource
	providertest.WantAttributes(
		t, r,
		values{"machine": inUse, "head_root_directory": headRoot, "num_workers": 6, "labels": []any{"east", "production"}, "on_destroy": nil},
	)
	r.State = r.Null()
	r.ImportIdentity(listed[2].Identity).WantNoErrors(t)
}

// Ops Manager sometimes answers a request for a machine that is not registered with an empty 404, or with
// one without a code. Then the list decides.
func TestNotFoundWithoutACodeCountsIfTheListLacksTheDaemon(t *testing.T) {
	t.Parallel()
	for _, unknowns := range []emulator.Unknowns{{MissingDaemonHasNoBody: true}, {MissingDaemonHasNoCode: true}, {ReturnsUnconfiguredDaemons: true}} {
		s, r := startDaemon(t, emulator.Options{Unknowns: unknowns})
		s.StartBackupDaemon(starting, 6)
		r.MustApply(daemon(starting))
		s.RemoveBackupDaemon(starting, headRoot)
		s.StartBackupDaemon(starting, 0)
		r.MustRefresh()
		providertest.WantNoState(t, r)
	}

	s, r := startDaemon(t)
	fault := emulator.Fault{Method: http.MethodGet, Path: "/daemon/configs/om", Status: http.StatusNotFound, Times: -1}
	p := r.Plan(daemon(unused, values{"labels": []any{"east"}}))
	s.Inject(fault)
	r.Apply(p).WantError(t, "Unable to Create Backup Daemon", "404")
	r.Plan(daemon(unused)).WantError(t, "Unable to Preview Backup Daemon", "404")
	s.ClearFaults()
	r.MustApply(daemon(unused))
	s.Inject(fault)
	r.Configure()
	before := r.State
	r.Refresh().WantError(t, "Unable to Read Backup Daemon", "404")
	if !r.State.Equal(before) {
		t.Error("an empty 404 changed the state")
	}
	providertest.WantWrites(t, s)

	// A page comes from a proxy.
	s, r = startDaemon(t)
	fault.Body = "<html>Not found</html>"
	s.Inject(fault)
	r.Plan(daemon(starting)).WantError(t, "Unable to Preview Backup Daemon", "404")
}
