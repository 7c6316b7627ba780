package schedules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type snapshotScheduleResource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure      = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithIdentity       = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithImportState    = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithValidateConfig = (*snapshotScheduleResource)(nil)
)

// NewSnapshotScheduleResource returns the resource opsmanager_snapshot_schedule.
func NewSnapshotScheduleResource() resource.Resource { return &snapshotScheduleResource{} }

func (r *snapshotScheduleResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_snapshot_schedule"
}

func (r *snapshotScheduleResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	number := func(description string, validators ...validator.Int64) schema.Int64Attribute {
		return schema.Int64Attribute{Optional: true, Computed: true, MarkdownDescription: description + keptIfUnset, CustomType: tfmodel.WholeNumberType{}, Validators: validators}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the snapshot schedule of one cluster's backup configuration: when snapshots are taken, and how long they are kept.\n\n" +
			"Ops Manager creates the schedule together with the backup configuration, so creating this resource **adopts** it: " +
			"the provider changes the configured fields that differ, and no other. The plan warns which live values that overwrites. " +
			"An update sends the fields that the plan changes, and nothing else. " +
			"Destroying this resource only removes the schedule from the state: nothing is called, and the schedule stays as it is.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				Required: true, PlanModifiers: []planmodifier.String{connection.ObjectIDModifier{}}, Validators: connection.ObjectIDValidators(),
				MarkdownDescription: "ID of the project (group) that owns the backup configuration: 24 hexadecimal digits. Changing it adopts another schedule and forgets this one.",
			},
			"cluster_id": schema.StringAttribute{
				Required: true, PlanModifiers: []planmodifier.String{connection.ObjectIDModifier{}}, Validators: connection.ObjectIDValidators(),
				MarkdownDescription: "ID of the replica set, or of the whole sharded cluster, never of one shard: 24 hexadecimal digits. Changing it adopts another schedule and forgets this one.",
			},
			"snapshot_interval_hours": number("Hours between snapshots: `6`, `8`, `12` or `24`. "+
				"Below 24 hours, Ops Manager keeps recent snapshots for at most 5 days.", int64validator.OneOf(6, 8, 12, 24)),
			"snapshot_retention_days": number("Days to keep recent snapshots, at least `1`. "+
				"Ops Manager documents `2` to `5`, and up to `30` if the interval is 24 hours.", int64validator.AtLeast(1)),
			"daily_snapshot_retention_days": number("Days to keep daily snapshots. `0` turns the rule off. "+
				"Newer versions of Ops Manager accept `0`, `3` to `7`, `15`, `30`, `60`, `90`, `120`, `180` and `360`, older ones up to `365`.", int64validator.AtLeast(0)),
			"weekly_snapshot_retention_weeks":   number("Weeks to keep weekly snapshots. `0` turns the rule off. Ops Manager documents up to `52`.", int64validator.AtLeast(0)),
			"monthly_snapshot_retention_months": number("Months to keep monthly snapshots. `0` turns the rule off. Ops Manager documents up to `36`.", int64validator.AtLeast(0)),
			"point_in_time_window_hours":        number("Hours in the past for which a point in time can be restored, `0` or more. Ops Manager documents no upper limit.", int64validator.AtLeast(0)),
			"cluster_checkpoint_interval_min": number("Minutes between checkpoints of a sharded cluster, which are the points in time that it can be restored to: `15`, `30` or `60`. "+
				"Replica sets have no checkpoints. Null if Ops Manager has no value.", int64validator.OneOf(15, 30, 60)),
			"reference_hour_of_day": number("Hour of the day at which snapshots are scheduled, `0` to `23`, at `reference_time_zone_offset`, or in UTC if that is not configured.", int64validator.Between(0, 23)),
			"reference_minute_of_hour": number("Minute of the hour at which snapshots are scheduled, `0` to `59`. "+
				"Required if the offset is not whole hours.", int64validator.Between(0, 59)),
			"reference_time_zone_offset": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{offsetValidator{}},
				MarkdownDescription: "ISO 8601 offset from UTC of the hour and the minute, such as `+02:00`, `+0200`, `+02`, `-0330` or `Z`. Requires `reference_hour_of_day`. " +
					"Ops Manager stores UTC: the provider converts what it sends and what it shows, so a time that is only spelled differently is no change. " +
					"An offset does not follow daylight-saving time." + keptIfUnset,
			},
			"full_incremental_day_of_week": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{stringvalidator.OneOf(weekdays...)},
				MarkdownDescription: "Day of the week on which a full snapshot is taken: `SUNDAY`, `MONDAY`, and so on. " +
					"It is sent as it is, whatever the offset. Ops Manager does not document whether it means the day in UTC." + keptIfUnset,
			},
			"prevent_retention_decrease": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether shortening or turning off a retention or the point-in-time window is an error instead of a warning. " +
					"If something else has lengthened one since the last apply, the longer value is kept, with a warning. " +
					"Terraform 1.11 plans the configuration before a destroy: if that fails because of a decrease that has not been applied, use `terraform destroy -refresh=false`. Defaults to `false`.",
			},
		},
	}
}

// keptIfUnset ends the description of each field of the schedule.
const keptIfUnset = " If unset, the current value is kept and exported."

var weekdays = []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}

// The attribute for each of the service's codes about a schedule's fields, and
// for each of the fields as the API names them.
var scheduleCodes = map[string]string{
	"CANNOT_MODIFY_SHARD_BACKUP_CONFIG": "cluster_id", "NOT_SHARDED": "cluster_id",

	"INVALID_SNAPSHOT_INTERVAL":                              "snapshot_interval_hours",
	"INVALID_SNAPSHOT_RETENTION_PERIOD":                      "snapshot_retention_days",
	"INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD":                "daily_snapshot_retention_days",
	"INVALID_WEEKLY_SNAPSHOT_RETENTION_PERIOD":               "weekly_snapshot_retention_weeks",
	"INVALID_MONTHLY_SNAPSHOT_RETENTION_PERIOD":              "monthly_snapshot_retention_months",
	"CANNOT_SET_POINT_IN_TIME_WINDOW":                        "point_in_time_window_hours",
	"INVALID_CLUSTER_CHECKPOINT_INTERVAL":                    "cluster_checkpoint_interval_min",
	"CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET": "cluster_checkpoint_interval_min",
	"UPGRADE_FOR_CLUSTER_CHECKPOINT_INTERVAL":                "cluster_checkpoint_interval_min",
	"INVALID_REFERENCE_HOUR_OF_DAY":                          "reference_hour_of_day",
	"INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS":           "reference_hour_of_day",
	"CANNOT_SET_REF_TIME_OF_DAY":                             "reference_hour_of_day",
	"INVALID_REFERENCE_MINUTE_OF_HOUR":                       "reference_minute_of_hour",
	"INVALID_REFERENCE_TIMEZONE_OFFSET":                      "reference_time_zone_offset",

	"snapshotIntervalHours":          "snapshot_interval_hours",
	"snapshotRetentionDays":          "snapshot_retention_days",
	"dailySnapshotRetentionDays":     "daily_snapshot_retention_days",
	"weeklySnapshotRetentionWeeks":   "weekly_snapshot_retention_weeks",
	"monthlySnapshotRetentionMonths": "monthly_snapshot_retention_months",
	"pointInTimeWindowHours":         "point_in_time_window_hours",
	"clusterCheckpointIntervalMin":   "cluster_checkpoint_interval_min",
	"referenceHourOfDay":             "reference_hour_of_day",
	"referenceMinuteOfHour":          "reference_minute_of_hour",
	"referenceTimeZoneOffset":        "reference_time_zone_offset",
	"fullIncrementalDayOfWeek":       "full_incremental_day_of_week",
}

// snapshotScheduleIdentity is what a schedule is called by.
type snapshotScheduleIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`
}

func (m *snapshotScheduleModel) identity() snapshotScheduleIdentity {
	return snapshotScheduleIdentity{m.ProjectID, m.ClusterID}
}

func (r *snapshotScheduleResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"project_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the project: 24 hexadecimal digits."},
			"cluster_id": identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the cluster: 24 hexadecimal digits."},
		},
	}
}

// ValidateConfig rejects a time of day that cannot be converted.
func (r *snapshotScheduleResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config snapshotScheduleModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if offset := tfmodel.StringPointer(config.ReferenceTimeZoneOffset); offset != nil {
		minutes, err := parseOffset(*offset)
		switch {
		case err != nil: // the attribute's validator says so
		case config.ReferenceHourOfDay.IsNull():
			resp.Diagnostics.AddAttributeError(path.Root("reference_time_zone_offset"), "Offset Without an Hour",
				"An offset applies to reference_hour_of_day. Configure that too, or remove the offset.")
		case minutes%minutesPerHour != 0 && config.ReferenceMinuteOfHour.IsNull():
			resp.Diagnostics.AddAttributeError(path.Root("reference_time_zone_offset"), "Offset Without a Minute",
				fmt.Sprintf("%s is not whole hours, so the time in UTC depends on reference_minute_of_hour. Configure that too.", *offset))
		}
	}
}

// ModifyPlan plans what an apply changes, and warns what that overwrites, shortens
// or leaves behind.
func (r *snapshotScheduleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, prior snapshotScheduleModel
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
		resp.Diagnostics.AddWarning(
			fmt.Sprintf("Snapshot Schedule of Cluster %s Only Removed From the State", prior.ClusterID.ValueString()),
			"Destroying this resource calls nothing: Ops Manager keeps the schedule, and keeps taking snapshots.")
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.previewAdoption(ctx, config, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.ProjectID.Equal(prior.ProjectID) || !plan.ClusterID.Equal(prior.ClusterID) {
		// Terraform plans the creation half of a replacement by itself, and drops
		// the warnings of that.
		r.previewAdoption(ctx, config, &resp.Diagnostics)
		return
	}
	var before baseline
	tfmodel.ReadPrivate(ctx, req.Private, baselineKey, &before, &resp.Diagnostics)
	plan = plannedUpdate(config, prior, plan)
	if guard := plan.PreventRetentionDecrease; guard.IsUnknown() || guard.ValueBool() {
		guarded, kept := withDriftKept(config, prior, plan, before)
		if len(kept) > 0 && guard.IsUnknown() {
			resp.Diagnostics.AddAttributeError(path.Root("prevent_retention_decrease"), "Unknown Guard",
				"Whether the plan shortens these retentions depends on prevent_retention_decrease, which is not known yet:"+tfmodel.Bulleted(kept)+
					"\n\nGive it a value that is known when you plan.")
			return
		}
		if plan = guarded; len(kept) > 0 {
			resp.Diagnostics.AddWarning(
				fmt.Sprintf("Longer Retention of Cluster %s Kept", plan.ClusterID.ValueString()),
				"Something else has lengthened what is kept, and prevent_retention_decrease is set, so the plan does not put it back:"+tfmodel.Bulleted(kept)+
					"\n\nConfigure the values that you want. To shorten them, set prevent_retention_decrease = false.")
		}
	}
	if offset, dropped := droppedOffset(config, prior, before); dropped {
		resp.Diagnostics.AddAttributeWarning(path.Root("reference_time_zone_offset"),
			fmt.Sprintf("Another Time of Day for the Snapshots of Cluster %s", plan.ClusterID.ValueString()),
			fmt.Sprintf("The offset %s is no longer configured, so the configured time of day is in UTC:%s", offset, tfmodel.Bulleted(timeDifferences(config, prior.toAPI()))))
	}
	held := prior.toAPI()
	r.warnChange(ctx, config, plan, changes(config, plan, prior, held), held, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, plan)...)
}

// previewAdoption warns what creating the resource overwrites. Whatever is certain
// to fail the apply is an error already. A schedule that Ops Manager doesn't have
// yet is not: its cluster may come with the same apply.
func (r *snapshotScheduleResource) previewAdoption(ctx context.Context, config snapshotScheduleModel, diags *diag.Diagnostics) {
	if r.Data == nil || r.Client == nil || config.ProjectID.IsUnknown() || config.ClusterID.IsUnknown() {
		return
	}
	cluster := config.ClusterID.ValueString()
	live, err := r.Client.SnapshotSchedule(ctx, config.ProjectID.ValueString(), cluster)
	switch {
	case mayComeYet(err):
		diags.AddWarning(fmt.Sprintf("No Preview of the Snapshot Schedule of Cluster %s", cluster),
			"The plan does not show which live values the apply overwrites. "+diagnostics.Explain(err))
		return
	case err != nil:
		diags.Append(diagnostics.Failure(adoptionWording.summary, err, projects.Codes, projects.ClusterCodes, scheduleCodes))
		return
	}
	if overwritten := differences(config, *live); len(overwritten) > 0 {
		diags.AddWarning(fmt.Sprintf("Live Snapshot Schedule of Cluster %s Overwritten", cluster),
			"Creating this resource adopts the schedule that exists, and changes:"+tfmodel.Bulleted(overwritten))
	}
	r.warnChange(ctx, config, config, changes(config, config, adopted(*live), *live), *live, diags)
}

// adopted returns a schedule as a state that nothing was configured for.
func adopted(live opsmanager.SnapshotSchedule) snapshotScheduleModel {
	var m snapshotScheduleModel
	m.fromAPI(live)
	return m
}

// mayComeYet reports whether a schedule cannot be read because its cluster or its
// backup configuration isn't there, or isn't ready. Ops Manager doesn't document
// how it answers for a backup that has not been started.
func mayComeYet(err error) bool {
	var e *opsmanager.Error
	if !errors.As(err, &e) || !e.Document {
		return false
	}
	switch e.Code {
	case "GROUP_NOT_FOUND", "CANNOT_MODIFY_SHARD_BACKUP_CONFIG", "NOT_SHARDED":
		return false
	}
	return opsmanager.IsGone(err) || e.Status == http.StatusConflict
}

// warnChange warns what a change of a schedule shortens, and what of it may not come out
// as it is meant. With the guard, a shorter retention is an error.
func (r *snapshotScheduleResource) warnChange(ctx context.Context, config, plan, changed snapshotScheduleModel, held opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	cluster := config.ClusterID.ValueString()
	reportDecreases(plan, decreases(changed, held), diags)
	warnHiddenRetentions(plan, changed, held, diags)
	for _, w := range versionWarnings(changed, plan) {
		diags.AddAttributeWarning(path.Root(w.attribute), fmt.Sprintf("Unusual %s of Cluster %s", w.attribute, cluster),
			w.reason+" The value is sent as it is, and Ops Manager may reject it.")
	}
	day, time := tfmodel.StringPointer(config.FullIncrementalDayOfWeek), config.time()
	timeOrDayChanges := changed.time() != (timeOfDay{}) || !changed.FullIncrementalDayOfWeek.IsNull()
	if days := time.daysToUTC(); day != nil && days != 0 && timeOrDayChanges {
		which := map[int64]string{-1: "day before", 1: "day after"}[days]
		diags.AddAttributeWarning(path.Root("full_incremental_day_of_week"), fmt.Sprintf("Day of the Full Snapshot of Cluster %s Not Converted", cluster),
			fmt.Sprintf("The configured time of day at %s is on the %s in UTC, and %s is sent as it is. Ops Manager does not document whether it means the day in UTC. Check the day of the next full snapshot.",
				*time.offset, which, *day))
	}
	if !changed.ClusterCheckpointIntervalMin.IsNull() && r.isReplicaSet(ctx, config) {
		diags.AddAttributeError(path.Root("cluster_checkpoint_interval_min"), "Checkpoints of a Replica Set",
			fmt.Sprintf("Cluster %s is a replica set. Only sharded clusters have checkpoints, and Ops Manager rejects the interval. Remove cluster_checkpoint_interval_min.", cluster))
	}
}

// isReplicaSet reports whether Ops Manager says that a cluster is a replica set.
func (r *snapshotScheduleResource) isReplicaSet(ctx context.Context, config snapshotScheduleModel) bool {
	if r.Data == nil || r.Client == nil || config.ProjectID.IsUnknown() || config.ClusterID.IsUnknown() {
		return false
	}
	cluster, err := r.Client.Cluster(ctx, config.ProjectID.ValueString(), config.ClusterID.ValueString())
	return err == nil && cluster.TypeName != nil && *cluster.TypeName == "REPLICA_SET"
}

// reportDecreases warns of retentions that a change shortens, or refuses them if the
// guard is on.
func reportDecreases(plan snapshotScheduleModel, found []decrease, diags *diag.Diagnostics) {
	const meaning = "Ops Manager keeps fewer snapshots from now on. Existing ones stay until they expire."
	if plan.PreventRetentionDecrease.ValueBool() {
		for _, d := range found {
			diags.AddAttributeError(path.Root(cmp.Or(d.cause, d.attribute)), "Shorter Retention Prevented",
				fmt.Sprintf("%s\n\n%s prevent_retention_decrease is set for cluster %s. Configure a value that keeps as much, or set prevent_retention_decrease = false.",
					d, meaning, plan.ClusterID.ValueString()))
		}
		return
	}
	if len(found) > 0 {
		diags.AddWarning(
			fmt.Sprintf("Shorter Retention of Cluster %s", plan.ClusterID.ValueString()),
			"The change shortens:"+tfmodel.Bulleted(found)+"\n\n"+meaning+" Set prevent_retention_decrease = true to make this an error.")
	}
}

// warnHiddenRetentions warns of guarded retentions that are sent and that Ops
// Manager didn't return, so that a decrease cannot be seen.
func warnHiddenRetentions(plan, changed snapshotScheduleModel, held opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	if !plan.PreventRetentionDecrease.ValueBool() {
		return
	}
	var hidden []tfmodel.Difference
	for _, d := range differences(changed, held) {
		if d.Held == "" && isRetention(d.Attribute) {
			hidden = append(hidden, d)
		}
	}
	if interval := tfmodel.Int64Pointer(changed.SnapshotIntervalHours); interval != nil && *interval < hoursPerDay &&
		changed.SnapshotRetentionDays.IsNull() && held.SnapshotRetentionDays == nil {
		hidden = append(hidden, tfmodel.Difference{Attribute: recentRetentionDays.attribute, Wanted: fmt.Sprintf("at most %d", maxRecentRetentionDays)})
	}
	if len(hidden) > 0 {
		diags.AddWarning(fmt.Sprintf("Retention of Cluster %s Not Returned", plan.ClusterID.ValueString()),
			"Ops Manager did not return the values that these replace, so prevent_retention_decrease cannot tell whether they are shorter:"+tfmodel.Bulleted(hidden))
	}
}

func isRetention(attribute string) bool {
	return slices.ContainsFunc(integerFields, func(f integerField) bool { return f.keeps != "" && f.attribute == attribute })
}

// wording is what diagnostics say about a PATCH that adopts or updates a schedule.
type wording struct {
	summary   string // of its failure
	otherwise string // what the state has if Ops Manager adjusted a value
}

var (
	adoptionWording = wording{"Unable to Adopt Snapshot Schedule", "The schedule has been changed, but is not in the state. The next plan adopts it again."}
	updateWording   = wording{"Unable to Update Snapshot Schedule", "The state has the value that Ops Manager has."}
)

// Create adopts the existing schedule: it sends the configured fields that differ
// from the live ones. If anything fails it stores nothing. A stored state would be
// tainted, and planned for replacement; without one, the next plan adopts again.
func (r *snapshotScheduleResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan snapshotScheduleModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.Ready(adoptionWording.summary, &resp.Diagnostics) {
		return
	}
	live, err := r.Client.SnapshotSchedule(ctx, plan.ProjectID.ValueString(), plan.ClusterID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure(adoptionWording.summary, err, projects.Codes, projects.ClusterCodes, scheduleCodes))
		return
	}
	changed := changes(config, plan, adopted(*live), *live)
	held, answered := r.patch(ctx, adoptionWording, config, plan, changed, *live, decreases(changed, *live), &resp.Diagnostics)
	if !answered {
		// No state can remember it, so the next plan cannot tell what has changed.
		resp.Diagnostics.AddWarning(fmt.Sprintf("Retention of Cluster %s Before an Unanswered Change", plan.ClusterID.ValueString()),
			"The answer to the change was lost. Before it, Ops Manager had:"+tfmodel.Bulleted(retentionsOf(*live))+"\n\nCompare that with the live values that the next plan shows.")
	}
	if resp.Diagnostics.HasError() {
		return
	}
	created := plan.applied(held)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, created)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, created.identity())...)
	tfmodel.WritePrivate(ctx, resp.Private, baselineKey, baselineOf(config, created, baseline{}), &resp.Diagnostics)
}

func (r *snapshotScheduleResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	const summary = "Unable to Read Snapshot Schedule"
	var state snapshotScheduleModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set for a schedule that is gone too: Terraform before 1.12 refuses a
	// removal without it.
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, state.identity())...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	imported, found := req.Private.GetKey(ctx, importedKey)
	resp.Diagnostics.Append(found...)
	shown, err := r.Client.SnapshotSchedule(ctx, state.ProjectID.ValueString(), state.ClusterID.ValueString())
	switch {
	case opsmanager.IsGone(err) && len(imported) == 0:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(summary, err, projects.Codes, projects.ClusterCodes, scheduleCodes))
		return
	}
	if len(imported) > 0 {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, nil)...)
	}
	var before baseline
	tfmodel.ReadPrivate(ctx, req.Private, baselineKey, &before, &resp.Diagnostics)
	if !before.known() && len(imported) == 0 {
		// A provider without a baseline applied it, or it has only been imported.
		before = baselineOf(snapshotScheduleModel{}, state, baseline{})
		tfmodel.WritePrivate(ctx, resp.Private, baselineKey, before, &resp.Diagnostics)
	}
	warnUnread(state, before, *shown, &resp.Diagnostics)
	state.fromAPI(*shown)
	var unanswered opsmanager.SnapshotSchedule
	if tfmodel.ReadPrivate(ctx, req.Private, unansweredKey, &unanswered, &resp.Diagnostics) {
		warnShortened(state, shortened(*shown, unanswered), &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, unansweredKey, nil)...)
		offset := before.Offset
		before = baselineOf(snapshotScheduleModel{}, state, baseline{}) // of what came of the change
		before.Offset = offset
		tfmodel.WritePrivate(ctx, resp.Private, baselineKey, before, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, state)...)
}

// warnShortened warns of retentions that are shorter than before a change whose
// answer was lost.
func warnShortened(state snapshotScheduleModel, lost []decrease, diags *diag.Diagnostics) {
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Shorter Retention of Cluster %s Since an Unanswered Change", state.ClusterID.ValueString()),
			"The answer to the last change was lost. These retentions are shorter now than before it:"+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

// warnUnread warns of retentions that Ops Manager returned once and does not return
// now: their drift cannot be seen.
func warnUnread(state snapshotScheduleModel, before baseline, shown opsmanager.SnapshotSchedule, diags *diag.Diagnostics) {
	var unread []string
	for _, f := range integerFields {
		if before.of(f) != nil && f.keeps != "" && *f.api(&shown) == nil {
			unread = append(unread, f.attribute)
		}
	}
	if len(unread) > 0 {
		diags.AddWarning(fmt.Sprintf("Retention of Cluster %s Not Returned", state.ClusterID.ValueString()),
			"Ops Manager did not return "+strings.Join(unread, ", ")+". The state keeps the last known value, and drift does not show.")
	}
}

// Update sends what the plan changes, and nothing else. It reads the schedule
// first, to tell afterwards what else has changed.
func (r *snapshotScheduleResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, prior snapshotScheduleModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() || !r.Ready(updateWording.summary, &resp.Diagnostics) {
		return
	}
	held := prior.toAPI()
	if changed := changes(config, plan, prior, held); !changed.changesNothing() {
		live, err := r.Client.SnapshotSchedule(ctx, plan.ProjectID.ValueString(), plan.ClusterID.ValueString())
		if err != nil {
			resp.Diagnostics.Append(diagnostics.Failure(updateWording.summary, err, projects.Codes, projects.ClusterCodes, scheduleCodes))
			return
		}
		planned := decreases(changed, held)
		changed = changes(config, plan, prior, *live)
		after, answered := r.patch(ctx, updateWording, config, plan, changed, *live, planned, &resp.Diagnostics)
		if !answered {
			tfmodel.WritePrivate(ctx, resp.Private, unansweredKey, live, &resp.Diagnostics)
		}
		held = merged(held, after)
	}
	updated := plan.applied(held)
	if resp.Diagnostics.HasError() {
		updated = prior
		updated.fromAPI(held)
	}
	var before baseline
	tfmodel.ReadPrivate(ctx, req.Private, baselineKey, &before, &resp.Diagnostics)
	tfmodel.WritePrivate(ctx, resp.Private, baselineKey, baselineOf(config, updated, before), &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, updated.identity())...)
}

// patch sends a change, if there is one, and returns what Ops Manager holds then,
// and false if the change may have been made without an answer. A changed or
// configured field that comes back different is an error, and a decrease that the
// plan did not show is a warning, or an error with the guard.
func (r *snapshotScheduleResource) patch(ctx context.Context, how wording, config, plan, changed snapshotScheduleModel, live opsmanager.SnapshotSchedule, planned []decrease, diags *diag.Diagnostics) (held opsmanager.SnapshotSchedule, answered bool) {
	if changed.changesNothing() {
		return live, true
	}
	warnHiddenRetentions(plan, changed, live, diags)
	if plan.PreventRetentionDecrease.ValueBool() {
		reportDecreases(plan, decreases(changed, live), diags)
		if diags.HasError() {
			return live, true
		}
	}
	sent := withCompanions(changed, config, plan, live)
	project, cluster := plan.ProjectID.ValueString(), plan.ClusterID.ValueString()
	answer, err := r.Client.UpdateSnapshotSchedule(ctx, project, cluster, sent.toAPI())
	if err != nil {
		diags.Append(diagnostics.Failure(how.summary, err, projects.Codes, projects.ClusterCodes, scheduleCodes))
		return live, !opsmanager.MayHaveChanged(err)
	}
	held = merged(live, *answer)
	if len(tfmodel.Returned(differences(sent, held))) > 0 {
		r.Settle(ctx, func() bool {
			later, err := r.Client.SnapshotSchedule(ctx, project, cluster)
			if err == nil {
				held = merged(held, *later)
			}
			return len(tfmodel.Returned(differences(sent, held))) == 0
		})
	}
	for _, d := range tfmodel.Returned(differences(sent, held)) {
		diags.AddAttributeError(path.Root(d.Attribute), "Ops Manager Adjusted the Value",
			fmt.Sprintf("The provider sent %s, and Ops Manager made it %s. Configure a value that it keeps, or remove the attribute. %s", d.Wanted, d.Held, how.otherwise))
	}
	lost := without(shortened(held, live), planned)
	wrong := differences(appliedOf(config, plan), held)
	var others []tfmodel.Difference
	for _, d := range changedAlong(sent, live, held) {
		switch {
		case isAmong(planned, d.Attribute):
		case slices.ContainsFunc(wrong, func(w tfmodel.Difference) bool { return w.Attribute == d.Attribute }):
			diags.AddAttributeError(path.Root(d.Attribute), "Ops Manager Changed a Configured Value",
				fmt.Sprintf("Ops Manager changed it along with what the provider sent:%s\n\nConfigure values that it keeps together. %s", tfmodel.Bulleted([]tfmodel.Difference{d}), how.otherwise))
		case !isAmong(lost, d.Attribute):
			others = append(others, d)
		}
	}
	if len(others) > 0 {
		diags.AddWarning(fmt.Sprintf("Further Changes to the Snapshot Schedule of Cluster %s", cluster),
			"Ops Manager changed these fields along with the ones that the plan shows:"+tfmodel.Bulleted(others))
	}
	reportLost(plan, lost, diags)
	return held, true
}

// appliedOf returns the configured values that a plan applies, without those that
// ignore_changes or the guard leave as they are.
func appliedOf(config, plan snapshotScheduleModel) snapshotScheduleModel {
	for _, f := range integerFields {
		if !f.model(&config).Equal(*f.model(&plan)) {
			*f.model(&config) = types.Int64Null()
		}
	}
	if movesTime(config, plan) {
		config.ReferenceHourOfDay, config.ReferenceMinuteOfHour = types.Int64Null(), types.Int64Null()
	}
	if !config.FullIncrementalDayOfWeek.Equal(plan.FullIncrementalDayOfWeek) {
		config.FullIncrementalDayOfWeek = types.StringNull()
	}
	return config
}

func isAmong(found []decrease, attribute string) bool {
	return slices.ContainsFunc(found, func(d decrease) bool { return d.attribute == attribute })
}

// reportLost tells of retentions that an apply has shortened although its plan did
// not show that: a warning, or an error with the guard.
func reportLost(plan snapshotScheduleModel, lost []decrease, diags *diag.Diagnostics) {
	if plan.PreventRetentionDecrease.ValueBool() {
		for _, d := range lost {
			diags.AddAttributeError(path.Root(d.attribute), "Retention Shortened",
				fmt.Sprintf("Ops Manager shortened this along with what the provider sent to cluster %s:%s\n\n%s", plan.ClusterID.ValueString(), tfmodel.Bulleted([]decrease{d}), howToRestore))
		}
		return
	}
	if len(lost) > 0 {
		diags.AddWarning(fmt.Sprintf("Shorter Retention of Cluster %s Than Planned", plan.ClusterID.ValueString()),
			"The apply shortened what the plan did not show:"+tfmodel.Bulleted(lost)+"\n\n"+howToRestore)
	}
}

const howToRestore = "Existing snapshots stay until they expire, so nothing is lost yet. To get the retention back, configure it, or set it in Ops Manager."

// Delete forgets: the schedule lives as long as its backup configuration.
func (r *snapshotScheduleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState takes over a schedule by 'project_id/cluster_id' or by its identity.
// Ops Manager writes IDs in lower case, and so does the state.
func (r *snapshotScheduleResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	given := req.ID
	project, cluster, _ := strings.Cut(given, "/")
	id := snapshotScheduleIdentity{types.StringValue(project), types.StringValue(cluster)}
	if given == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(tfmodel.Read(ctx, req.Identity, &id)...)
		given = id.ProjectID.ValueString() + "/" + id.ClusterID.ValueString()
	}
	if !connection.IsObjectID(id.ProjectID.ValueString()) || !connection.IsObjectID(id.ClusterID.ValueString()) {
		resp.Diagnostics.AddError("Invalid Import ID",
			fmt.Sprintf("A snapshot schedule is imported as project_id/cluster_id, or by these two as its identity, each of 24 hexadecimal digits; got %q.", given))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	id.ProjectID = types.StringValue(strings.ToLower(id.ProjectID.ValueString()))
	id.ClusterID = types.StringValue(strings.ToLower(id.ClusterID.ValueString()))
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("project_id"), id.ProjectID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster_id"), id.ClusterID)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, id)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
}

// Keys of the private state.
const (
	baselineKey   = "baseline"   // what was applied
	unansweredKey = "unanswered" // the schedule before a change whose answer was lost, until the next read
	importedKey   = "imported"   // until the first read after an import
)

// dailyRetentions are what newer versions of the service take.
var dailyRetentions = []int64{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}

// versionWarning is a value that only some versions of Ops Manager accept.
type versionWarning struct{ attribute, reason string }

// versionWarnings returns the values that some documented versions of Ops Manager
// reject. They are sent all the same: Ops Manager decides.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
func versionWarnings(changed, plan snapshotScheduleModel) []versionWarning {
	var found []versionWarning
	say := func(attribute, format string, values ...any) {
		found = append(found, versionWarning{attribute, fmt.Sprintf(format, values...)})
	}
	interval, recent := tfmodel.Int64Pointer(plan.SnapshotIntervalHours), tfmodel.Int64Pointer(plan.SnapshotRetentionDays)
	switch recentChanges, intervalChanges := !changed.SnapshotRetentionDays.IsNull(), !changed.SnapshotIntervalHours.IsNull(); {
	case recent == nil || !recentChanges && !intervalChanges:
	case recentChanges && *recent < 2:
		say("snapshot_retention_days", "Most versions of Ops Manager keep recent snapshots for at least 2 days, and %d is configured.", *recent)
	case recentChanges && *recent > 30:
		say("snapshot_retention_days", "Ops Manager documents at most 30 days, or 5 if the interval is below 24 hours, and %d is configured.", *recent)
	case *recent > maxRecentRetentionDays && interval != nil && *interval < hoursPerDay:
		say("snapshot_retention_days", "Ops Manager documents at most 5 days if the interval is below 24 hours, and %d is configured.", *recent)
	}
	if daily := tfmodel.Int64Pointer(changed.DailySnapshotRetentionDays); daily != nil && !slices.Contains(dailyRetentions, *daily) {
		say("daily_snapshot_retention_days", "Newer versions of Ops Manager accept only 0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180 and 360 days, and %d is configured.", *daily)
	}
	if weekly := tfmodel.Int64Pointer(changed.WeeklySnapshotRetentionWeeks); weekly != nil && *weekly > 52 {
		say("weekly_snapshot_retention_weeks", "Ops Manager documents at most 52 weeks, and %d is configured.", *weekly)
	}
	if monthly := tfmodel.Int64Pointer(changed.MonthlySnapshotRetentionMonths); monthly != nil && *monthly > 36 {
		say("monthly_snapshot_retention_months", "Ops Manager documents at most 36 months, some versions 84, and %d is configured.", *monthly)
	}
	return found
}

// offsetValidator rejects what is no ISO 8601 offset.
type offsetValidator struct{}

func (offsetValidator) Description(context.Context) string {
	return "an ISO 8601 offset such as +0200, +02:00 or Z"
}

func (v offsetValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (offsetValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := parseOffset(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Offset", diagnostics.Sentence(err))
	}
}
