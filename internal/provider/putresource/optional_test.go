package putresource_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// These tests are about fields that a response lacks if they are not set. A PUT replaces the whole object, so it could
// put back what another client removed.

func TestFieldThatAnotherClientRemovedIsDriftAndNeverRestoredSilently(t *testing.T) {
	t.Parallel()
	for attribute, c := range map[string]struct {
		field  string
		value  any
		change values
	}{
		"num_workers": {"numWorkers", 4, values{"labels": []any{"west"}}},
		"labels":      {"labels", []any{"east"}, values{"num_workers": 5}},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				config := daemon(values{attribute: c.value})
				remove := func() { s.SetBackupDaemon(daemonHost, headDirectory, object{c.field: nil}) }
				isSet := func() bool {
					held := s.BackupDaemon(daemonHost, headDirectory)[c.field]
					list, isList := held.([]any)
					return held != nil && (!isList || len(list) > 0)
				}
				r.MustApply(config)
				changed := config.With(c.change)
				early := r.Plan(changed)
				remove()
				if errors := r.Apply(early).Errors(); !providertest.IsChangedSincePlan(errors) || isSet() {
					t.Errorf("an update of another field: %q, and set %v", errors, isSet())
				}
				for range 2 { // also after it was returned again
					r.MustRefresh()
					if got := r.Plan(changed).Changes(); !slices.Contains(got, attribute) {
						t.Errorf("the plan changes %q", got)
					}
					if r.MustApply(changed); !isSet() {
						t.Error("the apply did not set it")
					}
					remove()
				}
				r.MustRefresh()
				delete(changed, attribute)
				if r.MustApply(changed.With(values{"head_disk_type": "HDD"})); isSet() {
					t.Error("an update restored what is not configured")
				}
			})
		})
	}
}

// Another client removes a field after the first read, and before the request is repeated.
func TestFieldThatAnotherClientRemovesMeanwhileIsNotRestored(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	r := providertest.NewWorkspace(t, d.Service, values{"max_retries": 2}).NewResource(providertest.DaemonType)
	r.MustApply(daemon(values{"num_workers": 4, "labels": []any{"east"}}))
	p := r.Plan(daemon(values{"num_workers": 4, "labels": []any{"west"}}))
	isFirst := true
	d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method == http.MethodPut && isFirst {
			isFirst = false
			d.SetBackupDaemon(daemonHost, headDirectory, object{"numWorkers": nil})
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		service.ServeHTTP(w, request)
	})
	r.Apply(p).WantError(t, "changed since the plan: num_workers is not set")
	if held := d.BackupDaemon(daemonHost, headDirectory)["numWorkers"]; held != nil {
		t.Errorf("the update restored %v", held)
	}
}

// A PUT replaces the whole object, so it sends from the state what no response has ever had.
func TestFieldOfARegionThatOpsManagerNeverReturnsIsSentAndNamed(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				proxy := providertest.FaultProxyInMemory()
				proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, f.field) }))
				r := regionOn(t, proxy.Service)
				field, _, p := planBeside(r, f.field)
				r.Apply(p).WantWarning(t, "Values of Deployment Region NEW Not Returned", "\n  - "+f.attribute+" = ", "can't tell")
				providertest.WantLastSent(
					t, proxy.Service, "PUT",
					providertest.JSON(regionBody(object{"assignmentEnabled": true, field: "https://changed.example.com"})),
				)
			})
		})
	}
}

func TestFieldThatTheResponseToAnUpdateHasIsNotNamed(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Handle(providertest.Rewrite(func(request *http.Request, region object) {
		if request.Method != http.MethodPut {
			delete(region, "restoreEndpoint")
		}
	}))
	r := regionOn(t, proxy.Service)
	r.MustApply(region(nil))
	r.MustApply(region(values{"deployment_description": "Changed"})).WantNoWarnings(t)
}

// Ops Manager has returned the field before, so a response without it says that it is not set.
func TestChangedFieldThatOpsManagerRemovesIsAnError(t *testing.T) {
	t.Parallel()
	var ignores atomic.Bool
	s := providertest.StartFaultProxy(t)
	r := providertest.NewWorkspace(t, s.Service).NewResource(providertest.S3BlockstoreType)
	s.Handle(providertest.Rewrite(func(request *http.Request, store object) {
		isSent := request.Method == http.MethodPut || len(s.Calls(http.MethodPut)) > 0
		if ignores.Load() && isSent {
			delete(store, "writeConcern")
		}
	}))
	r.MustApply(s3Config(nil))
	ignores.Store(true)
	config := s3Config(values{"write_concern": "W2"})
	errors := r.Apply(r.Plan(config)).Errors()
	providertest.WantContains(t, strings.Join(errors, "\n"), "[write_concern] Ops Manager Adjusted the Value")
	providertest.WantAttributes(t, r, values{"write_concern": nil})
	ignores.Store(false)
	r.MustApply(config)
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["writeConcern"] != "W2" {
		t.Errorf("held %v", held)
	}
}
