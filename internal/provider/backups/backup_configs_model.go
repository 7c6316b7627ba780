// Package backups implements the data sources of backup configurations and snapshots.
package backups

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// backupConfigModel is one configuration.
type backupConfigModel struct {
	ProjectID                types.String `tfsdk:"project_id"`
	ClusterID                types.String `tfsdk:"cluster_id"`
	StatusName               types.String `tfsdk:"status_name"`
	StorageEngineName        types.String `tfsdk:"storage_engine_name"`
	EncryptionEnabled        types.Bool   `tfsdk:"encryption_enabled"`
	SSLEnabled               types.Bool   `tfsdk:"ssl_enabled"`
	ExcludedNamespaces       types.List   `tfsdk:"excluded_namespaces"`
	IncludedNamespaces       types.List   `tfsdk:"included_namespaces"`
	AuthMechanismName        types.String `tfsdk:"auth_mechanism_name"`
	PreferredMember          types.String `tfsdk:"preferred_member"`
	Provisioned              types.Bool   `tfsdk:"provisioned"`
	MultiRegionBackupEnabled types.Bool   `tfsdk:"multi_region_backup_enabled"`
	MultiRegionMisconfigured types.Bool   `tfsdk:"multi_region_misconfigured"`
	Links                    types.List   `tfsdk:"links"`
}

type backupConfigsModel struct {
	ProjectID    types.String `tfsdk:"project_id"`
	PageNum      types.Int64  `tfsdk:"page_num"`
	ItemsPerPage types.Int64  `tfsdk:"items_per_page"`
	Results      types.List   `tfsdk:"results"`
	TotalCount   types.Int64  `tfsdk:"total_count"`
	Links        types.List   `tfsdk:"links"`
}

var backupConfigType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"group_id":            types.StringType,
	"cluster_id":          types.StringType,
	"status_name":         types.StringType,
	"storage_engine_name": types.StringType,
	"encryption_enabled":  types.BoolType,
	"ssl_enabled":         types.BoolType,
	"excluded_namespaces": tfmodel.StringsType,
	"included_namespaces": tfmodel.StringsType,
	"links":               tfmodel.LinksType,
}}

// backupConfigsFromAPI converts a list, sorted by cluster id: the service
// documents no order, and one that changes would look like drift. An item
// without a cluster id comes last.
func backupConfigsFromAPI(configs []opsmanager.BackupConfig) types.List {
	sorted := append([]opsmanager.BackupConfig{}, configs...)
	slices.SortStableFunc(sorted, func(a, b opsmanager.BackupConfig) int {
		return tfmodel.CompareAbsentLast(a.ClusterID, b.ClusterID, cmp.Compare)
	})
	return tfmodel.ListOf(sorted, backupConfigType, backupConfigFromAPI)
}

func backupConfigFromAPI(c opsmanager.BackupConfig) attr.Value {
	return types.ObjectValueMust(backupConfigType.AttrTypes, map[string]attr.Value{
		"group_id":            types.StringPointerValue(c.GroupID),
		"cluster_id":          types.StringPointerValue(tfmodel.NonEmpty(c.ClusterID)),
		"status_name":         types.StringPointerValue(c.StatusName),
		"storage_engine_name": types.StringPointerValue(c.StorageEngineName),
		"encryption_enabled":  types.BoolPointerValue(c.EncryptionEnabled),
		"ssl_enabled":         types.BoolPointerValue(c.SSLEnabled),
		"excluded_namespaces": tfmodel.StringsFromAPI(c.ExcludedNamespaces),
		"included_namespaces": tfmodel.StringsFromAPI(c.IncludedNamespaces),
		"links":               tfmodel.LinksFromAPI(c.Links),
	})
}

func (m *backupConfigModel) fromAPI(c opsmanager.BackupConfig) {
	m.StatusName = types.StringPointerValue(c.StatusName)
	m.StorageEngineName = types.StringPointerValue(c.StorageEngineName)
	m.EncryptionEnabled = types.BoolPointerValue(c.EncryptionEnabled)
	m.SSLEnabled = types.BoolPointerValue(c.SSLEnabled)
	m.ExcludedNamespaces = tfmodel.StringsFromAPI(c.ExcludedNamespaces)
	m.IncludedNamespaces = tfmodel.StringsFromAPI(c.IncludedNamespaces)
	m.AuthMechanismName = types.StringPointerValue(c.AuthMechanismName)
	m.PreferredMember = types.StringPointerValue(c.PreferredMember)
	m.Provisioned = types.BoolPointerValue(c.Provisioned)
	m.MultiRegionBackupEnabled = types.BoolPointerValue(c.MultiRegionBackupEnabled)
	m.MultiRegionMisconfigured = types.BoolPointerValue(c.MultiRegionMisconfigured)
	m.Links = tfmodel.LinksFromAPI(c.Links)
}
