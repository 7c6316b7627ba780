package infrastructure_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/certificates"
)

// storeKind is a kind of stores to test.
type storeKind struct {
	typeName   string
	kind       emulator.StoreKind
	attributes map[string]string // the attributes of its fields
	required   []string          // the attributes that creating a store requires
	fields     values            // all of them
	secrets    values
	existing   string // the ID of a store of the seed that may be deleted

	changes []values
	drifts  []object
}

var (
	anyStore    = map[string]string{"assignmentEnabled": "assignment_enabled", "labels": "labels"}
	mongoStore  = map[string]string{"ssl": "ssl", "encryptedCredentials": "encrypted_credentials", "writeConcern": "write_concern"}
	anyFields   = values{"assignment_enabled": true, "labels": []any{"east"}}
	mongoFields = values{"ssl": false, "encrypted_credentials": false, "write_concern": "MAJORITY"}
	mongoURI    = values{"uri": "mongodb://backup:c0rrect-horse@db.example.com:27017"}

	anyChanges   = []values{{"assignment_enabled": false}, {"labels": []any{"west"}}, {"on_destroy": "keep"}, {"deletion_protection": true}}
	mongoChanges = []values{{"uri": "mongodb://backup:other@db.example.com:27017"}, {"ssl": true}, {"encrypted_credentials": true}, {"write_concern": "W2"}}
	anyDrifts    = []object{{"assignmentEnabled": false}, {"labels": []any{"clicked"}}}
	mongoDrifts  = []object{{"ssl": true}, {"encryptedCredentials": true}, {"writeConcern": "JOURNALED"}}
)

var (
	loadFactor  = map[string]string{"loadFactor": "load_factor"}
	maxCapacity = map[string]string{"maxCapacityGB": "max_capacity_gb"}
	s3Store     = map[string]string{
		"s3BucketName": "s3_bucket_name", "s3BucketEndpoint": "s3_bucket_endpoint", "s3MaxConnections": "s3_max_connections",
		"pathStyleAccessEnabled": "path_style_access_enabled", "sseEnabled": "sse_enabled", "acceptedTos": "accepted_tos", "s3AuthMethod": "s3_auth_method",
		"s3RegionOverride": "s3_region_override", "disableProxyS3": "disable_proxy_s3",
	}
	fileSystemStore = map[string]string{
		"storePath": "store_path", "mmapv1CompressionSetting": "mmapv1_compression_setting",
		"wtCompressionSetting": "wt_compression_setting",
	}

	s3Fields = values{
		"s3_bucket_name": "bucket", "s3_bucket_endpoint": "https://s3.example.com", "s3_max_connections": 5, "path_style_access_enabled": true,
		"sse_enabled": false, "accepted_tos": true, "s3_auth_method": "KEYS", "s3_region_override": "eu-1", "disable_proxy_s3": false,
	}
	s3Secrets  = mongoURI.With(values{"aws_access_key": "AKIAC0RRECTHORSE0001", "aws_secret_key": "c0rrect-secret-key"})
	s3Required = []string{"s3_bucket_name", "s3_bucket_endpoint", "s3_max_connections", "path_style_access_enabled", "sse_enabled", "accepted_tos"}
	s3Changes  = []values{
		{"s3_bucket_endpoint": "https://other.example.com"}, {"s3_max_connections": 9}, {"path_style_access_enabled": false}, {"sse_enabled": true},
		{"s3_region_override": "eu-2"}, {"disable_proxy_s3": true}, {"aws_access_key": "AKIAC0RRECTHORSE0002"}, {"aws_secret_key": "c0rrect-other-key"},
	}
	s3Drifts = []object{
		{"s3BucketEndpoint": "https://clicked.example.com"}, {"s3MaxConnections": 7.0}, {"pathStyleAccessEnabled": false}, {"sseEnabled": true},
		{"s3RegionOverride": "clicked"}, {"disableProxyS3": true},
	}
)

var storeKinds = []storeKind{
	{
		typeName: providertest.BlockstoreType, kind: emulator.Blockstore, secrets: mongoURI, existing: "au-blockstore-1",
		attributes: union(anyStore, mongoStore, loadFactor, maxCapacity),
		fields:     anyFields.With(mongoFields, values{"load_factor": 2, "max_capacity_gb": 100}),
		changes:    slices.Concat([]values{{"load_factor": 3}, {"max_capacity_gb": 99}}, mongoChanges, anyChanges),
		drifts:     slices.Concat([]object{{"loadFactor": 7.0}, {"maxCapacityGB": 7.0}}, mongoDrifts, anyDrifts),
	},
	{
		typeName: providertest.S3BlockstoreType, kind: emulator.S3Blockstore, secrets: s3Secrets, required: s3Required, existing: "au-s3-1",
		attributes: union(anyStore, mongoStore, loadFactor, s3Store),
		fields:     anyFields.With(mongoFields, s3Fields, values{"load_factor": 2}),
		changes:    slices.Concat([]values{{"load_factor": 3}}, s3Changes, mongoChanges, anyChanges),
		drifts:     slices.Concat([]object{{"loadFactor": 7.0}}, s3Drifts, mongoDrifts, anyDrifts),
	},
	{
		typeName: providertest.FileSystemStoreType, kind: emulator.FileSystemStore, required: []string{"store_path"}, existing: "au-nfs-1",
		attributes: union(anyStore, loadFactor, fileSystemStore),
		fields: anyFields.With(values{
			"load_factor": 2, "store_path": "/mnt/new", "mmapv1_compression_setting": "NONE", "wt_compression_setting": "GZIP",
		}),
		changes: slices.Concat([]values{
			{"load_factor": 3}, {"store_path": "/mnt/other"}, {"mmapv1_compression_setting": "GZIP"}, {"wt_compression_setting": "NONE"},
		}, anyChanges),
		drifts: slices.Concat([]object{
			{"loadFactor": 7.0}, {"storePath": "/mnt/clicked"}, {"mmapv1CompressionSetting": "GZIP"}, {"wtCompressionSetting": "NONE"},
		}, anyDrifts),
	},
	{
		typeName: providertest.OplogStoreType, kind: emulator.OplogStore, secrets: mongoURI, existing: "au-oplog-1",
		attributes: union(anyStore, mongoStore, maxCapacity),
		fields:     anyFields.With(mongoFields, values{"max_capacity_gb": 100}),
		changes:    slices.Concat([]values{{"max_capacity_gb": 99}}, mongoChanges, anyChanges),
		drifts:     slices.Concat([]object{{"maxCapacityGB": 7.0}}, mongoDrifts, anyDrifts),
	},
	{
		typeName: providertest.S3OplogStoreType, kind: emulator.S3OplogStore, secrets: s3Secrets, required: s3Required, existing: "au-s3-oplog-1",
		attributes: union(anyStore, mongoStore, s3Store),
		fields:     anyFields.With(mongoFields, s3Fields),
		changes:    slices.Concat(s3Changes, mongoChanges, anyChanges),
		drifts:     slices.Concat(s3Drifts, mongoDrifts, anyDrifts),
	},
	{
		typeName: providertest.SyncStoreType, kind: emulator.SyncStore, secrets: mongoURI, existing: "ny-sync-1",
		attributes: union(anyStore, mongoStore, maxCapacity),
		fields:     anyFields.With(mongoFields, values{"max_capacity_gb": 100}),
		changes:    slices.Concat([]values{{"max_capacity_gb": 99}}, mongoChanges, anyChanges),
		drifts:     slices.Concat([]object{{"maxCapacityGB": 7.0}}, mongoDrifts, anyDrifts),
	},
}

func union(parts ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

func (k storeKind) resourceType() providertest.ResourceType {
	return providertest.ResourceType{
		TypeName: k.typeName,
		IDs:      []string{"id"},
		Unset:    []string{"labels"},
		ID: func(v values) string {
			id, _ := v["id"].(string)
			return id
		},
		Attributes: k.attributes,
		Settings:   append(slices.Collect(maps.Keys(k.secrets)), "deletion_protection", "on_destroy", "timeouts"),
		Secrets:    k.secrets,
		Creatable: func(config values, live object) bool {
			return live == nil && !slices.ContainsFunc(k.required, func(attribute string) bool { return config[attribute] == nil })
		},
		Deletes: func(state values) bool {
			return state["on_destroy"] != "keep" && state["deletion_protection"] != true
		},
		Protects: func(state values) bool { return state["deletion_protection"] == true },
		Objects:  []string{k.existing, "new", "elsewhere"},
		Foreign: map[string]object{
			"theirs":     {"assignmentEnabled": true, "labels": []any{"east"}, "newSetting": "theirs"},
			"new/theirs": {"assignmentEnabled": false, "labels": []any{}},
		},
		Object: func(s *providertest.Service, id string) object {
			return withSortedLabels(s.BackupStore(k.kind, id))
		},
		SetObject:    func(s *providertest.Service, id string, fields object) { s.SetBackupStore(k.kind, id, fields) },
		RemoveObject: func(s *providertest.Service, id string) { s.RemoveBackupStore(k.kind, id) },
	}
}

// withSortedLabels sorts the labels of a document, whose order means nothing.
func withSortedLabels(document object) object {
	if labels, ok := document["labels"].([]any); ok {
		slices.SortFunc(labels, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return document
}

// config returns the configuration of a store with all its fields.
func (k storeKind) config(id string, more ...values) values {
	return values{"id": id}.With(k.fields, k.secrets).With(more...)
}

// shortTimeouts end a destroy that Ops Manager refuses.
var shortTimeouts = values{"timeouts": values{"create": "2s", "update": "20s", "delete": "2s"}}

func storeRegistrations() []providertest.Registration {
	var all []providertest.Registration
	for _, k := range storeKinds {
		// The kinds share their code, so a sample of the cases has only one of them in full, or with
		// -short the one with the fewest fields.
		isSample := k.kind == emulator.Blockstore
		if testing.Short() {
			isSample = k.kind == emulator.FileSystemStore
		}
		isThorough := providertest.Sampled(1, 2) // unless it is a sample
		made := providertest.Registration{
			ResourceType: k.resourceType(),
			Name:         "a new " + k.typeName,
			Config:       k.config("new", shortTimeouts),
			Changes:      k.changes,
			Drifts:       k.drifts,
			Created:      true,
			// Otherwise, a destroy that fails may turn the assignment off.
			Options:    emulator.Options{Unknowns: emulator.Unknowns{DeletesAssignableStores: true}},
			Brief:      !isSample && !isThorough,
			Elsewhere:  values{"id": "elsewhere"},
			InvalidIDs: []string{""},
			MissingID:  "nowhere",
		}

		protected := made
		protected.Brief = true
		protected.Name = "a protected " + k.typeName
		protected.Config = k.config("new", shortTimeouts, values{"deletion_protection": true})
		protected.Changes = slices.Clone(k.changes)
		protected.Changes[len(protected.Changes)-1] = values{"deletion_protection": false}
		all = append(all, made)
		if !made.Brief {
			all = append(all, protected)
		}
	}
	return all
}

var authorities sync.Map // certificates in PEM, by the name of their authority

// pemOf returns the certificate of an authority in PEM. It is the same each time.
func pemOf(name string) string {
	authority, err := certificates.NewAuthority(name)
	if err != nil {
		panic(err)
	}
	text, _ := authorities.LoadOrStore(name, string(certificates.EncodeCertificate(authority.Certificate)))
	return text.(string) //nolint:forcetypeassert // nothing else is in it
}

// withCertificates returns a registration whose configuration may have custom_certificates.
func withCertificates(r providertest.Registration) providertest.Registration {
	r.Attributes = union(r.Attributes, map[string]string{"customCertificates": "custom_certificates"})
	r.Fields = func(v values) object {
		found := object{}
		for field, attribute := range r.Attributes {
			if v[attribute] != nil {
				found[field] = v[attribute]
			}
		}
		if list, ok := v["custom_certificates"].([]any); ok {
			held := []any{}
			for _, element := range list {
				one := element.(values) //nolint:forcetypeassert // the schema has the type
				held = append(held, object{"filename": one["filename"], "certString": one["cert_string"]})
			}
			found["customCertificates"] = held
		}
		return providertest.SortedLists(found)
	}
	return r
}

func TestElementsOfAListOfAStoreKeepWhatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	all := storeRegistrations()
	r := all[slices.IndexFunc(all, func(r providertest.Registration) bool {
		return r.TypeName == providertest.S3BlockstoreType && r.Created
	})]
	r = withCertificates(r)
	providertest.CheckElements(t, r, providertest.Elements{
		Attribute: "custom_certificates", Field: "customCertificates",
		First: certificate("a.pem", "A"), Second: certificate("b.pem", "B"), Third: certificate("c.pem", "C"), Changed: certificate("a.pem", "D"),
	})
}
