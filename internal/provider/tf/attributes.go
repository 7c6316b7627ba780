package tf

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Kept ends the description of an optional attribute whose current value is kept and exported if it is unset. The index of
// the documentation explains it.
const Kept = " Computed."

// BoolAttribute returns an optional and computed attribute that is a Boolean value.
func BoolAttribute(description string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional:            true,
		Computed:            true,
		MarkdownDescription: description,
	}
}

// NumberAttribute returns an optional and computed attribute that is a whole number.
func NumberAttribute(description string, validators ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{
		Optional:            true,
		Computed:            true,
		CustomType:          WholeNumberType{},
		Validators:          validators,
		MarkdownDescription: description,
	}
}

// TextAttribute returns an optional and computed attribute that is a text.
func TextAttribute(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		Computed:            true,
		Validators:          validators,
		MarkdownDescription: description,
	}
}

// TextsAttribute returns an optional and computed attribute that is a set of texts. No new one is empty.
func TextsAttribute(description string) schema.SetAttribute {
	return schema.SetAttribute{
		Optional:            true,
		Computed:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description,
		Validators:          []validator.Set{setvalidator.NoNullValues(), NewValue(stringvalidator.LengthAtLeast(1))},
	}
}

// DeletionProtection returns the attribute deletion_protection. The kind names the object.
func DeletionProtection(kind string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: fmt.Sprintf("Whether to refuse to destroy or replace the %s, whatever `on_destroy` is. Apply `false` before you destroy it. "+
			"It protects only this resource: a resource with another provider alias can delete the same %[1]s. Defaults to `false`.", kind),
	}
}
