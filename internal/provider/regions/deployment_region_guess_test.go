package regions_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// guessedRegion returns a resource that found a region after its create request got no response.
// Someone else created the region, with the same values.
func guessedRegion(t *testing.T, config providertest.Values) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
	p := r.Plan(config)
	s.SetRegion("NEW", regionBody(map[string]any{"assignmentEnabled": true}))
	s.Inject(emulator.Fault{Method: "GET", Path: "NEW", Status: 404, Body: `{"error": 404, "detail": "No such region."}`})
	s.Inject(emulator.Fault{Method: "POST", Status: 500})
	diags := r.Apply(p, nil)
	if len(diags.Errors()) > 0 {
		t.Fatalf("apply: %q", diags.Errors())
	}
	if config["adopt_existing"] != true {
		providertest.WantOne(t, diags.Warnings(), "Deployment Region NEW May Belong to Someone Else", "did not exist before", "adopt_existing = true", "terraform import ADDRESS NEW")
	}
	for range 2 {
		refreshedAgain(r)
		providertest.WantEmptyPlan(t, r.Plan(config))
	}
	refreshedAgain(r)
	s.ResetRequests()
	return s, r
}

// refreshedAgain refreshes a resource as the next run does.
func refreshedAgain(r *providertest.Resource) {
	r.Configure()
	r.MustRefresh()
}

func TestGuessedRegionIsNotDeleted(t *testing.T) {
	t.Parallel()
	config := providertest.Region("NEW", nil)
	adopting := providertest.Region("NEW", providertest.Values{"adopt_existing": true})
	const kept = "Deployment Region NEW Removed Only From the State"

	t.Run("destroyed", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		warnings := r.Destroy().Warnings()
		if len(warnings) != 2 {
			t.Fatalf("the plan and the apply warn %q", warnings)
		}
		for _, warning := range warnings {
			providertest.WantContains(t, warning, kept, "does not delete the region")
		}
		providertest.WantNoState(t, r)
		providertest.WantWrites(t, s)
	})

	t.Run("destroyed without a refresh", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		r.Configure()
		providertest.WantContains(t, r.Destroy().Warnings()[0], kept)
		providertest.WantWrites(t, s)
	})

	for name, createBeforeDestroy := range map[string]bool{"": false, ", created before it is destroyed": true} {
		t.Run("replaced by another region"+name, func(t *testing.T) {
			t.Parallel()
			s, r := guessedRegion(t, config)
			r.CreateBeforeDestroy = createBeforeDestroy
			p := r.Plan(providertest.Region("OTHER", nil))
			providertest.WantOne(t, p.Warnings(), kept)
			if diags := r.Apply(p, nil); len(diags.Errors()) > 0 {
				t.Fatalf("apply: %q", diags.Errors())
			}
			providertest.WantWrites(t, s, "POST "+providertest.RegionsPath)

			refreshedAgain(r)
			if diags := r.Destroy(); len(diags.Errors()) > 0 {
				t.Fatalf("destroy: %q", diags.Errors())
			}
			providertest.WantWrites(t, s, "POST "+providertest.RegionsPath, "DELETE "+providertest.RegionsPath+"/OTHER")
		})

		t.Run("replaced by itself"+name, func(t *testing.T) {
			t.Parallel()
			s, r := guessedRegion(t, config)
			r.CreateBeforeDestroy = createBeforeDestroy
			providertest.WantOne(t, r.PlanReplacement(config).Errors(), "Unable to Replace Deployment Region")
			r.Configure()
			if diags := r.Apply(r.PlanReplacement(adopting), nil); len(diags.Errors()) > 0 {
				t.Fatalf("apply: %q", diags.Errors())
			}
			providertest.WantWrites(t, s)
		})

		t.Run("tainted"+name, func(t *testing.T) {
			t.Parallel()
			s, r := guessedRegion(t, config)
			r.CreateBeforeDestroy, r.Tainted = createBeforeDestroy, true
			p := r.Plan(adopting)
			providertest.WantOne(t, p.Warnings(), kept)
			if diags := r.Apply(p, nil); len(diags.Errors()) > 0 {
				t.Fatalf("apply: %q", diags.Errors())
			}
			providertest.WantWrites(t, s)
		})
	}

	// The plan doesn't show the provider what is destroyed.
	t.Run("tainted, without a refresh", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		r.Configure()
		r.Tainted = true
		providertest.WantOne(t, r.Apply(r.Plan(adopting), nil).Errors(), "Unable to Replace Deployment Region", "-refresh=false", "terraform untaint")
		r.Tainted = false
		r.Destroy()
		providertest.WantWrites(t, s)
	})

	t.Run("tainted and protected", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, providertest.Region("NEW", providertest.Values{"deletion_protection": true}))
		r.Configure()
		r.Tainted = true
		providertest.WantOne(t, r.Apply(r.Plan(adopting), nil).Errors(), "Deployment Region Is Protected")
		r.Tainted = false
		r.Create(config)
		refreshedAgain(r)
		providertest.WantContains(t, r.Destroy().Warnings()[0], kept)
		providertest.WantWrites(t, s)
	})

	// Terraform then stores the private data of the plan, which had none.
	t.Run("a known region, tainted, without a refresh", func(t *testing.T) {
		t.Parallel()
		for _, more := range []providertest.Values{nil, {"adopt_existing": true}} {
			s, r := providertest.StartResource(t, providertest.RegionType, emulator.Options{Profile: emulator.Full})
			created := providertest.Region("NEW", more)
			r.Create(created)
			r.Configure()
			r.Tainted = true
			providertest.WantOne(t, r.Apply(r.Plan(adopting), nil).Errors(), "Unable to Replace Deployment Region", "lost the record", "terraform import ADDRESS NEW")
			r.Tainted = false
			refreshedAgain(r)
			providertest.WantEmptyPlan(t, r.Plan(created))
			s.ResetRequests()
			r.Destroy()
			if wantsDelete := more != nil; wantsDelete != (len(s.Writes()) > 0) {
				t.Errorf("adopted %v, sent %q", wantsDelete, s.Writes())
			}
		}
	})

	t.Run("protected", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, providertest.Region("NEW", providertest.Values{"deletion_protection": true}))
		providertest.WantOne(t, r.Destroy().Errors(), "Deployment Region Is Protected")
		providertest.WantWrites(t, s)
	})
}

func TestGuessedRegionIsNotChanged(t *testing.T) {
	t.Parallel()
	config := providertest.Region("NEW", nil)
	words := []string{"[deployment_id]", "Unable to Update Deployment Region", "adopt_existing = true", "terraform import ADDRESS NEW", "-refresh=false"}

	t.Run("a changed configuration", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		providertest.WantOne(t, r.Plan(providertest.Region("NEW", providertest.Values{"deployment_description": "Changed"})).Errors(), words...)
		providertest.WantWrites(t, s)
	})

	t.Run("changed by its owner", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		s.SetRegion("NEW", map[string]any{"deploymentDescription": "Theirs"})
		refreshedAgain(r)
		providertest.WantOne(t, r.Plan(config).Errors(), words...)
		providertest.WantWrites(t, s)
	})

	t.Run("a value that is known after the plan", func(t *testing.T) {
		t.Parallel()
		for _, late := range []providertest.Values{
			{"deployment_description": "Changed"},
			{"deployment_description": "Changed", "adopt_existing": false},
		} {
			s, r := guessedRegion(t, config)
			unknown := providertest.With(config, late)
			for attribute := range late {
				unknown[attribute] = providertest.Unknown
			}
			p := r.Plan(unknown)
			providertest.WantOne(t, r.Apply(p, late).Errors(), words...)
			providertest.WantAttributes(t, r, config)
			providertest.WantWrites(t, s)
			r.Destroy()
			providertest.WantWrites(t, s)
		}
	})

	t.Run("a setting", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		r.Create(providertest.Region("NEW", providertest.Values{"deletion_protection": false}))
		refreshedAgain(r)
		r.Destroy()
		providertest.WantWrites(t, s)
	})
}

func TestGuessedRegionBecomesKnown(t *testing.T) {
	t.Parallel()
	config := providertest.Region("NEW", nil)
	changed := providertest.Region("NEW", providertest.Values{"deployment_description": "Changed", "adopt_existing": true})
	wantDeleted := func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		t.Helper()
		s.ResetRequests()
		refreshedAgain(r)
		providertest.WantContains(t, r.Destroy().Warnings()[0], "Deletion of Deployment Region NEW", "different provider alias", "moved block")
		providertest.WantWrites(t, s, "DELETE "+providertest.RegionsPath+"/NEW")
	}

	t.Run("adopted by a change", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		r.Create(changed)
		providertest.WantWrites(t, s, "PUT "+providertest.RegionsPath+"/NEW")
		wantDeleted(t, s, r)
	})

	t.Run("adopted without a change", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		r.Create(providertest.Region("NEW", providertest.Values{"adopt_existing": true}))
		providertest.WantWrites(t, s)
		wantDeleted(t, s, r)
	})

	t.Run("adopted when it was created", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, providertest.Region("NEW", providertest.Values{"adopt_existing": true}))
		wantDeleted(t, s, r)
	})

	t.Run("imported", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		r.ImportID("NEW")
		wantDeleted(t, s, r)
	})

	t.Run("gone, and created again", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		s.RemoveRegion("NEW")
		refreshedAgain(r)
		r.Create(config)
		wantDeleted(t, s, r)
	})

	t.Run("not by an update that fails", func(t *testing.T) {
		t.Parallel()
		s, r := guessedRegion(t, config)
		s.Inject(emulator.Fault{Method: "PUT", Status: 400})
		providertest.WantOne(t, r.Apply(r.Plan(changed), nil).Errors(), "Unable to Update Deployment Region")
		s.ResetRequests()
		refreshedAgain(r)
		r.Destroy()
		providertest.WantWrites(t, s)
	})
}
