package snapshots

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewClusterSnapshotsDataSource returns the data source opsmanager_cluster_snapshots.
var NewClusterSnapshotsDataSource = datasources.List[opsmanager.ClusterSnapshot]{
	Name: "cluster_snapshots", Title: "Cluster Snapshots",
	Codes: []diagnostics.Codes{projects.Codes, projects.ClusterCodes, {Attributes: map[string]string{"completed": "completed"}}}, // which a version may reject
	Description: "Reads the snapshots of a replica set or a whole sharded cluster. A cluster that was never backed up has none.\n\n" +
		"-> Requires the role `Project Read Only`.\n\n" +
		"Ops Manager does not document the order of its pages: one page may lack the newest snapshots.",
	Attributes: map[string]schema.Attribute{
		"project_id": projects.IDAttribute(),
		"cluster_id": projects.ClusterIDAttribute("ID of the replica set or of the whole sharded cluster"),
		"completed": schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.OneOf("true", "false", "all")},
			MarkdownDescription: "Which snapshots to read: `true`, the default, for complete ones, `false` for incomplete ones, `all` for both. " +
				"Older versions may return no incomplete ones, or also others: these are left out, but count in `total_count` and `items_per_page`.",
		},
		"newest_complete": NewestObject.Attribute("Newest complete snapshot that lacks no shard. Null if the cluster has none, if `completed` is `false`, or if you select a page."),
	},
	Paged:   true,
	Results: "The snapshots, sorted from the newest to the oldest.",
	Items: datasources.Of(snapshotColumns, base).And(
		datasources.Bool("is_possibly_inconsistent", "Whether the snapshot may be inconsistent because the balancer could not be stopped. Null for a replica set.", func(s opsmanager.ClusterSnapshot) *bool { return s.IsPossiblyInconsistent }),
		datasources.NestedList("missing_shards", "Shards and config servers that the snapshot lacks, without `has_schedule` and `third_party_backup`. Null for a replica set.", projects.Cluster, func(s opsmanager.ClusterSnapshot) []opsmanager.Cluster { return s.MissingShards }),
	),
	Read: func(ctx context.Context, client *opsmanager.Client, config datasources.Config) (*opsmanager.List[opsmanager.ClusterSnapshot], error) {
		completed := config.Text("completed")
		list, err := client.ListClusterSnapshots(ctx, config.Text("project_id"), config.Text("cluster_id"), completed, config.Page())
		if err != nil {
			return nil, err
		}
		list.Results = withCompleteness(list.Results, completed)
		return list, nil
	},
	Sort: func(snapshots []opsmanager.ClusterSnapshot) []opsmanager.ClusterSnapshot {
		return newestFirst(snapshots, base)
	},
	Values: func(config datasources.Config, snapshots []opsmanager.ClusterSnapshot) map[string]attr.Value {
		var newest *Newest
		if config.Page() == (opsmanager.Page{}) {
			points := make([]opsmanager.RestorePoint, len(snapshots))
			for i, s := range snapshots {
				points[i] = s.RestorePoint()
			}
			newest = NewestComplete(points)
		}
		return map[string]attr.Value{"newest_complete": NewestObject.Value(newest)}
	},
}.Constructor()

// withCompleteness returns the snapshots that completed selects, because some versions of Ops Manager
// ignore it. A snapshot that does not say whether it is complete stays.
func withCompleteness(snapshots []opsmanager.ClusterSnapshot, completed string) []opsmanager.ClusterSnapshot {
	if completed == "all" {
		return snapshots
	}
	return slices.DeleteFunc(snapshots, func(s opsmanager.ClusterSnapshot) bool {
		return s.Complete != nil && *s.Complete == (completed == "false")
	})
}

// base returns the fields that a snapshot of a cluster shares with other snapshots.
func base(s opsmanager.ClusterSnapshot) opsmanager.Snapshot { return s.Snapshot }

// Newest is the newest complete snapshot of a cluster.
type Newest struct {
	ID      *string
	Created time.Time
	Expires *string
}

// NewestComplete returns the newest complete snapshot of a list, or nil if there is none. A snapshot
// that lacks a shard is not complete, because Ops Manager does not restore it.
func NewestComplete(points []opsmanager.RestorePoint) (newest *Newest) {
	for _, p := range points {
		if !isRestorable(p) {
			continue
		}
		if at := timeOf(&opsmanager.Timestamp{Date: p.Created.Date, Time: p.Created.Time}); at != nil && (newest == nil || at.After(newest.Created)) {
			newest = &Newest{tfmodel.NonEmpty(&p.ID), *at, tfmodel.NonEmpty(&p.Expires)}
		}
	}
	return newest
}

// NewestObject has the attributes of a snapshot that a restore or a check of its age needs.
var NewestObject = datasources.ObjectOf(
	datasources.String("id", "ID of the snapshot.", func(n Newest) *string { return n.ID }),
	datasources.String("created", "Time when the snapshot was taken, RFC 3339 in UTC.", func(n Newest) *string { return new(n.Created.UTC().Format(time.RFC3339)) }),
	datasources.String("expires", "Time after which the snapshot may be deleted, ISO 8601 in UTC. Null if it does not expire.", func(n Newest) *string { return n.Expires }),
)
