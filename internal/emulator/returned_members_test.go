package emulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// A newer version of Ops Manager returns members that the documentation doesn't have. A client may
// send them back, but no others.
func TestReplacementMayHaveTheMembersThatWereReturned(t *testing.T) {
	t.Parallel()
	nested := func(member string) object {
		return object{"newSetting": "a", member: []any{object{"machine": "m", "newSetting": 1.0}}}
	}
	for name, test := range map[string]struct {
		path  string
		plant func(*emulator.Emulator)
	}{
		"a store": {backupPath + "snapshot/fileSystemConfigs/x", func(e *emulator.Emulator) {
			e.SetBackupStore(emulator.FileSystemStore, "x", object{"storePath": "/a", "assignmentEnabled": true, "newSetting": "a"})
		}},
		"a daemon": {daemonsPath + "/m/%2Fd%2F", func(e *emulator.Emulator) {
			e.SetBackupDaemon("m", "/d/", object{"newSetting": "a", "machine": object{"newSetting": "b"}})
		}},
		"a job configuration": {backupPath + "groups/" + payments, func(e *emulator.Emulator) {
			e.SetJobConfig(payments, nested("daemonFilter"))
		}},
		"a region": {backupPath + "backupDeployments/EU_DE", func(e *emulator.Emulator) {
			e.SetRegion("EU_DE", object{
				"newSetting": "a", "deploymentDescription": "d", "ingestionEndpoint": "i", "restoreEndpoint": "r",
				"bqProxyEndpoint": "b", "assignmentEnabled": true,
			})
		}},
	} {
		for _, rejects := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", name, rejects), func(t *testing.T) {
				t.Parallel()
				c := startWith(t, emulator.Unknowns{RejectsReturnedMembers: rejects})
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
				if rejects {
					equal(t, put(body).status, http.StatusBadRequest)
					return
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
}
