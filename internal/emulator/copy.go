package emulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Copy makes a seed a copy of an Ops Manager, as make survey writes it. The emulator serves the
// documents of a copy as they were read, without defaults, masks or a different order, until a request
// changes them. What could not be read is refused.
type Copy struct {
	Format         int    `json:"format"`
	ServiceVersion string `json:"serviceVersion,omitempty"`
	// Switches are the switches that were seen, as flags of make emulator have them.
	Switches map[string]string `json:"switches,omitempty"`
	Unread   []Unread          `json:"unread,omitempty"`
	// JobConfigOrder has the IDs of the projects in the order of the list of job configurations.
	JobConfigOrder []string `json:"jobConfigOrder,omitempty"`
}

// CopyFormat is the format of new copies.
const CopyFormat = 1

// Unread is a path that could not be read.
type Unread struct {
	Path   string `json:"path"`             // after BasePath, escaped
	Itself bool   `json:"itself,omitempty"` // without the paths below it
	Status int    `json:"status"`
	Code   string `json:"code,omitempty"`
}

// PackedDocuments is a JSON array of documents. It takes a fifth of the memory of decoded ones.
type PackedDocuments string

// UnmarshalJSON keeps the text.
func (p *PackedDocuments) UnmarshalJSON(text []byte) error {
	*p = PackedDocuments(text)
	return nil
}

// MarshalJSON returns the text.
func (p PackedDocuments) MarshalJSON() ([]byte, error) { return []byte(p), nil }

// documents decodes the documents.
func (p PackedDocuments) documents() (decoded []map[string]any) {
	if err := json.Unmarshal([]byte(p), &decoded); err != nil {
		panic("emulator: " + err.Error()) // it was decoded before
	}
	return decoded
}

// isCopy reports whether a seed is a copy of an Ops Manager.
func (s *Seed) isCopy() bool { return s.Copy.Format != 0 }

// Play sets the version and the switches of a copy, except for those that keep returns true for.
func (o *Options) Play(played Copy, keep func(name string) bool) error {
	if played.Format != CopyFormat {
		return fmt.Errorf("the copy has the format %d, want %d", played.Format, CopyFormat)
	}
	values := map[string]string{}
	maps.Copy(values, played.Switches)
	if played.ServiceVersion != "" {
		values["service-version"] = played.ServiceVersion
	}
	for _, group := range o.Switches() {
		for _, s := range group.Switches {
			value, has := values[s.Name]
			delete(values, s.Name)
			if !has || keep(s.Name) {
				continue
			}
			if err := s.Set(value); err != nil {
				return fmt.Errorf("the switch %s of the copy: %w", s.Name, err)
			}
		}
	}
	for name := range values {
		return fmt.Errorf("the copy has the switch %q, which this emulator doesn't know", name)
	}
	return nil
}

// refusedOnCopy returns the error for a path that the copy lacks, because it could not be read.
func (e *Emulator) refusedOnCopy(route route, c *call) *refusal {
	path := strings.TrimPrefix(c.URL.EscapedPath(), BasePath)
	for _, unread := range e.state.Copy.Unread {
		below := !unread.Itself && strings.HasPrefix(path, unread.Path+"/")
		if path == unread.Path || below {
			return refuse(unread.Status, unread.Code, "The copy does not have this, because the survey could not read it.")
		}
	}
	if route.traits&uncopied != 0 && e.state.isCopy() {
		return refuse(http.StatusUnauthorized, "", "A copy does not have this, because the survey does not read it.")
	}
	return nil
}

// limited reports whether a copy may lack projects.
func (c *Copy) limited() bool {
	return slices.ContainsFunc(c.Unread, func(u Unread) bool { return u.Path == "/groups" })
}

// asReadField is a field that the documents of a copy have until a request changes them. No response has
// it, and [copyDocument] leaves it out: what changes a document begins with a copy of it.
const asReadField = "(as read)"

// asReadMark is the value of [asReadField]. No field of a request has this type.
type asReadMark struct{}

// markAsRead marks documents of a copy, which are served as they are.
func markAsRead(d documents) {
	for _, one := range d.all {
		one.fields[asReadField] = asReadMark{}
	}
}

// isAsRead reports whether a document is as it was read from the copied Ops Manager.
func isAsRead(document map[string]any) bool {
	_, marked := document[asReadField].(asReadMark)
	return marked
}

// asRead returns a copied document as in a response. Only the links are new, because the old ones lead
// to the copied Ops Manager.
func asRead(document map[string]any, links ...map[string]any) map[string]any {
	answered := maps.Clone(document)
	delete(answered, asReadField)
	answered["links"] = append([]map[string]any{}, links...)
	return answered
}

func (c *call) link(path string) map[string]any {
	return map[string]any{"rel": "self", "href": c.href(BasePath + path)}
}

// unpack decodes the snapshots of a copied cluster for good.
func (c *Cluster) unpack() {
	if c.CopiedSnapshots != "" {
		c.Snapshots, c.CopiedSnapshots = c.CopiedSnapshots.documents(), ""
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
	place := func(one T) int { return cmp.Or(places[id(one)], len(ids)+1) }
	slices.SortStableFunc(elements, func(a, b T) int { return place(a) - place(b) })
	return elements
}
