package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// Objects of the emulator's seed.
const (
	payments  = "64f0c2a19b3d5e7f80a1b2c3"
	analytics = "64f0c2d57c1e4a6b92d3f4e5"
	ledger    = "650a1f3c2e4b6d8091a3b5c7"
	cards     = "650a1f8b5d7092a4c6e8f013"
	orders    = "650a2035b7d9f1e3a5c70924"
	reports   = "650a2177e1f3a5b7c9d00e42"
	events    = "650a22f9d3b5a7c9e1f30816"
)

// versions are those from which the emulator changes something, those before, and the newest one.
var versions = sync.OnceValue(func() []string {
	files, err := filepath.Glob("../../emulator/*.go")
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("no source of the emulator: %v", err))
	}
	found := map[assumptions.Version]bool{assumptions.ParseVersion(emulator.NewestVersion): true}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, match := range regexp.MustCompile(`\bversion\{(\d+), (\d+), (\d+)\}`).FindAllSubmatch(text, -1) {
			var v assumptions.Version
			for i := range v {
				v[i], _ = strconv.Atoi(string(match[i+1])) // digits
			}
			before := assumptions.Version{v[0] - 1, 0, 99}
			if v[2] > 0 {
				before = assumptions.Version{v[0], v[1], v[2] - 1}
			}
			found[v], found[before] = true, true
		}
	}
	var texts []string
	for v := range found {
		texts = append(texts, v.String())
	}
	slices.Sort(texts)
	return texts
})

// someVersions returns the sample of the versions, and two that differ much.
func someVersions() []string {
	some := []string{"6.0.20", "9.0.0"}
	for i, version := range versions() {
		if providertest.Sampled(i, 8) && !slices.Contains(some, version) {
			some = append(some, version)
		}
	}
	return some
}

// richSeed returns a seed that has each object that shows something.
func richSeed() *emulator.Seed {
	seed := emulator.DefaultSeed()
	for i := range seed.Projects {
		if seed.Projects[i].ID == analytics {
			seed.Projects[i].BackupJobConfig["kmipClientCertPath"] = "/etc/kmip.pem"
			seed.Projects[i].BackupJobConfig["kmipClientCertPassword"] = "kmip-secret-password"
		}
	}
	seed.BackupStores[emulator.S3Blockstore][0]["customCertificates"] = []any{map[string]any{
		"filename": "ca.pem", "certString": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
	}}
	seed.BackupDaemons[1]["backupJobsEnabled"] = false
	return seed
}

// crowdedSeed is a rich seed with a project of more clusters than a page has.
func crowdedSeed() *emulator.Seed {
	seed := richSeed()
	many := emulator.Project{ID: "64f0c2d57c1e4a6b92d3f4e6", Name: "Many", OrgID: seed.Projects[0].OrgID}
	for i := range 101 {
		many.Clusters = append(many.Clusters, emulator.Cluster{
			ID: fmt.Sprintf("650b%020x", i), Name: fmt.Sprintf("rs-%d", i), TypeName: "REPLICA_SET", ReplicaSetName: fmt.Sprintf("rs-%d", i),
		})
	}
	seed.Projects = append(seed.Projects, many)
	return seed
}

// service is an emulator with objects that show each readable assumption.
type service struct {
	*emulator.Emulator
	url string
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func startService(t *testing.T, options emulator.Options) *service {
	t.Helper()
	if options.Seed == nil {
		options.Seed = crowdedSeed()
	}
	options.TransitionReads, options.RestoreReads = 1000, 1000 // what begins below does not end
	e := emulator.New(options.Fixed())
	e.SetBackupStatus(analytics, events, "PROVISIONING")
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return &service{e, server.URL}
}

// startRestores starts a restore of a sharded cluster.
func (s *service) startRestores() {
	s.StartRestore(payments, orders, map[string]any{"snapshotId": "66d3e2a1c4d6e8f0a2b4c702", "clusterId": orders})
}

func (s *service) getenv(name string) string {
	return map[string]string{
		"OPSMANAGER_BASE_URL": s.url, "OPSMANAGER_PUBLIC_KEY": emulator.DefaultPublicKey, "OPSMANAGER_PRIVATE_KEY": emulator.DefaultPrivateKey,
	}[name]
}

// run runs the command, and returns its error.
func (s *service) run(t *testing.T, args ...string) error {
	t.Helper()
	return run(t.Context(), args, s.getenv, io.Discard, io.Discard)
}

// survey runs the survey, and returns its report and what it printed.
func (s *service) survey(t *testing.T, args ...string) (*assumptions.Report, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	var out bytes.Buffer
	succeed(t, run(t.Context(), append(args, "-report", file), s.getenv, &out, io.Discard))
	text, err := os.ReadFile(file)
	succeed(t, err)
	report, err := assumptions.ReadReport(text)
	succeed(t, err)
	for _, r := range s.Requests() {
		if r.Method != "GET" {
			t.Errorf("the survey sent %s %s", r.Method, r.Path)
		}
	}
	return report, out.String()
}

// withVerdict returns the names of the assumptions with a verdict.
func withVerdict(report *assumptions.Report, verdict assumptions.Verdict) []string {
	found := []string{}
	for _, f := range report.Findings {
		if f.Verdict == verdict {
			found = append(found, string(f.Assumption))
		}
	}
	return found
}

// wantDiffer checks which assumptions differ.
func wantDiffer(t *testing.T, what any, report *assumptions.Report, want ...string) {
	t.Helper()
	if differ := withVerdict(report, assumptions.Differs); !slices.Equal(differ, append([]string{}, want...)) {
		t.Errorf("%v: these differ: %v, want %v", what, differ, want)
	}
}

// wantPrinted checks that a text has others.
func wantPrinted(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(out, text) {
			t.Errorf("no %q in\n%s", text, out)
		}
	}
}

// startLenient starts a service that accepts what real servers accept, as in most tests.
func startLenient(t *testing.T) *service {
	t.Helper()
	return startService(t, emulator.Options{Lenient: true})
}

// fail lets each request with a path fail.
func (s *service) fail(path string) {
	s.Inject(emulator.Fault{Path: path, Status: http.StatusInternalServerError, Body: failing, Times: -1})
}

func TestNothingDiffersByDefault(t *testing.T) {
	t.Parallel()
	for _, version := range someVersions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{ServiceVersion: version, Lenient: true})
			s.startRestores()
			report, out := s.survey(t)
			wantDiffer(t, version, report)
			for _, f := range report.Findings {
				if a := assumptions.Find(f.Assumption); f.Verdict == assumptions.Unknown && *f.Why != assumptions.NotInVersion {
					t.Errorf("%s is unknown because of %s, which takes %s", f.Assumption, *f.Why, a.Needs)
				}
			}
			if report.Version.String() != version {
				t.Errorf("got version %s", report.Version)
			}
			if len(report.UnknownFields) > 0 {
				t.Errorf("got unknown fields %v", report.UnknownFields)
			}
			verdict := regexp.MustCompile("^You can use the provider here. [0-9]+ facts can only be seen by writing; rehearse first.\n\n" +
				"Ops Manager " + version + " at " + s.url + ", read only\n")
			if !verdict.MatchString(out) || !strings.Contains(out, "  holds ") {
				t.Errorf("printed\n%s", out)
			}
		})
	}
}

// otherValues are the values of options that are not Booleans, other than the expected one.
var otherValues = map[string][]func(*emulator.Options){
	"challenge": {func(o *emulator.Options) { o.Challenge = "op" }, func(o *emulator.Options) { o.Challenge = "none" }},
	"version-header": {
		func(o *emulator.Options) { o.Unknowns.VersionHeader = "master" },
		func(o *emulator.Options) { o.Unknowns.VersionHeader = "hash" },
		func(o *emulator.Options) { o.Unknowns.VersionHeader = "none" },
	},
	"inactive-schedule": {
		func(o *emulator.Options) { o.Unknowns.InactiveSchedule = 404 }, func(o *emulator.Options) { o.Unknowns.InactiveSchedule = 200 },
	},
	"unknown-routes":     {func(o *emulator.Options) { o.UnknownRoutes = emulator.GoText }, func(o *emulator.Options) { o.UnknownRoutes = emulator.NginxPage }},
	"profile":            {func(o *emulator.Options) { o.Profile = emulator.Documented }},
	"nonce-uses":         {func(o *emulator.Options) { o.NonceUses = 5 }},
	"max-items-per-page": {func(o *emulator.Options) { o.MaxItemsPerPage = 100 }},
	"omit-fields": {
		func(o *emulator.Options) { o.OmitFields = []string{"referenceHourOfDay", "referenceMinuteOfHour"} },
	},
	"lenient": {func(o *emulator.Options) { o.Lenient = false }},
}

// changesOf returns the changes of options that set the option of an assumption.
func changesOf(a assumptions.Assumption) []func(*emulator.Options) {
	if changes, ok := otherValues[string(a.Name)]; ok {
		return changes
	}
	return []func(*emulator.Options){func(o *emulator.Options) {
		s, _ := a.Option(o)
		*s.Value.(*bool) = true
	}}
}

// What takes a write is not mistaken for what reading shows.
func TestNoOtherOptionIsSeenByReading(t *testing.T) {
	t.Parallel()
	options := emulator.Options{ServiceVersion: "8.0.28", Lenient: true}
	for _, a := range assumptions.All {
		s, _ := a.Option(&options)
		if on, isBool := s.Value.(*bool); isBool &&
			slices.Contains([]assumptions.How{assumptions.OnScratch, assumptions.OnStore, assumptions.TakesMore}, a.How) {
			*on = true
		}
	}
	wantDiffer(t, "what takes a write", surveyOf(t, options))
}

// surveyOf runs the survey on an emulator with options.
func surveyOf(t *testing.T, options emulator.Options) *assumptions.Report {
	t.Helper()
	s := startService(t, options)
	s.startRestores()
	var args []string
	if options.Profile == emulator.Documented { // which has no list of projects
		args = []string{"-project", payments, "-project", analytics}
	}
	report, _ := s.survey(t, args...)
	return report
}

// The emulator can play the server that a report describes.
func TestEachReadableOptionIsFoundAndPlayed(t *testing.T) {
	t.Parallel()
	for _, a := range assumptions.All {
		_, isOption := a.Option(new(emulator.Options))
		readable := slices.Contains([]assumptions.How{assumptions.ByReading, assumptions.InTransition, assumptions.OneWay}, a.How)
		if !isOption || !readable {
			continue
		}
		for i, change := range changesOf(a) {
			t.Run(fmt.Sprintf("%s/%d", a.Name, i), func(t *testing.T) {
				t.Parallel()
				versions := someVersions()
				if testing.Short() {
					versions = []string{"9.0.0"}
				}
				for _, version := range versions {
					options := emulator.Options{ServiceVersion: version, Lenient: true}
					change(&options)
					report := surveyOf(t, options)
					want := []string{string(a.Name)}
					if a.Name == "unknown-routes" { // such a page may be that of a proxy
						want = append(want, "failures", "known-third-party-backup")
					}
					if !assumptions.NewEvidence(assumptions.ParseVersion(version)).Applies(a.Name) {
						want = []string{}
					}
					wantDiffer(t, version, report, want...)
					if version == "9.0.0" {
						wantPlayed(t, report)
					}
				}
			})
		}
	}
}

// wantPlayed fails the test if a survey of the emulator that plays the server of a report has other verdicts.
func wantPlayed(t *testing.T, report *assumptions.Report) {
	t.Helper()
	played := emulator.Defaults()
	played.Lenient, played.Seed = true, nil
	report.Apply(&played, func(string) bool { return false })
	succeed(t, played.Check())
	again := surveyOf(t, played)
	if report.Version != (assumptions.Version{}) && again.Version != report.Version {
		t.Errorf("the emulator plays %s, want %s", again.Version, report.Version)
	}
	for i, f := range report.Findings {
		if g := again.Findings[i]; f.Verdict != g.Verdict {
			t.Errorf("%s: %s, and %s when the emulator plays it", f.Assumption, f.Verdict, g.Verdict)
		}
	}
}

func TestMasksOtherThanTheObservedOnesDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		store   document
		differs bool
	}{
		{document{"uri": "mongodb://REDACTED:REDACTED@db:27017", "awsSecretKey": "****************"}, false},
		{document{"uri": "mongodb://***:***@db:27017"}, true},
		{document{"uri": "********"}, true},
		{document{"awsSecretKey": "hidden"}, true},
	} {
		s := survey{evidence: assumptions.NewEvidence(assumptions.ParseVersion("9.0.0"))}
		s.seeStore(test.store)
		report := &assumptions.Report{Findings: s.evidence.Findings(assumptions.ByReading)}
		if differ := withVerdict(report, assumptions.Differs); slices.Contains(differ, "secret-mask") != test.differs {
			t.Errorf("%v: these differ: %v", test.store, differ)
		}
	}
}
