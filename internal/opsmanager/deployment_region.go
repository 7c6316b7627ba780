package opsmanager

import (
	"context"
	"net/http"
)

// DeploymentRegion ties snapshot stores, oplog stores, sync stores and daemons
// to the endpoints of one place. Nil means 'not sent' in a request and 'left
// out' in an answer.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region/
type DeploymentRegion struct {
	ID                    string  `json:"id,omitempty"` // chosen by the administrator, such as NY_NJ; never changes
	DeploymentDescription *string `json:"deploymentDescription,omitempty"`
	IngestionEndpoint     *string `json:"ingestionEndpoint,omitempty"` // a URL; agents write snapshots and oplogs to it
	RestoreEndpoint       *string `json:"restoreEndpoint,omitempty"`   // a URL; restores are read from it
	BQProxyEndpoint       *string `json:"bqProxyEndpoint,omitempty"`   // domain:port, for queryable backups
	AssignmentEnabled     *bool   `json:"assignmentEnabled,omitempty"` // whether new resources may be given to the region
	Links                 []Link  `json:"links,omitempty"`             // in answers only
}

var regionsPath = []string{"admin", "backup", "backupDeployments"}

func regionPath(id string) []string {
	return append(regionsPath[:len(regionsPath):len(regionsPath)], id)
}

// ListDeploymentRegions lists all regions, in no documented order.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-deployment-regions/
func (c *Client) ListDeploymentRegions(ctx context.Context) ([]DeploymentRegion, error) {
	all, err := list(ctx, c, regionsPath, Page{}, func(r DeploymentRegion) string { return r.ID })
	if err != nil {
		return nil, err
	}
	return all.Results, nil
}

// DeploymentRegion reads one region. It fails with 404 where there is none.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-one-deployment-region-by-id/
func (c *Client) DeploymentRegion(ctx context.Context, id string) (*DeploymentRegion, error) {
	answer := new(DeploymentRegion)
	return answer, c.do(ctx, endpoint{http.MethodGet, regionPath(id), nil}, nil, answer)
}

// CreateDeploymentRegion creates a region under the id that it holds. What the
// service says of an id in use is not documented. It is sent again only where
// nothing can have come of it.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region/
func (c *Client) CreateDeploymentRegion(ctx context.Context, region DeploymentRegion) (*DeploymentRegion, error) {
	answer := new(DeploymentRegion)
	return answer, c.do(ctx, endpoint{http.MethodPost, regionsPath, nil}, region, answer)
}

// UpdateDeploymentRegion replaces a region by the complete object that is given,
// and creates it where there is none: what is nil goes back to a default.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region-by-id/
func (c *Client) UpdateDeploymentRegion(ctx context.Context, region DeploymentRegion) (*DeploymentRegion, error) {
	answer := new(DeploymentRegion)
	id := region.ID
	region.ID = "" // in the path only
	return answer, c.do(ctx, endpoint{http.MethodPut, regionPath(id), nil}, region, answer)
}

// DeleteDeploymentRegion deletes a region. It fails with 404 where there is
// none, and with a status that is not documented while stores or daemons are
// bound to it.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/delete-one-deployment-region-by-id/
func (c *Client) DeleteDeploymentRegion(ctx context.Context, id string) error {
	return c.do(ctx, endpoint{http.MethodDelete, regionPath(id), nil}, nil, nil)
}
