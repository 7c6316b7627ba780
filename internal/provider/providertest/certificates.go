package providertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"
)

// CertificateSet has the certificates that tests need.
type CertificateSet struct {
	Authority      string // of all but Untrusted, in PEM
	OtherAuthority string // of Untrusted, in PEM

	Trusted   *tls.Certificate // for 127.0.0.1
	Expired   *tls.Certificate
	WrongHost *tls.Certificate // for 192.0.2.1
	Untrusted *tls.Certificate // for 127.0.0.1, by the other authority
	Client    *tls.Certificate // of a client
}

// Certificates returns the certificates, which are the same for all tests.
var Certificates = sync.OnceValue(func() CertificateSet {
	inAnHour, anHourAgo := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	authority, other := newAuthority("known"), newAuthority("unknown")
	encode := func(c *tls.Certificate) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}))
	}
	return CertificateSet{
		Authority:      encode(authority),
		OtherAuthority: encode(other),
		Trusted:        newLeaf(authority, net.IPv4(127, 0, 0, 1), inAnHour),
		Expired:        newLeaf(authority, net.IPv4(127, 0, 0, 1), anHourAgo),
		WrongHost:      newLeaf(authority, net.IPv4(192, 0, 2, 1), inAnHour),
		Untrusted:      newLeaf(other, net.IPv4(127, 0, 0, 1), inAnHour),
		Client:         newLeaf(authority, nil, inAnHour),
	}
})

// EncodePEM returns a certificate and its private key in PEM.
func EncodePEM(t *testing.T, c *tls.Certificate) (certificate, key []byte) {
	t.Helper()
	pkcs8, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

func newAuthority(name string) *tls.Certificate {
	return signed(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil)
}

// newLeaf issues a certificate of a server at an address, or of a client if the
// address is nil.
func newLeaf(authority *tls.Certificate, address net.IP, until time.Time) *tls.Certificate {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "client"}, NotAfter: until, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if address != nil {
		template.Subject.CommonName, template.IPAddresses = "service", []net.IP{address}
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	return signed(template, authority)
}

// signed makes a certificate; without an authority it signs itself.
func signed(template *x509.Certificate, authority *tls.Certificate) *tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("generating a key: %v", err))
	}
	template.SerialNumber, template.NotBefore = big.NewInt(time.Now().UnixNano()), time.Now().Add(-2*time.Hour)
	if authority == nil {
		authority = &tls.Certificate{Leaf: template, PrivateKey: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.Leaf, key.Public(), authority.PrivateKey)
	if err != nil {
		panic(fmt.Sprintf("signing a certificate: %v", err))
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(fmt.Sprintf("reading a certificate: %v", err))
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
