package main

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/tools/bench/snapshot"
)

// Read returns BENCH_SNAPSHOTS snapshots of a config server, without any request
// and without the cost of reflection on structs.
func (idleDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	count, err := strconv.Atoi(os.Getenv("BENCH_SNAPSHOTS"))
	if err != nil {
		resp.Diagnostics.AddError("Invalid BENCH_SNAPSHOTS", err.Error())
		return
	}
	url := os.Getenv("OPSMANAGER_BASE_URL") + "/api/public/v1.0/groups/" + snapshot.Project + "/hosts/" + snapshot.Host + "/snapshots"
	results := make([]any, count)
	for i := range results {
		results[i] = func() any {
			one := snapshot.Document(count - 1 - i) // newest first
			one["projectId"] = snapshot.Project
			one["links"] = []any{link("self", url+"/"+one["id"].(string))} //nolint:forcetypeassert // it is one
			return one
		}
	}
	list := map[string]any{
		"projectId": snapshot.Project, "hostId": snapshot.Host, "results": results, "totalCount": count,
		"links": []any{link("self", url+"?pageNum=1&itemsPerPage=500"), link("next", url+"?pageNum=2&itemsPerPage=500")},
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, fromJSON(list, req.Config.Schema.Type()))...)
}

func link(rel, href string) any { return map[string]any{"rel": rel, "href": href} }

// fromJSON converts a JSON value to a type of Terraform, with snake-case names.
// Absent fields become null. A function returns the value.
func fromJSON(value any, to attr.Type) attr.Value {
	if document, ok := value.(func() any); ok {
		value = document()
	}
	switch to := to.(type) {
	case types.ObjectType:
		fields, _ := value.(map[string]any)
		attributes := make(map[string]attr.Value, len(to.AttrTypes))
		for name, attribute := range to.AttrTypes {
			attributes[name] = fromJSON(fields[camelCase(name)], attribute)
		}
		return types.ObjectValueMust(to.AttrTypes, attributes)
	case types.ListType:
		items, _ := value.([]any)
		elements := make([]attr.Value, len(items))
		for i, item := range items {
			elements[i] = fromJSON(item, to.ElemType)
		}
		return types.ListValueMust(to.ElemType, elements)
	}
	switch value := value.(type) {
	case string:
		return types.StringValue(value)
	case bool:
		return types.BoolValue(value)
	case int:
		return types.Int64Value(int64(value))
	}
	if to == types.StringType {
		return types.StringNull()
	}
	return types.Int64Null()
}

func camelCase(name string) string {
	first, rest, _ := strings.Cut(name, "_")
	for word := range strings.SplitSeq(rest, "_") {
		if word != "" {
			first += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return first
}
