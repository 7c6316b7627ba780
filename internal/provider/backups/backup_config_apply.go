package backups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// backupApply applies the plan of a backup configuration.
type backupApply struct {
	*backupConfigResource
	summary string // the summary of an error

	configured, planned, prior backupConfigModel

	change  opsmanager.BackupConfigChange // the fields to change, other than the status
	live    *opsmanager.BackupConfig      // as last read, or nil
	sent    bool                          // Ops Manager accepted the change
	lost    bool                          // Ops Manager may have accepted the change with a start
	ignored ignoredNamespaces             // in earlier applies and in this one
}

// run makes the planned changes. If the status changes, the other fields are sent while
// the backup does not run: after a stop, before a start, or together with a start from
// INACTIVE, because a change after that start would cost a resync.
func (a *backupApply) run(ctx context.Context, diags *diag.Diagnostics) {
	a.change = fieldChanges(a.planned, a.prior, a.password())
	hasFields := !reflect.ValueOf(a.change).IsZero()
	wanted := ""
	if status := tfmodel.StringPointer(a.planned.StatusName); status != nil && !a.planned.StatusName.Equal(a.prior.StatusName) {
		wanted = *status
	}
	if wanted == opsmanager.StatusStopped && !a.setStatus(ctx, wanted, diags) {
		return
	}
	var before opsmanager.BackupConfig
	if hasFields {
		if !a.waitUntilStable(ctx, diags) {
			return
		}
		before = *a.live
		if wanted != opsmanager.StatusStarted || statusOf(*a.live) != opsmanager.StatusInactive {
			if !a.send(ctx, diags) {
				return
			}
		}
	}
	if wanted == opsmanager.StatusStarted && !a.setStatus(ctx, wanted, diags) {
		return
	}
	if hasFields && !a.sent && !a.lost && !a.send(ctx, diags) { // someone else started the backup
		return
	}
	if !reflect.ValueOf(a.change).IsZero() {
		a.compare(ctx, before, diags)
	}
}

// setStatus brings the backup to a status, and reports whether that succeeded.
func (a *backupApply) setStatus(ctx context.Context, wanted string, diags *diag.Diagnostics) bool {
	live, err := a.reachStatus(ctx, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString(), wanted, a.requestStep)
	if live != nil {
		a.live = live
	}
	var failed *statusError
	if errors.As(err, &failed) {
		a.findMissingModules(ctx, failed)
		diags.Append(failed.diagnostic(a.summary, a.planned.ClusterID.ValueString(), "Apply"))
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
// A start from INACTIVE sends every configured field, and fails if the plan restarts a backup that
// has ended since, because that would be a new backup.
func (a *backupApply) requestStep(ctx context.Context, next step, live opsmanager.BackupConfig) error {
	if next == start && statusOf(live) == opsmanager.StatusInactive && hasRun(a.prior.StatusName.ValueString()) {
		return errEnded
	}
	var change opsmanager.BackupConfigChange
	first := next == start && statusOf(live) == opsmanager.StatusInactive
	if first {
		configured := onlyConfigured(a.configured, a.planned)
		change = fieldChanges(configured, backupConfigModel{}, a.password())
		for attribute, listOf := range namespaceLists {
			list := a.configured.list(attribute)
			empties := list.Equal(a.planned.list(attribute)) && isFullyKnown(list) && len(list.Elements()) == 0
			if empties && (*listOf(&a.change) != nil || isBare(live)) {
				*listOf(&change) = &[]string{}
			}
		}
		change = withOneList(change)
	}
	if next == start {
		change.StorageEngineName = new(cmp.Or(tfmodel.Text(change.StorageEngineName), tfmodel.Text(a.change.StorageEngineName), tfmodel.Text(live.StorageEngineName),
			tfmodel.Text(a.planned.settings().StorageEngineName), defaultStorageEngine))
		change.SyncSource = new(cmp.Or(a.planned.SyncSource.ValueString(), defaultSyncSource))
	}
	change.StatusName = new(requests[next])
	err := a.request(ctx, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString(), live, change)
	a.sent = a.sent || first && err == nil
	a.lost = a.lost || first && opsmanager.MayHaveChanged(err)
	if first && (a.sent || a.lost) {
		projects.AddFirstStart(a.Data, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString())
		// Ops Manager may ignore namespaces that it did not return before.
		a.change.ExcludedNamespaces, a.change.IncludedNamespaces = change.ExcludedNamespaces, change.IncludedNamespaces
	}
	return err
}

// noteFirstStart records that an earlier run has started a backup, if the backup is still PROVISIONING
// and the cluster has no snapshot.
func (r *backupConfigResource) noteFirstStart(ctx context.Context, project, cluster string, live opsmanager.BackupConfig) {
	if statusOf(live) != opsmanager.StatusProvisioning {
		return
	}
	snapshots, err := r.Client.ListClusterSnapshots(ctx, project, cluster, "", opsmanager.Page{})
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

// waitUntilStable waits until the backup is not changing its status, because Ops Manager
// would reject changes until then.
func (a *backupApply) waitUntilStable(ctx context.Context, diags *diag.Diagnostics) bool {
	begin := time.Now()
	err := a.Wait(ctx, func() (bool, error) {
		live, err := a.Client.BackupConfig(ctx, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString())
		if err != nil {
			return false, err
		}
		a.live = live
		return !isChanging(statusOf(*live)), nil
	})
	if err != nil {
		failed := statusError{wanted: "ready for changes", waited: time.Since(begin), err: cmp.Or(timedOut(ctx), err)}
		if a.live != nil {
			failed.status = statusOf(*a.live)
		}
		diags.Append(failed.diagnostic(a.summary, a.planned.ClusterID.ValueString(), "Apply"))
	}
	return err == nil
}

// send sends the change.
func (a *backupApply) send(ctx context.Context, diags *diag.Diagnostics) bool {
	err := a.request(ctx, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString(), *a.live, a.change)
	if err != nil {
		diags.Append(backupConfigFailure(a.summary, err))
		return false
	}
	a.sent = true
	return true
}

// request sends a change of a live backup configuration.
func (r *backupConfigResource) request(ctx context.Context, project, cluster string, live opsmanager.BackupConfig, change opsmanager.BackupConfigChange) error {
	all := func(tfmodel.Field[opsmanager.BackupConfigChange]) bool { return true }
	returned := backupConfigFields.Only(change, all)
	returned.StatusName = change.StatusName
	_, err := tfmodel.Request[opsmanager.BackupConfig]{
		Name: "The backup of cluster " + cluster, Before: live,
		Read: func(ctx context.Context) (*opsmanager.BackupConfig, error) {
			return r.Client.BackupConfig(ctx, project, cluster)
		},
		Differences: func(live opsmanager.BackupConfig) []tfmodel.Difference {
			found := backupConfigDifferences(change, live)
			if !reflect.DeepEqual(change, returned) {
				found = append(found, tfmodel.Difference{}) // in what Ops Manager does not return
			}
			return found
		},
		Send: func(ctx context.Context, _ opsmanager.BackupConfig) (*opsmanager.BackupConfig, error) {
			return r.Client.UpdateBackupConfig(ctx, project, cluster, change)
		},
	}.Do(ctx, r.Client)
	return err
}

// compare compares the change with what Ops Manager returns afterwards. Ignored namespaces
// are a warning. All other differences are errors, including configured fields that Ops
// Manager changed along with the others.
func (a *backupApply) compare(ctx context.Context, before opsmanager.BackupConfig, diags *diag.Diagnostics) {
	var differences []tfmodel.Difference
	agrees := func() bool {
		live, err := a.Client.BackupConfig(ctx, a.planned.ProjectID.ValueString(), a.planned.ClusterID.ValueString())
		if err == nil {
			a.live = live
			differences = tfmodel.Returned(backupConfigDifferences(a.change, *live))
		}
		return err == nil && len(differences) == 0
	}
	if !agrees() {
		a.Settle(ctx, agrees)
	}
	if ctx.Err() != nil && len(differences) > 0 {
		for _, d := range differences {
			diags.Append(d.Adjusted(ctx, ""))
		}
		return
	}
	if a.change.ExcludedNamespaces != nil || a.change.IncludedNamespaces != nil {
		a.ignored = ignoredNamespaces{}
	}
	settings := settingsOf(*a.live)
	for _, d := range differences {
		listOf, isList := namespaceLists[d.Attribute]
		if !isList {
			diags.Append(d.Adjusted(ctx, ""))
			continue
		}
		a.ignored[d.Attribute] = **listOf(&settings)
		diags.AddAttributeWarning(path.Root(d.Attribute), fmt.Sprintf("Namespaces of Cluster %s Ignored", a.planned.ClusterID.ValueString()),
			fmt.Sprintf("The provider sent %s, and Ops Manager returns %s. According to its documentation, it ignores namespaces from feature compatibility version 6.0 on, and backs up all of them. The state keeps what is configured.", d.Wanted, d.Held))
	}
	configured := fieldChanges(onlyConfigured(a.configured, a.planned), backupConfigModel{}, "")
	if a.configured.StatusName.Equal(a.planned.StatusName) && canBeRequested(a.configured.StatusName.ValueString()) {
		configured.StatusName = tfmodel.StringPointer(a.configured.StatusName)
	}
	for _, d := range tfmodel.Returned(backupConfigDifferences(configured, *a.live)) {
		if !isDifferent(differences, d.Attribute) && !isDifferent(backupConfigDifferences(configured, before), d.Attribute) {
			diags.AddAttributeError(path.Root(d.Attribute), "Ops Manager Changed a Configured Value",
				fmt.Sprintf("Ops Manager changed this value along with those that the provider sent:%s\n\nConfigure values that Ops Manager keeps together.", tfmodel.Bulleted([]tfmodel.Difference{{Attribute: d.Attribute, Held: d.Wanted, Wanted: d.Held}})))
		}
	}
}

func isDifferent(differences []tfmodel.Difference, attribute string) bool {
	return slices.ContainsFunc(differences, func(d tfmodel.Difference) bool { return d.Attribute == attribute })
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
	if !endsBackup(a.planned.OnDestroy.ValueString()) {
		state.OnDestroy = a.planned.OnDestroy
	}
	if a.sent {
		state.SyncSource = a.planned.SyncSource
		state.Username, state.Password, state.PasswordWOVersion = a.planned.Username, a.planned.Password, a.planned.PasswordWOVersion
		state.SnapshotStore, state.DeploymentConfigs = a.planned.SnapshotStore, a.planned.DeploymentConfigs
		state.DisableCertificateRevocationCheck = a.planned.DisableCertificateRevocationCheck
	}
	if a.live != nil {
		state = state.refreshed(*a.live, a.ignored)
	}
	return state
}
