package projects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Why a list leaves out a cluster that another product backs up, or may back up.
const (
	ThirdParty        = "backed up by another product"
	PerhapsThirdParty = "third-party backup in a state that is not documented"
)

// Owners says which clusters of a project another product backs up.
type Owners struct {
	others *opsmanager.ThirdPartyBackups
	err    error // why they can't be read
}

// ReadOwners reads the owners of the backups of a project.
func ReadOwners(ctx context.Context, client *opsmanager.Client, projectID string) Owners {
	others, err := client.ThirdPartyBackups(ctx, projectID)
	return Owners{others, err}
}

// Of returns why a list leaves a cluster out, or "". If it can't tell who backs up the cluster, it also returns the
// reason.
func (o Owners) Of(clusterID string) (other string, unknown error) {
	if o.err != nil {
		return "", o.err
	}
	has, unknown := o.others.BacksUp(clusterID)
	switch {
	case has:
		return ThirdParty, nil
	case unknown != nil:
		return PerhapsThirdParty, unknown
	}
	return "", nil
}

// knownOwners holds the owners in each project, by ID, as this provider process has read them.
var knownOwners connection.Shared[sync.Map]

// OwnersIn is like ReadOwners, but sends one request for each project, however many resources ask, also if it fails.
func OwnersIn(ctx context.Context, data *connection.Data, projectID string) Owners {
	projectID = strings.ToLower(projectID)
	done, err := data.Lock(ctx, "third-party backups of project "+projectID)
	if err != nil {
		return Owners{err: err}
	}
	defer done()
	if known, ok := knownOwners.Of(data).Load(projectID); ok {
		return known.(Owners) //nolint:forcetypeassert // nothing else is stored
	}
	read := ReadOwners(ctx, data.Client, projectID)
	if ctx.Err() == nil {
		knownOwners.Of(data).Store(projectID, read)
	}
	return read
}

// Stage is when Guard is asked about.
type Stage int

// The stages. Only a plan continues if the owner can't be read, because a key that only plans may lack the role for that.
// Before what deletes snapshots, the owner is read again.
const (
	InPlan Stage = iota
	BeforeChange
	BeforeDeletion
)

// Guard is asked before anything of the backup of a cluster is changed. It fails if another product backs up the
// cluster, or may do so. It passes a plan before the provider is configured.
func Guard(ctx context.Context, data *connection.Data, projectID, clusterID string, stage Stage) error {
	if !data.HasClient() {
		return nil
	}
	if stage == BeforeDeletion {
		knownOwners.Of(data).Delete(strings.ToLower(projectID))
	}
	other, unknown := OwnersIn(ctx, data, projectID).Of(clusterID)
	switch {
	case other == ThirdParty:
		return tf.OnAttribute("cluster_id", "Cluster Backed Up by Another Product",
			"Another product backs up cluster %s, so Ops Manager does not, and the provider leaves the cluster alone. %s A policy leaves the cluster out in the next plan.", clusterID, endOther)
	case other == PerhapsThirdParty, unknown != nil && stage != InPlan:
		return tf.OnAttribute("cluster_id", "Third-Party Backup Not Known",
			"The provider can't tell whether another product backs up cluster %s, so it leaves the cluster alone. %s\n\nIf one does, wait until its backup is INACTIVE or gone. %s",
			clusterID, tf.Explain(unknown), endOther)
	}
	return nil
}

const endOther = "To use the backup of Ops Manager, end the other one first. If a resource manages only this cluster, remove its block, and " + tf.ForgetUnread + "."

// SnapshotSchedule reads a schedule. Of a cluster that another product backs up, Ops Manager returns an error
// document with 500. Only then does it ask Guard, so that other schedules need no further request.
func SnapshotSchedule(ctx context.Context, data *connection.Data, projectID, clusterID string) (*opsmanager.SnapshotSchedule, error) {
	live, err := data.Client.SnapshotSchedule(ctx, projectID, clusterID)
	e, ok := errors.AsType[*opsmanager.Error](err)
	if ok && e.Document && e.Status == http.StatusInternalServerError {
		if _, unknown := OwnersIn(ctx, data, projectID).Of(clusterID); unknown != nil {
			err = fmt.Errorf("%w\n\nOps Manager also fails for a cluster that another product backs up, which the provider sees only with the role Project Backup Admin", err)
		}
		return nil, cmp.Or(Guard(ctx, data, projectID, clusterID, InPlan), err)
	}
	return live, err
}
