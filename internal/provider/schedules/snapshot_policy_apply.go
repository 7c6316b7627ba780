package schedules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// policyWording is the wording of diagnostics about one cluster of a policy.
var policyWording = wording{"Unable to Update Snapshot Schedule", "The next plan shows the value that Ops Manager keeps.", diagnostics.Concurrent}

// apply changes the clusters whose line a plan changes, and returns all clusters with their
// new values. If some clusters fail, it still changes the others, and reports the failures in
// one error. The prior policy is nil if there is no state. It sets the unknown values of the
// plan.
func (r *snapshotPolicyResource) apply(ctx context.Context, planned, prior *snapshotPolicyModel, found fleet, diags *diag.Diagnostics) fleet {
	members := plannedMembers(r.Data, *planned, prior, found, diags)
	if planned.Clusters.IsUnknown() {
		planned.Clusters, planned.Skipped = linesOf(members), found.skipped()
	}
	wanted, shown := planned.Clusters.Elements(), map[string]attr.Value{}
	if prior != nil {
		shown = prior.Clusters.Elements()
	}
	var touched []plannedMember
	for _, m := range members {
		if line := wanted[m.ClusterID]; line != nil && !line.Equal(shown[m.ClusterID]) {
			m.diags = nil // the plan has shown these
			touched = append(touched, m)
		}
	}
	started := make([]bool, len(touched))
	forEach(ctx, len(touched), planned.concurrency(), func(i int) {
		started[i] = true
		touched[i].apply(ctx, r)
	})

	after := map[string]member{}
	var failed []memberFailure
	unchanged := 0
	for i := range touched {
		m := &touched[i]
		switch {
		case !started[i]:
			unchanged++
		case m.diags.HasError():
			failed = append(failed, memberFailure{m.member, failureText(m.diags)})
		}
		after[m.ClusterID] = m.member
		m.diags = m.diags.Warnings()
	}
	diags.Append(combined(touched)...)
	done := len(touched) - len(failed) - unchanged
	for id := range wanted {
		if _, ok := after[id]; !ok && !wanted[id].Equal(shown[id]) {
			failed = append(failed, memberFailure{member{ClusterID: id, Name: id}, "The cluster no longer exists, or can't have a schedule now. Plan again."})
		}
	}
	reportFailures(failed, done, unchanged, len(touched), diags)
	applied := slices.Clone(found)
	for i, m := range found {
		if changed, ok := after[m.ClusterID]; ok {
			applied[i] = changed
		}
	}
	return applied
}

// reportFailures reports how many of the changes have failed, have been made, or were not begun.
func reportFailures(failed []memberFailure, done, unchanged, all int, diags *diag.Diagnostics) {
	var texts []string
	if len(failed) > 0 {
		texts = append(texts, fmt.Sprintf("%d of %s failed:%s", len(failed), count(all, "change"), listed(failed)))
	}
	if unchanged > 0 {
		texts = append(texts, fmt.Sprintf("The run was interrupted before %s were changed.", count(unchanged, "more cluster")))
	}
	if len(texts) > 0 {
		left := "The next plan shows what is left."
		if done > 0 {
			left = "The other changes have been made. " + left
		}
		diags.AddError(policySummary, strings.Join(append(texts, left), "\n\n"))
	}
}

// apply changes one cluster.
func (m *plannedMember) apply(ctx context.Context, r *snapshotPolicyResource) {
	settled := &m.live
	if !m.isEmpty() {
		all := runs.Of(r.Data)
		done, err := all.Take(ctx, m.member.ClusterID)
		if err != nil {
			m.diags.AddError(policyWording.summary, diagnostics.Sentence(err))
			return
		}
		defer done()
		if m.readAt.IsZero() || !all.lastChange(m.member.ClusterID).at.Before(m.readAt) {
			now, err := m.reader(r.Data)(ctx)
			if err != nil {
				m.diags.Append(policyWording.failure(err))
				return
			}
			m.live = withLater(m.live, *now)
		}
		if settled = m.run(ctx, r.Data, policyWording, &m.diags); settled == nil {
			settled = &m.live
		}
	}
	if !m.diags.HasError() {
		settled = new(withLater(*settled, m.wanted))
		m.Unread = m.unread()
	}
	m.Stored = stored(*settled)
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
