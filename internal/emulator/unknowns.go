package emulator

// Unknowns are facts that the documentation leaves open or contradicts. The zero value is the most
// likely combination. All combinations are possible, so a client must work with each of them.
type Unknowns struct {
	IgnoresUnknownFields   bool `group:"Requests" switch:"ignores-unknown-fields" help:"ignore unknown fields of a body, instead of rejecting them with 400" source:"documented as rejected"`
	RejectsReturnedMembers bool `switch:"rejects-returned-members" help:"reject a field of a body that Ops Manager returned before, and that the documentation lacks, instead of storing it" source:"documented as rejected"`

	VersionHeader       string `group:"Responses" switch:"version-header" default:"full" of:"full,master,hash,none" help:"\x60form\x60 of X-MongoDB-Service-Version: full; master, in place of the version; hash, without a version; or none" source:"full, master and none were observed"`
	DeleteReturnsObject bool   `switch:"delete-returns-object" help:"return 200 with {} for a successful DELETE, instead of 204" source:"both were observed"`

	KeepsFieldsOfRefusedStatus bool `group:"Backup configurations" switch:"keeps-fields-of-refused-status" help:"store the other fields of a change whose status is rejected" source:"not documented"`
	UnmonitoredIsConflict      bool `switch:"unmonitored-is-conflict" help:"return 409 CANNOT_GET_BACKUP_CONFIG_INVALID_STATE for a cluster without a backup configuration, instead of 404" source:"both codes are documented"`
	RestartProvisions          bool `switch:"restart-provisions" help:"pass through PROVISIONING at a restart, as at the first start" source:"not documented"`
	BareInactive               bool `switch:"bare-inactive" help:"return only the IDs, the status and the links of an INACTIVE backup" source:"not documented"`
	EngineOfInactive           bool `switch:"engine-of-inactive" help:"return the storage engine of an INACTIVE backup, if it has one" source:"observed without an engine"`
	OmitsFalse                 bool `switch:"omits-false" help:"leave out fields that are false" source:"examples in the documentation differ"`
	IgnoresNamespaces          bool `switch:"ignores-namespaces" help:"accept namespace filters and forget them" source:"documented for newer feature compatibility versions, with different limits"`
	BothNamespaceLists         bool `switch:"both-namespace-lists" help:"return both lists of namespaces, instead of only excludedNamespaces or the one that has elements" source:"observed with one; examples in the documentation have both"`
	RefusesNoneForManaged      bool `switch:"refuses-none-for-managed" help:"refuse authMechanismName NONE for a cluster that Automation manages, as the other mechanisms" source:"not documented; clients send what they read"`
	ReversesNamespaces         bool `switch:"reverses-namespaces" help:"return namespaces in the reverse order" source:"no order is documented"`
	ReturnsUsername            bool `switch:"returns-username" help:"return username" source:"not among the documented responses"`
	ReturnsSyncSource          bool `switch:"returns-sync-source" help:"return syncSource" source:"not among the documented responses"`
	ReturnsRevocationCheck     bool `switch:"returns-revocation-check" help:"return disableCertificateRevocationCheck" source:"not among the documented responses"`
	WholeClusterHasNoShard     bool `switch:"whole-cluster-has-no-shard" help:"leave shardName out of a sharded cluster, instead of returning that of its first shard" source:"documented without it, observed with it"`

	OmitsScheduleLinks          bool `group:"Snapshot schedules" switch:"omits-schedule-links" help:"return no links" source:"examples in the documentation have none; observed on 4.4"`
	InactiveSchedule            int  `switch:"inactive-schedule" default:"409" of:"409,404,200" help:"\x60status\x60 of the response to GET while the backup is INACTIVE: 409, 404 or 200; PATCH fails in any case" source:"not documented"`
	NoScheduleInTransition      bool `switch:"no-schedule-in-transition" help:"make a schedule unavailable while its backup is PROVISIONING or TERMINATING, too" source:"not documented"`
	ScheduleSurvivesTermination bool `switch:"schedule-survives-termination" help:"keep the schedule of a terminated backup, instead of the documented default" source:"not documented"`

	OldestSnapshotFirst         bool `group:"Snapshots" switch:"oldest-snapshot-first" help:"list the oldest snapshot first, instead of the newest" source:"no order is documented; observed newest first on 4.4"`
	OmitsCreatedTime            bool `switch:"omits-created-time" help:"leave the seconds out of the time when a snapshot was created" source:"documented without them, observed with them on 4.4"`
	HidesRunningSnapshot        bool `switch:"hides-running-snapshot" help:"return 404 for a snapshot that is being taken; a list has it" source:"not documented"`
	RunningSnapshotLacksExpires bool `switch:"running-snapshot-lacks-expires" help:"leave the expiry out of a snapshot that is being taken" source:"not documented"`
	SnapshotAppearsAfter        int  `switch:"snapshot-appears-after" help:"number of reads of a list that do not have a snapshot on demand yet" source:"not documented"`
	SnapshotDeleteReturns202    bool `switch:"snapshot-delete-returns-202" help:"return 202 for the deletion of a snapshot, instead of 204" source:"not documented"`
	ReleaseSetsExpires          bool `switch:"release-sets-expires" help:"set an expiry if doNotDelete becomes false without one" source:"not documented"`
	ReleaseRequiresExpires      bool `switch:"release-requires-expires" help:"reject that doNotDelete becomes false without an expiry" source:"not documented"`
	KeepsLastSnapshot           bool `switch:"keeps-last-snapshot" help:"reject the deletion of the last complete snapshot of a cluster" source:"not documented"`

	ShardJobsNameTheCluster    bool `group:"Restores" switch:"shard-jobs-name-the-cluster" help:"return the IDs of the sharded cluster and its snapshot in each job of a batch, instead of those of the shard" source:"observed with those of the shard on 4.0"`
	LinkAtTheEnd               bool `switch:"link-at-the-end" help:"return the link for a download when the job has ended, instead of at once" source:"observed in the first response on 3.x and 4.0"`
	BatchAppearsAfter          int  `switch:"batch-appears-after" help:"number of reads of restore jobs that have only the first job of a new batch, as the response to the request has then" source:"not documented"`
	OplogArrivesAfter          int  `switch:"oplog-arrives-after" help:"number of requests to restore a point in time of the last range that are refused" source:"tests of a client try again for ten minutes"`
	ForgetsFinishedRestores    bool `switch:"forgets-finished-restores" help:"remove a restore job after the first read that follows its end" source:"not documented"`
	ExpiredSnapshotsAreDeleted bool `switch:"expired-snapshots-are-deleted" help:"reject a restore of a snapshot that has expired" source:"by the documentation, it is deleted at the next opportunity"`
	AllVersionsHaveTimeRanges  bool `switch:"all-versions-have-time-ranges" help:"serve restorable time ranges in all versions, instead of since 8.0.6" source:"only the newest documentation has them"`

	RefusesExistingStore    bool   `group:"Backup stores" switch:"refuses-existing-store" help:"refuse a POST of an existing ID with 409, instead of replacing the store" source:"a client's comment says that it is replaced"`
	PutCreatesStore         bool   `switch:"put-creates-store" help:"let PUT create a store, instead of returning 404" source:"a client's comment says that it does"`
	AssignsByDefault        bool   `switch:"assigns-by-default" help:"make a store assignable if a request leaves out assignmentEnabled" source:"not documented"`
	IgnoresMaskedSecrets    bool   `switch:"ignores-masked-secrets" help:"keep a secret if a PUT has its mask, instead of storing the mask" source:"documented for the client secret only"`
	SecretMask              string `switch:"secret-mask" help:"\x60text\x60 of masked secrets, instead of the observed masks" source:"observed on 8.0"`
	OmitsSecretKey          bool   `switch:"omits-secret-key" help:"leave awsSecretKey out of responses" source:"not documented"`
	RedactsCertificates     bool   `switch:"redacts-certificates" help:"return custom certificates without their text since 8.0.26" source:"not documented"`
	DashedProbeCode         bool   `switch:"dashed-probe-code" help:"spell the code of a failed probe of a bucket BACKUP-S3-VALIDATION_FAILED" source:"the documentation has both spellings"`
	DeletesAssignableStores bool   `switch:"deletes-assignable-stores" help:"delete S3 stores that backups can be assigned to" source:"reports differ"`
	KeepsAssignableStores   bool   `switch:"keeps-assignable-stores" help:"refuse to delete stores of the other kinds that backups can be assigned to" source:"reports differ"`

	DaemonSwitchesDefaultToFalse bool `group:"Daemons and job configurations" switch:"daemon-switches-default-to-false" help:"turn a switch of a daemon off, such as assignmentEnabled, if a request leaves it out" source:"not documented"`
	UnconfiguredDaemonHasNoID    bool `switch:"unconfigured-daemon-has-no-id" help:"leave the ID out of a daemon that was never configured" source:"observed with an ID on 8.0.16"`
	RefusesToDeleteMissingDaemon bool `switch:"refuses-to-delete-missing-daemon" help:"return 404 for the DELETE of a daemon that does not exist, instead of a success" source:"observed as a success on 8.0.16"`
	MissingDaemonHasNoBody       bool `switch:"missing-daemon-has-no-body" help:"return 404 without a body for a daemon that is not registered" source:"a client's comment says that it happens"`
	ReturnsUnconfiguredDaemons   bool `switch:"returns-unconfigured-daemons" help:"return a daemon that was never configured for any head directory, without one, instead of only in the list" source:"not documented"`
	MissingDaemonHasNoCode       bool `switch:"missing-daemon-has-no-code" help:"return 404 without a code to GET and DELETE of a daemon that is not registered" source:"observed with a code for PUT on 8.0"`
	ForgetsDeletedDaemons        bool `switch:"forgets-deleted-daemons" help:"keep a deleted daemon from registering again, although its process runs" source:"not documented"`
	MissingJobConfigIs401        bool `switch:"missing-job-config-is-401" help:"return 401 for a project without a job configuration since 7.0, too" source:"observed on 6.0"`
	ReturnsEmptyFilters          bool `switch:"returns-empty-filters" help:"return an empty list for a filter that is not set" source:"not documented"`
	ShowsKMIPPassword            bool `switch:"shows-kmip-password" help:"return the password of a KMIP certificate in clear since 8.0.26, too" source:"an example in the documentation does"`

	IgnoresAutomationVersion   bool `group:"Automation" switch:"ignores-automation-version" help:"accept a PUT of an automation configuration with any version, so that the later change wins, instead of returning 409 AUTOMATION_CONFIG_CONCURRENT_MODIFICATION for an older one" source:"the page of the operation has no protection, the table of errors and a log have the 409"`
	AutomationPutReturnsObject bool `switch:"automation-put-returns-object" help:"return {} for a PUT of an automation configuration, instead of the document" source:"documented with the document; clients ignore the response"`
	KeepsModulesAsSent         bool `switch:"keeps-modules-as-sent" help:"leave new elements of backupVersions as they were sent, instead of setting name and baseUrl" source:"observed with values of the server"`
	ForgetsEndedModules        bool `switch:"forgets-ended-modules" help:"leave a backup module that has ended out of the list of agents" source:"a client's comment says that the console keeps showing it"`
	LockHasNoCode              bool `switch:"lock-has-no-code" help:"return 401 without a code for a PUT of an automation configuration that an external system locks" source:"observed as 401; the code is not known"`
	CamelCaseLock              bool `switch:"camel-case-lock" help:"spell the policy of that lock ExternallyManagedLock" source:"so in an example of the documentation; observed as EXTERNALLY_MANAGED_LOCK"`
}
