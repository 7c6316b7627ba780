package tf

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Absence is what a response without a field says about it. Each field has one, and reads, comparisons, what counts as
// taken, and what a PUT sends back follow from it. By Ops Manager's documentation, a response has the default of a field
// without a value if there is a sensible one, such as an empty list. Otherwise it lacks the field. No version returns all.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/api/
type Absence int

const (
	// Unsaid says nothing: there may be a value. The state keeps its value, which a PUT sends if Ops Manager has never
	// returned another one.
	Unsaid Absence = iota
	// Needed is Unsaid for a field whose default is not documented. No PUT may lack it.
	Needed
	// UnknownOnceReturned is Unsaid for a field whose loss is dangerous. The state forgets a value that Ops Manager no longer
	// returns, so that the plan sets it again if it is configured. Otherwise, no PUT may lack it.
	UnknownOnceReturned
	// UnsetOnceReturned says that there is no value if Ops Manager has ever returned one. Before that, it says nothing,
	// because the version may not return the field.
	UnsetOnceReturned
	// Unset says that there is no value, or that a list is empty.
	Unset
)

// Absent returns the field with what a response without it says.
func (f Field[T]) Absent(says Absence) Field[T] {
	f.absence = says
	return f
}

// OrNull returns the field of an object that distinguishes an explicit null of a response from a
// missing field. Such a null is a value.
func (f Field[T]) OrNull(isNull func(*T) bool) Field[T] {
	isNil := f.isMissing
	f.isMissing = func(object *T) bool { return isNil(object) && !isNull(object) }
	return f
}

// OrMasked returns the field of an object that lacks it if the response has a mask in its place. So its absence then
// says nothing.
func (f Field[T]) OrMasked(isMasked func(*T) bool) Field[T] {
	f.isMasked = isMasked
	return f
}

// IsMissing reports whether a response lacks the field.
func (f Field[T]) IsMissing(response T) bool { return f.isMissing(&response) }

// IsMasked reports whether a response has a mask in place of the field.
func (f Field[T]) IsMasked(response T) bool { return f.isMasked != nil && f.isMasked(&response) }

// IsNeeded reports whether no PUT may lack the field.
func (f Field[T]) IsNeeded() bool { return f.absence == Needed }

// IsLost reports whether an object lacks the field, whose value is unknown because of that. No PUT may lack it. returned has
// the attributes that Ops Manager has ever returned.
func (f Field[T]) IsLost(object T, returned []string) bool {
	isLost := f.absence == UnknownOnceReturned && slices.Contains(returned, f.Attribute)
	return isLost && f.IsMissing(object) && !f.IsMasked(object)
}

// IsUnset reports whether a response lacks the field and so says that there is no value. returned has the attributes
// that Ops Manager has ever returned.
func (f Field[T]) IsUnset(response T, returned []string) bool {
	isSaid := f.absence == Unset || f.absence == UnsetOnceReturned && slices.Contains(returned, f.Attribute)
	return isSaid && f.IsMissing(response) && !f.IsMasked(response)
}

// IsUnsaid reports whether a response says nothing about the field: it lacks the field, which does not say that it is
// unset.
func (f Field[T]) IsUnsaid(response T, returned []string) bool {
	return f.IsMissing(response) && !f.IsUnset(response, returned)
}

// IsEmpty reports whether a value is an empty text or list.
func IsEmpty(value attr.Value) bool {
	switch value := value.(type) {
	case types.String:
		return value.Equal(types.StringValue(""))
	case types.Set:
		return !value.IsNull() && !value.IsUnknown() && len(value.Elements()) == 0
	}
	return false
}
