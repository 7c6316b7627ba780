package schedules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tf"
)

const (
	minutesPerHour = 60
	minutesPerDay  = 24 * minutesPerHour

	utcOffset = "+0000" // as Ops Manager spells it
)

// timeOfDay is a time of day at an offset from UTC. A part may be nil; without an offset,
// the time is in UTC.
type timeOfDay struct {
	hour, minute *int64 // 0 to 23, 0 to 59
	offset       *string
}

// offsetForm is that of an ISO 8601 offset, such as +02:00, +0200, +02 or Z.
var offsetForm = regexp.MustCompile(`^(?:Z|([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?)$`)

// minutesEast returns an offset in minutes. No offset is that of UTC, and so is one in an undocumented
// format from Ops Manager, which stores UTC only.
func minutesEast(offset *string) int64 {
	if offset == nil {
		return 0
	}
	parts := offsetForm.FindStringSubmatch(*offset)
	if parts == nil {
		return 0
	}
	hours, _ := strconv.ParseInt("0"+parts[2], 10, 64)
	minutes, _ := strconv.ParseInt("0"+parts[3], 10, 64)
	minutes += hours * minutesPerHour
	if parts[1] == "-" {
		return -minutes
	}
	return minutes
}

// utc returns the same time in UTC, with the offset that Ops Manager uses if it has one.
func (t timeOfDay) utc() timeOfDay {
	if t.offset == nil {
		return t
	}
	return t.moved(-minutesEast(t.offset), new(utcOffset))
}

// at converts a time in UTC to an offset.
func (t timeOfDay) at(offset *string) timeOfDay { return t.moved(minutesEast(offset), offset) }

// String returns a time in UTC as messages show it, such as 05:10 UTC.
func (t timeOfDay) String() string {
	part := func(number *int64) string {
		if number == nil {
			return "??"
		}
		return fmt.Sprintf("%02d", *number)
	}
	return part(t.hour) + ":" + part(t.minute) + " UTC"
}

// moved returns the time some minutes later, with an offset. If these are whole hours, a missing part
// stays missing. Otherwise, a time that lacks a part is not known.
func (t timeOfDay) moved(minutes int64, offset *string) timeOfDay {
	isWhole := minutes%minutesPerHour == 0
	switch {
	case t.hour == nil && isWhole:
		return timeOfDay{nil, t.minute, offset}
	case !isWhole && (t.hour == nil || t.minute == nil):
		return timeOfDay{offset: offset}
	}
	later := *t.hour*minutesPerHour + *cmp.Or(t.minute, new(int64)) + minutes
	later = (later%minutesPerDay + minutesPerDay) % minutesPerDay
	moved := timeOfDay{hour: new(later / minutesPerHour), offset: offset}
	if t.minute != nil {
		moved.minute = new(later % minutesPerHour)
	}
	return moved
}

// plannedTime plans the time of day of an update. What is configured is planned as it is configured. The
// other parts keep the time of the state, which is converted to the configured offset, or to UTC if none
// is configured. Terraform plans again before an apply, when everything is known, and each value that is
// known here must be the same then: a part that is not known yet may turn out null, or move the others.
func plannedTime(configured, prior tf.Values) tf.Values {
	rest := prior
	configuresTime := slices.ContainsFunc(timeParts, func(part string) bool {
		return isSet(configured, part)
	})
	switch wasUTC := minutesEast(offsetOf(prior)) == 0; {
	case !configuresTime, timeIsUnknown(configured) && wasUTC:
	case timeIsUnknown(configured):
		rest = tf.Values{
			hourOfDay:    types.Int64Unknown(),
			minuteOfHour: types.Int64Unknown(),
			zoneOffset:   types.StringUnknown(),
		}
	case !wasUTC || isSet(configured, zoneOffset):
		rest = scheduleFields.FromAPI(tf.Values{}, shownAt(offsetOf(configured), scheduleOf(prior)))
	}
	planned := tf.Values{}
	for _, part := range timeParts {
		planned[part] = tf.ConfiguredOrPrior(configured[part], rest[part])
	}
	return planned
}
