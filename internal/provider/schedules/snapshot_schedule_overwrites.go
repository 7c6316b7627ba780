package schedules

import (
	"cmp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// overwritesTypes are the types of overwrites: a text for each value.
var overwritesTypes = func() map[string]attr.Type {
	all := map[string]attr.Type{}
	for _, f := range scheduleFields {
		all[nameOf(f.Attribute)] = types.StringType
	}
	return all
}()

// overwritesAttribute describes what an adoption overwrites. It is the only thing that the apply of an
// adoption has from the plan that people saw: Terraform plans a creation again right before.
func overwritesAttribute() schema.Attribute {
	texts := map[string]schema.Attribute{}
	for name := range overwritesTypes {
		texts[name] = schema.StringAttribute{Computed: true, MarkdownDescription: "The live value and the configured one. Null if they are equal."}
	}
	texts[timeAttribute] = schema.StringAttribute{Computed: true, MarkdownDescription: "The live hour and minute and the configured ones, in UTC. Null if they are equal."}
	return schema.SingleNestedAttribute{
		Computed: true, Attributes: texts,
		MarkdownDescription: "The live values that creating this resource overwrites, such as `7 -> 60`, with what Ops Manager changes along with them. They stay in the state as the plan had them. An imported schedule has none.",
	}
}

// overwrites returns what an adoption overwrites. What depends on a value that is not known yet is unknown.
func (c *scheduleChange) overwrites() types.Object {
	texts := map[string]attr.Value{}
	for name := range overwritesTypes {
		texts[name] = types.StringNull()
		if isUnknown(c.configured, name) || name == timeAttribute && isLate(c.configured) {
			texts[name] = types.StringUnknown()
		}
	}
	if isUnknown(c.configured, intervalHours) && !isSet(c.configured, recentRetentionDays) {
		texts[recentRetentionDays] = types.StringUnknown()
	}
	for _, d := range c.effects(c.live) {
		texts[d.Attribute] = types.StringValue(cmp.Or(d.Held, notSet) + arrow + d.Wanted)
	}
	return types.ObjectValueMust(overwritesTypes, texts)
}

const arrow = " -> "

// shownIn returns the effects that overwrites shows.
func shownIn(overwrites types.Object) (effects []tfmodel.Difference) {
	for name, value := range overwrites.Attributes() {
		text, _ := value.(types.String)
		if held, wanted, ok := strings.Cut(text.ValueString(), arrow); ok {
			effects = append(effects, tfmodel.Difference{Attribute: name, Held: strings.TrimPrefix(held, notSet), Wanted: wanted})
		}
	}
	return effects
}
