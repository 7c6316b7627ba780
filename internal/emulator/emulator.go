// Package emulator implements the backup administration part of the MongoDB Ops Manager
// public API in memory. It is based on the public documentation only.
//
// It verifies HTTP Digest completely, rejects unknown body fields, requires each ID to be one
// path segment, and has the calls and fields of one version of Ops Manager. By default it is also
// strict, so that tests notice mistakes of a client, such as a misspelled query parameter.
// [Options.Lenient] accepts what real servers accept. If the documentation leaves a response open,
// [Unknowns] selects it, or a comment says what was chosen and why. [Options.Groups] describes
// all of that.
//
//	service := httptest.NewServer(emulator.New(emulator.Options{}))
//	defer service.Close()
//	baseURL := service.URL + emulator.BasePath
//
// Emulators share no state, so each test can have its own.
package emulator

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// allTypes are all types of resources. The first route that matches a path counts: projects are first, because
// a project may be named clusters.
var allTypes = resourceTypes{
	projectType, clusterType, hostType, configServerSnapshotType, agentType, automationConfigType, controlledFeatureType,
	backupConfigType, thirdPartyBackupType, snapshotScheduleType, clusterSnapshotType, onDemandSnapshotType, restoreJobType,
	jobConfigType, backupStoreType, backupDaemonType, deploymentRegionType, alertConfigType,
}

// Defaults returns the options that the zero value stands for.
func Defaults() Options { return Options{Seed: DefaultSeed()}.withDefaults() }

// withDefaults returns the options with defaults in place of zero values.
func (o Options) withDefaults() Options {
	for _, group := range o.Groups() {
		for _, s := range group.Options {
			if s.byDefault != "" && reflect.ValueOf(s.Value).Elem().IsZero() {
				_ = s.Set(s.byDefault) // has the right type
			}
		}
	}
	o.PublicKey = cmp.Or(o.PublicKey, DefaultPublicKey)
	o.PrivateKey = cmp.Or(o.PrivateKey, DefaultPrivateKey)
	o.ServiceVersion = cmp.Or(o.ServiceVersion, NewestVersion)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Seed == nil {
		o.Seed = readDefaultSeed() // which New copies
	}
	return o
}

// New returns a new emulator. It panics if the options are invalid.
func New(options Options) *Emulator {
	options = options.withDefaults()
	if err := options.Check(); err != nil {
		panic("emulator: " + err.Error())
	}
	played, _ := parseVersion(options.ServiceVersion) // checked
	if err := allTypes.check(options.Seed); err != nil {
		panic("emulator: " + err.Error())
	}

	now := options.Now()
	e := &Emulator{
		options: options,
		version: played,
		digest:  newDigest(options),
		types:   allTypes,
		state:   options.Seed.At(now),
		clock: clock{
			source:  options.Now,
			takes:   options.TransitionTime,
			started: now,
			now:     now,
		},
		behind:  map[string]*lag{},
		deleted: map[string]bool{},
		progress: progress{
			transitions: map[string]*transition{},
			running:     map[string]*runningSnapshot{},
			begun:       map[string]bool{},
			restores:    map[string]*restore{},
			modules:     map[string][]*module{},
		},
	}
	if e.state.isCopy() {
		for _, one := range allTypes.documents(e.state).all {
			one.fields[asReadField] = asReadMark{} // it is served as it is
		}
	}
	e.complete()
	if options.OnChange != nil {
		e.atStart = allTypes.documents(e.state)
	}
	for _, t := range allTypes {
		e.routes = append(e.routes, t.routes(e)...)
	}
	if options.Profile == Documented {
		e.routes = slices.DeleteFunc(e.routes, func(r route) bool {
			return r.traits&inProfile == 0
		})
	}
	return e
}

// At returns a copy of a seed for an emulator that starts at a time: the times that are relative
// to its start become absolute. It panics if one of them is malformed.
func (s *Seed) At(start time.Time) *Seed {
	resolved, err := s.startingAt(start)
	if err != nil {
		panic("emulator: " + err.Error())
	}
	return resolved
}

func (s *Seed) startingAt(start time.Time) (*Seed, error) {
	resolved := s.clone()
	if s.isCopy() {
		return resolved, nil
	}
	for _, cluster := range resolved.clusters() {
		heartbeat, err := resolveTime(cluster.LastHeartbeat, start)
		if err != nil {
			return nil, fmt.Errorf("lastHeartbeat of %s: %w", cluster.ID, err)
		}
		cluster.LastHeartbeat = heartbeat
	}
	for _, project := range resolved.Projects {
		for i, agent := range project.Agents {
			down, err := resolveTime(agent.Down, start)
			if err != nil {
				return nil, fmt.Errorf("down of the agent on %s: %w", agent.Hostname, err)
			}
			project.Agents[i].Down = down
		}
	}
	for _, d := range allTypes.documents(resolved).all {
		if err := resolveTimes(d.fields, start); err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return resolved, nil
}

// FixedStart is the start that the times of a seed are relative to with [Options.Fixed].
var FixedStart = time.Date(2025, 9, 1, 2, 40, 30, 0, time.UTC)

// Fixed returns options for tests that compare times: those of the seed are always the same, and
// only reads end something. Options with a clock stay as they are.
func (o Options) Fixed() Options {
	if o.Now != nil {
		return o
	}
	if o.Seed == nil {
		o.Seed = readDefaultSeed()
	}
	o.Seed = o.Seed.At(FixedStart)
	o.TransitionTime = -1
	return o
}

//go:embed seed.json
var defaultSeed string

// DefaultSeed returns the contents of seed.json: two projects, three deployment
// regions, and backup stores of each kind.
func DefaultSeed() *Seed { return readDefaultSeed().clone() }

var readDefaultSeed = sync.OnceValue(func() *Seed {
	seed, err := ReadSeed(strings.NewReader(defaultSeed))
	if err != nil {
		panic("emulator: seed.json: " + err.Error())
	}
	return seed
})

// ReadSeed reads a seed from JSON. It fails if a field is not part of a seed or of the
// public documentation, if a relative time is malformed, or if an ID is malformed, missing,
// duplicate, or refers to an object that does not exist.
func ReadSeed(r io.Reader) (*Seed, error) {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	var seed Seed
	if err := decoder.Decode(&seed); err != nil {
		return nil, fmt.Errorf("reading the seed: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("reading the seed: unexpected data after the JSON value")
	}
	if err := allTypes.check(&seed); err != nil {
		return nil, err
	}
	if seed.isCopy() { // of a server that may have other fields, and without relative times
		return &seed, nil
	}
	if err := allTypes.checkFields(&seed); err != nil {
		return nil, err
	}
	if _, err := seed.startingAt(time.Time{}); err != nil {
		return nil, err
	}
	return &seed, nil
}
