package stores

import (
	"sync"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// storeKey identifies a store. Stores of different kinds may have the same ID.
type storeKey struct {
	kind opsmanager.StoreKind
	id   string
}

// storeRegistry has what the stores of one provider process plan and have done. Terraform
// starts a process for each plan, and another one for each apply. The zero value is ready
// for use.
type storeRegistry struct {
	mu      sync.Mutex
	planned map[storeKey]plannedStore
	created map[storeKey]bool // created or adopted by this process
}

// plannedStore is what the resources of a plan do with one store.
type plannedStore struct {
	refreshed *replacedStore // the store in the state, if it has been refreshed

	kept      bool // a resource keeps it
	claimed   bool // a resource creates or adopts it
	destroyed bool // a resource deletes it
}

// replacedStore is the store that a replacement destroys. The private data of the plan
// keeps it: Terraform plans a replacement twice, without a state the second time.
type replacedStore struct {
	ID        string `json:"id"`
	Protected bool   `json:"protected"`
	Planned   bool   `json:"planned"` // whether a changed attribute forces the replacement
}

func (m storeModel) replaced() replacedStore {
	return replacedStore{ID: m.id(), Protected: m.flag(deletionProtection).ValueBool()}
}

// update changes the plan of a store, and returns the plan before that.
func (g *storeRegistry) update(key storeKey, change func(*plannedStore)) plannedStore {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.planned == nil {
		g.planned = map[storeKey]plannedStore{}
	}
	before := g.planned[key]
	after := before
	change(&after)
	g.planned[key] = after
	return before
}

// startApply forgets the plan.
func (g *storeRegistry) startApply() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.planned = nil
}

// setCreated records that this process created or adopted a store.
func (g *storeRegistry) setCreated(key storeKey) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.created == nil {
		g.created = map[storeKey]bool{}
	}
	g.created[key] = true
}

// hasCreated reports whether this process created or adopted a store.
func (g *storeRegistry) hasCreated(key storeKey) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.created[key]
}
