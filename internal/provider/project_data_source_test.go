package provider_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

const projectType = "opsmanager_project"

func TestAProjectIsFoundByItsNameOrItsID(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	w := openWorkspace(t, s, nil)
	want := values{
		"project_id": payments, "name": "Payments", "org_id": "64f0c1109b3d5e7f80a1b2c0",
		"replica_set_count": 6, "shard_count": 2, "tags": []any{"PROD"},
		"links": []any{values{"rel": "self", "href": s.URL + emulator.BasePath + "/groups/" + payments}},
	}
	for _, config := range []values{{"name": "Payments"}, {"project_id": payments}} {
		if got := w.mustRead(t, projectType, config); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
	if got, want := s.calls(), []string{"GET /groups/byName/Payments", "GET /groups/" + payments}; !slices.Equal(got, want) {
		t.Errorf("called %q", got)
	}
}

func TestTheNameOfAProjectIsOneSegmentOfThePath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Core/Payments & more?", "clusters", "...", "ümläut 100%"} {
		s := startService(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: name}}}})
		if got := openWorkspace(t, s, nil).mustRead(t, projectType, values{"name": name}); got["project_id"] != payments || got["name"] != name {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestAProjectOfAnotherNameIsNotTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	s.Inject(emulator.Fault{Status: 200, Body: `{"id": "` + payments + `", "name": "Payments"}`})
	_, told := openWorkspace(t, s, nil).read(projectType, values{"name": "payments"})
	wantOne(t, told.errors(), "[name]", "Unable to Read Project", `"Payments"`, payments, "as it is spelled")
}

func TestAProjectThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config values
		says   []string
	}{
		"no such name":   {values{"name": "payments"}, []string{"[name]", "GROUP_NAME_NOT_FOUND", "Check how it is spelled"}},
		"no such id":     {values{"project_id": "64f0c2a19b3d5e7f80a1b2c4"}, []string{"[project_id]", "GROUP_NOT_FOUND"}},
		"a malformed id": {values{"project_id": "Payments"}, []string{"[project_id]", "24 hexadecimal digits"}},
		"an empty name":  {values{"name": ""}, []string{"[name]", "at least 1"}},
		"neither":        {values{}, []string{"project_id", "name"}},
		"both":           {values{"project_id": payments, "name": "Payments"}, []string{"project_id", "name"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, told := openWorkspace(t, startService(t, emulator.Options{}), nil).read(projectType, test.config)
			wantOne(t, told.errors(), test.says...)
		})
	}
}

func TestWhatWasAskedForStaysAsItWasConfigured(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typeName        string
		config          values
		answer          string
		attribute, says string
	}{
		"a project by its id":   {projectType, values{"project_id": payments}, `{"name": "Payments"}`, "name", "Payments"},
		"a project by its name": {projectType, values{"name": "Payments"}, `{"id": "` + payments + `"}`, "project_id", payments},
		"an id in capitals":     {projectType, values{"project_id": strings.ToUpper(payments)}, `{"id": "` + payments + `", "name": "Payments"}`, "name", "Payments"},
		"a cluster by its id":   {clusterType, values{"project_id": payments, "cluster_id": ledger}, `{"clusterName": "ledger"}`, "name", "ledger"},
		"a cluster in capitals": {clusterType, values{"project_id": payments, "cluster_id": strings.ToUpper(ledger)}, `{"id": "` + ledger + `", "replicaSetName": "ledger-rs"}`, "name", "ledger-rs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startService(t, emulator.Options{})
			s.Inject(emulator.Fault{Status: 200, Body: test.answer, Header: http.Header{"Content-Type": {"application/json"}}})
			data := openWorkspace(t, s, nil).mustRead(t, test.typeName, test.config)
			for attribute, value := range test.config {
				if data[attribute] != value {
					t.Errorf("%s is %v, configured %v", attribute, data[attribute], value)
				}
			}
			if data[test.attribute] != test.says {
				t.Errorf("%s is %v, want %s", test.attribute, data[test.attribute], test.says)
			}
		})
	}
}
