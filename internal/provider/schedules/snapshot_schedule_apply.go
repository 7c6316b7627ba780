package schedules

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

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

// scheduleApply applies the planned change of a schedule.
type scheduleApply struct {
	*connection.Data
	wording
	scheduleChange

	shown   []loss                      // the losses that the plan has shown
	sent    opsmanager.SnapshotSchedule // the change, and what must be sent with it
	settled opsmanager.SnapshotSchedule // the schedule after the change
}

// begin waits until no other resource of this process changes the schedule, and returns the live one,
// or nil after a failure. done lets the next resource change it.
func (a *scheduleApply) begin(ctx context.Context, planned snapshotScheduleModel, diags *diag.Diagnostics) (live *opsmanager.SnapshotSchedule, done func()) {
	project, cluster := planned.ProjectID.ValueString(), planned.ClusterID.ValueString()
	done, err := turns.Of(a.Data).Take(ctx, cluster)
	if err != nil {
		diags.AddError(a.summary, diagnostics.Sentence(err))
		return nil, func() {}
	}
	if live, err = a.Client.SnapshotSchedule(ctx, project, cluster); err != nil {
		diags.Append(a.failure(err))
		return nil, done
	}
	return new(inUTC(*live)), done
}

// run sends the change, unless it is empty. If Ops Manager adjusts a changed field, or another
// configured one has changed, that is an error. A loss that the plan did not show is a warning, or an
// error under the guard.
func (a *scheduleApply) run(ctx context.Context, diags *diag.Diagnostics) {
	a.settled = a.live
	if a.isEmpty() {
		return
	}
	a.warnHidden(diags)
	if a.isGuarded {
		if a.reportLosses(diags); diags.HasError() {
			return
		}
	}
	if a.send(ctx, diags) {
		a.settle(ctx, diags)
		a.reportUnsent(diags)
	}
}

// send sends the change, and reports whether that succeeded.
func (a *scheduleApply) send(ctx context.Context, diags *diag.Diagnostics) bool {
	project := a.planned.ProjectID.ValueString()
	response, err := tfmodel.Request[opsmanager.SnapshotSchedule]{
		Name: "The schedule of cluster " + a.cluster(), Before: a.live,
		Read: func(ctx context.Context) (*opsmanager.SnapshotSchedule, error) {
			return a.Client.SnapshotSchedule(ctx, project, a.cluster())
		},
		Differences: func(live opsmanager.SnapshotSchedule) []tfmodel.Difference {
			a.sent = newChange(a.configured, a.planned, a.wanted, a.prior, withLater(a.live, live)).toSend()
			return differences(a.sent, inUTC(live))
		},
		Send: func(ctx context.Context, _ opsmanager.SnapshotSchedule) (*opsmanager.SnapshotSchedule, error) {
			return a.Client.UpdateSnapshotSchedule(ctx, project, a.cluster(), a.sent)
		},
	}.Do(ctx, a.Client)
	turns.Of(a.Data).noteChange(a.cluster())
	if err != nil {
		diags.Append(a.failure(err))
		return false
	}
	a.settled = withLater(withLater(a.live, a.sent), *response) // a field that is not returned has the sent value
	return true
}

// settle waits until Ops Manager returns what was sent. A field that has a different value is an error.
func (a *scheduleApply) settle(ctx context.Context, diags *diag.Diagnostics) {
	adjusted := func() []tfmodel.Difference { return tfmodel.Returned(differences(a.sent, a.settled)) }
	if len(adjusted()) > 0 {
		a.Settle(ctx, func() bool {
			later, err := a.Client.SnapshotSchedule(ctx, a.planned.ProjectID.ValueString(), a.cluster())
			if err == nil {
				a.settled = withLater(a.settled, *later)
			}
			return len(adjusted()) == 0
		})
	}
	for _, d := range adjusted() {
		diags.Append(diag.WithPath(pathOf(d.Attribute), d.Adjusted(ctx, a.state)))
	}
}

// reportUnsent reports the fields that have changed although they were not sent.
func (a *scheduleApply) reportUnsent(diags *diag.Diagnostics) {
	lost := without(lossesBetween(a.live, a.settled), a.shown)
	wrong := differences(appliedOf(scheduleOf(a.configured.Values), a.wanted), a.settled)
	var others []tfmodel.Difference
	for _, d := range unsentChanges(a.sent, a.live, a.settled) {
		switch {
		case isAmong(a.shown, d.Attribute):
		case slices.ContainsFunc(wrong, func(w tfmodel.Difference) bool { return w.Attribute == d.Attribute }):
			diags.AddAttributeError(pathOf(d.Attribute), "Configured Value Changed During the Apply",
				fmt.Sprintf("The plan did not show this change, and the provider did not send it:%s\n\nEither Ops Manager changed it along with the values that the provider sent, or another client changed it meanwhile. "+
					"If it happens again, configure values that Ops Manager keeps together. %s", tfmodel.Bulleted([]tfmodel.Difference{d}), a.state))
		case !isAmong(lost, d.Attribute):
			others = append(others, d)
		}
	}
	if len(others) > 0 {
		diags.AddWarning(fmt.Sprintf("Further Changes to the Snapshot Schedule of Cluster %s", a.cluster()),
			"These fields changed during the apply, and the plan did not show that. Either Ops Manager changed them along with the ones that the provider sent, or another client did:"+tfmodel.Bulleted(others))
	}
	a.reportUnplanned(lost, diags)
}
