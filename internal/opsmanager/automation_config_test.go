package opsmanager_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// automation is a server with the automation configuration of one project.
type automation struct {
	document string
	onPut    http.HandlerFunc // in place of a success

	mu   sync.Mutex
	puts []string
}

// sent returns the bodies of the PUTs.
func (a *automation) sent() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.puts)
}

func (a *automation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodGet {
		answerOK(w, a.document)
		return
	}
	a.mu.Lock()
	a.puts = append(a.puts, string(body))
	a.mu.Unlock()
	if a.onPut != nil {
		a.onPut(w, r)
	}
}

const automationDocument = "\n{ \"version\" : 41, \"x\": 1000.0, \"x\":1e3 , \"secret\":\"h\\u0034nter2\" }\n"

// activate reads the automation configuration, and adds the module of a host.
func activate(ctx context.Context, c *opsmanager.Client, host string) error {
	config, err := c.AutomationConfig(ctx, payments)
	if err != nil {
		return err
	}
	changed, err := config.WithBackupModules([]string{host}, nil)
	if err != nil {
		return err
	}
	return c.UpdateAutomationConfig(ctx, payments, changed)
}

func TestAutomationConfigurationIsSentBackByteByByte(t *testing.T) {
	t.Parallel()
	a := &automation{document: automationDocument}
	client := serve(t, a.ServeHTTP)
	config, err := client.AutomationConfig(t.Context(), payments)
	succeed(t, err)
	equal(t, "version", config.Version(), 41)
	succeed(t, activate(t.Context(), client, "db1"))
	equal(
		t, "sent", fmt.Sprintf("%q", a.sent()),
		fmt.Sprintf("%q", []string{strings.Replace(automationDocument, " }\n", `,"backupVersions":[{"hostname":"db1"}]`+" }\n", 1)}),
	)
}

func TestDigestResponseInTheDocumentIsNotRedacted(t *testing.T) {
	t.Parallel()
	var sent string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", `Digest realm="MMS Public API", nonce="n", algorithm=MD5, qop="auth"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodPut {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
			return
		}
		_, response, _ := strings.Cut(r.Header.Get("Authorization"), `response="`)
		answerOK(w, `{"version":1,"hash":"`+response[:32]+`"}`)
	})
	succeed(t, activate(t.Context(), client, "db1"))
	if strings.Contains(sent, "…") || len(sent) != len(`{"version":1,"hash":"","backupVersions":[{"hostname":"db1"}]}`)+32 {
		t.Errorf("sent %s", sent)
	}
}

// The document may have changed by the time of a second attempt, so nothing sends a PUT again.
func TestAutomationConfigurationIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		onPut       http.HandlerFunc
		isTemporary bool
	}{
		"429": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, true},
		"502": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, false},
		"503": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, true},
		"an upgrade": {func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusMethodNotAllowed, "application/json", `{"error":405,"errorCode":"WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"}`)
		}, true},
		"a conflict": {func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusConflict, "application/json", `{"error":409,"errorCode":"AUTOMATION_CONFIG_CONCURRENT_MODIFICATION"}`)
		}, false},
		"a closed connection": {func(_ http.ResponseWriter, r *http.Request) { drop(r) }, false},
		"an error document in a success": {func(w http.ResponseWriter, _ *http.Request) {
			answerOK(w, `{"error":500,"errorCode":"UNEXPECTED_ERROR"}`)
		}, false},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, "text/html", `<html><title>Sign in</title></html>`)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &automation{document: automationDocument, onPut: test.onPut}
			e := wantError(t, activate(t.Context(), serve(t, a.ServeHTTP), "db1"))
			equal(t, "requests", len(a.sent()), 1)
			equal(t, "attempts", e.Attempts <= 1, true)
			equal(t, "role", e.Role, opsmanager.ProjectAutomationAdmin)
			equal(t, "temporary", opsmanager.IsTemporary(e), test.isTemporary)
		})
	}
	t.Run("no connection", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(&automation{document: automationDocument})
		t.Cleanup(server.Close)
		config, err := newClient(t, server.URL).AutomationConfig(t.Context(), payments)
		succeed(t, err)
		untrusted := httptest.NewTLSServer(&automation{})
		untrusted.Config.ErrorLog = log.New(io.Discard, "", 0) // a failed handshake is expected
		t.Cleanup(untrusted.Close)
		e := wantError(t, newClient(t, untrusted.URL).UpdateAutomationConfig(t.Context(), payments, config))
		equal(t, "temporary, without trust", opsmanager.IsTemporary(e), false)
		e = wantError(t, newClient(t, closed).UpdateAutomationConfig(t.Context(), payments, config))
		equal(t, "attempts", e.Attempts, 1)
		equal(t, "temporary", opsmanager.IsTemporary(e), true)
	})
}

func TestEachSuccessOfAnUpdateOfTheAutomationConfigurationIsAccepted(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{}", "null", `{"version":42}`, automationDocument} {
		a := &automation{document: automationDocument, onPut: func(w http.ResponseWriter, _ *http.Request) {
			answer(
				w, http.StatusOK, "application/json", body,
			)
		}}
		if err := activate(t.Context(), serve(t, a.ServeHTTP), "db1"); err != nil {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// Ops Manager quotes the document in its refusals.
func TestErrorsQuoteNothingOfAnAutomationConfiguration(t *testing.T) {
	t.Parallel()
	const secret = "h4nter2"
	for _, response := range []struct {
		status            int
		kind, body, wants string
	}{
		{
			400, "application/json",
			`{"error":400,"errorCode":"INVALID_ATTRIBUTE","detail":"Invalid config: h4nter2","reason":"h4nter2","parameters":["h4nter2"]}`,
			"400 Bad Request (INVALID_ATTRIBUTE)",
		},
		{400, "application/json", `{"error":400,"errorCode":"h4nter2","detail":"x"}`, "400 Bad Request"},
		{400, "application/json", `{"error":400,"detail":"Invalid config: h4nter2"}`, "400 Bad Request"},
		{400, "application/json", `{"key":"h4nter2"}`, "400 Bad Request: the response was application/json"},
		{500, "text/html", `<html><title>h4nter2</title>h4nter2</html>`, "500 Internal Server Error: the response was text/html"},
		{502, "text/html", `<title>hunter</title>`, "502 Bad Gateway: the response was text/html"},
		{200, "text/html", `<html><title>h4nter2</title>h4nter2</html>`, "the response is not the JSON that the API documents"},
		{200, "application/json", `{"error":400,"errorCode":"H4NTER","detail":"h4nter2"}`, "200, with an error document: 400"},
		{200, "application/json", `{"key":"h4nter2"`, "the response is not the JSON that the API documents"},
		{302, "text/plain", "", "302 Found"},
		{401, "text/plain", "h4nter2", "401 Unauthorized"},
	} {
		var log bytes.Buffer
		respond := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://om.example.com/h4nter2?h4nter2=h4nter2")
			if response.status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `h4nter2 realm="h4nter2"`)
			}
			answer(w, response.status, response.kind, response.body)
		}
		logged := func(c *opsmanager.Config) {
			c.Log = func(_ context.Context, message string, fields ...map[string]any) { fmt.Fprintln(&log, message, fields) }
		}
		a := &automation{document: automationDocument, onPut: respond}
		e := wantError(t, activate(t.Context(), serve(t, a.ServeHTTP, logged), "db1"))
		_, err := serve(t, respond, logged, retries(0)).AutomationConfig(t.Context(), payments)
		read := wantError(t, err)
		for _, e := range []*opsmanager.Error{e, read} {
			if text := fmt.Sprintf("%v %+v %#v", e, *e, e.Err) + log.String(); strings.Contains(text, secret) || strings.Contains(text, "H4NTER") ||
				strings.Contains(text, "hunter") {
				t.Errorf("%s: %s", response.body, text)
			}
			if !strings.Contains(e.Error(), response.wants) {
				t.Errorf("%s: got %q, want %q", response.body, e, response.wants)
			}
		}
	}
}

func TestLargeAutomationConfigurationIsRead(t *testing.T) {
	t.Parallel()
	versions := strings.Repeat(`{"x":[]},`, 200_000) // more elements than any other response may have
	for size, fails := range map[int]bool{2 << 20: false, 23 << 20: true} {
		document := `{"version":1,"mongoDbVersions":[` + versions + `{}],"x":"` + strings.Repeat("x", size) + `"}`
		a := &automation{document: document}
		config, err := serve(t, a.ServeHTTP).AutomationConfig(t.Context(), payments)
		if fails != (err != nil) {
			t.Errorf("%d bytes: %v %v", len(document), config, err)
		}
	}
}

func TestMissingAutomationConfigurationSaysSo(t *testing.T) {
	t.Parallel()
	_, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, "application/json", `{"error":404,"errorCode":"AUTOMATION_CONFIG_NOT_FOUND","detail":"x","reason":"Not Found"}`)
	}).AutomationConfig(t.Context(), payments)
	equal(t, "missing", opsmanager.IsMissing(err, opsmanager.ObjectAutomationConfig), true)
}

func TestAgentsAreListedWithTheDateOfTheServer(t *testing.T) {
	t.Parallel()
	var path string
	for date, want := range map[string]time.Time{"Fri, 01 May 2026 12:00:00 GMT": time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), "soon": {}} {
		got, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
			path = r.URL.Path
			w.Header().Set("Date", date)
			answerOK(w, `{"totalCount":2,"results":[
				{"typeName":"BACKUP","hostname":"db1.example.com","stateName":"STANDBY","lastConf":"2026-05-01T11:59:00Z","confCount":7,"isManaged":true},
				{"typeName":"BACKUP","hostname":"db2.example.com","lastConf":"soon"}]}`)
		}).ListAgents(t.Context(), payments, opsmanager.BackupAgent)
		succeed(t, err)
		equal(t, "path", path, basePath+"/groups/"+payments+"/agents/BACKUP")
		equal(t, "date", got.Date.UTC(), want)
		equal(t, "host", *got.Results[0].Hostname, "db1.example.com")
		equal(t, "state", *got.Results[0].StateName, "STANDBY")
		equal(t, "last seen", got.Results[0].LastSeen(), time.Date(2026, 5, 1, 11, 59, 0, 0, time.UTC))
		equal(t, "last seen", got.Results[1].LastSeen(), time.Time{})
	}
}

func TestLockOfAnExternalSystemIsRead(t *testing.T) {
	t.Parallel()
	for policies, want := range map[string]string{
		`[{"policy":"EXTERNALLY_MANAGED_LOCK","disabledParams":[]}]`:                   "EXTERNALLY_MANAGED_LOCK",
		`[{"policy":"DISABLE_SET_MONGOD_VERSION"},{"policy":"ExternallyManagedLock"}]`: "ExternallyManagedLock",
		`[{"policy":"DISABLE_SET_MONGOD_VERSION"},{}]`:                                 "",
		`[]`: "",
	} {
		got, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(
				w, http.StatusOK, "application/json",
				`{"created":"2026-05-01T11:59:00Z","externalManagementSystem":{"name":"operator","systemId":"1","version":"1.2"},"policies":`+policies+`}`,
			)
		}).ControlledFeatures(t.Context(), payments)
		succeed(t, err)
		equal(t, "lock", got.ModuleLock(), want)
		if manager := (opsmanager.ExternalManagementSystem{Name: new("operator"), SystemID: new("1"), Version: new("1.2")}); !reflect.DeepEqual(*got.Manager, manager) {
			t.Errorf("got %+v", got.Manager)
		}
	}
	_, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(
			w, http.StatusOK, "application/json", `{}`,
		)
	}).ControlledFeatures(t.Context(), payments)
	if err == nil || errors.Is(err, opsmanager.ErrOtherObject) {
		t.Errorf("got %v", err)
	}
}
