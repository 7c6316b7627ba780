package modules

import (
	"strings"
	"sync"
	"time"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// moduleID identifies the backup module of a host.
type moduleID struct{ project, host string } // in lower case

func moduleOf(project, host string) moduleID { return moduleID{project, strings.ToLower(host)} }

// planned holds what the states and the plans of one process do with a backup module.
type planned struct {
	managed bool // a plan keeps, creates or adopts it
	ended   bool // a plan destroys a resource that ends it

	ends bool // a state that was read would deactivate it on destroy
	gone bool // a state that was read had it, and it is no longer active
}

// runs is what the resources of one process share.
var runs connection.Shared[struct {
	connection.Tracker[moduleID, planned]
	newestVersions
}]

func (r *backupModuleResource) tracker() *connection.Tracker[moduleID, planned] {
	return &runs.Of(r.Data).Tracker
}

// newestVersions are the newest versions of automation configurations that a process has read.
type newestVersions struct {
	mu        sync.Mutex
	byProject map[string]int64
}

// isOlder reports whether the process has read a newer version.
func (n *newestVersions) isOlder(project string, version int64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if newest, ok := n.byProject[project]; ok && version < newest {
		return true
	}
	if n.byProject == nil {
		n.byProject = map[string]int64{}
	}
	n.byProject[project] = version
	return false
}

const (
	defaultWriteTimeout  = 10 * time.Minute
	defaultDeleteTimeout = 5 * time.Minute
)
