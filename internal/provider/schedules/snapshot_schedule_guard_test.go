package schedules_test

import (
	"fmt"
	"maps"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// successor is a resource that is planned in the run in which a guarded one changes, and may lower what that one protects.
type successor struct {
	guarded, next values // what is applied, and what is planned then, or nil for a destroy
	isTargeted    bool   // the plan leaves out the guarded resource, which is only refreshed
	settings      values // of the provider in the second run
	config        values
	says          []string // the only error, or nil if there is none
}

// check plans in both orders, with and without a refresh.
func (c successor) check(t *testing.T) {
	t.Helper()
	for _, refreshes := range []bool{false, true} {
		if c.isTargeted && !refreshes {
			continue
		}
		providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
			w := providertest.NewWorkspace(t, providertest.ServiceInMemory())
			r, other := newResource(w, c.guarded), newResource(w, c.config)
			r.Create(c.guarded)
			maps.Copy(w.Settings, c.settings)
			w.Configure()
			plan(func() *providertest.Plan {
				if refreshes {
					if diags := r.Refresh(); len(diags.Errors()) > 0 || c.isTargeted {
						return &providertest.Plan{Diagnostics: diags}
					}
				}
				return r.Plan(c.next)
			}, other.Planning(c.config)).WantOutcome(t, c.says...)
		})
	}
}

func TestGuardOfAStateCountsForTheResourceThatSucceedsIt(t *testing.T) {
	t.Parallel()
	schedule := scheduleOf(cards, daily(30).With(guard))
	ofPolicy := func(clusters ...string) values { return policy(daily(30), only(clusters...).With(guard)) }
	lower, late := scheduleOf(cards, daily(7)), values{"daily_snapshot_retention_days": unknown}
	reduced := []string{"Would Be Reduced", "30 -> 7"}
	const unprotected = "Would Not Be Protected"
	for name, test := range map[string]successor{
		"of a cluster that a policy leaves": {
			guarded: ofPolicy(cards, fraud), next: ofPolicy(fraud), config: lower,
			says: append(reduced, "apply twice: first ", "excluded_cluster_ids", "terraform destroy -refresh=false"),
		},
		"of a cluster that a policy leaves, known late": {
			guarded: ofPolicy(cards, fraud), next: ofPolicy(fraud), config: lower.With(values{"cluster_id": unknown}),
			says: []string{unprotected, "daily_snapshot_retention_days"},
		},
		"of a cluster that a schedule leaves": {guarded: schedule, next: scheduleOf(fraud, guard), config: lower, says: reduced},
		"beside a plan with a target":         {guarded: schedule, isTargeted: true, config: lower, says: reduced},
		"at a new address":                    {guarded: schedule, config: lower, says: reduced},
		"a policy at a new address":           {guarded: ofPolicy(cards), config: policy(daily(7), only(cards)), says: reduced},
		"with a value that is known late":     {guarded: schedule, config: lower.With(late), says: []string{unprotected}},
		"with such a value and a guard":       {guarded: schedule, config: lower.With(late, guard)},
		"while a setting is unknown": {
			guarded: schedule, isTargeted: true, settings: values{"base_url": unknown}, config: lower,
			says: []string{"Recovery Points of Cluster " + cards, unprotected, "daily_snapshot_retention_days"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.check(t)
		})
	}
}

func TestGuardCoversASchedulesClusterThatIsKnownOnlyDuringTheApply(t *testing.T) {
	t.Parallel()
	lower, guarded := scheduleOf(cards, daily(7)), scheduleOf(cards, daily(30).With(guard))
	lateCluster, lateClusters := values{"cluster_id": unknown}, values{"cluster_ids": unknown}
	lateProject := values{"project_id": unknown}
	says := []string{"Would Not Be Protected", "daily_snapshot_retention_days", "retention_protection = true"}
	for name, test := range map[string]struct {
		config values
		says   []string
	}{
		"schedule":              {lower.With(lateCluster), says},
		"guarded schedule":      {lower.With(lateCluster, guard), nil},
		"schedule without rule": {scheduleOf(cards, values{"reference_hour_of_day": 3}).With(lateCluster), nil},
		"policy":                {policy(daily(7), lateClusters), says},
		"policy that raises":    {policy(daily(7), lateClusters.With(minimum)), nil},
		"another project":       {lower.With(lateCluster, values{"project_id": analytics}), nil},
		"another cluster":       {scheduleOf(fraud, daily(7)).With(lateProject), nil},
		"the same cluster":      {lower.With(lateProject), says},
	} {
		for when, next := range map[string]values{"destroyed": nil, "kept": guarded} {
			t.Run(name+", the guarded one is "+when, func(t *testing.T) {
				t.Parallel()
				successor{guarded: guarded, next: next, config: test.config, says: test.says}.check(t)
			})
		}
	}
}

func TestTwoSchedulesOfAClusterThatIsKnownOnlyDuringTheApplyDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	other := r.NewResource(providertest.ScheduleType)
	one, two := scheduleOf(cards, daily(30)), scheduleOf(cards, daily(60))
	late := values{"cluster_id": unknown}
	first, second := r.Plan(one.With(late)), other.Plan(two.With(late))
	first.WantNoErrors(t)
	second.WantNoErrors(t)
	providertest.WantOne(t, append(r.Apply(first, one).Errors(), other.Apply(second, two).Errors()...), "in Two Resources")
}

func TestGuardOfTheClusterThatAScheduleLeavesDoesNotCoverTheNewOne(t *testing.T) {
	t.Parallel()
	s, r := manageCards(t, daily(30).With(guard))
	setDaily(s, fraud, 60)
	p := r.Plan(scheduleOf(fraud, daily(7)))
	p.WantNoErrors(t)
	p.WantWarning(t, "Recovery Points of Cluster fraud", "60 -> 7")
}

// Terraform plans a tainted resource without its state, after the refresh of that state.
func TestGuardOfATaintedResourceIsThatOfItsState(t *testing.T) {
	t.Parallel()
	_, r := manageCards(t, daily(30).With(guard))
	r.Configure()
	r.MustRefresh()
	r.Tainted = true
	r.Plan(scheduleOf(cards, daily(7).With(values{"retention_protection": false}))).WantError(
		t, "Would Be Reduced", "30 -> 7", "or the state of this one, protects",
	)
}

func TestGuardOfAPolicyOffersNoRetentionModeThatANewIntervalUndoes(t *testing.T) {
	t.Parallel()
	for _, recent := range []int{3, 5} {
		s, r := startPolicy(t)
		s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 30})
		guarded := only(cards).With(guard)
		errors := r.Plan(policy(values{"snapshot_interval_hours": 12, "snapshot_retention_days": recent}, guarded)).Errors()
		providertest.WantOne(
			t, errors, fmt.Sprintf("30 -> %d", recent), "at most 5 days if the interval is below 24 hours",
			"add the clusters to excluded_cluster_ids",
		)
		providertest.WantUnsaid(t, errors, "retention_mode")
	}
}

// retention_mode = "minimum" only raises retentions, and one schedule has one interval.
func TestGuardOfAPolicySaysHowToKeepIntervals(t *testing.T) {
	t.Parallel()
	_, r := startPolicy(t)
	guarded := only(cards, fraud).With(guard)
	r.Create(policy(daily(30), guarded))
	errors := r.Plan(policy(values{"daily_snapshot_retention_days": 30, "snapshot_interval_hours": 24}, guarded)).Errors()
	providertest.WantOne(t, errors, "6 -> 24", "12 -> 24", "add the clusters to excluded_cluster_ids")
	providertest.WantUnsaid(t, errors, `set retention_mode = "minimum"`)
}

// The cluster may have the value already.
func TestNewValueIsNotRefusedIfTheClusterIsKnownOnlyDuringTheApply(t *testing.T) {
	t.Parallel()
	r := providertest.NewWorkspace(t, providertest.StartService(t)).NewResource(providertest.ScheduleType)
	config := scheduleOf(cards, values{"snapshot_interval_hours": 7})
	r.Plan(config).WantError(t, "snapshot_interval_hours", "7")
	config["cluster_id"] = unknown
	r.Plan(config).WantNoErrors(t)
}
