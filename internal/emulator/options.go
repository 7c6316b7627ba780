package emulator

import (
	"net/http"
	"time"
)

// BasePath is the prefix of all paths of the API.
const BasePath = "/api/public/v1.0"

// The default key pair.
const (
	DefaultPublicKey  = "emulator"
	DefaultPrivateKey = "00000000-1111-2222-3333-444444444444"
)

// Profile selects the part of the API that the emulator serves.
type Profile string

const (
	// Full serves all operations of the emulator.
	Full Profile = "full"
	// Documented serves only four operations: PATCH of a snapshot schedule, the list of
	// backup configurations, the list of snapshots of a config server, and DELETE of a
	// deployment region. Other methods on their paths return 405, and other paths return
	// 404 RESOURCE_NOT_FOUND, unless UnknownRoutes is set.
	Documented Profile = "documented"
)

// UnknownRoutes selects the response to an unknown method or path.
type UnknownRoutes string

const (
	// APIDocument returns the API's error document: 404 RESOURCE_NOT_FOUND for a path,
	// 405 for a method.
	APIDocument UnknownRoutes = "document"
	// GoText returns 404 with the plain text of Go's http.NotFound.
	GoText UnknownRoutes = "go"
	// NginxPage returns 404 with the page of nginx.
	NginxPage UnknownRoutes = "nginx"
)

// Options configures an [Emulator]. The zero value behaves as documented, with the default
// seed.
type Options struct {
	// Profile defaults to Full.
	Profile Profile
	// UnknownRoutes defaults to APIDocument. The other responses are the same for unknown
	// methods and unknown paths.
	UnknownRoutes UnknownRoutes
	// PublicKey and PrivateKey are the user name and password for Digest. They default to
	// DefaultPublicKey and DefaultPrivateKey.
	PublicKey, PrivateKey string
	// Seed is the initial state. It defaults to DefaultSeed(). It is copied. New panics if
	// it has invalid IDs or references.
	Seed *Seed
	// Now is the clock. It defaults to time.Now. New reads it for the times of the seed that are
	// relative to the start. It must not call the emulator.
	Now func() time.Time

	// Lenient accepts requests that real servers accept, although the documentation lacks them,
	// such as unknown query parameters. Tests of a client leave it out, so that they notice
	// its mistakes. make emulator sets it.
	Lenient bool
	// Challenge is the name of the parameter of the Digest challenge that offers auth:
	// "qop" (default) as in RFC 7616, "op" as in the public documentation, or "none".
	Challenge string
	// NonceLifetime is how long a nonce is valid. 0 means forever.
	NonceLifetime time.Duration
	// NonceUses is the number of requests that a nonce is valid for. 0 means any number.
	NonceUses int
	// UnlistedCalls is the number of calls that fail with 403 RESOURCE_REQUIRES_ACCESS_LIST, as
	// until the caller's address is on the access list of the key. -1 means all.
	UnlistedCalls int

	// ServiceVersion is the version of Ops Manager, as in X-MongoDB-Service-Version. Calls
	// and fields that this version does not have are unknown. It defaults to the newest.
	ServiceVersion string
	// Unknowns selects the behavior that the documentation leaves open.
	Unknowns Unknowns
	// MaxItemsPerPage is the maximum page size. Larger pages are truncated silently. It
	// defaults to 500 as documented. Ops Manager 4.0 and older have 100.
	MaxItemsPerPage int
	// OmitFields lists fields that returned schedules leave out. Documented examples leave
	// out the hour, the minute and the offset.
	OmitFields []string
	// OmitTotalCount leaves totalCount out of lists.
	OmitTotalCount bool
	// TotalCount, if set, returns the totalCount of a list with a number of items. It must
	// not call the emulator.
	TotalCount func(count int) int
	// Adjust, if set, can change a schedule that is about to be stored. It receives the
	// schedule before and after the update and the sorted names of the fields that were
	// sent. It runs after the built-in coupling of fields, and not if no field was sent.
	// It must not call the emulator.
	Adjust func(before, after map[string]any, sent []string)

	// AdjustRegion, if set, can change a deployment region that is about to be stored. It
	// must not call the emulator.
	AdjustRegion func(region map[string]any)
	// AdjustStore, if set, can change a backup store that is about to be stored. It must
	// not call the emulator.
	AdjustStore func(kind StoreKind, store map[string]any)

	// TransitionReads is the number of reads of a backup configuration that return
	// PROVISIONING or TERMINATING before STARTED or INACTIVE, of the snapshots of a cluster that
	// return a snapshot as incomplete, of the backup agents of a project that lack a new backup
	// module, and of the status of Automation before it achieves a new configuration. It defaults
	// to 2. -1 means none.
	TransitionReads int
	// TransitionTime is how long transitions, snapshots, restores and starts of backup modules take if
	// they are read less often, also a snapshot of a started backup that is incomplete in the seed. It defaults
	// to a minute. -1 means forever.
	TransitionTime time.Duration
	// AwaitApproval keeps a backup in PROVISIONING until SetBackupStatus, as an
	// administrator's approval may be required.
	AwaitApproval bool
	// NoStores makes each start of a backup fail, as without a store that can be assigned: with 409
	// without a code, as observed on 8.0.23, and before 8.0 with 500 UNEXPECTED_ERROR, as reported.
	NoStores bool
	// ModuleHosts selects the hosts of a cluster that need the backup module before its backup
	// leaves PROVISIONING: "none" (default), "shard" for one host of each shard, or "every". The
	// hosts are those of the members, the hosts and the processes in the seed. A cluster without any
	// needs none.
	ModuleHosts string
	// NoAutomationRole refuses the automation configuration, as for a key without the role Project
	// Automation Admin or Project Owner.
	NoAutomationRole bool
	// UnreportedStarts is the number of starts of backups that fail with 409 without a code,
	// as observed until the agents of a new cluster have reported the version of MongoDB.
	UnreportedStarts int

	// RestoreReads is the number of reads of a restore job that return IN_PROGRESS before
	// its end. It defaults to 2. -1 means none.
	RestoreReads int
	// RestoreOutcome is the status that restore jobs end with: FINISHED (default), BROKEN,
	// KILLED, or an undocumented one.
	RestoreOutcome string

	// StaleReads is the number of reads of a schedule, a backup configuration, a deployment
	// region, a backup store, a daemon, a job configuration or an automation configuration that return the state before the last write, and of the
	// restore jobs of a cluster that don't return new ones. StaleResponses makes
	// the response to the write return that state too. This is documented for backup
	// configurations only, but servers that share a database may behave like that.
	StaleReads     int
	StaleResponses bool

	// Latency is the delay before each request is handled.
	Latency time.Duration
	// Unrecorded keeps no request in memory after its response, so Requests returns none. A
	// server that runs for long, and that others can reach, needs it.
	Unrecorded bool
	// OnRequest, if set, is called after each response, by the goroutine that sent it.
	OnRequest func(Request)
	// OnChange, if set, is called with each change that a request made, or that it is the first one to
	// notice, by the goroutine that sent it.
	OnChange func(Change)
}

// Request is a request that the emulator received.
type Request struct {
	Method string
	// Path is the escaped path as sent by the client, without BasePath.
	Path  string
	Query string
	// Header has the header fields without Authorization.
	Header http.Header
	// Authenticated reports whether Digest authentication succeeded.
	Authenticated bool
	// Challenged reports whether the response is a Digest challenge that a client answers with its
	// next request: the request had no credentials, or an expired nonce.
	Challenged bool
	Body       []byte
	// Status is the status of the response. It is 0 while the request is in progress, and
	// if the connection was closed.
	Status int
}

// Change is what happened to an object.
type Change struct {
	Verb   string // created, changed, deleted, or [Replaced]
	ID     string // identifies the object among all of them
	Object string // in words, such as: the snapshot schedule of cluster "ledger" in project "Payments"
	Fields []FieldChange
	// InTime reports that no request asked for it: what a request has begun went on as time passed.
	InTime bool
}

// Replaced is the verb for an object that was deleted and created again.
const Replaced = "deleted and created again"

// FieldChange is a field that changed.
type FieldChange struct {
	Name string // such as machine.headRootDirectory
	// From and To are the values in JSON, or empty if the field was or is not set. The value of a secret,
	// or of a field that the documentation lacks, is replaced by [NotShown].
	From, To string
}

// NotShown stands for a value that may be a secret.
const NotShown = "(not shown)"
