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
	bytesPerElement = 400       // estimated size of an element of an array, decoded and while a list is read
	manyElements    = 40_000    // in one response, which may take 8 MiB when it is decoded
	maxListBytes    = 256 << 20 // of one list; 3,000 snapshots with 100 shards each take less
	maxUncounted    = 32 << 20  // of a list whose total does not say how long it is
)

// largeAnswers is full while a response or a data source of a client takes much memory. Whoever fills it must
// not begin another call, which might wait for it.
type largeAnswers chan struct{}

// begin waits until no other large answer is processed. The next one waits until end is called.
func (l largeAnswers) begin(ctx context.Context) (end func(), err error) {
	if err := enter(ctx, l); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { <-l }), nil
}

// BeginLargeAnswer waits until the client processes no other large answer. The next one waits until the
// context ends. Until then, the caller must not call Ops Manager.
func (c *Client) BeginLargeAnswer(ctx context.Context) error {
	end, err := c.largeAnswers.begin(ctx)
	if err == nil {
		context.AfterFunc(ctx, end)
	}
	return err
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
