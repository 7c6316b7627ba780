package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Elements describes an attribute that is a list of objects, to [CheckElements]. All elements differ in what
// identifies them, but for Changed, which is First with another value.
type Elements struct {
	Attribute, Field string

	First, Second, Third, Changed Values
}

// CheckElements tests that each element of a list keeps the members that the provider doesn't know, and gets none of
// another element, while elements are added, changed, removed and reordered.
func CheckElements(t *testing.T, r Registration, e Elements) {
	t.Helper()
	r = sharingApplied([]Registration{r})[0]
	r.Object = e.withoutUnknown(r.Object)
	aside := r.changesWithout(e.Attribute)[0]
	for name, test := range map[string]struct {
		elements []any
		more     Values
		want     []any // newSetting of the elements
	}{
		"another attribute changes":       {[]any{e.First, e.Second}, aside, []any{1.0, 2.0}},
		"the configuration is reordered":  {[]any{e.Second, e.First}, aside, []any{2.0, 1.0}},
		"an element is added":             {[]any{e.Third, e.First, e.Second}, nil, []any{nil, 1.0, 2.0}},
		"an element is removed":           {[]any{e.Second}, nil, []any{2.0}},
		"an element changes":              {[]any{e.Changed, e.Second}, nil, []any{1.0, 2.0}},
		"an element is replaced":          {[]any{e.Third, e.Second}, nil, []any{nil, 2.0}},
		"one is removed, and one changes": {[]any{e.Changed}, nil, []any{1.0}},
		"one is added, and one changes":   {[]any{e.Second, e.Third, e.Changed}, nil, []any{2.0, nil, 1.0}},
	} {
		for _, isReversed := range []bool{false, true} {
			runCase(t, fmt.Sprintf("%s, reversed %v", name, isReversed), func(t *testing.T) {
				a := r.Start(t)
				before := With(r.Config, Values{e.Attribute: []any{e.First, e.Second}})
				a.mustApply(before)
				held := []any{e.held(r, e.First, 1), e.held(r, e.Second, 2)}
				if isReversed {
					slices.Reverse(held)
				}
				a.drift(map[string]any{e.Field: held})
				a.checkConverges(before)
				a.mustApply(With(before, Values{e.Attribute: test.elements}, test.more))
				sent := e.lastSent(t, a)
				for i, element := range test.elements {
					wanted := text(e.held(r, element.(Values), nil)) //nolint:forcetypeassert // see above
					got, isSent := sent[wanted]
					if !isSent || got != test.want[i] {
						t.Errorf("newSetting of %s is %v (sent %v), want %v", wanted, got, isSent, test.want[i])
					}
				}
				if len(sent) != len(test.elements) {
					t.Errorf("the request has %d elements, want %d: %v", len(sent), len(test.elements), sent)
				}
			})
		}
	}
}

// withoutUnknown returns a function that returns an object as the provider knows it.
func (e Elements) withoutUnknown(object func(*Service, string) map[string]any) func(*Service, string) map[string]any {
	return func(s *Service, id string) map[string]any {
		known := object(s, id)
		list, _ := known[e.Field].([]any)
		for _, element := range list {
			delete(element.(map[string]any), "newSetting") //nolint:forcetypeassert // it is a list of objects
		}
		return SortedLists(known)
	}
}

// held returns an element in the form of the service, with a member that the provider doesn't know.
func (e Elements) held(r Registration, element Values, newSetting any) map[string]any {
	list := r.Fields(Values{e.Attribute: []any{element}})[e.Field].([]any) //nolint:forcetypeassert // it is a list of objects
	held := maps.Clone(list[0].(map[string]any))                           //nolint:forcetypeassert // it is a list of objects
	if newSetting != nil {
		held["newSetting"] = newSetting
	}
	return held
}

// lastSent returns what the last PUT sent as newSetting of each element.
func (e Elements) lastSent(t *testing.T, a *Trial) map[string]any {
	t.Helper()
	sent := map[string]any{}
	bodies := a.Service.Sent("PUT", "")
	var document map[string]any
	err := json.Unmarshal([]byte(bodies[len(bodies)-1]), &document)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := document[e.Field].([]any)
	for _, element := range list {
		known := maps.Clone(element.(map[string]any)) //nolint:forcetypeassert // it is a list of objects
		delete(known, "newSetting")
		sent[text(known)] = element.(map[string]any)["newSetting"] //nolint:forcetypeassert // it is a list of objects
	}
	return sent
}
