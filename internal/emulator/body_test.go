package emulator_test

import (
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
