package backups

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func region(rsID, deploymentID string) attr.Value {
	return types.ObjectValueMust(deploymentConfigAttributes, map[string]attr.Value{"rs_id": types.StringValue(rsID), "deployment_id": types.StringValue(deploymentID)})
}

func regions(assigned ...attr.Value) types.Set {
	return types.SetValueMust(types.ObjectType{AttrTypes: deploymentConfigAttributes}, assigned)
}

func TestAnUpdateSendsWhatThePlanChangesAndItsCompanions(t *testing.T) {
	t.Parallel()
	with := func(change func(m *backupConfigResourceModel)) backupConfigResourceModel {
		m := backupConfigResourceModel{
			StorageEngineName: types.StringValue("WIRED_TIGER"), SSLEnabled: types.BoolValue(false), EncryptionEnabled: types.BoolValue(false),
			ExcludedNamespaces: namespaceSet([]string{"a", "b"}), IncludedNamespaces: namespaceSet(nil),
		}
		change(&m)
		return m
	}
	unchanged := with(func(*backupConfigResourceModel) {})
	for name, test := range map[string]struct {
		plan, prior backupConfigResourceModel
		password    string
		want        string
	}{
		"nothing":              {unchanged, unchanged, "secret", `{}`},
		"a flag":               {with(func(m *backupConfigResourceModel) { m.SSLEnabled = types.BoolValue(true) }), unchanged, "", `{"sslEnabled":true}`},
		"a null flag":          {with(func(m *backupConfigResourceModel) { m.SSLEnabled = types.BoolNull() }), unchanged, "", `{}`},
		"an unknown flag":      {with(func(m *backupConfigResourceModel) { m.SSLEnabled = types.BoolUnknown() }), unchanged, "", `{}`},
		"another engine":       {with(func(m *backupConfigResourceModel) { m.StorageEngineName = types.StringValue("MEMORY_MAPPED") }), unchanged, "", `{"storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`},
		"encryption turned on": {with(func(m *backupConfigResourceModel) { m.EncryptionEnabled = types.BoolValue(true) }), unchanged, "", `{"syncSource":"PRIMARY","encryptionEnabled":true}`},
		"encryption turned off": {
			unchanged, with(func(m *backupConfigResourceModel) { m.EncryptionEnabled = types.BoolValue(true) }), "", `{"encryptionEnabled":false}`,
		},
		"a source alone":     {with(func(m *backupConfigResourceModel) { m.SyncSource = types.StringValue("SECONDARY") }), unchanged, "", `{}`},
		"one more exclusion": {with(func(m *backupConfigResourceModel) { m.ExcludedNamespaces = namespaceSet([]string{"a", "b", "c"}) }), unchanged, "", `{"excludedNamespaces":["a","b","c"]}`},
		"another order": {with(func(m *backupConfigResourceModel) {
			m.ExcludedNamespaces = types.SetValueMust(types.StringType, []attr.Value{types.StringValue("b"), types.StringValue("a")})
		}), unchanged, "", `{}`},
		"one exclusion less": {with(func(m *backupConfigResourceModel) { m.ExcludedNamespaces = namespaceSet([]string{"a"}) }), unchanged, "", `{"syncSource":"PRIMARY","excludedNamespaces":["a"]}`},
		"no exclusions any more": {with(func(m *backupConfigResourceModel) {
			m.ExcludedNamespaces = namespaceSet(nil)
			m.SyncSource = types.StringValue("h:1")
		}), unchanged, "", `{"syncSource":"h:1","excludedNamespaces":[]}`},
		"inclusions": {
			with(func(m *backupConfigResourceModel) {
				m.IncludedNamespaces = namespaceSet([]string{"c"})
				m.ExcludedNamespaces = types.SetUnknown(types.StringType)
			}), unchanged, "",
			`{"syncSource":"PRIMARY","includedNamespaces":["c"]}`,
		},
		"a namespace that is known late": {
			with(func(m *backupConfigResourceModel) {
				m.ExcludedNamespaces = types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})
			}), unchanged, "", `{}`,
		},
		"a user": {with(func(m *backupConfigResourceModel) { m.Username = types.StringValue("backup") }), unchanged, "secret", `{"username":"backup","password":"secret"}`},
		"a new password": {with(func(m *backupConfigResourceModel) {
			m.Username, m.PasswordWOVersion = types.StringValue("backup"), types.Int64Value(2)
		}), with(func(m *backupConfigResourceModel) {
			m.Username, m.PasswordWOVersion = types.StringValue("backup"), types.Int64Value(1)
		}), "secret", `{"username":"backup","password":"secret"}`},
		"the same user": {with(func(m *backupConfigResourceModel) {
			m.Username, m.SSLEnabled = types.StringValue("backup"), types.BoolValue(true)
		}), with(func(m *backupConfigResourceModel) { m.Username = types.StringValue("backup") }), "secret", `{"sslEnabled":true}`},
		"regions": {
			with(func(m *backupConfigResourceModel) {
				m.DeploymentConfigs, m.MultiRegionBackupEnabled = regions(region("s2", "NY"), region("s1", "NY")), types.BoolValue(true)
			}), unchanged, "",
			`{"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"s1","deploymentId":"NY"},{"rsId":"s2","deploymentId":"NY"}]}`,
		},
		"a store": {
			with(func(m *backupConfigResourceModel) {
				m.SnapshotStore = types.ObjectValueMust(snapshotStoreAttributes, map[string]attr.Value{"snapshot_store_type": types.StringValue("s3blockstore"), "snapshot_store_id": types.StringValue("east")})
			}), unchanged, "", `{"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"east"}}`,
		},
	} {
		got, err := json.Marshal(fieldChanges(test.plan, test.prior, test.password))
		var sent, want opsmanager.BackupConfigChange
		if json.Unmarshal(got, &sent) != nil || json.Unmarshal([]byte(test.want), &want) != nil || err != nil {
			t.Fatal(name, err)
		}
		if wanted, _ := json.Marshal(want); string(got) != string(wanted) {
			t.Errorf("%s: sends %s, want %s", name, got, wanted)
		}
	}
}

func TestAResponseIsReadIntoTheState(t *testing.T) {
	t.Parallel()
	state := backupConfigResourceModel{
		StatusName: types.StringValue("STARTED"), PreferredMember: types.StringValue("h:1"), Provisioned: types.BoolValue(true),
		ExcludedNamespaces: namespaceSet([]string{"a"}), IncludedNamespaces: types.SetNull(types.StringType),
	}
	for name, test := range map[string]struct {
		returned string
		ignored  ignoredNamespaces
		want     func(m *backupConfigResourceModel)
	}{
		"a missing field keeps its value, and a missing list is empty": {`{}`, nil, func(m *backupConfigResourceModel) {
			m.ExcludedNamespaces, m.IncludedNamespaces = namespaceSet(nil), namespaceSet(nil)
		}},
		"other values": {`{"statusName": "STOPPED", "sslEnabled": true, "excludedNamespaces": ["b", "a", "b"], "includedNamespaces": null, "multiRegionMisconfigured": false}`, nil, func(m *backupConfigResourceModel) {
			m.StatusName, m.SSLEnabled, m.MultiRegionMisconfigured = types.StringValue("STOPPED"), types.BoolValue(true), types.BoolValue(false)
			m.ExcludedNamespaces, m.IncludedNamespaces = namespaceSet([]string{"a", "b"}), namespaceSet(nil)
		}},
		"a list that Ops Manager ignores keeps its value": {`{"excludedNamespaces": []}`, ignoredNamespaces{"excluded_namespaces": nil}, func(m *backupConfigResourceModel) {
			m.IncludedNamespaces = namespaceSet(nil)
		}},
		"a list that changed after it was ignored": {`{"excludedNamespaces": ["c"]}`, ignoredNamespaces{"excluded_namespaces": nil}, func(m *backupConfigResourceModel) {
			m.ExcludedNamespaces, m.IncludedNamespaces = namespaceSet([]string{"c"}), namespaceSet(nil)
		}},
	} {
		var live opsmanager.BackupConfig
		if err := json.Unmarshal([]byte(test.returned), &live); err != nil {
			t.Fatal(err)
		}
		got, want := state, state
		got.fromAPI(live, test.ignored)
		test.want(&want)
		if !got.StatusName.Equal(want.StatusName) || !got.SSLEnabled.Equal(want.SSLEnabled) || !got.PreferredMember.Equal(want.PreferredMember) ||
			!got.Provisioned.Equal(want.Provisioned) || !got.MultiRegionMisconfigured.Equal(want.MultiRegionMisconfigured) ||
			!got.ExcludedNamespaces.Equal(want.ExcludedNamespaces) || !got.IncludedNamespaces.Equal(want.IncludedNamespaces) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
		}
	}
}
