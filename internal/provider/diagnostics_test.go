package provider_test

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// documentedCodes are the error codes that the provider's calls may return, with their statuses.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/
var documentedCodes = map[string]int{
	"NO_CURRENT_USER": 401, "USER_UNAUTHORIZED": 401, "NOT_GLOBAL_USER_ADMIN": 401, "NOT_ORG_ADMIN": 401, "NOT_IN_GROUP": 401,
	"IP_ADDRESS_NOT_ON_ACCESS_LIST": 403, "IP_ADDRESS_NOT_ON_WHITELIST": 403, "ORG_REQUIRES_ACCESS_LIST": 403,
	"RESOURCE_REQUIRES_ACCESS_LIST": 403, "RESOURCE_REQUIRES_WHITELIST": 403, // observed; the table of codes lacks them
	"FEATURE_UNSUPPORTED": 403, "UNSUPPORTED_FOR_CURRENT_CONFIG": 403, "UNSUPPORTED_FOR_CURRENT_PLAN": 403,
	"GROUP_NOT_FOUND": 404, "GROUP_NAME_NOT_FOUND": 404, "CLUSTER_NOT_FOUND": 404, "HOST_NOT_FOUND": 404, "BACKUP_CONFIG_NOT_FOUND": 404,
	"AUTOMATION_CONFIG_NOT_FOUND": 404, "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION": 409, "UNSUPPORTED_AUTOMATION_AGENT_VERSION": 400,
	"RESOURCE_NOT_FOUND": 404, "INVALID_GROUP_ID": 404, "INVALID_CLUSTER_ID": 404,
	"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": 409, "CANNOT_MODIFY_SHARD_BACKUP_CONFIG": 409, "UPGRADE_FOR_CLUSTER_CHECKPOINT_INTERVAL": 409,
	"NOT_SHARDED": 400, "CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET": 400, "INVALID_CLUSTER_CHECKPOINT_INTERVAL": 400,
	"INVALID_SNAPSHOT_INTERVAL": 400, "INVALID_SNAPSHOT_RETENTION_PERIOD": 400, "INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD": 400,
	"INVALID_WEEKLY_SNAPSHOT_RETENTION_PERIOD": 400, "INVALID_MONTHLY_SNAPSHOT_RETENTION_PERIOD": 400,
	"INVALID_REFERENCE_HOUR_OF_DAY": 400, "INVALID_REFERENCE_MINUTE_OF_HOUR": 400, "INVALID_REFERENCE_TIMEZONE_OFFSET": 400,
	"INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS": 400,
	"CANNOT_SET_POINT_IN_TIME_WINDOW":              400, "CANNOT_SET_REF_TIME_OF_DAY": 400, "INVALID_ENUM_VALUE": 400,
	"ATTRIBUTE_NEGATIVE": 400, "ATTRIBUTE_NEGATIVE_OR_ZERO": 400, "INVALID_ATTRIBUTE": 400, "ATTRIBUTE_READ_ONLY": 400,
	"GROUP_MISMATCH": 400, "INVALID_JSON": 400, "INVALID_JSON_ATTRIBUTE": 400, "INVALID_QUERY_PARAMETER": 400,
	"MISSING_ATTRIBUTE": 400, "MISSING_OR_INVALID_ATTRIBUTE": 400, "MISSING_ONE_OF_ATTRIBUTES": 400,
	"UNFINISHED_ON_DEMAND_SNAPSHOT": 400, "BACKUP_JOB_NOT_FOUND": 400, "ALREADY_EXPIRED": 400,
	"SNAPSHOT_NOT_FOUND": 404, "CANNOT_RESTORE_TO_TARGET": 403, "CONCURRENT_RESTORES": 409, "CONCURRENT_RESTORES_JOB_IDS": 409,
	"CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT": 409, "CANNOT_START_RESTORE_JOB_FOR_DELETED_CLUSTER_SNAPSHOT": 409,
	"BACKUP_MONGO_CONNECTION_FAILED": 409, "BACKUP_S3_CONNECTION_FAILED": 409, "BACKUP_S3_VALIDATION_FAILED": 409, "BACKUP-S3-VALIDATION_FAILED": 409,
	"WRITES_NOT_ALLOWED_DURING_APP_UPGRADES": 405, "RATE_LIMITED": 429, "UNEXPECTED_ERROR": 500,
}

// refusal is an error response, and the words that its diagnostic must have.
type refusal struct {
	code      string // of the error document
	status    int    // for an error without a code
	body      string // replaces the error document
	header    http.Header
	detail    string // of the error document
	parameter string
	about     string // the topic of the advice, if that is not the code
	during    string // the operation, one of refusedCalls
	attribute string // that the error refers to
	words     []string
}

var refusals = []refusal{
	{code: "NO_CURRENT_USER", during: "list configs", words: []string{"rejected the API key", "public_key and private_key"}},
	{code: "USER_UNAUTHORIZED", during: "change schedule", words: []string{"The key pair is valid", "lacks a role", "Project Backup Admin"}},
	{code: "USER_UNAUTHORIZED", during: "list configs", words: []string{"lacks a role", "Project Read Only, or a higher role, in this project."}},
	{code: "USER_UNAUTHORIZED", during: "list projects", words: []string{"lacks a role", "Project Read Only, or a higher role, in a project."}},
	{code: "USER_UNAUTHORIZED", during: "list ranges", words: []string{"Project Backup Admin", "Global Read Only or Global Backup Admin"}},
	{code: "USER_UNAUTHORIZED", during: "delete region", words: []string{"lacks a role", "Global Backup Admin", "global API key"}},
	{code: "NOT_GLOBAL_USER_ADMIN", during: "create region", words: []string{"lacks a role", "Global Backup Admin"}},
	{code: "NOT_ORG_ADMIN", during: "refresh schedule", words: []string{"lacks a role", "Project Read Only"}},
	{code: "USER_UNAUTHORIZED", status: http.StatusForbidden, during: "list configs", words: []string{"lacks a role"}},
	{code: "IP_ADDRESS_NOT_ON_ACCESS_LIST", status: http.StatusUnauthorized, during: "list configs", words: []string{"access list"}},
	{code: "SOMETHING_NEW", status: http.StatusUnauthorized, during: "list configs", about: "nothing"},
	{code: "SOMETHING_NEW", status: http.StatusForbidden, during: "list configs", about: "nothing"},
	{code: "USER_UNAUTHORIZED", during: "import modules", words: []string{"lacks a role", "Project Automation Admin or Project Owner"}},
	{code: "AUTOMATION_CONFIG_NOT_FOUND", during: "import modules", attribute: "project_id", words: []string{"no automation configuration yet"}},
	{code: "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION", during: "activate modules", words: []string{"Apply again. Nothing was changed."}},
	{code: "UNSUPPORTED_AUTOMATION_AGENT_VERSION", during: "activate modules", words: []string{"too old"}},
	{
		code: "NOT_IN_GROUP", during: "list configs", attribute: "project_id",
		words: []string{"no project 64f0c2a19b3d5e7f80a1b2c3. It does not exist, or the API key has no role in it"},
	},
	{
		code: "IP_ADDRESS_NOT_ON_ACCESS_LIST", during: "change schedule", detail: "IP address 192.0.2.7 is not allowed.",
		words: []string{"The key pair is valid", "is not on the API key's access list", "through a proxy or NAT"},
	},
	{
		code: "IP_ADDRESS_NOT_ON_ACCESS_LIST", during: "delete region",
		words: []string{"came from an address that is not on the API key's access list", "and to the global access list"},
	},
	{
		code: "RESOURCE_REQUIRES_ACCESS_LIST", during: "list configs", parameter: "192.0.2.7",
		words: []string{"The key pair is valid", "came from 192.0.2.7, which is not on the API key's access list", "Add the address"},
	},
	{code: "RESOURCE_REQUIRES_ACCESS_LIST", during: "change schedule", parameter: "2001:db8::7", words: []string{"came from 2001:db8::7, which is not on"}},
	{code: "RESOURCE_REQUIRES_ACCESS_LIST", during: "delete region", parameter: "10.0.0.0/8", words: []string{"came from an address that is not on"}},
	{code: "RESOURCE_REQUIRES_WHITELIST", during: "list configs", parameter: "192.0.2.7", words: []string{"came from 192.0.2.7, which is not on"}},
	{code: "IP_ADDRESS_NOT_ON_WHITELIST", during: "list configs", parameter: "192.0.2.7", words: []string{"came from 192.0.2.7, which is not on"}},
	{code: "ORG_REQUIRES_ACCESS_LIST", during: "list configs", parameter: "192.0.2.7", words: []string{"came from 192.0.2.7, which is not on"}},
	{code: "FEATURE_UNSUPPORTED", during: "create region", words: []string{"does not offer this feature", "7.0.11"}},
	{code: "UNSUPPORTED_FOR_CURRENT_CONFIG", during: "change schedule", words: []string{"with its configuration or plan"}},
	{code: "UNSUPPORTED_FOR_CURRENT_PLAN", during: "change schedule", words: []string{"with its configuration or plan"}},

	{
		code: "GROUP_NOT_FOUND", during: "list configs", attribute: "project_id",
		words: []string{
			"no project 64f0c2a19b3d5e7f80a1b2c3. It does not exist, or the API key has no role in it, or has lost it",
			"remove it from the configuration",
		},
	},
	{code: "GROUP_NAME_NOT_FOUND", during: "find project", attribute: "name", words: []string{"access to no project with this name", "Check the spelling"}},
	{
		code: "CLUSTER_NOT_FOUND", during: "adopt schedule", attribute: "cluster_id",
		words: []string{
			"no cluster cards (650a1f8b5d7092a4c6e8f013). It does not exist in this project, or the project does not monitor it, " +
				"or the API key has lost its role",
			"terraform state rm", "terraform destroy -refresh=false",
		},
	},
	{code: "HOST_NOT_FOUND", during: "list snapshots", attribute: "host_id", words: []string{"Check the host ID"}},
	{
		code: "BACKUP_CONFIG_NOT_FOUND", during: "adopt schedule", attribute: "cluster_id",
		words: []string{"no backup configuration", "its backup has been started"},
	},
	{code: "RESOURCE_NOT_FOUND", during: "list configs", words: []string{"does not have this path", "7.0.11", "Upgrade Ops Manager"}},
	{code: "INVALID_GROUP_ID", during: "list configs", attribute: "project_id", about: "INVALID_* 404", words: []string{"malformed", "Check the IDs"}},
	{code: "INVALID_CLUSTER_ID", during: "refresh schedule", attribute: "cluster_id", about: "INVALID_* 404", words: []string{"malformed", "Check the IDs"}},

	{
		code: "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE", during: "refresh schedule", attribute: "cluster_id",
		words: []string{"backup of this cluster has not been started", "does not monitor", "Start the backup"},
	},
	{
		code: "CANNOT_MODIFY_SHARD_BACKUP_CONFIG", during: "change schedule",
		detail: "Cannot modify individual shard; use cluster ID 650a1f3c2e4b6d8091a3b5c7 for entire cluster.", attribute: "cluster_id",
		words: []string{"the ID of a shard", "650a1f3c2e4b6d8091a3b5c7", "which the message above contains"},
	},
	{code: "NOT_SHARDED", during: "change schedule", attribute: "cluster_id", words: []string{"replica sets and whole sharded clusters"}},
	{code: "BACKUP_MONGO_CONNECTION_FAILED", during: "create store", attribute: "id", words: []string{"connects to the database", "firewall"}},
	{code: "BACKUP_S3_CONNECTION_FAILED", during: "create store", attribute: "s3_bucket_endpoint", words: []string{"connects to the bucket", "firewall"}},
	{code: "BACKUP_S3_VALIDATION_FAILED", during: "create store", attribute: "s3_bucket_name", words: []string{"tests the bucket", "put, get, head"}},
	{code: "BACKUP-S3-VALIDATION_FAILED", during: "create store", attribute: "s3_bucket_name", words: []string{"tests the bucket", "versioning"}},
	{
		status: http.StatusConflict, during: "change schedule", detail: "Backup is inactive.", about: "409",
		words: []string{"only after the backup of its cluster has been started", "start it"},
	},
	{
		status: http.StatusConflict, during: "delete region", detail: "Region NY_NJ is bound to blockstore bs1.", about: "409",
		words: []string{"unbind the snapshot stores, oplog stores, sync stores and daemons", `on_destroy = "keep"`},
	},
	{code: "REGION_IN_USE", status: http.StatusForbidden, during: "delete region", about: "", words: []string{"unbind"}},

	{
		code: "CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET", during: "adopt schedule",
		attribute: "cluster_checkpoint_interval_min",
		words:     []string{"This cluster is a replica set", "Remove cluster_checkpoint_interval_min"},
	},
	{
		code: "UPGRADE_FOR_CLUSTER_CHECKPOINT_INTERVAL", during: "change schedule", attribute: "cluster_checkpoint_interval_min",
		words: []string{"too old", "Upgrade them"},
	},
	{
		code: "CANNOT_SET_POINT_IN_TIME_WINDOW", during: "change schedule", attribute: "point_in_time_window_hours",
		words: []string{"Remove point_in_time_window_hours"},
	},
	{
		code: "CANNOT_SET_REF_TIME_OF_DAY", during: "change schedule", attribute: "reference_hour_of_day",
		words: []string{"Remove reference_hour_of_day, reference_minute_of_hour and reference_time_zone_offset"},
	},
	{
		code: "INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS", during: "change schedule", attribute: "reference_hour_of_day",
		words: []string{"7.0.11", "only together", "reference_hour_of_day and reference_minute_of_hour"},
	},
	refusedField("INVALID_CLUSTER_CHECKPOINT_INTERVAL", "cluster_checkpoint_interval_min"),
	refusedField("INVALID_SNAPSHOT_INTERVAL", "snapshot_interval_hours"),
	refusedField("INVALID_SNAPSHOT_RETENTION_PERIOD", "snapshot_retention_days"),
	refusedField("INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD", "daily_snapshot_retention_days"),
	refusedField("INVALID_WEEKLY_SNAPSHOT_RETENTION_PERIOD", "weekly_snapshot_retention_weeks"),
	refusedField("INVALID_MONTHLY_SNAPSHOT_RETENTION_PERIOD", "monthly_snapshot_retention_months"),
	refusedField("INVALID_REFERENCE_HOUR_OF_DAY", "reference_hour_of_day"),
	refusedField("INVALID_REFERENCE_MINUTE_OF_HOUR", "reference_minute_of_hour"),
	refusedField("INVALID_REFERENCE_TIMEZONE_OFFSET", "reference_time_zone_offset"),
	{
		code: "INVALID_ENUM_VALUE", during: "change schedule", detail: "Invalid enumeration value.",
		parameter: "fullIncrementalDayOfWeek", attribute: "full_incremental_day_of_week", about: "INVALID_* 400",
		words: []string{"rejects this value"},
	},
	{
		code: "ATTRIBUTE_NEGATIVE", during: "change schedule", detail: "The attribute pointInTimeWindowHours cannot be negative.",
		attribute: "point_in_time_window_hours", words: []string{"rejects this value", "7.0.11"},
	},
	{
		code: "ATTRIBUTE_NEGATIVE_OR_ZERO", during: "change schedule", parameter: "snapshotRetentionDays",
		attribute: "snapshot_retention_days", words: []string{"rejects this value"},
	},
	{
		code: "INVALID_ATTRIBUTE", during: "change schedule", detail: "Invalid attribute clusterCheckpointIntervalMin specified.",
		attribute: "cluster_checkpoint_interval_min",
		words:     []string{"does not allow this field to be set", "7.0.11", "If the attribute is not required"},
	},
	{
		code: "ATTRIBUTE_READ_ONLY", during: "create region", parameter: "assignmentEnabled", attribute: "assignment_enabled",
		words: []string{"does not allow this field to be set"},
	},
	{code: "MISSING_ATTRIBUTE", during: "update region", parameter: "bqProxyEndpoint", attribute: "bq_proxy_endpoint", words: []string{"report this message"}},
	{
		code: "MISSING_OR_INVALID_ATTRIBUTE", during: "create region", parameter: "ingestionEndpoint", attribute: "ingestion_endpoint",
		words: []string{"report this message"},
	},
	{code: "MISSING_ONE_OF_ATTRIBUTES", during: "create region", words: []string{"report this message"}},
	{code: "GROUP_MISMATCH", during: "change schedule", words: []string{"report this message"}},
	{code: "INVALID_JSON", during: "change schedule", words: []string{"report this message", "7.0.11"}},
	{
		code: "INVALID_JSON_ATTRIBUTE", during: "update region", parameter: "restoreEndpoint", attribute: "restore_endpoint",
		words: []string{"report this message"},
	},
	{code: "INVALID_QUERY_PARAMETER", during: "list configs", words: []string{"report this message"}},

	{code: "UNFINISHED_ON_DEMAND_SNAPSHOT", during: "take snapshot", words: []string{"is in progress", "Try again"}},
	{code: "BACKUP_JOB_NOT_FOUND", during: "take snapshot", attribute: "cluster_id", words: []string{"not started", "opsmanager_backup_config"}},
	{code: "USER_UNAUTHORIZED", during: "take snapshot", words: []string{"lacks a role", "Global Backup Admin", "global API key"}},
	{code: "ALREADY_EXPIRED", during: "change expiry", attribute: "expires", words: []string{"has expired", "no longer be changed"}},
	{code: "SNAPSHOT_NOT_FOUND", during: "start restore", attribute: "snapshot_id", words: []string{"of a different cluster", "after it expired"}},
	{code: "CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT", during: "start restore", attribute: "snapshot_id", words: []string{"No restore was started"}},
	{
		code: "CANNOT_START_RESTORE_JOB_FOR_DELETED_CLUSTER_SNAPSHOT", during: "start restore", attribute: "snapshot_id",
		words: []string{"No restore was started"},
	},
	{
		code: "CANNOT_RESTORE_TO_TARGET", during: "start restore", attribute: "target_cluster_id",
		words: []string{"topology", "Automation", "Project Backup Admin"},
	},
	{
		code: "RESTORE_VALIDATION_FAILED", status: 409, during: "start restore", attribute: "snapshot_id",
		words: []string{"cannot be restored", "No restore was started"},
	},
	{
		code: "SNAPSHOT_BLOCKS_MISSING", status: 409, during: "start restore", attribute: "snapshot_id",
		words: []string{"cannot be restored", "No restore was started"},
	},
	{
		code: "SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE", status: 503, during: "start restore", attribute: "snapshot_id",
		words: []string{"could not check the snapshot", "No restore was started"},
	},
	{code: "CONCURRENT_RESTORES", during: "start restore", attribute: "target_cluster_id", words: []string{"was not started", "opsmanager_restore_jobs"}},
	{
		code: "CONCURRENT_RESTORES_JOB_IDS", during: "start restore", attribute: "target_cluster_id",
		words: []string{"was not started", "opsmanager_restore_jobs"},
	},

	{code: "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES", during: "change schedule", words: []string{"being upgraded", "Apply again"}},
	{code: "RATE_LIMITED", during: "list configs", detail: "100 requests every 2 minutes.", words: []string{"Lower -parallelism, or raise max_retries."}},
	{code: "UNEXPECTED_ERROR", during: "change schedule", about: "5xx", words: []string{"log of the Ops Manager application"}},

	{status: http.StatusUnauthorized, during: "list configs", about: "401", words: []string{"rejected the API key", "would name a missing role"}},
	{
		status: http.StatusUnauthorized, during: "list configs", body: "<title>Sign in</title>", about: "401 other challenge",
		header: http.Header{"Www-Authenticate": {"Negotiate"}},
		words:  []string{"the server asks for Negotiate", "HTTP Digest", "the key was not used"},
	},
	{
		status: http.StatusUnauthorized, during: "list configs", body: "<title>Sign in</title>", about: "401 unchallenged",
		words: []string{"without requesting Digest credentials", "SSO page", "base_url"},
	},
	{
		status: http.StatusUnauthorized, during: "list configs", about: "401 stale",
		header: http.Header{"Www-Authenticate": {`Digest realm="r", nonce="n", qop="auth", stale=true`}},
		words:  []string{"keeps replying that the nonce is stale", "load balancer"},
	},
	{
		code: "NO_CURRENT_USER", during: "list configs", body: `{"error": 401, "errorCode": "NO_CURRENT_USER"}`, about: "401 stale",
		header: http.Header{"Www-Authenticate": {`Digest realm="r", nonce="n", qop="auth", stale=true`}},
		words:  []string{"NO_CURRENT_USER", "never checks the key"},
	},
	{status: http.StatusForbidden, during: "change schedule", about: "403", words: []string{"does not say why", "Project Backup Admin", "access list"}},
	{
		status: http.StatusForbidden, during: "list configs", body: "<title>Blocked by policy</title>", about: "not the API",
		words: []string{"Blocked by policy", "not a response of the Ops Manager API", "base_url"},
	},
	{status: http.StatusNotFound, during: "update region", about: "404", words: []string{"no such object", "Check the IDs"}},
	{
		status: http.StatusNotFound, during: "delete region", body: "<title>No such page</title>", about: "not the API",
		words: []string{"No such page", "a proxy"},
	},
	{
		status: http.StatusBadRequest, during: "list configs", body: "Client sent an HTTP request to an HTTPS server.",
		about: "not the API", words: []string{"the response was", "base_url"},
	},
	{status: http.StatusMethodNotAllowed, during: "list configs", about: "405", words: []string{"7.0.11", "does not support this operation"}},
	{
		status: http.StatusProxyAuthRequired, during: "list configs", body: "<title>Credentials required</title>", about: "407",
		words: []string{"Credentials required", "HTTPS_PROXY"},
	},
	{
		status: http.StatusNotImplemented, during: "list configs", body: "<title>Not Implemented</title>", about: "501",
		words: []string{"does not support this operation"},
	},
	{status: http.StatusTooManyRequests, during: "list configs", body: "slow down", about: "429", words: []string{"Lower -parallelism"}},
	{
		status: http.StatusBadGateway, during: "create region", body: "<title>Bad Gateway</title>", about: "5xx",
		words: []string{"or a proxy in front of it, failed"},
	},
	{
		status: http.StatusNotModified, during: "list configs", about: "not the API",
		words: []string{"304 Not Modified", "not a response of the Ops Manager API"},
	},
	{
		status: http.StatusFound, during: "list configs", header: http.Header{"Location": {"https://sso.example.com/login?ticket=t"}},
		about: "3xx", words: []string{"The server redirects to https://sso.example.com", "base_url"},
	},
}

// refusedField returns the rejection of a field's value.
func refusedField(code, attribute string) refusal {
	return refusal{code: code, during: "change schedule", attribute: attribute, about: "INVALID_* 400",
		words: []string{"rejects this value", "7.0.11", "remove it to keep the current value"}}
}

// attempt prepares an operation, lets Ops Manager refuse what follows, and continues.
type attempt func(w *providertest.Workspace, refuse func()) providertest.Diagnostics

func reads(typeName string, config values) attempt {
	return func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
		refuse()
		_, diags := w.Read(typeName, config)
		return diags
	}
}

func creates(typeName string, config values) attempt {
	return func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
		return refused(w.NewResource(typeName), refuse, config)
	}
}

func updates(typeName string, before, after values) attempt {
	return func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
		r := w.NewResource(typeName)
		r.Create(before)
		r.MustRefresh()
		return refused(r, refuse, after)
	}
}

// refused applies a plan that was made before the fault was injected.
func refused(r *providertest.Resource, refuse func(), config values) providertest.Diagnostics {
	r.T.Helper()
	p := r.Plan(config)
	refuse()
	return r.Apply(p)
}

// refusedCall is an operation up to the call that is rejected.
type refusedCall struct {
	summary, method, path string
	run                   attempt
}

const (
	newestSnapshot    = "66d45311c4d6e8f0a2b4c703" // of orders
	cardsSchedule     = "/groups/" + payments + "/backupConfigs/" + cards + "/snapshotSchedule"
	newRegion         = "/admin/backup/backupDeployments/NEW"
	paymentsModules   = "/groups/" + payments + "/automationConfig"
	snapshotsOfOrders = "/groups/" + payments + "/clusters/" + orders + "/snapshots/"
)

var nineWeeks = providertest.Schedule(cards, values{"weekly_snapshot_retention_weeks": 9})

var refusedCalls = map[string]refusedCall{
	"adopt schedule": {"Unable to Adopt Snapshot Schedule", "PATCH", cardsSchedule, creates(providertest.ScheduleType, nineWeeks)},
	"refresh schedule": {
		"Unable to Read Snapshot Schedule", "GET", cardsSchedule,
		func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
			r := w.NewResource(providertest.ScheduleType)
			r.Create(providertest.Schedule(cards, nil))
			refuse()
			return r.Refresh()
		},
	},
	"change schedule": {
		"Unable to Update Snapshot Schedule", "PATCH", cardsSchedule,
		updates(providertest.ScheduleType, providertest.Schedule(cards, nil), nineWeeks),
	},
	"create region": {
		"Unable to Create Deployment Region", "POST", "/admin/backup/backupDeployments",
		creates(providertest.RegionType, providertest.Region("NEW", nil)),
	},
	"update region": {
		"Unable to Update Deployment Region", "PUT", newRegion,
		updates(providertest.RegionType, providertest.Region("NEW", nil), providertest.Region("NEW", values{"deployment_description": "Another"})),
	},
	"delete region": {
		"Unable to Delete Deployment Region", "DELETE", newRegion,
		func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
			r := w.NewResource(providertest.RegionType)
			r.Create(providertest.Region("NEW", nil))
			refuse()
			return r.Destroy()
		},
	},
	"take snapshot": {
		"Unable to Take Snapshot", "POST", snapshotsOfOrders + "onDemandSnapshot",
		creates(providertest.OnDemandSnapshotType, providertest.Schedule(orders, values{"retention_days": 7})),
	},
	"change expiry": {
		"Unable to Change the Expiry of the Snapshot", "PATCH", snapshotsOfOrders + newestSnapshot,
		func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
			r := w.NewResource(providertest.OnDemandSnapshotType)
			r.ImportID(payments + "/" + orders + "/" + newestSnapshot)
			return refused(r, refuse, providertest.Schedule(orders, values{"retention_days": 7, "expires": "2099-01-01"}))
		},
	},
	"start restore": {
		"Unable to Start Restore", "POST", "/groups/" + payments + "/clusters/" + ledger + "/restoreJobs",
		creates(providertest.RestoreJobType, providertest.Schedule(ledger, values{
			"snapshot_id": "66b0c530c4d6e8f0a2b4c600", "target_project_id": payments, "target_cluster_id": cards, "target_cluster_name": "cards",
		})),
	},
	"create store": {
		"Unable to Create S3 Blockstore", "POST", "/admin/backup/snapshot/s3Configs", creates(providertest.S3BlockstoreType, values{
			"id": "new", "uri": "mongodb://db1.example.com", "s3_bucket_name": "b", "s3_bucket_endpoint": "https://s3.example.com", "s3_max_connections": 5,
			"path_style_access_enabled": true, "sse_enabled": false, "accepted_tos": true, "s3_auth_method": "IAM_ROLE",
		}),
	},
	"import modules": {
		"Unable to Import Backup Modules", "GET", paymentsModules,
		func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
			refuse()
			return w.NewResource(providertest.BackupModuleType).ImportID(payments)
		},
	},
	"activate modules": {
		"Unable to Activate Backup Modules", "PUT", paymentsModules,
		creates(providertest.BackupModuleType, values{"project_id": payments, "hostnames": []any{"reports-0.payments.example.com"}}),
	},
	"find project":  {"Unable to Read Project", "GET", "/groups/byName/Payments", reads(providertest.ProjectType, values{"name": "Payments"})},
	"list projects": {"Unable to List Projects", "GET", "/groups", reads(providertest.ProjectsType, nil)},
	"list configs": {
		"Unable to List Backup Configurations", "GET", "/groups/" + payments + "/backupConfigs",
		reads(providertest.BackupConfigsType, values{"project_id": payments}),
	},
	"list ranges": {
		"Unable to List Restorable Time Ranges", "POST", "/groups/" + payments + "/clusters/" + ledger + "/restoreJobs/restorableTimeRanges",
		reads(providertest.TimeRangesType, values{"project_id": payments, "cluster_id": ledger}),
	},
	"list snapshots": {
		"Unable to List Config Server Snapshots", "GET", "/groups/" + payments + "/hosts/h/snapshots",
		reads(providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": "h"}),
	},
}

// fault returns the fault for a refusal. It applies before Digest authentication if the response
// does not come from Ops Manager.
func (r refusal) fault(call refusedCall) emulator.Fault {
	status := r.status
	if status == 0 {
		status = documentedCodes[r.code]
	}
	fault := emulator.Fault{Method: call.method, Times: -1, Status: status, Body: r.body, BeforeAuth: strings.HasPrefix(r.about, "401 "),
		Header: http.Header{"X-Mongodb-Service-Version": {"gitHash=abc; versionString=7.0.11"}, "Content-Type": {"application/json"}}}
	maps.Copy(fault.Header, r.header)
	if r.body == "" && r.header == nil {
		code := ""
		if r.code != "" {
			code = fmt.Sprintf(`"errorCode": %q, `, r.code)
		}
		fault.Body = fmt.Sprintf(
			`{"detail": %q, "error": %d, %s"parameters": [%q], "reason": %q}`, r.detail, status, code, r.parameter,
			http.StatusText(status),
		)
	}
	if r.about == "401" { // the server challenges a rejected key again
		fault.Header.Set("Www-Authenticate", `Digest realm="r", nonce="n", qop="auth"`)
	}
	return fault
}

// claims are what errors about a key, its roles and its access list say. An error claims at most one.
var claims = []string{
	"rejected the API key", "lacks a role", "is not on the API key's access list", "It does not exist, or the API key",
	"does not say why", "without requesting Digest credentials",
}

func (r refusal) topic() string {
	if r.about != "" {
		return r.about
	}
	return r.code
}

func TestEveryErrorOfTheAPIHasAdvice(t *testing.T) {
	t.Parallel()
	for _, r := range refusals {
		t.Run(fmt.Sprint(r.code, r.status, " ", r.during), func(t *testing.T) {
			t.Parallel()
			call := refusedCalls[r.during]
			s := providertest.StartService(t)
			fault := r.fault(call)
			diags := call.run(providertest.NewWorkspace(t, s), func() { s.Inject(fault) })
			prefix := call.summary
			if r.attribute != "" {
				prefix = "[" + r.attribute + "] " + prefix
			}
			diags.WantError(
				t,
				slices.Concat([]string{prefix + ": " + call.method + " " + call.path + ": ", fmt.Sprint(fault.Status), r.code, r.detail}, r.words)...,
			)
			claimed := slices.DeleteFunc(slices.Clone(claims), func(claim string) bool { return !strings.Contains(diags.Errors()[0], claim) })
			if len(claimed) > 1 || len(claimed) > 0 && r.about == "nothing" {
				t.Errorf("the error claims %q", claimed)
			}
			if text := diags.Errors()[0]; r.attribute == "" && strings.HasPrefix(text, "[") || strings.ContainsAny(text, "<>{}") &&
				!strings.Contains(text, "{cluster_id}") {
				t.Errorf("got %s", text)
			}
		})
	}
}

func TestEveryAdviceIsTested(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, r := range refusals {
		tried[r.topic()] = true
		if _, documented := documentedCodes[r.code]; !documented && r.status == 0 {
			t.Errorf("%s is not documented", r.code)
		}
		tried[r.code] = true
	}
	// Topics such as "a timeout" are failures without a response.
	for topic := range adviceTexts(t) {
		withoutResponse := strings.HasPrefix(topic, "a ") || strings.HasPrefix(topic, "an ") || topic == "no connection"
		if !tried[topic] && !withoutResponse {
			t.Errorf("no refusal is about %s", topic)
		}
	}
	for code := range documentedCodes {
		if !tried[code] {
			t.Errorf("no refusal has the code %s", code)
		}
	}
}

func TestAdviceOnARateLimitNamesConcurrencyIfThereIsThatAttribute(t *testing.T) {
	t.Parallel()
	policy := func(days int) values {
		return values{"project_ids": []any{payments}, "cluster_ids": []any{cards}, "schedule": values{"daily_snapshot_retention_days": days}}
	}
	plan := func(w *providertest.Workspace, refuse func()) providertest.Diagnostics {
		refuse()
		return w.NewResource(providertest.PolicyType).Plan(policy(30)).Diagnostics
	}
	change := updates(providertest.PolicyType, policy(30), policy(60))
	with := map[string]refusedCall{
		"list clusters of policy":   {method: "GET", path: "/clusters", run: plan},
		"read schedules of policy":  {method: "GET", path: "/snapshotSchedule", run: plan},
		"read schedule of change":   {method: "GET", path: "/snapshotSchedule", run: change},
		"change schedule of policy": {method: "PATCH", path: "/snapshotSchedule", run: change},
		"list projects of status":   {method: "GET", path: "/groups", run: reads(providertest.BackupStatusType, nil)},
		"read project of status":    {method: "GET", path: "/groups", run: reads(providertest.BackupStatusType, values{"project_ids": []any{payments}})},
	}
	all := maps.Clone(refusedCalls)
	maps.Copy(all, with)
	for name, call := range all {
		for _, limit := range []refusal{{code: "RATE_LIMITED"}, {status: http.StatusTooManyRequests, body: "slow down"}} {
			t.Run(name+" "+limit.code, func(t *testing.T) {
				t.Parallel()
				s := providertest.StartService(t)
				fault := limit.fault(call)
				fault.Path = call.path
				diags := call.run(providertest.NewWorkspace(t, s), func() { s.Inject(fault) })
				diags.WantError(t, "429", "rate-limiting requests", "-parallelism, or raise max_retries.")
				_, want := with[name]
				if text := diags.Errors()[0]; strings.Contains(text, "concurrency") != want {
					t.Errorf("got %s", text)
				}
			})
		}
	}
}

// Only words in camel case are matched with fields. The name of this parameter is also an English
// word.
func TestWordsOfAnErrorAreNotMistakenForAttributes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ detail, parameter, prefix string }{
		{"The request could not be completed.", "", "Unable to List Cluster Snapshots: "},
		{"Invalid query parameter.", "completed", "[completed] Unable to List Cluster Snapshots: "},
	} {
		s := providertest.StartService(t)
		w := providertest.NewWorkspace(t, s)
		r := refusal{code: "INVALID_QUERY_PARAMETER", detail: test.detail, parameter: test.parameter}
		s.Inject(r.fault(refusedCall{method: "GET"}))
		_, diags := w.Read(providertest.ClusterSnapshotsType, values{"project_id": payments, "cluster_id": cards})
		diags.WantError(t, test.detail)
		if text := diags.Errors()[0]; !strings.HasPrefix(text, test.prefix) {
			t.Errorf("%s: %s", test.detail, text)
		}
	}
}

// If Ops Manager does not support GET of a schedule, the client reads it with an empty PATCH.
func TestFailedReadWithPatchIsNotReportedAsAChange(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Profile: emulator.Documented})
	r := providertest.NewWorkspace(t, s).NewResource(providertest.ScheduleType)
	r.Create(providertest.Schedule(cards, nil))
	s.Inject(emulator.Fault{Method: "PATCH", Times: -1, Status: 502})
	diags := r.Refresh()
	diags.WantError(t, "PATCH ", "502 Bad Gateway", "or a proxy in front of it, failed")
	if text := diags.Errors()[0]; strings.Contains(text, providertest.MayHaveChanged) {
		t.Error(text)
	}
}

func TestHTTPSToAPlainHTTPPortHasAdvice(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	secure := values{"base_url": strings.Replace(s.URL, "http:", "https:", 1)}
	_, diags := providertest.NewWorkspace(t, s, secure).Read(providertest.BackupConfigsType, values{"project_id": payments})
	diags.WantError(t, "does not use TLS on this port", "use http:// in base_url")
}

func TestRefusalOfAProxyHasAdvice(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	for status, says := range map[int]string{407: "environment variable HTTPS_PROXY", 403: "Check that the proxy allows connections"} {
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(proxy.Close)
		w := providertest.NewWorkspace(t, s, values{"base_url": "https://opsmanager.invalid", "proxy_url": proxy.URL, "max_retries": 4})
		_, diags := w.Read(providertest.BackupConfigsType, values{"project_id": payments})
		diags.WantError(t, fmt.Sprintf("the proxy did not connect to Ops Manager: %d", status), says)
		if text := diags.Errors()[0]; strings.Contains(text, "attempts") {
			t.Errorf("the request was retried: %s", text)
		}
	}
}

func TestTLSFailuresHaveAdvice(t *testing.T) {
	t.Parallel()
	certificates := providertest.Certificates()
	for name, test := range map[string]struct {
		certificate *tls.Certificate
		newest      uint16
		clients     tls.ClientAuthType
		says        []string
		not         string
	}{
		"expired":       {certificates.Expired, 0, 0, []string{"expired", "By this machine's clock"}, "ca_cert_file"},
		"elsewhere":     {certificates.WrongHost, 0, 0, []string{"a different host name", "base_url"}, "ca_cert_file"},
		"untrusted":     {certificates.Untrusted, 0, 0, []string{"not trusted", "ca_cert_file"}, "host name"},
		"of an old TLS": {certificates.Trusted, tls.VersionTLS11, 0, []string{"requires TLS 1.2 or 1.3"}, "client_cert_file"},
		// With TLS 1.2, the rejection is part of the handshake, so the client always receives it.
		"without one of the client": {
			certificates.Trusted, tls.VersionTLS12, tls.RequireAnyClientCert,
			[]string{
				"remote error: tls",
				"requires a client certificate, and received none or refused it. Set client_cert_file and client_key_file",
			},
			"ca_cert_file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartTLSService(
				t,
				&tls.Config{
					Certificates: []tls.Certificate{*test.certificate}, ClientAuth: test.clients,
					MinVersion: tls.VersionTLS10, MaxVersion: test.newest,
				},
			)
			w := providertest.NewWorkspace(t, s, values{"ca_cert_pem": certificates.Authority, "max_retries": 4})
			_, diags := w.Read(providertest.BackupConfigsType, values{"project_id": payments})
			diags.WantError(t, test.says...)
			if text := diags.Errors()[0]; strings.Contains(text, test.not) || strings.Contains(text, "attempts") {
				t.Errorf("got %s", text)
			}
		})
	}
}

func TestUnsupportedChallengesAreNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Negotiate, Digest realm="r", nonce="n", algorithm=MD5-sess`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	_, diags := providertest.NewWorkspace(t, &providertest.Service{URL: server.URL}).Read(providertest.BackupConfigsType, values{"project_id": payments})
	diags.WantError(t, "the server asks for an unsupported form of Digest, Negotiate", "algorithms MD5, SHA-256", "the key was not used")
}

func TestIDWithPathSegmentsIsAnErrorOnItsAttribute(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := providertest.NewWorkspace(t, s).NewResource(providertest.RegionType)
	for _, id := range []string{".", ".."} {
		r.Plan(values{"deployment_id": id}).WantError(t, "[deployment_id]")
		r.ImportID(id).WantError(t, "Invalid Import ID")
		_, diags := r.Workspace.Read(providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": id})
		diags.WantError(t, "[host_id]")
	}
	providertest.WantNoCalls(t, s)
}
