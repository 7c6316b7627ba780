package snapshots

import (
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

func TestRequestedSnapshotIsKnownOrGuessed(t *testing.T) {
	t.Parallel()
	at := time.Now().Truncate(time.Second)
	snapshot := func(id string, created, kept time.Duration) opsmanager.ClusterSnapshot {
		taken := at.Add(created)
		return opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{
			ID: &id, Created: &opsmanager.Timestamp{Date: new(tfmodel.FormatTime(taken))}, Expires: new(tfmodel.FormatTime(taken.Add(kept))),
		}}
	}
	const week = 7 * day
	var (
		old       = snapshot("old", 0, week)
		unlisted  = snapshot("unlisted", -time.Minute, week) // was missing in the list before the request
		long      = snapshot("long", -2*time.Hour, week)
		first     = snapshot("first", time.Minute, week)
		second    = snapshot("second", 2*time.Minute, week)
		scheduled = snapshot("scheduled", time.Minute, 2*day)
		another   = snapshot("another", 3*time.Minute, 2*day)
		late      = snapshot("late", 2*time.Hour, week)
		rounded   = snapshot("rounded", time.Minute, week+11*time.Hour)
		bare      = opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: new("bare")}}
		seconds   = opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: new("seconds"), Created: &opsmanager.Timestamp{Time: new(at.Unix())}}}
	)
	// The result is the ID of the snapshot, with a question mark if it is a guess.
	for name, test := range map[string]struct {
		all                              []opsmanager.ClusterSnapshot
		accepted, undated, late, unclear string
	}{
		"none":                    {[]opsmanager.ClusterSnapshot{old, {}}, "-", "-", "-", "-"},
		"one":                     {[]opsmanager.ClusterSnapshot{old, first}, "first", "first", "first", "first?"},
		"two":                     {[]opsmanager.ClusterSnapshot{second, old, first}, "first?", "first?", "first?", "-"},
		"a scheduled one":         {[]opsmanager.ClusterSnapshot{scheduled}, "-", "-", "scheduled?", "-"},
		"two scheduled ones":      {[]opsmanager.ClusterSnapshot{scheduled, another}, "-", "-", "-", "-"},
		"one and a scheduled one": {[]opsmanager.ClusterSnapshot{scheduled, second}, "second", "second", "second", "second?"},
		"one that is older":       {[]opsmanager.ClusterSnapshot{unlisted}, "-", "unlisted?", "-", "unlisted?"},
		"one that is much older":  {[]opsmanager.ClusterSnapshot{long}, "-", "-", "-", "-"},
		"an older one and one":    {[]opsmanager.ClusterSnapshot{unlisted, first}, "first", "unlisted?", "first", "-"},
		"a late one":              {[]opsmanager.ClusterSnapshot{late}, "late?", "late", "late?", "-"},
		"a rounded expiry":        {[]opsmanager.ClusterSnapshot{rounded}, "rounded", "rounded", "rounded", "rounded?"},
		"without times":           {[]opsmanager.ClusterSnapshot{bare}, "bare?", "bare?", "bare?", "bare?"},
		"without an expiry":       {[]opsmanager.ClusterSnapshot{seconds}, "seconds", "seconds", "seconds", "seconds?"},
	} {
		begun := snapshotRequest{Before: []string{"old"}, At: at, Until: at.Add(time.Hour), Days: 7}
		accepted, undated, over := begun, begun, begun
		accepted.Accepted, accepted.Since = true, &at
		undated.Accepted = true
		over.Accepted, over.Since, over.At, over.Until = true, &at, at.Add(-time.Hour), at
		for _, c := range []struct {
			request snapshotRequest
			want    string
		}{{accepted, test.accepted}, {undated, test.undated}, {over, test.late}, {begun, test.unclear}} {
			m := c.request.match(test.all)
			got := "-"
			if m.found != nil {
				got = diagnostics.OrDash(m.found.ID)
				if !m.known {
					got += "?"
				}
			}
			if got != c.want {
				t.Errorf("%s, %+v: found %s, want %s", name, c.request, got, c.want)
			}
		}
	}
}

func TestSnapshotIsDeletedOnlyIfALaterOneCanReplaceIt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	snapshot := func(id string, created time.Duration, change func(*opsmanager.ClusterSnapshot)) opsmanager.ClusterSnapshot {
		s := opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{
			ID: &id, Complete: new(true), Created: &opsmanager.Timestamp{Time: new(now.Add(created).Unix())}, Expires: new(tfmodel.FormatTime(now.Add(day))),
		}}
		if change != nil {
			change(&s)
		}
		return s
	}
	own := snapshot("own", 0, nil)
	for name, test := range map[string]struct {
		other opsmanager.ClusterSnapshot
		want  bool
	}{
		"itself":                                 {own, false},
		"a later one":                            {snapshot("other", time.Hour, nil), true},
		"one of the same age":                    {snapshot("own2", 0, nil), true},
		"one of the same age and of a lesser ID": {snapshot("other", 0, nil), false},
		"an older one":                           {snapshot("other", -time.Hour, nil), false},
		"one in progress":                        {snapshot("other", time.Hour, func(s *opsmanager.ClusterSnapshot) { s.Complete = new(false) }), false},
		"one of which it is not known whether it is complete": {snapshot("other", time.Hour, func(s *opsmanager.ClusterSnapshot) { s.Complete = nil }), false},
		"one without a time":       {snapshot("other", time.Hour, func(s *opsmanager.ClusterSnapshot) { s.Created = nil }), false},
		"one that lacks a shard":   {snapshot("other", time.Hour, func(s *opsmanager.ClusterSnapshot) { s.MissingShards = make([]opsmanager.Cluster, 1) }), false},
		"one that has expired":     {snapshot("other", time.Hour, func(s *opsmanager.ClusterSnapshot) { s.Expires = new(tfmodel.FormatTime(now.Add(-time.Hour))) }), false},
		"one that does not expire": {snapshot("other", time.Hour, func(s *opsmanager.ClusterSnapshot) { s.Expires = nil }), true},
		"itself in capitals":       {snapshot("OWN", time.Hour, nil), false},
	} {
		if got := hasSuccessor(own, []opsmanager.ClusterSnapshot{own, test.other}); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
