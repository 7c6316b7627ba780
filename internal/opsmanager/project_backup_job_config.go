package opsmanager

import (
	"context"
	"net/http"
)

// JobConfig is the backup job configuration of a project: the daemons and the stores that
// the project's backups can be assigned to. A nil field is not sent in a request. In a
// response it was missing or null.
//
// A filter that is left out selects everything that is usable. Do not send an empty list:
// before Ops Manager 7.0.16, an empty DaemonFilter selected nothing.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/groups/update-one-project-backup-jobs-configuration/
type JobConfig struct {
	ID string `json:"id,omitempty"` // of the project

	LabelFilter  *Replaced[string]        `json:"labelFilter,omitempty"` // labels that daemons and snapshot stores must have
	DaemonFilter *Replaced[DaemonMachine] `json:"daemonFilter,omitempty"`
	// Types: blockstore, s3blockstore, fileSystemStore.
	SnapshotStoreFilter *Replaced[StoreReference] `json:"snapshotStoreFilter,omitempty"`
	// Types: oplogStore, s3OplogStore, thirdPartyOplogStore.
	OplogStoreFilter       *Replaced[StoreReference] `json:"oplogStoreFilter,omitempty"`
	SyncStoreFilter        *Replaced[string]         `json:"syncStoreFilter,omitempty"` // IDs of stores
	KMIPClientCertPath     *string                   `json:"kmipClientCertPath,omitempty"`
	KMIPClientCertPassword *string                   `json:"kmipClientCertPassword,omitempty"` // secret; requires the path; may be returned unredacted or masked

	Links   []Link        `json:"links,omitempty"` // not sent
	Unknown UnknownFields `json:",embed"`
}

func (j JobConfig) ids() []string { return []string{j.ID} }

// secrets returns the secret of a job configuration.
func (j JobConfig) secrets() []string { return []string{stringValue(j.KMIPClientCertPassword)} }

// StoreReference names a store in a filter.
type StoreReference struct {
	ID   string `json:"id,omitempty"`
	Type string `json:"type,omitempty"`

	Unknown UnknownFields `json:",embed"`
}

func (StoreReference) ids() []string { return nil }

// jobConfigEndpoint returns an endpoint for all job configurations, or for that of a project.
func jobConfigEndpoint(method string, effect effect, projectID ...string) endpoint {
	return administration(method, effect, append([]string{"groups"}, projectID...)...)
}

// ListJobConfigs lists the job configurations of all projects that have one. Their order is
// not documented.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/groups/get-all-project-backup-jobs-configurations/
func (c *Client) ListJobConfigs(ctx context.Context) (*List[JobConfig], error) {
	return list[JobConfig](ctx, c, jobConfigEndpoint(http.MethodGet, readOnly), Page{})
}

// JobConfig returns the job configuration of a project. It fails with 404, or with 401 in
// Ops Manager 6.0, if the project has none yet.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/groups/get-one-project-backup-jobs-configuration/
func (c *Client) JobConfig(ctx context.Context, projectID string) (*JobConfig, error) {
	return c.jobConfig(ctx, jobConfigEndpoint(http.MethodGet, readOnly, projectID), projectID, nil)
}

// UpdateJobConfig creates or replaces the job configuration of a project. Nil fields are
// removed from it. It fails with BACKUP_KMIP_CERTIFICATE_PATH_REQUIRED (400) if it has a
// password without a path.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/groups/update-one-project-backup-jobs-configuration/
func (c *Client) UpdateJobConfig(ctx context.Context, config JobConfig) (*JobConfig, error) {
	projectID := config.ID
	config.ID = ""
	config.Links = nil // the ID is sent in the path only
	e := jobConfigEndpoint(http.MethodPut, changes, projectID)
	e.secrets = config.secrets()
	return c.jobConfig(ctx, e, projectID, config)
}

func (c *Client) jobConfig(ctx context.Context, e endpoint, projectID string, in any) (*JobConfig, error) {
	return call[JobConfig](ctx, c, e.about(hexID("project", projectID)), in)
}
