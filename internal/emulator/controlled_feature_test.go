package emulator_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const controlledFeaturePath = inPayments + "/controlledFeature"

// lock is what MongoDB's Kubernetes operator sets, with a policy.
func lock(policy string) object {
	return object{
		"externalManagementSystem": object{"name": "mongodb-kubernetes-operator", "systemId": "0a1b", "version": "1.14.0"},
		"policies":                 []any{object{"policy": policy, "disabledParams": []any{}}},
	}
}

func TestALockRefusesANewAutomationConfig(t *testing.T) {
	t.Parallel()
	sent := activate(document, reports0)
	for _, policy := range []string{"EXTERNALLY_MANAGED_LOCK", "ExternallyManagedLock", "DISABLE_BACKUP_AGENT"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			c := start(t, emulator.Options{Seed: withDocument(document)})
			c.service.SetControlledFeature(payments, lock(policy))
			c.put(automationConfigPath, sent).refused(t, 401, "USER_UNAUTHORIZED")
			equal(t, c.get(automationConfigPath).body, document)
			c.service.SetControlledFeature(payments, nil)
			c.put(automationConfigPath, sent).ok(t)
		})
	}
	for name, test := range map[string]struct{ policy, sent string }{
		"another policy":               {"DISABLE_SET_MONGOD_VERSION", sent},
		"the modules are as they were": {"DISABLE_BACKUP_AGENT", document},
	} {
		c := start(t, emulator.Options{Seed: withDocument(document)})
		c.service.SetControlledFeature(payments, lock(test.policy))
		if got := c.put(automationConfigPath, test.sent); got.status != 200 {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
}

func TestTheControlledFeatureNamesTheLock(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"EXTERNALLY_MANAGED_LOCK", "ExternallyManagedLock"} {
		c := start(t)
		got := c.get(controlledFeaturePath).ok(t)
		if policies, ok := got["policies"].([]any); !ok || len(policies) != 0 {
			t.Errorf("got %v", got)
		}
		c.service.SetControlledFeature(payments, lock(want))
		got = c.get(controlledFeaturePath).ok(t)
		policies, _ := got["policies"].([]any)
		policy, _ := policies[0].(object)
		system, _ := got["externalManagementSystem"].(object)
		if policy["policy"] != want || system["name"] != "mongodb-kubernetes-operator" {
			t.Errorf("got %v", got)
		}
		c.put(automationConfigPath, string(c.service.AutomationConfig(payments))).refused(t, 401, "USER_UNAUTHORIZED")
	}
}
