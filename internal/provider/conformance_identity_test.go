package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Attacks with names: imports, renamed addresses, other spellings, two resources
// for one object, and states that an older version wrote.

// identity returns the identity of the object that a configuration names.
func (a *trial) identityOf(config values) *tfprotov6.ResourceIdentityData {
	a.t.Helper()
	attributes := map[string]tftypes.Value{}
	for _, id := range a.of.ids {
		attributes[id] = tftypes.NewValue(tftypes.String, config[id])
	}
	kinds := map[string]tftypes.Type{}
	for _, id := range a.of.ids {
		kinds[id] = tftypes.String
	}
	kind := tftypes.Object{AttributeTypes: kinds}
	value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, attributes))
	if err != nil {
		a.t.Fatalf("encode: %v", err)
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &value}
}

// exists starts the service with the registered object, which nothing manages.
func (r registration) exists(t *testing.T) *trial {
	t.Helper()
	a := r.startApplied(t)
	a.state, a.private, a.identity, a.applied = a.null(), nil, nil, nil
	return a
}

func TestAnImportedObjectPlansWhatIsLeft(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for name, imports := range map[string]func(a *trial) diagnostics{
			"by ID":       func(a *trial) diagnostics { return a.importID(r.id(r.config)) },
			"by identity": func(a *trial) diagnostics { return a.importIdentity(a.identityOf(r.config)) },
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				a := r.exists(t)
				a.clicks(r.clicks[0])
				held := fmt.Sprint(a.held())
				a.restart()
				if errors := imports(a).errors(); len(errors) > 0 {
					t.Fatalf("import: %q", errors)
				}
				// The exported configuration plans nothing.
				exported := a.attributes()
				a.restart()
				wantEmpty(t, a.plan(exported))
				if fmt.Sprint(a.held()) != held {
					t.Errorf("an import changed the service: %v, before %s", a.held(), held)
				}
				for _, change := range append(r.changes, values{}) {
					a.settles(with(r.config, change))
				}
				a.converges(r.config)
			})
		}
	})
}

func TestAnIDThatNamesNothingIsNotImported(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		a := r.start(t, t.Cleanup)
		held := fmt.Sprint(a.held())
		for _, id := range r.misspelled {
			a.restart()
			if errors := a.importID(id).errors(); len(errors) == 0 {
				t.Errorf("%q is imported as %v", id, a.attributes())
			}
			a.state = a.null()
		}
		a.restart()
		told := a.importID(r.missing)
		if len(told.errors()) == 0 && a.attributes() != nil {
			t.Errorf("what is not there was imported as %v", a.attributes())
		}
		// Terraform itself says that there is nothing; the provider says why.
		if !mention(append(told.errors(), told.warnings()...), r.called(r.missing)) {
			t.Errorf("the service's reason is in nothing that was told: %q %q", told.errors(), told.warnings())
		}
		if fmt.Sprint(a.held()) != held {
			t.Errorf("an import changed the service: %v, before %s", a.held(), held)
		}
	})
}

func TestAnotherSpellingPlansNothing(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for _, spelling := range r.spellings {
			t.Run(fmt.Sprint(spelling), func(t *testing.T) {
				t.Parallel()
				other := with(r.config, spelling)
				a := r.startApplied(t)
				a.refreshes()
				wantEmpty(t, a.plan(other))
				a.applies(with(other, r.changes[0]))
				a.converges(with(r.config, r.changes[0]))

				b := r.start(t, t.Cleanup)
				b.applies(other)
				b.refreshes()
				wantEmpty(t, b.plan(other))
				wantEmpty(t, b.plan(r.config))

				c := r.exists(t)
				c.restart()
				if errors := c.importIdentity(c.identityOf(other)).errors(); len(errors) > 0 {
					t.Fatalf("import: %q", errors)
				}
				c.converges(other)
				c.converges(r.config)
			})
		}
	})
}

// An address that is renamed without a moved block is destroyed and created in
// one plan, in either order. The object must be there in the end.
func TestARenamedAddressKeepsItsObject(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		for _, createdFirst := range []bool{false, true} {
			t.Run(fmt.Sprintf("created first %v", createdFirst), func(t *testing.T) {
				t.Parallel()
				a := r.startApplied(t)
				held := fmt.Sprint(a.held())
				b := &trial{of: r, service: a.service, managed: a.resource(r.typeName)}
				a.refreshes() // one process plans both
				steps := []func() *planned{
					func() *planned { return a.plan(nil) },
					func() *planned { return b.plan(r.config) },
				}
				if createdFirst {
					slices.Reverse(steps)
				}
				first, second := steps[0](), steps[1]()
				if len(first.errors())+len(second.errors()) > 0 {
					return // refused, and nothing is applied
				}
				// Terraform runs them side by side. One process applies both.
				a.restart()
				apply := []func() diagnostics{
					func() diagnostics { return a.apply(first, nil) },
					func() diagnostics { return b.apply(second, values{}) },
				}
				if createdFirst {
					apply = []func() diagnostics{
						func() diagnostics { return b.apply(first, values{}) },
						func() diagnostics { return a.apply(second, nil) },
					}
				}
				var told []string
				for _, step := range apply {
					told = append(told, step().errors()...)
				}
				if a.live(r.config) == nil {
					t.Fatalf("the object is gone; told %q", told)
				}
				if fmt.Sprint(a.held()) != held {
					t.Errorf("the service holds %v, and held %s", a.held(), held)
				}
				b.applied = r.config
				b.converges(r.config)
			})
		}
	})
}

func TestTwoResourcesForOneObjectPlanWhatTheOtherOneLeft(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for i, change := range r.changes {
			if !sampled(i, 2) {
				continue
			}
			t.Run(fmt.Sprint(change), func(t *testing.T) {
				t.Parallel()
				a := r.startApplied(t)
				b := &trial{of: r, service: a.service, managed: a.resource(r.typeName)}
				if r.created {
					if errors := b.importID(r.id(r.config)).errors(); len(errors) > 0 {
						t.Fatalf("import: %q", errors)
					}
				}
				changed := with(r.config, change)
				b.converges(changed)
				a.converges(r.config)
				b.converges(changed)
				a.converges(with(r.config, r.changes[(i+1)%len(r.changes)]))
			})
		}
	})
}

// older are the ways in which a state lacks what this version writes.
var older = map[string]func(a *trial){
	"without private state": func(a *trial) { a.private = nil },
	"without an identity":   func(a *trial) { a.identity = nil },
	"without computed values": func(a *trial) {
		a.private, a.identity = nil, nil
		state := a.attributes()
		for _, attribute := range a.managed.schema.Block.Attributes {
			if attribute.Computed && a.applied[attribute.Name] == nil {
				state[attribute.Name] = nil
			}
		}
		a.state = a.value(a.managed.schema, state)
	},
	"without any value": func(a *trial) {
		a.private, a.identity = nil, nil
		state := values{}
		for _, id := range a.of.ids {
			state[id] = a.attributes()[id]
		}
		a.state = a.value(a.managed.schema, state)
	},
}

func TestAStateThatAnOlderVersionWroteIsTakenOver(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		for i, name := range slices.Sorted(maps.Keys(older)) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, refreshed := range []bool{false, true} {
					for j, change := range append(r.changes, values{}) {
						if !sampled(i+j, len(older)) {
							continue
						}
						a := r.startApplied(t)
						older[name](a)
						if refreshed {
							a.converges(with(r.config, change))
							continue
						}
						a.clicks(r.clicks...)
						config := with(r.config, change)
						if name == "without any value" {
							config = with(config, a.settingsOfState())
						}
						if p := a.plans(config); p != nil {
							a.carriesOutOrIsRefused(p, config)
							a.converges(config)
						}
					}
				}
				a := r.startApplied(t)
				older[name](a)
				a.restart()
				if errors := a.destroy().errors(); len(errors) > 0 && !protected(r) {
					t.Errorf("destroy: %q", errors)
				}
			})
		}
	})
}

// settingsOfState are the settings as the state has them.
func (a *trial) settingsOfState() values {
	found := values{}
	for _, setting := range a.of.settings {
		found[setting] = a.attributes()[setting]
	}
	return found
}

func TestProviderSettingsThatAreKnownLateChangeNothingElse(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		late := func(a *trial) { a.settings["base_url"], a.settings["private_key"] = unknown, unknown }
		known := func(a *trial) {
			maps.Copy(a.settings, openWorkspace(t, a.service, nil).settings)
		}
		for _, change := range []values{{}, r.changes[0], r.changes[len(r.changes)/2], r.changes[len(r.changes)-1]} {
			t.Run(fmt.Sprint(change), func(t *testing.T) {
				t.Parallel()
				config := with(r.config, change)
				a := r.start(t, t.Cleanup)
				late(a)
				a.restart()
				p := a.plan(config)
				if len(p.errors()) > 0 {
					t.Fatalf("plan of a creation: %q", p.errors())
				}
				known(a)
				a.createsOrIsRefused(p, values{}, config)
				if !a.state.IsNull() {
					a.converges(config)
				}

				a = r.startApplied(t)
				a.clicks(r.clicks...)
				late(a)
				state := a.state
				a.refreshes()
				if !a.state.Equal(state) {
					t.Fatalf("a refresh without an address changed the state: %v", a.attributes())
				}
				p = a.plan(config)
				if len(p.errors()) > 0 {
					a.judge(p.errors(), config)
					return
				}
				known(a)
				a.carriesOutOrIsRefused(p, config)
				a.converges(config)
			})
		}
		a := r.startApplied(t)
		late(a)
		a.refreshes()
		p := a.plan(nil)
		if protected(r) {
			return
		}
		if len(p.errors()) > 0 {
			t.Fatalf("plan of a destroy: %q", p.errors())
		}
		known(a)
		if errors := a.carriesOut(p, nil).errors(); len(errors) > 0 {
			t.Fatalf("destroy: %q", errors)
		}
		wantNothing(t, a.managed)
	})
}

// createsOrIsRefused applies the plan of a creation that could not look.
func (a *trial) createsOrIsRefused(p *planned, late, config values) {
	a.t.Helper()
	held := fmt.Sprint(a.held())
	errors := a.carriesOut(p, late).errors()
	if len(errors) == 0 {
		a.applied = config
		return
	}
	a.judge(errors, config)
	if fmt.Sprint(a.held()) != held || !a.state.IsNull() {
		a.t.Fatalf("refused (%s), and the service holds %v, before %s", strings.Join(errors, " "), a.held(), held)
	}
}

// An ID that is known late is a replacement in the plan, also if it turns out to
// be the same.
func TestIDsThatAreKnownLateLoseNoObject(t *testing.T) {
	t.Parallel()
	attack(t, every, func(t *testing.T, r registration) {
		for _, id := range r.ids {
			for name, ids := range map[string]values{"the same": r.config, "another": with(r.config, r.elsewhere)} {
				t.Run(id+" is "+name, func(t *testing.T) {
					t.Parallel()
					final := values{}
					for _, one := range r.ids {
						final[one] = ids[one]
					}
					b := r.start(t, t.Cleanup)
					if p := b.plans(with(r.config, final, values{id: unknown})); p != nil {
						b.createsOrIsRefused(p, final, with(r.config, final))
					}

					a := r.startApplied(t)
					a.refreshes()
					p := a.plan(with(r.config, final, values{id: unknown}))
					if len(p.errors()) > 0 {
						return // protected
					}
					told := a.carriesOut(p, final)
					if protected(r) && a.live(r.config) == nil {
						t.Fatalf("a protected object was deleted: %q", told.warnings())
					}
					if len(told.errors()) == 0 {
						a.applied = with(r.config, final)
						a.converges(a.applied)
					}
				})
			}
		}
	})
}
