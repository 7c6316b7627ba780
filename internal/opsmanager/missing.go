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
	ObjectMembers          Object = "list of available members"
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
	ObjectMembers:          {"BACKUP_CONFIG_NOT_FOUND"}, // which are a part of a backup configuration, too
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

// IsNotMonitored reports whether an error says that a backup can't be read, because it has ended, or Ops Manager doesn't
// monitor its cluster, or not yet. Which of them is not known.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api-error-codes/
func IsNotMonitored(err error) bool {
	return hasCode(err, http.StatusConflict, []string{"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"})
}

// IsNotReady reports whether an error says that the state of a backup does not allow the request. The codes of such
// conflicts are not documented, so it is each one but that of a shard, which never has a schedule of its own.
//
// Source of that code: https://www.mongodb.com/docs/ops-manager/current/reference/api-error-codes/
func IsNotReady(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusConflict && e.Document && e.Code != "CANNOT_MODIFY_SHARD_BACKUP_CONFIG"
}

// MayBeMissing reports whether an error leaves open whether an object exists, so that another request has to tell. None of
// these responses is documented. The code of another object is never one of them.
func MayBeMissing(err error, object Object) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.isAboutAnother(object) {
		return false
	}
	switch object {
	case ObjectSchedule: // the status of the backup tells
		return e.isNotFound() || IsNotReady(e)
	case ObjectDaemon: // the list of daemons tells; some versions return no code, or no document at all
		return e.Status == http.StatusNotFound && e.Code == "" && (e.Document || e.Detail == "")
	case ObjectJobConfig: // the list of job configurations tells; Ops Manager 6.0 returns 401, as it does for a key without the role
		return e.isNotFound() || e.Status == http.StatusUnauthorized && e.Code != ""
	case ObjectMembers: // no request tells, but they are only shown, so nothing follows
		return e.isNotFound() || IsNotReady(e) || IsUnsupported(e)
	}
	return false
}

// isNotFound reports whether an error is a 404 of the API about an object.
func (e *Error) isNotFound() bool {
	return e.Status == http.StatusNotFound && e.Document && e.Code != unknownPath
}

// isAboutAnother reports whether an error has the code of another object.
func (e *Error) isAboutAnother(object Object) bool {
	for _, codes := range missingCodes {
		if slices.Contains(codes, e.Code) && !slices.Contains(missingCodes[object], e.Code) {
			return true
		}
	}
	return false
}

// upgrading is the code of the 405 that rejects changes while Ops Manager is being upgraded.
const upgrading = "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"

// unknownPath is the code of the 404 of a version that doesn't have a path.
const unknownPath = "RESOURCE_NOT_FOUND"

// IsUnsupported reports whether an error means that Ops Manager does not have the operation.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api-error-codes/
func IsUnsupported(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	return e.Status == http.StatusMethodNotAllowed && e.Code != upgrading || e.Status == http.StatusNotImplemented ||
		hasCode(err, http.StatusNotFound, []string{unknownPath})
}

// MayBeUnsupported reports whether an error is that of IsUnsupported, or a 404 without the API's error document. A proxy
// may have sent the latter, so it says nothing about the operation or an object.
func MayBeUnsupported(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return IsUnsupported(err) || ok && e.Status == http.StatusNotFound && !e.Document
}

// MayBeUnreadable reports whether a read failed because an Ops Manager may lack the call that reads an object. The object may
// exist nevertheless.
func MayBeUnreadable(err error, object Object) bool {
	return object == ObjectDeploymentRegion && MayBeUnsupported(err)
}

// isWithoutThirdPartyBackups reports whether a response to the list of third-party backups says that the feature is off: it
// is the 404 of a path without routes, and Ops Manager sent it, because a proxy does not report its version.
//
// Source: observed on 8.0.23. No page of MongoDB has the call.
func isWithoutThirdPartyBackups(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound && (e.Code == "" || e.Code == unknownPath) && !e.otherJSON && (e.Document || e.versioned)
}

// hasCode reports whether an error is a response with a status, the API's error document, and one of codes.
func hasCode(err error, status int, codes []string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == status && e.Document && slices.Contains(codes, e.Code)
}
