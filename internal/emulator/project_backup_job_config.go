package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// jobConfigFields are the fields of a project's job configuration.
var jobConfigFields = members{
	"id":                     {readOnly: true},
	"links":                  {readOnly: true},
	"labelFilter":            {isValid: isListOfTexts},
	"daemonFilter":           {isValid: isListOfObjects, nested: machineFields},
	"snapshotStoreFilter":    {isValid: isListOfObjects, nested: referencesTo(snapshotStoreTypes)},
	"oplogStoreFilter":       {isValid: isListOfObjects, nested: referencesTo(oplogStoreTypes)},
	"syncStoreFilter":        {isValid: isListOfTexts},
	"kmipClientCertPath":     {isValid: isText},
	"kmipClientCertPassword": {isValid: isText, secret: true},
	"privateLinkEnabled":     {isValid: isBoolean}, // on no page; in the class of the server
}

// referencesTo returns the fields of a reference to a store of one of some types.
func referencesTo(types map[string]StoreKind) members {
	return members{"id": {isValid: isText, required: true}, "type": {values: slices.Sorted(maps.Keys(types)), required: true}}
}

var jobConfigType = resourceType{
	routes: func(e *Emulator) []route {
		const all = "/admin/backup/groups"
		const one = all + "/{group}" // which has errors of its own
		return []route{
			{http.MethodGet, all, 0, listQuery, e.listJobConfigs},
			{http.MethodGet, one, 0, singleQuery, e.getJobConfig},
			{http.MethodPut, one, 0, singleQuery, e.putJobConfig},
		}
	},
	server: func(d *documents, s *Seed) {
		for i := range s.Projects {
			d.ofProject(&s.Projects[i])
			d.add(jobConfigFields, s.Projects[i].BackupJobConfig, "the job configuration")
		}
	},
}

func (e *Emulator) listJobConfigs(*call) any {
	configs := documentList{}
	for _, project := range e.state.Projects {
		if project.BackupJobConfig != nil {
			configs = append(configs, e.jobConfigDocument(project.ID, project.BackupJobConfig))
		}
	}
	return documentList(inOrder(configs, e.state.Copy.JobConfigOrder, func(config map[string]any) string {
		return fmt.Sprint(config["id"])
	}))
}

func (e *Emulator) getJobConfig(c *call) any {
	project := e.state.project(strings.ToLower(c.vars["group"]))
	if project == nil || project.BackupJobConfig == nil {
		panic(e.noJobConfig(c.vars["group"]))
	}
	return e.jobConfigDocument(project.ID, project.BackupJobConfig)
}

// noJobConfig returns the error for a project that does not exist or has no job
// configuration. Neither its code nor its text is documented.
func (e *Emulator) noJobConfig(id string) *refusal {
	if !e.version.since(version{7, 0, 0}) {
		return notAuthorized()
	}
	return refuse(http.StatusNotFound, "GROUP_NOT_FOUND", "No backup job configuration exists for group "+id+".", id)
}

// putJobConfig creates or replaces the job configuration of a project. Fields that the body
// lacks are removed.
func (e *Emulator) putJobConfig(c *call) any {
	project := e.state.project(strings.ToLower(c.vars["group"]))
	if project == nil {
		panic(refuse(http.StatusNotFound, "GROUP_NOT_FOUND", "No group with ID "+c.vars["group"]+" exists.", c.vars["group"]))
	}
	body := c.bodyObject()
	if body["id"] == project.ID { // MongoDB's Kubernetes operator sends it
		delete(body, "id")
	}
	before := project.BackupJobConfig
	e.checkMembers("", body, before, jobConfigFields)
	config := merge(nil, body)
	if config["kmipClientCertPassword"] != nil && config["kmipClientCertPath"] == nil {
		panic(refuse(http.StatusBadRequest, "BACKUP_KMIP_CERTIFICATE_PATH_REQUIRED", "A password requires the path of a KMIP client certificate."))
	}
	project.BackupJobConfig = config
	return e.jobConfigDocument(project.ID, config)
}

// jobConfigDocument returns a job configuration as in a response: with its filters in
// a different order, and its password masked if this version does that.
func (e *Emulator) jobConfigDocument(id string, config map[string]any) map[string]any {
	if isAsRead(config) {
		return asRead(config)
	}
	document := merge(map[string]any{"id": id, "privateLinkEnabled": false}, administered(config))
	for _, name := range []string{"labelFilter", "daemonFilter", "snapshotStoreFilter", "oplogStoreFilter", "syncStoreFilter"} {
		elements, _ := document[name].([]any)
		slices.Reverse(elements)
		switch {
		case len(elements) == 0 && e.options.Unknowns.ReturnsEmptyFilters:
			document[name] = []any{}
		case len(elements) == 0:
			delete(document, name)
		}
	}
	if document["kmipClientCertPassword"] != nil && e.version.since(version{8, 0, 26}) && e.options.Unknowns.MasksKMIPPassword {
		document["kmipClientCertPassword"] = redacted
	}
	return document
}

// suits reports whether backups of a project with a job configuration can be assigned to a
// store or a daemon. By the documentation, an object must have all labels of the filter, and
// one with labels serves no project without a filter.
func suits(config, object map[string]any) bool {
	labels := get[[]any](object, "labels")
	filter := get[[]any](config, "labelFilter")
	if len(filter) == 0 && len(labels) > 0 || object["assignmentEnabled"] != true {
		return false
	}
	return !slices.ContainsFunc(filter, func(label any) bool {
		return !slices.Contains(labels, label)
	})
}

// assignable returns a store of one of some kinds that backups of a project can be assigned
// to, or an empty ID. A filter that is not set selects all stores.
func (s *Seed) assignable(project *Project, filter string, kinds ...StoreKind) (kind StoreKind, id string) {
	isFiltered := len(get[[]any](project.BackupJobConfig, filter)) > 0
	for _, kind := range kinds {
		for _, store := range s.BackupStores[kind] {
			id := idOf(store)
			if suits(project.BackupJobConfig, store) && (!isFiltered || namesStore(project.BackupJobConfig, kind, id)) {
				return kind, id
			}
		}
	}
	return "", ""
}

// assignableDaemon returns the key of a daemon that backups of a project can be assigned to,
// or an empty one.
func (s *Seed) assignableDaemon(project *Project) string {
	filter := objectsIn(project.BackupJobConfig["daemonFilter"])
	for _, daemon := range s.BackupDaemons {
		machine, directory := daemonKey(daemon)
		selected := slices.ContainsFunc(filter, func(names map[string]any) bool {
			return names["machine"] == machine && (names["headRootDirectory"] == nil || names["headRootDirectory"] == directory)
		})
		if daemon["configured"] == true && suits(project.BackupJobConfig, daemon) && (len(filter) == 0 || selected) {
			return bindingOf(machine, directory)
		}
	}
	return ""
}

var snapshotStoreKinds, oplogStoreKinds = []StoreKind{Blockstore, S3Blockstore, FileSystemStore}, []StoreKind{OplogStore, S3OplogStore}

// lacksAssignment reports whether a project has a job configuration that no store or daemon
// suits. Without one, backups start without stores, so that a seed needs none.
func (s *Seed) lacksAssignment(project *Project) bool {
	if project.BackupJobConfig == nil {
		return false
	}
	_, snapshots := s.assignable(project, "snapshotStoreFilter", snapshotStoreKinds...)
	_, oplogs := s.assignable(project, "oplogStoreFilter", oplogStoreKinds...)
	return snapshots == "" || oplogs == "" || s.assignableDaemon(project) == ""
}

// assign binds a cluster to the stores and the daemon of its backup, unless it is bound. A
// running backup keeps them.
func (s *Seed) assign(project *Project, cluster *Cluster) {
	by := bindingName(project, cluster)
	for _, daemon := range s.DaemonBindings {
		if slices.Contains(daemon, by) {
			return
		}
	}
	if s.lacksAssignment(project) {
		return
	}
	for filter, kinds := range map[string][]StoreKind{"snapshotStoreFilter": snapshotStoreKinds, "oplogStoreFilter": oplogStoreKinds} {
		if kind, id := s.assignable(project, filter, kinds...); id != "" {
			s.StoreBindings[kind][id] = append(s.StoreBindings[kind][id], by)
		}
	}
	if daemon := s.assignableDaemon(project); daemon != "" {
		s.DaemonBindings[daemon] = append(s.DaemonBindings[daemon], by)
	}
}

// unassign ends the bindings of a cluster.
func (s *Seed) unassign(project *Project, cluster *Cluster) {
	is := func(by string) bool { return by == bindingName(project, cluster) }
	for _, stores := range s.StoreBindings {
		for id, by := range stores {
			stores[id] = slices.DeleteFunc(by, is)
		}
	}
	for daemon, by := range s.DaemonBindings {
		s.DaemonBindings[daemon] = slices.DeleteFunc(by, is)
	}
}

func bindingName(project *Project, cluster *Cluster) string {
	return fmt.Sprintf("cluster %s of project %s", cluster.Name, project.Name)
}

// JobConfig returns the job configuration of a project, or nil if there is none.
func (e *Emulator) JobConfig(projectID string) map[string]any {
	defer e.lock()()
	return copyDocument(cmp.Or(e.state.project(projectID), &Project{}).BackupJobConfig)
}

// SetJobConfig sets the job configuration of a project.
func (e *Emulator) SetJobConfig(projectID string, fields map[string]any) {
	defer e.lock()()
	project := e.mustProject(projectID)
	project.BackupJobConfig = merge(project.BackupJobConfig, fields)
}

// RemoveJobConfig removes the job configuration of a project.
func (e *Emulator) RemoveJobConfig(projectID string) {
	defer e.lock()()
	cmp.Or(e.state.project(projectID), &Project{}).BackupJobConfig = nil
}
