package projects

import (
	"context"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Backup is a whole cluster with its backup configuration.
type Backup struct {
	Cluster opsmanager.Cluster       // which has an ID, except in ListAll
	Config  *opsmanager.BackupConfig // nil if the cluster has none
}

// ListBackups lists the replica sets and the sharded clusters of the project of a query that have a
// backup configuration, sorted by name. The backup of a shard, or of config servers, is managed with
// that of its cluster.
func ListBackups(ctx context.Context, query listresources.Query) (*opsmanager.List[Backup], error) {
	backups, err := ListWhole(ctx, query.Client, query.ID("project_id"))
	return &opsmanager.List[Backup]{Results: slices.DeleteFunc(backups, func(b Backup) bool { return b.Config == nil })}, err
}

// ListWhole lists the replica sets and the sharded clusters of a project, sorted by name, without those
// that have no ID.
func ListWhole(ctx context.Context, client *opsmanager.Client, projectID string) ([]Backup, error) {
	backups, _, err := ListAll(ctx, client, projectID)
	return slices.DeleteFunc(backups, func(b Backup) bool { return tfmodel.NonEmpty(b.Cluster.ID) == nil }), err
}

// ListAll lists the replica sets and the sharded clusters of a project, sorted by name, and the backup
// configurations whose cluster is not listed.
func ListAll(ctx context.Context, client *opsmanager.Client, projectID string) (whole []Backup, unlisted []opsmanager.BackupConfig, err error) {
	clusters, err := client.ListClusters(ctx, projectID)
	if err != nil {
		return nil, nil, err
	}
	configs, err := client.ListBackupConfigs(ctx, projectID, opsmanager.Page{})
	if err != nil {
		return nil, nil, err
	}
	if unlisted = configsWithout(clusters.Results, configs.Results); len(unlisted) > 0 { // a cluster may be new
		if clusters, err = client.ListClusters(ctx, projectID); err != nil {
			return nil, nil, err
		}
		unlisted = configsWithout(clusters.Results, unlisted)
	}
	byCluster := map[string]*opsmanager.BackupConfig{}
	for i, config := range configs.Results {
		byCluster[strings.ToLower(tfmodel.Text(config.ClusterID))] = &configs.Results[i]
	}
	isWhole := opsmanager.WholeClusters(clusters.Results)
	for _, cluster := range sortedClusters(clusters.Results) {
		if isWhole(cluster) {
			whole = append(whole, Backup{cluster, byCluster[strings.ToLower(tfmodel.Text(cluster.ID))]})
		}
	}
	return whole, unlisted, nil
}

// configsWithout returns the backup configurations whose cluster is none of some clusters.
func configsWithout(clusters []opsmanager.Cluster, configs []opsmanager.BackupConfig) (without []opsmanager.BackupConfig) {
	listed := map[string]bool{}
	for _, c := range clusters {
		listed[strings.ToLower(tfmodel.Text(c.ID))] = true
	}
	for _, config := range configs {
		if !listed[strings.ToLower(tfmodel.Text(config.ClusterID))] {
			without = append(without, config)
		}
	}
	return without
}
