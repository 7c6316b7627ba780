package projects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// thirdParties holds the third-party backups of projects, by ID, as this provider process has read them.
var thirdParties connection.Shared[sync.Map]

// thirdParty has the third-party backups of a project, or why they can't be read.
type thirdParty struct {
	opsmanager.ThirdPartyBackups
	err error
}

// Why a policy skips a cluster that another product backs up, or may back up.
const (
	ThirdParty        = "backed up by another product"
	PerhapsThirdParty = "third-party backup in a state that is not documented"
)

// ThirdPartyBackups returns which clusters of a project another product backs up. It sends one request for
// each project, however many resources ask, also if it fails.
func ThirdPartyBackups(ctx context.Context, data *connection.Data, projectID string) (opsmanager.ThirdPartyBackups, error) {
	projectID = strings.ToLower(projectID)
	done, err := data.Lock(ctx, "third-party backups of project "+projectID)
	if err != nil {
		return opsmanager.ThirdPartyBackups{}, err
	}
	defer done()
	if known, ok := thirdParties.Of(data).Load(projectID); ok {
		read := known.(thirdParty) //nolint:forcetypeassert // nothing else is stored
		return read.ThirdPartyBackups, read.err
	}
	var read thirdParty
	backups, err := data.Client.ThirdPartyBackups(ctx, projectID)
	if read.err = err; err == nil {
		read.ThirdPartyBackups = *backups
	}
	if ctx.Err() == nil {
		thirdParties.Of(data).Store(projectID, read)
	}
	return read.ThirdPartyBackups, err
}

// ForgetThirdPartyBackups lets the next call of ThirdPartyBackups send a request, before what deletes snapshots.
func ForgetThirdPartyBackups(data *connection.Data, projectID string) {
	thirdParties.Of(data).Delete(strings.ToLower(projectID))
}

// RefuseThirdParty returns an error if another product backs up a cluster, or may do so because the state of its
// backup is not documented. If it must be known, there is also an error if that can't be read: a key that only plans
// may not read it.
func RefuseThirdParty(ctx context.Context, data *connection.Data, projectID, clusterID string, mustKnow bool) error {
	backups, err := ThirdPartyBackups(ctx, data, projectID)
	if err != nil && !mustKnow {
		return nil
	}
	has := false
	if err == nil {
		has, err = backsUp(backups, clusterID)
	}
	switch {
	case has:
		return backedUpByOther(clusterID)
	case err != nil:
		return diagnostics.OnAttribute("cluster_id", "Third-Party Backup Not Known",
			"The provider can't tell whether another product backs up cluster %s, so no changes were made. %s", clusterID, diagnostics.Explain(err, Codes, ClusterCodes))
	}
	return nil
}

// backsUp reports whether another product backs up a cluster, or why its state does not tell.
func backsUp(backups opsmanager.ThirdPartyBackups, clusterID string) (bool, error) {
	has, err := backups.BacksUp(clusterID)
	if err != nil {
		err = fmt.Errorf("%w. The provider neither starts, changes nor ends a backup of Ops Manager until that one is INACTIVE or gone. If it is being set up or ended, wait and try again. %s", err, leaveThirdParty)
	}
	return has, err
}

const leaveThirdParty = "To use the backup of Ops Manager, end the other one first. If a resource manages only this cluster, run 'terraform state rm ADDRESS' and remove its block."

func backedUpByOther(clusterID string) error {
	return diagnostics.OnAttribute("cluster_id", thirdPartySummary, "Another product backs up cluster %s, so Ops Manager does not, and the provider leaves it alone. %s A policy leaves the cluster out in the next plan.", clusterID, leaveThirdParty)
}

const thirdPartySummary = "Cluster Backed Up by Another Product"

// IsThirdParty reports whether an error says that another product backs up a cluster.
func IsThirdParty(err error) bool {
	e, ok := errors.AsType[diagnostics.Explained](err)
	return ok && e.Summary() == thirdPartySummary
}

// SnapshotSchedule reads a schedule. Of a cluster that another product backs up, Ops Manager returns an error
// document with 500. Only then does it ask who backs up the cluster, so that other schedules need no further request.
func SnapshotSchedule(ctx context.Context, data *connection.Data, projectID, clusterID string) (*opsmanager.SnapshotSchedule, error) {
	live, err := data.Client.SnapshotSchedule(ctx, projectID, clusterID)
	if e, ok := errors.AsType[*opsmanager.Error](err); !ok || !e.Document || e.Status != http.StatusInternalServerError {
		return live, err
	}
	has := false
	backups, unknown := ThirdPartyBackups(ctx, data, projectID)
	if unknown == nil {
		has, unknown = backsUp(backups, clusterID)
	}
	switch {
	case has:
		err = backedUpByOther(clusterID)
	case unknown != nil: // not wrapped, because the failure is the first one
		err = fmt.Errorf("%w\n\nThe provider can't tell whether another product backs up cluster %s. %s", err, clusterID, diagnostics.Explain(unknown))
	}
	return nil, err
}
