package snapshots

import (
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// sortedIDs sorts snapshots and returns their IDs, with '-' for a missing one.
func sortedIDs(snapshots []opsmanager.Snapshot) string {
	var ids []string
	for _, s := range newestFirst(slices.Clone(snapshots), func(s opsmanager.Snapshot) opsmanager.Snapshot { return s }) {
		ids = append(ids, tf.OrDash(s.ID))
	}
	return strings.Join(ids, " ")
}

func TestSnapshotsAreSortedByTime(t *testing.T) {
	t.Parallel()
	taken := func(id, date string, increment *int64) opsmanager.Snapshot {
		return opsmanager.Snapshot{ID: &id, Created: &opsmanager.Timestamp{Date: &date, Increment: increment}}
	}
	snapshots := []opsmanager.Snapshot{
		{},
		{ID: new("no-time-a")},
		{ID: new("no-time-b")},
		taken("not-a-date", "yesterday", new(int64(9))),
		taken("no-increment", "2025-08-31T04:00:05Z", nil),
		taken("increment-2", "2025-08-31T04:00:05Z", new(int64(2))),
		taken("oldest", "2025-08-31", new(int64(1))),
		taken("increment-10", "2025-08-31T04:00:05Z", new(int64(10))),
		taken("with-zone", "2025-08-31T06:00:06+02:00", new(int64(1))),
		taken("newest", "2025-08-31T04:00:06.5Z", new(int64(1))),
		taken("without-zone", "2025-08-31T04:00:04", new(int64(1))),
		{ID: new("in-seconds"), Created: &opsmanager.Timestamp{Date: new("2025-08-31"), Time: new(int64(1756612810))}},
		taken("basic-zone", "2025-08-31T03:30:03-0030", new(int64(1))),
	}
	const want = "in-seconds newest with-zone increment-10 increment-2 no-increment without-zone basic-zone oldest not-a-date no-time-b no-time-a -"
	for range len(snapshots) {
		if got := sortedIDs(snapshots); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
		snapshots = append(snapshots[1:], snapshots[0])
	}
}
