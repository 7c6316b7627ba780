package schedules_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// wayOut is a way for cards to leave a policy, or to lose its schedule, without a change of the policy.
type wayOut struct {
	leave, comeBack func(s *providertest.Service)
	line            string // the line of cards afterwards, or "" if the policy no longer has the cluster
	says            string // what the plan says about it
}

// answer injects an answer to a list.
func answer(path, results string) func(s *providertest.Service) {
	return func(s *providertest.Service) {
		s.Inject(emulator.Fault{Method: "GET", Path: path, Times: -1, Status: 200, Body: results})
	}
}

func waysOut() map[string]wayOut {
	status := func(status string) func(s *providertest.Service) {
		return func(s *providertest.Service) {
			s.SetBackupConfig(payments, cards, object{"statusName": status})
		}
	}
	named := func(name string) func(s *providertest.Service) {
		return func(s *providertest.Service) {
			s.RemoveCluster(payments, cards)
			addCluster(s, cards, name, 60)
		}
	}
	thirdParty := func(state string) func(s *providertest.Service) {
		return func(s *providertest.Service) { s.SetThirdPartyBackup(payments, cards, state) }
	}
	clearFaults := func(s *providertest.Service) { s.ClearFaults() }
	const none = `{"totalCount": 0, "results": []}`
	const onlyFraud = `{
		"totalCount": 1,
		"results": [{"id": "` + fraud + `", "groupId": "` + payments + `", "clusterName": "fraud", "typeName": "REPLICA_SET"}]
	}`
	return map[string]wayOut{
		"ended":       {status("INACTIVE"), status("STARTED"), "cards: INACTIVE", "The policy skips it now: INACTIVE."},
		"terminating": {status("TERMINATING"), status("STARTED"), "cards: TERMINATING", "The policy skips it now: TERMINATING."},
		"renamed":     {named("wallets"), named("cards"), "", "cards, now wallets ("},
		"removed":     {func(s *providertest.Service) { s.RemoveCluster(payments, cards) }, named("cards"), "", "no longer lists it"},
		"not listed":  {answer("/clusters", onlyFraud), clearFaults, "", "lists only its backup configuration"},
		"no cluster":  {answer("/clusters", none), clearFaults, "", "lists only its backup configuration"},
		"empty list":  {answer("/backupConfigs", none), clearFaults, "cards: no backup configuration", "The policy skips it now: no backup configuration."},
		"other product": {
			thirdParty("ACTIVE"), thirdParty(""), "cards: backed up by another product",
			"The policy skips it now: backed up by another product.",
		},
	}
}

// leavingPolicy returns the configuration of a policy that selects cards and fraud by name.
func leavingPolicy(isGuarded bool) values {
	return policy(daily(60), values{"cluster_name_regex": "^(cards|fraud)$", "retention_protection": isGuarded})
}

// However often the state is refreshed, the plan shows who left until an apply records that. The same holds for
// the way back.
func TestWhoLeavesAPolicyIsAPlanUntilAnApplyRecordsIt(t *testing.T) {
	t.Parallel()
	for name, test := range waysOut() {
		for _, isGuarded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, guarded %v", name, isGuarded), func(t *testing.T) {
				t.Parallel()
				s, r := startPolicy(t, emulator.Options{ThirdPartyBackup: true})
				config := leavingPolicy(isGuarded)
				r.MustApply(config)
				held := fmt.Sprint(r.Attributes()["clusters"], r.Attributes()["skipped"])
				test.leave(s)
				for range 3 {
					r.Configure()
					r.Refresh().WantNone(t)
					providertest.WantEqual(t, fmt.Sprint(r.Attributes()["clusters"], r.Attributes()["skipped"]), held)
				}
				p := r.Plan(config)
				if p.IsEmpty() || len(p.Errors()) > 0 {
					t.Fatalf("the plan says nothing of it: %v %q", p.Changes(), p.Errors())
				}
				providertest.WantContains(t, strings.Join(p.Warnings(), "\n"), "Left the Snapshot Policy", "("+cards+")", test.says)
				providertest.WantUnsaid(t, p.Warnings(), "delete the block")
				line, isMember := p.Values()["clusters"].(values)[cards]
				if isMember != (test.line != "") || isMember && line != test.line {
					t.Errorf("the plan shows %v, want %q", line, test.line)
				}
				writes := len(s.Writes())
				r.ApplyReplanned(p).WantNoErrors(t)
				r.Configure()
				r.MustRefresh()
				if p := r.Plan(config); !p.IsEmpty() || len(p.Diagnostics) > 0 && test.line == "" && name != "no cluster" {
					t.Errorf("after the apply, the plan changes %q, and says %q", p.Changes(), p.Warnings())
				}
				test.comeBack(s)
				r.Configure()
				r.MustRefresh()
				back := r.Plan(config)
				if back.IsEmpty() || len(back.Errors()) > 0 {
					t.Fatalf("the plan does not add the cluster again: %v %q", back.Changes(), back.Errors())
				}
				r.ApplyReplanned(back).WantNoErrors(t)
				r.MustBeSettled(config)
				if sent := s.Writes(); name != "ended" && name != "terminating" && len(sent) > writes {
					t.Errorf("sent %q", sent[writes:])
				}
				wantLines(t, r.Attributes(), "skipped")
			})
		}
	}
}

// Terraform plans the resources of a configuration in any order, so the refresh records the guard.
func TestGuardOfAPolicyCountsForAClusterThatLeavesIt(t *testing.T) {
	t.Parallel()
	for name, test := range waysOut() {
		if test.line != "" {
			continue // there is no schedule that another resource could change
		}
		for _, isFirst := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, planned first %v", name, isFirst), func(t *testing.T) {
				t.Parallel()
				s := providertest.StartService(t)
				w := providertest.NewWorkspace(t, s)
				one, other := w.NewResource(providertest.PolicyType), w.NewResource(providertest.ScheduleType)
				one.MustApply(leavingPolicy(true))
				test.leave(s)
				if name == "removed" {
					addCluster(s, cards, "shards", 60) // another name, and the same schedule
				}
				w.Configure()
				one.MustRefresh()
				var errors []string
				if isFirst {
					errors = append(errors, one.Plan(leavingPolicy(true)).Errors()...)
				}
				errors = append(errors, other.Plan(scheduleOf(cards, daily(7))).Errors()...)
				providertest.WantOne(t, errors, "Recovery Points of Cluster", "Would Be Reduced", "60 -> 7")
			})
		}
	}
}

// Another client has added it, so it must not fail the plan. What the refresh read is what the apply overwrites.
func TestClusterThatJoinsAPolicyWhileSomeValuesAreUnknownIsChangedFromWhatThePlanSaw(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	final := policy(values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": 12}, nil)
	r.MustApply(final)
	addCluster(s, added, "new", 7)
	r.MustRefresh()
	early := policy(values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": unknown}, nil)
	late := values{"schedule": final["schedule"]}
	p := r.Plan(early)
	p.WantWarning(t, "Values of a Policy Will Be Known Only During the Apply", "new ("+added+"):", "daily_snapshot_retention_days: 7 -> 60")
	wantPlannedLine(t, p, added, unknown)
	setDaily(s, added, 90)
	r.Apply(p, late).WantError(t, "new ("+added+")", "daily_snapshot_retention_days is 90, and the plan showed 7")
	r.MustRefresh()
	p = r.Plan(early)
	r.Apply(p, late).WantNoErrors(t)
	providertest.WantEqual(t, dailyOf(s, added), "60")
	r.MustBeSettled(final)
}

func TestBackupThatEndsBetweenAPlanAndItsApplyIsAnErrorAndThenAPlan(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"INACTIVE", "TERMINATING"} {
		for _, inactive := range []int{409, 404, 200} {
			t.Run(fmt.Sprint(status, inactive), func(t *testing.T) {
				t.Parallel()
				s, r := startPolicy(t, emulator.Options{Unknowns: emulator.Unknowns{InactiveSchedule: inactive, NoScheduleInTransition: true}})
				r.MustApply(leavingPolicy(false))
				config := leavingPolicy(false).With(values{"schedule": daily(90)})
				p := r.Plan(config)
				s.SetBackupConfig(payments, cards, object{"statusName": status})
				errors := r.ApplyReplanned(p).Errors()
				providertest.WantOne(t, errors, "1 of 2 changes failed", "cards ("+cards+")", "The next plan shows what is left.")
				providertest.WantUnsaid(t, errors, "delete the block")
				for range 2 {
					r.MustRefresh()
					p = r.Plan(config)
					wantPlannedLine(t, p, cards, "cards: "+status)
					wantChangedLines(t, p, cards)
				}
				r.ApplyReplanned(p)
				r.MustBeSettled(config)
				wantLines(t, r.Attributes(), "skipped", cards+" cards: "+status)
			})
		}
	}
}

// The project of a cluster whose schedule is being read may also be one that the key can't see any more.
func TestScheduleInAProjectThatIsNotVisibleIsAnError(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	r.MustApply(leavingPolicy(false))
	s.Inject(emulator.Fault{Method: "GET", Path: cards + "/snapshotSchedule", Times: -1, Status: 404,
		Body: `{"error": 404, "errorCode": "GROUP_NOT_FOUND", "detail": "No."}`})
	r.Refresh().WantError(t, "The schedules of 1 of 2 clusters could not be read", "GROUP_NOT_FOUND")
}

func TestManyClustersThatLeaveAPolicyAreFewLines(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t, providertest.ManyClusters(300))
	r.MustApply(policy(daily(60), values{"cluster_name_regex": "^c$"}))
	for i := range 300 {
		id := fmt.Sprintf("%024x", i)
		switch i % 3 {
		case 0:
			s.RemoveCluster(payments, id)
			addCluster(s, id, fmt.Sprint("renamed ", i), 60)
		case 1:
			s.SetBackupConfig(payments, id, object{"statusName": "INACTIVE"})
		}
	}
	r.MustRefresh()
	warnings := r.Plan(policy(daily(60), values{"cluster_name_regex": "^c$"})).Warnings()
	providertest.WantOne(t, warnings, "and 199 Others Left the Snapshot Policy", "100 clusters, such as c, now renamed 0 (", "100 clusters, such as c (")
	if got := strings.Count(warnings[0], "\n"); got > 10 {
		t.Errorf("the warning has %d lines", got)
	}
}
