package restores_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	restoresPath = "/groups/" + payments + "/clusters/" + ledger + "/restoreJobs"
	nowhere      = "ffffffffffffffffffffffff"
)

// intoCards is the restore of a snapshot of ledger into cards.
func intoCards(more ...values) values {
	return values{
		"project_id": payments, "cluster_id": ledger, "snapshot_id": heldSnapshot,
		"target_project_id": payments, "target_cluster_id": cards, "target_cluster_name": "cards",
		"triggers": values{"drill": "1"},
	}.With(more...)
}

// restoreIntoCardsBody is the body of the request of intoCards.
const restoreIntoCardsBody = `{"snapshotId":"` + heldSnapshot + `","delivery":{"methodName":"AUTOMATED_RESTORE",` +
	`"targetGroupId":"` + payments + `","targetClusterId":"` + cards + `"}}`

// toLink is the restore of a snapshot of ledger to a link.
func toLink(more ...values) values {
	return values{
		"project_id": payments, "cluster_id": ledger, "snapshot_id": heldSnapshot, "max_downloads": 2,
	}.With(more...)
}

func another(drill string) values {
	return values{"triggers": values{"drill": drill}}
}

// begin starts a service without restore jobs.
func begin(t *testing.T, given ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	options := providertest.Chosen(given)
	options.Seed = emulator.DefaultSeed()
	for i := range options.Seed.Projects {
		for j := range options.Seed.Projects[i].Clusters {
			options.Seed.Projects[i].Clusters[j].RestoreJobs = nil
		}
	}
	s := providertest.ServiceInMemory(options)
	return s, restoreOn(t, s)
}

// beginQuick starts a service whose restores end at once.
func beginQuick(t *testing.T) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return begin(t, emulator.Options{RestoreReads: -1})
}

// restored returns a restore that has ended.
func restored(t *testing.T, config values) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s, r := beginQuick(t)
	r.Create(config)
	return s, r
}

// requested returns the bodies of the requests for a restore.
func requested(s *providertest.Service) []string { return s.Sent("POST", "/restoreJobs") }

// awaitRequests waits until this many restores were requested.
func awaitRequests(t *testing.T, s *providertest.Service, n int) {
	t.Helper()
	providertest.Await(t, fmt.Sprintf("%d requests for a restore", n), func() bool { return len(requested(s)) >= n })
}

// awaitJobs waits until a cluster has a restore job.
func awaitJobs(t *testing.T, s *providertest.Service, cluster string) {
	t.Helper()
	providertest.Await(t, "a restore job of "+cluster, func() bool { return len(s.RestoreJobs(payments, cluster)) > 0 })
}

// wantRequests fails unless this many restores were requested.
func wantRequests(t *testing.T, s *providertest.Service, want int) {
	t.Helper()
	if got := requested(s); len(got) != want {
		t.Errorf("%d restores were requested, want %d: %q", len(got), want, got)
	}
}

func status(r *providertest.Resource) any { return r.Attributes()["status_name"] }

func wantStatus(t *testing.T, r *providertest.Resource, want string) {
	t.Helper()
	providertest.WantAttributes(t, r, values{"status_name": want})
}

// restoreOn returns a restore on a service without a state.
func restoreOn(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.RestoreJobType)
}

func TestSnapshotIsRestoredIntoAClusterOnce(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t)
		p := r.Plan(intoCards())
		p.WantWarning(
			t, "[target_cluster_id]", "Restore Will Overwrite Cluster cards",
			"snapshot "+heldSnapshot+" of cluster ledger ("+ledger+")", cards, "replaces all its data",
			"The snapshot was taken at 2025-08-01T02:30:03Z",
		)
		r.ApplyReplanned(p).WantNoErrors(t)
		providertest.WantEqual(t, requested(s), []string{restoreIntoCardsBody})
		id := s.RestoreJobs(payments, ledger)[0]["id"]
		got := r.Attributes()
		jobs := got["jobs"].([]any)
		if got["id"] != id || got["batch_id"] != nil || got["status_name"] != "FINISHED" || got["download_urls"] != nil || len(jobs) != 1 {
			t.Errorf("got %v", got)
		}
		one := jobs[0].(values)
		if one["id"] != id || one["status_name"] != "FINISHED" || one["snapshot_id"] != heldSnapshot || one["cluster_id"] != ledger ||
			one["delivery_status_name"] != "READY" || one["created"] == nil {
			t.Errorf("got %v", one)
		}
		r.MustBeSettled(intoCards())
		wantRequests(t, s, 1)
	})
}

func TestShardedClusterIsRestoredAsABatch(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, namesShards := range []bool{false, true} {
			s, r := begin(t, emulator.Options{Unknowns: emulator.Unknowns{ShardJobsNameTheCluster: !namesShards}})
			config := intoOrders()
			r.Create(config)
			held := s.RestoreJobs(payments, orders)
			got := r.Attributes()
			if got["id"] != held[0]["batchId"] || got["batch_id"] != held[0]["batchId"] || got["status_name"] != "FINISHED" || len(got["jobs"].([]any)) != 2 {
				t.Errorf("got %v", got)
			}
			r.MustBeSettled(config)
			wantRequests(t, s, 1)
		}
	})
}

func TestBatchHasTheWorstStatusOfItsJobs(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		config := intoOrders(values{"timeouts": values{"create": "1s"}})
		s, r := begin(t, emulator.Options{RestoreReads: 1000})
		diags := r.Create(config)
		if !contains(diags.Warnings(), "Restore of Cluster orders ("+orders+") Has Not Ended") || status(r) != "IN_PROGRESS" {
			t.Errorf("got %v, %q", status(r), diags.Warnings())
		}
		jobs := s.RestoreJobs(payments, orders)
		for i, end := range []string{"KILLED", "FINISHED"} {
			s.EndRestore(payments, orders, fmt.Sprint(jobs[i]["id"]), end)
			r.MustBeSettled(config)
			wantStatus(t, r, "KILLED")
		}
		wantRequests(t, s, 1)
	})
}

func contains(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) })
}

func TestPointInTimeAndOplogEntryAreRestored(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for source, test := range map[string]struct {
			config     values
			sent, said string
		}{
			"a time": {values{"point_in_time": "2025-08-31T02:30:05Z"}, `"pointInTimeUTCMillis":1756607405000,`, "2025-08-31T02:30:05Z"},
			"an oplog entry": {
				values{"oplog_ts": 1756607405, "oplog_inc": 3}, `"oplogTs":"1756607405","oplogInc":3,`,
				"the oplog entry 2025-08-31T02:30:05Z, 3,",
			},
		} {
			s, r := begin(t)
			config := intoCards(values{"snapshot_id": nil}, test.config)
			p := r.Plan(config)
			p.WantWarning(t, "Restore Will Overwrite Cluster cards", test.said)
			r.Apply(p)
			if sent := requested(s); len(sent) != 1 || !strings.HasPrefix(sent[0], "{"+test.sent) {
				t.Errorf("%s: sent %q", source, sent)
			}
			wantStatus(t, r, "FINISHED")
			r.MustBeSettled(config)
		}
	})
}

func TestLinkForDownloadsIsExportedWhenItIsReady(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, more := range []values{nil, {"expiration_hours": 3}, {"expires": "2120-01-01T00:00:00Z"}} {
			s, r := begin(t)
			config := toLink(more)
			p := r.Plan(config)
			if len(p.Diagnostics) > 0 {
				t.Errorf("got %q", p.Warnings())
			}
			r.Apply(p)
			job := s.RestoreJobs(payments, ledger)[0]
			delivery := job["delivery"].(object)
			link := delivery["url"]
			if got := r.Attributes()["download_urls"]; fmt.Sprint(got) != fmt.Sprint(values{fmt.Sprint(job["id"]): link}) || link == nil {
				t.Errorf("got %v", got)
			}
			if others := r.Attributes().With(values{"download_urls": nil}); strings.Contains(fmt.Sprint(others), fmt.Sprint(link)) {
				t.Errorf("the link is also in %v", others)
			}
			r.MustBeSettled(config)
			if delivery["statusName"] != "NOT_STARTED" && delivery["statusName"] != "READY" {
				t.Errorf("the link is not valid: %v", delivery)
			}
			for name, value := range more {
				if sent := requested(s)[0]; !strings.Contains(sent, fmt.Sprint(value)) {
					t.Errorf("%s is not in %s", name, sent)
				}
			}
		}
	})
}

// An update of settings leaves a restore alone, and a source that is not known yet, such as a snapshot that is taken again.
func TestOnlyAChangeOfTriggersStartsAnotherRestore(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := beginQuick(t)
		config := intoCards()
		r.Create(config)
		first := r.Attributes()
		wantKept := func(attribute string, value any, says string) {
			t.Helper()
			p := r.Plan(config.With(values{attribute: value}))
			p.WantWarning(t, "Restore of Cluster ledger ("+ledger+") Will Be Kept", attribute, says, "Only a change of triggers")
			if !p.IsEmpty() {
				t.Errorf("%s: the plan changes %q", attribute, p.Changes())
			}
		}
		for attribute, value := range map[string]string{
			"snapshot_id": expiredSnapshot, "cluster_id": cards, "project_id": nowhere, "target_cluster_id": nowhere, "target_project_id": nowhere,
		} {
			wantKept(attribute, value, value)
		}
		wantKept("snapshot_id", providertest.Unknown, "not known yet")
		calls := len(s.Calls())
		for _, settings := range []values{{"target_cluster_name": "renamed"}, {"timeouts": values{"create": "1h"}}} {
			config = config.With(settings)
			if p := r.Plan(config); len(p.Changes()) != 1 || len(p.Diagnostics) > 0 {
				t.Errorf("the plan changes %q: %q", p.Changes(), p.Warnings())
			}
			r.Create(config)
			r.MustBeSettled(config)
		}
		if got := s.Calls()[calls:]; len(got) > 0 {
			t.Errorf("called %q", got)
		}
		if r.Attributes()["id"] != first["id"] {
			t.Error("the restore is another one")
		}
		wantRequests(t, s, 1)

		next := intoCards(another("2"), values{"snapshot_id": expiredSnapshot})
		p := r.Plan(next)
		if !contains(p.Warnings(), "Restore Will Overwrite Cluster cards") || p.Replaces {
			t.Errorf("got %q", p.Warnings())
		}
		r.ApplyReplanned(p).WantNoErrors(t)
		wantRequests(t, s, 2)
		if got := r.Attributes(); got["id"] == first["id"] || got["snapshot_id"] != expiredSnapshot || got["status_name"] != "FINISHED" {
			t.Errorf("got %v", got)
		}
		r.MustBeSettled(next)
	})
}

func TestAnotherKindOfRestoreRequiresOtherTriggers(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards())
		noTarget := values{"target_project_id": nil, "target_cluster_id": nil, "target_cluster_name": nil, "max_downloads": 1}
		for attribute, change := range map[string]values{
			"snapshot_id":       {"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z"},
			"target_project_id": noTarget,
		} {
			r.Configure()
			r.Plan(intoCards(change)).WantError(t, "["+attribute+"]", "Only a change of triggers", "Change triggers too")
		}
		for i, change := range []values{noTarget, {"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z"}} {
			r.Configure()
			config := intoCards(change, another(fmt.Sprint("other ", i)))
			r.Create(config)
			r.MustBeSettled(config)
		}
		wantRequests(t, s, 3)
	})
}

func TestEmptyTriggersEqualNoTriggers(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards(values{"triggers": nil}))
		for _, triggers := range []any{values{}, nil} {
			r.Configure()
			r.Create(intoCards(values{"triggers": triggers}))
		}
		wantRequests(t, s, 1)
		r.Create(intoCards())
		wantRequests(t, s, 2)
	})
}

func TestTriggersThatTurnOutToBeTheSameStartNothing(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for drill, want := range map[string]int{"1": 1, "2": 2} {
			s, r := restored(t, intoCards())
			p := r.Plan(intoCards(values{"triggers": providertest.Unknown}))
			p.WantNoErrors(t)
			r.Apply(p, another(drill)).WantNoErrors(t)
			wantRequests(t, s, want)
			r.MustBeSettled(intoCards(another(drill)))
		}
	})
}

func TestInvalidRestoreIsAnErrorOfThePlan(t *testing.T) {
	t.Parallel()
	point := func(time string) values { return values{"snapshot_id": nil, "point_in_time": time} }
	entry := func(time, order any) values { return values{"snapshot_id": nil, "oplog_ts": time, "oplog_inc": order} }
	type row struct {
		change values // of intoCards
		says   []string
	}
	// Those of both the resource and the action.
	shared := map[string]row{
		"no source":   {values{"snapshot_id": nil}, []string{"[snapshot_id]", "Restore Without a Source"}},
		"two sources": {values{"point_in_time": "2025-08-31T02:30:05Z"}, []string{"[snapshot_id]", "point_in_time"}},
		"two other sources": {
			entry(1, 1).With(values{"point_in_time": "2025-08-31T02:30:05Z"}), []string{"[point_in_time]", "oplog_ts"},
		},
		"half of an oplog entry":     {entry(1, nil), []string{"[oplog_ts]", "oplog_inc"}},
		"the other half":             {values{"oplog_inc": 1}, []string{"[oplog_inc]", "oplog_ts"}},
		"an unknown snapshot":        {values{"snapshot_id": nowhere}, []string{"[snapshot_id]", "SNAPSHOT_NOT_FOUND", "-refresh=false"}},
		"another cluster's snapshot": {values{"snapshot_id": ordersSnapshot}, []string{"[snapshot_id]", "SNAPSHOT_NOT_FOUND"}},
		"a snapshot in progress": {
			values{"snapshot_id": incompleteSnapshot}, []string{"[snapshot_id]", "is still being taken", "-refresh=false"},
		},
		"a time without an offset": {
			point("2026-11-24T12:00:00"),
			[]string{
				"[point_in_time]", "Invalid Time", `"2026-11-24T12:00:00" has no offset`,
				"such as 2026-11-24T12:00:00+01:00, or write 2026-11-24T12:00:00Z",
			},
		},
		"a time in a gap": {
			point("2025-08-30T23:00:00Z"),
			[]string{
				"[point_in_time]", "2025-08-30T23:00:00Z", "2025-08-30T02:30:04Z to 2025-08-30T20:15:00Z",
				"2025-08-31T02:30:05Z to 2025-09-01T02:40:21Z",
			},
		},
		"an oplog entry in a gap": {entry(1756594800, 1), []string{"[oplog_ts]", "2025-08-30T23:00:00Z"}},
		"an entry of 33 bits":     {entry(math.MaxUint32+1, 1), []string{"[oplog_ts]", "at most 4294967295"}},
		"an order of 33 bits":     {entry(1, math.MaxUint32+1), []string{"[oplog_inc]", "at most 4294967295"}},
		"the last oplog entry":    {entry(math.MaxUint32, math.MaxUint32), []string{"[oplog_ts]", "2106-02-07T06:28:15Z"}},
		"the last point in time":  {point("9999-12-31T23:59:59.999Z"), []string{"[point_in_time]", "9999-12-31T23:59:59.999Z"}},
		"the first point in time": {point("0001-01-01T00:00:00Z"), []string{"[point_in_time]", "0001-01-01T00:00:00Z"}},
		"a cluster without any range": {
			point("1970-01-01T00:00:00.001Z").With(values{"cluster_id": cards, "overwrite_source": true}),
			[]string{"[point_in_time]", "no point in time that can be restored", "-refresh=false"},
		},
		"the name of another cluster": {
			values{"target_cluster_name": "ledger"},
			[]string{
				"[target_cluster_name]", "Cluster cards (" + cards + ") of project",
				`is called "cards", but target_cluster_name is "ledger"`, cards,
			},
		},
		"the name in another case": {values{"target_cluster_name": "Cards"}, []string{"[target_cluster_name]", `"cards"`, `"Cards"`}},
		"no such target":           {values{"target_cluster_id": nowhere}, []string{"[target_cluster_id]", "CLUSTER_NOT_FOUND"}},
		"no such project":          {values{"target_project_id": nowhere}, []string{"[target_project_id]", "GROUP_NOT_FOUND"}},
		"no such cluster":          {values{"cluster_id": nowhere}, []string{"[cluster_id]", "CLUSTER_NOT_FOUND"}},
		"a malformed ID":           {values{"snapshot_id": "newest"}, []string{"[snapshot_id]", "24 hexadecimal digits"}},
		"a shard as target": {
			values{"target_cluster_id": providertest.OrdersShard, "target_cluster_name": "orders"},
			[]string{"[target_cluster_id]", "part of a sharded cluster"},
		},
		"its own source": {
			values{"cluster_id": cards}, []string{"[target_cluster_id]", "Restore Into Its Own Source", "overwrite_source = true"},
		},
		"its own source, in capitals": {
			values{"cluster_id": strings.ToUpper(cards), "target_project_id": providertest.Unknown, "overwrite_source": false},
			[]string{"[target_cluster_id]", "Restore Into Its Own Source"},
		},
	}
	noTarget := values{"target_project_id": nil, "target_cluster_id": nil, "target_cluster_name": nil}
	link := noTarget.With(values{"max_downloads": 2})
	onlyOfTheResource := map[string]row{
		"no target":               {noTarget, []string{"[target_cluster_id]", "Restore Without a Target"}},
		"a target without a name": {values{"target_cluster_name": nil}, []string{"[target_cluster_id]", "target_cluster_name"}},
		"a name without a target": {
			link.With(values{"target_cluster_name": "cards"}), []string{"[target_cluster_name]", "target_cluster_id"},
		},
		"a target and a link":      {values{"max_downloads": 1}, []string{"[target_cluster_id]", "max_downloads"}},
		"an expiry without a link": {values{"expiration_hours": 1}, []string{"[expiration_hours]", "max_downloads"}},
		"two expiries": {
			link.With(values{"expires": "2120-01-01T00:00:00Z", "expiration_hours": 1}), []string{"[expires]", "expiration_hours"},
		},
		"an expiry that is not a time": {link.With(values{"expires": "tomorrow"}), []string{"[expires]", `"tomorrow" must be a time`}},
		"no downloads":                 {link.With(values{"max_downloads": 0}), []string{"[max_downloads]", "at least 1"}},
	}
	onlyOfTheAction := map[string]row{
		"no name": {values{"target_cluster_name": ""}, []string{"[target_cluster_name]"}},
		"no time": {values{"timeouts": values{"invoke": "0s"}}, []string{"[timeouts]", "must be longer than 0"}},
	}
	check := func(rows map[string]row, plan func(r *providertest.Resource, change values) providertest.Diagnostics) {
		providertest.EachInBubble(t, rows, func(t *testing.T, test row) {
			s, r := begin(t)
			errors := plan(r, test.change).Errors()
			if !slices.ContainsFunc(errors, func(text string) bool {
				return !slices.ContainsFunc(test.says, func(part string) bool { return !strings.Contains(text, part) })
			}) {
				t.Errorf("got %q, want %q", errors, test.says)
			}
			wantRequests(t, s, 0)
		})
	}
	ofResource := func(r *providertest.Resource, change values) providertest.Diagnostics {
		return r.Plan(intoCards(change)).Diagnostics
	}
	ofAction := func(r *providertest.Resource, change values) providertest.Diagnostics {
		return r.PlanAction(providertest.RestoreJobType, ordered(change))
	}
	check(shared, ofResource)
	check(onlyOfTheResource, ofResource)
	check(shared, ofAction)
	check(onlyOfTheAction, ofAction)
}

// Nothing follows from a number of shards that is not certain, such as that of a cluster whose parts are not listed.
func TestTargetWithAnotherNumberOfShardsIsAWarning(t *testing.T) {
	t.Parallel()
	const invoices = "650a20d18c3e5f7092b4d6a8"
	into := values{"target_cluster_id": invoices, "target_cluster_name": "invoices", "overwrite_source": nil}
	shard := func(id, name, of string) emulator.Cluster {
		return emulator.Cluster{
			ID: strings.Repeat(id, 24), Name: name, TypeName: "REPLICA_SET", ReplicaSetName: "rs" + id, ShardName: "shard" + id, ShardOf: of,
		}
	}
	one := []emulator.Cluster{shard("a", "invoices", invoices)}
	two := append(slices.Clone(one), shard("b", "invoices", invoices))
	namesake := emulator.Cluster{ID: strings.Repeat("d", 24), Name: "invoices", TypeName: "SHARDED_REPLICA_SET"}
	for name, test := range map[string]struct {
		added []emulator.Cluster
		more  values
		want  bool
	}{
		"fewer":                      {added: one, want: true},
		"fewer, for a point in time": {added: one, more: values{"snapshot_id": nil, "point_in_time": "2025-09-01T01:00:00Z"}, want: true},
		"as many":                    {added: two},
		"more":                       {added: append(slices.Clone(two), shard("c", "invoices", invoices)), want: true},
		"as many as the snapshot has, of a cluster that has grown": {added: append(slices.Clone(two), shard("e", "orders", orders))},
		"none listed":                        {},
		"a part without a name":              {added: append(slices.Clone(one), shard("c", "", invoices))},
		"another cluster with the same name": {added: append(slices.Clone(one), namesake)},
		"a replica set is restored":          {added: one, more: values{"cluster_id": ledger, "snapshot_id": heldSnapshot}},
		"a snapshot that is not known yet":   {added: one, more: values{"snapshot_id": providertest.Unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := begin(t)
			for _, c := range test.added {
				s.AddCluster(payments, c)
			}
			p := r.Plan(intoOrders(into, test.more))
			p.WantNoErrors(t)
			text := strings.Join(p.Warnings(), "\n")
			if strings.Contains(text, "Target Has a Different Number of Shards") != test.want {
				t.Errorf("got %q", text)
			}
			if test.want && !strings.Contains(text, fmt.Sprintf("lists %d for cluster invoices (%s), and 2 for ", len(test.added), invoices)) {
				t.Errorf("got %q", text)
			}
		})
	}
}

func TestTargetOfAnotherTopologyIsAWarning(t *testing.T) {
	t.Parallel()
	const title = "Target Has a Different Topology"
	for name, test := range map[string]struct {
		config values
		want   bool
	}{
		"a sharded cluster into a replica set": {intoCards(values{"cluster_id": orders, "snapshot_id": ordersSnapshot}), true},
		"a replica set into a sharded cluster": {
			intoCards(values{"target_cluster_id": orders, "target_cluster_name": "orders"}), true,
		},
		"a replica set into another one": {intoCards(), false},
	} {
		_, r := begin(t)
		p := r.Plan(test.config)
		if text := strings.Join(p.Warnings(), "\n"); strings.Contains(text, title) != test.want || len(p.Errors()) > 0 {
			t.Errorf("%s: %q, %q", name, text, p.Errors())
		}
	}
}

func TestExpiredSnapshotIsAWarningBecauseOpsManagerMayKeepIt(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := beginQuick(t)
		p := r.Plan(intoCards(values{"snapshot_id": expiredSnapshot}))
		if !contains(p.Warnings(), "[snapshot_id] Snapshot "+expiredSnapshot+" Has Expired") {
			t.Errorf("got %q", p.Warnings())
		}
		r.Apply(p)
		wantRequests(t, s, 1)

		s, r = begin(t)
		p = r.Plan(intoCards(values{"snapshot_id": expiredSnapshot}))
		s.Inject(emulator.Fault{
			Method: http.MethodPost, Path: "/restoreJobs", Status: http.StatusConflict,
			Body: `{"error": 409, "errorCode": "CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT"}`,
		})
		diags := r.Apply(p)
		diags.WantError(t, "[snapshot_id]", "Unable to Start Restore", "CANNOT_START_RESTORE_JOB_FOR_DELETED_SNAPSHOT")
		providertest.WantNoState(t, r)
	})
}

func TestTimesAreNotCheckedIfOpsManagerHasNoRanges(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := begin(t, emulator.Options{ServiceVersion: "8.0.5"})
		p := r.Plan(intoCards(values{"snapshot_id": nil, "point_in_time": "1970-01-01T00:00:00.001Z"}))
		p.WantNoErrors(t)
		r.Apply(p).WantError(t, "[point_in_time]", "INVALID_PIT_RESTORE_TIME")
	})
}

func TestNameOfTheTargetIsCheckedAgainRightBeforeTheRequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t)
		p := r.Plan(intoCards())
		s.Inject(emulator.Fault{Method: "GET", Path: "/clusters/" + cards, Status: 200,
			Body: `{"id": "` + cards + `", "clusterName": "ledger", "typeName": "REPLICA_SET"}`})
		r.Apply(p).WantError(t, "[target_cluster_name]", "Target Has a Different Name", `"ledger"`)
		providertest.WantNoState(t, r)
		wantRequests(t, s, 0)
	})
}

func TestTargetMayBeRenamedAfterTheRestore(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards())
		s.RemoveCluster(payments, cards)
		r.MustBeSettled(intoCards())
		p := r.Plan(intoCards(another("2")))
		p.WantError(t, "[target_cluster_id]", "CLUSTER_NOT_FOUND")
	})
}

func TestRestoreThatOpsManagerRejectsIsAnErrorAndStoresNothing(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, emulator.Options{RestoreReads: 1000})
		first := restoreOn(t, s)
		first.Create(intoCards(values{"timeouts": values{"create": "100ms"}}))
		diags := r.Apply(r.Plan(intoCards()))
		diags.WantError(t, "[target_cluster_id]", "Unable to Start Restore", "CONCURRENT_RESTORES_JOB_IDS", fmt.Sprint(first.Attributes()["id"]))
		providertest.WantNoState(t, r)
		before := first.Attributes()
		diags = first.Apply(first.Plan(intoCards(another("2"), values{"timeouts": values{"create": "100ms"}})))
		if len(diags.Errors()) != 1 || fmt.Sprint(first.Attributes()) != fmt.Sprint(before) {
			t.Errorf("got %q, %v", diags.Errors(), first.Attributes())
		}
		if jobs := s.RestoreJobs(payments, ledger); len(jobs) != 1 {
			t.Errorf("%d jobs", len(jobs))
		}
	})
}

func TestRestoreThatFailsIsAWarningAndNotRepeated(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, outcome := range []string{"BROKEN", "KILLED", "FAILED", "CANCELLED", "CANCELED"} { // the last three are not documented
			s, r := begin(t, emulator.Options{RestoreOutcome: outcome})
			diags := r.Create(intoCards())
			if !contains(diags.Warnings(), "[status_name] Restore of Cluster ledger ("+ledger+") Is "+outcome) || status(r) != outcome || r.Tainted {
				t.Errorf("got %v, %q", status(r), diags.Warnings())
			}
			r.MustBeSettled(intoCards())
			wantRequests(t, s, 1)
		}
	})
}

func TestInterruptedApplyKeepsTheRestore(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, emulator.Options{RestoreReads: 1000})
		p := r.Plan(intoCards())
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, interrupt)
		r.Context = ctx
		diags := r.Apply(p)
		r.Context = context.Background()
		if len(diags.Errors()) > 0 || !contains(diags.Warnings(), "was interrupted") || status(r) != "IN_PROGRESS" {
			t.Errorf("got %v, %q %q", status(r), diags.Errors(), diags.Warnings())
		}
		r.MustBeSettled(intoCards())
		wantRequests(t, s, 1)
	})
}

func TestRestoreThatHasEndedStaysAfterOpsManagerForgetsIt(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, emulator.Options{Unknowns: emulator.Unknowns{ForgetsFinishedRestores: true}})
		r.Create(intoCards())
		s.RemoveRestoreJobs(payments, ledger)
		s.RemoveCluster(payments, ledger)
		before := fmt.Sprint(r.Attributes())
		r.MustBeSettled(intoCards())
		if got := fmt.Sprint(r.Attributes()); got != before || status(r) != "FINISHED" {
			t.Errorf("got %v", got)
		}
		wantRequests(t, s, 1)
	})
}

func TestRestoreThatIsForgottenBeforeItsEndHasAnUnknownStatus(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		config := intoCards(values{"timeouts": values{"create": "50ms"}})
		s, r := begin(t, emulator.Options{RestoreReads: 1000})
		r.Create(config)
		s.RemoveRestoreJobs(payments, ledger)
		r.Configure()
		r.MustRead(t, providertest.ClustersType, values{"project_id": payments})
		r.Refresh().WantWarning(t, "[status_name]", "Restore of Cluster ledger ("+ledger+") No Longer Known", "RESTORE_JOB_NOT_FOUND")
		wantStatus(t, r, "UNKNOWN")
		r.MustBeSettled(config)
		wantRequests(t, s, 1)

		s, r = begin(t, emulator.Options{RestoreReads: 1000})
		p := r.Plan(intoCards())
		go func() {
			awaitJobs(t, s, ledger)
			s.RemoveRestoreJobs(payments, ledger)
		}()
		diags := r.Apply(p)
		if !contains(diags.Warnings(), "RESTORE_JOB_NOT_FOUND") || len(diags.Errors()) > 0 || r.State.IsNull() {
			t.Errorf("got %q %q", diags.Errors(), diags.Warnings())
		}
		wantRequests(t, s, 1)
	})
}

// lacksRestores makes some reads of restores return none.
func lacksRestores(s *providertest.Service, reads int) {
	s.Inject(emulator.Fault{
		Method: http.MethodGet, Path: "/restoreJobs/", Times: reads, Status: http.StatusNotFound,
		Body: `{"error": 404, "errorCode": "RESTORE_JOB_NOT_FOUND"}`,
	})
	s.Inject(emulator.Fault{
		Method: http.MethodGet, Path: "/restoreJobs", Times: reads, Status: http.StatusOK,
		Body: `{"totalCount": 0, "results": []}`,
	})
}

// intoOrders is the restore of a snapshot of the sharded cluster orders into itself.
func intoOrders(more ...values) values {
	return intoCards(append(
		[]values{{"cluster_id": orders, "snapshot_id": ordersSnapshot, "target_cluster_id": orders, "target_cluster_name": "orders", "overwrite_source": true}},
		more...,
	)...)
}

// wantUndecided fails unless each plan of a configuration refuses to send the lost request again.
func wantUndecided(t *testing.T, r *providertest.Resource, config values, says ...string) {
	t.Helper()
	for range 2 {
		r.Configure()
		r.Refresh().WantNoErrors(t)
		r.Plan(config).WantError(t, append(
			says, "[triggers]", "May Have Been Started", "terraform state rm", "terraform import ADDRESS "+payments+"/"+ledger+"/ID",
			"If none is, run 'terraform state rm ADDRESS'", "terraform destroy -refresh=false",
		)...)
	}
}

// Whether the request started a restore or not, and whatever else is restored at the same time.
func TestRestoreWithoutAResponseIsUnknownUntilAPersonDecides(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, config := range []values{intoCards(), toLink()} {
			for _, starts := range []bool{false, true} {
				s, r := beginQuick(t)
				p := r.Plan(config)
				lacksRestores(s, 1)
				s.Inject(emulator.Fault{Method: "POST", DropBefore: !starts, DropAfter: starts})
				says := []string{"[triggers]", "May Have Been Started", "EOF", "lists no restore of the cluster yet"}
				r.Apply(p).WantError(t, says...)
				s.ClearFaults()
				if got := r.Attributes(); !r.Tainted || got["status_name"] != "UNKNOWN" || got["id"] != nil || got["batch_id"] != nil ||
					len(got["jobs"].([]any)) != 0 {
					t.Errorf("got %v", got)
				}
				var ids []string // the newest last
				for i := range 6 {
					id := s.StartRestore(payments, ledger, object{"snapshotId": heldSnapshot})[0]
					s.SetRestoreJob(payments, ledger, id, object{"created": fmt.Sprintf("20%d-01-01T00:00:00Z", 30+i)})
					ids = append(ids, id)
				}
				r.Read(providertest.RestoreJobsType, ofLedger)
				for _, tainted := range []bool{true, false} { // as after terraform untaint
					for _, private := range [][]byte{r.Private, nil} {
						r.Tainted, r.Private = tainted, private
						wantUndecided(t, r, config, payments+"/"+ledger+"/"+ids[5]+", requested at 2035-01-01T00:00:00Z, ", ids[1])
						newer := config.With(values{"snapshot_id": expiredSnapshot, "point_in_time": nil})
						r.Configure()
						r.MustRefresh()
						if errors := r.Plan(newer).Errors(); tainted && !contains(errors, "May Have Been Started") || contains(errors, ids[0]) {
							t.Errorf("tainted %t: got %q", tainted, errors)
						}
					}
				}
				wantRequests(t, s, 1)
				r.Destroy().WantNoErrors(t)

				// As the error advises.
				imported := r.NewResource(providertest.RestoreJobType)
				imported.Configure()
				imported.ImportID(payments + "/" + ledger + "/" + ids[0]).WantNoErrors(t)
				s.EndRestore(payments, ledger, ids[0], "FINISHED")
				imported.Configure()
				imported.MustRefresh()
				if id := imported.Attributes()["id"]; id != ids[0] || status(imported) != "FINISHED" {
					t.Errorf("got %v", imported.Attributes())
				}
				wantRequests(t, s, 1)
			}
		}
	})
}

// Neither another source nor other triggers say that the lost request started nothing: the triggers of a drill change each
// week.
func TestNoRestoreOfTheSameClusterOrIntoTheSameTargetIsStartedWhileOneIsLost(t *testing.T) {
	t.Parallel()
	cluster := values{"cluster_id": orders, "snapshot_id": ordersSnapshot}
	elsewhere := values{"target_project_id": analytics, "target_cluster_id": scratch, "target_cluster_name": "scratch"}
	for name, change := range map[string]values{
		"the same":           {},
		"another snapshot":   {"snapshot_id": expiredSnapshot},
		"another cluster":    cluster,
		"other triggers":     another("2"),
		"late triggers":      {"triggers": providertest.Unknown},
		"no triggers":        {"triggers": nil},
		"another target":     elsewhere,
		"a late target":      {"target_cluster_id": providertest.Unknown},
		"everything differs": cluster.With(elsewhere, another("2")),
	} {
		for _, isUpdate := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, update %t", name, isUpdate), func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) {
					s, r := beginQuick(t)
					config, sent := intoCards(another("0")), 1
					if isUpdate {
						r.MustApply(config)
						sent = 2
					}
					p := r.Plan(intoCards())
					s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
					r.Apply(p).WantError(t, "May Have Been Started")
					changed := intoCards(change)
					renamed := r.NewResource(providertest.RestoreJobType)
					plans := map[string]func() []string{
						"at the address": func() []string { return r.Plan(changed).Errors() },
						"at another one": func() []string { return renamed.Plan(changed).Errors() },
						"replaced":       func() []string { return r.PlanReplacement(changed).Errors() },
					}
					looks := []func(*providertest.Resource) providertest.Diagnostics{(*providertest.Resource).Refresh, (*providertest.Resource).ReadState}
					for _, tainted := range []bool{false, true} {
						for at, plan := range plans {
							for _, look := range looks {
								r.Tainted = tainted
								r.Configure()
								look(r)
								isOther := name == "everything differs" && (at == "at another one" || tainted)
								if got := plan(); isOther != (len(got) == 0) || !isOther && !strings.Contains(got[0], "May Have Been Started") {
									t.Errorf("%s, tainted %t: got %q", at, tainted, got)
								}
							}
						}
					}
					wantRequests(t, s, sent)

					// As the error advises.
					r.State, r.Private, r.Tainted = r.Null(), nil, false
					r.Configure()
					r.Plan(changed).WantNoErrors(t)
				})
			})
		}
	}
}

// Terraform knows the values in the apply only, and nothing else than the provider compares them there.
func TestSourceThatTurnsOutToBeTheTargetIsNotOverwritten(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		own := values{"target_cluster_id": ledger, "target_cluster_name": "ledger"}
		for attribute, late := range map[string]any{
			"cluster_id": strings.ToUpper(ledger), "target_cluster_id": strings.ToUpper(ledger), "overwrite_source": nil,
		} {
			for _, updates := range []bool{false, true} {
				s, r := beginQuick(t)
				config, before := intoCards(own, values{attribute: providertest.Unknown}), 0
				if updates {
					r.Create(intoCards())
					r.MustRefresh()
					config, before = config.With(another("2")), len(requested(s))
				}
				p := r.Plan(config)
				p.WantNoErrors(t)
				r.Apply(p, values{attribute: late}).WantError(t, "[target_cluster_id]", "Restore Into Its Own Source")
				wantRequests(t, s, before)
			}
		}
		s, r := beginQuick(t)
		_, diags := r.InvokeAction(providertest.RestoreJobType, ordered(own))
		diags.WantError(t, "[target_cluster_id]", "Restore Into Its Own Source")
		r.PlanAction(providertest.RestoreJobType, ordered(own)).WantError(t, "Restore Into Its Own Source")
		wantRequests(t, s, 0)
	})
}

func TestChangeOfOverwriteSourceSendsNoRequest(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoOrders())
		for _, overwrites := range []any{false, nil, true} {
			config := intoOrders(values{"overwrite_source": overwrites})
			r.Configure()
			r.Create(config)
			r.MustBeSettled(config)
		}
		wantRequests(t, s, 1)
		r.Plan(intoOrders(another("2"), values{"overwrite_source": nil})).WantError(t, "Restore Into Its Own Source")
	})
}

func TestLostRequestOfAnUpdateIsStored(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards())
		p := r.Plan(intoCards(another("2")))
		s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
		r.Apply(p).WantError(t, "May Have Been Started")
		if r.Tainted || fmt.Sprint(r.Attributes()["triggers"]) != "map[drill:2]" || status(r) != "UNKNOWN" {
			t.Errorf("got %v", r.Attributes())
		}
		wantUndecided(t, r, intoCards(another("2")))
		wantUndecided(t, r, intoCards(another("3")))
		wantRequests(t, s, 2)
		r.State, r.Private = r.Null(), nil // terraform state rm
		r.MustApply(intoCards(another("3")))
		wantRequests(t, s, 3)
	})
}

func TestDestroyOnlyRemovesARestoreFromTheState(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards())
		calls := len(s.Calls())
		r.Destroy().WantWarning(t, "Restore of Cluster ledger ("+ledger+") Will Be Removed Only From the State")
		providertest.WantNoState(t, r)
		providertest.WantEqual(t, s.Calls()[calls:], []string{"GET /groups/" + payments + "/clusters/" + ledger})
	})
}

func TestRestoreIsImportedByItsJobOrItsBatchAndNotStartedAgain(t *testing.T) {
	t.Parallel()
	orders := intoOrders()
	atATime := intoCards(values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z"})
	untilLate := toLink(values{"expires": "2120-01-01T00:00:00Z"})
	for name, test := range map[string]struct {
		config values
		by     string   // the field of a job whose value is imported
		known  []string // attributes that the import reads
	}{
		"a job":                 {intoCards(), "id", []string{"snapshot_id"}},
		"a batch":               {orders, "batchId", nil},
		"a job of a batch":      {orders, "id", nil},
		"a batch of a cluster":  {orders, "batchId", []string{"snapshot_id"}},
		"a link":                {toLink(values{"expiration_hours": 3}), "id", []string{"snapshot_id", "max_downloads", "expiration_hours"}},
		"a link with an expiry": {untilLate, "id", []string{"snapshot_id", "expires"}},
		"a time":                {atATime, "id", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s, r := begin(t, emulator.Options{RestoreReads: -1, Unknowns: emulator.Unknowns{ShardJobsNameTheCluster: name == "a batch of a cluster"}})
				r.Create(test.config)
				created := r.Attributes()
				cluster := fmt.Sprint(test.config["cluster_id"])
				job := s.RestoreJobs(payments, cluster)[0]
				r.State, r.Private, r.Identity = r.Null(), nil, nil
				r.Configure()
				id := fmt.Sprintf("%s/%s/%v", payments, cluster, job[test.by])
				r.ImportID(strings.ToUpper(id)).WantNoErrors(t)
				got := r.Attributes()
				for _, attribute := range append([]string{"id", "batch_id", "status_name", "jobs", "project_id", "cluster_id"}, test.known...) {
					if fmt.Sprint(got[attribute]) != fmt.Sprint(created[attribute]) {
						t.Errorf("%s is %v, want %v", attribute, got[attribute], created[attribute])
					}
				}
				exported := maps.Clone(got)
				for _, computed := range []string{"id", "batch_id", "status_name", "jobs", "download_urls"} {
					delete(exported, computed)
				}
				r.MustBeSettled(exported)
				p := r.Plan(test.config)
				if slices.Contains(p.Changes(), "jobs") || len(p.Errors()) > 0 {
					t.Errorf("the plan changes %q: %q", p.Changes(), p.Errors())
				}
				if test.config["triggers"] != nil {
					p.WantWarning(t, "Imported Restore of Cluster ", " ("+cluster+") Will Be Kept", "Nothing is restored", fmt.Sprint(got["id"]))
				} else if len(p.Warnings()) > 0 {
					t.Errorf("got %q", p.Warnings())
				}
				r.Apply(p)
				r.MustBeSettled(test.config)
				wantRequests(t, s, 1)
				if test.config["triggers"] == nil { // the first triggers are only stored
					r.Configure()
					r.Create(test.config.With(another("1")))
					wantRequests(t, s, 1)
				}
				r.Create(test.config.With(another("next")))
				wantRequests(t, s, 2)
			})
		})
	}
}

func TestExpiryOfALinkIsSentInUTC(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, expires := range []string{"2099-01-31", "2099-01-31T00:00:00+0000", "2099-01-31T02:00:00+02:00"} {
			s, r := beginQuick(t)
			config := toLink(values{"expires": expires, "snapshot_id": heldSnapshot})
			r.Create(config)
			r.MustBeSettled(config)
			if got := requested(s); !contains(got, `"expires":"2099-01-31T00:00:00Z"`) {
				t.Errorf("%s: sent %q", expires, got)
			}
		}
	})
}

func TestRejectedDeliveryIsAnErrorOfItsAttribute(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t)
		p := r.Plan(toLink(values{"expires": "2020-01-31"}))
		r.Apply(p).WantError(t, "[expires]", "EXPIRATION_DATE_IN_PAST")
		s.Inject(emulator.Fault{
			Method: "POST", Status: http.StatusBadRequest,
			Body: `{"detail": "The value is invalid.", "error": 400, "errorCode": "INVALID_ATTRIBUTE", "parameters": ["delivery.expires"]}`,
		})
		p = r.Plan(toLink(values{"expires": "2099-01-31"}))
		r.Apply(p).WantError(t, "[expires]", "INVALID_ATTRIBUTE")
	})
}

func TestImportTakesOnlyJobsOfItsBatch(t *testing.T) {
	t.Parallel()
	const elsewhere = "aaaaaaaaaaaaaaaaaaaaaaaa"
	providertest.EachInBubble(t, map[string]string{
		"the list is late":               `{"results": [], "totalCount": 0}`,
		"the list ignores its parameter": `{"results": [{"id": "` + nowhere + `", "batchId": "` + elsewhere + `", "statusName": "BROKEN"}], "totalCount": 1}`,
	}, func(t *testing.T, body string) {
		s, r := beginQuick(t)
		s.StartRestore(payments, orders, object{"snapshotId": ordersSnapshot})
		job := s.RestoreJobs(payments, orders)[0]
		list := emulator.Fault{Method: "GET", Path: "/restoreJobs", Skip: 1, Times: 1, Status: http.StatusOK, Body: body}
		s.Inject(list)
		if diags := r.ImportID(fmt.Sprintf("%s/%s/%v", payments, orders, job["id"])); len(diags.Errors()) > 0 ||
			r.Attributes()["id"] != job["batchId"] {
			t.Errorf("by its job: %q, state %v", diags.Errors(), r.Attributes())
		}
		s.ClearFaults()
		r.Configure()
		s.Inject(list)
		if diags := r.ImportID(fmt.Sprintf("%s/%s/%v", payments, orders, job["batchId"])); len(diags.Errors()) != 1 {
			t.Errorf("by its batch: %q, state %v", diags.Errors(), r.Attributes())
		}
	})
}

func TestJobsOfOtherBatchesAreIgnored(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := begin(t, emulator.Options{RestoreReads: 1000})
		config := intoOrders(values{"timeouts": values{"create": "50ms"}})
		r.Create(config)
		for _, other := range []string{`, "batchId": "` + nowhere + `"`, ""} {
			s.Inject(emulator.Fault{
				Method: "GET", Path: "/restoreJobs", Times: -1, Status: http.StatusOK,
				Body: `{"results": [{"id": "` + nowhere + `", "statusName": "BROKEN"` + other + `}], "totalCount": 1}`,
			})
			r.MustBeSettled(config)
			if jobs := r.Attributes()["jobs"].([]any); status(r) != "UNKNOWN" || len(jobs) != 2 {
				t.Errorf("got %v, %v", status(r), jobs)
			}
			s.ClearFaults()
			r.MustBeSettled(config)
			wantStatus(t, r, "IN_PROGRESS")
		}
	})
}

func TestPlanWarnsOfTheTargetAlthoughTheRestIsUnknown(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := beginQuick(t)
		point := values{"snapshot_id": nil, "point_in_time": providertest.Unknown}
		for _, test := range []struct {
			unknown values
			want    string
		}{
			{values{"target_cluster_name": providertest.Unknown}, "snapshot " + heldSnapshot + " of cluster ledger (" + ledger + ") into"},
			{values{"snapshot_id": providertest.Unknown}, "a snapshot that is not known yet of cluster ledger (" + ledger + ") into"},
			{point, "a point in time that is not known yet of cluster ledger (" + ledger + ") into"},
			{values{"cluster_id": providertest.Unknown}, "snapshot " + heldSnapshot + " of a cluster that is not known yet into"},
		} {
			r.Configure()
			p := r.Plan(intoCards(test.unknown))
			p.WantWarning(t, "Restore Will Overwrite Cluster cards", test.want, "Cluster cards (")
			p.WantNoErrors(t)
		}
		p := r.Plan(intoCards(values{"target_cluster_name": providertest.Unknown}))
		r.Apply(p, values{"target_cluster_name": "wrong"}).WantError(t, "[target_cluster_name]", "Target Has a Different Name")
	})
}

func TestInterruptedRequestIsStoredAtOnceAndNotSentAgain(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		s, r := beginQuick(t)
		r.Workspace = providertest.NewWorkspaceOn(t, s.NewServer(20*time.Second), s) // the default
		p := r.Plan(intoCards())
		s.Inject(emulator.Fault{Method: "POST", Delay: 200 * time.Millisecond, DropAfter: true})
		go func() {
			awaitRequests(t, s, 1)
			interrupt()
		}()
		r.Context = ctx
		begin := time.Now()
		errors := r.Apply(p).Errors()
		if passed := time.Since(begin); passed > 10*time.Second {
			t.Errorf("the apply went on for %s", passed)
		}
		providertest.WantOne(t, errors, "May Have Been Started")
		r.Context = t.Context()
		wantUndecided(t, r, intoCards(), fmt.Sprint(s.RestoreJobs(payments, ledger)[0]["id"]))
		wantRequests(t, s, 1)
	})
}

// Ops Manager may validate the blocks of a snapshot for longer than a request may take, before it starts
// a restore or refuses it.
func TestRequestThatTakesLongIsNotLost(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			fault emulator.Fault
			want  string // the error
		}{
			"starts": {emulator.Fault{Delay: 600 * time.Millisecond}, ""},
			"refuses": {emulator.Fault{Delay: 600 * time.Millisecond, Status: http.StatusServiceUnavailable,
				Body: `{"detail": "No.", "error": 503, "errorCode": "SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE"}`},
				"SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE"},
		} {
			s, r := beginQuick(t)
			r.Settings["request_timeout"] = "200ms"
			r.Configure()
			p := r.Plan(intoCards())
			test.fault.Method = "POST"
			s.Inject(test.fault)
			diags := r.Apply(p)
			if test.want == "" {
				if len(diags.Errors()) > 0 || status(r) != "FINISHED" {
					t.Errorf("%s: got %v, %q", name, status(r), diags.Errors())
				}
			} else {
				diags.WantError(t, "[snapshot_id]", test.want, "No restore was started")
				providertest.WantNoState(t, r)
			}
			wantRequests(t, s, 1)
		}
	})
}

func TestRestoreThatIsInterruptedBeforeItsRequestIsNotStarted(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for range 20 { // the interruption may come before or after the response
			ctx, interrupt := context.WithCancel(t.Context())
			var armed atomic.Bool
			s, r := begin(t, emulator.Options{RestoreReads: -1, OnRequest: func(q emulator.Request) {
				if armed.Load() && strings.HasSuffix(q.Path, "/clusters/"+cards) {
					interrupt()
				}
			}})
			p := r.Plan(intoCards())
			armed.Store(true)
			r.Context = ctx
			diags := r.Apply(p)
			diags.WantError(t, "Unable to Start Restore", "interrupted")
			providertest.WantNoState(t, r)
			wantRequests(t, s, 0)
		}
	})
}

func TestAnotherStatusMayBeThatOfARestoreInProgress(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		_, r := begin(t, emulator.Options{RestoreOutcome: "ALMOST_DONE"})
		diags := r.Create(intoCards(values{"timeouts": values{"create": "2s"}}))
		if !contains(diags.Warnings(), "was ALMOST_DONE after") || status(r) != "ALMOST_DONE" {
			t.Errorf("got %v, %q", status(r), diags.Warnings())
		}
	})
}

// An apply that stores only the target of an imported restore does not make it one whose new triggers restore.
func TestTriggersAddedInALaterApplyToAnImportedRestoreStartNothing(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := beginQuick(t)
		id := s.StartRestore(payments, ledger, object{"snapshotId": heldSnapshot, "pointInTime": false})[0]
		r.ImportID(payments + "/" + ledger + "/" + id)
		without := intoCards(values{"triggers": values{}})
		r.Create(without)
		r.MustBeSettled(without)
		r.Configure()
		p := r.Plan(without.With(values{"target_cluster_id": ledger, "target_cluster_name": "ledger"}))
		p.WantWarning(t, "Imported Restore of Cluster ledger ("+ledger+") Will Be Kept", "target_cluster_id", cards, ledger)
		p = r.Plan(intoCards())
		p.WantWarning(t, "Nothing is restored", "change triggers in a later apply", id)
		r.Apply(p)
		wantRequests(t, s, 0)
		r.MustBeSettled(intoCards())
		for i, config := range []values{intoCards(another("next")), without, intoCards()} {
			r.Create(config)
			wantRequests(t, s, i+1)
		}
	})
}
