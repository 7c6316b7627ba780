package backups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// transition is what comes next to bring a backup closer to a status: the status that it requests, or why it requests none.
type transition string

const (
	noRequest  transition = ""
	wait       transition = "wait"
	impossible transition = "impossible"

	start     transition = opsmanager.StatusStarted
	stop      transition = opsmanager.StatusStopped
	terminate transition = opsmanager.StatusTerminating
)

// lastTransitions maps statuses to the transitions that end there. Any other one needs no request.
var lastTransitions = map[string]transition{
	opsmanager.StatusStarted:  start,
	opsmanager.StatusStopped:  stop,
	opsmanager.StatusInactive: terminate,
}

// stable stands for any status that is not on its way to a different one. Ops Manager would reject changes
// before that.
const stable = "ready for changes"

// nextTransition returns the transition that leads from one status to another one: STARTED,
// STOPPED, INACTIVE or stable. A backup is terminated only on the way to INACTIVE.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-backup-config/
func nextTransition(status, wanted string) transition {
	switch {
	case status == wanted, wanted == stable && !isChanging(status):
		return noRequest
	case status == opsmanager.StatusProvisioning, status == opsmanager.StatusTerminating && wanted != opsmanager.StatusStopped:
		return wait
	case wanted == opsmanager.StatusStarted && (status == opsmanager.StatusInactive || status == opsmanager.StatusStopped):
		return start
	case wanted != opsmanager.StatusStarted && status == opsmanager.StatusStarted:
		return stop
	case wanted == opsmanager.StatusInactive && status == opsmanager.StatusStopped:
		return terminate
	}
	return impossible
}

// isChanging reports whether a backup is on its way to a different status.
func isChanging(status string) bool {
	return status == opsmanager.StatusProvisioning || status == opsmanager.StatusTerminating
}

// canBeRequested reports whether a configuration can request a status.
func canBeRequested(status string) bool {
	return status == opsmanager.StatusStarted || status == opsmanager.StatusStopped
}

// settled returns the status that a backup is on the way to, or the one that it has.
func settled(status *string) *string {
	switch tf.Text(status) {
	case opsmanager.StatusProvisioning:
		return new(opsmanager.StatusStarted)
	case opsmanager.StatusTerminating:
		return new(opsmanager.StatusInactive)
	}
	return status
}

// isCloserToEnd reports whether a settled status is closer to the end of a backup than another one.
func isCloserToEnd(status, than string) bool {
	toEnd := []string{opsmanager.StatusStarted, opsmanager.StatusStopped, opsmanager.StatusInactive}
	from := slices.Index(toEnd, than)
	return from >= 0 && slices.Contains(toEnd[from+1:], status)
}

// maxRefusals is the number of requests for a status that Ops Manager may reject because
// the backup's status is not the one that it returned before.
const maxRefusals = 3

// statusWait brings a backup to a status, one transition at a time, and waits for each.
//
// A status that the plan did not see may be that of an old read. So it is requested also if it is so already, which Ops
// Manager then refuses. If it is still the same after the settle time, it counts.
//
// Each transition is requested only once, even if another client reverses it. But a first start that has no
// effect, or that Ops Manager takes back within a minute, is requested once more, because that
// happens shortly after a sharded cluster was created.
type statusWait struct {
	*backupApply
	statusError

	write        change.Write[backup]
	begin        time.Time
	isCompared   bool // with what the plan saw
	last         sentRequest
	accepted     map[transition]time.Time
	refusals     int
	refused      error // why Ops Manager doesn't accept a start yet
	hasRestarted bool
}

// sentRequest is a request for a status that may have taken effect.
type sentRequest struct {
	from string    // the status before it; Ops Manager may return it for some reads
	at   time.Time // when it was sent
	err  error     // why its effect is unknown, or nil
	seen bool      // a read returned a different status since
	back time.Time // when a read then returned the first status again
}

// reachStatus brings the backup to a status. It fails at once if a value changed since the plan.
func (a *backupApply) reachStatus(ctx context.Context, wanted string) *statusError {
	w := &statusWait{
		backupApply: a,
		statusError: statusError{wanted: wanted},
		write:       a.act(lastTransitions[wanted], backup{}),
		begin:       time.Now(),
		accepted:    map[transition]time.Time{},
	}
	w.err = a.Wait(ctx, func() (bool, error) { return w.step(ctx) })
	w.waited = time.Since(w.begin)
	if w.err == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		w.err = cmp.Or(w.refused, w.last.err, ctx.Err())
	}
	return &w.statusError
}

// step reads the backup, and makes the next transition if it is time for that. It reports whether the backup has the status.
func (w *statusWait) step(ctx context.Context) (isReached bool, err error) {
	live, err := w.look(ctx)
	if live == nil {
		return false, err
	}
	w.live = live
	w.status = live.status()
	tflog.Info(ctx, "waiting for the status of a backup", map[string]any{
		"cluster_id":  w.cluster,
		"status_name": w.status,
		"wanted":      w.wanted,
		"elapsed":     time.Since(w.begin).Round(time.Second).String(),
	})
	switch next, err := w.next(); {
	case err != nil, next == wait:
		return false, err
	case next == noRequest:
		return true, nil
	default:
		return false, w.request(ctx, next)
	}
}

// look reads the backup, and compares it the first time. It returns nil if there is none, which is an error after the settle time.
func (w *statusWait) look(ctx context.Context) (*backup, error) {
	live, err := w.read(ctx)
	if err == nil && !w.isCompared {
		var compared change.Step[backup]
		compared, err = w.write.Compare(ctx, *live)
		live = &compared.Live
	}
	if err == nil {
		w.isCompared = true
		w.missing = time.Time{}
		return live, nil
	}
	if isUnseen(err) {
		w.missing = cmp.Or(w.missing, time.Now())
		if time.Since(w.missing) < w.SettleTime {
			return nil, nil
		}
	}
	return nil, err
}

// next returns the transition to request now, or wait, or noRequest if the backup has the status.
func (w *statusWait) next() (transition, error) {
	next := nextTransition(w.status, w.wanted)
	mayBeOld := w.wanted != stable && next == noRequest && !w.isRequested && !w.write.Step(*w.live).IsEmpty
	switch {
	case mayBeOld && w.refusals == 0 && canBeRequested(w.wanted):
		next = lastTransitions[w.wanted]
	case mayBeOld && time.Since(w.begin) < w.SettleTime:
		next = wait
	}
	isUnchanged := w.isRequested && w.last.from == w.status
	aMinute := 3 * w.SettleTime
	patience := aMinute // the status may be an old one, or Ops Manager slow
	switch {
	case !isUnchanged:
		w.last.seen = true
		w.last.err = nil
	case w.last.seen:
		w.last.back = cmp.Or(w.last.back, time.Now())
		patience = w.SettleTime
	}
	isLostStart := isUnchanged && next == start && w.status == opsmanager.StatusInactive
	mayRestart := isLostStart && !w.hasRestarted && (!w.last.seen || w.last.back.Sub(w.last.at) < aMinute)
	waited := time.Since(w.last.at)
	acceptedAt, isRepetition := w.accepted[next]
	isReversed := isRepetition && time.Since(acceptedAt) > w.SettleTime
	if isUnchanged {
		isReversed = !mayRestart && waited > patience
	}
	switch {
	case next == noRequest:
	case isUnchanged && w.last.err != nil && waited > w.SettleTime:
		return wait, w.last.err
	case mayRestart && waited > aMinute:
		w.hasRestarted = true
	case isReversed:
		return wait, errReversed
	case isUnchanged, isRepetition: // the status may be an old one
		return wait, nil
	case next == impossible:
		return wait, errNoWay
	}
	return next, nil
}

// request requests a transition. It returns no error if a later request may be accepted.
func (w *statusWait) request(ctx context.Context, next transition) error {
	err := w.makeTransition(ctx, next, *w.live)
	code := opsmanager.CodeOf(err)
	isRefusedForStatus := strings.HasPrefix(code, "CANNOT_") && strings.HasSuffix(code, "_BACKUP_INVALID_STATE")
	switch {
	case (isRefusedForStatus || isUnseen(err)) && w.refusals < maxRefusals:
		w.refusals++
		return nil
	case next == start && isRefusedForNow(err):
		w.refused = err
		tflog.Info(ctx, "waiting until Ops Manager accepts the start of a backup", map[string]any{
			"cluster_id": w.cluster,
			"refusal":    err.Error(),
		})
		return nil
	case err != nil && !opsmanager.MayHaveChanged(err):
		return err
	}
	w.last = sentRequest{
		from: w.status,
		at:   time.Now(),
		err:  err,
	}
	w.isRequested = true
	w.accepted[next] = w.last.at
	w.refused = nil
	return nil
}

// isWithoutBackup reports whether Ops Manager has no backup configuration for a cluster, perhaps because it doesn't
// monitor the cluster yet.
func isWithoutBackup(err error) bool {
	return opsmanager.IsNotMonitored(err) || opsmanager.IsMissing(err, opsmanager.ObjectBackupConfig)
}

// isUnseen reports whether Ops Manager doesn't return a backup, or its cluster. If that is only for a moment, it ends no
// wait. Otherwise, a missing cluster is an error, and nothing else follows from it.
func isUnseen(err error) bool {
	return isWithoutBackup(err) || opsmanager.IsMissing(err, opsmanager.ObjectCluster)
}

// isRefusedForNow reports whether Ops Manager rejected a start because the agents of a new cluster have
// not reported yet. Nothing but the text tells that: a conflict without a code may also be the lack of a
// snapshot store, which no wait ends.
func isRefusedForNow(err error) bool {
	var e *opsmanager.Error
	return errors.As(err, &e) && e.Document && e.Status == http.StatusConflict && strings.Contains(e.Detail, "MongoDB version information is not yet available")
}

// mayLackStores reports whether a start may have failed because no store or daemon can be assigned to the project.
func mayLackStores(e *opsmanager.Error) bool {
	return e.Document && (e.Status >= http.StatusInternalServerError || e.Status == http.StatusConflict && e.Code == "")
}

// errNoWay means that no request leads from the present status to the wanted one.
var errNoWay = errors.New("no request leads to that status")

// errReversed means that Ops Manager accepted a request, and later returned the old status.
var errReversed = errors.New("the status is the old one")

// statusError says why a backup did not reach a status.
type statusError struct {
	wanted string // a status, or stable
	status string // the last status that Ops Manager returned; empty if none
	waited time.Duration
	err    error

	isRequested bool      // whether a request may have taken effect
	missing     time.Time // since when Ops Manager has not returned the backup, or zero
	lacking     []string  // hosts of the cluster without a backup module, as far as that is known
	unsuitable  string    // which stores and daemons can't be assigned, as far as that is known
}

// hasEnded reports whether a backup that was to be stopped is terminated.
func (e *statusError) hasEnded() bool {
	return e.wanted == opsmanager.StatusStopped && (e.status == opsmanager.StatusInactive || e.status == opsmanager.StatusTerminating)
}

const checkStart = "Check in Ops Manager that a snapshot store, an oplog store and a backup daemon can be assigned to the project: that assignment is enabled for each, that each has all labels of the label_filter of the project's backup job configuration, or none without that filter, and that the other filters name it. " +
	"Check also that the backup module runs on each host of the cluster that holds data, " +
	"and whether the backup awaits the approval of a Global Backup Admin."

// diagnostic returns the error of an operation on a cluster's backup. again is 'Apply' or
// 'Destroy'.
func (e *statusError) diagnostic(summary, cluster, again string) diag.Diagnostic {
	failed, called := errors.AsType[*opsmanager.Error](e.err)
	hasTimedOut := errors.Is(e.err, context.DeadlineExceeded) && !called
	hasNoWay := errors.Is(e.err, errNoWay)
	status := opsmanager.Sanitize(e.status)
	waited := e.waited.Round(time.Second)
	if waited == 0 {
		waited = e.waited.Round(time.Millisecond)
	}
	is := "it is " + status
	if status == "" {
		is = "Ops Manager did not return its status"
	}
	next := again + " again to continue."
	if isChanging(e.status) {
		next = "Ops Manager continues. " + again + " again to wait for it."
	}
	const ifSlow = "{next} If the backup only needs more time, set a longer timeout in timeouts."
	detail := ""
	switch {
	case hasNoWay && e.status == "":
		detail = "Ops Manager did not return the status of the backup of cluster {cluster}, so the provider did not change it. Remove status_name, or set it in Ops Manager."
	case hasNoWay && e.wanted == opsmanager.StatusStopped:
		detail = "The backup of cluster {cluster} is {status}. Only a backup that is STARTED can be stopped. Remove status_name, or set it to STARTED."
	case hasNoWay:
		detail = "The backup of cluster {cluster} is {status}, and Ops Manager has no request that makes it {wanted}. Check the backup in Ops Manager."
	case errors.Is(e.err, errReversed):
		who := "Check in Ops Manager who changed it. If another resource manages this backup, perhaps with a different provider configuration, run 'terraform state rm ADDRESS' for one of them. If none does:"
		if e.status == opsmanager.StatusInactive {
			who = "Ops Manager takes a start back if it can't begin the backup, for example shortly after a sharded cluster was created. " + checkStart
		}
		detail = "Ops Manager accepted the request, but after {waited} the backup of cluster {cluster} is {status}. Either the status was changed back, or Ops Manager is slow. The provider does not repeat the request.\n\n" + who + " {next}"
	case e.wanted == opsmanager.StatusStarted && isRefusedForNow(e.err):
		detail = "Ops Manager did not accept a start of the backup of cluster {cluster} for {waited}. " + tf.Sentence(e.err) + "\n\n" +
			"That is usual until the agents of a new cluster have reported to Ops Manager. Check that they run. If they only need more time, set a longer timeout in timeouts. {next}"
	case hasTimedOut && e.wanted == opsmanager.StatusStarted && status != "":
		cause := checkStart
		if len(e.lacking) > 0 {
			cause = fmt.Sprintf("The backup module of the MongoDB Agent does not run on these hosts of the cluster:\n  - %s\n\nActivate it, for example with opsmanager_backup_module. If the modules are active and the backup still does not start: %s",
				strings.Join(e.lacking, "\n  - "), strings.ToLower(checkStart[:1])+checkStart[1:])
		}
		detail = "The backup of cluster {cluster} is still {status} after {waited}. " + cause + "\n\n" + ifSlow
	case hasTimedOut:
		detail = "The backup of cluster {cluster} is not {wanted} after {waited}: " + is + ". " + ifSlow
	case errors.Is(e.err, context.Canceled) && (!called || e.isRequested):
		effect := ""
		if e.isRequested && !isChanging(e.status) {
			effect = "The request for that may have taken effect. "
		}
		detail = "The run was interrupted before the backup of cluster {cluster} was {wanted}. " + effect + "{next}"
	case called && mayLackStores(failed) && e.wanted == opsmanager.StatusStarted:
		detail = tf.Explain(e.err) + "\n\n" + strings.TrimSpace(e.unsuitable+" "+checkStart)
	case e.isRequested && opsmanager.IsNotMonitored(e.err):
		detail = tf.Explain(e.err, notMonitored) + " Before that, Ops Manager accepted a request of this run, and the backup was " + cmp.Or(status, "in no known status") + "."
	default:
		return backupConfigFailure(summary, e.err)
	}
	texts := strings.NewReplacer(
		"{cluster}", cluster,
		"{status}", status,
		"{wanted}", e.wanted,
		"{waited}", waited.String(),
		"{next}", next,
	)
	return diag.NewAttributeErrorDiagnostic(path.Root("status_name"), summary, texts.Replace(detail))
}
