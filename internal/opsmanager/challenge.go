package opsmanager

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/icholy/digest"
)

// authChallenge is an authentication challenge: its scheme, and its parameters by name
// in lower case.
type authChallenge struct {
	scheme     string
	parameters map[string]string
	malformed  bool
}

// maxOffered is the maximum number of challenges of a response that are considered.
const maxOffered = 16

// parseChallenges parses WWW-Authenticate fields. A field may contain several
// challenges, which are separated by commas, like parameters.
//
// Source: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
func parseChallenges(fields []string) []authChallenge {
	var found []authChallenge
	for _, field := range fields {
		var challenges []authChallenge
		text := authText(field)
		for text.skip(" \t,"); text != ""; text.skip(" \t,") {
			if len(found)+len(challenges) == maxOffered {
				return append(found, challenges...)
			}
			name := text.token()
			value, hasValue, ok := text.value()
			last := len(challenges) - 1
			switch {
			case name == "" || !ok || hasValue && last < 0:
				if last < 0 {
					challenges = append(challenges, authChallenge{parameters: map[string]string{}})
					last = 0
				}
				challenges[last].malformed = true
				text.skipTo(",")
			case hasValue:
				challenges[last].parameters[strings.ToLower(name)] = value
			default:
				challenges = append(challenges, authChallenge{scheme: name, parameters: map[string]string{}})
				text.skipToken68()
			}
		}
		found = append(found, challenges...)
	}
	return found
}

// authText is the unparsed rest of a field. It may be invalid UTF-8.
type authText string

const authBlanks = " \t"

func (t *authText) skip(bytes string) { *t = authText(strings.TrimLeft(string(*t), bytes)) }

// skipTo skips everything before the first of some bytes, or everything.
func (t *authText) skipTo(bytes string) {
	if i := strings.IndexAny(string(*t), bytes); i >= 0 {
		*t = (*t)[i:]
		return
	}
	*t = ""
}

// token removes and returns a token from the front. It may be empty.
func (t *authText) token() string {
	n := 0
	for n < len(*t) && isTokenByte((*t)[n]) {
		n++
	}
	token := string((*t)[:n])
	*t = (*t)[n:]
	return token
}

func isTokenByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}

// value removes an equals sign and a value from the front. The value is a token or a
// quoted string. It is not ok if it contains control characters or is not terminated.
func (t *authText) value() (value string, hasValue, ok bool) {
	rest := strings.TrimLeft(string(*t), authBlanks)
	rest, hasValue = strings.CutPrefix(rest, "=")
	if !hasValue {
		return "", false, true
	}
	rest = strings.TrimLeft(rest, authBlanks)
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, ", \t") // more than a token allows, because paths are often not quoted
		if end < 0 {
			end = len(rest)
		}
		*t = authText(rest[end:])
		return rest[:end], true, !strings.ContainsFunc(rest[:end], unicode.IsControl)
	}
	var unquoted strings.Builder
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '"':
			*t = authText(rest[i+1:])
			return unquoted.String(), true, true
		case rest[i] == '\\' && i+1 < len(rest):
			i++
		}
		if b := rest[i]; b < ' ' && b != '\t' || b == 0x7f {
			break
		}
		unquoted.WriteByte(rest[i])
	}
	return "", true, false
}

// skipToken68 skips data that follows a scheme instead of parameters, as in 'Negotiate
// YIIB=='.
func (t *authText) skipToken68() {
	rest := *t
	rest.skip(authBlanks)
	n := 0
	for n < len(rest) && (isTokenByte(rest[n]) || rest[n] == '/') {
		n++
	}
	rest = rest[n:]
	rest.skip("=")
	rest.skip(authBlanks)
	if n > 0 && (rest == "" || rest[0] == ',') {
		*t = rest
	}
}

// digest returns the challenge in the form that the digest library uses, or nil if it cannot be answered.
func (c authChallenge) digest() *digest.Challenge {
	if c.malformed || !strings.EqualFold(c.scheme, "Digest") || c.parameters["nonce"] == "" {
		return nil
	}
	challenge := &digest.Challenge{
		Realm:     c.parameters["realm"],
		Nonce:     c.parameters["nonce"],
		Opaque:    c.parameters["opaque"],
		Stale:     strings.EqualFold(c.parameters["stale"], "true"),
		Algorithm: c.parameters["algorithm"],
		QOP:       strings.FieldsFunc(strings.ToLower(c.parameters["qop"]), func(r rune) bool { return strings.ContainsRune(" \t,", r) }),
		Userhash:  strings.EqualFold(c.parameters["userhash"], "true"),
	}
	if !digest.CanDigest(challenge) {
		return nil
	}
	return challenge
}

// answerableChallenge returns the first challenge of a 401 that can be answered. If there is none, it
// returns the schemes of the others. It leaves out the names of unknown ones, which may be anything.
func answerableChallenge(response *http.Response) (offered *digest.Challenge, others string) {
	challenges := parseChallenges(response.Header.Values("WWW-Authenticate"))
	for _, c := range challenges {
		if offered = c.digest(); offered != nil {
			return offered, ""
		}
	}
	var found []string
	for _, known := range []string{"Basic", "Bearer", "Digest", "Negotiate", "NTLM"} {
		if slices.ContainsFunc(challenges, func(c authChallenge) bool { return strings.EqualFold(c.scheme, known) }) {
			found = append(found, known)
		}
	}
	return nil, strings.Replace(strings.Join(found, ", "), "Digest", "an unsupported form of Digest", 1)
}

var quotedPairs = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// authorization returns the value of an Authorization field. The digest library is not
// used here, because it escapes non-ASCII characters in Go syntax, which servers don't
// understand.
//
// Source: https://www.rfc-editor.org/rfc/rfc7616#section-3.4
func authorization(c *digest.Credentials) string {
	quoted := func(text string) string { return `"` + quotedPairs.Replace(text) + `"` }
	var text strings.Builder
	fmt.Fprintf(&text, "Digest username=%s, realm=%s, nonce=%s, uri=%s", quoted(c.Username), quoted(c.Realm), quoted(c.Nonce), quoted(c.URI))
	if c.Algorithm != "" {
		text.WriteString(", algorithm=" + c.Algorithm)
	}
	if c.Opaque != "" {
		text.WriteString(", opaque=" + quoted(c.Opaque))
	}
	if c.QOP != "" {
		fmt.Fprintf(&text, ", qop=%s, nc=%08x, cnonce=%s", c.QOP, c.Nc, quoted(c.Cnonce))
	}
	if c.Userhash {
		text.WriteString(", userhash=true")
	}
	// Any order is valid, but some servers expect the response at the end.
	return text.String() + ", response=" + quoted(c.Response)
}
