package opsmanager

import (
	"crypto/x509"
	"encoding/pem"
	"regexp"
	"strings"
)

// Servers return masks in place of secrets. A PUT that sends a mask back may store it, so whatever may be one is not
// sent. Not all forms of masks are known.

const maskWords = `redacted|hidden|masked|protected`

var (
	// anyMask matches each text that may be a mask, or have one in it. It may also be a name or a path.
	anyMask = regexp.MustCompile(`(?i)` + maskWords + `|[*•]{3,}|^x{4,}$|^[^\pL\pN]+$`)
	// plainMask matches what is a mask in each text: the documented <redacted>, a text of stars or bullets only, a word in
	// brackets or stars, the mask of a password in a connection string, and a mask in the frame of PEM.
	plainMask = regexp.MustCompile(`(?is)<redacted>|^[*•]{3,}$|^[\[<({*•]+ ?(` + maskWords + `) ?[\]>)}*•]+$|^(?-i:REDACTED)$|` +
		`://[^/@]*:(redacted|[*•]{3,})@|-----BEGIN .*(` + maskWords + `|[*•]{3,})`)
	// stars matches what replaces a part of a text.
	stars = regexp.MustCompile(`[*•]{3,}`)
	// maskOfPart matches the parts of a secret that are masked, if a text is known to be a secret.
	maskOfPart = regexp.MustCompile(`\[?REDACTED\]?|(?i:[<\[({](?:` + maskWords + `)[>\])}])|[*•]{3,}|^(?i:x{4,}|` + maskWords + `)$`)

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

// CouldShow reports whether the text in a response could be a given secret, unredacted or masked.
func CouldShow(shown, secret string) bool {
	if shown == secret || secret == "" {
		return shown == secret
	}
	parts := maskOfPart.Split(shown, -1)
	first, last := parts[0], parts[len(parts)-1]
	hasRoom := len(first)+len(last) <= len(secret)
	return len(parts) > 1 && hasRoom && strings.HasPrefix(secret, first) && strings.HasSuffix(secret, last)
}

// HaveOtherHosts reports whether two texts are connection strings of different hosts. A response that redacts a
// connection string still shows its hosts.
func HaveOtherHosts(a, b string) bool {
	hostsOfA, hostsOfB := hostsOfURI.FindStringSubmatch(a), hostsOfURI.FindStringSubmatch(b)
	return hostsOfA != nil && hostsOfB != nil && hostsOfA[1] != hostsOfB[1]
}

// IsMasked reports whether a secret in a response has a mask in a known form.
func IsMasked(shown string) bool { return maskOfPart.MatchString(shown) }

// HasMask reports whether a text has a mask in it, if it is not known to be a secret.
func HasMask(text string) bool { return plainMask.MatchString(text) || stars.MatchString(text) }

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
