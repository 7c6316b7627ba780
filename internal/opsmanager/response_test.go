package opsmanager_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestRawReturnsResponsesAsTheyAre(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	response, err := client.Raw(t.Context(), http.MethodGet, url.Values{"itemsPerPage": {"1"}}, nil, "groups")
	succeed(t, err)
	equal(t, "status", response.Status, 200)
	equal(t, "failure", response.Failure, nil)
	equal(t, "body", strings.Contains(string(response.Body), `"totalCount":2`), true)
	equal(t, "header", response.Header.Get("X-MongoDB-Service-Version") != "", true)
	response, err = client.Raw(t.Context(), http.MethodGet, nil, nil, "groups", nowhere)
	succeed(t, err)
	equal(t, "status", response.Status, 404)
	equal(t, "body", strings.Contains(string(response.Body), "GROUP_NOT_FOUND"), true)
	equal(t, "failure", response.Failure.Path+" "+response.Failure.Code, "/groups/"+nowhere+" GROUP_NOT_FOUND")

	service.Inject(emulator.Fault{Status: 503})
	response, err = client.Raw(t.Context(), http.MethodGet, nil, nil, "groups")
	succeed(t, err)
	equal(t, "status of a GET, which is tried again", response.Status, 200)
	service.Inject(emulator.Fault{Status: 503})
	body := map[string]any{"statusName": opsmanager.StatusStopped}
	response, err = client.Raw(t.Context(), http.MethodPatch, nil, body, "groups", payments, "backupConfigs", ledger)
	succeed(t, err)
	equal(t, "status of a PATCH, which is not", response.Status, 503)
	_, err = client.Raw(t.Context(), http.MethodGet, nil, nil, "groups", "..")
	fails(t, "a path that leads elsewhere", err, "cannot be an ID")
}

func TestAWrappingTransportSeesAndRefusesRequestsBelowDigest(t *testing.T) {
	t.Parallel()
	var seen []string
	client, service := emulate(t, func(c *opsmanager.Config) {
		c.Wrap = func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
				seen = append(seen, strings.TrimSpace(r.Method+" "+scheme))
				if r.Method != http.MethodGet {
					return nil, opsmanager.ErrReadOnly
				}
				return next.RoundTrip(r)
			})
		}
	})
	if _, err := client.ListProjects(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := client.UpdateBackupConfig(t.Context(), payments, ledger, opsmanager.BackupConfigChange{SSLEnabled: new(false)})
	if !errors.Is(err, opsmanager.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	if got := strings.Join(seen, ", "); got != "GET, GET Digest, PATCH Digest" {
		t.Errorf("saw %s", got)
	}
	if got := service.Requests(); len(got) != 2 {
		t.Errorf("got %d requests", len(got))
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
