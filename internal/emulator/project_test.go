package emulator_test

import (
	"net/url"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestProjectIsReadByIDAndByName(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, path := range []string{inPayments, "/groups/byName/Payments"} {
		got := c.get(path).ok(t)
		equal(t, relations(got), map[string]string{"self": c.url + emulator.BasePath + inPayments})
		delete(got, "links")
		equal(t, got, object{
			"id": payments, "name": "Payments", "orgId": "64f0c1109b3d5e7f80a1b2c0", "publicApiEnabled": true, "agentApiKey": emulator.AgentAPIKey,
			"hostCounts":      object{"arbiter": 0.0, "config": 0.0, "master": 0.0, "mongos": 0.0, "primary": 3.0, "secondary": 6.0, "slave": 0.0},
			"replicaSetCount": 6.0, "shardCount": 2.0, "tags": []any{"PROD"},
		})
	}
	for path, code := range map[string]string{
		"/groups/" + nowhere:       "GROUP_NOT_FOUND",
		"/groups/Payments":         "INVALID_GROUP_ID",
		"/groups/byName/payments":  "GROUP_NAME_NOT_FOUND",
		"/groups/byName/Payments/": "RESOURCE_NOT_FOUND",
	} {
		c.get(path).refused(t, 404, code)
	}
}

func TestProjectsAreListed(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := c.get("/groups?itemsPerPage=1").ok(t)
	want := c.get(inPayments).ok(t)
	equal(t, got["results"], []any{want})
	equal(t, got["totalCount"], 2.0)
	equal(t, relations(got), map[string]string{
		"self": c.url + emulator.BasePath + "/groups?pageNum=1&itemsPerPage=1", "next": c.url + emulator.BasePath + "/groups?pageNum=2&itemsPerPage=1",
	})
	documented := start(t, emulator.Options{Profile: emulator.Documented})
	documented.get("/groups").refused(t, 404, "RESOURCE_NOT_FOUND")
}

func TestProjectMayHaveAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"clusters", "backupConfigs", "a/b c", "100%"} {
		c := start(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: name}}}})
		if got := c.get("/groups/byName/" + url.PathEscape(name)).ok(t); got["id"] != payments || got["name"] != name {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
