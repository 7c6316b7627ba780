package diagnostics

import "github.com/hashicorp/terraform-plugin-framework/diag"

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
