package opsmanager_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

const (
	inPayments = "/groups/" + payments
	ofLedger   = inPayments + "/clusters/" + ledger
	backup     = inPayments + "/backupConfigs/" + ledger
	admin      = "/admin/backup"
	wholeList  = "?itemsPerPage=500&pageNum=1"

	aSnapshot     = "66d3f330c4d6e8f0a2b4c602"
	alertConfigID = "66a0c1d2e3f405162738495b"
)

// The documents have every field that the API documents.
const (
	aProject = `{
		"id": "64f0c2a19b3d5e7f80a1b2c3", "name": "Payments", "orgId": "64f0c1109b3d5e7f80a1b2c0",
		"replicaSetCount": 6, "shardCount": 2, "tags": ["PROD"]
	}`
	aCluster = `{
		"id": "650a1f3c2e4b6d8091a3b5c7", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterName": "orders", "typeName": "REPLICA_SET",
		"replicaSetName": "orders-0", "shardName": "orders-shard-0", "lastHeartbeat": "2025-09-01T04:00:03Z"
	}`
	aHost = `{
		"id": "4b1d7f0a9c3e5826d4f0b1a7c9e83652", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "650a1f3c2e4b6d8091a3b5c7",
		"hostname": "shard-0.example.com", "port": 27018, "typeName": "SHARD_SECONDARY", "replicaSetName": "shard-0-rs",
		"shardName": "shard-0", "version": "7.0.14", "aliases": ["10.0.0.1:27018"]
	}`
	anAgent = `{
		"typeName": "BACKUP", "hostname": "db1.example.com", "stateName": "STANDBY", "lastConf": "2026-05-01T11:59:00Z"
	}`
	aBackupConfig = `{
		"groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "650a1f3c2e4b6d8091a3b5c7",
		"statusName": "TERMINATING", "storageEngineName": "WIRED_TIGER", "encryptionEnabled": false, "sslEnabled": true,
		"excludedNamespaces": ["a"], "includedNamespaces": ["shop", "shop.orders"],
		"authMechanismName": "PLAIN", "username": "backup", "disableCertificateRevocationCheck": false,
		"preferredMember": "ledger-0:27017", "provisioned": true,
		"snapshotStore": {"snapshotStoreType": "s3blockstore", "snapshotStoreId": "s3-1"},
		"multiRegionBackupEnabled": true, "multiRegionMisconfigured": false,
		"deploymentConfigs": [{"rsId": "ledger-rs", "deploymentId": "NY_NJ"}],
		"links": [{"rel": "self", "href": "https://om.example.com/x"}]
	}`
	aBackupChange = `{
		"statusName": "STARTED", "storageEngineName": "WIRED_TIGER", "syncSource": "PRIMARY", "encryptionEnabled": false, "sslEnabled": true,
		"excludedNamespaces": ["a", "b.c"], "includedNamespaces": ["d"],
		"authMechanismName": "MONGODB_CR", "username": "backup", "password": "hunter2", "disableCertificateRevocationCheck": true,
		"preferredMember": "ledger-0:27017", "snapshotStore": {"snapshotStoreType": "s3blockstore", "snapshotStoreId": "s3-1"},
		"multiRegionBackupEnabled": true, "deploymentConfigs": [{"rsId": "ledger-rs", "deploymentId": "NY_NJ"}]
	}`
	aSchedule = `{
		"groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "650a1f3c2e4b6d8091a3b5c7",
		"snapshotIntervalHours": 6, "snapshotRetentionDays": 2, "dailySnapshotRetentionDays": 0,
		"weeklySnapshotRetentionWeeks": 4, "monthlySnapshotRetentionMonths": 13, "pointInTimeWindowHours": 24,
		"clusterCheckpointIntervalMin": 15, "referenceHourOfDay": 3, "referenceMinuteOfHour": 30,
		"referenceTimeZoneOffset": "+0000", "fullIncrementalDayOfWeek": "TUESDAY"
	}`
	someSnapshots = `{"totalCount": 1, "results": [{
		"id": "66d3f330c4d6e8f0a2b4c602", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "650a1f3c2e4b6d8091a3b5c7",
		"clusterName": "invoices", "complete": true, "created": {"date": "2025-08-30T04:00:07Z", "increment": 1},
		"doNotDelete": false, "expires": "2025-09-09T04:00:07Z",
		"lastOplogAppliedTimestamp": {"date": "2025-08-30T04:00:08Z", "increment": 3, "time": 5},
		"namespaceFilterList": {"filterList": ["local.startup_log"], "filterType": "denylist"},
		"links": [{"rel": "self", "href": "https://om.example.com/x"}],
		"parts": [{
			"clusterId": "650a20d18c3e5f7092b4d6a8", "completedTime": "2025-08-30T04:06:41Z", "compressionSetting": "GZIP",
			"dataSizeBytes": 8796093022208, "fileSizeBytes": 10995116277760, "storageSizeBytes": 9895604649984,
			"encryptionEnabled": true, "masterKeyUUID": "5f1a", "fcv": "3.2", "hostId": "4b1d", "machineId": "cfg1:27019",
			"mongodVersion": "3.2.22", "replicaSetName": "csrs", "replicaState": "PRIMARY", "typeName": "CONFIG_SERVER"
		}]
	}]}`
	aClusterSnapshot = `{
		"id": "66d3f330c4d6e8f0a2b4c602", "clusterName": "orders", "isPossiblyInconsistent": true,
		"missingShards": [` + aCluster + `], "parts": [{"replicaSetName": "orders-shard-0"}]
	}`
	aRestoreJob = `{
		"id": "66d45311c4d6e8f0a2b4c7aa", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "650a1f3c2e4b6d8091a3b5c7",
		"clusterName": "ledger", "batchId": "66d45311c4d6e8f0a2b4c7ab", "snapshotId": "66b0c530c4d6e8f0a2b4c600",
		"created": "2025-09-01T10:00:00Z", "statusName": "FINISHED", "timestamp": {"date": "2025-08-01T02:30:03Z", "increment": 4},
		"pointInTime": false, "encryptionEnabled": true, "masterKeyUUID": "7d1e",
		"delivery": {
			"methodName": "HTTP", "statusName": "READY", "url": "https://om.example.com/pull/s3cr3t.tar.gz",
			"expires": "2025-09-02T10:00:00Z", "expirationHours": 24, "maxDownloads": 2
		},
		"hashes": [{"typeName": "SHA1", "fileName": "x.tar.gz", "hash": "aa"}],
		"links": [{"rel": "self", "href": "https://om.example.com/x"}]
	}`
	aTimeRange = `{
		"start": {"date": "2025-08-31T17:15:02Z", "increment": 2}, "end": {"date": "2025-09-01T08:15:24Z", "increment": 1},
		"snapshotId": "x", "shardCount": 2, "configServerType": "DEDICATED"
	}`
	anAlert = `{
		"id": "66a0c1d2e3f405162738495c", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "alertConfigId": "66a0c1d2e3f405162738495b",
		"eventTypeName": "BACKUP_AGENT_DOWN", "status": "OPEN", "created": "2024-03-01T08:00:00Z",
		"acknowledgedUntil": "2024-03-02T08:00:00Z", "clusterId": "650a1f3c2e4b6d8091a3b5c7", "clusterName": "ledger",
		"hostnameAndPort": "a:27017"
	}`
	anAlertConfig = `{
		"id": "66a0c1d2e3f405162738495b", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "typeName": "BACKUP",
		"created": "2024-03-01T08:00:00Z", "updated": "2024-03-02T08:00:00Z",
		"links": [{"rel": "self", "href": "https://om.example.com/x"}],
		"eventTypeName": "BAD_CLUSTERSHOTS", "enabled": true,
		"threshold": {"operator": "GREATER_THAN", "threshold": 2.5, "units": "RAW"},
		"notifications": [
			{"id": "1", "typeName": "GROUP", "delayMin": 0, "intervalMin": 5, "emailEnabled": true, "smsEnabled": false, "roles": ["GROUP_OWNER"]},
			{"id": "2", "typeName": "USER", "username": "jane", "roles": []},
			{"id": "3", "typeName": "EMAIL", "emailAddress": "a@example.com"},
			{"id": "4", "typeName": "SMS", "mobileNumber": "2125550100"}
		]
	}`
	aSentAlertConfig = `{
		"eventTypeName": "BAD_CLUSTERSHOTS", "enabled": true,
		"matchers": [{"fieldName": "CLUSTER_NAME"}], "metricThreshold": {"mode": "AVERAGE"},
		"threshold": {"operator": "GREATER_THAN", "threshold": 2.5, "units": "RAW"},
		"notifications": [
			{"typeName": "GROUP", "delayMin": 0, "intervalMin": 5, "emailEnabled": true, "smsEnabled": false, "roles": ["GROUP_OWNER"]},
			{"typeName": "USER", "username": "jane"},
			{"typeName": "EMAIL", "emailAddress": "a@example.com"},
			{"typeName": "SMS", "newSetting": {"a": 1.0}, "mobileNumber": "2125550100"}
		]
	}`
	aDaemon = `{
		"machine": {"machine": "om", "headRootDirectory": "/data/backup/"}, "configured": true, "assignmentEnabled": true,
		"backupJobsEnabled": true, "garbageCollectionEnabled": false, "resourceUsageEnabled": true,
		"restoreQueryableJobsEnabled": false, "headDiskType": "SSD", "numWorkers": 4, "labels": ["b", "a"]
	}`
	aJobConfig = `{
		"labelFilter": ["east"], "daemonFilter": [{"machine": "om-ny.example.com", "headRootDirectory": "/data/backup/"}],
		"snapshotStoreFilter": [{"id": "ny-s3-1", "type": "s3blockstore"}], "oplogStoreFilter": [{"id": "ny-oplog-1", "type": "oplogStore"}],
		"syncStoreFilter": ["ny-sync-1"], "kmipClientCertPath": "/etc/kmip.pem", "kmipClientCertPassword": "c0rrect-horse"
	}`
	aRegion = `{
		"deploymentDescription": "east coast", "ingestionEndpoint": "https://ingest.example.com",
		"restoreEndpoint": "https://restore.example.com", "bqProxyEndpoint": "query.example.com:25999", "assignmentEnabled": true
	}`
	aStore = `{
		"id": "store-1", "assignmentEnabled": false, "labels": ["b", "a"], "loadFactor": 3, "maxCapacityGB": 512,
		"uri": "mongodb://user:c0rrect-horse@db.example.com:27017", "ssl": true, "encryptedCredentials": false, "writeConcern": "W2",
		"oidc": {
			"enabled": true, "method": "callback", "tokenUri": "https://t.example.com", "clientId": "c", "clientSecret": "c0rrect-secret",
			"scope": "s", "tokenResource": "r"
		},
		"storePath": "/mnt/x", "mmapv1CompressionSetting": "GZIP", "wtCompressionSetting": "NONE",
		"s3BucketName": "bucket", "s3BucketEndpoint": "https://s3.example.com", "s3MaxConnections": 5, "pathStyleAccessEnabled": false,
		"sseEnabled": false, "acceptedTos": true, "s3AuthMethod": "KEYS", "awsAccessKey": "c0rrect-access", "awsSecretKey": "c0rrect-key",
		"s3RegionOverride": "eu-1", "customCertificates": [{"filename": "ca.pem", "certString": "PEM"}], "disableProxyS3": true,
		"objectLockEnabled": true, "objectRetentionMode": "COMPLIANCE", "objectRetentionDays": 7,
		"usedSize": 12.5, "objectLockEnabledAt": "2025-09-01T08:00:00Z"
	}`
)

// inList returns a list of one object.
func inList(object string) string { return `{"totalCount": 1, "results": [` + object + `]}` }

// with returns a document with another member.
func with(member, document string) string { return strings.Replace(document, "{", "{"+member+", ", 1) }

func TestEachCallSendsItsRequestAndReadsEveryField(t *testing.T) {
	t.Parallel()
	const (
		target  = `"delivery": {"methodName": "AUTOMATED_RESTORE", "targetGroupId": "64f0c2a19b3d5e7f80a1b2c3", "targetClusterId": "x"}`
		expires = `"delivery": {"methodName": "HTTP", "maxDownloads": 1, "expires": "2030-01-01T00:00:00Z"}`
		hours   = `"delivery": {"methodName": "HTTP", "maxDownloads": 1, "expirationHours": 2}`
	)
	alertConfig := with(
		`"matchers": [{"fieldName": "CLUSTER_NAME"}], "metricThreshold": {"mode": "AVERAGE"}`,
		strings.Replace(anAlertConfig, `"SMS"`, `"SMS", "newSetting": {"a": 1.0}`, 1),
	)
	for _, test := range []struct{ request, given, sent, answer string }{
		{"GET /groups" + wholeList, "", "", inList(aProject)},
		{"GET " + inPayments, "", "", aProject},
		{"GET /groups/byName/Payments", "", "", aProject},
		{"GET " + inPayments + "/clusters" + wholeList, "", "", inList(aCluster)},
		{"GET " + ofLedger, "", "", aCluster},
		{"GET " + inPayments + "/hosts" + wholeList, "", "", inList(aHost)},
		{"GET " + inPayments + "/agents/BACKUP" + wholeList, "", "", inList(anAgent)},
		{"GET " + inPayments + "/hosts/" + legacyHost + "/snapshots" + wholeList, "", "", someSnapshots},

		{
			"GET " + inPayments + "/controlledFeature", "", "",
			`{"externalManagementSystem": {"name": "operator", "systemId": "1", "version": "1.2"}, "policies": [{"policy": "LOCK"}]}`,
		},
		{"GET " + inPayments + "/backupConfigs" + wholeList, "", "", inList(aBackupConfig)},
		{"GET " + backup, "", "", aBackupConfig},
		{"GET " + backup + "/availableMembers", "", "", with(`"availableMembers": ["ledger-0:27017", "ledger-1:27017"]`, aBackupConfig)},
		{"PATCH " + backup, `{}`, `{}`, `{"clusterId": "` + ledger + `"}`},
		{"PATCH " + backup, `{"sslEnabled": false, "excludedNamespaces": [], "preferredMember": "", "deploymentConfigs": []}`, "", `{"statusName": "STOPPED"}`},
		{"PATCH " + backup, aBackupChange, "", `{"clusterId": "` + ledger + `", "statusName": "STARTED"}`},
		{"GET " + backup + "/snapshotSchedule", "", "", aSchedule},
		{"PATCH " + backup + "/snapshotSchedule", `{}`, "", aSchedule},
		{"PATCH " + backup + "/snapshotSchedule", `{"dailySnapshotRetentionDays": 0, "referenceHourOfDay": 0}`, "", aSchedule},
		{"PATCH " + backup + "/snapshotSchedule", aSchedule, "", aSchedule},

		{"GET " + ofLedger + "/snapshots" + wholeList, "", "", someSnapshots},
		{"GET " + ofLedger + "/snapshots/" + aSnapshot, "", "", aClusterSnapshot},
		{"PATCH " + ofLedger + "/snapshots/" + aSnapshot, `{"doNotDelete": false, "expires": "2098-12-01"}`, "", aClusterSnapshot},
		{"PATCH " + ofLedger + "/snapshots/" + aSnapshot, `{"doNotDelete": true}`, "", aClusterSnapshot},
		{"DELETE " + ofLedger + "/snapshots/" + aSnapshot, "", "", `{}`},
		{
			"POST " + ofLedger + "/snapshots/onDemandSnapshot?retentionDays=2", "", "",
			`{"clusterName": "ledger", "description": "d", "timestamp": {"date": "2025-08-30T04:00:08Z", "increment": 3, "time": 5}}`,
		},
		{"GET " + ofLedger + "/restoreJobs" + wholeList, "", "", inList(aRestoreJob)},
		{"GET " + ofLedger + "/restoreJobs/66d45311c4d6e8f0a2b4c7aa", "", "", aRestoreJob},
		{"POST " + ofLedger + "/restoreJobs", `{"snapshotId": "66b0c530c4d6e8f0a2b4c600", ` + target + `}`, "", `{"results": [` + aRestoreJob + `]}`},
		{"POST " + ofLedger + "/restoreJobs", `{"pointInTimeUTCMillis": 1756607405000, ` + expires + `}`, "", `{"results": [` + aRestoreJob + `]}`},
		{"POST " + ofLedger + "/restoreJobs", `{"oplogTs": "1756607405", "oplogInc": 0, ` + hours + `}`, "", `{"results": [` + aRestoreJob + `]}`},
		{"POST " + ofLedger + "/restoreJobs/restorableTimeRanges", "", "", "[" + aTimeRange + "]"},

		{"GET " + inPayments + "/alerts?itemsPerPage=500&pageNum=1&status=OPEN", "", "", inList(anAlert)},
		{"GET " + inPayments + "/alertConfigs" + wholeList, "", "", inList(anAlertConfig)},
		{"GET " + inPayments + "/alertConfigs/" + alertConfigID, "", "", anAlertConfig},
		{"POST " + inPayments + "/alertConfigs", alertConfig, aSentAlertConfig, anAlertConfig},
		{"PUT " + inPayments + "/alertConfigs/" + alertConfigID, alertConfig, aSentAlertConfig, anAlertConfig},
		{"DELETE " + inPayments + "/alertConfigs/" + alertConfigID, "", "", ""},

		{"GET " + admin + "/daemon/configs?backupJobsEnabledOnly=false&itemsPerPage=500&pageNum=1", "", "", inList(aDaemon)},
		{"GET " + admin + "/daemon/configs/om/%2Fdata%2Fbackup%2F", "", "", aDaemon},
		{"PUT " + admin + "/daemon/configs/om", with(`"id": "5f", "links": [{"rel": "self"}]`, aDaemon), aDaemon, aDaemon},
		{"PUT " + admin + "/daemon/configs/om/%2Fdata%2Fbackup%2F", with(`"id": "5f", "links": [{"rel": "self"}]`, aDaemon), aDaemon, aDaemon},
		{"DELETE " + admin + "/daemon/configs/om/%2Fdata%2Fbackup%2F", "", "", ""},
		{"GET " + admin + "/groups" + wholeList, "", "", inList(aJobConfig)},
		{"GET " + admin + "/groups/" + payments, "", "", with(`"id": "64F0C2A19B3D5E7F80A1B2C3"`, aJobConfig)},
		{"PUT " + admin + "/groups/" + payments, with(`"links": [{"rel": "self"}]`, aJobConfig), aJobConfig, aJobConfig},
		{"GET " + admin + "/backupDeployments" + wholeList, "", "", inList(with(`"id": "NY_NJ"`, aRegion))},
		{"GET " + admin + "/backupDeployments/NY_NJ", "", "", with(`"id": "NY_NJ"`, aRegion)},
		{"POST " + admin + "/backupDeployments", with(`"id": "NY_NJ"`, aRegion), "", aRegion},
		{"PUT " + admin + "/backupDeployments/NY_NJ", with(`"id": "NY_NJ", "links": [{"rel": "self"}]`, aRegion), aRegion, aRegion},
		{"DELETE " + admin + "/backupDeployments/NY_NJ", "", "", ""},
		{"GET " + admin + "/oplog/mongoConfigs?assignableOnly=false&itemsPerPage=500&pageNum=1", "", "", inList(aStore)},
		{"GET " + admin + "/snapshot/mongoConfigs/store-1", "", "", aStore},
		{"POST " + admin + "/snapshot/s3Configs", aStore, "", aStore},
		{"POST " + admin + "/oplog/s3Configs", `{"id": "store-1"}`, `{"id": "store-1", "disableProxyS3": false}`, aStore},
		{"POST " + admin + "/sync/mongoConfigs", `{"id": "store-1"}`, "", aStore},
		{"PUT " + admin + "/snapshot/fileSystemConfigs/store-1", with(`"links": [{"rel": "self"}]`, aStore), aStore, aStore},
		{"DELETE " + admin + "/sync/mongoConfigs/store-1", "", "", ""},
	} {
		var request, received string
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			request, received = r.Method+" "+strings.TrimPrefix(r.RequestURI, basePath), read(t, r)
			answerOK(w, test.answer)
		})
		object, err := requestOf(t, test.request, test.given).call(t, client)
		succeed(t, err)
		equal(t, "request", request, test.request)
		switch {
		case test.given == "":
			equal(t, "body of "+test.request, received, "")
		case !reflect.DeepEqual(decode(t, []byte(received)), decode(t, []byte(cmp.Or(test.sent, test.given)))):
			t.Errorf("%s: sent %s, want %s%s", test.request, received, test.sent, test.given)
		}
		if object != nil {
			for _, path := range undecoded(t, test.answer, object) {
				t.Errorf("%s: %s is not decoded", test.request, path)
			}
		}
	}
}

// undecoded returns the paths of the values of a document that an object decoded from it lacks.
func undecoded(t *testing.T, document string, object any) (paths []string) {
	t.Helper()
	var value any
	succeed(t, json.Unmarshal([]byte(document), &value))
	for path, at := range leaves(value, "") {
		for _, leaf := range at {
			if !reflect.DeepEqual(fieldOf(reflect.ValueOf(object), leaf.keys), leaf.value) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func TestResponseForAnotherObjectIsAnError(t *testing.T) {
	t.Parallel()
	const (
		id             = `{"id": "ffffffffffffffffffffffff", "x": 1}`
		cluster        = `{"clusterId": "ffffffffffffffffffffffff", "x": 1}`
		project        = `{"groupId": "ffffffffffffffffffffffff", "x": 1}`
		another        = `", got "ffffffffffffffffffffffff"`
		anotherProject = `requested groupId "` + payments + another
		anotherCluster = `requested clusterId "` + ledger + another
		accepted       = ""
	)
	for _, test := range []struct{ request, answer, says string }{
		{"GET " + inPayments, id, `requested id "` + payments + another},
		{"GET " + ofLedger, id, `requested id "` + ledger + another},
		{"GET " + ofLedger, project, anotherProject},
		{"GET " + ofLedger, `{"id": "` + strings.ToUpper(ledger) + `"}`, accepted},
		{"GET " + ofLedger, `{"name": "", "typeName": "REPLICA_SET"}`, accepted},
		{"GET " + inPayments + "/clusters", inList(project), anotherProject},
		{"GET " + inPayments + "/backupConfigs", inList(project), anotherProject},
		{"GET " + ofLedger + "/snapshots", inList(project), anotherProject},
		{"GET " + inPayments + "/hosts/" + legacyHost + "/snapshots", inList(project), anotherProject},
		{"GET " + backup, cluster, anotherCluster},
		{"GET " + backup, project, anotherProject},
		{"PATCH " + backup, cluster, anotherCluster},
		{"GET " + backup + "/availableMembers", cluster, anotherCluster},
		{"GET " + backup + "/snapshotSchedule", cluster, anotherCluster},
		{"GET " + ofLedger + "/snapshots/" + aSnapshot, id, `requested id "` + aSnapshot + another},
		{"GET " + ofLedger + "/snapshots/" + aSnapshot, cluster, anotherCluster},
		{"GET " + ofLedger + "/restoreJobs/" + aSnapshot, id, `requested id "` + aSnapshot + another},
		{"GET " + ofLedger + "/restoreJobs/" + aSnapshot, cluster, anotherCluster},
		{"GET " + ofLedger + "/restoreJobs/" + aSnapshot, with(`"batchId": "b"`, cluster), accepted},
		{"POST " + ofLedger + "/restoreJobs", inList(with(`"id": "x"`, project)), anotherProject},
		{"GET " + inPayments + "/alertConfigs/" + alertConfigID, id, `requested id "` + alertConfigID + another},
		{"GET " + admin + "/backupDeployments/NY_NJ", `{"id": "AU_NZ"}`, `requested region "NY_NJ"`},
		{"PUT " + admin + "/backupDeployments/NY_NJ", `{"id": "AU_NZ"}`, `requested region "NY_NJ"`},
		{"GET " + admin + "/sync/mongoConfigs/ny_nj", `{"id": "NY_NJ"}`, `requested store "ny_nj"`},
		{"GET " + admin + "/daemon/configs/om/%2Fdata%2Fbackup%2F", `{"machine": {"machine": "AU_NZ"}}`, `requested machine "om"`},
		{"GET " + admin + "/daemon/configs/om/%2Fdata%2Fbackup%2F", `{"machine": {"headRootDirectory": "/AU_NZ/"}}`, "requested head directory"},
	} {
		request := requestOf(t, test.request, "")
		_, err := request.call(t, returning(t, test.answer))
		if test.says == accepted {
			succeed(t, err)
			continue
		}
		if !errors.Is(err, opsmanager.ErrOtherObject) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "AU_NZ") {
			t.Errorf("%s with the response %s: got %v", test.request, test.answer, err)
		}
		if isAnyMissing(err) || !opsmanager.IsUnclear(err) || opsmanager.MayHaveChanged(err) != (request.Method != http.MethodGet) {
			t.Errorf("%s with the response %s: the outcome should be unclear: %v", test.request, test.answer, err)
		}
	}
}

// Such a document comes from another server.
func TestJSONWithoutAnyExpectedFieldIsAnError(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		"GET " + backup + "/snapshotSchedule",
		"PATCH " + backup + "/snapshotSchedule",
		"GET " + ofLedger + "/snapshots/" + aSnapshot,
		"GET " + admin + "/backupDeployments/NY_NJ",
		"GET " + admin + "/snapshot/mongoConfigs/store-1",
		"GET " + admin + "/daemon/configs/om/%2Fdata%2Fbackup%2F",
		"PUT " + admin + "/groups/" + payments,
	} {
		for _, document := range []string{
			`{}`, `{"status": "ok"}`, `{"links": null}`, `null`, inList(`{"id": "NY_NJ"}`),
			`{"status": {"machine": "m"}, "machine": {"a": "b"}, "oidc": null}`,
		} {
			_, err := requestOf(t, request, "").call(t, returning(t, document))
			fails(t, request+" with "+document, err, "none of the expected fields")
		}
	}
}

// Only reads are repeated on their own. Change repeats what it may: not the start of something, after an unclear failure.
func TestEachCallHasItsRoleAndIsRepeatedIfThatIsSafe(t *testing.T) {
	t.Parallel()
	const (
		once, repeated = 1, 3

		onDemand = "POST " + ofLedger + "/snapshots/onDemandSnapshot"
		snapshot = ofLedger + "/snapshots/" + aSnapshot
		restores = "POST " + ofLedger + "/restoreJobs"
		alerts   = inPayments + "/alertConfigs"
		s3       = admin + "/snapshot/s3Configs"
		mongo    = admin + "/oplog/mongoConfigs"
		regions  = admin + "/backupDeployments"
		daemons  = admin + "/daemon/configs/om"

		read, change = opsmanager.ProjectReadOnly, opsmanager.ProjectBackupAdmin
		global       = opsmanager.GlobalBackupAdmin
		monitoring   = opsmanager.ProjectMonitoringAdmin
	)
	for _, test := range []struct {
		request, given string
		status         int
		code           string
		alone, changed int // attempts without Change, and with it
		role           opsmanager.Role
	}{
		{"GET " + inPayments, "", 503, "", repeated, repeated, read},
		{"GET " + inPayments, "", 429, "", repeated, repeated, read},
		{"GET " + inPayments, "", 409, "", once, once, read},
		{"GET " + alerts, "", 503, "", repeated, repeated, read},
		{"PATCH " + backup, `{"statusName": "STOPPED"}`, 503, "", once, once, change},
		{"PATCH " + backup, `{"statusName": "STOPPED"}`, 429, "", once, repeated, change},
		{"PATCH " + backup, `{"syncSource": "PRIMARY"}`, 503, "", once, once, change},
		{"PATCH " + backup, `{"preferredMember": "ledger-0:27017"}`, 503, "", once, repeated, change},
		{"PATCH " + backup, `{"preferredMember": "ledger-0:27017"}`, 409, "", once, once, change},
		{"PATCH " + backup + "/snapshotSchedule", `{"referenceHourOfDay": 1}`, 503, "", once, repeated, change},
		{"PATCH " + backup + "/snapshotSchedule", `{}`, 503, "", repeated, repeated, change},
		{onDemand, "", 503, "", once, once, global},
		{"PATCH " + snapshot, "", 503, "", once, repeated, change},
		{"DELETE " + snapshot, "", 503, "", once, repeated, opsmanager.SnapshotDeleter},
		{restores, "", 503, "", once, once, change},
		{restores + "/restorableTimeRanges", "", 503, "", repeated, repeated, opsmanager.TimeRangeReader},
		{"POST " + alerts, "", 503, "", once, once, monitoring},
		{"PUT " + alerts + "/" + alertConfigID, "", 503, "", once, repeated, monitoring},
		{"DELETE " + alerts + "/" + alertConfigID, "", 503, "", once, repeated, monitoring},
		{"POST " + s3, "", 409, "BACKUP_S3_CONNECTION_FAILED", once, once, global},
		{"POST " + s3, "", 409, "BACKUP_S3_VALIDATION_FAILED", once, repeated, global},
		{"PUT " + s3 + "/x", "", 409, "BACKUP-S3-VALIDATION_FAILED", once, repeated, global},
		{"DELETE " + s3 + "/x", "", 409, "BACKUP_S3_VALIDATION_FAILED", once, once, global},
		{"POST " + mongo, "", 409, "BACKUP_S3_VALIDATION_FAILED", once, once, global},
		{"POST " + mongo, "", 503, "", once, once, global},
		{"PUT " + mongo + "/x", "", 503, "", once, repeated, global},
		{"DELETE " + mongo + "/x", "", 503, "", once, repeated, global},
		{"POST " + regions, "", 503, "", once, once, global},
		{"POST " + regions, "", 429, "", once, repeated, global},
		{"POST " + regions, "", 405, "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES", once, repeated, global},
		{"POST " + regions, "", 405, "METHOD_NOT_ALLOWED", once, once, global},
		{"PUT " + regions + "/x", "", 503, "", once, repeated, global},
		{"DELETE " + regions + "/x", "", 503, "", once, repeated, global},
		{"PUT " + daemons, `{"machine": {"machine": "om"}}`, 503, "", once, repeated, global},
		{"DELETE " + daemons + "/x", "", 503, "", once, repeated, global},
		{"PUT " + admin + "/groups/" + payments, "", 503, "", once, repeated, global},
	} {
		requests := 0
		client := func() *opsmanager.Client {
			requests = 0
			return serve(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				answer(w, test.status, "application/json", errorDocument(test.status, test.code))
			}, retries(2))
		}
		what := fmt.Sprintf("%s after %d %s", test.request, test.status, test.code)
		request := requestOf(t, test.request, test.given)
		_, err := request.call(t, client())
		equal(t, what+": requests", requests, test.alone)
		equal(t, what+": may have changed", opsmanager.MayHaveChanged(err), test.status == 503 && test.alone == once)
		repeater := client()
		e := wantError(t, repeating(t.Context(), repeater, func(ctx context.Context) error {
			_, err := request.callIn(ctx, t, repeater)
			return err
		}))
		equal(t, what+": requests with Change", requests, test.changed)
		equal(t, what+": attempts", e.Attempts, test.changed)
		equal(t, what+": code", e.Code, test.code)
		equal(t, what+": role", e.Role, test.role)
	}
}

func TestSecretsOfRequestsAndResponsesAreHiddenFromThenOn(t *testing.T) {
	t.Parallel()
	const longPassword = `{"password": "c0rrect-horse c0rrect-horse c0rrect-horse"}`
	for _, test := range []struct {
		request, given, answer string // without an answer, the call itself fails
		secrets                []string
	}{
		{"PATCH " + backup, aBackupChange, "", []string{"hunter2"}},
		{"PATCH " + backup, longPassword, "", []string{"c0rrect-horse c0rrect-horse c0rrect-horse"}},
		{"PUT " + admin + "/groups/" + payments, aJobConfig, "", []string{"c0rrect-horse"}},
		{"GET " + admin + "/groups/" + payments, "", aJobConfig, []string{"c0rrect-horse"}},
		{"POST " + admin + "/snapshot/s3Configs", aStore, "", secretsOfStore},
		{"PUT " + admin + "/snapshot/s3Configs/store-1", aStore, "", secretsOfStore},
		{"GET " + admin + "/snapshot/s3Configs/store-1", "", aStore, secretsOfStore},
		{"GET " + admin + "/backupDeployments/NY_NJ", "", with(`"newToken": {"values": ["c0rrect-horse", "IN_USE"]}`, aRegion), []string{"c0rrect-horse"}},
		{"GET " + admin + "/daemon/configs/om/%2Fdata%2Fbackup%2F", "", with(`"newToken": ["c0rrect-horse"]`, aDaemon), []string{"c0rrect-horse"}},
	} {
		detail := strings.Join(test.secrets, " ")
		shown, answered := "", test.answer == ""
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if !answered {
				answered = true
				answerOK(w, test.answer)
				return
			}
			answer(w, http.StatusConflict, "application/json", fmt.Sprintf(`{"error":409,"errorCode":"IN_USE","detail":%q,"parameters":[%[1]q]}`, detail))
		}, logging(&shown))
		_, first := requestOf(t, test.request, test.given).call(t, client)
		e := wantError(t, cmp.Or(first, client.DeleteDeploymentRegion(t.Context(), "NY_NJ")))
		equal(t, test.request, e.Code, "IN_USE")
		shown += fmt.Sprintf("%v %+v", e, *e)
		for _, secret := range test.secrets {
			if strings.Contains(shown, secret) {
				t.Errorf("%s: %s is shown: %s", test.request, secret, shown)
			}
		}
	}
}

// secretsOfStore are the secrets of aStore, and the password of its connection string.
var secretsOfStore = []string{
	"mongodb://user:c0rrect-horse@db.example.com:27017", "c0rrect-horse", "c0rrect-access", "c0rrect-key", "c0rrect-secret",
}
