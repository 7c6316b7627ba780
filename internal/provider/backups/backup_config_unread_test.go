package backups_test

import (
	"context"
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestChangeThatIsNeverReadBackIsAnError(t *testing.T) {
	t.Parallel()
	for name, interrupts := range map[string]bool{"interrupted": true, "unreadable": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t, emulator.Options{})
			r.MustApply(backupConfig(providertest.Cards, providertest.Values{"excluded_namespaces": []any{"tmp"}}))
			p := r.Plan(backupConfig(providertest.Cards, providertest.Values{"included_namespaces": []any{"shop"}, "ssl_enabled": false}))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			r.Context = ctx
			d.Handle(providertest.Rewrite(func(request *http.Request, document map[string]any) {
				if request.Method == http.MethodPatch {
					document["sslEnabled"] = true
					if interrupts {
						interrupt()
						return
					}
					d.Service.Inject(emulator.Fault{Method: "GET", Path: "/backupConfigs/", Times: -1, Status: 403, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"error": 403, "errorCode": "X", "detail": "no"}`})
				}
			}))
			diags := r.Apply(p, nil)
			providertest.WantOne(t, diags.Errors(), "Ops Manager accepted the change", "terraform plan")
		})
	}
}
