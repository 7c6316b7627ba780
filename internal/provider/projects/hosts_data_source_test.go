package projects_test

import (
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestHostsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_hosts", Config: values{"project_id": payments},
		ID: "id", Lost: `{"hostname": "lost", "port": 27017}`, Warns: []string{
			"Hosts Without an ID in Project " + payments, `lists 1 host without an ID: "lost:27017"`,
		},
	})
}

func TestHostsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	_, w := start(t)
	data := w.MustRead(t, providertest.HostsType, values{"project_id": payments})
	want := values{
		"id": providertest.ModernHost, "project_id": payments, "cluster_id": "650a2036b7d9f1e3a5c70927",
		"hostname": "orders-config-1.payments.example.com", "port": 27019,
		"type_name": "SHARD_CONFIG", "replica_set_name": "orders-config", "shard_name": nil, "version": nil,
	}
	if results, _ := data["results"].([]any); len(results) != 11 || !reflect.DeepEqual(results[7], want) {
		t.Errorf("got  %v\nwant %v", results, want)
	}
	if names := providertest.ResultValues(t, data, "hostname"); !slices.IsSorted(names) {
		t.Errorf("not sorted: %q", names)
	}
	ids, _ := data["ids_by_hostname"].(values)
	if len(ids) != 11 || ids["cfg1.payments.example.com:27019"] != providertest.MirroredHost {
		t.Errorf("got %v", ids)
	}
}

func TestHostNameWithSeveralIDsIsLeftOut(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	s.Inject(emulator.Fault{
		Status: 200,
		Body: `{"totalCount": 4, "results": [
			{"id": "1", "hostname": "a", "port": 27017},
			{"id": "2", "hostname": "a", "port": 27017},
			{"id": "3", "hostname": "a", "port": 27018},
			{"id": "4", "hostname": "b"}
		]}`,
	})
	data, diags := w.Read(providertest.HostsType, values{"project_id": payments})
	providertest.WantEach(t, diags.Warnings(),
		[]string{
			"Hosts With the Same Name", "ids_by_hostname leaves out", `"a:27017": 1, 2`,
		}, []string{"Hosts Without a Name", "ids_by_hostname leaves them out: 4."})
	providertest.WantEqual(t, data["ids_by_hostname"], values{"a:27018": "3"})
}
