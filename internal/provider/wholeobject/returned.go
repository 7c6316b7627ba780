package wholeobject

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Returned are the optional fields that Ops Manager has ever returned for an object. The private state
// keeps them. Ops Manager leaves such a field out of a response if it is not set, so once it was
// returned, a response without it says that it was removed. Before that, this version of Ops Manager
// may not return it at all. A stale response proves nothing, so what was returned once is never
// forgotten.
type Returned struct {
	Attributes []string `json:"attributes"`
}

// Removed returns the attributes of the optional fields that a response lacks, and that Ops Manager
// has returned before.
func Removed[T any](before Returned, optional tfmodel.Fields[T], response T) []string {
	return slices.DeleteFunc(optional.Missing(response), func(attribute string) bool { return !slices.Contains(before.Attributes, attribute) })
}

// NoteReturned returns what Removed returns for a response, and adds the optional fields of the
// response to those that the private state has.
func NoteReturned[T any](ctx context.Context, private tfmodel.PrivateState, optional tfmodel.Fields[T], response T, diags *diag.Diagnostics) (removed []string) {
	const key = "returned"
	var known Returned
	tfmodel.ReadPrivate(ctx, private, key, &known, diags)
	removed = Removed(known, optional, response)
	for _, f := range optional {
		if !f.IsMissing(response) && !slices.Contains(known.Attributes, f.Attribute) {
			known.Attributes = append(known.Attributes, f.Attribute)
		}
	}
	tfmodel.WritePrivate(ctx, private, key, known, diags)
	return removed
}
