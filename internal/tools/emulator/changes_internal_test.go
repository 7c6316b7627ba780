package main

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSummaryIsInWords(t *testing.T) {
	t.Parallel()
	field := func(name, from, to string) []emulator.FieldChange {
		return []emulator.FieldChange{{Name: name, From: from, To: to}}
	}
	changes := []emulator.Change{
		{Verb: "changed", Object: "the schedule", Fields: field("days", "30", "90")},
		{Verb: "changed", Object: "the configuration", Fields: field("statusName", `"PROVISIONING"`, `"STARTED"`), InTime: true},
		{Verb: "created", Object: "the new store", Fields: field("id", "", `"b"`)},
		{Verb: "changed", Object: "the old store", Fields: field("uri", emulator.NotShown, emulator.NotShown)},
		{Verb: "changed", Object: "the last store", Fields: field("labels", `["a"]`, "")},
		{Verb: "deleted", Object: "the gone store"},
		{Verb: emulator.Replaced, Object: "the replaced store", Fields: field("loadFactor", "2", "1")},
	}
	const want = `7 objects differ from the start:
Changed the schedule
  days: 30 -> 90
Changed the configuration, as time passed
  statusName: "PROVISIONING" -> "STARTED"
Created the new store
  id: "b"
Changed the old store
  uri: changed (not shown)
Changed the last store
  labels: ["a"] -> not set
Deleted the gone store
Deleted and created again the replaced store
  loadFactor: 2 -> 1
`
	if got := summary(changes); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := summary(nil); got != "Everything is as it was at the start.\n" {
		t.Errorf("got %q", got)
	}
	if got := summary(changes[:1]); got != "1 object differs from the start:\nChanged the schedule\n  days: 30 -> 90\n" {
		t.Errorf("got %q", got)
	}
}
