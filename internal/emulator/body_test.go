package emulator_test

import (
	"fmt"
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestUnknownFieldsCanBeIgnored(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{Unknowns: emulator.Unknowns{IgnoresUnknownFields: true}})
	c.do(http.MethodPatch, schedulePath(payments, ledger), `{"unknown":1}`).ok(t)
	if got := c.service.Schedule(payments, ledger)["unknown"]; got != nil {
		t.Errorf("it is stored: %v", got)
	}
}

func TestPutStoresFieldsThatWereReturned(t *testing.T) {
	t.Parallel()
	const field = `"newSetting":{"a":1}`
	oidc := `"oidc":{"enabled":false,"newSetting":2}`
	for name, test := range map[string]struct {
		plant func(*emulator.Emulator)
		path  string
		body  string
	}{
		"a store": {func(e *emulator.Emulator) {
			e.SetBackupStore(emulator.OplogStore, "ny-oplog-1", map[string]any{"newSetting": 0, "oidc": map[string]any{"newSetting": 0}})
		}, backupPath + "oplog/mongoConfigs/ny-oplog-1", body(mongoFields, field, oidc)},
		"a daemon": {func(e *emulator.Emulator) {
			e.SetBackupDaemon("om-ny.example.com", "/data/backup/", map[string]any{"newSetting": 0})
		}, nyDaemon, body(machineField("om-ny.example.com", "/data/backup/"), field)},
		"a job configuration": {func(e *emulator.Emulator) {
			e.SetJobConfig(analytics, map[string]any{"newSetting": 0, "daemonFilter": []any{map[string]any{"machine": "m", "newSetting": 0}}})
		}, backupPath + "groups/" + analytics, body(field, `"daemonFilter":[{"machine":"other","newSetting":2}]`)},
		"a region": {func(e *emulator.Emulator) {
			e.SetRegion("NY_NJ", map[string]any{"newSetting": 0})
		}, regionsPath + "/NY_NJ", body(completeRegion, field)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, emulator.Options{})
			c.do(http.MethodPut, test.path, test.body).refused(t, http.StatusBadRequest, "INVALID_ATTRIBUTE")
			test.plant(c.service)
			if got := c.do(http.MethodPut, test.path, test.body).ok(t)["newSetting"]; fmt.Sprint(got) != "map[a:1]" {
				t.Errorf("returned %v", got)
			}
			c = start(t, emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: true}})
			test.plant(c.service)
			c.do(http.MethodPut, test.path, test.body).refused(t, http.StatusBadRequest, "INVALID_ATTRIBUTE")
		})
	}
}
