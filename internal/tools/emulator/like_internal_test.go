package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/tools/assumptions"
)

func TestTheEmulatorPlaysTheServerOfAReport(t *testing.T) {
	t.Parallel()
	evidence := assumptions.NewEvidence(assumptions.ParseVersion("8.0.13"))
	evidence.See("omits-false", false)
	evidence.See("both-namespace-lists", false)
	evidence.See("lenient", false)
	evidence.SeeResponse("inactive-schedule", false, 404, "BACKUP_CONFIG_NOT_FOUND")
	file := writeReport(t, evidence)
	c, err := parse([]string{"-omits-false=false", "-like", file}, io.Discard)
	succeed(t, err)
	o := c.options
	if o.ServiceVersion != "8.0.13" || !o.Unknowns.BothNamespaceLists || o.Unknowns.InactiveSchedule != 404 || o.Lenient || o.Unknowns.OmitsFalse ||
		o.Unknowns.ReleaseSetsExpires {
		t.Errorf("got %+v", o)
	}
	if c, err = parse([]string{"-like", file, "-service-version", "9.0.0"}, io.Discard); err != nil || c.options.ServiceVersion != "9.0.0" {
		t.Errorf("got %s, %v", c.options.ServiceVersion, err)
	}
	writes := assumptions.NewEvidence(evidence.Version())
	writes.See("release-sets-expires", false)
	if c, err = parse([]string{"-like", file, "-like", writeReport(t, writes)}, io.Discard); err != nil || !c.options.Unknowns.ReleaseSetsExpires ||
		!c.options.Unknowns.OmitsFalse {
		t.Errorf("got %+v, %v", c.options.Unknowns, err)
	}
	for _, wrong := range []string{filepath.Join(t.TempDir(), "none.json"), "main.go"} {
		if _, err := parse([]string{"-like", wrong}, io.Discard); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: got %v", wrong, err)
		}
	}
}

// writeReport writes a report, and returns its file.
func writeReport(t *testing.T, evidence *assumptions.Evidence) string {
	t.Helper()
	var text bytes.Buffer
	report := &assumptions.Report{Version: evidence.Version(), Findings: evidence.Findings()}
	succeed(t, report.Write(&text))
	file := filepath.Join(t.TempDir(), "report.json")
	succeed(t, os.WriteFile(file, text.Bytes(), 0o600))
	return file
}

func TestTheHelpNamesEachAssumption(t *testing.T) {
	t.Parallel()
	var help output
	_, _ = parse([]string{"-h", "all"}, &help)
	for _, a := range assumptions.All {
		if !regexp.MustCompile(`\n  -?` + string(a.Name) + `\b`).MatchString(help.String()) {
			t.Errorf("-h lacks %s", a.Name)
		}
	}
}
