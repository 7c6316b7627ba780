package snapshots

import (
	"cmp"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// expiry says how long a snapshot is kept.
type expiry struct {
	held    bool
	expires types.String // null if it is held, or not returned; unknown if Ops Manager decides
}

func (m onDemandSnapshotModel) expiry() expiry { return expiry{m.DoNotDelete.ValueBool(), m.Expires} }

// liveExpiry returns the expiry of a snapshot. One that does not say that it is held is not.
func liveExpiry(s opsmanager.ClusterSnapshot) expiry {
	if s.DoNotDelete != nil && *s.DoNotDelete {
		return expiry{true, types.StringNull()}
	}
	return expiry{false, types.StringPointerValue(s.Expires)}
}

func isHeld(s opsmanager.ClusterSnapshot) bool { return liveExpiry(s).held }

// changed says how a live expiry differs from what the plan saw and from what it becomes.
func (e expiry) changed(saw, wanted expiry) (changed []string) {
	if e.held == wanted.held && (wanted.expires.IsUnknown() || isSameTime(e.expires, wanted.expires)) {
		return nil
	}
	if e.held != saw.held && e.held != wanted.held {
		changed = append(changed, fmt.Sprintf("do_not_delete is %t, and the plan showed %t", e.held, saw.held))
	}
	if !isSameTime(e.expires, saw.expires) && !isSameTime(e.expires, wanted.expires) {
		changed = append(changed, fmt.Sprintf("expires is %s, and the plan showed %s", textOf(e.expires), textOf(saw.expires)))
	}
	return changed
}

// agrees reports whether a snapshot has this expiry, as far as Ops Manager returns it.
func (e expiry) agrees(live opsmanager.ClusterSnapshot) bool {
	now := liveExpiry(live)
	return (live.DoNotDelete == nil || now.held == e.held) &&
		(e.held || e.expires.IsUnknown() || now.expires.IsNull() && !now.held || isSameTime(now.expires, e.expires))
}

// changeOf returns the request that gives a snapshot this expiry.
func (e expiry) changeOf(live opsmanager.ClusterSnapshot) (change opsmanager.SnapshotExpiry) {
	now := liveExpiry(live)
	if e.held != now.held {
		change.DoNotDelete = &e.held
	}
	if at := tfmodel.ParseTime(tfmodel.StringPointer(e.expires)); at != nil && !isSameTime(e.expires, now.expires) {
		change.Expires = new(tfmodel.FormatTime(*at))
	}
	return change
}

// isSameTime reports whether two texts are the same second, or equal.
func isSameTime(a, b types.String) bool {
	atA, atB := tfmodel.ParseTime(tfmodel.StringPointer(a)), tfmodel.ParseTime(tfmodel.StringPointer(b))
	return a.Equal(b) || atA != nil && atB != nil && atA.Unix() == atB.Unix()
}

func textOf(expires types.String) string {
	return cmp.Or(opsmanager.Sanitize(expires.ValueString()), "not set")
}
