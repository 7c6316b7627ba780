package opsmanager

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// shortestSecret is the length of the shortest secret that is hidden, in characters. A
// shorter one would garble messages, and the gaps would give it away.
const shortestSecret = 4

// knownSecrets are the secrets that a client knows.
type knownSecrets struct {
	mu  sync.Mutex
	all map[string]secrets
}

// add adds texts that are secrets, and the secrets in them.
func (k *knownSecrets) add(texts ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[string]secrets{}
	}
	for _, text := range texts {
		for _, secret := range append(secretParts(text), text) {
			if utf8.RuneCountInString(printable(secret)) >= shortestSecret && k.all[secret] == nil {
				k.all[secret] = formsOf(secret)
			}
		}
	}
}

// and returns the secrets, and some more.
func (k *knownSecrets) and(more ...string) (all secrets) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, forms := range k.all {
		all = append(all, forms...)
	}
	for _, secret := range more {
		all = append(all, formsOf(secret)...)
	}
	return all
}

// secretParts returns the parts of a connection string that are secrets of their own: its
// password and the values of its query. A message may quote them without the rest.
func secretParts(text string) []string {
	_, authority, found := strings.Cut(text, "://")
	if !found {
		authority = text
	}
	var parts []string
	before, query, _ := strings.Cut(authority, "?")
	for _, credentials := range []string{before, authority} { // a password should have no question mark, but it may
		end := strings.LastIndexByte(credentials, '@')
		_, password, _ := strings.Cut(credentials[:max(end, 0)], ":")
		decoded, _ := url.PathUnescape(password)
		parts = append(parts, password, decoded)
	}
	for option := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		_, value, _ := strings.Cut(option, "=")
		decoded, _ := url.QueryUnescape(value)
		for _, value := range []string{value, decoded} {
			if value == "true" || value == "false" {
				continue // a switch
			}
			parts = append(parts, value)
			for property := range strings.SplitSeq(value, ",") { // such as AWS_SESSION_TOKEN:token
				_, value, _ := strings.Cut(property, ":")
				parts = append(parts, value)
			}
		}
	}
	return parts
}

// secrets are texts to hide, in the forms in which a text may have them.
type secrets []interface{ FindStringIndex(text string) []int }

// literal is a form that is found as it is.
type literal string

func (l literal) FindStringIndex(text string) []int {
	if begin := strings.Index(text, string(l)); begin >= 0 {
		return []int{begin, begin + len(l)}
	}
	return nil
}

// formsOf returns the forms of a secret in a printable text: the secret, its bytes as hexadecimal digits,
// and what depends on it alone in the Base64 of a text that contains it, such as user:password.
func formsOf(secret string) secrets {
	forms := secrets{regexp.MustCompile(patternOf(secret))}
	latin1, _ := encoding.ReplaceUnsupported(charmap.ISO8859_1.NewEncoder()).String(secret)
	for _, content := range slices.Compact([]string{secret, latin1}) {
		forms = append(forms, literal(fmt.Sprintf("%x", content)), literal(fmt.Sprintf("%X", content)))
		for before := range 3 {
			encoded := base64.StdEncoding.EncodeToString([]byte("..."[:before] + content))
			encoded = encoded[(before*8+5)/6 : (before+len(content))*8/6]
			forms = append(forms, literal(encoded), literal(strings.NewReplacer("+", "-", "/", "_").Replace(encoded)))
		}
	}
	return forms
}

var partsOfSecret = regexp.MustCompile(`[!-~]+|[\x00- \x7f]+|[^\x00-\x7f]+`)

// patternOf returns a regular expression for a secret. A blank stands for a number of blanks. A character
// outside ASCII stands for whatever the charsets on its way may have made of it: up to eight characters,
// as ü becomes Ã¼ and then ÃƒÂ¼, or nothing.
func patternOf(secret string) string {
	const longest = 500 // what follows so many characters is hidden, whatever it is
	characters := []rune(norm.NFC.String(strings.Trim(secret, " \t\r\n")))
	rest := ""
	if len(characters) > longest {
		characters = characters[:longest]
		rest = ".*"
	}
	ascii := strings.FieldsFunc(string(characters), func(r rune) bool {
		return r < '!' || r > '~'
	})
	if len(strings.Join(ascii, "")) < shortestSecret {
		return "(?:.?[^ -~])+" // all other characters, as nothing tells which ones, and the letters of their accents
	}
	return "(?i)" + partsOfSecret.ReplaceAllStringFunc(string(characters), func(part string) string {
		switch first := part[0]; {
		case first >= utf8.RuneSelf:
			return fmt.Sprintf(".{0,%d}", min(8*utf8.RuneCountInString(part), 1000)) // which regexp allows
		case first <= ' ' || first == 0x7f:
			return `(?:[ +]|\\[a-z])+`
		}
		return regexp.QuoteMeta(part)
	}) + rest
}

// hide returns the beginning of a printable text without the secrets that begin there. It reads as much
// of the text as of an error response, so a secret ends in what it reads.
func (s secrets) hide(text string) string {
	beginning := min(len(text), maxFailureBytes/2)
	var found [][]int
	for _, form := range s {
		for at := 0; at < beginning; at++ {
			place := form.FindStringIndex(text[at:])
			if place == nil || at+place[0] >= beginning {
				break
			}
			found = append(found, []int{at + place[0], at + place[1]})
			if at += place[0]; found[len(found)-1][1] == len(text) {
				break
			}
		}
	}
	slices.SortFunc(found, slices.Compare)
	var shown strings.Builder
	end := 0
	for _, place := range found {
		if place[0] >= end {
			shown.WriteString(text[end:place[0]] + "…")
		}
		end = max(end, place[1])
	}
	return strings.ToValidUTF8(shown.String()+text[min(end, beginning):beginning], "")
}
