package opsmanager_test

import (
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfABackupConfigIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answer(w, http.StatusOK, "application/json", `{"totalCount": 2, "links": [], "results": [{
			"groupId": "64f0c2a19b3d5e7f80a1b2c3",
			"clusterId": "650a1f3c2e4b6d8091a3b5c7",
			"statusName": "TERMINATING",
			"storageEngineName": "WIRED_TIGER",
			"encryptionEnabled": false,
			"sslEnabled": true,
			"excludedNamespaces": [],
			"includedNamespaces": ["shop", "shop.orders"],
			"links": [{"rel": "self", "href": "https://om.example.com/x"}],
			"somethingNew": {"nobody": "knows"}
		}, {"clusterId": "650a1f8b5d7092a4c6e8f013"}]}`)
	})
	got, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
	succeed(t, err)
	want := []opsmanager.BackupConfig{{
		GroupID:            new(payments),
		ClusterID:          new(ledger),
		StatusName:         new("TERMINATING"),
		StorageEngineName:  new("WIRED_TIGER"),
		EncryptionEnabled:  new(false),
		SSLEnabled:         new(true),
		ExcludedNamespaces: []string{},
		IncludedNamespaces: []string{"shop", "shop.orders"},
		Links:              []opsmanager.Link{{Rel: "self", Href: "https://om.example.com/x"}},
	}, {ClusterID: new("650a1f8b5d7092a4c6e8f013")}}
	if !reflect.DeepEqual(got.Results, want) {
		t.Errorf("got %+v", got.Results)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/backupConfigs?itemsPerPage=500&pageNum=1")
}

func TestListingBackupConfigsOfAnUnknownProjectFailsAsGone(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t, emulator.Options{})
	got, err := client.ListBackupConfigs(t.Context(), nowhere, opsmanager.Page{})
	if got != nil || !opsmanager.IsGone(err) {
		t.Errorf("got %v, %v", got, err)
	}
	got, err = client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
	succeed(t, err)
	equal(t, "total", *got.TotalCount, int64(len(got.Results)))
	if len(got.Results) < 4 {
		t.Errorf("got %d configurations", len(got.Results))
	}
}

func TestSingleBackupConfigHasMoreLinks(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answer(w, http.StatusOK, "application/json", `{
			"clusterId": "650a1f3c2e4b6d8091a3b5c7", "authMechanismName": "PLAIN", "preferredMember": "ledger-0:27017",
			"provisioned": true, "multiRegionBackupEnabled": true, "multiRegionMisconfigured": false
		}`)
	})
	got, err := client.BackupConfig(t.Context(), payments, ledger)
	succeed(t, err)
	want := &opsmanager.BackupConfig{
		ClusterID:                new(ledger),
		AuthMechanismName:        new("PLAIN"),
		PreferredMember:          new("ledger-0:27017"),
		Provisioned:              new(true),
		MultiRegionBackupEnabled: new(true),
		MultiRegionMisconfigured: new(false),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/backupConfigs/"+ledger)

	emulated, _ := emulate(t, emulator.Options{})
	_, err = emulated.BackupConfig(t.Context(), payments, nowhere)
	if !opsmanager.IsGone(err) {
		t.Errorf("got %v", err)
	}
}
