package provider_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
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
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// configure configures a provider that has an environment of its own.
func configure(t *testing.T, environment map[string]string, settings providertest.Values) (*providertest.Workspace, providertest.Diagnostics) {
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
	w := &providertest.Workspace{T: t, Context: context.Background(), Server: server, Schema: schema}
	config := w.Dynamic(schema.Provider, settings)
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
func reaches(w *providertest.Workspace) error {
	_, told := w.Read(providertest.BackupConfigsType, providertest.Values{"project_id": providertest.Payments})
	if len(told.Errors()) > 0 {
		return fmt.Errorf("%q", told.Errors())
	}
	return nil
}

// needed are the settings that a service is called with.
func needed(url string, more providertest.Values) providertest.Values {
	settings := providertest.Values{"base_url": url, "public_key": emulator.DefaultPublicKey, "private_key": emulator.DefaultPrivateKey, "max_retries": 0}
	maps.Copy(settings, more)
	return settings
}

func TestSettingsComeFromTheConfigurationThenTheirVariables(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
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
				w, told := configure(t, test.environment, needed(s.URL, providertest.Values{setting: test.configured}))
				if len(told) > 0 {
					t.Fatalf("told %q %q", told.Errors(), told.Warnings())
				}
				if err := reaches(w); err != nil {
					t.Error(err)
				}
			})
		}
		t.Run(setting+" from nowhere", func(t *testing.T) {
			t.Parallel()
			_, told := configure(t, nil, needed(s.URL, providertest.Values{setting: nil}))
			providertest.WantOne(t, told.Errors(), "["+setting+"]", "Missing Provider Setting", variables[0]+" or "+variables[1])
		})
	}
}

func TestEveryMissingSettingIsNamed(t *testing.T) {
	t.Parallel()
	_, told := configure(t, nil, nil)
	if got := told.Errors(); len(got) != 3 {
		t.Errorf("told %q", got)
	}
	// A key pair of two sources is none that anybody meant, but a half is missing only where nothing gives it.
	_, told = configure(t, map[string]string{"MCLI_PUBLIC_API_KEY": "p"}, providertest.Values{"base_url": "https://om.example.com"})
	providertest.WantOne(t, told.Errors(), "[private_key]", "OPSMANAGER_PRIVATE_KEY or MCLI_PRIVATE_API_KEY")
}

func TestTheSchemaNamesTheVariables(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	for _, attribute := range w.Schema.Provider.Block.Attributes {
		if attribute.Name == "ca_cert_file" {
			providertest.WantContains(t, attribute.Description, "`OPSMANAGER_CA_CERT_FILE`, or else `MCLI_OPS_MANAGER_CA_CERTIFICATE`")
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
		providertest.WantOne(t, told.Errors(), "Invalid Base URL: base_url: ", says)
	}
	s := providertest.StartService(t, emulator.Options{})
	for _, end := range []string{"", "/", "/api/public/v1.0", "/api/public/v1.0/"} {
		w, told := configure(t, nil, needed(s.URL+end, nil))
		if len(told) > 0 {
			t.Errorf("%q: %v %v", end, told.Errors(), told.Warnings())
		}
		if err := reaches(w); err != nil {
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
		if len(told.Errors()) > 0 || (len(told.Warnings()) == 1) != warns {
			t.Errorf("%s: %q %q", address, told.Errors(), told.Warnings())
		}
		if warns {
			providertest.WantOne(t, told.Warnings(), "[base_url]", "Plain HTTP")
		}
	}
}

func TestPlainHTTPToLocalhostThroughAProxyWarns(t *testing.T) {
	t.Parallel()
	for proxy, warns := range map[string]bool{"http://proxy.example.com:3128": true, "http://localhost:3128": false, "socks5://127.0.0.1:1080": false} {
		_, told := configure(t, nil, needed("http://localhost:8080", providertest.Values{"proxy_url": proxy}))
		if len(told.Errors()) > 0 || (len(told.Warnings()) == 1) != warns {
			t.Errorf("%s: %q %q", proxy, told.Errors(), told.Warnings())
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
		{"request_timeout", "30", "positive duration, such as 45s or 2m"},
		{"request_timeout", "soon", "positive duration"},
		{"request_timeout", "0s", "positive duration"},
		{"request_timeout", "-1s", "positive duration"},
		{"max_retries", -1, "at least 0"},
		{"proxy_url", "proxy.example.com:3128", "proxy"},
		{"proxy_url", "ftp://proxy.example.com", "scheme of a proxy"},
		{"ca_cert_pem", "not PEM", "no PEM certificate"},
		{"ca_cert_file", "/nonexistent/ca.pem", "Unable to Read File: ca_cert_file: The file can't be read: no such file"},
		{"client_cert_file", "/nonexistent/c.pem", "client_key_file"},
		{"client_key_file", "/nonexistent/k.pem", "client_cert_file"},
	} {
		_, told := configure(t, nil, needed("https://om.example.com", providertest.Values{test.setting: test.value}))
		if got := told.Errors(); len(got) != 1 || !strings.Contains(got[0], test.says) {
			t.Errorf("%s = %v: %q", test.setting, test.value, got)
		}
	}
	_, told := configure(t, nil, needed("https://om.example.com", providertest.Values{"client_cert_file": "/nonexistent/c.pem", "client_key_file": "/nonexistent/k.pem"}))
	if got := told.Errors(); len(got) != 2 {
		t.Fatalf("told %q", got)
	}
	providertest.WantContains(t, told.Errors()[0], "Unable to Read File: client_cert_file: The file can't be read: no such file")
	providertest.WantContains(t, told.Errors()[1], "Unable to Read File: client_key_file: The file can't be read: no such file")
	certificate, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	_, otherKey := providertest.EncodePEM(t, providertest.Certificates().Trusted)
	certificateFile, keyFile := written(t, "c.pem", certificate), written(t, "k.pem", otherKey)
	_, told = configure(t, nil, needed("https://om.example.com", providertest.Values{"client_cert_file": certificateFile, "client_key_file": keyFile}))
	providertest.WantOne(t, told.Errors(), "Invalid Client Certificate: client_cert_file", certificateFile, keyFile, "does not match")

	// A key in the place of its path is not repeated.
	for _, setting := range []string{"ca_cert_file", "client_cert_file", "client_key_file"} {
		_, told := configure(t, nil, needed("https://om.example.com", providertest.Values{"client_cert_file": certificateFile, "client_key_file": keyFile, setting: string(key)}))
		providertest.WantContains(t, told.Errors()[0], "Invalid File Path: "+setting+": ", "must be the path")
	}
}

// Terraform prints the line of the configuration that an error is on. So an error
// about a value that may be a secret is on no attribute, and doesn't repeat it.
func TestASecretInAnotherPlaceIsNotShown(t *testing.T) {
	t.Parallel()
	_, pemKey := providertest.EncodePEM(t, providertest.Certificates().Client)
	const password = "p4ssw0rd"
	secrets := []string{secretKey, password, "BEGIN PRIVATE", strings.Split(string(pemKey), "\n")[1]}
	for _, misplaced := range []string{
		secretKey, string(pemKey), strings.ReplaceAll(string(pemKey), "\n", ""), strings.Split(string(pemKey), "\n")[1],
		"https://user:" + password + "@om.example.com", "https://user:" + password + "@om example.com", "https://" + secretKey + ":port", "ftp://" + secretKey,
		"https://om.example.com/" + secretKey, secretKey + "@om.example.com", "https://om.example.com?key=" + secretKey, "/" + secretKey, "./" + secretKey,
	} {
		for _, setting := range []string{"base_url", "proxy_url", "ca_cert_file", "ca_cert_pem", "client_cert_file", "client_key_file", "request_timeout"} {
			settings := needed("https://om.example.com", providertest.Values{"client_cert_file": "/nonexistent/c.pem", "client_key_file": "/nonexistent/k.pem", setting: misplaced})
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
func wantUnseen(t *testing.T, told providertest.Diagnostics, setting string, secrets []string) {
	t.Helper()
	for _, text := range append(told.Errors(), told.Warnings()...) {
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
		settings    providertest.Values
		warns       string
	}{
		"malformed":                        {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:port"}, nil, "HTTPS_PROXY"},
		"malformed, in small letters":      {"https://om.example.com", map[string]string{"https_proxy": "http://proxy example:1"}, nil, "https_proxy"},
		"right":                            {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:3128"}, nil, ""},
		"without a scheme":                 {"https://om.example.com", map[string]string{"HTTPS_PROXY": "proxy:3128"}, nil, ""},
		"of the other scheme":              {"https://om.example.com", map[string]string{"HTTP_PROXY": "http://proxy:port"}, nil, ""},
		"in the shade of a right one":      {"https://om.example.com", map[string]string{"HTTPS_PROXY": "proxy:3128", "https_proxy": "http://proxy:port"}, nil, ""},
		"in the shade of a configured one": {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:port"}, providertest.Values{"proxy_url": "http://proxy:3128"}, ""},
	} {
		_, told := configure(t, test.environment, needed(test.url, test.settings))
		if len(told) > 0 && test.warns == "" {
			t.Errorf("%s: %q %q", name, told.Errors(), told.Warnings())
		}
		if test.warns != "" {
			providertest.WantOne(t, told.Warnings(), "Malformed Proxy in the Environment", "variable "+test.warns+" must be")
		}
	}
}

// What a secret store or an editor leaves around a value is no part of it.
func TestBlanksAroundASettingAreIgnored(t *testing.T) {
	t.Parallel()
	authority := providertest.Certificates().Authority
	certificate, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM([]byte(authority))
	s := providertest.StartTLSService(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12})
	blanks := func(text string) string { return " \t" + text + " \r\n" }
	for name, test := range map[string]struct {
		environment map[string]string
		settings    providertest.Values
	}{
		"in the configuration": {nil, providertest.Values{
			"ca_cert_file": blanks(written(t, "ca.pem", []byte(authority))), "request_timeout": blanks("20s"),
			"client_cert_file": blanks(written(t, "c.pem", certificate)), "client_key_file": blanks(written(t, "k.pem", key)),
		}},
		"in the environment": {map[string]string{
			"OPSMANAGER_CA_CERT_FILE": blanks(written(t, "ca.pem", []byte(authority))), "OPSMANAGER_INSECURE_SKIP_VERIFY": blanks("false"),
			"OPSMANAGER_CLIENT_CERT_FILE": blanks(written(t, "c.pem", certificate)), "OPSMANAGER_CLIENT_KEY_FILE": blanks(written(t, "k.pem", key)),
		}, nil},
	} {
		w, told := configure(t, test.environment, needed(s.URL, test.settings))
		if len(told) > 0 {
			t.Fatalf("%s: %q %q", name, told.Errors(), told.Warnings())
		}
		if err := reaches(w); err != nil {
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
		_, told := configure(t, test.environment, needed("https://om.example.com", providertest.Values{"insecure_skip_verify": test.configured}))
		if len(told.Errors()) > 0 || len(told.Warnings()) > 0 && test.says == nil {
			t.Errorf("%s: %q %q", name, told.Errors(), told.Warnings())
		}
		if test.says != nil {
			providertest.WantOne(t, told.Warnings(), test.says...)
		}
	}
	_, told := configure(t, map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "yes please"}, needed("https://om.example.com", nil))
	providertest.WantOne(t, told.Errors(), "[insecure_skip_verify]", "MCLI_OPS_MANAGER_SKIP_VERIFY must be true or false")
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

func TestAPrivateAuthorityIsTrustedIfConfigured(t *testing.T) {
	t.Parallel()
	s := providertest.StartTLSService(t, &tls.Config{MinVersion: tls.VersionTLS12})
	authority, other := providertest.Certificates().Authority, providertest.Certificates().OtherAuthority
	file := written(t, "ca.pem", []byte(authority))
	for name, test := range map[string]struct {
		environment map[string]string
		settings    providertest.Values
		trusted     bool
	}{
		"not at all":               {nil, nil, false},
		"in a file":                {nil, providertest.Values{"ca_cert_file": file}, true},
		"as text":                  {nil, providertest.Values{"ca_cert_pem": authority}, true},
		"in a file, beside a text": {nil, providertest.Values{"ca_cert_file": file, "ca_cert_pem": other}, true},
		"by its own variable":      {map[string]string{"OPSMANAGER_CA_CERT_FILE": file, "MCLI_OPS_MANAGER_CA_CERTIFICATE": "/nonexistent"}, nil, true},
		"by the command line's":    {map[string]string{"MCLI_OPS_MANAGER_CA_CERTIFICATE": file}, nil, true},
		"by no verification":       {nil, providertest.Values{"insecure_skip_verify": true}, true},
		"another one":              {nil, providertest.Values{"ca_cert_pem": other}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, told := configure(t, test.environment, needed(s.URL, test.settings))
			if len(told.Errors()) > 0 {
				t.Fatal(told.Errors())
			}
			err := reaches(w)
			if (err == nil) != test.trusted {
				t.Errorf("trusted %v: %v", test.trusted, err)
			}
			if err != nil {
				providertest.WantContains(t, err.Error(), "not trusted", "ca_cert_file")
			}
		})
	}
	_, told := configure(t, nil, needed(s.URL, providertest.Values{"ca_cert_file": written(t, "empty.pem", nil)}))
	providertest.WantOne(t, told.Errors(), "Invalid CA File: ca_cert_file: ", "no PEM certificate")
	_, told = configure(t, nil, needed(s.URL, providertest.Values{"ca_cert_pem": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))}))
	providertest.WantOne(t, told.Errors(), "Invalid CA Certificate: ca_cert_pem: ", "only certificates", "PRIVATE KEY")
}

func TestAClientCertificateIsPresented(t *testing.T) {
	t.Parallel()
	authority := providertest.Certificates().Authority
	certificate, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM([]byte(authority))
	s := providertest.StartTLSService(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12})
	certFile, keyFile := written(t, "client.pem", certificate), written(t, "client.key", key)

	w, told := configure(t, map[string]string{"OPSMANAGER_CLIENT_KEY_FILE": keyFile},
		needed(s.URL, providertest.Values{"ca_cert_pem": authority, "client_cert_file": certFile}))
	if len(told) > 0 {
		t.Fatal(told.Errors())
	}
	if err := reaches(w); err != nil {
		t.Error(err)
	}
	w, _ = configure(t, nil, needed(s.URL, providertest.Values{"ca_cert_pem": authority}))
	if reaches(w) == nil {
		t.Error("the service does not ask for the certificate, so that this test says nothing")
	}
}

func TestSettingsThatAreNotKnownYetFailNoPlan(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"base_url", "public_key", "private_key", "ca_cert_file", "ca_cert_pem", "client_cert_file",
		"client_key_file", "insecure_skip_verify", "proxy_url", "request_timeout", "max_retries"} {
		// Not even its variable stands in for it.
		w, told := configure(t, map[string]string{"OPSMANAGER_BASE_URL": "https://wrong.invalid", "OPSMANAGER_PRIVATE_KEY": "wrong"},
			needed("https://om.invalid", providertest.Values{setting: providertest.Unknown}))
		if len(told) > 0 {
			t.Errorf("%s: %q %q", setting, told.Errors(), told.Warnings())
		}
		p := w.NewResource(providertest.RegionType).Plan(providertest.Region("NEW", nil))
		if len(p.Diagnostics) > 0 {
			t.Errorf("%s: %q %q", setting, p.Errors(), p.Warnings())
		}
		_, told = w.Read(providertest.BackupConfigsType, providertest.Values{"project_id": providertest.Payments})
		providertest.WantOne(t, told.Errors(), setting+" is not known yet", "depends_on")
	}
}

func TestRequestsNameTheProviderAndTerraform(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	w, _ := configure(t, nil, needed(s.URL, nil))
	if err := reaches(w); err != nil {
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
	s := providertest.StartService(t, emulator.Options{})
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
	w, _ := configure(t, nil, needed("http://om.invalid", providertest.Values{"proxy_url": proxy.URL}))
	if err := reaches(w); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) == 0 || slices.ContainsFunc(asked, func(host string) bool { return host != "om.invalid" }) {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

func TestTimeoutAndRetriesAreConfigurable(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	w, _ := configure(t, nil, needed(s.URL, providertest.Values{"request_timeout": "500ms"}))
	s.Inject(emulator.Fault{Unanswered: true})
	started := time.Now()
	err := reaches(w)
	if err == nil || time.Since(started) > 10*time.Second {
		t.Fatalf("given up after %s: %v", time.Since(started), err)
	}
	providertest.WantContains(t, err.Error(), "raise request_timeout or max_retries")
	if got := len(s.Calls()); got != 1 {
		t.Errorf("%d attempts without retries", got)
	}

	s.ResetRequests()
	w, _ = configure(t, nil, needed(s.URL, providertest.Values{"max_retries": 1}))
	s.Inject(emulator.Fault{Status: 503})
	if err := reaches(w); err != nil {
		t.Error(err)
	}
	if got := len(s.Calls()); got != 2 {
		t.Errorf("%d attempts with one retry", got)
	}
}

func TestTheProviderServesASchemaThatTerraformTakes(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	if told := providertest.Diagnostics(w.Schema.Diagnostics); len(told) > 0 {
		t.Errorf("told %q", told.Errors())
	}
	var names []string
	undescribed := func(of string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			if attribute.Description == "" {
				t.Errorf("%s.%s is not described", of, attribute.Name)
			}
		}
	}
	undescribed("provider", w.Schema.Provider.Block.Attributes)
	for name, schema := range w.Schema.ResourceSchemas {
		names = append(names, name)
		undescribed(name, schema.Block.Attributes)
	}
	for name, schema := range w.Schema.DataSourceSchemas {
		names = append(names, name)
		undescribed(name, schema.Block.Attributes)
		for _, attribute := range schema.Block.Attributes {
			if attribute.NestedType != nil {
				undescribed(name+"."+attribute.Name, attribute.NestedType.Attributes)
			}
		}
	}
	slices.Sort(names)
	if want := []string{providertest.BackupConfigType, providertest.BackupConfigType, providertest.BackupConfigsType, providertest.ClusterType, providertest.ClusterSnapshotsType, providertest.ClustersType, providertest.ConfigServerSnapshotsType, providertest.RegionType, providertest.RegionsType, providertest.ProjectType, providertest.ProjectsType, providertest.ScheduleType, providertest.ScheduleType}; !slices.Equal(names, want) {
		t.Errorf("served %v", names)
	}
	identities, err := w.Server.GetResourceIdentitySchemas(context.Background(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil || len(identities.IdentitySchemas) != 3 {
		t.Errorf("%d identities, %v", len(identities.IdentitySchemas), err)
	}
}
