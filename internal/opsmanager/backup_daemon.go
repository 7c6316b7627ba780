package opsmanager

import (
	"context"
	"net/http"
	"net/url"
)

// BackupDaemon is a backup daemon and one of its head directories. A nil field is not sent
// in a request. In a response it was missing or null.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/backup-daemon-config/
type BackupDaemon struct {
	Machine DaemonMachine `json:"machine"`

	Configured                  *bool   `json:"configured,omitempty"`        // must be true before Ops Manager uses the daemon
	AssignmentEnabled           *bool   `json:"assignmentEnabled,omitempty"` // whether new backups can be assigned to the daemon
	BackupJobsEnabled           *bool   `json:"backupJobsEnabled,omitempty"`
	GarbageCollectionEnabled    *bool   `json:"garbageCollectionEnabled,omitempty"`
	ResourceUsageEnabled        *bool   `json:"resourceUsageEnabled,omitempty"`
	RestoreQueryableJobsEnabled *bool   `json:"restoreQueryableJobsEnabled,omitempty"`
	HeadDiskType                *string `json:"headDiskType,omitempty"` // HDD or SSD
	NumWorkers                  *int64  `json:"numWorkers,omitempty"`   // above 0
	// Restrict the daemon to projects with a matching filter; in any order.
	Labels *Replaced[string] `json:"labels,omitempty"`

	ID      string        `json:"id,omitempty"`    // not sent
	Links   []Link        `json:"links,omitempty"` // not sent
	Unknown UnknownFields `json:",embed"`
}

func (d BackupDaemon) ids() []string {
	machine := d.Machine.Machine
	directory := stringValue(d.Machine.HeadRootDirectory)
	if machine == "" {
		return []string{"", directory, ""}
	}
	return []string{machine, directory, machine + "|" + directory}
}

// DaemonMachine identifies a daemon.
type DaemonMachine struct {
	Machine           string  `json:"machine,omitempty"`           // host name
	HeadRootDirectory *string `json:"headRootDirectory,omitempty"` // nil if the daemon was never configured

	Unknown UnknownFields `json:",embed"`
}

func (DaemonMachine) ids() []string { return nil }

// daemonEndpoint returns an endpoint for all daemons, or for the one on a machine.
func daemonEndpoint(method string, effect effect, machine ...string) endpoint {
	return administration(method, effect, append([]string{"daemon", "configs"}, machine...)...)
}

// daemon calls an endpoint whose response is a daemon.
func (c *Client) daemon(ctx context.Context, e endpoint, machine, directory string, in any) (*BackupDaemon, error) {
	return call[BackupDaemon](ctx, c, e.about(objectID{"machine", machine, false}, objectID{"head directory", directory, true}), in)
}

// ListBackupDaemons lists all registered daemons, including those that were never
// configured. Their order is not documented. By default, Ops Manager 6.0.21 and later leave out
// the daemons that take no backups.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/backup-daemon-config/
func (c *Client) ListBackupDaemons(ctx context.Context) (*List[BackupDaemon], error) {
	e := daemonEndpoint(http.MethodGet, readOnly)
	e.query = url.Values{"backupJobsEnabledOnly": {"false"}}
	return list[BackupDaemon](ctx, c, e, Page{})
}

// BackupDaemon returns the daemon on a machine with a head directory. It fails with 404,
// and often with the code DAEMON_MACHINE_CONFIG_NOT_FOUND, if the process is not
// registered, or if it is not configured for that directory.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/backup-daemon-config/
func (c *Client) BackupDaemon(ctx context.Context, machine, directory string) (*BackupDaemon, error) {
	e := daemonEndpoint(http.MethodGet, readOnly, machine)
	e.directory = directory
	return c.daemon(ctx, e, machine, directory, nil)
}

// ConfigureBackupDaemon configures a daemon for the first time. It fails like BackupDaemon
// until the process is registered.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/create-one-backup-daemon-configuration/
func (c *Client) ConfigureBackupDaemon(ctx context.Context, daemon BackupDaemon) (*BackupDaemon, error) {
	daemon.ID = ""
	daemon.Links = nil
	machine := daemon.Machine
	endpoint := daemonEndpoint(http.MethodPut, changes, machine.Machine)
	return c.daemon(ctx, endpoint, machine.Machine, stringValue(machine.HeadRootDirectory), daemon)
}

// UpdateBackupDaemon replaces the configuration of a daemon. Nil fields may be reset to
// their defaults. It fails like BackupDaemon.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/update-one-backup-daemon-configuration/
func (c *Client) UpdateBackupDaemon(ctx context.Context, daemon BackupDaemon) (*BackupDaemon, error) {
	e := daemonEndpoint(http.MethodPut, changes, daemon.Machine.Machine)
	e.directory = stringValue(daemon.Machine.HeadRootDirectory)
	daemon.ID = ""
	daemon.Links = nil
	return c.daemon(ctx, e, daemon.Machine.Machine, e.directory, daemon)
}

// DeleteBackupDaemon deletes the configuration of a daemon. It fails with
// BACKUP_CANNOT_REMOVE_DAEMON_CONFIG (409) while backups are bound to the daemon. Ops Manager 8.0 was observed to
// accept it if there is none. A process that is still running registers again.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/admin/backup/delete-one-backup-daemon-configuration/
func (c *Client) DeleteBackupDaemon(ctx context.Context, machine, directory string) error {
	e := daemonEndpoint(http.MethodDelete, changes, machine)
	e.directory = directory
	return c.do(ctx, e, nil, nil)
}
