package stores

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// storeField is a field of a store that a configuration can set, and that is no secret.
type storeField struct {
	tfmodel.Field[backupStore]

	description  string
	isRequired   bool // to create a store
	isFixed      bool // whether Ops Manager can't change it
	isPlace      bool // whether it says where the store is
	hasNoDefault bool // so responses lack it if it is not set
	validators   []validator.String
}

// Fields of several kinds of stores.
var (
	assignmentEnabled = storeField{
		Field: tfmodel.BoolField("assignment_enabled", func(s *backupStore) **bool { return &s.AssignmentEnabled }).
			Absent(tfmodel.Needed),
		description: "Whether backups can be assigned to the store.",
	}
	labels = storeField{
		Field:       tfmodel.TextsField("labels", func(s *backupStore) **opsmanager.Replaced[string] { return &s.Labels }),
		description: "Labels of the [projects that can use the store](../guides/stores.md#what-holds-for-all-stores). `[]` removes all.",
	}
	loadFactor = storeField{
		Field:       tfmodel.NumberField("load_factor", func(s *backupStore) **int64 { return &s.LoadFactor }),
		description: "Share of new backups, `1` or more, relative to other stores. `1` for a new store.",
	}
	maxCapacity = storeField{
		Field:        tfmodel.NumberField("max_capacity_gb", func(s *backupStore) **int64 { return &s.MaxCapacityGB }),
		hasNoDefault: true,
		description:  "Capacity in GB, `1` or more, for an alert. Ops Manager does not enforce it.",
	}
)

// database has the fields of a store with a MongoDB database.
var database = []storeField{
	{
		Field:       tfmodel.BoolField("ssl", func(s *backupStore) **bool { return &s.SSL }),
		description: "Whether Ops Manager connects to the database over TLS.",
	},
	{
		Field:       tfmodel.BoolField("encrypted_credentials", func(s *backupStore) **bool { return &s.EncryptedCredentials }),
		description: "Whether the credentials tool of Ops Manager has encrypted `uri`.",
	},
	{
		Field:        tfmodel.TextField("write_concern", func(s *backupStore) **string { return &s.WriteConcern }),
		hasNoDefault: true,
		description:  "Write concern for the database: `ACKNOWLEDGED`, `W2`, `JOURNALED` or `MAJORITY`.",
	},
	{
		Field:        tfmodel.BoolField("oidc_enabled", func(s *backupStore) **bool { return &s.OIDC.Enabled }),
		hasNoDefault: true,
		description:  "Whether Ops Manager connects with OpenID Connect, and ignores the credentials in `uri`. Requires Ops Manager 8.0.26 or later.",
	},
	{
		Field:        tfmodel.TextField("oidc_method", func(s *backupStore) **string { return &s.OIDC.Method }),
		hasNoDefault: true,
		description:  "How Ops Manager gets a token: `callback`, `azure`, `gcp` or `k8s`.",
	},
	{
		Field:        tfmodel.TextField("oidc_token_uri", func(s *backupStore) **string { return &s.OIDC.TokenURI }),
		hasNoDefault: true,
		description:  "URL that issues tokens. Required with `callback`.",
	},
	{
		Field:        tfmodel.TextField("oidc_client_id", func(s *backupStore) **string { return &s.OIDC.ClientID }),
		hasNoDefault: true,
		description:  "Client ID, for the `oidc_method` `callback`.",
	},
	{
		Field:        tfmodel.TextField("oidc_scope", func(s *backupStore) **string { return &s.OIDC.Scope }),
		hasNoDefault: true,
		description:  "Scope of the token, for `callback`.",
	},
	{
		Field:        tfmodel.TextField("oidc_token_resource", func(s *backupStore) **string { return &s.OIDC.TokenResource }),
		hasNoDefault: true,
		description:  "Resource that the token is for. Required with `azure` and `gcp`.",
	},
}

const (
	authKeys = "KEYS"
	authRole = "IAM_ROLE"
)

// bucket has the fields of a store with an S3 bucket, without those of Object Lock.
var bucket = []storeField{
	{
		Field:       tfmodel.TextField("s3_bucket_name", func(s *backupStore) **string { return &s.S3BucketName }),
		isRequired:  true,
		isFixed:     true,
		description: "Bucket, which [nothing else may use](../guides/stores.md#what-holds-for-all-stores).",
	},
	{
		Field:       tfmodel.TextField("s3_bucket_endpoint", func(s *backupStore) **string { return &s.S3BucketEndpoint }),
		isRequired:  true,
		isPlace:     true,
		description: "URL of the S3 service, such as `https://s3.us-east-1.amazonaws.com`.",
	},
	{
		Field:       tfmodel.NumberField("s3_max_connections", func(s *backupStore) **int64 { return &s.S3MaxConnections }),
		isRequired:  true,
		description: "Maximum number of connections, `1` or more.",
	},
	{
		Field:       tfmodel.BoolField("path_style_access_enabled", func(s *backupStore) **bool { return &s.PathStyleAccessEnabled }),
		isRequired:  true,
		description: "Whether URLs have the bucket in their path, instead of the host.",
	},
	{
		Field:       tfmodel.BoolField("sse_enabled", func(s *backupStore) **bool { return &s.SSEEnabled }),
		isRequired:  true,
		description: "Whether the bucket encrypts objects on the server side.",
	},
	{
		Field:       tfmodel.BoolField("accepted_tos", func(s *backupStore) **bool { return &s.AcceptedTOS }),
		isRequired:  true,
		description: "Whether you accept the terms of service for S3 stores. Must be `true`.",
	},
	{
		Field:       tfmodel.TextField("s3_auth_method", func(s *backupStore) **string { return &s.S3AuthMethod }),
		validators:  []validator.String{attributes.NewValue(stringvalidator.OneOf(authKeys, authRole))},
		description: "How Ops Manager authenticates to the bucket: `KEYS` (the default), which requires both AWS keys, or `IAM_ROLE`.",
	},
	{
		Field:        tfmodel.TextField("s3_region_override", func(s *backupStore) **string { return &s.S3RegionOverride }),
		hasNoDefault: true,
		description:  "Region of an S3 service other than AWS.",
	},
	{
		Field:       tfmodel.BoolField("disable_proxy_s3", func(s *backupStore) **bool { return &s.DisableProxyS3 }),
		description: "Whether Ops Manager connects to the bucket without its proxy. `false` for a new store.",
	},
	{
		Field:        certificates,
		hasNoDefault: true,
		description:  "Certificate authorities that Ops Manager trusts for the bucket. `[]` removes all. Requires Ops Manager 5.0 or later.",
	},
}

// objectLock returns the fields of Object Lock, with the versions that introduced it and
// its retention.
func objectLock(version, retentionVersion string) []storeField {
	return []storeField{
		{
			Field:       tfmodel.BoolField("object_lock_enabled", func(s *backupStore) **bool { return &s.ObjectLockEnabled }),
			isFixed:     true,
			description: "Whether Ops Manager locks the objects in the bucket, which must have versioning and Object Lock. Requires Ops Manager " + version + " or later.",
		},
		{
			Field:        tfmodel.TextField("object_retention_mode", func(s *backupStore) **string { return &s.ObjectRetentionMode }),
			isFixed:      true,
			hasNoDefault: true,
			validators:   []validator.String{attributes.NewValue(stringvalidator.OneOf("GOVERNANCE", "COMPLIANCE"))},
			description:  "Retention of locked objects: `GOVERNANCE` or `COMPLIANCE`. Requires `object_lock_enabled`, `object_retention_days`, and Ops Manager " + retentionVersion + " or later.",
		},
		{
			Field:        tfmodel.NumberField("object_retention_days", func(s *backupStore) **int64 { return &s.ObjectRetentionDays }),
			isFixed:      true,
			hasNoDefault: true,
			description:  "Days to lock an object, `1` or more. May require `object_retention_mode`.",
		},
	}
}

// directory has the fields of a store in a directory.
var directory = []storeField{
	{
		Field:       tfmodel.TextField("store_path", func(s *backupStore) **string { return &s.StorePath }),
		isRequired:  true,
		isPlace:     true,
		validators:  []validator.String{secrets.NoContent},
		description: "Absolute path of the directory, on the host of each backup daemon.",
	},
	{
		Field:       tfmodel.TextField("mmapv1_compression_setting", func(s *backupStore) **string { return &s.MMAPV1CompressionSetting }),
		description: "Compression for MMAPv1: `NONE`, the default of Ops Manager, or `GZIP`. Ignored from feature compatibility version 4.2 on.",
	},
	{
		Field:       tfmodel.TextField("wt_compression_setting", func(s *backupStore) **string { return &s.WTCompressionSetting }),
		description: "Compression for WiredTiger: `GZIP`, the default of Ops Manager, or `NONE`. Ignored from feature compatibility version 4.2 on.",
	},
}

var databaseSecrets = []putresource.Secret[backupStore]{
	{
		Attribute:   "uri",
		At:          func(s *backupStore) **string { return &s.URI },
		Required:    func(backupStore) bool { return true },
		Description: "Connection string of the database, such as `mongodb://user:password@db.example.com:27017`. Required to create or change a store.",
	},
	{
		Attribute:   "oidc_client_secret",
		At:          func(s *backupStore) **string { return &s.OIDC.ClientSecret },
		Required:    needsClientSecret,
		IsKept:      true,
		Description: "Client secret. Required to create a store with `callback`. Kept if unset.",
	},
}

var bucketSecrets = []putresource.Secret[backupStore]{
	awsKey("aws_access_key", "Access key ID", func(s *backupStore) **string { return &s.AWSAccessKey }),
	awsKey("aws_secret_key", "Secret access key", func(s *backupStore) **string { return &s.AWSSecretKey }),
}

func awsKey(attribute, name string, at func(*backupStore) **string) putresource.Secret[backupStore] {
	return putresource.Secret[backupStore]{
		Attribute:   attribute,
		At:          at,
		Required:    needsKeys,
		Excluded:    hasRole,
		Lacks:       hasRole,
		Description: name + ". Required to create or change a store with `s3_auth_method` `KEYS`.",
	}
}

func hasRole(s backupStore) bool { return tfmodel.Text(s.S3AuthMethod) == authRole }

func needsKeys(s backupStore) bool { return !hasRole(s) }

func needsClientSecret(s backupStore) bool {
	return s.OIDC.Enabled != nil && *s.OIDC.Enabled && tfmodel.Text(s.OIDC.Method) == "callback"
}

// schema returns the attribute of a field.
func (f storeField) schema() schema.Attribute {
	description := f.description
	if f.isRequired {
		description += " Required on creation."
	}
	description += attributes.Kept
	if f.isFixed {
		description += " A change needs a new store."
	}
	switch f.Value(backupStore{}).(type) {
	case types.Bool:
		return attributes.Bool(description)
	case types.Int64:
		return attributes.Number(description, attributes.NewValue(int64validator.AtLeast(1)))
	case types.Set:
		if f.Attribute == customCertificates {
			all := certificatesAttribute
			all.MarkdownDescription = description
			return all
		}
		return attributes.Texts(description)
	}
	validators := f.validators
	if f.isRequired {
		validators = append([]validator.String{attributes.NewValue(stringvalidator.LengthAtLeast(1))}, validators...)
	}
	return attributes.Text(description, validators...)
}
