// Package projects implements the data sources of projects and clusters. It also has what the
// types of other packages need that belong to them: the identity and the import of a resource that
// each cluster has one of, the clusters with a backup configuration, which backups a run starts, and
// the names of clusters in diagnostics.
package projects

import (
	"golang.org/x/text/unicode/norm"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// projectColumns are the attributes of a project other than its ID.
var projectColumns = datasources.Columns[opsmanager.Project]{
	datasources.String("name", "Name of the project.", projectName),
	datasources.String("org_id", "ID of the organization that the project belongs to.", func(p opsmanager.Project) *string { return p.OrgID }),
	datasources.Int64("replica_set_count", "Number of replica sets in the project, as counted by Ops Manager.", func(p opsmanager.Project) *int64 { return p.ReplicaSetCount }),
	datasources.Int64("shard_count", "Number of shards in the project, as counted by Ops Manager.", func(p opsmanager.Project) *int64 { return p.ShardCount }),
	datasources.Strings("tags", "Tags of the project.", func(p opsmanager.Project) []string { return p.Tags }),
}

// projectName returns the name of a project in the form of Unicode that Terraform has.
func projectName(p opsmanager.Project) *string { return tfmodel.Normalized(p.Name) }

// isNamed reports whether a project has a name, in any form of Unicode.
func isNamed(p opsmanager.Project, name string) bool {
	return p.Name != nil && norm.NFC.String(*p.Name) == norm.NFC.String(name)
}
