package monitoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/snapshots"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// reader reads the clusters of projects. Its errors are the details of diagnostics.
type reader struct {
	client        *opsmanager.Client
	projectIDs    []string // in lower case; none selects all projects
	excluded      []string // IDs of clusters, in lower case
	withSchedules bool
	withPoints    bool
	concurrency   int
}

// read returns the clusters that are not excluded. It fails if one of them may be missing.
func (r reader) read(ctx context.Context) ([]cluster, error) {
	selected, err := r.projects(ctx)
	if err != nil {
		return nil, err
	}
	clusters, err := r.clusters(ctx, selected)
	if err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.concurrency)
	for i := range clusters {
		c := &clusters[i]
		if c.unread == "" && !c.isForeign() && c.isConfigured && c.status.ValueString() != opsmanager.StatusInactive {
			group.Go(func() error { return r.readBackup(ctx, c) })
		}
	}
	return clusters, group.Wait()
}

// projects returns the selected projects.
func (r reader) projects(ctx context.Context) ([]project, error) {
	if len(r.projectIDs) == 0 {
		return r.allProjects(ctx)
	}
	selected := make([]project, len(r.projectIDs))
	for i, id := range r.projectIDs {
		selected[i] = project{id, id}
	}
	return selected, r.eachProject(ctx, selected, func(ctx context.Context, i int) error {
		found, err := r.client.Project(ctx, selected[i].id)
		if err == nil {
			selected[i].name = cmp.Or(printable(found.Name), selected[i].id)
		}
		return err
	})
}

// allProjects returns the projects of the API key.
func (r reader) allProjects(ctx context.Context) ([]project, error) {
	list, err := r.client.ListProjects(ctx)
	if err != nil {
		return nil, fmt.Errorf("the projects of the API key could not be listed. %s", tf.Explain(err, tf.Concurrent))
	}
	if len(list.Results) == 0 {
		return nil, errors.New("the API key has a role in no project, so there is nothing to check. Give it the role Project Read Only in the projects to check, on its page in Ops Manager")
	}
	all := make([]project, len(list.Results))
	for i, found := range list.Results {
		if !isID(found.ID) {
			return nil, fmt.Errorf("the project %q has no ID, so its clusters can't be read. %s", printable(found.Name), reportToAdministrator)
		}
		all[i] = project{*found.ID, cmp.Or(printable(found.Name), *found.ID)}
	}
	slices.SortFunc(all, func(a, b project) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	return all, nil
}

// clusters returns the clusters of projects that are not excluded. Their backups have not been read.
func (r reader) clusters(ctx context.Context, of []project) ([]cluster, error) {
	listed := make([][]cluster, len(of))
	err := r.eachProject(ctx, of, func(ctx context.Context, i int) error {
		whole, unlisted, _, err := projects.ListAll(ctx, r.client, of[i].id)
		for _, backup := range whole {
			listed[i] = append(listed[i], newCluster(of[i], backup))
		}
		for _, config := range unlisted {
			c := newCluster(of[i], projects.Backup{Cluster: opsmanager.Cluster{ID: config.ClusterID}, Config: &config})
			c.unread = "Ops Manager lists its backup, but not the cluster"
			listed[i] = append(listed[i], c)
		}
		if len(listed[i]) == 0 {
			return err
		}
		owners := projects.ReadOwners(ctx, r.client, of[i].id)
		for j := range listed[i] {
			c := &listed[i][j]
			other, unknown := owners.Of(c.id)
			c.isListed = other == projects.ThirdParty
			c.owner = unknown
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var found []cluster
	owners := map[string]project{}
	for _, c := range slices.Concat(listed...) {
		if !isID(&c.id) {
			named := "a cluster"
			if c.name != "" {
				named = fmt.Sprintf("the cluster %q", c.name)
			}
			return nil, fmt.Errorf("%s of project %s has no ID, so its backup can't be read. %s", named, c.project, reportToAdministrator)
		}
		key := strings.ToLower(c.id)
		if slices.Contains(r.excluded, key) {
			continue
		}
		if other, ok := owners[key]; ok {
			return nil, fmt.Errorf("the cluster ID %s is in project %s and in project %s, so one of the clusters would be missing. %s", c.id, other, c.project, reportToAdministrator)
		}
		owners[key] = c.project
		found = append(found, c)
	}
	if len(found) > mostClusters {
		return nil, fmt.Errorf("the projects have %d clusters, more than %d, which would take too much memory. Set project_ids to read fewer at once", len(found), mostClusters)
	}
	return found, nil
}

// mostClusters is the maximum number of clusters that are read.
const mostClusters = 50_000

const reportToAdministrator = "Report that to the administrator of Ops Manager. To read the other projects, set project_ids."

// newCluster returns a cluster whose backup has not been read.
func newCluster(p project, backup projects.Backup) cluster {
	c := cluster{
		project:  p,
		id:       tf.Text(backup.Cluster.ID),
		name:     cmp.Or(printable(backup.Cluster.NameOrID()), tf.Text(backup.Cluster.ID)),
		typeName: textValue(backup.Cluster.TypeName),
	}
	if backup.Config != nil {
		c.isConfigured = true
		c.status = textValue(backup.Config.StatusName)
	}
	return c
}

// readBackup reads the snapshots and the schedule of a cluster. If that fails although the project can
// be read, it is a problem of this cluster only.
func (r reader) readBackup(ctx context.Context, c *cluster) error {
	err := r.readSnapshots(ctx, c)
	status := c.status.ValueString()
	// In between, there may be no schedule yet, or no longer.
	isInTransition := status == opsmanager.StatusProvisioning || status == opsmanager.StatusTerminating
	// For a listed cluster, Ops Manager answers 500.
	if err == nil && r.withSchedules && !isInTransition && !c.isListed {
		err = r.readSchedule(ctx, c)
	}
	if err == nil {
		return nil
	}
	if _, err := r.client.Project(ctx, c.project.id); err != nil {
		return unreadable(failure{c.project, err})
	}
	c.unread = reason(err)
	return nil
}

func (r reader) readSnapshots(ctx context.Context, c *cluster) error {
	points, err := r.restorePoints(ctx, c)
	if err != nil {
		return err
	}
	if c.isReplicaSet() {
		for i, p := range points {
			points[i] = p.OfReplicaSet()
		}
	}
	c.maybe = slices.ContainsFunc(points, snapshots.MayBeRestorable)
	if c.newest = snapshots.NewestComplete(points); c.newest != nil {
		c.newest.ID = textValue(c.newest.ID).ValueStringPointer()
		c.newest.Expires = textValue(c.newest.Expires).ValueStringPointer()
	}
	return nil
}

// restorePoints returns the snapshots of a cluster, and sets its recovery points if these are asked for.
func (r reader) restorePoints(ctx context.Context, c *cluster) (points []opsmanager.RestorePoint, err error) {
	if !r.withPoints {
		list, err := opsmanager.Identified(r.client.ListRestorePoints(ctx, c.project.id, c.id))
		if err != nil {
			return nil, err
		}
		return list.Results, nil
	}
	list, err := opsmanager.Identified(r.client.ListClusterSnapshots(ctx, c.project.id, c.id, "", opsmanager.Page{}))
	if err != nil {
		return nil, err
	}
	c.points = new(snapshots.RecoveryPointsJSON(list.Results, c.isReplicaSet()))
	for _, s := range list.Results {
		points = append(points, s.RestorePoint())
	}
	return points, nil
}

func (r reader) readSchedule(ctx context.Context, c *cluster) error {
	schedule, err := r.client.SnapshotSchedule(ctx, c.project.id, c.id)
	if opsmanager.IsMissing(err, opsmanager.ObjectSchedule) {
		return nil
	}
	if err != nil {
		return err
	}
	schedule.ReferenceTimeZoneOffset = textValue(schedule.ReferenceTimeZoneOffset).ValueStringPointer()
	schedule.FullIncrementalDayOfWeek = textValue(schedule.FullIncrementalDayOfWeek).ValueStringPointer()
	c.schedule = schedule
	return nil
}

// reason returns why a cluster could not be read. It has no details that differ between two attempts,
// such as ports, durations, or the text of a proxy.
func reason(err error) string {
	var e *opsmanager.Error
	var network net.Error
	switch {
	case opsmanager.IsMissing(err, opsmanager.ObjectCluster):
		return "Ops Manager no longer has it"
	case errors.Is(err, opsmanager.ErrIncompleteList):
		return "the list of its snapshots may be incomplete"
	case errors.Is(err, opsmanager.ErrOtherObject):
		return "the response was for another object"
	case errors.As(err, &network) && network.Timeout():
		return "Ops Manager did not respond in time"
	case !errors.As(err, &e) || e.Status == 0:
		return "Ops Manager did not respond"
	case e.Err != nil:
		return "the response can't be used"
	case e.Document && documentedCode.MatchString(e.Code):
		return fmt.Sprintf("%s (%s)", statusText(e.Status), e.Code)
	}
	return statusText(e.Status)
}

// documentedCode matches a code of Ops Manager, and not the ID of a request.
var documentedCode = regexp.MustCompile(`^[A-Z]+(_[A-Z]+)+$`)

// statusText returns a status in words, if it has any.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// eachProject calls do with the index of each project, some in parallel. The error has all projects
// that Ops Manager refused. It stops at the first failure of a different kind, because the others would
// probably fail like it.
func (r reader) eachProject(ctx context.Context, all []project, do func(ctx context.Context, i int) error) error {
	errs := make([]error, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.concurrency)
	for i, p := range all {
		group.Go(func() error {
			errs[i] = do(ctx, i)
			var e *opsmanager.Error
			if errs[i] == nil || errors.As(errs[i], &e) && e.Document {
				return nil
			}
			return unreadable(failure{p, errs[i]})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var refused []failure
	for i, err := range errs {
		if err != nil {
			refused = append(refused, failure{all[i], err})
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return unreadable(refused...)
}

// failure is why a project could not be read.
type failure struct {
	project project
	err     error
}

// unreadable returns the error about projects that could not be read.
func unreadable(failures ...failure) error {
	const most = 20
	var text strings.Builder
	for _, f := range failures[:min(len(failures), most)] {
		fmt.Fprintf(&text, "Project %s could not be read. %s\n\n", f.project, tf.Explain(f.err, tf.Concurrent, tf.MissingForRead))
	}
	if more := len(failures) - most; more > 0 {
		fmt.Fprintf(&text, "And %d more projects.\n\n", more)
	}
	return fmt.Errorf("%s%s", &text, setProjectIDs)
}

const setProjectIDs = "If a project were left out, its clusters would look healthy. To check other projects only, set project_ids to their IDs."

func (p project) String() string { return projects.ClusterLabel(p.name, p.id) }

// printable returns a text of a response as one line, or "" if the response leaves it out.
func printable(text *string) string {
	return opsmanager.Sanitize(tf.Text(tf.Normalized(text)))
}

// textValue returns the value of a text of a response, or null if it is missing.
func textValue(text *string) types.String {
	line := printable(text)
	return types.StringPointerValue(tf.NonEmpty(&line))
}

// isID reports whether an ID of a response can be used.
func isID(id *string) bool { return id != nil && *id != "" && *id == opsmanager.Sanitize(*id) }
