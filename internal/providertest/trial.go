package providertest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"terraform-provider-opsmanager/internal/emulator"
)

// Trial is one case of a check on one resource, with its own service.
type Trial struct {
	*Resource
	Registration Registration
	Service      *Service
	Proxy        *FaultProxy // in front of the service

	Applied     Values   // the configuration that was applied last
	Unrequested bool     // the service also changes fields that were not sent
	Hidden      []string // the fields that the service leaves out of its responses

	foreign     map[string]map[string]any // the objects of others at the start, by import ID
	unreported  []string                  // retentions that a failed apply may have decreased; the next refresh must report them
	applyFailed bool                      // the last apply failed, so drift may look like a changed configuration
}

// trialSeed is the emulator's default seed without snapshots and hosts, which the checks don't
// need. It is small because each trial copies it. All projects have the same agents, and no
// backup module.
var trialSeed = sync.OnceValue(func() *emulator.Seed {
	seed := emulator.DefaultSeed()
	for i := range seed.Projects {
		seed.Projects[i].AutomationConfig = []byte(`{"version": 7, "backupVersions": []}`)
		seed.Projects[i].Agents = seed.Projects[0].Agents
		seed.Projects[i].Hosts = nil
		for j := range seed.Projects[i].Clusters {
			seed.Projects[i].Clusters[j].Snapshots = nil
		}
	}
	return seed
})

// Restart starts another provider, as Terraform does for each plan and apply.
func (a *Trial) Restart() {
	a.T.Helper()
	a.Server = a.Service.NewServer(settleTime)
	a.Configure()
}

// Live returns the fields that the service holds of the configured object.
func (a *Trial) Live(config Values) map[string]any {
	return a.Registration.Object(a.Service, a.Registration.ID(config))
}

// held returns the objects that the service holds, by import ID.
func (a *Trial) held() map[string]map[string]any {
	held := map[string]map[string]any{}
	for _, id := range a.Registration.Objects {
		held[id] = a.Registration.Object(a.Service, id)
	}
	return held
}

// heldForeign returns the objects of others that the service holds, by import ID.
func (a *Trial) heldForeign() map[string]map[string]any {
	held := map[string]map[string]any{}
	for id := range a.Registration.Foreign {
		held[id] = a.Registration.Object(a.Service, id)
	}
	return held
}

// drift changes fields of the registered object outside Terraform.
func (a *Trial) drift(drifts ...map[string]any) {
	for _, fields := range drifts {
		a.Registration.SetObject(a.Service, a.Registration.ID(a.Registration.Config), fields)
	}
}

// mustApply runs terraform apply, and fails on any error.
func (a *Trial) mustApply(config Values) {
	a.T.Helper()
	a.CheckRefresh()
	p := a.CheckPlan(config)
	if p == nil {
		a.T.Fatalf("the plan of %v failed", config)
		return
	}
	a.apply(p, config)
}

// apply applies the plan of a configuration, and fails on any error.
func (a *Trial) apply(p *Plan, config Values) {
	a.T.Helper()
	if errors := a.CheckApply(p, Values{}).Errors(); len(errors) > 0 {
		a.T.Fatalf("apply: %q", errors)
	}
	a.Applied = config
}

// applyRegistered applies the registered configuration to a service that was just
// started. Later calls for a registration copy the result of the first one.
func (a *Trial) applyRegistered() {
	a.T.Helper()
	r := a.Registration
	result := r.applied.Load()
	if result == nil {
		a.mustApply(r.Config)
		r.applied.Store(&applied{
			state:    a.State,
			private:  a.Private,
			identity: a.Identity,
			held:     a.held(),
		})
		return
	}
	a.State = result.state
	a.Private = result.private
	a.Identity = result.identity
	a.Applied = r.Config
	for id, fields := range result.held {
		if fields != nil {
			r.SetObject(a.Service, id, fields)
		}
	}
}

// CheckRefresh starts another provider, as a terraform plan does, and refreshes.
func (a *Trial) CheckRefresh() {
	a.T.Helper()
	a.Restart()
	diags := a.Refresh()
	if errors := diags.Errors(); len(errors) > 0 {
		a.T.Fatalf("refresh: %q", errors)
	}
	for _, attribute := range a.unreported {
		if !a.State.IsNull() && !mention(diags.Warnings(), attribute) {
			a.T.Fatalf("a failed apply decreased %s, and neither the apply nor the next refresh reports it: %q", attribute, diags.Warnings())
		}
	}
	a.unreported = nil
}

// checkPlanWithoutRefresh runs terraform plan -refresh=false. It returns nil if the plan fails for
// a valid reason. Any other error fails the test.
func (a *Trial) checkPlanWithoutRefresh(config Values) *Plan {
	a.T.Helper()
	a.Restart()
	return a.CheckPlan(config)
}

// CheckPlan plans a configuration without a refresh. It returns nil if the plan fails for a valid
// reason. Any other error fails the test.
func (a *Trial) CheckPlan(config Values) *Plan {
	a.T.Helper()
	p := a.Plan(config)
	a.checkErrors(p.Errors(), config)
	if len(p.Errors()) > 0 {
		return nil
	}
	return p
}

// CheckApply applies a plan with a new provider. Like Terraform, it first plans again with the late
// values. It fails if the apply makes a change that the plan did not show.
func (a *Trial) CheckApply(p *Plan, late Values) Diagnostics {
	a.T.Helper()
	before := a.held()
	prior := a.Attributes()
	a.Restart()
	diags := a.Apply(p, late)
	a.applyFailed = len(diags.Errors()) > 0
	a.checkShown(p, late, prior, before, diags)
	a.CheckForeign()
	return diags
}

// checkConverges fails if the plan is not empty after a configuration is applied.
func (a *Trial) checkConverges(config Values) {
	a.T.Helper()
	p := a.CheckSettled(config)
	if p == nil {
		return
	}
	if p.IsEmpty() {
		a.Applied = config
		return
	}
	a.apply(p, config)
	if p := a.CheckSettled(config); p == nil || !p.IsEmpty() {
		a.T.Fatalf("after an apply the plan is not empty: %v", p)
	}
}

// checkRecovers converges after a failure. It imports an object that was created then.
func (a *Trial) checkRecovers(config Values) {
	a.T.Helper()
	a.CheckRefresh()
	if a.State.IsNull() && a.Registration.Created && a.Live(config) != nil {
		a.CheckPlan(config)
		a.Restart()
		errors := a.ImportID(a.Registration.ID(config)).Errors()
		if len(errors) > 0 {
			a.T.Fatalf("import: %q", errors)
		}
	}
	if a.creates(config) {
		p := a.CheckPlan(config)
		if p == nil {
			return
		}
		a.apply(p, config)
	}
	a.checkConverges(config)
}

// applyUnlessGuarded applies a plan. Only an error of the guard may stop it, or a change since the plan,
// and then it changes nothing.
func (a *Trial) applyUnlessGuarded(p *Plan, config Values) {
	a.T.Helper()
	guards := a.guards(p.Values(), a.Attributes())
	held := fmt.Sprint(a.held())
	errors := a.CheckApply(p, Values{}).Errors()
	isMentioned := func(field string) bool { return mention(errors, a.Registration.Attributes[field]) }
	switch {
	case len(errors) == 0:
		a.Applied = config
	case IsChangedSincePlan(errors):
		if fmt.Sprint(a.held()) != held {
			a.T.Fatalf("the apply failed (%q), but the service holds %v, before %s", errors, a.held(), held)
		}
	case !guards || !slices.ContainsFunc(slices.Concat(a.Registration.Retentions, a.Registration.Intervals), isMentioned):
		a.T.Fatalf("apply: %q", errors)
	}
}

// IsChangedSincePlan reports whether the errors of an apply say that it would overwrite a change since the
// plan.
func IsChangedSincePlan(errors []string) bool {
	return slices.ContainsFunc(errors, func(text string) bool {
		return strings.Contains(text, "changed since the plan")
	})
}
