package infrastructure_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestJobConfigDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckSource(t, providertest.Source{
		Type: "opsmanager_project_backup_job_config", Config: values{"project_id": payments},
		Prepare: func(s *providertest.Service) {
			s.SetJobConfig(payments, object{"labelFilter": []any{"east"}})
		},
	})
}

func TestJobConfigIsReadWithoutItsPassword(t *testing.T) {
	t.Parallel()
	seed := emulator.DefaultSeed()
	seed.Projects[0].BackupJobConfig = object{
		"labelFilter": []any{"fast"}, "daemonFilter": []any{object{"machine": "om-eu.example.com", "headRootDirectory": "/data/"}},
		"snapshotStoreFilter": []any{object{"type": "s3blockstore", "id": "s3"}}, "kmipClientCertPath": "/kmip.pem", "kmipClientCertPassword": "secret",
	}
	s := providertest.StartService(t, emulator.Options{Seed: seed})
	got := providertest.NewWorkspace(t, s).MustRead(t, providertest.JobConfigType, values{"project_id": payments})
	want := values{
		"project_id": payments, "exists": true, "label_filter": []any{"fast"},
		"daemon_filter":         []any{values{"machine": "om-eu.example.com", "head_root_directory": "/data/"}},
		"snapshot_store_filter": []any{values{"type": "s3blockstore", "id": "s3"}},
		"oplog_store_filter":    []any{}, "sync_store_filter": []any{}, "kmip_client_cert_path": "/kmip.pem",
	}
	providertest.WantEqual(t, got, want)
}

func TestMissingJobConfigHasNoFilters(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	got := providertest.NewWorkspace(t, s).MustRead(t, providertest.JobConfigType, values{"project_id": payments})
	want := values{
		"project_id": payments, "exists": false, "label_filter": []any{}, "daemon_filter": []any{}, "snapshot_store_filter": []any{},
		"oplog_store_filter": []any{}, "sync_store_filter": []any{}, "kmip_client_cert_path": nil,
	}
	providertest.WantEqual(t, got, want)
}

// The same code may hide the project, so it does not say that the job configuration does not exist.
func TestJobConfigOfAHiddenProjectIsAnErrorOnTheProject(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	_, diags := providertest.NewWorkspace(t, s).Read(providertest.JobConfigType, values{"project_id": strings.Repeat("f", 24)})
	diags.WantError(t, "[project_id]", "Unable to Read Backup Job Configuration", "404", "returns no project")
}
