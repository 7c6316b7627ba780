package stores

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/secrets"
)

// update is a change of a live store.
type update struct {
	config, plan storeModel
	live         opsmanager.BackupStore
	wanted       opsmanager.BackupStore // the fields that change
	prior        storeModel             // nil for an adoption
	known        secrets.ReadBack       // of the last write
}

// replace sends the live store with the wanted fields and every secret, and returns what it sent
// and what Ops Manager holds afterwards. A field that the live store lacks is taken from the plan,
// except for Object Lock, which can't be changed.
func (r *backupStoreResource) replace(ctx context.Context, summary string, u update, diags *diag.Diagnostics) (sent, held opsmanager.BackupStore) {
	planned := r.toAPI(u.plan)
	planned.ObjectLockEnabled, planned.ObjectRetentionMode, planned.ObjectRetentionDays = nil, nil, nil
	whole := r.merged(r.merged(u.wanted, u.live), planned)
	whole.ID = u.plan.id()
	omitLock(&whole)
	r.setOIDC(&whole, u)
	r.setCertificates(&whole, u, diags)
	r.setSecrets(&whole, u.config, u.plan)
	r.keepSecrets(&whole, u, diags)
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
	response, err := r.Client.UpdateBackupStore(ctx, r.api, whole)
	if err != nil {
		diags.Append(failure(summary, err))
		return sent, u.live
	}
	return whole, r.settled(ctx, whole, u.live, *response)
}

// omitLock leaves Object Lock out of a request for a store that is not locked, because
// older versions reject the field.
func omitLock(request *opsmanager.BackupStore) {
	if request.ObjectLockEnabled != nil && !*request.ObjectLockEnabled {
		request.ObjectLockEnabled = nil
	}
}

// setOIDC sets what a replacement sends for oidc: the planned one if the plan changes it,
// or else the live one.
func (r *backupStoreResource) setOIDC(whole *opsmanager.BackupStore, u update) {
	planned := oidcToAPI(u.plan.oidc())
	switch changed := r.oidc && (u.prior == nil && planned != nil || u.prior != nil && !u.plan["oidc"].Equal(u.prior["oidc"])); {
	case changed, u.live.OIDC == nil:
		whole.OIDC = planned
	default:
		live := *u.live.OIDC
		live.ClientSecret = nil // which keeps it
		whole.OIDC = &live
	}
}

// setCertificates sets what a replacement sends for the certificates: the planned ones if
// the plan changes them, or else the live ones.
func (r *backupStoreResource) setCertificates(whole *opsmanager.BackupStore, u update, diags *diag.Diagnostics) {
	planned := r.toAPI(u.plan).CustomCertificates
	isKnown := u.prior != nil && u.known.IsSame(customCertificates, r.shownSecrets(u.live)[customCertificates])
	changed := r.s3 && (u.prior == nil && planned != nil || u.prior != nil && !u.plan[customCertificates].Equal(u.prior[customCertificates]))
	switch {
	case changed, planned != nil && (isKnown || hasMask(u.live.CustomCertificates)):
		whole.CustomCertificates = planned
	case hasMask(u.live.CustomCertificates):
		diags.AddAttributeError(path.Root(customCertificates), "Unknown Certificates",
			"An update replaces the whole store, and Ops Manager returns its certificates without their text. Configure custom_certificates. Nothing was changed.")
	default:
		whole.CustomCertificates = u.live.CustomCertificates
	}
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
