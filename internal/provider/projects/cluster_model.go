package projects

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Cluster is a cluster that belongs to another object.
var Cluster = sources.ObjectOf(clusterColumns...)

const namelessClusters = "A cluster without a name has that of its replica set, or its ID."

const clusterTypes = "Type of the cluster: `REPLICA_SET` for a replica set or a shard, `SHARDED_REPLICA_SET` or `SHARDED` for a sharded cluster, " +
	"`CONFIG_SERVER_REPLICA_SET` for config servers."

// clusterColumns are the attributes of a cluster that is one of several. The last heartbeat is not
// among them: an output with it would differ in each plan.
var clusterColumns = partColumns.And(
	sources.String("project_id", "ID of the project.", func(c opsmanager.Cluster) *string { return c.GroupID }),
	sources.ID("cluster_id", "ID of the cluster. Only a whole cluster has a schedule that you can change.", func(c opsmanager.Cluster) *string { return c.ID }),
	sources.String("name", "Name of the cluster, which can be changed in Ops Manager. Shards and config servers have the name of their cluster. "+namelessClusters, opsmanager.Cluster.NameOrID),
	sources.String("type_name", clusterTypes, func(c opsmanager.Cluster) *string { return c.TypeName }),
)

// partColumns are those that no configuration sets.
var partColumns = sources.Columns[opsmanager.Cluster]{
	sources.String("replica_set_name", "Name of the replica set. Null for a sharded cluster.", func(c opsmanager.Cluster) *string { return c.ReplicaSetName }),
	sources.String("shard_name", "Name of the shard. Null for a replica set. A sharded cluster may have that of its first shard.", func(c opsmanager.Cluster) *string { return c.ShardName }),
}

// listedCluster is a cluster of a project.
type listedCluster struct {
	opsmanager.Cluster

	whole      bool
	thirdParty *bool // nil if it is not known, or a part
}

// listedClusters returns the clusters of a project that have a name and a type, sorted.
// Null selects any.
func listedClusters(project []opsmanager.Cluster, name, typeName types.String) []listedCluster {
	var listed []listedCluster
	whole := opsmanager.WholeClusters(project)
	wanted := types.StringPointerValue(tf.Normalized(name.ValueStringPointer()))
	for _, c := range sortedClusters(project) {
		isNamed := name.IsNull() || wanted.Equal(types.StringPointerValue(c.NameOrID()))
		if isNamed && (typeName.IsNull() || typeName.Equal(types.StringPointerValue(c.TypeName))) {
			listed = append(listed, listedCluster{Cluster: c, whole: whole(c)})
		}
	}
	return listed
}

// sortedClusters returns clusters sorted by name, type and ID. Absent values come last.
func sortedClusters(clusters []opsmanager.Cluster) []opsmanager.Cluster {
	return tf.Sorted(slices.Clone(clusters),
		tf.By(opsmanager.Cluster.NameOrID),
		tf.By(func(c opsmanager.Cluster) *string { return c.TypeName }),
		tf.By(func(c opsmanager.Cluster) *string { return c.ID }))
}

// chosenCluster returns the cluster of a project with a given name, and with a given type
// unless that is null. Among several, it is the only whole one. If there is none, the problem lists the
// clusters or the names.
func chosenCluster(project []opsmanager.Cluster, name, typeName types.String) (chosen *opsmanager.Cluster, problem string) {
	like := listedClusters(project, name, typeName)
	whole := slices.DeleteFunc(slices.Clone(like), func(c listedCluster) bool { return !c.whole })
	ofType := ""
	if !typeName.IsNull() {
		ofType = " of type " + typeName.ValueString()
	}
	switch {
	case len(like) == 1:
		return &like[0].Cluster, ""
	case len(whole) == 1:
		return &whole[0].Cluster, ""
	case len(like) > 1:
		return nil, fmt.Sprintf("%d clusters%s are called %q:%s\n\nTo choose one, set cluster_id instead of name.", len(like), ofType, name.ValueString(), candidates(like))
	}
	problem = fmt.Sprintf("The project has no cluster%s called %q.", ofType, name.ValueString())
	if others := listedClusters(project, name, types.StringNull()); len(others) > 0 {
		return nil, problem + " Clusters of other types with this name:" + candidates(others)
	}
	var names []string
	for _, c := range project {
		if has := c.Name(); has != nil {
			names = append(names, *has)
		}
	}
	if len(names) == 0 {
		return nil, problem + " Ops Manager does not monitor any cluster in it yet."
	}
	return nil, problem + " It has " + Nearest(name.ValueString(), names, 10) + "."
}

// candidates returns a line for each cluster, which distinguishes it from the others.
func candidates(clusters []listedCluster) string {
	var lines strings.Builder
	for _, c := range clusters {
		fmt.Fprintf(&lines, "\n  - %s, %s", tf.OrDash(c.ID), tf.OrDash(c.TypeName))
		if c.ReplicaSetName != nil {
			fmt.Fprintf(&lines, ", replica set %s", tf.OrDash(c.ReplicaSetName))
		}
		if c.whole {
			lines.WriteString(": a whole cluster")
		}
	}
	return lines.String()
}
