package opsmanager

import (
	"crypto/x509"
	"encoding/pem"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Servers return masks in place of secrets, or of parts of them. A PUT that sends a mask back may store it, so whatever
// may be one is not sent. Not all forms of masks are known.

// Place is what is known of the place of a text in a response. The later ones are more likely to have a mask.
type Place int

// The places of texts.
const (
	InText    Place = iota // known to be no secret, such as a path, a label or the name of a host
	InSecret               // known to be a secret
	InUnknown              // known neither, or a secret that must not be sent back if there is any doubt
)

// formParts are parts of the forms of masks. They may be encoded for a URL.
var formParts = strings.NewReplacer(
	"MARK", `(?:[*•●∙·∗⁎█■]|%2A)`, "XXXX", `(?i:x{4,})`, "WORD", `(?i:redacted|hidden|masked|protected)`,
	"OPEN", `(?:[<(\[{*•]|%3C|%5B)`, "CLOSE", `(?:[>)\]}*•]|%3E|%5D)`,
)

// maskForms are the forms of masks, with an example and the source of each. A form counts in its place and in the later
// ones: a path may have a folder that is called hidden. If a form has a group, only the group replaces a part of a secret.
var maskForms = [...][]string{
	InText: {
		`OPEN ?(?i:redacted) ?CLOSE`, // <redacted>: the pages of automationConfig/noSecrets and of key vaults
		`REDACTED`,                   // mongodb://REDACTED:REDACTED@db: stores since 8.0.26, in changes of MongoDB's clients
		`MARK{3,}`,                   // AKIA****WXYZ: keys of stores, in the same changes, and the pages of alerts
		`//(?:[^/@:]*:)??(OPEN?(?:WORD|XXXX)CLOSE?(?::WORD|:XXXX)?)@`, // https://user:xxxxx@s3: net/url of Go
		`-----BEGIN [^-]+-----[^-]{0,40}-----END[^-]*-----`,           // a frame of PEM, too short for a certificate: seen elsewhere
		`^OPEN+ ?WORD ?CLOSE+$`,                                       // (hidden): seen elsewhere
	},
	InSecret: {
		`OPENWORDCLOSE`,                  // abc<hidden>: seen elsewhere
		`^[<(\[{]+\pL[\pL _-]*[>)\]}]+$`, // (sensitive value): Terraform, Prometheus, Rails
		`^XXXX|XXXX$`,                    // xxxxxxxx1234: seen elsewhere
		`^WORD$`,                         // hidden: seen elsewhere
		`\.{3}|…`,                        // AKIA…WXYZ: seen elsewhere
		`^[^\pL\pN]+$`,                   // -----: seen elsewhere
	},
	InUnknown: {
		`WORD`, // masked-1: a form that is not known yet
	},
}

// masksIn matches the masks in each place.
var masksIn = func() (all []*regexp.Regexp) {
	var forms []string
	for _, more := range maskForms {
		forms = append(forms, more...)
		all = append(all, regexp.MustCompile(formParts.Replace(strings.Join(forms, "|"))))
	}
	return all
}()

var (
	// secretName matches the names of secrets. The path or the ID of a secret is none.
	secretName    = regexp.MustCompile(`(?i)secret|passw|passphrase|pass$|pwd|token|credential|signature|privatekey|accesskey|apikey|encryptionkey|^sas$`)
	notSecretName = regexp.MustCompile(`(Path|File|Id|ID|Name|Type|Version|Enabled)$`)
	// keyName matches more names of secrets in an automation configuration. Elsewhere, a key may be that of a pair.
	keyName = regexp.MustCompile(`(?i)(key|salt)$`)

	hostsOfURI = regexp.MustCompile(`^mongodb(?:\+srv)?://(?:[^/]*@)?([^/?]+)`)
)

func isSecretName(name string) bool {
	return secretName.MatchString(name) && !notSecretName.MatchString(name)
}

// IsMask reports whether a text in a response may be a mask, or have one in it.
func IsMask(text string, place Place) bool {
	return masksIn[place].MatchString(strings.TrimSpace(text))
}

// CouldShow reports whether the text in a response could be a given secret, unredacted or masked.
func CouldShow(shown, secret string) bool {
	if shown == secret || secret == "" {
		return shown == secret
	}
	shown = strings.TrimSpace(shown)
	secret = strings.TrimSpace(secret)
	masks := masksIn[InSecret].FindAllStringSubmatchIndex(shown, -1)
	if len(masks) == 0 {
		return false
	}
	first := shown[:max(masks[0][0], masks[0][2])]
	last := shown[masks[len(masks)-1][1]:]
	return len(first)+len(last) <= len(secret) && strings.HasPrefix(secret, first) && strings.HasSuffix(secret, last)
}

// HaveOtherHosts reports whether two texts are connection strings of different hosts. A response that redacts a
// connection string still shows its hosts.
func HaveOtherHosts(a, b string) bool {
	hostsOfA := hostsOfURI.FindStringSubmatch(a)
	hostsOfB := hostsOfURI.FindStringSubmatch(b)
	return hostsOfA != nil && hostsOfB != nil && hostsOfA[1] != hostsOfB[1]
}

// MaskedTexts returns the names of the members of a request that have a mask which is not configured. The request has
// no secrets.
func MaskedTexts(request, configured any) (names []string) {
	known := textsOf(configured)
	for _, t := range textsOf(request) {
		if IsMask(t.text, InText) && !slices.Contains(known, t) {
			names = append(names, t.name)
		}
	}
	return names
}

// textsOf returns the texts in an object.
func textsOf(object any) []namedText {
	document, _ := json.Marshal(object, likeEncodingJSON) // can't fail
	return unknownMember{value: document}.texts()
}

// IsCertificate reports whether a text has certificates in PEM and nothing else between their frames. A mask may keep
// the frame.
func IsCertificate(text string) bool {
	found := 0
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return false
		}
		found++
	}
	return found > 0 && found == strings.Count(text, "-----BEGIN ")
}
