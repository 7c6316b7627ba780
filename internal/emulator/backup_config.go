package emulator

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
)

var backupConfigType = resourceType{
	routes: func(e *Emulator) []route {
		const all = "/groups/{project}/backupConfigs"
		const one = all + "/{cluster}"
		return []route{
			{http.MethodGet, all, inProfile, listQuery, e.listBackupConfigs},
			{http.MethodGet, one, 0, singleQuery, e.getBackupConfig},
			{http.MethodPatch, one, 0, singleQuery, e.patchBackupConfig},
			{http.MethodGet, one + "/availableMembers", 0, singleQuery, e.getAvailableMembers},
		}
	},
	completeCluster: func(_ *Emulator, c *Cluster) {
		if c.BackupConfig != nil {
			c.BackupConfig = overlay(defaultBackupConfig(), c.BackupConfig)
		}
	},
	cluster: func(d *documents, c *Cluster) {
		d.add(backupConfigFields, c.BackupConfig, "the backup configuration")
		d.add(backupConfigFields, c.ListedBackupConfig, "the listed backup configuration")
	},
}

// listBackupConfigs lists all configurations of a project. A sharded cluster has several:
// one for itself, one per shard, and one for the config servers.
func (e *Emulator) listBackupConfigs(c *call) any {
	var backedUp []*Cluster
	for i := range c.project.Clusters {
		if cluster := &c.project.Clusters[i]; cluster.BackupConfig != nil {
			backedUp = append(backedUp, cluster)
		}
	}
	backedUp = inOrder(backedUp, c.project.BackupConfigOrder, func(c *Cluster) string {
		return c.ID
	})
	return listOf(backedUp, func(cluster *Cluster) map[string]any {
		if listed := cluster.ListedBackupConfig; listed != nil && isAsRead(cluster.BackupConfig) {
			return asRead(listed, c.link("/groups/"+c.project.ID+"/backupConfigs/"+cluster.ID))
		}
		return e.backupConfigDocument(c, cluster, e.readBackupConfig(c.project, cluster), false)
	})
}

func (e *Emulator) getBackupConfig(c *call) any {
	e.requireBackupConfig(c)
	return e.backupConfigDocument(c, c.cluster, e.readBackupConfig(c.project, c.cluster), true)
}

// getAvailableMembers returns the configuration with the members of the cluster.
func (e *Emulator) getAvailableMembers(c *call) any {
	e.requireBackupConfig(c)
	document := e.backupConfigDocument(c, c.cluster, e.readBackupConfig(c.project, c.cluster), true)
	if c.cluster.Members != nil || !e.state.isCopy() {
		document["availableMembers"] = append([]string{}, c.cluster.Members...)
	}
	return document
}

// patchBackupConfig sets all fields that were sent, or none if one is invalid. It returns
// the configuration with the wanted status, which is reached later.
func (e *Emulator) patchBackupConfig(c *call) any {
	e.requireBackupConfig(c)
	project := c.project
	cluster := c.cluster
	cluster.unpack()
	if cluster.ShardOf != "" {
		panic(shardRefused(cluster))
	}
	sent := e.backupConfigChange(c)
	if len(sent) == 0 {
		return e.backupConfigDocument(c, cluster, e.readBackupConfig(project, cluster), true)
	}
	before := cluster.BackupConfig
	status, _ := sent["statusName"].(string)
	if status != "" {
		e.checkStatus(project, cluster, status)
	}
	applyBackupConfig(project, cluster, sent)
	wanted := cluster.BackupConfig
	if status != "" {
		e.requestStatus(project, cluster, status)
		wanted = merge(cluster.BackupConfig, map[string]any{"statusName": status})
	}
	shown := wanted
	e.behind[backupConfigKey(project, cluster)] = &lag{before, e.options.StaleReads}
	if e.options.StaleResponses {
		shown = before
	}
	document := e.backupConfigDocument(c, cluster, shown, true)
	if store, ok := sent["snapshotStore"]; ok && !e.options.StaleResponses {
		document["snapshotStore"] = store // only here
	}
	return document
}

// defaultBackupConfig returns the fields that were observed in an INACTIVE backup configuration.
func defaultBackupConfig() map[string]any {
	return map[string]any{
		"authMechanismName":        "NONE",
		"encryptionEnabled":        false,
		"sslEnabled":               false,
		"excludedNamespaces":       []any{},
		"includedNamespaces":       []any{},
		"multiRegionBackupEnabled": false,
		"multiRegionMisconfigured": false,
	}
}

// readBackupConfig returns a configuration as a read sees it, which may be stale. Each read
// brings a transition closer to its end.
func (e *Emulator) readBackupConfig(project *Project, cluster *Cluster) map[string]any {
	key := backupConfigKey(project, cluster)
	if e.isBehind(key) {
		e.behind[key].reads--
		return e.behind[key].document
	}
	e.advance(project, cluster)
	return cluster.BackupConfig
}

// backupConfigDocument returns a configuration as in a response. In a list, it has only
// the link to itself.
func (e *Emulator) backupConfigDocument(c *call, cluster *Cluster, config map[string]any, single bool) map[string]any {
	group := "/groups/" + c.project.ID
	self := group + "/backupConfigs/" + cluster.ID
	links := []map[string]any{c.link(self)}
	if single {
		links = append(links,
			c.linkTo("cluster", group+"/clusters/"+cluster.ID),
			c.linkTo("group", group),
			c.linkTo("snapshotSchedule", self+"/snapshotSchedule"),
		)
	}
	if isAsRead(config) {
		return asRead(config, links...)
	}
	document := overlay(map[string]any{
		"groupId":   c.project.ID,
		"clusterId": cluster.ID,
		"links":     links,
	}, config)
	unknowns := e.options.Unknowns
	inactive := config["statusName"] == "INACTIVE"
	for _, name := range []string{
		"deploymentConfigs",
		"disableCertificateRevocationCheck",
		"password",
		"snapshotStore",
		"syncSource",
		"username",
	} {
		delete(document, name)
	}
	if inactive {
		delete(document, "storageEngineName")
	}
	for name, field := range backupConfigFields {
		if !e.version.since(field.since) {
			delete(document, name)
		}
	}
	if unknowns.OmitsFalse {
		maps.DeleteFunc(document, func(_ string, value any) bool { return value == false })
	}
	if inactive && unknowns.BareInactive {
		maps.DeleteFunc(document, func(name string, _ any) bool {
			return !slices.Contains([]string{"clusterId", "groupId", "links", "statusName"}, name)
		})
		return document
	}
	for _, name := range []string{"excludedNamespaces", "includedNamespaces"} {
		if _, ok := document[name]; ok {
			document[name] = e.namespaces(config, name)
		}
	}
	if !unknowns.BothNamespaceLists {
		empty := "includedNamespaces"
		if len(e.namespaces(config, empty)) > 0 {
			empty = "excludedNamespaces"
		}
		delete(document, empty)
	}
	return document
}

// BackupConfig returns the stored backup configuration of a cluster, or nil if there is none. It has
// fields that no response has, such as the password and the snapshot store.
func (e *Emulator) BackupConfig(projectID, clusterID string) map[string]any {
	defer e.lock()()
	return copyDocument(cmp.Or(e.state.cluster(projectID, clusterID), &Cluster{}).BackupConfig)
}

// SetBackupConfig sets the backup configuration of a cluster. A status that it sets stays until it is changed.
func (e *Emulator) SetBackupConfig(projectID, clusterID string, fields map[string]any) {
	defer e.lock()()
	cluster := e.mustCluster(projectID, clusterID)
	if cluster.BackupConfig == nil {
		cluster.BackupConfig = defaultBackupConfig()
	}
	cluster.BackupConfig = merge(cluster.BackupConfig, fields)
	if _, ok := fields["statusName"]; ok {
		delete(e.transitions, clusterID)
	}
	if cluster.SnapshotSchedule == nil && cluster.ShardOf == "" {
		cluster.SnapshotSchedule = defaultSchedule()
	}
}

// RemoveBackupConfig removes the backup configuration of a cluster, with its schedule.
func (e *Emulator) RemoveBackupConfig(projectID, clusterID string) {
	defer e.lock()()
	if cluster := e.state.cluster(projectID, clusterID); cluster != nil {
		cluster.BackupConfig = nil
		cluster.SnapshotSchedule = nil
	}
}
