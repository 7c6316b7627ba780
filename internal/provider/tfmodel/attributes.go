package tfmodel

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// PageNumAttribute returns the attribute page_num of a list.
func PageNumAttribute() schema.Attribute {
	return schema.Int64Attribute{
		Optional:   true,
		CustomType: WholeNumberType{},
		Validators: []validator.Int64{int64validator.AtLeast(1)},
		MarkdownDescription: "Number of the one page to read, from `1`. " +
			"Default: every page, or the first one where `items_per_page` is configured.",
	}
}

// ItemsPerPageAttribute returns the attribute items_per_page of a list.
func ItemsPerPageAttribute() schema.Attribute {
	return schema.Int64Attribute{
		Optional:   true,
		CustomType: WholeNumberType{},
		Validators: []validator.Int64{int64validator.Between(1, opsmanager.MaxItemsPerPage)},
		MarkdownDescription: fmt.Sprintf("How many items the one page to read holds, `1` to `%d`. "+
			"Default: every page is read, or as many items as the service likes, which documents `100`, where `page_num` is configured.", opsmanager.MaxItemsPerPage),
	}
}

// TotalCountAttribute returns the attribute total_count of a list.
func TotalCountAttribute() schema.Attribute {
	return schema.Int64Attribute{
		Computed:            true,
		MarkdownDescription: "How many items the whole list has, on the service's count; more than `results` where one page was read. Null where the service does not count.",
	}
}

// LinksAttribute returns the attribute links. Its description says what the links are
// of, such as "the cluster".
func LinksAttribute(of string) schema.Attribute {
	return ComputedObjects("Links of "+of+" to related resources, with the host that the service believes its own to be. Null where the service leaves them out.",
		linkType, map[string]schema.Attribute{
			"rel":  ComputedString("Relation, as RFC 8288 has it, such as `self` or `next`."),
			"href": ComputedString("Address."),
		})
}

// ListLimit ends the description of each list resource.
const ListLimit = "Terraform stops at `limit`, which is 100 where the `list` block does not set it."

// ComputedString returns a computed string attribute.
func ComputedString(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// ComputedStrings returns a computed attribute that is a list of strings.
func ComputedStrings(description string) schema.Attribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

// ComputedBool returns a computed Boolean attribute.
func ComputedBool(description string) schema.Attribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

// ComputedInt64 returns a computed attribute that is a whole number.
func ComputedInt64(description string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

// ComputedObject returns a computed attribute that is an object. It names the type of
// its values, or the framework would build it from the attributes for each value of
// a list, and reading snapshots would take 1.2 times the processor time.
func ComputedObject(description string, object types.ObjectType, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, CustomType: object, Attributes: attributes}
}

// ComputedObjects returns a computed attribute that is a list of objects. It names the
// type of its values, as ComputedObject does.
func ComputedObjects(description string, object types.ObjectType, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description, CustomType: types.ListType{ElemType: object},
		NestedObject: schema.NestedAttributeObject{CustomType: object, Attributes: attributes},
	}
}
