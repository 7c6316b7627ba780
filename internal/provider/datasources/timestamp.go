package datasources

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Timestamp is a time in the oplog.
var Timestamp = NewObject(map[string]schema.Attribute{
	"date":      String("Time to the second, ISO 8601 in UTC."),
	"increment": Int64("Order of the operation within that second, `1` or more."),
}, func(t opsmanager.Timestamp) map[string]attr.Value {
	return map[string]attr.Value{
		"date":      types.StringPointerValue(t.Date),
		"increment": types.Int64PointerValue(t.Increment),
	}
})
