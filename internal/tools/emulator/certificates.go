package main

import (
	"crypto/tls"
	"os"
	"path/filepath"

	"terraform-provider-opsmanager/internal/tools/certificates"
)

// tlsConfig returns the configuration of a server with some names, with a certificate of a
// new authority. It writes the certificate of the authority, and a client certificate
// with its key, into a directory.
func tlsConfig(dir string, names []string, requireClientCertificate bool) (*tls.Config, error) {
	authority, err := certificates.NewAuthority("Emulator Authority")
	if err != nil {
		return nil, err
	}
	server, err := authority.Server(certificates.Lifetime, append([]string{"localhost", "127.0.0.1", "::1"}, names...)...)
	if err != nil {
		return nil, err
	}
	client, err := authority.Client()
	if err != nil {
		return nil, err
	}
	clientKey, err := certificates.EncodeKey(client)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{
		"ca.pem":         certificates.EncodeCertificate(authority.Certificate),
		"client.pem":     certificates.EncodeCertificate(client),
		"client-key.pem": clientKey,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{server}}
	if requireClientCertificate {
		config.ClientAuth = tls.RequireAndVerifyClientCert
		config.ClientCAs = authority.Pool()
	}
	return config, nil
}
