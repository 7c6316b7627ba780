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
	var names, left []string
	for _, one := range w.Query(alertConfigType, providertest.Values{"project_id": providertest.Payments}, true, 0) {
		if len(one.Diagnostics) > 0 {
			left = append(left, one.Warnings()...)
			continue
		}
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
	providertest.WantOne(t, left, "Alert Configuration for OPLOG_BEHIND of Project Payments ("+providertest.Payments+") Not Listed", oplogWebhook, "WEBHOOK")
}
