package opsmanager

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// DeploymentRegion ties snapshot stores, oplog stores, sync stores and daemons
// to the endpoints of one place. Nil means 'not sent' in a request and 'left
// out or null' in an answer; Nulls tells these two apart.
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

	// Nulls are the JSON names of the texts, and of assignmentEnabled, that an
	// answer says are null. A field that it leaves out isn't among them.
	Nulls []string `json:"-"`
}

// UnmarshalJSON decodes a region and notes which of its fields are null.
func (r *DeploymentRegion) UnmarshalJSON(document []byte) error {
	type plain DeploymentRegion // without this method
	if err := json.Unmarshal(document, (*plain)(r)); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		return err
	}
	r.Nulls = nil
	for _, name := range []string{"deploymentDescription", "ingestionEndpoint", "restoreEndpoint", "bqProxyEndpoint", "assignmentEnabled"} {
		if bytes.Equal(fields[name], []byte("null")) {
			r.Nulls = append(r.Nulls, name)
		}
	}
	return nil
}

func regionEndpoint(method string, effect effect, id ...string) endpoint {
	return endpoint{method: method, effect: effect, path: append([]string{"admin", "backup", "backupDeployments"}, id...)}
}

// ListDeploymentRegions lists all regions, in no documented order.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-deployment-regions/
func (c *Client) ListDeploymentRegions(ctx context.Context) ([]DeploymentRegion, error) {
	all, err := list(ctx, c, regionEndpoint(http.MethodGet, readOnly), Page{}, func(r DeploymentRegion) string { return r.ID })
	if err != nil {
		return nil, err
	}
	return all.Results, nil
}

// region calls an endpoint that answers with the region of an id. The case of
// its letters counts: an administrator may choose ids that differ in nothing else.
func (c *Client) region(ctx context.Context, e endpoint, id string, in any) (*DeploymentRegion, error) {
	return call(ctx, c, e, in, func(r *DeploymentRegion) []objectID { return []objectID{{"region", id, r.ID, true}} })
}

// IsBareNotFound reports whether an error is a 404 without the API's error
// document. A proxy answers so, and so may a service that lacks the operation:
// nothing can be concluded about the object.
func IsBareNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound && !e.Document
}

// DeploymentRegion reads one region. It fails with 404 if there is none.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-one-deployment-region-by-id/
func (c *Client) DeploymentRegion(ctx context.Context, id string) (*DeploymentRegion, error) {
	return c.region(ctx, regionEndpoint(http.MethodGet, readOnly, id), id, nil)
}

// CreateDeploymentRegion creates a region under the id that it holds. The answer
// to an id in use is not documented. The request is retried only if the first
// attempt cannot have taken effect.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region/
func (c *Client) CreateDeploymentRegion(ctx context.Context, region DeploymentRegion) (*DeploymentRegion, error) {
	return c.region(ctx, regionEndpoint(http.MethodPost, notIdempotent), region.ID, region)
}

// UpdateDeploymentRegion replaces a region with the complete object that is
// given, and creates it if there is none. A field that is nil may be reset to a
// default.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region-by-id/
func (c *Client) UpdateDeploymentRegion(ctx context.Context, region DeploymentRegion) (*DeploymentRegion, error) {
	id := region.ID
	region.ID = "" // in the path only
	return c.region(ctx, regionEndpoint(http.MethodPut, idempotent, id), id, region)
}

// DeleteDeploymentRegion deletes a region. It fails with 404 if there is none,
// and with an undocumented status while stores or daemons are bound to it.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/delete-one-deployment-region-by-id/
func (c *Client) DeleteDeploymentRegion(ctx context.Context, id string) error {
	return c.do(ctx, regionEndpoint(http.MethodDelete, idempotent, id), nil, nil)
}
