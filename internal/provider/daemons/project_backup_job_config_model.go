package daemons

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Attributes of the certificate for KMIP. They are not managed if they are null.
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

// optionalJobConfigFields are the fields that a response lacks if they are not set.
var optionalJobConfigFields = tfmodel.Fields[opsmanager.JobConfig]{
	tfmodel.TextField(kmipPath, func(j *opsmanager.JobConfig) **string { return &j.KMIPClientCertPath }),
}

// jobConfigFields are the fields of a job configuration that a configuration can set, without its secret.
var jobConfigFields = slices.Concat(jobConfigFilters, optionalJobConfigFields)

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

// jobConfigIdentity identifies the job configuration of a project.
type jobConfigIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
}

func jobConfigIdentityOf(m tfmodel.Values) jobConfigIdentity {
	return jobConfigIdentity{tfmodel.As[types.String](m, "project_id")}
}

// projectOf returns the ID of a project in lower case, as Ops Manager returns it. A
// configuration may have it in upper case.
func projectOf(m tfmodel.Values) string {
	return strings.ToLower(jobConfigIdentityOf(m).ProjectID.ValueString())
}

// jobConfigToAPI converts values to a job configuration without its secret. Null and
// unknown values are left out.
func jobConfigToAPI(m tfmodel.Values) opsmanager.JobConfig {
	config := opsmanager.JobConfig{ID: projectOf(m)}
	jobConfigFields.Set(&config, m)
	return config
}

// jobConfigFromAPI returns values updated with the filters of a response. A missing filter
// is empty. The path of the certificate is read only if it is managed. If Ops Manager
// returns the password in a different form than after the last write, the password becomes
// null, so the next plan sets it again.
func jobConfigFromAPI(m tfmodel.Values, response opsmanager.JobConfig, known secrets.ReadBack) tfmodel.Values {
	fields := jobConfigFields
	if m[kmipPath].IsNull() {
		fields = jobConfigFilters
	}
	updated := fields.FromAPI(m, response)
	if shown := response.KMIPClientCertPassword; shown != nil && known.Differs(kmipPassword, *shown) {
		updated = maps.Clone(updated)
		secrets.Remove(updated, kmipPassword)
	}
	return updated
}

// withUnknown returns a job configuration with the unknown members of the live one. The elements of
// a list keep theirs.
func withUnknown(config, live opsmanager.JobConfig) opsmanager.JobConfig {
	config.Unknown = live.Unknown
	config.DaemonFilter = keepElements(config.DaemonFilter, live.DaemonFilter, machineFromAPI)
	config.SnapshotStoreFilter = keepElements(config.SnapshotStoreFilter, live.SnapshotStoreFilter, storeFromAPI)
	config.OplogStoreFilter = keepElements(config.OplogStoreFilter, live.OplogStoreFilter, storeFromAPI)
	return config
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

// emptyFilters returns a job configuration whose filters are all empty.
func emptyFilters() (config opsmanager.JobConfig) {
	jobConfigFilters.Set(&config, jobConfigFilters.FromAPI(tfmodel.Values{}, config))
	return config
}

// withoutEmptyLists returns a job configuration without its empty lists, which older versions
// misread. Only the filter by labels is always sent, as MongoDB's Kubernetes operator does.
func withoutEmptyLists(config opsmanager.JobConfig) opsmanager.JobConfig {
	if config.LabelFilter == nil {
		config.LabelFilter = &[]string{}
	}
	config.DaemonFilter = nonEmpty(config.DaemonFilter)
	config.SnapshotStoreFilter = nonEmpty(config.SnapshotStoreFilter)
	config.OplogStoreFilter = nonEmpty(config.OplogStoreFilter)
	config.SyncStoreFilter = nonEmpty(config.SyncStoreFilter)
	return config
}

func nonEmpty[E any](list *[]E) *[]E {
	if list == nil || len(*list) == 0 {
		return nil
	}
	return list
}
