package schedules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// How many schedules a listing reads side by side.
const schedulesAtOnce = 8

// snapshotScheduleList lists the schedules of a project that can be managed, for
// terraform query.
type snapshotScheduleList struct {
	snapshotScheduleResource
}

var _ list.ListResourceWithConfigure = (*snapshotScheduleList)(nil)

// NewSnapshotScheduleList returns the list resource opsmanager_snapshot_schedule.
func NewSnapshotScheduleList() list.ListResource { return &snapshotScheduleList{} }

func (l *snapshotScheduleList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the snapshot schedules of a project that can be managed: those of replica sets and of whole sharded clusters whose backup has been started at some time, sorted by the name of the cluster. " +
			"Shards and config servers follow their cluster's schedule. `include_resource` reads each schedule, several side by side; one that cannot be read is a warning, and is left out. " + tfmodel.ListLimit,
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				Required: true, Validators: connection.ObjectIDValidators(),
				MarkdownDescription: "Id of the project (group): 24 hexadecimal digits.",
			},
		},
	}
}

func (l *snapshotScheduleList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	const summary = "Unable to List Snapshot Schedules"
	var config struct {
		ProjectID types.String `tfsdk:"project_id"`
	}
	diags := tfmodel.Read(ctx, req.Config, &config)
	if diags.HasError() || !l.Ready(summary, &diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	projectID := strings.ToLower(config.ProjectID.ValueString()) // as Ops Manager spells it
	clusters, err := l.manageable(ctx, projectID)
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{diagnostics.Failure(summary, err, projects.Codes)})
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		listed := int64(0)
		for one := range l.results(ctx, req, projectID, clusters) {
			result := <-one
			if result == nil {
				continue
			}
			if !push(*result) {
				return
			}
			if isListed(result) {
				listed++
			}
			if req.Limit > 0 && listed == req.Limit {
				return
			}
		}
	}
}

// isListed says whether a result is a schedule, and not only the diagnostics of one
// that could not be read.
func isListed(result *list.ListResult) bool { return result != nil && result.Identity != nil }

// manageable returns the clusters of a project whose schedule can be changed,
// sorted by name.
func (l *snapshotScheduleList) manageable(ctx context.Context, projectID string) ([]opsmanager.Cluster, error) {
	clusters, err := l.Client.ListClusters(ctx, projectID)
	if err != nil {
		return nil, err
	}
	configs, err := l.Client.ListBackupConfigs(ctx, projectID, opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	scheduled := map[string]bool{}
	for _, c := range configs.Results {
		// Where backup was never started, or has been terminated, there is none.
		if c.ClusterID != nil && (c.StatusName == nil || *c.StatusName != "INACTIVE") {
			scheduled[*c.ClusterID] = true
		}
	}
	whole := opsmanager.WholeClusters(clusters.Results)
	return projects.SortedClusters(slices.DeleteFunc(clusters.Results, func(c opsmanager.Cluster) bool {
		return tfmodel.NonEmpty(c.ID) == nil || !scheduled[*c.ID] || !whole(c)
	})), nil
}

// results yields, in order, the channels on which the clusters' results will
// arrive, and reads a bounded number of schedules side by side. Nil is a schedule
// that has gone. It starts as many as the limit, and one more for each that turns
// out not to be listed.
func (l *snapshotScheduleList) results(ctx context.Context, req list.ListRequest, projectID string, clusters []opsmanager.Cluster) <-chan chan *list.ListResult {
	pending := make(chan chan *list.ListResult, schedulesAtOnce-1) // and the one that is waited for
	unlisted := make(chan struct{}, len(clusters))
	go func() {
		defer close(pending)
		for i, cluster := range clusters {
			if req.Limit > 0 && int64(i) >= req.Limit {
				select {
				case <-unlisted:
				case <-ctx.Done():
					return
				}
			}
			one := make(chan *list.ListResult, 1)
			select {
			case pending <- one:
				go func() {
					result := l.result(ctx, req, projectID, cluster)
					if !isListed(result) {
						unlisted <- struct{}{}
					}
					one <- result
				}()
			case <-ctx.Done():
				return
			}
		}
	}()
	return pending
}

func (l *snapshotScheduleList) result(ctx context.Context, req list.ListRequest, projectID string, cluster opsmanager.Cluster) *list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = *cluster.NameOrID()
	schedule := snapshotScheduleModel{ProjectID: types.StringValue(projectID), ClusterID: types.StringValue(*cluster.ID)}
	result.Diagnostics.Append(tfmodel.Write(ctx, result.Identity, schedule.identity())...)
	if !req.IncludeResource {
		return &result
	}
	shown, err := l.Client.SnapshotSchedule(ctx, projectID, *cluster.ID)
	switch {
	case opsmanager.IsGone(err):
		return nil
	case err != nil:
		// An error would end the query, and one cluster whose backup is being
		// terminated would keep all others from being listed.
		return &list.ListResult{Diagnostics: diag.Diagnostics{diag.NewWarningDiagnostic(
			fmt.Sprintf("The Snapshot Schedule of Cluster %s Is Not Listed", result.DisplayName), diagnostics.Explain(err))}}
	}
	schedule.fromAPI(*shown)
	result.Diagnostics.Append(tfmodel.Write(ctx, result.Resource, schedule)...)
	return &result
}
