package putresource_test

import (
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Before a PUT of an object with a member that the provider does not know, the object is read twice.
func TestEmptyResponseToAReadIsNoSuccessOfAWrite(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	proxy.Service.SetRegion("NY_NJ", map[string]any{"ingestionEndpoint": "https://a.example.com", "restoreEndpoint": "https://b.example.com", "new": "text"})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.RegionType)
	if errors := r.ImportID("NY_NJ").Errors(); len(errors) > 0 {
		t.Fatal(errors)
	}
	p := r.Plan(providertest.Values{"deployment_id": "NY_NJ", "ingestion_endpoint": "https://c.example.com", "restore_endpoint": "https://b.example.com"})
	reads := 0
	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method == http.MethodGet {
			reads++
		}
		if reads == 2 && request.Method == http.MethodGet {
			w.WriteHeader(http.StatusOK)
			return
		}
		service.ServeHTTP(w, request)
	})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unable to Update Deployment Region", "empty")
}

// A mask that stays the same may be that of the secret before.
func TestEmptyResponseToAChangeOfASecretIsNoSuccessIfTheMaskStays(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, masking, false)
	s.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method != http.MethodPut { // which has no effect
			service.ServeHTTP(w, request)
		}
	})
	errors := s.Apply(s.Plan(s3Config(providertest.Values{"aws_secret_key": "c0rrect-new-key"})), nil).Errors()
	providertest.WantOne(t, errors, "Unable to Update S3 Blockstore", "it is empty")
}

// What only the response to a write has says nothing about reads.
func TestWhatOnlyTheResponseToAWriteHasIsNoDrift(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"uri", "writeConcern"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
			proxy.Handle(providertest.Rewrite(func(request *http.Request, store map[string]any) {
				if request.Method == http.MethodGet {
					delete(store, field)
				}
			}))
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
			config := s3Config()
			r.MustApply(config)
			r.MustBeSettled(config)
			loaded := providertest.With(config, providertest.Values{"load_factor": 9})
			r.MustApply(loaded)
			r.MustBeSettled(loaded)
		})
	}
}

// An empty text that Ops Manager returns, and that the plan saw, is no change.
func TestEmptyTextThatIsReturnedIsAsThePlanSawIt(t *testing.T) {
	t.Parallel()
	inBubble(t, emulator.Options{}, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		exists(s, map[string]any{"deploymentDescription": ""})
		r.ImportID("NEW")
		r.Configure()
		r.MustApply(region(providertest.Values{"deployment_description": "", "assignment_enabled": false}))
		r.Configure()
		if errors := r.Destroy().Errors(); len(errors) > 0 {
			t.Errorf("destroy: %q", errors)
		}
	})
}
