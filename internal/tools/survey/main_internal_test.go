package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// wantNoFile fails if a directory has any file.
func wantNoFile(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	succeed(t, err)
	for _, file := range files {
		t.Errorf("left %s", file.Name())
	}
}

// failing is an error document with what no output may quote.
const failing = `{"error": 500, "errorCode": "UNEXPECTED_ERROR", "detail": "secret-host.example.com"}`

func TestAFailingRootEndsTheSurveyWithoutAFile(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-project", payments}} {
		s := startLenient(t)
		s.Inject(emulator.Fault{Path: "/groups", Status: 500, Body: failing})
		dir := t.TempDir()
		err := s.run(t, append(args, "-report", filepath.Join(dir, "report.json"))...)
		if err == nil || !strings.Contains(
			err.Error(), "GET /groups: 500 Internal Server Error (UNEXPECTED_ERROR)\n\nOps Manager, or a proxy in front of it, failed.",
		) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
		wantNoFile(t, dir)
	}
}

// noSchedule begins the verdict if no schedule could be read.
const noSchedule = "The survey has seen no schedule, so it can't say whether you can use the provider here: Ops Manager failed to answer. "

func TestOneFailureIsAFinding(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		ledger + "/snapshotSchedule", "/clusters", "/backupConfigs", "/restoreJobs", "/snapshots", "/byName", "/s3Configs",
		"/daemon/configs", "/backupDeployments", "/admin/backup/groups", "/survey-looks-for-nothing",
	} {
		s := startLenient(t)
		s.startRestores()
		s.Inject(emulator.Fault{Path: path, Status: 500, Body: failing, Times: 1})
		report, out := s.survey(t)
		wantDiffer(t, path, report, "failures")
		if f := report.Finding("failures"); f.Status != 500 || f.Code == nil || *f.Code != "UNEXPECTED_ERROR" || f.Otherwise != 1 {
			t.Errorf("%s: got %+v", path, f)
		}
		verdict := "You can use the provider here. 1 difference is handled. "
		if path == "/backupConfigs" { // of the project with all started backups
			verdict = noSchedule + "1 difference is handled. "
		}
		failed := regexp.MustCompile(`\nFailed: GET .*` + ids.ReplaceAllString(path, "…") + `.*: 500 Internal Server Error \(UNEXPECTED_ERROR\)(: .+)?\n`)
		if !strings.HasPrefix(out, verdict) || !failed.MatchString(out) || strings.Contains(out, "secret-host") {
			t.Errorf("%s: printed\n%s", path, out)
		}
	}
}

// A cluster that another product backs up has no schedule to read.
func TestAClusterWhoseScheduleAlwaysFailsSpoilsNothing(t *testing.T) {
	t.Parallel()
	s := startLenient(t)
	s.startRestores()
	want, _ := s.survey(t)
	s.fail(ledger + "/snapshotSchedule")
	got, _ := s.survey(t)
	for i, f := range got.Findings {
		if f.Assumption != "failures" && f.Verdict != want.Findings[i].Verdict {
			t.Errorf("%s: %s, and %s without the failure", f.Assumption, f.Verdict, want.Findings[i].Verdict)
		}
	}
	s.fail("/snapshotSchedule")
	if _, out := s.survey(t); !strings.HasPrefix(out, noSchedule) {
		t.Errorf("all schedules fail: printed\n%s", out)
	}
	s.fail("/admin/backup/")
	got, _ = s.survey(t) // ten requests in a row
	if f := got.Finding("one-region"); got.Partial || f.Why == nil || *f.Why != assumptions.Failed {
		t.Errorf("got %+v", f)
	}
}

func TestWhatFailsOnlyForTheCopyIsAFinding(t *testing.T) {
	t.Parallel()
	seed := crowdedSeed()
	many := seed.Projects[len(seed.Projects)-1].Clusters
	many[len(many)-1].Name = "" // so its replica set names it
	s := startService(t, emulator.Options{Lenient: true, Seed: seed})
	both, last := ledger+"/snapshotSchedule", fmt.Sprintf("650b%020x/restoreJobs", 100)
	for _, path := range []string{both, last, analytics + "/hosts"} {
		s.fail(path)
	}
	report, out := s.survey(t, "-copy", filepath.Join(t.TempDir(), "copy.json"))
	if f := report.Finding("failures"); f.Status != 500 || f.Otherwise != 4 || !strings.Contains(out, "500 UNEXPECTED_ERROR (expected: none)") {
		t.Errorf("got %+v", f)
	}
	for _, want := range []string{
		"Failed: GET /groups/…/backupConfigs/…/snapshotSchedule: 500 Internal Server Error (UNEXPECTED_ERROR): ledger (" + ledger + ")\n",
		"Failed: GET /groups/…/clusters/…/restoreJobs: 500 Internal Server Error (UNEXPECTED_ERROR): rs-100 (650b00000000000000000064)\n",
		// Also after the list of job configurations.
		"Failed: GET /groups/…/hosts: 500 Internal Server Error (UNEXPECTED_ERROR): Analytics (" + analytics + ")\n",
	} {
		if n := strings.Count(out, want); n != 1 {
			t.Errorf("%q is there %d times in\n%s", want, n, out)
		}
	}
}

func TestAFailureOfManyObjectsIsPrintedOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newSurvey(opsmanager.Config{BaseURL: new(url.URL)}, options{}, io.Discard)
	s.evidence = assumptions.NewEvidence(assumptions.Version{})
	s.names[ledger] = "\u202eledger"
	many := func(path string, number int) {
		for i := range number {
			id := fmt.Sprintf("650B%020x", i)
			s.seeFailure(&opsmanager.Error{Method: "GET", Path: fmt.Sprintf(path, id), Err: io.ErrUnexpectedEOF, Attempts: 5, Elapsed: time.Duration(i)})
		}
	}
	many("/groups/"+payments+"/clusters/%s/snapshots", 12)
	many("/groups/%s/hosts", 2)
	for range 2 { // by the survey and its copy
		s.seeFailure(&opsmanager.Error{Method: "GET", Path: "/groups/" + payments + "/clusters/" + ledger + "/restoreJobs", Status: 503, Detail: "secret-host"})
		s.seeFailure(&opsmanager.Error{Method: "GET", Path: "/admin/backup/groups", Status: 503})
	}
	s.print(&out)
	_, failed, _ := strings.Cut(out.String(), " requests.\n")
	var shown []string
	for i := range 10 {
		shown = append(shown, fmt.Sprintf("650B%020x", i))
	}
	want := "Failed: GET /admin/backup/groups: 503 Service Unavailable\n" +
		"Failed: GET /groups/…/clusters/…/restoreJobs: 503 Service Unavailable: ledger (" + ledger + ")\n" +
		"Failed: GET /groups/…/clusters/…/snapshots: unexpected EOF: " + strings.Join(shown, ", ") + ", 2 more\n" +
		"Failed: GET /groups/…/hosts: unexpected EOF: 650B00000000000000000000, 650B00000000000000000001\n"
	if failed != want {
		t.Errorf("printed\n%s\nwant\n%s", failed, want)
	}
}

func TestAClusterThatAnotherProductBacksUpIsNoFailure(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{Lenient: true, ThirdPartyBackup: true})
	s.startRestores()
	s.SetThirdPartyBackup(payments, orders, "ACTIVE")
	s.SetThirdPartyBackup(payments, ledger, "INACTIVE")
	file := filepath.Join(t.TempDir(), "copy.json")
	report, out := s.survey(t, "-copy", file)
	wantDiffer(t, "a third-party backup", report, "third-party-backup")
	if strings.Contains(out, "Failed:") || strings.Contains(out, "refuses") {
		t.Errorf("printed\n%s", out)
	}
	for _, r := range s.Requests() {
		if strings.Contains(r.Path, orders+"/snapshotSchedule") {
			t.Errorf("asked for %s", r.Path)
		}
	}
	copied := serveCopy(t, file)
	others, err := copied.client(t).ThirdPartyBackups(t.Context(), payments)
	succeed(t, err)
	for id, want := range map[string]bool{orders: true, ledger: false, cards: false} {
		if got, err := others.BacksUp(id); got != want || err != nil {
			t.Errorf("%s: %t, %v", id, got, err)
		}
	}
}

// oddThirdPartyLists are responses that are no list of the third-party backups of a project.
var oddThirdPartyLists = []emulator.Fault{
	{Status: 200, Body: "<html>Sign in</html>"},
	{Status: 200, Header: inJSON, Body: "{}"},
	{Status: 200, Header: inJSON, Body: `{"resource": "/clusters", "errorCode": "THIRD_PARTY_DISCOVERY_ERROR", "version": "1", "status": "ERROR"}`},
	{Status: 200, Header: inJSON, Body: `{"clusters": [{"groupId": "` + analytics + `", "clusterId": "` + ledger + `", "state": "ACTIVE"}]}`},
	{Status: 200, Header: inJSON, Body: `{"clusters": [{"state": "ACTIVE"}]}`},
	{Status: 200, Header: inJSON, Body: `{"clusters": [], "links": [{"rel": "next", "href": "/"}]}`},
	{Status: 200, Header: inJSON, Body: `{"clusters": [], "totalCount": 30}`},
	{Status: 404, Header: inJSON, Body: `{"resource": "/clusters", "errorCode": "GROUP_NOT_FOUND", "version": "1", "status": "ERROR"}`},
	{Status: 302, Header: http.Header{"Location": {"https://login.example.com/"}}},
	{Status: 500, Header: inJSON, Body: `{"resource": "/clusters", "errorCode": "JOB_NOT_FOUND", "version": "1", "status": "ERROR"}`},
}

var inJSON = http.Header{"Content-Type": {"application/json"}}

// refusesChanges begins the verdict if the provider does not know what another product backs up.
const refusesChanges = "You can use the provider here, but it refuses to change backups in %s, " +
	"because it can't tell which clusters another product backs up: see below, or run the survey with -names. "

func TestAnOddListOfThirdPartyBackupsIsNamedBecauseTheProviderRefusesChanges(t *testing.T) {
	t.Parallel()
	page := emulator.Fault{Status: 403, Body: "<html>Forbidden</html>"}
	withCode := emulator.Fault{Status: 200, Header: inJSON, Body: `{"clusters": [], "errorCode": "THIRD_PARTY_DISCOVERY_ERROR", "status": "ERROR"}`}
	for i, odd := range append(oddThirdPartyLists, page, withCode) {
		s := startService(t, emulator.Options{Lenient: true, Seed: emulator.DefaultSeed(), ServiceVersion: []string{"", "7.0.11"}[i%2]})
		odd.Path, odd.Times = "/third_party/group/"+payments, -1
		s.Inject(odd)
		report, out := s.survey(t)
		wantDiffer(t, "the seed", report, "failures", "known-third-party-backup")
		if !strings.HasPrefix(out, fmt.Sprintf(refusesChanges, "1 project")) ||
			!regexp.MustCompile(`\nFailed: GET /backup/third_party/group/…/clusters: .+: Payments \(`+payments+`\)\n`).MatchString(out) {
			t.Errorf("%d %s: printed\n%s", odd.Status, odd.Body, out)
		}
		if !slices.ContainsFunc(s.Requests(), func(r emulator.Request) bool { return strings.HasSuffix(r.Path, ledger+"/snapshotSchedule") }) {
			t.Errorf("%d %s: no schedule was read", odd.Status, odd.Body)
		}
		if s.Inject(emulator.Fault{Path: "/third_party/", Status: 500, Times: -1}); i == 0 {
			_, out = s.survey(t, "-project", analytics, "-project", payments)
			if !strings.HasPrefix(out, fmt.Sprintf(refusesChanges, "2 projects")) || !strings.Contains(
				out,
				"  unknown       the list of clusters that other products back up: the response doesn't show it  [third-party-backup]\n",
			) {
				t.Errorf("printed\n%s", out)
			}
		}
	}
}

func TestProjectsThatTheKeyMayNotReadAreNamedOnce(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{Lenient: true, Seed: emulator.DefaultSeed()})
	for _, path := range []string{"/clusters", "/backupConfigs"} {
		s.Inject(emulator.Fault{Path: path, Status: 401, Header: inJSON, Body: denied, Times: -1})
	}
	want := "Failed: the lists of clusters and backups: Payments (" + payments + "), Analytics (" + analytics + ")\n"
	if _, out := s.survey(t); !strings.Contains(out, want) || strings.Count(out, "Failed:") > 1 {
		t.Errorf("printed\n%s", out)
	}
	s.ClearFaults()
	if _, out := s.survey(t, "-project", "0123456789abcdef01234567", "-project", payments); strings.Contains(out, "refuses to change") {
		t.Errorf("a project that does not exist: printed\n%s", out)
	}
}

func TestAKeyThatMayNotListThirdPartyBackupsIsNoFailure(t *testing.T) {
	t.Parallel()
	s := startLenient(t)
	s.startRestores()
	s.Inject(emulator.Fault{Path: "/third_party/", Status: 401, Header: inJSON, Body: denied, Times: -1})
	report, out := s.survey(t)
	wantDiffer(t, "nothing", report)
	for _, want := range []string{
		"the list of clusters that other products back up: it takes a key with Project Backup Admin  [third-party-backup]\n",
		"which clusters other products back up: it takes a key with Project Backup Admin  [known-third-party-backup]\n",
	} {
		if !strings.Contains(out, "  unknown       "+want) {
			t.Errorf("printed\n%s", out)
		}
	}
}

func TestAnUnknownStateOfAThirdPartyBackupIsNamed(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{Lenient: true, ThirdPartyBackup: true})
	s.SetThirdPartyBackup(payments, ledger, "DISCOVERING")
	s.SetThirdPartyBackup(payments, cards, "ACTIVE")
	s.SetThirdPartyBackup(payments, orders, "INACTIVE")
	report, out := s.survey(t, "-names")
	if f := report.Finding("known-third-party-backup"); f.Otherwise != 1 || f.AsExpected != 2 {
		t.Errorf("got %+v", f)
	}
	if !strings.HasPrefix(out, fmt.Sprintf(refusesChanges, "1 project")) ||
		!strings.Contains(out, "the state of the third-party backup of cluster "+ledger+` is "DISCOVERING", which is not documented`) {
		t.Errorf("printed\n%s", out)
	}
	if _, out := s.survey(t); strings.Contains(out, "DISCOVERING") {
		t.Errorf("printed\n%s", out)
	}
}

func TestASurveyThatEndsEarlyWritesItsReport(t *testing.T) {
	t.Parallel()
	for _, after := range []int{8, 40} {
		ctx, interrupt := context.WithCancel(t.Context())
		requests := 0
		down := startLenient(t)
		down.Inject(emulator.Fault{Skip: after, Status: 500, Body: failing, Times: -1})
		interrupted := startService(t, emulator.Options{Lenient: true, OnRequest: func(emulator.Request) {
			if requests++; requests == after {
				interrupt()
			}
		}})
		root := startLenient(t)
		root.Inject(emulator.Fault{Path: "/groups", Skip: 3, Status: 500, Body: failing}) // the list of projects
		for _, c := range []struct {
			s    *service
			want string
		}{{root, "GET /groups: 500 Internal Server Error"}, {down, "11 requests in a row failed, the last one with GET "}, {interrupted, "context canceled"}} {
			dir, out := t.TempDir(), bytes.Buffer{}
			err := run(ctx, []string{"-report", filepath.Join(dir, "report.json"), "-copy", filepath.Join(dir, "copy.json")}, c.s.getenv, &out, io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "report.json"))
			succeed(t, err)
			if report, err := assumptions.ReadReport(text); err != nil || !report.Partial || len(withVerdict(report, assumptions.Holds)) == 0 {
				t.Errorf("%v, wrote %s", err, text)
			}
			if !strings.HasPrefix(out.String(), "The survey ended early, so it can't say whether you can use the provider here.") {
				t.Errorf("printed\n%s", &out)
			}
			if _, err := os.Stat(filepath.Join(dir, "copy.json")); err == nil {
				t.Error("wrote a copy")
			}
		}
	}
}

func TestAFileIsWrittenCompletelyOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "copy.json")
	broken := errors.New("broken")
	if err := writeFile(file, 0o600, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of it")
		return broken
	}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	wantNoFile(t, dir)
	succeed(t, os.WriteFile(file, []byte("old"), 0o644))
	if err := writeFile(file, 0o600, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != "new" {
		t.Errorf("got %q, %v", text, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v", info.Mode(), err)
	}
}

func TestWhatTheKeyMayNotReadIsUnknown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		why    assumptions.Why
		text   string
	}{
		{
			401, `{"error": 401, "reason": "Unauthorized", "detail": "You are not authorized for this resource."}`,
			assumptions.NotPermitted, "the key lacks Global Backup Admin",
		},
		{403, `{"error": 403, "errorCode": "ACCESS_FORBIDDEN", "reason": "Forbidden"}`, assumptions.NotPermitted, "the key lacks Global Backup Admin"},
		{
			403, `{"error": 403, "errorCode": "RESOURCE_REQUIRES_ACCESS_LIST", "reason": "Forbidden", "parameters": ["192.0.2.7"]}`,
			assumptions.NotListed, "your address is not on the access list of the key",
		},
	} {
		s := startLenient(t)
		s.startRestores()
		s.Inject(emulator.Fault{Path: "/admin/backup", Status: test.status, Body: test.body, Times: -1})
		report, out := s.survey(t)
		wantDiffer(t, "nothing", report)
		for _, f := range report.Findings {
			a := assumptions.Find(f.Assumption)
			isAdmin := a.Area != assumptions.Projects && a.Area != ""
			if isUnknown := f.Verdict == assumptions.Unknown; isUnknown != (isAdmin && f.Verdict != assumptions.NeedsWrite) {
				t.Errorf("%s: %s", f.Assumption, f.Verdict)
			}
			if f.Why != nil && *f.Why != test.why {
				t.Errorf("%s is unknown because of %s", f.Assumption, *f.Why)
			}
		}
		if !strings.Contains(out, "unknown       the masks of secrets: "+test.text+"  [secret-mask]\n") || strings.Contains(out, "192.0.2.7") {
			t.Errorf("printed\n%s", out)
		}
	}
}

func TestAKeyThatIsRefusedIsAnError(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	for wrong, test := range map[string]struct {
		getenv func(string) string
		want   string
	}{
		"key": {func(name string) string {
			if name == "OPSMANAGER_PRIVATE_KEY" {
				return "wrong-secret-key"
			}
			return s.getenv(name)
		}, "GET /groups: 401 Unauthorized\n\nOps Manager rejected the API key. " +
			"Check that OPSMANAGER_PUBLIC_KEY and OPSMANAGER_PRIVATE_KEY belong to the same API key"},
		"environment": {func(string) string { return "" }, "Set the environment variable OPSMANAGER_BASE_URL"},
	} {
		err := run(t.Context(), nil, test.getenv, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "wrong-secret-key") {
			t.Errorf("%s: got %v", wrong, err)
		}
	}
	unlisted := startService(t, emulator.Options{UnlistedCalls: -1})
	if err := unlisted.run(t); err == nil || !strings.Contains(err.Error(), "access list") {
		t.Errorf("got %v", err)
	}
}

func TestAKeyThatIsRevokedMeanwhileIsAnError(t *testing.T) {
	t.Parallel()
	for _, skipped := range []int{5, 20, 50} {
		s := startService(t, emulator.Options{})
		s.Inject(emulator.Fault{
			Skip: skipped, Times: -1, Status: 401,
			Body: `{"error": 401, "reason": "Unauthorized", "detail": "You are not authorized for this resource."}`,
		})
		dir := t.TempDir()
		err := s.run(t, "-report", filepath.Join(dir, "report.json"))
		if err == nil || !strings.Contains(err.Error(), "GET /groups was read at first, and is refused now (401)") {
			t.Errorf("after %d requests: got %v", skipped, err)
		}
		wantNoFile(t, dir)
	}
}

func TestInARehearsalTheSurveySaysHowToLeaveIt(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	for _, settings := range []map[string]string{
		{"OPSMANAGER_BASE_URL": "https://opsmanager.example.com:8443"},
		{"OPSMANAGER_PRIVATE_KEY": "a-key-of-a-real-one"}, // through a tunnel
	} {
		settings["OPSMANAGER_REHEARSAL"] = "1"
		getenv := func(name string) string { return cmp.Or(settings[name], s.getenv(name)) }
		err := run(t.Context(), nil, getenv, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "unset OPSMANAGER_REHEARSAL") || strings.Contains(err.Error(), "provider block") {
			t.Errorf("%v: got %v", settings, err)
		}
	}
	if sent := s.Requests(); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
}

// textsOf returns the texts in a seed that are names, IDs, addresses or secrets.
func textsOf(value any, found map[string]bool) {
	switch value := value.(type) {
	case string:
		if len(value) > 5 && strings.ToUpper(value) != value { // not a constant of the API
			found[value] = true
		}
	case []any:
		for _, element := range value {
			textsOf(element, found)
		}
	case map[string]any:
		for _, element := range value {
			textsOf(element, found)
		}
	}
}

func TestAReportHasNoNames(t *testing.T) {
	t.Parallel()
	seed := richSeed()
	seed.Projects[0].Clusters[0].BackupConfig["ledger.payments.example.com"] = map[string]any{"tier": "gold"}
	seed.BackupStores[emulator.Blockstore][0]["newSecret"] = "hunter22-secret"
	seed.BackupStores[emulator.S3Blockstore][0]["customCertificates"].([]any)[0].(map[string]any)["newSecret"] = "hunter22-secret"
	seed.BackupDaemons[0]["machine"].(map[string]any)["newSecret"] = "hunter22-secret"
	s := startService(t, emulator.Options{Lenient: true, Seed: seed})
	s.startRestores()
	report, out := s.survey(t)
	var written bytes.Buffer
	succeed(t, report.Write(&written))
	secret := map[string]bool{s.url: true, emulator.AgentAPIKey: true, "ledger.payments": true, "newSecret": true, "127.0.0.1": true}
	for _, project := range seed.Projects {
		secret[project.ID], secret[project.Name] = true, true
		for _, c := range project.Clusters {
			secret[c.ID], secret[c.Name] = true, len(c.Name) > 5 && c.Name != "reports"
			for _, member := range c.Members {
				secret[member] = true
			}
		}
	}
	for _, stores := range seed.BackupStores {
		for _, store := range stores {
			textsOf(store, secret)
		}
	}
	for _, daemon := range seed.BackupDaemons {
		textsOf(daemon, secret)
	}
	for text, isSecret := range secret {
		if isSecret && text != "MAJORITY" && strings.Contains(written.String(), text) {
			t.Errorf("the report has %q", text)
		}
		if isSecret && text != s.url && text != "127.0.0.1" && strings.Contains(out, text) {
			t.Errorf("printed %q", text)
		}
	}
	want := []assumptions.UnknownField{
		{Object: assumptions.ConfigObject, Type: "object", Names: 1}, {Object: assumptions.DaemonObject, Type: "string", Names: 1},
		{Object: assumptions.StoreObject, Type: "string", Names: 2},
	}
	if !slices.Equal(report.UnknownFields, want) {
		t.Errorf("got unknown fields %v", report.UnknownFields)
	}
	if _, out = s.survey(t, "-names"); !strings.Contains(out, "Unknown field of a backup configuration: ledger.payments.example.com (object)\n") ||
		strings.Contains(out, "hunter22") {
		t.Errorf("printed\n%s", out)
	}
}

func TestWhatOpsManagerReturnsIsPrintedSafely(t *testing.T) {
	t.Parallel()
	seed := richSeed()
	seed.Projects[0].Clusters[0].BackupConfig["\u009b31m\u202ename"] = true
	s := startService(t, emulator.Options{Lenient: true, Seed: seed, ServiceVersion: "8.0.27.\u009b31mred"})
	_, out := s.survey(t, "-names")
	if strings.ContainsAny(out, "\u009b\u202e") || !strings.Contains(out, "31m name (boolean)") {
		t.Errorf("printed %q", out)
	}
}

func TestTheVersionNeedsNoSettings(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-version"}, func(string) string { return "" }, &out, io.Discard); err != nil ||
		out.String() != "opsmanager-survey dev\n" {
		t.Errorf("%v, printed %q", err, &out)
	}
}

func TestCommandLineIsChecked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-concurrency", "0"}, {"-concurrency", "101"}, {"-project", "a/../b"}, {"report.json"}, {"-report", "a", "-copy", "./a"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%v: want an error", args)
		}
	}
	o, err := parse([]string{"-project", "b", "-project", "a", "-project", "b"}, io.Discard)
	if err != nil || !slices.Equal(o.projects, []string{"a", "b"}) || o.concurrency != 32 {
		t.Errorf("got %v, %v", o, err)
	}
}

func TestAReportAndACopyAreNeverOneFile(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"old", "other"} {
		succeed(t, os.WriteFile(path(name), nil, 0o600))
	}
	succeed(t, os.Symlink("old", path("link")))
	succeed(t, os.Symlink("new", path("dangling")))
	succeed(t, os.Symlink("dangling", path("dangling-twice")))
	succeed(t, os.Symlink(dir, filepath.Join(elsewhere, "folder")))
	succeed(t, os.Link(path("old"), path("hard-link")))
	here, err := os.Getwd()
	succeed(t, err)
	relative, err := filepath.Rel(here, path("new"))
	succeed(t, err)
	for _, c := range []struct {
		report, copy string
		same         bool
	}{
		{path("new"), path("new"), true},
		{path("new"), relative, true},
		{path("new"), dir + "/./new", true},
		{path("New"), path("new"), true}, // it may be
		{path("old"), path("link"), true},
		{path("old"), path("hard-link"), true},
		{path("dangling"), path("new"), true},
		{path("new"), path("dangling-twice"), true},
		{filepath.Join(elsewhere, "folder", "new"), path("new"), true},
		{path("new"), path("newer"), false},
		{path("old"), path("other"), false},
		{filepath.Join(elsewhere, "new"), path("new"), false},
		{filepath.Join(elsewhere, "missing", "new"), path("new"), false},
	} {
		for _, args := range [][]string{{"-report", c.report, "-copy", c.copy}, {"-report", c.copy, "-copy", c.report}} {
			if _, err := parse(args, io.Discard); errors.Is(err, errSameFile) != c.same {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
}

// As on a file system that knows two names for a file, which shows only once the file exists.
func TestAReportThatBecomesTheCopyIsNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	report, copied := filepath.Join(dir, "report.json"), filepath.Join(dir, "copy.json")
	linked := false
	s := startService(t, emulator.Options{Lenient: true, OnRequest: func(emulator.Request) {
		if !linked {
			linked = os.Symlink("report.json", copied) == nil
		}
	}})
	err := s.run(t, "-report", report, "-copy", copied)
	if text, _ := os.ReadFile(report); !errors.Is(err, errSameFile) || strings.Contains(string(text), "Payments") || len(text) == 0 {
		t.Errorf("%v, the report is %s", err, text)
	}
}

func TestAllRequestsAreCounted(t *testing.T) {
	t.Parallel()
	s := startLenient(t)
	report, out := s.survey(t, "-copy", filepath.Join(t.TempDir(), "copy.json"))
	if sent := len(s.Requests()); report.Requests != sent || sent < 200 || !strings.Contains(out, fmt.Sprintf(" %d requests.\n", sent)) {
		t.Errorf("counted %d of %d requests, and printed\n%s", report.Requests, sent, out)
	}
}

func TestAProjectThatIsNotFoundByItsNameIsToBeReported(t *testing.T) {
	t.Parallel()
	for status, body := range map[int]string{
		404: `{"error": 404, "errorCode": "GROUP_NAME_NOT_FOUND", "detail": "No group."}`,
		200: `{"id": "64f0c2d57c1e4a6b92d3f4e5", "name": "Payments"}`,
	} {
		s := startLenient(t)
		s.Inject(emulator.Fault{
			Path: "/groups/byName/Payments", Status: status, Header: inJSON, Body: body,
			Times: -1,
		})
		report, out := s.survey(t)
		wantDiffer(t, status, report, "project-by-name")
		wantPrinted(t, out, "1 is new: please report it.")
	}
}

func TestAnErrorHasTheAdviceOfTheProvider(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	s := startService(t, emulator.Options{})
	page := func(status int, header http.Header) func(string) string {
		s := startService(t, emulator.Options{})
		s.Inject(emulator.Fault{Status: status, Header: header, Body: "<html><title>Sign in</title></html>", BeforeAuth: true, Times: -1})
		return s.getenv
	}
	with := func(name, value string) func(string) string {
		return func(asked string) string {
			if asked == name {
				return value
			}
			return s.getenv(asked)
		}
	}
	for want, getenv := range map[string]func(string) string{
		"set OPSMANAGER_CA_CERT_FILE to a file with that CA's certificate": with("OPSMANAGER_BASE_URL", server.URL),
		"Check OPSMANAGER_BASE_URL, any proxy and the network.":            with("OPSMANAGER_BASE_URL", "http://127.0.0.1:1"),
		"A proxy or SSO page in front of Ops Manager probably answered.":   page(401, nil),
		"Set OPSMANAGER_BASE_URL to the address of the API itself.":        page(302, http.Header{"Location": {"https://login.example.com/"}}),
		"a proxy or another server answered.":                              page(404, nil),
	} {
		err := run(t.Context(), nil, getenv, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) ||
			regexp.MustCompile(`base_url|ca_cert_file|proxy_url|_key\b|max_retries`).MatchString(err.Error()) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestWhatTheProviderMayNotHandleIsNamedAndToBeReported(t *testing.T) {
	t.Parallel()
	seed := richSeed()
	for i := range seed.Projects[0].Clusters {
		switch c := &seed.Projects[0].Clusters[i]; c.ID {
		case ledger:
			c.BackupConfig["sslEnabled"] = "sometimes"
			c.SnapshotSchedule["referenceTimeZoneOffset"] = "+0200"
		case cards:
			c.BackupConfig["statusName"] = "PAUSED"
		}
	}
	s := startService(t, emulator.Options{Lenient: true, Seed: seed})
	report, out := s.survey(t, "-names")
	wantDiffer(t, "the seed", report, "decodes", "known-statuses", "schedule-offset")
	wantPrinted(t, out,
		"Please report this.", "You can use the provider here. 0 differences are handled, 3 are new: please report them. ",
		"3 differ, ", "Unknown status of a backup: PAUSED\n", "Other type in a backup configuration: ", "sslEnabled",
	)
	if _, out = s.survey(t); strings.Contains(out, "PAUSED") {
		t.Errorf("printed\n%s", out)
	}
}

func TestProgressIsPrintedOnceInAWhile(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgress(&out)
	p.report("%d requests", 1) // which is too early
	p.next = time.Time{}
	p.report("%d requests", 2)
	p.report("%d requests", 3)
	if out.String() != "2 requests\n" {
		t.Errorf("printed %q", out.String())
	}
}
