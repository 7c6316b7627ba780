package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestSnapshotsOfAMirroredConfigServer(t *testing.T) {
	t.Parallel()
	c := start(t)
	const path = inPayments + "/hosts/" + legacyHost + "/snapshots"
	for _, snapshot := range c.get(path).results(t) {
		equal(t, snapshot["groupId"], payments)
		equal(t, relations(snapshot)["self"], fmt.Sprint(c.url, emulator.BasePath, path, "/", snapshot["id"]))
		part, _ := snapshot["parts"].([]any)[0].(object)
		equal(t, []any{part["typeName"], part["hostId"]}, []any{"CONFIG_SERVER", legacyHost})
	}
	page := c.get(path + "?itemsPerPage=1&pageNum=1")
	equal(t, page.ok(t)["totalCount"], 4.0)
	equal(t, strings.Contains(page.body, `"dataSizeBytes":8796093022208,`), true) // not converted to floating point
	c.get(path+"?completed=all").refused(t, 400, "INVALID_QUERY_PARAMETER")
}
