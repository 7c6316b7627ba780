package modules

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// change is a change of the list of backup modules of a project. One that activates and deactivates modules
// has two phases, each with a value of its own: the first one deactivates nothing, and the second one
// requires that the activated modules are there.
type change struct {
	*backupModuleResource
	summary string // of an error
	project string
	again   string // 'Apply' or 'Destroy'

	activated, deactivated []string // what the list has and lacks afterwards
	held                   []string // the hosts of the state
	added                  []string // the activated hosts that are not in the state

	before  map[string]time.Time // when the modules last reported before the change
	asked   []string             // the hosts whose modules a request was to activate
	sent    *int64               // the version that the last request was made from
	at      time.Time            // when that was
	failed  error                // why that failed
	unclear bool                 // whether a request may have taken effect
}

// run makes the change, and waits until the activated modules report.
func (c *change) run(ctx context.Context, diags *diag.Diagnostics) {
	if len(c.activated)+len(c.deactivated) == 0 {
		return
	}
	if len(c.added) > 0 {
		if c.checkHosts(ctx, c.summary, c.project, c.added, diags); diags.HasError() {
			return
		}
	}
	if len(c.activated) > 0 {
		agents, err := c.Client.ListAgents(ctx, c.project, opsmanager.BackupAgent)
		if err != nil {
			diags.Append(failure(c.summary, err))
			return
		}
		first := *c
		first.before, first.deactivated = projects.LastSeen(agents.Results), nil
		if first.publish(ctx, diags); diags.HasError() {
			return
		}
		if awaited := distinct(slices.Concat(c.added, first.asked)); len(awaited) > 0 {
			if first.await(ctx, awaited, diags); diags.HasError() {
				return
			}
		}
	}
	if len(c.deactivated) > 0 {
		c.publish(ctx, diags) // only now, so that no backup is without a module
	}
}

// isSecond reports whether modules were activated before, and others are deactivated now.
func (c *change) isSecond() bool { return len(c.activated) > 0 && len(c.deactivated) > 0 }

// maxRequests is how often the list is requested to change.
const maxRequests = 5

// publish changes the list. If a request collides with a change of others, or if it is unclear whether
// it took effect, publish reads the list again to see what is left to do. Without another request, it
// stops after SettleTime: a node of Ops Manager may return old values until then.
func (c *change) publish(ctx context.Context, diags *diag.Diagnostics) {
	pause := c.SettleTime / 20
	c.at = time.Now()
	for requests := 0; ; {
		last := c.at
		err := c.request(ctx, diags)
		if err == nil {
			return
		}
		if c.at != last {
			requests++
		}
		if requests == maxRequests || ctx.Err() != nil || time.Since(c.at) > c.SettleTime {
			diags.Append(c.failure(err))
			return
		}
		tflog.Info(ctx, "reading the backup modules of a project again", map[string]any{"project_id": c.project, "cause": err.Error()})
		select {
		case <-ctx.Done():
			diags.Append(c.failure(err))
			return
		case <-time.After(pause + rand.N(pause+1)): // at another moment than others
		}
		pause = pause * 3 / 2
	}
}

// mayRepeat reports whether the last request may be made again, although the version is the same. A
// request without a response may still take effect, so it has SettleTime for that. A response is final,
// except for one that only says that there was no time for the request.
func (c *change) mayRepeat() bool {
	var e *opsmanager.Error
	switch {
	case !errors.As(c.failed, &e):
		return true
	case e.Status == 0:
		return !opsmanager.IsUnclear(e) || time.Since(c.at) > c.SettleTime
	}
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// errOlder means that a response has an older automation configuration than an earlier one.
var errOlder = errors.New("Ops Manager returned an older automation configuration than before. One of its nodes may be slow. Apply again") //nolint:staticcheck // a name

// request reads the list, and requests what is left to change. It returns an error if another attempt
// may succeed, and adds any other one to the diagnostics. Nothing else of this process changes the
// automation configuration until Ops Manager returns the result, so that no change is made from an
// outdated one.
func (c *change) request(ctx context.Context, diags *diag.Diagnostics) (again error) {
	done, err := turns.Of(c.Data).Take(ctx, c.project)
	if err != nil {
		diags.AddError(c.summary, fmt.Sprintf("Another resource of this run was changing project %s until the run was interrupted or the time was over. %s\n\n%s again. If the time was over, raise timeouts.", c.project, c.outcome(), c.again))
		return nil
	}
	defer done()
	ctx, release := opsmanager.HoldMemoryTurn(ctx)
	defer release()
	live, err := c.Client.AutomationConfig(ctx, c.project)
	switch {
	case opsmanager.IsGone(err) && len(c.activated) == 0:
		return nil
	case err != nil:
		diags.Append(c.failure(err))
		return nil
	case c.isOlder(live):
		return errOlder
	case c.failed != nil && live.Version() == *c.sent && !c.mayRepeat():
		return c.failed // the request would be the same
	}
	missing := slices.DeleteFunc(slices.Clone(c.activated), live.HasBackupModule)
	isGone := !slices.ContainsFunc(c.held, live.HasBackupModule)
	switch {
	case c.isSecond() && len(missing) > 0:
		diags.AddAttributeError(path.Root(hostnames), c.summary, fmt.Sprintf("The backup modules of these hosts were deactivated in project %s during the apply, so the provider deactivates no others: %s.\n\nPlan again. The next plan activates them.", c.project, strings.Join(missing, ", ")))
		return nil
	case isGone && len(c.held) > 0 && len(c.activated) > 0 && c.sent == nil:
		diags.AddAttributeError(path.Root(hostnames), c.summary, fmt.Sprintf("The backup modules of the hosts in the Terraform state were deactivated in project %s after the plan was made, so nothing was changed.\n\nPlan again. The next plan activates them.", c.project))
		return nil
	}
	changed, err := live.WithBackupModules(c.activated, c.deactivated)
	switch {
	case err != nil:
		diags.Append(notSentBack(c.summary, c.project, c.outcome(), err))
		return nil
	case changed == nil:
		c.checkVersion(live, diags)
		return nil
	}
	c.asked = append(c.asked, missing...)
	err = c.Client.UpdateAutomationConfig(ctx, c.project, changed)
	c.sent, c.at, c.failed = new(live.Version()), time.Now(), err
	c.unclear = c.unclear || opsmanager.IsUnclear(err)
	var refusal *opsmanager.Error
	switch {
	case err == nil:
		c.settle(ctx, diags)
	case !errors.As(err, &refusal):
		diags.Append(c.failure(err))
	case opsmanager.IsUnclear(err), refusal.Code == "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION", refusal.Status == 0, refusal.Status == http.StatusTooManyRequests:
		return err
	default:
		diags.Append(c.refused(ctx, refusal))
	}
	return nil
}

// newest has the newest version of each project that this process has read.
var newest connection.Shared[sync.Map]

// isOlder reports whether this process has read a newer automation configuration of the project. The
// caller has the turn.
func (c *change) isOlder(live *opsmanager.AutomationConfig) bool {
	versions := newest.Of(c.Data)
	if known, ok := versions.Load(c.project); ok && live.Version() < known.(int64) { //nolint:forcetypeassert // nothing else is stored
		return true
	}
	versions.Store(c.project, live.Version())
	return false
}

// failure is the error of a failed call. It says whether something may have changed.
func (c *change) failure(err error) diag.Diagnostic {
	d := failure(c.summary, err)
	if opsmanager.MayHaveChanged(err) {
		return diagnostics.WithTexts(d, d.Summary(), d.Detail()+" "+c.risk())
	}
	return diagnostics.WithTexts(d, d.Summary(), d.Detail()+" "+c.outcome())
}

// outcome says whether something may have changed, apart from the last call.
func (c *change) outcome() string {
	switch {
	case c.unclear:
		return "A request before that got no clear response. " + diagnostics.MayHaveChanged + " " + c.risk()
	case c.isSecond():
		return "No module was deactivated."
	}
	return "Nothing was changed."
}

// risk says what the last request may have done to a change of others.
func (c *change) risk() string {
	if c.sent == nil {
		return ""
	}
	return fmt.Sprintf("The request was made from version %d: if others made a change at the same time, that may be lost.", *c.sent)
}

// settle waits until Ops Manager returns the list as it was accepted.
func (c *change) settle(ctx context.Context, diags *diag.Diagnostics) {
	var held *opsmanager.AutomationConfig
	agrees := func() bool {
		live, err := c.Client.AutomationConfig(ctx, c.project)
		if err != nil {
			return false
		}
		left, err := live.WithBackupModules(c.activated, c.deactivated)
		if left == nil && err == nil && !c.isOlder(live) {
			held = live
		}
		return held != nil
	}
	if !agrees() {
		c.Settle(ctx, agrees)
	}
	if held == nil && ctx.Err() != nil {
		diags.AddAttributeError(path.Root(hostnames), c.summary, fmt.Sprintf(
			"Ops Manager accepted the change of the backup modules of project %s. Before the provider could read the result, the run was interrupted or the time was over. %s again: the provider reads the list first, and changes only what is left. %s", c.project, c.again, c.risk()))
		return
	}
	if held == nil {
		diags.AddAttributeError(path.Root(hostnames), c.summary, fmt.Sprintf(
			"Ops Manager accepted the change of the backup modules of project %s, but did not return it afterwards. It may be slow, or others may have changed the list again. %s again: the provider reads the list first, and changes only what is left. %s", c.project, c.again, c.risk()))
		return
	}
	c.checkVersion(held, diags)
}

// checkVersion warns if the version shows that others changed the automation configuration between the
// last read and the request. If Ops Manager does not compare versions, their change is lost.
func (c *change) checkVersion(held *opsmanager.AutomationConfig, diags *diag.Diagnostics) {
	if c.sent == nil || held.Version() == *c.sent+1 {
		return
	}
	cause := "so others made a change at about the same time"
	if c.unclear {
		cause = "so others made a change at about the same time, or an earlier request of the provider, which got no clear response, took effect"
	}
	diags.AddWarning("Automation Configuration of Project "+c.project+" Changed at the Same Time", fmt.Sprintf(
		"The provider read version %d and sent its change. Then Ops Manager returned version %d instead of %d, %s. "+
			"Some versions of Ops Manager don't notice that, and then the change of the others may be lost. Check with those who change the project, and compare the versions in Ops Manager.", *c.sent, held.Version(), *c.sent+1, cause))
}

// refused is the error of a request that Ops Manager rejected for good.
func (c *change) refused(ctx context.Context, refusal *opsmanager.Error) diag.Diagnostic {
	d := c.failure(refusal)
	switch {
	case refusal.Status == http.StatusBadRequest && refusal.Document && Codes.Advice[refusal.Code] == "":
		return diag.NewErrorDiagnostic(d.Summary(), diagnostics.Sentence(refusal)+"\n\nOps Manager checks the whole automation configuration, so the cause may be a setting that has nothing to do with backups. "+
			"The provider does not show what Ops Manager says about it, because that may quote passwords. To see it, activate a module in the console of Ops Manager. "+c.outcome())
	case refusal.Status != http.StatusUnauthorized:
		return d
	}
	const readable = "The same API key has just read the automation configuration, so the key itself is right. "
	features, err := c.Client.ControlledFeatures(ctx, c.project)
	switch {
	case err != nil:
		return diag.NewErrorDiagnostic(d.Summary(), diagnostics.Sentence(refusal)+"\n\n"+readable+"An external system may have locked the project, but whether it has could not be read: "+diagnostics.Sentence(err)+" "+c.outcome())
	case features.ModuleLock() == "":
		return diag.NewErrorDiagnostic(d.Summary(), diagnostics.Sentence(refusal)+"\n\n"+readable+"No external system has locked the project. Check that the key has the role Project Automation Admin or Project Owner in this project, and that no proxy in front of Ops Manager refuses changes. "+c.outcome())
	}
	holder := "an external system without a name"
	if m := features.Manager; m != nil && m.Name != nil {
		holder = opsmanager.Sanitize(*m.Name)
		if m.Version != nil {
			holder += " " + opsmanager.Sanitize(*m.Version)
		}
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(projectID), "Project Locked by an External System", fmt.Sprintf(
		"%s\n\nThe project has the policy %s, which %s has set: only that system may change the backup modules. Activate them there. The provider does not remove the lock. %s",
		diagnostics.Sentence(refusal), opsmanager.Sanitize(features.ModuleLock()), holder, c.outcome()))
}

// notSentBack is the error about an automation configuration that must not be sent back.
func notSentBack(summary, project, outcome string, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(projectID), summary, fmt.Sprintf(
		"The backup modules of project %s can't be changed now: %s. %s\n\nIf a restore is running, plan again when it has finished. Otherwise change the modules in the console of Ops Manager.", project, err, outcome))
}

// await waits until modules report to Ops Manager.
func (c *change) await(ctx context.Context, hosts []string, diags *diag.Diagnostics) {
	begin := time.Now()
	var (
		pending = hosts
		seen    map[string]time.Time
		now     time.Time
		failed  error
	)
	err := c.Wait(ctx, func() (bool, error) {
		agents, err := c.Client.ListAgents(ctx, c.project, opsmanager.BackupAgent)
		if failed = err; err != nil {
			tflog.Info(ctx, "the backup modules could not be read", map[string]any{"project_id": c.project, "cause": err.Error()})
			return false, permanent(err)
		}
		seen, now = projects.LastSeen(agents.Results), agents.Date
		pending = slices.DeleteFunc(slices.Clone(hosts), func(host string) bool { return c.reports(host, seen, agents.Date) })
		tflog.Info(ctx, "waiting for backup modules", map[string]any{
			"project_id": c.project, "hosts": strings.Join(pending, ", "), "elapsed": time.Since(begin).Round(time.Second).String(),
		})
		return len(pending) == 0, nil
	})
	if err == nil {
		return
	}
	if failed != nil {
		err = failed
	}
	diags.Append(c.notReported(ctx, err, pending, seen, now, time.Since(begin)))
}

// permanent returns the error of a failed read if a later one won't succeed either.
func permanent(err error) error {
	var e *opsmanager.Error
	if errors.As(err, &e) && e.Status >= http.StatusBadRequest && e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests {
		return err
	}
	return nil
}

// reports reports whether a module runs: it has read its configuration in the last minutes, by the clock
// of Ops Manager. One that was not active before, or without such a clock, has to do so after the change.
func (c *change) reports(host string, seen map[string]time.Time, now time.Time) bool {
	host = strings.ToLower(host)
	last := seen[host]
	isNew := last.After(c.before[host])
	switch {
	case last.IsZero():
		return false
	case now.IsZero():
		return isNew
	}
	return now.Sub(last) < projects.StaleAfter && (isNew || !contains(c.asked, host))
}

// notReported is the error about modules that did not report.
func (c *change) notReported(ctx context.Context, err error, pending []string, seen map[string]time.Time, now time.Time, waited time.Duration) diag.Diagnostic {
	var hosts strings.Builder
	for _, host := range pending {
		fmt.Fprintf(&hosts, "\n  - %s: ", host)
		if last := seen[strings.ToLower(host)]; last.IsZero() {
			hosts.WriteString("no report yet")
		} else {
			hosts.WriteString("last report at " + last.UTC().Format(time.RFC3339))
			if !now.IsZero() {
				hosts.WriteString(", and the clock of Ops Manager says " + now.UTC().Format(time.RFC3339))
			}
		}
	}
	text := "The automation configuration had the backup modules of these hosts when the provider last read it, but they have not reported to Ops Manager"
	next := fmt.Sprintf("%s again to wait for them. The provider reads the list first, and changes only what is left.", c.again)
	var called *opsmanager.Error
	switch {
	case errors.As(err, &called) && ctx.Err() == nil:
		return diag.NewAttributeErrorDiagnostic(path.Root(hostnames), c.summary, fmt.Sprintf("%s:%s\n\n%s %s", text, hosts.String(), diagnostics.Explain(err, projects.Codes, Codes), next))
	case errors.Is(ctx.Err(), context.Canceled):
		return diag.NewAttributeErrorDiagnostic(path.Root(hostnames), c.summary, fmt.Sprintf("The run was interrupted. %s yet:%s\n\n%s", text, hosts.String(), next))
	}
	if waited = waited.Round(time.Second); called != nil {
		next = diagnostics.Sentence(called) + " " + next
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(hostnames), "Backup Modules Not Running", fmt.Sprintf(
		"%s after %s:%s\n\nCheck that the MongoDB Agent runs on these hosts, and look for errors in its log and in that of the module. If the modules only need more time, set timeouts. %s", text, waited, hosts.String(), next))
}
