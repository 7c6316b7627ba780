package projects

import (
	"context"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Backup is a whole cluster with its backup configuration.
type Backup struct {
	Cluster opsmanager.Cluster // which has an ID
	Config  opsmanager.BackupConfig
}

// ListBackups lists the replica sets and the sharded clusters of a project that have a
// backup configuration, sorted by name. The backup of a shard, or of config servers, is
// managed with that of its cluster.
func ListBackups(ctx context.Context, client *opsmanager.Client, projectID string) ([]Backup, error) {
	clusters, err := client.ListClusters(ctx, projectID)
	if err != nil {
		return nil, err
	}
	configs, err := client.ListBackupConfigs(ctx, projectID, opsmanager.Page{})
	if err != nil {
		return nil, err
	}
	byCluster := map[string]opsmanager.BackupConfig{}
	for _, config := range configs.Results {
		if config.ClusterID != nil {
			byCluster[*config.ClusterID] = config
		}
	}
	isWhole := opsmanager.WholeClusters(clusters.Results)
	var found []Backup
	for _, cluster := range sortedClusters(clusters.Results) {
		if id := tfmodel.NonEmpty(cluster.ID); id != nil && isWhole(cluster) {
			if config, ok := byCluster[*id]; ok {
				found = append(found, Backup{cluster, config})
			}
		}
	}
	return found, nil
}
