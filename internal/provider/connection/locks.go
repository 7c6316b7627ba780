package connection

import (
	"context"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Lock waits until no other resource of this process changes an object, and returns a function that unlocks
// it. So no request takes the result of another one for its own, or overwrites it. The name says what the
// object is, in any case, such as "schedule of cluster 650a1f3c2e4b6d8091a3b5c7".
func (d *Data) Lock(ctx context.Context, name string) (unlock func(), err error) {
	known, _ := d.locks.LoadOrStore(strings.ToLower(name), semaphore.NewWeighted(1))
	lock := known.(*semaphore.Weighted) //nolint:forcetypeassert // nothing else is stored
	if !lock.TryAcquire(1) {            // also if ctx has ended: nothing has to wait
		if err := lock.Acquire(ctx, 1); err != nil {
			return nil, err
		}
	}
	return sync.OnceFunc(func() { lock.Release(1) }), nil
}
