package modules_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// crashing is the environment variable of a process that crashes.
const crashing = "OPSMANAGER_TEST_CRASHES"

// crashAt panics when a log line has some words.
type crashAt []string

func (c crashAt) Write(line []byte) (int, error) {
	for _, words := range c {
		if !bytes.Contains(line, []byte(words)) {
			return len(line), nil
		}
	}
	panic("a crash for a test")
}

// A process crashes when the automation configuration is in its memory, right after the request with it.
// Terraform shows what it prints.
func TestCrashShowsNoSecretsOfTheAutomationConfiguration(t *testing.T) {
	t.Parallel()
	if os.Getenv(crashing) != "" {
		s, m := start(t)
		s.SetAutomationConfig(payments, []byte(plantedConfig))
		p := m.Plan(modules(hosts(0)))
		m.Context = tflogtest.RootLogger(context.Background(), crashAt{`"method":"PUT"`, `"status":200`})
		m.Apply(p)
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") // #nosec G204 -- this program
	command.Env = append(os.Environ(), crashing+"=1", "GOTRACEBACK=system")
	printed, err := command.CombinedOutput()
	text := string(printed)
	if err == nil || !strings.Contains(text, "panic: a crash for a test") || !strings.Contains(text, "UpdateAutomationConfig") {
		t.Fatalf("%v: %s", err, text)
	}
	if strings.Contains(text, planted) {
		t.Errorf("printed %s", text)
	}
	providertest.WantContains(t, text, "goroutine ")
}

// The provider of Terraform is aborted during the request, and prints the stacks of all goroutines.
func TestTerraformShowsNoSecretsIfTheProviderCrashes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it finds the process of the provider in /proc")
	}
	r := providertest.StartRun(t)
	r.Service.SetAutomationConfig(payments, []byte(plantedConfig))
	r.Configure(fmt.Sprintf("resource \"opsmanager_backup_module\" \"reports\" {\n  project_id = %q\n  hostnames  = [%q]\n}\n", payments, reports[0]))
	r.Service.Inject(emulator.Fault{Method: http.MethodPut, Unanswered: true})
	var printed bytes.Buffer
	command := exec.CommandContext(t.Context(), r.CLI.Path, "apply", "-auto-approve", "-no-color") // #nosec G204 -- the installed CLI
	command.Dir, command.Stdout, command.Stderr = r.Dir, &printed, &printed
	command.Env = append(os.Environ(), "TF_LOG=TRACE", "TF_INPUT=0", "CHECKPOINT_DISABLE=1", "GOTRACEBACK=system")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	awaitPuts(t, r.Service, 1)
	if err := childOf(t, command.Process.Pid).Signal(syscall.SIGABRT); err != nil {
		t.Error(err)
	}
	if err := command.Wait(); err == nil {
		t.Error("the apply exited with 0")
	}
	text := printed.String()
	if !strings.Contains(text, "SIGABRT") || !strings.Contains(text, "UpdateAutomationConfig") {
		t.Errorf("printed no stacks: %s", text)
	}
	err := fs.WalkDir(os.DirFS(r.Dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			content, err := os.ReadFile(filepath.Join(r.Dir, name))
			text += string(content)
			return err
		}
		return err
	})
	if err != nil || strings.Contains(text, planted) {
		t.Errorf("a secret was printed or written: %v", err)
	}
}

// childOf returns the child of a process.
func childOf(t *testing.T, parent int) *os.Process {
	t.Helper()
	found, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range found {
		var pid, itsParent int
		var command, state string
		stat, _ := os.ReadFile(name)
		if _, err := fmt.Sscan(string(stat), &pid, &command, &state, &itsParent); err == nil && itsParent == parent {
			process, err := os.FindProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			return process
		}
	}
	t.Fatalf("process %d has no child", parent)
	return nil
}
