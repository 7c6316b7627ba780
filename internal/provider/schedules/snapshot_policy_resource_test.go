package schedules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	fraud    = "650a1e4a0f2c3d5b7e9f1a2b" // a replica set whose backup is stopped
	invoices = "650a20d18c3e5f7092b4d6a8" // a sharded cluster
	reports  = "650a2177e1f3a5b7c9d00e42" // a replica set whose backup is INACTIVE
)

// policy returns the configuration of a policy for Payments.
func policy(schedule values, more values) values {
	config := values{"project_ids": []any{payments}, "schedule": schedule}
	maps.Copy(config, more)
	return config
}

func daily(days int) values {
	return values{"daily_snapshot_retention_days": days}
}

func only(clusters ...string) values {
	var ids []any
	for _, id := range clusters {
		ids = append(ids, id)
	}
	return values{"cluster_ids": ids}
}

// startPolicy starts a service, and returns a policy on it without a state.
func startPolicy(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResource(t, providertest.PolicyType, options...)
}

// newPolicy returns a policy on a service without a state.
func newPolicy(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.PolicyType)
}

// lines returns the elements of a map in a state or a plan, sorted by ID, each as 'ID text', without the
// values before the last change.
func lines(from values, attribute string) []string {
	elements, _ := from[attribute].(values)
	var found []string
	for id, text := range elements {
		found = append(found, id+" "+before.ReplaceAllString(fmt.Sprint(text), ""))
	}
	slices.Sort(found)
	return found
}

var before = regexp.MustCompile(` \(was [^)]*\)`)

func wantLines(t *testing.T, from values, attribute string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := lines(from, attribute); !slices.Equal(got, want) {
		t.Errorf("%s has\n%s\nwant\n%s", attribute, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// changedLines returns the IDs of the clusters whose line a plan changes.
func changedLines(p *providertest.Plan) []string {
	before, _ := providertest.Plain(p.Prior).(values)
	was, _ := before["clusters"].(values)
	is, _ := p.Values()["clusters"].(values)
	var changed []string
	for id := range is {
		if is[id] != was[id] {
			changed = append(changed, id)
		}
	}
	slices.Sort(changed)
	return changed
}

func wantPlannedLine(t *testing.T, p *providertest.Plan, cluster string, want any) {
	t.Helper()
	lines, _ := p.Values()["clusters"].(values)
	if lines[cluster] != want {
		t.Errorf("the plan shows %v, want %v: %q", lines[cluster], want, p.Errors())
	}
}

func wantChangedLines(t *testing.T, p *providertest.Plan, want ...string) {
	t.Helper()
	slices.Sort(want)
	p.WantNoErrors(t)
	providertest.WantEqual(t, changedLines(p), want)
}

func dailyOf(s *providertest.Service, cluster string) string {
	return fmt.Sprint(s.Schedule(payments, cluster)["dailySnapshotRetentionDays"])
}

func TestPolicySelectsByIDByNameAndAllButSome(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		more     values
		selected []string
		skipped  []string
	}{
		{"all", nil, []string{ledger, cards, fraud, orders, invoices}, []string{reports}},
		{"by ID", only(cards, fraud), []string{cards, fraud}, nil},
		{"by an ID in upper case", only(strings.ToUpper(cards)), []string{cards}, nil},
		{"by no ID", only(), nil, nil},
		{"by a part of the name", values{"cluster_name_regex": "r"}, []string{ledger, cards, fraud, orders}, []string{reports}},
		{"by the start of the name", values{"cluster_name_regex": "^or"}, []string{orders}, nil},
		{
			"by a name and not by ID",
			values{"cluster_name_regex": "^(cards|orders)$", "excluded_cluster_ids": []any{strings.ToUpper(orders)}}, []string{cards},
			nil,
		},
		{"by ID and not by ID", only(cards, fraud).With(values{"excluded_cluster_ids": []any{fraud}}), []string{cards}, nil},
		{"in two projects", values{"project_ids": []any{payments, analytics}, "cluster_name_regex": "^(cards|events|scratch)$"},
			[]string{cards, "650a22f9d3b5a7c9e1f30816"}, []string{"650a22fad3b5a7c9e1f30817"}},
		{"in one project with two spellings", only(cards).With(values{"project_ids": []any{payments, strings.ToUpper(payments)}}),
			[]string{cards}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, r := startPolicy(t)
			p := r.Plan(policy(daily(60), test.more))
			p.WantNoErrors(t)
			if warnings := strings.Join(p.Warnings(), "\n"); strings.Count(warnings, "\ncards ("+cards+")\n") > 1 {
				t.Errorf("the plan names cards twice: %s", warnings)
			}
			r.ApplyReplanned(p).WantNoErrors(t)
			for attribute, want := range map[string][]string{"clusters": slices.Concat(test.selected, test.skipped), "skipped": test.skipped} {
				var got []string
				for _, line := range lines(r.Attributes(), attribute) {
					got = append(got, line[:24])
				}
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s has %q, want %q", attribute, got, want)
				}
			}
			for _, cluster := range test.selected {
				if isOfPayments := s.Schedule(payments, cluster) != nil; isOfPayments && dailyOf(s, cluster) != "60" {
					t.Errorf("%s keeps daily snapshots for %s days", cluster, dailyOf(s, cluster))
				}
			}
		})
	}
}

func TestMinimumRaisesRetentionsAndNeverLowersThem(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	set := func(cluster string, days int) {
		s.SetSchedule(payments, cluster, object{"dailySnapshotRetentionDays": days, "snapshotIntervalHours": 6, "snapshotRetentionDays": 2})
	}
	set(cards, 7)
	set(ledger, 120)
	s.ResetRequests()
	r := newPolicy(t, s)
	config := policy(daily(90), only(cards, ledger).With(values{"retention_mode": "minimum", "retention_protection": true}))
	p := r.Plan(config)
	wantPlannedLine(t, p, cards, "cards: daily_snapshot_retention_days 90 (was 7)")
	wantPlannedLine(t, p, ledger, "ledger: daily_snapshot_retention_days 120 (kept, more than 90)")
	r.ApplyReplanned(p).WantNoErrors(t)
	wantSent(t, s, `{"dailySnapshotRetentionDays": 90}`)
	r.MustBeSettled(config)

	// What someone lowered is raised again, and what someone raised after the plan stays.
	set(ledger, 60)
	set(cards, 365)
	r.MustRefresh()
	p = r.Plan(config)
	wantLines(
		t, p.Values(), "clusters", ledger+" ledger: daily_snapshot_retention_days 90",
		cards+" cards: daily_snapshot_retention_days 365 (kept, more than 90)",
	)
	set(ledger, 360)
	r.Apply(p).WantError(t, "daily_snapshot_retention_days is 360, and the plan showed 60", "left that as it is")
	r.MustRefresh()
	wantLines(
		t, r.Plan(config).Values(), "clusters", ledger+" ledger: daily_snapshot_retention_days 360 (kept, more than 90)",
		cards+" cards: daily_snapshot_retention_days 365 (kept, more than 90)",
	)
	r.MustBeSettled(config)

	// A lower minimum sends nothing, and the plan says that the values are kept.
	lower := config.With(values{"schedule": daily(60)})
	s.ResetRequests()
	p = r.Plan(lower)
	wantLines(
		t, p.Values(), "clusters", ledger+" ledger: daily_snapshot_retention_days 360 (kept, more than 60)",
		cards+" cards: daily_snapshot_retention_days 365 (kept, more than 60)",
	)
	r.Apply(p).WantNone(t)
	wantSent(t, s)

	// Other fields are set as they are configured, and a policy that sets retentions exactly lowers them.
	further := values{"daily_snapshot_retention_days": 90, "snapshot_interval_hours": 12, "snapshot_retention_days": 3}
	config["retention_protection"] = false
	r.Plan(config.With(values{"schedule": further})).WantError(t, "snapshot_interval_hours: 6 -> 12")
	r.MustApply(config)
	config["schedule"] = further
	r.MustApply(config)
	const others = "snapshot_interval_hours 12, snapshot_retention_days 3, daily_snapshot_retention_days "
	wantLines(
		t, r.Attributes(), "clusters", ledger+" ledger: "+others+"360 (kept, more than 90)",
		cards+" cards: "+others+"365 (kept, more than 90)",
	)
	config["retention_mode"] = "exact"
	p = r.Plan(config)
	wantLines(t, p.Values(), "clusters", ledger+" ledger: "+others+"90", cards+" cards: "+others+"90")
	p.WantWarning(t, "Recovery Points of Cluster", "Will Be Reduced", "360 -> 90")
}

// A retention that Ops Manager does not return may be longer, so a policy that only raises it can't do that, and says so.
func TestMinimumIsAnErrorIfARetentionIsNotReturned(t *testing.T) {
	t.Parallel()
	raised := func(more values) values {
		return only(cards, fraud).With(minimum.With(more))
	}
	for _, attribute := range retentions {
		for _, isGuarded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, guarded %v", attribute, isGuarded), func(t *testing.T) {
				t.Parallel()
				s := providertest.StartService(t, emulator.Options{OmitFields: []string{fieldOf[attribute]}})
				guard := values{"retention_protection": isGuarded}
				config := policy(values{attribute: 4, "full_incremental_day_of_week": "MONDAY"}, raised(guard))
				r := newPolicy(t, s)
				s.ResetRequests()
				errors := r.Plan(config).Errors()
				providertest.WantOne(t, errors, "[schedule] Value Not Returned: Cluster cards ("+cards+") and 1 Other", "2 clusters: cards", "fraud",
					"only raises", attribute+" = 4 (not returned by Ops Manager)", `retention_mode = "exact"`, "excluded_cluster_ids")

				// A policy that has them already says so in each plan until they are returned.
				other := policy(values{"full_incremental_day_of_week": "MONDAY"}, raised(guard))
				r.MustApply(other)
				s.ResetRequests()
				for range 2 {
					r.MustRefresh()
					r.Plan(config).WantError(t, "Value Not Returned", attribute)
				}
				wantSent(t, s)
				s.OmitFields()
				r.Configure()
				r.MustRefresh()
				r.MustApply(config)
				r.MustBeSettled(config)
			})
		}
	}
}

// A retention is known from the last read or apply, and then it is not returned any more.
func TestMinimumSendsNothingIfARetentionIsNoLongerReturned(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	set := func(days any) {
		setDaily(s, cards, days)
	}
	config := policy(daily(90), only(cards).With(minimum))
	r := newPolicy(t, s)
	set(60)
	creation := r.Plan(config)
	set(nil)
	s.ResetRequests()
	r.Apply(creation).WantError(t, "which showed \"cards: daily_snapshot_retention_days 90 (was 60)\"", "left that as it is")
	providertest.WantNoState(t, r)
	set(60)
	r.MustApply(config)
	wantSent(t, s, `{"dailySnapshotRetentionDays": 90}`)
	set(60)
	r.MustRefresh()
	p := r.Plan(config)
	wantLines(t, p.Values(), "clusters", cards+" cards: daily_snapshot_retention_days 90")
	set(nil)
	s.ResetRequests()
	for range 2 { // the next plan shows what is left
		r.Apply(p).WantError(t, "daily_snapshot_retention_days is not returned, and the plan showed 60")
		if warnings := r.Refresh().Warnings(); len(warnings) != 1 ||
			!strings.Contains(warnings[0], "Ops Manager did not return daily_snapshot_retention_days") {
			t.Errorf("warned %q", warnings)
		}
		r.Configure()
		p = r.Plan(config)
		wantChangedLines(t, p, cards)
	}
	wantSent(t, s)
	set(60)
	r.MustRefresh()
	r.MustApply(config)
	wantSent(t, s, `{"dailySnapshotRetentionDays": 90}`)
}

// This run starts the backup, and only the apply can see that a retention is not returned.
func TestMinimumOfABackupThatTheApplyStartsIsAnErrorIfARetentionIsNotReturned(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{OmitFields: []string{"dailySnapshotRetentionDays"}})
	backup, schedule, start := withBackup(t, s, reports)
	r := schedule.NewResource(providertest.PolicyType)
	p := r.Plan(policy(daily(90), only(reports).With(minimum)))
	backup.Apply(start).WantNone(t)
	s.ResetRequests()
	r.Apply(p).WantError(t, "Value Not Returned", "daily_snapshot_retention_days = 90 (not returned by Ops Manager)")
	wantSent(t, s)
	providertest.WantNoState(t, r)
}

func TestMinimumKeepsWhatAnotherClientRaisesDuringTheApply(t *testing.T) {
	t.Parallel()
	for name, days := range map[string]int{"what the policy keeps": 120, "what the policy sends": 60} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := providertest.StartFaultProxy(t)
			d.SetSchedule(payments, cards, object{"dailySnapshotRetentionDays": days, "weeklySnapshotRetentionWeeks": 2})
			r := newPolicy(t, d.Service)
			p := r.Plan(policy(
				values{"daily_snapshot_retention_days": 90, "weekly_snapshot_retention_weeks": 4}, only(cards).With(minimum, guard),
			))
			d.Handle(providertest.Rewrite(func(req *http.Request, document object) {
				if req.Method == http.MethodPatch {
					setDaily(d.Service, cards, 365)
					document["dailySnapshotRetentionDays"] = 365
				}
			}))
			diags := r.ApplyReplanned(p)
			diags.WantNoErrors(t)
			diags.WantWarning(t, "Further Changes to the Snapshot Schedule", "-> 365")
		})
	}
}

// A new interval takes a long retention along, which the plan shows. A shorter one stays.
func TestMinimumWithAShortInterval(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 4})
	s.SetSchedule(payments, ledger, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 15})
	s.ResetRequests()
	r := newPolicy(t, s)
	short := values{"snapshot_interval_hours": 6, "snapshot_retention_days": 3}
	config := policy(short, only(cards, ledger).With(minimum))
	p := r.Plan(config)
	wantLines(
		t, p.Values(), "clusters", ledger+" ledger: snapshot_interval_hours 6, snapshot_retention_days 5",
		cards+" cards: snapshot_interval_hours 6, snapshot_retention_days 4 (kept, more than 3)",
	)
	p.WantWarning(t, "Will Be Reduced", "15 -> 5")
	r.ApplyReplanned(p).WantNoErrors(t)
	wantSent(t, s, `{"snapshotIntervalHours": 6}`, `{"snapshotIntervalHours": 6}`)
	r.MustBeSettled(config)
}

// A short interval takes a long retention along. If the apply does not read that retention, it may be long by now.
func TestShortIntervalIsNotSentIfTheApplyDoesNotReadTheRetentionThatItMayShorten(t *testing.T) {
	t.Parallel()
	for kind, configOf := range kinds {
		for _, isManaged := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, managed %v", kind, isManaged), func(t *testing.T) {
				t.Parallel()
				s := providertest.StartService(t)
				config := configOf(cards, values{"snapshot_interval_hours": 6})
				if kind == "policy that raises" {
					config = configOf(cards, values{"snapshot_interval_hours": 6, "snapshot_retention_days": 3})
				}
				r := newResource(providertest.NewWorkspace(t, s), config)
				s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 6, "snapshotRetentionDays": 4})
				if isManaged {
					r.MustApply(config)
				}
				s.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24})
				r.MustRefresh()
				p := r.Plan(config)
				s.OmitFields("snapshotRetentionDays")
				s.ResetRequests()
				r.Apply(p).WantError(t, "snapshot_retention_days")
				wantSent(t, s)
			})
		}
	}
}

// Ops Manager rejects a short interval with a long retention, and shortens the retention if the request lacks it. So an
// apply sends the retention that it keeps.
func TestMinimumIsNotLostToAShortInterval(t *testing.T) {
	t.Parallel()
	config := func(hours int, clusters ...string) values {
		return policy(values{"snapshot_interval_hours": hours, "snapshot_retention_days": 7}, only(clusters...).With(minimum))
	}
	for days, shown := range map[int]string{7: "7", 20: "20 (kept, more than 7)"} {
		for step, before := range map[string]values{"creation": nil, "update": config(24, cards), "join": config(24, ledger)} {
			t.Run(fmt.Sprintf("%s, %d days", step, days), func(t *testing.T) {
				t.Parallel()
				s, r := startPolicy(t)
				live := object{"snapshotIntervalHours": 24, "snapshotRetentionDays": days}
				s.SetSchedule(payments, cards, live)
				s.SetSchedule(payments, ledger, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 4})
				if before != nil {
					r.MustApply(before)
					r.MustRefresh()
				}
				s.SetSchedule(payments, ledger, object{"snapshotIntervalHours": 12, "snapshotRetentionDays": 7})
				r.MustRefresh()
				s.ResetRequests()
				p := r.Plan(config(12, cards, ledger))
				wantPlannedLine(t, p, cards, "cards: snapshot_interval_hours 12 (was 24), snapshot_retention_days "+shown)
				r.Apply(p).WantError(t, "INVALID_SNAPSHOT_RETENTION_PERIOD")
				wantSent(t, s, fmt.Sprintf(`{"snapshotIntervalHours": 12, "snapshotRetentionDays": %d}`, days))
				wantHeld(t, s, cards, live)
			})
		}
	}
}

// A version of Ops Manager may accept a long retention with a short interval.
func TestMinimumThatIsSentAlongWithAShortIntervalMustBeTaken(t *testing.T) {
	t.Parallel()
	for held, says := range map[int]string{20: "", 5: "Ops Manager Adjusted the Value"} {
		d := providertest.StartFaultProxy(t)
		d.SetSchedule(payments, cards, object{"snapshotIntervalHours": 24, "snapshotRetentionDays": 20})
		d.Handle(func(w http.ResponseWriter, req *http.Request, service http.Handler) {
			if req.Method == http.MethodPatch {
				d.SetSchedule(payments, cards, object{"snapshotIntervalHours": 12, "snapshotRetentionDays": held})
				_ = json.NewEncoder(w).Encode(d.Schedule(payments, cards))
				return
			}
			service.ServeHTTP(w, req)
		})
		config := policy(values{"snapshot_interval_hours": 12, "snapshot_retention_days": 7}, only(cards).With(minimum))
		r := newPolicy(t, d.Service)
		r.Apply(r.Plan(config)).WantOutcome(t, says)
		if says == "" {
			r.MustBeSettled(config)
		}
	}
}

func TestPolicyWarnsOfClusterIDsWithoutASchedule(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	missing := strings.Repeat("f", 24)
	newPolicy(t, s).Plan(policy(daily(7), values{"cluster_name_regex": "^nothing$"})).WantWarning(
		t, "No Cluster of Project Payments ("+payments+") Will Be Selected",
	)
	p := r.Plan(policy(daily(7), only(cards, providertest.OrdersShard, reports, missing)))
	wantLines(t, p.Values(), "clusters", cards+" cards: daily_snapshot_retention_days 7", reports+" {unknown}")
	if p.Values()["skipped"] != unknown {
		t.Errorf("the plan knows the skipped clusters, but the same apply may start a backup: %v", p.Values())
	}
	p.WantWarning(t, "[cluster_ids] Schedule of Cluster reports ("+reports+") and 2 Others Will Not Be Set",
		"\n\n2 clusters: "+providertest.OrdersShard+", "+missing+": not a replica set or whole sharded cluster", "reports ("+reports+"): INACTIVE")
	s.SetBackupConfig(payments, reports, object{"statusName": "STARTED"}) // by another client, so its schedule is kept
	setDaily(s, reports, 360)
	r.Apply(p).WantNoErrors(t)
	providertest.WantEqual(t, dailyOf(s, reports), "360")
}

func TestPolicyRejectsInvalidConfigurations(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	for _, test := range []struct {
		name   string
		config values
		says   []string
	}{
		{"a schedule without a field", policy(values{}, nil), []string{"[schedule]", "at least one field"}},
		{"an invalid expression", policy(daily(7), values{"cluster_name_regex": "("}), []string{"cluster_name_regex", "Invalid Regular Expression"}},
		{"both selections", policy(daily(7), only(cards).With(values{"cluster_name_regex": "x"})), []string{"cluster_name_regex", "cannot be specified"}},
		{"a name instead of an ID", policy(daily(7), only("cards")), []string{"cluster_ids", "24 hexadecimal digits"}},
		{"no project", values{"project_ids": []any{}, "schedule": daily(7)}, []string{"project_ids", "at least 1"}},
		{"an offset without an hour", policy(values{"reference_time_zone_offset": "+02:00"}, nil), []string{"schedule", "Offset Without an Hour"}},
		{
			"an offset without a minute", policy(values{"reference_hour_of_day": 1, "reference_time_zone_offset": "+05:30"}, nil),
			[]string{"schedule", "Offset Without a Minute"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			newPolicy(t, s).Plan(test.config).WantError(t, test.says...)
		})
	}
	providertest.WantNoCalls(t, s)
}

func TestPolicyChangesAndNewClustersChangeOneLineForEachCluster(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	config := policy(daily(60), nil)
	r.Create(config)

	// A new cluster, and one whose backup is started.
	addCluster(s, added, "new", 7)
	s.SetBackupConfig(payments, reports, object{"statusName": "STARTED"})
	r.MustRefresh()
	p := r.Plan(config)
	wantChangedLines(t, p, added, reports)
	providertest.WantAttributes(t, r, values{"overwrites": 5})
	providertest.WantEqual(t, p.Values()["overwrites"], 7)
	s.ResetRequests()
	r.Apply(p, values{})
	wantSent(t, s, `{"dailySnapshotRetentionDays": 60}`, `{"dailySnapshotRetentionDays": 60}`)
	r.MustBeSettled(config)
	wantLines(t, r.Attributes(), "skipped")

	// A policy that sets another field, which two clusters have already.
	config = policy(values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": 30}, nil)
	for _, cluster := range []string{cards, fraud} {
		s.SetSchedule(payments, cluster, object{"weeklySnapshotRetentionWeeks": 30})
	}
	r.MustRefresh()
	p = r.Plan(config)
	providertest.WantEqual(t, len(changedLines(p)), 7)
	wantPlannedLine(t, p, invoices, "invoices: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 30 (was 26)")
	p.WantNoWarnings(t)
	s.ResetRequests()
	r.Apply(p, values{})
	providertest.WantEqual(t, len(s.Sent("PATCH", "/snapshotSchedule")), 5)
	r.MustBeSettled(config)

	// A cluster that disappears leaves the policy.
	s.RemoveCluster(payments, fraud)
	r.MustRefresh()
	p = r.Plan(config)
	if got := len(lines(p.Values(), "clusters")); got != 6 || p.IsEmpty() {
		t.Errorf("the policy has %d clusters, and the plan changes %q", got, p.Changes())
	}
}

func TestFailuresOfSomeClustersAreOneErrorAndTheOthersAreChanged(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	config := policy(daily(60), nil)
	fail := func() {
		for _, cluster := range []string{cards, fraud} {
			s.Inject(emulator.Fault{Method: "PATCH", Path: cluster, Times: -1, Status: 500})
		}
	}
	// A failed creation stores nothing, and the next one has the rest to change.
	fail()
	diags := r.ApplyReplanned(r.Plan(config))
	diags.WantError(
		t, "Unable to Apply Snapshot Policy", "2 of 5 changes failed", "2 clusters: cards ("+cards+"), fraud ("+fraud+"): PATCH",
		"The other changes have been made. The next plan shows what is left.",
	)
	providertest.WantNoState(t, r)
	providertest.WantEqual(t, dailyOf(s, orders), "60")
	s.ClearFaults()
	p := r.Plan(config)
	s.ResetRequests()
	r.ApplyReplanned(p)
	wantSent(t, s, `{"dailySnapshotRetentionDays": 60}`, `{"dailySnapshotRetentionDays": 60}`)
	r.MustBeSettled(config)

	// After a failed update, the next plan shows what is left.
	config = policy(values{"daily_snapshot_retention_days": 60, "weekly_snapshot_retention_weeks": 9}, nil)
	fail()
	diags = r.ApplyReplanned(r.Plan(config))
	diags.WantError(t, "2 of 5 changes failed", "500")
	wantLines(t, r.Attributes(), "clusters",
		cards+" cards: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 4",
		fraud+" fraud: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 2",
		ledger+" ledger: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 9",
		orders+" orders: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 9",
		invoices+" invoices: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 9", reports+" reports: INACTIVE")
	s.ClearFaults()
	wantChangedLines(t, r.Plan(config), cards, fraud)
	r.MustRefresh()
	p = r.Plan(config)
	wantChangedLines(t, p, cards, fraud)
	r.ApplyReplanned(p)
	r.MustBeSettled(config)
}

func TestFailureOfAllClustersSaysWhatToDoForEach(t *testing.T) {
	t.Parallel()
	_, r := startPolicy(t)
	diags := r.ApplyReplanned(r.Plan(policy(daily(8), only(cards, fraud))))
	diags.WantError(t, "2 of 2 changes failed",
		"2 clusters: cards ("+cards+"), fraud ("+fraud+"): daily_snapshot_retention_days: PATCH", "Configure one that it accepts")
	providertest.WantUnsaid(t, diags.Errors(), "other change")
}

func TestPolicyWarnsOfShortenedRetentionsByName(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	p := newPolicy(t, s).Plan(policy(values{"daily_snapshot_retention_days": 15, "snapshot_interval_hours": 6}, nil))
	providertest.WantContains(t, strings.Join(p.Warnings(), "\n"), "Recovery Points of Cluster invoices ("+invoices+") and 1 Other Will Be Reduced",
		"The apply changes:\n\ninvoices ("+invoices+"):\n", "daily_snapshot_retention_days: 90 -> 15",
		"\n\nledger ("+ledger+"):\n", "daily_snapshot_retention_days: 30 -> 15",
		"snapshot_retention_days: 20 -> 5", "at most 5 days if the interval is below 24 hours")

	many := providertest.StartService(t, providertest.ManyClusters(50))
	p = newPolicy(t, many).Plan(policy(values{"weekly_snapshot_retention_weeks": 1}, nil))
	for _, text := range p.Warnings() {
		if strings.Contains(text, "Will Be Reduced") {
			if got := strings.Count(text, " (0"); got != 6 || !strings.Contains(text, "50 clusters, such as c (") {
				t.Errorf("lists %d clusters: %s", got, text)
			}
		}
	}
}

func TestGuardOfAPolicyPreventsDecreases(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	guarded := func(days int) values {
		return policy(daily(days), values{"retention_protection": true, "cluster_name_regex": "^(cards|fraud|new)"})
	}
	r.Plan(guarded(3)).WantError(
		t, "[schedule] Recovery Points of Cluster cards", "cards ("+cards+"):\n  - daily_snapshot_retention_days: 7 -> 3",
		"add the clusters to excluded_cluster_ids",
	)
	r.Create(guarded(15))
	r.Plan(guarded(7)).WantError(t, "Would Be Reduced", "cards", "fraud", "15 -> 7")

	// A longer retention of the live schedule is not shortened: not if someone set it, and not of a new cluster.
	setDaily(s, cards, 90)
	addCluster(s, added, "new", 30)
	r.MustRefresh()
	r.Plan(guarded(15)).WantError(t, "Would Be Reduced", "cards", "90 -> 15", "new", "30 -> 15", "To keep the live values", "apply twice")
	unguarded := guarded(15).With(values{"retention_protection": false})
	r.Plan(unguarded).WantError(t, "Would Be Reduced", "cards", "new") // the value in the state counts

	// Drift that shortened it is repaired.
	setDaily(s, cards, 15)
	setDaily(s, added, 15)
	setDaily(s, fraud, 3)
	r.MustRefresh()
	wantChangedLines(t, r.Plan(guarded(15)), fraud, added)
	r.ApplyReplanned(r.Plan(guarded(15)))
	providertest.WantEqual(t, dailyOf(s, cards)+" "+dailyOf(s, fraud), "15 15")

	// A cluster that another selection adds is refused, too.
	other := guarded(15)
	other["cluster_name_regex"] = "^(cards|fraud|new|ledger)"
	r.Plan(other).WantError(t, "Would Be Reduced", "ledger", "30 -> 15")
}

func TestPolicyReportsKnownDecreasesWhileOtherValuesAreUnknown(t *testing.T) {
	t.Parallel()
	_, r := startPolicy(t)
	r.Create(policy(daily(60), only(cards)))
	early := policy(values{"daily_snapshot_retention_days": 15, "reference_hour_of_day": unknown}, only(cards))
	p := r.Plan(early)
	providertest.WantContains(
		t, strings.Join(p.Warnings(), "\n"), "Will Be Reduced", "cards", "60 -> 15", "Known Only During the Apply",
		"reference_hour_of_day",
	)
	wantLines(t, p.Values(), "clusters", cards+" {unknown}")
	early["retention_protection"] = true
	r.Plan(early).WantError(t, "Would Be Reduced", "cards", "60 -> 15")
}

func TestPolicyConvertsTheTimeOfDayAndLeavesReplicaSetsWithoutCheckpoints(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	at := func(hour int, offset string) values {
		return policy(values{
			"reference_hour_of_day": hour, "reference_minute_of_hour": 15, "reference_time_zone_offset": offset,
			"cluster_checkpoint_interval_min": 60,
		},
			only(cards, orders))
	}
	r.Create(at(3, "+02:00"))
	wantLines(t, r.Attributes(), "clusters",
		cards+" cards: reference_hour_of_day 3, reference_minute_of_hour 15, reference_time_zone_offset +02:00",
		orders+" orders: cluster_checkpoint_interval_min 60, reference_hour_of_day 3, reference_minute_of_hour 15, reference_time_zone_offset +02:00")
	// Orders was at 01:15 UTC already.
	if sent := s.Sent("PATCH", "/snapshotSchedule"); !slices.Contains(sent, `{"clusterCheckpointIntervalMin":60}`) ||
		!slices.Contains(sent, `{"referenceHourOfDay":1,"referenceMinuteOfHour":15,"referenceTimeZoneOffset":"+0000"}`) {
		t.Errorf("sent %s", sent)
	}
	r.MustBeSettled(at(3, "+02:00"))
	// The same time in another zone is another text, but sends nothing.
	p := r.Plan(at(1, "Z"))
	s.ResetRequests()
	r.ApplyReplanned(p).WantNoErrors(t)
	providertest.WantNoCalls(t, s)
	r.MustBeSettled(at(1, "Z"))
	// Removing the offset keeps the time, which was in UTC.
	without := policy(values{"reference_hour_of_day": 1, "reference_minute_of_hour": 15}, only(cards, orders))
	r.MustApply(without)
}

func TestPlanOfAPolicyReadsEachClusterOnceAndAChangeTwice(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	const lists = 3 // of clusters, of backup configurations, and of third-party backups
	want := func(step string, reads, changes int) {
		t.Helper()
		if got := len(s.Calls("GET")); got != reads {
			t.Errorf("%s read %d times, want %d", step, got, reads)
		}
		if got := len(s.Calls("PATCH")); got != changes {
			t.Errorf("%s changed %d times, want %d", step, got, changes)
		}
		s.ResetRequests()
	}
	config := policy(daily(60), nil)
	p := r.Plan(config)
	want("the plan of a creation", lists+5, 0)
	r.ApplyReplanned(p)
	want("a creation", 2*(lists+5)-1, 5) // the last plan, and a comparison right before each change
	r.MustBeSettled(config)
	want("an unchanged plan", lists+5, 0)
	setDaily(s, cards, 90)
	providertest.WantEmptyPlan(t, r.Plan(config))
	want("a plan without a refresh", 0, 0)
	setDaily(s, cards, 60)
	config = policy(daily(90), nil)
	r.MustRefresh()
	p = r.Plan(config)
	want("the plan of a change", lists+5, 0)
	r.ApplyReplanned(p)
	want("a change", 5+1, 5) // the third-party backups
	config = policy(daily(90), values{"project_ids": []any{payments, analytics}})
	r.MustRefresh()
	p = r.Plan(config)
	const names = 2                                                     // of the projects
	want("the plan of another selection", lists+5+2*lists-1+names+1, 0) // a project is asked once about third-party backups
	r.ApplyReplanned(p)
	want("a change of the selection", 2*lists+names+2, 1)
}

// The plan knows which clusters stay, also those that have no schedule, so it shows which ones leave.
func TestPlanThatSelectsFewerClustersShowsWhichOnesLeave(t *testing.T) {
	t.Parallel()
	both := values{"project_ids": []any{payments, analytics}}
	for name, test := range map[string]struct {
		more  values
		leave int
		warns bool
	}{
		"an excluded cluster":                    {both.With(values{"excluded_cluster_ids": []any{strings.ToUpper(cards)}}), 1, false},
		"an excluded cluster without a schedule": {both.With(values{"excluded_cluster_ids": []any{reports}}), 1, false},
		"an excluded ID that no cluster has":     {both.With(values{"excluded_cluster_ids": []any{cards, strings.Repeat("f", 24)}}), 1, true},
		"a list of clusters":                     {both.With(only(cards, fraud)), 7, false},
		"a project that leaves":                  {values{}, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startPolicy(t)
			r.Create(policy(daily(60), both))
			before := r.Attributes()
			r.MustRefresh() // also reads the names of the projects
			s.ResetRequests()
			config := policy(daily(60), test.more)
			p := r.Plan(config)
			if len(p.Errors()) > 0 || (len(p.Warnings()) > 0) != test.warns {
				t.Fatal(p.Errors(), p.Warnings())
			}
			wantChangedLines(t, p)
			if left := len(lines(before, "clusters")) - len(lines(p.Values(), "clusters")); left != test.leave ||
				p.Values()["skipped"] == unknown {
				t.Errorf("%d clusters leave, want %d: %v", left, test.leave, p.Values())
			}
			if calls := s.Calls(); len(calls) > 4 {
				t.Errorf("the plan called %q", calls)
			}
			// A cluster that has been added since is left to the next plan.
			addCluster(s, added, "new", 7)
			r.ApplyReplanned(p).WantNoErrors(t)
			if writes := s.Writes(); len(writes) != len(s.Calls("PATCH")) || len(writes) > 7 {
				t.Errorf("sent %q", writes)
			}
			if _, isListed := test.more["cluster_ids"]; isListed {
				r.MustBeSettled(config)
				return
			}
			r.MustRefresh()
			wantChangedLines(t, r.Plan(config), added)
		})
	}
}

func TestPolicyOfSeveralProjectsNamesTheProjectOfACluster(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	const twin = "650a22f9d3b5a7c9e1f30899"
	s.AddCluster(analytics, emulator.Cluster{ID: twin, Name: "cards", TypeName: "REPLICA_SET", BackupConfig: object{"statusName": "STARTED"}})
	r := newPolicy(t, s)
	s.SetSchedule(analytics, twin, object{"dailySnapshotRetentionDays": 3})
	config := policy(daily(1), values{"project_ids": []any{payments, analytics}, "cluster_name_regex": "^(cards|ledger|reports)$"})
	warned := strings.Join(r.Plan(config).Warnings(), "\n")
	for _, label := range []string{
		"cards (" + cards + ") of project Payments (" + payments + ")", "cards (" + twin + ") of project Analytics (" + analytics + ")",
	} {
		if !strings.Contains(warned, label) {
			t.Errorf("no %s in %s", label, warned)
		}
	}
	config["project_ids"] = []any{payments}
	config["schedule"] = daily(7)
	r.Create(config)
	config["project_ids"], config["schedule"] = []any{payments, analytics}, daily(3)
	if warned := strings.Join(r.Plan(config).Warnings(), "\n"); !strings.Contains(warned, "cards ("+cards+") of project Payments") {
		t.Errorf("with another project: %s", warned)
	}
	config["project_ids"], config["schedule"] = []any{analytics}, daily(1)
	if warned := strings.Join(r.Plan(config).Warnings(), "\n"); !strings.Contains(warned, twin) || strings.Contains(warned, "of Analytics") {
		t.Errorf("one project: %s", warned)
	}
}

func TestPolicyOfSeveralProjectsHasTheIDOfAProjectWhoseNameCannotBeRead(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	// After the clusters and their backups.
	s.Inject(emulator.Fault{Path: "/groups/" + payments, Skip: 2, Status: 403})
	p := r.Plan(policy(daily(1), values{"project_ids": []any{payments, analytics}, "cluster_name_regex": "^cards$"}))
	providertest.WantContains(
		t, strings.Join(p.Warnings(), "\n"), "Recovery Points of Cluster cards ("+cards+") Will Be Reduced",
		"cards ("+cards+") of project "+payments+":",
	)
}

// The refresh may have been skipped, or the ID may have been unknown until the apply.
func TestListOfAClusterThatIsNewerThanTheRefreshSelectsIt(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	const added = "650a22f9d3b5a7c9e1f30899"
	r := newPolicy(t, s)
	r.Create(policy(daily(60), nil))
	addCluster(s, added, "added", 7)
	config := policy(daily(60), only(cards, added))
	p := r.Plan(config)
	providertest.WantUnsaid(t, p.Warnings(), "Will Not Be Set")
	wantChangedLines(t, p, added)
	r.ApplyReplanned(p).WantNoErrors(t)
	r.MustRefresh()
	r.MustBeSettled(config)
}

func TestDestroyOfAPolicySendsNothing(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	r.Create(policy(daily(60), only(cards, fraud)))
	s.ResetRequests()
	diags := r.Destroy()
	diags.WantWarning(t, "Snapshot Policy of Cluster cards ("+cards+") and 1 Other Will Be Removed Only From the State", "sends no request")
	if sent := s.Calls(); len(sent) > 0 || len(diags.Errors()) > 0 {
		t.Errorf("sent %q %v", sent, diags.Errors())
	}
	providertest.WantNoState(t, r)
}

func TestMembersStayInAPolicyIfTheirProjectCanNotBeListed(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	config := policy(daily(60), values{"cluster_name_regex": "^(cards|events)$", "project_ids": []any{payments, analytics}})
	r.Create(config)
	held := r.Attributes()
	for _, answer := range []struct {
		status int
		code   string
		says   []string
	}{
		{403, "USER_UNAUTHORIZED", []string{"lacks a role"}},
		{404, "GROUP_NOT_FOUND", []string{"the API key has no role in it", "remove its ID from project_ids", "-refresh=false"}},
	} {
		s.ClearFaults()
		s.Inject(emulator.Fault{
			Path: "/groups/" + analytics + "/", Times: -1, Status: answer.status,
			Body: fmt.Sprintf(`{"error": %d, "errorCode": %q}`, answer.status, answer.code),
		})
		r.Refresh().WantError(
			t, append(answer.says, "[project_ids] Unable to List Clusters of Project Analytics ("+analytics+")", answer.code)...,
		)
		providertest.WantAttributes(t, r, held)
	}
	config["project_ids"] = []any{payments}
	p := r.Plan(config) // without a refresh
	wantLines(t, p.Values(), "clusters", cards+" cards: daily_snapshot_retention_days 60")
	r.ApplyReplanned(p)
	r.MustBeSettled(config)
	newPolicy(t, s).Plan(policy(daily(7), values{"project_ids": []any{analytics}})).WantError(
		t, "[project_ids] Unable to List Clusters", "GROUP_NOT_FOUND",
	)
}

func TestInterruptedApplyOfAPolicyDoesNotCountWhatItSkips(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	r := newPolicy(t, d.Service)
	p := r.Plan(policy(daily(60), values{"cluster_name_regex": "^(cards|ledger|reports)$", "concurrency": 1}))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	r.Context = ctx
	d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		service.ServeHTTP(w, request)
		if request.Method == http.MethodPatch {
			interrupt()
		}
	})
	providertest.WantUnsaid(t, r.Apply(p).Errors(), "before it changed")
}

func TestInterruptedApplyOfAPolicyEndsBetweenTwoClusters(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t, providertest.ManyClusters(30))
	r := newPolicy(t, d.Service)
	config := policy(daily(60), values{"concurrency": 1})
	r.Create(policy(daily(30), nil))
	p := r.Plan(config)
	d.ResetRequests()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	r.Context = ctx
	d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		service.ServeHTTP(w, request)
		if len(d.Calls("PATCH")) == 5 {
			interrupt()
		}
	})
	diags := r.Apply(p)
	diags.WantError(
		t, "Unable to Apply Snapshot Policy", "The run was interrupted before it changed ", " more clusters.",
		"The other changes have been made. The next plan shows what is left.",
	)
	sent := len(d.Calls("PATCH"))
	if sent != 5 {
		t.Errorf("sent %d changes", sent)
	}
	done := 0
	for _, line := range lines(r.Attributes(), "clusters") {
		id := line[:24]
		if strings.HasSuffix(line, " 60") {
			done++
		}
		if held := "daily_snapshot_retention_days " + dailyOf(d.Service, id); !strings.HasSuffix(line, held) {
			t.Errorf("%s holds %s, and the state has %s", id, held, line)
		}
	}
	if done != 5 {
		t.Errorf("%d clusters are done", done)
	}
	r.Context = t.Context()
	d.Handle(nil)
	r.MustRefresh()
	p = r.Plan(config)
	providertest.WantEqual(t, len(changedLines(p)), 25)
	r.ApplyReplanned(p)
	r.MustBeSettled(config)
}

func TestGuardOfAPolicyRefusesToRevertAChangeThatFailedForSomeClusters(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	guarded := func(days int) values {
		return policy(daily(days), only(cards, fraud, orders).With(guard))
	}
	r.Create(guarded(15))
	s.Inject(emulator.Fault{Method: "PATCH", Path: fraud, Times: -1, Status: 500})
	r.ApplyReplanned(r.Plan(guarded(60))).WantError(t, "1 of 3 changes failed", "fraud")
	s.ClearFaults()
	for range 2 { // also after a refresh
		p := r.Plan(guarded(15))
		p.WantError(t, "Would Be Reduced", "cards", "orders", "60 -> 15")
		if text := strings.Join(slices.Concat(p.Warnings(), p.Errors()), ""); strings.Contains(text, "outside") || strings.Contains(text, "fraud") {
			t.Errorf("got %s", text)
		}
		r.MustRefresh()
	}
	r.MustApply(guarded(60))
	r.Plan(guarded(15)).WantError(t, "Would Be Reduced", "cards", "orders", "fraud", "60 -> 15")
}

func TestPolicySaysWhichValuesOpsManagerNoLongerReturns(t *testing.T) {
	t.Parallel()
	s, r := startPolicy(t)
	both := func(days int) values {
		return policy(values{"daily_snapshot_retention_days": days, "weekly_snapshot_retention_weeks": 9}, only(cards, fraud))
	}
	r.Create(both(60))
	s.OmitFields("dailySnapshotRetentionDays", "monthlySnapshotRetentionMonths")
	for range 2 {
		diags := r.Refresh()
		diags.WantWarning(
			t, "Drift Will Not Be Shown: Cluster cards ("+cards+") and 1 Other", "2 clusters: cards", "fraud",
			"daily_snapshot_retention_days", "does not show drift",
		)
		if text := diags.Warnings()[0]; strings.Contains(text, "monthly") {
			t.Errorf("the warning names a value that the policy does not set: %s", text)
		}
		wantLines(t, r.Attributes(), "clusters",
			cards+" cards: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 9",
			fraud+" fraud: daily_snapshot_retention_days 60, weekly_snapshot_retention_weeks 9")
		providertest.WantEmptyPlan(t, r.Plan(both(60)))
	}
	// What is not returned may be another client's value, so it is not overwritten.
	p := r.Plan(both(90))
	s.ResetRequests()
	r.ApplyReplanned(p).WantError(t, "2 of 2 changes failed", "daily_snapshot_retention_days is not returned, and the plan showed 60")
	wantSent(t, s)
	wantChangedLines(t, r.Plan(both(90)), cards, fraud)
	s.OmitFields()
	r.MustApply(both(90))
	r.MustBeSettled(both(90))
	setDaily(s, fraud, 7)
	r.Refresh().WantNoWarnings(t)
	wantChangedLines(t, r.Plan(both(90)), fraud)
}

func TestPolicyWarnsOfExcludedIDsThatNoClusterHas(t *testing.T) {
	t.Parallel()
	_, r := startPolicy(t)
	typo := strings.Replace(fraud, "1e4a", "1e4b", 1)
	config := policy(daily(60), values{"cluster_name_regex": "^(cards|fraud)$", "excluded_cluster_ids": []any{typo, strings.ToUpper(ledger)}})
	const title = "[excluded_cluster_ids] Cluster "
	p := r.Plan(config)
	p.WantWarning(t, title+typo+" Will Not Be Excluded", "If you misspelled an ID")
	providertest.WantUnsaid(t, p.Warnings(), typo+" and")
	r.ApplyReplanned(p)
	r.Refresh().WantWarning(t, title+typo)
	config["excluded_cluster_ids"] = []any{fraud}
	for _, text := range r.Plan(config).Warnings() {
		if strings.Contains(text, "Exclude") {
			t.Error(text)
		}
	}
}

func TestUndocumentedValuesAreReportedWithoutALiveSchedule(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	for name, config := range map[string]values{
		"a backup that was not started":           scheduleOf(reports, daily(100)),
		"an unknown cluster":                      scheduleOf(cards, daily(100)).With(values{"cluster_id": unknown}),
		"a policy of a backup that never started": policy(daily(100), only(reports)),
		"a policy of unknown clusters":            policy(daily(100), values{"cluster_ids": unknown}),
		"a policy":                                policy(daily(100), only(cards)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newResource(providertest.NewWorkspace(t, s), config).Plan(config)
			p.WantNoErrors(t)
			providertest.WantOne(
				t, thatSay(p.Warnings(), "Undocumented Value of daily_snapshot_retention_days"), "100 is configured",
				"The next higher documented value is 120. ",
			)
		})
	}
}

// thatSay returns the texts that contain a word.
func thatSay(texts []string, word string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return !strings.Contains(text, word) })
}

func TestImportOfAPolicySaysWhatToDoInstead(t *testing.T) {
	t.Parallel()
	_, r := startPolicy(t)
	r.ImportID(payments).WantError(t, "Snapshot Policy Can't Be Imported", "Creating it adopts the schedules", "Remove the import block")
}

func TestScheduleThatTwoResourcesManageIsAnError(t *testing.T) {
	t.Parallel()
	ofCluster := scheduleOf(cards, daily(60))
	ofAll := policy(values{"weekly_snapshot_retention_weeks": 9}, only(strings.ToUpper(cards), fraud))
	for name, configs := range map[string][2]values{
		"two schedules":                  {ofCluster, ofCluster},
		"two policies":                   {ofAll, ofAll},
		"a policy and a schedule":        {ofAll, ofCluster},
		"of a backup that never started": {policy(daily(15), only(reports)), scheduleOf(reports, daily(60))},
	} {
		for _, isApplied := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, one applied %v", name, isApplied), func(t *testing.T) {
				t.Parallel()
				w := providertest.NewWorkspace(t, providertest.StartService(t))
				one, other := newResource(w, configs[0]), newResource(w, configs[1])
				if isApplied {
					one.MustApply(configs[0])
					w.Configure()
				}
				one.Plan(configs[0]).WantNoErrors(t)
				other.Plan(configs[1]).WantError(t, "Snapshot Schedule of Cluster ", "in Two Resources", "Keep only one of them")
				w.Configure()
				other.Plan(configs[1]).WantNoErrors(t)
				one.Plan(configs[0]).WantError(t, "in Two Resources")
			})
		}
	}
	// A replacement is planned twice.
	w := providertest.NewWorkspace(t, providertest.StartService(t))
	for _, config := range []values{policy(daily(60), only(cards)), ofCluster} {
		r := newResource(w, config)
		r.Create(config)
		w.Configure()
		r.PlanReplacement(config).WantNoErrors(t)
		w.Configure()
	}
}
