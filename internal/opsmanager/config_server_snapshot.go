package opsmanager

import "context"

// ListConfigServerSnapshots lists the snapshots of a mirrored config server. Their
// order is not documented. Config server replica sets, the only form since MongoDB
// 3.4, have none.
//
// It fails with NOT_CONFIG_SERVER or HOST_NOT_FOUND (404) for any other host.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-config-server/
func (c *Client) ListConfigServerSnapshots(ctx context.Context, projectID, hostID string, page Page) (*List[Snapshot], error) {
	return list[Snapshot](ctx, c, inProject(projectID, "hosts", hostID, "snapshots"), page)
}
