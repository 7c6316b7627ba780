package putresource_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/putresource"
)

type element struct {
	name, value string
	unknown     opsmanager.UnknownFields
}

// elementsOf returns elements from texts of a name, a value and an unknown member.
func elementsOf(texts ...string) *opsmanager.Replaced[element] {
	elements := opsmanager.Replaced[element]{}
	for _, text := range texts {
		e := element{name: text[:1], value: text[1:2]}
		if len(text) > 2 {
			e.unknown = opsmanager.UnknownFields{"new": []byte(text[2:])}
		}
		elements = append(elements, e)
	}
	return &elements
}

func TestElementsOfAListKeepTheMembersThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	kept := putresource.Elements[element]{
		Value:   func(e element) attr.Value { return types.StringValue(e.name + e.value) },
		Name:    func(e element) string { return e.name },
		Unknown: func(e *element) *opsmanager.UnknownFields { return &e.unknown },
	}
	for name, c := range map[string]struct{ live, wanted, want *opsmanager.Replaced[element] }{
		"reordered":                   {elementsOf("a1x", "b1y"), elementsOf("b1", "a1"), elementsOf("b1y", "a1x")},
		"equal ones":                  {elementsOf("a1x", "a1y"), elementsOf("a1", "b1"), elementsOf("a1x", "a1y", "b1")},
		"one changes":                 {elementsOf("a1x", "b1y"), elementsOf("a2", "b1"), elementsOf("a2x", "b1y")},
		"two of one name change":      {elementsOf("a1x", "a2y"), elementsOf("a3", "a4"), elementsOf("a3x", "a4y")},
		"one stays, and one is new":   {elementsOf("a1x"), elementsOf("a1", "a2"), elementsOf("a1x", "a2")},
		"nothing is live":             {nil, elementsOf("a1"), elementsOf("a1")},
		"nothing is wanted":           {elementsOf("a1x"), nil, nil},
		"another one takes its place": {elementsOf("a1x"), elementsOf("b1"), elementsOf("b1")},
	} {
		if got := kept.Keep(c.wanted, c.live); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
