package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
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

// The attributes that every list has beside its results.

func pageNumAttribute() schema.Attribute {
	return schema.Int64Attribute{
		Optional:   true,
		CustomType: wholeNumberType{},
		Validators: []validator.Int64{int64validator.AtLeast(1)},
		MarkdownDescription: "Number of the one page to read, from `1`. " +
			"Default: every page, or the first one where `items_per_page` is configured.",
	}
}

func itemsPerPageAttribute() schema.Attribute {
	return schema.Int64Attribute{
		Optional:   true,
		CustomType: wholeNumberType{},
		Validators: []validator.Int64{int64validator.Between(1, opsmanager.MaxItemsPerPage)},
		MarkdownDescription: fmt.Sprintf("How many items the one page to read holds, `1` to `%d`. "+
			"Default: every page is read, or as many items as the service likes, which documents `100`, where `page_num` is configured.", opsmanager.MaxItemsPerPage),
	}
}

func totalCountAttribute() schema.Attribute {
	return schema.Int64Attribute{
		Computed:            true,
		MarkdownDescription: "How many items the whole list has, on the service's count; more than `results` where one page was read. Null where the service does not count.",
	}
}

func linksAttribute(of string) schema.Attribute {
	return shownObjects("Links of "+of+" to related resources, with the host that the service believes its own to be. Null where the service leaves them out.",
		linkType, map[string]schema.Attribute{
			"rel":  shownText("Relation, as RFC 8288 has it, such as `self` or `next`."),
			"href": shownText("Address."),
		})
}

// shownText, and the ones below, describe what the service shows of an item;
// null is what it leaves out.

func shownText(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func shownTexts(description string) schema.Attribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

func shownFlag(description string) schema.Attribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

func shownNumber(description string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

// shownObject, and shownObjects, name the type that their values are made of: the
// framework would make it out of the attributes, anew for each value of a list.
// Reading snapshots would take 1.2 times the processor time.

func shownObject(description string, object types.ObjectType, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, CustomType: object, Attributes: attributes}
}

func shownObjects(description string, object types.ObjectType, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description, CustomType: types.ListType{ElemType: object},
		NestedObject: schema.NestedAttributeObject{CustomType: object, Attributes: attributes},
	}
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

// warnWithoutID warns about the items of a list that have no id. A noun says what
// one item is, and identify returns its id, and what else it may be known by.
func warnWithoutID[T any](diags *diag.Diagnostics, items []T, title, noun, attribute string, identify func(T) (id, label *string)) {
	var labels []string
	for _, item := range items {
		if id, label := identify(item); nonEmpty(id) == nil {
			labels = append(labels, fmt.Sprintf("%q", orDash(label)))
		}
	}
	switch len(labels) {
	case 0:
		return
	case 1:
	default:
		noun += "s"
	}
	diags.AddWarning(title, fmt.Sprintf("Ops Manager lists %d %s without an id: %s. The %s of such a result is null, so that nothing can refer to it. Check the %s in Ops Manager.",
		len(labels), noun, strings.Join(labels, ", "), attribute, noun))
}
