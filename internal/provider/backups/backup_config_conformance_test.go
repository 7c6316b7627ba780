package backups_test

import (
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, backupConfigRegistrations())
}

var backupConfigAttributes = map[string]string{
	"statusName":               "status_name",
	"storageEngineName":        "storage_engine_name",
	"sslEnabled":               "ssl_enabled",
	"authMechanismName":        "auth_mechanism_name",
	"encryptionEnabled":        "encryption_enabled",
	"preferredMember":          "preferred_member",
	"excludedNamespaces":       "excluded_namespaces",
	"includedNamespaces":       "included_namespaces",
	"multiRegionBackupEnabled": "multi_region_backup_enabled",
}

var backupConfigs = providertest.ResourceType{
	TypeName: providertest.BackupConfigType,
	IDs:      []string{"project_id", "cluster_id"},
	ID: func(v values) string {
		project, _ := v["project_id"].(string)
		cluster, _ := v["cluster_id"].(string)
		return strings.ToLower(project + "/" + cluster)
	},
	Attributes: backupConfigAttributes,
	Settings:   []string{"on_destroy", "sync_source", "timeouts"},
	// A start fills in the storage engine, and one list of namespaces replaces the other.
	Coupled: func(held, wanted object) object {
		if wanted["statusName"] == "STARTED" && held["storageEngineName"] == nil {
			return object{"storageEngineName": "WIRED_TIGER"}
		}
		if wanted["includedNamespaces"] != nil {
			return object{"excludedNamespaces": []any{}}
		}
		return nil
	},

	Creatable: func(config values, live object) bool {
		return live != nil && (config["status_name"] != "STOPPED" || live["statusName"] != "INACTIVE")
	},
	Pending: map[string]providertest.Handler{
		"no configuration": onBackupConfigs(providertest.Respond(
			404, `{"error": 404, "reason": "Not Found", "errorCode": "BACKUP_CONFIG_NOT_FOUND", "detail": "None."}`, "Content-Type",
			"application/json",
		)),
		"no monitoring": onBackupConfigs(providertest.Respond(
			409, `{"error": 409, "reason": "Conflict", "errorCode": "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE", "detail": "None."}`,
			"Content-Type", "application/json",
		)),
	},
	Objects: []string{payments + "/" + cards, payments + "/" + fraud, payments + "/" + reports},
	Object: func(s *providertest.Service, id string) object {
		project, cluster, _ := strings.Cut(id, "/")
		held := s.BackupConfig(project, cluster)
		if held == nil {
			return nil
		}
		for _, field := range []string{"excludedNamespaces", "includedNamespaces"} {
			if held[field] == nil {
				held[field] = []any{} // a missing list is empty
			}
		}
		return providertest.SortedLists(held)
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		project, cluster, _ := strings.Cut(id, "/")
		s.SetBackupConfig(project, cluster, fields)
	},
	RemoveObject: func(s *providertest.Service, id string) {
		project, cluster, _ := strings.Cut(id, "/")
		s.RemoveBackupConfig(project, cluster)
	},
	Label: func(id string) string { return id[strings.Index(id, "/")+1:] },
}

// onBackupConfigs limits a handler to backup configurations.
func onBackupConfigs(handler providertest.Handler) providertest.Handler {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if strings.Contains(r.URL.Path, "/backupConfigs/") {
			handler(w, r, service)
			return
		}
		service.ServeHTTP(w, r)
	}
}

// shortTimeouts are for a status that is never reached.
var shortTimeouts = values{"create": "3s", "update": "3s", "delete": "3s"}

func backupConfigRegistrations() []providertest.Registration {
	running := providertest.Registration{
		ResourceType: backupConfigs,
		Name:         "a backup that runs",
		Options:      emulator.Options{TransitionReads: -1},
		Config: backupConfig(cards, values{
			"status_name": "STARTED", "ssl_enabled": false, "excluded_namespaces": []any{"tmp"}, "timeouts": shortTimeouts,
		}),
		Changes: []values{
			{"ssl_enabled": true},
			{"excluded_namespaces": []any{"tmp", "shop.carts"}},
			{"excluded_namespaces": []any{"shop.carts"}},
			{"encryption_enabled": true},
			{"status_name": "STOPPED"},
			{"on_destroy": "stop"},
			{"on_destroy": "terminate"},
			{"sync_source": "SECONDARY"},
			{"timeouts": values{"create": "3s", "update": "4s", "delete": "3s"}},
		},
		Drifts: []object{
			{"excludedNamespaces": []any{}},
			{"sslEnabled": true},
			{"preferredMember": "cards-0.payments.example.com:27017"},
			{"encryptionEnabled": true},
			{"statusName": "STOPPED"},
		},
		Elsewhere:  values{"cluster_id": ledger},
		Spellings:  []values{{"cluster_id": strings.ToUpper(cards)}},
		InvalidIDs: []string{cards, payments + "/cards", "/"},
		MissingID:  payments + "/" + strings.Repeat("f", 24),
	}

	stopped := running
	stopped.Name = "a backup that is stopped"
	stopped.Config = backupConfig(fraud, values{"status_name": "STOPPED", "timeouts": shortTimeouts})
	stopped.Changes = []values{{"status_name": "STARTED"}, {"ssl_enabled": false}, {"included_namespaces": []any{"shop"}}}
	stopped.Drifts = []object{{"statusName": "STARTED"}, {"preferredMember": "fraud-0.payments.example.com:27017"}}
	stopped.Spellings, stopped.InvalidIDs = nil, nil

	started := running
	started.Name = "a backup that is started for the first time"
	started.Config = backupConfig(reports, values{"status_name": "STARTED", "ssl_enabled": true, "timeouts": shortTimeouts})
	started.Changes = []values{{"status_name": "STOPPED"}, {"ssl_enabled": false}, {"excluded_namespaces": []any{"tmp"}}}
	started.Drifts = []object{{"statusName": "STOPPED"}, {"preferredMember": "reports-0.payments.example.com:27017"}}
	started.Spellings, started.InvalidIDs = nil, nil

	asItIs := running
	asItIs.Brief = true
	asItIs.Name = "a backup configuration that is adopted as it is"
	asItIs.Config = backupConfig(cards, values{"timeouts": shortTimeouts})
	asItIs.Changes = []values{{"ssl_enabled": false}, {"status_name": "STOPPED"}}
	asItIs.Spellings, asItIs.InvalidIDs = nil, nil

	return []providertest.Registration{running, stopped, started, asItIs}
}
