package putresource

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// apply makes the change with a PUT, and reports what Ops Manager did not take. It returns nil if a read or the request
// failed. If nothing is left to change, it sends nothing.
func (t *target[T]) apply(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	w := t.write()
	var done result[T]
	live, err := w.Read(ctx)
	if err == nil {
		done, err = w.Change(ctx, t.Client, t.Kind, *live)
	}
	if err != nil {
		diags.Append(t.failure(err)) // which leaves nil out
		return nil
	}
	return t.check(ctx, done, diags)
}

// refuse returns an error if values have changed since the plan, or if the provider can't send the object back. It leaves
// out those that a PUT sends as they are live, because the plan neither saw nor sets them.
func (t *target[T]) refuse(next step[T], drifts []change.Drift) error {
	var found []change.Drift
	for _, v := range drifts {
		f := t.field(v.Attribute)
		isUnseen := t.prior != nil && t.prior[v.Attribute].IsNull()
		switch {
		case v.IsSecret:
		case isUnseen && f.IsMissing(t.wanted):
			continue
		default:
			if v.Is != "" {
				v.Is = t.inSentence(*f, next.Live)
			}
			if !t.isAdoption {
				v.Saw = t.inSentence(*f, next.Saw)
			}
		}
		found = append(found, v)
	}
	refused := t.CannotSendBack(next.Live)
	again := "Plan again."
	if t.isEnd {
		again = tf.RefreshFirst
	}
	if len(found) > 0 {
		refused = t.onID(t.summary(t.verb()), "%s", change.SincePlan(t.name(), found, again, "import the "+t.Word+" again"))
	}
	if refused == nil {
		return nil
	}
	return tf.Explained{Diagnostic: refused}
}

// allow returns an error if the request of a step would leave out anything that someone has set.
func (t *target[T]) allow(_ context.Context, next step[T]) error {
	whole := t.whole(next.Live)
	lost := t.lost(whole, next.Live)
	for _, f := range t.Fields { // that are masked, and that neither the plan nor the state has
		if f.IsMasked(next.Live) && f.IsMissing(t.wanted) && (f.IsMissing(whole) || tf.IsEmpty(f.Value(whole))) {
			lost = append(lost, f.Attribute)
		}
	}
	masked := t.masked(*t.firstRead, next.Live, whole)
	diags := t.checkSilentRemovals(next.Live, whole)
	diags.Append(t.unknownSecrets(lost), t.incomplete(t.Fields.Complete(whole, t.planned)), t.unknownMembers(masked))
	if diags.HasError() {
		return tf.Explained{Diagnostic: diags.Errors()[0]}
	}
	return nil
}

// send replaces the object. An empty response is a success only if a read proves it.
func (t *target[T]) send(ctx context.Context, next step[T]) (*T, error) {
	whole := t.whole(next.Live)
	response, err := t.Calls.Put(ctx, t.Data, whole)
	t.isUnclear = t.isUnclear || opsmanager.MayHaveChanged(err)
	if err == nil {
		t.Recall(response, whole)
	}
	if errors.Is(err, opsmanager.ErrEmptyResponse) {
		if held, unread := t.read(ctx, whole); unread == nil && t.write().IsProof(next, *held) {
			return held, nil
		}
	}
	return response, err
}

// failure returns the diagnostic of a failed read or request, or nil if there is nothing left to end.
func (t *target[T]) failure(err error) diag.Diagnostic {
	isMissing := opsmanager.IsMissing(err, t.Kind)
	isUnread := t.firstRead == nil
	switch {
	case t.isEnd && isMissing:
		return nil
	case t.isEnd && isUnread:
		return tf.WithMore(t.failed(t.verb(), err), "\n\nNothing was changed.")
	case isUnread && isMissing:
		return t.goneSincePlan(err)
	case isUnread && opsmanager.MayBeUnreadable(err, t.Kind):
		return t.unreadable(err)
	}
	return t.failed(t.verb(), err)
}

// incomplete returns the error of a PUT that would lack fields that it needs, or that Ops Manager no longer returns, or nil.
func (t *target[T]) incomplete(whole T) diag.Diagnostic {
	var missing []string
	instead := "or do not change the " + t.Word
	more := ""
	if t.isEnd {
		instead = fmt.Sprintf("or set on_destroy = %q, and apply that first", keepOnDestroy)
	}
	for _, f := range t.Fields {
		isLost := f.IsLost(whole, t.known.Returned)
		if isLost {
			more = " If there is none, set it to \"\"."
		}
		if isLost || t.isNeeded(f) && f.IsMissing(whole) && !t.isUnknown(f.Attribute) {
			missing = append(missing, f.Attribute)
		}
	}
	if missing == nil {
		return nil
	}
	return onAttribute(missing[0], t.summary(t.verb()), "A change must send the whole %[1]s, and Ops Manager did not return its %[2]s. "+
		"Nothing was changed. Configure %[2]s as well, %[3]s.%[4]s", t.Word, strings.Join(missing, ", "), instead, more)
}
