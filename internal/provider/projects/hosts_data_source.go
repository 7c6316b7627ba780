package projects

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewHostsDataSource returns the data source opsmanager_hosts.
var NewHostsDataSource = sources.List[opsmanager.Host]{
	Name:  "hosts",
	Title: "Hosts",
	Codes: []tf.Codes{Codes},
	Description: "Reads the hosts of a project.\n\n" +
		"These are the processes of MongoDB that Ops Manager monitors, such as the members of replica sets and the config servers, without hidden ones. Use this data source to look up the ID of a host for `opsmanager_config_server_snapshots`.\n\n" +
		"-> Requires the role `Project Read Only`.",
	Attributes: map[string]schema.Attribute{"project_id": IDAttribute()},
	Results:    "The hosts, sorted by `hostname`, then by `port`, then by `id`.",
	Items: sources.Columns[opsmanager.Host]{
		sources.ID("id", "ID of the host, which `opsmanager_config_server_snapshots` calls `host_id`.", func(h opsmanager.Host) *string { return h.ID }),
		sources.String("project_id", "ID of the project.", func(h opsmanager.Host) *string { return h.GroupID }),
		sources.ID("cluster_id", "ID of the replica set, shard, config servers or sharded cluster that the host belongs to. Null for some `mongos`.", func(h opsmanager.Host) *string { return h.ClusterID }),
		sources.String("hostname", "Host name as Ops Manager knows it. The MongoDB Agent of the host may use a different one.", func(h opsmanager.Host) *string { return h.Hostname }),
		sources.Int64("port", "Port of the process.", func(h opsmanager.Host) *int64 { return h.Port }),
		sources.String("type_name", "Type of the process, such as `SHARD_MONGOS`, or `REPLICA_PRIMARY`, which changes with an election.", func(h opsmanager.Host) *string { return h.TypeName }),
		sources.String("replica_set_name", "Name of the replica set. Null for a `mongos`.", func(h opsmanager.Host) *string { return h.ReplicaSetName }),
		sources.String("shard_name", "Name of the shard. Null if the host is not a member of one.", func(h opsmanager.Host) *string { return h.ShardName }),
		sources.String("version", "Version of the database server.", func(h opsmanager.Host) *string { return h.Version }),
	},
	Read: func(ctx context.Context, client *opsmanager.Client, config sources.Config) (*opsmanager.List[opsmanager.Host], error) {
		return client.ListHosts(ctx, config.Text("project_id"))
	},
	Sort: func(hosts []opsmanager.Host) []opsmanager.Host {
		return tf.Sorted(hosts,
			tf.By(func(h opsmanager.Host) *string { return h.Hostname }),
			tf.By(func(h opsmanager.Host) *int64 { return h.Port }),
			tf.By(func(h opsmanager.Host) *string { return h.ID }))
	},
	Singular:    "host",
	IDAttribute: "id",
	Identify:    func(h opsmanager.Host) (id, label *string) { return h.ID, h.Name() },
	ByName: sources.ByName[opsmanager.Host]{
		Attribute:   "ids_by_hostname",
		Description: "IDs of the hosts in `results`, by host name and port, such as `cfg1.example.com:27019`. A name that several of them have is left out with a warning.",
		Of:          func(h opsmanager.Host) (id, name *string) { return h.ID, h.Name() },
	},
}.Constructor()
