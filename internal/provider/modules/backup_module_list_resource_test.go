package modules_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestQueriedModulesHaveAnEmptyPlan(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		s := providertest.ServiceInMemory()
		w := providertest.NewWorkspace(t, s)
		results := w.Query(providertest.BackupModuleType, nil, true, 0) // Analytics has no automation configuration
		if got := providertest.Names(results); !slices.Equal(got, []string{"Payments"}) {
			t.Fatalf("listed %q", got)
		}
		exported := providertest.Plain(results[0].Resource).(values)
		m := w.NewResource(providertest.BackupModuleType)
		m.ImportIdentity(results[0].Identity)
		if !m.State.Equal(results[0].Resource) {
			t.Errorf("queried as %v and imported as %v", exported, m.Attributes())
		}
		providertest.WantEmptyPlan(t, m.Plan(exported))
	})
}

func TestQueryLeavesOutProjectsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := providertest.NewWorkspace(t, providertest.ServiceInMemory(emulator.Options{Keys: []string{emulator.DefaultPublicKey + ":GLOBAL_BACKUP_ADMIN"}}))
		results := w.Query(providertest.BackupModuleType, nil, false, 0)
		if len(results) != 2 {
			t.Fatalf("%d results", len(results))
		}
		for _, one := range results {
			one.WantWarning(t, "Not Listed", "Project Automation Admin")
		}
	})
}
