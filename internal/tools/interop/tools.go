//go:build linux

package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// tool is a program of others that people run beside Terraform.
type tool struct {
	name    string // its command
	module  string // from which it is built unless it is on the PATH; go install refuses that of Terragrunt, which replaces others
	version []string
	proves  string
	run     func(ctx context.Context, b bench) error
}

var tools = []tool{
	{
		name:    "terragrunt",
		version: []string{"--version"},
		proves:  "four units with a dependency, from a mirror and its provider cache, apply in one run, and then plan nothing",
		run:     runTerragrunt,
	},
	{
		name:    "terraform-ls",
		module:  "github.com/hashicorp/terraform-ls@v0.38.8",
		version: []string{"version"},
		proves:  "an editor completes the arguments of each resource, and shows its description",
		run:     runLanguageServer,
	},
	{
		name:    "tflint",
		module:  "github.com/terraform-linters/tflint@v0.64.0",
		version: []string{"--version"},
		proves:  "no finding in the examples",
		run:     runLinter,
	},
}

// bench is what a run of a tool has: its binary, a folder of its own, Terraform, and a mirror with the provider.
type bench struct {
	binary, dir string
	cli         tfcli.CLI
	settings    string // a CLI configuration with the mirror
}

// runTools runs the tools, and prints a table. If all is true, a tool that is not there is an error.
func runTools(ctx context.Context, out io.Writer, all bool) (err error) {
	dir, err := os.MkdirTemp("", "opsmanager-interop")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cli, err := tfcli.Find(ctx, dir)
	if err != nil {
		return err
	}
	settings, err := makeMirror(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n| tool, with %s %s | what it proves | result |\n|---|---|---|\n", cli.Name, cli.Version)
	var failures []error
	for _, t := range tools {
		b := bench{dir: filepath.Join(dir, t.name), cli: cli, settings: settings}
		version := t.name
		b.binary, err = t.find(ctx, b.dir)
		if err == nil {
			version = firstLine(ctx, b.binary, t.version)
			err = t.run(ctx, b)
		} else if !all {
			fmt.Fprintf(out, "| %s | %s | SKIPPED: %s |\n", version, t.proves, strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		result := "ok"
		if err != nil {
			result = "FAILED"
			failures = append(failures, fmt.Errorf("%s: %w", t.name, err))
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", version, t.proves, result)
	}
	return errors.Join(failures...)
}

// makeMirror makes a mirror as the guide says, and returns the CLI configuration for it.
func makeMirror(ctx context.Context, dir string) (settings string, err error) {
	mirror := filepath.Join(dir, "mirror")
	command := exec.CommandContext(ctx, "make", "mirror", "DIR="+mirror) // #nosec G204 -- only the folder varies
	if printed, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("make mirror: %w: %s", err, printed)
	}
	settings = filepath.Join(dir, "mirror.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path    = %q\n    include = [\"*/*/*\"]\n  }\n}\n", mirror)
	return settings, os.WriteFile(settings, []byte(text), 0o600)
}

// find returns the path of the tool. If it is not on the PATH, find builds the pinned version of its module.
func (t tool) find(ctx context.Context, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	path, err := exec.LookPath(t.name)
	if err == nil || t.module == "" {
		return path, err
	}
	command := exec.CommandContext(ctx, "go", "install", "-ldflags=-s", t.module) // #nosec G204 -- constant
	command.Env = append(os.Environ(), "GOBIN="+dir, "CGO_ENABLED=0")
	if printed, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install %s: %w: %s", t.module, err, printed)
	}
	return filepath.Join(dir, t.name), nil
}

// firstLine returns the name of a command and the first line that it prints.
func firstLine(ctx context.Context, binary string, args []string) string {
	printed, err := exec.CommandContext(ctx, binary, args...).Output() // #nosec G204 -- a tool
	if err != nil {
		return fmt.Sprintf("%s: %v", filepath.Base(binary), err)
	}
	line, _, _ := strings.Cut(string(printed), "\n")
	return filepath.Base(binary) + " " + strings.TrimSpace(line)
}

//go:embed testdata/terragrunt
var units embed.FS

func runTerragrunt(ctx context.Context, b bench) error {
	files, err := fs.Sub(units, "testdata/terragrunt")
	if err != nil {
		return err
	}
	live := filepath.Join(b.dir, "live")
	if err := os.CopyFS(live, files); err != nil {
		return err
	}
	s := newService(versions[len(versions)-1])
	defer s.Close()
	host, _, _ := strings.Cut(b.cli.Source(), "/")
	cache := filepath.Join(b.dir, "cache")
	for _, args := range [][]string{
		{"run", "--all", "apply"},
		{"run", "--all", "--", "plan", "-detailed-exitcode"},
	} {
		command := s.command(ctx, live, []string{
			"SOURCE=" + b.cli.Source(),
			"TF_CLI_CONFIG_FILE=" + b.settings,
			"TG_NON_INTERACTIVE=true",
			"TG_PROVIDER_CACHE=1",
			"TG_PROVIDER_CACHE_DIR=" + cache,
			"TG_PROVIDER_CACHE_REGISTRY_NAMES=" + host,
			"TG_TF_PATH=" + b.cli.Path,
			"OPSMANAGER_BASE_URL=" + s.URL + "/api/public/v1.0",
			"OPSMANAGER_PUBLIC_KEY=" + emulator.DefaultPublicKey,
			"OPSMANAGER_PRIVATE_KEY=" + emulator.DefaultPrivateKey,
		}, b.binary, args...)
		if printed, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, printed)
		}
	}
	if found, err := filepath.Glob(filepath.Join(cache, filepath.FromSlash(b.cli.Source()), "*", "*")); err != nil || len(found) != 1 {
		return errors.Join(err, fmt.Errorf("the cache has %q, want one provider", found))
	}
	return nil
}

// fragments are the folders of examples without the rest of a configuration, and forRest the rules about it.
var (
	fragments = []string{"actions", "data-sources", "list-resources", "resources"}
	forRest   = []string{"terraform_required_providers", "terraform_required_version", "terraform_unused_declarations"}
)

func runLinter(ctx context.Context, b bench) error {
	entries, err := os.ReadDir("examples")
	if err != nil {
		return err
	}
	var failures []error
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		args := []string{"--recursive", "--format=compact"}
		if slices.Contains(fragments, entry.Name()) {
			for _, rule := range forRest {
				args = append(args, "--disable-rule="+rule)
			}
		}
		command := exec.CommandContext(ctx, b.binary, args...) // #nosec G204 -- a tool
		command.Dir = filepath.Join("examples", entry.Name())
		if printed, err := command.CombinedOutput(); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w: %s", entry.Name(), err, printed))
		}
	}
	return errors.Join(failures...)
}

// resources returns the attributes of each resource that a configuration can set.
func resources(ctx context.Context, w tfcli.Workspace) (map[string][]string, error) {
	var printed strings.Builder
	w.Out = &printed
	if code, err := w.Run(ctx, "providers", "schema", "-json"); err != nil || code != 0 {
		return nil, errors.Join(err, fmt.Errorf("providers schema: exit code %d: %s", code, printed.String()))
	}
	var schemas struct {
		Providers map[string]struct {
			Resources map[string]struct {
				Block struct {
					Attributes map[string]struct {
						Optional, Required bool
					}
				}
			} `json:"resource_schemas"`
		} `json:"provider_schemas"`
	}
	if err := json.Unmarshal([]byte(printed.String()), &schemas); err != nil {
		return nil, err
	}
	settable := map[string][]string{}
	for _, provider := range schemas.Providers {
		for name, resource := range provider.Resources {
			for _, attribute := range slices.Sorted(maps.Keys(resource.Block.Attributes)) {
				if a := resource.Block.Attributes[attribute]; a.Optional || a.Required {
					settable[name] = append(settable[name], attribute)
				}
			}
		}
	}
	return settable, nil
}
