package main

import (
	"context"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tfcli"
)

// Where the documents are that show what is printed.
const (
	root   = "../../../"
	readme = root + "README.md"
	guides = root + "templates/guides/*.md.tmpl"
)

var update = flag.Bool("update", false, "write into the documents what is printed, instead of comparing")

// shownBy is the oldest Terraform that prints what the documents show. Older
// ones, and OpenTofu, word some things otherwise: with them the documents are
// followed and nothing is compared.
var shownBy = version.Must(version.NewVersion("1.11.0"))

// A document is followed as its reader would, and shows what is printed: all
// blocks that a comment announces are executed, on an emulator of the document's
// own.
//
//	<!-- write main.tf -->             the block is the contents of that file
//	<!-- run -->                       the block is run by a shell, in which make demo is the demo
//	<!-- run, exit code 2 -->          ... and ends so
//	<!-- printed -->                   the block is what the last one printed
//	<!-- printed from 'a' up to 'b' -->  ... the part from the line that begins so
//	<!-- printed through 'b' -->       ... up to that line, and with it
//	<!-- folder other -->              what follows happens in another folder
//	<!-- needs 1.7 -->                 what follows takes that version at least
func TestTheDocumentsShowWhatIsPrinted(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob(guides)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(documents, readme) {
		t.Run(strings.TrimPrefix(filepath.ToSlash(path), root), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			followed := follow(t, string(text))
			if *update && !t.Failed() {
				if err := os.WriteFile(path, []byte(followed), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// announced is a comment and the block that follows it.
var announced = regexp.MustCompile("(?sm)(<!-- (?:write|run|printed|folder|needs)\\b[^\n]*? -->\n)(?:(\n*```[a-z]*\n)(.*?)(^```\n))?")

// The parts of a comment.
var (
	exitCode = regexp.MustCompile(`^run, exit code (\d)$`)
	excerpt  = regexp.MustCompile(`^printed(?: from '(.*?)')?(?: (up to|through) '(.*?)')?$`)
)

// follow executes a document, and returns it with what was printed.
func follow(t *testing.T, text string) string {
	t.Helper()
	reader := &reader{t: t}
	return announced.ReplaceAllStringFunc(text, func(found string) string {
		if t.Failed() && !*update {
			return found // what follows would fail for the same reason
		}
		parts := announced.FindStringSubmatch(found)
		comment := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(parts[1]), "<!-- "), " -->")
		return parts[1] + parts[2] + reader.obey(comment, parts[3]) + parts[4]
	})
}

// reader is who follows a document.
type reader struct {
	t         *testing.T
	workspace tfcli.Workspace
	service   string // the address of the emulator, from the first block that needs it
	printed   string // by the last command
}

// obey executes one block, and returns what belongs in its place.
func (r *reader) obey(comment, block string) string {
	r.t.Helper()
	verb, argument, _ := strings.Cut(comment, " ")
	switch {
	case comment == "run" && block == "make demo\n":
		var printed strings.Builder
		if err := run(r.t.Context(), &printed, false); err != nil {
			r.t.Fatalf("%v\n%s", err, &printed)
		}
		r.printed = steady(printed.String())
	case comment == "run":
		r.run(block, 0)
	case exitCode.MatchString(comment):
		want, err := strconv.Atoi(exitCode.FindStringSubmatch(comment)[1])
		r.must(err)
		r.run(block, want)
	case excerpt.MatchString(comment):
		return r.compare(block, excerpt.FindStringSubmatch(comment))
	case verb == "write":
		r.prepare()
		r.must(os.WriteFile(filepath.Join(r.workspace.Dir, argument), []byte(block), 0o600))
	case verb == "folder":
		r.prepare()
		r.workspace.Dir = filepath.Join(r.workspace.Dir, argument)
		r.must(os.Mkdir(r.workspace.Dir, 0o700))
	case verb == "needs":
		r.prepare()
		if cli := r.workspace.CLI; cli.Version.LessThan(version.Must(version.NewVersion(argument))) {
			r.t.Skipf("what follows needs version %s; this is %s %s", argument, cli.Name, cli.Version)
		}
	default:
		r.t.Fatalf("what does <!-- %s --> mean?", comment)
	}
	return block
}

// compare returns what is to be shown of what was printed.
func (r *reader) compare(shown string, part []string) string {
	r.t.Helper()
	r.prepare()
	if cli := r.workspace.CLI; cli.OpenTofu() || cli.Version.LessThan(shownBy) {
		r.t.Logf("not compared: %s %s words some things otherwise", cli.Name, cli.Version)
		return shown
	}
	printed := r.between(part[1], part[3], part[2] == "through")
	switch {
	case slices.Equal(anyOrder(shown), anyOrder(printed)):
	case *update:
		return printed
	default:
		r.t.Errorf("shown is\n%s\nwhere this is printed\n%s\nmake generate updates it", shown, printed)
	}
	return shown
}

// between returns the part of what was printed from a line that begins with one
// text to another that begins with the other; from the first, or to the last,
// where a text is empty.
func (r *reader) between(from, to string, through bool) string {
	r.t.Helper()
	rest := "\n" + r.printed
	if from != "" {
		var found bool
		if _, rest, found = strings.Cut(rest, "\n"+from); !found {
			r.t.Fatalf("no line begins with %q:\n%s", from, r.printed)
		}
		rest = from + rest
	}
	if to != "" {
		before, after, _ := strings.Cut(rest, "\n"+to)
		rest = before
		if through {
			line, _, _ := strings.Cut(to+after, "\n")
			rest += "\n" + line
		}
	}
	return strings.Trim(rest, "\n") + "\n"
}

// anyOrder sorts lines: which of two things Terraform reads first is chance.
func anyOrder(text string) []string { return slices.Sorted(strings.Lines(text)) }

// run runs a block as a script, and expects how it ends.
func (r *reader) run(script string, want int) {
	r.t.Helper()
	r.prepare()
	path := filepath.Join(r.t.TempDir(), "block.sh")
	r.must(os.WriteFile(path, []byte(script), 0o600))
	var printed strings.Builder
	r.workspace.Out = &printed
	got, err := r.workspace.RunScript(r.t.Context(), path)
	if err != nil || got != want {
		r.t.Fatalf("%s\nexit code %d, where the document has %d, %v\n%s", script, got, want, err, &printed)
	}
	r.printed = strings.ReplaceAll(steady(printed.String()), r.service, "http://127.0.0.1:8080")
}

// steady returns a text as a machine in no hurry prints it: how long each thing
// took differs from one run to the next.
func steady(text string) string {
	return elapsed.ReplaceAllString(stillBusy.ReplaceAllString(text, ""), "after 0s")
}

var (
	elapsed   = regexp.MustCompile(`after \d+s\b`)
	stillBusy = regexp.MustCompile(`(?m)^.*: Still \w+\.\.\. \[.*elapsed\]\n`)
)

func TestHowLongThingsTakeIsNotCompared(t *testing.T) {
	t.Parallel()
	slow := "a.b: Reading...\na.b: Still reading... [00m10s elapsed]\na.b: Read complete after 12s\n"
	if got, want := steady(slow), "a.b: Reading...\na.b: Read complete after 0s\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// prepare starts the reader's emulator, and installs the provider.
func (r *reader) prepare() {
	r.t.Helper()
	if r.service != "" {
		return
	}
	dir, err := installed()
	r.must(err)
	cli, err := tfcli.Find(r.t.Context(), r.t.TempDir())
	r.must(err)
	server := httptest.NewServer(emulator.New(emulator.Options{}))
	r.t.Cleanup(server.Close)
	r.service = server.URL
	r.workspace = tfcli.Workspace{CLI: cli, Dir: r.t.TempDir(), Env: []string{
		"OPSMANAGER_BASE_URL=" + server.URL + emulator.BasePath,
		"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
		"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
		"TF_CLI_ARGS=-no-color",
		"TF_CLI_ARGS_init=-plugin-dir=" + dir,
		// The reader says yes.
		"TF_CLI_ARGS_apply=-auto-approve",
		"TF_CLI_ARGS_destroy=-auto-approve",
	}}
}

// installed builds the provider, once for all documents.
var installed = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "opsmanager-documents"); err == nil {
		err = tfcli.BuildProvider(context.Background(), dir)
	}
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := installed(); dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

func (r *reader) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}
