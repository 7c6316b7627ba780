package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// makeOdd gives objects of a service values that other versions and clients set, and that the provider does not accept
// as new ones.
func makeOdd(s *providertest.Service) {
	const payments, analytics = payments, "64f0c2d57c1e4a6b92d3f4e5"
	type fields = object
	s.SetBackupDaemon("om-odd.example.com", "/headdb", fields{"configured": true, "headDiskType": "NVME", "numWorkers": 0, "labels": []any{"", "east"}})
	s.SetJobConfig(analytics, fields{
		"labelFilter": []any{""}, "syncStoreFilter": []any{""}, "oplogStoreFilter": []any{fields{"id": "", "type": ""}},
		"snapshotStoreFilter": []any{fields{"id": "ny-s3-1", "type": "azureBlockstore"}, fields{"id": "any"}},
		"daemonFilter": []any{
			fields{"machine": "om-odd.example.com", "headRootDirectory": "/headdb"}, fields{"machine": ""},
			fields{"headRootDirectory": ""},
		},
	})
	s.SetSchedule(payments, ledger, fields{
		"snapshotIntervalHours": 48, "snapshotRetentionDays": 0, "dailySnapshotRetentionDays": -1, "pointInTimeWindowHours": -1,
		"fullIncrementalDayOfWeek": "EVERYDAY",
	})
	s.SetSchedule(payments, "650a2035b7d9f1e3a5c70924", fields{"clusterCheckpointIntervalMin": 7, "fullIncrementalDayOfWeek": ""})
	s.SetBackupConfig(payments, ledger, fields{"excludedNamespaces": []any{"local.x", "admin", "."}})
	s.SetBackupConfig(payments, cards, fields{"statusName": "PAUSED"})
	odd := fields{
		"acceptedTos": false, "s3AuthMethod": "OIDC", "s3MaxConnections": 0, "s3BucketEndpoint": "", "labels": []any{""},
		"loadFactor": 0, "objectRetentionMode": "LEGAL_HOLD",
	}
	s.SetBackupStore(emulator.S3Blockstore, "ny-s3-1", odd)
	s.SetBackupStore(emulator.S3OplogStore, "au-s3-oplog-1", odd)
	s.SetBackupStore(emulator.Blockstore, "ny-blockstore-1", fields{"labels": []any{""}, "loadFactor": 0, "maxCapacityGB": 0, "writeConcern": "W9"})
	s.SetBackupStore(emulator.FileSystemStore, "ny-nfs-1", fields{"storePath": "", "wtCompressionSetting": "ZSTD"})
	s.SetRegion("NY_NJ", fields{"ingestionEndpoint": "", "restoreEndpoint": "ftp"})
	for id, notification := range map[string]fields{
		"66a0c1d2e3f4051627384901": {"typeName": "GROUP", "intervalMin": 0, "delayMin": 0, "emailEnabled": true, "smsEnabled": false},
		"66a0c1d2e3f4051627384902": {"typeName": "GROUP", "roles": []any{""}, "emailEnabled": true, "smsEnabled": false},
		"66a0c1d2e3f4051627384903": {"typeName": "EMAIL", "delayMin": -1},
		"66a0c1d2e3f4051627384904": {"typeName": "SMS"},
		"66a0c1d2e3f4051627384905": {"typeName": "USER", "emailEnabled": true, "smsEnabled": false},
	} {
		s.SetAlertConfig(payments, id, fields{
			"eventTypeName": "BAD_CLUSTERSHOTS", "enabled": true, "notifications": []any{notification},
			"threshold": fields{"operator": "EQUALS", "threshold": -1},
		})
	}
	s.SetAlertConfig(payments, "66a0c1d2e3f4051627384906", fields{"eventTypeName": "OPLOG_BEHIND", "enabled": true, "notifications": []any{}})
}

// imports returns an import block for each object that the list resources of the provider list.
func imports(t *testing.T, s *providertest.Service) (blocks []string) {
	t.Helper()
	w := providertest.NewWorkspace(t, s)
	for typeName, schema := range w.Schema.ListResourceSchemas {
		configs := []values{nil}
		switch len(schema.Block.Attributes) {
		case 1:
			configs = []values{{"project_id": payments}, {"project_id": "64f0c2d57c1e4a6b92d3f4e5"}}
		case 2: // clusters with snapshots
			configs = []values{
				{"project_id": payments, "cluster_id": ledger}, {"project_id": payments, "cluster_id": orders},
			}
		}
		for _, config := range configs {
			results := w.Query(typeName, config, true, 1000)
			for _, one := range results {
				if errors := one.Errors(); len(errors) > 0 {
					t.Errorf("%s %v: %q", typeName, config, errors)
				}
			}
			objects, _ := providertest.Listing(results)
			if len(objects) == 0 {
				t.Errorf("%s %v: no objects", typeName, config)
			}
			for _, object := range objects {
				blocks = append(blocks, fmt.Sprintf("import {\n  to = %s.object_%d\n  id = %q\n}\n", typeName, len(blocks), importID(t, object.Resource)))
			}
		}
	}
	return blocks
}

// importID returns the import ID of a resource.
func importID(t *testing.T, resource tftypes.Value) string {
	t.Helper()
	var attributes map[string]tftypes.Value
	if err := resource.As(&attributes); err != nil {
		t.Fatal(err)
	}
	separator, parts := "/", []string{}
	if _, isDaemon := attributes["machine"]; isDaemon {
		separator = "|"
	}
	for _, attribute := range []string{"project_id", "cluster_id", "alert_configuration_id", "machine", "head_root_directory", "deployment_id", "id"} {
		var part string
		if value, ok := attributes[attribute]; ok && value.As(&part) == nil {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, separator)
}

func TestGeneratedConfigurationOfEveryObjectPlansNoChange(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, exampleOptions())
	makeOdd(r.Service)
	blocks := imports(t, r.Service)
	r.Configure(strings.Join(blocks, ""))
	r.MustRun("plan", "-generate-config-out=generated.tf")
	text, err := os.ReadFile(filepath.Join(r.Dir, "generated.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, odd := range []string{`"NVME"`, `"/headdb"`, `"azureBlockstore"`, `"EVERYDAY"`, `"PAUSED"`, `"OIDC"`, `"LEGAL_HOLD"`, `"local.x"`, `"EQUALS"`} {
		if !strings.Contains(string(text), odd) {
			t.Errorf("no object has %s", odd)
		}
	}
	// Terraform generates null for an empty text.
	r.Write("generated.tf", regexp.MustCompile(`(store_path +|s3_bucket_endpoint +)= null`).ReplaceAllString(string(text), `${1}= ""`))
	printed := r.MustRun("apply", "-auto-approve")
	if want := fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", len(blocks)); !strings.Contains(printed, want) {
		t.Errorf("not %q:\n%s", want, printed)
	}
	r.MustRun("plan", "-detailed-exitcode")
	providertest.WantWrites(t, r.Service)
}
