package stores

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// returned has what Ops Manager has ever returned for a store. oidc.scope is a part of oidc.
type returned struct {
	wholeobject.Returned

	// OIDC reports whether the last response had oidc.
	OIDC bool `json:"oidc"`
}

// returnedKey is the key of the private state that stores what was returned.
const returnedKey = "returned"

func (r returned) has(attribute string) bool { return slices.Contains(r.Attributes, attribute) }

// and returns what was returned after a response.
func (r returned) and(k *storeKind, response opsmanager.BackupStore) returned {
	found := slices.Clone(r.Attributes)
	for _, f := range k.optional() {
		if !f.IsMissing(response) {
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
	return returned{wholeobject.Returned{Attributes: slices.Compact(found)}, response.OIDC != nil}
}

func hasCertificates(store opsmanager.BackupStore) bool {
	return store.CustomCertificates != nil && len(*store.CustomCertificates) > 0
}

func readReturned(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (before returned) {
	tfmodel.ReadPrivate(ctx, private, returnedKey, &before, diags)
	return before
}
