package schedules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Ops Manager keeps recent snapshots for at most this many days if it takes them
// more often than once a day. It is the one documented rule by which a change of
// one field changes another.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/backup-preparations/
const (
	maxRecentRetentionDays = 5
	hoursPerDay            = 24
)

// plannedUpdate returns the planned schedule of an update: the configured values,
// and the state for the rest. The retention of recent snapshots is unknown if a
// new interval may shorten it.
func plannedUpdate(config, prior, plan snapshotScheduleModel) snapshotScheduleModel {
	for _, f := range integerFields {
		*f.model(&plan) = *f.model(&prior)
		if wanted := *f.model(&config); !wanted.IsNull() {
			*f.model(&plan) = wanted
		}
	}
	if config.SnapshotRetentionDays.IsNull() && mayShortenRecentRetention(plan, prior) {
		plan.SnapshotRetentionDays = types.Int64Unknown()
	}
	plan.FullIncrementalDayOfWeek = prior.FullIncrementalDayOfWeek
	if !config.FullIncrementalDayOfWeek.IsNull() {
		plan.FullIncrementalDayOfWeek = config.FullIncrementalDayOfWeek
	}
	return withPlannedTime(config, prior, plan)
}

func mayShortenRecentRetention(plan, prior snapshotScheduleModel) bool {
	interval, recent := plan.SnapshotIntervalHours, tfmodel.Int64Pointer(prior.SnapshotRetentionDays)
	return !interval.Equal(prior.SnapshotIntervalHours) && (interval.IsUnknown() || interval.ValueInt64() < hoursPerDay) &&
		(recent == nil || *recent > maxRecentRetentionDays)
}

// withPlannedTime plans the time of day of an update. A time that is only spelled
// differently is no change, and a zone keeps the spelling of the state. Terraform
// plans again before an apply and holds that plan to this one, so a part is planned
// without another part that may still be unknown. That is not possible for an hour
// or an offset that is unknown at first and turns out to be the same time in another
// zone.
func withPlannedTime(config, prior, plan snapshotScheduleModel) snapshotScheduleModel {
	plan.ReferenceHourOfDay = prior.ReferenceHourOfDay
	plan.ReferenceMinuteOfHour = prior.ReferenceMinuteOfHour
	plan.ReferenceTimeZoneOffset = prior.ReferenceTimeZoneOffset
	if !configuresTime(config) {
		return plan
	}
	shift := minutesEast(config.ReferenceTimeZoneOffset.ValueString()) - minutesEast(prior.ReferenceTimeZoneOffset.ValueString())
	zoneKnown, wholeHours := !config.ReferenceTimeZoneOffset.IsUnknown(), shift%minutesPerHour == 0
	// Terraform lets a state's spelling stand for a configured one, but not none.
	unspelled := !config.ReferenceTimeZoneOffset.IsNull() && prior.ReferenceTimeZoneOffset.IsNull()

	switch {
	case zoneKnown && shift == 0:
		if unspelled {
			plan.ReferenceTimeZoneOffset = config.ReferenceTimeZoneOffset
		}
		plan.ReferenceHourOfDay = configuredOr(config.ReferenceHourOfDay, prior.ReferenceHourOfDay)
		plan.ReferenceMinuteOfHour = configuredOr(config.ReferenceMinuteOfHour, prior.ReferenceMinuteOfHour)
	case zoneKnown && wholeHours && !unspelled:
		plan.ReferenceMinuteOfHour = configuredOr(config.ReferenceMinuteOfHour, prior.ReferenceMinuteOfHour)
		if !config.ReferenceHourOfDay.IsNull() && (config.ReferenceHourOfDay.IsUnknown() || movesTime(withoutMinute(config), prior)) {
			plan.ReferenceHourOfDay = config.ReferenceHourOfDay
			plan.ReferenceTimeZoneOffset = offsetOrUnknown(config)
		}
	case zoneKnown && !unspelled && knowsTime(config) && !movesTime(config, prior):
	default:
		// In another zone, parts that are not configured have other values.
		plan.ReferenceHourOfDay = configuredOr(config.ReferenceHourOfDay, types.Int64Unknown())
		plan.ReferenceMinuteOfHour = configuredOr(config.ReferenceMinuteOfHour, types.Int64Unknown())
		plan.ReferenceTimeZoneOffset = offsetOrUnknown(config)
	}
	return plan
}

func configuredOr(config, otherwise types.Int64) types.Int64 {
	if config.IsNull() {
		return otherwise
	}
	return config
}

func offsetOrUnknown(config snapshotScheduleModel) types.String {
	if config.ReferenceTimeZoneOffset.IsNull() {
		return types.StringUnknown()
	}
	return config.ReferenceTimeZoneOffset
}

func withoutMinute(m snapshotScheduleModel) snapshotScheduleModel {
	m.ReferenceMinuteOfHour = types.Int64Null()
	return m
}

func configuresTime(config snapshotScheduleModel) bool {
	return !config.ReferenceHourOfDay.IsNull() || !config.ReferenceMinuteOfHour.IsNull() || !config.ReferenceTimeZoneOffset.IsNull()
}

func knowsTime(config snapshotScheduleModel) bool {
	return !config.ReferenceHourOfDay.IsUnknown() && !config.ReferenceMinuteOfHour.IsUnknown() && !config.ReferenceTimeZoneOffset.IsUnknown()
}

// movesTime reports whether the configured time of day, as far as it is known, is
// another moment than the state's.
func movesTime(config, prior snapshotScheduleModel) bool {
	return len(timeDifferences(config, prior.toAPI())) > 0
}

// droppedOffset returns the offset that is no longer configured, if an update moves
// the time of day because of that.
func droppedOffset(config, prior snapshotScheduleModel, before baseline) (offset string, dropped bool) {
	was := tfmodel.StringPointer(prior.ReferenceTimeZoneOffset)
	if before.known() {
		was = before.Offset
	}
	if !config.ReferenceTimeZoneOffset.IsNull() || !configuresTime(config) || isUTC(was) || !movesTime(config, prior) {
		return "", false
	}
	return *was, true
}

// baseline is what a schedule was when it was last applied, or first read. The
// private state keeps it: a state alone doesn't tell drift from a changed
// configuration.
//
// Terraform writes its whole state for each change, so this is short and has no
// names in it.
type baseline struct {
	Integers []*int64 `json:"q"` // in the order of integerFields
	Offset   *string  `json:"o"` // as configured
}

func (b baseline) known() bool { return len(b.Integers) == len(integerFields) }

// of returns the value of a field that was applied, or nil if there was none.
func (b baseline) of(f integerField) *int64 {
	i := slices.IndexFunc(integerFields, func(other integerField) bool { return other.attribute == f.attribute })
	if !b.known() || i < 0 {
		return nil
	}
	return b.Integers[i]
}

// isDrift reports whether a configured value differs from the state only because
// the state has changed since the value was applied.
func (b baseline) isDrift(f integerField, wanted int64) bool {
	applied := b.of(f)
	return applied != nil && *applied == wanted
}

// baselineOf returns the baseline of a state. A configured value that the guard did
// not put back, because the state has a longer one, counts as applied.
func baselineOf(config, state snapshotScheduleModel, before baseline) baseline {
	b := baseline{Offset: tfmodel.StringPointer(config.ReferenceTimeZoneOffset)}
	for _, f := range integerFields {
		applied := tfmodel.Int64Pointer(*f.model(&state))
		if wanted := tfmodel.Int64Pointer(*f.model(&config)); wanted != nil && before.isDrift(f, *wanted) {
			applied = wanted
		}
		b.Integers = append(b.Integers, applied)
	}
	return b
}

// withDriftKept returns a guarded plan that leaves alone what drift has lengthened,
// and the differences that this leaves. An interval that would shorten a retention
// is left alone whatever becomes of the retention, which may not be known yet.
func withDriftKept(config, prior, plan snapshotScheduleModel, before baseline) (snapshotScheduleModel, []tfmodel.Difference) {
	var kept []tfmodel.Difference
	keep := func(f integerField) {
		wanted, held := tfmodel.Int64Pointer(*f.model(&config)), tfmodel.Int64Pointer(*f.model(&prior))
		kept = tfmodel.AppendDifference(kept, f.attribute, held, wanted, "")
		*f.model(&plan) = *f.model(&prior)
	}
	for _, f := range integerFields {
		wanted, held := tfmodel.Int64Pointer(*f.model(&config)), tfmodel.Int64Pointer(*f.model(&prior))
		if f.keeps != "" && wanted != nil && held != nil && *wanted < *held && before.isDrift(f, *wanted) {
			keep(f)
		}
	}
	if interval := tfmodel.Int64Pointer(config.SnapshotIntervalHours); interval != nil && before.isDrift(intervalHours, *interval) && mayShortenRecentRetention(plan, prior) {
		keep(intervalHours)
		if config.SnapshotRetentionDays.IsNull() {
			plan.SnapshotRetentionDays = prior.SnapshotRetentionDays
		}
	}
	return plan, kept
}

// changes returns what a plan changes of a schedule, and so what is sent: the
// fields whose planned value is not the state's. The time of day is one unit, whose
// unchanged parts are as Ops Manager holds them now.
func changes(config, plan, prior snapshotScheduleModel, live opsmanager.SnapshotSchedule) snapshotScheduleModel {
	var changed snapshotScheduleModel
	for _, f := range integerFields {
		planned, before := tfmodel.Int64Pointer(*f.model(&plan)), tfmodel.Int64Pointer(*f.model(&prior))
		late := planned == nil && !f.model(&config).IsNull()
		if late || planned != nil && (before == nil || *before != *planned) {
			*f.model(&changed) = *f.model(&plan)
		}
	}
	if day := tfmodel.StringPointer(plan.FullIncrementalDayOfWeek); day != nil && !plan.FullIncrementalDayOfWeek.Equal(prior.FullIncrementalDayOfWeek) {
		changed.FullIncrementalDayOfWeek = plan.FullIncrementalDayOfWeek
	}
	time := changedTime(plan.time(), prior.toAPI(), live)
	changed.ReferenceHourOfDay = types.Int64PointerValue(time.hour)
	changed.ReferenceMinuteOfHour = types.Int64PointerValue(time.minute)
	if time != (timeOfDay{}) && (!config.ReferenceTimeZoneOffset.IsNull() || !isUTC(time.offset) || !isUTC(live.ReferenceTimeZoneOffset)) {
		offset := utcOffset
		if time.offset != nil {
			offset = *time.offset
		}
		changed.ReferenceTimeZoneOffset = types.StringValue(offset)
	}
	return changed
}

// withCompanions returns a change with what has to be sent along. A new interval
// takes the configured retention of recent snapshots along if that is what Ops
// Manager holds, which then refuses an interval that would shorten it.
func withCompanions(changed, config, plan snapshotScheduleModel, live opsmanager.SnapshotSchedule) snapshotScheduleModel {
	recent := tfmodel.Int64Pointer(plan.SnapshotRetentionDays)
	if !changed.SnapshotIntervalHours.IsNull() && !config.SnapshotRetentionDays.IsNull() &&
		recent != nil && live.SnapshotRetentionDays != nil && *recent == *live.SnapshotRetentionDays {
		changed.SnapshotRetentionDays = plan.SnapshotRetentionDays
	}
	return changed
}

// changedTime returns the time of day to send, in the planned zone: the parts that
// a plan changes, and the live ones for the others. It is zero if the planned
// moment is that of the state.
func changedTime(planned timeOfDay, prior, live opsmanager.SnapshotSchedule) timeOfDay {
	before, now := timeAt(prior, planned.offset), timeAt(live, planned.offset)
	differs := func(planned, before *int64) bool { return planned != nil && (before == nil || *before != *planned) }
	hourChanges, minuteChanges := differs(planned.hour, before.hour), differs(planned.minute, before.minute)
	if !hourChanges && !minuteChanges {
		return timeOfDay{}
	}
	if !hourChanges && now.hour != nil {
		planned.hour = now.hour
	}
	if !minuteChanges && now.minute != nil {
		planned.minute = now.minute
	}
	return planned
}

// changesNothing reports whether there is nothing to send.
func (m *snapshotScheduleModel) changesNothing() bool {
	r := m.toAPI()
	for _, f := range integerFields {
		if *f.api(&r) != nil {
			return false
		}
	}
	return r.ReferenceHourOfDay == nil && r.ReferenceMinuteOfHour == nil && r.FullIncrementalDayOfWeek == nil
}

// differences compares what is wanted and known with what Ops Manager holds.
func differences(wanted snapshotScheduleModel, held opsmanager.SnapshotSchedule) []tfmodel.Difference {
	var found []tfmodel.Difference
	for _, f := range integerFields {
		found = tfmodel.AppendDifference(found, f.attribute, tfmodel.Int64Pointer(*f.model(&wanted)), *f.api(&held), "")
	}
	found = append(found, timeDifferences(wanted, held)...)
	return tfmodel.AppendDifference(found, "full_incremental_day_of_week", tfmodel.StringPointer(wanted.FullIncrementalDayOfWeek), held.FullIncrementalDayOfWeek, "")
}

// timeDifferences compares the time of day, in the wanted zone.
func timeDifferences(config snapshotScheduleModel, held opsmanager.SnapshotSchedule) []tfmodel.Difference {
	wanted := config.time()
	there := timeAt(held, wanted.offset)
	zone := " UTC"
	if !isUTC(wanted.offset) {
		zone = " at " + *wanted.offset
	}
	found := tfmodel.AppendDifference(nil, "reference_hour_of_day", wanted.hour, there.hour, zone)
	return tfmodel.AppendDifference(found, "reference_minute_of_hour", wanted.minute, there.minute, "")
}

// timeAt returns the time of day of a schedule at an offset. If that is not whole
// hours and half of the time is missing, neither half can be told.
func timeAt(s opsmanager.SnapshotSchedule, offset *string) timeOfDay {
	t := apiTime(s).utc()
	if !isUTC(offset) && minutesEast(*offset)%minutesPerHour != 0 && (t.hour == nil || t.minute == nil) {
		return timeOfDay{}
	}
	return t.at(offset)
}

// decrease is a retention that gets shorter.
type decrease struct {
	integerField
	held, wanted int64
	cause        string // the attribute whose change shortens this one; empty if that is this one
}

func (d decrease) String() string {
	text := fmt.Sprintf("%s: %d -> %d. ", d.attribute, d.held, d.wanted)
	if d.wanted == 0 {
		text += fmt.Sprintf("The rule is switched off, and keeps no %s any more.", d.keeps)
	} else {
		unit := d.unit
		if d.wanted == 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
		text += fmt.Sprintf("Ops Manager keeps %s for %d %s instead of %d.", d.keeps, d.wanted, unit, d.held)
	}
	if d.cause == intervalHours.attribute {
		text += fmt.Sprintf(" It keeps them for at most %d days if the interval is below %d hours.", maxRecentRetentionDays, hoursPerDay)
	}
	return text
}

// is reports whether two decreases are of the same retention and by as much.
func (d decrease) is(other decrease) bool {
	return d.attribute == other.attribute && d.held == other.held && d.wanted == other.wanted
}

// decreases finds the retentions that a change shortens, and the one that Ops
// Manager is documented to shorten along.
func decreases(change snapshotScheduleModel, held opsmanager.SnapshotSchedule) []decrease {
	found := shortened(change.toAPI(), held)
	interval, recent := tfmodel.Int64Pointer(change.SnapshotIntervalHours), held.SnapshotRetentionDays
	if interval != nil && *interval < hoursPerDay && change.SnapshotRetentionDays.IsNull() && recent != nil && *recent > maxRecentRetentionDays {
		found = append(found, decrease{integerField: recentRetentionDays, held: *recent, wanted: maxRecentRetentionDays, cause: intervalHours.attribute})
	}
	return found
}

// shortened finds the retentions that are shorter in one schedule than in another.
func shortened(now, before opsmanager.SnapshotSchedule) []decrease {
	var found []decrease
	for _, f := range integerFields {
		after, held := *f.api(&now), *f.api(&before)
		if f.keeps != "" && after != nil && held != nil && *after < *held {
			found = append(found, decrease{integerField: f, held: *held, wanted: *after})
		}
	}
	return found
}

// retentionsOf lists the retentions of a schedule.
func retentionsOf(held opsmanager.SnapshotSchedule) []tfmodel.Difference {
	var found []tfmodel.Difference
	for _, f := range integerFields {
		if value := *f.api(&held); f.keeps != "" && value != nil {
			found = append(found, tfmodel.Difference{Attribute: f.attribute, Wanted: fmt.Sprint(*value)})
		}
	}
	return found
}

// without returns the decreases that are not among others.
func without(found, others []decrease) []decrease {
	return slices.DeleteFunc(slices.Clone(found), func(d decrease) bool { return slices.ContainsFunc(others, d.is) })
}

// changedAlong finds the fields that an update changed without sending them.
func changedAlong(sent snapshotScheduleModel, before, after opsmanager.SnapshotSchedule) []tfmodel.Difference {
	var found []tfmodel.Difference
	was, is := &snapshotScheduleModel{}, &snapshotScheduleModel{}
	was.fromAPI(before)
	is.fromAPI(after)
	for _, f := range integerFields {
		if f.model(&sent).IsNull() && !f.model(was).IsNull() && !f.model(is).IsNull() {
			found = tfmodel.AppendDifference(found, f.attribute, tfmodel.Int64Pointer(*f.model(is)), tfmodel.Int64Pointer(*f.model(was)), "")
		}
	}
	if sent.FullIncrementalDayOfWeek.IsNull() && !was.FullIncrementalDayOfWeek.IsNull() {
		found = tfmodel.AppendDifference(found, "full_incremental_day_of_week", tfmodel.StringPointer(is.FullIncrementalDayOfWeek), tfmodel.StringPointer(was.FullIncrementalDayOfWeek), "")
	}
	if sent.time() == (timeOfDay{}) {
		was, is := apiTime(before).utc(), apiTime(after).utc()
		if was.hour != nil {
			found = tfmodel.AppendDifference(found, "reference_hour_of_day", is.hour, was.hour, " UTC")
		}
		if was.minute != nil {
			found = tfmodel.AppendDifference(found, "reference_minute_of_hour", is.minute, was.minute, "")
		}
	}
	return found
}
