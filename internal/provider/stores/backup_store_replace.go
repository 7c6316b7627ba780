package stores

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// update is a change of a live store.
type update struct {
	config, plan storeModel
	live         opsmanager.BackupStore
	wanted       opsmanager.BackupStore // the fields that change
	prior        storeModel             // nil for an adoption
	known        secrets.ReadBack       // of the last write
	returned     returned
}

// replace sends the live store with the wanted fields and every secret, and returns what it sent
// and what Ops Manager holds afterwards.
func (r *backupStoreResource) replace(ctx context.Context, summary string, u *update, diags *diag.Diagnostics) (sent, settled opsmanager.BackupStore) {
	whole := r.whole(*u, diags)
	if whole.AssignmentEnabled == nil {
		diags.AddAttributeError(path.Root(assignmentEnabled.Attribute), summary,
			"An update replaces the whole store, and Ops Manager did not return assignment_enabled, so the provider can't keep it. Configure it. Nothing was changed.")
	}
	if diags.HasError() {
		return sent, u.live
	}
	if len(r.secrets) == 0 && u.prior == nil && len(r.differences(whole, u.live)) == 0 {
		return sent, u.live
	}
	return r.put(summary, whole, u).Do(ctx, r.Data, diags)
}

// reader returns a function that reads a store.
func (r *backupStoreResource) reader(id string) func(context.Context) (*opsmanager.BackupStore, error) {
	return func(ctx context.Context) (*opsmanager.BackupStore, error) {
		return r.Client.BackupStore(ctx, r.api, id)
	}
}

// put returns the PUT of a whole store.
func (r *backupStoreResource) put(summary string, whole opsmanager.BackupStore, u *update) wholeobject.Put[opsmanager.BackupStore] {
	before := u.live
	return wholeobject.Put[opsmanager.BackupStore]{
		Name: r.name(whole.ID), IDAttribute: "id", Live: before, Whole: whole,
		Merge: func(live opsmanager.BackupStore, diags *diag.Diagnostics) opsmanager.BackupStore {
			u.live = live
			return r.whole(*u, diags)
		},
		Differences: func(whole, live opsmanager.BackupStore) []tfmodel.Difference {
			return append(r.differences(u.wanted, live), u.known.Differences(r.shownSecrets(whole), r.shownSecrets(live), r.shownSecrets(before))...)
		},
		Failure: func(err error) diag.Diagnostic { return failure(summary, err) },
		Send: func(ctx context.Context, store opsmanager.BackupStore) (*opsmanager.BackupStore, error) {
			return r.Client.UpdateBackupStore(ctx, r.api, store)
		},
		Read: r.reader(whole.ID),
		Agrees: func(sent, held opsmanager.BackupStore) bool {
			return len(r.differences(sent, held)) == 0 && r.showsSecrets(sent, before, held)
		},
	}
}

// whole returns what a PUT sends: the live store with the wanted fields and every secret. It adds an
// error if a part of the live store would be lost.
func (k *storeKind) whole(u update, diags *diag.Diagnostics) opsmanager.BackupStore {
	change := k.change(u)
	if u.prior != nil {
		wholeobject.WarnNotReturned(k.name(u.live.ID), change.NotReturned(), diags)
	}
	whole := change.Whole()
	whole.ID, whole.Unknown = u.plan.id(), u.live.Unknown
	omitLock(&whole)
	k.setOIDC(&whole, u, diags)
	k.setCertificates(&whole, u, diags)
	k.setSecrets(&whole, u.config, u.plan)
	k.keepSecrets(&whole, u, diags)
	return whole
}

// change returns the change of the fields. Object Lock can't be changed, so a request without it resets
// nothing.
func (k *storeKind) change(u update) wholeobject.Change[opsmanager.BackupStore] {
	planned := k.toAPI(u.plan)
	for _, f := range k.fields {
		if f.lock && f.IsMissing(u.live) {
			tfmodel.Fields[opsmanager.BackupStore]{f.Field}.Set(&planned, nil)
		}
	}
	return wholeobject.Change[opsmanager.BackupStore]{
		Fields: k.convertible(), Wanted: u.wanted, Planned: planned, Prior: k.toAPI(u.prior), Live: u.live,
		Removed: wholeobject.Removed(u.returned.Returned, k.optional(), u.live),
	}
}

// sincePlan returns the values that changed or were removed after the plan was made, and that the
// update keeps.
func (k *storeKind) sincePlan(u update) []tfmodel.Difference {
	planned, prior := k.toAPI(u.plan), k.toAPI(u.prior)
	changed := append(k.change(u).SincePlan(), unplannedOIDC(u.wanted, planned, prior, u.live)...)
	if prior.OIDC != nil && u.live.OIDC == nil && u.returned.has("oidc") {
		changed = append(changed, tfmodel.Difference{Attribute: "oidc", Held: "set", Wanted: "not set"})
	}
	return changed
}

// omitLock leaves Object Lock out of a request for a store that is not locked, because
// older versions reject the field.
func omitLock(request *opsmanager.BackupStore) {
	if request.ObjectLockEnabled != nil && !*request.ObjectLockEnabled {
		request.ObjectLockEnabled = nil
	}
}

// setOIDC sets what a replacement sends for oidc.
func (k *storeKind) setOIDC(whole *opsmanager.BackupStore, u update, diags *diag.Diagnostics) {
	if !k.oidc {
		return
	}
	merged, vanished := mergedOIDC(u)
	if whole.OIDC = merged; vanished {
		diags.Append(onID("OpenID Connect Removed Since the Plan",
			"The plan changes a part of oidc, and oidc was removed from the store after the plan was made. Nothing was changed. Plan again: the next plan shows what is missing."))
	}
}

// setCertificates sets what a replacement sends for the certificates: the planned ones if
// the plan changes them, or else the live ones. Ops Manager may return masks, whose forms are not
// all known, in place of their texts, so a live one is only sent if it is a certificate.
func (k *storeKind) setCertificates(whole *opsmanager.BackupStore, u update, diags *diag.Diagnostics) {
	if !k.s3 {
		return
	}
	planned := k.toAPI(u.plan).CustomCertificates
	isChanged := u.prior == nil && planned != nil || u.prior != nil && !u.plan[customCertificates].Equal(u.prior[customCertificates])
	switch isLive := hasCertificates(u.live); {
	case isChanged:
		whole.CustomCertificates = withUnknown(planned, u.live.CustomCertificates)
	case !isLive && !u.returned.has(customCertificates): // this version of Ops Manager does not return them
		whole.CustomCertificates = planned
	case !isLive, areReadable(u.live.CustomCertificates):
		whole.CustomCertificates = u.live.CustomCertificates
	case planned != nil && !u.known.Differs(customCertificates, k.shownSecrets(u.live)[customCertificates]):
		whole.CustomCertificates = planned
	case planned != nil:
		diags.AddAttributeError(path.Root(customCertificates), "Certificates Changed Since the Plan",
			"An update replaces the whole store, and Ops Manager returns its certificates without their text. They are not those that were read for the plan, so the provider can't keep them. Nothing was changed. Plan again.")
	default:
		diags.AddAttributeError(path.Root(customCertificates), "Unknown Certificates",
			"An update replaces the whole store, and Ops Manager returns its certificates without their text. Configure custom_certificates. Nothing was changed.")
	}
}

// withUnknown returns planned certificates. Those that are live keep the fields that this provider
// does not know.
func withUnknown(planned, live *[]opsmanager.Certificate) *[]opsmanager.Certificate {
	if planned == nil || live == nil {
		return planned
	}
	whole := slices.Clone(*planned)
	for i, one := range whole {
		for _, held := range *live {
			if held.Filename == one.Filename && held.CertString == one.CertString {
				whole[i] = held
			}
		}
	}
	return &whole
}

// setSecrets sets the secrets of a request to the configured ones.
func (k *storeKind) setSecrets(request *opsmanager.BackupStore, config, plan storeModel) {
	for _, s := range k.secrets {
		*s.api(request) = plan.secret(s.attribute).ToSend(config.secret(s.attribute))
	}
	if request.OIDC != nil {
		if secret := plan.secret(clientSecret).ToSend(config.secret(clientSecret)); secret != nil {
			request.OIDC.ClientSecret = secret
		}
	}
}

// keepSecrets sets the secrets that a replacement lacks to those of the live store, if the
// response has them as they were sent. It adds an error if a required secret is still missing.
func (k *storeKind) keepSecrets(request *opsmanager.BackupStore, u update, diags *diag.Diagnostics) {
	needsKeys := request.S3AuthMethod == nil || *request.S3AuthMethod != authRole
	for _, s := range k.secrets {
		switch secret := *s.api(&u.live); {
		case *s.api(request) != nil:
		case secret != nil && u.known.IsClear(s.attribute, *secret):
			*s.api(request) = secret
		case s.required || needsKeys:
			diags.Append(onID("Unknown Secret",
				fmt.Sprintf("An update replaces the whole store, and Ops Manager may not return %s in clear, so the provider can't keep it. Configure it, and don't ignore its changes. Nothing was changed.", s.attribute)))
		}
	}
}

// showsSecrets reports whether each secret in a response could be the one that was sent:
// it is the same, or it differs from the one before.
func (r *backupStoreResource) showsSecrets(sent, before, held opsmanager.BackupStore) bool {
	was, is := r.shownSecrets(before), r.shownSecrets(held)
	for attribute, secret := range r.shownSecrets(sent) {
		if shown, ok := is[attribute]; ok && shown == was[attribute] && !secrets.CouldShow(shown, secret) {
			return false
		}
	}
	return true
}
