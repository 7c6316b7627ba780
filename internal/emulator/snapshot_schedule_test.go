package emulator_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// patchSchedule updates a schedule of the first project.
func (c *client) patchSchedule(cluster, body string) response {
	c.t.Helper()
	return c.patch(schedulePath(payments, cluster), body)
}

// changed returns the fields that differ between two schedules.
func changed(before, after object) object {
	differ := object{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after))) {
		if !reflect.DeepEqual(before[name], after[name]) {
			differ[name] = after[name]
		}
	}
	return differ
}

func TestWholeScheduleIsReturned(t *testing.T) {
	t.Parallel()
	c := start(t)
	want := object{
		"groupId": payments, "clusterId": cards, "clusterCheckpointIntervalMin": 0.0,
		"snapshotIntervalHours": 6.0, "snapshotRetentionDays": 2.0, "dailySnapshotRetentionDays": 7.0, "weeklySnapshotRetentionWeeks": 4.0,
		"monthlySnapshotRetentionMonths": 13.0, "pointInTimeWindowHours": 24.0, "referenceHourOfDay": 3.0, "referenceMinuteOfHour": 0.0,
		"referenceTimeZoneOffset": "+0000", "fullIncrementalDayOfWeek": "TUESDAY",
	}
	returned := c.get(schedulePath(payments, cards)).ok(t)
	group := c.url + emulator.BasePath + inPayments
	if links := relations(returned); !reflect.DeepEqual(links, map[string]string{
		"self":                                  group + "/backupConfigs/" + cards + "/snapshotSchedule",
		"http://cloud.mongodb.com/cluster":      group + "/clusters/" + cards,
		"http://cloud.mongodb.com/backupConfig": group + "/backupConfigs/" + cards,
	}) {
		t.Errorf("links %v", links)
	}
	want["links"] = returned["links"]
	equal(t, returned, want)
	// An empty PATCH returns the schedule.
	equal(t, c.patchSchedule(cards, `{}`).ok(t), want)
	equal(t, c.get(schedulePath(payments, orders)).ok(t)["clusterCheckpointIntervalMin"], 30.0)
}

func TestPatchChangesOnlyTheFieldsThatAreSent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]object{
		`{}`:                                 {},
		`{"links":[]}`:                       {},
		`{"groupId":"` + payments + `"}`:     {},
		`{"clusterId":"` + orders + `"}`:     {},
		`{"snapshotIntervalHours":6}`:        {"snapshotIntervalHours": 6.0},
		`{"snapshotIntervalHours":12}`:       {"snapshotIntervalHours": 12.0},
		`{"snapshotIntervalHours":24}`:       {"snapshotIntervalHours": 24.0},
		`{"snapshotRetentionDays":2}`:        {"snapshotRetentionDays": 2.0},
		`{"snapshotRetentionDays":5}`:        {"snapshotRetentionDays": 5.0},
		`{"dailySnapshotRetentionDays":0}`:   {"dailySnapshotRetentionDays": 0.0},
		`{"dailySnapshotRetentionDays":360}`: {"dailySnapshotRetentionDays": 360.0},
		`{"weeklySnapshotRetentionWeeks":0,"monthlySnapshotRetentionMonths":0}`: {"weeklySnapshotRetentionWeeks": 0.0, "monthlySnapshotRetentionMonths": 0.0},
		`{"weeklySnapshotRetentionWeeks":52,"monthlySnapshotRetentionMonths":36}`: {
			"weeklySnapshotRetentionWeeks": 52.0, "monthlySnapshotRetentionMonths": 36.0,
		},
		`{"pointInTimeWindowHours":0}`:                            {"pointInTimeWindowHours": 0.0},
		`{"clusterCheckpointIntervalMin":15}`:                     {"clusterCheckpointIntervalMin": 15.0},
		`{"clusterCheckpointIntervalMin":60}`:                     {"clusterCheckpointIntervalMin": 60.0},
		`{"referenceHourOfDay":0,"referenceMinuteOfHour":0}`:      {"referenceHourOfDay": 0.0, "referenceMinuteOfHour": 0.0},
		`{"referenceHourOfDay":23,"referenceMinuteOfHour":59}`:    {"referenceHourOfDay": 23.0, "referenceMinuteOfHour": 59.0},
		`{"fullIncrementalDayOfWeek":"SATURDAY"}`:                 {"fullIncrementalDayOfWeek": "SATURDAY"},
		`{"snapshotIntervalHours":24,"snapshotRetentionDays":30}`: {"snapshotIntervalHours": 24.0, "snapshotRetentionDays": 30.0},
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			before := c.service.Schedule(payments, orders)
			returned := c.patchSchedule(orders, body).ok(t)
			equal(t, changed(before, c.service.Schedule(payments, orders)), want)
			equal(t, c.get(schedulePath(payments, orders)).ok(t), returned)
			for name, value := range want {
				equal(t, returned[name], value)
			}
		})
	}
}

func TestPatchRejectsInvalidValues(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, test := range []struct{ cluster, field, code string }{
		{orders, `"snapshotIntervalHours":7`, "INVALID_SNAPSHOT_INTERVAL"},
		{orders, `"snapshotIntervalHours":0`, "INVALID_SNAPSHOT_INTERVAL"},
		{orders, `"snapshotRetentionDays":1`, "INVALID_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"snapshotRetentionDays":6`, "INVALID_SNAPSHOT_RETENTION_PERIOD"},
		{ledger, `"snapshotRetentionDays":31`, "INVALID_SNAPSHOT_RETENTION_PERIOD"},
		{ledger, `"snapshotRetentionDays":6,"snapshotIntervalHours":12`, "INVALID_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"dailySnapshotRetentionDays":1`, "INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"dailySnapshotRetentionDays":365`, "INVALID_DAILY_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"weeklySnapshotRetentionWeeks":53`, "INVALID_WEEKLY_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"weeklySnapshotRetentionWeeks":-1`, "INVALID_WEEKLY_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"monthlySnapshotRetentionMonths":37`, "INVALID_MONTHLY_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"monthlySnapshotRetentionMonths":-1`, "INVALID_MONTHLY_SNAPSHOT_RETENTION_PERIOD"},
		{orders, `"pointInTimeWindowHours":-1`, "ATTRIBUTE_NEGATIVE"},
		{orders, `"clusterCheckpointIntervalMin":45`, "INVALID_CLUSTER_CHECKPOINT_INTERVAL"},
		{orders, `"clusterCheckpointIntervalMin":0`, "INVALID_CLUSTER_CHECKPOINT_INTERVAL"},
		{ledger, `"clusterCheckpointIntervalMin":15`, "CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET"},
		{ledger, `"clusterCheckpointIntervalMin":0`, "CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET"},
		{orders, `"referenceHourOfDay":24`, "INVALID_REFERENCE_HOUR_OF_DAY"},
		{orders, `"referenceHourOfDay":-1`, "INVALID_REFERENCE_HOUR_OF_DAY"},
		{orders, `"referenceMinuteOfHour":60`, "INVALID_REFERENCE_MINUTE_OF_HOUR"},
		{orders, `"referenceTimeZoneOffset":"UTC"`, "INVALID_REFERENCE_TIMEZONE_OFFSET"},
		{orders, `"referenceTimeZoneOffset":""`, "INVALID_REFERENCE_TIMEZONE_OFFSET"},
		{orders, `"referenceTimeZoneOffset":"0200"`, "INVALID_REFERENCE_TIMEZONE_OFFSET"},
		{orders, `"referenceTimeZoneOffset":"+02:"`, "INVALID_REFERENCE_TIMEZONE_OFFSET"},
		{orders, `"referenceTimeZoneOffset":"+1900"`, "INVALID_REFERENCE_TIMEZONE_OFFSET"},
		{orders, `"referenceTimeZoneOffset":"+0260"`, "INVALID_REFERENCE_TIMEZONE_OFFSET"},
		{orders, `"w":1,"z":1,"y":1,"x":1`, "INVALID_ATTRIBUTE"},
		{orders, `"fullIncrementalDayOfWeek":"tuesday"`, "INVALID_ENUM_VALUE"},
		{orders, `"fullIncrementalDayOfWeek":""`, "INVALID_ENUM_VALUE"},
		{orders, `"snapshotInterval":6`, "INVALID_ATTRIBUTE"},
		{orders, `"statusName":"STARTED"`, "INVALID_ATTRIBUTE"},
		{orders, `"SnapshotIntervalHours":6`, "INVALID_ATTRIBUTE"},
		{orders, `"groupId":"` + nowhere + `"`, "GROUP_MISMATCH"},
		{orders, `"clusterId":"` + shard + `"`, "GROUP_MISMATCH"},
		{orders, `"snapshotIntervalHours":"6"`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"snapshotIntervalHours":6.5`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"snapshotIntervalHours":null`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"snapshotIntervalHours":[6]`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"snapshotIntervalHours":99999999999999999999`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"fullIncrementalDayOfWeek":2`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"referenceTimeZoneOffset":0`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"groupId":7`, "INVALID_JSON_ATTRIBUTE"},
		{orders, `"links":{}`, "INVALID_JSON_ATTRIBUTE"},
	} {
		before := c.service.Schedule(payments, test.cluster)
		// Valid fields that sort before and after the invalid one are not stored either.
		first, last := `"dailySnapshotRetentionDays":90`, `"weeklySnapshotRetentionWeeks":50`
		if strings.Contains(test.field, "daily") || strings.Contains(test.field, "weekly") {
			first, last = `"clusterCheckpointIntervalMin":15`, `"snapshotIntervalHours":6`
		}
		got := c.patchSchedule(test.cluster, "{"+first+","+test.field+","+last+"}")
		got.refused(t, 400, test.code)
		if got := changed(before, c.service.Schedule(payments, test.cluster)); len(got) > 0 {
			t.Errorf("%s: changed %v", test.field, got)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(test.field, `"`), `"`)
		if !strings.Contains(fmt.Sprint(got.document["detail"]), name) {
			t.Errorf("the response does not have %s: %s", name, got.body)
		}
	}
}

func TestPatchAcceptsTheDocumentedNumbers(t *testing.T) {
	t.Parallel()
	upTo := func(low, high int) []int {
		var numbers []int
		for n := low; n <= high; n++ {
			numbers = append(numbers, n)
		}
		return numbers
	}
	for name, want := range map[string][]int{
		"snapshotIntervalHours":          {6, 8, 12, 24},
		"snapshotRetentionDays":          upTo(2, 30),
		"dailySnapshotRetentionDays":     {0, 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360},
		"weeklySnapshotRetentionWeeks":   upTo(0, 52),
		"monthlySnapshotRetentionMonths": upTo(0, 36),
		"clusterCheckpointIntervalMin":   {15, 30, 60},
		"referenceHourOfDay":             upTo(0, 23),
		"referenceMinuteOfHour":          upTo(0, 59),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := emulator.New(emulator.Options{Challenge: "none"})
			service.SetSchedule(payments, orders, object{"snapshotIntervalHours": 24})
			c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
			path := emulator.BasePath + schedulePath(payments, orders)
			var authorization string
			patch := func(n int) *httptest.ResponseRecorder {
				request := httptest.NewRequest(http.MethodPatch, path, strings.NewReader(fmt.Sprintf(`{"%s":%d}`, name, n)))
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", authorization)
				recorder := httptest.NewRecorder()
				service.ServeHTTP(recorder, request)
				return recorder
			}
			authorization = c.authorize(http.MethodPatch, path, patch(0).Header(), 1)
			var got []int
			for n := -1; n <= slices.Max(want)+10; n++ {
				switch code := patch(n).Code; code {
				case http.StatusOK:
					got = append(got, n)
				case http.StatusBadRequest:
				default:
					t.Fatalf("%d: status %d", n, code)
				}
			}
			equal(t, got, want)
		})
	}
}

func TestPatchAcceptsEveryWeekday(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, day := range []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"} {
		equal(t, c.patchSchedule(ledger, `{"fullIncrementalDayOfWeek":"`+day+`"}`).ok(t)["fullIncrementalDayOfWeek"], day)
	}
}

func TestPatchRequiresAnObject(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, body := range []string{` `, `null`, `[]`, `"x"`, `{`, `{"snapshotIntervalHours":6`, `{"snapshotIntervalHours":6}}`, `{} {}`, `{'a':1}`} {
		c.patchSchedule(ledger, body).refused(t, 400, "INVALID_JSON")
	}
}

func TestTimeOfDayIsStoredInUTC(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		body         string
		hour, minute float64
	}{
		{`{"referenceHourOfDay":5,"referenceTimeZoneOffset":"+0200"}`, 3, 30},
		{`{"referenceHourOfDay":5,"referenceTimeZoneOffset":"+02:00"}`, 3, 30},
		{`{"referenceHourOfDay":5,"referenceTimeZoneOffset":"+02"}`, 3, 30},
		{`{"referenceHourOfDay":5,"referenceTimeZoneOffset":"+0000"}`, 5, 30},
		{`{"referenceHourOfDay":5,"referenceTimeZoneOffset":"-0000"}`, 5, 30},
		{`{"referenceHourOfDay":5,"referenceTimeZoneOffset":"Z"}`, 5, 30},
		{`{"referenceHourOfDay":1,"referenceTimeZoneOffset":"+0200"}`, 23, 30},
		{`{"referenceHourOfDay":22,"referenceTimeZoneOffset":"-0500"}`, 3, 30},
		{`{"referenceHourOfDay":5,"referenceMinuteOfHour":15,"referenceTimeZoneOffset":"+0530"}`, 23, 45},
		{`{"referenceHourOfDay":0,"referenceMinuteOfHour":0,"referenceTimeZoneOffset":"+1800"}`, 6, 0},
		{`{"referenceHourOfDay":23,"referenceMinuteOfHour":59,"referenceTimeZoneOffset":"-1800"}`, 17, 59},
		{`{"referenceHourOfDay":5,"referenceTimeZoneOffset":"+0059"}`, 4, 31},
		// An offset on its own moves the stored time, which is 02:30.
		{`{"referenceTimeZoneOffset":"+0100"}`, 1, 30},
		{`{"referenceMinuteOfHour":10,"referenceTimeZoneOffset":"+0100"}`, 1, 10},
		{`{"referenceTimeZoneOffset":"Z"}`, 2, 30},
		{`{"referenceHourOfDay":7}`, 7, 30},
	} {
		c := start(t)
		got := c.patchSchedule(ledger, test.body).ok(t)
		if got["referenceHourOfDay"] != test.hour || got["referenceMinuteOfHour"] != test.minute || got["referenceTimeZoneOffset"] != "+0000" ||
			got["fullIncrementalDayOfWeek"] != "SUNDAY" {
			t.Errorf(
				"%s: %v:%v %v %v", test.body, got["referenceHourOfDay"], got["referenceMinuteOfHour"], got["referenceTimeZoneOffset"],
				got["fullIncrementalDayOfWeek"],
			)
		}
	}
}

func TestMissingTimeOfDayStaysMissing(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.SetSchedule(payments, ledger, object{"referenceHourOfDay": nil, "referenceMinuteOfHour": nil})
	for _, step := range []struct {
		body         string
		hour, minute any
	}{
		{`{"referenceTimeZoneOffset":"+0200"}`, nil, nil},
		{`{"referenceTimeZoneOffset":"+0200","referenceHourOfDay":5}`, 3.0, nil},
		{`{"referenceTimeZoneOffset":"+0530","referenceHourOfDay":5}`, 23.0, 30.0},
	} {
		c.patchSchedule(ledger, step.body).ok(t)
		if got := c.service.Schedule(payments, ledger); got["referenceHourOfDay"] != step.hour || got["referenceMinuteOfHour"] != step.minute ||
			got["referenceTimeZoneOffset"] != "+0000" {
			t.Errorf("%s: %v", step.body, got)
		}
	}
}

func TestScheduleOfAShardIsRejectedWithTheIDOfItsCluster(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, got := range []response{c.patchSchedule(shard, `{"snapshotIntervalHours":6}`), c.get(schedulePath(payments, shard))} {
		got.refused(t, 409, "CANNOT_MODIFY_SHARD_BACKUP_CONFIG")
		if !strings.Contains(fmt.Sprint(got.document["detail"]), orders) {
			t.Errorf("the response does not have the cluster: %s", got.body)
		}
	}
}

func TestScheduleOfAnInactiveBackupIsNotAvailable(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, got := range []response{c.patchSchedule(reports, `{}`), c.get(schedulePath(payments, reports))} {
		got.refused(t, 409, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE")
	}
	c.service.SetBackupConfig(payments, reports, object{"statusName": "STOPPED"})
	c.patchSchedule(reports, `{"snapshotIntervalHours":6}`).ok(t)

	c = startWith(t, emulator.Unknowns{InactiveSchedule: http.StatusOK})
	c.get(schedulePath(payments, reports)).ok(t)
	c.patchSchedule(reports, `{}`).refused(t, 409, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE")
}
