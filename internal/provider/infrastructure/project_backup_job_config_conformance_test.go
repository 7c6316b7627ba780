package infrastructure_test

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const analytics = "64f0c2d57c1e4a6b92d3f4e5" // has a job configuration, unlike payments

var jobConfigAttributes = map[string]string{
	"labelFilter": "label_filter", "daemonFilter": "daemon_filter", "snapshotStoreFilter": "snapshot_store_filter",
	"oplogStoreFilter": "oplog_store_filter", "syncStoreFilter": "sync_store_filter", "kmipClientCertPath": "kmip_client_cert_path",
}

// jobConfigDaemon returns a daemon in a filter, as a configuration and as a response have it.
func jobConfigDaemon(machine string) (configured values, held object) {
	return daemon(machine), object{"machine": machine, "headRootDirectory": headRoot}
}

// filtersToAPI returns the fields of some attributes.
func filtersToAPI(v values) object {
	found := object{}
	for field, attribute := range jobConfigAttributes {
		if v[attribute] != nil {
			found[field] = v[attribute]
		}
	}
	if list, ok := found["daemonFilter"].([]any); ok {
		renamed := []any{}
		for _, element := range list {
			one := object{}
			for attribute, value := range element.(values) { //nolint:forcetypeassert // the schema has the type
				one[map[string]string{"machine": "machine", "head_root_directory": "headRootDirectory"}[attribute]] = value
			}
			renamed = append(renamed, one)
		}
		found["daemonFilter"] = renamed
	}
	for _, field := range []string{"snapshotStoreFilter", "oplogStoreFilter"} {
		if list, ok := found[field].([]any); ok {
			plain := []any{}
			for _, element := range list {
				plain = append(plain, object(element.(values))) //nolint:forcetypeassert // the schema has the type
			}
			found[field] = plain
		}
	}
	return providertest.SortedLists(found)
}

// hasFilter reports whether a job configuration has a filter that is not empty.
func hasFilter(config object) bool {
	for field := range jobConfigAttributes {
		if list, _ := config[field].([]any); len(list) > 0 {
			return true
		}
	}
	return false
}

var jobConfigType = providertest.ResourceType{
	TypeName: providertest.JobConfigType,
	IDs:      []string{"project_id"},
	Unset:    []string{"labelFilter", "daemonFilter", "snapshotStoreFilter", "oplogStoreFilter", "syncStoreFilter"},
	ID: func(v values) string {
		project, _ := v["project_id"].(string)
		return strings.ToLower(project)
	},
	Attributes: jobConfigAttributes,
	Fields:     filtersToAPI,
	Settings:   []string{"on_destroy", "timeouts", "kmip_client_cert_password"},
	Deletes:    func(state values) bool { return state["on_destroy"] == "reset" },
	Objects:    []string{payments, analytics},
	// A reset removes all filters, and a missing filter is an empty one.
	Object: func(s *providertest.Service, id string) object {
		held := s.JobConfig(id)
		maps.DeleteFunc(held, func(_ string, value any) bool { list, isList := value.([]any); return isList && len(list) == 0 })
		if !hasFilter(held) {
			return nil // a reset keeps the certificate, and the settings that the provider doesn't know
		}
		for field := range jobConfigAttributes {
			if held[field] == nil && field != "kmipClientCertPath" {
				held[field] = []any{}
			}
		}
		return providertest.SortedLists(held)
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		fields = maps.Clone(fields)
		for field, value := range fields { // as Ops Manager does, which returns no empty list
			if list, ok := value.([]any); ok && len(list) == 0 {
				fields[field] = nil
			}
		}
		s.SetJobConfig(id, fields)
	},
	RemoveObject: func(s *providertest.Service, id string) { s.RemoveJobConfig(id) },
}

func jobConfigRegistrations() []providertest.Registration {
	ny, _ := jobConfigDaemon(inUse)
	au, _ := jobConfigDaemon(unused)
	_, clicked := jobConfigDaemon("clicked")
	created := providertest.Registration{
		ResourceType: jobConfigType,
		Name:         "a job configuration that is created",
		Config: values{
			"project_id": payments, "label_filter": []any{"east", "production"}, "daemon_filter": []any{ny}, "sync_store_filter": []any{},
			"snapshot_store_filter": []any{values{"id": "ny-s3-1", "type": "s3blockstore"}, values{"id": "ny-blockstore-1", "type": "blockstore"}},
			"oplog_store_filter":    []any{values{"id": "ny-oplog-1", "type": "oplogStore"}},
		},
		Changes: []values{
			{"label_filter": []any{"west"}}, {"daemon_filter": []any{ny, au}},
			{"snapshot_store_filter": []any{values{"id": "au-nfs-1", "type": "fileSystemStore"}}},
			{"oplog_store_filter": []any{}}, {"sync_store_filter": []any{"ny-sync-1"}}, {"timeouts": daemonTimeouts}, {"on_destroy": "reset"},
		},
		Drifts: []object{
			{"labelFilter": []any{"clicked"}}, {"daemonFilter": []any{clicked}}, {"snapshotStoreFilter": []any{}},
			{"oplogStoreFilter": []any{object{"id": "clicked", "type": "s3OplogStore"}}}, {"syncStoreFilter": []any{"clicked"}},
		},
		Created:    true,
		Elsewhere:  values{"project_id": analytics},
		Spellings:  []values{{"project_id": strings.ToUpper(payments)}},
		InvalidIDs: []string{"", "payments", payments + "/"},
		MissingID:  strings.Repeat("f", 24),
	}

	adopted := created
	adopted.Name = "a job configuration that is adopted"
	adopted.Config = created.Config.With(values{"project_id": analytics})
	adopted.Created = false
	adopted.Brief = !providertest.Sampled(1, 2)
	adopted.Elsewhere = values{"project_id": payments}
	adopted.Spellings = nil
	adopted.Options = emulator.Options{ServiceVersion: "7.0.0", Unknowns: emulator.Unknowns{ReturnsEmptyFilters: true}}

	kmip := created
	kmip.Brief = true
	kmip.Name = "a job configuration with a certificate"
	kmip.Config = created.Config.With(values{"kmip_client_cert_path": "/etc/kmip.pem", "kmip_client_cert_password": "c0rrect-horse"})
	kmip.Changes = append(
		slices.Clone(created.Changes), values{"kmip_client_cert_path": "/etc/other.pem"},
		values{"kmip_client_cert_password": "c0rrect-other"},
	)

	reset := adopted
	reset.Brief = true
	reset.Name = "a job configuration that is reset"
	reset.Config = adopted.Config.With(values{"on_destroy": "reset"})
	reset.Changes = slices.Clone(created.Changes)
	reset.Changes[len(reset.Changes)-1] = values{"on_destroy": "keep"}
	return []providertest.Registration{created, adopted, kmip, reset}
}
