// Package change changes an object of Ops Manager from what a plan saw to what the plan sets, and finds out what Ops
// Manager made of that. This is the course of a [Write]:
//
//  1. Read reads the object.
//  2. Step compares it with what the plan saw and sets, and says what is left to do.
//  3. Drifts are the values that are not as the plan saw them, and RefuseDrift may refuse the step because of them.
//  4. Allow may refuse it for another reason.
//  5. Send sends the request. If that fails, and [opsmanager.Change] may repeat it, the course begins again.
//  6. Check compares what was sent with the response, and with another read if they differ: NotTaken and ChangedAlong say how.
package change

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Write changes an object from what its plan saw to what its plan sets. A plan asks it with Step what the apply
// would do, and the apply makes the change with Run.
type Write[T any] struct {
	Values      Values[T]
	ReplacesAll bool // all values have to be as the plan saw them, because the request replaces or ends the object, or because they are one

	Saw     func(live T) T                // the object as the plan saw it, without the values that it did not see
	Wanted  T                             // what the plan sets
	Without func(wanted, saw, live T) T   // what is wanted without what a live object keeps; nil if it keeps nothing
	Request func(known, wanted, left T) T // what a request sends to set the values that are left; nil for these alone
	After   func(live, request T) T       // what a request makes of a live object

	// Showed returns the text of a value that the plan showed. If it is nil, that is the text of what the plan saw.
	Showed func(value string, step Step[T]) string
	// RefuseDrift returns an error if a step is not to be made, for example because of values that have changed since the plan.
	RefuseDrift func(step Step[T], drifts []Drift) error
	// Allow returns an error if something forbids a request. It may be nil.
	Allow func(ctx context.Context, step Step[T]) error

	Read func(ctx context.Context) (*T, error)               // reads the object
	Send func(ctx context.Context, step Step[T]) (*T, error) // sends the request of a step, and returns its response

	// Settle calls read until that returns true, or for as long as reads may lag behind writes. If it is nil, they don't.
	Settle     func(ctx context.Context, read func() bool)
	IsReadBack bool // the object is read after the request in any case, because only that shows how reads return secrets
	ReadsCount bool // what a read after the request lacks is not taken from the response, which may be old

	sent T // what the last request has sent
}

// Step is what a Write does to an object as it was read last.
type Step[T any] struct {
	Live, Saw T
	Request   T               // what is sent
	After     T               // what the object is then
	Changes   []tf.Difference // from Live to After
	IsEmpty   bool            // nothing is left to send
}

// Result is what a Write did.
type Result[T any] struct {
	First        Step[T]         // the first one
	Step[T]                      // the last one, with the request that was sent last
	Response     T               // the response to the request, or the live object if nothing was left to send
	Returned     T               // what the responses since the request have
	Now          T               // the object afterwards, with what was sent or seen before of what they lack
	NotTaken     []tf.Difference // sent values that Ops Manager does not have, or does not return
	ChangedAlong []tf.Difference // values that changed although the step did not show that
	Unread       error           // why Check could not read the object
}

// Step returns what is left to do on a live object:
//
//   - A value that the object lacks is sent.
//   - One that it has is done if the plan saw it so, or if it was sent.
//   - Any other one that it has is sent, too: the read may be an old one.
func (w Write[T]) Step(live T) Step[T] {
	step := Step[T]{Live: live, Saw: w.Saw(live)}
	wanted := w.WantedOf(step.Saw, live)
	left := w.Values.only(wanted, func(v Value[T]) bool {
		isSeen := !v.differs(wanted, step.Saw)
		isSent := !v.differs(wanted, w.sent)
		return v.differs(wanted, live) || !isSeen && !isSent
	})
	step.Request = left
	if w.Request != nil {
		step.Request = w.Request(w.Values.complete(live, step.Saw), wanted, left)
	}
	step.IsEmpty = reflect.ValueOf(step.Request).IsZero()
	step.After = w.After(live, step.Request)
	for _, v := range w.Values {
		if is, was := v.Text(step.After), v.Text(live); is != was {
			step.Changes = append(step.Changes, v.difference(was, is))
		}
	}
	return step
}

// WantedOf returns what the plan sets on a live object that it saw.
func (w Write[T]) WantedOf(saw, live T) T {
	if w.Without == nil {
		return w.Wanted
	}
	return w.Without(w.Wanted, saw, live)
}

// planned returns the object as the plan makes it of the one that it saw, whatever was sent since.
func (w Write[T]) planned(saw T) T {
	unsent := w
	unsent.sent = *new(T)
	return unsent.Step(saw).After
}

// Drifts returns the values that a step changes and that are not as the plan saw them. If all values have to be as
// the plan saw them, those count as well that are neither that nor as the plan makes them.
func (w Write[T]) Drifts(step Step[T]) (drifts []Drift) {
	var planned T
	if w.ReplacesAll {
		planned = w.planned(step.Saw)
	}
	for _, v := range w.Values {
		saw := v.Text(step.Saw)
		is := v.wantedText(step.Live, step.Saw) // a part that Ops Manager no longer returns is none
		if w.Showed != nil {
			saw = w.Showed(v.Name, step)
		}
		isTouched := tf.Has(step.Changes, v.Name) || w.ReplacesAll && !v.isAsPlanned(step.Saw, planned, step.Live)
		isHidden := v.ReadsMayLack || v.hides(step.Live, saw) || v.hides(step.Live, v.Text(step.After))
		isUnknown := v.IsSecret || is == "" && isHidden
		switch {
		case v.IsOther != nil && v.IsOther(step.Live):
			drifts = append(drifts, Drift{Attribute: v.Name, IsSecret: true})
		case isTouched && is != saw && !isUnknown:
			drifts = append(drifts, Drift{Attribute: v.Name, Saw: saw, Is: is})
		}
	}
	return drifts
}

// Drift is a value that is neither what a plan saw nor what its change makes it.
type Drift struct {
	Attribute string
	Saw       string // empty if the plan showed no value
	Is        string // empty if Ops Manager does not return it
	IsSecret  bool   // so it has no texts
}

func (v Drift) String() string {
	saw := opsmanager.Sanitize(v.Saw)
	is := opsmanager.Sanitize(v.Is)
	switch {
	case v.IsSecret:
		return v.Attribute + " is another secret than the one that Terraform knows"
	case v.Is == "":
		return fmt.Sprintf("%s is not returned, and the plan showed %s", v.Attribute, saw)
	case v.Saw == "":
		return fmt.Sprintf("%s is %s, which is not what the plan showed", v.Attribute, is)
	}
	return fmt.Sprintf("%s is %s, and the plan showed %s", v.Attribute, is, saw)
}

// SincePlan says of an object that values of it have changed since the plan, and what to do, such as to plan again.
// renew is what to do with a resource after its object was removed from the state, such as to import it again.
func SincePlan(object string, values []Drift, next, renew string) string {
	var texts, missing []string
	for _, v := range values {
		texts = append(texts, v.String())
		if v.Is == "" && !v.IsSecret {
			missing = append(missing, v.Attribute)
		}
	}
	if missing != nil {
		next = fmt.Sprintf("If Ops Manager no longer returns %s at all, configure what it was, run 'terraform state rm ADDRESS', and %s. Otherwise: %s", strings.Join(missing, " and "), renew, next)
	}
	return fmt.Sprintf("%s changed since the plan: %s. The provider left that as it is. %s", object, strings.Join(texts, "; "), next)
}

// Compare returns the step on a live object, or an error if it is not to be made. It reads a difference to what the plan
// saw again while reads may lag behind writes. If ctx ends before that, the difference may be an old value.
func (w Write[T]) Compare(ctx context.Context, live T) (step Step[T], err error) {
	isAsPlanned := func(live T) bool {
		step = w.Step(live)
		err = w.RefuseDrift(step, w.Drifts(step))
		return err == nil
	}
	if isAsPlanned(live) || w.Settle == nil {
		return step, err
	}
	w.Settle(ctx, func() bool {
		later, unread := w.Read(ctx)
		return unread == nil && isAsPlanned(*later)
	})
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("the run was interrupted or its time was over while the provider read something that is not as the plan showed it. It may be an old value, so the provider did not change it. Plan again: %w", ctx.Err())
	}
	return step, err
}

// Run reads the object, makes the change, and finds out what was taken. A request that failed may have taken effect,
// which the next refresh shows.
func (w Write[T]) Run(ctx context.Context, client *opsmanager.Client, object opsmanager.Object) (Result[T], error) {
	live, err := w.Read(ctx)
	if err != nil {
		return Result[T]{}, err
	}
	done, err := w.Change(ctx, client, object, *live)
	if err == nil {
		done = w.Check(ctx, done)
	}
	return done, err
}

// Change makes the change of an object that was just read. It compares what it has read last with what the plan saw
// before each attempt, and sends nothing if nothing is left. [opsmanager.Change] decides whether there is another attempt.
func (w Write[T]) Change(ctx context.Context, client *opsmanager.Client, object opsmanager.Object, live T) (done Result[T], err error) {
	rest := w // of the attempts, which also knows what the first one saw, and what was sent
	isFirst := true
	response, err := opsmanager.Change(ctx, client, object, &live, w.Read, func(attempt context.Context, live *T) (*T, error) {
		step, err := rest.Compare(ctx, *live)
		done.Step = step
		if isFirst {
			isFirst = false
			done.First = step
			rest.Saw = func(T) T { return step.Saw } // whatever another client makes of the object from now on
		}
		if err != nil {
			return nil, err
		}
		if step.IsEmpty {
			return &step.Live, nil
		}
		if w.Allow != nil {
			if err := w.Allow(ctx, step); err != nil {
				return nil, err
			}
		}
		rest.sent = step.Request
		return w.Send(attempt, step)
	})
	done.Request = rest.sent
	if err == nil {
		done.Returned = *response
		done.NotTaken = w.notTaken(done.Step, *response)
	}
	return done, err
}

// IsProof reports whether an object shows all that a step sent, and lacks what it removed. That proves that a request took
// effect. What responses mask or leave out may have been taken, which is enough after a response with the object.
func (w Write[T]) IsProof(step Step[T], held T) bool {
	different := w.Values.Differences(step.Request, held)
	return !slices.ContainsFunc(different, func(d tf.Difference) bool {
		v := w.Values.named(d.Attribute)
		return !v.isMissing(held) || !v.removes(step.Request)
	})
}

// End ends the object instead. It compares what it has read last with what the plan saw before each attempt.
func (w Write[T]) End(
	ctx context.Context, client *opsmanager.Client, object opsmanager.Object, live T, end func(ctx context.Context, live T) error,
) error {
	_, err := opsmanager.Change(ctx, client, object, &live, w.Read, func(attempt context.Context, live *T) (*T, error) {
		_, err := w.Compare(ctx, *live)
		if err == nil {
			err = end(attempt, *live)
		}
		return nil, err
	})
	return err
}

// Created returns the result of a request that created the object, for Check.
func (w Write[T]) Created(response T) Result[T] {
	made := Step[T]{Request: w.Wanted, After: w.Wanted}
	return Result[T]{First: made, Step: made, Returned: response}
}

// Check finds out what Ops Manager made of a change. If the response does not have it, one more read may, or those of Settle. A read
// that fails is no error: then the response counts.
func (w Write[T]) Check(ctx context.Context, done Result[T]) Result[T] {
	response := done.Returned
	isRead := false
	done.Response = response
	agrees := func() bool {
		later, err := w.Read(ctx)
		if !isRead {
			done.Unread = err
		}
		if err != nil {
			return false
		}
		isRead = true
		done.Returned = *later
		if !w.ReadsCount {
			done.Returned = w.Values.complete(*later, response)
		}
		done.NotTaken = w.notTaken(done.Step, done.Returned)
		return len(done.NotTaken) == 0
	}
	done.NotTaken = w.notTaken(done.Step, response)
	if w.Settle != nil {
		w.Settle(ctx, agrees)
	} else if w.IsReadBack || len(done.NotTaken) > 0 {
		agrees()
	}
	taken := w.Values.only(done.Request, func(v Value[T]) bool { return !tf.Has(done.NotTaken, v.Name) })
	done.Now = w.Values.complete(done.Returned, taken)
	done.Now = w.Values.complete(done.Now, done.Live)
	done.Now = w.Values.complete(done.Now, done.Saw)
	done.ChangedAlong = w.along(done.First, done.Returned, done.NotTaken)
	return done
}

// notTaken returns the values of a request that the responses since do not have. One that they leave out may have been
// ignored, unless Ops Manager left it out before, and is known to do so.
func (w Write[T]) notTaken(step Step[T], held T) (found []tf.Difference) {
	wanted := w.WantedOf(held, held)
	for _, d := range w.Values.Differences(step.Request, held) {
		v := w.Values.named(d.Attribute)
		isHeld := !v.isMissing(held)
		mayBeTaken := false
		switch isInPart := isHeld && !v.isWhole(step.Request, held); {
		case v.IsSecret:
			mayBeTaken = !v.IsStill(step.Live, held)
		case isInPart:
			d.Held = ""
		case d.Held != "":
			mayBeTaken = v.isMissing(wanted) // the plan does not set it on an object like this one
		case !isHeld:
			mayBeTaken = v.hides(held, d.Wanted) || v.ResponsesMayLack && v.isMissing(step.Live)
		}
		if !mayBeTaken {
			found = append(found, d)
		}
	}
	return found
}

// along returns the values that have changed since the first step, and otherwise than it shows. What was not taken is
// none of them.
func (w Write[T]) along(first Step[T], held T, notTaken []tf.Difference) (found []tf.Difference) {
	before := w.Values.complete(first.Live, first.Saw)
	for _, v := range w.Values {
		was := v.Text(before)
		is := v.wantedText(held, before)
		isKnown := !v.IsSecret && was != "" && is != "" && is != was
		isShown := v.isAsPlanned(before, first.After, v.Fields.Complete(held, first.After))
		if isKnown && !isShown && !tf.Has(notTaken, v.Name) {
			found = append(found, v.difference(was, is))
		}
	}
	return found
}

// Value is a value that a change may touch: a field, or several fields that are one value, such as a time of day.
type Value[T any] struct {
	Name             string // as messages call it
	Fields           tf.Fields[T]
	Text             func(T) string // as messages show it; empty if the object lacks it
	ReadsMayLack     bool           // reads may lack it, so one that does is not compared with what the plan saw
	ResponsesMayLack bool           // the response to a request that sets it may lack it, too
	IsSecret         bool           // it has no text in messages, and responses may mask it, so that texts do not say what it is

	// IsOther reports of a secret whether a live object has another one than the plan saw. It may be nil.
	IsOther func(live T) bool
	// IsStill reports whether the responses since a request still have the secret before it.
	IsStill func(before, held T) bool
	// MayLack reports whether an object that lacks the value may have it with a text. It may be nil.
	MayLack func(object T, text string) bool
}

// hides reports whether an object that lacks the value may have it with a text, as far as that depends on the object.
func (v Value[T]) hides(object T, text string) bool {
	return v.MayLack != nil && v.MayLack(object, text)
}

// isMissing reports whether an object lacks the value.
func (v Value[T]) isMissing(object T) bool { return v.Fields.AreMissing(object) }

// removes reports whether a wanted object has an empty value, such as an empty text or list.
func (v Value[T]) removes(wanted T) bool {
	for _, f := range v.Fields {
		if f.IsMissing(wanted) || !tf.IsEmpty(f.Value(wanted)) {
			return false
		}
	}
	return true
}

// isWhole reports whether an object has each field that a wanted one has.
func (v Value[T]) isWhole(wanted, held T) bool {
	for _, f := range v.Fields {
		if !f.IsMissing(wanted) && f.IsMissing(held) {
			return false
		}
	}
	return true
}

// differs reports whether an object lacks the value that a wanted one has. What the wanted one lacks of the value does
// not count.
func (v Value[T]) differs(wanted, held T) bool {
	if v.isMissing(wanted) {
		return false
	}
	text := v.wantedText(wanted, held)
	return text != "" && text != v.Text(held)
}

// wantedText returns the text of the value as an object has it once it has what a wanted one has.
func (v Value[T]) wantedText(wanted, held T) string {
	if len(v.Fields) > 1 {
		wanted = v.Fields.Complete(wanted, held)
	}
	return v.Text(wanted)
}

// difference returns the difference between two objects in the value, without the texts of a secret.
func (v Value[T]) difference(held, wanted string) tf.Difference {
	if v.IsSecret {
		held = secret
		wanted = secret
	}
	return tf.Difference{Attribute: v.Name, Held: held, Wanted: wanted}
}

// secret is what messages say instead of a secret.
const secret = "(sensitive value)"

// isAsPlanned reports whether an object has the value that a plan makes of the one that it saw, or any value if that is
// left to Ops Manager.
func (v Value[T]) isAsPlanned(saw, planned, live T) bool {
	isLeft := v.Text(planned) == "" && v.Text(saw) != ""
	return isLeft || v.Text(planned) == v.Text(live)
}

// Values are the values of an object.
type Values[T any] []Value[T]

// Differences compares the values that a wanted object has with those of another one.
func (all Values[T]) Differences(wanted, held T) (found []tf.Difference) {
	for _, v := range all {
		if v.differs(wanted, held) {
			found = append(found, v.difference(v.Text(held), v.wantedText(wanted, held)))
		}
	}
	return found
}

// Text returns the text of a value of an object.
func (all Values[T]) Text(name string, object T) string { return all.named(name).Text(object) }

// named returns the value with a name.
func (all Values[T]) named(name string) Value[T] {
	return all[slices.IndexFunc(all, func(v Value[T]) bool { return v.Name == name })]
}

// only returns an object with some of the values of another one.
func (all Values[T]) only(object T, keeps func(Value[T]) bool) (some T) {
	for _, v := range all {
		if keeps(v) {
			some = v.Fields.Complete(some, object)
		}
	}
	return some
}

// complete returns an object with the values that it lacks taken from another one. One without a value that says so by
// its text does not lack that.
func (all Values[T]) complete(object, from T) T {
	for _, v := range all {
		if saysNone := v.isMissing(object) && v.Text(object) != ""; !saysNone {
			object = v.Fields.Complete(object, from)
		}
	}
	return object
}
