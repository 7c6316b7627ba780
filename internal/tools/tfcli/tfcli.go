// Package tfcli runs Terraform or OpenTofu, for the demo, the benchmark and tests.
package tfcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-version"
	install "github.com/hashicorp/hc-install"
	"github.com/hashicorp/hc-install/checkpoint"
	"github.com/hashicorp/hc-install/product"
	"github.com/hashicorp/hc-install/src"
)

// CLI is a Terraform or OpenTofu binary.
type CLI struct {
	Path    string
	Name    string // Terraform or OpenTofu
	Version *version.Version
}

// OpenTofu reports whether the binary is OpenTofu.
func (c CLI) OpenTofu() bool { return c.Name == "OpenTofu" }

// Find returns the binary that TF_ACC_TERRAFORM_PATH names. If it is unset, Find returns
// terraform or tofu from the PATH, or downloads the latest Terraform into dir.
func Find(ctx context.Context, dir string) (CLI, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	for _, name := range []string{"terraform", "tofu"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		err := os.MkdirAll(dir, 0o700)
		if err != nil {
			return CLI{}, err
		}
		latest := &checkpoint.LatestVersion{Product: product.Terraform, InstallDir: dir}
		path, err = install.NewInstaller().Install(ctx, []src.Installable{latest})
		if err != nil {
			return CLI{}, fmt.Errorf("neither terraform nor tofu is on the PATH, and downloading the latest Terraform failed: %w", err)
		}
	}
	return inspect(ctx, path)
}

// inspect runs the version command of a binary. It prints 'Terraform v1.11.4' first.
func inspect(ctx context.Context, path string) (CLI, error) {
	command := exec.CommandContext(ctx, path, "version")
	command.Env = environment()
	out, err := command.Output()
	if err != nil {
		return CLI{}, fmt.Errorf("%s version: %w", path, err)
	}
	name, rest, _ := strings.Cut(string(out), " v")
	number, _, _ := strings.Cut(rest, "\n")
	v, err := version.NewVersion(strings.TrimSpace(number))
	if err != nil {
		return CLI{}, fmt.Errorf("%s version: %w", path, err)
	}
	return CLI{
		Path:    path,
		Name:    name,
		Version: v,
	}, nil
}

// sources are what the source address in the examples stands for. tools/publish.sh replaces them.
var sources = map[string]string{
	"Terraform": "terraform.local/local/opsmanager",
	"OpenTofu":  "terraform.local/local/opsmanager",
}

// Source returns the address of the provider, with its host.
func (c CLI) Source() string { return sources[c.Name] }

// ProviderBinary returns the path of the provider in dir, in the layout of init -plugin-dir. Its version is
// one that the constraint of the examples allows.
func (c CLI) ProviderBinary(dir string) string {
	binary := filepath.Join(dir, filepath.FromSlash(c.Source()), "0.1.0",
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-opsmanager_v0.1.0")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	return binary
}

// BuildProvider builds the provider into dir.
func (c CLI) BuildProvider(ctx context.Context, dir string) error {
	const provider = "terraform-provider-opsmanager"
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", c.ProviderBinary(dir), provider)
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // as make does
	out, err := command.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("building the provider: %w\n%s", err, out)
	}
	return nil
}

// Workspace is a directory in which commands run.
type Workspace struct {
	CLI CLI
	Dir string
	// Env is added to the environment, without the variables that configure Terraform or
	// the provider.
	Env []string
	// Out receives the output and the errors of the commands.
	Out io.Writer
}

// Run runs a Terraform command, and returns its exit code.
func (w Workspace) Run(ctx context.Context, args ...string) (exitCode int, err error) {
	return w.run(ctx, w.CLI.Path, args...)
}

// RunScript runs a shell script that calls terraform.
func (w Workspace) RunScript(ctx context.Context, script string) (exitCode int, err error) {
	return w.run(ctx, "sh", "-euc", `terraform() { "$TERRAFORM" "$@"; }; . "$1"`, "sh", script)
}

func (w Workspace) run(ctx context.Context, name string, args ...string) (exitCode int, err error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = w.Dir
	command.Stdout = w.Out
	command.Stderr = w.Out
	command.Env = append(environment(), w.Env...)
	command.Env = append(command.Env, "TERRAFORM="+w.CLI.Path)
	// Ctrl-C also interrupts Terraform directly. A second interrupt right after it would
	// make Terraform exit without stopping the provider.
	command.Cancel = func() error {
		time.Sleep(3 * time.Second)
		return command.Process.Signal(os.Interrupt)
	}
	command.WaitDelay = 20 * time.Second

	err = command.Run()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// environment returns the environment without the variables that configure Terraform or
// the provider, and with prompts turned off. Without TLS between Terraform and the provider,
// which issue new certificates for each start, a plan takes half the time.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "OPSMANAGER_") || strings.HasPrefix(variable, "MCLI_")
	})
	return append(env,
		"TF_CLI_CONFIG_FILE="+os.DevNull,
		"TF_IN_AUTOMATION=1",
		"TF_INPUT=0",
		"CHECKPOINT_DISABLE=1",
		"TF_DISABLE_PLUGIN_TLS=1",
	)
}
