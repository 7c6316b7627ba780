package provider_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// withNulls puts a null into each list that a request would replace.
func withNulls(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			withNulls(element)
		}
	case object:
		for _, name := range []string{"labels", "labelFilter", "snapshotStoreFilter"} {
			if value["id"] != nil {
				value[name] = []any{nil}
			}
		}
		withNulls(value["results"])
	}
}

// namedItem matches the place of a null in a list of objects, with the ID of the object.
var namedItem = regexp.MustCompile(`results\[\d+\]\.\w+ of \w`)

// A data source and a query have no state that an object could be removed from.
func TestNullInAListThatIsOnlyReadIsNoReasonToChangeTheState(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Service.SetJobConfig(payments, object{})
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) { withNulls(document) }))
	schemas := providertest.NewWorkspace(t, proxy.Service).Schema
	refused := map[string][]string{}
	for typeName, schema := range schemas.DataSourceSchemas {
		_, diags := providertest.NewWorkspace(t, proxy.Service).Read(typeName, inLedger(schema.Block.Attributes))
		refused["data "+typeName] = diags.Errors()
	}
	for typeName, schema := range schemas.ListResourceSchemas {
		for _, one := range providertest.NewWorkspace(t, proxy.Service).Query(typeName, inLedger(schema.Block.Attributes), true, 0) {
			refused["list "+typeName] = slices.Concat(refused["list "+typeName], one.Errors(), one.Warnings())
		}
	}
	named := 0
	for read, messages := range refused {
		text := strings.Join(messages, "\n")
		if !strings.Contains(text, "a list has a null") {
			continue
		}
		named++
		providertest.WantContains(t, text, "Remove the null in Ops Manager")
		if strings.Contains(text, "state rm") {
			t.Errorf("%s: %s", read, text)
		}
		if strings.Contains(text, "results[") && !namedItem.MatchString(text) {
			t.Errorf("%s names no object: %s", read, text)
		}
	}
	if named < 5 {
		t.Errorf("only %d reads have a list with a null: %q", named, refused)
	}
}
