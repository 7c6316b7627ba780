package backups

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/infrastructure"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ModifyPlan plans the changes of an apply, and warns about their costs. Terraform plans a replacement twice:
// first an update, whose warnings are shown, and then a creation with the private data of the update. It
// plans the replacement of a tainted resource once, as a creation.
func (r *backupConfigResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	prior := r.read(ctx, req.State, diags)
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, prior, req, resp)
		if endsBackup(prior) && prior.settledStatus() != opsmanager.StatusInactive {
			r.refuseThirdParty(ctx, prior, diags)
		}
		return
	}
	configured := r.read(ctx, req.Config, diags)
	planned := r.read(ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	if mayStart(configured, prior) {
		project, cluster := configured.IDs()
		diags.Append(projects.PlanStart(r.Data, project, cluster))
	}
	if refused := refusedStatus(configured, prior); refused != nil {
		diags.Append(refused)
		return
	}
	isSecond := tf.NotePlan(ctx, req, resp, configured.object()).First == configured.object()
	switch {
	case req.State.Raw.IsNull():
		r.planCreation(ctx, configured, &planned, isSecond, diags)
	case planned.ClusterIdentity == prior.ClusterIdentity:
		r.planUpdate(ctx, configured, &planned, prior, diags)
		var before ending
		isNoted := tf.ReadPrivate(ctx, req.Private, projects.AppliedKey, &before, diags)
		if isNoted && before.isSeen(prior.settledStatus()) {
			planned.Values[provisioned] = types.BoolUnknown()
			prior.warnEnd(before.Was, diags)
		}
	case endsBackup(prior):
		diags.Append(replacementWouldEndBackup(prior))
	default:
		r.warnDestroy(prior, "", diags)
		r.planCreation(ctx, configured, &planned, isSecond, diags)
		return // Terraform plans the creation again
	}
	tf.Write(ctx, &resp.Plan, planned, diags)
}

// ending is what the private state notes of a backup that has ended, or that a destroy has begun to end.
type ending struct {
	Was       string `json:"was"`               // the status before that
	IsDestroy bool   `json:"destroy,omitempty"` // a read that does not show it yet may be an old one
}

// isSeen reports whether a status shows that the backup has ended, or is on the way to that.
func (e ending) isSeen(status string) bool {
	return status == opsmanager.StatusInactive || isCloserToEnd(status, tf.Text(settled(&e.Was)))
}

// warnEnd warns that a backup has ended, or that a destroy has begun to end it. before is its status before that.
func (m backupConfigModel) warnEnd(before string, diags *diag.Diagnostics) {
	if m.settledStatus() == opsmanager.StatusStopped {
		m.warn(diags, statusName, "Backup of Cluster %s Is Stopped",
			"The backup was %s, and takes no snapshots now: a destroy that failed may have stopped it. Unless status_name asks for a start, the apply only records that.", before)
		return
	}
	m.warn(diags, statusName, "Backup of Cluster %s Has Ended",
		"The backup was %s when Terraform read it last, and is %s now. If it was terminated, its snapshots are deleted, and a start begins a new backup, with a full sync. "+
			"Unless status_name asks for a start, the apply only records that it has ended.", before, m.StatusName.ValueString())
}

// refusedStatus returns an error if the configured status can't be requested. Terraform also
// generates configurations for an import, with the status of that moment. They are accepted while
// the backup has that status. A transition to a different status is left alone afterwards: an error
// would block the plans of all other backups.
func refusedStatus(configured, prior backupConfigModel) diag.Diagnostic {
	status := configured.StatusName.ValueString()
	isLive := configured.StatusName.Equal(prior.StatusName)
	wasLive := isChanging(status) && !prior.StatusName.IsNull()
	if status == "" || canBeRequested(status) || isLive || wasLive {
		return nil
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("status_name"), fmt.Sprintf("Backup Cannot Be Set to %s", status),
		fmt.Sprintf("Ops Manager has no request for %[1]s. The provider accepts it only as long as the backup is %[1]s, because Terraform generates such a configuration for an import. "+
			"Remove status_name, or set it to STARTED or STOPPED. To terminate a backup, set on_destroy = \"terminate\", apply, and then destroy the resource.", status))
}

// claim adds a claim to a backup. It adds an error, and returns false, if that conflicts with another claim. A resource in
// the state may end the backup that another one adopts: a replaced or tainted resource, or one whose address was changed
// without a moved block.
func (r *backupConfigResource) claim(m backupConfigModel, claim connection.Claim, diags *diag.Diagnostics) bool {
	conflict := r.Claim(m.object(), claim)
	cluster := m.ClusterID.ValueString()
	switch {
	case conflict == connection.None, conflict == connection.Twice && m.HasUnknownID():
		return true
	case conflict == connection.Twice:
		diags.AddAttributeError(path.Root("cluster_id"), fmt.Sprintf("Backup of Cluster %s in Two Resources", cluster),
			"Two resources manage this backup. Each would overwrite the values of the other one, and the on_destroy of either one would end the backup for both. "+
				tf.KeepOne)
	case m.HasUnknownID():
		diags.Append(unknownAdoption())
	case claim == connection.Readopts:
		diags.Append(replacementWouldEndBackup(m))
	default:
		diags.Append(tf.EndedAndManaged(path.Root("on_destroy"), "Backup Ended and Managed in One Plan", "backup_config",
			fmt.Sprintf("ends the backup of cluster %s, because of on_destroy", cluster), "backup"))
	}
	return false
}

// planCreation plans the adoption of a backup, and warns about the costs. It fails if the apply is certain to fail.
func (r *backupConfigResource) planCreation(
	ctx context.Context, configured backupConfigModel, planned *backupConfigModel, isSecond bool, diags *diag.Diagnostics,
) {
	if !r.claim(configured, connection.Adoption(isSecond), diags) {
		return
	}
	if isFullyKnown(configured.DeploymentConfigs) && configured.Values[multiRegionEnabled].IsNull() {
		planned.Values[multiRegionEnabled] = types.BoolValue(true)
	}
	r.claimUses(*planned, diags)
	a := r.readAdoption(ctx, configured, *planned, diags)
	if a == nil || r.refusePart(ctx, adoptSummary, configured, diags) {
		return
	}
	if r.refuseThirdParty(ctx, configured, diags); diags.HasError() {
		return
	}
	a.noteFirstStart(ctx)
	tf.CheckNew(ctx, namespaceAttributes, configured.Values, a.prior.Values, diags)
	if cannotStop(configured, a.prior) {
		failed := &statusError{
			wanted: opsmanager.StatusStopped,
			status: a.live.status(),
			err:    errNoWay,
		}
		diags.Append(failed.diagnostic(adoptSummary, a.cluster, "Apply"))
		return
	}
	planned.Overwrites = a.previewedOverwrites()
	if configured.StatusName.IsNull() {
		a.planned.StatusName = a.prior.StatusName
	}
	r.applyOf(adoptSummary, configured, a.planned, a.prior).warn(ctx, diags)
}

// claimUses claims the store and the regions that a backup names.
func (r *backupConfigResource) claimUses(planned backupConfigModel, diags *diag.Diagnostics) {
	store := snapshotStoreToAPI(planned.SnapshotStore)
	infrastructure.StoreReference{Type: store.Type, ID: store.ID}.ClaimUse(r.Data, "snapshot_store", diags)
	for _, member := range deploymentConfigsToAPI(planned.DeploymentConfigs) {
		putresource.ClaimUse(r.Data, "deployment_configs", "deployment_region "+member.DeploymentID, diags)
	}
}

// readAdoption returns the adoption of a plan, or nil if the plan can't show what it overwrites.
func (r *backupConfigResource) readAdoption(
	ctx context.Context, configured, planned backupConfigModel, diags *diag.Diagnostics,
) *backupApply {
	if r.Client == nil || configured.HasUnknownID() {
		diags.AddWarning("Values of a Backup Configuration Will Be Overwritten Without a Preview",
			"The cluster or the connection is known only during the apply, so this plan can't show what it overwrites. If status_name is configured, the apply may stop or restart the backup. If namespaces, encryption_enabled or storage_engine_name are configured, Ops Manager may sync it again in full.")
		warnTerminate(configured, backupConfigModel{}, diags)
		return nil
	}
	a, err := r.adoptionOf(ctx, configured, planned)
	if err == nil {
		return a
	}
	project, cluster := configured.IDs()
	if isWithoutBackup(err) { // which a start in this apply may end, but only for a cluster that exists
		_, unread := r.Client.Cluster(ctx, project, cluster)
		if opsmanager.IsMissing(unread, opsmanager.ObjectCluster) || opsmanager.IsMissing(unread, opsmanager.ObjectProject) {
			err = unread
		}
	}
	if isWithoutBackup(err) {
		diags.AddAttributeWarning(path.Root("cluster_id"), fmt.Sprintf("Cluster %s Has No Backup Configuration Yet", cluster),
			"The apply fails unless Ops Manager has one by then, whose values it overwrites without a preview. "+tf.Explain(err, projects.ClusterCodes))
		warnTerminate(configured, backupConfigModel{}, diags)
	} else {
		diags.Append(backupConfigFailure("Unable to Preview Backup Configuration", err))
	}
	return nil
}

// planUpdate plans an update, or no change.
func (r *backupConfigResource) planUpdate(
	ctx context.Context, configured backupConfigModel, planned *backupConfigModel, prior backupConfigModel, diags *diag.Diagnostics,
) {
	if !r.claim(prior, connection.Keeps|connection.WouldEnd.If(endsBackup(prior)), diags) {
		return
	}
	tf.CheckNew(ctx, namespaceAttributes, configured.Values, prior.Values, diags)
	*planned = plannedBackupConfig(configured, *planned, prior)
	r.claimUses(*planned, diags)
	switch asked := configured.StatusName; {
	case cannotStop(configured, prior):
		prior.warn(diags, statusName, "Backup of Cluster %s Will Not Be Stopped",
			"The backup is %s, so it cannot be stopped. The plan leaves it as it is. Remove status_name, or set it to STARTED.", prior.StatusName.ValueString())
	case isChanging(asked.ValueString()) && !asked.Equal(planned.StatusName):
		prior.warn(diags, statusName, "Status of the Backup of Cluster %s Will Not Be Changed",
			"status_name is %s, a transition that Ops Manager can't be asked for. The backup is %s, and the plan leaves it as it is. Remove status_name, or set it to STARTED or STOPPED.",
			asked.ValueString(), opsmanager.Sanitize(prior.StatusName.ValueString()))
	}
	a := r.applyOf(updateSummary, configured, *planned, prior)
	if !planned.StatusName.Equal(prior.StatusName) || !reflect.ValueOf(a.changes).IsZero() {
		r.refuseThirdParty(ctx, prior, diags)
	}
	a.warn(ctx, diags)
}

// warn adds a warning about an attribute. Its title names the cluster.
func (m backupConfigModel) warn(diags *diag.Diagnostics, attribute, title, detail string, args ...any) {
	diags.AddAttributeWarning(path.Root(attribute), fmt.Sprintf(title, m.ClusterID.ValueString()), fmt.Sprintf(detail, args...))
}

// refuseThirdParty adds an error about a plan that changes a backup if another product makes that.
func (r *backupConfigResource) refuseThirdParty(ctx context.Context, m backupConfigModel, diags *diag.Diagnostics) {
	project, cluster := m.IDs()
	err := projects.Guard(ctx, r.Data, project, cluster, projects.InPlan)
	if err != nil {
		diags.Append(backupConfigFailure(updateSummary, err))
	}
}

// anyBackup stands for all backups that an apply adopts. Once it has adopted one, it plans only the ends of deposed objects. With
// create_before_destroy, one of them is the old object of a tainted resource, whose end no plan has shown.
const anyBackup = "any backup"

// planDestroy warns how destroying a resource affects its backup. It fails if another
// resource, or another object of this one, manages the backup, or may manage it because an
// ID is unknown. The old object of a replacement is planned again in the apply, and Delete keeps its backup.
// It notes the held snapshots that a termination would delete, as far as the warning shows them.
func (r *backupConfigResource) planDestroy(
	ctx context.Context, prior backupConfigModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	diags := &resp.Diagnostics
	ends := endsBackup(prior)
	if r.HasClaim(prior.object(), connection.Applied) { // Delete keeps it
		return
	}
	if ends && r.HasClaim(anyBackup, connection.Applied) {
		diags.Append(tf.UnplannedEnd("the backup of cluster " + prior.ClusterID.ValueString()))
		return
	}
	if ends && !r.claimEnd(prior, diags) {
		return
	}
	if refused := r.claimSnapshots(prior); refused != nil {
		diags.Append(refused)
		return
	}
	text := ""
	if terminates(prior) {
		var held []string
		held, text = r.showHeld(ctx, prior)
		tf.NotePlan(ctx, req, resp, prior.object(), held...)
	}
	r.warnDestroy(prior, text, diags)
}

// showHeld returns the held snapshots of a cluster, and what a plan of their deletion says of them.
func (r *backupConfigResource) showHeld(ctx context.Context, of backupConfigModel) (held []string, text string) {
	const refusal = " If any is, the apply does not terminate the backup. "
	if r.Client == nil {
		return nil, "The connection is known only during the apply, so this plan can't show which of them are held." + refusal
	}
	held, err := r.heldSnapshots(ctx, of)
	switch {
	case err != nil:
		text = "The provider could not read which of them are held: " + tf.Sentence(err) + refusal
	case len(held) > 0:
		text = "That includes snapshots that are held:" + tf.FirstLines(held, 5) + "\n\n"
	}
	return held, text
}

// claimEnd claims the end of a backup. It adds an error, and returns false, if that conflicts with another claim, or may do so
// because an ID is unknown.
func (r *backupConfigResource) claimEnd(prior backupConfigModel, diags *diag.Diagnostics) bool {
	mayBeManaged := false
	for _, of := range prior.OrUnknown()[1:] {
		mayBeManaged = r.Claim(backupOf(of.IDs()), connection.Ends) == connection.Ended || mayBeManaged
	}
	isClaimed := r.claim(prior, connection.Ends, diags)
	if isClaimed && mayBeManaged {
		diags.Append(unknownAdoption())
	}
	return isClaimed && !mayBeManaged
}

// terminates reports whether the destroy of a resource in the state terminates its backup.
func terminates(state backupConfigModel) bool {
	return state.OnDestroy.ValueString() == terminateOnDestroy && state.settledStatus() != opsmanager.StatusInactive
}

// claimSnapshots records that a run terminates a backup. It returns an error if the run needs a snapshot of the cluster, or nil.
func (r *backupConfigResource) claimSnapshots(state backupConfigModel) diag.Diagnostic {
	if !terminates(state) {
		return nil
	}
	isNeeded := false
	for _, of := range state.OrUnknown() {
		isNeeded = r.Claim(projects.SnapshotsOf(of), connection.Ends) == connection.Ended || isNeeded
	}
	if !isNeeded {
		return nil
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("on_destroy"), fmt.Sprintf("Termination Would Delete Snapshots of Cluster %s That This Run Needs", state.ClusterID.ValueString()),
		"An opsmanager_on_demand_snapshot of this configuration keeps or takes a snapshot of the cluster, or an opsmanager_restore_job or an action restores one, and the termination of the backup would delete it. Or it may do so, because its project_id or cluster_id is not known yet. "+
			"To keep the snapshots, set on_destroy = \"keep\", apply that, and then remove the block. To delete them, remove the block of the snapshot as well, after do_not_delete = false is applied if it is held. "+
			"To restore one, terminate the backup in a later apply. If this error stops 'terraform destroy', run it with -refresh=false. "+tf.Deposed)
}

// heldSnapshots describes the snapshots of a cluster that are held. A termination deletes these, too.
func (r *backupConfigResource) heldSnapshots(ctx context.Context, of backupConfigModel) (held []string, err error) {
	project, cluster := of.IDs()
	list, err := opsmanager.Identified(r.Client.ListClusterSnapshots(ctx, project, cluster, "", opsmanager.Page{}))
	if err != nil {
		return nil, err
	}
	for _, s := range list.Results {
		if s.DoNotDelete == nil || !*s.DoNotDelete {
			continue
		}
		text := tf.Text(s.ID)
		if s.Created != nil && s.Created.Date != nil {
			text += ", created at " + *s.Created.Date
		}
		held = append(held, opsmanager.Sanitize(text))
	}
	return held, nil
}

// refuseTermination returns an error if a destroy may not terminate a backup: the run needs a snapshot of the cluster, which may be
// known late, or snapshots are held that the plan did not show.
func (a *backupApply) refuseTermination(ctx context.Context) error {
	if !terminates(a.prior) {
		return nil
	}
	if refused := a.claimSnapshots(a.prior); refused != nil {
		return tf.Explained{Diagnostic: refused}
	}
	held, err := a.heldSnapshots(ctx, a.prior)
	if err != nil {
		return err
	}
	unshown := slices.DeleteFunc(held, func(text string) bool {
		return slices.Contains(a.shown, text)
	})
	if len(unshown) == 0 {
		return nil
	}
	return tf.OnAttribute("on_destroy", deleteSummary,
		"The termination deletes all snapshots of cluster %s, and these are held, which its plan did not show, or which the apply can't compare with the plan of a deposed object:%s\n\nThe backup was not terminated. %s %s",
		a.cluster, tf.FirstLines(unshown, len(unshown)), tf.RefreshFirst, tf.Deposed)
}

// endsBackup reports whether the destroy of a resource in the state ends its backup.
func endsBackup(state backupConfigModel) bool {
	return lastStatus[state.OnDestroy.ValueString()] != ""
}

// unknownAdoption returns the error for a plan that ends a backup and adopts one with an
// unknown ID.
func unknownAdoption() diag.Diagnostic {
	return tf.EndedAndUnknown(path.Root("cluster_id"), "Backup to Adopt Is Not Known Yet",
		"ends a backup, because of on_destroy in the Terraform state, and adopts one whose project_id or cluster_id", "backup")
}

// replacementWouldEndBackup returns the error for a replacement that would stop or terminate a backup.
func replacementWouldEndBackup(m backupConfigModel) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("on_destroy"), "Replacement Would End the Backup",
		fmt.Sprintf("Replacing this resource destroys it, which ends the backup of cluster %s because of on_destroy in the Terraform state. "+
			"Set on_destroy = \"keep\" and apply first. To end the backup, destroy the resource. If this error stops that, run 'terraform destroy -refresh=false'.\n\n"+
			"If the resource is tainted, run 'terraform untaint ADDRESS'.\n\n"+
			"Terraform also plans a replacement if an ID is not known yet, even if it turns out to be the same. Use an ID that is known when you plan.", m.ClusterID.ValueString()))
}

// otherAlias says what a plan that ends a backup can't see: each provider configuration has its own
// process, and Ops Manager records nothing that would tell.
const otherAlias = "The provider can't see whether a resource with a different provider alias, or in another state, still manages this backup. " + tf.Renamed

// warnDestroy warns how destroying a resource affects its backup. held names the snapshots that are held.
func (r *backupConfigResource) warnDestroy(prior backupConfigModel, held string, diags *diag.Diagnostics) {
	cluster := prior.ClusterID.ValueString()
	status := opsmanager.Sanitize(prior.StatusName.ValueString())
	settled := prior.settledStatus()
	isStop := prior.OnDestroy.ValueString() == stopOnDestroy
	switch {
	case !endsBackup(prior):
		diags.Append(tf.ForgottenOnce(r.Data, "Backup Configuration",
			fmt.Sprintf("Ops Manager keeps the backup configuration of cluster %s and its status, because on_destroy is neither \"stop\" nor \"terminate\" in the Terraform state. "+
				"To end the backup, set one of them and apply that before you destroy.", cluster))...)
	case settled == opsmanager.StatusInactive:
		prior.warn(diags, "on_destroy", "Backup of Cluster %s Has Already Ended",
			"The backup is %s, so there is nothing to %s. Snapshots that it had are deleted with its termination. If the backup is started again before the destroy, the destroy fails.", status, prior.OnDestroy.ValueString())
	case isStop && settled == opsmanager.StatusStopped:
		prior.warn(diags, "on_destroy", "Backup of Cluster %s Will Stay STOPPED", "The backup is stopped already. "+costOfStop)
	case isStop:
		prior.warn(diags, "on_destroy", "Backup of Cluster %s Will Be Stopped", "Destroying this resource stops the backup. "+costOfStop+" "+otherAlias)
	default:
		prior.warn(diags, "on_destroy", "Backup of Cluster %s Will Be Terminated",
			"Destroying this resource terminates the backup: all snapshots of cluster %s are deleted. %sThey cannot be recovered. "+
				"To keep them, "+tf.KeepFirst+" "+otherAlias, cluster, held)
	}
}

const (
	costOfStop = "Ops Manager takes no snapshots until the backup is started again. " +
		"Existing snapshots stay. Those that expire meanwhile are deleted after the first snapshot of the restarted backup."
	costOfResync  = "that puts load on the cluster, and no snapshots are taken until it is done."
	costOfRestart = "After a gap, Ops Manager may sync the backup in full. After its first snapshot, it deletes those that have expired."
)

// plannedBackupConfig returns the planned model of an update: the configured values, and
// the state for the rest. The values that Ops Manager sets along with a change stay unknown, as the framework
// planned them.
func plannedBackupConfig(configured, planned, prior backupConfigModel) backupConfigModel {
	planned.Overwrites = prior.Overwrites
	planned.StatusName = tf.ConfiguredOrPrior(configured.StatusName, prior.StatusName)
	if cannotStop(configured, prior) || isChanging(configured.StatusName.ValueString()) {
		planned.StatusName = prior.StatusName
	}
	starts := mayStart(planned, prior)
	values := planned.Values
	for _, f := range backupConfigFields {
		was := prior.Values[f.Attribute]
		isLeft := starts && was.IsNull() && otherList[f.Attribute] == ""
		isKept := configured.Values[f.Attribute].IsNull() && !isLeft
		if isKept || values[f.Attribute].Equal(was) {
			values[f.Attribute] = was // in the same order
		}
	}
	for changed, other := range otherList {
		if !values[changed].Equal(prior.Values[changed]) && configured.Values[other].IsNull() && prior.mayHaveElements(other) {
			values[other] = types.SetUnknown(types.StringType)
		}
	}
	assigns := !planned.DeploymentConfigs.IsNull() && !planned.DeploymentConfigs.Equal(prior.DeploymentConfigs)
	if assigns && configured.Values[multiRegionEnabled].IsNull() {
		values[multiRegionEnabled] = types.BoolValue(true)
		if planned.DeploymentConfigs.IsUnknown() { // it may turn out to be null
			values[multiRegionEnabled] = types.BoolUnknown()
		}
	}
	if !starts {
		values[provisioned] = prior.Values[provisioned]
	}
	if !starts && !assigns && values[multiRegionEnabled].Equal(prior.Values[multiRegionEnabled]) {
		values[multiRegionMisconfigured] = prior.Values[multiRegionMisconfigured]
	}
	return planned
}

// mayHaveElements reports whether a list of the state has elements or has never been read. Ops Manager may not
// return the lists of an INACTIVE backup, which has nothing to sync again.
func (m backupConfigModel) mayHaveElements(attribute string) bool {
	if m.list(attribute).IsNull() {
		return m.StatusName.ValueString() != opsmanager.StatusInactive
	}
	return len(m.list(attribute).Elements()) > 0
}

// mayStart reports whether a configuration or a plan starts a backup, or may do so.
func mayStart(m, prior backupConfigModel) bool {
	isStart := m.StatusName.IsUnknown() || m.StatusName.ValueString() == opsmanager.StatusStarted
	return isStart && !m.StatusName.Equal(prior.StatusName)
}

// cannotStop reports whether a configuration stops a backup that was terminated outside
// Terraform.
func cannotStop(configured, prior backupConfigModel) bool {
	return configured.StatusName.ValueString() == opsmanager.StatusStopped && prior.settledStatus() == opsmanager.StatusInactive
}

// warn warns about the costs of a plan, and about what may follow from values that it doesn't know.
func (a *backupApply) warn(ctx context.Context, diags *diag.Diagnostics) {
	a.warnImpossible(diags)
	a.warnCosts(diags)
	a.warnUnknown(diags)
	warnTerminate(a.configured, a.prior, diags)
	a.warnUnusableStore(ctx, diags)
	a.warnVersion(diags)
}

// warnVersion warns of fields of a change that Ops Manager rejects because of its version.
func (a *backupApply) warnVersion(diags *diag.Diagnostics) {
	warn := func(isSent bool, attribute string, since opsmanager.Version) {
		if isSent && a.HasClient() {
			tf.WarnOfVersion(a.Client, since, attribute, attribute, diags)
		}
	}
	warn(a.changes.MultiRegionBackupEnabled != nil, multiRegionEnabled, opsmanager.Version{7, 0, 4})
	warn(a.changes.DeploymentConfigs != nil, "deployment_configs", opsmanager.Version{7, 0, 4})
	warn(a.changes.SnapshotStore != nil, "snapshot_store", opsmanager.Version{8, 0, 6})
	warn(a.changes.DisableCertificateRevocationCheck != nil, "disable_certificate_revocation_check", opsmanager.Version{8, 0, 27})
}

// warnUnknown warns about what may follow from values that are known only during the apply.
func (a *backupApply) warnUnknown(diags *diag.Diagnostics) {
	resyncing := []string{"storage_engine_name", "encryption_enabled", excludedNamespaces, includedNamespaces}
	unknown := slices.DeleteFunc(resyncing, func(attribute string) bool {
		return !a.configured.isUnknown(attribute)
	})
	if len(unknown) > 0 && a.prior.settledStatus() != opsmanager.StatusInactive {
		a.planned.warn(diags, unknown[0], "Backup of Cluster %s May Be Resynced",
			"Known only during the apply: %s. If that changes the backup so that Ops Manager has to sync it again in full, "+costOfResync, strings.Join(unknown, ", "))
	}
	if a.configured.isUnknown(statusName) {
		a.planned.warn(diags, statusName, "Backup of Cluster %s May Be Started or Stopped",
			"status_name is known only during the apply. The backup is %s. If the apply stops it: "+costOfStop+" If the apply restarts a stopped one: "+costOfRestart, opsmanager.Sanitize(a.prior.StatusName.ValueString()))
	}
}

// warnImpossible warns that an apply will fail because the provider doesn't know the status of a
// backup, unless it changes before.
func (a *backupApply) warnImpossible(diags *diag.Diagnostics) {
	wanted := a.configured.StatusName.ValueString()
	status := a.prior.StatusName.ValueString()
	if !canBeRequested(wanted) || cannotStop(a.configured, a.prior) || nextTransition(status, wanted) != impossible {
		return
	}
	is := "Ops Manager did not return the status of this backup"
	if status != "" {
		is = "The backup is " + opsmanager.Sanitize(status) + ", which the provider doesn't know"
	}
	a.planned.warn(diags, statusName, "Status of the Backup of Cluster %s May Not Be Changed",
		"%s. If that is still so in the apply, the provider can't set it to %s, and the apply fails. Check the backup in Ops Manager, or remove status_name.", is, wanted)
}

// warnTerminate warns if the plan makes a later destroy delete the snapshots, or may do so.
func warnTerminate(configured, prior backupConfigModel, diags *diag.Diagnostics) {
	of := "Cluster " + configured.ClusterID.ValueString()
	if configured.ClusterID.IsUnknown() {
		of = "a Cluster With an Unknown ID"
	}
	const effect = "destroying this resource, or removing it from the configuration, deletes all snapshots of the cluster. They cannot be recovered."
	switch onDestroy := configured.OnDestroy; {
	case prior.OnDestroy.ValueString() == terminateOnDestroy:
	case onDestroy.IsUnknown():
		diags.AddAttributeWarning(path.Root("on_destroy"), "Snapshots of "+of+" May Be Deleted by a Later Destroy",
			"on_destroy is known only during the apply. If it is \"terminate\" then, "+effect)
	case onDestroy.ValueString() == terminateOnDestroy:
		diags.AddAttributeWarning(path.Root("on_destroy"), "Snapshots of "+of+" Will Be Deleted by a Later Destroy",
			"With on_destroy = \"terminate\", "+effect)
	}
}

// warnCosts warns how the changes of a plan affect snapshots and the load on the cluster.
func (a *backupApply) warnCosts(diags *diag.Diagnostics) {
	status, wanted := a.prior.StatusName.ValueString(), tf.Text(a.changes.StatusName)
	switch {
	case wanted == opsmanager.StatusStarted && status == opsmanager.StatusTerminating:
		a.planned.warn(diags, statusName, "New Backup of Cluster %s Will Be Started",
			"The backup is TERMINATING, which deletes its snapshots. The apply waits for that, and then starts a new backup, with a full sync.")
	case wanted == opsmanager.StatusStopped:
		a.planned.warn(diags, statusName, "Backup of Cluster %s Will Be Stopped", costOfStop)
	case wanted == opsmanager.StatusStarted && status == opsmanager.StatusStopped:
		a.planned.warn(diags, statusName, "Backup of Cluster %s Will Be Restarted", costOfRestart)
	}
	running := status != opsmanager.StatusInactive
	if reasons := resyncs(a.changes, a.prior); len(reasons) > 0 && running {
		diags.AddWarning(fmt.Sprintf("Backup of Cluster %s Will Be Resynced", a.cluster),
			fmt.Sprintf("Ops Manager syncs the backup again in full, because %s: %s", strings.Join(reasons, " and "), costOfResync))
	}
	if reasons := omissions(a.changes, a.prior); len(reasons) > 0 && running {
		diags.AddWarning(fmt.Sprintf("New Snapshots of Cluster %s Will Lack Data", a.cluster),
			fmt.Sprintf("They lack more databases or collections than before, because %s. Existing snapshots keep them until they expire. To take them back costs a resync.", strings.Join(reasons, " and ")))
	}
	isSynced := wanted == opsmanager.StatusStarted || len(resyncs(a.changes, a.prior)) > 0
	hasOtherSource := !a.prior.SyncSource.IsNull() && !a.planned.SyncSource.Equal(a.prior.SyncSource)
	if hasOtherSource && !isSynced {
		a.planned.warn(diags, "sync_source", "Sync Source of Cluster %s Will Only Be Stored",
			"Ops Manager takes a source only with a change that starts or resyncs the backup, and this plan does neither. The next such change sends it. For snapshots, set preferred_member.")
	}
	if a.changes.SnapshotStore != nil && running {
		a.planned.warn(diags, "snapshot_store", "Snapshot Store of Cluster %s Will Be Changed",
			"The first snapshot in the new store is a full one. Existing snapshots stay in the old store until they expire.")
	}
	if moved := a.movedMembers(); len(moved) > 0 {
		a.planned.warn(diags, "deployment_configs", "Region of the Backup of Cluster %s Will Be Changed",
			"The plan moves %s to a different deployment region. Ops Manager documents that a region cannot be changed: the backup has to be stopped, terminated, which deletes its snapshots, and started again. "+
				"The change is sent as it is, and Ops Manager may reject it.", strings.Join(moved, ", "))
	}
}

// movedMembers returns the replica sets that a plan assigns to a different region.
func (a *backupApply) movedMembers() (moved []string) {
	before := deploymentConfigsToAPI(a.prior.DeploymentConfigs)
	for _, after := range *cmp.Or(a.changes.DeploymentConfigs, &[]opsmanager.DeploymentConfig{}) {
		isMoved := func(b opsmanager.DeploymentConfig) bool {
			return b.RSID == after.RSID && b.DeploymentID != after.DeploymentID
		}
		if slices.ContainsFunc(before, isMoved) {
			moved = append(moved, after.RSID)
		}
	}
	return moved
}

// warnUnusableStore warns if a plan changes the snapshot store to one of an undocumented type, or to one that does not
// exist or gets no new backups.
func (a *backupApply) warnUnusableStore(ctx context.Context, diags *diag.Diagnostics) {
	wanted := a.changes.SnapshotStore
	if a.Client == nil || wanted == nil {
		return
	}
	if wanted.Type != "s3blockstore" {
		diags.AddAttributeWarning(path.Root("snapshot_store"), "Undocumented Value of snapshot_store_type Will Be Sent",
			fmt.Sprintf("%q is configured for cluster %s, and Ops Manager may reject it. Only \"s3blockstore\" is documented. In the console, an administrator can move the backup to any store.", wanted.Type, a.cluster))
	}
	found := infrastructure.StoreReference{Type: wanted.Type, ID: wanted.ID}.Find(ctx, a.Data)
	infrastructure.WarnStores("snapshot_store", "Cluster "+a.cluster, []infrastructure.StoreStatus{found}, diags)
}

// refusePart adds an error if the cluster is a shard or the config servers of a sharded
// cluster, because only the whole cluster has a backup of its own.
func (r *backupConfigResource) refusePart(ctx context.Context, summary string, m backupConfigModel, diags *diag.Diagnostics) bool {
	project, cluster := m.IDs()
	part, err := r.Client.Cluster(ctx, project, cluster)
	if err != nil || !part.IsPart() {
		return false // if the cluster is a part, the apply fails
	}
	detail := fmt.Sprintf("Cluster %s is a part of a sharded cluster, whose backup is managed as a whole. Use the ID of the sharded cluster.", cluster)
	if all, err := opsmanager.Identified(r.Client.ListClusters(ctx, project)); err == nil {
		whole := projects.WholeOf(all.Results, cluster)
		if whole != nil && whole.ID != nil && whole.Name() != nil {
			detail = fmt.Sprintf("Cluster %s is a part of the sharded cluster %s, whose backup is managed as a whole. Use the ID of that cluster: %s.",
				cluster, opsmanager.Sanitize(*whole.Name()), opsmanager.Sanitize(*whole.ID))
		}
	}
	diags.AddAttributeError(path.Root("cluster_id"), summary, detail)
	return true
}

// backupConfigFailure returns the diagnostic of a failed call.
func backupConfigFailure(summary string, err error) diag.Diagnostic {
	return tf.Failure(summary, err, notMonitored, projects.Codes, projects.ClusterCodes, backupConfigCodes)
}

// object names a backup for its claims. An unknown ID is empty. A configuration may have IDs in upper case.
func (m backupConfigModel) object() string {
	return backupOf(m.IDs())
}

func backupOf(project, cluster string) string {
	return strings.ToLower("backup of cluster " + cluster + " of project " + project)
}
