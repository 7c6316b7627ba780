package schedules

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type snapshotScheduleResource struct{ projects.ClusterResource }

// NewSnapshotScheduleResource returns the resource opsmanager_snapshot_schedule.
func NewSnapshotScheduleResource() resource.Resource {
	return &snapshotScheduleResource{projects.ClusterResource{
		Resource: connection.Resource{TypeName: "snapshot_schedule"}, Kind: "snapshot schedule",
	}}
}

// Create adopts the existing schedule, and sends the configured fields that differ from
// the live ones. If anything fails, it stores no state: a stored state would be tainted and
// planned for replacement. Without a state, the next plan adopts the schedule again.
func (r *snapshotScheduleResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	configured := tf.Read[snapshotScheduleModel](ctx, req.Config, diags)
	planned := tf.Read[snapshotScheduleModel](ctx, req.Plan, diags)
	if diags.HasError() || !r.Ready(adoptionWording.summary, diags) {
		return
	}
	adoption := adoptionOf(r.Data, configured)
	if planned.Overwrites.IsUnknown() { // the plan has said that it can't show them
		live, err := adoption.read(ctx)
		if err != nil {
			diags.Append(adoption.failure(err))
			return
		}
		planned.Overwrites = adoption.overwrites(*live)
	}
	done := adoption.showing(planned.Overwrites).run(ctx, diags)
	if diags.HasError() {
		return
	}
	created := planned.applied(done.Now)
	tf.Write(ctx, &resp.State, created, diags)
	tf.Write(ctx, resp.Identity, created.ClusterIdentity, diags)
}

func (r *snapshotScheduleResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := tf.Read[snapshotScheduleModel](ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	// Also set if the schedule is gone: Terraform before 1.12 requires it for a removal.
	tf.Write(ctx, resp.Identity, state.ClusterIdentity, diags)
	of := clusterOf(r.Data, state.ClusterIdentity)
	if r.KeepsState(diags) {
		of.guardState(state.RetentionProtection, keepsSchedule, diags)
		return
	}
	key, problems := req.Private.GetKey(ctx, projects.ImportedKey)
	diags.Append(problems...)
	isImported := len(key) > 0
	status := ""
	live, err := of.read(ctx)
	if !isImported {
		status = of.statusWithoutSchedule(ctx, err)
	}
	switch isMissing := opsmanager.IsMissing(err, opsmanager.ObjectSchedule) && !isImported; {
	case status != "" && status != opsmanager.StatusInactive:
		diags.AddWarning(projects.DriftNotShown, "The backup of cluster "+of.clusterID+" is "+opsmanager.Sanitize(status)+
			", so the provider kept the state and cannot show drift.")
		return
	case status == opsmanager.StatusInactive, isMissing:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		diags.Append(readWording.failure(err))
		return
	}
	if isImported {
		diags.Append(resp.Private.SetKey(ctx, projects.ImportedKey, nil)...)
	}
	of.guardState(state.RetentionProtection, keepsSchedule, diags)
	projects.WarnUnread(of.clusterID, unreadIn(*live, scheduleOf(state.Values)), diags)
	tf.Write(ctx, &resp.State, state.refreshed(*live), diags)
}

// unreadIn returns the guarded attributes that a response leaves out although their value is known.
func unreadIn(response, known schedule) (unread []string) {
	for _, f := range guardedFields {
		if *f.at(&known) != nil && *f.at(&response) == nil {
			unread = append(unread, f.attribute)
		}
	}
	return unread
}

// Update sends what the plan changes. It sends nothing if one of those values is no longer that of the state.
func (r *snapshotScheduleResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	configured := tf.Read[snapshotScheduleModel](ctx, req.Config, diags)
	planned := tf.Read[snapshotScheduleModel](ctx, req.Plan, diags)
	state := tf.Read[snapshotScheduleModel](ctx, req.State, diags)
	if diags.HasError() || !r.Ready(updateWording.summary, diags) {
		return
	}
	tf.TakePlan(ctx, resp.Private, diags)
	updated := planned.applied(scheduleOf(state.Values))
	if update := updateOf(r.Data, configured, planned, state); !update.isEmpty() {
		done := update.run(ctx, diags)
		if done == nil {
			return
		}
		updated = planned.applied(done.Now)
		if diags.HasError() { // Ops Manager did not do what the plan showed
			updated = state.refreshed(done.Now)
		}
	}
	tf.Write(ctx, &resp.State, updated, diags)
	tf.Write(ctx, resp.Identity, updated.ClusterIdentity, diags)
}

// Delete only removes the schedule from the state. Ops Manager deletes it together with its
// backup configuration.
func (r *snapshotScheduleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// cluster is the cluster of a schedule.
type cluster struct {
	*connection.Data
	projectID, clusterID string // empty while they are unknown
}

func clusterOf(data *connection.Data, of projects.ClusterIdentity) cluster {
	project, id := of.IDs()
	return cluster{data, project, id}
}

// read reads the schedule.
func (c cluster) read(ctx context.Context) (*schedule, error) {
	return responseInUTC(projects.SnapshotSchedule(ctx, c.Data, c.projectID, c.clusterID))
}

// target is what a resource sets of the schedule of a cluster. Schedules are in UTC here, and the time of day is one
// value of them.
type target struct {
	cluster
	wording
	protection

	configured tf.Values      // what the configuration sets, without what ignore_changes ignores
	wanted     schedule       // what to set of that; by an update, only what differs from the state
	saw        *schedule      // what the plan saw; nil if it has just read the schedule
	refine     []func(*write) // what a resource changes of how a schedule is set
}

type (
	write  = change.Write[schedule]
	step   = change.Step[schedule]
	result = change.Result[schedule]
)

// adoptionOf returns what a creation sets: all that is configured.
func adoptionOf(data *connection.Data, configured snapshotScheduleModel) target {
	return target{
		cluster:    clusterOf(data, configured.ClusterIdentity),
		wording:    adoptionWording,
		protection: protection{isConfigured: configured.RetentionProtection.ValueBool(), keeps: keepsSchedule},
		configured: configured.Values,
		wanted:     scheduleOf(configured.Values),
	}
}

// showing returns an adoption whose plan has shown what it overwrites.
func (t target) showing(overwrites types.Object) target {
	overwritten := t.overwritten
	t.refine = append(t.refine, func(w *write) {
		*w = w.Showing(overwrites, overwritten)
	})
	return t
}

// updateOf returns what an update sets: the planned values that differ from the state. With a new interval, it sets a
// retention of recent snapshots that is configured, or that ignore_changes keeps, even if that is unchanged: otherwise Ops
// Manager may shorten it instead of rejecting the interval.
func updateOf(data *connection.Data, configured, planned, state snapshotScheduleModel) target {
	all := scheduleOf(planned.Values)
	prior := scheduleOf(state.Values)
	prior.ReferenceTimeZoneOffset = nil // the state has one also if Ops Manager never returned it
	t := target{
		cluster: clusterOf(data, state.ClusterIdentity),
		wording: updateWording,
		protection: protection{
			isConfigured: planned.RetentionProtection.ValueBool(),
			isInState:    state.RetentionProtection.ValueBool(),
			keeps:        keepsSchedule,
		},
		configured: tf.Values{},
		wanted:     scheduleFields.Changed(all, prior),
		saw:        &prior,
	}
	for attribute, value := range configured.Values { // in an apply, with what ignore_changes ignores
		if value.Equal(planned.Values[attribute]) {
			t.configured[attribute] = value
		}
	}
	t.wanted.ReferenceTimeZoneOffset = nil // in UTC, another offset alone is no change
	if timeOf(t.wanted) != (timeOfDay{}) {
		setTime(&t.wanted, timeOf(all))
	}
	interval := t.wanted.SnapshotIntervalHours
	isConfigured := isSet(t.configured, recentRetentionDays)
	keepsLong := isShort(interval) && isLong(all.SnapshotRetentionDays) // if it were left out, it would be unknown
	if interval != nil && (isConfigured || keepsLong) {
		t.wanted.SnapshotRetentionDays = all.SnapshotRetentionDays
	}
	return t
}

func (t target) isEmpty() bool { return t.wanted == schedule{} }

// run makes the change, and returns what it did, or nil if it failed.
func (t target) run(ctx context.Context, diags *diag.Diagnostics) *result {
	done, err := t.write().Run(ctx, t.Client, opsmanager.ObjectSchedule)
	if err != nil {
		diags.Append(t.failure(err))
		return nil
	}
	t.report(done, diags)
	return &done
}

// write returns the change of the schedule. It fails if values have changed since the plan, if the guard refuses what the
// change loses, or if another product backs up the cluster.
func (t target) write() write {
	w := write{
		Values:  scheduleValues,
		Request: requestOf,
		After:   t.afterOf,
		Read:    t.read,
		Saw:     func(live schedule) schedule { return *cmp.Or(t.saw, &live) },
		Wanted:  t.wanted,
		RefuseDrift: func(_ step, drifts []change.Drift) error {
			if len(drifts) == 0 {
				return nil
			}
			text := change.SincePlan("The schedule of cluster "+t.clusterID, drifts, "Plan again.", t.renew)
			return tf.OnAttribute("cluster_id", t.summary, "%s", text)
		},
		Allow: func(ctx context.Context, next step) error {
			if lost := t.losses(next); t.isGuarded() && len(lost) > 0 {
				return tf.Explained{Diagnostic: t.lossError("The apply", lost)}
			}
			return projects.Guard(ctx, t.Data, t.projectID, t.clusterID, projects.BeforeChange)
		},
		Send: func(ctx context.Context, next step) (*schedule, error) {
			return responseInUTC(t.Client.UpdateSnapshotSchedule(ctx, t.projectID, t.clusterID, next.Request))
		},
	}
	for _, refine := range t.refine {
		refine(&w)
	}
	return w
}

// requestOf returns what a request sends to set the values that are left: with them, what must be sent together.
func requestOf(known, wanted, left schedule) schedule {
	if timeOf(left) != (timeOfDay{}) {
		setTime(&left, timeOf(scheduleFields.Complete(left, known)))
		left.ReferenceTimeZoneOffset = known.ReferenceTimeZoneOffset // an Ops Manager that lacks it uses UTC
	}
	if left.SnapshotIntervalHours != nil {
		left.SnapshotRetentionDays = wanted.SnapshotRetentionDays
	}
	return left
}

// afterOf returns a live schedule after a request: with what it sets, and what Ops Manager is documented to take along.
// A short interval takes the retention of recent snapshots along if that is long or not returned.
func (t target) afterOf(live, request schedule) schedule {
	after := withLater(live, request)
	recent := live.SnapshotRetentionDays
	isCoupled := request.SnapshotRetentionDays == nil && !isUnknown(t.configured, recentRetentionDays)
	if isShort(request.SnapshotIntervalHours) && isCoupled && (recent == nil || isLong(recent)) {
		after.SnapshotRetentionDays = new(int64(maxRecentRetentionDays))
	}
	return after
}

// report adds an error for each sent value that Ops Manager did not take, or does not return. It also reports the
// values that have changed although they were not sent, and the plan did not show that. A configured one is an error,
// and under the guard, so is a loss.
func (t target) report(done result, diags *diag.Diagnostics) {
	for _, d := range done.NotTaken {
		diags.Append(diag.WithPath(pathOf(d.Attribute), d.Adjusted(t.state)))
	}
	configured := t.write()
	configured.Wanted = scheduleOf(t.configured)
	wrong := scheduleValues.Differences(configured.WantedOf(done.Now, done.Now), done.Now)
	before := scheduleFields.Complete(done.First.Live, done.First.Saw)
	lost := t.losses(step{Live: before, After: done.Now})
	var others []tf.Difference
	for _, d := range done.ChangedAlong {
		isLoss := slices.ContainsFunc(lost, func(l loss) bool { return l.attribute == d.Attribute })
		isRefused := isLoss && t.isGuarded() || tf.Has(wrong, d.Attribute)
		if !isRefused {
			others = append(others, d)
			continue
		}
		diags.AddAttributeError(pathOf(d.Attribute), "Schedule Changed During the Apply",
			fmt.Sprintf("The plan did not show this change of the schedule of cluster %s, and the provider did not send it:%s\n\n%s %s",
				t.clusterID, tf.Bulleted([]tf.Difference{d}), whoChanged, t.state))
	}
	if len(others) > 0 {
		diags.AddWarning("Further Changes to the Snapshot Schedule of Cluster "+t.clusterID,
			"These values changed during the apply, and the plan did not show that:"+tf.Bulleted(others)+"\n\n"+whoChanged)
	}
}

const whoChanged = "Either Ops Manager changed it along with the values that the provider sent, or another client changed it. " +
	"Existing snapshots stay until they expire. To get an old value back, configure it."

// overwritten returns the texts of what the change overwrites on a live schedule.
func (t target) overwritten(live schedule) map[string]string {
	return tf.OverwritesIn(changesOf(t.write().Step(live)))
}

// changesOf returns the changes of a step as people read them.
func changesOf(of step) []tf.Difference {
	changes := slices.Clone(of.Changes)
	for i, d := range changes {
		if d.Attribute == recentRetentionDays && takesUnknownAlong(of) {
			changes[i].Wanted = atMostRecent
		}
	}
	return changes
}

// takesUnknownAlong reports whether a step takes along a retention that Ops Manager does not return.
func takesUnknownAlong(of step) bool {
	return of.Live.SnapshotRetentionDays == nil && of.Request.SnapshotRetentionDays == nil && of.After.SnapshotRetentionDays != nil
}

// wording has the texts of diagnostics that differ between a read, an adoption, an update and a policy.
type wording struct {
	summary string     // of a failure
	state   string     // describes the state if Ops Manager returns another value
	renew   string     // what to do after the resource was removed from the state
	advice  []tf.Codes // on failures, before that on those of a schedule
}

// failure returns the diagnostic of a failed call.
func (w wording) failure(err error) diag.Diagnostic {
	return tf.Failure(w.summary, err, append(w.advice, projects.Codes, projects.ClusterCodes, Codes)...)
}

const importAgain = "import the schedule again"

var (
	readWording     = wording{summary: "Unable to Read Snapshot Schedule", advice: ofOneCluster}
	adoptionWording = wording{
		summary: "Unable to Adopt Snapshot Schedule",
		renew:   importAgain,
		advice:  ofOneCluster,
		state:   "The schedule was changed, but is not in the state. The next plan adopts it again.",
	}
	updateWording = wording{
		summary: "Unable to Update Snapshot Schedule",
		renew:   importAgain,
		advice:  ofOneCluster,
		state:   "The state has the value that Ops Manager returned.",
	}
)

// ofOneCluster has the advice on a resource that manages the schedule of only one cluster.
var ofOneCluster = []tf.Codes{{Advice: map[string]string{
	"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": projects.NotStarted +
		" If the backup was ended on purpose, delete the block of its schedule, and apply that with -refresh=false.",
}}}
