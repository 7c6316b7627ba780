package restores_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const wouldBeRepeated = "Would Be Repeated"

func TestReplacementThatWouldRestoreAgainIsAnError(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, change := range []values{{}, {"snapshot_id": expiredSnapshot}} {
			s, r := restored(t, intoCards())
			for range 2 {
				r.Configure()
				r.MustRefresh()
				r.PlanReplacement(intoCards(change)).WantError(t, "[triggers]", wouldBeRepeated, "change triggers, without -replace")
			}
			r.Create(intoCards(values{"timeouts": values{"create": "1h"}}))
			r.MustBeSettled(intoCards(values{"timeouts": values{"create": "1h"}}))
			wantRequests(t, s, 1)
		}
	})
}

func TestTaintedRestoreIsNotRepeated(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards(values{"triggers": nil}))
		r.Tainted = true
		for _, triggers := range []any{nil, values{}, providertest.Unknown} {
			r.Configure()
			r.MustRefresh()
			r.Plan(intoCards(values{"triggers": triggers})).WantError(t, wouldBeRepeated, "terraform untaint")
		}
		wantRequests(t, s, 1)
		for _, changed := range []values{{"triggers": values{"at": providertest.Unknown}}, another("2")} {
			r.Configure()
			r.MustRefresh()
			if p := r.Plan(intoCards(changed)); len(p.Errors()) > 0 || !contains(p.Warnings(), "Restore Will Overwrite Cluster cards") {
				t.Errorf("got %q, %q", p.Errors(), p.Warnings())
			}
		}
		p := r.Plan(intoCards(values{"triggers": values{"drill": "2", "at": providertest.Unknown}}))
		r.Apply(p, values{"triggers": values{"drill": "2", "at": "noon"}}).WantNoErrors(t)
		wantRequests(t, s, 2)
	})
}

func TestRenamedResourceDoesNotRepeatItsRestore(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, config := range []values{intoCards(), toLink()} {
			s, r := restored(t, config)
			renamed := r.NewResource(providertest.RestoreJobType)
			plans := []func() []string{
				func() []string {
					r.MustRefresh()
					return r.Plan(nil).Errors()
				},
				func() []string { return renamed.Plan(config).Errors() },
			}
			for range 2 { // Terraform plans them in any order
				r.Configure()
				if errors := plans[0](); len(errors) > 0 {
					t.Errorf("got %q", errors)
				}
				providertest.WantOne(t, plans[1](), wouldBeRepeated, "moved block")
				slices.Reverse(plans)
			}
			r.Configure()
			r.MustRefresh()
			renamed.Plan(config.With(another("2"))).WantNoErrors(t)
			wantRequests(t, s, 1)
		}
	})
}

// Two links with equal arguments can be created together. A third one later repeats one of them, whatever Terraform plans first.
func TestARestoreToALinkThatIsNewRepeatsOneOfThoseThatStay(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, first := beginQuick(t)
		second, third := first.NewResource(providertest.RestoreJobType), first.NewResource(providertest.RestoreJobType)
		first.Create(toLink())
		second.Create(toLink())
		stays := func(r *providertest.Resource) func() []string {
			return func() []string {
				if errors := r.ReadState().Errors(); len(errors) > 0 {
					return errors // Terraform then plans no change of this resource
				}
				return r.Plan(toLink()).Errors()
			}
		}
		starts := func() []string { return third.Plan(toLink()).Errors() }
		for _, plans := range [][]func() []string{
			{stays(first), stays(second), starts}, {stays(first), starts, stays(second)}, {starts, stays(first), stays(second)},
		} {
			first.Configure()
			var errors []string
			for _, plan := range plans {
				errors = append(errors, plan()...)
			}
			providertest.WantOne(t, errors, wouldBeRepeated, fmt.Sprint(first.Attributes()["id"]), "A new resource has")
		}
		wantRequests(t, s, 2)
	})
}

// The state of an import has neither the target nor the triggers, until an apply stores them.
func TestImportedRestoreIsNotRepeatedBeforeAnApplyHasCompletedItsState(t *testing.T) {
	t.Parallel()
	atATime := intoCards(providertest.Values{"snapshot_id": nil, "point_in_time": "2025-08-31T02:30:05Z"})
	for name, config := range map[string]providertest.Values{"a snapshot": intoCards(), "a point in time": atATime} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.InBubble(t, func(t *testing.T) {
				s, r := restored(t, config)
				id := fmt.Sprintf("%s/%s/%v", config["project_id"], config["cluster_id"], r.Attributes()["id"])
				r.State, r.Private, r.Identity = r.Null(), nil, nil
				r.Configure()
				r.ImportID(id).WantNoErrors(t)
				renamed := r.NewResource(providertest.RestoreJobType)
				tainted := func() *providertest.Plan {
					r.Tainted = true
					defer func() { r.Tainted = false }()
					return r.Plan(config)
				}
				for _, again := range []func() *providertest.Plan{tainted, func() *providertest.Plan { return renamed.Plan(config) }} {
					r.Configure()
					r.MustRefresh()
					providertest.WantOne(t, again().Errors(), wouldBeRepeated, "first apply the import")
				}
				r.Configure()
				r.MustRefresh()
				renamed.Plan(intoCards(providertest.Values{"snapshot_id": expiredSnapshot})).WantNoErrors(t)
				r.Configure()
				r.MustApply(config)
				r.MustRefresh()
				renamed.Plan(providertest.With(config, another("2"))).WantNoErrors(t)
				wantRequests(t, s, 1)
			})
		})
	}
}

// Terraform plans a tainted resource as a new one. With -refresh=false, it only reads its state.
func TestTaintedRestoreIsNotRepeatedWithoutARefreshAndFromAnotherSource(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		newer := values{"snapshot_id": expiredSnapshot}
		for _, look := range []func(*providertest.Resource) providertest.Diagnostics{(*providertest.Resource).Refresh, (*providertest.Resource).ReadState} {
			s, r := restored(t, intoCards())
			r.Tainted = true
			r.Configure()
			look(r)
			r.Plan(intoCards(newer)).WantError(t, "[triggers]", wouldBeRepeated, "terraform untaint", "terraform destroy -refresh=false")
			wantRequests(t, s, 1)
		}

		// A restore to a link overwrites nothing, so another source makes it another restore.
		s, r := restored(t, toLink())
		r.Tainted = true
		r.MustRefresh()
		r.Plan(toLink(newer)).WantNoErrors(t)
		wantRequests(t, s, 1)
	})
}

// A removed block makes Terraform forget a resource, whose state it only reads.
func TestForgottenRestoreIsNotRepeatedAtANewAddress(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards())
		renamed := r.NewResource(providertest.RestoreJobType)
		newer := intoCards(values{"snapshot_id": expiredSnapshot})
		r.Configure()
		r.ReadState().WantNone(t)
		renamed.Plan(newer).WantError(t, wouldBeRepeated, "moved block")
		r.Configure()
		renamed.Plan(newer).WantNoErrors(t)
		r.ReadState().WantError(t, wouldBeRepeated, "moved block")
		wantRequests(t, s, 1)
	})
}

// With create_before_destroy, Terraform doesn't show the previous object to the apply before the
// creation.
func TestTaintedRestoreIsNotRepeatedIfItsTargetIsKnownLate(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := restored(t, intoCards())
		r.Tainted, r.CreateBeforeDestroy = true, true
		for attribute, value := range map[string]any{
			"cluster_id": providertest.Unknown, "target_cluster_id": providertest.Unknown, "triggers": values{"drill": providertest.Unknown},
		} {
			r.Configure()
			r.MustRefresh()
			late := values{attribute: value}
			r.Plan(intoCards(late)).WantError(t, wouldBeRepeated, "as far as they are known yet", "terraform untaint", "triggers of its own")
			r.MustRefresh()
			r.Plan(intoCards(late, values{"triggers": values{"drill": providertest.Unknown, "n": "2"}})).WantNoErrors(t)
		}
		wantRequests(t, s, 1)
	})
}

// The cluster scratch of the project Analytics.
const analytics, scratch = "64f0c2d57c1e4a6b92d3f4e5", "650a22fad3b5a7c9e1f30817"

func TestTwoRestoresIntoOneClusterAreAnError(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, first := beginQuick(t)
		second, third := first.NewResource(providertest.RestoreJobType), first.NewResource(providertest.RestoreJobType)
		config := intoCards(another("2"), values{"snapshot_id": expiredSnapshot})
		warned := first.Plan(intoCards()).Warnings()
		second.Plan(config).WantError(t, "[target_cluster_id]", "Two Restores Into Cluster cards ("+cards+")", "project Payments ("+payments+")")
		first.PlanAction(providertest.RestoreJobType, ordered()).WantWarning(t, "Restore Will Overwrite") // in another plan
		elsewhere := intoCards(values{"target_project_id": analytics, "target_cluster_id": scratch, "target_cluster_name": "scratch"})
		warned = append(warned, third.Plan(elsewhere).Warnings()...)
		if len(warned) != 2 || !contains(warned, "Restore Will Overwrite Cluster cards ("+cards+") of Project Payments ("+payments+")") ||
			!contains(warned, "Restore Will Overwrite Cluster scratch ("+scratch+") of Project Analytics ("+analytics+")") {
			t.Errorf("warned %q", warned)
		}
		wantRequests(t, s, 0)

		// An update of the one, and the creation of the other.
		first.Configure()
		first.Create(intoCards())
		first.MustRefresh()
		first.Plan(intoCards(another("3"))).WantNoErrors(t)
		second.Plan(config).WantError(t, "Two Restores Into Cluster cards ("+cards+")")
	})
}

// Terraform may not show a plan that it restored the cluster before, such as after a killed run.
func TestPlanListsTheNewestRestoresOfTheCluster(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := beginQuick(t)
		const warning = "The newest restores of cluster ledger (" + ledger + ") are:"
		year := 2027
		is := func() string { // sets the time of the newest job
			jobs := s.RestoreJobs(payments, ledger)
			id, created := fmt.Sprint(jobs[len(jobs)-1]["id"]), fmt.Sprintf("%d-01-01T00:00:00Z", year)
			year++
			s.SetRestoreJob(payments, ledger, id, object{"created": created})
			return fmt.Sprintf("\n  - %s/%s/%s, requested at %s, FINISHED", payments, ledger, id, created)
		}
		plan := func(r *providertest.Resource, config values) string {
			t.Helper()
			r.Configure()
			p := r.Plan(config)
			p.WantNoErrors(t)
			return strings.Join(p.Warnings(), "")
		}
		fresh := func(config values) string { return plan(r.NewResource(providertest.RestoreJobType), config) }
		unlisted := []string{fresh(intoCards()), fresh(toLink())}
		r.Create(intoCards())
		first := is()
		const alone = "Other Restores of Cluster ledger (" + ledger + ") Exist"
		newSource := values{"snapshot_id": expiredSnapshot}
		late := intoCards(values{"target_cluster_id": providertest.Unknown}, another("2"))
		for _, got := range []string{fresh(intoCards()), fresh(intoCards(newSource))} {
			providertest.WantContains(t, got, warning+first, "If a run that was killed has started this restore, import that one instead", "Will Overwrite")
			providertest.WantUnsaid(t, []string{got}, alone)
		}
		providertest.WantContains(t, fresh(late), warning+first, alone, "Will Overwrite")
		providertest.WantContains(t, fresh(toLink()), warning+first, alone)
		providertest.WantContains(t, strings.Join(r.PlanAction(providertest.RestoreJobType, ordered()).Warnings(), ""), warning+first)

		// Those of another cluster are not listed, nor the one in the state of an update.
		unlisted = append(unlisted, fresh(intoOrders()), plan(r, intoCards(another("2"))))
		providertest.WantUnsaid(t, unlisted, "newest restores", "killed")
		r.Configure()
		r.NewResource(providertest.RestoreJobType).Create(intoCards(another("2"), newSource))
		second := is()
		got := plan(r, intoCards(another("2")))
		providertest.WantContains(t, got, warning+second)
		providertest.WantUnsaid(t, []string{got}, first)
		for range 6 {
			s.StartRestore(payments, ledger, nil)
			second = is() + second
		}
		got = plan(r, intoCards(another("2")))
		providertest.WantContains(t, got, second[:strings.Index(second, "2030")])
		providertest.WantEqual(t, strings.Count(got, "\n  - "), 5)
		s.Inject(emulator.Fault{Method: "GET", Path: "/restoreJobs", Status: http.StatusForbidden})
		providertest.WantContains(t, plan(r, intoCards(another("2"))), "could not be read", "opsmanager_restore_jobs", "If a run that was killed")

		r.Configure()
		p := r.NewResource(providertest.RestoreJobType).Plan(toLink(values{"snapshot_id": nowhere}))
		p.WantError(t, "SNAPSHOT_NOT_FOUND")
		p.WantNoWarnings(t) // of what it does not restore

		// A batch is listed once.
		batch := s.StartRestore(payments, orders, object{"snapshotId": ordersSnapshot})
		s.EndRestore(payments, orders, batch[0], "BROKEN")
		providertest.WantEqual(t, strings.Count(fresh(intoOrders()), "\n  - "), 1)
	})
}
