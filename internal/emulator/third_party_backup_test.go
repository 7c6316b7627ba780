package emulator_test

import (
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const thirdParty = "/backup/third_party/group/"

func TestThirdPartyBackupsAreListedIfTheFeatureIsOn(t *testing.T) {
	t.Parallel()
	for _, options := range []emulator.Options{{}, {ThirdPartyBackup: true, ServiceVersion: "8.0.7"}} {
		start(t, options).do(http.MethodGet, thirdParty+payments+"/clusters", "").refused(t, 404, "RESOURCE_NOT_FOUND")
	}
	seed := emulator.DefaultSeed()
	for i := range seed.Projects[0].Clusters {
		if cluster := &seed.Projects[0].Clusters[i]; cluster.ID == cards {
			cluster.ThirdPartyBackup = "ACTIVE"
		}
	}
	for _, options := range []emulator.Options{{Seed: seed}, {ThirdPartyBackup: true}} {
		c := start(t, options)
		c.service.SetThirdPartyBackup(payments, cards, "ACTIVE")
		got := c.get(thirdParty + payments + "/clusters").ok(t)
		if want := (object{"clusters": []any{object{
			"clusterId": cards, "clusterName": "cards", "groupId": payments, "jobId": cards, "state": "ACTIVE",
		}}}); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v", got)
		}
		for _, method := range []string{http.MethodGet, http.MethodPatch} {
			c.do(
				method, inPayments+"/backupConfigs/"+cards+"/snapshotSchedule",
				map[string]string{http.MethodPatch: "{}"}[method],
			).refused(t, 500, "UNEXPECTED_ERROR")
		}
		c.service.SetThirdPartyBackup(payments, cards, "")
		c.get(inPayments + "/backupConfigs/" + cards + "/snapshotSchedule").ok(t)
	}
}

func TestErrorsOfThirdPartyBackupsHaveADocumentOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{ThirdPartyBackup: true})
	got := c.get(thirdParty + nowhere + "/clusters")
	if want := (object{
		"resource": emulator.BasePath + thirdParty + nowhere + "/clusters", "errorCode": "GROUP_NOT_FOUND",
		"version": "1", "status": "ERROR",
	}); got.status != 404 || !reflect.DeepEqual(got.document, want) {
		t.Errorf("got %d, %v", got.status, got.document)
	}
}
