package projects_test

import (
	"fmt"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestProjectsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_projects", Lacks: "3.6.18",
		ID: "id", Lost: `{"name": "lost"}`, Warns: []string{"Projects Without an ID", `lists 1 project without an ID: "lost"`},
	})
}

func TestProjectsAreListedWithEveryField(t *testing.T) {
	t.Parallel()
	_, w := start(t)
	data := w.MustRead(t, providertest.ProjectsType, nil)
	if got := providertest.ResultValues(t, data, "name"); !slices.Equal(got, []string{"Analytics", "Payments"}) {
		t.Fatalf("got projects %q", got)
	}
	results, _ := data["results"].([]any)
	want := values{
		"id": payments, "name": "Payments", "org_id": "64f0c1109b3d5e7f80a1b2c0",
		"replica_set_count": 6, "shard_count": 2, "tags": []any{"PROD"},
	}
	providertest.WantEqual(t, results[1], want)
	analytics, _ := results[0].(values)
	providertest.WantEqual(t, data["ids_by_name"], values{"Analytics": analytics["id"], "Payments": payments})
}

func TestProjectNameInTwoOrganizationsIsLeftOutWithAWarning(t *testing.T) {
	t.Parallel()
	const first, second = "64f0c2a19b3d5e7f80a1b2c1", "64f0c2a19b3d5e7f80a1b2c2"
	_, w := start(t, emulator.Options{Seed: &emulator.Seed{Projects: []emulator.Project{
		{ID: second, Name: composed, OrgID: "64f0c1109b3d5e7f80a1b2c0"},
		{ID: payments, Name: "Payments"},
		{ID: first, Name: decomposed, OrgID: "64f0c1109b3d5e7f80a1b2c1"},
	}}})
	data, diags := w.Read(providertest.ProjectsType, nil)
	providertest.WantEqual(t, providertest.ResultValues(t, data, "id"), []string{first, second, payments})
	providertest.WantEqual(t, data["ids_by_name"], values{"Payments": payments})
	diags.WantWarning(t, "Projects With the Same Name", fmt.Sprintf("%q: %s, %s", composed, first, second))
}

func TestProjectsWithoutANameOrAnIDAreListed(t *testing.T) {
	t.Parallel()
	s, w := start(t)
	s.Inject(emulator.Fault{
		Status: 200,
		Body: `{"totalCount": 4, "results": [
			{},
			{"id": "", "name": "lost"},
			{"id": "` + payments + `", "name": "Payments"},
			{"id": "64f0c2d57c1e4a6b92d3f4e5"}
		]}`,
	})
	data, diags := w.Read(providertest.ProjectsType, nil)
	providertest.WantEach(t, diags.Warnings(),
		[]string{"Projects Without an ID", `2 projects`, `"lost", "-"`}, []string{
			"Projects Without a Name", "ids_by_name leaves them out: 64f0c2d57c1e4a6b92d3f4e5.",
		})
	providertest.WantEqual(t, data["ids_by_name"], values{"Payments": payments})
	var ids []string
	for _, item := range data["results"].([]any) {
		ids = append(ids, fmt.Sprint(item.(values)["id"]))
	}
	if want := []string{payments, "<nil>", "64f0c2d57c1e4a6b92d3f4e5", "<nil>"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}
