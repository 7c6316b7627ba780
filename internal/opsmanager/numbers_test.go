package opsmanager_test

import (
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestWholeNumbersAreReadInEveryNotation(t *testing.T) {
	t.Parallel()
	integers := regexp.MustCompile(`: (\d+)`)
	for _, form := range []string{"$1", "$1.0", "$1.000", "${1}e0", "${1}E+0", "${1}.00e0"} {
		body := integers.ReplaceAllString(wholeScheduleJSON, ": "+form)
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "", body) })
		got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
		succeed(t, err)
		if !reflect.DeepEqual(*got, wholeSchedule()) {
			t.Errorf("%s: got %+v", form, *got)
		}
		got, err = client.UpdateSnapshotSchedule(t.Context(), payments, ledger, opsmanager.SnapshotSchedule{})
		succeed(t, err)
		if !reflect.DeepEqual(*got, wholeSchedule()) {
			t.Errorf("%s: PATCH: got %+v", form, *got)
		}
	}
}

func TestWholeNumbersAreReadInListsAndProjects(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/snapshots"):
			answer(w, http.StatusOK, "", `{"totalCount": 1.0, "results": [{"id": "6.0, \"7.0\\", "clusterName": "8.0",
				"created": {"increment": -2.50e1}, "parts": [{"dataSizeBytes": 9007199254740993.0, "fileSizeBytes": 1.5e3, "storageSizeBytes": 0e0}]}]}`)
		default:
			answer(w, http.StatusOK, "", `{"replicaSetCount": 6e0, "shardCount": 2.0}`)
		}
	})
	project, err := client.Project(t.Context(), payments)
	succeed(t, err)
	equal(t, "replica sets", *project.ReplicaSetCount, 6)
	equal(t, "shards", *project.ShardCount, 2)
	list, err := client.ListClusterSnapshots(t.Context(), payments, ledger, "", opsmanager.Page{})
	succeed(t, err)
	equal(t, "total", *list.TotalCount, 1)
	snapshot := list.Results[0]
	equal(t, "id", *snapshot.ID, `6.0, "7.0\`)
	equal(t, "cluster", *snapshot.ClusterName, "8.0")
	equal(t, "increment", *snapshot.Created.Increment, -25)
	equal(t, "data", *snapshot.Parts[0].DataSizeBytes, 9007199254740993)
	equal(t, "files", *snapshot.Parts[0].FileSizeBytes, 1500)
	equal(t, "storage", *snapshot.Parts[0].StorageSizeBytes, 0)
}

func TestFractionsAndTooLargeNumbersAreErrorsThatNameTheField(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"6.5", "1e-1", "6e400", "1e999999999", "9223372036854775808", "1e19", "6.0000000000000000000000000000000000000000001"} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, "", `{"snapshotRetentionDays": 2.0, "snapshotIntervalHours": `+number+`}`)
		})
		got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
		if got != nil || !strings.Contains(wantError(t, err).Error(), "snapshotIntervalHours has the wrong type, number "+number) {
			t.Errorf("%s: got %v, %v", number, got, err)
		}
	}
}
