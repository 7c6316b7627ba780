package stores

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Resources returns the constructors of the resources of all kinds of stores.
func Resources() []func() resource.Resource {
	var all []func() resource.Resource
	for _, kind := range storeKinds {
		all = append(all, kind.resource().Constructor())
	}
	return all
}

// resource describes the resource of the stores of one kind.
func (k *storeKind) resource() *putresource.Type[opsmanager.BackupStore] {
	n := &putresource.Type[opsmanager.BackupStore]{
		Name: k.name, Title: k.title, Word: "store", Description: k.overview(),

		ID: imports.ID{
			Attributes: []string{"id"}, IsValid: func(values []string) bool { return !opsmanager.IsInvalidID(values[0]) },
			Texts:  []string{"ID of the store."},
			Advice: "Import a store by its id. It must not be empty and " + attributes.PathSegmentRule + ".",
		},
		Attributes: map[string]schema.Attribute{"id": schema.StringAttribute{
			Required: true, Validators: attributes.PathSegmentValidators(), PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			MarkdownDescription: "ID of the store: any text that you choose. Forces replacement, which **deletes** this store.",
		}},
		Fields:   k.converted(),
		Required: k.attributesOf(func(f storeField) bool { return f.required }),
		Whole:    []string{assignmentEnabled.Attribute},
		Optional: k.attributesOf(func(f storeField) bool { return f.optional }),
		Secrets:  k.secrets,
		Hidden:   &hiddenCertificates,

		WriteTimeout: 5 * time.Minute, DeleteTimeout: 5 * time.Minute,

		Codes: []diagnostics.Codes{Codes}, NotFound: []string{k.notFound}, Deletion: k.deletion, InUse: k.deletion + " " + InUse,

		Object: func(id []string) opsmanager.BackupStore { return opsmanager.BackupStore{ID: id[0]} },
		Calls: putresource.Calls[opsmanager.BackupStore]{
			Get: func(ctx context.Context, d *connection.Data, id []string) (*opsmanager.BackupStore, error) {
				store, err := d.Client.BackupStore(ctx, k.api, id[0])
				return withoutMasks(store), err
			},
			Create: func(ctx context.Context, d *connection.Data, store opsmanager.BackupStore) (*opsmanager.BackupStore, error) {
				created, err := d.Client.CreateBackupStore(tested(ctx), k.api, withoutLock(store))
				return withoutMasks(created), err
			},
			Put: func(ctx context.Context, d *connection.Data, store opsmanager.BackupStore) (*opsmanager.BackupStore, error) {
				updated, err := d.Client.UpdateBackupStore(tested(ctx), k.api, withoutLock(store))
				return withoutMasks(updated), err
			},
			Delete: func(ctx context.Context, d *connection.Data, id []string) error {
				return d.Client.DeleteBackupStore(ctx, k.api, id[0])
			},
		},
		Merge:   k.merge,
		Blocked: isInUse,

		Validate: k.validate,
		Check:    k.check,
	}
	for _, f := range k.fields {
		n.Attributes[f.Attribute] = f.schema()
	}
	if k.isS3 {
		n.Release = &opsmanager.BackupStore{AssignmentEnabled: new(false)}
		n.Deletion += " If Ops Manager refuses that, the destroy sets assignment_enabled to false and tries again until timeouts.delete, because some versions delete a store only if no backup can be assigned to it."
	}
	return n
}

// overview returns the description of the resource.
func (k *storeKind) overview() string {
	return "Manages a backup store " + k.purpose + ".\n\n" +
		"Creating this resource fails if the store exists: import it, or set `adopt_existing`.\n\n" +
		"-> Requires the role `Global Backup Admin`.\n\n" +
		"!> Destroying or replacing this resource **deletes** the store in Ops Manager, even if imported or adopted. [How to keep or rename it](../guides/stores.md#what-holds-for-all-stores)."
}

// tested returns the context of a write, during which Ops Manager tests the store. It may take as long as
// the timeout of the resource.
func tested(ctx context.Context) context.Context {
	deadline, _ := ctx.Deadline()
	return opsmanager.WithWriteTimeout(ctx, time.Until(deadline))
}

// withoutLock leaves Object Lock out of a request for a store that is not locked, because older versions
// reject the field.
func withoutLock(store opsmanager.BackupStore) opsmanager.BackupStore {
	if store.ObjectLockEnabled != nil && !*store.ObjectLockEnabled {
		store.ObjectLockEnabled = nil
	}
	return store
}

// merge completes a store with what only the live one has: fields that this provider does not know, or has no
// attribute for. A certificate that does not change keeps its own, and so does one with a mask if its name
// does not change. Ops Manager returns a load factor of 1 for each store that never had one.
func (k *storeKind) merge(whole *opsmanager.BackupStore, live opsmanager.BackupStore) {
	whole.Unknown, whole.OIDC.Unknown = live.Unknown, live.OIDC.Unknown
	for _, other := range storeKinds {
		*whole = other.converted().Complete(*whole, live)
	}
	isOwn := slices.ContainsFunc(k.fields, func(f storeField) bool { return f.Attribute == loadFactor.Attribute })
	if !isOwn && whole.LoadFactor != nil && *whole.LoadFactor == 1 {
		whole.LoadFactor = nil
	}
	if whole.CustomCertificates == nil {
		return
	}
	merged := slices.Clone(*whole.CustomCertificates)
	for _, held := range certificatesOf(live) {
		for i, one := range merged {
			if held.Filename == one.Filename && (held.CertString == one.CertString || live.MaskedCertificates != nil) {
				merged[i].Unknown = held.Unknown
			}
		}
	}
	whole.CustomCertificates = &merged
}

// isInUse reports whether Ops Manager refused to delete a store because of its use.
func isInUse(err error) bool {
	e, ok := errors.AsType[*opsmanager.Error](err)
	return ok && e.Status == http.StatusConflict && e.Document && strings.HasPrefix(e.Code, "BACKUP_CANNOT_REMOVE_")
}

// validate rejects a configuration with values that Ops Manager never accepts.
func (k *storeKind) validate(config tfmodel.Values, diags *diag.Diagnostics) {
	if !k.isS3 {
		return
	}
	method := tfmodel.As[types.String](config, "s3_auth_method")
	for _, attribute := range []string{"aws_access_key", "aws_secret_key"} {
		if method.ValueString() == authRole && secrets.Of(config, attribute).IsSet() {
			diags.AddAttributeError(path.Root("s3_auth_method"), "Key With an IAM Role", fmt.Sprintf("Ops Manager ignores %s if s3_auth_method is %s. Remove one of them.", attribute, authRole))
		}
	}
	if accepted := tfmodel.As[types.Bool](config, "accepted_tos"); !accepted.IsNull() && !accepted.IsUnknown() && !accepted.ValueBool() {
		diags.AddAttributeError(path.Root("accepted_tos"), "Terms of Service Not Accepted", "Ops Manager saves S3 stores only if you accept its terms of service for them. Set accepted_tos = true.")
	}
	mode, days, lock := config["object_retention_mode"], config["object_retention_days"], tfmodel.As[types.Bool](config, "object_lock_enabled")
	switch {
	case !mode.IsNull() && days.IsNull():
		diags.AddAttributeError(path.Root("object_retention_days"), "Incomplete Retention", "object_retention_mode requires object_retention_days.")
	case !mode.IsNull() && !lock.IsUnknown() && !lock.ValueBool():
		diags.AddAttributeError(path.Root("object_lock_enabled"), "Retention Without Object Lock", "object_retention_mode requires object_lock_enabled = true.")
	}
}
