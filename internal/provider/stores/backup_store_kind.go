// Package stores implements the resources, the data source and the list resources of backup stores.
package stores

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// storeKind describes the resource of a kind of stores.
type storeKind struct {
	api      opsmanager.StoreKind
	name     string // as in opsmanager_blockstore
	title    string // in messages, such as Blockstore
	purpose  string // what the stores are for
	deletion string // what Ops Manager requires to delete a store

	fields  []storeField
	secrets []putresource.Secret[opsmanager.BackupStore]
	isS3    bool // whether its stores have a bucket
}

// storeField is a field of a store that a configuration can set, and that is no secret.
type storeField struct {
	tfmodel.Field[opsmanager.BackupStore]

	required    bool // to create a store
	fixed       bool // whether Ops Manager can't change it
	isPlace     bool // whether it says where the store is
	description string
	validators  []validator.String
}

var (
	assignmentEnabled = storeField{
		Field:       tfmodel.BoolField("assignment_enabled", func(s *opsmanager.BackupStore) **bool { return &s.AssignmentEnabled }).Absent(tfmodel.Needed),
		description: "Whether backups can be assigned to the store.",
	}
	labels = storeField{
		Field:       tfmodel.TextsField("labels", func(s *opsmanager.BackupStore) **opsmanager.Replaced[string] { return &s.Labels }),
		description: "Labels of the [projects that can use the store](../guides/stores.md#what-holds-for-all-stores). `[]` removes all.",
	}
	loadFactor = storeField{
		Field:       tfmodel.NumberField("load_factor", func(s *opsmanager.BackupStore) **int64 { return &s.LoadFactor }),
		description: "Share of new backups, `1` or more, relative to other stores. `1` for a new store.",
	}
	ssl = storeField{
		Field:       tfmodel.BoolField("ssl", func(s *opsmanager.BackupStore) **bool { return &s.SSL }),
		description: "Whether Ops Manager connects to the database over TLS.",
	}
	encryptedCredentials = storeField{
		Field:       tfmodel.BoolField("encrypted_credentials", func(s *opsmanager.BackupStore) **bool { return &s.EncryptedCredentials }),
		description: "Whether the credentials tool of Ops Manager has encrypted `uri`.",
	}
	writeConcern = storeField{
		Field:       tfmodel.TextField("write_concern", func(s *opsmanager.BackupStore) **string { return &s.WriteConcern }).Absent(tfmodel.UnsetOnceReturned),
		description: "Write concern for the database: `ACKNOWLEDGED`, `W2`, `JOURNALED` or `MAJORITY`.",
	}
	maxCapacity = storeField{
		Field:       tfmodel.NumberField("max_capacity_gb", func(s *opsmanager.BackupStore) **int64 { return &s.MaxCapacityGB }).Absent(tfmodel.UnsetOnceReturned),
		description: "Capacity in GB, `1` or more, for an alert. Ops Manager does not enforce it.",
	}
	database = append([]storeField{ssl, encryptedCredentials, writeConcern}, oidc...)
	bucket   = []storeField{
		{
			Field: tfmodel.TextField("s3_bucket_name", func(s *opsmanager.BackupStore) **string { return &s.S3BucketName }), required: true, fixed: true,
			description: "Bucket, which [nothing else may use](../guides/stores.md#what-holds-for-all-stores).",
		},
		{
			Field: tfmodel.TextField("s3_bucket_endpoint", func(s *opsmanager.BackupStore) **string { return &s.S3BucketEndpoint }), required: true, isPlace: true,
			description: "URL of the S3 service, such as `https://s3.us-east-1.amazonaws.com`.",
		},
		{
			Field: tfmodel.NumberField("s3_max_connections", func(s *opsmanager.BackupStore) **int64 { return &s.S3MaxConnections }), required: true,
			description: "Maximum number of connections, `1` or more.",
		},
		{
			Field: tfmodel.BoolField("path_style_access_enabled", func(s *opsmanager.BackupStore) **bool { return &s.PathStyleAccessEnabled }), required: true,
			description: "Whether URLs have the bucket in their path, instead of the host.",
		},
		{
			Field: tfmodel.BoolField("sse_enabled", func(s *opsmanager.BackupStore) **bool { return &s.SSEEnabled }), required: true,
			description: "Whether the bucket encrypts objects on the server side.",
		},
		{
			Field: tfmodel.BoolField("accepted_tos", func(s *opsmanager.BackupStore) **bool { return &s.AcceptedTOS }), required: true,
			description: "Whether you accept the terms of service for S3 stores. Must be `true`.",
		},
		{
			Field:       tfmodel.TextField("s3_auth_method", func(s *opsmanager.BackupStore) **string { return &s.S3AuthMethod }),
			validators:  []validator.String{attributes.NewValue(stringvalidator.OneOf(authKeys, authRole))},
			description: "How Ops Manager authenticates to the bucket: `KEYS` (the default), which requires both AWS keys, or `IAM_ROLE`.",
		},
		{
			Field:       tfmodel.TextField("s3_region_override", func(s *opsmanager.BackupStore) **string { return &s.S3RegionOverride }).Absent(tfmodel.UnsetOnceReturned),
			description: "Region of an S3 service other than AWS.",
		},
		{
			Field:       tfmodel.BoolField("disable_proxy_s3", func(s *opsmanager.BackupStore) **bool { return &s.DisableProxyS3 }),
			description: "Whether Ops Manager connects to the bucket without its proxy. `false` for a new store.",
		},
		{
			Field:       certificates,
			description: "Certificate authorities that Ops Manager trusts for the bucket. `[]` removes all. Requires Ops Manager 5.0 or later.",
		},
	}
	oidc = []storeField{
		{
			Field:       tfmodel.BoolField("oidc_enabled", func(s *opsmanager.BackupStore) **bool { return &s.OIDC.Enabled }).Absent(tfmodel.UnsetOnceReturned),
			description: "Whether Ops Manager connects with OpenID Connect, and ignores the credentials in `uri`. Requires Ops Manager 8.0.26 or later.",
		},
		oidcText("oidc_method", func(s *opsmanager.BackupStore) **string { return &s.OIDC.Method }, "How Ops Manager gets a token: `callback`, `azure`, `gcp` or `k8s`."),
		oidcText("oidc_token_uri", func(s *opsmanager.BackupStore) **string { return &s.OIDC.TokenURI }, "URL that issues tokens. Required with `callback`."),
		oidcText("oidc_client_id", func(s *opsmanager.BackupStore) **string { return &s.OIDC.ClientID }, "Client ID, for the `oidc_method` `callback`."),
		oidcText("oidc_scope", func(s *opsmanager.BackupStore) **string { return &s.OIDC.Scope }, "Scope of the token, for `callback`."),
		oidcText("oidc_token_resource", func(s *opsmanager.BackupStore) **string { return &s.OIDC.TokenResource }, "Resource that the token is for. Required with `azure` and `gcp`."),
	}
	directory = []storeField{
		{
			Field: tfmodel.TextField("store_path", func(s *opsmanager.BackupStore) **string { return &s.StorePath }), required: true, isPlace: true,
			validators:  []validator.String{secrets.NoContent},
			description: "Absolute path of the directory, on the host of each backup daemon.",
		},
		{
			Field:       tfmodel.TextField("mmapv1_compression_setting", func(s *opsmanager.BackupStore) **string { return &s.MMAPV1CompressionSetting }),
			description: "Compression for MMAPv1: `NONE`, the default of Ops Manager, or `GZIP`. Ignored from feature compatibility version 4.2 on.",
		},
		{
			Field:       tfmodel.TextField("wt_compression_setting", func(s *opsmanager.BackupStore) **string { return &s.WTCompressionSetting }),
			description: "Compression for WiredTiger: `GZIP`, the default of Ops Manager, or `NONE`. Ignored from feature compatibility version 4.2 on.",
		},
	}
)

// objectLock returns the fields of Object Lock, with the versions that introduced it and
// its retention.
func objectLock(version, retentionVersion string) []storeField {
	return []storeField{
		{
			Field: tfmodel.BoolField("object_lock_enabled", func(s *opsmanager.BackupStore) **bool { return &s.ObjectLockEnabled }), fixed: true,
			description: "Whether Ops Manager locks the objects in the bucket, which must have versioning and Object Lock. Requires Ops Manager " + version + " or later.",
		},
		{
			Field: tfmodel.TextField("object_retention_mode", func(s *opsmanager.BackupStore) **string { return &s.ObjectRetentionMode }).Absent(tfmodel.UnsetOnceReturned), fixed: true,
			validators:  []validator.String{attributes.NewValue(stringvalidator.OneOf("GOVERNANCE", "COMPLIANCE"))},
			description: "Retention of locked objects: `GOVERNANCE` or `COMPLIANCE`. Requires `object_lock_enabled`, `object_retention_days`, and Ops Manager " + retentionVersion + " or later.",
		},
		{
			Field: tfmodel.NumberField("object_retention_days", func(s *opsmanager.BackupStore) **int64 { return &s.ObjectRetentionDays }).Absent(tfmodel.UnsetOnceReturned), fixed: true,
			description: "Days to lock an object, `1` or more. May require `object_retention_mode`.",
		},
	}
}

const (
	authKeys = "KEYS"
	authRole = "IAM_ROLE"
)

var (
	databaseSecrets = []putresource.Secret[opsmanager.BackupStore]{
		{
			Attribute: "uri", At: func(s *opsmanager.BackupStore) **string { return &s.URI }, Required: func(opsmanager.BackupStore) bool { return true },
			Description: "Connection string of the database, such as `mongodb://user:password@db.example.com:27017`. Required to create or change a store.",
		},
		{
			Attribute: "oidc_client_secret", At: func(s *opsmanager.BackupStore) **string { return &s.OIDC.ClientSecret }, Required: needsClientSecret, IsKept: true,
			Description: "Client secret. Required to create a store with `callback`. Kept if unset.",
		},
	}
	bucketSecrets = append([]putresource.Secret[opsmanager.BackupStore]{
		{
			Attribute: "aws_access_key", At: func(s *opsmanager.BackupStore) **string { return &s.AWSAccessKey }, Required: needsKeys, Excluded: hasRole, Lacks: hasRole,
			Description: "Access key ID. Required to create or change a store with `s3_auth_method` `KEYS`.",
		},
		{
			Attribute: "aws_secret_key", At: func(s *opsmanager.BackupStore) **string { return &s.AWSSecretKey }, Required: needsKeys, Excluded: hasRole, Lacks: hasRole,
			Description: "Secret access key. Required to create or change a store with `s3_auth_method` `KEYS`.",
		},
	}, databaseSecrets...)
)

func hasRole(s opsmanager.BackupStore) bool { return tfmodel.Text(s.S3AuthMethod) == authRole }

func needsKeys(s opsmanager.BackupStore) bool { return !hasRole(s) }

func needsClientSecret(s opsmanager.BackupStore) bool {
	return s.OIDC.Enabled != nil && *s.OIDC.Enabled && tfmodel.Text(s.OIDC.Method) == "callback"
}

const (
	emptyStore   = "Ops Manager deletes the store only if no backup uses it and no snapshot is in it."
	unboundStore = "Ops Manager deletes the store only if no backup uses it."
)

var (
	blockstore = storeKind{
		api: opsmanager.Blockstore, name: "blockstore", title: "Blockstore", purpose: "for snapshots, in a MongoDB database", deletion: emptyStore,
		fields: slices.Concat([]storeField{assignmentEnabled, labels, loadFactor, maxCapacity}, database), secrets: databaseSecrets,
	}
	s3Blockstore = storeKind{
		api: opsmanager.S3Blockstore, name: "s3_blockstore", title: "S3 Blockstore", deletion: emptyStore,
		purpose: "for snapshots, in an S3 bucket with metadata in a MongoDB database",
		fields:  slices.Concat([]storeField{assignmentEnabled, labels, loadFactor}, database, bucket, objectLock("8.0.19", "8.0.27")), secrets: bucketSecrets, isS3: true,
	}
	fileSystemStore = storeKind{
		api: opsmanager.FileSystemStore, name: "file_system_store", title: "File System Store", purpose: "for snapshots, in a directory", deletion: emptyStore,
		fields: append([]storeField{assignmentEnabled, labels, loadFactor}, directory...),
	}
	oplogStore = storeKind{
		api: opsmanager.OplogStore, name: "oplog_store", title: "Oplog Store", purpose: "for oplogs, in a MongoDB database", deletion: unboundStore,
		fields: slices.Concat([]storeField{assignmentEnabled, labels, maxCapacity}, database), secrets: databaseSecrets,
	}
	s3OplogStore = storeKind{
		api: opsmanager.S3OplogStore, name: "s3_oplog_store", title: "S3 Oplog Store", deletion: unboundStore,
		purpose: "for oplogs, in an S3 bucket with metadata in a MongoDB database",
		fields:  slices.Concat([]storeField{assignmentEnabled, labels}, database, bucket, objectLock("8.0.28", "8.0.28")), secrets: bucketSecrets, isS3: true,
	}
	syncStore = storeKind{
		api: opsmanager.SyncStore, name: "sync_store", title: "Sync Store", purpose: "for initial syncs, in a MongoDB database", deletion: unboundStore,
		fields: slices.Concat([]storeField{assignmentEnabled, labels, maxCapacity}, database), secrets: databaseSecrets,
	}
	storeKinds = []*storeKind{&blockstore, &s3Blockstore, &fileSystemStore, &oplogStore, &s3OplogStore, &syncStore}
)

// attributesOf returns the attributes of the fields of a kind with a property.
func (k *storeKind) attributesOf(property func(storeField) bool) (found []string) {
	for _, f := range k.fields {
		if property(f) {
			found = append(found, f.Attribute)
		}
	}
	return found
}

// converted returns the fields of a kind, to convert and compare them.
func (k *storeKind) converted() (all tfmodel.Fields[opsmanager.BackupStore]) {
	for _, f := range k.fields {
		all = append(all, f.Field)
	}
	return all
}

// oidcText returns a part of OpenID Connect.
func oidcText(attribute string, at func(*opsmanager.BackupStore) **string, description string) storeField {
	return storeField{Field: tfmodel.TextField(attribute, at).Absent(tfmodel.UnsetOnceReturned), description: description}
}

// schema returns the attribute of a field.
func (f storeField) schema() schema.Attribute {
	description := f.description
	if f.required {
		description += " Required on creation."
	}
	description += attributes.Kept
	if f.fixed {
		description += " A change needs a new store."
	}
	switch f.Value(opsmanager.BackupStore{}).(type) {
	case types.Bool:
		return attributes.Bool(description)
	case types.Int64:
		return attributes.Number(description, attributes.NewValue(int64validator.AtLeast(1)))
	case types.Set:
		if f.Attribute == customCertificates {
			return schema.SetNestedAttribute{Optional: true, Computed: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"filename":    schema.StringAttribute{Required: true, Validators: []validator.String{secrets.NoContent}, MarkdownDescription: "Name of the certificate's file."},
				"cert_string": schema.StringAttribute{Required: true, Validators: []validator.String{secrets.NoKey}, MarkdownDescription: "Certificate in PEM format."},
			}}}
		}
		return attributes.Texts(description)
	}
	validators := f.validators
	if f.required {
		validators = append([]validator.String{attributes.NewValue(stringvalidator.LengthAtLeast(1))}, validators...)
	}
	return attributes.Text(description, validators...)
}

const customCertificates = "custom_certificates"

// certificateType is the type of an element of custom_certificates.
var certificateType = types.ObjectType{AttrTypes: map[string]attr.Type{"filename": types.StringType, "cert_string": types.StringType}}

// certificates are custom_certificates. A response lacks them if there are none, or if they are masked.
var certificates = tfmodel.SetField(customCertificates, func(s *opsmanager.BackupStore) **opsmanager.Replaced[opsmanager.Certificate] {
	return &s.CustomCertificates
}, certificateType,
	certificateFromAPI,
	func(value attr.Value) opsmanager.Certificate {
		object, _ := value.(types.Object)
		text := func(attribute string) string {
			return tfmodel.As[types.String](object.Attributes(), attribute).ValueString()
		}
		return opsmanager.Certificate{Filename: text("filename"), CertString: text("cert_string")}
	}).Absent(tfmodel.UnsetOnceReturned).OrMasked(func(s *opsmanager.BackupStore) bool { return s.MaskedCertificates != nil })

func certificateFromAPI(c opsmanager.Certificate) attr.Value {
	return types.ObjectValueMust(certificateType.AttrTypes, map[string]attr.Value{"filename": types.StringValue(c.Filename), "cert_string": types.StringValue(c.CertString)})
}

// certificateElements are the certificates of a store. A masked one has no text to compare.
var certificateElements = putresource.Elements[opsmanager.Certificate]{
	Value:   certificateFromAPI,
	Name:    func(c opsmanager.Certificate) string { return c.Filename },
	Unknown: func(c *opsmanager.Certificate) *opsmanager.UnknownFields { return &c.Unknown },
}

// hiddenCertificates are custom_certificates, which a response may have without their texts.
var hiddenCertificates = putresource.Hidden[opsmanager.BackupStore]{
	Attribute: customCertificates,
	Text: func(store opsmanager.BackupStore) string {
		var all []string
		for _, c := range certificatesOf(store) {
			text, _ := json.Marshal([]string{c.Filename, c.CertString}) // can't fail
			all = append(all, string(text))
		}
		return strings.Join(all, "")
	},
	CouldShow: func(shown, wanted opsmanager.BackupStore) bool {
		return slices.EqualFunc(certificatesOf(shown), certificatesOf(wanted), func(is, want opsmanager.Certificate) bool {
			return is.Filename == want.Filename && opsmanager.CouldShow(is.CertString, want.CertString)
		})
	},
	Describe: func(store opsmanager.BackupStore) string {
		var all []string
		for _, c := range certificatesOf(store) {
			seen := "masked"
			if store.MaskedCertificates == nil {
				seen = fmt.Sprintf("SHA-256 %x", sha256.Sum256([]byte(c.CertString)))[:24]
			}
			all = append(all, c.Filename+" ("+seen+")")
		}
		return strings.Join(all, ", ")
	},
}

// certificatesOf returns the certificates of a store in the same order each time.
func certificatesOf(store opsmanager.BackupStore) []opsmanager.Certificate {
	held := cmp.Or(store.MaskedCertificates, store.CustomCertificates)
	if held == nil {
		return nil
	}
	return slices.SortedFunc(slices.Values(*held), func(a, b opsmanager.Certificate) int {
		return cmp.Or(strings.Compare(a.Filename, b.Filename), strings.Compare(a.CertString, b.CertString))
	})
}
