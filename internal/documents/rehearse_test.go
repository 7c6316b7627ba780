package documents_test

import (
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
	"terraform-provider-opsmanager/internal/tfcli"
)

// rehearsal is a configuration to rehearse, in a folder that everyone can read, with a state in real.tfstate.
type rehearsal struct {
	t         *testing.T
	workspace tfcli.Workspace
	printed   strings.Builder
}

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
	r.workspace.Env = []string{"ADDR=127.0.0.1:8080", "TF_CLI_ARGS_init=-plugin-dir=" + plugins}
	return r
}

func (r *rehearsal) path(name string) string { return filepath.Join(r.workspace.Dir, name) }

func (r *rehearsal) copied(name string) string {
	return filepath.Join(r.workspace.Dir+"-rehearsal", name)
}

func (r *rehearsal) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
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

// prepare runs the script, and returns what it prints.
func (r *rehearsal) prepare(want int) string {
	r.t.Helper()
	script, err := filepath.Abs(root + "tools/rehearse.sh")
	r.must(err)
	r.printed.Reset()
	got, err := r.workspace.RunScript(r.t.Context(), r.script("'"+script+"' ."))
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

func TestOnlyTheUserReadsTheFolderOfARehearsal(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	r.prepare(0)
	for name, want := range map[string]fs.FileMode{".": 0o700, "rehearsal.tfstate": 0o600, "rehearsal_override.tf": 0o600} {
		info, err := os.Stat(r.copied(name))
		r.must(err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
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
	plugins := r.workspace.Env[1]
	r.must(os.MkdirAll(r.path("home/.terraform.d"), 0o700))
	_, mirror, _ := strings.Cut(plugins, "-plugin-dir=")
	r.must(os.Symlink(mirror, r.path("home/.terraform.d/plugins")))
	r.workspace.Env = []string{
		"ADDR=127.0.0.1:8080", "HOME=" + r.path("home"),
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

// In another shell, the variable is missing. The block with an alias leads to a server on this machine that
// accepts the key pair, as a tunnel would.
func TestARehearsalSendsNothingToAnotherOpsManager(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t)
	service := emulator.New(emulator.Options{PublicKey: ownPublicKey, PrivateKey: ownPrivateKey})
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	r.write("eu.tf", `
provider "opsmanager" {
  alias       = "eu"
  base_url    = "`+server.URL+`"
  public_key  = "`+ownPublicKey+`"
  private_key = "`+ownPrivateKey+`"
}
data "opsmanager_projects" "eu" { provider = opsmanager.eu }
`)
	r.run("plan")
	if len(service.Requests()) == 0 {
		t.Error("the server gets no request before the rehearsal")
	}
	r.prepare(0)
	service.ResetRequests()
	got, err := r.workspace.Run(t.Context(), "-chdir="+r.copied("."), "plan", "-no-color")
	if err != nil || got != 1 || !strings.Contains(r.printed.String(), "Not the Key Pair of the Emulator") {
		t.Errorf("exit code %d, %v\n%s", got, err, &r.printed)
	}
	if requests := service.Requests(); len(requests) > 0 {
		t.Errorf("the server gets %d requests", len(requests))
	}
}
