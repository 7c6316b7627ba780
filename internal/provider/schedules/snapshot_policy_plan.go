package schedules

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// ModifyPlan plans the line of each selected cluster, and warns about values that the apply
// overwrites. It uses what the refresh has read. If there is no state, or the selection may add
// clusters, or lists a new ID that the refresh has not found, it reads the clusters itself.
func (r *snapshotPolicyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var planned snapshotPolicyModel
	var prior *snapshotPolicyModel
	if !req.State.Raw.IsNull() {
		prior = new(snapshotPolicyModel)
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, prior)...)
	}
	var found fleet
	if req.Plan.Raw.IsNull() {
		tfmodel.ReadPrivate(ctx, req.Private, fleetKey, &found, &resp.Diagnostics)
		found.protect(r.Data, *prior, &resp.Diagnostics)
		warnForgotten(*prior, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Terraform plans a replacement twice, the second time as a creation with private data.
	isSecond := prior == nil && tfmodel.ReadPrivate(ctx, req.Private, fleetKey, new(fleet), &resp.Diagnostics)
	isStored := true // the clusters in the state
	mayGrow := false // because the same apply may start the backup of a selected cluster
	if prior != nil {
		planned = planned.withSpellings(*prior)
		isStored = tfmodel.ReadPrivate(ctx, req.Private, fleetKey, &found, &resp.Diagnostics)
	}
	planned.Clusters, planned.Skipped = types.MapUnknown(types.StringType), types.MapUnknown(types.StringType)
	_, selectionKnown := planned.selection()
	isPart := isStored && planned.selectsPartOf(prior) && !found.lacks(planned, *prior)
	if isPart && !prior.selectsPartOf(&planned) {
		if resp.Diagnostics.Append(found.narrow(ctx, r.Data, planned, *prior)...); resp.Diagnostics.HasError() {
			return
		}
		tfmodel.WritePrivate(ctx, resp.Private, fleetKey, found, &resp.Diagnostics)
	}
	switch {
	case isPart && !found.grows():
	case !selectionKnown || r.Client == nil:
		planned.warnUndocumented(&resp.Diagnostics)
		resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, planned)...)
		return
	default:
		if resp.Diagnostics.Append(found.read(ctx, r.Data, planned, found, false)...); resp.Diagnostics.HasError() {
			return
		}
		r.keepRecent(planned, found)
		tfmodel.WritePrivate(ctx, resp.Private, fleetKey, found, &resp.Diagnostics)
		mayGrow = found.hasSkipped()
	}
	if !mayGrow {
		planned.Skipped = found.skipped()
	}
	r.warnUnselected(planned, found, &resp.Diagnostics)
	if !planned.Schedule.IsUnknown() {
		members := plannedMembers(r.Data, planned, prior, found, &resp.Diagnostics)
		// If the clusters are not stored, the lines of the state may not be the live ones.
		if isStored && !mayGrow && planned.knowsSchedule() {
			planned.Clusters = linesOf(members)
		}
		forEach(context.Background(), len(members), runtime.GOMAXPROCS(0), func(i int) {
			m := &members[i]
			if !isSecond {
				m.register(r.Data, &m.diags)
			}
			if !m.isNew {
				m.guard(r.Data, m.isGuarded, &m.diags)
				m.warn(&m.diags)
				m.warnOverwritten(&m.diags)
			}
		})
		resp.Diagnostics.Append(combined(members)...)
		if len(members) == 0 {
			planned.warnUndocumented(&resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, planned)...)
}

// plannedMember is a cluster with the change that a policy plans.
type plannedMember struct {
	member
	scheduleChange
	hidden opsmanager.SnapshotSchedule // what changes, and no line of the plan shows
	line   string
	diags  diag.Diagnostics
}

// linesOf returns the planned lines of clusters.
func linesOf(members []plannedMember) types.Map {
	lines := map[string]attr.Value{}
	for _, m := range members {
		lines[m.ClusterID] = types.StringValue(m.line)
	}
	return types.MapValueMust(types.StringType, lines)
}

// plannedMembers plans the change of each cluster that has a schedule. The prior policy is
// nil if there is no state. The result depends only on the arguments.
func plannedMembers(data *connection.Data, planned snapshotPolicyModel, prior *snapshotPolicyModel, found fleet, diags *diag.Diagnostics) []plannedMember {
	schedule, problems := planned.schedule()
	diags.Append(problems...)
	var priorSchedule tfmodel.Values
	var shown map[string]attr.Value
	protects := isGuarded(data, planned.RetentionProtection, types.BoolNull())
	if prior != nil {
		protects = protects || prior.RetentionProtection.ValueBool()
		shown = prior.Clusters.Elements()
		priorSchedule, problems = prior.schedule()
		diags.Append(problems...)
	}
	members := make([]plannedMember, 0, len(found))
	for _, m := range found {
		if m.Skipped == "" {
			members = append(members, plannedMember{member: m})
		}
	}
	// On all processors, also if the run is interrupted: the caller needs all of them.
	forEach(context.Background(), len(members), runtime.GOMAXPROCS(0), func(i int) {
		m := &members[i]
		configured := m.configuration(schedule)
		if shown[m.ClusterID] == nil {
			m.planChange(configured, nil)
		} else {
			m.planChange(configured, priorSchedule)
		}
		m.isGuarded = protects && !m.isNew
	})
	return members
}

// planChange plans the change of a cluster from what it has, and the schedule that its line in the state
// shows.
func (m *plannedMember) planChange(configured snapshotScheduleModel, shown tfmodel.Values) {
	live := m.Stored.schedule()
	state := snapshotScheduleModel{Values: tfmodel.Values{zoneOffset: configured.Values[zoneOffset]}}.refreshed(live)
	planned := configured
	planned.Values = plannedUpdate(configured.Values, configured.Values, state.Values)
	m.scheduleChange = updateOf(configured, planned, state)
	m.live = live
	m.hidden = scheduleFields.Only(m.toSend(), func(f scheduleField) bool {
		return !isSet(shown, f.Attribute) && (!isTime(f.Attribute) || !configuresTime(shown))
	})
	m.line = m.member.line(configured.Values, withLater(live, m.wanted), m.unread())
}

// warnOverwritten warns about live values that the apply overwrites, and that no line of the plan shows.
func (m *plannedMember) warnOverwritten(diags *diag.Diagnostics) {
	overwritten := slices.DeleteFunc(differences(m.hidden, m.live), func(d tfmodel.Difference) bool {
		_, isLoss := lossIn(d)
		return isLoss
	})
	if len(overwritten) > 0 {
		diags.AddWarning("Live Snapshot Schedule Overwritten",
			fmt.Sprintf("The apply adopts the existing schedule of cluster %s and changes:%s", m.clusterID, tfmodel.Bulleted(overwritten)))
	}
}

// unread returns the attributes that the last response left out, and that the plan doesn't change.
func (m plannedMember) unread() []string {
	return slices.DeleteFunc(slices.Clone(m.Unread), func(attribute string) bool {
		return slices.ContainsFunc(scheduleFields, func(f scheduleField) bool { return f.Attribute == attribute && !f.IsMissing(m.wanted) })
	})
}

// warnUndocumented warns about values of the policy, without a cluster.
func (m snapshotPolicyModel) warnUndocumented(diags *diag.Diagnostics) {
	var found diag.Diagnostics
	warnUndocumented(snapshotScheduleModel{Values: m.Schedule.Attributes()}, &found)
	for _, d := range found {
		diags.Append(inPolicy(d))
	}
}

// warnForgotten warns that a destroy keeps the schedules.
func warnForgotten(prior snapshotPolicyModel, diags *diag.Diagnostics) {
	var names []string
	for id, line := range prior.Clusters.Elements() {
		text, _ := line.(types.String)
		name, _, _ := strings.Cut(text.ValueString(), ": ")
		names = append(names, member{ClusterID: id, Name: name}.String())
	}
	slices.Sort(names)
	diags.AddWarning("Snapshot Policy of "+clusters(names)+" Removed Only From the State",
		"Destroying this resource sends no request. The clusters keep their schedules, and Ops Manager takes snapshots of those whose backup is STARTED.")
}

// warnUnmatched warns about excluded_cluster_ids that no cluster has. A misspelled one lets the policy
// change the cluster that it should leave alone.
func warnUnmatched(s selection, whole map[string]bool, diags *diag.Diagnostics) {
	ids := slices.DeleteFunc(slices.Clone(s.Excluded), func(id string) bool { return whole[id] })
	if len(ids) == 0 {
		return
	}
	text := strings.Join(ids[:min(len(ids), mostListed)], "\n  - ")
	if more := len(ids) - mostListed; more > 0 {
		text += "\n  - " + count(more, "more ID")
	}
	diags.AddAttributeWarning(path.Root("excluded_cluster_ids"), "No Cluster to Exclude With ID "+others(ids),
		"The projects have no replica set or whole sharded cluster with these IDs. If you misspelled one, the policy changes the cluster that you want to exclude:\n  - "+text)
}

// warnUnread warns about values that Ops Manager no longer returns, although the policy sets them.
func (f fleet) warnUnread(schedule tfmodel.Values, diags *diag.Diagnostics) {
	var members []plannedMember
	for _, m := range f {
		if m.Skipped == "" {
			one := plannedMember{member: m}
			set := slices.DeleteFunc(slices.Clone(m.Unread), func(attribute string) bool { return !isSet(m.configuration(schedule).Values, attribute) })
			warnUnread(m.ClusterID, set, &one.diags)
			members = append(members, one)
		}
	}
	diags.Append(combined(members)...)
}

// warnUnselected warns of cluster_ids that have no schedule, unless this run starts their backup, and
// of a policy without a cluster.
func (r *snapshotPolicyResource) warnUnselected(planned snapshotPolicyModel, found fleet, diags *diag.Diagnostics) {
	s, _ := planned.selection()
	byID := found.byID()
	var ids, reasons []string
	for _, id := range s.ClusterIDs {
		if _, excluded := slices.BinarySearch(s.Excluded, id); excluded {
			continue
		}
		m, ok := byID[id]
		switch {
		case !ok:
			ids, reasons = append(ids, id), append(reasons, id+": is not a replica set or whole sharded cluster of the projects")
		case m.Skipped != "" && !projects.StartsHere(r.Data, m.ProjectID, m.ClusterID):
			ids, reasons = append(ids, m.String()), append(reasons, fmt.Sprintf("%s: %s", m, m.Skipped))
		}
	}
	if len(ids) > 0 {
		if more := len(reasons) - mostListed; more > 0 {
			reasons = append(reasons[:mostListed], count(more, "more cluster"))
		}
		diags.AddAttributeWarning(path.Root("cluster_ids"), "No Snapshot Schedule of "+clusters(ids),
			"The policy leaves these clusters alone, unless the same apply starts their backup:\n  - "+strings.Join(reasons, "\n  - "))
	}
	if len(found) == 0 && len(ids) == 0 {
		diags.AddWarning("No Cluster of Project "+strings.Join(s.Projects, ", ")+" Selected", "The policy selects no cluster, so it does nothing.")
	}
}

// clusters names the first of some clusters, and counts the others. Terraform combines
// warnings with equal summaries, so those of two policies must differ.
func clusters(ids []string) string {
	if len(ids) == 0 {
		return "No Cluster"
	}
	return "Cluster " + others(ids)
}

// others returns the first of some names or IDs, and counts the others.
func others(names []string) string {
	switch len(names) {
	case 1:
		return names[0]
	case 2:
		return names[0] + " and 1 Other"
	}
	return fmt.Sprintf("%s and %d Others", names[0], len(names)-1)
}

// mostNamed is the maximum number of clusters that a group names.
const mostNamed = 5

// group holds the clusters with the same text.
type group struct {
	text  string
	names []string
}

// combined merges the diagnostics of the clusters that have the same summary. Each result has a
// group for each text, the rarest first, so that a few unusual clusters are seen.
func combined(members []plannedMember) diag.Diagnostics {
	type combination struct {
		first        diag.Diagnostic
		names        []string
		intro, tail  string // the same for all clusters
		groups       []*group
		groupsByText map[string]*group
	}
	bySummary := map[string]*combination{}
	var order []string
	for _, m := range members {
		own, summaries := map[string]string{}, []string(nil)
		for _, d := range m.diags {
			summary := strings.Replace(d.Summary(), "Cluster "+m.ClusterID, "%s", 1)
			if bySummary[summary] == nil {
				bySummary[summary], order = &combination{first: d, groupsByText: map[string]*group{}}, append(order, summary)
			}
			intro, text, tail := partsOf(withoutCluster(d.Detail(), m.ClusterID))
			bySummary[summary].intro, bySummary[summary].tail = intro, tail
			if _, ok := own[summary]; ok {
				text = own[summary] + "\n" + text
			} else {
				summaries = append(summaries, summary)
			}
			own[summary] = text
		}
		for _, summary := range summaries {
			one, text := bySummary[summary], own[summary]
			if one.groupsByText[text] == nil {
				one.groupsByText[text] = &group{text: text}
				one.groups = append(one.groups, one.groupsByText[text])
			}
			one.groupsByText[text].names = append(one.groupsByText[text].names, m.String())
			one.names = append(one.names, m.String())
		}
	}
	// Summaries that name the cluster are those of the dangerous ones.
	slices.SortStableFunc(order, func(a, b string) int { return strings.Count(b, "%s") - strings.Count(a, "%s") })
	var diags diag.Diagnostics
	for _, summary := range order {
		one := bySummary[summary]
		var texts []string
		if one.intro != "" {
			texts = append(texts, one.intro)
		}
		texts = append(texts, grouped(one.groups)...)
		if one.tail != "" {
			texts = append(texts, one.tail)
		}
		if one.first.Severity() == diag.SeverityError {
			texts = append(texts, "To leave a cluster as it is, add it to excluded_cluster_ids.")
		}
		if !strings.Contains(summary, "%s") {
			summary += ": %s"
		}
		diags.Append(inPolicy(diagnostics.WithTexts(one.first, strings.Replace(summary, "%s", clusters(one.names), 1), strings.Join(texts, "\n\n"))))
	}
	return diags
}

// grouped returns the texts of groups with their clusters, the rarest group first.
func grouped(groups []*group) []string {
	slices.SortStableFunc(groups, func(a, b *group) int { return len(a.names) - len(b.names) })
	var texts []string
	for _, g := range groups[:min(len(groups), mostListed)] {
		names := strings.Join(g.names[:min(len(g.names), mostNamed)], ", ")
		switch n := len(g.names); {
		case n > mostNamed:
			names = fmt.Sprintf("%d clusters, such as %s", n, names)
		case n > 1:
			names = fmt.Sprintf("%d clusters: %s", n, names)
		}
		separator := ": "
		if strings.HasPrefix(g.text, "  - ") {
			separator = "\n"
		}
		texts = append(texts, names+separator+g.text)
	}
	more := 0
	for _, g := range groups[min(len(groups), mostListed):] {
		more += len(g.names)
	}
	if more > 0 {
		texts = append(texts, fmt.Sprintf("And %s, with other values.", count(more, "more cluster")))
	}
	return texts
}

// withoutCluster returns a text that is the same for all clusters.
func withoutCluster(text, id string) string {
	return strings.NewReplacer(" for cluster "+id, "", " of cluster "+id, "").Replace(text)
}

// partsOf splits a detail: the line that introduces a list, the text about the cluster, and the
// explanation after it.
func partsOf(detail string) (intro, text, tail string) {
	text, tail, _ = strings.Cut(detail, "\n\n")
	if before, after, ok := strings.Cut(text, ":\n"); ok && !strings.Contains(before, "\n") {
		return before + ":", after, tail
	}
	return "", text, tail
}

// inPolicy returns a diagnostic about the attribute of a policy that corresponds to that of a
// schedule.
func inPolicy(of diag.Diagnostic) diag.Diagnostic {
	at, hasPath := of.(diag.DiagnosticWithPath)
	if !hasPath || at.Path().Equal(path.Root("retention_protection")) {
		return of
	}
	return diag.WithPath(path.Root("schedule").AtName(at.Path().String()), of)
}
