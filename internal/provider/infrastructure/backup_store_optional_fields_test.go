package infrastructure_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// withOptional returns the configuration of an S3 blockstore with all optional fields.
func withOptional(more ...values) values {
	return s3Config(append([]values{{
		"oidc_enabled": true, "oidc_method": "azure", "oidc_token_resource": "r", "oidc_scope": "one", "oidc_client_id": "c",
		"custom_certificates": []any{certificate("a.pem", "A")},
	}}, more...)...)
}

func certificate(name, text string) values {
	return values{"filename": name, "cert_string": pemOf(text)}
}

// heldCertificate is a certificate in the service.
func heldCertificate(name, text string) object {
	return object{"filename": name, "certString": pemOf(text)}
}

func TestPartsOfOIDCThatThePlanDoesNotChangeAreKept(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t)
	r.MustApply(withOptional())
	p := r.Plan(withOptional(values{"oidc_client_id": "d"}))
	s.SetBackupStore(
		emulator.S3Blockstore, "new",
		object{"oidc": object{"enabled": true, "method": "azure", "tokenResource": "r", "clientId": "c", "scope": "one", "newPart": 1.0}},
	)
	r.Apply(p).WantNoErrors(t)
	providertest.WantEqual(
		t, fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["oidc"]),
		"map[clientId:d enabled:true method:azure newPart:1 scope:one tokenResource:r]",
	)
}

func TestCustomCertificatesAreSetKeptAndRemoved(t *testing.T) {
	t.Parallel()
	for _, redacts := range []bool{false, true} {
		s, r := startS3Blockstore(t, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: redacts}})
		held := func() string {
			return fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"])
		}
		theirs := object{"customCertificates": []any{heldCertificate("c.pem", "C")}}
		config := s3Config(values{"custom_certificates": []any{certificate("b.pem", "B"), certificate("a.pem", "A")}})
		r.MustApply(config).WantNoWarnings(t)
		r.MustApply(config.With(values{"load_factor": 9}))
		r.MustApply(s3Config()) // unset, they are kept
		if !strings.Contains(held(), pemOf("A")) || !strings.Contains(held(), pemOf("B")) {
			t.Errorf("held %s", held())
		}
		s.SetBackupStore(emulator.S3Blockstore, "new", theirs)
		r.MustRefresh()
		if changes := fmt.Sprint(r.Plan(config).Changes()); !strings.Contains(changes, "custom_certificates") {
			t.Errorf("the plan changes %s", changes)
		}
		r.MustApply(config).WantNoWarnings(t)
		if strings.Contains(held(), pemOf("C")) {
			t.Errorf("held %s", held())
		}
		p := r.Plan(config.With(values{"custom_certificates": []any{certificate("b.pem", "B")}}))
		s.SetBackupStore(emulator.S3Blockstore, "new", theirs)
		r.Apply(p).WantError(t, "changed since the plan", "custom_certificates is")
		r.MustRefresh()
		r.MustApply(config)
		r.MustApply(config.With(values{"custom_certificates": []any{}}))
		if got := held(); got != "[]" && got != "<nil>" {
			t.Errorf("held %s", got)
		}
	}
}

// The names of the files show that another client has replaced one.
func TestMaskedCertificateThatAnotherClientReplacedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
	with := func(certificates ...any) values {
		return s3Config(values{"custom_certificates": certificates})
	}
	r.MustApply(with(certificate("a.pem", "A"), certificate("b.pem", "B")))
	p := r.Plan(with(certificate("a.pem", "A"), certificate("b.pem", "C")))
	s.SetBackupStore(emulator.S3Blockstore, "new", object{"customCertificates": []any{heldCertificate("a.pem", "A"), heldCertificate("theirs.pem", "B")}})
	r.Apply(p).WantError(t, "changed since the plan", "custom_certificates")
	if held := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(held, "theirs.pem") {
		t.Errorf("held %s", held)
	}
}

// The names of the files show that Ops Manager has not taken a change.
func TestMaskedCertificatesShowThatAChangeIsNotTaken(t *testing.T) {
	t.Parallel()
	for name, certificates := range map[string][]any{
		"one more": {certificate("a.pem", "A"), certificate("b.pem", "B")},
		"none":     {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
			r := s3BlockstoreOn(t, proxy.Service)
			held := []any{heldCertificate("a.pem", "A")}
			r.MustApply(s3Config(values{"custom_certificates": []any{certificate("a.pem", "A")}}))
			proxy.Handle(providertest.Rewrite(func(request *http.Request, store object) {
				if request.Method == http.MethodPut { // the service keeps the certificates
					proxy.SetBackupStore(emulator.S3Blockstore, "new", object{"customCertificates": held})
					store["customCertificates"] = []any{object{"filename": "a.pem", "certString": "<redacted>"}}
				}
			}))
			changed := s3Config(values{"custom_certificates": certificates})
			r.Configure()
			r.Apply(r.Plan(changed), nil).WantError(t, "[custom_certificates]", "a.pem (masked)")
			proxy.Handle(nil)
			r.MustRefresh()
			if got := r.Plan(changed).Changes(); !slices.Contains(got, "custom_certificates") {
				t.Errorf("the plan changes %q", got)
			}
		})
	}
}

func TestMaskedCertificatesKeepTheFieldsThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
	config := withOptional()
	r.MustApply(config)
	theirs := providertest.With(heldCertificate("a.pem", "A"), object{"newPart": "x"})
	s.SetBackupStore(emulator.S3Blockstore, "new", object{"customCertificates": []any{theirs}})
	r.MustApply(config.With(values{"load_factor": 9}))
	if got := fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(got, "newPart:x") {
		t.Errorf("held %s", got)
	}
}

func TestMaskInTheFrameOfACertificateIsNoCertificate(t *testing.T) {
	t.Parallel()
	const masked = "-----BEGIN CERTIFICATE-----\nREDACTED\n-----END CERTIFICATE-----\n"
	proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
	r := s3BlockstoreOn(t, proxy.Service)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
		list, _ := document["customCertificates"].([]any)
		for _, element := range list {
			element.(object)["certString"] = masked //nolint:forcetypeassert // it is a list of objects
		}
	}))
	config := s3Config(values{"custom_certificates": []any{certificate("a.pem", "A")}})
	r.MustApply(config)
	r.MustBeSettled(config)
	r.MustApply(config.With(values{"load_factor": 9}))
	held := func() string {
		return fmt.Sprint(proxy.BackupStore(emulator.S3Blockstore, "new")["customCertificates"])
	}
	if strings.Contains(held(), "REDACTED") {
		t.Errorf("held %v", held())
	}
	r.State, r.Private = r.Null(), nil
	r.ImportID("new")
	p := r.Plan(s3Config(values{"load_factor": 3}))
	r.Apply(p).WantError(t, "Unknown Secret", "custom_certificates")
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
		"another value is not taken": providertest.Rewrite(func(_ *http.Request, document object) { document["loadFactor"] = 2 }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}})
			r := s3BlockstoreOn(t, proxy.Service)
			config := s3Config(values{"load_factor": 2, "custom_certificates": []any{certificate("a.pem", "A")}})
			r.MustApply(config)
			p := r.Plan(config.With(values{"load_factor": 9, "custom_certificates": []any{certificate("a.pem", "B")}}))
			proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
				if request.Method == http.MethodPut {
					fault(w, request, service)
					proxy.SetBackupStore(emulator.S3Blockstore, "new", object{"loadFactor": 2})
					return
				}
				service.ServeHTTP(w, request)
			})
			if errors := r.Apply(p).Errors(); len(errors) == 0 {
				t.Fatal("the apply succeeded")
			}
			proxy.Handle(nil)
			r.MustRefresh()
			r.MustApply(config)
			if held := fmt.Sprint(proxy.BackupStore(emulator.S3Blockstore, "new")["customCertificates"]); !strings.Contains(held, pemOf("A")) {
				t.Errorf("held %s", held)
			}
			r.MustBeSettled(config)
		})
	}
}
