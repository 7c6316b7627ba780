package opsmanager_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfAProjectIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answerOK(w, `{
			"id": "64f0c2a19b3d5e7f80a1b2c3",
			"name": "Core/Payments & more",
			"orgId": "64f0c1109b3d5e7f80a1b2c0",
			"replicaSetCount": 6,
			"shardCount": 2,
			"tags": ["PROD"],
			"agentApiKey": "secret",
			"hostCounts": {"primary": 4}
		}`)
	})
	want := &opsmanager.Project{
		ID:              new(payments),
		Name:            new("Core/Payments & more"),
		OrgID:           new("64f0c1109b3d5e7f80a1b2c0"),
		ReplicaSetCount: new(int64(6)),
		ShardCount:      new(int64(2)),
		Tags:            []string{"PROD"},
	}
	got, err := client.Project(t.Context(), payments)
	succeed(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	equal(t, "request", requested, basePath+"/groups/"+payments)

	got, err = client.ProjectByName(t.Context(), "Core/Payments & more")
	succeed(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	equal(t, "request", requested, basePath+"/groups/byName/Core%2FPayments%20&%20more")
}

func TestProjectsAreReadFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
	byName, err := client.ProjectByName(t.Context(), "Payments")
	succeed(t, err)
	byID, err := client.Project(t.Context(), payments)
	succeed(t, err)
	equal(t, "id", *byName.ID, payments)
	if !reflect.DeepEqual(byName, byID) {
		t.Errorf("by name %+v, by id %+v", byName, byID)
	}
	_, err = client.ProjectByName(t.Context(), "payments")
	if !opsmanager.IsMissing(err, opsmanager.ObjectProject) {
		t.Errorf("got %v", err)
	}
	equal(t, "code", wantError(t, err).Code, "GROUP_NAME_NOT_FOUND")
	_, err = client.Project(t.Context(), nowhere)
	equal(t, "code", wantError(t, err).Code, "GROUP_NOT_FOUND")
}

func TestProjectsAreListedFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t)
	listed, err := client.ListProjects(t.Context())
	succeed(t, err)
	for i, name := range []string{"Payments", "Analytics"} {
		one, err := client.ProjectByName(t.Context(), name)
		succeed(t, err)
		if i >= len(listed.Results) || !reflect.DeepEqual(listed.Results[i], *one) {
			t.Errorf("listed %+v, want %+v", listed.Results, *one)
		}
	}
	equal(t, "projects", len(listed.Results), 2)
}

func TestKeyOfTheAgentsIsInNoLogAndNoError(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	client, service := emulate(t, func(c *opsmanager.Config) {
		c.MaxRetries = 0
		c.Log = func(_ context.Context, message string, fields ...map[string]any) {
			fmt.Fprintln(&printed, message, fields)
		}
	})
	project, err := client.Project(t.Context(), payments)
	listed, failed := client.ListProjects(t.Context())
	fmt.Fprintf(&printed, "%+v %v %+v %v\n", project, err, listed, failed)
	for _, status := range []int{200, 404, 500} {
		for _, body := range []string{
			`{"id": "` + nowhere + `", "agentApiKey": "%s"}`, `{"name": 1, "agentApiKey": "%[1]s"}`, `{"agentApiKey": "%s"`,
			`{"agentApiKey": "%s"}`,
		} {
			service.Inject(emulator.Fault{
				Status: status, Body: fmt.Sprintf(body, emulator.AgentAPIKey),
				Header: http.Header{"Content-Type": {"application/json"}},
			})
			_, err := client.Project(t.Context(), payments)
			fmt.Fprintln(&printed, wantError(t, err))
		}
	}
	if strings.Contains(printed.String(), emulator.AgentAPIKey) {
		t.Error(printed.String())
	}
}
