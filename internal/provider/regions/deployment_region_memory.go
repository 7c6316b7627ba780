package regions

import "sync"

// regionMemory is what the deployment regions of one provider process know about
// each other. Terraform starts a process for each plan and another one for each
// apply. The zero value is ready for use.
type regionMemory struct {
	mu      sync.Mutex
	planned map[string]regionUse // by id, and for someRegion
	made    map[string]bool      // by id: created or adopted by this process
}

// someRegion stands for a region whose id is not known: one that is to be adopted,
// and any that is deleted.
const someRegion = ""

// regionUse is what the state and the plan have to do with one region.
type regionUse struct {
	refreshed *replacedRegion // what the state has, if it has been refreshed

	kept      bool // a resource keeps it
	claimed   bool // a resource creates or adopts it
	described bool // the resource that claims it configures its texts
	set       bool // a resource that keeps or claims it configures a value
	destroyed bool // a resource deletes it
}

// replacedRegion is what the plan of a replacement has to know about the region
// that the state has. It travels in the private data of the plan: Terraform plans
// a replacement twice, and hides the state the second time.
type replacedRegion struct {
	ID          string `json:"id"`
	Protected   bool   `json:"protected"`
	SkipDestroy bool   `json:"skip_destroy"`
}

func (m *deploymentRegionModel) replaced() replacedRegion {
	return replacedRegion{m.DeploymentID.ValueString(), m.DeletionProtection.ValueBool(), m.SkipDestroy.ValueBool()}
}

// note changes what is known about a region, and returns what was known before.
func (m *regionMemory) note(id string, change func(*regionUse)) regionUse {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.planned == nil {
		m.planned = map[string]regionUse{}
	}
	before := m.planned[id]
	after := before
	change(&after)
	m.planned[id] = after
	return before
}

// apply forgets the plan: it is being applied.
func (m *regionMemory) apply() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.planned = nil
}

// make notes that this process created or adopted a region.
func (m *regionMemory) make(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil {
		m.made = map[string]bool{}
	}
	m.made[id] = true
}

// hasMade reports whether this process created or adopted a region.
func (m *regionMemory) hasMade(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.made[id]
}
