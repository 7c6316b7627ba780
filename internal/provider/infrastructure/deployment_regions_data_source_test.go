package infrastructure_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestDeploymentRegionsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type: "opsmanager_deployment_regions", Lacks: "3.6.18",
		ID: "deployment_id", Lost: `{"deploymentDescription": "Lost"}`, Warns: []string{
			"Deployment Regions Without an ID", `lists 1 deployment region without an ID: "Lost"`,
		},
	})
}

func TestEveryFieldOfTheRegionsIsListed(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	data := providertest.NewWorkspace(t, s).MustRead(t, providertest.RegionsType, nil)
	providertest.WantEqual(t, providertest.ResultValues(t, data, "deployment_id"), []string{"AU_NZ", "EU/West 1", "NY_NJ"})
	results, _ := data["results"].([]any)
	want := values{
		"deployment_id": "EU/West 1", "deployment_description": "Western Europe, being drained",
		"ingestion_endpoint": "https://om-eu.example.com:8443", "restore_endpoint": "https://om-eu.example.com:8443",
		"bq_proxy_endpoint": "om-eu.example.com:27217", "assignment_enabled": false,
	}
	providertest.WantEqual(t, results[1], want)
}
