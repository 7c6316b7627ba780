package provider_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// The data sources are checked in their packages. Those here find nothing, or too much.
func TestTextFromOpsManagerIsPrintable(t *testing.T) {
	t.Parallel()
	for name, changes := range providertest.ControlledFields {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t)
			proxy.Handle(providertest.AddControlCharacters(changes))
			w := providertest.NewWorkspace(t, proxy.Service)
			messages := 0
			check := func(d providertest.Diagnostics) {
				t.Helper()
				messages += len(d)
				providertest.WantPrintable(t, append(d.Errors(), d.Warnings()...)...)
			}
			for _, source := range []struct {
				name   string
				config values
			}{
				{providertest.BackupConfigType, values{"project_id": payments, "cluster_id": "64f0c2a19b3d5e7f80a1bfff"}},
				{providertest.ConfigServerSnapshotsType, values{"project_id": payments, "host_id": "db1.example.com:27019"}},
				{providertest.ClusterType, values{"project_id": payments, "name": "orders"}},
				{providertest.ClusterType, values{"project_id": payments, "name": "nothing"}},
			} {
				_, d := w.Read(source.name, source.config)
				check(d)
			}

			for _, managed := range []struct {
				name, imported, missing string
				configs                 []values
			}{
				{
					providertest.ScheduleType, payments + "/" + cards, payments + "/64f0c2a19b3d5e7f80a1bfff",
					[]values{providertest.Schedule(cards, values{"daily_snapshot_retention_days": 5, "full_incremental_day_of_week": "FRIDAY"})},
				},
				{
					providertest.RegionType, providertest.Oceania, "nowhere", []values{
						providertest.Region(providertest.Oceania, nil),
						providertest.Region(providertest.Oceania, values{"deployment_description": "Changed"}),
					},
				},
			} {
				r := w.NewResource(managed.name)
				check(r.ImportID(managed.imported))
				for _, config := range managed.configs {
					p := r.Plan(config)
					check(p.Diagnostics)
					if len(p.Errors()) == 0 {
						check(r.Apply(p))
					}
					check(r.Refresh())
				}
				check(r.Destroy())
				check(w.NewResource(managed.name).ImportID(managed.missing))
			}

			for _, listed := range []struct {
				name   string
				config values
			}{{providertest.ScheduleType, values{"project_id": payments}}, {providertest.RegionType, nil}} {
				for _, one := range w.Query(listed.name, listed.config, true, 0) {
					check(one.Diagnostics)
					providertest.WantPrintable(t, one.Name)
					if strings.Contains(one.Name, "\n") {
						t.Errorf("a name of two lines: %q", one.Name)
					}
				}
			}
			for name, config := range map[string]values{
				providertest.OnDemandSnapshotType: {"project_id": payments, "cluster_id": orders, "retention_days": 1},
				providertest.RestoreJobType: {
					"project_id": payments, "cluster_id": ledger, "snapshot_id": "66b0c530c4d6e8f0a2b4c600",
					"target_project_id": payments, "target_cluster_id": cards, "target_cluster_name": "cards\x1b[2K\n",
				},
			} {
				check(w.PlanAction(name, config))
				progress, d := w.InvokeAction(name, config)
				check(d)
				for _, message := range progress {
					providertest.WantPrintable(t, message)
					if strings.Contains(message, "\n") {
						t.Errorf("a message of two lines: %q", message)
					}
				}
			}
			if messages < 3 {
				t.Errorf("only %d messages were seen", messages)
			}
		})
	}
}

// The error of a validator quotes its value, which a configuration may take from a data source.
func TestErrorsOfValidatorsArePrintable(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	_, diags := w.Read(providertest.BackupConfigType, values{"project_id": payments, "cluster_id": "650a\x1b[2K\u202e"})
	if len(diags.Errors()) == 0 {
		t.Fatal("the ID was accepted")
	}
	providertest.WantPrintable(t, diags.Errors()...)
}
