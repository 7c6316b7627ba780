package opsmanager_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestScheduleIsReadWithAnEmptyUpdateOnlyIfGetIsMissing(t *testing.T) {
	t.Parallel()
	type response struct {
		status int
		body   string
	}
	const (
		page   = "<title>404</title>"
		known  = "GET PATCH{} PATCH{}" // the second read does not try GET
		tries  = "GET PATCH{} GET PATCH{}"
		noMore = "GET GET"
	)
	whole := response{http.StatusOK, aSchedule}
	for name, test := range map[string]struct {
		get, patch response
		requests   string // of two reads
		status     int    // of the error
	}{
		"405":                {response{405, ""}, whole, known, 0},
		"501":                {response{501, "<html>"}, whole, known, 0},
		"RESOURCE_NOT_FOUND": {response{404, errorDocument(404, "RESOURCE_NOT_FOUND")}, whole, known, 0},
		// A restarting proxy may return these, so the next read tries GET again.
		"a page":                         {response{404, page}, whole, tries, 0},
		"a gateway's 404":                {response{404, `{"error":404,"message":"no route"}`}, whole, tries, 0},
		"a page for both":                {response{404, page}, response{404, page}, tries, 404},
		"a page, with a read-only key":   {response{404, page}, response{403, errorDocument(403, "USER_UNAUTHORIZED")}, tries, 404},
		"gone":                           {response{404, errorDocument(404, "BACKUP_CONFIG_NOT_FOUND")}, whole, noMore, 404},
		"an error document, no code":     {response{404, errorDocument(404, "")}, whole, noMore, 404},
		"an ID that Ops Manager refuses": {response{404, errorDocument(404, "INVALID_CLUSTER_ID")}, whole, noMore, 404},
		"inactive":                       {response{409, errorDocument(409, "X")}, whole, noMore, 409},
		"no rights":                      {response{403, ""}, whole, noMore, 403},
		"broken":                         {response{500, ""}, whole, noMore, 500},
		"not JSON":                       {response{200, "<html>"}, whole, noMore, 200},
	} {
		var requests []string
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests = append(requests, r.Method+read(t, r))
			with := test.patch
			if r.Method == http.MethodGet {
				with = test.get
			}
			answer(w, with.status, "", with.body)
		})
		for range 2 {
			got, err := client.SnapshotSchedule(t.Context(), payments, ledger)
			if test.status != 0 {
				equal(t, name, wantError(t, err).Status, test.status)
				continue
			}
			succeed(t, err)
			equal(t, name, len(undecoded(t, aSchedule, got)), 0)
		}
		equal(t, name, strings.Join(requests, " "), test.requests)
	}
}
