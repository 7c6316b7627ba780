package schedules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestGuardOfAPolicyCoversAClusterThatItLeavesInAnyOrderOfThePlans(t *testing.T) {
	t.Parallel()
	for _, policyFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("policy first %v", policyFirst), func(t *testing.T) {
			t.Parallel()
			_, r := providertest.StartResource(t, providertest.PolicyType)
			guard := values{"retention_protection": true}
			r.Create(policy(daily(30), only(cards, fraud).With(guard)))
			r.Workspace.Configure()
			schedule := r.Workspace.NewResource(providertest.ScheduleType)
			var errors []string
			plans := []func(){
				func() {
					if errors = append(errors, r.Refresh().Errors()...); len(errors) == 0 {
						errors = append(errors, r.Plan(policy(daily(30), only(fraud).With(guard))).Errors()...)
					}
				},
				func() {
					errors = append(errors, schedule.Plan(providertest.Schedule(cards, daily(7))).Errors()...)
				},
			}
			if !policyFirst {
				slices.Reverse(plans)
			}
			plans[0]()
			plans[1]()
			providertest.WantOne(t, errors, "Would Be Reduced", "30 -> 7", "apply twice: first ", "excluded_cluster_ids")
			r.Workspace.Configure()
			r.MustApply(policy(daily(30), only(cards, fraud).With(guard, values{"excluded_cluster_ids": []any{cards}})))
			r.Workspace.Configure()
			schedule.MustApply(providertest.Schedule(cards, daily(7)))
		})
	}
}

func TestGuardOfAScheduleCoversTheClusterThatItLeavesInAnyOrderOfThePlans(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("guarded first %v", first), func(t *testing.T) {
			t.Parallel()
			_, r := startSchedule(t)
			guard := values{"retention_protection": true}
			r.Create(providertest.Schedule(cards, daily(30).With(guard)))
			r.Workspace.Configure()
			other := r.Workspace.NewResource(providertest.ScheduleType)
			var errors []string
			plans := []func(){
				func() {
					if errors = append(errors, r.Refresh().Errors()...); len(errors) == 0 {
						errors = append(errors, r.Plan(providertest.Schedule(fraud, guard)).Errors()...)
					}
				},
				func() {
					errors = append(errors, other.Plan(providertest.Schedule(cards, daily(7))).Errors()...)
				},
			}
			if !first {
				slices.Reverse(plans)
			}
			plans[0]()
			plans[1]()
			providertest.WantOne(t, errors, "Would Be Reduced", "30 -> 7")
		})
	}
}

func TestGuardOfASchedulePreventsWhatAnotherOnePlannedBeforeItsRefresh(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	r.Create(providertest.Schedule(cards, daily(30).With(values{"retention_protection": true})))
	r.Workspace.Configure()
	errors := r.Workspace.NewResource(providertest.ScheduleType).Plan(providertest.Schedule(cards, daily(7))).Errors()
	providertest.WantOne(t, append(errors, r.Refresh().Errors()...), "Would Be Reduced", "30 -> 7")
}

func TestGuardCoversASchedulesClusterThatIsKnownOnlyDuringTheApply(t *testing.T) {
	t.Parallel()
	late := values{"cluster_id": providertest.Unknown}
	guard := values{"retention_protection": true}
	for name, test := range map[string]struct {
		typeName string
		config   values
		isSafe   bool
	}{
		"schedule":              {providertest.ScheduleType, providertest.Schedule(cards, daily(7)).With(late), false},
		"guarded schedule":      {providertest.ScheduleType, providertest.Schedule(cards, daily(7)).With(late, guard), true},
		"schedule without rule": {providertest.ScheduleType, providertest.Schedule(cards, values{"reference_hour_of_day": 3}).With(late), true},
		"policy":                {providertest.PolicyType, policy(daily(7), values{"cluster_ids": providertest.Unknown}), false},
		"policy that raises":    {providertest.PolicyType, policy(daily(7), values{"cluster_ids": providertest.Unknown, "retention_mode": "minimum"}), true},
		"another project":       {providertest.ScheduleType, providertest.Schedule(cards, daily(7)).With(late, values{"project_id": analytics}), true},
		"another cluster":       {providertest.ScheduleType, providertest.Schedule(fraud, daily(7)).With(values{"project_id": providertest.Unknown}), true},
		"the same cluster":      {providertest.ScheduleType, providertest.Schedule(cards, daily(7)).With(values{"project_id": providertest.Unknown}), false},
	} {
		for order := range 6 {
			first, refreshes, stays := order%2 == 0, order < 4, order >= 2
			t.Run(fmt.Sprintf("%s, guarded first %t, refreshes %t, stays %t", name, first, refreshes, stays), func(t *testing.T) {
				t.Parallel()
				_, r := startSchedule(t)
				guarded := providertest.Schedule(cards, daily(30).With(guard))
				r.Create(guarded)
				r.Workspace.Configure()
				other := r.Workspace.NewResource(test.typeName)
				var errors []string
				plans := []func(){
					func() {
						if refreshes {
							errors = append(errors, r.Refresh().Errors()...)
						}
						switch {
						case len(errors) > 0:
						case stays:
							errors = append(errors, r.Plan(guarded).Errors()...)
						default:
							errors = append(errors, r.Plan(nil).Errors()...)
						}
					},
					func() { errors = append(errors, other.Plan(test.config).Errors()...) },
				}
				if !first {
					slices.Reverse(plans)
				}
				plans[0]()
				plans[1]()
				if test.isSafe {
					if len(errors) > 0 {
						t.Fatal(errors)
					}
					return
				}
				providertest.WantOne(t, errors, "Would Not Be Protected", "daily_snapshot_retention_days", "retention_protection = true")
			})
		}
	}
}

func TestTwoSchedulesOfAClusterThatIsKnownOnlyDuringTheApplyDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	other := r.Workspace.NewResource(providertest.ScheduleType)
	late := values{"cluster_id": providertest.Unknown}
	plans := []*providertest.Plan{
		r.Plan(providertest.Schedule(cards, daily(30)).With(late)),
		other.Plan(providertest.Schedule(cards, daily(60)).With(late)),
	}
	for _, p := range plans {
		p.WantNoErrors(t)
	}
	var errors []string
	errors = append(errors, r.Apply(plans[0], providertest.Schedule(cards, daily(30))).Errors()...)
	errors = append(errors, other.Apply(plans[1], providertest.Schedule(cards, daily(60))).Errors()...)
	providertest.WantOne(t, errors, "in Two Resources")
}

func TestGuardOfAPolicyCoversAClusterThatItLeavesForOneThatIsKnownOnlyDuringTheApply(t *testing.T) {
	t.Parallel()
	_, r := providertest.StartResource(t, providertest.PolicyType)
	guard := values{"retention_protection": true}
	r.Create(policy(daily(30), only(cards, fraud).With(guard)))
	r.Workspace.Configure()
	late := providertest.Schedule(cards, daily(7)).With(values{"cluster_id": providertest.Unknown})
	other := r.Workspace.NewResource(providertest.ScheduleType)
	other.Plan(late).WantNoErrors(t)
	r.Plan(policy(daily(30), only(fraud).With(guard))).WantError(t, "Would Not Be Protected", "cards", "daily_snapshot_retention_days")
}

func TestGuardOfTheClusterThatAScheduleLeavesDoesNotCoverTheNewOne(t *testing.T) {
	t.Parallel()
	s, r := startSchedule(t)
	r.Create(providertest.Schedule(cards, daily(30).With(values{"retention_protection": true})))
	s.SetSchedule(payments, fraud, object{"dailySnapshotRetentionDays": 60})
	p := r.Plan(providertest.Schedule(fraud, daily(7)))
	p.WantNoErrors(t)
	providertest.WantContains(t, strings.Join(p.Warnings(), ""), "Recovery Points of Cluster fraud", "60 -> 7")
}

// Terraform plans a tainted resource without its state, after the refresh of that state.
func TestGuardOfATaintedResourceIsThatOfItsState(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	r.Create(providertest.Schedule(cards, values{"daily_snapshot_retention_days": 30, "retention_protection": true}))
	r.Configure()
	r.MustRefresh()
	r.Tainted = true
	errors := r.Plan(providertest.Schedule(cards, values{"daily_snapshot_retention_days": 7, "retention_protection": false})).Errors()
	providertest.WantOne(t, errors, "Would Be Reduced", "30 -> 7", "or the state of this one, protects")
}

// Without a client, a plan compares nothing.
func TestGuardOfAStateCountsWhileASettingIsUnknown(t *testing.T) {
	t.Parallel()
	for _, isGuardFirst := range []bool{true, false} {
		_, old := startSchedule(t)
		old.Create(providertest.Schedule(cards, values{"daily_snapshot_retention_days": 30, "retention_protection": true}))
		renamed := old.NewResource(providertest.ScheduleType)
		old.Settings["base_url"] = providertest.Unknown
		old.Configure()
		var errors []string
		if isGuardFirst {
			old.MustRefresh()
			errors = renamed.Plan(providertest.Schedule(cards, daily(7))).Errors()
		} else {
			errors = renamed.Plan(providertest.Schedule(cards, daily(7))).Errors()
			errors = append(errors, old.Refresh().Errors()...)
		}
		providertest.WantOne(t, errors, "Recovery Points of Cluster "+cards, "Would Not Be Protected", "daily_snapshot_retention_days")
	}
}

// 'terraform destroy' refreshes and plans the configuration before it destroys.
func TestGuardOfAnotherResourceSaysHowToDestroy(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	r.Create(providertest.Schedule(cards, daily(30)))
	p := r.Workspace.NewResource(providertest.PolicyType)
	p.Create(policy(daily(30), only(cards).With(values{"retention_protection": true})))
	r.Configure()
	p.MustRefresh()
	r.Plan(providertest.Schedule(cards, daily(7))).WantError(t, "Would Be Reduced", "30 -> 7", "terraform destroy -refresh=false")
}

func TestGuardOfAPolicyOffersNoRetentionModeThatANewIntervalUndoes(t *testing.T) {
	t.Parallel()
	for _, recent := range []int{3, 5} {
		s := providertest.StartService(t)
		s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 30})
		r := newPolicy(t, s)
		guarded := only(cards).With(values{"retention_protection": true})
		errors := r.Plan(policy(values{"snapshot_interval_hours": 12, "snapshot_retention_days": recent}, guarded)).Errors()
		providertest.WantOne(
			t, errors, fmt.Sprintf("30 -> %d", recent), "at most 5 days if the interval is below 24 hours",
			"add the clusters to excluded_cluster_ids",
		)
		if strings.Contains(strings.Join(errors, ""), "retention_mode") {
			t.Errorf("got %q", errors)
		}
	}
}

// retention_mode = "minimum" only raises retentions, and one schedule has one interval.
func TestGuardOfAPolicySaysHowToKeepIntervals(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := newPolicy(t, s)
	guarded := only(cards, fraud).With(values{"retention_protection": true})
	r.Create(policy(daily(30), guarded))
	errors := r.Plan(policy(values{"daily_snapshot_retention_days": 30, "snapshot_interval_hours": 24}, guarded)).Errors()
	providertest.WantOne(t, errors, "6 -> 24", "12 -> 24", "add the clusters to excluded_cluster_ids")
	if strings.Contains(strings.Join(errors, ""), `set retention_mode = "minimum"`) {
		t.Error("retention_mode keeps no interval")
	}
}
func TestScheduleOfAClusterWithoutABackupIsSetByOneResource(t *testing.T) {
	t.Parallel()
	_, r := startSchedule(t)
	pol := r.Workspace.NewResource(providertest.PolicyType)
	r.Workspace.Configure()
	a := pol.Plan(policy(daily(15), only(reports)))
	b := r.Plan(providertest.Schedule(reports, daily(60)))
	providertest.WantOne(t, append(a.Errors(), b.Errors()...), "in Two Resources", "excluded_cluster_ids")
}

func TestSecondResourceOfAScheduleIsAnErrorInEachOrder(t *testing.T) {
	t.Parallel()
	for _, isNewFirst := range []bool{false, true} {
		_, one := startSchedule(t)
		config := providertest.Schedule(ledger, values{"snapshot_retention_days": 30})
		one.MustApply(config)
		one.Configure()
		two := one.NewResource(providertest.ScheduleType)
		resources := []*providertest.Resource{one, two}
		if isNewFirst {
			resources = []*providertest.Resource{two, one}
		}
		if first := resources[0].Plan(config).Errors(); len(first) > 0 {
			t.Errorf("the first one: %q", first)
		}
		resources[1].Plan(config).WantError(t, "in Two Resources")
	}
}

// The cluster may have the value already.
func TestNewValueIsNotRefusedIfTheClusterIsKnownOnlyDuringTheApply(t *testing.T) {
	t.Parallel()
	r := providertest.NewWorkspace(t, providertest.StartService(t)).NewResource(providertest.ScheduleType)
	config := providertest.Schedule(cards, values{"snapshot_interval_hours": 7})
	r.Plan(config).WantError(t, "snapshot_interval_hours", "7")
	config["cluster_id"] = providertest.Unknown
	r.Plan(config).WantNoErrors(t)
}
