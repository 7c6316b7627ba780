package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// Terraform before 1.14 and OpenTofu don't print all of them.
func TestSchemasAreThoseThatTerraformPrints(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir()}}
	w.Copy(filepath.Join("..", "..", "..", "examples", "provider", "provider.tf"))
	w.MustRun("init", "-plugin-dir="+plugins)
	want := schemas(t, []byte(w.MustRun("providers", "schema", "-json")))

	var written bytes.Buffer
	if err := write(t.Context(), &written); err != nil {
		t.Fatal(err)
	}
	got := schemas(t, written.Bytes())
	delete(want, "resource_identity_schemas") // the templates don't use them
	for kind := range want {
		if !reflect.DeepEqual(got[kind], want[kind]) {
			t.Errorf("%s: got\n%v\nwant\n%v", kind, got[kind], want[kind])
		}
	}
}

// schemas returns the schemas of the only provider of a document.
func schemas(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var printed struct {
		Providers map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(text, &printed); err != nil || len(printed.Providers) != 1 {
		t.Fatalf("%v in %.300s", err, text)
	}
	for _, schemas := range printed.Providers {
		removeDeprecationMessages(schemas)
		return schemas
	}
	return nil
}

// removeDeprecationMessages removes what only newer versions of Terraform print.
func removeDeprecationMessages(schemas map[string]any) {
	delete(schemas, "deprecation_message")
	for _, nested := range schemas {
		if nested, ok := nested.(map[string]any); ok {
			removeDeprecationMessages(nested)
		}
	}
}
