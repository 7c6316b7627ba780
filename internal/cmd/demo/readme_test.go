package main

import (
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tfcli"
)

const readme = "../../../README.md"

var update = flag.Bool("update", false, "write into the README what is printed, instead of comparing")

// The story holds, and the README shows what is printed: by the demo, and by the
// README's own first configuration.
func TestTheReadmeShowsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	updated := string(text)

	var story strings.Builder
	if err := run(t.Context(), &story, false); err != nil {
		t.Fatalf("%v\n%s", err, &story)
	}
	plan, planAgain, cli := firstConfiguration(t, block(t, updated, "write a `main.tf`:"))
	for _, b := range []struct{ before, printed string }{
		{"<!-- printed by make demo -->", between(t, story.String(), "\n4. ", "\n5. ")},
		{"<!-- printed by terraform plan -->", between(t, plan, "\nPlan: ", "")},
		{"<!-- printed by terraform plan after terraform apply -->", between(t, planAgain, "\nNo changes.", "")},
	} {
		shown := block(t, updated, b.before)
		switch {
		case *update:
			updated = strings.Replace(updated, shown, b.printed, 1)
		case cli.OpenTofu(): // words some things otherwise
		case !slices.Equal(anyOrder(shown), anyOrder(b.printed)):
			t.Errorf("the README shows\n%s\nwhere this is printed\n%s\nmake generate updates it", shown, b.printed)
		}
	}
	if *update {
		if err := os.WriteFile(readme, []byte(updated), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// firstConfiguration follows the README, and returns what the plan before and
// the plan after the apply print.
func firstConfiguration(t *testing.T, configuration string) (plan, planAgain string, cli tfcli.CLI) {
	t.Helper()
	cli, err := tfcli.Find(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plugins := t.TempDir()
	if err := tfcli.BuildProvider(t.Context(), plugins); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(emulator.New(emulator.Options{}))
	t.Cleanup(server.Close)
	workspace := tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: []string{
		"OPSMANAGER_BASE_URL=" + server.URL,
		"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
		"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
		"TF_CLI_ARGS=-no-color",
	}}
	if err := os.WriteFile(filepath.Join(workspace.Dir, "main.tf"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	terraform := func(args ...string) string {
		var printed strings.Builder
		workspace.Out = &printed
		if exitCode, err := workspace.Run(t.Context(), args...); err != nil || exitCode != 0 {
			t.Fatalf("terraform %s: exit code %d, %v\n%s", args[0], exitCode, err, &printed)
		}
		return printed.String()
	}
	terraform("init", "-plugin-dir="+plugins)
	plan = terraform("plan")
	terraform("apply", "-auto-approve")
	return plan, terraform("plan", "-detailed-exitcode"), cli
}

// block returns the contents of the fenced block that follows a text.
func block(t *testing.T, text, before string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)" + regexp.QuoteMeta(before) + "\n+```[a-z]+\n(.*?)```").FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no block after %q", before)
	}
	return found[1]
}

// between returns what begins with one text and ends before another, or at the end.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	if !found {
		t.Fatalf("%q was not printed:\n%s", from, text)
	}
	if to != "" {
		rest, _, _ = strings.Cut(rest, to)
	}
	return strings.TrimSpace(from+rest) + "\n"
}

// anyOrder sorts lines: which of two things Terraform reads first is chance.
func anyOrder(text string) []string { return slices.Sorted(strings.Lines(text)) }
