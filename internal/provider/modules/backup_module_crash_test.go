package modules_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

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
