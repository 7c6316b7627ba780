package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// Attacks with what servers answer.

// writes reports whether a request changes something: all but a GET and the
// empty PATCH that only reads.
func writes(r *http.Request) bool { return r.Method != http.MethodGet && r.ContentLength > 2 }

// rewritten has the service answer, and changes each object in the answers on
// its way.
func rewritten(change func(r *http.Request, document map[string]any)) answer {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		recorded := answered(r, service)
		var document map[string]any
		if recorded.Code >= 300 || json.Unmarshal(recorded.Body.Bytes(), &document) != nil {
			send(w, recorded, recorded.Body.Bytes())
			return
		}
		change(r, document)
		body, err := json.Marshal(document)
		if err != nil {
			panic(err)
		}
		recorded.Header().Del("Content-Length")
		send(w, recorded, body)
	}
}

// raw is a number as it is written in JSON.
func raw(number string) any { return json.RawMessage(number) }

// manglings are what a server may make of a field. A lie could be true: what is
// read so may be written back.
var manglings = []struct {
	name   string
	lie    bool
	mangle func(document map[string]any, field string)
}{
	{name: "left out", mangle: func(document map[string]any, field string) { delete(document, field) }},
	{name: "null", lie: true, mangle: func(document map[string]any, field string) { document[field] = nil }},
	{name: "a fraction or a truth", mangle: func(document map[string]any, field string) { document[field] = raw("1.5") }},
	{name: "a huge number", mangle: func(document map[string]any, field string) { document[field] = raw("1e400") }},
	{name: "a negative number", lie: true, mangle: func(document map[string]any, field string) { document[field] = -1 }},
	{name: "a whole number with a fraction", mangle: func(document map[string]any, field string) {
		if n, ok := document[field].(float64); ok {
			document[field] = raw(fmt.Sprintf("%.1f", n))
		}
	}},
	{name: "an unknown text", lie: true, mangle: func(document map[string]any, field string) { document[field] = "UNHEARD_OF" }},
	{name: "a text that paints the terminal", lie: true, mangle: func(document map[string]any, field string) {
		document[field] = "\x1b[2J\u202egnihtyna\r\nNo changes.\x00"
	}},
	{name: "an object", mangle: func(document map[string]any, field string) { document[field] = map[string]any{"a": 1} }},
}

// Whatever a field of an answer is, an apply changes what its plan showed, and
// no state is emptied. With the next good answers the configuration converges.
func TestAFieldMayBeAnythingInAnAnswer(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		run, wait := sideBySide(t)
		defer wait()
		fields := append(slices.Sorted(maps.Keys(r.attributes)), "links", "id", "groupId", "clusterId")
		for i, field := range fields {
			for j, mangling := range manglings {
				if !r.isItsTurn(i*len(manglings) + j) {
					continue
				}
				run(field+" is "+mangling.name, func(t *testing.T) {
					mangle := rewritten(func(_ *http.Request, document map[string]any) {
						if _, there := document[field]; there || field == "links" {
							mangling.mangle(document, field)
						}
					})
					change := r.changes[(i+j)%len(r.changes)]
					var lied []string
					if mangling.lie {
						lied = []string{field}
					}
					if sampled(j, 2) {
						mangledCreation(t, r, mangle, lied)
					}
					mangledUpdate(t, r, mangle, lied, change)
				})
			}
		}
	})
}

// mangledCreation creates a resource while answers are mangled, with lies about
// some fields. It may fail, and may be repeated when they are not.
func mangledCreation(t *testing.T, r registration, mangle answer, lied []string) {
	t.Helper()
	a := r.start(t, t.Cleanup)
	a.hidden = lied
	a.spoils(mangle)
	a.restart()
	if p := a.plan(r.config); len(p.errors()) == 0 {
		if told := a.carriesOut(p, values{}); len(told.errors()) == 0 {
			a.applied = r.config
		}
	}
	a.spoils(nil)
	a.hidden = nil
	a.recovers(r.config)
}

// recovers converges after something went wrong, and takes over what was made
// then.
func (a *trial) recovers(config values) {
	a.t.Helper()
	if a.state.IsNull() && a.of.created && a.live(config) != nil {
		a.restart()
		if errors := a.importID(a.of.id(config)).errors(); len(errors) > 0 {
			a.t.Fatalf("import: %q", errors)
		}
	}
	a.refreshes()
	if a.creates(config) && a.judged(config) == nil {
		return
	}
	if a.creates(config) {
		a.applies(config)
	}
	a.converges(config)
}

// mangledUpdate refreshes and updates a resource while answers are mangled.
func mangledUpdate(t *testing.T, r registration, mangle answer, lied []string, change values) {
	t.Helper()
	changed := with(r.config, change)
	a := r.startApplied(t)
	p := a.plans(changed)
	if p == nil {
		return
	}
	a.hidden = lied
	a.spoils(mangle)
	a.restart()
	a.refresh()
	if a.attributes() == nil {
		t.Fatalf("a mangled answer emptied the state")
	}
	if fresh := a.plan(changed); len(fresh.errors()) == 0 {
		p = fresh
	}
	if told := a.carriesOut(p, values{}); len(told.errors()) == 0 {
		a.applied = changed
	}
	if a.attributes() == nil {
		t.Fatalf("a mangled answer emptied the state")
	}
	a.spoils(nil)
	a.hidden = nil
	a.converges(changed)
}

func TestAFieldThatIsAdjustedIsReported(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		run, wait := sideBySide(t)
		defer wait()
		for _, change := range r.changes {
			wanted := differing(r.fields(change), r.fields(r.config))
			if len(wanted) == 0 {
				continue // a setting
			}
			run(fmt.Sprint(change), func(t *testing.T) {
				changed := with(r.config, change)
				a := r.startApplied(t)
				p := a.plans(changed)
				if p == nil {
					return
				}
				// The service takes the change and makes something else of it.
				held := a.live(r.config)
				a.meddles = true
				a.spoils(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
					if !writes(request) {
						service.ServeHTTP(w, request)
						return
					}
					rewritten(func(_ *http.Request, document map[string]any) {
						for field := range wanted {
							r.click(a.service, r.id(r.config), map[string]any{field: held[field]})
							document[field] = held[field]
						}
					})(w, request, service)
				})
				if told := a.carriesOut(p, values{}); len(told.errors()) == 0 {
					t.Fatalf("the service holds %v, and the apply succeeded: %q", a.live(r.config), told.warnings())
				}
				a.spoils(nil)
				a.meddles = false
				a.converges(changed)
			})
		}
	})
}

func TestAFieldThatChangesAlongIsTold(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		run, wait := sideBySide(t)
		defer wait()
		for i, change := range r.changes {
			changed := with(r.config, change)
			untouched, _ := r.untouched(r.config, changed)
			for j, click := range untouched {
				if !r.isItsTurn(i*len(r.clicks) + j) {
					continue
				}
				run(fmt.Sprint(change, " and ", click), func(t *testing.T) {
					along := func(a *trial) answer {
						return func(w http.ResponseWriter, request *http.Request, service http.Handler) {
							if !writes(request) {
								service.ServeHTTP(w, request)
								return
							}
							rewritten(func(_ *http.Request, document map[string]any) {
								r.click(a.service, r.id(r.config), click)
								maps.Copy(document, click)
							})(w, request, service)
						}
					}
					a := r.startApplied(t)
					p := a.plans(changed)
					if p == nil {
						return
					}
					a.meddles = true
					a.spoils(along(a))
					if told := a.carriesOut(p, values{}); len(told.errors()) == 0 {
						a.applied = changed
					}
					a.spoils(nil)
					a.meddles = false
					a.converges(changed)
					if i > 0 {
						return
					}
					b := r.start(t, t.Cleanup)
					b.meddles = true
					b.spoils(along(b))
					if told := b.carriesOut(b.plans(changed), values{}); len(told.errors()) == 0 {
						b.applied = changed
					}
					b.spoils(nil)
					b.meddles = false
					b.recovers(changed)
				})
			}
		}
	})
}

// Servers that share a database may show the old values for some reads after a
// write.
func TestAServiceThatLagsIsWaitedFor(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		run, wait := sideBySide(t)
		defer wait()
		for _, answers := range []bool{false, true} {
			for _, reads := range []int{0, 1, 3} {
				run(fmt.Sprintf("old answers %v, %d old reads", answers, reads), func(t *testing.T) {
					lagging := r
					lagging.options = emulator.Options{Profile: r.options.Profile, StaleReads: reads, StaleAnswers: answers}
					for _, change := range []values{{}, r.changes[0]} {
						a := lagging.start(t, t.Cleanup)
						a.applies(r.config)
						catchUp(a, reads)
						changed := with(r.config, change)
						p := a.settles(changed)
						if p == nil {
							continue
						}
						if errors := a.carriesOut(p, values{}).errors(); len(errors) > 0 {
							t.Fatalf("apply: %q", errors)
						}
						a.applied = changed
						catchUp(a, reads)
						a.converges(changed)
					}
				})
			}
		}
	})
}

// catchUp reads until the service shows what it holds.
func catchUp(a *trial, reads int) {
	a.t.Helper()
	for range reads {
		a.refreshes()
	}
}

func TestAnotherObjectsAnswerIsNotTakenForThisOne(t *testing.T) {
	t.Parallel()
	attack(t, thorough, func(t *testing.T, r registration) {
		other := with(r.config, r.elsewhere)
		stranger := rewritten(func(_ *http.Request, document map[string]any) {
			for _, id := range r.ids {
				for field, value := range document {
					if value == r.config[id] {
						document[field] = other[id]
					}
				}
				if _, named := document["id"]; named {
					document["id"] = other[id]
				}
			}
			for _, click := range r.clicks {
				maps.Copy(document, click)
			}
		})
		a := r.startApplied(t)
		state := a.state
		a.spoils(stranger)
		a.restart()
		if errors := a.refresh().errors(); len(errors) == 0 {
			t.Errorf("the answer of another object was taken: %v", a.attributes())
		}
		if !a.state.Equal(state) {
			t.Errorf("the answer of another object is in the state: %v", a.attributes())
		}
		mangledCreation(t, r, stranger, nil)
		mangledUpdate(t, r, stranger, nil, r.changes[0])
	})
}
