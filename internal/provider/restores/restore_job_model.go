// Package restores implements the resource and the action that restore backups, and the data sources of
// restore jobs and of the times that a cluster can be restored to.
package restores

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// restoreModel has the attributes that a resource and an action share: what to restore, and where.
type restoreModel struct {
	projects.ClusterIdentity

	SnapshotID  types.String `tfsdk:"snapshot_id"`
	PointInTime types.String `tfsdk:"point_in_time"`
	OplogTs     types.Int64  `tfsdk:"oplog_ts"`
	OplogInc    types.Int64  `tfsdk:"oplog_inc"`

	TargetProjectID   types.String `tfsdk:"target_project_id"`
	TargetClusterID   types.String `tfsdk:"target_cluster_id"`
	TargetClusterName types.String `tfsdk:"target_cluster_name"`
	OverwriteSource   types.Bool   `tfsdk:"overwrite_source"`
}

type restoreJobModel struct {
	restoreModel

	MaxDownloads    types.Int64  `tfsdk:"max_downloads"`
	Expires         types.String `tfsdk:"expires"`
	ExpirationHours types.Int64  `tfsdk:"expiration_hours"`

	Triggers types.Map      `tfsdk:"triggers"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`

	ID           types.String `tfsdk:"id"`
	BatchID      types.String `tfsdk:"batch_id"`
	StatusName   types.String `tfsdk:"status_name"`
	Jobs         types.List   `tfsdk:"jobs"`
	DownloadURLs types.Map    `tfsdk:"download_urls"`
}

// atMost32Bits limits the parts of the timestamp of an oplog entry, which have 32 bits.
var atMost32Bits = int64validator.AtMost(math.MaxUint32)

var jobType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"id":                   types.StringType,
	"cluster_id":           types.StringType,
	"snapshot_id":          types.StringType,
	"created":              types.StringType,
	"status_name":          types.StringType,
	"delivery_status_name": types.StringType,
}}

// toAPI returns the request for the restore of a model.
func (m restoreJobModel) toAPI() opsmanager.RestoreRequest {
	request := opsmanager.RestoreRequest{
		SnapshotID: tf.StringPointer(m.SnapshotID),
		OplogInc:   tf.Int64Pointer(m.OplogInc),
		Delivery: opsmanager.RestoreTarget{
			MethodName:      opsmanager.HTTPRestore,
			TargetGroupID:   tf.StringPointer(m.TargetProjectID),
			TargetClusterID: tf.StringPointer(m.TargetClusterID),
			MaxDownloads:    tf.Int64Pointer(m.MaxDownloads),
			ExpirationHours: tf.Int64Pointer(m.ExpirationHours),
		},
	}
	if at := tf.ParseTime(tf.StringPointer(m.PointInTime)); at != nil {
		request.PointInTimeUTCMillis = new(at.UnixMilli())
	}
	if expires := tf.ParseTime(tf.StringPointer(m.Expires)); expires != nil {
		request.Delivery.Expires = new(tf.FormatTime(*expires))
	}
	if request.Delivery.TargetClusterID != nil {
		request.Delivery.MethodName = opsmanager.AutomatedRestore
	}
	if seconds := tf.Int64Pointer(m.OplogTs); seconds != nil {
		request.OplogTs = new(strconv.FormatInt(*seconds, 10))
	}
	return request
}

// instant returns the point in time that a model restores, or nil if it restores a snapshot or the
// time is not known yet.
func (m restoreModel) instant() *time.Time {
	if seconds := tf.Int64Pointer(m.OplogTs); seconds != nil {
		return new(time.Unix(*seconds, 0))
	}
	return tf.ParseTime(tf.StringPointer(m.PointInTime))
}

// triggers returns the triggers of a model. No triggers are null, also if the map is empty.
func (m restoreJobModel) triggers() types.Map {
	if m.Triggers.IsUnknown() || len(m.Triggers.Elements()) > 0 {
		return m.Triggers
	}
	return types.MapNull(types.StringType)
}

// isLink reports whether a model restores to a download link.
func (m restoreJobModel) isLink() bool { return !m.MaxDownloads.IsNull() }

// fromRead sets the values that depend on the jobs of a restore, as they were read last. There are none if it is not known
// whether it was started. The error says why the restore has not ended.
func (m *restoreJobModel) fromRead(jobs []opsmanager.RestoreJob, err error) {
	slices.SortFunc(jobs, func(a, b opsmanager.RestoreJob) int {
		return cmp.Compare(tf.Text(a.ID), tf.Text(b.ID))
	})
	m.ID = types.StringNull()
	m.BatchID = types.StringNull()
	if len(jobs) > 0 {
		m.ID = types.StringValue(restoreID(jobs[0]))
		m.BatchID = types.StringPointerValue(jobs[0].BatchID)
	}
	status := statusOf(jobs)
	switch {
	case isForgotten(err):
		status = statusUnknown
	case err != nil && hasEnded(jobs) && (status == opsmanager.RestoreFinished || status == statusUnknown):
		status = opsmanager.RestoreInProgress
	}
	m.StatusName = types.StringValue(status)
	links := map[string]attr.Value{}
	values := make([]attr.Value, len(jobs))
	for i, j := range jobs {
		delivery := *cmp.Or(j.Delivery, &opsmanager.RestoreDelivery{})
		if url := tf.Text(delivery.URL); url != "" {
			links[tf.Text(j.ID)] = types.StringValue(url)
		}
		values[i] = types.ObjectValueMust(jobType.AttrTypes, map[string]attr.Value{
			"id":                   types.StringPointerValue(j.ID),
			"cluster_id":           types.StringPointerValue(j.ClusterID),
			"snapshot_id":          types.StringPointerValue(j.SnapshotID),
			"created":              types.StringPointerValue(j.Created),
			"status_name":          types.StringPointerValue(j.StatusName),
			"delivery_status_name": types.StringPointerValue(delivery.StatusName),
		})
	}
	m.Jobs = types.ListValueMust(jobType, values)
	m.DownloadURLs = types.MapNull(types.StringType)
	if m.isLink() {
		m.DownloadURLs = types.MapValueMust(types.StringType, links)
	}
}

// importFromAPI sets the source and the delivery of an imported restore, as far as its jobs
// show them. Ops Manager does not return the target. It returns the date of a restored point in time,
// which need not be that of the request, or "" for a snapshot. It is an error if a job does not show them.
func (m *restoreJobModel) importFromAPI(jobs []opsmanager.RestoreJob) (point string, err error) {
	for _, j := range jobs {
		isPart := j.BatchID != nil && !strings.EqualFold(tf.Text(j.ClusterID), m.ClusterID.ValueString())
		lacking := ""
		switch {
		case j.PointInTime != nil && *j.PointInTime:
			point = "a point in time"
			if j.Timestamp != nil {
				point = cmp.Or(tf.Text(j.Timestamp.Date), point)
			}
		case j.SnapshotID == nil:
			lacking = "snapshotId"
		case !isPart: // a job of a shard has the ID of the shard's part of the snapshot
			m.SnapshotID = types.StringPointerValue(j.SnapshotID)
		}
		if j.Delivery == nil {
			lacking = cmp.Or(lacking, "delivery")
		}
		if lacking != "" {
			return "", tf.Explained{Diagnostic: diag.NewErrorDiagnostic("Unable to Import Restore", fmt.Sprintf(
				"Ops Manager did not return %s of restore %s, so it is not known what was restored. Import it again.", lacking, opsmanager.Sanitize(tf.Text(j.ID))))}
		}
		if j.Delivery.MaxDownloads != nil {
			m.MaxDownloads = types.Int64PointerValue(j.Delivery.MaxDownloads)
			m.ExpirationHours = types.Int64PointerValue(j.Delivery.ExpirationHours)
			if j.Delivery.ExpirationHours == nil {
				m.Expires = types.StringPointerValue(j.Delivery.Expires)
			}
		}
	}
	return point, nil
}

// known returns the jobs of a restore as far as the state has them.
func (m restoreJobModel) known() (jobs []opsmanager.RestoreJob) {
	for _, value := range m.Jobs.Elements() {
		object, ok := value.(types.Object)
		if !ok {
			continue
		}
		field := func(name string) *string {
			found, _ := object.Attributes()[name].(types.String)
			return tf.StringPointer(found)
		}
		one := opsmanager.RestoreJob{
			ID:         field("id"),
			BatchID:    tf.StringPointer(m.BatchID),
			ClusterID:  field("cluster_id"),
			SnapshotID: field("snapshot_id"),
			Created:    field("created"),
			StatusName: field("status_name"),
			Delivery:   &opsmanager.RestoreDelivery{StatusName: field("delivery_status_name")},
		}
		if link, ok := m.DownloadURLs.Elements()[tf.Text(one.ID)].(types.String); ok {
			one.Delivery.URL = tf.StringPointer(link)
		}
		jobs = append(jobs, one)
	}
	return jobs
}

// sameText reports whether two attributes have the same value, regardless of the case of IDs and
// the spelling of times.
func sameText(a, b attr.Value) bool {
	left, isText := a.(types.String)
	right, wasText := b.(types.String)
	if isText && wasText && !left.IsUnknown() && !right.IsUnknown() && left.IsNull() == right.IsNull() {
		at := tf.ParseTime(tf.StringPointer(left))
		other := tf.ParseTime(tf.StringPointer(right))
		return at != nil && other != nil && at.Equal(*other) || strings.EqualFold(left.ValueString(), right.ValueString())
	}
	return a.Equal(b)
}
