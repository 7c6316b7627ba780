package putresource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// target is an object that a plan or an apply creates, adopts, changes, resets or deletes.
type target[T any] struct {
	*lifecycle[T]
	verb string // in the titles of messages
	id   []string

	config, prior tfmodel.Values // nil for a destroy, and for a creation
	plan          tfmodel.Values // for a destroy, the prior state
	known         known          // what the private state has

	planned T // all that the plan has values for, with the secrets to send
	wanted  T // what changes of that

	earlier   *T   // the object as it was read right before the last read, to find masks; nil before the first read
	isUnclear bool // whether a request failed that may have taken effect
}

type (
	step[T any]   = change.Step[T]
	result[T any] = change.Result[T]
)

// target returns what a plan does with an object. A creation has no prior state, and a destroy neither a configuration nor
// a plan.
func (r *lifecycle[T]) target(config, plan, prior tfmodel.Values, known known) *target[T] {
	t := &target[T]{lifecycle: r, verb: "Update", config: config, plan: plan, prior: prior, known: known}
	switch {
	case plan == nil:
		t.verb, t.plan = "Delete", prior
	case prior == nil:
		t.verb = "Create"
	}
	t.id, _ = r.idOf(t.plan)
	t.planned, t.wanted = t.toAPI(t.plan), r.Object(t.id)
	if plan != nil {
		r.Fields.SetChanges(&t.wanted, plan, prior)
	}
	for _, s := range r.Secrets {
		secret := secrets.Of(t.plan, s.Attribute)
		text := secret.ToSend(secrets.Of(config, s.Attribute))
		if *s.At(&t.planned) = text; secret != secrets.Of(prior, s.Attribute) {
			*s.At(&t.wanted) = text
		}
	}
	if t.isEnd() && r.Reset != nil {
		t.verb, t.wanted, t.planned = "Reset", *r.Reset, r.Fields.With(t.planned, *r.Reset)
	}
	return t
}

// idOf returns the ID of an object, and whether all of it is known. Ops Manager returns hexadecimal digits in
// lower case.
func (t *Type[T]) idOf(values tfmodel.Values) (id []string, known bool) {
	known = true
	for _, attribute := range t.ID.Attributes {
		part := tfmodel.As[types.String](values, attribute)
		text := part.ValueString()
		if t.ID.IsValid == nil {
			text = strings.ToLower(text)
		}
		id, known = append(id, text), known && !part.IsUnknown()
	}
	return id, known
}

// toAPI returns an object without the secrets, and without the fields that are null or unknown.
func (t *target[T]) toAPI(values tfmodel.Values) T {
	object := t.Object(t.id)
	t.Fields.Set(&object, values)
	return object
}

// isEnd reports whether a destroy sets or ends the object.
func (t *target[T]) isEnd() bool { return t.verb == "Delete" || t.verb == "Reset" }

// begin waits for the lock of the object, because each resource sends all of it. If the plan did not know the ID of what a
// creation adopts, that is also how a destroy of the same object notices it. It returns the context of the requests, and
// what to call after them, or nil after an error.
func (t *target[T]) begin(ctx context.Context, diags *diag.Diagnostics) (context.Context, func()) {
	summary, cancel := t.summary(t.verb), context.CancelFunc(func() {})
	if !t.Ready(summary, diags) {
		return ctx, nil
	}
	if t.WriteTimeout > 0 {
		all := attributes.TimeoutsOf(t.plan)
		timeout, unset := all.Update, t.WriteTimeout
		switch {
		case t.isEnd():
			timeout, unset = all.Delete, deleteTimeout
		case t.prior == nil:
			timeout = all.Create
		}
		ctx, cancel = attributes.Within(ctx, timeout, unset, diags)
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

// write returns the change of the object.
func (t *target[T]) write() change.Write[T] {
	prior, elements := t.toAPI(t.prior), t.wanted
	if t.prior != nil {
		elements = prior // complete those that responses have in lists
	}
	w := change.Write[T]{
		Values: t.values(), ReplacesAll: true, IsReadBack: len(t.Secrets) > 0, ReadsCount: true,
		// An empty text or list says what its absence says as well, so it is left out if a live object lacks it.
		Saw: func(live T) T {
			return t.Fields.Only(prior, func(f tfmodel.Field[T]) bool {
				return !f.IsMissing(live) || !tfmodel.IsEmpty(t.prior[f.Attribute])
			})
		},
		Wanted:      func(T, T) T { return t.wanted },
		After:       t.Fields.With,
		RefuseDrift: t.refuse, Allow: t.allow, Send: t.send,
		Read: func(ctx context.Context) (*T, error) { return t.read(ctx, elements) },
	}
	if t.verb == "Adopt" {
		shown, _ := t.plan[overwrites].(types.Object)
		w = w.Showing(shown, t.overwritten)
		w.ReplacesAll = false
	}
	return w
}

// values returns the fields and the secrets of the object as values of a change.
func (t *target[T]) values() (values change.Values[T]) {
	for _, f := range t.Fields {
		value := change.Value[T]{
			Name: f.Attribute, Fields: tfmodel.Fields[T]{f}, ResponsesMayLack: !t.known.wasReturned(f.Attribute) && !t.isHidden(f.Attribute),
			Text:    func(object T) string { return t.compared(f, object) },
			MayLack: func(object T, text string) bool { return t.mayHide(f, object, text) },
		}
		if t.isHidden(f.Attribute) {
			value.IsOther = func(live T) bool {
				return f.IsMasked(live) && t.isChanged(f.Attribute, t.Hidden.Text(live)) && !t.Hidden.CouldShow(live, t.wanted)
			}
		}
		values = append(values, value)
	}
	for _, s := range t.Secrets {
		values = append(values, change.Value[T]{
			Name: s.Attribute, Fields: tfmodel.Fields[T]{s.field()}, IsSecret: true,
			Text: func(object T) string {
				if text := *s.At(&object); text != nil {
					return "=" + *text // also an empty one
				}
				return ""
			},
			IsOther: func(live T) bool { return t.isOther(s, live) },
			IsStill: func(before, held T) bool { return t.isStill(s, before, held) },
		})
	}
	return values
}

// compared returns a text that differs between different values of a field, and is empty if a response says nothing of it.
// An empty text or list says that there is none.
func (t *target[T]) compared(f tfmodel.Field[T], object T) string {
	value := f.Value(object)
	_, isList := value.(types.Set)
	isNone := f.IsUnset(object, t.known.Returned) || tfmodel.IsEmpty(value)
	switch {
	case isNone && isList:
		return "[]"
	case isNone:
		return notSet
	case f.IsMissing(object):
		return ""
	}
	return tfmodel.TextOf(value)
}

// mayHide reports whether an object that lacks a field may have it with a text, or lacks it because that is wanted. The plan
// of an adoption shows what is not returned.
func (t *target[T]) mayHide(f tfmodel.Field[T], object T, text string) bool {
	if f.IsMasked(object) {
		return text != t.compared(f, t.planned) || t.Hidden.CouldShow(object, t.planned)
	}
	isRemoved := !f.IsMissing(t.wanted) && tfmodel.IsEmpty(f.Value(t.wanted))
	isUnread := t.verb != "Adopt" && !t.known.wasReturned(f.Attribute)
	return f.IsUnsaid(object, t.known.Returned) && (isRemoved || isUnread)
}

// refuse returns an error if values have changed since the plan, or if the provider can't send the object back. It leaves
// out those that a PUT sends as they are live, because the plan neither saw nor sets them.
func (t *target[T]) refuse(next step[T], drifts []change.Drift) error {
	var found []change.Drift
	for _, v := range drifts {
		f, isUnseen := t.field(v.Attribute), t.prior != nil && t.prior[v.Attribute].IsNull()
		switch {
		case v.IsSecret:
		case isUnseen && f.IsMissing(t.wanted):
			continue
		default:
			if v.Is != "" {
				v.Is = t.inSentence(*f, next.Live)
			}
			if t.verb != "Adopt" {
				v.Saw = t.inSentence(*f, next.Saw)
			}
		}
		found = append(found, v)
	}
	refused, again := t.CannotSendBack(next.Live), "Plan again."
	if t.isEnd() {
		again = diagnostics.RefreshFirst
	}
	if len(found) > 0 {
		refused = t.onID(t.summary(t.verb), "%s", change.SincePlan(t.name(), found, again, "import the "+t.Word+" again"))
	}
	if refused == nil {
		return nil
	}
	return diagnostics.Explained{Diagnostic: refused}
}

// allow returns an error if the request of a step would leave out anything that someone has set.
func (t *target[T]) allow(_ context.Context, next step[T]) error {
	whole, missing := t.whole(next)
	diags := t.refuseRemovals(next.Live, whole)
	for _, f := range t.Fields { // that are masked, and that neither the plan nor the state has
		if f.IsMasked(next.Live) && f.IsMissing(t.wanted) && (f.IsMissing(whole) || tfmodel.IsEmpty(f.Value(whole))) {
			missing = append(missing, f.Attribute)
		}
	}
	diags.Append(t.unknownSecrets(missing), t.incomplete(t.Fields.Complete(whole, t.planned)), t.unknownSecret(t.masked(next.Live, whole)))
	if diags.HasError() {
		return diagnostics.Explained{Diagnostic: diags.Errors()[0]}
	}
	return nil
}

// send replaces the object. An empty response is a success only if a read has all that changes.
func (t *target[T]) send(ctx context.Context, next step[T]) (*T, error) {
	whole, _ := t.whole(next)
	response, err := t.Calls.Put(ctx, t.Data, whole)
	t.isUnclear = t.isUnclear || opsmanager.MayHaveChanged(err)
	if err == nil {
		t.Recall(response, whole)
	}
	if errors.Is(err, opsmanager.ErrEmptyResponse) {
		if held, unread := t.read(ctx, whole); unread == nil && t.hasWanted(*held) {
			return held, nil
		}
	}
	return response, err
}

// hasWanted reports whether an object shows all that changes, and lacks what is removed.
func (t *target[T]) hasWanted(held T) bool {
	different := t.values().Differences(t.wanted, held)
	return !slices.ContainsFunc(t.all(), func(f tfmodel.Field[T]) bool {
		isRemoved := tfmodel.IsEmpty(f.Value(t.wanted)) && f.IsMissing(held) && !f.IsMasked(held)
		return tfmodel.Has(different, f.Attribute) && !isRemoved
	})
}

// read reads the object, and completes what the response leaves out of the elements of lists with what is known. The object
// is read twice if a PUT may send back a mask, which two responses may show.
func (t *target[T]) read(ctx context.Context, known T) (*T, error) {
	live, err := t.Calls.Get(ctx, t.Data, t.id)
	if err != nil {
		return nil, err
	}
	earlier := live
	if opsmanager.MayHaveUnknownSecret(*live) {
		if live, err = t.Calls.Get(ctx, t.Data, t.id); err != nil {
			return nil, err
		}
	}
	t.earlier = earlier
	t.noteReturned(*live)
	t.Recall(live, known)
	return live, nil
}

// apply makes the change, and reports what Ops Manager did not take. It returns nil if a read or the request failed. If
// nothing is left to change, it sends nothing.
func (t *target[T]) apply(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	done, err := t.write().Run(ctx, t.Client, t.Kind)
	if err != nil {
		diags.Append(t.failure(err)) // which leaves nil out
		return nil
	}
	t.report(done, diags)
	return &done
}

// failure returns the diagnostic of a failed read or request, or nil if there is nothing left to end.
func (t *target[T]) failure(err error) diag.Diagnostic {
	isMissing, isUnread := opsmanager.IsMissing(err, t.Kind), t.earlier == nil
	switch {
	case t.isEnd() && isMissing:
		return nil
	case t.isEnd() && isUnread:
		return diagnostics.And(t.failed(t.verb, err), "\n\nNothing was changed.")
	case isUnread && isMissing:
		return t.goneSincePlan(err)
	case isUnread && opsmanager.MayBeUnreadable(err, t.Kind):
		return t.unreadable(err)
	}
	return t.failed(t.verb, err)
}

// report adds an error for each changed value that Ops Manager did not take. It warns about what Ops Manager changed
// along, and about what was sent and may not have been taken, because it is not returned.
func (t *target[T]) report(done result[T], diags *diag.Diagnostics) {
	for _, d := range done.NotTaken {
		f := t.field(d.Attribute)
		if f == nil {
			diags.Append(t.onID(t.summary(t.verb), "Ops Manager accepted the new %s of %s, and still returns the one before. If it returns what you configured in another form, configure that form.", d.Attribute, t.quoted()))
			continue
		}
		isUnsaid := f.IsUnsaid(done.Returned, t.known.Returned) && !f.IsMasked(done.Returned)
		d.Wanted, d.Held = t.literal(*f, done.Request), ""
		if !isUnsaid {
			d.Held = t.literal(*f, done.Returned)
		}
		if isUnsaid && t.known.wasReturned(f.Attribute) {
			diags.Append(t.noLongerReturned(d))
			continue
		}
		diags.Append(d.Adjusted(""))
	}
	if diags.HasError() {
		return
	}
	var along, unreturned []tfmodel.Difference
	for _, d := range done.ChangedAlong {
		if f := t.field(d.Attribute); !f.IsMissing(t.planned) {
			along = append(along, tfmodel.Difference{Attribute: d.Attribute, Held: t.literal(*f, t.planned), Wanted: t.literal(*f, done.Returned)})
		}
	}
	whole, _ := t.whole(done.Step)
	for _, f := range t.Fields {
		mayBeTaken := f.IsMissing(t.wanted) || f.IsMissing(done.Returned) && !f.IsMasked(done.Returned)
		if mayBeTaken && t.isUnreturned(f, done.Live, whole) {
			unreturned = append(unreturned, tfmodel.Difference{Attribute: f.Attribute, Wanted: t.literal(f, whole)})
		}
	}
	if len(along) > 0 {
		diags.AddWarning("Other Values of "+t.name()+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(along)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
	if len(unreturned) > 0 {
		diags.AddWarning("Values of "+t.name()+" Not Returned",
			"Ops Manager does not return these values, so the provider can't tell whether it has them. A request without them could reset them, so each request sends them:"+tfmodel.Bulleted(unreturned))
	}
}

// whole returns what a PUT sends to make a step: the live object with the wanted values and every secret. What Ops Manager
// does not return has its planned value. It also returns the secrets that the PUT would lose.
func (t *target[T]) whole(next step[T]) (whole T, missing []string) {
	whole = t.Fields.Complete(t.Fields.Complete(t.Object(t.id), t.wanted), next.Live)
	for _, f := range t.Fields {
		if t.isUnreturned(f, next.Live, t.planned) || t.isNeeded(f) { // also an empty text
			whole = tfmodel.Fields[T]{f}.Complete(whole, t.planned)
		}
	}
	missing = t.setSecrets(&whole, next.Live)
	t.Merge(&whole, next.Live)
	return whole, missing
}

// setSecrets sets the secrets of what a PUT sends, and returns those that it would lose. One that is not configured
// is sent as the live object has it, if Ops Manager is known to return it unredacted. Nothing else may be sent
// back: it may be a mask. A response without a secret doesn't say that there is none.
func (t *target[T]) setSecrets(whole *T, live T) (missing []string) {
	for _, s := range t.Secrets {
		shown, text, sent := *s.At(&live), *s.At(&t.planned), s.At(whole)
		isExcluded, isRequired := s.Excluded != nil && s.Excluded(*whole), s.Required != nil && s.Required(*whole)
		isLacking := s.Lacks != nil && s.Lacks(live) // the live object, or in a plan the prior one
		switch *sent = nil; {
		case isExcluded, text != nil && *text == "":
		case text != nil:
			*sent = text
		case shown != nil && t.known.Secrets.IsClear(s.Attribute, *shown):
			*sent = shown
		case !s.IsKept && (isRequired || !isLacking):
			missing = append(missing, s.Attribute)
		}
	}
	return missing
}

// isUnreturned reports whether an object has a field that a live one may have, too, although the response lacks it.
func (t *target[T]) isUnreturned(f tfmodel.Field[T], live, object T) bool {
	return f.IsUnsaid(live, t.known.Returned) && !f.IsMissing(object) && !tfmodel.IsEmpty(f.Value(object))
}

// field returns the field with an attribute, or nil if that is a secret.
func (t *Type[T]) field(attribute string) *tfmodel.Field[T] {
	i := slices.Index(t.Fields.Attributes(), attribute)
	if i < 0 {
		return nil
	}
	return &t.Fields[i]
}

// isNeeded reports whether no PUT may lack a field.
func (t *Type[T]) isNeeded(f tfmodel.Field[T]) bool {
	return f.IsNeeded() || slices.Contains(t.Required, f.Attribute)
}

// incomplete returns the error of a PUT that would lack fields that it needs, or that Ops Manager no longer returns, or nil.
func (t *target[T]) incomplete(whole T) diag.Diagnostic {
	var missing []string
	instead, more := "or do not change the "+t.Word, ""
	if t.verb == "Reset" {
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
	return diag.NewAttributeErrorDiagnostic(path.Root(missing[0]), t.summary(t.verb), fmt.Sprintf("A change must send the whole %[1]s, and Ops Manager did not return its %[2]s. "+
		"Nothing was changed. Configure %[2]s as well, %[3]s.%[4]s", t.Word, strings.Join(missing, ", "), instead, more))
}

// masked returns the members that are sent and may have a mask in place of a secret: those that are not configured, where
// a secret is sent only if it is configured or known to be returned unredacted, and those that the provider does not know. A
// mask is not the same in each response, or looks like one.
func (t *target[T]) masked(live, sent T) []string {
	names := opsmanager.UnknownNames(sent)
	for _, s := range t.Secrets {
		*s.At(&sent) = nil
	}
	found := opsmanager.MaskedTexts(sent, t.toAPI(t.config))
	for _, name := range opsmanager.UnknownSecrets(*t.earlier, live) {
		if slices.ContainsFunc(names, func(sent string) bool { return sent == name || strings.HasSuffix(sent, "."+name) }) {
			found = append(found, name)
		}
	}
	return found
}

// known is what the private state has: what is known of how Ops Manager returns an object.
type known struct {
	Returned []string         `json:"returned,omitempty"` // the fields that Ops Manager has ever returned
	Secrets  secrets.ReadBack `json:"secrets,omitzero"`
}

const knownKey = "known"

func readKnown(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (k known) {
	tfmodel.ReadPrivate(ctx, private, knownKey, &k, diags)
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

// storeKnown stores how Ops Manager returned the secrets after a write, and which optional fields it returns. If the
// response showed what was sent, and the read after it neither that nor what was there before, another client may have
// changed the secret: what is stored is then that of the response, so the next plan sets it again. After a creation, the
// read counts. A mask that each response has in another form says nothing.
func (t *target[T]) storeKnown(ctx context.Context, private tfmodel.PrivateState, done result[T], diags *diag.Diagnostics) {
	t.noteReturned(done.Returned)
	now := known{Returned: t.known.Returned}
	if len(t.Secrets) > 0 {
		whole, _ := t.whole(done.Step)
		shown, sent, before := t.shown(done.Returned), t.shown(whole), t.shown(done.Live)
		if t.Hidden != nil {
			sent[t.Hidden.Attribute] = t.Hidden.Text(whole)
		}
		for attribute, text := range t.shown(done.Response) {
			read, isShown := shown[attribute]
			was, hadOne := before[attribute]
			isAsBefore := !hadOne || read == was && !t.known.Secrets.IsClear(attribute, read)
			switch {
			case !isShown, read == text, isAsBefore, opsmanager.CouldShow(read, sent[attribute]):
			case opsmanager.CouldShow(text, sent[attribute]):
				shown[attribute] = text
			default:
				delete(shown, attribute)
			}
		}
		for _, s := range t.Secrets {
			_, isShown := shown[s.Attribute]
			if text := *s.At(&t.planned); text != nil && *text == "" && !isShown {
				shown[s.Attribute] = "" // if there is one later, another client has set it
			}
		}
		now.Secrets = secrets.NewReadBack(shown, sent)
		for attribute, text := range shown {
			if t.known.Secrets.IsClear(attribute, text) { // and was not taken
				now.Secrets.Clear[attribute] = true
			}
		}
	}
	tfmodel.WritePrivate(ctx, private, knownKey, now, diags)
}
