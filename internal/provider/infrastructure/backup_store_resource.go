package infrastructure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Resources returns the constructors of the resources of all kinds of stores.
func Resources() (all []func() resource.Resource) {
	for _, kind := range storeKinds {
		all = append(all, kind.resource().Constructor())
	}
	return all
}

// resource describes the resource of the stores of one kind, such as opsmanager_blockstore. Its lifecycle, from Create to Delete, is that
// of package putresource. What other types need is off: stores are never adopted, so nothing is overwritten, and they have no Add,
// Find, Prepare, Recall, CannotSendBack or Reset.
func (k *storeKind) resource() *putresource.Type[backupStore] {
	n := &putresource.Type[backupStore]{
		Name:        k.name,
		Title:       k.title,
		Word:        "store",
		Description: k.overview(),

		ID:        putresource.PathID("id", "ID of the store.", "Import a store by its id."),
		Described: k.Described,
		Secrets:   k.place.secrets,
		Hidden:    &hiddenCertificates,

		WriteTimeout: 5 * time.Minute,

		Codes: []tf.Codes{Codes},
		Kind:  opsmanager.Object(k.api),
		End: putresource.End[backupStore]{
			Deletion: k.deletion(),
			InUse:    k.deletion() + " " + StoreInUse,
			Blocked:  isInUse,
		},

		Object: func(id []string) backupStore { return backupStore{ID: id[0]} },
		Calls: putresource.Calls[backupStore]{
			Get: func(ctx context.Context, d *connection.Data, id []string) (*backupStore, error) {
				store, err := d.Client.BackupStore(ctx, k.api, id[0])
				return withoutMasks(store), err
			},
			Create: k.writing((*opsmanager.Client).CreateBackupStore),
			Put:    k.writing((*opsmanager.Client).UpdateBackupStore),
			Delete: func(ctx context.Context, d *connection.Data, id []string) error {
				return d.Client.DeleteBackupStore(ctx, k.api, id[0])
			},
		},
		Merge: k.merge,

		Validate: k.validate,
		Check:    k.check,
	}
	if k.data == snapshots {
		n.Holds = usedSize
	}
	if k.place.isS3 {
		n.Release = &backupStore{AssignmentEnabled: new(false)}
	}
	return n
}

// overview returns the description of the resource.
func (k *storeKind) overview() string {
	return "Manages a backup store " + k.purpose() + ".\n\n" +
		"If the store exists, import it.\n\n" +
		"-> Requires the role `Global Backup Admin`.\n\n" +
		"!> Destroying or replacing this resource **deletes** the store, even if imported. The guide \"Stores and daemons\" says how to keep or rename it."
}

// writing returns the call of a request for a store. Ops Manager tests the store before it responds, which may take until
// the deadline of the context: that of the attribute timeouts. The request lacks Object Lock if the store is not locked,
// because older versions reject the field.
func (k *storeKind) writing(
	request func(*opsmanager.Client, context.Context, opsmanager.StoreKind, backupStore) (*backupStore, error),
) putresource.Send[backupStore] {
	return func(ctx context.Context, d *connection.Data, store backupStore) (*backupStore, error) {
		deadline, _ := ctx.Deadline()
		if store.ObjectLockEnabled != nil && !*store.ObjectLockEnabled {
			store.ObjectLockEnabled = nil
		}
		response, err := request(d.Client, opsmanager.WithWriteTimeout(ctx, time.Until(deadline)), k.api, store)
		return withoutMasks(response), err
	}
}

// merge completes a store with what only the live one has: fields that this provider does not know, or has no
// attribute for. Ops Manager returns a load factor of 1 for each store that never had one.
func (k *storeKind) merge(whole *backupStore, live backupStore) {
	whole.Unknown = live.Unknown
	whole.OIDC.Unknown = live.OIDC.Unknown
	for _, other := range storeKinds {
		*whole = other.Fields.Complete(*whole, live)
	}
	if k.data != snapshots && whole.LoadFactor != nil && *whole.LoadFactor == 1 {
		whole.LoadFactor = nil
	}
	whole.CustomCertificates = certificateElements.Keep(whole.CustomCertificates, cmp.Or(live.MaskedCertificates, live.CustomCertificates))
}

// usedSize says whether a store may be empty. An empty database also has a size.
func usedSize(store backupStore) string {
	if store.UsedSize == nil {
		return ""
	}
	text := " Its used_size is " + strconv.FormatFloat(*store.UsedSize, 'f', -1, 64)
	if *store.UsedSize != 0 {
		text += ", so it may still contain snapshots"
	}
	return text + "."
}

// isInUse reports whether Ops Manager refused to delete a store because of its use.
func isInUse(err error) bool {
	e, ok := errors.AsType[*opsmanager.Error](err)
	return ok && e.Status == http.StatusConflict && e.Document && strings.HasPrefix(e.Code, "BACKUP_CANNOT_REMOVE_")
}

// validate rejects keys that Ops Manager ignores.
func (k *storeKind) validate(config tf.Values, diags *diag.Diagnostics) {
	if !k.place.isS3 {
		return
	}
	method := tf.As[types.String](config, "s3_auth_method")
	for _, attribute := range []string{"aws_access_key", "aws_secret_key"} {
		if method.ValueString() == authRole && tf.SecretOf(config, attribute).IsSet() {
			diags.AddAttributeError(path.Root("s3_auth_method"), "Key With an IAM Role", fmt.Sprintf("Ops Manager ignores %s if s3_auth_method is %s. Remove one of them.", attribute, authRole))
		}
	}
}

// ListResources returns the constructors of the list resources of all kinds of stores.
func ListResources() (all []func() list.ListResource) {
	for _, kind := range storeKinds {
		all = append(all, kind.list().Constructor())
	}
	return all
}

// list describes the list resource of the stores of one kind.
func (k *storeKind) list() sources.ListResource[backupStore] {
	without := ""
	if len(k.place.secrets) > 0 {
		without = ", without their secrets"
	}
	return sources.ListResource[backupStore]{
		Name:        k.name,
		Title:       k.title + "s",
		Description: "Lists the backup stores " + k.purpose() + ", sorted by ID" + without + ".",
		Requires:    "the role `Global Backup Admin`",
		Read: func(ctx context.Context, q sources.Query) (*opsmanager.List[backupStore], error) {
			return q.Client.ListBackupStores(ctx, k.api)
		},
		Sort: func(all []backupStore) []backupStore {
			return tf.Sorted(all, tf.By(func(s backupStore) *string { return &s.ID }))
		},
		Object: func(_ context.Context, _ sources.Query, live backupStore) sources.Listed {
			return k.resource().Listed(*withoutMasks(&live), live.ID)
		},
	}
}

// Codes are the codes about a store, and fields whose attributes have another name. Errors about secrets are
// on the ID, because Terraform prints the line of the attribute.
var Codes = tf.Codes{
	Attributes: map[string]string{
		"BACKUP_MONGO_CONNECTION_FAILED": "id",
		"BACKUP_S3_CONNECTION_FAILED":    "s3_bucket_endpoint",
		"BACKUP_S3_VALIDATION_FAILED":    "s3_bucket_name",
		"BACKUP-S3-VALIDATION_FAILED":    "s3_bucket_name",
		"BACKUP_S3_TOS_NOT_ACCEPTED":     "accepted_tos",
		"BACKUP_INVALID_FS_PATH":         "store_path",

		"maxCapacityGB": "max_capacity_gb",
		"awsAccessKey":  "id",
		"awsSecretKey":  "id",
		"clientSecret":  "id",
		"oidc":          "oidc_enabled",
		"tokenUri":      "oidc_token_uri",
		"clientId":      "oidc_client_id",
		"tokenResource": "oidc_token_resource",
	},
	Advice: map[string]string{
		"BACKUP_MONGO_CONNECTION_FAILED": "Ops Manager itself connects to the database of the store. Check the connection string and its credentials, TLS, and the firewall between Ops Manager and the database.",
		"BACKUP_S3_CONNECTION_FAILED":    "Ops Manager itself connects to the bucket. Check the endpoint, the keys, the certificates of the S3 service, and the proxy and the firewall in between.",
		"BACKUP_S3_VALIDATION_FAILED":    bucketNeeds,
		"BACKUP-S3-VALIDATION_FAILED":    bucketNeeds,
	},
}

const bucketNeeds = "Ops Manager tests the bucket before it saves the store. That failed, and so did the retries of the provider. " +
	"The keys or the role must permit the S3 operations put, get, head, copy, list and delete on objects, the deletion of several objects at once, and head on the bucket. " +
	"A bucket without Object Lock must have no versioning, and no bucket may have life-cycle rules or be used by anything else."

// StoreInUse is the advice about a store that Ops Manager refuses to delete.
const StoreInUse = "First, remove the store from the backup job configuration of each project that names it (the page of the data source opsmanager_project_backup_job_config finds them), and apply that while the store's resource block is still there: in one apply, Terraform deletes the store first. Then move the backups that use it to another store: in the administration console or, from a snapshot store to an S3 blockstore, with snapshot_store of opsmanager_backup_config. " +
	"Delete a snapshot store once its snapshots have expired, and keep its resource block until then. Terminating a backup frees the store after some minutes, but deletes all snapshots of the backup. If nothing uses the store, first apply assignment_enabled = false."
