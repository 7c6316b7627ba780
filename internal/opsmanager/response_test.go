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
	if err != nil || response.Status != 200 || response.Failure != nil || !strings.Contains(string(response.Body), `"totalCount":2`) ||
		response.Header.Get("X-MongoDB-Service-Version") == "" {
		t.Errorf("got %+v, %v", response, err)
	}
	response, err = client.Raw(t.Context(), http.MethodGet, nil, nil, "groups", nowhere)
	if err != nil || response.Status != 404 || !strings.Contains(string(response.Body), "GROUP_NOT_FOUND") {
		t.Errorf("got %+v, %v", response, err)
	}
	if f := response.Failure; f == nil || f.Status != 404 || f.Code != "GROUP_NOT_FOUND" || f.Path != "/groups/"+nowhere || !f.Document {
		t.Errorf("got %v", f)
	}

	service.Inject(emulator.Fault{Status: 503})
	if response, err = client.Raw(t.Context(), http.MethodGet, nil, nil, "groups"); err != nil || response.Status != 200 {
		t.Errorf("a GET is not tried again: got %+v, %v", response, err)
	}
	service.Inject(emulator.Fault{Status: 503})
	body := map[string]any{"statusName": opsmanager.StatusStopped}
	response, err = client.Raw(t.Context(), http.MethodPatch, nil, body, "groups", payments, "backupConfigs", ledger)
	if err != nil || response.Status != 503 || service.BackupConfig(payments, ledger)["statusName"] != "STARTED" {
		t.Errorf("a PATCH is tried again: got %+v, %v", response, err)
	}
	if _, err = client.Raw(t.Context(), http.MethodGet, nil, nil, "groups", ".."); err == nil {
		t.Error("a path can lead elsewhere")
	}
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
