package opsmanager

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"mime/quotedprintable"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// form is a way in which a server changes a text.
type form struct {
	name  string
	apply func(string) string
}

// escapes are ways in which servers escape a text.
var escapes = []form{
	{"not at all", func(s string) string { return s }},
	{"JSON by Go", func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) }},
	{"JSON by PHP", func(s string) string {
		b, _ := json.Marshal(s)
		return strings.NewReplacer("/", `\/`, `\u003c`, "<", `\u0026`, "&").Replace(string(b[1 : len(b)-1]))
	}},
	{"Java", func(s string) string { return inUTF16(s, `\u%04X`, `"\/'<>&`) }},
	{"JSON in ASCII", func(s string) string { return inUTF16(s, `\u%04x`, `"\/'<>&`) }},
	{"JSON in numbers", func(s string) string { return inUTF16(s, `\u%04x`, s) }},
	{"Go", func(s string) string { q := strconv.QuoteToASCII(s); return q[1 : len(q)-1] }},
	{"HTML by Go", html.EscapeString},
	{"HTML by PHP", func(s string) string {
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#039;").Replace(s)
	}},
	{"HTML by Java", func(s string) string {
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#x27;", "/", "&#x2F;", "ü", "&uuml;").Replace(s)
	}},
	{"HTML in numbers", func(s string) string {
		var text strings.Builder
		for _, char := range s {
			fmt.Fprintf(&text, "&#%d;", char)
		}
		return text.String()
	}},
	{"log of nginx", func(s string) string {
		return regexp.MustCompile(`["\\[:cntrl:]]|[^[:ascii:]]`).ReplaceAllStringFunc(s, func(c string) string { return inBytes(c, `\x%02X`) })
	}},
	{"path", url.PathEscape},
	{"query", url.QueryEscape},
	{"URL in lower case", func(s string) string { return inBytes(s, "%%%02x") }},
	{"path in lower case", func(s string) string {
		return regexp.MustCompile("%..").ReplaceAllStringFunc(url.PathEscape(s), strings.ToLower)
	}},
	{"script", func(s string) string { return inUTF16(s, "%%u%04X", `"/'&%`) }},
	{"octal numbers", func(s string) string { return inBytes(s, `\%03o`) }},
	{"an e-mail", func(s string) string {
		var text strings.Builder
		writer := quotedprintable.NewWriter(&text)
		_, _ = writer.Write([]byte(s))
		_ = writer.Close()
		return text.String()
	}},
}

// encodings are ways in which servers encode a text.
var encodings = []form{
	{"hexadecimal digits", func(s string) string { return fmt.Sprintf("%x", s) }},
	{"capital hexadecimal digits", func(s string) string { return fmt.Sprintf("%X", s) }},
	{"Base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"Base64 for URLs", func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }},
	{"Basic", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) }},
	{"capitals", strings.ToUpper},
	{"zero-width characters", func(s string) string { return s[:3] + "\u200b" + s[3:] }},
	{"Base64 of Latin 1", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(latin1(s))) }},
}

// charsets are ways in which servers lose characters of a text.
var charsets = []form{
	{"ASCII", func(s string) string { return notASCII.ReplaceAllString(s, "?") }},
	{"ASCII for each byte", func(s string) string {
		return regexp.MustCompile("[^\x00-\x7f]").ReplaceAllStringFunc(s, func(c string) string { return strings.Repeat("?", len(c)) })
	}},
	{"letters without accents", func(s string) string { return regexp.MustCompile(`\pM`).ReplaceAllString(norm.NFD.String(s), "") }},
	{"replacement characters", func(s string) string { return notASCII.ReplaceAllString(s, "\ufffd") }},
	{"nothing in their place", func(s string) string { return notASCII.ReplaceAllString(s, "") }},
	{"composed characters", norm.NFC.String},
	{"decomposed characters", norm.NFD.String},
	{"Latin 1", latin1},
	{"UTF-8 read as Latin 1", asLatin1},
	{"UTF-8 read as Latin 1 twice", func(s string) string { return asLatin1(asLatin1(s)) }},
	{"UTF-8 read as Windows 1252", func(s string) string { text, _ := charmap.Windows1252.NewDecoder().String(s); return text }},
}

var notASCII = regexp.MustCompile("[^\x00-\x7f]")

// latin1 returns a text in ISO-8859-1.
func latin1(s string) string {
	text, _ := encoding.ReplaceUnsupported(charmap.ISO8859_1.NewEncoder()).String(s)
	return text
}

// asLatin1 returns the bytes of a text as characters of ISO-8859-1.
func asLatin1(s string) string {
	text, _ := charmap.ISO8859_1.NewDecoder().String(s)
	return text
}

// inUTF16 escapes some characters of a text, and those that are not ASCII.
func inUTF16(s, format, escaped string) string {
	var text strings.Builder
	for _, char := range s {
		if ' ' <= char && char < 0x7f && !strings.ContainsRune(escaped, char) {
			text.WriteRune(char)
			continue
		}
		for _, unit := range utf16.Encode([]rune{char}) {
			if char > 0xffff && strings.HasPrefix(format, "%") {
				break // which that form cannot express
			}
			fmt.Fprintf(&text, format, unit)
		}
	}
	return text.String()
}

func inBytes(s, format string) string {
	var text strings.Builder
	for _, b := range []byte(s) {
		fmt.Fprintf(&text, format, b)
	}
	return text.String()
}

// awkward are secrets that escaping changes, or that look escaped.
var awkward = []string{
	"correct-horse-battery",
	`quo"te's & <tags> \wack/slash`,
	"per%41cent+plus&amp;\\u0041\\n%%",
	"zürich=geheim/schlüssel",
	"blank \t and\r\nline feed",
	"mongodb://cabin:p%40ss%2Fword@db.cabin.lan/?tls=on&x=y+z",
	"***stars[REDACTED]***",
	"aaaaabaaaab",
	"'\"'\"",
	"Zürich-Passwort",
	"ßgehéim→schlüssel€😀ö",
	"geheim=u\u0308bersetzt\u00a0schl\u00fcssel",
	"пароль-тайна",
	"日本語のパスワード",
}

// place is a place of a response that may quote a text.
type place struct {
	name   string
	status int
	quote  func(text string) (header http.Header, body string)
}

// inHeader returns a place in the field of a header.
func inHeader(name string, status int, field, before, after string) place {
	return place{name, status, func(text string) (http.Header, string) { return http.Header{field: {before + text + after}}, "x" }}
}

// inBody returns a place in a body with a media type.
func inBody(name string, status int, kind string, body func(text string) string) place {
	return place{name, status, func(text string) (http.Header, string) { return http.Header{"Content-Type": {kind}}, body(text) }}
}

// inDocument returns a place in a member of a JSON document with a status.
func inDocument(name string, status, inside int, member string) place {
	return inBody(name, status, "application/json", func(text string) string { return documentWith(inside, member, text) })
}

var places = []place{
	inHeader("a media type", 409, "Content-Type", "", ""),
	inHeader("a media type of a success", 200, "Content-Type", "application/", ""),
	inHeader("a redirect", 302, "Location", "https://om.example.com/", "?a=b"),
	inHeader("the host of a redirect", 302, "Location", "https://", "/"),
	inHeader("a version", 409, "X-Mongodb-Service-Version", "versionString=", ""),
	inHeader("the end of a version", 409, "X-Mongodb-Service-Version", "versionString=8.0.", ""),
	inHeader("a challenge", 401, "Www-Authenticate", "", ""),
	inHeader("the algorithm of a challenge", 401, "Www-Authenticate", `Digest nonce=n, algorithm="`, `"`),
	inDocument("a detail", 409, 409, `"errorCode":"X","detail":`),
	inDocument("a detail of a failure", 500, 500, `"errorCode":"X","detail":`),
	inDocument("a detail of a refused key", 401, 401, `"detail":`),
	inDocument("a detail in a success", 200, 409, `"errorCode":"X","detail":`),
	inDocument("a reason", 409, 409, `"reason":`),
	inDocument("a code", 404, 404, `"errorCode":`),
	inDocument("a parameter", 400, 400, `"detail":"d","parameters":`),
	inDocument("other JSON", 409, 409, `"message":`),
	inDocument("an ID", 200, 0, `"assignmentEnabled":true,"id":`),
	inDocument("a wrong type", 200, 0, `"assignmentEnabled":`),
	inBody("a detail in Latin 1", 409, "application/json;charset=ISO-8859-1", func(text string) string { return latin1(documentWith(409, `"detail":`, text)) }),
	inBody("JSON that is cut short", 200, "application/json", func(text string) string { return `{"id":"` + text }),
	inBody("a title", 502, "text/html", func(text string) string { return "<title>" + text + "</title>" }),
	inBody("a title of a success", 200, "text/html", func(text string) string { return "<title>" + text + "</title>" }),
	inBody("a page", 502, "text/html", func(text string) string { return "<h1>" + text }),
	inBody("a text", 409, "text/plain", func(text string) string { return text }),
}

// documentWith returns an error document with a text in it.
func documentWith(status int, name, text string) string {
	quoted, _ := json.Marshal(text)
	if !utf8.ValidString(text) {
		quoted = []byte(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	}
	if strings.Contains(name, "parameters") {
		quoted = fmt.Appendf(nil, "[%s]", quoted)
	}
	return fmt.Sprintf(`{"error":%d,%s%s}`, status, name, quoted)
}

// quoter is a client that knows a secret, and that receives the same response to each call.
type quoter struct {
	client   *Client
	response func() *http.Response
	shown    strings.Builder
}

func newQuoter(known string) *quoter {
	q := &quoter{}
	q.client = clientOf(func(*http.Request) *http.Response { return q.response() })
	q.client.config.Log = func(_ context.Context, _ string, fields ...map[string]any) { fmt.Fprintln(&q.shown, fields) }
	q.client.Hide(known)
	return q
}

// shownOf returns everything that errors and log lines show of a response that quotes a text.
func (q *quoter) shownOf(t *testing.T, p place, text string) string {
	t.Helper()
	q.shown.Reset()
	q.client.serviceVersion.Store("")
	q.response = func() *http.Response {
		header, body := p.quote(text)
		return answerOf(p.status, header, []byte(body))
	}
	_, read := q.client.BackupStore(t.Context(), S3Blockstore, "store")
	_, listed := q.client.ListRestoreJobs(t.Context(), "p", "c", "", Page{Number: 1})
	_, config := q.client.AutomationConfig(t.Context(), "p")
	for _, err := range []error{read, listed, config, q.client.DeleteDeploymentRegion(t.Context(), "region")} {
		var e *Error
		if errors.As(err, &e) {
			checkSanitized(t, e)
			fmt.Fprintf(&q.shown, "%v\n%+v\n%v\n", e, *e, e.Err)
		}
	}
	return q.shown.String()
}

// checkHidden checks that neither a secret, a form of it, nor a word of it is shown.
func checkHidden(t *testing.T, where, known, form, shown string) {
	t.Helper()
	shown = strings.ToLower(shown)
	forms := append(regexp.MustCompile(`\w{4,}`).FindAllString(known, -1), known, printable(known))
	if strings.Trim(form, "? -") != "" { // something is left of the secret
		forms = append(forms, printable(form))
	}
	for _, text := range forms {
		text = strings.ToLower(text)
		if quoted := strconv.Quote(text); len(text) >= 4 && (strings.Contains(shown, text) || strings.Contains(shown, quoted[1:len(quoted)-1])) {
			t.Fatalf("%s: %q is shown of %q: %s", where, text, form, shown)
		}
	}
}

func TestNoFormOfASecretIsShown(t *testing.T) {
	t.Parallel()
	for _, known := range awkward {
		t.Run(known, func(t *testing.T) {
			t.Parallel()
			q := newQuoter(known)
			check := func(name, form string, p place) {
				t.Helper()
				checkHidden(t, name+" in "+p.name, known, form, q.shownOf(t, p, form))
			}
			for i, first := range slices.Concat(charsets, encodings, escapes) {
				for j, p := range places {
					if !testing.Short() || (i+j)%4 == 0 {
						check(first.name, first.apply(known), p)
					}
				}
				for j, second := range escapes {
					if testing.Short() && (i+j)%16 != 0 {
						continue
					}
					check(first.name+" in "+second.name, second.apply(first.apply(known)), places[(i+j)%len(places)])
				}
			}
		})
	}
}

func TestOnlySecretsAreHidden(t *testing.T) {
	t.Parallel()
	var k knownSecrets
	k.add("password", "overlap", "lapping", "abc", "one two three", "Zürich-Wort", "пароль", "outer-inner-outer", "inner")
	for text, want := range map[string]string{
		"":                      "",
		"passwor":               "passwor",
		"a password, passwords": "a …, …s",
		"passwordpassword":      "……",
		"pass\xffword":          "…",
		"overlapping":           "…",
		"overlap lapping":       "… …",
		"an outer-inner-outer":  "an …",
		"abc is too short":      "abc is too short",
		"one   two\u200bthree":  "…",
		"one+two+three +":       "… +",
		"onetwo three":          "onetwo three",
		`C:\one\two\three`:      `C:\one\two\three`,
		`one\ntwo\t three`:      "…",
		"Z?rich-Wort":           "…",
		"in Zürich":             "in …rich",
		"пapоль":                "…a…",
		"70617373776f7264":      "…",
	} {
		if got := k.and().sanitize(text, longestText); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// realDetails are texts of real servers, of the emulator, and of the exceptions of Java that a server quotes.
var realDetails = []string{
	"No backup configuration exists for cluster 650a22fad3b5a7c9e1f30817 in group 64f0c2d57c1e4a6b92d3f4e5.",
	"Cannot modify backup configuration for individual shard; use cluster ID 650a2035b7d9f1e3a5c70924 for entire cluster.",
	"Backup failed to start: MongoDB version information is not yet available",
	"This resource requires access through an access list of ip ranges.",
	"Cannot delete the s3 snapshot config. Please make sure no jobs are bound to config and no snapshots are in it before deleting.",
	"S3 connectivity problems: The AWS Access Key Id you provided does not exist in our records. " +
		"(Service: Amazon S3; Status Code: 403; Error Code: InvalidAccessKeyId; " +
		"Request ID: 4442587FB7D0A2F9; S3 Extended Request ID: vlR7PnpV2Ce81l0PRw6jlUpck7Jo5ZsQjryTjKlc5aLWGVHPZLj5NeC6qMa0emYBDXOo6QBU0Wo=; Proxy: null).",
	"MongoDB connectivity problems: Timed out after 30000 ms while waiting to connect. " +
		"Client view of cluster state is {type=UNKNOWN, servers=[{address=db.example.com:27017, type=UNKNOWN, state=CONNECTING, " +
		"exception={com.mongodb.MongoSocketOpenException: Exception opening socket}, " +
		"caused by {java.net.ConnectException: Connection refused (Connection refused)}}]}.",
	"The path /var/lib/mongodb/backup daemon/head-1/ is invalid.",
	`The path C:\data\backup\head is invalid.`,
	`Unrecognized field "newSetting" (class com.example.View), not marked as ignorable (3 known properties: "id", "uri", "ssl")`,
	"Invalid query parameter pageNum: 100% of 'x' & y <= 5 + 6 = 11 #7 @home [a|b] {c} ~d^e$f*g!h?",
	"Validation of the bucket b_1.backup at https://s3.eu-west-1.amazonaws.com:443/b?list-type=2&max-keys=1 failed: delete after put: 403 Forbidden.",
	"Cannot find resource /api/public/v1.0/admin/backup/backupDeployments/NY_NJ.",
	"Der Cluster Zürich ist für die Sicherung gesperrt – bitte später erneut versuchen.",
}

func TestRealDetailsAreQuoted(t *testing.T) {
	t.Parallel()
	c := clientOf(nil)
	c.Hide(
		"mongodb://user:correct-horse@db.internal/?tls=true", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"Passwort für alle", "blank and\nline feed",
	)
	for _, detail := range realDetails {
		if got := quoteDocuments.words(detail, longestText, c.secrets.and()); got != detail {
			t.Errorf("%q became %q", detail, got)
		}
	}
}

func TestTextOfTheEndOfAConnectionIsNotShown(t *testing.T) {
	t.Parallel()
	err := hideResponseLine(fmt.Errorf("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=%q", `pass"word`))
	if want := "http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR"; err.Error() != want {
		t.Errorf("got %q", err)
	}
}

func TestHidingIsLimited(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("correct horse ü ", 1<<16)
	if got := (formsOf(long)).sanitize("a "+long, longestText); got != "a …" {
		t.Errorf("got %q", got)
	}
	body := fmt.Sprintf(`{"error":409,"detail":"Conflict","parameters":[%s"a"]}`, strings.Repeat(`"a",`, 10_000))
	err := clientOf(func(*http.Request) *http.Response { return answerOf(409, http.Header{}, []byte(body)) }).DeleteDeploymentRegion(t.Context(), "R")
	var e *Error
	if !errors.As(err, &e) || len(e.Parameters) != mostParameters {
		t.Errorf("%d parameters", len(e.Parameters))
	}
	uri := "mongodb://db.example.com/?" + strings.Repeat("a=bcdef&", 1000)
	c := clientOf(func(*http.Request) *http.Response {
		return answerOf(200, http.Header{}, fmt.Appendf(nil, `{"id":"store","uri":%q,"awsAccessKey":"access-key"}`, uri))
	})
	if _, err := c.BackupStore(t.Context(), S3Blockstore, "store"); err != nil || len(c.secrets.all) != 1 {
		t.Errorf("%d secrets of a response are hidden (%v)", len(c.secrets.all), err)
	}
}

func TestPartsOfAConnectionStringAreSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"mongodb://user:p%40ss@db:27017/?tls=true&tlsCertificateKeyFilePassword=w%C3%B6rd&authMechanismProperties=AWS_SESSION_TOKEN:t0ken,SERVICE_NAME:mongo": {
			"p%40ss", "p@ss", "wörd", "AWS_SESSION_TOKEN:t0ken,SERVICE_NAME:mongo", "t0ken", "mongo",
		},
		"user:pass@db1:27017,db2:27017":    {"pass"},
		"mongodb://user:p?ss@word@db/?a=b": {"p?ss@word"},
		"mongodb://user:50%@db":            {"50%"},
		"mongodb://user@db;a?password":     nil,
		"hunter2":                          nil,
	} {
		got := secretParts(text)
		for _, secret := range want {
			if !slices.Contains(got, secret) {
				t.Errorf("%q of %s is missing in %q", secret, text, got)
			}
		}
		if want == nil && strings.Join(got, "") != "" {
			t.Errorf("%s has %q", text, got)
		}
	}
}

func TestNoPartOfASecretIsShownWhereATextIsCut(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	q := newQuoter(secret)
	for _, form := range slices.Concat(encodings, escapes) {
		quoted := form.apply(secret)
		if testing.Short() && len(form.name)%8 != 0 {
			continue
		}
		for _, before := range []int{longestLine - 10, longestText - 10, maxFailureBytes/2 - 10, maxFailureBytes - 60, maxFailureBytes - 50} {
			for _, blank := range []string{" ", "x", "…"} {
				for _, p := range []place{inDocument("a detail", 409, 409, `"detail":`), inDocument("a code", 409, 409, `"errorCode":`)} {
					shown := q.shownOf(t, p, strings.Repeat(blank, before/len(blank))+quoted+quoted)
					checkHidden(t, fmt.Sprintf("%s in %s after %d %s", form.name, p.name, before, blank), secret, quoted, shown)
				}
			}
		}
	}
}
