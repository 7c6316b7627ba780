package stores_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// Each pair of plans of one process is for one store.
func TestPlansOfTwoResourcesForOneStoreAreCompared(t *testing.T) {
	t.Parallel()
	const twice, both = "Blockstore new in Two Resources", "Blockstore Destroyed and Managed in One Plan"
	config := storeKinds[0].config("new", providertest.Values{"adopt_existing": true})
	keeps := func(one, _ *providertest.Resource) *providertest.Plan { return one.Plan(config) }
	ends := func(one, _ *providertest.Resource) *providertest.Plan { return one.Plan(nil) }
	keepsToo := func(_, other *providertest.Resource) *providertest.Plan { return other.Plan(config) }
	adopts := func(one, _ *providertest.Resource) *providertest.Plan {
		return one.NewResource(one.TypeName).Plan(config)
	}
	moves := func(one, _ *providertest.Resource) *providertest.Plan {
		return one.Plan(providertest.With(config, providertest.Values{"id": "moved"}))
	}
	for name, test := range map[string]struct {
		first, second func(one, other *providertest.Resource) *providertest.Plan
		warning, err  string
	}{
		"kept, kept":       {keeps, keepsToo, twice, ""},
		"kept, adopted":    {keeps, adopts, twice, ""},
		"adopted, kept":    {adopts, keeps, twice, ""},
		"adopted, adopted": {adopts, adopts, twice, ""},
		"ended, kept":      {ends, keepsToo, "", both},
		"ended, adopted":   {ends, adopts, "", both},
		"kept, ended":      {keepsToo, ends, "", both},
		"adopted, ended":   {adopts, ends, "", both},
		"moved, adopted":   {moves, adopts, "", both},
		"adopted, moved":   {adopts, moves, "", both},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, one := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
			one.MustApply(config)
			other := one.NewResource(one.TypeName)
			other.ImportID("new")
			other.MustApply(config)
			one.Configure()
			if first := test.first(one, other); len(first.Errors()) > 0 || slices.ContainsFunc(first.Warnings(), func(text string) bool { return text == twice }) {
				t.Fatalf("the first plan has %q", first.Warnings())
			}
			second := test.second(one, other)
			if test.err != "" {
				providertest.WantOne(t, second.Errors(), "[id]", test.err, "moved block")
				return
			}
			providertest.WantContains(t, fmt.Sprint(second.Warnings()), test.warning)
		})
	}
}

func TestReplacementOfAStoreUnderItsIDIsRefusedOrAnnounced(t *testing.T) {
	t.Parallel()
	adopting := providertest.Values{"adopt_existing": true}
	forced := func(r *providertest.Resource, config providertest.Values) *providertest.Plan {
		r.Configure() // the warnings of the second plan are dropped
		return r.PlanReplacement(config)
	}
	tainted := func(r *providertest.Resource, config providertest.Values) *providertest.Plan {
		r.MustRefresh()
		r.Tainted = true
		return r.Plan(config)
	}
	destroyed := func(r *providertest.Resource, _ providertest.Values) *providertest.Plan { return r.Plan(nil) }
	for name, test := range map[string]struct {
		more         providertest.Values // configured before
		changed      providertest.Values
		ignored      []string
		plan         func(*providertest.Resource, providertest.Values) *providertest.Plan
		err, warning string
	}{
		"forced":                            {nil, nil, nil, forced, "Unable to Replace Blockstore", ""},
		"forced, adopting":                  {adopting, nil, nil, forced, "", ""},
		"forced, protected":                 {providertest.Values{"adopt_existing": true, "deletion_protection": true}, nil, nil, forced, "Blockstore Is Protected", ""},
		"forced, with an ignored field":     {adopting, providertest.Values{"uri": nil, "uri_wo": nil}, []string{"uri"}, forced, "Missing Secret", ""},
		"tainted":                           {nil, nil, nil, tainted, "Unable to Replace Blockstore", ""},
		"tainted, adopting":                 {adopting, nil, nil, tainted, "", "Deletion of Blockstore new"},
		"tainted, protected":                {providertest.Values{"adopt_existing": true, "deletion_protection": true}, nil, nil, tainted, "Blockstore Is Protected", ""},
		"destroyed, protected":              {providertest.Values{"deletion_protection": true}, nil, nil, destroyed, "Blockstore Is Protected", ""},
		"another ID, protected":             {providertest.Values{"deletion_protection": true}, providertest.Values{"id": "other"}, nil, forced, "Blockstore Is Protected", ""},
		"another ID":                        {nil, providertest.Values{"id": "other"}, nil, forced, "", "Deletion of Blockstore new"},
		"tainted, adopting, to another one": {adopting, providertest.Values{"id": "other"}, nil, tainted, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
			config := storeKinds[0].config("new", test.more)
			r.MustApply(config)
			r.IgnoreChanges = test.ignored
			s.ResetRequests()
			p := test.plan(r, providertest.With(config, test.changed))
			if test.err != "" {
				providertest.WantOne(t, p.Errors(), test.err)
			} else if len(p.Errors()) > 0 {
				t.Errorf("the plan has %q", p.Errors())
			}
			if test.warning != "" {
				providertest.WantOne(t, p.Warnings(), test.warning)
			}
			providertest.WantWrites(t, s)
		})
	}
}

// The first plan of a replacement has the values of ignored attributes, and the second one has not.
func TestReplacementWithoutRequiredFieldsIsRefused(t *testing.T) {
	t.Parallel()
	_, r := providertest.StartResource(t, providertest.FileSystemStoreType, emulator.Options{})
	config := storeKinds[2].config("new", providertest.Values{"adopt_existing": true})
	r.MustApply(config)
	r.IgnoreChanges = []string{"store_path"}
	p := r.PlanReplacement(providertest.With(config, providertest.Values{"store_path": nil}))
	providertest.WantOne(t, p.Errors(), "[store_path]", "Incomplete File System Store")
}

func TestTaintedGuessIsAnnouncedAsKept(t *testing.T) {
	t.Parallel()
	_, r := startLossy(t, nil, providertest.DropAfter)
	config := storeKinds[0].config("new", impatient)
	r.Create(config)
	r.MustRefresh()
	r.Tainted = true
	p := r.Plan(providertest.With(config, providertest.Values{"adopt_existing": true}))
	providertest.WantOne(t, p.Warnings(), "Blockstore new Removed Only From the State")
}

func TestAdoptionNamesWhatItOverwrites(t *testing.T) {
	t.Parallel()
	for i, want := range map[int][]string{0: {"sets its secrets", "load_factor: 7 -> 2"}, 2: {"load_factor: 7 -> 2"}} {
		k := storeKinds[i]
		s, r := providertest.StartResource(t, k.typeName, emulator.Options{})
		r.MustApply(k.config("new"))
		s.SetBackupStore(k.kind, "new", map[string]any{"loadFactor": 7.0})
		r.Configure()
		p := r.NewResource(k.typeName).Plan(k.config("new", providertest.Values{"adopt_existing": true}))
		providertest.WantOne(t, p.Warnings(), append(want, "Overwritten Values of ", "adopts the existing store")...)
	}
}

// The store may come into being, or turn out to be another one, between the plan and the apply.
func TestAdoptionDoesNotChangeAFixedField(t *testing.T) {
	t.Parallel()
	for _, isLate := range []bool{false, true} {
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
		config := s3Config(providertest.Values{"adopt_existing": true})
		appear := func() {
			r.NewResource(r.TypeName).MustApply(s3Config(providertest.Values{"s3_bucket_name": "theirs"}))
			s.ResetRequests()
			r.Configure()
		}
		if !isLate {
			appear()
		}
		p := r.Plan(config)
		if isLate {
			appear()
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "[s3_bucket_name]", "Unable to Change S3 Blockstore")
		} else {
			providertest.WantOne(t, p.Errors(), "[s3_bucket_name]", "Unable to Change S3 Blockstore")
		}
		providertest.WantWrites(t, s)
	}
}

func TestValuesThatOpsManagerAdjustsAreReported(t *testing.T) {
	t.Parallel()
	adjusts := func(field string, value any) func(emulator.StoreKind, map[string]any) {
		return func(_ emulator.StoreKind, store map[string]any) { store[field] = value }
	}
	config := storeKinds[0].config("new")
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{AdjustStore: adjusts("loadFactor", 7.0)})
	diags := r.Create(config)
	providertest.WantOne(t, diags.Warnings(), "Ops Manager Adjusted Blockstore new", "load_factor: 7 -> 2")
	r.MustRefresh()
	if changes := fmt.Sprint(r.Plan(config).Changes()); changes != "[load_factor]" {
		t.Errorf("the next plan changes %s", changes)
	}
	r.Configure()
	providertest.WantOne(t, r.Apply(r.Plan(config), nil).Errors(), "[load_factor]", "Ops Manager Adjusted the Value")
	s.SetBackupStore(emulator.Blockstore, "new", map[string]any{"loadFactor": 2.0})
	r.MustRefresh()
	diags = r.Apply(r.Plan(providertest.With(config, providertest.Values{"labels": []any{"other"}})), nil)
	providertest.WantOne(t, diags.Warnings(), "Other Values of Blockstore new Changed", "load_factor: 2 -> 7")
}

func TestDeletionWithAnUnknownOutcomeIsReported(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	r.MustApply(storeKinds[0].config("new"))
	p := r.Plan(nil)
	s.Inject(emulator.Fault{Method: "DELETE", DropAfter: true})
	r.Configure()
	diags := r.Apply(p, nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Delete Blockstore")
	providertest.WantOne(t, diags.Warnings(), "Blockstore new May Have Been Deleted", "load_factor")
	if r.MustRefresh(); !r.State.IsNull() {
		t.Errorf("the state has %v", r.Attributes())
	}
}

func TestReplacementThatCreatesFirstKeepsTheStore(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	config := storeKinds[0].config("new", providertest.Values{"adopt_existing": true})
	r.MustApply(config)
	r.CreateBeforeDestroy = true
	r.Configure()
	diags := r.Apply(r.PlanReplacement(config), nil)
	if calls := s.Calls("DELETE"); len(diags.Errors()) > 0 || len(calls) > 0 {
		t.Errorf("sent %q: %q", calls, diags.Errors())
	}
	providertest.WantOne(t, diags.Warnings(), "Blockstore new Not Deleted", "create_before_destroy")
}

// A PUT replaces the whole store, so without turns, one change would undo the other.
func TestTwoResourcesOfARunKeepEachOthersFields(t *testing.T) {
	t.Parallel()
	s, one := providertest.StartResource(t, storeKinds[0].typeName, emulator.Options{})
	two := one.NewResource(one.TypeName)
	config := storeKinds[0].config("new", providertest.Values{"adopt_existing": true})
	one.MustApply(config)
	two.MustApply(config)
	labels, capacity := providertest.With(config, providertest.Values{"labels": []any{"west"}, "max_capacity_gb": nil}), providertest.With(config, providertest.Values{"labels": nil, "max_capacity_gb": 77})
	p, q := one.Plan(labels), two.Plan(capacity)
	one.Configure() // Terraform starts one process for the apply of both
	s.Inject(emulator.Fault{Method: http.MethodPut, Times: 2, Delay: 200 * time.Millisecond})
	var group sync.WaitGroup
	for m, planned := range map[*providertest.Resource]*providertest.Plan{one: p, two: q} {
		group.Go(func() {
			if errors := m.Apply(planned, nil).Errors(); len(errors) > 0 {
				t.Errorf("got %q", errors)
			}
		})
	}
	group.Wait()
	one.MustBeSettled(labels)
	two.MustBeSettled(capacity)
}
