package main

import (
	"cmp"
	"fmt"
	"strings"

	"terraform-provider-opsmanager/internal/emulator"
)

// summary returns what differs from the start.
func summary(changes []emulator.Change) string {
	switch len(changes) {
	case 0:
		return "Everything is as it was at the start.\n"
	case 1:
		return "1 object differs from the start:\n" + inWords(changes[0])
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d objects differ from the start:\n", len(changes))
	for _, change := range changes {
		text.WriteString(inWords(change))
	}
	return text.String()
}

// inWords returns a change in words, with a line for each field.
func inWords(change emulator.Change) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s%s %s", strings.ToUpper(change.Verb[:1]), change.Verb[1:], change.Object)
	if change.InTime {
		text.WriteString(", as time passed")
	}
	text.WriteString("\n")
	for _, field := range change.Fields {
		from := cmp.Or(field.From, "not set")
		to := cmp.Or(field.To, "not set")
		switch {
		case field.From == emulator.NotShown && field.To == emulator.NotShown:
			fmt.Fprintf(&text, "  %s: changed %s\n", field.Name, emulator.NotShown)
		case change.Verb == "created":
			fmt.Fprintf(&text, "  %s: %s\n", field.Name, to)
		default:
			fmt.Fprintf(&text, "  %s: %s -> %s\n", field.Name, from, to)
		}
	}
	return text.String()
}
