package opsmanager_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
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
		status      int // 0 for a closed connection
		body        string
		isTemporary bool
	}{
		"429":                            {429, "", true},
		"502":                            {502, "", false},
		"503":                            {503, "", true},
		"an upgrade":                     {405, errorDocument(405, "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"), true},
		"a conflict":                     {409, errorDocument(409, "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION"), false},
		"a closed connection":            {0, "", false},
		"an error document in a success": {200, errorDocument(500, "UNEXPECTED_ERROR"), false},
		"a page":                         {200, "<html><title>Sign in</title></html>", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &automation{document: automationDocument, onPut: func(w http.ResponseWriter, r *http.Request) {
				if test.status == 0 {
					drop(r)
				}
				answer(w, test.status, "", test.body)
			}}
			e := wantError(t, activate(t.Context(), serve(t, a.ServeHTTP), "db1"))
			equal(t, "requests", len(a.sent()), 1)
			equal(t, "attempts", e.Attempts <= 1, true)
			equal(t, "role", e.Role, opsmanager.ProjectAutomationAdmin)
			equal(t, "temporary", opsmanager.IsTemporary(e), test.isTemporary)
		})
	}
	t.Run("no connection", func(t *testing.T) {
		t.Parallel()
		config, err := returning(t, automationDocument).AutomationConfig(t.Context(), payments)
		succeed(t, err)
		untrusted := secure(t, &automation{}, nil)
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
		a := &automation{document: automationDocument, onPut: func(w http.ResponseWriter, _ *http.Request) { answerOK(w, body) }}
		succeed(t, activate(t.Context(), serve(t, a.ServeHTTP), "db1"))
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
		log := ""
		respond := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://om.example.com/h4nter2?h4nter2=h4nter2")
			if response.status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `h4nter2 realm="h4nter2"`)
			}
			answer(w, response.status, response.kind, response.body)
		}
		a := &automation{document: automationDocument, onPut: respond}
		e := wantError(t, activate(t.Context(), serve(t, a.ServeHTTP, logging(&log)), "db1"))
		_, err := serve(t, respond, logging(&log), retries(0)).AutomationConfig(t.Context(), payments)
		read := wantError(t, err)
		for _, e := range []*opsmanager.Error{e, read} {
			if text := fmt.Sprintf("%v %+v %#v", e, *e, e.Err) + log; strings.Contains(text, secret) || strings.Contains(text, "H4NTER") ||
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

func TestAgentsAreListedWithTheDateOfTheServer(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for date, want := range map[string]time.Time{"Fri, 01 May 2026 12:00:00 GMT": noon, "soon": {}} {
		got, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", date)
			answerOK(w, `{"totalCount":2,"results":[{"hostname":"db1","lastConf":"2026-05-01T12:00:00Z"},{"hostname":"db2","lastConf":"soon"}]}`)
		}).ListAgents(t.Context(), payments, opsmanager.BackupAgent)
		succeed(t, err)
		equal(t, "date", got.Date.UTC(), want)
		equal(t, "last seen", got.Results[0].LastSeen(), noon)
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
		got, err := returning(t, `{"policies":`+policies+`}`).ControlledFeatures(t.Context(), payments)
		succeed(t, err)
		equal(t, "lock", got.ModuleLock(), want)
	}
	_, err := returning(t, `{}`).ControlledFeatures(t.Context(), payments)
	equal(t, "is accepted", err == nil || errors.Is(err, opsmanager.ErrOtherObject), false)
}
