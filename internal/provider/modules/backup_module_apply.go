package modules

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// moduleChange is a change of the list of backup modules of a project.
type moduleChange struct {
	*backupModuleResource
	summary string // of an error
	again   string // 'Apply' or 'Destroy'
	project string

	held    []string // the hosts of the state
	wanted  []string // the hosts whose modules are active afterwards, as far as they are known
	isKnown bool     // these are all
	ended   []string // the hosts whose modules it deactivates, unless they turn out to be wanted

	noted     tf.Planned // by the plan of an apply
	isDeposed bool       // it is the destroy of a deposed object
}

// changeOf returns the change from a state, which is nil for a creation, to a plan, which is nil for a destroy.
func (r *backupModuleResource) changeOf(summary string, prior, plan tf.Values) *moduleChange {
	c := &moduleChange{
		backupModuleResource: r,
		summary:              summary,
		again:                "Apply",
	}
	c.held, _ = hostsOf(prior)
	c.wanted, c.isKnown = hostsOf(plan)
	if plan == nil {
		c.again = "Destroy"
		plan = prior
	}
	c.project = projectOf(plan)
	if deactivates(plan) {
		c.ended = without(c.held, c.wanted)
	}
	return c
}

// added returns the wanted hosts that the state does not have.
func (c *moduleChange) added() []string { return without(c.wanted, c.held) }

// unlisted returns the wanted hosts that the state does not have in the same spelling.
func (c *moduleChange) unlisted() []string {
	return except(c.wanted, func(host string) bool { return slices.Contains(c.held, host) })
}

// notAdopted returns the hosts whose modules this process neither activates nor adopts.
func (c *moduleChange) notAdopted(hosts []string) []string {
	return except(hosts, func(host string) bool {
		return c.HasClaim(moduleOf(c.project, host), connection.Applied)
	})
}

// run makes the change, and waits until the activated modules report. The deactivation comes last, so
// that no backup is without a module.
func (c *moduleChange) run(ctx context.Context, diags *diag.Diagnostics) {
	if c.checkHosts(ctx, diags); diags.HasError() {
		return
	}
	c.claimAll(c.wanted, connection.Applied, diags) // before the list is read: another resource may be about to deactivate them
	if c.activate(ctx, diags); diags.HasError() {
		return
	}
	if len(c.ended) > 0 {
		(&publication{moduleChange: c, deactivated: c.ended}).publish(ctx, diags)
	}
}

// refuseEnd adds an error if a backup needs a module that a request would deactivate, or may need it.
func (c *moduleChange) refuseEnd(ctx context.Context, diags *diag.Diagnostics) {
	backups := c.readBackedUp(ctx)
	for _, refuse := range []func(backedUp, *diag.Diagnostics){c.refuseStart, c.refuseNeeded, c.refuseUnshown} {
		if refuse(backups, diags); diags.HasError() {
			return
		}
	}
}

// refuseStart adds an error if this run starts a backup that needs a module which it deactivates, or may do so.
func (c *moduleChange) refuseStart(backups backedUp, diags *diag.Diagnostics) {
	for _, host := range c.notAdopted(c.ended) {
		if backups.unread != nil {
			diags.Append(projects.PlanEndOfModule(c.Data, c.project, ""))
		}
		for _, process := range backups.hosts {
			cluster := projects.WholeOf(backups.clusters, tf.Text(process.ClusterID))
			if projects.RunsOn(process, host) && cluster != nil {
				diags.Append(projects.PlanEndOfModule(c.Data, c.project, tf.Text(cluster.ID)))
			}
		}
	}
}

// refuseNeeded adds an error if hosts leave hostnames whose modules running backups need. Terraform plans an update again in its
// apply, so nothing tells the apply what the plan has shown. For a destroy, refuseUnshown compares that.
func (c *moduleChange) refuseNeeded(backups backedUp, diags *diag.Diagnostics) {
	if isDestroy := len(c.wanted) == 0; isDestroy || !c.isKnown {
		return
	}
	var needed []string
	for _, host := range c.notAdopted(c.ended) {
		if effect, isNeeded := backups.on(host); isNeeded {
			needed = append(needed, host+": "+effect)
		}
	}
	if needed == nil {
		return
	}
	const most = 20
	diags.AddAttributeError(path.Root(hostnames), "Running Backups Need the Modules of Hosts That Leave", fmt.Sprintf(
		"These hosts of project %s leave hostnames, and on_destroy = %q would deactivate their backup modules:%s\n\nNo module was deactivated. "+
			"Stop the backups first: set status_name = \"STOPPED\" there and apply that. Or set on_destroy = %q, so that the modules stay active. "+
			"If this error stops 'terraform destroy', run it with -refresh=false.", c.project, deactivateOnDestroy, tf.FirstLines(needed, most), keepOnDestroy))
}

// refuseUnshown adds an error if backups need modules that it deactivates, or may need them, and the plan did not show that.
func (c *moduleChange) refuseUnshown(backups backedUp, diags *diag.Diagnostics) {
	for _, host := range c.ended {
		effect, isNeeded := backups.on(host)
		switch {
		case effect == noEffect:
		case c.isDeposed && backups.unread == nil && !isNeeded: // as far as anything can be told
		case !c.isDeposed && isShown(c.noted.Shown, host, effect):
		case backups.unread != nil:
			diags.Append(tf.WithMore(failure(c.summary, backups.unread), "\n\n"+tf.Deposed))
			return
		default:
			diags.Append(diag.NewAttributeErrorDiagnostic(path.Root(onDestroy), c.summary, fmt.Sprintf(
				"Host %s: %s. The plan did not show that, or the apply can't compare it with the plan of a deposed object. So its module stays active. To deactivate it nevertheless, stop the backup first, or use the console of Ops Manager. %s %s",
				host, effect, tf.RefreshFirst, tf.Deposed)))
		}
	}
}

// activate activates the modules of the added hosts that are not active, and waits until they report.
func (c *moduleChange) activate(ctx context.Context, diags *diag.Diagnostics) {
	added := c.added()
	if len(added) == 0 {
		return
	}
	agents, err := opsmanager.Identified(c.Client.ListAgents(ctx, c.project, opsmanager.BackupAgent))
	if err != nil {
		diags.Append(failure(c.summary, err))
		return
	}
	p := publication{moduleChange: c, activated: added}
	if p.publish(ctx, diags); diags.HasError() {
		return
	}
	w := wait{publication: &p, before: projects.LastSeen(agents.Results)}
	w.await(ctx, diags)
}

// publication is one replacement of the automation configuration. A change that activates and
// deactivates modules makes two.
type publication struct {
	*moduleChange
	activated   []string // the hosts that the list may lack before; it must have the other wanted ones
	deactivated []string // the hosts that the list lacks afterwards; the wanted ones are in it

	asked    []string  // the hosts whose modules a request was to activate
	requests int       // number of requests
	sent     *int64    // the version that the last request was made from
	empties  bool      // whether the last request leaves no module active
	at       time.Time // when that was
	failed   error     // why that failed
	unclear  *int64    // the version that the last request was made from that may have taken effect although it failed
}

// maxRequests is how often the list is requested to change.
const maxRequests = 5

// publish changes the list. If a request collides with a change of others, or if it is unclear whether
// it took effect, publish reads the list again to see what is left to do.
func (p *publication) publish(ctx context.Context, diags *diag.Diagnostics) {
	pause := p.SettleTime / 20
	for {
		err := p.request(ctx, diags)
		if err == nil {
			return
		}
		if p.requests == maxRequests || ctx.Err() != nil || time.Since(p.at) > p.SettleTime {
			diags.Append(p.failure(err))
			return
		}
		tflog.Info(ctx, "reading the backup modules of a project again", map[string]any{"project_id": p.project, "cause": err.Error()})
		wait := pause + rand.N(pause+1) // at another moment than others
		if e, ok := errors.AsType[*opsmanager.Error](err); ok {
			wait = max(wait, e.RetryAfter)
		}
		select {
		case <-ctx.Done():
			diags.Append(p.failure(err))
			return
		case <-time.After(wait):
		}
		pause = pause * 3 / 2
	}
}

// mayPublishAgain reports whether the last request may be made again, although the version is the same. One
// without a response may still take effect, so it has SettleTime for that. A response is final, unless
// it only says that there was no time for the request.
func (p *publication) mayPublishAgain() bool {
	e, ok := errors.AsType[*opsmanager.Error](p.failed)
	isLost := ok && e.Status == 0 && opsmanager.IsUnclear(e)
	return isLost && time.Since(p.at) > p.SettleTime || opsmanager.IsTemporary(p.failed)
}

// request makes one attempt. Nothing else of this process changes the automation configuration meanwhile, so that no change
// is made from an outdated one.
func (p *publication) request(ctx context.Context, diags *diag.Diagnostics) (again error) {
	done, err := p.Lock(ctx, "modules of project "+p.project)
	if err != nil {
		diags.AddError(p.summary, fmt.Sprintf("Another resource of this run was changing project %s until the run was interrupted or the time was over. %s\n\n%s again. If the time was over, raise timeouts.", p.project, p.outcome(), p.again))
		return nil
	}
	defer done()
	return p.send(ctx, diags)
}

// send reads the list, requests what is left to change, and reads the result. It returns an error if another attempt may
// succeed, and adds any other one to the diagnostics.
func (p *publication) send(ctx context.Context, diags *diag.Diagnostics) (again error) {
	live, again := p.read(ctx, diags)
	if live == nil {
		return again
	}
	missing := except(p.wanted, live.HasBackupModule)
	// The plan showed these as active, or the publication before this one has activated them.
	if lost := without(missing, p.activated); len(lost) > 0 {
		diags.Append(p.failure(tf.OnAttribute(hostnames, p.summary,
			"The backup modules of project %s changed since the plan: those of these hosts are no longer active: %s. Plan again to see what is left.", p.project, strings.Join(lost, ", "))))
		return nil
	}
	p.keepAdopted(diags)
	changed, err := live.WithBackupModules(p.wanted, p.deactivated)
	switch {
	case err != nil:
		diags.Append(p.notSentBack(p.outcome(), err))
		return nil
	case changed == nil:
		p.checkVersion(live, diags)
		return nil
	case len(p.deactivated) > 0:
		if p.refuseEnd(ctx, diags); diags.HasError() {
			return nil
		}
	}
	p.asked = append(p.asked, missing...)
	p.requests++
	p.failed = p.Client.UpdateAutomationConfig(ctx, p.project, changed)
	p.sent = new(live.Version())
	p.at = time.Now()
	p.empties = len(changed.BackupModules()) == 0
	if opsmanager.IsUnclear(p.failed) {
		p.unclear = p.sent
	}
	refusal, isRefused := errors.AsType[*opsmanager.Error](p.failed)
	switch {
	case p.failed == nil:
		p.confirm(ctx, diags)
	case !isRefused:
		diags.Append(p.failure(p.failed))
	case opsmanager.IsUnclear(p.failed), opsmanager.IsTemporary(p.failed), refusal.Code == "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION":
		return p.failed
	default:
		diags.Append(p.refused(ctx, refusal))
	}
	return nil
}

// read reads the automation configuration before a request. It returns nil if there is nothing to request now.
func (p *publication) read(ctx context.Context, diags *diag.Diagnostics) (live *opsmanager.AutomationConfig, again error) {
	live, err := p.Client.AutomationConfig(ctx, p.project)
	switch {
	case opsmanager.IsMissing(err, opsmanager.ObjectAutomationConfig) && len(p.wanted) == 0 && p.unclear == nil: // no module is active
	case err != nil:
		diags.Append(p.failure(err))
	case p.noteVersion(live):
		diags.AddError(p.summary, "Ops Manager returned an older automation configuration than before. A node of Ops Manager may be behind the others, or a proxy may keep old responses. "+
			p.outcome()+" "+p.again+" again in a minute.")
	case p.failed != nil && live.Version() == *p.sent && !p.mayPublishAgain():
		return nil, p.failed // the request would be the same
	case len(p.held) > 0 && !live.ListsBackupModules() && !p.mayHaveEmptied(live):
		diags.Append(p.notListed(" " + p.outcome()))
	default:
		return live, nil
	}
	return nil, nil
}

// mayHaveEmptied reports whether a configuration is the one that an unclear request for an empty list makes. It then lacks
// the list because that is empty: the version before had one.
func (p *publication) mayHaveEmptied(live *opsmanager.AutomationConfig) bool {
	return p.empties && p.unclear != nil && live.Version() == *p.unclear+1
}

// keepAdopted keeps the modules that another resource of the apply has, which the plan could not see.
func (p *publication) keepAdopted(diags *diag.Diagnostics) {
	left := p.notAdopted(p.deactivated)
	if len(left) < len(p.deactivated) {
		diags.AddWarning(modulesName(p.project)+" Kept", "Another resource of this apply has the same hosts, so their backup modules stay active: "+strings.Join(without(p.deactivated, left), ", ")+".")
	}
	p.deactivated = left
}

// failure is the error of a failed call. It says whether something may have changed.
func (p *publication) failure(err error) diag.Diagnostic {
	d := failure(p.summary, err)
	after := p.outcome()
	if opsmanager.MayHaveChanged(err) {
		after = p.risk()
	}
	return tf.WithMore(d, " "+after)
}

// outcome says whether something may have changed, apart from the last call.
func (p *publication) outcome() string {
	switch {
	case p.unclear != nil:
		return "A request before that got no clear response. " + tf.MayHaveChanged + " " + p.risk()
	case len(p.wanted) > 0 && len(p.deactivated) > 0: // an earlier publication may have activated others
		return "No module was deactivated."
	}
	return "Nothing was changed."
}

// risk says what the last request may have done to a change of others.
func (p *publication) risk() string {
	if p.sent == nil {
		return ""
	}
	return fmt.Sprintf("The request was made from version %d: if others made a change at the same time, that may be lost.", *p.sent)
}

// noteVersion records the version of an automation configuration, and reports whether the run has read a newer one.
func (c *moduleChange) noteVersion(live *opsmanager.AutomationConfig) (isOlder bool) {
	version := live.Version()
	newest := connection.Note(c.Data, "automation configuration of project "+c.project, func(read *int64) {
		*read = max(*read, version)
	})
	return version < newest
}

// confirm reads the list once after Ops Manager accepted a change.
func (p *publication) confirm(ctx context.Context, diags *diag.Diagnostics) {
	held, unread := p.Client.AutomationConfig(ctx, p.project)
	isMade := false
	if unread == nil {
		left, err := held.WithBackupModules(p.wanted, p.deactivated)
		isListed := held.ListsBackupModules() || p.empties // an empty list may be missing
		isMade = left == nil && err == nil && isListed && !p.noteVersion(held)
	}
	if !isMade {
		cause := "did not return it afterwards. It may be slow, or others may have changed the list again."
		switch {
		case ctx.Err() != nil:
			cause = "the run was interrupted or the time was over before the provider could read the result."
		case unread != nil:
			cause = "the provider could not read the result. " + tf.Explain(unread, projects.Codes, Codes) + "\n\n"
		}
		next := p.again + " again: the provider reads the list first, and changes only what is left."
		if p.empties { // if the list is missing then, that does not say so
			next = lookInConsole + " Otherwise, destroy again."
		}
		diags.AddAttributeError(path.Root(hostnames), p.summary, fmt.Sprintf(
			"Ops Manager accepted the change of the backup modules of project %s, but %s %s %s", p.project, cause, next, p.risk()))
		return
	}
	p.checkVersion(held, diags)
}

// checkVersion warns if the version shows that others changed the automation configuration between the
// last read and the request. If Ops Manager does not compare versions, their change is lost.
func (p *publication) checkVersion(held *opsmanager.AutomationConfig, diags *diag.Diagnostics) {
	if p.sent == nil || held.Version() == *p.sent+1 {
		return
	}
	cause := "so others made a change at about the same time"
	if p.unclear != nil {
		cause = "so others made a change at about the same time, or an earlier request of the provider, which got no clear response, took effect"
	}
	diags.AddWarning("Automation Configuration of Project "+p.project+" Changed at the Same Time", fmt.Sprintf(
		"The provider read version %d and sent its change. Then Ops Manager returned version %d instead of %d, %s. "+
			"Some versions of Ops Manager don't notice that, and then the change of the others may be lost. Check with those who change the project, and compare the versions in Ops Manager.", *p.sent, held.Version(), *p.sent+1, cause))
}

// refused is the error of a request that Ops Manager rejected permanently.
func (p *publication) refused(ctx context.Context, refusal *opsmanager.Error) diag.Diagnostic {
	because := func(why string) string {
		return tf.Sentence(refusal) + "\n\n" + why + " " + p.outcome()
	}
	switch {
	case refusal.Status == http.StatusBadRequest && refusal.Document && Codes.Advice[refusal.Code] == "":
		return diag.NewErrorDiagnostic(p.summary, because("Ops Manager checks the whole automation configuration, so the cause may be a setting that has nothing to do with backups. "+
			"The provider does not show what Ops Manager says about it, because that may quote passwords. To see it, activate a module in the console of Ops Manager."))
	case refusal.Status != http.StatusUnauthorized || refusal.Stale:
		return p.failure(refusal)
	}
	const readable = "The same API key has just read the automation configuration, so the key itself is right. "
	features, err := p.Client.ControlledFeatures(ctx, p.project)
	switch {
	case err != nil:
		return diag.NewErrorDiagnostic(p.summary, because(readable+"An external system may have locked the project, but whether it has could not be read: "+tf.Sentence(err)))
	case features.ModuleLock() == "":
		return diag.NewErrorDiagnostic(p.summary, because(readable+"No external system has locked the project. Check that the key has the role Project Automation Admin or Project Owner in this project, and that no proxy in front of Ops Manager refuses changes."))
	}
	holder := "an external system without a name"
	if m := features.Manager; m != nil && m.Name != nil {
		holder = opsmanager.Sanitize(*m.Name)
		if m.Version != nil {
			holder += " " + opsmanager.Sanitize(*m.Version)
		}
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(projectID), "Project Locked by an External System", because(fmt.Sprintf(
		"The project has the policy %s, which %s has set: only that system may change the backup modules. Activate them there. The provider does not remove the lock.",
		opsmanager.Sanitize(features.ModuleLock()), holder)))
}

// lookInConsole is the way out if Ops Manager may leave out an empty list, so that no read says that it is empty.
const lookInConsole = "Look in the console of Ops Manager. If no module is active any more, run 'terraform state rm ADDRESS'."

// notListed is the error about an automation configuration without a list of backup modules, although modules were active.
func (c *moduleChange) notListed(outcome string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(projectID), c.summary, fmt.Sprintf(
		"The automation configuration of project %s lacks backupVersions, and Terraform knows active backup modules. So it is not known which ones are active, and a change could deactivate those of others.%s\n\n"+
			"%s If it shows active modules, plan again later. "+
			"Or set on_destroy = %q and run 'terraform apply -refresh=false', and then remove the resource from the configuration and run that again.", c.project, outcome, lookInConsole, keepOnDestroy))
}

// notSentBack is the error about an automation configuration that must not be sent back.
func (c *moduleChange) notSentBack(outcome string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(projectID), c.summary, fmt.Sprintf(
		"The backup modules of project %s can't be changed now: %s. %s\n\nIf a restore is running, plan again when it has finished. Otherwise change the modules in the console of Ops Manager.", c.project, err, outcome))
}
