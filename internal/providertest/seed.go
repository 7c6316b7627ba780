package providertest

import (
	"fmt"
	"maps"

	"terraform-provider-opsmanager/internal/emulator"
)

// The types of the provider's resources and data sources.
const (
	ProjectType               = "opsmanager_project"
	ProjectsType              = "opsmanager_projects"
	ClusterType               = "opsmanager_cluster"
	ClustersType              = "opsmanager_clusters"
	HostsType                 = "opsmanager_hosts"
	PolicyType                = "opsmanager_snapshot_policy"
	ScheduleType              = "opsmanager_snapshot_schedule"
	BackupConfigType          = "opsmanager_backup_config"
	BackupConfigsType         = "opsmanager_backup_configs"
	BackupStatusType          = "opsmanager_backup_status"
	ClusterSnapshotsType      = "opsmanager_cluster_snapshots"
	ConfigServerSnapshotsType = "opsmanager_config_server_snapshots"
	OnDemandSnapshotType      = "opsmanager_on_demand_snapshot"
	RestoreJobType            = "opsmanager_restore_job"
	RestoreJobsType           = "opsmanager_restore_jobs"
	TimeRangesType            = "opsmanager_restorable_time_ranges"
	RegionType                = "opsmanager_deployment_region"
	RegionsType               = "opsmanager_deployment_regions"
	BlockstoreType            = "opsmanager_blockstore"
	S3BlockstoreType          = "opsmanager_s3_blockstore"
	FileSystemStoreType       = "opsmanager_file_system_store"
	OplogStoreType            = "opsmanager_oplog_store"
	S3OplogStoreType          = "opsmanager_s3_oplog_store"
	SyncStoreType             = "opsmanager_sync_store"
	StoresType                = "opsmanager_backup_stores"
	DaemonType                = "opsmanager_backup_daemon"
	DaemonsType               = "opsmanager_backup_daemons"
	JobConfigType             = "opsmanager_project_backup_job_config"
	BackupModuleType          = "opsmanager_backup_module"
)

// IDs of the objects in the emulator's default seed.
const (
	Payments = "64f0c2a19b3d5e7f80a1b2c3" // the project of the clusters below

	Ledger      = "650a1f3c2e4b6d8091a3b5c7" // a replica set: interval 24, recent snapshots for 20 days, 02:30 UTC
	Cards       = "650a1f8b5d7092a4c6e8f013" // a replica set: interval 6, 03:00 UTC
	Orders      = "650a2035b7d9f1e3a5c70924" // a sharded cluster
	OrdersShard = "650a2036b7d9f1e3a5c70925" // a shard of orders

	MirroredHost = "4b1d7f0a9c3e5826d4f0b1a7c9e83652" // a mirrored config server, which has snapshots
	ModernHost   = "e07a5c1b3f9d2846a8c0e5d7b1f39624" // a config server of a replica set, which has none

	NewYork = "NY_NJ"     // a region that is bound to a blockstore and a daemon
	Oceania = "AU_NZ"     // a region with assignment enabled
	Europe  = "EU/West 1" // a region with assignment disabled
)

// RegionsPath is the path of the deployment regions.
const RegionsPath = "/admin/backup/backupDeployments"

// Schedule returns the configuration of the schedule of a cluster in Payments.
func Schedule(cluster string, fields Values) Values {
	config := Values{"project_id": Payments, "cluster_id": cluster}
	maps.Copy(config, fields)
	return config
}

// Region returns the configuration of a region with all required fields.
func Region(id string, more Values) Values {
	config := Values{
		"deployment_id":          id,
		"deployment_description": "Test",
		"ingestion_endpoint":     "https://om.example.com:8443",
		"restore_endpoint":       "https://om.example.com:8443",
		"bq_proxy_endpoint":      "om.example.com:27217",
	}
	maps.Copy(config, more)
	return config
}

// ManyClusters starts a service with a number of clusters in one project, unsorted.
func ManyClusters(count int) emulator.Options {
	project := emulator.Project{ID: Payments, Name: "Many"}
	for i := range count {
		project.Clusters = append(project.Clusters, emulator.Cluster{
			ID:           fmt.Sprintf("%024x", (i*7919)%count),
			Name:         "c",
			TypeName:     "REPLICA_SET",
			BackupConfig: map[string]any{"statusName": "STARTED"},
		})
	}
	return emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{project}}}
}
