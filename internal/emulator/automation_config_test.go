package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

const (
	automationConfigPath = inPayments + "/automationConfig"
	backupAgentsPath     = inPayments + "/agents/BACKUP"

	ledger0  = "ledger-0.payments.example.com"
	reports0 = "reports-0.payments.example.com"
	archive0 = "archive-0.payments.example.com" // whose agent is down
)

// document is an automation configuration with everything that a client may lose: odd numbers, blanks,
// escapes, members that have the same name, and unknown members.
const document = ` { "version" : 7,"processes":[ ], "backupVersions":[{"hostname":"` + ledger0 + `", "logRotate":{"sizeThresholdMB":1000.0}} ],
	"options":{"a":1e3,"b":12345678901234567890,"c":"\u003c<\/é","a":-0},"future":[1.10 , null],"auth":{"key":"secret"} }` + "\n"

// withDocument returns the default seed with an automation configuration of Payments.
func withDocument(text string) *emulator.Seed {
	seed := emulator.DefaultSeed()
	seed.Projects[0].AutomationConfig = json.RawMessage(text)
	return seed
}

func startDocument(t *testing.T) *client {
	t.Helper()
	return start(t, emulator.Options{Seed: withDocument(document)})
}

// version returns the version of an automation configuration.
func version(t *testing.T, text string) int {
	t.Helper()
	var fields struct{ Version int }
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return fields.Version
}

// activate returns an automation configuration with further elements of backupVersions.
func activate(text string, hostnames ...string) string {
	for _, hostname := range hostnames {
		text = strings.Replace(text, `"backupVersions":[`, `"backupVersions":[{"hostname":"`+hostname+`"},`, 1)
	}
	return text
}

func TestTheAutomationConfigIsReturnedByteForByte(t *testing.T) {
	t.Parallel()
	c := startDocument(t)
	if got := c.get(automationConfigPath); got.status != 200 || got.body != document {
		t.Errorf("got %d %q", got.status, got.body)
	}
	equal(t, c.get(automationConfigPath+"?envelope=true").body, `{"status":200,"content":`+document+`}`)
	pretty := c.get(automationConfigPath + "?pretty=true").body
	if !strings.Contains(pretty, "\n    \"a\": 1e3,\n") || !strings.Contains(pretty, "\n    \"a\": -0\n") {
		t.Errorf("got %s", pretty)
	}
	c.get(inAnalytics+"/automationConfig").refused(t, 404, "AUTOMATION_CONFIG_NOT_FOUND")
	c.put(inAnalytics+"/automationConfig", "{}").refused(t, 404, "AUTOMATION_CONFIG_NOT_FOUND")
	c.delete(automationConfigPath).refused(t, 405, "")
}

func TestAPutChangesOnlyTheVersion(t *testing.T) {
	t.Parallel()
	c := startDocument(t)
	sent := strings.Replace(document, `"future":[1.10`, `"future":[1.100`, 1)
	want := strings.Replace(sent, `"version" : 7`, `"version" : 8`, 1)
	if got := c.put(automationConfigPath, sent); got.status != 200 || got.body != want {
		t.Errorf("got %d %q", got.status, got.body)
	}
	equal(t, c.get(automationConfigPath).body, want)
	equal(t, string(c.service.AutomationConfig(payments)), want)
}

func TestAPutReplacesTheWholeDocument(t *testing.T) {
	t.Parallel()
	c := startDocument(t)
	for sent, want := range map[string]string{`{}`: `{"version":%d}`, `{ "processes":[] }`: `{ "processes":[],"version":%d }`} {
		before := version(t, string(c.service.AutomationConfig(payments)))
		if got := c.put(automationConfigPath, sent).body; got != fmt.Sprintf(want, before+1) {
			t.Errorf("%s became %s", sent, got)
		}
	}
}

func TestAnOlderVersionConflicts(t *testing.T) {
	t.Parallel()
	with := func(n string) string {
		return strings.Replace(document, `"version" : 7`, `"version" : `+n, 1)
	}
	for sent, isConflict := range map[string]bool{"1": true, "6": true, "6.0": true, "7": false, "7.0": false, "70e-1": false, "8": false} {
		c := startDocument(t)
		got := c.put(automationConfigPath, with(sent))
		if isConflict {
			got.refused(t, 409, "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION")
			if got.document["detail"] != "Another session or user has already published changes." { // as observed
				t.Errorf("%s: got %s", sent, got.body)
			}
			if now := string(c.service.AutomationConfig(payments)); now != document {
				t.Errorf("%s: changed to %s", sent, now)
			}
		} else if got.ok(t); version(t, got.body) != 8 {
			t.Errorf("%s: got %s", sent, got.body)
		}
		ignoring := start(t, emulator.Options{Seed: withDocument(document), Unknowns: emulator.Unknowns{IgnoresAutomationVersion: true}})
		if got := ignoring.put(automationConfigPath, with(sent)); got.status != 200 || version(t, got.body) != 8 {
			t.Errorf("%s: got %d %s", sent, got.status, got.body)
		}
	}
	c := startDocument(t)
	c.service.PublishAutomationConfig(payments, func(document []byte) []byte {
		return bytes.Replace(document, []byte(`1.10`), []byte(`2.20`), 1)
	})
	if got := string(c.service.AutomationConfig(payments)); !strings.Contains(got, "2.20") || version(t, got) != 8 {
		t.Errorf("got %s", got)
	}
	c.put(automationConfigPath, document).refused(t, 409, "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION")
}

func TestTheWholeAutomationConfigIsChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sent, code string
	}{
		"not an object":      {sent: `[]`, code: "INVALID_JSON"},
		"cut off":            {sent: document[:100], code: "INVALID_JSON"},
		"text behind it":     {sent: document + "x", code: "INVALID_JSON"},
		"an unknown member":  {sent: `{"version":7,"unknown":1}`, code: "INVALID_ATTRIBUTE"},
		"a list of modules":  {sent: `{"version":7,"backupVersions":{}}`, code: "INVALID_JSON_ATTRIBUTE"},
		"a version":          {sent: `{"version":7.5}`, code: "INVALID_JSON_ATTRIBUTE"},
		"no hostname":        {sent: `{"backupVersions":[{"name":"1"}]}`},
		"an element of text": {sent: `{"backupVersions":["a"]}`},
		"an empty hostname":  {sent: `{"backupVersions":[{"hostname":""}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startDocument(t)
			before := string(c.service.AutomationConfig(payments))
			got := c.put(automationConfigPath, test.sent)
			got.refused(t, 400, test.code)
			if detail, _ := got.document["detail"].(string); test.code == "" && !strings.HasPrefix(detail, "Invalid config: ") {
				t.Errorf("got %q", detail)
			}
			equal(t, string(c.service.AutomationConfig(payments)), before)
		})
	}
	for name, sent := range map[string]string{
		"a missing name":       activate(document, reports0),
		"a host without agent": activate(document, "reports-0"),
		"one host twice":       activate(document, ledger0),
		"a module in use":      `{"version":7,"backupVersions":[]}`,
		"other members":        `{"version":7,"backupVersions":null,"future":{}}`, // which were returned before
	} {
		if got := startDocument(t).do(http.MethodPut, automationConfigPath, sent); got.status != 200 {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
}

func TestNewModulesGetTheValuesOfTheServer(t *testing.T) {
	t.Parallel()
	c := startDocument(t)
	sent := strings.Replace(
		document, `"backupVersions":[`,
		`"backupVersions":[{"hostname":"`+reports0+`"}, { "name": "7.8.1.1109-1","hostname":"reports-1.payments.example.com" },`, 1,
	)
	got := c.put(automationConfigPath, sent).body
	for _, want := range []string{
		`{"hostname":"` + reports0 + `","name":"108.0.12.8846-1","baseUrl":null}, ` +
			`{ "name": "108.0.12.8846-1","hostname":"reports-1.payments.example.com","baseUrl":null },`,
		`{"hostname":"` + ledger0 + `", "logRotate":{"sizeThresholdMB":1000.0}}`, // as before
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func TestAKeyWithoutARoleCannotReadTheAutomationConfig(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{Keys: []string{emulator.DefaultPublicKey + ":GROUP_READ_ONLY@" + payments + "+GROUP_BACKUP_ADMIN@" + payments}})
	c.get(automationConfigPath).refused(t, 401, "USER_UNAUTHORIZED")
	c.put(automationConfigPath, document).refused(t, 401, "USER_UNAUTHORIZED")
	c.get(backupAgentsPath).ok(t)
}

func TestAnAutomationConfigCanBeLarge(t *testing.T) {
	t.Parallel()
	c := startDocument(t)
	large := strings.Replace(document, `"future":[`, `"future":["`+strings.Repeat("x", 2<<20)+`",`, 1)
	c.put(automationConfigPath, large).ok(t)
	equal(t, len(c.get(automationConfigPath).body), len(large))
}

func TestTheStatusShowsWhichProcessesHaveTheNewVersion(t *testing.T) {
	t.Parallel()
	c := start(t)
	path := inPayments + "/automationStatus"
	achieved := func() (goal any, versions []any) {
		status := c.get(path).ok(t)
		processes, _ := status["processes"].([]any)
		for _, element := range processes {
			process, _ := element.(object)
			if process["name"] == "" || process["hostname"] == "" || process["plan"] == nil {
				t.Errorf("got %v", process)
			}
			if v := process["lastGoalVersionAchieved"]; !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
		}
		return status["goalVersion"], versions
	}
	check := func(wantGoal float64, want ...any) {
		t.Helper()
		if goal, versions := achieved(); goal != wantGoal || !slices.Equal(versions, want) {
			t.Errorf("got %v with the goal %v, want %v with %v", versions, goal, want, wantGoal)
		}
	}
	check(214, 214.0)
	c.put(automationConfigPath, string(c.service.AutomationConfig(payments))).ok(t)
	check(215, 215.0)
	c.service.StopAgent(payments, ledger0)
	check(215, -1.0, 215.0)
	c.get(inAnalytics+"/automationStatus").refused(t, 404, "AUTOMATION_CONFIG_NOT_FOUND")
}

func TestADateIsThatOfTheClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	service := emulator.New(emulator.Options{Now: func() time.Time { return at }})
	server := httptest.NewServer(service)
	defer server.Close()
	c := &client{t: t, service: service, url: server.URL, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
	got := c.get(inPayments + "/agents/AUTOMATION")
	equal(t, got.header.Get("Date"), "Tue, 06 May 2031 07:08:09 GMT")
	equal(t, got.results(t)[0]["lastConf"], "2031-05-06T07:08:09Z")
}
