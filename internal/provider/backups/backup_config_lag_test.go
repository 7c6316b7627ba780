package backups_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// By the documentation, reads of a backup configuration lag behind writes. So the provider reads again what is not as the
// plan showed it, and what it sent. If that is interrupted, the value may be an old one.
func TestInterruptedWaitForANewValueAccusesNobody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lags func(request *http.Request, isSent bool) bool // whether a response has an old value
		says []string
	}{
		"before the request": {
			func(request *http.Request, _ bool) bool { return request.Method == http.MethodGet },
			[]string{"The run was interrupted before the backup of cluster", "Apply again to continue"},
		},
		"after the request": {
			func(_ *http.Request, isSent bool) bool { return isSent },
			[]string{"New Value Not Seen Yet", "when the run was interrupted", "Run terraform plan"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				d := providertest.FaultProxyInMemory(emulator.Options{})
				w := providertest.NewWorkspaceOn(t, d.NewReleasedServer(), d.Service, nil)
				r := w.NewResource(providertest.BackupConfigType)
				r.Create(backupOverTLS(true))
				p := r.Plan(backupConfig(providertest.Cards, providertest.Values{"ssl_enabled": true, "excluded_namespaces": []any{"staging"}}))
				d.Handle(providertest.Rewrite(func(request *http.Request, document map[string]any) {
					if document["excludedNamespaces"] != nil && test.lags(request, len(d.Calls("PATCH")) > 0) {
						document["excludedNamespaces"] = []any{"old"}
					}
				}))
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				w.Context = ctx
				time.AfterFunc(2*time.Second, interrupt)
				errors := r.Apply(p, nil).Errors()
				providertest.WantOne(t, errors, test.says...)
				if strings.Contains(errors[0], "changed since the plan") {
					t.Errorf("got %q", errors)
				}
			})
		})
	}
}
