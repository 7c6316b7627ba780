package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// notificationFields are the fields of a notification.
var notificationFields = union(readOnly("id", "teamName"), members{
	"typeName":            {isValid: isText, required: true},
	"delayMin":            {isValid: isWhole},
	"intervalMin":         {isValid: isWhole},
	"emailEnabled":        {isValid: isBoolean},
	"smsEnabled":          {isValid: isBoolean},
	"roles":               {isValid: isListOfTexts},
	"emailAddress":        {isValid: isText},
	"mobileNumber":        {isValid: isText},
	"username":            {isValid: isText},
	"teamId":              {isValid: isText},
	"channelName":         {isValid: isText},
	"apiToken":            {isValid: isText, secret: true},
	"datadogApiKey":       {isValid: isText, secret: true},
	"datadogRegion":       {isValid: isText},
	"opsGenieApiKey":      {isValid: isText, secret: true},
	"opsGenieRegion":      {isValid: isText},
	"serviceKey":          {isValid: isText, secret: true},
	"victorOpsApiKey":     {isValid: isText, secret: true},
	"victorOpsRoutingKey": {isValid: isText, secret: true},
	"webhookSecret":       {isValid: isText, secret: true},
	"webhookUrl":          {isValid: isText, secret: true},

	"microsoftTeamsWebhookUrl": {isValid: isText, secret: true},
	"webhookBodyTemplate":      {isValid: isText, secret: true, since: version{8, 0, 10}},
	"webhookHeadersTemplate":   {isValid: isText, secret: true, since: version{8, 0, 10}},
})

// alertConfigFields are the fields of an alert configuration.
var alertConfigFields = union(readOnly("id", "groupId", "created", "updated", "links"), members{
	"typeName":        {isValid: isText, ignored: true},
	"eventTypeName":   {isValid: isText, required: true},
	"enabled":         {isValid: isBoolean},
	"notifications":   {isValid: isListOfObjects, nested: notificationFields},
	"matchers":        {isValid: isListOfObjects},
	"metricThreshold": {isValid: isObject},
	"threshold": {
		isValid: isObject,
		nested: members{
			"operator": {
				values:   []string{"GREATER_THAN", "LESS_THAN"},
				required: true,
			},
			"threshold": {
				isValid:  hasType[json.Number],
				required: true,
			},
			"units": {isValid: isText},
		},
	},
})

// alertFields are the fields of an alert.
var alertFields = readOnly(
	"id",
	"groupId",
	"alertConfigId",
	"eventTypeName",
	"status",
	"created",
	"updated",
	"resolved",
	"lastNotified",
	"acknowledgedUntil",
	"acknowledgementComment",
	"acknowledgingUsername",
	"clusterId",
	"clusterName",
	"replicaSetName",
	"sourceTypeName",
	"hostId",
	"hostnameAndPort",
	"metricName",
	"currentValue",
	"links",
)

var alertConfigType = resourceType{
	routes: func(e *Emulator) []route {
		const all = "/groups/{project}/alertConfigs"
		const one = all + "/{alertConfig}"
		return []route{
			{http.MethodGet, all, uncopied, listQuery, e.listAlertConfigs},
			{http.MethodPost, all, uncopied | forMonitoring, singleQuery, e.createAlertConfig},
			{http.MethodGet, one, uncopied, singleQuery, e.getAlertConfig},
			{http.MethodPut, one, uncopied | forMonitoring, singleQuery, e.putAlertConfig},
			{http.MethodDelete, one, uncopied | forMonitoring, singleQuery, e.deleteAlertConfig},
			{http.MethodGet, "/groups/{project}/alerts", uncopied, append([]string{"status"}, listQuery...), e.listAlerts},
		}
	},
	check: func(s *Seed) error {
		for i := range s.Projects {
			if err := s.Projects[i].alertConfigs().check(); err != nil {
				return err
			}
		}
		return nil
	},
	complete: (*Emulator).addDefaultAlertConfigs,
	project: func(d *documents, p *Project) {
		d.addEach(alertConfigFields, p.AlertConfigs, "the alert configuration")
		d.addEach(alertFields, p.Alerts, "the alert")
	},
}

// Events that each new project has a configuration for, and those that the first backup adds.
var (
	eventsOfProjects = []string{"JOINED_GROUP", "HOST_SSL_CERTIFICATE_STALE", "MONITORING_AGENT_DOWN"}
	eventsOfBackups  = []string{
		"OPLOG_BEHIND",
		"RESYNC_REQUIRED",
		"CLUSTER_MONGOS_IS_MISSING",
		"BACKUP_AGENT_DOWN",
		"INCONSISTENT_BACKUP_CONFIGURATION",
	}
)

// addDefaultAlertConfigs adds what Ops Manager creates to the projects of a seed that say nothing about it.
func (e *Emulator) addDefaultAlertConfigs() {
	for i := range e.state.Projects {
		project := &e.state.Projects[i]
		if project.AlertConfigs != nil || e.state.isCopy() {
			continue
		}
		events := eventsOfProjects
		if slices.ContainsFunc(project.Clusters, func(c Cluster) bool {
			return c.BackupConfig != nil && c.BackupConfig["statusName"] != "INACTIVE"
		}) {
			events = slices.Concat(eventsOfProjects, eventsOfBackups)
		}
		for _, event := range events {
			project.AlertConfigs = append(project.AlertConfigs, map[string]any{
				"id":            hashedID(project.ID, event),
				"eventTypeName": event,
				"enabled":       true,
				"created":       date(e.started),
				"updated":       date(e.started),
				"notifications": []any{map[string]any{
					"typeName":     "GROUP",
					"intervalMin":  5.0,
					"delayMin":     0.0,
					"emailEnabled": true,
					"smsEnabled":   false,
				}},
			})
		}
	}
}

func (e *Emulator) listAlertConfigs(c *call) any {
	return listOf(c.project.AlertConfigs, func(config map[string]any) map[string]any {
		return e.alertConfigDocument(c, config)
	})
}

func (e *Emulator) getAlertConfig(c *call) any {
	return e.alertConfigDocument(c, c.findAlertConfig())
}

// createAlertConfig creates an alert configuration, also if it equals another one.
func (e *Emulator) createAlertConfig(c *call) any {
	config := e.alertConfigInBody(c, nil)
	config["id"], config["created"] = newJobID(), date(e.now)
	c.project.alertConfigs().put(config)
	return e.alertConfigDocument(c, config)
}

// putAlertConfig replaces an alert configuration. Fields that the body lacks are removed.
func (e *Emulator) putAlertConfig(c *call) any {
	before := c.findAlertConfig()
	config := e.alertConfigInBody(c, before)
	config["id"], config["created"] = before["id"], before["created"]
	c.project.alertConfigs().put(config)
	if config["enabled"] != true {
		c.project.cancelAlerts(config["id"])
	}
	return e.alertConfigDocument(c, config)
}

func (e *Emulator) deleteAlertConfig(c *call) any {
	config := c.findAlertConfig()
	c.project.alertConfigs().remove(idOf(config))
	c.project.cancelAlerts(config["id"])
	return nil
}

// cancelAlerts cancels the open alerts of a configuration that is disabled or deleted.
func (p *Project) cancelAlerts(id any) {
	for i, alert := range p.Alerts {
		if alert["alertConfigId"] == id && (alert["status"] == "OPEN" || alert["status"] == "TRACKING") {
			p.Alerts[i] = merge(alert, map[string]any{"status": "CANCELLED"})
		}
	}
}

func (c *call) findAlertConfig() map[string]any {
	id := c.vars["alertConfig"]
	config := c.project.alertConfigs().find(c.idIn("alertConfig", "INVALID_ALERT_CONFIG_ID", "alert configuration"))
	if config == nil {
		detail := "No alert configuration with ID " + id + " exists in group " + c.project.ID + "."
		panic(refuse(http.StatusNotFound, "ALERT_CONFIG_NOT_FOUND", detail, id, c.project.ID))
	}
	return config
}

// eventName is the form of the names of events. Not all of them are documented.
var eventName = regexp.MustCompile(`^[A-Z0-9]+(_[A-Z0-9]+)*$`)

// alertConfigInBody returns the alert configuration in the body, with defaults.
func (e *Emulator) alertConfigInBody(c *call, before map[string]any) map[string]any {
	config := merge(nil, e.checkedBody(c, before, alertConfigFields))
	if name := get[string](config, "eventTypeName"); !eventName.MatchString(name) {
		panic(invalidEnum("eventTypeName", name))
	}
	notifications := objectsIn(config["notifications"])
	groups := 0
	if config["notifications"] == nil || len(notifications) == 0 {
		panic(refuse(http.StatusBadRequest, "MISSING_NOTIFICATIONS", "At least one notification must be specified for an alert configuration."))
	}
	for _, n := range notifications {
		if n["typeName"] == "GROUP" {
			groups++
		}
		checkNotification(n)
		addDefaults(n, map[string]any{"delayMin": 0.0, "intervalMin": 5.0}) // no default of intervalMin is documented
	}
	if groups > 1 {
		panic(refuse(http.StatusBadRequest, "TOO_MANY_GROUP_NOTIFICATIONS", "At most one group notification can be specified for an alert configuration."))
	}
	if config["enabled"] == nil {
		config["enabled"] = false
	}
	config["updated"] = date(e.now)
	return config
}

// requiredOfNotification is the field that each type of notification needs. Without a URL, a webhook
// uses that of the project, which the emulator does not have.
var requiredOfNotification = map[string]string{
	"GROUP":           "",
	"ORG":             "",
	"USER":            "username",
	"TEAM":            "teamId",
	"EMAIL":           "emailAddress",
	"SMS":             "mobileNumber",
	"PAGER_DUTY":      "serviceKey",
	"OPS_GENIE":       "opsGenieApiKey",
	"VICTOR_OPS":      "victorOpsApiKey",
	"SLACK":           "apiToken",
	"DATADOG":         "datadogApiKey",
	"MICROSOFT_TEAMS": "microsoftTeamsWebhookUrl",
	"WEBHOOK":         "webhookUrl",
}

func checkNotification(n map[string]any) {
	kind := get[string](n, "typeName")
	required, isKnown := requiredOfNotification[kind]
	roles, hasRoles := n["roles"].([]any)
	interval, hasInterval := n["intervalMin"].(float64)
	switch {
	case !isKnown:
		panic(refuse(http.StatusBadRequest, "UNSUPPORTED_NOTIFICATION_TYPE", "The notification type "+kind+" is not supported.", kind))
	case kind == "WEBHOOK" && n[required] == nil:
		panic(refuse(http.StatusBadRequest, "WEBHOOK_URL_NOT_SET", "The webhook URL must be set to use webhook notifications."))
	case required != "" && n[required] == nil:
		panic(missingAttribute("notifications." + required))
	case hasRoles && len(roles) == 0:
		panic(refuse(http.StatusBadRequest, "MISSING_ROLES_FOR_GROUP_NOTIFICATION", "At least one role must be specified for a group notification."))
	case (kind == "GROUP" || kind == "USER") && n["emailEnabled"] != true && n["smsEnabled"] != true:
		panic(refuse(http.StatusBadRequest, "EMAIL_OR_SMS_REQUIRED_FOR_"+kind+"_NOTIFICATION", "Email and/or SMS must be enabled for notifications of this type."))
	case hasInterval && interval < 5:
		panic(refuse(http.StatusBadRequest, "NOTIFICATION_INTERVAL_OUT_OF_RANGE", "The notification interval must be at least 5 minutes."))
	}
}

// alertConfigDocument returns an alert configuration as in a response, with masked secrets.
func (e *Emulator) alertConfigDocument(c *call, config map[string]any) map[string]any {
	document := merge(map[string]any{"groupId": c.project.ID, "matchers": []any{}}, config)
	document["links"] = []any{c.link("/groups/" + c.project.ID + "/alertConfigs/" + idOf(config))}
	notifications, _ := document["notifications"].([]any)
	for i, n := range objectsIn(notifications) {
		n["id"] = hashedID(idOf(config), fmt.Sprint(i))
		for name, m := range notificationFields {
			text, isSet := n[name].(string)
			switch {
			case !m.secret || !isSet:
			case name == "webhookSecret" || len(text) < 8:
				n[name] = "***"
			default:
				n[name] = "****" + text[len(text)-4:]
			}
		}
		if n["roles"] == nil && n["typeName"] == "GROUP" && e.options.Unknowns.ReturnsEmptyRoles {
			n["roles"] = []any{}
		}
	}
	if e.options.Unknowns.ReversesNotifications {
		slices.Reverse(notifications)
	}
	return document
}

// listAlerts lists the alerts of a project with a status, or all.
func (e *Emulator) listAlerts(c *call) any {
	status := c.query.Get("status")
	if c.query.Has("status") && !slices.Contains([]string{"TRACKING", "OPEN", "CLOSED"}, status) {
		panic(refuse(http.StatusBadRequest, "INVALID_ALERT_STATUS", "An invalid alert status "+status+" was specified.", status))
	}
	alerts := documentList{}
	for _, alert := range c.project.Alerts {
		if status == "" || alert["status"] == status {
			alerts = append(alerts, merge(alert, map[string]any{
				"groupId": c.project.ID,
				"links":   []any{c.link("/groups/" + c.project.ID + "/alerts/" + idOf(alert))},
			}))
		}
	}
	return alerts
}

func (p *Project) alertConfigs() collection {
	return collection{"alert configuration", idOf, p.AlertConfigs, func(configs []map[string]any) {
		p.AlertConfigs = configs
	}, nil}
}

// AlertConfigs returns the alert configurations of a project.
func (e *Emulator) AlertConfigs(projectID string) []map[string]any {
	defer e.lock()()
	return deepCopy(e.mustProject(projectID).AlertConfigs)
}

// AlertConfig returns an alert configuration, or nil if there is none.
func (e *Emulator) AlertConfig(projectID, id string) map[string]any {
	defer e.lock()()
	return copyDocument(e.mustProject(projectID).alertConfigs().find(id))
}

// SetAlertConfig sets an alert configuration.
func (e *Emulator) SetAlertConfig(projectID, id string, fields map[string]any) {
	defer e.lock()()
	e.mustProject(projectID).alertConfigs().set(id, fields)
}

// RemoveAlertConfig removes an alert configuration.
func (e *Emulator) RemoveAlertConfig(projectID, id string) {
	defer e.lock()()
	e.mustProject(projectID).alertConfigs().remove(id)
}

// AddAlert adds an alert to a project.
func (e *Emulator) AddAlert(projectID string, alert map[string]any) {
	defer e.lock()()
	project := e.mustProject(projectID)
	project.Alerts = append(project.Alerts, copyDocument(alert))
}
