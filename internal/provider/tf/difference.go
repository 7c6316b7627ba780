package tf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Difference is a field for which Ops Manager has a different value.
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
	return fmt.Sprintf("%s: %s -> %s", d.Attribute, opsmanager.Sanitize(d.Held), opsmanager.Sanitize(d.Wanted))
}

// Has reports whether one of some differences is that of an attribute.
func Has(differences []Difference, attribute string) bool {
	return slices.ContainsFunc(differences, func(d Difference) bool {
		return d.Attribute == attribute
	})
}

// Adjusted returns the error for a field that has a different value in the responses since a request than the one that
// was sent, or that they leave out, so that nothing is known. The advice is appended to the error.
func (d Difference) Adjusted(advice string) diag.Diagnostic {
	attribute, _, _ := strings.Cut(d.Attribute, ".")
	at := path.Root(attribute)
	if d.Held == "" {
		return diag.NewAttributeErrorDiagnostic(at, "Value Not Returned", strings.TrimSpace(
			fmt.Sprintf("The provider sent %s for %s. Ops Manager accepted the request, but its responses leave the value out, so the provider can't tell whether it took effect. Look it up in Ops Manager, and plan again. If this version of Ops Manager never returns the value, remove the attribute. %s", d.Wanted, d.Attribute, advice)))
	}
	return diag.NewAttributeErrorDiagnostic(at, "Ops Manager Adjusted the Value", strings.TrimSpace(
		fmt.Sprintf("The provider sent %s for %s, and Ops Manager then returned %s: it changed the value, or the response is old. Plan again. If the plan shows the change again, configure a value that Ops Manager keeps, or remove the attribute. %s", d.Wanted, d.Attribute, opsmanager.Sanitize(d.Held), advice)))
}

// Bulleted returns a line for each item, each after a line feed.
func Bulleted[T fmt.Stringer](items []T) string {
	var text strings.Builder
	for _, item := range items {
		text.WriteString("\n  - " + item.String())
	}
	return text.String()
}
