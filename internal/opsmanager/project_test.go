package opsmanager_test

import (
	"net/http"
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFieldOfAProjectIsRead(t *testing.T) {
	t.Parallel()
	var requested string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requested = r.RequestURI
		answer(w, http.StatusOK, "application/json", `{
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
	client, _ := emulate(t, emulator.Options{})
	byName, err := client.ProjectByName(t.Context(), "Payments")
	succeed(t, err)
	byID, err := client.Project(t.Context(), payments)
	succeed(t, err)
	equal(t, "id", *byName.ID, payments)
	if !reflect.DeepEqual(byName, byID) {
		t.Errorf("by name %+v, by id %+v", byName, byID)
	}
	_, err = client.ProjectByName(t.Context(), "payments")
	if !opsmanager.IsGone(err) {
		t.Errorf("got %v", err)
	}
	equal(t, "code", wantError(t, err).Code, "GROUP_NAME_NOT_FOUND")
	_, err = client.Project(t.Context(), nowhere)
	equal(t, "code", wantError(t, err).Code, "GROUP_NOT_FOUND")
}

func TestProjectsAreListedFromTheEmulator(t *testing.T) {
	t.Parallel()
	client, _ := emulate(t, emulator.Options{})
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
