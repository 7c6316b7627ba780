package projects

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Backup is a whole cluster with its backup configuration.
type Backup struct {
	Cluster opsmanager.Cluster       // may have no ID
	Config  *opsmanager.BackupConfig // nil if the cluster has none
}

// ListBackups lists the replica sets and the sharded clusters of the project of a query that have a
// backup configuration, sorted by name. The backup of a shard, or of config servers, is managed with
// that of its cluster. Those without an ID or a listed cluster are among them, so that a query can name them.
func ListBackups(ctx context.Context, query sources.Query) (*opsmanager.List[Backup], error) {
	backups, unlisted, _, err := ListAll(ctx, query.Client, query.ID("project_id"))
	backups = slices.DeleteFunc(backups, func(b Backup) bool {
		return b.Config == nil && tf.Text(b.Cluster.ID) != ""
	})
	for _, config := range unlisted {
		backups = append(backups, Backup{Config: &config})
	}
	return &opsmanager.List[Backup]{Results: backups}, err
}

// ListedBackup returns what converts a backup for a query. It leaves out those that can't be imported.
func ListedBackup(
	convert func(context.Context, sources.Query, Backup) sources.Listed,
) func(context.Context, sources.Query, Backup) sources.Listed {
	return func(ctx context.Context, query sources.Query, b Backup) sources.Listed {
		switch {
		case b.Config != nil && tf.Text(b.Cluster.ID) == "":
			return sources.LeftOut(b.Label(), "Ops Manager lists its backup configuration, but not the cluster.")
		case !tf.IsObjectID(tf.Text(b.Cluster.ID)):
			return sources.LeftOut(b.Label(), "Ops Manager lists the cluster without an ID of 24 hexadecimal digits, so it can't be imported.")
		}
		return convert(ctx, query, b)
	}
}

// Label names a backup that a query leaves out.
func (b Backup) Label() string {
	id := b.Cluster.NameOrID()
	if b.Config != nil {
		id = cmp.Or(id, b.Config.ClusterID)
	}
	return "of Cluster " + cmp.Or(tf.Text(id), "Without a Name or an ID")
}

// ListAll lists the replica sets and the sharded clusters of a project, sorted by name, and the backup
// configurations whose cluster is not listed. If any of them lacks its ID, it also returns the error for what depends on
// that.
func ListAll(
	ctx context.Context, client *opsmanager.Client, projectID string,
) (whole []Backup, unlisted []opsmanager.BackupConfig, unidentified, err error) {
	clusters, err := client.ListClusters(ctx, projectID)
	if err != nil {
		return nil, nil, nil, err
	}
	configs, err := client.ListBackupConfigs(ctx, projectID, opsmanager.Page{})
	if err != nil {
		return nil, nil, nil, err
	}
	unlisted = configsWithout(clusters.Results, configs.Results)
	if len(unlisted) > 0 { // a cluster may be new
		if clusters, err = client.ListClusters(ctx, projectID); err != nil {
			return nil, nil, nil, err
		}
		unlisted = configsWithout(clusters.Results, unlisted)
	}
	byCluster := map[string]*opsmanager.BackupConfig{}
	for i, config := range configs.Results {
		byCluster[strings.ToLower(tf.Text(config.ClusterID))] = &configs.Results[i]
	}
	delete(byCluster, "")
	isWhole := opsmanager.WholeClusters(clusters.Results)
	for _, cluster := range sortedClusters(clusters.Results) {
		if isWhole(cluster) {
			whole = append(whole, Backup{cluster, byCluster[strings.ToLower(tf.Text(cluster.ID))]})
		}
	}
	_, noCluster := opsmanager.Identified(clusters, nil)
	_, noConfig := opsmanager.Identified(configs, nil)
	return whole, unlisted, cmp.Or(noCluster, noConfig), nil
}

// configsWithout returns the backup configurations whose cluster is none of some clusters.
func configsWithout(clusters []opsmanager.Cluster, configs []opsmanager.BackupConfig) (without []opsmanager.BackupConfig) {
	listed := map[string]bool{}
	for _, c := range clusters {
		listed[strings.ToLower(tf.Text(c.ID))] = true
	}
	for _, config := range configs {
		id := tf.Text(config.ClusterID)
		if id == "" || !listed[strings.ToLower(id)] {
			without = append(without, config)
		}
	}
	return without
}
