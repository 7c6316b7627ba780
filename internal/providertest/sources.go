package providertest

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/emulator"
)

// Source describes a data source to CheckSource and CheckListSource.
type Source struct {
	Type   string // such as "opsmanager_hosts"
	Config Values

	// All others are optional.

	Prepare func(s *Service) // changes the objects of the seed before the data source reads them
	Hits    []int            // the requests that the faults hit; by default the first one
	Lacks   string           // a version of Ops Manager that does not have the path of the first request

	// ID is the attribute of an item of a list that distinguishes it from the others. If an item without one causes a warning, Lost is
	// such an item, as JSON, and Warns are words of the warning.
	ID    string
	Lost  string
	Warns []string
	// NoPages reports whether Ops Manager returns the list as an array, without pages.
	NoPages bool
}

// CheckSource checks that a data source survives every fault, that its messages are printable, and what it does
// with IDs in upper case, without a role and without an address.
func CheckSource(t *testing.T, source Source) {
	t.Helper()
	start := func(t *testing.T, options emulator.Options, settings Values) (*Service, *Workspace) {
		s := StartService(t, options)
		source.prepare(s)
		return s, NewWorkspace(t, s, settings)
	}
	t.Run("every fault", func(t *testing.T) {
		t.Parallel()
		CheckOperations(t, source.operations(t)...)
	})
	t.Run("IDs in upper case", func(t *testing.T) {
		t.Parallel()
		_, w := start(t, emulator.Options{}, nil)
		upper := Values{}
		for attribute, value := range source.Config {
			upper[attribute] = value
			if id, ok := value.(string); ok && objectID.MatchString(id) {
				upper[attribute] = strings.ToUpper(id)
			}
		}
		got := w.MustRead(t, source.Type, upper)
		for attribute, configured := range upper {
			if !reflect.DeepEqual(got[attribute], configured) {
				t.Errorf("%s is %v, configured %v", attribute, got[attribute], configured)
			}
		}
	})
	t.Run("a missing role", func(t *testing.T) {
		t.Parallel()
		s, w := start(t, emulator.Options{}, nil)
		_, roles, _ := strings.Cut(w.Schema.DataSourceSchemas[source.Type].Block.Description, "-> Requires ")
		role := regexp.MustCompile("`([A-Z][^`]*)`").FindStringSubmatch(roles)
		if role == nil {
			t.Fatal("the description has no role")
		}
		s.Inject(emulator.Fault{
			Status: 401,
			Times:  -1,
			Body:   `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "Not permitted."}`,
		})
		_, diags := w.Read(source.Type, source.Config)
		WantOne(t, diags.Errors(), "Unable to ", role[1])
	})
	t.Run("settings that are not known yet", func(t *testing.T) {
		t.Parallel()
		_, w := start(t, emulator.Options{}, Values{"private_key": Unknown})
		_, diags := w.Read(source.Type, source.Config)
		WantOne(t, diags.Errors(), "Unable to ", "private_key", "depends_on")
	})
	if source.Lacks != "" {
		t.Run("an old version", func(t *testing.T) {
			t.Parallel()
			_, w := start(t, emulator.Options{Profile: emulator.Documented, ServiceVersion: source.Lacks}, nil)
			_, diags := w.Read(source.Type, source.Config)
			WantOne(t, diags.Errors(), "RESOURCE_NOT_FOUND", "This version of Ops Manager ("+source.Lacks+") does not have this path")
		})
	}
	if _, w := start(t, emulator.Options{}, nil); source.Config["cluster_id"] != nil && !w.lists(source.Type) {
		t.Run("another object", func(t *testing.T) {
			t.Parallel()
			s, w := start(t, emulator.Options{}, nil)
			s.Inject(emulator.Fault{
				Status: 200,
				Body:   `{"id": "` + Orders + `", "clusterId": "` + Orders + `"}`,
				Header: asJSON,
			})
			_, diags := w.Read(source.Type, source.Config)
			WantOne(t, diags.Errors(), "another object", fmt.Sprintf("%q, got %q", source.Config["cluster_id"], Orders), "A cache or proxy")
		})
	}
	t.Run("control characters", func(t *testing.T) {
		t.Parallel()
		for name, changes := range ControlledFields {
			proxy := StartFaultProxy(t)
			source.prepare(proxy.Service)
			proxy.Handle(AddControlCharacters(changes))
			w := NewWorkspace(t, proxy.Service)
			_, diags := w.Read(source.Type, source.Config)
			proxy.Service.Emulator.Inject(emulator.Fault{
				Times:  -1,
				Status: 404,
				Body:   `{"error": 404, "errorCode": "NEW_CODE", "reason": "Not Found", "detail": "Nothing."}`,
				Header: asJSON,
			})
			_, refused := w.Read(source.Type, source.Config)
			if len(refused.Errors()) == 0 {
				t.Errorf("%s: there is no error", name)
			}
			WantPrintable(t, slices.Concat(diags.Errors(), diags.Warnings(), refused.Errors())...)
		}
	})
}

// CheckListSource is CheckSource for a list. It also checks that every page is read, that an incomplete list is an
// error, that an empty one is not null, that missing fields are null, and that items without an ID produce a warning.
func CheckListSource(t *testing.T, source Source) {
	t.Helper()
	CheckSource(t, source)
	read := func(t *testing.T, options emulator.Options) (*Service, Values, Diagnostics) {
		s := StartService(t, options)
		source.prepare(s)
		data, diags := NewWorkspace(t, s).Read(source.Type, source.Config)
		return s, data, diags
	}
	t.Run("every page", func(t *testing.T) {
		t.Parallel()
		whole, all, _ := read(t, emulator.Options{})
		paged, pages, diags := read(t, emulator.Options{MaxItemsPerPage: 1})
		got, want := source.shown(t, paged, pages), source.shown(t, whole, all)
		if got != want || len(diags.Errors()) > 0 {
			t.Errorf("got  %s, %q\nwant %s", got, diags.Errors(), want)
		}
		items, _ := all["results"].([]any)
		if len(items) < 2 || !source.NoPages && len(paged.Calls()) <= len(whole.Calls()) {
			t.Errorf("there are %d items, in %d requests", len(items), len(paged.Calls()))
		}
	})
	t.Run("an empty list", func(t *testing.T) {
		t.Parallel()
		_, data, diags := source.readBody(t, `{"totalCount": 0, "results": []}`, `[]`)
		if !reflect.DeepEqual(data["results"], []any{}) {
			t.Errorf("got %v, %q", data["results"], diags.Errors())
		}
	})
	t.Run("an item without fields", func(t *testing.T) {
		t.Parallel()
		_, data, diags := source.readBody(t, `{"totalCount": 1, "results": [{}]}`, `[{}]`)
		items, _ := data["results"].([]any)
		if len(items) == 0 || len(diags.Errors()) > 0 {
			t.Fatalf("got %v, %q", data["results"], diags.Errors())
		}
		ofTheProvider := []string{"has_schedule", "third_party_backup", "type"}
		item, _ := items[0].(Values)
		for name, value := range item {
			if value != nil && !reflect.DeepEqual(value, []any{}) && !slices.Contains(ofTheProvider, name) {
				t.Errorf("%s is %v", name, value)
			}
		}
	})
	if source.Lost != "" {
		t.Run("an item without an ID", func(t *testing.T) {
			t.Parallel()
			w, data, diags := source.readBody(t, `{"totalCount": 1, "results": [`+source.Lost+`]}`, "")
			WantOne(t, diags.Warnings(), append(source.Warns, " Without an ID", "The "+source.ID)...)
			if got := ResultValues(t, data, source.ID); !slices.Contains(got, "<nil>") {
				t.Errorf("read %q", got)
			}
			if _, diags := w.Read(source.Type, source.Config); len(diags.Warnings()) > 0 {
				t.Errorf("got %q", diags.Warnings())
			}
		})
	}
	if source.NoPages {
		return
	}
	// If an item were missing from a list, for_each would plan to destroy its resource.
	t.Run("an incomplete list", func(t *testing.T) {
		t.Parallel()
		s, _, diags := read(t, emulator.Options{TotalCount: func(count int) int { return count + 1 }})
		WantOne(t, diags.Errors(), "Unable to List", "distinct items, but Ops Manager counts", "pageNum and itemsPerPage")
		w := NewWorkspace(t, s)
		for _, attribute := range w.Schema.DataSourceSchemas[source.Type].Block.Attributes {
			if attribute.Name == "page_num" {
				w.MustRead(t, source.Type, With(source.Config, Values{"page_num": 1}))
			}
		}
	})
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

var asJSON = http.Header{"Content-Type": {"application/json"}}

var objectID = regexp.MustCompile(`^[0-9a-f]{24}$`)

// ControlledFields are the fields of the API that get control characters in a test of printable messages.
var ControlledFields = map[string]func(field string) bool{
	"all texts":   func(string) bool { return true },
	"all but IDs": func(field string) bool { return !slices.Contains([]string{"id", "groupId", "clusterId"}, field) },
	"names":       func(field string) bool { return slices.Contains([]string{"clusterName", "name", "typeName"}, field) },
	"error documents": func(field string) bool {
		return slices.Contains([]string{"detail", "reason", "errorCode", "parameters"}, field)
	},
}

// lists reports whether a data source is a list.
func (w *Workspace) lists(typeName string) bool {
	return slices.ContainsFunc(w.Schema.DataSourceSchemas[typeName].Block.Attributes, func(a *tfprotov6.SchemaAttribute) bool {
		return a.Name == "results"
	})
}

func (source Source) prepare(s *Service) {
	if source.Prepare != nil {
		source.Prepare(s)
	}
}

// readBody reads the list once while its first request returns a body. array is the body of a list without pages.
func (source Source) readBody(t *testing.T, body, array string) (*Workspace, Values, Diagnostics) {
	s := StartService(t, emulator.Options{Seed: &emulator.Seed{}})
	if source.NoPages {
		body = array
	}
	s.Inject(emulator.Fault{
		Status: 200,
		Body:   body,
		Header: asJSON,
	})
	w := NewWorkspace(t, s)
	data, diags := w.Read(source.Type, source.Config)
	return w, data, diags
}

// shown returns what a test compares of the data: the IDs of a list, or else everything but the address.
func (source Source) shown(t *testing.T, s *Service, data Values) string {
	if source.ID != "" {
		return fmt.Sprint(ResultValues(t, data, source.ID))
	}
	return strings.ReplaceAll(fmt.Sprint(data), s.URL, "")
}

// operations returns an operation for each of the Hits.
func (source Source) operations(t *testing.T) []Operation {
	s := StartService(t)
	source.prepare(s)
	w := NewWorkspace(t, s)
	stores := source.shown(t, s, w.MustRead(t, source.Type, source.Config))
	calls := s.Calls()
	hits := source.Hits
	if hits == nil {
		hits = []int{0}
	}
	var operations []Operation
	for _, hit := range hits {
		operations = append(operations, Operation{
			Name:  fmt.Sprintf("request %d", hit+1),
			Sends: methods(calls),
			Hits:  hit,
			Fails: []string{"Unable to ", calls[hit]},
			reads: true,
			Prepare: func(t *testing.T, d *FaultProxy, w *Workspace) *Attempt {
				source.prepare(d.Service)
				var found Values
				read := func() (diags Diagnostics) {
					found, diags = w.Read(source.Type, source.Config)
					return diags
				}
				read() // answers the challenge
				found = nil
				stored := func() any {
					if found == nil {
						return nil
					}
					return source.shown(t, d.Service, found)
				}
				return (&Attempt{Run: read, Again: read}).Watching(func() any { return nil }, stored, nil, stores)
			},
		})
	}
	return operations
}
