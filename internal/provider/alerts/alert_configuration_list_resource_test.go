package alerts_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestQueriedAlertConfigurationsHaveAnEmptyPlan(t *testing.T) {
	t.Parallel()
	w := providertest.NewWorkspace(t, providertest.StartService(t, emulator.Options{}), nil)
	var names []string
	results, leftOut := providertest.Listing(w.Query(alertConfigType, providertest.Values{"project_id": providertest.Payments}, true, 0))
	for _, one := range results {
		names = append(names, one.Name)
		exported, _ := providertest.Plain(one.Resource).(providertest.Values)
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
	providertest.WantEach(t, leftOut, []string{"Alert Configuration OPLOG_BEHIND (" + oplogWebhook + ") Not Listed", "WEBHOOK"}, []string{"JOINED_GROUP", "about backups or agents"})
}
