package putresource

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/connection"
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
	read := tf.ReadValues(ctx, from, diags)
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

// write returns the change of the object. A creation uses it only to check what Ops Manager took: with Values, Wanted and Read.
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
			MayLack:          func(object T, text string) bool { return t.mayLack(f, object, text) },
			IsOther:          func(live T) bool { return t.hasOtherMasked(f, live) },
		})
	}
	for _, s := range t.Secrets {
		values = append(values, change.Value[T]{
			Name:     s.Attribute,
			Fields:   tf.Fields[T]{s.field()},
			Text:     s.compared,
			IsSecret: true,
			IsOther:  func(live T) bool { return t.hasOther(s, live) },
			IsStill:  func(before, held T) bool { return t.stillHas(s, before, held) },
		})
	}
	return values
}

// mayLack reports whether an object whose response lacks a field may have it with a text.
func (t *target[T]) mayLack(f tf.Field[T], object T, text string) bool {
	if f.IsMasked(object) {
		return text != t.compared(f, t.planned) || t.Hidden.CouldShow(object, t.planned)
	}
	isUnread := !t.isAdoption && !t.known.wasReturned(f.Attribute) // an adoption shows what is not returned
	return f.IsUnsaid(object, t.known.Returned) && (isUnread || t.removes(f))
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

// find reads the object of a creation, because the effect of creating one that exists may be a replacement. It returns the
// object if it is to be adopted, why there is none if it is to be created, or neither after an error, whose title has a verb.
func (t *target[T]) find(ctx context.Context, verb string, diags *diag.Diagnostics) (live *T, gone error) {
	live, err := t.Calls.Find(ctx, t.Data, t.id)
	missing := t.missing()
	switch {
	case err == nil && t.Adopts:
		t.isAdoption = true
		return live, nil
	case err == nil:
		diags.Append(t.exists())
	case opsmanager.MayBeUnreadable(err, t.Kind):
		diags.Append(t.unreadable(err))
	case !opsmanager.IsMissing(err, t.Kind):
		diags.Append(t.failed(verb, err))
	case len(missing) > 0:
		diags.Append(onAttribute(missing[0], t.summary("Create"), "There is no %s, and creating it requires %s as well. Configure that, or check the ID. %s",
			t.quoted(), strings.Join(missing, ", "), tf.Sentence(err)))
	default:
		return nil, err
	}
	return nil, nil
}

// missing returns the attributes that a creation requires and that are not configured. Those that are not known yet may say
// which secrets are required.
func (t *target[T]) missing() []string {
	hasUnknown := t.hasUnknown()
	return slices.DeleteFunc(t.lacking(t.planned), func(attribute string) bool {
		isSecret := t.field(attribute) == nil
		return t.isUnknown(attribute) || t.isConfigured(attribute) || isSecret && hasUnknown
	})
}

// lacking returns what a creation requires: the attributes that an object lacks, and the secrets that it needs.
func (t *Type[T]) lacking(object T) (lacking []string) {
	for _, attribute := range t.Required {
		if t.field(attribute).IsMissing(object) {
			lacking = append(lacking, attribute)
		}
	}
	for _, s := range t.Secrets {
		if s.Required != nil && s.Required(object) {
			lacking = append(lacking, s.Attribute)
		}
	}
	return lacking
}

// create sends the request that creates the object, and finds out what Ops Manager made of it. It does not repeat the request
// if the object exists then. It returns nil if the request failed.
func (t *target[T]) create(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	object := t.whole(*new(T)) // nothing is live
	// Its error ends the attempts.
	prepareAgain := func(ctx context.Context) (*T, error) {
		switch _, err := t.Calls.Find(ctx, t.Data, t.id); {
		case err == nil:
			return nil, errors.New("it exists now")
		case !opsmanager.IsMissing(err, t.Kind):
			return nil, err
		}
		return t.prepare(ctx, object)
	}
	send := func(attempt context.Context, ready *T) (*T, error) { return t.Calls.Create(attempt, t.Data, *ready) }
	ready, err := t.prepare(ctx, object)
	var created *T
	if err == nil {
		created, err = opsmanager.Change(ctx, t.Client, t.Kind, ready, prepareAgain, send)
	}
	if err != nil {
		diags.Append(t.notCreated(err))
		return nil
	}
	return t.check(ctx, t.write().Created(*created), diags)
}

// prepare waits until an object can be created, and completes it with what exists of it, if the type has a Prepare. Otherwise,
// it returns the object as it is.
func (t *target[T]) prepare(ctx context.Context, object T) (*T, error) {
	if t.Calls.Prepare == nil {
		return &object, nil
	}
	ready, err := t.Calls.Prepare(ctx, t.Data, object)
	if err != nil {
		return nil, err
	}
	if refused := t.unknownMembers(t.masked(*ready, *ready, *ready)); refused != nil {
		return nil, tf.Explained{Diagnostic: refused}
	}
	return ready, nil
}

// add creates an object whose ID Ops Manager chooses, and returns nil if that failed. The object can't be found again, so it
// is stored with warnings.
func (t *target[T]) add(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	id, created, found, err := t.Calls.Add(ctx, t.Data, t.wanted)
	if err != nil {
		d := t.failed("Create", err)
		if found != "" {
			d = tf.WithMore(d, "\n\nThe provider stored nothing. "+found)
		}
		diags.Append(d)
		return nil
	}
	t.id = id
	for i, attribute := range t.ID.Attributes {
		if t.plan[attribute].IsUnknown() { // a configured one may have capitals
			t.plan[attribute] = types.StringValue(id[i])
		}
	}
	var problems diag.Diagnostics
	done := t.check(ctx, t.write().Created(*created), &problems)
	for _, d := range problems {
		diags.AddWarning(d.Summary(), d.Detail())
	}
	return done
}

// adopt makes the change of a live object that a creation adopts.
func (t *target[T]) adopt(ctx context.Context, live T, diags *diag.Diagnostics) *result[T] {
	if t.HasClaim(t.key(t.id), connection.Applied) {
		diags.Append(t.managedTwice()) // the plan did not know the ID
		return nil
	}
	if t.plan[overwrites].IsUnknown() { // the plan has said that it can't show this
		t.plan[overwrites] = t.overwritesOf(live)
	}
	return t.apply(ctx, diags)
}

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
		differences := change.SincePlan(t.name(), found, again, "import the "+t.Word+" again")
		refused = t.onID(t.summary(t.verb()), "%s", differences)
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
		isSent := !f.IsMissing(whole) && !tf.IsEmpty(f.Value(whole))
		if f.IsMasked(next.Live) && f.IsMissing(t.wanted) && !isSent {
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

// exists is the error of creating an object that exists and that is not adopted.
func (t *target[T]) exists() diag.Diagnostic {
	return t.onID(t.name()+" Already Exists", "The configuration would create the %[1]s, but it exists.\n\n%[2]s\n\n"+
		"Terraform ignores an import for an address that the state has, also with a deposed object: first run 'terraform state rm ADDRESS', which keeps what it removes in Ops Manager. "+
		"If you renamed the resource that manages it, add a moved block. If the resource is tainted, run 'terraform untaint ADDRESS'. "+
		"A replacement can't create a %[1]s under the same ID while it exists, and changing the configuration requires none. "+
		"If this error stops 'terraform destroy', run it with -refresh=false.", t.Word, t.howToAdopt())
}

// howToAdopt explains how to manage an object that exists.
func (t *target[T]) howToAdopt() string {
	if t.Adopts {
		return fmt.Sprintf("To manage it as it is, import it with an import block, or run:\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is the address of this resource. "+
			"To change it to the configured values, plan again: the plan shows in overwrites what that changes.", shellWord(t.label(t.id)))
	}
	return fmt.Sprintf("To manage it, add this import block, with the name of this resource in place of NAME:\n\n"+
		"  import {\n    to = opsmanager_%s.NAME\n    id = %s\n  }\n\nThe plan then shows what the configuration changes.", t.Name, tf.HCLString(t.label(t.id)))
}

// notCreated is the error of a failed creation.
func (t *target[T]) notCreated(err error) diag.Diagnostic {
	d := t.failed("Create", err)
	e, _ := errors.AsType[*opsmanager.Error](err)
	explains := func(c tf.Codes) bool { return c.Advice[opsmanager.CodeOf(err)] != "" }
	switch {
	case opsmanager.MayHaveChanged(err):
		next := "says how to import it"
		if t.Adopts {
			next = "adopts it"
		}
		return tf.WithMore(d, fmt.Sprintf(" Nothing was stored: if the %s exists then, the plan %s.", t.Word, next))
	case e != nil && e.Status == http.StatusConflict && !slices.ContainsFunc(t.Codes, explains):
		return tf.WithMore(d, fmt.Sprintf("\n\nIf the %s already exists: %s", t.Word, t.howToAdopt()))
	}
	return d
}

// notTaken returns the error of a value that Ops Manager did not take.
func (t *target[T]) notTaken(d tf.Difference, done result[T]) diag.Diagnostic {
	f := t.field(d.Attribute)
	if f == nil {
		return t.onID(t.summary(t.verb()), "Ops Manager accepted the new %s of %s, and still returns the one before. If it returns what you configured in another form, configure that form.", d.Attribute, t.quoted())
	}
	d.Wanted = t.literal(*f, done.Request)
	d.Held = t.literal(*f, done.Returned)
	if f.IsUnsaid(done.Returned, t.known.Returned) && !f.IsMasked(done.Returned) {
		d.Held = ""
		if t.known.wasReturned(f.Attribute) {
			return onAttribute(d.Attribute, "Value Not Returned", "The provider sent %s for %s. Ops Manager accepted the request, and no longer returns the value, so the provider can't tell whether it took effect. Look it up in Ops Manager, and plan again. "+
				"If Ops Manager no longer returns it at all, keep it configured, run 'terraform state rm ADDRESS', and import the %s again.", d.Wanted, d.Attribute, t.Word)
		}
	}
	return d.Adjusted("")
}

// goneSincePlan is the error of changing an object that no longer exists.
func (t *target[T]) goneSincePlan(err error) diag.Diagnostic {
	return t.onID(t.summary(t.verb()), "The %s no longer exists: %s\n\nPlan again. The next plan creates it.", t.quoted(), tf.Sentence(err))
}

// unknownMembers returns the error of a request with masks in place of secrets, or nil if there are none.
func (t *Type[T]) unknownMembers(masked []string) diag.Diagnostic {
	if len(masked) == 0 {
		return nil
	}
	slices.Sort(masked)
	masked = slices.Compact(masked)
	return t.onID("Unknown Secret", "A change replaces the whole %s, and the provider does not know %s, which may be secrets that Ops Manager returns with a mask. So it can't keep them. "+
		"Configure them if they are attributes. Otherwise, use a newer version of the provider, or make this change in the console of Ops Manager. Nothing was changed.", t.Word, opsmanager.Sanitize(strings.Join(masked, ", ")))
}
