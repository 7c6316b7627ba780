package emulator

import (
	"net/http"
	"slices"
	"strings"
)

// statusRequests are the statuses that a client can request, and in which other ones.
var statusRequests = map[string]struct {
	verb string
	from []string
}{
	"STARTED":     {"start", []string{"INACTIVE", "STOPPED"}},
	"STOPPED":     {"stop", []string{"STARTED"}},
	"TERMINATING": {"terminate", []string{"STOPPED"}},
}

// checkStatus refuses a status that a client cannot request now. While reads are
// stale, the request must also be valid for the status that they return.
func (e *Emulator) checkStatus(project *Project, cluster *Cluster, wanted string) {
	request, ok := statusRequests[wanted]
	if !ok {
		panic(refuse(http.StatusForbidden, "UNSUPPORTED_SET_BACKUP_STATE", "The status "+wanted+" cannot be set.", wanted))
	}
	configs := []map[string]any{cluster.BackupConfig}
	if key := backupConfigKey(project, cluster); e.isBehind(key) {
		configs = append(configs, e.behind[key].document)
	}
	for _, config := range configs {
		if status, _ := config["statusName"].(string); !slices.Contains(request.from, status) {
			// The text about the start was observed.
			panic(refuse(http.StatusConflict, "CANNOT_"+strings.ToUpper(request.verb)+"_BACKUP_INVALID_STATE",
				"Cannot "+request.verb+" backup unless the cluster is in the "+strings.Join(request.from, " or ")+" state."))
		}
	}
	if wanted == "STARTED" && e.refusedStarts < e.options.UnreportedStarts {
		e.refusedStarts++
		panic(refuse(http.StatusConflict, "", "Backup failed to start: MongoDB version information is not yet available"))
	}
	if wanted == "STARTED" && (e.options.NoStores || e.state.lacksAssignment(project)) {
		if e.version.since(version{8, 0, 0}) { // observed on 8.0.23, without a code
			panic(refuse(http.StatusConflict, "", "Could not find available Snapshot Store"))
		}
		panic(refuse(http.StatusInternalServerError, "UNEXPECTED_ERROR", "Unexpected error."))
	}
}

// requestStatus begins the transition to a status that a client requested.
func (e *Emulator) requestStatus(project *Project, cluster *Cluster, wanted string) {
	if wanted == "STARTED" && cluster.BackupConfig["statusName"] == "INACTIVE" {
		wanted = "PROVISIONING"
	}
	e.setStatus(project, cluster, wanted)
}

// setStatus sets the status of a cluster and its components. Some statuses also change stores,
// snapshots or the schedule.
func (e *Emulator) setStatus(project *Project, cluster *Cluster, status string) {
	fields := map[string]any{"statusName": status}
	if cluster.SnapshotSchedule == nil && cluster.ShardOf == "" && status != "INACTIVE" { // on a copy
		cluster.SnapshotSchedule = defaultSchedule()
	}
	delete(e.transitions, cluster.ID)
	switch status {
	case "PROVISIONING", "STARTED":
		e.state.assign(project, cluster)
	case "INACTIVE":
		e.state.unassign(project, cluster)
	}
	switch status {
	case "PROVISIONING":
		if !e.options.AwaitApproval {
			e.beginTransition(cluster)
		}
	case "STARTED":
		if cluster.BackupConfig["storageEngineName"] == nil {
			fields["storageEngineName"] = "WIRED_TIGER"
		}
		if len(cluster.Snapshots) == 0 && cluster.BackupConfig["statusName"] == "PROVISIONING" {
			e.beginSnapshot(project, cluster, e.now, e.now.Add(scheduledRetention(cluster)), e.options.TransitionReads)
		}
	case "TERMINATING":
		e.beginTransition(cluster)
		project.removeSnapshots(cluster)
	case "INACTIVE":
		cluster.SnapshotSchedule = defaultSchedule()
	}
	cluster.BackupConfig = merge(cluster.BackupConfig, fields)
	for i := range project.Clusters {
		component := &project.Clusters[i]
		if component.ShardOf == cluster.ID && component.BackupConfig != nil {
			component.BackupConfig = merge(component.BackupConfig, map[string]any{
				"statusName": status, "storageEngineName": cluster.BackupConfig["storageEngineName"],
			})
		}
	}
	if e.transitions[cluster.ID] != nil && e.options.TransitionReads < 0 {
		e.endTransition(project, cluster)
	}
}

// beginTransition begins a transition, which ends after some reads or some time.
func (e *Emulator) beginTransition(cluster *Cluster) {
	begun := &transition{reads: e.options.TransitionReads}
	e.transitions[cluster.ID] = begun
	e.endInTime(cluster.ID, func(project *Project, cluster *Cluster) {
		if e.transitions[cluster.ID] == begun {
			e.endTransition(project, cluster)
		}
	})
}

// advance brings the transition of a cluster, if any, one read closer to its end.
func (e *Emulator) advance(project *Project, cluster *Cluster) {
	current := e.transitions[cluster.ID]
	switch {
	case current == nil:
	case current.reads > 0:
		current.reads--
	default:
		e.endTransition(project, cluster)
	}
}

func (e *Emulator) endTransition(project *Project, cluster *Cluster) {
	end := map[any]string{"PROVISIONING": "STARTED", "TERMINATING": "INACTIVE"}
	e.setStatus(project, cluster, end[cluster.BackupConfig["statusName"]])
}

// removeSnapshots removes the snapshots of a cluster and its components.
func (p *Project) removeSnapshots(cluster *Cluster) {
	removed := map[any]bool{}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		if c.ID == cluster.ID || c.ShardOf == cluster.ID {
			removed[c.ID] = true
			c.Snapshots = nil
			c.CopiedSnapshots = ""
		}
	}
	for i := range p.Hosts {
		host := &p.Hosts[i]
		host.Snapshots = slices.DeleteFunc(host.Snapshots, func(s map[string]any) bool {
			return removed[s["clusterId"]]
		})
	}
}

// SetBackupStatus sets the status of a backup without validation, as an administrator can
// in the console or by approving a start. PROVISIONING and TERMINATING are followed by
// STARTED and INACTIVE.
func (e *Emulator) SetBackupStatus(projectID, clusterID, status string) {
	defer e.lock()()
	e.setStatus(e.mustProject(projectID), e.mustCluster(projectID, clusterID), status)
}

// backupConfigKey returns the key of a configuration for behind.
func backupConfigKey(project *Project, cluster *Cluster) string {
	return project.ID + "/backupConfigs/" + cluster.ID
}
