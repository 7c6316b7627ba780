package assumptions_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/assumptions"
	"terraform-provider-opsmanager/internal/emulator"
)

var update = flag.Bool("update", false, "write the table in CONTRIBUTING.md, and the page with the details")

func TestEachOptionOfTheEmulatorIsAnAssumption(t *testing.T) {
	t.Parallel()
	seen := map[assumptions.Name]bool{}
	for _, a := range assumptions.All {
		if seen[a.Name] {
			t.Errorf("%s is there twice", a.Name)
		}
		seen[a.Name] = true
		isFact := a.How != assumptions.Chosen
		if a.About == "" || isFact && a.Expected == "" {
			t.Errorf("%s does not say what it is about, or what is expected", a.Name)
		}
		if needs := slices.Contains([]assumptions.How{assumptions.InTransition, assumptions.OneWay, assumptions.TakesMore}, a.How); needs && a.Needs == "" {
			t.Errorf("%s does not say what it takes", a.Name)
		}
	}
	for _, group := range new(emulator.Options).Groups() {
		for _, s := range group.Options {
			if !seen[assumptions.Name(s.Name)] {
				t.Errorf("no assumption has the name of the option %s", s.Name)
			}
		}
	}
}

// The names of the assumptions are between two marks of CONTRIBUTING.md, and all about them is on a page of its own.
const (
	contributing = "../../CONTRIBUTING.md"
	page         = "README.md"
	mark         = "<!-- assumptions -->\n"
	end          = "\n<!-- end of assumptions -->"
)

// settled says how each assumption of a kind is settled, from the least to the most that it takes.
var settled = []struct {
	how  assumptions.How
	text string
}{
	{assumptions.ByReading, "`make survey` shows it, if the object exists"},
	{assumptions.InTransition, "`make survey` shows it while something is in transition"},
	{assumptions.OneWay, "`make survey` shows it if it differs. If nothing differs, that proves nothing"},
	{assumptions.OnScratch, "`make testacc-live` shows it"},
	{assumptions.OnStore, "`make testacc-live` shows it with `OPSMANAGER_LIVE_ADMIN=1`"},
	{assumptions.TakesMore, "it takes changes that no test should make"},
	{assumptions.Chosen, "nothing is assumed: these options are settings of the emulator"},
}

// names returns the table with the names of the assumptions.
func names() string {
	names := map[assumptions.How][]string{}
	for _, a := range assumptions.All {
		names[a.How] = append(names[a.How], "`"+string(a.Name)+"`")
	}
	var text strings.Builder
	text.WriteString("\n| settled by | how | assumptions |\n|---|---|---|\n")
	for _, s := range settled {
		fmt.Fprintf(&text, "| *%s* | %s | %s |\n", s.how, s.text, strings.Join(names[s.how], ", "))
	}
	return text.String()
}

// details returns the page with all about the assumptions.
func details() string {
	var text strings.Builder
	text.WriteString("# What the provider and the emulator assume about Ops Manager\n\n" +
		"`go test ./internal/assumptions -update` writes this page. [CONTRIBUTING.md](../../CONTRIBUTING.md#what-only-a-real-server-can-settle) says how an assumption is settled.\n\n" +
		"| assumption | about | the emulator does | settled by | which takes | if it differs |\n|---|---|---|---|---|---|\n")
	for _, a := range assumptions.All {
		if a.How != assumptions.Chosen {
			fmt.Fprintf(&text, "| `%s` | %s | %s | %s | %s | %s |\n", a.Name, a.About, a.Expected, a.How, a.Needs, a.IfDifferent())
		}
	}
	return text.String()
}

func TestContributorsAreToldOfEachAssumption(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(contributing)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), mark)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("CONTRIBUTING.md has no place for the table")
	}
	for _, a := range assumptions.All {
		if !strings.Contains(names(), "`"+string(a.Name)+"`") {
			t.Errorf("the table lacks %s, because it lacks the row %s", a.Name, a.How)
		}
	}
	for path, want := range map[string]string{contributing: before + mark + names() + end + after, page: details()} {
		switch current, err := os.ReadFile(path); {
		case string(current) == want:
		case *update:
			if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is out of date: run go test ./internal/assumptions -update (%v)", path, err)
		}
	}
}
