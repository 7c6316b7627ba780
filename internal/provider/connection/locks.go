package connection

import (
	"context"
	"strings"
	"sync"
)

// locks has a lock for each object that a resource changes. The zero value is ready for use.
type locks struct {
	mu     sync.Mutex
	byName map[string]chan struct{} // full while a resource has the lock
}

// Lock waits until no other resource of this process changes an object, and returns a function that unlocks
// it. So no request takes the result of another one for its own, or overwrites it. The name says what the
// object is, in any case, such as "schedule of cluster 650a1f3c2e4b6d8091a3b5c7".
func (d *Data) Lock(ctx context.Context, name string) (unlock func(), err error) {
	name = strings.ToLower(name)
	d.locks.mu.Lock()
	if d.locks.byName == nil {
		d.locks.byName = map[string]chan struct{}{}
	}
	lock := d.locks.byName[name]
	if lock == nil {
		lock = make(chan struct{}, 1)
		d.locks.byName[name] = lock
	}
	d.locks.mu.Unlock()
	unlock = sync.OnceFunc(func() { <-lock })
	select {
	case lock <- struct{}{}: // also if ctx has ended: nothing has to wait
		return unlock, nil
	default:
	}
	select {
	case lock <- struct{}{}:
		return unlock, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
