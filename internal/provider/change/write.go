package change

import (
	"context"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Write changes an object from what its plan saw to what its plan sets. A plan asks it with Step what the apply
// would do, and the apply makes the change with Run.
type Write[T any] struct {
	Values Values[T]
	IsAll  bool // the request replaces or ends the object, so all values have to be as the plan saw them

	Saw     func(live T) T                // the object as the plan saw it, without the values that it did not see
	Wanted  func(saw, live T) T           // what the plan sets on a live object; given one object twice, what it lacks still
	Request func(known, wanted, left T) T // what a request sends to set the values that are left; nil for these alone
	After   func(live, request T) T       // what a request makes of a live object

	// Showed returns the text of a value that the plan showed. If it is nil, that is the text of what the plan saw.
	Showed func(value string, step Step[T]) string
	// Refuse returns an error if a step is not to be made, for example because of values that have changed since the plan.
	Refuse func(step Step[T], changed []tfmodel.SincePlan) error
	// Allow returns an error if something forbids a request. It may be nil.
	Allow func(ctx context.Context, step Step[T]) error

	Read func(ctx context.Context) (*T, error)               // reads the object
	Send func(ctx context.Context, step Step[T]) (*T, error) // sends the request of a step, and returns its response

	IsReadBack bool // the object is read after the request in any case, because only that shows how reads return secrets
}

// Step is what a Write does to an object as it was read last.
type Step[T any] struct {
	Live, Saw T
	Request   T // what is sent
	After     T // what the object is then
	Changes   []tfmodel.Difference
	IsEmpty   bool // nothing is left to send
}

// Result is what a Write did.
type Result[T any] struct {
	Step[T]                       // the last one, with the request that was sent last
	Response T                    // the response to the request, or the live object if nothing was left to send
	Held     T                    // what the responses since the request have
	Now      T                    // the object afterwards, with what was sent or seen before of what they lack
	NotTaken []tfmodel.Difference // sent values that Ops Manager does not have, or does not return
	Along    []tfmodel.Difference // values that changed although the step did not show that
}

// Step returns what is left to do on a live object after a request has sent some values. A value that the object has
// already is done only if the plan saw it so, or if it was sent: otherwise, it may be that of an old read.
func (w Write[T]) Step(live, sent T) Step[T] {
	step := Step[T]{Live: live, Saw: w.Saw(live)}
	wanted := w.Wanted(step.Saw, live)
	left := w.Values.only(wanted, func(v Value[T]) bool {
		isProven := !v.differs(wanted, step.Saw) || !v.differs(wanted, sent)
		return v.differs(wanted, live) || !isProven
	})
	step.IsEmpty = w.Values.areMissing(left)
	step.Request = left
	if w.Request != nil {
		step.Request = w.Request(w.Values.complete(live, step.Saw), wanted, left)
	}
	step.After = w.After(live, step.Request)
	for _, v := range w.Values {
		if is, was := v.Text(step.After), v.Text(live); is != was {
			step.Changes = append(step.Changes, v.difference(was, is))
		}
	}
	return step
}

// SincePlan returns the values that a step changes and that are not as the plan saw them. If all values have to be as
// the plan saw them, those count as well that are neither that nor as the plan makes them.
func (w Write[T]) SincePlan(step Step[T]) (changed []tfmodel.SincePlan) {
	var planned T
	if w.IsAll {
		planned = w.Step(step.Saw, planned).After
	}
	for _, v := range w.Values {
		saw, is := w.showed(v, step), v.wantedText(step.Live, step.Saw) // a part that Ops Manager no longer returns is none
		isTouched := tfmodel.Has(step.Changes, v.Name) || w.IsAll && !v.isAsPlanned(step.Saw, planned, step.Live)
		isUnknown := v.IsSecret || is == "" && (v.MayBeHidden || w.Showed == nil && v.hides(step.Live))
		if isTouched && is != saw && !isUnknown {
			changed = append(changed, tfmodel.SincePlan{Attribute: v.Name, Saw: saw, Is: is})
		}
	}
	return changed
}

func (w Write[T]) showed(v Value[T], step Step[T]) string {
	if w.Showed != nil {
		return w.Showed(v.Name, step)
	}
	return v.Text(step.Saw)
}

// Refusal returns an error if the change of a live object is not to be made.
func (w Write[T]) Refusal(live T) error {
	var sent T
	step := w.Step(live, sent)
	return w.Refuse(step, w.SincePlan(step))
}

// Run makes the change. It compares what it has read last with what the plan saw before each attempt, and sends nothing
// if nothing is left. A request that failed may have taken effect, which the next refresh shows.
func (w Write[T]) Run(ctx context.Context, client *opsmanager.Client, object opsmanager.Object) (Result[T], error) {
	var done Result[T]
	live, err := w.Read(ctx)
	if err != nil {
		return done, err
	}
	saw := w.Saw(*live)
	w.Saw = func(T) T { return saw } // whatever another client makes of the object from now on
	var sent T
	first := w.Step(*live, sent)
	response, err := opsmanager.Change(ctx, client, object, live, w.Read, func(attempt context.Context, live *T) (*T, error) {
		done.Step = w.Step(*live, sent)
		if err := w.Refuse(done.Step, w.SincePlan(done.Step)); err != nil {
			return nil, err
		}
		if done.IsEmpty {
			return live, nil
		}
		if w.Allow != nil {
			if err := w.Allow(ctx, done.Step); err != nil {
				return nil, err
			}
		}
		sent = done.Request
		return w.Send(attempt, done.Step)
	})
	if err != nil {
		return done, err
	}
	done.Request = sent
	return w.Settled(ctx, first, done.Step, response), nil
}

// Settled returns what a request did whose first step is given, and the last one, with what was sent last.
func (w Write[T]) Settled(ctx context.Context, first, last Step[T], response *T) Result[T] {
	done := Result[T]{Step: last}
	if response != nil {
		done.Response, done.Held = *response, *response
	}
	if w.IsReadBack || response == nil || len(w.notTaken(last, done.Held)) > 0 {
		if later, err := w.Read(ctx); err == nil {
			done.Held = w.Values.complete(*later, done.Held)
		}
	}
	done.NotTaken = w.notTaken(last, done.Held)
	taken := w.Values.only(last.Request, func(v Value[T]) bool { return !tfmodel.Has(done.NotTaken, v.Name) })
	done.Now = w.Values.complete(done.Held, taken)
	done.Now = w.Values.complete(done.Now, last.Live)
	done.Now = w.Values.complete(done.Now, last.Saw)
	done.Along = w.along(first, done.Held, done.NotTaken)
	return done
}

// notTaken returns the values of a request that the responses since do not have. One that they leave out may have been
// ignored, unless Ops Manager left it out before, and is known to do so.
func (w Write[T]) notTaken(step Step[T], held T) (found []tfmodel.Difference) {
	wanted := w.Wanted(held, held)
	for _, d := range w.Values.Differences(step.Request, held) {
		v := w.Values.named(d.Attribute)
		if !v.isMissing(held) && !v.isWhole(step.Request, held) {
			d.Held = ""
		}
		isHidden := v.StaysHidden && v.isMissing(held) && v.isMissing(step.Live) || v.hides(held) || v.IsSecret
		isKept := d.Held != "" && v.isMissing(wanted)
		if !isHidden && !isKept {
			found = append(found, d)
		}
	}
	return found
}

// along returns the values that have changed since the first step, and otherwise than it shows. What was not taken is
// none of them.
func (w Write[T]) along(first Step[T], held T, notTaken []tfmodel.Difference) (found []tfmodel.Difference) {
	before := w.Values.complete(first.Live, first.Saw)
	for _, v := range w.Values {
		was, is := v.Text(before), v.wantedText(held, before)
		isKnown := !v.IsSecret && was != "" && is != "" && is != was
		isShown := v.wantedText(held, first.After) == v.Text(first.After)
		if isKnown && !isShown && !tfmodel.Has(notTaken, v.Name) {
			found = append(found, v.difference(was, is))
		}
	}
	return found
}
