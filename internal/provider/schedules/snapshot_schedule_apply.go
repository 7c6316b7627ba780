package schedules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

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

// begin waits until no other resource of this process changes the schedule, and returns the live one,
// or nil after a failure. done lets the next resource change it.
func (r *snapshotScheduleResource) begin(ctx context.Context, planned snapshotScheduleModel, w wording, diags *diag.Diagnostics) (live *opsmanager.SnapshotSchedule, done func()) {
	project, cluster := planned.ProjectID.ValueString(), planned.ClusterID.ValueString()
	done, err := turns.Of(r.Data).Take(ctx, cluster)
	if err != nil {
		diags.AddError(w.summary, diagnostics.Sentence(err))
		return nil, func() {}
	}
	if live, err = r.Client.SnapshotSchedule(ctx, project, cluster); err != nil {
		diags.Append(w.failure(err))
		return nil, done
	}
	return new(inUTC(*live)), done
}

// errRefused ends a change that the provider refuses to send.
var errRefused = errors.New("refused")

// run sends the change, unless nothing is left to do, and returns the schedule afterwards, or nil if
// nothing was changed. It sends nothing if a value that it changes is not what the plan saw, and compares
// again before each repetition. If Ops Manager adjusts a changed field, or changes another configured one,
// that is an error.
func (c *scheduleChange) run(ctx context.Context, data *connection.Data, w wording, diags *diag.Diagnostics) *opsmanager.SnapshotSchedule {
	var sent opsmanager.SnapshotSchedule
	var refused diag.Diagnostics
	response, err := opsmanager.Change(ctx, data.Client, &c.live, c.reader(data), func(attempt context.Context, now *opsmanager.SnapshotSchedule) (*opsmanager.SnapshotSchedule, error) {
		c.live = withLater(c.live, *now)
		if c.refuse(ctx, data, w, &refused); refused.HasError() {
			return nil, errRefused
		}
		if sent = c.toSend(); sent == (opsmanager.SnapshotSchedule{}) {
			return &c.live, nil
		}
		return data.Client.UpdateSnapshotSchedule(attempt, c.projectID, c.clusterID, sent)
	})
	if sent != (opsmanager.SnapshotSchedule{}) {
		turns.Of(data).noteChange(c.clusterID, sent, c.live, response)
	}
	switch {
	case refused.HasError():
		diags.Append(refused...)
		return nil
	case err != nil:
		diags.Append(w.failure(err))
		return nil
	}
	settled := c.settle(ctx, data, w, sent, withLater(withLater(c.live, sent), *response), diags) // a field that is not returned has the sent value
	c.reportOthers(sent, settled, w, diags)
	return &settled
}

func (c *scheduleChange) reader(data *connection.Data) func(context.Context) (*opsmanager.SnapshotSchedule, error) {
	return func(ctx context.Context) (*opsmanager.SnapshotSchedule, error) {
		return data.Client.SnapshotSchedule(ctx, c.projectID, c.clusterID)
	}
}

// refuse adds an error if a value has changed since the plan, or under the guard, if the change loses
// recovery points. Reads may lag behind writes, so it reads a difference again.
func (c *scheduleChange) refuse(ctx context.Context, data *connection.Data, w wording, diags *diag.Diagnostics) {
	ours := turns.Of(data).lastChange(c.clusterID).values
	if len(c.sincePlan(ours)) > 0 {
		data.Settle(ctx, func() bool {
			if again, err := c.reader(data)(ctx); err == nil {
				c.live = withLater(c.live, *again)
			}
			return len(c.sincePlan(ours)) == 0
		})
	}
	if changed := c.sincePlan(ours); len(changed) > 0 {
		diags.AddAttributeError(path.Root("cluster_id"), w.summary,
			fmt.Sprintf("The schedule of cluster %s changed since the plan: %s. The provider did not overwrite that. Plan again.", c.clusterID, strings.Join(changed, "; ")))
	} else if c.isGuarded {
		c.reportLosses(diags)
	}
}

// settle waits until Ops Manager returns what was sent. A field that has a different value is an error.
func (c *scheduleChange) settle(ctx context.Context, data *connection.Data, w wording, sent, settled opsmanager.SnapshotSchedule, diags *diag.Diagnostics) opsmanager.SnapshotSchedule {
	adjusted := func() []tfmodel.Difference { return tfmodel.Returned(differences(sent, settled)) }
	if len(adjusted()) > 0 {
		data.Settle(ctx, func() bool {
			if later, err := c.reader(data)(ctx); err == nil {
				settled = withLater(settled, *later)
			}
			return len(adjusted()) == 0
		})
	}
	for _, d := range adjusted() {
		diags.Append(diag.WithPath(pathOf(d.Attribute), d.Adjusted(ctx, w.state)))
	}
	return settled
}

// reportOthers reports the fields that have changed although they were not sent, and the plan did not show
// that. A configured one is an error, and under the guard, so is a loss.
func (c *scheduleChange) reportOthers(sent, settled opsmanager.SnapshotSchedule, w wording, diags *diag.Diagnostics) {
	wrong := differences(scheduleOf(c.configured), settled)
	var others []tfmodel.Difference
	for _, d := range differences(scheduleFields.Only(settled, func(f scheduleField) bool { return !f.IsMissing(c.live) }), c.live) {
		isSame := func(other tfmodel.Difference) bool { return other.Attribute == d.Attribute }
		_, isLoss := lossIn(d)
		switch {
		case slices.ContainsFunc(differences(sent, c.live), isSame), slices.ContainsFunc(c.effects(c.live), func(e tfmodel.Difference) bool { return e.String() == d.String() }):
		case slices.ContainsFunc(wrong, isSame), c.isGuarded && isLoss:
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
