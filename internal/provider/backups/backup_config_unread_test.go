package backups_test

import (
	"context"
	"net/http"
	"sync/atomic"
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

func TestInterruptionAfterAStartSaysThatItMayHaveTakenEffect(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPatch, http.MethodGet} { // the start, or the first read after it
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t, emulator.Options{})
			p := r.Plan(backupConfig(reports, providertest.Values{"status_name": "STARTED"}))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			r.Context = ctx
			var isStarted atomic.Bool
			d.Handle(providertest.Rewrite(func(request *http.Request, _ map[string]any) {
				if request.Method == http.MethodPatch {
					isStarted.Store(true)
				}
				if isStarted.Load() && request.Method == method {
					interrupt()
				}
			}))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "run was interrupted before the backup", "may have taken effect", "Apply again")
			providertest.WantNoState(t, r)
		})
	}
}
