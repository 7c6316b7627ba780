package modules

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ModifyPlan checks the hosts of a plan, and warns about the backups that need a module that is
// deactivated.
func (r *backupModuleResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	prior := tf.ReadValues(ctx, req.State, diags)
	project := projectOf(prior)
	if req.Plan.Raw.IsNull() {
		shown := r.planDestroy(ctx, prior, diags)
		tf.NotePlan(ctx, req, resp, deactivated(project), shown...)
		return
	}
	plan := tf.ReadValues(ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	object := modulesName(project)
	var shown []string
	switch {
	case prior == nil:
		project = projectOf(plan)
		switch tf.NotePlan(ctx, req, resp, managedBy(plan)).First {
		case "": // otherwise, the first plan has looked
			r.planCreation(ctx, plan, diags)
		case deactivated(project):
			diags.Append(replacement(project))
		}
		return
	case plan[projectID].Equal(prior[projectID]):
		if deactivates(prior) {
			object = deactivated(project)
		}
		isImported := tf.ReadPrivate(ctx, req.Private, projects.ImportedKey, new(bool), diags)
		shown = r.planUpdate(ctx, plan, prior, isImported, diags)
	case deactivates(prior) && plan[projectID].IsUnknown():
		diags.Append(replacement(project))
		return
	default:
		shown = r.planDestroy(ctx, prior, diags)
		r.planCreation(ctx, plan, diags)
	}
	tf.NotePlan(ctx, req, resp, object, shown...)
}

// deactivated names the modules of a project that a replacement would deactivate.
func deactivated(project string) string { return "deactivated " + project }

// moduleOf names the backup module of a host for its claims.
func moduleOf(project, host string) string {
	return fmt.Sprintf("backup module of host %s of project %s", strings.ToLower(host), project)
}

// claimAll adds a claim to each of some modules. It adds an error, and returns false, if the same plan deactivates one of
// them and keeps it, or manages it with two resources.
func (c *moduleChange) claimAll(hosts []string, claim connection.Claim, diags *diag.Diagnostics) bool {
	var ended, twice []string
	for _, host := range distinct(hosts) {
		switch c.Claim(moduleOf(c.project, host), claim) {
		case connection.Ended:
			ended = append(ended, host)
		case connection.Twice:
			twice = append(twice, host)
		}
	}
	if len(ended) > 0 {
		d := tf.EndedAndManaged(path.Root(onDestroy), "Backup Module Deactivated and Managed in One Plan", "backup_module",
			fmt.Sprintf("or update deactivates the backup modules of %s in project %s, because of on_destroy", strings.Join(ended, ", "), c.project), "module")
		diags.Append(tf.WithTexts(d, d.Summary(), "To move a host from one resource to another, first set on_destroy = \"keep\" on the one that has it and apply, or remove it there in an apply of its own.\n\n"+d.Detail()))
	}
	if len(twice) > 0 {
		diags.AddAttributeError(path.Root(hostnames), "Backup Module in Two Resources", fmt.Sprintf(
			"Another resource of this plan has the same hosts of project %s: %s. One of them could deactivate a module that the other one keeps. Remove each host from one of the resources.", c.project, strings.Join(twice, ", ")))
	}
	return len(ended)+len(twice) == 0
}

// claimUnknown claims what a plan does with modules whose host or project is not known yet. It adds an error, and returns false,
// if the plan deactivates a module, and manages one of these in the same project.
func (c *moduleChange) claimUnknown(diags *diag.Diagnostics) bool {
	ends := connection.Ends.If(len(c.ended) > 0)
	manages := connection.Adopts.If(!c.isKnown || c.project == "")
	isEnded := c.Claim(unknownModuleOf(c.project), ends|manages) == connection.Ended
	isEnded = c.Claim(unknownModuleOf(""), ends) == connection.Ended || isEnded
	if isEnded {
		diags.Append(tf.EndedAndUnknown(path.Root(hostnames), "Backup Module to Activate Is Not Known Yet",
			"deactivates a backup module, because of on_destroy, and activates one whose host or project", "module"))
	}
	return !isEnded
}

// unknownModuleOf names the modules of unknown hosts of a project for their claims. The project is empty if it is not known.
func unknownModuleOf(project string) string {
	return "backup module of an unknown host of project " + project
}

func replacement(project string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(onDestroy), "Replacement Would Deactivate Backup Modules", fmt.Sprintf(
		"Replacing this resource destroys it, which deactivates the backup modules of project %[2]s because of on_destroy = %[1]q in the Terraform state. Changing hostnames does not require a replacement. "+
			"To replace the resource anyway, set on_destroy = %[3]q and apply first.\n\n"+
			"Terraform also plans a replacement if project_id is not known yet, even if it turns out to be the same. Use an ID that is known when you plan.", deactivateOnDestroy, project, keepOnDestroy))
}

// planCreation checks the hosts of a new resource.
func (r *backupModuleResource) planCreation(ctx context.Context, plan tf.Values, diags *diag.Diagnostics) {
	c := r.changeOf(previewSummary, nil, plan)
	if c.claimUnknown(diags) && c.project != "" && c.claimAll(c.wanted, connection.Adopts, diags) && r.Client != nil {
		c.preview(ctx, diags)
	}
}

// planUpdate checks new hosts, and warns about those that are deactivated. It returns the shown effects.
func (r *backupModuleResource) planUpdate(
	ctx context.Context, plan, prior tf.Values, isImported bool, diags *diag.Diagnostics,
) (shown []string) {
	c := r.changeOf(previewSummary, prior, plan)
	if !c.claimAll(c.wanted, connection.Keeps, diags) || !c.claimUnknown(diags) {
		return nil
	}
	removed := without(c.held, c.wanted)
	names := strings.Join(removed, ", ")
	switch {
	case len(removed) == 0:
	case plan[onDestroy].IsUnknown():
		diags.AddAttributeError(path.Root(onDestroy), "Unknown Whether Backup Modules Are Deactivated", fmt.Sprintf(
			"on_destroy is not known yet, so the plan can't say whether the apply deactivates the backup modules of hosts that leave hostnames in project %s: %s. Use a value that is known when you plan.", c.project, names))
		return nil
	case deactivates(plan) && isImported:
		diags.AddAttributeError(path.Root(onDestroy), "Import Would Deactivate Backup Modules", fmt.Sprintf(
			"The import read the hosts of all backup modules of project %s, also those that others activated. hostnames lacks some of them, and on_destroy = %q would deactivate these: %s.\n\n"+
				"Set on_destroy = %q and apply first. That removes the hosts from the state, and their modules stay active. To deactivate them after all, first apply with all hosts in hostnames.", c.project, deactivateOnDestroy, names, keepOnDestroy))
		return nil
	case !deactivates(plan) && c.isKnown:
		diags.AddWarning(modulesName(c.project)+" Will Be Removed Only From the State", fmt.Sprintf(
			"These hosts are removed from hostnames, and on_destroy is %q, so their backup modules stay active: %s.", keepOnDestroy, names))
	case deactivates(plan):
		shown = c.planEnd(ctx, diags)
		if diags.HasError() {
			return nil
		}
	}
	if !c.isKnown {
		c.ended = nil
	}
	if r.Client != nil && len(c.unlisted())+len(c.ended) > 0 {
		c.preview(ctx, diags)
	}
	return shown
}

// preview adds an error if the apply would fail: the key can't read the automation configuration, it
// can't be sent back, or a host has no agent. Terraform also plans before a destroy, to refresh the
// state. That must not fail if others have deactivated the modules since they were in the state, because
// their hosts or the project may be gone. So it is a warning then.
func (c *moduleChange) preview(ctx context.Context, diags *diag.Diagnostics) {
	var found diag.Diagnostics
	c.check(ctx, &found)
	hosts := c.unlisted()
	left := except(hosts, func(host string) bool {
		return c.HasClaim(moduleOf(c.project, host), connection.Gone)
	})
	for _, d := range found {
		switch {
		case d.Severity() != diag.SeverityError, len(left) == len(hosts):
		case len(left) == 0:
			d = diag.NewWarningDiagnostic(d.Summary(), d.Detail()+"\n\nThese backup modules were in the Terraform state, and are no longer active. A destroy has nothing to do for them. An apply will fail.")
		default:
			d = tf.WithMore(d, "\n\nIf this error stops 'terraform destroy', run it with -refresh=false.")
		}
		diags.Append(d)
	}
}

// check adds what preview finds.
func (c *moduleChange) check(ctx context.Context, diags *diag.Diagnostics) {
	hosts := c.unlisted()
	live, err := c.Client.AutomationConfig(ctx, c.project)
	if opsmanager.IsMissing(err, opsmanager.ObjectAutomationConfig) && len(hosts) == 0 {
		return
	}
	if err != nil {
		diags.Append(failure(c.summary, err))
		return
	}
	if _, err := live.WithBackupModules(c.added(), c.ended); err != nil {
		diags.Append(c.notSentBack("Nothing was changed.", err))
		return
	}
	silent := c.checkHosts(ctx, diags)
	if diags.HasError() {
		return
	}
	for _, host := range hosts {
		if other := otherSpelling(live, host); other != "" {
			diags.AddAttributeWarning(path.Root(hostnames), "Backup Module in Another Spelling", fmt.Sprintf("The backup module of %s is in the automation configuration already.%s", host, other))
		}
	}
	if len(silent) > 0 {
		diags.AddAttributeWarning(path.Root(hostnames), "Agents of Project "+c.project+" Don't Report",
			"The apply waits until the backup modules of these hosts report, which they can't while their agents don't run:"+strings.Join(silent, ""))
	}
}

// planDestroy warns how destroying a resource affects its modules. It returns the shown effects.
func (r *backupModuleResource) planDestroy(ctx context.Context, prior tf.Values, diags *diag.Diagnostics) (shown []string) {
	c := r.changeOf(deactivateSummary, prior, nil)
	if !deactivates(prior) {
		diags.Append(tf.Forgotten("Backup Modules", fmt.Sprintf("The backup modules of project %s stay active, because on_destroy is not \"deactivate\" in the Terraform state.", c.project)))
		return nil
	}
	// Delete keeps the modules that this process has adopted: those of the new object of a replacement.
	c.ended = c.notAdopted(c.ended)
	switch {
	case len(c.ended) == 0:
	case r.HasClaim(anyModuleOf(c.project), connection.Applied):
		diags.Append(tf.UnplannedEnd("the " + modulesName(c.project)))
	case c.claimUnknown(diags):
		shown = c.planEnd(ctx, diags)
	}
	return shown
}

// anyModuleOf stands for all modules of a project that an apply creates resources of. Once it has created one, it plans only the
// ends of deposed objects. With create_before_destroy, one of them is the old object of a tainted resource, whose end no plan
// has shown. Otherwise a resource that is replaced gets another project, and the plan has shown what that ends.
func anyModuleOf(project string) string { return "any backup module of project " + project }

// planEnd warns about the backups that need a module that is deactivated, and returns the shown effects. It adds an error if the
// same plan keeps such a module, or starts such a backup, or if a running backup needs the module of a host that leaves.
func (c *moduleChange) planEnd(ctx context.Context, diags *diag.Diagnostics) (shown []string) {
	if !c.claimAll(c.ended, connection.Ends, diags) {
		return nil
	}
	backups := c.readBackedUp(ctx)
	c.refuseStart(backups, diags)
	if c.refuseNeeded(backups, diags); diags.HasError() {
		return nil
	}
	var lines strings.Builder
	const most = 20 // hosts of one line
	var effects []string
	same := map[string][]string{}
	for _, host := range c.ended {
		effect, _ := backups.on(host)
		if same[effect] == nil {
			effects = append(effects, effect)
		}
		same[effect] = append(same[effect], host)
		shown = append(shown, onHost(host, effect))
	}
	for _, effect := range effects {
		lines.WriteString("\n  - " + onHost(strings.Join(tf.First(same[effect], most), ", "), effect))
	}
	which := "The apply deactivates the backup modules of these hosts, because of on_destroy:"
	if !c.isKnown {
		which = "hostnames is not known yet. Of these hosts, the apply deactivates the backup modules of those that it turns out to lack, because of on_destroy:"
	}
	hosts := strings.Join(tf.First(c.ended, 3), ", ") // in the title, because Terraform combines warnings with equal ones
	diags.AddAttributeWarning(path.Root(onDestroy), modulesName(c.project)+" Will Be Deactivated: "+hosts,
		which+lines.String()+"\n\nA running backup whose hosts have no module gets no more data: it takes no new snapshots, and after a gap Ops Manager may sync it again in full. "+
			"Existing snapshots are kept. To keep the modules active, "+tf.KeepFirst)
	return shown
}
