package infrastructure

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// sample says where a store has its fields.
var sample backupStore

// Fields of several kinds of stores.
var (
	assignmentEnabled = putresource.Field{
		Attribute:   "assignment_enabled",
		At:          &sample.AssignmentEnabled,
		Absence:     tf.Needed,
		Description: "Whether backups can be assigned to the store.",
	}
	labels = putresource.Field{
		Attribute:   "labels",
		At:          &sample.Labels,
		Absence:     tf.Unset,
		Description: "Labels of the projects that can use the store. `[]` removes all.",
	}
	loadFactor = putresource.Field{
		Attribute:   "load_factor",
		At:          &sample.LoadFactor,
		Description: "Share of new backups, `1` or more, relative to other stores. `1` for a new store.",
	}
	maxCapacity = putresource.Field{
		Attribute:   "max_capacity_gb",
		At:          &sample.MaxCapacityGB,
		Absence:     tf.UnsetOnceReturned,
		Description: "Capacity in GB, `1` or more, for an alert. Ops Manager does not enforce it.",
	}
)

// database has the fields of a store with a MongoDB database.
var database = []putresource.Field{
	{
		Attribute:   "ssl",
		At:          &sample.SSL,
		Description: "Whether Ops Manager connects to the database over TLS.",
	},
	{
		Attribute:   "encrypted_credentials",
		At:          &sample.EncryptedCredentials,
		Description: "Whether the credentials tool of Ops Manager has encrypted `uri`.",
	},
	{
		Attribute:   "write_concern",
		At:          &sample.WriteConcern,
		Absence:     tf.UnsetOnceReturned,
		Description: "Write concern for the database: `ACKNOWLEDGED`, `W2`, `JOURNALED` or `MAJORITY`.",
	},
	{
		Attribute:   "oidc_enabled",
		At:          &sample.OIDC.Enabled,
		Absence:     tf.UnsetOnceReturned,
		Description: "Whether Ops Manager connects with OpenID Connect, and ignores the credentials in `uri`. Requires Ops Manager 8.0.26 or later.",
	},
	{
		Attribute:   "oidc_method",
		At:          &sample.OIDC.Method,
		Absence:     tf.UnsetOnceReturned,
		Description: "How Ops Manager gets a token: `callback`, `azure`, `gcp` or `k8s`.",
	},
	{
		Attribute:   "oidc_token_uri",
		At:          &sample.OIDC.TokenURI,
		Absence:     tf.UnsetOnceReturned,
		Description: "URL that issues tokens. Required with `callback`.",
	},
	{
		Attribute:   "oidc_client_id",
		At:          &sample.OIDC.ClientID,
		Absence:     tf.UnsetOnceReturned,
		Description: "Client ID, for the `oidc_method` `callback`.",
	},
	{
		Attribute:   "oidc_scope",
		At:          &sample.OIDC.Scope,
		Absence:     tf.UnsetOnceReturned,
		Description: "Scope of the token, for `callback`.",
	},
	{
		Attribute:   "oidc_token_resource",
		At:          &sample.OIDC.TokenResource,
		Absence:     tf.UnsetOnceReturned,
		Description: "Resource that the token is for. Required with `azure` and `gcp`.",
	},
}

const (
	authKeys = "KEYS"
	authRole = "IAM_ROLE"

	fixed = " A change needs a new store."
)

// bucket has the fields of a store with an S3 bucket, without custom_certificates and those of Object Lock.
var bucket = []putresource.Field{
	{
		Attribute:   "s3_bucket_name",
		At:          &sample.S3BucketName,
		IsRequired:  true,
		New:         stringvalidator.LengthAtLeast(1),
		Description: "Bucket, which nothing else may use." + fixed,
	},
	{
		Attribute:   "s3_bucket_endpoint",
		At:          &sample.S3BucketEndpoint,
		IsRequired:  true,
		New:         stringvalidator.LengthAtLeast(1),
		Description: "URL of the S3 service, such as `https://s3.us-east-1.amazonaws.com`.",
	},
	{
		Attribute:   "s3_max_connections",
		At:          &sample.S3MaxConnections,
		IsRequired:  true,
		Description: "Maximum number of connections, `1` or more.",
	},
	{
		Attribute:   "path_style_access_enabled",
		At:          &sample.PathStyleAccessEnabled,
		IsRequired:  true,
		Description: "Whether URLs have the bucket in their path, instead of the host.",
	},
	{
		Attribute:   "sse_enabled",
		At:          &sample.SSEEnabled,
		IsRequired:  true,
		Description: "Whether the bucket encrypts objects on the server side.",
	},
	{
		Attribute:   "accepted_tos",
		At:          &sample.AcceptedTOS,
		IsRequired:  true,
		Description: "Whether you accept the terms of service for S3 stores. Must be `true`.",
	},
	{
		Attribute:   "s3_auth_method",
		At:          &sample.S3AuthMethod,
		New:         stringvalidator.OneOf(authKeys, authRole),
		Description: "How Ops Manager authenticates to the bucket: `KEYS` (the default), which requires both AWS keys, or `IAM_ROLE`.",
	},
	{
		Attribute:   "s3_region_override",
		At:          &sample.S3RegionOverride,
		Absence:     tf.UnsetOnceReturned,
		Description: "Region of an S3 service other than AWS.",
	},
	{
		Attribute:   "disable_proxy_s3",
		At:          &sample.DisableProxyS3,
		Description: "Whether Ops Manager connects to the bucket without its proxy. `false` for a new store.",
	},
}

// objectLock returns the fields of Object Lock, with the versions that introduced it and
// its retention.
func objectLock(version, retentionVersion string) []putresource.Field {
	return []putresource.Field{
		{
			Attribute:   "object_lock_enabled",
			At:          &sample.ObjectLockEnabled,
			Description: "Whether Ops Manager locks the objects in the bucket, which must have versioning and Object Lock. Requires Ops Manager " + version + " or later." + fixed,
		},
		{
			Attribute:   "object_retention_mode",
			At:          &sample.ObjectRetentionMode,
			Absence:     tf.UnsetOnceReturned,
			New:         stringvalidator.OneOf("GOVERNANCE", "COMPLIANCE"),
			Description: "Retention of locked objects: `GOVERNANCE` or `COMPLIANCE`. Requires `object_lock_enabled`, `object_retention_days`, and Ops Manager " + retentionVersion + " or later." + fixed,
		},
		{
			Attribute:   "object_retention_days",
			At:          &sample.ObjectRetentionDays,
			Absence:     tf.UnsetOnceReturned,
			Description: "Days to lock an object, `1` or more. May require `object_retention_mode`." + fixed,
		},
	}
}

// directory has the fields of a store in a directory.
var directory = []putresource.Field{
	{
		Attribute:   "store_path",
		At:          &sample.StorePath,
		IsRequired:  true,
		Validators:  []validator.String{tf.NoContent},
		New:         stringvalidator.LengthAtLeast(1),
		Description: "Absolute path of the directory, on the host of each backup daemon.",
	},
	{
		Attribute:   "mmapv1_compression_setting",
		At:          &sample.MMAPV1CompressionSetting,
		Description: "Compression for MMAPv1: `NONE`, the default of Ops Manager, or `GZIP`. Ignored from feature compatibility version 4.2 on.",
	},
	{
		Attribute:   "wt_compression_setting",
		At:          &sample.WTCompressionSetting,
		Description: "Compression for WiredTiger: `GZIP`, the default of Ops Manager, or `NONE`. Ignored from feature compatibility version 4.2 on.",
	},
}

var databaseSecrets = []putresource.Secret[backupStore]{
	{
		Attribute:   "uri",
		At:          putresource.At(&sample, &sample.URI),
		Required:    func(backupStore) bool { return true },
		Description: "Connection string of the database, such as `mongodb://user:password@db.example.com:27017`. Required to create or change a store.",
	},
	{
		Attribute:   "oidc_client_secret",
		At:          putresource.At(&sample, &sample.OIDC.ClientSecret),
		Required:    needsClientSecret,
		IsKept:      true,
		Description: "Client secret. Required to create a store with `callback`. Kept if unset.",
	},
}

var bucketSecrets = []putresource.Secret[backupStore]{
	awsKey("aws_access_key", "Access key ID", &sample.AWSAccessKey),
	awsKey("aws_secret_key", "Secret access key", &sample.AWSSecretKey),
}

func awsKey(attribute, name string, at **string) putresource.Secret[backupStore] {
	return putresource.Secret[backupStore]{
		Attribute:   attribute,
		At:          putresource.At(&sample, at),
		Required:    needsKeys,
		Excluded:    hasRole,
		Lacks:       hasRole,
		Description: name + ". Required to create or change a store with `s3_auth_method` `KEYS`.",
	}
}

func hasRole(s backupStore) bool { return tf.Text(s.S3AuthMethod) == authRole }

func needsKeys(s backupStore) bool { return !hasRole(s) }

func needsClientSecret(s backupStore) bool {
	return s.OIDC.Enabled != nil && *s.OIDC.Enabled && tf.Text(s.OIDC.Method) == "callback"
}
