package projects

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// clusterModel is one cluster, found by its name or by its id.
type clusterModel struct {
	ProjectID      types.String `tfsdk:"project_id"`
	ClusterID      types.String `tfsdk:"cluster_id"`
	Name           types.String `tfsdk:"name"`
	TypeName       types.String `tfsdk:"type_name"`
	ReplicaSetName types.String `tfsdk:"replica_set_name"`
	ShardName      types.String `tfsdk:"shard_name"`
	LastHeartbeat  types.String `tfsdk:"last_heartbeat"`
	Links          types.List   `tfsdk:"links"`
}

// fromAPI takes over what the service shows. A configured id stays as it is.
func (m *clusterModel) fromAPI(c opsmanager.Cluster) {
	if m.ClusterID.IsNull() {
		m.ClusterID = types.StringPointerValue(tfmodel.NonEmpty(c.ID))
	}
	m.Name = types.StringPointerValue(c.NameOrID())
	m.TypeName = types.StringPointerValue(c.TypeName)
	m.ReplicaSetName = types.StringPointerValue(c.ReplicaSetName)
	m.ShardName = types.StringPointerValue(c.ShardName)
	m.LastHeartbeat = types.StringPointerValue(c.LastHeartbeat)
	m.Links = tfmodel.LinksFromAPI(c.Links)
}

type clustersModel struct {
	ProjectID types.String `tfsdk:"project_id"`
	Name      types.String `tfsdk:"name"`
	TypeName  types.String `tfsdk:"type_name"`
	Results   types.List   `tfsdk:"results"`
}

// ClusterType is a cluster as other objects refer to it.
var ClusterType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"group_id":         types.StringType,
	"cluster_id":       types.StringType,
	"name":             types.StringType,
	"type_name":        types.StringType,
	"replica_set_name": types.StringType,
	"shard_name":       types.StringType,
	"links":            tfmodel.LinksType,
}}

var listedClusterType = types.ObjectType{AttrTypes: tfmodel.WithAttrType(ClusterType.AttrTypes, "whole", types.BoolType)}

// ClusterFromAPI converts a cluster to an object of ClusterType.
func ClusterFromAPI(c opsmanager.Cluster) attr.Value {
	return types.ObjectValueMust(ClusterType.AttrTypes, clusterValues(c))
}

// clusterValues leaves out the last heartbeat: an output with it would never plan
// empty.
func clusterValues(c opsmanager.Cluster) map[string]attr.Value {
	return map[string]attr.Value{
		"group_id":         types.StringPointerValue(c.GroupID),
		"cluster_id":       types.StringPointerValue(tfmodel.NonEmpty(c.ID)),
		"name":             types.StringPointerValue(c.NameOrID()),
		"type_name":        types.StringPointerValue(c.TypeName),
		"replica_set_name": types.StringPointerValue(c.ReplicaSetName),
		"shard_name":       types.StringPointerValue(c.ShardName),
		"links":            tfmodel.LinksFromAPI(c.Links),
	}
}

// clustersFromAPI converts the clusters of a project that have a name and a
// type; null is any. They are sorted by name, type and id: the service documents
// no order.
func clustersFromAPI(project []opsmanager.Cluster, name, typeName types.String) types.List {
	whole := opsmanager.WholeClusters(project)
	return tfmodel.ListOf(SortedClusters(clustersLike(project, name, typeName)), listedClusterType, func(c opsmanager.Cluster) attr.Value {
		item := clusterValues(c)
		item["whole"] = types.BoolValue(whole(c))
		return types.ObjectValueMust(listedClusterType.AttrTypes, item)
	})
}

// clustersLike returns the clusters that have a name and a type; null is any.
func clustersLike(clusters []opsmanager.Cluster, name, typeName types.String) []opsmanager.Cluster {
	like := []opsmanager.Cluster{}
	for _, c := range clusters {
		if (name.IsNull() || types.StringPointerValue(tfmodel.Normalized(name.ValueStringPointer())).Equal(types.StringPointerValue(c.NameOrID()))) &&
			(typeName.IsNull() || typeName.Equal(types.StringPointerValue(c.TypeName))) {
			like = append(like, c)
		}
	}
	return like
}

// SortedClusters returns clusters sorted by name, type and ID. What is absent comes last.
func SortedClusters(clusters []opsmanager.Cluster) []opsmanager.Cluster {
	sorted := slices.Clone(clusters)
	slices.SortStableFunc(sorted, func(a, b opsmanager.Cluster) int {
		return cmp.Or(
			tfmodel.CompareAbsentLast(a.NameOrID(), b.NameOrID(), cmp.Compare),
			tfmodel.CompareAbsentLast(a.TypeName, b.TypeName, cmp.Compare),
			tfmodel.CompareAbsentLast(a.ID, b.ID, cmp.Compare),
		)
	})
	return sorted
}

// chosenCluster finds the one cluster of a project that a name, and a type if
// there is one, stand for. Where they stand for none or for several, it says
// what there is and how to choose instead.
func chosenCluster(project []opsmanager.Cluster, name, typeName types.String) (found opsmanager.Cluster, problem string) {
	like := SortedClusters(clustersLike(project, name, typeName))
	ofType := ""
	if !typeName.IsNull() {
		ofType = " of type " + typeName.ValueString()
	}
	switch {
	case len(like) == 1:
		return like[0], ""
	case len(like) > 1:
		return found, fmt.Sprintf("%d clusters%s are called %q:%s\n\n%s",
			len(like), ofType, name.ValueString(), candidates(project, like), howToChoose(project, like))
	}
	problem = fmt.Sprintf("The project has no cluster%s called %q.", ofType, name.ValueString())
	if others := SortedClusters(clustersLike(project, name, types.StringNull())); len(others) > 0 {
		return found, problem + " Of this name it has:" + candidates(project, others)
	}
	return found, problem + " " + clusterNames(project)
}

// candidates lists clusters, each with what tells it from the others.
func candidates(project, clusters []opsmanager.Cluster) string {
	whole := opsmanager.WholeClusters(project)
	var lines strings.Builder
	for _, c := range clusters {
		fmt.Fprintf(&lines, "\n  - %s, %s", diagnostics.OrDash(c.ID), diagnostics.OrDash(c.TypeName))
		if c.ReplicaSetName != nil {
			fmt.Fprintf(&lines, ", replica set %s", diagnostics.OrDash(c.ReplicaSetName))
		}
		if whole(c) {
			lines.WriteString(": a whole cluster")
		}
	}
	return lines.String()
}

// howToChoose says what singles out one of several clusters of one name: the
// type of the whole cluster, where only that one has it, else the id.
func howToChoose(project, several []opsmanager.Cluster) string {
	isWhole := opsmanager.WholeClusters(project)
	whole := slices.DeleteFunc(slices.Clone(several), func(c opsmanager.Cluster) bool { return !isWhole(c) })
	if len(whole) != 1 || len(clustersLike(several, types.StringNull(), types.StringPointerValue(whole[0].TypeName))) != 1 {
		return "To choose one, set cluster_id instead of name."
	}
	return fmt.Sprintf("The shards and config servers of a sharded cluster carry its name, and only the whole cluster has a schedule that can be changed: "+
		"to choose that one, set type_name = %q. To choose another, set cluster_id instead of name.", *whole[0].TypeName)
}

// clusterNames names the clusters of a project, if they are not too many to read.
func clusterNames(project []opsmanager.Cluster) string {
	const most = 20
	names := map[string]bool{}
	for _, c := range project {
		if name := c.Name(); name != nil {
			names[fmt.Sprintf("%q", *name)] = true
		}
	}
	switch {
	case len(names) == 0:
		return "Ops Manager monitors none in it, or not yet."
	case len(names) > most:
		return fmt.Sprintf("It has clusters of %d other names; the data source opsmanager_clusters lists them.", len(names))
	}
	return "It has " + strings.Join(slices.Sorted(maps.Keys(names)), ", ") + "."
}
