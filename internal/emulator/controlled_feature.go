package emulator

import (
	"net/http"
)

// controlledFeatureFields are the fields of a document about what an external system controls.
var controlledFeatureFields = members{
	"created":                  {isValid: isText},
	"updated":                  {isValid: isText},
	"externalManagementSystem": {isValid: isObject},
	"policies":                 {isValid: isListOfObjects},
}

// Policies that refuse a new automation configuration. The documentation has a different form of the lock
// in an example.
const (
	externalLock          = "EXTERNALLY_MANAGED_LOCK"
	externalLockOfExample = "ExternallyManagedLock"
	noBackupAgent         = "DISABLE_BACKUP_AGENT"
)

var controlledFeatureType = resourceType{
	routes: func(e *Emulator) []route {
		return []route{
			{http.MethodGet, "/groups/{project}/controlledFeature", uncopied | forUnknownRole, singleQuery, e.getControlledFeature},
		}
	},
	project: func(d *documents, p *Project) {
		d.add(controlledFeatureFields, p.ControlledFeature, "the controlled feature")
	},
}

// getControlledFeature returns what an external system controls. Without one, the list of policies
// is empty.
func (e *Emulator) getControlledFeature(c *call) any {
	return merge(map[string]any{"_id": c.project.ID, "policies": []any{}}, c.project.ControlledFeature)
}

// SetControlledFeature replaces what an external system controls in a project. nil removes it.
func (e *Emulator) SetControlledFeature(projectID string, document map[string]any) {
	defer e.lock()()
	e.mustProject(projectID).ControlledFeature = copyDocument(document)
}
