package infrastructure_test

import (
	"slices"

	"terraform-provider-opsmanager/internal/providertest"
)

// elsewhere is a region that does not exist in the seed.
const elsewhereRegion = "ELSEWHERE"

var regionAttributes = map[string]string{
	"deploymentDescription": "deployment_description",
	"ingestionEndpoint":     "ingestion_endpoint",
	"restoreEndpoint":       "restore_endpoint",
	"bqProxyEndpoint":       "bq_proxy_endpoint",
	"assignmentEnabled":     "assignment_enabled",
}

var regions = providertest.ResourceType{
	TypeName: providertest.RegionType,
	IDs:      []string{"deployment_id"},
	ID: func(v values) string {
		id, _ := v["deployment_id"].(string)
		return id
	},
	Attributes: regionAttributes,
	Settings:   []string{"deletion_protection", "on_destroy"},

	Creatable: func(config values, live object) bool {
		if live != nil {
			return false
		}
		for _, attribute := range regionAttributes {
			if attribute != "assignment_enabled" && config[attribute] == nil {
				return false
			}
		}
		return true
	},
	Deletes: func(state values) bool {
		return state["on_destroy"] != "keep" && state["deletion_protection"] != true
	},
	Protects: func(state values) bool { return state["deletion_protection"] == true },

	Objects:      []string{providertest.NewYork, providertest.Oceania, providertest.Europe, "NEW", elsewhereRegion},
	Object:       func(s *providertest.Service, id string) object { return s.Region(id) },
	SetObject:    func(s *providertest.Service, id string, fields object) { s.SetRegion(id, fields) },
	RemoveObject: func(s *providertest.Service, id string) { s.RemoveRegion(id) },
}

func regionRegistrations() []providertest.Registration {
	made := providertest.Registration{
		ResourceType: regions,
		Name:         "a region that is created",
		Config:       providertest.Region("NEW", nil),
		Changes: []values{
			{"deployment_description": "Changed"},
			{"ingestion_endpoint": "https://changed.example.com:8443"},
			{"restore_endpoint": "https://changed.example.com:8444"},
			{"bq_proxy_endpoint": "changed.example.com:27217"},
			{"assignment_enabled": true},
			{"on_destroy": "keep"},
			{"deletion_protection": true},
		},
		Drifts: []object{
			{"deploymentDescription": "Clicked"},
			{"ingestionEndpoint": "https://clicked.example.com:8443"},
			{"restoreEndpoint": "https://clicked.example.com:8444"},
			{"bqProxyEndpoint": "clicked.example.com:27217"},
			{"assignmentEnabled": true},
		},
		Created:    true,
		Elsewhere:  values{"deployment_id": elsewhereRegion},
		InvalidIDs: []string{""},
		MissingID:  "NOWHERE",
	}

	protected := made
	protected.Brief = true
	protected.Name = "a region that is protected"
	protected.Config = made.Config.With(values{"deletion_protection": true})
	protected.Changes = slices.Clone(made.Changes)
	protected.Changes[6] = values{"deletion_protection": false}

	forgotten := made
	forgotten.Brief = true
	forgotten.Name = "a region that is forgotten"
	forgotten.Config = made.Config.With(values{"on_destroy": "keep"})
	forgotten.Changes = slices.Clone(made.Changes)
	forgotten.Changes[5] = values{"on_destroy": "delete"}

	return []providertest.Registration{made, protected, forgotten}
}
