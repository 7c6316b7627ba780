package snapshots

import (
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// onDemandSnapshotModel is the model of the resource. Its ID is null until the requested
// snapshot has been found.
type onDemandSnapshotModel struct {
	ProjectID     types.String   `tfsdk:"project_id"`
	ClusterID     types.String   `tfsdk:"cluster_id"`
	RetentionDays types.Int64    `tfsdk:"retention_days"`
	Triggers      types.Map      `tfsdk:"triggers"`
	Expires       types.String   `tfsdk:"expires"`
	DoNotDelete   types.Bool     `tfsdk:"do_not_delete"`
	OnDestroy     types.String   `tfsdk:"on_destroy"`
	Timeouts      timeouts.Value `tfsdk:"timeouts"`

	ID       types.String `tfsdk:"id"`
	Created  types.String `tfsdk:"created"`
	Complete types.Bool   `tfsdk:"complete"`
	Gone     types.Bool   `tfsdk:"gone"`
}

// snapshotIdentity identifies a snapshot.
type snapshotIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`
	ID        types.String `tfsdk:"id"`
}

func (m onDemandSnapshotModel) identity() snapshotIdentity {
	return snapshotIdentity{m.ProjectID, m.ClusterID, m.ID}
}

// snapshots returns the snapshots of the cluster.
func (m onDemandSnapshotModel) snapshots(data *connection.Data) clusterSnapshots {
	return clusterSnapshots{data, m.ProjectID.ValueString(), m.ClusterID.ValueString()}
}

// fromAPI sets the attributes to the values of a response. A missing field keeps its
// value. A different spelling of the same time is not a change.
func (m *onDemandSnapshotModel) fromAPI(s opsmanager.ClusterSnapshot) {
	if s.ID != nil {
		m.ID = types.StringValue(strings.ToLower(*s.ID))
	}
	if created := createdTime(s.Snapshot); created != nil {
		m.Created = types.StringValue(tfmodel.FormatTime(*created))
	}
	if s.Complete != nil {
		m.Complete = types.BoolValue(*s.Complete)
	}
	if s.DoNotDelete != nil {
		m.DoNotDelete = types.BoolValue(*s.DoNotDelete)
	}
	switch {
	case m.DoNotDelete.ValueBool():
		m.Expires = types.StringNull()
	case s.Expires != nil && !isSameTime(m.Expires, types.StringValue(*s.Expires)):
		m.Expires = types.StringValue(*s.Expires)
	}
	m.Gone = types.BoolValue(false)
	m.settle()
}

// fromFound sets the values that are unknown until a snapshot is found: its ID, the time
// when it was taken, and the resulting expiry.
func (m *onDemandSnapshotModel) fromFound(s opsmanager.ClusterSnapshot) {
	m.ID = types.StringValue(strings.ToLower(tfmodel.Text(s.ID)))
	if created := createdTime(s.Snapshot); created != nil {
		m.Created = types.StringValue(tfmodel.FormatTime(*created))
	}
	if m.Expires.IsUnknown() && !m.DoNotDelete.ValueBool() {
		m.Expires = expiryAfter(m.Created, m.RetentionDays)
	}
}

// expiryAfter returns the expiry of a snapshot that is kept for some days. It is unknown
// if one of them is not known.
func expiryAfter(created types.String, days types.Int64) types.String {
	at, count := tfmodel.ParseTime(tfmodel.StringPointer(created)), tfmodel.Int64Pointer(days)
	if at == nil || count == nil {
		return types.StringUnknown()
	}
	return types.StringValue(tfmodel.FormatTime(at.Add(time.Duration(*count) * day)))
}

// settle sets values that are still unknown after an apply to null.
func (m *onDemandSnapshotModel) settle() {
	for _, text := range []*types.String{&m.ID, &m.Created, &m.Expires} {
		if text.IsUnknown() {
			*text = types.StringNull()
		}
	}
	if m.DoNotDelete.IsUnknown() {
		m.DoNotDelete = types.BoolNull()
	}
	for _, flag := range []*types.Bool{&m.Complete, &m.Gone} {
		if flag.IsUnknown() {
			*flag = types.BoolValue(false)
		}
	}
}

// expiryChange returns the request that changes the expiry of a snapshot to the planned
// one, and whether there is anything to change.
func expiryChange(plan, prior onDemandSnapshotModel) (change opsmanager.SnapshotExpiry, changes bool) {
	if !plan.DoNotDelete.Equal(prior.DoNotDelete) {
		change.DoNotDelete = tfmodel.BoolPointer(plan.DoNotDelete)
	}
	if at := tfmodel.ParseTime(tfmodel.StringPointer(plan.Expires)); at != nil && !plan.DoNotDelete.ValueBool() && !isSameTime(plan.Expires, prior.Expires) {
		change.Expires = new(tfmodel.FormatTime(*at))
	}
	return change, change != opsmanager.SnapshotExpiry{}
}

// changesExpiry reports whether a plan changes when a snapshot expires.
func changesExpiry(plan, prior onDemandSnapshotModel) bool {
	return !plan.DoNotDelete.Equal(prior.DoNotDelete) || !plan.Expires.Equal(prior.Expires) && !isSameTime(plan.Expires, prior.Expires)
}

// expiryDifferences returns the differences between a change and what Ops Manager returns.
func expiryDifferences(change opsmanager.SnapshotExpiry, live opsmanager.ClusterSnapshot) []tfmodel.Difference {
	differences := tfmodel.AppendDifference(nil, "do_not_delete", change.DoNotDelete, live.DoNotDelete, "")
	if tfmodel.ParseTime(live.Expires) != nil && isSameTime(types.StringPointerValue(change.Expires), types.StringPointerValue(live.Expires)) {
		return differences
	}
	return tfmodel.AppendDifference(differences, "expires", change.Expires, live.Expires, "")
}

// isSameTime reports whether two texts are the same second.
func isSameTime(a, b types.String) bool {
	atA, atB := tfmodel.ParseTime(tfmodel.StringPointer(a)), tfmodel.ParseTime(tfmodel.StringPointer(b))
	return atA != nil && atB != nil && atA.Unix() == atB.Unix()
}

// createdTime returns when a snapshot was taken, or nil if the response leaves it out.
func createdTime(s opsmanager.Snapshot) *time.Time {
	if s.Created == nil {
		return nil
	}
	return timeOf(*s.Created)
}

func timeOf(t opsmanager.Timestamp) *time.Time {
	if t.Time != nil {
		return new(time.Unix(*t.Time, 0))
	}
	return tfmodel.ParseTime(t.Date)
}

const day = 24 * time.Hour
