package regions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// createOrAdopt returns the region that Ops Manager holds afterwards, and whether it is a guess. It
// reads the region first, because the effect of creating a region that exists is not documented.
func (r *deploymentRegionResource) createOrAdopt(ctx context.Context, plan deploymentRegionModel, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion, guess bool) {
	live, err := r.Client.DeploymentRegion(ctx, plan.DeploymentID.ValueString())
	switch {
	case isUnreadable(err):
		held = r.createOrAdoptUnread(ctx, plan, err, diags)
	case opsmanager.IsGone(err) && plan.isComplete():
		return r.create(ctx, plan, true, diags)
	case opsmanager.IsGone(err):
		diags.Append(nothingToAdopt(plan, err))
	case err != nil:
		diags.Append(diagnostics.Failure(plan.createSummary(), err, regionCodes))
	case plan.isComplete() && !plan.AdoptExisting.ValueBool():
		diags.Append(alreadyExists(plan))
	default:
		_, held = r.change(ctx, plan.createSummary(), plan.toAPI(), *live, plan, diags)
	}
	return held, guess
}

// createOrAdoptUnread creates or adopts a region that can't be read. The plan has warned
// that an adoption is unverified.
func (r *deploymentRegionResource) createOrAdoptUnread(ctx context.Context, plan deploymentRegionModel, err error, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion) {
	switch {
	case plan.isComplete() && opsmanager.IsBareNotFound(err):
		diags.Append(unknownExistence(plan.createSummary(), err))
	case plan.isComplete() && plan.AdoptExisting.ValueBool():
		return r.put(ctx, plan.createSummary(), plan.toAPI(), diags) // creates a region that doesn't exist
	case plan.isComplete():
		held, _ = r.create(ctx, plan, false, diags)
	case tfmodel.BoolPointer(plan.AssignmentEnabled) != nil:
		diags.Append(incompleteWrite(plan.createSummary(), plan.toAPI()))
	}
	return held
}

// create creates a region. If the response is lost, a region that did not exist before and now has
// the wanted values is a guess, unless the configuration allows adoption.
func (r *deploymentRegionResource) create(ctx context.Context, plan deploymentRegionModel, wasGone bool, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion, guess bool) {
	wanted := plan.toAPI()
	response, err := r.Client.CreateDeploymentRegion(ctx, wanted)
	if err == nil {
		return r.settled(ctx, wanted, *response), false
	}
	if opsmanager.IsUnclear(err) {
		live, readErr := r.readDespiteInterrupt(ctx, wanted.ID)
		switch {
		case readErr == nil && wasGone && len(differences(wanted, *live)) == 0:
			if guess = !plan.AdoptExisting.ValueBool(); guess {
				diags.Append(guessed(wanted.ID, err))
			}
			return *live, guess
		case !opsmanager.IsGone(readErr):
			diags.AddAttributeWarning(path.Root("deployment_id"), fmt.Sprintf("Deployment Region %s May Have Been Created", wanted.ID),
				"The response to the create request was lost, so the provider can't tell whether it created the region. The next plan shows whether the region exists. "+howToAdopt(wanted.ID))
		}
	}
	if e := new(opsmanager.Error); errors.As(err, &e) && e.Status == http.StatusConflict {
		diags.Append(onID(plan.createSummary(), diagnostics.Sentence(err)+"\n\nIf the region already exists: "+howToAdopt(wanted.ID)))
		return held, false
	}
	diags.Append(writeFailure(plan.createSummary(), err))
	return held, false
}

// readDespiteInterrupt reads a region, even if the run was interrupted, within a short
// time.
func (r *deploymentRegionResource) readDespiteInterrupt(ctx context.Context, id string) (*opsmanager.DeploymentRegion, error) {
	if ctx.Err() != nil {
		moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
		defer cancel()
		ctx = moment
	}
	return r.Client.DeploymentRegion(ctx, id)
}

// change changes a live region to the wanted values, and returns what was sent and what
// Ops Manager holds afterwards. A PUT replaces the whole region, so it sends the live
// values as well, even of members that the client does not know. A required field that
// the live region lacks is taken from the plan.
func (r *deploymentRegionResource) change(ctx context.Context, summary string, wanted, live opsmanager.DeploymentRegion, plan deploymentRegionModel, diags *diag.Diagnostics) (sent, held opsmanager.DeploymentRegion) {
	if len(differences(wanted, live)) == 0 {
		return live, live
	}
	whole := merged(merged(wanted, live), plan.toAPI())
	whole.Unknown = live.Unknown
	if len(missingFields(whole)) > 0 {
		diags.Append(incompleteWrite(summary, whole))
		return live, live
	}
	if r.checkUnknown(ctx, summary, live, diags); diags.HasError() {
		return live, live
	}
	return whole, r.put(ctx, summary, whole, diags)
}

// checkUnknown adds an error if a member of a live region that the client does not know may have a
// mask in place of a secret. A request with the member may store the mask, and one without it may
// remove the secret.
func (r *deploymentRegionResource) checkUnknown(ctx context.Context, summary string, live opsmanager.DeploymentRegion, diags *diag.Diagnostics) {
	if len(opsmanager.UnknownNames(live)) == 0 {
		return
	}
	again, err := r.Client.DeploymentRegion(ctx, live.ID)
	if err != nil {
		diags.Append(diagnostics.Failure(summary, err, regionCodes))
		return
	}
	if masked := opsmanager.UnknownSecrets(live, *again); len(masked) > 0 {
		diags.Append(onID("Unknown Secret", fmt.Sprintf("An update replaces the whole region, and this version of the provider does not know %s, which may be secrets that Ops Manager returns with a mask. So it can't keep them. "+
			"Use a newer version of the provider, or make this change in the console of Ops Manager. Nothing was changed.", opsmanager.Sanitize(strings.Join(masked, ", ")))))
	}
}

// put replaces a region, and returns what Ops Manager holds afterwards.
func (r *deploymentRegionResource) put(ctx context.Context, summary string, whole opsmanager.DeploymentRegion, diags *diag.Diagnostics) (held opsmanager.DeploymentRegion) {
	response, rejected, err := opsmanager.Replace(whole, func(whole opsmanager.DeploymentRegion) (*opsmanager.DeploymentRegion, error) {
		return r.Client.UpdateDeploymentRegion(ctx, whole)
	})
	if len(rejected) > 0 && (err == nil || opsmanager.IsUnclear(err)) {
		diags.Append(diagnostics.NotKept("Deployment Region "+whole.ID, rejected))
	}
	if err != nil {
		diags.Append(writeFailure(summary, err))
		return held
	}
	return r.settled(ctx, whole, *response)
}

// settled returns what Ops Manager holds after a write. A server may return old values for
// a while, so it reads until the values agree or the settle time is over.
func (r *deploymentRegionResource) settled(ctx context.Context, sent, response opsmanager.DeploymentRegion) opsmanager.DeploymentRegion {
	held := merged(response, sent)
	agrees := func() bool { return len(differences(sent, held)) == 0 }
	if !agrees() {
		r.Settle(ctx, func() bool {
			live, err := r.Client.DeploymentRegion(ctx, sent.ID)
			if err == nil {
				held = merged(*live, sent)
			}
			return agrees() || isUnreadable(err)
		})
	}
	return held
}

// update changes a region to the wanted values, and returns what was sent and what Ops
// Manager holds afterwards. It reads the region first: otherwise a PUT would create a
// region that is gone, or undo changes since the plan. It sends the state instead of the
// live values only if Ops Manager could not return the region before, either.
func (r *deploymentRegionResource) update(ctx context.Context, summary string, wanted opsmanager.DeploymentRegion, prior, plan deploymentRegionModel, wasReadable bool, diags *diag.Diagnostics) (sent, held opsmanager.DeploymentRegion) {
	if !hasFields(wanted) {
		return prior.toAPI(), prior.toAPI()
	}
	live, err := r.Client.DeploymentRegion(ctx, wanted.ID)
	switch {
	case err == nil:
		if changed := unplannedChanges(plan, wanted, prior.toAPI(), *live); len(changed) > 0 {
			diags.AddWarning(fmt.Sprintf("Deployment Region %s Changed Since the Plan", wanted.ID),
				"These values differ from the Terraform state that the plan is based on:"+tfmodel.Bulleted(changed)+
					"\n\nThis update keeps the current values: it sends them along with the planned changes. The next plan shows the difference.")
		}
		return r.change(ctx, summary, wanted, *live, plan, diags)
	case opsmanager.IsBareNotFound(err):
		diags.Append(unknownExistence(summary, err))
	case opsmanager.IsUnsupported(err) && wasReadable:
		diags.AddError(summary, diagnostics.Sentence(err)+"\n\nOps Manager returned the region in the last refresh, but not now. "+
			"An update must send the whole region, so without reading it first it could undo changes that the plan did not show. Nothing was changed. Plan again.")
	case opsmanager.IsUnsupported(err):
		whole := merged(plan.toAPI(), prior.toAPI())
		if len(missingFields(whole)) > 0 {
			diags.Append(incompleteWrite(summary, whole))
			return sent, held
		}
		unread := slices.DeleteFunc(differences(whole, opsmanager.DeploymentRegion{}), func(d tfmodel.Difference) bool { return hasValue(wanted, d.Attribute) })
		if len(unread) > 0 {
			diags.AddWarning(fmt.Sprintf("Deployment Region %s Updated Without Reading It First", wanted.ID),
				"Ops Manager did not return the region, and an update must send the whole region. These values come from the Terraform state, and overwrite any changes made since:"+
					tfmodel.Bulleted(unread)+"\n\nSettings that the provider does not know may have their defaults now.\n\n"+diagnostics.Sentence(err))
		}
		return whole, r.put(ctx, summary, whole, diags)
	case opsmanager.IsGone(err):
		diags.Append(onID(summary, fmt.Sprintf("Region %q no longer exists, so nothing was changed: %s\n\nPlan again. The next plan creates the region.", wanted.ID, diagnostics.Sentence(err))))
	default:
		diags.Append(diagnostics.Failure(summary, err, regionCodes))
	}
	return sent, held
}

// unplannedChanges returns the differences between two versions of a region, in the fields
// that the plan has a value for and does not change.
func unplannedChanges(plan deploymentRegionModel, wanted, from, to opsmanager.DeploymentRegion) []tfmodel.Difference {
	planned := plan.toAPI()
	changed := slices.DeleteFunc(tfmodel.Returned(differences(from, to)), func(d tfmodel.Difference) bool {
		return hasValue(wanted, d.Attribute) || !hasValue(planned, d.Attribute)
	})
	for i, d := range changed {
		changed[i].Held, changed[i].Wanted = d.Wanted, d.Held
	}
	return changed
}
