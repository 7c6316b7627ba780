package restores

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewRestoreJobsDataSource returns the data source opsmanager_restore_jobs.
var NewRestoreJobsDataSource = sources.List[opsmanager.RestoreJob]{
	Name:  "restore_jobs",
	Title: "Restore Jobs",
	Codes: []tf.Codes{projects.Codes, projects.ClusterCodes},
	Description: "Reads the restore jobs of a cluster: the restores of its snapshots, including those into other clusters.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Ops Manager does not document how long it keeps restore jobs, nor the order of its pages: one page may lack the newest jobs.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster whose backup was restored"),
		"batch_id": schema.StringAttribute{
			Optional:            true,
			Validators:          tf.ObjectIDValidators(),
			MarkdownDescription: "ID of a batch, to read only its jobs.",
		},
	},
	Paged:   true,
	Results: "The restore jobs, sorted from the newest to the oldest.",
	// There is no download link, because anyone who has such a link can download the data.
	Items: sources.Columns[opsmanager.RestoreJob]{
		sources.String("id", "ID of the restore job.", func(j opsmanager.RestoreJob) *string { return j.ID }),
		sources.String("batch_id", "ID of the batch of a sharded cluster. Null for a replica set.", func(j opsmanager.RestoreJob) *string { return j.BatchID }),
		sources.String("project_id", "ID of the project of the restored cluster.", func(j opsmanager.RestoreJob) *string { return j.GroupID }),
		sources.String("cluster_id", "ID of the restored cluster. Ops Manager doesn't return the target.", func(j opsmanager.RestoreJob) *string { return j.ClusterID }),
		sources.String("cluster_name", "Name of the restored cluster.", func(j opsmanager.RestoreJob) *string { return j.ClusterName }),
		sources.String("created", "Time when the restore was requested, ISO 8601 in UTC.", func(j opsmanager.RestoreJob) *string { return j.Created }),
		sources.String("status_name", "Status of the job: `IN_PROGRESS`, `FINISHED`, `BROKEN` or `KILLED`.", func(j opsmanager.RestoreJob) *string { return j.StatusName }),
		sources.String("snapshot_id", "ID of the snapshot that the restore starts from.", func(j opsmanager.RestoreJob) *string { return j.SnapshotID }),
		sources.Bool("point_in_time", "Whether a point in time is restored.", func(j opsmanager.RestoreJob) *bool { return j.PointInTime }),
		sources.Nested("timestamp", "Last oplog entry that is restored.", sources.Timestamp,
			func(j opsmanager.RestoreJob) *opsmanager.Timestamp { return j.Timestamp }),
		sources.Bool("encryption_enabled", "Whether the restored data is encrypted.", func(j opsmanager.RestoreJob) *bool { return j.EncryptionEnabled }),
		sources.String("master_key_uuid", "ID of the master key that encrypts the data.", func(j opsmanager.RestoreJob) *string { return j.MasterKeyUUID }),
		sources.Nested("delivery", "How the data is delivered. The download link is not exported.", delivery, func(j opsmanager.RestoreJob) *opsmanager.RestoreDelivery { return j.Delivery }),
		sources.NestedList("hashes", "Checksums of downloaded files. Null before a download.", hash, func(j opsmanager.RestoreJob) []opsmanager.RestoreHash { return j.Hashes }),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config) (*opsmanager.List[opsmanager.RestoreJob], error) {
		return client.ListRestoreJobs(ctx, config.Text("project_id"), config.Text("cluster_id"), config.Text("batch_id"), config.Page())
	},
	Sort:        newestFirst,
	Singular:    "restore job",
	IDAttribute: "id",
	Identify:    func(j opsmanager.RestoreJob) (id, label *string) { return j.ID, j.Created },
}.Constructor()

var delivery = sources.ObjectOf(
	sources.String("method_name", "Method of delivery. Documented is `HTTP` for each restore, even into a cluster.", func(d opsmanager.RestoreDelivery) *string { return d.MethodName }),
	sources.String("status_name", "Status of the data: `NOT_STARTED`, `IN_PROGRESS`, `READY`, `FAILED`, `INTERRUPTED`, `EXPIRED` or `MAX_DOWNLOADS_EXCEEDED`.", func(d opsmanager.RestoreDelivery) *string { return d.StatusName }),
	sources.String("expires", "Time when the link expires, ISO 8601 in UTC.", func(d opsmanager.RestoreDelivery) *string { return d.Expires }),
	sources.Int64("expiration_hours", "Hours that the link is valid after the job is complete.", func(d opsmanager.RestoreDelivery) *int64 { return d.ExpirationHours }),
	sources.Int64("max_downloads", "How often the link can be used. Required to request a download.", func(d opsmanager.RestoreDelivery) *int64 { return d.MaxDownloads }),
)

var hash = sources.ObjectOf(
	sources.String("type_name", "Algorithm, such as `SHA1`.", func(h opsmanager.RestoreHash) *string { return h.TypeName }),
	sources.String("file_name", "Name of the file.", func(h opsmanager.RestoreHash) *string { return h.FileName }),
	sources.String("hash", "Checksum of the file.", func(h opsmanager.RestoreHash) *string { return h.Hash }),
)

// newestFirst sorts jobs by the time of their request, from the newest to the oldest, and then by
// ID. Jobs without a time come last.
func newestFirst(jobs []opsmanager.RestoreJob) []opsmanager.RestoreJob {
	return tf.Sorted(jobs,
		func(a, b opsmanager.RestoreJob) int {
			return tf.CompareAbsentLast(tf.ParseTime(a.Created), tf.ParseTime(b.Created), func(a, b time.Time) int {
				return b.Compare(a)
			})
		},
		tf.By(func(j opsmanager.RestoreJob) *string { return j.ID }))
}

// NewRestorableTimeRangesDataSource returns the data source opsmanager_restorable_time_ranges.
var NewRestorableTimeRangesDataSource = sources.List[opsmanager.RestorableTimeRange]{
	Name:  "restorable_time_ranges",
	Title: "Restorable Time Ranges",
	Codes: []tf.Codes{projects.Codes, projects.ClusterCodes},
	Description: "Reads the ranges of time that a cluster can be restored to.\n\nEvery point in a range can be restored.\n\n" +
		"-> Requires a recent Ops Manager (8.0.6 is the first whose release notes mention ranges), and the role `Project Backup Admin`, `Global Backup Admin` or `Global Read Only`.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster"),
	},
	Results: "The ranges, sorted from the earliest to the latest. Empty if no point in time can be restored.",
	Items: sources.Columns[opsmanager.RestorableTimeRange]{
		sources.Nested("start", "Earliest oplog entry of the range. Its `date` can be a `point_in_time`.", sources.Timestamp, func(r opsmanager.RestorableTimeRange) *opsmanager.Timestamp { return r.Start }),
		sources.Nested("end", "Latest oplog entry of the range. Its `date` can be a `point_in_time`.", sources.Timestamp, func(r opsmanager.RestorableTimeRange) *opsmanager.Timestamp { return r.End }),
		sources.String("snapshot_id", "ID of the snapshot that a restore starts from.", func(r opsmanager.RestorableTimeRange) *string { return r.SnapshotID }),
		sources.Int64("shard_count", "Number of shards. Null for a replica set.", func(r opsmanager.RestorableTimeRange) *int64 { return r.ShardCount }),
		sources.String("config_server_type", "Type of the config servers of a sharded cluster, such as `DEDICATED`. Null for a replica set.", func(r opsmanager.RestorableTimeRange) *string { return r.ConfigServerType }),
	},
	Read: func(
		ctx context.Context, client *opsmanager.Client, config sources.Config,
	) (*opsmanager.List[opsmanager.RestorableTimeRange], error) {
		ranges, err := client.RestorableTimeRanges(ctx, config.Text("project_id"), config.Text("cluster_id"))
		return &opsmanager.List[opsmanager.RestorableTimeRange]{Results: ranges}, err
	},
}.Constructor()
