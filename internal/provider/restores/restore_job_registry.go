package restores

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
)

// plannedRequest holds what a plan does with one request for a restore.
type plannedRequest struct {
	isNew    bool // a new resource sends it
	isStored bool // the state has its restore
}

// keptRestore is a restore that a plan keeps.
type keptRestore struct{ request string }

// addNew adds the request of a new resource. It reports whether a resource in the state has the
// same request.
func (r *restoreJobResource) addNew(m restoreJobModel) (isStored bool) {
	request, ok := m.request()
	return ok && connection.Shared[connection.Registry[string, plannedRequest]](r.Data).Plan(request, func(p *plannedRequest) { p.isNew = true }).isStored
}

// addStored adds the request of a restore in the state. It reports whether a new resource would
// send it again.
func (r *restoreJobResource) addStored(m restoreJobModel) (isRepeated bool) {
	request, ok := m.request()
	return ok && connection.Shared[connection.Registry[string, plannedRequest]](r.Data).Plan(request, func(p *plannedRequest) { p.isStored = true }).isNew
}

// addKept adds a restore that a plan keeps. It reports whether another resource keeps it with
// another request.
func (r *restoreJobResource) addKept(m restoreJobModel) (isOther bool) {
	request, ok := m.request()
	if !ok || m.ID.IsNull() {
		return false
	}
	before := connection.Shared[connection.Registry[string, keptRestore]](r.Data).Plan(m.ID.ValueString(), func(p *keptRestore) { p.request = request })
	return before.request != "" && before.request != request
}

// request returns a text that identifies the source, the delivery and the triggers of a
// restore. It returns false if one of these is not known yet.
func (m restoreJobModel) request() (text string, ok bool) {
	values := []attr.Value{
		m.ProjectID, m.ClusterID, m.SnapshotID, m.PointInTimeUTCMillis, m.OplogTs, m.OplogInc,
		m.TargetProjectID, m.TargetClusterID, m.MaxDownloads, m.Expires, m.ExpirationHours, m.Triggers,
	}
	values = append(values, slices.Collect(maps.Values(m.Triggers.Elements()))...)
	if slices.ContainsFunc(values, attr.Value.IsUnknown) {
		return "", false
	}
	if len(m.Triggers.Elements()) == 0 {
		m.Triggers = types.MapNull(types.StringType)
	}
	return strings.ToLower(fmt.Sprint(values[:11])) + m.Triggers.String(), true
}

// repeated is the error of a plan that would start a restore in the state again.
func (m restoreJobModel) repeated() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("triggers"), fmt.Sprintf("Restore of Cluster %s Would Be Repeated", m.ClusterID.ValueString()),
		"The Terraform state has this restore, and the plan would start it again. Only a change of triggers starts another restore.\n\n"+
			"To restore again, change triggers, without -replace or replace_triggered_by.\n\n"+
			"If the resource is tainted, run 'terraform untaint ADDRESS'.\n\n"+
			"If you renamed the resource, add a moved block.")
}

// belongsToAnother is the error of a resource that has the restore of another resource.
func (m restoreJobModel) belongsToAnother() diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Two Resources Have Restore %s", opsmanager.Sanitize(m.ID.ValueString())),
		"Two resources have this restore in the Terraform state, with different sources, targets or triggers. "+
			"The response to the request of one of them was lost, and the provider found the restore of the other one. "+
			"Check in Ops Manager which cluster was restored. For the other one, change triggers to start its restore, or run 'terraform state rm ADDRESS'.")
}
