package provider_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/providertest"
)

// configure configures a provider with the given environment variables.
func configure(t *testing.T, environment map[string]string, settings values) (*providertest.Workspace, providertest.Diagnostics) {
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
	_, diags := w.Read(providertest.BackupConfigsType, values{"project_id": payments})
	if len(diags.Errors()) > 0 {
		return fmt.Errorf("%q", diags.Errors())
	}
	return nil
}

// needed returns the settings that are required to call a service, and more.
func needed(url string, more values) values {
	settings := values{"base_url": url, "public_key": emulator.DefaultPublicKey, "private_key": emulator.DefaultPrivateKey, "max_retries": 0}
	maps.Copy(settings, more)
	return settings
}

func TestConfigurationTakesPrecedenceOverEnvironmentVariables(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
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
			"the configuration":      {right[setting], map[string]string{variables[0]: wrong, variables[1]: wrong}},
			"its own variable":       {nil, map[string]string{variables[0]: right[setting], variables[1]: wrong}},
			"the CLI's variable":     {nil, map[string]string{variables[1]: right[setting]}},
			"a variable if empty":    {"", map[string]string{variables[0]: "", variables[1]: right[setting]}},
			"a value with blanks":    {" \t" + right[setting] + "\r\n", map[string]string{variables[0]: wrong}},
			"a variable with blanks": {nil, map[string]string{variables[0]: " \n", variables[1]: "\n" + right[setting] + " \n"}},
		} {
			t.Run(setting+" from "+name, func(t *testing.T) {
				t.Parallel()
				w, diags := configure(t, test.environment, needed(s.URL, values{setting: test.configured}))
				diags.WantNone(t)
				if err := reaches(w); err != nil {
					t.Error(err)
				}
			})
		}
		t.Run(setting+" from nowhere", func(t *testing.T) {
			t.Parallel()
			_, diags := configure(t, nil, needed(s.URL, values{setting: nil}))
			diags.WantError(t, "["+setting+"]", "Missing Provider Setting", variables[0]+" or "+variables[1])
		})
	}
}

func TestEveryMissingSettingIsNamed(t *testing.T) {
	t.Parallel()
	_, diags := configure(t, nil, nil)
	if got := diags.Errors(); len(got) != 3 {
		t.Errorf("got %q", got)
	}
	// The two keys may come from different sources. Only the private key is missing.
	_, diags = configure(t, map[string]string{"MCLI_PUBLIC_API_KEY": "p"}, values{"base_url": "https://om.example.com"})
	diags.WantError(t, "[private_key]", "OPSMANAGER_PRIVATE_KEY or MCLI_PRIVATE_API_KEY")
}

func TestMessageAboutASettingNamesItsEnvironmentVariable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ value, says string }{
		"OPSMANAGER_BASE_URL":  {"om.example.com", "Invalid Base URL: base_url (from the environment variable OPSMANAGER_BASE_URL): "},
		"MCLI_OPS_MANAGER_URL": {"om.example.com", "base_url (from the environment variable MCLI_OPS_MANAGER_URL): "},
		"OPSMANAGER_CA_CERT_FILE": {
			"/nonexistent/ca.pem",
			"Unable to Read File: ca_cert_file (from the environment variable OPSMANAGER_CA_CERT_FILE): The file can't be read",
		},
		"OPSMANAGER_CLIENT_CERT_FILE": {
			"-----BEGIN CERTIFICATE-----",
			"Invalid File Path: client_cert_file (from the environment variable OPSMANAGER_CLIENT_CERT_FILE): ",
		},
	} {
		variables := map[string]string{name: test.value}
		config := needed("https://om.example.com", nil)
		if strings.HasSuffix(name, "_URL") {
			config["base_url"] = nil
		}
		if name == "OPSMANAGER_CLIENT_CERT_FILE" {
			variables["OPSMANAGER_CLIENT_KEY_FILE"] = written(t, "key.pem", nil)
		}
		_, diags := configure(t, variables, config)
		diags.WantError(t, test.says)
	}
	_, diags := configure(t, map[string]string{"OPSMANAGER_BASE_URL": "http://om.example.com"}, needed("", values{"base_url": nil}))
	diags.WantWarning(t, "om.example.com (from the environment variable OPSMANAGER_BASE_URL) can read")
}

func TestSchemaNamesTheEnvironmentVariables(t *testing.T) {
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

func TestInvalidBaseURLsAreErrors(t *testing.T) {
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
		_, diags := configure(t, nil, needed(address, nil))
		diags.WantError(t, "Invalid Base URL: base_url: ", says)
	}
	s := providertest.StartService(t)
	for _, end := range []string{"", "/", "/api/public/v1.0", "/api/public/v1.0/"} {
		w, diags := configure(t, nil, needed(s.URL+end, nil))
		if len(diags) > 0 {
			t.Errorf("%q: %v %v", end, diags.Errors(), diags.Warnings())
		}
		if err := reaches(w); err != nil {
			t.Errorf("%q: %v", end, err)
		}
	}
}

func TestPlainHTTPOverANetworkProducesAWarning(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		address, proxy string
		warns          bool
	}{
		{"http://om.example.com:8080", "", true},
		{"http://192.0.2.1", "", true},
		{"http://localhost.example.com", "", true},
		{"http://localhost:8080", "", false},
		{"http://127.0.0.1:8080", "", false},
		{"http://127.9.9.9", "", false},
		{"http://[::1]:8080", "", false},
		{"https://om.example.com", "", false},
		{"http://localhost:8080", "http://proxy.example.com:3128", true},
		{"http://localhost:8080", "http://localhost:3128", false},
		{"http://localhost:8080", "socks5://127.0.0.1:1080", false},
	} {
		_, diags := configure(t, nil, needed(test.address, values{"proxy_url": test.proxy}))
		if len(diags.Errors()) > 0 || (len(diags.Warnings()) == 1) != test.warns {
			t.Errorf("%+v: %q %q", test, diags.Errors(), diags.Warnings())
		}
		if test.warns {
			diags.WantWarning(t, "[base_url]", "Plain HTTP")
		}
	}
}

func TestInvalidSettingsAreErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		setting string
		value   any
		says    string
	}{
		{"request_timeout", "30", "positive duration, such as 45s or 2m"},
		{"request_timeout", "soon", "positive duration"},
		{"request_timeout", "0s", "positive duration"},
		{"request_timeout", "24h1s", "at most 24h"},
		{"request_timeout", "2562047h", "at most 24h"}, // ten of these are a negative duration
		{"request_timeout", "-1s", "positive duration"},
		{"max_retries", -1, "at least 0"},
		{"proxy_url", "proxy.example.com:3128", "proxy"},
		{"proxy_url", "ftp://proxy.example.com", "scheme of a proxy"},
		{"ca_cert_pem", "not PEM", "no PEM certificate"},
		{"ca_cert_file", "/nonexistent/ca.pem", "Unable to Read File: ca_cert_file: The file can't be read: no such file"},
		{"client_cert_file", "/nonexistent/c.pem", "client_key_file"},
		{"client_key_file", "/nonexistent/k.pem", "client_cert_file"},
	} {
		_, diags := configure(t, nil, needed("https://om.example.com", values{test.setting: test.value}))
		if got := diags.Errors(); len(got) != 1 || !strings.Contains(got[0], test.says) {
			t.Errorf("%s = %v: %q", test.setting, test.value, got)
		}
	}
	_, diags := configure(t, nil, needed("https://om.example.com", values{"client_cert_file": "/nonexistent/c.pem", "client_key_file": "/nonexistent/k.pem"}))
	if got := diags.Errors(); len(got) != 2 {
		t.Fatalf("got %q", got)
	}
	providertest.WantContains(t, diags.Errors()[0], "Unable to Read File: client_cert_file: The file can't be read: no such file")
	providertest.WantContains(t, diags.Errors()[1], "Unable to Read File: client_key_file: The file can't be read: no such file")
	certificate, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	_, otherKey := providertest.EncodePEM(t, providertest.Certificates().Trusted)
	certificateFile, keyFile := written(t, "c.pem", certificate), written(t, "k.pem", otherKey)
	_, diags = configure(t, nil, needed("https://om.example.com", values{"client_cert_file": certificateFile, "client_key_file": keyFile}))
	diags.WantError(t, "Invalid Client Certificate: client_cert_file", certificateFile, keyFile, "does not match")

	// An error does not repeat a key that is set instead of its path.
	for _, setting := range []string{"ca_cert_file", "client_cert_file", "client_key_file"} {
		_, diags := configure(
			t, nil,
			needed("https://om.example.com", values{"client_cert_file": certificateFile, "client_key_file": keyFile, setting: string(key)}),
		)
		providertest.WantContains(t, diags.Errors()[0], "Invalid File Path: "+setting+": ", "must be the path")
	}
}

// Terraform prints the line of the configuration that an error refers to. An error about a value
// that may be a secret therefore names no attribute and does not repeat the value.
func TestSecretInTheWrongSettingIsNotShown(t *testing.T) {
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
			settings := needed(
				"https://om.example.com",
				values{"client_cert_file": "/nonexistent/c.pem", "client_key_file": "/nonexistent/k.pem", setting: misplaced},
			)
			_, diags := configure(t, nil, settings)
			wantUnseen(t, diags, setting, secrets)
			if len(environment[setting]) > 0 {
				settings[setting] = nil
				_, diags = configure(t, map[string]string{environment[setting]: misplaced}, settings)
				wantUnseen(t, diags, setting, secrets)
			}
		}
		_, diags := configure(
			t, map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": misplaced, "HTTPS_PROXY": misplaced},
			needed("https://om.example.com", nil),
		)
		wantUnseen(t, diags, "insecure_skip_verify", secrets)
	}
}

// environment has the environment variables of the settings that a user may confuse.
var environment = map[string]string{
	"base_url": "OPSMANAGER_BASE_URL", "ca_cert_file": "OPSMANAGER_CA_CERT_FILE", "client_cert_file": "OPSMANAGER_CLIENT_CERT_FILE",
	"client_key_file": "OPSMANAGER_CLIENT_KEY_FILE",
}

// wantUnseen checks that messages neither contain a secret nor refer to the attribute that has it
// as its value.
func wantUnseen(t *testing.T, diags providertest.Diagnostics, setting string, secrets []string) {
	t.Helper()
	for _, text := range append(diags.Errors(), diags.Warnings()...) {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %q is in %q", setting, secret, text)
			}
		}
		if strings.HasPrefix(text, "["+setting+"]") && setting != "insecure_skip_verify" { // a Boolean cannot be a secret
			t.Errorf("the message refers to the attribute: %q", text)
		}
	}
}

func TestMalformedProxyInTheEnvironmentProducesAWarning(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		url         string
		environment map[string]string
		settings    values
		warns       string
	}{
		"malformed":                {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:port"}, nil, "HTTPS_PROXY"},
		"malformed, in lower case": {"https://om.example.com", map[string]string{"https_proxy": "http://proxy example:1"}, nil, "https_proxy"},
		"valid":                    {"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:3128"}, nil, ""},
		"without a scheme":         {"https://om.example.com", map[string]string{"HTTPS_PROXY": "proxy:3128"}, nil, ""},
		"for the other scheme":     {"https://om.example.com", map[string]string{"HTTP_PROXY": "http://proxy:port"}, nil, ""},
		"overridden by a valid one": {
			"https://om.example.com", map[string]string{"HTTPS_PROXY": "proxy:3128", "https_proxy": "http://proxy:port"}, nil, "",
		},
		"overridden by the configuration": {
			"https://om.example.com", map[string]string{"HTTPS_PROXY": "http://proxy:port"}, values{"proxy_url": "http://proxy:3128"},
			"",
		},
	} {
		_, diags := configure(t, test.environment, needed(test.url, test.settings))
		if len(diags) > 0 && test.warns == "" {
			t.Errorf("%s: %q %q", name, diags.Errors(), diags.Warnings())
		}
		if test.warns != "" {
			diags.WantWarning(t, "Malformed Proxy in the Environment", "variable "+test.warns+" must be")
		}
	}
}

func TestPasswordInTheProxyURLProducesAWarning(t *testing.T) {
	t.Parallel()
	for proxy, warns := range map[string]bool{
		"http://user:p4ssw0rd@proxy.example.com:3128": true,
		"socks5://user:p4ssw0rd@proxy.example.com":    true,
		"http://user@proxy.example.com:3128":          false,
		"http://proxy.example.com:3128":               false,
	} {
		_, diags := configure(t, nil, needed("https://om.example.com", values{"proxy_url": proxy}))
		wantUnseen(t, diags, "proxy_url", []string{"p4ssw0rd"})
		switch {
		case warns:
			diags.WantWarning(t, "Proxy Password in the Configuration", "HTTPS_PROXY")
		case len(diags) > 0:
			t.Errorf("%s: %q", proxy, diags.Warnings())
		}
	}
}

func TestSkippingVerificationProducesAWarning(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment map[string]string
		configured  any
		says        []string
	}{
		"configured":         {nil, true, []string{"[insecure_skip_verify]", "Not Verified", "ca_cert_file"}},
		"its own variable":   {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "1", "MCLI_OPS_MANAGER_SKIP_VERIFY": "0"}, nil, []string{"Not Verified"}},
		"the CLI's variable": {map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "true"}, nil, []string{"Not Verified"}},
		"the CLI's yes":      {map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "yes"}, nil, []string{"Not Verified"}},
		"in capitals":        {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "YES"}, nil, []string{"Not Verified"}},
		"the CLI's no":       {map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "no"}, nil, nil},
		"overruled":          {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "true"}, false, nil},
		"invalid and unused": {map[string]string{"OPSMANAGER_INSECURE_SKIP_VERIFY": "yes please"}, false, nil},
	} {
		_, diags := configure(t, test.environment, needed("https://om.example.com", values{"insecure_skip_verify": test.configured}))
		if len(diags.Errors()) > 0 || len(diags.Warnings()) > 0 && test.says == nil {
			t.Errorf("%s: %q %q", name, diags.Errors(), diags.Warnings())
		}
		if test.says != nil {
			diags.WantWarning(t, test.says...)
		}
	}
	_, diags := configure(t, map[string]string{"MCLI_OPS_MANAGER_SKIP_VERIFY": "yes please"}, needed("https://om.example.com", nil))
	diags.WantError(t, "[insecure_skip_verify]", "MCLI_OPS_MANAGER_SKIP_VERIFY must be true or false")
}

// written writes a file into a temporary directory and returns its path.
func written(t *testing.T, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPrivateCAIsTrustedIfConfigured(t *testing.T) {
	t.Parallel()
	s := providertest.StartTLSService(t, &tls.Config{MinVersion: tls.VersionTLS12})
	authority, other := providertest.Certificates().Authority, providertest.Certificates().OtherAuthority
	file := written(t, "ca.pem", []byte(authority))
	for name, test := range map[string]struct {
		environment map[string]string
		settings    values
		trusted     bool
	}{
		"not configured":        {nil, nil, false},
		"in a file":             {nil, values{"ca_cert_file": file}, true},
		"as text":               {nil, values{"ca_cert_pem": authority}, true},
		"in a file and as text": {nil, values{"ca_cert_file": file, "ca_cert_pem": other}, true},
		"by its own variable":   {map[string]string{"OPSMANAGER_CA_CERT_FILE": file, "MCLI_OPS_MANAGER_CA_CERTIFICATE": "/nonexistent"}, nil, true},
		"by the CLI's variable": {map[string]string{"MCLI_OPS_MANAGER_CA_CERTIFICATE": file}, nil, true},
		"without verification":  {nil, values{"insecure_skip_verify": true}, true},
		"another CA":            {nil, values{"ca_cert_pem": other}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, diags := configure(t, test.environment, needed(s.URL, test.settings))
			diags.WantNoErrors(t)
			err := reaches(w)
			if (err == nil) != test.trusted {
				t.Errorf("trusted %v: %v", test.trusted, err)
			}
			if err != nil {
				providertest.WantContains(t, err.Error(), "not trusted", "ca_cert_file")
			}
		})
	}
	_, diags := configure(t, nil, needed(s.URL, values{"ca_cert_file": written(t, "empty.pem", nil)}))
	diags.WantError(t, "Invalid CA File: ca_cert_file: ", "no PEM certificate")
	_, diags = configure(t, nil, needed(s.URL, values{"ca_cert_pem": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))}))
	diags.WantError(t, "Invalid CA Certificate: ca_cert_pem: ", "only certificates", "PRIVATE KEY")
}

// Secret stores and editors may add blanks and line feeds around a value.
func TestClientCertificateIsPresentedWithBlanksAroundItsSettings(t *testing.T) {
	t.Parallel()
	authority := providertest.Certificates().Authority
	certificate, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM([]byte(authority))
	s := providertest.StartTLSService(t, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12})
	blanks := func(text string) string { return " \t" + text + " \r\n" }
	authorityFile := blanks(written(t, "ca.pem", []byte(authority)))
	certFile, keyFile := blanks(written(t, "client.pem", certificate)), blanks(written(t, "client.key", key))
	for name, test := range map[string]struct {
		environment map[string]string
		settings    values
	}{
		"in the configuration": {nil, values{
			"ca_cert_file": authorityFile, "request_timeout": blanks("20s"), "client_cert_file": certFile, "client_key_file": keyFile,
		}},
		"in the environment": {map[string]string{
			"OPSMANAGER_CA_CERT_FILE": authorityFile, "OPSMANAGER_INSECURE_SKIP_VERIFY": blanks("false"),
			"OPSMANAGER_CLIENT_CERT_FILE": certFile, "OPSMANAGER_CLIENT_KEY_FILE": keyFile,
		}, nil},
		"in both": {map[string]string{"OPSMANAGER_CLIENT_KEY_FILE": keyFile}, values{"ca_cert_pem": authority, "client_cert_file": certFile}},
	} {
		w, diags := configure(t, test.environment, needed(s.URL, test.settings))
		if len(diags) > 0 {
			t.Fatalf("%s: %q %q", name, diags.Errors(), diags.Warnings())
		}
		if err := reaches(w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnknownSettingsDoNotFailAPlan(t *testing.T) {
	t.Parallel()
	for _, setting := range []string{"base_url", "public_key", "private_key", "ca_cert_file", "ca_cert_pem", "client_cert_file",
		"client_key_file", "insecure_skip_verify", "proxy_url", "request_timeout", "max_retries"} {
		// The environment variable does not replace an unknown value.
		w, diags := configure(t, map[string]string{"OPSMANAGER_BASE_URL": "https://wrong.invalid", "OPSMANAGER_PRIVATE_KEY": "wrong"},
			needed("https://om.invalid", values{setting: providertest.Unknown}))
		if len(diags) > 0 {
			t.Errorf("%s: %q %q", setting, diags.Errors(), diags.Warnings())
		}
		p := w.NewResource(providertest.RegionType).Plan(providertest.Region("NEW", nil))
		if len(p.Diagnostics) > 0 {
			t.Errorf("%s: %q %q", setting, p.Errors(), p.Warnings())
		}
		_, diags = w.Read(providertest.BackupConfigsType, values{"project_id": payments})
		diags.WantError(t, setting+" is not known yet", "depends_on")
	}
}

func TestRequestsNameTheProviderAndTerraform(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
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

func TestRequestsGoThroughTheConfiguredProxy(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
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
	s := providertest.StartService(t)
	w, _ := configure(t, nil, needed(s.URL, values{"request_timeout": "3s"}))
	s.Inject(emulator.Fault{Unanswered: true})
	started := time.Now()
	err := reaches(w)
	if err == nil || time.Since(started) > 30*time.Second {
		t.Fatalf("given up after %s: %v", time.Since(started), err)
	}
	providertest.WantContains(t, err.Error(), "raise request_timeout or max_retries")
	providertest.WantEqual(t, len(s.Calls()), 1)

	s.ResetRequests()
	w, _ = configure(t, nil, needed(s.URL, values{"max_retries": 1}))
	s.Inject(emulator.Fault{Status: 503})
	if err := reaches(w); err != nil {
		t.Error(err)
	}
	providertest.WantEqual(t, len(s.Calls()), 2)
}

func TestProviderServesAValidSchemaWithDescriptions(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	if diags := providertest.Diagnostics(w.Schema.Diagnostics); len(diags) > 0 {
		t.Errorf("got %q", diags.Errors())
	}
	undescribed := func(of string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			if attribute.Description == "" {
				t.Errorf("%s.%s is not described", of, attribute.Name)
			}
		}
	}
	undescribed("provider", w.Schema.Provider.Block.Attributes)
	for name, schema := range w.Schema.ResourceSchemas {
		undescribed(name, schema.Block.Attributes)
		for _, attribute := range schema.Block.Attributes {
			if attribute.NestedType != nil && attribute.Computed && !attribute.Optional {
				t.Errorf("%s.%s is nested and only computed: OpenTofu 1.10 and before crash when they generate a configuration", name, attribute.Name)
			}
		}
	}
	for name, schema := range w.Schema.DataSourceSchemas {
		undescribed(name, schema.Block.Attributes)
		for _, attribute := range schema.Block.Attributes {
			if attribute.NestedType != nil {
				undescribed(name+"."+attribute.Name, attribute.NestedType.Attributes)
			}
		}
	}
	identities, err := w.Server.GetResourceIdentitySchemas(context.Background(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	for name := range w.Schema.ListResourceSchemas {
		if err != nil || identities.IdentitySchemas[name] == nil {
			t.Errorf("%s has no identity, %v", name, err)
		}
	}
}

// Editors show descriptions without the page whose links they would be.
func TestDescriptionsHaveNoRelativeLinks(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	texts, err := json.Marshal(w.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(texts, []byte("](https://")) {
		t.Error("found no link at all")
	}
	for _, link := range regexp.MustCompile(`[^"]{0,40}\]\((?:[^h)][^)]*|h[^t)][^)]*)\)`).FindAll(texts, -1) {
		t.Errorf("...%s", link)
	}
}

// Each type has a folder of examples, a page, and a test of its own that runs the checks of all.
func TestEveryTypeHasExamplesAPageAndChecks(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	checked := map[string]string{}
	tests, _ := filepath.Glob("*/*_test.go")
	check := regexp.MustCompile(`providertest\.(Check\w*Source)\(t, providertest\.Source\{\s*Type:\s*"(\w+)"`)
	for _, path := range tests {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range check.FindAllStringSubmatch(string(text), -1) {
			checked[call[2]] = call[1]
		}
	}
	for name, schema := range w.Schema.DataSourceSchemas {
		want := "CheckSource"
		if slices.ContainsFunc(schema.Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "results" }) {
			want = "CheckListSource"
		}
		if checked[name] != want {
			t.Errorf("no test of the data source %s calls providertest.%s", name, want)
		}
	}
	for name := range w.Schema.ResourceSchemas {
		noun := strings.TrimPrefix(name, "opsmanager_")
		if strings.HasSuffix(noun, "store") {
			noun = "backup_store" // the stores share one implementation
		}
		resource, err := filepath.Glob("*/" + noun + "_resource.go")
		if err != nil || len(resource) != 1 {
			t.Fatalf("%s is in %q", name, resource)
		}
		code, err := os.ReadFile(resource[0])
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(code, []byte("putresource.Type[")) { // tested with the lifecycle
			continue
		}
		if found, _ := filepath.Glob("*/" + noun + "_operations_test.go"); len(found) != 1 {
			t.Errorf("no %s_operations_test.go tests the operations of %s under faults", noun, name)
		}
	}
	for folder, types := range map[string][]string{
		"resources":      slices.Sorted(maps.Keys(w.Schema.ResourceSchemas)),
		"data-sources":   slices.Sorted(maps.Keys(w.Schema.DataSourceSchemas)),
		"list-resources": slices.Sorted(maps.Keys(w.Schema.ListResourceSchemas)),
		"actions":        slices.Sorted(maps.Keys(w.Schema.ActionSchemas)),
	} {
		var pages []string
		for _, entry := range entries(t, filepath.Join("../../docs", folder)) {
			pages = append(pages, "opsmanager_"+strings.TrimSuffix(entry, ".md"))
		}
		if shown := entries(t, filepath.Join(examples, folder)); !slices.Equal(shown, types) {
			t.Errorf("examples/%s has %v, and the provider %v", folder, shown, types)
		}
		if !slices.Equal(pages, types) {
			t.Errorf("docs/%s has the pages of %v, and the provider %v: run make generate", folder, pages, types)
		}
	}
}

// entries returns the names in a directory, sorted.
func entries(t *testing.T, directory string) []string {
	t.Helper()
	found, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range found {
		names = append(names, entry.Name())
	}
	return names
}
