package putresource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// target is what a resource sets of an object by a PUT, which replaces all of it, or an object that it ends.
type target[T any] struct {
	*lifecycle[T]
	verb string
	id   []string

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

	recalled  T    // completes the elements of lists that responses leave out: the prior state, and then what was sent
	earlier   *T   // the object as it was read right before the last read, to find masks; nil before the first read
	isUnclear bool // whether a request failed that may have taken effect
}

// isEnd reports whether a destroy sets or ends the object.
func (t *target[T]) isEnd() bool { return t.verb == "Delete" || t.verb == "Reset" }

type (
	step[T any]   = change.Step[T]
	result[T any] = change.Result[T]
)

// left returns the fields for which an object lacks the value that another one wants. returned has the attributes that Ops
// Manager has ever returned.
func (t *Type[T]) left(wanted, held T, returned []string) tfmodel.Fields[T] {
	return t.only(func(f tfmodel.Field[T]) bool {
		return !f.IsMissing(wanted) && comparableText(f, wanted, returned) != comparableText(f, held, returned)
	})
}

// comparableText returns a text that differs between different values of a field, and is empty if a response says nothing of it. An
// empty text or list says that there is none.
func comparableText[T any](f tfmodel.Field[T], object T, returned []string) string {
	value := f.Value(object)
	_, isList := value.(types.Set)
	isNone := f.IsUnset(object, returned) || tfmodel.IsEmpty(value)
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

// only returns some of the fields.
func (t *Type[T]) only(keeps func(tfmodel.Field[T]) bool) tfmodel.Fields[T] {
	return slices.DeleteFunc(slices.Clone(t.Fields), func(f tfmodel.Field[T]) bool { return !keeps(f) })
}

// changeValues returns the fields and the secrets of the object as values of a change.
func (t *target[T]) changeValues() (values change.Values[T]) {
	for _, f := range t.Fields {
		value := change.Value[T]{
			Name: f.Attribute, Fields: tfmodel.Fields[T]{f}, ResponsesMayLack: !t.known.wasReturned(f.Attribute) && !t.isHidden(f.Attribute),
			Text:    func(object T) string { return comparableText(f, object, t.known.Returned) },
			MayLack: func(object T, text string) bool { return t.mayHide(f, object, text) },
		}
		if t.isHidden(f.Attribute) {
			value.IsOther = t.isOtherIn(f.Attribute)
		}
		values = append(values, value)
	}
	for _, s := range t.Secrets {
		values = append(values, change.Value[T]{
			Name: s.Attribute, Fields: tfmodel.Fields[T]{tfmodel.TextField(s.Attribute, s.At)}, IsSecret: true,
			Text:    func(object T) string { return secretText(*s.At(&object)) },
			IsOther: t.isOtherIn(s.Attribute),
			IsStill: func(before, held T) bool { return t.isStill(s.Attribute, before, held) },
		})
	}
	return values
}

// mayHide reports whether an object that lacks a field may have it with a text, or lacks it because that is wanted. The plan
// of an adoption shows what is not returned.
func (t *target[T]) mayHide(f tfmodel.Field[T], object T, text string) bool {
	if f.IsMasked(object) {
		isWanted := text == comparableText(f, t.planned, t.known.Returned)
		return !isWanted || t.Hidden.CouldShow(object, t.planned)
	}
	isRemoved := !f.IsMissing(t.wanted) && tfmodel.IsEmpty(f.Value(t.wanted))
	isUnread := t.overwrites == nil && !t.known.wasReturned(f.Attribute)
	return f.IsUnsaid(object, t.known.Returned) && (isRemoved || isUnread)
}

// write returns the change of the object.
func (t *target[T]) write() change.Write[T] {
	w := change.Write[T]{
		Values: t.changeValues(), ReplacesAll: true, IsReadBack: len(t.Secrets) > 0, ReadsCount: true,
		Saw:    t.sawPrior,
		Wanted: func(T, T) T { return t.withSecrets(t.wanted, t.newSecrets) },
		After:  t.Fields.With,
		Refuse: t.refuse, Allow: t.allow, Read: t.read, Send: t.send,
	}
	if t.overwrites != nil {
		w.ReplacesAll, w.Saw, w.Showed = false, t.sawUnchanged, t.showed
	}
	return w
}

// sawPrior returns the prior state, which the plan saw. An empty text or list says what its absence says as well, so it is
// left out if a live object lacks it.
func (t *target[T]) sawPrior(live T) T {
	return t.Fields.Only(t.toAPI(t.prior), func(f tfmodel.Field[T]) bool {
		return !f.IsMissing(live) || !tfmodel.IsEmpty(t.prior[f.Attribute])
	})
}

// withSecrets returns an object with some secrets.
func (t *Type[T]) withSecrets(object T, texts map[string]string) T {
	for _, s := range t.Secrets {
		if text, ok := texts[s.Attribute]; ok {
			*s.At(&object) = &text
		}
	}
	return object
}

// sawUnchanged returns the values of a live object that the plan of an adoption saw as they are wanted.
func (t *target[T]) sawUnchanged(live T) T {
	isUnchanged := func(attribute string) bool { return plannedText(*t.overwrites, attribute) == "" }
	saw := t.Fields.Only(live, func(f tfmodel.Field[T]) bool { return isUnchanged(f.Attribute) })
	shown := t.shown(live)
	maps.DeleteFunc(shown, func(attribute, _ string) bool { return !isUnchanged(attribute) })
	return t.withSecrets(saw, shown)
}

// showed returns the text of a value that the plan of an adoption saw: as it is now, if overwrites has the same text.
func (t *target[T]) showed(name string, of step[T]) string {
	f := t.field(name)
	if f == nil {
		return ""
	}
	text := plannedText(*t.overwrites, name)
	if text == t.overwrite(*f, of.Live, t.wanted) {
		return comparableText(*f, of.Live, t.known.Returned)
	}
	return cmp.Or(text, t.inSentence(*f, t.wanted))
}

// field returns the field with an attribute, or nil if that is a secret.
func (t *Type[T]) field(attribute string) *tfmodel.Field[T] {
	i := slices.Index(t.Fields.Attributes(), attribute)
	if i < 0 {
		return nil
	}
	return &t.Fields[i]
}

// refuse returns an error if values have changed since the plan, or if the provider can't send the object back.
func (t *target[T]) refuse(next step[T], changed []change.Changed) error {
	if changed = t.described(next, changed); len(changed) > 0 {
		again := "Plan again."
		if t.isEnd() {
			again = diagnostics.RefreshFirst
		}
		text := change.SincePlan(t.name(t.id), changed, again, "import the "+t.Word+" again")
		return diagnostics.Explained{Diagnostic: t.onID(t.summary(t.verb), "%s", text)}
	}
	if refused := t.refused(next.Live); refused.HasError() {
		return diagnostics.Explained{Diagnostic: refused[0]}
	}
	return nil
}

// described returns changed values as messages show them. It leaves out those that a PUT sends as they are live, because the
// plan neither saw nor sets them.
func (t *target[T]) described(next step[T], changed []change.Changed) (found []change.Changed) {
	for _, v := range changed {
		if v.IsSecret {
			found = append(found, v)
			continue
		}
		f := t.field(v.Attribute)
		isUnseen := t.prior != nil && t.prior[v.Attribute].IsNull()
		if isUnseen && f.IsMissing(t.wanted) {
			continue
		}
		if v.Is = ""; !f.IsUnsaid(next.Live, t.known.Returned) {
			v.Is = t.inSentence(*f, next.Live)
		}
		if t.overwrites == nil {
			v.Saw = t.inSentence(*f, next.Saw)
		}
		found = append(found, v)
	}
	return found
}

// allow returns an error if the request of a step would leave out anything that someone has set.
func (t *target[T]) allow(_ context.Context, next step[T]) error {
	whole, missing := t.whole(next)
	var diags diag.Diagnostics
	t.refuseRemovals(t.verb, nil, t.unshown, next.Live, whole, &diags)
	missing = append(missing, t.lostMasked(next.Live, whole)...)
	if len(missing) > 0 {
		diags.Append(t.unknownSecrets(t.verb, missing))
	}
	t.requireWhole(t.verb, whole, nil, &diags)
	t.requireLost(t.verb, t.Fields.Complete(whole, t.planned), t.known.Returned, &diags)
	if masked := append(t.maskedTexts(whole), t.maskedMembers(next.Live, whole)...); len(masked) > 0 {
		diags.Append(t.unknownSecret(masked))
	}
	if diags.HasError() {
		return diagnostics.Explained{Diagnostic: diags.Errors()[0]}
	}
	return nil
}

// send sends the request of a step. An empty response is a success only if a read confirms it.
func (t *target[T]) send(ctx context.Context, next step[T]) (*T, error) {
	whole, _ := t.whole(next)
	response, err := t.Calls.Put(ctx, t.Data, whole)
	t.isUnclear = t.isUnclear || opsmanager.MayHaveChanged(err)
	switch {
	case err == nil:
		t.recalled = whole
		t.Recall(response, whole)
	case errors.Is(err, opsmanager.ErrEmptyResponse):
		if held := t.confirmed(ctx, next, whole); held != nil {
			return held, nil
		}
	}
	return response, err
}

// confirmed reads the object after a request with an empty response, and returns it if it has what was sent.
func (t *target[T]) confirmed(ctx context.Context, next step[T], sent T) *T {
	before := t.recalled
	t.recalled = sent
	held, err := t.read(ctx)
	if err == nil && t.hasWanted(*held) && t.showSecrets(next.Live, *held) {
		return held
	}
	t.recalled = before
	return nil
}

// hasWanted reports whether an object has all fields that change, and lacks those that are removed.
func (t *target[T]) hasWanted(held T) bool {
	return !slices.ContainsFunc(t.left(t.wanted, held, t.known.Returned), func(f tfmodel.Field[T]) bool {
		isRemoved := tfmodel.IsEmpty(f.Value(t.wanted)) && f.IsMissing(held) && !f.IsMasked(held)
		return !isRemoved
	})
}

// read reads the object. It is read twice if a PUT may send back a mask, which two responses may show.
func (t *target[T]) read(ctx context.Context) (*T, error) {
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
	t.noteReturned(&t.known, *live)
	t.Recall(live, t.recalled)
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
	isUnread := t.earlier == nil
	switch {
	case t.isEnd() && opsmanager.IsMissing(err, t.Kind):
		return nil
	case t.isEnd() && isUnread:
		return diag.NewErrorDiagnostic(t.summary(t.verb), diagnostics.Explain(err, t.Codes...)+"\n\nNothing was changed.")
	case isUnread && opsmanager.IsMissing(err, t.Kind):
		return t.goneSincePlan(t.verb, t.id, err)
	case isUnread && t.isUnreadable(err):
		return t.unreadable(t.verb, t.id, err)
	}
	return diagnostics.Failure(t.summary(t.verb), err, t.Codes...)
}

// report adds an error for each changed value that Ops Manager did not take. It warns about what Ops Manager changed
// along, and about what was sent and may not have been taken, because it is not returned.
func (t *target[T]) report(done result[T], diags *diag.Diagnostics) {
	for _, d := range done.NotTaken {
		f := t.field(d.Attribute)
		if f == nil {
			diags.Append(t.onID(t.summary(t.verb), "Ops Manager accepted the new %s of %s, and still returns the one before. If it returns what you configured in another form, configure that form.", d.Attribute, t.quoted(t.id)))
			continue
		}
		shown := t.difference(*f, done.Request, done.Held)
		isUnsaid := f.IsUnsaid(done.Held, t.known.Returned) && !f.IsMasked(done.Held)
		if isUnsaid {
			shown.Held = ""
		}
		if isUnsaid && t.known.wasReturned(f.Attribute) {
			diags.Append(t.noLongerReturned(shown))
			continue
		}
		diags.Append(shown.Adjusted(""))
	}
	if diags.HasError() {
		return
	}
	var along []tfmodel.Difference
	for _, d := range done.ChangedAlong {
		if f := t.field(d.Attribute); !f.IsMissing(t.planned) {
			along = append(along, t.difference(*f, done.Held, t.planned))
		}
	}
	if len(along) > 0 {
		diags.AddWarning("Other Values of "+t.name(t.id)+" Changed", "Ops Manager changed these values along with the update:"+tfmodel.Bulleted(along)+
			"\n\nThe Terraform state has the planned values. The next plan shows the difference.")
	}
	whole, _ := t.whole(done.Step)
	var unreturned []tfmodel.Difference
	for _, f := range t.unreturned(done.Live, whole) {
		if f.IsMissing(t.wanted) || f.IsMissing(done.Held) && !f.IsMasked(done.Held) {
			unreturned = append(unreturned, tfmodel.Difference{Attribute: f.Attribute, Wanted: t.literal(f, whole)})
		}
	}
	if len(unreturned) > 0 {
		diags.AddWarning("Values of "+t.name(t.id)+" Not Returned",
			"Ops Manager does not return these values, so the provider can't tell whether it has them. A request without them could reset them, so each request sends them:"+tfmodel.Bulleted(unreturned))
	}
}

// difference returns the difference of a field between two objects, as messages show it.
func (t *Type[T]) difference(f tfmodel.Field[T], wanted, held T) tfmodel.Difference {
	return tfmodel.Difference{Attribute: f.Attribute, Held: t.literal(f, held), Wanted: t.literal(f, wanted)}
}

// whole returns what a PUT sends to make a step: the live object with the wanted values and every secret. What Ops Manager
// does not return has its planned value. It also returns the secrets that the PUT would lose.
func (t *target[T]) whole(next step[T]) (whole T, missing []string) {
	whole = t.Fields.Complete(t.Fields.Complete(t.Object(t.id), t.wanted), next.Live)
	whole = t.unreturned(next.Live, t.planned).Complete(whole, t.planned)
	whole = t.only(t.isNeeded).Complete(whole, t.planned) // also an empty text
	missing = t.setSecrets(&whole, next.Live, t.toSend, t.known)
	t.Merge(&whole, next.Live)
	return whole, missing
}

// unreturned returns the fields of an object that a live one may have, too, although the response lacks them.
func (t *target[T]) unreturned(live, object T) tfmodel.Fields[T] {
	return t.only(func(f tfmodel.Field[T]) bool {
		return f.IsUnsaid(live, t.known.Returned) && !f.IsMissing(object) && !tfmodel.IsEmpty(f.Value(object))
	})
}

// isNeeded reports whether no PUT may lack a field.
func (t *Type[T]) isNeeded(f tfmodel.Field[T]) bool {
	return f.IsNeeded() || slices.Contains(t.Required, f.Attribute)
}

// requireWhole adds an error if a PUT would lack a field that it needs. What is configured may be unknown.
func (t *Type[T]) requireWhole(verb string, whole T, config tfmodel.Values, diags *diag.Diagnostics) {
	missing := t.only(func(f tfmodel.Field[T]) bool {
		value, isPlanned := config[f.Attribute]
		isConfigured := isPlanned && !value.IsNull()
		return t.isNeeded(f) && f.IsMissing(whole) && !isConfigured
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
func (t *target[T]) maskedTexts(sent T) []string {
	configured := t.Object(t.id)
	t.Fields.Set(&configured, t.config)
	for _, s := range t.Secrets {
		*s.At(&sent) = nil
	}
	return opsmanager.MaskedTexts(sent, configured)
}

// maskedMembers returns the members that are sent, that the provider does not know, and that may have a mask in place
// of a secret. A mask is not the same in each response, or looks like one.
func (t *target[T]) maskedMembers(live, sent T) []string {
	names := opsmanager.UnknownNames(sent)
	return slices.DeleteFunc(opsmanager.UnknownSecrets(*t.earlier, live), func(name string) bool {
		return !slices.ContainsFunc(names, func(sent string) bool { return sent == name || strings.HasSuffix(sent, "."+name) })
	})
}
