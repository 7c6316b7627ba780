package snapshots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

const day = 24 * time.Hour

func TestRequestFitsOnlyNewSnapshotsOfItsTimeAndRetention(t *testing.T) {
	t.Parallel()
	since := time.Now().Truncate(time.Second)
	snapshot := func(id string, created, kept time.Duration) opsmanager.ClusterSnapshot {
		taken := since.Add(created)
		return opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{
			ID: &id, Created: &opsmanager.Timestamp{Date: new(tf.FormatTime(taken))}, Expires: new(tf.FormatTime(taken.Add(kept))),
		}}
	}
	const week = 7 * day
	for name, test := range map[string]struct {
		one         opsmanager.ClusterSnapshot
		fits, maybe bool
	}{
		"of the same second":     {snapshot("a", 0, week), true, false},
		"of a minute later":      {snapshot("a", time.Minute, week), true, false},
		"of a second before":     {snapshot("a", -time.Second, week), false, false},
		"of the end of the hour": {snapshot("a", time.Hour, week), true, false},
		"after the hour":         {snapshot("a", time.Hour+time.Second, week), false, false},
		"listed before":          {snapshot("old", 0, week), false, false},
		"with a rounded expiry":  {snapshot("a", time.Minute, week+11*time.Hour), true, false},
		"kept for a day more":    {snapshot("a", time.Minute, week+day), false, false},
		"kept for a day less":    {snapshot("a", time.Minute, week-day), false, false},
		"without an ID":          {opsmanager.ClusterSnapshot{}, false, false},
		"without times":          {opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: new("a")}}, false, true},
		"without an expiry": {
			opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: new("a"), Created: &opsmanager.Timestamp{Time: new(since.Unix())}}},
			false, true,
		},
		"without an expiry, from before": {
			opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: new("a"), Created: &opsmanager.Timestamp{Time: new(since.Unix() - 1)}}},
			false, false,
		},
	} {
		q := request{Before: []string{"old"}, Days: 7, Since: since}
		fitting, undecided := q.match([]opsmanager.ClusterSnapshot{test.one})
		if len(fitting) == 1 != test.fits || len(undecided) == 1 != test.maybe {
			t.Errorf("%s: %d fit, %d undecided", name, len(fitting), len(undecided))
		}
	}
}

func TestScheduleThatKeepsSnapshotsAsLongIsFound(t *testing.T) {
	t.Parallel()
	s := opsmanager.SnapshotSchedule{
		SnapshotRetentionDays: new(int64(4)), DailySnapshotRetentionDays: new(int64(15)), WeeklySnapshotRetentionWeeks: new(int64(4)),
		MonthlySnapshotRetentionMonths: new(int64(6)),
	}
	const all = "its recent snapshots for 4 days, its daily snapshots for 15 days, " +
		"its weekly snapshots for 4 weeks (28 days), its monthly snapshots for 6 months (168 to 186 days)"
	kept := map[int64]string{4: all, 15: all, 28: all, 168: all, 186: all}
	for _, days := range []int64{1, 3, 4, 5, 14, 15, 16, 27, 28, 29, 167, 168, 186, 187} {
		if got, unknown := keptAsLong(s, days); got != kept[days] || unknown != "" {
			t.Errorf("%d days: %q and %q, want %q", days, got, unknown, kept[days])
		}
	}
}

func TestRetentionThatTheScheduleLacksIsNotTakenForNone(t *testing.T) {
	t.Parallel()
	none := opsmanager.SnapshotSchedule{
		SnapshotRetentionDays: new(int64(1)), DailySnapshotRetentionDays: new(int64(0)), WeeklySnapshotRetentionWeeks: new(int64(0)),
		MonthlySnapshotRetentionMonths: new(int64(0)),
	}
	all := []int64{6, 7, 27, 28, 31, 32, 55, 56, 59, 60, 62, 63}
	for rule, test := range map[string]struct {
		remove func(s *opsmanager.SnapshotSchedule)
		may    []int64 // the days for which the rule may keep snapshots
	}{
		"":        {func(*opsmanager.SnapshotSchedule) {}, nil},
		"recent":  {func(s *opsmanager.SnapshotSchedule) { s.SnapshotRetentionDays = nil }, all},
		"daily":   {func(s *opsmanager.SnapshotSchedule) { s.DailySnapshotRetentionDays = nil }, all},
		"weekly":  {func(s *opsmanager.SnapshotSchedule) { s.WeeklySnapshotRetentionWeeks = nil }, []int64{7, 28, 56, 63}},
		"monthly": {func(s *opsmanager.SnapshotSchedule) { s.MonthlySnapshotRetentionMonths = nil }, []int64{28, 31, 56, 59, 60, 62}},
	} {
		s := none
		test.remove(&s)
		for _, days := range all {
			want := ""
			if slices.Contains(test.may, days) {
				want = rule
			}
			if kept, unknown := keptAsLong(s, days); kept != "" || unknown != want {
				t.Errorf("without %s, %d days: %q and %q, want %q", rule, days, kept, unknown, want)
			}
		}
	}
	if _, unknown := keptAsLong(opsmanager.SnapshotSchedule{}, 28); unknown != "recent and daily and weekly and monthly" {
		t.Errorf("without retentions: %q", unknown)
	}
}

// A server may return any number.
func TestTimeOfASnapshotHasAYearOfFourDigits(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int64]string{
		math.MinInt64: "", -62_135_596_801: "", -62_135_596_800: "0001-01-01T00:00:00Z", 0: "1970-01-01T00:00:00Z",
		253_402_300_799: "9999-12-31T23:59:59Z", 253_402_300_800: "", math.MaxInt64: "",
	} {
		got := ""
		if at := timeOf(&opsmanager.Timestamp{Time: &seconds}); at != nil {
			got = tf.FormatTime(*at)
		}
		if got != want {
			t.Errorf("%d: got %q, want %q", seconds, got, want)
		}
	}
}

// A server may return any number.
func TestRetentionsOfAScheduleMayBeAnyNumber(t *testing.T) {
	t.Parallel()
	for _, n := range []int64{math.MinInt64, -1, 0, maxRetentionDays + 1, math.MaxInt64/31 + 1, math.MaxInt64} {
		s := opsmanager.SnapshotSchedule{
			SnapshotRetentionDays: &n, DailySnapshotRetentionDays: &n, WeeklySnapshotRetentionWeeks: &n, MonthlySnapshotRetentionMonths: &n,
		}
		for _, days := range []int64{1, 7, maxRetentionDays} {
			if got, unknown := keptAsLong(s, days); got != "" || unknown != "" {
				t.Errorf("%d, and %d days: %s, %s", n, days, got, unknown)
			}
		}
	}
}

func TestExpiryThatIsNeitherSeenNorWantedHasChanged(t *testing.T) {
	t.Parallel()
	const seen, later, third = "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z", "2036-01-01T00:00:00Z"
	const isHeld = "do_not_delete is true, and the plan showed false expires is never, and the plan showed " + seen
	at := func(text string) expiry { return expiry{expires: types.StringValue(text)} }
	held := expiry{held: true, expires: types.StringNull()}
	none := expiry{expires: types.StringNull()}
	for name, test := range map[string]struct {
		live, saw, wanted expiry
		says              string
	}{
		"as seen":                     {at(seen), at(seen), at(later), ""},
		"in another spelling":         {at("2030-01-01T01:00:00+01:00"), at(seen), at(later), ""},
		"as wanted":                   {at(later), at(seen), at(later), ""},
		"extended":                    {at(third), at(seen), at(later), "expires is " + third + ", and the plan showed " + seen},
		"held":                        {held, at(seen), at(later), isHeld},
		"extended before it is held":  {at(third), at(seen), held, "expires is " + third + ", and the plan showed " + seen},
		"held as wanted":              {held, at(seen), held, ""},
		"released, and expires":       {at(third), held, at(later), "expires is " + third + ", and the plan showed never"},
		"released as wanted":          {at(third), held, expiry{expires: types.StringUnknown()}, ""},
		"released, without an expiry": {none, held, at(later), "expires is not returned, and the plan showed never"},
		"held before it is deleted":   {held, at(seen), at(seen), isHeld},
		"released before it is deleted": {
			at(third), held, held,
			"do_not_delete is false, and the plan showed true expires is " + third + ", and the plan showed never",
		},
		"with an expiry that was not seen": {at(third), none, at(later), "expires is " + third + ", which is not what the plan showed"},
	} {
		write := clusterSnapshots{}.expiryChange("", test.saw, test.wanted, "")
		changed := write.Drifts(write.Step(test.live.object()))
		if got := strings.Trim(fmt.Sprint(changed), "[]"); got != test.says {
			t.Errorf("%s: %q, want %q", name, got, test.says)
		}
	}
}

// The read before a request is repeated may leave out that the snapshot is held.
func TestReleaseIsLeftUnlessTheSnapshotSaysThatItIsNotHeld(t *testing.T) {
	t.Parallel()
	released := expiry{expires: types.StringUnknown()}
	for name, test := range map[string]struct {
		live   opsmanager.Snapshot
		isLeft bool
	}{
		"held":            {opsmanager.Snapshot{DoNotDelete: new(true)}, true},
		"not held":        {opsmanager.Snapshot{DoNotDelete: new(false)}, false},
		"it expires":      {opsmanager.Snapshot{Expires: new("2099-01-01T00:00:00Z")}, false},
		"it says nothing": {opsmanager.Snapshot{}, true},
	} {
		left := expiryValues.Differences(released.object(), opsmanager.ClusterSnapshot{Snapshot: test.live})
		if isLeft := tf.Has(left, "do_not_delete"); isLeft != test.isLeft {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

func TestSnapshotIsDeletedOnlyIfALaterOneCanReplaceIt(t *testing.T) {
	t.Parallel()
	type snapshot = opsmanager.ClusterSnapshot
	now := time.Now()
	createdAt := func(after time.Duration) *opsmanager.Timestamp {
		return &opsmanager.Timestamp{Time: new(now.Add(after).Unix())}
	}
	own := snapshot{Snapshot: opsmanager.Snapshot{
		ID: new("own"), Complete: new(true), Created: createdAt(0), Expires: new(tf.FormatTime(now.Add(day))),
		Parts: []opsmanager.SnapshotPart{{TypeName: new(opsmanager.TypeReplicaSet)}},
	}}
	for name, test := range map[string]struct {
		change func(s *snapshot) // of a later one
		want   bool
	}{
		"a later one":                            {func(*snapshot) {}, true},
		"itself in capitals":                     {func(s *snapshot) { s.ID = new("OWN") }, false},
		"one of the same age":                    {func(s *snapshot) { s.ID, s.Created = new("own2"), own.Created }, true},
		"one of the same age and of a lesser ID": {func(s *snapshot) { s.Created = own.Created }, false},
		"an older one":                           {func(s *snapshot) { s.Created = createdAt(-time.Hour) }, false},
		"one without a time":                     {func(s *snapshot) { s.Created = nil }, false},

		"one in progress":              {func(s *snapshot) { s.Complete = new(false) }, false},
		"one that may be in progress":  {func(s *snapshot) { s.Complete = nil }, false},
		"one that lacks a shard":       {func(s *snapshot) { s.MissingShards = make([]opsmanager.Cluster, 1) }, false},
		"one without parts":            {func(s *snapshot) { s.Parts = nil }, false},
		"one of shards that may lack":  {func(s *snapshot) { s.Parts = make([]opsmanager.SnapshotPart, 3) }, false},
		"one of a single shard":        {func(s *snapshot) { s.Parts[0].TypeName = new("CONFIG_SHARD_REPLICA_SET") }, false},
		"one of shards that lack none": {func(s *snapshot) { s.Parts, s.MissingShards = nil, []opsmanager.Cluster{} }, true},

		"one that is held":                      {func(s *snapshot) { s.Expires, s.DoNotDelete = nil, new(true) }, true},
		"one that has expired":                  {func(s *snapshot) { s.Expires = new(tf.FormatTime(now.Add(-time.Hour))) }, false},
		"one that expires at no time":           {func(s *snapshot) { s.Expires = new("soon") }, false},
		"one that does not say when it expires": {func(s *snapshot) { s.Expires = nil }, false},
		"one that is not held, and lacks that":  {func(s *snapshot) { s.Expires, s.DoNotDelete = nil, new(false) }, false},
	} {
		other := own
		other.ID, other.Created, other.Parts = new("other"), createdAt(time.Hour), slices.Clone(own.Parts)
		test.change(&other)
		anonymous := own
		anonymous.ID = nil
		if got := hasSuccessor("Own", anonymous, []snapshot{own, other}); got != test.want {
			t.Errorf("%s, and the response lacks its own ID: %t", name, got)
		}
		if got := hasSuccessor("own", own, []snapshot{own, other}); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
