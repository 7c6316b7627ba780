package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"
)

// intPointer returns nil for null and for unknown, where the framework's own
// method points to a 0 for unknown.
func intPointer(v types.Int64) *int64 {
	if v.IsUnknown() {
		return nil
	}
	return v.ValueInt64Pointer()
}

func stringPointer(v types.String) *string {
	if v.IsUnknown() {
		return nil
	}
	return v.ValueStringPointer()
}

func knownOrNull(v types.String) types.String {
	return types.StringPointerValue(stringPointer(v))
}

// boolPointer returns nil for null and for unknown, where the framework's own
// method points to a false for unknown.
func boolPointer(v types.Bool) *bool {
	if v.IsUnknown() {
		return nil
	}
	return v.ValueBoolPointer()
}

// nonEmpty returns text of an answer, or nil if it is empty.
func nonEmpty(text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	return text
}

// normalized returns text in Unicode's composed form, which Terraform converts
// every string to. Ops Manager may hold a name in another form.
func normalized(text *string) *string {
	if text == nil {
		return nil
	}
	return new(norm.NFC.String(*text))
}
