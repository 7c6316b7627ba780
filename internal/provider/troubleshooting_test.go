package provider_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/restores"
	"terraform-provider-opsmanager/internal/provider/schedules"
	"terraform-provider-opsmanager/internal/provider/snapshots"
	"terraform-provider-opsmanager/internal/provider/stores"
)

// troubleshooting is the guide that quotes the advice.
const troubleshooting = "../../templates/guides/troubleshooting.md.tmpl"

// causes are the failures without a response of the API, by their names in the guide.
var causes = map[string]opsmanager.Error{
	"an interruption":                {Err: context.Canceled},
	"an untrusted certificate":       {Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}},
	"an expired certificate":         {Err: &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}},
	"a certificate for another host": {Err: &tls.CertificateVerificationError{Err: x509.HostnameError{}}},
	"a refusal of the proxy":         {Err: opsmanager.ProxyRefusal(403)},
	"an old version of TLS":          {Err: errors.New("remote error: tls: protocol version not supported")},
	"a port without TLS":             {Err: tls.RecordHeaderError{}},
	"an undocumented response":       {Status: 200, Err: errors.New("not JSON")},
	"a timeout":                      {Err: context.DeadlineExceeded},
	"no connection":                  {Err: errors.New("connection refused")},
}

// advice are the tables with advice.
var advice = []diagnostics.Codes{
	diagnostics.General, projects.Codes, projects.NameCodes, projects.ClusterCodes, schedules.Codes, snapshots.Codes, snapshots.HostCodes, restores.Codes, stores.Codes,
}

// quote matches a comment that names topics, and the advice below it.
var quote = regexp.MustCompile(`(?m)^<!-- advice (.*) -->\n> (.*)$`)

func TestTroubleshootingGuideHasAllAdvice(t *testing.T) {
	t.Parallel()
	said := map[string]string{"a change without a response": diagnostics.MayHaveChanged}
	fill := strings.NewReplacer("{role}", "ROLE", "{version}", "VERSION", "{address}", "ADDRESS", "{caller}", "an address that")
	for _, noun := range advice {
		for topic, text := range noun.Advice {
			if said[topic] != "" {
				t.Errorf("two nouns have advice on %s", topic)
			}
			said[topic] = fill.Replace(text)
		}
	}
	for cause, e := range causes {
		text := diagnostics.AdviceFor(&e)
		if slices.Contains(slices.Collect(maps.Values(said)), text) {
			t.Errorf("%s: another topic has the same text: %s", cause, text)
		}
		said[cause] = text
	}

	guide, err := os.ReadFile(troubleshooting)
	if err != nil {
		t.Fatal(err)
	}
	quoted := map[string]bool{}
	current := quote.ReplaceAllStringFunc(string(guide), func(found string) string {
		match := quote.FindStringSubmatch(found)
		for topic := range strings.SplitSeq(match[1], ", ") {
			text, ok := said[topic]
			switch {
			case !ok:
				t.Errorf("there is no advice on %s", topic)
			case quoted[topic]:
				t.Errorf("the guide quotes %s twice", topic)
			case *update:
				found = strings.TrimSuffix(found, match[2]) + text
				match[2] = text
			case match[2] != text:
				t.Errorf("%s: the guide has\n%s\nbut the provider says\n%s\nRun make generate to update the guide.", topic, match[2], text)
			}
			quoted[topic] = true
		}
		return found
	})
	for topic := range said {
		if !quoted[topic] {
			t.Errorf("the guide does not quote the advice on %s", topic)
		}
	}
	for _, heading := range regexp.MustCompile("(?m)^### .*$").FindAllString(current, -1) {
		for _, code := range regexp.MustCompile("`([A-Z][A-Z0-9_-]{3,})`").FindAllStringSubmatch(heading, -1) {
			if said[code[1]] == "" && !strings.HasPrefix(code[1], "INVALID_") {
				t.Errorf("%s: there is no advice on %s", heading, code[1])
			}
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(troubleshooting, []byte(current), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
