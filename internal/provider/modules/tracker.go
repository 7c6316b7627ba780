package modules

import (
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
)

// moduleID identifies the backup module of a host.
type moduleID struct{ project, host string } // in lower case

func moduleOf(project, host string) moduleID { return moduleID{project, strings.ToLower(host)} }

// planned holds what the states and the plans of one process do with a backup module.
type planned struct {
	managed bool // a plan keeps, creates or adopts it
	ended   bool // a plan deactivates it, or may do so

	ends bool // a state that was read would deactivate it on destroy; the destroy of a tainted resource has no plan of its own
	gone bool // a state that was read had it, and it is no longer active
}

// runs is what the resources of one process share.
var runs connection.Shared[struct {
	connection.Tracker[moduleID, planned]
	versions connection.Tracker[string, int64] // of automation configurations: the newest one that was read, by project
}]

func (r *backupModuleResource) tracker() *connection.Tracker[moduleID, planned] {
	return &runs.Of(r.Data).Tracker
}

// isOlder reports whether the process has read a newer version of an automation configuration.
func (r *backupModuleResource) isOlder(project string, live *opsmanager.AutomationConfig) bool {
	return live.Version() < runs.Of(r.Data).versions.Plan(project, func(newest *int64) { *newest = max(*newest, live.Version()) })
}
