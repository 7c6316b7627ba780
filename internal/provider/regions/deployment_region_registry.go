package regions

import "sync"

// regionRegistry has what the regions of one provider process plan and have done.
// Terraform starts a process for each plan, and another one for each apply. The zero
// value is ready for use.
type regionRegistry struct {
	mu      sync.Mutex
	planned map[string]plannedRegion // by ID, or unknownID
	created map[string]bool          // by ID: created or adopted by this process
}

// unknownID is the ID of a region to adopt whose ID is unknown, and of any region that
// is deleted.
const unknownID = ""

// plannedRegion is what the resources of a plan do with one region.
type plannedRegion struct {
	refreshed *replacedRegion // the region in the state, if it has been refreshed

	kept      bool // a resource keeps it
	claimed   bool // a resource creates or adopts it
	described bool // that resource configures all required fields
	set       bool // a resource that keeps or claims it configures a field
	destroyed bool // a resource deletes it
}

// replacedRegion is the region that a replacement destroys. The private data of the
// plan keeps it: Terraform plans a replacement twice, without a state the second time.
type replacedRegion struct {
	ID          string `json:"id"`
	Protected   bool   `json:"protected"`
	SkipDestroy bool   `json:"skip_destroy"`
}

func (m *deploymentRegionModel) replaced() replacedRegion {
	return replacedRegion{m.DeploymentID.ValueString(), m.DeletionProtection.ValueBool(), m.SkipDestroy.ValueBool()}
}

// update changes the plan of a region, and returns the plan before that.
func (g *regionRegistry) update(id string, change func(*plannedRegion)) plannedRegion {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.planned == nil {
		g.planned = map[string]plannedRegion{}
	}
	before := g.planned[id]
	after := before
	change(&after)
	g.planned[id] = after
	return before
}

// startApply forgets the plan.
func (g *regionRegistry) startApply() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.planned = nil
}

// setCreated records that this process created or adopted a region.
func (g *regionRegistry) setCreated(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.created == nil {
		g.created = map[string]bool{}
	}
	g.created[id] = true
}

// hasCreated reports whether this process created or adopted a region.
func (g *regionRegistry) hasCreated(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.created[id]
}
