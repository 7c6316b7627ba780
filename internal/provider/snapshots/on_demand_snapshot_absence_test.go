package snapshots_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// eachMember calls do with the path of each member of a document. An asterisk stands for each element of a list.
func eachMember(value any, path []string, do func(path []string)) {
	switch value := value.(type) {
	case object:
		for name, member := range value {
			at := append(slices.Clone(path), name)
			if name != "links" {
				do(at)
				eachMember(member, at, do)
			}
		}
	case []any:
		for _, element := range value {
			eachMember(element, append(slices.Clone(path), "*"), do)
		}
	}
}

// removeMember removes a member of a document.
func removeMember(value any, path []string) {
	switch value := value.(type) {
	case object:
		if len(path) == 1 {
			delete(value, path[0])
		} else {
			removeMember(value[path[0]], path[1:])
		}
	case []any:
		for _, element := range value {
			removeMember(element, path[1:])
		}
	}
}

// staysRefused runs an operation that fails. It has to fail as well, and to send no more, if responses lack a member,
// whichever that is.
func staysRefused(t *testing.T, run func(handle providertest.Handler) (errors, writes []string)) {
	t.Helper()
	members := map[string][]string{}
	errors, sent := run(providertest.Rewrite(func(q *http.Request, document object) {
		eachMember(document, nil, func(path []string) {
			members[q.URL.Path+" "+strings.Join(path, ".")] = append([]string{q.URL.Path}, path...)
		})
	}))
	if len(errors) == 0 || len(members) == 0 {
		t.Fatalf("errors %q, %d members", errors, len(members))
	}
	for _, without := range slices.Sorted(maps.Keys(members)) {
		errors, writes := run(providertest.Rewrite(func(q *http.Request, document object) {
			if q.URL.Path == members[without][0] {
				removeMember(document, members[without][1:])
			}
		}))
		if len(errors) == 0 || len(writes) > len(sent) {
			t.Errorf("without %s: sent %q, errors %q", without, writes, errors)
		}
	}
}

// What a response lacks is no reason to delete a snapshot that the whole response keeps.
func TestSnapshotIsNotDeletedBecauseAResponseLacksSomething(t *testing.T) {
	t.Parallel()
	replaces := object{
		"complete": true, "doNotDelete": false, "created": object{"date": "2025-09-02T01:15:03Z", "increment": 1},
		"expires": "2095-01-01T00:00:00Z", "missingShards": []any{}, "isPossiblyInconsistent": false,
		"parts": []any{object{"typeName": "REPLICA_SET"}, object{"typeName": "REPLICA_SET"}, object{"typeName": "CONFIG_SERVER_REPLICA_SET"}},
	}
	for name, test := range map[string]struct {
		other, own  object // changes of a later snapshot, and of the own one after the plan
		isRefreshed bool
	}{
		"of a later one that is in progress": {other: object{"complete": false}, isRefreshed: true},
		"of a later one that lacks a shard": {other: object{
			"missingShards": []any{object{"id": "650a2036b7d9f1e3a5c70926", "shardName": "orders-shard-1"}},
			"parts":         []any{object{"typeName": "REPLICA_SET"}, object{"typeName": "CONFIG_SERVER_REPLICA_SET"}},
		}, isRefreshed: true},
		"of a later one that has expired": {other: object{"expires": "2025-09-02T01:15:04Z"}},
		"of an older one":                 {other: object{"created": object{"date": "2025-08-02T01:15:03Z", "increment": 1}}},
		"of one that is held since":       {own: object{"doNotDelete": true, "expires": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			staysRefused(t, func(handle providertest.Handler) (errors, writes []string) {
				providertest.InBubble(t, func(t *testing.T) {
					d := providertest.FaultProxyInMemory()
					r := importedSnapshot(t, d, providertest.NewWorkspace(t, d.Service))
					r.MustApply(onDemand(values{"retention_days": nil, "on_destroy": "delete"}))
					setSnapshot(d, test.own)
					d.SetSnapshot(payments, orders, later, replaces)
					d.SetSnapshot(payments, orders, later, test.other)
					d.Handle(handle)
					r.Configure()
					if test.isRefreshed {
						errors = r.Refresh().Errors()
					}
					errors, writes = append(errors, r.Destroy().Errors()...), d.Writes()
				})
				return errors, writes
			})
		})
	}
}

func TestDestroySaysWhatIsNotKnownOfLaterSnapshots(t *testing.T) {
	t.Parallel()
	const notCounted = "Snapshot " + later + " does not count, because Ops Manager did not return its "
	for member, says := range map[string]string{
		"created":                 "when this one was created",
		"results.*.complete":      notCounted + "complete.",
		"results.*.missingShards": notCounted + "missingShards.",
		"results.*.expires":       notCounted + "expires.",
		"results.*.created":       notCounted + "created.",
	} {
		t.Run(member, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				d := providertest.FaultProxyInMemory()
				r := importedSnapshot(t, d, providertest.NewWorkspace(t, d.Service))
				r.MustApply(onDemand(values{"retention_days": nil, "on_destroy": "delete"}))
				addLater(d.Service)
				d.Handle(lacking(strings.Split(member, ".")...))
				errors := r.Destroy().Errors()
				providertest.WantOne(t, errors, noLater, says, `on_destroy = "keep"`)
				if strings.Contains(errors[0], "66d3e2a1c4d6e8f0a2b4c702") {
					t.Errorf("an earlier snapshot, or one that lacks a shard, is named: %q", errors)
				}
				providertest.WantWrites(t, d.Service)
			})
		})
	}
}

// A snapshot that expires is not held, also if the response does not say so.
func TestReleaseByAnotherClientIsDriftAlsoIfOnlyTheExpirySaysSo(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		d.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
			if document["doNotDelete"] == false {
				delete(document, "doNotDelete")
			}
		}))
		r := importedSnapshot(t, d, providertest.NewWorkspace(t, d.Service))
		held := onDemand(values{"retention_days": nil, "do_not_delete": true})
		r.MustApply(held)
		providertest.WantEmptyPlan(t, r.Plan(held))
		const expires = "2031-01-01T00:00:00Z"
		setSnapshot(d, object{"doNotDelete": false, "expires": expires})
		r.MustRefresh()
		providertest.WantAttributes(t, r, values{"do_not_delete": false, "expires": expires})
		r.MustApply(held)
		r.MustApply(onDemand(values{"retention_days": nil, "do_not_delete": false, "expires": expires}))
		r.MustRefresh()
		providertest.WantAttributes(t, r, values{"do_not_delete": false, "expires": expires})
	})
}

// withoutFalse leaves out whether a snapshot is complete until it is.
var withoutFalse = providertest.Rewrite(func(_ *http.Request, document object) {
	results, _ := document["results"].([]any)
	for _, result := range append(results, document) {
		if one, _ := result.(object); one["complete"] == false {
			delete(one, "complete")
		}
	}
})

func TestSnapshotThatDoesNotSayWhetherItIsCompleteIsWaitedFor(t *testing.T) {
	t.Parallel()
	type row struct {
		handle providertest.Handler
		fails  []string
	}
	providertest.EachInBubble(t, map[string]row{
		"until it says so": {withoutFalse, nil},
		"until the timeout": {providertest.Rewrite(func(r *http.Request, document object) {
			results, _ := document["results"].([]any)
			for _, result := range results {
				if one, _ := result.(object); one["id"] != newest {
					delete(one, "complete")
				}
			}
		}), []string{
			"Not Complete", "does not say whether the requested snapshot is complete", "the timeout ended", "terraform import ADDRESS",
			"stored nothing",
		}},
	}, func(t *testing.T, test row) {
		d := providertest.FaultProxyInMemory(emulator.Options{TransitionReads: 30})
		d.Handle(test.handle)
		r := snapshotOn(t, d.Service)
		begin := time.Now()
		diags := create(r, onDemand(values{"timeouts": values{"create": "4m"}}))
		wantTaken(t, d.Service, 1, 1)
		if test.fails == nil {
			if len(diags) > 0 || r.Attributes()["complete"] != true {
				t.Errorf("got %q, state %v", diags.Errors(), r.Attributes())
			}
			return
		}
		diags.WantError(t, test.fails...)
		providertest.WantNoState(t, r)
		if time.Since(begin) < 4*time.Minute {
			t.Errorf("waited only %s", time.Since(begin))
		}
	})
}

func TestNoSnapshotIsRequestedBesideOneThatMayBeInProgress(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		addScheduled(d.Service, later, 0, 2)
		d.SetSnapshot(payments, orders, later, object{"complete": false})
		d.Handle(withoutFalse)
		r := snapshotOn(t, d.Service)
		diags := create(r, onDemand(values{"timeouts": values{"create": "1m"}}))
		diags.WantError(t, "another snapshot does not say whether it is complete", "Raise the timeout")
		wantTaken(t, d.Service, 0, 0)
		time.AfterFunc(time.Minute, func() {
			d.SetSnapshot(payments, orders, later, object{"complete": true})
		})
		r.MustApply(onDemand())
		wantTaken(t, d.Service, 1, 1)
	})
}

func TestSnapshotThatDoesNotSayWhichShardsItLacksIsNoSuccess(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		d.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
			removeMember(document, []string{"missingShards"})
			removeMember(document["results"], []string{"*", "missingShards"})
		}))
		r := snapshotOn(t, d.Service)
		diags := create(r, onDemand())
		diags.WantError(
			t, "Not Complete", "does not say whether the requested snapshot lacks a shard", "terraform import ADDRESS", "stored nothing",
		)
		wantTaken(t, d.Service, 1, 1)
		importSnapshot(t, r, fmt.Sprint(taken(d.Service)[0]["id"]))
		providertest.WantAttributes(t, r, values{"complete": false})
		for _, handle := range []providertest.Handler{nil, lacking("missingShards")} {
			d.Handle(handle)
			r.MustRefresh()
			providertest.WantAttributes(t, r, values{"complete": true})
		}
	})
}

func TestQueryNamesASnapshotThatDoesNotSayWhetherItIsComplete(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		d.Handle(lacking("results", "*", "complete"))
		config := values{"project_id": payments, "cluster_id": ledger}
		found := providertest.NewWorkspace(t, d.Service).Query(providertest.OnDemandSnapshotType, config, false, 100)
		listed, leftOut := providertest.Listing(found)
		if len(listed) > 0 {
			t.Errorf("a query lists %v", providertest.Names(listed))
		}
		providertest.WantOne(t, leftOut, "Not Listed", "does not say whether it is complete")
	})
}

// What a response lacks is no reason to request a snapshot, or to call one complete.
func TestSnapshotIsNotTakenBecauseAResponseLacksSomething(t *testing.T) {
	t.Parallel()
	lacksShard := providertest.Rewrite(func(_ *http.Request, document object) {
		results, _ := document["results"].([]any)
		for _, result := range results {
			if one, _ := result.(object); one["id"] != newest {
				one["missingShards"] = []any{object{"id": "650a2036b7d9f1e3a5c70926"}}
			}
		}
	})
	for name, prepare := range map[string]func(s *providertest.Service){
		"the schedule keeps snapshots as long": func(s *providertest.Service) {
			s.SetSchedule(payments, orders, object{"dailySnapshotRetentionDays": 7.0})
		},
		"another one is in progress": func(s *providertest.Service) {
			addScheduled(s, later, 0, 2)
			s.SetSnapshot(payments, orders, later, object{"complete": false})
		},
		"it lacks a shard": func(*providertest.Service) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			staysRefused(t, func(handle providertest.Handler) (errors, writes []string) {
				providertest.InBubble(t, func(t *testing.T) {
					d := providertest.FaultProxyInMemory()
					d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
						handle(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { lacksShard(w, r, service) }))
					})
					prepare(d.Service)
					r := snapshotOn(t, d.Service)
					_, diags := r.InvokeAction(providertest.OnDemandSnapshotType, onDemand(values{"timeouts": values{"invoke": "20s"}}))
					errors, writes = diags.Errors(), d.Writes()
				})
				return errors, writes
			})
		})
	}
}

// lacking removes a member from each response.
func lacking(path ...string) providertest.Handler {
	return providertest.Rewrite(func(_ *http.Request, document object) { removeMember(document, path) })
}
