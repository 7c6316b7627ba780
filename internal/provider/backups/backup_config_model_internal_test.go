package backups

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func namespaceSet(names ...string) types.Set {
	elements := []attr.Value{}
	for _, name := range names {
		elements = append(elements, types.StringValue(name))
	}
	return types.SetValueMust(types.StringType, elements)
}

func TestNamespacesInAnotherOrderKeepTheirOrder(t *testing.T) {
	t.Parallel()
	prior := adoptedBackupConfig(settingsOf(opsmanager.BackupConfig{ExcludedNamespaces: []string{"a", "b"}}))
	configured := adoptedBackupConfig(settingsOf(opsmanager.BackupConfig{}))
	configured.Values[excludedNamespaces] = namespaceSet("b", "a")
	planned := configured
	planned.Values = maps.Clone(configured.Values)
	planned = plannedBackupConfig(configured, planned, prior)
	if got, want := planned.Values[excludedNamespaces].String(), prior.Values[excludedNamespaces].String(); got != want {
		t.Errorf("the plan has %s, want %s", got, want)
	}
	refreshed := configured.refreshed(settingsOf(opsmanager.BackupConfig{ExcludedNamespaces: []string{"a", "b", "a"}}))
	if got, want := refreshed.Values[excludedNamespaces].String(), configured.Values[excludedNamespaces].String(); got != want {
		t.Errorf("the state has %s, want %s", got, want)
	}
}
