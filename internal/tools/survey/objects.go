package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// objectTypes are the structs of the client that decode objects.
var objectTypes = map[assumptions.Object]reflect.Type{
	assumptions.ProjectObject:  reflect.TypeFor[opsmanager.Project](),
	assumptions.ClusterObject:  reflect.TypeFor[opsmanager.Cluster](),
	assumptions.ConfigObject:   reflect.TypeFor[opsmanager.BackupConfig](),
	assumptions.ScheduleObject: reflect.TypeFor[opsmanager.SnapshotSchedule](),
	assumptions.SnapshotObject: reflect.TypeFor[opsmanager.ClusterSnapshot](),
	assumptions.RestoreObject:  reflect.TypeFor[opsmanager.RestoreJob](),
	assumptions.StoreObject:    reflect.TypeFor[opsmanager.BackupStore](),
	assumptions.DaemonObject:   reflect.TypeFor[opsmanager.BackupDaemon](),
	assumptions.JobObject:      reflect.TypeFor[opsmanager.JobConfig](),
	assumptions.RegionObject:   reflect.TypeFor[opsmanager.DeploymentRegion](),
}

// unread are the known fields that the client has no use for.
var unread = map[assumptions.Object][]string{
	assumptions.ProjectObject: {
		"activeAgentCount",
		"agentApiKey",
		"hostCounts",
		"lastActiveAgent",
		"ldapGroupMappings",
		"publicApiEnabled",
	},
	assumptions.ClusterObject: {"clusterId"},
	assumptions.ConfigObject:  {"availableMembers", "syncSource"},
	assumptions.DaemonObject:  {"id"},
	assumptions.JobObject:     {"privateLinkEnabled"}, // on no page
}

// unknownField is a field that the client doesn't know. Its name stays on this machine.
type unknownField struct {
	object assumptions.Object
	path   string
	kind   assumptions.Type
}

// seeObject looks at the fields of an object: whether the client can decode it, and which of them it
// doesn't know.
func (s *survey) seeObject(object assumptions.Object, fields document) {
	t := objectTypes[object]
	encoded, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(encoded, reflect.New(t).Interface())
	}
	if s.evidence.See("decodes", err == nil); err != nil {
		s.note(fmt.Sprintf("Other type in a %s: %v", object, err))
	}
	s.seeFields(object, t, "", fields)
}

// seeFields looks for unknown fields in an object and the objects in it.
func (s *survey) seeFields(object assumptions.Object, t reflect.Type, path string, fields document) {
	known := jsonFields(t)
	for name, value := range fields {
		field, isKnown := known[name]
		switch {
		case name == "links", path == "" && slices.Contains(unread[object], name):
		case !isKnown:
			s.unknown[unknownField{object, path + name, typeOf(value)}] = true
		default:
			for field.Kind() == reflect.Pointer || field.Kind() == reflect.Slice {
				field = field.Elem()
			}
			if field.Kind() != reflect.Struct {
				continue
			}
			for _, one := range append(documents(value), documents([]any{value})...) { // a list, or an object
				s.seeFields(object, field, path+name+".", one)
			}
		}
	}
}

// jsonFields returns the types of the fields of a struct by their names in JSON.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	found := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			found[name] = field.Type
		}
	}
	return found
}

// typeOf returns the type of a value in JSON.
func typeOf(value any) assumptions.Type {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case document:
		return "object"
	}
	return "number"
}

// note notes what Ops Manager returned. Only -names prints it.
func (s *survey) note(text string) { s.notes[text] = true }

// findings returns the report.
func (s *survey) findings() *assumptions.Report {
	counts := map[assumptions.UnknownField]int{}
	for field := range s.unknown {
		counts[assumptions.UnknownField{Object: field.object, Type: field.kind}]++
	}
	unknown := []assumptions.UnknownField{}
	for field, count := range counts {
		field.Names = count
		unknown = append(unknown, field)
	}
	slices.SortFunc(unknown, func(a, b assumptions.UnknownField) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Type, b.Type))
	})
	return &assumptions.Report{
		Version:       s.evidence.Version(),
		Requests:      s.requests(),
		Partial:       s.partial,
		UnknownFields: unknown,
		Findings:      s.evidence.Findings(assumptions.ByReading, assumptions.InTransition, assumptions.OneWay),
	}
}

// print prints the findings for people.
func (s *survey) print(out io.Writer) {
	report := s.findings()
	fmt.Fprintf(out, "%s\n\nOps Manager %s at %s, read only\n\n", report.Verdict(), cmp.Or(opsmanager.Sanitize(s.version), "of an unknown version"), s.baseURL)
	report.Print(out)
	for _, what := range slices.Sorted(maps.Keys(s.failures)) {
		const most = 10
		objects := s.failures[what]
		if more := len(objects) - most; more > 0 {
			objects = append(objects[:most], fmt.Sprintf("%d more", more))
		}
		fmt.Fprintln(out, opsmanager.Sanitize(strings.TrimSuffix("Failed: "+what+": "+strings.Join(objects, ", "), ": ")))
	}
	if s.options.names {
		for field := range s.unknown {
			s.note(fmt.Sprintf("Unknown field of a %s: %s (%s)", field.object, field.path, field.kind))
		}
		for _, note := range slices.Sorted(maps.Keys(s.notes)) {
			fmt.Fprintln(out, opsmanager.Sanitize(note))
		}
	}
}
