package infrastructure_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestOtherSpellingsOfAProjectAreTheSameProject(t *testing.T) {
	t.Parallel()
	providertest.CheckSpellings(t, jobConfigRegistrations()[:1])
}

func TestElementsOfAListOfAJobConfigurationKeepWhatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	store := func(id, kind string) values { return values{"id": id, "type": kind} }
	for _, lists := range []providertest.Elements{
		{
			Attribute: "daemon_filter", Field: "daemonFilter",
			First: daemon(inUse), Second: daemon(unused), Third: daemon("other.example.com"),
			Changed: daemon(inUse, values{"head_root_directory": "/data/other/"}),
		},
		{
			Attribute: "snapshot_store_filter", Field: "snapshotStoreFilter",
			First: store("ny-s3-1", "s3blockstore"), Second: store("ny-blockstore-1", "blockstore"),
			Third: store("au-nfs-1", "fileSystemStore"), Changed: store("ny-s3-1", "blockstore"),
		},
		{
			Attribute: "oplog_store_filter", Field: "oplogStoreFilter",
			First: store("ny-oplog-1", "oplogStore"), Second: store("ny-s3-oplog-1", "s3OplogStore"),
			Third: store("au-oplog-1", "oplogStore"), Changed: store("ny-oplog-1", "s3OplogStore"),
		},
	} {
		t.Run(lists.Attribute, func(t *testing.T) {
			t.Parallel()
			providertest.CheckElements(t, jobConfigRegistrations()[0], lists)
		})
	}
}

func TestPasswordOfACertificateIsNeverLost(t *testing.T) {
	t.Parallel()
	r := jobConfigRegistrations()[2]
	r.Object = func(s *providertest.Service, id string) object { return s.JobConfig(id) }
	providertest.CheckSecret(t, r, providertest.Secret{
		Attribute: "kmip_client_cert_password", Field: "kmipClientCertPassword", Before: "c0rrect-horse", After: "other-battery",
		Beside: values{"label_filter": []any{"east"}}, BesideChanged: values{"label_filter": []any{"west"}}, BesideField: "labelFilter",
	})
}

func TestDaemonsAndJobConfigurationsKeepWhatAnotherClientChangesBeforeAnyRead(t *testing.T) {
	t.Parallel()
	providertest.CheckLateChanges(t, jobConfigRegistrations()[0])
	providertest.CheckLateChanges(t, daemonRegistrations()[0])
}

func TestMaskInADaemonOrAJobConfigurationIsNeverSentBack(t *testing.T) {
	t.Parallel()
	providertest.CheckMasks(t, daemonRegistrations()[0])
	for _, r := range jobConfigRegistrations()[2:] { // with a certificate, and with a reset
		providertest.CheckMasks(t, r, "kmipClientCertPassword")
	}
}

func TestAbsenceOfAFieldOfADaemonOrAJobConfiguration(t *testing.T) {
	t.Parallel()
	providertest.CheckAbsences(t, daemonRegistrations()[0], map[string]string{
		"configured": providertest.Needed, "assignmentEnabled": providertest.Needed, "backupJobsEnabled": providertest.Needed,
		"garbageCollectionEnabled": providertest.Needed, "resourceUsageEnabled": providertest.Needed, "restoreQueryableJobsEnabled": providertest.Needed,
		"headDiskType": providertest.UnsetOnceReturned, "numWorkers": providertest.UnsetOnceReturned, "labels": providertest.Unset,
	})
	providertest.CheckAbsences(t, jobConfigRegistrations()[2], map[string]string{
		"labelFilter": providertest.Unset, "daemonFilter": providertest.Unset, "snapshotStoreFilter": providertest.Unset,
		"oplogStoreFilter": providertest.Unset,
		"syncStoreFilter":  providertest.Unset, "kmipClientCertPath": providertest.UnsetOnceReturned,
	})
}
