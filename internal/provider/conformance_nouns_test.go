package provider_test

import (
	"slices"
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// This file has the registrations of the conformance suite.

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

var schedules = noun{
	typeName: scheduleType,
	ids:      []string{"project_id", "cluster_id"},
	id: func(v values) string {
		project, _ := v["project_id"].(string)
		cluster, _ := v["cluster_id"].(string)
		return strings.ToLower(project + "/" + cluster)
	},
	attributes: scheduleAttributes,
	fields:     fieldsOfSchedule,
	settings:   []string{"prevent_retention_decrease"},

	retentions: []string{"snapshotRetentionDays", "dailySnapshotRetentionDays", "weeklySnapshotRetentionWeeks", "monthlySnapshotRetentionMonths", "pointInTimeWindowHours"},
	guard:      "prevent_retention_decrease",
	couple: func(held, wanted map[string]any) map[string]any {
		interval, isWanted := number(wanted["snapshotIntervalHours"])
		days, _ := number(held["snapshotRetentionDays"])
		if isWanted && interval < 24 && days > 5 && wanted["snapshotRetentionDays"] == nil {
			return map[string]any{"snapshotRetentionDays": 5}
		}
		return nil
	},

	creatable: func(_ values, live map[string]any) bool { return live != nil },
	pending: map[string]answer{
		"no cluster":       says(404, `{"error": 404, "reason": "Not Found", "errorCode": "CLUSTER_NOT_FOUND", "detail": "None."}`, "Content-Type", "application/json"),
		"no configuration": says(404, `{"error": 404, "reason": "Not Found", "errorCode": "BACKUP_CONFIG_NOT_FOUND", "detail": "None."}`, "Content-Type", "application/json"),
		"an inactive one":  says(409, `{"error": 409, "reason": "Conflict", "errorCode": "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE", "detail": "None."}`, "Content-Type", "application/json"),
	},
	deletes:  func(values) bool { return false },
	protects: func(values) bool { return false },

	objects: []string{payments + "/" + cards, payments + "/" + ledger, payments + "/" + orders},
	object: func(s *testService, id string) map[string]any {
		project, cluster, _ := strings.Cut(id, "/")
		return s.Schedule(project, cluster)
	},
	click: func(s *testService, id string, fields map[string]any) {
		project, cluster, _ := strings.Cut(id, "/")
		s.SetSchedule(project, cluster, fields)
	},
	remove: func(s *testService, id string) {
		project, cluster, _ := strings.Cut(id, "/")
		s.RemoveCluster(project, cluster)
	},
	called: func(id string) string { return id[strings.Index(id, "/")+1:] },
}

// fieldsOfSchedule converts the time of day to UTC, as the service has it.
func fieldsOfSchedule(v values) map[string]any {
	found := map[string]any{}
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

// minutesEast reads an ISO 8601 offset; none is UTC.
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

func scheduleRegistrations() []registration {
	atCards := registration{
		noun: schedules,
		name: "the schedule of cards",
		config: schedule(cards, values{
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
		changes: []values{
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
			{"prevent_retention_decrease": true},
		},
		clicks: []map[string]any{
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
		elsewhere:  values{"cluster_id": ledger},
		spellings:  []values{{"cluster_id": strings.ToUpper(cards)}, {"project_id": strings.ToUpper(payments)}},
		misspelled: []string{cards, payments + "/" + cards + "/" + cards, payments + "/" + cards + "/", " " + payments + "/" + cards, payments + "/" + cards + "\n", payments + " / " + cards, payments + "/cards", "/"},
		missing:    payments + "/" + strings.Repeat("f", 24),
	}

	documented := atCards
	documented.name = "the schedule of cards, on a service with four operations"
	documented.options = emulator.Options{Profile: emulator.Documented}
	documented.changes, documented.clicks = atCards.changes[2:5], atCards.clicks[4:6]

	guarded := atCards
	guarded.name = "the guarded schedule of cards"
	guarded.config = with(atCards.config, values{"prevent_retention_decrease": true})
	guarded.changes = []values{
		{"snapshot_interval_hours": 8},
		{"snapshot_retention_days": 4},
		{"snapshot_retention_days": 2},
		{"daily_snapshot_retention_days": 30},
		{"daily_snapshot_retention_days": 7},
		{"point_in_time_window_hours": 48},
		{"reference_hour_of_day": 6},
		{"prevent_retention_decrease": false},
	}
	guarded.clicks = []map[string]any{
		{"snapshotIntervalHours": 12},
		{"snapshotRetentionDays": 5},
		{"dailySnapshotRetentionDays": 60},
		{"dailySnapshotRetentionDays": 3},
		{"weeklySnapshotRetentionWeeks": 12},
		{"pointInTimeWindowHours": 72},
		{"referenceHourOfDay": 9},
	}

	atOrders := atCards
	atOrders.name = "the schedule of orders, sharded and far from UTC"
	atOrders.config = schedule(orders, values{
		"daily_snapshot_retention_days": 30,
		"reference_hour_of_day":         5,
		"reference_time_zone_offset":    "+02:00",
	})
	atOrders.changes = []values{
		{"daily_snapshot_retention_days": 60},
		{"daily_snapshot_retention_days": 15},
		{"reference_hour_of_day": 6},
		{"reference_time_zone_offset": "-11"},
		{"reference_minute_of_hour": 20},
		{"weekly_snapshot_retention_weeks": 8},
		{"cluster_checkpoint_interval_min": 15},
		{"prevent_retention_decrease": true},
	}
	atOrders.clicks = []map[string]any{
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
	atOrders.spellings = []values{{"cluster_id": strings.ToUpper(orders)}, {"reference_hour_of_day": 3, "reference_time_zone_offset": "Z"}, {"reference_time_zone_offset": "+02"}}
	atOrders.misspelled = nil

	atLedger := atCards
	atLedger.name = "the schedule of ledger, whose recent snapshots follow its interval"
	atLedger.config = schedule(ledger, values{"snapshot_interval_hours": 24, "weekly_snapshot_retention_weeks": 8})
	atLedger.changes = []values{
		{"snapshot_interval_hours": 12},
		{"snapshot_retention_days": 25},
		{"snapshot_retention_days": 15},
		{"weekly_snapshot_retention_weeks": 12},
		{"weekly_snapshot_retention_weeks": 4},
		{"prevent_retention_decrease": true},
	}
	atLedger.clicks = []map[string]any{
		{"snapshotRetentionDays": 30},
		{"snapshotRetentionDays": 10},
		{"weeklySnapshotRetentionWeeks": 20},
		{"weeklySnapshotRetentionWeeks": 1},
	}
	atLedger.elsewhere = values{"cluster_id": cards}
	atLedger.spellings, atLedger.misspelled = nil, nil

	guardedLedger := atLedger
	guardedLedger.name = "the guarded schedule of ledger, whose recent snapshots follow its interval"
	guardedLedger.config = with(atLedger.config, values{"prevent_retention_decrease": true})
	guardedLedger.changes = append(slices.Clone(atLedger.changes[:len(atLedger.changes)-1]), values{"prevent_retention_decrease": false})

	return []registration{atCards, documented, guarded, atOrders, atLedger, guardedLedger}
}

// elsewhere is a region that does not exist at first.
const elsewhereRegion = "ELSEWHERE"

var regionAttributes = map[string]string{
	"deploymentDescription": "deployment_description",
	"ingestionEndpoint":     "ingestion_endpoint",
	"restoreEndpoint":       "restore_endpoint",
	"bqProxyEndpoint":       "bq_proxy_endpoint",
	"assignmentEnabled":     "assignment_enabled",
}

var regions = noun{
	typeName: regionType,
	ids:      []string{"deployment_id"},
	id: func(v values) string {
		id, _ := v["deployment_id"].(string)
		return id
	},
	attributes: regionAttributes,
	fields:     fieldsOfRegion,
	settings:   []string{"adopt_existing", "deletion_protection", "skip_destroy"},
	couple:     func(map[string]any, map[string]any) map[string]any { return nil },

	creatable: func(config values, live map[string]any) bool {
		switch texts := len(fieldsOfRegion(with(config, values{"assignment_enabled": nil}))); texts {
		case 0:
			return live != nil
		case 4:
			return live == nil || config["adopt_existing"] == true
		}
		return false // described in part
	},
	deletes:  func(state values) bool { return state["skip_destroy"] != true && state["deletion_protection"] != true },
	protects: func(state values) bool { return state["deletion_protection"] == true },

	objects: []string{newYork, oceania, europe, "NEW", elsewhereRegion},
	object:  func(s *testService, id string) map[string]any { return s.Region(id) },
	click:   func(s *testService, id string, fields map[string]any) { s.SetRegion(id, fields) },
	remove:  func(s *testService, id string) { s.RemoveRegion(id) },
	called:  func(id string) string { return id },
}

func fieldsOfRegion(v values) map[string]any {
	found := map[string]any{}
	for field, attribute := range regionAttributes {
		if v[attribute] != nil {
			found[field] = v[attribute]
		}
	}
	return found
}

func regionRegistrations() []registration {
	made := registration{
		noun:   regions,
		name:   "a region that is created",
		config: region("NEW", nil),
		changes: []values{
			{"deployment_description": "Changed"},
			{"ingestion_endpoint": "https://changed.example.com:8443"},
			{"restore_endpoint": "https://changed.example.com:8444"},
			{"bq_proxy_endpoint": "changed.example.com:27217"},
			{"assignment_enabled": true},
			{"skip_destroy": true},
			{"deletion_protection": true},
			{"adopt_existing": true},
		},
		clicks: []map[string]any{
			{"deploymentDescription": "Clicked"},
			{"ingestionEndpoint": "https://clicked.example.com:8443"},
			{"restoreEndpoint": "https://clicked.example.com:8444"},
			{"bqProxyEndpoint": "clicked.example.com:27217"},
			{"assignmentEnabled": true},
		},
		created:    true,
		elsewhere:  values{"deployment_id": elsewhereRegion},
		misspelled: []string{""},
		missing:    "NOWHERE",
	}

	adopted := made
	adopted.name = "a region that is adopted as it is"
	adopted.config = values{"deployment_id": oceania}
	adopted.changes = []values{
		{"assignment_enabled": false},
		region(oceania, values{"deployment_description": "Changed"}),
		{"skip_destroy": true},
		{"deletion_protection": true},
	}
	adopted.clicks = slices.Clone(made.clicks)
	adopted.clicks[4] = map[string]any{"assignmentEnabled": false}
	adopted.created = false
	adopted.elsewhere = values{"deployment_id": europe}

	takenOver := adopted
	takenOver.name = "a region that is taken over"
	takenOver.config = region(oceania, values{"adopt_existing": true, "assignment_enabled": true})
	takenOver.changes = slices.Clone(made.changes)
	takenOver.changes[4] = values{"assignment_enabled": false}
	takenOver.changes[7] = values{"adopt_existing": nil}

	protected := made
	protected.brief = true
	protected.name = "a region that is protected"
	protected.config = with(made.config, values{"deletion_protection": true})
	protected.changes = slices.Clone(made.changes)
	protected.changes[6] = values{"deletion_protection": false}

	forgotten := made
	forgotten.brief = true
	forgotten.name = "a region that is forgotten"
	forgotten.config = with(made.config, values{"skip_destroy": true})
	forgotten.changes = slices.Clone(made.changes)
	forgotten.changes[5] = values{"skip_destroy": false}

	return []registration{made, adopted, takenOver, protected, forgotten}
}
