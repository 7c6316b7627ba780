package schedules

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

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
	"It does not stop a run that terminates the backup of the cluster. " +
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
	configured := tf.Read[snapshotScheduleModel](ctx, req.Config, diags)
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
