package backups

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// idsOf returns an attribute of each item of a list, '-' where it is null.
func idsOf(t *testing.T, list types.List, attribute string) string {
	t.Helper()
	var ids []string
	for _, element := range list.Elements() {
		item, ok := element.(types.Object)
		if !ok {
			t.Fatalf("an item is %T", element)
		}
		id, ok := item.Attributes()[attribute].(types.String)
		if !ok {
			t.Fatalf("%s is %T", attribute, item.Attributes()[attribute])
		}
		if id.IsNull() {
			ids = append(ids, "-")
		} else {
			ids = append(ids, id.ValueString())
		}
	}
	return strings.Join(ids, " ")
}

func TestSnapshotsAreSortedByTheirInstant(t *testing.T) {
	t.Parallel()
	taken := func(id, date string, increment *int64) opsmanager.Snapshot {
		return opsmanager.Snapshot{ID: &id, Created: &opsmanager.Timestamp{Date: &date, Increment: increment}}
	}
	snapshots := []opsmanager.Snapshot{
		{},
		{ID: new("no-time")},
		taken("not-a-date", "yesterday", new(int64(9))),
		taken("no-increment", "2025-08-31T04:00:05Z", nil),
		taken("increment-2", "2025-08-31T04:00:05Z", new(int64(2))),
		taken("oldest", "2025-08-31", new(int64(1))),
		taken("increment-10", "2025-08-31T04:00:05Z", new(int64(10))),
		taken("with-zone", "2025-08-31T06:00:06+02:00", new(int64(1))),
		taken("newest", "2025-08-31T04:00:06.5Z", new(int64(1))),
		taken("without-zone", "2025-08-31T04:00:04", new(int64(1))),
		taken("basic-zone", "2025-08-31T03:30:03-0030", new(int64(1))),
	}
	const want = "newest with-zone increment-10 increment-2 no-increment without-zone basic-zone oldest not-a-date no-time -"
	for range len(snapshots) {
		if got := idsOf(t, configServerSnapshotsFromAPI(snapshots), "id"); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
		snapshots = append(snapshots[1:], snapshots[0])
	}
}

func TestSnapshotsOfOneInstantAreSortedByID(t *testing.T) {
	t.Parallel()
	snapshots := []opsmanager.Snapshot{{ID: new("b")}, {ID: new("c")}, {ID: new("a")}}
	if got := idsOf(t, configServerSnapshotsFromAPI(snapshots), "id"); got != "c b a" {
		t.Error(got)
	}
	if got := *snapshots[0].ID; got != "b" {
		t.Error("the answer itself was sorted")
	}
}

func TestNoItemsAreAnEmptyList(t *testing.T) {
	t.Parallel()
	for _, list := range []types.List{
		backupConfigsFromAPI(nil), backupConfigsFromAPI([]opsmanager.BackupConfig{}),
		configServerSnapshotsFromAPI(nil), configServerSnapshotsFromAPI([]opsmanager.Snapshot{}),
	} {
		if list.IsNull() || len(list.Elements()) != 0 {
			t.Errorf("%v is not an empty list", list)
		}
	}
}

func BenchmarkConversionOf20000Snapshots(b *testing.B) {
	one := opsmanager.Snapshot{
		ID: new("650b3a10c4d6e8f0a2b4c6d7"), Created: &opsmanager.Timestamp{Date: new("2025-08-31T04:00:05Z"), Increment: new(int64(1))},
		NamespaceFilterList: &opsmanager.NamespaceFilter{FilterList: []string{"a"}}, Parts: []opsmanager.SnapshotPart{{}}, Links: []opsmanager.Link{{}},
	}
	snapshots := slices.Repeat([]opsmanager.Snapshot{one}, 20_000)
	for b.Loop() {
		configServerSnapshotsFromAPI(snapshots)
	}
}
