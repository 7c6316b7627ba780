package provider_test

import (
	"fmt"
	"slices"
	"testing"
)

// Attacks with replacements and destroys.

// replacement is a way to have a resource replaced.
type replacement struct {
	name string
	plan func(a *trial, config values) *planned
}

var replacements = []replacement{
	{"by -replace", func(a *trial, config values) *planned { return a.planReplacement(config) }},
	{"of a tainted one", func(a *trial, config values) *planned {
		a.tainted = true
		return a.plan(config)
	}},
}

// whichever runs a test with and without create_before_destroy.
func whichever(t *testing.T, run func(t *testing.T, createBeforeDestroy bool)) {
	t.Helper()
	for _, first := range []bool{false, true} {
		t.Run(fmt.Sprintf("create_before_destroy %v", first), func(t *testing.T) {
			t.Parallel()
			run(t, first)
		})
	}
}

// wantPreview fails if the plan of a creation does not say what it overwrites.
func (a *trial) wantPreview(p *planned, config values) {
	a.t.Helper()
	live := a.live(config)
	if live == nil {
		return
	}
	for field, wanted := range differing(a.of.fields(config), live) {
		if wanted != unknown && !mention(p.warnings(), a.of.attributes[field]) {
			a.t.Fatalf("%s: %v -> %v is in no warning of the plan: %q", field, live[field], wanted, p.warnings())
		}
	}
}

func TestTheFirstPlanSaysWhatItOverwrites(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		for _, change := range append(r.changes, values{}) {
			a := r.start(t, t.Cleanup)
			config := with(r.config, change)
			if p := a.plans(config); p != nil {
				a.wantPreview(p, config)
			}
		}
	})
}

func TestAnotherIDReplacesAsThePlanSays(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		whichever(t, func(t *testing.T, createBeforeDestroy bool) {
			a := r.startApplied(t)
			a.createBeforeDestroy = createBeforeDestroy
			config := with(r.config, r.elsewhere)
			a.refreshes()
			p := a.plan(config)
			if protected(r) {
				if len(p.errors()) == 0 {
					t.Errorf("a protected object is replaced: %q", p.warnings())
				}
				return
			}
			a.judge(p.errors(), config)
			if len(p.errors()) > 0 {
				return
			}
			a.wantPreview(p, config)
			if errors := a.carriesOut(p, values{}).errors(); len(errors) > 0 {
				t.Fatalf("apply: %q", errors)
			}
			a.applied = config
			a.converges(config)
		})
	})
}

// A replacement to what cannot be created must not destroy what is there.
func TestAReplacementThatCannotSucceedDestroysNothing(t *testing.T) {
	t.Parallel()
	attack(t, unprotected, func(t *testing.T, r registration) {
		whichever(t, func(t *testing.T, createBeforeDestroy bool) {
			a := r.startApplied(t)
			a.createBeforeDestroy = createBeforeDestroy
			config := with(r.config, r.elsewhere)
			if r.created {
				r.click(a.service, r.id(config), a.live(r.config))
			} else {
				r.remove(a.service, r.id(config))
			}
			if r.creatable(config, a.live(config)) {
				return
			}
			a.refreshes()
			p := a.plan(config)
			if len(p.errors()) == 0 && r.deletes(r.config) {
				t.Errorf("%s would be destroyed, and %s cannot be created", r.id(r.config), r.id(config))
			}
		})
	})
}

func TestAReplacementWithoutAChangeKeepsOrReportsTheObject(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		for _, how := range replacements {
			t.Run(how.name, func(t *testing.T) {
				t.Parallel()
				whichever(t, func(t *testing.T, createBeforeDestroy bool) {
					for _, change := range []values{{}, r.changes[0]} {
						replaceInPlace(t, r, how, createBeforeDestroy, with(r.config, change))
					}
				})
			})
		}
	})
}

func replaceInPlace(t *testing.T, r registration, how replacement, createBeforeDestroy bool, config values) {
	t.Helper()
	a := r.startApplied(t)
	a.createBeforeDestroy = createBeforeDestroy
	held := fmt.Sprint(a.live(r.config))
	a.refreshes()
	p := how.plan(a, config)
	if len(p.errors()) > 0 {
		if fmt.Sprint(a.live(r.config)) != held {
			t.Errorf("a plan changed the object")
		}
		return
	}
	told := a.carriesOut(p, values{})
	live := a.live(r.config)
	if protected(r) && live == nil {
		t.Errorf("a protected object was deleted: %q", told.warnings())
	}
	if createBeforeDestroy && live == nil {
		t.Errorf("the object that was created is deleted: %q", told.warnings())
	}
	if a.stranded {
		t.Fatalf("the last plan of a replacement failed, which leaves its object deposed: %q", told.errors())
	}
	if len(told.errors()) > 0 {
		return
	}
	if live == nil {
		t.Fatalf("the apply succeeded, and there is no object: %q", told.warnings())
	}
	a.applied = config
	a.converges(config)
}

// What the guard refuses to an update it refuses to a replacement as well.
func TestTheGuardHoldsInReplacements(t *testing.T) {
	t.Parallel()
	attack(t, guarded, func(t *testing.T, r registration) {
		for _, change := range r.changes {
			for _, how := range replacements {
				t.Run(fmt.Sprint(change, " ", how.name), func(t *testing.T) {
					t.Parallel()
					a := r.startApplied(t)
					config := with(r.config, change)
					a.refreshes()
					p := how.plan(a, config)
					for _, attribute := range a.lowered(config) {
						if config[r.guard] == true && !mention(p.errors(), attribute) {
							t.Errorf("%s gets lower although %s is set: %q", attribute, r.guard, p.errors())
						}
					}
				})
			}
		}
	})
}

// lowered are the retentions, as attributes, that a configuration has shorter
// than the service.
func (a *trial) lowered(config values) []string {
	live := a.live(config)
	wanted := differing(a.of.fields(config), live)
	for field, value := range a.of.couple(live, wanted) {
		wanted[field] = value
	}
	var lowered []string
	for field, value := range wanted {
		if slices.Contains(a.of.retentions, field) && lower(value, live[field]) {
			lowered = append(lowered, a.of.attributes[field])
		}
	}
	return lowered
}

// A guarded resource whose retentions were lengthened in the console plans and
// is destroyed as any other.
func TestTheGuardKeepsWhatWasLengthened(t *testing.T) {
	t.Parallel()
	attack(t, guarded, func(t *testing.T, r registration) {
		for _, click := range r.clicks {
			t.Run(fmt.Sprint(click), func(t *testing.T) {
				t.Parallel()
				a := r.startApplied(t)
				a.clicks(click)
				held := fmt.Sprint(a.live(r.config))
				lengthened := len(a.lowered(r.config)) > 0
				a.settles(r.config)
				for _, change := range r.changes {
					config := with(r.config, change)
					if lengthened && len(a.refusals(config)) == 0 {
						a.settles(config)
					}
				}
				a.converges(r.config)
				if lengthened && fmt.Sprint(a.live(r.config)) != held {
					t.Errorf("the service holds %v, and held %s", a.live(r.config), held)
				}
				if errors := a.destroy().errors(); len(errors) > 0 {
					t.Errorf("destroy: %q", errors)
				}
			})
		}
	})
}

func TestADestroyDoesWhatItsPlanSays(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		for _, clicked := range []bool{false, true} {
			a := r.startApplied(t)
			if clicked {
				a.clicks(r.clicks...)
			}
			a.refreshes()
			p := a.plan(nil)
			if protected(r) {
				if len(p.errors()) == 0 {
					t.Errorf("a protected object is destroyed: %q", p.warnings())
				}
				continue
			}
			if len(p.errors()) > 0 || !mention(p.warnings(), r.called(r.id(r.config))) {
				t.Errorf("told %q %q", p.errors(), p.warnings())
			}
			if errors := a.carriesOut(p, nil).errors(); len(errors) > 0 {
				t.Errorf("destroy: %q", errors)
			}
			wantNothing(t, a.managed)
			if exists := a.live(r.config) != nil; exists == r.deletes(r.config) {
				t.Errorf("the object exists: %v", exists)
			}
		}
	})
}

func TestAnObjectThatIsGoneIsDestroyedWithoutAnError(t *testing.T) {
	t.Parallel()
	attack(t, unprotected, func(t *testing.T, r registration) {
		a := r.startApplied(t)
		a.restart()
		p := a.plan(nil)
		r.remove(a.service, r.id(r.config))
		if errors := a.carriesOut(p, nil).errors(); len(errors) > 0 {
			t.Errorf("destroy: %q", errors)
		}
		wantNothing(t, a.managed)
	})
}
