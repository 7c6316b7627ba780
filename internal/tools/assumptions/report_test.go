package assumptions_test

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// strangers are texts that no report may have.
var strangers = []string{
	"opsmanager.example.com", "64f0c2a19b3d5e7f80a1b2c3", "Payments", "hunter2", "8.0.27-acme", "payments-8.0.27", "8.0.27.acme", " ",
	"-1.2.3", "1.2.3.4",
}

// wantNoNames fails if a value of a type can have a text that is not a word of a constant list.
func wantNoNames(t *testing.T, path string, typ reflect.Type) {
	t.Helper()
	if _, isWord := reflect.New(typ).Interface().(encoding.TextUnmarshaler); isWord {
		if _, ok := reflect.Zero(typ).Interface().(encoding.TextMarshaler); !ok {
			t.Errorf("%s: a %s is written without a check", path, typ)
		}
		for _, stranger := range strangers {
			if reflect.New(typ).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(stranger)) == nil {
				t.Errorf("%s: a %s can be read from %q", path, typ, stranger)
			}
			if value := reflect.New(typ).Elem(); value.Kind() == reflect.String {
				value.SetString(stranger)
				if text, err := value.Interface().(encoding.TextMarshaler).MarshalText(); err == nil {
					t.Errorf("%s: a %s is written as %q", path, typ, text)
				}
			}
		}
		return
	}
	switch typ.Kind() {
	case reflect.Bool, reflect.Int:
	case reflect.Pointer, reflect.Slice:
		wantNoNames(t, path, typ.Elem())
	case reflect.Struct:
		for field := range typ.Fields() {
			wantNoNames(t, path+"."+field.Name, field.Type)
		}
	default: // texts, maps and interfaces among them
		t.Errorf("%s: a %s can have a name", path, typ)
	}
}

func TestAReportCanHaveNoNames(t *testing.T) {
	t.Parallel()
	wantNoNames(t, "Report", reflect.TypeFor[assumptions.Report]())
}

func TestAReportIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	evidence := assumptions.NewEvidence(assumptions.ParseVersion("8.0.27.500.20260930T1537Z"))
	evidence.See("omits-false", true)
	evidence.SeeResponse("inactive-schedule", false, 404, "BACKUP_CONFIG_NOT_FOUND")
	evidence.SeeResponse("missing-store", false, 404, "store ny-blockstore-1 is missing")
	evidence.SeeWord("challenge", "qop", assumptions.WordOf("an unheard-of one"))
	evidence.SeeNumber("nonce-uses", false, 20)
	evidence.Deny(assumptions.Regions, assumptions.NotListed)
	report := &assumptions.Report{
		Version: evidence.Version(), Requests: 40, Findings: evidence.Findings(assumptions.ByReading),
		UnknownFields: []assumptions.UnknownField{{Object: assumptions.StoreObject, Type: "string", Names: 2}},
	}
	var written bytes.Buffer
	if err := report.Write(&written); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(written.String(), "ny-blockstore-1") || strings.Contains(written.String(), "unheard") ||
		!strings.Contains(written.String(), `"version": "8.0.27"`) {
		t.Errorf("wrote %s", &written)
	}
	read, err := assumptions.ReadReport(written.Bytes())
	if err != nil || !reflect.DeepEqual(read, report) {
		t.Errorf("read %v, %v", read, err)
	}
	for _, broken := range []string{
		"", "[]", `{"format": 2}`, strings.Replace(written.String(), "8.0.27", "8.0.27 of Acme", 1),
		strings.Replace(written.String(), "omits-false", "acme", 1), `{"format": 1, "host": "acme"}`,
	} {
		if _, err := assumptions.ReadReport([]byte(broken)); err == nil {
			t.Errorf("read %s", broken)
		}
	}
}

func TestVersionsAreThreeNumbersOrOther(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"8.0.27": "8.0.27", "4.0.15.50565.20190823T1920Z": "4.0.15", "8.0.27.acme": "8.0.27", "master": "other", "": "other",
		"8.0": "other", "acme-8.0.27": "other", "8.0.x": "other", "-8.0.27": "other", "8.0.27-acme": "other",
	} {
		if got := assumptions.ParseVersion(text).String(); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestVerdictsFollowFromWhatWasSeen(t *testing.T) {
	t.Parallel()
	evidence := assumptions.NewEvidence(assumptions.ParseVersion("7.0.3"))
	evidence.See("omits-false", true)
	evidence.See("omits-false", true)
	evidence.See("lists-only-complete", true)
	evidence.See("both-namespace-lists", true)
	evidence.See("both-namespace-lists", false)
	evidence.See("one-region", false) // which the version doesn't have
	evidence.Deny(assumptions.Stores, assumptions.NotPermitted)
	evidence.Deny(assumptions.Stores, assumptions.NoOperation) // the first reason counts
	report := assumptions.Report{Findings: evidence.Findings(assumptions.ByReading, assumptions.InTransition, assumptions.OneWay)}
	for name, want := range map[assumptions.Name]assumptions.Verdict{
		"omits-false": assumptions.Holds, "lists-only-complete": assumptions.OneWayOnly, "both-namespace-lists": assumptions.Differs,
		"one-region": assumptions.Unknown, "missing-store": assumptions.Unknown, "hides-running-snapshot": assumptions.Unknown,
		"delete-returns-object": assumptions.NeedsWrite, "release-sets-expires": assumptions.NeedsWrite, "await-approval": assumptions.NeedsWrite,
	} {
		if f := report.Finding(name); f == nil || f.Verdict != want {
			t.Errorf("%s: got %v, want %s", name, f, want)
		}
	}
	for name, want := range map[assumptions.Name]assumptions.Why{
		"one-region": assumptions.NotInVersion, "missing-store": assumptions.NotPermitted,
		"hides-running-snapshot": assumptions.NoObject,
	} {
		if f := report.Finding(name); f.Why == nil || *f.Why != want {
			t.Errorf("%s: got %v, want %s", name, f, want)
		}
	}
	var out bytes.Buffer
	report.Print(&out)
	for _, want := range []string{
		"  holds         fields of a backup configuration that are false: returned  [omits-false]\n",
		"  differs       the lists of namespaces: both (expected: one of them), in 1 of 2  [both-namespace-lists]\n" +
			"                The provider handles this.\n",
		"  unknown       GET of a store that does not exist: the key lacks Global Backup Admin  [missing-store]\n",
		"  unknown       GET of a deployment region: this version doesn't show it; 7.0.4 does  [one-region]\n",
		"1 differ, ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestAReportBeginsWithAVerdictForPeople(t *testing.T) {
	t.Parallel()
	ways := []assumptions.How{assumptions.ByReading, assumptions.InTransition, assumptions.OneWay}
	const (
		canUse  = "You can use the provider here"
		handled = ". 0 differences are handled, "
		cantSay = "so it can't say whether you can use the provider here"
	)
	for want, test := range map[string]struct {
		seen      string // "!" stands before what was seen otherwise
		missed    assumptions.Name
		isPartial bool
	}{
		canUse + ". N facts":                                                        {},
		canUse + ". 1 difference is handled. N facts":                               {seen: "!omits-false"},
		canUse + handled + "2 are new: please report them. N facts":                 {seen: "!decodes !list-pages"},
		canUse + ". 2 differences are handled, 1 is new: please report it. N facts": {seen: "!omits-false !bare-inactive !decodes"},
		canUse + ", but it refuses to change backups in 2 projects, because it can't tell which clusters another product backs up: " +
			"see below, or run the survey with -names" + handled + "1 is new: please report it. N facts": {
			seen: "known-third-party-backup !known-third-party-backup !known-third-party-backup",
		},
		"The survey has seen no schedule, " + cantSay + ": Ops Manager failed to answer. N facts": {missed: "omit-fields"},
		"The survey ended early, " + cantSay + ". N facts":                                        {isPartial: true},
	} {
		evidence, report := assumptions.NewEvidence(assumptions.ParseVersion("8.0.27")), &assumptions.Report{Partial: test.isPartial}
		evidence.See("known-statuses", true)
		for name := range strings.FieldsSeq(test.seen) {
			asked, isOtherwise := strings.CutPrefix(name, "!")
			evidence.See(assumptions.Name(asked), !isOtherwise)
		}
		if test.missed != "" {
			evidence.Miss(test.missed, assumptions.Failed)
		}
		report.Findings = evidence.Findings(ways...)
		writes := 0
		for _, f := range report.Findings {
			if f.Verdict == assumptions.NeedsWrite {
				writes++
			}
		}
		want = strings.ReplaceAll(want, "N facts", fmt.Sprintf("%d facts can only be seen by writing; rehearse first.", writes))
		if got := report.Verdict(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	evidence := assumptions.NewEvidence(assumptions.ParseVersion("8.0.27"))
	evidence.Deny(assumptions.Projects, assumptions.NotPermitted)
	report := &assumptions.Report{Findings: evidence.Findings(ways...)}
	want := "The survey has seen no backup, " + cantSay + ": the key lacks Project Read Only. "
	if got := report.Verdict(); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnOptionOfTheCommandLineCountsMoreThanAReport(t *testing.T) {
	t.Parallel()
	evidence := assumptions.NewEvidence(assumptions.ParseVersion("8.0.27"))
	evidence.See("omits-false", false)
	evidence.See("both-namespace-lists", false)
	report := &assumptions.Report{Version: evidence.Version(), Findings: evidence.Findings()}
	options := emulator.Defaults()
	report.Apply(&options, func(name string) bool { return name == "omits-false" })
	if options.Unknowns.OmitsFalse || !options.Unknowns.BothNamespaceLists || options.ServiceVersion != "8.0.27" {
		t.Errorf("got %+v", options.Unknowns)
	}
}
