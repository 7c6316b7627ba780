package projects

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewHostsDataSource returns the data source opsmanager_hosts.
var NewHostsDataSource = datasources.List[opsmanager.Host]{
	Name: "hosts", Title: "Hosts", Codes: []diagnostics.Codes{Codes},
	Description: "Reads the hosts of a project: the processes of MongoDB that Ops Manager monitors, such as the members of replica sets and the config servers. Hidden hosts are not among them.\n\n" +
		"Use it to look up the ID of a host for `opsmanager_config_server_snapshots`.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Every page of the list is read. Values that Ops Manager does not return are null. A host without an ID produces a warning.",
	Attributes: map[string]schema.Attribute{
		"project_id": IDAttribute(),
		"ids_by_hostname": datasources.IDsByName("IDs of the hosts in `results`, by host name and port, such as `cfg1.example.com:27019`. A name that several of them have is left out with a warning. Hosts without an ID, a host name or a port are left out too. " +
			"`terraform test` can mock this map, but not a list of objects such as `results`."),
	},
	Results: "The hosts, sorted by `hostname`, then by `port`, then by `id`.",
	Items: datasources.NewObject(map[string]schema.Attribute{
		"id":               datasources.String("ID of the host, which `opsmanager_config_server_snapshots` calls `host_id`."),
		"group_id":         datasources.String("ID of the project."),
		"cluster_id":       datasources.String("ID of the replica set, shard, config servers or sharded cluster that the host belongs to. Null for some `mongos`."),
		"hostname":         datasources.String("Host name as Ops Manager knows it. The MongoDB Agent of the host may use a different one."),
		"port":             datasources.Int64("Port of the process."),
		"type_name":        datasources.String("Type of the process, such as `REPLICA_PRIMARY`, `REPLICA_SECONDARY`, `SHARD_MONGOS` or `SHARD_CONFIG`. It changes if a different member becomes the primary."),
		"replica_set_name": datasources.String("Name of the replica set. Null for a `mongos`."),
		"shard_name":       datasources.String("Name of the shard. Null if the host is not a member of one."),
		"version":          datasources.String("Version of the database server."),
	}, func(h opsmanager.Host) map[string]attr.Value {
		return map[string]attr.Value{
			"id":               types.StringPointerValue(tfmodel.NonEmpty(h.ID)),
			"group_id":         types.StringPointerValue(h.GroupID),
			"cluster_id":       types.StringPointerValue(tfmodel.NonEmpty(h.ClusterID)),
			"hostname":         types.StringPointerValue(h.Hostname),
			"port":             types.Int64PointerValue(h.Port),
			"type_name":        types.StringPointerValue(h.TypeName),
			"replica_set_name": types.StringPointerValue(h.ReplicaSetName),
			"shard_name":       types.StringPointerValue(h.ShardName),
			"version":          types.StringPointerValue(h.Version),
		}
	}),
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.Host], error) {
		return client.ListHosts(ctx, config.String("project_id").ValueString())
	},
	Sort: func(hosts []opsmanager.Host) []opsmanager.Host {
		slices.SortStableFunc(hosts, func(a, b opsmanager.Host) int {
			return cmp.Or(
				tfmodel.CompareAbsentLast(a.Hostname, b.Hostname, cmp.Compare),
				tfmodel.CompareAbsentLast(a.Port, b.Port, cmp.Compare),
				tfmodel.CompareAbsentLast(a.ID, b.ID, cmp.Compare),
			)
		})
		return hosts
	},
	Noun: "host", IDAttribute: "id",
	Identify:        func(h opsmanager.Host) (id, label *string) { return h.ID, h.Name() },
	ByName:          func(h opsmanager.Host) (id, name *string) { return h.ID, h.Name() },
	ByNameAttribute: "ids_by_hostname",
}.Constructor()
