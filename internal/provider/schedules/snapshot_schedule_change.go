package schedules

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// scheduleChange is a change of the schedule of a cluster. Its schedules are in UTC, and the time of day
// is one value of them.
type scheduleChange struct {
	*connection.Data
	wording
	projectID, clusterID string

	configured tfmodel.Values              // what the configuration sets, without what ignore_changes ignores
	prior      opsmanager.SnapshotSchedule // what the plan saw
	live       opsmanager.SnapshotSchedule // what Ops Manager has
	returned   opsmanager.SnapshotSchedule // what it returned last, without what is only known
	wanted     opsmanager.SnapshotSchedule // what the change sets

	protection string // why a loss of recovery points is an error, and the way to accept it; guard also counts the other resources of a plan
	raises     bool   // retentions are only raised
}

// adoptionOf returns the change of a live schedule to the configured values. To a plan, prior and live are the
// same. Create sets prior to what its plan has shown.
func adoptionOf(data *connection.Data, configured snapshotScheduleModel, live opsmanager.SnapshotSchedule) scheduleChange {
	return scheduleChange{
		Data: data, wording: adoptionWording, projectID: configured.ProjectID.ValueString(), clusterID: configured.ClusterID.ValueString(),
		configured: configured.Values, prior: live, live: live, wanted: scheduleOf(configured.Values),
		protection: protectionOf(data, configured.RetentionProtection, types.BoolNull(), keepsSchedule),
	}
}

// updateOf returns the change of a schedule to the planned values that differ from the state. With a new
// interval, it sets a configured retention of recent snapshots even if that is unchanged: otherwise Ops
// Manager may shorten it instead of rejecting the interval. To a plan, the state is what is live, because the
// refresh has just read it. Update sets live to what it reads.
func updateOf(data *connection.Data, configured, planned, state snapshotScheduleModel) scheduleChange {
	all, prior := scheduleOf(planned.Values), scheduleOf(state.Values)
	c := adoptionOf(data, planned, prior)
	c.wording, c.configured, c.wanted = updateWording, tfmodel.Values{}, scheduleFields.Changed(all, prior)
	c.protection = protectionOf(data, planned.RetentionProtection, state.RetentionProtection, keepsSchedule)
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

// toSend returns the wanted values that are left to send, with what must be sent together. A live value is done if the
// plan saw it so, or if this run has sent it. Otherwise, it may be an old one.
func (c *scheduleChange) toSend(sent opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
	changes := c.left(c.wanted, c.live)
	for _, d := range c.left(c.wanted, scheduleFields.Complete(sent, c.prior)) {
		if d.Wanted == valueOf(c.live, d.Attribute) {
			changes = append(changes, d)
		}
	}
	next := scheduleFields.Only(c.wanted, func(f scheduleField) bool { return tfmodel.Has(changes, nameOf(f.Attribute)) })
	if timeOf(next) != (timeOfDay{}) {
		setTime(&next, timeOf(scheduleFields.Complete(next, c.live)))
		next.ReferenceTimeZoneOffset = c.live.ReferenceTimeZoneOffset // an Ops Manager that lacks it uses UTC
	}
	if next.SnapshotIntervalHours != nil {
		next.SnapshotRetentionDays = c.wanted.SnapshotRetentionDays
	}
	return next
}

// withoutKept returns the configured values without what a schedule keeps.
func (c *scheduleChange) withoutKept(on opsmanager.SnapshotSchedule) opsmanager.SnapshotSchedule {
	configured := scheduleOf(c.configured)
	kept := slices.DeleteFunc(differences(configured, on), func(d tfmodel.Difference) bool { return !c.isKept(d) })
	return scheduleFields.Only(configured, func(f scheduleField) bool { return !tfmodel.Has(kept, f.Attribute) })
}

// left compares the wanted values with those of a schedule, without what is kept.
func (c *scheduleChange) left(wanted, held opsmanager.SnapshotSchedule) []tfmodel.Difference {
	return slices.DeleteFunc(differences(wanted, held), c.isKept)
}

// onlyRaises reports whether an attribute is a retention that the change only raises.
func (c *scheduleChange) onlyRaises(attribute string) bool {
	isRetention := func(f numberField) bool { return f.keeps != "" && f.attribute == attribute }
	return c.raises && slices.ContainsFunc(guardedFields, isRetention)
}

// isKept reports whether a difference is no change, because it lowers a retention that is only raised.
func (c *scheduleChange) isKept(d tfmodel.Difference) bool {
	held, unknown := strconv.ParseInt(d.Held, 10, 64)
	wanted, err := strconv.ParseInt(d.Wanted, 10, 64)
	return c.onlyRaises(d.Attribute) && unknown == nil && err == nil && held > wanted
}

// notRaised returns an error if Ops Manager does not return retentions that are only raised, as they may be longer.
func (c *scheduleChange) notRaised() diag.Diagnostic {
	unknown := slices.DeleteFunc(differences(c.wanted, c.live), func(d tfmodel.Difference) bool { return d.Held != "" || !c.onlyRaises(d.Attribute) })
	if len(unknown) == 0 {
		return nil
	}
	return diag.NewAttributeErrorDiagnostic(pathOf(unknown[0].Attribute), "Value Not Returned", "The policy only raises retentions, and Ops Manager does not return:"+tfmodel.Bulleted(unknown)+"\n\n"+
		`So the provider can't tell whether it would raise or lower them, and sends nothing. Remove the attributes from schedule, set retention_mode = "exact", or add the cluster to excluded_cluster_ids.`)
}

// effects returns what the change does to a schedule: what it sets, and what Ops Manager is documented to
// take along. If the retention of recent snapshots is long or not returned, a new interval takes it along.
func (c *scheduleChange) effects(on opsmanager.SnapshotSchedule) []tfmodel.Difference {
	found := differences(c.wanted, on)
	if !isShort(c.wanted.SnapshotIntervalHours) || !tfmodel.Has(found, intervalHours) || c.wanted.SnapshotRetentionDays != nil || isUnknown(c.configured, recentRetentionDays) {
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

// touched returns the effects of the change on the live schedule, also those of values that are sent although they are
// known to be the same: a retention that Ops Manager did not return last may be another one, and a short interval takes a
// long retention along whenever it is sent.
func (c *scheduleChange) touched() []tfmodel.Difference {
	found, next, recent := c.effects(c.live), c.toSend(opsmanager.SnapshotSchedule{}), c.returned.SnapshotRetentionDays
	isTakenAlong := isShort(next.SnapshotIntervalHours) && (recent == nil || isLong(recent))
	isTouched := next.SnapshotRetentionDays != nil || isTakenAlong
	if isTouched && !tfmodel.Has(found, recentRetentionDays) {
		found = append(found, tfmodel.Difference{Attribute: recentRetentionDays, Held: valueOf(c.live, recentRetentionDays)})
	}
	return found
}

// sincePlan says which values that the change touches are no longer what the plan saw.
func (c *scheduleChange) sincePlan() (changed []tfmodel.SincePlan) {
	for _, d := range c.touched() {
		isReturned := d.Attribute == timeAttribute || valueOf(c.returned, d.Attribute) != ""
		switch saw := valueOf(c.prior, d.Attribute); {
		case saw != "" && !isReturned:
			changed = append(changed, tfmodel.SincePlan{Attribute: d.Attribute, Saw: saw})
		case d.Held != "" && d.Held != saw:
			changed = append(changed, tfmodel.SincePlan{Attribute: d.Attribute, Saw: saw, Is: d.Held})
		}
	}
	return changed
}

// wording has the texts of diagnostics that differ between an adoption and an update.
type wording struct {
	summary string              // of a failure
	state   string              // describes the state if Ops Manager adjusted a value
	renew   string              // what to do after the resource was removed from the state
	advice  []diagnostics.Codes // on failures, before that on those of a schedule
}

// failure returns the diagnostic of a failed call.
func (w wording) failure(err error) diag.Diagnostic { return failure(w.summary, err, w.advice...) }

var (
	adoptionWording = wording{"Unable to Adopt Snapshot Schedule", "The schedule was changed, but is not in the state. The next plan adopts it again.", "import the schedule again", ofOneCluster}
	updateWording   = wording{"Unable to Update Snapshot Schedule", "The state has the value that Ops Manager keeps.", "import the schedule again", ofOneCluster}
)

// ofOneCluster has the advice on a resource that manages the schedule of only one cluster.
var ofOneCluster = []diagnostics.Codes{{Advice: map[string]string{
	"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": projects.NotStarted + " If the backup was ended on purpose, delete the block of its schedule.",
}}}

// read reads the schedule, and sets the live values that Ops Manager returns.
func (c *scheduleChange) read(ctx context.Context) (*opsmanager.SnapshotSchedule, error) {
	later, err := projects.SnapshotSchedule(ctx, c.Data, c.projectID, c.clusterID)
	if err == nil {
		c.returned, c.live = *later, withLater(c.live, *later)
	}
	return &c.live, err
}

// run makes the change, and returns the schedule afterwards, or nil if a request failed. That one may have taken
// effect, which the next refresh shows. If nothing is left to do, it sends nothing.
func (c *scheduleChange) run(ctx context.Context, diags *diag.Diagnostics) *opsmanager.SnapshotSchedule {
	before, sent, hidesTime := c.live, opsmanager.SnapshotSchedule{}, false
	write := func(attempt context.Context, _ *opsmanager.SnapshotSchedule) (*opsmanager.SnapshotSchedule, error) {
		if err := c.refusal(); err != nil {
			return nil, err
		}
		left := c.toSend(sent)
		if left == (opsmanager.SnapshotSchedule{}) {
			return &c.live, nil
		}
		if err := projects.Guard(ctx, c.Data, c.projectID, c.clusterID, projects.BeforeChange); err != nil {
			return nil, err
		}
		sent, hidesTime = left, timeOf(c.returned) == timeOfDay{}
		return c.Client.UpdateSnapshotSchedule(attempt, c.projectID, c.clusterID, sent)
	}
	response, err := opsmanager.Change(ctx, c.Client, opsmanager.ObjectSchedule, &c.live, c.read, write)
	if err != nil {
		diags.Append(c.failure(err))
		return nil
	}
	held := inUTC(*response)                        // only what Ops Manager has returned since
	if hidesTime && timeOf(held) == (timeOfDay{}) { // as some documented responses do
		setTime(&held, timeOf(sent))
	}
	if len(c.notTaken(sent, held)) > 0 {
		if later, err := projects.SnapshotSchedule(ctx, c.Data, c.projectID, c.clusterID); err == nil {
			held = withLater(held, *later)
		}
	}
	settled := withLater(c.live, held)
	c.report(before, settled, c.notTaken(sent, held), diags)
	return &settled
}

// refusal returns an error if a value that the change touches has changed since the plan, if it is not known whether the
// change raises it, or if the guard refuses what the change loses.
func (c *scheduleChange) refusal() error {
	if changed := c.sincePlan(); len(changed) > 0 {
		return c.changedSincePlan(changed)
	}
	if unknown := c.notRaised(); unknown != nil {
		return diagnostics.Explained{Diagnostic: unknown}
	}
	if lost := c.losses(); c.protection != "" && len(lost) > 0 {
		return diagnostics.Explained{Diagnostic: c.lossError("The apply", lost)}
	}
	return nil
}

// changedSincePlan returns the error about values that are not what the plan saw.
func (c *scheduleChange) changedSincePlan(changed []tfmodel.SincePlan) error {
	text := tfmodel.ChangedSincePlan("The schedule of cluster "+c.clusterID, changed, "Plan again.", c.renew)
	return diagnostics.OnAttribute("cluster_id", c.summary, "%s", text)
}

// notTaken returns the sent values that the later responses do not have. One that they leave out may have been ignored.
// A time of day that lacks a sent part is not known.
func (c *scheduleChange) notTaken(sent, held opsmanager.SnapshotSchedule) []tfmodel.Difference {
	found := differences(sent, held)
	wanted, is := timeOf(sent), timeOf(held)
	for i, d := range found {
		lacksPart := wanted.hour != nil && is.hour == nil || wanted.minute != nil && is.minute == nil
		if d.Attribute == timeAttribute && lacksPart {
			found[i].Held = ""
		}
	}
	return slices.DeleteFunc(found, c.isKept)
}

// report adds an error for each sent value that Ops Manager did not take, or does not return. It also reports the
// values that have changed although they were not sent, and the plan did not show that. A configured one is an error,
// and under the guard, so is a loss.
func (c *scheduleChange) report(before, settled opsmanager.SnapshotSchedule, notTaken []tfmodel.Difference, diags *diag.Diagnostics) {
	for _, d := range notTaken {
		diags.Append(diag.WithPath(pathOf(d.Attribute), d.Adjusted(c.state)))
	}
	shown, wrong := c.effects(before), c.left(scheduleOf(c.configured), settled)
	var others []tfmodel.Difference
	for _, d := range tfmodel.Returned(differences(settled, before)) {
		_, isLoss := c.lossIn(d)
		switch {
		case slices.Contains(shown, d), tfmodel.Has(notTaken, d.Attribute):
		case tfmodel.Has(wrong, d.Attribute), c.protection != "" && isLoss:
			diags.AddAttributeError(pathOf(d.Attribute), "Schedule Changed During the Apply",
				fmt.Sprintf("The plan did not show this change of the schedule of cluster %s, and the provider did not send it:%s\n\n%s %s", c.clusterID, tfmodel.Bulleted([]tfmodel.Difference{d}), whoChanged, c.state))
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
func differences(wanted, held opsmanager.SnapshotSchedule) (found []tfmodel.Difference) {
	for _, name := range valueNames {
		of := wanted
		if name == timeAttribute {
			of = scheduleFields.Complete(wanted, held)
		}
		if is, was := valueOf(of, name), valueOf(held, name); is != "" && is != was {
			found = append(found, tfmodel.Difference{Attribute: name, Held: was, Wanted: is})
		}
	}
	return found
}

var runs connection.Shared[connection.Tracker[string, plannedSchedule]]

// plannedSchedule is what the resources of a run do with the schedule of a cluster.
type plannedSchedule struct {
	isManaged bool     // one of them manages it
	isGuarded bool     // one of them guards it, in its configuration or in its state
	lost      []loss   // what they lose, until a guard reports it
	unknown   []string // what those that don't guard it set, and what is known only during the apply
	guarded   string   // a cluster that one of them guards, if they may set the schedule of any cluster
}
