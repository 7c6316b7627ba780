package provider_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider"
)

// configure configures a provider that has an environment of its own.
func configure(t *testing.T, environment map[string]string, settings values) (*workspace, diagnostics) {
	t.Helper()
	getenv := func(name string) string { return environment[name] }
	server, err := providerserver.NewProtocol6WithError(provider.NewWithOptions("1.2.3", provider.Options{Getenv: getenv})())()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{t: t, ctx: context.Background(), server: server, schema: schema}
	config := w.dynamic(schema.Provider, settings)
	validated, err := server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return w, append(validated.Diagnostics, configured.Diagnostics...)
}

// reaches reports whether a configured provider can call the service.
func (w *workspace) reaches() error {
	_, told := w.read(backupConfigsType, values{"project_id": payments})
	if len(told.errors()) > 0 {
		return fmt.Errorf("%q", told.errors())
	}
	return nil
}

// needed are the settings that a service is called with.
func needed(url string, more values) values {
	settings := values{"base_url": url, "public_key": emulator.DefaultPublicKey, "private_key": emulator.DefaultPrivateKey, "max_retries": 0}
	maps.Copy(settings, more)
	return settings
}

func TestSettingsComeFromTheConfigurationThenTheirVariables(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	right := map[string]string{"base_url": s.URL, "public_key": emulator.DefaultPublicKey, "private_key": emulator.DefaultPrivateKey}
	const wrong = "https://wrong.invalid"
	for setting, variables := range map[string][]string{
		"base_url":    {"OPSMANAGER_BASE_URL", "MCLI_OPS_MANAGER_URL"},
		"public_key":  {"OPSMANAGER_PUBLIC_KEY", "MCLI_PUBLIC_API_KEY"},
		"private_key": {"OPSMANAGER_PRIVATE_KEY", "MCLI_PRIVATE_API_KEY"},
	} {
		for name, test := range map[string]struct {
			configured  any
			environment map[string]string
		}{
			"the configuration":       {right[setting], map[string]string{variables[0]: wrong, variables[1]: wrong}},
			"its own variable":        {nil, map[string]string{variables[0]: right[setting], variables[1]: wrong}},
			"the command line's":      {nil, map[string]string{variables[1]: right[setting]}},
			"not an empty value":      {"", map[string]string{variables[0]: "", variables[1]: right[setting]}},
			"amid blanks":             {" \t" + right[setting] + "\r\n", map[string]string{variables[0]: wrong}},
			"a variable amid blanks":  {nil, map[string]string{variables[0]: " \n", variables[1]: "\n" + right[setting] + " \n"}},
			"each setting on its own": {nil, map[string]string{variables[0]: right[setting]}},
		} {
			t.Run(setting+" from "+name, func(t *testing.T) {
				t.Parallel()
				w, told := configure(t, test.environment, needed(s.URL, values{setting: test.configured}))
				if len(told) > 0 {
					t.Fatalf("told %q %q", told.errors(), told.warnings())
				}
				if err := w.reaches(); err != nil {
					t.Error(err)
				}
			})
		}
		t.Run(setting+" from nowhere", func(t *testing.T) {
			t.Parallel()
			_, told := configure(t, nil, needed(s.URL, values{setting: nil}))
			wantOne(t, told.errors(), "["+setting+"]", "Missing Provider Setting", variables[0]+" or "+variables[1])
		})
	}
}

func TestEverySettingThatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	_, told := configure(t, nil, nil)
	if got := told.errors(); len(got) != 3 {
		t.Errorf("told %q", got)
	}
	// A key pair of two sources is none that anybody meant, but a half is missing only where nothing gives it.
	_, told = configure(t, map[string]string{"MCLI_PUBLIC_API_KEY": "p"}, values{"base_url": "https://om.example.com"})
	wantOne(t, told.errors(), "[private_key]", "OPSMANAGER_PRIVATE_KEY or MCLI_PRIVATE_API_KEY")
}

func TestTheSchemaNamesTheVariables(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	for _, attribute := range w.schema.Provider.Block.Attributes {
		if attribute.Name == "ca_cert_file" {
			wantWords(t, attribute.Description, "`OPSMANAGER_CA_CERT_FILE`, then `MCLI_OPS_MANAGER_CA_CERTIFICATE`")
		}
		if attribute.Sensitive != (attribute.Name == "private_key") {
			t.Errorf("%s: sensitive is %v", attribute.Name, attribute.Sensitive)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	t.Parallel()
	for address, says := range map[string]string{
		"opsmanager.example.com":                        "scheme must be https or http",
		"opsmanager.example.com:8443":                   "scheme must be https or http",
		"ftp://opsmanager.example.com":                  "scheme must be https or http",
		"https://":                                      "host is missing",
		"https://om.example.com/api/public/v1.0/groups": "path must be empty or /api/public/v1.0",
		"https://om.example.com/opsmanager":             "path must be empty",
		"https://key@om.example.com":                    "must not contain a user name",
		"https://om.example.com?a=b":                    "must not contain a query",
		"://":                                           "not a URL",
	} {
		_, told := configure(t, nil, needed(address, nil))
		wantOne(t, told.errors(), "Invalid Base URL: base_url: ", says)
	}
	s := startService(t, emulator.Options{})
	for _, end := range []string{"", "/", "/api/public/v1.0", "/api/public/v1.0/"} {
		w, told := configure(t, nil, needed(s.URL+end, nil))
		if len(told) > 0 {
			t.Errorf("%q: %v %v", end, told.errors(), told.warnings())
		}
		if err := w.reaches(); err != nil {
			t.Errorf("%q: %v", end, err)
		}
	}
}

func TestPlainHTTPOverANetworkWarns(t *testing.T) {
	t.Parallel()
	for address, warns := range map[string]bool{
		"http://om.example.com:8080": true, "http://192.0.2.1": true, "http://localhost.example.com": true,
		"http://localhost:8080": false, "http://127.0.0.1:8080": false, "http://127.9.9.9": false, "http://[::1]:8080": false,
		"https://om.example.com": false,
	} {
		_, told := configure(t, nil, needed(address, nil))
		if len(told.errors()) > 0 || (len(told.warnings()) == 1) != warns {
			t.Errorf("%s: %q %q", address, told.errors(), told.warnings())
		}
		if warns {
			wantOne(t, told.warnings(), "[base_url]", "Plain HTTP")
		}
	}
}

func TestPlainHTTPToThisMachineByWayOfAnotherWarns(t *testing.T) {
	t.Parallel()
	for proxy, warns := range map[string]bool{"http://proxy.example.com:3128": true, "http://localhost:3128": false, "socks5://127.0.0.1:1080": false} {
		_, told := configure(t, nil, needed("http://localhost:8080", values{"proxy_url": proxy}))
		if len(told.errors()) > 0 || (len(told.warnings()) == 1) != warns {
			t.Errorf("%s: %q %q", proxy, told.errors(), told.warnings())
		}
	}
}

func TestOtherSettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		setting string
		value   any
		says    string
	}{
		{"request_timeout", "30", "positive duration such as 45s or 2m"},
		{"request_timeout", "soon", "positive duration"},
		{"request_timeout", "0s", "positive duration"},
		{"request_timeout", "-1s", "positive duration"},
		{"max_retries", -1, "at least 0"},
		{"proxy_url", "proxy.example.com:3128", "proxy"},
		{"proxy_url", "ftp://proxy.example.com", "scheme of a proxy"},
		{"ca_cert_pem", "not PEM", "no PEM certificate"},
		{"ca_cert_file", "/nonexistent/ca.pem", "Unable to Read File: Open /nonexistent/ca.pem: no such file"},
		{"client_cert_file", "/nonexistent/c.pem", "client_key_file"},
		{"client_key_file", "/nonexistent/k.pem", "client_cert_file"},
	} {
		_, told := configure(t, nil, needed("https://om.example.com", values{test.setting: test.value}))
		if got := told.errors(); len(got) != 1 || !strings.Contains(got[0], test.says) {
			t.Errorf("%s = %v: %q", test.setting, test.value, got)
		}
	}
	_, told := configure(t, nil, needed("https://om.example.com", values{"client_cert_file": "/nonexistent/c.pem", "client_key_file": "/nonexistent/k.pem"}))
	if got := told.errors(); len(got) != 2 {
		t.Fatalf("told %q", got)
	}
	wantWords(t, told.errors()[0], "[client_cert_file] Unable to Read File: Open /nonexistent/c.pem: no such file")
	wantWords(t, told.errors()[1], "[client_key_file] Unable to Read File: Open /nonexistent/k.pem: no such file")
	key, certificate := newCertificate(t)
	otherKey, _ := newCertificate(t)
	certificateFile, keyFile := written(t, "c.pem", certificate), written(t, "k.pem", otherKey)
	_, told = configure(t, nil, needed("https://om.example.com", values{"client_cert_file": certificateFile, "client_key_file": keyFile}))
	wantOne(t, told.errors(), "[client_cert_file] Invalid Client Certificate", certificateFile, keyFile, "does not match")

	// A key in the place of its path is not repeated.
	for _, setting := range []string{"ca_cert_file", "client_cert_file", "client_key_file"} {
		_, told := configure(t, nil, needed("https://om.example.com", values{"client_cert_file": certificateFile, "client_key_file": keyFile, setting: string(key)}))
		wantWords(t, told.errors()[0], "Invalid File Path: "+setting+": ", "must be the path")
	}
}

// Terraform prints the line of the configuration that an error is on. So an error
// about a value that may be a secret is on no attribute, and doesn't repeat it.
func TestASecretInAnotherPlaceIsNotShown(t *testing.T) {
	t.Parallel()
	pemKey, _ := newCertificate(t)
	const password = "p4ssw0rd"
	secrets := []string{secretKey, password, "PRIVATE KEY", strings.Split(string(pemKey), "\n")[1]}
	for _, misplaced := range []string{
		secretKey, string(pemKey), strings.ReplaceAll(string(pemKey), "\n", ""), strings.Split(string(pemKey), "\n")[1],
		"https://user:" + password + "@om.example.com", "https://user:" + password + "@om example.com", "https://" + secretKey + ":port", "ftp://" + secretKey,
		"https://om.example.com/" + secretKey, secretKey + "@om.example.com", "https://om.example.com?key=" + secretKey,
	} {
		for _, setting := range []string{"base_url", "proxy_url", "ca_cert_file", "client_cert_file", "client_key_file"} {
			settings := needed("https://om.example.com", values{"client_cert_file": "/nonexistent/c.pem", "client_key_file": "/nonexistent/k.pem", setting: misplaced})
			_, told := configure(t, nil, settings)
			wantUnseen(t, told, setting, secrets)
			if len(environment[setting]) > 0 {
				settings[setting] = nil
				_, told = configure(t, map[string]string{environment[setting]: misplaced}, settings)
				wantUnseen(t, told, setting, secrets)
			}
		}
		_, told := configure(t, map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": misplaced, "HTTPS_PROXY": misplaced}, needed("https://om.example.com", nil))
		wantUnseen(t, told, "insecure_skip_verify", secrets)
	}
}

// environment are the variables of the settings that may be mistaken for others.
var environment = map[string]string{
	"base_url": "OPSMANAGER_BASE_URL", "ca_cert_file": "OPSMANAGER_CA_CERT_FILE", "client_cert_file": "OPSMANAGER_CLIENT_CERT_FILE", "client_key_file": "OPSMANAGER_CLIENT_KEY_FILE",
}

// wantUnseen checks that messages neither hold a secret nor are on the attribute
// whose value it is.
func wantUnseen(t *testing.T, told diagnostics, setting string, secrets []string) {
	t.Helper()
	for _, text := range append(told.errors(), told.warnings()...) {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q is in %q", setting, secret, text)
			}
		}
		if strings.HasPrefix(text, "["+setting+"]") && setting != "insecure_skip_verify" { // which no text can be in
			t.Errorf("on the attribute: %q", text)
		}
	}
}

func TestAMalformedProxyInTheEnvironmentWarns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		url         string
		environment map[string]string
		settings    values
		warns       string
	}{
		"malformed":                        {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:port"}, nil, "HTTPS_PROXY"},
		"malformed, in small letters":      {"https://om.example.com", map[string]string{"https_proxy": "http://proxy example:1"}, nil, "https_proxy"},
		"right":                            {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:3128"}, nil, ""},
		"without a scheme":                 {"https://om.example.com", map[string]string{"HTTPS_PROXY": "proxy:3128"}, nil, ""},
		"of the other scheme":              {"https://om.example.com", map[string]string{"HTTP_PROXY": "http://proxy:port"}, nil, ""},
		"in the shade of a right one":      {"https://om.example.com", map[string]string{"HTTPS_PROXY": "proxy:3128", "https_proxy": "http://proxy:port"}, nil, ""},
		"in the shade of a configured one": {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:port"}, values{"proxy_url": "http://proxy:3128"}, ""},
	} {
		_, told := configure(t, test.environment, needed(test.url, test.settings))
		if len(told) > 0 && test.warns == "" {
			t.Errorf("%s: %q %q", name, told.errors(), told.warnings())
		}
		if test.warns != "" {
			wantOne(t, told.warnings(), "Malformed Proxy in the Environment", "variable "+test.warns+" is not")
		}
	}
}

// What a secret store or an editor leaves around a value is no part of it.
func TestBlanksAroundASettingAreIgnored(t *testing.T) {
	t.Parallel()
	key, certificate := newCertificate(t)
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(certificate)
	url, authority := startTLS(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12})
	blanks := func(text string) string { return " \t" + text + " \r\n" }
	for name, test := range map[string]struct {
		environment map[string]string
		settings    values
	}{
		"in the configuration": {nil, values{
			"ca_cert_file": blanks(written(t, "ca.pem", authority)), "request_timeout": blanks("20s"),
			"client_cert_file": blanks(written(t, "c.pem", certificate)), "client_key_file": blanks(written(t, "k.pem", key)),
		}},
		"in the environment": {map[string]string{
			"OPSMANAGER_CA_CERT_FILE": blanks(written(t, "ca.pem", authority)), "OPSMANAGER_INSECURE_SKIP_VERIFY": blanks("false"),
			"OPSMANAGER_CLIENT_CERT_FILE": blanks(written(t, "c.pem", certificate)), "OPSMANAGER_CLIENT_KEY_FILE": blanks(written(t, "k.pem", key)),
		}, nil},
	} {
		w, told := configure(t, test.environment, needed(url, test.settings))
		if len(told) > 0 {
			t.Fatalf("%s: %q %q", name, told.errors(), told.warnings())
		}
		if err := w.reaches(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSkippingVerificationWarns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment map[string]string
		configured  any
		says        []string
	}{
		"configured":            {nil, true, []string{"[insecure_skip_verify]", "Not Verified", "ca_cert_file"}},
		"its own variable":      {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "1", "MCLI_OPS_MANAGER_SKIP_VERIFY": "0"}, nil, []string{"Not Verified"}},
		"the command line's":    {map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "true"}, nil, []string{"Not Verified"}},
		"as it spells it":       {map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "yes"}, nil, []string{"Not Verified"}},
		"in capitals":           {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "YES"}, nil, []string{"Not Verified"}},
		"as it denies it":       {map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "no"}, nil, nil},
		"overruled":             {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "true"}, false, nil},
		"a variable that isn't": {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "yes please"}, false, nil},
	} {
		_, told := configure(t, test.environment, needed("https://om.example.com", values{"insecure_skip_verify": test.configured}))
		if len(told.errors()) > 0 || len(told.warnings()) > 0 && test.says == nil {
			t.Errorf("%s: %q %q", name, told.errors(), told.warnings())
		}
		if test.says != nil {
			wantOne(t, told.warnings(), test.says...)
		}
	}
	_, told := configure(t, map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "yes please"}, needed("https://om.example.com", nil))
	wantOne(t, told.errors(), "[insecure_skip_verify]", "MCLI_OPS_MANAGER_SKIP_VERIFY must be true or false")
}

// startTLS starts a service with a certificate that no system trusts, and
// returns its authority.
func startTLS(t *testing.T, settings *tls.Config) (url string, authority []byte) {
	t.Helper()
	server := httptest.NewUnstartedServer(emulator.New(emulator.Options{}))
	server.TLS = settings
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// written writes a file of the test's own.
func written(t *testing.T, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAPrivateAuthorityIsTrustedWhereItIsNamed(t *testing.T) {
	t.Parallel()
	url, authority := startTLS(t, nil)
	file := written(t, "ca.pem", authority)
	_, other := newCertificate(t)
	for name, test := range map[string]struct {
		environment map[string]string
		settings    values
		trusted     bool
	}{
		"not at all":               {nil, nil, false},
		"in a file":                {nil, values{"ca_cert_file": file}, true},
		"as text":                  {nil, values{"ca_cert_pem": string(authority)}, true},
		"in a file, beside a text": {nil, values{"ca_cert_file": file, "ca_cert_pem": string(other)}, true},
		"by its own variable":      {map[string]string{"OPSMANAGER_CA_CERT_FILE": file, "MCLI_OPS_MANAGER_CA_CERTIFICATE": "/nonexistent"}, nil, true},
		"by the command line's":    {map[string]string{"MCLI_OPS_MANAGER_CA_CERTIFICATE": file}, nil, true},
		"by no verification":       {nil, values{"insecure_skip_verify": true}, true},
		"another one":              {nil, values{"ca_cert_pem": string(other)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, told := configure(t, test.environment, needed(url, test.settings))
			if len(told.errors()) > 0 {
				t.Fatal(told.errors())
			}
			err := w.reaches()
			if (err == nil) != test.trusted {
				t.Errorf("trusted %v: %v", test.trusted, err)
			}
			if err != nil {
				wantWords(t, err.Error(), "not trusted", "ca_cert_file")
			}
		})
	}
	_, told := configure(t, nil, needed(url, values{"ca_cert_file": written(t, "empty.pem", nil)}))
	wantOne(t, told.errors(), "[ca_cert_file]", "Invalid CA File", "no PEM certificate")
	_, told = configure(t, nil, needed(url, values{"ca_cert_pem": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))}))
	wantOne(t, told.errors(), "[ca_cert_pem]", "only certificates", "PRIVATE KEY")
}

// newCertificate makes a certificate that signs itself.
func newCertificate(t *testing.T) (key, certificate []byte) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestAClientCertificateIsPresented(t *testing.T) {
	t.Parallel()
	key, certificate := newCertificate(t)
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(certificate)
	url, authority := startTLS(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12})
	certFile, keyFile := written(t, "client.pem", certificate), written(t, "client.key", key)

	w, told := configure(t, map[string]string{"OPSMANAGER_CLIENT_KEY_FILE": keyFile},
		needed(url, values{"ca_cert_pem": string(authority), "client_cert_file": certFile}))
	if len(told) > 0 {
		t.Fatal(told.errors())
	}
	if err := w.reaches(); err != nil {
		t.Error(err)
	}
	w, _ = configure(t, nil, needed(url, values{"ca_cert_pem": string(authority)}))
	if w.reaches() == nil {
		t.Error("the service does not ask for the certificate, so that this test says nothing")
	}
}

func TestSettingsThatAreNotKnownYetFailNoPlan(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"base_url", "public_key", "private_key", "ca_cert_file", "ca_cert_pem", "client_cert_file",
		"client_key_file", "insecure_skip_verify", "proxy_url", "request_timeout", "max_retries"} {
		// Not even its variable stands in for it.
		w, told := configure(t, map[string]string{"OPSMANAGER_BASE_URL": "https://wrong.invalid", "OPSMANAGER_PRIVATE_KEY": "wrong"},
			needed("https://om.invalid", values{setting: unknown}))
		if len(told) > 0 {
			t.Errorf("%s: %q %q", setting, told.errors(), told.warnings())
		}
		p := w.resource(regionType).plan(region("NEW", nil))
		if len(p.diagnostics) > 0 {
			t.Errorf("%s: %q %q", setting, p.errors(), p.warnings())
		}
		_, told = w.read(backupConfigsType, values{"project_id": payments})
		wantOne(t, told.errors(), setting+" is not known yet", "depends_on")
	}
}

func TestRequestsNameTheProviderAndTerraform(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w, _ := configure(t, nil, needed(s.URL, nil))
	if err := w.reaches(); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests() {
		if got := r.Header.Get("User-Agent"); got != "terraform-provider-opsmanager/1.2.3 Terraform/1.11.4" {
			t.Errorf("%s %s: %q", r.Method, r.Path, got)
		}
	}
}

func TestCallsGoThroughAProxy(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	var (
		mu    sync.Mutex
		asked []string
	)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Host)
		mu.Unlock()
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	w, _ := configure(t, nil, needed("http://om.invalid", values{"proxy_url": proxy.URL}))
	if err := w.reaches(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) == 0 || slices.ContainsFunc(asked, func(host string) bool { return host != "om.invalid" }) {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

func TestPatienceIsConfigured(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w, _ := configure(t, nil, needed(s.URL, values{"request_timeout": "50ms"}))
	s.Inject(emulator.Fault{Unanswered: true})
	started := time.Now()
	err := w.reaches()
	if err == nil || time.Since(started) > 10*time.Second {
		t.Fatalf("given up after %s: %v", time.Since(started), err)
	}
	wantWords(t, err.Error(), "request_timeout and max_retries")
	if got := len(s.calls()); got != 1 {
		t.Errorf("%d attempts without retries", got)
	}

	s.ResetRequests()
	w, _ = configure(t, nil, needed(s.URL, values{"max_retries": 1}))
	s.Inject(emulator.Fault{Status: 503})
	if err := w.reaches(); err != nil {
		t.Error(err)
	}
	if got := len(s.calls()); got != 2 {
		t.Errorf("%d attempts with one retry", got)
	}
}

func TestTheProviderServesASchemaThatTerraformTakes(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	if told := diagnostics(w.schema.Diagnostics); len(told) > 0 {
		t.Errorf("told %q", told.errors())
	}
	var names []string
	undescribed := func(of string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			if attribute.Description == "" {
				t.Errorf("%s.%s is not described", of, attribute.Name)
			}
		}
	}
	undescribed("provider", w.schema.Provider.Block.Attributes)
	for name, schema := range w.schema.ResourceSchemas {
		names = append(names, name)
		undescribed(name, schema.Block.Attributes)
	}
	for name, schema := range w.schema.DataSourceSchemas {
		names = append(names, name)
		undescribed(name, schema.Block.Attributes)
		for _, attribute := range schema.Block.Attributes {
			if attribute.NestedType != nil {
				undescribed(name+"."+attribute.Name, attribute.NestedType.Attributes)
			}
		}
	}
	slices.Sort(names)
	if want := []string{backupConfigType, backupConfigsType, clusterType, clusterSnapshotsType, clustersType, snapshotsType, regionType, regionsType, projectType, scheduleType, scheduleType}; !slices.Equal(names, want) {
		t.Errorf("served %v", names)
	}
	identities, err := w.server.GetResourceIdentitySchemas(context.Background(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil || len(identities.IdentitySchemas) != 2 {
		t.Errorf("%d identities, %v", len(identities.IdentitySchemas), err)
	}
}
