package opsmanager

import (
	"context"
	"fmt"
	"sync"
)

// Limits of one response. Without those of what is decoded, a compressed response of some KiB could take
// GiB.
const (
	maxResponseBytes = 32 << 20 // a page of 500 snapshots, the largest of this API, has about 1 MiB
	maxElements      = 100_000  // in all arrays, and unknown members; a page of 500 snapshots with 100 shards each has half as many
	maxText          = 1 << 20  // in bytes, also of an unknown member; the longest documented text is a chain of certificates
)

// ErrResponseTooLarge is the cause of an [*Error] if a response exceeds 32 MiB.
var ErrResponseTooLarge = fmt.Errorf("the response is larger than %d MiB, the most that this API returns", maxResponseBytes>>20)

var (
	errTooManyElements = fmt.Errorf("the response has more than %d array elements and unknown members; no page of this API is that large", maxElements)
	errTooMuchText     = fmt.Errorf("the response has a text of more than %d MiB; no field of this API is that long", maxText>>20)
)

const (
	bytesPerElement = 200 // estimated size of a decoded element of an array

	largeMemory = 8 << 20 // in bytes; who needs more waits for the lock
	maxMemory   = 1 << 30 // in bytes; who needs more fails
)

// ErrTooMuchMemory is the error of [Client.NeedMemory] for too much.
var ErrTooMuchMemory = fmt.Errorf("would take more than %d GiB of memory", maxMemory>>30)

// memoryLock is the right to keep a large amount of data in memory, which one call, list or data source
// of a client has at a time. A limit for each list is not enough, because Terraform reads ten lists at
// once, and a tenth of the memory is too little for the list of a large fleet.
type memoryLock struct {
	lock  chan struct{} // capacity 1; full while the lock is taken, and while a large response is read
	taken chan struct{} // from the client; nil until the lock is taken
}

type memoryLockKey struct{}

// HoldMemory returns a context in which large calls and lists keep one lock until done is
// called, for a caller that converts them into something larger.
func HoldMemory(ctx context.Context) (_ context.Context, done func()) {
	if memoryLockOf(ctx) != nil {
		return ctx, func() {}
	}
	held := &memoryLock{lock: make(chan struct{}, 1)}
	return context.WithValue(ctx, memoryLockKey{}, held), func() {
		if held.taken != nil {
			<-held.taken
		}
	}
}

func memoryLockOf(ctx context.Context) *memoryLock {
	held, _ := ctx.Value(memoryLockKey{}).(*memoryLock)
	return held
}

// ReleaseMemory returns a context in which each large call and list returns its lock at its end,
// for a caller of HoldMemory that keeps little of each.
func ReleaseMemory(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryLockKey{}, nil)
}

// NeedMemory is for a caller in a context of [HoldMemory] that needs some bytes of memory, together
// with those that it has asked for before. If that is much, it waits for the lock, and if it is too much,
// it fails with ErrTooMuchMemory.
func (c *Client) NeedMemory(ctx context.Context, bytes int) error {
	switch {
	case bytes >= maxMemory:
		return ErrTooMuchMemory
	case bytes < largeMemory:
		return nil
	}
	done, err := lockMemory(ctx, c.memoryLock)
	done()
	return err
}

// lockMemory waits for the lock of a context, unless it holds it already. Until done is called,
// others with the context wait. The channel is that of the client, which is full while the lock is taken.
func lockMemory(ctx context.Context, client chan struct{}) (done func(), err error) {
	held := memoryLockOf(ctx)
	if held == nil {
		return func() {}, nil
	}
	if err := enter(ctx, held.lock); err != nil {
		return func() {}, err
	}
	done = sync.OnceFunc(func() { <-held.lock })
	if held.taken == nil {
		if err := enter(ctx, client); err != nil {
			done()
			return done, err
		}
		held.taken = client
	}
	return done, nil
}

// enter puts a token into a channel, or waits until there is room.
func enter(ctx context.Context, lock chan struct{}) error {
	select {
	case lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
