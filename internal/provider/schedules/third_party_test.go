package schedules_test

import (
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	thirdPartyPath = "/backup/third_party/group/" + payments + "/clusters"
)

// startThirdParty starts a service where another product backs up cards.
func startThirdParty(t *testing.T) *providertest.Service {
	t.Helper()
	s := providertest.StartService(t, emulator.Options{ThirdPartyBackup: true})
	s.SetThirdPartyBackup(payments, cards, "ACTIVE")
	return s
}

// refuseThirdParty refuses the third-party backups as for a key without a role.
func refuseThirdParty(s *providertest.Service) {
	s.Inject(emulator.Fault{
		Path: thirdPartyPath, Times: -1, Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`,
	})
}

func TestPolicySkipsClustersThatAnotherProductBacksUpOrMayBackUp(t *testing.T) {
	t.Parallel()
	for state, because := range map[string]string{
		"ACTIVE": "backed up by another product", "DISCOVERING": "third-party backup in a state that is not documented",
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{ThirdPartyBackup: true})
			take := func(cluster string) { s.SetThirdPartyBackup(payments, cluster, state) }
			take(cards)
			r := newPolicy(t, s)
			config := policy(daily(60), nil)
			p := r.Plan(config)
			providertest.WantContains(t, strings.Join(p.Warnings(), "\n"), "Will Not Be Set", "cards ("+cards+"): "+because+"\n")
			wantPlannedLine(t, p, cards, "cards: "+because)
			r.ApplyReplanned(p).WantNoErrors(t)
			if got := s.Calls(); slices.ContainsFunc(got, func(call string) bool { return strings.HasSuffix(call, cards+"/snapshotSchedule") }) {
				t.Errorf("called %q", got)
			}
			r.MustBeSettled(config)
			take(fraud)
			r.Configure()
			r.MustRefresh()
			p = r.Plan(policy(daily(90), nil))
			p.WantWarning(
				t, "Cluster fraud ("+fraud+") Left the Snapshot Policy",
				"The policy skips it now: "+because+".",
			)
			take(ledger) // after the plan
			r.Configure()
			r.Apply(p).WantError(t, "1 of 3 changes failed", "ledger ("+ledger+"): "+refusals[state])
			providertest.WantEqual(t, dailyOf(s, fraud)+" "+dailyOf(s, cards)+" "+dailyOf(s, ledger)+" "+dailyOf(s, orders), "60 7 60 90")
			s.SetThirdPartyBackup(payments, cards, "")
			r.Configure()
			r.MustRefresh()
			r.ApplyReplanned(r.Plan(config))
			providertest.WantEqual(t, dailyOf(s, cards), "60")
		})
	}
}

// refusals are the titles of errors about a cluster with a third-party backup, by its state.
var refusals = map[string]string{"ACTIVE": "Cluster Backed Up by Another Product", "DISCOVERING": "Third-Party Backup Not Known"}

func TestPolicyOfClustersOfAnotherProductSaysSoAndAdvisesNoBackup(t *testing.T) {
	t.Parallel()
	const because = "cards (" + cards + "): backed up by another product"
	r := newPolicy(t, startThirdParty(t))
	create := r.Plan(policy(daily(60), only(cards, reports)))
	create.WantWarning(t, "Will Not Be Set", because+"\n", "reports ("+reports+"): INACTIVE, unless the same apply starts the backup")
	config := policy(daily(60), only(cards))
	create = r.Plan(config)
	create.WantWarning(t, "[cluster_ids] Schedule of Cluster cards ("+cards+") Will Not Be Set", "The policy leaves", because)
	providertest.WantUnsaid(t, create.Warnings(), "start")
	r.MustApply(config)
	destroy := r.Plan(nil)
	destroy.WantWarning(t, "Snapshot Policy of Cluster cards ("+cards+") Will Be Removed Only From the State", "sends no request", because)
	providertest.WantUnsaid(t, destroy.Warnings(), "keep their schedules")
	r.MustApply(policy(daily(60), only(cards, ledger)))
	r.Plan(nil).WantWarning(t, "Snapshot Policy of Cluster ledger ("+ledger+") Will Be", "keep their schedules")
}

func TestPolicyNeedsNoRoleForThirdPartyBackupsUnlessAScheduleFails(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t, emulator.Options{ThirdPartyBackup: true})
	r.Create(policy(daily(60), nil))
	refuseThirdParty(s)
	r.Configure()
	r.Refresh().WantNone(t)
	s.SetThirdPartyBackup(payments, cards, "ACTIVE")
	r.Refresh().WantError(
		t, "The schedules of 1 of 6 clusters could not be read", "cards ("+cards+"): GET", "500",
		"also fails for a cluster that another product backs up", "Project Backup Admin", "excluded_cluster_ids",
	)
}

// A pipeline may plan with a key that can't read who backs up a cluster, and an apply with one that can.
func TestKeyThatCanNotReadThirdPartyBackupsMovesNoClusterOfAPolicy(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"ACTIVE", "DISCOVERING"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s, r := startPolicy(t, emulator.Options{ThirdPartyBackup: true})
			s.SetBackupStatus(payments, cards, "INACTIVE")
			s.SetThirdPartyBackup(payments, cards, state)
			config := policy(daily(60), nil)
			r.MustApply(config)
			refuseThirdParty(s)
			for range 2 {
				r.MustBeSettled(config)
				r.Configure()
			}
			s.SetBackupStatus(payments, cards, "STARTED") // so it is no longer the other product
			s.SetThirdPartyBackup(payments, cards, "")
			r.MustRefresh()
			wantChangedLines(t, r.Plan(config), cards)
		})
	}
}

func TestScheduleOfAnotherProductIsKeptInTheStateAndLeftOutOfQueries(t *testing.T) {
	t.Parallel()
	inPayments := values{"project_id": payments}
	for state, refusal := range refusals {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{ThirdPartyBackup: true})
			w := providertest.NewWorkspace(t, s)
			r := w.NewResource(providertest.ScheduleType)
			config := scheduleOf(cards, daily(60))
			r.MustApply(config)
			s.SetThirdPartyBackup(payments, cards, state)
			s.Inject(emulator.Fault{
				Path: cards + "/snapshotSchedule", Times: -1, Status: 500, Body: `{"error": 500, "errorCode": "UNEXPECTED_ERROR", "detail": "No."}`,
			})
			s.ResetRequests()
			r.Configure()
			refreshed := r.Refresh()
			refreshed.WantError(t, "[cluster_id]", "nother product backs up cluster cards (", "terraform state rm ADDRESS")
			if r.State.IsNull() {
				t.Error("the refresh did not keep the state")
			}
			providertest.WantEmptyPlan(t, r.Plan(config))
			r.Plan(config.With(guard)).WantNoErrors(t)
			_, diags := w.Read(providertest.ScheduleType, inPayments.With(values{"cluster_id": cards}))
			diags.WantError(t, "[cluster_id] "+refusal)
			_, leftOut := providertest.Listing(w.Query(providertest.ScheduleType, inPayments, true, 0))
			providertest.WantEach(
				t, leftOut, []string{"Snapshot Schedule of Cluster cards Not Listed", "nother product backs up cluster cards ("},
				[]string{"Cluster reports Not Listed"},
			)
			if diags := r.Destroy(); len(diags.Errors()) > 0 || len(s.Writes()) > 0 {
				t.Errorf("the destroy fails with %q, or sent %q", diags.Errors(), s.Writes())
			}
			s.SetThirdPartyBackup(payments, cards, "")
			refuseThirdParty(s)
			r = w.NewResource(providertest.ScheduleType)
			r.Plan(config).WantError(
				t, "500 Internal Server Error", "also fails for a cluster that another product backs up", "Project Backup Admin",
				"log of the Ops Manager application",
			)
		})
	}
}
