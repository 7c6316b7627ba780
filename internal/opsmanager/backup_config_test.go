package opsmanager_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfABackupConfigIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, `{"totalCount": 2, "links": [], "results": [{
			"groupId": "64f0c2a19b3d5e7f80a1b2c3",
			"clusterId": "650a1f3c2e4b6d8091a3b5c7",
			"statusName": "TERMINATING",
			"storageEngineName": "WIRED_TIGER",
			"encryptionEnabled": false,
			"sslEnabled": true,
			"excludedNamespaces": [],
			"includedNamespaces": ["shop", "shop.orders"],
			"links": [{"rel": "self", "href": "https://om.example.com/x"}],
			"somethingNew": {"is": "unknown"}
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

func TestListingBackupConfigsOfAnUnknownProjectSaysThatTheProjectIsMissing(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
	got, err := client.ListBackupConfigs(t.Context(), nowhere, opsmanager.Page{})
	if got != nil || !opsmanager.IsMissing(err, opsmanager.ObjectProject) {
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
		answerOK(w, `{
			"clusterId": "650a1f3c2e4b6d8091a3b5c7", "authMechanismName": "PLAIN", "preferredMember": "ledger-0:27017",
			"provisioned": true, "multiRegionBackupEnabled": true, "multiRegionMisconfigured": false,
			"username": "backup", "disableCertificateRevocationCheck": false,
			"snapshotStore": {"snapshotStoreType": "s3blockstore", "snapshotStoreId": "s3-1"},
			"deploymentConfigs": [{"rsId": "ledger-rs", "deploymentId": "NY_NJ"}]
		}`)
	})
	got, err := client.BackupConfig(t.Context(), payments, ledger)
	succeed(t, err)
	want := &opsmanager.BackupConfig{
		ClusterID:                         new(ledger),
		AuthMechanismName:                 new("PLAIN"),
		Username:                          new("backup"),
		DisableCertificateRevocationCheck: new(false),
		PreferredMember:                   new("ledger-0:27017"),
		Provisioned:                       new(true),
		SnapshotStore:                     &opsmanager.SnapshotStore{Type: "s3blockstore", ID: "s3-1"},
		MultiRegionBackupEnabled:          new(true),
		MultiRegionMisconfigured:          new(false),
		DeploymentConfigs:                 []opsmanager.DeploymentConfig{{RSID: "ledger-rs", DeploymentID: "NY_NJ"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments+"/backupConfigs/"+ledger)

	emulated, _ := emulate(t)
	_, err = emulated.BackupConfig(t.Context(), payments, nowhere)
	if !opsmanager.IsMissing(err, opsmanager.ObjectCluster) {
		t.Errorf("got %v", err)
	}
}

func TestBackupConfigChangeSendsOnlyTheFieldsThatAreSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change opsmanager.BackupConfigChange
		want   string
	}{
		{"nothing", opsmanager.BackupConfigChange{}, `{}`},
		{"a status", opsmanager.BackupConfigChange{StatusName: new(opsmanager.StatusStopped)}, `{"statusName":"STOPPED"}`},
		{"empty values", opsmanager.BackupConfigChange{
			SSLEnabled: new(false), ExcludedNamespaces: &[]string{}, PreferredMember: new(""), DeploymentConfigs: &[]opsmanager.DeploymentConfig{},
		}, `{"sslEnabled":false,"excludedNamespaces":[],"preferredMember":"","deploymentConfigs":[]}`},
		{"everything", opsmanager.BackupConfigChange{
			StatusName:                        new(opsmanager.StatusStarted),
			StorageEngineName:                 new("WIRED_TIGER"),
			SyncSource:                        new("PRIMARY"),
			EncryptionEnabled:                 new(false),
			SSLEnabled:                        new(true),
			ExcludedNamespaces:                &[]string{"a", "b.c"},
			IncludedNamespaces:                &[]string{"d"},
			AuthMechanismName:                 new("MONGODB_CR"),
			Username:                          new("backup"),
			Password:                          "hunter2",
			DisableCertificateRevocationCheck: new(true),
			PreferredMember:                   new("ledger-0:27017"),
			SnapshotStore:                     &opsmanager.SnapshotStore{Type: "s3blockstore", ID: "s3-1"},
			MultiRegionBackupEnabled:          new(true),
			DeploymentConfigs:                 &[]opsmanager.DeploymentConfig{{RSID: "ledger-rs", DeploymentID: "NY_NJ"}},
		}, `{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"PRIMARY","encryptionEnabled":false,"sslEnabled":true,` +
			`"excludedNamespaces":["a","b.c"],"includedNamespaces":["d"],"authMechanismName":"MONGODB_CR","username":"backup","password":"hunter2",` +
			`"disableCertificateRevocationCheck":true,"preferredMember":"ledger-0:27017",` +
			`"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"s3-1"},"multiRegionBackupEnabled":true,` +
			`"deploymentConfigs":[{"rsId":"ledger-rs","deploymentId":"NY_NJ"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var request, body string
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				request, body = r.Method+" "+r.RequestURI, read(t, r)
				answer(w, http.StatusAccepted, "application/json", `{"clusterId":"`+ledger+`","statusName":"STOPPED"}`)
			})
			got, err := client.UpdateBackupConfig(t.Context(), payments, ledger, test.change)
			succeed(t, err)
			equal(t, "request", request, "PATCH "+basePath+"/groups/"+payments+"/backupConfigs/"+ledger)
			equal(t, "body", body, test.want)
			if want := (opsmanager.BackupConfig{ClusterID: new(ledger), StatusName: new("STOPPED")}); !reflect.DeepEqual(*got, want) {
				t.Errorf("got %+v", *got)
			}
		})
	}
}

func TestBackupConfigChangeIsRetriedIfThatIsSafe(t *testing.T) {
	t.Parallel()
	status, source := opsmanager.BackupConfigChange{StatusName: new(opsmanager.StatusStopped)}, opsmanager.BackupConfigChange{SyncSource: new("PRIMARY")}
	field := opsmanager.BackupConfigChange{PreferredMember: new("ledger-0:27017")}
	dropped := func(_ http.ResponseWriter, r *http.Request) { drop(r) }
	failing := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	for _, test := range []struct {
		name     string
		change   opsmanager.BackupConfigChange
		failure  http.HandlerFunc
		requests int
	}{
		{"a status without a response", status, dropped, 1},
		{"a status while Ops Manager is down", status, failing(http.StatusServiceUnavailable), 1},
		{"a status too soon", status, failing(http.StatusTooManyRequests), 3},
		{"a sync source without a response", source, dropped, 1},
		{"a field without a response", field, dropped, 3},
		{"a field while Ops Manager is down", field, failing(http.StatusServiceUnavailable), 3},
		{"a rejected field", field, failing(http.StatusConflict), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				test.failure(w, r)
			}, retries(2))
			err := repeating(t.Context(), client, func(ctx context.Context) error {
				_, err := client.UpdateBackupConfig(ctx, payments, ledger, test.change)
				return err
			})
			equal(t, "attempts", wantError(t, err).Attempts, test.requests)
			equal(t, "requests", int(requests.Load()), test.requests)
		})
	}

	client := newClient(t, closed, retries(2))
	err := repeating(t.Context(), client, func(ctx context.Context) error {
		_, err := client.UpdateBackupConfig(ctx, payments, ledger, status)
		return err
	})
	equal(t, "attempts without a connection", wantError(t, err).Attempts, 3)
}

func TestErrorsAndLogsDoNotContainThePassword(t *testing.T) {
	t.Parallel()
	for name, password := range map[string]string{
		"plain":          "c0rrect-horse",
		"characters":     `c0rrect"<horse>&\`,
		"spaces":         "c0rrect  horse\tbattery",
		"in a long text": strings.Repeat("c0rrect-horse", 20),
	} {
		for kind, body := range map[string]func(sent string) string{
			"an error document": func(sent string) string { return fmt.Sprintf(`{"error":400,"errorCode":"X","detail":%q}`, sent) },
			"its parameters": func(sent string) string {
				return fmt.Sprintf(`{"error":400,"errorCode":"X","parameters":[%q,%s]}`, password, sent)
			},
			"a page":      func(sent string) string { return "<h1>" + html.EscapeString(sent) + "</h1>" },
			"the title":   func(string) string { return "<title>" + html.EscapeString(password) + "</title>" },
			"the request": func(sent string) string { return sent },
			"the text":    func(string) string { return strings.Repeat("x", 190) + password },
		} {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
				t.Run(fmt.Sprint(name, " in ", kind, status), func(t *testing.T) {
					t.Parallel()
					var logged []string
					client := serve(t, func(w http.ResponseWriter, r *http.Request) {
						answer(w, status, "text/plain", body(read(t, r)))
					}, func(c *opsmanager.Config) {
						c.Log = func(_ context.Context, message string, fields ...map[string]any) {
							logged = append(logged, fmt.Sprint(message, fields))
						}
					})
					_, err := client.UpdateBackupConfig(t.Context(), payments, ledger, opsmanager.BackupConfigChange{Password: password})
					text := fmt.Sprintf("%v %+v %q", err, *wantError(t, err), logged)
					if strings.Contains(text, "c0rrect") || strings.Contains(text, "horse") || len(logged) != 1 {
						t.Errorf("the password is shown: %s", text)
					}
				})
			}
		}
	}
}

func TestAvailableMembersAreRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.Method + " " + r.RequestURI
		answerOK(w, `{"clusterId": "`+ledger+`", "availableMembers": ["ledger-0:27017", "ledger-1:27017"]}`)
	})
	got, err := client.BackupConfigWithMembers(t.Context(), payments, ledger)
	succeed(t, err)
	if !reflect.DeepEqual(got.AvailableMembers, []string{"ledger-0:27017", "ledger-1:27017"}) {
		t.Errorf("got %q", got.AvailableMembers)
	}
	equal(t, "request", requested, "GET "+basePath+"/groups/"+payments+"/backupConfigs/"+ledger+"/availableMembers")
}

func TestBackupIsStartedStoppedAndTerminated(t *testing.T) {
	t.Parallel()
	const reports = "650a2177e1f3a5b7c9d00e42" // INACTIVE
	for _, unknowns := range []emulator.Unknowns{{}, {BareInactive: true, BothNamespaceLists: true, OmitsFalse: true}} {
		client, _ := emulateWith(t, emulator.Options{Unknowns: unknowns})
		ctx := t.Context()
		change := func(change opsmanager.BackupConfigChange, reached string) {
			t.Helper()
			got, err := client.UpdateBackupConfig(ctx, payments, reports, change)
			succeed(t, err)
			equal(t, "wanted status", *got.StatusName, *change.StatusName)
			for range 5 {
				got, err = client.BackupConfig(ctx, payments, reports)
				succeed(t, err)
			}
			equal(t, "status", *got.StatusName, reached)
		}
		start := opsmanager.BackupConfigChange{StatusName: new(opsmanager.StatusStarted), StorageEngineName: new("WIRED_TIGER"), SyncSource: new("PRIMARY")}
		change(start, opsmanager.StatusStarted)
		_, err := client.UpdateBackupConfig(ctx, payments, reports, start)
		equal(t, "code", wantError(t, err).Code, "CANNOT_START_BACKUP_INVALID_STATE")
		change(opsmanager.BackupConfigChange{StatusName: new(opsmanager.StatusStopped)}, opsmanager.StatusStopped)
		change(start, opsmanager.StatusStarted)
		change(opsmanager.BackupConfigChange{StatusName: new(opsmanager.StatusStopped)}, opsmanager.StatusStopped)
		change(opsmanager.BackupConfigChange{StatusName: new(opsmanager.StatusTerminating)}, opsmanager.StatusInactive)
	}
}

func TestEveryFieldOfAChangeIsUnderstoodByTheEmulator(t *testing.T) {
	t.Parallel()
	const fraud = "650a1e4a0f2c3d5b7e9f1a2b" // not managed by Automation
	client, service := emulate(t)
	store := opsmanager.SnapshotStore{Type: "s3blockstore", ID: "s3-1"}
	got, err := client.UpdateBackupConfig(t.Context(), payments, fraud, opsmanager.BackupConfigChange{
		StatusName:                        new(opsmanager.StatusStarted),
		StorageEngineName:                 new("WIRED_TIGER"),
		SyncSource:                        new("PRIMARY"),
		EncryptionEnabled:                 new(true),
		SSLEnabled:                        new(false),
		ExcludedNamespaces:                &[]string{},
		IncludedNamespaces:                &[]string{"a", "b.c"},
		AuthMechanismName:                 new("MONGODB_CR"),
		Username:                          new("backup"),
		Password:                          "hunter2",
		DisableCertificateRevocationCheck: new(true),
		PreferredMember:                   new("fraud-0:27017"),
		SnapshotStore:                     &store,
		MultiRegionBackupEnabled:          new(true),
		DeploymentConfigs:                 &[]opsmanager.DeploymentConfig{{RSID: "fraud-rs", DeploymentID: "NY_NJ"}},
	})
	succeed(t, err)
	want := opsmanager.BackupConfig{
		GroupID:                  new(payments),
		ClusterID:                new(fraud),
		Links:                    got.Links,
		StatusName:               new(opsmanager.StatusStarted),
		StorageEngineName:        new("WIRED_TIGER"),
		EncryptionEnabled:        new(true),
		SSLEnabled:               new(false),
		IncludedNamespaces:       []string{"a", "b.c"},
		AuthMechanismName:        new("MONGODB_CR"),
		PreferredMember:          new("fraud-0:27017"),
		SnapshotStore:            &store,
		MultiRegionBackupEnabled: new(true),
		MultiRegionMisconfigured: new(false),
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v", *got)
	}
	stored := service.BackupConfig(payments, fraud)
	equal(t, "region", fmt.Sprint(stored["deploymentConfigs"]), "[map[deploymentId:NY_NJ rsId:fraud-rs]]")
	equal(t, "what is not returned", fmt.Sprintln(stored["username"], stored["disableCertificateRevocationCheck"]), "backup true\n")
	members, err := client.BackupConfigWithMembers(t.Context(), payments, ledger)
	succeed(t, err)
	equal(t, "members", len(members.AvailableMembers), 3)
}
