package wholeobject

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// change is a change of an object by a PUT, which replaces all of it.
type change[T any] struct {
	verb  string
	id    []string
	isEnd bool // whether nothing is left to do if the object is gone

	live    T // as it was read last
	wanted  T // the fields that change
	planned T // all fields that the plan has values for

	toSend     map[string]string // the secrets of the plan
	newSecrets map[string]string // those of them that change
	known      secrets.ReadBack
	removed    []string // optional fields that someone removed, as noteReturned returns them

	// sincePlan says what is neither wanted nor what the plan saw.
	sincePlan func(live T) []string
}

// errRefused ends a change that the provider refuses to send.
var errRefused = errors.New("refused")

// set changes a live object to the wanted values, and returns what it sent and what Ops Manager returns
// afterwards. Before each request, it reads and compares. If nothing is left to change, it sends nothing.
func (r *lifecycle[T]) set(ctx context.Context, c change[T], diags *diag.Diagnostics) (sent, held T) {
	var refused diag.Diagnostics
	before := c.live
	isOther := func(live T) bool { return len(c.sincePlan(live)) > 0 }
	response, err := r.change(ctx, &c.live, r.reader(c.id), isOther, func(attempt context.Context, now T) (*T, error) {
		if isOther(now) {
			refused.Append(r.changedSincePlan(c.verb, c.id, c.sincePlan(now)))
			return nil, errRefused
		}
		c.live = now
		if r.isDone(c) {
			sent = now
			for _, s := range r.Secrets {
				*s.At(&sent) = nil // it may be a mask
			}
			r.setSecrets(&sent, now, c.toSend, c.known)
			return &now, nil
		}
		if sent = r.whole(ctx, c, &refused); refused.HasError() {
			return nil, errRefused
		}
		return r.Calls.Put(attempt, r.Data, sent)
	})
	if diags.Append(refused...); refused.HasError() {
		return sent, held
	}
	isEmpty := errors.Is(err, opsmanager.ErrEmptyResponse) // a success only if a read confirms it
	if err == nil || isEmpty {
		var agrees bool
		held, agrees = readUntilAgrees(ctx, r.Data, response, r.reader(c.id), func(held T) bool {
			return r.agrees(sent, held) && r.showSecrets(sent, before, held)
		})
		if agrees || !isEmpty {
			r.warnNotReturned(c.id, r.Fields.Differences(r.unreturned(c, sent), r.Object(c.id)), diags)
			return sent, held
		}
	}
	if !c.isEnd || !r.isGone(err) {
		diags.Append(diagnostics.Failure(r.summary(c.verb), err, r.Codes))
	}
	return sent, held
}

// isDone reports whether the live object has all wanted values. Of a secret that is masked, that is not
// known.
func (r *lifecycle[T]) isDone(c change[T]) bool {
	shown := r.shown(c.live)
	for attribute, text := range c.newSecrets {
		if shown[attribute] != text {
			return false
		}
	}
	return !slices.ContainsFunc(r.Fields, func(f tfmodel.Field[T]) bool { return r.differs(f, c.wanted, c.live) })
}

// agrees reports whether Ops Manager may hold what was sent. What it does not return may be so.
func (n *Noun[T]) agrees(sent, held T) bool {
	return len(n.Fields.Differences(sent, n.settled(held, sent))) == 0
}

// settled returns what Ops Manager holds: what it returns, and what was sent and is not returned. A list
// that is not returned is empty.
func (n *Noun[T]) settled(held, sent T) T {
	return n.Fields.Complete(held, n.Fields.Only(sent, func(f tfmodel.Field[T]) bool { return !f.IsList() }))
}

// change calls write with a live object, and again with what it has become before each repetition. Reads
// may lag behind writes, so it reads an object that is not the expected one again until the settle time is
// over.
func (r *lifecycle[T]) change(ctx context.Context, live *T, read func(context.Context) (*T, error), isOther func(live T) bool, write func(ctx context.Context, live T) (*T, error)) (*T, error) {
	return opsmanager.Change(ctx, r.Client, live, read, func(attempt context.Context, now *T) (*T, error) {
		if isOther(*now) {
			r.Settle(ctx, func() bool {
				if again, err := read(ctx); err == nil {
					now = again
				}
				return !isOther(*now)
			})
		}
		return write(attempt, *now)
	})
}

// whole returns what a PUT sends: the live object with the wanted values and every secret. What Ops Manager
// does not return has its planned value. It adds an error if anything that someone set would be left out.
func (r *lifecycle[T]) whole(ctx context.Context, c change[T], diags *diag.Diagnostics) T {
	whole := r.Fields.Complete(r.Fields.Complete(r.Object(c.id), c.wanted), c.live)
	whole = r.Fields.Complete(whole, r.unreturned(c, c.planned))
	missing := append(r.setSecrets(&whole, c.live, c.toSend, c.known), r.lostMasked(c, whole)...)
	r.Merge(&whole, c.live)
	if len(missing) > 0 {
		diags.Append(r.unknownSecrets(c.verb, missing))
	}
	r.requireWhole(c.verb, whole, nil, diags)
	if !diags.HasError() {
		r.rejectMasks(ctx, c, whole, diags)
	}
	return whole
}

// unreturned returns those fields of an object that neither change nor are live, and that nobody removed:
// Ops Manager does not return them.
func (n *Noun[T]) unreturned(c change[T], object T) T {
	return n.Fields.Only(object, func(f tfmodel.Field[T]) bool {
		return !f.IsList() && f.IsMissing(c.wanted) && f.Value(c.live).IsNull() && !slices.Contains(c.removed, f.Attribute) && !isEmpty(f.Value(object))
	})
}

// requireWhole adds an error if a PUT would lack a field that it needs. What is configured may be unknown.
func (n *Noun[T]) requireWhole(verb string, whole T, config tfmodel.Values, diags *diag.Diagnostics) {
	missing := slices.DeleteFunc(n.Fields.Missing(whole), func(attribute string) bool {
		value, configured := config[attribute]
		isNeeded := slices.Contains(n.Required, attribute) || slices.Contains(n.Whole, attribute)
		return !isNeeded || configured && !value.IsNull()
	})
	if len(missing) > 0 {
		diags.Append(n.incomplete(verb, missing))
	}
}

// rejectMasks adds an error if a member that is sent, and that the provider does not know, may have a mask
// in place of a secret. A mask is not the same in each response, or looks like one.
func (r *lifecycle[T]) rejectMasks(ctx context.Context, c change[T], sent T, diags *diag.Diagnostics) {
	names := opsmanager.UnknownNames(sent)
	if len(names) == 0 {
		return
	}
	again, err := r.Calls.Get(ctx, r.Data, c.id)
	if err != nil {
		diags.Append(diagnostics.Failure(r.summary(c.verb), err, r.Codes))
		return
	}
	masked := slices.DeleteFunc(opsmanager.UnknownSecrets(c.live, *again), func(name string) bool { return !slices.Contains(names, name) })
	if len(masked) > 0 {
		diags.Append(r.unknownSecret(masked))
	}
}

// reportAdjusted adds an error for each wanted value that Ops Manager has changed.
func (r *lifecycle[T]) reportAdjusted(ctx context.Context, wanted, settled T, diags *diag.Diagnostics) {
	for _, d := range tfmodel.Returned(r.Fields.Differences(wanted, settled)) {
		diags.Append(d.Adjusted(ctx, ""))
	}
}

// reader returns a function that reads an object.
func (r *lifecycle[T]) reader(id []string) func(context.Context) (*T, error) {
	return func(ctx context.Context) (*T, error) { return r.Calls.Get(ctx, r.Data, id) }
}

// readUntilAgrees returns what Ops Manager holds after a write with a response, which is nil if it
// was empty, and whether that agrees with what was sent. A server may return old values for a while,
// so it reads until they agree, the settle time is over, or Ops Manager can't return the object.
func readUntilAgrees[T any](ctx context.Context, d *connection.Data, response *T, read func(context.Context) (*T, error), agrees func(held T) bool) (settled T, ok bool) {
	if response != nil {
		settled, ok = *response, agrees(*response)
	}
	if !ok {
		d.Settle(ctx, func() bool {
			live, err := read(ctx)
			if err == nil {
				settled, ok = *live, agrees(*live)
			}
			return ok || opsmanager.IsUnsupported(err)
		})
	}
	return settled, ok
}
