package alerts

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/listresources"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// NewAlertConfigList returns the list resource opsmanager_alert_configuration.
var NewAlertConfigList = listresources.List[opsmanager.AlertConfig]{
	Name: "alert_configuration", Title: "Alert Configurations", Codes: []diagnostics.Codes{projects.Codes},
	Description: "Lists the alert configurations of a project about backups and agents, sorted by event, then by ID. One that the resource can't manage is left out with a warning.",
	Requires:    "the role `Project Read Only`",
	Attributes:  map[string]schema.Attribute{projectID: listresources.ID("ID of the project")},
	Read: func(ctx context.Context, q listresources.Query) (*opsmanager.List[opsmanager.AlertConfig], error) {
		return q.Client.ListAlertConfigs(ctx, q.ID(projectID))
	},
	Sort: func(all []opsmanager.AlertConfig) []opsmanager.AlertConfig {
		return tfmodel.Sorted(all,
			tfmodel.By(func(a opsmanager.AlertConfig) *string { return a.EventTypeName }),
			tfmodel.By(func(a opsmanager.AlertConfig) *string { return a.ID }))
	},
	Object: func(_ context.Context, q listresources.Query, live opsmanager.AlertConfig) (*listresources.Object, diag.Diagnostic) {
		id, event := tfmodel.Text(live.ID), tfmodel.Text(live.EventTypeName)
		object := alertType.Listed(live, q.ID(projectID), id)
		if object == nil || !opsmanager.IsBackupEvent(event) {
			return nil, nil // it can't be imported
		}
		if d := unmanageable(live); d != nil {
			return nil, diag.NewWarningDiagnostic("Alert Configuration "+id+" Not Listed", d.Detail())
		}
		object.Name = fmt.Sprintf("%s (%s)", event, id)
		return object, nil
	},
}.Constructor()
