package opsmanager

import (
	"errors"
	"net/http"
	"slices"
)

// Object is a kind of object that Ops Manager can say is missing. A store is Object(kind), because each
// kind has a code of its own.
type Object string

// The objects that Ops Manager can say are missing.
const (
	ObjectProject          Object = "project"
	ObjectCluster          Object = "cluster"
	ObjectHost             Object = "host"
	ObjectConfigServer     Object = "mirrored config server"
	ObjectBackupConfig     Object = "backup configuration"
	ObjectSchedule         Object = "snapshot schedule"
	ObjectSnapshot         Object = "snapshot"
	ObjectRestore          Object = "restore"
	ObjectAutomationConfig Object = "automation configuration"
	ObjectAlertConfig      Object = "alert configuration"
	ObjectDeploymentRegion Object = "deployment region"
	ObjectDaemon           Object = "backup daemon"
	ObjectJobConfig        Object = "backup job configuration"
)

// missingCodes has the codes that say that an object is missing. The code of a parent is not among them: a
// project that is not found may only be hidden from the API key, and then its clusters, backups and
// snapshots still exist.
//
// Source, unless another one is named: https://www.mongodb.com/docs/ops-manager/current/reference/api-error-codes/
var missingCodes = map[Object][]string{
	ObjectProject:          {"GROUP_NOT_FOUND", "GROUP_NAME_NOT_FOUND"}, // or the API key has no role in it
	ObjectCluster:          {"CLUSTER_NOT_FOUND"},
	ObjectHost:             {"HOST_NOT_FOUND"},
	ObjectConfigServer:     {"NOT_CONFIG_SERVER"},
	ObjectBackupConfig:     {"BACKUP_CONFIG_NOT_FOUND"},
	ObjectSchedule:         {"BACKUP_CONFIG_NOT_FOUND"}, // a backup configuration has one schedule, and the schedule no code of its own
	ObjectSnapshot:         {"SNAPSHOT_NOT_FOUND"},
	ObjectRestore:          {"RESTORE_JOB_NOT_FOUND", "RESTORE_JOB_NOT_FOUND_IN_GROUP"},
	ObjectAutomationConfig: {"AUTOMATION_CONFIG_NOT_FOUND"},
	ObjectAlertConfig:      {"ALERT_CONFIG_NOT_FOUND"},

	// Source: the error table of https://www.mongodb.com/docs/atlas/reference/api-errors/ in 2021, which had
	// codes that only Ops Manager has. Not verified against Ops Manager.
	ObjectDeploymentRegion:  {"BACKUP_DEPLOYMENT_NOT_FOUND"},
	Object(Blockstore):      {"MONGO_SNAPSHOT_CONFIG_NOT_FOUND"},
	Object(S3Blockstore):    {"S3_SNAPSHOT_CONFIG_NOT_FOUND"},
	Object(FileSystemStore): {"FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND"},
	Object(OplogStore):      {"MONGO_OPLOG_CONFIG_NOT_FOUND"},
	Object(S3OplogStore):    {"S3_OPLOG_CONFIG_NOT_FOUND"},
	Object(SyncStore):       {"MONGO_SYNC_CONFIG_NOT_FOUND"},

	// Observed in responses of Ops Manager 8.0, for a machine that has not registered, or has no such head
	// directory. MongoDB's Kubernetes operator expects it, too:
	// https://github.com/mongodb/mongodb-kubernetes/blob/master/controllers/om/apierror/api_error.go
	ObjectDaemon: {"DAEMON_MACHINE_CONFIG_NOT_FOUND"},

	// A job configuration has no code of its own: Ops Manager returns that of its project. Only a request
	// for the project tells which one is missing.
	ObjectJobConfig: nil,
}

// IsMissing reports whether an error says that an object does not exist. That takes a 404 with the API's
// error document, and a code of this very object, or an error of Missing. The code of a parent, a code that
// is not documented, or a 404 of a proxy says nothing about the object.
func IsMissing(err error, object Object) bool {
	if known, isKnown := errors.AsType[missingError](err); isKnown {
		return known.object == object
	}
	return hasCode(err, http.StatusNotFound, missingCodes[object])
}

// Missing returns the error of a read that found out in another way that an object does not exist, such as by
// a list. err is what Ops Manager returned for the object.
func Missing(object Object, err error) error { return missingError{object, err} }

type missingError struct {
	object Object
	error
}

func (e missingError) Unwrap() error { return e.error }

// notMonitoredCodes has the codes of a 409 that says that a backup can't be read, because it has ended or
// Ops Manager doesn't monitor its cluster, or not yet.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api-error-codes/
var notMonitoredCodes = []string{"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"}

// IsNotMonitored reports whether an error says that a backup has ended, or that Ops Manager doesn't monitor
// its cluster. Which of the two is not known.
func IsNotMonitored(err error) bool {
	return hasCode(err, http.StatusConflict, notMonitoredCodes)
}

// hasCode reports whether an error is a response with a status, the API's error document, and one of codes.
func hasCode(err error, status int, codes []string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == status && e.Document && slices.Contains(codes, e.Code)
}
