package diagnostics

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// First returns the first of the items of a list, and how many more there are as the last element.
func First(items []string, most int) []string {
	if len(items) <= most {
		return items
	}
	return append(slices.Clone(items[:most]), fmt.Sprintf("and %d more", len(items)-most))
}

var clusterOrProject = regexp.MustCompile(`\b([Cc]luster|[Pp]roject) [0-9a-fA-F]{24}\b`)

// Name adds the names of clusters and projects to their IDs in diagnostics, unless a function returns "" for the ID.
func Name(diags diag.Diagnostics, nameOf func(id string) string) {
	named := func(text string) string {
		return clusterOrProject.ReplaceAllStringFunc(text, func(found string) string {
			kind, id, _ := strings.Cut(found, " ")
			if name := nameOf(id); name != "" && name != id {
				return fmt.Sprintf("%s %s (%s)", kind, name, id)
			}
			return found
		})
	}
	for i, d := range diags {
		diags[i] = WithTexts(d, named(d.Summary()), named(d.Detail()))
	}
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
