package datasources

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Timestamp is a time in the oplog.
var Timestamp = NewObject(map[string]schema.Attribute{
	"date":      String("Time to the second, ISO 8601 in UTC."),
	"increment": Int64("Order of the operation within that second, from `1`."),
}, func(t opsmanager.Timestamp) map[string]attr.Value {
	return map[string]attr.Value{
		"date":      types.StringPointerValue(t.Date),
		"increment": types.Int64PointerValue(t.Increment),
	}
})

// ParseTime parses a time in a response: ISO 8601, in UTC if it has no offset. It returns nil if
// the time is missing or has another form.
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
