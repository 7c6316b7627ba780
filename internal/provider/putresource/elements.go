package putresource

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Elements describes the elements of a list that a PUT replaces.
type Elements[E any] struct {
	Value   func(E) attr.Value                 // as the state has an element
	Name    func(E) string                     // what stays the same if an element changes
	Unknown func(*E) *opsmanager.UnknownFields // its members that the provider does not know
}

// Keep returns the wanted elements of a list with what only the live ones have. An element that is live
// already is sent as it is live, even if there are several that differ only in what the state lacks. One that changes
// keeps the members that the provider does not know. Neither the order of the elements nor their IDs are reliable.
func (e Elements[E]) Keep(wanted, live *opsmanager.Replaced[E]) *opsmanager.Replaced[E] {
	if wanted == nil || live == nil || wanted == live {
		return wanted
	}
	left := *live
	kept := opsmanager.Replaced[E]{}
	changed := []int{}
	for _, element := range *wanted {
		var others opsmanager.Replaced[E]
		for _, one := range left {
			if e.Value(one).Equal(e.Value(element)) {
				kept = append(kept, one)
			} else {
				others = append(others, one)
			}
		}
		if len(others) == len(left) {
			changed = append(changed, len(kept))
			kept = append(kept, element)
		}
		left = others
	}
	for _, i := range changed {
		before := slices.IndexFunc(left, func(other E) bool { return e.Name(other) == e.Name(kept[i]) })
		if before < 0 {
			continue
		}
		*e.Unknown(&kept[i]) = *e.Unknown(&left[before])
		left = slices.Delete(left, before, before+1)
	}
	return &kept
}
