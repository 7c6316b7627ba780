package opsmanager

import (
	"context"
	"fmt"
	"sync"
)

// maxElements is how many elements all arrays of an answer may have together. A page
// of 500 snapshots of 100 shards each has half as many. Without a bound, a compressed
// answer of some kilobytes could be decoded to gigabytes.
const maxElements = 100_000

var errTooManyElements = fmt.Errorf("the arrays of the answer have more than %d elements together, which no page of this API has", maxElements)

// arrayElements returns how many elements the arrays of a JSON document have
// together. Of a text that is not JSON it may return anything.
func arrayElements(document []byte) int {
	elements := 0
	var arrays []bool // for each open array or object, from the outermost: whether it is an array
	for i := 0; i < len(document) && elements <= maxElements && len(arrays) <= maxElements; i++ {
		switch document[i] {
		case '"':
			for i++; i < len(document) && document[i] != '"'; i++ {
				if document[i] == '\\' {
					i++
				}
			}
		case '[':
			arrays = append(arrays, true)
			elements++
		case '{':
			arrays = append(arrays, false)
		case ']', '}':
			arrays = arrays[:max(len(arrays)-1, 0)]
		case ',':
			if len(arrays) > 0 && arrays[len(arrays)-1] {
				elements++
			}
		}
	}
	return elements
}

const (
	// How many elements the pages of a list may have together before it is large. Large
	// lists are read one after the other.
	largeListElements = 50_000
	// Where a list is given up.
	maxListElements = 1_000_000
)

// listElements counts what is read of one list.
type listElements struct {
	turn chan struct{} // held by the one list of a client that is large

	mu    sync.Mutex
	count int
	large bool
}

// add adds the elements of a page. A list that becomes large waits for its turn. It
// reports whether the list is short enough to be read on.
func (l *listElements) add(ctx context.Context, elements int) (short bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count += elements
	if l.count <= largeListElements || l.large {
		return l.count <= maxListElements, nil
	}
	select {
	case l.turn <- struct{}{}:
		l.large = true
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// release ends the turn of a large list.
func (l *listElements) release() {
	if l.large {
		<-l.turn
	}
}
