package backups

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// overwritesTypes are the types of overwrites: a text for each value that Ops Manager returns.
var overwritesTypes = tfmodel.OverwritesOf(append(backupConfigFields.Attributes(), statusName))

// overwrites returns what an adoption overwrites. What depends on a value that is not known yet is unknown.
func overwrites(configured, planned backupConfigModel, live opsmanager.BackupConfig) types.Object {
	prior := adoptedBackupConfig(live)
	wanted := fieldChanges(planned, prior, "")
	wanted.StatusName = tfmodel.StringPointer(configured.StatusName)
	return overwritesTypes.Object(effects(wanted, settingsOf(live)), func(name string) bool {
		isReplaced := otherList[name] != "" && configured.isUnknown(otherList[name]) && len(prior.namespaces(name)) > 0 // perhaps, by the other list
		return configured.isUnknown(name) || isReplaced || name == multiRegionEnabled && configured.Values[name].IsNull() && configured.DeploymentConfigs.IsUnknown()
	})
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

// effects returns the old and the new value of what a change does to the held settings: what it sets, and
// the list of namespaces that the other one replaces. Texts are as Ops Manager has them.
func effects(change, held opsmanager.BackupConfigChange) map[string]string {
	for list, other := range otherList {
		if hasElements(*namespaceLists[other](&change)) && hasElements(*namespaceLists[list](&held)) {
			*namespaceLists[list](&change) = &[]string{}
		}
	}
	return tfmodel.OverwritesIn(backupConfigDifferences(change, held))
}

// sincePlan says which values that a change touches are neither what the plan saw nor what they become.
// Nothing is known about a value that Ops Manager doesn't return.
func sincePlan(saw map[string]string, change opsmanager.BackupConfigChange, live opsmanager.BackupConfig) (changed []string) {
	now := effects(change, settingsOf(live))
	for _, name := range slices.Sorted(maps.Keys(now)) {
		held, wanted := tfmodel.CutOverwrite(now[name])
		if held == tfmodel.NotSet || now[name] == saw[name] {
			continue
		}
		before, _ := tfmodel.CutOverwrite(saw[name])
		if name == statusName {
			held = statusOf(live)
		}
		changed = append(changed, fmt.Sprintf("%s is %s, and the plan showed %s", name, opsmanager.Sanitize(held), opsmanager.Sanitize(cmp.Or(before, wanted))))
	}
	return changed
}
