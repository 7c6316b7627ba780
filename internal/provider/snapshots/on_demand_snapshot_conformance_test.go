package snapshots_test

import (
	"maps"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// The suite manages the expiry of an imported snapshot, because each creation takes another one.
func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, snapshotRegistrations())
}

var expiryAttributes = map[string]string{"expires": "expires", "doNotDelete": "do_not_delete"}

var snapshots = providertest.ResourceType{
	TypeName: providertest.OnDemandSnapshotType,
	IDs:      []string{"project_id", "cluster_id", "id"},
	ID: func(v values) string {
		id, _ := v["id"].(string)
		if id == "" {
			id = newest
		}
		project, _ := v["project_id"].(string)
		cluster, _ := v["cluster_id"].(string)
		return strings.ToLower(project + "/" + cluster + "/" + id)
	},
	Attributes: expiryAttributes,
	Fields: func(v values) object {
		found := object{}
		for field, attribute := range expiryAttributes {
			if v[attribute] != nil {
				found[field] = v[attribute]
			}
		}
		if v["do_not_delete"] == true {
			found["expires"] = nil
		}
		return found
	},
	Settings: []string{"on_destroy", "timeouts"},
	// A snapshot that is held has no expiry, and one that expires is not held.
	Coupled: func(_, wanted object) object {
		switch {
		case wanted["doNotDelete"] == true:
			return object{"expires": nil}
		case wanted["expires"] != nil && wanted["doNotDelete"] == nil:
			return object{"doNotDelete": false}
		}
		return nil
	},
	Deletes: func(state values) bool { return state["on_destroy"] == "delete" },
	Protects: func(state values) bool {
		return state["on_destroy"] == "delete" && state["do_not_delete"] == true
	},

	Foreign: map[string]object{payments + "/" + orders + "/" + later: {
		"complete": true, "doNotDelete": false, "created": object{"date": "2025-09-02T01:15:03Z", "increment": 1}, "expires": "2095-01-01T00:00:00Z",
	}},
	Objects: []string{payments + "/" + orders + "/" + newest},
	Object: func(s *providertest.Service, id string) object {
		parts := strings.Split(id, "/")
		for _, snapshot := range s.Snapshots(parts[0], parts[1]) {
			if snapshot["id"] == parts[2] {
				return snapshot
			}
		}
		return nil
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		parts := strings.Split(id, "/")
		if fields["doNotDelete"] == true {
			fields = maps.Clone(fields)
			fields["expires"] = nil
		}
		s.SetSnapshot(parts[0], parts[1], parts[2], fields)
	},
	RemoveObject: func(s *providertest.Service, id string) {
		parts := strings.Split(id, "/")
		s.RemoveSnapshot(parts[0], parts[1], parts[2])
	},
	Label: func(id string) string { return id[strings.LastIndex(id, "/")+1:] },
}

func snapshotRegistrations() []providertest.Registration {
	base := providertest.Registration{
		ResourceType: snapshots,
		Created:      true,
		Imported: object{
			"complete": true, "doNotDelete": false, "created": object{"date": "2025-09-01T01:15:03Z", "increment": 2}, "expires": "2095-01-01T00:00:00Z",
		},
		Elsewhere:  values{"cluster_id": providertest.Cards},
		InvalidIDs: []string{"", "/", payments + "/" + orders, payments + "/" + orders + "/latest"},
		MissingID:  payments + "/" + orders + "/0123456789abcdef01234567",
	}
	ids := values{"project_id": payments, "cluster_id": orders}

	expiring := base
	expiring.Name = "expiring snapshot"
	expiring.Config = ids.With(values{"expires": "2096-01-01T00:00:00Z", "do_not_delete": false, "on_destroy": "delete"})
	expiring.Changes = []values{
		{"expires": "2097-01-01T00:00:00Z"},
		{"do_not_delete": true, "expires": nil},
		{"on_destroy": "keep"},
		{"timeouts": values{"create": "1h"}},
	}
	expiring.Drifts = []object{{"expires": "2098-01-01T00:00:00Z"}, {"expires": "2099-01-01T00:00:00Z"}}

	held := base
	held.Name = "held snapshot"
	held.Config = ids.With(values{"do_not_delete": true})
	held.Changes = []values{
		{"do_not_delete": false, "expires": "2097-01-01T00:00:00Z"},
		{"on_destroy": "delete"},
		{"timeouts": values{"create": "1h"}},
	}
	held.Drifts = []object{{"doNotDelete": false}, {"doNotDelete": false}}
	return []providertest.Registration{expiring, held}
}
