package backups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/references"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// backupApply applies the plan of a backup configuration.
type backupApply struct {
	*backupConfigResource
	summary string // the summary of an error

	configured, planned, prior backupConfigModel
	saw                        map[string]string // what the plan saw, by attribute, as effects returns it

	adopted opsmanager.BackupConfigChange // all that the plan of an adoption sets, also what it has not seen to differ

	wanted string                        // the status, if it changes
	change opsmanager.BackupConfigChange // the fields to change, other than the status
	live   *opsmanager.BackupConfig      // as last read, or nil
	sent   bool                          // Ops Manager accepted the change
	lost   bool                          // Ops Manager may have accepted the change, although the request failed
}

// run makes the planned changes. If the status changes, the other fields are sent while
// the backup does not run: after a stop, before a start, or together with a start from
// INACTIVE, because a change after that start would cost a resync.
func (a *backupApply) run(ctx context.Context, diags *diag.Diagnostics) {
	a.change = fieldChanges(a.planned, a.prior, a.password())
	// What the plan has shown is sent also if it is so already: that may be an old value.
	shown := backupConfigFields.Only(a.adopted, func(f tfmodel.Field[opsmanager.BackupConfigChange]) bool { return a.saw[f.Attribute] != "" })
	a.change = withCompanions(withOneList(backupConfigFields.Complete(a.change, shown)), a.planned, a.prior)
	if !a.planned.StatusName.Equal(a.prior.StatusName) {
		a.wanted = a.planned.StatusName.ValueString()
	}
	if a.saw == nil {
		a.saw = effects(a.all(a.change), a.prior.settings())
	}
	hasFields := !reflect.ValueOf(a.change).IsZero()
	if a.wanted == opsmanager.StatusStopped && !a.reach(ctx, a.wanted, diags) {
		return
	}
	var before opsmanager.BackupConfigChange
	if hasFields {
		if !a.reach(ctx, stable, diags) {
			return
		}
		before = settingsOf(*a.live)
		if isFirst := a.wanted == opsmanager.StatusStarted && statusOf(*a.live) == opsmanager.StatusInactive; !isFirst && !a.send(ctx, diags) {
			return
		}
	}
	if a.wanted == opsmanager.StatusStarted && !a.reach(ctx, a.wanted, diags) {
		return
	}
	if hasFields && !a.sent && !a.lost && !a.send(ctx, diags) { // another client started the backup
		return
	}
	if !reflect.ValueOf(a.change).IsZero() {
		a.compare(ctx, before, diags)
	}
}

// reach brings the backup to a status, and reports whether that succeeded.
func (a *backupApply) reach(ctx context.Context, wanted string, diags *diag.Diagnostics) bool {
	live, err := a.reachStatus(ctx, a.planned.ClusterIdentity, wanted, a.refusal(opsmanager.BackupConfigChange{}), a.requestStep)
	if live != nil {
		a.live = live
	}
	var failed *statusError
	if errors.As(err, &failed) {
		a.findMissingModules(ctx, failed)
		summary := a.summary
		if wanted == opsmanager.StatusStarted {
			summary = "Unable to Start the Backup of Cluster " + a.planned.ClusterID.ValueString()
			if e, ok := errors.AsType[*opsmanager.Error](err); ok && mayLackStores(e) {
				reading, cancel := context.WithTimeout(ctx, a.SettleTime)
				failed.unsuitable = references.Unsuitable(reading, a.Client, a.planned.ProjectID.ValueString())
				cancel()
			}
		}
		diags.Append(failed.diagnostic(summary, a.planned.ClusterID.ValueString(), "Apply"))
	}
	return err == nil
}

// findMissingModules finds the hosts without a backup module, if that may be why a backup was not
// STARTED in time. The key needs no more than Project Read Only for that.
func (a *backupApply) findMissingModules(ctx context.Context, failed *statusError) {
	if failed.status != opsmanager.StatusProvisioning || failed.wanted != opsmanager.StatusStarted || timedOut(ctx) == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*a.SettleTime)
	defer cancel()
	failed.lacking = projects.HostsWithoutModule(ctx, a.Client, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString())
}

// requestStep requests a step. A start also sends the storage engine and the sync source.
// A start from INACTIVE sends every configured field.
func (a *backupApply) requestStep(ctx context.Context, next step, live opsmanager.BackupConfig) error {
	var change opsmanager.BackupConfigChange
	isFirst := next == start && statusOf(live) == opsmanager.StatusInactive
	if isFirst {
		change = fieldChanges(onlyConfigured(a.configured, a.planned), backupConfigModel{}, a.password())
		if a.change.ExcludedNamespaces != nil || a.change.IncludedNamespaces != nil { // an empty list replaces only itself
			change.ExcludedNamespaces, change.IncludedNamespaces = a.change.ExcludedNamespaces, a.change.IncludedNamespaces
		}
	}
	fields := change
	if next == start {
		change.StorageEngineName = new(cmp.Or(tfmodel.Text(change.StorageEngineName), tfmodel.Text(a.change.StorageEngineName), tfmodel.Text(live.StorageEngineName),
			tfmodel.Text(a.planned.settings().StorageEngineName), defaultStorageEngine))
		change.SyncSource = new(cmp.Or(a.planned.SyncSource.ValueString(), defaultSyncSource))
	}
	change.StatusName = new(requests[next])
	_, err := a.request(ctx, a.planned.ClusterIdentity, live, change, a.refusal(fields))
	if isFirst && (err == nil || opsmanager.MayHaveChanged(err)) {
		a.sent, a.lost, a.change = a.sent || err == nil, a.lost || err != nil, fields
		projects.AddFirstStart(a.Data, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString())
	}
	return err
}

// all returns the fields of a request, with the others that the apply still changes or adopts, and the status.
func (a *backupApply) all(request opsmanager.BackupConfigChange) opsmanager.BackupConfigChange {
	if !a.sent && !a.lost {
		left := backupConfigFields.Complete(a.change, a.adopted)
		request = withOneList(backupConfigFields.Complete(request, left))
	}
	request.StatusName = a.adopted.StatusName
	if a.wanted != "" {
		request.StatusName = &a.wanted
	}
	return request
}

// refusal returns a function that returns an error if something has changed since the plan that a request or
// the rest of the apply changes.
func (a *backupApply) refusal(request opsmanager.BackupConfigChange) func(live opsmanager.BackupConfig) error {
	return func(live opsmanager.BackupConfig) error {
		return changedSincePlan(a.planned.ClusterID.ValueString(), sincePlan(a.saw, a.all(request), live), "Plan again.")
	}
}

// noteFirstStart records that an earlier run has started a backup, if the backup is still PROVISIONING
// and the cluster has no snapshot.
func (r *backupConfigResource) noteFirstStart(ctx context.Context, project, cluster string, live opsmanager.BackupConfig) {
	if statusOf(live) != opsmanager.StatusProvisioning {
		return
	}
	snapshots, err := opsmanager.Identified(r.Client.ListClusterSnapshots(ctx, project, cluster, "", opsmanager.Page{}))
	if err == nil && len(snapshots.Results) == 0 {
		projects.AddFirstStart(r.Data, project, cluster)
	}
}

const (
	defaultStorageEngine = "WIRED_TIGER"
	defaultSyncSource    = "PRIMARY"
)

func (a *backupApply) password() string {
	return cmp.Or(a.configured.PasswordWO.ValueString(), a.planned.Password.ValueString())
}

// send sends the change.
func (a *backupApply) send(ctx context.Context, diags *diag.Diagnostics) bool {
	response, err := a.request(ctx, a.planned.ClusterIdentity, *a.live, a.change, a.refusal(a.change))
	if err != nil {
		a.lost = opsmanager.MayHaveChanged(err)
		diags.Append(backupConfigFailure(a.summary, err))
		return false
	}
	a.live, a.sent = response, true
	return true
}

// request sends a change of a live backup configuration, and repeats it if that may help. It sends nothing
// if nothing is left to change, or if a value has changed since the plan. It returns the response, or the live
// backup configuration.
func (r *backupConfigResource) request(ctx context.Context, of projects.ClusterIdentity, live opsmanager.BackupConfig, change opsmanager.BackupConfigChange, refusal func(opsmanager.BackupConfig) error) (*opsmanager.BackupConfig, error) {
	returned := backupConfigFields.Only(change, func(tfmodel.Field[opsmanager.BackupConfigChange]) bool { return true })
	returned.StatusName, returned.SyncSource = change.StatusName, change.SyncSource
	isReturned := reflect.DeepEqual(change, returned)
	mayBeDone := change.StatusName != nil // a field that the plan saw differently may have an old value now
	write := func(attempt context.Context, now *opsmanager.BackupConfig) (*opsmanager.BackupConfig, error) {
		now, err := r.asPlanned(ctx, of, now, refusal)
		if err != nil {
			return nil, err
		}
		if mayBeDone && isReturned && len(backupConfigDifferences(change, settingsOf(*now))) == 0 {
			return now, nil
		}
		mayBeDone = true
		step := projects.BeforeChange
		if tfmodel.Text(change.StatusName) == opsmanager.StatusTerminating {
			step = projects.BeforeDeletion
		}
		if err := projects.Guard(ctx, r.Data, of.ProjectID.ValueString(), of.ClusterID.ValueString(), step); err != nil {
			return nil, err
		}
		return r.Client.UpdateBackupConfig(attempt, of.ProjectID.ValueString(), of.ClusterID.ValueString(), change)
	}
	return opsmanager.Change(ctx, r.Client, opsmanager.ObjectBackupConfig, &live, r.reader(of), write)
}

// asPlanned returns a backup configuration, or the error of refusal, which says how it differs from what a plan saw. It
// reads a difference again until the settle time is over: by the documentation, reads may lag behind writes. If ctx ends
// before that, the difference may be an old value.
func (r *backupConfigResource) asPlanned(
	ctx context.Context, of projects.ClusterIdentity, live *opsmanager.BackupConfig, refusal func(opsmanager.BackupConfig) error,
) (*opsmanager.BackupConfig, error) {
	err := refusal(*live)
	if err == nil {
		return live, nil
	}
	r.Settle(ctx, func() bool {
		if later, unread := r.reader(of)(ctx); unread == nil {
			live, err = later, refusal(*later)
		}
		return err == nil
	})
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("the run was interrupted or its time was over while the provider read something that is not as the plan showed it. It may be an old value, so the provider did not change it. Plan again: %w", ctx.Err())
	}
	return live, err
}

func (r *backupConfigResource) reader(of projects.ClusterIdentity) func(context.Context) (*opsmanager.BackupConfig, error) {
	return func(ctx context.Context) (*opsmanager.BackupConfig, error) {
		return r.Client.BackupConfig(ctx, of.ProjectID.ValueString(), of.ClusterID.ValueString())
	}
}

// changedSincePlan returns the error about values that have changed since the plan, or nil if there are none.
func changedSincePlan(cluster string, changed []tfmodel.SincePlan, again string) error {
	if len(changed) == 0 {
		return nil
	}
	text := tfmodel.ChangedSincePlan("The backup configuration of cluster "+cluster, changed, again, "import the backup configuration again")
	return diagnostics.OnAttribute("cluster_id", "Backup Configuration Changed Since the Plan", "%s", text)
}

// compare compares the change with what Ops Manager returns afterwards. A difference is an error, and so
// is a configured field that Ops Manager changed along with the others.
func (a *backupApply) compare(ctx context.Context, before opsmanager.BackupConfigChange, diags *diag.Diagnostics) {
	differences, wasRead, last := notTaken(a.change, *a.live), false, error(nil)
	agrees := func() bool {
		live, err := a.reader(a.planned.ClusterIdentity)(ctx)
		if last = err; err == nil {
			a.live, wasRead = live, true
			differences = notTaken(a.change, *live)
		}
		return err == nil && len(differences) == 0
	}
	a.Settle(ctx, agrees)
	if !wasRead && len(differences) > 0 { // only the response is known, and does not have the new values
		diags.AddError(a.summary, "Ops Manager accepted the change, and the provider has not seen it yet. Run terraform plan.\n\n"+diagnostics.Explain(last))
		return
	}
	for _, d := range differences {
		advice := ""
		if namespaceLists[d.Attribute] != nil {
			advice = "By one page of MongoDB, Ops Manager ignores namespaces from feature compatibility version 6.0 on, and backs up all of them. By another one, Ops Manager 6.0.8 and later supports them from 6.0.1 on."
		}
		if d.Held != "" && ctx.Err() != nil {
			diags.AddAttributeError(path.Root(d.Attribute), "New Value Not Seen Yet",
				strings.TrimSpace(fmt.Sprintf("The provider sent %s for %s. Ops Manager accepted it, but still returned %s when the run was interrupted or its timeout was over. "+
					"Run terraform plan to see which value it has. %s", d.Wanted, d.Attribute, d.Held, advice)))
			continue
		}
		diags.Append(d.Adjusted(advice))
	}
	configured := fieldChanges(onlyConfigured(a.configured, a.planned), backupConfigModel{}, "")
	if a.configured.StatusName.Equal(a.planned.StatusName) && canBeRequested(a.configured.StatusName.ValueString()) {
		configured.StatusName = tfmodel.StringPointer(a.configured.StatusName)
	}
	for _, d := range tfmodel.Returned(backupConfigDifferences(configured, settingsOf(*a.live))) {
		if !tfmodel.Has(differences, d.Attribute) && !tfmodel.Has(backupConfigDifferences(configured, before), d.Attribute) {
			diags.AddAttributeError(path.Root(d.Attribute), "Ops Manager Changed a Configured Value",
				fmt.Sprintf("Ops Manager changed this value along with those that the provider sent:%s\n\nConfigure values that Ops Manager keeps together.", tfmodel.Bulleted([]tfmodel.Difference{{Attribute: d.Attribute, Held: d.Wanted, Wanted: d.Held}})))
		}
	}
}

// notTaken returns the changes that a live backup configuration does not have, or does not say. Some documented
// responses leave out all that is false, and those about an INACTIVE backup most fields: its start sends them again.
func notTaken(change opsmanager.BackupConfigChange, live opsmanager.BackupConfig) []tfmodel.Difference {
	return slices.DeleteFunc(backupConfigDifferences(change, settingsOf(live)), func(d tfmodel.Difference) bool {
		return d.Held == "" && (d.Wanted == "false" && mayLeaveOutFalse(live) || statusOf(live) == opsmanager.StatusInactive)
	})
}

// mayLeaveOutFalse reports whether a response has nothing that is false.
func mayLeaveOutFalse(live opsmanager.BackupConfig) bool {
	isFalse := func(field *bool) bool { return field != nil && !*field }
	return !slices.ContainsFunc([]*bool{
		live.SSLEnabled, live.EncryptionEnabled, live.MultiRegionBackupEnabled, live.MultiRegionMisconfigured, live.Provisioned,
	}, isFalse)
}

// onlyConfigured returns the planned values of the configured attributes. It leaves out
// an attribute if the planned value is not the configured one, because ignore_changes
// keeps the value of the state.
func onlyConfigured(configured, planned backupConfigModel) backupConfigModel {
	planned.Values = maps.Clone(planned.Values)
	for _, f := range backupConfigFields {
		if !configured.Values[f.Attribute].Equal(planned.Values[f.Attribute]) {
			planned.Values[f.Attribute] = f.Value(opsmanager.BackupConfigChange{})
		}
	}
	return planned
}

// stateAfterFailure returns the state after a failed apply: the prior state with the values
// that Ops Manager accepted or returned. If the plan keeps the backup on destroy, so does this
// state.
func (a *backupApply) stateAfterFailure() backupConfigModel {
	state := a.prior
	if !endsBackup(a.planned) {
		state.OnDestroy = a.planned.OnDestroy
	}
	if a.sent {
		state.SyncSource = a.planned.SyncSource
		state.Username, state.Password, state.PasswordWOVersion = a.planned.Username, a.planned.Password, a.planned.PasswordWOVersion
		state.SnapshotStore, state.DeploymentConfigs = a.planned.SnapshotStore, a.planned.DeploymentConfigs
		state.DisableCertificateRevocationCheck = a.planned.DisableCertificateRevocationCheck
	}
	if a.live != nil {
		state = state.refreshed(*a.live)
	}
	if a.sent || a.lost {
		state.Values = a.afterRequest(state.Values)
	}
	return state
}

// afterRequest returns the values of a state after a request that changed some, or may have done so: those that count as
// taken, and none where that is not known and a refresh may not show it.
func (a *backupApply) afterRequest(values tfmodel.Values) tfmodel.Values {
	values = maps.Clone(values)
	held, left := settingsOf(*a.live), notTaken(a.change, *a.live)
	for _, f := range backupConfigFields {
		isLeft := slices.ContainsFunc(left, func(d tfmodel.Difference) bool { return d.Attribute == f.Attribute })
		isMadeFalse := f.Value(a.change).Equal(types.BoolValue(false))
		mayBeLeftOut := f.IsMissing(held) || !a.sent && isMadeFalse && mayLeaveOutFalse(*a.live)
		switch {
		case f.IsMissing(a.change), !mayBeLeftOut:
		case a.sent && !isLeft:
			values[f.Attribute] = f.Value(a.change)
		default:
			values[f.Attribute] = f.Value(opsmanager.BackupConfigChange{})
		}
	}
	return values
}
