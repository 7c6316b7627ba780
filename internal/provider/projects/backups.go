package projects

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// QuerySchema returns the schema of a list resource for objects that each cluster of a
// project has one of.
func QuerySchema(description string) schema.Schema {
	return schema.Schema{
		MarkdownDescription: description + " " + listresources.Limit + "\n\n-> Requires the role `Project Read Only`.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				Required: true, Validators: attributes.ObjectIDValidators(),
				MarkdownDescription: "ID of the project (group): 24 hexadecimal digits.",
			},
		},
	}
}

// QueryBackups returns the ID of the project that a query is for, and the clusters of
// that project that have a backup configuration. The summary is that of an error.
func QueryBackups(ctx context.Context, data *connection.Data, req list.ListRequest, summary string) (projectID string, backups []Backup, diags diag.Diagnostics) {
	var config struct {
		ProjectID types.String `tfsdk:"project_id"`
	}
	diags = tfmodel.Read(ctx, req.Config, &config)
	if diags.HasError() || !data.Ready(summary, &diags) {
		return "", nil, diags
	}
	projectID = strings.ToLower(config.ProjectID.ValueString()) // as Ops Manager returns it
	backups, err := listBackups(ctx, data.Client, projectID)
	if err != nil {
		diags.Append(diagnostics.Failure(summary, err, Codes))
	}
	return projectID, backups, diags
}

// Backup is a whole cluster with its backup configuration.
type Backup struct {
	Cluster opsmanager.Cluster       // which has an ID
	Config  *opsmanager.BackupConfig // nil if the cluster has none
}

// listBackups lists the replica sets and the sharded clusters of a project that have a
// backup configuration, sorted by name. The backup of a shard, or of config servers, is
// managed with that of its cluster.
func listBackups(ctx context.Context, client *opsmanager.Client, projectID string) ([]Backup, error) {
	backups, err := ListWhole(ctx, client, projectID)
	return slices.DeleteFunc(backups, func(b Backup) bool { return b.Config == nil }), err
}

// ListWhole lists the replica sets and the sharded clusters of a project, sorted by name. A
// cluster without an ID is left out.
func ListWhole(ctx context.Context, client *opsmanager.Client, projectID string) ([]Backup, error) {
	clusters, err := client.ListClusters(ctx, projectID)
	if err != nil {
		return nil, err
	}
	configs, err := client.ListBackupConfigs(ctx, projectID, opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	byCluster := map[string]*opsmanager.BackupConfig{}
	for i, config := range configs.Results {
		if config.ClusterID != nil {
			byCluster[*config.ClusterID] = &configs.Results[i]
		}
	}
	isWhole := opsmanager.WholeClusters(clusters.Results)
	var found []Backup
	for _, cluster := range sortedClusters(clusters.Results) {
		if id := tfmodel.NonEmpty(cluster.ID); id != nil && isWhole(cluster) {
			found = append(found, Backup{cluster, byCluster[*id]})
		}
	}
	return found, nil
}
