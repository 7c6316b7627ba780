package providertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"terraform-provider-opsmanager/internal/provider/tf"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// Main runs the tests of a package, and exits with their exit code. Terraform ignores the CLI
// configuration of this machine. Each TestMain calls Main.
func Main(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// Tests produce much garbage and keep little. Collecting it less often saves a third of their
	// time.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(2 << 30)
	defer os.RemoveAll(installDir)

	// Each run draws the same sequences, so it fails for what a change broke, and not by luck. The scheduled
	// workflow draws others. A sequence that fails isn't minimized: that has no limit in a bubble, whose clock
	// stands still.
	for name, value := range map[string]string{
		"rapid.checks":     "12",
		"rapid.seed":       "1",
		"rapid.shrinktime": "0s",
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}

	tf.Rounds = 10 // its own tests use the real number

	if err := os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Acceptance skips an acceptance test with -short: one that starts Terraform, or the conformance
// suite.
func Acceptance(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("an acceptance test, which runs without -short")
	}
}

// Terraform runs the steps with real Terraform or OpenTofu. After each step that
// applies, the test fails if the next plan is not empty.
func Terraform(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	CLI(t)
	resource.Test(t, resource.TestCase{
		IsUnitTest:               true, // it needs only the emulator
		ProtoV6ProviderFactories: Factories(),
		Steps:                    steps,
	})
}

// AfterApply is called after the apply of a step, before the next plan.
type AfterApply func()

// CheckState implements statecheck.StateCheck.
func (f AfterApply) CheckState(context.Context, statecheck.CheckStateRequest, *statecheck.CheckStateResponse) {
	f()
}

// installDir is the directory of the files that the tests of a package share. Main removes it.
var installDir = filepath.Join(os.TempDir(), fmt.Sprintf("opsmanager-terraform-%d", os.Getpid()))

// initialized is a directory in which terraform init has run.
var initialized = filepath.Join(installDir, "initialized")

var (
	// Finds Terraform or OpenTofu for the first test that needs it, and sets what
	// terraform-plugin-testing reads.
	installedCLI = sync.OnceValues(func() (tfcli.CLI, error) {
		cli, err := tfcli.Find(context.Background(), installDir)
		if err == nil {
			err = os.Setenv("TF_ACC_TERRAFORM_PATH", cli.Path)
		}
		if err == nil && cli.OpenTofu() {
			err = os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
		}
		return cli, err
	})
	// Builds the provider for the first test that needs it, and initializes a directory with it.
	installedPlugins = sync.OnceValues(func() (dir string, err error) {
		cli, err := installedCLI()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(installDir, "plugins")
		if err := buildProvider(cli.ProviderBinary(dir)); err != nil {
			return "", err
		}
		if err := os.MkdirAll(initialized, 0o700); err != nil {
			return "", err
		}
		configuration := filepath.Join(initialized, "main.tf")
		if err := os.WriteFile(configuration, []byte(RequiredProvider), 0o600); err != nil {
			return "", err
		}
		var printed strings.Builder
		w := tfcli.Workspace{
			CLI: cli,
			Dir: initialized,
			Out: &printed,
		}
		if exitCode, err := w.Run(context.Background(), "init", "-plugin-dir="+dir); err != nil || exitCode != 0 {
			return "", fmt.Errorf("terraform init: exit code %d, %w\n%s", exitCode, err, &printed)
		}
		return dir, os.Remove(configuration)
	})
)

// buildProvider builds a provider that waits for seconds where the released one waits for minutes. go run keeps what
// it links in the build cache, so the tests of many packages link the provider once.
func buildProvider(binary string) error {
	if err := os.MkdirAll(filepath.Dir(binary), 0o700); err != nil {
		return err
	}
	const shorter = "-ldflags=-s -w -X=terraform-provider-opsmanager/internal/provider.settleTime=4s"
	// For all tests.
	build := exec.Command("go", "run", "-trimpath", shorter, "-exec=cp", "terraform-provider-opsmanager", binary) //nolint:noctx
	build.Env = append(os.Environ(), "CGO_ENABLED=0")                                                             // as make does
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider: %w\n%s", err, out)
	}
	return nil
}

// RequiredProvider is the block that names the source of the provider.
const RequiredProvider = "terraform {\n  required_providers {\n    opsmanager = { source = \"terraform.local/local/opsmanager\" }\n  }\n}\n"

// CLI returns the installed Terraform or OpenTofu for an acceptance test.
func CLI(t *testing.T) tfcli.CLI {
	t.Helper()
	Acceptance(t)
	cli, err := installedCLI()
	if err != nil {
		t.Fatal(err)
	}
	return cli
}

// InstalledProvider returns the installed Terraform or OpenTofu, and a filesystem mirror
// for -plugin-dir, for an acceptance test. The first call of a package builds the provider.
func InstalledProvider(t *testing.T) (cli tfcli.CLI, plugins string) {
	t.Helper()
	cli = CLI(t)
	plugins, err := installedPlugins()
	if err != nil {
		t.Fatal(err)
	}
	return cli, plugins
}

// Folder is a working directory for real Terraform.
type Folder struct {
	tfcli.Workspace
	T *testing.T
}

// Write writes a file into the folder.
func (f Folder) Write(name, text string) {
	f.T.Helper()
	err := os.WriteFile(filepath.Join(f.Dir, name), []byte(text), 0o600)
	if err != nil {
		f.T.Fatal(err)
	}
}

// Copy copies a file into the folder.
func (f Folder) Copy(path string) {
	f.T.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		f.T.Fatal(err)
	}
	f.Write(filepath.Base(path), string(text))
}

// Init initializes the folder as terraform init does for a configuration without modules that requires no other
// provider. It copies what terraform init wrote once, because that takes a start of Terraform for each folder.
func (f Folder) Init() {
	f.T.Helper()
	InstalledProvider(f.T)
	if err := os.CopyFS(f.Dir, os.DirFS(initialized)); err != nil {
		f.T.Fatal(err)
	}
}

// MustRun runs a command that must succeed, and returns its output.
func (f Folder) MustRun(args ...string) string {
	f.T.Helper()
	return f.must("terraform "+strings.Join(args, " "), func(
		ctx context.Context, w tfcli.Workspace,
	) (int, error) {
		return w.Run(ctx, args...)
	})
}

// MustRunScript runs a shell script that must succeed.
func (f Folder) MustRunScript(script string) {
	f.T.Helper()
	f.must(script, func(ctx context.Context, w tfcli.Workspace) (int, error) {
		return w.RunScript(ctx, script)
	})
}

// must returns the output of a command. If the exit code is not 0, it fails the test with that
// output.
func (f Folder) must(name string, run func(context.Context, tfcli.Workspace) (int, error)) string {
	f.T.Helper()
	var printed strings.Builder
	f.Out = &printed
	exitCode, err := run(f.T.Context(), f.Workspace)
	if err != nil || exitCode != 0 {
		f.T.Fatalf("%s: exit code %d, %v\n%s", name, exitCode, err, &printed)
	}
	return printed.String()
}
