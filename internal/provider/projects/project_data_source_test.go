package projects_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestProjectDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckSource(t, providertest.Source{Type: "opsmanager_project", Config: values{"project_id": payments}})
	providertest.CheckSource(t, providertest.Source{Type: "opsmanager_project", Config: values{"name": "Payments"}, Lacks: "3.6.18"})
}

func TestProjectIsFoundByNameOrID(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	want := values{
		"project_id": payments, "name": "Payments", "org_id": "64f0c1109b3d5e7f80a1b2c0",
		"replica_set_count": 6, "shard_count": 2, "tags": []any{"PROD"},
	}
	for _, config := range []values{{"name": "Payments"}, {"project_id": payments}} {
		providertest.WantEqual(t, w.MustRead(t, providertest.ProjectType, config), want)
	}
	providertest.WantEqual(t, s.Calls(), []string{"GET /groups/byName/Payments", "GET /groups/" + payments})
}

func TestProjectNameIsEscapedInThePath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Core/Payments & more?", "clusters", "...", "ümläut 100%"} {
		_, w := start(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: name}}}})
		if got := w.MustRead(t, providertest.ProjectType, values{"name": name}); got["project_id"] != payments ||
			got["name"] != name {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestProjectWithAnotherNameIsAnError(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	s.Inject(emulator.Fault{Status: 200, Body: `{"id": "` + payments + `", "name": "Payments"}`})
	_, diags := w.Read(providertest.ProjectType, values{"name": "payments"})
	diags.WantError(t, "[name]", "Unable to Read Project", `"Payments"`, payments, "exact name")
}

func TestErrorsOfReadingAProjectNameTheAttribute(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config values
		says   []string
	}{
		"no such name": {
			values{"name": "payments"},
			[]string{"[name]", "GROUP_NAME_NOT_FOUND", "Check the spelling", `It has access to "Payments", "Analytics".`},
		},
		"no such ID":     {values{"project_id": "64f0c2a19b3d5e7f80a1b2c4"}, []string{"[project_id]", "GROUP_NOT_FOUND"}},
		"a malformed ID": {values{"project_id": "Payments"}, []string{"[project_id]", "24 hexadecimal digits"}},
		"an empty name":  {values{"name": ""}, []string{"[name]", "at least 1"}},
		"neither":        {values{}, []string{"project_id", "name"}},
		"both":           {values{"project_id": payments, "name": "Payments"}, []string{"project_id", "name"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, w := start(t)
			_, diags := w.Read(providertest.ProjectType, test.config)
			diags.WantError(t, test.says...)
		})
	}
}

func TestNoNamesAreProposedFromAListWithANull(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	s.Inject(emulator.Fault{Skip: 1, Status: 200, Body: `{"results": [null, {"id": "` + payments + `", "name": "Payments"}], "totalCount": 2}`})
	_, diags := w.Read(providertest.ProjectType, values{"name": "payments"})
	diags.WantError(t, "[name]", "GROUP_NAME_NOT_FOUND")
	providertest.WantUnsaid(t, diags.Errors(), "It has access to")
}

func TestConfiguredNamesAndIDsAreKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typeName        string
		config          values
		response        string
		attribute, says string
	}{
		"a project by its ID":   {providertest.ProjectType, values{"project_id": payments}, `{"name": "Payments"}`, "name", "Payments"},
		"a project by its name": {providertest.ProjectType, values{"name": "Payments"}, `{"id": "` + payments + `"}`, "project_id", payments},
		"an ID in upper case": {
			providertest.ProjectType, values{"project_id": strings.ToUpper(payments)}, `{"id": "` + payments + `", "name": "Payments"}`,
			"name", "Payments",
		},
		"a cluster by its ID": {
			providertest.ClusterType, values{"project_id": payments, "cluster_id": ledger}, `{"clusterName": "ledger"}`, "name",
			"ledger",
		},
		"a cluster ID in upper case": {
			providertest.ClusterType, values{"project_id": payments, "cluster_id": strings.ToUpper(ledger)},
			`{"id": "` + ledger + `", "replicaSetName": "ledger-rs"}`, "name", "ledger-rs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := start(t)
			s.Inject(emulator.Fault{Status: 200, Body: test.response})
			data := w.MustRead(t, test.typeName, test.config)
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
