package tf

import (
	"cmp"
	"slices"

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

// ListOf converts the items of a list in a response without reflection, because a list can have
// tens of thousands. A missing list is nil, and becomes null.
func ListOf[T any](items []T, itemType attr.Type, convert func(T) attr.Value) types.List {
	if items == nil {
		return types.ListNull(itemType)
	}
	values := make([]attr.Value, len(items))
	for i, item := range items {
		values[i] = convert(item)
	}
	return types.ListValueMust(itemType, values)
}

// Texts returns the known elements of a set of texts, and whether these are all.
func Texts(set types.Set) (known []string, all bool) {
	known, all = []string{}, !set.IsUnknown()
	for _, element := range set.Elements() {
		text, _ := element.(types.String)
		if text.IsUnknown() {
			all = false
			continue
		}
		known = append(known, text.ValueString())
	}
	return known, all
}

// CompareAbsentLast compares two values that may be absent. An absent one comes last.
func CompareAbsentLast[T any](a, b *T, compare func(a, b T) int) int {
	switch {
	case a != nil && b != nil:
		return compare(*a, *b)
	case a != nil:
		return -1
	case b != nil:
		return 1
	}
	return 0
}

// By compares items by a value that may be absent. An absent one comes last.
func By[T any, V cmp.Ordered](of func(T) *V) func(a, b T) int {
	return func(a, b T) int {
		return CompareAbsentLast(of(a), of(b), cmp.Compare)
	}
}

// Sorted sorts items by the first comparison, and equal ones by the next.
func Sorted[T any](items []T, by ...func(a, b T) int) []T {
	slices.SortStableFunc(items, func(a, b T) int {
		for _, compare := range by {
			if order := compare(a, b); order != 0 {
				return order
			}
		}
		return 0
	})
	return items
}
