package daemons

import (
	"cmp"
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// jobConfigIdentity identifies the job configuration of a project.
type jobConfigIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
}

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
		if !attributes.IsObjectID(live.ID) {
			return nil, nil // it can't be imported
		}
		identity := jobConfigIdentity{types.StringValue(strings.ToLower(live.ID))}
		return &listresources.Object{Name: cmp.Or(q.Client.NameOf(live.ID), live.ID), Identity: identity, Resource: jobConfigFilters.FromAPI(tfmodel.ValuesOf(identity), live)}, nil
	},
}.Constructor()
