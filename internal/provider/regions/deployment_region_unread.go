package regions

// This file has all that is for an Ops Manager whose API can delete regions, but not return them. There,
// a region is adopted without being seen, and the state is all that the provider knows of it.

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// isUnreadable reports whether a read failed because Ops Manager may not have the
// operation. The region may exist nevertheless.
func isUnreadable(err error) bool {
	return opsmanager.IsUnsupported(err) || opsmanager.IsBareNotFound(err)
}

// planUnreadable previews the creation or adoption of a region that can't be read.
func planUnreadable(config regionModel, err error, diags *diag.Diagnostics) {
	switch {
	case !config.hasField():
		diags.Append(unverified(config.id(), err))
	case !config.mayBeComplete() && !config["assignment_enabled"].IsUnknown():
		diags.Append(incompleteWrite(config.createSummary(), config.toAPI()))
	case opsmanager.IsBareNotFound(err) && config.hasRequiredField():
		diags.Append(unknownExistence(config.createSummary(), err))
	case config[adoptExisting].IsUnknown() || config.flag(adoptExisting).ValueBool():
		diags.Append(overwrittenUnseen(config.id(), err))
	}
}

// createOrAdoptUnread creates or adopts a region that can't be read. The plan has warned
// that an adoption is unverified.
func (r *deploymentRegionResource) createOrAdoptUnread(ctx context.Context, plan regionModel, err error, diags *diag.Diagnostics) (settled opsmanager.DeploymentRegion) {
	switch {
	case plan.isComplete() && opsmanager.IsBareNotFound(err):
		diags.Append(unknownExistence(plan.createSummary(), err))
	case plan.isComplete() && plan.flag(adoptExisting).ValueBool():
		// A region that doesn't exist is created.
		return r.replace(ctx, plan.createSummary(), &regionChange{Fields: regionFields, Wanted: plan.toAPI()}, diags)
	case plan.isComplete():
		settled, _ = r.create(ctx, plan, false, diags)
	case tfmodel.BoolPointer(plan.flag("assignment_enabled")) != nil:
		diags.Append(incompleteWrite(plan.createSummary(), plan.toAPI()))
	}
	return settled
}

// updateUnread sends the state with a change of a region that can't be read, if Ops Manager could not
// return it before, either.
func (r *deploymentRegionResource) updateUnread(ctx context.Context, summary string, change *regionChange, private tfmodel.PrivateState, err error, diags *diag.Diagnostics) (settled opsmanager.DeploymentRegion) {
	var wasReadable bool
	tfmodel.ReadPrivate(ctx, private, readableKey, &wasReadable, diags)
	switch {
	case opsmanager.IsBareNotFound(err):
		diags.Append(unknownExistence(summary, err))
		return settled
	case wasReadable:
		diags.AddError(summary, diagnostics.Sentence(err)+"\n\nOps Manager returned the region in the last refresh, but not now. "+
			"An update must send the whole region, so without reading it first it could undo changes that the plan did not show. Nothing was changed. Plan again.")
		return settled
	}
	p := r.put(summary, change)
	if len(requiredFields.Missing(p.Whole)) > 0 {
		diags.Append(incompleteWrite(summary, p.Whole))
		return settled
	}
	if unread := change.NotReturned(); len(unread) > 0 {
		diags.AddWarning(regionName(p.Whole.ID)+" Updated Without Reading It First",
			"Ops Manager did not return the region, and an update must send the whole region. These values come from the Terraform state, and overwrite any changes made since:"+
				tfmodel.Bulleted(unread)+"\n\nSettings that the provider does not know may have their defaults now.\n\n"+diagnostics.Sentence(err))
	}
	_, settled = p.Do(ctx, r.Data, diags)
	return regionFields.Complete(settled, p.Whole)
}

// notRefreshed is the warning about a region that a refresh could not read.
func notRefreshed(id string, err error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(deploymentID), regionName(id)+" Not Refreshed",
		"Ops Manager did not return this region, so the Terraform state was kept. The plan does not show changes made outside Terraform, or a deletion. "+diagnostics.Sentence(err))
}

// unknownExistence is the error of writing a region after a 404 that may come from a
// proxy.
func unknownExistence(summary string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summary, diagnostics.Explain(err)+"\n\n"+
		"No change was sent, because the provider can't tell whether the region exists. If the API of this Ops Manager can only delete regions, "+
		"remove "+namesOfRequired+" and assignment_enabled from the configuration to adopt the region without changing it.")
}

// unverified is the warning about a region that is adopted or imported without being read.
func unverified(id string, err error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(deploymentID), "Unverified "+regionName(id),
		"Ops Manager did not return this region, so the provider can't tell whether it exists. Check its ID in the administration console. "+diagnostics.Sentence(err))
}

// overwrittenUnseen is the warning about an adoption that replaces a region without reading it.
func overwrittenUnseen(id string, err error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(deploymentID), "Unverified "+regionName(id),
		"Ops Manager did not return this region. If it exists, adopt_existing lets the apply overwrite its values, and the plan can't show them. "+
			"Settings that the provider does not know may have their defaults afterwards. "+diagnostics.Sentence(err))
}

// unableToWrite is the error of a creation or an update that this Ops Manager does not support.
func unableToWrite(summary string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(summary, diagnostics.Sentence(err)+"\n\nThe API of this Ops Manager can't create or change regions. "+
		"Create the region in the administration console, then remove "+namesOfRequired+" and assignment_enabled from the configuration to adopt it without changing it.")
}
