package main

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSummaryHasWhatDiffersFromTheStart(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	c := &changes{to: &printed}
	if got := c.summary(); got != "All requests together changed nothing.\n" {
		t.Errorf("got %q", got)
	}
	field := func(name, from, to string) []emulator.FieldChange {
		return []emulator.FieldChange{{Name: name, From: from, To: to}}
	}
	for _, change := range []emulator.Change{
		{Verb: "changed", Object: "the schedule", Fields: field("days", "30", "60")},
		{Verb: "changed", Object: "the schedule", Fields: field("days", "60", "90")},
		{Verb: "changed", Object: "the other", Fields: field("days", "1", "2")},
		{Verb: "changed", Object: "the other", Fields: field("days", "2", "1")},
		{Verb: "created", Object: "the passing store", Fields: field("id", "", `"a"`)},
		{Verb: "deleted", Object: "the passing store"},
		{Verb: "created", Object: "the new store", Fields: field("id", "", `"b"`)},
		{Verb: "changed", Object: "the old store", Fields: field("uri", emulator.NotShown, emulator.NotShown)},
		{Verb: "changed", Object: "the last store", Fields: field("labels", `["a"]`, "")},
		{Verb: "deleted", Object: "the gone store"},
		{Verb: "deleted", Object: "the replaced store"},
		{Verb: "created", Object: "the replaced store", Fields: field("id", "", `"c"`)},
		{Verb: "deleted", Object: "the store that was replaced and is gone"},
		{Verb: "created", Object: "the store that was replaced and is gone", Fields: field("id", "", `"d"`)},
		{Verb: "deleted", Object: "the store that was replaced and is gone"},
	} {
		change.ID = change.Object
		c.print(change)
	}
	const want = `All requests together changed 7 objects:
Changed the schedule
  days: 30 -> 90
Created the new store
  id: "b"
Changed the old store
  uri: changed (not shown)
Changed the last store
  labels: ["a"] -> not set
Deleted the gone store
Deleted and created again the replaced store
  id: "c"
Deleted the store that was replaced and is gone
`
	if got := c.summary(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	twins := &changes{to: &printed}
	for _, id := range []string{"1", "2"} {
		twins.print(emulator.Change{Verb: "deleted", ID: id, Object: "one of two objects with the same name"})
	}
	if got := twins.summary(); !strings.Contains(got, "2 objects") {
		t.Errorf("got %s", got)
	}
	if !strings.HasPrefix(printed.String(), "Changed the schedule\n  days: 30 -> 60\nChanged the schedule\n  days: 60 -> 90\n") {
		t.Errorf("printed\n%s", &printed)
	}
}
