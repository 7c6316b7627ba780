package provider_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/emulator"
)

// The conformance suite attacks every resource in the ways that Terraform,
// people and servers do. It holds each step to two laws:
//
//   - An apply changes what its plan showed, and nothing else.
//   - The next plan is empty, or shows exactly what is left to do.
//
// A resource takes part with a registration. The attacks are in the other
// conformance_*_test.go files, a group each: plans, replacements, identities,
// answers, requests, and real Terraform.

// noun is what the suite has to know about a type of resource.
type noun struct {
	typeName string

	ids []string            // the attributes that name an object, as its identity does
	id  func(values) string // the import ID of the object that attributes name

	// attributes maps each field of an object to the attribute that shows it.
	attributes map[string]string
	// fields returns what the service holds if it holds what the attributes say.
	// An unknown attribute is an unknown field, a null one is none.
	fields func(values) map[string]any
	// settings are the attributes that the service knows nothing of.
	settings []string

	// retentions are the fields that may never get lower without a warning or an
	// error that names their attribute.
	retentions []string
	// guard is the attribute that forbids to lower them, if there is one.
	guard string
	// couple returns what else a service changes that takes the wanted fields.
	couple func(held, wanted map[string]any) map[string]any

	// creatable is whether a resource can be created while the service holds
	// this: what it adopts has to exist, what it makes must not.
	creatable func(config values, live map[string]any) bool
	// pending are the answers of an API whose object may come with the same apply.
	pending map[string]answer
	// deletes is whether a destroy deletes the object, by the state of its
	// resource. Otherwise it forgets it. protects is whether a destroy is refused.
	deletes, protects func(state values) bool

	// objects are the import IDs of all objects that the attacks watch.
	objects []string
	// object returns what the service holds of an object, nil if there is none.
	object func(s *testService, id string) map[string]any
	// click changes fields of an object behind Terraform's back; nil deletes one.
	click  func(s *testService, id string, fields map[string]any)
	remove func(s *testService, id string)
	// called is what messages call an object.
	called func(id string) string
}

// registration is a resource under attack, in one of its configurations.
type registration struct {
	noun
	name    string
	options emulator.Options // of the service
	// brief is whether it is like another registration in all but how it is
	// created and destroyed, and only attacked there.
	brief bool

	config values // what is applied at first
	// changes are what a later configuration has instead: one attribute, or
	// several that belong together. Each attribute is in one of them, each
	// retention longer in one and shorter in another.
	changes []values
	// clicks are what someone changes in the console: a field each, which is
	// neither what the configuration has nor what a change makes of it. Each
	// retention is longer in one and shorter in another.
	clicks []map[string]any

	// created is whether creating the resource makes the object. Otherwise it
	// adopts one.
	created bool
	// elsewhere names another object, which exists unless this one is created.
	elsewhere values
	// spellings are other ways to name the same object.
	spellings []values
	// misspelled are import IDs that name nothing, and missing is one that could
	// name an object, but there is none.
	misspelled []string
	missing    string
}

// registrations are all resources, each in the configurations that it can have.
func registrations() []registration {
	return slices.Concat(scheduleRegistrations(), regionRegistrations())
}

// attack runs an attack on every resource that it applies to.
func attack(t *testing.T, appliesTo func(registration) bool, run func(t *testing.T, r registration)) {
	t.Helper()
	for _, r := range registrations() {
		if appliesTo(r) {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				run(t, r)
			})
		}
	}
}

// What an attack may apply to.
func every(registration) bool         { return true }
func thorough(r registration) bool    { return !r.brief }
func guarded(r registration) bool     { return r.guard != "" && r.config[r.guard] == true }
func protected(r registration) bool   { return r.protects(r.config) }
func unprotected(r registration) bool { return !protected(r) }

// exhaustive runs every case of every attack. That takes some minutes, and the
// sample that runs otherwise half a minute.
var exhaustive = flag.Bool("exhaustive", false, "run every case of the conformance suite instead of a sample")

// sampled is whether a case is in the sample, which has one of so many.
func sampled(number, of int) bool { return *exhaustive || number%of == 0 }

// isItsTurn deals the cases of a sample out to the registrations of a noun.
func (r registration) isItsTurn(number int) bool {
	var names []string
	for _, other := range registrations() {
		if other.typeName == r.typeName && thorough(other) {
			names = append(names, other.name)
		}
	}
	return *exhaustive || names[number%len(names)] == r.name
}

// sideBySide is for cases that wait most of the time: run starts one, and more of
// them run at once than there are processors. wait waits for all of them.
func sideBySide(t *testing.T) (run func(name string, test func(t *testing.T)), wait func()) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	run = func(name string, test func(t *testing.T)) {
		group.Go(func() error {
			t.Run(name, test)
			return nil
		})
	}
	return run, func() { _ = group.Wait() }
}

// with returns a configuration with some attributes changed.
func with(config values, changes ...values) values {
	changed := maps.Clone(config)
	for _, change := range changes {
		maps.Copy(changed, change)
	}
	return changed
}

// trial is one attack on one resource. It has a service of its own.
type trial struct {
	*managed
	of      registration
	service *testService
	http    *httptest.Server

	spoil   atomic.Pointer[answer] // what happens to requests, if not nil
	applied values                 // the configuration that was applied last
	meddles bool                   // the service changes what it was not asked to change
	hidden  []string               // the fields that the service leaves out of its answers
	owed    []string               // what a failed apply may have lowered, and the next refresh has to tell
	doubt   bool                   // the last apply failed, so that drift may look like a change of the configuration
}

// theSeed is what all services hold at first; each copies it.
var theSeed = sync.OnceValue(emulator.DefaultSeed)

// start starts the service. Nothing is managed yet.
func (r registration) start(t tester, cleanup func(func())) *trial {
	t.Helper()
	options := r.options
	options.Seed = theSeed()
	a := &trial{of: r, service: &testService{Emulator: emulator.New(options)}}
	server := httptest.NewServer(a)
	cleanup(func() {
		server.Close()
		server.Config.Handler = nil // a test keeps its clean-up until its parent ends, and with it the trial
	})
	a.http, a.service.URL = server, server.URL
	a.managed = openWorkspace(t, a.service, nil).resource(r.typeName)
	return a
}

// startApplied starts the service, and applies the registered configuration.
func (r registration) startApplied(t *testing.T) *trial {
	t.Helper()
	a := r.start(t, t.Cleanup)
	a.applies(r.config)
	return a
}

func (a *trial) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if spoil := a.spoil.Load(); spoil != nil && r.Header.Get("Authorization") != "" {
		(*spoil)(w, r, a.service.Emulator)
		return
	}
	a.service.Emulator.ServeHTTP(w, r)
}

// spoils has something else answer all requests from now on; nil ends it.
func (a *trial) spoils(how answer) {
	if how == nil {
		a.spoil.Store(nil)
		return
	}
	a.spoil.Store(&how)
}

// restart starts another provider: Terraform starts one for each plan and apply.
func (a *trial) restart() {
	a.t.Helper()
	server, err := providers()["opsmanager"]()
	if err != nil {
		a.t.Fatalf("serving the provider: %v", err)
	}
	a.server = server
	a.configure()
}

// held is what the service holds, by import ID.
func (a *trial) held() map[string]map[string]any {
	held := map[string]map[string]any{}
	for _, id := range a.of.objects {
		held[id] = a.of.object(a.service, id)
	}
	return held
}

// live is what the service holds of the object that a configuration names.
func (a *trial) live(config values) map[string]any {
	return a.of.object(a.service, a.of.id(config))
}

// clicks changes fields of the registered object behind Terraform's back.
func (a *trial) clicks(clicks ...map[string]any) {
	for _, fields := range clicks {
		a.of.click(a.service, a.of.id(a.of.config), fields)
	}
}

// applies runs terraform apply, and fails on any error.
func (a *trial) applies(config values) {
	a.t.Helper()
	a.refreshes()
	p := a.judged(config)
	if p == nil {
		a.t.Fatalf("%v was refused", config)
		return
	}
	if errors := a.carriesOut(p, values{}).errors(); len(errors) > 0 {
		a.t.Fatalf("apply: %q", errors)
	}
	a.applied = config
}

// refreshes starts another provider, as a terraform plan does, and refreshes.
func (a *trial) refreshes() {
	a.t.Helper()
	a.restart()
	told := a.refresh()
	if errors := told.errors(); len(errors) > 0 {
		a.t.Fatalf("refresh: %q", errors)
	}
	for _, attribute := range a.owed {
		if !a.state.IsNull() && !mention(told.warnings(), attribute) {
			a.t.Fatalf("%s got lower in an apply that failed, and neither that nor the next refresh tells: %q", attribute, told.warnings())
		}
	}
	a.owed = nil
}

// plans runs terraform plan -refresh=false. It returns nil if the plan was
// refused for a reason, and fails if there was none.
func (a *trial) plans(config values) *planned {
	a.t.Helper()
	a.restart()
	return a.judged(config)
}

func (a *trial) judged(config values) *planned {
	a.t.Helper()
	p := a.plan(config)
	a.judge(p.errors(), config)
	if len(p.errors()) > 0 {
		return nil
	}
	return p
}

// judge fails if a plan is refused without a reason, or not refused although
// there is one: the guard's, or an object that is in the way or missing.
func (a *trial) judge(errors []string, config values) {
	a.t.Helper()
	refused := a.refusals(config)
	if a.doubt && config[a.of.guard] == true && slices.ContainsFunc(a.lowered(config), func(attribute string) bool { return mention(errors, attribute) }) {
		return
	}
	for _, attribute := range refused {
		if !mention(errors, attribute) {
			a.t.Fatalf("%s gets lower although %s is set: %q", attribute, a.of.guard, errors)
		}
	}
	impossible := config != nil && a.creates(config) && !a.of.creatable(config, a.live(config))
	if impossible && len(errors) == 0 && isKnown(config) {
		a.t.Fatalf("%v cannot be created, which the plan does not say, while the service holds %v", config, a.live(config))
	}
	// Whether drift is put back depends on the guard, which has to be known for that.
	undecided := a.of.guard != "" && config[a.of.guard] == any(unknown) && mention(errors, a.of.guard)
	if len(refused) == 0 && !impossible && !undecided && len(errors) > 0 {
		a.t.Fatalf("plan: %q", errors)
	}
}

// creates reports whether a plan of a configuration creates the resource.
func (a *trial) creates(config values) bool {
	return a.state.IsNull() || a.of.id(a.attributes()) != a.of.id(config)
}

func isKnown(config values) bool {
	for _, value := range config {
		if value == any(unknown) {
			return false
		}
	}
	return true
}

// mention reports whether one of the texts has a word that is not part of another.
func mention(texts []string, word string) bool {
	return slices.ContainsFunc(texts, regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(word)+`(\W|$)`).MatchString)
}

// refusals are the retentions, as attributes, that a configuration lowers
// although it has the guard. What was applied before and has been lengthened
// behind Terraform's back is not lowered by the configuration.
func (a *trial) refusals(config values) []string {
	if config == nil {
		return nil
	}
	planned := a.asPlanned(config)
	if a.of.guard == "" || planned[a.of.guard] != true {
		return nil
	}
	known := a.of.fields(a.attributes()) // what the plan knows of the service
	if a.creates(config) {
		known = a.live(config)
	}
	wanted := a.of.fields(planned)
	var refused []string
	for _, field := range a.of.retentions {
		attribute := a.of.attributes[field]
		if lower(wanted[field], known[field]) && (a.creates(config) || text(config[attribute]) != text(a.applied[attribute])) {
			refused = append(refused, attribute)
		}
	}
	for field, value := range a.of.couple(known, differing(wanted, known)) {
		if lower(value, known[field]) && slices.Contains(a.of.retentions, field) {
			refused = append(refused, a.of.attributes[field])
		}
	}
	return refused
}

// differing are the wanted fields that are held otherwise.
func differing(wanted, held map[string]any) map[string]any {
	differ := map[string]any{}
	for field, value := range wanted {
		if text(value) != text(held[field]) {
			differ[field] = value
		}
	}
	return differ
}

// asPlanned is a configuration as Terraform plans with it: what is ignored has
// the value of the state.
func (a *trial) asPlanned(config values) values {
	planned, state := maps.Clone(config), a.attributes()
	if state == nil {
		return planned
	}
	for _, attribute := range a.ignoreChanges {
		if attribute == "all" {
			return state
		}
		planned[attribute] = state[attribute]
	}
	return planned
}

// carriesOut applies a plan in a process of its own. As Terraform does, it plans
// once more before, with the values that are known by then. It fails if the apply
// changes what the plan did not show.
func (a *trial) carriesOut(p *planned, late values) diagnostics {
	a.t.Helper()
	before, prior := a.held(), a.attributes()
	a.restart()
	told := a.apply(p, late)
	a.doubt = len(told.errors()) > 0
	a.changedAsShown(p, late, prior, before, told)
	return told
}

// changedAsShown is the first law.
func (a *trial) changedAsShown(p *planned, late, prior values, before map[string]map[string]any, told diagnostics) {
	a.t.Helper()
	made := p.values() // nil for a destroy
	if made != nil {
		made = with(made, late)
	}
	said := slices.Concat(p.warnings(), told.warnings(), told.errors())
	for _, id := range a.of.objects {
		was, is := before[id], a.of.object(a.service, id)
		making := made != nil && a.of.id(made) == id
		destroying := prior != nil && a.of.id(prior) == id && (p.replaces || made == nil)
		switch {
		case fmt.Sprint(was) == fmt.Sprint(is):
		case is == nil && destroying && a.of.deletes(prior):
			if !mention(p.warnings(), a.of.called(id)) {
				a.wantReported(id, was, told)
			}
		case was != nil && making && destroying && a.of.deletes(prior) && !a.createBeforeDestroy:
			if !mention(p.warnings(), a.of.called(id)) {
				a.wantReported(id, was, told)
			}
		case was == nil && making && p.prior.IsNull():
		case is == nil || was == nil || !making:
			a.t.Fatalf("%s was %v and is %v, which the plan did not show\ntold %q", id, was, is, said)
		default:
			a.fieldsChangedAsShown(p, late, prior, was, is, said, len(told.errors()) > 0)
		}
		if making && is != nil && len(told.errors()) == 0 {
			for field, promised := range a.shown(p, prior) {
				if promised != unknown && !slices.Contains(a.hidden, field) && text(is[field]) != text(promised) {
					a.t.Fatalf("%s of %s was planned as %v and is %v", field, id, promised, is[field])
				}
			}
		}
	}
}

// shown are the fields that a plan shows as changed, with their planned values.
func (a *trial) shown(p *planned, prior values) map[string]any {
	if p.prior.IsNull() {
		prior = values{}
	}
	return differing(a.of.fields(p.values()), a.of.fields(prior))
}

func (a *trial) fieldsChangedAsShown(p *planned, late, prior values, was, is map[string]any, said []string, failed bool) {
	a.t.Helper()
	shown := a.shown(p, prior)
	config, _ := plain(p.config).(values)
	wanted := a.of.fields(with(config, late))
	for field := range a.of.attributes {
		if text(was[field]) == text(is[field]) {
			continue
		}
		promised, isShown := shown[field]
		if promised == unknown {
			promised = wanted[field]
			if promised == nil {
				promised = a.of.couple(was, differing(wanted, was))[field]
			}
		}
		if slices.Contains(a.hidden, field) {
			continue // the provider cannot know it
		}
		if !a.meddles && (!isShown || text(promised) != text(is[field])) {
			a.t.Fatalf("%s was %v and is %v, but the plan shows %v\ntold %q", field, was[field], is[field], shown, said)
		}
		if !slices.Contains(a.of.retentions, field) || !lower(is[field], was[field]) {
			continue
		}
		switch attribute := a.of.attributes[field]; {
		case mention(said, attribute):
		case failed:
			a.owed = append(a.owed, attribute)
		default:
			a.t.Fatalf("%s went from %v to %v without a word; told %q", field, was[field], is[field], said)
		}
		if !a.meddles && a.of.guard != "" && p.values()[a.of.guard] == true {
			a.t.Fatalf("%s went from %v to %v although %s is set", field, was[field], is[field], a.of.guard)
		}
	}
}

// wantReported fails if an object was deleted without a report of what it was.
func (a *trial) wantReported(id string, was map[string]any, told diagnostics) {
	a.t.Helper()
	for field := range a.of.attributes {
		if was[field] != nil && !slices.Contains(a.hidden, field) && !mention(told.warnings(), text(was[field])) {
			a.t.Fatalf("%s was deleted, which no plan said, and its %s %v is in no warning: %q", id, field, was[field], told.warnings())
		}
	}
}

// settles is the second law: after a refresh the state is the truth, and the plan
// shows what is left to do. It returns that plan, or nil if there is a reason to
// refuse it.
func (a *trial) settles(config values) *planned {
	a.t.Helper()
	a.refreshes()
	live, state := a.live(config), a.attributes()
	switch {
	case state == nil:
		return a.judged(config)
	case a.of.id(state) != a.of.id(config):
		a.t.Fatalf("the state is of %s, configured is %s", a.of.id(state), a.of.id(config))
	case live == nil:
		a.t.Fatalf("%s is gone, and the state holds %v", a.of.id(config), state)
	}
	told := a.of.fields(state)
	for field := range a.of.attributes {
		if slices.Contains(a.hidden, field) {
			live[field] = told[field] // all that a plan can know of
		}
		if text(told[field]) != text(live[field]) {
			a.t.Fatalf("%s is %v on the service, and the state says %v", field, live[field], told[field])
		}
	}
	p := a.judged(config)
	if p == nil {
		return nil
	}
	left, kept := a.left(config, live)
	for _, attribute := range kept {
		if !mention(p.warnings(), attribute) {
			a.t.Fatalf("%s is kept longer than configured without a warning: %q", attribute, p.warnings())
		}
	}
	shown, unforeseen := a.changes(p)
	for _, field := range shown {
		if !slices.Contains(left, field) {
			a.t.Fatalf("configured %v\nheld %v\nthe plan changes %v, and what is left to do is %v", config, live, p.changes(), left)
		}
	}
	for _, field := range left {
		if !slices.Contains(shown, field) && !slices.Contains(unforeseen, field) {
			a.t.Fatalf("configured %v\nheld %v\nthe plan changes %v, and what is left to do is %v", config, live, p.changes(), left)
		}
	}
	if len(left) == 0 && !p.isEmpty() {
		a.t.Fatalf("configured %v\nheld %v\nnothing is left to do, and the plan changes %v", config, live, p.changes())
	}
	configured := a.asPlanned(config)
	for attribute, planned := range p.values() {
		if planned == any(unknown) && configured[attribute] != nil {
			a.t.Fatalf("%s is configured, and the plan does not know it", attribute)
		}
	}
	return p
}

// left are the fields and settings, sorted, in which the service and the state
// are not as configured, and the retentions that the guard keeps longer.
func (a *trial) left(config values, live map[string]any) (left, kept []string) {
	planned, state := a.asPlanned(config), a.attributes()
	for field, wanted := range differing(a.of.fields(planned), live) {
		if a.of.guard != "" && planned[a.of.guard] == true && slices.Contains(a.of.retentions, field) && lower(wanted, live[field]) {
			kept = append(kept, a.of.attributes[field])
			continue
		}
		left = append(left, field)
	}
	for _, setting := range a.of.settings {
		if text(planned[setting]) != text(state[setting]) {
			left = append(left, setting)
		}
	}
	slices.Sort(left)
	return left, kept
}

// changes are the fields and settings that a plan changes, and the fields that it
// may change.
func (a *trial) changes(p *planned) (shown, unforeseen []string) {
	prior, made := a.attributes(), p.values()
	for field, value := range a.shown(p, prior) {
		if value == any(unknown) {
			unforeseen = append(unforeseen, field)
		} else {
			shown = append(shown, field)
		}
	}
	for _, setting := range a.of.settings {
		if text(prior[setting]) != text(made[setting]) {
			shown = append(shown, setting)
		}
	}
	return shown, unforeseen
}

// converges fails if a configuration cannot be applied until nothing is left.
func (a *trial) converges(config values) {
	a.t.Helper()
	p := a.settles(config)
	if p == nil {
		return
	}
	if !p.isEmpty() {
		if errors := a.carriesOut(p, values{}).errors(); len(errors) > 0 {
			a.t.Fatalf("apply: %q", errors)
		}
	}
	a.applied = config
	if p := a.settles(config); p == nil || !p.isEmpty() {
		a.t.Fatalf("after an apply the plan is not empty: %v", p)
	}
}

// text is how a value of the state and one of the service compare.
func text(value any) string { return fmt.Sprint(value) }

func lower(wanted, held any) bool {
	a, isNumber := number(wanted)
	b, wasNumber := number(held)
	return isNumber && wasNumber && a < b
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
