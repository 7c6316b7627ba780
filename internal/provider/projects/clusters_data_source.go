package projects

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewClustersDataSource returns the data source opsmanager_clusters.
var NewClustersDataSource = sources.List[listedCluster]{
	Name:  "clusters",
	Title: "Clusters",
	Codes: []tf.Codes{Codes},
	Description: "Reads the clusters of a project.\n\n" +
		"These are its replica sets, its sharded clusters, and the shards and config servers of each sharded cluster, **which have the name of their cluster**. Only clusters with `has_schedule = true` have a snapshot schedule that you can change; `ids_by_name` contains only these. Use `opsmanager_cluster` to read one cluster by its name.\n\n" +
		"-> Requires the role `Project Read Only`.",
	Attributes: map[string]schema.Attribute{
		"project_id": IDAttribute(),
		"name": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Exact name of the clusters to return. Defaults to all clusters.",
		},
		"type_name": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Type of the clusters to return, such as `REPLICA_SET`, which includes shards. Defaults to all types.",
		},
	},
	Results: "The clusters, sorted by `name`, then by `type_name`, then by `cluster_id`.",
	Items: sources.Of(clusterColumns, func(c listedCluster) opsmanager.Cluster { return c.Cluster }).And(
		sources.Bool("has_schedule", "Whether this is a whole cluster that no other product backs up: a sharded cluster, or a replica set that is not a shard.",
			func(c listedCluster) *bool { return new(c.whole && (c.thirdParty == nil || !*c.thirdParty)) }),
		sources.Bool("third_party_backup", "Whether another product backs up the cluster. Null for a part of a sharded cluster, and if that is not known, as without the role `Project Backup Admin`.",
			func(c listedCluster) *bool { return c.thirdParty }),
	),
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config) (*opsmanager.List[listedCluster], error) {
		project, err := client.ListClusters(ctx, config.Text("project_id"))
		if err != nil {
			return nil, err
		}
		listed := listedClusters(project.Results, tf.As[types.String](config, "name"), tf.As[types.String](config, "type_name"))
		if len(listed) > 0 {
			err = addThirdParty(ctx, client, config.Text("project_id"), listed)
		}
		return &opsmanager.List[listedCluster]{Results: listed}, err
	},
	Singular:    "cluster",
	IDAttribute: "cluster_id",
	Identify:    func(c listedCluster) (id, label *string) { return c.ID, c.Name() },
	ByName: sources.ByName[listedCluster]{
		Attribute:   "ids_by_name",
		Description: "IDs of the whole clusters in `results`, by name, without those that another product backs up. A name that several of them have is left out with a warning.",
		Of: func(c listedCluster) (id, name *string) {
			if !c.whole || c.thirdParty != nil && *c.thirdParty {
				return nil, nil
			}
			return c.ID, c.Name()
		},
	},
}.Constructor()

// addThirdParty adds whether another product backs up whole clusters of a project, if that can be read. It fails if the
// project is missing.
func addThirdParty(ctx context.Context, client *opsmanager.Client, projectID string, clusters []listedCluster) error {
	owners := ReadOwners(ctx, client, projectID)
	for i, c := range clusters {
		other, unknown := owners.Of(tf.Text(c.ID))
		if unknown == nil && c.whole {
			clusters[i].thirdParty = new(other != "")
		}
	}
	if opsmanager.IsMissing(owners.err, opsmanager.ObjectProject) {
		return owners.err
	}
	return nil
}
