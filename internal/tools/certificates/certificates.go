// Package certificates issues certificates of an authority whose key never leaves the
// process, for the TLS of the emulator and for tests.
package certificates

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"time"
)

// Lifetime is how long authorities and client certificates are valid.
const Lifetime = 30 * 24 * time.Hour

// Authority is a certificate authority.
type Authority struct{ tls.Certificate }

// NewAuthority returns an authority with a self-signed certificate.
func NewAuthority(name string) (Authority, error) {
	template := x509.Certificate{
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	certificate, err := issue(template, name, Lifetime, nil)
	return Authority{certificate}, err
}

// Server issues a certificate for host names and IP addresses. If the lifetime is
// negative, down to an hour, the certificate has expired.
func (a Authority) Server(lifetime time.Duration, hosts ...string) (tls.Certificate, error) {
	template := x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return issue(template, "server", lifetime, &a.Certificate)
}

// Client issues a certificate for a client.
func (a Authority) Client() (tls.Certificate, error) {
	template := x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	return issue(template, "client", Lifetime, &a.Certificate)
}

// Pool returns a pool with the certificate of the authority.
func (a Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Leaf)
	return pool
}

// issue issues a certificate. Without an issuer it is self-signed.
func issue(template x509.Certificate, name string, lifetime time.Duration, issuer *tls.Certificate) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template.Subject = pkix.Name{CommonName: name}
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	template.NotAfter = time.Now().Add(lifetime)
	if issuer == nil {
		issuer = &tls.Certificate{Leaf: &template, PrivateKey: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, issuer.Leaf, key.Public(), issuer.PrivateKey)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{
		Certificate: [][]byte{der},
		PrivateKey:  key,
		Leaf:        leaf,
	}, err
}

// EncodeCertificate returns a certificate in PEM.
func EncodeCertificate(c tls.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})
}

// EncodeKey returns the private key of a certificate in PEM.
func EncodeKey(c tls.Certificate) ([]byte, error) {
	pkcs8, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), err
}
