package putresource

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// target is an object that a plan or an apply creates, adopts, changes, resets or deletes.
type target[T any] struct {
	*lifecycle[T]
	id         []string
	isEnd      bool // a destroy
	isAdoption bool // a creation that found an object

	config, prior tf.Values // nil for a destroy, and for a creation
	plan          tf.Values // for a destroy, the prior state
	known         known     // what the private state has

	planned T // all that the plan has values for, with the secrets to send
	wanted  T // what changes of that

	firstRead *T   // the response to the first request of the last read, to find masks; nil before any read
	isUnclear bool // whether a request failed that may have taken effect
}

type (
	step[T any]   = change.Step[T]
	result[T any] = change.Result[T]
)

// valuesOf returns the attributes of a configuration, a plan or a state. From then on, the client hides
// the secrets among them.
func (r *lifecycle[T]) valuesOf(ctx context.Context, from tf.Source, diags *diag.Diagnostics) tf.Values {
	read := tf.ValuesFrom(ctx, from, diags)
	for _, s := range r.Secrets {
		r.Hide(tf.SecretOf(read, s.Attribute).Texts()...)
	}
	return read
}

// target returns what a plan does with an object. A creation has no prior state, and a destroy neither a configuration nor
// a plan.
func (r *lifecycle[T]) target(config, plan, prior tf.Values, known known) *target[T] {
	t := &target[T]{lifecycle: r, isEnd: plan == nil, config: config, plan: plan, prior: prior, known: known}
	if t.isEnd {
		t.plan = prior
	}
	t.id, _ = r.idOf(t.plan)
	t.planned = t.toAPI(t.plan)
	t.wanted = r.Object(t.id)
	if plan != nil {
		r.Fields.SetChanges(&t.wanted, plan, prior)
	}
	for _, s := range r.Secrets {
		secret := tf.SecretOf(t.plan, s.Attribute)
		text := secret.ToSend(tf.SecretOf(config, s.Attribute))
		*s.At(&t.planned) = text
		if secret != tf.SecretOf(prior, s.Attribute) {
			*s.At(&t.wanted) = text
		}
	}
	if t.isEnd && r.Reset != nil {
		t.wanted = *r.Reset
		t.planned = r.Fields.With(t.planned, *r.Reset)
	}
	return t
}

// verb returns what is done, for the titles of messages.
func (t *target[T]) verb() string {
	switch {
	case t.isEnd && t.Reset != nil:
		return "Reset"
	case t.isEnd:
		return "Delete"
	case t.isAdoption:
		return "Adopt"
	case t.prior == nil:
		return "Create"
	}
	return "Update"
}

// idOf returns the ID of an object as Ops Manager returns it, and whether all of it is known.
func (t *Type[T]) idOf(values tf.Values) (id []string, known bool) {
	known = true
	for _, attribute := range t.ID.Attributes {
		part := tf.As[types.String](values, attribute)
		id = append(id, part.ValueString())
		known = known && !part.IsUnknown()
	}
	id, _ = t.ID.Check(id)
	return id, known
}

// toAPI returns an object without the secrets, and without the fields that are null or unknown.
func (t *target[T]) toAPI(values tf.Values) T {
	object := t.Object(t.id)
	t.Fields.Set(&object, values)
	return object
}

// begin waits for the lock of the object, because each resource sends all of it. If the plan did not know the ID of what a
// creation adopts, that is also how a destroy of the same object notices it. It returns the context of the requests, and
// what to call after them, or nil after an error. The context ends at the timeout that the attribute timeouts sets for the
// whole operation, if the type has that attribute.
func (t *target[T]) begin(ctx context.Context, diags *diag.Diagnostics) (context.Context, func()) {
	summary := t.summary(t.verb())
	cancel := context.CancelFunc(func() {})
	if !t.Ready(summary, diags) {
		return ctx, nil
	}
	if t.WriteTimeout > 0 {
		all := tf.TimeoutsOf(t.plan)
		timeout := all.Update
		unset := t.WriteTimeout
		switch {
		case t.isEnd:
			timeout = all.Delete
			unset = deleteTimeout
		case t.prior == nil:
			timeout = all.Create
		}
		ctx, cancel = tf.Within(ctx, timeout, unset, diags)
	}
	unlock, err := t.Lock(ctx, t.name())
	if err != nil {
		cancel()
		diags.AddError(summary, "Another resource of this run was changing "+t.name()+" until the run was interrupted or the time was over. Nothing was changed. Apply again.")
		return ctx, nil
	}
	return ctx, func() {
		unlock()
		cancel()
	}
}

// read reads the object, and completes what the response leaves out of the elements of lists with what is known. The object
// is read twice if a PUT may send back a mask, which two responses may show.
func (t *target[T]) read(ctx context.Context, known T) (*T, error) {
	first, err := t.Calls.Get(ctx, t.Data, t.id)
	live := first
	if err == nil && opsmanager.MayHaveUnknownSecret(*first) {
		live, err = t.Calls.Get(ctx, t.Data, t.id)
	}
	if err != nil {
		return nil, err
	}
	t.firstRead = first
	t.noteReturned(*live)
	t.Recall(live, known)
	return live, nil
}

// write returns the change of the object. A creation does not run it, and has it check what Ops Manager took.
func (t *target[T]) write() change.Write[T] {
	prior := t.toAPI(t.prior)
	elements := t.wanted
	if t.prior != nil {
		elements = prior // complete those that responses have in lists
	}
	w := change.Write[T]{
		Values:      t.values(),
		ReplacesAll: true,
		IsReadBack:  len(t.Secrets) > 0,
		ReadsCount:  true,

		// An empty text or list says what its absence says as well, so it is left out if a live object lacks it.
		Saw: func(live T) T {
			return t.Fields.Only(prior, func(f tf.Field[T]) bool {
				return !f.IsMissing(live) || !tf.IsEmpty(t.prior[f.Attribute])
			})
		},
		Wanted:      t.wanted,
		After:       t.Fields.With,
		RefuseDrift: t.refuse,
		Allow:       t.allow,
		Send:        t.send,
		Read:        func(ctx context.Context) (*T, error) { return t.read(ctx, elements) },
	}
	if t.isAdoption {
		w = w.Showing(tf.As[types.Object](t.plan, overwrites), t.overwritten)
		w.ReplacesAll = false
	}
	return w
}

// values returns the fields and the secrets of the object as values of a change.
func (t *target[T]) values() (values change.Values[T]) {
	for _, f := range t.Fields {
		values = append(values, change.Value[T]{
			Name:             f.Attribute,
			Fields:           tf.Fields[T]{f},
			Text:             func(object T) string { return t.compared(f, object) },
			ResponsesMayLack: !t.known.wasReturned(f.Attribute) && !t.isHidden(f.Attribute),
			MayLack: func(object T, text string) bool {
				if f.IsMasked(object) {
					return text != t.compared(f, t.planned) || t.Hidden.CouldShow(object, t.planned)
				}
				isUnread := !t.isAdoption && !t.known.wasReturned(f.Attribute) // an adoption shows what is not returned
				return f.IsUnsaid(object, t.known.Returned) && (isUnread || t.removes(f))
			},
			IsOther: func(live T) bool {
				return f.IsMasked(live) && t.looksDifferent(f.Attribute, t.Hidden.Text(live)) && !t.Hidden.CouldShow(live, t.wanted)
			},
		})
	}
	for _, s := range t.Secrets {
		values = append(values, change.Value[T]{
			Name:     s.Attribute,
			Fields:   tf.Fields[T]{s.field()},
			IsSecret: true,
			Text: func(object T) string {
				if text := *s.At(&object); text != nil {
					return "=" + *text // also an empty one
				}
				return ""
			},
			IsOther: func(live T) bool { return t.hasOther(s, live) },
			IsStill: func(before, held T) bool { return t.stillHas(s, before, held) },
		})
	}
	return values
}

// compared returns a text that differs between different values of a field, and is empty if a response says nothing of it.
// An empty text or list says that there is none.
func (t *target[T]) compared(f tf.Field[T], object T) string {
	value := f.Value(object)
	_, isList := value.(types.Set)
	isNone := f.IsUnset(object, t.known.Returned) || tf.IsEmpty(value)
	switch {
	case isNone && isList:
		return "[]"
	case isNone:
		return notSet
	case f.IsMissing(object):
		return ""
	}
	return tf.TextOf(value)
}

// removes reports whether the plan sets a field to an empty text or list.
func (t *target[T]) removes(f tf.Field[T]) bool {
	return !f.IsMissing(t.wanted) && tf.IsEmpty(f.Value(t.wanted))
}

// whole returns what a request sends: the live object, which a creation lacks, with the wanted values and every secret. What
// Ops Manager does not return has its planned value. A secret that is not configured is sent as the live object has it, if
// Ops Manager is known to return it unredacted. Nothing else may be sent back: it may be a mask.
func (t *target[T]) whole(live T) T {
	whole := t.Fields.Complete(t.Fields.Complete(t.Object(t.id), t.wanted), live)
	for _, f := range t.Fields {
		if t.isUnreturned(f, live, t.planned) || t.isNeeded(f) { // also an empty text
			whole = tf.Fields[T]{f}.Complete(whole, t.planned)
		}
	}
	for _, s := range t.Secrets {
		text := *s.At(&t.planned)
		sent := s.At(&whole)
		switch *sent = nil; {
		case s.isExcluded(whole), text != nil && *text == "":
		case text != nil:
			*sent = text
		case t.isReadable(s, live):
			*sent = *s.At(&live)
		}
	}
	t.Merge(&whole, live)
	return whole
}

// isUnreturned reports whether an object has a field that a live one may have, too, although the response lacks it.
func (t *target[T]) isUnreturned(f tf.Field[T], live, object T) bool {
	return f.IsUnsaid(live, t.known.Returned) && !f.IsMissing(object) && !tf.IsEmpty(f.Value(object))
}

// check finds out what Ops Manager made of a request, and adds an error for each value that it did not take. It warns about
// what Ops Manager changed along, and about what was sent and may not have been taken, because it is not returned.
func (t *target[T]) check(ctx context.Context, done result[T], diags *diag.Diagnostics) *result[T] {
	t.Recall(&done.Returned, t.wanted)
	done = t.write().Check(ctx, done)
	for _, d := range done.NotTaken {
		diags.Append(t.notTaken(d, done))
	}
	if diags.HasError() {
		return &done
	}
	var along, unreturned []tf.Difference
	for _, d := range done.ChangedAlong { // none is a secret
		if f := t.field(d.Attribute); !f.IsMissing(t.planned) {
			d.Held = t.literal(*f, t.planned)
			d.Wanted = t.literal(*f, done.Returned)
			along = append(along, d)
		}
	}
	for _, f := range t.Fields {
		isReturned := !f.IsMissing(done.Returned) || f.IsMasked(done.Returned) && !f.IsMissing(t.wanted)
		if !isReturned && t.isUnreturned(f, done.Live, done.Now) {
			unreturned = append(unreturned, tf.Difference{Attribute: f.Attribute, Wanted: t.literal(f, done.Now)})
		}
	}
	if len(along) > 0 {
		diags.AddWarning("Other Values of "+t.name()+" Changed", "Ops Manager changed these values along with the update:"+tf.Bulleted(along)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
	if len(unreturned) > 0 {
		diags.AddWarning("Values of "+t.name()+" Not Returned",
			"Ops Manager does not return these values, so the provider can't tell whether it has them. A request without them could reset them, so each request sends them:"+tf.Bulleted(unreturned))
	}
	return &done
}

// field returns the field with an attribute, or nil if that is a secret.
func (t *Type[T]) field(attribute string) *tf.Field[T] {
	i := slices.Index(t.Fields.Attributes(), attribute)
	if i < 0 {
		return nil
	}
	return &t.Fields[i]
}

// isNeeded reports whether no PUT may lack a field.
func (t *Type[T]) isNeeded(f tf.Field[T]) bool {
	return f.IsNeeded() || slices.Contains(t.Required, f.Attribute)
}

// known is what the private state has: what is known of how Ops Manager returns an object.
type known struct {
	Returned []string    `json:"returned,omitempty"` // the fields that Ops Manager has ever returned
	Secrets  tf.ReadBack `json:"secrets,omitzero"`
}

const knownKey = "known"

func readKnown(ctx context.Context, private tf.PrivateState, diags *diag.Diagnostics) (k known) {
	tf.ReadPrivate(ctx, private, knownKey, &k, diags)
	return k
}

func (k known) wasReturned(attribute string) bool { return slices.Contains(k.Returned, attribute) }

// noteReturned adds the fields of a response to those that Ops Manager has ever returned.
func (t *target[T]) noteReturned(response T) {
	for _, f := range t.Fields {
		if !f.IsMissing(response) && !t.known.wasReturned(f.Attribute) {
			t.known.Returned = append(t.known.Returned, f.Attribute)
		}
	}
}

// shown returns the secrets of an object as a response has them, by attribute.
func (t *Type[T]) shown(object T) map[string]string {
	found := map[string]string{}
	for _, s := range t.Secrets {
		if text := *s.At(&object); text != nil {
			found[s.Attribute] = *text
		}
	}
	for _, f := range t.Fields {
		if f.IsMasked(object) {
			found[f.Attribute] = t.Hidden.Text(object)
		}
	}
	return found
}

// storeKnown stores which fields Ops Manager returns, and how it returned the secrets in a read after a write.
func (t *target[T]) storeKnown(ctx context.Context, private tf.PrivateState, done result[T], diags *diag.Diagnostics) {
	t.noteReturned(done.Returned)
	now := known{Returned: t.known.Returned}
	if len(t.Secrets) > 0 {
		whole := t.whole(done.Live)
		shown := t.shown(done.Returned)
		sent := t.shown(whole)
		if t.Hidden != nil {
			sent[t.Hidden.Attribute] = t.Hidden.Text(whole)
		}
		t.mistrust(shown, sent, done) // does nothing after a creation, before which there were none
		for _, s := range t.Secrets {
			_, isShown := shown[s.Attribute]
			if text := *s.At(&t.planned); text != nil && *text == "" && !isShown {
				shown[s.Attribute] = "" // if there is one later, another client has set it
			}
		}
		now.Secrets = tf.NewReadBack(shown, sent)
		for attribute, text := range shown {
			if t.known.Secrets.IsClear(attribute, text) { // and was not taken
				now.Secrets.Clear[attribute] = true
			}
		}
	}
	tf.WritePrivate(ctx, private, knownKey, now, diags)
}

// mistrust looks for secrets that another client may have changed after an update: the response showed what was sent, and
// the read after it neither that nor what was there before. What is stored is then that of the response, so the next plan sets
// it again. A mask that each response has in another form says nothing. A secret that stays as it was is an error of check.
func (t *target[T]) mistrust(shown, sent map[string]string, done result[T]) {
	responded := t.shown(done.Response)
	for attribute, was := range t.shown(done.Live) {
		read, isRead := shown[attribute]
		text, isShown := responded[attribute]
		switch {
		case !isShown, !isRead, read == was, read == text, opsmanager.CouldShow(read, sent[attribute]):
		case opsmanager.CouldShow(text, sent[attribute]):
			shown[attribute] = text
		default:
			delete(shown, attribute)
		}
	}
}
