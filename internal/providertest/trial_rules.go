package providertest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// The rules that each trial checks: an apply makes only the changes that its plan showed, the next
// plan shows exactly what is left, the objects of others stay as they are, and a plan fails only
// for a valid reason.

// CheckForeign checks the third rule: the provider neither changes nor deletes what is unconfirmed
// to be its own, so the objects of others are as they were.
func (a *Trial) CheckForeign() {
	a.T.Helper()
	was, is := fmt.Sprint(a.foreign), fmt.Sprint(a.heldForeign())
	if was != is {
		a.T.Fatalf("the objects of others were %s and are %s", was, is)
	}
}

// checkShown checks the first rule: an apply makes only the changes that its plan showed.
func (a *Trial) checkShown(p *Plan, late, prior Values, before map[string]map[string]any, diags Diagnostics) {
	a.T.Helper()
	made := p.Values() // nil for a destroy
	if made != nil {
		made = With(made, late)
	}
	messages := slices.Concat(p.Warnings(), diags.Warnings(), diags.Errors())
	for _, id := range a.Registration.Objects {
		was := before[id]
		is := a.Registration.Object(a.Service, id)
		making := made != nil && a.Registration.ID(made) == id
		isKept := mention(diags.Warnings(), "Not Deleted")
		destroying := prior != nil && a.Registration.ID(prior) == id && (p.Replaces || made == nil) && !isKept
		switch {
		case fmt.Sprint(was) == fmt.Sprint(is):
		case is == nil && destroying && a.Registration.Deletes(prior):
			if !mention(p.Warnings(), a.Registration.Label(id)) {
				a.wantReported(id, was, diags)
			}
		case was != nil && making && destroying && a.Registration.Deletes(prior) && !a.CreateBeforeDestroy:
			if !mention(p.Warnings(), a.Registration.Label(id)) {
				a.wantReported(id, was, diags)
			}
		case was == nil && making && p.Prior.IsNull():
		case is == nil || was == nil || !making:
			a.T.Fatalf("%s was %v and is %v, which the plan did not show\ndiagnostics %q", id, was, is, messages)
		default:
			a.checkFieldChanges(p, late, prior, was, is, messages, len(diags.Errors()) > 0)
		}
		if making && is != nil && len(diags.Errors()) == 0 {
			for field, promised := range a.shown(p, prior) {
				reported := a.Unrequested && mention(diags.Warnings(), a.Registration.Attributes[field])
				if promised != Unknown && !slices.Contains(a.Hidden, field) && text(is[field]) != text(promised) && !reported {
					a.T.Fatalf("%s of %s is %v, planned %v", field, id, is[field], promised)
				}
			}
		}
	}
}

func (a *Trial) checkFieldChanges(p *Plan, late, prior Values, was, is map[string]any, messages []string, failed bool) {
	a.T.Helper()
	shown := a.shown(p, prior)
	wanted := a.Registration.Fields(With(a.flat(p.Config), late))
	for field := range a.Registration.Attributes {
		if text(was[field]) == text(is[field]) {
			continue
		}
		promised, isShown := shown[field]
		name := cmp.Or(a.Registration.Parts[a.Registration.Attributes[field]], a.Registration.Attributes[field])
		// A live value that the state does not have.
		overwrites, _ := p.Values()["overwrites"].(Values)
		if !isShown && overwrites[name] != nil {
			promised = a.Registration.Fields(p.Values())[field]
			isShown = true
		}
		if promised == Unknown {
			promised = wanted[field]
			if promised == nil {
				promised = a.Registration.Coupled(was, differing(wanted, was))[field]
			}
		}
		if slices.Contains(a.Hidden, field) {
			continue // the provider cannot know it
		}
		if !a.Unrequested && (!isShown || text(promised) != text(is[field])) {
			a.T.Fatalf("%s was %v and is %v, but the plan shows %v\ndiagnostics %q", field, was[field], is[field], shown, messages)
		}
		if !a.Registration.loses(field, was[field], is[field]) {
			continue
		}
		switch attribute := a.Registration.Attributes[field]; {
		case mention(messages, attribute):
		case failed:
			a.unreported = append(a.unreported, attribute)
		default:
			a.T.Fatalf("%s changed from %v to %v, and no diagnostic reports it: %q", field, was[field], is[field], messages)
		}
		if !a.Unrequested && a.guards(p.Values(), prior) {
			a.T.Fatalf("%s changed from %v to %v although %s is set", field, was[field], is[field], a.Registration.Guard)
		}
	}
}

// wantReported fails if no warning has the fields of a deleted object.
func (a *Trial) wantReported(id string, was map[string]any, diags Diagnostics) {
	a.T.Helper()
	for field := range a.Registration.Attributes {
		if was[field] == nil || slices.Contains(a.Hidden, field) {
			continue
		}
		values, isList := was[field].([]any)
		if !isList {
			values = []any{was[field]}
		}
		for _, value := range values {
			if !mention(diags.Warnings(), text(value)) {
				a.T.Fatalf("%s was deleted, the plan did not show it, and its %s %v is in no warning: %q", id, field, value, diags.Warnings())
			}
		}
	}
}

// shown returns the fields that a plan shows as changed, with their planned values.
func (a *Trial) shown(p *Plan, prior Values) map[string]any {
	if p.Prior.IsNull() || a.Registration.ID(prior) != a.Registration.ID(p.Values()) {
		prior = Values{}
	}
	return differing(a.Registration.Fields(p.Values()), a.Registration.Fields(prior))
}

// CheckSettled checks the second rule: after a refresh, the state agrees with the service, and the
// plan shows exactly the changes that are left. It returns that plan, or nil if the plan fails for
// a valid reason.
func (a *Trial) CheckSettled(config Values) *Plan {
	a.T.Helper()
	a.CheckRefresh()
	live := a.Live(config)
	state := a.Attributes()
	switch {
	case state == nil:
		return a.CheckPlan(config)
	case a.Registration.ID(state) != a.Registration.ID(config):
		a.T.Fatalf("the state has %s, configured is %s", a.Registration.ID(state), a.Registration.ID(config))
	case live == nil:
		a.T.Fatalf("%s is gone, and the state holds %v", a.Registration.ID(config), state)
	}
	stored := a.Registration.Fields(state)
	for field, attribute := range a.Registration.Attributes {
		unmanaged := a.Registration.Partial && state[attribute] == nil
		ofOthers := slices.Contains(a.Registration.OwnElements, field) && text(shared(stored[field], live[field])) == text(stored[field])
		if slices.Contains(a.Hidden, field) || unmanaged || ofOthers {
			live[field] = stored[field] // a plan cannot know this
		}
		if text(stored[field]) != text(live[field]) {
			a.T.Fatalf("%s is %v on the service, and %v in the state", field, live[field], stored[field])
		}
	}
	p := a.CheckPlan(config)
	if p == nil {
		return nil
	}
	left := a.left(config, live)
	shown, unforeseen := a.changes(p)
	for _, field := range shown {
		if !slices.Contains(left, field) {
			a.T.Fatalf("configured %v\nheld %v\nthe plan changes %v, and what is left to do is %v", config, live, p.Changes(), left)
		}
	}
	for _, field := range left {
		if !slices.Contains(shown, field) && !slices.Contains(unforeseen, field) {
			a.T.Fatalf("configured %v\nheld %v\nthe plan changes %v, and what is left to do is %v", config, live, p.Changes(), left)
		}
	}
	isSpelling := !p.IsEmpty() && !slices.ContainsFunc(p.Changes(), func(attribute string) bool {
		return a.Registration.Parts[attribute] == ""
	})
	if len(left) == 0 && !p.IsEmpty() && !isSpelling && !a.forgets(config) {
		a.T.Fatalf("configured %v\nheld %v\nnothing is left to do, and the plan changes %v", config, live, p.Changes())
	}
	configured := a.asPlanned(config)
	for attribute, planned := range p.Values() {
		if planned == any(Unknown) && configured[attribute] != nil {
			a.T.Fatalf("%s is configured, and the plan does not know it", attribute)
		}
	}
	return p
}

// forgets reports whether the state has a field that is no longer configured, and that leaves
// the state with the next apply.
func (a *Trial) forgets(config Values) bool {
	wanted := a.Registration.Fields(config)
	for field := range a.Registration.Fields(a.Attributes()) {
		if a.Registration.Partial && wanted[field] == nil {
			return true
		}
	}
	return false
}

// left returns the sorted fields and settings that still differ from the configuration.
func (a *Trial) left(config Values, live map[string]any) (left []string) {
	planned := a.asPlanned(config)
	state := a.Attributes()
	for field := range differing(a.Registration.Fields(planned), live) {
		left = append(left, field)
	}
	for _, setting := range a.Registration.Settings {
		if text(planned[setting]) != text(state[setting]) {
			left = append(left, setting)
		}
	}
	slices.Sort(left)
	return left
}

// changes returns the fields and settings that a plan changes, and the fields that it may change.
func (a *Trial) changes(p *Plan) (shown, unforeseen []string) {
	prior := a.Attributes()
	made := p.Values()
	for field, value := range a.shown(p, prior) {
		if value == any(Unknown) {
			unforeseen = append(unforeseen, field)
		} else {
			shown = append(shown, field)
		}
	}
	for _, setting := range a.Registration.Settings {
		if text(prior[setting]) != text(made[setting]) {
			shown = append(shown, setting)
		}
	}
	return shown, unforeseen
}

// checkErrors fails if a plan has an error without a valid reason, or has no error despite one.
// Reasons are the guard, an object that exists already, and one that is missing.
func (a *Trial) checkErrors(errors []string, config Values) {
	a.T.Helper()
	refused := a.preventedDecreases(config)
	if a.applyFailed && a.guards(config, a.Attributes()) && slices.ContainsFunc(a.decreased(config), func(attribute string) bool {
		return mention(errors, attribute)
	}) {
		return
	}
	for _, attribute := range refused {
		if !mention(errors, attribute) {
			a.T.Fatalf("the plan decreases %s although %s is set: %q", attribute, a.Registration.Guard, errors)
		}
	}
	impossible := config != nil && a.creates(config) && !a.Registration.Creatable(config, a.Live(config))
	if impossible && len(errors) == 0 && isKnown(config) {
		a.T.Fatalf("%v cannot be created, and the plan does not report it; the service holds %v", config, a.Live(config))
	}
	if len(refused) == 0 && !impossible && len(errors) > 0 {
		a.T.Fatalf("plan: %q", errors)
	}
}

// guards reports whether a plan may not decrease a retention. The guard of the state counts as well.
func (a *Trial) guards(planned, state Values) bool {
	guard := a.Registration.Guard
	return guard != "" && (planned[guard] == true || state[guard] == true)
}

// preventedDecreases returns the attributes of the retentions that a guarded configuration
// decreases.
func (a *Trial) preventedDecreases(config Values) []string {
	if config == nil {
		return nil
	}
	planned := a.asPlanned(config)
	if !a.guards(planned, a.Attributes()) {
		return nil
	}
	known := a.Registration.Fields(a.Attributes()) // the values that the plan knows
	if a.creates(config) {
		known = a.Live(config)
	}
	wanted := a.Registration.Fields(planned)
	var refused []string
	for field, value := range wanted {
		attribute := a.Registration.Attributes[field]
		if a.Registration.loses(field, known[field], value) {
			refused = append(refused, attribute)
		}
	}
	for field, value := range a.Registration.Coupled(known, differing(wanted, known)) {
		if a.Registration.loses(field, known[field], value) {
			refused = append(refused, a.Registration.Attributes[field])
		}
	}
	return refused
}

// decreased returns the attributes of the retentions that are shorter in a configuration than
// in the service.
func (a *Trial) decreased(config Values) []string {
	live := a.Live(config)
	wanted := differing(a.Registration.Fields(config), live)
	for field, value := range a.Registration.Coupled(live, wanted) {
		wanted[field] = value
	}
	var decreased []string
	for field, value := range wanted {
		if a.Registration.loses(field, live[field], value) {
			decreased = append(decreased, a.Registration.Attributes[field])
		}
	}
	return decreased
}

// creates reports whether a plan of a configuration creates the resource.
func (a *Trial) creates(config Values) bool {
	return a.Attributes() == nil || a.Registration.ID(a.Attributes()) != a.Registration.ID(config)
}

// asPlanned returns a configuration as Terraform plans with it: ignored attributes have the values
// of the state.
func (a *Trial) asPlanned(config Values) Values {
	planned := maps.Clone(config)
	state := a.Attributes()
	if state == nil {
		return planned
	}
	for _, attribute := range a.IgnoreChanges {
		if attribute == "all" {
			return state
		}
		planned[attribute] = state[attribute]
	}
	return planned
}

// drifted returns the configured attributes that differ in the state, sorted.
func (a *Trial) drifted(config Values) []string {
	var drifted []string
	state := a.Attributes()
	for attribute, wanted := range config {
		if wanted != nil && text(state[attribute]) != text(wanted) {
			drifted = append(drifted, attribute)
		}
	}
	slices.Sort(drifted)
	return drifted
}

func isKnown(config Values) bool {
	for _, value := range config {
		if value == any(Unknown) {
			return false
		}
	}
	return true
}

func (a *Trial) isValid(config Values) bool {
	a.T.Helper()
	validated := &Plan{of: a.Resource}
	a.validate(validated, a.nested(config))
	return len(validated.Errors()) == 0
}

// mention reports whether one of the texts contains a whole word.
func mention(texts []string, word string) bool {
	return slices.ContainsFunc(texts, regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(word)+`(\W|$)`).MatchString)
}

// differing returns the wanted fields whose held values differ.
func differing(wanted, held map[string]any) map[string]any {
	differ := map[string]any{}
	for field, value := range wanted {
		if text(value) != text(held[field]) {
			differ[field] = value
		}
	}
	return differ
}

// text returns the form in which values of the state and of the service are compared.
func text(value any) string { return fmt.Sprint(value) }

func lower(wanted, held any) bool {
	a, isNumber := Number(wanted)
	b, wasNumber := Number(held)
	return isNumber && wasNumber && a < b
}

// Number returns a number of the state, or of the service.
func Number(value any) (float64, bool) {
	switch n := value.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
