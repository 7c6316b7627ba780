package opsmanager

import (
	"context"
	"net/http"
	"slices"
)

// ProjectMonitoringAdmin is the lowest role that may change alert configurations. The roles of backup
// administrators don't suffice.
const ProjectMonitoringAdmin Role = "Project Monitoring Admin"

// AlertConfig says which event of a project opens an alert, and who is notified. A nil field is not sent in a
// request. In a response it was missing or null.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alert-configurations-create-config/
type AlertConfig struct {
	ID            *string                      `json:"id,omitempty"`      // 24 hexadecimal digits; not sent
	GroupID       *string                      `json:"groupId,omitempty"` // not sent
	EventTypeName *string                      `json:"eventTypeName,omitempty"`
	Enabled       *bool                        `json:"enabled,omitempty"` // a request without it disables
	Notifications *Replaced[AlertNotification] `json:"notifications,omitempty"`
	Threshold     *AlertThreshold              `json:"threshold,omitempty"` // the event decides whether it is required, allowed or refused

	Matchers        []AlertDetails `json:"matchers,omitempty"`        // restrict it to some hosts or clusters
	MetricThreshold *AlertDetails  `json:"metricThreshold,omitempty"` // of OUTSIDE_METRIC_THRESHOLD

	Created  *string       `json:"created,omitempty"`  // not sent
	Updated  *string       `json:"updated,omitempty"`  // not sent
	TypeName *string       `json:"typeName,omitempty"` // deprecated; not sent
	Links    []Link        `json:"links,omitempty"`    // not sent
	Unknown  UnknownFields `json:",embed"`
}

func (a AlertConfig) ids() []string { return []string{stringValue(a.GroupID), stringValue(a.ID)} }

// AlertNotification says who is notified, and how often.
type AlertNotification struct {
	ID           *string           `json:"id,omitempty"` // not sent
	TypeName     *string           `json:"typeName,omitempty"`
	DelayMin     *int64            `json:"delayMin,omitempty"`     // minutes before the first notification
	IntervalMin  *int64            `json:"intervalMin,omitempty"`  // minutes between notifications, 5 or more
	EmailEnabled *bool             `json:"emailEnabled,omitempty"` // of GROUP and USER
	SMSEnabled   *bool             `json:"smsEnabled,omitempty"`   // of GROUP and USER
	Roles        *Replaced[string] `json:"roles,omitempty"`        // of GROUP; all if it is missing, and an empty list is refused
	EmailAddress *string           `json:"emailAddress,omitempty"` // of EMAIL
	MobileNumber *string           `json:"mobileNumber,omitempty"` // of SMS
	Username     *string           `json:"username,omitempty"`     // of USER

	Unknown UnknownFields `json:",embed"` // also all members of the types with a secret
}

func (AlertNotification) ids() []string { return nil }

// AlertThreshold is a limit of an event.
type AlertThreshold struct {
	Operator  *string  `json:"operator,omitempty"` // GREATER_THAN or LESS_THAN
	Threshold *float64 `json:"threshold,omitempty"`
	Units     *string  `json:"units,omitempty"` // in responses

	Unknown UnknownFields `json:",embed"`
}

func (AlertThreshold) ids() []string { return nil }

// AlertDetails are members of an alert configuration that only events without a relation to backups have.
type AlertDetails struct {
	Unknown UnknownFields `json:",embed"`
}

func (AlertDetails) ids() []string { return nil }

// alertConfigEndpoint returns an endpoint for all alert configurations of a project, or for one.
func alertConfigEndpoint(method string, effect effect, projectID string, id ...string) endpoint {
	e := inProject(projectID, append([]string{"alertConfigs"}, id...)...)
	if effect != readOnly {
		e = e.changing(method, effect)
		e.role = ProjectMonitoringAdmin
	}
	for _, one := range id {
		e = e.about(hexID("id", one))
	}
	return e
}

// ListAlertConfigs lists the alert configurations of a project. Their order is not documented, and several
// may be equal except for their ID.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alert-configurations-get-all-configs/
func (c *Client) ListAlertConfigs(ctx context.Context, projectID string) (*List[AlertConfig], error) {
	return list[AlertConfig](ctx, c, alertConfigEndpoint(http.MethodGet, readOnly, projectID), Page{})
}

// AlertConfig returns an alert configuration. It fails with ALERT_CONFIG_NOT_FOUND (404) if there is none.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alert-configurations-get-config/
func (c *Client) AlertConfig(ctx context.Context, projectID, id string) (*AlertConfig, error) {
	return call[AlertConfig](ctx, c, alertConfigEndpoint(http.MethodGet, readOnly, projectID, id), nil)
}

// CreateAlertConfig creates an alert configuration. Ops Manager chooses its ID, and accepts one that equals
// another. Change repeats the request only if the first attempt cannot have taken effect.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alert-configurations-create-config/
func (c *Client) CreateAlertConfig(ctx context.Context, projectID string, config AlertConfig) (*AlertConfig, error) {
	return call[AlertConfig](ctx, c, alertConfigEndpoint(http.MethodPost, starts, projectID), config.body())
}

// UpdateAlertConfig replaces an alert configuration. Nil fields may be reset to their defaults.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alert-configurations-update-config/
func (c *Client) UpdateAlertConfig(ctx context.Context, projectID, id string, config AlertConfig) (*AlertConfig, error) {
	return call[AlertConfig](ctx, c, alertConfigEndpoint(http.MethodPut, changes, projectID, id), config.body())
}

// DeleteAlertConfig deletes an alert configuration, which cancels its open alerts.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/alert-configurations-delete-config/
func (c *Client) DeleteAlertConfig(ctx context.Context, projectID, id string) error {
	return c.do(ctx, alertConfigEndpoint(http.MethodDelete, changes, projectID, id), nil, nil)
}

// body returns the members that a request may have.
func (a AlertConfig) body() AlertConfig {
	a.ID = nil
	a.GroupID = nil
	a.Created = nil
	a.Updated = nil
	a.TypeName = nil
	a.Links = nil
	if a.Notifications != nil {
		sent := slices.Clone(*a.Notifications)
		for i, n := range sent {
			sent[i].ID = nil
			if n.Roles != nil && len(*n.Roles) == 0 { // which may be returned for all roles
				sent[i].Roles = nil
			}
		}
		a.Notifications = &sent
	}
	return a
}
