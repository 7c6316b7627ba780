package snapshots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Codes are the codes about a snapshot.
var Codes = diagnostics.Codes{
	Attributes: map[string]string{
		"BACKUP_JOB_NOT_FOUND":                    "cluster_id",
		"BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID": "retention_days",
		"ALREADY_EXPIRED":                         "expires",

		"retentionDays": "retention_days", "expires": "expires", "doNotDelete": "do_not_delete",
	},
	Advice: map[string]string{
		"UNFINISHED_ON_DEMAND_SNAPSHOT": "A different snapshot of this cluster is in progress, so no new one was requested. Try again after it is complete.",
		"BACKUP_JOB_NOT_FOUND":          "The backup of this cluster is not started. Start it, for example with opsmanager_backup_config, then try again.",
		"ALREADY_EXPIRED":               "The snapshot has expired, so Ops Manager deletes it at the next opportunity. Its expiry can no longer be changed.",
	},
}

func snapshotFailure(summary string, err error) diag.Diagnostic {
	return diagnostics.Failure(summary, err, Codes, projects.Codes, projects.ClusterCodes)
}

const (
	applyAgain  = "Look at the snapshots of the cluster before you apply again, because that requests a new one."
	invokeAgain = "Look at the snapshots of the cluster before you invoke the action again, because that requests a new one. The data source opsmanager_cluster_snapshots lists them."
)

// notRequested explains why a creation ended before the request.
func notRequested(cluster string, err error) string {
	if errors.Is(err, context.Canceled) {
		return fmt.Sprintf("The run was interrupted before a snapshot of cluster %s was requested.", cluster)
	}
	return diagnostics.Sentence(err)
}

// failure is the error of a request whose snapshot is not known to be complete.
func (q requested) failure(again string) diag.Diagnostic {
	title, detail := fmt.Sprintf("Requested Snapshot of Cluster %s Not Found", q.cluster), q.why()
	switch {
	case errors.Is(q.err, errVanished):
		title = fmt.Sprintf("Requested Snapshot of Cluster %s Is Gone", q.cluster)
		detail = fmt.Sprintf("The requested %s, and was not complete. It may have failed: check the cluster in Ops Manager.", q.err)
	case q.found != nil && q.err != nil:
		title = fmt.Sprintf("Requested Snapshot of Cluster %s Not Complete", q.cluster)
		detail = fmt.Sprintf("Snapshot %s is still in progress%s. If it only needs more time, set a longer timeout in timeouts.", q.id(), q.when())
		if errors.Is(q.err, context.Canceled) {
			detail = fmt.Sprintf("The run was interrupted before snapshot %s was complete.", q.id())
		}
		detail += " Ops Manager continues by itself."
	case errors.Is(q.err, context.Canceled):
		detail += " The run was interrupted."
	case q.found != nil:
		title = fmt.Sprintf("Requested Snapshot of Cluster %s Not Certain", q.cluster)
	case q.Accepted:
		detail += fmt.Sprintf(" It has not appeared%s, and may still appear.", q.when())
	default:
		detail += fmt.Sprintf(" The provider looked for the snapshot%s.", q.when())
	}
	switch {
	case q.known:
		detail += fmt.Sprintf("\n\nTo manage it, run 'terraform import ADDRESS %s'.", q.importID(q.id()))
	case len(q.candidates) > 0:
		detail += "\n\nThese snapshots are new. If one of them is the requested one, import it with its ID, 'terraform import ADDRESS ID':" + q.described(q.candidates)
	}
	return diag.NewErrorDiagnostic(title, detail+"\n\nThe provider requested the snapshot once. "+again)
}

// when says how long the provider waited.
func (q requested) when() string {
	passed := time.Since(q.At).Round(time.Second)
	if errors.Is(q.err, context.DeadlineExceeded) {
		return fmt.Sprintf(" at the end of the timeout, %s after the request", passed)
	}
	return fmt.Sprintf(" for %s", passed)
}

// why says what is known about a request.
func (q requested) why() string {
	switch {
	case q.Accepted && q.found == nil:
		return "Ops Manager accepted the request, but the provider did not find the snapshot."
	case q.Accepted:
		return "Ops Manager accepted the request, but the provider can't tell which snapshot is the requested one: several are new, or the only one is late or does not expire as requested."
	}
	text := "Ops Manager may have taken a snapshot: the outcome of the request is unknown."
	if q.unclear != nil {
		text += " " + diagnostics.Sentence(q.unclear)
	}
	return text
}

// guess warns that a snapshot may not be the requested one.
func (q requested) guess() diag.Diagnostic {
	id := q.id()
	return diag.NewWarningDiagnostic(fmt.Sprintf("Snapshot %s of Cluster %s May Not Be the Requested One", id, q.cluster),
		q.why()+fmt.Sprintf(" Snapshot %s is the one that fits best, but it may come from the schedule, or from someone else.", id)+
			"\n\nThe resource does not change it, and on_destroy = \"delete\" does not delete it. "+q.howToConfirm(id))
}

// howToConfirm says how to make sure that a snapshot is the one of a resource.
func (c clusterSnapshots) howToConfirm(id string) string {
	return fmt.Sprintf("If it is the right one, run 'terraform state rm ADDRESS' and 'terraform import ADDRESS %s'.", c.importID(id))
}

// interrupted warns that a run ended before the requested snapshot was complete.
func (q requested) interrupted() diag.Diagnostic {
	if q.found == nil {
		return q.searching()
	}
	return diag.NewWarningDiagnostic(fmt.Sprintf("Snapshot %s of Cluster %s Not Complete", q.id(), q.cluster),
		"The run was interrupted before the snapshot was complete. Ops Manager continues by itself. Each refresh reads whether the snapshot is complete.")
}

// searching warns that the snapshot of a request has not been found yet.
func (q requested) searching() diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Requested Snapshot of Cluster %s Not Found Yet", q.cluster),
		fmt.Sprintf("The run was interrupted before the requested snapshot appeared. Each refresh looks for it until %s. If it has not appeared by then, the resource is removed from the state, and the next plan takes a snapshot.", tfmodel.FormatTime(q.Until)))
}

// notRecorded warns that the provider can't look for a requested snapshot.
func (m onDemandSnapshotModel) notRecorded() diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Requested Snapshot of Cluster %s Not Found", m.ClusterID.ValueString()),
		"The Terraform state has neither the ID of the snapshot nor the request for it, so the provider can't look for it, and takes no other one by itself. Look at the snapshots of the cluster.\n\n"+
			fmt.Sprintf("  - If one of them is the requested one, run 'terraform state rm ADDRESS', then 'terraform import ADDRESS %s' with its ID.\n", m.snapshots(nil).importID("ID"))+
			"  - If none is, change triggers. The next apply takes a snapshot.")
}

// notChanged is the error of a change to a snapshot that may not be the requested one.
func (m onDemandSnapshotModel) notChanged() diag.Diagnostic {
	return diag.NewErrorDiagnostic(updateSummary,
		fmt.Sprintf("The provider only guesses that snapshot %s is the one that this resource requested, so it does not change it. ", m.ID.ValueString())+
			m.snapshots(nil).howToConfirm(m.ID.ValueString())+" Otherwise, remove the change from the configuration.")
}

// waitFailure is the error of an operation that waited for a snapshot to be complete.
func waitFailure(ctx context.Context, summary string, m onDemandSnapshotModel, err error) diag.Diagnostic {
	var failed *opsmanager.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return diag.NewErrorDiagnostic(summary, fmt.Sprintf("Snapshot %s is still in progress at the end of the timeout. If it only needs more time, set a longer timeout in timeouts.", m.ID.ValueString()))
	case ctx.Err() != nil && !errors.As(err, &failed):
		return diag.NewErrorDiagnostic(summary, fmt.Sprintf("The run was interrupted before snapshot %s was complete.", m.ID.ValueString()))
	}
	return snapshotFailure(summary, err)
}
