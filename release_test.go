package main_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestWorkflowsPinActionsAndLimitPermissions(t *testing.T) {
	t.Parallel()
	commits := map[string]string{}
	for pattern, allowed := range map[string]string{
		".github/workflows/*.y*ml":           "  contents: read\n",
		"examples/pipelines/github-*.y*ml":   "  contents: read\n  issues: write\n",
		"examples/pipelines/*-github-*.y*ml": "  contents: read\n",
	} {
		workflows, err := filepath.Glob(pattern)
		if err != nil || len(workflows) == 0 {
			t.Fatalf("%s matches no file: %v", pattern, err)
		}
		for _, path := range workflows {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range problemsOf(string(text), allowed, commits) {
				t.Errorf("%s: %s", path, problem)
			}
		}
	}
}

var (
	uses        = regexp.MustCompile(`(?m)^ *(?:- )?uses: *(.*)$`)
	pinned      = regexp.MustCompile(`^(?:\./\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	permissions = regexp.MustCompile(`(?m)^permissions:(.*)\n((?: .*\n)*)`)
	refused     = regexp.MustCompile(`write-all|pull_request_target|secrets: *inherit|go-version-file: *go\.mod`)
)

// problemsOf returns the problems of a workflow. Its permissions must be empty or the
// allowed ones, and an action must have the same commit in all workflows, which commits
// collects.
func problemsOf(workflow, allowed string, commits map[string]string) []string {
	var problems []string
	granted := permissions.FindStringSubmatch(workflow)
	if granted == nil || granted[1]+granted[2] != " {}" && granted[1]+granted[2] != allowed {
		problems = append(problems, "the permissions of the workflow are neither {} nor the expected ones, so jobs may have more than they need")
	}
	// go.mod has the oldest supported version of Go, whose standard library has known
	// vulnerabilities.
	for _, found := range refused.FindAllString(workflow, -1) {
		problems = append(problems, found+" is not allowed")
	}
	for _, match := range uses.FindAllStringSubmatch(workflow, -1) {
		// A tag can move to another commit.
		if !pinned.MatchString(match[1]) {
			problems = append(problems, match[1]+" is not pinned to a commit with a comment that names its version")
		}
		action, at, _ := strings.Cut(match[1], "@")
		if other, ok := commits[action]; ok && other != at {
			problems = append(problems, action+" is "+at+" here and "+other+" elsewhere")
		}
		commits[action] = at
	}
	return problems
}

func TestProblemsOfAWorkflowAreReported(t *testing.T) {
	t.Parallel()
	const (
		allowed = "  contents: read\n"
		commit  = "0123456789012345678901234567890123456789"
	)
	for workflow, want := range map[string]string{
		"permissions: {}\n":        "",
		"permissions:\n" + allowed: "",
		"permissions: {}\njobs:\n    - uses: a/b@" + commit + " # v1.2.3\n":       "",
		"permissions: {}\njobs:\n    uses: ./.github/workflows/test.yml\n":        "",
		"jobs:\n  a:\n    permissions: {}\n":                                      "the permissions",
		"permissions: read-all\n":                                                 "the permissions",
		"permissions:\n" + allowed + "  packages: write\n":                        "the permissions",
		"permissions: {}\njobs:\n  a:\n    permissions: write-all\n":              "write-all is not allowed",
		"on: pull_request_target\npermissions: {}\n":                              "pull_request_target is not allowed",
		"permissions: {}\njobs:\n    secrets: inherit\n":                          "secrets: inherit is not allowed",
		"permissions: {}\njobs:\n          go-version-file: go.mod\n":             "go-version-file: go.mod is not allowed",
		"permissions: {}\njobs:\n    - uses: a/b@v1\n":                            "a/b@v1 is not pinned",
		"permissions: {}\njobs:\n    - uses: a/b@" + commit + "\n":                "is not pinned",
		"permissions: {}\njobs:\n    - uses: known/one@" + commit + " # v1.2.3\n": "elsewhere",
	} {
		got := problemsOf(workflow, allowed, map[string]string{"known/one": "another"})
		if len(got) > 1 || (len(got) == 1) != (want != "") || !strings.Contains(strings.Join(got, ""), want) {
			t.Errorf("%q: %q, want %q", workflow, got, want)
		}
	}
}

func TestMakeInstallCopiesTheProviderToWhereTerraformFindsIt(t *testing.T) {
	t.Parallel()
	rules, err := filepath.Abs("GNUmakefile")
	if err == nil {
		_, err = os.Stat(rules) // so that go test repeats a test that passed if the file changes
	}
	if err != nil {
		t.Fatal(err)
	}
	const below = "/plugins/terraform.local/local/opsmanager/0.1.0/"
	for name, test := range map[string]struct{ platform, variable, value, want string }{
		"Linux": {"GOOS=linux", "HOME", "/Ann O'Brien/a", "/Ann O'Brien/a/.terraform.d" + below + "linux_amd64/terraform-provider-opsmanager_v0.1.0"},
		"macOS": {"GOOS=darwin", "HOME", "/b", "/b/.terraform.d" + below + "darwin_amd64/terraform-provider-opsmanager_v0.1.0"},
		"Windows": {
			"GOOS=windows", "APPDATA", `\Ann Lee\AppData\Roaming`,
			"/Ann Lee/AppData/Roaming/terraform.d" + below + "windows_amd64/terraform-provider-opsmanager_v0.1.0.exe",
		},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "bin", "terraform-provider-opsmanager"), []byte("built"), 0o600); err != nil {
			t.Fatal(err)
		}
		// -o build skips the build.
		install := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-f", rules, "-o", "build", "install", "VERSION=0.1.0")
		install.Dir = dir
		install.Env = append(os.Environ(), "MAKEFLAGS=", test.platform, "GOARCH=amd64", "CGO_ENABLED=0", test.variable+"="+dir+test.value)
		printed, err := install.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, printed)
			continue
		}
		if content, err := os.ReadFile(dir + test.want); string(content) != "built" {
			t.Errorf("%s: %s is missing: %v\n%s", name, test.want, err, printed)
		}
		if got, want := string(printed), "Installed "+dir+test.want+"\n"; got != want {
			t.Errorf("%s: printed %q, want %q", name, got, want)
		}
	}
}

// A lock file has the checksum of the provider. It fits the builds of other people only if they
// build the same binary.
func TestInstallAndMirrorBuildTheSameBinaryInEveryCheckout(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("an acceptance test, which runs without -short")
	}
	var binaries [][]byte
	for _, target := range []string{"install", "mirror"} {
		checkout := t.TempDir()
		run := func(dir, name string, args ...string) {
			t.Helper()
			command := exec.CommandContext(t.Context(), name, args...)
			command.Dir = dir
			command.Env = append(os.Environ(), "MAKEFLAGS=", "GOFLAGS=", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
			if printed, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, printed)
			}
		}
		run(".", "cp", "-R", "GNUmakefile", "go.mod", "go.sum", "main.go", "internal", checkout)
		run(checkout, "git", "init", "--quiet")
		run(checkout, "git", "add", ".")
		run(checkout, "git", "-c", "user.name="+target, "-c", "user.email="+target+"@example.com", "commit", "--quiet", "--message", target)
		if target == "mirror" {
			if err := os.WriteFile(filepath.Join(checkout, "untracked"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run(checkout, "make", target, "VERSION=1.2.3", "DIR=built", "INSTALLED=built/terraform-provider-opsmanager_v1.2.3")
		var built string
		err := filepath.WalkDir(filepath.Join(checkout, "built"), func(path string, _ fs.DirEntry, err error) error {
			built = path // the archive is the last file, or the binary the only one
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		open := func() (fs.File, error) { return os.Open(built) }
		if target == "mirror" {
			archive, err := zip.OpenReader(built)
			if err != nil {
				t.Fatal(err)
			}
			defer archive.Close()
			open = func() (fs.File, error) { return archive.Open("terraform-provider-opsmanager_v1.2.3") }
		}
		file, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		binary, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		binaries = append(binaries, binary)
	}
	if !bytes.Equal(binaries[0], binaries[1]) {
		t.Error("make install and make mirror have built different binaries from the same files")
	}
}

func TestReleasesHaveTheFlagsOfMake(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(".goreleaser.yml")
	if err != nil {
		t.Fatal(err)
	}
	list := func(name string) string {
		items := regexp.MustCompile(`(?m)^    ` + name + `:\n((?:      - .*\n)+)`).FindSubmatch(text)
		if items == nil {
			t.Fatalf(".goreleaser.yml has no %s", name)
		}
		return strings.Join(strings.Fields(strings.ReplaceAll("\n"+string(items[1]), "\n      - ", " ")), " ")
	}
	ldflags := strings.ReplaceAll(list("ldflags"), "{{ .Version }}", "1.2.3")
	want := list("env") + " go build " + list("flags") + " -ldflags '" + ldflags + "' -o "
	if _, err := os.Stat("GNUmakefile"); err != nil { // as above
		t.Fatal(err)
	}
	for _, target := range []string{"install", "mirror"} {
		dryRun := exec.CommandContext(t.Context(), "make", "--dry-run", target, "VERSION=1.2.3")
		dryRun.Env = append(os.Environ(), "MAKEFLAGS=")
		printed, err := dryRun.CombinedOutput()
		if err != nil || !strings.Contains(string(printed), want) {
			t.Errorf("make %s: %v, want %q in\n%s", target, err, want, printed)
		}
	}
}

// Terraform's registry rejects a release whose checksums name other archives, or bills of materials.
func TestChecksumsNameTheProviderOnly(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(".goreleaser.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nchecksum:\n  ids: [provider]\n  name_template: \"{{ .ProjectName }}_{{ .Version }}_SHA256SUMS\"\n",
		"  - id: provider\n    ids: [provider]\n    formats: [zip]\n    name_template: \"{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}\"\n",
		"      name_template: \"{{ .ProjectName }}_{{ .Version }}_manifest.json\"\n",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf(".goreleaser.yml lacks\n%s", want)
		}
	}
}

func TestReleaseNotesAreASectionOfTheChangelog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script, err := os.ReadFile("tools/release-notes.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tools/release-notes.sh": string(script),
		"CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- Soon.\n\n" +
			"## 0.2.0 (2026-01-02)\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 0.1.0\n\n- First.\n\n## 0.0.1\n\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for tag, want := range map[string]string{"v0.2.0": "- New.\n\n### Fixed\n\n- Old.\n", "v0.1.0": "- First.\n", "v0.0.1": "", "v0.2": "", "v0.3.0": ""} {
		notes, err := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "tools", "release-notes.sh"), tag).Output()
		if string(notes) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", tag, notes, err, want)
		}
	}
}

var exhaustive = flag.Bool("exhaustive", false, "also build and test a published copy, which takes some minutes")

// With -exhaustive, the copy is built and tested, because a replacement can miss an address that only a test or the
// bench has. The linker ignores a flag for a package that doesn't exist.
func TestPublishReplacesTheAddressAndTheModulePath(t *testing.T) {
	t.Parallel()
	if module, err := os.ReadFile("go.mod"); err != nil {
		t.Fatal(err)
	} else if !bytes.HasPrefix(module, []byte("module terraform-provider-opsmanager\n")) {
		t.Skip("this copy is published already")
	}
	checkout := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = checkout
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "CGO_ENABLED=0", "GOFLAGS=-trimpath")
		printed, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, printed)
		}
		return string(printed)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if slices.Contains([]string{".git", "bin", "dist"}, entry.Name()) {
			continue
		}
		if printed, err := exec.CommandContext(t.Context(), "cp", "-R", entry.Name(), checkout).CombinedOutput(); err != nil {
			t.Fatalf("cp: %v\n%s", err, printed)
		}
	}
	run("git", "init", "--quiet")
	run("git", "add", ".")
	run("tools/publish.sh", "acme")
	left := regexp.MustCompile(`(?m)^.*["=]terraform-provider-opsmanager/internal.*$`)
	if found := left.FindAllString(
		run("git", "grep", "-h", "terraform-provider-opsmanager/internal", "--", "*.go", "*go.mod", ".golangci.yml", ":!release_test.go"),
		-1,
	); len(found) > 0 {
		t.Errorf("the old module path is left in %q", found)
	}
	for name, c := range map[string]struct {
		pattern string
		want    int
	}{
		"configurations with a host": {`source *= *\\?"(terraform\.local|registry)`, 0},
		"configurations without one": {`source *= *\\?"acme/opsmanager`, -1},
		"registries in tfcli":        {`"Terraform": *"registry\.terraform\.io/acme/opsmanager"|"OpenTofu": *"registry\.opentofu\.org/acme/opsmanager"`, 2},
		"links between the pages":    {`\]\(https://registry\.terraform\.io/providers/acme/opsmanager/latest/docs/guides/`, -1},
		"addresses of the provider":  {`(address = |Address: )"registry\.terraform\.io/acme/opsmanager"`, 2},
	} {
		found := strings.Count(
			run("git", "grep", "-hE", "-e", c.pattern+"|^module github.com/acme/terraform-provider-opsmanager$", "--", ":!docs", ":!release_test.go"),
			"\n",
		) - 1
		if found != c.want && (c.want >= 0 || found < 20) {
			t.Errorf("%s: %d, want %d", name, found, c.want)
		}
	}
	run("go", "list", "-deps", "-test", "./...")
	run("go", "-C", "internal/tools/bench", "list", "-deps", "-test", "./...")
	if *exhaustive {
		run("go", "-C", "internal/tools/bench", "build", "./...")
		run("go", "test", "-count=1", "-short", "./...")
		run("go", "test", "-count=1", "-run=^TestStateMovesToTheAddressOfARegistry$|^TestMakeRehearse", "./internal/tools/documents")
	}
}
