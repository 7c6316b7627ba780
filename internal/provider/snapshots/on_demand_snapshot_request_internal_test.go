package snapshots

import (
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

func TestRequestedSnapshotIsFoundAmongNewOnes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	snapshot := func(id string, created, kept time.Duration) opsmanager.ClusterSnapshot {
		taken := at.Add(created)
		return opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{
			ID: &id, Created: &opsmanager.Timestamp{Date: new(tfmodel.FormatTime(taken))}, Expires: new(tfmodel.FormatTime(taken.Add(kept))),
		}}
	}
	const week = 7 * day
	var (
		old       = snapshot("old", 0, week)
		first     = snapshot("first", time.Minute, week)
		second    = snapshot("second", 2*time.Minute, week)
		scheduled = snapshot("scheduled", time.Minute, 2*day)
		late      = snapshot("late", 2*time.Hour, week)
		rounded   = snapshot("rounded", time.Minute, week+11*time.Hour)
		bare      = opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: new("bare")}}
		seconds   = opsmanager.ClusterSnapshot{Snapshot: opsmanager.Snapshot{ID: new("seconds"), Created: &opsmanager.Timestamp{Time: new(at.Unix())}}}
	)
	for name, test := range map[string]struct {
		all            []opsmanager.ClusterSnapshot
		accepted, lost string
	}{
		"none":                    {[]opsmanager.ClusterSnapshot{old, {}}, "-", "-"},
		"one":                     {[]opsmanager.ClusterSnapshot{old, first}, "first", "first"},
		"two":                     {[]opsmanager.ClusterSnapshot{second, old, first}, "first", "-"},
		"a scheduled one":         {[]opsmanager.ClusterSnapshot{scheduled}, "-", "-"},
		"one and a scheduled one": {[]opsmanager.ClusterSnapshot{scheduled, second}, "second", "second"},
		"a late one":              {[]opsmanager.ClusterSnapshot{late}, "late", "-"},
		"a rounded expiry":        {[]opsmanager.ClusterSnapshot{rounded}, "rounded", "rounded"},
		"without times":           {[]opsmanager.ClusterSnapshot{bare}, "bare", "bare"},
		"without an expiry":       {[]opsmanager.ClusterSnapshot{seconds}, "seconds", "seconds"},
	} {
		request := snapshotRequest{Before: []string{"old"}, At: at, Days: 7}
		for accepted, want := range map[bool]string{true: test.accepted, false: test.lost} {
			request.Accepted = accepted
			found, _ := request.find(test.all)
			got := "-"
			if found != nil {
				got = diagnostics.OrDash(found.ID)
			}
			if got != want {
				t.Errorf("%s, accepted %v: found %s, want %s", name, accepted, got, want)
			}
		}
	}
}
