package putresource_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// addressed is the configuration of one address in one run.
type addressed struct {
	*providertest.Resource
	config values // nil removes the resource
	late   values // what is unknown in the plan
	region string // of the configuration, or empty
	was    string // the region in the state, or empty

	wasTainted bool
	plan       *providertest.Plan
}

// drawAddressed draws the configuration of an address.
func drawAddressed(t *rapid.T, r *providertest.Resource) addressed {
	a := addressed{Resource: r, late: values{}}
	a.was = a.held()
	r.CreateBeforeDestroy = rapid.IntRange(0, 2).Draw(t, "creates before it destroys") == 0
	r.Tainted = a.was != "" && rapid.IntRange(0, 5).Draw(t, "is tainted") == 0
	a.wasTainted = r.Tainted
	a.region = rapid.SampledFrom([]string{"", "", "NEW", "NEW", providertest.Oceania}).Draw(t, "region")
	if a.region == "" {
		return a
	}
	a.config = values{"deployment_id": a.region}
	if rapid.Bool().Draw(t, "is described") {
		a.config = providertest.Region(a.region, nil)
	}
	if rapid.IntRange(0, 2).Draw(t, "keeps") == 0 {
		a.config["on_destroy"] = "keep"
	}
	if rapid.IntRange(0, 2).Draw(t, "the ID is unknown") == 0 {
		a.late["deployment_id"], a.config["deployment_id"] = a.region, providertest.Unknown
	}
	return a
}

// held returns the region in the state, or an empty text.
func (a addressed) held() string {
	if attributes := a.Attributes(); attributes != nil {
		return fmt.Sprint(attributes["deployment_id"])
	}
	return ""
}

// ends reports whether the plan of an address shows that it destroys a region.
func (a addressed) ends(region string) bool {
	return a.plan != nil && a.was == region && (a.config == nil || a.plan.Replaces)
}

// manages reports whether the plan of an address shows that it keeps, creates or adopts a region.
func (a addressed) manages(region string) bool {
	return a.plan != nil && a.region == region && a.late["deployment_id"] == nil
}

// planAll plans all addresses in one process, and reports whether the plan has no error.
func planAll(t *rapid.T, w *providertest.Workspace, all []addressed) bool {
	w.Configure()
	refreshes := rapid.IntRange(0, 3).Draw(t, "refreshes") > 0
	succeeds := true
	for _, i := range rapid.Permutation(indexes(all)).Draw(t, "order of the plan") {
		a := &all[i]
		if refreshes {
			a.MustRefresh()
			a.was = a.held()
		}
		if a.config == nil && a.State.IsNull() {
			continue
		}
		a.plan = a.Plan(a.config)
		succeeds = succeeds && len(a.plan.Errors()) == 0
	}
	return succeeds
}

func indexes(all []addressed) (found []int) {
	for i := range all {
		found = append(found, i)
	}
	return found
}

// A region is deleted only by an address whose plan shows that, and never while another address keeps or
// adopts it. Nothing tells the provider which region a tainted resource has.
func TestNoSequenceOfRunsDeletesARegionThatNoPlanDeletes(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		s := providertest.ServiceInMemory(emulator.Options{})
		w := providertest.NewWorkspaceOn(t, s.NewServer(80*time.Millisecond), s, nil)
		var resources []*providertest.Resource
		for range 3 {
			resources = append(resources, w.NewResource(providertest.RegionType))
		}
		for range rapid.IntRange(2, 6).Draw(t, "runs") {
			var all []addressed
			for _, r := range resources {
				all = append(all, drawAddressed(t, r))
			}
			if !planAll(t, w, all) {
				continue
			}
			s.ResetRequests()
			w.Configure()
			for _, i := range rapid.Permutation(indexes(all)).Draw(t, "order of the apply") {
				if a := all[i]; a.plan != nil && !a.plan.IsEmpty() {
					a.Apply(a.plan, a.late) // fails if another address comes too early or too late
				}
			}
			for _, region := range []string{"NEW", providertest.Oceania} {
				if !slices.Contains(s.Writes(), "DELETE "+providertest.RegionsPath+"/"+region) {
					continue
				}
				shown := slices.ContainsFunc(all, func(a addressed) bool { return a.ends(region) })
				untainted := slices.ContainsFunc(all, func(a addressed) bool { return a.ends(region) && !a.wasTainted })
				managed := slices.ContainsFunc(all, func(a addressed) bool { return a.manages(region) && !a.ends(region) })
				if !shown || untainted && managed {
					t.Fatalf("region %s was deleted: %q", region, s.Writes())
				}
			}
		}
	})
}
