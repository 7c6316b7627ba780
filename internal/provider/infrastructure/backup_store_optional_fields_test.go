package infrastructure_test

import (
	"fmt"
	"net/http"
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

// certified returns the configuration of an S3 blockstore with certificates.
func certified(certificates ...any) values {
	return s3Config(values{"custom_certificates": certificates})
}

// heldCertificates returns the certificates that the service holds.
func heldCertificates(s *providertest.Service) string {
	return fmt.Sprint(s.BackupStore(emulator.S3Blockstore, "new")["customCertificates"])
}

func setCertificates(s *providertest.Service, certificates ...any) {
	s.SetBackupStore(emulator.S3Blockstore, "new", object{"customCertificates": certificates})
}

var redacting = emulator.Options{Unknowns: emulator.Unknowns{RedactsCertificates: true}}

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
	for _, options := range []emulator.Options{{}, redacting} {
		s, r := startS3Blockstore(t, options)
		ofA, ofB := certificate("a.pem", "A"), certificate("b.pem", "B")
		config := certified(ofB, ofA)
		r.MustApply(config).WantNoWarnings(t)
		r.MustApply(config.With(values{"load_factor": 9}))
		r.MustApply(s3Config()) // unset, they are kept
		providertest.WantContains(t, heldCertificates(s), pemOf("A"), pemOf("B"))
		setCertificates(s, heldCertificate("c.pem", "C"))
		r.MustRefresh()
		providertest.WantContains(t, fmt.Sprint(r.Plan(config).Changes()), "custom_certificates")
		r.MustApply(config).WantNoWarnings(t)
		providertest.WantUnsaid(t, []string{heldCertificates(s)}, pemOf("C"))
		p := r.Plan(certified(ofB))
		setCertificates(s, heldCertificate("c.pem", "C"))
		r.Apply(p).WantError(t, "changed since the plan", "custom_certificates is")
		r.MustRefresh()
		r.MustApply(config)
		r.MustApply(certified())
		if got := heldCertificates(s); got != "[]" && got != "<nil>" {
			t.Errorf("held %s", got)
		}
	}
}

// The names of the files show that another client has replaced one.
func TestMaskedCertificateThatAnotherClientReplacedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t, redacting)
	r.MustApply(certified(certificate("a.pem", "A"), certificate("b.pem", "B")))
	p := r.Plan(certified(certificate("a.pem", "A"), certificate("b.pem", "C")))
	setCertificates(s, heldCertificate("a.pem", "A"), heldCertificate("theirs.pem", "B"))
	r.Apply(p).WantError(t, "changed since the plan", "custom_certificates")
	providertest.WantContains(t, heldCertificates(s), "theirs.pem")
}

// The names of the files show that Ops Manager has not taken a change.
func TestMaskedCertificatesShowThatAChangeIsNotTaken(t *testing.T) {
	t.Parallel()
	for _, changed := range []values{certified(certificate("a.pem", "A"), certificate("b.pem", "B")), certified()} {
		proxy := providertest.StartFaultProxy(t, redacting)
		r := s3BlockstoreOn(t, proxy.Service)
		r.MustApply(certified(certificate("a.pem", "A")))
		proxy.Handle(providertest.Rewrite(func(request *http.Request, store object) {
			if request.Method == http.MethodPut { // the service keeps the certificates
				setCertificates(proxy.Service, heldCertificate("a.pem", "A"))
				store["customCertificates"] = []any{object{"filename": "a.pem", "certString": "<redacted>"}}
			}
		}))
		r.Configure()
		r.Apply(r.Plan(changed)).WantError(t, "[custom_certificates]", "a.pem (masked)")
		proxy.Handle(nil)
		r.MustRefresh()
		providertest.WantContains(t, fmt.Sprint(r.Plan(changed).Changes()), "custom_certificates")
	}
}

func TestMaskedCertificatesKeepTheFieldsThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t, redacting)
	config := withOptional()
	r.MustApply(config)
	theirs := providertest.With(heldCertificate("a.pem", "A"), object{"newPart": "x"})
	setCertificates(s, theirs)
	r.MustApply(config.With(values{"load_factor": 9}))
	if got := heldCertificates(s); !strings.Contains(got, "newPart:x") {
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
	config := certified(certificate("a.pem", "A"))
	r.MustApply(config)
	r.MustApply(config.With(values{"load_factor": 9}))
	imported := r.NewResource(r.TypeName)
	imported.Configure()
	imported.ImportID("new")
	imported.Apply(imported.Plan(s3Config(values{"load_factor": 3}))).WantError(t, "Unknown Secret", "custom_certificates")
	providertest.WantUnsaid(t, []string{heldCertificates(proxy.Service)}, "REDACTED")
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
			proxy := providertest.StartFaultProxy(t, redacting)
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
			if held := heldCertificates(proxy.Service); !strings.Contains(held, pemOf("A")) {
				t.Errorf("held %s", held)
			}
			r.MustBeSettled(config)
		})
	}
}
