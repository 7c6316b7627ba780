package schedules

import (
	"fmt"
	"testing"
)

func TestOffsetsAreReadInEverySpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"Z": 0, "+00": 0, "-0000": 0, "+00:00": 0, "+02:00": 120, "+0200": 120, "+02": 120, "+0530": 330, "-03:30": -210, "+14:00": 840,
		"-12": -720, "+0545": 345,
	} {
		if got := minutesEast(&text); got != want || !offsetForm.MatchString(text) {
			t.Errorf("%s is %d minutes, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "z", "UTC", "02:00", "+2", "+200", "+24", "+0260", "+02:0", "+02:00:00", " +0200", "+0200 ", "±02", "+0２"} {
		if got := minutesEast(&text); got != 0 || offsetForm.MatchString(text) {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

func TestTimeOfDayIsConvertedBothWays(t *testing.T) {
	t.Parallel()
	number := func(n int64) *int64 { return &n }
	text := func(s string) *string { return &s }
	show := func(t timeOfDay) string {
		shown := ""
		for _, part := range []*int64{t.hour, t.minute} {
			if part == nil {
				shown += "-- "
			} else {
				shown += fmt.Sprintf("%02d ", *part)
			}
		}
		if t.offset == nil {
			return shown + "none"
		}
		return shown + *t.offset
	}
	for _, c := range []struct {
		local timeOfDay
		utc   string
	}{
		{timeOfDay{number(5), number(10), text("+0200")}, "03 10 +0000"},
		{timeOfDay{number(23), number(45), text("-0330")}, "03 15 +0000"},
		{timeOfDay{number(5), nil, text("+0200")}, "03 -- +0000"},
		{timeOfDay{number(5), nil, nil}, "05 -- none"},
		{timeOfDay{nil, number(7), nil}, "-- 07 none"},
		{timeOfDay{nil, number(7), text("+0200")}, "-- 07 +0000"},
		{timeOfDay{}, "-- -- none"},
	} {
		if got := show(c.local.utc()); got != c.utc {
			t.Errorf("%s is %s, want %s", show(c.local), got, c.utc)
		}
		if got := show(c.local.utc().at(c.local.offset)); got != show(c.local) {
			t.Errorf("%s is converted back to %s", show(c.local), got)
		}
	}
}
