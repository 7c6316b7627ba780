package stores

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// returned has the optional fields that Ops Manager has ever returned for a store. The private state
// keeps it. Ops Manager leaves such a field out of a response if it is not set, so once it was
// returned, a response without it says that it was removed. Before that, this version of Ops Manager
// may not return it at all. A stale response proves nothing, so what was returned once is never
// forgotten.
type returned struct {
	// Attributes are those of the fields; oidc.scope is that of a part of oidc.
	Attributes []string `json:"attributes"`
	// OIDC reports whether the last response had oidc.
	OIDC bool `json:"oidc"`
}

// returnedKey is the key of the private state that stores what was returned.
const returnedKey = "returned"

func (r returned) has(attribute string) bool { return slices.Contains(r.Attributes, attribute) }

// and returns what was returned after a response.
func (r returned) and(k *storeKind, response opsmanager.BackupStore) returned {
	found := slices.Clone(r.Attributes)
	for _, f := range k.fields {
		if f.optional && !f.IsMissing(response) {
			found = append(found, f.Attribute)
		}
	}
	if response.OIDC != nil {
		found = append(found, "oidc")
		for _, f := range oidcFields {
			if !f.IsMissing(*response.OIDC) {
				found = append(found, "oidc."+f.Attribute)
			}
		}
	}
	if hasCertificates(response) {
		found = append(found, customCertificates)
	}
	slices.Sort(found)
	return returned{slices.Compact(found), response.OIDC != nil}
}

// saysRemoved reports whether a response says that a field is not set, which it was before.
func (r returned) saysRemoved(f storeField, response opsmanager.BackupStore) bool {
	return f.optional && f.IsMissing(response) && r.has(f.Attribute)
}

func hasCertificates(store opsmanager.BackupStore) bool {
	return store.CustomCertificates != nil && len(*store.CustomCertificates) > 0
}

func readReturned(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (before returned) {
	tfmodel.ReadPrivate(ctx, private, returnedKey, &before, diags)
	return before
}
