package monitoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// The types of the API.
type (
	alertConfig  = opsmanager.AlertConfig
	notification = opsmanager.AlertNotification
	limit        = opsmanager.AlertThreshold
)

// Attributes.
const (
	projectID, configID, eventType    = "project_id", "alert_configuration_id", "event_type"
	enabled, notifications, threshold = "enabled", "notifications", "threshold"
)

// NewAlertConfigResource returns the resource opsmanager_alert_configuration.
var NewAlertConfigResource = alertType.Constructor()

var alertType = &putresource.Type[alertConfig]{
	Name:  "alert_configuration",
	Title: "Alert Configuration",
	Word:  "alert configuration",
	Description: "Manages who is notified of an event about the backups or the agents of a project, such as `RESYNC_REQUIRED`.\n\n" +
		"Creating this resource **creates** an alert configuration, even if an equal one exists. New projects contain several. The plan lists those of the same event, with `import` blocks to manage one of them instead.\n\n" +
		"-> Requires the role `Project Monitoring Admin`. The roles of backup administrators don't suffice.\n\n" +
		"!> Destroying this resource **deletes** the alert configuration in Ops Manager, even if it was imported, unless you set `on_destroy = \"keep\"`. Deleting or disabling one cancels its open alerts. Ops Manager may create default ones again.\n\n" +
		"The provider refuses to import, change or delete an alert configuration with matchers, or with notifications that contain a secret, such as webhooks and PagerDuty: Ops Manager masks secrets, so the provider can't send them back. " +
		"It also refuses events that are about neither backups nor agents, and global alert configurations.\n\n" +
		"If Ops Manager may have created one although the request failed, the error lists the new ones, and the provider stores none.",

	ID: tf.ImportID{
		Attributes: []string{projectID, configID},
		Separator:  "/",
		Texts:      []string{"ID of the project: 24 hexadecimal digits.", "ID of the alert configuration: 24 hexadecimal digits."},
		Advice:     "Import an alert configuration by project_id/alert_configuration_id.", // several may be equal except for their ID
	},
	Described: putresource.Described[alertConfig]{
		Fields:   alertFields,
		Required: []string{eventType, notifications},
		Attributes: map[string]schema.Attribute{
			projectID: tf.ObjectIDAttribute("ID of the project. Forces replacement."),
			configID: schema.StringAttribute{
				Computed:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
				MarkdownDescription: "ID of the alert configuration, which Ops Manager chooses.",
			},
			eventType: schema.StringAttribute{
				Required:            true,
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Name of the event, about backups or agents: `RESYNC_REQUIRED` (no new snapshots until a resync), `OPLOG_BEHIND`, `BAD_CLUSTERSHOTS` (failed snapshots of a sharded cluster), `BACKUP_AGENT_DOWN`, `MONITORING_AGENT_DOWN` or another one. The provider has no complete list. No event of a project reports a late snapshot: use the data source `opsmanager_backup_status`. Forces replacement.",
			},
			enabled:       tf.BoolAttribute("Whether the event opens an alert. `false` cancels the open ones." + tf.Kept + " `true` for a new one."),
			notifications: notificationsAttribute,
			threshold:     thresholdAttribute,
		},
	},
	Defaults: tf.Values{enabled: types.BoolValue(true)},

	Codes: []tf.Codes{projects.Codes, {Attributes: map[string]string{
		"GLOBAL_ALERTS_ONLY":                           eventType,
		"INVALID_EVENT_TYPE_FOR_ALERT":                 eventType,
		"MISSING_THRESHOLD":                            threshold,
		"THRESHOLD_PRESENT":                            threshold,
		"INVALID_OPERATOR_FOR_EVENT_TYPE":              threshold,
		"MISSING_NOTIFICATIONS":                        notifications,
		"TOO_MANY_GROUP_NOTIFICATIONS":                 notifications,
		"NONZERO_DELAY_REQUIRED":                       notifications,
		"NOTIFICATION_INTERVAL_OUT_OF_RANGE":           notifications,
		"EMAIL_OR_SMS_REQUIRED_FOR_GROUP_NOTIFICATION": notifications,
		"EMAIL_OR_SMS_REQUIRED_FOR_USER_NOTIFICATION":  notifications,
		"BAD_USERNAME_REF":                             notifications,
		"BAD_USERNAME_IN_GROUP_REF":                    notifications,
		"INVALID_EMAIL_ADDRESS":                        notifications,
		"INVALID_ROLE_FOR_GROUP":                       notifications,
	}}},
	Kind: opsmanager.ObjectAlertConfig,
	End: putresource.End[alertConfig]{
		Deletion: "That cancels its open alerts.",
		Holds: func(live alertConfig) string {
			return " Its event is " + opsmanager.Sanitize(tf.Text(live.EventTypeName)) + "."
		},
		InUse: "You can disable it instead.",
	},

	Object: func(id []string) alertConfig { return alertConfig{GroupID: &id[0], ID: &id[1]} },
	Calls: putresource.Calls[alertConfig]{
		Get: func(ctx context.Context, d *connection.Data, id []string) (*alertConfig, error) {
			return d.Client.AlertConfig(ctx, id[0], id[1])
		},
		Add: add,
		Put: func(ctx context.Context, d *connection.Data, a alertConfig) (*alertConfig, error) {
			return d.Client.UpdateAlertConfig(ctx, *a.GroupID, *a.ID, a)
		},
		Delete: func(ctx context.Context, d *connection.Data, id []string) error {
			return d.Client.DeleteAlertConfig(ctx, id[0], id[1])
		},
	},
	Merge:          merge,
	Recall:         recall,
	CannotSendBack: unmanageable,
	Validate:       validate,
	Check:          check,
}

var notificationsAttribute = schema.SetNestedAttribute{
	Required:            true,
	Validators:          []validator.Set{tf.NewValue(setvalidator.SizeAtLeast(1))},
	MarkdownDescription: "All who are notified: who is not in it no longer is. At most one may be `GROUP`.",
	NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		typeName: putresource.NewText("`GROUP` for the members of the project, `USER` for a user of Ops Manager, `EMAIL` for an address, or `SMS` for a telephone number. Other types need a secret, and are refused.",
			stringvalidator.OneOf(slices.Sorted(maps.Keys(attributesOf))...)),
		"delay_min":    minutes("Minutes that the event lasts before the first notification, `0` or more. Required for a change.", 0),
		"interval_min": minutes("Minutes between two notifications, `5` or more. Required for a change.", 5),
		"email_enabled": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether to send emails. Required for `GROUP` and `USER`, where this or `sms_enabled` must be `true`.",
		},
		"sms_enabled": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether to send text messages. Required for `GROUP` and `USER`.",
		},
		"roles": schema.SetAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			Validators:          []validator.Set{tf.NewValue(setvalidator.SizeAtLeast(1))},
			MarkdownDescription: "Roles of the members to notify, such as `GROUP_OWNER`, for `GROUP` only. If unset, all members.",
		},
		"email_address": text("Address. Required for `EMAIL`."),
		"mobile_number": text("Telephone number. Required for `SMS`."),
		"username":      text("Name of the user. Required for `USER`."),
	}},
}

var thresholdAttribute = schema.SingleNestedAttribute{
	Optional:            true,
	Computed:            true,
	MarkdownDescription: "Condition for opening an alert. Some events require it, others refuse it." + tf.Kept,
	Attributes: map[string]schema.Attribute{
		"operator": putresource.NewText("`GREATER_THAN` or `LESS_THAN`.", stringvalidator.OneOf("GREATER_THAN", "LESS_THAN")),
		"value": schema.Float64Attribute{
			Required:            true,
			Validators:          []validator.Float64{tf.NewValue(float64validator.AtLeast(0))},
			MarkdownDescription: "Value, `0` or more, such as the number of consecutive failures for `BAD_CLUSTERSHOTS`.",
		},
	},
}

func text(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		Validators:          []validator.String{notMasked, tf.NewValue(stringvalidator.LengthAtLeast(1))},
		MarkdownDescription: description,
	}
}

// notMasked rejects a recipient that was copied from a response with a mask.
var notMasked = tf.TextRule("Masked Recipient", "has a mask in place of a part. Configure the whole recipient",
	func(text string) bool { return !opsmanager.IsMask(text, opsmanager.InText) })

func minutes(description string, least int64) schema.Int64Attribute {
	return schema.Int64Attribute{
		Optional:            true,
		CustomType:          tf.WholeNumberType{},
		Validators:          []validator.Int64{tf.NewValue(int64validator.AtLeast(least))},
		MarkdownDescription: description,
	}
}

// validate rejects events that have nothing to do with backups.
func validate(config tf.Values, diags *diag.Diagnostics) {
	configured := tf.As[types.String](config, eventType)
	event := configured.ValueString()
	if meant := projects.Misspelled(event, opsmanager.ImportantEvents); meant != "" {
		diags.AddAttributeWarning(path.Root(eventType), "Event May Be Misspelled", fmt.Sprintf("The provider does not know the event %q. Did you mean %s?", event, meant))
	}
	if tf.IsKnown(configured) && !configured.IsNull() && !opsmanager.IsBackupEvent(event) {
		diags.AddAttributeError(path.Root(eventType), "Event Without a Relation to Backups", fmt.Sprintf("%q is about neither backups nor agents. This resource manages only alert configurations for events that are. Important ones: %s.", event, projects.Nearest(event, opsmanager.ImportantEvents, 3)))
	}
}

// checkNotifications rejects a change with notifications that lack what their type requires, or have what it lacks. A change
// sends all of them, and one without its minutes could reset them.
func checkNotifications(p putresource.Plan[alertConfig], diags *diag.Diagnostics) {
	if alertFields.AreMissing(p.Changed) {
		return
	}
	refuse := func(summary, format string, args ...any) {
		diags.AddAttributeError(path.Root(notifications), summary, fmt.Sprintf(format, args...)+tf.IfDestroying(p.Prior))
	}
	groups := 0
	for _, element := range tf.AddedElements(p.Config[notifications], nil) {
		object, _ := element.(types.Object)
		kind := tf.As[types.String](object.Attributes(), typeName).ValueString()
		if kind == "GROUP" {
			groups++
		}
		if isOff(object, "email_enabled") && isOff(object, "sms_enabled") {
			refuse("Notification Without a Way", "A notification of the type %s has email_enabled and sms_enabled false, so it notifies no one. Set one of them to true.", kind)
		}
		takes, isKnown := attributesOf[kind]
		var missing []string
		for attribute, value := range object.Attributes() {
			switch isRequired := strings.Contains(takes, attribute+"!"); {
			case !isKnown:
			case isRequired && value.IsNull():
				missing = append(missing, attribute)
			case !strings.Contains(takes, attribute) && !value.IsNull():
				refuse("Attribute of Another Notification", "A notification of the type %s has no %s. Remove it.", kind, attribute)
			}
		}
		if slices.Sort(missing); len(missing) > 0 {
			refuse("Missing Attribute of a Notification", "A notification of the type %s requires %s. "+
				"A change sends all notifications, also those for which Ops Manager did not return that.", kind, strings.Join(missing, " and "))
		}
	}
	if groups > 1 {
		refuse("Two Notifications of the Group", "Ops Manager accepts at most one notification of the type GROUP. Put the roles of all of them into one.")
	}
}

// isOff reports whether an attribute of a notification is known to be false.
func isOff(notification types.Object, attribute string) bool {
	return types.BoolValue(false).Equal(notification.Attributes()[attribute])
}

// check checks notifications, and names the alert configurations of the event that a creation adds one to, without those that
// this run is known to manage.
func check(ctx context.Context, d *connection.Data, p putresource.Plan[alertConfig], diags *diag.Diagnostics) {
	checkNotifications(p, diags)
	project := p.ID[0]
	event := tf.Text(p.Changed.EventTypeName)
	if p.Prior != nil || project == "" || event == "" {
		return
	}
	all, err := opsmanager.Identified(d.Client.ListAlertConfigs(ctx, project))
	if err != nil {
		diags.Append(tf.Failure("Unable to Preview Alert Configuration", err, projects.Codes))
		return
	}
	planned := putresource.AllPlanned(d, "alert_configuration")
	isManaged := func(a alertConfig) bool {
		return slices.ContainsFunc(planned, func(p putresource.Planned) bool {
			return hasID(a, p.ID[1])
		})
	}
	if others := importIDs(project, event, slices.DeleteFunc(all.Results, isManaged)); others != "" {
		diags.AddWarning(fmt.Sprintf("Project %s Has Alert Configurations for %s", project, event), "Each that is enabled notifies, and this resource adds one. To manage one of these instead, import its ID:"+others)
	}
}

func hasID(a alertConfig, id string) bool { return strings.EqualFold(tf.Text(a.ID), id) }

// add creates an alert configuration. If the response does not say which one, found lists what is new.
func add(ctx context.Context, d *connection.Data, wanted alertConfig) (id []string, created *alertConfig, found string, err error) {
	project := *wanted.GroupID
	event := *wanted.EventTypeName
	type all = opsmanager.List[alertConfig]
	read := func(ctx context.Context) (*all, error) {
		return opsmanager.Identified(d.Client.ListAlertConfigs(ctx, project))
	}
	before, err := read(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	request := func(attempt context.Context, now *all) (*all, error) {
		before = now
		created, err = d.Client.CreateAlertConfig(attempt, project, wanted)
		return now, err
	}
	_, err = opsmanager.Change(ctx, d.Client, opsmanager.ObjectAlertConfig, before, read, request)
	existed := func(a alertConfig) bool {
		return slices.ContainsFunc(before.Results, func(b alertConfig) bool {
			return hasID(b, tf.Text(a.ID))
		})
	}
	switch {
	case err != nil && !opsmanager.MayHaveChanged(err):
		return nil, nil, "", err
	case err != nil:
	case isResponse(*created, event) && !existed(*created):
		return []string{project, strings.ToLower(*created.ID)}, created, "", nil
	default:
		err = errors.New("the response has no ID, or that of another alert configuration")
	}
	after, unlisted := read(ctx)
	if unlisted != nil {
		return nil, nil, "It could not list what is new. " + tf.Sentence(unlisted), err
	}
	lines := importIDs(project, event, slices.DeleteFunc(after.Results, existed))
	if lines == "" {
		return nil, nil, "It found no new alert configuration for the event, but one may still appear. Check that before you apply again.", err
	}
	return nil, nil, "It found these new alert configurations for the event, which may be this one or those of another resource or client. To manage one, import its ID:" + lines, err
}

// isResponse reports whether a response may be that of the creation of an alert configuration for an event.
func isResponse(created alertConfig, event string) bool {
	isForEvent := created.EventTypeName == nil || *created.EventTypeName == event
	return isForEvent && tf.IsObjectID(tf.Text(created.ID))
}

// importIDs returns a line with the import ID for each alert configuration of an event, or says that it can't be imported.
func importIDs(project, event string, all []alertConfig) (text string) {
	for _, a := range all {
		id := opsmanager.Sanitize(tf.Text(a.ID)) + " (" + notifies(a) + ")"
		switch {
		case tf.Text(a.EventTypeName) != event:
		case unmanageable(a) != nil:
			text += "\n  - " + id + " can't be imported: it has fields that this resource doesn't manage."
		default:
			state := ""
			if a.Enabled != nil && !*a.Enabled {
				state = " (disabled: set enabled = true)"
			}
			text += "\n  - " + project + "/" + id + state
		}
	}
	return text
}

// notifies names the event of an alert configuration, and whom it notifies.
func notifies(a alertConfig) string {
	var recipients []string
	for _, n := range a.Notifications.Elements() {
		recipients = append(recipients, strings.TrimSpace(tf.Text(n.TypeName)+" "+tf.Text(n.EmailAddress)))
	}
	return opsmanager.Sanitize(tf.Text(a.EventTypeName) + " to " + cmp.Or(strings.Join(recipients, ", "), "no one"))
}

// NewAlertConfigList returns the list resource opsmanager_alert_configuration.
var NewAlertConfigList = sources.ListResource[alertConfig]{
	Name:        "alert_configuration",
	Title:       "Alert Configurations",
	Codes:       []tf.Codes{projects.Codes},
	Description: "Lists the alert configurations of a project about backups and agents, sorted by event, then by ID. One that the resource can't manage is left out with a warning.",
	Requires:    "the role `Project Read Only`",
	Attributes:  map[string]listschema.Attribute{projectID: sources.QueryID("ID of the project")},
	Read: func(ctx context.Context, q sources.Query) (*opsmanager.List[alertConfig], error) {
		return q.Client.ListAlertConfigs(ctx, q.ID(projectID))
	},
	Sort: func(all []alertConfig) []alertConfig {
		return tf.Sorted(all,
			tf.By(func(a alertConfig) *string { return a.EventTypeName }),
			tf.By(func(a alertConfig) *string { return a.ID }))
	},
	Object: func(ctx context.Context, q sources.Query, live alertConfig) sources.Listed {
		object := alertType.Listed(live, q.ID(projectID), tf.Text(live.ID))
		reason := object.LeftOut
		switch refused := unmanageable(live); {
		case live.EventTypeName != nil && !opsmanager.IsBackupEvent(*live.EventTypeName):
			reason = "The resource manages only alert configurations for events that are about backups or agents."
		case refused != nil:
			reason = refused.Detail()
		}
		object.Name = listedName(live)
		if reason != "" {
			return sources.LeftOut(object.Name, reason)
		}
		return object
	},
}.Constructor()

// listedName returns the event and the ID of an alert configuration, as far as it has them.
func listedName(live alertConfig) string {
	event := tf.Text(live.EventTypeName)
	id := tf.Text(live.ID)
	if event == "" || id == "" {
		return event + id
	}
	return event + " (" + id + ")"
}

// attributesOf has the attributes of each type of notification that can be managed. Those with ! are required.
var attributesOf = map[string]string{
	"GROUP": common + "email_enabled! sms_enabled! roles",
	"USER":  common + "username! email_enabled! sms_enabled!",
	"EMAIL": common + "email_address!",
	"SMS":   common + "mobile_number!",
}

const typeName, common = "type_name", typeName + "! delay_min! interval_min! "

// sampleNotification says where a notification has its fields.
var sampleNotification notification

var notificationFields = putresource.Describe(&sampleNotification, []putresource.Field{
	{Attribute: "delay_min", At: &sampleNotification.DelayMin},
	{Attribute: "interval_min", At: &sampleNotification.IntervalMin},
	{Attribute: typeName, At: &sampleNotification.TypeName},
	{Attribute: "email_enabled", At: &sampleNotification.EmailEnabled},
	{Attribute: "sms_enabled", At: &sampleNotification.SMSEnabled},
	{Attribute: "roles", At: &sampleNotification.Roles},
	{Attribute: "email_address", At: &sampleNotification.EmailAddress},
	{Attribute: "mobile_number", At: &sampleNotification.MobileNumber},
	{Attribute: "username", At: &sampleNotification.Username},
}, map[string]schema.Attribute{}).Fields

// minuteFields are the fields of a notification without which a response says nothing about them.
var minuteFields = notificationFields[:2]

// The types of the values are those of the schema.
var (
	notificationTypes = notificationsAttribute.NestedObject.Type().(types.ObjectType) //nolint:forcetypeassert // nothing else
	thresholdTypes    = thresholdAttribute.GetType().(types.ObjectType).AttrTypes     //nolint:forcetypeassert // nothing else
)

// sampleConfig says where an alert configuration has its fields.
var sampleConfig alertConfig

// alertFields are the fields of an alert configuration that a configuration can set. Equal notifications are one.
var alertFields = tf.Fields[alertConfig]{
	tf.TextField(eventType, putresource.At(&sampleConfig, &sampleConfig.EventTypeName)),
	tf.BoolField(enabled, putresource.At(&sampleConfig, &sampleConfig.Enabled)).Absent(tf.Needed),
	tf.SetField(
		notifications, putresource.At(&sampleConfig, &sampleConfig.Notifications),
		notificationTypes, notificationFromAPI, notificationToAPI,
	).Absent(tf.Unsaid),
	tf.NewField(threshold, putresource.At(&sampleConfig, &sampleConfig.Threshold), thresholdFromAPI, thresholdToAPI).
		Absent(tf.UnsetOnceReturned),
}

// notificationFromAPI returns a notification without what its type lacks.
func notificationFromAPI(n notification) attr.Value {
	if n.Roles != nil && len(*n.Roles) == 0 { // all of them
		n.Roles = nil
	}
	takes := cmp.Or(attributesOf[tf.Text(n.TypeName)], common)
	known := notificationFields.Only(n, func(f tf.Field[notification]) bool {
		return strings.Contains(takes, f.Attribute)
	})
	return types.ObjectValueMust(notificationTypes.AttrTypes, notificationFields.FromAPI(tf.Values{}, known))
}

func notificationToAPI(value attr.Value) (n notification) {
	object, _ := value.(types.Object)
	notificationFields.Set(&n, object.Attributes())
	return n
}

func thresholdFromAPI(l *limit) attr.Value {
	if l == nil {
		return types.ObjectNull(thresholdTypes)
	}
	return types.ObjectValueMust(thresholdTypes, tf.Values{
		"operator": types.StringPointerValue(tf.Normalized(l.Operator)),
		"value":    types.Float64PointerValue(l.Threshold),
	})
}

func thresholdToAPI(value attr.Value) *limit {
	object, _ := value.(types.Object)
	if object.IsNull() || !tf.IsKnown(object) {
		return nil
	}
	values := object.Attributes()
	return &limit{
		Operator:  tf.As[types.String](values, "operator").ValueStringPointer(),
		Threshold: tf.As[types.Float64](values, "value").ValueFloat64Pointer(),
	}
}

// unmanageable returns the error for an alert configuration with fields that the provider can't send back, or nil.
func unmanageable(a alertConfig) diag.Diagnostic {
	var has []string
	note := func(what string) { has = append(has, what) }
	for _, n := range a.Notifications.Elements() {
		kind := tf.Text(n.TypeName)
		if attributesOf[kind] == "" {
			note(fmt.Sprintf("a notification of the type %q", opsmanager.Sanitize(kind)))
		}
		for _, to := range []*string{n.EmailAddress, n.MobileNumber, n.Username} {
			if opsmanager.IsMask(tf.Text(to), opsmanager.InText) {
				note("a notification with a masked recipient")
			}
		}
		for _, f := range notificationFields {
			isNeeded := strings.Contains(attributesOf[kind], f.Attribute+"!") && !strings.Contains(common, f.Attribute)
			if isNeeded && f.IsMissing(n) {
				note("a notification whose " + f.Attribute + " Ops Manager did not return")
			}
		}
	}
	if len(a.Matchers) > 0 || a.MetricThreshold != nil {
		note("matchers or a metric")
	}
	if secrets := opsmanager.UnknownSecrets(a, a); len(secrets) > 0 {
		note("fields that may be masked: " + opsmanager.Sanitize(strings.Join(secrets, ", ")))
	}
	if a.EventTypeName == nil {
		note("no event in what Ops Manager returned")
	} else if !opsmanager.IsBackupEvent(*a.EventTypeName) {
		note("an event that is about neither backups nor agents")
	}
	if len(has) == 0 {
		return nil
	}
	return diag.NewErrorDiagnostic("Alert Configuration Can't Be Managed", fmt.Sprintf("Alert configuration %s has %s. The provider can't send that back, so it does not change or delete the alert configuration. "+
		"Manage it in Ops Manager. If it is in the Terraform state, "+tf.Forget+".", opsmanager.Sanitize(tf.Text(a.ID)), strings.Join(has, ", ")))
}

// recall sets the minutes that a response leaves out of a notification to those of a known one that is equal otherwise.
func recall(response *alertConfig, known alertConfig) {
	if response.Notifications == nil || known.Notifications == nil {
		return
	}
	completed := slices.Clone(*response.Notifications)
	left := slices.Clone(*known.Notifications)
	for i, n := range completed {
		isSame := func(k notification) bool {
			return notificationFromAPI(minuteFields.Complete(n, k)).Equal(notificationFromAPI(k))
		}
		if at := slices.IndexFunc(left, isSame); at >= 0 {
			completed[i] = minuteFields.Complete(n, left[at])
			left = slices.Delete(left, at, at+1)
		}
	}
	response.Notifications = &completed
}

// merge completes an alert configuration with the members of the live one that the provider does not know.
func merge(whole *alertConfig, live alertConfig) {
	whole.Unknown = live.Unknown
	if whole.Threshold != nil && live.Threshold != nil {
		merged := *live.Threshold
		merged.Operator = whole.Threshold.Operator
		merged.Threshold = whole.Threshold.Threshold
		whole.Threshold = &merged
	}
	whole.Notifications = notificationElements.Keep(whole.Notifications, live.Notifications)
}

// notificationElements are the notifications of an alert configuration. One that changes keeps its recipient.
var notificationElements = putresource.Elements[notification]{
	Value: notificationFromAPI,
	Name: func(n notification) string {
		recipient := tf.Text(n.EmailAddress) + "\n" + tf.Text(n.MobileNumber) + "\n" + tf.Text(n.Username)
		return tf.Text(n.TypeName) + "\n" + recipient
	},
	Unknown: func(n *notification) *opsmanager.UnknownFields { return &n.Unknown },
}
