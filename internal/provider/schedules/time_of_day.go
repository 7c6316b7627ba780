package schedules

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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

var offsetForm = regexp.MustCompile(`^([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?$`)

// parseOffset reads an ISO 8601 offset, such as +02:00, +0200, +02 or Z, and
// returns it in minutes east of UTC.
func parseOffset(text string) (int64, error) {
	if text == "Z" || text == utcOffset {
		return 0, nil
	}
	parts := offsetForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("an offset must be Z, or a sign with hours and optional minutes, such as +0200, +02:00 or -0330, and not the name of a time zone; got %q", text)
	}
	hours, _ := strconv.ParseInt(parts[2], 10, 64)
	minutes, _ := strconv.ParseInt("0"+parts[3], 10, 64)
	offset := hours*minutesPerHour + minutes
	if parts[1] == "-" {
		offset = -offset
	}
	return offset, nil
}

// isUTC reports whether an offset is nil or zero.
func isUTC(offset *string) bool { return minutesEast(offset) == 0 }

// minutesEast returns a validated offset in minutes. No offset is that of UTC, and so is one in an
// undocumented format from Ops Manager, which stores UTC only.
func minutesEast(offset *string) int64 {
	if offset == nil {
		return 0
	}
	minutes, _ := parseOffset(*offset)
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

// String returns the time as messages show it, such as 05:10 UTC.
func (t timeOfDay) String() string {
	part := func(number *int64) string {
		if number == nil {
			return "??"
		}
		return fmt.Sprintf("%02d", *number)
	}
	zone := "UTC"
	if !isUTC(t.offset) {
		zone = *t.offset
	}
	return part(t.hour) + ":" + part(t.minute) + " " + zone
}

// daysToUTC returns how many days the date changes when the time is converted to
// UTC: -1, 0 or 1.
func (t timeOfDay) daysToUTC() int64 {
	if t.hour == nil || isUTC(t.offset) {
		return 0
	}
	minutes := *t.hour*minutesPerHour - minutesEast(t.offset)
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
	later := *t.hour*minutesPerHour + minutes
	if t.minute != nil {
		later += *t.minute
	}
	later = (later%minutesPerDay + minutesPerDay) % minutesPerDay
	moved := timeOfDay{hour: new(later / minutesPerHour), offset: offset}
	if t.minute != nil {
		moved.minute = new(later % minutesPerHour)
	}
	return moved
}

// timeIn returns the known parts of a configured or planned time, at its offset.
func timeIn(values tfmodel.Values) timeOfDay {
	return timeOfDay{
		tfmodel.Int64Pointer(tfmodel.As[types.Int64](values, hourOfDay)), tfmodel.Int64Pointer(tfmodel.As[types.Int64](values, minuteOfHour)), offsetOf(values),
	}
}

// isLate reports whether a part of a time is not known yet.
func isLate(values tfmodel.Values) bool {
	return slices.ContainsFunc([]string{hourOfDay, minuteOfHour, zoneOffset}, func(part string) bool { return isSet(values, part) && values[part].IsUnknown() })
}

// plannedTime plans the time of day of an update. What is configured is planned as it is configured. The
// other parts keep the time of the state, which is converted to the configured offset, or to UTC if none
// is configured. Terraform plans again before an apply, when everything is known, and each value that is
// known here must be the same then: a part that is not known yet may turn out null, or move the others.
func plannedTime(configured, prior tfmodel.Values) tfmodel.Values {
	rest := tfmodel.Values{hourOfDay: prior[hourOfDay], minuteOfHour: prior[minuteOfHour], zoneOffset: prior[zoneOffset]}
	switch wasUTC := isUTC(offsetOf(prior)); {
	case !configuresTime(configured), isLate(configured) && wasUTC:
	case isLate(configured):
		rest = tfmodel.Values{hourOfDay: types.Int64Unknown(), minuteOfHour: types.Int64Unknown(), zoneOffset: types.StringUnknown()}
	case !wasUTC || isSet(configured, zoneOffset):
		t := timeIn(prior).utc().at(cmp.Or(offsetOf(configured), new(utcOffset)))
		rest = tfmodel.Values{hourOfDay: types.Int64PointerValue(t.hour), minuteOfHour: types.Int64PointerValue(t.minute), zoneOffset: types.StringPointerValue(t.offset)}
	}
	for part := range rest {
		rest[part] = tfmodel.ConfiguredOrPrior(configured[part], rest[part])
	}
	return rest
}

// offsetValidator accepts ISO 8601 offsets.
type offsetValidator struct{}

func (offsetValidator) Description(context.Context) string {
	return "an ISO 8601 offset such as +0200, +02:00 or Z"
}

func (v offsetValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (offsetValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := parseOffset(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Offset", diagnostics.Sentence(err))
	}
}
