package wholeobject

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Change is a change of a live object, by an update or by a creation that adopts it.
type Change[T any] struct {
	Fields tfmodel.Fields[T]

	Wanted         T // an adoption wants all that is planned
	Planned, Prior T // without a prior, for an adoption
	Live           T
	Removed        []string // attributes that someone removed from the live object, as [NoteReturned] returns them
}

// Kept returns the wanted fields, and those of the live object that do not change.
func (c Change[T]) Kept() T { return c.Fields.Complete(c.Wanted, c.Live) }

// Whole returns the fields that a PUT sends.
func (c Change[T]) Whole() T { return c.Fields.Complete(c.Kept(), c.unreturned()) }

// unreturned returns the planned fields that neither change nor are live. Ops Manager does not return
// them, and a PUT without them could reset them. A missing list is empty.
func (c Change[T]) unreturned() (fields T) {
	kept := c.Kept()
	missing := slices.DeleteFunc(slices.Clone(c.Fields), func(f tfmodel.Field[T]) bool {
		return !f.IsMissing(kept) || f.IsList() || slices.Contains(c.Removed, f.Attribute)
	})
	return missing.Complete(fields, c.Planned)
}

// NotReturned returns the values that a PUT takes from the plan because Ops Manager does not return
// them.
func (c Change[T]) NotReturned() []tfmodel.Difference {
	var nothing T
	return c.Fields.Differences(c.unreturned(), nothing)
}

// SincePlan returns the values that changed or were removed after the plan was made, and that the
// change keeps.
func (c Change[T]) SincePlan() []tfmodel.Difference {
	whole := c.Whole()
	changed := c.Fields.Unplanned(c.Wanted, c.Planned, c.Prior, whole)
	for _, d := range c.Fields.Differences(c.Prior, whole) {
		if d.Held == "" && slices.Contains(c.Removed, d.Attribute) {
			changed = append(changed, tfmodel.Difference{Attribute: d.Attribute, Held: d.Wanted, Wanted: "not set"})
		}
	}
	return changed
}

// CheckSettled adds an error for each wanted value that Ops Manager changed when it was written.
// Without errors, it warns about values that Ops Manager changed along with them. The name is that of
// the object in messages.
func (c Change[T]) CheckSettled(ctx context.Context, name string, settled T, diags *diag.Diagnostics) {
	for _, d := range tfmodel.Returned(c.Fields.Differences(c.Wanted, settled)) {
		diags.Append(d.Adjusted(ctx, ""))
	}
	if !diags.HasError() {
		WarnChangedAlong(name, c.Fields.Unplanned(c.Wanted, c.Planned, c.Whole(), settled), diags)
	}
}
