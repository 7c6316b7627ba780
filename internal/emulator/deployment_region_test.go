package emulator_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

const completeRegion = `"deploymentDescription":"d","ingestionEndpoint":"https://i.example.com",` +
	`"restoreEndpoint":"https://r.example.com","bqProxyEndpoint":"b.example.com:27217"`

// regionDocument returns completeRegion as in a response.
func regionDocument(id string, assignmentEnabled bool) object {
	return object{
		"id": id, "deploymentDescription": "d", "ingestionEndpoint": "https://i.example.com", "restoreEndpoint": "https://r.example.com",
		"bqProxyEndpoint": "b.example.com:27217", "assignmentEnabled": assignmentEnabled, "links": []any{},
	}
}

func TestRegionIsCreatedReadReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = regionsPath + "/new"

	equal(t, c.post(regionsPath, `{"id":"new","assignmentEnabled":true,`+completeRegion+`}`).ok(t), regionDocument("new", true))
	equal(t, c.get(path).ok(t), regionDocument("new", true))
	// PUT replaces, so assignmentEnabled is reset by a body without it.
	want := regionDocument("new", false)
	want["restoreEndpoint"] = "https://other.example.com"
	equal(t, c.put(path, "{"+strings.Replace(completeRegion, "https://r.", "https://other.", 1)+"}").ok(t), want)
	equal(t, c.get(path).ok(t), want)
	ids := []any{}
	for _, region := range c.get(regionsPath).results(t) {
		ids = append(ids, region["id"])
	}
	equal(t, ids, []any{"NY_NJ", "AU_NZ", "EU/West 1", "new"})
	if got := c.delete(path); got.status != 204 || got.body != "" {
		t.Errorf("deleted %d %s", got.status, got.body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		c.do(method, path, "").refused(t, 404, "BACKUP_DEPLOYMENT_NOT_FOUND")
	}
}

func TestPutCreatesARegion(t *testing.T) {
	t.Parallel()
	c := start(t)
	equal(t, c.put(regionsPath+"/new", `{"assignmentEnabled":true,`+completeRegion+`}`).ok(t), regionDocument("new", true))
	if c.service.Region("new") == nil {
		t.Error("the region was not created")
	}
}

func TestRegionIDIsOneEscapedPathSegment(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, id := range []string{"EU/West 1%", "..", ".", "a/../b", "a%2Fb", "?x=1", "#", "é ü", `"quoted"`, "a+b", "/", "%"} {
		segment := strings.ReplaceAll(url.PathEscape(id), ".", "%2E") // dot segments would change the path
		path := regionsPath + "/" + segment
		c.put(path, "{"+completeRegion+"}").ok(t)
		equal(t, c.get(path).ok(t)["id"], id)
		if c.service.Region(id) == nil {
			t.Errorf("%q was not created", id)
		}
		if got := c.delete(path); got.status != 204 || c.service.Region(id) != nil {
			t.Errorf("%q was not deleted: %d", id, got.status)
		}
	}
	equal(t, len(c.get(regionsPath).results(t)), 3)
}

func TestRegionBodiesAreValidated(t *testing.T) {
	t.Parallel()
	c := start(t)
	before := c.service.Region("AU_NZ")
	for _, test := range []struct{ method, body, code, names string }{
		{http.MethodPost, `{"id":"x",` + completeRegion + `,"unknown":1}`, "INVALID_ATTRIBUTE", "unknown"},
		{http.MethodPost, `{"y":1,"z":1,"x":1,"w":1}`, "INVALID_ATTRIBUTE", "w"},
		{http.MethodPost, `{"id":"x",` + completeRegion + `,"links":[]}`, "ATTRIBUTE_READ_ONLY", "links"},
		{http.MethodPost, `{"id":"x"}`, "MISSING_ATTRIBUTE", "bqProxyEndpoint"},
		{http.MethodPost, `{` + completeRegion + `}`, "MISSING_ATTRIBUTE", "id"},
		{http.MethodPost, `{"id":"",` + completeRegion + `}`, "MISSING_ATTRIBUTE", "id"},
		{http.MethodPost, `{"id":7,` + completeRegion + `}`, "INVALID_JSON_ATTRIBUTE", "id"},
		{http.MethodPost, `{"id":"x",` + completeRegion + `,"assignmentEnabled":"true"}`, "INVALID_JSON_ATTRIBUTE", "assignmentEnabled"},
		{http.MethodPost, `{"id":"x",` + completeRegion + `,"assignmentEnabled":null}`, "INVALID_JSON_ATTRIBUTE", "assignmentEnabled"},
		{http.MethodPost, `["id"]`, "INVALID_JSON", ""},
		{http.MethodPut, `{"id":"AU_NZ",` + completeRegion + `}`, "ATTRIBUTE_READ_ONLY", "id"},
		{http.MethodPut, `{"deploymentDescription":"d"}`, "MISSING_ATTRIBUTE", "bqProxyEndpoint"},
		{http.MethodPut, `{` + completeRegion + `,"unknown":1}`, "INVALID_ATTRIBUTE", "unknown"},
	} {
		path := regionsPath
		if test.method == http.MethodPut {
			path += "/AU_NZ"
		}
		got := c.do(test.method, path, test.body)
		got.refused(t, 400, test.code)
		if parameters := fmt.Sprint(got.document["parameters"]); test.names != "" && parameters != "["+test.names+"]" {
			t.Errorf("%s %s: parameters %s, want %s", test.method, test.body, parameters, test.names)
		}
	}
	for _, required := range []string{"deploymentDescription", "ingestionEndpoint", "restoreEndpoint", "bqProxyEndpoint"} {
		body := strings.Replace(completeRegion, `"`+required+`"`, `"assignmentEnabled":true,"id"`, 1)
		c.post(regionsPath, "{"+body+"}").refused(t, 400, "MISSING_ATTRIBUTE")
	}
	if after := c.service.Region("AU_NZ"); !reflect.DeepEqual(after, before) || c.service.Region("x") != nil {
		t.Errorf("a region was changed: %v", after)
	}
}

func TestRegionThatExistsIsNotCreatedAgain(t *testing.T) {
	t.Parallel()
	c := start(t)
	before := c.service.Region("AU_NZ")
	got := c.post(regionsPath, `{"id":"AU_NZ",`+completeRegion+`}`)
	got.refused(t, 409, "")
	if !strings.Contains(fmt.Sprint(got.document["detail"]), "AU_NZ") {
		t.Errorf("the response does not have the region: %s", got.body)
	}
	equal(t, c.service.Region("AU_NZ"), before)
}

func TestRegionInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.delete(regionsPath+"/NY_NJ").refused(t, 409, "")
	c.service.UseRegion("AU_NZ", "daemon d1")
	got := c.delete(regionsPath + "/AU_NZ")
	if got.refused(t, 409, ""); strings.Contains(got.body, "d1") {
		t.Errorf("the response names what is bound: %s", got.body)
	}
	c.service.UseRegion("AU_NZ")
	equal(t, c.delete(regionsPath+"/AU_NZ").status, 204)

	// A new region with the same ID is not bound.
	c.service.UseRegion("NY_NJ", "daemon d1")
	c.service.RemoveRegion("NY_NJ")
	if c.service.Region("NY_NJ") != nil {
		t.Error("RemoveRegion did not remove a bound region")
	}
	c.service.SetRegion("NY_NJ", nil)
	equal(t, c.delete(regionsPath+"/NY_NJ").status, 204)
}
