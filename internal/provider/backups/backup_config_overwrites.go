package backups

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// overwritesTypes are the types of overwrites: a text for each value that Ops Manager returns.
var overwritesTypes = func() map[string]attr.Type {
	all := map[string]attr.Type{statusName: types.StringType}
	for _, f := range backupConfigFields {
		all[f.Attribute] = types.StringType
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
	texts[statusName] = schema.StringAttribute{Computed: true, MarkdownDescription: "The live status, or the one that it is on the way to, and the configured one. Null if they are equal."}
	return schema.SingleNestedAttribute{
		Computed: true, Attributes: texts,
		MarkdownDescription: "The live values that creating this resource overwrites, such as `STOPPED -> STARTED`. They stay in the state as the plan had them. An imported backup configuration has none.",
	}
}

// overwrites returns what an adoption overwrites. What depends on a value that is not known yet is unknown.
func overwrites(configured, planned backupConfigModel, live opsmanager.BackupConfig) types.Object {
	texts := map[string]attr.Value{}
	for name := range overwritesTypes {
		texts[name] = types.StringNull()
		if configured.isLate(name) || name == multiRegionEnabled && configured.Values[name].IsNull() && configured.DeploymentConfigs.IsUnknown() {
			texts[name] = types.StringUnknown()
		}
	}
	prior := adoptedBackupConfig(live)
	for list, other := range otherList {
		if configured.isLate(other) && len(prior.namespaces(list)) > 0 {
			texts[list] = types.StringUnknown() // the other list may replace it
		}
	}
	wanted := fieldChanges(planned, prior, "")
	wanted.StatusName = tfmodel.StringPointer(configured.StatusName)
	for name, text := range effects(wanted, settingsOf(live)) {
		texts[name] = types.StringValue(text)
	}
	return types.ObjectValueMust(overwritesTypes, texts)
}

// overwritten returns what the plan of an adoption showed, by attribute.
func (m backupConfigModel) overwritten() map[string]string {
	saw := map[string]string{}
	for name, value := range m.Overwrites.Attributes() {
		if text, _ := value.(types.String); text.ValueString() != "" {
			saw[name] = text.ValueString()
		}
	}
	return saw
}

const (
	arrow  = " -> "
	notSet = "not set" // a value that Ops Manager does not return
)

// effects returns the old and the new value of what a change does to the held settings: what it sets, and
// the list of namespaces that the other one replaces. Texts are as Ops Manager has them.
func effects(change, held opsmanager.BackupConfigChange) map[string]string {
	for list, other := range otherList {
		if hasElements(*namespaceLists[other](&change)) && hasElements(*namespaceLists[list](&held)) {
			*namespaceLists[list](&change) = &[]string{}
		}
	}
	found := map[string]string{}
	for _, d := range backupConfigDifferences(change, held) {
		found[d.Attribute] = cmp.Or(d.Held, notSet) + arrow + d.Wanted
	}
	for _, f := range backupConfigFields {
		if text := found[f.Attribute]; text != "" && !strings.HasPrefix(text, notSet+arrow) { // not shortened
			found[f.Attribute] = *f.Literal(&held) + arrow + *f.Literal(&change)
		}
	}
	return found
}

// sincePlan says which values that a change touches are neither what the plan saw nor what they become.
// Nothing is known about a value that Ops Manager doesn't return.
func sincePlan(saw map[string]string, change opsmanager.BackupConfigChange, live opsmanager.BackupConfig) (changed []string) {
	now := effects(change, settingsOf(live))
	for _, name := range slices.Sorted(maps.Keys(now)) {
		held, wanted, _ := strings.Cut(now[name], arrow)
		if held == notSet || now[name] == saw[name] {
			continue
		}
		before := cmp.Or(strings.TrimSuffix(saw[name], arrow+wanted), wanted)
		if name == statusName {
			held = statusOf(live)
		}
		changed = append(changed, fmt.Sprintf("%s is %s, and the plan showed %s", name, opsmanager.Sanitize(held), opsmanager.Sanitize(before)))
	}
	return changed
}
