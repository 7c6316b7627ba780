package emulator_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestUnknownFieldsCanBeIgnored(t *testing.T) {
	t.Parallel()
	c := startWith(t, emulator.Unknowns{IgnoresUnknownFields: true})
	c.patch(schedulePath(payments, ledger), `{"unknown":1}`).ok(t)
	if got := c.service.Schedule(payments, ledger)["unknown"]; got != nil {
		t.Errorf("it is stored: %v", got)
	}
}

func TestFieldOfALaterVersionIsIgnoredAsAWhole(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{ServiceVersion: "8.0.25", Unknowns: emulator.Unknowns{IgnoresUnknownFields: true}})
	c.post("/admin/backup/snapshot/mongoConfigs", body(`"id":"x"`, mongoFields, `"oidc":{"enabled":"yes"}`)).ok(t)
	if got := c.service.BackupStore(emulator.Blockstore, "x")["oidc"]; got != nil {
		t.Errorf("it is stored: %v", got)
	}
}
