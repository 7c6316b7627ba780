package providertest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Checks of a configuration, its plan and its apply.

// checkIgnoreChanges tests that an attribute in ignore_changes keeps its live value.
func checkIgnoreChanges(t *testing.T, registrations []Registration) {
	t.Helper()
	onDrifts(t, registrations, func(t *testing.T, r Registration, i int, drift map[string]any) {
		probe := r.startApplied(t)
		probe.drift(drift)
		probe.CheckRefresh()
		for _, attribute := range probe.drifted(r.Config) {
			aside := r.changesWithout(attribute)
			for j := range 2 {
				a := r.startApplied(t)
				a.IgnoreChanges = []string{attribute}
				a.drift(drift)
				a.checkConverges(With(r.Config, aside[(i+j)%len(aside)]))
			}
		}
	})
}

// checkSavedPlan tests that a saved plan changes only the fields that it shows.
func checkSavedPlan(t *testing.T, registrations []Registration) {
	t.Helper()
	onChanges(t, registrations, func(t *testing.T, r Registration, change Values) {
		changed := With(r.Config, change)
		untouched, touched := r.untouched(r.Config, changed)
		for _, drifts := range append(slices.Collect(slices.Chunk(touched, 1)), untouched) {
			savedPlan(t, r, changed, nil, drifts)
		}
	})
}

// savedPlan plans a change without a refresh and applies it, with drift before and after the plan.
func savedPlan(t *testing.T, r Registration, changed Values, before, after []map[string]any) {
	t.Helper()
	a := r.startApplied(t)
	a.drift(before...)
	p := a.checkPlanWithoutRefresh(changed)
	if p == nil {
		return
	}
	a.drift(after...)
	a.applyUnlessGuarded(p, changed)
	a.checkConverges(changed)
}

// checkPlanWithoutRefresh tests that a plan with -refresh=false changes only the fields that it
// shows.
func checkPlanWithoutRefresh(t *testing.T, registrations []Registration) {
	t.Helper()
	onChanges(t, registrations, func(t *testing.T, r Registration, change Values) {
		savedPlan(t, r, With(r.Config, change), r.Drifts, nil)
	})
}

// checkDrift tests that drift is planned and reverted.
func checkDrift(t *testing.T, registrations []Registration) {
	t.Helper()
	onDrifts(t, registrations, func(t *testing.T, r Registration, i int, drift map[string]any) {
		a := r.startApplied(t)
		a.drift(drift)
		a.checkConverges(r.Config)
		a.drift(drift)
		a.checkConverges(With(r.Config, r.Changes[i%len(r.Changes)]))
	})
}

// checkChanges tests that each registered change is applied and reverted.
func checkChanges(t *testing.T, registrations []Registration) {
	t.Helper()
	onChanges(t, registrations, func(t *testing.T, r Registration, change Values) {
		a := r.startApplied(t)
		a.checkConverges(With(r.Config, change))
		a.checkConverges(r.Config)
		removed := maps.Clone(r.Config)
		for attribute := range change {
			if !slices.Contains(r.IDs, attribute) {
				removed[attribute] = nil
			}
		}
		if a.isValid(removed) {
			a.checkConverges(removed)
		}
	})
}

// checkRemovalAfterPlan tests that an update doesn't create an object that was removed after the plan.
func checkRemovalAfterPlan(t *testing.T, registrations []Registration) {
	t.Helper()
	onChanges(t, registrations, func(t *testing.T, r Registration, change Values) {
		changed := With(r.Config, change)
		a := r.startApplied(t)
		p := a.checkPlanWithoutRefresh(changed)
		if p == nil {
			return
		}
		sends := len(differing(r.Fields(p.Values()), r.Fields(a.Attributes()))) > 0
		a.Registration.RemoveObject(a.Service, r.ID(r.Config))
		errors := a.CheckApply(p, Values{}).Errors()
		if sends && len(errors) == 0 {
			t.Errorf("the apply succeeded without an object")
		}
		if a.Attributes() == nil {
			t.Errorf("a failed update emptied the state")
		}
		if live := a.Live(r.Config); live != nil {
			t.Errorf("the object was created again: %v", live)
		}
		a.CheckRefresh()
		if r.Partial { // the plan of a policy says who has left
			if p := a.Plan(changed); p.Values() != nil || p.IsEmpty() {
				t.Errorf("the plan keeps the object: %v", p.Values())
			}
			return
		}
		WantNoState(t, a.Resource)
	})
}

// late is the value of an attribute that was unknown during the plan.
var late = []struct {
	name string
	of   func(configured, changed any) any
}{
	{"none", func(any, any) any { return nil }},
	{"what it was", func(configured, _ any) any { return configured }},
	{"something else", func(_, changed any) any { return changed }},
}

// checkLateValues tests attributes that are unknown during the plan: the apply sets the value or
// fails.
func checkLateValues(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for i, change := range sample(r, r.Changes) {
			for _, outcome := range late {
				runCase(t, fmt.Sprint(change, " turns out to be ", outcome.name), func(t *testing.T) {
					known := Values{}
					unforeseen := Values{}
					for attribute, changed := range change {
						if !slices.Contains(r.IDs, attribute) {
							known[attribute] = outcome.of(r.Config[attribute], changed)
							unforeseen[attribute] = Unknown
						}
					}
					if Sampled(i/2, 2) {
						lateUpdate(r.Start(t), r.Config, unforeseen, known)
					}
					other := r.Changes[(i+3)%len(r.Changes)]
					if !disjoint(other, change) {
						other = nil
					}
					a := r.startApplied(t)
					a.drift(r.Drifts...)
					a.CheckRefresh()
					lateUpdate(a, With(r.Config, other), unforeseen, known)
				})
			}
		}
	})
}

func disjoint(one, other Values) bool {
	for attribute := range one {
		if _, both := other[attribute]; both {
			return false
		}
	}
	return true
}

// lateUpdate plans a configuration with unknown values, and applies it when they are known. If a
// value is invalid, the apply fails without a change.
func lateUpdate(a *Trial, config, unforeseen, known Values) {
	a.T.Helper()
	p := a.checkPlanWithoutRefresh(With(config, unforeseen))
	if p == nil {
		return
	}
	held := fmt.Sprint(a.held())
	state := a.State
	final := With(config, known)
	errors := a.CheckApply(p, known).Errors()
	if len(errors) == 0 {
		a.Applied = final
		a.checkConverges(final)
		return
	}
	if fmt.Sprint(a.held()) != held {
		a.T.Fatalf("the apply failed and changed the service: %v, before %v\ndiagnostics %q", a.held(), held, errors)
	}
	if !a.State.Equal(state) {
		a.T.Fatalf("the apply failed and changed the state: %v", a.Attributes())
	}
	for attribute := range a.Registration.Secrets {
		if final[attribute] == nil { // which each request needs
			return
		}
	}
	if a.isValid(final) {
		a.checkErrors(errors, final)
	}
}
