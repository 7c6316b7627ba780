package datasources

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Merge returns the attributes of several maps.
func Merge(several ...map[string]schema.Attribute) map[string]schema.Attribute {
	merged := map[string]schema.Attribute{}
	for _, attributes := range several {
		maps.Copy(merged, attributes)
	}
	return merged
}

// String returns a computed attribute that is a string.
func String(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// Strings returns a computed attribute that is a list of strings.
func Strings(description string) schema.Attribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// Bool returns a computed attribute that is a Boolean value.
func Bool(description string) schema.Attribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

// Int64 returns a computed attribute that is a whole number.
func Int64(description string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

// IDsByName returns the attribute ids_by_name of a list.
func IDsByName(description string) schema.Attribute {
	return schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// Links returns the attribute links of an item, or of a list.
func Links(description string) schema.Attribute {
	return links.ListAttribute(description + " Their host is the one that Ops Manager is configured with. Null if the response leaves them out.")
}

// LinksFromAPI converts links to the value of the attribute links.
func LinksFromAPI(list []opsmanager.Link) types.List { return links.List(list) }

var links = NewObject(map[string]schema.Attribute{
	"rel":  String("Relation as defined in RFC 8288, such as `self` or `next`."),
	"href": String("URL."),
}, func(link opsmanager.Link) map[string]attr.Value {
	return map[string]attr.Value{
		"rel":  types.StringPointerValue(tfmodel.NonEmpty(&link.Rel)),
		"href": types.StringPointerValue(tfmodel.NonEmpty(&link.Href)),
	}
})

// pageAttributes are the attributes of a list that can be read by page.
var pageAttributes = map[string]schema.Attribute{
	"page_num": schema.Int64Attribute{
		Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.AtLeast(1)},
		MarkdownDescription: "Number of the one page to read, `1` or more. Defaults to `1` if `items_per_page` is set. If both are unset, every page is read.",
	},
	"items_per_page": schema.Int64Attribute{
		Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.Between(1, opsmanager.MaxItemsPerPage)},
		MarkdownDescription: fmt.Sprintf("Number of items on the page to read, `1` to `%d`. If only `page_num` is set, Ops Manager applies its own default, which is `100` according to its documentation.", opsmanager.MaxItemsPerPage),
	},
	"total_count": Int64("Number of items in the whole list, as counted by Ops Manager. Null if Ops Manager does not count them."),
}
