package opsmanager

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// DeploymentRegion binds snapshot stores, oplog stores, sync stores and daemons to
// the endpoints of one location. A nil field is not sent in a request. In a response
// it was missing or null; Nulls has the latter.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region/
type DeploymentRegion struct {
	ID                    string  `json:"id,omitempty"` // chosen by the administrator, such as NY_NJ; cannot be changed
	DeploymentDescription *string `json:"deploymentDescription,omitempty"`
	IngestionEndpoint     *string `json:"ingestionEndpoint,omitempty"` // URL that agents send snapshots and oplogs to
	RestoreEndpoint       *string `json:"restoreEndpoint,omitempty"`   // URL that restores are read from
	BQProxyEndpoint       *string `json:"bqProxyEndpoint,omitempty"`   // domain:port, for queryable backups
	AssignmentEnabled     *bool   `json:"assignmentEnabled,omitempty"` // whether new resources can be assigned to the region

	// Nulls holds the JSON names of the fields that are null in a response, in alphabetical order. Missing
	// fields, id and links are not in it.
	Nulls []string `json:"-"`

	Links   []Link        `json:"links,omitempty"` // not sent
	Unknown UnknownFields `json:",embed"`
}

// UnmarshalJSONFrom decodes a region and sets Nulls.
func (r *DeploymentRegion) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	document, err := in.ReadValue()
	if err != nil {
		return err
	}
	type plain DeploymentRegion
	if err := json.Unmarshal(document, (*plain)(r), in.Options()); err != nil {
		return err
	}
	var members UnknownFields
	_ = json.Unmarshal(document, &members, likeEncodingJSON) // it is an object, or null
	for _, name := range members.names() {
		_, isUnknown := r.Unknown[name]
		if !isUnknown && name != "id" && name != "links" && members[name].Kind() == 'n' {
			r.Nulls = append(r.Nulls, name)
		}
	}
	return nil
}

func (r DeploymentRegion) ids() []string { return []string{r.ID} }

// regionEndpoint returns an endpoint for all regions, or for the one with an ID.
func regionEndpoint(method string, effect effect, id ...string) endpoint {
	return administration(method, effect, append([]string{"backupDeployments"}, id...)...)
}

// ListDeploymentRegions lists all regions. Their order is not documented.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-all-deployment-regions/
func (c *Client) ListDeploymentRegions(ctx context.Context) (*List[DeploymentRegion], error) {
	return list[DeploymentRegion](ctx, c, regionEndpoint(http.MethodGet, readOnly), Page{})
}

// region calls an endpoint whose response is the region with an ID. The ID is
// case-sensitive: regions may have IDs that differ only in case.
func (c *Client) region(ctx context.Context, e endpoint, id string, in any) (*DeploymentRegion, error) {
	return call[DeploymentRegion](ctx, c, e.about(objectID{"region", id, true}), in)
}

// DeploymentRegion returns a region by its ID. It fails with 404 if there is none.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/get-one-deployment-region-by-id/
func (c *Client) DeploymentRegion(ctx context.Context, id string) (*DeploymentRegion, error) {
	return c.region(ctx, regionEndpoint(http.MethodGet, readOnly, id), id, nil)
}

// CreateDeploymentRegion creates a region with the ID in it. The error for an ID that
// is in use is not documented. Change repeats the request only if the first attempt
// cannot have taken effect.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region/
func (c *Client) CreateDeploymentRegion(ctx context.Context, region DeploymentRegion) (*DeploymentRegion, error) {
	return c.region(ctx, regionEndpoint(http.MethodPost, starts), region.ID, region)
}

// UpdateDeploymentRegion replaces a region, or creates it if there is none. Nil
// fields may be reset to their defaults.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/create-one-deployment-region-by-id/
func (c *Client) UpdateDeploymentRegion(ctx context.Context, region DeploymentRegion) (*DeploymentRegion, error) {
	id := region.ID
	region.ID = ""
	region.Links = nil // the ID is sent in the path only
	return c.region(ctx, regionEndpoint(http.MethodPut, changes, id), id, region)
}

// DeleteDeploymentRegion deletes a region. It fails with 404 if there is none, and
// with an undocumented status while stores or daemons are bound to it.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/delete-one-deployment-region-by-id/
func (c *Client) DeleteDeploymentRegion(ctx context.Context, id string) error {
	return c.do(ctx, regionEndpoint(http.MethodDelete, changes, id), nil, nil)
}
