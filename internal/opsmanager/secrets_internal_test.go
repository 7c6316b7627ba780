package opsmanager

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// escapes are ways in which servers escape a text.
var escapes = []struct {
	name   string
	escape func(string) string
}{
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
	{"URL in lower case", func(s string) string { return strings.ToLower(inBytes(s, "%%%02x")) }},
	{"script", func(s string) string { return inUTF16(s, "%%u%04X", `"/'&%`) }},
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
	`quo"te's & <tags> \back/slash`,
	"per%41cent+plus&amp;\\u0041\\n%%",
	"zürich=geheim/schlüssel",
	"blank \t and\r\nline feed",
	"mongodb://user:p%40ss%2Fword@db.example.com/?tls=true&x=y+z",
	"***stars[REDACTED]***",
	"aaaaabaaaab",
	"'\"'\"",
}

func TestSecretsAreHiddenInEachForm(t *testing.T) {
	t.Parallel()
	for _, secret := range awkward {
		for _, first := range escapes {
			for _, second := range escapes {
				escaped := second.escape(first.escape(secret))
				for _, around := range [][2]string{{"", ""}, {"cannot use ", " here"}, {`{"detail":"`, `"}`}, {"<title>", "</title>"}, {"a", "a"}} {
					text := around[0] + escaped + around[1]
					if got, want := (secrets{secret}).hide(text), around[0]+"…"+around[1]; got != want {
						t.Errorf("%s in %s: %q became %q", first.name, second.name, text, got)
					}
				}
			}
		}
	}
}

func TestOnlySecretsAreHidden(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "",
		"passwor":                "passwor",
		"a password, passwords":  "a …, …s",
		"password&":              "…&",
		`pass\u0077ord\`:         `…\`,
		"pass&#119;ord&#":        "…&#",
		"passwordpass%77ord%7":   "……%7",
		"pass\xffword":           "…",
		"overlapping":            "…",
		"overlap lapping":        "… …",
		"abc is too short":       "abc is too short",
		"one   two\u200bthree":   "…",
		"one+two%20%0A three +":  "… +",
		"onetwo three":           "onetwo three",
		strings.Repeat(`\`, 999): strings.Repeat(`\`, 999),
	} {
		if got := (secrets{"password", "overlap", "lapping", "abc", "one two three"}).hide(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestHidingIsLimited(t *testing.T) {
	t.Parallel()
	if got := (secrets{"password"}).hide(strings.Repeat("%25", maxFailureBytes)); len(got) != maxFailureBytes/2 {
		t.Errorf("%d bytes are shown", len(got))
	}
	blanks := decoder{text: "a" + strings.Repeat(" ", 2<<20) + "b", known: map[position][]reading{}}
	if end := blanks.match([]rune("a b"), 0); end != len(blanks.text) { // which takes minutes in quadratic time
		t.Errorf("the secret ends at %d", end)
	}
	body := fmt.Sprintf(`{"error":409,"detail":"Conflict","parameters":[%s0]}`, strings.Repeat("0,", 30_000))
	err := clientOf(func(*http.Request) *http.Response { return answerOf(409, http.Header{}, []byte(body)) }).DeleteDeploymentRegion(t.Context(), "R")
	var e *Error
	if !errors.As(err, &e) || len(e.Parameters) != mostParameters {
		t.Errorf("%d parameters", len(e.Parameters))
	}
	uri := "mongodb://db.example.com/?" + strings.Repeat("a=bcdef&", 1000)
	c := clientOf(func(*http.Request) *http.Response {
		return answerOf(200, http.Header{}, fmt.Appendf(nil, `{"id":"store","uri":%q,"awsAccessKey":"access-key"}`, uri))
	})
	if _, err := c.BackupStore(t.Context(), S3Blockstore, "store"); err != nil || len(c.secrets.and()) != 1 {
		t.Errorf("%d secrets of a response are hidden (%v)", len(c.secrets.and()), err)
	}
}

func TestPartsOfAConnectionStringAreSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"mongodb://user:p%40ss@db.example.com:27017/?tls=true&tlsCertificateKeyFilePassword=w%C3%B6rd&authMechanismProperties=AWS_SESSION_TOKEN:t0ken,SERVICE_NAME:mongo": {
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

func TestNoPartOfASecretIsShownWhereTheResponseIsCut(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery"
	for _, form := range escapes {
		escaped := form.escape(secret)
		for _, before := range []int{maxFailureBytes - 30, maxFailureBytes - 10, maxFailureBytes - 1, maxFailureBytes/2 - 10, 180, 195} {
			for name, blank := range map[string]string{"blanks": " ", "letters": "x"} {
				body := strings.Repeat(blank, before) + escaped + escaped
				c := clientOf(func(*http.Request) *http.Response { return answerOf(500, http.Header{}, []byte(body)) })
				c.Hide(secret)
				if text := c.DeleteDeploymentRegion(t.Context(), "R").Error(); strings.Contains(text, escaped[:4]) {
					t.Errorf("%s after %d %s: %q", form.name, before, name, text)
				}
			}
		}
	}
	long := fmt.Sprintf(`{"error":409,"detail":"%s%s"}`, strings.Repeat("x", longestText-10), secret)
	c := clientOf(func(*http.Request) *http.Response { return answerOf(409, http.Header{}, []byte(long)) })
	c.Hide(secret)
	if text := c.DeleteDeploymentRegion(t.Context(), "R").Error(); strings.Contains(text, secret[:4]) {
		t.Errorf("at the end of a detail: %q", text)
	}
}
