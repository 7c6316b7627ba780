package tfmodel

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Difference is a field for which Ops Manager has another value.
type Difference struct {
	Attribute string
	Held      string // empty if Ops Manager did not return the field
	Wanted    string
}

// String returns the difference as a plan would show it.
func (d Difference) String() string {
	if d.Held == "" {
		return fmt.Sprintf("%s = %s (not returned by Ops Manager)", d.Attribute, d.Wanted)
	}
	return fmt.Sprintf("%s: %s -> %s", d.Attribute, d.Held, d.Wanted)
}

// Returned returns the differences in fields that Ops Manager returned.
func Returned(differences []Difference) []Difference {
	return slices.DeleteFunc(slices.Clone(differences), func(d Difference) bool { return d.Held == "" })
}

// AppendDifference adds a difference, if there is one, between the wanted and the held
// value of an attribute. The suffix, such as a unit, follows both. If wanted is nil, there
// is no difference.
func AppendDifference[T comparable](to []Difference, attribute string, wanted, held *T, suffix string) []Difference {
	switch {
	case wanted == nil || held != nil && *held == *wanted:
		return to
	case held == nil:
		return append(to, Difference{Attribute: attribute, Wanted: fmt.Sprint(*wanted) + suffix})
	}
	return append(to, Difference{Attribute: attribute, Held: opsmanager.Sanitize(fmt.Sprint(*held)) + suffix, Wanted: fmt.Sprint(*wanted) + suffix})
}

// Bulleted returns a line for each item, each after a line feed.
func Bulleted[T fmt.Stringer](items []T) string {
	var text strings.Builder
	for _, item := range items {
		text.WriteString("\n  - " + item.String())
	}
	return text.String()
}
