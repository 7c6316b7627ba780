package snapshots_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/providertest"
)

const newestPath = "/groups/" + payments + "/clusters/" + orders + "/snapshots/" + newest

func TestOperationsOfASnapshotSurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "refreshing a snapshot", Sends: []string{"GET"},
			Fails: []string{"Unable to Read Snapshot", "GET " + newestPath}, Prepare: refreshSnapshot},
		providertest.Operation{Name: "changing an expiry, its read", Sends: []string{"GET", "PATCH"}, Hits: 0,
			Fails: []string{"Unable to Change the Expiry of the Snapshot", "GET " + newestPath}, Prepare: changeExpiry},
		providertest.Operation{Name: "changing an expiry", Sends: []string{"GET", "PATCH"}, Hits: 1,
			Fails: []string{"Unable to Change the Expiry of the Snapshot", "PATCH " + newestPath}, Prepare: changeExpiry},
		providertest.Operation{Name: "deleting a snapshot, its later ones", Sends: []string{"GET", "GET", "DELETE"}, Hits: 1,
			Fails: []string{"Unable to Delete Snapshot", "GET " + strings.TrimSuffix(newestPath, "/"+newest)}, Prepare: deleteSnapshot},
		providertest.Operation{Name: "deleting a snapshot", Reads: 2, Looks: 2, Sends: []string{"GET", "GET", "DELETE"}, Hits: 2,
			Fails: []string{"Unable to Delete Snapshot", "DELETE " + newestPath}, Prepare: deleteSnapshot},
	)
}

func TestSnapshotThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	providertest.CheckContested(t,
		changedExpiry,
		providertest.Contested{
			Name: "deleted snapshot", Prepare: deleteSnapshot, Method: "DELETE", Attribute: "do_not_delete", Field: "doNotDelete",
			Third: true, IsUnique: true, Object: "Snapshot " + newest, Set: setSnapshot, Get: getSnapshot,
			Remove: func(d *providertest.FaultProxy) {
				d.RemoveSnapshot(payments, orders, newest)
			},
		},
	)
}

// changedExpiry is a change while another client changes the snapshot.
var changedExpiry = providertest.Contested{
	Name: "expiry of a snapshot", Prepare: changeExpiry, Method: "PATCH", Attribute: "expires", Field: "expires", Third: "2036-01-01T00:00:00Z",
	Object: "Snapshot " + newest, Set: setSnapshot, Get: getSnapshot,
}

// The next apply of the same plan would be refused by Terraform, and a snapshot that is held must stay.
func TestExpiryIsNotChangedOverAHold(t *testing.T) {
	t.Parallel()
	hold := func(d *providertest.FaultProxy, _ *providertest.Attempt) {
		setSnapshot(d, object{"doNotDelete": true})
	}
	changedExpiry.Run(t, "503", hold, func(t *testing.T, _ *providertest.FaultProxy, _ *providertest.Attempt, diags providertest.Diagnostics, seen []string) {
		diags.WantError(t, "changed since the plan: ", "do_not_delete is true, and the plan showed false")
		providertest.WantRequests(t, seen, "PATCH", "GET")
	})
}

// expiryHeld returns the expiry of the newest snapshot of orders, or nil if it is deleted.
func expiryHeld(d *providertest.FaultProxy) func() any {
	return func() any { return getSnapshot(d)["expires"] }
}

// importedSnapshot returns a resource with the newest snapshot of orders.
func importedSnapshot(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Resource {
	t.Helper()
	d.SetSnapshot(payments, orders, newest, object{"expires": "2098-01-01T00:00:00Z"})
	m := w.NewResource(providertest.OnDemandSnapshotType)
	importSnapshot(t, m, newest)
	return m
}

func refreshSnapshot(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := importedSnapshot(t, d, w)
	d.SetSnapshot(payments, orders, newest, object{"expires": "2099-01-01T00:00:00Z"})
	return providertest.Refreshing(m).Watching(expiryHeld(d), providertest.Stored(m, "expires"), "2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
}

func changeExpiry(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := importedSnapshot(t, d, w)
	return providertest.Applying(t, m, onDemand(values{"retention_days": nil, "expires": "2099-01-01T00:00:00Z"})).
		Watching(expiryHeld(d), providertest.Stored(m, "expires"), "2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z")
}

func deleteSnapshot(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := importedSnapshot(t, d, w)
	d.SetSnapshot(payments, orders, later, object{ // can replace it
		"complete": true, "created": object{"date": "2025-09-02T01:15:03Z", "increment": 1}, "expires": "2095-01-01T00:00:00Z",
	})
	m.Apply(m.Plan(onDemand(values{"retention_days": nil, "on_destroy": "delete"}))).WantNoErrors(t)
	return providertest.Destroying(t, m).Watching(expiryHeld(d), providertest.Stored(m, "expires"), nil, nil)
}

func setSnapshot(d *providertest.FaultProxy, fields object) {
	d.SetSnapshot(payments, orders, newest, fields)
}

func getSnapshot(d *providertest.FaultProxy) object {
	for _, s := range d.Snapshots(payments, orders) {
		if s["id"] == newest {
			return s
		}
	}
	return nil
}

// A request that was refused is repeated for minutes. What it depends on may change meanwhile.
func TestClusterIsCheckedBeforeARefusedRequestForASnapshotIsRepeated(t *testing.T) {
	t.Parallel()
	const other = "66d544b0c4d6e8f0a2b4c6f1"
	type row struct {
		meanwhile func(s *providertest.Service)
		fails     string
	}
	providertest.EachInBubble(t, map[string]row{
		"nothing changes": {func(*providertest.Service) {}, ""},
		"the schedule keeps snapshots as long": {func(s *providertest.Service) {
			s.SetSchedule(payments, orders, object{"snapshotRetentionDays": 7})
		}, "its recent snapshots for 7 days"},
		"another snapshot is taken": {func(s *providertest.Service) {
			addScheduled(s, other, 0, 7)
			s.SetSnapshot(payments, orders, other, object{"complete": false})
			time.AfterFunc(10*time.Second, func() {
				s.SetSnapshot(payments, orders, other, object{"complete": true})
			})
		}, ""},
	}, func(t *testing.T, test row) {
		d := providertest.FaultProxyInMemory()
		r := providertest.NewWorkspace(t, d.Service, values{"max_retries": 3}).NewResource(providertest.OnDemandSnapshotType)
		p := r.Plan(onDemand())
		d.OnFault = func() { test.meanwhile(d.Service) }
		d.Inject(providertest.Fault{Handler: providertest.Respond(429, "")}, "POST", 0, false)
		diags := r.Apply(p)
		if test.fails != "" {
			diags.WantError(t, test.fails, "was not sent again")
			wantTaken(t, d.Service, 0, 0)
			return
		}
		if len(diags.Errors()) > 0 || r.Attributes()["id"] == other {
			t.Errorf("state %v, errors %q", r.Attributes(), diags.Errors())
		}
	})
}

// What an answer leaves out is neither taken nor refused. The reads after it decide, if they say something.
func TestChangeThatNoResponseConfirmsIsAnError(t *testing.T) {
	t.Parallel()
	const later, held = "2099-01-01T00:00:00Z", "doNotDelete"
	type row struct {
		prior, change values
		needs         string // the field that confirms the change
		creates       bool
	}
	providertest.EachInBubble(t, map[string]row{
		"hold":                   {nil, values{"do_not_delete": true}, held, false},
		"new, and hold":          {nil, values{"do_not_delete": true}, held, true},
		"extend":                 {nil, values{"expires": later}, "expires", false},
		"new, and extend":        {nil, values{"expires": later}, "expires", true},
		"release with an expiry": {values{"do_not_delete": true}, values{"do_not_delete": false, "expires": later}, "expires", false},
		"release":                {values{"do_not_delete": true}, values{"do_not_delete": false, "retention_days": nil}, held, false},
	}, func(t *testing.T, test row) {
		for _, field := range []string{held, "expires"} {
			for _, isTaken := range []bool{false, true} {
				for _, isRead := range []bool{false, true} {
					d := providertest.FaultProxyInMemory()
					r := snapshotOn(t, d.Service)
					if !test.creates {
						r.MustApply(onDemand(test.prior))
					}
					p := r.Plan(onDemand(test.change))
					isSent := false
					hide := lacking(field)
					d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
						isSent = isSent || r.Method == http.MethodPatch
						if r.Method == http.MethodPatch && !isTaken {
							r.Method, r.Body, r.ContentLength = http.MethodGet, http.NoBody, 0
						} else if r.Method == http.MethodGet && isRead {
							service.ServeHTTP(w, r)
							return
						}
						if isSent {
							hide(w, r, service)
						} else {
							service.ServeHTTP(w, r)
						}
					})
					diags := r.Apply(p)
					d.Handle(nil)
					problems := append(diags.Errors(), diags.Warnings()...)
					if isConfirmed := isTaken && (isRead || field != test.needs); (len(problems) == 0) != isConfirmed {
						t.Errorf("without %s, taken %t, read %t, sent %t: got %q", field, isTaken, isRead, isSent, problems)
					}
					if test.creates && len(diags.Errors()) > 0 {
						t.Errorf("the snapshot is lost: %q", diags.Errors())
					}
				}
			}
		}
	})
}

func TestSnapshotThatMayBeHeldIsNotDeleted(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		r := snapshotOn(t, d.Service)
		d.SetSnapshot(payments, orders, newest, object{"expires": nil, "doNotDelete": nil})
		importSnapshot(t, r, newest)
		r.MustApply(onDemand(values{"retention_days": nil, "on_destroy": "delete"}))
		addLater(d.Service)
		r.Destroy().WantError(t, "Unable to Delete Snapshot", "neither when it expires nor whether it is held")
		providertest.WantWrites(t, d.Service)
	})
}
