package providertest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

// ResourceType describes a type of resource to the suite.
type ResourceType struct {
	TypeName string

	IDs []string            // the attributes that identify an object
	ID  func(Values) string // returns the import ID of an object

	// Attributes maps each field of an object to its attribute.
	Attributes map[string]string

	// Objects are the import IDs of all objects that the checks watch.
	Objects []string
	// Object returns the fields that the service holds of an object, or nil if there is none.
	Object func(s *Service, id string) map[string]any
	// SetObject changes fields of an object outside Terraform; nil removes a field. RemoveObject
	// removes the object.
	SetObject    func(s *Service, id string, fields map[string]any)
	RemoveObject func(s *Service, id string)

	// All others are optional.

	// Fields converts attributes to the fields that the service holds. An unknown attribute becomes
	// an unknown field, and a null one is left out. By default, a field has the value of its
	// attribute, and lists are sorted.
	Fields func(Values) map[string]any
	// Settings are the attributes that are not sent to the service, or that the state keeps whatever
	// the service holds.
	Settings []string
	// Secrets are the values of the settings that are required and that no import reads.
	Secrets Values
	// Foreign are the fields of the objects of others, by import ID. They exist from the start.
	Foreign map[string]map[string]any
	// Label returns the name of an object in messages. The default is its import ID.
	Label func(id string) string

	// Unset are the fields that a response lacks only if they are not set.
	Unset []string
	// Telling are the members without which a response says that the object does not exist, or is of another kind.
	Telling []string
	// Creatable reports whether a resource can be created, given the live object: an adopted one
	// must exist, a new one must not. By default, it always can.
	Creatable func(config Values, live map[string]any) bool
	// Pending are the responses that do not rule out that the same apply creates the object.
	Pending map[string]Handler
	// Given a state, Deletes reports whether a destroy deletes the object instead of forgetting it,
	// and Protects whether a destroy is refused. By default, neither.
	Deletes, Protects func(state Values) bool

	// Parts are the attributes that together are one value, with the name of that in a preview. A plan may
	// spell the same value in another way, which sends nothing.
	Parts map[string]string
	// Coupled returns the fields that a service changes along with the wanted ones.
	Coupled func(held, wanted map[string]any) map[string]any
	// Retentions are the fields that may decrease only with a warning or an error that names their
	// attribute.
	Retentions []string
	// Intervals are the fields that may increase only with a warning or an error that names their
	// attribute. 0 is none.
	Intervals []string
	// Guard is the attribute that prevents such a change.
	Guard string

	// Flat and Nested are those of [Resource]. With Flat, the state can be nil although the
	// resource has one: it does not have the object.
	Flat, Nested func(Values) Values
	// Partial reports whether the state has only the configured fields of an object.
	Partial bool
	// OwnElements are the lists of which the state has only the elements that a configuration had.
	OwnElements []string
	// Inapplicable has the reason for each check of the suite that does not apply.
	Inapplicable map[string]string
}

// withDefaults returns the type with the defaults of the optional functions.
func (n ResourceType) withDefaults() ResourceType {
	never := func(Values) bool { return false }
	if n.Fields == nil {
		n.Fields = n.fields
	}
	if n.Label == nil {
		n.Label = func(id string) string { return id }
	}
	if n.Creatable == nil {
		n.Creatable = func(Values, map[string]any) bool { return true }
	}
	if n.Deletes == nil {
		n.Deletes = never
	}
	if n.Protects == nil {
		n.Protects = never
	}
	if n.Coupled == nil {
		n.Coupled = func(_, _ map[string]any) map[string]any { return nil }
	}
	return n
}

func (n ResourceType) fields(v Values) map[string]any {
	found := map[string]any{}
	for field, attribute := range n.Attributes {
		if v[attribute] != nil {
			found[field] = v[attribute]
		}
	}
	return SortedLists(found)
}

// SortedLists sorts the lists of an object, for types whose lists have no order.
func SortedLists(object map[string]any) map[string]any {
	for field, value := range object {
		if list, ok := value.([]any); ok {
			object[field] = slices.SortedFunc(slices.Values(list), func(a, b any) int {
				return strings.Compare(text(a), text(b))
			})
		}
	}
	return object
}

// Registration registers a resource, in one configuration, with the conformance suite.
type Registration struct {
	ResourceType
	Name string

	Config Values // is applied first
	// Changes are what later configurations change: one attribute each, or several that belong
	// together. Each attribute is in one of them, and each retention is longer in one and shorter
	// in another.
	Changes []Values
	// Drifts are changes outside Terraform: one field each, with a value that neither the
	// configuration nor a change has. Each retention is longer in one and shorter in another.
	Drifts []map[string]any

	// Elsewhere identifies another object. It exists, or, if Created is true, it may be missing.
	Elsewhere Values
	// MissingID is a well-formed import ID that no object has.
	MissingID string

	// All others are optional.

	// Created reports whether creating the resource creates the object instead of adopting it.
	Created bool
	// Imported has the fields of an object that exists at first, and is imported before the
	// configuration is applied. It is for a resource whose object gets its ID from the service:
	// each creation creates another object, so the checks with creations don't apply.
	Imported map[string]any
	// Spellings are other spellings of the IDs of the same object.
	Spellings []Values
	// InvalidIDs are malformed import IDs.
	InvalidIDs []string

	Options emulator.Options // of the service, without a seed
	// Brief limits the checks to creation and destruction, because the rest is the same as in
	// another registration.
	Brief bool

	turn, turns int // the index of the registration among those of its type that share a sample, and their number

	applied *atomic.Pointer[applied] // nil until the configuration has been applied once
}

// applied is the result of applying the registered configuration.
type applied struct {
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	held     map[string]map[string]any // by import ID, as the service holds them
}

// With returns a configuration with some attributes changed.
func With(config Values, changes ...Values) Values { return config.With(changes...) }

// With returns the values with changes.
func (v Values) With(changes ...Values) Values {
	changed := maps.Clone(v)
	for _, change := range changes {
		maps.Copy(changed, change)
	}
	return changed
}

// options returns the options of the service with the seed of a trial.
func (r Registration) options() emulator.Options {
	options := r.Options
	options.Seed = trialSeed()
	return options
}

// Start starts the service in memory. The resource has no state yet, unless it is imported.
func (r Registration) Start(t T) *Trial {
	t.Helper()
	r.ResourceType = r.withDefaults()
	p := FaultProxyInMemory(r.options())
	a := &Trial{
		Registration: r,
		Service:      p.Service,
		Proxy:        p,
		Resource:     r.resource(NewWorkspace(t, p.Service)),
	}
	for id, fields := range r.Foreign {
		r.SetObject(a.Service, id, fields)
	}
	a.foreign = a.heldForeign()
	if r.Imported != nil {
		r.SetObject(a.Service, r.ID(r.Config), r.Imported)
		a.mustImport()
	}
	return a
}

// resource returns a resource without a state.
func (r Registration) resource(w *Workspace) *Resource {
	m := w.NewResource(r.TypeName)
	m.Flat = r.Flat
	m.Nested = r.Nested
	return m
}

// mustImport imports the registered object.
func (a *Trial) mustImport() {
	a.T.Helper()
	errors := a.ImportID(a.Registration.ID(a.Registration.Config)).Errors()
	if len(errors) > 0 {
		a.T.Fatalf("import: %q", errors)
	}
}

// startApplied starts the service, and applies the registered configuration.
func (r Registration) startApplied(t *testing.T) *Trial {
	t.Helper()
	a := r.Start(t)
	a.applyRegistered()
	return a
}

// startWithObject starts a service that has the registered object. The resource has no state.
func (r Registration) startWithObject(t *testing.T) *Trial {
	t.Helper()
	a := r.startApplied(t)
	a.State = a.Null()
	a.Private = nil
	a.Identity = nil
	a.Applied = nil
	return a
}

// changed returns the registered configuration with its first change.
func (r Registration) changed() Values { return With(r.Config, r.Changes[0]) }

// changesWithout returns the registered changes that do not contain an attribute.
func (r Registration) changesWithout(attribute string) []Values {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(change Values) bool {
		_, touches := change[attribute]
		return touches
	})
}

// untouched returns the drifts of fields that are equal in two configurations, and the other
// drifts.
func (r Registration) untouched(config, changed Values) (untouched, touched []map[string]any) {
	before := r.Fields(config)
	after := r.Fields(changed)
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

// isItsTurn reports whether this registration runs a case of the sample that it shares with others.
func (r Registration) isItsTurn(number int) bool {
	return *exhaustive || number%r.turns == r.turn
}

// draws returns a function that reports whether a case is in the sample, which has one of n cases of the type. The
// sample is the same in each run, and has no pattern that leaves out a combination.
func (r Registration) draws(n int) func() bool {
	random := rand.New(rand.NewPCG(uint64(r.turn), uint64(r.turns)))
	return func() bool { return random.IntN(n*r.turns) == 0 || *exhaustive }
}

// loses reports whether a change of a field needs a warning: a lower retention, or a higher interval.
func (n ResourceType) loses(field string, before, after any) bool {
	was, _ := Number(before)
	return slices.Contains(n.Retentions, field) && lower(after, before) ||
		slices.Contains(n.Intervals, field) && was > 0 && lower(before, after)
}
