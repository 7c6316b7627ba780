package opsmanager_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/tools/certificates"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ address, want string }{
		{"https://om.example.com:8443", "https://om.example.com:8443"},
		{"https://om.example.com:8443/", "https://om.example.com:8443"},
		{"https://om.example.com/api/public/v1.0", "https://om.example.com"},
		{"https://om.example.com/api/public/v1.0//", "https://om.example.com"},
		{" http://localhost:8080\n", "http://localhost:8080"},
		{"HTTPS://[::1]:8443", "https://[::1]:8443"},
	} {
		got, err := opsmanager.ParseBaseURL(test.address)
		if err != nil || got.String() != test.want {
			t.Errorf("%q: got %v, %v; want %s", test.address, got, err, test.want)
		}
	}
	for _, test := range []struct{ address, want string }{
		{"", "scheme"},
		{"om.example.com", "scheme"},
		{"om.example.com:8443", "scheme"},
		{"ftp://om.example.com", "scheme"},
		{"https://", "host is missing"},
		{"https://:8443", "host is missing"},
		{"https:///api/public/v1.0", "host is missing"},
		{"https://[fe80::1%25µ]", "not valid"},
		{"https://om.example.com:port", "not a URL"},
		{"https://om example.com", "not a URL"},
		{"https://om.example.com/ops", "path must be empty"},
		{"https://om.example.com/api/public/v2.0", "/api/public/v1.0"},
		{"https://om.example.com/?a=b", "query"},
		{"https://om.example.com/#a", "fragment"},
		{"https://key:p4ssw0rd@om.example.com", "user name"},
		{"htps://key:p4ssw0rd@om.example.com", "user name"},
		{"key:p4ssw0rd@om.example.com", "user name"},
		{"p4ssw0rd", "scheme"},
		{"https:///p4ssw0rd", "host is missing"},
		{"https://om.example.com/p4ssw0rd", "path must be empty"},
		{"https://key:p4ssw0rd%@om.example.com", "not a URL"},
	} {
		got, err := opsmanager.ParseBaseURL(test.address)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "p4ssw0rd") {
			t.Errorf("%q: got %v, %v; want an error with %q", test.address, got, err, test.want)
		}
	}
}

func TestIsPlainHTTP(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://om.example.com":   false,
		"http://om.example.com":    true,
		"http://10.0.0.1:8080":     true,
		"http://localhost:8080":    false,
		"http://LocalHost":         false,
		"http://127.0.0.1:8080":    false,
		"http://127.8.9.10":        false,
		"http://[::1]:8080":        false,
		"http://localhost.example": true,
		"http://[fe80::1]":         true,
	} {
		base, err := opsmanager.ParseBaseURL(address)
		succeed(t, err)
		equal(t, address, opsmanager.IsPlainHTTP(base, nil), want)
	}
}

func TestParseProxyURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://proxy:3128", "https://proxy", "socks5://proxy:1080", "socks5h://user:p4ssw0rd@proxy:1080", " http://10.0.0.1:80 ",
	} {
		got, err := opsmanager.ParseProxyURL(address)
		if err != nil || got.String() != strings.TrimSpace(address) {
			t.Errorf("%q: got %v, %v", address, got, err)
		}
	}
	for _, address := range []string{
		"", "proxy", "proxy:3128", "ftp://user:p4ssw0rd@proxy", "http://", "http://:3128", "http://user:p4ssw0rd@proxy:port",
		"http://user:2024/p4ssw0rd@proxy:3128", "http://user:2024#p4ssw0rd@proxy", "http://user:2024?p4ssw0rd@proxy",
	} {
		got, err := opsmanager.ParseProxyURL(address)
		if err == nil || strings.Contains(err.Error(), "p4ssw0rd") {
			t.Errorf("%q: got %v, %v", address, got, err)
		}
	}
}

// fault is a failure of the first attempt of a call, or of all attempts.
type fault struct {
	name    string
	handle  func(w http.ResponseWriter, r *http.Request)
	retried bool // unless the request is a POST
	postToo bool // also if it is a POST, because it cannot have taken effect
	status  int  // of the error if it is not retried
	slow    bool // takes as long as the timeout
}

func status(code int, header ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		answer(w, code, "application/json", fmt.Sprintf(`{"error":%d,"errorCode":"FAULT","detail":"injected"}`, code))
	}
}

var faults = []fault{
	{name: "429", handle: status(429), retried: true, postToo: true, status: 429},
	{name: "429 with an odd Retry-After", handle: status(429, "Retry-After", "soon"), retried: true, postToo: true, status: 429},
	{name: "502", handle: status(502), retried: true, status: 502},
	{name: "503", handle: status(503), retried: true, status: 503},
	{name: "504", handle: status(504), retried: true, status: 504},
	{name: "500", handle: status(500), status: 500},
	{name: "501", handle: status(501), status: 501},
	{name: "400", handle: status(400), status: 400},
	{name: "409", handle: status(409), status: 409},
	{name: "dropped connection", handle: func(_ http.ResponseWriter, r *http.Request) { drop(r) }, retried: true},
	{name: "truncated response", handle: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		answer(w, 200, "application/json", `{"id":`)
	}, retried: true},
	{name: "truncated error response", handle: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		answer(w, 404, "application/json", `{"error":404,`)
	}, retried: true},
	{name: "not HTTP", handle: func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(connection, "220 mail.example.com ESMTP\r\n")
			_ = connection.Close()
		}
	}, retried: true},
	{name: "timeout", handle: func(_ http.ResponseWriter, r *http.Request) { hang(r) }, retried: true, slow: true},
	{name: "timeout within a response", handle: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		answer(w, 200, "application/json", `{"id":`)
		_ = http.NewResponseController(w).Flush()
		hang(r)
	}, retried: true, slow: true},
}

// POST requests are retried only if the first attempt cannot have taken effect. All other
// requests are idempotent.
func TestTransientFaultsAreRetriedIfThatIsSafe(t *testing.T) {
	t.Parallel()
	for _, fault := range faults {
		for method, call := range call {
			if fault.slow && method != http.MethodPatch && method != http.MethodPost {
				continue // one idempotent method is enough
			}
			t.Run(fault.name+"/"+method, func(t *testing.T) {
				t.Parallel()
				var requests atomic.Int32
				client := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if requests.Add(1) == 1 {
						fault.handle(w, r)
						return
					}
					answerOK(w, anyObject)
				}, func(c *opsmanager.Config) { c.Timeout = time.Second })
				err := call(t.Context(), client)
				if fault.postToo || fault.retried && method != http.MethodPost {
					succeed(t, err)
					equal(t, "requests", requests.Load(), 2)
					return
				}
				equal(t, "requests", requests.Load(), 1)
				e := wantError(t, err)
				equal(t, "status", e.Status, fault.status)
				equal(t, "attempts", e.Attempts, 1)
			})
		}
	}
}

func TestPermanentFaultsAreReported(t *testing.T) {
	t.Parallel()
	for _, fault := range faults {
		for _, most := range []int{0, 2} {
			if fault.slow {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d retries", fault.name, most), func(t *testing.T) {
				t.Parallel()
				var requests atomic.Int32
				client := serve(t, func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					fault.handle(w, r)
				}, retries(most))
				e := wantError(t, call[http.MethodPatch](t.Context(), client))
				want := 1
				if fault.retried && most > 0 {
					want += most
					fails(t, "text", e, "gave up after 3 attempts")
				}
				equal(t, "requests", int(requests.Load()), want)
				equal(t, "attempts", e.Attempts, want)
				equal(t, "status", e.Status, fault.status)
				if fault.status != 0 {
					equal(t, "code", e.Code, "FAULT")
					equal(t, "detail", e.Detail, "injected")
				} else if e.Err == nil {
					t.Error("the cause is missing")
				}
			})
		}
	}
}

func TestRefusedConnectionIsRetriedForEveryMethod(t *testing.T) {
	t.Parallel()
	proxy, err := opsmanager.ParseProxyURL(closed)
	succeed(t, err)
	for method, call := range call {
		for _, by := range []*url.URL{nil, proxy} {
			e := wantError(t, call(t.Context(), newClient(t, closed, retries(2), func(c *opsmanager.Config) { c.Proxy = by })))
			equal(t, method+": attempts", e.Attempts, 3)
			equal(t, method+": status", e.Status, 0)
			equal(t, method+": unclear", opsmanager.IsUnclear(e), false)
		}
	}
}

func TestCompressedResponsesAreRead(t *testing.T) {
	t.Parallel()
	compressed := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			equal(t, "Accept-Encoding", r.Header.Get("Accept-Encoding"), "gzip")
			w.Header().Set("Content-Encoding", "gzip")
			answer(w, status, "application/json", text)
		}
	}
	_, err := serve(t, compressed(200, string(gzipped(t, `{"id": "NY_NJ"}`)))).DeploymentRegion(t.Context(), "NY_NJ")
	succeed(t, err)
	succeed(t, serve(t, compressed(200, "")).DeleteDeploymentRegion(t.Context(), "NY_NJ"))
	e := wantError(t, ledgerSchedule(t.Context(), serve(t, compressed(404, string(gzipped(t, `{"error": 404, "errorCode": "GONE", "detail": "gone"}`))))))
	equal(t, "code", e.Code, "GONE")
	broken := wantError(t, ledgerSchedule(t.Context(), serve(t, compressed(200, `{"clusterId": "a"}`), retries(0))))
	if !strings.Contains(broken.Error(), "gzip: invalid header") {
		t.Errorf("got %v", broken)
	}
}

func TestRedirectsAreReportedAndNotFollowed(t *testing.T) {
	t.Parallel()
	var otherRequests atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		otherRequests.Add(1)
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials reached another host")
		}
	}))
	t.Cleanup(other.Close)
	for _, test := range []struct {
		status         int
		location, want string
	}{
		{http.StatusFound, other.URL + "/login?ticket=t1cket#top", other.URL},
		{http.StatusMovedPermanently, "https://user:t1cket@om.example.com:8443/api", "https://om.example.com:8443"},
		{http.StatusTemporaryRedirect, other.URL, other.URL},
		{http.StatusPermanentRedirect, other.URL, other.URL},
		{http.StatusSeeOther, "/account/login?ticket=t1cket", "/"},
		{http.StatusFound, "https://om.example.com:port/?ticket=t1cket", ""},
	} {
		for method, call := range call {
			t.Run(fmt.Sprint(test.status, method), func(t *testing.T) {
				t.Parallel()
				var requests atomic.Int32
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") == "" {
						w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n", qop="auth"`)
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					requests.Add(1)
					http.Redirect(w, r, test.location, test.status)
				}))
				t.Cleanup(server.Close)
				err := call(t.Context(), newClient(t, server.URL))
				e := wantError(t, err)
				want := test.want
				if want == "/" {
					want = server.URL
				}
				equal(t, "status", e.Status, test.status)
				equal(t, "address", e.RedirectedTo, want)
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "t1cket") {
					t.Errorf("got %q", err)
				}
				if isAnyMissing(err) || opsmanager.IsUnsupported(err) {
					t.Errorf("%v does not mean gone or unsupported", err)
				}
				equal(t, "requests", requests.Load(), 1)
				equal(t, "requests to another host", otherRequests.Load(), 0)
			})
		}
	}
}

// secure starts a server with TLS. It does not log failed handshakes, which tests cause on
// purpose.
func secure(t *testing.T, handler http.Handler, settings *tls.Config) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS = settings
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestCertificateOfTheServerIsVerifiedAndAFailureNotRetried(t *testing.T) {
	t.Parallel()
	server := secure(t, emulator.New(emulator.Options{}), nil)
	roots, err := opsmanager.AddRootCAs(nil, certificatePEM(server.Certificate().Raw))
	succeed(t, err)
	address, err := url.Parse(server.URL)
	succeed(t, err)
	trusting := func(c *opsmanager.Config) { c.RootCAs = roots }
	succeed(t, ledgerSchedule(t.Context(), newClient(t, server.URL, trusting)))
	succeed(t, ledgerSchedule(t.Context(), newClient(t, server.URL, func(c *opsmanager.Config) { c.InsecureSkipVerify = true })))
	for cause, client := range map[any]*opsmanager.Client{
		new(*tls.CertificateVerificationError): newClient(t, server.URL),
		new(x509.HostnameError):                newClient(t, "https://localhost:"+address.Port(), trusting),
	} {
		err := ledgerSchedule(t.Context(), client)
		if !errors.As(err, cause) {
			t.Errorf("got %v, want %T", err, cause)
		}
		equal(t, "attempts", wantError(t, err).Attempts, 1)
	}
}

func TestClientCertificateIsSentIfRequired(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	certificate, err := authority.Client()
	succeed(t, err)
	// With TLS 1.2 the rejection is part of the handshake, so it is not lost when the
	// connection is closed.
	server := secure(t, emulator.New(emulator.Options{}), &tls.Config{
		MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12,
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	})
	skipVerify := func(c *opsmanager.Config) { c.InsecureSkipVerify = true }

	proxy, err := opsmanager.ParseProxyURL(server.URL)
	succeed(t, err)
	stranger, err := newAuthority(t).Client()
	succeed(t, err)
	for name, settings := range map[string]func(*opsmanager.Config){
		"without one":     func(*opsmanager.Config) {},
		"an unknown CA":   func(c *opsmanager.Config) { c.Certificates = []tls.Certificate{stranger} },
		"an HTTPS proxy":  func(c *opsmanager.Config) { c.Proxy = proxy },
		"a tunnel of one": func(c *opsmanager.Config) { c.Proxy, c.BaseURL = proxy, &url.URL{Scheme: "https", Host: "om.invalid"} },
	} {
		err := ledgerSchedule(t.Context(), newClient(t, server.URL, skipVerify, settings))
		equal(t, name+": attempts", wantError(t, err).Attempts, 1)
		if !opsmanager.IsAlert(err, "certificate") {
			t.Errorf("%s: got %v", name, err)
		}
	}

	client := newClient(t, server.URL, skipVerify, func(c *opsmanager.Config) { c.Certificates = []tls.Certificate{certificate} })
	succeed(t, ledgerSchedule(t.Context(), client))
}

// Some servers close the connection without an alert if they require a certificate.
func TestClosedConnectionNamesARequestForAClientCertificateUntilACallIsAnswered(t *testing.T) {
	t.Parallel()
	var answers atomic.Bool
	ops := emulator.New(emulator.Options{})
	server := secure(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers.Load() {
			panic(http.ErrAbortHandler)
		}
		ops.ServeHTTP(w, r)
	}), &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert})
	client := newClient(t, server.URL, func(c *opsmanager.Config) { c.InsecureSkipVerify = true })
	wants := func(want bool) {
		t.Helper()
		if err := ledgerSchedule(t.Context(), client); errors.Is(err, opsmanager.ErrCertificateRequested) != want {
			t.Errorf("got %v", err)
		}
	}
	wants(true)
	answers.Store(true)
	succeed(t, ledgerSchedule(t.Context(), client))
	answers.Store(false)
	wants(false)
}

func TestPortWithoutTLSIsNotRetried(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(emulator.New(emulator.Options{}))
	t.Cleanup(server.Close)
	err := ledgerSchedule(t.Context(), newClient(t, strings.Replace(server.URL, "http:", "https:", 1)))
	if !errors.Is(err, http.ErrSchemeMismatch) {
		t.Errorf("got %v", err)
	}
	equal(t, "attempts", wantError(t, err).Attempts, 1)
}

func newAuthority(t *testing.T) certificates.Authority {
	t.Helper()
	authority, err := certificates.NewAuthority("test")
	succeed(t, err)
	return authority
}

func TestAddRootCAsRequiresCompletePEMDocuments(t *testing.T) {
	t.Parallel()
	one, two := certificates.EncodeCertificate(newAuthority(t).Certificate), certificates.EncodeCertificate(newAuthority(t).Certificate)
	comment := []byte("# our own authority\n")
	for name, document := range map[string][]byte{
		"one":           one,
		"two":           bytes.Join([][]byte{one, two}, nil),
		"with comments": bytes.Join([][]byte{comment, one, comment, two, comment}, nil),
		"with CRLF":     bytes.ReplaceAll(one, []byte("\n"), []byte("\r\n")),
	} {
		pool := x509.NewCertPool()
		got, err := opsmanager.AddRootCAs(pool, document)
		if err != nil || got != pool {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("p4ssw0rd")})
	for name, document := range map[string][]byte{
		"empty":                nil,
		"text":                 []byte("no certificate"),
		"DER":                  newAuthority(t).Leaf.Raw,
		"a key":                key,
		"under another name":   pem.EncodeToMemory(&pem.Block{Type: "TRUSTED CERTIFICATE", Bytes: newAuthority(t).Leaf.Raw}),
		"a certificate, a key": bytes.Join([][]byte{one, key}, nil),
		"no certificate in it": certificatePEM([]byte("nothing")),
		"cut off":              one[:len(one)/2],
		"the second cut off":   bytes.Join([][]byte{one, two[:len(two)/2]}, nil),
		"the first cut off":    bytes.Join([][]byte{one[:len(one)/2], two}, nil),
		"bad base64":           bytes.Join([][]byte{one, bytes.Replace(two, []byte("\nMII"), []byte("\n!!!"), 1)}, nil),
	} {
		if got, err := opsmanager.AddRootCAs(x509.NewCertPool(), document); err == nil || got != nil {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	// The system's roots are kept.
	system, err := x509.SystemCertPool()
	succeed(t, err)
	both, err := opsmanager.AddRootCAs(nil, one)
	succeed(t, err)
	if both.Equal(system) {
		t.Error("the certificate was not added")
	}
	if both, err = opsmanager.AddRootCAs(both, two); err != nil || both == nil {
		t.Error(err)
	}
}

func TestProxyIsUsed(t *testing.T) {
	t.Parallel()
	service := emulator.New(emulator.Options{})
	var requested atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested.Store(r.URL.String())
		service.ServeHTTP(w, r) // for any host
	}))
	t.Cleanup(proxy.Close)
	address, err := opsmanager.ParseProxyURL(proxy.URL)
	succeed(t, err)
	client := newClient(t, "http://opsmanager.invalid:8080", func(c *opsmanager.Config) { c.Proxy = address })
	_, err = client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{Number: 1})
	succeed(t, err)
	equal(t, "address", requested.Load(), any("http://opsmanager.invalid:8080"+basePath+"/groups/"+payments+"/backupConfigs?pageNum=1"))
}

func TestRefusalOfAProxyIsRetriedOnlyIfItMayBeTemporary(t *testing.T) {
	t.Parallel()
	for code, attempts := range map[int]int{302: 1, 401: 1, 403: 1, 405: 1, 407: 1, 501: 1, 429: 4, 500: 4, 502: 4, 503: 4, 504: 4} {
		proxy := httptest.NewServer(http.HandlerFunc(status(code)))
		t.Cleanup(proxy.Close)
		address, err := opsmanager.ParseProxyURL(proxy.URL)
		succeed(t, err)
		client := newClient(t, "https://opsmanager.invalid", func(c *opsmanager.Config) { c.Proxy = address })
		post := call[http.MethodPost](t.Context(), client)
		client = newClient(t, "https://opsmanager.invalid", func(c *opsmanager.Config) { c.Proxy = address })
		for _, err := range []error{ledgerSchedule(t.Context(), client), post} {
			var refusal opsmanager.ProxyRefusal
			if want := fmt.Sprintf("the proxy did not connect to Ops Manager: %d %s", code, http.StatusText(code)); !errors.As(err, &refusal) ||
				int(refusal) != code || !strings.Contains(err.Error(), want) {
				t.Errorf("%d: got %v, want %s", code, err, want)
			}
			equal(t, fmt.Sprint(code, " attempts"), wantError(t, err).Attempts, attempts)
			if opsmanager.MayHaveChanged(err) {
				t.Errorf("nothing was sent: %v", err)
			}
		}
	}
}

func TestErrorsDoNotContainTheProxyPassword(t *testing.T) {
	t.Parallel()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
		_, _ = fmt.Fprintln(w, "<pre>", r.Header["Proxy-Authorization"], "</pre>")
		_ = r.Header.Write(w)
		_ = json.NewEncoder(w).Encode(r.Header)
	}))
	t.Cleanup(refuses.Close)
	for proxy, want := range map[string]string{
		refuses.URL: "Proxy Authentication Required",
		closed:      "connect",
		strings.Replace(refuses.URL, "http://", "https://", 1): "TLS handshake",
		strings.Replace(closed, "http://", "socks5://", 1):     "connect",
	} {
		address, err := opsmanager.ParseProxyURL(strings.Replace(proxy, "://", "://user:p4ssw0rd@", 1))
		succeed(t, err)
		for _, service := range []string{"http://opsmanager.invalid", "https://opsmanager.invalid"} {
			logged := ""
			client := newClient(t, service, retries(0), logging(&logged), func(c *opsmanager.Config) { c.Proxy = address })
			err := ledgerSchedule(t.Context(), client)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: got %v", proxy, service, err)
			}
			if named := "the proxy " + proxy + " of proxy_url"; wantError(t, err).Status == 0 && !strings.Contains(err.Error(), named) {
				t.Errorf("%s %s: %v does not name the proxy", proxy, service, err)
			}
			for _, secret := range []string{"p4ssw0rd", base64.StdEncoding.EncodeToString([]byte("user:p4ssw0rd"))} {
				if strings.Contains(fmt.Sprint(err, logged), secret) {
					t.Errorf("%s %s: %q is in %v and %s", proxy, service, secret, err, logged)
				}
			}
		}
	}
}

// net/http reads the variables of a process only once.
func TestErrorNamesTheProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	if os.Getenv("IN_ANOTHER_PROCESS") == "" {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") // #nosec G204 -- this program
		command.Env = append(os.Environ(), "IN_ANOTHER_PROCESS=1", "HTTPS_PROXY="+strings.Replace(closed, "://", "://user:p4ssw0rd@", 1),
			"HTTP_PROXY=http://user:2024/p4ssw0rd@proxy.invalid", "NO_PROXY=exempt.invalid")
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
		return
	}
	for address, want := range map[string]string{
		"https://opsmanager.invalid": "the proxy " + closed + " of HTTPS_PROXY in the environment, because NO_PROXY does not exempt the host and port",
		"http://opsmanager.invalid":  "the proxy of HTTP_PROXY in the environment", // what looks like a port is a part of the password
		"https://exempt.invalid":     "no such host",
	} {
		err := ledgerSchedule(t.Context(), newClient(t, address, retries(0)))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "p4ssw0rd") || strings.Contains(err.Error(), "2024") {
			t.Errorf("%s: got %v", address, err)
		}
		if strings.Contains(address, "exempt") && strings.Contains(err.Error(), "proxy") {
			t.Errorf("got %v", err)
		}
	}
}

// Ops Manager may validate a snapshot, or test a bucket, before it responds. Such a request is waited for, and not sent again.
func TestSlowWriteIsWaitedForAndNotRepeatedAfterwards(t *testing.T) {
	t.Parallel()
	const timeout, soon = 400 * time.Millisecond, 1200 * time.Millisecond
	restore := func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.CreateRestoreJob(ctx, payments, ledger, opsmanager.RestoreRequest{})
		return err
	}
	snapshot := func(ctx context.Context, c *opsmanager.Client) error {
		_, err := c.TakeSnapshot(ctx, payments, ledger, 1)
		return err
	}
	store := func(own time.Duration) caller {
		return func(ctx context.Context, c *opsmanager.Client) error {
			_, err := c.UpdateBackupStore(opsmanager.WithWriteTimeout(ctx, own), opsmanager.Blockstore, opsmanager.BackupStore{ID: nowhere})
			return err
		}
	}
	for name, test := range map[string]struct {
		call     caller
		takes    time.Duration
		says     string // "" if it succeeds
		attempts int
		isOwn    bool // whether the time of WithWriteTimeout is over
	}{
		"a restore":                       {restore, soon, "", 1, false},
		"a restore that hangs":            {restore, time.Hour, "no response within 4s", 1, false},
		"a snapshot":                      {snapshot, soon, "", 1, false},
		"a snapshot that hangs":           {snapshot, time.Hour, "no response within 4s", 1, false},
		"a store":                         {store(20 * time.Second), soon, "", 1, false},
		"a store, longer than its time":   {store(time.Second), 20 * time.Second, "no response within 1s", 1, true},
		"a read":                          {call[http.MethodGet], soon, "no response within 400ms", 4, false},
		"a change without a special time": {changeSchedule, soon, "no response within 400ms", 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			client := newClient(t, "http://127.0.0.1:9", withoutNetwork(func(w http.ResponseWriter, r *http.Request) {
				attempts++
				_, _ = io.Copy(io.Discard, r.Body)
				select {
				case <-time.After(test.takes):
					answerOK(w, `{"id": "`+nowhere+`", "clusterName": "ledger", "results": [{"id": "x"}]}`)
				case <-r.Context().Done():
				}
			}), func(c *opsmanager.Config) { c.Timeout = timeout })
			err := test.call(t.Context(), client)
			equal(t, name+": attempts", attempts, test.attempts)
			if test.says == "" {
				succeed(t, err)
				return
			}
			fails(t, name, err, test.says)
			equal(t, name+": may have changed", opsmanager.MayHaveChanged(err), !strings.HasSuffix(name, "read"))
			equal(t, name+": its own time", opsmanager.IsWriteTimeout(err), test.isOwn)
		})
	}
}
