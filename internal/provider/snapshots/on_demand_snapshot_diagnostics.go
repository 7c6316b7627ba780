package snapshots

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Codes are the codes about a snapshot.
var Codes = tf.Codes{
	Attributes: map[string]string{
		"BACKUP_JOB_NOT_FOUND":                    "cluster_id",
		"BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID": "retention_days",
		"ALREADY_EXPIRED":                         "expires",

		"retentionDays": "retention_days",
		"expires":       "expires",
		"doNotDelete":   "do_not_delete",
	},
	Advice: map[string]string{
		"UNFINISHED_ON_DEMAND_SNAPSHOT": "A different snapshot of this cluster is in progress, so no new one was requested. Try again after it is complete.",
		"BACKUP_JOB_NOT_FOUND":          "The backup of this cluster is not started. Start it, for example with opsmanager_backup_config, then try again.",
		"ALREADY_EXPIRED":               "The snapshot has expired, so Ops Manager deletes it at the next opportunity. Its expiry can no longer be changed.",
	},
}

func snapshotFailure(summary string, err error) diag.Diagnostic {
	return tf.Failure(summary, err, Codes, projects.Codes, projects.ClusterCodes)
}

const (
	applyAgain  = "Look at the snapshots of the cluster before you apply again, because that requests another one."
	invokeAgain = "Look at the snapshots of the cluster before you invoke the action again, because that requests another one. The data source opsmanager_cluster_snapshots lists them."
)

// failure is the error of a request whose snapshot is not known, or not complete.
func (q requested) failure(again string) diag.Diagnostic {
	title := fmt.Sprintf("Requested Snapshot of Cluster %s Not Known", q.cluster)
	detail := q.why()
	switch {
	case errors.Is(q.err, errVanished):
		title = fmt.Sprintf("Requested Snapshot of Cluster %s Is Gone", q.cluster)
		detail = fmt.Sprintf("The requested %s, and was not complete. It may have failed: check the cluster in Ops Manager.", q.err)
	case q.found != nil:
		title = fmt.Sprintf("Requested Snapshot of Cluster %s Not Complete", q.cluster)
		detail = q.incomplete() + " To manage the snapshot, run:" + q.described([]opsmanager.ClusterSnapshot{*q.found})
	case len(q.candidates) > 0:
		detail += "\n\nThese snapshots are new. If you know which one is the requested one, import it:" + q.described(q.candidates)
	}
	return diag.NewErrorDiagnostic(title, detail+"\n\nThe provider requested one snapshot, and stored nothing. "+again)
}

// incomplete says why the requested snapshot is not known to be complete, or to lack no shard.
func (q requested) incomplete() string {
	switch {
	case len(q.found.MissingShards) > 0:
		return "The requested snapshot lacks a shard, so Ops Manager may not restore it. Check the cluster in Ops Manager."
	case q.found.Complete == nil:
		return fmt.Sprintf("Ops Manager does not say whether the requested snapshot is complete, and %s. Check the snapshot in Ops Manager.", q.ended())
	case *q.found.Complete:
		return "Ops Manager does not say whether the requested snapshot lacks a shard, and may not restore one that does. Check the snapshot in Ops Manager."
	}
	return fmt.Sprintf("The requested snapshot is in progress, and Ops Manager continues with it, but %s.", q.ended())
}

// ended says how a wait ended.
func (q requested) ended() string {
	switch passed := time.Since(q.at).Round(time.Second); {
	case errors.Is(q.err, context.Canceled):
		return "the run was interrupted"
	case q.err != nil:
		return fmt.Sprintf("the timeout ended %s after the request. If it only needs more time, set a longer one in timeouts", passed)
	default:
		return fmt.Sprintf("it did not appear for %s", passed)
	}
}

// why says why the requested snapshot is not known.
func (q requested) why() string {
	fitting, undecided := q.match(q.candidates)
	switch {
	case q.unanswered != nil:
		return "Ops Manager may have taken a snapshot: the outcome of the request is unknown, so a new snapshot may also be that of another client. " + tf.Sentence(q.unanswered)
	case len(fitting) > 1:
		return fmt.Sprintf("Ops Manager accepted the request, but several new snapshots are kept for %d days, and the response has no ID.", q.Days)
	case slices.ContainsFunc(undecided, isHeld):
		return fmt.Sprintf("Ops Manager accepted the request, but a new snapshot is held, so it does not say for how many days it was to be kept, and the response has no ID. The requested one is kept for %d days.", q.Days)
	}
	return fmt.Sprintf("Ops Manager accepted the request, and no new snapshot is known to be the requested one, which is kept for %d days: %s. It may still appear.", q.Days, q.ended())
}

// notKnown is the error about a stored snapshot if others fit the request as well.
func (c clusterSnapshots) notKnown(id string, fitting []opsmanager.ClusterSnapshot) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Requested Snapshot of Cluster %s Not Known", c.cluster),
		fmt.Sprintf("The provider took snapshot %s for the requested one, because no other one fitted the request. Now several do, and the response to the request had no ID. "+
			"The provider neither changes nor deletes any of them, and plans nothing until you decide. If the state has one of the others as well, such as beside a deposed object, plan with -parallelism=100, so that the provider reads both at the same time. If you know which one is the requested one, run 'terraform state rm ADDRESS', and import it:", id)+c.described(fitting)+
			"\n\nTo manage none of them, only run 'terraform state rm ADDRESS', and remove the block.")
}

// heldSnapshot is the error of deleting a snapshot that is held.
func heldSnapshot(title, where string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("on_destroy"), title+" Is Held",
		fmt.Sprintf("do_not_delete is true in %s, and on_destroy is \"delete\". This resource does not delete a snapshot that is held. "+
			"Set do_not_delete = false, or on_destroy = \"keep\", and apply that before you destroy the resource or change triggers. %s", where, keepDeposed))
}

// withoutSuccessor is the error of deleting a snapshot that no other one is known to replace.
func (c clusterSnapshots) withoutSuccessor(id string, s opsmanager.ClusterSnapshot, all []opsmanager.ClusterSnapshot) diag.Diagnostic {
	unknown := ""
	created := createdTime(s.Snapshot)
	if created == nil {
		unknown = "Ops Manager did not return when this one was created, so it is not known which ones are later. "
	}
	for _, other := range all {
		at := createdTime(other.Snapshot)
		otherID := tf.Text(other.ID)
		lacks := unsaid(other)
		isEarlier := created != nil && at != nil && at.Before(*created)
		if len(lacks) > 0 && !isEarlier && MayBeRestorable(other.RestorePoint()) && !strings.EqualFold(otherID, id) {
			unknown += fmt.Sprintf("Snapshot %s does not count, because Ops Manager did not return its %s. ", opsmanager.Sanitize(otherID), strings.Join(lacks, " and "))
		}
	}
	return diag.NewErrorDiagnostic(deleteSummary, fmt.Sprintf("Cluster %s has no later snapshot that is complete, so deleting snapshot %s could leave the cluster without a recent backup. %s"+
		"The snapshot stays in the Terraform state. Apply again after a later snapshot is complete. If this run terminates the backup, which deletes the snapshot, first set on_destroy = \"keep\" on the snapshot and apply that. To replace a snapshot, set create_before_destroy = true in its lifecycle block. "+
		"To keep the snapshot, set on_destroy = \"keep\" and apply that without a change of triggers. %s", c.cluster, id, unknown, keepDeposed))
}

// unsaid returns the fields that a snapshot lacks of those that say whether it can replace another one.
func unsaid(s opsmanager.ClusterSnapshot) (fields []string) {
	if createdTime(s.Snapshot) == nil {
		fields = append(fields, "created")
	}
	if s.Complete == nil {
		fields = append(fields, "complete")
	}
	if s.RestorePoint().MissingShards == nil {
		fields = append(fields, "missingShards")
	}
	if !isHeld(s) && tf.ParseTime(s.Expires) == nil {
		fields = append(fields, "expires")
	}
	return fields
}

const keepDeposed = "To keep that of a deposed object, run 'terraform state rm ADDRESS', and import the current snapshot again."
