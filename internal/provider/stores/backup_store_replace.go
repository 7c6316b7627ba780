package stores

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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
func (r *backupStoreResource) replace(ctx context.Context, summary string, u update, diags *diag.Diagnostics) (sent, held opsmanager.BackupStore) {
	whole := r.whole(u, diags)
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
	if r.checkUnknown(ctx, summary, u.live, diags); diags.HasError() {
		return sent, u.live
	}
	response, rejected, err := opsmanager.Replace(whole, func(store opsmanager.BackupStore) (*opsmanager.BackupStore, error) {
		return r.Client.UpdateBackupStore(ctx, r.api, store)
	})
	if len(rejected) > 0 && (err == nil || opsmanager.IsUnclear(err)) {
		diags.Append(diagnostics.NotKept(r.name(whole.ID), rejected))
	}
	if err != nil {
		diags.Append(failure(summary, err))
		return sent, u.live
	}
	return whole, r.settled(ctx, whole, u.live, *response)
}

// checkUnknown adds an error if a field of a live store that this provider does not know may have a
// mask in place of a secret. A request with the field may store the mask, and one without it may
// remove the secret.
func (r *backupStoreResource) checkUnknown(ctx context.Context, summary string, live opsmanager.BackupStore, diags *diag.Diagnostics) {
	if len(opsmanager.UnknownNames(live)) == 0 {
		return
	}
	again, err := r.Client.BackupStore(ctx, r.api, live.ID)
	if err != nil {
		diags.Append(failure(summary, err))
		return
	}
	if masked := opsmanager.UnknownSecrets(live, *again); len(masked) > 0 {
		diags.Append(onID("Unknown Secret", fmt.Sprintf("An update replaces the whole store, and this version of the provider does not know %s, which may be secrets that Ops Manager returns with a mask. "+
			"The provider can't keep them. Nothing was changed. Change the store in Ops Manager, or use a version of the provider that knows them.", opsmanager.Sanitize(strings.Join(masked, ", ")))))
	}
}

// whole returns what a PUT sends: the live store with the wanted fields and every secret. It adds an
// error if a part of the live store would be lost.
func (k *storeKind) whole(u update, diags *diag.Diagnostics) opsmanager.BackupStore {
	planned := k.notReturned(u)
	if u.prior != nil {
		if sent := k.convertible().Differences(planned, opsmanager.BackupStore{}); len(sent) > 0 {
			diags.AddWarning("Values of "+k.name(u.live.ID)+" Not Returned",
				"Ops Manager does not return these values. A request without them would reset them, so this one sends those of the Terraform state:"+tfmodel.Bulleted(sent))
		}
	}
	whole := k.convertible().Complete(k.convertible().Complete(u.wanted, u.live), planned)
	whole.ID, whole.Unknown = u.plan.id(), u.live.Unknown
	omitLock(&whole)
	k.setOIDC(&whole, u, diags)
	k.setCertificates(&whole, u, diags)
	k.setSecrets(&whole, u.config, u.plan)
	k.keepSecrets(&whole, u, diags)
	return whole
}

// notReturned returns the planned fields that neither change nor are in the live store, because this
// version of Ops Manager does not return them. One that was returned before was removed since. Object
// Lock can't be changed, and a missing list is empty.
func (k *storeKind) notReturned(u update) opsmanager.BackupStore {
	missing := storeModel{}
	for _, f := range k.fields {
		if f.IsMissing(u.live) && f.IsMissing(u.wanted) && !f.IsList() && !f.lock && !u.returned.saysRemoved(f, u.live) {
			missing[f.Attribute] = u.plan[f.Attribute]
		}
	}
	var store opsmanager.BackupStore
	k.convertible().Set(&store, missing)
	return store
}

// removedSince returns the fields of the prior state that were removed from the store after the plan
// was made, and that the plan does not change.
func (k *storeKind) removedSince(u update) []tfmodel.Difference {
	prior, held := k.toAPI(u.prior), opsmanager.BackupStore{}
	var removed []tfmodel.Difference
	for _, f := range k.fields {
		if f.IsMissing(u.wanted) && u.returned.saysRemoved(f, u.live) {
			removed = append(removed, tfmodel.Fields[opsmanager.BackupStore]{f.Field}.Differences(prior, held)...)
		}
	}
	if prior.OIDC != nil && u.live.OIDC == nil && u.returned.has("oidc") {
		removed = append(removed, tfmodel.Difference{Attribute: "oidc", Wanted: "set"})
	}
	for i, d := range removed {
		removed[i].Held, removed[i].Wanted = d.Wanted, "not set"
	}
	return removed
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

// settled returns what Ops Manager holds after a write. A server may return old values for
// a while, so it reads until the values agree or the settle time is over.
func (r *backupStoreResource) settled(ctx context.Context, sent, before, response opsmanager.BackupStore) opsmanager.BackupStore {
	held := response
	agrees := func() bool { return len(r.differences(sent, held)) == 0 && r.showsSecrets(sent, before, held) }
	if !agrees() {
		r.Settle(ctx, func() bool {
			if live, err := r.Client.BackupStore(ctx, r.api, sent.ID); err == nil {
				held = *live
			}
			return agrees()
		})
	}
	return held
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
