package provider_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Another version or another client may have set a value that the provider refuses as a new one.
func TestOddLiveValuesStayAndAreNotAdded(t *testing.T) {
	t.Parallel()
	const payments, analytics, alert = payments, "64f0c2d57c1e4a6b92d3f4e5", "66a0c1d2e3f4051627384901"
	store := func(id, kind string) values { return values{"id": id, "type": kind} }
	email := func(address string, delay, interval int) values {
		return values{"type_name": "EMAIL", "email_address": address, "delay_min": delay, "interval_min": interval}
	}
	byEmail := func(notifications ...any) values { return values{"notifications": notifications} }
	for name, test := range map[string]struct {
		typeName, id string
		more         values // of each configuration
		odd          values // as Ops Manager has it
		kept         []values
		refused      []values
		mended       values
	}{
		"a daemon": {
			typeName: providertest.DaemonType, id: "om-odd.example.com|/data/odd/", more: values{
				"machine": "om-odd.example.com", "head_root_directory": "/data/odd/",
			},
			odd:     values{"head_disk_type": "NVME", "num_workers": 0, "labels": []any{"", "east"}},
			kept:    []values{{"num_workers": 1}, {"labels": []any{""}}, {"labels": []any{"west", ""}}, {"backup_jobs_enabled": false}},
			refused: []values{{"head_disk_type": "TAPE"}, {"num_workers": -1}, {"num_workers": 1, "head_disk_type": "TAPE"}},
			mended:  values{"head_disk_type": "SSD", "num_workers": 2, "labels": []any{"east"}},
		},
		"a store": {
			typeName: providertest.FileSystemStoreType, id: "ny-nfs-1", more: values{"id": "ny-nfs-1"},
			odd:     values{"store_path": "", "labels": []any{""}, "load_factor": 0},
			kept:    []values{{"load_factor": 1}, {"labels": []any{"a", ""}}, {"store_path": "/mnt"}},
			refused: []values{{"load_factor": -1}, {"load_factor": -1, "store_path": "/mnt"}},
			mended:  values{"store_path": "/mnt", "labels": []any{"a"}, "load_factor": 1},
		},
		"a job configuration": {
			typeName: providertest.JobConfigType, id: analytics, more: values{"project_id": analytics},
			odd: values{
				"label_filter": []any{""}, "snapshot_store_filter": []any{store("any", ""), store("ny-s3-1", "azureBlockstore")},
				"daemon_filter": []any{values{"machine": ""}},
			},
			kept: []values{
				{"label_filter": []any{"", "east"}}, {"snapshot_store_filter": []any{store("ny-s3-1", "azureBlockstore")}}, {"snapshot_store_filter": []any{
					store("ny-s3-1", "azureBlockstore"), store("a", "blockstore"), store("any", ""),
				}},
				{"snapshot_store_filter": []any{store("any", ""), store("other", "azureBlockstore")}}, // the element changes its ID
			},
			refused: []values{
				{"snapshot_store_filter": []any{store("any", ""), store("ny-s3-1", "azureBlockstore"), store("other", "azureBlockstore")}},
				{"snapshot_store_filter": []any{store("any", "gcpBlockstore")}}, {"oplog_store_filter": []any{store("any", "azureBlockstore")}},
			},
			mended: values{"label_filter": []any{}, "snapshot_store_filter": []any{}, "daemon_filter": []any{}},
		},
		"a schedule": {
			typeName: providertest.ScheduleType, id: payments + "/" + ledger, more: values{"project_id": payments, "cluster_id": ledger},
			odd:     values{"snapshot_interval_hours": 48, "daily_snapshot_retention_days": -1, "full_incremental_day_of_week": "EVERYDAY"},
			kept:    []values{{"full_incremental_day_of_week": "SUNDAY"}, {"weekly_snapshot_retention_weeks": 9}},
			refused: []values{{"snapshot_interval_hours": 49}, {"daily_snapshot_retention_days": -2}, {"full_incremental_day_of_week": "NEVER"}},
			mended:  values{"snapshot_interval_hours": 24, "daily_snapshot_retention_days": 7, "full_incremental_day_of_week": "SUNDAY"},
		},
		"a backup": {
			typeName: providertest.BackupConfigType, id: payments + "/" + ledger, more: values{"project_id": payments, "cluster_id": ledger},
			odd:     values{"excluded_namespaces": []any{"local.x", "admin"}},
			kept:    []values{{"excluded_namespaces": []any{"admin", "a.b", "local.x"}}, {"excluded_namespaces": []any{"admin"}}},
			refused: []values{{"excluded_namespaces": []any{"local.x", "admin", "local.y"}}, {"excluded_namespaces": []any{"local.y", "admin"}}},
			mended:  values{"excluded_namespaces": []any{"a.b"}},
		},
		"an alert configuration": {
			typeName: "opsmanager_alert_configuration", id: payments + "/" + alert, more: values{"project_id": payments, "event_type": "BAD_CLUSTERSHOTS"},
			odd: values{"notifications": []any{email("a", -1, 3), email("b", 0, 4)}, "threshold": values{"operator": "EQUALS", "value": -1}},
			kept: []values{
				byEmail(email("b", 0, 4), email("a", -1, 3)), byEmail(email("a", 0, 3), email("b", 0, 4)), byEmail(email("a", -1, 3)),
				byEmail(email("a", -1, 3), email("b", 0, 4), email("c", 0, 5)),
				{"enabled": false}, {"threshold": values{"operator": "EQUALS", "value": 2}},
			},
			refused: []values{
				byEmail(email("a", -1, 3), email("b", 0, 4), email("c", 0, 4)), byEmail(email("a", -1, 3), email("b", 0, 2)),
				{"threshold": values{"operator": "EQUALS", "value": -2}},
				{"threshold": values{"operator": "NEVER", "value": -1}}, {"notifications": []any{}},
			},
			mended: values{"notifications": []any{email("a", 0, 5)}, "threshold": values{"operator": "LESS_THAN", "value": 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, test.typeName)
			makeOdd(s)
			s.SetBackupStore(emulator.FileSystemStore, "ny-nfs-1", object{"labels": []any{""}, "loadFactor": 0})
			s.SetBackupDaemon(
				"om-odd.example.com", "/data/odd/",
				object{"configured": true, "headDiskType": "NVME", "numWorkers": 0, "labels": []any{"", "east"}},
			)
			s.SetBackupConfig(payments, ledger, object{"excludedNamespaces": []any{"local.x", "admin"}})
			s.SetJobConfig(analytics, object{
				"labelFilter": []any{""}, "syncStoreFilter": []any{}, "oplogStoreFilter": []any{}, "daemonFilter": []any{object{"machine": ""}},
				"snapshotStoreFilter": []any{object{"id": "ny-s3-1", "type": "azureBlockstore"}, object{"id": "any"}},
			})
			s.SetAlertConfig(payments, alert, object{"notifications": []any{
				object{
					"typeName": "EMAIL", "emailAddress": "a", "delayMin": -1, "intervalMin": 3,
				}, object{"typeName": "EMAIL", "emailAddress": "b", "delayMin": 0, "intervalMin": 4},
			}})
			r.ImportID(test.id).WantNoErrors(t)
			with := func(change values) values { return test.more.With(test.odd, change) }
			providertest.WantEmptyPlan(t, r.Plan(with(nil)))
			plan := func(change values) []string {
				r.Configure()
				return r.Plan(with(change)).Errors()
			}
			for _, change := range test.kept {
				if errors := plan(change); len(errors) > 0 {
					t.Errorf("%v: %q", change, errors)
				}
			}
			for _, change := range test.refused {
				providertest.WantOne(t, plan(change))
			}
			r.Configure()
			r.MustApply(with(test.mended))
			r.MustBeSettled(with(test.mended))
			if errors := plan(nil); len(errors) == 0 {
				t.Error("what was removed can be put back")
			}
			r.Configure()
			r.Destroy().WantNoErrors(t)
		})
	}
}
