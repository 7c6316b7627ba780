package opsmanager_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// missing has the codes that say that an object does not exist.
var missing = map[opsmanager.Object][]string{
	opsmanager.ObjectProject:                      {"GROUP_NOT_FOUND", "GROUP_NAME_NOT_FOUND"},
	opsmanager.ObjectCluster:                      {"CLUSTER_NOT_FOUND"},
	opsmanager.ObjectHost:                         {"HOST_NOT_FOUND"},
	opsmanager.ObjectConfigServer:                 {"NOT_CONFIG_SERVER"},
	opsmanager.ObjectBackupConfig:                 {"BACKUP_CONFIG_NOT_FOUND"},
	opsmanager.ObjectSchedule:                     {"BACKUP_CONFIG_NOT_FOUND"},
	opsmanager.ObjectMembers:                      {"BACKUP_CONFIG_NOT_FOUND"},
	opsmanager.ObjectSnapshot:                     {"SNAPSHOT_NOT_FOUND"},
	opsmanager.ObjectRestore:                      {"RESTORE_JOB_NOT_FOUND", "RESTORE_JOB_NOT_FOUND_IN_GROUP"},
	opsmanager.ObjectAutomationConfig:             {"AUTOMATION_CONFIG_NOT_FOUND"},
	opsmanager.ObjectAlertConfig:                  {"ALERT_CONFIG_NOT_FOUND"},
	opsmanager.ObjectDeploymentRegion:             {"BACKUP_DEPLOYMENT_NOT_FOUND"},
	opsmanager.ObjectDaemon:                       {"DAEMON_MACHINE_CONFIG_NOT_FOUND"},
	opsmanager.ObjectJobConfig:                    nil,
	opsmanager.Object(opsmanager.Blockstore):      {"MONGO_SNAPSHOT_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.S3Blockstore):    {"S3_SNAPSHOT_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.FileSystemStore): {"FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.OplogStore):      {"MONGO_OPLOG_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.S3OplogStore):    {"S3_OPLOG_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.SyncStore):       {"MONGO_SYNC_CONFIG_NOT_FOUND"},
}

func errorDocument(status int, code string) string {
	return fmt.Sprintf(`{"error":%d,"errorCode":%q,"detail":"d"}`, status, code)
}

func TestAnObjectIsMissingOnlyByItsOwnCode(t *testing.T) {
	t.Parallel()
	codes := []string{"", "REGION_NOT_FOUND", "RESOURCE_NOT_FOUND", "INVALID_GROUP_ID", "INVALID_CLUSTER_ID", "ATLAS_GROUP", "NOT_ATLAS_GROUP", "NOT_IN_GROUP"}
	for _, own := range missing {
		codes = append(codes, own...)
	}
	for _, code := range codes {
		err := fmt.Errorf("reading: %w", failingWith(t, 404, "", errorDocument(404, code)))
		for object, own := range missing {
			equal(t, string(object)+" with "+code, opsmanager.IsMissing(err, object), slices.Contains(own, code))
		}
	}
}

func TestNothingIsMissingWithoutThe404AndTheDocumentOfTheAPI(t *testing.T) {
	t.Parallel()
	for object, own := range missing {
		for _, code := range own {
			for name, err := range map[string]error{
				"a page":                 failingWith(t, 404, "text/html", "<title>"+code+"</title>"),
				"another API":            failingWith(t, 404, "", fmt.Sprintf(`{"error":"Not Found","errorCode":%q}`, code)),
				"another status":         failingWith(t, 409, "", errorDocument(409, code)),
				"the document of a 404":  failingWith(t, 500, "", errorDocument(404, code)),
				"a rejected key":         failingWith(t, 401, "", errorDocument(401, code)),
				"nothing":                failingWith(t, 404, "", ""),
				"an interrupted request": context.Canceled,
				"an error of its own":    errors.New(code),
				"no error":               nil,
			} {
				equal(t, string(object)+" after "+name, opsmanager.IsMissing(err, object), false)
			}
		}
	}
}

func TestABackupIsNotMonitoredOnlyByThe409OfTheAPI(t *testing.T) {
	t.Parallel()
	const code = "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"the documented response": {failingWith(t, 409, "", errorDocument(409, code)), true},
		"another status":          {failingWith(t, 404, "", errorDocument(404, code)), false},
		"another code":            {failingWith(t, 409, "", errorDocument(409, "CANNOT_STOP_BACKUP_INVALID_STATE")), false},
		"no document":             {failingWith(t, 409, "", code), false},
		"no error":                {nil, false},
	} {
		equal(t, name, opsmanager.IsNotMonitored(test.err), test.want)
	}
}

// isAnyMissing reports whether an error says that any object does not exist.
func isAnyMissing(err error) bool {
	for object := range missing {
		if opsmanager.IsMissing(err, object) {
			return true
		}
	}
	return false
}
