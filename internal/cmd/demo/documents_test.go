package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

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
// own, in a folder and a home directory of its own. A block that begins with make
// is run where the sources are, and make emulator goes on in another terminal.
// What a block exports stays exported.
//
//	<!-- write main.tf -->             the block is the contents of that file
//	<!-- run -->                       the block is run by a shell
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
	home      string
	installs  bool     // the provider, instead of finding it installed
	exports   []string // lines that every later block begins with
	service   string   // the address of the emulator, from the first block that needs it
	printed   string   // by the last command
}

// obey executes one block, and returns what belongs in its place.
func (r *reader) obey(comment, block string) string {
	r.t.Helper()
	r.prepare()
	verb, argument, _ := strings.Cut(comment, " ")
	if _, err := exec.LookPath("curl"); err != nil && strings.Contains(block, "curl ") {
		r.t.Skip("what follows needs curl, which is not here")
	}
	switch {
	case comment == "run" && block == "make demo\n":
		var printed strings.Builder
		if err := run(r.t.Context(), &printed, false); err != nil {
			r.t.Fatalf("%v\n%s", err, &printed)
		}
		r.printed = steady(printed.String())
	case comment == "run" && strings.HasPrefix(block, "make emulator"):
		r.serve(block)
	case comment == "run":
		r.run(block, 0)
	case exitCode.MatchString(comment):
		want, err := strconv.Atoi(exitCode.FindStringSubmatch(comment)[1])
		r.must(err)
		r.run(block, want)
	case excerpt.MatchString(comment):
		return r.compare(block, excerpt.FindStringSubmatch(comment))
	case verb == "write":
		path := filepath.Join(r.workspace.Dir, argument)
		r.must(os.MkdirAll(filepath.Dir(path), 0o700))
		r.must(os.WriteFile(path, []byte(strings.ReplaceAll(block, shownHome, r.home)), 0o600))
	case verb == "folder":
		r.workspace.Dir = filepath.Join(r.workspace.Dir, argument)
		r.must(os.MkdirAll(r.workspace.Dir, 0o700))
	case verb == "needs":
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
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "export ") || strings.HasPrefix(line, "unset ") {
			r.exports = append(r.exports, line)
		}
	}
	where := r.workspace
	if strings.HasPrefix(script, "make ") {
		r.installs = r.installs || !strings.HasPrefix(script, "make emulator")
		where.Dir = root
		making.Lock()
		defer making.Unlock()
	} else if r.service == "" {
		server := httptest.NewServer(emulator.New(emulator.Options{}))
		r.t.Cleanup(server.Close)
		r.service = server.Listener.Addr().String()
		r.exports = append(r.exports,
			"export OPSMANAGER_BASE_URL="+server.URL+emulator.BasePath+"\n",
			"export OPSMANAGER_PUBLIC_KEY="+emulator.DefaultPublicKey+"\n",
			"export OPSMANAGER_PRIVATE_KEY="+emulator.DefaultPrivateKey+"\n")
	}
	var printed strings.Builder
	where.Out = &printed
	where.Env = r.environment()
	got, err := where.RunScript(r.t.Context(), r.script(script))
	if err != nil || got != want {
		r.t.Fatalf("%s\nexit code %d, where the document has %d, %v\n%s", script, got, want, err, &printed)
	}
	r.printed = r.told(printed.String())
}

// making keeps documents from building into bin/ at the same time.
var making sync.Mutex

// serve runs an emulator until the document ends.
func (r *reader) serve(script string) {
	r.t.Helper()
	making.Lock()
	defer making.Unlock()
	command := exec.CommandContext(r.t.Context(), "sh", "-euc", strings.Join(r.exports, "")+"exec "+script)
	command.Dir = root
	command.Env = append(os.Environ(), append(r.environment(), "MAKEFLAGS=ADDR=127.0.0.1:0")...)
	out, err := command.StdoutPipe()
	r.must(err)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // make passes it on
	command.WaitDelay = 10 * time.Second
	r.must(command.Start())
	r.t.Cleanup(func() { _ = command.Wait() }) // once the context of the test has ended

	var printed strings.Builder
	lines := bufio.NewScanner(out)
	for r.service == "" || lines.Text() != "" { // the last line is empty
		if !lines.Scan() {
			r.t.Fatalf("%s\nended: %v\n%s", script, lines.Err(), &printed)
		}
		fmt.Fprintln(&printed, lines.Text())
		if address := serving.FindStringSubmatch(lines.Text()); address != nil {
			r.service = address[1]
		}
	}
	r.printed = r.told(printed.String())
}

// serving is the line of the emulator that tells its address.
var serving = regexp.MustCompile(`^export OPSMANAGER_BASE_URL='https?://([^/]+)/`)

// script writes a block into a file, with what was exported before it.
func (r *reader) script(block string) string {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "block.sh")
	r.must(os.WriteFile(path, []byte(strings.ReplaceAll(strings.Join(r.exports, "")+block, shownAddress, cmp.Or(r.service, shownAddress))), 0o600))
	return path
}

// told returns what was printed as the document shows it.
func (r *reader) told(printed string) string {
	if r.service != "" {
		printed = strings.ReplaceAll(printed, r.service, shownAddress)
	}
	return strings.NewReplacer(r.home, shownHome, runtime.GOOS+"_"+runtime.GOARCH, "linux_amd64").Replace(steady(printed))
}

// Where the documents have the emulator, and the reader's home directory.
const (
	shownAddress = "127.0.0.1:8080"
	shownHome    = "/home/you"
)

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

// prepare finds Terraform, once.
func (r *reader) prepare() {
	r.t.Helper()
	if r.home != "" {
		return
	}
	cli, err := tfcli.Find(r.t.Context(), r.t.TempDir())
	r.must(err)
	r.home = r.t.TempDir()
	r.workspace = tfcli.Workspace{CLI: cli, Dir: r.t.TempDir()}
}

// environment returns what the reader's commands find, beside what they inherit.
func (r *reader) environment() []string {
	r.t.Helper()
	env := []string{
		"HOME=" + r.home,
		"MAKEFLAGS=", "MAKELEVEL=", // of the make that runs the tests
		"TF_CLI_ARGS=-no-color",
		// The reader says yes.
		"TF_CLI_ARGS_apply=-auto-approve",
		"TF_CLI_ARGS_destroy=-auto-approve",
	}
	// Go's folders do not move with the home directory.
	names := []string{"GOPATH", "GOCACHE", "GOMODCACHE", "GOENV"}
	values, err := exec.CommandContext(r.t.Context(), "go", append([]string{"env"}, names...)...).Output()
	r.must(err)
	for i, value := range strings.Split(strings.TrimSuffix(string(values), "\n"), "\n") {
		env = append(env, names[i]+"="+strings.TrimSpace(value))
	}
	if !r.installs {
		dir, err := installed()
		r.must(err)
		env = append(env, "TF_CLI_ARGS_init=-plugin-dir="+dir)
	}
	return env
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
