package emulator

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// regionFields are the writable fields of a deployment region besides its ID. All but
// assignmentEnabled are required.
var regionFields = []string{"assignmentEnabled", "bqProxyEndpoint", "deploymentDescription", "ingestionEndpoint", "restoreEndpoint"}

func (e *Emulator) deploymentRegionRoutes() []route {
	const all = "/admin/backup/backupDeployments"
	const one = all + "/{region}"
	return []route{
		{http.MethodGet, all, false, listQuery, e.listRegions},
		{http.MethodPost, all, false, singleQuery, e.createRegion},
		{http.MethodGet, one, false, listQuery, e.getRegion}, // documented with the parameters of lists
		{http.MethodPut, one, false, singleQuery, e.putRegion},
		{http.MethodDelete, one, true, singleQuery, e.deleteRegion},
	}
}

func (e *Emulator) listRegions(*call) (any, error) {
	regions := list{}
	for _, region := range e.state.DeploymentRegions {
		regions = append(regions, regionDocument(region))
	}
	return regions, nil
}

func (e *Emulator) getRegion(c *call) (any, error) {
	region, err := e.findRegion(c)
	if err != nil {
		return nil, err
	}
	return e.read(c.URL.Path, regionDocument(region)), nil
}

// createRegion returns 200 as documented for this operation, although other operations of
// the API return 201.
func (e *Emulator) createRegion(c *call) (any, error) {
	region, err := e.region(c, "id")
	if err != nil {
		return nil, err
	}
	id, _ := region["id"].(string)
	if id == "" {
		return nil, missingAttribute("id")
	}
	if e.state.region(id) != nil {
		// No error code is documented.
		return nil, refuse(http.StatusConflict, "", "A deployment region with ID "+id+" already exists.", id)
	}
	e.state.putRegion(region)
	return regionDocument(region), nil
}

// putRegion creates or replaces a deployment region.
func (e *Emulator) putRegion(c *call) (any, error) {
	region, err := e.region(c)
	if err != nil {
		return nil, err
	}
	id := c.vars["region"]
	region["id"] = id
	var before map[string]any
	if held := e.state.region(id); held != nil {
		before = regionDocument(held)
	}
	e.state.putRegion(region)
	return e.written(c.URL.Path, before, regionDocument(region)), nil
}

// deleteRegion deletes a deployment region, unless it is bound.
func (e *Emulator) deleteRegion(c *call) (any, error) {
	id := c.vars["region"]
	if _, err := e.findRegion(c); err != nil {
		return nil, err
	}
	if users := e.state.RegionBindings[id]; len(users) > 0 {
		// Neither the status nor an error code is documented.
		return nil, refuse(http.StatusConflict, "", "Deployment region "+id+" cannot be deleted because it is bound to "+strings.Join(users, ", ")+".", append([]string{id}, users...)...)
	}
	e.state.removeRegion(id)
	return nil, nil
}

func (e *Emulator) findRegion(c *call) (map[string]any, error) {
	id := c.vars["region"]
	region := e.state.region(id)
	if region == nil {
		// No error code is documented.
		return nil, refuse(http.StatusNotFound, "", "No deployment region with ID "+id+" exists.", id)
	}
	return region, nil
}

// region returns the deployment region in the body, after AdjustRegion. It fails if a
// required field is missing. more names additional required fields.
func (e *Emulator) region(c *call, more ...string) (map[string]any, error) {
	region, err := c.object()
	if err != nil {
		return nil, err
	}
	known := append(more, regionFields...)
	for _, name := range slices.Sorted(maps.Keys(region)) {
		var valid bool
		switch {
		case name == "id" && len(more) == 0, name == "links":
			return nil, refuse(http.StatusBadRequest, "ATTRIBUTE_READ_ONLY", "The attribute "+name+" is read-only and cannot be changed by the user.", name)
		case !slices.Contains(known, name):
			return nil, invalidAttribute(name)
		case name == "assignmentEnabled":
			_, valid = region[name].(bool)
		default:
			_, valid = region[name].(string)
		}
		if !valid {
			return nil, invalidType(name)
		}
	}
	for _, name := range known {
		if _, sent := region[name]; !sent && name != "assignmentEnabled" {
			return nil, missingAttribute(name)
		}
	}
	if _, sent := region["assignmentEnabled"]; !sent {
		region["assignmentEnabled"] = false // no default is documented
	}
	if e.options.AdjustRegion != nil {
		e.options.AdjustRegion(region)
	}
	return region, nil
}

func regionDocument(region map[string]any) map[string]any {
	return merge(map[string]any{"links": []any{}}, region)
}

func missingAttribute(name string) *refusal {
	return refuse(http.StatusBadRequest, "MISSING_ATTRIBUTE", "The required attribute "+name+" was not specified.", name)
}

func invalidAttribute(name string) *refusal {
	return refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "Invalid attribute "+name+" specified.", name)
}

func invalidType(name string) *refusal {
	return refuse(http.StatusBadRequest, "INVALID_JSON_ATTRIBUTE", "Received JSON for the attribute "+name+" is of the wrong type.", name)
}
