package connection

import "sync"

// Tracker records what the resources of one provider process plan for each object, and which
// objects they created or adopted. Terraform starts a process for each plan, and another one for
// each apply. K identifies an object, and P holds what the resources of a plan do with it. The
// zero value is ready for use. See [Shared].
type Tracker[K comparable, P any] struct {
	mu      sync.Mutex
	planned map[K]P
	adopted map[K]bool
}

// Plan changes what is planned for an object, and returns what was planned before.
func (r *Tracker[K, P]) Plan(key K, change func(*P)) (before P) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.planned == nil {
		r.planned = map[K]P{}
	}
	before = r.planned[key]
	after := before
	change(&after)
	r.planned[key] = after
	return before
}

// Any reports whether a function returns true for any object and what is planned for it.
func (r *Tracker[K, P]) Any(is func(K, P) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, planned := range r.planned {
		if is(key, planned) {
			return true
		}
	}
	return false
}

// Adopt records that this process created or adopted an object.
func (r *Tracker[K, P]) Adopt(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.adopted == nil {
		r.adopted = map[K]bool{}
	}
	r.adopted[key] = true
}

// HasAdopted reports whether this process created or adopted an object.
func (r *Tracker[K, P]) HasAdopted(key K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.adopted[key]
}
