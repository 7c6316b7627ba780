package stores

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// guessKey is the key of the private state that says that a store was found after a create request
// without a response, or that the record of that is lost. The store may be someone else's, so the
// provider neither changes nor deletes it. With adopt_existing, or after an import, it does not matter
// who created the store.
const guessKey = "guess"

func isGuess(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (guess bool) {
	return tfmodel.ReadPrivate(ctx, private, guessKey, &guess, diags) && guess
}

// unknownCreator says why a store is a guess.
const unknownCreator = "The provider only guesses that this resource created the store: the outcome of the request was not known, or the replacement of a tainted resource failed"

// howToConfirm says how to make a guess known.
const howToConfirm = "If the store is yours, set adopt_existing = true and apply, or remove the resource from the Terraform state and import the store."

// guessed is the warning about a store that was found after a lost request.
func (k *storeKind) guessed(id string, cause error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(onIDPath, k.name(id)+" May Belong to Someone Else",
		"The outcome of the create request is not known. A store with this ID and these values exists now and did not exist before, so the request probably created it. "+
			"The provider can't know that, so it neither changes nor deletes the store. "+howToConfirm+" "+diagnostics.Sentence(cause))
}

// adoptedGuess is the warning about a store that was found after a lost request, and is adopted.
func (k *storeKind) adoptedGuess(id string, cause error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(onIDPath, k.name(id)+" Is Adopted After a Failed Request",
		"The outcome of the create request is not known. A store with this ID and these values exists now and did not exist before. "+
			"Because of adopt_existing, the provider adopts it, whoever created it. "+diagnostics.Sentence(cause))
}

// guessNotChanged is the error of a plan that would change a store that may be someone else's.
func (k *storeKind) guessNotChanged(id string) diag.Diagnostic {
	return onID(k.name(id)+" May Belong to Someone Else",
		unknownCreator+", so it does not change the store. "+howToConfirm)
}

// guessKept is the warning of a destroy that does not delete a store that may be someone else's.
func (k *storeKind) guessKept(id string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(k.name(id)+" Removed Only From the State",
		unknownCreator+", so a destroy does not delete it. "+
			"To delete it, import it and destroy it, or delete it in Ops Manager.")
}

// lookFor looks for the store of a create request whose outcome is unknown. It returns nil and adds an
// error unless a store with the values that were sent exists. The request is never sent again: Ops
// Manager may still be testing the bucket, and a second request may overwrite a store.
func (r *backupStoreResource) lookFor(ctx context.Context, sent opsmanager.BackupStore, cause error, diags *diag.Diagnostics) *opsmanager.BackupStore {
	live, err := r.find(ctx, sent.ID, cause)
	if err == nil {
		if other := append(tfmodel.Returned(r.differences(sent, *live)), r.otherSecrets(sent, *live)...); len(other) > 0 {
			diags.Append(onID(r.name(sent.ID)+" Has Other Values",
				"The outcome of the create request is not known. A store with this ID exists now and did not exist before, but with other values:"+tfmodel.Bulleted(other)+
					"\n\nThe provider can't tell whether the request created it, so it is not in the Terraform state. "+r.howToAdopt(sent.ID)+" "+diagnostics.Sentence(cause)))
			return nil
		}
		return live
	}
	diags.Append(failure(r.summary("Create"), cause))
	const whatNext = "If it exists, the next plan says so, and how to import it. Otherwise, the next apply creates it. "
	if opsmanager.IsGone(err) {
		diags.AddAttributeWarning(onIDPath, r.name(sent.ID)+" May Still Be Created",
			"The outcome of the create request is not known. The store did not exist when the provider stopped looking for it, so it is not in the Terraform state. "+whatNext)
	} else {
		diags.AddAttributeWarning(onIDPath, r.name(sent.ID)+" May Have Been Created",
			"The outcome of the create request is not known, and the store can't be read, so it is not in the Terraform state. "+whatNext+diagnostics.Sentence(err))
	}
	return nil
}

// find reads a store until it exists, or until ctx ends. If Ops Manager itself has responded to the
// request that creates the store, find only waits until reads must show it. If the run is
// interrupted, find reads the store once, within a short time.
func (r *backupStoreResource) find(ctx context.Context, id string, cause error) (live *opsmanager.BackupStore, err error) {
	if ctx.Err() != nil {
		return wholeobject.ReadDespiteInterrupt(ctx, r.reader(id))
	}
	if isAnswered(cause) {
		limited, cancel := context.WithTimeout(ctx, r.SettleTime)
		defer cancel()
		ctx = limited
	}
	_ = r.Wait(ctx, func() (bool, error) {
		found, failed := r.Client.BackupStore(ctx, r.api, id)
		if ctx.Err() == nil || failed == nil || err == nil {
			live, err = found, failed // an interrupted read says less than the one before
		}
		return err == nil, nil
	})
	return live, err
}

// isAnswered reports whether the response to a failed request is one of Ops Manager itself, which no
// longer works on the request then. Any other server error may come from a proxy.
func isAnswered(err error) bool {
	var e *opsmanager.Error
	return errors.As(err, &e) && (e.Document || e.Status > 0 && e.Status < http.StatusMultipleChoices)
}

// otherSecrets returns the secrets that prove that a store is not the one that was sent, without their
// values: a response has another one in clear. A mask proves nothing, and not all of its forms are
// known.
func (k *storeKind) otherSecrets(sent, live opsmanager.BackupStore) []tfmodel.Difference {
	var other []string
	for _, s := range k.secrets {
		if wanted, held := *s.api(&sent), *s.api(&live); s.inClear != nil && wanted != nil && held != nil {
			if a, b := s.inClear(*wanted), s.inClear(*held); a != "" && b != "" && a != b {
				other = append(other, s.attribute)
			}
		}
	}
	if hasCertificates(live) && areReadable(live.CustomCertificates) && !slices.Equal(certificateTexts(sent), certificateTexts(live)) {
		other = append(other, customCertificates)
	}
	var found []tfmodel.Difference
	for _, attribute := range other {
		found = append(found, tfmodel.Difference{Attribute: attribute, Held: "a different value", Wanted: "the configured one"})
	}
	return found
}
