package backups

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type clusterSnapshotsDataSource struct{ connection.DataSource }

var _ datasource.DataSourceWithConfigure = (*clusterSnapshotsDataSource)(nil)

// NewClusterSnapshotsDataSource returns the data source opsmanager_cluster_snapshots.
func NewClusterSnapshotsDataSource() datasource.DataSource { return &clusterSnapshotsDataSource{} }

func (d *clusterSnapshotsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster_snapshots"
}

func (d *clusterSnapshotsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	results := snapshotAttributes()
	results["is_possibly_inconsistent"] = tfmodel.ComputedBool("Whether the snapshot of a sharded cluster may be inconsistent, because its balancer could not be stopped. Null of a replica set.")
	results["missing_shards"] = tfmodel.ComputedObjects("Parts of a sharded cluster that are not in the snapshot; empty where all are. Null of a replica set.", projects.ClusterType, projects.ListedClusterAttributes())
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the snapshots of a replica set or of a whole sharded cluster, and changes nothing. A cluster that was never backed up has none.\n\n" +
			"What the service leaves out is null, and undocumented values are shown as they are.",
		Attributes: map[string]schema.Attribute{
			"project_id": projects.IDAttribute(),
			"cluster_id": projects.ClusterIDAttribute("Id of the replica set, or of the whole sharded cluster"),
			"completed": schema.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.OneOf("true", "false", "all")},
				MarkdownDescription: "Which snapshots to read: `true` for those that are complete, `false` for those that are being taken, `all` for both. " +
					"Default: not sent, which Ops Manager takes for `true`. Old versions know no other.",
			},
			"max_results": schema.Int64Attribute{
				Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "How many snapshots to show at most, `1` or more. No page is read after those that hold so many; a page holds at least `100`. " +
					"Shown are the newest **of those that were read**: Ops Manager documents no order of its list. " +
					"Where there are more, and those that were read did not come newest first, a warning says that newer ones may exist. Default: all.",
			},
			"results":     tfmodel.ComputedObjects("The snapshots, newest first.", clusterSnapshotType, results),
			"total_count": tfmodel.ComputedInt64("How many snapshots there are of those that `completed` selects, on the service's count. Null where the service does not count."),
		},
	}
}

// The attribute for the parameter that old versions refuse.
var clusterSnapshotParameters = map[string]string{"completed": "completed"}

func (d *clusterSnapshotsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to List Cluster Snapshots"
	var data clusterSnapshotsModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	cluster, most := data.ClusterID.ValueString(), data.MaxResults.ValueInt64()
	list, err := d.Client.ListClusterSnapshots(ctx, data.ProjectID.ValueString(), cluster,
		opsmanager.SnapshotFilter{Completed: data.Completed.ValueString(), StopAfter: most})
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, projects.Codes, projects.ClusterCodes, clusterSnapshotParameters))
		return
	}
	if newerMayBeMissed(list) {
		resp.Diagnostics.AddAttributeWarning(path.Root("max_results"), fmt.Sprintf("Newer Snapshots of Cluster %s May Exist", cluster),
			fmt.Sprintf("max_results = %d stopped the reading after %d snapshots. There are more, and this service does not list them newest first. Remove max_results to read all of them.", most, len(list.Results)))
	}
	data.Results = clusterSnapshotsFromAPI(list.Results, most)
	data.TotalCount = types.Int64PointerValue(list.TotalCount)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}
