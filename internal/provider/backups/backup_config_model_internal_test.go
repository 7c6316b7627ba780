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

func TestAnUpdateSendsWhatThePlanChangesAndItsCompanions(t *testing.T) {
	t.Parallel()
	with := func(change func(m *backupConfigModel)) backupConfigModel {
		m := backupConfigModel{Values: tf.Values{
			"storage_engine_name": types.StringValue("WIRED_TIGER"), "auth_mechanism_name": types.StringNull(), "preferred_member": types.StringNull(),
			"ssl_enabled": types.BoolValue(false), "encryption_enabled": types.BoolValue(false), "multi_region_backup_enabled": types.BoolNull(),
			"excluded_namespaces": namespaceSet("a", "b"), "included_namespaces": namespaceSet(),
		}}
		change(&m)
		return m
	}
	unchanged := with(func(*backupConfigModel) {})
	for name, test := range map[string]struct {
		plan, prior backupConfigModel
		password    string
		want        string
	}{
		"nothing":         {unchanged, unchanged, "secret", `{}`},
		"a flag":          {with(func(m *backupConfigModel) { m.Values["ssl_enabled"] = types.BoolValue(true) }), unchanged, "", `{"sslEnabled":true}`},
		"a null flag":     {with(func(m *backupConfigModel) { m.Values["ssl_enabled"] = types.BoolNull() }), unchanged, "", `{}`},
		"an unknown flag": {with(func(m *backupConfigModel) { m.Values["ssl_enabled"] = types.BoolUnknown() }), unchanged, "", `{}`},
		"another engine": {
			with(func(m *backupConfigModel) { m.Values["storage_engine_name"] = types.StringValue("MEMORY_MAPPED") }), unchanged,
			"", `{"storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`,
		},
		"encryption turned on": {
			with(func(m *backupConfigModel) { m.Values["encryption_enabled"] = types.BoolValue(true) }), unchanged, "",
			`{"syncSource":"PRIMARY","encryptionEnabled":true}`,
		},
		"encryption turned off": {
			unchanged, with(func(m *backupConfigModel) { m.Values["encryption_enabled"] = types.BoolValue(true) }), "", `{"encryptionEnabled":false}`,
		},
		"a source alone": {with(func(m *backupConfigModel) { m.SyncSource = types.StringValue("SECONDARY") }), unchanged, "", `{}`},
		"one more exclusion": {
			with(func(m *backupConfigModel) { m.Values["excluded_namespaces"] = namespaceSet("a", "b", "c") }), unchanged, "",
			`{"excludedNamespaces":["a","b","c"]}`,
		},
		"another order": {with(func(m *backupConfigModel) {
			m.Values["excluded_namespaces"] = types.SetValueMust(types.StringType, []attr.Value{types.StringValue("b"), types.StringValue("a")})
		}), unchanged, "", `{}`},
		"one exclusion less": {
			with(func(m *backupConfigModel) { m.Values["excluded_namespaces"] = namespaceSet("a") }), unchanged, "",
			`{"syncSource":"PRIMARY","excludedNamespaces":["a"]}`,
		},
		"no exclusions any more": {with(func(m *backupConfigModel) {
			m.Values["excluded_namespaces"] = namespaceSet()
			m.SyncSource = types.StringValue("h:1")
		}), unchanged, "", `{"syncSource":"h:1","excludedNamespaces":[]}`},
		"inclusions": {
			with(func(m *backupConfigModel) {
				m.Values["included_namespaces"] = namespaceSet("c")
				m.Values["excluded_namespaces"] = types.SetUnknown(types.StringType)
			}), unchanged, "",
			`{"syncSource":"PRIMARY","includedNamespaces":["c"]}`,
		},
		"a namespace that is not known yet": {
			with(func(m *backupConfigModel) {
				m.Values["excluded_namespaces"] = types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})
			}), unchanged, "", `{}`,
		},
		"a user": {
			with(func(m *backupConfigModel) { m.Username = types.StringValue("backup") }), unchanged, "secret",
			`{"username":"backup","password":"secret"}`,
		},
		"a new password": {with(func(m *backupConfigModel) {
			m.Username, m.PasswordWOVersion = types.StringValue("backup"), types.Int64Value(2)
		}), with(func(m *backupConfigModel) {
			m.Username, m.PasswordWOVersion = types.StringValue("backup"), types.Int64Value(1)
		}), "secret", `{"username":"backup","password":"secret"}`},
		"the same user": {with(func(m *backupConfigModel) {
			m.Username, m.Values["ssl_enabled"] = types.StringValue("backup"), types.BoolValue(true)
		}), with(func(m *backupConfigModel) { m.Username = types.StringValue("backup") }), "secret", `{"sslEnabled":true}`},
		"regions": {
			with(func(m *backupConfigModel) {
				m.DeploymentConfigs, m.Values["multi_region_backup_enabled"] = regions(region("s2", "NY"), region("s1", "NY")), types.BoolValue(true)
			}), unchanged, "",
			`{"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"s1","deploymentId":"NY"},{"rsId":"s2","deploymentId":"NY"}]}`,
		},
		"a store": {
			with(func(m *backupConfigModel) {
				m.SnapshotStore = types.ObjectValueMust(
					snapshotStoreAttributes,
					map[string]attr.Value{"snapshot_store_type": types.StringValue("s3blockstore"), "snapshot_store_id": types.StringValue("east")},
				)
			}), unchanged, "", `{"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"east"}}`,
		},
	} {
		config, held := test.plan, test.prior.settings()
		config.PasswordWO = types.StringValue(test.password)
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
		returned string
		want     func(m *backupConfigModel)
	}{
		"a missing field keeps its value, and a missing list is empty": {`{}`, func(m *backupConfigModel) {
			m.Values["excluded_namespaces"], m.Values["included_namespaces"] = namespaceSet(), namespaceSet()
		}},
		"other values": {
			`{"statusName": "STOPPED", "sslEnabled": true, "excludedNamespaces": ["b", "a", "b"], "includedNamespaces": null, "multiRegionMisconfigured": false}`,
			func(m *backupConfigModel) {
				m.StatusName, m.Values["ssl_enabled"], m.Values["multi_region_misconfigured"] = types.StringValue("STOPPED"), types.BoolValue(true), types.BoolValue(false)
				m.Values["excluded_namespaces"], m.Values["included_namespaces"] = namespaceSet("a", "b"), namespaceSet()
			},
		},
	} {
		var live opsmanager.BackupConfig
		if err := json.Unmarshal([]byte(test.returned), &live); err != nil {
			t.Fatal(err)
		}
		got, want := state.refreshed(settingsOf(live)), state
		want.Values = maps.Clone(state.Values)
		test.want(&want)
		if !got.StatusName.Equal(want.StatusName) {
			t.Errorf("%s: the status is %s, want %s", name, got.StatusName, want.StatusName)
		}
		for attribute, value := range want.Values {
			if !got.Values[attribute].Equal(value) {
				t.Errorf("%s: %s is %s, want %s", name, attribute, got.Values[attribute], value)
			}
		}
	}
}
