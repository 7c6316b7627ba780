package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Checks with unusual responses.

// raw is a number in a given JSON notation.
func raw(number string) any { return json.RawMessage(number) }

// manglings are ways in which a server may change a field of a response. The provider may write a
// plausible value back.
var manglings = []struct {
	name      string
	plausible bool
	mangle    func(document map[string]any, field string)
}{
	{name: "left out", mangle: func(document map[string]any, field string) { delete(document, field) }},
	{name: "null", plausible: true, mangle: func(document map[string]any, field string) { document[field] = nil }},
	{name: "a fraction", mangle: func(document map[string]any, field string) { document[field] = raw("1.5") }},
	{name: "a huge number", mangle: func(document map[string]any, field string) { document[field] = raw("1e400") }},
	{name: "a negative number", plausible: true, mangle: func(document map[string]any, field string) { document[field] = -1 }},
	{name: "a whole number with a fraction", mangle: func(document map[string]any, field string) {
		if n, ok := document[field].(float64); ok {
			document[field] = raw(fmt.Sprintf("%.1f", n))
		}
	}},
	{name: "an unknown text", plausible: true, mangle: func(document map[string]any, field string) { document[field] = "UNHEARD_OF" }},
	{name: "a text with control characters", plausible: true, mangle: func(document map[string]any, field string) {
		document[field] = "\x1b[2J\u202egnihtyna\r\nNo changes.\x00"
	}},
	{name: "an object", mangle: func(document map[string]any, field string) { document[field] = map[string]any{"a": 1} }},
}

// checkMangledFields tests that a wrong value in a response never makes an apply change a field
// that its plan didn't show, and never empties the state. The configuration converges with the next
// correct responses.
func checkMangledFields(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		fields := append(slices.Sorted(maps.Keys(r.Attributes)), "links", "id", "groupId", "clusterId")
		isDrawn := r.draws(7)
		for i, field := range fields {
			for j, mangling := range manglings {
				if !isDrawn() {
					continue
				}
				runCase(t, field+" is "+mangling.name, func(t *testing.T) {
					mangle := Rewrite(func(_ *http.Request, document map[string]any) {
						if _, there := document[field]; there || field == "links" {
							mangling.mangle(document, field)
						}
					})
					change := r.Changes[(i+j)%len(r.Changes)]
					var lied []string
					if mangling.plausible {
						lied = []string{field}
					}
					if Sampled(j/2, 2) {
						mangledCreation(t, r, mangle, lied)
					}
					mangledUpdate(t, r, mangle, lied, change)
				})
			}
		}
	})
}

// mangledCreation creates a resource while responses are mangled, some of them plausibly. If
// that fails, it is repeated with correct responses.
func mangledCreation(t *testing.T, r Registration, mangle Handler, lied []string) {
	t.Helper()
	a := r.Start(t)
	a.Hidden = lied
	a.Proxy.Handle(mangle)
	a.Restart()
	a.attemptsToApply(r.Config)
	a.Proxy.Handle(nil)
	a.Hidden = nil
	a.checkRecovers(r.Config)
}

// mangledUpdate refreshes and updates a resource while responses are mangled.
func mangledUpdate(t *testing.T, r Registration, mangle Handler, lied []string, change Values) {
	t.Helper()
	changed := With(r.Config, change)
	a := r.startApplied(t)
	p := a.checkPlanWithoutRefresh(changed)
	if p == nil {
		return
	}
	a.Hidden = lied
	a.Proxy.Handle(mangle)
	a.Restart()
	a.Refresh()
	if a.Attributes() == nil {
		t.Fatalf("a mangled response emptied the state")
	}
	if fresh := a.Plan(changed); len(fresh.Errors()) == 0 {
		p = fresh
	}
	a.attempts(p, changed)
	if a.Attributes() == nil {
		t.Fatalf("a mangled response emptied the state")
	}
	a.Proxy.Handle(nil)
	a.Hidden = nil
	a.checkConverges(changed)
}

// checkMissingMembers takes each member away from each response of each operation, one at a time: from this response only,
// or from all later ones, too. An apply still changes only what its plan showed, and the next one completes the operation.
func checkMissingMembers(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		isDrawn := r.draws(missingMembersInSample)
		for _, op := range r.operations() {
			probe := r.Start(t)
			for request, members := range probe.members(op.prepare(probe)) {
				for _, member := range members {
					for _, stays := range []bool{false, true} {
						if slices.Contains(r.Telling, strings.Join(member, ".")) || !isDrawn() {
							continue
						}
						name := fmt.Sprintf("%s/request %d/%s/stays %v", op.name, request+1, strings.Join(member, "."), stays)
						runCase(t, name, func(t *testing.T) {
							without := Rewrite(func(_ *http.Request, document map[string]any) {
								atMember(document, member, removeMember)
							})
							recovers(t, r.whoseLastDriftHas(member[0]), op, func(func()) Handler {
								return nth(request, stays, without)
							})
						})
					}
				}
			}
		}
	})
}

// whoseLastDriftHas returns the registration with the drift of a field as the one between plan and apply, if it has one,
// and if a response without the field does not say that it is unset.
func (r Registration) whoseLastDriftHas(field string) Registration {
	hasField := func(drift map[string]any) bool { return drift[field] != nil }
	r.Drifts = slices.Clone(r.Drifts)
	i := slices.IndexFunc(r.Drifts, hasField)
	switch {
	case slices.Contains(r.Unset, field):
		r.Drifts = slices.DeleteFunc(r.Drifts, hasField)
	case i >= 0:
		r.Drifts[1], r.Drifts[i] = r.Drifts[i], r.Drifts[1]
	}
	return r
}

// missingMembersInSample is how many cases there are for each one that is in the sample.
const missingMembersInSample = 61

// members runs an operation, and returns the paths of the members of each response.
func (a *Trial) members(run func()) (ofRequests [][][]string) {
	var mu sync.Mutex
	a.Proxy.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		recorded := Record(r, service)
		var document any
		_ = json.Unmarshal(recorded.Body.Bytes(), &document) // no members without one
		mu.Lock()
		ofRequests = append(ofRequests, membersOf(document, nil))
		mu.Unlock()
		Send(w, recorded, recorded.Body.Bytes())
	})
	run()
	a.Proxy.Handle(nil)
	return ofRequests
}

// membersOf returns the paths of the members of a document. Of a list, those of the first and of the last element.
func membersOf(document any, path []string) (paths [][]string) {
	switch document := document.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(document)) {
			at := append(slices.Clone(path), name)
			paths = append(paths, at)
			paths = append(paths, membersOf(document[name], at)...)
		}
	case []any:
		for i, element := range document {
			if i == 0 || i == len(document)-1 {
				paths = append(paths, membersOf(element, append(slices.Clone(path), strconv.Itoa(i)))...)
			}
		}
	}
	return paths
}

// atMember changes the member at a path of a document, if it has the object of the member.
func atMember(document any, path []string, change func(object map[string]any, name string)) {
	switch held := document.(type) {
	case map[string]any:
		if len(path) == 1 {
			change(held, path[0])
			return
		}
		atMember(held[path[0]], path[1:], change)
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(held) {
			atMember(held[i], path[1:], change)
		}
	}
}

func removeMember(object map[string]any, name string) { delete(object, name) }

// checkAdjustedFields tests that an apply fails if the service stores a different value than the configured one, and
// returns that, or leaves the field out.
func checkAdjustedFields(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for _, change := range sample(r, r.Changes) {
			wanted := differing(r.Fields(change), r.Fields(r.Config))
			if len(wanted) == 0 {
				continue // a setting
			}
			for _, isLeftOut := range []bool{false, true} {
				runCase(t, fmt.Sprintf("%v, left out %v", change, isLeftOut), func(t *testing.T) {
					adjustedUpdate(t, r, change, wanted, isLeftOut)
				})
			}
		}
	})
}

// adjustedUpdate updates a resource on a service that keeps some of the wanted fields as they are.
func adjustedUpdate(t *testing.T, r Registration, change Values, wanted map[string]any, isLeftOut bool) {
	t.Helper()
	changed := With(r.Config, change)
	a := r.startApplied(t)
	p := a.checkPlanWithoutRefresh(changed)
	if p == nil {
		return
	}
	held := a.Live(r.Config)
	a.Unrequested = true
	hasWritten := false
	a.Proxy.Handle(Rewrite(func(request *http.Request, document map[string]any) {
		isWrite := request.Method != http.MethodGet
		hasWritten = hasWritten || isWrite
		for field := range wanted {
			if isWrite {
				r.SetObject(a.Service, r.ID(r.Config), map[string]any{field: held[field]})
				document[field] = held[field]
			}
			if hasWritten && isLeftOut {
				delete(document, field)
			}
		}
	}))
	if diags := a.CheckApply(p, Values{}); len(diags.Errors()) == 0 {
		t.Fatalf("the service holds %v, and the apply succeeded: %q", a.Live(r.Config), diags.Warnings())
	}
	a.Proxy.Handle(nil)
	a.Unrequested = false
	a.checkConverges(changed)
}

// checkCoupledFields tests that the provider reports a field that the service changes along with
// another one.
func checkCoupledFields(t *testing.T, registrations []Registration) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		isDrawn := r.draws(5)
		for i, change := range r.Changes {
			changed := With(r.Config, change)
			untouched, _ := r.untouched(r.Config, changed)
			for _, drift := range untouched {
				if !isDrawn() {
					continue
				}
				runCase(t, fmt.Sprint(change, " and ", drift), func(t *testing.T) {
					along := func(a *Trial) Handler {
						return onWrites(Rewrite(func(_ *http.Request, document map[string]any) {
							r.SetObject(a.Service, r.ID(r.Config), drift)
							maps.Copy(document, drift)
						}))
					}
					a := r.startApplied(t)
					p := a.checkPlanWithoutRefresh(changed)
					if p == nil {
						return
					}
					a.Unrequested = true
					a.Proxy.Handle(along(a))
					a.attempts(p, changed)
					a.Proxy.Handle(nil)
					a.Unrequested = false
					a.checkConverges(changed)
					if i > 0 {
						return
					}
					b := r.Start(t)
					b.Unrequested = true
					b.Proxy.Handle(along(b))
					b.attempts(b.checkPlanWithoutRefresh(changed), changed)
					b.Proxy.Handle(nil)
					b.Unrequested = false
					b.checkRecovers(changed)
				})
			}
		}
	})
}

// checkOtherObjects tests that a response for another object is an error.
func checkOtherObjects(t *testing.T, registrations []Registration) {
	t.Helper()
	runEachInBubble(t, registrations, thorough, func(t *testing.T, r Registration) {
		other := With(r.Config, r.Elsewhere)
		stranger := Rewrite(func(_ *http.Request, document map[string]any) {
			for _, id := range r.IDs {
				replaceValue(document, r.Config[id], other[id])
				if _, named := document["id"]; named {
					document["id"] = other[id]
				}
			}
			for _, drift := range r.Drifts {
				maps.Copy(document, drift)
			}
		})
		a := r.startApplied(t)
		state := a.State
		a.Proxy.Handle(stranger)
		a.Restart()
		if errors := a.Refresh().Errors(); len(errors) == 0 {
			t.Errorf("a response for another object was accepted: %v", a.Attributes())
		}
		if !a.State.Equal(state) {
			t.Errorf("a response for another object is in the state: %v", a.Attributes())
		}
		mangledCreation(t, r, stranger, nil)
		mangledUpdate(t, r, stranger, nil, r.Changes[0])
	})
}

// replaceValue replaces a value of a document, and of the documents in it.
func replaceValue(document map[string]any, value, by any) {
	for field, held := range document {
		if inner, ok := held.(map[string]any); ok {
			replaceValue(inner, value, by)
		} else if text(held) == text(value) {
			document[field] = by
		}
	}
}
