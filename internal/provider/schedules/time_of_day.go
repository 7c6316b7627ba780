package schedules

import (
	"fmt"
	"regexp"
	"strconv"
)

const (
	minutesPerHour = 60
	minutesPerDay  = 24 * minutesPerHour

	utcOffset = "+0000" // as the service spells it
)

// timeOfDay is a time of day at an offset from UTC: one thing, given by three
// attributes. Nil is a part that nobody gave; without an offset it is in UTC.
type timeOfDay struct {
	hour, minute *int64 // 0 to 23, 0 to 59
	offset       *string
}

var offsetForm = regexp.MustCompile(`^([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?$`)

// parseOffset reads an ISO 8601 offset, such as +02:00, +0200, +02 or Z, and
// returns it in minutes east of UTC.
func parseOffset(text string) (int64, error) {
	if text == "Z" {
		return 0, nil
	}
	parts := offsetForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("an offset is Z, or a sign with hours and minutes, such as +0200, +02:00 or -0330; got %q", text)
	}
	hours, _ := strconv.ParseInt(parts[2], 10, 64)
	minutes, _ := strconv.ParseInt("0"+parts[3], 10, 64)
	offset := hours*minutesPerHour + minutes
	if parts[1] == "-" {
		offset = -offset
	}
	return offset, nil
}

// isUTC reports whether an offset is none, however it is spelled.
func isUTC(offset *string) bool {
	return offset == nil || minutesEast(*offset) == 0
}

// minutesEast reads an offset that has been validated. One that the service made
// up in a form of its own counts as UTC, which is all that it stores.
func minutesEast(offset string) int64 {
	minutes, err := parseOffset(offset)
	if err != nil {
		return 0
	}
	return minutes
}

// utc returns the same time in UTC, with the offset as the service spells it
// where there is one.
func (t timeOfDay) utc() timeOfDay {
	if t.offset == nil {
		return t
	}
	moved := t.moved(-minutesEast(*t.offset))
	zero := utcOffset
	moved.offset = &zero
	return moved
}

// at returns a time that is in UTC at another offset.
func (t timeOfDay) at(offset *string) timeOfDay {
	moved := t
	if !isUTC(offset) {
		moved = t.moved(minutesEast(*offset))
	}
	moved.offset = offset
	return moved
}

// daysToUTC returns how many days the date changes when the time is converted to
// UTC: -1, 0 or 1.
func (t timeOfDay) daysToUTC() int64 {
	if t.hour == nil || isUTC(t.offset) {
		return 0
	}
	minutes := *t.hour*minutesPerHour - minutesEast(*t.offset)
	if t.minute != nil {
		minutes += *t.minute
	}
	switch {
	case minutes < 0:
		return -1
	case minutes >= minutesPerDay:
		return 1
	}
	return 0
}

// moved moves the hands by some minutes. Whole hours leave the minute alone, so
// that it need not be given; other moves take a missing minute for 0.
func (t timeOfDay) moved(minutes int64) timeOfDay {
	if t.hour == nil {
		return t
	}
	time := *t.hour*minutesPerHour + minutes
	if t.minute != nil {
		time += *t.minute
	}
	time = (time%minutesPerDay + minutesPerDay) % minutesPerDay
	hour, minute := time/minutesPerHour, time%minutesPerHour
	moved := timeOfDay{hour: &hour}
	if t.minute != nil || minutes%minutesPerHour != 0 {
		moved.minute = &minute
	}
	return moved
}

// over returns the time with the parts that it does not have taken from another.
func (t timeOfDay) over(other timeOfDay) timeOfDay {
	if t.hour == nil {
		t.hour = other.hour
	}
	if t.minute == nil {
		t.minute = other.minute
	}
	if t.offset == nil {
		t.offset = other.offset
	}
	return t
}
