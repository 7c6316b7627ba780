package backups

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

var (
	snapshotStoreAttributes    = map[string]attr.Type{"snapshot_store_type": types.StringType, "snapshot_store_id": types.StringType}
	deploymentConfigAttributes = map[string]attr.Type{"rs_id": types.StringType, "deployment_id": types.StringType}
)

func region(rsID, deploymentID string) attr.Value {
	return types.ObjectValueMust(
		deploymentConfigAttributes,
		map[string]attr.Value{"rs_id": types.StringValue(rsID), "deployment_id": types.StringValue(deploymentID)},
	)
}

func regions(assigned ...attr.Value) types.Set {
	return types.SetValueMust(types.ObjectType{AttrTypes: deploymentConfigAttributes}, assigned)
}

func namespaceSet(names ...string) types.Set {
	elements := []attr.Value{}
	for _, name := range names {
		elements = append(elements, types.StringValue(name))
	}
	return types.SetValueMust(types.StringType, elements)
}

// of returns a model with some values of its own.
func of(values tf.Values) backupConfigModel {
	m := backupConfigModel{Values: tf.Values{
		"storage_engine_name": types.StringValue("WIRED_TIGER"), "auth_mechanism_name": types.StringNull(), "preferred_member": types.StringNull(),
		"ssl_enabled": types.BoolValue(false), "encryption_enabled": types.BoolValue(false), "multi_region_backup_enabled": types.BoolNull(),
		"excluded_namespaces": namespaceSet("a", "b"), "included_namespaces": namespaceSet(),
	}}
	maps.Copy(m.Values, values)
	return m
}

// as changes a model.
func (m backupConfigModel) as(change func(m *backupConfigModel)) backupConfigModel {
	change(&m)
	return m
}

func TestAnUpdateSendsWhatThePlanChangesAndItsCompanions(t *testing.T) {
	t.Parallel()
	unchanged := of(nil)
	backup := func(m *backupConfigModel) { m.Username = types.StringValue("backup") }
	version := func(n int64) func(m *backupConfigModel) {
		return func(m *backupConfigModel) { m.PasswordWOVersion = types.Int64Value(n) }
	}
	const credentials = `{"username":"backup","password":"secret"}`
	for name, test := range map[string]struct {
		plan, prior backupConfigModel
		want        string
	}{
		"nothing":         {unchanged, unchanged, `{}`},
		"a flag":          {of(tf.Values{"ssl_enabled": types.BoolValue(true)}), unchanged, `{"sslEnabled":true}`},
		"a null flag":     {of(tf.Values{"ssl_enabled": types.BoolNull()}), unchanged, `{}`},
		"an unknown flag": {of(tf.Values{"ssl_enabled": types.BoolUnknown()}), unchanged, `{}`},
		"another engine": {
			of(tf.Values{"storage_engine_name": types.StringValue("MEMORY_MAPPED")}), unchanged,
			`{"storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`,
		},
		"encryption turned on": {
			of(tf.Values{"encryption_enabled": types.BoolValue(true)}), unchanged, `{"syncSource":"PRIMARY","encryptionEnabled":true}`,
		},
		"encryption turned off": {unchanged, of(tf.Values{"encryption_enabled": types.BoolValue(true)}), `{"encryptionEnabled":false}`},
		"a source alone": {
			unchanged.as(func(m *backupConfigModel) { m.SyncSource = types.StringValue("SECONDARY") }), unchanged, `{}`,
		},
		"one more exclusion": {
			of(tf.Values{"excluded_namespaces": namespaceSet("a", "b", "c")}), unchanged, `{"excludedNamespaces":["a","b","c"]}`,
		},
		"another order": {of(tf.Values{"excluded_namespaces": namespaceSet("b", "a")}), unchanged, `{}`},
		"one exclusion less": {
			of(tf.Values{"excluded_namespaces": namespaceSet("a")}), unchanged, `{"syncSource":"PRIMARY","excludedNamespaces":["a"]}`,
		},
		"no exclusions any more": {
			of(tf.Values{"excluded_namespaces": namespaceSet()}).as(func(m *backupConfigModel) { m.SyncSource = types.StringValue("h:1") }), unchanged,
			`{"syncSource":"h:1","excludedNamespaces":[]}`,
		},
		"inclusions": {
			of(tf.Values{"included_namespaces": namespaceSet("c"), "excluded_namespaces": types.SetUnknown(types.StringType)}), unchanged,
			`{"syncSource":"PRIMARY","includedNamespaces":["c"]}`,
		},
		"a namespace that is not known yet": {
			of(tf.Values{"excluded_namespaces": types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})}), unchanged, `{}`,
		},
		"a user":         {unchanged.as(backup), unchanged, credentials},
		"a new password": {unchanged.as(backup).as(version(2)), unchanged.as(backup).as(version(1)), credentials},
		"the same user": {
			of(tf.Values{"ssl_enabled": types.BoolValue(true)}).as(backup), unchanged.as(backup), `{"sslEnabled":true}`,
		},
		"regions": {
			of(tf.Values{"multi_region_backup_enabled": types.BoolValue(true)}).as(func(m *backupConfigModel) {
				m.DeploymentConfigs = regions(region("s2", "NY"), region("s1", "NY"))
			}), unchanged, `{"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"s1","deploymentId":"NY"},{"rsId":"s2","deploymentId":"NY"}]}`,
		},
		"a store": {
			unchanged.as(func(m *backupConfigModel) {
				m.SnapshotStore = types.ObjectValueMust(
					snapshotStoreAttributes,
					map[string]attr.Value{"snapshot_store_type": types.StringValue("s3blockstore"), "snapshot_store_id": types.StringValue("east")},
				)
			}), unchanged, `{"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"east"}}`,
		},
	} {
		config, held := test.plan, test.prior.settings()
		config.PasswordWO = types.StringValue("secret")
		a := new(backupConfigResource).applyOf("", config, test.plan, test.prior)
		request := a.act(noRequest, held).Step(held).Request
		got, err := json.Marshal(a.complete(request, noRequest, held))
		var sent, want opsmanager.BackupConfigChange
		if json.Unmarshal(got, &sent) != nil || json.Unmarshal([]byte(test.want), &want) != nil || err != nil {
			t.Fatal(name, err)
		}
		if wanted, _ := json.Marshal(want); string(got) != string(wanted) {
			t.Errorf("%s: sends %s, want %s", name, got, wanted)
		}
	}
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
	refreshed := configured.refreshed(settingsOf(opsmanager.BackupConfig{ExcludedNamespaces: []string{"a", "b"}}))
	if got, want := refreshed.Values[excludedNamespaces].String(), configured.Values[excludedNamespaces].String(); got != want {
		t.Errorf("the state has %s, want %s", got, want)
	}
}

func TestAResponseIsReadIntoTheState(t *testing.T) {
	t.Parallel()
	state := backupConfigModel{StatusName: types.StringValue("STARTED"), Values: tf.Values{
		"preferred_member": types.StringValue("h:1"), "provisioned": types.BoolValue(true),
		"excluded_namespaces": namespaceSet("a"), "included_namespaces": types.SetNull(types.StringType),
	}}
	for name, test := range map[string]struct {
		returned, status string
		want             tf.Values
	}{
		"a missing field keeps its value, and a missing list is empty": {
			`{}`, "STARTED", tf.Values{"excluded_namespaces": namespaceSet(), "included_namespaces": namespaceSet()},
		},
		"other values": {
			`{
				"statusName": "STOPPED", "sslEnabled": true, "excludedNamespaces": ["b", "a", "b"], "includedNamespaces": null,
				"multiRegionMisconfigured": false
			}`, "STOPPED",
			tf.Values{
				"ssl_enabled": types.BoolValue(true), "multi_region_misconfigured": types.BoolValue(false),
				"excluded_namespaces": namespaceSet("a", "b"), "included_namespaces": namespaceSet(),
			},
		},
	} {
		var live opsmanager.BackupConfig
		if err := json.Unmarshal([]byte(test.returned), &live); err != nil {
			t.Fatal(err)
		}
		got := state.refreshed(settingsOf(live))
		if got.StatusName.ValueString() != test.status {
			t.Errorf("%s: the status is %s, want %s", name, got.StatusName, test.status)
		}
		want := maps.Clone(state.Values)
		maps.Copy(want, test.want)
		for attribute, value := range want {
			if !got.Values[attribute].Equal(value) {
				t.Errorf("%s: %s is %s, want %s", name, attribute, got.Values[attribute], value)
			}
		}
	}
}
