package projects

import (
	"context"
	"slices"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Backup is a whole cluster with its backup configuration.
type Backup struct {
	Cluster opsmanager.Cluster       // which has an ID, except in ListAllWhole
	Config  *opsmanager.BackupConfig // nil if the cluster has none
}

// ListBackups lists the replica sets and the sharded clusters of the project of a query that have a
// backup configuration, sorted by name. The backup of a shard, or of config servers, is managed with
// that of its cluster.
func ListBackups(ctx context.Context, query listresources.Query) ([]Backup, error) {
	backups, err := ListWhole(ctx, query.Client, query.ID("project_id"))
	return slices.DeleteFunc(backups, func(b Backup) bool { return b.Config == nil }), err
}

// ListWhole is ListAllWhole without the clusters that have no ID.
func ListWhole(ctx context.Context, client *opsmanager.Client, projectID string) ([]Backup, error) {
	backups, err := ListAllWhole(ctx, client, projectID)
	return slices.DeleteFunc(backups, func(b Backup) bool { return tfmodel.NonEmpty(b.Cluster.ID) == nil }), err
}

// ListAllWhole lists the replica sets and the sharded clusters of a project, sorted by name.
func ListAllWhole(ctx context.Context, client *opsmanager.Client, projectID string) ([]Backup, error) {
	clusters, err := client.ListClusters(ctx, projectID)
	if err != nil {
		return nil, err
	}
	configs, err := client.ListBackupConfigs(ctx, projectID, opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	byCluster := map[string]*opsmanager.BackupConfig{}
	for i, config := range configs.Results {
		if config.ClusterID != nil {
			byCluster[*config.ClusterID] = &configs.Results[i]
		}
	}
	isWhole := opsmanager.WholeClusters(clusters.Results)
	var found []Backup
	for _, cluster := range sortedClusters(clusters.Results) {
		if isWhole(cluster) {
			found = append(found, Backup{cluster, byCluster[tfmodel.Text(cluster.ID)]})
		}
	}
	return found, nil
}
