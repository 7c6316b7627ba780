package opsmanager

import (
	"context"
)

// Project is a project, which the paths of the API call a group. Nil means that
// the answer left it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-one-group-by-id/
type Project struct {
	ID    *string `json:"id"`
	Name  *string `json:"name"`  // unique within the organization
	OrgID *string `json:"orgId"` // of the organization

	ReplicaSetCount *int64   `json:"replicaSetCount"`
	ShardCount      *int64   `json:"shardCount"`
	Tags            []string `json:"tags"`

	Links []Link `json:"links"`
}

// Project reads a project by its id.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) where there is no
// such project for the key, and with ErrOtherObject if the answer is that of
// another.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-one-group-by-id/
func (c *Client) Project(ctx context.Context, id string) (*Project, error) {
	e := get("groups", id)
	return call(ctx, c, e, nil, func(p *Project) []objectID { return []objectID{hexID("id", id, keyOf(p.ID))} })
}

// ListProjects lists the projects that the API key sees, in no documented order.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-all-groups-for-current-user/
func (c *Client) ListProjects(ctx context.Context) ([]Project, error) {
	all, err := list(ctx, c, get("groups"), Page{}, func(p Project) string { return keyOf(p.ID) })
	if err != nil {
		return nil, err
	}
	return all.Results, nil
}

// ProjectByName reads a project by its name. Which one that is where several
// organizations have a project of that name, and whether case counts, is not
// documented.
//
// It fails with GROUP_NAME_NOT_FOUND (404) where there is none.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/groups/get-one-group-by-name/
func (c *Client) ProjectByName(ctx context.Context, name string) (*Project, error) {
	return call(ctx, c, get("groups", "byName", name), nil, func(*Project) []objectID { return nil })
}
