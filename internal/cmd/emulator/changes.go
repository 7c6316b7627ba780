package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"

	"terraform-provider-opsmanager/internal/emulator"
)

// changes prints each change that a request makes, and sums them up at the end.
type changes struct {
	to io.Writer

	mu      sync.Mutex
	objects []*changedObject // in the order of their first change
}

// changedObject is what all requests together did to an object.
type changedObject struct {
	id, name      string
	existed, gone bool // before the first change, and after the last one
	replaced      bool // deleted and created again
	fields        []emulator.FieldChange
}

// print prints a change.
func (c *changes) print(change emulator.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(change)
	fmt.Fprint(c.to, inWords(strings.ToUpper(change.Verb[:1])+change.Verb[1:], change.Object, change.Fields))
}

func (c *changes) add(change emulator.Change) {
	object := c.find(change)
	object.gone = change.Verb == "deleted"
	if change.Verb == "created" {
		object.replaced, object.fields = object.existed, nil
	}
	for _, field := range change.Fields {
		object.set(field)
	}
}

// find returns an object, as it was before its first change.
func (c *changes) find(change emulator.Change) *changedObject {
	for _, object := range c.objects {
		if object.id == change.ID {
			return object
		}
	}
	object := &changedObject{id: change.ID, name: change.Object, existed: change.Verb != "created"}
	c.objects = append(c.objects, object)
	return object
}

func (o *changedObject) set(change emulator.FieldChange) {
	for i := range o.fields {
		if o.fields[i].Name == change.Name {
			o.fields[i].To = change.To
			return
		}
	}
	o.fields = append(o.fields, change)
}

// replaced is the verb for an object that was deleted and created again.
const replaced = "Deleted and created again"

// summary returns what all requests together changed.
func (c *changes) summary() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	count := 0
	for _, object := range c.objects {
		verb, fields := "Changed", object.lasting()
		switch {
		case object.gone && object.existed:
			verb, fields = "Deleted", nil
		case object.replaced:
			verb = replaced
		case object.gone || object.existed && len(fields) == 0:
			continue
		case !object.existed:
			verb = "Created"
		}
		count++
		text.WriteString(inWords(verb, object.name, fields))
	}
	if count == 0 {
		return "All requests together changed nothing.\n"
	}
	objects := "objects"
	if count == 1 {
		objects = "object"
	}
	return fmt.Sprintf("All requests together changed %d %s:\n%s", count, objects, &text)
}

// lasting returns the fields that differ from those at the start. Whether a value that is not shown
// differs is not known.
func (o *changedObject) lasting() []emulator.FieldChange {
	var found []emulator.FieldChange
	for _, field := range o.fields {
		if field.From != field.To || field.To == emulator.NotShown {
			found = append(found, field)
		}
	}
	return found
}

// inWords returns a change in words, with a line for each field.
func inWords(verb, object string, fields []emulator.FieldChange) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s\n", verb, object)
	for _, field := range fields {
		from, to := cmp.Or(field.From, "not set"), cmp.Or(field.To, "not set")
		switch {
		case field.From == emulator.NotShown && field.To == emulator.NotShown:
			fmt.Fprintf(&text, "  %s: changed %s\n", field.Name, emulator.NotShown)
		case verb == "Created", verb == replaced:
			fmt.Fprintf(&text, "  %s: %s\n", field.Name, to)
		default:
			fmt.Fprintf(&text, "  %s: %s -> %s\n", field.Name, from, to)
		}
	}
	return text.String()
}
