package schedules

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/provider/tf"
)

// The values of retention_mode.
const (
	exactRetention   = "exact"
	minimumRetention = "minimum"
)

// raises reports whether a policy only raises retentions.
func (m snapshotPolicyModel) raises() bool {
	return m.RetentionMode.ValueString() == minimumRetention
}

// raise lets a change only raise retentions.
func raise(w *write) {
	request := w.Request
	allow := w.Allow
	minimum := w.Wanted.SnapshotRetentionDays
	w.Without = withoutKept
	w.Request = func(known, wanted, left schedule) schedule {
		sent := request(known, wanted, left)
		isKept := wanted.SnapshotRetentionDays == nil
		if isKept && isLong(minimum) && isShort(sent.SnapshotIntervalHours) { // Ops Manager would shorten it to less
			sent.SnapshotRetentionDays = known.SnapshotRetentionDays
		}
		return sent
	}
	w.Allow = func(ctx context.Context, next step) error {
		if unknown := notRaised(next); unknown != nil {
			return tf.Explained{Diagnostic: unknown}
		}
		return allow(ctx, next)
	}
}

// withoutKept returns what is wanted of a live schedule without the retentions that it keeps because they are longer, now
// and when the plan saw it.
func withoutKept(wanted, saw, live schedule) schedule {
	for _, f := range retentions {
		was := *f.at(&saw)
		is := *f.at(&live)
		want := f.at(&wanted)
		isKept := *want != nil && was != nil && *was > **want && (is == nil || *is >= **want)
		if isKept {
			*want = nil
		}
	}
	return wanted
}

// isSentUnread reports whether a step sends a retention that Ops Manager does not return. It may be longer.
func isSentUnread(f numberField, next step) bool {
	return f.keeps != "" && *f.at(&next.Live) == nil && *f.at(&next.Request) != nil
}

// notRaised returns an error if it is not known whether a step raises or lowers retentions.
func notRaised(next step) diag.Diagnostic {
	const advice = "So the provider can't tell whether it would raise or lower them, and sends nothing. " +
		`Remove the attributes from schedule, set retention_mode = "exact", or add the cluster to excluded_cluster_ids.`
	var unread []tf.Difference
	for _, f := range retentions {
		if isSentUnread(f, next) {
			unread = append(unread, tf.Difference{Attribute: f.attribute, Wanted: fmt.Sprint(**f.at(&next.Request))})
		}
	}
	if unread == nil {
		return nil
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(unread[0].Attribute), "Value Not Returned",
		"The policy only raises retentions, and Ops Manager does not return:"+tf.Bulleted(unread)+"\n\n"+advice)
}

// losses returns what the change of a cluster loses. A retention that is sent unread is an error whether the cluster is
// guarded or not.
func (m *plannedMember) losses() []loss {
	return slices.DeleteFunc(m.target.losses(m.next), func(l loss) bool {
		return m.policy.raises() && isSentUnread(l.numberField, m.next)
	})
}

// lowering returns the values of a policy that may leave fewer recovery points.
func (m snapshotPolicyModel) lowering() tf.Values {
	values := m.Schedule.Attributes()
	if m.raises() {
		for _, f := range retentions {
			delete(values, f.attribute)
		}
	}
	return values
}
