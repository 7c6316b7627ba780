package projects

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"golang.org/x/text/unicode/norm"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type projectDataSource struct{ connection.DataSource }

var (
	_ datasource.DataSourceWithConfigure        = (*projectDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*projectDataSource)(nil)
)

// NewProjectDataSource returns the data source opsmanager_project.
func NewProjectDataSource() datasource.DataSource { return &projectDataSource{} }

func (d *projectDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project"
}

func (d *projectDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one project (group) by its name or by its id, and changes nothing.\n\n" +
			"Names of projects are unique within an organization. Which project Ops Manager answers with where several organizations have one of that name is not documented: " +
			"check `org_id` then, or use `project_id`. What the service leaves out is null.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				Optional: true, Computed: true, Validators: connection.ObjectIDValidators(),
				MarkdownDescription: "Id of the project (group): 24 hexadecimal digits. Either this or `name` is configured; the other one is shown.",
			},
			"name": schema.StringAttribute{
				Optional: true, Computed: true, Validators: connection.PathSegmentValidators(),
				MarkdownDescription: "Name of the project, as it is spelled, not empty. Either this or `project_id` is configured; the other one is shown.",
			},
			"org_id":            tfmodel.ComputedString("Id of the organization that the project belongs to."),
			"replica_set_count": tfmodel.ComputedInt64("How many replica sets the project has, on the service's count."),
			"shard_count":       tfmodel.ComputedInt64("How many shards the project has, on the service's count."),
			"tags":              tfmodel.ComputedStrings("Tags of the project."),
			"links":             tfmodel.LinksAttribute("the project"),
		},
	}
}

func (d *projectDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("project_id"), path.MatchRoot("name"))}
}

func (d *projectDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	const summary = "Unable to Read Project"
	var data projectModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &data)...)
	if resp.Diagnostics.HasError() || !d.Ready(summary, &resp.Diagnostics) {
		return
	}
	found, err := d.find(ctx, data)
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, Codes, map[string]string{"GROUP_NAME_NOT_FOUND": "name"}))
		return
	}
	if !data.Name.IsNull() && found.Name != nil && !isNamed(*found, data.Name.ValueString()) {
		// Whether the service goes by the exact name is not documented.
		resp.Diagnostics.AddAttributeError(path.Root("name"), summary,
			fmt.Sprintf("The service answered with another project: %q, id %s. Configure its name as it is spelled, or its id, if that is the one you mean.", *found.Name, diagnostics.OrDash(found.ID)))
		return
	}
	data.fromAPI(*found)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, data)...)
}

func (d *projectDataSource) find(ctx context.Context, wanted projectModel) (*opsmanager.Project, error) {
	if wanted.Name.IsNull() {
		return d.Client.Project(ctx, wanted.ProjectID.ValueString())
	}
	name := wanted.Name.ValueString()
	found, err := d.Client.ProjectByName(ctx, name)
	if !opsmanager.IsGone(err) || norm.NFD.String(name) == norm.NFC.String(name) {
		return found, err
	}
	// Terraform composes the letters and accents of a name. Ops Manager may hold
	// them apart, and goes by what it holds.
	projects, listErr := d.Client.ListProjects(ctx)
	if listErr != nil {
		return nil, err
	}
	i := slices.IndexFunc(projects.Results, func(p opsmanager.Project) bool { return isNamed(p, name) })
	if i < 0 {
		return nil, err
	}
	return &projects.Results[i], nil
}

// isNamed says whether a project has a name, in any form of Unicode.
func isNamed(p opsmanager.Project, name string) bool {
	return p.Name != nil && norm.NFC.String(*p.Name) == norm.NFC.String(name)
}
