package provider

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// difference is a field that Ops Manager holds another value of.
type difference struct {
	attribute string
	held      string // empty if Ops Manager did not return the field
	wanted    string
}

func (d difference) String() string {
	if d.held == "" {
		return fmt.Sprintf("%s = %s (not returned by Ops Manager)", d.attribute, d.wanted)
	}
	return fmt.Sprintf("%s: %s -> %s", d.attribute, d.held, d.wanted)
}

// shown keeps the differences in fields that Ops Manager returned.
func shown(differences []difference) []difference {
	return slices.DeleteFunc(slices.Clone(differences), func(d difference) bool { return d.held == "" })
}

func appendDifference[T comparable](to []difference, attribute string, wanted, held *T, suffix string) []difference {
	switch {
	case wanted == nil || held != nil && *held == *wanted:
		return to
	case held == nil:
		return append(to, difference{attribute: attribute, wanted: fmt.Sprint(*wanted) + suffix})
	}
	return append(to, difference{attribute: attribute, held: opsmanager.Presentable(fmt.Sprint(*held)) + suffix, wanted: fmt.Sprint(*wanted) + suffix})
}

// bulleted writes a line for each item.
func bulleted[T fmt.Stringer](items []T) string {
	var text strings.Builder
	for _, item := range items {
		text.WriteString("\n  - " + item.String())
	}
	return text.String()
}
