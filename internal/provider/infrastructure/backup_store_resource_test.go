package infrastructure_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	masking  = "9.0.0"  // masks secrets
	readable = "8.0.25" // the newest version that returns secrets unredacted
)

var both = []string{readable, masking}

// s3Config returns the configuration of an S3 blockstore.
func s3Config(more ...values) values {
	return storeKinds[1].config("new", more...)
}

// startS3Blockstore starts a service, and returns a S3 blockstore on it without a state.
func startS3Blockstore(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResource(t, providertest.S3BlockstoreType, options...)
}

// s3BlockstoreOn returns a S3 blockstore on a service without a state.
func s3BlockstoreOn(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.S3BlockstoreType)
}

func TestInvalidStoresAreErrorsOfThePlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		more  values
		words []string
	}{
		"both a secret and its twin":      {values{"uri_wo": "mongodb://x", "uri_wo_version": 1}, []string{"[uri_wo_version]", "either uri or uri_wo"}},
		"a write-only secret, no version": {values{"uri": nil, "uri_wo": "mongodb://x"}, []string{"[uri_wo_version]", "Secret Without a Version"}},
		"a version without a secret":      {values{"uri_wo_version": 1}, []string{"[uri_wo_version]", "uri_wo"}},
		"no connection string":            {values{"uri": nil}, []string{"[uri]", "creating it requires uri"}},
		"no key":                          {values{"aws_secret_key": nil}, []string{"[aws_secret_key]", "creating it requires"}},
		"a key with a role": {
			values{"s3_auth_method": "IAM_ROLE", "aws_secret_key": nil}, []string{"[s3_auth_method]", "aws_access_key", "IAM_ROLE"},
		},
		"terms that are not accepted": {values{"accepted_tos": false}, []string{"[accepted_tos]", "accepted_tos = true"}},
		"a mode without days":         {values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE"}, []string{"[object_retention_days]"}},
		"a retention without a lock":  {values{"object_retention_mode": "GOVERNANCE", "object_retention_days": 7}, []string{"[object_lock_enabled]"}},
		"an empty ID":                 {values{"id": ""}, []string{"[id]"}},
		"an ID that changes the path": {values{"id": "a/../b"}, []string{"[id]"}},
		"oidc without its secret": {
			values{"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://t.example.com", "oidc_client_id": "c"},
			[]string{"[oidc_client_secret]", "requires"},
		},
		"a missing bucket": {values{"s3_bucket_name": nil}, []string{"[s3_bucket_name]", "creating it requires"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startS3Blockstore(t)
			r.Plan(s3Config(test.more)).WantError(t, test.words...)
			providertest.WantWrites(t, s)
		})
	}
}

// Whatever its ID turns out to be, a new store has no live value that the rules would accept.
func TestRulesForNewValuesNeedNoID(t *testing.T) {
	t.Parallel()
	for attribute, value := range map[string]any{
		"s3_auth_method": "OIDC", "load_factor": 0, "s3_bucket_endpoint": "", "labels": []any{""}, "object_retention_mode": "NEVER",
	} {
		_, r := startS3Blockstore(t)
		r.Plan(s3Config(values{"id": providertest.Unknown, attribute: value})).WantError(t, "["+attribute+"]")
	}
}

func TestObjectLockIsSentOnlyIfConfiguredAndNeverChanged(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t, emulator.Options{ServiceVersion: "8.0.18"})
	r.MustApply(s3Config())
	if sent := providertest.LastSent(t, s, "POST"); sent["objectLockEnabled"] != nil {
		t.Errorf("sent %v", sent)
	}

	s, r = startS3Blockstore(t)
	r.MustApply(s3Config())
	r.MustApply(s3Config(values{"load_factor": 9}))
	if sent := providertest.LastSent(t, s, "PUT"); sent["objectLockEnabled"] != nil {
		t.Errorf("sent %v", sent)
	}

	s, r = startS3Blockstore(t)
	locked := s3Config(values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE", "object_retention_days": 7})
	r.MustApply(locked)
	longer := locked.With(values{"object_retention_days": 8})
	r.Plan(longer).WantError(t, "[object_retention_days]", "Unable to Change S3 Blockstore", "is 7", "a new id")
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["objectRetentionDays"] != float64(7) {
		t.Errorf("held %v", held)
	}
}

func TestUpdateDoesNotLockAStoreThatWasCreatedAgainWithoutALock(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t)
	r.MustApply(s3Config(values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE", "object_retention_days": 7}))
	unlocked := s.BackupStore(emulator.S3Blockstore, "new")
	maps.DeleteFunc(unlocked, func(field string, _ any) bool { return strings.HasPrefix(field, "object") })
	s.RemoveBackupStore(emulator.S3Blockstore, "new")
	s.SetBackupStore(emulator.S3Blockstore, "new", unlocked)
	r.MustRefresh()
	r.MustApply(s3Config(values{"load_factor": 9}))
}

func TestFailedProbesAreRepeatedAndThenReported(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := providertest.NewWorkspace(t, s, values{"max_retries": 3}).NewResource(providertest.S3BlockstoreType)
	s.FailProbes(2)
	r.MustApply(s3Config())
	config := s3Config(values{"load_factor": 9})
	for _, code := range []string{"BACKUP_S3_VALIDATION_FAILED", "BACKUP-S3-VALIDATION_FAILED"} { // the documentation has both
		s.Inject(emulator.Fault{
			Method: http.MethodPut, Times: 4, Status: http.StatusConflict,
			Body: `{"error": 409, "errorCode": "` + code + `", "detail": "Validation of the bucket failed: delete after put."}`,
		})
		diags := r.Apply(r.Plan(config))
		diags.WantError(t, "[s3_bucket_name]", "Validation of the bucket", "delete after put", "must permit")
	}
	r.MustApply(config)
}

func TestStoresConvergeWithEveryUnknownFact(t *testing.T) {
	t.Parallel()
	for i, unknowns := range []emulator.Unknowns{
		{OmitsSecretKey: true}, {RedactsCertificates: true},
		{KeepsAssignableStores: true}, {DeletesAssignableStores: true},
	} {
		k, version := storeKinds[(i+4)%len(storeKinds)], []string{"4.4.0", readable, masking}[i%3]
		fact := regexp.MustCompile(`\w+:true`).FindString(fmt.Sprintf("%+v", unknowns))
		t.Run(fact+" "+k.typeName, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, k.typeName, emulator.Options{ServiceVersion: version, Unknowns: unknowns})
			required := values{"id": "new"}.With(k.secrets, shortTimeouts)
			for _, attribute := range k.required {
				required[attribute] = k.fields[attribute]
			}
			for _, config := range []values{required, k.config("new", shortTimeouts), required} {
				r.MustApply(config)
			}
			if unknowns.KeepsAssignableStores && k.secrets["aws_access_key"] == nil {
				r.Destroy().WantError(t, "assignment_enabled = false")
				r.MustApply(required.With(values{"assignment_enabled": false}))
			}
			r.Destroy().WantNoErrors(t)
			if s.BackupStore(k.kind, "new") != nil {
				t.Error("the store exists")
			}
		})
	}
}

func TestStoresOfEachKindAreQueried(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	for _, k := range storeKinds {
		s.SetBackupStore(k.kind, "a/..", nil)
		s.SetBackupStore(k.kind, "au\x1b[2K", nil)
		results, leftOut := providertest.Listing(w.Query(k.typeName, nil, true, 0))
		providertest.WantEach(
			t, leftOut, []string{"a/.. Not Listed", "It can't be imported"},
			[]string{"[2K Not Listed", "characters that are not safe to print"},
		)
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
	}
}

func TestNoErrorIsOnASecret(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`"errorCode": "BACKUP_MONGO_CONNECTION_FAILED", "detail": "No connection."`,
		`"errorCode": "INVALID_ATTRIBUTE", "detail": "Invalid.", "parameters": ["awsSecretKey"]`,
		`"errorCode": "INVALID_ATTRIBUTE", "detail": "Invalid.", "parameters": ["clientSecret"]`,
	} {
		s, r := startS3Blockstore(t)
		p := r.Plan(s3Config())
		s.Inject(emulator.Fault{Method: http.MethodPost, Status: http.StatusConflict, Times: -1,
			Body: `{"error": 409, "reason": "Conflict", ` + body + `}`})
		diags := r.Apply(p).Errors()
		if len(diags) != 1 || !strings.HasPrefix(diags[0], "[id] ") {
			t.Errorf("got %q", diags)
		}
	}
}

// The documentation has the field for stores of snapshots only.
func TestFieldThatAKindHasNoAttributeForIsKept(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		if k.attributes["loadFactor"] != "" {
			continue
		}
		for factor, sent := range map[float64]any{1: nil, 4: 4.0} { // 1 is the default of a store that never had one
			s, r := providertest.StartResource(t, k.typeName)
			config := k.config("new")
			r.MustApply(config)
			s.SetBackupStore(k.kind, "new", object{"loadFactor": factor})
			r.MustRefresh()
			r.MustApply(config.With(values{"labels": []any{"new"}}))
			if got := providertest.LastSent(t, s, "PUT")["loadFactor"]; got != sent {
				t.Errorf("%s: sent %v, want %v", k.typeName, got, sent)
			}
			if held := s.BackupStore(k.kind, "new")["loadFactor"]; held != factor {
				t.Errorf("%s: held %v", k.typeName, held)
			}
		}
	}
}
