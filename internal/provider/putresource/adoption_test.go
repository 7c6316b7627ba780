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

// These tests are about adoption. A backup daemon stands for all types whose objects exist without Terraform.

// Daemons of the seed.
const (
	daemonHost      = "om-au.example.com"
	otherDaemonHost = "om-ny.example.com"
	newDaemonHost   = "om-eu.example.com" // is not configured
	headDirectory   = "/data/backup/"
	daemonAt        = "/admin/backup/daemon/configs/" + daemonHost + "/%2Fdata%2Fbackup%2F"
)

// daemon returns the configuration of a daemon.
func daemon(more values) values {
	return providertest.With(values{"machine": daemonHost, "head_root_directory": headDirectory, "num_workers": 4, "assignment_enabled": true}, more)
}

// daemonInBubble runs a test on a service in memory whose daemon has six workers.
func daemonInBubble(t *testing.T, test func(t *testing.T, s *providertest.Service, r *providertest.Resource)) {
	t.Helper()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := providertest.StartResourceInMemory(t, providertest.DaemonType)
		s.SetBackupDaemon(daemonHost, headDirectory, object{"numWorkers": 6})
		test(t, s, r)
	})
}

// overwritten returns overwrites in a plan or a state, without what is null.
func overwritten(values values) values {
	texts, _ := values["overwrites"].(providertest.Values)
	maps.DeleteFunc(texts, func(_ string, text any) bool { return text == nil })
	return texts
}

func TestPlanOfAnAdoptionShowsWhatItOverwrites(t *testing.T) {
	t.Parallel()
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		config := daemon(values{"garbage_collection_enabled": false})
		p := r.Plan(config)
		want := values{"num_workers": "6 -> 4", "garbage_collection_enabled": "true -> false"}
		if got := overwritten(p.Values()); !maps.Equal(got, want) || len(p.Warnings()) > 0 {
			t.Errorf("planned %v %q", got, p.Warnings())
		}
		r.ApplyReplanned(p).WantNone(t)
		providertest.WantLastSent(t, s, "PUT", `{
			"machine": {"machine": "om-au.example.com", "headRootDirectory": "/data/backup/"},
			"configured": true, "assignmentEnabled": true, "backupJobsEnabled": true, "garbageCollectionEnabled": false,
			"resourceUsageEnabled": false, "restoreQueryableJobsEnabled": false, "numWorkers": 4, "labels": []
		}`)
		r.MustBeSettled(config)
		config["backup_jobs_enabled"] = false
		r.MustApply(config)
		if got := overwritten(r.Attributes()); !maps.Equal(got, want) {
			t.Errorf("an update changed it to %v", got)
		}
	})
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		config := values{"machine": daemonHost, "head_root_directory": headDirectory}
		p := r.Plan(config)
		if got := overwritten(p.Values()); len(got) > 0 {
			t.Errorf("planned %v, and nothing is configured", got)
		}
		r.ApplyReplanned(p)
		providertest.WantWrites(t, s)
		providertest.WantAttributes(t, r, values{"num_workers": 6, "assignment_enabled": true})
		r.MustBeSettled(config)
	})
	daemonInBubble(t, func(t *testing.T, _ *providertest.Service, r *providertest.Resource) {
		r.ApplyReplanned(r.Plan(daemon(values{"machine": newDaemonHost}))).WantNone(t)
		if got := overwritten(r.Attributes()); len(got) > 0 {
			t.Errorf("a creation overwrites %v", got)
		}
	})
}

func TestPlanSaysIfItCannotShowWhatAnAdoptionOverwrites(t *testing.T) {
	t.Parallel()
	daemonInBubble(t, func(t *testing.T, _ *providertest.Service, r *providertest.Resource) {
		p := r.Plan(daemon(values{"machine": providertest.Unknown}))
		p.WantWarning(t, "[machine]", "Overwritten Values of Backup Daemon Will Not Be Shown", "known only during the apply")
		r.Apply(p, values{"machine": daemonHost}).WantNoErrors(t)
		providertest.WantAttributes(t, r, values{"num_workers": 4})
	})
	daemonInBubble(t, func(t *testing.T, _ *providertest.Service, r *providertest.Resource) {
		p := r.Plan(daemon(values{"num_workers": providertest.Unknown, "garbage_collection_enabled": false}))
		p.WantWarning(t, "[machine]", "Overwritten Values of Backup Daemon Will Not Be Shown", "what it overwrites in num_workers")
		if got := overwritten(p.Values()); got["num_workers"] != providertest.Unknown || got["garbage_collection_enabled"] != "true -> false" {
			t.Errorf("planned %v", got)
		}
		r.Apply(p, values{"num_workers": 6}).WantNoErrors(t)
		if got := overwritten(r.Attributes()); len(got) != 1 {
			t.Errorf("stored %v", got)
		}
	})
}

// A PUT needs it, and Ops Manager does not return it.
func TestRequiredValueOfAnAdoptionMayBeKnownLate(t *testing.T) {
	t.Parallel()
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		s.SetBackupDaemon(daemonHost, headDirectory, object{"assignmentEnabled": nil})
		r.Plan(daemon(values{"assignment_enabled": nil})).WantError(t, "did not return its assignment_enabled")
		p := r.Plan(daemon(values{"assignment_enabled": providertest.Unknown}))
		p.WantNoErrors(t)
		r.Configure()
		r.Apply(p, values{"assignment_enabled": false}).WantNoErrors(t)
		if held := s.BackupDaemon(daemonHost, headDirectory); held["assignmentEnabled"] != false || held["numWorkers"] != 4.0 {
			t.Errorf("held %v", held)
		}
	})
}

func TestAdoptionOverwritesOnlyWhatItsPlanShowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		live  object
		words string
	}{
		"a shown value":      {object{"numWorkers": 9}, `num_workers is 9, and the plan showed 6`},
		"one that was equal": {object{"assignmentEnabled": false}, `assignment_enabled is false, and the plan showed no change of it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
				p := r.Plan(daemon(nil))
				s.SetBackupDaemon(daemonHost, headDirectory, c.live)
				providertest.WantOne(t, r.ApplyReplanned(p).Errors(), "overwrites") // by Terraform, which plans again
				r.Apply(p).WantError(t, "[machine]", "Unable to Adopt Backup Daemon", "changed since the plan: "+c.words, "Plan again")
				providertest.WantWrites(t, s)
				providertest.WantNoState(t, r)
			})
		})
	}
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		p := r.Plan(daemon(nil))
		s.RemoveBackupDaemon(daemonHost, headDirectory)
		r.Apply(p).WantError(t, "[machine]", "no longer exists", "Plan again")
		providertest.WantWrites(t, s)
	})
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		p := r.Plan(daemon(values{"machine": newDaemonHost}))
		s.SetBackupDaemon(newDaemonHost, headDirectory, object{"configured": true, "numWorkers": 9, "assignmentEnabled": true})
		r.Apply(p).WantError(t, `changed since the plan: num_workers is 9`)
		providertest.WantWrites(t, s)
	})
}

func TestOneRunAdoptsAnObjectOnce(t *testing.T) {
	t.Parallel()
	words := []string{"[machine]", "Backup Daemon in Two Resources", "Keep only one"}
	changed := daemon(values{"num_workers": 7})
	daemonInBubble(t, func(_ *testing.T, _ *providertest.Service, r *providertest.Resource) {
		r.MustApply(daemon(nil))
		r.PlanReplacement(daemon(nil)).WantNoErrors(t)
	})
	for _, isFirst := range []bool{false, true} { // whether the plan of the adoption is the first one
		daemonInBubble(t, func(t *testing.T, _ *providertest.Service, keeps *providertest.Resource) {
			keeps.MustApply(daemon(nil))
			keeps.Configure()
			adopts := keeps.NewResource(providertest.DaemonType)
			plans := []func() *providertest.Plan{
				func() *providertest.Plan { return keeps.Plan(daemon(nil)) },
				func() *providertest.Plan { return adopts.Plan(changed) },
			}
			if isFirst {
				slices.Reverse(plans)
			}
			plans[0]().WantNoErrors(t)
			plans[1]().WantError(t, append(words, "delete its block")...)
		})
	}
	// An update that sends nothing leaves no trace in the state that lets a later replacement adopt the object of
	// another resource.
	daemonInBubble(t, func(t *testing.T, _ *providertest.Service, r *providertest.Resource) {
		r.MustApply(daemon(nil))
		r.Apply(r.Plan(daemon(values{"on_destroy": "keep"})))
		other := r.NewResource(providertest.DaemonType)
		others := values{"machine": otherDaemonHost, "head_root_directory": headDirectory}
		other.MustApply(others)
		r.Configure()
		other.Plan(others).WantNoErrors(t)
		r.Plan(daemon(values{"machine": otherDaemonHost, "num_workers": 7})).WantError(t, words...)
	})
	daemonInBubble(t, func(t *testing.T, _ *providertest.Service, r *providertest.Resource) {
		r.Plan(daemon(nil))
		r.NewResource(providertest.DaemonType).Plan(daemon(nil)).WantError(t, words...)
	})
	for _, machine := range []string{daemonHost, newDaemonHost} { // which the first one adopts or creates
		daemonInBubble(t, func(t *testing.T, s *providertest.Service, one *providertest.Resource) {
			two := one.NewResource(providertest.DaemonType)
			late, known := values{"machine": providertest.Unknown}, values{"machine": machine}
			first, second := one.Plan(daemon(late)), two.Plan(changed.With(late))
			one.Apply(first, known)
			two.Apply(second, known).WantError(t, words[1])
			if got := s.Writes(); len(got) != 1 {
				t.Errorf("sent %q", got)
			}
		})
	}
}

func TestOneRunChangesAnObjectOnceAtATime(t *testing.T) {
	t.Parallel()
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, one *providertest.Resource) {
		two := one.NewResource(providertest.DaemonType)
		late, known := values{"machine": providertest.Unknown}, values{"machine": newDaemonHost}
		first, second := one.Plan(daemon(late)), two.Plan(daemon(late.With(values{"num_workers": 7})))
		one.Configure()
		s.Inject(emulator.Fault{Method: http.MethodPut, Delay: time.Second})
		errors := make(chan []string)
		go func() { errors <- one.Apply(first, known).Errors() }()
		time.Sleep(100 * time.Millisecond) // the first one is waiting for its response
		two.Apply(second, known).WantError(t, "Backup Daemon in Two Resources")
		if got := <-errors; len(got) > 0 {
			t.Errorf("got %q", got)
		}
		providertest.WantWrites(t, s, "PUT /admin/backup/daemon/configs/"+newDaemonHost)
	})
}

func TestReplacementUnderTheSameIDAdoptsTheObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		isTainted, isRefreshed bool
		onDestroy              string
	}{
		"forced":  {false, true, "keep"},
		"tainted": {true, true, "keep"},
		// With -refresh=false, the plan of a tainted resource has no sign of its destroy.
		"tainted, without a refresh": {true, false, "delete"},
	} {
		for _, createBeforeDestroy := range []bool{false, true} {
			t.Run(fmt.Sprint(name, createBeforeDestroy), func(t *testing.T) {
				t.Parallel()
				daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
					settings := values{"on_destroy": c.onDestroy}
					r.MustApply(daemon(settings))
					config := daemon(settings.With(values{"num_workers": 7}))
					r.Configure()
					if c.isRefreshed {
						r.MustRefresh()
					}
					r.Tainted, r.CreateBeforeDestroy = c.isTainted, createBeforeDestroy
					plan := r.PlanReplacement
					if c.isTainted {
						plan = r.Plan
					}
					p := plan(config)
					if len(p.Errors()) > 0 || !p.Replaces {
						t.Fatalf("got %q", p.Errors())
					}
					s.ResetRequests()
					r.Configure()
					diags := r.Apply(p, values{})
					diags.WantNoErrors(t)
					providertest.WantContains(t, strings.Join(diags.Warnings(), "\n"), " Not Deleted")
					providertest.WantWrites(t, s, "PUT "+daemonAt)
					r.Tainted = false
					r.MustBeSettled(config)
					if errors := r.Destroy().Errors(); len(errors) > 0 || (s.BackupDaemon(daemonHost, headDirectory) == nil) != (c.onDestroy == "delete") {
						t.Errorf("the next destroy: %q", errors)
					}
				})
			})
		}
	}
}

func TestUnknownIDReplacesOnlyAnAdoptedObjectThatIsKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typeName, id, onDestroy string
		config                  values
		fails                   bool
	}{
		{providertest.DaemonType, "machine", "keep", daemon(nil), false},
		{providertest.DaemonType, "machine", "delete", daemon(nil), true},
		{providertest.RegionType, "deployment_id", "keep", region(nil), true},
	} {
		_, r := providertest.StartResource(t, c.typeName)
		config := c.config.With(values{"on_destroy": c.onDestroy})
		r.MustApply(config)
		errors := r.Plan(config.With(values{c.id: providertest.Unknown})).Errors()
		switch {
		case c.fails:
			providertest.WantOne(t, errors, "["+c.id+"]", "Unable to Replace ", "known when you plan", "-target", "-refresh=false")
		case len(errors) > 0:
			t.Errorf("got %q", errors)
		}
	}
}

func TestPlanOfAnAdoptionSaysWhichOfTheValuesThatItOverwritesAreNotReturned(t *testing.T) {
	t.Parallel()
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		s.SetBackupDaemon(daemonHost, headDirectory, object{"numWorkers": nil})
		p := r.Plan(daemon(nil))
		want := values{"num_workers": "not returned -> 4"}
		if got := overwritten(p.Values()); !maps.Equal(got, want) {
			t.Errorf("planned %v", got)
		}
		r.ApplyReplanned(p).WantNoErrors(t)
	})
}

// Terraform refreshes and plans resources in any order.
func TestWhatATaintedResourceWouldEndIsNotAdoptedAtAnotherAddress(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"refresh, adopt", "adopt, refresh"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			daemonInBubble(t, func(t *testing.T, s *providertest.Service, tainted *providertest.Resource) {
				tainted.MustApply(daemon(values{"on_destroy": "delete"}))
				other := tainted.NewResource(providertest.DaemonType)
				tainted.Configure()
				tainted.Tainted = true
				var errors []string
				for step := range strings.SplitSeq(order, ", ") {
					switch step {
					case "refresh":
						errors = append(errors, tainted.Refresh().Errors()...)
					case "adopt":
						errors = append(errors, other.Plan(daemon(nil)).Errors()...)
					}
				}
				providertest.WantOne(t, errors, "[machine] Backup Daemon Destroyed and Managed in One Plan", "terraform untaint")
			})
		})
	}
}

// planBoth returns the errors of two plans, whose order Terraform chooses.
func planBoth(isReversed bool, plans ...func() *providertest.Plan) []string {
	if isReversed {
		slices.Reverse(plans)
	}
	return append(plans[0]().Errors(), plans[1]().Errors()...)
}

// It may be the same one, which the apply would delete, and then adopt, or create with only what is configured.
func TestPlanDoesNotEndWhatItMayAdoptOrCreateUnderAnUnknownID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typeName, id, onDestroy string
		config                  values
		fails                   bool
	}{
		{providertest.DaemonType, "machine", "delete", daemon(nil), true},
		{providertest.DaemonType, "machine", "keep", daemon(nil), false},
		{providertest.RegionType, "deployment_id", "delete", region(nil), true},
	} {
		for _, isReversed := range []bool{false, true} {
			providertest.InBubble(t, func(t *testing.T) {
				_, old := providertest.StartResourceInMemory(t, c.typeName)
				old.MustApply(c.config.With(values{"on_destroy": c.onDestroy}))
				renamed := old.NewResource(c.typeName)
				old.Configure()
				errors := planBoth(
					isReversed, func() *providertest.Plan { return old.Plan(nil) },
					func() *providertest.Plan { return renamed.Plan(c.config.With(values{c.id: providertest.Unknown})) },
				)
				if c.fails {
					providertest.WantOne(t, errors, "["+c.id+"]", " Is Not Known Yet", "moved block", "-refresh=false")
				} else {
					providertest.WantEqual(t, len(errors), 0) // nothing ends
				}
			})
		}
	}
}

// Without a client, a plan reads nothing.
func TestClaimsCountWhileASettingIsUnknown(t *testing.T) {
	t.Parallel()
	for _, isReversed := range []bool{false, true} {
		daemonInBubble(t, func(t *testing.T, _ *providertest.Service, old *providertest.Resource) {
			old.MustApply(daemon(values{"on_destroy": "delete"}))
			renamed := old.NewResource(providertest.DaemonType)
			old.Settings["base_url"] = providertest.Unknown
			old.Configure()
			old.MustRefresh()
			errors := planBoth(
				isReversed, func() *providertest.Plan { return old.Plan(nil) },
				func() *providertest.Plan { return renamed.Plan(daemon(nil)) },
			)
			if len(errors) == 0 {
				t.Error("a rename ends the daemon")
			}
			for _, text := range errors {
				providertest.WantContains(t, text, "[machine] Backup Daemon Destroyed and Managed in One Plan", "moved {")
			}
		})
	}
}

func TestARenamedObjectThatIsKeptIsAdopted(t *testing.T) {
	t.Parallel()
	daemonInBubble(t, func(t *testing.T, s *providertest.Service, r *providertest.Resource) {
		r.MustApply(daemon(nil))
		r.Configure()
		destroy, renamed := r.Plan(nil), r.NewResource(providertest.DaemonType)
		p := renamed.Plan(daemon(nil))
		if len(destroy.Errors())+len(p.Errors()) > 0 {
			t.Fatalf("the old address keeps it: %q %q", destroy.Errors(), p.Errors())
		}
		s.ResetRequests()
		r.Apply(destroy)
		renamed.Apply(p)
		providertest.WantWrites(t, s)
	})
}
