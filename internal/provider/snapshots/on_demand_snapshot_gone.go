package snapshots

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// applied is the expiry that the last apply left, or that the first refresh after an import found. Another client may
// have changed it since, and a refresh stores what that set.
type applied struct {
	Held    bool    `json:"held"`
	Expires *string `json:"expires"`
	Missing bool    `json:"missing"` // whether the last refresh did not find the snapshot, which has to be kept
}

func appliedOf(e expiry) applied {
	return applied{Held: e.held, Expires: tf.StringPointer(e.expires)}
}

func (a applied) expiry() expiry { return expiry{a.Held, types.StringPointerValue(a.Expires)} }

// readApplied returns what the last apply left of a snapshot. It returns what was seen last if the private state lacks
// it: that of an import, or one that an older version wrote.
func readApplied(ctx context.Context, private tf.PrivateState, seen expiry) applied {
	var found applied
	var ignored diag.Diagnostics
	if !tf.ReadPrivate(ctx, private, projects.AppliedKey, &found, &ignored) {
		return appliedOf(seen)
	}
	return found
}

// isOver reports whether Ops Manager may have deleted a snapshot with this expiry.
func (e expiry) isOver() bool {
	at := tf.ParseTime(tf.StringPointer(e.expires))
	return !e.held && at != nil && at.Before(time.Now())
}

// isKept reports whether a snapshot with this expiry is known not to have expired. A snapshot lacks its expiry only if it
// says that it is held.
func (e expiry) isKept() bool {
	at := tf.ParseTime(tf.StringPointer(e.expires))
	return e.held || at != nil && at.After(time.Now())
}

// least returns until when a snapshot has to be kept at least, because retention_days is configured: what the last apply left,
// or, if that was a hold, as many days.
func (a applied) least(created types.String, days types.Int64) types.String {
	if a.Held {
		return expiryAfter(created, days)
	}
	return a.expiry().expires
}

// noteMissing records that Ops Manager has no such snapshot. If it has expired, the state says so. Otherwise, the state
// stays, so that the next plan shows that another client deleted it: Terraform prints no change of a refresh.
func (m *onDemandSnapshotModel) noteMissing(was *applied) {
	if m.Gone.ValueBool() {
		return
	}
	was.Missing = was.Missing || !m.expiry().isOver() || !was.expiry().isOver()
	m.Gone = types.BoolValue(!was.Missing)
}

// deletedByOthers is the warning about a snapshot that is gone although it had to be kept.
func (m onDemandSnapshotModel) deletedByOthers() diag.Diagnostic {
	kept := fmt.Sprintf("it was to be kept until %s", textOf(m.Expires))
	switch {
	case m.DoNotDelete.ValueBool():
		kept = "it was held"
	case m.Expires.IsNull():
		kept = "Ops Manager did not return its expiry"
	case m.expiry().isOver():
		kept = fmt.Sprintf("another client had changed how long it is kept, to %s", textOf(m.Expires))
	}
	return diag.NewAttributeWarningDiagnostic(path.Root("gone"), m.title()+" Is Gone",
		fmt.Sprintf("Ops Manager no longer has the snapshot, and %s. Another client may have deleted it, or ended the backup of the cluster. "+
			"It can't be recovered. The apply records this, and sends no request about the snapshot. To take another one, change triggers.", kept))
}
