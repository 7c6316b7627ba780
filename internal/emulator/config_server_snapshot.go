package emulator

import (
	"fmt"
	"net/http"
)

// configServerSnapshotFields are the fields of a snapshot of a config server.
var configServerSnapshotFields = readOnly(
	"clusterId", "clusterName", "complete", "created", "doNotDelete", "expires", "groupId", "id",
	"lastOplogAppliedTimestamp", "links", "namespaceFilterList", "parts",
)

var configServerSnapshotType = resourceType{
	routes: func(e *Emulator) []route {
		return []route{
			{http.MethodGet, "/groups/{project}/hosts/{host}/snapshots", inProfile | uncopied, listQuery, e.listConfigServerSnapshots},
		}
	},
	project: func(d *documents, p *Project) {
		for _, host := range p.Hosts {
			d.ofProject(p)
			d.of = fmt.Sprintf(" of host %q", host.ID) + d.of
			d.addEach(configServerSnapshotFields, host.Snapshots, "the snapshot")
		}
	},
}

// listConfigServerSnapshots lists the snapshots of a mirrored config server. MongoDB 3.4 removed
// these servers. For any other host it returns NOT_CONFIG_SERVER.
func (e *Emulator) listConfigServerSnapshots(c *call) any {
	id := c.vars["host"]
	host := c.project.host(id)
	if host == nil {
		panic(refuse(http.StatusNotFound, "HOST_NOT_FOUND", "No host with ID "+id+" exists in group "+c.project.ID+".", id, c.project.ID))
	}
	if !host.Mirrored {
		panic(refuse(http.StatusNotFound, "NOT_CONFIG_SERVER", "Host "+id+" is not an SCCC config server.", id))
	}
	return listOf(host.Snapshots, func(snapshot map[string]any) map[string]any {
		self := c.link("/groups/" + c.project.ID + "/hosts/" + host.ID + "/snapshots/" + idOf(snapshot))
		return overlay(map[string]any{"groupId": c.project.ID, "links": []map[string]any{self}}, snapshot)
	})
}
