package tfmodel

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"
)

// Int64Pointer returns nil for null and for unknown. The framework's own method returns a
// pointer to 0 for unknown.
func Int64Pointer(v types.Int64) *int64 {
	if v.IsUnknown() {
		return nil
	}
	return v.ValueInt64Pointer()
}

// StringPointer returns nil for null and for unknown. The framework's own method returns
// a pointer to "" for unknown.
func StringPointer(v types.String) *string {
	if v.IsUnknown() {
		return nil
	}
	return v.ValueStringPointer()
}

// BoolPointer returns nil for null and for unknown. The framework's own method returns a
// pointer to false for unknown.
func BoolPointer(v types.Bool) *bool {
	if v.IsUnknown() {
		return nil
	}
	return v.ValueBoolPointer()
}

// NonEmpty returns a text from a response, or nil if it is empty.
func NonEmpty(text *string) *string {
	if text == nil || *text == "" {
		return nil
	}
	return text
}

// Text returns a text from a response, or "" if the response leaves it out.
func Text(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Normalized returns a text in Unicode's composed form, to which Terraform converts every
// string. Ops Manager may hold a name in a different form.
func Normalized(text *string) *string {
	if text == nil {
		return nil
	}
	return new(norm.NFC.String(*text))
}

// ConfiguredOrPrior returns the configured value, or that of the state if none is configured.
func ConfiguredOrPrior[T attr.Value](config, prior T) T {
	if config.IsNull() {
		return prior
	}
	return config
}
