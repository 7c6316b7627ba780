package projects

import (
	"context"
	"errors"
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

// ThirdParty is the state of a cluster that another product backs up, in texts.
const ThirdParty = "backed up by another product"

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

// HasThirdParty reports whether another product backs up a cluster. It fails if that is not known.
func HasThirdParty(ctx context.Context, data *connection.Data, projectID, clusterID string) (bool, error) {
	backups, err := ThirdPartyBackups(ctx, data, projectID)
	if err != nil {
		return false, err
	}
	return backups.BacksUp(clusterID)
}

// RefuseThirdParty returns an error if another product backs up a cluster and, in an apply, if that is not
// known. A key that only plans may not read it.
func RefuseThirdParty(ctx context.Context, data *connection.Data, projectID, clusterID string, isApply bool) error {
	has, err := HasThirdParty(ctx, data, projectID, clusterID)
	switch {
	case has:
		return HasThirdPartyError(clusterID)
	case err != nil && isApply:
		return diagnostics.OnAttribute("cluster_id", "Third-Party Backup Not Known", "The provider could not read whether another product backs up cluster %s, so no changes were made. %s", clusterID, diagnostics.Explain(err))
	}
	return nil
}

// IsThirdParty reports whether an error is a HasThirdPartyError.
func IsThirdParty(err error) bool {
	e, ok := errors.AsType[diagnostics.Explained](err)
	return ok && e.Summary() == thirdPartySummary
}

const thirdPartySummary = "Cluster Backed Up by Another Product"

// HasThirdPartyError is the error about a cluster that another product backs up.
func HasThirdPartyError(clusterID string) error {
	return diagnostics.OnAttribute("cluster_id", thirdPartySummary, "Another product backs up cluster %s, so Ops Manager does not, and the provider did not change it. "+
		"If a resource manages only this cluster, run 'terraform state rm ADDRESS' and remove its block. A policy leaves the cluster out in the next plan. To use the backup of Ops Manager, end the other one first.", clusterID)
}
