package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// Change is what happened to an object.
type Change struct {
	Verb   string // created, changed, deleted, or [Replaced]
	ID     string // identifies the object among all of them
	Object string // in words, such as: the snapshot schedule of cluster "ledger" in project "Payments"
	Fields []FieldChange
	// InTime reports that no request asked for it: what a request has begun went on as time passed.
	InTime bool
}

// Replaced is the verb for an object that was deleted and created again.
const Replaced = "deleted and created again"

// FieldChange is a field that changed.
type FieldChange struct {
	Name string // such as machine.headRootDirectory
	// From and To are the values in JSON, or empty if the field was or is not set. The value of a secret,
	// or of a field that the documentation lacks, is replaced by [NotShown].
	From, To string
}

// NotShown stands for a value that may be a secret.
const NotShown = "(not shown)"

// secretFields are the fields whose values are secrets.
var secretFields = []string{"awsAccessKey", "awsSecretKey", "certString", "clientSecret", "kmipClientCertPassword", "password", "uri", "url"}

// watched are the objects that are watched for changes. Their documents are never modified, only replaced.
type watched struct {
	documents []watchedDocument
	packed    map[string]packedSnapshots // by the ID of the cluster
}

type watchedDocument struct {
	id string
	document
}

// packedSnapshots are the snapshots of a copied cluster that no request has changed yet.
type packedSnapshots struct {
	owner     string
	snapshots PackedDocuments
}

func (w *watched) add(owner string, fields map[string]any, known members, format string, args ...any) {
	if fields != nil {
		name := fmt.Sprintf(format, args...)
		w.documents = append(w.documents, watchedDocument{owner + " " + name, document{name, fields, known}})
	}
}

func (w *watched) addSnapshots(clusterID, owner string, snapshots []map[string]any) {
	for _, snapshot := range snapshots {
		w.add(clusterID, snapshot, clusterSnapshotFields, "the snapshot %v %s", snapshot["id"], owner)
	}
}

// addCluster watches what belongs to a cluster.
func (w *watched) addCluster(project *Project, cluster *Cluster) {
	owner := fmt.Sprintf("of cluster %q in project %q", cluster.label(), project.Name)
	if cluster.ShardOf != "" {
		owner = fmt.Sprintf("of replica set %q %s", cmp.Or(cluster.ReplicaSetName, cluster.ShardName, cluster.ID), owner)
	}
	w.add(cluster.ID, cluster.BackupConfig, backupConfigFields, "the backup configuration %s", owner)
	w.add(cluster.ID, cluster.SnapshotSchedule, scheduleFields, "the snapshot schedule %s", owner)
	if cluster.CopiedSnapshots != "" {
		w.packed[cluster.ID] = packedSnapshots{owner, cluster.CopiedSnapshots}
	} else {
		w.addSnapshots(cluster.ID, owner, cluster.Snapshots)
	}
	for _, job := range cluster.RestoreJobs {
		w.add(cluster.ID, job, restoreJobFields, "the restore job %v %s", job["id"], owner)
	}
}

// addProject watches what belongs to a project and its clusters.
func (w *watched) addProject(project *Project) {
	if len(project.AutomationConfig) > 0 {
		content := map[string]any{"content": string(project.AutomationConfig)} // is not known, and never shown
		w.add(project.ID, content, nil, "the automation configuration of project %q", project.Name)
	}
	for i := range project.Clusters {
		w.addCluster(project, &project.Clusters[i])
	}
}

// addAdministration watches what administrators change.
func (w *watched) addAdministration(state *Seed) {
	for _, project := range state.Projects {
		w.add(project.ID, project.BackupJobConfig, jobConfigFields, "the job configuration of project %q", project.Name)
	}
	for _, kind := range StoreKinds {
		for _, store := range state.BackupStores[kind] {
			w.add("", store, storeKinds[kind].fields, "the %s store %q", storeKinds[kind].noun, store["id"])
		}
	}
	for _, daemon := range state.BackupDaemons {
		machine, directory := daemonKey(daemon)
		w.add("", daemon, daemonFields, "the backup daemon %q with the head directory %q", machine, directory)
	}
	for _, region := range state.DeploymentRegions {
		w.add("", region, regionFields, "the deployment region %q", region["id"])
	}
}

// watchAll returns all objects that can change.
func (e *Emulator) watchAll() watched {
	all := watched{packed: map[string]packedSnapshots{}}
	for i := range e.state.Projects {
		all.addProject(&e.state.Projects[i])
	}
	all.addAdministration(e.state)
	return all
}

// watch returns a function that returns the objects that a request may change. A request that only reads
// may show that what another one has begun went on. The function returns the same objects after the
// request, even if nothing is in progress then.
func (e *Emulator) watch(c *call) (look func() watched) {
	if e.options.OnChange == nil || c.Method == http.MethodGet && (c.project == nil || !e.inProgress()) {
		return func() watched { return watched{} }
	}
	return func() watched {
		found := watched{packed: map[string]packedSnapshots{}}
		switch {
		case c.cluster != nil:
			for i := range c.project.Clusters {
				if cluster := &c.project.Clusters[i]; cluster == c.cluster || cluster.ShardOf == c.cluster.ID {
					found.addCluster(c.project, cluster)
				}
			}
		case strings.Contains(c.URL.Path, "/admin/"):
			found.addAdministration(e.state)
		case c.project != nil:
			found.addProject(c.project)
		}
		return found
	}
}

// inProgress reports whether something has begun that reads bring closer to its end.
func (e *Emulator) inProgress() bool {
	return len(e.transitions)+len(e.running)+len(e.restores)+len(e.endings) > 0
}

// passed lets the time pass, and returns what changed.
func (e *Emulator) passed() []Change {
	if e.options.OnChange == nil || len(e.endings) == 0 || e.endings[0].at.After(e.options.Now()) {
		e.pass()
		return nil
	}
	before := e.watchAll()
	e.pass()
	return e.note(before, e.watchAll(), true)
}

// note returns what differs between the objects before and after something, and remembers which were
// deleted.
func (e *Emulator) note(before, after watched, inTime bool) []Change {
	changes := changesBetween(before, after)
	for i := range changes {
		changes[i].InTime = inTime
		if changes[i].Verb == "deleted" {
			e.deleted[changes[i].ID] = true
		}
	}
	return changes
}

// Changes returns what differs from the start, also because time has passed. Without
// [Options.OnChange], it returns nothing.
func (e *Emulator) Changes() []Change {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.options.OnChange == nil {
		return nil
	}
	e.passed()
	now := e.watchAll()
	changes := changesBetween(e.atStart, now)
	listed := map[string]bool{}
	for i := range changes {
		if listed[changes[i].ID] = true; changes[i].Verb == "changed" && e.deleted[changes[i].ID] {
			changes[i].Verb = Replaced
		}
	}
	existed := map[string]bool{}
	for _, d := range e.atStart.documents {
		existed[d.id] = true
	}
	for _, d := range now.documents { // as they were, although they were deleted meanwhile
		if e.deleted[d.id] && existed[d.id] && !listed[d.id] {
			changes = append(changes, Change{Verb: Replaced, ID: d.id, Object: d.name})
		}
	}
	return changes
}

// label returns the name of a cluster, or what else identifies it.
func (c *Cluster) label() string {
	return cmp.Or(c.Name, c.ReplicaSetName, c.ID)
}

// changesBetween returns what differs between some objects before and after something.
func changesBetween(before, after watched) []Change {
	for id, packed := range before.packed {
		if after.packed[id] != packed {
			unpacked := Cluster{CopiedSnapshots: packed.snapshots}
			unpacked.decodeSnapshots()
			before.addSnapshots(id, packed.owner, unpacked.Snapshots)
		}
	}
	old := map[string]watchedDocument{}
	for _, d := range before.documents {
		old[d.id] = d
	}
	var changes []Change
	for _, d := range after.documents {
		was, existed := old[d.id]
		delete(old, d.id)
		if existed && reflect.DeepEqual(was.fields, d.fields) {
			continue
		}
		change := Change{Verb: "changed", ID: d.id, Object: d.name, Fields: fieldChanges("", was.fields, d.fields, d.known)}
		if !existed {
			change.Verb = "created"
		}
		if !existed || len(change.Fields) > 0 {
			changes = append(changes, change)
		}
	}
	for _, d := range before.documents {
		if _, isGone := old[d.id]; isGone {
			changes = append(changes, Change{Verb: "deleted", ID: d.id, Object: d.name})
		}
	}
	return changes
}

// fieldChanges returns the fields that differ between two objects.
func fieldChanges(prefix string, before, after map[string]any, known members) []FieldChange {
	names := slices.Collect(maps.Keys(before))
	for name := range after {
		if _, has := before[name]; !has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var changes []FieldChange
	for _, name := range names {
		was, is := before[name], after[name]
		m, isKnown := known[name]
		wasObject, _ := was.(map[string]any)
		isObject, _ := is.(map[string]any)
		switch {
		case isSame(was, is), name == "links", name == "usedSize", name == asReadField: // a used size grows with each read
		case isKnown && m.nested != nil && (wasObject != nil || was == nil) && (isObject != nil || is == nil):
			changes = append(changes, fieldChanges(prefix+name+".", wasObject, isObject, m.nested)...)
		default:
			changes = append(changes, FieldChange{prefix + name, shown(name, was, isKnown, m.nested), shown(name, is, isKnown, m.nested)})
		}
	}
	return changes
}

// isSame reports whether two values of a field are equal. The order of a list means nothing.
func isSame(was, is any) bool {
	before, wasList := was.([]any)
	after, isList := is.([]any)
	return reflect.DeepEqual(was, is) || wasList && isList && reflect.DeepEqual(ordered(before), ordered(after))
}

// ordered returns the elements of a list in the order of their texts.
func ordered(list []any) []any {
	return slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// shown returns a value in JSON, without secrets. It is empty if there is no value.
func shown(name string, value any, isKnown bool, nested members) string {
	if value == nil {
		return ""
	}
	if !isKnown || isSecret(name, value) {
		return NotShown
	}
	return string(encode(withoutSecrets(value, nested), false))
}

// isSecret reports whether a field is a secret, or a URL that may have a password.
func isSecret(name string, value any) bool {
	text, _ := value.(string)
	return slices.Contains(secretFields, name) || strings.Contains(text, "//") && strings.ContainsAny(text, "@?")
}

// withoutSecrets returns a value without the secrets in its objects. Without known members, all but the
// secrets are shown.
func withoutSecrets(value any, known members) any {
	switch value := value.(type) {
	case []any:
		shown := []any{}
		for _, element := range ordered(value) {
			shown = append(shown, withoutSecrets(element, known))
		}
		return shown
	case map[string]any:
		shown := map[string]any{}
		for name, field := range value {
			m, isKnown := known[name]
			if known != nil && !isKnown || isSecret(name, field) {
				shown[name] = NotShown
			} else {
				shown[name] = withoutSecrets(field, m.nested)
			}
		}
		return shown
	}
	return value
}
