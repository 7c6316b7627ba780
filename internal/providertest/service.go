package providertest

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/serve"
)

// Service is an emulator and its address. Each test has its own.
type Service struct {
	*emulator.Emulator
	URL string

	Environment map[string]string // what the provider sees

	inMemory http.Handler // receives the requests of the provider in place of a network, if not nil
}

// Chosen returns the options that a test gave, or the defaults.
func Chosen(options []emulator.Options) emulator.Options {
	if len(options) == 0 {
		return emulator.Options{}
	}
	return options[0]
}

// StartService starts an emulator with fixed times, unless the options have a clock.
func StartService(t *testing.T, options ...emulator.Options) *Service {
	t.Helper()
	e := emulator.New(Chosen(options).Fixed())
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return &Service{Emulator: e, URL: server.URL}
}

// StartTLSService starts an emulator with TLS and these settings. If they have no certificate, it
// presents Certificates.Trusted.
func StartTLSService(t *testing.T, settings *tls.Config) *Service {
	t.Helper()
	if len(settings.Certificates) == 0 {
		settings.Certificates = []tls.Certificate{*Certificates().Trusted}
	}
	e := emulator.New(emulator.Options{})
	server := httptest.NewUnstartedServer(e)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are expected
	server.TLS = settings
	server.StartTLS()
	t.Cleanup(server.Close)
	return &Service{Emulator: e, URL: server.URL}
}

// AllServices are the kinds of service on which the documented operations are tested.
var AllServices = []emulator.Options{
	{Profile: emulator.Full},
	{Profile: emulator.Documented},
	{Profile: emulator.Documented, UnknownRoutes: emulator.GoText},
	{Profile: emulator.Documented, UnknownRoutes: emulator.NginxPage},
}

// OnEachService runs a test on each of AllServices.
func OnEachService(t *testing.T, test func(t *testing.T, s *Service)) {
	t.Helper()
	for _, options := range AllServices {
		t.Run(string(options.Profile+emulator.Profile(options.UnknownRoutes)), func(t *testing.T) {
			t.Parallel()
			test(t, StartService(t, options))
		})
	}
}

// OnEachVersion runs a test on versions of Ops Manager.
func OnEachVersion(t *testing.T, versions []string, test func(t *testing.T, version string)) {
	t.Helper()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

// Config returns a configuration with a provider block in front.
func (s *Service) Config(body string) string {
	return fmt.Sprintf(`
provider "opsmanager" {
  base_url    = %q
  public_key  = %q
  private_key = %q
}
%s`, s.URL, emulator.DefaultPublicKey, emulator.DefaultPrivateKey, body)
}

// Calls returns the requests that were not challenged, each as 'METHOD path'.
func (s *Service) Calls(methods ...string) []string {
	calls := []string{}
	for _, r := range s.Requests() {
		if r.Authenticated && (len(methods) == 0 || slices.Contains(methods, r.Method)) {
			calls = append(calls, r.Method+" "+r.Path)
		}
	}
	return calls
}

// Writes returns the Calls that change something.
func (s *Service) Writes() []string { return s.Calls("POST", "PUT", "PATCH", "DELETE") }

// Sent returns the bodies of the requests with a method and a path suffix. It leaves out
// challenged requests.
func (s *Service) Sent(method, pathEnd string) []string {
	var bodies []string
	for _, r := range s.Requests() {
		if r.Authenticated && r.Method == method && strings.HasSuffix(r.Path, pathEnd) {
			bodies = append(bodies, string(r.Body))
		}
	}
	return bodies
}

// LongestWait is the maximum time that the provider waits for a retry, even if Retry-After is
// longer.
const LongestWait = 50 * time.Millisecond

// settleTime is how long the service may take to return new values.
const settleTime = 400 * time.Millisecond

// NewServer returns a server of the provider in the process of the test. It sees only the environment
// variables of the service, and waits milliseconds instead of seconds.
func (s *Service) NewServer(settleTime time.Duration) tfprotov6.ProviderServer {
	return newServer(s.options(quick(settleTime)))
}

// NewReleasedServer is like NewServer, with the waits of the released provider. In a bubble, they take no time.
func (s *Service) NewReleasedServer() tfprotov6.ProviderServer {
	return newServer(s.options(provider.Options{}))
}

// options adds to options what is special about a service.
func (s *Service) options(options provider.Options) provider.Options {
	options.Getenv = func(name string) string { return s.Environment[name] }
	if s.inMemory != nil {
		options.Wrap = func(http.RoundTripper) http.RoundTripper { return inMemory{s.inMemory} }
	}
	return options
}

// quick returns the options of a provider that waits milliseconds instead of seconds, and sees no environment.
func quick(settleTime time.Duration) provider.Options {
	return provider.Options{
		Getenv:       func(string) string { return "" },
		RetryWaitMin: time.Millisecond,
		RetryWaitMax: LongestWait,
		SettleTime:   settleTime,
	}
}

func newServer(options provider.Options) tfprotov6.ProviderServer {
	return serve.Printable(serve.Observed(provider.NewWithOptions("test", options)()), false)
}

// Factories returns a server like that of NewServer in the form that terraform-plugin-testing requires.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"opsmanager": func() (tfprotov6.ProviderServer, error) { return newServer(quick(settleTime)), nil },
	}
}
