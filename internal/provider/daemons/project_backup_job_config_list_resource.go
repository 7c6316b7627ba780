package daemons

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// jobConfigList lists the job configurations for terraform query.
type jobConfigList struct{ jobConfigResource }

var _ list.ListResourceWithConfigure = (*jobConfigList)(nil)

// NewJobConfigList returns the list resource opsmanager_project_backup_job_config.
func NewJobConfigList() list.ListResource { return &jobConfigList{} }

func (l *jobConfigList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the backup job configurations of all projects that have one, sorted by project ID, without their KMIP certificates. " + listresources.Limit + "\n\n-> Requires the role `Global Backup Admin`.",
	}
}

func (l *jobConfigList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	const summary = "Unable to List Backup Job Configurations"
	var diags diag.Diagnostics
	if !l.Ready(summary, &diags) {
		listresources.Fail(stream, diags...)
		return
	}
	all, err := l.Client.ListJobConfigs(ctx)
	if err != nil {
		listresources.Fail(stream, diagnostics.Failure(summary, err))
		return
	}
	var found []listresources.Object
	for _, live := range sortedByProject(all.Results) {
		if !attributes.IsObjectID(live.ID) {
			continue // it can't be imported
		}
		identity := jobConfigIdentity{types.StringValue(strings.ToLower(live.ID))}
		found = append(found, listresources.Object{Name: live.ID, Identity: identity, Resource: jobConfigFilters.FromAPI(tfmodel.Values{"project_id": identity.ProjectID}, live)})
	}
	listresources.Stream(ctx, req, stream, found)
}
