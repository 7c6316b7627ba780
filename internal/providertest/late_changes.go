package providertest

import (
	"fmt"
	"net/http"
	"testing"
)

// CheckLateChanges tests that an update keeps what another client changes before any of its reads, in an object with a
// text that the provider doesn't know.
func CheckLateChanges(t *testing.T, r Registration) {
	t.Helper()
	r = sharingApplied([]Registration{r})[0]
	for i, change := range r.Changes {
		changed := With(r.Config, change)
		untouched, _ := r.untouched(r.Config, changed)
		if len(untouched) == 0 || len(differing(r.Fields(changed), r.Fields(r.Config))) == 0 {
			continue
		}
		drift := untouched[i%len(untouched)]
		for read := range 4 {
			runCase(t, fmt.Sprintf("%v and %v before read %d", change, drift, read), func(t *testing.T) {
				a := r.startApplied(t)
				a.drift(map[string]any{"newSetting": "east"})
				a.Restart()
				p := a.Plan(changed)
				if len(p.Errors()) > 0 {
					t.Fatal(p.Errors())
				}
				reads := 0
				a.Proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
					if request.Method == http.MethodGet {
						if reads == read {
							a.drift(drift)
						}
						reads++
					}
					service.ServeHTTP(w, request)
				})
				a.Restart()
				errors := a.Apply(p, Values{}).Errors()
				if len(errors) > 0 && !IsChangedSincePlan(errors) {
					t.Errorf("apply: %q", errors)
				}
				held := a.Live(r.Config)
				for field, value := range drift {
					if reads > read && text(held[field]) != text(value) {
						t.Errorf("%s is %v, and another client had set %v (errors %q, %q)", field, held[field], value, errors, a.Service.Writes())
					}
				}
			})
		}
	}
}
