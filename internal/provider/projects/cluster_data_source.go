package projects

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type clusterDataSource struct{ connection.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*clusterDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*clusterDataSource)(nil)
)

// NewClusterDataSource returns the data source opsmanager_cluster.
func NewClusterDataSource() datasource.DataSource { return &clusterDataSource{} }

func (d *clusterDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster"
}

func (d *clusterDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := clusterAttributes()
	attributes["last_heartbeat"] = tfmodel.ComputedString("When Ops Manager last heard of the cluster, ISO 8601 in UTC.")
	attributes["project_id"] = IDAttribute()
	attributes["cluster_id"] = schema.StringAttribute{
		Optional: true, Computed: true, Validators: connection.ObjectIDValidators(),
		MarkdownDescription: "Id of the cluster: 24 hexadecimal digits. Either this or `name` is configured; the other one is shown.",
	}
	attributes["name"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Name of the cluster, as it is spelled. People can change it in Ops Manager. Either this or `cluster_id` is configured; the other one is shown. " + namelessClusters,
	}
	attributes["type_name"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: clusterTypes + " Configured beside `name`, it chooses among the clusters of that name; else it is shown.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one cluster of a project by its name or by its id, and changes nothing.\n\n" +
			"**A name may stand for several clusters:** the shards and the config servers of a sharded cluster carry its name. " +
			"That is an error which lists them, and nothing is chosen silently: `type_name = \"SHARDED_REPLICA_SET\"` chooses the whole cluster, which alone has a schedule that can be changed. " +
			"What the service leaves out is null.",
		Attributes: attributes,
	}
}

func (d *clusterDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("cluster_id"), path.MatchRoot("name")),
		datasourcevalidator.Conflicting(path.MatchRoot("cluster_id"), path.MatchRoot("type_name")),
	}
}

func (d *clusterDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to Read Cluster"
	var data clusterModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	project := data.ProjectID.ValueString()
	if data.Name.IsNull() {
		found, err := d.Client.Cluster(ctx, project, data.ClusterID.ValueString())
		if err != nil {
			resp.Diagnostics.Append(diagnostics.Failure(summary, err, Codes, ClusterCodes))
			return
		}
		data.fromAPI(*found)
	} else {
		clusters, err := d.Client.ListClusters(ctx, project)
		if err != nil {
			resp.Diagnostics.Append(diagnostics.Failure(summary, err, Codes))
			return
		}
		found, problem := chosenCluster(clusters.Results, data.Name, data.TypeName)
		if problem != "" {
			resp.Diagnostics.AddAttributeError(path.Root("name"), summary, problem)
			return
		}
		data.fromAPI(found)
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}
