package emulator

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// watch returns a function that returns the objects that a request may change. A request that only reads
// may show that what another one has begun went on. The function returns the same objects after the
// request, even if nothing is in progress then.
func (e *Emulator) watch(c *call) (look func() documents) {
	if e.options.OnChange == nil || c.Method == http.MethodGet && (c.project == nil || !e.inProgress()) {
		return func() documents { return documents{} }
	}
	return func() documents {
		found := newDocuments()
		switch {
		case c.cluster != nil:
			for i := range c.project.Clusters {
				cluster := &c.project.Clusters[i]
				if cluster == c.cluster || cluster.ShardOf == c.cluster.ID {
					e.types.addCluster(&found, c.project, cluster)
				}
			}
		case c.project != nil:
			e.types.addProject(&found, c.project)
		default:
			e.types.addServer(&found, e.state)
		}
		return found
	}
}

// passed lets the time pass, and returns what changed.
func (e *Emulator) passed() []Change {
	if e.options.OnChange == nil || !e.isDue() {
		e.pass()
		return nil
	}
	before := e.types.documents(e.state)
	e.pass()
	return e.note(before, e.types.documents(e.state), true)
}

// note returns what differs between the objects before and after something, and remembers which were
// deleted.
func (e *Emulator) note(before, after documents, inTime bool) []Change {
	changes := changesBetween(before, after)
	for i := range changes {
		changes[i].InTime = inTime
		if changes[i].Verb == "deleted" {
			e.deleted[changes[i].ID] = true
		}
	}
	return changes
}

// Changes returns what differs from the start, also because time has passed. Without
// [Options.OnChange], it returns nothing.
func (e *Emulator) Changes() []Change {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.options.OnChange == nil {
		return nil
	}
	e.passed()
	now := e.types.documents(e.state)
	changes := changesBetween(e.atStart, now)
	listed := map[string]bool{}
	for i := range changes {
		listed[changes[i].ID] = true
		if changes[i].Verb == "changed" && e.deleted[changes[i].ID] {
			changes[i].Verb = Replaced
		}
	}
	existed := map[string]bool{}
	for _, d := range e.atStart.all {
		existed[d.id] = true
	}
	for _, d := range now.all { // as they were, although they were deleted meanwhile
		if e.deleted[d.id] && existed[d.id] && !listed[d.id] {
			changes = append(changes, Change{
				Verb:   Replaced,
				ID:     d.id,
				Object: d.name,
			})
		}
	}
	return changes
}

// changesBetween returns what differs between some objects before and after something.
func changesBetween(before, after documents) []Change {
	for id, p := range before.packed {
		if after.packed[id].text != p.text {
			before.owner = id
			before.of = p.of
			before.addEach(p.known, p.text.decoded(), p.what)
		}
	}
	old := map[string]watched{}
	for _, d := range before.all {
		old[d.id] = d
	}
	var changes []Change
	for _, d := range after.all {
		was, existed := old[d.id]
		delete(old, d.id)
		if existed && reflect.DeepEqual(was.fields, d.fields) {
			continue
		}
		change := Change{
			Verb:   "changed",
			ID:     d.id,
			Object: d.name,
			Fields: fieldChanges("", was.fields, d.fields, d.known),
		}
		if !existed {
			change.Verb = "created"
		}
		if !existed || len(change.Fields) > 0 {
			changes = append(changes, change)
		}
	}
	for _, d := range before.all {
		if _, isGone := old[d.id]; isGone {
			changes = append(changes, Change{
				Verb:   "deleted",
				ID:     d.id,
				Object: d.name,
			})
		}
	}
	return changes
}

// fieldChanges returns the fields that differ between two objects.
func fieldChanges(prefix string, before, after map[string]any, known members) []FieldChange {
	names := slices.Collect(maps.Keys(before))
	for name := range after {
		if _, has := before[name]; !has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var changes []FieldChange
	for _, name := range names {
		was := before[name]
		is := after[name]
		m, isKnown := known[name]
		wasObject, _ := was.(map[string]any)
		isObject, _ := is.(map[string]any)
		switch {
		case isSame(was, is), name == "links", name == "usedSize", name == asReadField: // a used size grows with each read
		case isKnown && m.nested != nil && (wasObject != nil || was == nil) && (isObject != nil || is == nil):
			changes = append(changes, fieldChanges(prefix+name+".", wasObject, isObject, m.nested)...)
		default:
			changes = append(changes, FieldChange{prefix + name, inWords(was, m, isKnown), inWords(is, m, isKnown)})
		}
	}
	return changes
}

// isSame reports whether two values of a field are equal. The order of a list means nothing.
func isSame(was, is any) bool {
	before, wasList := was.([]any)
	after, isList := is.([]any)
	return reflect.DeepEqual(was, is) || wasList && isList && reflect.DeepEqual(ordered(before), ordered(after))
}

// ordered returns the elements of a list in the order of their texts.
func ordered(list []any) []any {
	return slices.SortedFunc(slices.Values(list), func(a, b any) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}

// inWords returns a value in JSON, without secrets. It is empty if there is no value.
func inWords(value any, m member, isKnown bool) string {
	if value == nil {
		return ""
	}
	if !isKnown {
		return NotShown
	}
	value = withoutSecrets(value, m)
	if value == NotShown {
		return NotShown
	}
	return string(encode(value, false))
}

// withoutSecrets returns a value without secrets, and without a URL that may have a password. Without known
// members of an object, all of them are shown.
func withoutSecrets(value any, m member) any {
	switch value := value.(type) {
	case []any:
		elements := []any{}
		for _, element := range ordered(value) {
			elements = append(elements, withoutSecrets(element, m))
		}
		return elements
	case map[string]any:
		fields := map[string]any{}
		for name, field := range value {
			nested, isKnown := m.nested[name]
			if fields[name] = withoutSecrets(field, nested); m.nested != nil && !isKnown {
				fields[name] = NotShown
			}
		}
		return fields
	case string:
		if m.secret || strings.Contains(value, "//") && strings.ContainsAny(value, "@?") {
			return NotShown
		}
	}
	return value
}
