package emulator

import (
	"fmt"
	"slices"
	"strings"
)

// Switch is an option with a plain value. make emulator has a flag with its name.
type Switch struct {
	Name string
	// Value points to the option. It is a *bool, *int, *string, *time.Duration or *[]string.
	Value any
	// Help says what the option does. If only a real Ops Manager can show which value is right,
	// Source says where the values come from.
	Help, Source string
}

// SwitchGroup is a group of switches.
type SwitchGroup struct {
	Name     string
	Switches []Switch
}

// Switches returns the switches of the options.
func (o *Options) Switches() []SwitchGroup {
	u := &o.Unknowns
	return []SwitchGroup{
		{"Requests", []Switch{
			{"profile", (*string)(&o.Profile), "`operations` to serve: full; or documented, which is only PATCH of a schedule, the lists of backup configurations and of config server snapshots, and DELETE of a region", ""},
			{"public-key", &o.PublicKey, "user name for Digest", ""},
			{"private-key", &o.PrivateKey, "password for Digest", ""},
			{"challenge", &o.Challenge, "`parameter` of the Digest challenge that offers auth: qop, op or none", "the documentation has op"},
			{"lenient", &o.Lenient, "accept requests that real servers accept and the documentation lacks: unknown query parameters, null in place of a missing field, values in a PATCH that were returned before, an nc of another length, and slashes at the beginning and at the end of a path", "clients of others that work on real servers send them"},
			{"ignores-unknown-fields", &u.IgnoresUnknownFields, "ignore unknown fields of a body, instead of rejecting them with 400", "documented as rejected"},
			{"rejects-returned-members", &u.RejectsReturnedMembers, "reject a field of a body that Ops Manager returned before, and that the documentation lacks, instead of storing it", "documented as rejected"},
			{"nonce-lifetime", &o.NonceLifetime, "how long a nonce is valid; 0 means forever", ""},
			{"nonce-uses", &o.NonceUses, "number of requests that a nonce is valid for; 0 means any number", ""},
			{"unlisted-calls", &o.UnlistedCalls, "number of calls that fail with 403 RESOURCE_REQUIRES_ACCESS_LIST, as until the caller's address is on the access list of the key; -1 means all", "the code and its parameter were observed"},
			{"latency", &o.Latency, "delay before each request is handled", ""},
		}},
		{"Responses", []Switch{
			{"service-version", &o.ServiceVersion, "`version` of Ops Manager to emulate; operations and fields that it lacks are rejected", ""},
			{"version-header", &u.VersionHeader, "`form` of X-MongoDB-Service-Version: full; master, in place of the version; hash, without a version; or none", "full, master and none were observed"},
			{"challenge-has-body", &u.ChallengeHasBody, "send an error document with the first 401, too", "observed without a body, and with one for wrong credentials"},
			{"delete-returns-object", &u.DeleteReturnsObject, "return 200 with {} for a successful DELETE, instead of 204", "both were observed"},
			{"unknown-routes", (*string)(&o.UnknownRoutes), "`response` to operations that the profile lacks: document, the error document of the API; go, the text of http.NotFound; nginx, its error page", ""},
			{"max-items-per-page", &o.MaxItemsPerPage, "maximum page size; Ops Manager 4.0 and older have 100", ""},
			{"omit-total-count", &o.OmitTotalCount, "leave totalCount out of lists", ""},
			{"stale-reads", &o.StaleReads, "number of reads after a change that return the old values", "documented for backup configurations; servers that share a database may do it"},
			{"stale-responses", &o.StaleResponses, "return the old values in the response to a change, too", "as for stale-reads"},
		}},
		{"Backup configurations", []Switch{
			{"transition-reads", &o.TransitionReads, "number of reads of a backup configuration that return PROVISIONING or TERMINATING, and of a new snapshot that is incomplete; -1 means none", ""},
			{"transition-time", &o.TransitionTime, "how long transitions, snapshots and restores take if they are read less often, also a snapshot of a started backup that is incomplete in the seed; -1s means forever", ""},
			{"await-approval", &o.AwaitApproval, "keep backups in PROVISIONING after their start", ""},
			{"no-stores", &o.NoStores, "fail each start of a backup with 500, as without a store", "reported"},
			{"unreported-starts", &o.UnreportedStarts, "number of starts of backups that fail with 409, as until the agents of a new cluster have reported", "observed in 2026"},
			{"patch-returns-202", &u.PatchReturns202, "return 202 for a change, instead of 200", "the oldest documentation has 202, the newest 200"},
			{"keeps-fields-of-refused-status", &u.KeepsFieldsOfRefusedStatus, "store the other fields of a change whose status is rejected", "not documented"},
			{"unmonitored-is-conflict", &u.UnmonitoredIsConflict, "return 409 CANNOT_GET_BACKUP_CONFIG_INVALID_STATE for a cluster without a backup configuration, instead of 404", "both codes are documented"},
			{"restart-provisions", &u.RestartProvisions, "pass through PROVISIONING at a restart, as at the first start", "not documented"},
			{"restart-drops-snapshots", &u.RestartDropsSnapshots, "delete the snapshots of a stopped backup when it is started", "by some documentation, after the next snapshot"},
			{"bare-inactive", &u.BareInactive, "return only the IDs, the status and the links of an INACTIVE backup", "not documented"},
			{"engine-of-inactive", &u.EngineOfInactive, "return the storage engine of an INACTIVE backup, if it has one", "observed without an engine"},
			{"omits-false", &u.OmitsFalse, "leave out fields that are false", "examples in the documentation differ"},
			{"ignores-namespaces", &u.IgnoresNamespaces, "accept namespace filters and forget them", "documented for newer feature compatibility versions, with different limits"},
			{"both-namespace-lists", &u.BothNamespaceLists, "return both lists of namespaces, instead of only excludedNamespaces or the one that has elements", "observed with one; examples in the documentation have both"},
			{"refuses-none-for-managed", &u.RefusesNoneForManaged, "refuse authMechanismName NONE for a cluster that Automation manages, as the other mechanisms", "not documented; clients send what they read"},
			{"whole-cluster-has-no-shard", &u.WholeClusterHasNoShard, "leave shardName out of a sharded cluster, instead of returning that of its first shard", "documented without it, observed with it"},
			{"reverses-namespaces", &u.ReversesNamespaces, "return namespaces in the reverse order", "no order is documented"},
			{"returns-username", &u.ReturnsUsername, "return username", "not among the documented responses"},
			{"returns-sync-source", &u.ReturnsSyncSource, "return syncSource", "not among the documented responses"},
			{"returns-revocation-check", &u.ReturnsRevocationCheck, "return disableCertificateRevocationCheck", "not among the documented responses"},
		}},
		{"Snapshot schedules", []Switch{
			{"omit-fields", &o.OmitFields, "comma-separated `fields` that returned schedules leave out", "documented examples leave out the hour, the minute and the offset"},
			{"omits-schedule-links", &u.OmitsScheduleLinks, "return no links", "examples in the documentation have none; observed on 4.4"},
			{"inactive-schedule", &u.InactiveSchedule, "`status` of the response to GET while the backup is INACTIVE: 409, 404 or 200; PATCH fails in any case", "not documented"},
			{"no-schedule-in-transition", &u.NoScheduleInTransition, "make a schedule unavailable while its backup is PROVISIONING or TERMINATING, too", "not documented"},
			{"schedule-survives-termination", &u.ScheduleSurvivesTermination, "keep the schedule of a terminated backup, instead of the documented default", "not documented"},
		}},
		{"Snapshots", []Switch{
			{"oldest-snapshot-first", &u.OldestSnapshotFirst, "list the oldest snapshot first, instead of the newest", "no order is documented; observed newest first on 4.4"},
			{"omits-created-time", &u.OmitsCreatedTime, "leave the seconds out of the time when a snapshot was created", "documented without them, observed with them on 4.4"},
			{"hides-running-snapshot", &u.HidesRunningSnapshot, "return 404 for a snapshot that is being taken; a list has it", "not documented"},
			{"running-snapshot-lacks-expires", &u.RunningSnapshotLacksExpires, "leave the expiry out of a snapshot that is being taken", "not documented"},
			{"snapshot-appears-after", &u.SnapshotAppearsAfter, "number of reads of a list that do not have a snapshot on demand yet", "not documented"},
			{"on-demand-returns-202", &u.OnDemandReturns202, "return 202 for a snapshot on demand, instead of 200", "not documented"},
			{"snapshot-delete-returns-202", &u.SnapshotDeleteReturns202, "return 202 for the deletion of a snapshot, instead of 204", "not documented"},
			{"release-sets-expires", &u.ReleaseSetsExpires, "set an expiry if doNotDelete becomes false without one", "not documented"},
			{"release-requires-expires", &u.ReleaseRequiresExpires, "reject that doNotDelete becomes false without an expiry", "not documented"},
			{"keeps-last-snapshot", &u.KeepsLastSnapshot, "reject the deletion of the last complete snapshot of a cluster", "not documented"},
		}},
		{"Restores", []Switch{
			{"restore-reads", &o.RestoreReads, "number of reads of a restore job that return IN_PROGRESS; -1 means none", ""},
			{"restore-outcome", &o.RestoreOutcome, "`status` that restore jobs end with, such as FINISHED, BROKEN or KILLED", ""},
			{"restore-returns-201", &u.RestoreReturns201, "return 201 for a new restore job, instead of 200", "the documentation has 200, and 201 for other operations"},
			{"echoes-delivery-method", &u.EchoesDeliveryMethod, "return the requested method of delivery, instead of HTTP", "the documentation always has HTTP"},
			{"shard-jobs-name-the-cluster", &u.ShardJobsNameTheCluster, "return the IDs of the sharded cluster and its snapshot in each job of a batch, instead of those of the shard", "observed with those of the shard on 4.0"},
			{"link-at-the-end", &u.LinkAtTheEnd, "return the link for a download when the job has ended, instead of at once", "observed in the first response on 3.x and 4.0"},
			{"batch-appears-after", &u.BatchAppearsAfter, "number of reads of restore jobs that have only the first job of a new batch, as the response to the request has then", "not documented"},
			{"oplog-arrives-after", &u.OplogArrivesAfter, "number of requests to restore a point in time of the last range that are refused", "tests of a client try again for ten minutes"},
			{"forgets-finished-restores", &u.ForgetsFinishedRestores, "remove a restore job after the first read that follows its end", "not documented"},
			{"expired-snapshots-are-deleted", &u.ExpiredSnapshotsAreDeleted, "reject a restore of a snapshot that has expired", "by the documentation, it is deleted at the next opportunity"},
			{"all-versions-have-time-ranges", &u.AllVersionsHaveTimeRanges, "serve restorable time ranges in all versions, instead of since 8.0.6", "only the newest documentation has them"},
		}},
		{"Backup stores", []Switch{
			{"post-returns-201", &u.PostReturns201, "return 201 for a new store, instead of 200", "the documentation has 200, and 201 for other operations"},
			{"refuses-existing-store", &u.RefusesExistingStore, "refuse a POST of an existing ID with 409, instead of replacing the store", "a client's comment says that it is replaced"},
			{"put-creates-store", &u.PutCreatesStore, "let PUT create a store, instead of returning 404", "a client's comment says that it does"},
			{"refuses-to-delete-missing-store", &u.RefusesToDeleteMissingStore, "return 404 for the DELETE of an S3 oplog store that does not exist, instead of a success", "observed as a success on 8.0; the other kinds always return 404"},
			{"refuses-host-lists", &u.RefusesHostLists, "refuse a uri that is a list of hosts, such as db1:27017,db2:27017", "the documentation of the CLI has one"},
			{"assigns-by-default", &u.AssignsByDefault, "make a store assignable if a request leaves out assignmentEnabled", "not documented"},
			{"ignores-masked-secrets", &u.IgnoresMaskedSecrets, "keep a secret if a PUT has its mask, instead of storing the mask", "documented for the client secret only"},
			{"secret-mask", &u.SecretMask, "`text` of masked secrets, instead of the observed masks", "observed on 8.0"},
			{"omits-secret-key", &u.OmitsSecretKey, "leave awsSecretKey out of responses", "not documented"},
			{"redacts-certificates", &u.RedactsCertificates, "return custom certificates without their text since 8.0.26", "not documented"},
			{"dashed-probe-code", &u.DashedProbeCode, "spell the code of a failed probe of a bucket BACKUP-S3-VALIDATION_FAILED", "the documentation has both spellings"},
			{"deletes-assignable-stores", &u.DeletesAssignableStores, "delete S3 stores that backups can be assigned to", "reports differ"},
			{"keeps-assignable-stores", &u.KeepsAssignableStores, "refuse to delete stores of the other kinds that backups can be assigned to", "reports differ"},
		}},
		{"Daemons and job configurations", []Switch{
			{"daemon-switches-default-to-false", &u.DaemonSwitchesDefaultToFalse, "turn a switch of a daemon off, such as assignmentEnabled, if a request leaves it out", "not documented"},
			{"unconfigured-daemon-has-no-id", &u.UnconfiguredDaemonHasNoID, "leave the ID out of a daemon that was never configured", "observed with an ID on 8.0.16"},
			{"refuses-to-delete-missing-daemon", &u.RefusesToDeleteMissingDaemon, "return 404 for the DELETE of a daemon that does not exist, instead of a success", "observed as a success on 8.0.16"},
			{"returns-unconfigured-daemons", &u.ReturnsUnconfiguredDaemons, "return a daemon that was never configured for any head directory, without one, instead of only in the list", "not documented"},
			{"missing-daemon-has-no-code", &u.MissingDaemonHasNoCode, "return 404 without a code to GET and DELETE of a daemon that is not registered", "observed with a code for PUT on 8.0"},
			{"missing-daemon-has-no-body", &u.MissingDaemonHasNoBody, "return 404 without a body for a daemon that is not registered", "a client's comment says that it happens"},
			{"forgets-deleted-daemons", &u.ForgetsDeletedDaemons, "keep a deleted daemon from registering again, although its process runs", "not documented"},
			{"missing-job-config-is-401", &u.MissingJobConfigIs401, "return 401 for a project without a job configuration since 7.0, too", "observed on 6.0"},
			{"returns-empty-filters", &u.ReturnsEmptyFilters, "return an empty list for a filter that is not set", "not documented"},
			{"shows-kmip-password", &u.ShowsKMIPPassword, "return the password of a KMIP certificate in clear since 8.0.26, too", "an example in the documentation does"},
			{"deletes-named-stores", &u.DeletesNamedStores, "delete a store that a job configuration names since 8.0.27, too", "the release notes say that it is refused"},
		}},
	}
}

// Check returns an error if an option has an impossible value.
func (o *Options) Check() error {
	for _, choice := range []struct {
		name  string
		value any
		of    []any
	}{
		{"profile", o.Profile, []any{Full, Documented}},
		{"unknown-routes", o.UnknownRoutes, []any{APIDocument, GoText, NginxPage}},
		{"challenge", o.Challenge, []any{"qop", "op", "none"}},
		{"version-header", o.Unknowns.VersionHeader, []any{"full", "master", "hash", "none"}},
		{"inactive-schedule", o.Unknowns.InactiveSchedule, []any{409, 404, 200}},
	} {
		if !slices.Contains(choice.of, choice.value) {
			return fmt.Errorf("%s: %v is not one of %s", choice.name, choice.value, strings.Trim(fmt.Sprint(choice.of), "[]"))
		}
	}
	if o.MaxItemsPerPage < 1 {
		return fmt.Errorf("max-items-per-page: %d is less than 1", o.MaxItemsPerPage)
	}
	if _, err := parseVersion(o.ServiceVersion); err != nil {
		return fmt.Errorf("service-version: %w", err)
	}
	return nil
}
