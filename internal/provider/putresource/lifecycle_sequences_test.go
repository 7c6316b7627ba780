package putresource_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// sequenced are a type whose objects are adopted, and one whose objects are created and have secrets.
var sequenced = []providertest.Registration{
	{
		ResourceType: providertest.ResourceType{
			TypeName: providertest.DaemonType, IDs: []string{"machine", "head_root_directory"},
			ID:         func(v values) string { return fmt.Sprint(v["machine"]) },
			Attributes: map[string]string{"assignmentEnabled": "assignment_enabled", "numWorkers": "num_workers", "labels": "labels"},
			Settings:   []string{"on_destroy"}, Deletes: func(state values) bool { return state["on_destroy"] == "delete" }, Objects: []string{daemonHost},
			Object: func(s *providertest.Service, id string) object {
				return providertest.SortedLists(s.BackupDaemon(id, headDirectory))
			},
			SetObject: func(s *providertest.Service, id string, fields object) {
				s.SetBackupDaemon(id, headDirectory, fields)
			},
			RemoveObject: func(s *providertest.Service, id string) {
				s.RemoveBackupDaemon(id, headDirectory)
				s.StartBackupDaemon(id, 1)
			},
		},
		Config:  daemon(values{"labels": []any{"east"}}),
		Changes: []values{{"num_workers": 8}, {"assignment_enabled": false}, {"labels": []any{"west"}}, {"on_destroy": "delete"}},
		Drifts:  []object{{"numWorkers": 7.0}, {"assignmentEnabled": false}, {"labels": []any{"clicked"}}, {"numWorkers": nil}},
	},
	{
		ResourceType: providertest.ResourceType{
			TypeName: providertest.S3BlockstoreType, IDs: []string{"id"},
			ID: func(v values) string { return fmt.Sprint(v["id"]) },
			Attributes: map[string]string{
				"assignmentEnabled": "assignment_enabled", "labels": "labels", "loadFactor": "load_factor",
				"writeConcern": "write_concern",
			},
			Settings: []string{"on_destroy", "deletion_protection", "uri", "aws_secret_key"}, Objects: []string{"new"},
			Creatable: isMissing, Deletes: isDeleted, Protects: isProtected,
			Object: func(s *providertest.Service, id string) object {
				return providertest.SortedLists(s.BackupStore(emulator.S3Blockstore, id))
			},
			SetObject: func(s *providertest.Service, id string, fields object) {
				s.SetBackupStore(emulator.S3Blockstore, id, fields)
			},
			RemoveObject: func(s *providertest.Service, id string) { s.RemoveBackupStore(emulator.S3Blockstore, id) },
		},
		Config: s3Config(nil), Created: true,
		Changes: []values{
			{"load_factor": 3}, {"labels": []any{"west"}}, {"write_concern": "W2"}, {"uri": "mongodb://backup:c0rrect-2@db.example.com:27017"},
			{"aws_secret_key": "c0rrect-other-key"},
			{"on_destroy": "keep"}, {"deletion_protection": true},
		},
		Drifts: []object{
			{"loadFactor": 7.0}, {"labels": []any{"clicked"}}, {"writeConcern": nil},
			{"uri": "mongodb://clicked:clicked-password@clicked.example.com:27017"},
		},
	},
}

func isMissing(_ values, live object) bool { return live == nil }

func isDeleted(state values) bool {
	return state["on_destroy"] != "keep" && !isProtected(state)
}

func isProtected(state values) bool { return state["deletion_protection"] == true }

// sequence is a sequence of runs on one object.
type sequence struct {
	*providertest.Trial
	t          *rapid.T
	config     values
	newSetting any // of the object, which the provider does not know
}

// draw draws some of the registered changes of the configuration.
func (s *sequence) draw() {
	s.config = providertest.With(s.Registration.Config)
	for _, change := range s.Registration.Changes {
		if rapid.IntRange(0, 2).Draw(s.t, "changes") == 0 {
			s.config = s.config.With(change)
		}
	}
}

// set changes the object outside Terraform, if it exists.
func (s *sequence) set(fields object) {
	if s.Live(s.config) != nil {
		s.Registration.SetObject(s.Service, s.Registration.ID(s.config), fields)
	}
}

func (s *sequence) drift() object {
	drift := rapid.SampledFrom(s.Registration.Drifts).Draw(s.t, "drift")
	s.set(drift)
	return drift
}

// attempt plans the configuration, applies that, and checks the result. between may change fields of the object after the
// plan, and returns them.
func (s *sequence) attempt(between func() object) {
	s.CheckRefresh()
	if s.State.IsNull() && s.Registration.Created && s.Live(s.config) != nil {
		s.ImportID(s.Registration.ID(s.config))
	}
	p := s.CheckPlan(s.config)
	if p == nil {
		return
	}
	before, prior := s.Live(s.config), s.Attributes()
	drift := between()
	succeeds := len(s.CheckApply(p, values{}).Errors()) == 0
	if succeeds {
		s.Applied = s.config
	}
	held := s.Live(s.config)
	for field, value := range drift {
		isUnseen := prior != nil && prior[field] == nil && field == "uri" // a secret, after an import
		if was := fmt.Sprint(value); !isUnseen && before != nil && value != nil && was != fmt.Sprint(before[field]) && was != fmt.Sprint(held[field]) {
			s.t.Fatalf("%s was %v, which no plan saw, and is %v", field, was, held[field])
		}
	}
	if succeeds && drift == nil && s.IgnoreChanges == nil && fmt.Sprint(held["uri"]) != fmt.Sprint(s.config["uri"]) {
		s.t.Fatalf("the secret is %v", held["uri"])
	}
	s.Service.ClearFaults()
	s.check()
}

// check checks that the next plan shows what is left, and that the object has what the provider does not know.
func (s *sequence) check() {
	s.CheckRefresh()
	live := s.Live(s.config)
	if live == nil {
		s.newSetting = nil
	} else if is := live["newSetting"]; fmt.Sprint(is) != fmt.Sprint(s.newSetting) {
		s.t.Fatalf("newSetting was %v and is %v", s.newSetting, is)
	}
	if !s.State.IsNull() {
		s.CheckSettled(s.config)
	}
}

// run runs one action.
func (s *sequence) run(action string) {
	switch action {
	case "apply":
		s.draw()
		s.attempt(func() object { return nil })
	case "saved plan":
		s.draw()
		s.attempt(s.drift)
	case "fault":
		s.draw()
		fault := rapid.SampledFrom([]emulator.Fault{{DropBefore: true}, {DropAfter: true}, {Status: 500}, {Status: 503}}).Draw(s.t, "fault")
		fault.Method = rapid.SampledFrom([]string{"POST", "PUT"}).Draw(s.t, "method")
		s.attempt(func() object {
			s.Service.Inject(fault)
			return nil
		})
	case "drift":
		s.drift()
		s.check()
	case "new setting":
		if s.Live(s.config) != nil {
			s.newSetting = rapid.SampledFrom([]any{nil, "a", true, object{"limits": []any{1.5, nil}, "mode": "b"}}).Draw(s.t, "new setting")
			s.set(object{"newSetting": s.newSetting})
		}
	case "remove":
		s.Registration.RemoveObject(s.Service, s.Registration.ID(s.config))
		s.newSetting = nil
		if s.CheckRefresh(); s.Attributes() != nil {
			s.t.Fatalf("the object is gone, and the state holds %v", s.Attributes())
		}
	case "ignore":
		s.IgnoreChanges = rapid.SampledFrom([][]string{nil, {"all"}, {"assignment_enabled"}}).Draw(s.t, "ignored")
	case "forget":
		s.State, s.Private, s.Identity = s.Null(), nil, nil
	case "destroy":
		if s.CheckRefresh(); s.State.IsNull() {
			return
		}
		if p := s.Plan(nil); len(p.Errors()) == 0 {
			s.CheckApply(p, nil)
		}
		s.check()
	case "replace", "taint":
		if s.CheckRefresh(); s.State.IsNull() {
			return
		}
		s.CreateBeforeDestroy, s.Tainted = rapid.Bool().Draw(s.t, "create before destroy"), action == "taint"
		plan := s.Plan
		if action == "replace" {
			plan = s.PlanReplacement
		}
		if p := plan(s.config); len(p.Errors()) == 0 {
			s.CheckApply(p, values{})
			s.check()
		}
		s.Tainted = false
	}
}

// In each sequence of applies, changes of other clients, faults, destroys and replacements, an apply changes what its
// plan shows, and the next plan is empty or shows what is left.
func TestEverySequenceOfRunsConverges(t *testing.T) {
	t.Parallel()
	actions := []string{"apply", "apply", "saved plan", "fault", "drift", "new setting", "remove", "ignore", "forget", "destroy", "replace", "taint"}
	providertest.CheckSequences(t, func(t *rapid.T) {
		r := rapid.SampledFrom(sequenced).Draw(t, "type")
		r.Options.ServiceVersion = rapid.SampledFrom([]string{readable, masking}).Draw(t, "version")
		s := &sequence{Trial: r.Start(t), t: t, config: r.Config}
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			s.run(rapid.SampledFrom(actions).Draw(t, "action"))
		}
	})
}
