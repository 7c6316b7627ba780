package provider_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Ops Manager may return old values for some time after a change.
func TestInterruptionBeforeTheNewValueIsReturnedIsNotAnAdjustment(t *testing.T) {
	t.Parallel()
	var changes []providertest.Operation
	for _, op := range operations {
		if slices.Contains([]string{"updating a schedule, its change", "updating a region", "updating a store", "updating a backup configuration, its change", "changing an expiry", "updating a daemon", "updating a job configuration"}, op.Name) {
			changes = append(changes, op)
		}
	}
	if len(changes) != 7 {
		t.Fatalf("found %d operations", len(changes))
	}
	for _, op := range changes {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				d := providertest.FaultProxyInMemory(emulator.Options{})
				var old sync.Map // the last response by path
				var isStale atomic.Bool
				d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
					recorded := providertest.Record(r, service)
					body := any(recorded.Body.Bytes())
					if recorded.Code == http.StatusOK && isStale.Load() {
						body, _ = old.LoadOrStore(r.URL.Path, body)
					} else if recorded.Code == http.StatusOK {
						old.Store(r.URL.Path, body)
					}
					recorded.Header().Del("Content-Length")
					providertest.Send(w, recorded, body.([]byte))
				})
				w := providertest.NewWorkspaceOn(t, d.NewReleasedServer(), d.Service, providertest.Values{"max_retries": nil})
				a := op.Prepare(t, d, w)
				isStale.Store(true)
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				w.Context = ctx
				time.AfterFunc(2*time.Second, interrupt)
				providertest.WantOne(t, a.Run().Errors(), "New Value Not Seen Yet", "when the run was interrupted", "Run terraform plan")
			})
		})
	}
}
