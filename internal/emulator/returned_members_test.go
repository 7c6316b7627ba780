package emulator_test

import (
	"encoding/json"
	"maps"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// A newer version of Ops Manager returns members that the documentation doesn't have. A client may
// send them back, but no others.
func TestReplacementMayHaveTheMembersThatWereReturned(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path  string
		plant func(*emulator.Emulator)
	}{
		"a daemon": {daemonsPath + "/m/%2Fd%2F", func(e *emulator.Emulator) {
			e.SetBackupDaemon("m", "/d/", object{"newSetting": "a", "machine": object{"newSetting": "b"}})
		}},
		"a job configuration": {backupPath + "groups/" + payments, func(e *emulator.Emulator) {
			e.SetJobConfig(payments, object{"newSetting": "a", "daemonFilter": []any{object{"machine": "m", "newSetting": 1.0}}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			test.plant(c.service)
			body := c.get(test.path).ok(t)
			if body["newSetting"] != "a" {
				t.Fatalf("the response lacks the member: %v", body)
			}
			for _, name := range []string{"links", "id"} {
				delete(body, name)
			}
			put := func(body object) response {
				text, err := json.Marshal(body)
				succeed(t, err)
				return c.put(test.path, string(text))
			}
			put(body).ok(t) // which sets defaults
			before := c.get(test.path).ok(t)
			put(body).ok(t)
			equal(t, c.get(test.path).ok(t), before)
			other := maps.Clone(body)
			other["otherSetting"] = "a"
			put(other).refused(t, 400, "INVALID_ATTRIBUTE")
			delete(body, "newSetting")
			put(body).ok(t)
			body["newSetting"] = "a"
			put(body).refused(t, 400, "INVALID_ATTRIBUTE")
		})
	}
}
