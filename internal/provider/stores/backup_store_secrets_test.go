package stores_test

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
			p := r.Plan(providertest.With(config, providertest.Values{"load_factor": 9}))
			providertest.WantOne(t, p.Errors(), "[id]", "Unknown Secret", "uri", "Nothing was changed") // it may have a mask
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

func TestImportedStoreNeedsItsSecretsOnlyForARequest(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		r.ImportID("ny-s3-1")
		config := providertest.Values{"id": "ny-s3-1"}
		differs := providertest.With(config, providertest.Values{"load_factor": 9})
		providertest.WantOne(t, r.Plan(differs).Errors(), "[id] Unknown Secret", "replaces the whole store", "Configure aws_access_key, aws_secret_key, uri")
		providertest.WantOne(t, r.Plan(providertest.With(config, mongoURI)).Errors(), "Configure aws_access_key, aws_secret_key,")
		r.MustBeSettled(config)
		providertest.WantWrites(t, s)
		r.MustApply(providertest.With(differs, s3Secrets))
		if sent := providertest.LastSent(t, s, "PUT"); sent["uri"] != mongoURI["uri"] || sent["loadFactor"] != 9.0 {
			t.Errorf("sent %v", sent)
		}
	})
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
	providertest.WantOne(t, r.Plan(providertest.With(config, providertest.Values{"load_factor": 9})).Errors(), "[id]", "Unknown Secret", "aws_secret_key")
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["awsSecretKey"] != s3Secrets["aws_secret_key"] {
		t.Errorf("held %v", held)
	}
}

func TestMaskOfAnyFormIsNeverSent(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"", "<hidden>", "redacted", "xxxxxxxx", "(secret)", "hidden:5f2a", "-"} {
		t.Run(mask, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: masking, Unknowns: emulator.Unknowns{SecretMask: mask}})
			r.MustApply(writeOnly(s3Config(shortTimeouts), 1))
			providertest.WantOne(t, r.Destroy().Errors(), "assignment_enabled = false")

			r.IgnoreChanges = []string{"uri", "uri_wo", "uri_wo_version"}
			r.MustRefresh()
			changed := writeOnly(s3Config(shortTimeouts, providertest.Values{"load_factor": providertest.Unknown}), 1)
			changed["uri_wo"], changed["uri_wo_version"] = "mongodb://ignored", 2
			providertest.WantOne(t, r.Apply(r.Plan(changed), providertest.Values{"load_factor": 9}).Errors(), "[id]", "Unknown Secret", "uri")
			if held := s.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != mongoURI["uri"] || held["awsSecretKey"] != s3Secrets["aws_secret_key"] {
				t.Errorf("held %v", held)
			}
		})
	}
}

// startMasking starts a service that returns a different mask with each response.
func startMasking(t *testing.T) (*providertest.FaultProxy, *providertest.Resource) {
	t.Helper()
	proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: masking})
	var count atomic.Int32
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) {
		for _, field := range []string{"uri", "awsAccessKey", "awsSecretKey"} {
			if document[field] != nil {
				document[field] = fmt.Sprint("hidden:", count.Add(1))
			}
		}
	}))
	return proxy, providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
}

func TestMaskThatChangesWithEachReadIsNoDrift(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]providertest.Values{"in the state": s3Config(), "write-only": writeOnly(s3Config(), 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, r := startMasking(t)
			r.MustApply(config)
			if errors := r.Apply(r.Plan(providertest.With(config, providertest.Values{"load_factor": 8})), nil).Errors(); len(errors) > 0 {
				t.Errorf("without a refresh: %q", errors)
			}
			r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
			for range 2 {
				r.MustBeSettled(providertest.With(config, providertest.Values{"load_factor": 9}))
			}
			if sent := strings.Join(proxy.Sent(http.MethodPut, ""), ""); strings.Contains(sent, "hidden:") {
				t.Errorf("a mask was sent: %s", sent)
			}
		})
	}
}

func TestUpdateWarnsAboutWriteOnlySecretsThatItSends(t *testing.T) {
	t.Parallel()
	_, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
	config := writeOnly(s3Config(), 1)
	r.MustApply(config)
	providertest.WantOne(t, r.Plan(providertest.With(config, providertest.Values{"load_factor": 9})).Warnings(), "Will Get Its Write-Only Secrets", "aws_access_key_wo, aws_secret_key_wo, uri_wo.")
	providertest.WantOne(t, r.Plan(providertest.With(config, providertest.Values{"aws_secret_key_wo_version": 2})).Warnings(), "Will Get Its Write-Only Secrets", "aws_access_key_wo, uri_wo.")
	if warned := r.Plan(providertest.With(config, providertest.Values{"deletion_protection": true})).Warnings(); len(warned) > 0 {
		t.Errorf("a plan that sends nothing warns %q", warned)
	}
}

func TestSecretThatChangesAfterThePlanIsNotOverwritten(t *testing.T) {
	t.Parallel()
	const clicked = "mongodb://clicked:clicked-password@clicked.example.com:27017"
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		for _, change := range []providertest.Values{{"load_factor": 9}, {"uri": "mongodb://backup:c0rrect-2@db.example.com:27017"}} {
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
			r.MustApply(s3Config())
			p := r.Plan(s3Config(change))
			s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"uri": clicked})
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "[id]", "changed since the plan", "uri is another secret", "Plan again")
			if held := s.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != clicked || held["loadFactor"] != 2.0 {
				t.Errorf("held %v", held)
			}
		}
	})
}

// A newer version of Ops Manager masks what an older one returned unredacted.
func TestSecretThatAnUpgradeMasksIsNotLost(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]func(*providertest.Resource) []string{
		"destroyed": func(r *providertest.Resource) []string { return r.Destroy().Errors() },
		"changed": func(r *providertest.Resource) []string {
			return r.Apply(r.Plan(s3Config(providertest.Values{"load_factor": 9})), nil).Errors()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
			r.MustApply(s3Config())
			proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) {
				for field, mask := range map[string]any{"uri": "mongodb://REDACTED:REDACTED@db.example.com:27017", "awsAccessKey": "AKIA****0001", "awsSecretKey": "****************"} {
					if document[field] != nil {
						document[field] = mask
					}
				}
			}))
			r.MustBeSettled(s3Config())
			if errors := finish(r); len(errors) > 0 {
				t.Errorf("got %q", errors)
			}
			if held := proxy.BackupStore(emulator.S3Blockstore, "new"); held != nil && (held["uri"] != mongoURI["uri"] || held["awsSecretKey"] != s3Secrets["aws_secret_key"]) {
				t.Errorf("held %v", held)
			}
		})
	}
}

func TestClientSecretThatIsNotConfiguredIsKept(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"8.0.26", "8.0.27"} { // unredacted, and masked
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		oidc := providertest.Values{"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://t.example.com", "oidc_client_id": "c"}
		r.MustApply(s3Config(oidc, providertest.Values{"oidc_client_secret": "c0rrect-secret"}))
		held := func() map[string]any {
			found, _ := s.BackupStore(emulator.S3Blockstore, "new")["oidc"].(map[string]any)
			return found
		}
		r.MustApply(s3Config(oidc, providertest.Values{"oidc_client_id": "d"}))
		if held()["clientSecret"] != "c0rrect-secret" || held()["clientId"] != "d" {
			t.Errorf("held %v", held())
		}
		r.MustApply(s3Config()) // unset, all of it is kept
		if held()["clientSecret"] != "c0rrect-secret" || held()["enabled"] != true {
			t.Errorf("held %v", held())
		}
		r.MustApply(s3Config(providertest.Values{"oidc_enabled": false}))
		if held()["clientSecret"] != "c0rrect-secret" || held()["enabled"] != false {
			t.Errorf("held %v", held())
		}
	}
}

func TestSecretThatWasRemovedElsewhereIsSetAgain(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: readable})
	r.MustApply(s3Config())
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"awsSecretKey": nil})
	r.MustRefresh()
	p := r.Plan(s3Config())
	if got := p.Changes(); !slices.Contains(got, "aws_secret_key") {
		t.Fatalf("the plan changes %q", got)
	}
	if diags := r.Apply(p, nil); len(diags.Errors()) > 0 {
		t.Errorf("got %q", diags.Errors())
	}
	r.MustBeSettled(s3Config())
}

func TestSecretThatChangesAgainAfterItsDriftWasShownIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: readable})
	r.MustApply(s3Config())
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"uri": "mongodb://second:s3cret@db.example.com:27017"})
	r.MustRefresh()
	p := r.Plan(s3Config())
	const third = "mongodb://third:s3cret@db.example.com:27017"
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"uri": third})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "[id]", "changed since the plan", "uri is another secret", "Plan again")
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != third {
		t.Errorf("holds %v", held["uri"])
	}
	r.MustRefresh()
	if diags := r.Apply(r.Plan(s3Config()), nil); len(diags.Errors()) > 0 {
		t.Errorf("got %q", diags.Errors())
	}
	r.MustBeSettled(s3Config())
}

// The first attempt took effect, so the secret is neither the one before nor another client's.
func TestChangeOfASecretIsRepeatedAfterItTookEffect(t *testing.T) {
	t.Parallel()
	const changed = "mongodb://backup:c0rrect-2@db2.example.com:27017"
	for name, config := range map[string]providertest.Values{"in the state": s3Config(), "write-only": writeOnly(s3Config(), 1)} {
		for _, version := range both {
			t.Run(name+" on "+version, func(t *testing.T) {
				t.Parallel()
				proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: version})
				r := providertest.NewWorkspace(t, proxy.Service, providertest.Values{"max_retries": 2}).NewResource(providertest.S3BlockstoreType)
				r.MustApply(config)
				var puts atomic.Int32
				proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
					if request.Method == http.MethodPut && puts.Add(1) == 1 {
						providertest.Record(request, service)
						w.WriteHeader(http.StatusServiceUnavailable)
						return
					}
					service.ServeHTTP(w, request)
				})
				next := providertest.With(config, providertest.Values{"uri": changed, "custom_certificates": []any{certificate("a.pem", "A")}})
				if name == "write-only" {
					next = providertest.With(next, providertest.Values{"uri": nil, "uri_wo": changed, "uri_wo_version": 2})
				}
				r.MustApply(next)
				if held := proxy.BackupStore(emulator.S3Blockstore, "new"); held["uri"] != changed {
					t.Errorf("held %v", held)
				}
				r.MustBeSettled(next)
			})
		}
	}
}

// The response has the secret of the update, and the next read that of another client.
func TestSecretThatChangesRightAfterAnUpdateIsSetAgain(t *testing.T) {
	t.Parallel()
	const clicked = "mongodb://clicked:clicked-password@clicked.example.com:27017"
	for name, config := range map[string]providertest.Values{"in the state": s3Config(), "write-only": writeOnly(s3Config(), 1)} {
		for _, version := range both {
			t.Run(name+" on "+version, func(t *testing.T) {
				t.Parallel()
				proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: version})
				r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
				r.MustApply(config)
				proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
					service.ServeHTTP(w, request)
					if request.Method == http.MethodPut {
						proxy.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"uri": clicked})
					}
				})
				next := providertest.With(config, providertest.Values{"load_factor": 9})
				if diags := r.Apply(r.Plan(next), nil); len(diags.Errors()) > 0 {
					t.Fatalf("got %q", diags.Errors())
				}
				proxy.Handle(nil)
				r.MustRefresh()
				if changes := fmt.Sprint(r.Plan(next).Changes()); !strings.Contains(changes, "uri") {
					t.Errorf("the next plan changes %s", changes)
				}
				r.MustApply(next)
				if held := proxy.BackupStore(emulator.S3Blockstore, "new"); held["uri"] == clicked {
					t.Errorf("held %v", held)
				}
				r.MustBeSettled(next)
			})
		}
	}
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
			proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
			proxy.Handle(providertest.Rewrite(func(r *http.Request, document map[string]any) {
				if uri, ok := document["uri"].(string); ok && r.Method == http.MethodGet {
					document["uri"] = mask(uri)
				}
			}))
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
			config := writeOnly(s3Config(), 1)
			r.MustApply(config)
			r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
			config = providertest.With(config, providertest.Values{"load_factor": 9, "uri_wo": "mongodb://backup:c0rrect-other@db.example.com:27017", "uri_wo_version": 2})
			for range 2 { // another client may have set the second mask, so it is set once more
				if errors := r.Apply(r.Plan(config), nil).Errors(); len(errors) > 0 {
					t.Fatal(errors)
				}
				r.MustRefresh()
			}
			r.MustBeSettled(config)
		})
	}
}

func TestSecretThatOpsManagerDoesNotTakeIsAnError(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
	r.MustApply(s3Config())
	proxy.Handle(providertest.Rewrite(func(request *http.Request, document map[string]any) {
		if request.Method == http.MethodPut {
			kept := map[string]any{"awsSecretKey": s3Secrets["aws_secret_key"]}
			proxy.SetBackupStore(emulator.S3Blockstore, "new", kept)
			maps.Copy(document, kept)
		}
	}))
	rotated := s3Config(providertest.Values{"aws_secret_key": "c0rrect-new-key", "load_factor": 9})
	for range 3 {
		providertest.WantOne(t, r.Apply(r.Plan(rotated), nil).Errors(), "[id]", "Unable to Update S3 Blockstore", "still returns the one before", "aws_secret_key")
		providertest.WantAttributes(t, r, providertest.Values{"aws_secret_key": s3Secrets["aws_secret_key"], "load_factor": 9})
		r.MustRefresh()
	}
	proxy.Handle(nil)
	r.Configure()
	r.MustApply(rotated)
	r.MustBeSettled(rotated)
}

func TestHostsThatOpsManagerDoesNotTakeAfterAnImportAreAnError(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
	const held = "mongodb://backup:c0rrect-held@old.example.com:27017"
	proxy.SetBackupStore(emulator.Blockstore, "new", map[string]any{"uri": held, "assignmentEnabled": true})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.BlockstoreType)
	r.ImportID("new")
	proxy.Handle(providertest.Rewrite(func(request *http.Request, document map[string]any) {
		if request.Method == http.MethodPut {
			kept := map[string]any{"uri": held}
			proxy.SetBackupStore(emulator.Blockstore, "new", kept)
			maps.Copy(document, kept)
		}
	}))
	config := providertest.Values{"id": "new", "uri": "mongodb://backup:c0rrect-new@new.example.com:27017", "assignment_enabled": true}
	for range 2 {
		providertest.WantOne(t, r.Apply(r.Plan(config), nil).Errors(), "still returns the one before", "uri")
		r.MustRefresh()
	}
}

func TestMaskOfAFieldThatIsNotConfiguredIsNeverSent(t *testing.T) {
	t.Parallel()
	for field, mask := range map[string]string{"s3RegionOverride": "[REDACTED]", "s3BucketEndpoint": "https://***.example.com", "oidc": "real****ent"} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: "8.0.27"})
		fields := map[string]any{field: mask}
		if field == "oidc" {
			fields = map[string]any{"oidc": map[string]any{"enabled": true, "method": "callback", "clientId": mask}}
		}
		r.MustApply(s3Config())
		s.SetBackupStore(emulator.S3Blockstore, "new", fields)
		without := s3Config(providertest.Values{"s3_bucket_endpoint": nil, "s3_region_override": nil})
		r.MustRefresh()
		s.ResetRequests()
		p := r.Plan(providertest.With(without, providertest.Values{"labels": []any{"west"}}))
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "Configure them if they are attributes")
		providertest.WantWrites(t, s)
	}
}
