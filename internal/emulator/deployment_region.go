package emulator

import (
	"net/http"
)

// regionFields are the fields of a deployment region.
var regionFields = members{
	"id":                    {isValid: isText, readOnly: true},
	"links":                 {readOnly: true},
	"assignmentEnabled":     {isValid: isBoolean},
	"bqProxyEndpoint":       {isValid: isText, required: true, mayBeEmpty: true},
	"deploymentDescription": {isValid: isText, required: true, mayBeEmpty: true},
	"ingestionEndpoint":     {isValid: isText, required: true, mayBeEmpty: true},
	"restoreEndpoint":       {isValid: isText, required: true, mayBeEmpty: true},
}

// newRegionFields are the fields of a new deployment region.
var newRegionFields = union(regionFields, members{"id": {isValid: isText, required: true}})

var deploymentRegionType = resourceType{
	routes: func(e *Emulator) []route {
		if !e.version.since(version{7, 0, 4}) {
			return nil
		}
		const all = "/admin/backup/backupDeployments"
		const one = all + "/{region}"
		return []route{
			{http.MethodGet, all, 0, listQuery, e.listRegions},
			{http.MethodPost, all, 0, singleQuery, e.createRegion},
			{http.MethodGet, one, 0, listQuery, e.getRegion}, // documented with the parameters of lists
			{http.MethodPut, one, 0, singleQuery, e.putRegion},
			{http.MethodDelete, one, inProfile, singleQuery, e.deleteRegion},
		}
	},
	check: func(s *Seed) error { return s.regions().check() },
	server: func(d *documents, s *Seed) {
		for _, region := range s.DeploymentRegions {
			d.add(regionFields, region, "the deployment region %q", region["id"])
		}
	},
}

func (e *Emulator) listRegions(*call) any {
	return listOf(e.state.DeploymentRegions, administered)
}

func (e *Emulator) getRegion(c *call) any {
	return administered(e.findRegion(c))
}

// createRegion returns 200 as documented for this operation, although other operations of
// the API return 201.
func (e *Emulator) createRegion(c *call) any {
	region := e.regionInBody(c, nil, newRegionFields)
	if id := idOf(region); e.state.regions().find(id) != nil {
		// No error code is documented.
		panic(refuse(http.StatusConflict, "", "A deployment region with ID "+id+" already exists.", id))
	}
	e.state.regions().put(region)
	return administered(region)
}

// putRegion creates or replaces a deployment region.
func (e *Emulator) putRegion(c *call) any {
	id := c.vars["region"]
	region := e.regionInBody(c, e.state.regions().find(id), regionFields)
	region["id"] = id
	e.state.regions().put(region)
	return administered(region)
}

// deleteRegion deletes a deployment region, unless it is bound.
func (e *Emulator) deleteRegion(c *call) any {
	id := c.vars["region"]
	e.findRegion(c)
	if len(e.state.RegionBindings[id]) > 0 {
		// Neither the status nor an error code is documented.
		panic(refuse(http.StatusConflict, "", "Deployment region "+id+" cannot be deleted because it is bound.", id))
	}
	e.state.regions().remove(id)
	return nil
}

func (e *Emulator) findRegion(c *call) map[string]any {
	id := c.vars["region"]
	region := e.state.regions().find(id)
	if region == nil {
		panic(refuse(http.StatusNotFound, "BACKUP_DEPLOYMENT_NOT_FOUND", "No deployment region with ID "+id+" exists.", id))
	}
	return region
}

// regionInBody returns the deployment region in the body.
func (e *Emulator) regionInBody(c *call, before map[string]any, known members) map[string]any {
	region := e.checkedBody(c, before, known)
	if _, sent := region["assignmentEnabled"]; !sent {
		region["assignmentEnabled"] = false // no default is documented
	}
	return region
}

// Region returns a deployment region, or nil if there is none.
func (e *Emulator) Region(id string) map[string]any {
	defer e.lock()()
	return copyDocument(e.state.regions().find(id))
}

// SetRegion sets a deployment region.
func (e *Emulator) SetRegion(id string, fields map[string]any) {
	defer e.lock()()
	e.state.regions().set(id, fields)
}

// RemoveRegion removes a deployment region, even if it is bound.
func (e *Emulator) RemoveRegion(id string) {
	defer e.lock()()
	e.state.regions().remove(id)
}

// UseRegion replaces the stores and daemons that are bound to a deployment region. Without
// names, it is unbound. It panics if there is no such region.
func (e *Emulator) UseRegion(id string, by ...string) {
	defer e.lock()()
	e.state.regions().use(id, by)
}

func (s *Seed) regions() collection {
	write := func(regions []map[string]any) { s.DeploymentRegions = regions }
	return collection{"deployment region", idOf, s.DeploymentRegions, write, s.RegionBindings}
}
