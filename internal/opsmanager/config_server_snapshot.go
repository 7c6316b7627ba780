package opsmanager

import "context"

// ListConfigServerSnapshots lists the snapshots of a mirrored config server, in
// no documented order. Replica sets of config servers, the only ones since
// MongoDB 3.4, have none.
//
// It fails with NOT_CONFIG_SERVER or HOST_NOT_FOUND (404) for another host.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/snapshots/get-all-snapshots-for-one-config-server/
func (c *Client) ListConfigServerSnapshots(ctx context.Context, projectID, hostID string, page Page) (*List[Snapshot], error) {
	return list(ctx, c, get("groups", projectID, "hosts", hostID, "snapshots"), page, func(s Snapshot) string { return keyOf(s.ID) })
}
