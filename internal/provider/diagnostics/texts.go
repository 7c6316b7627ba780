package diagnostics

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// First returns the first of the items of a list, and how many more there are as the last element.
func First(items []string, most int) []string {
	if len(items) <= most {
		return items
	}
	return append(slices.Clone(items[:most]), fmt.Sprintf("and %d more", len(items)-most))
}

// WithTexts returns a diagnostic with another summary and detail.
func WithTexts(of diag.Diagnostic, summary, detail string) diag.Diagnostic {
	at, hasPath := of.(diag.DiagnosticWithPath)
	switch isError := of.Severity() == diag.SeverityError; {
	case isError && hasPath:
		return diag.NewAttributeErrorDiagnostic(at.Path(), summary, detail)
	case isError:
		return diag.NewErrorDiagnostic(summary, detail)
	case hasPath:
		return diag.NewAttributeWarningDiagnostic(at.Path(), summary, detail)
	}
	return diag.NewWarningDiagnostic(summary, detail)
}
