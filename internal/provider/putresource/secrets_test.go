package putresource_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// These tests are about secrets. An S3 blockstore stands for all types that have some. CheckSecret tests each secret of
// each type.

const (
	masking  = "9.0.0"  // masks secrets
	readable = "8.0.25" // the newest version that returns secrets unredacted
)

const clickedURI = "mongodb://clicked:clicked-password@clicked.example.com:27017"

var s3Secrets = values{
	"uri": "mongodb://backup:c0rrect-horse@db.example.com:27017", "aws_access_key": "AKIAC0RRECTHORSE0001", "aws_secret_key": "c0rrect-secret-key",
}

// s3Config returns the configuration of an S3 blockstore.
func s3Config(more ...values) values {
	return providertest.With(providertest.With(values{
		"id": "new", "assignment_enabled": true, "labels": []any{"east"}, "load_factor": 2, "write_concern": "MAJORITY", "s3_bucket_name": "bucket",
		"s3_bucket_endpoint": "https://s3.example.com", "s3_max_connections": 5, "path_style_access_enabled": true, "sse_enabled": false,
		"accepted_tos": true, "s3_auth_method": "KEYS",
	}, s3Secrets), more...)
}

// writeOnly returns a configuration with its secrets in write-only attributes of a version.
func writeOnly(config values, version int) values {
	changed := providertest.With(config)
	for attribute := range s3Secrets {
		changed[attribute+"_wo"], changed[attribute+"_wo_version"], changed[attribute] = changed[attribute], version, nil
	}
	return changed
}

// secretTest is a test of an S3 blockstore.
type secretTest struct {
	*providertest.FaultProxy
	*providertest.Resource
	config      values // was applied
	isWriteOnly bool
}

func (s *secretTest) held() object { return s.BackupStore(emulator.S3Blockstore, "new") }

func (s *secretTest) set(fields object) {
	s.SetBackupStore(emulator.S3Blockstore, "new", fields)
}

// onEachS3Store runs a test on services that mask secrets and on others, with secrets in the state and write-only ones.
func onEachS3Store(t *testing.T, test func(t *testing.T, s *secretTest)) {
	t.Helper()
	providertest.OnEachVersion(t, []string{readable, masking}, func(t *testing.T, version string) {
		for _, isWriteOnly := range []bool{false, true} {
			t.Run(fmt.Sprint("write-only ", isWriteOnly), func(t *testing.T) {
				t.Parallel()
				test(t, startS3Store(t, version, isWriteOnly))
			})
		}
	})
}

// startS3Store starts a service with an S3 blockstore.
func startS3Store(t *testing.T, version string, isWriteOnly bool) *secretTest {
	t.Helper()
	proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: version})
	r := providertest.NewWorkspace(t, proxy.Service, values{"max_retries": 2}).NewResource(providertest.S3BlockstoreType)
	s := &secretTest{proxy, r, s3Config(), isWriteOnly}
	if isWriteOnly {
		s.config = writeOnly(s.config, 1)
	}
	r.MustApply(s.config)
	return s
}

func TestEveryUpdateSendsEverySecret(t *testing.T) {
	t.Parallel()
	onEachS3Store(t, func(t *testing.T, s *secretTest) {
		s.MustApply(s.config.With(values{"load_factor": 9}))
		for _, method := range []string{"POST", "PUT"} {
			sent := providertest.LastSent(t, s.Service, method)
			for field, attribute := range map[string]string{"uri": "uri", "awsAccessKey": "aws_access_key", "awsSecretKey": "aws_secret_key"} {
				if sent[field] != s3Secrets[attribute] {
					t.Errorf("%s sends %s %v, want %v", method, field, sent[field], s3Secrets[attribute])
				}
			}
		}
		if state := fmt.Sprint(s.Attributes()); s.isWriteOnly && strings.Contains(strings.ToLower(state), "c0rrect") {
			t.Errorf("a write-only secret is in the state: %s", state)
		}
		if private := string(s.Private); strings.Contains(private, "c0rrect") {
			t.Errorf("a secret is in the private state: %s", private)
		}
	})
}

func TestWriteOnlySecretIsRotatedByItsVersion(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, masking, true)
	s.config["aws_secret_key_wo"] = "c0rrect-new-key"
	providertest.WantEmptyPlan(t, s.Plan(s.config)) // Terraform can't see the change
	s.config["aws_secret_key_wo_version"] = 2
	s.MustApply(s.config)
	if held := s.held(); held["awsSecretKey"] != "c0rrect-new-key" || held["uri"] != s3Secrets["uri"] {
		t.Errorf("held %v", held)
	}
}

func TestSecretThatWasChangedElsewhereIsSetAgain(t *testing.T) {
	t.Parallel()
	onEachS3Store(t, func(t *testing.T, s *secretTest) {
		s.set(object{"uri": clickedURI, "awsAccessKey": "AKIACLICKED000009999"})
		s.MustRefresh()
		if state := fmt.Sprint(s.Attributes(), string(s.Private)); strings.Contains(strings.ToLower(state), "clicked") {
			t.Errorf("a secret that was read is stored: %s", state)
		}
		want := []string{"aws_access_key", "uri"}
		if s.isWriteOnly {
			want = []string{"aws_access_key_wo_version", "uri_wo_version"}
		}
		if changed := s.Plan(s.config).Changes(); !reflect.DeepEqual(changed, want) {
			t.Errorf("the plan changes %q, want %q", changed, want)
		}
		s.MustApply(s.config)
		if held := s.held(); held["uri"] != s3Secrets["uri"] || held["awsAccessKey"] != s3Secrets["aws_access_key"] {
			t.Errorf("held %v", held)
		}
	})
}

func TestSecretThatWasRemovedElsewhereIsSetAgain(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, readable, false)
	s.set(object{"awsSecretKey": nil})
	s.MustRefresh()
	if got := s.Plan(s.config).Changes(); !slices.Contains(got, "aws_secret_key") {
		t.Fatalf("the plan changes %q", got)
	}
	s.MustApply(s.config)
}

func TestImportedObjectNeedsItsSecretsOnlyForARequest(t *testing.T) {
	t.Parallel()
	for _, version := range []string{readable, masking} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		r.ImportID("ny-s3-1")
		config := values{"id": "ny-s3-1"}
		differs := config.With(values{"load_factor": 9})
		r.Plan(differs).WantError(t, "[id] Unknown Secret", "replaces the whole store", "Configure aws_access_key, aws_secret_key, uri")
		r.Plan(config.With(values{"uri": s3Secrets["uri"]})).WantError(t, "Configure aws_access_key, aws_secret_key,")
		r.MustBeSettled(config)
		providertest.WantWrites(t, s)
		r.MustApply(differs.With(s3Secrets))
		if sent := providertest.LastSent(t, s, "PUT"); sent["uri"] != s3Secrets["uri"] || sent["loadFactor"] != 9.0 {
			t.Errorf("sent %v", sent)
		}
	}
}

func TestUpdateWarnsAboutWriteOnlySecretsThatItSends(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, masking, true)
	planned := func(change values) []string {
		return s.Plan(s.config.With(change)).Warnings()
	}
	providertest.WantOne(t, planned(values{"load_factor": 9}), "Will Get Its Write-Only Secrets", "aws_access_key_wo, aws_secret_key_wo, uri_wo.")
	providertest.WantOne(t, planned(values{"aws_secret_key_wo_version": 2}), "Will Get Its Write-Only Secrets", "aws_access_key_wo, uri_wo.")
	if warned := planned(values{"deletion_protection": true}); len(warned) > 0 {
		t.Errorf("a plan that sends nothing warns %q", warned)
	}
}

func TestSecretThatChangesAfterThePlanIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for _, version := range []string{readable, masking} {
		for _, change := range []values{{"load_factor": 9}, {"uri": "mongodb://backup:c0rrect-2@db.example.com:27017"}} {
			s := startS3Store(t, version, false)
			p := s.Plan(s3Config(change))
			s.set(object{"uri": clickedURI})
			s.Apply(p).WantError(t, "[id]", "changed since the plan", "uri is another secret", "Plan again")
			if held := s.held(); held["uri"] != clickedURI || held["loadFactor"] != 2.0 {
				t.Errorf("held %v", held)
			}
		}
	}
}

func TestSecretThatChangesAgainAfterItsDriftWasShownIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, readable, false)
	s.set(object{"uri": "mongodb://second:s3cret@db.example.com:27017"})
	s.MustRefresh()
	p := s.Plan(s.config)
	s.set(object{"uri": clickedURI})
	s.Apply(p).WantError(t, "[id]", "changed since the plan", "uri is another secret", "Plan again")
	if held := s.held(); held["uri"] != clickedURI {
		t.Errorf("held %v", held)
	}
	s.MustRefresh()
	s.MustApply(s.config)
}

// A newer version of Ops Manager masks what an older one returned unredacted.
func TestSecretThatAnUpgradeMasksIsNotLost(t *testing.T) {
	t.Parallel()
	for _, change := range []values{nil, s3Config(values{"load_factor": 9})} {
		s := startS3Store(t, readable, false)
		s.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
			for field, mask := range map[string]any{
				"uri": "mongodb://REDACTED:REDACTED@db.example.com:27017", "awsAccessKey": "AKIA****0001",
				"awsSecretKey": "****************",
			} {
				if document[field] != nil {
					document[field] = mask
				}
			}
		}))
		s.MustBeSettled(s.config)
		s.Apply(s.Plan(change)).WantNoErrors(t)
		if held := s.held(); held != nil && (held["uri"] != s3Secrets["uri"] || held["awsSecretKey"] != s3Secrets["aws_secret_key"]) {
			t.Errorf("held %v", held)
		}
	}
}

// The first attempt took effect, so the secret is neither the one before nor another client's.
func TestChangeOfASecretIsRepeatedAfterItTookEffect(t *testing.T) {
	t.Parallel()
	const changed = "mongodb://backup:c0rrect-2@db2.example.com:27017"
	onEachS3Store(t, func(t *testing.T, s *secretTest) {
		var puts atomic.Int32
		s.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
			if request.Method == http.MethodPut && puts.Add(1) == 1 {
				providertest.Record(request, service)
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			service.ServeHTTP(w, request)
		})
		next := s.config.With(values{"uri": changed})
		if s.isWriteOnly {
			next = s.config.With(values{"uri_wo": changed, "uri_wo_version": 2})
		}
		s.MustApply(next)
		if held := s.held(); held["uri"] != changed {
			t.Errorf("held %v", held)
		}
	})
}

// The response has the secret of the update, and the next read that of another client.
func TestSecretThatChangesRightAfterAnUpdateIsSetAgain(t *testing.T) {
	t.Parallel()
	onEachS3Store(t, func(t *testing.T, s *secretTest) {
		s.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
			service.ServeHTTP(w, request)
			if request.Method == http.MethodPut {
				s.set(object{"uri": clickedURI})
			}
		})
		next := s.config.With(values{"load_factor": 9})
		s.Apply(s.Plan(next)).WantNoErrors(t)
		s.Handle(nil)
		s.MustRefresh()
		if changes := fmt.Sprint(s.Plan(next).Changes()); !strings.Contains(changes, "uri") {
			t.Errorf("the next plan changes %s", changes)
		}
		s.MustApply(next)
		if held := s.held(); held["uri"] == clickedURI {
			t.Errorf("held %v", held)
		}
	})
}

// The response to a change has the secret, and a read a mask of an unknown form.
func TestMaskThatOnlyReadsHaveIsNoLastingDrift(t *testing.T) {
	t.Parallel()
	for name, mask := range map[string]func(string) string{
		"always the same":     func(string) string { return "hidden" },
		"one for each secret": func(secret string) string { return fmt.Sprint("hidden:", len(secret)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startS3Store(t, readable, true)
			s.Handle(providertest.Rewrite(func(r *http.Request, document object) {
				if uri, ok := document["uri"].(string); ok && r.Method == http.MethodGet {
					document["uri"] = mask(uri)
				}
			}))
			config := s.config.With(values{"uri_wo": "mongodb://backup:c0rrect-other@db.example.com:27017", "uri_wo_version": 2})
			for range 2 { // another client may have set the second mask, so it is set once more
				s.MustRefresh()
				s.Apply(s.Plan(config)).WantNoErrors(t)
			}
			s.MustBeSettled(config)
		})
	}
}

func TestMaskOfWhatWasSentIsNoDrift(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, readable, true)
	s.Handle(providertest.Rewrite(func(r *http.Request, document object) {
		if uri, ok := document["uri"].(string); ok && r.Method == http.MethodGet {
			document["uri"] = "mongodb://REDACTED:REDACTED" + uri[strings.LastIndex(uri, "@"):]
		}
	}))
	s.MustRefresh()
	s.MustApply(s.config.With(values{"uri_wo": "mongodb://backup:c0rrect-other@db2.example.com:27017", "uri_wo_version": 2}))
}

// keep makes each PUT keep some fields as they are.
func (s *secretTest) keep(fields object) {
	s.Handle(providertest.Rewrite(func(request *http.Request, document object) {
		if request.Method == http.MethodPut {
			s.set(fields)
			maps.Copy(document, fields)
		}
	}))
}

func TestSecretThatOpsManagerDoesNotTakeIsAnError(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, readable, false)
	s.keep(object{"awsSecretKey": s3Secrets["aws_secret_key"]})
	rotated := s3Config(values{"aws_secret_key": "c0rrect-new-key", "load_factor": 9})
	for range 3 {
		s.Apply(s.Plan(rotated)).WantError(t, "[id]", "Unable to Update S3 Blockstore", "still returns the one before", "aws_secret_key")
		providertest.WantAttributes(t, s.Resource, values{"aws_secret_key": nil, "load_factor": 9})
		s.MustRefresh()
	}
	reverted := s.config.With(values{"load_factor": 9}) // the read after the PUT may have been an old one
	if got := s.Plan(reverted).Changes(); !slices.Equal(got, []string{"aws_secret_key"}) {
		t.Errorf("the plan of a revert changes %q", got)
	}
	s.Handle(nil)
	s.MustApply(rotated)
}

func TestHostsThatOpsManagerDoesNotTakeAfterAnImportAreAnError(t *testing.T) {
	t.Parallel()
	s := startS3Store(t, readable, false)
	s.State, s.Private = s.Null(), nil
	s.ImportID("new")
	s.keep(object{"uri": s3Secrets["uri"]})
	config := s3Config(values{"uri": "mongodb://backup:c0rrect-new@new.example.com:27017"})
	for range 2 {
		s.Apply(s.Plan(config)).WantError(t, "still returns the one before", "uri")
		s.MustRefresh()
	}
}

// An ephemeral value may be another one during the apply.
func TestCreationLacksNoWriteOnlySecret(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType)
	p := r.Plan(writeOnly(s3Config(), 1))
	p.Config = r.ReplaceAttributes(p.Config, values{"uri_wo": nil})
	r.Apply(p).WantError(t, "[uri]", "creating it requires uri as well")
	providertest.WantWrites(t, s)
}
