package emulator

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// Seed is the state of an emulator. Its documents are JSON documents of the API, as
// decoded by [json.Unmarshal], so a seed can leave out any field. groupId, clusterId,
// links, the host ID of a snapshot and its cluster name are added by the emulator.
//
// A time is absolute, or relative to the start of the emulator, such as -26h10m, so that examples which
// check the age of snapshots work on every day. A snapshot of a
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
	// AlertConfigs are the alert configurations. A project without any has those that Ops Manager creates.
	AlertConfigs []map[string]any `json:"alertConfigs,omitempty"`
	Alerts       []map[string]any `json:"alerts,omitempty"`
	// Document is the project of a copy as it was read.
	Document map[string]any `json:"document,omitempty"`
	// BackupConfigOrder has the IDs of clusters in the order of the list of backup configurations of a copy.
	BackupConfigOrder []string `json:"backupConfigOrder,omitempty"`
}

// Cluster is a replica set, a sharded cluster, or a component of one: a shard or the config
// server replica set.
type Cluster struct {
	ID   string `json:"id"` // 24 hexadecimal digits
	Name string `json:"name"`
	// REPLICA_SET, SHARDED_REPLICA_SET, SHARDED, CONFIG_SERVER_REPLICA_SET or CONFIG_SHARD_REPLICA_SET.
	TypeName       string `json:"typeName"`
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
	// ThirdPartyBackup is the state of the backup by another product: ACTIVE while it manages it. Ops Manager
	// then has no schedule of the cluster. If a cluster has a state, the emulator lists them.
	ThirdPartyBackup string `json:"thirdPartyBackup,omitempty"`
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
	}
	return nil
}

// clone returns a deep copy of a seed, without nil maps.
func (s *Seed) clone() *Seed { return new(deepCopy(*s)) }

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

func (c *Cluster) sharded() bool {
	return c.TypeName == "SHARDED_REPLICA_SET" || c.TypeName == "SHARDED"
}

// shardsOf returns the shards of a sharded cluster.
func (s *Seed) shardsOf(cluster *Cluster) (shards []*Cluster) {
	for _, c := range s.clusters() {
		if c.ShardOf == cluster.ID && c.TypeName != "CONFIG_SERVER_REPLICA_SET" {
			shards = append(shards, c)
		}
	}
	return shards
}

// Agent is a MongoDB Agent. It has registered as the automation agent of its host.
type Agent struct {
	Hostname string `json:"hostname"`
	// Down is when the agent stopped. It runs if this is empty.
	Down string `json:"down,omitempty"`
	// Unmanaged reports that the automation configuration does not control the agent.
	Unmanaged bool `json:"unmanaged,omitempty"`
}

func (p *Project) agent(hostname string) *Agent {
	if i := slices.IndexFunc(p.Agents, func(a Agent) bool { return a.Hostname == hostname }); i >= 0 {
		return &p.Agents[i]
	}
	return nil
}

// Copy makes a seed a copy of an Ops Manager, as make survey writes it. The emulator serves the
// documents of a copy as they were read, without defaults, masks or a different order, until a request
// changes them. What could not be read is refused.
type Copy struct {
	Format         int    `json:"format"`
	ServiceVersion string `json:"serviceVersion,omitempty"`
	// Flags are the options that were seen, as flags of make emulator have them.
	Flags  map[string]string `json:"options,omitempty"`
	Unread []Unread          `json:"unread,omitempty"`
	// JobConfigOrder has the IDs of the projects in the order of the list of job configurations.
	JobConfigOrder []string `json:"jobConfigOrder,omitempty"`
}

// CopyFormat is the format of new copies.
const CopyFormat = 1

// Unread is a path that could not be read.
type Unread struct {
	Path   string `json:"path"`             // after BasePath, escaped
	Itself bool   `json:"itself,omitempty"` // without the paths below it
	Status int    `json:"status"`
	Code   string `json:"code,omitempty"`
}

// PackedDocuments is a JSON array of documents. It takes a fifth of the memory of decoded ones.
type PackedDocuments string

// UnmarshalJSON keeps the text.
func (p *PackedDocuments) UnmarshalJSON(text []byte) error {
	*p = PackedDocuments(text)
	return nil
}

// MarshalJSON returns the text.
func (p PackedDocuments) MarshalJSON() ([]byte, error) { return []byte(p), nil }

// decoded returns the documents.
func (p PackedDocuments) decoded() (all []map[string]any) {
	if err := json.Unmarshal([]byte(p), &all); err != nil {
		panic("emulator: " + err.Error()) // it was decoded before
	}
	return all
}

// isCopy reports whether a seed is a copy of an Ops Manager.
func (s *Seed) isCopy() bool { return s.Copy.Format != 0 }

// limited reports whether a copy may lack projects.
func (c *Copy) limited() bool {
	return slices.ContainsFunc(c.Unread, func(u Unread) bool { return u.Path == "/groups" })
}

// unpack decodes the snapshots of a copied cluster permanently.
func (c *Cluster) unpack() {
	if c.CopiedSnapshots != "" {
		c.Snapshots = c.CopiedSnapshots.decoded()
		c.CopiedSnapshots = ""
	}
}

// StoreKind is a kind of backup store. Each has a path of its own.
type StoreKind string

// The kinds of backup stores.
const (
	Blockstore      StoreKind = "blockstores"
	S3Blockstore    StoreKind = "s3Blockstores"
	FileSystemStore StoreKind = "fileSystemStores"
	OplogStore      StoreKind = "oplogStores"
	S3OplogStore    StoreKind = "s3OplogStores"
	SyncStore       StoreKind = "syncStores"
)

// StoreKinds are all kinds of backup stores.
var StoreKinds = []StoreKind{Blockstore, S3Blockstore, FileSystemStore, OplogStore, S3OplogStore, SyncStore}
