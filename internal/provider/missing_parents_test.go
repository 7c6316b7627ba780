package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// A query that leaves out what it can't find must say so: whoever generates a configuration from it would manage less
// than there is.
func TestQueryReportsWhatItCannotFind(t *testing.T) {
	t.Parallel()
	inCluster := providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Orders}
	for typeName, schema := range providertest.NewWorkspace(t, providertest.StartService(t, emulator.Options{}), nil).Schema.ListResourceSchemas {
		config := providertest.Values{}
		for _, attribute := range schema.Block.Attributes {
			config[attribute.Name] = inCluster[attribute.Name]
		}
		for _, code := range []string{"GROUP_NOT_FOUND", "CLUSTER_NOT_FOUND", "HOST_NOT_FOUND"} {
			t.Run(typeName+" with "+code, func(t *testing.T) {
				t.Parallel()
				s := providertest.StartService(t, emulator.Options{})
				whole, _ := listed(providertest.NewWorkspace(t, s, nil).Query(typeName, config, true, 0))
				for i := range s.Calls() {
					faulty := providertest.StartService(t, emulator.Options{})
					faulty.Inject(emulator.Fault{Skip: i, Times: -1, Status: http.StatusNotFound, Body: fmt.Sprintf(`{"error": 404, "errorCode": %q}`, code)})
					found, messages := listed(providertest.NewWorkspace(t, faulty, nil).Query(typeName, config, true, 0))
					if len(found) < len(whole) && !strings.Contains(messages, code) {
						t.Errorf("from request %d on: listed %q instead of %q, and reported %q", i+1, found, whole, messages)
					}
				}
			})
		}
	}
}

// listed returns the names of the objects that a query lists, and its errors and warnings.
func listed(results []providertest.Listed) (names []string, messages string) {
	for _, one := range results {
		messages += strings.Join(slices.Concat(one.Errors(), one.Warnings()), "\n")
		if one.Name != "" {
			names = append(names, one.Name)
		}
	}
	return names, messages
}
