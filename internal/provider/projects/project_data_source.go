// Package projects implements the data sources of projects and clusters. It also has what the
// types of other packages need that belong to them: the identity and the import of a resource that
// each cluster has one of, the clusters with a backup configuration, which backups a run starts, and
// the names of clusters in diagnostics.
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
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewProjectDataSource returns the data source opsmanager_project.
var NewProjectDataSource = sources.DataSource{
	Name:    "project",
	Summary: unableToReadProject,
	Codes:   []tf.Codes{Codes, NameCodes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads one project by its name or its ID.\n\n" +
			"Names of projects are unique within an organization. If several organizations have a project with the same name, it is not documented which one Ops Manager returns: " +
			"check `org_id`, or use `project_id`.\n\n" +
			"-> Requires the role `Project Read Only`.",
		Attributes: sources.Merge(projectColumns.Attributes(), map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          tf.ObjectIDValidators(),
				MarkdownDescription: "ID of the project. Set either this or `name`.",
			},
			"name": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				Validators:          tf.PathSegmentValidators(),
				MarkdownDescription: "Exact name of the project. Set either this or `project_id`.",
			},
		}),
	},
	Validators: []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("project_id"), path.MatchRoot("name"))},
	Read: func(
		ctx context.Context, client *opsmanager.Client, config sources.Config, diags *diag.Diagnostics,
	) (map[string]attr.Value, error) {
		found, err := findProject(ctx, client, config)
		if err != nil {
			return nil, err
		}
		if !config["name"].IsNull() && found.Name != nil && !isNamed(*found, config.Text("name")) {
			// It is not documented whether the name is case-sensitive.
			diags.AddAttributeError(path.Root("name"), unableToReadProject,
				fmt.Sprintf("Ops Manager returned a different project: %q with ID %s. If that is the one you mean, set its exact name or its ID.", *found.Name, tf.OrDash(found.ID)))
		}
		values := projectColumns.Values(*found)
		values["project_id"] = types.StringPointerValue(found.ID)
		return values, nil
	},
}.Constructor()

const unableToReadProject = "Unable to Read Project"

// findProject returns the project with the configured ID or name.
func findProject(ctx context.Context, client *opsmanager.Client, config sources.Config) (*opsmanager.Project, error) {
	if config["name"].IsNull() {
		return client.Project(ctx, config.Text("project_id"))
	}
	name := config.Text("name")
	found, err := client.ProjectByName(ctx, name)
	if !opsmanager.IsMissing(err, opsmanager.ObjectProject) {
		return found, err
	}
	projects, listErr := opsmanager.Identified(client.ListProjects(ctx))
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
		cause := tf.Explain(err, NameCodes, tf.MissingForRead)
		err = tf.OnAttribute("name", unableToReadProject, "%s It has access to %s.", cause, Nearest(name, names, 10))
	}
	return nil, err
}

// projectColumns are the attributes of a project other than its ID.
var projectColumns = sources.Columns[opsmanager.Project]{
	sources.String("name", "Name of the project.", projectName),
	sources.String("org_id", "ID of the organization that the project belongs to.", func(p opsmanager.Project) *string { return p.OrgID }),
	sources.Int64("replica_set_count", "Number of replica sets in the project, as counted by Ops Manager.", func(p opsmanager.Project) *int64 { return p.ReplicaSetCount }),
	sources.Int64("shard_count", "Number of shards in the project, as counted by Ops Manager.", func(p opsmanager.Project) *int64 { return p.ShardCount }),
	sources.Strings("tags", "Tags of the project.", func(p opsmanager.Project) []string { return p.Tags }),
}

// projectName returns the name of a project in the form of Unicode that Terraform has.
func projectName(p opsmanager.Project) *string { return tf.Normalized(p.Name) }

// isNamed reports whether a project has a name, in any form of Unicode.
func isNamed(p opsmanager.Project, name string) bool {
	return p.Name != nil && norm.NFC.String(*p.Name) == norm.NFC.String(name)
}
