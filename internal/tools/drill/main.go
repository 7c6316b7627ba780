// Command drill builds the provider, starts an emulated Ops Manager, and runs the example
// restore-drill on it with terraform test. It passes its arguments on to terraform test, and
// leaves nothing behind.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndrill:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "opsmanager-drill")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	cli, err := tfcli.Find(ctx, dir)
	if err != nil {
		return err
	}
	plugins := filepath.Join(dir, "plugins")
	if err := cli.BuildProvider(ctx, plugins); err != nil {
		return err
	}
	workspace := filepath.Join(dir, "workspace")
	if err := os.CopyFS(workspace, os.DirFS("examples/restore-drill")); err != nil {
		return err
	}

	// Only reads end something, so the output does not depend on how long the drill takes.
	server := httptest.NewServer(emulator.New(emulator.Options{Lenient: true, TransitionTime: -1}))
	defer server.Close()

	var printed strings.Builder
	terraform := tfcli.Workspace{
		CLI: cli,
		Dir: workspace,
		Out: &printed,
		Env: []string{
			"OPSMANAGER_BASE_URL=" + server.URL,
			"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
			"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
		},
	}
	exitCode, err := terraform.Run(ctx, "init", "-no-color", "-plugin-dir="+plugins)
	if err == nil && exitCode != 0 {
		err = errors.New(printed.String())
	}
	if err != nil {
		return fmt.Errorf("terraform init: %w", err)
	}
	terraform.Out = os.Stdout
	exitCode, err = terraform.Run(ctx, append([]string{"test", "-no-color"}, os.Args[1:]...)...)
	if err == nil && exitCode != 0 {
		err = errors.New("the drill failed")
	}
	return err
}
