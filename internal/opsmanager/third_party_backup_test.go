package opsmanager_test

import (
	"net/http"
	"strings"
	"testing"
)

const oneCluster = `{"clusters": [{
	"clusterId": "650A1F3C2E4B6D8091A3B5C7", "clusterName": "ledger", "groupId": "64f0c2a19b3d5e7f80a1b2c3",
	"jobId": "650a1f3c2e4b6d8091a3b5c7", "state": "ACTIVE"
}]}`

// A cluster counts as one that another product backs up only if Ops Manager says so, and a response that can't be
// read says nothing.
func TestClusterIsBackedUpByAnotherProductIfItsStateSaysSo(t *testing.T) {
	t.Parallel()
	const (
		document = "application/json"
		ledger   = "650a1f3c2e4b6d8091a3b5c7"
		unknown  = "unknown"
	)
	for name, test := range map[string]struct {
		status            int
		contentType, body string
		want              string // of ledger
	}{
		"active":          {200, document, oneCluster, "yes"},
		"ended":           {200, document, strings.Replace(oneCluster, "ACTIVE", "INACTIVE", 1), "no"},
		"another state":   {200, document, strings.Replace(oneCluster, "ACTIVE", "DISCOVERING", 1), unknown},
		"no state":        {200, document, strings.Replace(oneCluster, `"ACTIVE"`, "null", 1), unknown},
		"another cluster": {200, document, strings.Replace(oneCluster, "650A1F3C", "750A1F3C", 1), "no"},
		"no cluster":      {200, document, `{"clusters": []}`, "no"},
		"another project": {200, document, strings.Replace(oneCluster, "64f0c2a1", "74f0c2a1", 1), unknown},
		"no ID":           {200, document, strings.Replace(oneCluster, "clusterId", "id", 1), unknown},
		"no list":         {200, document, `{"errorCode": "NONE", "version": "1", "status": "OK"}`, unknown},
		"null":            {200, document, `{"clusters": null}`, unknown},
		"a login page":    {200, "text/html", "<html></html>", unknown},
		"an error code":   {200, document, `{"errorCode": "THIRD_PARTY_DISCOVERY_ERROR", "status": "ERROR", "clusters": []}`, unknown},
		"an error":        {200, document, `{"status": "ERROR", "clusters": []}`, unknown},
		"the code of none": {
			200, document, strings.Replace(oneCluster, "{", `{"errorCode": "NONE", "totalCount": 1, "links": [{"rel": "self"}], `, 1),
			"yes",
		},
		"a next page":        {200, document, `{"clusters": [], "links": [{"rel": "next", "href": "/"}]}`, unknown},
		"a larger total":     {200, document, `{"clusters": [], "totalCount": 30}`, unknown},
		"an unknown project": {404, document, `{"resource": "/clusters", "errorCode": "GROUP_NOT_FOUND", "version": "1", "status": "ERROR"}`, unknown},
		"its own 404":        {404, document, `{"resource": "/clusters", "errorCode": "RESOURCE_NOT_FOUND", "version": "1", "status": "ERROR"}`, unknown},
		"a gateway":          {404, document, ` {"message": "no route"}`, unknown},
		"a 404 without code": {404, document, `{"error": 404, "reason": "Not Found"}`, "no"},
		"the feature is off": {404, document, `{"error": 404, "errorCode": "RESOURCE_NOT_FOUND", "detail": "No."}`, "no"},
		"a hidden project":   {404, document, errorDocument(404, "GROUP_NOT_FOUND"), unknown},
		"a failure":          {500, document, errorDocument(500, ""), unknown},
		"a page":             {404, "text/html", "<html></html>", unknown},
		"plain text":         {404, "text/plain", "404 page not found", unknown},
		"nothing":            {404, "", "", unknown},
		"its error document": {
			500, document, `{"resource": "/clusters", "errorCode": "THIRD_PARTY_DISCOVERY_ERROR", "version": "1", "status": "ERROR"}`,
			unknown,
		},
		"no role":   {401, document, `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, unknown},
		"forbidden": {403, "text/html", "<html></html>", unknown},
	} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.RequestURI == basePath+"/groups/"+payments {
				answer(w, http.StatusOK, document, `{"id": "`+payments+`"}`)
				return
			}
			equal(t, "request", r.RequestURI, basePath+"/backup/third_party/group/"+payments+"/clusters")
			if strings.HasPrefix(test.body, `{"resource"`) { // a document of Ops Manager itself
				w.Header().Set("X-Mongodb-Service-Version", "gitHash=1; versionString=8.0.23")
			}
			answer(w, test.status, test.contentType, test.body)
		})
		backups, err := client.ThirdPartyBackups(t.Context(), payments)
		got := unknown
		if err == nil {
			var has bool
			if has, err = backups.BacksUp(ledger); err == nil {
				got = map[bool]string{true: "yes", false: "no"}[has]
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s: %v", name, got, test.want, err)
		}
	}
}

// A 404 without a document proves that there are none only if Ops Manager itself sent it, or if the server lacks even the
// call that reads a project. Otherwise, a proxy may have sent it.
func TestA404WithoutADocumentSaysThatThereAreNoThirdPartyBackupsOnlyIfItIsThatOfTheServer(t *testing.T) {
	t.Parallel()
	const gone = "<html><title>404</title></html>"
	for name, test := range map[string]struct {
		version string // which the 404 of the list reports
		project string // the response to the request for the project
		want    bool
	}{
		"a proxy":                            {"", `{"id": "` + payments + `"}`, false},
		"a proxy, and a hidden project":      {"", errorDocument(404, "GROUP_NOT_FOUND"), false},
		"Ops Manager":                        {"gitHash=1; versionString=8.0.23", `{"id": "` + payments + `"}`, true},
		"a server with a part of the API":    {"", gone, true},
		"a server that lacks it and says so": {"", errorDocument(404, "RESOURCE_NOT_FOUND"), true},
	} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch isList := strings.Contains(r.URL.Path, "/third_party/"); {
			case isList && test.version != "":
				w.Header().Set("X-Mongodb-Service-Version", test.version)
				answer(w, http.StatusNotFound, "text/html", gone)
			case isList, test.project == gone:
				answer(w, http.StatusNotFound, "text/html", gone)
			case strings.Contains(test.project, "errorCode"):
				answer(w, http.StatusNotFound, "application/json", test.project)
			default:
				answerOK(w, test.project)
			}
		})
		if backups, err := client.ThirdPartyBackups(t.Context(), payments); (err == nil) != test.want || err == nil && backups.Clusters != nil {
			t.Errorf("%s: %v, %v", name, backups, err)
		}
	}
}
