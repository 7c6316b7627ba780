package stores

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// Codes are the codes about a store and its fields. Errors about secrets are
// on the ID, because Terraform prints the line of the attribute.
var Codes = diagnostics.Codes{
	Attributes: map[string]string{
		"BACKUP_MONGO_CONNECTION_FAILED": "id",
		"BACKUP_S3_CONNECTION_FAILED":    "s3_bucket_endpoint",
		"BACKUP_S3_VALIDATION_FAILED":    "s3_bucket_name",
		"BACKUP-S3-VALIDATION_FAILED":    "s3_bucket_name",
		"BACKUP_S3_TOS_NOT_ACCEPTED":     "accepted_tos",
		"BACKUP_INVALID_FS_PATH":         "store_path",

		"assignmentEnabled": "assignment_enabled", "loadFactor": "load_factor", "maxCapacityGB": "max_capacity_gb", "encryptedCredentials": "encrypted_credentials",
		"writeConcern": "write_concern", "s3BucketName": "s3_bucket_name", "s3BucketEndpoint": "s3_bucket_endpoint", "s3MaxConnections": "s3_max_connections",
		"pathStyleAccessEnabled": "path_style_access_enabled", "sseEnabled": "sse_enabled", "acceptedTos": "accepted_tos", "s3AuthMethod": "s3_auth_method",
		"awsAccessKey": "id", "awsSecretKey": "id", "s3RegionOverride": "s3_region_override", "customCertificates": "custom_certificates",
		"disableProxyS3": "disable_proxy_s3", "objectLockEnabled": "object_lock_enabled", "objectRetentionMode": "object_retention_mode",
		"objectRetentionDays": "object_retention_days", "storePath": "store_path", "mmapv1CompressionSetting": "mmapv1_compression_setting",
		"wtCompressionSetting": "wt_compression_setting", "oidc": "id",
	},
	Advice: map[string]string{
		"BACKUP_MONGO_CONNECTION_FAILED": "Ops Manager itself connects to the database of the store. Check the connection string and its credentials, TLS, and the firewall between Ops Manager and the database.",
		"BACKUP_S3_CONNECTION_FAILED":    "Ops Manager itself connects to the bucket. Check the endpoint, the keys, the certificates of the S3 service, and the proxy and the firewall in between.",
		"BACKUP_S3_VALIDATION_FAILED":    bucketNeeds,
		"BACKUP-S3-VALIDATION_FAILED":    bucketNeeds,
	},
}

const bucketNeeds = "Ops Manager tests the bucket before it saves the store. That failed, and so did the retries of the provider. " + bucketRights

// bucketRights is what Ops Manager needs from a bucket.
const bucketRights = "The keys or the role must permit the S3 operations put, get, head, copy, list and delete on objects, the deletion of several objects at once, and head on the bucket. " +
	"A bucket without Object Lock must have no versioning, and no bucket may have life-cycle rules or be used by anything else."

// InUse is the advice about a store that Ops Manager refuses to delete.
const InUse = "Terminate the backups that use it, or move them to another store, delete their snapshots or let them expire, " +
	"and remove the store from the backup job configuration of each project. After a termination, Ops Manager may need some minutes to clean up. Then destroy again."

// failure is the error of a failed call.
func failure(summary string, err error) diag.Diagnostic {
	return diagnostics.Failure(summary, err, Codes)
}

var onIDPath = path.Root("id")

func onID(summary, detail string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(onIDPath, summary, detail)
}

// name returns the name of a store for messages, such as 'S3 Blockstore ny-1'.
func (k *storeKind) name(id string) string { return k.title + " " + id }

// deletes is the warning about the deletion of a store.
func (k *storeKind) deletes(id string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Deletion of "+k.name(id),
		"Destroying this resource deletes the store in Ops Manager, even if it was adopted. "+k.deletion+" "+
			"The provider can't see whether a resource with a different provider alias still manages the store. If you renamed the resource, add a moved block. "+
			"To keep the store and only remove it from the Terraform state, use a removed block with destroy = false, or run 'terraform state rm ADDRESS'.")
}

// mayNotBeDeleted is the warning about a destroy that Ops Manager may refuse.
func (k *storeKind) mayNotBeDeleted(id string, missing []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Deletion of "+k.name(id)+" May Be Refused",
		"Some versions of Ops Manager delete an S3 store only if no backup can be assigned to it. The destroy can't change that, because it lacks "+strings.Join(missing, " and ")+
			": Terraform passes no write-only values to a destroy. Set assignment_enabled = false and apply before you destroy.")
}

// protected is the error of destroying a protected store.
func (k *storeKind) protected(id string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(deletionProtection), k.title+" Is Protected",
		fmt.Sprintf("deletion_protection of store %q is true in the Terraform state, so the store was not destroyed, and no request was sent. "+
			"Set deletion_protection = false and apply, then destroy or replace the store.", id))
}

// destroyedAndManaged is the error of a plan that destroys a store, and also creates,
// adopts or keeps it for another object.
func (k *storeKind) destroyedAndManaged(id string) diag.Diagnostic {
	return diagnostics.EndedAndManaged(path.Root("id"), k.title+" Destroyed and Managed in One Plan", k.noun, fmt.Sprintf("deletes store %q", id), "store")
}

// managedTwice is the warning about a store that two resources of a plan manage.
func (k *storeKind) managedTwice(id string) diag.Diagnostic {
	return wholeobject.ManagedTwice("id", k.name(id), "applying one overwrites the values of the other, and destroying either one deletes the store for both. Keep only one of them.")
}

// alreadyExists is the error of creating a store that exists.
func (k *storeKind) alreadyExists(id string) diag.Diagnostic {
	return onID(k.name(id)+" Already Exists",
		"Creating this resource would fail, because the store exists. "+k.howToAdopt(id)+" If you renamed the resource that manages it, add a moved block instead.")
}

// howToAdopt explains how to adopt a store that exists.
func (k *storeKind) howToAdopt(id string) string {
	return fmt.Sprintf("To adopt it, import it:\n\n  import {\n    to = opsmanager_%s.ADDRESS\n    id = %s\n  }\n\n"+
		"where ADDRESS is the name of this resource. To adopt it and overwrite its values with the configured ones in one step, set adopt_existing = true.", k.noun, wholeobject.HCLString(id))
}

// checkFixed adds an error for each field that Ops Manager can't change, if its configured value
// is another one than that of the store. Replacing the store under the same ID is no way out:
// with create_before_destroy, the store exists until the new one is created.
func (k *storeKind) checkFixed(config, store storeModel, diags *diag.Diagnostics) {
	for _, f := range k.fields {
		wanted, held := config[f.Attribute], store[f.Attribute]
		if f.fixed && held != nil && !held.IsNull() && !wanted.IsNull() && !wanted.IsUnknown() && !wanted.Equal(held) {
			diags.AddAttributeError(path.Root(f.Attribute), "Unable to Change "+k.title,
				fmt.Sprintf("Ops Manager can't change %s of a store, and that of store %s is %s. Configure that value, or choose a new id for a store with the new one. "+
					"With a new id, Terraform replaces the store. To use the same id, remove the resource and apply first, which deletes the store.", f.Attribute, wholeobject.HCLString(config.id()), opsmanager.Sanitize(held.String())))
		}
	}
}

// unknownID is the error of a plan that would replace a store by one whose ID is unknown.
func (k *storeKind) unknownID(id string) diag.Diagnostic {
	return onID(k.title+" With an Unknown ID",
		fmt.Sprintf("The ID of the store is not known yet, so Terraform would replace store %q. If the ID turned out to be the same, the apply would delete the store and create it again. "+
			useKnownID, id))
}

// unknownAdoption is the error of a plan that deletes a store, and adopts one whose ID is unknown.
func (k *storeKind) unknownAdoption() diag.Diagnostic {
	return onID(k.title+" With an Unknown ID",
		"This plan deletes a store, and adopts one whose ID is not known yet. If both are the same store, it would be deleted although the configuration still manages it. "+useKnownID)
}

// useKnownID explains how to plan with a known ID.
const useKnownID = "Use an ID that is known when you plan, or apply the resource that it comes from first, with -target."

// incomplete returns an error for each missing attribute that creating a store requires.
func (k *storeKind) incomplete(config storeModel, diags *diag.Diagnostics) {
	for _, attribute := range k.missingFields(config) {
		diags.AddAttributeError(path.Root(attribute), "Incomplete "+k.title, attribute+" is missing. Creating a store requires it.")
	}
	if lacksClientSecret(config) {
		diags.Append(noClientSecret)
	}
}

// noClientSecret is the error of setting oidc without its secret, which a later update may leave out.
var noClientSecret = diag.NewAttributeErrorDiagnostic(path.Root("oidc"), "Missing Secret", "oidc with the method callback requires client_secret or client_secret_wo.")

// addAdjusted adds an error for each value that Ops Manager changed when it was written. The
// line of oidc, which Terraform would print, may have the client secret.
func (k *storeKind) addAdjusted(ctx context.Context, wanted, held opsmanager.BackupStore, diags *diag.Diagnostics) {
	for _, d := range tfmodel.Returned(k.differences(wanted, held)) {
		adjusted := d.Adjusted(ctx, "")
		if strings.HasPrefix(d.Attribute, "oidc.") {
			adjusted = onID(adjusted.Summary(), adjusted.Detail())
		}
		diags.Append(adjusted)
	}
}

// deletionFailure is the error of a failed deletion.
func (k *storeKind) deletionFailure(err error, note string) diag.Diagnostic {
	d := diagnostics.Failure(k.summary("Delete"), err)
	var e *opsmanager.Error
	if !errors.As(err, &e) || e.Status != http.StatusConflict {
		return diag.NewErrorDiagnostic(d.Summary(), strings.TrimSpace(d.Detail()+"\n\n"+note))
	}
	parts := []string{d.Detail(), note, k.deletion + " " + InUse}
	return diag.NewErrorDiagnostic(d.Summary(), strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n"))
}

// isRefused reports whether Ops Manager refused to delete a store because of its use.
func isRefused(err error) bool {
	var e *opsmanager.Error
	return errors.As(err, &e) && e.Status == http.StatusConflict && e.Document && strings.HasPrefix(e.Code, "BACKUP_CANNOT_REMOVE_")
}

// summary returns the summary of an error, such as 'Unable to Create Blockstore'.
func (k *storeKind) summary(verb string) string { return "Unable to " + verb + " " + k.title }
