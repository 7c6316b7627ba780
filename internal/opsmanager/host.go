package opsmanager

import (
	"context"
	"strconv"
)

// Host is a process that a project monitors, such as a member of a replica set. A field is nil if the
// response leaves it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/hosts/get-all-hosts-in-group/
type Host struct {
	ID        *string `json:"id"` // 24 or 32 hexadecimal digits
	GroupID   *string `json:"groupId"`
	ClusterID *string `json:"clusterId"` // absent for some mongos

	Hostname       *string `json:"hostname"` // as Ops Manager knows it; the agent of the host may use another name
	Port           *int64  `json:"port"`
	TypeName       *string `json:"typeName"`       // such as REPLICA_PRIMARY or SHARD_CONFIG; changes with the role of a member
	ReplicaSetName *string `json:"replicaSetName"` // absent for a mongos
	ShardName      *string `json:"shardName"`      // for members of shards only
	Version        *string `json:"version"`        // of the database server

	Aliases []string `json:"aliases"` // other names, perhaps with the port
}

func (h Host) ids() []string { return []string{stringValue(h.GroupID), stringValue(h.ID)} }

// Name returns the host name and the port, as host:port, or nil if one of them is missing.
func (h Host) Name() *string {
	if stringValue(h.Hostname) == "" || h.Port == nil {
		return nil
	}
	return new(*h.Hostname + ":" + strconv.FormatInt(*h.Port, 10))
}

// ListHosts lists the hosts of a project, without hidden ones. They are documented to be sorted by
// name.
//
// It fails with NOT_IN_GROUP (401) or GROUP_NOT_FOUND (404) if the project does not
// exist or is not visible to the key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/hosts/get-all-hosts-in-group/
func (c *Client) ListHosts(ctx context.Context, projectID string) (*List[Host], error) {
	return list[Host](ctx, c, inProject(projectID, "hosts"), Page{})
}
