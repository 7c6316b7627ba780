package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// secretKeeper is a resource with secrets.
type secretKeeper struct {
	typeName string
	config   values
	change   values // that an update sends
	secrets  values
	parts    []string // parts of secrets that are secrets, too
}

var secretKeepers = []secretKeeper{
	{
		typeName: providertest.S3BlockstoreType,
		config: values{
			"id": "keeper", "s3_bucket_name": "bucket", "s3_bucket_endpoint": "https://s3.example.com", "s3_max_connections": 5,
			"path_style_access_enabled": true, "sse_enabled": true, "accepted_tos": true,
			"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://t.example.com", "oidc_client_id": "c",
		},
		change: values{"s3_max_connections": 6},
		secrets: values{
			"uri": `mongodb://user:h0rse%2F"1"@db.example.com/?tls=true&tlsCertificateKeyFilePassword=h0rse+2` +
				"&authMechanismProperties=AWS_SESSION_TOKEN:h0rse%263",
			"aws_access_key": "AKIAh0rse4", "aws_secret_key": `h0rse/5<&>"'\ßü→`, "oidc_client_secret": "h0rse%41\\u0042&amp;6",
		},
		parts: []string{`h0rse%2F"1"`, `h0rse/"1"`, "h0rse+2", "h0rse 2", "h0rse%263", "h0rse&3"},
	},
	{
		typeName: providertest.JobConfigType,
		config:   values{"project_id": payments, "label_filter": []any{"a"}, "kmip_client_cert_path": "/etc/kmip.pem"},
		change:   values{"label_filter": []any{"b"}},
		secrets:  values{"kmip_client_cert_password": "h0rse\n7 Zürich"},
	},
	{
		typeName: providertest.BackupConfigType,
		config: values{
			"project_id": payments, "cluster_id": "650a1e4a0f2c3d5b7e9f1a2b", "auth_mechanism_name": "MONGODB_CR", "username": "first",
			"on_destroy": "stop",
		},
		change:  values{"username": "second"},
		secrets: values{"password": "***h0rse8*ü*é*"},
	},
}

// values returns the configuration with the secrets in their attributes, or in the write-only ones.
func (k secretKeeper) values(writeOnly bool, version int, change values) values {
	secrets := k.secrets
	if writeOnly {
		secrets = values{}
		for attribute, secret := range k.secrets {
			secrets[attribute+"_wo"], secrets[attribute+"_wo_version"] = secret, version
		}
	}
	return k.config.With(secrets, change)
}

// quotation is a response that quotes a text in a form.
type quotation struct {
	emulator.Fault
	form string
}

// notASCII matches the characters that a charset may lose.
var notASCII = regexp.MustCompile(`[^\x00-\x7f]`)

// latin1 returns a text in ISO-8859-1.
func latin1(text string) string {
	encoded, _ := encoding.ReplaceUnsupported(charmap.ISO8859_1.NewEncoder()).String(text)
	return encoded
}

// quotations are responses that quote a text.
func quotations(text string) []quotation {
	inJSON, _ := json.Marshal(text)
	asJSON := string(inJSON)
	document := func(fields string) string { return `{"error": 409, "errorCode": "X", ` + fields + `}` }
	escapedBytes, units := "", ""
	for _, b := range []byte(text) {
		escapedBytes += fmt.Sprintf("%%%02x", b)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		units += fmt.Sprintf(`\u%04x`, unit)
	}
	mojibake, _ := charmap.ISO8859_1.NewDecoder().String(text)
	all := []quotation{
		{emulator.Fault{Status: 409, Body: document(`"detail": ` + asJSON)}, text},
		{emulator.Fault{Status: 409, Body: document(`"detail": ` + strings.ReplaceAll(asJSON, "/", `\/`) + `, "parameters": [` + asJSON + `]`)}, text},
		{emulator.Fault{
			Status: 500,
			Body:   "<title>" + strings.NewReplacer("&", "&amp;", `"`, "&#34;", "'", "&#039;", "/", "&#x2F;").Replace(text) + "</title>",
		}, text},
		{emulator.Fault{Status: 500, Body: html.EscapeString(asJSON)}, text},
		{emulator.Fault{Status: 200, Body: "secret=" + text}, text},
		{emulator.Fault{Status: 200, Body: `{"` + url.QueryEscape(text)}, text},
		{emulator.Fault{Status: 404, Body: "GET /?" + url.PathEscape(text)}, text},
		{emulator.Fault{
			Status: 409, Header: http.Header{"Content-Type": {"application/json;charset=ISO-8859-1"}},
			Body: latin1(document(`"detail": ` + asJSON)),
		}, text},
	}
	for _, form := range []string{
		escapedBytes, units, mojibake, notASCII.ReplaceAllString(text, "?"), notASCII.ReplaceAllString(text, ""), norm.NFD.String(text),
		fmt.Sprintf("%x", text), base64.StdEncoding.EncodeToString([]byte("user:" + text)), base64.URLEncoding.EncodeToString([]byte(text)),
	} {
		quoted, _ := json.Marshal("It is " + form)
		all = append(all, quotation{emulator.Fault{Status: 409, Body: document(`"detail": ` + string(quoted))}, form})
	}
	return all
}

func TestErrorsOfEachCallHideTheSecretsOfAResource(t *testing.T) {
	t.Parallel()
	for _, k := range secretKeepers {
		for _, writeOnly := range []bool{false, true} {
			t.Run(fmt.Sprint(k.typeName, " ", writeOnly), func(t *testing.T) {
				t.Parallel()
				texts := append(slices.Clone(k.parts), "")
				for _, name := range slices.Sorted(maps.Keys(k.secrets)) {
					texts = append(texts, k.secrets[name].(string)) //nolint:forcetypeassert // each one is a text
				}
				texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
				for i, text := range texts {
					for j, quoted := range quotations(text) {
						if providertest.Sampled(i+j, min(8, 2*len(texts))) {
							providertest.InBubble(t, func(t *testing.T) { k.checkHidden(t, writeOnly, quoted) })
						}
					}
				}
			})
		}
	}
}

// checkHidden checks that no diagnostic of a run shows what a response quotes.
func (k secretKeeper) checkHidden(t *testing.T, writeOnly bool, quoted quotation) {
	t.Helper()
	fault := quoted.Fault
	s := providertest.ServiceInMemory()
	w := providertest.NewWorkspace(t, s)
	r := w.NewResource(k.typeName)
	r.Create(k.values(writeOnly, 1, nil))
	fault.Times = -1
	failures := 0
	during := func(name, method string, run func() providertest.Diagnostics) {
		t.Helper()
		w.Configure() // another process, which knows only what it is given
		fault.Method = method
		s.Inject(fault)
		defer s.ClearFaults()
		diags := run()
		failures += len(diags.Errors())
		for _, text := range append(diags.Errors(), diags.Warnings()...) {
			if strings.Contains(text, "h0rse") || strings.Contains(text, "rich") || strings.Contains(text, quoted.form) {
				t.Errorf("%s, %d to %s, which quotes %q: %s", name, fault.Status, method, quoted.form, text)
			}
		}
	}
	if !writeOnly { // a refresh does not get write-only values
		during("refresh", "GET", r.Refresh)
	}
	changed := k.values(writeOnly, 2, k.change)
	during("creation", "GET", func() providertest.Diagnostics {
		return w.NewResource(k.typeName).Plan(changed).Diagnostics
	})
	for _, method := range []string{"GET", "PUT", "PATCH"} {
		w.Configure() // without the plan of the creation
		p := r.Plan(changed)
		during("update", method, func() providertest.Diagnostics { return r.Apply(p) })
	}
	if !writeOnly {
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			during("destroy", method, func() providertest.Diagnostics { return r.Destroy() })
		}
	}
	if failures < 2 {
		t.Errorf("%d failures", failures)
	}
}
