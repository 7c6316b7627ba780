package documents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func (r *rehearsal) copied(name string) string { return filepath.Join(r.workspace.Dir+"-rehearsal", name) }

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
