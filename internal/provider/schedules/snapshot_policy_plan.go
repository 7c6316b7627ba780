package schedules

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ModifyPlan plans the line of each selected cluster, and warns about what the apply loses. If the selection
// stays the same, it uses what the refresh has read. Otherwise, it reads the other clusters.
func (r *snapshotPolicyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	var known fleet
	isKnown := tf.ReadPrivate(ctx, req.Private, fleetKey, &known, diags)
	prior := tf.Read[snapshotPolicyModel](ctx, req.State, diags)
	if req.Plan.Raw.IsNull() {
		known.guardState(r.Data, prior)
		known.fold(diags)
		known.warnForgotten(diags)
		return
	}
	planned := tf.Read[snapshotPolicyModel](ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	// Terraform plans a replacement twice, the second time as a creation with private data.
	isCreation := req.State.Raw.IsNull()
	isSecond := isKnown && isCreation
	if isCreation {
		known = nil
	}
	selected := slices.DeleteFunc(slices.Clone(known), func(m member) bool {
		return m.Left != ""
	})
	found, isSelected := r.selected(ctx, planned, prior, selected, isKnown, diags)
	if diags.HasError() {
		return
	}
	planned.Clusters = types.MapUnknown(types.StringType)
	planned.Skipped = planned.Clusters
	planned.Overwrites = types.Int64Unknown()
	before := prior.managed()
	var members []*plannedMember
	if isSelected {
		left := known.without(found)
		left.guardState(r.Data, prior)
		left.fold(diags)
		tf.WritePrivate(ctx, resp.Private, fleetKey, found, diags)
		members = plannedMembers(r.Data, planned, prior, found)
		planned.show(members, prior, found)
		r.warnLeft(before, left, found, diags)
		r.warnSkipped(planned, before, found, diags)
		forEach(context.Background(), len(members), runtime.GOMAXPROCS(0), func(i int) {
			members[i].plan(isSecond)
		})
		planned.reportLosses(members, diags)
		found.fold(diags)
	} else {
		unnamed := target{
			cluster:    cluster{Data: r.Data},
			protection: planned.protection(prior),
			configured: planned.lowering(),
		}
		unnamed.guardUnnamed(diags)
	}
	planned.refuseUnknown(before, found, selected, diags)
	planned.warn(prior, members, isSelected, diags)
	tf.Write(ctx, &resp.Plan, planned, diags)
}

// selected returns the clusters that a policy selects, and false if the plan can't know them. Clusters that
// the refresh has read are as it has read them, because the last plan before the apply must show what this
// one shows.
func (r *snapshotPolicyResource) selected(
	ctx context.Context, planned, prior snapshotPolicyModel, known fleet, isKnown bool, diags *diag.Diagnostics,
) (found fleet, isSelected bool) {
	s, isSelected := planned.selection()
	last := known.byID()
	found = known
	isRead := func(m member) bool { return last[m.ClusterID].ClusterID != "" }
	if !isKnown || !planned.selectsLike(prior) {
		if !isSelected || r.Client == nil {
			return nil, false
		}
		lines := prior.Clusters.Elements()
		found, _ = list(ctx, r.Data, planned, lines, diags)
		if diags.HasError() {
			return nil, true
		}
		before, _ := prior.selection()
		found = slices.DeleteFunc(found, func(m member) bool { // is newer than the refresh, and left to the next plan
			isNew := isKnown && !isRead(m) && lines[m.ClusterID] == nil
			isNamed := slices.Contains(s.ClusterIDs, strings.ToLower(m.ClusterID))
			return isNew && !isNamed && before.selects(m.ProjectID, m.ClusterID, m.Name)
		})
		for i, m := range found {
			if isRead(m) {
				found[i] = last[m.ClusterID]
				found[i].Project = m.Project
				continue
			}
			found[i].Starts = !m.hasSchedule() && !m.isForeign()
		}
	}
	if r.Client != nil {
		found.read(ctx, r.Data, planned, func(m member) bool {
			return m.hasSchedule() && !isRead(m) || m.Starts && projects.HasFirstStart(r.Data, m.ProjectID, m.ClusterID)
		}, diags)
	}
	return found, true
}

var atSchedule = path.Root("schedule")

// plannedMember is a cluster of a fleet with the change that a policy plans.
type plannedMember struct {
	*member
	target
	policy  *snapshotPolicyModel
	isAdded bool // the policy did not have the cluster before
	joins   bool // the policy did not manage the schedule before
	adopts  bool // the change is planned from what the apply reads

	next    step   // what the change does
	line    string // shows it
	isBegun bool   // by the apply
}

// plannedMembers plans the change of each cluster. The result depends only on the arguments.
func plannedMembers(data *connection.Data, planned, prior snapshotPolicyModel, found fleet) []*plannedMember {
	members := make([]*plannedMember, len(found))
	before := prior.managed()
	protection := planned.protection(prior)
	// On all processors, also if the run is interrupted: the caller needs all of them.
	forEach(context.Background(), len(members), runtime.GOMAXPROCS(0), func(i int) {
		m := &plannedMember{
			member: &found[i],
			policy: &planned,
			adopts: prior.ProjectIDs.IsNull(),
		}
		members[i] = m
		m.isAdded = before.lines[m.ClusterID] == nil
		m.joins = !before.sets(m.ClusterID)
		values := m.values(planned)
		m.target = target{
			cluster:    cluster{data, m.ProjectID, m.ClusterID},
			wording:    policyWording,
			protection: protection,
			configured: values,
			wanted:     scheduleOf(values),
		}
		if planned.raises() {
			m.refine = []func(*write){raise}
		}
		m.planChange(schedule(m.Stored))
	})
	return members
}

// planChange plans the change of a cluster from what it has. A cluster that the policy manages already keeps the values
// that the plan does not change.
func (m *plannedMember) planChange(live schedule) {
	m.saw = &live
	if !m.hasSchedule() {
		m.wanted = schedule{}
	}
	m.next = m.write().Step(live)
	m.line = m.member.line(*m.policy, live, m.next.After)
}

// plan records the change of a plan, and reports what forbids it.
func (m *plannedMember) plan(isSecond bool) {
	m.target.plan(m.losses(), isSecond, m.hasSchedule(), &m.diags)
	if unknown := notRaised(m.next); unknown != nil && m.policy.raises() {
		m.diags.Append(unknown)
	}
}

// show plans the line of each cluster. It is unknown if a value of the policy is not known yet, and for a
// cluster without a schedule whose backup the same apply may start. The number of schedules that the policy
// takes over is known: so if another client starts that backup, Terraform refuses the apply.
func (m *snapshotPolicyModel) show(members []*plannedMember, prior snapshotPolicyModel, found fleet) {
	before := prior.Clusters.Elements()
	lines := linesByID{}
	overwrites := prior.Overwrites.ValueInt64()
	hasUnknown := m.Schedule.IsUnknown()
	mayStart := false
	for _, one := range members {
		isLate := slices.ContainsFunc(slices.Collect(maps.Values(one.configured)), attr.Value.IsUnknown)
		isUnknown := isLate || m.Schedule.IsUnknown() || m.RetentionMode.IsUnknown()
		hasUnknown = hasUnknown || one.isAdded && isUnknown
		mayStart = mayStart || one.Starts
		if one.joins && !one.next.IsEmpty && !one.cluster.isNew() {
			overwrites++
		}
		switch {
		case one.Starts, one.hasSchedule() && isUnknown:
			lines[one.ClusterID] = types.StringUnknown()
		case !one.joins && one.hasSchedule() && one.next.IsEmpty && one.line == one.liveLine(prior):
			lines[one.ClusterID] = before[one.ClusterID]
		default:
			lines[one.ClusterID] = types.StringValue(one.line)
		}
	}
	m.Clusters = types.MapValueMust(types.StringType, lines)
	if !mayStart {
		m.Skipped = found.skipped()
	}
	if !hasUnknown {
		m.Overwrites = types.Int64Value(overwrites)
	}
}

// reportLosses warns about what the clusters lose. Those that are guarded are an error.
func (m snapshotPolicyModel) reportLosses(members []*plannedMember, diags *diag.Diagnostics) {
	var warned, refused []finding
	var all []loss
	isAdded := true
	accept := ""
	for _, one := range members {
		lost := one.reported(one.losses())
		found := finding{*one.member, tf.Bulleted(lost)}
		switch {
		case len(lost) == 0:
		case one.isGuarded():
			refused = append(refused, found)
			all = append(all, lost...)
			isAdded = isAdded && one.isAdded
			accept = one.howToAccept() // the same for all
		default:
			warned = append(warned, found)
		}
	}
	if warned != nil {
		diags.Append(lossWarning(clustersOf(warned), "\n\n"+grouped(warned)))
	}
	if refused == nil {
		return
	}
	keep := []string{"add the clusters to excluded_cluster_ids"}
	if isAdded {
		accept += " For clusters that join, apply retention_protection = false while they are excluded, then let them join, and then set it to true again."
	} else {
		keep = slices.Insert(keep, 0, "configure these")
	}
	hasRetention := slices.ContainsFunc(all, func(l loss) bool { return l.cause != intervalHours })
	if hasRetention && !m.raises() {
		keep = append(keep, `set retention_mode = "minimum", which keeps longer retentions`)
	}
	diags.AddAttributeError(atSchedule, "Recovery Points of "+clustersOf(refused)+" "+reduction(all),
		fmt.Sprintf("The apply would change:\n\n%s\n\n%s To keep the live values, %s.\n\n%s",
			grouped(refused), fewerPoints, strings.Join(keep, ", or "), accept))
}

// unknown returns the fields of the schedule that are known only during the apply.
func (m snapshotPolicyModel) unknown() (attributes []string) {
	if m.Schedule.IsUnknown() {
		return []string{"schedule"}
	}
	values := m.Schedule.Attributes()
	for _, attribute := range slices.Sorted(maps.Keys(values)) {
		if values[attribute].IsUnknown() {
			attributes = append(attributes, attribute)
		}
	}
	if m.RetentionMode.IsUnknown() {
		attributes = append(attributes, "retention_mode")
	}
	return attributes
}

// refuseUnknown adds an error if the policy adds clusters while only some of its fields are known, and the refresh
// did not read them. Their lines are then unknown, so the apply could not tell which live values of the known fields
// the plan saw. What the refresh read is in the private state.
func (m snapshotPolicyModel) refuseUnknown(before managed, found, known fleet, diags *diag.Diagnostics) {
	isKnown := func(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }
	isPartlyKnown := slices.ContainsFunc(slices.Collect(maps.Values(m.Schedule.Attributes())), isKnown)
	var added []finding
	for _, one := range found.without(known) {
		if before.lines[one.ClusterID] == nil && !one.isForeign() {
			added = append(added, finding{member: one})
		}
	}
	unknown := m.unknown()
	if unknown != nil && isPartlyKnown && added != nil {
		diags.AddAttributeError(atSchedule, "Values of "+clustersOf(added)+" Can't Be Planned",
			"The policy would add clusters, and some values of its schedule are known only during the apply: "+strings.Join(unknown, ", ")+". "+
				"So the plan can't show which live values the other ones overwrite. Use values that are known when you plan.")
	}
}

// warn warns about what the plan can't show, and about new values of the policy that may not have the
// intended effect.
func (m snapshotPolicyModel) warn(prior snapshotPolicyModel, members []*plannedMember, isSelected bool, diags *diag.Diagnostics) {
	unknown := m.unknown()
	switch {
	case !isSelected:
		diags.AddWarning("Clusters of a Policy Will Be Known Only During the Apply",
			"The selection or the connection is known only during the apply, so this plan can't show which clusters it changes, and what it overwrites."+applyGuards)
	case unknown != nil:
		diags.AddAttributeWarning(atSchedule, "Values of a Policy Will Be Known Only During the Apply",
			"These values are known only during the apply, so this plan can't show which clusters they change, and what they overwrite: "+
				strings.Join(unknown, ", ")+"."+applyGuards+joining(members))
	}
	if m.Schedule.Equal(prior.Schedule) {
		return
	}
	each := adoptionOf(nil, snapshotScheduleModel{Values: m.Schedule.Attributes()})
	each.warnUndocumented(atSchedule, each.write().Step(schedule{}), diags)
}

// joining says what the known values of a policy change for the clusters that it adds. Their lines are unknown if
// another value is.
func joining(members []*plannedMember) string {
	var joining []finding
	for _, one := range members {
		if changes := changesOf(one.next); one.isAdded && changes != nil {
			joining = append(joining, finding{*one.member, tf.Bulleted(changes)})
		}
	}
	if joining == nil {
		return ""
	}
	return "\n\nThe known values change these clusters, which the policy adds:\n\n" + grouped(joining)
}

// warnForgotten warns that a destroy keeps the schedules.
func (f fleet) warnForgotten(diags *diag.Diagnostics) {
	var kept, skipped []finding
	for _, m := range f {
		switch {
		case m.Left != "":
		case m.hasSchedule():
			kept = append(kept, finding{member: m})
		default:
			skipped = append(skipped, finding{m, m.Skipped})
		}
	}
	text := "The clusters keep their schedules, and Ops Manager takes snapshots of those whose backup is STARTED."
	if kept == nil && skipped != nil {
		kept = skipped
		text = "The policy sets no schedule:\n\n" + grouped(skipped)
	}
	diags.Append(tf.Forgotten("Snapshot Policy of "+clustersOf(kept), text))
}

// warnLeft says why a plan no longer has clusters, or the schedules of clusters, although the policy did not change.
func (r *snapshotPolicyResource) warnLeft(before managed, left, found fleet, diags *diag.Diagnostics) {
	var reasons []finding
	for _, m := range left {
		if m.Left != "" {
			reasons = append(reasons, finding{m, m.Left})
		}
	}
	for _, m := range found {
		if r.losesSchedule(before, m) {
			reasons = append(reasons, finding{m, "The policy skips it now: " + m.Skipped + "."})
		}
	}
	if reasons != nil {
		diags.AddWarning(clustersOf(reasons)+" Left the Snapshot Policy", "The policy no longer sets the schedules of these clusters. "+
			"Each plan shows that until an apply records it, and then no plan shows their drift:\n\n"+grouped(reasons))
	}
}

// losesSchedule reports whether a selected cluster no longer has the schedule that the policy has set, and this run
// does not start its backup again.
func (r *snapshotPolicyResource) losesSchedule(before managed, m member) bool {
	return !m.hasSchedule() && before.sets(m.ClusterID) && !projects.StartsHere(r.Data, m.ProjectID, m.ClusterID)
}

// warnSkipped warns about selected clusters that have no schedule, unless this run starts their backup, and
// about a policy without a cluster. It names each of cluster_ids in each plan, and the other ones only once.
func (r *snapshotPolicyResource) warnSkipped(planned snapshotPolicyModel, before managed, found fleet, diags *diag.Diagnostics) {
	s, _ := planned.selection()
	has := map[string]bool{}
	var reasons []finding
	for _, m := range found {
		id := strings.ToLower(m.ClusterID)
		has[id] = true
		_, isListed := slices.BinarySearch(s.ClusterIDs, id)
		isNews := before.lines[m.ClusterID] == nil || isListed && !r.losesSchedule(before, m)
		if m.hasSchedule() || !isNews || projects.StartsHere(r.Data, m.ProjectID, m.ClusterID) {
			continue
		}
		text := m.Skipped
		if !m.isForeign() {
			text += ", unless the same apply starts the backup"
		}
		reasons = append(reasons, finding{m, text})
	}
	for _, id := range s.ClusterIDs {
		if !has[id] && !slices.Contains(s.Excluded, id) {
			reasons = append(reasons, finding{member{
				ClusterID: id,
				Name:      id,
			}, "not a replica set or whole sharded cluster of the projects"})
		}
	}
	at := path.Root("project_ids")
	if s.ClusterIDs != nil {
		at = path.Root("cluster_ids")
	}
	switch {
	case reasons != nil:
		diags.AddAttributeWarning(at, "Schedule of "+clustersOf(reasons)+" Will Not Be Set", "The policy leaves these clusters alone:\n\n"+grouped(reasons))
	case len(found) == 0:
		diags.AddWarning("No Cluster of Project "+strings.Join(s.Projects, ", ")+" Will Be Selected", "The policy selects no cluster, so it does nothing.")
	}
}
