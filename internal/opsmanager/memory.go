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

	largeMemory = 8 << 20 // in bytes; who needs more waits for the turn
	maxMemory   = 1 << 30 // in bytes; who needs more fails
)

// ErrTooMuchMemory is the error of [Client.NeedMemory] for too much.
var ErrTooMuchMemory = fmt.Errorf("would take more than %d GiB of memory", maxMemory>>30)

// memoryTurn is the right to keep a large amount of data in memory, which one call, list or data source
// of a client has at a time. A limit for each list is not enough, because Terraform reads ten lists at
// once, and a tenth of the memory is too little for the list of a large fleet.
type memoryTurn struct {
	lock  chan struct{} // capacity 1; full while the turn is taken, and while a large response is read
	taken chan struct{} // from the client; nil until the turn is taken
}

type memoryTurnKey struct{}

// HoldMemoryTurn returns a context in which large calls and lists keep one turn until done is
// called, for a caller that converts them into something larger.
func HoldMemoryTurn(ctx context.Context) (_ context.Context, done func()) {
	if memoryTurnOf(ctx) != nil {
		return ctx, func() {}
	}
	turn := &memoryTurn{lock: make(chan struct{}, 1)}
	return context.WithValue(ctx, memoryTurnKey{}, turn), func() {
		if turn.taken != nil {
			<-turn.taken
		}
	}
}

func memoryTurnOf(ctx context.Context) *memoryTurn {
	turn, _ := ctx.Value(memoryTurnKey{}).(*memoryTurn)
	return turn
}

// ReleaseMemoryTurns returns a context in which each large call and list returns its turn at its end,
// for a caller of HoldMemoryTurn that keeps little of each.
func ReleaseMemoryTurns(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryTurnKey{}, nil)
}

// NeedMemory is for a caller in a context of [HoldMemoryTurn] that needs some bytes of memory, together
// with those that it has asked for before. If that is much, it waits for the turn, and if it is too much,
// it fails with ErrTooMuchMemory.
func (c *Client) NeedMemory(ctx context.Context, bytes int) error {
	switch {
	case bytes >= maxMemory:
		return ErrTooMuchMemory
	case bytes < largeMemory:
		return nil
	}
	done, err := takeMemoryTurn(ctx, c.memoryTurn)
	done()
	return err
}

// takeMemoryTurn waits for the turn of a context, unless it is taken already. Until done is called,
// others with the context wait. The channel is that of the client, which is full while the turn is taken.
func takeMemoryTurn(ctx context.Context, client chan struct{}) (done func(), err error) {
	turn := memoryTurnOf(ctx)
	if turn == nil {
		return func() {}, nil
	}
	if err := enter(ctx, turn.lock); err != nil {
		return func() {}, err
	}
	done = sync.OnceFunc(func() { <-turn.lock })
	if turn.taken == nil {
		if err := enter(ctx, client); err != nil {
			done()
			return done, err
		}
		turn.taken = client
	}
	return done, nil
}

// enter puts a token into a channel, or waits until there is room.
func enter(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
