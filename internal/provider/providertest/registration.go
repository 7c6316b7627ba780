package providertest

import (
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

// Noun is what the suite has to know about a type of resource.
type Noun struct {
	TypeName string

	IDs []string            // the attributes that name an object, as its identity does
	ID  func(Values) string // the import ID of the object that attributes name

	// Attributes maps each field of an object to the attribute that shows it.
	Attributes map[string]string
	// Fields returns what the service holds if it holds what the attributes say.
	// An unknown attribute is an unknown field, a null one is none.
	Fields func(Values) map[string]any
	// Settings are the attributes that the service knows nothing of.
	Settings []string

	// Retentions are the fields that may never get lower without a warning or an
	// error that names their attribute.
	Retentions []string
	// Guard is the attribute that forbids to lower them, if there is one.
	Guard string
	// Ignorable are the fields that a service may accept and ignore. The state then keeps
	// what is configured.
	Ignorable []string
	// Coupled returns what else a service changes that takes the wanted fields.
	Coupled func(held, wanted map[string]any) map[string]any

	// Creatable is whether a resource can be created while the service holds
	// this: what it adopts has to exist, what it makes must not.
	Creatable func(config Values, live map[string]any) bool
	// Pending are the answers of an API whose object may come with the same apply.
	Pending map[string]Answer
	// Deletes is whether a destroy deletes the object, by the state of its
	// resource. Otherwise it forgets it. Protects is whether a destroy is refused.
	Deletes, Protects func(state Values) bool

	// Objects are the import IDs of all objects that the attacks watch.
	Objects []string
	// Object returns what the service holds of an object, nil if there is none.
	Object func(s *Service, id string) map[string]any
	// SetObject changes fields of an object outside Terraform. The value nil removes a
	// field, and RemoveObject removes the object.
	SetObject    func(s *Service, id string, fields map[string]any)
	RemoveObject func(s *Service, id string)
	// Label is what messages call an object.
	Label func(id string) string
}

// Registration is a resource under attack, in one of its configurations.
type Registration struct {
	Noun
	Name    string
	Options emulator.Options // of the service
	// Brief is whether it is like another registration in all but how it is
	// created and destroyed, and only attacked there.
	Brief bool

	Config Values // what is applied at first
	// Changes are what a later configuration has instead: one attribute, or
	// several that belong together. Each attribute is in one of them, each
	// retention longer in one and shorter in another.
	Changes []Values
	// Drifts are what someone changes in the console: a field each, which is
	// neither what the configuration has nor what a change makes of it. Each
	// retention is longer in one and shorter in another.
	Drifts []map[string]any

	// Created is whether creating the resource makes the object. Otherwise it
	// adopts one.
	Created bool
	// Elsewhere names another object, which exists unless this one is created.
	Elsewhere Values
	// Spellings are other ways to name the same object.
	Spellings []Values
	// InvalidIDs are import IDs that name nothing. MissingID could name an object,
	// but there is none.
	InvalidIDs []string
	MissingID  string

	turn, sharing int // the registration's turn among those that share a sample

	applied *atomic.Pointer[applied] // nil until the configuration was applied once
}

// applied is what an apply of the registered configuration leads to.
type applied struct {
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	held     map[string]map[string]any // by the service
}

// With returns a configuration with some attributes changed.
func With(config Values, changes ...Values) Values {
	changed := maps.Clone(config)
	for _, change := range changes {
		maps.Copy(changed, change)
	}
	return changed
}

// Start starts the service. Nothing is managed yet.
func (r Registration) Start(t T, cleanup func(func())) *Trial {
	t.Helper()
	options := r.Options
	options.Seed = trialSeed()
	p := newFaultProxy(options, cleanup)
	p.server.Start()
	p.URL = p.server.URL
	return &Trial{Registration: r, Service: p.Service, Proxy: p, Resource: NewWorkspace(t, p.Service, nil).NewResource(r.TypeName)}
}

// startApplied starts the service, and applies the registered configuration.
func (r Registration) startApplied(t *testing.T) *Trial {
	t.Helper()
	a := r.Start(t, t.Cleanup)
	a.applyRegistered()
	return a
}

// exists starts a service that has the registered object, and manages nothing.
func (r Registration) exists(t *testing.T) *Trial {
	t.Helper()
	a := r.startApplied(t)
	a.State, a.Private, a.Identity, a.Applied = a.Null(), nil, nil, nil
	return a
}

// changed is the registered configuration with one of its changes.
func (r Registration) changed() Values { return With(r.Config, r.Changes[0]) }

// aside returns the registered changes that have nothing to do with an attribute.
func (r Registration) aside(attribute string) []Values {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(change Values) bool {
		_, touches := change[attribute]
		return touches
	})
}

// untouched returns the drifts of fields that two configurations agree about, and
// the drifts of other fields.
func (r Registration) untouched(config, changed Values) (untouched, touched []map[string]any) {
	before, after := r.Fields(config), r.Fields(changed)
	for _, drift := range r.Drifts {
		same := true
		for field := range drift {
			same = same && text(before[field]) == text(after[field])
		}
		if same {
			untouched = append(untouched, drift)
		} else {
			touched = append(touched, drift)
		}
	}
	return untouched, touched
}

// isItsTurn deals the cases of a sample out to the registrations of a noun.
func (r Registration) isItsTurn(number int) bool {
	return *exhaustive || number%r.sharing == r.turn
}
