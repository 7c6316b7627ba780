package putresource_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// These tests are about the lifecycle. A region stands for all types, because it has no more than that.

const at = providertest.RegionsPath + "/NEW"

// regionBody returns the request body of providertest.Region.
func regionBody(more object) object {
	body := object{
		"deploymentDescription": "Test",
		"ingestionEndpoint":     "https://om.example.com:8443",
		"restoreEndpoint":       "https://om.example.com:8443",
		"bqProxyEndpoint":       "om.example.com:27217",
	}
	maps.Copy(body, more)
	return body
}

func region(more values) values { return providertest.Region("NEW", more) }

// regionOn returns a region on a service without a state.
func regionOn(t *testing.T, s *providertest.Service) *providertest.Resource {
	t.Helper()
	return providertest.NewWorkspace(t, s).NewResource(providertest.RegionType)
}

// inBubble runs a test on a service in memory, in which waits take no time.
func inBubble(t *testing.T, test func(t *testing.T, s *providertest.Service, r *providertest.Resource), options ...emulator.Options) {
	t.Helper()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := providertest.StartResourceInMemory(t, providertest.RegionType, options...)
		test(t, s, r)
	})
}

// exists creates the region outside Terraform.
func exists(s *providertest.Service, more object) {
	s.SetRegion("NEW", regionBody(providertest.With(object{"assignmentEnabled": true}, more)))
}

// regionFields are the fields of a region: the attribute, the API's name, and a value that differs
// from those of the tests' regions.
var regionFields = []struct {
	attribute, field string
	other            any
}{
	{"deployment_description", "deploymentDescription", "Clicked"},
	{"ingestion_endpoint", "ingestionEndpoint", "https://clicked.example.com"},
	{"restore_endpoint", "restoreEndpoint", "https://clicked.example.com"},
	{"bq_proxy_endpoint", "bqProxyEndpoint", "clicked.example.com:1"},
	{"assignment_enabled", "assignmentEnabled", false},
}

// without returns a region as a document in which a field is missing or null.
func without(field string, isNull bool) string {
	live := regionBody(object{"id": "NEW", "assignmentEnabled": true})
	if delete(live, field); isNull {
		live[field] = nil
	}
	return providertest.JSON(live)
}

// planBeside creates the region, and plans a change of another field than a given one.
func planBeside(r *providertest.Resource, field string) (changed string, config values, p *providertest.Plan) {
	assigned := values{"assignment_enabled": true}
	changed, attribute := "restoreEndpoint", "restore_endpoint"
	if field == changed {
		changed, attribute = "ingestionEndpoint", "ingestion_endpoint"
	}
	r.Create(region(assigned))
	config = region(assigned.With(values{attribute: "https://changed.example.com"}))
	return changed, config, r.Plan(config)
}

// A replacement sends all values, so each must be as the plan saw it.
func TestUpdateRefusesEachValueThatAnotherClientHasChangedSinceThePlan(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		t.Run(f.attribute, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				_, config, p := planBeside(r, f.field)
				before := r.Attributes()
				s.SetRegion("NEW", object{f.field: f.other})
				s.ResetRequests()
				providertest.WantOne(
					t, r.Apply(p).Errors(), "[deployment_id]", "Unable to Update Deployment Region",
					fmt.Sprintf("changed since the plan: %s is %#v, and the plan showed %#v.", f.attribute, f.other, before[f.attribute]),
					"Plan again",
				)
				providertest.WantWrites(t, s)
				providertest.WantAttributes(t, r, before)

				r.MustRefresh()
				r.Create(config)
				r.MustBeSettled(config)
			})
		})
	}
}

// Two resources of one state may have the same object, each after an import.
func TestPlanThatKeepsAnObjectTwiceFails(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		exists(s, nil)
		two := r.NewResource(providertest.RegionType)
		for _, one := range []*providertest.Resource{r, two} {
			one.ImportID("NEW")
		}
		r.Configure()
		providertest.WantEmptyPlan(t, r.Plan(region(nil)))
		two.Plan(region(nil)).WantError(t, "[deployment_id] Deployment Region in Two Resources", "manage the region", "terraform state rm")
	})
}

// Another client may have changed it, and a PUT replaces the whole object.
func TestUpdateRefusesWhatIsNoLongerReturned(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		for _, isNull := range []bool{false, true} {
			t.Run(fmt.Sprint(f.attribute, isNull), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
					_, _, p := planBeside(r, f.field)
					s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 200, Body: without(f.field, isNull)})
					s.ResetRequests()
					is, advice := " is not returned", "terraform state rm ADDRESS"
					if isNull {
						is, advice = " is not set", "Plan again."
					}
					r.Apply(p).WantError(t, "changed since the plan: "+f.attribute+is, advice)
					providertest.WantWrites(t, s)
				})
			})
		}
	}
}

func TestPUTThatWouldLackARequiredFieldIsNotSent(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 200, Body: without("restoreEndpoint", true)})
		r.ImportID("NEW")
		config := region(values{"deployment_description": "Changed", "restore_endpoint": nil})
		r.Apply(r.Plan(config)).WantError(
			t, "[restore_endpoint]", "Unable to Update Deployment Region", "must send the whole region",
			"Configure restore_endpoint as well",
		)
		providertest.WantWrites(t, s)
	})
}

func TestEmptyResponseToAnUpdateCountsIfAReadConfirmsIt(t *testing.T) {
	t.Parallel()
	for _, takesEffect := range []bool{true, false} {
		d := providertest.StartFaultProxy(t)
		r := regionOn(t, d.Service)
		r.Create(region(nil))
		d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
			switch {
			case request.Method != http.MethodPut:
				service.ServeHTTP(w, request)
			case takesEffect:
				providertest.Record(request, service)
			}
		})
		errors := r.Apply(r.Plan(region(values{"deployment_description": "Changed"}))).Errors()
		if takesEffect && len(errors) > 0 {
			t.Errorf("got %q", errors)
		} else if !takesEffect {
			providertest.WantOne(t, errors, "Unable to Update Deployment Region", "PUT "+at)
		}
	}
}

func TestUpdateDoesNotCreateWhatIsGone(t *testing.T) {
	t.Parallel()
	for _, isSeen := range []bool{true, false} { // or it vanishes between the last read and the request
		inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			r.Create(region(nil))
			p := r.Plan(region(values{"restore_endpoint": "https://changed.example.com"}))
			words := []string{"Unable to Update Deployment Region", "No such region"}
			if isSeen {
				words = []string{"[deployment_id]", "Unable to Update Deployment Region", `"NEW" no longer exists`, "404", "Plan again"}
				s.RemoveRegion("NEW")
			} else {
				s.Inject(emulator.Fault{
					Method: "PUT", Status: 404,
					Body: `{"error": 404, "errorCode": "BACKUP_DEPLOYMENT_NOT_FOUND", "detail": "No such region."}`,
				})
			}
			r.Apply(p).WantError(t, words...)
			providertest.WantAttributes(t, r, region(nil))
		})
	}
}

// adjusting runs a test on a service that adjusts each region.
func adjusting(t *testing.T, adjust func(region object), test func(t *testing.T, r *providertest.Resource)) {
	t.Helper()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		d.Handle(providertest.Rewrite(func(_ *http.Request, document object) { adjust(document) }))
		test(t, regionOn(t, d.Service))
	})
}

func TestAdjustedValuesAreErrors(t *testing.T) {
	t.Parallel()
	slash := func(region object) {
		if region["restoreEndpoint"] == "https://r.example.com" {
			region["restoreEndpoint"], region["assignmentEnabled"] = "https://r.example.com/", true
		}
	}
	config := region(values{"restore_endpoint": "https://r.example.com"})
	adjusting(t, slash, func(t *testing.T, r *providertest.Resource) {
		errors := r.Apply(r.Plan(config)).Errors()
		if len(errors) != 2 || !strings.Contains(errors[0], "[restore_endpoint] Ops Manager Adjusted the Value") ||
			!strings.Contains(errors[1], "left out of the Terraform state") {
			t.Errorf("a creation: %q", errors)
		}
		providertest.WantNoState(t, r)
	})
	adjusting(t, slash, func(t *testing.T, r *providertest.Resource) {
		r.Create(region(nil))
		r.Apply(r.Plan(config)).WantError(t, "[restore_endpoint]", "Adjusted")
		providertest.WantAttributes(t, r, values{"restore_endpoint": "https://r.example.com/"})
	})
}

func TestValueThatChangesAlongIsAWarning(t *testing.T) {
	t.Parallel()
	for attribute, test := range map[string]struct {
		field string
		along any
	}{
		"assignment_enabled": {"assignmentEnabled", true},
		"ingestion_endpoint": {"ingestionEndpoint", nil},
	} {
		along := func(region object) {
			if region["deploymentDescription"] == "Changed" {
				region[test.field] = test.along
			}
		}
		adjusting(t, along, func(t *testing.T, r *providertest.Resource) {
			r.Create(region(nil))
			config := region(values{"deployment_description": "Changed", "ingestion_endpoint": nil})
			before := r.Attributes()[attribute]
			diags := r.Apply(r.Plan(config))
			problems := append(diags.Errors(), diags.Warnings()...)
			says := "-> " + map[bool]string{true: "null", false: "true"}[test.along == nil]
			providertest.WantOne(t, problems, "Other Values of Deployment Region NEW Changed", attribute, says)
			providertest.WantAttributes(t, r, values{attribute: before}) // as planned, until the next refresh
			r.MustBeSettled(config)
		})
	}
}

func TestCreationWithoutAnAnswerStoresNothing(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulator.Fault{{DropAfter: true}, {Status: 500}, {Status: 200}} {
		inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			p := r.Plan(region(nil))
			fault.Method = "POST"
			s.Inject(fault)
			diags := r.Apply(p)
			providertest.WantOne(
				t, append(diags.Errors(), diags.Warnings()...), "Unable to Create Deployment Region",
				"POST "+providertest.RegionsPath, "may have taken effect", "Nothing was stored", "how to import it",
			)
			providertest.WantNoState(t, r)
		})
	}
}

// The code is the one that the API documents.
func TestOnlyTheDocumentedCodeMeansThatAnObjectIsGone(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"no code":        {Status: 404, Body: `{"error": 404, "detail": "No such region."}`},
		"no right":       {Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED"}`},
		"a login page":   {Status: 200, Body: "<html><title>Log in</title></html>"},
		"another region": {Status: 200, Body: `{"id": "OTHER"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				creator, destroyed := r.NewResource(providertest.RegionType), region(nil)
				r.Create(destroyed)
				update, creation := r.Plan(region(values{"deployment_description": "Changed"})), creator.Plan(providertest.Region("NEWER", nil))
				s.ResetRequests()
				fault.Method, fault.Times = "GET", -1
				s.Inject(fault)
				r.Refresh().WantError(t, "Unable to Read Deployment Region")
				r.NewResource(providertest.RegionType).Plan(providertest.Region("NEXT", nil)).WantError(t, "Unable to Preview Deployment Region")
				creator.Apply(creation).WantError(t, "Unable to Create Deployment Region")
				r.Apply(update).WantError(t, "Unable to Update Deployment Region")
				r.Destroy().WantError(t, "Unable to Delete Deployment Region", "Nothing was changed")
				providertest.WantAttributes(t, r, region(nil))
				providertest.WantNoState(t, creator)
				providertest.WantWrites(t, s)
			})
		})
	}
}

func TestWhatExistsIsNotCreated(t *testing.T) {
	t.Parallel()
	words := []string{
		"[deployment_id]", "Deployment Region NEW Already Exists", "add this import block", "first run 'terraform state rm ADDRESS'",
		"import {\n    to = opsmanager_deployment_region.NAME\n    id = \"NEW\"\n  }", "moved block", "terraform untaint",
		"-refresh=false",
	}
	for name, plan := range map[string]func(r *providertest.Resource) *providertest.Plan{
		"a creation": func(r *providertest.Resource) *providertest.Plan {
			return r.NewResource(providertest.RegionType).Plan(region(nil))
		},
		"a replacement": func(r *providertest.Resource) *providertest.Plan { return r.PlanReplacement(region(nil)) },
		"a kept one": func(r *providertest.Resource) *providertest.Plan {
			return r.PlanReplacement(region(values{"on_destroy": "keep"}))
		},
		"a tainted object": func(r *providertest.Resource) *providertest.Plan { r.Tainted = true; return r.Plan(region(nil)) },
		"a rename": func(r *providertest.Resource) *providertest.Plan {
			r.Configure()
			r.Plan(nil)
			return r.NewResource(providertest.RegionType).Plan(region(nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				r.Create(region(nil))
				s.ResetRequests()
				plan(r).WantError(t, words...)
				providertest.WantWrites(t, s)
			})
		})
	}
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		p := r.Plan(region(nil))
		exists(s, nil) // after the plan
		r.Apply(p).WantError(t, words[:4]...)
		providertest.WantNoState(t, r)
		providertest.WantWrites(t, s)
	})
}

// Terraform plans a tainted resource like a new one, so no plan has shown what its destroy ends.
func TestATaintedObjectWithAnotherIDIsNotEnded(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		s.ResetRequests()
		r.Tainted = true
		other := region(values{"deployment_id": "OTHER"})
		r.MustRefresh()
		begin := time.Now()
		p := r.Plan(other)
		p.WantWarning(t, "Tainted Resource Would End deployment_region NEW", "terraform untaint")
		if waited := time.Since(begin); waited < 100*time.Millisecond {
			t.Errorf("the plan waited %s for the plan of the resource", waited)
		}
		r.Apply(p).WantError(t, "Tainted Resource Not Destroyed", "Deployment Region NEW", "terraform untaint")
		begin = time.Now()
		r.NewResource(r.TypeName).Plan(region(values{"deployment_id": "THIRD"})).WantNone(t)
		if waited := time.Since(begin); waited > 50*time.Millisecond {
			t.Errorf("the next plan waited %s", waited)
		}
		providertest.WantWrites(t, s)
	})
}

func TestATaintedResourceDoesNotEndAnObjectThatAnotherOneKeeps(t *testing.T) {
	t.Parallel()
	for _, isFirst := range []bool{true, false} { // such as one that the other one depends on
		inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			r.Create(region(nil))
			kept := r.NewResource(r.TypeName)
			kept.State, kept.Identity, kept.Private = r.State, r.Identity, r.Private
			r.Tainted = true
			r.Configure()
			r.MustRefresh()
			other := region(values{"deployment_id": "OTHER"})
			if isFirst {
				r.Plan(other).WantWarning(t, "Tainted Resource Would End deployment_region NEW", "terraform untaint")
				kept.MustRefresh()
				kept.Plan(region(nil)).WantError(t, "Deployment Region Destroyed and Managed in One Plan", "terraform untaint", "-refresh=false")
				return
			}
			kept.MustRefresh()
			providertest.WantEmptyPlan(t, kept.Plan(region(nil)))
			r.Plan(other).WantError(t, "Tainted Resource Would End deployment_region NEW", "-refresh=false")
		})
	}
}

func TestATaintedResourceThatIsProtectedIsNotReplaced(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, _ *providertest.Service, r *providertest.Resource) {
		r.Create(region(values{"deletion_protection": true}))
		r.Tainted = true
		r.MustRefresh()
		r.Plan(region(values{"deployment_id": "OTHER"})).WantError(t, "Tainted Resource Would End deployment_region NEW", "terraform untaint")
	})
}

// Terraform may be slow, so that another resource takes it for a tainted one.
func TestAResourceThatIsPlannedLateKeepsItsObject(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		other := r.NewResource(r.TypeName)
		r.Configure()
		r.MustRefresh()
		other.Plan(region(values{"deployment_id": "OTHER"})).WantWarning(t, "Tainted Resource Would End deployment_region NEW")
		providertest.WantEmptyPlan(t, r.Plan(region(nil)))
	})
}

// A refresh takes as long as its request, and may fail.
func TestAnObjectIsNotTakenForATaintedOneDuringItsRefresh(t *testing.T) {
	t.Parallel()
	for _, fault := range []emulator.Fault{{Delay: 20 * time.Second}, {Status: http.StatusForbidden}} {
		inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			r.Create(region(nil))
			r.Configure()
			fault.Method, fault.Path, fault.Times = "GET", at, 5
			s.Inject(fault)
			refreshed := make(chan bool)
			go func() {
				if len(r.Refresh().Errors()) == 0 {
					r.Plan(region(nil))
				}
				close(refreshed)
			}()
			time.Sleep(10 * time.Second)
			r.NewResource(r.TypeName).Plan(region(values{"deployment_id": "OTHER"})).WantNone(t)
			<-refreshed
		})
	}
}

// Between the refresh and the plan of a resource, other ones are planned.
func TestObjectWhosePlanFollowsItsRefreshIsNotTakenForATaintedOne(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		r.MustRefresh()
		go func() {
			time.Sleep(50 * time.Millisecond)
			providertest.WantEmptyPlan(t, r.Plan(region(nil)))
		}()
		other := r.NewResource(r.TypeName)
		other.Plan(region(values{"deployment_id": "OTHER"})).WantNoErrors(t)
	})
}

func TestWhatAPlanDeletesItDoesNotKeep(t *testing.T) {
	t.Parallel()
	for _, createsFirst := range []bool{false, true} {
		inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
			r.Create(region(nil))
			r.Configure()
			other := *r // at another address, or deposed
			plans := []func() *providertest.Plan{
				func() *providertest.Plan { return other.Plan(nil) },
				func() *providertest.Plan { return r.Plan(region(nil)) },
			}
			if createsFirst {
				slices.Reverse(plans)
			}
			if first := plans[0](); len(first.Errors()) > 0 {
				t.Fatalf("got %q", first.Errors())
			}
			providertest.WantOne(
				t, plans[1]().Errors(), "[deployment_id]", "Destroyed and Managed in One Plan", "moved {",
				"removed block with destroy = false", "terraform state rm ADDRESS", "untaint",
			)
		})
	}
}

func TestDestroyDoesWhatOnDestroySays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings values
		plan     string // a warning
		sends    []string
	}{
		"by default": {nil, "Deployment Region NEW Will Be Deleted", []string{"DELETE " + at}},
		"keep":       {values{"on_destroy": "keep"}, "Deployment Region NEW Will Be Removed Only From the State", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				r.Create(region(c.settings))
				s.ResetRequests()
				p := r.Plan(nil)
				p.WantWarning(t, c.plan)
				diags := r.Apply(p)
				if c.sends != nil {
					diags.WantWarning(
						t, "Deployment Region NEW Deleted", `resource "opsmanager_deployment_region" "example"`,
						`deployment_description = "Test"`, `assignment_enabled     = false`,
					)
				}
				providertest.WantWrites(t, s, c.sends...)
				providertest.WantNoState(t, r)
			})
		})
	}
}

func TestProtectedObjectIsNeitherDestroyedNorReplaced(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		config := region(values{"deletion_protection": true, "on_destroy": "keep"})
		r.Create(config)
		s.ResetRequests()
		r.Plan(nil).WantError(
			t, "[deletion_protection]", "Deployment Region Is Protected",
			"If you renamed the resource, add a moved block. Otherwise, set deletion_protection = false and apply",
		)
		r.Plan(providertest.Region("NEWER", nil)).WantError(t, "[deletion_protection]", "add one with the new ID")
		r.Apply(&providertest.Plan{Config: r.Null(), Prior: r.State, After: r.Null()}, nil).WantError(t, "deletion_protection", "no request was sent")
		providertest.WantWrites(t, s)
	})
}

func TestDeletionRefusesWhatItsPlanDidNotShow(t *testing.T) {
	t.Parallel()
	for _, f := range regionFields {
		// Terraform 1.10 and 1.11 plan to destroy what is no longer configured as it was before the refresh.
		for _, isBeforeThePlan := range []bool{false, true} {
			t.Run(fmt.Sprint(f.attribute, isBeforeThePlan), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
					r.Create(region(values{"assignment_enabled": true}))
					was := s.Region("NEW")[f.field]
					p := r.Plan(nil)
					s.SetRegion("NEW", object{f.field: f.other})
					if isBeforeThePlan {
						r.Configure()
						p = r.Plan(nil)
					}
					s.ResetRequests()
					providertest.WantOne(t, r.Apply(p).Errors(), "[deployment_id]", "Unable to Delete Deployment Region",
						fmt.Sprintf(
							"changed since the plan: %s is %#v, and the plan showed %#v.", f.attribute, f.other, was,
						), "Plan again", "terraform apply -refresh-only")
					providertest.WantWrites(t, s)
					r.MustRefresh() // drift does not stop the next destroy
					if errors := r.Destroy().Errors(); len(errors) > 0 || s.Region("NEW") != nil {
						t.Errorf("got %q", errors)
					}
				})
			})
		}
	}
}

func TestDeletionRefusesWhatIsNoLongerReturned(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		p := r.Plan(nil)
		s.Inject(emulator.Fault{Method: "GET", Times: -1, Status: 200, Body: without("restoreEndpoint", false)})
		s.SetRegion("NEW", object{"assignmentEnabled": true})
		errors := r.Apply(p).Errors()
		providertest.WantOne(t, errors, "restore_endpoint is not returned, and the plan showed ", "assignment_enabled is true, and the plan showed false.")
	})
}

func TestDeletionWithoutAnAnswerKeepsTheState(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		s.Inject(emulator.Fault{Method: http.MethodDelete, Status: 500, Times: -1})
		r.Destroy().WantError(t, "Unable to Delete Deployment Region", "stays in the Terraform state")
		providertest.WantAttributes(t, r, region(nil))
	})
}

func TestImportOfWhatDoesNotExistReportsTheReason(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.ImportID("NOWHERE").WantError(t, "Unable to Import Deployment Region", `no region "NOWHERE"`, "BACKUP_DEPLOYMENT_NOT_FOUND", "remove the import")
		s.Inject(emulator.Fault{Method: "GET", Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "Not yours."}`})
		r.ImportID(providertest.Oceania).WantError(t, "Unable to Import Deployment Region", "Not yours.", "Global Backup Admin")
	})
}

func TestCreationLacksNothingThatOpsManagerRequires(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Plan(values{"deployment_id": "NEW"}).WantError(t, "[deployment_description]", `There is no region "NEW"`, "requires deployment_description", "404")
		r.Plan(region(values{"restore_endpoint": nil})).WantError(t, "[restore_endpoint]", "requires restore_endpoint as well")
		late := r.Plan(region(values{"restore_endpoint": providertest.Unknown}))
		r.Apply(late, values{"restore_endpoint": nil}).WantError(t, "[restore_endpoint]", "Unable to Create Deployment Region")
		providertest.WantWrites(t, s)
	})
}

func TestSettingsOfTheProviderMayBeKnownLate(t *testing.T) {
	t.Parallel()
	s, known := providertest.StartResource(t, providertest.RegionType)
	known.Create(region(nil))
	s.ResetRequests()
	r := providertest.NewWorkspace(t, s, values{"base_url": providertest.Unknown, "private_key": providertest.Unknown}).NewResource(providertest.RegionType)
	p := r.Plan(providertest.Region("NEWER", nil))
	if len(p.Errors())+len(p.Warnings()) > 0 {
		t.Errorf("got %v %v", p.Errors(), p.Warnings())
	}
	r.Apply(p).WantError(t, "Unable to Create Deployment Region", "base_url, private_key")
	r.State = known.State
	r.Refresh().WantWarning(t, "Not Read", "base_url, private_key")
	r.Destroy().WantError(t, "base_url, private_key")
	providertest.WantAttributes(t, r, values{"deployment_description": "Test"})
	r.Apply(r.Plan(region(values{"restore_endpoint": "x"}))).WantError(t, "Unable to Update Deployment Region", "base_url, private_key")
	if got := s.Calls(); len(got) > 0 {
		t.Errorf("called %q", got)
	}
}

// Terraform does not configure the provider to plan a destroy.
func TestDestroyIsPlannedWithoutAConfiguredProvider(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		r.Server = s.NewServer(0)
		r.Plan(nil).WantWarning(t, "Deployment Region NEW Will Be Deleted")
	})
}
func TestFieldThatBecomesNullIsDrift(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		config := region(values{"assignment_enabled": true})
		r.Create(config)
		s.Inject(emulator.Fault{Method: "GET", Status: 200, Body: without("restoreEndpoint", true)})
		r.MustRefresh()
		if got := r.Plan(config).Changes(); !slices.Equal(got, []string{"restore_endpoint"}) {
			t.Errorf("the plan changes %v", got)
		}
	})
}

func TestConflictExplainsHowToImportTheRegion(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.RegionType)
	p := r.Plan(providertest.Region(providertest.Europe, values{"deployment_id": "it's"}))
	s.Inject(emulator.Fault{Method: "POST", Status: 409, Body: `{"error": 409, "detail": "It exists."}`})
	r.Apply(p).WantError(t, "409", "already exists", `id = "it's"`)
	providertest.WantNoState(t, r)
}

func TestOnlyARefusedDeletionHasAdviceToUnbind(t *testing.T) {
	t.Parallel()
	for body, advised := range map[string]bool{
		`{"error": 403, "detail": "It is bound."}`:                     true,
		`{"error": 403, "errorCode": "REGION_IN_USE"}`:                 true,
		`{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST"}`: false,
		`{"error": 403, "errorCode": "USER_UNAUTHORIZED"}`:             false,
	} {
		s, r := providertest.StartResource(t, providertest.RegionType)
		r.ImportID(providertest.Oceania)
		s.Inject(emulator.Fault{Method: "DELETE", Status: 403, Body: body})
		diags := strings.Join(r.Destroy().Errors(), "\n")
		if got := strings.Contains(diags, "unbind"); got != advised {
			t.Errorf("%s: advised %v: %s", body, got, diags)
		}
	}
}

func TestErrorAboutAFieldIsOnItsAttribute(t *testing.T) {
	t.Parallel()
	for name, attribute := range map[string]string{"bqProxyEndpoint": "bq_proxy_endpoint", "deploymentId": "deployment_id"} {
		s, r := providertest.StartResource(t, providertest.RegionType)
		s.Inject(emulator.Fault{
			Method: "POST", Status: 400,
			Body: `{"error": 400, "errorCode": "INVALID_ATTRIBUTE", "detail": "Invalid attribute ` + name + ` specified."}`,
		})
		p := r.Plan(providertest.Region("NEW", nil))
		r.Apply(p).WantError(t, "["+attribute+"] Unable to Create Deployment Region")
	}
}

// Terraform before 1.12 rejects the removal of a resource without an identity.
func TestRemovalFromTheStateHasAnIdentity(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		s.RemoveRegion("NEW")
		r.Identity = nil
		r.MustRefresh()
		if providertest.WantNoState(t, r); r.Identity == nil {
			t.Error("it has none")
		}
	})
}

func TestChangeOfASettingOfTheResourceSendsNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.Create(region(nil))
		p := r.Plan(region(values{"deletion_protection": true, "on_destroy": "keep"}))
		s.ResetRequests()
		r.Apply(p)
		providertest.WantNoCalls(t, s)
	})
}
