package projects_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestHostsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	data := providertest.NewWorkspace(t, s, nil).MustRead(t, providertest.HostsType, providertest.Values{"project_id": providertest.Payments})
	want := providertest.Values{
		"id": providertest.ModernHost, "group_id": providertest.Payments, "cluster_id": "650a2036b7d9f1e3a5c70927", "hostname": "orders-config-1.payments.example.com", "port": 27019,
		"type_name": "SHARD_CONFIG", "replica_set_name": "orders-config", "shard_name": nil, "version": nil,
	}
	if results, _ := data["results"].([]any); len(results) != 8 || !reflect.DeepEqual(results[7], want) {
		t.Errorf("got  %v\nwant %v", results, want)
	}
	if names := providertest.ResultValues(t, data, "hostname"); !slices.IsSorted(names) {
		t.Errorf("not sorted: %q", names)
	}
	ids, _ := data["ids_by_hostname"].(providertest.Values)
	if len(ids) != 8 || ids["cfg1.payments.example.com:27019"] != providertest.MirroredHost {
		t.Errorf("got %v", ids)
	}
}

func TestEveryPageOfHostsIsRead(t *testing.T) {
	t.Parallel()
	project := emulator.Project{ID: providertest.Payments, Name: "Payments"}
	for i := range 250 {
		project.Hosts = append(project.Hosts, emulator.Host{ID: fmt.Sprintf("%032x", i), Name: fmt.Sprintf("one.example.com:%d", 27017+i)})
	}
	s := providertest.StartService(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{project}}, MaxItemsPerPage: 100})
	data := providertest.NewWorkspace(t, s, nil).MustRead(t, providertest.HostsType, providertest.Values{"project_id": providertest.Payments})
	ids, _ := data["ids_by_hostname"].(providertest.Values)
	if len(ids) != 250 || ids["one.example.com:27266"] != fmt.Sprintf("%032x", 249) {
		t.Errorf("got %d: %v", len(ids), ids)
	}
}

func TestHostNameWithSeveralIDsIsLeftOut(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	s.Inject(emulator.Fault{Status: 200, Body: `{"totalCount": 4, "results": [{"id": "1", "hostname": "a", "port": 27017}, {"id": "2", "hostname": "a", "port": 27017}, {"id": "3", "hostname": "a", "port": 27018}, {"id": "4", "hostname": "b"}]}`})
	data, diags := providertest.NewWorkspace(t, s, nil).Read(providertest.HostsType, providertest.Values{"project_id": providertest.Payments})
	providertest.WantOne(t, diags.Warnings(), "Hosts With the Same Name", "ids_by_hostname leaves out", `"a:27017": 1, 2`)
	if got, want := data["ids_by_hostname"], (providertest.Values{"a:27018": "3"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
