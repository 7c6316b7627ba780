package providertest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
)

// Checks with replacements and destroys.

// replacement is a way to replace a resource.
type replacement struct {
	name string
	plan func(a *Trial, config Values) *Plan
}

var replacements = []replacement{
	{"with -replace", func(a *Trial, config Values) *Plan { return a.PlanReplacement(config) }},
	{"because it is tainted", func(a *Trial, config Values) *Plan {
		a.Tainted = true
		return a.Plan(config)
	}},
}

// eachOrder runs a test with and without create_before_destroy.
func eachOrder(t *testing.T, run func(t *testing.T, createBeforeDestroy bool)) {
	t.Helper()
	for _, first := range []bool{false, true} {
		runCase(t, fmt.Sprintf("create_before_destroy %v", first), func(t *testing.T) {
			run(t, first)
		})
	}
}

// wantPreview fails if the plan of a creation does not show which values it overwrites.
func (a *Trial) wantPreview(p *Plan, config Values) {
	a.T.Helper()
	live := a.Live(config)
	if live == nil {
		return
	}
	overwrites, _ := p.Values()["overwrites"].(Values)
	for field, wanted := range differing(a.Registration.Fields(config), live) {
		attribute := a.Registration.Attributes[field]
		name := cmp.Or(a.Registration.Parts[attribute], attribute)
		if wanted != Unknown && overwrites[name] == nil && !mention(p.Warnings(), name) {
			a.T.Fatalf("%s: %v -> %v is in no warning of the plan, and not in overwrites, %v: %q", field, live[field], wanted, overwrites, p.Warnings())
		}
	}
}

// checkPreview tests that the plan of a creation shows which values it overwrites.
func checkPreview(t *testing.T, registrations []Registration) {
	t.Helper()
	runEachInBubble(t, registrations, every, func(t *testing.T, r Registration) {
		for _, change := range slices.Concat(r.Changes, []Values{{}}) {
			a := r.Start(t)
			config := With(r.Config, change)
			if p := a.checkPlanWithoutRefresh(config); p != nil {
				a.wantPreview(p, config)
			}
		}
	})
}

// checkReplacement tests that a replacement with a different ID does what its plan shows.
func checkReplacement(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, every, func(t *testing.T, r Registration) {
		eachOrder(t, func(t *testing.T, createBeforeDestroy bool) {
			a := r.startApplied(t)
			a.CreateBeforeDestroy = createBeforeDestroy
			config := With(r.Config, r.Elsewhere)
			a.CheckRefresh()
			p := a.Plan(config)
			if protected(r) {
				if len(p.Errors()) == 0 {
					t.Errorf("the plan replaces a protected object: %q", p.Warnings())
				}
				return
			}
			a.checkErrors(p.Errors(), config)
			if len(p.Errors()) > 0 {
				return
			}
			a.wantPreview(p, config)
			a.apply(p, config)
			a.checkConverges(config)
		})
	})
}

// checkImpossibleReplacement tests that a replacement destroys nothing if the new object cannot be
// created.
func checkImpossibleReplacement(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, unprotected, func(t *testing.T, r Registration) {
		eachOrder(t, func(t *testing.T, createBeforeDestroy bool) {
			a := r.startApplied(t)
			a.CreateBeforeDestroy = createBeforeDestroy
			config := With(r.Config, r.Elsewhere)
			if r.Created {
				r.SetObject(a.Service, r.ID(config), a.Live(r.Config))
			} else {
				r.RemoveObject(a.Service, r.ID(config))
			}
			if r.Creatable(config, a.Live(config)) {
				return
			}
			a.CheckRefresh()
			p := a.Plan(config)
			if len(p.Errors()) == 0 && r.Deletes(r.Config) {
				t.Errorf("%s would be destroyed, and %s cannot be created", r.ID(r.Config), r.ID(config))
			}
		})
	})
}

// checkForcedReplacement tests that a replacement under the same ID, with -replace or after a
// taint, keeps the object or reports its deletion.
func checkForcedReplacement(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, every, func(t *testing.T, r Registration) {
		for _, how := range replacements {
			t.Run(how.name, func(t *testing.T) {
				eachOrder(t, func(t *testing.T, createBeforeDestroy bool) {
					for _, change := range []Values{{}, r.Changes[0]} {
						replaceInPlace(t, r, how, createBeforeDestroy, With(r.Config, change))
					}
				})
			})
		}
	})
}

func replaceInPlace(t *testing.T, r Registration, how replacement, createBeforeDestroy bool, config Values) {
	t.Helper()
	a := r.startApplied(t)
	a.CreateBeforeDestroy = createBeforeDestroy
	held := fmt.Sprint(a.Live(r.Config))
	a.CheckRefresh()
	p := how.plan(a, config)
	if len(p.Errors()) > 0 {
		if fmt.Sprint(a.Live(r.Config)) != held {
			t.Errorf("a plan changed the object")
		}
		return
	}
	diags := a.CheckApply(p, Values{})
	live := a.Live(r.Config)
	if protected(r) && live == nil {
		t.Errorf("a protected object was deleted: %q", diags.Warnings())
	}
	if createBeforeDestroy && live == nil {
		t.Errorf("the apply deleted the object that it created: %q", diags.Warnings())
	}
	if a.stranded {
		t.Fatalf("the last plan of a replacement failed, so the old object stays deposed: %q", diags.Errors())
	}
	if len(diags.Errors()) > 0 {
		return
	}
	if live == nil {
		t.Fatalf("the apply succeeded without an object: %q", diags.Warnings())
	}
	a.Applied = config
	a.checkConverges(config)
}

// CheckGuardedReplacement tests that the guard prevents the same decreases in a replacement as in
// an update.
func CheckGuardedReplacement(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, guarded, func(t *testing.T, r Registration) {
		for _, change := range r.Changes {
			for _, how := range replacements {
				runCase(t, fmt.Sprint(change, " ", how.name), func(t *testing.T) {
					a := r.startApplied(t)
					config := With(r.Config, change)
					a.CheckRefresh()
					p := how.plan(a, config)
					for _, attribute := range a.decreased(config) {
						if !mention(p.Errors(), attribute) {
							t.Errorf("the plan decreases %s although %s is set: %q", attribute, r.Guard, p.Errors())
						}
					}
				})
			}
		}
	})
}

// CheckGuardedDrift tests that the plan of a guarded resource refuses to undo what was lengthened outside
// Terraform, and that a destroy passes.
func CheckGuardedDrift(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, guarded, func(t *testing.T, r Registration) {
		for _, drift := range r.Drifts {
			runCase(t, fmt.Sprint(drift), func(t *testing.T) {
				a := r.startApplied(t)
				a.drift(drift)
				a.CheckRefresh()
				held := fmt.Sprint(a.Live(r.Config))
				lengthened := a.decreased(r.Config)
				for _, change := range append(r.Changes, Values{}) {
					config := With(r.Config, change)
					errors := a.Plan(config).Errors()
					for _, attribute := range a.decreased(config) {
						if !mention(errors, attribute) {
							t.Errorf("the plan of %v decreases %s: %q", change, attribute, errors)
						}
					}
				}
				if len(lengthened) == 0 {
					a.checkConverges(r.Config)
				} else if fmt.Sprint(a.Live(r.Config)) != held {
					t.Errorf("the service holds %v, and held %s", a.Live(r.Config), held)
				}
				if errors := a.Destroy().Errors(); len(errors) > 0 {
					t.Errorf("destroy: %q", errors)
				}
			})
		}
	})
}

// checkDestroy tests that a destroy does what its plan shows.
func checkDestroy(t *testing.T, registrations []Registration) {
	t.Helper()
	runEachInBubble(t, registrations, every, func(t *testing.T, r Registration) {
		for _, hasDrift := range []bool{false, true} {
			a := r.startApplied(t)
			if hasDrift {
				a.drift(r.Drifts...)
			}
			a.CheckRefresh()
			p := a.Plan(nil)
			if protected(r) {
				if len(p.Errors()) == 0 {
					t.Errorf("the plan destroys a protected object: %q", p.Warnings())
				}
				continue
			}
			if len(p.Errors()) > 0 || !mention(p.Warnings(), r.Label(r.ID(r.Config))) {
				t.Errorf("got %q %q", p.Errors(), p.Warnings())
			}
			if errors := a.CheckApply(p, nil).Errors(); len(errors) > 0 {
				t.Errorf("destroy: %q", errors)
			}
			WantNoState(t, a.Resource)
			if exists := a.Live(r.Config) != nil; exists == r.Deletes(r.Config) {
				t.Errorf("the object exists: %v", exists)
			}
		}
	})
}

// checkDestroyOfNothing tests that destroying an object that is gone succeeds.
func checkDestroyOfNothing(t *testing.T, registrations []Registration) {
	t.Helper()
	runEachInBubble(t, registrations, unprotected, func(t *testing.T, r Registration) {
		a := r.startApplied(t)
		a.Restart()
		p := a.Plan(nil)
		r.RemoveObject(a.Service, r.ID(r.Config))
		if errors := a.CheckApply(p, nil).Errors(); len(errors) > 0 {
			t.Errorf("destroy: %q", errors)
		}
		WantNoState(t, a.Resource)
	})
}

// checkRemovalIsShown tests that the plan after a refresh shows that another client deleted the object, also if the state
// keeps it.
func checkRemovalIsShown(t *testing.T, registrations []Registration) {
	t.Helper()
	runEachInBubble(t, registrations, every, func(t *testing.T, r Registration) {
		a := r.startApplied(t)
		r.RemoveObject(a.Service, r.ID(r.Config))
		a.Restart()
		errors := a.Refresh().Errors()
		p := a.Plan(r.Config)
		errors = append(errors, p.Errors()...)
		if len(errors) == 0 && p.IsEmpty() {
			t.Errorf("the plan is empty, and the state has %v", a.Attributes())
		}
	})
}
