package providertest

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// checkInterference tests the first rule while another client and faults interfere with an apply: before and after any
// of its requests, another client changes or deletes the object, and requests fail or return what is old. Whatever the
// provider writes, it changes a value only from what the plan saw to what the plan shows. What the provider could not
// know does not count. A success is one, and the next apply completes what failed.
func checkInterference(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, every, func(t *testing.T, r Registration) {
		CheckSequences(t, func(t *rapid.T) { interfere(t, r) })
	})
}

// pick draws one of some values, each as often as the others, which rapid.SampledFrom doesn't do.
func pick[T any](t *rapid.T, name string, values ...T) T {
	return rapid.Map(rapid.Permutation(values), func(order []T) T {
		return order[0]
	}).Draw(t, name)
}

// contested is a trial whose apply others interfere with.
type contested struct {
	*Trial
	prior, config Values // config is nil for a destroy
	plan          *Plan
	saw           map[string]map[string]any // what the plan saw of each object
	isImported    bool                      // the plan is the first one after an import, which may be refused

	mu       sync.Mutex
	past     map[string][]*httptest.ResponseRecorder // responses to each GET that differ from the one before
	expected []interference
	requests int // of the apply
	moment   int // counts the requests of the apply, and the changes by another client

	isChanged bool                      // another client has changed something, during the apply or before it
	changed   map[string]map[string]int // when another client last changed a field of an object, or its existence, which has no name
	told      map[string]int            // when a response last told the truth about a path; -1 if one has only lied
	writes    []contestedWrite
}

// contestedWrite is a request that changed something.
type contestedWrite struct {
	path          string
	moment        int
	isAnswered    bool                      // with a response that told the truth
	before, after map[string]map[string]any // the objects
	wasUnknown    func(id, field string) bool
}

// interference happens before or after a request of an apply, or before all of them.
type interference struct {
	request int
	isAfter bool
	id      string         // of the object that another client changes,
	fields  map[string]any // or deletes, if this is nil
	fault   string         // or what happens to the request
	age     int            // of an old response
}

// existence is the name of the field that says whether an object exists.
const existence = ""

const oldResponse = "an old response"

var interferingFaults = map[string]Handler{
	"503":             Respond(503, overloadedPage),
	"500 after it":    afterwards(Respond(500, failedPage)),
	"dropped before":  drop,
	"dropped after":   DropAfter,
	"an empty object": afterwards(Respond(200, "{}", "Content-Type", "application/json")),
	oldResponse:       nil,
}

// afterwards passes a request to the service, and responds in its place.
func afterwards(respond Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		Record(r, service)
		respond(w, r, service)
	}
}

// interfere draws a start, a plan and interferences, and checks the apply.
func interfere(t *rapid.T, r Registration) {
	c := &contested{
		Trial:   r.Start(t),
		past:    map[string][]*httptest.ResponseRecorder{},
		told:    map[string]int{},
		changed: map[string]map[string]int{},
	}
	c.Settings["max_retries"] = 2
	c.Proxy.Handle(c.handle)
	c.drawStart(t)
	if c.config = c.drawConfig(t); c.config == nil {
		return
	}
	isDestroy := !c.State.IsNull() && pick(t, "is a destroy", false, false, false, false, true)
	if isDestroy {
		c.config = nil
	}
	c.Restart()
	if rapid.Bool().Draw(t, "is refreshed") && len(c.Refresh().Errors()) > 0 {
		return
	}
	c.prior = c.Attributes()
	if c.plan = c.planOf(c.config); c.plan == nil {
		return
	}
	c.look()
	c.expected = c.drawInterferences(t)
	late := Values{}
	if isDestroy {
		late = nil
	}
	c.Restart()
	c.arrange(-1, false)
	c.moment = 1
	c.changed = map[string]map[string]int{}
	diags := c.Apply(c.plan, late)
	c.Proxy.Handle(nil)
	c.check(diags)
}

// drawStart draws what was applied before, and what has happened since.
func (c *contested) drawStart(t *rapid.T) {
	r := c.Registration
	starts := []string{"applied", "applied and drifted", "nothing", "imported"}
	if !r.Brief {
		starts = append(starts, "applied twice", "applied twice") // so that there are old responses
	}
	start := pick(t, "start", starts...)
	if start == "nothing" && r.Imported == nil {
		return
	}
	c.applyRegistered()
	switch {
	case start == "applied and drifted":
		c.drift(pick(t, "drift", r.Drifts...), pick(t, "drift", r.Drifts...))
	case start == "applied twice":
		for range 2 {
			c.CheckRefresh()
			config := c.drawConfig(t)
			p := c.planOf(config)
			if p != nil && len(c.CheckApply(p, Values{}).Errors()) == 0 {
				c.Applied = config
			}
		}
	case start == "imported" && r.Nested == nil:
		c.State = c.Null()
		c.Private = nil
		c.Identity = nil
		c.mustImport()
		c.isImported = true
	}
}

// planOf plans a configuration, or a destroy without one. It returns nil if the plan fails for a valid reason.
func (c *contested) planOf(config Values) *Plan {
	c.T.Helper()
	isEnd := !c.State.IsNull() && (config == nil || c.creates(config))
	isProtected := isEnd && c.Registration.Protects(c.Attributes())
	if !isProtected && !c.isImported {
		return c.CheckPlan(config)
	}
	p := c.Plan(config)
	switch {
	case len(p.Errors()) > 0:
		return nil
	case isProtected:
		c.T.Fatalf("the plan ends a protected object")
	}
	return p
}

// drawConfig draws a configuration that can be applied.
func (c *contested) drawConfig(t *rapid.T) Values {
	r := c.Registration
	changes := append(r.changesWithout("on_destroy"), Values{})
	if r.Imported == nil {
		changes = append(changes, r.Elsewhere)
	}
	config := With(r.Config, pick(t, "change", changes...))
	state := c.Attributes()
	if r.Guard != "" && c.creates(config) && state[r.Guard] == true {
		config = With(config, Values{r.Guard: true})
	}
	if c.creates(config) && !r.Creatable(config, c.Live(config)) {
		return c.Applied
	}
	return config
}

// look notes what the plan saw.
func (c *contested) look() {
	c.saw = c.held()
	if c.prior == nil {
		return
	}
	id := c.Registration.ID(c.prior)
	state := c.Registration.Fields(c.prior)
	if live := maps.Clone(c.saw[id]); c.Registration.Partial && live != nil {
		maps.Copy(live, state)
		state = live
	}
	c.saw[id] = state
}

// drawInterferences draws what happens during the apply.
func (c *contested) drawInterferences(t *rapid.T) (drawn []interference) {
	r := c.Registration
	var ids []string
	for _, values := range []Values{c.prior, c.config} {
		if values != nil && slices.Contains(r.Objects, r.ID(values)) {
			ids = append(ids, r.ID(values))
		}
	}
	faults := append(slices.Sorted(maps.Keys(interferingFaults)), oldResponse, oldResponse, oldResponse)
	changes := slices.Clone(r.Drifts)
	changes = append(changes, r.Fields(r.Config), r.Fields(With(r.Config, c.config)))
	for range pick(t, "interferences", 0, 1, 1, 2, 3) {
		i := interference{
			request: pick(t, "at request", -1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8),
			isAfter: rapid.Bool().Draw(t, "is after"),
		}
		switch kind := pick(t, "kind", "a change", "a change", "a deletion", "a fault", "a fault"); {
		case kind == "a change" && len(ids) > 0:
			i.id = pick(t, "object", ids...)
			i.fields = pick(t, "set by another client", changes...)
		case kind == "a deletion" && len(ids) > 0 && r.Inapplicable["an object that another client deletes is a change of the plan"] == "":
			i.id = pick(t, "object", ids...)
		default:
			i.fault = pick(t, "fault", faults...)
			i.age = pick(t, "age", 0, 1, 1, 2)
		}
		drawn = append(drawn, i)
	}
	return drawn
}

// arrange lets another client do what it does before or after a request.
func (c *contested) arrange(request int, isAfter bool) {
	for _, i := range c.expected {
		if i.request != request || i.isAfter != isAfter && request >= 0 || i.id == "" {
			continue
		}
		before := c.Registration.Object(c.Service, i.id)
		switch {
		case before == nil: // nothing to change
		case i.fields == nil:
			c.Registration.RemoveObject(c.Service, i.id)
		default:
			fields := maps.Clone(i.fields)
			maps.Copy(fields, c.Registration.Coupled(before, i.fields))
			c.Registration.SetObject(c.Service, i.id, fields)
		}
		c.isChanged = true
		c.moment++
		c.noteChanges(i.id, before, c.Registration.Object(c.Service, i.id))
	}
}

func (c *contested) noteChanges(id string, before, after map[string]any) {
	if c.changed[id] == nil {
		c.changed[id] = map[string]int{}
	}
	if (before == nil) != (after == nil) {
		c.changed[id][existence] = c.moment
	}
	for field := range c.Registration.Attributes {
		if text(before[field]) != text(after[field]) {
			c.changed[id][field] = c.moment
		}
	}
}

// handle passes a request to the service, with what interferes with it.
func (c *contested) handle(w http.ResponseWriter, r *http.Request, service http.Handler) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.moment == 0 { // before the apply
		recorded := Record(r, service)
		c.remember(r, recorded)
		Send(w, recorded, recorded.Body.Bytes())
		return
	}
	number := c.requests
	c.requests++
	c.arrange(number, false)
	c.moment++
	observed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.observe(w, r, service)
	})
	if fault := c.faultOf(number, r); fault != nil {
		if c.told[r.URL.Path] == 0 {
			c.told[r.URL.Path] = -1
		}
		defer c.arrange(number, true)
		fault(w, r, observed)
		return
	}
	recorded := Record(r, observed)
	delete(c.past, r.RequestURI) // a read that lags is not older than one before it
	c.remember(r, recorded)
	c.told[r.URL.Path] = c.moment
	if r.Method != http.MethodGet {
		c.writes[len(c.writes)-1].isAnswered = true
	}
	c.arrange(number, true)
	Send(w, recorded, recorded.Body.Bytes())
}

// remember keeps a response, for a later read that lags.
func (c *contested) remember(r *http.Request, recorded *httptest.ResponseRecorder) {
	past := c.past[r.RequestURI]
	isNew := len(past) == 0 || past[len(past)-1].Body.String() != recorded.Body.String()
	if r.Method == http.MethodGet && isNew {
		c.past[r.RequestURI] = append(past, recorded)
	}
}

// faultOf returns the fault of a request, or nil.
func (c *contested) faultOf(number int, r *http.Request) Handler {
	for _, i := range c.expected {
		if i.fault == "" || i.request != number {
			continue
		}
		if i.fault != oldResponse {
			return interferingFaults[i.fault]
		}
		past := c.past[r.RequestURI]
		if len(past) == 0 {
			return nil
		}
		old := past[max(0, len(past)-1-i.age)]
		if r.Method != http.MethodGet && old.Code != http.StatusOK {
			return nil
		}
		return afterwards(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			Send(w, old, old.Body.Bytes())
		})
	}
	return nil
}

// observe passes a request to the service, and notes what it changes.
func (c *contested) observe(w http.ResponseWriter, r *http.Request, service http.Handler) {
	before := c.held()
	moments := map[string]map[string]int{}
	for id, changed := range c.changed {
		moments[id] = maps.Clone(changed)
	}
	told := c.toldAbout(r.URL.Path)
	service.ServeHTTP(w, r)
	if r.Method == http.MethodGet {
		return
	}
	c.writes = append(c.writes, contestedWrite{
		path:       r.URL.Path,
		moment:     c.moment,
		before:     before,
		after:      c.held(),
		wasUnknown: func(id, field string) bool { return moments[id][field] > told },
	})
}

// toldAbout returns when a response last told the truth about the object of a path: its own, that of an object in it, or
// of the list that has it.
func (c *contested) toldAbout(of string) int {
	last := -1
	isRead := false
	for at, moment := range c.told {
		if at == of || strings.HasPrefix(at, of+"/") {
			last = max(last, moment)
			isRead = true
		}
	}
	if isRead {
		return last
	}
	return c.told[path.Dir(of)]
}

// check checks the writes and the result of the apply, and the next apply.
func (c *contested) check(diags Diagnostics) {
	c.T.Helper()
	for i := range c.writes {
		c.checkWrite(i, diags)
	}
	c.CheckForeign()
	if len(diags.Errors()) == 0 {
		c.checkSuccess()
	}
	c.applyFailed = len(diags.Errors()) > 0
	if c.isChanged {
		c.unreported = nil // another client may have changed them again
	}
	switch {
	case c.config == nil:
		c.checkNextApply(operation{after: func(Registration) Values { return nil }}, true)
	case c.Live(c.config) == nil:
		c.Restart()
		errors := c.Refresh().Errors()
		p := c.Plan(c.config)
		errors = append(errors, p.Errors()...)
		if len(errors) == 0 && p.IsEmpty() {
			c.T.Fatalf("the object is gone, and the plan is empty; the state has %v", c.Attributes())
		}
	default:
		c.CheckRefresh()
		isOfBoth := c.State.IsNull() && c.Registration.Created && c.isChanged
		if !isOfBoth { // its import may be refused
			c.checkRecovers(c.config)
		}
	}
}

// checkWrite checks that a write changed what the plan shows, from what it saw, or from what an earlier write left.
func (c *contested) checkWrite(number int, diags Diagnostics) {
	c.T.Helper()
	r, w, made := c.Registration, c.writes[number], c.plan.Values()
	for _, id := range r.Objects {
		was := maps.Clone(w.before[id])
		is := w.after[id]
		making := made != nil && r.ID(made) == id
		destroying := c.prior != nil && r.ID(c.prior) == id && (c.plan.Replaces || made == nil)
		mayComeBack := c.saw[id] == nil || len(r.OwnElements) > 0 || w.wasUnknown(id, existence)
		switch {
		case fmt.Sprint(was) == fmt.Sprint(is):
			continue
		case !making && !destroying, is == nil && !destroying, is == nil && !r.Deletes(c.prior):
			c.T.Fatalf("%s was %v and is %v, which the plan did not show", id, was, is)
		case was == nil && !mayComeBack && !c.wasLeft(number, id, existence, ""):
			c.T.Fatalf("%s was deleted since the plan, and is %v", id, is)
		}
		for field := range r.Attributes {
			saw := c.saw[id][field]
			switch {
			case is != nil && text(was[field]) == text(is[field]), was == nil, isEmptyList(was[field]) && is[field] == nil:
			case w.wasUnknown(id, field), w.wasUnknown(id, existence):
				if is != nil {
					was[field] = is[field]
				}
			case !overwritesOnly(saw, was[field], is[field]) && !c.wasLeft(number, id, field, text(was[field])):
				c.T.Fatalf("write %d changed %s of %s from %v, which the plan did not see (it saw %v), to %v\nplan %v\ndiagnostics %q %q",
					number, field, id, was[field], saw, is[field], c.plan.Changes(), diags.Errors(), diags.Warnings())
			}
		}
		if making && was != nil && is != nil {
			for field, promised := range c.shown(c.plan, c.prior) {
				if movesTo(promised, was[field], is[field]) { // one of several steps
					was[field] = is[field]
				}
			}
			messages := slices.Concat(c.plan.Warnings(), diags.Warnings(), diags.Errors())
			c.checkFieldChanges(c.plan, Values{}, c.prior, was, is, messages, len(diags.Errors()) > 0)
		}
	}
}

// isEmptyList reports whether a value is an empty list, which an object may also lack.
func isEmptyList(value any) bool {
	list, isList := value.([]any)
	return isList && len(list) == 0
}

// overwritesOnly reports whether a change of a value overwrites only what was seen. Each element of a list is a value.
func overwritesOnly(saw, was, is any) bool {
	if elements := changedElements(was, is); elements != nil {
		return !slices.ContainsFunc(elements, func(element any) bool {
			return has(was, element) != has(saw, element)
		})
	}
	return text(saw) == text(was)
}

// movesTo reports whether a change of a list adds or removes only elements that another list adds or removes.
func movesTo(wanted, was, is any) bool {
	elements := changedElements(was, is)
	return len(elements) > 0 && !slices.ContainsFunc(elements, func(element any) bool {
		return has(is, element) != has(wanted, element)
	})
}

// changedElements returns the elements that only one of two lists has, or nil for values that are no lists.
func changedElements(was, is any) []any {
	before, _ := was.([]any)
	after, _ := is.([]any)
	return slices.DeleteFunc(slices.Concat(before, after), func(element any) bool {
		return has(was, element) == has(is, element)
	})
}

// shared returns the elements that two lists have.
func shared(list, other any) []any {
	elements, _ := list.([]any)
	return slices.DeleteFunc(slices.Clone(elements), func(element any) bool {
		return !has(other, element)
	})
}

func has(list, element any) bool {
	elements, _ := list.([]any)
	return slices.ContainsFunc(elements, func(e any) bool { return text(e) == text(element) })
}

// wasLeft reports whether an earlier write left a value of an object.
func (c *contested) wasLeft(number int, id, field, value string) bool {
	return slices.ContainsFunc(c.writes[:number], func(w contestedWrite) bool {
		if field == existence {
			return w.before[id] != nil && w.after[id] == nil
		}
		return fmt.Sprint(w.before[id]) != fmt.Sprint(w.after[id]) && text(w.after[id][field]) == value
	})
}

// checkSuccess checks that the service holds what the plan of a successful apply showed.
func (c *contested) checkSuccess() {
	c.T.Helper()
	told := 0
	if len(c.writes) > 0 {
		last := c.writes[len(c.writes)-1]
		told = c.toldAbout(last.path)
		if last.isAnswered {
			told = last.moment
		}
	}
	if c.config == nil {
		id := c.Registration.ID(c.prior)
		owned := c.Registration.Fields(c.prior)
		live := c.Registration.Object(c.Service, id)
		isOfOthers := slices.ContainsFunc(c.Registration.OwnElements, func(field string) bool {
			return len(shared(live[field], owned[field])) == 0
		})
		// An old response may say that the object is gone. A request to make sure would delete what no plan has shown.
		isMisled := len(c.writes) == 0 && slices.Contains(slices.Collect(maps.Values(c.told)), -1)
		if c.Registration.Deletes(c.prior) && live != nil && !isOfOthers && !isMisled && c.changed[id][existence] <= told {
			c.T.Fatalf("the destroy succeeded, and %s exists", id)
		}
		return
	}
	id := c.Registration.ID(c.plan.Values())
	live := c.Registration.Object(c.Service, id)
	for field, promised := range c.shown(c.plan, c.prior) {
		isLater := c.changed[id][field] > told || c.changed[id][existence] > told
		if promised != Unknown && text(live[field]) != text(promised) && !isLater {
			c.T.Fatalf("the apply succeeded, and %s of %s is %v, planned %v", field, id, live[field], promised)
		}
	}
}
