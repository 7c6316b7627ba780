package daemons

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Attributes of the certificate for KMIP.
const (
	kmipPath     = "kmip_client_cert_path"
	kmipPassword = "kmip_client_cert_password"
)

// kmipPathText says what the path is, in the resource and in the data source.
const kmipPathText = "Path of the file with the client certificate for KMIP."

var (
	machineType = types.ObjectType{AttrTypes: map[string]attr.Type{"machine": types.StringType, "head_root_directory": types.StringType}}
	storeType   = types.ObjectType{AttrTypes: map[string]attr.Type{"id": types.StringType, "type": types.StringType}}
)

// jobConfigFilters are the filters of a job configuration.
var jobConfigFilters = tfmodel.Fields[opsmanager.JobConfig]{
	tfmodel.TextsField("label_filter", func(j *opsmanager.JobConfig) **[]string { return &j.LabelFilter }),
	tfmodel.SetField("daemon_filter", func(j *opsmanager.JobConfig) **[]opsmanager.DaemonMachine { return &j.DaemonFilter }, machineType, machineFromAPI, machineToAPI),
	tfmodel.SetField("snapshot_store_filter", func(j *opsmanager.JobConfig) **[]opsmanager.StoreReference { return &j.SnapshotStoreFilter }, storeType, storeFromAPI, storeToAPI),
	tfmodel.SetField("oplog_store_filter", func(j *opsmanager.JobConfig) **[]opsmanager.StoreReference { return &j.OplogStoreFilter }, storeType, storeFromAPI, storeToAPI),
	tfmodel.TextsField("sync_store_filter", func(j *opsmanager.JobConfig) **[]string { return &j.SyncStoreFilter }),
}

// jobConfigFields are the fields of a job configuration that a configuration can set, without its secret.
var jobConfigFields = append(slices.Clone(jobConfigFilters), tfmodel.TextField(kmipPath, func(j *opsmanager.JobConfig) **string { return &j.KMIPClientCertPath }))

func machineFromAPI(m opsmanager.DaemonMachine) attr.Value {
	return types.ObjectValueMust(machineType.AttrTypes, map[string]attr.Value{
		"machine": types.StringValue(m.Machine), "head_root_directory": types.StringPointerValue(tfmodel.NonEmpty(m.HeadRootDirectory)),
	})
}

func machineToAPI(value attr.Value) opsmanager.DaemonMachine {
	return opsmanager.DaemonMachine{Machine: text(value, "machine").ValueString(), HeadRootDirectory: tfmodel.StringPointer(text(value, "head_root_directory"))}
}

func storeFromAPI(s opsmanager.StoreReference) attr.Value {
	return types.ObjectValueMust(storeType.AttrTypes, map[string]attr.Value{"id": types.StringValue(s.ID), "type": types.StringValue(s.Type)})
}

func storeToAPI(value attr.Value) opsmanager.StoreReference {
	return opsmanager.StoreReference{ID: text(value, "id").ValueString(), Type: text(value, "type").ValueString()}
}

// text returns a string attribute of an object.
func text(object attr.Value, attribute string) types.String {
	nested, _ := object.(types.Object)
	return tfmodel.As[types.String](nested.Attributes(), attribute)
}

// noFilters is a job configuration whose filters are all empty.
var noFilters = func() (config opsmanager.JobConfig) {
	jobConfigFilters.Set(&config, jobConfigFilters.FromAPI(tfmodel.Values{}, config))
	return config
}()

// mergeJobConfig completes a job configuration with the members of the live one that the provider does not
// know. The elements of a list keep theirs.
func mergeJobConfig(whole *opsmanager.JobConfig, live opsmanager.JobConfig) {
	whole.Unknown = live.Unknown
	whole.DaemonFilter = keepElements(whole.DaemonFilter, live.DaemonFilter, machineFromAPI)
	whole.SnapshotStoreFilter = keepElements(whole.SnapshotStoreFilter, live.SnapshotStoreFilter, storeFromAPI)
	whole.OplogStoreFilter = keepElements(whole.OplogStoreFilter, live.OplogStoreFilter, storeFromAPI)
}

// keepElements returns a list with the elements of the live one, as far as they have the same value.
func keepElements[E any](list, live *[]E, value func(E) attr.Value) *[]E {
	if list == nil || live == nil {
		return list
	}
	kept := slices.Clone(*list)
	for i, element := range kept {
		if j := slices.IndexFunc(*live, func(other E) bool { return value(other).Equal(value(element)) }); j >= 0 {
			kept[i] = (*live)[j]
		}
	}
	return &kept
}
