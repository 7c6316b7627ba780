package backups

import (
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type clusterSnapshotsModel struct {
	ProjectID  types.String `tfsdk:"project_id"`
	ClusterID  types.String `tfsdk:"cluster_id"`
	Completed  types.String `tfsdk:"completed"`
	MaxResults types.Int64  `tfsdk:"max_results"`
	Results    types.List   `tfsdk:"results"`
	TotalCount types.Int64  `tfsdk:"total_count"`
}

var clusterSnapshotType = types.ObjectType{AttrTypes: tfmodel.WithAttrType(tfmodel.WithAttrType(snapshotType.AttrTypes,
	"is_possibly_inconsistent", types.BoolType),
	"missing_shards", types.ListType{ElemType: projects.ClusterType})}

// clusterSnapshotsFromAPI converts the newest of the snapshots that were read; 0
// is all of them.
func clusterSnapshotsFromAPI(snapshots []opsmanager.ClusterSnapshot, most int64) types.List {
	sorted := newestFirst(snapshots, func(s opsmanager.ClusterSnapshot) opsmanager.Snapshot { return s.Snapshot })
	if most > 0 {
		sorted = sorted[:min(int64(len(sorted)), most)]
	}
	return tfmodel.ListOf(sorted, clusterSnapshotType, func(s opsmanager.ClusterSnapshot) attr.Value {
		item := snapshotFromAPI(s.Snapshot)
		item["is_possibly_inconsistent"] = types.BoolPointerValue(s.IsPossiblyInconsistent)
		item["missing_shards"] = tfmodel.ListOf(s.MissingShards, projects.ClusterType, projects.ClusterFromAPI)
		return types.ObjectValueMust(clusterSnapshotType.AttrTypes, item)
	})
}

// newerMayBeMissed reports whether snapshots that were not read may be newer than
// some that were: there are more, and the service does not list them newest
// first.
func newerMayBeMissed(list *opsmanager.List[opsmanager.ClusterSnapshot]) bool {
	var moments []time.Time
	for _, s := range list.Results {
		if s.Created == nil {
			continue // one that is being taken
		}
		if moment := instant(s.Created.Date); moment != nil {
			moments = append(moments, *moment)
		}
	}
	areNewestFirst := slices.IsSortedFunc(moments, func(a, b time.Time) int { return b.Compare(a) })
	return list.More && !areNewestFirst
}
