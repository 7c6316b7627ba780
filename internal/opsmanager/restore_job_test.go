package opsmanager_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, inList("{}"))
	})
	_, err := client.ListRestoreJobs(t.Context(), payments, ledger, "66d45311c4d6e8f0a2b4c7ab", opsmanager.Page{Number: 2})
	succeed(t, err)
	equal(t, "request", requested, basePath+ofLedger+"/restoreJobs?batchId=66d45311c4d6e8f0a2b4c7ab&pageNum=2")
	_, err = client.ListClusterSnapshots(t.Context(), payments, ledger, "all", opsmanager.Page{Size: 2})
	succeed(t, err)
	equal(t, "request", requested, basePath+ofLedger+"/snapshots?completed=all&itemsPerPage=2")
}

func TestRestoreWithoutAJobHasAnUnclearOutcome(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"results": []}`, `{"results": [{}]}`} {
		_, err := returning(t, body).CreateRestoreJob(t.Context(), payments, ledger, opsmanager.RestoreRequest{})
		equal(t, body, opsmanager.MayHaveChanged(err), true)
	}
}

func TestTimeRangesAreLimited(t *testing.T) {
	t.Parallel()
	_, err := returning(t, "[{}"+strings.Repeat(",{}", 10_080)+"]").RestorableTimeRanges(t.Context(), payments, ledger)
	fails(t, "a range more than the minutes of a week", err, "a cluster has 10081 ranges")
}

func TestLinksForDownloadsAreNotInErrors(t *testing.T) {
	t.Parallel()
	const link = "https://om.example.com/pull/s3cr3t,x.tar.gz"
	field := fmt.Sprintf(`"url": %q`, link)
	document := func(fields string) string { return `{"error": STATUS, "errorCode": "X", ` + fields + `}` }
	for name, body := range map[string]string{
		"cut short":                     `{"results": [{"delivery": {` + field,
		"a wrong type":                  `{"results": [{` + field + `, "id": 1}]}`,
		"a text":                        "Download it from " + link,
		"a title":                       "<title>" + link + "</title>",
		"a detail":                      document(`"detail": "Download it from ` + link + `."`),
		"a detail with a path":          document(`"detail": "Download it from /pull/s3cr3t,x.tar.gz."`),
		"a detail with an escaped link": document(`"detail": "Download it from ` + url.QueryEscape(url.QueryEscape(url.QueryEscape(link))) + `."`),
		"a detail with HTML":            document(`"detail": "Download it from ` + strings.ReplaceAll(link, "/", "&amp;#47;") + `."`),
		"a reason":                      document(`"reason": "` + link + `"`),
		"a parameter":                   document(`"detail": "x", "parameters": ["` + link + `", {` + field + `}]`),
		"a code":                        `{"error": STATUS, "errorCode": "` + link + `"}`,
		"an ID":                         `{"results": [{"groupId": "` + link + `"}]}`,
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
			}, logging(&logged))
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
	const notShown = "the detail is not shown, because it may quote a secret"
	for body, want := range map[string]string{
		`{"error": 409, "detail": "Invalid restore point."}`:                                         "409 Conflict: Invalid restore point.",
		`{"error": 409, "errorCode": "CONCURRENT_RESTORES", "detail": "See https://om/pull/s3cr3t"}`: "409 Conflict (CONCURRENT_RESTORES): " + notShown,
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
