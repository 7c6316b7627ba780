package modules_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const analytics = "64f0c2d57c1e4a6b92d3f4e5"

// reports are hosts of the seed without a backup module.
var reports = []string{"reports-0.payments.example.com", "reports-1.payments.example.com", "reports-2.payments.example.com"}

// hosts returns hosts of reports as a configuration has them.
func hosts(numbers ...int) []any {
	list := []any{}
	for _, number := range numbers {
		list = append(list, reports[number])
	}
	return list
}

// modulesIn returns the hosts in the list of backup modules of a document.
func modulesIn(document []byte) []string {
	var config struct {
		BackupVersions []struct{ Hostname string }
	}
	_ = json.Unmarshal(document, &config)
	var found []string
	for _, module := range config.BackupVersions {
		found = append(found, module.Hostname)
	}
	return found
}

// withModules returns a document in which exactly these hosts of reports have a module.
func withModules(document []byte, wanted []string) []byte {
	var config map[string]json.RawMessage
	var list []map[string]json.RawMessage
	must(json.Unmarshal(document, &config))
	must(json.Unmarshal(config["backupVersions"], &list))
	list = slices.DeleteFunc(list, func(module map[string]json.RawMessage) bool {
		return slices.Contains(reports, strings.Trim(string(module["hostname"]), `"`))
	})
	for _, host := range wanted {
		list = append(list, map[string]json.RawMessage{"hostname": json.RawMessage(`"` + host + `"`), "name": json.RawMessage(`"1"`)})
	}
	config["backupVersions"] = mustJSON(list)
	return mustJSON(config)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func mustJSON(value any) []byte {
	text, err := json.Marshal(value)
	must(err)
	return text
}

// moduleType is the modules of reports in a project. Those of the other hosts are foreign.
var moduleType = providertest.ResourceType{
	TypeName: providertest.BackupModuleType,
	IDs:      []string{"project_id"},
	ID: func(v values) string {
		project, _ := v["project_id"].(string)
		return strings.ToLower(project)
	},
	Attributes: map[string]string{"hostnames": "hostnames"},
	Settings:   []string{"on_destroy", "timeouts"},
	Objects:    []string{payments, analytics},
	Object: func(s *providertest.Service, id string) object {
		held := []any{}
		for _, host := range modulesIn(s.AutomationConfig(id)) {
			if slices.Contains(reports, host) {
				held = append(held, host)
			}
		}
		if len(held) == 0 {
			return nil
		}
		return providertest.SortedLists(object{"hostnames": held})
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		var wanted []string
		list, _ := fields["hostnames"].([]any)
		for _, host := range list {
			wanted = append(wanted, host.(string))
		}
		s.PublishAutomationConfig(id, func(document []byte) []byte { return withModules(document, wanted) })
	},
	RemoveObject: func(s *providertest.Service, id string) {
		s.PublishAutomationConfig(id, func(document []byte) []byte { return withModules(document, nil) })
	},
	OwnElements: []string{"hostnames"},
	Deletes:     func(state values) bool { return state["on_destroy"] == "deactivate" },
}

// Timeouts for waits that a fault never ends.
var (
	shortTimeouts  = values{"create": "8s", "update": "8s", "delete": "8s"}
	longerTimeouts = values{"create": "9s", "update": "9s", "delete": "9s"}
)

func moduleRegistrations() []providertest.Registration {
	deactivated := providertest.Registration{
		ResourceType: moduleType,
		Name:         "modules that are deactivated",
		Config: values{
			"project_id": payments, "hostnames": hosts(0, 1), "on_destroy": "deactivate", "timeouts": shortTimeouts,
		},
		Changes:    []values{{"timeouts": longerTimeouts}, {"hostnames": hosts(0, 1, 2)}, {"on_destroy": "keep"}, {"hostnames": hosts(0, 2)}},
		Drifts:     []object{{"hostnames": hosts(0)}, {"hostnames": hosts(1)}},
		Created:    true,
		Elsewhere:  values{"project_id": analytics},
		Spellings:  []values{{"project_id": strings.ToUpper(payments)}},
		InvalidIDs: []string{"", "payments", payments + "/"},
		MissingID:  strings.Repeat("f", 24),
	}
	deactivated.Inapplicable = map[string]string{
		"a response for another object is an error": "an automation configuration has no ID",
		"a state of an older version is upgraded":   "hostnames is required, and a host that the state does not have belongs to others",
	}

	kept := deactivated
	kept.Name = "modules that are kept"
	kept.Brief = true
	kept.Config = values{"project_id": payments, "hostnames": hosts(0, 1), "timeouts": shortTimeouts}
	kept.Changes = []values{{"hostnames": hosts(0, 1, 2)}, {"timeouts": longerTimeouts}}
	kept.Created = false
	kept.Options = emulator.Options{Unknowns: emulator.Unknowns{IgnoresAutomationVersion: true}}
	return []providertest.Registration{deactivated, kept}
}

func TestResourceConforms(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, moduleRegistrations())
}

func TestOtherSpellingsOfAProjectAreTheSameProject(t *testing.T) {
	t.Parallel()
	providertest.CheckSpellings(t, moduleRegistrations()[:1])
}
