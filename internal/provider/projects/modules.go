package projects

import (
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// StaleAfter is how old the last report of an agent can be until it no longer counts as running. It is
// the default of Ops Manager.
const StaleAfter = 5 * time.Minute

// LastSeen returns when the agents of a list last read their configuration, by host name in lower case.
func LastSeen(agents []opsmanager.Agent) map[string]time.Time {
	seen := map[string]time.Time{}
	for _, agent := range agents {
		host := strings.ToLower(tfmodel.Text(agent.Hostname))
		if last := agent.LastSeen(); last.After(seen[host]) {
			seen[host] = last
		}
	}
	return seen
}

// RunsOn reports whether a process runs on a host, by the name of its agent. Ops Manager may know the
// process by another name of the host.
func RunsOn(process opsmanager.Host, agent string) bool {
	if strings.EqualFold(tfmodel.Text(process.Hostname), agent) {
		return true
	}
	for _, alias := range process.Aliases {
		name, _, _ := strings.Cut(alias, ":")
		if strings.EqualFold(alias, agent) || strings.EqualFold(name, agent) {
			return true
		}
	}
	return false
}
