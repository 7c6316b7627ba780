package main

import (
	"context"
	"os"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/bench/snapshot"
)

type snapshotsModel struct {
	ProjectID    types.String `tfsdk:"project_id"`
	HostID       types.String `tfsdk:"host_id"`
	PageNum      types.Int64  `tfsdk:"page_num"`
	ItemsPerPage types.Int64  `tfsdk:"items_per_page"`
	Results      types.List   `tfsdk:"results"`
	TotalCount   types.Int64  `tfsdk:"total_count"`
	Links        types.List   `tfsdk:"links"`
}

var (
	linkTypes = map[string]attr.Type{"rel": types.StringType, "href": types.StringType}
	linkType  = types.ObjectType{AttrTypes: linkTypes}

	timestampTypes = map[string]attr.Type{"date": types.StringType, "increment": types.Int64Type}

	filterTypes = map[string]attr.Type{"filter_list": types.ListType{ElemType: types.StringType}, "filter_type": types.StringType}

	partTypes = map[string]attr.Type{
		"cluster_id": types.StringType, "completed_time": types.StringType, "compression_setting": types.StringType,
		"data_size_bytes": types.Int64Type, "encryption_enabled": types.BoolType, "fcv": types.StringType,
		"file_size_bytes": types.Int64Type, "host_id": types.StringType, "machine_id": types.StringType,
		"master_key_uuid": types.StringType, "mongod_version": types.StringType, "replica_set_name": types.StringType,
		"replica_state": types.StringType, "storage_size_bytes": types.Int64Type, "type_name": types.StringType,
	}
	partType = types.ObjectType{AttrTypes: partTypes}

	snapshotTypes = map[string]attr.Type{
		"id": types.StringType, "group_id": types.StringType, "cluster_id": types.StringType, "cluster_name": types.StringType,
		"complete": types.BoolType, "created": types.ObjectType{AttrTypes: timestampTypes}, "do_not_delete": types.BoolType,
		"expires": types.StringType, "last_oplog_applied_timestamp": types.ObjectType{AttrTypes: timestampTypes},
		"links": types.ListType{ElemType: linkType}, "namespace_filter_list": types.ObjectType{AttrTypes: filterTypes},
		"parts": types.ListType{ElemType: partType},
	}
	snapshotType = types.ObjectType{AttrTypes: snapshotTypes}
)

// readSnapshots sets as many snapshots as BENCH_SNAPSHOTS says, without a
// service, and without the reflection that structs would cost.
func readSnapshots(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data snapshotsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	count, err := strconv.Atoi(os.Getenv("BENCH_SNAPSHOTS"))
	if err != nil {
		resp.Diagnostics.AddError("Unable to Count", err.Error())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	address := os.Getenv("OPSMANAGER_BASE_URL") + "/api/public/v1.0/groups/" + snapshot.Project + "/hosts/" + snapshot.Host + "/snapshots"
	results := make([]attr.Value, count)
	for i := range results {
		results[i] = snapshotValue(snapshot.Number(count-1-i), address) // newest first
	}
	data.Results = types.ListValueMust(snapshotType, results)
	data.TotalCount = types.Int64Value(int64(count))
	links := []attr.Value{link("self", address+"?pageNum=1&itemsPerPage=500")}
	if count > 500 {
		links = append(links, link("next", address+"?pageNum=2&itemsPerPage=500"))
	}
	data.Links = types.ListValueMust(linkType, links)
	// As one value, which costs less than a struct: that would be converted again
	// and again on the way.
	object, diags := types.ObjectValue(map[string]attr.Type{
		"project_id": types.StringType, "host_id": types.StringType, "page_num": types.Int64Type, "items_per_page": types.Int64Type,
		"results": types.ListType{ElemType: snapshotType}, "total_count": types.Int64Type, "links": types.ListType{ElemType: linkType},
	}, map[string]attr.Value{
		"project_id": data.ProjectID, "host_id": data.HostID, "page_num": data.PageNum, "items_per_page": data.ItemsPerPage,
		"results": data.Results, "total_count": data.TotalCount, "links": data.Links,
	})
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.State.Set(ctx, object)...)
}

func snapshotValue(s snapshot.Snapshot, address string) attr.Value {
	moment := types.ObjectValueMust(timestampTypes, map[string]attr.Value{
		"date": types.StringValue(s.Date), "increment": types.Int64Value(1),
	})
	return types.ObjectValueMust(snapshotTypes, map[string]attr.Value{
		"id": types.StringValue(s.ID), "group_id": types.StringValue(snapshot.Project),
		"cluster_id": types.StringValue(snapshot.Cluster), "cluster_name": types.StringValue("invoices"),
		"complete": types.BoolValue(true), "created": moment, "do_not_delete": types.BoolValue(false),
		"expires": types.StringValue(s.Expires), "last_oplog_applied_timestamp": moment,
		"links": types.ListValueMust(linkType, []attr.Value{link("self", address+"/"+s.ID)}),
		"namespace_filter_list": types.ObjectValueMust(filterTypes, map[string]attr.Value{
			"filter_list": types.ListValueMust(types.StringType, []attr.Value{types.StringValue("local.startup_log")}),
			"filter_type": types.StringValue("denylist"),
		}),
		"parts": types.ListValueMust(partType, []attr.Value{types.ObjectValueMust(partTypes, map[string]attr.Value{
			"cluster_id": types.StringValue(snapshot.Cluster), "completed_time": types.StringValue(s.Date),
			"compression_setting": types.StringValue("GZIP"), "data_size_bytes": types.Int64Value(s.Bytes),
			"encryption_enabled": types.BoolValue(false), "fcv": types.StringValue("3.2"),
			"file_size_bytes": types.Int64Value(s.Bytes), "host_id": types.StringValue(snapshot.Host),
			"machine_id": types.StringValue("cfg1.example.com:27019"), "master_key_uuid": types.StringNull(),
			"mongod_version": types.StringValue("3.2.22"), "replica_set_name": types.StringNull(),
			"replica_state": types.StringValue("PRIMARY"), "storage_size_bytes": types.Int64Value(s.Bytes),
			"type_name": types.StringValue("CONFIG_SERVER"),
		})}),
	})
}

func link(rel, href string) attr.Value {
	return types.ObjectValueMust(linkTypes, map[string]attr.Value{"rel": types.StringValue(rel), "href": types.StringValue(href)})
}
