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

var update = flag.Bool("update", false, "write the table in CONTRIBUTING.md")

func TestEachSwitchOfTheEmulatorIsAnAssumption(t *testing.T) {
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
	for _, group := range new(emulator.Options).Switches() {
		for _, s := range group.Switches {
			if !seen[assumptions.Name(s.Name)] {
				t.Errorf("no assumption has the name of the switch %s", s.Name)
			}
		}
	}
}

// The table in CONTRIBUTING.md.
const (
	contributing = "../../CONTRIBUTING.md"
	mark         = "<!-- assumptions -->\n"
	end          = "\n<!-- end of assumptions -->"
)

// table returns the table of the assumptions, which a reader of the page unfolds.
func table() string {
	var rows, reported strings.Builder
	var chosen []string
	facts := 0
	for _, a := range assumptions.All {
		name := "`" + string(a.Name) + "`"
		if a.How == assumptions.Chosen {
			chosen = append(chosen, name)
			continue
		}
		facts++
		if a.Report {
			fmt.Fprintf(&reported, "\n- %s: %s. Expected: %s.", name, a.About, a.Expected)
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", name, a.About, a.Expected, a.How, a.Needs)
	}
	return fmt.Sprintf("\nIf one of these differs on your Ops Manager, please report it. The provider handles differences of all others.\n%s\n\n"+
		"<details>\n<summary>All %d assumptions</summary>\n\n"+
		"| assumption | about | the emulator does | settled by | which takes |\n|---|---|---|---|---|\n%s\n</details>\n\n"+
		"The other switches of the emulator are settings, and assume nothing: %s.\n", &reported, facts, &rows, strings.Join(chosen, ", "))
}

func TestContributorsAreToldOfEachAssumption(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(contributing)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(content), mark)
	current, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("CONTRIBUTING.md has no place for the table")
	}
	want := table()
	switch {
	case current == want:
	case *update:
		if err := os.WriteFile(contributing, []byte(before+mark+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the table in CONTRIBUTING.md is out of date: run go test ./internal/assumptions -update")
	}
}
