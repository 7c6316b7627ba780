package provider

import (
	"context"
	"fmt"
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
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

type snapshotScheduleResource struct {
	service *service
}

var (
	_ resource.ResourceWithConfigure      = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithIdentity       = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithImportState    = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*snapshotScheduleResource)(nil)
	_ resource.ResourceWithValidateConfig = (*snapshotScheduleResource)(nil)
)

func newSnapshotScheduleResource() resource.Resource { return &snapshotScheduleResource{} }

func (r *snapshotScheduleResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_snapshot_schedule"
}

func (r *snapshotScheduleResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaced := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	number := func(description string, validators ...validator.Int64) schema.Int64Attribute {
		return schema.Int64Attribute{Optional: true, Computed: true, MarkdownDescription: description + asItIs, Validators: validators}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The snapshot schedule of one cluster's backup configuration: when snapshots are taken, and how long they are kept.\n\n" +
			"Ops Manager makes the schedule together with the backup configuration, so creating this resource **adopts** it: " +
			"the configured fields are changed, and no other. The plan warns which live values that overwrites. " +
			"Destroying this resource **forgets** the schedule: nothing is called, and it stays as it is.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				Required: true, PlanModifiers: replaced, Validators: objectIDValidators(),
				MarkdownDescription: "Id of the project (group) that owns the backup configuration: 24 hexadecimal digits. Changing it adopts another schedule and forgets this one.",
			},
			"cluster_id": schema.StringAttribute{
				Required: true, PlanModifiers: replaced, Validators: objectIDValidators(),
				MarkdownDescription: "Id of the replica set, or of the whole sharded cluster, never of one shard: 24 hexadecimal digits. Changing it adopts another schedule and forgets this one.",
			},
			"snapshot_interval_hours": number("Hours between snapshots: `6`, `8`, `12` or `24`.", int64validator.OneOf(6, 8, 12, 24)),
			"snapshot_retention_days": number("Days to keep recent snapshots, at least `1`. "+
				"Ops Manager documents `2` to `5`, and up to `30` where the interval is 24 hours.", int64validator.AtLeast(1)),
			"daily_snapshot_retention_days": number("Days to keep daily snapshots; `0` keeps none. "+
				"Newer versions of Ops Manager take `0`, `3` to `7`, `15`, `30`, `60`, `90`, `120`, `180` and `360`, older ones up to `365`.", int64validator.AtLeast(0)),
			"weekly_snapshot_retention_weeks":   number("Weeks to keep weekly snapshots; `0` keeps none. Ops Manager documents up to `52`.", int64validator.AtLeast(0)),
			"monthly_snapshot_retention_months": number("Months to keep monthly snapshots; `0` keeps none. Ops Manager documents up to `36`.", int64validator.AtLeast(0)),
			"point_in_time_window_hours":        number("Hours in the past for which a point in time can be restored, `0` or more; Ops Manager documents no upper limit.", int64validator.AtLeast(0)),
			"cluster_checkpoint_interval_min": number("Minutes between checkpoints of a sharded cluster, which are the points in time that it can be restored to: `15`, `30` or `60`. "+
				"Not for replica sets. Null where Ops Manager has none.", int64validator.OneOf(15, 30, 60)),
			"reference_hour_of_day": number("Hour of the day at which snapshots are scheduled, `0` to `23`, at `reference_time_zone_offset`; in UTC where that is not configured.", int64validator.Between(0, 23)),
			"reference_minute_of_hour": number("Minute of the hour at which snapshots are scheduled, `0` to `59`. "+
				"Needed with an offset that is not whole hours.", int64validator.Between(0, 59)),
			"reference_time_zone_offset": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{offsetValidator{}},
				MarkdownDescription: "ISO 8601 offset from UTC of the hour and the minute, such as `+02:00`, `+0200`, `+02`, `-0330` or `Z`. Needs `reference_hour_of_day`. " +
					"Ops Manager stores UTC: the provider converts what it sends and what it shows, so that a time that is only spelled differently is no change. " +
					"An offset does not follow daylight-saving time." + asItIs,
			},
			"full_incremental_day_of_week": schema.StringAttribute{
				Optional: true, Computed: true, Validators: []validator.String{stringvalidator.OneOf(weekdays...)},
				MarkdownDescription: "Day of the week on which a full snapshot is taken: `SUNDAY`, `MONDAY`, and so on." + asItIs,
			},
			"prevent_retention_decrease": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a plan or an apply that shortens or switches off a retention, or the point-in-time window, is an error instead of a warning. " +
					"Default `false`.",
			},
		},
	}
}

// asItIs ends the description of each field of the schedule.
const asItIs = " Not configured: left as it is on the service, and shown."

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
			"project_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the project: 24 hexadecimal digits."},
			"cluster_id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the cluster: 24 hexadecimal digits."},
		},
	}
}

func (r *snapshotScheduleResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.service, _ = req.ProviderData.(*service)
}

// ValidateConfig rejects a time of day that cannot be converted, and warns of
// values that only some versions of the service take.
func (r *snapshotScheduleResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config snapshotScheduleModel
	resp.Diagnostics.Append(readModel(ctx, req.Config, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if offset := stringPointer(config.ReferenceTimeZoneOffset); offset != nil {
		minutes, err := parseOffset(*offset)
		switch {
		case err != nil: // the attribute's validator says so
		case config.ReferenceHourOfDay.IsNull():
			resp.Diagnostics.AddAttributeError(path.Root("reference_time_zone_offset"), "Offset Without an Hour",
				"An offset says where reference_hour_of_day is meant: configure that too, or remove the offset.")
		case minutes%minutesPerHour != 0 && config.ReferenceMinuteOfHour.IsNull():
			resp.Diagnostics.AddAttributeError(path.Root("reference_time_zone_offset"), "Offset Without a Minute",
				fmt.Sprintf("%s is not whole hours, so the time in UTC depends on reference_minute_of_hour: configure that too.", *offset))
		}
	}
	for _, doubt := range doubts(config) {
		resp.Diagnostics.AddAttributeWarning(path.Root(doubt.attribute), "Value May Be Refused by Ops Manager", doubt.reason)
	}
}

// ModifyPlan says what the plan may promise, and warns of what an apply will
// overwrite, shorten or leave behind.
func (r *snapshotScheduleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var config, plan, prior snapshotScheduleModel
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(readModel(ctx, req.State, &prior)...)
		resp.Diagnostics.AddWarning(
			fmt.Sprintf("The Snapshot Schedule of Cluster %s Stays in Force", prior.ClusterID.ValueString()),
			"Destroying this resource removes the schedule from the Terraform state and calls nothing: Ops Manager goes on taking and keeping snapshots as the schedule says.")
		return
	}
	resp.Diagnostics.Append(readModel(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(readModel(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		r.previewAdoption(ctx, config, plan, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(readModel(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() || !plan.ProjectID.Equal(prior.ProjectID) || !plan.ClusterID.Equal(prior.ClusterID) {
		return // a replacement, whose creation is planned by itself
	}
	if dropsOffset(config, prior) {
		resp.Diagnostics.AddAttributeWarning(path.Root("reference_time_zone_offset"),
			fmt.Sprintf("The Snapshots of Cluster %s Move", plan.ClusterID.ValueString()),
			fmt.Sprintf("The offset %s is no longer configured, so the configured time of day is now in UTC.%s",
				prior.ReferenceTimeZoneOffset.ValueString(), bulleted(timeDifferences(config, prior.request()))))
	}
	tellDecreases(plan, decreases(config, prior.request()), &resp.Diagnostics)
	resp.Diagnostics.Append(writeModel(ctx, &resp.Plan, plannedUpdate(config, prior, plan))...)
}

// previewAdoption warns what creating the resource will overwrite. A schedule
// that cannot be read yet is no error: its cluster may come with the same apply.
func (r *snapshotScheduleResource) previewAdoption(ctx context.Context, config, plan snapshotScheduleModel, diags *diag.Diagnostics) {
	if r.service == nil || r.service.client == nil || plan.ProjectID.IsUnknown() || plan.ClusterID.IsUnknown() {
		return
	}
	live, err := r.service.client.SnapshotSchedule(ctx, plan.ProjectID.ValueString(), plan.ClusterID.ValueString())
	if err != nil {
		diags.AddWarning(
			fmt.Sprintf("The Snapshot Schedule of Cluster %s Could Not Be Previewed", plan.ClusterID.ValueString()),
			"The plan does not show which live values the apply will overwrite. "+explained(err))
		return
	}
	if overwritten := shown(differences(config, *live)); len(overwritten) > 0 {
		diags.AddWarning(
			fmt.Sprintf("The Live Snapshot Schedule of Cluster %s Will Be Overwritten", plan.ClusterID.ValueString()),
			"Creating this resource adopts the schedule that is there, and changes:"+bulleted(overwritten))
	}
	tellDecreases(plan, decreases(config, *live), diags)
}

// tellDecreases warns of retentions that a plan shortens, or refuses them where
// the configuration says so.
func tellDecreases(plan snapshotScheduleModel, found []decrease, diags *diag.Diagnostics) {
	const meaning = "Fewer are kept from now on; snapshots that exist already stay until they expire."
	if plan.PreventRetentionDecrease.ValueBool() {
		for _, d := range found {
			diags.AddAttributeError(path.Root(d.attribute), "Retention Would Decrease",
				fmt.Sprintf("%s\n\n%s Cluster %s has prevent_retention_decrease set: raise the value, or set that to false to go on.",
					d, meaning, plan.ClusterID.ValueString()))
		}
		return
	}
	if len(found) > 0 {
		diags.AddWarning(
			fmt.Sprintf("Fewer Backups of Cluster %s Will Be Kept", plan.ClusterID.ValueString()),
			"The configuration shortens:"+bulleted(found)+"\n\n"+meaning+" Set prevent_retention_decrease = true to make this an error.")
	}
}

// change is a way to come to a schedule that is as configured.
type change struct {
	summary   string // of its failure
	otherwise string // where the service made something else of a value
}

var (
	adoption = change{"Unable to Adopt Snapshot Schedule", "The schedule has been changed, but is not in the state: the next plan is the adoption again."}
	update   = change{"Unable to Update Snapshot Schedule", "The state has what the service has."}
)

// Create adopts the schedule that is there.
func (r *snapshotScheduleResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var config, plan snapshotScheduleModel
	resp.Diagnostics.Append(readModel(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(readModel(ctx, req.Plan, &plan)...)
	if resp.Diagnostics.HasError() || !r.service.usable(adoption.summary, &resp.Diagnostics) {
		return
	}
	live, err := r.service.client.SnapshotSchedule(ctx, plan.ProjectID.ValueString(), plan.ClusterID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(failure(adoption.summary, err, projectCodes, clusterCodes, scheduleCodes))
		return
	}
	held := r.patch(ctx, adoption, config, plan, *live, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		// A stored state would be tainted, and planned for replacement. Without
		// one the next plan is this adoption again.
		return
	}
	created := plan.applied(held)
	resp.Diagnostics.Append(writeModel(ctx, &resp.State, created)...)
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, created.identity())...)
}

func (r *snapshotScheduleResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	const summary = "Unable to Read Snapshot Schedule"
	var state snapshotScheduleModel
	resp.Diagnostics.Append(readModel(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set for a schedule that is gone too: Terraform before 1.12 refuses a
	// removal without it.
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, state.identity())...)
	if r.service.keepsState(&resp.Diagnostics) {
		return
	}
	shown, err := r.service.client.SnapshotSchedule(ctx, state.ProjectID.ValueString(), state.ClusterID.ValueString())
	switch {
	case opsmanager.IsGone(err):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(failure(summary, err, projectCodes, clusterCodes, scheduleCodes))
		return
	}
	state.observe(*shown)
	resp.Diagnostics.Append(writeModel(ctx, &resp.State, state)...)
}

func (r *snapshotScheduleResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, prior snapshotScheduleModel
	resp.Diagnostics.Append(readModel(ctx, req.Config, &config)...)
	resp.Diagnostics.Append(readModel(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(readModel(ctx, req.State, &prior)...)
	if resp.Diagnostics.HasError() || !r.service.usable(update.summary, &resp.Diagnostics) {
		return
	}
	held := prior.request()
	if plan.PreventRetentionDecrease.ValueBool() && len(differences(config, held)) > 0 {
		// Since the plan somebody may have made the service keep more.
		live, err := r.service.client.SnapshotSchedule(ctx, plan.ProjectID.ValueString(), plan.ClusterID.ValueString())
		if err != nil {
			resp.Diagnostics.Append(failure(update.summary, err, projectCodes, clusterCodes, scheduleCodes))
			return
		}
		held = merged(held, *live)
	}
	held = r.patch(ctx, update, config, plan, held, &resp.Diagnostics)
	updated := plan.applied(held)
	if resp.Diagnostics.HasError() {
		updated = prior
		updated.observe(held)
	}
	resp.Diagnostics.Append(writeModel(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, updated.identity())...)
}

// patch makes the service hold what is configured, if it does not already, and
// returns what it holds then. Its answer is the truth: a configured field that
// comes back different is an error.
func (r *snapshotScheduleResource) patch(ctx context.Context, how change, config, plan snapshotScheduleModel, held opsmanager.SnapshotSchedule, diags *diag.Diagnostics) opsmanager.SnapshotSchedule {
	if len(differences(config, held)) == 0 {
		return held
	}
	if plan.PreventRetentionDecrease.ValueBool() {
		tellDecreases(plan, decreases(config, held), diags)
		if diags.HasError() {
			return held
		}
	}
	answer, err := r.service.client.UpdateSnapshotSchedule(ctx, plan.ProjectID.ValueString(), plan.ClusterID.ValueString(), config.request())
	if err != nil {
		diags.Append(failure(how.summary, err, projectCodes, clusterCodes, scheduleCodes))
		return held
	}
	for _, d := range shown(differences(config, *answer)) {
		diags.AddAttributeError(path.Root(d.attribute), "Ops Manager Adjusted the Value",
			fmt.Sprintf("%s was configured, and the service made it %s. Configure a value that it keeps, or leave the attribute to the service. %s", d.wanted, d.held, how.otherwise))
	}
	return merged(held, *answer)
}

// Delete forgets: the schedule lives as long as its backup configuration.
func (r *snapshotScheduleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *snapshotScheduleResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	given := req.ID
	project, cluster, _ := strings.Cut(given, "/")
	id := snapshotScheduleIdentity{types.StringValue(project), types.StringValue(cluster)}
	if given == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(readModel(ctx, req.Identity, &id)...)
		given = id.ProjectID.ValueString() + "/" + id.ClusterID.ValueString()
	}
	if !objectID.MatchString(id.ProjectID.ValueString()) || !objectID.MatchString(id.ClusterID.ValueString()) {
		resp.Diagnostics.AddError("Invalid Import ID",
			fmt.Sprintf("A snapshot schedule is imported as project_id/cluster_id, or by these two as its identity, each of 24 hexadecimal digits; got %q.", given))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("project_id"), id.ProjectID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster_id"), id.ClusterID)...)
	resp.Diagnostics.Append(writeModel(ctx, resp.Identity, id)...)
}

// doubt is a configured value that only some versions of the service take.
type doubt struct{ attribute, reason string }

// dailyRetentions are what newer versions of the service take.
var dailyRetentions = []int64{0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360}

// doubts finds values that some documented versions of the service refuse. They
// are sent all the same: the service knows its own version.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
func doubts(config snapshotScheduleModel) []doubt {
	var found []doubt
	say := func(attribute, format string, values ...any) {
		found = append(found, doubt{attribute, fmt.Sprintf(format, values...) + " The value is sent as it is."})
	}
	interval, recent := intPointer(config.SnapshotIntervalHours), intPointer(config.SnapshotRetentionDays)
	switch {
	case recent == nil:
	case *recent < 2:
		say("snapshot_retention_days", "Most versions of Ops Manager keep recent snapshots for at least 2 days; %d is configured.", *recent)
	case *recent > 30:
		say("snapshot_retention_days", "Ops Manager documents at most 30 days, and 5 where the interval is below 24 hours; %d is configured.", *recent)
	case *recent > 5 && interval != nil && *interval < 24:
		say("snapshot_retention_days", "Ops Manager documents at most 5 days where the interval is below 24 hours; %d is configured.", *recent)
	}
	if daily := intPointer(config.DailySnapshotRetentionDays); daily != nil && !slices.Contains(dailyRetentions, *daily) {
		say("daily_snapshot_retention_days", "Newer versions of Ops Manager take only 0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180 and 360 days; %d is configured.", *daily)
	}
	if weekly := intPointer(config.WeeklySnapshotRetentionWeeks); weekly != nil && *weekly > 52 {
		say("weekly_snapshot_retention_weeks", "Ops Manager documents at most 52 weeks; %d is configured.", *weekly)
	}
	if monthly := intPointer(config.MonthlySnapshotRetentionMonths); monthly != nil && *monthly > 36 {
		say("monthly_snapshot_retention_months", "Ops Manager documents at most 36 months, some versions 84; %d is configured.", *monthly)
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
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Offset", sentence(err))
	}
}
