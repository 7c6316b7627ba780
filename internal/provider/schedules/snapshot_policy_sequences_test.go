package schedules_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const analytics = "64f0c2d57c1e4a6b92d3f4e5" // another project

// mostListed is the number of clusters that a warning lists.
const mostListed = 20

// fleetSequence is a sequence of runs on a policy. Its clusters appear, disappear and drift.
type fleetSequence struct {
	*providertest.Resource
	service *providertest.Service
	fleet   map[string]*fleetCluster // by ID
	added   int
	faulty  bool // a fault may be injected
	omitted []string
}

// fleetCluster is the expected state of a cluster.
type fleetCluster struct {
	project, name string
	sharded       bool
	status        string
	thirdParty    string // the state of its backup by another product
}

// drawPolicy draws a configuration that the provider accepts.
func drawPolicy(t *rapid.T, f *fleetSequence) values {
	drawn := drawConfig(t, orders)
	config := values{"project_ids": rapid.SampledFrom([][]any{{payments}, {payments, analytics}}).Draw(t, "projects")}
	schedule := values{"monthly_snapshot_retention_months": 12}
	for attribute := range fieldOf {
		if drawn[attribute] != nil {
			schedule[attribute] = drawn[attribute]
		}
	}
	config["schedule"], config["retention_protection"] = schedule, drawn["retention_protection"]
	if rapid.IntRange(0, 2).Draw(t, "only raises") == 0 {
		config["retention_mode"] = "minimum"
	}
	switch rapid.IntRange(0, 3).Draw(t, "selects by") {
	case 0:
		config["cluster_name_regex"] = rapid.SampledFrom([]string{"r", "^cluster-", "^(cards|orders|events)$"}).Draw(t, "name")
	case 1:
		ids := rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(f.fleet))), 1, 4, rapid.ID).Draw(t, "clusters")
		config = config.With(only(ids...))
	}
	if rapid.IntRange(0, 2).Draw(t, "excludes") == 0 {
		config["excluded_cluster_ids"] = []any{ledger}
	}
	return config
}

// drawLateIDs draws which IDs of a policy are unknown during the plan: all of an attribute, or one.
func drawLateIDs(t *rapid.T, config values) (early, late values) {
	early, late = maps.Clone(config), values{}
	for _, attribute := range []string{"project_ids", "cluster_ids", "excluded_cluster_ids"} {
		ids, _ := config[attribute].([]any)
		if len(ids) == 0 || rapid.IntRange(0, 7).Draw(t, attribute+" are unknown") > 0 {
			continue
		}
		early[attribute], late[attribute] = unknown, config[attribute]
		if rapid.Bool().Draw(t, "one ID is unknown") {
			early[attribute] = append([]any{unknown}, ids[1:]...)
		}
	}
	return early, late
}

// wanted returns the fields that a policy sets for a cluster, or nil if it doesn't select it.
func (f *fleetSequence) wanted(config values, id string) object {
	cluster := f.fleet[id]
	listed, byID := config["cluster_ids"].([]any)
	excluded, _ := config["excluded_cluster_ids"].([]any)
	expression, byName := config["cluster_name_regex"].(string)
	matches := map[string]bool{
		"r":                       strings.Contains(cluster.name, "r"),
		"^cluster-":               strings.HasPrefix(cluster.name, "cluster-"),
		"^(cards|orders|events)$": slices.Contains([]string{"cards", "orders", "events"}, cluster.name),
	}
	if !slices.Contains(config["project_ids"].([]any), any(cluster.project)) || slices.Contains(excluded, any(id)) ||
		byID && !slices.Contains(listed, any(id)) || byName && !matches[expression] || cluster.status == "INACTIVE" || cluster.thirdParty != "" {
		return nil
	}
	want := fieldsOfSchedule(config["schedule"].(values))
	if !cluster.sharded {
		delete(want, "clusterCheckpointIntervalMin")
	}
	return want
}

// held returns the schedules of all clusters.
func (f *fleetSequence) held() map[string]object {
	held := map[string]object{}
	for id, cluster := range f.fleet {
		held[id] = f.service.Schedule(cluster.project, id)
	}
	return held
}

// addCluster adds a cluster.
func (f *fleetSequence) addCluster(t *rapid.T) {
	f.added++
	id, name := fmt.Sprintf("%024x", f.added), fmt.Sprintf("cluster-%d", f.added)
	cluster := &fleetCluster{project: rapid.SampledFrom([]string{payments, analytics}).Draw(t, "project"), name: name, status: "STARTED"}
	f.fleet[id] = cluster
	f.service.AddCluster(cluster.project, emulator.Cluster{ID: id, Name: name, TypeName: "REPLICA_SET", BackupConfig: object{"statusName": "STARTED"}})
	f.service.SetSchedule(cluster.project, id, drawLive(t, cards))
}

// removeCluster removes a cluster.
func (f *fleetSequence) removeCluster(t *rapid.T) {
	if len(f.fleet) < 4 {
		return
	}
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(f.fleet))).Draw(t, "gone")
	f.service.RemoveCluster(f.fleet[id].project, id)
	delete(f.fleet, id)
}

// toggleBackup starts or ends the backup of a cluster.
func (f *fleetSequence) toggleBackup(t *rapid.T) {
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(f.fleet))).Draw(t, "turned")
	f.fleet[id].status = rapid.SampledFrom([]string{"STARTED", "STOPPED", "INACTIVE"}).Draw(t, "status")
	f.service.SetBackupConfig(f.fleet[id].project, id, object{"statusName": f.fleet[id].status})
}

// rename gives a cluster another name, so that a policy may no longer select it, or select it.
func (f *fleetSequence) rename(t *rapid.T) {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(f.fleet)), func(id string) bool { return f.fleet[id].sharded || f.fleet[id].thirdParty != "" })
	if len(ids) == 0 {
		return
	}
	id := rapid.SampledFrom(ids).Draw(t, "renamed")
	cluster := f.fleet[id]
	held := f.service.Schedule(cluster.project, id)
	cluster.name = rapid.SampledFrom([]string{"cards", "events", "wallets", "cluster-0"}).Draw(t, "name")
	f.service.RemoveCluster(cluster.project, id)
	f.service.AddCluster(
		cluster.project,
		emulator.Cluster{ID: id, Name: cluster.name, TypeName: "REPLICA_SET", BackupConfig: object{"statusName": cluster.status}},
	)
	f.service.SetSchedule(cluster.project, id, held)
}

// takeOver lets another product back up a cluster, or no longer.
func (f *fleetSequence) takeOver(t *rapid.T) {
	id := rapid.SampledFrom(slices.Sorted(maps.Keys(f.fleet))).Draw(t, "taken over")
	f.fleet[id].thirdParty = rapid.SampledFrom([]string{"", "ACTIVE", "DISCOVERING"}).Draw(t, "state")
	f.service.SetThirdPartyBackup(f.fleet[id].project, id, f.fleet[id].thirdParty)
}

// drift changes some schedules outside Terraform.
func (f *fleetSequence) drift(t *rapid.T) {
	for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(f.fleet))), 1, 3, rapid.ID).Draw(t, "drifting") {
		live := drawLive(t, cards)
		f.service.SetSchedule(f.fleet[id].project, id, live)
	}
}

// injectFault injects a fault.
func (f *fleetSequence) injectFault(t *rapid.T) {
	fault := emulator.Fault{
		Method: rapid.SampledFrom([]string{"PATCH", "GET"}).Draw(t, "method"), Times: rapid.SampledFrom([]int{1, 3, -1}).Draw(t, "times"),
		Skip: rapid.IntRange(0, 12).Draw(t, "skip"), Path: rapid.SampledFrom([]string{"/snapshotSchedule", "/clusters", "/backupConfigs"}).Draw(t, "path"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "fault") {
	case 0:
		fault.Status = 500
	case 1:
		fault.DropAfter = true
	case 2:
		fault.Status = 403
	default:
		fault.Truncate = 5
	}
	f.service.Inject(fault)
	f.faulty = true
}

func (f *fleetSequence) recover() {
	f.service.ClearFaults()
	f.faulty = false
}

// shows returns the clusters whose line a plan changes, or all if values are late and it doesn't know them.
// No run starts a backup, so a line that is unknown for another reason shows nothing.
func (f *fleetSequence) shows(p *providertest.Plan, late values) []string {
	if len(late) > 0 && p.Values()["clusters"] == any(unknown) {
		return slices.Collect(maps.Keys(f.fleet))
	}
	lines, _ := p.Values()["clusters"].(values)
	return slices.DeleteFunc(changedLines(p), func(id string) bool { return lines[id] == any(unknown) })
}

// asShown fails if an apply changed a cluster that the plan doesn't show, a field that the policy
// doesn't set, or shortened a retention without a warning.
func (f *fleetSequence) asShown(p *providertest.Plan, config, late values, diags providertest.Diagnostics, before map[string]object) {
	f.T.Helper()
	said := strings.Join(slices.Concat(p.Warnings(), diags.Warnings(), diags.Errors()), "\n")
	shown := f.shows(p, late)
	lines, _ := p.Values()["clusters"].(values)
	for id, is := range f.held() {
		was := before[id]
		for attribute, field := range fieldOf {
			if fmt.Sprint(was[field]) == fmt.Sprint(is[field]) || slices.Contains(f.omitted, field) {
				continue // the provider can't report fields that the server does not return
			}
			if !slices.Contains(shown, id) {
				f.T.Fatalf("%s of %s was %v and is %v, but the plan changes %v", field, id, was[field], is[field], shown)
			}
			sets := config["schedule"].(values)[attribute] != nil || slices.Contains(timeOfDay, attribute)
			isTakenAlong := config["retention_mode"] != nil && strings.Contains(said, attribute+": ") // by Ops Manager, while the policy keeps it
			if line, isKnown := lines[id].(string); isKnown && sets && !isTakenAlong && len(diags.Errors()) == 0 &&
				!slices.Contains(timeOfDay, attribute) && was[field] != nil && len(f.omitted) == 0 && !f.faulty &&
				!strings.Contains(line, fmt.Sprintf("%s %v (was %v)", attribute, is[field], was[field])) {
				f.T.Fatalf("%s of %s was %v and is %v, but the plan shows %s", field, id, was[field], is[field], line)
			}
			unanswered := f.faulty && strings.Contains(said, "may have taken effect")
			if !sets && !unanswered && !strings.Contains(said, attribute+": ") {
				f.T.Fatalf(
					"%s of %s was %v and is %v, but the policy sets %v and the diagnostics are %s", field, id, was[field], is[field],
					config["schedule"], said,
				)
			}
			if loses(attribute, was[field], is[field]) && !unanswered &&
				!strings.Contains(said, fmt.Sprintf("%s: %v -> %v", attribute, was[field], is[field])) {
				f.T.Fatalf("%s of %s changed from %v to %v, but the diagnostics are %s", field, id, was[field], is[field], said)
			}
		}
	}
}

// converge plans and applies a configuration, and checks the result. The late values are unknown
// during the plan. If meanwhile is not nil, it changes something between the plan and the apply. A
// stale plan is one without a refresh.
func (f *fleetSequence) converge(config, early, late values, meanwhile func(), stale bool) {
	f.T.Helper()
	f.Configure() // each run has its own process
	if !stale && len(f.Refresh().Errors()) > 0 {
		if !f.faulty {
			f.T.Fatalf("the refresh failed")
		}
		f.recover() // Terraform doesn't plan after a failed refresh
		return
	}
	p := f.Plan(early)
	if errors := p.Errors(); len(errors) > 0 {
		inState := !p.Prior.IsNull() && f.Attributes()["retention_protection"] == true
		isGuarded := (config["retention_protection"] != nil || inState) && isExpected(errors[0])
		isNotRaised := config["retention_mode"] != nil && saysNotReturned(errors, f.omitted)
		if !isGuarded && !isNotRaised && !f.faulty {
			f.T.Fatalf("plan: %v", errors)
		}
		if f.recover(); inState { // the way out
			f.MustRefresh()
			f.Apply(f.Plan(config.With(values{"retention_protection": false, "schedule": values{"full_incremental_day_of_week": "MONDAY"}})), nil)
		}
		return
	}
	created := p.Prior.IsNull()
	if meanwhile != nil {
		meanwhile()
	}
	before, stateBefore := f.held(), f.State
	diags := f.Apply(p, late)
	f.asShown(p, config, late, diags, before)
	if errors := diags.Errors(); len(errors) > 0 {
		if len(errors) > 1 && strings.HasPrefix(errors[0], "Unable to Apply") {
			f.T.Fatalf("want one error, got %q", errors)
		}
		if created && !f.State.IsNull() {
			f.T.Fatalf("a failed creation stored %v", f.Attributes())
		}
		if !created && f.State.IsNull() {
			f.T.Fatalf("a failed update left no state of %v", providertest.Plain(stateBefore))
		}
		isTurned := func(words string) bool { return strings.Contains(errors[0], words) }
		turned := (stale || meanwhile != nil) &&
			slices.ContainsFunc([]string{"INVALID_STATE", "NOT_FOUND", "Backed Up by Another Product", "Third-Party Backup Not Known"}, isTurned)
		if !f.faulty && !turned && !saysNotReturned(errors, f.omitted) && !isExpected(errors[0]) {
			f.T.Fatalf("apply: %v", errors)
		}
		f.recover()
		return
	}
	if f.recover(); stale || meanwhile != nil {
		return
	}
	if errors := f.Refresh().Errors(); len(errors) > 0 {
		f.T.Fatalf("refresh: %v", errors)
	}
	last := f.Plan(config)
	if !last.IsEmpty() || len(last.Errors()) > 0 {
		f.T.Fatalf("after the apply the plan changes %v %v\nstate %v", last.Changes(), last.Errors(), f.Attributes())
	}
	kept := strings.Join(last.Warnings(), "")
	for id, held := range f.held() {
		for field, want := range f.wanted(config, id) {
			isLonger := config["retention_mode"] != nil && slices.Contains(retentions, scheduleAttributes[field]) && less(number(want), held[field])
			if !isLonger && fmt.Sprint(held[field]) != fmt.Sprint(want) &&
				!slices.Contains(f.omitted, field) && !strings.Contains(kept, id) {
				f.T.Fatalf("%s of %s is %v, configured %v", field, id, held[field], want)
			}
		}
		_, isSelected := f.Attributes()["clusters"].(values)[id]
		_, isSkipped := f.Attributes()["skipped"].(values)[id]
		if managed := isSelected && !isSkipped; managed != (f.wanted(config, id) != nil) {
			f.T.Fatalf("the policy has %s: %v", id, managed)
		}
	}
}

func TestEverySequenceOfPoliciesConverges(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		e := emulator.New(emulator.Options{
			ThirdPartyBackup: true,
			Unknowns:         emulator.Unknowns{InactiveSchedule: rapid.SampledFrom([]int{409, 404, 200}).Draw(t, "response for an INACTIVE schedule")},
		})
		s := providertest.ServiceBehind(e, e)
		f := &fleetSequence{Resource: newPolicy(t, s), service: s, fleet: map[string]*fleetCluster{
			ledger:                     {project: payments, name: "ledger", status: "STARTED"},
			cards:                      {project: payments, name: "cards", status: "STARTED"},
			fraud:                      {project: payments, name: "fraud", status: "STOPPED"},
			reports:                    {project: payments, name: "reports", status: "INACTIVE"},
			orders:                     {project: payments, name: "orders", status: "STARTED", sharded: true},
			invoices:                   {project: payments, name: "invoices", status: "STOPPED", sharded: true},
			"650a22f9d3b5a7c9e1f30816": {project: analytics, name: "events", status: "STARTED"},
		}}
		s.RemoveCluster(analytics, "650a22fad3b5a7c9e1f30817") // has no status
		last := drawPolicy(t, f)
		draw := func(t *rapid.T) values {
			if rapid.Bool().Draw(t, "is another policy") {
				last = drawPolicy(t, f)
			}
			return last
		}
		t.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				config := draw(t)
				early, late := drawLateIDs(t, config)
				f.converge(config, early, late, nil, rapid.IntRange(0, 3).Draw(t, "is stale") == 0)
			},
			"apply under a fault": func(t *rapid.T) {
				config := draw(t)
				f.injectFault(t)
				f.converge(config, config, values{}, nil, false)
			},
			"apply a saved plan": func(t *rapid.T) {
				config := draw(t)
				if !f.State.IsNull() && rapid.Bool().Draw(t, "has the same selection") {
					config = f.settable().With(values{"schedule": config["schedule"]})
				}
				f.converge(config, config, values{}, func() {
					f.addCluster(t)
					f.toggleBackup(t)
					f.drift(t)
				}, false)
			},
			"drift between the last plan and its apply": func(t *rapid.T) {
				config := draw(t)
				f.converge(config, config, nil, func() { f.drift(t) }, false)
			},
			"a cluster comes": func(t *rapid.T) {
				if len(f.fleet) < mostListed {
					f.addCluster(t)
				}
			},
			"a cluster disappears":          func(t *rapid.T) { f.removeCluster(t) },
			"a cluster gets another name":   func(t *rapid.T) { f.rename(t) },
			"another product takes it over": func(t *rapid.T) { f.takeOver(t) },
			"a backup changes":              func(t *rapid.T) { f.toggleBackup(t) },
			"schedules drift":               func(t *rapid.T) { f.drift(t) },
			"fields are no longer returned, or again": func(t *rapid.T) {
				f.omitted = rapid.SampledFrom([][]string{
					nil, {"dailySnapshotRetentionDays"}, {"weeklySnapshotRetentionWeeks", "snapshotIntervalHours"},
					{"referenceMinuteOfHour"}, {"fullIncrementalDayOfWeek"},
				}).Draw(t, "omitted")
				s.OmitFields(f.omitted...)
			},
			"destroy": func(*rapid.T) {
				if f.State.IsNull() {
					return
				}
				before := fmt.Sprint(f.held())
				if errors := f.Destroy().Errors(); len(errors) > 0 {
					f.T.Fatalf("destroy: %v", errors)
				}
				if fmt.Sprint(f.held()) != before {
					f.T.Fatalf("a destroy changed a schedule")
				}
			},
		})
	})
}

// settable returns the configuration of the state.
func (f *fleetSequence) settable() values {
	config := f.Attributes()
	delete(config, "clusters")
	delete(config, "overwrites")
	delete(config, "skipped")
	return config
}

// number returns a number as a service holds it.
func number(value any) any {
	if whole, ok := value.(int); ok {
		return float64(whole)
	}
	return value
}
