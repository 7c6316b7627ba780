package tf

import (
	"fmt"
	"time"
)

const withoutOffset = "2006-01-02T15:04:05"

// ParseTime parses a time in a response or a configuration: ISO 8601, in UTC if it has no
// offset. It returns nil if the time is missing or has a different form.
func ParseTime(text *string) *time.Time {
	if text == nil {
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", withoutOffset, time.DateOnly} {
		if at, err := time.Parse(layout, *text); err == nil {
			return &at
		}
	}
	return nil
}

// FormatTime returns a time as Ops Manager writes it: ISO 8601 in UTC.
func FormatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

// ATime accepts the times that ParseTime parses, unless their offset is missing.
var ATime = TextValidator{"Invalid Time", timeRule, InvalidTime}

const timeRule = "must be a time with an offset, such as 2027-01-31T01:00:00+01:00, or 2027-01-31T00:00:00Z in UTC, or a date such as 2027-01-31"

// InvalidTime says why a configuration can't have a time, or returns "".
func InvalidTime(text string) string {
	if _, err := time.Parse(withoutOffset, text); err == nil {
		return fmt.Sprintf("%[1]q has no offset, so it is not clear which time it is. Append the offset of that day, such as %[1]s+01:00, or write %[1]sZ if it is in UTC.", text)
	}
	if ParseTime(&text) == nil {
		return fmt.Sprintf("%q %s.", text, timeRule)
	}
	return ""
}
