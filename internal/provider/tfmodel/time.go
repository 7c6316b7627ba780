package tfmodel

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// ParseTime parses a time in a response or a configuration: ISO 8601, in UTC if it has no
// offset. It returns nil if the time is missing or has a different form.
func ParseTime(text *string) *time.Time {
	if text == nil {
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, *text); err == nil {
			return &at
		}
	}
	return nil
}

// FormatTime returns a time as Ops Manager writes it: ISO 8601 in UTC.
func FormatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// TimeValidator accepts the times that ParseTime parses.
type TimeValidator struct{}

// Description implements [validator.String].
func (TimeValidator) Description(context.Context) string {
	return "must be a time such as 2027-01-31T00:00:00Z, or a date such as 2027-01-31"
}

// MarkdownDescription implements [validator.String].
func (v TimeValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements [validator.String].
func (v TimeValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if text := StringPointer(req.ConfigValue); text != nil && ParseTime(text) == nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Time", fmt.Sprintf("%q %s.", *text, v.Description(ctx)))
	}
}
