package stores

import "terraform-provider-opsmanager/internal/provider/diagnostics"

// Codes are the codes about a store, and fields whose attributes have another name. Errors about secrets are
// on the ID, because Terraform prints the line of the attribute.
var Codes = diagnostics.Codes{
	Attributes: map[string]string{
		"BACKUP_MONGO_CONNECTION_FAILED": "id",
		"BACKUP_S3_CONNECTION_FAILED":    "s3_bucket_endpoint",
		"BACKUP_S3_VALIDATION_FAILED":    "s3_bucket_name",
		"BACKUP-S3-VALIDATION_FAILED":    "s3_bucket_name",
		"BACKUP_S3_TOS_NOT_ACCEPTED":     "accepted_tos",
		"BACKUP_INVALID_FS_PATH":         "store_path",

		"maxCapacityGB": "max_capacity_gb", "awsAccessKey": "id", "awsSecretKey": "id", "clientSecret": "id",
		"oidc": "oidc_enabled", "tokenUri": "oidc_token_uri", "clientId": "oidc_client_id", "tokenResource": "oidc_token_resource",
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

// InUse is the advice about a store that Ops Manager refuses to delete.
const InUse = "In the administration console, move the backups that use it to another store, and let their snapshots expire. Terminating a backup also frees the store, but deletes all its snapshots. " +
	"Remove the store from the backup job configuration of each project. Then destroy again, some minutes after a termination. " +
	"If one apply removes both the store and its filter, the store is deleted first. Apply the filter before you remove the store, or set create_before_destroy = true in its lifecycle block and apply that first."
