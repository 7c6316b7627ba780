package connection

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Claim is what a resource does with an object, such as "backup of cluster 650a1f3c2e4b6d8091a3b5c7". Several can be combined.
type Claim int

// The claims. A plan of a tainted resource has no state, so only a refresh of that state tells what its destroy would end.
const (
	Keeps     Claim = 1 << iota // a plan keeps or changes what a state has
	WouldEnd                    // the destroy of that state would end it
	Adopts                      // a plan creates or adopts it
	Readopts                    // the second plan of a replacement does so, after the first one
	Ends                        // a plan ends it
	Forgets                     // a plan removes it only from a state
	Has                         // a refreshed state has it, and its destroy would keep it
	HasToEnd                    // a refreshed state has it, and its destroy would end it
	Refuses                     // a refreshed state has it, and its destroy would refuse to end it
	Refreshed                   // the refresh of a state that has it is over, so Terraform plans the resource now
	Tainted                     // a refreshed state has it, its destroy would end it, and Terraform plans that state like a new one
	Gone                        // a refreshed state had it, and Ops Manager no longer does
	Applied                     // an apply has created or adopted it
)

// HasIt returns the claim of a refreshed state whose destroy would end an object, or would keep it.
func HasIt(wouldEnd bool) Claim {
	if wouldEnd {
		return HasToEnd
	}
	return Has
}

// If returns the claim if a condition is met, and otherwise none.
func (c Claim) If(isMet bool) Claim {
	if isMet {
		return c
	}
	return 0
}

// Adoption returns the claim of a plan that creates or adopts an object, which may be the second plan of a replacement.
func Adoption(isSecond bool) Claim {
	if isSecond {
		return Readopts
	}
	return Adopts
}

// Conflict is why a plan can't do what it claims.
type Conflict int

// The conflicts of two claims.
const (
	None  Conflict = iota
	Ended          // one ends what the other one manages
	Twice          // both manage the object
)

// conflicts has the conflict of each claim with earlier ones. The first one counts.
var conflicts = []struct {
	claim, earlier Claim
	is             Conflict
}{
	{Keeps | Adopts | Readopts, Ends, Ended},
	{Ends, Keeps | Adopts | Readopts, Ended},
	{Keeps | Adopts, Keeps | Adopts | Readopts, Twice},
	{Adopts | Readopts, WouldEnd | HasToEnd, Ended},
	{HasToEnd, Adopts | Readopts, Ended},
}

// claims holds what the resources of a run do with each object, and what they have noted. Terraform shows a resource
// neither the plan nor the state of another one. It starts a process for each plan, each apply, and each configuration of
// the provider, which sees only its own resources.
type claims struct {
	mu        sync.Mutex
	byObject  map[string]Claim
	unplanned map[string]int       // how many refreshes of states with an object are over, less the plans of a resource with a state
	refreshed map[string]time.Time // when the last of these refreshes was over
	notes     map[string]any       // by subject
}

var shared Shared[claims]

// Claim adds a claim to those of an object, and returns its conflict with the earlier ones.
func (d *Data) Claim(object string, claim Claim) Conflict {
	c := shared.Of(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byObject == nil {
		c.byObject = map[string]Claim{}
		c.unplanned = map[string]int{}
		c.refreshed = map[string]time.Time{}
	}
	earlier := c.byObject[object]
	c.byObject[object] = earlier | claim
	switch {
	case claim == Gone:
		c.byObject[object] &^= WouldEnd | HasToEnd
	case claim&Refreshed != 0:
		c.unplanned[object]++
		c.refreshed[object] = time.Now()
	case claim&(Keeps|Ends|Forgets) != 0:
		c.unplanned[object]--
	}
	if claim&Keeps != 0 && earlier&Tainted != 0 && c.isUnplanned(object) { // it is not the state that Terraform planned late
		return Ended
	}
	for _, of := range conflicts {
		if of.claim&claim != 0 && of.earlier&earlier != 0 {
			return of.is
		}
	}
	return None
}

// Unplanned returns the objects of a kind that a refreshed state has, that its destroy would end, and that no plan has named for
// five seconds with the default SettleTime. Terraform plans a resource right after its refresh, so these are the objects of
// tainted resources, which it plans like new ones. It waits for the plans that have to follow now, and returns an object once.
func (d *Data) Unplanned(ctx context.Context, kind string) (objects []string) {
	for object, since := range d.unplanned(kind) {
		limit := d.SettleTime / 4
		for d.isUnplanned(object) && time.Since(since) < limit {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(limit / 100):
			}
		}
		if d.takeUnplanned(object) {
			objects = append(objects, object)
		}
	}
	slices.Sort(objects)
	return objects
}

// unplanned returns the objects of a kind whose refresh is over, and whose plan has not begun, with the time of that.
func (d *Data) unplanned(kind string) map[string]time.Time {
	c := shared.Of(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]time.Time{}
	for object, since := range c.refreshed {
		isKnown := c.byObject[object]&Tainted != 0
		if strings.HasPrefix(object, kind+" ") && !isKnown && c.isUnplanned(object) {
			found[object] = since
		}
	}
	return found
}

func (d *Data) isUnplanned(object string) bool {
	c := shared.Of(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isUnplanned(object)
}

// takeUnplanned reports whether an object is still unplanned, so that it is that of a tainted resource.
func (d *Data) takeUnplanned(object string) bool {
	c := shared.Of(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	isUnplanned := c.isUnplanned(object)
	c.byObject[object] |= Tainted.If(isUnplanned)
	return isUnplanned
}

func (c *claims) isUnplanned(object string) bool {
	return c.byObject[object]&HasToEnd != 0 && c.unplanned[object] > 0
}

// IsKept reports whether a plan of this run keeps, creates or adopts an object, or the destroy of its state would refuse to end it.
func (d *Data) IsKept(object string) bool { return d.HasClaim(object, Keeps|Adopts|Readopts|Refuses) }

// HasClaim reports whether an object has one of some claims.
func (d *Data) HasClaim(object string, some Claim) bool {
	c := shared.Of(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byObject[object]&some != 0
}

// Note changes what the resources of a run have noted on a subject, such as what their plans set, and returns what that was
// before. All that is noted on a subject has one type.
func Note[T any](d *Data, subject string, change func(*T)) (before T) {
	c := shared.Of(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notes == nil {
		c.notes = map[string]any{}
	}
	before, _ = c.notes[subject].(T)
	after := before
	change(&after)
	c.notes[subject] = after
	return before
}

// Noted returns what the resources of a run have noted on a subject.
func Noted[T any](d *Data, subject string) T {
	c := shared.Of(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	noted, _ := c.notes[subject].(T)
	return noted
}
