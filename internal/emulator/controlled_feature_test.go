package emulator_test

import (
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const controlledFeaturePath = "/groups/" + payments + "/controlledFeature"

// lock is what MongoDB's Kubernetes operator sets, with a policy.
func lock(policy string) map[string]any {
	return map[string]any{
		"externalManagementSystem": map[string]any{"name": "mongodb-kubernetes-operator", "systemId": "0a1b", "version": "1.14.0"},
		"policies":                 []any{map[string]any{"policy": policy, "disabledParams": []any{}}},
	}
}

func TestALockRefusesANewAutomationConfig(t *testing.T) {
	t.Parallel()
	sent := activate(document, reports0)
	for name, test := range map[string]struct {
		policy   string
		unknowns emulator.Unknowns
		code     string
	}{
		"the lock":            {"EXTERNALLY_MANAGED_LOCK", emulator.Unknowns{}, "USER_UNAUTHORIZED"},
		"without a code":      {"EXTERNALLY_MANAGED_LOCK", emulator.Unknowns{LockHasNoCode: true}, ""},
		"the documented name": {"ExternallyManagedLock", emulator.Unknowns{}, "USER_UNAUTHORIZED"},
		"the backup agent":    {"DISABLE_BACKUP_AGENT", emulator.Unknowns{}, "USER_UNAUTHORIZED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, emulator.Options{Seed: withDocument(document), Unknowns: test.unknowns})
			c.service.SetControlledFeature(payments, lock(test.policy))
			c.do(http.MethodPut, automationConfigPath, sent).refused(t, http.StatusUnauthorized, test.code)
			if got := c.do(http.MethodGet, automationConfigPath, ""); got.body != document {
				t.Errorf("got %s", got.body)
			}
			c.service.SetControlledFeature(payments, nil)
			c.do(http.MethodPut, automationConfigPath, sent).ok(t)
		})
	}
	for name, test := range map[string]struct{ policy, sent string }{
		"another policy":               {"DISABLE_SET_MONGOD_VERSION", sent},
		"the modules are as they were": {"DISABLE_BACKUP_AGENT", document},
	} {
		c := start(t, emulator.Options{Seed: withDocument(document)})
		c.service.SetControlledFeature(payments, lock(test.policy))
		if got := c.do(http.MethodPut, automationConfigPath, test.sent); got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
}

func TestTheControlledFeatureNamesTheLock(t *testing.T) {
	t.Parallel()
	for camelCase, want := range map[bool]string{false: "EXTERNALLY_MANAGED_LOCK", true: "ExternallyManagedLock"} {
		c := start(t, emulator.Options{Unknowns: emulator.Unknowns{CamelCaseLock: camelCase}})
		got := c.do(http.MethodGet, controlledFeaturePath, "").ok(t)
		if policies, ok := got["policies"].([]any); !ok || len(policies) != 0 {
			t.Errorf("got %v", got)
		}
		c.service.SetControlledFeature(payments, lock("EXTERNALLY_MANAGED_LOCK"))
		got = c.do(http.MethodGet, controlledFeaturePath, "").ok(t)
		policies, _ := got["policies"].([]any)
		policy, _ := policies[0].(map[string]any)
		system, _ := got["externalManagementSystem"].(map[string]any)
		if policy["policy"] != want || system["name"] != "mongodb-kubernetes-operator" {
			t.Errorf("got %v", got)
		}
		c.do(http.MethodPut, automationConfigPath, string(c.service.AutomationConfig(payments))).refused(t, http.StatusUnauthorized, "USER_UNAUTHORIZED")
	}
}
