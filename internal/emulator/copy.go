package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Play sets the version and the options of a copy, except for those that keep returns true for.
func (o *Options) Play(played Copy, keep func(name string) bool) error {
	if played.Format != CopyFormat {
		return fmt.Errorf("the copy has the format %d, want %d", played.Format, CopyFormat)
	}
	values := map[string]string{}
	maps.Copy(values, played.Flags)
	if played.ServiceVersion != "" {
		values["service-version"] = played.ServiceVersion
	}
	for _, group := range o.Groups() {
		for _, s := range group.Options {
			value, has := values[s.Name]
			delete(values, s.Name)
			if !has || keep(s.Name) {
				continue
			}
			if err := s.Set(value); err != nil {
				return fmt.Errorf("the option %s of the copy: %w", s.Name, err)
			}
		}
	}
	for name := range values {
		return fmt.Errorf("the copy has the option %q, which this emulator doesn't know", name)
	}
	return nil
}

// refuseUncopied refuses a path that the copy lacks, because it could not be read.
func (e *Emulator) refuseUncopied(route route, c *call) {
	path := strings.TrimPrefix(c.URL.EscapedPath(), BasePath)
	for _, unread := range e.state.Copy.Unread {
		below := !unread.Itself && strings.HasPrefix(path, unread.Path+"/")
		if path == unread.Path || below {
			panic(refuse(unread.Status, unread.Code, "The copy does not have this, because the survey could not read it."))
		}
	}
	if route.traits&uncopied != 0 && e.state.isCopy() {
		panic(refuse(http.StatusUnauthorized, "", "A copy does not have this, because the survey does not read it."))
	}
}

// inOrder returns the elements of a list in the order of some IDs. The others follow.
func inOrder[T any](elements []T, ids []string, id func(T) string) []T {
	if len(ids) == 0 {
		return elements
	}
	places := map[string]int{}
	for i, id := range ids {
		places[id] = i + 1
	}
	place := func(one T) int {
		return cmp.Or(places[id(one)], len(ids)+1)
	}
	slices.SortStableFunc(elements, func(a, b T) int { return place(a) - place(b) })
	return elements
}
