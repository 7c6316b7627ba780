package emulator

import "net/http"

// backupConfigFields are the documented response fields of a backup
// configuration.
var backupConfigFields = []string{
	"authMechanismName", "clusterId", "encryptionEnabled", "excludedNamespaces", "groupId", "includedNamespaces",
	"links", "multiRegionBackupEnabled", "multiRegionMisconfigured", "preferredMember", "provisioned", "sslEnabled",
	"statusName", "storageEngineName",
}

func (e *Emulator) backupConfigRoutes() []route {
	return []route{
		{http.MethodGet, "/groups/{project}/backupConfigs", true, listQuery, e.listBackupConfigs},
		{http.MethodGet, "/groups/{project}/backupConfigs/{cluster}", false, singleQuery, e.getBackupConfig},
	}
}

// listBackupConfigs lists all configurations of a project. A sharded cluster has several:
// one for itself, one per shard, and one for the config servers.
func (e *Emulator) listBackupConfigs(c *call) (any, error) {
	project, err := e.findProject(c)
	if err != nil {
		return nil, err
	}
	var backedUp []*Cluster
	for i := range project.Clusters {
		if cluster := &project.Clusters[i]; cluster.BackupConfig != nil {
			backedUp = append(backedUp, cluster)
		}
	}
	return longList{len(backedUp), func(i int) map[string]any { return backupConfigDocument(c, project, backedUp[i], false) }}, nil
}

func (e *Emulator) getBackupConfig(c *call) (any, error) {
	project, cluster, err := e.findBackupConfig(c)
	if err != nil {
		return nil, err
	}
	return backupConfigDocument(c, project, cluster, true), nil
}

// backupConfigDocument returns a configuration as in a response. In a list, it has only
// the link to itself.
func backupConfigDocument(c *call, project *Project, cluster *Cluster, single bool) map[string]any {
	group := BasePath + "/groups/" + project.ID
	self := group + "/backupConfigs/" + cluster.ID
	links := []map[string]any{{"rel": "self", "href": c.href(self)}}
	if single {
		links = append(links,
			map[string]any{"rel": "http://mms.mongodb.com/cluster", "href": c.href(group + "/clusters/" + cluster.ID)},
			map[string]any{"rel": "http://mms.mongodb.com/group", "href": c.href(group)},
			map[string]any{"rel": "http://mms.mongodb.com/snapshotSchedule", "href": c.href(self + "/snapshotSchedule")},
		)
	}
	return overlay(map[string]any{"groupId": project.ID, "clusterId": cluster.ID, "links": links}, cluster.BackupConfig)
}

// findBackupConfig finds a cluster that has a backup configuration.
func (e *Emulator) findBackupConfig(c *call) (*Project, *Cluster, error) {
	project, cluster, err := e.findCluster(c)
	if err != nil {
		return nil, nil, err
	}
	if cluster.BackupConfig == nil {
		return nil, nil, refuse(http.StatusNotFound, "BACKUP_CONFIG_NOT_FOUND", "No backup configuration exists for cluster "+cluster.ID+" in group "+project.ID+".", cluster.ID, project.ID)
	}
	return project, cluster, nil
}
