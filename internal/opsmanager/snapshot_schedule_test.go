package opsmanager_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

// wholeScheduleJSON is a schedule with all fields; wholeSchedule returns the same one.
const wholeScheduleJSON = `{
	"groupId": "64f0c2a19b3d5e7f80a1b2c3",
	"clusterId": "650a1f3c2e4b6d8091a3b5c7",
	"snapshotIntervalHours": 6,
	"snapshotRetentionDays": 2,
	"dailySnapshotRetentionDays": 0,
	"weeklySnapshotRetentionWeeks": 4,
	"monthlySnapshotRetentionMonths": 13,
	"pointInTimeWindowHours": 24,
	"clusterCheckpointIntervalMin": 15,
	"referenceHourOfDay": 3,
	"referenceMinuteOfHour": 30,
	"referenceTimeZoneOffset": "+0000",
	"fullIncrementalDayOfWeek": "TUESDAY"
}`

func wholeSchedule() opsmanager.SnapshotSchedule {
	return opsmanager.SnapshotSchedule{
		GroupID:                        payments,
		ClusterID:                      ledger,
		SnapshotIntervalHours:          new(int64(6)),
		SnapshotRetentionDays:          new(int64(2)),
		DailySnapshotRetentionDays:     new(int64(0)),
		WeeklySnapshotRetentionWeeks:   new(int64(4)),
		MonthlySnapshotRetentionMonths: new(int64(13)),
		PointInTimeWindowHours:         new(int64(24)),
		ClusterCheckpointIntervalMin:   new(int64(15)),
		ReferenceHourOfDay:             new(int64(3)),
		ReferenceMinuteOfHour:          new(int64(30)),
		ReferenceTimeZoneOffset:        new("+0000"),
		FullIncrementalDayOfWeek:       new("TUESDAY"),
	}
}

func TestEveryFieldOfAScheduleIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.Method + " " + r.RequestURI
		answerOK(w, wholeScheduleJSON)
	})
	got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
	succeed(t, err)
	if !reflect.DeepEqual(*got, wholeSchedule()) {
		t.Errorf("got %+v", *got)
	}
	equal(t, "request", requested, "GET "+basePath+"/groups/"+payments+"/backupConfigs/"+ledger+"/snapshotSchedule")
}

func TestMissingFieldsOfAScheduleAreNil(t *testing.T) {
	t.Parallel()
	client, _ := emulateWith(t, emulator.Options{OmitFields: []string{"referenceHourOfDay", "clusterCheckpointIntervalMin", "fullIncrementalDayOfWeek"}})
	got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
	succeed(t, err)
	if got.ReferenceHourOfDay != nil || got.ClusterCheckpointIntervalMin != nil || got.FullIncrementalDayOfWeek != nil || got.ReferenceMinuteOfHour == nil {
		t.Errorf("got %+v", *got)
	}
}

func TestUpdateSendsOnlyTheFieldsThatAreSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change opsmanager.SnapshotSchedule
		want   string
	}{
		{"nothing", opsmanager.SnapshotSchedule{}, `{}`},
		{"one", opsmanager.SnapshotSchedule{ReferenceHourOfDay: new(int64(5))}, `{"referenceHourOfDay":5}`},
		{"zeros", opsmanager.SnapshotSchedule{
			DailySnapshotRetentionDays: new(int64(0)), WeeklySnapshotRetentionWeeks: new(int64(0)), MonthlySnapshotRetentionMonths: new(int64(0)),
			PointInTimeWindowHours: new(int64(0)), ReferenceHourOfDay: new(int64(0)), ReferenceMinuteOfHour: new(int64(0)),
		}, `{"dailySnapshotRetentionDays":0,"weeklySnapshotRetentionWeeks":0,"monthlySnapshotRetentionMonths":0,` +
			`"pointInTimeWindowHours":0,"referenceHourOfDay":0,"referenceMinuteOfHour":0}`},
		{"everything", wholeSchedule(), strings.NewReplacer("\n", "", "\t", "", ": ", ":", `, "`, `,"`).Replace(wholeScheduleJSON)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var method, body string
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				method, body = r.Method, read(t, r)
				answerOK(w, wholeScheduleJSON)
			})
			got, err := client.UpdateSnapshotSchedule(t.Context(), payments, ledger, test.change)
			succeed(t, err)
			equal(t, "method", method, http.MethodPatch)
			equal(t, "body", body, test.want)
			if !reflect.DeepEqual(*got, wholeSchedule()) {
				t.Errorf("got %+v", *got)
			}
		})
	}
}

func TestUpdateReturnsTheScheduleOfOpsManager(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	got, err := client.UpdateSnapshotSchedule(t.Context(), payments, ledger, opsmanager.SnapshotSchedule{
		SnapshotIntervalHours:   new(int64(6)),
		ReferenceHourOfDay:      new(int64(1)),
		ReferenceTimeZoneOffset: new("+0200"),
	})
	succeed(t, err)
	equal(t, "interval", *got.SnapshotIntervalHours, 6)
	equal(t, "retention, limited by the interval", *got.SnapshotRetentionDays, 5)
	equal(t, "hour in UTC", *got.ReferenceHourOfDay, 23)
	equal(t, "offset", *got.ReferenceTimeZoneOffset, "+0000")
	equal(t, "stored interval", service.Schedule(payments, ledger)["snapshotIntervalHours"], any(6.0))
}

func TestScheduleIsReadWithAnEmptyUpdateIfGetIsMissing(t *testing.T) {
	t.Parallel()
	const known = "GET PATCH{} PATCH{}" // the second read does not try GET
	for name, test := range map[string]struct {
		refusal   func(w http.ResponseWriter)
		requested string
	}{
		"405":                {func(w http.ResponseWriter) { answer(w, http.StatusMethodNotAllowed, "", "") }, known},
		"501":                {func(w http.ResponseWriter) { answer(w, http.StatusNotImplemented, "text/html", "<html>") }, known},
		"RESOURCE_NOT_FOUND": {func(w http.ResponseWriter) { answer(w, 404, "", `{"error":404,"errorCode":"RESOURCE_NOT_FOUND"}`) }, known},
		// A restarting proxy may return these, so the next read tries GET again.
		"a page": {func(w http.ResponseWriter) { answer(w, http.StatusNotFound, "text/html", "<title>404</title>") }, "GET PATCH{} GET PATCH{}"},
		"a gateway's 404": {func(w http.ResponseWriter) {
			answer(
				w, 404, "application/json", `{"error":404,"message":"no route"}`,
			)
		}, "GET PATCH{} GET PATCH{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requested []string
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requested = append(requested, r.Method+read(t, r))
				if r.Method == http.MethodGet {
					test.refusal(w)
					return
				}
				answerOK(w, wholeScheduleJSON)
			})
			for range 2 {
				got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
				succeed(t, err)
				if !reflect.DeepEqual(*got, wholeSchedule()) {
					t.Errorf("got %+v", *got)
				}
			}
			equal(t, "requests", strings.Join(requested, " "), test.requested)
		})
	}
}

func TestFailedReadIsNotFollowedByAnUpdate(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(w http.ResponseWriter){
		"gone":         func(w http.ResponseWriter) { answer(w, 404, "", `{"error":404,"errorCode":"BACKUP_CONFIG_NOT_FOUND"}`) },
		"no code":      func(w http.ResponseWriter) { answer(w, 404, "", `{"error":404,"detail":"No schedule."}`) },
		"malformed id": func(w http.ResponseWriter) { answer(w, 404, "", `{"error":404,"errorCode":"INVALID_CLUSTER_ID"}`) },
		"inactive":     func(w http.ResponseWriter) { answer(w, 409, "", `{"error":409,"errorCode":"X"}`) },
		"no rights":    func(w http.ResponseWriter) { answer(w, 403, "", "") },
		"broken":       func(w http.ResponseWriter) { answer(w, 500, "", "") },
		"not JSON":     func(w http.ResponseWriter) { answer(w, 200, "", "<html>") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requested []string
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				requested = append(requested, r.Method)
				refuse(w)
			})
			for range 2 {
				if ledgerSchedule(t.Context(), client) == nil {
					t.Error("the response was accepted")
				}
			}
			equal(t, "requests", strings.Join(requested, " "), "GET GET")
		})
	}
}

func TestReadOnlyKeyIsNotBlamedForAProxyPage(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(w, http.StatusNotFound, "text/html", "<title>Down for maintenance</title>")
			return
		}
		answer(w, http.StatusForbidden, "", `{"error":403,"errorCode":"USER_UNAUTHORIZED"}`)
	}, retries(0))
	e := wantError(t, ledgerSchedule(t.Context(), client))
	equal(t, "method", e.Method, http.MethodGet)
	equal(t, "status", e.Status, http.StatusNotFound)
}

func TestScheduleIsReadWithGetAgainAfterAFailedUpdate(t *testing.T) {
	t.Parallel()
	var requested []string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = append(requested, r.Method)
		answer(w, http.StatusNotFound, "text/html", "<title>Down for maintenance</title>")
	})
	for range 2 {
		err := ledgerSchedule(t.Context(), client)
		if opsmanager.IsMissing(err, opsmanager.ObjectSchedule) {
			t.Errorf("a proxy's page does not mean that the schedule is gone: %v", err)
		}
		equal(t, "status", wantError(t, err).Status, http.StatusNotFound)
	}
	equal(t, "requests", strings.Join(requested, " "), "GET PATCH GET PATCH")
}

func TestDocumentedOperationsAreEnough(t *testing.T) {
	t.Parallel()
	client, service := emulateWith(t, emulator.Options{Profile: emulator.Documented})
	before := service.Schedule(payments, ledger)
	got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
	succeed(t, err)
	equal(t, "cluster", got.ClusterID, ledger)
	equal(t, "retention", *got.SnapshotRetentionDays, 20)
	if !reflect.DeepEqual(service.Schedule(payments, ledger), before) {
		t.Error("reading changed the schedule")
	}
	_, err = client.SnapshotSchedule(t.Context(), payments, nowhere)
	if !opsmanager.IsMissing(err, opsmanager.ObjectCluster) {
		t.Errorf("want 'missing', got %v", err)
	}
	_, err = client.DeploymentRegion(t.Context(), "NY_NJ")
	if !opsmanager.IsUnsupported(err) {
		t.Errorf("want 'unsupported', got %v", err)
	}
	service.SetRegion("FREE", nil)
	succeed(t, client.DeleteDeploymentRegion(t.Context(), "FREE"))
}
