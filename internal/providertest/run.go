package providertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// Run is a directory in which real Terraform uses the built provider on a service of its own.
type Run struct {
	Folder
	Service *Service
}

// StartRun starts a service, and initializes a directory without resources.
func StartRun(t *testing.T, options ...emulator.Options) Run {
	t.Helper()
	cli := CLI(t)
	r := Run{Folder{
		T: t,
		Workspace: tfcli.Workspace{
			CLI: cli,
			Dir: t.TempDir(),
			Env: []string{"TF_CLI_ARGS=-no-color"},
		},
	}, StartService(t, options...)}
	r.Init()
	r.Configure("")
	return r
}

// StartRunWithActions is StartRun with a version of Terraform that has actions. It skips the test
// with others.
func StartRunWithActions(t *testing.T, options ...emulator.Options) Run {
	t.Helper()
	SkipWithoutQueriesAndActions(t, CLI(t))
	return StartRun(t, options...)
}

// TriggerBlock returns the block of a resource that invokes an action on events. A different release updates
// the resource. more is further text of the block.
func TriggerBlock(action, release, events, more string) string {
	return fmt.Sprintf(`
resource "terraform_data" "release" {
  input = %q
  %s
  lifecycle {
    action_trigger {
      events  = [%s]
      actions = [%s]
    }
  }
}
`, release, more, events, action)
}

// queriesAndActions is the first version of Terraform with terraform query, and with actions.
var queriesAndActions = version.Must(version.NewVersion("1.14.0"))

// SkipWithoutQueriesAndActions skips a test unless Terraform has queries and actions.
func SkipWithoutQueriesAndActions(t *testing.T, cli tfcli.CLI) {
	t.Helper()
	if cli.OpenTofu() || cli.Version.LessThan(queriesAndActions) {
		t.Skipf("queries and actions require Terraform %s; this is %s %s", queriesAndActions, cli.Name, cli.Version)
	}
}

// Configure writes the configuration.
func (r Run) Configure(body string) {
	r.T.Helper()
	r.Write("main.tf", RequiredProvider+r.Service.Config(body))
}

// Fails runs a command that must fail, and returns its output without line breaks.
func (r Run) Fails(args ...string) string {
	r.T.Helper()
	var printed strings.Builder
	r.Out = &printed
	exitCode, err := r.Folder.Run(r.T.Context(), args...)
	if err != nil || exitCode != 1 {
		r.T.Fatalf("terraform %s: exit code %d, %v\n%s", strings.Join(args, " "), exitCode, err, &printed)
	}
	return unwrapped(printed.String())
}

// Succeeds runs a command that must succeed, and returns its output without line breaks.
func (r Run) Succeeds(args ...string) string {
	r.T.Helper()
	return unwrapped(r.MustRun(args...))
}

// unwrapped undoes Terraform's line breaks.
func unwrapped(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(text)), " ")
}
