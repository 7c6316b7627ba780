package restores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
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
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type restoreJobResource struct{ connection.Resource }

var (
	_ resource.ResourceWithConfigure   = (*restoreJobResource)(nil)
	_ resource.ResourceWithImportState = (*restoreJobResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*restoreJobResource)(nil)
)

// NewRestoreJobResource returns the resource opsmanager_restore_job. It has no identity,
// because a change of its triggers makes it another job.
func NewRestoreJobResource() resource.Resource { return &restoreJobResource{} }

func (r *restoreJobResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_restore_job"
}

const defaultTimeout = 6 * time.Hour

func (r *restoreJobResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	id := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Validators: append(validators, connection.ObjectIDValidators()...), MarkdownDescription: description}
	}
	required := func(description string) schema.StringAttribute {
		attribute := id(description)
		attribute.Optional, attribute.Required = false, true
		return attribute
	}
	number := func(description string, least int64, validators ...validator.Int64) schema.Int64Attribute {
		return schema.Int64Attribute{
			Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: append(validators, int64validator.AtLeast(least)), MarkdownDescription: description,
		}
	}
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	root := path.MatchRoot
	resp.Schema = schema.Schema{
		MarkdownDescription: "Restores a snapshot or a point in time of a cluster, into a cluster or to a download link, and waits until the restore has ended.\n\n" +
			"Creating this resource starts a restore. After that, **only a change of `triggers` starts another one.** If only the source or the target changes, the plan keeps the previous restore, with a warning. " +
			"So a source that changes by itself, such as the newest snapshot, does not restore in each apply. Destroying this resource only removes it from the state.\n\n" +
			"!> **A restore replaces all data of its target.** `target_cluster_name` must be the name of the target. The provider compares it with Ops Manager in each plan of a restore, and again right before the request. The plan warns which cluster is overwritten.\n\n" +
			"-> Requires the role `Project Backup Admin` in the projects of both clusters.\n\n" +
			"The provider requests a restore once, whatever happens to the response. If the response is lost, it looks for the restore in the cluster's list. " +
			"If the restore is not found, or ends as `BROKEN` or `KILLED`, or if the apply ends before it because of an error, a timeout or Ctrl-C, the apply succeeds with a warning, because a failed creation would make Terraform start another restore. " +
			"To fail the run, check `status_name` in a `postcondition`, as the examples do. Each refresh reads the status of a restore that has not ended.\n\n" +
			"If Terraform is killed, or interrupted a second time, it does not save the restore, and the next apply would start another one. Look for the restore with the data source `opsmanager_restore_jobs` first, and import it.\n\n" +
			"A plan that would repeat the restore without a change of `triggers`, such as with `-replace`, is an error. A restore that has ended stays in the state after Ops Manager has forgotten it.",
		Attributes: map[string]schema.Attribute{
			"project_id": required("ID of the project (group) of the cluster whose backup is restored: 24 hexadecimal digits."),
			"cluster_id": required("ID of the replica set or of the whole sharded cluster whose backup is restored: 24 hexadecimal digits."),

			"snapshot_id": id("ID of the snapshot of this cluster to restore: 24 hexadecimal digits.", stringvalidator.ConflictsWith(root("point_in_time_utc_millis"), root("oplog_ts"))),
			"point_in_time_utc_millis": number("Point in time to restore, in milliseconds since 1970, UTC. It must be in a range of the data source `opsmanager_restorable_time_ranges`. "+
				"According to its newest documentation, Ops Manager accepts only times in the last 24 hours.", 0, int64validator.ConflictsWith(root("oplog_ts"))),
			"oplog_ts":  number("Time of the last oplog entry to restore, in seconds since 1970, UTC. Requires `oplog_inc`.", 0, int64validator.AlsoRequires(root("oplog_inc"))),
			"oplog_inc": number("Order of the oplog entry within its second, `1` or more. Requires `oplog_ts`.", 1, int64validator.AlsoRequires(root("oplog_ts"))),

			"target_project_id": id("ID of the project of the cluster to restore into: 24 hexadecimal digits.", stringvalidator.AlsoRequires(root("target_cluster_id"))),
			"target_cluster_id": id("ID of the cluster to restore into, which may be the same cluster: 24 hexadecimal digits. Ops Manager requires that it has the same topology as the restored cluster, and that Automation manages it.",
				stringvalidator.AlsoRequires(root("target_project_id"), root("target_cluster_name")), stringvalidator.ConflictsWith(root("max_downloads"))),
			"target_cluster_name": schema.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.LengthAtLeast(1), stringvalidator.AlsoRequires(root("target_cluster_id"))},
				MarkdownDescription: "Exact name of the cluster to restore into, which confirms that it may be overwritten. Changing only the name sends no request.",
			},
			"max_downloads": number("Number of times that the download link can be used, `1` or more. Set it instead of a target to restore to a link.", 1),
			"expires": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tfmodel.TimeValidator{}, stringvalidator.AlsoRequires(root("max_downloads")), stringvalidator.ConflictsWith(root("expiration_hours"))},
				MarkdownDescription: "Time until which the link is valid, ISO 8601, such as `2027-01-31T00:00:00Z`. Requires `max_downloads`. Conflicts with `expiration_hours`.",
			},
			"expiration_hours": number("Hours that the link is valid after the restore has ended, `1` or more. Requires `max_downloads`.", 1, int64validator.AlsoRequires(root("max_downloads"))),

			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Map of any values. Changing it starts another restore. Adding it to an imported restore does not.",
			},
			"timeouts": connection.TimeoutsAttribute(ctx, timeouts.Opts{
				Create: true, Update: true,
				CreateDescription: "How long to wait until the restore has ended, as a duration such as `30m` or `12h`. Defaults to `6h`.",
				UpdateDescription: "How long to wait until another restore has ended. Defaults to `6h`.",
			}),

			"id":       computed("ID of the batch of a sharded cluster, or of the restore job of a replica set. Null while the provider looks for the restore that it requested."),
			"batch_id": computed("ID of the batch, which has a job for each shard. Null if the restored cluster is a replica set."),
			"status_name": computed("Status of the restore: `IN_PROGRESS`, `FINISHED`, `BROKEN` or `KILLED`. A batch is `FINISHED` when all its jobs are, and `BROKEN` or `KILLED` when one of them is. " +
				"`UNKNOWN` if Ops Manager does not return the restore."),
			"jobs": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The restore jobs, sorted by ID: one for a replica set, or one for each shard of a sharded cluster.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":                   computed("ID of the job."),
					"cluster_id":           computed("ID of the restored cluster, as Ops Manager returns it."),
					"snapshot_id":          computed("ID of the restored snapshot, or of the snapshot that the restore of a point in time starts from."),
					"created":              computed("Time when the restore was requested, ISO 8601 in UTC."),
					"status_name":          computed("Status of the job."),
					"delivery_status_name": computed("Status of the data, such as `READY`."),
				}},
			},
			"download_urls": schema.MapAttribute{
				Computed: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Download link of each job, by job ID. Anyone who has a link can download the data, and the links are stored in the state. Null if the restore has a target.",
			},
		},
	}
}

const (
	previewSummary = "Unable to Plan Restore"
	startSummary   = "Unable to Start Restore"
	readSummary    = "Unable to Read Restore Job"
)

// targetCodes maps the codes about the target to attributes.
var targetCodes = map[string]string{
	"GROUP_NOT_FOUND": "target_project_id", "NOT_IN_GROUP": "target_project_id", "INVALID_GROUP_ID": "target_project_id",
	"CLUSTER_NOT_FOUND": "target_cluster_id", "INVALID_CLUSTER_ID": "target_cluster_id",
}

// restoreCodes maps the codes and fields of the API to attributes.
var restoreCodes = map[string]string{
	"CANNOT_RESTORE_TO_TARGET": "target_cluster_id", "CONCURRENT_RESTORES": "target_cluster_id", "CONCURRENT_RESTORES_JOB_IDS": "target_cluster_id",
	"AUTOMATED_RESTORE_OF_SHARD_NOT_ALLOWED": "cluster_id",
	"EXPIRATION_DATE_IN_PAST":                "expires", "LINK_EXPIRATION_AFTER_SNAPSHOT_DELETION": "expires",

	"targetGroupId": "target_project_id", "targetClusterId": "target_cluster_id",
	"maxDownloads": "max_downloads", "expires": "expires", "expirationHours": "expiration_hours",
}

// sourceCodes are the codes about the source of a restore.
var sourceCodes = []string{
	"SNAPSHOT_NOT_FOUND", "INVALID_SNAPSHOT_ID", "CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT", "CANNOT_START_RESTORE_JOB_FOR_DELETED_CLUSTER_SNAPSHOT",
	"CANNOT_START_RESTORE_JOB_FOR_INCOMPLETE_CLUSTER_SNAPSHOT", "CANNOT_DOWNLOAD_INCOMPLETE_SNAPSHOT", "INVALID_PIT_RESTORE_TIME",
	"UNABLE_T0_FIND_SNAPSHOT_PRIOR_TO_PIT_RESTORE_OPTIME", "NO_CHECKPOINT_FOR_PIT_RESTORE",
	"PIT_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS", "OPLOG_RESTORE_ONLY_SUPPORTED_FOR_REPLICA_SETS",
	"snapshotId", "pointInTimeUTCMillis", "oplogTs", "oplogInc",
}

// failure returns the diagnostic of a failed call about the restored cluster.
func (m restoreJobModel) failure(summary string, err error) diag.Diagnostic {
	codes := maps.Clone(restoreCodes)
	for _, code := range sourceCodes {
		codes[code] = m.sourceAttribute()
	}
	return diagnostics.Failure(summary, err, projects.Codes, projects.ClusterCodes, codes)
}

func (r *restoreJobResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan restoreJobModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || !r.Ready(startSummary, &resp.Diagnostics) {
		return
	}
	if r.restore(ctx, &plan, nil, timeout, resp.Private, &resp.Diagnostics) {
		resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, plan)...)
	}
}

// Update starts another restore if the plan says so. Otherwise it sends no request.
func (r *restoreJobResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, prior restoreJobModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Plan, &plan)...)
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &prior)...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Jobs.IsUnknown() && (!r.Ready(startSummary, &resp.Diagnostics) || !r.restore(ctx, &plan, prior.known(), timeout, resp.Private, &resp.Diagnostics)) {
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, nil)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, plan)...)
}

// restore starts a restore, waits until it has ended, and sets the computed values. It returns
// false, with an error, if no restore was started. After the start, it only warns: an error would
// make Terraform taint the resource and start another restore.
func (r *restoreJobResource) restore(ctx context.Context, m *restoreJobModel, previous []opsmanager.RestoreJob, timeout time.Duration, private tfmodel.PrivateState, diags *diag.Diagnostics) bool {
	jobs, lost, err := r.start(ctx, *m, previous, diags)
	if diags.HasError() {
		return false
	}
	if lost != nil {
		tfmodel.WritePrivate(ctx, private, lostKey, lost, diags)
		m.fromAPI(nil)
		diags.AddWarning(notFound(*m, *lost, "The response to the request was lost: "+diagnostics.Sentence(err)))
		return true
	}
	diags.Append(private.SetKey(ctx, lostKey, nil)...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	begin := time.Now()
	jobs, err = r.follow(ctx, *m, jobs)
	m.fromAPI(jobs)
	if err == nil {
		m.warnFailed(diags)
	} else {
		m.warnUnfinished(whenUnfinished(ctx, begin, err), diags)
	}
	return true
}

// whenUnfinished says when the wait for a restore ended.
func whenUnfinished(ctx context.Context, begin time.Time, err error) string {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("after %s. If the restore only needs more time, set a longer timeout in timeouts", time.Since(begin).Round(time.Second))
	case ctx.Err() != nil:
		return "when the run was interrupted"
	}
	return "when its status could not be read. " + strings.TrimSuffix(diagnostics.Sentence(err), ".")
}

// warnUnfinished warns that a restore has not ended.
func (m restoreJobModel) warnUnfinished(when string, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Restore of Cluster %s Has Not Ended", m.ClusterID.ValueString()),
		fmt.Sprintf("Restore %s was %s %s.\n\nOps Manager continues by itself. Each refresh reads the status, and no apply starts the restore again.",
			opsmanager.Sanitize(m.ID.ValueString()), opsmanager.Sanitize(m.StatusName.ValueString()), when))
}

// warnFailed warns that a restore did not finish.
func (m restoreJobModel) warnFailed(diags *diag.Diagnostics) {
	if status := m.StatusName.ValueString(); status != opsmanager.RestoreFinished {
		diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Restore of Cluster %s Is %s", m.ClusterID.ValueString(), status),
			fmt.Sprintf("Ops Manager ended restore %s as %s. The target may contain a part of the data, or none. Check the restore in Ops Manager. No apply starts it again. To start another restore, change triggers.",
				opsmanager.Sanitize(m.ID.ValueString()), status))
	}
}

// notFound returns the warning about a restore that may have been started, but was not found.
func notFound(m restoreJobModel, lost lostRequest, reason string) (summary, detail string) {
	if len(lost.Candidates) > 0 {
		return ambiguous(m, lost)
	}
	return fmt.Sprintf("Restore of Cluster %s May Have Been Started", m.ClusterID.ValueString()),
		strings.TrimSpace(reason + "\n\nThe provider found no job of the restore that it requested. No apply sends the request again, and each refresh looks for the jobs. " +
			"Check in Ops Manager whether the restore was started. If it was not, change triggers to start one.")
}

// ambiguous returns the diagnostic about several restores that could be the requested one.
func ambiguous(m restoreJobModel, lost lostRequest) (summary, detail string) {
	return fmt.Sprintf("Several Restores of Cluster %s", m.ClusterID.ValueString()),
		"The response to the request for a restore was lost, and any of these restores could be the requested one:\n  - " + strings.Join(lost.Candidates, "\n  - ") +
			"\n\nNo apply sends the request again. Choose the restore: run 'terraform state rm ADDRESS', then 'terraform import ADDRESS project_id/cluster_id/id' with one of the IDs above."
}

// importedKey is the key of the private state that marks an imported restore until its first
// update. Ops Manager returns neither its target nor its triggers.
const importedKey = projects.ImportedKey

// Read reads the status of a restore that has not ended, and looks for one that was not found. A
// restore that has ended stays as it is.
func (r *restoreJobResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state restoreJobModel
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.State, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.addStored(state) // lets the plan recognize a tainted resource
	jobs := state.known()
	if hasEnded(jobs) || r.KeepsState(&resp.Diagnostics) {
		return
	}
	var lost lostRequest
	var err error
	isLost := tfmodel.ReadPrivate(ctx, req.Private, lostKey, &lost, &resp.Diagnostics)
	switch {
	case isLost:
		jobs, err = r.find(ctx, state, &lost)
	case state.ID.IsNull():
		return
	case len(jobs) == 0: // it was just imported
		jobs, err = r.imported(ctx, state)
		state.importFromAPI(jobs)
	default:
		jobs, err = r.read(ctx, state, jobs)
		if opsmanager.IsGone(err) {
			resp.Diagnostics.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Restore of Cluster %s No Longer Known", state.ClusterID.ValueString()),
				fmt.Sprintf("Ops Manager no longer returns restore %s, so the provider does not know how it ended. %s", opsmanager.Sanitize(state.ID.ValueString()), diagnostics.Sentence(err)))
			state.StatusName = types.StringValue(statusUnknown)
			resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, state)...)
			return
		}
	}
	switch {
	case err != nil && (!isLost || !opsmanager.IsGone(err)):
		resp.Diagnostics.Append(state.failure(readSummary, err))
		return
	case len(jobs) > 0:
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, lostKey, nil)...)
	case isLost:
		tfmodel.WritePrivate(ctx, resp.Private, lostKey, lost, &resp.Diagnostics)
		reason := ""
		if err != nil { // the cluster is gone
			reason = diagnostics.Sentence(err)
		}
		resp.Diagnostics.AddWarning(notFound(state, lost, reason))
	}
	state.fromAPI(jobs)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.State, state)...)
}

// imported reads the jobs of an imported restore by the ID of its batch, or by that of a job.
func (r *restoreJobResource) imported(ctx context.Context, m restoreJobModel) ([]opsmanager.RestoreJob, error) {
	project, cluster, id := m.ProjectID.ValueString(), m.ClusterID.ValueString(), m.ID.ValueString()
	batch := id
	one, err := r.Client.RestoreJob(ctx, project, cluster, id)
	switch {
	case err == nil && tfmodel.Text(one.BatchID) == "":
		one.ID = cmp.Or(one.ID, &id)
		return []opsmanager.RestoreJob{*one}, nil
	case err == nil:
		batch = *one.BatchID
	case !opsmanager.IsGone(err):
		return nil, err
	}
	all, listError := r.Client.ListRestoreJobs(ctx, project, cluster, batch, opsmanager.Page{})
	switch {
	case listError != nil:
		return nil, listError
	case len(all.Results) > 0:
		return all.Results, nil
	}
	return nil, err
}

// Delete removes the restore from the state only.
func (r *restoreJobResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

func (r *restoreJobResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ids := strings.Split(strings.ToLower(req.ID), "/")
	if len(ids) != 3 || !connection.IsObjectID(ids[0]) || !connection.IsObjectID(ids[1]) || !connection.IsObjectID(ids[2]) {
		resp.Diagnostics.AddError("Invalid Import ID",
			fmt.Sprintf("Import a restore by project_id/cluster_id/id, with the ID of its batch or of its job. Each ID must be 24 hexadecimal digits; got %q.", req.ID))
		return
	}
	for i, attribute := range []string{"project_id", "cluster_id", "id"} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), ids[i])...)
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, importedKey, []byte("true"))...)
}
