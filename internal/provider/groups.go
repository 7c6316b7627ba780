package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/provider/alerts"
	"terraform-provider-opsmanager/internal/provider/backups"
	"terraform-provider-opsmanager/internal/provider/daemons"
	"terraform-provider-opsmanager/internal/provider/modules"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/regions"
	"terraform-provider-opsmanager/internal/provider/restores"
	"terraform-provider-opsmanager/internal/provider/schedules"
	"terraform-provider-opsmanager/internal/provider/snapshots"
	"terraform-provider-opsmanager/internal/provider/status"
	"terraform-provider-opsmanager/internal/provider/stores"
)

// group is a group of pages in the registry, with the types that they describe.
type group struct {
	title       string
	resources   []func() resource.Resource
	dataSources []func() datasource.DataSource
	lists       []func() list.ListResource
	actions     []func() action.Action
}

// groups has every type of the provider.
var groups = []group{
	{
		title: "Projects and clusters",
		dataSources: []func() datasource.DataSource{
			projects.NewProjectDataSource, projects.NewProjectsDataSource, projects.NewClusterDataSource, projects.NewClustersDataSource, projects.NewHostsDataSource,
		},
	},
	{
		title:     "Backups and schedules",
		resources: []func() resource.Resource{backups.NewBackupConfigResource, schedules.NewSnapshotScheduleResource, schedules.NewSnapshotPolicyResource, modules.NewBackupModuleResource, alerts.NewAlertConfigResource},
		dataSources: []func() datasource.DataSource{
			backups.NewBackupConfigDataSource, backups.NewBackupConfigsDataSource, schedules.NewSnapshotScheduleDataSource, status.NewBackupStatusDataSource, status.NewBackupAlertsDataSource,
		},
		lists: []func() list.ListResource{backups.NewBackupConfigList, schedules.NewSnapshotScheduleList, modules.NewBackupModuleList, alerts.NewAlertConfigList},
	},
	{
		title:     "Snapshots and restores",
		resources: []func() resource.Resource{snapshots.NewOnDemandSnapshotResource, restores.NewRestoreJobResource},
		dataSources: []func() datasource.DataSource{
			snapshots.NewClusterSnapshotsDataSource, snapshots.NewConfigServerSnapshotsDataSource, restores.NewRestoreJobsDataSource, restores.NewRestorableTimeRangesDataSource,
		},
		lists:   []func() list.ListResource{snapshots.NewOnDemandSnapshotList},
		actions: []func() action.Action{snapshots.NewOnDemandSnapshotAction, restores.NewRestoreJobAction},
	},
	{
		title:     "Stores, daemons and regions",
		resources: append(stores.Resources(), regions.NewDeploymentRegionResource, daemons.NewBackupDaemonResource, daemons.NewJobConfigResource),
		dataSources: []func() datasource.DataSource{
			stores.NewBackupStoresDataSource, regions.NewDeploymentRegionsDataSource, daemons.NewBackupDaemonsDataSource, daemons.NewJobConfigDataSource,
		},
		lists: append(stores.ListResources(), regions.NewDeploymentRegionList, daemons.NewBackupDaemonList, daemons.NewJobConfigList),
	},
}

// Groups returns the title of the group of each type, for the pages in the registry.
func Groups(ctx context.Context) map[string]string {
	titles := map[string]string{}
	for _, g := range groups {
		for _, construct := range g.resources {
			var resp resource.MetadataResponse
			construct().Metadata(ctx, resource.MetadataRequest{ProviderTypeName: typeName}, &resp)
			titles[resp.TypeName] = g.title
		}
		for _, construct := range g.dataSources {
			var resp datasource.MetadataResponse
			construct().Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: typeName}, &resp)
			titles[resp.TypeName] = g.title
		}
	}
	return titles
}
