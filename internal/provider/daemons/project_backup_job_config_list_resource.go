package daemons

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewJobConfigList returns the list resource opsmanager_project_backup_job_config.
var NewJobConfigList = listresources.List[opsmanager.JobConfig]{
	Name: "project_backup_job_config", Title: "Backup Job Configurations",
	Description: "Lists the backup job configurations of all projects that have one, sorted by project ID, without their KMIP certificates.",
	Requires:    "the role `Global Backup Admin`",
	Read: func(ctx context.Context, q listresources.Query) (*opsmanager.List[opsmanager.JobConfig], error) {
		all, err := q.Client.ListJobConfigs(ctx)
		if err == nil && len(all.Results) > 0 {
			_, _ = q.Client.ListProjects(ctx) // for their names
		}
		return all, err
	},
	Sort: func(all []opsmanager.JobConfig) []opsmanager.JobConfig {
		return tfmodel.Sorted(all, tfmodel.By(func(j opsmanager.JobConfig) *string { return &j.ID }))
	},
	Object: func(_ context.Context, q listresources.Query, live opsmanager.JobConfig) (*listresources.Object, diag.Diagnostic) {
		object := jobConfigType.Listed(live, live.ID)
		if object != nil {
			object.Name = cmp.Or(q.Client.NameOf(live.ID), live.ID)
			delete(object.Resource, kmipPath)
		}
		return object, nil
	},
}.Constructor()
