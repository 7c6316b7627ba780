package connection

import (
	"context"
	"strings"
	"sync"
)

// Turns lets one resource at a time request something for a cluster, so that no request mistakes the
// result of another one for its own. The zero value is ready for use. See [Shared].
type Turns struct {
	mu       sync.Mutex
	clusters map[string]chan struct{} // by ID; full while a resource has the turn
}

// Take waits for the turn, and returns a function that ends it.
func (t *Turns) Take(ctx context.Context, cluster string) (done func(), err error) {
	cluster = strings.ToLower(cluster)
	t.mu.Lock()
	if t.clusters == nil {
		t.clusters = map[string]chan struct{}{}
	}
	turn := t.clusters[cluster]
	if turn == nil {
		turn = make(chan struct{}, 1)
		t.clusters[cluster] = turn
	}
	t.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return sync.OnceFunc(func() { <-turn }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
