package restores_test

import (
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

const (
	seedJob   = "66d4e1a0c4d6e8f0a2b4c801" // a restore of ledger in the seed
	seedJobID = payments + "/" + ledger + "/" + seedJob
)

// The suite follows an imported restore that does not end, because each creation starts another
// one. TestNoFaultStartsASecondRestore does the same with creations.
func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, restoreRegistrations())
}

var restoreJobs = providertest.ResourceType{
	TypeName: providertest.RestoreJobType,
	IDs:      []string{"project_id", "cluster_id", "id"},
	ID: func(v values) string {
		id, _ := v["id"].(string)
		if id == "" {
			id = seedJob
		}
		project, _ := v["project_id"].(string)
		cluster, _ := v["cluster_id"].(string)
		return strings.ToLower(project + "/" + cluster + "/" + id)
	},
	Attributes: map[string]string{"statusName": "status_name"},
	Settings:   []string{"target_cluster_name", "timeouts", "triggers"},
	Objects:    []string{seedJobID},
	Object: func(s *providertest.Service, id string) object {
		parts := strings.Split(id, "/")
		for _, job := range s.RestoreJobs(parts[0], parts[1]) {
			if job["id"] == parts[2] {
				return job
			}
		}
		return nil
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		parts := strings.Split(id, "/")
		s.SetRestoreJob(parts[0], parts[1], parts[2], fields)
	},
	RemoveObject: func(s *providertest.Service, id string) {
		parts := strings.Split(id, "/")
		s.RemoveRestoreJobs(parts[0], parts[1])
	},
	Label:   func(id string) string { return strings.Split(id, "/")[1] },
	Telling: []string{"delivery.maxDownloads"}, // Ops Manager documents one method for all restores, so only this tells a link
	Inapplicable: map[string]string{
		"an object that another client deletes is a change of the plan": "a job is a record, and what it restored stays",
	},
}

func restoreRegistrations() []providertest.Registration {
	link := providertest.Registration{
		ResourceType: restoreJobs,
		Name:         "a restore to a link",
		Created:      true,
		Imported:     object{"statusName": "IN_PROGRESS", "delivery": object{"methodName": "HTTP", "statusName": "IN_PROGRESS", "maxDownloads": 2}},
		Config:       toLink(),
		Changes: []values{
			{"timeouts": values{"create": "1h", "update": "1h"}},
			{"timeouts": values{"create": "2h", "update": "3h"}},
		},
		Drifts:     []object{{"statusName": "QUEUED"}, {"statusName": "STARTING"}},
		Elsewhere:  values{"cluster_id": cards},
		InvalidIDs: []string{"", "/", payments + "/" + ledger, payments + "/" + ledger + "/latest"},
		MissingID:  payments + "/" + ledger + "/0123456789abcdef01234567",
	}

	cluster := link
	cluster.Name = "a restore into a cluster"
	cluster.Imported = object{"statusName": "IN_PROGRESS"}
	cluster.Config = intoCards()
	cluster.Changes = []values{
		{"target_cluster_name": "renamed"},
		{"timeouts": values{"create": "1h", "update": "1h"}},
	}
	return []providertest.Registration{link, cluster}
}
