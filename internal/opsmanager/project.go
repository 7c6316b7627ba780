package opsmanager

import "context"

// Project is a project, which the API also calls a group. A field is nil if the
// response leaves it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-one-group-by-id/
type Project struct {
	ID    *string `json:"id"`
	Name  *string `json:"name"`  // unique within the organization
	OrgID *string `json:"orgId"` // ID of the organization

	ReplicaSetCount *int64   `json:"replicaSetCount"`
	ShardCount      *int64   `json:"shardCount"`
	Tags            []string `json:"tags"`
}

func (p Project) ids() []string { return []string{stringValue(p.ID)} }

// Project returns a project by its ID.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) if the project does not
// exist or is not visible to the key, and with ErrOtherObject if the response is for
// another project.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-one-group-by-id/
func (c *Client) Project(ctx context.Context, id string) (*Project, error) {
	return c.namedProject(call[Project](ctx, c, get("groups", id).about(hexID("id", id)), nil))
}

// ListProjects lists the projects that are visible to the key. Their order is not
// documented.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-all-groups-for-current-user/
func (c *Client) ListProjects(ctx context.Context) (*List[Project], error) {
	all, err := list[Project](ctx, c, get("groups"), Page{})
	if err == nil {
		for _, one := range all.Results {
			c.NoteName(one.ID, one.Name)
		}
	}
	return all, err
}

// ProjectByName returns a project by its name. It is not documented whether the name
// is case-sensitive, nor which project is returned if several organizations have one
// of that name.
//
// It fails with GROUP_NAME_NOT_FOUND (404) if there is none.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-one-group-by-name/
func (c *Client) ProjectByName(ctx context.Context, name string) (*Project, error) {
	return c.namedProject(call[Project](ctx, c, get("groups", "byName", name), nil))
}

func (c *Client) namedProject(project *Project, err error) (*Project, error) {
	if err == nil {
		c.NoteName(project.ID, project.Name)
	}
	return project, err
}
