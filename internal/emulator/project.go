package emulator

import (
	"net/http"
	"slices"
)

var projectType = resourceType{routes: func(e *Emulator) []route {
	return []route{
		{http.MethodGet, "/groups", 0, listQuery, e.listProjects},
		{http.MethodGet, "/groups/byName/{name}", 0, singleQuery, e.getProjectByName},
		{http.MethodGet, "/groups/{project}", 0, singleQuery, func(c *call) any {
			return projectDocument(c, *c.project)
		}},
	}
}}

// visibleProjects returns the projects in which the key of a call has a role.
func (e *Emulator) visibleProjects(c *call) []Project {
	return slices.DeleteFunc(slices.Clone(e.state.Projects), func(p Project) bool { return !c.key.has(anyRole, p.ID) })
}

// listProjects lists the projects of the key.
func (e *Emulator) listProjects(c *call) any {
	return listOf(e.visibleProjects(c), func(project Project) map[string]any {
		return projectDocument(c, project)
	})
}

// getProjectByName returns the first project with a name. It is not documented whether the
// name is case-sensitive, nor which one of several projects is returned.
func (e *Emulator) getProjectByName(c *call) any {
	name := c.vars["name"]
	visible := e.visibleProjects(c)
	i := slices.IndexFunc(visible, func(p Project) bool { return p.Name == name })
	if i < 0 {
		panic(refuse(http.StatusNotFound, "GROUP_NAME_NOT_FOUND", "No group with name "+name+" exists.", name))
	}
	return projectDocument(c, visible[i])
}

// AgentAPIKey is the secret of the agents of each project, which every response with a project has.
const AgentAPIKey = "5c9d3a71e0b84f26a1d7c8e94b60f3d2"

// projectDocument returns a project as in a response. It counts shards as replica sets
// too, which is not documented.
func projectDocument(c *call, project Project) map[string]any {
	self := c.link("/groups/" + project.ID)
	if project.Document != nil {
		return asRead(project.Document, self)
	}
	replicaSets := 0
	shards := 0
	hosts := map[string]int{
		"arbiter":   0,
		"config":    0,
		"master":    0,
		"mongos":    0,
		"primary":   0,
		"secondary": 0,
		"slave":     0,
	}
	for _, cluster := range project.Clusters {
		if members := len(cluster.Members); members > 0 {
			hosts["primary"], hosts["secondary"] = hosts["primary"]+1, hosts["secondary"]+members-1
		}
		if cluster.TypeName == "REPLICA_SET" {
			replicaSets++
			if cluster.ShardOf != "" {
				shards++
			}
		}
	}
	return addTexts(map[string]any{
		"id":               project.ID,
		"name":             project.Name,
		"publicApiEnabled": true,
		"agentApiKey":      AgentAPIKey,
		"hostCounts":       hosts,
		"replicaSetCount":  replicaSets,
		"shardCount":       shards,
		"tags":             append([]string{}, project.Tags...),
		"links":            []map[string]any{self},
	}, map[string]string{"orgId": project.OrgID})
}
