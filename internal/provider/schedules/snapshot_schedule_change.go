package schedules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// scheduleChange is a change of the schedule of a cluster. Its schedules are in UTC, and the time of day
// is one value of them.
type scheduleChange struct {
	projectID, clusterID string

	configured tfmodel.Values              // what the configuration sets, without what ignore_changes ignores
	prior      opsmanager.SnapshotSchedule // what the plan saw
	live       opsmanager.SnapshotSchedule // what Ops Manager has
	wanted     opsmanager.SnapshotSchedule // what the change sets

	isGuarded bool // a loss of recovery points is an error
}

// adoptionOf returns the change of a live schedule to the configured values. To a plan, prior and live are the
// same. Create sets prior to what its plan has shown.
func adoptionOf(configured snapshotScheduleModel, live opsmanager.SnapshotSchedule) scheduleChange {
	return scheduleChange{
		projectID: configured.ProjectID.ValueString(), clusterID: configured.ClusterID.ValueString(), configured: configured.Values,
		prior: live, live: live, wanted: scheduleOf(configured.Values),
	}
}

// updateOf returns the change of a schedule to the planned values that differ from the state. With a new
// interval, it sets a configured retention of recent snapshots even if that is unchanged: otherwise Ops
// Manager may shorten it instead of rejecting the interval. To a plan, the state is what is live, because the
// refresh has just read it. Update sets live to what it reads.
func updateOf(configured, planned, state snapshotScheduleModel) scheduleChange {
	all, prior := scheduleOf(planned.Values), scheduleOf(state.Values)
	c := scheduleChange{
		projectID: planned.ProjectID.ValueString(), clusterID: planned.ClusterID.ValueString(), configured: tfmodel.Values{},
		prior: prior, live: prior, wanted: scheduleFields.Changed(all, prior),
	}
	for attribute, value := range configured.Values { // in an apply, with what ignore_changes ignores
		if value.Equal(planned.Values[attribute]) {
			c.configured[attribute] = value
		}
	}
	c.wanted.ReferenceTimeZoneOffset = nil // in UTC, another offset alone is no change
	if timeOf(c.wanted) != (timeOfDay{}) {
		setTime(&c.wanted, timeOf(all))
	}
	if c.wanted.SnapshotIntervalHours != nil && isSet(c.configured, recentRetentionDays) {
		c.wanted.SnapshotRetentionDays = all.SnapshotRetentionDays
	}
	return c
}

func (c *scheduleChange) isEmpty() bool { return c.wanted == opsmanager.SnapshotSchedule{} }

// toSend returns the wanted values that differ from the live ones, with what must be sent together.
func (c *scheduleChange) toSend() opsmanager.SnapshotSchedule {
	changes := differences(c.wanted, c.live)
	sent := scheduleFields.Only(c.wanted, func(f scheduleField) bool { return has(changes, nameOf(f.Attribute)) })
	if timeOf(sent) != (timeOfDay{}) {
		setTime(&sent, timeOf(scheduleFields.Complete(sent, c.live)))
		sent.ReferenceTimeZoneOffset = c.live.ReferenceTimeZoneOffset // an Ops Manager that lacks it uses UTC
	}
	if sent.SnapshotIntervalHours != nil {
		sent.SnapshotRetentionDays = c.wanted.SnapshotRetentionDays
	}
	return sent
}

// effects returns what the change does to a schedule: what it sets, and what Ops Manager is documented to
// take along. If the retention of recent snapshots is long or not returned, a new interval takes it along.
func (c *scheduleChange) effects(on opsmanager.SnapshotSchedule) []tfmodel.Difference {
	found := differences(c.wanted, on)
	if !isShort(c.wanted.SnapshotIntervalHours) || !has(found, intervalHours) || c.wanted.SnapshotRetentionDays != nil || isUnknown(c.configured, recentRetentionDays) {
		return found
	}
	switch recent := on.SnapshotRetentionDays; {
	case recent == nil:
		return append(found, tfmodel.Difference{Attribute: recentRetentionDays, Wanted: fmt.Sprintf("at most %d", maxRecentRetentionDays)})
	case isLong(recent):
		return append(found, tfmodel.Difference{Attribute: recentRetentionDays, Held: fmt.Sprint(*recent), Wanted: fmt.Sprint(maxRecentRetentionDays)})
	}
	return found
}

// sincePlan returns what has changed since the plan, of the values that the change touches. What this run
// itself has made of them is known.
func (c *scheduleChange) sincePlan(ours opsmanager.SnapshotSchedule) []tfmodel.Difference {
	touched, foreign := c.effects(c.live), differences(c.live, withLater(c.prior, ours))
	return slices.DeleteFunc(differences(c.live, c.prior), func(d tfmodel.Difference) bool {
		return !has(touched, d.Attribute) || !has(foreign, d.Attribute)
	})
}

// wording has the texts of diagnostics that differ between an adoption and an update.
type wording struct {
	summary string            // of a failure
	state   string            // describes the state if Ops Manager adjusted a value
	advice  diagnostics.Codes // on failures, beside that on those of a schedule
}

// failure returns the diagnostic of a failed call.
func (w wording) failure(err error) diag.Diagnostic { return failure(w.summary, err, w.advice) }

var (
	adoptionWording = wording{"Unable to Adopt Snapshot Schedule", "The schedule was changed, but is not in the state. The next plan adopts it again.", diagnostics.Codes{}}
	updateWording   = wording{"Unable to Update Snapshot Schedule", "The state has the value that Ops Manager keeps.", diagnostics.Codes{}}
)

// begin waits until no other resource of this process changes the schedule, and returns the live one,
// or nil after a failure. done lets the next resource change it.
func (r *snapshotScheduleResource) begin(ctx context.Context, planned snapshotScheduleModel, w wording, diags *diag.Diagnostics) (live *opsmanager.SnapshotSchedule, done func()) {
	project, cluster := planned.ProjectID.ValueString(), planned.ClusterID.ValueString()
	done, err := r.Lock(ctx, lockOf(cluster))
	if err != nil {
		diags.AddError(w.summary, diagnostics.Sentence(err))
		return nil, func() {}
	}
	if live, err = read(ctx, r.Data, project, cluster); err != nil {
		diags.Append(w.failure(err))
		return nil, done
	}
	return new(inUTC(*live)), done
}

// run makes the change, and returns the schedule afterwards, or nil if a request failed. That one may have taken
// effect, which the next refresh shows. Before each request, it compares what it touches with what the plan saw. If
// nothing is left to do, it sends nothing.
func (c *scheduleChange) run(ctx context.Context, data *connection.Data, w wording, diags *diag.Diagnostics) *opsmanager.SnapshotSchedule {
	ours, before, sent := runs.Of(data).changes(c.clusterID), c.live, opsmanager.SnapshotSchedule{}
	response, err := opsmanager.Change(ctx, data.Client, &c.live, c.reader(data), func(attempt context.Context, now *opsmanager.SnapshotSchedule) (*opsmanager.SnapshotSchedule, error) {
		c.live = withLater(c.live, *now)
		if err := c.check(ctx, data, ours, w); err != nil {
			return nil, err
		}
		if sent = c.toSend(); sent == (opsmanager.SnapshotSchedule{}) {
			return &c.live, nil
		}
		changed, err := data.Client.UpdateSnapshotSchedule(attempt, c.projectID, c.clusterID, sent)
		if err == nil || opsmanager.MayHaveChanged(err) {
			runs.Of(data).noteChange(c.clusterID, sent, c.live, changed)
		}
		return changed, err
	})
	if err != nil {
		diags.Append(w.failure(err))
		return nil
	}
	settled := withLater(withLater(c.live, sent), *response) // a field that is not returned has the sent value
	c.readUntil(ctx, data, &settled, func() bool { return len(tfmodel.Returned(differences(sent, settled))) == 0 })
	c.report(ctx, before, ours, sent, settled, w, diags)
	return &settled
}

// check returns an error if a value that the change touches has changed since the plan, or under the guard,
// if the change loses recovery points.
func (c *scheduleChange) check(ctx context.Context, data *connection.Data, ours opsmanager.SnapshotSchedule, w wording) error {
	c.readUntil(ctx, data, &c.live, func() bool { return len(c.sincePlan(ours)) == 0 })
	var changed []string
	for _, d := range c.sincePlan(ours) { // from the live value to that of the plan
		text := fmt.Sprintf("%s is %s, and the plan showed %s", d.Attribute, d.Wanted, d.Held)
		if d.Held == "" {
			text = fmt.Sprintf("%s is %s, which is not what the plan showed", d.Attribute, d.Wanted)
		}
		changed = append(changed, text)
	}
	switch {
	case len(changed) > 0 && ctx.Err() != nil: // perhaps an old value
		return ctx.Err()
	case len(changed) > 0:
		return diagnostics.Explained{Diagnostic: diag.NewAttributeErrorDiagnostic(path.Root("cluster_id"), w.summary,
			fmt.Sprintf("The schedule of cluster %s changed since the plan: %s. The provider did not overwrite that. Plan again.", c.clusterID, strings.Join(changed, "; ")))}
	}
	if lost := c.losses(); c.isGuarded && len(lost) > 0 {
		return diagnostics.Explained{Diagnostic: lossError("The apply", c.clusterID, lost)}
	}
	return nil
}

func (c *scheduleChange) reader(data *connection.Data) func(context.Context) (*opsmanager.SnapshotSchedule, error) {
	return func(ctx context.Context) (*opsmanager.SnapshotSchedule, error) {
		return read(ctx, data, c.projectID, c.clusterID)
	}
}

// read reads a schedule. Of a cluster that another product backs up, Ops Manager returns 500. Only then does it
// ask who backs up the cluster, so that other schedules need no further request.
func read(ctx context.Context, data *connection.Data, projectID, clusterID string) (*opsmanager.SnapshotSchedule, error) {
	live, err := data.Client.SnapshotSchedule(ctx, projectID, clusterID)
	if e, ok := errors.AsType[*opsmanager.Error](err); !ok || e.Status != http.StatusInternalServerError {
		return live, err
	}
	switch has, unknown := projects.HasThirdParty(ctx, data, projectID, clusterID); {
	case has:
		err = projects.HasThirdPartyError(clusterID)
	case unknown != nil:
		err = fmt.Errorf("%w. Perhaps another product backs up the cluster, which is not known: %w", err, unknown)
	}
	return nil, err
}

// readUntil reads a schedule again until it agrees, because reads and responses may lag behind writes.
func (c *scheduleChange) readUntil(ctx context.Context, data *connection.Data, schedule *opsmanager.SnapshotSchedule, agrees func() bool) {
	if agrees() {
		return
	}
	data.Settle(ctx, func() bool {
		if later, err := c.reader(data)(ctx); err == nil {
			*schedule = withLater(*schedule, *later)
		}
		return agrees()
	})
}

// report adds an error for each sent value that Ops Manager changed. It also reports the values that have
// changed although they were not sent, and the plan did not show that. A configured one is an error, and
// under the guard, so is a loss.
func (c *scheduleChange) report(ctx context.Context, before, ours, sent, settled opsmanager.SnapshotSchedule, w wording, diags *diag.Diagnostics) {
	adjusted := tfmodel.Returned(differences(sent, settled))
	for _, d := range adjusted {
		diags.Append(diag.WithPath(pathOf(d.Attribute), d.Adjusted(ctx, w.state)))
	}
	shown, wrong, foreign := c.effects(before), differences(scheduleOf(c.configured), settled), differences(settled, withLater(before, ours))
	var others []tfmodel.Difference
	for _, d := range tfmodel.Returned(differences(settled, before)) {
		_, isLoss := lossIn(d)
		switch {
		case slices.Contains(shown, d), has(adjusted, d.Attribute), !has(foreign, d.Attribute):
		case has(wrong, d.Attribute), c.isGuarded && isLoss:
			diags.AddAttributeError(pathOf(d.Attribute), "Schedule Changed During the Apply",
				fmt.Sprintf("The plan did not show this change of the schedule of cluster %s, and the provider did not send it:%s\n\n%s %s", c.clusterID, tfmodel.Bulleted([]tfmodel.Difference{d}), whoChanged, w.state))
		default:
			others = append(others, d)
		}
	}
	if len(others) > 0 {
		diags.AddWarning(fmt.Sprintf("Further Changes to the Snapshot Schedule of Cluster %s", c.clusterID),
			"These values changed during the apply, and the plan did not show that:"+tfmodel.Bulleted(others)+"\n\n"+whoChanged)
	}
}

const whoChanged = "Either Ops Manager changed it along with the values that the provider sent, or another client changed it. Existing snapshots stay until they expire. To get an old value back, configure it."

// differences compares the wanted values with those of a schedule. The time of day is one value.
func differences(wanted, held opsmanager.SnapshotSchedule) []tfmodel.Difference {
	for _, s := range []*opsmanager.SnapshotSchedule{&wanted, &held} {
		if hasNoCheckpoints(*s) {
			s.ClusterCheckpointIntervalMin = nil
		}
	}
	found := scheduleFields.Differences(scheduleFields.Only(wanted, func(f scheduleField) bool { return !isTime(f.Attribute) }), held)
	was, is := timeOf(held), timeOf(scheduleFields.Complete(wanted, held))
	was.offset, is.offset = nil, nil
	switch {
	case was.String() == is.String():
		return found
	case was == timeOfDay{}:
		return append(found, tfmodel.Difference{Attribute: timeAttribute, Wanted: is.String()})
	}
	return append(found, tfmodel.Difference{Attribute: timeAttribute, Held: was.String(), Wanted: is.String()})
}

// has reports whether one of some differences is that of an attribute.
func has(found []tfmodel.Difference, attribute string) bool {
	return slices.ContainsFunc(found, func(d tfmodel.Difference) bool { return d.Attribute == attribute })
}

// lockOf names the lock of a schedule.
func lockOf(cluster string) string { return "schedule of cluster " + cluster }

var runs connection.Shared[scheduleRun]

// scheduleRun is what the resources of one provider process share: what they plan for each schedule, by
// project and cluster, and what they have changed, so that none takes another one's change for that of
// another client. The zero value is ready for use.
type scheduleRun struct {
	connection.Tracker[string, plannedSchedule]
	changed sync.Map // the changed values, by the ID of the cluster
}

// plannedSchedule is what the resources of a run do with the schedule of a cluster.
type plannedSchedule struct {
	set       []string // what they set, or take along
	isGuarded bool     // one of them guards it, in its configuration or in its state
	lost      []loss   // what they lose, until a guard reports it
	unknown   []string // what those that don't guard it set, and what is known only during the apply
	left      string   // the cluster, if one that guards it leaves it
}

// noteChange records that this process has just changed the schedule of a cluster: what was sent, and what
// differs in the response, which is nil if there was none.
func (r *scheduleRun) noteChange(cluster string, sent, before opsmanager.SnapshotSchedule, response *opsmanager.SnapshotSchedule) {
	values := sent
	if response != nil {
		values = scheduleFields.Complete(sent, scheduleFields.Changed(withLater(before, *response), before))
	}
	r.changed.Store(strings.ToLower(cluster), scheduleFields.Complete(values, r.changes(cluster)))
}

// changes returns what this process has changed of the schedule of a cluster.
func (r *scheduleRun) changes(cluster string) opsmanager.SnapshotSchedule {
	value, _ := r.changed.Load(strings.ToLower(cluster))
	values, _ := value.(opsmanager.SnapshotSchedule)
	return values
}
