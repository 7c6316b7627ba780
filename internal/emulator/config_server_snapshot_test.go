package emulator_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSnapshotsOfAMirroredConfigServer(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = inPayments + "/hosts/" + legacyHost + "/snapshots"
	snapshots := c.get(path).results(t)
	var held, running, encrypted, big int
	filters := map[any]bool{}
	for _, snapshot := range snapshots {
		equal(t, snapshot["groupId"], payments)
		id, _ := snapshot["id"].(string)
		equal(t, relations(snapshot)["self"], c.url+emulator.BasePath+path+"/"+id)
		parts, _ := snapshot["parts"].([]any)
		if len(parts) != 1 {
			t.Fatalf("%d parts", len(parts))
		}
		part, _ := parts[0].(object)
		if part["typeName"] != "CONFIG_SERVER" || part["hostId"] != legacyHost {
			t.Errorf("part %v", part)
		}
		_, expires := snapshot["expires"]
		if expires == (snapshot["doNotDelete"] == true) {
			t.Errorf("doNotDelete %v, expires %v", snapshot["doNotDelete"], snapshot["expires"])
		}
		_, completed := part["completedTime"]
		if completed != (snapshot["complete"] == true) {
			t.Errorf("complete %v, completedTime %v", snapshot["complete"], part["completedTime"])
		}
		_, key := part["masterKeyUUID"]
		if key != (part["encryptionEnabled"] == true) {
			t.Errorf("encryptionEnabled %v, masterKeyUUID %v", part["encryptionEnabled"], part["masterKeyUUID"])
		}
		if !expires {
			held++
		}
		if !completed {
			running++
		}
		if key {
			encrypted++
		}
		if size, _ := part["dataSizeBytes"].(float64); size > 1<<32 {
			big++
		}
		filter, _ := snapshot["namespaceFilterList"].(object)
		filters[filter["filterType"]] = true
	}
	if len(snapshots) != 4 || held != 1 || running != 1 || encrypted != 1 || big != 3 {
		t.Errorf("%d snapshots, %d held, %d running, %d encrypted, %d beyond 32 bits", len(snapshots), held, running, encrypted, big)
	}
	equal(t, filters, map[any]bool{"denylist": true, "denyList": true, "accessList": true})

	// Large integers are not converted to floating point.
	if page := c.get(path + "?itemsPerPage=1&pageNum=1"); len(page.results(t)) != 1 || page.document["totalCount"] != 4.0 ||
		!strings.Contains(page.body, `"dataSizeBytes":8796093022208,`) {
		t.Errorf("got %s", page.body)
	}
	c.get(path+"?completed=all").refused(t, 400, "INVALID_QUERY_PARAMETER")
}
