package providertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Checks with IDs and addresses: imports, renamed addresses, other spellings, two resources with
// one object, and states of older versions.

// identity returns the identity of the configured object.
func (a *Trial) identityOf(config Values) *tfprotov6.ResourceIdentityData {
	a.T.Helper()
	attributes := map[string]tftypes.Value{}
	parts := strings.SplitN(a.Registration.ID(config), "/", len(a.Registration.IDs))
	for i, id := range a.Registration.IDs {
		if _, configured := config[id]; !configured {
			config = With(config, Values{id: parts[i]})
		}
		attributes[id] = tftypes.NewValue(tftypes.String, config[id])
	}
	kinds := map[string]tftypes.Type{}
	for _, id := range a.Registration.IDs {
		kinds[id] = tftypes.String
	}
	kind := tftypes.Object{AttributeTypes: kinds}
	value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, attributes))
	if err != nil {
		a.T.Fatalf("encode: %v", err)
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &value}
}

// checkImport tests that the plan of an imported object is empty with the exported configuration,
// and otherwise shows the changes that are left.
func checkImport(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for name, imports := range map[string]func(a *Trial) Diagnostics{
			"by ID":       func(a *Trial) Diagnostics { return a.ImportID(r.ID(r.Config)) },
			"by identity": func(a *Trial) Diagnostics { return a.ImportIdentity(a.identityOf(r.Config)) },
		} {
			runCase(t, name, func(t *testing.T) {
				a := r.startWithObject(t)
				if name == "by identity" && r.applied.Load().identity == nil {
					return // a resource without an identity
				}
				a.drift(r.Drifts[0])
				held := fmt.Sprint(a.held())
				a.Restart()
				if errors := imports(a).Errors(); len(errors) > 0 {
					t.Fatalf("import: %q", errors)
				}
				// The plan of the exported configuration is empty, or only sets the secrets.
				exported := With(a.settable(a.Attributes()), r.Secrets)
				a.Restart()
				if p := a.Plan(exported); len(r.Secrets) == 0 {
					WantEmptyPlan(t, p)
				} else if shown, unforeseen := a.changes(p); len(p.Errors()) > 0 || len(shown) != len(r.Secrets) || len(unforeseen) > 0 {
					t.Errorf("the plan changes %v and perhaps %v: %q", shown, unforeseen, p.Errors())
				}
				if fmt.Sprint(a.held()) != held {
					t.Errorf("the import changed the service: %v, before %s", a.held(), held)
				}
				for _, change := range slices.Concat(r.Changes, []Values{{}}) {
					a.CheckSettled(With(r.Config, change))
				}
				a.checkConverges(r.Config)
			})
		}
	})
}

// settable returns the values that a configuration can have.
func (a *Trial) settable(values Values) Values {
	for _, attribute := range a.Resource.ResourceSchema.Block.Attributes {
		if attribute.Computed && !attribute.Optional {
			delete(values, attribute.Name)
		}
	}
	return values
}

// checkInvalidImportIDs tests that import IDs without an object are errors, with the reason of Ops
// Manager.
func checkInvalidImportIDs(t *testing.T, registrations []Registration) {
	t.Helper()
	runEachInBubble(t, registrations, every, func(t *testing.T, r Registration) {
		a := r.Start(t)
		held := fmt.Sprint(a.held())
		for _, id := range r.InvalidIDs {
			a.Restart()
			if errors := a.ImportID(id).Errors(); len(errors) == 0 {
				t.Errorf("%q was imported as %v", id, a.Attributes())
			}
			a.State = a.Null()
		}
		a.Restart()
		diags := a.ImportID(r.MissingID)
		if len(diags.Errors()) == 0 && a.Attributes() != nil {
			t.Errorf("a missing object was imported as %v", a.Attributes())
		}
		// Terraform reports that there is no object, and the provider reports why.
		if !mention(append(diags.Errors(), diags.Warnings()...), r.Label(r.MissingID)) {
			t.Errorf("no diagnostic has the reason of Ops Manager: %q %q", diags.Errors(), diags.Warnings())
		}
		if fmt.Sprint(a.held()) != held {
			t.Errorf("the import changed the service: %v, before %s", a.held(), held)
		}
	})
}

// CheckSpellings tests that the plan is empty with a different spelling of the same IDs.
func CheckSpellings(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for _, spelling := range r.Spellings {
			runCase(t, fmt.Sprint(spelling), func(t *testing.T) {
				other := With(r.Config, spelling)
				a := r.startApplied(t)
				a.CheckRefresh()
				WantEmptyPlan(t, a.Plan(other))
				a.mustApply(With(other, r.Changes[0]))
				a.checkConverges(With(r.Config, r.Changes[0]))

				b := r.Start(t)
				b.mustApply(other)
				b.CheckRefresh()
				WantEmptyPlan(t, b.Plan(other))
				WantEmptyPlan(t, b.Plan(r.Config))

				c := r.startWithObject(t)
				c.Restart()
				if errors := c.ImportIdentity(c.identityOf(other)).Errors(); len(errors) > 0 {
					t.Fatalf("import: %q", errors)
				}
				c.checkConverges(other)
				c.checkConverges(r.Config)
			})
		}
	})
}

// checkRenamedAddress tests that an object survives if its address is renamed without a moved
// block. Terraform destroys and creates it in one plan, in either order.
func checkRenamedAddress(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, every, func(t *testing.T, r Registration) {
		for _, createdFirst := range []bool{false, true} {
			runCase(t, fmt.Sprintf("created first %v", createdFirst), func(t *testing.T) {
				a := r.startApplied(t)
				held := fmt.Sprint(a.held())
				b := &Trial{
					Registration: r,
					Service:      a.Service,
					Resource:     r.resource(a.Workspace),
					foreign:      a.foreign,
				}
				a.CheckRefresh() // one process plans both
				steps := []func() *Plan{
					func() *Plan { return a.Plan(nil) },
					func() *Plan { return b.Plan(r.Config) },
				}
				if createdFirst {
					slices.Reverse(steps)
				}
				first := steps[0]()
				second := steps[1]()
				if len(first.Errors())+len(second.Errors()) > 0 {
					return // the plan fails, so nothing is applied
				}
				// Terraform runs both in parallel. One process applies them.
				a.Restart()
				apply := []func() Diagnostics{
					func() Diagnostics { return a.Apply(first) },
					func() Diagnostics { return b.Apply(second, Values{}) },
				}
				if createdFirst {
					apply = []func() Diagnostics{
						func() Diagnostics { return b.Apply(first, Values{}) },
						func() Diagnostics { return a.Apply(second) },
					}
				}
				var diags []string
				for _, step := range apply {
					diags = append(diags, step().Errors()...)
				}
				if a.Live(r.Config) == nil {
					t.Fatalf("the object is gone: %q", diags)
				}
				if fmt.Sprint(a.held()) != held {
					t.Errorf("the service holds %v, and held %s", a.held(), held)
				}
				b.Applied = r.Config
				b.checkConverges(r.Config)
			})
		}
	})
}

// incompleteStates are ways in which the state of an older version is incomplete.
var incompleteStates = map[string]func(a *Trial){
	"without private state": func(a *Trial) { a.Private = nil },
	"without an identity":   func(a *Trial) { a.Identity = nil },
	"without computed values": func(a *Trial) {
		a.Private = nil
		a.Identity = nil
		state := a.Attributes()
		for _, attribute := range a.Resource.ResourceSchema.Block.Attributes {
			if attribute.Computed && a.Applied[attribute.Name] == nil && !slices.Contains(a.Registration.IDs, attribute.Name) {
				state[attribute.Name] = nil
			}
		}
		a.State = a.nested(state)
	},
	"without any value": func(a *Trial) {
		a.Private = nil
		a.Identity = nil
		state := Values{}
		for _, id := range a.Registration.IDs {
			state[id] = a.Attributes()[id]
		}
		a.State = a.nested(state)
	},
}

// checkOlderStates tests that the provider accepts states that lack parts that this version writes.
func checkOlderStates(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for i, name := range slices.Sorted(maps.Keys(incompleteStates)) {
			if name == "without any value" && r.Imported != nil {
				continue // an import reads the values
			}
			runCase(t, name, func(t *testing.T) {
				for _, refreshed := range []bool{false, true} {
					for j, change := range slices.Concat(r.Changes, []Values{{}}) {
						if !Sampled(i+j, len(incompleteStates)) {
							continue
						}
						a := r.startApplied(t)
						incompleteStates[name](a)
						if refreshed {
							a.checkConverges(With(r.Config, change))
							continue
						}
						a.drift(r.Drifts...)
						config := With(r.Config, change)
						if name == "without any value" {
							config = With(config, a.settingsOfState(), r.Secrets)
						}
						if p := a.checkPlanWithoutRefresh(config); p != nil {
							a.applyUnlessGuarded(p, config)
							a.checkConverges(config)
						}
					}
				}
				a := r.startApplied(t)
				incompleteStates[name](a)
				a.Restart()
				if errors := a.Destroy().Errors(); len(errors) > 0 && !protected(r) {
					t.Errorf("destroy: %q", errors)
				}
			})
		}
	})
}

// settingsOfState returns the settings with the values of the state.
func (a *Trial) settingsOfState() Values {
	found := Values{}
	for _, setting := range a.Registration.Settings {
		found[setting] = a.Attributes()[setting]
	}
	return found
}

// checkLateProviderSettings tests a provider with settings that are unknown during the plan.
func checkLateProviderSettings(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, every, func(t *testing.T, r Registration) {
		late := func(a *Trial) {
			a.Settings["base_url"] = Unknown
			a.Settings["private_key"] = Unknown
		}
		known := func(a *Trial) {
			maps.Copy(a.Settings, NewWorkspace(a.T, a.Service).Settings)
		}
		for _, change := range sample(r, []Values{{}, r.Changes[0], r.Changes[len(r.Changes)/2], r.Changes[len(r.Changes)-1]}) {
			runCase(t, fmt.Sprint(change), func(t *testing.T) {
				config := With(r.Config, change)
				a := r.Start(t)
				late(a)
				a.Restart()
				p := a.Plan(config)
				if len(p.Errors()) > 0 {
					t.Fatalf("plan of a creation: %q", p.Errors())
				}
				known(a)
				a.createUnlessRefused(p, Values{}, config)
				if !a.State.IsNull() {
					a.checkConverges(config)
				}

				a = r.startApplied(t)
				a.drift(r.Drifts...)
				late(a)
				state := a.State
				a.CheckRefresh()
				if !a.State.Equal(state) {
					t.Fatalf("a refresh without an address changed the state: %v", a.Attributes())
				}
				p = a.Plan(config)
				if len(p.Errors()) > 0 {
					a.checkErrors(p.Errors(), config)
					return
				}
				known(a)
				a.applyUnlessGuarded(p, config)
				a.checkConverges(config)
			})
		}
		a := r.startApplied(t)
		late(a)
		a.CheckRefresh()
		p := a.Plan(nil)
		if protected(r) {
			return
		}
		if len(p.Errors()) > 0 {
			t.Fatalf("plan of a destroy: %q", p.Errors())
		}
		known(a)
		if errors := a.CheckApply(p, nil).Errors(); len(errors) > 0 {
			t.Fatalf("destroy: %q", errors)
		}
		WantNoState(t, a.Resource)
	})
}

// createUnlessRefused applies the plan of a creation that could not read the object.
func (a *Trial) createUnlessRefused(p *Plan, late, config Values) {
	a.T.Helper()
	held := fmt.Sprint(a.held())
	errors := a.CheckApply(p, late).Errors()
	if len(errors) == 0 {
		a.Applied = config
		return
	}
	a.checkErrors(errors, config)
	if fmt.Sprint(a.held()) != held || !a.State.IsNull() {
		a.T.Fatalf("the apply failed (%s), but the service holds %v, before %s", strings.Join(errors, " "), a.held(), held)
	}
}

// checkLateIDs tests IDs that are unknown during the plan. Terraform then plans a replacement, even
// if the ID turns out to be the same.
func checkLateIDs(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, every, func(t *testing.T, r Registration) {
		for _, id := range r.IDs {
			for name, ids := range map[string]Values{"the same": r.Config, "another": With(r.Config, r.Elsewhere)} {
				runCase(t, id+" is "+name, func(t *testing.T) {
					final := Values{}
					for _, one := range r.IDs {
						final[one] = ids[one]
					}
					b := r.Start(t)
					if p := b.checkPlanWithoutRefresh(With(r.Config, final, Values{id: Unknown})); p != nil {
						b.createUnlessRefused(p, final, With(r.Config, final))
					}

					a := r.startApplied(t)
					a.CheckRefresh()
					p := a.Plan(With(r.Config, final, Values{id: Unknown}))
					if len(p.Errors()) > 0 {
						return // protected
					}
					diags := a.CheckApply(p, final)
					if protected(r) && a.Live(r.Config) == nil {
						t.Fatalf("a protected object was deleted: %q", diags.Warnings())
					}
					if len(diags.Errors()) == 0 {
						a.Applied = With(r.Config, final)
						a.checkConverges(a.Applied)
					}
				})
			}
		}
	})
}
