package provider_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// sentID is an ID or a time in a request, which may differ between two runs.
var sentID = regexp.MustCompile(`[0-9a-f]{24}`)

// If what a resource does depends on a list, a list whose items have no ID is an error, and not an empty one.
func TestNothingIsDecidedByAListWithoutIDs(t *testing.T) {
	t.Parallel()
	for i, d := range destructions {
		run := func(t *testing.T, handle providertest.Handler) (writes, messages string) {
			proxy := providertest.StartFaultProxy(t, emulator.Options{TransitionReads: -1, RestoreReads: -1})
			proxy.Handle(handle)
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(d.typeName)
			p := r.Plan(providertest.With(d.config, d.settings))
			all := p.Diagnostics
			if len(p.Errors()) == 0 {
				all = slices.Concat(all, r.Apply(p, nil))
			}
			if !r.State.IsNull() {
				all = slices.Concat(all, r.Refresh(), r.Destroy())
			}
			return sentID.ReplaceAllString(fmt.Sprint(proxy.Writes()), "ID"), strings.Join(slices.Concat(all.Errors(), all.Warnings()), "\n")
		}
		var paths []string
		run(t, providertest.Rewrite(func(r *http.Request, document map[string]any) {
			if results, _ := document["results"].([]any); len(results) > 0 && r.Method == http.MethodGet && !slices.Contains(paths, r.URL.Path) {
				paths = append(paths, r.URL.Path)
			}
		}))
		for _, at := range paths {
			for name, change := range map[string]func(map[string]any) any{"null": elementChanges["null"], "without an ID": elementChanges["without an ID"]} {
				t.Run(fmt.Sprint(i, " ", d.typeName, " ", at, " ", name), func(t *testing.T) {
					t.Parallel()
					want, _ := run(t, nil)
					got, messages := run(t, providertest.Rewrite(func(r *http.Request, document map[string]any) {
						results, _ := document["results"].([]any)
						for i := range results {
							if element, ok := results[i].(map[string]any); ok && r.URL.Path == at {
								results[i] = change(element)
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
