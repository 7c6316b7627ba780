package providertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Diagnostics are the errors and warnings of one call, or of several.
type Diagnostics []*tfprotov6.Diagnostic

// Errors returns the errors, each as '[attribute] summary: detail'.
func (d Diagnostics) Errors() []string { return d.of(tfprotov6.DiagnosticSeverityError) }

// Warnings returns the warnings, in the same form as Errors.
func (d Diagnostics) Warnings() []string { return d.of(tfprotov6.DiagnosticSeverityWarning) }

func (d Diagnostics) of(severity tfprotov6.DiagnosticSeverity) []string {
	var texts []string
	for _, one := range d {
		if one.Severity == severity {
			text := one.Summary + ": " + one.Detail
			if one.Attribute != nil && len(one.Attribute.Steps()) > 0 {
				text = fmt.Sprintf("[%v] %s", one.Attribute.Steps()[0], text)
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// WantNoErrors fails a test that has an error.
func (d Diagnostics) WantNoErrors(t T) {
	t.Helper()
	if errors := d.Errors(); len(errors) > 0 {
		t.Fatalf("errors: %q", errors)
	}
}

// WantNoWarnings fails a test that has a warning.
func (d Diagnostics) WantNoWarnings(t T) {
	t.Helper()
	if warnings := d.Warnings(); len(warnings) > 0 {
		t.Fatalf("warnings: %q", warnings)
	}
}

// WantNone fails a test that has an error or a warning.
func (d Diagnostics) WantNone(t T) {
	t.Helper()
	d.WantNoErrors(t)
	d.WantNoWarnings(t)
}

// WantError checks that there is one error, which contains all words.
func (d Diagnostics) WantError(t *testing.T, words ...string) {
	t.Helper()
	WantOne(t, d.Errors(), words...)
}

// WantOutcome checks that there is one error, which contains all words, or no error if there are no words.
func (d Diagnostics) WantOutcome(t *testing.T, words ...string) {
	t.Helper()
	if strings.Join(words, "") == "" {
		d.WantNoErrors(t)
		return
	}
	d.WantError(t, words...)
}

// WantWarning checks that there is one warning, which contains all words.
func (d Diagnostics) WantWarning(t *testing.T, words ...string) {
	t.Helper()
	WantOne(t, d.Warnings(), words...)
}
