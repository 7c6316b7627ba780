package emulator

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
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
// seed. The tags of a field with a plain value have the name and the texts of its [Option], and the first
// field of a group has that of the [OptionGroup].
type Options struct {
	// Seed is the initial state. It defaults to DefaultSeed(). It is copied. New panics if
	// it has invalid IDs or references.
	Seed *Seed
	// Now is the clock. It defaults to time.Now. New reads it for the times of the seed that are
	// relative to the start. Like the other functions here, it must not call the emulator.
	Now func() time.Time
	// Unknowns selects the behavior that the documentation leaves open.
	Unknowns Unknowns
	// TotalCount, if set, returns the totalCount of a list with a number of items.
	TotalCount func(count int) int
	// Adjust, if set, can change a schedule that is about to be stored. It receives the
	// schedule before and after the update and the sorted names of the fields that were
	// sent. It runs after the built-in coupling of fields, and not if no field was sent.
	Adjust func(before, after map[string]any, sent []string)
	// Unrecorded keeps no request in memory after its response, so Requests returns none. A
	// server that runs for long, and that others can reach, needs it.
	Unrecorded bool
	// OnRequest, if set, is called after each response, by the goroutine that sent it.
	OnRequest func(Request)
	// OnChange, if set, is called with each change that a request made, or that it is the first one to
	// notice, by the goroutine that sent it.
	OnChange func(Change)

	Profile       Profile       `group:"Requests" option:"profile" default:"full" of:"full,documented" help:"\x60operations\x60 to serve: full; or documented, which is only PATCH of a schedule, the lists of backup configurations and of config server snapshots, and DELETE of a region"`
	PublicKey     string        `option:"public-key" help:"user name for Digest"`
	PrivateKey    string        `option:"private-key" help:"password for Digest"`
	Keys          []string      `option:"keys" help:"comma-separated API \x60keys\x60 with roles, which have the password of private-key, such as reader:GROUP_READ_ONLY@64f0c2a19b3d5e7f80a1b2c3+GROUP_BACKUP_ADMIN@64f0c2d57c1e4a6b92d3f4e5 or admin:GLOBAL_BACKUP_ADMIN; a call whose role is not documented is allowed, and printed"`
	Challenge     string        `option:"challenge" default:"qop" of:"qop,op,none" help:"\x60parameter\x60 of the Digest challenge that offers auth: qop, op or none" source:"the documentation has op"`
	Lenient       bool          `option:"lenient" help:"accept requests that real servers accept and the documentation lacks: unknown query parameters, null in place of a missing field, values in a PATCH that were returned before, an nc of another length, and slashes at the beginning and at the end of a path" source:"clients of others that work on real servers send them"`
	NonceLifetime time.Duration `option:"nonce-lifetime" help:"how long a nonce is valid; 0 means forever"`
	NonceUses     int           `option:"nonce-uses" help:"number of requests that a nonce is valid for; 0 means any number"`
	UnlistedCalls int           `option:"unlisted-calls" help:"number of calls that fail with 403 RESOURCE_REQUIRES_ACCESS_LIST, as until the caller's address is on the access list of the key; -1 means all" source:"the code and its parameter were observed"`
	Latency       time.Duration `option:"latency" help:"delay before each request is handled"`

	ServiceVersion  string        `group:"Responses" option:"service-version" help:"\x60version\x60 of Ops Manager to emulate; operations and fields that it lacks are rejected"`
	UnknownRoutes   UnknownRoutes `option:"unknown-routes" default:"document" of:"document,go,nginx" help:"\x60response\x60 to operations that the profile lacks: document, the error document of the API; go, the text of http.NotFound; nginx, its error page"`
	MaxItemsPerPage int           `option:"max-items-per-page" default:"500" help:"maximum page size; Ops Manager 4.0 and older have 100"`
	OmitTotalCount  bool          `option:"omit-total-count" help:"leave totalCount out of lists"`

	TransitionReads  int           `group:"Backup configurations" option:"transition-reads" default:"2" help:"number of reads of a backup configuration that return PROVISIONING or TERMINATING, of a new snapshot that is incomplete, and of the agents that lack a new backup module; -1 means none"`
	TransitionTime   time.Duration `option:"transition-time" default:"1m" help:"how long transitions, snapshots, restores and starts of backup modules take unless enough reads end them earlier; with -1s, only reads end them"`
	AwaitApproval    bool          `option:"await-approval" help:"keep backups in PROVISIONING after their start"`
	NoStores         bool          `option:"no-stores" help:"fail each start of a backup with 409 (500 before 8.0), as without a store" source:"observed on 8.0.23"`
	ThirdPartyBackup bool          `option:"third-party-backup" help:"list the clusters that other products back up, since 8.0.8, as with mms.featureFlag.backup.thirdPartyManaged; so does a seed with such clusters" source:"observed on 8.0.23"`
	StaleReads       int           `option:"stale-reads" help:"number of reads of a backup configuration after a change that return the old values" source:"documented"`
	StaleResponses   bool          `option:"stale-responses" help:"return the old values in the response to a change, too" source:"as for stale-reads"`
	UnreportedStarts int           `option:"unreported-starts" help:"number of starts of backups that fail with 409, as until the agents of a new cluster have reported" source:"observed in 2026"`

	OmitFields []string `group:"Snapshot schedules" option:"omit-fields" help:"comma-separated \x60fields\x60 that returned schedules leave out" source:"documented examples leave out the hour, the minute and the offset"`

	RestoreReads   int    `group:"Restores" option:"restore-reads" default:"2" help:"number of reads of a restore job that return IN_PROGRESS; -1 means none"`
	RestoreOutcome string `option:"restore-outcome" default:"FINISHED" help:"\x60status\x60 that restore jobs end with, such as FINISHED, BROKEN or KILLED"`
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
	// IsRoleUnknown reports whether the key of the request has roles, and no documentation says which one the call
	// needs. It was allowed.
	IsRoleUnknown bool
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

// Option is an option with a plain value. make emulator has a flag with its name.
type Option struct {
	Name string
	// Value points to the option. It is a *bool, *int, *string, *time.Duration or *[]string.
	Value any
	// Help says what the option does. If only a real Ops Manager can show which value is right,
	// Source says where the values come from.
	Help, Source string
	byDefault    string // instead of a zero value
	choices      string // separated by commas, if there are some
}

// Set sets the value from the text of a flag.
func (o Option) Set(text string) (err error) {
	switch value := o.Value.(type) {
	case *bool:
		*value, err = strconv.ParseBool(text)
	case *int:
		*value, err = strconv.Atoi(text)
	case *string:
		*value = text
	case *time.Duration:
		*value, err = time.ParseDuration(text)
	case *[]string:
		*value = strings.Split(text, ",")
	}
	return err
}

// Text returns the value as the text of a flag.
func (o Option) Text() string {
	value := reflect.ValueOf(o.Value).Elem()
	if names, ok := value.Interface().([]string); ok {
		return strings.Join(names, ",")
	}
	return fmt.Sprint(value)
}

// OptionGroup is a group of options.
type OptionGroup struct {
	Name    string
	Options []Option
}

// Groups returns the options that have a plain value, in groups.
func (o *Options) Groups() []OptionGroup {
	var groups []OptionGroup
	for _, name := range []string{
		"Requests", "Responses", "Backup configurations", "Snapshot schedules", "Snapshots", "Restores", "Backup stores",
		"Daemons and job configurations", "Automation",
	} {
		groups = append(groups, OptionGroup{Name: name})
	}
	var group *OptionGroup
	for _, options := range []any{o, &o.Unknowns} {
		for field, value := range reflect.ValueOf(options).Elem().Fields() {
			if name := field.Tag.Get("group"); name != "" {
				group = &groups[slices.IndexFunc(groups, func(g OptionGroup) bool {
					return g.Name == name
				})]
			}
			if name := field.Tag.Get("option"); name != "" {
				address := value.Addr()
				if value.Kind() == reflect.String {
					address = address.Convert(reflect.TypeFor[*string]())
				}
				group.Options = append(group.Options, Option{
					Name:      name,
					Value:     address.Interface(),
					Help:      field.Tag.Get("help"),
					Source:    field.Tag.Get("source"),
					byDefault: field.Tag.Get("default"),
					choices:   field.Tag.Get("of"),
				})
			}
		}
	}
	return groups
}

// Check returns an error if an option has an impossible value.
func (o *Options) Check() error {
	for _, group := range o.Groups() {
		for _, s := range group.Options {
			if s.choices != "" && !slices.Contains(strings.Split(s.choices, ","), s.Text()) {
				return fmt.Errorf("%s: %s is not one of %s", s.Name, s.Text(), s.choices)
			}
		}
	}
	if o.MaxItemsPerPage < 1 {
		return fmt.Errorf("max-items-per-page: %d is less than 1", o.MaxItemsPerPage)
	}
	for _, key := range o.Keys {
		if _, err := parseKey(key); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
	}
	if _, err := parseVersion(o.ServiceVersion); err != nil {
		return fmt.Errorf("service-version: %w", err)
	}
	return nil
}
