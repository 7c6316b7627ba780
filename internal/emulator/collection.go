package emulator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// collection has the documents of a type that administrators configure, and the names of what uses each
// of them. It is valid until the next change.
type collection struct {
	what      string // one of them is
	key       func(document map[string]any) string
	documents []map[string]any
	write     func(documents []map[string]any)
	users     map[string][]string // by the key
}

func idOf(document map[string]any) string {
	id, _ := document["id"].(string)
	return id
}

// find returns the document with a key, or nil if there is none.
func (c collection) find(key string) map[string]any {
	for _, document := range c.documents {
		if c.key(document) == key {
			return document
		}
	}
	return nil
}

// put adds a document, or replaces the one with the same key.
func (c collection) put(document map[string]any) {
	for i, one := range c.documents {
		if c.key(one) == c.key(document) {
			c.documents[i] = document
			return
		}
	}
	c.write(append(c.documents, document))
}

// set sets fields of the document with an ID.
func (c collection) set(id string, fields map[string]any) {
	document := merge(c.find(id), fields)
	document["id"] = id
	c.put(document)
}

func (c collection) remove(key string) {
	c.write(slices.DeleteFunc(c.documents, func(one map[string]any) bool {
		return c.key(one) == key
	}))
	delete(c.users, key)
}

// use replaces the names of what uses a document. It panics if there is no such document.
func (c collection) use(key string, by []string) {
	if c.find(key) == nil {
		panic(fmt.Sprintf("emulator: no %s %q", c.what, key))
	}
	c.users[key] = slices.Clone(by)
}

// check returns an error if a document has no key, or that of another one, or if what is used does not
// exist.
func (c collection) check() error {
	seen := map[string]bool{}
	for _, document := range c.documents {
		switch key := c.key(document); {
		case key == "":
			return fmt.Errorf("a %s has no ID", c.what)
		case seen[key]:
			return fmt.Errorf("duplicate %s %q", c.what, key)
		default:
			seen[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.users)) {
		if !seen[key] {
			return fmt.Errorf("there is no %s %q to use", c.what, key)
		}
	}
	return nil
}

// administered returns a document that administrators configure as in a response, with its labels in a
// different order than the usual one.
func administered(stored map[string]any) map[string]any {
	if isAsRead(stored) {
		return asRead(stored)
	}
	document := merge(map[string]any{"links": []any{}}, stored)
	slices.SortFunc(get[[]any](document, "labels"), func(a, b any) int {
		return strings.Compare(fmt.Sprint(b), fmt.Sprint(a))
	})
	return document
}
