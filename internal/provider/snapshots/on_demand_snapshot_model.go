package snapshots

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// onDemandSnapshotModel is the model of the resource.
type onDemandSnapshotModel struct {
	snapshotIdentity
	RetentionDays types.Int64    `tfsdk:"retention_days"`
	Triggers      types.Map      `tfsdk:"triggers"`
	Expires       types.String   `tfsdk:"expires"`
	DoNotDelete   types.Bool     `tfsdk:"do_not_delete"`
	OnDestroy     types.String   `tfsdk:"on_destroy"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`

	Created  types.String `tfsdk:"created"`
	Complete types.Bool   `tfsdk:"complete"`
	Gone     types.Bool   `tfsdk:"gone"`
}

// snapshotIdentity identifies a snapshot.
type snapshotIdentity struct {
	projects.ClusterIdentity
	ID types.String `tfsdk:"id"`
}

// snapshotsOf returns the snapshots of a cluster.
func snapshotsOf(data *connection.Data, of projects.ClusterIdentity) clusterSnapshots {
	project, cluster := of.IDs()
	return clusterSnapshots{data, project, cluster}
}

// deletes reports whether destroying the resource deletes the snapshot.
func (m onDemandSnapshotModel) deletes() bool {
	return m.OnDestroy.ValueString() == deleteOnDestroy && !m.Gone.ValueBool()
}

// fromAPI sets the attributes but the ID to the values of a response. A missing field keeps its
// value. A different spelling of the same time is not a change.
func (m *onDemandSnapshotModel) fromAPI(s opsmanager.ClusterSnapshot) {
	if created := createdTime(s.Snapshot); created != nil {
		m.Created = types.StringValue(tf.FormatTime(*created))
	}
	if known := restorable(s.RestorePoint()); known != nil {
		m.Complete = types.BoolValue(*known)
	}
	if held := holds(s); held != nil {
		m.DoNotDelete = types.BoolValue(*held)
	}
	switch {
	case m.DoNotDelete.ValueBool():
		m.Expires = types.StringNull()
	case s.Expires != nil && !isSameTime(m.Expires, types.StringValue(*s.Expires)):
		m.Expires = types.StringValue(*s.Expires)
	}
	m.settle()
}

// maxRetentionDays is about the number of days until the year 9999. ISO 8601 has no later ones.
const maxRetentionDays = 2_900_000

// retention returns the validators of a number of days to keep a snapshot.
func retention() []validator.Int64 {
	return []validator.Int64{int64validator.AtLeast(1), int64validator.AtMost(maxRetentionDays)}
}

// expiryAfter returns the expiry of a snapshot that is kept for some days. It is unknown
// if one of them is not known.
func expiryAfter(created types.String, days types.Int64) types.String {
	at := tf.ParseTime(tf.StringPointer(created))
	count := tf.Int64Pointer(days)
	if at == nil || count == nil {
		return types.StringUnknown()
	}
	return types.StringValue(tf.FormatTime(at.AddDate(0, 0, int(*count))))
}

// settle sets what Ops Manager did not return.
func (m *onDemandSnapshotModel) settle() {
	m.Created = types.StringPointerValue(tf.StringPointer(m.Created))
	m.Expires = types.StringPointerValue(tf.StringPointer(m.Expires))
	m.DoNotDelete = types.BoolValue(m.DoNotDelete.ValueBool())
	m.Complete = types.BoolValue(m.Complete.ValueBool())
	m.Gone = types.BoolValue(false)
}

// createdTime returns when a snapshot was taken, or nil if the response leaves it out.
func createdTime(s opsmanager.Snapshot) *time.Time { return timeOf(s.Created) }

// timeOf returns the time of a timestamp, or nil if it has none of the years that ISO 8601 has.
func timeOf(t *opsmanager.Timestamp) *time.Time {
	const first, last = -62_135_596_800, 253_402_300_799 // the years 1 and 9999
	switch {
	case t == nil:
		return nil
	case t.Time != nil && *t.Time >= first && *t.Time <= last:
		return new(time.Unix(*t.Time, 0))
	}
	return tf.ParseTime(t.Date)
}
