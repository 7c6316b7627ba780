package opsmanager_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

// region returns a region with all fields of a request.
func region(id string) opsmanager.DeploymentRegion {
	return opsmanager.DeploymentRegion{
		ID:                    id,
		DeploymentDescription: new("east coast"),
		IngestionEndpoint:     new("https://ingest.example.com"),
		RestoreEndpoint:       new("https://restore.example.com"),
		BQProxyEndpoint:       new("query.example.com:25999"),
		AssignmentEnabled:     new(true),
	}
}

func TestRegionIsCreatedReadReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	ctx := t.Context()

	want := region("EU/West 1%")
	created, err := client.CreateDeploymentRegion(ctx, want)
	succeed(t, err)
	read, err := client.DeploymentRegion(ctx, want.ID)
	succeed(t, err)
	for _, got := range []*opsmanager.DeploymentRegion{created, read} {
		got.Links = nil
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("got %+v, want %+v", *got, want)
		}
	}

	want.AssignmentEnabled = new(false) // must be sent
	want.DeploymentDescription = new("")
	updated, err := client.UpdateDeploymentRegion(ctx, want)
	succeed(t, err)
	equal(t, "assignment", *updated.AssignmentEnabled, false)
	equal(t, "id", updated.ID, want.ID)
	stored := service.Region(want.ID)
	equal(t, "stored assignment", stored["assignmentEnabled"], any(false))
	equal(t, "stored description", stored["deploymentDescription"], any(""))

	succeed(t, client.DeleteDeploymentRegion(ctx, want.ID))
	if service.Region(want.ID) != nil {
		t.Error("the region still exists")
	}
	if err := client.DeleteDeploymentRegion(ctx, want.ID); !opsmanager.IsMissing(err, opsmanager.ObjectDeploymentRegion) {
		t.Errorf("want 'gone', got %v", err)
	}
	if _, err := client.DeploymentRegion(ctx, want.ID); !opsmanager.IsMissing(err, opsmanager.ObjectDeploymentRegion) {
		t.Errorf("want 'gone', got %v", err)
	}
}

// regionFields returns the fields of region under their API names.
func regionFields() map[string]any {
	return map[string]any{
		"deploymentDescription": "east coast",
		"ingestionEndpoint":     "https://ingest.example.com",
		"restoreEndpoint":       "https://restore.example.com",
		"bqProxyEndpoint":       "query.example.com:25999",
		"assignmentEnabled":     true,
	}
}

func TestRegionIsSentWithTheFieldNamesOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPost, http.MethodPut} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			var sent []byte
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				sent, _ = io.ReadAll(r.Body)
				answerOK(w, `{"deploymentDescription":"x"}`)
			})
			succeed(t, call[method](t.Context(), client))
			want := regionFields()
			if method == http.MethodPost {
				want["id"] = "NEW" // PUT has it in the path only
			}
			if got := decode(t, sent); !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestEveryFieldOfARegionIsRead(t *testing.T) {
	t.Parallel()
	fields := regionFields()
	fields["id"] = "NY_NJ"
	body, err := json.Marshal(fields)
	succeed(t, err)
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "", string(body)) })
	got, err := client.DeploymentRegion(t.Context(), "NY_NJ")
	succeed(t, err)
	want := region("NY_NJ")
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestMissingFieldsOfARegionAreNil(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "", `{"id":"NY_NJ"}`) })
	got, err := client.DeploymentRegion(t.Context(), "NY_NJ")
	succeed(t, err)
	if want := (opsmanager.DeploymentRegion{ID: "NY_NJ"}); !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestDeletingABoundRegionFailsWithTheReason(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	service.SetRegion("BUSY", nil)
	service.UseRegion("BUSY", "oplogStore1")
	err := client.DeleteDeploymentRegion(t.Context(), "BUSY")
	e := wantError(t, err)
	equal(t, "status", e.Status, http.StatusConflict)
	equal(t, "parameter", e.Parameters[0], "BUSY")
	if opsmanager.IsMissing(err, opsmanager.ObjectDeploymentRegion) || opsmanager.IsUnsupported(err) {
		t.Errorf("got %v", err)
	}
}

func TestRegionsOfAllPagesAreListed(t *testing.T) {
	t.Parallel()
	client, service := emulateWith(t, emulator.Options{MaxItemsPerPage: 2})
	got, err := client.ListDeploymentRegions(t.Context())
	succeed(t, err)
	listed := map[string]string{}
	for _, region := range got.Results {
		listed[region.ID] = *region.DeploymentDescription
	}
	for _, id := range []string{"NY_NJ", "AU_NZ", "EU/West 1"} {
		if want := service.Region(id)["deploymentDescription"]; len(got.Results) != 3 || listed[id] != want {
			t.Errorf("%s is %q, want %q", id, listed[id], want)
		}
	}
}

func TestResponseForAnotherRegionIsAnErrorWithTheRequestedID(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, *opsmanager.Client) error{
		http.MethodGet: func(ctx context.Context, c *opsmanager.Client) error {
			_, err := c.DeploymentRegion(ctx, "NY_NJ")
			return err
		},
		http.MethodPost: func(ctx context.Context, c *opsmanager.Client) error {
			_, err := c.CreateDeploymentRegion(ctx, region("NY_NJ"))
			return err
		},
		http.MethodPut: func(ctx context.Context, c *opsmanager.Client) error {
			_, err := c.UpdateDeploymentRegion(ctx, region("NY_NJ"))
			return err
		},
	}
	for method, call := range calls {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, "", `{"id":"AU_NZ","deploymentDescription":"Oceania"}`)
		})
		err := call(t.Context(), client)
		e := wantError(t, err)
		if e.Method != method || !errors.Is(err, opsmanager.ErrOtherObject) ||
			opsmanager.MayHaveChanged(err) != (method != http.MethodGet) || strings.Contains(err.Error(), "AU_NZ") ||
			!strings.Contains(err.Error(), `"NY_NJ"`) || opsmanager.IsMissing(err, opsmanager.ObjectDeploymentRegion) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestNullFieldsOfARegionAreDistinguishedFromMissingOnes(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "", `{"id":null,"restoreEndpoint":null,"assignmentEnabled":null,"deploymentDescription":"d"}`)
	})
	got, err := client.DeploymentRegion(t.Context(), "NY_NJ")
	succeed(t, err)
	want := opsmanager.DeploymentRegion{DeploymentDescription: new("d"), Nulls: []string{"assignmentEnabled", "restoreEndpoint"}}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestA404WithoutAnErrorDocumentMayMeanThatTheOperationIsMissing(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		"404 page not found\n":                  true,
		"<html><title>404</title></html>":       true,
		"":                                      true,
		`{"error": 404, "message": "no route"}`: true,
		`{"error": 404, "errorCode": "RESOURCE_NOT_FOUND"}`: true,
		`{"error": 404, "detail": "No such region."}`:       false,
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusNotFound, "", body) })
		_, err := client.DeploymentRegion(t.Context(), "NY_NJ")
		if got := opsmanager.MayBeUnsupported(err); got != want || opsmanager.IsMissing(err, opsmanager.ObjectDeploymentRegion) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}
