package tf

import (
	"cmp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Overwrites are the types of the attribute overwrites of a resource: a text for each value that its creation
// overwrites if it adopts an object. That is the only thing that the apply of an adoption has from the plan that
// people saw, because Terraform plans a creation again right before.
type Overwrites map[string]attr.Type

// NotReturned is the old value of an [Overwrite] that Ops Manager does not return.
const NotReturned = "not returned"

const arrow = " -> "

// Overwrite returns the text of a value that is overwritten, such as 7 -> 60.
func Overwrite(held, wanted string) string { return cmp.Or(held, NotReturned) + arrow + wanted }

// OverwritesIn returns the texts of differences, by attribute. They show all of a value.
func OverwritesIn(differences []Difference) map[string]string {
	texts := map[string]string{}
	for _, d := range differences {
		texts[d.Attribute] = Overwrite(d.Held, d.Wanted)
	}
	return texts
}

// Overwritten returns the old value of such a text.
func Overwritten(text string) string {
	held, _, _ := strings.Cut(text, arrow)
	return held
}

// OverwritesOf returns the types for the values of some attributes.
func OverwritesOf(attributes []string) Overwrites {
	all := Overwrites{}
	for _, attribute := range attributes {
		all[attribute] = types.StringType
	}
	return all
}

// Attribute returns the attribute. It isn't nested: OpenTofu 1.10 and before crash when they generate the
// configuration of a resource with a nested attribute that is only computed.
func (o Overwrites) Attribute(description string) schema.Attribute {
	return schema.ObjectAttribute{
		Computed:            true,
		AttributeTypes:      o,
		MarkdownDescription: description,
	}
}

// Object returns what a plan overwrites: the texts, and those that are known only during the apply. It is never null, even
// if it has no text: if a plan had an object with unknown texts, Terraform rejects null in the plan right before the apply.
func (o Overwrites) Object(texts map[string]string, isUnknown func(attribute string) bool) types.Object {
	all := map[string]attr.Value{}
	for attribute := range o {
		switch text, isOverwritten := texts[attribute]; {
		case isUnknown(attribute):
			all[attribute] = types.StringUnknown()
		case isOverwritten:
			all[attribute] = types.StringValue(text)
		default:
			all[attribute] = types.StringNull()
		}
	}
	return types.ObjectValueMust(o, all)
}
