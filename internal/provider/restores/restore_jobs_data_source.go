package restores

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// NewRestoreJobsDataSource returns the data source opsmanager_restore_jobs.
var NewRestoreJobsDataSource = datasources.List[opsmanager.RestoreJob]{
	Name: "restore_jobs", Title: "Restore Jobs",
	Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes},
	Description: "Reads the restore jobs of a cluster: the restores of its snapshots, including those into other clusters.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Every page of the list is read, unless you select one. Ops Manager does not document how long it keeps restore jobs, nor the order of its pages, so one page may not contain the newest jobs. " +
		"Values that Ops Manager does not return are null. Undocumented values are exported as they are.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or the whole sharded cluster whose backup was restored"),
		"batch_id": schema.StringAttribute{
			Optional: true, Validators: attributes.ObjectIDValidators(),
			MarkdownDescription: "ID of a batch, to read only its jobs: 24 hexadecimal digits. If unset, all jobs of the cluster are read.",
		},
	},
	Paged:   true,
	Results: "The restore jobs, sorted from the newest to the oldest.",
	Items:   job,
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.RestoreJob], error) {
		return client.ListRestoreJobs(ctx, config.String("project_id").ValueString(), config.String("cluster_id").ValueString(), config.String("batch_id").ValueString(), config.Page())
	},
	Sort: newestFirst,
}.Constructor()
