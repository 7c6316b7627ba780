package projects

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type clustersDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*clustersDataSource)(nil)

// NewClustersDataSource returns the data source opsmanager_clusters.
func NewClustersDataSource() datasource.DataSource { return &clustersDataSource{} }

func (d *clustersDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_clusters"
}

func (d *clustersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	results := ListedClusterAttributes()
	results["whole"] = tfmodel.ComputedBool("Whether this is a whole cluster: a sharded one, or a replica set that is no shard. Only a whole cluster has a schedule that can be changed. " +
		"Told by its type, and by whether it has the name of a shard; where no shard shows that, by whether it has the name of a sharded cluster of the project.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the clusters of a project, and changes nothing: its replica sets, its sharded clusters, and of each sharded cluster the shards and the config servers, **which carry the cluster's name**.\n\n" +
			"`whole` tells the clusters that have a schedule from the parts that have not. `opsmanager_cluster` reads one cluster by its name. " +
			"Every page of the list is read. What the service leaves out is null. A cluster that it lists without an id produces a warning.",
		Attributes: map[string]schema.Attribute{
			"project_id": IDAttribute(),
			"name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Name of the clusters to read, as it is spelled. Default: any. None of that name is an empty list.",
			},
			"type_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Type of the clusters to read, such as `REPLICA_SET`, which shards are too. Default: any. None of that type is an empty list.",
			},
			"results": tfmodel.ComputedObjects("The clusters, sorted by `name`, then by `type_name`, then by `cluster_id`.", listedClusterType, results),
		},
	}
}

const namelessClusters = "A replica set without a cluster name has the name of the replica set. A cluster without any name has its id as its name."

const clusterTypes = "Type: `REPLICA_SET` of a replica set, a shard included; `SHARDED_REPLICA_SET` or `SHARDED` of a whole sharded cluster; " +
	"`CONFIG_SERVER_REPLICA_SET` of its config servers."

// clusterAttributes returns the attributes that every cluster has, however it was found.
func clusterAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"replica_set_name": tfmodel.ComputedString("Name of the replica set. Null of a whole sharded cluster."),
		"shard_name":       tfmodel.ComputedString("Name of the shard. Null where the cluster is none."),
		"links":            tfmodel.LinksAttribute("the cluster"),
	}
}

// ListedClusterAttributes returns the attributes of a cluster that is one of several.
func ListedClusterAttributes() map[string]schema.Attribute {
	attributes := clusterAttributes()
	attributes["group_id"] = tfmodel.ComputedString("Id of the project (group) that owns the cluster.")
	attributes["cluster_id"] = tfmodel.ComputedString("Id of the cluster. Only a whole cluster's can be given to `opsmanager_snapshot_schedule`.")
	attributes["name"] = tfmodel.ComputedString("Name of the cluster; in a shard or in config servers, that of the whole cluster. People can change it in Ops Manager. " + namelessClusters)
	attributes["type_name"] = tfmodel.ComputedString(clusterTypes)
	return attributes
}

func (d *clustersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to List Clusters"
	var data clustersModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	clusters, err := d.Client.ListClusters(ctx, data.ProjectID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, Codes))
		return
	}
	diagnostics.WarnWithoutID(&resp.Diagnostics, clusters.Results, "Clusters Without an ID in Project "+data.ProjectID.ValueString(), "cluster", "cluster_id",
		func(c opsmanager.Cluster) (id, label *string) { return c.ID, c.Name() })
	data.Results = clustersFromAPI(clusters.Results, data.Name, data.TypeName)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}
