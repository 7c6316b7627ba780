package schedules

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// target is what a resource sets of the schedule of a cluster. Schedules are in UTC here, and the time of day is one
// value of them.
type target struct {
	*connection.Data
	wording
	projectID, clusterID string

	configured tfmodel.Values // what the configuration sets, without what ignore_changes ignores
	wanted     schedule       // what to set of that; by an update, only what differs from the state
	saw        sight          // what the plan saw
	raises     bool           // retentions are only raised

	protection string // why a loss of recovery points is an error, and the way to accept it; guard also counts the other resources of a plan
}

type (
	step   = change.Step[schedule]
	result = change.Result[schedule]

	// sight returns what a plan saw of a live schedule.
	sight func(live schedule) schedule
)

// seesLive is the sight of a plan that has just read the schedule.
func seesLive(live schedule) schedule { return live }

// seesState returns the sight of a plan that saw a state.
func seesState(state schedule) sight {
	return func(schedule) schedule { return state }
}

// adoptionOf returns what a creation sets: all that is configured.
func adoptionOf(data *connection.Data, configured snapshotScheduleModel) target {
	return target{
		Data: data, wording: adoptionWording, projectID: configured.ProjectID.ValueString(), clusterID: configured.ClusterID.ValueString(),
		configured: configured.Values, wanted: scheduleOf(configured.Values), saw: seesLive,
		protection: protectionOf(data, configured.RetentionProtection, types.BoolNull(), keepsSchedule),
	}
}

// updateOf returns what an update sets: the planned values that differ from the state. With a new interval, it sets a
// retention of recent snapshots that is configured, or that ignore_changes keeps, even if that is unchanged: otherwise Ops
// Manager may shorten it instead of rejecting the interval.
func updateOf(data *connection.Data, configured, planned, state snapshotScheduleModel) target {
	all, prior := scheduleOf(planned.Values), scheduleOf(state.Values)
	prior.ReferenceTimeZoneOffset = nil // the state has one also if Ops Manager never returned it
	t := target{
		Data: data, wording: updateWording, projectID: state.ProjectID.ValueString(), clusterID: state.ClusterID.ValueString(),
		configured: tfmodel.Values{}, wanted: scheduleFields.Changed(all, prior), saw: seesState(prior),
		protection: protectionOf(data, planned.RetentionProtection, state.RetentionProtection, keepsSchedule),
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
	interval, isConfigured := t.wanted.SnapshotIntervalHours, isSet(t.configured, recentRetentionDays)
	keepsLong := isShort(interval) && isLong(all.SnapshotRetentionDays) // if it were left out, it would be unknown
	if interval != nil && (isConfigured || keepsLong) {
		t.wanted.SnapshotRetentionDays = all.SnapshotRetentionDays
	}
	return t
}

func (t target) isEmpty() bool { return t.wanted == schedule{} }

// wantedOf returns what a plan that saw a schedule sets on a live one: what it changes, without the retentions that are
// kept because they are longer.
func (t target) wantedOf(saw, live schedule) schedule {
	wanted := t.wanted
	if !t.raises {
		return wanted
	}
	for _, f := range retentions {
		was, is, want := *f.at(&saw), *f.at(&live), f.at(&wanted)
		isKept := *want != nil && was != nil && *was > **want && (is == nil || *is >= **want)
		if isKept {
			*want = nil
		}
	}
	return wanted
}

// requestOf returns what a request sends to set the values that are left: with them, what must be sent together.
func (t target) requestOf(known, wanted, left schedule) schedule {
	if timeOf(left) != (timeOfDay{}) {
		setTime(&left, timeOf(scheduleFields.Complete(left, known)))
		left.ReferenceTimeZoneOffset = known.ReferenceTimeZoneOffset // an Ops Manager that lacks it uses UTC
	}
	if left.SnapshotIntervalHours != nil {
		left.SnapshotRetentionDays = wanted.SnapshotRetentionDays
	}
	isKept, minimum := wanted.SnapshotRetentionDays == nil, t.wanted.SnapshotRetentionDays
	if isKept && isLong(minimum) && isShort(left.SnapshotIntervalHours) { // Ops Manager would shorten it to less
		left.SnapshotRetentionDays = known.SnapshotRetentionDays
	}
	return left
}

// afterOf returns a live schedule after a request: with what it sets, and what Ops Manager is documented to take along.
// A short interval takes the retention of recent snapshots along if that is long or not returned.
func (t target) afterOf(live, request schedule) schedule {
	after, recent := withLater(live, request), live.SnapshotRetentionDays
	isCoupled := request.SnapshotRetentionDays == nil && !isUnknown(t.configured, recentRetentionDays)
	if isShort(request.SnapshotIntervalHours) && isCoupled && (recent == nil || isLong(recent)) {
		after.SnapshotRetentionDays = new(int64(maxRecentRetentionDays))
	}
	return after
}

// write returns the change of the schedule.
func (t target) write() change.Write[schedule] {
	return change.Write[schedule]{
		Values: scheduleValues, Saw: t.saw, Wanted: t.wantedOf, Request: t.requestOf, After: t.afterOf,
		Read: t.read, RefuseDrift: t.refuse, Allow: t.allow,
		Send: func(ctx context.Context, next step) (*schedule, error) {
			response, err := t.Client.UpdateSnapshotSchedule(ctx, t.projectID, t.clusterID, next.Request)
			if err != nil {
				return nil, err
			}
			return new(inUTC(*response)), nil
		},
	}
}

// stepOn returns what the change does to a live schedule.
func (t target) stepOn(live schedule) step {
	return t.write().Step(live)
}

// overwritten returns the texts of what the change overwrites on a live schedule that its plan has just read.
func (t target) overwritten(live schedule) map[string]string {
	t.saw = seesLive
	return tfmodel.OverwritesIn(changesOf(t.stepOn(live)))
}

// knownAfter returns a schedule after a step, without a retention that is taken along from a value that is not known.
func knownAfter(of step) schedule {
	after := of.After
	if of.Live.SnapshotRetentionDays == nil && of.Request.SnapshotRetentionDays == nil {
		after.SnapshotRetentionDays = nil
	}
	return after
}

// changesOf returns the changes of a step as people read them.
func changesOf(of step) []tfmodel.Difference {
	changes := slices.Clone(of.Changes)
	for i, d := range changes {
		isTakenAlong := d.Attribute == recentRetentionDays && of.Request.SnapshotRetentionDays == nil
		if isTakenAlong && d.Held == "" {
			changes[i].Wanted = fmt.Sprintf("at most %d", maxRecentRetentionDays)
		}
	}
	return changes
}

// read reads the schedule.
func (t target) read(ctx context.Context) (*schedule, error) {
	live, err := projects.SnapshotSchedule(ctx, t.Data, t.projectID, t.clusterID)
	if err != nil {
		return nil, err
	}
	return new(inUTC(*live)), nil
}

// refuse returns an error if values have changed since the plan.
func (t target) refuse(_ step, drifts []change.Drift) error {
	if len(drifts) == 0 {
		return nil
	}
	text := change.SincePlan("The schedule of cluster "+t.clusterID, drifts, "Plan again.", t.renew)
	return diagnostics.OnAttribute("cluster_id", t.summary, "%s", text)
}

// notRaised returns an error if Ops Manager does not return retentions that are only raised, as they may be longer.
func (t target) notRaised(next step) diag.Diagnostic {
	unknown := slices.DeleteFunc(changesOf(next), func(d tfmodel.Difference) bool {
		isSent := func(f numberField) bool { return f.attribute == d.Attribute && *f.at(&next.Request) != nil }
		return !t.raises || d.Held != "" || !slices.ContainsFunc(retentions, isSent)
	})
	if len(unknown) == 0 {
		return nil
	}
	const advice = "So the provider can't tell whether it would raise or lower them, and sends nothing. " +
		`Remove the attributes from schedule, set retention_mode = "exact", or add the cluster to excluded_cluster_ids.`
	text := "The policy only raises retentions, and Ops Manager does not return:" + tfmodel.Bulleted(unknown) + "\n\n" + advice
	return diag.NewAttributeErrorDiagnostic(pathOf(unknown[0].Attribute), "Value Not Returned", text)
}

// allow returns an error if it is not known whether a request raises what it may only raise, if the guard refuses what it
// loses, or if another product backs up the cluster.
func (t target) allow(ctx context.Context, next step) error {
	if unknown := t.notRaised(next); unknown != nil {
		return diagnostics.Explained{Diagnostic: unknown}
	}
	if lost := t.losses(next); t.protection != "" && len(lost) > 0 {
		return diagnostics.Explained{Diagnostic: t.lossError("The apply", lost)}
	}
	return projects.Guard(ctx, t.Data, t.projectID, t.clusterID, projects.BeforeChange)
}

// run makes a change, and returns what it did, or nil if it failed.
func (t target) run(ctx context.Context, w change.Write[schedule], diags *diag.Diagnostics) *result {
	done, err := w.Run(ctx, t.Client, opsmanager.ObjectSchedule)
	if err != nil {
		diags.Append(t.failure(err))
		return nil
	}
	t.report(done, diags)
	return &done
}

// report adds an error for each sent value that Ops Manager did not take, or does not return. It also reports the
// values that have changed although they were not sent, and the plan did not show that. A configured one is an error,
// and under the guard, so is a loss.
func (t target) report(done result, diags *diag.Diagnostics) {
	for _, d := range done.NotTaken {
		diags.Append(diag.WithPath(pathOf(d.Attribute), d.Adjusted(t.state)))
	}
	wrong := t.notAsConfigured(done.Now)
	var others []tfmodel.Difference
	for _, d := range done.ChangedAlong {
		_, isLoss := lossIn(d)
		isGuarded := t.protection != "" && isLoss && !t.isNew()
		switch {
		case tfmodel.Has(wrong, d.Attribute), isGuarded:
			diags.AddAttributeError(pathOf(d.Attribute), "Schedule Changed During the Apply",
				fmt.Sprintf("The plan did not show this change of the schedule of cluster %s, and the provider did not send it:%s\n\n%s %s",
					t.clusterID, tfmodel.Bulleted([]tfmodel.Difference{d}), whoChanged, t.state))
		default:
			others = append(others, d)
		}
	}
	if len(others) > 0 {
		diags.AddWarning(fmt.Sprintf("Further Changes to the Snapshot Schedule of Cluster %s", t.clusterID),
			"These values changed during the apply, and the plan did not show that:"+tfmodel.Bulleted(others)+"\n\n"+whoChanged)
	}
}

// notAsConfigured returns the values of a schedule that are not as they are configured.
func (t target) notAsConfigured(is schedule) []tfmodel.Difference {
	t.wanted = scheduleOf(t.configured)
	return scheduleValues.Differences(t.wantedOf(is, is), is)
}

const whoChanged = "Either Ops Manager changed it along with the values that the provider sent, or another client changed it. Existing snapshots stay until they expire. To get an old value back, configure it."

// wording has the texts of diagnostics that differ between an adoption and an update.
type wording struct {
	summary string              // of a failure
	state   string              // describes the state if Ops Manager returns another value
	renew   string              // what to do after the resource was removed from the state
	advice  []diagnostics.Codes // on failures, before that on those of a schedule
}

// failure returns the diagnostic of a failed call.
func (w wording) failure(err error) diag.Diagnostic { return failure(w.summary, err, w.advice...) }

var (
	adoptionWording = wording{"Unable to Adopt Snapshot Schedule", "The schedule was changed, but is not in the state. The next plan adopts it again.", "import the schedule again", ofOneCluster}
	updateWording   = wording{"Unable to Update Snapshot Schedule", "The state has the value that Ops Manager returned.", "import the schedule again", ofOneCluster}
)

// ofOneCluster has the advice on a resource that manages the schedule of only one cluster.
var ofOneCluster = []diagnostics.Codes{{Advice: map[string]string{
	"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": projects.NotStarted + " If the backup was ended on purpose, delete the block of its schedule, and apply that with -refresh=false.",
}}}
