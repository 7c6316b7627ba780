package schedules

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
)

// clusterNames holds the names of clusters by ID, as this provider process has read them.
type clusterNames struct{ byID sync.Map }

// nameCluster adds the name of the cluster to its ID in diagnostics, if one of them has the ID in
// its summary. Those have summaries of their own because they are dangerous, and they are rare:
// reading the name costs a request. A failed apply sends none.
func (r *snapshotScheduleResource) nameCluster(ctx context.Context, schedule snapshotScheduleModel, isApply bool, diags *diag.Diagnostics) {
	id, names := schedule.ClusterID.ValueString(), &connection.Shared[clusterNames](r.Data).byID
	if r.Data == nil || r.Client == nil || id == "" || !mentions(*diags, id) {
		return
	}
	name, ok := names.Load(id)
	if !ok {
		if isApply && diags.HasError() {
			return
		}
		cluster, err := r.Client.Cluster(ctx, schedule.ProjectID.ValueString(), id)
		if err != nil || cluster.NameOrID() == nil {
			return
		}
		name = member{ClusterID: id, Name: opsmanager.Sanitize(*cluster.NameOrID())}.String()
		names.Store(id, name)
	}
	named := strings.NewReplacer("Cluster "+id, fmt.Sprint("Cluster ", name), "cluster "+id, fmt.Sprint("cluster ", name))
	for i, d := range *diags {
		(*diags)[i] = withTexts(d, named.Replace(d.Summary()), named.Replace(d.Detail()))
	}
}

// mentions reports whether a summary has an ID, or a guarded value is refused.
func mentions(diags diag.Diagnostics, id string) bool {
	for _, d := range diags {
		if strings.Contains(d.Summary(), id) || d.Severity() == diag.SeverityError && strings.Contains(d.Detail(), "cluster "+id) {
			return true
		}
	}
	return false
}

// withTexts returns a diagnostic with another summary and detail.
func withTexts(of diag.Diagnostic, summary, detail string) diag.Diagnostic {
	at, hasPath := of.(diag.DiagnosticWithPath)
	switch isError := of.Severity() == diag.SeverityError; {
	case isError && hasPath:
		return diag.NewAttributeErrorDiagnostic(at.Path(), summary, detail)
	case isError:
		return diag.NewErrorDiagnostic(summary, detail)
	case hasPath:
		return diag.NewAttributeWarningDiagnostic(at.Path(), summary, detail)
	}
	return diag.NewWarningDiagnostic(summary, detail)
}
