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
