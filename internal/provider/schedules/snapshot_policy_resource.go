package schedules

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type snapshotPolicyResource struct{ connection.Resource }

// NewSnapshotPolicyResource returns the resource opsmanager_snapshot_policy.
func NewSnapshotPolicyResource() resource.Resource {
	return &snapshotPolicyResource{connection.Resource{TypeName: "snapshot_policy"}}
}

func (r *snapshotPolicyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	ids := func(description string, validators ...validator.Set) schema.SetAttribute {
		return schema.SetAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: description,
			Validators:          append(validators, setvalidator.ValueStringsAre(tf.ObjectIDValidators()...)),
		}
	}
	projectIDs := ids("IDs of the projects whose clusters the policy selects.", setvalidator.SizeAtLeast(1))
	projectIDs.Optional = false
	projectIDs.Required = true
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the snapshot schedules of many clusters.\n\n" +
			"Each selected cluster gets the fields that `schedule` sets, and keeps its other values. By default, the policy selects every replica set and every whole sharded cluster of its projects, including those that are added later. It skips clusters that another product backs up, or may back up because the state of that backup is not documented. To recognize them, the API key needs the role `Project Backup Admin`: with `Project Read Only`, the plan may fail because it can't read their schedules.\n\n" +
			"Ops Manager creates a schedule when the backup of a cluster is first started, so creating this resource **adopts** the schedules, and the plan shows in `clusters` which live values it overwrites. " +
			"Destroying it only removes the policy from the state.\n\n" +
			"-> Requires the role `Project Backup Admin` in each project. To plan, `Project Read Only` is enough.\n\n" +
			"~> If a change leaves fewer recovery points of a cluster, the plan only warns. Set `retention_protection = true` to make it an error. Existing snapshots stay until they expire.\n\n" +
			whatIsProtected + "\n\n" +
			"Each plan reads the schedules of all selected clusters. If a cluster joins or leaves the selection, or its backup is started, ended or taken over by another product, each plan shows that in `clusters` and `skipped` until an apply records it: `terraform plan -detailed-exitcode` exits with 2. That apply sends nothing for a cluster that leaves, or that has the values already. " +
			"A project that doesn't exist, or that the API key can't see, is an error. " +
			"If clusters lose recovery points, a warning lists them in groups with the same change, the rarest first. `-compact-warnings` hides these groups: don't use it for a review.\n\n" +
			"To start backups in the same apply, refer to the `opsmanager_backup_config` in `cluster_ids`, or name it in `depends_on`. The plan then shows these clusters as `(known after apply)`.",
		Attributes: map[string]schema.Attribute{
			"project_ids": projectIDs,
			"cluster_ids": ids("IDs of the clusters to select. The plan warns about IDs that are not in the projects, IDs of shards, and clusters that can't have a schedule now. "+
				"Conflicts with `cluster_name_regex`. Defaults to all clusters.", setvalidator.ConflictsWith(path.MatchRoot("cluster_name_regex"))),
			"cluster_name_regex": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Regular expression in [RE2 syntax](https://github.com/google/re2/wiki/Syntax) that selects clusters by name. It matches any part of the name: `prod` also selects `reproduction`, and `^prod-` does not. " +
					"Conflicts with `cluster_ids`. Defaults to all clusters.",
			},
			"excluded_cluster_ids": ids("IDs of clusters not to select. Defaults to none."),
			"schedule": schema.SingleNestedAttribute{
				Required:            true,
				MarkdownDescription: "At least one field, as in `opsmanager_snapshot_schedule`. `cluster_checkpoint_interval_min` applies to sharded clusters only. A plan that adds clusters fails if only some of the values are known, because it could not show what it overwrites.",
				Attributes:          scheduleAttributes(false),
			},
			"retention_mode": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(exactRetention, minimumRetention)},
				MarkdownDescription: "How the retentions of `schedule` apply: `exact` sets them, and `minimum` only raises them. With `minimum`, a longer retention is no drift: the cluster keeps it, and `clusters` shows `daily_snapshot_retention_days 120 (kept, more than 90)`. A retention that Ops Manager never returns may be longer, so it stays as it is, and `clusters` shows it as `not returned`. " +
					"`point_in_time_window_hours` is a retention, too. All other fields are set as configured, so a new `snapshot_interval_hours` may still leave fewer recovery points. If one below `24` would leave a `snapshot_retention_days` below the configured one, the provider sends the current retention along, and Ops Manager may reject both. Defaults to `exact`.",
			},
			"retention_protection": retentionProtection,
			"concurrency": schema.Int64Attribute{
				Optional:            true,
				CustomType:          tf.WholeNumberType{},
				Validators:          []validator.Int64{int64validator.Between(1, 100)},
				MarkdownDescription: "Number of parallel requests, `1` to `100`, which `-parallelism` does not limit. Defaults to `10`, the default of `-parallelism`. If a request takes 20 ms, a plan of 4,000 clusters waits 8 s for Ops Manager, and 2.5 s with `32`.",
			},
			"clusters": schema.MapAttribute{
				Computed:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Text for each selected cluster by its ID, for reviewers of a plan: the name, the values of the fields that `schedule` sets, and those that the last change of the cluster overwrote, such as `cards: daily_snapshot_retention_days 60 (was 7)`. " +
					"Its form may change.",
			},
			"overwrites": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "Number of clusters whose live values were overwritten when they were added to the policy.",
			},
			"skipped": schema.MapAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Text for each selected cluster that had no schedule to set at the last apply, by its ID: the name and the status of its backup, such as `fraud: INACTIVE`, or `backed up by another product`.",
			},
		},
	}
}

// ValidateConfig rejects an invalid expression, a schedule that sets nothing, and a time of day that can't be
// converted to UTC.
func (r *snapshotPolicyResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	diags := &resp.Diagnostics
	configured := tf.Read[snapshotPolicyModel](ctx, req.Config, diags)
	if _, err := regexp.Compile(configured.ClusterNameRegex.ValueString()); err != nil {
		diags.AddAttributeError(path.Root("cluster_name_regex"), "Invalid Regular Expression", tf.Sentence(err))
	}
	if diags.HasError() || configured.Schedule.IsNull() || configured.Schedule.IsUnknown() {
		return
	}
	values, problems := tf.ReadObject(configured.Schedule, atSchedule)
	diags.Append(problems...)
	setsAny := slices.ContainsFunc(scheduleFields, func(f scheduleField) bool {
		return isSet(values, f.Attribute)
	})
	if !setsAny {
		diags.AddAttributeError(atSchedule, "Schedule Without a Field", "The schedule of a policy must set at least one field.")
	}
	checkTimeOfDay(values, atSchedule, diags)
}

const policySummary = "Unable to Apply Snapshot Policy"

// Create adopts the schedules of the selected clusters. If any cluster fails, it stores no
// state: a stored state would be tainted and planned for replacement. The next plan adopts
// the schedules again, and changes the rest.
func (r *snapshotPolicyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	planned := tf.Read[snapshotPolicyModel](ctx, req.Plan, diags)
	if diags.HasError() || !r.Ready(policySummary, diags) {
		return
	}
	lines := planned.Clusters.Elements()
	var shown diag.Diagnostics // the plan has its warnings
	found, _ := list(ctx, r.Data, planned, lines, &shown)
	diags.Append(shown.Errors()...)
	if diags.HasError() {
		return
	}
	found = found.shownIn(lines)
	planned.apply(ctx, plannedMembers(r.Data, planned, snapshotPolicyModel{}, found), found, diags)
	if diags.HasError() {
		return
	}
	tf.Write(ctx, &resp.State, planned, diags)
	tf.WritePrivate(ctx, resp.Private, fleetKey, found, diags)
}

// shownIn returns the clusters that the plan of a creation has shown.
func (f fleet) shownIn(lines linesByID) fleet {
	byID := f.byID()
	shown := slices.DeleteFunc(f, func(m member) bool { return lines[m.ClusterID] == nil })
	for id := range lines {
		if byID[id].ClusterID == "" {
			shown = append(shown, member{
				ClusterID: id,
				Name:      id,
				Skipped:   "no longer listed",
			})
		}
	}
	return shown
}

// Read reads the clusters, and records in the private state what it found: the plan shows who comes and who leaves.
func (r *snapshotPolicyResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := tf.Read[snapshotPolicyModel](ctx, req.State, diags)
	var known fleet
	tf.ReadPrivate(ctx, req.Private, fleetKey, &known, diags)
	if diags.HasError() {
		return
	}
	if r.KeepsState(diags) {
		known.guardState(r.Data, state)
		return
	}
	found, unselected := list(ctx, r.Data, state, state.Clusters.Elements(), diags)
	if diags.HasError() {
		for _, m := range known { // whose project may be deleted, so that only the private state has its name
			r.Client.NoteName(&m.ProjectID, tf.NonEmpty(&m.Project))
		}
		return
	}
	last := known.byID()
	for i := range found {
		m := &found[i]
		before := last[m.ClusterID]
		if m.hasSchedule() {
			m.Stored = before.Stored
			continue
		}
		if m.mayBeForeign && before.isForeign() { // as an earlier run could tell: a key that only plans may not read that
			m.Skipped = before.Skipped
		}
		m.Starts = !m.isForeign() && projects.MayStartHere(r.Data, m.ProjectID, m.ClusterID)
	}
	found.read(ctx, r.Data, state, member.hasSchedule, diags)
	if diags.HasError() {
		return
	}
	all := slices.Concat(found, known.left(state, found, unselected))
	all.guardState(r.Data, state)
	all.fold(diags)
	state.Clusters = found.lines(state, known)
	tf.Write(ctx, &resp.State, state, diags)
	tf.WritePrivate(ctx, resp.Private, fleetKey, all, diags)
}

// Update changes the clusters that differ from the plan, which is in the private state. After a failure,
// the state has the new policy with the live values of the clusters, so the next plan shows what is left.
func (r *snapshotPolicyResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	planned := tf.Read[snapshotPolicyModel](ctx, req.Plan, diags)
	prior := tf.Read[snapshotPolicyModel](ctx, req.State, diags)
	var found fleet
	tf.ReadPrivate(ctx, req.Private, fleetKey, &found, diags)
	if diags.HasError() || !r.Ready(policySummary, diags) {
		return
	}
	planned.apply(ctx, plannedMembers(r.Data, planned, prior, found), found, diags)
	tf.Write(ctx, &resp.State, planned, diags)
	tf.WritePrivate(ctx, resp.Private, fleetKey, found, diags)
}

// Delete only removes the policy from the state.
func (r *snapshotPolicyResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState says why a policy has no import.
func (r *snapshotPolicyResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError("Snapshot Policy Can't Be Imported",
		"A policy exists only in Terraform. Creating it adopts the schedules of the clusters that it selects, and sends only values that differ. Remove the import block, and apply.")
}

// count returns a number with a name in the singular or the plural.
func count(number int, singular string) string {
	if number == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %ss", number, singular)
}

// policyWording is the wording of diagnostics about one cluster of a policy.
var policyWording = wording{
	summary: updateWording.summary,
	renew:   "apply again, which adopts the schedules",
	advice:  policyCodes,
	state:   "The next plan shows the value that Ops Manager has.",
}

// apply changes the clusters of a fleet as planned, and stores their new values in it. If some fail, it still
// changes the others, and reports the failures in one error. It sets the lines of the failed ones to what they have,
// and the unknown values of the plan.
func (m *snapshotPolicyModel) apply(ctx context.Context, members []*plannedMember, found fleet, diags *diag.Diagnostics) {
	lines := m.Clusters.Elements()
	forEach(ctx, len(members), m.concurrency(), func(i int) {
		members[i].isBegun = true
		promised, _ := lines[members[i].ClusterID].(types.String)
		members[i].apply(ctx, promised)
	})
	var failed []finding
	done := 0
	left := 0
	for _, one := range members {
		isLeft := !one.isBegun && one.hasSchedule() && (one.adopts || !one.next.IsEmpty)
		switch {
		case one.diags.HasError():
			failed = append(failed, finding{*one.member, failureText(one.diags)})
		case isLeft:
			left++
		case !one.next.IsEmpty:
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
	found.fold(diags)
	reportFailures(failed, done, left, diags)
}

// reportFailures reports how many of the changes have failed, have been made, or were not begun.
func reportFailures(failed []finding, done, left int, diags *diag.Diagnostics) {
	if failed == nil && left == 0 {
		return
	}
	text := "The next plan shows what is left."
	if done > 0 {
		text = "The other changes have been made. " + text
	}
	if left > 0 {
		text = fmt.Sprintf("The run was interrupted before it changed %s.\n\n%s", count(left, "more cluster"), text)
	}
	if failed != nil {
		text = fmt.Sprintf("%d of %s failed:\n\n%s\n\n%s", len(failed), count(len(failed)+done+left, "change"), grouped(failed), text)
	}
	diags.AddError(policySummary, text)
}

// apply changes one cluster, whose line the plan has promised. A cluster that had no schedule is left alone unless this
// run has started its backup.
func (m *plannedMember) apply(ctx context.Context, promised types.String) {
	if !m.hasSchedule() && !promised.IsUnknown() && promised.ValueString() != m.liveLine(*m.policy) {
		m.diags.AddError(m.summary, "The cluster no longer exists, or can't have a schedule now: "+m.Skipped+". Plan again.")
	}
	if !m.hasSchedule() || !m.adopts && m.next.IsEmpty {
		return
	}
	switch {
	case m.adopts && !promised.IsUnknown():
		m.refine = append(m.refine, m.showing(promised.ValueString()))
	case m.adopts && m.cluster.isNew():
		m.saw = nil
	case m.adopts:
		m.wanted = schedule{}
	case !m.joins: // what the plan does not change is left to the next plan
		m.wanted = m.next.Request
	}
	done := m.run(ctx, &m.diags)
	if done == nil {
		return
	}
	if m.adopts {
		m.planChange(done.Live)
	}
	after := m.next.After // as the line shows it, so that the next refresh sees drift
	if takesUnknownAlong(m.next) {
		after.SnapshotRetentionDays = nil
	}
	if m.diags.HasError() {
		after = done.Now
	}
	m.Stored = storedSchedule(after)
}

// lineOn returns the line of the cluster with a live schedule.
func (m plannedMember) lineOn(live schedule) string {
	m.planChange(live)
	return m.line
}

// showing lets a change be that of a creation whose plan showed a line. The framework passes nothing but its values from that
// plan, and the line of the cluster is one of them: the plan saw a live schedule that has the same line. A schedule with
// another line is refused. If it has all values already, that may be an old read, and to send them again is harmless, unless
// that could lower one.
func (m plannedMember) showing(line string) func(*write) {
	return func(w *write) {
		refuse := w.RefuseDrift
		w.Saw = func(live schedule) schedule {
			if m.lineOn(live) == line {
				return live
			}
			return schedule{}
		}
		w.RefuseDrift = func(next step, drifts []change.Drift) error {
			switch {
			case m.lineOn(next.Saw) == line:
				return refuse(next, drifts)
			case len(next.Changes) == 0 && !m.policy.raises():
				return nil
			}
			return tf.OnAttribute("cluster_id", m.summary,
				"The schedule changed since the plan, which showed %q. It would be %q now. The provider left that as it is. Plan again.", line, m.lineOn(next.Live))
		}
	}
}

// failureText returns the errors of one cluster as a text.
func failureText(diags diag.Diagnostics) string {
	var texts []string
	for _, d := range diags.Errors() {
		text := strings.TrimPrefix(d.Summary()+". "+d.Detail(), policyWording.summary+". ")
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			attribute := at.Path().String()
			if isOfCluster := strings.HasSuffix(attribute, "_id"); !isOfCluster {
				text = attribute + ": " + text
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n")
}
