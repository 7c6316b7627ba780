package schedules_test

import (
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const added = "650a22f9d3b5a7c9e1f30898"

func addCluster(s *providertest.Service, id, name string, daily int) {
	s.AddCluster(payments, emulator.Cluster{
		ID: id, Name: name, TypeName: "REPLICA_SET",
		BackupConfig: object{"statusName": "STARTED"}, SnapshotSchedule: object{"dailySnapshotRetentionDays": daily},
	})
}

func TestPlanOfAPolicyShowsEachClusterAlsoIfABackupIsInactive(t *testing.T) {
	t.Parallel()
	_, r := startPolicy(t)
	p := r.Plan(policy(values{"daily_snapshot_retention_days": 90, "weekly_snapshot_retention_weeks": 52, "snapshot_interval_hours": 6}, nil))
	for cluster, want := range map[string]string{
		cards: "cards: snapshot_interval_hours 6, daily_snapshot_retention_days 90 (was 7), weekly_snapshot_retention_weeks 52 (was 4)",
		ledger: "ledger: snapshot_interval_hours 6 (was 24), snapshot_retention_days 5 (was 20), " +
			"daily_snapshot_retention_days 90 (was 30), weekly_snapshot_retention_weeks 52 (was 8)",
	} {
		wantPlannedLine(t, p, cluster, want)
	}
	wantPlannedLine(t, p, reports, unknown)
	warned := strings.Join(p.Warnings(), "\n")
	providertest.WantContains(t, warned, "Schedule of Cluster reports ("+reports+") Will Not Be Set", "Will Be Reduced", "snapshot_retention_days: 20 -> 5")
	if strings.Contains(warned, "cards") {
		t.Errorf("the plan warns about a cluster that loses nothing: %s", warned)
	}
}

// Terraform plans a creation again right before the apply, in a new process, and refuses the apply if that
// plan differs in what the first one knew.
func TestSavedPlanOfAPolicyChangesOnlyWhatItShowed(t *testing.T) {
	t.Parallel()
	long := object{"dailySnapshotRetentionDays": 360}
	meanwhile := map[string]func(s *providertest.Service) (changed string){
		"a cluster is added": func(s *providertest.Service) string {
			addCluster(s, added, "new", 360)
			return added
		},
		"a schedule changes": func(s *providertest.Service) string {
			s.SetSchedule(payments, fraud, long)
			return fraud
		},
		"a cluster is removed": func(s *providertest.Service) string {
			s.RemoveCluster(payments, fraud)
			return ""
		},
		"a backup is started": func(s *providertest.Service) string {
			s.SetBackupConfig(payments, reports, object{"statusName": "STARTED"})
			s.SetSchedule(payments, reports, long)
			return reports
		},
		"a backup ends": func(s *providertest.Service) string {
			s.SetBackupConfig(payments, fraud, object{"statusName": "INACTIVE"})
			s.SetSchedule(payments, fraud, long)
			return fraud
		},
		"a cluster gets another name": func(s *providertest.Service) string {
			s.RemoveCluster(payments, fraud)
			addCluster(s, fraud, "frauds", 360)
			return fraud
		},
	}
	for name, change := range meanwhile {
		for _, isUpdate := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, update %v", name, isUpdate), func(t *testing.T) {
				t.Parallel()
				s, r := startPolicy(t)
				if isUpdate {
					r.Create(policy(daily(7), nil))
					r.MustRefresh()
				}
				config := policy(daily(15), nil)
				p := r.Plan(config)
				changed := change(s)
				s.ResetRequests()
				diags := r.ApplyReplanned(p)
				if changed != "" && dailyOf(s, changed) != "360" {
					t.Errorf("%s keeps daily snapshots for %s days: %q", changed, dailyOf(s, changed), diags.Errors())
				}
				if sent := s.Writes(); !isUpdate && (len(sent) > 0 || len(diags.Errors()) == 0) {
					t.Errorf("sent %q, %q", sent, diags.Errors())
				}
				if got := dailyOf(s, cards); isUpdate && got != "15" {
					t.Errorf("cards keeps daily snapshots for %s days", got)
				}
				r.MustRefresh()
				r.MustApply(config)
			})
		}
	}
}

func TestPlanOfAnotherSelectionShowsOneLineForEachClusterThatComes(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, providertest.ManyClusters(50))
	for i := range 5 {
		s.SetBackupConfig(payments, fmt.Sprintf("%024x", i), object{"statusName": "INACTIVE"})
	}
	r := newPolicy(t, s)
	last := fmt.Sprintf("%024x", 49)
	r.Create(policy(daily(60), values{"excluded_cluster_ids": []any{last}}))
	r.MustRefresh()
	p := r.Plan(policy(daily(60), nil))
	wantChangedLines(t, p, last)
	wantPlannedLine(t, p, last, "c: daily_snapshot_retention_days 60 (was 0)")
	if changes := p.Changes(); fmt.Sprint(changes) != "[clusters excluded_cluster_ids overwrites]" || len(p.Warnings()) > 0 {
		t.Errorf("the plan changes %q, and warns %q", changes, p.Warnings())
	}
	r.ApplyReplanned(p)
	r.MustBeSettled(policy(daily(60), nil))
}

func TestPlanOfAPolicyAnnouncesOnceWhatIsKnownOnlyDuringTheApply(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	for name, test := range map[string]struct {
		early, late values
		title, says string
	}{
		"the selection": {
			values{"cluster_ids": unknown}, only(cards, fraud), "Clusters of a Policy Will Be Known Only During the Apply",
			"which clusters it changes",
		},
		"one cluster": {
			values{"excluded_cluster_ids": []any{unknown}}, values{"excluded_cluster_ids": []any{fraud}},
			"Clusters of a Policy Will Be Known Only During the Apply", "which clusters it changes",
		},
		"the expression": {
			values{"cluster_name_regex": unknown}, values{"cluster_name_regex": "cards"},
			"Clusters of a Policy Will Be Known Only During the Apply", "which clusters it changes",
		},
		"a retention": {values{"schedule": values{"daily_snapshot_retention_days": unknown}}, values{"schedule": daily(3)},
			"[schedule] Values of a Policy Will Be Known Only During the Apply", "daily_snapshot_retention_days"},
		"the schedule": {
			values{"schedule": unknown}, values{"schedule": daily(3)},
			"[schedule] Values of a Policy Will Be Known Only During the Apply", "schedule",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newPolicy(t, s)
			config := policy(daily(3), values{"retention_protection": true, "excluded_cluster_ids": []any{reports}})
			p := r.Plan(config.With(test.early))
			p.WantWarning(t, test.title, test.says, "Under retention_protection, the apply refuses a loss.")
			s.ResetRequests()
			errors := r.Apply(p, test.late).Errors()
			providertest.WantOne(t, errors, "Would Be Reduced", "cards", "7 -> 3")
			providertest.WantEqual(t, dailyOf(s, cards), "7")
		})
	}
}

func TestGuardOfAPolicySaysHowToAcceptALoss(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	guarded := policy(daily(60), only(cards, fraud).With(guard))
	r.Create(guarded)
	setDaily(s, cards, 90)
	r.MustRefresh()
	wanted := guarded.With(values{"retention_protection": false})
	for _, config := range []values{guarded, wanted} {
		r.Plan(config).WantError(
			t, "Would Be Reduced", "90 -> 60",
			"apply twice: first retention_protection = false, with these clusters in excluded_cluster_ids, and then what you want",
		)
	}
	first := wanted.With(values{"excluded_cluster_ids": []any{cards}})
	r.MustApply(first)
	p := r.Plan(wanted)
	p.WantWarning(t, "Recovery Points of Cluster cards", "90 -> 60")
	r.ApplyReplanned(p)
	r.MustBeSettled(wanted)
}

func TestGuardOfAPolicySaysHowToKeepWhatItAddsLowersOrReverts(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	of := func(days int, clusters ...string) values {
		return policy(daily(days), only(clusters...).With(guard))
	}
	check := func(config values, keep, accept string) {
		t.Helper()
		errors := r.Plan(config).Errors()
		providertest.WantOne(t, errors, "cards ("+cards+")", " To keep the live values, "+keep+", or set retention_mode", "\n\n"+accept)
		providertest.WantUnsaid(t, errors, "OPSMANAGER_RETENTION_PROTECTION")
	}
	const exclude, configure = "add the clusters to excluded_cluster_ids", "configure these"
	const first = "retention_protection is true in the state. To accept fewer, apply twice"
	check(of(3, cards), exclude, "retention_protection is true. To accept fewer, set it to false.")
	setDaily(s, fraud, 3)
	r.Create(of(3, fraud))
	check(of(3, fraud, cards), exclude, first)
	r.Create(of(30, fraud, cards))
	check(of(15, fraud, cards), configure+", or "+exclude, first)
	setDaily(s, cards, 60)
	r.MustRefresh()
	check(of(30, fraud, cards), configure+", or "+exclude, first)
}

func TestClusterWhoseScheduleCanNotBeReadIsNamedWithTheWayOn(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	config := policy(daily(60), nil)
	r.Create(config)
	s.Inject(emulator.Fault{Method: "GET", Path: fraud + "/snapshotSchedule", Times: -1, Status: 500})
	r.Refresh().WantError(t, "The schedules of 1 of 6 clusters could not be read", "fraud ("+fraud+"): GET", "excluded_cluster_ids", "-refresh=false")
	config = policy(daily(90), values{"excluded_cluster_ids": []any{fraud}})
	r.MustApply(config)
	providertest.WantEqual(t, dailyOf(s, fraud)+" "+dailyOf(s, cards), "60 90")
}

func TestStateOfAPolicyWithoutItsClustersIsPlannedFromWhatOpsManagerHas(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	config := policy(daily(60), only(cards, fraud))
	r.Create(config)
	r.Private = nil // as a state that was pushed
	setDaily(s, cards, 90)
	p := r.Plan(config)
	wantChangedLines(t, p, cards)
	wantPlannedLine(t, p, cards, "cards: daily_snapshot_retention_days 60 (was 90)")
	r.ApplyReplanned(p)
	r.MustBeSettled(maps.Clone(config))
}

// A plan copies nothing for each cluster that has all clusters.
//
//nolint:paralleltest // it measures the memory of the process
func TestPlanOfAFleetGrowsWithItsClusters(t *testing.T) {
	plan := func(clusters int) uint64 {
		t.Helper()
		_, p := startPolicy(t, providertest.ManyClusters(clusters))
		config := policy(daily(30), values{"concurrency": 32})
		p.MustApply(config)
		p.MustRefresh()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		planned := p.Plan(config)
		runtime.ReadMemStats(&after)
		if !planned.IsEmpty() || len(planned.Diagnostics) > 0 {
			t.Fatalf("plan: %v %q", planned.Changes(), append(planned.Errors(), planned.Warnings()...))
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := plan(50), plan(400); many > 10*few {
		t.Errorf("a plan of 50 clusters allocates %d bytes, and one of 400 clusters %d", few, many)
	}
}

// joinPolicy lets a policy of cards that is applied add ledger, and returns the plan.
func joinPolicy(t *testing.T, r *providertest.Resource, schedule, more values) *providertest.Plan {
	t.Helper()
	r.MustApply(policy(schedule, only(cards).With(more)))
	r.Configure()
	r.MustRefresh()
	return r.Plan(policy(schedule, only(cards, ledger).With(more)))
}

// A policy may set a part of the time of day, at an offset. The other part is that of each cluster, whatever offset
// Ops Manager returns.
func TestClusterThatJoinsAPolicyKeepsThePartOfItsTimeThatThePolicyDoesNotSet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schedule  values
		shows     string
		sent      string
		meanwhile object // a change of ledger after the plan, which reads 16:45 UTC
		refuses   string
	}{
		"hour": {
			values{"reference_hour_of_day": 3}, "reference_hour_of_day 3 (was 16)",
			`{"referenceHourOfDay": 3, "referenceMinuteOfHour": 45, "referenceTimeZoneOffset": "+0000"}`, nil, "",
		},
		"hour at an offset": {
			values{"reference_hour_of_day": 3, "reference_time_zone_offset": "+02:00"},
			"reference_hour_of_day 3 (was 18), reference_time_zone_offset +02:00",
			`{"referenceHourOfDay": 1, "referenceMinuteOfHour": 45, "referenceTimeZoneOffset": "+0000"}`, nil, "",
		},
		"minute": {
			values{"reference_minute_of_hour": 30}, "reference_minute_of_hour 30 (was 45)",
			`{"referenceHourOfDay": 16, "referenceMinuteOfHour": 30, "referenceTimeZoneOffset": "+0000"}`, nil, "",
		},
		"hour of another time": {
			values{"reference_hour_of_day": 3}, "reference_hour_of_day 3 (was 16)", "",
			object{"referenceHourOfDay": 22, "referenceMinuteOfHour": 0}, "is 16:30 UTC, and the plan showed 16:45 UTC",
		},
		"hour that it has already": {values{"reference_hour_of_day": 16}, "reference_hour_of_day 16", "", nil, ""},
		"hour that it has, and no longer has": {
			values{"reference_hour_of_day": 16, "weekly_snapshot_retention_weeks": 9},
			"weekly_snapshot_retention_weeks 9 (was 2), reference_hour_of_day 16", "", object{"referenceHourOfDay": 23},
			"is 17:45 UTC, and the plan showed 16:45 UTC",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startPolicy(t)
			s.SetSchedule(payments, cards, object{"referenceHourOfDay": 7, "referenceMinuteOfHour": 10, "referenceTimeZoneOffset": "+0000"})
			s.SetSchedule(
				payments, ledger,
				object{"weeklySnapshotRetentionWeeks": 2, "referenceHourOfDay": 22, "referenceMinuteOfHour": 15, "referenceTimeZoneOffset": "+0530"},
			)
			p := joinPolicy(t, r, test.schedule, nil)
			wantPlannedLine(t, p, ledger, "ledger: "+test.shows)
			s.SetSchedule(payments, ledger, test.meanwhile)
			s.ResetRequests()
			r.Apply(p).WantOutcome(t, test.refuses)
			if test.sent == "" {
				wantSent(t, s)
				return
			}
			wantSent(t, s, test.sent)
		})
	}
}

func TestMinimumNeverLowersAClusterThatJoins(t *testing.T) {
	t.Parallel()
	schedule := values{"daily_snapshot_retention_days": 90, "weekly_snapshot_retention_weeks": 4}
	for name, test := range map[string]struct {
		read    any // the daily retention that the apply reads
		refuses string
		sent    []string
	}{
		"as planned":            {120, "", []string{`{"weeklySnapshotRetentionWeeks": 4}`}},
		"raised":                {365, "", []string{`{"weeklySnapshotRetentionWeeks": 4}`}},
		"the minimum":           {90, "", []string{`{"weeklySnapshotRetentionWeeks": 4}`}}, // it may be an old value
		"lowered":               {60, "daily_snapshot_retention_days is 60, and the plan showed 120", nil},
		"is no longer returned": {nil, "", []string{`{"weeklySnapshotRetentionWeeks": 4}`}},
	} {
		for _, isGuarded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, guarded %v", name, isGuarded), func(t *testing.T) {
				t.Parallel()
				d := providertest.StartFaultProxy(t)
				r := newPolicy(t, d.Service)
				d.SetSchedule(payments, cards, object{"dailySnapshotRetentionDays": 90, "weeklySnapshotRetentionWeeks": 4})
				d.SetSchedule(payments, ledger, object{"dailySnapshotRetentionDays": 120, "weeklySnapshotRetentionWeeks": 2})
				p := joinPolicy(t, r, schedule, minimum.With(values{"retention_protection": isGuarded}))
				wantPlannedLine(t, p, ledger, "ledger: daily_snapshot_retention_days 120 (kept, more than 90), weekly_snapshot_retention_weeks 4 (was 2)")
				d.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
					if document["dailySnapshotRetentionDays"] != nil {
						document["dailySnapshotRetentionDays"] = test.read
					}
				}))
				d.ResetRequests()
				r.Apply(p).WantOutcome(t, test.refuses)
				wantSent(t, d.Service, test.sent...)
				providertest.WantEqual(t, dailyOf(d.Service, ledger), "120")
			})
		}
	}
}

// The plan of a guarded policy shows no loss, and the apply finds another schedule.
func TestGuardedPolicyLowersNothingOfAClusterThatJoins(t *testing.T) {
	t.Parallel()
	schedule := values{"daily_snapshot_retention_days": 30, "snapshot_interval_hours": 6, "weekly_snapshot_retention_weeks": 9}
	for name, meanwhile := range map[string]object{
		"a longer retention":           {"dailySnapshotRetentionDays": 90},
		"a long retention":             {"snapshotRetentionDays": 20},
		"a shorter interval":           {"snapshotIntervalHours": 6, "dailySnapshotRetentionDays": 60},
		"a retention that disappeared": {"snapshotRetentionDays": nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startPolicy(t)
			s.SetSchedule(
				payments, ledger,
				object{"dailySnapshotRetentionDays": 30, "snapshotIntervalHours": 12, "snapshotRetentionDays": 4, "weeklySnapshotRetentionWeeks": 4},
			)
			s.SetSchedule(
				payments, cards,
				object{"dailySnapshotRetentionDays": 30, "snapshotIntervalHours": 12, "snapshotRetentionDays": 4, "weeklySnapshotRetentionWeeks": 4},
			)
			p := joinPolicy(t, r, schedule, guard)
			p.WantNoErrors(t)
			s.SetSchedule(payments, ledger, meanwhile)
			s.ResetRequests()
			r.Apply(p).WantError(t, "changed since the plan")
			wantSent(t, s)

			r.Configure()
			r.MustRefresh()
			p = r.Plan(policy(schedule, only(cards, ledger).With(guard)))
			if p.IsEmpty() && len(p.Errors()) == 0 {
				t.Error("the next plan does not show what is left")
			}
		})
	}
}

// What a person can do about a policy is not what they can do about a resource of one cluster.
func TestErrorAboutAMissingClusterOrProjectSaysWhatToDoAboutAPolicy(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"CLUSTER_NOT_FOUND", "GROUP_NOT_FOUND", "NOT_IN_GROUP"} {
		for _, method := range []string{"GET", "PATCH"} {
			for _, joins := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s of %s, joins %v", code, method, joins), func(t *testing.T) {
					t.Parallel()
					s, r := startPolicy(t)
					p := r.Plan(policy(daily(60), only(ledger)))
					if joins {
						p = joinPolicy(t, r, daily(60), nil)
					}
					s.Inject(emulator.Fault{Method: method, Path: ledger + "/snapshotSchedule", Times: -1, Status: http.StatusNotFound,
						Body: `{"error": 404, "errorCode": "` + code + `", "reason": "Not Found", "detail": "Missing."}`})
					errors := r.Apply(p).Errors()
					providertest.WantOne(t, errors, code, "exclude the cluster", "terraform destroy -refresh=false")
					if text := strings.Join(errors, ""); strings.Contains(text, "remove this resource") || strings.Contains(text, "state rm") {
						t.Error(text)
					}
				})
			}
		}
	}
}

// Ops Manager shortens a retention that the policy keeps, along with another value.
func TestPolicyReportsThatARetentionWhichItKeepsIsTakenAlong(t *testing.T) {
	t.Parallel()
	for _, isGuarded := range []bool{false, true} {
		for _, joins := range []bool{false, true} {
			t.Run(fmt.Sprintf("guarded %v, joins %v", isGuarded, joins), func(t *testing.T) {
				t.Parallel()
				s, r := startPolicy(t)
				s.SetSchedule(payments, ledger, object{"snapshotIntervalHours": 12, "snapshotRetentionDays": 6, "weeklySnapshotRetentionWeeks": 2})
				schedule, more := values{
					"snapshot_retention_days": 5, "weekly_snapshot_retention_weeks": 4,
				}, values{"retention_mode": "minimum", "retention_protection": isGuarded}
				p := r.Plan(policy(schedule, only(ledger).With(more)))
				if joins {
					p = joinPolicy(t, r, schedule, more)
				}
				wantPlannedLine(t, p, ledger, "ledger: snapshot_retention_days 6 (kept, more than 5), weekly_snapshot_retention_weeks 4 (was 2)")
				diags := r.Apply(p)
				said := diags.Warnings()
				if isGuarded {
					said = diags.Errors()
				}
				providertest.WantOne(t, said, "snapshot_retention_days: 6 -> 5")
			})
		}
	}
}

// Something happens to a cluster between the plan that lets it join and the apply.
func TestClusterThatCanNotJoinAsPlannedIsAnErrorAndLeftToTheNextPlan(t *testing.T) {
	t.Parallel()
	answers := func(status int, code string) func(s *providertest.Service) {
		return func(s *providertest.Service) {
			s.Inject(emulator.Fault{Method: "GET", Path: ledger + "/snapshotSchedule", Times: 1, Status: status,
				Body: fmt.Sprintf(`{"error": %d, "errorCode": %q}`, status, code)})
		}
	}
	for name, test := range map[string]struct {
		happens func(s *providertest.Service)
		says    string
	}{
		"its cluster is missing":    {answers(404, "CLUSTER_NOT_FOUND"), "CLUSTER_NOT_FOUND"},
		"its schedule is missing":   {answers(404, "BACKUP_CONFIG_NOT_FOUND"), "BACKUP_CONFIG_NOT_FOUND"},
		"its schedule is not ready": {answers(409, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"), "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"},
		"its backup ends": {func(s *providertest.Service) {
			s.SetBackupStatus(payments, ledger, "INACTIVE")
		}, "while its backup is INACTIVE"},
		"it is removed": {func(s *providertest.Service) { s.RemoveCluster(payments, ledger) }, "CLUSTER_NOT_FOUND"},
		"another product backs it up": {func(s *providertest.Service) {
			s.SetThirdPartyBackup(payments, ledger, "ACTIVE")
		}, "Another product backs up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startPolicy(t, emulator.Options{ThirdPartyBackup: true})
			p := joinPolicy(t, r, daily(60), nil)
			test.happens(s)
			s.ResetRequests()
			r.Apply(p).WantError(t, "1 of 1 change failed", test.says, "The next plan shows what is left")
			wantSent(t, s)
			r.Configure()
			r.MustRefresh()
			next := r.Plan(policy(daily(60), only(cards, ledger)))
			if next.IsEmpty() || len(next.Errors()) > 0 {
				t.Errorf("the next plan changes %v: %q", next.Changes(), next.Errors())
			}
		})
	}
}

// What the rules for new values don't allow stays if the policy does not set it.
func TestClusterJoinsAPolicyWhateverItsOtherValuesAre(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.SetSchedule(payments, ledger, object{
		"snapshotIntervalHours": 48, "snapshotRetentionDays": 400, "dailySnapshotRetentionDays": -1, "weeklySnapshotRetentionWeeks": 99,
		"monthlySnapshotRetentionMonths": 999,
		"clusterCheckpointIntervalMin":   7, "fullIncrementalDayOfWeek": "FUNDAY", "referenceHourOfDay": 25,
	})
	r := newPolicy(t, s)
	p := joinPolicy(t, r, values{"point_in_time_window_hours": 50}, nil)
	p.WantNoWarnings(t)
	s.ResetRequests()
	r.Apply(p).WantNone(t)
	wantSent(t, s, `{"pointInTimeWindowHours": 50}`)
	r.MustBeSettled(policy(values{"point_in_time_window_hours": 50}, only(cards, ledger)))
}
