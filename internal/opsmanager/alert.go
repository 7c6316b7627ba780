package opsmanager

import (
	"context"
	"net/url"
	"regexp"
)

// Alert is what an alert configuration has noticed. A field is nil if the response leaves it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alerts/
type Alert struct {
	ID            *string `json:"id"` // 24 hexadecimal digits
	GroupID       *string `json:"groupId"`
	AlertConfigID *string `json:"alertConfigId"`
	EventTypeName *string `json:"eventTypeName"`
	Status        *string `json:"status"` // TRACKING, OPEN, CLOSED or CANCELLED

	Created           *string `json:"created"`           // ISO 8601
	AcknowledgedUntil *string `json:"acknowledgedUntil"` // in the future if it is acknowledged

	ClusterID       *string `json:"clusterId"`
	ClusterName     *string `json:"clusterName"`
	HostnameAndPort *string `json:"hostnameAndPort"`
}

func (a Alert) ids() []string { return []string{stringValue(a.GroupID), stringValue(a.ID)} }

// ListOpenAlerts lists the open alerts of a project, with those that are acknowledged. Their order is not
// documented.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alerts-get-all-alerts/
func (c *Client) ListOpenAlerts(ctx context.Context, projectID string) (*List[Alert], error) {
	e := inProject(projectID, "alerts")
	e.query = url.Values{"status": {"OPEN"}}
	return list[Alert](ctx, c, e, Page{})
}

// ImportantEvents are the events of projects that matter most for backups, the most important one first.
var ImportantEvents = []string{
	"RESYNC_REQUIRED",
	"OPLOG_BEHIND",
	"BACKUP_AGENT_DOWN",
	"MONITORING_AGENT_DOWN",
	"BAD_CLUSTERSHOTS",
	"RS_STATE_CHANGED_AUDIT",
	"CLUSTER_STATE_CHANGED_AUDIT",
	"INCONSISTENT_BACKUP_CONFIGURATION",
}

// backupEvents matches the names of events about backups and agents. The documentation has no complete list
// of them, and newer versions have more.
var backupEvents = regexp.MustCompile(`BACKUP|SNAPSHOT|CLUSTERSHOT|BLOCKSTORE|RESTORE|^OPLOG_(BEHIND|CURRENT)$|(^|_)(RE)?SYNC_|(^|_)AGENT(_|$)|^RS_BIND_ERROR$|^(RS|CLUSTER)_.*_AUDIT$`)

// IsBackupEvent reports whether an event is about backups or agents.
func IsBackupEvent(name string) bool { return backupEvents.MatchString(name) }
