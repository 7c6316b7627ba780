package restores

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewRestoreJobsDataSource returns the data source opsmanager_restore_jobs.
var NewRestoreJobsDataSource = datasources.List[opsmanager.RestoreJob]{
	Name: "restore_jobs", Title: "Restore Jobs",
	Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes},
	Description: "Reads the restore jobs of a cluster: the restores of its snapshots, including those into other clusters.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Every page of the list is read, unless you select one. Ops Manager does not document how long it keeps restore jobs, nor the order of its pages, so one page may not contain the newest jobs. " +
		"Values that Ops Manager does not return are null. Undocumented values are passed through unchanged.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster whose backup was restored"),
		"batch_id": schema.StringAttribute{
			Optional: true, Validators: attributes.ObjectIDValidators(),
			MarkdownDescription: "ID of a batch, to read only its jobs: 24 hexadecimal digits. If unset, all jobs of the cluster are read.",
		},
	},
	Paged:   true,
	Results: "The restore jobs, sorted from the newest to the oldest.",
	Items:   job,
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.RestoreJob], error) {
		return client.ListRestoreJobs(ctx, config.String("project_id").ValueString(), config.String("cluster_id").ValueString(), config.String("batch_id").ValueString(), config.Page())
	},
	Sort: newestFirst,
}.Constructor()

// job is a restore job. It has no download link, because anyone who has such a link can
// download the data.
var job = datasources.NewObject(map[string]schema.Attribute{
	"id":                 datasources.String("ID of the restore job."),
	"batch_id":           datasources.String("ID of the batch, which has a job for each shard. Null if the restored cluster is a replica set."),
	"group_id":           datasources.String("ID of the project of the restored cluster."),
	"cluster_id":         datasources.String("ID of the restored cluster. Ops Manager doesn't return the target."),
	"cluster_name":       datasources.String("Name of the restored cluster."),
	"created":            datasources.String("Time when the restore was requested, ISO 8601 in UTC."),
	"status_name":        datasources.String("Status of the job: `IN_PROGRESS`, `FINISHED`, `BROKEN` or `KILLED`."),
	"snapshot_id":        datasources.String("ID of the restored snapshot, or of the snapshot that the restore of a point in time starts from."),
	"point_in_time":      datasources.Bool("Whether a point in time is restored, and not only a snapshot."),
	"timestamp":          datasources.Timestamp.Attribute("Last oplog entry that is restored. Null if Ops Manager does not return it."),
	"encryption_enabled": datasources.Bool("Whether the restored data is encrypted."),
	"master_key_uuid":    datasources.String("ID of the master key that the data is encrypted with. Null if it is not encrypted."),
	"delivery":           delivery.Attribute("How the data is delivered. The download link is not exported."),
	"hashes":             hash.ListAttribute("Checksums of downloaded files. Null before a download."),
}, func(j opsmanager.RestoreJob) map[string]attr.Value {
	return map[string]attr.Value{
		"id":                 types.StringPointerValue(j.ID),
		"batch_id":           types.StringPointerValue(j.BatchID),
		"group_id":           types.StringPointerValue(j.GroupID),
		"cluster_id":         types.StringPointerValue(j.ClusterID),
		"cluster_name":       types.StringPointerValue(j.ClusterName),
		"created":            types.StringPointerValue(j.Created),
		"status_name":        types.StringPointerValue(j.StatusName),
		"snapshot_id":        types.StringPointerValue(j.SnapshotID),
		"point_in_time":      types.BoolPointerValue(j.PointInTime),
		"timestamp":          datasources.Timestamp.Value(j.Timestamp),
		"encryption_enabled": types.BoolPointerValue(j.EncryptionEnabled),
		"master_key_uuid":    types.StringPointerValue(j.MasterKeyUUID),
		"delivery":           delivery.Value(j.Delivery),
		"hashes":             hash.List(j.Hashes),
	}
})

var delivery = datasources.NewObject(map[string]schema.Attribute{
	"method_name":      datasources.String("Method of delivery. Ops Manager documents that it returns `HTTP` for each restore, also for a restore into a cluster."),
	"status_name":      datasources.String("Status of the data: `NOT_STARTED`, `IN_PROGRESS`, `READY`, `FAILED`, `INTERRUPTED`, `EXPIRED` or `MAX_DOWNLOADS_EXCEEDED`."),
	"expires":          datasources.String("Time when the link expires, ISO 8601 in UTC."),
	"expiration_hours": datasources.Int64("Hours that the link is valid after the job is complete."),
	"max_downloads":    datasources.Int64("How often the link can be used."),
}, func(d opsmanager.RestoreDelivery) map[string]attr.Value {
	return map[string]attr.Value{
		"method_name":      types.StringPointerValue(d.MethodName),
		"status_name":      types.StringPointerValue(d.StatusName),
		"expires":          types.StringPointerValue(d.Expires),
		"expiration_hours": types.Int64PointerValue(d.ExpirationHours),
		"max_downloads":    types.Int64PointerValue(d.MaxDownloads),
	}
})

var hash = datasources.NewObject(map[string]schema.Attribute{
	"type_name": datasources.String("Algorithm, such as `SHA1`."),
	"file_name": datasources.String("Name of the file."),
	"hash":      datasources.String("Checksum of the file."),
}, func(h opsmanager.RestoreHash) map[string]attr.Value {
	return map[string]attr.Value{
		"type_name": types.StringPointerValue(h.TypeName),
		"file_name": types.StringPointerValue(h.FileName),
		"hash":      types.StringPointerValue(h.Hash),
	}
})

// newestFirst sorts jobs by the time of their request, from the newest to the oldest, and then by
// ID. Jobs without a time come last.
func newestFirst(jobs []opsmanager.RestoreJob) []opsmanager.RestoreJob {
	slices.SortStableFunc(jobs, func(a, b opsmanager.RestoreJob) int {
		return cmp.Or(
			tfmodel.CompareAbsentLast(tfmodel.ParseTime(a.Created), tfmodel.ParseTime(b.Created), func(a, b time.Time) int { return b.Compare(a) }),
			tfmodel.CompareAbsentLast(a.ID, b.ID, cmp.Compare),
		)
	})
	return jobs
}
