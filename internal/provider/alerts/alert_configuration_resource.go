// Package alerts implements the resource and the list resource of alert configurations.
package alerts

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type alertConfigResource struct{ connection.Resource }

// NewAlertConfigResource returns the resource opsmanager_alert_configuration.
func NewAlertConfigResource() resource.Resource { return &alertConfigResource{} }

func (r *alertConfigResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_alert_configuration"
}

// Attributes.
const (
	projectID, configID, eventType, onDestroy = "project_id", "alert_configuration_id", "event_type", "on_destroy"
	enabled, notifications, threshold         = "enabled", "notifications", "threshold"
)

func (r *alertConfigResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: []validator.String{stringvalidator.LengthAtLeast(1)}}
	}
	minutes := func(description string, least int64) schema.Int64Attribute {
		return schema.Int64Attribute{Required: true, CustomType: tfmodel.WholeNumberType{}, MarkdownDescription: description, Validators: []validator.Int64{int64validator.AtLeast(least)}}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages who is notified of an event about the backups or the agents of a project, such as `RESYNC_REQUIRED`.\n\n" +
			"Creating this resource **creates** an alert configuration, even if an equal one exists: projects begin with several. The plan names those of the same event, with the `import` block that manages one of them instead.\n\n" +
			"-> Requires the role `Project Monitoring Admin`. The roles of backup administrators don't suffice.\n\n" +
			"!> Destroying this resource **deletes** the alert configuration in Ops Manager, even if it was imported, unless you set `on_destroy = \"keep\"`. Deleting or disabling one cancels its open alerts. Ops Manager may create its defaults again.\n\n" +
			"Ops Manager masks secrets, so the provider can't send back notifications with a secret, such as webhooks and PagerDuty, nor matchers. It refuses to import, change or delete an alert configuration that has them. " +
			"It also refuses events that are about neither backups nor agents, and global alert configurations.\n\n" +
			"If Ops Manager may have created one although the request failed, the error lists the new ones. The provider then stores none of them.",
		Attributes: map[string]schema.Attribute{
			projectID: attributes.ObjectID("ID of the project. Forces replacement."),
			eventType: schema.StringAttribute{
				Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Name of the event, about backups or agents: `RESYNC_REQUIRED` (no new snapshots until a resync), `OPLOG_BEHIND`, `BAD_CLUSTERSHOTS` (failed snapshots of a sharded cluster), `BACKUP_AGENT_DOWN`, `MONITORING_AGENT_DOWN` or another one. The provider has no complete list. No event of a project tells that a snapshot is late: use [`opsmanager_backup_status`](../data-sources/backup_status.md). Forces replacement.",
			},
			enabled: schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether the event opens an alert. `false` cancels the open ones. Defaults to `true`.",
			},
			notifications: schema.SetNestedAttribute{
				Required: true, Validators: []validator.Set{setvalidator.SizeAtLeast(1)}, MarkdownDescription: "Who is notified: at most one `GROUP`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"type_name": schema.StringAttribute{
						Required: true, Validators: []validator.String{stringvalidator.OneOf("GROUP", "USER", "EMAIL", "SMS")},
						MarkdownDescription: "`GROUP` for the members of the project, `USER` for a user of Ops Manager, `EMAIL` for an address, or `SMS` for a telephone number. Other types need a secret, and are refused.",
					},
					"delay_min":     minutes("Minutes that the event lasts before the first notification, `0` or more.", 0),
					"interval_min":  minutes("Minutes between two notifications, `5` or more.", 5),
					"email_enabled": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to send emails. Required for `GROUP` and `USER`, which need this or `sms_enabled`."},
					"sms_enabled":   schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to send text messages. Required for `GROUP` and `USER`."},
					"roles": schema.SetAttribute{
						Optional: true, ElementType: types.StringType, Validators: []validator.Set{setvalidator.SizeAtLeast(1)},
						MarkdownDescription: "Roles of the members to notify, such as `GROUP_OWNER`, for `GROUP` only. If unset, all members.",
					},
					"email_address": text("Address. Required for `EMAIL`."),
					"mobile_number": text("Telephone number. Required for `SMS`."),
					"username":      text("Name of the user. Required for `USER`."),
				}},
			},
			threshold: schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "When the event opens an alert. The event decides whether it is required or refused. If unset, the value in Ops Manager is kept, and is not in the state.",
				Attributes: map[string]schema.Attribute{
					"operator": schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.OneOf("GREATER_THAN", "LESS_THAN")}, MarkdownDescription: "`GREATER_THAN` or `LESS_THAN`."},
					"value":    schema.Float64Attribute{Required: true, Validators: []validator.Float64{float64validator.AtLeast(0)}, MarkdownDescription: "Value, `0` or more, such as the number of consecutive failures for `BAD_CLUSTERSHOTS`."},
				},
			},
			onDestroy: schema.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.OneOf("delete", "keep")},
				MarkdownDescription: "What happens when you destroy: `delete` deletes the alert configuration, and `keep` only removes it from the state. Apply a change before you destroy. Defaults to `delete`.",
			},
			configID: schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}, MarkdownDescription: "ID of the alert configuration, which Ops Manager chooses."},
		},
	}
}

// configIdentity identifies an alert configuration.
type configIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
	ID        types.String `tfsdk:"alert_configuration_id"`
}

func identityOf(v tfmodel.Values) configIdentity {
	return configIdentity{tfmodel.As[types.String](v, projectID), tfmodel.As[types.String](v, configID)}
}

// idsOf returns the IDs of the project and of the alert configuration.
func idsOf(v tfmodel.Values) (project, id string) {
	return strings.ToLower(identityOf(v).ProjectID.ValueString()), identityOf(v).ID.ValueString()
}

func (r *alertConfigResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{
		projectID: identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the project: 24 hexadecimal digits."},
		configID:  identityschema.StringAttribute{RequiredForImport: true, Description: "ID of the alert configuration: 24 hexadecimal digits."},
	}
}

// ImportState imports an alert configuration by its ID only: several may be equal. Read says why it can't be imported.
func (r *alertConfigResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	imports.ID{Attributes: []string{projectID, configID}, Separator: "/", Advice: "Import an alert configuration by project_id/alert_configuration_id."}.Set(ctx, req, resp)
}

// ValidateConfig rejects events that have nothing to do with backups, and attributes that a type of notification
// lacks.
func (r *alertConfigResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := tfmodel.ValuesFrom(ctx, req.Config, &resp.Diagnostics)
	event := tfmodel.As[types.String](config, eventType)
	if meant := projects.Misspelled(event.ValueString(), opsmanager.ImportantEvents); meant != "" {
		resp.Diagnostics.AddAttributeWarning(path.Root(eventType), "Event May Be Misspelled", fmt.Sprintf("The provider does not know the event %q. Did you mean %s?", event.ValueString(), meant))
	}
	if !event.IsNull() && !event.IsUnknown() && !opsmanager.IsBackupEvent(event.ValueString()) {
		resp.Diagnostics.AddAttributeError(path.Root(eventType), "Event Without a Relation to Backups", fmt.Sprintf("%q is about neither backups nor agents. This resource manages only alert configurations for such events.", event.ValueString()))
	}
	for _, element := range elementsOf(config) {
		at := path.Root(notifications).AtSetValue(element)
		kind := tfmodel.As[types.String](element.Attributes(), "type_name").ValueString()
		for attribute, value := range element.Attributes() {
			takes, isKnown := attributesOf[kind]
			switch required := strings.Contains(takes, attribute+"!"); {
			case !isKnown:
			case required && value.IsNull():
				resp.Diagnostics.AddAttributeError(at.AtName(attribute), "Missing Attribute of a Notification", fmt.Sprintf("A notification of the type %s requires %s.", kind, attribute))
			case !strings.Contains(takes, attribute) && !value.IsNull():
				resp.Diagnostics.AddAttributeError(at.AtName(attribute), "Attribute of Another Notification", fmt.Sprintf("A notification of the type %s has no %s. Remove it.", kind, attribute))
			}
		}
	}
}

// runs has what the plans of a run do with each alert configuration.
var runs connection.Shared[connection.Tracker[string, planned]]

type planned struct{ kept, deleted bool }

// ModifyPlan says what a creation and a destroy do. Two resources must not manage one alert configuration.
func (r *alertConfigResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	prior, plan := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics), tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics)
	if prior != nil {
		_, id := idsOf(prior)
		stays := plan != nil && plan[projectID].Equal(prior[projectID]) && plan[eventType].Equal(prior[eventType])
		if !stays && !deletes(prior) {
			resp.Diagnostics.AddWarning(fmt.Sprintf("Alert Configuration %s Will Be Removed Only From the State", id), "on_destroy in the Terraform state is \"keep\", so destroying this resource sends no request.")
			return
		}
		if !stays {
			resp.Diagnostics.AddWarning(fmt.Sprintf("Alert Configuration %s Will Be Deleted", id), "That cancels its open alerts. To keep it, set on_destroy = \"keep\" and apply that first.")
		}
		before := runs.Of(r.Data).Plan(id, func(p *planned) { p.kept, p.deleted = p.kept || stays, p.deleted || !stays })
		if before.kept || before.deleted && stays {
			resp.Diagnostics.AddError("Alert Configuration in Two Resources", fmt.Sprintf("Two resources of this plan manage or delete alert configuration %s. Remove one of them from the Terraform state only, with a removed block or 'terraform state rm ADDRESS'. If you renamed the resource, add a moved block.", id))
		}
		return
	}
	project, _ := idsOf(plan)
	event := tfmodel.As[types.String](plan, eventType).ValueString()
	if plan == nil || r.Data == nil || r.Client == nil || project == "" || event == "" {
		return
	}
	all, err := r.Client.ListAlertConfigs(ctx, project)
	if err != nil {
		resp.Diagnostics.Append(diagnostics.Failure("Unable to Preview Alert Configuration", err, projects.Codes))
	} else if existing := importBlocks(project, event, all.Results); existing != "" {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Project %s Has Alert Configurations for %s", project, event), "The apply creates another one, and each of them notifies. To manage one of these instead, import it:"+existing)
	}
}

func deletes(state tfmodel.Values) bool {
	return tfmodel.As[types.String](state, onDestroy).ValueString() != "keep"
}

var codes = diagnostics.Codes{Attributes: map[string]string{
	"GLOBAL_ALERTS_ONLY": eventType, "INVALID_EVENT_TYPE_FOR_ALERT": eventType, "MISSING_THRESHOLD": threshold, "THRESHOLD_PRESENT": threshold, "INVALID_OPERATOR_FOR_EVENT_TYPE": threshold,
	"MISSING_NOTIFICATIONS": notifications, "TOO_MANY_GROUP_NOTIFICATIONS": notifications, "NONZERO_DELAY_REQUIRED": notifications, "NOTIFICATION_INTERVAL_OUT_OF_RANGE": notifications,
	"EMAIL_OR_SMS_REQUIRED_FOR_GROUP_NOTIFICATION": notifications, "EMAIL_OR_SMS_REQUIRED_FOR_USER_NOTIFICATION": notifications,
	"BAD_USERNAME_REF": notifications, "BAD_USERNAME_IN_GROUP_REF": notifications, "INVALID_EMAIL_ADDRESS": notifications, "INVALID_ROLE_FOR_GROUP": notifications,
}}

func failure(verb string, err error) diag.Diagnostic {
	return diagnostics.Failure("Unable to "+verb+" Alert Configuration", err, projects.Codes, codes)
}

// isGone reports whether an error says, with its code, that there is no such alert configuration.
func isGone(err error) bool {
	e, ok := errors.AsType[*opsmanager.Error](err)
	return ok && opsmanager.IsGone(err) && e.Code == "ALERT_CONFIG_NOT_FOUND"
}

// Read refreshes the state. Without notifications in the state, it reads an import.
func (r *alertConfigResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, identityOf(state))...)
	if resp.Diagnostics.HasError() || r.KeepsState(&resp.Diagnostics) {
		return
	}
	isImport := state[notifications].IsNull()
	live, err := r.read(ctx, state)
	switch {
	case isGone(err) && !isImport:
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.Append(failure("Read", err))
		return
	}
	if d := unmanageable(*live); d != nil && isImport {
		resp.Diagnostics.Append(d)
		return
	} else if d != nil { // the next change is refused
		resp.Diagnostics.AddWarning("Alert Configuration "+tfmodel.Text(live.ID)+" Can't Be Changed", d.Detail())
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, fromAPI(state, *live))...)
}

func (r *alertConfigResource) read(ctx context.Context, v tfmodel.Values) (*opsmanager.AlertConfig, error) {
	project, id := idsOf(v)
	return r.Client.AlertConfig(ctx, project, id)
}

// Create creates an alert configuration. It stores nothing unless the response has its ID.
func (r *alertConfigResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready("Unable to Create Alert Configuration", &resp.Diagnostics) {
		return
	}
	wanted, event := merged(opsmanager.AlertConfig{}, plan), tfmodel.As[types.String](plan, eventType).ValueString()
	wanted.EventTypeName = &event
	project, _ := idsOf(plan)
	before, err := r.Client.ListAlertConfigs(ctx, project)
	if err != nil {
		resp.Diagnostics.Append(failure("Create", err))
		return
	}
	existed := func(a opsmanager.AlertConfig) bool {
		return slices.ContainsFunc(before.Results, func(b opsmanager.AlertConfig) bool { return strings.EqualFold(tfmodel.Text(a.ID), tfmodel.Text(b.ID)) })
	}
	created, err := r.Client.CreateAlertConfig(ctx, project, wanted)
	switch {
	case err != nil && !opsmanager.MayHaveChanged(err):
		resp.Diagnostics.Append(failure("Create", err))
		return
	case err == nil && (!attributes.IsObjectID(tfmodel.Text(created.ID)) || existed(*created) || created.EventTypeName != nil && *created.EventTypeName != event):
		err = errors.New("the response has no ID, or that of another alert configuration")
	}
	if err != nil {
		d, found := failure("Create", err), "It could not list what is new. "
		if after, err := r.Client.ListAlertConfigs(ctx, project); err != nil {
			found += diagnostics.Sentence(err)
		} else {
			found = "It found these new alert configurations for the event, which may be this one or those of another resource or client. To manage one, import it:" + importBlocks(project, event, slices.DeleteFunc(after.Results, existed))
		}
		resp.Diagnostics.Append(diagnostics.WithTexts(d, d.Summary(), d.Detail()+"\n\nThe provider stored nothing. "+found))
		return
	}
	plan[configID] = types.StringValue(strings.ToLower(*created.ID))
	for _, d := range r.settle(ctx, plan, managed, created, false) { // an error would taint the resource
		resp.Diagnostics.AddWarning(d.Summary(), d.Detail())
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, plan)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, identityOf(plan))...)
}

// Update changes what the plan changes, and sends everything else as it is live.
func (r *alertConfigResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, prior := tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics), tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	changes := different(plan, prior, managed)
	if resp.Diagnostics.HasError() || len(changes) > 0 && !r.Ready("Unable to Update Alert Configuration", &resp.Diagnostics) {
		return
	}
	if len(changes) > 0 {
		left := func(saw tfmodel.Values) []string {
			return slices.DeleteFunc(different(saw, plan, changes), func(attribute string) bool { return plan[attribute].IsNull() })
		}
		live, err := r.change(ctx, "Update", prior, left, func(ctx context.Context, now opsmanager.AlertConfig, saw tfmodel.Values, left []string) (*opsmanager.AlertConfig, error) {
			project, id := idsOf(plan)
			if held := fromAPI(plan, now)[threshold]; slices.Contains(left, threshold) && prior[threshold].IsNull() && now.Threshold != nil && !held.Equal(plan[threshold]) {
				return nil, diagnostics.Explained{Diagnostic: diag.NewAttributeErrorDiagnostic(path.Root(threshold), "Unable to Update Alert Configuration", fmt.Sprintf("Alert configuration %s has a threshold that the plan did not show: %s. "+
					"The provider left it as it is. Configure this threshold first, apply, and then configure the new one.", id, held))}
			}
			if slices.Equal(left, []string{enabled}) {
				return r.Client.ChangeAlertConfigEnabled(ctx, project, id, tfmodel.As[types.Bool](plan, enabled).ValueBool())
			}
			for _, attribute := range left {
				saw[attribute] = plan[attribute]
			}
			whole := merged(now, saw)
			if !slices.Contains(left, notifications) && len(whole.Notifications) < len(now.Notifications) { // equal ones are one in the state
				whole.Notifications = now.Notifications
			}
			return r.Client.UpdateAlertConfig(ctx, project, id, whole)
		})
		if err != nil {
			resp.Diagnostics.Append(failure("Update", err))
			return
		}
		if resp.Diagnostics.Append(r.settle(ctx, plan, changes, live, true)...); resp.Diagnostics.HasError() {
			plan = fromAPI(plan, *live)
		}
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, plan)...)
	resp.Diagnostics.Append(tfmodel.Write(ctx, resp.Identity, identityOf(plan))...)
}

// Delete does what on_destroy says in the state. It refuses to delete what is not as in the state.
func (r *alertConfigResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !deletes(state) || !r.Ready("Unable to Delete Alert Configuration", &resp.Diagnostics) {
		return
	}
	all := func(tfmodel.Values) []string { return managed }
	_, err := r.change(ctx, "Delete", state, all, func(ctx context.Context, _ opsmanager.AlertConfig, _ tfmodel.Values, _ []string) (*opsmanager.AlertConfig, error) {
		project, id := idsOf(state)
		return nil, r.Client.DeleteAlertConfig(ctx, project, id)
	})
	if err != nil && !isGone(err) {
		resp.Diagnostics.Append(failure("Delete", err))
	}
}

// change changes or deletes an alert configuration, unless it has members that can't be sent back, or what is left to
// change is not as the plan saw it. All of it is sent, so it waits while anything differs, which may be an old value.
func (r *alertConfigResource) change(ctx context.Context, verb string, prior tfmodel.Values, left func(saw tfmodel.Values) []string, write func(ctx context.Context, now opsmanager.AlertConfig, saw tfmodel.Values, left []string) (*opsmanager.AlertConfig, error)) (*opsmanager.AlertConfig, error) {
	read := func(ctx context.Context) (*opsmanager.AlertConfig, error) { return r.read(ctx, prior) }
	live, err := read(ctx)
	if err != nil {
		return nil, err
	}
	return opsmanager.Change(ctx, r.Client, live, read, func(attempt context.Context, now *opsmanager.AlertConfig) (*opsmanager.AlertConfig, error) {
		saw := fromAPI(prior, *now) // with the prior value of what the response lacks
		agrees := func() bool {
			return len(left(saw)) == 0 || len(different(saw, prior, slices.Concat(managed, []string{eventType}))) == 0
		}
		if !agrees() {
			r.Settle(ctx, func() bool {
				if later, err := read(ctx); err == nil {
					now, saw = later, fromAPI(prior, *later)
				}
				return agrees()
			})
		}
		todo := left(saw)
		switch d := unmanageable(*now); {
		case d != nil:
			return nil, diagnostics.Explained{Diagnostic: d}
		case now.EventTypeName == nil || now.Enabled == nil || now.Notifications == nil:
			return nil, errors.New("the response lacks the event, enabled or the notifications, so the provider can't send them back. No changes were made")
		case len(todo) == 0:
			return now, nil
		}
		if err := changedSincePlan(verb, prior, saw, append(todo, eventType)); err != nil {
			return nil, err
		}
		return write(attempt, *now, saw, todo)
	})
}

// settle waits until Ops Manager returns the planned values, and returns an error for each that it has adjusted. It
// sets live to what Ops Manager returned last. What was not read yet must also be readable: else the next refresh could
// remove it from the state.
func (r *alertConfigResource) settle(ctx context.Context, plan tfmodel.Values, changes []string, live *opsmanager.AlertConfig, isRead bool) (diags diag.Diagnostics) {
	agrees := func() bool { return isRead && len(different(fromAPI(plan, *live), plan, changes)) == 0 }
	if !agrees() {
		r.Settle(ctx, func() bool {
			if now, err := r.read(ctx, plan); err == nil {
				*live, isRead = *now, true
			}
			return agrees()
		})
	}
	for _, attribute := range different(fromAPI(plan, *live), plan, changes) {
		diags.AddAttributeError(path.Root(attribute), "Ops Manager Adjusted the Value", fmt.Sprintf("Ops Manager accepted %s of alert configuration %s, and has a different value now. Plan again to see it.", attribute, tfmodel.As[types.String](plan, configID).ValueString()))
	}
	return diags
}

// nulls matches attributes of notifications that are null.
var nulls = regexp.MustCompile(`,"\w+":<null>|"\w+":<null>,`)

// changedSincePlan returns the error for attributes that are not as the plan saw them, or nil if there is none.
func changedSincePlan(verb string, saw, now tfmodel.Values, attributes []string) error {
	var texts []string
	for _, attribute := range different(now, saw, attributes) {
		text := fmt.Sprintf("%s is %s, and the plan showed %s", attribute, now[attribute], saw[attribute])
		texts = append(texts, opsmanager.Sanitize(nulls.ReplaceAllString(text, "")))
	}
	if texts == nil {
		return nil
	}
	_, id := idsOf(saw)
	again := map[string]string{"Update": "Plan again.", "Delete": diagnostics.RefreshFirst}[verb]
	return diagnostics.Explained{Diagnostic: diag.NewErrorDiagnostic("Unable to "+verb+" Alert Configuration",
		fmt.Sprintf("Alert configuration %s changed since the plan: %s. The provider left it as it is. %s", id, strings.Join(texts, "; "), again))}
}

// importBlocks returns an import block for each alert configuration of an event, or says that it can't be imported.
func importBlocks(project, event string, all []opsmanager.AlertConfig) (text string) {
	for _, a := range all {
		id := opsmanager.Sanitize(tfmodel.Text(a.ID))
		switch {
		case tfmodel.Text(a.EventTypeName) != event:
		case unmanageable(a) != nil:
			text += "\n\n  # " + id + " can't be imported: it has members that this resource doesn't manage."
		default:
			text += fmt.Sprintf("\n\n  import {\n    to = opsmanager_alert_configuration.example\n    id = \"%s/%s\"\n  }", project, id)
		}
	}
	return text
}
