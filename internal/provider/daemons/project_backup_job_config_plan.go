package daemons

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// ModifyPlan plans the changes of an apply, and warns about what it overwrites or removes.
func (r *jobConfigResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	prior := r.values(ctx, req.State, &resp.Diagnostics)
	defer r.nameProject(ctx, prior, false, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		r.planReset(ctx, prior, &resp.Diagnostics)
		return
	}
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	defer r.nameProject(ctx, plan, false, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if prior == nil {
		var replaced string
		if tfmodel.ReadPrivate(ctx, req.Private, wholeobject.ReplacedKey, &replaced, &resp.Diagnostics); replaced != "" && replaced == projectOf(plan) {
			resp.Diagnostics.Append(jobConfigReplacement(replaced))
			return
		}
		tfmodel.WritePrivate(ctx, resp.Private, wholeobject.CreatedKey, projectOf(plan), &resp.Diagnostics)
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	project := projectOf(prior)
	if !plan["project_id"].Equal(prior["project_id"]) {
		tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, "", &resp.Diagnostics)
		r.planReset(ctx, prior, &resp.Diagnostics)
		r.planCreation(ctx, config, &resp.Diagnostics)
		return
	}
	tfmodel.WritePrivate(ctx, resp.Private, wholeobject.ReplacedKey, project, &resp.Diagnostics)
	switch before := r.registry().Plan(project, func(p *planned) { p.Managed = true }); {
	case before.Ended:
		resp.Diagnostics.Append(resetAndManaged(project))
		return
	case before.Managed:
		resp.Diagnostics.Append(wholeobject.ManagedTwice("project_id", jobConfigName(project), overwrites))
	}
	jobConfigFilters.Keep(plan, config, prior)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.Plan, plan)...)
	changed := opsmanager.JobConfig{}
	jobConfigFilters.SetChanges(&changed, plan, prior)
	if jobConfigFilters.AreMissing(changed) || r.Client == nil {
		return
	}
	u := jobConfigUpdate{config: config, plan: plan, prior: prior}
	tfmodel.ReadPrivate(ctx, req.Private, secrets.ReadBackKey, &u.known, &resp.Diagnostics)
	r.checkCertificate(ctx, project, u, &resp.Diagnostics)
	r.checkFilters(ctx, changed, plan, opsmanager.JobConfig{}, &resp.Diagnostics)
}

// planCreation warns about the values that the creation overwrites. It fails if a resource in the
// state would remove the filters again: a tainted one, or one whose address was changed
// without a moved block. Terraform plans a replacement twice, and drops the warnings of the second plan.
func (r *jobConfigResource) planCreation(ctx context.Context, config tfmodel.Values, diags *diag.Diagnostics) {
	if config["project_id"].IsUnknown() || r.Client == nil {
		return
	}
	project := projectOf(config)
	switch before := r.registry().Plan(project, func(p *planned) { p.Managed = true }); {
	case before.Ended, before.ends:
		diags.Append(resetAndManaged(project))
		return
	case before.Managed:
		diags.Append(wholeobject.ManagedTwice("project_id", jobConfigName(project), overwrites))
	}
	live, err := r.existing(ctx, project)
	if err == nil && live == nil {
		if _, missing := r.Client.Project(ctx, project); opsmanager.IsGone(missing) {
			err = missing // only the project tells a missing one from one without a job configuration
		}
	}
	switch {
	case err != nil:
		diags.Append(diagnostics.Failure("Unable to Preview Backup Job Configuration", err, jobConfigCodes))
		return
	case live != nil:
		wholeobject.WarnOverwritten(jobConfigName(project), jobConfigFields.Differences(jobConfigToAPI(config), *live), diags)
	}
	if live == nil {
		live = &opsmanager.JobConfig{}
	}
	r.checkFilters(ctx, jobConfigToAPI(config), config, *live, diags)
}

// checkCertificate adds an error to a plan whose apply can't send the certificate for KMIP, because
// its password is neither configured nor known.
func (r *jobConfigResource) checkCertificate(ctx context.Context, project string, u jobConfigUpdate, diags *diag.Diagnostics) {
	if u.removesCertificate() || secrets.Of(u.config, kmipPassword).IsSet() {
		return
	}
	if live, err := r.Client.JobConfig(ctx, project); err == nil {
		u.change.Live = *live
		u.setPassword(&opsmanager.JobConfig{}, diags)
	}
}

// planReset warns about the effect of destroying a resource.
func (r *jobConfigResource) planReset(ctx context.Context, prior tfmodel.Values, diags *diag.Diagnostics) {
	project := projectOf(prior)
	if r.registry().HasAdopted(project) { // the old object of a replacement, which Delete keeps
		return
	}
	if r.registry().Plan(project, func(p *planned) { p.Ended = true }).Managed {
		diags.Append(resetAndManaged(project))
		return
	}
	certificate := ""
	if held := tfmodel.As[types.String](prior, kmipPath); !held.IsNull() {
		certificate = fmt.Sprintf(" It also removes the client certificate for KMIP, %s, and its password.", opsmanager.Sanitize(held.String()))
	} else if r.Data != nil && r.Client != nil {
		r.checkCertificate(ctx, project, jobConfigUpdate{}, diags)
	}
	diags.AddWarning("Removal of the Backup Filters of Project "+project,
		"Destroying this resource removes all filters of the job configuration, because Ops Manager can't delete it. Then new backups of the project can be assigned to every daemon and store without labels. "+
			"Running backups keep theirs."+certificate+" To keep all this, use a removed block with destroy = false, or run 'terraform state rm ADDRESS'.")
}

func resetAndManaged(project string) diag.Diagnostic {
	return diagnostics.EndedAndManaged(path.Root("project_id"), "Job Configuration Reset and Managed in One Plan", "project_backup_job_config",
		"removes the backup filters of project "+project, "job configuration")
}

func jobConfigReplacement(project string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("project_id"), "Replacement Would Remove the Backup Filters",
		fmt.Sprintf("Replacing this resource destroys it, which removes all filters of the job configuration of project %s. Changing the configuration does not require a replacement. "+
			"To send the configuration again, change it, or run 'terraform state rm ADDRESS' and apply.", strings.ToLower(project)))
}
