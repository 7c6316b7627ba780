package projects

import (
	"context"
	"slices"
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// StaleAfter is how old the last report of an agent can be until it no longer counts as running. It is
// the default of Ops Manager.
const StaleAfter = 5 * time.Minute

// LastSeen returns when the agents of a list last read their configuration, by host name in lower case.
func LastSeen(agents []opsmanager.Agent) map[string]time.Time {
	seen := map[string]time.Time{}
	for _, agent := range agents {
		host := strings.ToLower(tf.Text(agent.Hostname))
		if last := agent.LastSeen(); last.After(seen[host]) {
			seen[host] = last
		}
	}
	return seen
}

// RunsOn reports whether a process runs on a host, by the name of its agent. Ops Manager may know the
// process by another name of the host.
func RunsOn(process opsmanager.Host, agent string) bool {
	if strings.EqualFold(tf.Text(process.Hostname), agent) {
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

// withoutData are the types of processes that hold no data, so their hosts need no backup module.
var withoutData = []string{"SHARD_MONGOS", "REPLICA_ARBITER", "MONGOT"}

// HostsWithoutModule returns the hosts with data of a cluster whose backup module does not report,
// sorted. It returns none if they can't be read.
func HostsWithoutModule(ctx context.Context, client *opsmanager.Client, projectID, clusterID string) []string {
	clusters, err := opsmanager.Identified(client.ListClusters(ctx, projectID))
	if err != nil {
		return nil
	}
	processes, err := opsmanager.Identified(client.ListHosts(ctx, projectID))
	if err != nil {
		return nil
	}
	agents, err := opsmanager.Identified(client.ListAgents(ctx, projectID, opsmanager.BackupAgent))
	if err != nil {
		return nil
	}
	runs := func(process opsmanager.Host) bool {
		return slices.ContainsFunc(agents.Results, func(agent opsmanager.Agent) bool {
			isStale := !agents.Date.IsZero() && agents.Date.Sub(agent.LastSeen()) >= StaleAfter
			return !isStale && RunsOn(process, tf.Text(agent.Hostname))
		})
	}
	var lacking []string
	for _, process := range processes.Results {
		host := tf.Text(process.Hostname)
		id := tf.Text(process.ClusterID)
		whole := WholeOf(clusters.Results, id)
		isPart := strings.EqualFold(id, clusterID) || whole != nil && strings.EqualFold(tf.Text(whole.ID), clusterID)
		if host != "" && isPart && !slices.Contains(withoutData, tf.Text(process.TypeName)) && !runs(process) {
			lacking = append(lacking, opsmanager.Sanitize(host))
		}
	}
	slices.Sort(lacking)
	return slices.Compact(lacking)
}

// WholeOf returns the replica set or the whole sharded cluster that a cluster of a project is or belongs to, or
// nil if that is not known.
func WholeOf(clusters []opsmanager.Cluster, id string) *opsmanager.Cluster {
	i := slices.IndexFunc(clusters, func(c opsmanager.Cluster) bool {
		return id != "" && strings.EqualFold(tf.Text(c.ID), id)
	})
	if i < 0 {
		return nil
	}
	isWhole := opsmanager.WholeClusters(clusters)
	part := &clusters[i]
	if isWhole(*part) {
		return part
	}
	var found *opsmanager.Cluster
	for i, c := range clusters {
		if isWhole(c) && c.Name() != nil && part.Name() != nil && *c.Name() == *part.Name() {
			if found != nil {
				return nil
			}
			found = &clusters[i]
		}
	}
	return found
}
