package opsmanager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

const (
	cards        = "650a1f8b5d7092a4c6e8f013"
	orders       = "650a2035b7d9f1e3a5c70924" // sharded
	heldSnapshot = "66b0c530c4d6e8f0a2b4c600" // of ledger

	restorePath = basePath + "/groups/" + payments + "/clusters/" + ledger + "/restoreJobs"
)

// aJob is a restore job with all documented fields.
const aJob = `{
	"id": "66d45311c4d6e8f0a2b4c7aa", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "650a1f3c2e4b6d8091a3b5c7", "clusterName": "ledger",
	"batchId": "66d45311c4d6e8f0a2b4c7ab", "snapshotId": "66b0c530c4d6e8f0a2b4c600", "created": "2025-09-01T10:00:00Z", "statusName": "FINISHED",
	"timestamp": {"date": "2025-08-01T02:30:03Z", "increment": 4}, "pointInTime": false, "encryptionEnabled": true, "masterKeyUUID": "7d1e",
	"delivery": {"methodName": "HTTP", "statusName": "READY", "url": "https://om.example.com/pull/s3cr3t.tar.gz", "expires": "2025-09-02T10:00:00Z", "expirationHours": 24, "maxDownloads": 2},
	"hashes": [{"typeName": "SHA1", "fileName": "x.tar.gz", "hash": "aa"}], "links": [{"rel": "self", "href": "https://om.example.com/x"}]
}`

var aRestoreJob = opsmanager.RestoreJob{
	ID: new("66d45311c4d6e8f0a2b4c7aa"), GroupID: new(payments), ClusterID: new(ledger), ClusterName: new("ledger"),
	BatchID: new("66d45311c4d6e8f0a2b4c7ab"), SnapshotID: new(heldSnapshot), Created: new("2025-09-01T10:00:00Z"), StatusName: new(opsmanager.RestoreFinished),
	Timestamp: &opsmanager.Timestamp{
		Date: new("2025-08-01T02:30:03Z"), Increment: new(int64(4)),
	}, PointInTime: new(false), EncryptionEnabled: new(true), MasterKeyUUID: new("7d1e"),
	Delivery: &opsmanager.RestoreDelivery{
		MethodName: new("HTTP"), StatusName: new("READY"), URL: new("https://om.example.com/pull/s3cr3t.tar.gz"), Expires: new("2025-09-02T10:00:00Z"),
		ExpirationHours: new(int64(24)), MaxDownloads: new(int64(2)),
	},
	Hashes: []opsmanager.RestoreHash{{TypeName: new("SHA1"), FileName: new("x.tar.gz"), Hash: new("aa")}},
	Links:  []opsmanager.Link{{Rel: "self", Href: "https://om.example.com/x"}},
}

func TestRestoreJobsAreListedByBatch(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, `{"results": [`+aJob+`, {}], "totalCount": 2}`)
	})
	got, err := client.ListRestoreJobs(t.Context(), payments, ledger, "", opsmanager.Page{})
	succeed(t, err)
	if want := []opsmanager.RestoreJob{aRestoreJob, {}}; !reflect.DeepEqual(got.Results, want) {
		t.Errorf("got %+v", got.Results)
	}
	equal(t, "request", requested, restorePath+"?itemsPerPage=500&pageNum=1")
	_, err = client.ListRestoreJobs(t.Context(), payments, ledger, "66d45311c4d6e8f0a2b4c7ab", opsmanager.Page{Number: 2})
	succeed(t, err)
	equal(t, "request", requested, restorePath+"?batchId=66d45311c4d6e8f0a2b4c7ab&pageNum=2")
}

func TestRestoreJobIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, aJob)
	})
	got, err := client.RestoreJob(t.Context(), payments, ledger, *aRestoreJob.ID)
	succeed(t, err)
	if !reflect.DeepEqual(*got, aRestoreJob) {
		t.Errorf("got %+v", got)
	}
	equal(t, "request", requested, restorePath+"/"+*aRestoreJob.ID)
	for _, ids := range [][2]string{{payments, nowhere}, {nowhere, *aRestoreJob.ID}} {
		if _, err := client.RestoreJob(t.Context(), ids[0], ledger, ids[1]); err == nil || !strings.Contains(err.Error(), opsmanager.ErrOtherObject.Error()) {
			t.Errorf("got %v", err)
		}
	}
	unbatched := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answerOK(w, strings.Replace(aJob, `"batchId": "66d45311c4d6e8f0a2b4c7ab", `, "", 1))
	})
	if _, err := unbatched.RestoreJob(t.Context(), payments, cards, *aRestoreJob.ID); err == nil || !strings.Contains(err.Error(), "clusterId") {
		t.Errorf("got %v", err)
	}
	if _, err := client.RestoreJob(t.Context(), payments, cards, *aRestoreJob.ID); err != nil {
		t.Errorf("a job of a batch: %v", err)
	}
	emulated, _ := emulate(t)
	if _, err := emulated.RestoreJob(t.Context(), payments, ledger, nowhere); !opsmanager.IsMissing(err, opsmanager.ObjectRestore) {
		t.Errorf("got %v", err)
	}
}

func TestRestoreRequestSendsOnlyTheFieldsThatAreSet(t *testing.T) {
	t.Parallel()
	automated := opsmanager.RestoreTarget{MethodName: opsmanager.AutomatedRestore, TargetGroupID: new(payments), TargetClusterID: new(cards)}
	const into = `"delivery":{"methodName":"AUTOMATED_RESTORE","targetGroupId":"` + payments + `","targetClusterId":"` + cards + `"}}`
	for _, test := range []struct {
		request opsmanager.RestoreRequest
		want    string
	}{
		{opsmanager.RestoreRequest{SnapshotID: new(heldSnapshot), Delivery: automated}, `{"snapshotId":"` + heldSnapshot + `",` + into},
		{opsmanager.RestoreRequest{PointInTimeUTCMillis: new(int64(1756607405000)), Delivery: automated}, `{"pointInTimeUTCMillis":1756607405000,` + into},
		{opsmanager.RestoreRequest{OplogTs: new("1756607405"), OplogInc: new(int64(0)), Delivery: automated}, `{"oplogTs":"1756607405","oplogInc":0,` + into},
		{
			opsmanager.RestoreRequest{
				SnapshotID: new("x"),
				Delivery:   opsmanager.RestoreTarget{MethodName: opsmanager.HTTPRestore, MaxDownloads: new(int64(1)), ExpirationHours: new(int64(2))},
			},
			`{"snapshotId":"x","delivery":{"methodName":"HTTP","maxDownloads":1,"expirationHours":2}}`,
		},
		{
			opsmanager.RestoreRequest{
				SnapshotID: new("x"),
				Delivery:   opsmanager.RestoreTarget{MethodName: opsmanager.HTTPRestore, MaxDownloads: new(int64(1)), Expires: new("2030-01-01T00:00:00Z")},
			},
			`{"snapshotId":"x","delivery":{"methodName":"HTTP","maxDownloads":1,"expires":"2030-01-01T00:00:00Z"}}`,
		},
	} {
		var sent, requested string
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent, requested = string(body), r.Method+" "+r.RequestURI
			answer(w, http.StatusCreated, "application/json", `{"results": [`+aJob+`]}`)
		})
		got, err := client.CreateRestoreJob(t.Context(), payments, ledger, test.request)
		succeed(t, err)
		if !reflect.DeepEqual(got, []opsmanager.RestoreJob{aRestoreJob}) {
			t.Errorf("got %+v", got)
		}
		equal(t, "body", sent, test.want)
		equal(t, "request", requested, "POST "+restorePath)
	}
}

func TestRestoreIsStartedOnceAndEndsOnTheEmulator(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	for _, request := range []opsmanager.RestoreRequest{
		{SnapshotID: new(heldSnapshot)},
		{PointInTimeUTCMillis: new(int64(1756607405000))},
		{OplogTs: new("1756607405"), OplogInc: new(int64(3))},
	} {
		request.Delivery = opsmanager.RestoreTarget{MethodName: opsmanager.AutomatedRestore, TargetGroupID: new(payments), TargetClusterID: new(cards)}
		jobs, err := client.CreateRestoreJob(t.Context(), payments, ledger, request)
		succeed(t, err)
		for range 3 {
			job, err := client.RestoreJob(t.Context(), payments, ledger, *jobs[0].ID)
			succeed(t, err)
			jobs[0] = *job
		}
		equal(t, "status", *jobs[0].StatusName, opsmanager.RestoreFinished)
	}
	equal(t, "jobs", len(service.RestoreJobs(payments, ledger)), 1+3) // one is in the seed
	if _, err := client.CreateRestoreJob(
		t.Context(), payments, ledger, opsmanager.RestoreRequest{SnapshotID: new(nowhere)},
	); wantError(t, err).Code != "SNAPSHOT_NOT_FOUND" {
		t.Errorf("got %v", err)
	}
}

func TestRestoreIsNeverRequestedTwice(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]http.HandlerFunc{
		"no response":   func(_ http.ResponseWriter, r *http.Request) { drop(r) },
		"503":           func(w http.ResponseWriter, _ *http.Request) { answer(w, 503, "", "") },
		"a login page":  func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "text/html", "<title>Sign in</title>") },
		"no jobs":       func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "application/json", `{"results": []}`) },
		"without an ID": func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "application/json", `{"results": [{}]}`) },
		"another project": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 200, "application/json", `{"results": [{"id": "x", "groupId": "`+nowhere+`"}]}`)
		},
	} {
		var attempts atomic.Int32
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			attempts.Add(1)
			fail(w, r)
		}, retries(3))
		jobs, err := client.CreateRestoreJob(t.Context(), payments, ledger, opsmanager.RestoreRequest{})
		if jobs != nil || opsmanager.MayHaveChanged(err) == (name == "a login page") {
			t.Errorf("%s: got %v, %v", name, jobs, err)
		}
		equal(t, name+": attempts", attempts.Load(), 1)
	}
}

// Ops Manager may validate a snapshot before it responds. The request can't be sent again.
func TestSlowRequestForARestoreOrASnapshotIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const timeout = 400 * time.Millisecond
		var attempts atomic.Int32
		slow := func(after time.Duration) *opsmanager.Client {
			attempts.Store(0)
			return newClient(t, "http://127.0.0.1:9", withoutNetwork(func(w http.ResponseWriter, r *http.Request) {
				attempts.Add(1)
				_, _ = io.Copy(io.Discard, r.Body)
				select {
				case <-time.After(after):
					body := `{"clusterName": "ledger"}`
					if strings.HasSuffix(r.URL.Path, "/restoreJobs") {
						body = `{"results": [{"id": "` + nowhere + `"}]}`
					}
					answer(w, 200, "application/json", body)
				case <-r.Context().Done():
				}
			}), retries(3), func(c *opsmanager.Config) { c.Timeout = timeout })
		}
		for name, call := range map[string]func(*opsmanager.Client) error{
			"a restore": func(c *opsmanager.Client) error {
				_, err := c.CreateRestoreJob(t.Context(), payments, ledger, opsmanager.RestoreRequest{})
				return err
			},
			"a snapshot": func(c *opsmanager.Client) error {
				_, err := c.TakeSnapshot(t.Context(), payments, ledger, 1)
				return err
			},
		} {
			if err := call(slow(3 * timeout)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			equal(t, name+": attempts", attempts.Load(), 1)
			if err := call(slow(time.Hour)); !opsmanager.MayHaveChanged(err) || opsmanager.IsWriteTimeout(err) ||
				!strings.Contains(err.Error(), "no response within 4s") {
				t.Errorf("%s: got %v", name, err)
			}
			equal(t, name+": attempts", attempts.Load(), 1)
		}
		if _, err := slow(3*timeout).ListRestoreJobs(t.Context(), payments, ledger, "", opsmanager.Page{}); err == nil ||
			!strings.Contains(err.Error(), "no response within 400ms") {
			t.Errorf("a list: got %v", err)
		}
	})
}

func TestLinksForDownloadsAreNotInErrors(t *testing.T) {
	t.Parallel()
	const link = "https://om.example.com/pull/s3cr3t,x.tar.gz"
	field := fmt.Sprintf(`"url": %q`, link)
	inJSON, err := json.Marshal("{" + field)
	succeed(t, err)
	document := func(fields string) string { return `{"error": STATUS, "errorCode": "X", ` + fields + `}` }
	for name, body := range map[string]string{
		"cut short":                     `{"results": [{"delivery": {` + field,
		"cut in the link":               `{"results": [{"delivery": {` + strings.TrimSuffix(field, `.tar.gz"`),
		"a wrong type":                  `{"results": [{` + field + `, "id": 1}]}`,
		"as a string":                   string(inJSON),
		"another name":                  `{"results": [{` + strings.Replace(field, "url", "URL", 1) + "}",
		"not a list":                    `{` + field + `, "results": {}}`,
		"a text":                        "Download it from " + link,
		"a page":                        `<html><body><a href="` + link + `">`,
		"a title":                       "<title>" + link + "</title>",
		"a line":                        "url=" + url.QueryEscape(link),
		"XML":                           "<url>" + strings.ReplaceAll(link, "/", "&#x2F;") + "</url>",
		"a detail":                      document(`"detail": "Download it from ` + link + `."`),
		"a detail with a path":          document(`"detail": "Download it from /pull/s3cr3t,x.tar.gz."`),
		"a detail with an escaped link": document(`"detail": "Download it from ` + url.QueryEscape(url.QueryEscape(url.QueryEscape(link))) + `."`),
		"a detail with HTML":            document(`"detail": "Download it from ` + strings.ReplaceAll(link, "/", "&amp;#47;") + `."`),
		"a reason":                      document(`"reason": "` + link + `"`),
		"a parameter":                   document(`"detail": "x", "parameters": ["` + link + `", {` + field + `}]`),
		"a code":                        `{"error": STATUS, "errorCode": "` + link + `"}`,
		"an ID":                         `{"results": [{"groupId": "` + link + `"}]}`,
		"an ID of a job":                `{"id": "` + link + `", "groupId": "` + payments + `"}`,
		"a header":                      "",
	} {
		for _, status := range []int{200, 302, 409, 500} {
			logged := ""
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				kind := "application/json"
				if body == "" {
					w.Header().Set("Location", link)
					w.Header().Set("X-MongoDB-Service-Version", "versionString="+link)
					kind = link
				}
				answer(w, status, kind, strings.ReplaceAll(body, "STATUS", fmt.Sprint(status)))
			}, func(c *opsmanager.Config) {
				c.Log = func(_ context.Context, _ string, fields ...map[string]any) { logged += fmt.Sprint(fields) }
			})
			_, started := client.CreateRestoreJob(t.Context(), payments, ledger, opsmanager.RestoreRequest{})
			_, listed := client.ListRestoreJobs(t.Context(), payments, ledger, "", opsmanager.Page{})
			_, read := client.RestoreJob(t.Context(), payments, ledger, nowhere)
			shown := logged
			for _, err := range []error{started, listed, read} {
				if err != nil { // some bodies are valid jobs
					shown += fmt.Sprintf("%v %+v\n", err, *wantError(t, err))
				}
			}
			if started == nil && listed == nil && read == nil || strings.Contains(shown, "s3cr3t") || logged == "" {
				t.Errorf("%s: got %s", name, shown)
			}
		}
	}
}

func TestErrorsOfRestoresQuoteWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error": 409, "detail": "Invalid restore point."}`:                                         "409 Conflict: Invalid restore point.",
		`{"error": 409, "errorCode": "CONCURRENT_RESTORES", "detail": "See https://om/pull/s3cr3t"}`: "409 Conflict (CONCURRENT_RESTORES): the detail is not shown, because it may quote a secret",
		`<title>Bad gateway</title>`:                                                                 `409 Conflict: the response was text/html: "Bad gateway"`,
		`<title>At /pull/s3cr3t</title>`:                                                             "409 Conflict: the response was text/html",
		`pull s3cr3t`:                                                                                "409 Conflict: the response was text/html",
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusConflict, "text/html; charset=utf-8", body)
		})
		_, err := client.CreateRestoreJob(t.Context(), payments, ledger, opsmanager.RestoreRequest{})
		_, got, _ := strings.Cut(wantError(t, err).Error(), ": ")
		equal(t, body, got, want)
	}
}

func TestTimeRangesAreReadWithARetry(t *testing.T) {
	t.Parallel()
	var sent []string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, r.Method+" "+r.RequestURI+" "+string(body))
		if len(sent) == 1 {
			answer(w, 503, "", "")
			return
		}
		answer(
			w, http.StatusOK, "application/json",
			`[{"start": {"date": "2025-08-31T17:15:02Z", "increment": 2}, "end": {"date": "2025-09-01T08:15:24Z", "increment": 1}, "snapshotId": "x", "shardCount": 2, "configServerType": "DEDICATED"}]`,
		)
	})
	got, err := client.RestorableTimeRanges(t.Context(), payments, ledger)
	succeed(t, err)
	want := []opsmanager.RestorableTimeRange{{
		Start: &opsmanager.Timestamp{
			Date: new("2025-08-31T17:15:02Z"), Increment: new(int64(2)),
		}, End: &opsmanager.Timestamp{Date: new("2025-09-01T08:15:24Z"), Increment: new(int64(1))},
		SnapshotID: new("x"), ShardCount: new(int64(2)), ConfigServerType: new("DEDICATED"),
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if request := "POST " + restorePath + "/restorableTimeRanges "; !reflect.DeepEqual(sent, []string{request, request}) {
		t.Errorf("sent %q", sent)
	}
}

func TestTimeRangesOfTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
	for cluster, want := range map[string]int{ledger: 2, orders: 1, cards: 0} {
		got, err := client.RestorableTimeRanges(t.Context(), payments, cluster)
		if err != nil || got == nil || len(got) != want {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if _, err := client.RestorableTimeRanges(t.Context(), payments, nowhere); !opsmanager.IsMissing(err, opsmanager.ObjectCluster) {
		t.Errorf("got %v", err)
	}
	old, _ := emulateWith(t, emulator.Options{ServiceVersion: "8.0.5"})
	if _, err := old.RestorableTimeRanges(t.Context(), payments, ledger); !opsmanager.IsUnsupported(err) {
		t.Errorf("got %v", err)
	}
	many := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, "application/json", "[{}"+strings.Repeat(",{}", 10_080)+"]")
	})
	if _, err := many.RestorableTimeRanges(t.Context(), payments, ledger); err == nil || !strings.Contains(err.Error(), "a cluster has 10081 ranges") {
		t.Errorf("got %v", err)
	}
	object := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "application/json", `{"results": []}`) })
	if got, err := object.RestorableTimeRanges(t.Context(), payments, ledger); err == nil {
		t.Errorf("got %v", got)
	}
}
