package projects

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewClusterDataSource returns the data source opsmanager_cluster.
var NewClusterDataSource = sources.DataSource{
	Name:    "cluster",
	Summary: unableToReadCluster,
	Codes:   []tf.Codes{Codes, ClusterCodes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads one cluster of a project by its name or its ID.\n\n" +
			"The shards and config servers of a sharded cluster have the name of their cluster, which stands for the whole cluster, the only one with a snapshot schedule that you can change. " +
			"A name that several whole clusters have is an error that lists them.\n\n" +
			"-> Requires the role `Project Read Only`.",
		Attributes: sources.Merge(partColumns.Attributes(), map[string]schema.Attribute{
			"project_id": IDAttribute(),
			"cluster_id": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          tf.ObjectIDValidators(),
				MarkdownDescription: "ID of the cluster. Set either this or `name`.",
			},
			"name": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				MarkdownDescription: "Exact name of the cluster, which can be changed in Ops Manager. Set either this or `cluster_id`. " + namelessClusters,
			},
			"type_name": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				MarkdownDescription: clusterTypes + " Set it with `name` to choose a shard or config servers.",
			},
			"last_heartbeat": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Time when Ops Manager last received data from the cluster, ISO 8601 in UTC.",
			},
		}),
	},
	Validators: []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("cluster_id"), path.MatchRoot("name")),
		datasourcevalidator.Conflicting(path.MatchRoot("cluster_id"), path.MatchRoot("type_name")),
	},
	Read: func(
		ctx context.Context, client *opsmanager.Client, config sources.Config, diags *diag.Diagnostics,
	) (map[string]attr.Value, error) {
		found, err := findCluster(ctx, client, config, diags)
		if found == nil {
			return nil, err
		}
		values := clusterColumns.Values(*found)
		values["last_heartbeat"] = types.StringPointerValue(found.LastHeartbeat)
		return values, nil
	},
}.Constructor()

const unableToReadCluster = "Unable to Read Cluster"

// findCluster returns the cluster with the configured ID or name. If the name stands for
// no cluster or for several, it adds an error and returns nil.
func findCluster(
	ctx context.Context, client *opsmanager.Client, config sources.Config, diags *diag.Diagnostics,
) (*opsmanager.Cluster, error) {
	project := config.Text("project_id")
	if config["name"].IsNull() {
		return client.Cluster(ctx, project, config.Text("cluster_id"))
	}
	clusters, err := opsmanager.Identified(client.ListClusters(ctx, project))
	if err != nil {
		return nil, err
	}
	found, problem := chosenCluster(clusters.Results, tf.As[types.String](config, "name"), tf.As[types.String](config, "type_name"))
	if problem != "" {
		diags.AddAttributeError(path.Root("name"), unableToReadCluster, problem)
	}
	return found, nil
}
