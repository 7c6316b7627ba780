package assumptions_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

var update = flag.Bool("update", false, "write the page of the assumptions")

func TestEachOptionOfTheEmulatorIsAnAssumption(t *testing.T) {
	t.Parallel()
	seen := map[assumptions.Name]bool{}
	for _, a := range assumptions.All {
		if seen[a.Name] {
			t.Errorf("%s is there twice", a.Name)
		}
		seen[a.Name] = true
		if a.About == "" || a.Expected == "" {
			t.Errorf("%s does not say what it is about, or what is expected", a.Name)
		}
		if needs := slices.Contains([]assumptions.How{assumptions.InTransition, assumptions.OneWay, assumptions.TakesMore}, a.How); needs && a.Needs == "" {
			t.Errorf("%s does not say what it takes", a.Name)
		}
	}
	for _, group := range new(emulator.Options).Groups() {
		for _, s := range group.Options {
			isSetting := slices.Contains(settings, s.Name)
			isAssumption := seen[assumptions.Name(s.Name)]
			switch {
			case !isSetting && !isAssumption:
				t.Errorf("option %s has no entry in internal/tools/assumptions. Add it, then run make generate.", s.Name)
			case isSetting && isAssumption:
				t.Errorf("option %s is a setting and an assumption", s.Name)
			}
		}
	}
}

// settings are the options of the emulator that stand for no fact about Ops Manager.
var settings = []string{
	"service-version", "unlisted-calls", "public-key", "private-key", "latency", "transition-reads", "transition-time", "no-stores", "unreported-starts",
	"restore-reads", "restore-outcome", "keys",
}

// settled says how each assumption of a kind is settled, from the least to the most that it takes.
var settled = []struct {
	how         assumptions.How
	title, text string
}{
	{assumptions.ByReading, "By reading", "`make survey` shows these, if the object exists."},
	{assumptions.InTransition, "By reading in time", "`make survey` shows these while something is in transition."},
	{assumptions.OneWay, "By reading, one way", "`make survey` shows these if they differ. If nothing differs, that proves nothing."},
	{assumptions.OnScratch, "By a write to a scratch cluster", "`make testacc-live` shows these."},
	{assumptions.OnStore, "By a write of a scratch store", "`make testacc-live` shows these with `OPSMANAGER_LIVE_ADMIN=1`."},
	{assumptions.TakesMore, "By more than that", "These take changes that no test should make."},
}

// page returns the page of the assumptions, with a line for each.
func page() string {
	var text strings.Builder
	text.WriteString("# What the provider and the emulator assume about Ops Manager\n\n" +
		"If the documentation leaves a response open, the emulator gives the most likely one. " +
		"Most assumptions have an option of the emulator with the same name for another response: see `make emulator ARGS='-h all'`. " +
		"`make survey` uses the same names, and says what it needs to show one. " +
		"[CONTRIBUTING.md](../../../CONTRIBUTING.md#a-real-ops-manager) explains how to run it.\n\n" +
		"The provider handles a difference, unless the name is followed by **report**: then please report it.\n\n" +
		"`make generate` writes this page.\n")
	for _, s := range settled {
		fmt.Fprintf(&text, "\n## %s\n\n%s\n\n| assumption | about | the emulator's response |\n|---|---|---|\n", s.title, s.text)
		for _, a := range assumptions.All {
			if a.How != s.how {
				continue
			}
			mark := ""
			if a.Report {
				mark = " **report**"
			}
			fmt.Fprintf(&text, "| `%s`%s | %s | %s |\n", a.Name, mark, a.About, a.Expected)
		}
	}
	return text.String()
}

func TestThePageHasEachAssumption(t *testing.T) {
	t.Parallel()
	want := page()
	for _, a := range assumptions.All {
		if !strings.Contains(want, "| `"+string(a.Name)+"`") {
			t.Errorf("the page lacks %s, because it lacks %q", a.Name, a.How)
		}
	}
	switch current, err := os.ReadFile("README.md"); {
	case string(current) == want:
	case *update:
		if err := os.WriteFile("README.md", []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("README.md is out of date: run make generate (%v)", err)
	}
}
