package opsmanager

import (
	"context"
	"fmt"
	"sync"
)

// Limits of one response. Without them, a compressed response of some KiB could be
// decoded to GiB.
const (
	maxElements = 100_000 // in all arrays; a page of 500 snapshots with 100 shards each has half as many
	maxMembers  = 10_000  // of one object
	maxText     = 1 << 20 // in bytes; the longest documented one is a chain of certificates
)

var (
	errTooManyElements = fmt.Errorf("the response has more than %d array elements or an object of more than %d members; no page of this API is that large", maxElements, maxMembers)
	errTooMuchText     = fmt.Errorf("the response has a text of more than %d MiB; no field of this API is that long", maxText>>20)
)

// countElements counts the elements of all arrays in a JSON document. It fails if the document
// exceeds a limit. For other text, the result is arbitrary.
func countElements(document []byte) (elements int, err error) {
	type container struct {
		isArray bool
		commas  int
	}
	var open []container // outermost first
	members, text := 0, 0
	for i := 0; i < len(document); i++ {
		switch document[i] {
		case '"':
			start := i
			for i++; i < len(document) && document[i] != '"'; i++ {
				if document[i] == '\\' {
					i++
				}
			}
			text = i - start - 1
		case '[':
			open = append(open, container{isArray: true})
			elements++
		case '{':
			open = append(open, container{})
		case ']', '}':
			open = open[:max(len(open)-1, 0)]
		case ',':
			if len(open) == 0 {
				continue
			}
			innermost := &open[len(open)-1]
			innermost.commas++
			if innermost.isArray {
				elements++
			} else {
				members = innermost.commas + 1
			}
		}
		switch {
		case elements > maxElements, members > maxMembers, len(open) > maxElements:
			return 0, errTooManyElements
		case text > maxText:
			return 0, errTooMuchText
		}
	}
	return elements, nil
}

const (
	largeList = 8 << 20   // size in bytes at which a list counts as large
	maxList   = 256 << 20 // size in bytes at which a list is an error

	bytesPerElement = 200 // estimated size of a decoded array element
)

// memoryTurn is the right to keep a large amount of data in memory, which one call, list or data source
// of a client has at a time. A limit for each list is not enough, because Terraform reads ten lists at
// once, and a tenth of the memory is too little for the list of a large fleet. Without turns, six lists of
// 2,000 snapshots take 251 MiB instead of less than 150, and eight responses of 32 MiB take 418 MiB
// instead of 128.
type memoryTurn struct {
	response chan struct{} // capacity 1; full while a large response is read
	mu       sync.Mutex
	taken    chan struct{} // from the client; nil until the turn is taken
}

type memoryTurnKey struct{}

// HoldMemoryTurn returns a context in which large calls and lists keep one turn until done is
// called, for a caller that converts them into something larger.
func HoldMemoryTurn(ctx context.Context) (_ context.Context, done func()) {
	if memoryTurnOf(ctx) != nil {
		return ctx, func() {}
	}
	turn := &memoryTurn{response: make(chan struct{}, 1)}
	return context.WithValue(ctx, memoryTurnKey{}, turn), turn.release
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

// TakeMemoryTurn waits for the turn of a context of [HoldMemoryTurn], because the caller needs much
// memory. In another context, it does nothing.
func (c *Client) TakeMemoryTurn(ctx context.Context) error {
	if turn := memoryTurnOf(ctx); turn != nil {
		return turn.take(ctx, c.memoryTurn)
	}
	return nil
}

// take waits for the turn, unless it is taken already. The channel is that of the client, which is full
// while the turn is taken.
func (m *memoryTurn) take(ctx context.Context, client chan struct{}) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken != nil {
		return nil
	}
	if err := enter(ctx, client); err != nil {
		return err
	}
	m.taken = client
	return nil
}

// release returns the turn to the client.
func (m *memoryTurn) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken != nil {
		<-m.taken
		m.taken = nil
	}
}

// takeForResponse waits until a large response may be read. The large responses of one list wait for
// each other, too. The caller must call done when it no longer needs the response.
func (m *memoryTurn) takeForResponse(ctx context.Context, client chan struct{}) (done func(), err error) {
	if err := m.take(ctx, client); err != nil {
		return nil, err
	}
	if err := enter(ctx, m.response); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { <-m.response }), nil
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
