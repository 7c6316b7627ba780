// Command demo builds the provider, starts an emulated Ops Manager, and runs Terraform
// through the life of a backup: it turns a backup on, imports a schedule, restores a snapshot,
// finds drift, refuses a shorter retention, and destroys. It checks the result of each step, and leaves nothing behind.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

//go:embed main.tf
var configuration string

// IDs in the configuration.
const (
	projectID = "64f0c2a19b3d5e7f80a1b2c3"
	clusterID = "650a1f3c2e4b6d8091a3b5c7"
	reportsID = "650a2177e1f3a5b7c9d00e42"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "\ndemo: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// showsColors reports whether a file is a terminal that shows colors. CLICOLOR_FORCE=1 makes
// any file one, as in other programs.
func showsColors(file *os.File) bool {
	info, err := file.Stat()
	return os.Getenv("CLICOLOR_FORCE") == "1" || err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "opsmanager-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Println("Building the provider and starting an emulated Ops Manager.")
	cli, err := tfcli.Find(ctx, dir)
	if err != nil {
		return err
	}
	plugins := filepath.Join(dir, "plugins")
	if err := cli.BuildProvider(ctx, plugins); err != nil {
		return err
	}
	workspace := filepath.Join(dir, "workspace")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(workspace, "main.tf"), []byte(configuration), 0o600); err != nil {
		return err
	}

	// Only reads end something, so the output does not depend on how long the demo takes.
	service := emulator.New(emulator.Options{Lenient: true, TransitionTime: -1})
	server := httptest.NewServer(service)
	defer server.Close()

	d := &demo{service: service, colors: showsColors(os.Stdout)}
	d.workspace = tfcli.Workspace{
		CLI: cli,
		Dir: workspace,
		Out: io.MultiWriter(os.Stdout, &d.printed),
		Env: []string{
			"OPSMANAGER_BASE_URL=" + server.URL,
			"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
			"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
			"TF_DISABLE_PLUGIN_TLS=", // TLS, as users have it
		},
	}
	fmt.Printf("%s %s, Ops Manager at %s. The configuration:\n\n%s", cli.Name, cli.Version, server.URL, configuration)
	if err := d.quietly(ctx, "init", "-plugin-dir="+plugins); err != nil {
		return err
	}
	return d.steps(ctx)
}

// demo runs the steps and checks their results.
type demo struct {
	service   *emulator.Emulator
	workspace tfcli.Workspace
	colors    bool
	printed   strings.Builder // output of the last command
	step      int
}

// Exit codes of plan -detailed-exitcode.
const (
	noChanges = 0
	changes   = 2
)

func (d *demo) steps(ctx context.Context) error {
	before := d.schedule()

	d.say("The cluster reports has no backup yet. Ops Manager already has the schedule of the cluster ledger, so an import block takes it over. The plan shows what the apply overwrites: values of the schedule, and the data of the cluster scratch.")
	if err := d.plan(ctx, changes, "30 -> 60", "scratch", "1 to import, 2 to add, 1 to change"); err != nil {
		return err
	}
	if writes := d.writes(); len(writes) > 0 {
		return fmt.Errorf("the plan sent changes: %s", strings.Join(writes, "; "))
	}

	d.say("Apply that plan. It sends only the configured fields that differ, and waits until the backup has started and the restore has finished.")
	if err := d.apply(ctx, "1 imported, 2 added, 1 changed, 0 destroyed"); err != nil {
		return err
	}
	wrote := d.writes()
	d.show(wrote)
	if len(wrote) != 3 {
		return fmt.Errorf("the apply sent %d changes, want 3", len(wrote))
	}
	applied := maps.Clone(before)
	maps.Copy(applied, map[string]any{
		"dailySnapshotRetentionDays": 60.0,
		"referenceHourOfDay":         21.0,
		"referenceMinuteOfHour":      30.0,
	})
	if err := d.holds(applied); err != nil {
		return err
	}
	if err := d.isBackedUp(); err != nil {
		return err
	}

	d.say("Plan again. Nothing changes: 23:30 at +02:00 is the 21:30 UTC that Ops Manager stores.")
	if err := d.plan(ctx, noChanges, "No changes"); err != nil {
		return err
	}

	d.say("In the console, someone sets the daily retention to 14 days and the time to 03:30 UTC, which is 05:30 at +02:00. The plan shows both.")
	d.service.SetSchedule(projectID, clusterID, map[string]any{"dailySnapshotRetentionDays": 14, "referenceHourOfDay": 3})
	if err := d.plan(ctx, changes, "14 -> 60", "5 -> 23", "1 to change"); err != nil {
		return err
	}

	d.say("Apply that plan. It restores the configured values.")
	if err := d.apply(ctx, "0 added, 1 changed, 0 destroyed"); err != nil {
		return err
	}
	if err := d.holds(applied); err != nil {
		return err
	}

	d.say("By mistake, someone configures 7 days. retention_protection is set, so the plan fails before anything is sent.")
	d.service.ResetRequests()
	if err := d.command(ctx, 1, []string{"plan", "-var=daily_retention=7"}, "Would Be Reduced", "daily_snapshot_retention_days: 60 -> 7"); err != nil {
		return err
	}
	if wrote := d.writes(); len(wrote) > 0 {
		return fmt.Errorf("the refused plan sent changes: %s", strings.Join(wrote, "; "))
	}

	d.say("Destroy. This only removes the resources from the state: the backup continues, Ops Manager keeps taking snapshots, and no request is sent.")
	d.service.ResetRequests()
	if err := d.command(ctx, 0, []string{"destroy", "-auto-approve"}, "Removed Only From the State", "3 destroyed"); err != nil {
		return err
	}
	if wrote := d.writes(); len(wrote) > 0 {
		return fmt.Errorf("the destroy sent changes: %s", strings.Join(wrote, "; "))
	}
	if err := d.holds(applied); err != nil {
		return err
	}
	if err := d.isBackedUp(); err != nil {
		return err
	}
	fmt.Print("\nAll steps passed. The demo has removed its files.\n\n" +
		"What to try next:\n" +
		"  docs/guides/getting-started.md    the same by hand, with make install and make emulator\n" +
		"  docs/guides/existing-clusters.md  take over the clusters that you have\n" +
		"  docs/guides/rehearsal.md          apply your configuration to a copy of your Ops Manager\n")
	return nil
}

// say prints the heading of a step.
func (d *demo) say(text string) {
	d.step++
	text = fmt.Sprintf("%d. %s", d.step, text)
	if d.colors {
		text = "\x1b[1;36m" + text + "\x1b[0m"
	}
	fmt.Printf("\n%s\n", text)
}

// plan saves a plan, which must exit with one of the detailed exit codes.
func (d *demo) plan(ctx context.Context, exitCode int, texts ...string) error {
	return d.command(ctx, exitCode, []string{"plan", "-detailed-exitcode", "-out=next.tfplan"}, texts...)
}

func (d *demo) apply(ctx context.Context, texts ...string) error {
	d.service.ResetRequests()
	return d.command(ctx, 0, []string{"apply", "next.tfplan"}, texts...)
}

// command runs Terraform, which must exit with a code and print some texts.
func (d *demo) command(ctx context.Context, exitCode int, args []string, texts ...string) error {
	fmt.Printf("\n$ terraform %s\n", strings.Join(args, " "))
	if !d.colors {
		args = slices.Insert(args, 1, "-no-color")
	}
	d.printed.Reset()
	got, err := d.workspace.Run(ctx, args...)
	switch {
	case err != nil:
		return fmt.Errorf("step %d: terraform %s: %w", d.step, args[0], err)
	case got != exitCode:
		return fmt.Errorf("step %d: terraform %s exited with code %d, want %d", d.step, args[0], got, exitCode)
	}
	for _, text := range texts {
		if !strings.Contains(color.ReplaceAllString(d.printed.String(), ""), text) {
			return fmt.Errorf("step %d: terraform %s did not print %q", d.step, args[0], text)
		}
	}
	return nil
}

// quietly runs Terraform, and returns its output only as part of an error.
func (d *demo) quietly(ctx context.Context, args ...string) error {
	workspace := d.workspace
	var printed strings.Builder
	workspace.Out = &printed
	exitCode, err := workspace.Run(ctx, args...)
	if err == nil && exitCode != 0 {
		err = fmt.Errorf("exit code %d", exitCode)
	}
	if err != nil {
		return fmt.Errorf("terraform %s: %w\n%s", args[0], err, &printed)
	}
	return nil
}

var color = regexp.MustCompile("\x1b\\[[0-9;]*m")

// writes returns the requests for changes since the last reset.
func (d *demo) writes() []string {
	var writes []string
	for _, r := range d.service.Requests() {
		if r.Authenticated && r.Method != http.MethodGet {
			writes = append(writes, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.Path, r.Body)))
		}
	}
	return writes
}

func (d *demo) show(writes []string) {
	fmt.Printf("\nRequests to Ops Manager:\n  %s\n", strings.Join(writes, "\n  "))
}

func (d *demo) schedule() map[string]any { return d.service.Schedule(projectID, clusterID) }

// isBackedUp checks that the backup of the cluster reports has been started.
func (d *demo) isBackedUp() error {
	if status := d.service.BackupConfig(projectID, reportsID)["statusName"]; status != "STARTED" {
		return fmt.Errorf("step %d: the backup of the cluster reports is %v, want STARTED", d.step, status)
	}
	return nil
}

// holds checks the schedule of Ops Manager.
func (d *demo) holds(want map[string]any) error {
	if got := d.schedule(); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("step %d: Ops Manager has the schedule\n  %v\nwant\n  %v", d.step, got, want)
	}
	return nil
}
