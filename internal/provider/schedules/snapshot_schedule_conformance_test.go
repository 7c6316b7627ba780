package schedules_test

import (
	"slices"
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

var scheduleAttributes = map[string]string{
	"snapshotIntervalHours":          "snapshot_interval_hours",
	"snapshotRetentionDays":          "snapshot_retention_days",
	"dailySnapshotRetentionDays":     "daily_snapshot_retention_days",
	"weeklySnapshotRetentionWeeks":   "weekly_snapshot_retention_weeks",
	"monthlySnapshotRetentionMonths": "monthly_snapshot_retention_months",
	"pointInTimeWindowHours":         "point_in_time_window_hours",
	"clusterCheckpointIntervalMin":   "cluster_checkpoint_interval_min",
	"referenceHourOfDay":             "reference_hour_of_day",
	"referenceMinuteOfHour":          "reference_minute_of_hour",
	"fullIncrementalDayOfWeek":       "full_incremental_day_of_week",
}

var schedules = providertest.ResourceType{
	TypeName: providertest.ScheduleType,
	IDs:      []string{"project_id", "cluster_id"},
	ID: func(v values) string {
		project, _ := v["project_id"].(string)
		cluster, _ := v["cluster_id"].(string)
		return strings.ToLower(project + "/" + cluster)
	},
	Attributes: scheduleAttributes,
	Fields:     fieldsOfSchedule,
	Parts: map[string]string{
		"reference_hour_of_day": "reference_time_of_day", "reference_minute_of_hour": "reference_time_of_day",
		"reference_time_zone_offset": "reference_time_of_day",
	},
	Settings: []string{"retention_protection"},

	Retentions: []string{
		"snapshotRetentionDays", "dailySnapshotRetentionDays", "weeklySnapshotRetentionWeeks", "monthlySnapshotRetentionMonths",
		"pointInTimeWindowHours",
	},
	Intervals: []string{"snapshotIntervalHours", "clusterCheckpointIntervalMin"},
	Guard:     "retention_protection",
	Coupled: func(held, wanted object) object {
		interval, isWanted := providertest.Number(wanted["snapshotIntervalHours"])
		days, _ := providertest.Number(held["snapshotRetentionDays"])
		if isWanted && interval < 24 && days > 5 && wanted["snapshotRetentionDays"] == nil {
			return object{"snapshotRetentionDays": 5}
		}
		return nil
	},

	Creatable: func(_ values, live object) bool { return live != nil },
	Pending: map[string]providertest.Handler{
		"no configuration": providertest.Respond(
			404, `{"error": 404, "reason": "Not Found", "errorCode": "BACKUP_CONFIG_NOT_FOUND", "detail": "None."}`, "Content-Type",
			"application/json",
		),
		"an inactive backup": providertest.Respond(
			409, `{"error": 409, "reason": "Conflict", "errorCode": "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE", "detail": "None."}`,
			"Content-Type", "application/json",
		),
	},
	Objects: []string{payments + "/" + cards, payments + "/" + ledger, payments + "/" + orders},
	Object: func(s *providertest.Service, id string) object {
		project, cluster, _ := strings.Cut(id, "/")
		return s.Schedule(project, cluster)
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		project, cluster, _ := strings.Cut(id, "/")
		s.SetSchedule(project, cluster, fields)
	},
	RemoveObject: func(s *providertest.Service, id string) {
		project, cluster, _ := strings.Cut(id, "/")
		s.RemoveBackupConfig(project, cluster)
	},
	Label: func(id string) string { return id[strings.Index(id, "/")+1:] },
}

// fieldsOfSchedule converts the time of day to UTC, as Ops Manager does.
func fieldsOfSchedule(v values) object {
	found := object{}
	for field, attribute := range scheduleAttributes {
		if v[attribute] != nil {
			found[field] = v[attribute]
		}
	}
	hour, minute, offset := v["reference_hour_of_day"], v["reference_minute_of_hour"], v["reference_time_zone_offset"]
	if offset == any(unknown) || minutesEast(offset)%60 != 0 && (hour == any(unknown) || minute == any(unknown)) {
		for _, field := range []string{"referenceHourOfDay", "referenceMinuteOfHour"} {
			if found[field] != nil {
				found[field] = unknown
			}
		}
		return found
	}
	utc := (24*60 + 60*asInt(hour) + asInt(minute) - minutesEast(offset)) % (24 * 60)
	if _, isKnown := hour.(int); isKnown {
		found["referenceHourOfDay"] = utc / 60
	}
	if _, isKnown := minute.(int); isKnown {
		found["referenceMinuteOfHour"] = utc % 60
	}
	return found
}

func asInt(value any) int {
	n, _ := value.(int)
	return n
}

// minutesEast returns the minutes of an ISO 8601 offset. An empty one is UTC.
func minutesEast(offset any) int {
	written, _ := offset.(string)
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		if t, err := time.Parse(layout, written); err == nil {
			_, seconds := t.Zone()
			return seconds / 60
		}
	}
	return 0
}

func scheduleRegistrations() []providertest.Registration {
	atCards := providertest.Registration{
		ResourceType: schedules,
		Name:         "the schedule of cards",
		Config: scheduleOf(cards, values{
			"snapshot_interval_hours":           6,
			"snapshot_retention_days":           3,
			"daily_snapshot_retention_days":     15,
			"weekly_snapshot_retention_weeks":   4,
			"monthly_snapshot_retention_months": 13,
			"point_in_time_window_hours":        24,
			"reference_hour_of_day":             5,
			"reference_minute_of_hour":          10,
			"full_incremental_day_of_week":      "MONDAY",
		}),
		Changes: []values{
			{"snapshot_interval_hours": 8},
			{"snapshot_retention_days": 4},
			{"snapshot_retention_days": 2},
			{"daily_snapshot_retention_days": 30},
			{"daily_snapshot_retention_days": 7},
			{"weekly_snapshot_retention_weeks": 8},
			{"weekly_snapshot_retention_weeks": 2},
			{"monthly_snapshot_retention_months": 18},
			{"monthly_snapshot_retention_months": 6},
			{"point_in_time_window_hours": 48},
			{"point_in_time_window_hours": 0},
			{"reference_hour_of_day": 6},
			{"reference_minute_of_hour": 20},
			{"reference_time_zone_offset": "+02:00"},
			{"full_incremental_day_of_week": "TUESDAY"},
			{"retention_protection": true},
		},
		Drifts: []object{
			{"snapshotIntervalHours": 12},
			{"snapshotRetentionDays": 5},
			{"snapshotRetentionDays": 1},
			{"dailySnapshotRetentionDays": 60},
			{"dailySnapshotRetentionDays": 3},
			{"weeklySnapshotRetentionWeeks": 12},
			{"weeklySnapshotRetentionWeeks": 0},
			{"monthlySnapshotRetentionMonths": 24},
			{"monthlySnapshotRetentionMonths": 3},
			{"pointInTimeWindowHours": 72},
			{"pointInTimeWindowHours": 6},
			{"referenceHourOfDay": 9},
			{"referenceMinuteOfHour": 40},
			{"fullIncrementalDayOfWeek": "FRIDAY"},
		},
		Elsewhere: values{"cluster_id": ledger},
		Spellings: []values{{"cluster_id": strings.ToUpper(cards)}, {"project_id": strings.ToUpper(payments)}},
		InvalidIDs: []string{
			cards, payments + "/" + cards + "/" + cards, payments + "/" + cards + "/", " " + payments + "/" + cards,
			payments + "/" + cards + "\n", payments + " / " + cards, payments + "/cards", "/",
		},
		MissingID: payments + "/" + strings.Repeat("f", 24),
	}

	documented := atCards
	documented.Name = "the schedule of cards, on a service with four operations"
	documented.Brief = !providertest.Sampled(1, 2)
	documented.Options = emulator.Options{Profile: emulator.Documented}
	documented.Changes, documented.Drifts = atCards.Changes[2:5], atCards.Drifts[4:6]

	guarded := atCards
	guarded.Name = "the guarded schedule of cards"
	guarded.Config = atCards.Config.With(guard)
	guarded.Changes = []values{
		{"snapshot_retention_days": 4},
		{"snapshot_interval_hours": 8},
		{"snapshot_retention_days": 2},
		{"daily_snapshot_retention_days": 30},
		{"daily_snapshot_retention_days": 7},
		{"point_in_time_window_hours": 48},
		{"reference_hour_of_day": 6},
		{"retention_protection": false},
	}
	guarded.Drifts = []object{
		{"snapshotIntervalHours": 12},
		{"snapshotRetentionDays": 5},
		{"dailySnapshotRetentionDays": 60},
		{"dailySnapshotRetentionDays": 3},
		{"weeklySnapshotRetentionWeeks": 12},
		{"pointInTimeWindowHours": 72},
		{"referenceHourOfDay": 9},
	}

	atOrders := atCards
	atOrders.Name = "the schedule of orders, sharded and far from UTC"
	atOrders.Config = scheduleOf(orders, values{
		"daily_snapshot_retention_days": 30,
		"reference_hour_of_day":         5,
		"reference_time_zone_offset":    "+02:00",
	})
	atOrders.Changes = []values{
		{"daily_snapshot_retention_days": 60},
		{"daily_snapshot_retention_days": 15},
		{"reference_hour_of_day": 6},
		{"reference_time_zone_offset": "-11"},
		{"reference_minute_of_hour": 20},
		{"weekly_snapshot_retention_weeks": 8},
		{"cluster_checkpoint_interval_min": 15},
		{"retention_protection": true},
	}
	atOrders.Drifts = []object{
		{"snapshotRetentionDays": 5},
		{"dailySnapshotRetentionDays": 90},
		{"dailySnapshotRetentionDays": 7},
		{"weeklySnapshotRetentionWeeks": 12},
		{"weeklySnapshotRetentionWeeks": 1},
		{"clusterCheckpointIntervalMin": 60},
		{"referenceHourOfDay": 9},
		{"referenceMinuteOfHour": 40},
		{"fullIncrementalDayOfWeek": "FRIDAY"},
	}
	atOrders.Spellings = []values{{"cluster_id": strings.ToUpper(orders)}}
	atOrders.InvalidIDs = nil

	atLedger := atCards
	atLedger.Name = "the schedule of ledger, whose recent snapshots follow its interval"
	atLedger.Config = scheduleOf(ledger, values{"snapshot_interval_hours": 24, "weekly_snapshot_retention_weeks": 8})
	atLedger.Changes = []values{
		{"snapshot_interval_hours": 12},
		{"snapshot_retention_days": 25},
		{"snapshot_retention_days": 15},
		{"weekly_snapshot_retention_weeks": 12},
		{"weekly_snapshot_retention_weeks": 4},
		{"retention_protection": true},
	}
	atLedger.Drifts = []object{
		{"snapshotRetentionDays": 30},
		{"snapshotRetentionDays": 10},
		{"weeklySnapshotRetentionWeeks": 20},
		{"weeklySnapshotRetentionWeeks": 1},
	}
	atLedger.Elsewhere = values{"cluster_id": cards}
	atLedger.Spellings, atLedger.InvalidIDs = nil, nil

	guardedLedger := atLedger
	guardedLedger.Brief = !providertest.Sampled(1, 2)
	guardedLedger.Name = "the guarded schedule of ledger, whose recent snapshots follow its interval"
	guardedLedger.Config = atLedger.Config.With(guard)
	guardedLedger.Changes = append(slices.Clone(atLedger.Changes[:len(atLedger.Changes)-1]), values{"retention_protection": false})

	return []providertest.Registration{atCards, documented, guarded, atOrders, atLedger, guardedLedger}
}
