package tf

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// TextValidator rejects texts.
type TextValidator struct {
	Title, Rule string                   // of the error, and what is accepted, such as "must be a host"
	Problem     func(text string) string // the error about a text, or ""
}

// TextRule returns a validator whose error says the rule.
func TextRule(title, rule string, isValid func(text string) bool) TextValidator {
	return TextValidator{title, rule, func(text string) string {
		if isValid(text) {
			return ""
		}
		return fmt.Sprintf("%q %s.", text, rule)
	}}
}

// Description implements [validator.String].
func (v TextValidator) Description(context.Context) string { return v.Rule }

// MarkdownDescription implements [validator.String].
func (v TextValidator) MarkdownDescription(context.Context) string { return v.Rule }

// ValidateString implements [validator.String].
func (v TextValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if text := StringPointer(req.ConfigValue); text != nil {
		if problem := v.Problem(*text); problem != "" {
			resp.Diagnostics.AddAttributeError(req.Path, v.Title, problem)
		}
	}
}
