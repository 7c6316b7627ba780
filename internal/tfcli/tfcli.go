// Package tfcli runs real Terraform, or OpenTofu, on the provider as it is
// built from this module: for the demo, and for tests.
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

// OpenTofu reports whether it is that, and no Terraform.
func (c CLI) OpenTofu() bool { return c.Name == "OpenTofu" }

// Find returns the binary that TF_ACC_TERRAFORM_PATH names, or else terraform or
// tofu on the PATH, or else the latest Terraform, fetched into dir, which is made
// if it must be.
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
		if path, err = install.NewInstaller().Install(ctx, []src.Installable{latest}); err != nil {
			return CLI{}, fmt.Errorf("neither terraform nor tofu is on the PATH, and the latest Terraform cannot be fetched: %w", err)
		}
	}
	return inspect(ctx, path)
}

// inspect asks a binary what it is: its first line is 'Terraform v1.11.4'.
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
	return CLI{Path: path, Name: name, Version: v}, nil
}

// BuildProvider builds the provider into dir, laid out as init -plugin-dir
// expects it.
func BuildProvider(ctx context.Context, dir string) error {
	binary := filepath.Join(dir, "terraform.local", "local", "opsmanager", "0.0.1",
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-opsmanager_v0.0.1")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, "terraform-provider-opsmanager")
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // as make builds it
	out, err := command.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("building the provider: %w\n%s", err, out)
	}
	return nil
}

// Workspace is a directory to run in.
type Workspace struct {
	CLI CLI
	Dir string
	// Env is beside what the commands inherit, which is nothing that configures
	// Terraform or the provider.
	Env []string
	// Out is where all that the commands print goes.
	Out io.Writer
}

// Run runs a command to its end. An exit code of its own is no error.
func (w Workspace) Run(ctx context.Context, args ...string) (exitCode int, err error) {
	return w.run(ctx, w.CLI.Path, args...)
}

// RunScript runs a shell script that calls terraform.
func (w Workspace) RunScript(ctx context.Context, script string) (exitCode int, err error) {
	return w.run(ctx, "sh", "-euc", `terraform() { "$TERRAFORM" "$@"; }; . "$1"`, "sh", script)
}

func (w Workspace) run(ctx context.Context, name string, args ...string) (exitCode int, err error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stdout, command.Stderr = w.Dir, w.Out, w.Out
	command.Env = append(environment(), w.Env...)
	command.Env = append(command.Env, "TERRAFORM="+w.CLI.Path)
	// An interrupt at a terminal reaches Terraform as well. A second one, on the
	// heels of the first, would make it leave the provider behind.
	command.Cancel = func() error {
		time.Sleep(3 * time.Second)
		return command.Process.Signal(os.Interrupt)
	}
	command.WaitDelay = 20 * time.Second

	err = command.Run()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// environment returns what the commands inherit: nothing that configures
// Terraform or the provider, and no questions asked.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "OPSMANAGER_") || strings.HasPrefix(variable, "MCLI_")
	})
	return append(env, "TF_CLI_CONFIG_FILE="+os.DevNull, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
}
