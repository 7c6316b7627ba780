package opsmanager

import (
	"reflect"
	"regexp"
	"slices"
	"time"
)

var (
	// maskText matches texts that servers return in place of a secret. Not all forms are known.
	maskText = regexp.MustCompile(`(?i)redacted|hidden|masked|\*{3,}|•{3,}|^x{4,}$|^[^\pL\pN]+$`)
	// secretName matches the names of secrets. The path or the ID of a secret is none.
	secretName    = regexp.MustCompile(`(?i)secret|passw|passphrase|pass$|pwd|token|credential|signature|privatekey|accesskey|apikey|encryptionkey|^sas$`)
	notSecretName = regexp.MustCompile(`(Path|Id|ID|Name|Type|Version|Enabled)$`)
)

// UnknownSecrets compares two readings of an object. It returns the names of the unknown members
// that may have a mask in place of a secret: a text in them looks like a mask, or has the name of a
// secret, or differs between the readings, which only a time may do. A PUT that sends them back may replace the secret by its
// mask, and one without them may remove it.
func UnknownSecrets[T any](read, again T) []string {
	first, second := namedTexts(read), namedTexts(again)
	var found []string
	for name, texts := range first {
		if !slices.EqualFunc(texts, second[name], namedText.isSame) || slices.ContainsFunc(texts, namedText.mayBeMasked) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// namedTexts returns the texts in the unknown members of an object by the names of UnknownNames.
func namedTexts(object any) map[string][]namedText {
	found := map[string][]namedText{}
	for _, m := range unknownMembers(reflect.ValueOf(object), "") {
		found[m.name] = append(found[m.name], m.texts()...)
	}
	return found
}

// isSame reports whether two readings have the same text or two times.
func (n namedText) isSame(other namedText) bool {
	_, one := time.Parse(time.RFC3339, n.text)
	_, two := time.Parse(time.RFC3339, other.text)
	return n == other || n.name == other.name && one == nil && two == nil
}

// mayBeMasked reports whether a text may be a mask.
func (n namedText) mayBeMasked() bool {
	return maskText.MatchString(n.text) || n.text != "" && secretName.MatchString(n.name) && !notSecretName.MatchString(n.name)
}
