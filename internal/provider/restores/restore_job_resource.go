package restores

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type restoreJobResource struct{ connection.Resource }

// NewRestoreJobResource returns the resource opsmanager_restore_job. It has no identity,
// because a change of its triggers makes it another job.
func NewRestoreJobResource() resource.Resource {
	return &restoreJobResource{connection.Resource{TypeName: "restore_job"}}
}

const defaultTimeout = 6 * time.Hour

const overwriteSourceDescription = "Whether the target may be the cluster whose backup is restored. Defaults to `false`."

func (r *restoreJobResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	id := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{
			Optional:            true,
			Validators:          append(validators, tf.ObjectIDValidators()...),
			MarkdownDescription: description,
		}
	}
	required := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Required: true, Validators: tf.ObjectIDValidators(), MarkdownDescription: description}
	}
	number := func(description string, least int64, validators ...validator.Int64) schema.Int64Attribute {
		return schema.Int64Attribute{
			Optional:            true,
			CustomType:          tf.WholeNumberType{},
			Validators:          append(validators, int64validator.AtLeast(least)),
			MarkdownDescription: description,
		}
	}
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	root := path.MatchRoot
	resp.Schema = schema.Schema{
		MarkdownDescription: "Restores a snapshot or a point in time of a cluster, into a cluster or to a download link, and waits until the restore has ended.\n\n" +
			"Creating this resource starts a restore. After that, **only a change of `triggers` starts a new one.** If the source or the target changes, such as the newest snapshot, the plan keeps the previous restore, with a warning. " +
			"Destroying this resource only removes it from the state, and a restore can't be canceled through the API. " +
			"Wait until it has ended: once it has left the state, also by a `removed` block with `lifecycle { destroy = false }`, later plans don't see it, and may delete the snapshot that it reads.\n\n" +
			"!> **A restore replaces all data of its target.** `target_cluster_name` must be the name of the target, which the provider checks in the plan and right before the request.\n\n" +
			"-> Requires the role `Project Backup Admin` in the projects of both clusters.\n\n" +
			"If a restore fails, or if a timeout or Ctrl-C ends the apply first, the apply succeeds with a warning, because a failed creation would make Terraform start a second restore. " +
			"To fail the run, check `status_name` in a `postcondition`, as the examples do. Each refresh reads the status until the restore and its delivery have ended.\n\n" +
			"`FINISHED` means that Ops Manager has delivered the files, not that the data can be read: check that, as the restore drill of the guide \"Restore, and drill\" does.\n\n" +
			"The provider sends a request once. If its outcome is not known, the apply fails, lists the newest restores of the cluster, and stores the restore as `UNKNOWN`. " +
			"Each later plan that restores the same cluster, or into the same target, with the same provider alias, fails until you decide, whatever you change: import the restore if there is one, or run `terraform state rm` to start one. `terraform destroy -refresh=false` works meanwhile.\n\n" +
			"The restore of a sharded cluster has a job for each shard. It is `FINISHED` once one has finished for each shard. Their number comes from the snapshot that the restore starts from, or else from the cluster. " +
			"If it is not known, the status stays `IN_PROGRESS`.\n\n" +
			"Ops Manager refuses a point in time until it has the oplog up to then. The apply asks again for up to ten minutes.\n\n" +
			"A plan fails if it would repeat a restore without a change of `triggers`: with `-replace`, after a failed provisioner, or at a new address without a `moved` block. It also fails if it contains two restores into one cluster with the same provider alias. It can't see those with another one. " +
			"Values that are not known yet count as equal. If two different restores therefore look alike, give each resource `triggers` of its own.\n\n" +
			"The provider can't notice a repetition with `-target` at the new address, with a different provider configuration, after `terraform state rm`, or if Terraform was killed and saved no state. " +
			"So the warning of each such plan lists the cluster's newest restores.\n\n" +
			"A restore that has ended stays in the state, even if Ops Manager no longer returns it.",
		Attributes: map[string]schema.Attribute{
			"project_id": required("ID of the project of the cluster whose backup is restored."),
			"cluster_id": required("ID of the replica set or of the whole sharded cluster whose backup is restored."),

			"snapshot_id": id("ID of the snapshot to restore. Or set `point_in_time` or `oplog_ts`.", stringvalidator.ConflictsWith(root("point_in_time"), root("oplog_ts"))),
			"point_in_time": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{tf.ATime, stringvalidator.ConflictsWith(root("oplog_ts"))},
				MarkdownDescription: "Point in time to restore, ISO 8601 to the millisecond, such as `2026-11-22T12:05:00.250+02:00`, in a range of the data source `opsmanager_restorable_time_ranges`. " +
					"The newest documentation allows only the last 24 hours.",
			},
			"oplog_ts":  number("Time of the last oplog entry to restore, in seconds since 1970, UTC. Requires `oplog_inc`.", 0, atMost32Bits, int64validator.AlsoRequires(root("oplog_inc"))),
			"oplog_inc": number("Order of the oplog entry within its second, `1` or more. Requires `oplog_ts`.", 1, atMost32Bits, int64validator.AlsoRequires(root("oplog_ts"))),

			"target_project_id": id("ID of the project of the cluster to restore into.", stringvalidator.AlsoRequires(root("target_cluster_id"))),
			"target_cluster_id": id("ID of the cluster to restore into. It must have the same topology, and Automation must manage it.",
				stringvalidator.AlsoRequires(root("target_project_id"), root("target_cluster_name")),
				stringvalidator.ConflictsWith(root("max_downloads")),
			),
			"target_cluster_name": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.AlsoRequires(root("target_cluster_id")),
				},
				MarkdownDescription: "Exact name of the cluster to restore into, which confirms that it may be overwritten.",
			},
			"overwrite_source": schema.BoolAttribute{Optional: true, MarkdownDescription: overwriteSourceDescription},
			"max_downloads":    number("How often the download link can be used, `1` or more. Set it instead of a target to restore to a link.", 1),
			"expires": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					tf.ATime,
					stringvalidator.AlsoRequires(root("max_downloads")),
					stringvalidator.ConflictsWith(root("expiration_hours")),
				},
				MarkdownDescription: "Time when the link expires, ISO 8601, such as `2027-01-31T00:00:00Z`. Requires `max_downloads`. Conflicts with `expiration_hours`.",
			},
			"expiration_hours": number("Hours that the link is valid after the restore has ended, `1` or more. Requires `max_downloads`.", 1, int64validator.AlsoRequires(root("max_downloads"))),

			"triggers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Map of any values. Changing it starts a new restore. Adding it to an imported restore does not.",
			},
			"timeouts": tf.TimeoutsAttribute(ctx, timeouts.Opts{
				Create:            true,
				Update:            true,
				CreateDescription: "Defaults to `6h`.",
				UpdateDescription: "Defaults to `6h`.",
			}),

			"id":       computed("ID of the batch of a sharded cluster, or of the restore job of a replica set. Null if it is not known."),
			"batch_id": computed("ID of the batch of a sharded cluster. Null for a replica set."),
			"status_name": computed("Status of the restore: `IN_PROGRESS`, `FINISHED`, `BROKEN` or `KILLED`. A batch is `BROKEN` or `KILLED` if one of its jobs is. " +
				"`FAILED` or `INTERRUPTED` if a job has finished, but not its delivery. `UNKNOWN` if Ops Manager does not return the restore or how it was delivered, or if it is not known whether it was started."),
			"jobs": schema.ListAttribute{
				Computed:    true,
				ElementType: jobType,
				MarkdownDescription: "The restore jobs, sorted by ID: one, or one for each shard. Each has its `id`, the `cluster_id` of the restored cluster as Ops Manager returns it, " +
					"the `snapshot_id` that the restore starts from, the time when it was requested in `created`, ISO 8601 in UTC, its `status_name`, and in `delivery_status_name` the status of the data, such as `READY`.",
			},
			"download_urls": schema.MapAttribute{
				Computed:            true,
				Sensitive:           true,
				ElementType:         types.StringType,
				MarkdownDescription: "Download links by job ID, which are stored in the state. Anyone who has a link can download the data. Null if the restore has a target.",
			},
		},
	}
}

const (
	previewSummary = "Unable to Plan Restore"
	startSummary   = "Unable to Start Restore"
	readSummary    = "Unable to Read Restore Job"
)

// targetCodes are the codes about the target.
var targetCodes = tf.Codes{
	Attributes: map[string]string{
		"GROUP_NOT_FOUND":    "target_project_id",
		"NOT_IN_GROUP":       "target_project_id",
		"INVALID_GROUP_ID":   "target_project_id",
		"CLUSTER_NOT_FOUND":  "target_cluster_id",
		"INVALID_CLUSTER_ID": "target_cluster_id",
	},
}

// Codes are the codes about a restore.
var Codes = tf.Codes{
	Attributes: map[string]string{
		"CANNOT_RESTORE_TO_TARGET":                "target_cluster_id",
		"CONCURRENT_RESTORES":                     "target_cluster_id",
		"CONCURRENT_RESTORES_JOB_IDS":             "target_cluster_id",
		"AUTOMATED_RESTORE_OF_SHARD_NOT_ALLOWED":  "cluster_id",
		"EXPIRATION_DATE_IN_PAST":                 "expires",
		"LINK_EXPIRATION_AFTER_SNAPSHOT_DELETION": "expires",

		"targetGroupId":   "target_project_id",
		"targetClusterId": "target_cluster_id",
		"maxDownloads":    "max_downloads",
		"expires":         "expires",
		"expirationHours": "expiration_hours",
	},
	Advice: map[string]string{
		"CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT":         deletedSnapshot,
		"CANNOT_START_RESTORE_JOB_FOR_DELETED_CLUSTER_SNAPSHOT": deletedSnapshot,
		"RESTORE_VALIDATION_FAILED":                             brokenSnapshot,
		"SNAPSHOT_BLOCKS_MISSING":                               brokenSnapshot,
		"SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE":                 "Ops Manager could not check the snapshot in time, for example because its store does not respond. No restore was started. Apply again later.",
		"CONCURRENT_RESTORES":                                   concurrentRestores,
		"CONCURRENT_RESTORES_JOB_IDS":                           concurrentRestores,
		"CANNOT_RESTORE_TO_TARGET": "Ops Manager does not restore into this cluster. Check both IDs of the target, that it has the topology of the restored cluster, that Automation manages it, " +
			"and that the API key has the role Project Backup Admin in its project.",
	},
}

const (
	deletedSnapshot    = "Ops Manager has deleted this snapshot, or is about to, because it expired. No restore was started. Restore a different snapshot."
	brokenSnapshot     = "Ops Manager checked the snapshot and found that it cannot be restored, because data of it is missing or damaged. No restore was started. Restore a different snapshot, and have the administrator of Ops Manager check the store."
	concurrentRestores = "A different restore is in progress, so this one was not started. If an earlier run that was killed started it, import it instead of restoring again. Otherwise, apply again after it has ended. " +
		"The data source opsmanager_restore_jobs lists the restores of a cluster."
)

// sourceCodes are the codes about the source of a restore, apart from that of a missing snapshot.
var sourceCodes = []string{
	"INVALID_SNAPSHOT_ID", "CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT", "CANNOT_START_RESTORE_JOB_FOR_DELETED_CLUSTER_SNAPSHOT",
	"CANNOT_START_RESTORE_JOB_FOR_INCOMPLETE_CLUSTER_SNAPSHOT", "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT", "INVALID_PIT_RESTORE_TIME",
	"UNABLE_T0_FIND_SNAPSHOT_PRIOR_TO_PIT_RESTORE_OPTIME", "NO_CHECKPOINT_FOR_PIT_RESTORE",
	"PIT_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS", "OPLOG_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS",
	"RESTORE_VALIDATION_FAILED", "SNAPSHOT_BLOCKS_MISSING", "SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE",
	"snapshotId", "pointInTimeUTCMillis", "oplogTs", "oplogInc",
}

// failure returns the diagnostic of a failed call about the restored cluster.
func (m restoreJobModel) failure(summary string, err error) diag.Diagnostic {
	source := map[string]string{"SNAPSHOT_NOT_FOUND": m.sourceAttribute()}
	for _, code := range sourceCodes {
		source[code] = m.sourceAttribute()
	}
	return tf.Failure(summary, err, projects.Codes, projects.ClusterCodes, Codes, tf.Codes{Attributes: source})
}

func (r *restoreJobResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	plan := tf.Read[restoreJobModel](ctx, req.Plan, diags)
	timeout, problems := plan.Timeouts.Create(ctx, defaultTimeout)
	diags.Append(problems...)
	if diags.HasError() || !r.Ready(startSummary, diags) {
		return
	}
	if r.restore(ctx, &plan, timeout, diags) {
		tf.Write(ctx, &resp.State, plan, diags)
	}
}

// Update starts another restore if the plan says so. Otherwise it sends no request.
func (r *restoreJobResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	plan := tf.Read[restoreJobModel](ctx, req.Plan, diags)
	timeout, problems := plan.Timeouts.Update(ctx, defaultTimeout)
	diags.Append(problems...)
	if diags.HasError() {
		return
	}
	if plan.Jobs.IsUnknown() {
		if !r.Ready(startSummary, diags) || !r.restore(ctx, &plan, timeout, diags) {
			return
		}
		diags.Append(resp.Private.SetKey(ctx, importedKey, nil)...)
	}
	tf.Write(ctx, &resp.State, plan, diags)
}

// restore starts a restore, waits until it has ended, and sets the computed values. It returns
// false, with an error, if no restore was started. After the start, it only warns: an error would
// make Terraform taint the resource. If it is not known whether the restore was started, that is an
// error nevertheless, and each plan fails until a person decides.
func (r *restoreJobResource) restore(ctx context.Context, m *restoreJobModel, timeout time.Duration, diags *diag.Diagnostics) bool {
	jobs, lost := r.start(ctx, *m, timeout, diags)
	if diags.HasError() {
		return false
	}
	if lost != nil {
		m.fromRead(nil, nil)
		diags.Append(r.undecided(ctx, *m, tf.Sentence(lost)))
		return true
	}
	if left := r.follow(ctx, m, jobs, timeout); left != "" {
		m.warnUnfinished(left, diags)
	} else {
		m.warnEnd(diags)
	}
	return true
}

// warnUnfinished warns that a restore has not ended.
func (m restoreJobModel) warnUnfinished(when string, diags *diag.Diagnostics) {
	summary, detail := m.unfinished(when)
	diags.AddAttributeWarning(path.Root("status_name"), summary, detail+"Each refresh reads the status, and no apply starts the restore again.")
}

// unfinished says that a restore has not ended.
func (m restoreJobModel) unfinished(when string) (summary, detail string) {
	return fmt.Sprintf("Restore of Cluster %s Has Not Ended", m.ClusterID.ValueString()),
		fmt.Sprintf("Restore %s was %s %s.\n\nOps Manager continues. ", opsmanager.Sanitize(m.ID.ValueString()), opsmanager.Sanitize(m.StatusName.ValueString()), when)
}

// warnEnd warns if a restore has ended, and did not finish, or if it is not known how it was delivered.
func (m restoreJobModel) warnEnd(diags *diag.Diagnostics) {
	next := " Check the restore in Ops Manager. No apply starts it again. To start a new restore, change triggers."
	if m.isUnknown() {
		next = " Each refresh reads the restore again, and no apply starts it again."
	}
	if summary, detail := m.badEnd(); summary != "" {
		diags.AddAttributeWarning(path.Root("status_name"), summary, detail+next)
	}
}

// badEnd says that a restore that has ended did not finish, or that it is not known how it was delivered. Otherwise, it returns
// empty texts.
func (m restoreJobModel) badEnd() (summary, detail string) {
	cluster := m.ClusterID.ValueString()
	id := opsmanager.Sanitize(m.ID.ValueString())
	switch status := opsmanager.Sanitize(m.StatusName.ValueString()); {
	case m.isUnknown():
		return fmt.Sprintf("Delivery of a Restore of Cluster %s Is Not Known", cluster),
			fmt.Sprintf("Ops Manager returned restore %s as %s, but without the status of its delivery (delivery.statusName). So it is not known whether the data was delivered. Check the restore in Ops Manager.", id, opsmanager.RestoreFinished)
	case status != opsmanager.RestoreFinished:
		return fmt.Sprintf("Restore of Cluster %s Is %s", cluster, status),
			fmt.Sprintf("Ops Manager ended restore %s as %s. The target may contain a part of the data, or none.", id, status)
	}
	return "", ""
}

// isUnknown reports of a restore that has ended whether it is not known how it was delivered.
func (m restoreJobModel) isUnknown() bool { return m.StatusName.ValueString() == statusUnknown }

// importedKey is the key of the private state that marks an imported restore until another one is started,
// with its point in time. Ops Manager returns neither its target nor its triggers, and an apply may store them
// one after the other.
const importedKey = projects.ImportedKey

// Read reads the status of a restore that has not ended, a delivery that has not, and a link that has not appeared. A
// restore that has ended stays as it is, and so does one whose request may have started it.
func (r *restoreJobResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := tf.Read[restoreJobModel](ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	r.addStored(ctx, state) // lets the plan recognize a tainted resource
	jobs := state.known()
	had := hasEnded(jobs) && state.StatusName.ValueString() == statusOf(jobs)
	switch {
	case state.isLost(), had && !state.mayTellMore(jobs), r.KeepsState(diags): // nothing to read
	case len(jobs) == 0:
		r.readImported(ctx, state, resp)
	default:
		r.readJobs(ctx, state, jobs, had, resp)
	}
}

// readJobs reads the jobs of a restore, which had ended before or not.
func (r *restoreJobResource) readJobs(
	ctx context.Context, state restoreJobModel, jobs []opsmanager.RestoreJob, had bool, resp *resource.ReadResponse,
) {
	diags := &resp.Diagnostics
	read, err := r.read(ctx, state, jobs)
	isGone := isForgotten(err) || opsmanager.IsMissing(err, opsmanager.ObjectCluster) || opsmanager.IsMissing(err, opsmanager.ObjectProject)
	switch {
	case had && isGone: // only the link or the end of the delivery is missing
		if state.isUnknown() {
			state.warnEnd(diags)
		}
		return
	case isForgotten(err):
		summary := fmt.Sprintf("Restore of Cluster %s No Longer Known", state.ClusterID.ValueString())
		diags.AddAttributeWarning(path.Root("status_name"), summary,
			fmt.Sprintf("Ops Manager no longer returns restore %s, so the provider does not know how it ended. %s", opsmanager.Sanitize(state.ID.ValueString()), tf.Sentence(err)))
	case err != nil:
		diags.Append(state.failure(readSummary, err))
		return
	case !had:
		err = r.incomplete(ctx, state, read)
	}
	if state.fromRead(read, err); err != nil && !isForgotten(err) {
		state.warnUnfinished("at the last refresh. "+err.Error(), diags)
	} else if err == nil && hasEnded(read) {
		state.warnEnd(diags)
	} else if err == nil {
		r.claimSource(state, diags) // also of a resource that is tainted or removed, whose plan does not tell
	}
	tf.Write(ctx, &resp.State, state, diags)
}

// readImported reads an imported restore for the first time.
func (r *restoreJobResource) readImported(ctx context.Context, state restoreJobModel, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	var point string
	jobs, err := r.imported(ctx, state)
	if err == nil {
		point, err = state.importFromAPI(jobs)
	}
	if err != nil {
		diags.Append(state.failure(readSummary, err))
		return
	}
	tf.WritePrivate(ctx, resp.Private, importedKey, point, diags)
	err = r.incomplete(ctx, state, jobs)
	if state.fromRead(jobs, err); err == nil && hasEnded(jobs) && state.isUnknown() {
		state.warnEnd(diags)
	}
	tf.Write(ctx, &resp.State, state, diags)
}

// imported reads the jobs of an imported restore by the ID of its batch, or by that of a job.
func (r *restoreJobResource) imported(ctx context.Context, m restoreJobModel) ([]opsmanager.RestoreJob, error) {
	project, cluster := m.IDs()
	id := m.ID.ValueString()
	batch := id
	one, err := r.Client.RestoreJob(ctx, project, cluster, id)
	switch {
	case err == nil && tf.Text(one.BatchID) == "":
		one.ID = cmp.Or(one.ID, &id)
		return []opsmanager.RestoreJob{*one}, nil
	case err == nil:
		batch = *one.BatchID
	case !opsmanager.IsMissing(err, opsmanager.ObjectRestore):
		return nil, err
	}
	jobs, unlisted := r.batch(ctx, m, batch)
	switch {
	case unlisted != nil:
		return nil, unlisted
	case len(jobs) > 0:
		return jobs, nil
	case err == nil: // the list is late
		return []opsmanager.RestoreJob{*one}, nil
	}
	return nil, err
}

// Delete removes the restore from the state only.
func (r *restoreJobResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *restoreJobResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := tf.ImportID{
		Attributes: []string{"project_id", "cluster_id", "id"},
		Separator:  "/",
		Advice:     "Import a restore by project_id/cluster_id/id, with the ID of its batch or of its job.",
	}
	if id.Set(ctx, req, resp) != nil {
		tf.WritePrivate(ctx, resp.Private, importedKey, "", &resp.Diagnostics)
	}
}
