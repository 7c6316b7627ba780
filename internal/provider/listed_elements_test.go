package provider_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/providertest"
)

const oddID = "odd/../id\t "

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// elementChanges are what a server may do to the first element of a list.
var elementChanges = map[string]func(element object) any{
	"null":          func(object) any { return nil },
	"without an ID": func(element object) any { return identifiedBy(element, func(string) any { return nil }) },
	"ID in capitals": func(element object) any {
		return identifiedBy(element, func(id string) any { return strings.ToUpper(id) })
	},
	"odd ID": func(element object) any { return identifiedBy(element, func(string) any { return oddID }) },
}

// identifiedBy changes what identifies an element: its cluster, its machine, or its ID.
func identifiedBy(element object, change func(string) any) object {
	machine, _ := element["machine"].(object)
	_, isBackup := element["statusName"]
	of, field := element, "id"
	switch {
	case machine != nil:
		of, field = machine, "machine"
	case isBackup && element["clusterId"] != nil && element["id"] == nil:
		field = "clusterId"
	}
	if id, ok := of[field].(string); ok {
		of[field] = change(id)
	}
	return element
}

// changeElement changes the first element of the list at a path.
func changeElement(at string, change func(object) any) providertest.Handler {
	return providertest.Rewrite(func(r *http.Request, document object) {
		results, _ := document["results"].([]any)
		if r.URL.Path != at || len(results) == 0 {
			return
		}
		if element, ok := results[0].(object); ok {
			results[0] = change(element)
		}
	})
}

// listsRead returns the paths of the lists that are not empty in what an action reads.
func listsRead(t *testing.T, act func(w *providertest.Workspace)) (paths []string) {
	t.Helper()
	proxy := providertest.StartFaultProxy(t)
	proxy.Handle(providertest.Rewrite(func(r *http.Request, document object) {
		if results, _ := document["results"].([]any); len(results) > 0 && !slices.Contains(paths, r.URL.Path) {
			paths = append(paths, r.URL.Path)
		}
	}))
	act(providertest.NewWorkspace(t, proxy.Service))
	return paths
}

// inLedger returns a configuration with the required attributes of a schema.
func inLedger(attributes []*tfprotov6.SchemaAttribute) values {
	ids := values{"project_id": payments, "cluster_id": ledger, "host_id": providertest.MirroredHost, "name": "Payments"}
	config := values{}
	isNamed := slices.ContainsFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "results" })
	for _, a := range attributes {
		if a.Required || a.Name == "name" && a.Optional && !isNamed {
			config[a.Name] = ids[a.Name]
		}
	}
	if config["name"] != nil && config["project_id"] != nil {
		config["name"] = "ledger"
	}
	return config
}

// words returns the words of a value, sorted, because capitals change the order of a list.
func words(value any) string {
	text, _ := json.Marshal(value)
	text = address.ReplaceAll(text, nil)
	all := strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool { return strings.ContainsRune(`",{}[]`, r) })
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestQueryListsOrNamesEveryElement(t *testing.T) {
	t.Parallel()
	for typeName, schema := range providertest.NewWorkspace(t, providertest.StartService(t)).Schema.ListResourceSchemas {
		config := inLedger(schema.Block.Attributes)
		query := func(w *providertest.Workspace) (identities, names []string, messages []string) {
			for _, one := range w.Query(typeName, config, true, 0) {
				if one.Identity != nil {
					identities, names = append(identities, strings.ToLower(string(one.Identity.IdentityData.MsgPack))), append(names, one.Name)
				}
				messages = append(messages, slices.Concat(one.Errors(), one.Warnings())...)
			}
			slices.Sort(identities)
			return identities, names, messages
		}
		for _, at := range listsRead(t, func(w *providertest.Workspace) { query(w) }) {
			for name, change := range elementChanges {
				t.Run(typeName+" "+at+" "+name, func(t *testing.T) {
					t.Parallel()
					proxy := providertest.StartFaultProxy(t)
					whole, _, before := query(providertest.NewWorkspace(t, proxy.Service))
					proxy.Handle(changeElement(at, change))
					found, names, messages := query(providertest.NewWorkspace(t, proxy.Service))
					if len(found) < len(whole) && slices.Equal(messages, before) {
						t.Errorf("listed %q instead of %q, and reported only %q", found, whole, messages)
					}
					if strings.HasPrefix(name, "ID") && len(found) < len(whole) {
						t.Errorf("listed %q instead of %q: %q", found, whole, messages)
					}
					providertest.WantPrintable(t, slices.Concat(messages, names)...)
				})
			}
		}
	}
}

func TestDataSourceReturnsOrNamesEveryElement(t *testing.T) {
	t.Parallel()
	for typeName, schema := range providertest.NewWorkspace(t, providertest.StartService(t)).Schema.DataSourceSchemas {
		config := inLedger(schema.Block.Attributes)
		for _, at := range listsRead(t, func(w *providertest.Workspace) { w.Read(typeName, config) }) {
			for name, change := range elementChanges {
				t.Run(typeName+" "+at+" "+name, func(t *testing.T) {
					t.Parallel()
					whole, before := providertest.NewWorkspace(t, providertest.StartService(t)).Read(typeName, config)
					proxy := providertest.StartFaultProxy(t)
					proxy.Handle(changeElement(at, change))
					read, diags := providertest.NewWorkspace(t, proxy.Service).Read(typeName, config)
					isNamed := len(diags) > len(before) || strings.Contains(words(read), "unread") || name == "odd ID" &&
						strings.Contains(words(read), "odd/../id")
					if !isNamed && words(read) != words(whole) {
						t.Errorf("without a word, read\n%v\ninstead of\n%v", words(read), words(whole))
					}
					providertest.WantPrintable(t, slices.Concat(diags.Errors(), diags.Warnings())...)
				})
			}
		}
	}
}
