package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tfcli"
)

// stage is what the runs of Terraform take: its binary, and the providers.
type stage struct {
	dir     string
	cli     tfcli.CLI
	plugins string // with the launcher in place of a provider
	ours    string
	idle    string
}

func newStage(ctx context.Context, dir string) (*stage, error) {
	cli, err := tfcli.Find(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &stage{
		dir: dir, cli: cli, plugins: filepath.Join(dir, "plugins"),
		ours: filepath.Join(dir, "ours"), idle: filepath.Join(dir, "idle"),
	}
	launcher := filepath.Join(s.plugins, "terraform.local", "local", "opsmanager", "0.0.1",
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-opsmanager_v0.0.1")
	for _, command := range [][]string{
		{"go", "-C", "../..", "build", "-o", s.ours, "."}, // with the versions that the provider is released with
		{"go", "generate", "./idle"},
		{"go", "build", "-o", s.idle, "./idle"},
		{"go", "build", "-o", launcher, "./launch"},
	} {
		if out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
	}
	return s, nil
}

// machine says what the figures were taken on.
func (s *stage) machine() string {
	memory := "unknown"
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int
		if _, err := fmt.Sscanf(string(info), "MemTotal: %d kB", &kib); err == nil {
			memory = fmt.Sprintf("%d GiB", (kib+1<<19)>>20)
		}
	}
	load := ""
	if info, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = fmt.Sprintf(" Other work, at the start: a load of %s.", strings.Fields(string(info))[0])
	}
	return fmt.Sprintf("%d cores, %s of memory, %s/%s, %s, %s %s.%s",
		runtime.NumCPU(), memory, runtime.GOOS, runtime.GOARCH, runtime.Version(), s.cli.Name, s.cli.Version, load)
}

// workspace is a directory in which Terraform runs with one provider.
type workspace struct {
	tfcli.Workspace
	out   *bytes.Buffer
	usage string // where the launcher reports
}

// open makes a workspace. The provider is found in the environment of the
// launcher, so that all workspaces share one plugin directory.
func (s *stage) open(ctx context.Context, name, provider, configuration, address string, env ...string) (*workspace, error) {
	dir, err := os.MkdirTemp(s.dir, name)
	if err != nil {
		return nil, err
	}
	w := &workspace{out: new(bytes.Buffer), usage: filepath.Join(dir, "usage")}
	w.Workspace = tfcli.Workspace{CLI: s.cli, Dir: dir, Out: w.out, Env: append([]string{
		"BENCH_PROVIDER=" + provider,
		"BENCH_USAGE=" + w.usage,
		"OPSMANAGER_BASE_URL=" + address,
		"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
		"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
	}, env...)}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(configuration), 0o600); err != nil {
		return nil, err
	}
	_, err = w.terraform(ctx, "init", "-plugin-dir="+s.plugins)
	return w, err
}

// terraform runs a command that must succeed, and measures it. A plan with
// -detailed-exitcode succeeds where there is nothing to do.
func (w *workspace) terraform(ctx context.Context, args ...string) (usage, error) {
	w.out.Reset()
	if err := os.RemoveAll(w.usage); err != nil {
		return usage{}, err
	}
	before, err := children()
	if err != nil {
		return usage{}, err
	}
	started := time.Now()
	exitCode, err := w.Run(ctx, append([]string{args[0], "-no-color"}, args[1:]...)...)
	took := usage{wall: time.Since(started)}
	if err == nil && exitCode != 0 {
		err = fmt.Errorf("exit code %d", exitCode)
	}
	if err != nil {
		printed := w.out.String()
		return took, fmt.Errorf("terraform %s: %w\n%s", args[0], err, printed[max(0, len(printed)-4_000):])
	}
	if err := w.providers(&took); err != nil {
		return took, err
	}
	after, err := children()
	took.own = after - before - took.cpu
	return took, err
}

// children returns the processor time of all processes that have ended, and of
// those that they have waited for.
func children() (time.Duration, error) {
	var all syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &all)
	return time.Duration(all.Utime.Nano() + all.Stime.Nano()), err
}

// providers adds up what the launcher reported.
func (w *workspace) providers(to *usage) error {
	reported, err := os.Open(w.usage)
	if os.IsNotExist(err) {
		return nil // init may run none
	} else if err != nil {
		return err
	}
	defer reported.Close()
	for decoder := json.NewDecoder(reported); ; {
		var one struct {
			CPU     time.Duration
			PeakKiB int64
		}
		if err := decoder.Decode(&one); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		to.cpu += one.CPU
		to.peakKiB = max(to.peakKiB, one.PeakKiB)
	}
}
