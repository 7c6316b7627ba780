package emulator

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Seed is the state of an emulator. Its documents are JSON documents of the API, as
// decoded by [json.Unmarshal], so a seed can leave out any field. groupId, clusterId,
// links, the host ID of a snapshot and its cluster name are added by the emulator.
//
// A time is absolute, or relative to the start of the emulator, such as -26h10m. A snapshot of a
// started backup that is incomplete becomes complete soon after the start, unless a later one is
// complete.
type Seed struct {
	Projects          []Project        `json:"projects"`
	DeploymentRegions []map[string]any `json:"deploymentRegions"`
	// RegionBindings has the names of the stores and daemons that are bound to a
	// deployment region, by its ID. A bound region cannot be deleted.
	RegionBindings map[string][]string `json:"regionBindings,omitempty"`
	// BackupStores are the stores of each kind.
	BackupStores map[StoreKind][]map[string]any `json:"backupStores,omitempty"`
	// StoreBindings has the names of what uses a store, by its kind and its ID. A store in
	// use cannot be deleted, and its used size grows.
	StoreBindings map[StoreKind]map[string][]string `json:"storeBindings,omitempty"`
	// BackupDaemons are the daemons whose processes are registered. One that was never
	// configured has no head directory.
	BackupDaemons []map[string]any `json:"backupDaemons,omitempty"`
	// DaemonBindings has the names of what uses a daemon, by its machine and its head
	// directory, with | in between. A daemon in use cannot be deleted.
	DaemonBindings map[string][]string `json:"daemonBindings,omitempty"`
	// StartingDaemons are the processes that are not registered yet: the number of requests
	// that don't find one, by machine.
	StartingDaemons map[string]int `json:"startingDaemons,omitempty"`
	// Copy is set if the seed is a copy of an Ops Manager.
	Copy Copy `json:"copy,omitzero"`
}

// Project is a project, which the API also calls a group. Its ID is 24 hexadecimal digits.
type Project struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	OrgID    string    `json:"orgId,omitempty"` // ID of the organization, 24 hexadecimal digits
	Tags     []string  `json:"tags,omitempty"`
	Clusters []Cluster `json:"clusters,omitempty"`
	Hosts    []Host    `json:"hosts,omitempty"`
	// AutomationConfig is the automation configuration, a JSON object. It is returned byte for byte.
	// The modules in its backupVersions run if the agents of their hosts do.
	AutomationConfig json.RawMessage `json:"automationConfig,omitempty"`
	Agents           []Agent         `json:"agents,omitempty"`
	// ControlledFeature says which external system controls the project, and what others cannot
	// change.
	ControlledFeature map[string]any `json:"controlledFeature,omitempty"`
	// BackupJobConfig assigns the project to daemons and stores. A project without one has
	// no job configuration yet.
	BackupJobConfig map[string]any `json:"backupJobConfig,omitempty"`
	// Document is the project of a copy as it was read.
	Document map[string]any `json:"document,omitempty"`
	// BackupConfigOrder has the IDs of clusters in the order of the list of backup configurations of a copy.
	BackupConfigOrder []string `json:"backupConfigOrder,omitempty"`
}

// Cluster is a replica set, a sharded cluster, or a component of one: a shard or the config
// server replica set.
type Cluster struct {
	ID             string `json:"id"` // 24 hexadecimal digits
	Name           string `json:"name"`
	TypeName       string `json:"typeName"` // REPLICA_SET, SHARDED_REPLICA_SET, SHARDED, CONFIG_SERVER_REPLICA_SET or CONFIG_SHARD_REPLICA_SET
	ReplicaSetName string `json:"replicaSetName,omitempty"`
	ShardName      string `json:"shardName,omitempty"`
	ShardOf        string `json:"shardOf,omitempty"`       // ID of the sharded cluster, for its components
	LastHeartbeat  string `json:"lastHeartbeat,omitempty"` // ISO 8601 in UTC, or relative to the start
	// Members are the members that snapshots can be taken from, as host:port.
	Members []string `json:"members,omitzero"`
	// Unmanaged reports that Automation does not manage the cluster, so that its backup
	// has credentials of its own.
	Unmanaged bool `json:"unmanaged,omitempty"`
	// BackupConfig is the backup configuration. A cluster without one is not monitored yet.
	BackupConfig map[string]any `json:"backupConfig,omitempty"`
	// SnapshotSchedule is the schedule. It defaults to the documented one if the cluster
	// has a backup configuration and is not a component.
	SnapshotSchedule map[string]any   `json:"snapshotSchedule,omitempty"`
	Snapshots        []map[string]any `json:"snapshots,omitempty"`
	// RestorableTimeRanges are the ranges that the cluster can be restored to, from the
	// earliest to the latest.
	RestorableTimeRanges []map[string]any `json:"restorableTimeRanges,omitempty"`
	RestoreJobs          []map[string]any `json:"restoreJobs,omitempty"` // which have ended

	// Document is the cluster of a copy as it was read. The list of clusters lacks one without it.
	Document map[string]any `json:"document,omitempty"`
	// ListedBackupConfig is the backup configuration of a copy in the list, if it differs there.
	ListedBackupConfig map[string]any `json:"listedBackupConfig,omitempty"`
	// CopiedSnapshots are the snapshots of a copy. They take the place of Snapshots.
	CopiedSnapshots PackedDocuments `json:"copiedSnapshots,omitempty"`
}

// Host is a process that a project monitors, such as a config server. The members of clusters are
// listed as hosts, too.
type Host struct {
	ID             string           `json:"id"`             // the documentation shows 24 and 32 hexadecimal digits
	Name           string           `json:"name,omitempty"` // as host:port; a host without one is not listed
	TypeName       string           `json:"typeName,omitempty"`
	ClusterID      string           `json:"clusterId,omitempty"`
	ReplicaSetName string           `json:"replicaSetName,omitempty"`
	ShardName      string           `json:"shardName,omitempty"`
	Aliases        []string         `json:"aliases,omitempty"`  // other names of the host
	Mirrored       bool             `json:"mirrored,omitempty"` // a config server that is not a replica set; only those have snapshots
	Snapshots      []map[string]any `json:"snapshots,omitempty"`
	// Document is the host of a copy as it was read.
	Document map[string]any `json:"document,omitempty"`
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
	if err := seed.check(); err != nil {
		return nil, err
	}
	if seed.isCopy() { // of a server that may have other fields, and without relative times
		return &seed, nil
	}
	if err := seed.checkFields(); err != nil {
		return nil, err
	}
	if _, err := seed.at(time.Time{}); err != nil {
		return nil, err
	}
	return &seed, nil
}

// objectID matches the IDs of projects and clusters. They are accepted in either case and
// returned in lower case.
var objectID = regexp.MustCompile(`^[0-9a-fA-F]{24}$`)

func validID(id string) bool { return objectID.MatchString(id) && id == strings.ToLower(id) }

var clusterTypes = []string{"REPLICA_SET", "SHARDED_REPLICA_SET", "SHARDED", "CONFIG_SERVER_REPLICA_SET", "CONFIG_SHARD_REPLICA_SET"}

// check returns an error if an ID or a reference is invalid.
func (s *Seed) check() error {
	used := map[string]string{}
	claim := func(id, kind string) error {
		if other, taken := used[id]; taken {
			return fmt.Errorf("%s: the ID %q is already used by a %s", kind, id, other)
		}
		used[id] = kind
		return nil
	}
	for _, project := range s.Projects {
		if !validID(project.ID) {
			return fmt.Errorf("project %q: the ID %q is not 24 lower-case hexadecimal digits", project.Name, project.ID)
		}
		if err := claim(project.ID, "project"); err != nil {
			return err
		}
		for _, cluster := range project.Clusters {
			if !validID(cluster.ID) {
				return fmt.Errorf("cluster %q: the ID %q is not 24 lower-case hexadecimal digits", cluster.Name, cluster.ID)
			}
			if err := claim(cluster.ID, "cluster"); err != nil {
				return err
			}
			if !slices.Contains(clusterTypes, cluster.TypeName) && !s.isCopy() {
				return fmt.Errorf("cluster %s: the typeName %q must be one of %s", cluster.ID, cluster.TypeName, strings.Join(clusterTypes, ", "))
			}
			if cluster.ShardOf == "" {
				continue
			}
			if whole := project.cluster(cluster.ShardOf); whole == nil || !whole.sharded() {
				return fmt.Errorf("cluster %s: shardOf %q is not a sharded cluster of the project", cluster.ID, cluster.ShardOf)
			}
		}
		for _, host := range project.Hosts {
			if host.ID == "" {
				return fmt.Errorf("project %s: a host has no ID", project.ID)
			}
			if err := claim(host.ID, "host"); err != nil && !s.isCopy() {
				return err
			}
		}
		if err := project.checkAgents(); err != nil {
			return fmt.Errorf("project %s: %w", project.ID, err)
		}
	}
	if err := checkIDs("deployment region", s.DeploymentRegions); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(s.RegionBindings)) {
		if s.region(id) == nil {
			return fmt.Errorf("regionBindings: there is no deployment region %q", id)
		}
	}
	if err := s.checkStores(); err != nil {
		return err
	}
	return s.checkDaemons()
}

// checkIDs returns an error if a document has no ID, or that of another one.
func checkIDs(kind string, documents []map[string]any) error {
	ids := map[string]bool{}
	for _, document := range documents {
		id, _ := document["id"].(string)
		switch {
		case id == "":
			return fmt.Errorf("a %s has no ID", kind)
		case ids[id]:
			return fmt.Errorf("duplicate %s %q", kind, id)
		}
		ids[id] = true
	}
	return nil
}

// document is a document of a seed: what it is, with the name of its owner, and the fields it can have.
type document struct {
	name   string
	fields map[string]any
	known  members
}

// documents returns the documents of a seed.
func (s *Seed) documents() []document {
	var found []document
	add := func(kind, owner string, known members, documents ...map[string]any) {
		for _, fields := range documents {
			found = append(found, document{kind + " of " + owner, fields, known})
		}
	}
	for _, project := range s.Projects {
		add("backupJobConfig", project.ID, jobConfigFields, project.BackupJobConfig)
		add("controlledFeature", project.ID, controlledFeatureFields, project.ControlledFeature)
		for _, cluster := range project.Clusters {
			add("backupConfig", cluster.ID, backupConfigFields, cluster.BackupConfig, cluster.ListedBackupConfig)
			add("snapshotSchedule", cluster.ID, scheduleFields, cluster.SnapshotSchedule)
			add("a snapshot", cluster.ID, clusterSnapshotFields, cluster.Snapshots...)
			add("a restore job", cluster.ID, restoreJobFields, cluster.RestoreJobs...)
			add("a restorable time range", cluster.ID, timeRangeFields, cluster.RestorableTimeRanges...)
		}
		for _, host := range project.Hosts {
			add("a snapshot", host.ID, configServerSnapshotFields, host.Snapshots...)
		}
	}
	for _, region := range s.DeploymentRegions {
		add("deployment region", fmt.Sprint(region["id"]), regionFields, region)
	}
	for _, daemon := range s.BackupDaemons {
		machine, _ := daemonKey(daemon)
		add("backup daemon", machine, daemonFields, daemon)
	}
	for _, kind := range StoreKinds {
		for _, store := range s.BackupStores[kind] {
			add(string(kind), fmt.Sprint(store["id"]), storeKinds[kind].fields, store)
		}
	}
	return found
}

// checkFields returns an error if a field is not in the public documentation. Values are
// not checked, because newer versions may have new ones.
func (s *Seed) checkFields() error {
	for _, d := range s.documents() {
		for _, name := range slices.Sorted(maps.Keys(d.fields)) {
			if _, isKnown := d.known[name]; !isKnown {
				return fmt.Errorf("%s: unknown field %q", d.name, name)
			}
		}
	}
	return nil
}

// clone returns a deep copy of a seed, without nil maps.
func (s *Seed) clone() *Seed { return new(deepCopy(*s)) }

// deepCopy returns a deep copy of a seed or of a part of it.
func deepCopy[T any](part T) T {
	return copyPart(reflect.ValueOf(part)).Interface().(T) //nolint:forcetypeassert // it has the same type
}

func copyPart(part reflect.Value) reflect.Value {
	switch value := part.Interface().(type) {
	case map[string]any:
		return reflect.ValueOf(copyDocument(value))
	case json.RawMessage:
		return reflect.ValueOf(slices.Clone(value))
	}
	switch part.Kind() {
	case reflect.Struct:
		copied := reflect.New(part.Type()).Elem()
		for field, value := range part.Fields() {
			copied.FieldByIndex(field.Index).Set(copyPart(value))
		}
		return copied
	case reflect.Slice:
		if part.IsNil() {
			return part
		}
		copied := reflect.MakeSlice(part.Type(), part.Len(), part.Len())
		for i, element := range part.Seq2() {
			copied.Index(int(i.Int())).Set(copyPart(element))
		}
		return copied
	case reflect.Map:
		copied := reflect.MakeMap(part.Type())
		for key, value := range part.Seq2() {
			copied.SetMapIndex(key, copyPart(value))
		}
		return copied
	}
	return part
}

// clusters returns an iterator over the clusters of all projects.
func (s *Seed) clusters() iter.Seq2[*Project, *Cluster] {
	return func(yield func(*Project, *Cluster) bool) {
		for i := range s.Projects {
			for j := range s.Projects[i].Clusters {
				if !yield(&s.Projects[i], &s.Projects[i].Clusters[j]) {
					return
				}
			}
		}
	}
}

// complete adds the fields of the backup configuration and the schedule that Ops Manager would have
// created.
func (c *Cluster) complete() {
	if c.BackupConfig != nil {
		c.BackupConfig = overlay(defaultBackupConfig(), c.BackupConfig)
	}
	if c.BackupConfig != nil && c.SnapshotSchedule == nil && c.ShardOf == "" {
		c.SnapshotSchedule = defaultSchedule()
	}
}

func (s *Seed) project(id string) *Project {
	if i := slices.IndexFunc(s.Projects, func(p Project) bool { return p.ID == id }); i >= 0 {
		return &s.Projects[i]
	}
	return nil
}

func (s *Seed) cluster(projectID, id string) *Cluster {
	if project := s.project(projectID); project != nil {
		return project.cluster(id)
	}
	return nil
}

func (p *Project) cluster(id string) *Cluster {
	for i := range p.Clusters { // copies none of them, because there may be thousands
		if p.Clusters[i].ID == id {
			return &p.Clusters[i]
		}
	}
	return nil
}

func (p *Project) host(id string) *Host {
	if i := slices.IndexFunc(p.Hosts, func(h Host) bool { return h.ID == id }); i >= 0 {
		return &p.Hosts[i]
	}
	return nil
}

func (s *Seed) region(id string) map[string]any {
	return withID(s.DeploymentRegions, id)
}

func (c *Cluster) sharded() bool {
	return c.TypeName == "SHARDED_REPLICA_SET" || c.TypeName == "SHARDED"
}

// Schedule returns a copy of the stored schedule of a cluster, or nil if there is none. Its
// numbers are float64, as in all documents.
func (e *Emulator) Schedule(projectID, clusterID string) map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	if cluster := e.state.cluster(projectID, clusterID); cluster != nil {
		return copyDocument(cluster.SnapshotSchedule)
	}
	return nil
}

// SetSchedule sets fields of a cluster's schedule without validation or coupling. A nil
// value deletes the field. It panics if there is no such cluster.
func (e *Emulator) SetSchedule(projectID, clusterID string, fields map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	cluster := e.mustCluster(projectID, clusterID)
	cluster.SnapshotSchedule = merge(cluster.SnapshotSchedule, fields)
}

// BackupConfig returns a copy of the stored backup configuration of a cluster, or nil if
// there is none. It has fields that no response has. The password and the snapshot store
// are not stored.
func (e *Emulator) BackupConfig(projectID, clusterID string) map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pass()
	if cluster := e.state.cluster(projectID, clusterID); cluster != nil {
		return copyDocument(cluster.BackupConfig)
	}
	return nil
}

// SetBackupConfig sets fields of a cluster's backup configuration without validation. A
// nil value deletes the field. A status that it sets stays until it is changed. It panics
// if there is no such cluster.
func (e *Emulator) SetBackupConfig(projectID, clusterID string, fields map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	cluster := e.mustCluster(projectID, clusterID)
	if cluster.BackupConfig == nil {
		cluster.BackupConfig = defaultBackupConfig()
	}
	cluster.BackupConfig = merge(cluster.BackupConfig, fields)
	if _, ok := fields["statusName"]; ok {
		delete(e.transitions, clusterID)
	}
	if cluster.SnapshotSchedule == nil && cluster.ShardOf == "" {
		cluster.SnapshotSchedule = defaultSchedule()
	}
}

// RemoveBackupConfig removes the backup configuration of a cluster, and its schedule, as
// if the cluster were no longer monitored. It panics if there is no such cluster.
func (e *Emulator) RemoveBackupConfig(projectID, clusterID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	cluster := e.mustCluster(projectID, clusterID)
	cluster.BackupConfig, cluster.SnapshotSchedule = nil, nil
	delete(e.transitions, clusterID)
}

// AddCluster adds a cluster to a project, as a seed does. It panics if the project does not
// exist.
func (e *Emulator) AddCluster(projectID string, added Cluster) {
	e.mu.Lock()
	defer e.mu.Unlock()
	project, cluster := e.mustProject(projectID), deepCopy(added)
	cluster.complete()
	project.Clusters = append(project.Clusters, cluster)
}

// RemoveCluster removes a cluster and its components.
func (e *Emulator) RemoveCluster(projectID, clusterID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if project := e.state.project(projectID); project != nil {
		project.Clusters = slices.DeleteFunc(project.Clusters, func(c Cluster) bool {
			return c.ID == clusterID || c.ShardOf == clusterID
		})
	}
}

func (e *Emulator) mustProject(id string) *Project {
	if project := e.state.project(id); project != nil {
		return project
	}
	panic(fmt.Sprintf("emulator: no project %q", id))
}

func (e *Emulator) mustCluster(projectID, clusterID string) *Cluster {
	if cluster := e.state.cluster(projectID, clusterID); cluster != nil {
		cluster.unpack()
		return cluster
	}
	panic(fmt.Sprintf("emulator: no cluster %q in project %q", clusterID, projectID))
}

// Region returns a copy of a deployment region, or nil if there is none.
func (e *Emulator) Region(id string) map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	return copyDocument(e.state.region(id))
}

// SetRegion creates a deployment region or sets fields of it, without validation. A nil
// value deletes the field.
func (e *Emulator) SetRegion(id string, fields map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	region := merge(e.state.region(id), fields)
	region["id"] = id
	e.state.putRegion(region)
}

// RemoveRegion removes a deployment region, even if it is bound.
func (e *Emulator) RemoveRegion(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.removeRegion(id)
}

// UseRegion replaces the stores and daemons that are bound to a deployment region. Without
// names, it is unbound. It panics if there is no such region.
func (e *Emulator) UseRegion(id string, by ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.region(id) == nil {
		panic(fmt.Sprintf("emulator: no deployment region %q", id))
	}
	e.state.RegionBindings[id] = slices.Clone(by)
}

func (s *Seed) putRegion(region map[string]any) {
	s.DeploymentRegions = put(s.DeploymentRegions, region)
}

func (s *Seed) removeRegion(id string) {
	s.DeploymentRegions = slices.DeleteFunc(s.DeploymentRegions, hasID(id))
	delete(s.RegionBindings, id)
}

// hasID returns a function that reports whether a document has an ID.
func hasID(id any) func(map[string]any) bool {
	return func(document map[string]any) bool { return document["id"] == id }
}

// withID returns the document with an ID, or nil if there is none.
func withID(documents []map[string]any, id string) map[string]any {
	if i := slices.IndexFunc(documents, hasID(id)); i >= 0 {
		return documents[i]
	}
	return nil
}

// put adds a document, or replaces the one with the same ID.
func put(documents []map[string]any, document map[string]any) []map[string]any {
	if i := slices.IndexFunc(documents, hasID(document["id"])); i >= 0 {
		documents[i] = document
		return documents
	}
	return append(documents, document)
}

// lag is a document before a write, and the number of reads that still return it.
type lag struct {
	document map[string]any
	reads    int
}

// written returns the response to a write of the object with a key, and prepares stale
// reads.
func (e *Emulator) written(key string, before, after map[string]any) map[string]any {
	if before == nil || e.options.StaleReads == 0 && !e.options.StaleResponses {
		return after
	}
	e.lags[key] = &lag{before, e.options.StaleReads}
	if e.options.StaleResponses {
		return before
	}
	return after
}

// read returns the response to a read, which may be stale.
func (e *Emulator) read(key string, document map[string]any) map[string]any {
	if !e.lagging(key) {
		return document
	}
	e.lags[key].reads--
	return e.lags[key].document
}

// lagging reports whether the next read is stale.
func (e *Emulator) lagging(key string) bool { return e.lags[key] != nil && e.lags[key].reads > 0 }

// addDefaults sets the fields that a document lacks.
func addDefaults(document, defaults map[string]any) {
	for name, value := range defaults {
		if _, has := document[name]; !has {
			document[name] = value
		}
	}
}

// merge returns a copy of a document with fields set, or deleted if they are nil.
func merge(document, fields map[string]any) map[string]any {
	merged := copyDocument(document)
	if merged == nil {
		merged = map[string]any{}
	}
	return overlay(merged, copyDocument(fields))
}

// overlay sets fields of a document, or deletes them if they are nil.
func overlay(document, fields map[string]any) map[string]any {
	for name, value := range fields {
		if value == nil {
			delete(document, name)
		} else {
			document[name] = value
		}
	}
	return document
}

// copyDocument returns a deep copy of a document, with values as decoded by
// [json.Unmarshal].
func copyDocument(document map[string]any) map[string]any {
	if document == nil {
		return nil
	}
	copied := make(map[string]any, len(document))
	for name, value := range document {
		if name != asReadField {
			copied[name] = copyValue(value)
		}
	}
	return copied
}

func copyValue(value any) any {
	switch value := value.(type) {
	case nil, bool, float64, string:
		return value
	case []any:
		copied := make([]any, len(value))
		for i, element := range value {
			copied[i] = copyValue(element)
		}
		return copied
	case map[string]any:
		return copyDocument(value)
	}
	var decoded any // from a type that json.Unmarshal doesn't return, such as int
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &decoded)
	}
	if err != nil {
		panic("emulator: not a JSON document: " + err.Error())
	}
	return decoded
}
