package opsmanager

import (
	"encoding/base64"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// shortestSecret is the length of the shortest secret that is hidden, in characters. A
// shorter one would garble messages, and the gaps would give it away.
const shortestSecret = 4

// knownSecrets are the secrets that a client knows.
type knownSecrets struct {
	mu  sync.Mutex
	all map[string]bool
}

// add adds texts that are secrets, and the secrets in them.
func (k *knownSecrets) add(texts ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[string]bool{}
	}
	for _, text := range texts {
		for _, secret := range append(secretParts(text), text) {
			if utf8.RuneCountInString(secret) >= shortestSecret {
				k.all[secret] = true
			}
		}
	}
}

// and returns the secrets, and some more.
func (k *knownSecrets) and(more ...string) secrets {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.AppendSeq(more, maps.Keys(k.all))
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
		parts = append(parts, password)
		if decoded, err := url.PathUnescape(password); err == nil {
			parts = append(parts, decoded)
		}
	}
	for option := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		_, value, _ := strings.Cut(option, "=")
		if decoded, err := url.QueryUnescape(value); err == nil {
			value = decoded
		}
		if value == "true" || value == "false" {
			continue // a switch
		}
		parts = append(parts, value)
		for property := range strings.SplitSeq(value, ",") { // such as AWS_SESSION_TOKEN:token
			if _, value, found := strings.Cut(property, ":"); found {
				parts = append(parts, value)
			}
		}
	}
	return parts
}

// basicCredentials returns what HTTP Basic sends for a user and a password.
func basicCredentials(user *url.Userinfo) string {
	password, _ := user.Password()
	return base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
}

// secrets are texts to hide.
type secrets []string

// hide returns the beginning of a text, as valid UTF-8. It replaces the secrets that begin
// there, in each of the forms in which a response may escape them. It reads as much of a text
// as of an error response, so a long text costs no more, and a secret ends in what it reads.
func (s secrets) hide(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxFailureBytes)], "")
	beginning := min(len(text), maxFailureBytes/2)
	byFirst := map[rune][][]rune{}
	for _, secret := range s {
		if characters := []rune(printable(secret)); len(characters) >= shortestSecret {
			byFirst[characters[0]] = append(byFirst[characters[0]], characters)
		}
	}
	if len(byFirst) == 0 {
		return text[:beginning]
	}
	d := decoder{text: text, known: map[position][]reading{}}
	var shown strings.Builder
	for at, end := 0, 0; at < beginning; {
		hidden := at < end
		for _, read := range d.readings(position{escapings, at}) {
			for _, secret := range byFirst[blanked(read.char)] {
				end = max(end, d.match(secret, at))
			}
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case at >= end:
			shown.WriteString(text[at : at+size])
		case !hidden:
			shown.WriteString("…")
		}
		at += size
	}
	return shown.String()
}

// blanked returns a character as in a printable text.
func blanked(char rune) rune {
	if unicode.IsSpace(char) || !unicode.IsPrint(char) {
		return ' '
	}
	return char
}

// escapings is how often a text may have been escaped, such as JSON in a string of JSON in
// a page.
const escapings = 3

// decoder reads a text that may be escaped: as JSON or source code, as HTML, or for a URL.
// It doesn't know which, or how often, and the text may be escaped in parts only. So there
// is more than one way to read an escape sequence, and each of them counts.
type decoder struct {
	text  string
	known map[position][]reading // of escape sequences
}

// position is a position in a text that was escaped a number of times.
type position struct{ escapings, at int }

// reading is a way to read the next character: the character, and where it ends. If it is
// part of a number, char is the number so far.
type reading struct {
	char rune
	end  int
}

// match returns where a secret ends that begins at a position, or -1. In a secret, a blank
// stands for a number of blanks and characters that are not printable.
func (d decoder) match(secret []rune, at int) (end int) {
	for len(secret) > 0 && secret[0] != ' ' { // most texts are not escaped
		char, size := utf8.DecodeRuneInString(d.text[at:])
		if beginsEscape(char) {
			break
		}
		if size == 0 || char != secret[0] {
			return -1
		}
		secret, at = secret[1:], at+size
	}
	ends := []int{at}
	for _, wanted := range secret {
		var next []int
		reached := map[int]bool{} // there may be thousands of blanks
		advance := func(from int) {
			for _, read := range d.readings(position{escapings, from}) {
				if blanked(read.char) == wanted && !reached[read.end] {
					reached[read.end] = true
					next = append(next, read.end)
				}
			}
		}
		for _, from := range ends {
			advance(from)
		}
		for i := 0; wanted == ' ' && i < len(next); i++ {
			advance(next[i])
		}
		if ends = next; len(ends) == 0 {
			return -1
		}
	}
	return slices.Max(ends)
}

// readings returns the ways to read the character at a position.
func (d decoder) readings(p position) []reading {
	if p.at == len(d.text) {
		return nil
	}
	char, size := utf8.DecodeRuneInString(d.text[p.at:])
	if p.escapings == 0 || !beginsEscape(char) {
		return []reading{{char, p.at + size}}
	}
	if found, ok := d.known[p]; ok {
		return found
	}
	inner := d.readings(position{p.escapings - 1, p.at})
	found := slices.Clone(inner)
	for _, begin := range inner {
		after := position{p.escapings - 1, begin.end}
		var more []reading
		switch begin.char {
		case '\\':
			more = d.afterBackslash(after)
		case '&':
			more = d.afterAmpersand(after)
		case '%':
			more = d.afterPercent(after)
		case '+':
			more = []reading{{' ', begin.end}}
		}
		for _, read := range more {
			if !slices.Contains(found, read) {
				found = append(found, read)
			}
		}
	}
	d.known[p] = found
	return found
}

func beginsEscape(char rune) bool { return char == '\\' || char == '&' || char == '%' || char == '+' }

// afterBackslash reads an escape sequence of JSON or of a programming language.
func (d decoder) afterBackslash(p position) (found []reading) {
	for _, kind := range d.readings(p) {
		after := position{p.escapings, kind.end}
		switch kind.char {
		case 'a', 'b', 'f', 'n', 'r', 't', 'v':
			found = append(found, reading{' ', kind.end})
		case 'u':
			found = append(found, d.utf16(after)...)
		case 'U':
			found = append(found, d.hex(after, "hhhhhhhh")...)
		case 'x':
			found = append(found, d.utf8(after, `\x`)...)
		default:
			if !unicode.IsLetter(kind.char) && !unicode.IsDigit(kind.char) {
				found = append(found, kind)
			}
		}
	}
	return found
}

// afterPercent reads the encoding of a URL.
func (d decoder) afterPercent(p position) (found []reading) {
	for _, kind := range d.readings(p) {
		if kind.char == 'u' {
			found = append(found, d.hex(position{p.escapings, kind.end}, "hhhh")...)
		}
	}
	return append(found, d.utf8(p, "%")...)
}

// afterAmpersand reads a character reference of HTML.
func (d decoder) afterAmpersand(p position) (found []reading) {
	const longest, most = 32, 8 // characters of a reference; ways to read them
	type reference struct {
		text string
		end  int
	}
	for references := []reference{{"&", p.at}}; len(references) > 0; {
		var longer []reference
		for _, r := range references {
			for _, read := range d.readings(position{p.escapings, r.end}) {
				switch {
				case read.char == ';':
					if decoded := []rune(html.UnescapeString(r.text + ";")); len(decoded) == 1 {
						found = append(found, reading{decoded[0], read.end})
					}
				case len(r.text) < longest && len(longer) < most && (read.char == '#' || isAlphanumeric(read.char)):
					longer = append(longer, reference{r.text + string(read.char), read.end})
				}
			}
		}
		references = longer
	}
	return found
}

func isAlphanumeric(char rune) bool {
	return 'a' <= char && char <= 'z' || 'A' <= char && char <= 'Z' || '0' <= char && char <= '9'
}

// hex reads a hexadecimal number. In the pattern, h stands for a digit, and any other character for
// itself.
func (d decoder) hex(p position, pattern string) []reading {
	found := []reading{{0, p.at}}
	for _, wanted := range pattern {
		var longer []reading
		for _, number := range found {
			for _, read := range d.readings(position{p.escapings, number.end}) {
				digit := strings.IndexRune("0123456789abcdef", unicode.ToLower(read.char))
				switch {
				case wanted == 'h' && digit >= 0:
					longer = append(longer, reading{number.char*16 + rune(digit), read.end})
				case wanted != 'h' && wanted == read.char:
					longer = append(longer, reading{number.char, read.end})
				}
			}
		}
		found = longer
	}
	return found
}

// utf16 reads the one or two units of a character after \u.
func (d decoder) utf16(p position) (found []reading) {
	for _, first := range d.hex(p, "hhhh") {
		found = append(found, first)
		if first.char>>10 != 0xd800>>10 {
			continue
		}
		for _, second := range d.hex(position{p.escapings, first.end}, `\uhhhh`) {
			found = append(found, reading{(first.char&0x3ff)<<10 + second.char&0x3ff + 0x10000, second.end})
		}
	}
	return found
}

// utf8 reads the bytes of a character after the prefix of the first one. A single byte may
// be a character of Latin 1.
func (d decoder) utf8(p position, prefix string) (found []reading) {
	for _, first := range d.hex(p, "hh") {
		found = append(found, first)
		more, char := 0, first.char
		for ; char >= 0xc0 && char&(0x80>>(more+1)) != 0 && more < 3; more++ {
		}
		if more == 0 {
			continue
		}
		characters := []reading{{char & (0x7f >> (more + 1)), first.end}}
		for range more {
			var longer []reading
			for _, c := range characters {
				for _, next := range d.hex(position{p.escapings, c.end}, prefix+"hh") {
					if next.char>>6 == 0b10 {
						longer = append(longer, reading{c.char<<6 | next.char&0x3f, next.end})
					}
				}
			}
			characters = longer
		}
		found = append(found, characters...)
	}
	return found
}
