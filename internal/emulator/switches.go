package emulator

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
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

// Set sets the value from the text of a flag.
func (s Switch) Set(text string) (err error) {
	switch value := s.Value.(type) {
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
func (s Switch) Text() string {
	value := reflect.ValueOf(s.Value).Elem()
	if names, ok := value.Interface().([]string); ok {
		return strings.Join(names, ",")
	}
	return fmt.Sprint(value)
}

// SwitchGroup is a group of switches.
type SwitchGroup struct {
	Name     string
	Switches []Switch
}

// Switches returns the switches of the options.
func (o *Options) Switches() []SwitchGroup {
	groups := []SwitchGroup{
		{"Requests", []Switch{
			{"profile", (*string)(&o.Profile), "`operations` to serve: full; or documented, which is only PATCH of a schedule, the lists of backup configurations and of config server snapshots, and DELETE of a region", ""},
			{"public-key", &o.PublicKey, "user name for Digest", ""},
			{"private-key", &o.PrivateKey, "password for Digest", ""},
			{"challenge", &o.Challenge, "`parameter` of the Digest challenge that offers auth: qop, op or none", "the documentation has op"},
			{"lenient", &o.Lenient, "accept requests that real servers accept and the documentation lacks: unknown query parameters, null in place of a missing field, values in a PATCH that were returned before, an nc of another length, and slashes at the beginning and at the end of a path", "clients of others that work on real servers send them"},
			{"nonce-lifetime", &o.NonceLifetime, "how long a nonce is valid; 0 means forever", ""},
			{"nonce-uses", &o.NonceUses, "number of requests that a nonce is valid for; 0 means any number", ""},
			{"unlisted-calls", &o.UnlistedCalls, "number of calls that fail with 403 RESOURCE_REQUIRES_ACCESS_LIST, as until the caller's address is on the access list of the key; -1 means all", "the code and its parameter were observed"},
			{"latency", &o.Latency, "delay before each request is handled", ""},
		}},
		{"Responses", []Switch{
			{"service-version", &o.ServiceVersion, "`version` of Ops Manager to emulate; operations and fields that it lacks are rejected", ""},
			{"unknown-routes", (*string)(&o.UnknownRoutes), "`response` to operations that the profile lacks: document, the error document of the API; go, the text of http.NotFound; nginx, its error page", ""},
			{"max-items-per-page", &o.MaxItemsPerPage, "maximum page size; Ops Manager 4.0 and older have 100", ""},
			{"omit-total-count", &o.OmitTotalCount, "leave totalCount out of lists", ""},
			{"stale-reads", &o.StaleReads, "number of reads after a change that return the old values", "documented for backup configurations; servers that share a database may do it"},
			{"stale-responses", &o.StaleResponses, "return the old values in the response to a change, too", "as for stale-reads"},
		}},
		{"Backup configurations", []Switch{
			{"transition-reads", &o.TransitionReads, "number of reads of a backup configuration that return PROVISIONING or TERMINATING, of a new snapshot that is incomplete, and of the agents that lack a new backup module; -1 means none", ""},
			{"transition-time", &o.TransitionTime, "how long transitions, snapshots, restores and starts of backup modules take if they are read less often, also a snapshot of a started backup that is incomplete in the seed; -1s means forever", ""},
			{"await-approval", &o.AwaitApproval, "keep backups in PROVISIONING after their start", ""},
			{"no-stores", &o.NoStores, "fail each start of a backup with 409 (500 before 8.0), as without a store", "observed on 8.0.23"},
			{"module-hosts", &o.ModuleHosts, "`hosts` of a cluster that need the backup module before its backup leaves PROVISIONING: none; shard, one host of each shard; or every", "some documentation requires one host, and some every host"},
			{"unreported-starts", &o.UnreportedStarts, "number of starts of backups that fail with 409, as until the agents of a new cluster have reported", "observed in 2026"},
		}},
		{"Snapshot schedules", []Switch{
			{"omit-fields", &o.OmitFields, "comma-separated `fields` that returned schedules leave out", "documented examples leave out the hour, the minute and the offset"},
		}},
		{"Snapshots", nil},
		{"Restores", []Switch{
			{"restore-reads", &o.RestoreReads, "number of reads of a restore job that return IN_PROGRESS; -1 means none", ""},
			{"restore-outcome", &o.RestoreOutcome, "`status` that restore jobs end with, such as FINISHED, BROKEN or KILLED", ""},
		}},
		{"Backup stores", nil},
		{"Daemons and job configurations", nil},
		{"Automation", []Switch{
			{"no-automation-role", &o.NoAutomationRole, "refuse the automation configuration with 401, as for a key without Project Automation Admin or Project Owner", ""},
		}},
	}
	var group *SwitchGroup
	for field, value := range reflect.ValueOf(&o.Unknowns).Elem().Fields() {
		if name := field.Tag.Get("group"); name != "" {
			group = &groups[slices.IndexFunc(groups, func(g SwitchGroup) bool { return g.Name == name })]
		}
		group.Switches = append(group.Switches, Switch{field.Tag.Get("switch"), value.Addr().Interface(), field.Tag.Get("help"), field.Tag.Get("source")})
	}
	return groups
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
		{"module-hosts", o.ModuleHosts, []any{"none", "shard", "every"}},
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
