package emulator

// Unknowns are facts that the documentation leaves open or contradicts. The zero value is the most
// likely combination. All combinations are possible, so a client must work with each of them.
//
// StaleReads and StaleResponses of [Options] are also unknown.
type Unknowns struct {
	// PatchReturns202 returns 202 for a change of a backup configuration, as the oldest
	// documentation says. The newest one says 200.
	PatchReturns202 bool
	// KeepsFieldsOfRefusedStatus stores the other fields of a change of a backup
	// configuration if its status is rejected.
	KeepsFieldsOfRefusedStatus bool
	// UnmonitoredIsConflict returns 409 CANNOT_GET_BACKUP_CONFIG_INVALID_STATE for a
	// cluster without a backup configuration, instead of 404 BACKUP_CONFIG_NOT_FOUND.
	UnmonitoredIsConflict bool
	// RestartProvisions makes a restart of a stopped backup pass through PROVISIONING, as
	// the first start does.
	RestartProvisions bool
	// RestartDropsSnapshots deletes the snapshots of a stopped backup when it is started.
	// By some documentation, that happens after the next snapshot.
	RestartDropsSnapshots bool
	// BareInactive returns only the IDs, the status and the links of a backup
	// configuration that is INACTIVE.
	BareInactive bool
	// EngineOfInactive returns the storage engine of an INACTIVE backup configuration, if
	// it has one.
	EngineOfInactive bool
	// OmitsFalse leaves fields that are false out of a backup configuration.
	OmitsFalse bool
	// IgnoresNamespaces accepts namespace filters and forgets them, as Ops Manager does for
	// databases with a newer feature compatibility version.
	IgnoresNamespaces bool
	// OneNamespaceList returns only one of the lists of namespaces, instead of both.
	OneNamespaceList bool
	// ReversesNamespaces returns namespaces in the reverse order.
	ReversesNamespaces bool
	// ReturnsUsername, ReturnsSyncSource and ReturnsRevocationCheck return these fields
	// of a backup configuration.
	ReturnsUsername, ReturnsSyncSource, ReturnsRevocationCheck bool

	// InactiveSchedule is the status of the response to GET of a schedule while its backup
	// is INACTIVE: 409 (default), 404 or 200. PATCH fails in any case.
	InactiveSchedule int
	// NoScheduleInTransition makes a schedule unavailable while its backup is PROVISIONING
	// or TERMINATING, with the response of InactiveSchedule.
	NoScheduleInTransition bool
	// ScheduleSurvivesTermination keeps a schedule when its backup is terminated. Otherwise
	// it is reset to the documented default.
	ScheduleSurvivesTermination bool

	// RestoreReturns201 returns 201 for a new restore job, as other operations of the API
	// do. The documentation says 200.
	RestoreReturns201 bool
	// EchoesDeliveryMethod returns the requested method of delivery of a restore job. By the
	// documentation, it is always HTTP.
	EchoesDeliveryMethod bool
	// ShardJobsNameTheShard returns the IDs of the shard and of its part of the snapshot in
	// a restore job of a sharded cluster, instead of those of the whole.
	ShardJobsNameTheShard bool
	// BatchAppearsAfter is the number of reads of restore jobs that have only the first job of a
	// new batch, as the response to the request has then.
	BatchAppearsAfter int
	// OplogArrivesAfter is the number of requests to restore a point in time of the last range
	// that are refused, because the oplog has not arrived. Tests of another client try again
	// for ten minutes.
	OplogArrivesAfter int
	// ForgetsFinishedRestores removes a restore job after the first read that follows its end.
	// How long Ops Manager keeps restore jobs is not documented.
	ForgetsFinishedRestores bool
	// ExpiredSnapshotsAreDeleted rejects a restore of a snapshot that has expired.
	// According to the documentation, Ops Manager deletes it at the next opportunity,
	// which may be later.
	ExpiredSnapshotsAreDeleted bool
	// AllVersionsHaveTimeRanges serves restorable time ranges in all versions. Only the
	// newest documentation has them, and the release notes of 8.0.6 are the first that
	// mention them.
	AllVersionsHaveTimeRanges bool

	// OmitsCreatedTime leaves the seconds out of the time when a snapshot was created, as
	// documented. Scripts read them.
	OmitsCreatedTime bool
	// HidesRunningSnapshot returns 404 for a snapshot that is being taken. A list has it.
	HidesRunningSnapshot bool
	// RunningSnapshotLacksExpires leaves the expiry out of a snapshot that is being taken.
	RunningSnapshotLacksExpires bool
	// SnapshotAppearsAfter is the number of reads of a list that do not have a snapshot on
	// demand yet.
	SnapshotAppearsAfter int
	// OnDemandReturns202 and SnapshotDeleteReturns202 return 202 for these requests, instead
	// of 200 and 204.
	OnDemandReturns202, SnapshotDeleteReturns202 bool
	// ReleaseSetsExpires sets an expiry for a snapshot whose doNotDelete becomes false
	// without one. ReleaseRequiresExpires rejects that. Otherwise the snapshot has none.
	ReleaseSetsExpires, ReleaseRequiresExpires bool
	// KeepsLastSnapshot rejects the deletion of the last complete snapshot of a cluster.
	KeepsLastSnapshot bool

	// PostReturns201 returns 201 for a new backup store. The documentation shows 200.
	PostReturns201 bool
	// PostOverwritesStore makes POST replace a backup store with the same ID. Otherwise it
	// fails with 409 without a code.
	PostOverwritesStore bool
	// AssignsByDefault makes a backup store assignable if a request leaves out
	// assignmentEnabled.
	AssignsByDefault bool
	// IgnoresMaskedSecrets makes PUT keep a secret of a backup store if the request has its
	// mask. Otherwise PUT stores the mask. Only the client secret is documented: it is kept.
	IgnoresMaskedSecrets bool
	// SecretMask is the text of a masked secret. By default, the masks are those that were observed.
	SecretMask string
	// OmitsSecretKey leaves awsSecretKey out of responses.
	OmitsSecretKey bool
	// RedactsCertificates returns custom certificates without their text from 8.0.26 on.
	RedactsCertificates bool
	// DashedProbeCode spells the code of a failed probe of a bucket
	// BACKUP-S3-VALIDATION_FAILED instead of BACKUP_S3_VALIDATION_FAILED.
	DashedProbeCode bool
	// DeletesAssignableStores deletes S3 blockstores that projects can be assigned to.
	// KeepsAssignableStores refuses to delete such stores of the other kinds, too.
	DeletesAssignableStores, KeepsAssignableStores bool

	// DaemonSwitchesDefaultToTrue makes a switch of a daemon true, such as assignmentEnabled,
	// if a request leaves it out.
	DaemonSwitchesDefaultToTrue bool
	// ReturnsUnconfiguredDaemons returns a registered daemon that was never configured for any
	// head directory, without one. Otherwise, it is in the list only.
	ReturnsUnconfiguredDaemons bool
	// MissingDaemonHasNoCode returns 404 without a code for a daemon that is not registered.
	MissingDaemonHasNoCode bool
	// ForgetsDeletedDaemons keeps a deleted daemon from registering again. Otherwise, its
	// process registers again, because it is still running.
	ForgetsDeletedDaemons bool

	// MissingJobConfigIs401 returns 401 for a project without a job configuration, as 6.0 was
	// observed to. Later versions return 404.
	MissingJobConfigIs401 bool
	// ReturnsEmptyFilters returns an empty list for a filter that is not set. Otherwise it is
	// left out.
	ReturnsEmptyFilters bool
	// ShowsKMIPPassword returns the password of a KMIP certificate in clear, as an example in
	// the documentation does. Otherwise it is masked from 8.0.26 on, as in stores.
	ShowsKMIPPassword bool
	// DeletesNamedStores deletes a store that a job configuration names, in all versions. The
	// release notes of 8.0.27 say that it is refused.
	DeletesNamedStores bool
}
