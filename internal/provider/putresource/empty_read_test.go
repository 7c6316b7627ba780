package putresource_test

import (
	"net/http"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Before a PUT of an object with a member that the provider does not know, the object is read twice.
func TestEmptyResponseToAReadIsNoSuccessOfAWrite(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Service.SetRegion("NY_NJ", object{"ingestionEndpoint": "https://a.example.com", "restoreEndpoint": "https://b.example.com", "new": "text"})
	r := regionOn(t, proxy.Service)
	r.ImportID("NY_NJ").WantNoErrors(t)
	p := r.Plan(values{"deployment_id": "NY_NJ", "ingestion_endpoint": "https://c.example.com", "restore_endpoint": "https://b.example.com"})
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
	r.Apply(p).WantError(t, "Unable to Update Deployment Region", "empty")
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
	errors := s.Apply(s.Plan(s3Config(values{"aws_secret_key": "c0rrect-new-key"}))).Errors()
	providertest.WantOne(t, errors, "Unable to Update S3 Blockstore", "it is empty")
}

// What only the response to a write has says nothing about reads.
func TestWhatOnlyTheResponseToAWriteHasIsNoDrift(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"uri", "writeConcern"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
			proxy.Handle(providertest.Rewrite(func(request *http.Request, store object) {
				if request.Method == http.MethodGet {
					delete(store, field)
				}
			}))
			r := providertest.NewWorkspace(t, proxy.Service).NewResource(providertest.S3BlockstoreType)
			config := s3Config()
			r.MustApply(config)
			loaded := config.With(values{"load_factor": 9})
			r.MustApply(loaded)
		})
	}
}

// An empty text that Ops Manager returns, and that the plan saw, is no change.
func TestEmptyTextThatIsReturnedIsAsThePlanSawIt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		exists(s, object{"deploymentDescription": ""})
		r.ImportID("NEW")
		r.Configure()
		r.MustApply(region(values{"deployment_description": "", "assignment_enabled": false}))
		r.Destroy().WantNoErrors(t)
	})
}

// dropping drops the connection after each PUT, and otherwise does what a handler does.
func dropping(handler providertest.Handler) providertest.Handler {
	return func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method == http.MethodPut {
			providertest.DropAfter(w, request, service)
		}
		handler(w, request, service)
	}
}

// A refresh shows neither that a text was removed nor a value that no response has.
func TestRequestWithoutAResponseLeavesNothingInTheStateThatARefreshMayNotShow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		after     string
		leavesOut func(description any) bool
	}{
		"a removed text":                   {"", func(description any) bool { return description == "" }},
		"a value that no response has had": {"Newer", func(any) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t)
			leaveOut := providertest.Rewrite(func(_ *http.Request, region object) {
				if test.leavesOut(region["deploymentDescription"]) {
					delete(region, "deploymentDescription")
				}
			})
			proxy.Handle(leaveOut)
			r := regionOn(t, proxy.Service)
			config := region(values{"deployment_description": "New"})
			r.MustApply(config)
			p := r.Plan(region(values{"deployment_description": test.after}))
			proxy.Handle(dropping(leaveOut))
			r.Apply(p).WantError(t, "Unable to Update Deployment Region")
			proxy.Handle(leaveOut)
			r.MustRefresh()
			if got := r.Plan(config).Changes(); !slices.Contains(got, "deployment_description") {
				t.Errorf("the plan changes %q", got)
			}
			r.MustApply(config)
			if held := proxy.Region("NEW")["deploymentDescription"]; held != "New" {
				t.Errorf("held %v", held)
			}
		})
	}
}

// What reads after a request lack is not as an old response has it.
func TestOldResponseToAnUpdateDoesNotFillInWhatReadsLack(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := regionOn(t, proxy.Service)
	config := region(nil)
	r.MustApply(config)
	p := r.Plan(region(values{"restore_endpoint": "https://changed.example.com"}))
	isSent := false
	proxy.Handle(providertest.Rewrite(func(request *http.Request, region object) {
		switch {
		case request.Method == http.MethodPut:
			isSent, region["restoreEndpoint"] = true, config["restore_endpoint"]
		case isSent:
			delete(region, "restoreEndpoint")
		}
	}))
	r.Apply(p).WantError(t, "[restore_endpoint] Value Not Returned")
	r.MustRefresh()
	if got := r.Plan(config).Changes(); !slices.Contains(got, "restore_endpoint") {
		t.Errorf("the plan changes %q", got)
	}
}

// An empty text that responses leave out is configured, too.
func TestEmptyTextThatResponsesLeaveOutDoesNotPreventAnUpdate(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, region object) {
		if region["bqProxyEndpoint"] == "" {
			delete(region, "bqProxyEndpoint")
		}
	}))
	r := regionOn(t, proxy.Service)
	r.MustApply(region(nil))
	config := region(values{"bq_proxy_endpoint": ""})
	r.MustApply(config)
	r.MustApply(config.With(values{"deployment_description": "Changed"}))
}
