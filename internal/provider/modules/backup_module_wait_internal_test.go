package modules

import (
	"testing"
	"time"
)

func TestModuleRunsIfItHasReportedRecently(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	ago := func(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }
	for name, test := range map[string]struct {
		before, seen, now time.Time
		asked, want       bool
	}{
		"never":                               {want: false, now: now},
		"an adopted one":                      {before: ago(1), seen: ago(1), now: now, want: true},
		"an adopted one that is stale":        {before: ago(6), seen: ago(6), now: now, want: false},
		"a new one":                           {seen: ago(1), now: now, asked: true, want: true},
		"the old report of an ended one":      {before: ago(2), seen: ago(2), now: now, asked: true, want: false},
		"an older report of a node behind":    {before: ago(2), seen: ago(3), now: now, asked: true, want: false},
		"a new report of an ended one":        {before: ago(2), seen: ago(1), now: now, asked: true, want: true},
		"a new report that is stale":          {before: ago(9), seen: ago(6), now: now, asked: true, want: false},
		"without a clock":                     {before: ago(2), seen: ago(1), want: true},
		"an unchanged report without a clock": {before: ago(1), seen: ago(1), want: false},
	} {
		w := wait{publication: &publication{}, before: map[string]time.Time{"db1": test.before}, seen: map[string]time.Time{"db1": test.seen}, now: test.now}
		if test.asked {
			w.asked = []string{"db1"}
		}
		if got := w.reports("DB1"); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
