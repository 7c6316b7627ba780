package emulator

import (
	"net/http"
	"slices"
	"strings"
)

// thirdPartyBackupType has no routes if the feature is off, as in Ops Manager, which registers them when it
// starts.
var thirdPartyBackupType = resourceType{routes: func(e *Emulator) []route {
	isUnread := func(u Unread) bool { return strings.HasPrefix(u.Path, "/backup/third_party/") }
	isOn := e.options.ThirdPartyBackup || slices.ContainsFunc(e.state.Copy.Unread, isUnread)
	for _, cluster := range e.state.clusters() {
		isOn = isOn || cluster.ThirdPartyBackup != ""
	}
	if !isOn || !e.version.since(version{8, 0, 8}) {
		return nil
	}
	const all = "/backup/third_party/group/{project}/clusters"
	return []route{{http.MethodGet, all, otherErrors | forUnknownRole, singleQuery, e.listThirdPartyBackups}}
}}

// listThirdPartyBackups lists the clusters that another product backs up, or has backed up. It is not
// documented; the document was observed on 8.0.23.
func (e *Emulator) listThirdPartyBackups(c *call) any {
	clusters := []map[string]any{}
	for _, cluster := range c.project.Clusters {
		if cluster.ThirdPartyBackup != "" {
			clusters = append(clusters, map[string]any{
				"clusterId":   cluster.ID,
				"clusterName": cluster.Name,
				"groupId":     c.project.ID,
				"jobId":       cluster.ID,
				"state":       cluster.ThirdPartyBackup,
			})
		}
	}
	return map[string]any{"clusters": clusters}
}

// SetThirdPartyBackup sets the state of the third-party backup of a cluster, such as ACTIVE, or ends it with an
// empty state.
func (e *Emulator) SetThirdPartyBackup(projectID, clusterID, state string) {
	defer e.lock()()
	e.mustCluster(projectID, clusterID).ThirdPartyBackup = state
}
