package alerts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// attributesOf has the attributes of each type of notification that can be managed. Those with ! are required.
var attributesOf = map[string]string{
	"GROUP": common + "email_enabled! sms_enabled! roles", "USER": common + "username! email_enabled! sms_enabled!", "EMAIL": common + "email_address!", "SMS": common + "mobile_number!",
}

const typeName, common = "type_name", typeName + "! delay_min! interval_min! "

type notification = opsmanager.AlertNotification

var notificationFields = tfmodel.Fields[notification]{
	tfmodel.TextField(typeName, func(n *notification) **string { return &n.TypeName }),
	tfmodel.NumberField("delay_min", func(n *notification) **int64 { return &n.DelayMin }),
	tfmodel.NumberField("interval_min", func(n *notification) **int64 { return &n.IntervalMin }),
	tfmodel.BoolField("email_enabled", func(n *notification) **bool { return &n.EmailEnabled }),
	tfmodel.BoolField("sms_enabled", func(n *notification) **bool { return &n.SMSEnabled }),
	tfmodel.TextsField("roles", func(n *notification) **[]string { return &n.Roles }).NullIfMissing(),
	tfmodel.TextField("email_address", func(n *notification) **string { return &n.EmailAddress }),
	tfmodel.TextField("mobile_number", func(n *notification) **string { return &n.MobileNumber }),
	tfmodel.TextField("username", func(n *notification) **string { return &n.Username }),
}

// The types of the values are those of the schema.
var (
	notificationTypes = notificationsAttribute.NestedObject.Type().(types.ObjectType) //nolint:forcetypeassert // nothing else
	thresholdTypes    = thresholdAttribute.GetType().(types.ObjectType).AttrTypes     //nolint:forcetypeassert // nothing else
)

// alertFields are the fields of an alert configuration that a configuration can set. Equal notifications are one.
var alertFields = tfmodel.Fields[opsmanager.AlertConfig]{
	tfmodel.TextField(eventType, func(a *opsmanager.AlertConfig) **string { return &a.EventTypeName }),
	tfmodel.BoolField(enabled, func(a *opsmanager.AlertConfig) **bool { return &a.Enabled }),
	tfmodel.SetField(notifications, func(a *opsmanager.AlertConfig) **[]notification { return &a.Notifications },
		notificationTypes, notificationFromAPI, notificationToAPI).NullIfMissing(),
	tfmodel.NewField(threshold, func(a *opsmanager.AlertConfig) **opsmanager.AlertThreshold { return &a.Threshold }, thresholdFromAPI, thresholdToAPI),
}

// notificationFromAPI returns a notification with defaults, and without what its type lacks.
func notificationFromAPI(n notification) attr.Value {
	n.DelayMin, n.EmailEnabled, n.SMSEnabled = cmp.Or(n.DelayMin, new(int64)), cmp.Or(n.EmailEnabled, new(bool)), cmp.Or(n.SMSEnabled, new(bool))
	if n.Roles != nil && len(*n.Roles) == 0 { // all of them
		n.Roles = nil
	}
	takes := cmp.Or(attributesOf[tfmodel.Text(n.TypeName)], common)
	known := notificationFields.Only(n, func(f tfmodel.Field[notification]) bool { return strings.Contains(takes, f.Attribute) })
	return types.ObjectValueMust(notificationTypes.AttrTypes, notificationFields.FromAPI(tfmodel.Values{}, known))
}

func notificationToAPI(value attr.Value) (n notification) {
	object, _ := value.(types.Object)
	notificationFields.Set(&n, object.Attributes())
	return n
}

func thresholdFromAPI(limit *opsmanager.AlertThreshold) attr.Value {
	if limit == nil {
		return types.ObjectNull(thresholdTypes)
	}
	return types.ObjectValueMust(thresholdTypes, tfmodel.Values{"operator": types.StringPointerValue(tfmodel.Normalized(limit.Operator)), "value": types.Float64PointerValue(limit.Threshold)})
}

func thresholdToAPI(value attr.Value) *opsmanager.AlertThreshold {
	object, _ := value.(types.Object)
	if object.IsNull() || !tfmodel.IsKnown(object) {
		return nil
	}
	return &opsmanager.AlertThreshold{Operator: tfmodel.As[types.String](object.Attributes(), "operator").ValueStringPointer(), Threshold: tfmodel.As[types.Float64](object.Attributes(), "value").ValueFloat64Pointer()}
}

// unmanageable returns the error for an alert configuration with members that the provider can't send back, or nil.
func unmanageable(a opsmanager.AlertConfig) diag.Diagnostic {
	var has []string
	for _, n := range *cmp.Or(a.Notifications, &[]notification{}) {
		if kind := tfmodel.Text(n.TypeName); attributesOf[kind] == "" {
			has = append(has, fmt.Sprintf("a notification of the type %q", opsmanager.Sanitize(kind)))
		}
	}
	if len(a.Matchers) > 0 || a.MetricThreshold != nil {
		has = append(has, "matchers or a metric")
	}
	if secrets := opsmanager.UnknownSecrets(a, a); len(secrets) > 0 {
		has = append(has, "members that may be masked: "+opsmanager.Sanitize(strings.Join(secrets, ", ")))
	}
	if a.EventTypeName != nil && !opsmanager.IsBackupEvent(*a.EventTypeName) {
		has = append(has, "an event that is about neither backups nor agents")
	}
	if len(has) == 0 {
		return nil
	}
	return diag.NewErrorDiagnostic("Alert Configuration Can't Be Managed", fmt.Sprintf("Alert configuration %s has %s. The provider can't send that back, so it does not change or delete the alert configuration. "+
		"Manage it in Ops Manager. If it is in the Terraform state, "+diagnostics.Forget+".", opsmanager.Sanitize(tfmodel.Text(a.ID)), strings.Join(has, ", ")))
}

// merge completes an alert configuration with the members of the live one that the provider does not know. A
// notification gets those of an equal one, or else of one to the same recipient: neither order nor IDs are reliable.
func merge(whole *opsmanager.AlertConfig, live opsmanager.AlertConfig) {
	whole.Unknown = live.Unknown
	if whole.Threshold != nil && live.Threshold != nil {
		limit := *live.Threshold
		limit.Operator, limit.Threshold = whole.Threshold.Operator, whole.Threshold.Threshold
		whole.Threshold = &limit
	}
	if whole.Notifications == nil || live.Notifications == nil || whole.Notifications == live.Notifications {
		return
	}
	recipient := func(n notification) string {
		return strings.Join([]string{tfmodel.Text(n.TypeName), tfmodel.Text(n.EmailAddress), tfmodel.Text(n.MobileNumber), tfmodel.Text(n.Username)}, "\n")
	}
	merged, left, isPaired := slices.Clone(*whole.Notifications), slices.Clone(*live.Notifications), map[int]bool{}
	for _, isExact := range []bool{true, false} {
		for i, n := range merged {
			j := slices.IndexFunc(left, func(held notification) bool {
				return recipient(held) == recipient(n) && (!isExact || notificationFromAPI(held).Equal(notificationFromAPI(n)))
			})
			if j >= 0 && !isPaired[i] {
				merged[i].Unknown, isPaired[i], left = left[j].Unknown, true, slices.Delete(left, j, j+1)
			}
		}
	}
	whole.Notifications = &merged
}
