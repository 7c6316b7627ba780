package schedules

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewSnapshotScheduleList returns the list resource opsmanager_snapshot_schedule.
var NewSnapshotScheduleList = listresources.List[projects.Backup]{
	Name: "snapshot_schedule", Title: "Snapshot Schedules", Codes: []diagnostics.Codes{projects.Codes},
	Description: "Lists the snapshot schedules of a project, sorted by cluster name.\n\n" +
		"`include_resource = true` reads each schedule. A schedule that can't be read is left out with a warning.",
	Requires:   "the role `Project Read Only`",
	Attributes: map[string]schema.Attribute{"project_id": listresources.ID("ID of the project")},
	Read:       projects.ListBackups,
	Sort: func(backups []projects.Backup) []projects.Backup {
		isEnded := func(b projects.Backup) bool { return tfmodel.Text(b.Config.StatusName) == opsmanager.StatusInactive } // or never started
		return slices.DeleteFunc(backups, isEnded)
	},
	Object: func(ctx context.Context, q listresources.Query, b projects.Backup) (*listresources.Object, diag.Diagnostic) {
		schedule := snapshotScheduleModel{ClusterIdentity: projects.ClusterIdentityOf(q.ID("project_id"), *b.Cluster.ID), Overwrites: types.ObjectNull(overwritesTypes)}
		name := *b.Cluster.NameOrID()
		if q.IncludesResource {
			live, err := read(ctx, q.Data, q.ID("project_id"), *b.Cluster.ID)
			switch {
			case opsmanager.IsGone(err):
				return nil, nil
			case err != nil:
				// An error would end the query because of one cluster.
				return nil, diag.NewWarningDiagnostic(fmt.Sprintf("Snapshot Schedule of Cluster %s Not Listed", name), diagnostics.Explain(err, projects.Codes, projects.ClusterCodes, Codes))
			}
			schedule = schedule.refreshed(*live)
		}
		return &listresources.Object{Name: name, Identity: tfmodel.ValuesOf(schedule.ClusterIdentity), Resource: tfmodel.ValuesOf(schedule)}, nil
	},
	AtOnce: 8,
}.Constructor()
