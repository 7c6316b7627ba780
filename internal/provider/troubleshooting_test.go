package provider_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/daemons"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/modules"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/restores"
	"terraform-provider-opsmanager/internal/provider/schedules"
	"terraform-provider-opsmanager/internal/provider/snapshots"
	"terraform-provider-opsmanager/internal/provider/stores"
)

// troubleshooting is the guide that quotes the advice.
const troubleshooting = "../../templates/guides/troubleshooting.md.tmpl"

// causes are examples of the causes of failures, by their names in the guide.
var causes = map[string]opsmanager.Error{
	"an interruption":                     {Err: context.Canceled},
	"an untrusted certificate":            {Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}},
	"an expired certificate":              {Err: &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}},
	"a certificate for a different host":  {Err: &tls.CertificateVerificationError{Err: x509.HostnameError{}}},
	"a refusal of the proxy":              {Err: opsmanager.ProxyRefusal(403)},
	"an old version of TLS":               {Err: errors.New("remote error: tls: protocol version not supported")},
	"a port without TLS":                  {Err: tls.RecordHeaderError{}},
	"an undocumented response":            {Status: 200, Err: errors.New("not JSON")},
	"a rejected connection":               {Err: &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}},
	"an incomplete list":                  {Err: opsmanager.ErrIncompleteList},
	"a response about a different object": {Err: opsmanager.ErrOtherObject},
	"a timeout":                           {Err: context.DeadlineExceeded},
	"no connection":                       {Err: errors.New("connection refused")},
}

// advice are the tables with advice.
var advice = []diagnostics.Codes{
	diagnostics.General, projects.Codes, projects.NameCodes, projects.ClusterCodes, schedules.Codes, snapshots.Codes, snapshots.HostCodes, restores.Codes, stores.Codes, modules.Codes,
}

// quote matches a comment that names topics, and the advice below it.
var quote = regexp.MustCompile(`(?m)^<!-- advice (.*) -->\n> (.*)$`)

func TestTroubleshootingGuideHasAllAdvice(t *testing.T) {
	t.Parallel()
	said := map[string]string{
		"a change without a response": diagnostics.MayHaveChanged,
		"a store in use":              stores.InUse,
		"a daemon in use":             daemons.InUse,
		"a limit with concurrency":    diagnostics.RateLimited,
	}
	fill := strings.NewReplacer("{role}", "ROLE", "{version}", "VERSION", "{address}", "ADDRESS", "{caller}", "an address that")
	for _, codes := range advice {
		for topic, text := range codes.Advice {
			if said[topic] != "" {
				t.Errorf("two types have advice on %s", topic)
			}
			said[topic] = fill.Replace(text)
		}
	}
	for _, cause := range diagnostics.Causes {
		if e, ok := causes[cause.Name]; ok && diagnostics.AdviceFor(&e) != cause.Advice {
			t.Errorf("the advice on %s is %s", cause.Name, diagnostics.AdviceFor(&e))
		} else if !ok && said[cause.Name] == "" && cause.Name != "a slow change" { // only the client makes that one
			t.Errorf("there is no example of %s", cause.Name)
		}
		said[cause.Name] = cause.Advice
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

// A new table of advice must be in the guide, too.
func TestTroubleshootingGuideKnowsAllTablesOfAdvice(t *testing.T) {
	t.Parallel()
	tables := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		tables += len(regexp.MustCompile(`\bAdvice: +map\[string\]string\{`).FindAll(text, -1))
		return err
	})
	// The data source of job configurations has advice of its own on GROUP_NOT_FOUND, and what has the
	// attribute concurrency on a limit of requests.
	if want := len(advice) + 2; err != nil || tables != want {
		t.Errorf("the provider has %d tables with advice, and the guide knows %d, %v", tables, want, err)
	}
}
