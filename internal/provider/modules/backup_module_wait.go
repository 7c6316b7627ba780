package modules

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// wait is the wait until the activated modules of a publication report to Ops Manager.
type wait struct {
	*publication
	before map[string]time.Time // when the modules last reported before the change

	pending []string             // the hosts whose modules don't report yet
	seen    map[string]time.Time // when they last reported
	now     time.Time            // by the clock of Ops Manager
}

// await waits until the modules report. At the end of its time, it reads the automation configuration
// once more, because others may have removed modules from it.
func (w *wait) await(ctx context.Context, diags *diag.Diagnostics) {
	begin := time.Now()
	var failed error
	w.pending = w.activated
	err := w.Wait(ctx, func() (bool, error) {
		agents, err := opsmanager.Identified(w.Client.ListAgents(ctx, w.project, opsmanager.BackupAgent))
		if failed = err; err != nil {
			tflog.Info(ctx, "the backup modules could not be read", map[string]any{"project_id": w.project, "cause": err.Error()})
			return false, permanent(err)
		}
		w.seen = projects.LastSeen(agents.Results)
		w.now = agents.Date
		w.pending = except(w.activated, w.reports)
		tflog.Info(ctx, "waiting for backup modules", map[string]any{
			"project_id": w.project,
			"hosts":      strings.Join(w.pending, ", "),
			"elapsed":    time.Since(begin).Round(time.Second).String(),
		})
		return len(w.pending) == 0, nil
	})
	const silent = "These backup modules are in the automation configuration, but have not reported to Ops Manager yet:"
	next := "Until an apply succeeds, the new hosts are not in the Terraform state, so a destroy does not deactivate their modules. " + w.again + " again to wait for them. The provider reads the list first, and changes only what is left."
	title := w.summary
	detail := ""
	switch {
	case err == nil:
		return
	case errors.Is(ctx.Err(), context.Canceled):
		detail = "The run was interrupted. " + silent + w.lines(nil) + "\n\n"
	case ctx.Err() == nil:
		detail = silent + w.lines(nil) + "\n\n" + tf.Explain(failed, projects.Codes, Codes) + " "
	default:
		advice := "Check that the MongoDB Agent runs on these hosts, and look for errors in its log and in that of the module. If the modules only need more time, set timeouts."
		if failed != nil {
			advice += " " + tf.Sentence(failed)
		}
		title = "Backup Modules Not Running"
		detail = fmt.Sprintf("These backup modules have not reported to Ops Manager after %s:%s\n\n%s ", time.Since(begin).Round(time.Second), w.lines(w.live(ctx)), advice)
	}
	diags.AddAttributeError(path.Root(hostnames), title, detail+next)
}

// permanent returns the error of a failed read if a later one won't succeed either.
func permanent(err error) error {
	e, ok := errors.AsType[*opsmanager.Error](err)
	isRefusal := ok && e.Status >= http.StatusBadRequest && e.Status < http.StatusInternalServerError
	if isRefusal && e.Status != http.StatusTooManyRequests {
		return err
	}
	return nil
}

// reports reports whether a module runs: it has read its configuration in the last minutes, by the clock
// of Ops Manager. One that was not active before, or without such a clock, has to do so after the change.
func (w *wait) reports(host string) bool {
	last := w.seen[strings.ToLower(host)]
	isNew := last.After(w.before[strings.ToLower(host)])
	switch {
	case last.IsZero():
		return false
	case w.now.IsZero():
		return isNew
	}
	return w.now.Sub(last) < projects.StaleAfter && (isNew || !contains(w.asked, host))
}

// live returns the automation configuration after the end of a context, or nil if it can't be read.
func (w *wait) live(ended context.Context) *opsmanager.AutomationConfig {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ended), w.SettleTime)
	defer cancel()
	live, err := w.Client.AutomationConfig(ctx, w.project)
	if err != nil || w.noteVersion(live) {
		return nil
	}
	return live
}

// lines says what is known about each module that does not report. The automation configuration is nil
// if it was not read.
func (w *wait) lines(live *opsmanager.AutomationConfig) string {
	var text strings.Builder
	for _, host := range w.pending {
		report := "no report yet."
		if last := w.seen[strings.ToLower(host)]; !last.IsZero() {
			report = "last report at " + last.UTC().Format(time.RFC3339) + "."
			if !w.now.IsZero() {
				report += " The clock of Ops Manager says " + w.now.UTC().Format(time.RFC3339) + "."
			}
		}
		if live != nil && !live.HasBackupModule(host) {
			report += " Others have removed it from the automation configuration in the meantime. The next plan activates it."
		} else if live != nil {
			report += otherSpelling(live, host)
		}
		fmt.Fprintf(&text, "\n  - %s: %s", host, report)
	}
	return text.String()
}
