package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// Checks with real Terraform, for cases that depend on its own behavior.

// mocks is the first version with mock_provider. Terraform has it since 1.7, but OpenTofu crashed before 1.8.11.
var mocks = version.Must(version.NewVersion("1.8.11"))

// stage is a directory in which real Terraform runs.
type stage struct {
	Folder
	of Registration
	s  *Service
}

// stage starts a service and initializes a directory.
func (r Registration) stage(t *testing.T, cli tfcli.CLI) *stage {
	t.Helper()
	s := StartService(t, r.options())
	x := &stage{Folder{T: t, Workspace: tfcli.Workspace{
		CLI: cli,
		Dir: t.TempDir(),
		Env: []string{"TF_CLI_ARGS=-no-color"},
	}}, r, s}
	x.Init()
	return x
}

// configure writes the configuration.
func (x *stage) configure(blocks ...string) {
	x.T.Helper()
	x.Write("main.tf", RequiredProvider+x.s.Config(strings.Join(blocks, "\n")))
}

// block returns a resource block that ends with more.
func (x *stage) block(name string, config Values, more ...string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "resource %q %q {\n", x.of.TypeName, name)
	for _, attribute := range slices.Sorted(maps.Keys(config)) {
		if value := config[attribute]; value != nil {
			// Values in JSON are valid in Terraform's language.
			written, err := json.Marshal(value)
			if err != nil {
				x.T.Fatalf("%s: %v", attribute, err)
			}
			fmt.Fprintf(&text, "  %s = %s\n", attribute, written)
		}
	}
	text.WriteString("  " + strings.Join(more, "\n  ") + "\n}\n")
	return text.String()
}

// run runs a command that must end with an exit code, and returns its output.
func (x *stage) run(exitCode int, args ...string) string {
	x.T.Helper()
	printed, got := x.runs(args...)
	if got != exitCode {
		x.T.Fatalf("terraform %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, exitCode, printed)
	}
	return printed
}

func (x *stage) runs(args ...string) (printed string, exitCode int) {
	x.T.Helper()
	var out bytes.Buffer
	x.Out = &out
	exitCode, err := x.Run(x.T.Context(), args...)
	if err != nil {
		x.T.Fatalf("terraform %s: %v\n%s", strings.Join(args, " "), err, &out)
	}
	return out.String(), exitCode
}

func (x *stage) apply() string { return x.run(0, "apply", "-auto-approve") }

// isSettled fails if the plan is not empty.
func (x *stage) isSettled() { x.run(0, "plan", "-detailed-exitcode") }

func (x *stage) live() map[string]any { return x.of.Object(x.s, x.of.ID(x.of.Config)) }

func (x *stage) wantLive(fields map[string]any) {
	x.T.Helper()
	live := x.live()
	for field, want := range fields {
		if text(live[field]) != text(want) {
			x.T.Fatalf("%s is %v, want %v", field, live[field], want)
		}
	}
}

// scenarios are the cases with real Terraform. The change and the drift affect different
// attributes.
var scenarios = []struct {
	name    string
	with    string           // the type that the case runs with; with each one if empty, because it depends on the schema
	version *version.Version // the required version of Terraform
	run     func(x *stage, changed Values, drift map[string]any)
}{
	{name: "an ignored attribute keeps its live value", with: ScheduleType, run: func(x *stage, changed Values, drift map[string]any) {
		var ignored []string
		for field := range drift {
			ignored = append(ignored, x.of.Attributes[field])
		}
		lifecycle := "lifecycle { ignore_changes = [" + strings.Join(ignored, ", ") + "] }"
		x.configure(x.block("one", x.of.Config, lifecycle))
		x.apply()
		x.of.SetObject(x.s, x.of.ID(x.of.Config), drift)
		x.configure(x.block("one", changed, lifecycle))
		x.apply()
		wanted := x.of.Fields(changed)
		maps.Copy(wanted, drift)
		x.wantLive(wanted)
		x.isSettled()
	}},
	{name: "a saved plan changes only what it shows", with: ScheduleType, run: func(x *stage, changed Values, drift map[string]any) {
		x.configure(x.block("one", x.of.Config))
		x.apply()
		x.configure(x.block("one", changed))
		x.run(0, "plan", "-out=saved")
		x.of.SetObject(x.s, x.of.ID(x.of.Config), drift)
		// A value that the service changes along with the planned one is compared as well.
		said, code := x.runs("apply", "saved")
		if code != 0 && !strings.Contains(said, "changed since the") {
			x.T.Fatalf("terraform apply saved: %s", said)
		}
		x.wantLive(drift)
		x.run(2, "plan", "-detailed-exitcode")
		x.apply()
		x.wantLive(x.of.Fields(changed))
		x.isSettled()
	}},
	{name: "a replacement loses no object", with: RegionType, run: func(x *stage, changed Values, drift map[string]any) {
		for _, lifecycle := range []string{"", "lifecycle { create_before_destroy = true }"} {
			x.configure(x.block("one", x.of.Config, lifecycle))
			x.apply()
			_, _ = x.runs("apply", "-auto-approve", "-replace="+x.of.TypeName+".one") // the plan may fail
			if x.live() == nil {
				x.T.Fatal("the object is gone")
			}
			x.apply()
			x.wantLive(x.of.Fields(x.of.Config))
			x.isSettled()
		}
		x.run(0, "destroy", "-auto-approve")
		if exists := x.live() != nil; exists == x.of.Deletes(x.of.Config) {
			x.T.Errorf("the object exists after a destroy: %v", exists)
		}
	}},
	{
		name: "a renamed key moves the object or is an error",
		with: RegionType,
		run: func(x *stage, changed Values, drift map[string]any) {
			x.configure(x.block("one", x.of.Config, `for_each = toset(["a"])`))
			x.apply()
			held := x.live()
			x.configure(x.block("one", x.of.Config, `for_each = toset(["b"])`))
			_, _ = x.runs("apply", "-auto-approve")
			if fmt.Sprint(x.live()) != fmt.Sprint(held) {
				x.T.Fatalf("the object was %v and is %v", held, x.live())
			}
			address := x.of.TypeName + ".one"
			x.configure(x.block("one", x.of.Config, `for_each = toset(["b"])`), fmt.Sprintf("moved {\n  from = %[1]s[\"a\"]\n  to   = %[1]s[\"b\"]\n}", address))
			x.apply()
			x.configure(x.block("two", x.of.Config, "count = 1"), fmt.Sprintf("moved {\n  from = %s[\"b\"]\n  to   = %s.two[0]\n}", address, x.of.TypeName))
			x.apply()
			if fmt.Sprint(x.live()) != fmt.Sprint(held) {
				x.T.Fatalf("the object was %v and is %v", held, x.live())
			}
			x.isSettled()
		},
	},
	{name: "the exported configuration of an import plans nothing", run: func(x *stage, changed Values, drift map[string]any) {
		if x.of.Created {
			x.of.SetObject(x.s, x.of.ID(x.of.Config), x.of.Fields(With(x.of.Config, Values{"assignment_enabled": true})))
		}
		held := x.live()
		x.configure(fmt.Sprintf("import {\n  to = %s.one\n  id = %q\n}", x.of.TypeName, x.of.ID(x.of.Config)))
		x.run(0, "plan", "-generate-config-out=exported.tf")
		printed := x.apply()
		if !regexp.MustCompile("1 imported, 0 added, 0 changed, 0 destroyed").MatchString(printed) {
			x.T.Errorf("the exported configuration differs from the live object:\n%s", printed)
		}
		if fmt.Sprint(x.live()) != fmt.Sprint(held) {
			x.T.Fatalf("the object was %v and is %v", held, x.live())
		}
		x.isSettled()
	}},
	{name: "tests with a mock send no request", version: mocks, run: func(x *stage, changed Values, drift map[string]any) {
		x.s.ResetRequests()
		x.configure(x.block("one", x.of.Config))
		x.Write("mocked.tftest.hcl", "mock_provider \"opsmanager\" {}\nrun \"apply\" {\n  command = apply\n}\n")
		if printed := x.run(0, "test"); !strings.Contains(printed, "1 passed, 0 failed") {
			x.T.Errorf("no test ran:\n%s", printed)
		}
		if got := x.s.Requests(); len(got) > 0 {
			x.T.Errorf("a mocked provider sent %d requests", len(got))
		}
	}},
}

// checkTerraform runs real Terraform with the first thorough registration of each type of resource. What
// Terraform does with a plan depends on the type only in its schema, so most cases run with a resource that
// each cluster has, or with one that Terraform creates and deletes. The checks in process run with all types.
func checkTerraform(t *testing.T, registrations []Registration) {
	t.Helper()
	cli := CLI(t)
	once := map[string]bool{}
	for _, r := range registrations {
		if r.Brief || once[r.TypeName] {
			continue // for Terraform, the other registrations are the same
		}
		once[r.TypeName] = true
		changed := With(r.Config, r.Changes[0])
		drifts, _ := r.untouched(r.Config, changed)
		for _, s := range scenarios {
			if s.with != "" && s.with != r.TypeName {
				continue
			}
			t.Run(r.Name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				if s.version != nil && cli.Version.LessThan(s.version) {
					t.Skipf("the scenario requires Terraform %s; this is %s %s", s.version, cli.Name, cli.Version)
				}
				s.run(r.stage(t, cli), changed, drifts[0])
			})
		}
	}
}
