package projects

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewProjectsDataSource returns the data source opsmanager_projects.
var NewProjectsDataSource = datasources.List[opsmanager.Project]{
	Name: "projects", Title: "Projects",
	Description: "Reads all projects in which the API key has a role.\n\n" +
		"Use `opsmanager_project` to read one project by its name. Names of projects are unique within an organization.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Every page of the list is read. Values that Ops Manager does not return are null. A project without an ID produces a warning.",
	Attributes: map[string]schema.Attribute{
		"ids_by_name": datasources.IDsByName("IDs of the projects in `results`, by name. A name that several of them have is left out with a warning. Projects without an ID or a name are left out too. " +
			"`terraform test` can mock this map, but not a list of objects such as `results`."),
	},
	Results: "The projects, sorted by `name`, then by `id`.",
	Items: datasources.NewObject(datasources.Merge(projectAttributes, map[string]schema.Attribute{
		"id":   datasources.String("ID of the project, which other data sources and resources call `project_id` or `group_id`."),
		"name": datasources.String("Name of the project."),
	}), func(p opsmanager.Project) map[string]attr.Value {
		values := projectFromAPI(p)
		values["id"] = types.StringPointerValue(tfmodel.NonEmpty(p.ID))
		return values
	}),
	Read: func(ctx context.Context, client *opsmanager.Client, _ datasources.Config) (*opsmanager.List[opsmanager.Project], error) {
		return client.ListProjects(ctx)
	},
	Sort: sortedProjects,
	Noun: "project", IDAttribute: "id",
	Identify: func(p opsmanager.Project) (id, label *string) { return p.ID, p.Name },
	ByName:   func(p opsmanager.Project) (id, name *string) { return p.ID, tfmodel.Normalized(p.Name) },
}.Constructor()
