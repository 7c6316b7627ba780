package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestDocumentedProfileServesFourOperations(t *testing.T) {
	t.Parallel()
	const configs = inPayments + "/backupConfigs"
	const snapshots = inPayments + "/hosts/" + legacyHost + "/snapshots"
	const regions = "/admin/backup/backupDeployments"
	for _, test := range []struct {
		request, body string
		status        int
		allow         string
	}{
		{"PATCH " + schedulePath(payments, ledger), `{}`, 200, ""},
		{"GET " + configs, "", 200, ""},
		{"GET " + snapshots, "", 200, ""},
		{"DELETE " + regions + "/AU_NZ", "", 204, ""},

		{"GET " + schedulePath(payments, ledger), "", 405, "PATCH"},
		{"DELETE " + schedulePath(payments, ledger), "", 405, "PATCH"},
		{"POST " + configs, `{}`, 405, "GET"},
		{"DELETE " + snapshots, "", 405, "GET"},
		{"GET " + regions + "/NY_NJ", "", 405, "DELETE"},
		{"PUT " + regions + "/NY_NJ", `{}`, 405, "DELETE"},

		{"GET " + inPayments, "", 404, ""},
		{"GET /groups/byName/Payments", "", 404, ""},
		{"GET " + inPayments + "/clusters", "", 404, ""},
		{"GET " + inPayments + "/clusters/" + ledger, "", 404, ""},
		{"GET " + snapshotsOfLedger, "", 404, ""},
		{"GET " + configs + "/" + ledger, "", 404, ""},
		{"GET " + regions, "", 404, ""},
		{"POST " + regions, `{}`, 404, ""},
	} {
		t.Run(test.request, func(t *testing.T) {
			t.Parallel()
			c := start(t, emulator.Options{Profile: emulator.Documented})
			method, path, _ := strings.Cut(test.request, " ")
			got := c.do(method, path, test.body)
			switch test.status {
			case 404:
				got.refused(t, 404, "RESOURCE_NOT_FOUND")
			case 405:
				got.refused(t, 405, "")
			}
			if got.status != test.status || got.header.Get("Allow") != test.allow {
				t.Errorf("status %d, Allow %q, want %d, %q", got.status, got.header.Get("Allow"), test.status, test.allow)
			}
		})
	}
}

func TestUnknownRoutesCanReturnAPage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		routes       emulator.UnknownRoutes
		kind, begins string
	}{
		{emulator.GoText, "text/plain; charset=utf-8", "404 page not found\n"},
		{emulator.NginxPage, "text/html", "<html>\r\n<head><title>404 Not Found</title></head>"},
	} {
		c := start(t, emulator.Options{Profile: emulator.Documented, UnknownRoutes: test.routes})
		for _, call := range [][2]string{
			{http.MethodGet, "/admin/backup/backupDeployments/NY_NJ"}, // known with another method
			{http.MethodPost, "/admin/backup/backupDeployments"},
			{http.MethodGet, schedulePath(payments, ledger)},
		} {
			got := c.do(call[0], call[1], "")
			if got.status != 404 || got.header.Get("Content-Type") != test.kind || !strings.HasPrefix(got.body, test.begins) {
				t.Errorf("%s, %s: %d %q %q", test.routes, call, got.status, got.header.Get("Content-Type"), got.body)
			}
		}
		if got := c.patch(schedulePath(payments, ledger), "{}"); got.status != 200 {
			t.Errorf("%s: a documented operation returns %d", test.routes, got.status)
		}
		c.delete("/admin/backup/backupDeployments/NOWHERE").refused(t, 404, "BACKUP_DEPLOYMENT_NOT_FOUND")
	}
}

func TestUnknownPathsReturnResourceNotFound(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, path := range []string{
		"", "/", "/groups/", inPayments + "/users", "/groups//backupConfigs", inPayments + "/backupConfigs/",
		inPayments + "/BackupConfigs", schedulePath(payments, ledger) + "/more",
		"/admin/backup/backupDeployments/", "/admin/backup/backupDeployments/a/b",
		"/admin/backup/backupDeployments/.", "/admin/backup/backupDeployments/..", "/admin/backup/../backup/backupDeployments",
	} {
		got := c.get(path)
		got.refused(t, 404, "RESOURCE_NOT_FOUND")
	}
}

func TestPathsOutsideTheAPIReturnAPageWithoutAuthentication(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, path := range []string{"/", inPayments + "/backupConfigs", "/api/public/v1.0x/groups", "/api/public/v2.0/groups"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+path, nil)
		succeed(t, err)
		got, err := c.roundTrip(request)
		succeed(t, err)
		if got.status != 404 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, "<html>") {
			t.Errorf("%s: got %d %v %s", path, got.status, got.header, got.body)
		}
	}
	equal(t, c.service.Challenges(), 0)
}

func TestRequestsAreRecordedWithoutCredentials(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = "/admin/backup/backupDeployments/EU%2FWest%201"
	c.put(path+"?pretty=true", `{"not":"complete"}`)

	requests := c.service.Requests()
	if len(requests) != 2 || c.service.Challenges() != 1 {
		t.Fatalf("%d requests, %d challenges, want 2 and 1", len(requests), c.service.Challenges())
	}
	for i, want := range []emulator.Request{
		{Method: http.MethodPut, Path: path, Query: "pretty=true", Status: 401, Body: []byte{}, Challenged: true},
		{Method: http.MethodPut, Path: path, Query: "pretty=true", Status: 400, Body: []byte(`{"not":"complete"}`), Authenticated: true},
	} {
		got := requests[i]
		equal(t, got.Header.Get("Accept"), "application/json")
		if _, there := got.Header["Authorization"]; there {
			t.Errorf("request %d: Authorization is recorded", i)
		}
		got.Header = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("request %d: got %+v, want %+v", i, got, want)
		}
	}

	requests[1].Body[0], requests[1].Status = 'x', 0
	requests[1].Header.Set("Accept", "changed")
	if again := c.service.Requests()[1]; again.Body[0] != '{' || again.Status != 400 || again.Header.Get("Accept") == "changed" {
		t.Error("Requests did not return a copy")
	}

	c.service.ResetRequests()
	if len(c.service.Requests()) != 0 || c.service.Challenges() != 0 {
		t.Error("requests or challenges were not reset")
	}
}

func TestTooLargeBodyIsRejected(t *testing.T) {
	t.Parallel()
	c := start(t)
	recorder := httptest.NewRecorder()
	c.service.ServeHTTP(recorder, httptest.NewRequest(http.MethodPatch, emulator.BasePath+"/", strings.NewReader(strings.Repeat(" ", 16<<20+1))))
	equal(t, recorder.Code, http.StatusRequestEntityTooLarge)
}

func TestNewPanicsOnInvalidOptions(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{
		"profile":   {Profile: "empty"},
		"routes":    {UnknownRoutes: "apache"},
		"challenge": {Challenge: "basic"},
		"page":      {MaxItemsPerPage: -1},
		"seed":      {Seed: &emulator.Seed{Projects: []emulator.Project{{ID: "1"}}}},
	} {
		panics(t, name, func() { emulator.New(options) })
	}
}
