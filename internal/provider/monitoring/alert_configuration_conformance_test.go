package monitoring_test

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	alertConfigType = "opsmanager_alert_configuration"
	oplogBehind     = "66a0c1d2e3f405162738495a" // of all owners and backup administrators, by email
	oplogWebhook    = "66a0c1d2e3f405162738495b"
	backupAgentDown = "66a0c1d2e3f405162738495e"
	managedID       = "66a0c1d2e3f4051627384999"
)

// notificationAttributes are the attributes of a notification, by their name in the API.
var notificationAttributes = map[string]string{
	"typeName": "type_name", "delayMin": "delay_min", "intervalMin": "interval_min", "emailEnabled": "email_enabled",
	"smsEnabled": "sms_enabled", "roles": "roles",
	"emailAddress": "email_address", "mobileNumber": "mobile_number", "username": "username",
}

func alertConfigID(v values) string {
	id, _ := v["alert_configuration_id"].(string)
	if id == "" {
		id = managedID
	}
	project, _ := v["project_id"].(string)
	return strings.ToLower(project + "/" + id)
}

// group returns a notification of the members of a project.
func group(more values) values {
	return values{
		"type_name": "GROUP", "delay_min": 0, "interval_min": 5, "email_enabled": true, "sms_enabled": false,
	}.With(more)
}

func email(address string, interval int) values {
	return values{"type_name": "EMAIL", "delay_min": 0, "interval_min": interval, "email_address": address}
}

// heldNotifications converts notifications to the form of the service.
func heldNotifications(list []any) []any {
	found := []any{}
	for _, element := range list {
		notification, _ := element.(values)
		held := object{}
		for field, attribute := range notificationAttributes {
			if notification[attribute] != nil {
				held[field] = notification[attribute]
			}
		}
		found = append(found, held)
	}
	return sorted(found)
}

// sorted sorts notifications, whose order means nothing.
func sorted(notifications []any) []any {
	slices.SortFunc(notifications, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return notifications
}

var alertConfigs = providertest.ResourceType{
	TypeName:   alertConfigType,
	IDs:        []string{"project_id", "alert_configuration_id"},
	ID:         alertConfigID,
	Attributes: map[string]string{"enabled": "enabled", "notifications": "notifications", "threshold": "threshold"},
	Fields: func(v values) object {
		fields := object{}
		for _, attribute := range []string{"enabled", "notifications", "threshold"} {
			if v[attribute] != nil {
				fields[attribute] = v[attribute]
			}
		}
		if list, ok := v["notifications"].([]any); ok {
			fields["notifications"] = heldNotifications(list)
		}
		if limit, ok := v["threshold"].(values); ok {
			fields["threshold"] = object{"operator": limit["operator"], "threshold": limit["value"]}
		}
		return fields
	},
	Settings: []string{"on_destroy", "deletion_protection"},
	Deletes:  func(state values) bool { return state["on_destroy"] != "keep" },
	Protects: func(state values) bool { return state["deletion_protection"] == true },

	Objects: []string{providertest.Payments + "/" + managedID, providertest.Payments + "/" + oplogWebhook},
	Object: func(s *providertest.Service, id string) object {
		project, one, _ := strings.Cut(id, "/")
		held := s.AlertConfig(project, one)
		if held == nil {
			return nil
		}
		notifications := []any{}
		elements, _ := held["notifications"].([]any)
		for _, element := range elements {
			known := object{}
			for field, value := range element.(object) {
				if notificationAttributes[field] != "" {
					known[field] = value
				}
			}
			notifications = append(notifications, known)
		}
		return object{"enabled": held["enabled"], "notifications": sorted(notifications), "threshold": held["threshold"]}
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		project, one, _ := strings.Cut(id, "/")
		s.SetAlertConfig(project, one, fields)
	},
	RemoveObject: func(s *providertest.Service, id string) {
		project, one, _ := strings.Cut(id, "/")
		s.RemoveAlertConfig(project, one)
	},
	Label: func(id string) string { return id[strings.LastIndex(id, "/")+1:] },
}

func alertConfigRegistrations() []providertest.Registration {
	byGroup := object{"typeName": "GROUP", "intervalMin": 5, "delayMin": 0, "emailEnabled": true, "smsEnabled": false}
	made := providertest.Registration{
		ResourceType: alertConfigs,
		Name:         "an alert configuration",
		Created:      true,
		Imported:     object{"eventTypeName": "RESYNC_REQUIRED", "enabled": true, "notifications": []any{byGroup}},
		Config: values{
			"project_id": providertest.Payments, "event_type": "RESYNC_REQUIRED", "enabled": true,
			"notifications": []any{group(nil), email("dba@example.com", 60)},
		},
		Changes: []values{
			{"enabled": false},
			{"notifications": []any{email("dba@example.com", 30), group(nil)}},
			{"notifications": []any{group(values{"roles": []any{"GROUP_OWNER"}})}},
			{"threshold": values{"operator": "GREATER_THAN", "value": 3}},
			{"on_destroy": "keep"},
			{"deletion_protection": true},
		},
		Drifts: []object{
			{"enabled": false},
			{"notifications": []any{byGroup, object{"typeName": "SMS", "mobileNumber": "2125550100", "delayMin": 0, "intervalMin": 5}}},
			{"notifications": []any{byGroup}},
		},
		Elsewhere:  values{"project_id": analytics},
		InvalidIDs: []string{"", "/", providertest.Payments, providertest.Payments + "/x", providertest.Payments + "/" + oplogWebhook},
		MissingID:  providertest.Payments + "/0123456789abcdef01234567",
	}
	limited := made
	limited.Name = "an alert configuration with a threshold"
	limited.Imported = object{
		"eventTypeName": "BAD_CLUSTERSHOTS", "enabled": false, "notifications": []any{byGroup}, "threshold": object{"operator": "GREATER_THAN", "threshold": 5},
	}
	limited.Config = values{
		"project_id": providertest.Payments, "event_type": "BAD_CLUSTERSHOTS", "enabled": false, "on_destroy": "keep",
		"notifications": []any{email("dba@example.com", 60)}, "threshold": values{"operator": "GREATER_THAN", "value": 2},
	}
	limited.Changes = []values{
		{"enabled": true},
		{"threshold": values{"operator": "LESS_THAN", "value": 2}},
		{"notifications": []any{values{
			"type_name": "USER", "username": "jane", "delay_min": 1, "interval_min": 5, "email_enabled": true, "sms_enabled": true,
		}}},
		{"on_destroy": "delete"},
	}
	limited.Drifts = []object{
		{"enabled": true},
		{"threshold": object{"operator": "GREATER_THAN", "threshold": 9}},
		{"notifications": []any{byGroup}},
	}
	limited.Options = emulator.Options{Unknowns: emulator.Unknowns{ReversesNotifications: true, ReturnsEmptyRoles: true}}
	return []providertest.Registration{made, limited}
}
