package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Attacks on a configuration, its plan and its apply.

// aside returns the registered changes that have nothing to do with an attribute.
func (r registration) aside(attribute string) []values {
	return slices.DeleteFunc(slices.Clone(r.changes), func(change values) bool {
		_, touches := change[attribute]
		return touches
	})
}

// untouched returns the clicks on fields that two configurations agree about, and
// the clicks on the other ones.
func (r registration) untouched(config, changed values) (untouched, touched []map[string]any) {
	before, after := r.fields(config), r.fields(changed)
	for _, click := range r.clicks {
		same := true
		for field := range click {
			same = same && text(before[field]) == text(after[field])
		}
		if same {
			untouched = append(untouched, click)
		} else {
			touched = append(touched, click)
		}
	}
	return untouched, touched
}

// drifted returns the configured attributes that the state has otherwise, sorted.
func (a *trial) drifted(config values) []string {
	var drifted []string
	state := a.attributes()
	for attribute, wanted := range config {
		if wanted != nil && text(state[attribute]) != text(wanted) {
			drifted = append(drifted, attribute)
		}
	}
	slices.Sort(drifted)
	return drifted
}

func TestAnIgnoredAttributeStaysAsItWasClicked(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for i, click := range r.clicks {
			t.Run(fmt.Sprint(click), func(t *testing.T) {
				t.Parallel()
				probe := r.startApplied(t)
				probe.clicks(click)
				probe.refreshes()
				for _, attribute := range probe.drifted(r.config) {
					aside := r.aside(attribute)
					for j := range 2 {
						a := r.startApplied(t)
						a.ignoreChanges = []string{attribute}
						a.clicks(click)
						a.converges(with(r.config, aside[(i+j)%len(aside)]))
					}
				}
			})
		}
	})
}

func TestIgnoringAllAttributesPlansNothing(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		a := r.startApplied(t)
		a.ignoreChanges = []string{"all"}
		a.clicks(r.clicks...)
		held := fmt.Sprint(a.held())
		for _, change := range r.changes {
			a.converges(with(r.config, change))
		}
		if fmt.Sprint(a.held()) != held {
			t.Errorf("the service holds %v, and held %v", a.held(), held)
		}
	})
}

func TestASavedPlanLeavesAloneWhatItDoesNotShow(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for _, change := range r.changes {
			t.Run(fmt.Sprint(change), func(t *testing.T) {
				t.Parallel()
				changed := with(r.config, change)
				untouched, touched := r.untouched(r.config, changed)
				for _, clicks := range append(eachOf(touched), untouched) {
					savedPlan(t, r, changed, clicks)
				}
			})
		}
	})
}

func TestEachFieldMayChangeBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for i, click := range r.clicks {
			t.Run(fmt.Sprint(click), func(t *testing.T) {
				t.Parallel()
				savedPlan(t, r, with(r.config, r.changes[i%len(r.changes)]), []map[string]any{click})
			})
		}
	})
}

// eachOf makes a list of each one.
func eachOf[T any](all []T) [][]T {
	var lists [][]T
	for _, one := range all {
		lists = append(lists, []T{one})
	}
	return lists
}

func savedPlan(t *testing.T, r registration, changed values, clicks []map[string]any) {
	t.Helper()
	a := r.startApplied(t)
	p := a.plans(changed)
	if p == nil {
		return
	}
	a.clicks(clicks...)
	a.carriesOutOrIsRefused(p, changed)
	a.converges(changed)
}

// carriesOutOrIsRefused applies a plan, which only the guard may refuse.
func (a *trial) carriesOutOrIsRefused(p *planned, config values) {
	a.t.Helper()
	guards := a.of.guard != "" && p.values()[a.of.guard] == true
	errors := a.carriesOut(p, values{}).errors()
	switch {
	case len(errors) == 0:
		a.applied = config
	case !guards || !slices.ContainsFunc(a.of.retentions, func(field string) bool { return mention(errors, a.of.attributes[field]) }):
		a.t.Fatalf("apply: %q", errors)
	}
}

func TestAPlanWithoutARefreshLeavesAloneWhatItDoesNotShow(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for _, change := range r.changes {
			t.Run(fmt.Sprint(change), func(t *testing.T) {
				t.Parallel()
				changed := with(r.config, change)
				a := r.startApplied(t)
				a.clicks(r.clicks...)
				p := a.plans(changed)
				if p == nil {
					return
				}
				a.carriesOutOrIsRefused(p, changed)
				a.converges(changed)
			})
		}
	})
}

func TestDriftIsPlannedAndUndone(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for i, click := range r.clicks {
			t.Run(fmt.Sprint(click), func(t *testing.T) {
				t.Parallel()
				a := r.startApplied(t)
				a.clicks(click)
				a.converges(r.config)
				a.clicks(click)
				a.converges(with(r.config, r.changes[i%len(r.changes)]))
			})
		}
	})
}

func TestEachChangeIsAppliedAndTakenBack(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for _, change := range r.changes {
			t.Run(fmt.Sprint(change), func(t *testing.T) {
				t.Parallel()
				a := r.startApplied(t)
				a.converges(with(r.config, change))
				a.converges(r.config)
				removed := maps.Clone(r.config)
				for attribute := range change {
					if !slices.Contains(r.ids, attribute) {
						removed[attribute] = nil
					}
				}
				if a.isValid(removed) {
					a.converges(removed)
				}
			})
		}
	})
}

func TestAnObjectThatGoesBetweenPlanAndApplyIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for _, change := range r.changes {
			t.Run(fmt.Sprint(change), func(t *testing.T) {
				t.Parallel()
				changed := with(r.config, change)
				a := r.startApplied(t)
				p := a.plans(changed)
				if p == nil {
					return
				}
				sends := len(differing(r.fields(p.values()), r.fields(a.attributes()))) > 0
				a.of.remove(a.service, r.id(r.config))
				if errors := a.carriesOut(p, values{}).errors(); sends && len(errors) == 0 {
					t.Errorf("the apply succeeded without an object")
				}
				if a.attributes() == nil {
					t.Errorf("a failed update emptied the state")
				}
				if live := a.live(r.config); live != nil {
					t.Errorf("the object is there again: %v", live)
				}
				a.refreshes()
				wantNothing(t, a.managed)
			})
		}
	})
}

// late is what becomes of an attribute that the plan did not know.
var late = []struct {
	name string
	of   func(configured, changed any) any
}{
	{"none", func(any, any) any { return nil }},
	{"what it was", func(configured, _ any) any { return configured }},
	{"something else", func(_, changed any) any { return changed }},
}

func TestAValueThatIsKnownLateIsAppliedOrRefused(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for i, change := range r.changes {
			for _, outcome := range late {
				t.Run(fmt.Sprint(change, " turns out to be ", outcome.name), func(t *testing.T) {
					t.Parallel()
					known, unforeseen := values{}, values{}
					for attribute, changed := range change {
						if !slices.Contains(r.ids, attribute) {
							known[attribute] = outcome.of(r.config[attribute], changed)
							unforeseen[attribute] = unknown
						}
					}
					if sampled(i, 2) {
						lateUpdate(r.start(t, t.Cleanup), r.config, unforeseen, known)
					}
					other := r.changes[(i+3)%len(r.changes)]
					if !disjoint(other, change) {
						other = nil
					}
					a := r.startApplied(t)
					a.clicks(r.clicks...)
					a.refreshes()
					lateUpdate(a, with(r.config, other), unforeseen, known)
				})
			}
		}
	})
}

func disjoint(one, other values) bool {
	for attribute := range one {
		if _, both := other[attribute]; both {
			return false
		}
	}
	return true
}

// lateUpdate plans a configuration that is not all known, and applies it when it
// is. What only then turns out to be wrong is refused, and changes nothing.
func lateUpdate(a *trial, config, unforeseen, known values) {
	a.t.Helper()
	p := a.plans(with(config, unforeseen))
	if p == nil {
		return
	}
	held, state := fmt.Sprint(a.held()), a.state
	final := with(config, known)
	errors := a.carriesOut(p, known).errors()
	if len(errors) == 0 {
		a.applied = final
		a.converges(final)
		return
	}
	if fmt.Sprint(a.held()) != held {
		a.t.Fatalf("what was refused was applied: %v, before %v\ntold %q", a.held(), held, errors)
	}
	if !a.state.Equal(state) {
		a.t.Fatalf("what was refused is in the state: %v", a.attributes())
	}
	if a.isValid(final) {
		a.judge(errors, final)
	}
}

func (a *trial) isValid(config values) bool {
	a.t.Helper()
	validated := &planned{}
	a.validate(validated, a.value(a.managed.schema, config))
	return len(validated.errors()) == 0
}
