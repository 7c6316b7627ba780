package projects

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// ClusterLabel returns the name of a cluster with its ID, as diagnostics have it.
func ClusterLabel(name, id string) string {
	if name == id {
		return id
	}
	return fmt.Sprintf("%s (%s)", name, id)
}

// NameKnown adds the names of clusters and projects to their IDs in diagnostics, as far as this provider process
// has read them.
func NameKnown(data *connection.Data, diags *diag.Diagnostics) {
	if data != nil && data.Client != nil {
		diagnostics.Name(*diags, data.Client.NameOf)
	}
}

// NameCluster does that, and reads the name of a cluster if one of them has its ID in its
// summary. Those have summaries of their own because they are dangerous, and they are rare: reading
// the name costs a request. A failed apply sends none.
func NameCluster(ctx context.Context, data *connection.Data, projectID, clusterID string, isApply bool, diags *diag.Diagnostics) {
	if mayRead(data, isApply, *diags) && clusterID != "" && mentions(*diags, clusterID) {
		LearnName(ctx, data, projectID, clusterID)
	}
	NameKnown(data, diags)
}

// LearnName reads the name of a cluster for the diagnostics that follow, unless it is known. It waits no longer for
// a server that can't be reached than a name is worth.
func LearnName(ctx context.Context, data *connection.Data, projectID, clusterID string) {
	if data.Client.NameOf(clusterID) == "" {
		ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		_, _ = data.Client.Cluster(ctx, projectID, clusterID)
	}
}

// NameProject does the same for a project.
func NameProject(ctx context.Context, data *connection.Data, projectID string, isApply bool, diags *diag.Diagnostics) {
	isNamed := func(d diag.Diagnostic) bool { return strings.Contains(d.Summary(), "Project "+projectID) }
	if mayRead(data, isApply, *diags) && projectID != "" && slices.ContainsFunc(*diags, isNamed) {
		NameOf(ctx, data, projectID)
	}
	NameKnown(data, diags)
}

func mayRead(data *connection.Data, isApply bool, diags diag.Diagnostics) bool {
	return data != nil && data.Client != nil && (!isApply || !diags.HasError())
}

// NameOf returns the name of a project, or an empty text if it can't be read.
func NameOf(ctx context.Context, data *connection.Data, projectID string) string {
	if data.Client.NameOf(projectID) == "" {
		_, _ = data.Client.Project(ctx, projectID)
	}
	return data.Client.NameOf(projectID)
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

// Nearest returns some names, those that are most like a misspelled one first, and how many more there are.
func Nearest(to string, names []string, most int) string {
	distances := map[string]int{}
	for _, name := range names {
		distances[name] = distance(strings.ToLower(to), strings.ToLower(name))
	}
	sorted := slices.SortedFunc(maps.Keys(distances), func(a, b string) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), strings.Compare(a, b))
	})
	for i, name := range sorted {
		sorted[i] = strconv.Quote(name)
	}
	return strings.Join(diagnostics.First(sorted, most), ", ")
}

// Misspelled returns the name that another one is like, but not equal to, or "". One that is a part of the other
// may have a meaning of its own.
func Misspelled(name string, known []string) string {
	i := slices.IndexFunc(known, func(one string) bool { return distance(name, one) <= 2 })
	if i < 0 || strings.Contains(known[i], name) {
		return ""
	}
	return known[i]
}

// distance returns the number of characters to insert, delete or replace in one text to get another one.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal, row[j+1] = row[j+1], min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
