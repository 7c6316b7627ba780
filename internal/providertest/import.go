package providertest

import (
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"terraform-provider-opsmanager/internal/provider"
)

// ImportUnconfigured imports by an ID, and again by the resulting identity. It returns the state
// and the errors. The provider sends no request, because its address is unknown. The provider is
// not wrapped in the server that makes errors printable, so it must do that itself.
func ImportUnconfigured(t *testing.T, typeName, id string) (Values, []string) {
	t.Helper()
	options := provider.Options{Getenv: func(string) string { return "" }}
	server := providerserver.NewProtocol6(provider.NewWithOptions("test", options)())()
	w := NewWorkspaceOn(t, server, &Service{}, Values{"base_url": Unknown})
	byID := w.NewResource(typeName)
	if errors := byID.ImportID(id).Errors(); len(errors) > 0 {
		for _, text := range errors {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("not printable: %q", text)
			}
		}
		return byID.Attributes(), errors
	}
	w.Configure() // each command is a run of its own
	byIdentity := w.NewResource(typeName)
	diags := byIdentity.ImportIdentity(byID.Identity)
	if len(diags.Errors()) > 0 || !reflect.DeepEqual(byIdentity.Attributes(), byID.Attributes()) {
		t.Errorf("%q is imported as %v, and by its identity as %v: %q", id, byID.Attributes(), byIdentity.Attributes(), diags.Errors())
	}
	return byID.Attributes(), nil
}
