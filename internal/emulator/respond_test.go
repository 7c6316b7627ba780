package emulator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSuccessHasTheDocumentedHeaders(t *testing.T) {
	t.Parallel()
	byDefault := start(t).do(http.MethodGet, regionsPath, "").header.Get("X-MongoDB-Service-Version")
	if !strings.HasSuffix(byDefault, "; versionString="+emulator.NewestVersion) {
		t.Errorf("the default version is %q", byDefault)
	}
	c := startVersion(t, "7.0.11")
	for _, got := range []response{
		c.get(regionsPath),
		c.delete(regionsPath + "/AU_NZ"),
	} {
		for name, want := range map[string]string{
			"Vary": "Accept-Encoding", "Strict-Transport-Security": "max-age=300",
			"X-MongoDB-Service-Version": "gitHash=6f1c3b0d9a7e42588c1f4d2b7a90e3c5d8f61b24; versionString=7.0.11",
		} {
			if got.header.Get(name) != want {
				t.Errorf("%d: %s is %q, want %q", got.status, name, got.header.Get(name), want)
			}
		}
		if got.header.Get("Date") == "" {
			t.Errorf("%d: no Date", got.status)
		}
		want := "application/json"
		if got.status == 204 {
			want = ""
		}
		if got.header.Get("Content-Type") != want {
			t.Errorf("%d: Content-Type %q", got.status, got.header.Get("Content-Type"))
		}
		if got.status == 204 && got.body != "" {
			t.Errorf("204 has the body %q", got.body)
		}
	}
}

// manyClusters returns a seed whose only project has n clusters, and the IDs of these clusters.
func manyClusters(n int) (*emulator.Seed, []string) {
	project := emulator.Project{ID: payments, Name: "Crowd"}
	var ids []string
	for i := range n {
		id := fmt.Sprintf("%024x", i+1)
		ids = append(ids, id)
		project.Clusters = append(project.Clusters, emulator.Cluster{
			ID: id, Name: id, TypeName: "REPLICA_SET", BackupConfig: object{"statusName": "STARTED"},
		})
	}
	return &emulator.Seed{Projects: []emulator.Project{project}}, ids
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	const path, there = inPayments + "/backupConfigs", 601
	seed, ids := manyClusters(there)
	for name, test := range map[string]struct {
		most        int // items of a page, if the default is not meant
		query       string
		first, last int
		page, size  int // in the links
	}{
		"by default 100":        {0, "", 0, 100, 1, 100},
		"in the middle":         {0, "?pageNum=2&itemsPerPage=50", 50, 100, 2, 50},
		"the last":              {0, "?pageNum=2&itemsPerPage=500", 500, there, 2, 500},
		"more than the longest": {0, "?itemsPerPage=1000", 0, 500, 1, 500},
		"an older service":      {100, "?itemsPerPage=500&pageNum=7", 600, there, 7, 100},
		"behind the end":        {0, "?pageNum=99", there, there, 99, 100},
		"far behind the end":    {0, "?pageNum=2147483647&itemsPerPage=500", there, there, 2147483647, 500},
		"exactly to the end":    {0, "?pageNum=601&itemsPerPage=1", 600, there, 601, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, emulator.Options{Seed: seed, MaxItemsPerPage: test.most})
			got := c.get(path + test.query)
			have := []string{}
			for _, config := range got.results(t) {
				have = append(have, fmt.Sprint(config["clusterId"]))
			}
			equal(t, have, ids[test.first:test.last])
			equal(t, got.document["totalCount"], float64(there))
			link := func(page int) string { // not escaped for HTML
				return fmt.Sprintf("%s%s%s?pageNum=%d&itemsPerPage=%d", c.url, emulator.BasePath, path, page, test.size)
			}
			links := map[string]string{"self": link(test.page)}
			if test.page > 1 {
				links["previous"] = link(test.page - 1)
			}
			if test.last < there {
				links["next"] = link(test.page + 1)
			}
			equal(t, relations(got.document), links)
			equal(t, strings.Contains(got.body, "&itemsPerPage="), true)
		})
	}
}

func TestTotalCountCanBeWrongOrMissing(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{TotalCount: func(count int) int { return count + 7 }})
	equal(t, c.get(regionsPath).ok(t)["totalCount"], 10.0)
	c = start(t, emulator.Options{OmitTotalCount: true})
	if got, there := c.get(regionsPath).ok(t)["totalCount"]; there {
		t.Errorf("totalCount %v, want none", got)
	}
}

func TestEmptyListHasResults(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{Seed: &emulator.Seed{}})
	if got := c.get(regionsPath); !strings.Contains(got.body, `"results":[]`) || got.ok(t)["totalCount"] != 0.0 {
		t.Errorf("got %s", got.body)
	}
}

func TestQueryParametersAreValidated(t *testing.T) {
	t.Parallel()
	c := start(t)
	schedule := schedulePath(payments, ledger)
	for _, target := range []string{
		regionsPath + "?pageNum=0", regionsPath + "?pageNum=-1", regionsPath + "?pageNum=x", regionsPath + "?pageNum=",
		regionsPath + "?pageNum=1.5", regionsPath + "?pageNum=99999999999", regionsPath + "?itemsPerPage=0", regionsPath + "?itemsPerPage=ten",
		regionsPath + "?pretty=yes", regionsPath + "?envelope=", regionsPath + "?unknown=1", regionsPath + "?pageNum=1&pageNum=2", regionsPath + "?a=%zz",
		schedule + "?pageNum=1", schedule + "?completed=all",
	} {
		c.get(target).refused(t, 400, "INVALID_QUERY_PARAMETER")
	}
	got := c.get(schedule + "?d=1&c=1&unknown=1&b=1&e=1")
	if !strings.Contains(fmt.Sprint(got.document["detail"]), "parameter b") {
		t.Errorf("the response does not have the parameter: %s", got.body)
	}
	for _, target := range []string{schedule + "?pretty=false", regionsPath + "/AU_NZ?pageNum=1"} {
		c.get(target).ok(t)
	}
}

func TestPrettyIsIndented(t *testing.T) {
	t.Parallel()
	c := start(t)
	if got := c.get(regionsPath + "/AU_NZ?pretty=true"); !strings.HasPrefix(got.body, "{\n  \"assignmentEnabled\": true,\n") {
		t.Errorf("got %s", got.body)
	}
	if got := c.get(regionsPath + "/AU_NZ"); strings.Contains(strings.TrimSpace(got.body), "\n") {
		t.Errorf("got %s", got.body)
	}
}

func TestTruncatedResponseHasTheLengthOfTheWholeOne(t *testing.T) {
	t.Parallel()
	c := start(t)
	whole := c.get(regionsPath)
	c.service.Inject(emulator.Fault{Truncate: 20})
	got, err := c.send(http.MethodGet, regionsPath, "", c.answering(c.challenged(), 1))
	if !errors.Is(err, io.ErrUnexpectedEOF) || got.body != whole.body[:20] || got.header.Get("Content-Length") != whole.header.Get("Content-Length") {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The four operations that the documentation of every version has.
func TestEachOperationHasAnEnvelope(t *testing.T) {
	t.Parallel()
	snapshots := inPayments + "/hosts/" + legacyHost + "/snapshots"
	schedule := schedulePath(payments, ledger)
	for _, list := range []string{inPayments + "/backupConfigs", snapshots, snapshots + "?pageNum=2&itemsPerPage=1"} {
		c := start(t)
		want, got := c.get(list).ok(t), c.get(with(list, "envelope=true")).ok(t)
		want["status"], want["links"] = 200.0, got["links"] // which have the parameter
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", list, got, want)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPatch} {
		c := start(t)
		const change = `{"dailySnapshotRetentionDays":30}`
		want, got := c.do(method, schedule, change).ok(t), c.do(method, schedule+"?envelope=true", change).ok(t)
		if want := (object{"status": 200.0, "content": want}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", method, got, want)
		}
	}
	c := start(t)
	c.service.SetRegion("FREE", nil)
	if got := c.delete(regionsPath + "/FREE?envelope=true&pretty=true"); got.status != 204 || got.body != "" {
		t.Errorf("DELETE: got %d %s", got.status, got.body)
	}
}

func TestEnvelopeOfAnErrorHasItsStatus(t *testing.T) {
	t.Parallel()
	c := start(t)
	for target, status := range map[string]float64{
		regionsPath + "/unknown?envelope=true":                      404,
		schedulePath(payments, ledger) + "?envelope=true&pageNum=1": 400,
		regionsPath + "?envelope=true&pretty=maybe":                 400,
		inPayments + "/clusters/none/snapshots?envelope=true":       404,
	} {
		got := c.get(target).ok(t)
		content, _ := got["content"].(object)
		if got["status"] != status || content["error"] != status {
			t.Errorf("%s: got %v", target, got)
		}
	}
	c.get(regionsPath+"?envelope=1").refused(t, 400, "INVALID_QUERY_PARAMETER")
	c.get(regionsPath+"/unknown?envelope=false").refused(t, 404, "BACKUP_DEPLOYMENT_NOT_FOUND")
}

func TestEnvelopeMayBePretty(t *testing.T) {
	t.Parallel()
	c := start(t)
	if got := c.get(regionsPath + "/AU_NZ?pretty=true&envelope=true"); !strings.HasPrefix(got.body, "{\n  \"content\": {\n    \"assignmentEnabled\": true,\n") {
		t.Errorf("got %s", got.body)
	}
}

// with adds a parameter to a target.
func with(target, parameter string) string {
	if strings.Contains(target, "?") {
		return target + "&" + parameter
	}
	return target + "?" + parameter
}

func TestContentTypeIsNegotiated(t *testing.T) {
	t.Parallel()
	c := start(t)
	path := schedulePath(payments, ledger)
	for _, test := range []struct {
		accept, contentType []string
		want                int
	}{
		{nil, []string{"application/json"}, 200},
		{[]string{"*/*"}, []string{"application/json; charset=utf-8"}, 200},
		{[]string{"text/html", "application/*;q=0.5"}, []string{"application/json"}, 200},
		{[]string{"text/html"}, []string{"application/json"}, 406},
		{[]string{"application/json"}, nil, 415},
		{[]string{"application/json"}, []string{"text/plain"}, 415},
	} {
		challenged, err := c.send(http.MethodPatch, path, "", "")
		succeed(t, err)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, c.url+emulator.BasePath+path, strings.NewReader("{}"))
		succeed(t, err)
		request.Header["Accept"], request.Header["Content-Type"] = test.accept, test.contentType
		request.Header.Set("Authorization", c.authorize(http.MethodPatch, emulator.BasePath+path, challenged.header, 1))
		got, err := c.roundTrip(request)
		if err != nil || got.status != test.want {
			t.Errorf("Accept %v, Content-Type %v: got %d, %v, want %d", test.accept, test.contentType, got.status, err, test.want)
		}
	}
}

func TestLinksHaveTheSchemeOfTheConnection(t *testing.T) {
	t.Parallel()
	c := start(t)
	server := httptest.NewTLSServer(c.service)
	defer server.Close()
	challenged, err := c.send(http.MethodGet, regionsPath, "", "")
	succeed(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+emulator.BasePath+regionsPath, nil)
	succeed(t, err)
	request.Header.Set("Authorization", c.authorize(http.MethodGet, emulator.BasePath+regionsPath, challenged.header, 1))
	response, err := server.Client().Do(request)
	succeed(t, err)
	defer response.Body.Close()
	var document object
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	if self := relations(document)["self"]; !strings.HasPrefix(self, server.URL+emulator.BasePath+regionsPath+"?") {
		t.Errorf("self link %q, want one to %s", self, server.URL)
	}
}
