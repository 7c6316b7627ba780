package backups_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/providertest"
)

// By the documentation, reads of a backup configuration lag behind writes. So the provider reads again what is not as the
// plan showed it, and what it sent. If that is interrupted, the value may be an old one.
func TestInterruptedWaitForANewValueAccusesNobody(t *testing.T) {
	t.Parallel()
	type row struct {
		lags func(request *http.Request, isSent bool) bool // whether a response has an old value
		says []string
	}
	providertest.EachInBubble(t, map[string]row{
		"before the request": {
			func(request *http.Request, _ bool) bool { return request.Method == http.MethodGet },
			[]string{"The run was interrupted before the backup of cluster", "Apply again to continue"},
		},
		"after the request": {
			func(_ *http.Request, isSent bool) bool { return isSent },
			[]string{"New Value Not Seen Yet", "when the run was interrupted", "Run terraform plan"},
		},
	}, func(t *testing.T, test row) {
		d := providertest.FaultProxyInMemory()
		w := providertest.NewWorkspaceOn(t, d.NewReleasedServer(), d.Service)
		r := w.NewResource(providertest.BackupConfigType)
		r.Create(backupOverTLS(true))
		p := r.Plan(backupConfig(cards, values{"ssl_enabled": true, "excluded_namespaces": []any{"staging"}}))
		d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
			if document["excludedNamespaces"] != nil && test.lags(request, len(d.Calls("PATCH")) > 0) {
				document["excludedNamespaces"] = []any{"old"}
			}
		}))
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		w.Context = ctx
		time.AfterFunc(2*time.Second, interrupt)
		errors := r.Apply(p).Errors()
		providertest.WantOne(t, errors, test.says...)
		providertest.WantUnsaid(t, errors, "changed since the plan")
	})
}

// An old read may have the wanted status, which the plan did not see. Another client may have requested it, too: then Ops
// Manager refuses the request.
func TestAStatusThatThePlanDidNotSeeIsRequestedAlsoIfItIsAlreadySo(t *testing.T) {
	t.Parallel()
	for wanted, cluster := range map[string]string{"STARTED": fraud, "STOPPED": cards} {
		for _, adopts := range []bool{false, true} {
			for _, isOld := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, adopts %t, an old read %t", wanted, adopts, isOld), func(t *testing.T) {
					t.Parallel()
					d, r := startFaulty(t)
					if !adopts {
						r.Create(backupConfig(cluster, nil))
						r.Configure()
					}
					p := r.Plan(backupConfig(cluster, values{"status_name": wanted}))
					if !isOld {
						d.SetBackupConfig(payments, cluster, object{"statusName": wanted})
					}
					d.ResetRequests()
					d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
						isFirst := request.Method == http.MethodGet && len(sent(d.Service, cluster)) == 0
						if isFirst && document["statusName"] != nil {
							document["statusName"] = wanted
						}
					}))
					r.Apply(p).WantNoErrors(t)
					if requests := sent(d.Service, cluster); len(requests) != 1 || !strings.Contains(requests[0], wanted) {
						t.Errorf("sent %q", requests)
					}
					providertest.WantEqual(t, d.BackupConfig(payments, cluster)["statusName"], wanted)
					providertest.WantAttributes(t, r, values{"status_name": wanted})
				})
			}
		}
	}
}

func TestADestroyIsNotDoneBecauseAnOldReadSaysSo(t *testing.T) {
	t.Parallel()
	for onDestroy, ended := range map[string]string{"stop": "STOPPED", "terminate": "INACTIVE"} {
		providertest.InBubble(t, func(t *testing.T) { // so that a slow machine does not read less often
			d := providertest.FaultProxyInMemory()
			r := backupConfigOn(t, d.Service)
			p := destroyOf(r, onDestroy)
			var reads atomic.Int32
			d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
				if document["statusName"] != nil && request.Method == http.MethodGet && reads.Add(1) <= 2 {
					document["statusName"] = ended
				}
			}))
			r.Apply(p).WantNoErrors(t)
			if held := d.BackupConfig(payments, cards)["statusName"]; held != ended {
				t.Errorf("%s: the backup is %v", onDestroy, held)
			}
		})
	}
}
