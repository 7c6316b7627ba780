package emulator

// Unknowns are facts that the documentation leaves open or contradicts. The zero value is the most
// likely combination. All combinations are possible, so a client must work with each of them.
type Unknowns struct {
	IgnoresUnknownFields   bool `group:"Requests" option:"ignores-unknown-fields" help:"ignore unknown fields of a body, instead of rejecting them with 400" source:"documented as rejected"`
	RejectsReturnedMembers bool `option:"rejects-returned-members" help:"reject a field of a body that Ops Manager returned before, and that the documentation lacks, instead of storing it" source:"documented as rejected"`

	VersionHeader       string `group:"Responses" option:"version-header" default:"full" of:"full,master,hash,none" help:"\x60form\x60 of X-MongoDB-Service-Version: full; master, in place of the version; hash, without a version; or none" source:"full, master and none were observed"`
	DeleteReturnsObject bool   `option:"delete-returns-object" help:"return 200 with {} for a successful DELETE, instead of 204" source:"both were observed"`

	UnmonitoredIsConflict bool `group:"Backup configurations" option:"unmonitored-is-conflict" help:"return 409 CANNOT_GET_BACKUP_CONFIG_INVALID_STATE for a cluster without a backup configuration, instead of 404" source:"both codes are documented"`
	BareInactive          bool `option:"bare-inactive" help:"return only the IDs, the status and the links of an INACTIVE backup" source:"not documented"`
	OmitsFalse            bool `option:"omits-false" help:"leave out fields that are false" source:"examples in the documentation differ"`
	IgnoresNamespaces     bool `option:"ignores-namespaces" help:"accept namespace filters and forget them" source:"documented for newer feature compatibility versions, with different limits"`
	BothNamespaceLists    bool `option:"both-namespace-lists" help:"return both lists of namespaces, instead of only excludedNamespaces or the one that has elements" source:"observed with one; examples in the documentation have both"`

	InactiveSchedule       int  `group:"Snapshot schedules" option:"inactive-schedule" default:"409" of:"409,404,200" help:"\x60status\x60 of the response to GET while the backup is INACTIVE: 409, 404 or 200; PATCH fails in any case" source:"not documented"`
	NoScheduleInTransition bool `option:"no-schedule-in-transition" help:"make a schedule unavailable while its backup is PROVISIONING or TERMINATING, too" source:"not documented"`

	OldestSnapshotFirst         bool `group:"Snapshots" option:"oldest-snapshot-first" help:"list the oldest snapshot first, instead of the newest" source:"no order is documented; observed newest first on 4.4"`
	OmitsCreatedTime            bool `option:"omits-created-time" help:"leave the seconds out of the time when a snapshot was created" source:"documented without them, observed with them on 4.4"`
	HidesRunningSnapshot        bool `option:"hides-running-snapshot" help:"return 404 for a snapshot that is being taken; a list has it" source:"not documented"`
	RunningSnapshotLacksExpires bool `option:"running-snapshot-lacks-expires" help:"leave the expiry out of a snapshot that is being taken" source:"not documented"`
	SnapshotAppearsAfter        int  `option:"snapshot-appears-after" help:"number of reads of a list that do not have a snapshot on demand yet" source:"not documented"`
	ReleaseSetsExpires          bool `option:"release-sets-expires" help:"set an expiry if doNotDelete becomes false without one" source:"not documented"`

	ShardJobsNameTheCluster bool `group:"Restores" option:"shard-jobs-name-the-cluster" help:"return the IDs of the sharded cluster and its snapshot in each job of a batch, instead of those of the shard" source:"observed with those of the shard on 4.0"`
	BatchAppearsAfter       int  `option:"batch-appears-after" help:"number of reads of restore jobs that have only the first job of a new batch, as the response to the request has then" source:"not documented"`
	OplogArrivesAfter       int  `option:"oplog-arrives-after" help:"number of requests to restore a point in time of the last range that are refused" source:"tests of a client try again for ten minutes"`
	ForgetsFinishedRestores bool `option:"forgets-finished-restores" help:"remove a restore job after the first read that follows its end" source:"not documented"`

	OmitsSecretKey          bool `group:"Backup stores" option:"omits-secret-key" help:"leave awsSecretKey out of responses" source:"not documented"`
	RedactsCertificates     bool `option:"redacts-certificates" help:"return custom certificates without their text since 8.0.26" source:"not documented"`
	DeletesAssignableStores bool `option:"deletes-assignable-stores" help:"delete S3 stores that backups can be assigned to" source:"reports differ"`
	KeepsAssignableStores   bool `option:"keeps-assignable-stores" help:"refuse to delete stores of the other kinds that backups can be assigned to" source:"reports differ"`

	MissingDaemonHasNoBody     bool `group:"Daemons and job configurations" option:"missing-daemon-has-no-body" help:"return 404 without a body for a daemon that is not registered" source:"a client's comment says that it happens"`
	ReturnsUnconfiguredDaemons bool `option:"returns-unconfigured-daemons" help:"return a daemon that was never configured for any head directory, without one, instead of only in the list" source:"not documented"`
	MissingDaemonHasNoCode     bool `option:"missing-daemon-has-no-code" help:"return 404 without a code to GET of a daemon that is not registered" source:"observed with a code for PUT on 8.0"`
	ReturnsEmptyFilters        bool `option:"returns-empty-filters" help:"return an empty list for a filter that is not set" source:"not documented"`
	MasksKMIPPassword          bool `option:"masks-kmip-password" help:"mask the password of a KMIP certificate since 8.0.26, as those of stores" source:"the notes of 8.0.26 name credentials for AWS and databases only"`

	IgnoresAutomationVersion bool `group:"Automation" option:"ignores-automation-version" help:"accept a PUT of an automation configuration with any version, so that the later change wins, instead of returning 409 AUTOMATION_CONFIG_CONCURRENT_MODIFICATION for an older one" source:"the page of the operation has no protection, the table of errors and a log have the 409"`

	ReversesNotifications bool `group:"Responses" option:"reverses-notifications" help:"return notifications in the reverse order" source:"no order is documented"`
	ReturnsEmptyRoles     bool `option:"returns-empty-roles" help:"return an empty list of roles for a notification of all members of a project" source:"not documented"`
}
