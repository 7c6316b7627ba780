package stores_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

const (
	masking  = "9.0.0"  // masks secrets
	readable = "8.0.25" // the newest version that returns secrets in clear
	password = "c0rrect-horse"
)

var both = []string{readable, masking}

// s3Config returns the configuration of an S3 blockstore.
func s3Config(more ...providertest.Values) providertest.Values {
	return storeKinds[1].config("new", more...)
}

// impatient are timeouts for tests in which Ops Manager never lets a request succeed.
var impatient = providertest.Values{"timeouts": providertest.Values{"create": "2s", "update": "20s", "delete": "2s"}}

// writeOnly returns a configuration with its secrets in write-only attributes of a version.
func writeOnly(config providertest.Values, version int) providertest.Values {
	changed := providertest.With(config)
	for attribute := range s3Secrets {
		if changed[attribute] != nil {
			changed[attribute+"_wo"], changed[attribute+"_wo_version"], changed[attribute] = changed[attribute], version, nil
		}
	}
	return changed
}

func TestEveryUpdateSendsEverySecret(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		for name, config := range map[string]providertest.Values{"in the state": s3Config(), "write-only": writeOnly(s3Config(), 1)} {
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
			r.MustApply(config)
			r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
			for _, method := range []string{"POST", "PUT"} {
				sent := providertest.LastSent(t, s, method)
				for field, attribute := range map[string]string{"uri": "uri", "awsAccessKey": "aws_access_key", "awsSecretKey": "aws_secret_key"} {
					if sent[field] != s3Secrets[attribute] {
						t.Errorf("%s: %s sends %s %v, want %v", name, method, field, sent[field], s3Secrets[attribute])
					}
				}
			}
			if state := fmt.Sprint(r.Attributes()); name == "write-only" && strings.Contains(strings.ToLower(state), "c0rrect") {
				t.Errorf("a write-only secret is in the state: %s", state)
			}
			if private := string(r.Private); strings.Contains(private, "c0rrect") {
				t.Errorf("a secret is in the private state: %s", private)
			}
		}
	})
}

func TestWriteOnlySecretIsRotatedByItsVersion(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		config := writeOnly(s3Config(), 1)
		r.MustApply(config)

		config["aws_secret_key_wo"] = "c0rrect-new-key"
		providertest.WantEmptyPlan(t, r.Plan(config)) // Terraform can't see the change
		config["aws_secret_key_wo_version"] = 2
		r.MustApply(config)
		if held := s.BackupStore(emulator.S3Blockstore, "new"); held["awsSecretKey"] != "c0rrect-new-key" || held["uri"] != mongoURI["uri"] {
			t.Errorf("held %v", held)
		}
	})
}

func TestSecretThatWasChangedElsewhereIsSetAgain(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		for name, config := range map[string]providertest.Values{"in the state": s3Config(), "write-only": writeOnly(s3Config(), 1)} {
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
			r.MustApply(config)
			s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{
				"uri": "mongodb://clicked:clicked-password@clicked.example.com:27017", "awsAccessKey": "AKIACLICKED000009999",
			})
			r.MustRefresh()
			if state := fmt.Sprint(r.Attributes(), string(r.Private)); strings.Contains(strings.ToLower(state), "clicked") {
				t.Errorf("%s: a secret that was read is stored: %s", name, state)
			}
			changed := r.Plan(config).Changes()
			want := []string{"aws_access_key", "uri"}
			if name == "write-only" {
				want = []string{"aws_access_key_wo_version", "uri_wo_version"}
			}
			if !reflect.DeepEqual(changed, want) {
				t.Errorf("%s: the plan changes %q, want %q", name, changed, want)
			}
			r.MustApply(config)
			if held := s.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != mongoURI["uri"] || held["awsAccessKey"] != s3Secrets["aws_access_key"] {
				t.Errorf("%s: held %v", name, held)
			}
		}
	})
}

func TestIgnoredSecretKeepsWhatWasChangedElsewhere(t *testing.T) {
	t.Parallel()
	const clicked = "mongodb://clicked:clicked-password@clicked.example.com:27017"
	for name, config := range map[string]providertest.Values{"in the state": s3Config(), "write-only": writeOnly(s3Config(), 1)} {
		for _, version := range []string{readable, masking} {
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
			r.MustApply(config)
			r.IgnoreChanges = []string{"uri", "uri_wo", "uri_wo_version"}
			s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"uri": clicked})
			r.MustBeSettled(config)
			diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"load_factor": 9})), nil)
			providertest.WantOne(t, diags.Errors(), "[id]", "Unknown Secret", "uri", "Nothing was changed") // it may have a mask
			if held := s.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != clicked {
				t.Errorf("%s on %s: held %v", name, version, held)
			}
		}
	}
}

func TestImportedStoreGetsItsSecretsWithTheFirstApply(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		if errors := r.ImportID("ny-s3-1").Errors(); len(errors) > 0 {
			t.Fatal(errors)
		}
		if state := fmt.Sprint(r.Attributes()); strings.Contains(state, "password") || strings.Contains(state, "AKIA") {
			t.Errorf("a secret that was read is stored: %s", state)
		}
		before := s.BackupStore(emulator.S3Blockstore, "ny-s3-1")
		config := providertest.With(s3Secrets, providertest.Values{"id": "ny-s3-1"})
		r.MustApply(config)
		after := s.BackupStore(emulator.S3Blockstore, "ny-s3-1")
		for field, value := range before {
			switch field {
			case "uri", "awsAccessKey", "awsSecretKey", "usedSize", "labels":
			default:
				if !reflect.DeepEqual(after[field], value) {
					t.Errorf("%s was %v and is %v", field, value, after[field])
				}
			}
		}
		if after["uri"] != mongoURI["uri"] || after["awsSecretKey"] != s3Secrets["aws_secret_key"] {
			t.Errorf("held %v", after)
		}
	})
}

// changedElsewhere are values of all fields that the tests don't configure.
var changedElsewhere = map[string]any{
	"assignmentEnabled": false, "labels": []any{"clicked"}, "loadFactor": 7.0, "maxCapacityGB": 7.0,
	"ssl": true, "encryptedCredentials": true, "writeConcern": "JOURNALED",
	"s3BucketEndpoint": "https://clicked.example.com", "s3MaxConnections": 7.0, "pathStyleAccessEnabled": false, "sseEnabled": true,
	"s3RegionOverride": "clicked", "disableProxyS3": true,
	"storePath": "/mnt/clicked", "mmapv1CompressionSetting": "GZIP", "wtCompressionSetting": "NONE",
}

// changedWhole are the other fields of kinds with secrets and with buckets.
var (
	changedOIDC   = map[string]any{"enabled": true, "method": "callback", "tokenUri": "https://clicked", "clientId": "clicked", "clientSecret": "hush", "scope": "clicked"}
	changedBucket = map[string]any{
		"s3BucketName": "bucket", "acceptedTos": true, "s3AuthMethod": "KEYS", "objectLockEnabled": true, "objectRetentionMode": "GOVERNANCE", "objectRetentionDays": 7.0,
		"customCertificates": []any{map[string]any{"filename": "ca.pem", "certString": pemOf("A")}},
	}
)

// changeElsewhere gives every field of a store a value that the tests don't configure.
func (k storeKind) changeElsewhere(s *providertest.Service) {
	for field := range k.attributes {
		if value, ok := changedElsewhere[field]; ok {
			s.SetBackupStore(k.kind, "new", map[string]any{field: value})
		}
	}
	if k.secrets["uri"] != nil {
		s.SetBackupStore(k.kind, "new", map[string]any{"uri": "mongodb://clicked.example.com", "oidc": changedOIDC})
	}
	if k.secrets["aws_access_key"] != nil {
		s.SetBackupStore(k.kind, "new", changedBucket)
		s.SetBackupStore(k.kind, "new", map[string]any{"awsAccessKey": "AKIA", "awsSecretKey": "hush"})
	}
}

// wantKept checks that fields of the service did not change, apart from some and the
// secrets.
func wantKept(t *testing.T, before, after map[string]any, apart ...string) {
	t.Helper()
	for field, value := range before {
		switch {
		case slices.Contains(apart, field), slices.Contains([]string{"uri", "awsAccessKey", "awsSecretKey"}, field):
		case fmt.Sprint(after[field]) != fmt.Sprint(value):
			t.Errorf("%s was %v and is %v", field, value, after[field])
		}
	}
}

func TestUpdateOfOneFieldKeepsTheOthers(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		t.Run(k.typeName, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, k.typeName, emulator.Options{})
			k.changeElsewhere(s)
			if errors := r.ImportID("new").Errors(); len(errors) > 0 {
				t.Fatal(errors)
			}
			config := providertest.With(providertest.Values{"id": "new"}, k.secrets)
			for field, attribute := range k.attributes {
				if changedElsewhere[field] == nil {
					continue // it can't be changed
				}
				before := s.BackupStore(k.kind, "new")
				config[attribute] = k.fields[attribute]
				r.MustApply(config)
				after := s.BackupStore(k.kind, "new")
				wantKept(t, before, after, field)
				if fmt.Sprint(after[field]) != fmt.Sprint(config[attribute]) {
					t.Errorf("%s is %v, configured %v", field, after[field], config[attribute])
				}
			}
			if sent := fmt.Sprint(s.Sent("PUT", "")); strings.Contains(sent, "REDACTED") || strings.Contains(sent, "***") {
				t.Errorf("a mask was sent: %s", sent)
			}
		})
	}
}

func TestFieldSurvivesEveryUpdateOfAnother(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		t.Run(k.typeName, func(t *testing.T) {
			t.Parallel()
			config := k.config("new")
			clicked := map[string]any{}
			maps.Copy(clicked, changedElsewhere)
			if k.secrets["uri"] != nil {
				config["oidc"], clicked["oidc"] = providertest.Values{"enabled": true, "method": "k8s"}, changedOIDC
			}
			if k.secrets["aws_access_key"] != nil {
				config["custom_certificates"] = []any{providertest.Values{"filename": "one.pem", "cert_string": pemOf("A")}}
				clicked["customCertificates"] = changedBucket["customCertificates"]
			}
			attributes := union(k.attributes, map[string]string{"oidc": "oidc", "customCertificates": "custom_certificates"})
			for i, field := range slices.Sorted(maps.Keys(clicked)) {
				value := clicked[field]
				switch {
				case attributes[field] == "" || config[attributes[field]] == nil: // of another kind
					continue
				case k.kind == emulator.S3Blockstore && !providertest.Sampled(i, 1), k.kind != emulator.S3Blockstore && !providertest.Sampled(i, 4):
					continue
				}
				t.Run("ignored "+field, func(t *testing.T) {
					t.Parallel()
					wantKeptField(t, k, config, field, value, attributes[field])
				})
				t.Run(field+" after the plan", func(t *testing.T) {
					t.Parallel()
					wantKeptField(t, k, config, field, value)
				})
			}
		})
	}
}

// wantKeptField applies a configuration, changes a field outside Terraform, and checks that an
// update of another field keeps the change: because of ignore_changes, or because the change
// was made after the plan.
func wantKeptField(t *testing.T, k storeKind, config providertest.Values, field string, value any, ignored ...string) {
	t.Helper()
	s, r := providertest.StartResource(t, k.typeName, emulator.Options{})
	r.MustApply(config)
	other, changed := "labels", any([]any{"other"})
	if field == other {
		other, changed = "assignment_enabled", false
	}
	otherField := map[string]string{"labels": "labels", "assignment_enabled": "assignmentEnabled"}[other]
	config = providertest.With(config, providertest.Values{other: changed})
	r.IgnoreChanges = ignored
	p := r.Plan(config)
	s.SetBackupStore(k.kind, "new", map[string]any{field: value})
	before := s.BackupStore(k.kind, "new")
	if len(ignored) > 0 {
		r.MustRefresh()
		p = r.Plan(config)
	}
	if errors := r.Apply(p, nil).Errors(); len(errors) > 0 {
		t.Fatal(errors)
	}
	after := s.BackupStore(k.kind, "new")
	wantKept(t, before, after, otherField)
	if fmt.Sprint(after[otherField]) != fmt.Sprint(changed) {
		t.Errorf("%s is %v, configured %v", otherField, after[otherField], changed)
	}
}

func TestOIDCIsSetChangedAndRemoved(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"8.0.26", "8.0.27"} {
		s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{ServiceVersion: version})
		oidc := providertest.Values{"enabled": true, "method": "callback", "token_uri": "https://t.example.com", "client_id": "c", "client_secret": "c0rrect-secret"}
		config := storeKinds[0].config("new", providertest.Values{"oidc": oidc})
		r.MustApply(config)
		held := func() map[string]any {
			found, _ := s.BackupStore(emulator.Blockstore, "new")["oidc"].(map[string]any)
			return found
		}
		if held()["clientSecret"] != "c0rrect-secret" || held()["tokenUri"] != "https://t.example.com" {
			t.Errorf("held %v", held())
		}
		r.MustApply(providertest.With(config, providertest.Values{"load_factor": 5}))
		if held()["clientSecret"] != "c0rrect-secret" {
			t.Errorf("held %v", held())
		}
		config["oidc"] = providertest.With(oidc, providertest.Values{"client_id": "d"})
		r.MustApply(config)
		if held()["clientId"] != "d" || held()["clientSecret"] != "c0rrect-secret" {
			t.Errorf("held %v", held())
		}
		config["oidc"] = nil
		r.MustApply(config)
		if held() != nil {
			t.Errorf("held %v", held())
		}
	}
}

func TestCustomCertificatesAreSetAndKept(t *testing.T) {
	t.Parallel()
	for _, redacts := range []bool{false, true} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: redacts}})
		config := s3Config(providertest.Values{"custom_certificates": []any{
			providertest.Values{"filename": "b.pem", "cert_string": pemOf("B")}, providertest.Values{"filename": "a.pem", "cert_string": pemOf("A")},
		}})
		r.MustApply(config)
		r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
		if held := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(held, pemOf("A")) || !strings.Contains(held, pemOf("B")) {
			t.Errorf("held %s", held)
		}
		s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"customCertificates": []any{map[string]any{"filename": "c.pem", "certString": pemOf("C")}}})
		r.MustRefresh()
		r.MustApply(config)
		if held := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); strings.Contains(held, pemOf("C")) {
			t.Errorf("held %s", held)
		}
	}
}

func TestUnreadableCertificatesAreNotLost(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
	config := s3Config()
	r.MustApply(config)
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"customCertificates": []any{map[string]any{"filename": "c.pem", "certString": pemOf("C")}}})
	r.MustRefresh()
	diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"load_factor": 9})), nil)
	providertest.WantOne(t, diags.Errors(), "[custom_certificates]", "Nothing was changed")
	if held := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(held, pemOf("C")) {
		t.Errorf("held %s", held)
	}
}

func TestInvalidStoresAreErrorsOfThePlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		more  providertest.Values
		words []string
	}{
		"both a secret and its twin":      {providertest.Values{"uri_wo": "mongodb://x", "uri_wo_version": 1}, []string{"[uri_wo_version]", "either uri or uri_wo"}},
		"a write-only secret, no version": {providertest.Values{"uri": nil, "uri_wo": "mongodb://x"}, []string{"[uri_wo_version]", "Secret Without a Version"}},
		"a version without a secret":      {providertest.Values{"uri_wo_version": 1}, []string{"[uri_wo_version]", "uri_wo"}},
		"no connection string":            {providertest.Values{"uri": nil}, []string{"[uri]", "uri_wo"}},
		"no key":                          {providertest.Values{"aws_secret_key": nil}, []string{"[aws_secret_key]", "IAM_ROLE"}},
		"a key with a role":               {providertest.Values{"s3_auth_method": "IAM_ROLE", "aws_secret_key": nil}, []string{"[s3_auth_method]", "aws_access_key", "IAM_ROLE"}},
		"terms that are not accepted":     {providertest.Values{"accepted_tos": false}, []string{"[accepted_tos]", "accepted_tos = true"}},
		"a mode without days":             {providertest.Values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE"}, []string{"[object_retention_days]"}},
		"days without a mode":             {providertest.Values{"object_lock_enabled": true, "object_retention_days": 7}, []string{"[object_retention_mode]"}},
		"a retention without a lock":      {providertest.Values{"object_retention_mode": "GOVERNANCE", "object_retention_days": 7}, []string{"[object_lock_enabled]"}},
		"an unknown mode":                 {providertest.Values{"object_lock_enabled": true, "object_retention_mode": "NEVER", "object_retention_days": 7}, []string{"[object_retention_mode]"}},
		"an empty ID":                     {providertest.Values{"id": ""}, []string{"[id]"}},
		"an ID that changes the path":     {providertest.Values{"id": "a/../b"}, []string{"[id]"}},
		"no endpoint":                     {providertest.Values{"s3_bucket_endpoint": ""}, []string{"[s3_bucket_endpoint]", "at least 1"}},
		"oidc without its secret": {
			providertest.Values{"oidc": providertest.Values{"enabled": true, "method": "callback", "token_uri": "https://t.example.com", "client_id": "c"}},
			[]string{"[oidc]", "client_secret or client_secret_wo"},
		},
		"a load factor of 0": {providertest.Values{"load_factor": 0}, []string{"[load_factor]"}},
		"an empty label":     {providertest.Values{"labels": []any{""}}, []string{"labels"}},
		"a missing bucket":   {providertest.Values{"s3_bucket_name": nil}, []string{"[s3_bucket_name]", "Creating a store requires it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
			providertest.WantOne(t, r.Plan(s3Config(test.more)).Errors(), test.words...)
			providertest.WantWrites(t, s)
		})
	}
}

func TestIAMRoleNeedsNoKeys(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
	r.MustApply(s3Config(providertest.Values{"s3_auth_method": "IAM_ROLE", "aws_access_key": nil, "aws_secret_key": nil}))
	if sent := providertest.LastSent(t, s, "POST"); sent["awsAccessKey"] != nil || sent["awsSecretKey"] != nil {
		t.Errorf("sent %v", sent)
	}
}

func TestKeysAreNotRequiredWhenARoleReplacesThem(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		for _, config := range []providertest.Values{s3Config(), writeOnly(s3Config(), 1)} {
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
			r.MustApply(config)
			r.MustApply(providertest.With(providertest.Values{"s3_auth_method": "IAM_ROLE"}, withoutKeys(config)))
			if sent := fmt.Sprint(providertest.LastSent(t, s, "PUT")); strings.Contains(sent, "***") {
				t.Errorf("sent a mask in %s", sent)
			}
			r.MustApply(config)
		}
	})
}

// withoutKeys returns a configuration without the keys for the bucket and the way to
// authenticate.
func withoutKeys(config providertest.Values) providertest.Values {
	changed := maps.Clone(config)
	maps.DeleteFunc(changed, func(attribute string, _ any) bool {
		return strings.HasPrefix(attribute, "aws_") || attribute == "s3_auth_method"
	})
	return changed
}

func TestSecretThatIsNotReturnedIsNotErased(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: readable, Unknowns: emulator.Unknowns{OmitsSecretKey: true}})
	config := writeOnly(s3Config(), 1)
	r.MustApply(config)
	r.IgnoreChanges = []string{"aws_secret_key_wo", "aws_secret_key_wo_version"}
	config["aws_secret_key_wo"], config["aws_secret_key_wo_version"] = "c0rrect-ignored-key", 2
	diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"load_factor": 9})), nil)
	providertest.WantOne(t, diags.Errors(), "[id]", "Unknown Secret", "aws_secret_key")
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["awsSecretKey"] != s3Secrets["aws_secret_key"] {
		t.Errorf("held %v", held)
	}
}

func TestObjectLockIsSentOnlyIfConfiguredAndNeverChanged(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: "8.0.18"})
	r.MustApply(s3Config())
	if sent := providertest.LastSent(t, s, "POST"); sent["objectLockEnabled"] != nil {
		t.Errorf("sent %v", sent)
	}

	s, r = providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
	r.MustApply(s3Config())
	r.MustApply(s3Config(providertest.Values{"load_factor": 9}))
	if sent := providertest.LastSent(t, s, "PUT"); sent["objectLockEnabled"] != nil {
		t.Errorf("sent %v", sent)
	}

	s, r = providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
	locked := s3Config(providertest.Values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE", "object_retention_days": 7})
	r.MustApply(locked)
	longer := providertest.With(locked, providertest.Values{"object_retention_days": 8})
	providertest.WantOne(t, r.Plan(longer).Errors(), "[object_retention_days]", "Unable to Change S3 Blockstore", "is 7", "a new id")
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["objectRetentionDays"] != float64(7) {
		t.Errorf("held %v", held)
	}
}

func TestUpdateDoesNotLockAStoreThatWasCreatedAgainWithoutALock(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
	r.MustApply(s3Config(providertest.Values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE", "object_retention_days": 7}))
	unlocked := s.BackupStore(emulator.S3Blockstore, "new")
	maps.DeleteFunc(unlocked, func(field string, _ any) bool { return strings.HasPrefix(field, "object") })
	s.RemoveBackupStore(emulator.S3Blockstore, "new")
	s.SetBackupStore(emulator.S3Blockstore, "new", unlocked)
	r.MustRefresh()
	r.MustApply(s3Config(providertest.Values{"load_factor": 9}))
}

func TestFailedProbesAreRepeatedAndThenReported(t *testing.T) {
	t.Parallel()
	for _, dashed := range []bool{false, true} {
		s := providertest.StartService(t, emulator.Options{Unknowns: emulator.Unknowns{DashedProbeCode: dashed}})
		r := providertest.NewWorkspace(t, s, providertest.Values{"max_retries": 3}).NewResource(providertest.S3BlockstoreType)
		s.FailProbes(2)
		r.MustApply(s3Config())
		s.FailProbes(-1)
		config := s3Config(providertest.Values{"load_factor": 9})
		diags := r.Apply(r.Plan(config), nil)
		providertest.WantOne(t, diags.Errors(), "[s3_bucket_name]", "Validation of the bucket", "delete after put", "must permit")
		s.FailProbes(0)
		r.MustApply(config)
	}
}

func TestExistingStoreIsAnErrorWithAnImportBlock(t *testing.T) {
	t.Parallel()
	for _, overwrites := range []bool{false, true} {
		s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RefusesExistingStore: !overwrites}})
		config := storeKinds[0].config("ny-blockstore-1")
		providertest.WantOne(t, r.Plan(config).Errors(), "[id]", "Already Exists", "import {", `id = "ny-blockstore-1"`, "to = opsmanager_blockstore.", "adopt_existing")
		p := r.Plan(storeKinds[0].config("late"))
		s.SetBackupStore(emulator.Blockstore, "late", map[string]any{"uri": "mongodb://clicked.example.com"})
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "[id]", "Already Exists", "import {")
		providertest.WantNoState(t, r)
		providertest.WantWrites(t, s)
	}
}

func TestAssignableS3BlockstoreIsDeleted(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		r.MustApply(s3Config())
		s.ResetRequests()
		if errors := r.Destroy().Errors(); len(errors) > 0 {
			t.Fatal(errors)
		}
		const one = " /admin/backup/snapshot/s3Configs/new"
		providertest.WantWrites(t, s, "DELETE"+one, "PUT"+one, "DELETE"+one)
		if sent := providertest.LastSent(t, s, "PUT"); sent["assignmentEnabled"] != false || sent["uri"] != mongoURI["uri"] || sent["awsSecretKey"] != s3Secrets["aws_secret_key"] {
			t.Errorf("sent %v", sent)
		}
	})
}

func TestStoreInUseIsNotDeletedAndStaysAssignable(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		t.Run(k.typeName, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, k.typeName, emulator.Options{})
			config := k.config("new", providertest.Values{"timeouts": providertest.Values{"delete": "2s"}})
			r.MustApply(config)
			s.UseBackupStore(k.kind, "new", "project Payments")
			diags := r.Destroy()
			providertest.WantOne(t, diags.Errors(), "project Payments", "Terminate the backups")
			if held := s.BackupStore(k.kind, "new"); held["assignmentEnabled"] != true {
				t.Errorf("the store is left with %v", held)
			}
			r.MustBeSettled(config)
			s.UseBackupStore(k.kind, "new")
			if errors := r.Destroy().Errors(); len(errors) > 0 {
				t.Fatal(errors)
			}
		})
	}
}

func TestUnassignableStoreNeedsKnownSecretsToBeDeleted(t *testing.T) {
	t.Parallel()
	timeouts := providertest.Values{"timeouts": providertest.Values{"delete": "2s"}}
	for version, deletes := range map[string]bool{readable: true, masking: false} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		r.MustApply(writeOnly(s3Config(timeouts), 1))
		p := r.Plan(nil)
		if warns := strings.Contains(fmt.Sprint(p.Warnings()), "Deletion of S3 Blockstore new May Be Refused"); warns == deletes {
			t.Errorf("%s: the plan warns %q", version, p.Warnings())
		}
		diags := r.Apply(p, nil)
		if deletes {
			if len(diags.Errors()) > 0 || s.BackupStore(emulator.S3Blockstore, "new") != nil {
				t.Errorf("%s: %q", version, diags.Errors())
			}
			continue
		}
		providertest.WantOne(t, diags.Errors(), "assignment_enabled = false")
		if text := diags.Errors()[0]; strings.Index(text, "assignment_enabled = false") > strings.Index(text, "Terminate the backups") {
			t.Errorf("the advice that helps is not the first: %s", text)
		}
		r.MustApply(writeOnly(s3Config(timeouts, providertest.Values{"assignment_enabled": false}), 1))
		if warned := r.Plan(nil).Warnings(); len(warned) != 1 {
			t.Errorf("the plan warns %q", warned)
		}
		if errors := r.Destroy().Errors(); len(errors) > 0 {
			t.Error(errors)
		}
	}
}

func TestMaskOfAnyFormIsNeverSent(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"", "<hidden>", "redacted", "xxxxxxxx", "(secret)", "hidden:5f2a", "-"} {
		t.Run(mask, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: masking, Unknowns: emulator.Unknowns{SecretMask: mask}})
			r.MustApply(writeOnly(s3Config(impatient), 1))
			providertest.WantOne(t, r.Destroy().Errors(), "assignment_enabled = false")

			r.IgnoreChanges = []string{"uri", "uri_wo", "uri_wo_version"}
			r.MustRefresh()
			changed := writeOnly(s3Config(impatient, providertest.Values{"load_factor": 9}), 1)
			changed["uri_wo"], changed["uri_wo_version"] = "mongodb://ignored", 2
			providertest.WantOne(t, r.Apply(r.Plan(changed), nil).Errors(), "[id]", "Unknown Secret", "uri")
			if held := s.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != mongoURI["uri"] || held["awsSecretKey"] != s3Secrets["aws_secret_key"] {
				t.Errorf("held %v", held)
			}
		})
	}
}

func TestSlowCleanUpIsWaitedForInADestroy(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.S3BlockstoreType)
	r.MustApply(s3Config())
	s.Inject(emulator.Fault{
		Method: "DELETE", Skip: 1, Times: 2, Status: 409,
		Header: map[string][]string{"Content-Type": {"application/json"}},
		Body:   `{"error":409,"errorCode":"BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG","detail":"in use","reason":"Conflict"}`,
	})
	if errors := r.Destroy().Errors(); len(errors) > 0 {
		t.Fatal(errors)
	}
	if s.BackupStore(emulator.S3Blockstore, "new") != nil {
		t.Error("the store exists")
	}
}

func TestFailedDeletionLeavesTheStoreAssignable(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
	r.MustApply(s3Config())
	s.Inject(emulator.Fault{Method: "DELETE", Skip: 1, Times: -1, Status: 500})
	providertest.WantOne(t, r.Destroy().Errors(), "Unable to Delete S3 Blockstore", "500", "assignment_enabled to false for the deletion, and to true again")
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["assignmentEnabled"] != true {
		t.Errorf("the store is left with %v", held)
	}
}

func TestFailedDeletionKeepsWhatOthersChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{"": {}, "stale reads": {StaleReads: 2}, "stale reads and responses": {StaleReads: 2, StaleResponses: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, r := startChangedMeanwhile(t, options, map[string]any{"loadFactor": 7.0, "labels": []any{"west"}, "newSetting": "x"})
			providertest.WantOne(t, r.Destroy().Errors(), "and to true again")
			held := proxy.BackupStore(emulator.S3Blockstore, "new")
			if held["assignmentEnabled"] != true || held["loadFactor"] != 7.0 || fmt.Sprint(held["labels"]) != "[west]" || held["newSetting"] != "x" {
				t.Errorf("holds %v", held)
			}
		})
	}
}

func TestFailedDeletionKeepsASecretThatOthersChangedMeanwhile(t *testing.T) {
	t.Parallel()
	const theirs = "mongodb://them:c0rrect-theirs@theirs.example.com:27017"
	proxy, r := startChangedMeanwhile(t, emulator.Options{}, map[string]any{"uri": theirs})
	providertest.WantOne(t, r.Destroy().Errors(), "could not set it to true again", "uri was changed meanwhile")
	if held := proxy.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != theirs {
		t.Errorf("holds %v", held)
	}
}

// startChangedMeanwhile starts a service with a store that is in use, and that someone else changes
// while its deletion is refused.
func startChangedMeanwhile(t *testing.T, options emulator.Options, change map[string]any) (*providertest.FaultProxy, *providertest.Resource) {
	t.Helper()
	proxy := providertest.StartFaultProxy(t, options)
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
	r.MustApply(s3Config(impatient))
	proxy.UseBackupStore(emulator.S3Blockstore, "new", "project Payments")
	var isChanged atomic.Bool
	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		service.ServeHTTP(w, request)
		if request.Method == http.MethodPut && !isChanged.Swap(true) { // the assignment is off
			proxy.SetBackupStore(emulator.S3Blockstore, "new", change)
		}
	})
	return proxy, r
}

func TestFailedDeletionKeepsWhatOpsManagerRejects(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: true}})
	r.MustApply(s3Config(impatient))
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"newSetting": "x"})
	s.UseBackupStore(emulator.S3Blockstore, "new", "project Payments")
	before := s.BackupStore(emulator.S3Blockstore, "new")
	providertest.WantOne(t, r.Destroy().Errors(), "assignment_enabled = false and apply", "newSetting")
	after := s.BackupStore(emulator.S3Blockstore, "new")
	wantKept(t, before, after, "usedSize")
}

func TestAssignableStoreSurvivesEveryFaultOfItsDeletion(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"dropped before": {DropBefore: true}, "dropped after": {DropAfter: true}, "cut off": {Truncate: 20}, "500": {Status: 500}, "503": {Status: 503},
	} {
		for _, method := range []string{"GET", "DELETE", "PUT"} {
			for skip := range 2 {
				t.Run(fmt.Sprint(method, skip, " ", name), func(t *testing.T) {
					t.Parallel()
					s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
					r.MustApply(s3Config())
					hit := fault
					hit.Method, hit.Skip = method, skip
					p := r.Plan(nil)
					s.Inject(hit)
					r.Configure()
					diags := r.Apply(p, nil)
					s.ClearFaults()
					held := s.BackupStore(emulator.S3Blockstore, "new")
					switch errors := diags.Errors(); {
					case len(errors) == 0 && held != nil, len(errors) > 0 && r.State.IsNull():
						t.Fatalf("held %v, state %v, errors %q", held, r.Attributes(), errors)
					case held != nil && held["assignmentEnabled"] != true && !strings.Contains(errors[0], "could not set it to true again"):
						t.Errorf("the store is left with %v: %q", held, errors)
					}
					r.MustRefresh()
					if r.State.IsNull() {
						return
					}
					if errors := r.Destroy().Errors(); len(errors) > 0 || s.BackupStore(emulator.S3Blockstore, "new") != nil {
						t.Errorf("the next destroy: %q", errors)
					}
				})
			}
		}
	}
}

func TestStoreWithoutAKnownAssignmentIsNotChanged(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 200, Body: `{"id":"au-blockstore-1","labels":[]}`})
	p := r.Plan(storeKinds[0].config("au-blockstore-1", providertest.Values{"adopt_existing": true, "assignment_enabled": nil}))
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "[assignment_enabled]", "Nothing was changed")
	providertest.WantWrites(t, s)
}

func TestStoresConvergeWithEveryUnknownFact(t *testing.T) {
	t.Parallel()
	for i, unknowns := range []emulator.Unknowns{
		{PostReturns201: true}, {AssignsByDefault: true}, {IgnoresMaskedSecrets: true}, {OmitsSecretKey: true}, {RedactsCertificates: true},
		{KeepsAssignableStores: true}, {DeletesAssignableStores: true},
	} {
		k, version := storeKinds[(i+4)%len(storeKinds)], []string{"4.4.0", readable, masking}[i%3]
		fact := regexp.MustCompile(`\w+:true`).FindString(fmt.Sprintf("%+v", unknowns))
		t.Run(fact+" "+k.typeName, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, k.typeName, emulator.Options{ServiceVersion: version, Unknowns: unknowns})
			required := providertest.With(providertest.Values{"id": "new"}, k.secrets, impatient)
			for _, attribute := range k.required {
				required[attribute] = k.fields[attribute]
			}
			for _, config := range []providertest.Values{required, k.config("new", impatient), required} {
				r.MustApply(config)
			}
			if unknowns.KeepsAssignableStores {
				providertest.WantOne(t, r.Destroy().Errors(), "while it is assignable", "assignment_enabled = false")
				r.MustApply(providertest.With(required, providertest.Values{"assignment_enabled": false}))
			}
			if errors := r.Destroy().Errors(); len(errors) > 0 {
				t.Error(errors)
			}
			if s.BackupStore(k.kind, "new") != nil {
				t.Error("the store exists")
			}
		})
	}
}

func TestStoresOfEachKindAreQueried(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	w := providertest.NewWorkspace(t, s, nil)
	for _, k := range storeKinds {
		s.SetBackupStore(k.kind, "a/..", nil)
		s.SetBackupStore(k.kind, "au\x1b[2K", nil)
		results := w.Query(k.typeName, nil, true, 0)
		var want []string
		for _, store := range emulator.DefaultSeed().BackupStores[k.kind] {
			want = append(want, fmt.Sprint(store["id"]))
		}
		slices.Sort(want)
		if got := providertest.Names(results); !slices.Equal(got, want) {
			t.Errorf("%s: listed %q, want %q", k.typeName, got, want)
		}
		for _, one := range results {
			r := w.NewResource(k.typeName)
			r.ImportIdentity(one.Identity)
			if len(one.Diagnostics) > 0 || !r.State.Equal(one.Resource) {
				t.Errorf("%s is queried as %v and imported as %v: %q", one.Name, one.Resource, r.Attributes(), one.Errors())
			}
			if text := fmt.Sprint(providertest.Plain(one.Resource)); strings.Contains(text, "password") || strings.Contains(text, "mongodb://") {
				t.Errorf("a secret is in %s", text)
			}
		}
		if got := w.Query(k.typeName, nil, false, 1); len(got) != 1 || !got[0].Resource.IsNull() {
			t.Errorf("want one name, got %q", providertest.Names(got))
		}
	}
}

func TestNoErrorIsOnASecret(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`"errorCode": "BACKUP_MONGO_CONNECTION_FAILED", "detail": "No connection."`,
		`"errorCode": "INVALID_ATTRIBUTE", "detail": "Invalid.", "parameters": ["awsSecretKey"]`,
		`"errorCode": "INVALID_ATTRIBUTE", "detail": "Invalid.", "parameters": ["oidc"]`,
	} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
		p := r.Plan(s3Config())
		s.Inject(emulator.Fault{Method: http.MethodPost, Status: http.StatusConflict, Times: -1, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"error": 409, "reason": "Conflict", ` + body + `}`})
		diags := r.Apply(p, nil).Errors()
		if len(diags) != 1 || !strings.HasPrefix(diags[0], "[id] ") {
			t.Errorf("got %q", diags)
		}
	}
}

func TestAdjustedOIDCIsAnError(t *testing.T) {
	t.Parallel()
	oidc := providertest.Values{"enabled": true, "method": "callback", "token_uri": "https://t.example.com", "client_id": "c", "client_secret": "c0rrect-secret", "scope": "one"}
	config := storeKinds[0].config("new", providertest.Values{"oidc": oidc})
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	w := providertest.NewWorkspace(t, proxy.Service, nil)
	r := w.NewResource(storeKinds[0].typeName)
	r.Create(config)
	for attribute, change := range map[string]any{"scope": "two", "token_uri": "https://u.example.com", "enabled": false, "client_id": "d"} {
		changed := providertest.With(config, providertest.Values{"oidc": providertest.With(oidc, providertest.Values{attribute: change})})
		p := r.Plan(changed)
		before := proxy.BackupStore(storeKinds[0].kind, "new")["oidc"]
		proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
			if !providertest.IsWrite(request) {
				service.ServeHTTP(w, request)
				return
			}
			providertest.Rewrite(func(_ *http.Request, document map[string]any) {
				proxy.SetBackupStore(storeKinds[0].kind, "new", map[string]any{"oidc": before})
				document["oidc"] = before
			})(w, request, service)
		})
		providertest.WantContains(t, fmt.Sprint(r.Apply(p, nil).Errors()), "[id] Ops Manager Adjusted the Value", "oidc."+attribute)
		proxy.Handle(nil)
		r.Create(changed) // the configuration converges as soon as Ops Manager keeps it
		providertest.WantEmptyPlan(t, r.Plan(changed))
		r.Create(config)
	}
}

func TestAdviceDoesNotSayToRemoveARequiredAttribute(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"INVALID_ATTRIBUTE", "INVALID_ENUM_VALUE"} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
		p := r.Plan(s3Config())
		s.Inject(emulator.Fault{Method: http.MethodPost, Status: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"error": 400, "reason": "Bad Request", "errorCode": "` + code + `", "detail": "Invalid.", "parameters": ["s3BucketEndpoint"]}`})
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "[s3_bucket_endpoint]", "If the attribute is not required")
	}
}

func TestStoreIsNotDeletedByAPlanThatMayAdoptIt(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		s := providertest.StartService(t, emulator.Options{})
		w := providertest.NewWorkspace(t, s, nil)
		old, adopting := w.NewResource(k.typeName), w.NewResource(k.typeName)
		config := k.config("new", nil)
		old.Create(config)
		destroys := func() *providertest.Plan { return old.Plan(nil) }
		adopts := func(adopt any) func() *providertest.Plan {
			return func() *providertest.Plan {
				return adopting.Plan(providertest.With(config, providertest.Values{"id": providertest.Unknown, "adopt_existing": adopt}))
			}
		}
		for _, plans := range [][2]func() *providertest.Plan{{destroys, adopts(true)}, {adopts(true), destroys}, {adopts(providertest.Unknown), destroys}} {
			w.Configure()
			if first := plans[0](); len(first.Errors()) > 0 {
				t.Errorf("%s: the first plan has %q", k.typeName, first.Errors())
			}
			providertest.WantOne(t, plans[1]().Errors(), "With an Unknown ID", "known when you plan")
		}
		w.Configure()
		if errors := slices.Concat(adopts(false)().Errors(), destroys().Errors()); len(errors) > 0 {
			t.Errorf("%s: a creation that adopts nothing fails with %q", k.typeName, errors)
		}
	}
}
