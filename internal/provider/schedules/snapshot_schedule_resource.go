package schedules

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type snapshotScheduleResource struct{ projects.ClusterResource }

// NewSnapshotScheduleResource returns the resource opsmanager_snapshot_schedule.
func NewSnapshotScheduleResource() resource.Resource {
	return &snapshotScheduleResource{projects.ClusterResource{
		Resource: connection.Resource{TypeName: "snapshot_schedule"}, Kind: "snapshot schedule",
	}}
}

func (r *snapshotScheduleResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the snapshot schedule of one cluster: when Ops Manager takes snapshots, and how long it keeps them.\n\n" +
			"Ops Manager creates a schedule when the backup of a cluster is first started, so creating this resource **adopts** the schedule, and the plan shows in `overwrites` what changes. " +
			"Attributes that you leave out keep their current values. " +
			"Destroying this resource only removes the schedule from the state.\n\n" +
			"To start the backup in the same apply, refer to its `opsmanager_backup_config`. To give many clusters the same schedule, use `opsmanager_snapshot_policy` instead.\n\n" +
			"If another product backs up the cluster, or may do so because the state of that backup is not documented, a plan that changes the schedule fails.\n\n" +
			"-> Requires the role `Project Backup Admin`. To plan, `Project Read Only` is enough.\n\n" +
			"~> If a change leaves fewer recovery points, the plan only warns. Set `retention_protection = true` to make it an error. Existing snapshots stay until they expire.\n\n" + whatIsProtected +
			" A backup that the same run first starts has no recovery points to lose.",
		Attributes: scheduleAttributes(true),
	}
	maps.Copy(resp.Schema.Attributes, map[string]schema.Attribute{
		"overwrites":           overwritesTypes.Attribute("What creating this resource overwrites, and what Ops Manager changes with it. In it, `reference_time_of_day` stands for the hour and the minute, in UTC."),
		"project_id":           tf.ObjectIDAttribute(tf.ProjectIDText + " Changing it adopts a different schedule."),
		"cluster_id":           tf.ObjectIDAttribute(tf.ClusterIDText + " Changing it adopts a different schedule."),
		"retention_protection": retentionProtection,
	})
}

// retentionProtection is an attribute of a schedule and of a policy.
var retentionProtection = schema.BoolAttribute{
	Optional: true,
	MarkdownDescription: "Whether a plan that leaves fewer recovery points is an error instead of a warning. " +
		"The environment variable `" + connection.RetentionProtectionVariable + "` turns it on for all schedules, whatever they set. Defaults to `false`.",
}

// whatIsProtected describes retentionProtection.
const whatIsProtected = "`retention_protection` compares each plan with the live schedule, even if another client changed it. " +
	"It rejects a shorter retention or point-in-time window, one that is turned off, and a longer interval between snapshots or checkpoints. " +
	"To accept one of these, set it to `false`, apply, and then change the schedule: the value in the state also counts. " +
	"A plan with `-target`, or with a `removed` block for the resource, or with `-refresh=false` for a tainted one, does not see that value. " +
	"Nor does a resource with another provider alias, or in another state: it can change the same schedule without this protection. " +
	"A new protection whose clusters, or whose connection, are known only during the apply does not stop another resource of that apply. " +
	"If it makes a destroy fail, use `terraform destroy -refresh=false`."

// scheduleAttributes returns the attributes of the fields of a schedule. Computed attributes export the current
// value, so they may be live ones, and only they are described in full.
func scheduleAttributes(computed bool) map[string]schema.Attribute {
	text := func(is, further string) string {
		if computed {
			return is + " " + further + tf.Kept
		}
		return is
	}
	var weekday validator.String = stringvalidator.OneOf("SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY")
	if computed {
		weekday = tf.NewValue(weekday)
	}
	offset := tf.TextAttribute(text(offsetText, "Requires `reference_hour_of_day`. Ops Manager stores UTC, and the provider converts. "+
		"An offset does not follow daylight saving time: change it when the clocks change, or let the snapshots move by an hour."),
		stringvalidator.RegexMatches(offsetForm,
			"must be Z, or a sign with hours and optional minutes, such as +0200, +02:00 or -0330, and not the name of a time zone"))
	day := tf.TextAttribute(text(dayText, "The offset doesn't change it. Ops Manager doesn't document its time zone."), weekday)
	offset.Computed = computed
	day.Computed = computed
	all := map[string]schema.Attribute{zoneOffset: offset, fullSnapshotDay: day}
	for _, f := range numberFields {
		accepts := f.accepts
		if computed {
			accepts = tf.NewValue(f.accepts)
		}
		number := tf.NumberAttribute(text(f.is, f.further), accepts)
		number.Computed = computed
		all[f.attribute] = number
	}
	return all
}

// Codes are the codes about a schedule and its fields.
var Codes = tf.Codes{
	Attributes: map[string]string{
		"CANNOT_MODIFY_SHARD_BACKUP_CONFIG": "cluster_id",
		"NOT_SHARDED":                       "cluster_id",

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
	},
	Fields: scheduleFields.Attributes(),
	Advice: map[string]string{
		"NOT_SHARDED": "Only replica sets and whole sharded clusters have a schedule. Use the ID of one of these.",
		"CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET": "This cluster is a replica set, and only sharded clusters have checkpoints. Remove cluster_checkpoint_interval_min.",
		"UPGRADE_FOR_CLUSTER_CHECKPOINT_INTERVAL":                "The agents of this cluster are too old for checkpoints. Upgrade them, or remove cluster_checkpoint_interval_min.",
		"CANNOT_SET_POINT_IN_TIME_WINDOW":                        "Ops Manager does not allow the point-in-time window of this cluster to be set. Remove point_in_time_window_hours.",
		"INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS":           "This version of Ops Manager ({version}) accepts the hour and the minute only together. Configure both reference_hour_of_day and reference_minute_of_hour.",
		"CANNOT_SET_REF_TIME_OF_DAY": "Ops Manager does not allow the time of day of this cluster's snapshots to be set. " +
			"Remove reference_hour_of_day, reference_minute_of_hour and reference_time_zone_offset.",
		"409": "A schedule can be changed only after the backup of its cluster has been started. If it has not been, start it, for example with opsmanager_backup_config, then apply again.",
	},
}

// ValidateConfig rejects a time of day that can't be converted to UTC.
func (r *snapshotScheduleResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	diags := &resp.Diagnostics
	configured := read[snapshotScheduleModel](ctx, req.Config, diags)
	if !diags.HasError() {
		checkTimeOfDay(configured.Values, path.Empty(), diags)
	}
}

// checkTimeOfDay rejects a time of day that can't be converted to UTC.
func checkTimeOfDay(configured tf.Values, at path.Path, diags *diag.Diagnostics) {
	offset := offsetOf(configured)
	if offset == nil || !offsetForm.MatchString(*offset) { // which the validator of the attribute reports
		return
	}
	at = at.AtName(zoneOffset)
	switch isWhole := minutesEast(offset)%minutesPerHour == 0; {
	case configured[hourOfDay].IsNull():
		diags.AddAttributeError(at, "Offset Without an Hour",
			"An offset applies to reference_hour_of_day. Configure that as well, or remove the offset.")
	case !isWhole && configured[minuteOfHour].IsNull():
		diags.AddAttributeError(at, "Offset Without a Minute",
			*offset+" is not a whole number of hours, so the time in UTC depends on reference_minute_of_hour. Configure that as well.")
	}
}

// Create adopts the existing schedule, and sends the configured fields that differ from
// the live ones. If anything fails, it stores no state: a stored state would be tainted and
// planned for replacement. Without a state, the next plan adopts the schedule again.
func (r *snapshotScheduleResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	configured := read[snapshotScheduleModel](ctx, req.Config, diags)
	planned := read[snapshotScheduleModel](ctx, req.Plan, diags)
	if diags.HasError() || !r.Ready(adoptionWording.summary, diags) {
		return
	}
	adoption := adoptionOf(r.Data, configured)
	if planned.Overwrites.IsUnknown() { // the plan has said that it can't show them
		live, err := adoption.read(ctx)
		if err != nil {
			diags.Append(adoption.failure(err))
			return
		}
		planned.Overwrites = adoption.overwrites(*live)
	}
	done := adoption.showing(planned.Overwrites).run(ctx, diags)
	if diags.HasError() {
		return
	}
	created := planned.applied(done.Now)
	diags.Append(tf.Write(ctx, &resp.State, created)...)
	diags.Append(tf.Write(ctx, resp.Identity, created.ClusterIdentity)...)
}

func (r *snapshotScheduleResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := read[snapshotScheduleModel](ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	// Also set if the schedule is gone: Terraform before 1.12 requires it for a removal.
	diags.Append(tf.Write(ctx, resp.Identity, state.ClusterIdentity)...)
	of := clusterOf(r.Data, state.ClusterIdentity)
	if r.KeepsState(diags) {
		of.guardState(state.RetentionProtection, keepsSchedule, diags)
		return
	}
	key, problems := req.Private.GetKey(ctx, projects.ImportedKey)
	diags.Append(problems...)
	isImported := len(key) > 0
	status := ""
	live, err := of.read(ctx)
	if !isImported {
		status = of.statusWithoutSchedule(ctx, err)
	}
	switch isMissing := opsmanager.IsMissing(err, opsmanager.ObjectSchedule) && !isImported; {
	case status != "" && status != opsmanager.StatusInactive:
		diags.AddWarning(projects.DriftNotShown, "The backup of cluster "+of.clusterID+" is "+opsmanager.Sanitize(status)+
			", so the provider kept the state and cannot show drift.")
		return
	case status == opsmanager.StatusInactive, isMissing:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		diags.Append(readWording.failure(err))
		return
	}
	if isImported {
		diags.Append(resp.Private.SetKey(ctx, projects.ImportedKey, nil)...)
	}
	of.guardState(state.RetentionProtection, keepsSchedule, diags)
	projects.WarnUnread(of.clusterID, unreadIn(*live, scheduleOf(state.Values)), diags)
	diags.Append(tf.Write(ctx, &resp.State, state.refreshed(*live))...)
}

// unreadIn returns the guarded attributes that a response leaves out although their value is known.
func unreadIn(response, known schedule) (unread []string) {
	for _, f := range guardedFields {
		if *f.at(&known) != nil && *f.at(&response) == nil {
			unread = append(unread, f.attribute)
		}
	}
	return unread
}

// Update sends what the plan changes. It sends nothing if one of those values is no longer that of the state.
func (r *snapshotScheduleResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	configured := read[snapshotScheduleModel](ctx, req.Config, diags)
	planned := read[snapshotScheduleModel](ctx, req.Plan, diags)
	state := read[snapshotScheduleModel](ctx, req.State, diags)
	if diags.HasError() || !r.Ready(updateWording.summary, diags) {
		return
	}
	tf.TakePlan(ctx, resp.Private, diags)
	updated := planned.applied(scheduleOf(state.Values))
	if update := updateOf(r.Data, configured, planned, state); !update.isEmpty() {
		done := update.run(ctx, diags)
		if done == nil {
			return
		}
		updated = planned.applied(done.Now)
		if diags.HasError() { // Ops Manager did not do what the plan showed
			updated = state.refreshed(done.Now)
		}
	}
	diags.Append(tf.Write(ctx, &resp.State, updated)...)
	diags.Append(tf.Write(ctx, resp.Identity, updated.ClusterIdentity)...)
}

// Delete only removes the schedule from the state. Ops Manager deletes it together with its
// backup configuration.
func (r *snapshotScheduleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// NewSnapshotScheduleDataSource returns the data source opsmanager_snapshot_schedule.
var NewSnapshotScheduleDataSource = sources.DataSource{
	Name:    "snapshot_schedule",
	Summary: readWording.summary,
	Codes:   []tf.Codes{projects.Codes, projects.ClusterCodes, Codes},
	Schema: datasourceschema.Schema{
		MarkdownDescription: "Reads the current snapshot schedule of one cluster. The time of day is in UTC, as Ops Manager stores it.\n\n" +
			"-> Requires the role `Project Read Only`.",
		Attributes: sources.Merge(liveColumns.Attributes(), map[string]datasourceschema.Attribute{
			"project_id": projects.IDAttribute(),
			"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster, not of a shard"),
		}),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config, _ *diag.Diagnostics) (tf.Values, error) {
		s, err := projects.SnapshotSchedule(ctx, &connection.Data{Client: client}, config.Text("project_id"), config.Text("cluster_id"))
		if err != nil {
			return nil, err
		}
		return liveColumns.Values(*s), nil
	},
}.Constructor()

// Object is a schedule as Ops Manager returns it, without its IDs.
var Object = sources.ObjectOf(liveColumns...)

var liveColumns = func() sources.Columns[schedule] {
	texts := map[string]string{zoneOffset: offsetText + " Ops Manager stores `+0000`.", fullSnapshotDay: dayText}
	for _, f := range numberFields {
		texts[f.attribute] = f.is
	}
	return sources.Of(sources.Fields(scheduleFields, texts), withNull)
}()

// NewSnapshotScheduleList returns the list resource opsmanager_snapshot_schedule.
var NewSnapshotScheduleList = sources.ListResource[projects.Backup]{
	Name:  "snapshot_schedule",
	Title: "Snapshot Schedules",
	Codes: []tf.Codes{projects.Codes},
	Description: "Lists the snapshot schedules of a project, sorted by cluster name.\n\n" +
		"`include_resource = true` reads each schedule. A schedule that can't be read is left out with a warning.",
	Requires:   "the role `Project Read Only`",
	Attributes: map[string]listschema.Attribute{"project_id": sources.QueryID("ID of the project")},
	Read:       projects.ListBackups,
	Object: projects.ListedBackup(func(ctx context.Context, q sources.Query, b projects.Backup) sources.Listed {
		if tf.Text(b.Config.StatusName) == opsmanager.StatusInactive {
			return sources.LeftOut(b.Label(), "The backup has ended, or was never started, so there is no schedule.")
		}
		listed := snapshotScheduleModel{
			ClusterIdentity: projects.ClusterIdentityOf(q.ID("project_id"), *b.Cluster.ID),
			Overwrites:      types.ObjectNull(overwritesTypes),
		}
		if q.IncludesResource {
			live, err := clusterOf(q.Data, listed.ClusterIdentity).read(ctx)
			if err != nil { // an error would end the query because of one cluster
				return sources.LeftOut(b.Label(), tf.Explain(err, projects.ClusterCodes, Codes, tf.MissingForRead))
			}
			listed = listed.refreshed(*live)
		}
		return sources.Listed{
			Name:     *b.Cluster.NameOrID(),
			Identity: tf.ValuesOf(listed.ClusterIdentity),
			Resource: tf.ValuesOf(listed),
		}
	}),
	AtOnce: 8,
}.Constructor()
