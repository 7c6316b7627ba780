package emulator

// Unknowns are facts that the documentation leaves open or contradicts. The zero value is the most
// likely combination. All combinations are possible, so a client must work with each of them.
// [Options.Switches] describes each fact.
type Unknowns struct {
	// Requests and responses
	IgnoresUnknownFields   bool
	RejectsReturnedMembers bool
	ChallengeHasBody       bool
	VersionHeader          string
	DeleteReturnsObject    bool

	// Backup configurations
	PatchReturns202            bool
	KeepsFieldsOfRefusedStatus bool
	UnmonitoredIsConflict      bool
	RestartProvisions          bool
	RestartDropsSnapshots      bool
	BareInactive               bool
	EngineOfInactive           bool
	OmitsFalse                 bool
	IgnoresNamespaces          bool
	BothNamespaceLists         bool
	RefusesNoneForManaged      bool
	ReversesNamespaces         bool
	ReturnsUsername            bool
	ReturnsSyncSource          bool
	ReturnsRevocationCheck     bool
	WholeClusterHasNoShard     bool

	// Snapshot schedules
	OmitsScheduleLinks          bool
	InactiveSchedule            int
	NoScheduleInTransition      bool
	ScheduleSurvivesTermination bool

	// Snapshots
	OldestSnapshotFirst         bool
	OmitsCreatedTime            bool
	HidesRunningSnapshot        bool
	RunningSnapshotLacksExpires bool
	SnapshotAppearsAfter        int
	OnDemandReturns202          bool
	SnapshotDeleteReturns202    bool
	ReleaseSetsExpires          bool
	ReleaseRequiresExpires      bool
	KeepsLastSnapshot           bool

	// Restores
	RestoreReturns201          bool
	EchoesDeliveryMethod       bool
	ShardJobsNameTheCluster    bool
	LinkAtTheEnd               bool
	BatchAppearsAfter          int
	OplogArrivesAfter          int
	ForgetsFinishedRestores    bool
	ExpiredSnapshotsAreDeleted bool
	AllVersionsHaveTimeRanges  bool

	// Backup stores
	PostReturns201              bool
	RefusesExistingStore        bool
	PutCreatesStore             bool
	RefusesToDeleteMissingStore bool
	RefusesHostLists            bool
	AssignsByDefault            bool
	IgnoresMaskedSecrets        bool
	SecretMask                  string
	OmitsSecretKey              bool
	RedactsCertificates         bool
	DashedProbeCode             bool
	DeletesAssignableStores     bool
	KeepsAssignableStores       bool

	// Daemons and job configurations
	DaemonSwitchesDefaultToFalse bool
	UnconfiguredDaemonHasNoID    bool
	RefusesToDeleteMissingDaemon bool
	MissingDaemonHasNoBody       bool
	ReturnsUnconfiguredDaemons   bool
	MissingDaemonHasNoCode       bool
	ForgetsDeletedDaemons        bool
	MissingJobConfigIs401        bool
	ReturnsEmptyFilters          bool
	ShowsKMIPPassword            bool
	DeletesNamedStores           bool
}
