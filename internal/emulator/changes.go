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

// Change is what a request did to an object.
type Change struct {
	Verb   string // created, changed or deleted
	ID     string // identifies the object among all of them
	Object string // in words, such as: the snapshot schedule of cluster "ledger" in project "Payments"
	Fields []FieldChange
}

// FieldChange is a field that a request changed.
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

// watchedDocument is a document that a request may change.
type watchedDocument struct {
	id string
	document
}

// watched returns the objects that a request may change.
func (e *Emulator) watched(c *call) []watchedDocument {
	if c.Method == http.MethodGet || e.options.OnChange == nil {
		return nil
	}
	var found []watchedDocument
	add := func(owner string, fields map[string]any, known members, format string, args ...any) {
		if fields != nil {
			name := fmt.Sprintf(format, args...)
			found = append(found, watchedDocument{owner + " " + name, document{name, fields, known}})
		}
	}
	if cluster := c.cluster; cluster != nil {
		owner := fmt.Sprintf("of cluster %q in project %q", cluster.label(), c.project.Name)
		add(cluster.ID, cluster.BackupConfig, backupConfigFields, "the backup configuration %s", owner)
		add(cluster.ID, cluster.SnapshotSchedule, scheduleFields, "the snapshot schedule %s", owner)
		for _, snapshot := range cluster.Snapshots {
			add(cluster.ID, snapshot, clusterSnapshotFields, "the snapshot %v %s", snapshot["id"], owner)
		}
		for _, job := range cluster.RestoreJobs {
			add(cluster.ID, job, restoreJobFields, "the restore job %v %s", job["id"], owner)
		}
		return found
	}
	for _, project := range e.state.Projects {
		add(project.ID, project.BackupJobConfig, jobConfigFields, "the job configuration of project %q", project.Name)
	}
	if c.project != nil && len(c.project.AutomationConfig) > 0 {
		content := map[string]any{"content": string(c.project.AutomationConfig)} // is not known, and never shown
		add(c.project.ID, content, nil, "the automation configuration of project %q", c.project.Name)
	}
	for _, kind := range StoreKinds {
		for _, store := range e.state.BackupStores[kind] {
			add("", store, storeKinds[kind].fields, "the %s store %q", storeKinds[kind].noun, store["id"])
		}
	}
	for _, daemon := range e.state.BackupDaemons {
		machine, directory := daemonKey(daemon)
		add("", daemon, daemonFields, "the backup daemon %q with the head directory %q", machine, directory)
	}
	for _, region := range e.state.DeploymentRegions {
		add("", region, regionFields, "the deployment region %q", region["id"])
	}
	return found
}

// label returns the name of a cluster, or what else identifies it.
func (c *Cluster) label() string {
	return cmp.Or(c.Name, c.ReplicaSetName, c.ID)
}

// changesBetween returns what differs between the objects before a request and those after it.
func changesBetween(before, after []watchedDocument) []Change {
	old := map[string]watchedDocument{}
	for _, d := range before {
		old[d.id] = d
	}
	var changes []Change
	for _, d := range after {
		was, existed := old[d.id]
		delete(old, d.id)
		if existed && reflect.DeepEqual(was.fields, d.fields) {
			continue
		}
		change := Change{"changed", d.id, d.name, fieldChanges("", was.fields, d.fields, d.known)}
		if !existed {
			change.Verb = "created"
		}
		if !existed || len(change.Fields) > 0 {
			changes = append(changes, change)
		}
	}
	for _, d := range before {
		if _, isGone := old[d.id]; isGone {
			changes = append(changes, Change{"deleted", d.id, d.name, nil})
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
		case isSame(was, is), name == "links", name == asReadField:
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
