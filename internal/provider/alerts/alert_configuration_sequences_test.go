package alerts_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// In each sequence of applies, outside changes and destroys, an apply changes what its plan shows, and the next
// plan is empty or shows what is left. A webhook of another client is never changed.
func TestEverySequenceOfRunsConverges(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		r := rapid.SampledFrom(alertConfigRegistrations()).Draw(t, "registration")
		reads := rapid.IntRange(0, 2).Draw(t, "number of stale reads")
		r.Options = emulator.Options{
			Unknowns:   emulator.Unknowns{ReversesNotifications: rapid.Bool().Draw(t, "reverses"), ReturnsEmptyRoles: rapid.Bool().Draw(t, "empty roles")},
			StaleReads: reads, StaleResponses: rapid.Bool().Draw(t, "stale responses to writes"),
		}
		a := r.Start(t)
		config := r.Config
		draw := func() {
			config = providertest.With(r.Config)
			for _, change := range r.Changes {
				if rapid.IntRange(0, 2).Draw(t, "changes") == 0 {
					config = providertest.With(config, change)
				}
			}
		}
		drift := func() { r.SetObject(a.Service, r.ID(r.Config), rapid.SampledFrom(r.Drifts).Draw(t, "drift")) }
		attempt := func(between func()) {
			a.CheckRefresh()
			p := a.CheckPlan(config)
			if p == nil {
				return
			}
			between()
			if len(a.CheckApply(p, providertest.Values{}).Errors()) == 0 {
				a.Applied = config
			}
			a.CatchUp(reads)
			a.CheckSettled(config)
		}
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			switch rapid.SampledFrom([]string{"apply", "apply", "saved plan", "drift", "webhook", "destroy"}).Draw(t, "action") {
			case "apply":
				draw()
				attempt(func() {})
			case "saved plan":
				draw()
				attempt(drift)
			case "drift":
				drift()
				a.CatchUp(reads)
				a.CheckSettled(config)
			case "webhook":
				draw()
				before := a.Live(config)["notifications"]
				r.SetObject(a.Service, r.ID(r.Config), map[string]any{"notifications": []any{map[string]any{"typeName": "WEBHOOK", "webhookUrl": "https://example.com/token", "delayMin": 0, "intervalMin": 5}}})
				held := fmt.Sprint(a.Live(config))
				a.CatchUp(reads + 1)
				if p := a.Plan(config); len(p.Errors()) == 0 && !p.IsEmpty() {
					a.Apply(p, providertest.Values{})
				}
				if is := fmt.Sprint(a.Live(config)); is != held {
					t.Fatalf("a webhook was %s and is %s", held, is)
				}
				r.SetObject(a.Service, r.ID(r.Config), map[string]any{"notifications": before})
				a.CatchUp(1)
			case "destroy":
				a.CheckRefresh()
				if p := a.Plan(nil); len(p.Errors()) == 0 {
					a.CheckApply(p, nil)
				}
				if a.State.IsNull() {
					return
				}
			}
		}
	})
}
