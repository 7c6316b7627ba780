package restores

import (
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// mayHave reports whether a job can belong to the restore of a model, by its cluster and its source.
// A job of a batch may have the IDs of a shard and of a part of the snapshot.
func (m restoreJobModel) mayHave(j opsmanager.RestoreJob) bool {
	isSnapshot := tfmodel.StringPointer(m.SnapshotID) != nil
	isWhole := strings.EqualFold(tfmodel.Text(j.ClusterID), m.ClusterID.ValueString())
	switch {
	case j.BatchID == nil && j.ClusterID != nil && !isWhole, isSnapshot && j.PointInTime != nil && *j.PointInTime:
		return false
	case isSnapshot && j.SnapshotID != nil && (isWhole || j.BatchID == nil):
		return strings.EqualFold(*j.SnapshotID, m.SnapshotID.ValueString())
	}
	return true
}

// delivers reports whether a job can have the delivery of a model. By the documentation, the method
// of each job is HTTP. Only a download link has a number of downloads, an expiry and an address.
func (m restoreJobModel) delivers(j opsmanager.RestoreJob) bool {
	d := j.Delivery
	if d == nil {
		return true
	}
	isLink := d.MaxDownloads != nil || d.ExpirationHours != nil || tfmodel.Text(d.URL) != ""
	if !m.TargetClusterID.IsNull() {
		return !isLink
	}
	same := func(a, b *int64) bool { return a == nil || b == nil || *a == *b }
	return isLink && tfmodel.Text(d.MethodName) != opsmanager.AutomatedRestore &&
		same(d.MaxDownloads, tfmodel.Int64Pointer(m.MaxDownloads)) && same(d.ExpirationHours, tfmodel.Int64Pointer(m.ExpirationHours))
}

// endsAt reports whether a job can restore the point in time of a model, as far as Ops Manager
// returns it.
func (m restoreJobModel) endsAt(j opsmanager.RestoreJob) bool {
	at := m.instant()
	switch {
	case at == nil:
		return true
	case j.PointInTime != nil && !*j.PointInTime:
		return false
	case j.Timestamp == nil:
		return true
	}
	date, increment := tfmodel.ParseTime(j.Timestamp.Date), tfmodel.Int64Pointer(m.OplogInc)
	return (date == nil || date.Truncate(time.Second).Equal(at.Truncate(time.Second))) &&
		(increment == nil || j.Timestamp.Increment == nil || *increment == *j.Timestamp.Increment)
}
