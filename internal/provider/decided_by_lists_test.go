package provider_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// madeAnew is an ID or a time, which may differ between two runs.
var madeAnew = regexp.MustCompile(`[0-9a-f]{24}|\d{4}-\d\d-\d\dt[\d:]+z`)

// lifeOf creates, refreshes and destroys a resource, and returns what was sent, the messages, and the state in between.
func lifeOf(t *testing.T, d destruction, handle providertest.Handler) (writes, messages, state string) {
	t.Helper()
	proxy := providertest.StartFaultProxy(t, emulator.Options{TransitionReads: -1, RestoreReads: -1})
	proxy.Handle(handle)
	r := providertest.NewWorkspace(t, proxy.Service).NewResource(d.typeName)
	p := r.Plan(d.config.With(d.settings))
	all := p.Diagnostics
	if len(p.Errors()) == 0 {
		all = slices.Concat(all, r.Apply(p))
	}
	if !r.State.IsNull() {
		all = slices.Concat(all, r.Refresh())
		stored := strings.Fields(madeAnew.ReplaceAllString(words(r.Attributes()), "NEW"))
		slices.Sort(stored)
		state = strings.Join(stored, " ")
		all = slices.Concat(all, r.Destroy())
	}
	writes = madeAnew.ReplaceAllString(strings.ToLower(fmt.Sprint(proxy.Writes())), "NEW")
	return writes, strings.Join(slices.Concat(all.Errors(), all.Warnings()), "\n"), state
}

// If what a resource does depends on a list, a list whose items have no ID is an error, and not an empty one.
func TestNothingIsDecidedByAListWithoutIDs(t *testing.T) {
	t.Parallel()
	for i, d := range destructions {
		var paths []string
		lifeOf(t, d, providertest.Rewrite(func(r *http.Request, document object) {
			if results, _ := document["results"].([]any); len(results) > 0 && r.Method == http.MethodGet && !slices.Contains(paths, r.URL.Path) {
				paths = append(paths, r.URL.Path)
			}
		}))
		for _, at := range paths {
			for _, name := range []string{"null", "without an ID"} {
				t.Run(fmt.Sprint(i, " ", d.typeName, " ", at, " ", name), func(t *testing.T) {
					t.Parallel()
					want, _, _ := lifeOf(t, d, nil)
					got, messages, _ := lifeOf(t, d, providertest.Rewrite(func(r *http.Request, document object) {
						results, _ := document["results"].([]any)
						for i := range results {
							if element, ok := results[i].(object); ok && r.URL.Path == at {
								results[i] = elementChanges[name](element)
							}
						}
					}))
					if got != want && !strings.Contains(messages, "is null or has no ID") {
						t.Errorf("sent %s instead of %s, and said only %s", got, want, messages)
					}
				})
			}
		}
	}
}

var hexID = regexp.MustCompile(`"[0-9a-f]{24}"`)

func TestIDsInCapitalsChangeNothing(t *testing.T) {
	t.Parallel()
	inCapitals := func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		recorded := providertest.Record(r, service)
		recorded.Header().Del("Content-Length")
		providertest.Send(w, recorded, hexID.ReplaceAllFunc(recorded.Body.Bytes(), bytes.ToUpper))
	}
	batch := providertest.Schedule(orders, values{"snapshot_id": "66d45311c4d6e8f0a2b4c703", "max_downloads": 1, "expiration_hours": 1})
	for i, d := range append(slices.Clone(destructions), destruction{typeName: providertest.RestoreJobType, config: batch}) {
		t.Run(fmt.Sprint(i, " ", d.typeName), func(t *testing.T) {
			t.Parallel()
			wantWrites, wantMessages, wantState := lifeOf(t, d, nil)
			writes, messages, state := lifeOf(t, d, inCapitals)
			if writes != wantWrites || strings.Count(messages, "\n") != strings.Count(wantMessages, "\n") {
				t.Errorf("sent %s instead of %s, and said\n%s\ninstead of\n%s", writes, wantWrites, messages, wantMessages)
			}
			if state != wantState {
				t.Errorf("stored\n%s\ninstead of\n%s", state, wantState)
			}
		})
	}
}
