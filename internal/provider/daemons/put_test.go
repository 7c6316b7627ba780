package daemons_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// newer is what a newer version of Ops Manager adds to an object.
var newer = map[string]any{"newSetting": map[string]any{"mode": "x", "limits": []any{1.0, "y"}}}

func TestUpdateKeepsTheSettingsThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
	s.SetBackupDaemon(unused, headRoot, newer)
	s.SetBackupDaemon(unused, headRoot, map[string]any{"machine": map[string]any{"zone": "z"}, "labels": []any{"old"}, "assignmentEnabled": true})
	r.MustApply(daemon(unused, providertest.Values{"labels": []any{"east"}}))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "machine": {"zone": "z", "machine": "om-au.example.com", "headRootDirectory": "/data/backup/"},
		"configured": true, "assignmentEnabled": true, "backupJobsEnabled": true, "garbageCollectionEnabled": true, "resourceUsageEnabled": false,
		"restoreQueryableJobsEnabled": false, "labels": ["east"]}`)

	s, r = providertest.StartResource(t, providertest.JobConfigType, emulator.Options{})
	s.SetJobConfig(payments, newer)
	s.SetJobConfig(payments, map[string]any{"daemonFilter": []any{map[string]any{"machine": inUse, "weight": 2.0}}})
	r.MustApply(jobConfig(payments, byLabel))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "labelFilter": ["east"], "daemonFilter": [{"machine": "om-ny.example.com", "weight": 2}]}`)
	r.MustApply(jobConfig(payments, providertest.Values{"daemon_filter": []any{daemon(unused), providertest.Values{"machine": inUse}}}))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "labelFilter": ["east"],
		"daemonFilter": [{"machine": "om-au.example.com", "headRootDirectory": "/data/backup/"}, {"machine": "om-ny.example.com", "weight": 2}]}`)
	r.Configure()
	if errors := r.Destroy().Errors(); len(errors) > 0 {
		t.Errorf("destroy: %q", errors)
	}
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "labelFilter": []}`)
}

// Leaving them out would reset what someone has set.
func TestSettingsThatOpsManagerReturnsAndRejectsPreventAChange(t *testing.T) {
	t.Parallel()
	options := emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: true}}
	s, r := providertest.StartResource(t, providertest.DaemonType, options)
	s.SetBackupDaemon(unused, headRoot, newer)
	diags := r.Apply(r.Plan(daemon(unused, providertest.Values{"labels": []any{"east"}})), nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Configure Backup Daemon", "400 Bad Request", "newSetting")

	s, r = providertest.StartResource(t, providertest.JobConfigType, options)
	s.SetJobConfig(payments, newer)
	diags = r.Apply(r.Plan(jobConfig(payments, byLabel)), nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Create Backup Job Configuration", "400 Bad Request", "newSetting")
	if held := s.JobConfig(payments); held["newSetting"] == nil {
		t.Errorf("the service holds %v", held)
	}
}

// A PUT may store the mask of a secret.
func TestMaskOfASettingThatTheProviderDoesNotKnowIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, masked := range map[string]map[string]any{
		"a mask":               {"newSetting": map[string]any{"mode": "[REDACTED]"}},
		"another mask":         {"newSetting": []any{"<hidden>"}},
		"the name of a secret": {"newSetting": map[string]any{"token": "5f2a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
			s.SetBackupDaemon(unused, headRoot, masked)
			p := r.Plan(daemon(unused, providertest.Values{"labels": []any{"east"}}))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "newSetting", "newer version")
			providertest.WantWrites(t, s)

			s, r = providertest.StartResource(t, providertest.JobConfigType, emulator.Options{})
			s.SetJobConfig(payments, masked)
			p = r.Plan(jobConfig(payments, byLabel))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "newSetting", "newer version")
			providertest.WantWrites(t, s)
		})
	}
}

// A proxy may answer with an empty success for Ops Manager.
func TestEmptySuccessOfAPutIsConfirmedByARead(t *testing.T) {
	t.Parallel()
	for _, isApplied := range []bool{false, true} {
		t.Run(fmt.Sprintf("applied %t", isApplied), func(t *testing.T) {
			t.Parallel()
			empty := providertest.Fault{Handler: func(w http.ResponseWriter, r *http.Request, service http.Handler) {
				if isApplied {
					service.ServeHTTP(httptest.NewRecorder(), r)
				}
				w.WriteHeader(http.StatusNoContent)
			}}
			for _, test := range []struct {
				typeName              string
				config, change, other providertest.Values
			}{
				{providertest.JobConfigType, jobConfig(analytics), byLabel, providertest.Values{"label_filter": []any{"b"}}},
				{providertest.DaemonType, daemon(unused), providertest.Values{"labels": []any{"east"}}, providertest.Values{"labels": []any{}}},
			} {
				proxy := providertest.StartFaultProxy(t, emulator.Options{})
				r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(test.typeName)
				check := func(p *providertest.Plan) {
					t.Helper()
					before := r.State
					proxy.Inject(empty, http.MethodPut, 0, false)
					r.Configure()
					errors := r.Apply(p, nil).Errors()
					switch {
					case proxy.Hits() == 0:
						t.Fatal("no PUT was sent")
					case isApplied && len(errors) > 0:
						t.Errorf("%s: %q", test.typeName, errors)
					case !isApplied:
						providertest.WantOne(t, errors, "it is empty", "The change may have taken effect")
						if !r.State.Equal(before) {
							t.Errorf("%s: the state changed", test.typeName)
						}
					}
					proxy.Clear(t)
					r.Configure()
				}
				config := providertest.With(test.config, test.change)
				check(r.Plan(config))
				r.MustApply(config)
				check(r.Plan(providertest.With(test.config, test.other)))
				r.Configure()
				if test.typeName == providertest.JobConfigType {
					check(r.Plan(nil))
				}
			}
		})
	}
}

// The plan could not see that the same run manages an object that a destroy ends, because the ID in the
// other resource was not known. So they take turns.
func TestObjectOfADestroyThatAnotherResourceAdoptsStaysManaged(t *testing.T) {
	t.Parallel()
	for typeName, test := range map[string]struct {
		config providertest.Values
		late   string
		method string // of the request of the destroy
	}{
		providertest.JobConfigType: {jobConfig(payments, byLabel), "project_id", http.MethodPut},
		providertest.DaemonType:    {daemon(unused, providertest.Values{"on_destroy": "delete"}), "machine", http.MethodDelete},
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			s, old := providertest.StartResource(t, typeName, emulator.Options{})
			adopting := old.NewResource(typeName)
			old.MustApply(test.config)
			p, q := old.Plan(nil), adopting.Plan(providertest.With(test.config, providertest.Values{test.late: providertest.Unknown}))
			old.Configure()                                               // Terraform starts one process for the apply of both
			old.MustRead(t, "opsmanager_projects", providertest.Values{}) // with a first challenge, all requests wait
			s.Inject(emulator.Fault{Method: test.method, Delay: time.Second})
			sent := len(s.Requests())
			var group sync.WaitGroup
			group.Go(func() { wantNoErrors(t, old.Apply(p, nil)) })
			providertest.Await(t, "the destroy", func() bool { return len(s.Requests()) > sent })
			s.StartBackupDaemon(unused, 0) // the process registers again
			wantNoErrors(t, adopting.Apply(q, providertest.Values{test.late: test.config[test.late]}))
			group.Wait()
			adopting.MustBeSettled(test.config)
		})
	}
}

// A PUT replaces the whole object, so without turns, one change would undo the other.
func TestTwoResourcesOfARunKeepEachOthersFields(t *testing.T) {
	t.Parallel()
	for typeName, test := range map[string]struct {
		config        providertest.Values
		first, second []providertest.Values // a creation and an update
	}{
		providertest.JobConfigType: {
			jobConfig(payments), []providertest.Values{byLabel, {"label_filter": []any{"west"}}},
			[]providertest.Values{{"daemon_filter": []any{daemon(inUse)}}, {"daemon_filter": []any{daemon(unused)}}},
		},
		providertest.DaemonType: {
			daemon(unused), []providertest.Values{{"labels": []any{"north"}}, {"labels": []any{"west"}}},
			[]providertest.Values{{"num_workers": 2}, {"num_workers": 3}},
		},
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			s, a := providertest.StartResource(t, typeName, emulator.Options{})
			b := a.NewResource(typeName)
			for i := range test.first {
				first, second := providertest.With(test.config, test.first[i]), providertest.With(test.config, test.second[i])
				a.Configure()
				p, q := a.Plan(first), b.Plan(second)
				a.Configure() // Terraform starts one process for the apply of both
				s.Inject(emulator.Fault{Method: http.MethodPut, Times: 2, Delay: 200 * time.Millisecond})
				var group sync.WaitGroup
				group.Go(func() { wantNoErrors(t, a.Apply(p, nil)) })
				group.Go(func() { wantNoErrors(t, b.Apply(q, nil)) })
				group.Wait()
				s.ClearFaults()
				a.MustBeSettled(first)
				b.MustBeSettled(second)
			}
		})
	}
}

func wantNoErrors(t *testing.T, diags providertest.Diagnostics) {
	t.Helper()
	if errors := diags.Errors(); len(errors) > 0 {
		t.Errorf("got %q", errors)
	}
}
