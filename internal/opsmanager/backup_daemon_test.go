package opsmanager_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// backupDaemon returns a daemon with all its fields.
func backupDaemon(machine, directory string) opsmanager.BackupDaemon {
	return opsmanager.BackupDaemon{
		Machine:    opsmanager.DaemonMachine{Machine: machine, HeadRootDirectory: &directory},
		Configured: new(true), AssignmentEnabled: new(true), BackupJobsEnabled: new(true), GarbageCollectionEnabled: new(false),
		ResourceUsageEnabled: new(true), RestoreQueryableJobsEnabled: new(false), HeadDiskType: new("SSD"), NumWorkers: new(int64(4)),
		Labels: &opsmanager.Replaced[string]{"b", "a"},
	}
}

func TestDaemonIsConfiguredReadReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	ctx := t.Context()
	const machine, directory = "om-new.example.com", "/data/head 1%/"
	want := backupDaemon(machine, directory)
	for range 3 { // the process is starting
		if _, err := client.ConfigureBackupDaemon(ctx, want); !opsmanager.IsMissing(err, opsmanager.ObjectDaemon) {
			t.Fatalf("want 'gone', got %v", err)
		}
	}
	configured, err := client.ConfigureBackupDaemon(ctx, want)
	succeed(t, err)
	read, err := client.BackupDaemon(ctx, machine, directory)
	succeed(t, err)
	for _, got := range []*opsmanager.BackupDaemon{configured, read} {
		got.ID, got.Links = "", nil
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("got %+v, want %+v", *got, want)
		}
	}
	want.AssignmentEnabled, want.Labels = new(false), &opsmanager.Replaced[string]{}
	updated, err := client.UpdateBackupDaemon(ctx, want)
	succeed(t, err)
	equal(t, "assignment", *updated.AssignmentEnabled, false)
	equal(t, "stored assignment", service.BackupDaemon(machine, directory)["assignmentEnabled"], any(false))
	all, err := client.ListBackupDaemons(ctx)
	succeed(t, err)
	if !slices.ContainsFunc(all.Results, func(d opsmanager.BackupDaemon) bool { return d.Machine.Machine == machine }) {
		t.Errorf("the daemon is not listed: %v", all.Results)
	}
	succeed(t, client.DeleteBackupDaemon(ctx, machine, directory))
	if _, err := client.BackupDaemon(ctx, machine, directory); !opsmanager.IsMissing(err, opsmanager.ObjectDaemon) {
		t.Errorf("want 'gone', got %v", err)
	}
}

func TestHeadDirectoryIsOneSegmentOfThePath(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	_, err := client.BackupDaemon(t.Context(), "om-ny.example.com", "/data/backup/")
	succeed(t, err)
	equal(t, "path", service.Requests()[len(service.Requests())-1].Path, "/admin/backup/daemon/configs/om-ny.example.com/%2Fdata%2Fbackup%2F")
	for _, directory := range []string{"/data/../backup/", "/", "//data/", "/data//backup/"} {
		if _, err := client.BackupDaemon(t.Context(), "om-ny.example.com", directory); err == nil || opsmanager.IsUnclear(err) {
			t.Errorf("%s was sent: %v", directory, err)
		}
	}
}

func TestResponseForAnotherDaemonIsAnError(t *testing.T) {
	t.Parallel()
	for _, other := range []string{
		`{"machine": {"machine": "other", "headRootDirectory": "/a/"}}`, `{"machine": {"machine": "host", "headRootDirectory": "/b/"}}`,
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "", other) })
		if got, err := client.BackupDaemon(t.Context(), "host", "/a/"); err == nil {
			t.Errorf("accepted %+v", got)
		}
	}
}
