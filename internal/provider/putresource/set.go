package putresource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// change is a change of an object by a PUT, which replaces all of it, or its deletion.
type change[T any] struct {
	verb  string
	id    []string
	isEnd bool // whether nothing is left to do if the object is gone

	wanted  T // the fields that change
	planned T // all fields that the plan has values for

	toSend     map[string]string // the secrets of the plan
	newSecrets map[string]string // those of them that change
	unshown    []string          // those of them that the plan would remove without showing that
	config     tfmodel.Values    // nil for a deletion

	// What the plan saw: the prior state, or the values of overwrites if the plan adopts the object.
	prior      tfmodel.Values
	overwrites *types.Object
	known      known

	before, live T // as it was read first and last
	earlier      T // as it was read right before live, to find masks

	sent, held T    // what the request sent, and what Ops Manager returned last
	response   *T   // of the request; nil if it is empty
	isUnclear  bool // whether a request failed that may have taken effect
	isEmpty    bool // whether the response to the last request is empty, which is a success only if a read confirms it
}

// errRefused ends a change that the provider refuses to send.
var errRefused = errors.New("refused")

// left returns the fields for which an object lacks the value that another one wants. An empty text or list
// wants that there is none. returned has the attributes that Ops Manager has ever returned.
func (t *Type[T]) left(wanted, held T, returned []string) tfmodel.Fields[T] {
	return t.only(func(f tfmodel.Field[T]) bool {
		isNone := tfmodel.IsEmpty(f.Value(wanted)) && f.IsUnset(held, returned)
		return !isNone && len(tfmodel.Fields[T]{f}.Differences(wanted, held)) > 0
	})
}

// only returns some of the fields.
func (t *Type[T]) only(keeps func(tfmodel.Field[T]) bool) tfmodel.Fields[T] {
	return slices.DeleteFunc(slices.Clone(t.Fields), func(f tfmodel.Field[T]) bool { return !keeps(f) })
}

// sincePlan returns which values of an object are neither the wanted ones nor what the plan saw. A PUT replaces all of
// them, so all count; of an adoption, those that it changes. What Ops Manager has never returned may be as it was.
func (t *Type[T]) sincePlan(c *change[T]) (changed []tfmodel.SincePlan) {
	before := t.toAPI(c.prior)
	compared := t.only(func(f tfmodel.Field[T]) bool {
		if !f.IsMissing(c.wanted) {
			return !f.Value(c.live).Equal(f.Value(c.wanted))
		}
		return !f.IsMissing(before) // else it stays as it is live
	})
	if c.overwrites != nil {
		compared = t.left(c.wanted, c.live, c.known.Returned)
	}
	for _, f := range compared {
		mayBeEmptied := c.isUnclear && tfmodel.IsEmpty(f.Value(c.wanted)) // by this change
		isNone := (mayBeEmptied || tfmodel.IsEmpty(f.Value(before))) && f.IsMissing(c.live)
		isHidden := f.IsMasked(c.live) || f.IsMissing(c.live) && !c.known.wasReturned(f.Attribute)
		isSame := isNone || isHidden || f.Value(c.live).Equal(f.Value(before))
		saw := t.inSentence(f, before)
		if c.overwrites != nil {
			planned := plannedText(*c.overwrites, f.Attribute)
			isSame, saw = planned == t.overwrite(f, c.live, c.wanted), cmp.Or(planned, t.inSentence(f, c.wanted))
		}
		if !isSame {
			found := tfmodel.SincePlan{Attribute: f.Attribute, Saw: saw}
			if !f.IsUnsaid(c.live, c.known.Returned) {
				found.Is = t.inSentence(f, c.live)
			}
			changed = append(changed, found)
		}
	}
	return append(changed, t.secretsSincePlan(c)...)
}

// request calls write with an object that is as planned, and again before each repetition.
func (r *lifecycle[T]) request(ctx context.Context, c *change[T], read func(context.Context) (*T, error), write func(attempt context.Context) (*T, error)) (*T, error) {
	return opsmanager.Change(ctx, r.Client, r.Kind, &c.live, read, func(attempt context.Context, live *T) (*T, error) {
		c.live = *live
		r.noteReturned(&c.known, *live)
		r.Recall(&c.live, r.toAPI(c.prior))
		if err := r.changedSincePlan(c); err != nil {
			return nil, err
		}
		if refused := r.refused(c.live); refused.HasError() {
			return nil, diagnostics.Explained{Diagnostic: refused[0]}
		}
		return write(attempt)
	})
}

// set changes a live object to the wanted values, and reports those that Ops Manager did not take. It
// reports whether the request succeeded. If nothing is left to change, it sends nothing.
func (r *lifecycle[T]) set(ctx context.Context, c *change[T], diags *diag.Diagnostics) (ok bool) {
	c.before = c.live
	response, err := r.put(ctx, c, diags)
	switch {
	case errors.Is(err, errRefused):
		return false
	case err == nil, c.isEmpty:
		isRead := r.readHeld(ctx, c, response)
		isConfirmed := isRead && len(r.notTaken(c)) == 0 && r.showSecrets(c.sent, c.before, c.held)
		if isConfirmed || err == nil {
			r.reportTaken(c, diags)
			return true
		}
	}
	if !c.isEnd || !opsmanager.IsMissing(err, r.Kind) {
		diags.Append(diagnostics.Failure(r.summary(c.verb), err, r.Codes...))
	}
	return false
}

// put sends a PUT with the wanted values, and returns what Ops Manager holds then. It sends none if the object has them
// already and the plan saw that, or if this run has sent them: otherwise, they may be those of an old read.
func (r *lifecycle[T]) put(ctx context.Context, c *change[T], diags *diag.Diagnostics) (*T, error) {
	latest, err := r.readAgain(ctx, c, &c.live)
	if err != nil {
		return nil, err
	}
	c.live = *latest
	mayBeDone := r.sawDone(c)
	return r.request(ctx, c, r.readerForPut(c), func(attempt context.Context) (*T, error) {
		if mayBeDone && r.isDone(c) {
			c.sent = c.live
			for _, s := range r.Secrets {
				*s.At(&c.sent) = nil // it may be a mask
			}
			r.setSecrets(&c.sent, c.live, c.toSend, c.known)
			return &c.live, nil
		}
		whole, refused := r.whole(c)
		diags.Append(refused...)
		if refused.HasError() {
			return nil, errRefused
		}
		c.sent, mayBeDone = whole, true
		response, err := r.Calls.Put(attempt, r.Data, whole)
		c.isUnclear = c.isUnclear || opsmanager.MayHaveChanged(err)
		c.isEmpty = errors.Is(err, opsmanager.ErrEmptyResponse)
		return response, err
	})
}

// sawDone reports whether the plan saw nothing that is left to change.
func (t *Type[T]) sawDone(c *change[T]) bool {
	if c.overwrites != nil {
		return !showsAny(*c.overwrites)
	}
	return len(c.newSecrets) == 0 && len(t.left(c.wanted, t.toAPI(c.prior), c.known.Returned)) == 0
}

// isDone reports whether the live object has all wanted values. Of a secret that is masked, that is not
// known.
func (r *lifecycle[T]) isDone(c *change[T]) bool {
	shown := r.shown(c.live)
	for attribute, text := range c.newSecrets {
		live, isShown := shown[attribute]
		if !isShown || live != text {
			return false
		}
	}
	return len(r.left(c.wanted, c.live, c.known.Returned)) == 0
}

// notTaken returns the fields for which Ops Manager does not hold what was sent. A response that lacks a changed field
// says so if Ops Manager has ever returned it, whatever its absence says otherwise.
func (t *Type[T]) notTaken(c *change[T]) tfmodel.Fields[T] {
	return slices.DeleteFunc(t.left(c.sent, c.held, c.known.Returned), func(f tfmodel.Field[T]) bool {
		isRemoved := tfmodel.IsEmpty(f.Value(c.sent)) && f.IsMissing(c.held) && !f.IsMasked(c.held)
		mayBeTaken := f.IsMasked(c.held) || !c.known.wasReturned(f.Attribute)
		isUnchanged := f.IsMissing(c.wanted)
		return isRemoved || f.IsUnsaid(c.held, nil) && (mayBeTaken || isUnchanged)
	})
}

// reportTaken adds an error for each changed value that Ops Manager did not take. It warns about what Ops
// Manager changed along, and about what was sent and may not have been taken, because it is not returned.
func (r *lifecycle[T]) reportTaken(c *change[T], diags *diag.Diagnostics) {
	for _, attribute := range r.secretsNotTaken(c) {
		diags.Append(r.onID(r.summary(c.verb), "Ops Manager accepted the new %s of %s, and still returns the one before. If it returns what you configured in another form, configure that form.", attribute, r.quoted(c.id)))
	}
	var along []tfmodel.Difference
	for _, f := range r.notTaken(c) {
		switch {
		case !f.IsMissing(c.wanted):
			diags.Append(r.taken(c, f).Adjusted(""))
		case !f.IsMissing(c.planned):
			along = append(along, r.difference(f, c.held, c.sent))
		}
	}
	var unreturned []tfmodel.Difference
	for _, f := range r.unreturned(c, c.sent) {
		if f.IsMissing(c.wanted) || f.IsMissing(c.held) && !f.IsMasked(c.held) {
			unreturned = append(unreturned, tfmodel.Difference{Attribute: f.Attribute, Wanted: r.literal(f, c.sent)})
		}
	}
	if len(along) > 0 && !diags.HasError() {
		diags.AddWarning("Other Values of "+r.name(c.id)+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(along)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
	if len(unreturned) > 0 && !diags.HasError() {
		diags.AddWarning("Values of "+r.name(c.id)+" Not Returned",
			"Ops Manager does not return these values, so the provider can't tell whether it has them. A request without them could reset them, so each request sends them:"+tfmodel.Bulleted(unreturned))
	}
}

// taken returns the difference of a field between what was sent and what Ops Manager has.
func (t *Type[T]) taken(c *change[T], f tfmodel.Field[T]) tfmodel.Difference {
	d := t.difference(f, c.sent, c.held)
	if f.IsUnsaid(c.held, c.known.Returned) {
		d.Held = ""
	}
	return d
}

// difference returns the difference of a field between two objects, as messages show it.
func (t *Type[T]) difference(f tfmodel.Field[T], wanted, held T) tfmodel.Difference {
	return tfmodel.Difference{Attribute: f.Attribute, Held: t.literal(f, held), Wanted: t.literal(f, wanted)}
}

// settled returns what Ops Manager holds after a change: what it returns, and what was sent and may not be returned.
func (t *Type[T]) settled(c *change[T]) T {
	return t.Fields.Complete(c.held, t.Fields.Only(c.sent, func(f tfmodel.Field[T]) bool { return !f.IsUnset(c.held, nil) }))
}

// whole returns what a PUT sends: the live object with the wanted values and every secret. What Ops Manager
// does not return has its planned value. It returns an error if anything that someone set would be left out.
func (r *lifecycle[T]) whole(c *change[T]) (whole T, diags diag.Diagnostics) {
	whole = r.Fields.Complete(r.Fields.Complete(r.Object(c.id), c.wanted), c.live)
	whole = r.unreturned(c, c.planned).Complete(whole, c.planned)
	missing := append(r.setSecrets(&whole, c.live, c.toSend, c.known), r.lostMasked(c, whole)...)
	r.refuseRemovals(c.verb, nil, c.unshown, c.live, whole, &diags)
	r.Merge(&whole, c.live)
	if len(missing) > 0 {
		diags.Append(r.unknownSecrets(c.verb, missing))
	}
	r.requireWhole(c.verb, whole, nil, &diags)
	r.requireLost(c.verb, r.Fields.Complete(whole, c.planned), c.known.Returned, &diags)
	if masked := append(r.maskedTexts(c, whole), maskedMembers(c, whole)...); len(masked) > 0 && !diags.HasError() {
		diags.Append(r.unknownSecret(masked))
	}
	return whole, diags
}

// unreturned returns those fields of an object of which the last read before a change says nothing.
func (t *Type[T]) unreturned(c *change[T], object T) tfmodel.Fields[T] {
	return t.only(func(f tfmodel.Field[T]) bool {
		return f.IsUnsaid(c.live, c.known.Returned) && !f.IsMissing(object) && !tfmodel.IsEmpty(f.Value(object))
	})
}

// requireWhole adds an error if a PUT would lack a field that it needs. What is configured may be unknown.
func (t *Type[T]) requireWhole(verb string, whole T, config tfmodel.Values, diags *diag.Diagnostics) {
	missing := t.only(func(f tfmodel.Field[T]) bool {
		value, isPlanned := config[f.Attribute]
		isConfigured := isPlanned && !value.IsNull()
		isNeeded := f.IsNeeded() || slices.Contains(t.Required, f.Attribute)
		return isNeeded && f.IsMissing(whole) && !isConfigured
	})
	if len(missing) > 0 {
		diags.Append(t.incomplete(verb, missing, ""))
	}
}

// requireLost adds an error if a PUT would lack a field that Ops Manager no longer returns.
func (t *Type[T]) requireLost(verb string, whole T, returned []string, diags *diag.Diagnostics) {
	lost := t.only(func(f tfmodel.Field[T]) bool { return f.IsLost(whole, returned) })
	if len(lost) > 0 {
		diags.Append(t.incomplete(verb, lost, " If there is none, set it to \"\"."))
	}
}

// incomplete is the error of a PUT that would lack fields.
func (t *Type[T]) incomplete(verb string, missing tfmodel.Fields[T], more string) diag.Diagnostic {
	instead := "or do not change the " + t.Word
	if verb == "Reset" {
		instead = fmt.Sprintf("or set on_destroy = %q, and apply that first", keepOnDestroy)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(missing[0].Attribute), t.summary(verb), fmt.Sprintf("A change must send the whole %[1]s, and Ops Manager did not return its %[2]s. "+
		"Nothing was changed. Configure %[2]s as well, %[3]s.%[4]s", t.Word, strings.Join(missing.Attributes(), ", "), instead, more))
}

// maskedTexts returns the members that are sent with a mask, and that are not configured. A secret is sent only if it is
// configured, or known to be returned unredacted.
func (t *Type[T]) maskedTexts(c *change[T], sent T) []string {
	configured := t.Object(c.id)
	t.Fields.Set(&configured, c.config)
	for _, s := range t.Secrets {
		*s.At(&sent) = nil
	}
	return opsmanager.MaskedTexts(sent, configured)
}

// maskedMembers returns the members that are sent, that the provider does not know, and that may have a mask in place
// of a secret. A mask is not the same in each response, or looks like one.
func maskedMembers[T any](c *change[T], sent T) []string {
	names := opsmanager.UnknownNames(sent)
	return slices.DeleteFunc(opsmanager.UnknownSecrets(c.earlier, c.live), func(name string) bool {
		return !slices.ContainsFunc(names, func(sent string) bool { return sent == name || strings.HasSuffix(sent, "."+name) })
	})
}

// readAgain returns an object that was read once. It reads it a second time if a PUT may send back a mask.
func (r *lifecycle[T]) readAgain(ctx context.Context, c *change[T], first *T) (*T, error) {
	c.earlier = *first
	if !opsmanager.MayHaveUnknownSecret(*first) {
		return first, nil
	}
	return r.Calls.Get(ctx, r.Data, c.id)
}

// readerForPut returns a function that reads an object so often that masks show.
func (r *lifecycle[T]) readerForPut(c *change[T]) func(context.Context) (*T, error) {
	return func(ctx context.Context) (*T, error) {
		first, err := r.Calls.Get(ctx, r.Data, c.id)
		if err != nil {
			return nil, err
		}
		return r.readAgain(ctx, c, first)
	}
}

// reader returns a function that reads an object.
func (r *lifecycle[T]) reader(id []string) func(context.Context) (*T, error) {
	return func(ctx context.Context) (*T, error) { return r.Calls.Get(ctx, r.Data, id) }
}

// readHeld sets what Ops Manager holds after a write, and reports whether it was read. It is read once if the response
// does not have all that was sent, and if there are secrets, which only the response to a write may show. Without a read,
// the response counts.
func (r *lifecycle[T]) readHeld(ctx context.Context, c *change[T], response *T) (isRead bool) {
	c.response = response
	defer func() { r.Recall(&c.held, c.sent) }()
	if response != nil {
		c.held = *response
		if len(r.Secrets) == 0 && len(r.notTaken(c)) == 0 {
			return false
		}
	}
	live, err := r.Calls.Get(ctx, r.Data, c.id)
	if err == nil {
		c.held = *live
	}
	return err == nil
}
