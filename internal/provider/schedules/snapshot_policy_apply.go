package schedules

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// policyWording is the wording of diagnostics about one cluster of a policy.
var policyWording = wording{"Unable to Update Snapshot Schedule", "The next plan shows the value that Ops Manager keeps.", diagnostics.Concurrent}

// apply changes the clusters of a fleet as planned, and stores their new values in it. If some fail, it still
// changes the others, and reports the failures in one error. It sets the lines of the failed ones to what they have,
// and the unknown values of the plan.
func (m *snapshotPolicyModel) apply(ctx context.Context, members []plannedMember, found fleet, diags *diag.Diagnostics) {
	begun, lines := make([]bool, len(members)), maps.Clone(m.Clusters.Elements())
	forEach(ctx, len(members), m.concurrency(), func(i int) {
		begun[i] = true
		promised, _ := lines[members[i].ClusterID].(types.String)
		members[i].apply(ctx, promised)
	})
	var failed []finding
	done, left := 0, 0
	for i := range members {
		one := &members[i]
		isLeft := !begun[i] && one.Skipped == "" && (one.adopts || !one.isEmpty())
		switch {
		case one.diags.HasError():
			failed = append(failed, finding{*one.member, failureText(one.diags)})
		case isLeft:
			left++
		case !one.isEmpty():
			done++
		}
		if one.diags.HasError() || isLeft || lines[one.ClusterID].IsUnknown() {
			lines[one.ClusterID] = types.StringValue(one.liveLine(*m))
		}
		one.diags = one.diags.Warnings()
	}
	m.Clusters = types.MapValueMust(types.StringType, lines)
	if m.Skipped.IsUnknown() {
		m.Skipped = found.skipped()
	}
	diags.Append(found.folded()...)
	reportFailures(failed, done, left, diags)
}

// reportFailures reports how many of the changes have failed, have been made, or were not begun.
func reportFailures(failed []finding, done, left int, diags *diag.Diagnostics) {
	var texts []string
	if len(failed) > 0 {
		texts = append(texts, fmt.Sprintf("%d of %s failed:\n\n%s", len(failed), count(len(failed)+done+left, "change"), grouped(failed)))
	}
	if left > 0 {
		texts = append(texts, fmt.Sprintf("The run was interrupted before it changed %s.", count(left, "more cluster")))
	}
	if len(texts) == 0 {
		return
	}
	next := "The next plan shows what is left."
	if done > 0 {
		next = "The other changes have been made. " + next
	}
	diags.AddError(policySummary, strings.Join(append(texts, next), "\n\n"))
}

// apply changes one cluster, whose line the plan has promised.
func (m *plannedMember) apply(ctx context.Context, promised types.String) {
	if m.Skipped != "" && !promised.IsUnknown() && promised.ValueString() != m.liveLine(*m.policy) {
		m.diags.AddError(policyWording.summary, "The cluster no longer exists, or can't have a schedule now: "+m.Skipped+". Plan again.")
	}
	if m.Skipped != "" || !m.adopts && m.isEmpty() {
		return
	}
	defer m.begin(ctx, &m.diags)()
	if m.adopts && !m.diags.HasError() {
		m.adopt(promised)
	}
	if m.isEmpty() || m.diags.HasError() {
		return
	}
	if settled := m.run(ctx, &m.diags); settled != nil {
		m.live = *settled
	}
	if m.Stored = storedSchedule(m.after); m.diags.HasError() { // else as the line shows it, so that the next refresh sees drift
		m.Stored = storedSchedule(m.live)
	}
}

// adopt plans the change of a live schedule, and adds an error if the plan has shown another one. The
// framework passes nothing but its values from the plan of a creation, and the line is one of them. A cluster
// that had no schedule is left alone unless this run has started its backup.
func (m *plannedMember) adopt(promised types.String) {
	m.Stored = storedSchedule(m.live)
	m.planChange()
	isUnread := slices.ContainsFunc(differences(scheduleOf(m.configured), m.live), func(d tfmodel.Difference) bool { return d.Held == "" && m.isKept(d) })
	switch {
	case m.isEmpty() && !isUnread, m.line == promised.ValueString(), m.isNew() && promised.IsUnknown():
	case promised.IsUnknown():
		m.wanted = opsmanager.SnapshotSchedule{}
	default:
		m.diags.AddError(policyWording.summary, fmt.Sprintf("The schedule changed since the plan, which showed %q. It would be %q now. The provider did not overwrite that. Plan again.", promised.ValueString(), m.line))
	}
}

// failureText returns the errors of one cluster as a text.
func failureText(diags diag.Diagnostics) string {
	var texts []string
	for _, d := range diags.Errors() {
		text := strings.TrimPrefix(d.Summary()+". "+d.Detail(), policyWording.summary+". ")
		if at, ok := d.(diag.DiagnosticWithPath); ok && !at.Path().Equal(path.Root("cluster_id")) && !at.Path().Equal(path.Root("project_id")) {
			text = at.Path().String() + ": " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}
