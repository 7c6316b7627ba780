package regions

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

type regionChange = wholeobject.Change[opsmanager.DeploymentRegion]

// createOrAdopt returns the region that Ops Manager holds afterwards, and whether it is a guess. It
// reads the region first, because the effect of creating a region that exists is not documented.
func (r *deploymentRegionResource) createOrAdopt(ctx context.Context, plan regionModel, diags *diag.Diagnostics) (settled opsmanager.DeploymentRegion, guess bool) {
	live, err := r.Client.DeploymentRegion(ctx, plan.id())
	switch {
	case isUnreadable(err):
		settled = r.createOrAdoptUnread(ctx, plan, err, diags)
	case opsmanager.IsGone(err) && plan.isComplete():
		return r.create(ctx, plan, true, diags)
	case opsmanager.IsGone(err):
		diags.Append(nothingToAdopt(plan, err))
	case err != nil:
		diags.Append(diagnostics.Failure(plan.createSummary(), err, regionCodes))
	case plan.isComplete() && !plan.flag(adoptExisting).ValueBool():
		diags.Append(alreadyExists(plan.id()))
	default:
		return r.replace(ctx, plan.createSummary(), &regionChange{Fields: regionFields, Wanted: plan.toAPI(), Planned: plan.toAPI(), Live: *live}, diags), false
	}
	return settled, false
}

// create creates a region. If the response is lost, a region that did not exist before and now has
// the wanted values is a guess, unless the configuration allows adoption.
func (r *deploymentRegionResource) create(ctx context.Context, plan regionModel, wasGone bool, diags *diag.Diagnostics) (settled opsmanager.DeploymentRegion, guess bool) {
	wanted := plan.toAPI()
	p := r.put(plan.createSummary(), &regionChange{Fields: regionFields, Wanted: wanted})
	response, err := r.Client.CreateDeploymentRegion(ctx, wanted)
	if err == nil {
		settled, _ = wholeobject.ReadUntilAgrees(ctx, r.Data, response, p.Read, func(held opsmanager.DeploymentRegion) bool { return p.Agrees(wanted, held) })
		return regionFields.Complete(settled, wanted), false
	}
	if opsmanager.IsUnclear(err) {
		live, readErr := wholeobject.ReadDespiteInterrupt(ctx, p.Read)
		switch {
		case readErr == nil && wasGone && len(regionFields.Differences(wanted, *live)) == 0:
			if guess = !plan.flag(adoptExisting).ValueBool(); guess {
				diags.Append(guessed(wanted.ID, err))
			}
			return *live, guess
		case !opsmanager.IsGone(readErr):
			diags.AddAttributeWarning(path.Root(deploymentID), regionName(wanted.ID)+" May Have Been Created",
				"The response to the create request was lost, so the provider can't tell whether it created the region. The next plan shows whether the region exists. "+howToAdopt(wanted.ID))
		}
	}
	if e := new(opsmanager.Error); errors.As(err, &e) && e.Status == http.StatusConflict {
		diags.Append(onID(plan.createSummary(), diagnostics.Sentence(err)+"\n\nIf the region already exists: "+howToAdopt(wanted.ID)))
		return settled, false
	}
	diags.Append(writeFailure(plan.createSummary(), err))
	return settled, false
}

// replace sends a live region with its change, and returns what Ops Manager holds afterwards. If
// nothing differs, it sends nothing.
func (r *deploymentRegionResource) replace(ctx context.Context, summary string, change *regionChange, diags *diag.Diagnostics) (settled opsmanager.DeploymentRegion) {
	if len(regionFields.Differences(change.Wanted, change.Live)) == 0 {
		return change.Live
	}
	p := r.put(summary, change)
	if len(requiredFields.Missing(p.Whole)) > 0 {
		diags.Append(incompleteWrite(summary, p.Whole))
		return change.Live
	}
	wholeobject.WarnNotReturned(regionName(p.Whole.ID), change.NotReturned(), diags)
	_, settled = p.Do(ctx, r.Data, diags)
	return regionFields.Complete(settled, p.Whole)
}

// put returns the PUT of a region. A field that a response lacks has the value that was sent.
func (r *deploymentRegionResource) put(summary string, change *regionChange) wholeobject.Put[opsmanager.DeploymentRegion] {
	id := change.Wanted.ID
	merge := func(live opsmanager.DeploymentRegion, _ *diag.Diagnostics) opsmanager.DeploymentRegion {
		change.Live = live
		whole := change.Whole()
		whole.Unknown = live.Unknown
		return whole
	}
	return wholeobject.Put[opsmanager.DeploymentRegion]{
		Name: regionName(id), IDAttribute: deploymentID, Live: change.Live, Whole: merge(change.Live, nil), Merge: merge,
		Differences: func(_, live opsmanager.DeploymentRegion) []tfmodel.Difference {
			return regionFields.Differences(change.Wanted, live)
		},
		Failure: func(err error) diag.Diagnostic { return writeFailure(summary, err) },
		Send:    r.Client.UpdateDeploymentRegion,
		Read: func(ctx context.Context) (*opsmanager.DeploymentRegion, error) {
			return r.Client.DeploymentRegion(ctx, id)
		},
		Agrees: func(sent, held opsmanager.DeploymentRegion) bool {
			return len(regionFields.Differences(sent, regionFields.Complete(held, sent))) == 0
		},
	}
}

// update sends a change of a region, and returns what Ops Manager holds afterwards. It reads the region
// first: otherwise a PUT would create a region that is gone, or undo changes since the plan.
func (r *deploymentRegionResource) update(ctx context.Context, summary string, change *regionChange, private tfmodel.PrivateState, diags *diag.Diagnostics) (settled opsmanager.DeploymentRegion) {
	id := change.Wanted.ID
	live, err := r.Client.DeploymentRegion(ctx, id)
	switch {
	case err == nil:
		change.Live = *live
		settled = r.replace(ctx, summary, change, diags)
		wholeobject.WarnChangedSincePlan(regionName(id), change.SincePlan(), diags)
		return settled
	case isUnreadable(err):
		return r.updateUnread(ctx, summary, change, private, err, diags)
	case opsmanager.IsGone(err):
		diags.Append(wholeobject.Gone(deploymentID, summary, fmt.Sprintf("Region %q", id), err))
	default:
		diags.Append(diagnostics.Failure(summary, err, regionCodes))
	}
	return settled
}
