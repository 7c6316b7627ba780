package infrastructure_test

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/providertest"
)

// Machines of the seed.
const (
	inUse        = "om-ny.example.com"
	unused       = "om-au.example.com"
	unconfigured = "om-eu.example.com"
	starting     = "om-new.example.com"
	headRoot     = "/data/backup/"
)

var daemonAttributes = map[string]string{
	"configured": "configured", "assignmentEnabled": "assignment_enabled", "backupJobsEnabled": "backup_jobs_enabled",
	"garbageCollectionEnabled": "garbage_collection_enabled", "resourceUsageEnabled": "resource_usage_enabled",
	"restoreQueryableJobsEnabled": "restore_queryable_jobs_enabled", "headDiskType": "head_disk_type", "numWorkers": "num_workers", "labels": "labels",
}

func daemonParts(id string) (machine, directory string) {
	machine, directory, _ = strings.Cut(id, "|")
	return machine, directory
}

var daemonType = providertest.ResourceType{
	TypeName: providertest.DaemonType,
	IDs:      []string{"machine", "head_root_directory"},
	Unset:    []string{"labels"},
	ID: func(v values) string {
		return fmt.Sprint(v["machine"], "|", v["head_root_directory"])
	},
	Attributes: daemonAttributes,
	Settings:   []string{"on_destroy", "timeouts"},
	Creatable: func(config values, live object) bool {
		return live != nil || config["machine"] != unused && config["machine"] != inUse // which is not running then
	},
	Inapplicable: map[string]string{
		"an impossible replacement destroys nothing": "a plan can't know whether the process of a daemon will register",
	},
	Deletes: func(state values) bool { return state["on_destroy"] == "delete" },
	Objects: []string{inUse + "|" + headRoot, unused + "|" + headRoot, unconfigured + "|" + headRoot},
	Object: func(s *providertest.Service, id string) object {
		return providertest.SortedLists(s.BackupDaemon(daemonParts(id)))
	},
	SetObject: func(s *providertest.Service, id string, fields object) {
		machine, directory := daemonParts(id)
		s.SetBackupDaemon(machine, directory, fields)
	},
	RemoveObject: func(s *providertest.Service, id string) {
		s.RemoveBackupDaemon(daemonParts(id))
	},
	Label: func(id string) string { return id[:strings.Index(id, "|")] },
}

// daemon returns the configuration of a daemon with the head directory of the seed.
func daemon(machine string, more ...values) values {
	return values{"machine": machine, "head_root_directory": headRoot}.With(more...)
}

// daemonTimeouts are for daemons that never register.
var daemonTimeouts = values{"create": "1s", "update": "3s", "delete": "3s"}

func daemonRegistrations() []providertest.Registration {
	configured := providertest.Registration{
		ResourceType: daemonType,
		Name:         "a daemon that is configured",
		Config: daemon(unconfigured, values{
			"assignment_enabled": true, "backup_jobs_enabled": true, "garbage_collection_enabled": true, "resource_usage_enabled": true,
			"restore_queryable_jobs_enabled": false, "head_disk_type": "SSD", "num_workers": 4, "labels": []any{"east"}, "timeouts": daemonTimeouts,
		}),
		Changes: []values{
			{"assignment_enabled": false}, {"configured": false}, {"backup_jobs_enabled": false}, {"garbage_collection_enabled": false},
			{"resource_usage_enabled": false},
			{"restore_queryable_jobs_enabled": true}, {"head_disk_type": "HDD"}, {"num_workers": 8},
			{"labels": []any{"east", "production"}}, {"on_destroy": "delete"},
		},
		Drifts: []object{
			{"assignmentEnabled": false}, {"labels": []any{"clicked"}}, {"backupJobsEnabled": false},
			{"garbageCollectionEnabled": false}, {"resourceUsageEnabled": false},
			{"restoreQueryableJobsEnabled": true}, {"headDiskType": "HDD"}, {"numWorkers": 7.0},
		},
		Created:    true,
		Elsewhere:  values{"machine": unused},
		InvalidIDs: []string{"", inUse, inUse + "|", inUse + "|/data", "|/data/", inUse + "|/data/../"},
		MissingID:  "nowhere.example.com|/data/",
	}

	adopted := configured
	adopted.Name = "a daemon that is adopted"
	adopted.Created = false
	adopted.Brief = !providertest.Sampled(1, 2)
	adopted.Elsewhere = values{"machine": inUse}
	adopted.Config = daemon(unused, values{"labels": []any{"east"}, "num_workers": 4, "head_disk_type": "SSD", "timeouts": daemonTimeouts})

	deleted := adopted
	deleted.Name = "a daemon that is deleted"
	deleted.Config = adopted.Config.With(values{"on_destroy": "delete"})
	deleted.Changes = slices.Clone(configured.Changes)
	deleted.Changes[len(deleted.Changes)-1] = values{"on_destroy": "keep"}
	deleted.Brief = true
	return []providertest.Registration{configured, adopted, deleted}
}
