package modules

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewBackupModuleList returns the list resource opsmanager_backup_module.
var NewBackupModuleList = listresources.List[opsmanager.Project]{
	Name: "backup_module", Title: "Backup Modules",
	Description: "Lists the projects that have hosts with an active backup module, sorted by name, and these hosts.\n\nA project whose automation configuration can't be read is left out with a warning.",
	Requires:    "the role `Project Automation Admin` in each project",
	AtOnce:      4,
	Read: func(ctx context.Context, q listresources.Query) (*opsmanager.List[opsmanager.Project], error) {
		return q.Client.ListProjects(ctx)
	},
	Sort: func(all []opsmanager.Project) []opsmanager.Project {
		return tfmodel.Sorted(all, tfmodel.By(func(p opsmanager.Project) *string { return p.Name }))
	},
	Object: func(ctx context.Context, q listresources.Query, project opsmanager.Project) (*listresources.Object, diag.Diagnostic) {
		id := tfmodel.Text(project.ID)
		if !attributes.IsObjectID(id) {
			return nil, nil // it can't be imported
		}
		live, err := q.Client.AutomationConfig(ctx, id)
		switch {
		case opsmanager.IsGone(err):
			return nil, nil
		case err != nil:
			d := failure(readSummary, err)
			return nil, diag.NewWarningDiagnostic("Backup Modules of Project "+id+" Not Listed", d.Detail())
		case len(live.BackupModules()) == 0:
			return nil, nil
		}
		resource := tfmodel.Values{projectID: types.StringValue(id), hostnames: setOf(distinct(live.BackupModules()))}
		name := id
		if project.Name != nil {
			name = *project.Name
		}
		return &listresources.Object{Name: name, Identity: importID.Of(resource), Resource: resource}, nil
	},
}.Constructor()
