// Package assumptions has what the provider and the emulator assume about Ops Manager although the
// documentation leaves it open, how a real Ops Manager can settle each of them, and the report of what
// one showed.
package assumptions

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/emulator"
)

// Name is the name of an assumption. If the emulator has an option for it, it is that of the option.
type Name string

// Assumption is a fact about Ops Manager that its documentation leaves open.
type Assumption struct {
	Name Name
	// About is what it is about, Expected what is assumed, and Otherwise what it is if it differs. If
	// Otherwise is empty, only the response shows it.
	About, Expected, Otherwise string
	// How it can be settled, and what has to exist or to happen for that.
	How   How
	Needs string
	// Area is the part of the API that shows it, which a key may not read.
	Area Area
	// Since is the first version of Ops Manager that shows it.
	Since Version
	// Report says that the provider may not be ready for a difference.
	Report bool
}

// How is how an assumption can be settled.
type How string

// From the least to the most that it takes.
const (
	ByReading    How = "reading"                      // if the object exists
	InTransition How = "reading in time"              // only while something is in transition
	OneWay       How = "reading, one way"             // seeing it proves it, and not seeing it proves nothing
	OnScratch    How = "a write to a scratch cluster" // make testacc-live
	OnStore      How = "a write of a scratch store"   // make testacc-live with OPSMANAGER_LIVE_ADMIN=1
	TakesMore    How = "more than that"               // changes that no test should make
)

// Area is a part of the API that needs a role of its own.
type Area string

// The areas.
const (
	Projects Area = "projects"
	Stores   Area = "stores"
	Daemons  Area = "daemons"
	Jobs     Area = "job configurations"
	Regions  Area = "deployment regions"
	Modules  Area = "automation configurations"
)

// Role returns the lowest role that may read an area.
func (a Area) Role() string {
	switch a {
	case Projects:
		return "Project Read Only"
	case Modules:
		return "Project Automation Admin"
	default:
		return "Global Backup Admin"
	}
}

// All are all assumptions: first those about all requests and lists, and then those about each type.
var All = slices.Concat(
	aboutRequests,
	aboutConfigs,
	aboutSchedules,
	aboutSnapshots,
	aboutRestores,
	aboutStores,
	aboutDaemons,
	aboutRegions,
	aboutModules,
	aboutAlerts,
)

var aboutRequests = []Assumption{
	{Name: "challenge", About: "the parameter of the Digest challenge that offers auth", Expected: "qop", How: ByReading},
	{Name: "digest-algorithm", About: "the algorithm of Digest", Expected: "MD5", How: ByReading},
	{
		Name:     "nonce-uses",
		About:    "the number of requests that a nonce is valid for",
		Expected: "all",
		How:      OneWay,
		Needs:    "many requests",
	},
	{
		Name:     "nonce-lifetime",
		About:    "how long a nonce is valid",
		Expected: "longer than a survey takes",
		How:      TakesMore,
		Needs:    "reads over a longer time",
	},
	{Name: "version-header", About: "the form of X-MongoDB-Service-Version", Expected: "full", How: ByReading},
	{
		Name:      "profile",
		About:     "the operations that read",
		Expected:  "all of them exist",
		Otherwise: "some are missing",
		How:       ByReading,
		Area:      Projects,
	},
	{Name: "unknown-routes", About: "the response to an unknown path", Expected: "an error document", How: ByReading},
	{
		Name:      "lenient",
		About:     "an unknown query parameter",
		Expected:  "accepted",
		Otherwise: "rejected",
		How:       ByReading,
	},
	{
		Name:      "failures",
		About:     "requests that Ops Manager fails to answer",
		Expected:  "none",
		Otherwise: "without a usable response",
		How:       ByReading,
	},
	{
		Name:      "json-content-type",
		About:     "the media type of responses",
		Expected:  "application/json",
		Otherwise: "another one",
		How:       ByReading,
	},
	{
		Name:     "malformed-id",
		About:    "GET of a project with a malformed ID",
		Expected: "404 INVALID_GROUP_ID",
		How:      ByReading,
		Report:   true,
	},
	{Name: "missing-project", About: "GET of a project that does not exist", Expected: "404 GROUP_NOT_FOUND", How: ByReading},
	{
		Name:      "project-by-name",
		About:     "GET of a project by its name",
		Expected:  "the project",
		Otherwise: "another project",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a project",
		Report:    true,
	},
	{
		Name:     "missing-cluster",
		About:    "GET of a cluster that does not exist",
		Expected: "404 CLUSTER_NOT_FOUND",
		How:      ByReading,
		Area:     Projects,
		Needs:    "a project",
	},
	{
		Name:      "list-links",
		About:     "the links of a list",
		Expected:  "one to itself, and one to the next page if there is one",
		Otherwise: "others",
		How:       ByReading,
	},
	{
		Name:      "list-pages",
		About:     "the second page of a list",
		Expected:  "other items than the first",
		Otherwise: "the same items",
		How:       ByReading,
		Needs:     "a list with two items",
		Report:    true,
	},
	{
		Name:      "omit-total-count",
		About:     "totalCount of a list",
		Expected:  "returned",
		Otherwise: "left out",
		How:       ByReading,
	},
	{
		Name:     "max-items-per-page",
		About:    "the maximum page size",
		Expected: "500",
		How:      ByReading,
		Needs:    "a list with more than 100 items",
	},
	{
		Name:      "decodes",
		About:     "the types of fields",
		Expected:  "as documented",
		Otherwise: "others",
		How:       ByReading,
		Report:    true,
	},
	{
		Name:      "read-only-global-role",
		About:     "a key with a global role that only reads",
		Expected:  "may not read stores, daemons, job configurations and regions",
		Otherwise: "may read them",
		How:       TakesMore,
		Needs:     "a key with that role",
	},
	{Name: "stale-reads", About: "reads after a change that return the old values", Expected: "none", How: OnScratch},
	{
		Name:      "stale-responses",
		About:     "the response to a change",
		Expected:  "the new values",
		Otherwise: "the old values",
		How:       OnScratch,
	},
	{
		Name:      "ignores-unknown-fields",
		About:     "an unknown field of a body",
		Expected:  "rejected",
		Otherwise: "ignored",
		How:       OnScratch,
	},
	{
		Name:      "rejects-returned-members",
		About:     "a field of a body that was returned and is not documented",
		Expected:  "stored",
		Otherwise: "rejected",
		How:       TakesMore,
		Needs:     "an object with such a field",
	},
	{
		Name:      "delete-returns-object",
		About:     "the response to DELETE",
		Expected:  "204",
		Otherwise: "200 with {}",
		How:       OnStore,
	},
}

var aboutConfigs = []Assumption{
	{
		Name:      "unmonitored-is-conflict",
		About:     "GET of the backup configuration of a cluster without one",
		Expected:  "404",
		Otherwise: "409",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a cluster without a backup configuration",
	},
	{
		Name:      "bare-inactive",
		About:     "the backup configuration of an INACTIVE backup",
		Expected:  "has settings",
		Otherwise: "has only IDs and the status",
		How:       ByReading,
		Area:      Projects,
		Needs:     "an INACTIVE backup",
	},
	{
		Name:      "omits-false",
		About:     "fields of a backup configuration that are false",
		Expected:  "returned",
		Otherwise: "left out",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a backup that is not INACTIVE",
	},
	{
		Name:      "both-namespace-lists",
		About:     "the lists of namespaces",
		Expected:  "one of them",
		Otherwise: "both",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a backup that is not INACTIVE",
	},
	{
		Name:      "known-statuses",
		About:     "the statuses of backups",
		Expected:  "the documented ones",
		Otherwise: "others",
		How:       OneWay,
		Area:      Projects,
		Needs:     "a backup",
		Report:    true,
	},
	{
		Name:      "ignores-namespaces",
		About:     "namespace filters",
		Expected:  "kept",
		Otherwise: "accepted and forgotten",
		How:       TakesMore,
		Area:      Projects,
		Needs:     "a new synchronization",
	},
	{
		Name:      "await-approval",
		About:     "a backup after its first start",
		Expected:  "STARTED without an approval",
		Otherwise: "PROVISIONING until someone approves it",
		How:       TakesMore,
		Needs:     "a cluster that was never backed up",
	},
	{
		Name:      "third-party-backup",
		About:     "the list of clusters that other products back up",
		Expected:  "404, as without the feature",
		Otherwise: "returned",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a key with Project Backup Admin",
		Since:     Version{8, 0, 8},
	},
	{
		Name:      "known-third-party-backup",
		About:     "which clusters other products back up",
		Expected:  "known",
		Otherwise: "not known, so the provider refuses to change backups",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a key with Project Backup Admin",
		Report:    true,
	},
}

var aboutSchedules = []Assumption{
	{
		Name:     "inactive-schedule",
		About:    "GET of the schedule of an INACTIVE backup",
		Expected: "409",
		How:      ByReading,
		Area:     Projects,
		Needs:    "an INACTIVE backup",
	},
	{
		Name:     "shard-schedule",
		About:    "GET of the schedule of a shard",
		Expected: "409 CANNOT_MODIFY_SHARD_BACKUP_CONFIG",
		How:      ByReading,
		Area:     Projects,
		Needs:    "a shard with a backup configuration",
	},
	{
		Name:     "omit-fields",
		About:    "the fields of a schedule",
		Expected: "all returned",
		How:      ByReading,
		Area:     Projects,
		Needs:    "a started backup",
	},
	{
		Name:      "schedule-offset",
		About:     "the time zone of a schedule",
		Expected:  "+0000",
		Otherwise: "another one",
		How:       OneWay,
		Area:      Projects,
		Needs:     "a started backup",
		Report:    true,
	},
	{
		Name:      "recent-retention-limit",
		About:     "the recent retention with an interval below 24 hours",
		Expected:  "at most 5 days",
		Otherwise: "longer",
		How:       OneWay,
		Area:      Projects,
		Needs:     "a schedule with a shorter interval",
	},
	{
		Name:     "no-schedule-in-transition",
		About:    "GET of a schedule while its backup is PROVISIONING or TERMINATING",
		Expected: "the schedule",
		How:      InTransition,
		Area:     Projects,
		Needs:    "a backup that starts or ends",
	},
	{
		Name:      "hour-without-minute",
		About:     "a PATCH of a schedule with the hour and without the minute",
		Expected:  "accepted",
		Otherwise: "rejected",
		How:       OnScratch,
		Report:    true,
	},
}

var aboutSnapshots = []Assumption{
	{
		Name:      "oldest-snapshot-first",
		About:     "the order of snapshots",
		Expected:  "the newest first",
		Otherwise: "the oldest first",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a cluster with two snapshots",
	},
	{
		Name:      "omits-created-time",
		About:     "the time in seconds when a snapshot was created",
		Expected:  "returned",
		Otherwise: "left out",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a snapshot",
	},
	{
		Name:      "completed-parameter",
		About:     "completed=all in a list of snapshots",
		Expected:  "accepted",
		Otherwise: "rejected",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a cluster with a backup configuration",
	},
	{
		Name:      "lists-only-complete",
		About:     "a list of snapshots without completed",
		Expected:  "only complete ones",
		Otherwise: "incomplete ones, too",
		How:       OneWay,
		Area:      Projects,
		Needs:     "a snapshot that is being taken",
	},
	{
		Name:     "hides-running-snapshot",
		About:    "GET of a snapshot that is being taken",
		Expected: "the snapshot",
		How:      InTransition,
		Area:     Projects,
		Needs:    "a snapshot that is being taken",
	},
	{
		Name:      "running-snapshot-lacks-expires",
		About:     "the expiry of a snapshot that is being taken",
		Expected:  "returned",
		Otherwise: "left out",
		How:       InTransition,
		Area:      Projects,
		Needs:     "a snapshot that is being taken",
	},
	{
		Name:     "snapshot-appears-after",
		About:    "reads of a list that don't have a requested snapshot yet",
		Expected: "none",
		How:      OnScratch,
		Since:    Version{7, 0, 12},
	},
	{
		Name:      "release-sets-expires",
		About:     "the expiry after doNotDelete: false without one",
		Expected:  "none",
		Otherwise: "set",
		How:       OnScratch,
		Needs:     "a release without an expiry",
		Since:     Version{7, 0, 12},
	},
}

var aboutRestores = []Assumption{
	{
		Name:      "restore-job-fields",
		About:     "the fields of a restore job",
		Expected:  "those that scripts read",
		Otherwise: "some are missing",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a restore job",
		Report:    true,
	},
	{
		Name:      "shard-jobs-name-the-cluster",
		About:     "the cluster of each job of a batch",
		Expected:  "the shard",
		Otherwise: "the whole cluster",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a restore job of a sharded cluster",
	},
	{
		Name:      "forgets-finished-restores",
		About:     "a restore job that was read after its end",
		Expected:  "kept",
		Otherwise: "removed",
		How:       ByReading,
		Area:      Projects,
		Needs:     "a restore job that has ended",
	},
	{
		Name:     "batch-appears-after",
		About:    "reads of restore jobs that don't have all jobs of a new batch",
		Expected: "none",
		How:      OnScratch,
		Needs:    "a sharded cluster",
	},
	{
		Name:     "oplog-arrives-after",
		About:    "restores of a point in time in the last range that are refused",
		Expected: "none",
		How:      TakesMore,
		Needs:    "restores of points in time",
	},
}

var aboutStores = []Assumption{
	{
		Name:     "missing-store",
		About:    "GET of a store that does not exist",
		Expected: "404 MONGO_SNAPSHOT_CONFIG_NOT_FOUND",
		How:      ByReading,
		Area:     Stores,
	},
	{
		Name:      "assignable-only-by-default",
		About:     "a list of stores without assignableOnly",
		Expected:  "only assignable ones",
		Otherwise: "all",
		How:       ByReading,
		Area:      Stores,
		Needs:     "a store that cannot be assigned",
	},
	{
		Name:      "secret-mask",
		About:     "the masks of secrets",
		Expected:  "those that were observed",
		Otherwise: "others, or none",
		How:       ByReading,
		Area:      Stores,
		Needs:     "a store with a password or a key",
		Since:     Version{8, 0, 26},
	},
	{
		Name:      "omits-secret-key",
		About:     "awsSecretKey of an S3 store",
		Expected:  "returned",
		Otherwise: "left out",
		How:       ByReading,
		Area:      Stores,
		Needs:     "an S3 store with keys",
	},
	{
		Name:      "redacts-certificates",
		About:     "the text of a custom certificate",
		Expected:  "returned",
		Otherwise: "masked",
		How:       ByReading,
		Area:      Stores,
		Needs:     "an S3 store with a custom certificate",
		Since:     Version{8, 0, 26},
	},
	{
		Name:      "put-store-without-id",
		About:     "PUT of a store without its ID in the body",
		Expected:  "accepted",
		Otherwise: "refused",
		How:       OnStore,
	},
	{
		Name:      "keeps-assignable-stores",
		About:     "DELETE of a store, other than S3, that backups can be assigned to",
		Expected:  "accepted",
		Otherwise: "refused",
		How:       OnStore,
	},
	{
		Name:      "deletes-assignable-stores",
		About:     "DELETE of an S3 store that backups can be assigned to",
		Expected:  "refused",
		Otherwise: "accepted",
		How:       TakesMore,
		Needs:     "an S3 store",
	},
}

var aboutDaemons = []Assumption{
	{
		Name:      "missing-daemon-has-no-body",
		About:     "the body of the 404 of an unknown daemon",
		Expected:  "an error document",
		Otherwise: "empty",
		How:       ByReading,
		Area:      Daemons,
	},
	{
		Name:     "missing-daemon-has-no-code",
		About:    "the code of the 404 of an unknown daemon",
		Expected: "DAEMON_MACHINE_CONFIG_NOT_FOUND",
		How:      ByReading,
		Area:     Daemons,
	},
	{
		Name:      "backup-jobs-only-by-default",
		About:     "a list of daemons without backupJobsEnabledOnly",
		Expected:  "only those that take backups",
		Otherwise: "all",
		How:       ByReading,
		Area:      Daemons,
		Needs:     "a daemon that takes no backups",
		Since:     Version{6, 0, 21},
	},
	{
		Name:      "returns-unconfigured-daemons",
		About:     "GET of a daemon that was never configured, for any head directory",
		Expected:  "404",
		Otherwise: "the daemon",
		How:       ByReading,
		Area:      Daemons,
		Needs:     "a daemon that was never configured",
	},
	{
		Name:      "returns-empty-filters",
		About:     "a filter that is not set",
		Expected:  "left out",
		Otherwise: "an empty list",
		How:       ByReading,
		Area:      Jobs,
		Needs:     "a job configuration without one of its filters",
	},
	{
		Name:      "masks-kmip-password",
		About:     "the password of a KMIP certificate",
		Expected:  "unredacted",
		Otherwise: "masked",
		How:       ByReading,
		Area:      Jobs,
		Needs:     "a job configuration with one",
		Since:     Version{8, 0, 26},
	},
	{
		Name:      "job-config-label-filter",
		About:     "PUT of a job configuration without labelFilter",
		Expected:  "removes the labels",
		Otherwise: "keeps them",
		How:       TakesMore,
		Needs:     "a change of a job configuration",
		Report:    true,
	},
}

var aboutRegions = []Assumption{
	{
		Name:     "missing-region",
		About:    "GET of a deployment region that does not exist",
		Expected: "404 BACKUP_DEPLOYMENT_NOT_FOUND",
		How:      ByReading,
		Area:     Regions,
		Since:    Version{7, 0, 4},
	},
	{
		Name:      "one-region",
		About:     "GET of a deployment region",
		Expected:  "as in the list",
		Otherwise: "other than in the list",
		How:       ByReading,
		Area:      Regions,
		Needs:     "a deployment region",
		Since:     Version{7, 0, 4},
		Report:    true,
	},
}

// A survey does not read automation configurations, because they are full of secrets.
var aboutModules = []Assumption{
	{
		Name:      "ignores-automation-version",
		About:     "PUT of an automation configuration with the version before the current one",
		Expected:  "409",
		Otherwise: "accepted",
		How:       TakesMore,
		Area:      Modules,
		Needs:     "a change of an automation configuration",
	},
	{
		Name:      "sorts-modules",
		About:     "the order of backupVersions",
		Expected:  "that of the request",
		Otherwise: "by hostname",
		How:       TakesMore,
		Area:      Modules,
		Needs:     "a change of an automation configuration",
	},
	{
		Name:      "refuses-modules-without-name",
		About:     "an element of backupVersions without a name",
		Expected:  "accepted",
		Otherwise: "refused",
		How:       TakesMore,
		Area:      Modules,
		Needs:     "a host without the backup module",
		Report:    true,
	},
	{
		Name:      "refuses-unknown-module-hosts",
		About:     "an element of backupVersions whose host has no agent",
		Expected:  "accepted",
		Otherwise: "refused",
		How:       TakesMore,
		Area:      Modules,
		Needs:     "a change of an automation configuration",
	},
	{
		Name:      "refuses-duplicate-modules",
		About:     "two elements of backupVersions for one host",
		Expected:  "accepted",
		Otherwise: "refused",
		How:       TakesMore,
		Area:      Modules,
		Needs:     "a change of an automation configuration",
	},
	{
		Name:      "refuses-to-end-modules-in-use",
		About:     "the removal of the backup module of a host whose cluster is backed up",
		Expected:  "accepted",
		Otherwise: "refused",
		How:       TakesMore,
		Area:      Modules,
		Needs:     "the end of a backup module",
	},
	{
		Name:      "ignores-backup-agent-policy",
		About:     "a change of backupVersions in spite of the policy DISABLE_BACKUP_AGENT",
		Expected:  "refused",
		Otherwise: "accepted",
		How:       TakesMore,
		Area:      Modules,
		Needs:     "a project with that policy",
	},
}

var names = func() []Name {
	var found []Name
	for _, a := range All {
		found = append(found, a.Name)
	}
	return found
}()

// Find returns the assumption with a name. It panics if there is none.
func Find(name Name) Assumption {
	i := slices.Index(names, name)
	if i < 0 {
		panic(fmt.Sprintf("there is no assumption %q", name))
	}
	return All[i]
}

// Option returns the option of the emulator for an assumption.
func (a Assumption) Option(options *emulator.Options) (emulator.Option, bool) {
	for _, group := range options.Groups() {
		for _, s := range group.Options {
			if s.Name == string(a.Name) {
				return s, true
			}
		}
	}
	return emulator.Option{}, false
}

// IfDifferent says what to do about a difference.
func (a Assumption) IfDifferent() string {
	if a.Report {
		return "Please report this."
	}
	return "The provider handles this."
}

// Version is a version of Ops Manager. The zero value is one that is not known.
type Version [3]int

// ParseVersion parses the beginning of a version, such as 8.0.27.500. Anything else is not known.
func ParseVersion(text string) Version {
	var v Version
	n, err := fmt.Sscanf(text+".", "%d.%d.%d.", &v[0], &v[1], &v[2])
	if err != nil || n != len(v) || slices.Min(v[:]) < 0 {
		return Version{}
	}
	return v
}

// String returns the version, or other.
func (v Version) String() string {
	if v == (Version{}) {
		return "other"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([3]int(v)), " ", "."), "[]")
}

// MarshalText returns the version, or other.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses what MarshalText returns.
func (v *Version) UnmarshalText(text []byte) error {
	if *v = ParseVersion(string(text)); v.String() != string(text) {
		return fmt.Errorf("%q is neither a version, such as 8.0.27, nor other", text)
	}
	return nil
}
