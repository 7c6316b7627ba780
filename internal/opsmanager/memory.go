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

// memoryTurn is a lock that a call or a list must hold to keep a large amount of data in
// memory. Each client has one such lock, so large responses and large lists wait for each
// other. The large responses of one list also wait for each other.
type memoryTurn struct {
	client   chan struct{} // capacity 1; full while any call or list of the client has the turn
	response chan struct{} // capacity 1; full while a large response of this call or list is read
	held     *heldTurn     // keeps the turn after the call or the list; nil if nothing does

	mu    sync.Mutex
	taken bool
	size  int64 // of the list so far, in bytes
}

// newMemoryTurn returns the turn of a call or a list. The turn is not taken yet.
func (c *Client) newMemoryTurn(ctx context.Context) *memoryTurn {
	held, _ := ctx.Value(heldTurnKey{}).(*heldTurn)
	return &memoryTurn{client: c.memoryTurn, response: make(chan struct{}, 1), held: held}
}

// heldTurn is the turn of all calls and lists in a context. The zero value is not taken.
type heldTurn struct {
	mu     sync.Mutex
	client chan struct{} // nil until the turn is taken
}

type heldTurnKey struct{}

// HoldMemoryTurn returns a context in which large calls and lists keep their turn until done is
// called, for a caller that converts them into something larger.
func HoldMemoryTurn(ctx context.Context) (_ context.Context, done func()) {
	held := &heldTurn{}
	return context.WithValue(ctx, heldTurnKey{}, held), held.release
}

// TakeMemoryTurn waits for the turn of a context of [HoldMemoryTurn], because the caller needs much
// memory. In another context, it does nothing.
func (c *Client) TakeMemoryTurn(ctx context.Context) error {
	if turn := c.newMemoryTurn(ctx); turn.held != nil {
		return turn.take(ctx)
	}
	return nil
}

func (h *heldTurn) take(ctx context.Context, client chan struct{}) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.client != nil {
		return nil
	}
	if err := enter(ctx, client); err != nil {
		return err
	}
	h.client = client
	return nil
}

func (h *heldTurn) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.client != nil {
		<-h.client
		h.client = nil
	}
}

type memoryTurnKey struct{}

// with returns a context whose requests use this turn.
func (m *memoryTurn) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryTurnKey{}, m)
}

func memoryTurnOf(ctx context.Context) *memoryTurn {
	m, _ := ctx.Value(memoryTurnKey{}).(*memoryTurn)
	return m
}

// take waits for the turn, unless it is taken already.
func (m *memoryTurn) take(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held != nil {
		return m.held.take(ctx, m.client)
	}
	if m.taken {
		return nil
	}
	if err := enter(ctx, m.client); err != nil {
		return err
	}
	m.taken = true
	return nil
}

// release returns the turn to the client, unless it is held.
func (m *memoryTurn) release() {
	if m.taken {
		<-m.client
	}
}

// takeForResponse waits until a large response may be read. The caller must call done when it no
// longer needs the response.
func (m *memoryTurn) takeForResponse(ctx context.Context) (done func(), err error) {
	if err := m.take(ctx); err != nil {
		return nil, err
	}
	if err := enter(ctx, m.response); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { <-m.response }), nil
}

// addPage adds the size of a page to that of the list. A list that becomes large waits for
// its turn. The result is false if the list is too large.
func (m *memoryTurn) addPage(ctx context.Context, size int64) (acceptable bool, err error) {
	m.mu.Lock()
	m.size += size
	total := m.size
	m.mu.Unlock()
	if total < largeList {
		return true, nil
	}
	return total < maxList, m.take(ctx)
}

// enter puts a token into a channel of capacity one, or waits until there is room.
func enter(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
