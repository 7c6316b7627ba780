package snapshots_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const inTheFuture = "2033-03-03T00:00:00Z"

// disappearances are what happens to a snapshot before Ops Manager no longer has it, and whether a plan has to show
// that it is gone. Otherwise, the snapshot has expired, and a refresh records that.
var disappearances = map[string]struct {
	config  values
	before  func(r *providertest.Resource, set func(fields object)) // the snapshot is removed
	isShown bool
}{
	"kept":     {values{"expires": inTheFuture}, nil, true},
	"computed": {nil, nil, true},
	"held":     {values{"do_not_delete": true}, nil, true},
	"held, and released by another client": {values{"do_not_delete": true}, func(r *providertest.Resource, set func(object)) {
		set(object{"doNotDelete": false, "expires": soon()})
		r.MustRefresh()
		time.Sleep(time.Hour)
	}, true},
	"shortened by another client": {nil, func(r *providertest.Resource, set func(object)) {
		set(object{"expires": soon()})
		r.MustRefresh()
		time.Sleep(time.Hour)
	}, true},
	"extended by another client": {nil, func(r *providertest.Resource, set func(object)) {
		set(object{"expires": inTheFuture})
		r.MustRefresh()
		time.Sleep(8 * 24 * time.Hour)
	}, true},
	"held by another client": {nil, func(r *providertest.Resource, set func(object)) {
		set(object{"doNotDelete": true, "expires": nil})
		r.MustRefresh()
		time.Sleep(8 * 24 * time.Hour)
	}, true},
	"expired": {nil, func(*providertest.Resource, func(object)) { time.Sleep(8 * 24 * time.Hour) }, false},
	"expired after a change": {nil, func(r *providertest.Resource, _ func(object)) {
		r.MustApply(onDemand(values{"expires": soon()}))
		time.Sleep(time.Hour)
	}, false},
}

func soon() string { return time.Now().UTC().Add(time.Minute).Format(time.RFC3339) }

// disappear takes or imports a snapshot that Ops Manager no longer has at the next refresh.
func disappear(t *testing.T, name string, isImported bool, more values) (*providertest.Service, *providertest.Resource, values) {
	t.Helper()
	test := disappearances[name]
	s, r := newSnapshot(t)
	r.Context = t.Context() // without the deadline
	config := onDemand(test.config).With(more)
	r.MustApply(config)
	id := idOf(r)
	if isImported {
		r.State, r.Private, r.Identity = r.Null(), nil, nil
		importSnapshot(t, r, id)
		r.MustApply(config)
	}
	if test.before != nil {
		test.before(r, func(fields object) { s.SetSnapshot(payments, orders, id, fields) })
	}
	s.RemoveSnapshot(payments, orders, id)
	r.Configure()
	s.ResetRequests()
	r.MustRefresh()
	return s, r, config
}

// A refresh prints "No changes" even if it moves a value, so that a snapshot which another client deleted has to be a
// change of the plan.
func TestPlanShowsThatASnapshotIsGoneBeforeItExpired(t *testing.T) {
	t.Parallel()
	for name, test := range disappearances {
		for _, isImported := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", imported"}[isImported], func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) {
					s, r, config := disappear(t, name, isImported, nil)
					before := r.Attributes()
					providertest.WantAttributes(t, r, values{"gone": !test.isShown, "complete": true})
					p := r.Plan(config)
					if changes := strings.Join(p.Changes(), " "); test.isShown != strings.Contains(changes, "gone") || p.Replaces {
						t.Fatalf("the plan changes %q, replaces %t", changes, p.Replaces)
					}
					if test.isShown {
						providertest.WantContains(t, strings.Join(p.Warnings(), "\n"), "Is Gone", "sends no request", "change triggers")
						r.ApplyReplanned(p).WantNoErrors(t)
					}
					providertest.WantAttributes(t, r, values{"gone": true, "id": before["id"]})
					for range 2 {
						r.MustBeSettled(config)
					}
					s.RemoveCluster(payments, orders)
					r.MustBeSettled(config)
					r.Destroy().WantNone(t)
					providertest.WantWrites(t, s)
				})
			})
		}
	}
}

// Nothing has read the snapshot since the apply that took it.
func TestFirstRefreshDoesNotTakeAShortenedExpiryForTheAppliedOne(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.Context = t.Context() // without the deadline
		r.Apply(r.Plan(onDemand())).WantNoErrors(t)
		id := idOf(r)
		s.SetSnapshot(payments, orders, id, object{"expires": soon()})
		r.MustRefresh()
		time.Sleep(time.Hour)
		s.RemoveSnapshot(payments, orders, id)
		r.MustRefresh()
		if changes := r.Plan(onDemand()).Changes(); len(changes) != 1 || changes[0] != "gone" {
			t.Errorf("the plan changes %q", changes)
		}
	})
}

// The configuration says for how many days the snapshot is kept, so "No changes" would say that it still is. A hold keeps
// it for longer, so a client that ends the hold also brings the expiry forward.
func TestPlanSetsBackAnExpiryThatAnotherClientBroughtForward(t *testing.T) {
	t.Parallel()
	const isOver, isHeld = -1, 0
	held := object{"doNotDelete": true, "expires": nil}
	heldByTerraform := func(_ *providertest.Service, r *providertest.Resource, _ string) {
		r.MustApply(onDemand(values{"do_not_delete": true}))
		r.MustApply(onDemand(values{"do_not_delete": true, "retention_days": 60}))
	}
	type row struct {
		prepare func(s *providertest.Service, r *providertest.Resource, id string)
		config  values
		theirs  int // the days until the snapshot expires
		isShown bool
	}
	providertest.EachInBubble(t, map[string]row{
		"earlier":                  {theirs: 1, isShown: true},
		"over":                     {theirs: isOver, isShown: true},
		"later":                    {theirs: 100},
		"held":                     {theirs: isHeld},
		"without retention_days":   {config: values{"retention_days": nil}, theirs: 1},
		"earlier than the setting": {config: values{"expires": inTheFuture}, theirs: 1, isShown: true},

		"after a hold of Terraform":        {prepare: heldByTerraform, config: values{"retention_days": 60}, theirs: 50, isShown: true},
		"later, after a hold of Terraform": {prepare: heldByTerraform, config: values{"retention_days": 60}, theirs: 100},
		"after a hold by another client": {prepare: func(s *providertest.Service, r *providertest.Resource, id string) {
			s.SetSnapshot(payments, orders, id, held)
			r.MustRefresh()
		}, config: values{"retention_days": 60}, theirs: 50, isShown: true},
		"after an import of a held one": {prepare: func(s *providertest.Service, r *providertest.Resource, id string) {
			s.SetSnapshot(payments, orders, id, held)
			importSnapshot(t, r, id)
		}, config: values{"retention_days": 60}, theirs: 50, isShown: true},
		"after another client had extended it": {prepare: func(s *providertest.Service, r *providertest.Resource, id string) {
			s.SetSnapshot(payments, orders, id, object{"expires": after(t, r.Attributes()["created"], 60)})
			r.MustRefresh()
		}, config: values{"retention_days": 60}, theirs: 50, isShown: true},
	}, func(t *testing.T, test row) {
		s, r := newSnapshot(t)
		r.Context = t.Context() // without the deadline
		r.MustApply(onDemand())
		id := idOf(r)
		if test.prepare != nil {
			test.prepare(s, r, id)
		}
		config := onDemand(test.config)
		r.MustApply(config)
		before := r.Attributes()
		if test.prepare != nil {
			before = values{"expires": after(t, before["created"], 60)}
		}
		s.SetSnapshot(payments, orders, id, held)
		if test.theirs != isHeld {
			expires := time.Now().UTC().AddDate(0, 0, test.theirs).Format(time.RFC3339)
			s.SetSnapshot(payments, orders, id, object{"doNotDelete": false, "expires": expires})
		}
		r.Configure()
		r.MustRefresh()
		p := r.Plan(config)
		if changes := strings.Join(p.Changes(), " "); test.isShown != (changes == "expires") || p.Replaces {
			t.Fatalf("the plan changes %q, replaces %t", changes, p.Replaces)
		}
		switch {
		case test.theirs == isOver: // a plan in the apply has to plan the same
			r.ApplyReplanned(p).WantError(t, "has already expired")
		case test.isShown:
			r.ApplyReplanned(p).WantNoErrors(t)
			providertest.WantAttributes(t, r, values{"expires": before["expires"], "do_not_delete": false})
			r.MustBeSettled(config)
		}
	})
}

func TestAnUpdateOfAnotherAttributeDoesNotTakeTheExpiryOfAnotherClientForItsOwn(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.Context = t.Context() // without the deadline
		r.MustApply(onDemand())
		before := r.Attributes()["expires"]
		set := func(expires any) {
			s.SetSnapshot(payments, providertest.Orders, idOf(r), object{"expires": expires})
			r.Configure()
			r.MustRefresh()
		}
		set(inTheFuture)
		config := onDemand(values{"on_destroy": "keep"})
		r.MustApply(config)
		set(before)
		providertest.WantEmptyPlan(t, r.Plan(config))
	})
}

// What is no longer there is neither held nor deleted.
func TestSnapshotThatIsGoneIsDestroyedAndReplacedWithoutARequestForIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"kept", "held"} {
		for _, replaces := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", replaced"}[replaces], func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) {
					s, r, config := disappear(t, name, false, values{"on_destroy": "delete"})
					next := values(nil)
					if replaces {
						next = config.With(values{"triggers": values{"n": "2"}, "do_not_delete": nil, "expires": nil})
					}
					p := r.Plan(next)
					if len(p.Errors()) > 0 || p.Replaces != replaces {
						t.Fatalf("plan %q, replaces %t", p.Errors(), p.Replaces)
					}
					p.WantWarning(t, "Is Gone")
					r.Apply(p).WantNoErrors(t)
					providertest.WantNoCalls(t, s, "PATCH", "DELETE")
				})
			})
		}
	}
}

// A change of the configuration in the same plan has nothing to change.
func TestSnapshotThatIsGoneIsNotChanged(t *testing.T) {
	t.Parallel()
	providertest.EachInBubble(t, map[string]values{
		"an expiry":            {"expires": "2034-01-01", "do_not_delete": nil},
		"an expiry, late":      {"expires": providertest.Unknown, "do_not_delete": nil},
		"a retention":          {"retention_days": 90},
		"what a destroy does":  {"on_destroy": "delete"},
		"a released snapshot":  {"do_not_delete": false},
		"an unknown retention": {"retention_days": providertest.Unknown},
	}, func(t *testing.T, change values) {
		s, r, config := disappear(t, "held", false, nil)
		changed := config.With(change)
		p := r.Plan(changed)
		p.WantNoErrors(t)
		for attribute, value := range change {
			if value == providertest.Unknown {
				changed[attribute] = object{"expires": "2034-01-01", "retention_days": 90}[attribute]
			}
		}
		r.Apply(p, changed).WantNoErrors(t)
		providertest.WantAttributes(t, r, values{"gone": true})
		r.MustBeSettled(changed)
		providertest.WantWrites(t, s)
	})
}

// A list may be late, or a proxy may answer for Ops Manager for a moment.
func TestSnapshotThatIsBackIsNotGone(t *testing.T) {
	t.Parallel()
	for _, isRecorded := range []bool{false, true} {
		providertest.InBubble(t, func(t *testing.T) {
			s, r := newSnapshot(t)
			r.MustApply(onDemand())
			live := taken(s)[0]
			id, _ := live["id"].(string)
			s.RemoveSnapshot(payments, orders, id)
			r.MustRefresh()
			if isRecorded {
				r.MustApply(onDemand())
			}
			s.SetSnapshot(payments, orders, id, live)
			r.MustBeSettled(onDemand())
			providertest.WantAttributes(t, r, values{"gone": false})
			s.RemoveSnapshot(payments, orders, id)
			r.MustRefresh()
			if p := r.Plan(onDemand()); p.IsEmpty() {
				t.Error("the plan is empty")
			}
		})
	}
}

// A snapshot within the point-in-time window requires a higher role than the others.
func TestARefusedDeletionNamesBothRoles(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := newSnapshot(t)
		r.MustApply(onDemand(values{"on_destroy": "delete"}))
		addLater(s)
		s.Inject(emulator.Fault{Method: http.MethodDelete, Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`})
		r.Destroy().WantError(t, "lacks a role", "Project Backup Admin", "(Global Backup Admin within")
	})
}

// Only the code of a snapshot says that there is none. A parent that is missing may only be hidden from the key.
func TestOnlyTheCodeOfASnapshotSaysThatItIsGone(t *testing.T) {
	t.Parallel()
	for code, isGone := range map[string]bool{"SNAPSHOT_NOT_FOUND": true, "BACKUP_CONFIG_NOT_FOUND": false, "": false} {
		providertest.InBubble(t, func(t *testing.T) {
			s, r := newSnapshot(t)
			r.MustApply(onDemand(values{"on_destroy": "delete"}))
			addLater(s)
			before := r.Attributes()
			id, _ := before["id"].(string)
			fault := emulator.Fault{Times: -1, Status: 404, Body: `{"error": 404, "errorCode": "` + code + `", "detail": "There is none."}`}
			if isGone { // the list of the others is read as before
				s.RemoveSnapshot(payments, orders, id)
				fault.Path = "/snapshots/" + id
			}
			s.Inject(fault)
			if isGone {
				r.Destroy().WantNoErrors(t)
				return
			}
			refreshed, destroyed := r.Refresh().Errors(), r.Destroy().Errors()
			providertest.WantOne(t, refreshed, "Unable to Read Snapshot", "404 Not Found")
			providertest.WantOne(t, destroyed, "Unable to Delete Snapshot", "404 Not Found")
			providertest.WantAttributes(t, r, before)
		})
	}
}

func TestDestroyOfASnapshotThatWasGoneDoesNotDeleteIt(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r, _ := disappear(t, "kept", false, values{"on_destroy": "delete"})
		addLater(s)
		id := idOf(r)
		p := r.Plan(nil)
		s.SetSnapshot(payments, orders, id, object{"complete": true, "doNotDelete": false, "expires": inTheFuture})
		s.ResetRequests()
		r.Apply(p)
		providertest.WantNoState(t, r)
		providertest.WantWrites(t, s)
	})
}
