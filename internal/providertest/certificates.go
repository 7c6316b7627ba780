package providertest

import (
	"crypto/tls"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/tools/certificates"
)

// CertificateSet has the certificates for tests.
type CertificateSet struct {
	Authority      string // PEM certificate of the CA of all but Untrusted
	OtherAuthority string // PEM certificate of the CA of Untrusted

	Trusted   *tls.Certificate // for 127.0.0.1
	Expired   *tls.Certificate
	WrongHost *tls.Certificate // for 192.0.2.1
	Untrusted *tls.Certificate // for 127.0.0.1, signed by the other CA
	Client    *tls.Certificate // client certificate
}

// Certificates returns the certificates, which are the same for all tests.
var Certificates = sync.OnceValue(func() CertificateSet {
	authority := must(certificates.NewAuthority("known"))
	other := must(certificates.NewAuthority("unknown"))
	issue := func(c tls.Certificate, err error) *tls.Certificate {
		return new(must(c, err))
	}
	return CertificateSet{
		Authority:      string(certificates.EncodeCertificate(authority.Certificate)),
		OtherAuthority: string(certificates.EncodeCertificate(other.Certificate)),
		Trusted:        issue(authority.Server(time.Hour, "127.0.0.1")),
		Expired:        issue(authority.Server(-time.Hour, "127.0.0.1")),
		WrongHost:      issue(authority.Server(time.Hour, "192.0.2.1")),
		Untrusted:      issue(other.Server(time.Hour, "127.0.0.1")),
		Client:         issue(authority.Client()),
	}
})

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// EncodePEM returns a certificate and its private key in PEM.
func EncodePEM(t *testing.T, c *tls.Certificate) (certificate, key []byte) {
	t.Helper()
	key, err := certificates.EncodeKey(*c)
	if err != nil {
		t.Fatal(err)
	}
	return certificates.EncodeCertificate(*c), key
}
