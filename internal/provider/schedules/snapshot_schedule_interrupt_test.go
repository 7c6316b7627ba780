package schedules_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestScheduleOfAClusterWithoutABackupIsSetByOneResource(t *testing.T) {
	t.Parallel()
	_, r := providertest.StartResource(t, providertest.ScheduleType, emulator.Options{})
	pol := r.Workspace.NewResource(providertest.PolicyType)
	r.Workspace.Configure()
	a := pol.Plan(policy(daily(15), only(reports)))
	b := r.Plan(providertest.Schedule(reports, daily(60)))
	providertest.WantOne(t, append(a.Errors(), b.Errors()...), "in Two Resources", "excluded_cluster_ids")
}

func TestInterruptedApplyOfAScheduleDoesNotAccuseAnotherClient(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t, emulator.Options{})
	r := providertest.NewWorkspace(t, d.Service, nil).NewResource(providertest.ScheduleType)
	r.Create(providertest.Schedule(providertest.Cards, daily(30)))
	p := r.Plan(providertest.Schedule(providertest.Cards, daily(60)))
	ctx, interrupt := context.WithCancel(t.Context())
	reads := 0
	r.Context = ctx
	d.Handle(providertest.Rewrite(func(request *http.Request, document map[string]any) {
		if request.Method == http.MethodGet {
			document["dailySnapshotRetentionDays"] = 7 // an old value
			if reads++; reads == 2 {
				interrupt()
			}
		}
	}))
	if errors := r.Apply(p, nil).Errors(); len(errors) != 1 || strings.Contains(errors[0], "changed since the plan") {
		t.Errorf("got %q", errors)
	}
}
