package schedules

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
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
	moved := t.moved(-minutesEast(t.offset))
	zero := utcOffset
	moved.offset = &zero
	return moved
}

// at converts a time in UTC to an offset.
func (t timeOfDay) at(offset *string) timeOfDay {
	moved := t
	if minutes := minutesEast(offset); minutes != 0 {
		moved = t.moved(minutes)
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

// moved returns the time some minutes later. A missing minute stays missing if they are
// whole hours, and counts as 0 otherwise.
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
