package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

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

// listLimit is what every description of a list says.
const listLimit = "Terraform stops at `limit`, which is 100 where the `list` block does not set it."

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
