package schedules

import (
	"fmt"
	"testing"
)

func FuzzOffset(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string, hour, minute int64) {
		offset := minutesEast(&text)
		if !offsetForm.MatchString(text) {
			if offset != 0 {
				t.Errorf("%q is %d minutes", text, offset)
			}
			return
		}
		if offset <= -minutesPerDay || offset >= minutesPerDay {
			t.Errorf("%q is %d minutes", text, offset)
		}
		sign, east := '+', offset
		if offset < 0 {
			sign, east = '-', -offset
		}
		for _, form := range []string{"%c%02d%02d", "%c%02d:%02d"} {
			spelled := fmt.Sprintf(form, sign, east/minutesPerHour, east%minutesPerHour)
			if again := minutesEast(&spelled); !offsetForm.MatchString(spelled) || again != offset {
				t.Errorf("%q is %d minutes, and %q %d", text, offset, spelled, again)
			}
		}

		hour, minute = (hour%24+24)%24, (minute%minutesPerHour+minutesPerHour)%minutesPerHour
		local := timeOfDay{&hour, &minute, &text}
		utc := local.utc()
		if east := (*utc.hour*minutesPerHour + *utc.minute + offset + minutesPerDay) % minutesPerDay; east != hour*minutesPerHour+minute ||
			*utc.offset != utcOffset {
			t.Errorf("%02d:%02d %s is %02d:%02d %s", hour, minute, text, *utc.hour, *utc.minute, *utc.offset)
		}
		if back := utc.at(&text); *back.hour != hour || *back.minute != minute || *back.offset != text {
			t.Errorf("%02d:%02d %s is converted back to %02d:%02d %s", hour, minute, text, *back.hour, *back.minute, *back.offset)
		}
	})
}
