package infrastructure_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/infrastructure"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestAStoreIsLookedForInThePlanAndThenInOpsManager(t *testing.T) {
	t.Parallel()
	const s1, s3 = "s1, type blockstore", "s1, type s3blockstore"
	type status = infrastructure.StoreStatus
	blockstore := infrastructure.StoreReference{Type: "blockstore", ID: "s1"}
	s3Blockstore := infrastructure.StoreReference{Type: "s3blockstore", ID: "s1"}
	set := func(elements ...attr.Value) types.Set { return types.SetValueMust(types.StringType, elements) }
	held := func(fields object) func(*providertest.Service) {
		return func(s *providertest.Service) { s.SetBackupStore(emulator.Blockstore, "s1", fields) }
	}
	refused := func(path string, status int) func(*providertest.Service) {
		return func(s *providertest.Service) {
			s.Inject(emulator.Fault{Path: path, Times: -1, Status: status})
		}
	}
	east := held(object{"labels": []any{"east"}, "assignmentEnabled": true})
	for name, test := range map[string]struct {
		store   infrastructure.StoreReference
		planned attr.Value // labels, if the plan manages the store
		begin   func(*providertest.Service)
		want    status
	}{
		"a store with labels": {blockstore, nil, east, status{Labels: &[]string{"east"}}},
		"a store without labels": {
			blockstore, nil, held(object{"assignmentEnabled": true}),
			status{Labels: &[]string{}},
		},
		"a response without labels": {blockstore, nil, func(s *providertest.Service) {
			s.Inject(emulator.Fault{
				Path: "/mongoConfigs/s1", Status: http.StatusOK,
				Body: `{"id": "s1"}`,
			})
		}, status{Labels: new([]string)}},
		"a store that is off": {
			blockstore, nil, held(object{"assignmentEnabled": false}),
			status{Labels: &[]string{}, Off: "s1"},
		},
		"a missing store": {blockstore, nil, nil, status{Missing: s1}},
		"a store of another type": {
			s3Blockstore, nil, east,
			status{Missing: s3 + " (the store with this ID has the type blockstore)"},
		},
		"other types can't be read": {
			s3Blockstore, nil, refused("/mongoConfigs", http.StatusForbidden),
			status{Missing: s3},
		},
		"a missing store with a control code": {
			infrastructure.StoreReference{Type: "blockstore", ID: "s\u009b1"}, nil, nil,
			status{Missing: "s 1, type blockstore"},
		},
		"a store that can't be read": {blockstore, nil, refused("/mongoConfigs", http.StatusForbidden), status{}},
		"the page of a proxy":        {blockstore, nil, refused("/mongoConfigs", http.StatusNotFound), status{}},
		"an unknown ID":              {infrastructure.StoreReference{Type: "blockstore"}, nil, nil, status{}},
		"an unknown type":            {infrastructure.StoreReference{Type: "newKind", ID: "s1"}, nil, east, status{}},
		"a planned store": {
			blockstore, set(types.StringValue("west")), east, status{Labels: &[]string{"west"}},
		},
		"a planned store that keeps its labels": {
			blockstore, types.SetNull(types.StringType), east, status{Labels: &[]string{"east"}},
		},
		"a new store without planned labels": {blockstore, types.SetNull(types.StringType), nil, status{}},
		"planned labels that are not known":  {blockstore, types.SetUnknown(types.StringType), east, status{}},
		"a planned label that is not known":  {blockstore, set(types.StringValue("west"), types.StringUnknown()), east, status{}},
		"a planned store of another type": {
			s3Blockstore, set(), nil,
			status{Missing: s3 + " (the store with this ID has the type blockstore)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t)
			address, err := opsmanager.ParseBaseURL(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			data := &connection.Data{Client: opsmanager.NewClient(opsmanager.Config{
				BaseURL: address, PublicKey: emulator.DefaultPublicKey, PrivateKey: emulator.DefaultPrivateKey,
			})}
			if test.begin != nil {
				test.begin(s)
			}
			if test.planned != nil {
				putresource.RecordPlan(
					data, "blockstore",
					putresource.Planned{ID: []string{test.store.ID}, Values: tf.Values{"labels": test.planned}, IsNew: true},
				)
			}
			if got := test.store.Find(t.Context(), data); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v %v, want %+v %v", got, got.Labels, test.want, test.want.Labels)
			}
			if sent := s.Requests(); test.store.ID == "" && len(sent) > 0 {
				t.Errorf("sent %v", sent)
			}
		})
	}
}
