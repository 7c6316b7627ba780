package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// copier reads the objects of a copy.
type copier struct {
	client   *opsmanager.Client
	wire     *readOnly
	progress *progress
	reading  errgroup.Group  // of all requests
	group    *errgroup.Group // of the requests about clusters

	mu     sync.Mutex
	seed   emulator.Seed
	probes map[string]probe // by what they stand for
	failed []error          // of each path that Ops Manager failed to return

	clusters, done atomic.Int64
	withoutAll     atomic.Bool // whether the list of snapshots refuses completed=all
}

// startCopy begins to read the objects that the provider reads, with a client of its own, because what
// the survey says about Digest depends on which requests it has sent.
func startCopy(ctx context.Context, config opsmanager.Config, o options, p *progress) *copier {
	c := &copier{
		wire:     &readOnly{},
		progress: p,
		probes:   map[string]probe{},
	}
	c.client = newClient(config, c.wire)
	var reading context.Context
	c.group, reading = errgroup.WithContext(ctx)
	c.group.SetLimit(o.concurrency)
	c.reading.Go(func() error {
		failed := c.read(reading, o.projects)
		err := cmp.Or(c.group.Wait(), failed)
		if err != nil { // failed may be that the group has ended its context
			return err
		}
		return c.check(ctx, o.concurrency)
	})
	return c
}

// writeCopy writes the copied objects to a file as a seed of the emulator, without secrets, and with what
// the survey found out. Only the owner can read the file, because it has names.
func (s *survey) writeCopy(out io.Writer) error {
	c, path := s.copied, s.options.copy
	if s.options.report != "" && isSameFile(s.options.report, path) { // as it shows now that the report exists
		return errSameFile
	}
	s.describe(&c.seed.Copy)
	slices.SortFunc(c.seed.Copy.Unread, func(a, b emulator.Unread) int {
		return strings.Compare(a.Path, b.Path)
	})
	err := writeFile(path, 0o600, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(&c.seed)
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Wrote the copy to", path)
	if failed := len(c.failed); failed > 0 {
		fmt.Fprintf(out, "It refuses what Ops Manager failed to return: %d objects or lists.\n", failed)
	}
	return nil
}

// describe adds what the survey found out about the copied Ops Manager.
func (s *survey) describe(of *emulator.Copy) {
	of.Format = emulator.CopyFormat
	of.Flags = map[string]string{}
	if version := s.evidence.Version(); version != (assumptions.Version{}) {
		of.ServiceVersion = version.String()
	}
	usual := emulator.Defaults()
	found := emulator.Defaults()
	usual.Lenient = true
	found.Lenient = true // as make emulator
	s.findings().Apply(&found, func(name string) bool { return name == "service-version" })
	groups := found.Groups()
	for i, group := range usual.Groups() {
		for j, one := range group.Options {
			if value := groups[i].Options[j].Text(); value != one.Text() {
				of.Flags[one.Name] = value
			}
		}
	}
}

// read reads all objects. Those of clusters are read by the group.
func (c *copier) read(ctx context.Context, ids []string) error {
	projects, err := c.projects(ctx, ids)
	if err != nil {
		return err
	}
	c.seed.Projects = make([]emulator.Project, len(projects))
	for i, project := range projects {
		id := tf.Text(project.ID)
		if id == "" {
			return errors.New("a project has no ID, so its backups cannot be copied")
		}
		c.seed.Projects[i] = emulator.Project{
			ID:       id,
			Name:     withoutSecret("name", tf.Text(project.Name)),
			OrgID:    tf.Text(project.OrgID),
			Document: copied(project),
		}
	}
	for i := range c.seed.Projects {
		if err := c.project(ctx, &c.seed.Projects[i]); err != nil {
			return err
		}
	}
	return c.administration(ctx)
}

// projects returns the projects with some IDs, or all. A copy of some refuses the list, because plans
// would delete what belongs to the others.
func (c *copier) projects(ctx context.Context, ids []string) ([]opsmanager.Project, error) {
	if len(ids) == 0 {
		list, err := c.client.ListProjects(ctx)
		if err != nil {
			return nil, err
		}
		c.remember(true, "groups")
		return list.Results, nil
	}
	c.unread(emulator.Unread{Itself: true, Status: http.StatusUnauthorized}, "groups")
	var found []opsmanager.Project
	for _, id := range ids {
		project, err := c.client.Project(ctx, id)
		if err := c.note(err, "groups", id); err != nil {
			return nil, err
		}
		if project != nil {
			found = append(found, *project)
		}
	}
	return found, nil
}

// note notes a path that cannot be read. It returns all other errors.
func (c *copier) note(err error, path ...string) error {
	e, ok := errors.AsType[*opsmanager.Error](err)
	switch {
	case err == nil:
		c.remember(true, path...)
	case !ok, errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, opsmanager.ErrReadOnly):
		c.unread(emulator.Unread{Status: http.StatusUnauthorized}, path...)
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		c.remember(false, path...)
		c.unread(emulator.Unread{Status: http.StatusUnauthorized, Code: e.Code}, path...)
	// The list of third-party backups, which no copy needs.
	case e.Status >= http.StatusInternalServerError, e.Status == http.StatusTooManyRequests, e.Status == 0, path[0] == "backup":
		if e.Status != http.StatusOK { // which check would take for a success
			c.keep(fmt.Sprint(path), probe{path, false})
		}
		c.mu.Lock()
		c.failed = append(c.failed, e)
		c.mu.Unlock()
		c.unread(emulator.Unread{Status: http.StatusInternalServerError, Code: e.Code}, path...)
	case opsmanager.IsUnsupported(err), e.Status == http.StatusBadRequest, e.Status == http.StatusConflict:
		c.unread(emulator.Unread{Status: e.Status, Code: e.Code}, path...)
	case opsmanager.MayBeUnsupported(err):
		c.remember(false, path...)
		c.unread(emulator.Unread{Status: e.Status, Code: e.Code}, path...)
	default:
		return err
	}
	return nil
}

// unread notes a path that the copy refuses.
func (c *copier) unread(u emulator.Unread, path ...string) {
	for _, segment := range path {
		u.Path += "/" + url.PathEscape(segment)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seed.Copy.Unread = append(c.seed.Copy.Unread, u)
}

// probe is a path that was read or refused.
type probe struct {
	path   []string
	isRead bool
}

// remember keeps the first path of a project, and the first one of the administration, that was read, and
// the first one of each kind that was refused.
func (c *copier) remember(isRead bool, path ...string) {
	kind := slices.Clone(path)
	switch {
	case isRead:
		kind = path[:min(len(path), 2)]
	case len(path) > 3 && path[0] == "groups":
		kind[3] = "" // the ID of a cluster
	}
	c.keep(fmt.Sprint(isRead, kind), probe{path, isRead})
}

// keep keeps the first probe of a kind. Each path that Ops Manager failed to return is one.
func (c *copier) keep(kind string, first probe) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.probes[kind]; !ok {
		c.probes[kind] = first
	}
}

// check sends some requests again if anything was refused. If the API key was revoked or lost a role
// meanwhile, or if a proxy answered for a while, the copy would lack what the key may read, or have what
// it may not.
func (c *copier) check(ctx context.Context, concurrency int) error {
	probes := slices.Collect(maps.Values(c.probes))
	isRead := func(p probe) bool { return p.isRead }
	switch {
	case !slices.ContainsFunc(probes, func(p probe) bool { return !p.isRead }):
		return nil
	case !slices.ContainsFunc(probes, isRead):
		return errors.New("nothing could be read, so there is nothing to copy: check the API key and its roles")
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for _, p := range probes {
		group.Go(func() error {
			again, err := c.client.Raw(ctx, http.MethodGet, nil, nil, p.path...)
			path := strings.Join(p.path, "/")
			switch {
			case err != nil && !p.isRead && ctx.Err() == nil:
				return nil //nolint:nilerr // it fails as before
			case err != nil:
				return err
			case p.isRead && again.Status != http.StatusOK:
				return fmt.Errorf("GET /%s was read at first, and is refused now (%d), so the copy is not whole: check the API key and its roles, and make the copy again", path, again.Status)
			case !p.isRead && again.Status == http.StatusOK:
				return fmt.Errorf("GET /%s was refused at first, and can be read now, so the copy is not whole: make the copy again", path)
			}
			return nil
		})
	}
	return group.Wait()
}

// project reads the lists of a project, and begins to read its clusters.
func (c *copier) project(ctx context.Context, project *emulator.Project) error {
	hosts, err := c.client.ListHosts(ctx, project.ID)
	if err := c.note(err, "groups", project.ID, "hosts"); err != nil {
		return err
	}
	if hosts != nil {
		for _, host := range hosts.Results {
			project.Hosts = append(project.Hosts, emulator.Host{
				ID:        tf.Text(host.ID),
				ClusterID: tf.Text(host.ClusterID),
				Document:  copied(host),
			})
		}
	}
	listed, err := c.client.ListClusters(ctx, project.ID)
	if err := c.note(err, "groups", project.ID, "clusters"); err != nil {
		return err
	}
	configs, err := c.client.ListBackupConfigs(ctx, project.ID, opsmanager.Page{})
	if err := c.note(err, "groups", project.ID, "backupConfigs"); err != nil {
		return err
	}
	if listed != nil {
		if project.Clusters, err = clustersOf(project.Name, listed.Results); err != nil {
			return err
		}
	}
	if configs != nil {
		for _, config := range configs.Results {
			id := tf.Text(config.ClusterID)
			i := slices.IndexFunc(project.Clusters, func(cluster emulator.Cluster) bool {
				return cluster.ID == id
			})
			switch {
			case id == "":
				return fmt.Errorf("a backup configuration of project %q has no cluster ID, so it cannot be copied", opsmanager.Sanitize(project.Name))
			case i < 0:
				project.Clusters, i = append(project.Clusters, emulator.Cluster{ID: id}), len(project.Clusters)
			}
			project.Clusters[i].BackupConfig = copied(config)
			project.BackupConfigOrder = append(project.BackupConfigOrder, id)
		}
	}
	others, err := c.client.ThirdPartyBackups(ctx, project.ID)
	if err != nil { // without the feature, there is none
		if err := c.note(err, "backup", "third_party", "group", project.ID, "clusters"); err != nil {
			return err
		}
	}
	for _, other := range cmp.Or(others, new(opsmanager.ThirdPartyBackups)).Clusters {
		for i := range project.Clusters {
			// It may be listed once for each job. An active one counts first, then one whose state is not known.
			cluster := &project.Clusters[i]
			counts := cluster.ThirdPartyBackup == "" || cluster.ThirdPartyBackup == "INACTIVE" || tf.Text(other.State) == "ACTIVE"
			if counts && strings.EqualFold(cluster.ID, tf.Text(other.ClusterID)) {
				cluster.ThirdPartyBackup = withoutSecret("state", cmp.Or(tf.Text(other.State), "UNKNOWN"))
			}
		}
	}
	c.clusters.Add(int64(len(project.Clusters)))
	for i := range project.Clusters {
		cluster := &project.Clusters[i]
		c.group.Go(func() error {
			if err := c.cluster(ctx, project.ID, cluster, listed != nil, configs != nil); err != nil {
				return err
			}
			c.progress.report("Copied %d of %d clusters", c.done.Add(1), c.clusters.Load())
			return nil
		})
	}
	return nil
}

// clustersOf returns the clusters in the list of a project.
func clustersOf(project string, listed []opsmanager.Cluster) ([]emulator.Cluster, error) {
	isWhole := opsmanager.WholeClusters(listed)
	sharded := map[string]string{}
	for _, cluster := range listed {
		if name := cluster.Name(); name != nil && cluster.IsSharded() {
			sharded[*name] = tf.Text(cluster.ID)
		}
	}
	var clusters []emulator.Cluster
	for _, cluster := range listed {
		found := emulator.Cluster{
			ID:             tf.Text(cluster.ID),
			Name:           withoutSecret("clusterName", tf.Text(cluster.Name())),
			TypeName:       tf.Text(cluster.TypeName),
			ReplicaSetName: withoutSecret("replicaSetName", tf.Text(cluster.ReplicaSetName)),
			ShardName:      withoutSecret("shardName", tf.Text(cluster.ShardName)),
			Document:       copied(cluster),
		}
		if found.ID == "" {
			return nil, fmt.Errorf("a cluster of project %q has no ID, so its backups cannot be copied", opsmanager.Sanitize(project))
		}
		if !isWhole(cluster) {
			found.ShardOf = sharded[tf.Text(cluster.Name())]
		}
		clusters = append(clusters, found)
	}
	return clusters, nil
}

// cluster reads the objects of a cluster. Until then, its backup configuration is the listed one. A part of a sharded cluster has
// neither snapshots nor restores of its own.
func (c *copier) cluster(ctx context.Context, project string, cluster *emulator.Cluster, areClustersRead, areBackupsRead bool) error {
	if cluster.BackupConfig != nil {
		if err := c.backup(ctx, project, cluster); err != nil {
			return err
		}
	}
	if !areClustersRead || cluster.ShardOf != "" {
		return nil
	}
	if hasBackup := cluster.BackupConfig != nil; hasBackup || !areBackupsRead {
		if err := c.copySnapshots(ctx, project, cluster); err != nil {
			return err
		}
	}
	jobs, err := c.client.ListRestoreJobs(ctx, project, cluster.ID, "", opsmanager.Page{})
	if err := c.noteInCluster(err, project, cluster.ID, "restoreJobs"); err != nil {
		return err
	}
	cluster.RestoreJobs = copiedList(jobs)
	return nil
}

// copySnapshots reads the snapshots of a cluster.
func (c *copier) copySnapshots(ctx context.Context, project string, cluster *emulator.Cluster) error {
	snapshots, err := c.snapshots(ctx, project, cluster.ID)
	if err := c.noteInCluster(err, project, cluster.ID, "snapshots"); err != nil {
		return err
	}
	if found := copiedList(snapshots); len(found) > 0 {
		packed, err := json.Marshal(found)
		if err != nil {
			return err
		}
		cluster.CopiedSnapshots = emulator.PackedDocuments(packed)
	}
	return nil
}

// noteInCluster is note for a list of a cluster that may have vanished since it was listed.
func (c *copier) noteInCluster(err error, project, cluster, list string) error {
	if hasVanished(err) {
		return nil
	}
	return c.note(err, "groups", project, "clusters", cluster, list)
}

// backup reads the backup configuration and the schedule of a cluster.
func (c *copier) backup(ctx context.Context, project string, cluster *emulator.Cluster) error {
	listed := cluster.BackupConfig
	config, members, err := c.backupConfig(ctx, project, cluster.ID)
	switch {
	case err == nil:
		cluster.BackupConfig = copied(*config)
		cluster.Members = members
		if !reflect.DeepEqual(listed, cluster.BackupConfig) {
			cluster.ListedBackupConfig = listed
		}
	case hasVanished(err), isConflict(err):
		cluster.BackupConfig = nil
		return nil
	default:
		return c.note(err, "groups", project, "backupConfigs", cluster.ID)
	}
	if cluster.ShardOf != "" || cluster.ThirdPartyBackup == "ACTIVE" { // it has none, or it can't be read
		return nil
	}
	schedule, err := c.client.SnapshotSchedule(ctx, project, cluster.ID)
	switch {
	case err == nil:
		cluster.SnapshotSchedule = copied(*schedule)
	case hasVanished(err), isConflict(err): // as while the backup is inactive
	default:
		return c.note(err, "groups", project, "backupConfigs", cluster.ID, "snapshotSchedule")
	}
	return nil
}

// backupConfig reads a backup configuration with the members of its cluster, or without them if Ops
// Manager does not return them.
func (c *copier) backupConfig(ctx context.Context, project, cluster string) (*opsmanager.BackupConfig, []string, error) {
	config, err := c.client.BackupConfigWithMembers(ctx, project, cluster)
	if err == nil && config.StatusName != nil {
		return &config.BackupConfig, config.AvailableMembers, nil
	}
	var members []string
	if err == nil {
		members = config.AvailableMembers
	}
	alone, err := c.client.BackupConfig(ctx, project, cluster)
	return alone, members, err
}

// hasVanished reports whether a cluster, or its backup, no longer exists. If Ops Manager no longer has the
// whole project, or no longer shows it, that is an error.
func hasVanished(err error) bool {
	return opsmanager.IsMissing(err, opsmanager.ObjectCluster) || opsmanager.IsMissing(err, opsmanager.ObjectBackupConfig)
}

func isConflict(err error) bool {
	e, ok := errors.AsType[*opsmanager.Error](err)
	return ok && e.Status == http.StatusConflict
}

// snapshots lists all snapshots of a cluster, also those that are being taken.
func (c *copier) snapshots(ctx context.Context, project, cluster string) (*opsmanager.List[opsmanager.ClusterSnapshot], error) {
	if !c.withoutAll.Load() {
		list, err := c.client.ListClusterSnapshots(ctx, project, cluster, "all", opsmanager.Page{})
		e, ok := errors.AsType[*opsmanager.Error](err)
		if !ok || e.Status != http.StatusBadRequest {
			return list, err
		}
		c.withoutAll.Store(true)
	}
	return c.client.ListClusterSnapshots(ctx, project, cluster, "", opsmanager.Page{})
}

// storeKinds are the kinds of stores, in the order of [emulator.StoreKinds].
var storeKinds = []opsmanager.StoreKind{
	opsmanager.Blockstore,
	opsmanager.S3Blockstore,
	opsmanager.FileSystemStore,
	opsmanager.OplogStore,
	opsmanager.S3OplogStore,
	opsmanager.SyncStore,
}

// administration reads what all projects share, as far as the key may.
func (c *copier) administration(ctx context.Context) error {
	c.seed.BackupStores = map[emulator.StoreKind][]map[string]any{}
	for i, kind := range storeKinds {
		stores, err := c.client.ListBackupStores(ctx, kind)
		if err := c.note(err, adminPath(strings.Split(string(kind), "/")...)...); err != nil {
			return err
		}
		c.seed.BackupStores[emulator.StoreKinds[i]] = copiedList(stores)
	}
	daemons, err := c.client.ListBackupDaemons(ctx)
	if err := c.note(err, adminPath("daemon", "configs")...); err != nil {
		return err
	}
	c.seed.BackupDaemons = copiedList(daemons)
	regions, err := c.client.ListDeploymentRegions(ctx)
	if err := c.note(err, adminPath("backupDeployments")...); err != nil {
		return err
	}
	c.seed.DeploymentRegions = copiedList(regions)
	if regions != nil {
		for i, region := range regions.Results {
			for _, name := range region.Nulls {
				c.seed.DeploymentRegions[i][name] = nil
			}
		}
	}
	return c.jobConfigs(ctx)
}

// jobConfigs reads the job configurations of the copied projects.
func (c *copier) jobConfigs(ctx context.Context) error {
	configs, err := c.client.ListJobConfigs(ctx)
	if err := c.note(err, adminPath("groups")...); err != nil || configs == nil {
		return err
	}
	others := false
	for _, config := range configs.Results {
		i := slices.IndexFunc(c.seed.Projects, func(project emulator.Project) bool {
			return project.ID == config.ID
		})
		if i < 0 {
			others = true
			continue
		}
		c.seed.Projects[i].BackupJobConfig = copied(config)
		c.seed.Copy.JobConfigOrder = append(c.seed.Copy.JobConfigOrder, config.ID)
	}
	if others {
		c.unread(emulator.Unread{Itself: true, Status: http.StatusUnauthorized}, adminPath("groups")...)
	}
	return nil
}
