package restores_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Snapshots of the seed.
const (
	heldSnapshot       = "66b0c530c4d6e8f0a2b4c600" // of ledger; it does not expire
	expiredSnapshot    = "66d3f330c4d6e8f0a2b4c602" // of ledger
	incompleteSnapshot = "66d544b0c4d6e8f0a2b4c603" // of ledger
	ordersSnapshot     = "66d45311c4d6e8f0a2b4c703"
)

var ofLedger = values{"project_id": payments, "cluster_id": ledger}

func TestRestoreJobsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_restore_jobs", ID: "snapshot_id", Config: ofLedger,
		Prepare: func(s *providertest.Service) {
			s.StartRestore(payments, ledger, object{"snapshotId": heldSnapshot})
		},
	})
}

func TestRestorableTimeRangesDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{Type: "opsmanager_restorable_time_ranges", Config: ofLedger, NoPages: true})
}

func TestRestoreJobsAreListedFromTheNewestWithoutTheirLinks(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := beginQuick(t)
		jobs := map[string]string{}
		for _, created := range []any{"2025-09-02T10:00:00Z", nil, "2025-09-03T10:00:00Z"} {
			id := s.StartRestore(payments, ledger, object{"snapshotId": heldSnapshot})[0]
			s.SetRestoreJob(payments, ledger, id, object{"created": created})
			jobs[fmt.Sprint(created)] = id
		}
		newest := jobs["2025-09-03T10:00:00Z"]
		s.SetRestoreJob(payments, ledger, newest, object{
			"statusName": "PAUSED", "pointInTime": true, "encryptionEnabled": true, "masterKeyUUID": "7d1e",
			"timestamp": object{"date": "2025-08-01T02:30:03Z", "increment": 4},
			"delivery": object{
				"methodName": "HTTP", "statusName": "READY", "url": "https://om.example.com/s3cr3t", "expires": "2030-01-01T00:00:00Z",
				"expirationHours": 3, "maxDownloads": 2,
			},
			"hashes": []any{object{"typeName": "SHA1", "fileName": "x", "hash": "aa"}},
		})
		data := r.MustRead(t, providertest.RestoreJobsType, ofLedger)
		if got, want := providertest.ResultValues(t, data, "id"), []string{newest, jobs["2025-09-02T10:00:00Z"], jobs["<nil>"]}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		want := values{
			"id": newest, "batch_id": nil, "project_id": payments, "cluster_id": ledger, "cluster_name": "ledger", "created": "2025-09-03T10:00:00Z",
			"status_name": "PAUSED", "snapshot_id": heldSnapshot, "point_in_time": true, "timestamp": values{"date": "2025-08-01T02:30:03Z", "increment": 4},
			"encryption_enabled": true, "master_key_uuid": "7d1e", "hashes": []any{values{"type_name": "SHA1", "file_name": "x", "hash": "aa"}},
			"delivery": values{"method_name": "HTTP", "status_name": "READY", "expires": "2030-01-01T00:00:00Z", "expiration_hours": 3, "max_downloads": 2},
		}
		providertest.WantEqual(t, data["results"].([]any)[0], want)
		if strings.Contains(fmt.Sprint(data), "s3cr3t") || data["total_count"] != 3 {
			t.Errorf("got %v", data)
		}
	})
}

func TestRestoreJobsAreSelectedByBatchOrPage(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s := providertest.ServiceInMemory()
		for range 2 {
			s.StartRestore(payments, orders, nil)
		}
		batch := s.RestoreJobs(payments, orders)[3]["batchId"]
		w := providertest.NewWorkspace(t, s)
		for _, test := range []struct {
			config values
			want   int
		}{
			{nil, 4}, {values{"batch_id": batch}, 2}, {values{"page_num": 2, "items_per_page": 3}, 1},
		} {
			data := w.MustRead(t, providertest.RestoreJobsType, values{"project_id": payments, "cluster_id": orders}.With(test.config))
			if got := len(data["results"].([]any)); got != test.want {
				t.Errorf("%v: %d jobs", test.config, got)
			}
		}
		_, diags := w.Read(providertest.RestoreJobsType, ofLedger.With(values{"batch_id": "first"}))
		diags.WantError(t, "[batch_id]", "24 hexadecimal digits")
		_, diags = w.Read(providertest.RestoreJobsType, ofLedger.With(values{"cluster_id": strings.Repeat("f", 24)}))
		diags.WantError(t, "[cluster_id]", "Unable to List Restore Jobs", "CLUSTER_NOT_FOUND")
	})
}

func TestTimeRangesHaveTheirDates(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s := providertest.ServiceInMemory()
		w := providertest.NewWorkspace(t, s)
		data := w.MustRead(t, providertest.TimeRangesType, values{"project_id": payments, "cluster_id": orders})
		want := []any{values{
			"start":       values{"date": "2025-08-31T17:15:02Z", "increment": 2},
			"end":         values{"date": "2025-09-01T02:40:24Z", "increment": 1},
			"snapshot_id": "66d3e2a1c4d6e8f0a2b4c702", "shard_count": 2, "config_server_type": "DEDICATED",
		}}
		providertest.WantEqual(t, data["results"], want)
		s.Inject(emulator.Fault{
			Status: 200, Body: `[{"start": {"date": "soon"}, "snapshotId": "x"}]`,
		})
		unusual := w.MustRead(t, providertest.TimeRangesType, ofLedger)["results"].([]any)[0].(values)
		if unusual["end"] != nil || unusual["start"].(values)["date"] != "soon" {
			t.Errorf("got %v", unusual)
		}
		providertest.WantEqual(t, w.MustRead(t, providertest.TimeRangesType, values{"project_id": payments, "cluster_id": cards})["results"], []any{})
		_, diags := w.Read(providertest.TimeRangesType, ofLedger.With(values{"project_id": strings.Repeat("f", 24)}))
		diags.WantError(t, "[project_id]", "Unable to List Restorable Time Ranges", "GROUP_NOT_FOUND")

		old := providertest.NewWorkspace(t, providertest.ServiceInMemory(emulator.Options{ServiceVersion: "8.0.5"}))
		_, diags = old.Read(providertest.TimeRangesType, ofLedger)
		diags.WantError(t, "Unable to List Restorable Time Ranges", "8.0.5", "does not support this operation")
	})
}
