package opsmanager_test

import (
	"reflect"
	"testing"

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

func TestNullFieldsOfARegionAreDistinguishedFromMissingOnes(t *testing.T) {
	t.Parallel()
	client := returning(t, `{"id":null,"restoreEndpoint":null,"assignmentEnabled":null,"deploymentDescription":"d"}`)
	got, err := client.DeploymentRegion(t.Context(), "NY_NJ")
	succeed(t, err)
	want := opsmanager.DeploymentRegion{DeploymentDescription: new("d"), Nulls: []string{"assignmentEnabled", "restoreEndpoint"}}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}
