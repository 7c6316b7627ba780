package projects

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// names holds the names of clusters and projects, by ID, as this provider process has read them.
var names connection.Shared[sync.Map]

// ClusterLabel returns the name of a cluster with its ID, as diagnostics have it.
func ClusterLabel(name, id string) string {
	if name == id {
		return id
	}
	return fmt.Sprintf("%s (%s)", name, id)
}

// NameCluster adds the name of a cluster to its ID in diagnostics, if one of them has the ID in its
// summary. Those have summaries of their own because they are dangerous, and they are rare: reading
// the name costs a request. A failed apply sends none.
func NameCluster(ctx context.Context, data *connection.Data, projectID, clusterID string, isApply bool, diags *diag.Diagnostics) {
	if data == nil || data.Client == nil || clusterID == "" || !mentions(*diags, clusterID) {
		return
	}
	name, ok := names.Of(data).Load(clusterID)
	if !ok {
		if isApply && diags.HasError() {
			return
		}
		cluster, err := data.Client.Cluster(ctx, projectID, clusterID)
		if err != nil || cluster.NameOrID() == nil {
			return
		}
		name = opsmanager.Sanitize(*cluster.NameOrID())
		names.Of(data).Store(clusterID, name)
	}
	replace(*diags, "cluster", clusterID, ClusterLabel(fmt.Sprint(name), clusterID))
}

// NameProject does the same for a project.
func NameProject(ctx context.Context, data *connection.Data, projectID string, isApply bool, diags *diag.Diagnostics) {
	isNamed := func(d diag.Diagnostic) bool { return strings.Contains(d.Summary(), "Project "+projectID) }
	if data == nil || data.Client == nil || projectID == "" || !slices.ContainsFunc(*diags, isNamed) || isApply && diags.HasError() {
		return
	}
	if name := NameOf(ctx, data, projectID); name != "" {
		replace(*diags, "project", projectID, fmt.Sprintf("%s (%s)", name, projectID))
	}
}

// NameOf returns the name of a project, or an empty text if it can't be read.
func NameOf(ctx context.Context, data *connection.Data, projectID string) string {
	if name, ok := names.Of(data).Load(projectID); ok {
		return fmt.Sprint(name)
	}
	project, err := data.Client.Project(ctx, projectID)
	if err != nil || project.Name == nil {
		return ""
	}
	name := opsmanager.Sanitize(*project.Name)
	names.Of(data).Store(projectID, name)
	return name
}

// replace replaces the ID of an object in diagnostics.
func replace(diags diag.Diagnostics, kind, id, label string) {
	title := strings.ToUpper(kind[:1]) + kind[1:]
	named := strings.NewReplacer(title+" "+id, title+" "+label, kind+" "+id, kind+" "+label)
	for i, d := range diags {
		diags[i] = diagnostics.WithTexts(d, named.Replace(d.Summary()), named.Replace(d.Detail()))
	}
}

// mentions reports whether a summary, or the detail of an error, has an ID.
func mentions(diags diag.Diagnostics, id string) bool {
	for _, d := range diags {
		if strings.Contains(d.Summary(), id) || d.Severity() == diag.SeverityError && strings.Contains(d.Detail(), "cluster "+id) {
			return true
		}
	}
	return false
}
