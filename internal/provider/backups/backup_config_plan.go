package backups

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/references"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// ModifyPlan plans the changes of an apply, and warns about their costs.
func (r *backupConfigResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var configured, planned, prior backupConfigModel
	if !req.State.Raw.IsNull() {
		r.read(ctx, req.State, &prior, &resp.Diagnostics)
	}
	defer r.nameCluster(ctx, &prior, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		r.planDestroy(prior, &resp.Diagnostics)
		return
	}
	defer r.nameCluster(ctx, &configured, &resp.Diagnostics)
	r.read(ctx, req.Config, &configured, &resp.Diagnostics)
	r.read(ctx, req.Plan, &planned, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if status := configured.StatusName; (status.IsUnknown() || status.ValueString() == opsmanager.StatusStarted) && !status.Equal(prior.StatusName) {
		projects.PlanStart(r.Data, configured.ProjectID.ValueString(), configured.ClusterID.ValueString())
	}
	if refused := refusedStatus(configured, prior); refused != nil {
		resp.Diagnostics.Append(refused)
		return
	}
	if req.State.Raw.IsNull() {
		tfmodel.WritePrivate(ctx, resp.Private, createdKey, true, &resp.Diagnostics)
		var replaced replacedBackup
		if tfmodel.ReadPrivate(ctx, req.Private, replacedKey, &replaced, &resp.Diagnostics) && replaced.wouldEnd(configured) {
			resp.Diagnostics.Append(replacementWouldEndBackup(replaced.ClusterID, replaced.OnDestroy))
			return
		}
		r.planCreation(ctx, configured, &planned, &resp.Diagnostics)
		resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, planned)...)
		return
	}
	// Terraform plans the creation half of a replacement without the state. The private
	// data tells that plan what is replaced.
	tfmodel.WritePrivate(ctx, resp.Private, replacedKey, replacedBackup{prior.ProjectID.ValueString(), prior.ClusterID.ValueString(), prior.OnDestroy.ValueString()}, &resp.Diagnostics)
	if !planned.ProjectID.Equal(prior.ProjectID) || !planned.ClusterID.Equal(prior.ClusterID) {
		if onDestroy := prior.OnDestroy.ValueString(); onDestroy == terminateOnDestroy || endsBackup(onDestroy) && mayBeSame(planned, prior) {
			resp.Diagnostics.Append(replacementWouldEndBackup(prior.ClusterID.ValueString(), onDestroy))
			return
		}
		r.planDestroy(prior, &resp.Diagnostics)
		r.planCreation(ctx, configured, &planned, &resp.Diagnostics)
		return
	}
	before := r.registry().Plan(prior.key(), func(b *plannedBackup) { b.managed = true })
	if before.ended {
		resp.Diagnostics.Append(endedAndManaged(prior.ClusterID.ValueString()))
		return
	}
	if before.managed {
		resp.Diagnostics.Append(managedTwice(prior.ClusterID.ValueString()))
	}
	planned = plannedBackupConfig(configured, planned, prior)
	var ran bool
	tfmodel.ReadPrivate(ctx, req.Private, ranKey, &ran, &resp.Diagnostics)
	warnUpdate(configured, planned, prior, ran, &resp.Diagnostics)
	r.warnMissingStore(ctx, planned, prior, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, &resp.Plan, planned)...)
}

// nameCluster adds the name of the cluster to its ID in diagnostics.
func (r *backupConfigResource) nameCluster(ctx context.Context, m *backupConfigModel, diags *diag.Diagnostics) {
	projects.NameCluster(ctx, r.Data, m.ProjectID.ValueString(), m.ClusterID.ValueString(), false, diags)
}

// refusedStatus returns an error if the configured status can't be requested. Terraform also
// generates configurations for an import, with the status of that moment. They are accepted while
// the backup has that status. A transition to a different status is left alone afterwards: an error
// would block the plans of all other backups.
func refusedStatus(configured, prior backupConfigModel) diag.Diagnostic {
	status := configured.StatusName.ValueString()
	if status == "" || canBeRequested(status) || configured.StatusName.Equal(prior.StatusName) || isChanging(status) && !prior.StatusName.IsNull() {
		return nil
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("status_name"), fmt.Sprintf("Backup Cannot Be Set to %s", status),
		fmt.Sprintf("Ops Manager has no request for %[1]s. The provider accepts it only as long as the backup is %[1]s, because Terraform generates such a configuration for an import. "+
			"Remove status_name, or set it to STARTED or STOPPED. To terminate a backup, set on_destroy = \"terminate\", apply, and then destroy the resource.", status))
}

func (r *backupConfigResource) registry() *connection.Registry[projects.ClusterIdentity, plannedBackup] {
	return backupRegistry.Of(r.Data)
}

// planCreation fails if a resource in the state would end the backup that this one
// adopts: a tainted resource, or one whose address was changed without a moved block.
// Otherwise it previews the adoption.
func (r *backupConfigResource) planCreation(ctx context.Context, configured backupConfigModel, planned *backupConfigModel, diags *diag.Diagnostics) {
	before := r.registry().Plan(configured.key(), func(b *plannedBackup) { b.managed = true })
	switch {
	case before.ended && configured.hasUnknownID():
		diags.Append(unknownAdoption())
		return
	case before.ended, endsBackup(before.onDestroy):
		diags.Append(endedAndManaged(configured.ClusterID.ValueString()))
		return
	case before.managed && !configured.hasUnknownID():
		diags.Append(managedTwice(configured.ClusterID.ValueString()))
	}
	if !configured.DeploymentConfigs.IsNull() && configured.Values[multiRegionEnabled].IsNull() {
		planned.Values[multiRegionEnabled] = types.BoolValue(true)
	}
	r.previewAdoption(ctx, configured, *planned, diags)
}

// planDestroy warns how destroying a resource affects its backup. It fails if another
// resource, or another object of this one, manages the backup, or may manage it because an
// ID is unknown.
func (r *backupConfigResource) planDestroy(prior backupConfigModel, diags *diag.Diagnostics) {
	if !endsBackup(prior.OnDestroy.ValueString()) {
		warnDestroy(prior, diags)
		return
	}
	var managed, mayBeManaged bool
	for i, key := range prior.possibleKeys() {
		before := r.registry().Plan(key, func(b *plannedBackup) { b.ended = true })
		managed = managed || before.managed && i == 0
		mayBeManaged = mayBeManaged || before.managed
	}
	switch {
	case managed:
		diags.Append(endedAndManaged(prior.ClusterID.ValueString()))
	case mayBeManaged:
		diags.Append(unknownAdoption())
	default:
		warnDestroy(prior, diags)
	}
}

// endsBackup reports whether a destroy ends the backup.
func endsBackup(onDestroy string) bool {
	return onDestroy == stopOnDestroy || onDestroy == terminateOnDestroy
}

// endedAndManaged returns the error for a plan that ends a backup with one object and
// manages it with another.
func endedAndManaged(cluster string) diag.Diagnostic {
	return diagnostics.EndedAndManaged(path.Root("on_destroy"), "Backup Ended and Managed in One Plan", "backup_config",
		fmt.Sprintf("ends the backup of cluster %s, because of on_destroy", cluster), "backup")
}

// managedTwice returns the warning about two resources that manage one backup.
func managedTwice(cluster string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("cluster_id"), fmt.Sprintf("Backup of Cluster %s in Two Resources", cluster),
		"Two resources of this plan manage this backup. If they configure different values, each apply changes them again, and the on_destroy of either one ends the backup for both. "+
			"Keep only one of them. If you renamed the resource, add a moved block.")
}

// unknownAdoption returns the error for a plan that ends a backup and adopts one with an
// unknown ID.
func unknownAdoption() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("cluster_id"), "Backup to Adopt Is Not Known Yet",
		"This plan ends a backup, because of on_destroy in the Terraform state, and adopts one whose project_id or cluster_id is only known after apply. "+
			"If both are the same backup, it would end although the configuration still manages it.\n\n"+
			"If you renamed the resource, add a moved block.\n\n"+
			"Otherwise use IDs that are known when you plan: write the IDs themselves, or first apply what they depend on with -target. "+
			"To keep the backup, set on_destroy = \"keep\" and apply before you remove the resource.")
}

// replacedKey is the key of the private data of a plan that stores the backup that a
// replacement destroys.
const replacedKey = "replaced"

type replacedBackup struct {
	ProjectID string `json:"project_id"`
	ClusterID string `json:"cluster_id"`
	OnDestroy string `json:"on_destroy"`
}

// createdKey is the key of the private data of a plan without a state. Terraform passes it to Delete
// if the plan is the creation half of a replacement. If that has no replacedKey, the resource is
// tainted, and no plan has shown the provider what is destroyed.
const createdKey = "created"

// wouldEnd reports whether the configuration is that of the replaced backup itself, which the
// replacement would then end.
func (b replacedBackup) wouldEnd(configured backupConfigModel) bool {
	return strings.EqualFold(b.ProjectID, configured.ProjectID.ValueString()) && strings.EqualFold(b.ClusterID, configured.ClusterID.ValueString()) &&
		endsBackup(b.OnDestroy)
}

// replacementWouldEndBackup returns the error for a replacement that would stop or terminate a backup.
func replacementWouldEndBackup(cluster, onDestroy string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("on_destroy"), "Replacement Would End the Backup",
		fmt.Sprintf("Replacing this resource destroys it, which ends the backup of cluster %[2]s because of on_destroy = %[1]q in the Terraform state. "+
			"Set on_destroy = \"keep\" and apply first. To end the backup, destroy the resource. If this error stops that, run 'terraform destroy -refresh=false'.\n\n"+
			"If the resource is tainted, run 'terraform untaint ADDRESS'.\n\n"+
			"Terraform also plans a replacement if an ID is not known yet, even if it turns out to be the same. Use an ID that is known when you plan.", onDestroy, cluster))
}

// hasUnknownID reports whether the backup of a configuration is not known yet.
func (m backupConfigModel) hasUnknownID() bool {
	return m.ProjectID.IsUnknown() || m.ClusterID.IsUnknown()
}

// mayBeSame reports whether the unknown IDs of a plan may turn out to be those of the state.
func mayBeSame(planned, prior backupConfigModel) bool {
	return (planned.ProjectID.IsUnknown() || planned.ProjectID.Equal(prior.ProjectID)) && (planned.ClusterID.IsUnknown() || planned.ClusterID.Equal(prior.ClusterID))
}

// otherAlias says what a plan that ends a backup can't see: each provider configuration has its own
// process, and Ops Manager records nothing that would tell.
const otherAlias = "The provider can't see whether a resource with a different provider alias still manages this backup. If you renamed the resource, add a moved block."

// warnDestroy warns how destroying a resource affects its backup.
func warnDestroy(prior backupConfigModel, diags *diag.Diagnostics) {
	cluster := prior.ClusterID.ValueString()
	switch prior.OnDestroy.ValueString() {
	case terminateOnDestroy:
		diags.AddAttributeWarning(path.Root("on_destroy"), fmt.Sprintf("Backup of Cluster %s Will Be Terminated", cluster),
			fmt.Sprintf("Destroying this resource stops and terminates the backup: all snapshots of cluster %s are deleted. They cannot be recovered. "+
				"To keep them, set on_destroy = \"keep\" and apply that first. "+otherAlias, cluster))
	case stopOnDestroy:
		diags.AddAttributeWarning(path.Root("on_destroy"), fmt.Sprintf("Backup of Cluster %s Will Be Stopped", cluster),
			"Destroying this resource stops the backup. "+costOfStop+" "+otherAlias)
	default:
		diags.AddWarning("Backup Configuration Removed Only From the State",
			fmt.Sprintf("on_destroy in the Terraform state is \"keep\", so destroying this resource sends no request, and Ops Manager keeps the backup configuration of cluster %s and its status. "+
				"To end the backup, set on_destroy and apply that before you destroy.", cluster))
	}
}

const (
	costOfStop = "Ops Manager takes no snapshots until the backup is started again. " +
		"Existing snapshots are kept until they expire or, in some versions, until the restarted backup has completed a snapshot."
	costOfRestart = "After a gap, Ops Manager may sync the backup in full. Some versions delete the old snapshots once the restarted backup has completed a snapshot."
)

// plannedBackupConfig returns the planned model of an update: the configured values, and
// the state for the rest. The values that Ops Manager sets along with a change are
// unknown.
func plannedBackupConfig(configured, planned, prior backupConfigModel) backupConfigModel {
	planned.StatusName = tfmodel.ConfiguredOrPrior(configured.StatusName, prior.StatusName)
	if cannotStop(configured, prior) || isChanging(configured.StatusName.ValueString()) {
		planned.StatusName = prior.StatusName
	}
	starts := !planned.StatusName.Equal(prior.StatusName) && (planned.StatusName.IsUnknown() || planned.StatusName.ValueString() == opsmanager.StatusStarted)
	values := maps.Clone(planned.Values)
	planned.Values = values
	backupConfigFields.Keep(values, configured.Values, prior.Values)
	for _, f := range backupConfigFields {
		switch value := values[f.Attribute]; {
		case value.Equal(prior.Values[f.Attribute]) && f.IsList():
			values[f.Attribute] = prior.Values[f.Attribute] // in the same order
		case starts && value.IsNull():
			values[f.Attribute] = unknownLike(value)
		}
	}
	for _, pair := range [][2]string{{excludedNamespaces, includedNamespaces}, {includedNamespaces, excludedNamespaces}} {
		changed, other := pair[0], pair[1]
		if !values[changed].Equal(prior.Values[changed]) && configured.Values[other].IsNull() && prior.mayHaveElements(other) {
			values[other] = types.SetUnknown(types.StringType)
		}
	}
	assigns := !planned.DeploymentConfigs.IsNull() && !planned.DeploymentConfigs.Equal(prior.DeploymentConfigs)
	if assigns && configured.Values[multiRegionEnabled].IsNull() {
		values[multiRegionEnabled] = types.BoolValue(true)
	}
	values[provisioned], values[multiRegionMisconfigured] = prior.Values[provisioned], prior.Values[multiRegionMisconfigured]
	if starts {
		values[provisioned] = types.BoolUnknown()
	}
	if starts || assigns || !values[multiRegionEnabled].Equal(prior.Values[multiRegionEnabled]) {
		values[multiRegionMisconfigured] = types.BoolUnknown()
	}
	return planned
}

// unknownLike returns an unknown value of the type of a text or a Boolean value. A list stays as it is.
func unknownLike(value attr.Value) attr.Value {
	switch value.(type) {
	case types.String:
		return types.StringUnknown()
	case types.Bool:
		return types.BoolUnknown()
	}
	return value
}

// mayHaveElements reports whether a list of the state has elements or has never been read.
func (m backupConfigModel) mayHaveElements(attribute string) bool {
	return m.list(attribute).IsNull() || len(m.list(attribute).Elements()) > 0
}

// cannotStop reports whether a configuration stops a backup that was terminated outside
// Terraform.
func cannotStop(configured, prior backupConfigModel) bool {
	status := prior.StatusName.ValueString()
	return configured.StatusName.ValueString() == opsmanager.StatusStopped && (status == opsmanager.StatusInactive || status == opsmanager.StatusTerminating)
}

// warnUpdate warns about the costs of an update. ran tells whether this state has seen the backup
// run: only then has an INACTIVE one ended.
func warnUpdate(configured, planned, prior backupConfigModel, ran bool, diags *diag.Diagnostics) {
	cluster, status := planned.ClusterID.ValueString(), opsmanager.Sanitize(prior.StatusName.ValueString())
	starts := planned.StatusName.ValueString() == opsmanager.StatusStarted
	switch isTerminating := status == opsmanager.StatusTerminating; {
	case cannotStop(configured, prior) && (ran || isTerminating):
		diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Backup of Cluster %s Has Ended", cluster),
			fmt.Sprintf("The backup is %s, so it cannot be stopped, and its snapshots are deleted. The plan leaves it as it is. Remove status_name, or set it to STARTED.", status))
	case cannotStop(configured, prior):
		diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Backup of Cluster %s Cannot Be Stopped", cluster),
			fmt.Sprintf("The backup is %s, so it cannot be stopped. The plan leaves it as it is. Remove status_name, or set it to STARTED.", status))
	case starts && isTerminating:
		diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("New Backup of Cluster %s", cluster),
			"The backup is TERMINATING, which deletes its snapshots. The apply waits for that, and then starts a new backup, with a full sync.")
	case starts && status == opsmanager.StatusInactive && ran:
		diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("New Backup of Cluster %s", cluster),
			"The backup is INACTIVE: it was terminated outside of Terraform, and its snapshots are deleted. The apply starts a new one, with a full sync.")
	case isChanging(configured.StatusName.ValueString()) && !configured.StatusName.Equal(planned.StatusName):
		diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Status of the Backup of Cluster %s Ignored", cluster),
			fmt.Sprintf("status_name is %s, a transition that Ops Manager can't be asked for. The backup is %s, and the plan leaves it as it is. Remove status_name, or set it to STARTED or STOPPED.", configured.StatusName.ValueString(), status))
	}
	warnImpossible(configured, prior, diags)
	warnCosts(planned, prior, diags)
	if planned.OnDestroy.ValueString() == terminateOnDestroy && prior.OnDestroy.ValueString() != terminateOnDestroy {
		warnTerminate(planned.ClusterID, diags)
	}
}

// warnImpossible warns that an apply will fail because the provider doesn't know the status of a
// backup, unless it changes before.
func warnImpossible(configured, prior backupConfigModel, diags *diag.Diagnostics) {
	wanted, status := configured.StatusName.ValueString(), prior.StatusName.ValueString()
	if !canBeRequested(wanted) || cannotStop(configured, prior) || nextStep(status, wanted) != impossible {
		return
	}
	is := "Ops Manager did not return the status of this backup"
	if status != "" {
		is = "The backup is " + opsmanager.Sanitize(status) + ", which the provider doesn't know"
	}
	diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Unknown Status of the Backup of Cluster %s", configured.ClusterID.ValueString()),
		fmt.Sprintf("%s. If that is still so in the apply, the provider can't set it to %s, and the apply fails. Check the backup in Ops Manager, or remove status_name.", is, wanted))
}

func warnTerminate(cluster types.String, diags *diag.Diagnostics) {
	which := "Cluster " + cluster.ValueString()
	if cluster.IsUnknown() {
		which = "a Cluster With an Unknown ID"
	}
	diags.AddAttributeWarning(path.Root("on_destroy"), "Destroy Deletes All Snapshots of "+which,
		"With on_destroy = \"terminate\", destroying this resource, or removing it from the configuration, deletes all snapshots of the cluster. They cannot be recovered.")
}

// warnCosts warns how the changes of a plan affect snapshots and the load on the cluster.
func warnCosts(planned, prior backupConfigModel, diags *diag.Diagnostics) {
	cluster := planned.ClusterID.ValueString()
	status := prior.StatusName.ValueString()
	if wanted := planned.StatusName; !wanted.Equal(prior.StatusName) {
		switch {
		case wanted.ValueString() == opsmanager.StatusStopped:
			diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Backup of Cluster %s Will Be Stopped", cluster), costOfStop)
		case wanted.ValueString() == opsmanager.StatusStarted && status == opsmanager.StatusStopped:
			diags.AddAttributeWarning(path.Root("status_name"), fmt.Sprintf("Backup of Cluster %s Will Be Restarted", cluster), costOfRestart)
		}
	}
	change := fieldChanges(planned, prior, "")
	running := status != opsmanager.StatusInactive
	if reasons := resyncs(change, prior); len(reasons) > 0 && running {
		diags.AddWarning(fmt.Sprintf("Backup of Cluster %s Will Be Resynced", cluster),
			fmt.Sprintf("Ops Manager syncs the backup again in full, because %s. That puts load on the cluster, and no snapshots are taken until it is done.", strings.Join(reasons, " and ")))
	}
	if change.SnapshotStore != nil && running {
		diags.AddAttributeWarning(path.Root("snapshot_store"), fmt.Sprintf("New Snapshot Store for Cluster %s", cluster),
			"The first snapshot in the new store is a full one. Existing snapshots stay in the old store until they expire.")
	}
	if moved := movedMembers(planned, prior); len(moved) > 0 {
		diags.AddAttributeWarning(path.Root("deployment_configs"), fmt.Sprintf("New Region for the Backup of Cluster %s", cluster),
			fmt.Sprintf("The plan moves %s to a different deployment region. Ops Manager documents that a region cannot be changed: the backup has to be stopped, terminated, which deletes its snapshots, and started again. "+
				"The change is sent as it is, and Ops Manager may reject it.", strings.Join(moved, ", ")))
	}
}

// movedMembers returns the replica sets that a plan assigns to a different region.
func movedMembers(planned, prior backupConfigModel) (moved []string) {
	if !isFullyKnown(planned.DeploymentConfigs) {
		return nil
	}
	before := deploymentConfigsToAPI(prior.DeploymentConfigs)
	for _, after := range deploymentConfigsToAPI(planned.DeploymentConfigs) {
		if slices.ContainsFunc(before, func(b opsmanager.DeploymentConfig) bool {
			return b.RSID == after.RSID && b.DeploymentID != after.DeploymentID
		}) {
			moved = append(moved, after.RSID)
		}
	}
	return moved
}

// previewAdoption warns about the values that creating the resource overwrites, and about the
// costs. It fails if the apply is certain to fail.
func (r *backupConfigResource) previewAdoption(ctx context.Context, configured, planned backupConfigModel, diags *diag.Diagnostics) {
	cluster := configured.ClusterID.ValueString()
	if configured.OnDestroy.ValueString() == terminateOnDestroy {
		warnTerminate(configured.ClusterID, diags)
	}
	if r.Data == nil || r.Client == nil || configured.hasUnknownID() {
		return
	}
	live, err := r.Client.BackupConfig(ctx, configured.ProjectID.ValueString(), cluster)
	switch {
	case isNotMonitored(err) && r.isUnknownCluster(ctx, configured, err):
		diags.AddAttributeError(path.Root("cluster_id"), adoptSummary,
			fmt.Sprintf("Project %s has no cluster %s, so there is no backup to adopt. Ops Manager chooses these IDs, so no other resource of this plan can create the cluster under this ID. "+
				"Check both IDs, and that they belong together. If the cluster was removed, remove this resource. %s", configured.ProjectID.ValueString(), cluster, diagnostics.Sentence(err)))
		return
	case isNotMonitored(err):
		diags.AddWarning("No Preview of a Backup",
			fmt.Sprintf("The plan does not show which live values of the backup of cluster %s the apply overwrites. %s", cluster, diagnostics.Explain(err, projects.ClusterCodes)))
		return
	case err != nil:
		diags.Append(backupConfigFailure("Unable to Preview Backup Configuration", err))
		return
	}
	if r.refusePart(ctx, adoptSummary, configured, diags) {
		return
	}
	r.noteFirstStart(ctx, configured.ProjectID.ValueString(), cluster, *live)
	prior := adoptedBackupConfig(*live)
	if cannotStop(configured, prior) {
		diags.Append((&statusError{wanted: opsmanager.StatusStopped, status: statusOf(*live), err: errNoWay}).diagnostic(adoptSummary, cluster, "Apply"))
		return
	}
	warnImpossible(configured, prior, diags)
	change := fieldChanges(planned, prior, "")
	change.StatusName = tfmodel.StringPointer(configured.StatusName)
	if configured.StatusName.ValueString() == opsmanager.StatusStarted {
		switch statusOf(*live) {
		case opsmanager.StatusInactive: // a first start, or a new backup, has nothing to overwrite
			change = opsmanager.BackupConfigChange{}
		case opsmanager.StatusProvisioning:
			change.StatusName = nil
		}
	}
	if overwritten := backupConfigDifferences(change, *live); len(overwritten) > 0 {
		diags.AddWarning(fmt.Sprintf("Live Backup Configuration of Cluster %s Overwritten", cluster),
			"Creating this resource adopts the backup configuration that exists, and changes:"+tfmodel.Bulleted(overwritten))
	}
	if configured.StatusName.IsNull() {
		planned.StatusName = prior.StatusName
	}
	warnCosts(planned, prior, diags)
	r.warnMissingStore(ctx, planned, prior, diags)
}

// warnMissingStore warns if a plan changes the snapshot store to one that does not exist.
func (r *backupConfigResource) warnMissingStore(ctx context.Context, planned, prior backupConfigModel, diags *diag.Diagnostics) {
	if r.Client == nil || !isFullyKnown(planned.SnapshotStore) || planned.SnapshotStore.Equal(prior.SnapshotStore) {
		return
	}
	wanted := snapshotStoreToAPI(planned.SnapshotStore)
	if missing := (references.Store{Type: wanted.Type, ID: wanted.ID}).Find(ctx, r.Data).Missing; missing != "" {
		diags.AddAttributeWarning(path.Root("snapshot_store"), fmt.Sprintf("No Such Snapshot Store for Cluster %s", planned.ClusterID.ValueString()),
			"Ops Manager has no store "+missing+". Correct the ID or the type. If this apply creates the store, refer to its resource: otherwise, the plan doesn't know that. Nor does it know a resource with a different provider alias.")
	}
}

// isUnknownCluster reports whether Ops Manager has no such cluster, after it returned that there is
// no backup configuration.
func (r *backupConfigResource) isUnknownCluster(ctx context.Context, m backupConfigModel, err error) bool {
	if hasCode(err, "CLUSTER_NOT_FOUND") {
		return true
	}
	_, err = r.Client.Cluster(ctx, m.ProjectID.ValueString(), m.ClusterID.ValueString())
	return opsmanager.IsGone(err)
}

// refusePart adds an error if the cluster is a shard or the config servers of a sharded
// cluster, because only the whole cluster has a backup of its own.
func (r *backupConfigResource) refusePart(ctx context.Context, summary string, m backupConfigModel, diags *diag.Diagnostics) bool {
	project, cluster := m.ProjectID.ValueString(), m.ClusterID.ValueString()
	part, err := r.Client.Cluster(ctx, project, cluster)
	if err != nil || opsmanager.WholeClusters([]opsmanager.Cluster{*part})(*part) {
		return false // if the cluster is a part, the apply fails
	}
	detail := fmt.Sprintf("Cluster %s is a part of a sharded cluster, whose backup is managed as a whole. Use the ID of the sharded cluster.", cluster)
	if all, err := r.Client.ListClusters(ctx, project); err == nil {
		if whole := projects.WholeOf(all.Results, cluster); whole != nil && whole.ID != nil && whole.Name() != nil {
			detail = fmt.Sprintf("Cluster %s is a part of the sharded cluster %s, whose backup is managed as a whole. Use the ID of that cluster: %s.",
				cluster, opsmanager.Sanitize(*whole.Name()), opsmanager.Sanitize(*whole.ID))
		}
	}
	diags.AddAttributeError(path.Root("cluster_id"), summary, detail)
	return true
}

// isNotMonitored reports whether Ops Manager has no backup configuration for a cluster,
// perhaps because it doesn't monitor the cluster yet.
func isNotMonitored(err error) bool {
	return hasCode(err, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE") || opsmanager.IsGone(err) && !hasCode(err, "GROUP_NOT_FOUND")
}

func hasCode(err error, code string) bool {
	var e *opsmanager.Error
	return errors.As(err, &e) && e.Code == code
}

// backupConfigFailure returns the diagnostic of a failed call.
func backupConfigFailure(summary string, err error) diag.Diagnostic {
	return diagnostics.Failure(summary, err, projects.Codes, projects.ClusterCodes, backupConfigCodes)
}
