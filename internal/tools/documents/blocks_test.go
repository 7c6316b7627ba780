package documents_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// otherBlock matches a block of Terraform, with the line before it.
var otherBlock = regexp.MustCompile("(?sm)^([^\n]*)\n*^```terraform\n(.*?)^```\n")

// unvalidated are the beginnings of blocks that Terraform can't validate: the settings of Terraform itself, and parts
// of a block.
var unvalidated = []string{"provider_installation {", "condition = ", "check_command = "}

// Vault's provider may not be installed, so variables take the place of the secrets that it reads.
var (
	fromVault   = regexp.MustCompile("(?sm)^ephemeral \"vault_.*?^}\n")
	vaultSecret = regexp.MustCompile(`ephemeral\.vault_\w+\.\w+\.data\.(\w+)`)
)

// Around a block that no test executes, its document has these. Terraform validates only a provider that is used.
const around = `
data "opsmanager_projects" "all" {}

locals {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
}
`

// Blocks that no test executes are valid together with what they refer to.
func TestTerraformAcceptsTheBlocksThatNoTestExecutes(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob(guides)
	succeed(t, err)
	validated := 0
	for _, path := range append(documents, index, readme) {
		text, err := os.ReadFile(path)
		succeed(t, err)
		for _, match := range otherBlock.FindAllStringSubmatch(string(text), -1) {
			block := match[2]
			isUnvalidated := func(beginning string) bool { return strings.HasPrefix(block, beginning) }
			if strings.HasPrefix(match[1], "<!-- ") || slices.ContainsFunc(unvalidated, isUnvalidated) {
				continue
			}
			validated++
			name, _, _ := strings.Cut(block, "\n")
			t.Run(filepath.Base(path)+" "+name, func(t *testing.T) {
				t.Parallel()
				validate(t, block)
			})
		}
	}
	if validated < 5 {
		t.Errorf("found only %d blocks", validated)
	}
}

// variables matches the references to variables.
var variables = regexp.MustCompile(`\bvar\.(\w+)`)

// validate fails the test if Terraform does not accept a block.
func validate(t *testing.T, block string) {
	t.Helper()
	r := &reader{t: t}
	r.execute("needs "+needed(block), "")
	block = vaultSecret.ReplaceAllString(fromVault.ReplaceAllString(block, ""), "var.$1")
	configuration := around + strings.ReplaceAll(block, "# ...", `project_id = local.project_id
  cluster_id = "650a2177e1f3a5b7c9d00e42"`)
	if !strings.Contains(block, "required_providers") {
		configuration += required("terraform.local/local/opsmanager")
	}
	var declared []string
	for _, variable := range variables.FindAllStringSubmatch(block, -1) {
		if name := variable[1]; !slices.Contains(declared, name) {
			declared = append(declared, name)
			configuration += "variable \"" + name + "\" {\n  type = string\n}\n"
		}
	}
	r.execute("write main.tf", configuration)
	r.execute("run", "terraform init\nterraform validate\n")
}

// needed returns the first version of Terraform that has the features of a block.
func needed(block string) string {
	switch {
	case strings.HasPrefix(block, "action "), strings.HasPrefix(block, "list "):
		return "1.14"
	case strings.Contains(block, "_wo "):
		return "1.11"
	case strings.HasPrefix(block, "removed "): // Terraform 1.7, but OpenTofu knows its lifecycle since 1.10
		return "1.10"
	default:
		return "1.5"
	}
}

// replacement matches the command with which the guide to installing changes the address of the provider in a state.
var replacement = regexp.MustCompile(`(?m)^terraform state replace-provider (\S+) (\S+)\n`)

func TestStateMovesToTheAddressOfARegistry(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "templates/guides/installing.md.tmpl")
	succeed(t, err)
	command := replacement.FindStringSubmatch(strings.ReplaceAll(string(text), "OWNER", "owner"))
	if command == nil {
		t.Fatal("the guide doesn't show the command")
	}
	from, to := command[1], command[2]

	// A mirror with both addresses.
	_, plugins := providertest.InstalledProvider(t)
	built, err := filepath.Glob(filepath.Join(plugins, "*", "*", "opsmanager"))
	if err != nil || len(built) != 1 {
		t.Fatalf("%q, %v", built, err)
	}
	mirror := t.TempDir()
	for _, address := range []string{from, to} {
		if err := os.CopyFS(filepath.Join(mirror, filepath.FromSlash(address)), os.DirFS(built[0])); err != nil {
			t.Fatal(err)
		}
	}

	r := &reader{t: t, exports: []string{"export TF_CLI_ARGS_init='-plugin-dir=" + mirror + "'\n"}}
	configuration := required(from) + `
provider "opsmanager" {}

resource "opsmanager_snapshot_schedule" "ledger" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"
}
`
	r.execute("write main.tf", configuration)
	r.execute("run", "terraform init\nterraform apply\n")
	r.execute("write main.tf", strings.ReplaceAll(configuration, from, to))
	r.execute("run", "terraform state replace-provider -auto-approve "+from+" "+to+"\nterraform init\nterraform plan -detailed-exitcode\n")
}

// required returns a block with the source address of the provider.
func required(address string) string {
	return "terraform {\n  required_providers {\n    opsmanager = {\n      source = \"" + address + "\"\n    }\n  }\n}\n"
}
