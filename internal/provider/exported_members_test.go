package provider_test

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
	"terraform-provider-opsmanager/internal/providertest"
)

// exportedObjects are the structs of the client that data sources export, by data source. Those that combine several are
// tested on their own.
var exportedObjects = map[string]reflect.Type{
	"opsmanager_backup_config":             reflect.TypeFor[opsmanager.BackupConfigWithMembers](),
	"opsmanager_backup_configs":            reflect.TypeFor[opsmanager.BackupConfig](),
	"opsmanager_backup_daemons":            reflect.TypeFor[opsmanager.BackupDaemon](),
	"opsmanager_backup_stores":             reflect.TypeFor[opsmanager.BackupStore](),
	"opsmanager_cluster":                   reflect.TypeFor[opsmanager.Cluster](),
	"opsmanager_cluster_snapshots":         reflect.TypeFor[opsmanager.ClusterSnapshot](),
	"opsmanager_clusters":                  reflect.TypeFor[opsmanager.Cluster](),
	"opsmanager_config_server_snapshots":   reflect.TypeFor[opsmanager.Snapshot](),
	"opsmanager_deployment_regions":        reflect.TypeFor[opsmanager.DeploymentRegion](),
	"opsmanager_hosts":                     reflect.TypeFor[opsmanager.Host](),
	"opsmanager_project":                   reflect.TypeFor[opsmanager.Project](),
	"opsmanager_project_backup_job_config": reflect.TypeFor[opsmanager.JobConfig](),
	"opsmanager_projects":                  reflect.TypeFor[opsmanager.Project](),
	"opsmanager_restorable_time_ranges":    reflect.TypeFor[opsmanager.RestorableTimeRange](),
	"opsmanager_restore_jobs":              reflect.TypeFor[opsmanager.RestoreJob](),
	"opsmanager_snapshot_schedule":         reflect.TypeFor[opsmanager.SnapshotSchedule](),
}

// combined are the data sources that combine several objects.
var combined = []string{"opsmanager_backup_alerts", "opsmanager_backup_status"}

// exportedNames are the attributes that have another name than their member. A member may be named with
// its struct or its data source.
var exportedNames = map[string]string{
	"groupId":             "project_id",
	"masterKeyUUID":       "master_key_uuid",
	"Cluster.id":          "cluster_id",
	"Cluster.clusterName": "name",
	"project.id":          "project_id",
	"DeploymentRegion.id": "deployment_id",
	"JobConfig.id":        "project_id",
}

// unexported has the members that data sources lack, by the reason.
var unexported = map[string][]string{
	"the same time as date": {"Timestamp.time"},
	"links to other calls of the API, without further information": {
		"backup_config.links", "backup_daemons.links", "backup_stores.links", "cluster_snapshots.links", "deployment_regions.links",
		"project_backup_job_config.links", "restore_jobs.links",
	},
	"changes with each read, so each plan would show it": {"clusters.lastHeartbeat", "cluster_snapshots.missingShards.lastHeartbeat"},
	"made of the machine and the head directory":         {"backup_daemons.id"},
	"no documented version returns it": {
		"backup_config.deploymentConfigs", "backup_config.disableCertificateRevocationCheck", "backup_config.snapshotStore",
		"backup_configs.deploymentConfigs", "backup_configs.disableCertificateRevocationCheck", "backup_configs.snapshotStore",
	},
	"newer versions don't return it": {"backup_config.username", "backup_configs.username"},
	"opsmanager_backup_config exports it": {
		"backup_configs.authMechanismName", "backup_configs.multiRegionBackupEnabled", "backup_configs.multiRegionMisconfigured",
		"backup_configs.preferredMember", "backup_configs.provisioned",
	},
	"a secret": {
		"backup_stores.awsAccessKey", "backup_stores.awsSecretKey", "backup_stores.uri", "project_backup_job_config.kmipClientCertPassword",
		"restore_jobs.delivery.url",
	},
	"a setting of some kinds of stores only, whose resource has it": {
		"backup_stores.acceptedTos", "backup_stores.customCertificates", "backup_stores.disableProxyS3",
		"backup_stores.encryptedCredentials", "backup_stores.maxCapacityGB", "backup_stores.mmapv1CompressionSetting",
		"backup_stores.objectLockEnabled", "backup_stores.objectLockEnabledAt", "backup_stores.objectRetentionDays",
		"backup_stores.objectRetentionMode", "backup_stores.oidc", "backup_stores.pathStyleAccessEnabled", "backup_stores.s3AuthMethod",
		"backup_stores.s3BucketEndpoint", "backup_stores.s3BucketName", "backup_stores.s3MaxConnections",
		"backup_stores.s3RegionOverride", "backup_stores.sseEnabled", "backup_stores.ssl", "backup_stores.storePath",
		"backup_stores.writeConcern", "backup_stores.wtCompressionSetting",
	},
	"other names of a process, which the backup modules use": {"hosts.aliases"},
}

// members returns the types of the members of a struct by their names in the API.
func members(of reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			maps.Copy(all, members(field.Type))
		case name != "" && name != "-":
			all[name] = field.Type
		}
	}
	return all
}

// A member that the client reads, and that a data source of its object leaves out, needs a reason.
func TestDataSourcesExportEveryMemberOfTheirObject(t *testing.T) {
	t.Parallel()
	schemas := providertest.NewWorkspace(t, providertest.StartService(t, emulator.Options{}), nil).Schema.DataSourceSchemas
	explained := map[string]bool{}
	for _, all := range unexported {
		for _, member := range all {
			explained[member] = false
		}
	}
	var check func(path string, of reflect.Type, attributes []*tfprotov6.SchemaAttribute)
	check = func(path string, of reflect.Type, attributes []*tfprotov6.SchemaAttribute) {
		for name, inner := range members(of) {
			member := path + "." + name
			ofStruct := of.Name() + "." + name
			attribute := cmp.Or(exportedNames[member], exportedNames[ofStruct], exportedNames[name], tf.SnakeCase(name))
			i := slices.IndexFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == attribute })
			if i >= 0 {
				for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
					inner = inner.Elem()
				}
				if nested := attributes[i].NestedType; nested != nil && inner.Kind() == reflect.Struct {
					check(member, inner, nested.Attributes)
				}
				continue
			}
			_, hasReason := explained[member]
			_, structHasReason := explained[ofStruct]
			switch {
			case hasReason:
				explained[member] = true
			case structHasReason:
				explained[ofStruct] = true
			default:
				t.Errorf("no attribute %s for %s of %s: add a column, or a reason in unexported", attribute, member, of)
			}
		}
	}
	for name, schema := range schemas {
		of := exportedObjects[name]
		if of == nil {
			if !slices.Contains(combined, name) {
				t.Errorf("%s is neither in exportedObjects nor in combined", name)
			}
			continue
		}
		attributes := schema.Block.Attributes
		for _, a := range attributes {
			if a.Name == "results" {
				attributes = a.NestedType.Attributes
			}
		}
		check(strings.TrimPrefix(name, "opsmanager_"), of, attributes)
	}
	for member, isFound := range explained {
		if !isFound {
			t.Errorf("%s has an attribute, or is no member: remove it from unexported", member)
		}
	}
}
