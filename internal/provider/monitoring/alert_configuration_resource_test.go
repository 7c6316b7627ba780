package monitoring_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/tf"
	"terraform-provider-opsmanager/internal/providertest"
)

var watched = values{
	"project_id": providertest.Payments, "event_type": "BAD_CLUSTERSHOTS", "notifications": []any{
		group(values{"roles": []any{"GROUP_OWNER"}}), email("a@example.com", 60),
	},
	"threshold": values{"operator": "GREATER_THAN", "value": 3},
}

func openAlertConfigs(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s := providertest.StartService(t, options...)
	return s, providertest.NewWorkspace(t, s).NewResource(alertConfigType)
}

// writes returns the methods of the requests that change something.
func writes(s *providertest.Service) []string {
	return slices.DeleteFunc(slices.Clone(s.Calls()), func(call string) bool { return strings.HasPrefix(call, "GET ") })
}

func TestAlertConfigurationIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s, r := openAlertConfigs(t)
	r.MustApply(watched)
	providertest.WantEmptyPlan(t, r.Plan(watched))
	id, _ := r.Attributes()["alert_configuration_id"].(string)
	if held := s.AlertConfig(providertest.Payments, id); held["enabled"] != true || held["eventTypeName"] != "BAD_CLUSTERSHOTS" {
		t.Fatalf("created %v", held)
	}
	s.ResetRequests()
	r.MustApply(watched.With(values{"enabled": false}))
	r.MustApply(watched.With(values{"notifications": []any{email("a@example.com", 90), group(nil)}}))
	put := "PUT /groups/" + providertest.Payments + "/alertConfigs/" + id
	providertest.WantEqual(t, writes(s), []string{put, put})
	r.Plan(nil).WantWarning(
		t, "Alert Configuration "+providertest.Payments+"/"+id+" Will Be Deleted",
		"cancels its open alerts. Its event is BAD_CLUSTERSHOTS.",
	)
	diags := r.Destroy()
	if len(diags.Errors()) > 0 || s.AlertConfig(providertest.Payments, id) != nil {
		t.Errorf("destroyed: %q", diags.Errors())
	}
	settings := strings.Join(diags.Warnings(), "")
	providertest.WantContains(t, settings, id+" Deleted", "To create it again", `project_id    = "`+providertest.Payments+`"`)
	if strings.Contains(settings, "alert_configuration_id") {
		t.Errorf("can't be configured: %s", settings)
	}
}

// rewritten changes each notification of a response.
func rewritten(change func(notification object)) providertest.Handler {
	return providertest.Rewrite(func(_ *http.Request, document object) {
		notifications, _ := document["notifications"].([]any)
		for _, n := range notifications {
			change(n.(object)) //nolint:forcetypeassert // an object
		}
	})
}

func TestLifeOfAnAlertConfiguration(t *testing.T) {
	t.Parallel()
	user := values{"type_name": "USER", "username": "jane", "delay_min": 1, "interval_min": 5, "email_enabled": true, "sms_enabled": true}
	sms := values{"type_name": "SMS", "mobile_number": "2125550100", "delay_min": 0, "interval_min": 5}
	at := func(to values, minutes ...int) values {
		return to.With(values{"delay_min": minutes[0], "interval_min": minutes[1]})
	}
	roles := func(names ...any) values { return group(values{"roles": names}) }
	steps := [][]any{
		{group(nil)}, {roles("GROUP_OWNER")}, {roles("GROUP_OWNER", "GROUP_BACKUP_ADMIN"), user}, {user, roles("GROUP_BACKUP_ADMIN", "GROUP_OWNER")},
		{at(group(nil), 0, 60), user, sms}, {at(group(nil), 15, 60), at(user, 0, 5), sms}, {at(group(nil), 15, 60), at(sms, 0, 5), at(sms, 30, 60)},
		{at(sms, 30, 60), email("a@example.com", 5)}, {at(sms, 30, 90), email("b@example.com", 5)}, {email("b@example.com", 5), email("a@example.com", 5)},
		{at(email("a@example.com", 5), 5, 10), email("b@example.com", 5)}, {group(values{"email_enabled": false, "sms_enabled": true})},
	}
	for name, change := range map[string]func(object){
		"as documented": func(object) {},
		"members of other types": func(n object) {
			for member, empty := range map[string]any{
				"emailAddress": "", "mobileNumber": nil, "username": nil, "roles": []any{}, "emailEnabled": false, "smsEnabled": false,
			} {
				if n[member] == nil {
					n[member] = empty
				}
			}
		},
		"no interval": func(n object) { delete(n, "intervalMin") },
		"no minutes":  func(n object) { delete(n, "intervalMin"); delete(n, "delayMin") },
		"no delay of 0": func(n object) {
			if fmt.Sprint(n["delayMin"]) == "0" {
				delete(n, "delayMin")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providertest.StartFaultProxy(t)
			d.Handle(rewritten(change))
			r := providertest.NewWorkspace(t, d.Service).NewResource(alertConfigType)
			for _, notifications := range steps {
				config := watched.With(values{"notifications": notifications})
				r.MustApply(config)
				r.MustBeSettled(config)
				id, _ := r.Attributes()["alert_configuration_id"].(string)
				if held, _ := d.Service.AlertConfig(providertest.Payments, id)["notifications"].([]any); len(held) != len(notifications) {
					t.Errorf("Ops Manager has %v, want %v", held, notifications)
				}
			}
			r.Destroy().WantNoErrors(t)
		})
	}
}

func TestTerraformCreatesADeletedAlertConfigurationAgainFromTheShownBlock(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t)
	r.Configure(fmt.Sprintf(`resource "opsmanager_alert_configuration" "example" {
  project_id    = %q
  event_type    = "BAD_CLUSTERSHOTS"
  threshold     = { operator = "GREATER_THAN", value = 2.5 }
  notifications = [
    { type_name = "GROUP", delay_min = 0, interval_min = 5, email_enabled = true, sms_enabled = false, roles = ["GROUP_OWNER", "GROUP_READ_ONLY"] },
    { type_name = "USER", delay_min = 0, interval_min = 5, email_enabled = true, sms_enabled = false, username = "$${a}\"%%%%{b}" },
  ]
}
`, providertest.Payments))
	r.Succeeds("apply", "-auto-approve")
	block := regexp.MustCompile(`(?s)  resource "opsmanager_alert_configuration" "example" \{.*?\n  \}\n`)
	shown := block.FindString(r.MustRun("destroy", "-auto-approve", "-no-color"))
	r.Configure(shown)
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("plan", "-detailed-exitcode")
	if all := r.Service.AlertConfigs(providertest.Payments); !strings.Contains(fmt.Sprint(all), `${a}"%{b}`) {
		t.Errorf("created %v from %s", all, shown)
	}
}

func TestCreationKeepsTheCapitalsOfTheProjectID(t *testing.T) {
	t.Parallel()
	s, r := openAlertConfigs(t)
	config := watched.With(values{"project_id": strings.ToUpper(providertest.Payments)})
	r.MustApply(config)
	id, _ := r.Attributes()["alert_configuration_id"].(string)
	providertest.WantAttributes(t, r, values{"project_id": config["project_id"]})
	providertest.WantEmptyPlan(t, r.Plan(config))
	r.MustApply(config.With(values{"enabled": false}))
	if errors := r.Destroy().Errors(); len(errors) > 0 || s.AlertConfig(providertest.Payments, id) != nil {
		t.Errorf("destroyed: %q", errors)
	}
}

func TestPlanOfACreationNamesTheConfigurationsOfTheSameEvent(t *testing.T) {
	t.Parallel()
	_, r := openAlertConfigs(t)
	p := r.Plan(watched.With(values{"event_type": "OPLOG_BEHIND", "threshold": nil}))
	p.WantWarning(
		t, "Has Alert Configurations for OPLOG_BEHIND", "\n  - "+providertest.Payments+"/"+oplogBehind+" (OPLOG_BEHIND to GROUP)",
		oplogWebhook+" (OPLOG_BEHIND to WEBHOOK) can't be imported",
	)
	p = r.Plan(watched.With(values{"event_type": "BAD_CLUSTERSHOTS", "threshold": nil}))
	p.WantWarning(
		t, "Project Payments ("+providertest.Payments+") Has Alert Configurations for BAD_CLUSTERSHOTS",
		" (BAD_CLUSTERSHOTS to EMAIL dba@example.com) (disabled: set enabled = true)",
	)
	p = r.Plan(watched.With(values{"event_type": "RESTORE_REQUESTED_AUDIT", "threshold": nil}))
	if len(p.Warnings()) > 0 {
		t.Errorf("got %q", p.Warnings())
	}
}

func TestPlanOfACreationLeavesOutWhatTheRunManages(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	one, two := w.NewResource(alertConfigType), w.NewResource(alertConfigType)
	one.MustApply(watched)
	id, _ := one.Attributes()["alert_configuration_id"].(string)
	w.Configure()
	two.Plan(watched).WantWarning(t, "Has Alert Configurations for BAD_CLUSTERSHOTS", id)
	w.Configure()
	providertest.WantEmptyPlan(t, one.Plan(watched))
	if text := fmt.Sprint(two.Plan(watched).Warnings()); strings.Contains(text, id) || !strings.Contains(text, "Has Alert Configurations") {
		t.Errorf("got %s", text)
	}
}

func TestWhatCannotBeSentBackIsRefusedAndNeverChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]object{
		"a webhook": {"notifications": []any{
			object{"typeName": "GROUP", "intervalMin": 5, "delayMin": 0, "emailEnabled": true}, object{
				"typeName": "WEBHOOK", "webhookUrl": "https://example.com/secret-token", "intervalMin": 5, "delayMin": 0,
			},
		}},
		"matchers":         {"matchers": []any{object{"fieldName": "HOSTNAME", "operator": "EQUALS", "value": "a"}}},
		"a metric":         {"metricThreshold": object{"metricName": "X"}},
		"a masked member":  {"newSecret": "***"},
		"a masked address": {"notifications": []any{object{"typeName": "EMAIL", "emailAddress": "d***@example.com", "delayMin": 0, "intervalMin": 5}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := openAlertConfigs(t)
			r.MustApply(watched)
			id, _ := r.Attributes()["alert_configuration_id"].(string)
			s.SetAlertConfig(providertest.Payments, id, change)
			held := s.AlertConfig(providertest.Payments, id)
			s.ResetRequests()
			r.Refresh().WantWarning(t, "Alert Configuration "+providertest.Payments+"/"+id+" Can't Be Changed", "The provider can't send that back")
			diags := r.Apply(r.Plan(watched.With(values{"enabled": false})), values{})
			diags.WantError(t, "Can't Be Managed", "use a removed block with destroy = false")
			p := r.Plan(nil)
			p.WantError(t, "Can't Be Managed", "use a removed block with destroy = false")
			if text := fmt.Sprint(p.Warnings()); strings.Contains(text, "Will Be Deleted") {
				t.Errorf("the plan promises %s", text)
			}
			other := providertest.NewWorkspace(t, s).NewResource(alertConfigType)
			other.ImportID(providertest.Payments+"/"+id).WantError(t, "Can't Be Managed", id)
			if now := s.AlertConfig(providertest.Payments, id); !reflect.DeepEqual(now, held) || len(writes(s)) > 0 {
				t.Errorf("changed with %q: %v", writes(s), now)
			}
		})
	}
}

func TestCreationWithoutAResponseSaysWhatIsNew(t *testing.T) {
	t.Parallel()
	lost := emulator.Fault{Method: "POST", DropAfter: true}
	unlisted := emulator.Fault{Method: "GET", Path: "alertConfigs", Skip: 2, Times: -1, Status: http.StatusForbidden}
	for name, test := range map[string]struct {
		faults  []emulator.Fault
		creates bool
		says    []string
		not     string
	}{
		"a new one":        {[]emulator.Fault{lost}, true, []string{"  - " + providertest.Payments + "/"}, "66a0c1d2e3f405162738495f"},
		"nothing":          {[]emulator.Fault{{Method: "POST", Status: 500}}, false, []string{"It found no new alert configuration for the event"}, "  - "},
		"what is not read": {[]emulator.Fault{lost, unlisted}, true, []string{"could not list", "403"}, "It found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := openAlertConfigs(t)
			p := r.Plan(watched)
			for _, fault := range test.faults {
				s.Inject(fault)
			}
			diags := r.Apply(p, values{})
			diags.WantError(t, append(test.says, "Unable to Create Alert Configuration", "stored nothing")...)
			added := ""
			for _, config := range s.AlertConfigs(providertest.Payments) {
				if config["eventTypeName"] == "BAD_CLUSTERSHOTS" && config["enabled"] == true {
					added, _ = config["id"].(string)
				}
			}
			if (added != "") != test.creates || !r.State.IsNull() {
				t.Errorf("created %q, and the state has %v", added, r.Attributes())
			}
			text := strings.Join(diags.Errors(), "")
			if isNamed := added != "" && strings.Contains(text, added); isNamed != (name == "a new one") || strings.Contains(text, test.not) {
				t.Errorf("got %s", text)
			}
		})
	}
}

func TestEventThatIsLikeAKnownOneIsAWarning(t *testing.T) {
	t.Parallel()
	for event, meant := range map[string]string{
		"RESYNC_REQIURED": "RESYNC_REQUIRED", "BACKUP_AGENT_DWN": "BACKUP_AGENT_DOWN",
		"RESYNC_REQUIRED": "", "BACKUP_AGENT_UP": "", "SNAPSHOT_BEHIND": "", "CONSISTENT_BACKUP_CONFIGURATION": "",
	} {
		_, r := openAlertConfigs(t)
		p := r.Plan(watched.With(values{"event_type": event}))
		warned := slices.DeleteFunc(p.Warnings(), func(text string) bool { return !strings.Contains(text, "Misspelled") })
		if meant == "" && len(warned) > 0 || len(p.Errors()) > 0 {
			t.Errorf("%s: %q %q", event, warned, p.Errors())
		} else if meant != "" {
			providertest.WantOne(t, warned, "[event_type] Event May Be Misspelled", event, "Did you mean "+meant+"?")
		}
	}
}

func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change values
		words  string
	}{
		"another event": {
			values{"event_type": "HOST_DOWN"},
			`for events that are. Important ones: "OPLOG_BEHIND", "BACKUP_AGENT_DOWN", "BAD_CLUSTERSHOTS", and 5 more.`,
		},
		"a type with a secret": {values{"notifications": []any{values{"type_name": "PAGER_DUTY", "delay_min": 0, "interval_min": 5}}}, "type_name"},
		"no address":           {values{"notifications": []any{values{"type_name": "EMAIL", "delay_min": 0, "interval_min": 5}}}, "requires email_address"},
		"neither email nor SMS": {
			values{"notifications": []any{group(values{"email_enabled": nil, "sms_enabled": nil})}},
			"requires email_enabled and sms_enabled.",
		},
		"neither way": {values{"notifications": []any{group(values{"email_enabled": false, "sms_enabled": false})}}, "Notification Without a Way"},
		"two groups": {
			values{"notifications": []any{group(nil), group(values{"roles": []any{"GROUP_OWNER"}})}},
			"at most one notification of the type GROUP",
		},
		"an address of a group": {values{"notifications": []any{group(values{"email_address": "a"})}}, "has no email_address"},
		"roles of an address":   {values{"notifications": []any{email("a", 5).With(values{"roles": []any{"GROUP_OWNER"}})}}, "has no roles"},
		"no roles":              {values{"notifications": []any{group(values{"roles": []any{}})}}, "roles"},
		"a fraction": {
			values{"notifications": []any{email("a", 5).With(values{"interval_min": 1.5})}},
			"interval_min must be a whole number, but is 1.5",
		},
		"a short interval":       {values{"notifications": []any{email("a", 4)}}, "notifications.interval_min value must be at least 5"},
		"no word on SMS":         {values{"notifications": []any{group(values{"sms_enabled": nil})}}, "requires sms_enabled."},
		"no notification at all": {values{"notifications": []any{}}, "notifications"},
	} {
		_, r := openAlertConfigs(t)
		errors := r.Plan(watched.With(test.change)).Errors()
		providertest.WantOne(t, errors, test.words)
		if strings.Contains(errors[0], "Value(") {
			t.Errorf("%s: the error shows a value as Go does: %s", name, errors[0])
		}
	}
}

// A destroy plans the configuration first, and the value that Ops Manager had before is a new one then.
func TestDestroyOfWhatHadAnOddValueSaysHowItEnds(t *testing.T) {
	t.Parallel()
	const id = "66a0c1d2e3f4051627384901"
	s, r := openAlertConfigs(t)
	config := func(interval int) values {
		return watched.With(values{"threshold": nil, "notifications": []any{email("a@example.com", interval)}})
	}
	set := func(interval int) {
		held := object{"typeName": "EMAIL", "emailAddress": "a@example.com", "delayMin": 0, "intervalMin": interval}
		s.SetAlertConfig(providertest.Payments, id, object{
			"eventTypeName": "BAD_CLUSTERSHOTS", "enabled": true, "notifications": []any{held},
		})
	}
	set(3)
	r.ImportID(providertest.Payments + "/" + id).WantNoErrors(t)
	providertest.WantEmptyPlan(t, r.Plan(config(3)))
	set(5)
	r.MustRefresh()
	r.Configure()
	r.Plan(config(3)).WantError(t, "must be at least 5", "configure what Ops Manager has now")
	r.Plan(config(5)).WantNoErrors(t)
	s.RemoveAlertConfig(providertest.Payments, id)
	r.MustRefresh()
	r.Configure()
	r.Plan(config(3)).WantError(t, "must be at least 5", "run it with -refresh=false")
}

func TestThresholdThatNoPlanShowedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s, r := openAlertConfigs(t)
	without := watched.With(values{"threshold": nil, "event_type": "BACKUP_AGENT_DOWN"})
	r.MustApply(without)
	id, _ := r.Attributes()["alert_configuration_id"].(string)
	s.SetAlertConfig(providertest.Payments, id, object{
		"threshold": object{"operator": "GREATER_THAN", "threshold": 2.5, "units": "HOURS"}, "newSetting": "a",
	})
	limit := func(value int) values {
		return without.With(values{"threshold": values{"operator": "GREATER_THAN", "value": value}})
	}
	r.Apply(r.Plan(limit(3)), values{}).WantError(
		t, `changed since the plan: threshold is {"operator":"GREATER_THAN","value":2.5}, and the plan showed not set`,
	)
	r.MustRefresh()
	providertest.WantEmptyPlan(t, r.Plan(without))
	r.MustApply(limit(3))
	held := s.AlertConfig(providertest.Payments, id)
	limited, _ := held["threshold"].(object)
	if limited["threshold"] != 3.0 || limited["units"] != "HOURS" || held["newSetting"] != "a" {
		t.Errorf("Ops Manager has %v", held)
	}
}

func TestCreationThatReturnsAnotherConfigurationStoresNothing(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"one of the event":       `{"id": "` + oplogBehind + `"}`,
		"one of another event":   `{"id": "` + backupAgentDown + `"}`,
		"in capitals":            `{"id": "` + strings.ToUpper(backupAgentDown) + `"}`,
		"a new one of an event":  `{"id": "` + managedID + `", "eventTypeName": "RESYNC_REQUIRED"}`,
		"one without an ID":      `{"eventTypeName": "OPLOG_BEHIND"}`,
		"one with an invalid ID": `{"id": "1"}`,
	} {
		s, r := openAlertConfigs(t)
		s.Inject(emulator.Fault{Method: "POST", Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body})
		diags := r.Apply(r.Plan(watched.With(values{"event_type": "OPLOG_BEHIND", "threshold": nil})), values{})
		diags.WantError(t, "that of another alert configuration", "stored nothing")
		if !r.State.IsNull() {
			t.Errorf("%s: the state has %v", name, r.Attributes())
		}
	}
}

// Ops Manager may return a notification twice.
func TestNotificationThatIsReturnedTwiceIsOne(t *testing.T) {
	t.Parallel()
	s, r := openAlertConfigs(t)
	config := watched.With(values{"notifications": []any{email("a@example.com", 60)}})
	r.MustApply(config)
	id, _ := r.Attributes()["alert_configuration_id"].(string)
	one, _ := s.AlertConfig(providertest.Payments, id)["notifications"].([]any)
	s.SetAlertConfig(providertest.Payments, id, object{"notifications": append(one, one...)})
	r.MustRefresh()
	providertest.WantEmptyPlan(t, r.Plan(config))
	other := providertest.NewWorkspace(t, s).NewResource(alertConfigType)
	other.ImportID(providertest.Payments + "/" + id)
	providertest.WantEmptyPlan(t, other.Plan(config))
	r.Destroy().WantNoErrors(t)
}

// A replacement would send the event of another client's change back.
func TestUpdateRefusesAnEventThatThePlanDidNotShow(t *testing.T) {
	t.Parallel()
	s, r := openAlertConfigs(t)
	r.MustApply(watched)
	id, _ := r.Attributes()["alert_configuration_id"].(string)
	p := r.Plan(watched.With(values{"notifications": []any{group(nil)}}))
	s.SetAlertConfig(providertest.Payments, id, object{"eventTypeName": "RESYNC_REQUIRED"})
	s.ResetRequests()
	r.Apply(p, values{}).WantError(t, "changed since the plan: event_type is", "RESYNC_REQUIRED")
	if sent := writes(s); len(sent) > 0 {
		t.Errorf("sent %q", sent)
	}
}

// Some version may never return them. A replacement without them may reset them.
func TestReadThatLeavesOutMinutesConfirmsAnEmptyResponse(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	withoutMinutes := rewritten(func(notification object) { delete(notification, "intervalMin") })
	proxy.Handle(withoutMinutes)
	r := providertest.NewWorkspace(t, proxy.Service).NewResource(alertConfigType)
	r.MustApply(watched)
	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method == http.MethodPut {
			providertest.EmptyPUT(w, request, service)
			return
		}
		withoutMinutes(w, request, service)
	})
	r.MustApply(watched.With(values{"notifications": []any{email("a@example.com", 90), group(nil)}}))
}

func TestResponseToACreationThatLeavesOutMinutesIsEnough(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Handle(rewritten(func(notification object) { delete(notification, "intervalMin") }))
	r := providertest.NewWorkspace(t, proxy.Service).NewResource(alertConfigType)
	r.Apply(r.Plan(watched), nil).WantNoErrors(t)
	for _, call := range proxy.Calls(http.MethodGet) {
		if strings.Contains(call, "/alertConfigs/") {
			t.Errorf("called %s", call)
		}
	}
}

func TestMinutesThatAResponseLeavesOutAreSentAsConfigured(t *testing.T) {
	t.Parallel()
	const id = "66a0c1d2e3f4051627384901"
	d := providertest.StartFaultProxy(t)
	d.Service.SetAlertConfig(providertest.Payments, id, object{"eventTypeName": "BACKUP_AGENT_DOWN", "enabled": true, "notifications": []any{
		object{"typeName": "GROUP", "emailEnabled": true, "smsEnabled": false, "delayMin": 15, "intervalMin": 60},
	}})
	d.Handle(rewritten(func(n object) { delete(n, "delayMin"); delete(n, "intervalMin") }))
	r := providertest.NewWorkspace(t, d.Service).NewResource(alertConfigType)
	r.ImportID(providertest.Payments + "/" + id).WantNoErrors(t)
	byGroup := func(delay, interval any) values {
		return values{"project_id": providertest.Payments, "event_type": "BACKUP_AGENT_DOWN", "notifications": []any{
			group(values{"delay_min": delay, "interval_min": interval}),
		}}
	}
	providertest.WantEmptyPlan(t, r.Plan(byGroup(nil, nil)))
	for says, config := range map[string]values{
		"requires delay_min and interval_min.": byGroup(nil, nil), "requires delay_min.": byGroup(nil, 60), "requires interval_min.": byGroup(15, nil),
	} {
		r.Configure()
		r.Plan(config.With(values{"enabled": false})).WantError(t, "[notifications]", says, "Ops Manager did not return")
	}
	r.Configure()
	known := byGroup(15, 60)
	r.MustApply(known)
	r.MustBeSettled(known)
	known["enabled"] = false
	r.MustApply(known)
	r.MustBeSettled(known)
	held := d.Service.AlertConfig(providertest.Payments, id)
	if text := fmt.Sprint(held["notifications"]); held["enabled"] != false || !strings.Contains(text, "delayMin:15") ||
		!strings.Contains(text, "intervalMin:60") {
		t.Errorf("Ops Manager has %v", held)
	}
	twice := known.With(values{"notifications": []any{email("a@example.com", 60), email("a@example.com", 90), group(nil)}})
	r.MustApply(twice)
	r.MustBeSettled(twice)
	r.Destroy().WantNoErrors(t)
}

// Nothing says that a flag which is not returned is false, or that a notification has no recipient.
func TestNotificationWithoutWhatItsTypeNeedsIsNotManaged(t *testing.T) {
	t.Parallel()
	whole := map[string]object{
		"GROUP": {"emailEnabled": true, "smsEnabled": true}, "USER": {"username": "dba", "emailEnabled": true, "smsEnabled": true},
		"EMAIL": {"emailAddress": "a@example.com"}, "SMS": {"mobileNumber": "+1 555 0100"},
	}
	for kind, members := range whole {
		for lacking := range members {
			s, r := openAlertConfigs(t)
			notification := maps.Clone(members)
			delete(notification, lacking)
			notification["typeName"], notification["intervalMin"] = kind, 5
			const id = "66a0c1d2e3f4051627384901"
			s.SetAlertConfig(providertest.Payments, id, object{"eventTypeName": "BAD_CLUSTERSHOTS", "enabled": true, "notifications": []any{notification}})
			attribute := tf.SnakeCase(lacking)
			r.ImportID(providertest.Payments+"/"+id).WantError(t, "Can't Be Managed", attribute+" Ops Manager did not return")
		}
	}
}

// Without its event, the next plan would replace it.
func TestAlertConfigurationWithoutAnEventIsNotImported(t *testing.T) {
	t.Parallel()
	s, r := openAlertConfigs(t)
	s.Inject(emulator.Fault{
		Method: http.MethodGet, Times: -1, Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{
  "id": "` + oplogBehind + `", "groupId": "` + providertest.Payments + `", "enabled": true,
  "notifications": [{"typeName": "GROUP", "intervalMin": 5, "delayMin": 0, "emailEnabled": true, "smsEnabled": false}]
}`,
	})
	r.ImportID(providertest.Payments+"/"+oplogBehind).WantError(t, "Can't Be Managed", "no event")
}

func TestAnotherEventReplacesAnAlertConfiguration(t *testing.T) {
	t.Parallel()
	_, r := openAlertConfigs(t)
	r.MustApply(watched)
	r.Configure()
	p := r.Plan(watched.With(values{"event_type": "OPLOG_BEHIND", "threshold": nil}))
	warnings := strings.Join(p.Warnings(), "\n")
	if providertest.WantContains(t, warnings, "Will Be Deleted"); !p.Replaces || strings.Contains(warnings, "can't be changed") {
		t.Errorf("the plan replaces %v: %s", p.Replaces, warnings)
	}
	r.Configure()
	late := watched.With(values{"project_id": providertest.Unknown})
	if errors := r.Plan(late).Errors(); len(errors) > 0 { // the new one has another ID in each project
		t.Error(errors)
	}
}

func TestRefusedCreationIsRepeated(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := providertest.NewWorkspace(t, s, values{"max_retries": 3}).NewResource(alertConfigType)
	s.Inject(emulator.Fault{Method: http.MethodPost, Times: 2, Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"0"}}})
	r.MustApply(watched)
	r.MustBeSettled(watched)
	if got := s.Writes(); len(got) != 3 {
		t.Errorf("sent %q", got)
	}
}

func TestAdjustedCreationIsAWarning(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	r := providertest.NewWorkspace(t, d.Service).NewResource(alertConfigType)
	d.Handle(providertest.Rewrite(func(_ *http.Request, document object) { document["enabled"] = false }))
	config := watched.With(values{"enabled": true})
	diags := r.Apply(r.Plan(config), values{})
	if warnings := strings.Join(diags.Warnings(), ""); len(diags.Errors()) > 0 || !strings.Contains(warnings, "Ops Manager Adjusted the Value") ||
		r.State.IsNull() {
		t.Errorf("got %q %q", diags.Errors(), warnings)
	}
}

func TestConfiguredRecipientThatLooksLikeAMaskIsRefused(t *testing.T) {
	t.Parallel()
	s, r := openAlertConfigs(t)
	config := watched.With(values{"notifications": []any{email("a***b@example.com", 60)}})
	r.Plan(config).WantError(t, "Masked Recipient", "a***b@example.com")
	providertest.WantWrites(t, s)
}
