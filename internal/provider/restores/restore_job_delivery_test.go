package restores_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// without returns a handler that leaves out the delivery of finished jobs, or its status.
func without(field string) providertest.Handler {
	return providertest.Rewrite(func(_ *http.Request, document object) {
		results, isList := document["results"].([]any)
		if !isList {
			results = []any{document}
		}
		for _, result := range results {
			job, _ := result.(object)
			delivery, _ := job["delivery"].(object)
			switch {
			case job["statusName"] != "FINISHED":
			case field == "delivery":
				delete(job, "delivery")
			default:
				delete(delivery, "statusName")
			}
		}
	})
}

// withoutDelivery starts a workspace whose Ops Manager does not say how finished restores were delivered.
func withoutDelivery(t *testing.T, field string, options ...emulator.Options) (*providertest.FaultProxy, *providertest.Resource) {
	t.Helper()
	proxy := providertest.FaultProxyInMemory(options...)
	proxy.Handle(without(field))
	return proxy, restoreOn(t, proxy.Service)
}

// Each documented response says how the delivery is, so one that does not leaves the end of the restore open.
func TestFinishedJobWithoutTheStatusOfItsDeliveryIsReadUntilItIsKnown(t *testing.T) {
	t.Parallel()
	type row struct {
		field     string
		config    values
		delivered string
	}
	providertest.EachInBubble(t, map[string]row{
		"a replica set, delivered":  {"delivery", intoCards(), "READY"},
		"a replica set, failed":     {"delivery.statusName", intoCards(), "FAILED"},
		"a sharded cluster":         {"delivery.statusName", intoOrders(), "READY"},
		"a sharded cluster, failed": {"delivery", intoOrders(), "FAILED"},
		"a link":                    {"delivery.statusName", toLink(), "READY"},
		"a link without a delivery": {"delivery", toLink(), "READY"},
	}, func(t *testing.T, test row) {
		proxy, r := withoutDelivery(t, test.field, emulator.Options{RestoreReads: 2})
		p := r.Plan(test.config)
		began := time.Now()
		cluster := test.config["cluster_id"].(string)
		r.Apply(p).WantWarning(t, "Delivery of a Restore", cluster, "delivery.statusName", "not known")
		if status(r) != "UNKNOWN" || time.Since(began) > time.Hour {
			t.Errorf("got %v after %s", r.Attributes(), time.Since(began))
		}
		for _, job := range r.Attributes()["jobs"].([]any) {
			if job := job.(values); job["status_name"] != "FINISHED" || job["delivery_status_name"] != nil {
				t.Errorf("got %v", job)
			}
		}
		r.Configure()
		r.Refresh().WantWarning(t, "Delivery of a Restore", cluster, "delivery.statusName")
		wantStatus(t, r, "UNKNOWN")
		for _, job := range proxy.RestoreJobs(payments, cluster) {
			proxy.SetRestoreJob(payments, cluster, fmt.Sprint(job["id"]), object{
				"delivery": object{"methodName": "HTTP", "statusName": test.delivered, "url": "https://opsmanager.example.com/link"},
			})
		}
		proxy.Handle(nil)
		r.Configure()
		providertest.WantEqual(t, contains(r.Refresh().Warnings(), "Is FAILED"), test.delivered == "FAILED")
		want := map[string]string{"READY": "FINISHED", "FAILED": "FAILED"}[test.delivered]
		wantStatus(t, r, want)
		r.MustBeSettled(test.config)
	})
}

// A delivery that has not ended when the job has is read again, and counts once it fails.
func TestFinishedJobWhoseDeliveryHasNotEndedIsReadAgain(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, delivering := range []string{"NOT_STARTED", "IN_PROGRESS"} {
			s, r := begin(t, emulator.Options{RestoreReads: 1000})
			p := r.Plan(intoCards())
			deliver := func(delivered string) {
				s.SetRestoreJob(payments, ledger, fmt.Sprint(s.RestoreJobs(payments, ledger)[0]["id"]),
					object{"statusName": "FINISHED", "delivery": object{"methodName": "HTTP", "statusName": delivered}})
			}
			go func() {
				awaitJobs(t, s, ledger)
				deliver(delivering)
			}()
			began := time.Now()
			if diags := r.Apply(p); len(diags) > 0 || status(r) != "FINISHED" || time.Since(began) > time.Hour {
				t.Errorf("got %v, %q after %s", status(r), diags.Warnings(), time.Since(began))
			}
			r.MustBeSettled(intoCards())
			for _, code := range []string{"RESTORE_JOB_NOT_FOUND", "CLUSTER_NOT_FOUND", "GROUP_NOT_FOUND"} { // a restore that has ended stays
				s.Inject(emulator.Fault{
					Method: "GET", Path: "/restoreJobs/", Status: http.StatusNotFound,
					Body: `{"detail": "It does not exist.", "error": 404, "errorCode": "` + code + `", "parameters": [], "reason": "Not Found"}`,
				})
				r.MustBeSettled(intoCards())
			}
			deliver("FAILED")
			r.Refresh()
			wantStatus(t, r, "FAILED")
		}
	})
}

func TestImportedRestoreWithoutTheStatusOfItsDeliveryIsUnknown(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := withoutDelivery(t, "delivery.statusName")
		r.ImportID(seedJobID).WantWarning(t, "Delivery of a Restore", "delivery.statusName", seedJob)
		wantStatus(t, r, "UNKNOWN")
	})
}

// That its deliveries are known later does not make a batch complete.
func TestBatchThatLacksJobsAndDeliveriesIsInProgress(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		proxy, r := withoutDelivery(t, "delivery", emulator.Options{RestoreReads: -1, Unknowns: emulator.Unknowns{BatchAppearsAfter: 200}})
		p := r.Plan(intoOrders(values{"timeouts": values{"create": "1s"}}))
		r.Apply(p).WantWarning(t, "Has Not Ended", "it returned 1, for 2 shards")
		for _, handler := range []providertest.Handler{without("delivery"), nil} {
			proxy.Handle(handler)
			r.Configure()
			r.Refresh().WantWarning(t, "Has Not Ended", "it returned 1, for 2 shards")
			wantStatus(t, r, "IN_PROGRESS")
		}
	})
}

func TestActionWhoseDeliveryIsNotKnownFails(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := withoutDelivery(t, "delivery")
		_, diags := invoke(t, r.Workspace, ordered())
		diags.WantError(t, "Delivery of a Restore", "delivery.statusName", "not known", "before you invoke the action again")
	})
}
