package monitoring

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

const monitoringDown = "MONITORING_AGENT_DOWN"

// NewBackupAlertsDataSource returns the data source opsmanager_backup_alerts.
var NewBackupAlertsDataSource = sources.DataSource{
	Name:    "backup_alerts",
	Summary: "Unable to Read Backup Alerts",
	Schema: schema.Schema{
		MarkdownDescription: "Reads the open alerts about backups and agents, and finds the projects without an alert configuration for an important event.\n\n" +
			"-> Requires the role `Project Read Only` in each project.\n\n" +
			"Without an enabled alert configuration, an event opens none: see `unwatched`. While monitoring is down, other alerts are silent.\n\n" +
			"If a project can't be read, the data source fails and names it. It does not read global alert configurations or alerts.",
		Attributes: map[string]schema.Attribute{
			"project_ids": ids("IDs of the projects to read: 24 hexadecimal digits each. Defaults to all projects of the API key.", setvalidator.SizeAtLeast(1)),
			"important_events": schema.SetAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
				MarkdownDescription: "Events that `unwatched` looks for. Defaults to `" + strings.Join(opsmanager.ImportantEvents, "`, `") + "`: [what they mean](https://www.mongodb.com/docs/ops-manager/current/reference/alert-types/).",
			},
			"alerts": alertObject.MapAttribute("The open alerts about backups and agents, by their ID."),
			"problems": schema.MapAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "A sentence for each open alert, by its ID, such as `Payments: BACKUP_AGENT_DOWN is open, about archive-0.example.com:27017.`",
			},
			"unwatched": schema.MapAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "A sentence for each project that lacks an enabled alert configuration for one of the events, by its ID.",
			},
			"monitoring_down": schema.MapAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "A sentence for each project whose monitoring is down, by its ID. Also for one where that is not known, because no enabled alert configuration watches `MONITORING_AGENT_DOWN`.",
			},
		},
	},
	Read: readAlerts,
}.Constructor()

var alertObject = sources.ObjectOf(
	sources.String("project_id", "ID of the project.", func(a openAlert) *string { return &a.project.id }),
	sources.String("project_name", "Name of the project, or its ID if it has none.", func(a openAlert) *string { return &a.project.name }),
	sources.String("event_type", "Name of the event.", func(a openAlert) *string { return a.EventTypeName }),
	sources.ID("alert_configuration_id", "ID of the alert configuration.", func(a openAlert) *string { return a.AlertConfigID }),
	sources.String("created", "Time when it was opened, ISO 8601.", func(a openAlert) *string { return a.Created }),
	sources.String("acknowledged_until", "Time until which it is acknowledged, ISO 8601. Null if it never was.", func(a openAlert) *string { return a.AcknowledgedUntil }),
	sources.ID("cluster_id", "ID of the cluster. Null if it is not about one.", func(a openAlert) *string { return a.ClusterID }),
	sources.String("cluster_name", "Name of the cluster.", func(a openAlert) *string { return a.ClusterName }),
	sources.String("host", "Host name and port. Null if it is not about a host.", func(a openAlert) *string { return a.HostnameAndPort }),
)

// openAlert is an open alert of a project.
type openAlert struct {
	opsmanager.Alert
	project
}

func readAlerts(
	ctx context.Context, client *opsmanager.Client, config sources.Config, diags *diag.Diagnostics,
) (map[string]attr.Value, error) {
	events := opsmanager.ImportantEvents
	if set := tf.As[types.Set](config, "important_events"); !set.IsNull() {
		events, _ = tf.Texts(set)
		slices.Sort(events)
	}
	r := reader{
		client:      client,
		projectIDs:  lower(config, "project_ids"),
		concurrency: 10,
	}
	selected, err := r.projects(ctx)
	open := make([][]opsmanager.Alert, len(selected))
	configured := make([][]opsmanager.AlertConfig, len(selected))
	if err == nil {
		err = r.eachProject(ctx, selected, func(ctx context.Context, i int) error {
			alerts, err := client.ListOpenAlerts(ctx, selected[i].id)
			if err != nil {
				return err
			}
			configs, err := opsmanager.Identified(client.ListAlertConfigs(ctx, selected[i].id))
			if err == nil {
				open[i] = alerts.Results
				configured[i] = configs.Results
			}
			return err
		})
	}
	if err != nil {
		diags.AddAttributeError(path.Root("project_ids"), "Unable to Read Backup Alerts", tf.Sentence(err))
		return nil, nil
	}
	alerts := map[string]openAlert{}
	problems := map[string]attr.Value{}
	unwatched := map[string]attr.Value{}
	silent := map[string]attr.Value{}
	for i, p := range selected {
		isUnwatched := func(event string) bool {
			return !slices.ContainsFunc(configured[i], func(a opsmanager.AlertConfig) bool {
				isOn := a.Enabled != nil && *a.Enabled
				notifies := a.Notifications != nil && len(*a.Notifications) > 0
				isLimited := len(a.Matchers) > 0 || a.MetricThreshold != nil
				return tf.Text(a.EventTypeName) == event && isOn && notifies && !isLimited
			})
		}
		if isUnwatched(monitoringDown) {
			silent[p.id] = types.StringValue(p.name + ": it is not known whether monitoring is down, because no enabled alert configuration watches " + monitoringDown + ".")
		}
		for _, a := range open[i] {
			switch {
			case a.EventTypeName != nil && !opsmanager.IsBackupEvent(*a.EventTypeName) && !slices.Contains(events, *a.EventTypeName):
				continue
			case !isID(a.ID):
				return nil, fmt.Errorf("an open alert of project %s has no ID. %s", p, reportToAdministrator)
			}
			event := printable(cmp.Or(a.EventTypeName, new("an unnamed event")))
			about := printable(cmp.Or(a.ClusterName, a.HostnameAndPort, new("the project")))
			alerts[*a.ID] = openAlert{a, p}
			problems[*a.ID] = types.StringValue(fmt.Sprintf("%s: %s is open, about %s.", p.name, event, about))
			if event == monitoringDown {
				silent[p.id] = types.StringValue(p.name + ": monitoring is down, so other alerts are silent.")
			}
		}
		var missing []string
		for _, event := range events {
			if isUnwatched(event) {
				missing = append(missing, event)
			}
		}
		if len(missing) > 0 {
			unwatched[p.id] = types.StringValue(fmt.Sprintf("%s: no enabled alert configuration for %s.", p.name, strings.Join(missing, ", ")))
		}
	}
	texts := func(found map[string]attr.Value) attr.Value {
		return types.MapValueMust(types.StringType, found)
	}
	return map[string]attr.Value{
		"alerts":          alertObject.Map(alerts),
		"problems":        texts(problems),
		"unwatched":       texts(unwatched),
		"monitoring_down": texts(silent),
	}, nil
}
