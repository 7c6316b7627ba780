package opsmanager_test

import (
	"regexp"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestWholeNumbersAreReadInEveryNotation(t *testing.T) {
	t.Parallel()
	integers := regexp.MustCompile(`: (\d+)`)
	for request, document := range map[string]string{
		"GET " + backup + "/snapshotSchedule":   aSchedule,
		"PATCH " + backup + "/snapshotSchedule": aSchedule,
		"GET " + inPayments:                     aProject,
		"GET " + ofLedger + "/snapshots":        someSnapshots,
	} {
		for _, form := range []string{"$1", "$1.0", "$1.000", "${1}e0", "${1}E+0", "${1}.00e0"} {
			object, err := requestOf(t, request, "").call(t, returning(t, integers.ReplaceAllString(document, ": "+form)))
			succeed(t, err)
			equal(t, request+" with "+form, len(undecoded(t, document, object)), 0)
		}
	}
	list, err := returning(t, inList(`{
		"id": "6.0, \"7.0\\", "created": {"increment": -2.50e1},
		"parts": [{"dataSizeBytes": 9007199254740993.0, "fileSizeBytes": 1.5e3, "storageSizeBytes": 0e0}]
	}`)).ListClusterSnapshots(t.Context(), payments, ledger, "", opsmanager.Page{})
	succeed(t, err)
	snapshot := list.Results[0]
	equal(t, "id", *snapshot.ID, `6.0, "7.0\`)
	equal(t, "increment", *snapshot.Created.Increment, -25)
	equal(t, "data", *snapshot.Parts[0].DataSizeBytes, 9007199254740993)
	equal(t, "files", *snapshot.Parts[0].FileSizeBytes, 1500)
	equal(t, "storage", *snapshot.Parts[0].StorageSizeBytes, 0)
}

func TestFractionsAndTooLargeNumbersAreErrorsThatNameTheField(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"6.5", "1e-1", "6e400", "1e999999999", "9223372036854775808", "1e19", "6.0000000000000000000000000000000000000000001"} {
		client := returning(t, `{"snapshotRetentionDays": 2.0, "snapshotIntervalHours": `+number+`}`)
		got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
		if got != nil || !strings.Contains(wantError(t, err).Error(), "snapshotIntervalHours has the wrong type, number "+number) {
			t.Errorf("%s: got %v, %v", number, got, err)
		}
	}
}
