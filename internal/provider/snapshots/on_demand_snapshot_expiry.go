package snapshots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// expiry says how long a snapshot is kept: by a plan or a state, or by a response as liveExpiry returns it. As an object, a change compares
// and sends it.
type expiry struct {
	held    bool
	expires types.String // null if it is held, or not returned; unknown if Ops Manager decides
}

func (m onDemandSnapshotModel) expiry() expiry {
	return expiry{m.DoNotDelete.ValueBool(), m.Expires}
}

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
	s.DoNotDelete = &e.held
	s.Expires = tf.StringPointer(e.expires)
	if at := tf.ParseTime(s.Expires); at != nil {
		s.Expires = new(tf.FormatTime(*at))
	}
	return s
}

// expiryFields say how long a snapshot is kept.
var expiryFields = tf.Fields[opsmanager.ClusterSnapshot]{
	tf.BoolField("do_not_delete", func(s *opsmanager.ClusterSnapshot) **bool { return &s.DoNotDelete }),
	tf.TextField("expires", func(s *opsmanager.ClusterSnapshot) **string { return &s.Expires }),
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
	at := tf.ParseTime(s.Expires)
	switch {
	case isHeld(s):
		return "never"
	case at != nil:
		return tf.FormatTime(*at)
	}
	return opsmanager.Sanitize(tf.Text(s.Expires))
}

// withExpiry returns a snapshot after a request that changes its expiry. A hold removes that.
func withExpiry(live, request opsmanager.ClusterSnapshot) opsmanager.ClusterSnapshot {
	live.DoNotDelete = cmp.Or(request.DoNotDelete, live.DoNotDelete)
	live.Expires = cmp.Or(request.Expires, live.Expires)
	if isHeld(live) {
		live.Expires = nil
	}
	return live
}

// isSameTime reports whether two texts are the same second, or equal.
func isSameTime(a, b types.String) bool {
	atA := tf.ParseTime(tf.StringPointer(a))
	atB := tf.ParseTime(tf.StringPointer(b))
	return a.Equal(b) || atA != nil && atB != nil && atA.Unix() == atB.Unix()
}

func isEarlier(a, b types.String) bool {
	atA := tf.ParseTime(tf.StringPointer(a))
	atB := tf.ParseTime(tf.StringPointer(b))
	return atA != nil && atB != nil && atA.Before(*atB)
}

func textOf(expires types.String) string {
	return cmp.Or(opsmanager.Sanitize(expires.ValueString()), "not set")
}

// expiryChange returns the change of the expiry of a snapshot from what a plan saw to what it sets. again is what to do if
// the snapshot has changed since.
func (c clusterSnapshots) expiryChange(id string, saw, wanted expiry, again string) change.Write[opsmanager.ClusterSnapshot] {
	return change.Write[opsmanager.ClusterSnapshot]{
		ReplacesAll: true, // a hold removes the expiry
		Values:      expiryValues,
		Saw:         func(opsmanager.ClusterSnapshot) opsmanager.ClusterSnapshot { return saw.object() },
		Wanted:      expiryFields.Changed(wanted.object(), saw.object()),
		After:       withExpiry,
		RefuseDrift: func(_ change.Step[opsmanager.ClusterSnapshot], drifts []change.Drift) error {
			if len(drifts) == 0 {
				return nil
			}
			return errors.New(strings.TrimSuffix(change.SincePlan("snapshot "+id, drifts, again, "import the snapshot again"), "."))
		},
		Read: func(ctx context.Context) (*opsmanager.ClusterSnapshot, error) {
			return c.Client.ClusterSnapshot(ctx, c.project, c.cluster, id)
		},
		Send: func(ctx context.Context, step change.Step[opsmanager.ClusterSnapshot]) (*opsmanager.ClusterSnapshot, error) {
			return c.Client.ChangeSnapshotExpiry(ctx, c.project, c.cluster, id, opsmanager.SnapshotExpiry{
				DoNotDelete: step.Request.DoNotDelete,
				Expires:     step.Request.Expires,
			})
		},
	}
}

// setExpiry changes the expiry of a snapshot from what the plan saw to what it becomes, and returns the
// snapshot.
func (c clusterSnapshots) setExpiry(ctx context.Context, id string, saw, wanted expiry) (*opsmanager.ClusterSnapshot, diag.Diagnostic) {
	done, err := c.expiryChange(id, saw, wanted, "Plan again.").Run(ctx, c.Client, opsmanager.ObjectSnapshot)
	if err != nil {
		return nil, snapshotFailure(updateSummary, err)
	}
	if others := slices.Concat(done.ChangedAlong, done.NotTaken); len(others) > 0 {
		return nil, notSet(id, others[0].Attribute, wanted, done.Returned)
	}
	return &done.Returned, nil
}

// notSet is the error of a change of the expiry after which Ops Manager returns an attribute with another value, or without one.
func notSet(id, attribute string, wanted expiry, live opsmanager.ClusterSnapshot) diag.Diagnostic {
	const notReturned = "not returned"
	expires := cmp.Or(opsmanager.Sanitize(tf.Text(live.Expires)), notReturned)
	held := notReturned
	if live.DoNotDelete != nil {
		held = strconv.FormatBool(*live.DoNotDelete)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), "Other Expiry Returned",
		fmt.Sprintf("Ops Manager accepted a change of snapshot %s, but then returned expires = %s and do_not_delete = %s. The plan has %s and %t. It may have adjusted the value, or another client may have changed it at the same time. "+
			"Run terraform plan to see which value it has.", id, expires, held, textOf(wanted.expires), wanted.held))
}
