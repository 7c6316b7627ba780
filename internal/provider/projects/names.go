package projects

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// clusterLabels holds the clusters with their names, by ID, as this provider process has read them.
var clusterLabels connection.Shared[sync.Map]

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
	names := clusterLabels.Of(data)
	label, ok := names.Load(clusterID)
	if !ok {
		if isApply && diags.HasError() {
			return
		}
		cluster, err := data.Client.Cluster(ctx, projectID, clusterID)
		if err != nil || cluster.NameOrID() == nil {
			return
		}
		label = ClusterLabel(opsmanager.Sanitize(*cluster.NameOrID()), clusterID)
		names.Store(clusterID, label)
	}
	named := strings.NewReplacer("Cluster "+clusterID, fmt.Sprint("Cluster ", label), "cluster "+clusterID, fmt.Sprint("cluster ", label))
	for i, d := range *diags {
		(*diags)[i] = diagnostics.WithTexts(d, named.Replace(d.Summary()), named.Replace(d.Detail()))
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
