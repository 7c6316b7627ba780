package serve

import (
	"context"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const (
	project, cluster             = "64f0c2a19b3d5e7f80a1b2c3", "650A1F3C2e4b6d8091a3b5c7"
	targetProject, targetCluster = "64f0c2d57c1e4a6b92d3f4e5", "650a1f8b5d7092a4c6e8f013"
)

// reader is a namer that knows no name. It returns the IDs that it would read as names.
type reader struct{}

func (reader) KnownName(string) string { return "" }

func (reader) ReadName(_ context.Context, projectID, clusterID string) string {
	return projectID + "/" + clusterID
}

func TestProjectOfAClusterIsThatOfTheRequest(t *testing.T) {
	t.Parallel()
	values := map[string]tftypes.Value{}
	for name, id := range map[string]string{
		"project_id": project, "cluster_id": cluster, "target_project_id": targetProject, "target_cluster_id": targetCluster,
		"id": targetProject,
	} {
		values[name] = tftypes.NewValue(tftypes.String, id)
	}
	types := map[string]tftypes.Type{"status": tftypes.String}
	for name := range values {
		types[name] = tftypes.String
	}
	values["status"] = tftypes.NewValue(tftypes.String, nil)
	object := tftypes.Object{AttributeTypes: types}
	state, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		t.Fatal(err)
	}
	json := `{"cluster_id":"` + cluster + `","id":null,"project_id":"` + project +
		`","target_cluster_id":"` + targetCluster + `","target_project_id":"` + targetProject + `"}`
	for name, request := range map[string]any{
		"a plan":         &tfprotov6.PlanResourceChangeRequest{ProposedNewState: &state},
		"an action":      &tfprotov6.InvokeActionRequest{Config: &state},
		"a stored state": &tfprotov6.UpgradeResourceStateRequest{RawState: &tfprotov6.RawState{JSON: []byte(json)}},
	} {
		for id, want := range map[string]string{"650a1f3c2e4b6d8091a3b5c7": project, targetCluster: targetProject, "650a1f8b5d7092a4c6e8f014": ""} {
			if got := projectOf(request, id); got != want {
				t.Errorf("%s: cluster %s is in project %q, want %q", name, id, got, want)
			}
		}
	}
}

func TestNamesAreReadForErrorsAndForWarningsThatTerraformDoesNotCombine(t *testing.T) {
	t.Parallel()
	const bare, named = "Project " + project, "Project " + project + "/ (" + project + ")"
	var got []string
	p := printable{namer: reader{}}
	for _, m := range []*tfprotov6.Diagnostic{
		{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Unable", Detail: bare},
		{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: bare, Detail: bare},
		{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: "Kept", Detail: bare},
	} {
		p.print(t.Context(), &tfprotov6.ReadResourceRequest{}, []*tfprotov6.Diagnostic{m})
		got = append(got, m.Summary, m.Detail)
	}
	if want := []string{"Unable", named, named, named, "Kept", bare}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
