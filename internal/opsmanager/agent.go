package opsmanager

import (
	"context"
	"time"
)

// AgentType is a function of the MongoDB Agent.
type AgentType string

// The functions whose hosts [Client.ListAgents] lists.
const (
	AutomationAgent AgentType = "AUTOMATION" // every host with an agent that Ops Manager manages
	BackupAgent     AgentType = "BACKUP"     // the backup module
)

// Agent is a MongoDB Agent of a project, or a module of one. A field is nil if the response leaves it
// out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/agents/agents-get-by-type/
type Agent struct {
	TypeName  *string `json:"typeName"`
	Hostname  *string `json:"hostname"`  // under which the agent has registered
	StateName *string `json:"stateName"` // ACTIVE, STANDBY or NO_PROCESSES; a module in STANDBY is healthy
	LastConf  *string `json:"lastConf"`  // when it last read its configuration; ISO 8601
}

func (a Agent) ids() []string {
	if stringValue(a.Hostname) == "" {
		return []string{""}
	}
	return []string{stringValue(a.TypeName) + " " + *a.Hostname}
}

// LastSeen returns when the agent last read its configuration, or the zero time if that is not known.
func (a Agent) LastSeen() time.Time {
	seen, err := time.Parse(time.RFC3339, stringValue(a.LastConf))
	if err != nil {
		return time.Time{}
	}
	return seen
}

// ListAgents lists the agents of a project that have a function. Their order is not documented.
//
// It fails like ListHosts.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/agents/agents-get-by-type/
func (c *Client) ListAgents(ctx context.Context, projectID string, function AgentType) (*List[Agent], error) {
	return list[Agent](ctx, c, get("groups", projectID, "agents", string(function)), Page{})
}
