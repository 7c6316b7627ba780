package daemons

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// ModifyPlan plans the changes of an apply, and warns about what it overwrites or removes.
func (r *jobConfigResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	prior := r.values(ctx, req.State, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		r.planReset(projectOf(prior), &resp.Diagnostics)
		return
	}
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if prior == nil {
		var replaced string
		if tfmodel.ReadPrivate(ctx, req.Private, replacedKey, &replaced, &resp.Diagnostics) && replaced == projectOf(plan) {
			resp.Diagnostics.Append(jobConfigReplacement(replaced))
			return
		}
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	project := projectOf(prior)
	if !plan["project_id"].Equal(prior["project_id"]) {
		r.planReset(project, &resp.Diagnostics)
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	tfmodel.WritePrivate(ctx, resp.Private, replacedKey, project, &resp.Diagnostics)
	if r.registry().Plan(project, func(p *planned) { p.managed = true }).ended {
		resp.Diagnostics.Append(resetAndManaged(project))
		return
	}
	jobConfigFilters.Keep(plan, config, prior)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.Plan, plan)...)
}

// planCreation warns which values the creation overwrites. It fails if a resource in the
// state would remove the filters again: a tainted one, or one whose address was changed
// without a moved block.
func (r *jobConfigResource) planCreation(ctx context.Context, config tfmodel.Values, diags *diag.Diagnostics) {
	if config["project_id"].IsUnknown() || r.Client == nil {
		return
	}
	project := projectOf(config)
	if before := r.registry().Plan(project, func(p *planned) { p.managed = true }); before.ended || before.ends {
		diags.Append(resetAndManaged(project))
		return
	}
	switch live, err := r.existing(ctx, project); {
	case err != nil:
		diags.Append(diagnostics.Failure("Unable to Preview Backup Job Configuration", err, jobConfigCodes))
	case live != nil:
		warnOverwritten(jobConfigName(project), jobConfigDifferences(jobConfigToAPI(config), *live), diags)
	}
}

// planReset warns about the effect of destroying a resource.
func (r *jobConfigResource) planReset(project string, diags *diag.Diagnostics) {
	if r.registry().Plan(project, func(p *planned) { p.ended = true }).managed {
		diags.Append(resetAndManaged(project))
		return
	}
	diags.AddWarning("Removal of the Backup Filters of Project "+project,
		"Destroying this resource removes all filters of the job configuration, because Ops Manager can't delete it. Then new backups of the project can be assigned to every daemon and store without labels. "+
			"Running backups keep theirs. To keep the filters, use a removed block with destroy = false, or run 'terraform state rm ADDRESS'.")
}

func resetAndManaged(project string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("project_id"), "Job Configuration Reset and Managed in One Plan",
		fmt.Sprintf("The Terraform state has an object whose destroy removes the backup filters of project %s, and this configuration manages the same job configuration.\n\n%s", project, howToKeep))
}

func jobConfigReplacement(project string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("project_id"), "Replacement Would Remove the Backup Filters",
		fmt.Sprintf("Replacing this resource destroys it, which removes all filters of the job configuration of project %s. Changing the configuration does not require a replacement. "+
			"To send the configuration again, change it, or run 'terraform state rm ADDRESS' and apply.", strings.ToLower(project)))
}
