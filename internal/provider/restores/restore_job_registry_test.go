package restores_test

import (
	"fmt"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

const wouldBeRepeated = "Restore of Cluster " + providertest.Ledger + " Would Be Repeated"

func TestReplacementThatWouldRestoreAgainIsAnError(t *testing.T) {
	t.Parallel()
	for _, change := range []providertest.Values{{}, {"snapshot_id": expiredSnapshot}} {
		s, r := begin(t, emulator.Options{RestoreReads: -1})
		r.Create(intoCards())
		for range 2 {
			r.Configure()
			r.Refresh()
			providertest.WantOne(t, r.PlanReplacement(intoCards(change)).Errors(), "[triggers]", wouldBeRepeated, "change triggers, without -replace")
		}
		r.Configure()
		r.Create(intoCards(providertest.Values{"timeouts": providertest.Values{"create": "1h"}}))
		wantSettled(t, r, intoCards(providertest.Values{"timeouts": providertest.Values{"create": "1h"}}))
		wantRequests(t, s, 1)
	}
}

func TestTaintedRestoreIsNotRepeated(t *testing.T) {
	t.Parallel()
	s, r := begin(t, emulator.Options{RestoreReads: -1})
	r.Create(intoCards(providertest.Values{"triggers": nil}))
	r.Tainted = true
	for _, triggers := range []any{nil, providertest.Values{}} {
		r.Configure()
		r.Refresh()
		providertest.WantOne(t, r.Plan(intoCards(providertest.Values{"triggers": triggers})).Errors(), wouldBeRepeated, "terraform untaint")
	}
	wantRequests(t, s, 1)
	for _, changed := range []providertest.Values{{"triggers": providertest.Unknown}, another("2")} {
		r.Configure()
		r.Refresh()
		if p := r.Plan(intoCards(changed)); len(p.Errors()) > 0 || !contains(p.Warnings(), "Restore Overwrites Cluster cards") {
			t.Errorf("got %q, %q", p.Errors(), p.Warnings())
		}
	}
}

func TestRenamedResourceDoesNotRepeatItsRestore(t *testing.T) {
	t.Parallel()
	for _, config := range []providertest.Values{intoCards(), toLink()} {
		s, r := begin(t, emulator.Options{RestoreReads: -1})
		r.Create(config)
		renamed := r.NewResource(providertest.RestoreJobType)
		plans := []func() []string{
			func() []string {
				r.Refresh()
				return r.Plan(nil).Errors()
			},
			func() []string { return renamed.Plan(config).Errors() },
		}
		for range 2 { // Terraform plans them in any order
			r.Configure()
			if errors := plans[0](); len(errors) > 0 {
				t.Errorf("got %q", errors)
			}
			providertest.WantOne(t, plans[1](), wouldBeRepeated, "moved block")
			slices.Reverse(plans)
		}
		r.Configure()
		r.Refresh()
		if errors := renamed.Plan(providertest.With(config, another("2"))).Errors(); len(errors) > 0 {
			t.Errorf("other triggers: %q", errors)
		}
		wantRequests(t, s, 1)
	}
}

// The request of the first restore is lost before it reaches Ops Manager. The job of the second one
// has the same source, so it may be that of the first one.
func TestRestoreOfAnotherResourceIsAnError(t *testing.T) {
	t.Parallel()
	s, first := begin(t, emulator.Options{RestoreReads: -1})
	second := first.NewResource(providertest.RestoreJobType)
	link := toLink()
	s.Inject(emulator.Fault{Method: "POST", DropBefore: true})
	first.Create(intoCards())
	second.Create(link)
	id := fmt.Sprint(second.Attributes()["id"])
	for range 2 {
		first.Configure()
		first.Refresh()
		second.Refresh()
		if errors := first.Plan(intoCards()).Errors(); len(errors) > 0 {
			t.Errorf("got %q", errors)
		}
		providertest.WantOne(t, second.Plan(link).Errors(), "Two Resources Have Restore "+id, "terraform state rm")
	}
	wantRequests(t, s, 2)
	first.Configure() // as the error advises
	first.Create(intoCards(another("2")))
	second.Create(link)
	wantRequests(t, s, 3)
}
