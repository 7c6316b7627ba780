// Package change changes an object of Ops Manager from what a plan saw to what the plan sets, and finds out what Ops
// Manager made of that.
package change

import (
	"slices"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Value is a value that a change may touch: a field, or several fields that are one value, such as a time of day.
type Value[T any] struct {
	Name        string // as messages call it
	Fields      tfmodel.Fields[T]
	Text        func(T) string // as messages show it; empty if the object lacks it
	MayBeHidden bool           // reads may lack it, so one that does is not compared with what the plan saw
	StaysHidden bool           // the response to a request that sets it may lack it, too
	IsSecret    bool           // it has no text in messages, and may be masked, so that responses do not say what it is

	// MayHide reports whether an object that lacks the value may have it with a text. It may be nil.
	MayHide func(object T, text string) bool
}

// hides reports whether an object that lacks the value may have it with a text, as far as that depends on the object.
func (v Value[T]) hides(object T, text string) bool {
	return v.MayHide != nil && v.MayHide(object, text)
}

// isMissing reports whether an object lacks the value.
func (v Value[T]) isMissing(object T) bool { return v.Fields.AreMissing(object) }

// isWhole reports whether an object has each field that a wanted one has.
func (v Value[T]) isWhole(wanted, held T) bool {
	return !slices.ContainsFunc(v.Fields, func(f tfmodel.Field[T]) bool { return !f.IsMissing(wanted) && f.IsMissing(held) })
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
func (v Value[T]) difference(held, wanted string) tfmodel.Difference {
	if v.IsSecret {
		held, wanted = secret, secret
	}
	return tfmodel.Difference{Attribute: v.Name, Held: held, Wanted: wanted}
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
func (all Values[T]) Differences(wanted, held T) (found []tfmodel.Difference) {
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
