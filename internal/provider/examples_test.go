package provider_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// The directory of the examples, and the file that configures the provider for all others.
const (
	examples        = "../../examples"
	providerExample = examples + "/provider/provider.tf"
)

// Versions of Terraform and OpenTofu that some examples require.
var (
	identityImports = version.Must(version.NewVersion("1.12.0")) // import blocks by identity
	testCommand     = version.Must(version.NewVersion("1.6.0"))  // terraform test
	mocks           = version.Must(version.NewVersion("1.7.0"))  // mock_provider
	writeOnly       = version.Must(version.NewVersion("1.11.0")) // write-only attributes
	junit           = version.Must(version.NewVersion("1.11.0")) // terraform test -junit-xml; OpenTofu has none
	moduleChecks    = version.Must(version.NewVersion("1.11.0")) // check blocks in modules; Terraform 1.5 and OpenTofu 1.8 crash
)

// Each file under examples/ is applied with a provider block and a service of its own, by Terraform with the built
// provider. The files of a folder that need nothing else are modules of one run, which takes a third of the starts of
// Terraform. terraform test runs the directories that have tests.
func TestEveryExampleAppliesAndThenHasAnEmptyPlan(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	modules := map[string][]string{} // the paths of examples by folder
	imports := map[string][]string{} // the paths of examples by name
	err := filepath.WalkDir(examples, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) == ".rego" { // make policies runs them
			return err
		}
		run, next := runExample, error(nil)
		if entry.IsDir() {
			inside, err := os.ReadDir(path)
			if err != nil || len(inside) == 0 {
				t.Errorf("%s: nothing to run: %v", path, err)
			}
			if !slices.ContainsFunc(inside, func(e fs.DirEntry) bool { return e.Name() == "tests" }) {
				return nil
			}
			run, next = runExampleTests, fs.SkipDir
		}
		name, _ := filepath.Rel(examples, path)
		if folder, ok := moduleFolder(cli, filepath.ToSlash(name)); ok {
			modules[folder] = append(modules[folder], path)
			return nil
		}
		if base, ok := combinedImport(filepath.ToSlash(name)); ok {
			imports[base] = append(imports[base], path)
			return nil
		}
		if strings.HasSuffix(name, "-gitlab-ci.yml") && !providertest.Sampled(1, 2) {
			return next // the pipeline for GitHub has nearly the same commands
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			run(t, cli, path)
		})
		return next
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, paths := range modules {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			runModules(t, cli, paths)
		})
	}
	for name, paths := range imports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runImports(t, cli, paths)
		})
	}
	for name := range scenarios {
		if found, _ := filepath.Glob(examples + "/*/" + name); len(found) != 1 {
			t.Errorf("no example is the scenario %s", name)
		}
	}
}

// moduleFolder returns the folder whose run an example is a module of. Imports can't be modules, and runExample does
// more with the examples of snapshots and restores.
func moduleFolder(cli tfcli.CLI, name string) (folder string, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || filepath.Ext(name) != ".tf" || requiresWriteOnly(name) && cli.Version.LessThan(writeOnly) {
		return "", false
	}
	text, _ := os.ReadFile(filepath.Join(examples, name))
	switch {
	case cli.Version.LessThan(moduleChecks) && bytes.Contains(text, []byte("\ncheck ")):
		return "", false
	case bytes.Contains(text, []byte("import {")), parts[1] == providertest.OnDemandSnapshotType, parts[1] == providertest.RestoreJobType:
		return "", false
	case parts[0] == "data-sources":
		return parts[0], !strings.HasPrefix(parts[2], "data-source-fail-")
	}
	return parts[0], strings.HasPrefix(parts[2], "resource")
}

// combinedImport returns the name of the imports that one run combines. An import of a backup module is into an
// example that has a backup as well.
func combinedImport(name string) (base string, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || scenarios[parts[1]+"/"+parts[2]].then != "" || parts[1] == providertest.BackupModuleType {
		return "", false
	}
	return parts[2], parts[2] == "import.sh" || parts[2] == "import-by-string-id.tf"
}

// variables are those of the examples.
var variables = map[string]string{
	"backup_password": "of-the-backup", "store_uri": "mongodb://backup:c0rrect@db.example.com", "store_access_key": "AKIA0123",
	"store_secret_key": "c0rrect", "kmip_password": "c0rrect",
}

// runModules applies files as modules of one configuration.
func runModules(t *testing.T, cli tfcli.CLI, paths []string) {
	w := openExample(t, cli)
	var root strings.Builder
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		module := w
		module.Dir = filepath.Join(w.Dir, fmt.Sprint(i))
		if err := os.Mkdir(module.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		module.Copy(providerExample)
		module.Copy(path)
		service := providertest.StartService(t, exampleOptions())
		module.Write("emulator_override.tf", fmt.Sprintf("provider \"opsmanager\" {\n  base_url = %q\n}\n", service.URL))
		fmt.Fprintf(&root, "module \"example_%d\" {\n  source = \"./%d\"\n", i, i)
		for _, declared := range regexp.MustCompile(`(?m)^variable "(.*)" {`).FindAllSubmatch(text, -1) {
			fmt.Fprintf(&root, "  %s = %q\n", declared[1], variables[string(declared[1])])
		}
		root.WriteString("}\n")
	}
	w.Write("main.tf", root.String())
	_, plugins := providertest.InstalledProvider(t)
	w.MustRun("init", "-plugin-dir="+plugins)
	w.MustRun("apply", "-auto-approve")
	w.MustRun("plan", "-detailed-exitcode")
}

// variableBlock matches the declaration of a variable.
var variableBlock = regexp.MustCompile(`(?ms)^variable "(\w+)" {\n.*?^}\n`)

// importBlock matches an import block.
var importBlock = regexp.MustCompile(`(?ms)^import {\n.*?^}\n`)

// runImports imports the objects of several types into one configuration. Imports can't be in modules, and the
// examples of stores declare the same variables.
func runImports(t *testing.T, cli tfcli.CLI, paths []string) {
	service := providertest.StartService(t, exampleOptions())
	w := openExample(t, cli)
	w.Copy(providerExample)
	w.Write("emulator_override.tf", fmt.Sprintf("provider \"opsmanager\" {\n  base_url = %q\n}\n", service.URL))
	declared, script := map[string]string{}, ""
	for i, path := range paths {
		if requiresWriteOnly(path) && cli.Version.LessThan(writeOnly) {
			continue
		}
		for j, from := range []string{path, importedInto(t, path)} {
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(from) == ".sh" {
				script += string(text) + "\n"
				continue
			}
			for _, block := range variableBlock.FindAllSubmatch(text, -1) {
				declared[string(block[1])] = string(block[0])
			}
			text = variableBlock.ReplaceAll(text, nil)
			if from != path { // which has the import
				text = importBlock.ReplaceAll(text, nil)
			}
			w.Write(fmt.Sprintf("example_%d_%d.tf", i, j), string(text))
		}
	}
	for name, value := range variables {
		if block, ok := declared[name]; ok {
			w.Write("variable_"+name+".tf", block)
			w.Env = append(w.Env, "TF_VAR_"+name+"="+value)
		}
	}
	w.Init()
	if script != "" {
		w.Write("imports.sh", "set -e\n"+script)
		w.MustRunScript(filepath.Join(w.Dir, "imports.sh"))
	}
	w.MustRun("apply", "-auto-approve")
	w.MustRun("plan", "-detailed-exitcode")
}

// exampleOptions are those of the service of an example. The provider waits for seconds between reads, so nothing
// takes a while.
func exampleOptions() emulator.Options {
	return emulator.Options{Now: stopped(time.Now()), TransitionReads: -1, RestoreReads: -1}
}

// requiresWriteOnly reports whether an example has write-only attributes.
func requiresWriteOnly(path string) bool {
	return slices.Contains([]string{"infrastructure", "resource-keep-a-password-out-of-the-state.tf"}, filepath.Base(path)) ||
		strings.HasSuffix(filepath.Dir(path), "store")
}

// stopped returns a clock that always returns the same time, so that nothing ends while a slow
// machine applies and plans again.
func stopped(at time.Time) func() time.Time { return func() time.Time { return at } }

// runExampleTests runs terraform test in a directory.
func runExampleTests(t *testing.T, cli tfcli.CLI, path string) {
	if cli.Version.LessThan(testCommand) {
		t.Skipf("terraform test requires Terraform %s; this is %s %s", testCommand, cli.Name, cli.Version)
	}
	if _, err := os.Stat(filepath.Join(path, "mocks")); err == nil && (cli.OpenTofu() || cli.Version.LessThan(mocks)) {
		t.Skipf("mock files require Terraform %s; this is %s %s", mocks, cli.Name, cli.Version)
	}
	if requiresWriteOnly(path) && cli.Version.LessThan(writeOnly) {
		t.Skipf("write-only attributes require Terraform %s; this is %s %s", writeOnly, cli.Name, cli.Version)
	}
	name, err := filepath.Rel(examples, path)
	if err != nil {
		t.Fatal(err)
	}
	w := copyExample(t, providertest.StartService(t, emulator.Options{Now: stopped(time.Now())}), name)
	_, plugins := providertest.InstalledProvider(t)
	w.MustRun("init", "-plugin-dir="+plugins) // also installs the modules of the tests
	if printed := w.MustRun("test"); !regexp.MustCompile(`Success! [1-9]\d* passed, 0 failed`).MatchString(printed) {
		t.Errorf("no test ran:\n%s", printed)
	}
}

// existingInstallation is an example with a configuration of the provider.
const existingInstallation = "existing-installation"

// runExample applies one file, together with the files that it needs.
func runExample(t *testing.T, cli tfcli.CLI, path string) {
	options := exampleOptions()
	if strings.Contains(path, providertest.OnDemandSnapshotType) {
		options.Now = time.Now // which tells one snapshot from the next one
	}
	service := providertest.StartService(t, options)
	w := openExample(t, cli)
	for name, value := range variables {
		w.Env = append(w.Env, "TF_VAR_"+name+"="+value)
	}
	w.Write("emulator_override.tf", fmt.Sprintf("provider \"opsmanager\" {\n  base_url = %q\n}\n", service.URL))

	folder, name := filepath.Split(path)
	script := ""
	isWriteOnly := requiresWriteOnly(path)
	switch {
	case isWriteOnly && cli.Version.LessThan(writeOnly):
		t.Skipf("write-only attributes require Terraform %s; this is %s %s", writeOnly, cli.Name, cli.Version)
	case filepath.Base(folder) == "provider" && filepath.Ext(name) == ".tf":
		w.Copy(path)
		// Terraform starts the provider only if there is something to read.
		w.Write("read.tf", "data \"opsmanager_backup_configs\" \"any\" {\n  project_id = \"64f0c2a19b3d5e7f80a1b2c3\"\n}\n")
	case name == "import.sh":
		w.Copy(providerExample)
		w.Copy(importedInto(t, path))
		var err error
		if script, err = filepath.Abs(path); err != nil {
			t.Fatal(err)
		}
	case name == "import-with-identity.tf" && cli.Version.LessThan(identityImports):
		t.Skipf("import by identity requires Terraform %s; this is %s %s", identityImports, cli.Name, cli.Version)
	case strings.HasSuffix(name, ".tfquery.hcl"):
		providertest.SkipWithoutQueriesAndActions(t, cli)
		if filepath.Base(folder) == existingInstallation {
			w.Copy(filepath.Join(folder, "main.tf"))
		} else {
			w.Copy(providerExample)
		}
		w.Copy(path)
		w.Init()
		w.MustRun("query", "-generate-config-out=listed.tf")
		if printed := w.MustRun("apply", "-auto-approve"); !regexp.MustCompile(`[1-9]\d* imported, 0 added, 0 changed`).MatchString(printed) {
			t.Errorf("the generated configuration differs from the live objects:\n%s", printed)
		}
		w.MustRun("plan", "-detailed-exitcode")
		return
	case filepath.Ext(name) == ".jq":
		return // the guide to existing clusters runs it
	case strings.HasPrefix(name, "action-"):
		providertest.SkipWithoutQueriesAndActions(t, cli)
		w.Copy(providerExample)
		w.Copy(path)
	case strings.HasPrefix(name, "import-") && filepath.Ext(name) == ".tf":
		w.Copy(providerExample)
		into, err := os.ReadFile(importedInto(t, path))
		if err != nil {
			t.Fatal(err)
		}
		w.Write("resource.tf", importBlock.ReplaceAllString(string(into), ""))
		w.Copy(path)
	case strings.HasPrefix(name, "restore-drill-"):
		runDrillPipeline(w, service, path)
		return
	case strings.HasPrefix(name, "plan-and-apply-"):
		w.Copy(providerExample)
		runChangePipeline(w, service, path)
		return
	case strings.HasPrefix(name, "audit-"):
		runAuditPipeline(w, path)
		return
	case strings.HasPrefix(name, "morning-check-"):
		runMorningPipeline(w, service, path)
		return
	case strings.HasPrefix(name, "data-source-fail-"):
		w.Copy(providerExample)
		w.Copy(path)
		w.Init()
		var printed strings.Builder
		w.Out = &printed
		if exitCode, err := w.Run(t.Context(), "plan"); err != nil || exitCode != 1 ||
			!strings.Contains(printed.String(), "Payments: reports (650a2177e1f3a5b7c9d00e42) is not backed up.") {
			t.Errorf("exit code %d, %v\n%s", exitCode, err, &printed)
		}
		return
	case filepath.Ext(name) == ".yml":
		w.Copy(providerExample)
		runPipeline(w, service, path)
		return
	case filepath.Base(folder) == existingInstallation:
		w.Copy(path) // it is initialized alone
	case filepath.Ext(name) == ".tf":
		w.Copy(providerExample)
		w.Copy(path)
	default:
		t.Fatalf("this test does not know how to run %s: add a case", path)
	}

	w.Init()
	if script != "" {
		w.MustRunScript(script)
	}
	w.MustRun("apply", "-auto-approve")
	switch filepath.Base(folder) {
	case providertest.OnDemandSnapshotType, providertest.RestoreJobType:
		runScenario(w, service, filepath.Base(folder)+"/"+name)
	default:
		w.MustRun("plan", "-detailed-exitcode")
	}
}

// scenario is what an example of a snapshot or of a restore says about the applies after the first one.
type scenario struct {
	first     string                      // what the first apply requests, separated by blanks
	meanwhile func(*providertest.Service) // happens before the next plan, which is empty
	from, to  string                      // the change that the example speaks of; none if empty
	then      string                      // what the apply after the change requests
	invoked   string                      // what each invocation of the action requests
}

// The values of triggers in the examples, and the next ones.
const (
	release, nextRelease = "2.4.0", "2.5.0"
	month, nextMonth     = "2026-11", "2026-12"
)

// scenarios has each example of a snapshot, of a restore and of their actions.
var scenarios = map[string]scenario{
	"opsmanager_on_demand_snapshot/resource.tf":                                 {first: "snapshot", from: release, to: nextRelease, then: "snapshot"},
	"opsmanager_on_demand_snapshot/resource-take-a-snapshot-before-a-change.tf": {first: "snapshot", from: release, to: nextRelease, then: "snapshot"},
	"opsmanager_on_demand_snapshot/resource-delete-the-previous-snapshot.tf":    {first: "snapshot", from: "2026-W48", to: "2026-W49", then: "snapshot delete"},
	"opsmanager_on_demand_snapshot/resource-hold-an-existing-snapshot.tf":       {from: "do_not_delete = true", to: "do_not_delete = false", then: "change"},
	"opsmanager_on_demand_snapshot/import.sh":                                   {from: release, to: nextRelease, then: "snapshot"},
	"opsmanager_on_demand_snapshot/import-by-string-id.tf":                      {from: release, to: nextRelease, then: "snapshot"},
	"opsmanager_on_demand_snapshot/import-with-identity.tf":                     {from: release, to: nextRelease, then: "snapshot"},
	"opsmanager_on_demand_snapshot/action-invoke-on-the-command-line.tf":        {invoked: "snapshot"},
	"opsmanager_on_demand_snapshot/action-trigger-before-each-release.tf":       {first: "snapshot", from: release, to: nextRelease, then: "snapshot"},
	"opsmanager_on_demand_snapshot/list-resource.tfquery.hcl":                   {},

	"opsmanager_restore_job/resource.tf": {first: "restore", from: month, to: nextMonth, then: "restore"},
	"opsmanager_restore_job/resource-download-a-snapshot.tf": {
		first: "restore restore", then: "restore",
		from: `66b0c530c4d6e8f0a2b4c600", request = "` + month, to: `66b0c530c4d6e8f0a2b4c600", request = "` + nextMonth,
	},
	"opsmanager_restore_job/resource-restore-a-point-in-time.tf":            {first: "restore", meanwhile: advance},
	"opsmanager_restore_job/resource-restore-a-snapshot-taken-on-demand.tf": {first: "snapshot restore", from: month, to: nextMonth, then: "snapshot restore"},
	"opsmanager_restore_job/resource-restore-the-newest-snapshot.tf": {
		first: "restore", meanwhile: takeNewer, from: month, to: nextMonth, then: "restore",
	},
	"opsmanager_restore_job/import.sh":                            {from: month, to: nextMonth, then: "restore"},
	"opsmanager_restore_job/import-by-string-id.tf":               {from: month, to: nextMonth, then: "restore"},
	"opsmanager_restore_job/action-invoke-on-the-command-line.tf": {invoked: "restore"},
	"opsmanager_restore_job/action-restore-a-point-in-time.tf":    {invoked: "restore"},
}

// advance makes a later point in time restorable.
func advance(s *providertest.Service) {
	s.Inject(emulator.Fault{Path: "/restorableTimeRanges", Times: -1, Status: http.StatusOK,
		Body: `[{"start": {"date": "2025-08-31T02:30:05Z", "increment": 1}, "end": {"date": "2025-09-01T09:00:00Z", "increment": 1}}]`})
}

// takeNewer takes a snapshot that is newer than those of the seed.
func takeNewer(s *providertest.Service) { addSnapshot(s, recent, time.Hour) }

// runScenario changes an example that was applied as it describes, and applies it again. It checks that the plans
// after each apply are empty, and all requests that change something.
func runScenario(w providertest.Folder, service *providertest.Service, name string) {
	w.T.Helper()
	promised, ok := scenarios[name]
	if !ok {
		w.T.Fatalf("this test does not know what %s promises: add a scenario", name)
	}
	want := strings.Fields(promised.first)
	check := func(when string) {
		w.T.Helper()
		if got := changesOf(service); !slices.Equal(got, want) {
			w.T.Errorf("%s, requested %q, want %q", when, got, want)
		}
	}
	wantEmptyPlan := func(when string) {
		w.T.Helper()
		w.MustRun("plan", "-detailed-exitcode")
		check(when)
	}
	check("in the first apply")
	if promised.meanwhile != nil {
		promised.meanwhile(service)
	}
	wantEmptyPlan("after the first apply")
	if promised.from != "" {
		replaceIn(w, promised.from, promised.to)
		want = append(want, strings.Fields(promised.then)...)
		w.MustRun("apply", "-auto-approve")
		check("after the change")
		wantEmptyPlan("after the change")
	}
	if promised.invoked == "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(w.Dir, filepath.Base(name)))
	if err != nil {
		w.T.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^action "(.*)" "(.*)" {`).FindSubmatch(text)
	for range 2 {
		want = append(want, promised.invoked)
		w.MustRun("apply", "-auto-approve", fmt.Sprintf("-invoke=action.%s.%s", declared[1], declared[2]))
		check("after an invocation")
	}
	wantEmptyPlan("after the invocations")
}

// replaceIn replaces a text in the configuration, which must have it.
func replaceIn(w providertest.Folder, from, to string) {
	w.T.Helper()
	files, _ := filepath.Glob(filepath.Join(w.Dir, "*.tf"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			w.T.Fatal(err)
		}
		if strings.Contains(string(text), from) {
			w.Write(filepath.Base(file), strings.ReplaceAll(string(text), from, to))
			return
		}
	}
	w.T.Fatalf("no file has %q", from)
}

// changesOf returns what the requests to a service changed.
func changesOf(service *providertest.Service) (changes []string) {
	for _, request := range service.Writes() {
		method, path, _ := strings.Cut(request, " ")
		switch {
		case strings.HasSuffix(path, "/restorableTimeRanges"): // only reads
		case strings.HasSuffix(path, "/onDemandSnapshot"):
			changes = append(changes, "snapshot")
		case strings.HasSuffix(path, "/restoreJobs"):
			changes = append(changes, "restore")
		case strings.Contains(path, "/snapshots/"):
			changes = append(changes, map[string]string{"PATCH": "change", "DELETE": "delete"}[method])
		default:
			changes = append(changes, request)
		}
	}
	return changes
}

// importedInto returns the example of the resource that an import is for.
func importedInto(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`(opsmanager_\w+)\.(\w+)`).FindStringSubmatch(string(text))
	candidates, err := filepath.Glob(filepath.Join(filepath.Dir(path), "resource*.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, candidate := range candidates {
		text, err := os.ReadFile(candidate)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), fmt.Sprintf("resource %q %q {", address[1], address[2])) {
			return candidate
		}
	}
	t.Fatalf("%s: no example has the resource %s", path, address[0])
	return ""
}

// shellLine matches the first line of a script in a pipeline: a command, or the start of a block.
var shellLine = regexp.MustCompile(`^( *)(?:- |run: |- run: )(\||(?:terraform|export) .*)$`)

// pipelineScripts returns the script of each step of a pipeline.
func pipelineScripts(text string) []string {
	var scripts []string
	margin := "" // indentation of the current block
	for line := range strings.Lines(text) {
		begins := shellLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case margin != "" && strings.HasPrefix(line, margin):
			scripts[len(scripts)-1] += strings.TrimPrefix(line, margin)
		case begins == nil:
			margin = ""
		case begins[2] == "|":
			margin = begins[1] + "  "
			scripts = append(scripts, "")
		default:
			margin = ""
			scripts = append(scripts, begins[2]+"\n")
		}
	}
	return scripts
}

// runPipeline runs the steps of a pipeline up to the plan, with a mirror that has the provider. It
// checks that the pipeline distinguishes no drift, drift, also of a value that it may not reduce, and a failed plan.
func runPipeline(w providertest.Folder, service *providertest.Service, path string) {
	w.T.Helper()
	p := openPipeline(w, path, "terraform plan")
	w.Copy(filepath.Join(examples, "resources", providertest.ScheduleType, "resource.tf"))

	// Before the pipeline runs, the configuration is applied, and the lock file committed.
	w.Init()
	w.MustRun("apply", "-auto-approve")

	for _, c := range []struct {
		what string
		make func()
		want string
	}{
		{"nothing", func() {}, "false"},
		{"drift", func() {
			service.SetSchedule(payments, cards, object{"snapshotRetentionDays": 2})
		}, "true"},
		{"a value that retention_protection keeps", func() {
			service.SetSchedule(payments, cards, object{"snapshotRetentionDays": 3, "dailySnapshotRetentionDays": 30})
		}, "true"},
		{"a failure", func() { service.Inject(emulator.Fault{Times: -1, Status: 403}) }, ""},
	} {
		c.make()
		exitCode, printed := p.run()
		output, _ := os.ReadFile(filepath.Join(w.Dir, "outputs"))
		got := strings.TrimPrefix(strings.TrimSpace(string(output)), "drift=")
		if p.gitlab { // reports drift with the exit code
			got = map[int]string{0: "false", 2: "true"}[exitCode]
		}
		if got != c.want || (c.want == "") != (exitCode == 1) {
			w.T.Errorf("%s: got %q with exit code %d\n%s", c.what, got, exitCode, printed)
		}
	}
}

// pipeline is a working directory with the steps of a pipeline.
type pipeline struct {
	providertest.Folder

	gitlab bool
	steps  []string
}

// openPipeline returns the steps of a pipeline up to one that contains a command, with a mirror
// that has the provider.
func openPipeline(w providertest.Folder, path, command string) pipeline {
	w.T.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.T.Fatal(err)
	}
	_, plugins := providertest.InstalledProvider(w.T)
	p := pipeline{Folder: w, gitlab: strings.HasSuffix(path, "gitlab-ci.yml"), steps: pipelineScripts(strings.ReplaceAll(string(text), "/srv/mirror", plugins))}
	last := slices.IndexFunc(p.steps, func(step string) bool { return strings.Contains(step, command) })
	p.steps = p.steps[:last+1]
	if p.gitlab { // runs all commands in one shell
		p.steps = []string{strings.Join(p.steps, "")}
	}
	p.Env = append(
		p.Env, "GITHUB_ENV="+filepath.Join(w.Dir, "environment"), "GITHUB_OUTPUT="+filepath.Join(w.Dir, "outputs"),
		"RUNNER_TEMP="+w.T.TempDir(), "CI_PROJECT_DIR="+w.Dir, "CI_PIPELINE_ID=1",
	)
	return p
}

// openTestPipeline returns the steps of a pipeline that runs terraform test in an example.
func openTestPipeline(w providertest.Folder, path, example string) pipeline {
	w.T.Helper()
	if w.CLI.Version.LessThan(testCommand) {
		w.T.Skipf("terraform test requires Terraform %s; this is %s %s", testCommand, w.CLI.Name, w.CLI.Version)
	}
	if err := os.CopyFS(w.Dir, os.DirFS(filepath.Join(examples, example))); err != nil {
		w.T.Fatal(err)
	}
	w.Init() // the lock file is committed
	p := openPipeline(w, path, "terraform test")
	if w.CLI.OpenTofu() || w.CLI.Version.LessThan(junit) {
		for i, step := range p.steps {
			p.steps[i] = junitFlag.ReplaceAllString(step, "")
		}
	}
	return p
}

// junitFlag matches the flag that makes terraform test write an artifact.
var junitFlag = regexp.MustCompile(` -junit-xml=(\S+)`)

// wantArtifact checks that the last run has written the artifact that the pipeline keeps, and how it ended.
func (p pipeline) wantArtifact(wantPassed bool) {
	p.T.Helper()
	flag := junitFlag.FindStringSubmatch(p.steps[len(p.steps)-1])
	if flag == nil {
		return
	}
	text, err := os.ReadFile(filepath.Join(p.Dir, flag[1]))
	if err != nil || strings.Contains(string(text), `failures="0" errors="0"`) != wantPassed {
		p.T.Errorf("%v: the artifact of a run that passed (%v) is\n%s", err, wantPassed, text)
	}
	if err := os.Remove(filepath.Join(p.Dir, flag[1])); err != nil {
		p.T.Error(err)
	}
}

// run runs the steps until one fails, and returns the exit code of the last one and the output.
func (p pipeline) run() (exitCode int, output string) {
	p.T.Helper()
	if err := os.RemoveAll(filepath.Join(p.Dir, ".terraform")); err != nil { // each run starts in a new directory
		p.T.Fatal(err)
	}
	p.Write("environment", "")
	p.Write("outputs", "")
	var printed strings.Builder
	p.Out = &printed
	inherited := p.Env
	for _, step := range p.steps {
		p.Write("step.sh", step)
		var err error
		if exitCode, err = p.RunScript(p.T.Context(), filepath.Join(p.Dir, "step.sh")); err != nil {
			p.T.Fatalf("%v\n%s", err, &printed)
		}
		if exitCode != 0 {
			break
		}
		exported, _ := os.ReadFile(filepath.Join(p.Dir, "environment"))
		p.Env = slices.Concat(inherited, strings.Fields(string(exported)))
	}
	return exitCode, printed.String()
}

// runChangePipeline runs the jobs of a pipeline that plans and applies. It checks that the plan changes
// nothing, that the apply does, that it refuses a plan that is stale or whose values have changed since, and
// that a failed plan fails the pipeline.
func runChangePipeline(w providertest.Folder, service *providertest.Service, path string) {
	w.T.Helper()
	w.Copy(filepath.Join(examples, "resources", providertest.ScheduleType, "resource.tf"))
	w.Init() // the lock file is committed
	plan := openPipeline(w, path, "terraform plan")
	apply := openPipeline(w, path, "terraform plan -input=false -lock=false -detailed-exitcode")
	if plan.gitlab { // each job is a shell of its own, with the files of the job before it
		before, _, _ := strings.Cut(plan.steps[0], "exit_code=0\n")
		apply.steps[0] = before + strings.TrimPrefix(apply.steps[0], plan.steps[0])
	} else {
		apply.steps = slices.DeleteFunc(apply.steps, func(step string) bool { return strings.Contains(step, "gh pr comment") })[len(plan.steps):]
	}
	run := func(job pipeline, exitCode int, changes bool, prints string) {
		w.T.Helper()
		service.ResetRequests()
		got, printed := job.run()
		if got != exitCode || len(service.Writes()) > 0 != changes || !strings.Contains(printed, prints) {
			w.T.Errorf("exit code %d, requests %q\n%s", got, service.Writes(), printed)
		}
	}
	run(plan, 0, false, "1 to add")
	run(apply, 0, true, "1 added")

	// The approved plan is applied, and no newer one.
	service.SetSchedule(payments, cards, object{"dailySnapshotRetentionDays": 7})
	run(plan, 0, false, "1 to change")
	service.SetSchedule(payments, cards, object{"dailySnapshotRetentionDays": 9})
	run(apply, 1, false, "hanged")
	run(plan, 0, false, "1 to change")
	run(apply, 0, true, "1 changed")
	run(apply, 1, false, "stale")
	service.Inject(emulator.Fault{Times: -1, Status: 403})
	if exitCode, printed := plan.run(); exitCode == 0 || !strings.Contains(printed, "403") {
		w.T.Errorf("a plan that fails: exit code %d\n%s", exitCode, printed)
	}
}

// IDs of snapshots of the cluster ledger.
const (
	newest  = "66d3f330c4d6e8f0a2b4c602" // the newest complete one of the seed
	running = "66d544b0c4d6e8f0a2b4c603" // is being taken
	recent  = "66d544b0c4d6e8f0a2b4c604" // is not in the seed
)

// addSnapshot sets or adds a complete snapshot of the cluster ledger, which was taken some time ago.
func addSnapshot(service *providertest.Service, id string, age time.Duration) {
	service.SetSnapshot(payments, ledger, id, object{
		"complete": true, "created": object{"date": time.Now().Add(-age).UTC().Format(time.RFC3339), "increment": 1},
	})
}

// runDrillPipeline runs a pipeline with the example restore-drill. It checks that the pipeline
// restores in each run, and fails if the newest snapshot is too old.
func runDrillPipeline(w providertest.Folder, service *providertest.Service, path string) {
	w.T.Helper()
	p := openTestPipeline(w, path, "restore-drill")
	for _, run := range []struct {
		isOld              bool // the newest snapshot
		exitCode, restores int
	}{{false, 0, 1}, {false, 0, 2}, {true, 1, 2}} {
		if run.isOld {
			service.RemoveSnapshot(payments, ledger, running)
			addSnapshot(service, newest, 27*time.Hour)
		}
		if exitCode, printed := p.run(); exitCode != run.exitCode || !strings.Contains(printed, `run "the_newest_snapshot_restores"`) {
			w.T.Errorf("exit code %d, want %d\n%s", exitCode, run.exitCode, printed)
		}
		p.wantArtifact(run.exitCode == 0)
		if got := changesOf(service); !slices.Equal(got, slices.Repeat([]string{"restore"}, run.restores)) {
			w.T.Errorf("requested %q, want %d restores", got, run.restores)
		}
	}
}

// runMorningPipeline runs a pipeline with the example compliance. It checks that the pipeline fails if a
// cluster can't be restored, if there is no test, and if Ops Manager can't be read.
func runMorningPipeline(w providertest.Folder, service *providertest.Service, path string) {
	w.T.Helper()
	p := openTestPipeline(w, path, "compliance")
	run := func(want int, prints string) {
		w.T.Helper()
		exitCode, printed := p.run()
		if text := strings.Join(strings.Fields(printed), " "); exitCode != want || !strings.Contains(text, prints) {
			w.T.Errorf("exit code %d, want %d\n%s", exitCode, want, text)
		}
	}
	run(1, "Payments: fraud (650a1e4a0f2c3d5b7e9f1a2b) has no complete snapshot, and gets none while its backup is stopped.")
	p.wantArtifact(false)
	w.Write("terraform.tfvars", "project_ids = [\""+payments+"\"]\nexcluded_cluster_ids = "+allButLedger+"\n")
	addSnapshot(service, recent, time.Hour)
	run(0, "1 passed, 0 failed")
	p.wantArtifact(true)
	if err := os.Rename(filepath.Join(w.Dir, "gate"), filepath.Join(w.Dir, "renamed")); err != nil {
		w.T.Fatal(err)
	}
	run(1, "0 passed, 0 failed")
	if err := os.Rename(filepath.Join(w.Dir, "renamed"), filepath.Join(w.Dir, "gate")); err != nil {
		w.T.Fatal(err)
	}
	service.Inject(emulator.Fault{Path: "/backupConfigs", Times: -1, Status: http.StatusForbidden})
	run(1, "403 Forbidden")
}

// runAuditPipeline runs a pipeline with the example audit. It checks that it keeps the audit, and fails unless that has
// passed.
func runAuditPipeline(w providertest.Folder, path string) {
	w.T.Helper()
	if err := os.CopyFS(w.Dir, os.DirFS(filepath.Join(examples, "audit"))); err != nil {
		w.T.Fatal(err)
	}
	w.Init() // the lock file is committed
	p := openPipeline(w, path, "terraform output -raw verdict")
	run := func(want int, verdict string) {
		w.T.Helper()
		exitCode, printed := p.run()
		kept, _ := os.ReadFile(filepath.Join(w.Dir, "audit.json"))
		_, err := os.Stat(filepath.Join(w.Dir, "audit.html"))
		if exitCode != want || err != nil || !strings.HasSuffix(string(kept), `"verdict":"`+verdict+`"}`) {
			w.T.Errorf("exit code %d, want %d: %v\n%s\n%s", exitCode, want, err, kept, printed)
		}
	}
	run(1, "failed")
	w.Write("terraform.tfvars", "quarters = []\nholds = { \"66b0c530c4d6e8f0a2b4c600\" = \"Legal\" }\n"+
		"clusters = { ledger = { project_id = \""+payments+"\", cluster_id = \""+ledger+"\" } }\n")
	run(0, "passed")
}

// allButLedger are the IDs of the other clusters of Payments.
const allButLedger = `["` + cards + `", "650a1e4a0f2c3d5b7e9f1a2b", "650a20d18c3e5f7092b4d6a8", "650a2177e1f3a5b7c9d00e42", "` + orders + `"]`

// The drill's example of a check calls mongosh, for which a stand-in reports its arguments and exits with a code. Without
// an address, mongosh would check a database on this machine.
func TestDrillCheckCountsDocumentsAtAnAddress(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "mongosh"), []byte("#!"+shell+"\necho \"asked $@\"\nexit $EXIT_CODE\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const asked = "asked mongodb://scratch.example.com --quiet --eval quit("
	for _, test := range []struct {
		address, exitCode string
		asks, passes      bool
	}{
		{"", "0", false, false},
		{"TARGET_URI=", "0", false, false},
		{"TARGET_URI=mongodb://scratch.example.com", "0", true, true},
		{"TARGET_URI=mongodb://scratch.example.com", "1", true, false},
	} {
		check := exec.CommandContext(t.Context(), shell, examples+"/restore-drill/count-documents.sh")
		check.Env = []string{"PATH=" + tools, test.address, "EXIT_CODE=" + test.exitCode}
		printed, err := check.CombinedOutput()
		if (err == nil) != test.passes || strings.HasPrefix(string(printed), asked) != test.asks {
			t.Errorf("%+v: %v\n%s", test, err, printed)
		}
	}
}

// undated is the age of a snapshot for which Ops Manager returns no time.
const undated = time.Duration(-1)

// The gate fails if a rule is broken, and prints the clusters.
func TestComplianceGateFailsIfARuleIsBroken(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	service := providertest.StartService(t)
	w := copyExample(t, service, "compliance")
	w.Init()
	const stopped = "Payments: fraud (650a1e4a0f2c3d5b7e9f1a2b) has no complete snapshot, and gets none while its backup is stopped."
	if printed := strings.Join(strings.Fields(w.MustRun("plan")), " "); !strings.Contains(printed, stopped) {
		t.Errorf("the plan does not warn:\n%s", printed)
	}
	if cli.Version.LessThan(testCommand) {
		t.Skipf("terraform test requires Terraform %s; this is %s %s", testCommand, cli.Name, cli.Version)
	}
	run := func(want int, prints string, args ...string) {
		t.Helper()
		var printed strings.Builder
		w.Out = &printed
		exitCode, err := w.Run(t.Context(), append([]string{"test", "-test-directory=gate"}, args...)...)
		if text := strings.Join(strings.Fields(printed.String()), " "); err != nil || exitCode != want || !strings.Contains(text, prints) {
			t.Errorf("exit code %d, want %d, %v\n%s", exitCode, want, err, text)
		}
	}
	onlyLedger := []string{"-var", `project_ids=["` + payments + `"]`, "-var", "excluded_cluster_ids=" + allButLedger}
	none := []string{"-var", `project_ids=["` + payments + `"]`, "-var", "excluded_cluster_ids=" + strings.Replace(allButLedger, "[", `["`+ledger+`", `, 1)}
	run(1, stopped)
	run(1, "No cluster was checked.", none...)
	run(1, "Payments: ledger ("+ledger+") has no complete snapshot that is younger than 26 hours.", onlyLedger...)
	addSnapshot(service, recent, time.Hour)
	run(0, "1 passed, 0 failed", onlyLedger...)
	w.Env = append(w.Env, "OPSMANAGER_BASE_URL="+providertest.StartService(t, emulator.Options{OmitFields: []string{"snapshotIntervalHours"}}).URL)
	run(1, "ledger ("+ledger+"): unknown interval", onlyLedger...)
}

// Rules about backups can be tested without an Ops Manager, because Terraform mocks maps of text.
func TestMapsOfTextCanBeMocked(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	if cli.Version.LessThan(mocks) {
		t.Skipf("mocks require Terraform %s; this is %s %s", mocks, cli.Name, cli.Version)
	}
	w := openExample(t, cli)
	w.Copy(providerExample)
	w.Write("main.tf", `
data "opsmanager_backup_status" "all" {}

data "opsmanager_backup_configs" "payments" {
  project_id = "`+payments+`"
}

data "opsmanager_hosts" "payments" {
  project_id = "`+payments+`"
}

check "backups" {
  assert {
    condition     = length(data.opsmanager_backup_status.all.problems) == 0
    error_message = "A cluster could not be restored."
  }
}

output "stopped" {
  value = [for id, status in data.opsmanager_backup_configs.payments.status_by_cluster_id : id if status == "STOPPED"]
}

output "host" {
  value = data.opsmanager_hosts.payments.ids_by_hostname["cfg1.example.com:27019"]
}
`)
	w.Write("mocked.tftest.hcl", `
mock_provider "opsmanager" {
  mock_data "opsmanager_backup_status" {
    defaults = { problems = { "`+ledger+`" = "Payments: ledger is not backed up." } }
  }
  mock_data "opsmanager_backup_configs" {
    defaults = { status_by_cluster_id = { "`+ledger+`" = "STARTED", "`+cards+`" = "STOPPED" } }
  }
  mock_data "opsmanager_hosts" {
    defaults = { ids_by_hostname = { "cfg1.example.com:27019" = "4b1d7f0a" } }
  }
}

run "rules" {
  command         = plan
  expect_failures = [check.backups]

  assert {
    condition     = output.stopped == ["`+cards+`"] && output.host == "4b1d7f0a"
    error_message = "Not mocked: ${jsonencode(output.stopped)}, ${output.host}."
  }
}
`)
	w.Init()
	w.MustRun("test")
}

// A drill restores once, if at all, and leaves the restore job as it is.
func TestRestoreDrillFailsUnlessARecentSnapshotWasRestored(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	if cli.Version.LessThan(testCommand) {
		t.Skipf("terraform test requires Terraform %s; this is %s %s", testCommand, cli.Name, cli.Version)
	}
	for name, test := range map[string]struct {
		options  emulator.Options
		age      time.Duration // of the newest complete snapshot, if there is one
		args     []string
		prints   string // in one line
		restores int
	}{
		"a recent snapshot":          {age: 25 * time.Hour, prints: "Success! 1 passed, 0 failed.", restores: 1},
		"an old snapshot":            {age: 27 * time.Hour, prints: "Maximum age in hours: 26."},
		"a shorter objective":        {age: 2 * time.Hour, args: []string{"-var", "max_snapshot_age_hours=1"}, prints: "Maximum age in hours: 1."},
		"a snapshot from the future": {age: -2 * time.Hour, prints: "which is in the future."},
		"a snapshot without a time":  {age: undated, prints: "has no complete snapshot."},
		"no snapshot":                {prints: "has no complete snapshot."},
		"a restore that breaks":      {options: emulator.Options{RestoreOutcome: "BROKEN"}, age: time.Hour, prints: "The restore is BROKEN.", restores: 1},
		"a restore that takes too long": {
			options: emulator.Options{RestoreReads: 1000}, age: time.Hour, args: []string{"-var", "timeout=1s"},
			prints: "The restore is IN_PROGRESS.", restores: 1,
		},
		"a check that passes": {
			age:    time.Hour,
			args:   []string{"-var", "check_command=test $TARGET_CLUSTER_NAME = scratch && test $RESTORED_SNAPSHOT_ID = " + recent},
			prints: "Success! 1 passed, 0 failed.", restores: 1,
		},
		"a check that fails": {
			age: time.Hour, args: []string{"-var", "check_command=echo no documents; exit 3"}, prints: "exit status 3", restores: 1,
		},
		"no check of a broken restore": {
			options: emulator.Options{RestoreOutcome: "BROKEN"}, age: time.Hour, args: []string{"-var", "check_command=exit 3"},
			prints: "The restore is BROKEN.", restores: 1,
		},
		"a target that is the source": {
			age: time.Hour,
			args: []string{
				"-var", "target_project_id=" + payments, "-var", "target_cluster_id=" + strings.ToUpper(ledger), "-var",
				"target_cluster_name=ledger",
			},
			prints: "is the source of the drill",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := providertest.StartService(t, test.options)
			for _, snapshot := range service.Snapshots(payments, ledger) {
				service.RemoveSnapshot(payments, ledger, fmt.Sprint(snapshot["id"]))
			}
			switch test.age {
			case 0:
			case undated:
				service.SetSnapshot(payments, ledger, recent, object{"complete": true})
			default:
				addSnapshot(service, recent, test.age)
			}
			before := len(service.RestoreJobs(payments, ledger))
			w := copyExample(t, service, "restore-drill")
			w.Init()
			var printed strings.Builder
			w.Out = &printed
			exitCode, err := w.Run(t.Context(), append([]string{"test"}, test.args...)...)
			if failed := exitCode != 0; err != nil || failed == strings.HasPrefix(test.prints, "Success!") ||
				!strings.Contains(strings.Join(strings.Fields(printed.String()), " "), test.prints) {
				t.Errorf("exit code %d, %v\n%s", exitCode, err, &printed)
			}
			if got := len(service.RestoreJobs(payments, ledger)) - before; got != test.restores {
				t.Errorf("%d restores, want %d\n%s", got, test.restores, &printed)
			}
		})
	}
}

// A plan may quote a description that contains Markdown. In an issue, the whole plan must stay
// inside the code fence.
func TestPlanInAnIssueStaysInsideItsCodeFence(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(examples + "/pipelines/github-actions.yml")
	if err != nil {
		t.Fatal(err)
	}
	steps := pipelineScripts(string(text))
	for _, plan := range []string{"No fence.\n", "a\n```\n@everyone\n", "``````\n~~~~\n`````\nx``` ```````\n"} {
		w := openExample(t, providertest.CLI(t))
		w.Write("plan.txt", plan)
		// A stand-in for GitHub's command line.
		w.Write("gh", "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(w.Dir, "gh"), 0o700); err != nil {
			t.Fatal(err)
		}
		w.Env = append(w.Env, "PATH="+w.Dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		w.Write("step.sh", steps[len(steps)-1])
		w.MustRunScript(filepath.Join(w.Dir, "step.sh"))
		body, err := os.ReadFile(filepath.Join(w.Dir, "body.md"))
		if err != nil {
			t.Fatal(err)
		}
		fence, rest, _ := strings.Cut(string(body), "text\n")
		inside, after, closed := strings.Cut(rest, fence)
		if strings.Trim(fence, "`") != "" || len(fence) < 3 || inside != plan || after != "\n" || !closed {
			t.Errorf("the plan %q is shown in the issue as %q", plan, body)
		}
	}
}

func TestClustersWithoutANameOrAnIDDoNotStopTheFleetModule(t *testing.T) {
	t.Parallel()
	lacking := map[string][]string{ledger: {"clusterName", "replicaSetName"}, orders: {"id"}}
	proxy := providertest.StartFaultProxy(t)
	proxy.Handle(providertest.Rewrite(func(r *http.Request, document object) {
		results, _ := document["results"].([]any)
		for _, item := range results {
			if cluster, isObject := item.(object); isObject && strings.HasSuffix(r.URL.Path, "/clusters") {
				maps.DeleteFunc(cluster, func(field string, _ any) bool { return slices.Contains(lacking[fmt.Sprint(cluster["id"])], field) })
			}
		}
	}))
	w := copyExample(t, proxy.Service, "modules/fleet-policy")
	w.Init()
	w.Write("terraform.tfvars", fmt.Sprintf("project_id = %q\nclusters = { %q = \"gold\" }\nallow_fewer_recovery_points = true\n", payments, ledger))
	w.MustRun("apply", "-auto-approve")
	providertest.WantContains(t, w.MustRun("output", "-json", "without_a_tier"), `["cards"]`)
}

func TestRestoreDrillWithAStateRestoresOnceForEachRun(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	if cli.Version.LessThan(testCommand) {
		t.Skipf("the drill requires Terraform %s; this is %s %s", testCommand, cli.Name, cli.Version)
	}
	service := providertest.StartService(t)
	w := copyExample(t, service, "restore-drill")
	w.Init()
	before := len(service.RestoreJobs(payments, ledger))
	for i, run := range []struct {
		id, newest, restored string
		restores             int
	}{
		{"1", recent, recent, 1},
		{"1", "66d544b0c4d6e8f0a2b4c605", recent, 1},
		{"2", "66d544b0c4d6e8f0a2b4c605", "66d544b0c4d6e8f0a2b4c605", 2},
	} {
		addSnapshot(service, run.newest, time.Duration(3-i)*time.Hour)
		w.Write("run.auto.tfvars", fmt.Sprintf("run_id = %q\ncheck_command = \"echo checked >>checks\"\n", run.id))
		w.MustRun("apply", "-auto-approve")
		w.MustRun("plan", "-detailed-exitcode")
		if checks, err := os.ReadFile(filepath.Join(w.Dir, "checks")); err != nil || strings.Count(string(checks), "checked") != run.restores {
			t.Errorf("checked the data %d times after %d restores, %v", strings.Count(string(checks), "checked"), run.restores, err)
		}
		if printed := w.MustRun("output", "-json", "restored"); !strings.Contains(printed, run.restored) {
			t.Errorf("run %d restored %s, want %s", i, printed, run.restored)
		}
		if got := len(service.RestoreJobs(payments, ledger)) - before; got != run.restores {
			t.Errorf("%d restores after run %d, want %d", got, i, run.restores)
		}
	}
}

// copyExample returns a copy of the folder of an example, which reads a service.
func copyExample(t *testing.T, service *providertest.Service, name string) providertest.Folder {
	t.Helper()
	w := openExample(t, providertest.CLI(t), "OPSMANAGER_BASE_URL="+service.URL)
	if err := os.CopyFS(w.Dir, os.DirFS(filepath.Join(examples, name))); err != nil {
		t.Fatal(err)
	}
	return w
}

// openExample returns a folder for an example.
func openExample(t *testing.T, cli tfcli.CLI, env ...string) providertest.Folder {
	return providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir(), Env: append([]string{
		"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
		"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
		"TF_CLI_ARGS=-no-color",
	}, env...)}}
}
