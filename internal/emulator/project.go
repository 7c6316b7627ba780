package emulator

import (
	"net/http"
	"slices"
	"strings"
)

func (e *Emulator) projectRoutes() []route {
	return []route{
		{http.MethodGet, "/groups", false, listQuery, e.listProjects},
		{http.MethodGet, "/groups/byName/{name}", false, singleQuery, e.getProjectByName},
		{http.MethodGet, "/groups/{project}", false, singleQuery, e.getProject},
	}
}

// listProjects lists all projects: the emulator's key sees each of them.
func (e *Emulator) listProjects(c *call) (any, error) {
	projects := list{}
	for i := range e.state.Projects {
		projects = append(projects, projectDocument(c, &e.state.Projects[i]))
	}
	return projects, nil
}

func (e *Emulator) getProject(c *call) (any, error) {
	project, err := e.findProject(c)
	if err != nil {
		return nil, err
	}
	return projectDocument(c, project), nil
}

// getProjectByName finds a name as it is spelled. Whether case counts is not
// documented, nor is which project of several with one name is answered.
func (e *Emulator) getProjectByName(c *call) (any, error) {
	name := c.vars["name"]
	i := slices.IndexFunc(e.state.Projects, func(p Project) bool { return p.Name == name })
	if i < 0 {
		return nil, refuse(http.StatusNotFound, "GROUP_NAME_NOT_FOUND", "No group with name "+name+" exists.", name)
	}
	return projectDocument(c, &e.state.Projects[i]), nil
}

// projectDocument counts the shards among the replica sets, which no page
// confirms or denies.
func projectDocument(c *call, project *Project) map[string]any {
	replicaSets, shards := 0, 0
	for _, cluster := range project.Clusters {
		if cluster.TypeName == "REPLICA_SET" {
			replicaSets++
			if cluster.ShardOf != "" {
				shards++
			}
		}
	}
	document := map[string]any{
		"id": project.ID, "name": project.Name, "publicApiEnabled": true,
		"replicaSetCount": replicaSets, "shardCount": shards,
		"tags":  append([]string{}, project.Tags...),
		"links": []map[string]any{{"rel": "self", "href": c.href(BasePath + "/groups/" + project.ID)}},
	}
	if project.OrgID != "" {
		document["orgId"] = project.OrgID
	}
	return document
}

// findProject finds the project of a path. A malformed id is 404, not 400.
func (e *Emulator) findProject(c *call) (*Project, error) {
	id := c.vars["project"]
	if !objectID.MatchString(id) {
		return nil, refuse(http.StatusNotFound, "INVALID_GROUP_ID", "An invalid group ID "+id+" was specified.", id)
	}
	project := e.state.project(strings.ToLower(id))
	if project == nil {
		// NOT_IN_GROUP (401) is documented for this too, but stands for
		// missing rights as well; the code that says what is wrong is kinder.
		return nil, refuse(http.StatusNotFound, "GROUP_NOT_FOUND", "No group with ID "+id+" exists.", id)
	}
	return project, nil
}
