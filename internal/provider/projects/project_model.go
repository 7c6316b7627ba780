// Package projects implements the data sources of projects and clusters. It also has what the
// nouns of other packages need that belong to them: the identity and the import of a resource that
// each cluster has one of, the clusters with a backup configuration, which backups a run starts, and
// the names of clusters in diagnostics.
package projects

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/text/unicode/norm"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// projectAttributes are the attributes of a project other than its ID and its name.
var projectAttributes = map[string]schema.Attribute{
	"org_id":            datasources.String("ID of the organization that the project belongs to."),
	"replica_set_count": datasources.Int64("Number of replica sets in the project, as counted by Ops Manager."),
	"shard_count":       datasources.Int64("Number of shards in the project, as counted by Ops Manager."),
	"tags":              datasources.Strings("Tags of the project."),
}

func projectFromAPI(p opsmanager.Project) map[string]attr.Value {
	return map[string]attr.Value{
		"name":              types.StringPointerValue(tfmodel.Normalized(p.Name)),
		"org_id":            types.StringPointerValue(p.OrgID),
		"replica_set_count": types.Int64PointerValue(p.ReplicaSetCount),
		"shard_count":       types.Int64PointerValue(p.ShardCount),
		"tags":              tfmodel.StringsFromAPI(p.Tags),
	}
}

// isNamed reports whether a project has a name, in any form of Unicode.
func isNamed(p opsmanager.Project, name string) bool {
	return p.Name != nil && norm.NFC.String(*p.Name) == norm.NFC.String(name)
}

// sortedProjects returns projects sorted by name and ID. Absent values come last.
func sortedProjects(projects []opsmanager.Project) []opsmanager.Project {
	slices.SortStableFunc(projects, func(a, b opsmanager.Project) int {
		return cmp.Or(
			tfmodel.CompareAbsentLast(tfmodel.Normalized(a.Name), tfmodel.Normalized(b.Name), cmp.Compare),
			tfmodel.CompareAbsentLast(a.ID, b.ID, cmp.Compare),
		)
	})
	return projects
}
