package projects

import (
	"context"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewProjectsDataSource returns the data source opsmanager_projects.
var NewProjectsDataSource = sources.List[opsmanager.Project]{
	Name:  "projects",
	Title: "Projects",
	Description: "Reads all projects in which the API key has a role.\n\n" +
		"Use `opsmanager_project` to read one project by its name. Names of projects are unique within an organization.\n\n" +
		"-> Requires the role `Project Read Only`.",
	Results: "The projects, sorted by `name`, then by `id`.",
	Items:   projectColumns.And(sources.ID("id", "ID of the project, elsewhere called `project_id`.", func(p opsmanager.Project) *string { return p.ID })),
	Read: func(ctx context.Context, client *opsmanager.Client, _ sources.Config) (*opsmanager.List[opsmanager.Project], error) {
		return client.ListProjects(ctx)
	},
	Sort: func(projects []opsmanager.Project) []opsmanager.Project {
		return tf.Sorted(projects, tf.By(projectName), tf.By(func(p opsmanager.Project) *string { return p.ID }))
	},
	Singular:    "project",
	IDAttribute: "id",
	Identify:    func(p opsmanager.Project) (id, label *string) { return p.ID, p.Name },
	ByName: sources.ByName[opsmanager.Project]{
		Attribute:   "ids_by_name",
		Description: "IDs of the projects in `results`, by name. A name that several of them have is left out with a warning.",
		Of:          func(p opsmanager.Project) (id, name *string) { return p.ID, projectName(p) },
	},
}.Constructor()
