// Command demo shows what the provider does, by doing it: it builds the
// provider, starts an emulated Ops Manager, and runs real Terraform through a
// plan, an apply, drift and a destroy. Each step is checked, so that a story
// that doesn't hold ends with an error. It leaves nothing behind.
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
	"terraform-provider-opsmanager/internal/tfcli"
)

//go:embed main.tf
var configuration string

// What the configuration names.
const (
	projectID = "64f0c2a19b3d5e7f80a1b2c3"
	clusterID = "650a1f3c2e4b6d8091a3b5c7"
	regionID  = "UK_LON"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, colourful(os.Stdout))
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

// colourful reports whether what is written there is read by somebody who sees
// colours.
func colourful(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

// run tells the whole story.
func run(ctx context.Context, out io.Writer, colours bool) error {
	dir, err := os.MkdirTemp("", "opsmanager-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Fprintln(out, "Building the provider, and starting an emulated Ops Manager.")
	cli, err := tfcli.Find(ctx, dir)
	if err != nil {
		return err
	}
	plugins := filepath.Join(dir, "plugins")
	if err := tfcli.BuildProvider(ctx, plugins); err != nil {
		return err
	}
	workspace := filepath.Join(dir, "workspace")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(workspace, "main.tf"), []byte(configuration), 0o600); err != nil {
		return err
	}

	service := emulator.New(emulator.Options{})
	server := httptest.NewServer(service)
	defer server.Close()

	s := &story{service: service, out: out, colours: colours}
	s.workspace = tfcli.Workspace{CLI: cli, Dir: workspace, Out: io.MultiWriter(out, &s.printed), Env: []string{
		"OPSMANAGER_BASE_URL=" + server.URL,
		"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
		"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
	}}
	fmt.Fprintf(out, "%s %s, Ops Manager at %s. The configuration:\n\n%s", cli.Name, cli.Version, server.URL, configuration)
	if err := s.quietly(ctx, "init", "-plugin-dir="+plugins); err != nil {
		return err
	}
	return s.tell(ctx)
}

// story runs the steps and checks what comes of them.
type story struct {
	service   *emulator.Emulator
	workspace tfcli.Workspace
	out       io.Writer
	colours   bool
	printed   strings.Builder // by the last command
	step      int
}

// Exit codes of plan -detailed-exitcode.
const (
	nothingToDo = 0
	changes     = 2
)

func (s *story) tell(ctx context.Context) error {
	before := s.schedule()

	s.say("The schedule exists already, so its resource will adopt it. The plan warns which live values that overwrites.")
	if err := s.plan(ctx, changes, "Overwritten", "Shorter Retention", "snapshot_retention_days: 20 -> 5", "2 to add"); err != nil {
		return err
	}
	if writes := s.writes(); len(writes) > 0 {
		return fmt.Errorf("a plan changed something: %s", strings.Join(writes, "; "))
	}

	s.say("Applying that plan sends the configured fields that differ, and no others.")
	if err := s.apply(ctx, "2 added, 0 changed, 0 destroyed"); err != nil {
		return err
	}
	wrote := s.writes()
	s.show(wrote)
	if len(wrote) != 2 {
		return fmt.Errorf("the apply sent %d changes instead of 2", len(wrote))
	}
	applied := maps.Clone(before)
	maps.Copy(applied, map[string]any{
		"snapshotIntervalHours": 12.0, "snapshotRetentionDays": 5.0, "dailySnapshotRetentionDays": 60.0,
		"referenceHourOfDay": 21.0, "referenceMinuteOfHour": 30.0,
	})
	if err := s.holds(applied); err != nil {
		return err
	}
	if s.service.Region(regionID) == nil {
		return fmt.Errorf("the apply made no region %s", regionID)
	}

	s.say("A plan now has nothing to do: 23:30 at +02:00 is the 21:30 UTC that Ops Manager stores.")
	if err := s.plan(ctx, nothingToDo, "No changes"); err != nil {
		return err
	}

	s.say("In the console, someone sets daily retention to 7 days and the time to 03:30 UTC. A plan shows both.")
	s.service.SetSchedule(projectID, clusterID, map[string]any{"dailySnapshotRetentionDays": 7, "referenceHourOfDay": 3})
	if err := s.plan(ctx, changes, "7 -> 60", "5 -> 23", "1 to change"); err != nil {
		return err
	}

	s.say("Applying that plan brings back what is configured.")
	if err := s.apply(ctx, "0 added, 1 changed, 0 destroyed"); err != nil {
		return err
	}
	if err := s.holds(applied); err != nil {
		return err
	}

	s.say("Destroying deletes the region, and only forgets the schedule: Ops Manager goes on taking snapshots.")
	s.service.ResetRequests()
	if err := s.command(ctx, 0, []string{"destroy", "-auto-approve"}, "Only Removed From the State", "2 destroyed"); err != nil {
		return err
	}
	wrote = s.writes()
	s.show(wrote)
	if len(wrote) != 1 {
		return fmt.Errorf("the destroy sent %d changes instead of 1", len(wrote))
	}
	if err := s.holds(applied); err != nil {
		return err
	}
	if s.service.Region(regionID) != nil {
		return fmt.Errorf("the destroy left the region %s", regionID)
	}
	fmt.Fprintln(s.out, "\nEach step went as told. Nothing of the demo is left on this machine.")
	return nil
}

// say announces a step.
func (s *story) say(text string) {
	s.step++
	text = fmt.Sprintf("%d. %s", s.step, text)
	if s.colours {
		text = "\x1b[1;36m" + text + "\x1b[0m"
	}
	fmt.Fprintf(s.out, "\n%s\n", text)
}

// plan writes a plan for apply, and expects one of the detailed exit codes.
func (s *story) plan(ctx context.Context, exitCode int, texts ...string) error {
	return s.command(ctx, exitCode, []string{"plan", "-detailed-exitcode", "-out=next.tfplan"}, texts...)
}

func (s *story) apply(ctx context.Context, texts ...string) error {
	s.service.ResetRequests()
	return s.command(ctx, 0, []string{"apply", "next.tfplan"}, texts...)
}

// command runs Terraform, and expects the exit code and to read these texts.
func (s *story) command(ctx context.Context, exitCode int, args []string, texts ...string) error {
	fmt.Fprintf(s.out, "\n$ terraform %s\n", strings.Join(args, " "))
	if !s.colours {
		args = slices.Insert(args, 1, "-no-color")
	}
	s.printed.Reset()
	got, err := s.workspace.Run(ctx, args...)
	switch {
	case err != nil:
		return fmt.Errorf("step %d: terraform %s: %w", s.step, args[0], err)
	case got != exitCode:
		return fmt.Errorf("step %d: terraform %s ended with exit code %d, where the story has %d", s.step, args[0], got, exitCode)
	}
	for _, text := range texts {
		if !strings.Contains(colour.ReplaceAllString(s.printed.String(), ""), text) {
			return fmt.Errorf("step %d: terraform %s did not print %q", s.step, args[0], text)
		}
	}
	return nil
}

// quietly runs Terraform, and shows what it printed only if it fails.
func (s *story) quietly(ctx context.Context, args ...string) error {
	workspace := s.workspace
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

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// writes returns what was sent to change something since the last reset.
func (s *story) writes() []string {
	var writes []string
	for _, r := range s.service.Requests() {
		if r.Authenticated && r.Method != http.MethodGet {
			writes = append(writes, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.Path, r.Body)))
		}
	}
	return writes
}

func (s *story) show(writes []string) {
	fmt.Fprintf(s.out, "\nOps Manager was sent:\n  %s\n", strings.Join(writes, "\n  "))
}

func (s *story) schedule() map[string]any { return s.service.Schedule(projectID, clusterID) }

// holds checks what Ops Manager has for a schedule.
func (s *story) holds(want map[string]any) error {
	if got := s.schedule(); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("step %d: Ops Manager holds the schedule\n  %v\nwhere the story has\n  %v", s.step, got, want)
	}
	return nil
}
