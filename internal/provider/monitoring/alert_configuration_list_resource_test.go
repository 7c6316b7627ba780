package monitoring_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestQueriedAlertConfigurationsHaveAnEmptyPlan(t *testing.T) {
	t.Parallel()
	w := providertest.NewWorkspace(t, providertest.StartService(t))
	var names []string
	results, leftOut := providertest.Listing(w.Query(alertConfigType, values{"project_id": providertest.Payments}, true, 0))
	for _, one := range results {
		names = append(names, one.Name)
		exported, _ := providertest.Plain(one.Resource).(values)
		delete(exported, "alert_configuration_id")
		r := w.NewResource(alertConfigType)
		r.ImportIdentity(one.Identity)
		if !r.State.Equal(one.Resource) {
			t.Errorf("%s is queried as %v and imported as %v", one.Name, one.Resource, r.Attributes())
		}
		providertest.WantEmptyPlan(t, r.Plan(exported))
	}
	want := []string{
		"BACKUP_AGENT_DOWN (" + backupAgentDown + ")", "BAD_CLUSTERSHOTS (66a0c1d2e3f405162738495f)", "MONITORING_AGENT_DOWN (66a0c1d2e3f405162738495d)",
		"OPLOG_BEHIND (" + oplogBehind + ")", "RESYNC_REQUIRED (66a0c1d2e3f405162738495c)",
	}
	if !slices.Equal(names, want) {
		t.Errorf("listed %q, want %q", names, want)
	}
	providertest.WantEach(
		t, leftOut, []string{"Alert Configuration OPLOG_BEHIND (" + oplogWebhook + ") Not Listed", "WEBHOOK"},
		[]string{"JOINED_GROUP", "about backups or agents"},
	)
}

func TestQueryNamesAlertConfigurationsByWhatTheyHave(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
		results, _ := document["results"].([]any)
		for i, lacks := range [][]string{{"id", "eventTypeName"}, {"id"}, {"eventTypeName"}} {
			if element, isObject := results[i].(object); isObject {
				maps.DeleteFunc(element, func(name string, _ any) bool { return slices.Contains(lacks, name) })
				element["notifications"] = []any{}
			}
		}
	}))
	w := providertest.NewWorkspace(t, proxy.Service)
	_, leftOut := providertest.Listing(w.Query(alertConfigType, values{"project_id": providertest.Payments}, false, 0))
	providertest.WantEach(
		t, leftOut, []string{"Alert Configuration Without an ID Not Listed"},
		[]string{"Alert Configuration 66a0c1d2e3f405162738495c Not Listed"},
		[]string{"Alert Configuration OPLOG_BEHIND Not Listed", "can't be imported"}, []string{"JOINED_GROUP"},
	)
}
