package projects

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// NewProjectDataSource returns the data source opsmanager_project.
var NewProjectDataSource = datasources.DataSource{
	Name: "project", Summary: unableToReadProject, Codes: []diagnostics.Codes{Codes, NameCodes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads one project by its name or its ID.\n\n" +
			"Names of projects are unique within an organization. If several organizations have a project with the same name, it is not documented which one Ops Manager returns: " +
			"check `org_id`, or use `project_id`.\n\n" +
			"-> Requires the role `Project Read Only`.",
		Attributes: datasources.Merge(projectColumns.Attributes(), map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				Optional: true, Computed: true, Validators: attributes.ObjectIDValidators(),
				MarkdownDescription: "ID of the project. Set either this or `name`.",
			},
			"name": schema.StringAttribute{
				Optional: true, Computed: true, Validators: attributes.PathSegmentValidators(),
				MarkdownDescription: "Exact name of the project. Set either this or `project_id`.",
			},
		}),
	},
	Validators: []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("project_id"), path.MatchRoot("name"))},
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config, diags *diag.Diagnostics) (map[string]attr.Value, error) {
		found, err := findProject(ctx, client, config)
		if err != nil {
			return nil, err
		}
		if !config["name"].IsNull() && found.Name != nil && !isNamed(*found, config.Text("name")) {
			// It is not documented whether the name is case-sensitive.
			diags.AddAttributeError(path.Root("name"), unableToReadProject,
				fmt.Sprintf("Ops Manager returned a different project: %q with ID %s. If that is the one you mean, set its exact name or its ID.", *found.Name, diagnostics.OrDash(found.ID)))
		}
		values := projectColumns.Values(*found)
		values["project_id"] = types.StringPointerValue(found.ID)
		return values, nil
	},
}.Constructor()

const unableToReadProject = "Unable to Read Project"

// findProject returns the project with the configured ID or name.
func findProject(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.Project, error) {
	if config["name"].IsNull() {
		return client.Project(ctx, config.Text("project_id"))
	}
	name := config.Text("name")
	found, err := client.ProjectByName(ctx, name)
	if !opsmanager.IsGone(err) {
		return found, err
	}
	projects, listErr := client.ListProjects(ctx)
	if listErr != nil {
		return nil, err
	}
	var names []string
	for _, p := range projects.Results {
		// Terraform composes letters and accents. Ops Manager finds a name only in the form
		// in which it is stored.
		if isNamed(p, name) && norm.NFD.String(name) != norm.NFC.String(name) {
			return &p, nil
		}
		if p.Name != nil {
			names = append(names, *projectName(p))
		}
	}
	if len(names) > 0 {
		err = diagnostics.OnAttribute("name", unableToReadProject, "%s It has access to %s.", diagnostics.Explain(err, NameCodes), nearest(name, names))
	}
	return nil, err
}
