package provider

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// The types of lists are made once, and their values without reflection: a
// service has tens of thousands of items.
var (
	textsType = types.ListType{ElemType: types.StringType}

	linkType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"rel":  types.StringType,
		"href": types.StringType,
	}}
	linksType = types.ListType{ElemType: linkType}
)

// pageOf returns the page that a data source selects: every one where it
// selects none.
func pageOf(number, size types.Int64) opsmanager.Page {
	return opsmanager.Page{Number: number.ValueInt64(), Size: size.ValueInt64()}
}

func withAttrType(attributes map[string]attr.Type, name string, kind attr.Type) map[string]attr.Type {
	more := maps.Clone(attributes)
	more[name] = kind
	return more
}

// listOf converts each item of an answer; nil, which an answer left out, is null.
func listOf[T any](items []T, itemType attr.Type, convert func(T) attr.Value) types.List {
	if items == nil {
		return types.ListNull(itemType)
	}
	values := make([]attr.Value, len(items))
	for i, item := range items {
		values[i] = convert(item)
	}
	return types.ListValueMust(itemType, values)
}

func textsFromAPI(texts []string) types.List {
	return listOf(texts, types.StringType, func(text string) attr.Value { return types.StringValue(text) })
}

func linksFromAPI(links []opsmanager.Link) types.List {
	return listOf(links, linkType, func(link opsmanager.Link) attr.Value {
		return types.ObjectValueMust(linkType.AttrTypes, map[string]attr.Value{
			"rel":  types.StringPointerValue(nonEmpty(&link.Rel)),
			"href": types.StringPointerValue(nonEmpty(&link.Href)),
		})
	})
}

// compareAbsentLast compares what may be absent.
func compareAbsentLast[T any](a, b *T, compare func(a, b T) int) int {
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
