package backups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/infrastructure"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// backupApply is a plan of a backup configuration, and its apply.
type backupApply struct {
	*backupConfigResource
	summary string // the summary of an error

	configured, planned, prior backupConfigModel
	project, cluster           string

	changes   backup // what the plan sets
	adopts    bool   // the plan saw what its overwrites say
	isDestroy bool
	stops     bool // the last transition that Ops Manager accepted, or may have accepted, is a stop

	shown []string // the held snapshots that the plan of a termination has shown

	live *backup               // as last read, or nil
	made *change.Write[backup] // the change of the fields, if Ops Manager accepted it, or may have accepted it
	done change.Result[backup] // what it did
	sent bool                  // Ops Manager accepted it
}

// applyOf returns a plan that changes what was before.
func (r *backupConfigResource) applyOf(summary string, configured, planned, before backupConfigModel) *backupApply {
	return &backupApply{
		backupConfigResource: r,
		summary:              summary,
		configured:           configured,
		planned:              planned,
		prior:                before,
		changes:              changesOf(planned, before),
		project:              planned.ProjectID.ValueString(),
		cluster:              planned.ClusterID.ValueString(),
	}
}

// adoptionOf reads the live backup configuration, and returns the apply of its adoption, which sets all that is configured.
func (r *backupConfigResource) adoptionOf(ctx context.Context, configured, planned backupConfigModel) (*backupApply, error) {
	project, cluster := planned.IDs()
	live, err := read(r.Client.BackupConfig(ctx, project, cluster))
	if err != nil {
		return nil, err
	}
	a := r.applyOf(adoptSummary, configured, planned, backupConfigModel{})
	a.prior = adoptedBackupConfig(*live)
	a.live = live
	a.adopts = true
	return a, nil
}

// read returns what Ops Manager holds.
func (a *backupApply) read(ctx context.Context) (*backup, error) {
	return read(a.Client.BackupConfig(ctx, a.project, a.cluster))
}

// allConfigured returns the configured fields. It leaves out a field if the planned value is not the configured one,
// because ignore_changes keeps the value of the state.
func (a *backupApply) allConfigured() backup {
	all := changesOf(a.planned, backupConfigModel{})
	configured := backupConfigFields.Only(all, func(f tf.Field[backup]) bool {
		return a.configured.Values[f.Attribute].Equal(a.planned.Values[f.Attribute])
	})
	return withUnreturned(configured, all)
}

// run makes the planned changes. If the status changes, the other fields are sent while
// the backup does not run: after a stop, before a start, or together with a start from
// INACTIVE, because a change after that start would cost a resync.
func (a *backupApply) run(ctx context.Context, diags *diag.Diagnostics) {
	held := cmp.Or(a.live, new(a.prior.settings()))
	fields := !a.act(noRequest, *held).Step(*held).IsEmpty
	wanted := tf.Text(a.changes.StatusName)
	if wanted == opsmanager.StatusStopped && !a.reach(ctx, wanted, diags) {
		return
	}
	if fields && !a.reach(ctx, stable, diags) {
		return
	}
	isFirst := fields && isFirstStart(lastTransitions[wanted], *a.live)
	if fields && !isFirst && !a.sendFields(ctx, diags) {
		return
	}
	if wanted == opsmanager.StatusStarted && !a.reach(ctx, wanted, diags) {
		return
	}
	if isFirst && a.made == nil && !a.sendFields(ctx, diags) { // another client started the backup
		return
	}
	if a.made != nil {
		a.report(ctx, diags)
	}
}

// reach brings the backup to a status, and reports whether that succeeded.
func (a *backupApply) reach(ctx context.Context, wanted string, diags *diag.Diagnostics) bool {
	failed := a.reachStatus(ctx, wanted)
	if failed == nil {
		return true
	}
	summary := a.summary
	if wanted == opsmanager.StatusStarted {
		summary = "Unable to Start the Backup of Cluster " + a.cluster
		a.findCauses(ctx, failed)
	}
	diags.Append(failed.diagnostic(summary, a.cluster, "Apply"))
	return false
}

// findCauses finds stores that can't be assigned if a start failed because of that, and the hosts without a backup module
// if that may be why it was not done in time. The key needs no more than Project Read Only for that.
func (a *backupApply) findCauses(ctx context.Context, failed *statusError) {
	e, ok := errors.AsType[*opsmanager.Error](failed.err)
	if ok && mayLackStores(e) {
		reading, cancel := context.WithTimeout(ctx, a.SettleTime)
		defer cancel()
		failed.unsuitable = infrastructure.UnsuitableFor(reading, a.Client, a.project)
	}
	if failed.status == opsmanager.StatusProvisioning && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*a.SettleTime)
		defer cancel()
		failed.lacking = projects.HostsWithoutModule(reading, a.Client, a.project, a.cluster)
	}
}

// act returns the change that a transition makes: that of the status, together with every configured field if it starts a
// backup from INACTIVE. A transition that requests none stands for the change of the other fields.
func (a *backupApply) act(next transition, live backup) change.Write[backup] {
	wanted := backup{}
	isFirst := isFirstStart(next, live)
	switch {
	case isFirst:
		wanted = a.allConfigured()
	case next == noRequest:
		wanted = a.changes
	}
	wanted.StatusName = settled(tf.NonEmpty(new(string(next))))
	w := change.Write[backup]{
		Values:      backupValues,
		RefuseDrift: a.refuseChanged,
		Read:        a.read,
		Settle:      a.Settle,
		ReadsCount:  true,
		Saw:         func(backup) backup { return a.prior.settings() },
		Wanted:      wanted,
		Request: func(known, _, left backup) backup {
			if isFirst {
				left = wanted
			}
			return withOneList(withUnreturned(left, wanted), known)
		},
		After: func(live, _ backup) backup { // also after the rest of the apply
			after := wanted
			if a.made == nil {
				after = backupConfigFields.Complete(after, a.changes)
			}
			after.StatusName = a.changes.StatusName
			return withChange(live, after)
		},
		Allow: func(ctx context.Context, _ change.Step[backup]) error {
			if next != terminate {
				return projects.Guard(ctx, a.Data, a.project, a.cluster, projects.BeforeChange)
			}
			if err := a.refuseTermination(ctx); err != nil {
				return err
			}
			return projects.Guard(ctx, a.Data, a.project, a.cluster, projects.BeforeDeletion)
		},
		Send: func(ctx context.Context, of change.Step[backup]) (*backup, error) {
			return read(a.Client.UpdateBackupConfig(ctx, a.project, a.cluster, a.complete(of.Request, next, of.Live).BackupConfigChange))
		},
	}
	if a.adopts {
		w = w.Showing(a.planned.Overwrites, a.overwrites)
	}
	return w
}

// withUnreturned adds to a change what no response has, which is never known to be done, and what it requires.
func withUnreturned(change, wanted backup) backup {
	change.Username = wanted.Username
	change.DisableCertificateRevocationCheck = wanted.DisableCertificateRevocationCheck
	change.SnapshotStore = wanted.SnapshotStore
	change.DeploymentConfigs = wanted.DeploymentConfigs
	if change.DeploymentConfigs != nil {
		change.MultiRegionBackupEnabled = wanted.MultiRegionBackupEnabled
	}
	return change
}

// isFirstStart reports whether a transition starts a backup that has never run, or has ended.
func isFirstStart(next transition, live backup) bool {
	return next == start && live.status() == opsmanager.StatusInactive
}

// complete adds to a request what Ops Manager requires with it: the password of a user, a source to sync from, and for a
// start, the storage engine.
func (a *backupApply) complete(request backup, next transition, live backup) backup {
	if request.Username != nil {
		request.Password = cmp.Or(a.configured.PasswordWO.ValueString(), a.planned.Password.ValueString())
	}
	if next == start || len(resyncs(request, a.prior)) > 0 {
		request.SyncSource = new(cmp.Or(a.planned.SyncSource.ValueString(), "PRIMARY"))
	}
	if next == start {
		request.StorageEngineName = cmp.Or(request.StorageEngineName, a.changes.StorageEngineName, live.StorageEngineName,
			a.planned.settings().StorageEngineName, new("WIRED_TIGER"))
	}
	if next != noRequest {
		request.StatusName = new(string(next))
	}
	return request
}

// makeTransition makes a transition, and remembers what a change of the fields did.
func (a *backupApply) makeTransition(ctx context.Context, next transition, live backup) error {
	w := a.act(next, live)
	isFirst := isFirstStart(next, live)
	made, err := w.Change(ctx, a.Client, opsmanager.ObjectBackupConfig, live)
	isLost := opsmanager.MayHaveChanged(err)
	if err != nil && !isLost {
		return err
	}
	if isFirst {
		projects.AddFirstStart(a.Data, a.project, a.cluster)
	}
	if next != noRequest {
		a.stops = next == stop
	}
	if isFirst || next == noRequest {
		a.made = &w
		a.done = made
		a.sent = a.sent || !isLost
	}
	return err
}

// noteFirstStart records that an earlier run has started a backup, if the backup is still PROVISIONING
// and the cluster has no snapshot.
func (a *backupApply) noteFirstStart(ctx context.Context) {
	if a.live.status() != opsmanager.StatusProvisioning {
		return
	}
	snapshots, err := opsmanager.Identified(a.Client.ListClusterSnapshots(ctx, a.project, a.cluster, "", opsmanager.Page{}))
	if err == nil && len(snapshots.Results) == 0 {
		projects.AddFirstStart(a.Data, a.project, a.cluster)
	}
}

// sendFields sends the fields.
func (a *backupApply) sendFields(ctx context.Context, diags *diag.Diagnostics) bool {
	if err := a.makeTransition(ctx, noRequest, *a.live); err != nil {
		diags.Append(backupConfigFailure(a.summary, err))
		return false
	}
	a.live = &a.done.Returned
	return true
}

// read returns what a response says that Ops Manager holds.
func read(response *opsmanager.BackupConfig, err error) (*backup, error) {
	if err != nil {
		return nil, err
	}
	return new(settingsOf(*response)), nil
}

// refuseChanged returns the error about values that have changed since the plan, or nil if there are none. For a destroy,
// that is only the status of a backup that has gone back, such as one that was started again.
func (a *backupApply) refuseChanged(next change.Step[backup], drifts []change.Drift) error {
	replan := "Plan again."
	if a.isDestroy {
		replan = tf.RefreshFirst
		drifts = nil
		if isCloserToEnd(a.prior.settledStatus(), tf.Text(next.Live.StatusName)) {
			drifts = []change.Drift{{Attribute: statusName, Saw: a.prior.StatusName.ValueString()}}
		}
	}
	if len(drifts) == 0 {
		return nil
	}
	for i, v := range drifts {
		if v.Attribute == statusName {
			drifts[i].Is = next.Live.status()
		}
	}
	text := change.SincePlan("The backup configuration of cluster "+a.cluster, drifts, replan, "import the backup configuration again")
	return tf.OnAttribute("cluster_id", "Backup Configuration Changed Since the Plan", "%s", text)
}

// report adds an error for each sent value that Ops Manager did not take, or does not return, and for each configured one
// that it changed along with the others.
func (a *backupApply) report(ctx context.Context, diags *diag.Diagnostics) {
	a.done.Returned = *a.live
	a.done = a.made.Check(ctx, a.done)
	a.live = &a.done.Returned
	if a.done.Unread != nil && len(a.done.NotTaken) > 0 { // only the response is known, and does not have the new values
		diags.AddError(a.summary, "Ops Manager accepted the change, and the provider has not seen it yet. Run terraform plan.\n\n"+tf.Explain(a.done.Unread))
		return
	}
	for _, d := range a.done.NotTaken {
		advice := ""
		if otherList[d.Attribute] != "" {
			advice = "By one page of MongoDB, Ops Manager ignores namespaces from feature compatibility version 6.0 on, and backs up all of them. By another one, Ops Manager 6.0.8 and later supports them from 6.0.1 on."
		}
		if d.Held != "" && ctx.Err() != nil {
			diags.AddAttributeError(path.Root(d.Attribute), "New Value Not Seen Yet",
				strings.TrimSpace(fmt.Sprintf("The provider sent %s for %s. Ops Manager accepted it, but still returned %s when the run was interrupted or its timeout was over. "+
					"Run terraform plan to see which value it has. %s", d.Wanted, d.Attribute, opsmanager.Sanitize(d.Held), advice)))
			continue
		}
		diags.Append(d.Adjusted(advice))
	}
	configured := a.allConfigured()
	if a.configured.StatusName.Equal(a.planned.StatusName) && canBeRequested(a.configured.StatusName.ValueString()) {
		configured.StatusName = tf.StringPointer(a.configured.StatusName)
	}
	for _, d := range a.done.ChangedAlong {
		if text := backupValues.Text(d.Attribute, configured); text != "" && text != d.Wanted {
			diags.AddAttributeError(path.Root(d.Attribute), "Ops Manager Changed a Configured Value",
				fmt.Sprintf("Ops Manager changed this value along with those that the provider sent:%s\n\nConfigure values that Ops Manager keeps together.", tf.Bulleted([]tf.Difference{d})))
		}
	}
}

// stateAfterFailure returns the state after a failed apply: the prior state with the values
// that Ops Manager accepted or returned. If the plan keeps the backup on destroy, so does this
// state.
func (a *backupApply) stateAfterFailure() backupConfigModel {
	state := a.prior
	request := a.done.Request
	if !endsBackup(a.planned) {
		state.OnDestroy = a.planned.OnDestroy
	}
	state.unreturned = state.without(request)
	if a.sent {
		state.unreturned = a.planned.unreturned
	}
	if a.live != nil {
		state = state.refreshed(*a.live)
	}
	for _, f := range backupConfigFields { // none where a refresh may not show what is not known
		if f.IsMissing(request) {
			continue
		}
		isShown := !f.IsMissing(*a.live)
		mayBeHidden := !a.sent && mayHide(*a.live, backupValues.Text(f.Attribute, request))
		switch {
		case isShown && !mayBeHidden:
		case a.sent && !tf.Has(a.done.NotTaken, f.Attribute):
			state.Values[f.Attribute] = f.Value(request)
		default:
			state.Values[f.Attribute] = f.Value(backup{})
		}
	}
	return state
}

// without returns the values without those of a request that may have taken effect. So the next plan sets them, whether the
// configuration stays or is reverted.
func (u unreturned) without(request backup) unreturned {
	if request.Username != nil {
		u.Username = types.StringNull()
		u.Password = types.StringNull()
		u.PasswordWOVersion = types.Int64Null()
	}
	if request.SnapshotStore != nil {
		u.SnapshotStore = types.ObjectNull(u.SnapshotStore.AttributeTypes(context.Background()))
	}
	if request.DeploymentConfigs != nil {
		u.DeploymentConfigs = types.SetNull(u.DeploymentConfigs.ElementType(context.Background()))
	}
	if request.DisableCertificateRevocationCheck != nil {
		u.DisableCertificateRevocationCheck = types.BoolNull()
	}
	return u
}

// overwritesTypes are the types of overwrites: a text for each value that Ops Manager returns.
var overwritesTypes = tf.OverwritesOf(settableFields.Attributes())

// previewedOverwrites returns what an adoption overwrites. What depends on a value that is not known yet is unknown.
func (a *backupApply) previewedOverwrites() types.Object {
	changed := a.overwrites(*a.live)
	return overwritesTypes.Object(changed, func(name string) bool {
		isOtherUnknown := otherList[name] != "" && a.configured.isUnknown(otherList[name])
		isSet := changed[name] != "" || len(a.prior.list(name).Elements()) > 0 || !a.configured.Values[name].IsNull()
		mayBeReplaced := isOtherUnknown && isSet
		mayFollow := name == multiRegionEnabled && a.configured.Values[name].IsNull() && a.configured.DeploymentConfigs.IsUnknown()
		return a.configured.isUnknown(name) || mayBeReplaced || mayFollow
	})
}

// overwrites returns the old and the new value of all that an adoption changes on a live backup configuration, by
// attribute. Texts are as Ops Manager has them.
func (a *backupApply) overwrites(live backup) map[string]string {
	w := a.act(noRequest, live)
	w.Saw = func(live backup) backup { return live }
	return tf.OverwritesIn(w.Step(live).Changes)
}
