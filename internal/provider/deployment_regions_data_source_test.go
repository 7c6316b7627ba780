package provider_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const regionsType = "opsmanager_deployment_regions"

func TestRegionsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	data := openWorkspace(t, s, nil).mustRead(t, regionsType, nil)
	if got := idsIn(t, data, "deployment_id"); !slices.Equal(got, []string{"AU_NZ", "EU/West 1", "NY_NJ"}) {
		t.Errorf("regions %q", got)
	}
	results, _ := data["results"].([]any)
	want := values{
		"deployment_id": "EU/West 1", "deployment_description": "Western Europe, being drained",
		"ingestion_endpoint": "https://om-eu.example.com:8443", "restore_endpoint": "https://om-eu.example.com:8443",
		"bq_proxy_endpoint": "om-eu.example.com:27217", "assignment_enabled": false, "links": []any{},
	}
	if !reflect.DeepEqual(results[1], want) {
		t.Errorf("got  %v\nwant %v", results[1], want)
	}
}

func TestWhatARegionLeavesOutIsNull(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	s.Inject(emulator.Fault{Status: 200, Body: `{"totalCount": 1, "results": [{"id": "X"}]}`})
	results, _ := openWorkspace(t, s, nil).mustRead(t, regionsType, nil)["results"].([]any)
	for name, value := range results[0].(values) {
		if want := (values{"deployment_id": "X"}[name]); value != want {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
}

func TestARegionWithoutAnIDIsShownWithNullAndNotQueried(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	s.Inject(emulator.Fault{Times: 2, Status: 200, Body: `{"totalCount": 2, "results": [{"restoreEndpoint": "r", "links": [{}]}, {"id": "X"}]}`})
	w := openWorkspace(t, s, nil)
	results, _ := w.mustRead(t, regionsType, nil)["results"].([]any)
	want := values{"deployment_id": nil, "deployment_description": nil, "ingestion_endpoint": nil, "restore_endpoint": "r",
		"bq_proxy_endpoint": nil, "assignment_enabled": nil, "links": []any{values{"rel": nil, "href": nil}}}
	if len(results) != 2 || !reflect.DeepEqual(results[1], want) {
		t.Errorf("got  %v\nwant %v", results, want)
	}
	if got := names(w.query(regionType, nil, true, 0)); !slices.Equal(got, []string{"X"}) {
		t.Errorf("queried %q", got)
	}
}

func TestEveryPageOfRegionsIsRead(t *testing.T) {
	t.Parallel()
	seed := &emulator.Seed{}
	for i := range 250 {
		seed.DeploymentRegions = append(seed.DeploymentRegions, map[string]any{"id": fmt.Sprintf("R%03d", i*97%250)})
	}
	s := startService(t, emulator.Options{Seed: seed, MaxItemsPerPage: 100})
	if ids := idsIn(t, openWorkspace(t, s, nil).mustRead(t, regionsType, nil), "deployment_id"); len(slices.Compact(ids)) != 250 || !slices.IsSorted(ids) {
		t.Errorf("%d regions", len(ids))
	}
}

func TestNoRegionsAreAnEmptyList(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{Seed: &emulator.Seed{}})
	if got := openWorkspace(t, s, nil).mustRead(t, regionsType, nil)["results"]; !reflect.DeepEqual(got, []any{}) {
		t.Errorf("got %v", got)
	}
}

func TestRegionsThatAProjectsKeyCannotListSayWhichRoleItTakes(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	s.Inject(emulator.Fault{Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "Not permitted."}`})
	_, told := openWorkspace(t, s, nil).read(regionsType, nil)
	wantOne(t, told.errors(), "Unable to List Deployment Regions", "Global Backup Admin")
}
