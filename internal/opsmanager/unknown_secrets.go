package opsmanager

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

var (
	// maskText matches texts that servers return in place of a secret. Not all forms are known.
	maskText = regexp.MustCompile(`(?i)redacted|hidden|masked|\*{3,}|•{3,}|^x{4,}$`)
	// secretName matches the names of secrets. The path or the ID of a secret is none.
	secretName    = regexp.MustCompile(`(?i)secret|passw|passphrase|token|credential|privatekey|accesskey|apikey`)
	notSecretName = regexp.MustCompile(`(Path|Id|ID|Name|Type|Version|Enabled)$`)
)

// UnknownSecrets compares two readings of an object. It returns the names of the unknown members
// that may have a mask in place of a secret: a text in them looks like a mask, or has the name of a
// secret, or differs between the readings. A PUT that sends them back may replace the secret by its
// mask, and one without them may remove it.
func UnknownSecrets[T any](read, again T) []string {
	second := unknownValues(again)
	var found []string
	for name, value := range unknownValues(read) {
		if mayBeMasked(name[strings.LastIndexByte(name, '.')+1:], value) || !reflect.DeepEqual(texts(value), texts(second[name])) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// unknownValues returns the decoded unknown members of an object by the names of UnknownNames. Of
// members in a list, it returns all values.
func unknownValues(object any) map[string][]any {
	values := map[string][]any{}
	for name, member := range unknownMembers(reflect.ValueOf(object)) {
		var value any
		if json.Unmarshal(member, &value) == nil {
			values[name] = append(values[name], value)
		}
	}
	return values
}

// mayBeMasked reports whether a member with a name has a text that may be a mask.
func mayBeMasked(name string, value any) bool {
	switch value := value.(type) {
	case string:
		return maskText.MatchString(value) || value != "" && secretName.MatchString(name) && !notSecretName.MatchString(name)
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return mayBeMasked(name, element) })
	case map[string]any:
		for inner, element := range value {
			if mayBeMasked(inner, element) {
				return true
			}
		}
	}
	return false
}

// texts returns a value with everything but its texts replaced. A number may change between two
// readings, such as a size.
func texts(value any) any {
	switch value := value.(type) {
	case string:
		return value
	case []any:
		all := make([]any, len(value))
		for i, element := range value {
			all[i] = texts(element)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for name, element := range value {
			all[name] = texts(element)
		}
		return all
	}
	return nil
}
