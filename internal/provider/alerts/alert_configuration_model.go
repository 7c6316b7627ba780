package alerts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// attributesOf has the attributes of each type of notification that can be managed. Those with ! are required.
var attributesOf = map[string]string{
	"GROUP": common + "email_enabled! sms_enabled! roles", "USER": common + "username! email_enabled! sms_enabled!", "EMAIL": common + "email_address!", "SMS": common + "mobile_number!",
}

const common = "type_name! delay_min! interval_min! "

// managed are the attributes that an update changes.
var managed = []string{enabled, notifications, threshold}

type notification = opsmanager.AlertNotification

var rolesField = tfmodel.TextsField("roles", func(n *notification) **[]string { return &n.Roles }).NullIfMissing()

var notificationFields = tfmodel.Fields[notification]{
	tfmodel.TextField("type_name", func(n *notification) **string { return &n.TypeName }),
	tfmodel.NumberField("delay_min", func(n *notification) **int64 { return &n.DelayMin }),
	tfmodel.NumberField("interval_min", func(n *notification) **int64 { return &n.IntervalMin }),
	tfmodel.BoolField("email_enabled", func(n *notification) **bool { return &n.EmailEnabled }),
	tfmodel.BoolField("sms_enabled", func(n *notification) **bool { return &n.SMSEnabled }),
	tfmodel.TextField("email_address", func(n *notification) **string { return &n.EmailAddress }),
	tfmodel.TextField("mobile_number", func(n *notification) **string { return &n.MobileNumber }),
	tfmodel.TextField("username", func(n *notification) **string { return &n.Username }),
	rolesField,
}

var notificationTypes, thresholdTypes = func() map[string]attr.Type {
	all := map[string]attr.Type{}
	for _, f := range notificationFields {
		all[f.Attribute] = f.Value(notification{}).Type(context.Background())
	}
	all["delay_min"], all["interval_min"] = tfmodel.WholeNumberType{}, tfmodel.WholeNumberType{} // as in the schema
	return all
}(), map[string]attr.Type{"operator": types.StringType, "value": types.Float64Type}

// unmanageable returns the error for an alert configuration with members that the provider can't send back, or nil.
func unmanageable(a opsmanager.AlertConfig) diag.Diagnostic {
	var has []string
	for _, n := range a.Notifications {
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
		"Manage it in Ops Manager. If it is in the Terraform state, remove it from there with a removed block, or set on_destroy = \"keep\".", opsmanager.Sanitize(tfmodel.Text(a.ID)), strings.Join(has, ", ")))
}

// elementsOf returns the notifications of a configuration, a plan or a state.
func elementsOf(v tfmodel.Values) (found []types.Object) {
	for _, element := range tfmodel.As[types.Set](v, notifications).Elements() {
		object, _ := element.(types.Object)
		found = append(found, object)
	}
	return found
}

// pair returns for each wanted notification the one that Ops Manager holds for it, or nil: an equal one, or else one
// to the same recipient. It also returns the others. Neither their order nor their IDs are reliable. A wanted one
// gets what the provider does not know of its pair, and a held one is without what its type lacks.
func pair(v tfmodel.Values, held []notification) (wanted []notification, pairs []*notification, others []notification) {
	for _, element := range elementsOf(v) {
		var n notification
		notificationFields.Set(&n, element.Attributes())
		wanted = append(wanted, n)
	}
	for _, n := range held {
		if takes := attributesOf[tfmodel.Text(n.TypeName)]; takes != "" {
			known := notificationFields.Only(n, func(f tfmodel.Field[notification]) bool { return strings.Contains(takes, f.Attribute) })
			known.Unknown = n.Unknown
			others = append(others, known)
		}
	}
	recipient := func(n notification) string {
		return strings.Join([]string{tfmodel.Text(n.TypeName), tfmodel.Text(n.EmailAddress), tfmodel.Text(n.MobileNumber), tfmodel.Text(n.Username)}, "\n")
	}
	pairs = make([]*notification, len(wanted))
	for _, isExact := range []bool{true, false} {
		for i, w := range wanted {
			j := slices.IndexFunc(others, func(n notification) bool {
				return recipient(w) == recipient(n) && (!isExact || len(notificationFields.Differences(w, n)) == 0)
			})
			if pairs[i] == nil && j >= 0 {
				pairs[i], wanted[i].Unknown = new(others[j]), others[j].Unknown
				others = slices.Delete(others, j, j+1)
			}
		}
	}
	return wanted, pairs, others
}

// fromAPI returns values with what a response has. What it lacks keeps its value, except for a threshold. One that is
// not in the state is left out. Only an import has no notifications. Equal notifications are one.
func fromAPI(prior tfmodel.Values, live opsmanager.AlertConfig) tfmodel.Values {
	state, before := maps.Clone(prior), elementsOf(prior)
	if live.EventTypeName != nil {
		state[eventType] = types.StringPointerValue(tfmodel.Normalized(live.EventTypeName))
	}
	if live.Enabled != nil {
		state[enabled] = types.BoolPointerValue(live.Enabled)
	}
	if limit := live.Threshold; limit == nil {
		state[threshold] = types.ObjectNull(thresholdTypes)
	} else if before == nil || !prior[threshold].IsNull() {
		state[threshold] = types.ObjectValueMust(thresholdTypes, map[string]attr.Value{"operator": types.StringPointerValue(tfmodel.Normalized(limit.Operator)), "value": types.Float64PointerValue(limit.Threshold)})
	}
	if live.Notifications == nil {
		return state
	}
	elements := []attr.Value{}
	add := func(values tfmodel.Values, n notification) {
		values = notificationFields.FromAPI(values, n)
		if values["roles"] = rolesField.Value(n); n.Roles == nil || len(*n.Roles) == 0 {
			values["roles"] = types.SetNull(types.StringType)
		}
		if value := types.ObjectValueMust(notificationTypes, values); !slices.ContainsFunc(elements, value.Equal) {
			elements = append(elements, value)
		}
	}
	_, pairs, others := pair(prior, live.Notifications)
	for i, n := range pairs {
		if n != nil {
			add(before[i].Attributes(), *n)
		}
	}
	for _, n := range others {
		add(tfmodel.Values{}, n)
	}
	state[notifications] = types.SetValueMust(types.ObjectType{AttrTypes: notificationTypes}, elements)
	return state
}

// different returns those attributes whose values differ.
func different(a, b tfmodel.Values, attributes []string) []string {
	return slices.DeleteFunc(slices.Clone(attributes), func(attribute string) bool { return a[attribute].Equal(b[attribute]) })
}

// merged returns a live alert configuration with the values of a plan.
func merged(live opsmanager.AlertConfig, plan tfmodel.Values) opsmanager.AlertConfig {
	live.Enabled = tfmodel.BoolPointer(tfmodel.As[types.Bool](plan, enabled))
	if limit := tfmodel.As[types.Object](plan, threshold); !limit.IsNull() {
		operator, value := tfmodel.As[types.String](limit.Attributes(), "operator"), tfmodel.As[types.Float64](limit.Attributes(), "value")
		live.Threshold = new(*cmp.Or(live.Threshold, new(opsmanager.AlertThreshold))) // with what the provider doesn't know
		live.Threshold.Operator, live.Threshold.Threshold = operator.ValueStringPointer(), value.ValueFloat64Pointer()
	}
	live.Notifications, _, _ = pair(plan, live.Notifications)
	return live
}
