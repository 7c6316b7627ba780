package schedules

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// schedulesAtOnce is how many schedules a query reads in parallel.
const schedulesAtOnce = 8

// snapshotScheduleList lists the schedules of a project that can be managed.
type snapshotScheduleList struct {
	snapshotScheduleResource
}

var _ list.ListResourceWithConfigure = (*snapshotScheduleList)(nil)

// NewSnapshotScheduleList returns the list resource opsmanager_snapshot_schedule.
func NewSnapshotScheduleList() list.ListResource { return &snapshotScheduleList{} }

func (l *snapshotScheduleList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = projects.QuerySchema("Lists the snapshot schedules of a project: those of its replica sets and whole sharded clusters whose backup has been started, sorted by cluster name. " +
		"Shards and config servers follow the schedule of their cluster. `include_resource = true` reads each schedule, several in parallel. A schedule that can't be read is left out with a warning.")
}

func (l *snapshotScheduleList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	projectID, backups, diags := projects.QueryBackups(ctx, l.Data, req, "Unable to List Snapshot Schedules")
	if diags.HasError() {
		listresources.Fail(stream, diags...)
		return
	}
	clusters := withSchedule(backups)
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var pending []chan *list.ListResult // of schedules that are being read, in order
		for listed := int64(0); ; {
			for len(clusters) > 0 && len(pending) < schedulesAtOnce && (req.Limit == 0 || int64(len(pending)) < req.Limit-listed) {
				cluster, one := clusters[0], make(chan *list.ListResult, 1)
				clusters, pending = clusters[1:], append(pending, one)
				go func() { one <- l.result(ctx, req, projectID, cluster) }()
			}
			if len(pending) == 0 {
				return
			}
			result := <-pending[0]
			pending = pending[1:]
			if result != nil && !push(*result) {
				return
			}
			if result != nil && result.Identity != nil { // not only a warning
				listed++
			}
		}
	}
}

// withSchedule returns the clusters whose schedule can be changed. A backup that was
// never started, or that was terminated, has no schedule.
func withSchedule(backups []projects.Backup) (clusters []opsmanager.Cluster) {
	for _, backup := range backups {
		if status := backup.Config.StatusName; status == nil || *status != opsmanager.StatusInactive {
			clusters = append(clusters, backup.Cluster)
		}
	}
	return clusters
}

// result reads one schedule, or returns nil if it is gone.
func (l *snapshotScheduleList) result(ctx context.Context, req list.ListRequest, projectID string, cluster opsmanager.Cluster) *list.ListResult {
	schedule := snapshotScheduleModel{ProjectID: types.StringValue(projectID), ClusterID: types.StringValue(*cluster.ID)}
	name := *cluster.NameOrID()
	if req.IncludeResource {
		live, err := l.Client.SnapshotSchedule(ctx, projectID, *cluster.ID)
		switch {
		case opsmanager.IsGone(err):
			return nil
		case err != nil:
			// An error would end the query because of one cluster.
			return &list.ListResult{Diagnostics: diag.Diagnostics{diag.NewWarningDiagnostic(
				fmt.Sprintf("Snapshot Schedule of Cluster %s Not Listed", name), diagnostics.Explain(err))}}
		}
		schedule.fromAPI(*live)
	}
	result := listresources.Result(ctx, req, listresources.Object{Name: name, Identity: schedule.identity(), Resource: schedule})
	return &result
}
