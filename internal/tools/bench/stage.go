//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// stage has what all runs of Terraform need.
type stage struct {
	dir, plugins string
	cli          tfcli.CLI
	ours, idle   string // binaries of the providers
	survey       string // binary of the survey
}

// newStage builds the providers, and puts this program where Terraform expects one.
func newStage(ctx context.Context, dir string) (*stage, error) {
	cli, err := tfcli.Find(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &stage{
		dir:     dir,
		cli:     cli,
		plugins: filepath.Join(dir, "plugins"),
		ours:    filepath.Join(dir, "ours"),
		idle:    filepath.Join(dir, "idle"),
		survey:  filepath.Join(dir, "survey"),
	}
	for _, args := range [][]string{
		{"-C", "../../..", "build", "-o", s.ours, "."}, // with the versions that the provider is released with
		{"-C", "../../..", "build", "-o", s.survey, "./internal/tools/survey"},
		{"build", "-o", s.idle, "./idle"},
	} {
		if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	platform := filepath.Join(s.plugins, filepath.FromSlash(cli.Source()), "0.0.1", runtime.GOOS+"_"+runtime.GOARCH)
	if err := os.MkdirAll(platform, 0o700); err != nil {
		return nil, err
	}
	return s, os.Symlink(self, filepath.Join(platform, "terraform-provider-opsmanager_v0.0.1"))
}

// machine describes what the figures were measured on.
func (s *stage) machine() string {
	var kib int
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		_, _ = fmt.Sscanf(string(info), "MemTotal: %d kB", &kib)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("%d cores, %d GiB of memory, %s/%s, %s, %s %s. Load average at the start: %s.",
		runtime.NumCPU(), (kib+1<<19)>>20, runtime.GOOS, runtime.GOARCH, runtime.Version(), s.cli.Name, s.cli.Version, first)
}

// Terraform finds this program where it expects the provider. launchVariable names
// the provider to run, and usageVariable the file to append its cost to.
const (
	launchVariable = "BENCH_PROVIDER"
	usageVariable  = "BENCH_USAGE"
)

// launch runs a provider, appends its CPU time in seconds and its peak
// memory in MiB to a file, and exits.
func launch(binary string) error {
	provider := exec.Command(binary, os.Args[1:]...) //nolint:noctx // Terraform ends it
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := provider.Run()
	ended := provider.ProcessState
	if ended == nil {
		return err
	}
	rusage := ended.SysUsage().(*syscall.Rusage) //nolint:forcetypeassert // documented for Unix
	file, err := os.OpenFile(os.Getenv(usageVariable), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(file, (ended.UserTime() + ended.SystemTime()).Seconds(), float64(rusage.Maxrss)/1024); err != nil {
		return err
	}
	os.Exit(ended.ExitCode())
	return nil
}

// workspace is a directory in which Terraform runs with one provider.
type workspace struct {
	tfcli.Workspace
	printed *bytes.Buffer
	usage   string // file that launch writes
}

// open returns an initialized workspace with a configuration and the resources of a
// state.
func (s *stage) open(ctx context.Context, provider, configuration, resources, address string, env ...string) (*workspace, error) {
	dir, err := os.MkdirTemp(s.dir, "workspace")
	if err != nil {
		return nil, err
	}
	w := &workspace{printed: new(bytes.Buffer), usage: filepath.Join(dir, "usage")}
	w.Workspace = tfcli.Workspace{CLI: s.cli, Dir: dir, Out: w.printed, Env: append([]string{
		launchVariable + "=" + provider,
		usageVariable + "=" + w.usage,
		"OPSMANAGER_BASE_URL=" + address,
		"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
		"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
		"TF_DISABLE_PLUGIN_TLS=", // TLS, as users have it
	}, env...)}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration), 0o600); err != nil {
		return nil, err
	}
	if err := w.writeState(resources); err != nil {
		return nil, err
	}
	_, err = w.terraform(ctx, "init", "-plugin-dir="+s.plugins)
	return w, err
}

// writeState writes a state with some resources and without outputs.
func (w *workspace) writeState(resources string) error {
	state := fmt.Sprintf(`{"version": 4, "terraform_version": "1.5.0", "serial": 1, "lineage": "bench", "resources": [%s]}`, resources)
	return os.WriteFile(filepath.Join(w.Dir, "terraform.tfstate"), []byte(state), 0o600)
}

// forget empties the state.
func (w *workspace) forget() error { return w.writeState("") }

// terraform runs a command that must exit with code 0, and measures it.
func (w *workspace) terraform(ctx context.Context, args ...string) (took usage, err error) {
	w.printed.Reset()
	if err := os.WriteFile(w.usage, nil, 0o600); err != nil {
		return took, err
	}
	started, before := time.Now(), childrenTime()
	exitCode, err := w.Run(ctx, append(args, "-no-color")...)
	took[wallTime], took[cliTime] = time.Since(started).Seconds(), childrenTime()-before
	if err == nil && exitCode != 0 {
		err = fmt.Errorf("exit code %d", exitCode)
	}
	if err != nil {
		return took, fmt.Errorf("terraform %s: %w\n%s", args[0], err, w.printed)
	}
	reported, err := os.ReadFile(w.usage)
	if err != nil {
		return took, err
	}
	for line := range strings.Lines(string(reported)) {
		var seconds, mebibytes float64
		if _, err := fmt.Sscan(line, &seconds, &mebibytes); err != nil {
			return took, err
		}
		took[providerTime] += seconds
		took[cliTime] -= seconds
		took[peakMemory] = max(took[peakMemory], mebibytes)
	}
	return took, nil
}

// childrenTime returns the CPU time of all processes that have ended, including
// their own children, in seconds.
func childrenTime() float64 {
	var all syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &all) // fails only for invalid arguments
	return time.Duration(all.Utime.Nano() + all.Stime.Nano()).Seconds()
}
