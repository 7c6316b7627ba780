package documents_test

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// rehearsal is a configuration to rehearse, in a folder that everyone can read, with a state in real.tfstate.
type rehearsal struct {
	t         *testing.T
	workspace tfcli.Workspace
	addr      string // of the emulator
	printed   strings.Builder
}

// emulatorBinary builds the emulator as make does, and returns its path.
var emulatorBinary = sync.OnceValues(func() (string, error) {
	making.Lock()
	defer making.Unlock()
	binary, err := filepath.Abs(root + "bin/emulator")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "../emulator") //nolint:noctx // for all tests
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the emulator: %w\n%s", err, out)
	}
	return binary, nil
})

func newRehearsal(t *testing.T) *rehearsal {
	t.Helper()
	cli, plugins := providertest.InstalledProvider(t)
	r := &rehearsal{t: t, workspace: tfcli.Workspace{CLI: cli, Dir: filepath.Join(t.TempDir(), "backups")}}
	r.must(os.Mkdir(r.workspace.Dir, 0o755)) //nolint:gosec // the copy must not have this mode
	r.workspace.Out = &r.printed
	r.write("main.tf", `
terraform {
  required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }
  backend "local" {}
}
output "daily_snapshot_retention_days" { value = 30 }
`)
	r.run("init", "-plugin-dir="+plugins, "-backend-config=path="+r.path("real.tfstate"))
	r.run("apply", "-auto-approve")
	r.workspace.Env = []string{"TF_CLI_ARGS_init=-plugin-dir=" + plugins}
	r.addr = "127.0.0.1:8080"
	return r
}

func (r *rehearsal) path(name string) string { return filepath.Join(r.workspace.Dir, name) }

func (r *rehearsal) copied(name string) string {
	return filepath.Join(r.workspace.Dir+"-rehearsal", name)
}

func (r *rehearsal) must(err error) {
	r.t.Helper()
	succeed(r.t, err)
}

func (r *rehearsal) write(name, text string) {
	r.t.Helper()
	r.must(os.WriteFile(r.path(name), []byte(text), 0o600))
}

func (r *rehearsal) run(args ...string) {
	r.t.Helper()
	if got, err := r.workspace.Run(r.t.Context(), args...); err != nil || got != 0 {
		r.t.Fatalf("terraform %s: exit code %d, %v\n%s", strings.Join(args, " "), got, err, &r.printed)
	}
}

// prepare prepares the rehearsal, and returns what that prints.
func (r *rehearsal) prepare(want int) string {
	r.t.Helper()
	binary, err := emulatorBinary()
	r.must(err)
	r.printed.Reset()
	got, err := r.workspace.RunScript(r.t.Context(), r.script("'"+binary+"' -addr "+r.addr+" -terraform \"$TERRAFORM\" -rehearse ."))
	if err != nil || got != want {
		r.t.Fatalf("exit code %d, want %d: %v\n%s", got, want, err, &r.printed)
	}
	return r.printed.String()
}

// script returns the path of a file with a script.
func (r *rehearsal) script(text string) string {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "script")
	r.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestARehearsalHasItsOwnState(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	before, err := os.ReadFile(r.path("real.tfstate"))
	r.must(err)
	unchanged := func() {
		t.Helper()
		if after, err := os.ReadFile(r.path("real.tfstate")); err != nil || string(after) != string(before) {
			t.Errorf("%v, the state is\n%s", err, after)
		}
	}

	r.write("state_override.tf", `terraform {
  backend "local" { path = "`+r.path("real.tfstate")+`" }
}`)
	r.must(os.Rename(r.path(".terraform"), r.path("data")))
	r.workspace.Env = append(r.workspace.Env, "TF_DATA_DIR=data")
	r.run("init", "-reconfigure")
	if printed := r.prepare(1); !strings.Contains(printed, "would not be rehearsal.tfstate") {
		t.Error(printed)
	}
	if _, err := os.Stat(r.copied(".")); err == nil {
		t.Error("the folder is still there")
	}
	unchanged()

	r.must(os.Remove(r.path("state_override.tf")))
	r.run("init", "-reconfigure", "-backend-config=path="+r.path("real.tfstate"))
	plugins := r.workspace.Env[0]
	r.must(os.MkdirAll(r.path("home/.terraform.d"), 0o700))
	_, mirror, _ := strings.Cut(plugins, "-plugin-dir=")
	r.must(os.Symlink(mirror, r.path("home/.terraform.d/plugins")))
	r.workspace.Env = []string{
		"HOME=" + r.path("home"),
		"TF_DATA_DIR=data", "TF_WORKSPACE=default", "TF_CLI_ARGS_init=-backend-config=path=" + r.path("real.tfstate"),
		"TF_CLI_ARGS_apply=-auto-approve -state=" + r.path("real.tfstate"), "TF_CLI_ARGS_plan=-parallelism=2",
	}
	_, commands, found := strings.Cut(r.prepare(0), "\n\n")
	unset, _, _ := strings.Cut(commands, "\n")
	if !found || unset != "unset TF_CLI_ARGS_apply TF_CLI_ARGS_init TF_DATA_DIR TF_WORKSPACE" {
		t.Errorf("the commands are %q", commands)
	}
	r.write("../backups-rehearsal/main_override.tf", `output "daily_snapshot_retention_days" { value = 60 }`)
	script := r.script(commands + "cd ../backups-rehearsal\nterraform apply -auto-approve\n")
	if got, err := r.workspace.RunScript(t.Context(), script); err != nil || got != 0 {
		t.Fatalf("exit code %d, %v\n%s", got, err, &r.printed)
	}
	unchanged()
	if text, err := os.ReadFile(r.copied("rehearsal.tfstate")); err != nil || !strings.Contains(string(text), "60") {
		t.Errorf("%v, the state of the rehearsal is\n%s", err, text)
	}
}

// The variable is missing, as in another shell. All provider blocks but the first one lead to a server on this
// machine that accepts their key pair, as a tunnel would. The first one leads there before the rehearsal.
func TestARehearsalSendsNothingToAnotherOpsManager(t *testing.T) {
	t.Parallel()
	original := emulator.New(emulator.Options{PublicKey: ownPublicKey, PrivateKey: ownPrivateKey})
	server := httptest.NewServer(original)
	t.Cleanup(server.Close)
	copied := emulator.New(emulator.Options{})
	copyServer := httptest.NewServer(copied)
	t.Cleanup(copyServer.Close)
	settings := settingsOf(server.URL)
	const schedule = `
resource "opsmanager_snapshot_schedule" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"

  daily_snapshot_retention_days = 60
}
`
	for name, c := range map[string]struct{ main, module, refused string }{
		"alias": {
			main:    "provider \"opsmanager\" {\n  alias = \"eu\"" + settings + "}\ndata \"opsmanager_projects\" \"eu\" { provider = opsmanager.eu }\n",
			refused: "Not the Key Pair of the Emulator",
		},
		"alias of module": {
			main: "provider \"opsmanager\" {\n  alias = \"eu\"" + settings +
				"}\nmodule \"eu\" {\n  source = \"./eu\"\n  providers = { opsmanager = opsmanager.eu }\n}\n",
			module: "data \"opsmanager_projects\" \"eu\" {}\n", refused: "Not the Key Pair of the Emulator",
		},
		"block of module": {
			main:    "module \"eu\" {\n  source = \"./eu\"\n}\n",
			module:  "provider \"opsmanager\" {" + settings + "}\ndata \"opsmanager_projects\" \"eu\" {}\n",
			refused: "Not the Key Pair of the Emulator",
		},
		"no other block":         {main: schedule},
		"module without a block": {main: "module \"eu\" {\n  source = \"./eu\"\n}\n", module: schedule},
	} {
		r := newRehearsal(t)
		r.write("provider.tf", "provider \"opsmanager\" {"+settings+"}\n")
		r.write("other.tf", c.main)
		if c.module != "" {
			r.must(os.Mkdir(r.path("eu"), 0o700))
			r.write("eu/main.tf", "terraform {\n"+requiredProviders+"\n}\n"+c.module)
		}
		r.run("init")
		before, err := os.ReadFile(r.path("real.tfstate"))
		r.must(err)
		original.ResetRequests()
		r.run("plan")
		if len(original.Requests()) == 0 {
			t.Errorf("%s: the server gets no request before the rehearsal", name)
		}
		r.addr = strings.TrimPrefix(copyServer.URL, "http://")
		r.prepare(0)
		original.ResetRequests()
		copied.ResetRequests()
		r.printed.Reset()
		got, err := r.workspace.Run(t.Context(), "-chdir="+r.copied("."), "apply", "-no-color", "-auto-approve")
		switch {
		case err != nil, (got != 0) != (c.refused != ""), !strings.Contains(r.printed.String(), c.refused):
			t.Errorf("%s: exit code %d, %v\n%s", name, got, err, &r.printed)
		case c.refused == "" && len(copied.Requests()) == 0:
			t.Errorf("%s: the copy gets no request", name)
		}
		if requests := original.Requests(); len(requests) > 0 {
			t.Errorf("%s: the server gets %d requests", name, len(requests))
		}
		if after, err := os.ReadFile(r.path("real.tfstate")); err != nil || string(after) != string(before) {
			t.Errorf("%s: %v, the state is\n%s", name, err, after)
		}
	}
	if days := copied.Schedule("64f0c2a19b3d5e7f80a1b2c3", "650a1f3c2e4b6d8091a3b5c7")["dailySnapshotRetentionDays"]; days != 60.0 {
		t.Errorf("the copy keeps daily snapshots for %v days", days)
	}
}

// The folder has a configuration of its own, which no override file changes, and leads to a server that accepts
// its key pair.
func TestASubfolderOfARehearsalSendsNothing(t *testing.T) {
	t.Parallel()
	original := emulator.New(emulator.Options{PublicKey: ownPublicKey, PrivateKey: ownPrivateKey})
	server := httptest.NewServer(original)
	t.Cleanup(server.Close)
	r := newRehearsal(t)
	r.must(os.Mkdir(r.path("eu"), 0o700))
	r.write(
		"eu/main.tf",
		"terraform {\n"+requiredProviders+"\n}\nprovider \"opsmanager\" {"+settingsOf(server.URL)+"}\ndata \"opsmanager_projects\" \"all\" {}\n",
	)
	r.prepare(0)
	r.workspace.Env = append(r.workspace.Env, "PWD="+r.workspace.Dir)
	r.run("-chdir="+r.path("eu"), "init")
	r.run("-chdir="+r.path("eu"), "plan")
	if len(original.Requests()) == 0 {
		t.Error("the server gets no request before the rehearsal")
	}
	original.ResetRequests()
	r.run("-chdir="+r.copied("eu"), "init")
	for _, shell := range []string{r.workspace.Dir, r.copied("eu")} {
		r.workspace.Env = append(r.workspace.Env, "PWD="+shell)
		r.printed.Reset()
		if got, err := r.workspace.Run(t.Context(), "-chdir="+r.copied("eu"), "plan", "-no-color"); err != nil || got != 1 ||
			!strings.Contains(r.printed.String(), "Inside of a Rehearsal") {
			t.Errorf("exit code %d, %v\n%s", got, err, &r.printed)
		}
	}
	if requests := original.Requests(); len(requests) > 0 {
		t.Errorf("the server gets %d requests", len(requests))
	}
}

// settingsOf returns the settings of a provider block for the own Ops Manager of a test.
func settingsOf(address string) string {
	return `
  base_url    = "` + address + `"
  public_key  = "` + ownPublicKey + `"
  private_key = "` + ownPrivateKey + `"
`
}

// rehearseOutput prepares the rehearsal, and applies another output in it. The state of the rehearsal must be
// the prior one with that output.
func (r *rehearsal) rehearseOutput(lineage string) {
	r.t.Helper()
	r.prepare(0)
	if text, err := os.ReadFile(r.copied("rehearsal.tfstate")); err != nil || !strings.Contains(string(text), lineage) {
		r.t.Fatalf("%v, the state of the rehearsal is\n%s", err, text)
	}
	r.must(os.WriteFile(r.copied("main_override.tf"), []byte(`output "daily_snapshot_retention_days" { value = 60 }`), 0o600))
	r.run("-chdir="+r.copied("."), "apply", "-auto-approve")
	if text, err := os.ReadFile(r.copied("rehearsal.tfstate")); err != nil || !strings.Contains(string(text), lineage) ||
		!regexp.MustCompile(`"value": ?60`).Match(text) {
		r.t.Errorf("%v, the state of the rehearsal is\n%s", err, text)
	}
}

// lineage returns what tells a state from others.
func (r *rehearsal) lineage(state string) string {
	r.t.Helper()
	found := regexp.MustCompile(`"lineage": ?"([^"]+)"`).FindStringSubmatch(state)
	if found == nil {
		r.t.Fatalf("this state has no lineage:\n%s", state)
	}
	return found[1]
}

const requiredProviders = `required_providers {
    opsmanager = { source = "terraform.local/local/opsmanager" }
  }`

func TestARehearsalOnlyReadsAStateOnAServer(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	var mu sync.Mutex
	var state []byte
	var written int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if request.Method != http.MethodGet {
			written++
			state, _ = io.ReadAll(request.Body)
		} else if state == nil {
			w.WriteHeader(http.StatusNotFound)
		} else {
			_, _ = w.Write(state)
		}
	}))
	t.Cleanup(server.Close)
	r.write("main.tf", `terraform {
  `+requiredProviders+`
  backend "http" {}
}
output "daily_snapshot_retention_days" { value = 30 }
`)
	r.workspace.Env[0] += " -backend-config=address=" + server.URL // partial configuration, as in a pipeline
	r.run("init", "-migrate-state", "-force-copy")
	r.run("apply", "-auto-approve")
	mu.Lock()
	before := string(state)
	written = 0
	mu.Unlock()
	// The preparation removes these arguments, with the folder of the provider.
	_, mirror, _ := strings.Cut(strings.Fields(r.workspace.Env[0])[0], "-plugin-dir=")
	r.must(os.MkdirAll(r.path("../home/.terraform.d"), 0o700))
	r.must(os.Symlink(mirror, r.path("../home/.terraform.d/plugins")))
	r.workspace.Env = append(r.workspace.Env, "HOME="+r.path("../home"))
	r.rehearseOutput(r.lineage(before))
	mu.Lock()
	defer mu.Unlock()
	if written > 0 || string(state) != before {
		t.Errorf("the rehearsal has written the state %d times:\n%s", written, state)
	}
}

func TestARehearsalTakesTheStateOfTheWorkspaceAndOnlyTheUserReadsIt(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	r.run("workspace", "new", "prod")
	r.run("apply", "-auto-approve")
	file := r.path("terraform.tfstate.d/prod/real.tfstate")
	if _, err := os.Stat(file); err != nil {
		file = r.path("terraform.tfstate.d/prod/terraform.tfstate")
	}
	before, err := os.ReadFile(file)
	r.must(err)
	r.rehearseOutput(r.lineage(string(before)))
	for name, want := range map[string]fs.FileMode{".": 0o700, "rehearsal.tfstate": 0o600, "rehearsal_override.tf": 0o600} {
		info, err := os.Stat(r.copied(name))
		r.must(err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("%v, the state is\n%s", err, after)
	}
}

// These tests have no such server: the state comes from a file, and everything else from the real binary.
func TestARehearsalReplacesEachBackend(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]string{
		"cloud":  `cloud { organization = "example", workspaces { name = "backups" } }`,
		"remote": `backend "remote" { organization = "example", workspaces { name = "backups" } }`,
		"s3":     `backend "s3" { key = "backups" }`,
		"none":   ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRehearsal(t)
			before, err := os.ReadFile(r.path("real.tfstate"))
			r.must(err)
			block = strings.NewReplacer("{ ", "{\n", " }", "\n}", ", ", "\n").Replace(block)
			r.write("main.tf", "terraform {\n"+requiredProviders+"\n"+block+"\n}\noutput \"daily_snapshot_retention_days\" { value = 30 }\n")
			wrapper := r.path("../terraform")
			text := "#!/bin/sh\nif [ \"$*\" = 'state pull' ]; then exec cat '" + r.path("real.tfstate") + "'; fi\nexec '" + r.workspace.CLI.Path + "' \"$@\"\n"
			r.must(os.WriteFile(wrapper, []byte(text), 0o700)) //nolint:gosec // it is executed
			r.workspace.CLI.Path = wrapper
			r.rehearseOutput(r.lineage(string(before)))
			if after, err := os.ReadFile(r.path("real.tfstate")); err != nil || string(after) != string(before) {
				t.Errorf("%v, the state is\n%s", err, after)
			}
		})
	}
}

func TestAFolderThatIsNotCopiedCompletelyIsNotRehearsed(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	r.must(exec.CommandContext(t.Context(), "mkfifo", r.path("pipe")).Run())
	if printed := r.prepare(1); !strings.Contains(printed, "could not be copied completely") {
		t.Error(printed)
	}
	if _, err := os.Stat(r.copied(".")); err == nil {
		t.Error("the folder is still there")
	}
}

// Another one has made the folder.
func TestARehearsalThatIsBeingPreparedIsNotDisturbed(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	r.must(os.Mkdir(r.copied("."), 0o700))
	r.must(os.WriteFile(r.copied("rehearsal.tfstate"), []byte("theirs\n"), 0o600))
	if printed := r.prepare(1); !strings.Contains(printed, "backups-rehearsal exists, delete it to begin again") {
		t.Error(printed)
	}
	if state, err := os.ReadFile(r.copied("rehearsal.tfstate")); err != nil || string(state) != "theirs\n" {
		t.Errorf("%v, the state of the other one is %q", err, state)
	}
}

func TestARehearsalHasTheFilesAndLinksOfTheFolder(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	for _, folder := range []string{"modules/a", "modules/.terraform", ".git"} {
		r.must(os.MkdirAll(r.path(folder), 0o700))
		r.write(folder+"/main.tf", "# "+folder)
	}
	r.must(os.Symlink("modules/a/main.tf", r.path("link.tf")))
	r.must(os.WriteFile(r.path("check.sh"), []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // it is executed
	r.prepare(0)
	for name, want := range map[string]string{
		"main.tf": "-rw-------", "modules/a": "drwx------", "modules/a/main.tf": "-rw-------", "link.tf": "Lrwxrwxrwx", "check.sh": "-rwx------",
		"modules/.terraform": "", ".git": "", "real.tfstate": "-rw-------",
	} {
		got := ""
		if info, err := os.Lstat(r.copied(name)); err == nil {
			got = info.Mode().String()
		}
		if got != want {
			t.Errorf("%s has the mode %q, want %q", name, got, want)
		}
	}
}

func TestMakeRehearseNeedsAFolder(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"", "DIR=~/backups"}, {"DIR=~/no such folder", "no such folder"}} {
		args := []string{"--no-print-directory", "-C", root, "rehearse"}
		if c[0] != "" {
			args = append(args, c[0])
		}
		making.Lock()
		out, err := exec.CommandContext(t.Context(), "make", args...).CombinedOutput()
		making.Unlock()
		if err == nil || !strings.Contains(string(out), c[1]) || strings.Contains(string(out), "mirror") {
			t.Errorf("make rehearse %s: %v\n%s", c[0], err, out)
		}
	}
}
