package tfmodel

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// The types of lists are made once, and their values without reflection: a list can
// have tens of thousands of items.
var (
	// StringsType is a list of strings.
	StringsType = types.ListType{ElemType: types.StringType}
	// LinksType is a list of links.
	LinksType = types.ListType{ElemType: linkType}

	linkType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"rel":  types.StringType,
		"href": types.StringType,
	}}
)

// Page returns the page that a data source selects, or every page if it selects
// none.
func Page(number, size types.Int64) opsmanager.Page {
	return opsmanager.Page{Number: number.ValueInt64(), Size: size.ValueInt64()}
}

// WithAttrType returns attribute types with another one added.
func WithAttrType(attributes map[string]attr.Type, name string, kind attr.Type) map[string]attr.Type {
	more := maps.Clone(attributes)
	more[name] = kind
	return more
}

// ListOf converts the items of a list in an answer. A list that the answer left out is
// nil, and becomes null.
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

// StringsFromAPI converts a list of strings, as ListOf does.
func StringsFromAPI(texts []string) types.List {
	return ListOf(texts, types.StringType, func(text string) attr.Value { return types.StringValue(text) })
}

// LinksFromAPI converts a list of links, as ListOf does.
func LinksFromAPI(links []opsmanager.Link) types.List {
	return ListOf(links, linkType, func(link opsmanager.Link) attr.Value {
		return types.ObjectValueMust(linkType.AttrTypes, map[string]attr.Value{
			"rel":  types.StringPointerValue(NonEmpty(&link.Rel)),
			"href": types.StringPointerValue(NonEmpty(&link.Href)),
		})
	})
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
