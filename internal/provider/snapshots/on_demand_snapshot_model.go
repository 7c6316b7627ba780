package snapshots

import (
	"cmp"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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

// snapshots returns the snapshots of the cluster.
func (m onDemandSnapshotModel) snapshots(data *connection.Data) clusterSnapshots {
	return clusterSnapshots{data, m.ProjectID.ValueString(), m.ClusterID.ValueString()}
}

// deletes reports whether destroying the resource deletes the snapshot.
func (m onDemandSnapshotModel) deletes() bool {
	return m.OnDestroy.ValueString() == deleteOnDestroy && !m.Gone.ValueBool()
}

// fromAPI sets the attributes but the ID to the values of a response. A missing field keeps its
// value. A different spelling of the same time is not a change.
func (m *onDemandSnapshotModel) fromAPI(s opsmanager.ClusterSnapshot) {
	if created := createdTime(s.Snapshot); created != nil {
		m.Created = types.StringValue(tfmodel.FormatTime(*created))
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
	at, count := tfmodel.ParseTime(tfmodel.StringPointer(created)), tfmodel.Int64Pointer(days)
	if at == nil || count == nil {
		return types.StringUnknown()
	}
	return types.StringValue(tfmodel.FormatTime(at.AddDate(0, 0, int(*count))))
}

// settle sets what Ops Manager did not return.
func (m *onDemandSnapshotModel) settle() {
	m.Created, m.Expires = types.StringPointerValue(tfmodel.StringPointer(m.Created)), types.StringPointerValue(tfmodel.StringPointer(m.Expires))
	m.DoNotDelete, m.Complete, m.Gone = types.BoolValue(m.DoNotDelete.ValueBool()), types.BoolValue(m.Complete.ValueBool()), types.BoolValue(false)
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
	return tfmodel.ParseTime(t.Date)
}

// expiry says how long a snapshot is kept.
type expiry struct {
	held    bool
	expires types.String // null if it is held, or not returned; unknown if Ops Manager decides
}

func (m onDemandSnapshotModel) expiry() expiry { return expiry{m.DoNotDelete.ValueBool(), m.Expires} }

// holds returns whether a snapshot is held, or nil if that is not known: one that expires is not.
func holds(s opsmanager.ClusterSnapshot) *bool {
	if s.DoNotDelete == nil && s.Expires != nil {
		return new(false)
	}
	return s.DoNotDelete
}

func isHeld(s opsmanager.ClusterSnapshot) bool { return *cmp.Or(holds(s), new(false)) }

// liveExpiry returns the expiry of a snapshot. One that does not say that it is held is not.
func liveExpiry(s opsmanager.ClusterSnapshot) expiry {
	if isHeld(s) {
		return expiry{true, types.StringNull()}
	}
	return expiry{false, types.StringPointerValue(s.Expires)}
}

// object returns a snapshot with this expiry. What Ops Manager decides is missing.
func (e expiry) object() (s opsmanager.ClusterSnapshot) {
	s.DoNotDelete, s.Expires = &e.held, tfmodel.StringPointer(e.expires)
	if at := tfmodel.ParseTime(s.Expires); at != nil {
		s.Expires = new(tfmodel.FormatTime(*at))
	}
	return s
}

// expiryFields say how long a snapshot is kept.
var expiryFields = tfmodel.Fields[opsmanager.ClusterSnapshot]{
	tfmodel.BoolField("do_not_delete", func(s *opsmanager.ClusterSnapshot) **bool { return &s.DoNotDelete }),
	tfmodel.TextField("expires", func(s *opsmanager.ClusterSnapshot) **string { return &s.Expires }),
}

// expiryValues are these fields as values of a change. A snapshot that does not say whether it is held may be as the plan
// saw it.
var expiryValues = change.Values[opsmanager.ClusterSnapshot]{
	{Name: "do_not_delete", Fields: expiryFields[:1], Text: heldText, ReadsMayLack: true},
	{Name: "expires", Fields: expiryFields[1:], Text: expiresText},
}

func heldText(s opsmanager.ClusterSnapshot) string {
	if held := holds(s); held != nil {
		return strconv.FormatBool(*held)
	}
	return ""
}

// expiresText returns when a snapshot expires as messages show it.
func expiresText(s opsmanager.ClusterSnapshot) string {
	at := tfmodel.ParseTime(s.Expires)
	switch {
	case isHeld(s):
		return "never"
	case at != nil:
		return tfmodel.FormatTime(*at)
	}
	return opsmanager.Sanitize(tfmodel.Text(s.Expires))
}

// withExpiry returns a snapshot after a request that changes its expiry. A hold removes that.
func withExpiry(live, request opsmanager.ClusterSnapshot) opsmanager.ClusterSnapshot {
	live.DoNotDelete, live.Expires = cmp.Or(request.DoNotDelete, live.DoNotDelete), cmp.Or(request.Expires, live.Expires)
	if isHeld(live) {
		live.Expires = nil
	}
	return live
}

// isSameTime reports whether two texts are the same second, or equal.
func isSameTime(a, b types.String) bool {
	atA, atB := tfmodel.ParseTime(tfmodel.StringPointer(a)), tfmodel.ParseTime(tfmodel.StringPointer(b))
	return a.Equal(b) || atA != nil && atB != nil && atA.Unix() == atB.Unix()
}

func textOf(expires types.String) string {
	return cmp.Or(opsmanager.Sanitize(expires.ValueString()), "not set")
}
