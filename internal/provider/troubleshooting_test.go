package provider_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/infrastructure"
	"terraform-provider-opsmanager/internal/provider/modules"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/restores"
	"terraform-provider-opsmanager/internal/provider/schedules"
	"terraform-provider-opsmanager/internal/provider/snapshots"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// troubleshooting is the guide that quotes the advice.
const troubleshooting = "../../templates/guides/troubleshooting.md.tmpl"

// causes are examples of the causes of failures, by their names in the guide.
var causes = map[string]opsmanager.Error{
	"an interruption":                     {Err: context.Canceled},
	"an invalid ID":                       {Err: opsmanager.ErrInvalidID},
	"an untrusted certificate":            {Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}},
	"an expired certificate":              {Err: &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}},
	"a certificate for a different host":  {Err: &tls.CertificateVerificationError{Err: x509.HostnameError{}}},
	"a refusal of the proxy":              {Err: opsmanager.ProxyRefusal(403)},
	"an old version of TLS":               {Err: errors.New("remote error: tls: protocol version not supported")},
	"a port without TLS":                  {Err: tls.RecordHeaderError{}},
	"an undocumented response":            {Status: 200, Err: errors.New("not JSON")},
	"a refused client certificate":        {Err: &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}},
	"a rejected connection":               {Err: &net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}},
	"an incomplete list":                  {Err: opsmanager.ErrIncompleteList},
	"an item without an ID":               {Err: opsmanager.ErrUnidentified},
	"a null in a list":                    {Status: 200, Err: opsmanager.ErrNullElement},
	"a response about a different object": {Err: opsmanager.ErrOtherObject},
	"a timeout":                           {Err: context.DeadlineExceeded},
	"no connection":                       {Err: errors.New("connection refused")},
}

// advice are the tables with advice.
var advice = []tf.Codes{
	tf.GeneralCodes, tf.MissingCodes, projects.NameCodes, projects.ClusterCodes, schedules.Codes, snapshots.Codes, restores.Codes,
	infrastructure.Codes, modules.Codes,
}

// shownAs is what the screen shows of failures that have no code and no status.
var shownAs = map[string]string{
	"an untrusted certificate":           "`certificate signed by unknown authority`",
	"an expired certificate":             "`certificate has expired or is not yet valid`",
	"a certificate for a different host": "`certificate is valid for`",
	"a refusal of the proxy":             "a proxy that does not connect",
	"an old version of TLS":              "`protocol version not supported`",
	"a port without TLS":                 "`server gave HTTP response to HTTPS client`",
	"an undocumented response":           "a response that can't be read",
	"a refused client certificate":       "`tls: certificate required`, `bad certificate`, `unknown certificate authority`",
	"a rejected connection":              "`handshake failure`, `the server requested a client certificate`",
	"a slow change":                      "a change that takes too long",
	"no connection":                      "`connection refused`, `no such host`",
	"an interruption":                    "`context canceled`",
	"a store in use":                     "`BACKUP_CANNOT_REMOVE_...` about a store",
	"a daemon in use":                    "`BACKUP_CANNOT_REMOVE_...` about a daemon",
	"a limit with concurrency":           "`RATE_LIMITED` of a policy or the status",
	"INVALID_* 404":                      "`INVALID_GROUP_ID`, `INVALID_CLUSTER_ID` and others with 404",
	"INVALID_* 400":                      "`INVALID_SNAPSHOT_INTERVAL` and others with 400",
	"401 unchallenged":                   "401 without a Digest challenge",
	"401 other challenge":                "401 with another challenge",
	"401 stale":                          "401 with a stale nonce",
	"409":                                "409 about a schedule",
	"not the API":                        "400, 403 or 404 from something else",
	"3xx":                                "301, 302, 307, 308",
	"5xx":                                "500, 502, 503, 504",
}

// adviceTexts returns the advice on each topic.
func adviceTexts(t *testing.T) map[string]string {
	t.Helper()
	said := map[string]string{
		"a change without a response": tf.MayHaveChanged,
		"a store in use":              infrastructure.StoreInUse,
		"a daemon in use":             infrastructure.DaemonInUse,
		"a limit with concurrency":    tf.RateLimited,
	}
	fill := strings.NewReplacer(
		"{role}", "ROLE", "{version}", "VERSION", "{address}", "ADDRESS", "{caller}", "an address that",
		"{list}", " (calls of /admin: also to the global access list)",
		"{project}", "such project", "{cluster}", "such cluster", "{host}", "such host",
	)
	for _, codes := range advice {
		for topic, text := range codes.Advice {
			if said[topic] != "" {
				t.Errorf("two types have advice on %s", topic)
			}
			said[topic] = fill.Replace(text)
		}
	}
	for _, cause := range tf.Causes {
		if e, ok := causes[cause.Name]; ok && tf.AdviceFor(&e) != cause.Advice {
			t.Errorf("the advice on %s is %s", cause.Name, tf.AdviceFor(&e))
		} else if !ok && said[cause.Name] == "" && cause.Name != "a slow change" { // only the client makes that one
			t.Errorf("there is no example of %s", cause.Name)
		}
		said[cause.Name] = cause.Advice
	}
	return said
}

var (
	// quotes matches a comment that names a list, and the list.
	quotes     = regexp.MustCompile(`(?m)^<!-- advice (codes|statuses|causes) -->\n\n(?:- .*\n)*`)
	adviceCode = regexp.MustCompile(`^[A-Z][A-Z0-9_-]{3,}$`)
)

// adviceListOf returns the list of the guide that has a topic.
func adviceListOf(topic string) string {
	switch {
	case adviceCode.MatchString(topic), strings.Contains(shownAs[topic], "_"):
		return "codes"
	case topic[0] >= '0' && topic[0] <= '9', topic == "not the API":
		return "statuses"
	}
	return "causes"
}

// adviceList returns a list with the advice. Topics with the same advice share an item, and the shortest items come
// first.
func adviceList(said map[string]string, list string) string {
	topics := map[string][]string{}
	for topic, text := range said {
		if adviceListOf(topic) == list {
			label := cmp.Or(shownAs[topic], topic)
			if adviceCode.MatchString(topic) {
				label = "`" + topic + "`"
			}
			topics[text] = append(topics[text], label)
		}
	}
	var items []string
	for text, labels := range topics {
		slices.Sort(labels)
		items = append(items, "- "+strings.Join(labels, ", ")+": "+text+"\n")
	}
	slices.SortFunc(items, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	return strings.Join(items, "")
}

func TestTroubleshootingGuideHasAllAdvice(t *testing.T) {
	t.Parallel()
	said := adviceTexts(t)
	for topic := range shownAs {
		if said[topic] == "" {
			t.Errorf("there is no advice on %s", topic)
		}
	}
	guide, err := os.ReadFile(troubleshooting)
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	current := quotes.ReplaceAllStringFunc(string(guide), func(found string) string {
		lists++
		list := quotes.FindStringSubmatch(found)[1]
		want := "<!-- advice " + list + " -->\n\n" + adviceList(said, list)
		if !*update && found != want {
			t.Errorf("the guide has\n%s\nbut the provider says\n%s\nRun make generate to update the guide.", found, want)
		}
		return want
	})
	if lists != 3 {
		t.Errorf("the guide has %d lists of advice", lists)
	}
	if *update && !t.Failed() {
		written := troubleshooting + ".new" // renamed, because another test reads the guide at the same time
		if err := os.WriteFile(written, []byte(current), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(written, troubleshooting); err != nil {
			t.Fatal(err)
		}
	}
}

// Each title that the guide explains is a title of the provider.
func TestTroubleshootingGuideHasTitlesOfTheProvider(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(troubleshooting)
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		sources.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(guide), "\n## Titles\n")
	list, _, _ = strings.Cut(list, "\n## ")
	titles := 0
	for item := range strings.Lines(list) {
		for _, title := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(regexp.MustCompile("^- `.*?`: ").FindString(item), -1) {
			titles++
			for part := range strings.SplitSeq(title[1], "...") {
				if part = strings.TrimSpace(part); !strings.Contains(sources.String(), part) {
					t.Errorf("%s: the provider says nothing with %q", title[1], part)
				}
			}
		}
	}
	if titles < 20 {
		t.Errorf("the guide has %d titles", titles)
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
		tables += len(regexp.MustCompile(`\bAdvice: +(map\[string\]string\{|tf.MissingObjects)`).FindAll(text, -1))
		return err
	})
	// Policies have advice of their own on GROUP_NOT_FOUND, schedules and backup configurations on a backup that can't be
	// read, these also on a value that is not accepted, and what has the attribute concurrency on a limit of requests.
	if want := len(advice) + 5; err != nil || tables != want {
		t.Errorf("the provider has %d tables with advice, and the guide knows %d, %v", tables, want, err)
	}
}
