package stores_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// optionalFields are fields that a response lacks if they are not set, by attribute.
var optionalFields = map[string]string{
	"oidc_enabled": "oidc", "oidc_scope": "oidc", "write_concern": "writeConcern", "s3_region_override": "s3RegionOverride", "custom_certificates": "customCertificates",
}

// withOptional returns the configuration of an S3 blockstore with all optional fields.
func withOptional(more ...providertest.Values) providertest.Values {
	return s3Config(append([]providertest.Values{{
		"oidc_enabled": true, "oidc_method": "azure", "oidc_token_resource": "r", "oidc_scope": "one", "oidc_client_id": "c",
		"custom_certificates": []any{certificate("a.pem", "A")},
	}}, more...)...)
}

func certificate(name, text string) providertest.Values {
	return providertest.Values{"filename": name, "cert_string": pemOf(text)}
}

// heldCertificate is a certificate in the service.
func heldCertificate(name, text string) map[string]any {
	return map[string]any{"filename": name, "certString": pemOf(text)}
}

func TestFieldThatWasRemovedElsewhereIsDriftAndNeverRestoredSilently(t *testing.T) {
	t.Parallel()
	for attribute, field := range optionalFields {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
			r.MustApply(withOptional())
			other := withOptional(providertest.Values{"assignment_enabled": false})
			early := r.Plan(other) // made before the change
			s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{field: nil})
			providertest.WantOne(t, r.Apply(early, nil).Errors(), "changed since the plan: ", "is not set, and the plan showed ")
			if held := s.BackupStore(emulator.S3Blockstore, "new"); held[field] != nil {
				t.Errorf("an update of another field restored %v", held[field])
			}
			r.MustRefresh()
			if got := fmt.Sprint(r.Plan(other).Changes()); !strings.Contains(got, attribute) {
				t.Errorf("the plan changes %s", got)
			}
			r.MustApply(other)
			if s.BackupStore(emulator.S3Blockstore, "new")[field] == nil {
				t.Error("the apply did not set it")
			}
			for each, of := range optionalFields {
				if of == field {
					delete(other, each)
				}
			}
			s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{field: nil})
			r.MustRefresh()
			if field == "oidc" {
				return // the configuration has other parts of it
			}
			r.MustApply(providertest.With(other, providertest.Values{"assignment_enabled": true}))
			if held := s.BackupStore(emulator.S3Blockstore, "new"); held[field] != nil {
				t.Errorf("an update restored %v, which is not configured", held[field])
			}
		})
	}
}

func TestChangeOfAFieldThatWasRemovedAfterThePlanIsRefused(t *testing.T) {
	t.Parallel()
	for attribute, change := range map[string]any{"oidc_scope": "two", "custom_certificates": []any{certificate("b.pem", "B")}} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
		r.MustApply(withOptional())
		p := r.Plan(withOptional(providertest.Values{attribute: change}))
		s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{optionalFields[attribute]: nil})
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "[id]", "changed since the plan", attribute+" is not set")
	}
}

// A stale response after an update lacks the field. The next one that lacks it is drift.
func TestStaleResponseDoesNotHideThatAFieldWasRemoved(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
	r.MustApply(s3Config())
	var hides atomic.Bool
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) {
		if hides.Load() {
			delete(document, "writeConcern")
		}
	}))
	hides.Store(true)
	r.MustRefresh()
	if changes := fmt.Sprint(r.Plan(s3Config()).Changes()); changes != "[write_concern]" {
		t.Errorf("the plan changes %s", changes)
	}
	hides.Store(false)
	r.MustBeSettled(s3Config())
	proxy.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"writeConcern": nil})
	r.MustRefresh()
	if changes := fmt.Sprint(r.Plan(s3Config()).Changes()); changes != "[write_concern]" {
		t.Errorf("the plan changes %s", changes)
	}
}

func TestFieldThatIsNeverReturnedIsSentAndNamed(t *testing.T) {
	t.Parallel()
	for attribute, field := range map[string]string{"s3_region_override": "s3RegionOverride", "custom_certificates": "customCertificates"} {
		proxy := providertest.StartFaultProxy(t, emulator.Options{})
		r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
		proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) { delete(document, field) }))
		r.MustApply(withOptional())
		diags := r.MustApply(withOptional(providertest.Values{"load_factor": 9}))
		providertest.WantOne(t, diags.Warnings(), "Values of S3 Blockstore new Not Returned", attribute)
		if held := proxy.BackupStore(emulator.S3Blockstore, "new"); held[field] == nil {
			t.Errorf("held %v", held)
		}
	}
}

func TestPartsOfOIDCThatThePlanDoesNotChangeAreKept(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
	r.MustApply(withOptional())
	p := r.Plan(withOptional(providertest.Values{"oidc_client_id": "d"}))
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"oidc": map[string]any{"enabled": true, "method": "azure", "tokenResource": "r", "clientId": "c", "scope": "one", "newPart": 1.0}})
	if errors := r.Apply(p, nil).Errors(); len(errors) > 0 {
		t.Fatal(errors)
	}
	if got := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["oidc"]); got != "map[clientId:d enabled:true method:azure newPart:1 scope:one tokenResource:r]" {
		t.Errorf("held %s", got)
	}
}

func TestCustomCertificatesAreSetKeptAndRemoved(t *testing.T) {
	t.Parallel()
	for _, redacts := range []bool{false, true} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: redacts}})
		held := func() string {
			return fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"])
		}
		config := s3Config(providertest.Values{"custom_certificates": []any{certificate("b.pem", "B"), certificate("a.pem", "A")}})
		r.MustApply(config)
		r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
		r.MustApply(s3Config()) // unset, they are kept
		if !strings.Contains(held(), pemOf("A")) || !strings.Contains(held(), pemOf("B")) {
			t.Errorf("held %s", held())
		}
		s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"customCertificates": []any{heldCertificate("c.pem", "C")}})
		r.MustRefresh()
		if changes := fmt.Sprint(r.Plan(config).Changes()); !strings.Contains(changes, "custom_certificates") {
			t.Errorf("the plan changes %s", changes)
		}
		r.MustApply(config)
		if strings.Contains(held(), pemOf("C")) {
			t.Errorf("held %s", held())
		}
		p := r.Plan(providertest.With(config, providertest.Values{"custom_certificates": []any{certificate("b.pem", "B")}}))
		s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"customCertificates": []any{heldCertificate("c.pem", "C")}})
		providertest.WantOne(t, r.Apply(p, nil).Errors(), "changed since the plan", "custom_certificates is")
		r.MustRefresh()
		r.MustApply(config)
		r.MustApply(providertest.With(config, providertest.Values{"custom_certificates": []any{}}))
		if got := held(); got != "[]" && got != "<nil>" {
			t.Errorf("held %s", got)
		}
	}
}

func TestMaskedCertificatesThatAreNotConfiguredAreNotLost(t *testing.T) {
	t.Parallel()
	for _, configured := range []any{nil, []any{}} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
		config := s3Config(providertest.Values{"custom_certificates": configured})
		r.MustApply(config)
		s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"customCertificates": []any{heldCertificate("c.pem", "C")}})
		r.MustRefresh()
		diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"load_factor": 9})), nil)
		providertest.WantOne(t, diags.Errors(), "custom_certificates", "Nothing was changed")
		if held := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(held, pemOf("C")) {
			t.Errorf("held %s", held)
		}
	}
}

// unknownFields are fields that this version of the provider does not know.
var unknownFields = providertest.Values{"newSetting": "east", "newLimits": map[string]any{"most": 5.0, "names": []any{"a"}}, "newFlag": true}

func TestFieldsThatTheProviderDoesNotKnowAreKept(t *testing.T) {
	t.Parallel()
	for _, rejects := range []bool{false, true} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: rejects}})
		r.MustApply(withOptional())
		certificates := []any{providertest.With(heldCertificate("a.pem", "A"), map[string]any{"newPart": "x"})}
		s.SetBackupStore(emulator.S3Blockstore, "new", providertest.With(unknownFields, providertest.Values{"customCertificates": certificates}))
		diags := r.Apply(r.Plan(withOptional(providertest.Values{"custom_certificates": []any{certificate("a.pem", "A"), certificate("b.pem", "B")}})), nil)
		held := s.BackupStore(emulator.S3Blockstore, "new")
		if rejects {
			providertest.WantOne(t, diags.Errors(), "Unable to Update", "(INVALID_ATTRIBUTE)", "newPart")
		} else if len(diags.Errors()) > 0 {
			t.Errorf("got %q", diags.Errors())
		}
		if !strings.Contains(fmt.Sprint(held["customCertificates"]), "newPart:x") {
			t.Errorf("held %v", held["customCertificates"])
		}
		for name, value := range unknownFields {
			if fmt.Sprint(held[name]) != fmt.Sprint(value) {
				t.Errorf("%s was %v and is %v", name, value, held[name])
			}
		}
	}
}

// Ops Manager has returned the field before, so a response without it says that it is not set.
func TestChangedFieldThatOpsManagerIgnoresIsAnError(t *testing.T) {
	t.Parallel()
	for attribute, change := range map[string]any{"write_concern": "W2", "oidc_scope": "two", "load_factor": 9} {
		var ignores atomic.Bool
		options := emulator.Options{AdjustDocument: func(store map[string]any) {
			if ignores.Load() {
				delete(store, map[string]string{"write_concern": "writeConcern", "oidc_scope": "oidc", "load_factor": "loadFactor"}[attribute])
			}
		}}
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, options)
		r.MustApply(withOptional(providertest.Values{"load_factor": 3}))
		ignores.Store(true)
		config := withOptional(providertest.Values{"load_factor": 3, attribute: change})
		errors := r.Apply(r.Plan(config), nil).Errors()
		providertest.WantContains(t, strings.Join(errors, "\n"), "["+attribute+"] Ops Manager Adjusted the Value")
		if state := r.Attributes()[attribute]; fmt.Sprint(state) == fmt.Sprint(change) {
			t.Errorf("the state has %v", state)
		}
		ignores.Store(false)
		r.MustRefresh()
		r.MustApply(config)
		if s.BackupStore(emulator.S3Blockstore, "new") == nil {
			t.Error("the store is gone")
		}
	}
}

// A response that never has a field does not say whether Ops Manager ignores it.
func TestNewFieldThatIsNotReturnedIsNamed(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"writeConcern", "customCertificates"} {
		proxy := providertest.StartFaultProxy(t, emulator.Options{})
		r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
		proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) { delete(document, field) }))
		attribute := map[string]string{"writeConcern": "write_concern", "customCertificates": "custom_certificates"}[field]
		diags := r.MustApply(withOptional(providertest.Values{"write_concern": "MAJORITY"}))
		providertest.WantOne(t, diags.Warnings(), "Values of S3 Blockstore new Not Returned", attribute, "can't tell")
		changed := map[string]any{"write_concern": "W2", "custom_certificates": []any{certificate("b.pem", "B")}}[attribute]
		diags = r.MustApply(withOptional(providertest.Values{"write_concern": "MAJORITY", attribute: changed}))
		providertest.WantOne(t, diags.Warnings(), "Values of S3 Blockstore new Not Returned", attribute)
	}
}

func TestMaskedCertificatesKeepTheFieldsThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
	config := withOptional()
	r.MustApply(config)
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"customCertificates": []any{providertest.With(heldCertificate("a.pem", "A"), map[string]any{"newPart": "x"})}})
	r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
	if got := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(got, "newPart:x") {
		t.Errorf("held %s", got)
	}
	s.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"customCertificates": []any{providertest.With(heldCertificate("a.pem", "A"), map[string]any{"newPart": "***"})}})
	r.MustRefresh()
	diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"load_factor": 8})), nil)
	providertest.WantOne(t, diags.Errors(), "Unknown Secret", "newPart")
}

func TestMaskInTheFrameOfACertificateIsNoCertificate(t *testing.T) {
	t.Parallel()
	const masked = "-----BEGIN CERTIFICATE-----\nREDACTED\n-----END CERTIFICATE-----\n"
	proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) {
		list, _ := document["customCertificates"].([]any)
		for _, element := range list {
			element.(map[string]any)["certString"] = masked //nolint:forcetypeassert // it is a list of objects
		}
	}))
	config := s3Config(providertest.Values{"custom_certificates": []any{certificate("a.pem", "A")}})
	r.MustApply(config)
	r.MustBeSettled(config)
	r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
	held := func() string {
		return fmt.Sprint(proxy.BackupStore(emulator.S3Blockstore, "new")["customCertificates"])
	}
	if strings.Contains(held(), "REDACTED") {
		t.Errorf("held %v", held())
	}
	r.State, r.Private = r.Null(), nil
	r.ImportID("new")
	p := r.Plan(s3Config(providertest.Values{"load_factor": 3}))
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "custom_certificates")
	if strings.Contains(held(), "REDACTED") {
		t.Errorf("held %v", held())
	}
}

// Masks of the same files look the same, so a plan can't see which certificates Ops Manager has.
func TestCertificatesThatMayHaveChangedArePlannedAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]providertest.Handler{
		"the answer is lost": func(w http.ResponseWriter, request *http.Request, service http.Handler) {
			providertest.Record(request, service)
			w.WriteHeader(http.StatusGatewayTimeout)
		},
		"another value is not taken": providertest.Rewrite(func(_ *http.Request, document map[string]any) { document["loadFactor"] = 2 }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
			config := s3Config(providertest.Values{"load_factor": 2, "custom_certificates": []any{certificate("a.pem", "A")}})
			r.MustApply(config)
			p := r.Plan(providertest.With(config, providertest.Values{"load_factor": 9, "custom_certificates": []any{certificate("a.pem", "B")}}))
			proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
				if request.Method == http.MethodPut {
					fault(w, request, service)
					proxy.SetBackupStore(emulator.S3Blockstore, "new", map[string]any{"loadFactor": 2})
					return
				}
				service.ServeHTTP(w, request)
			})
			if errors := r.Apply(p, nil).Errors(); len(errors) == 0 {
				t.Fatal("the apply succeeded")
			}
			proxy.Handle(nil)
			r.Configure()
			r.MustRefresh()
			r.MustApply(config)
			if held := fmt.Sprint(proxy.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(held, pemOf("A")) {
				t.Errorf("held %s", held)
			}
			r.MustBeSettled(config)
		})
	}
}
