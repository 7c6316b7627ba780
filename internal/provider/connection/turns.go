package connection

import (
	"context"
	"strings"
	"sync"
)

// Turns lets one resource at a time request something for a cluster or a project, so that no request
// mistakes the result of another one for its own, or overwrites it. The zero value is ready for use. See [Shared].
type Turns struct {
	mu    sync.Mutex
	turns map[string]chan struct{} // by ID; full while a resource has the turn
}

// Take waits for the turn, and returns a function that ends it.
func (t *Turns) Take(ctx context.Context, id string) (done func(), err error) {
	id = strings.ToLower(id)
	t.mu.Lock()
	if t.turns == nil {
		t.turns = map[string]chan struct{}{}
	}
	turn := t.turns[id]
	if turn == nil {
		turn = make(chan struct{}, 1)
		t.turns[id] = turn
	}
	t.mu.Unlock()
	end := sync.OnceFunc(func() { <-turn })
	select {
	case turn <- struct{}{}: // also if ctx has ended: nothing has to wait
		return end, nil
	default:
	}
	select {
	case turn <- struct{}{}:
		return end, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
