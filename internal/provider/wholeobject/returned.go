package wholeobject

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// returned are the optional fields that Ops Manager has ever returned for an object.
type returned struct {
	Attributes []string `json:"attributes"`
}

// returnedKey is the key of the private state that stores what was returned.
const returnedKey = "returned"

// NoteReturned returns the attributes of those optional fields that someone removed from an object,
// according to a response. Ops Manager leaves such a field out if it is not set, so once it was
// returned, a response without it says that it was removed. Before that, this version of Ops Manager
// may not return it at all. The private state keeps what was returned. A stale response proves nothing,
// so what was returned once is never forgotten.
func NoteReturned[T any](ctx context.Context, private tfmodel.PrivateState, optional tfmodel.Fields[T], response T, diags *diag.Diagnostics) (removed []string) {
	var known returned
	tfmodel.ReadPrivate(ctx, private, returnedKey, &known, diags)
	for _, f := range optional {
		switch isKnown := slices.Contains(known.Attributes, f.Attribute); {
		case isKnown && f.IsMissing(response):
			removed = append(removed, f.Attribute)
		case !isKnown && !f.IsMissing(response):
			known.Attributes = append(known.Attributes, f.Attribute)
		}
	}
	tfmodel.WritePrivate(ctx, private, returnedKey, known, diags)
	return removed
}
