package backups

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type configServerSnapshotsModel struct {
	ProjectID    types.String `tfsdk:"project_id"`
	HostID       types.String `tfsdk:"host_id"`
	PageNum      types.Int64  `tfsdk:"page_num"`
	ItemsPerPage types.Int64  `tfsdk:"items_per_page"`
	Results      types.List   `tfsdk:"results"`
	TotalCount   types.Int64  `tfsdk:"total_count"`
	Links        types.List   `tfsdk:"links"`
}

func configServerSnapshotsFromAPI(snapshots []opsmanager.Snapshot) types.List {
	sorted := newestFirst(snapshots, func(s opsmanager.Snapshot) opsmanager.Snapshot { return s })
	return tfmodel.ListOf(sorted, snapshotType, func(s opsmanager.Snapshot) attr.Value {
		return types.ObjectValueMust(snapshotType.AttrTypes, snapshotFromAPI(s))
	})
}
