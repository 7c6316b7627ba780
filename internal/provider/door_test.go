package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// door is the way to a service, and where its faults happen: what a network, a
// proxy or a restart do to requests, the service itself knows nothing of.
type door struct {
	*testService // its URL is the door's
	server       *httptest.Server

	mu          sync.Mutex
	seen        []string // the method of each request that reached the door
	after       int      // how many of them pass before the fault strikes
	fault       fault
	method      string           // of the requests that it strikes
	stays       bool             // it strikes all of them, not only the first
	struck      int              // how many it has struck
	onStrike    func()           // told of each one, if not nil
	certificate *tls.Certificate // that the door shows
	shut        bool             // nothing listens
	keeper      net.Conn         // keeps the port from everyone else meanwhile
}

// openDoor starts a service behind a door; a secure one speaks TLS.
func openDoor(t *testing.T, options emulator.Options, secure bool) *door {
	t.Helper()
	d := &door{testService: &testService{Emulator: emulator.New(options)}}
	d.server = httptest.NewUnstartedServer(d)
	d.server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are the point
	// With a connection for each request, every fault of one is seen by the
	// client; net/http repeats what fails on a connection that it used before.
	d.server.Config.SetKeepAlivesEnabled(false)
	if secure {
		d.certificate = certificates().trusted
		d.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*d.certificate}}, nil
		}}
		d.server.StartTLS()
	} else {
		d.server.Start()
	}
	t.Cleanup(func() {
		d.mu.Lock()
		d.shut = false // so that nothing opens it again
		d.mu.Unlock()
		d.server.Close()
	})
	d.URL = d.server.URL
	return d
}

// strike makes a fault happen to the next request of a method after so many
// others, and where it stays to all that follow.
func (d *door) strike(f fault, method string, after int, stays bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen, d.struck = nil, 0
	d.fault, d.method, d.after, d.stays = f, method, after, stays
	if after == 0 && f.connection != nil {
		f.connection(d)
	}
}

// heal ends the fault, and returns the methods of the requests that were seen
// since it was asked for.
func (d *door) heal(t *testing.T) []string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.seen
	d.fault, d.onStrike, d.certificate = fault{}, nil, certificates().trusted
	if d.shut {
		d.reopen()
	}
	if d.shut {
		t.Fatal("the door does not open again")
	}
	return seen
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if answer := d.arrive(r); answer != nil {
		answer(w, r, d.Emulator)
		return
	}
	d.Emulator.ServeHTTP(w, r)
}

// arrive notes a request, and returns what answers it instead of the service.
func (d *door) arrive(r *http.Request) func(http.ResponseWriter, *http.Request, http.Handler) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = append(d.seen, r.Method)
	switch {
	case d.fault.connection != nil && len(d.seen) == d.after:
		d.fault.connection(d)
		return nil
	case d.fault.answer == nil, len(d.seen) <= d.after, r.Method != d.method, d.struck > 0 && !d.stays:
		return nil
	}
	d.struck++
	if d.onStrike != nil {
		d.onStrike()
	}
	return d.fault.answer
}

// close makes every connection be refused from now on: for a moment, where the
// fault does not stay. The mutex is held.
func (d *door) close() {
	d.keeper, _ = net.Dial("tcp", d.server.Listener.Addr().String()) //nolint:noctx // to this process
	_ = d.server.Listener.Close()
	d.shut = true
	if !d.stays {
		time.AfterFunc(20*time.Millisecond, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.shut {
				d.reopen()
			}
		})
	}
}

// reopen undoes close. The mutex is held.
func (d *door) reopen() {
	for range 100 {
		listener, err := net.Listen("tcp", d.server.Listener.Addr().String()) //nolint:noctx // in this process
		if err == nil {
			d.shut = false
			_ = d.keeper.Close()
			d.server.Listener = listener
			go func() { _ = d.server.Config.Serve(listener) }()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// certificates are an authority, and what it and another one signed.
var certificates = sync.OnceValue(func() (c struct {
	authority                             string // PEM
	trusted, expired, elsewhere, stranger *tls.Certificate
}) {
	inAnHour, anHourAgo := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	known, unknown := newAuthority("known"), newAuthority("unknown")
	c.authority = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: known.Certificate[0]}))
	c.trusted = newLeaf(known, net.IPv4(127, 0, 0, 1), inAnHour)
	c.expired = newLeaf(known, net.IPv4(127, 0, 0, 1), anHourAgo)
	c.elsewhere = newLeaf(known, net.IPv4(192, 0, 2, 1), inAnHour)
	c.stranger = newLeaf(unknown, net.IPv4(127, 0, 0, 1), inAnHour)
	return c
})

func newAuthority(name string) *tls.Certificate {
	return signed(&x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil)
}

func newLeaf(authority *tls.Certificate, address net.IP, until time.Time) *tls.Certificate {
	return signed(&x509.Certificate{
		Subject: pkix.Name{CommonName: "service"}, NotAfter: until, IPAddresses: []net.IP{address},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority)
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
