package opsmanager

import (
	"context"
	"fmt"
	"sync"
)

// maxElements limits the number of array elements in a response. A page of 500 snapshots
// with 100 shards each has half as many. Without a limit, a compressed response of some
// KiB could be decoded to GiB.
const maxElements = 100_000

var errTooManyElements = fmt.Errorf("the arrays of the response have more than %d elements, the most that a page of this API has", maxElements)

// arrayElements counts the elements of all arrays in a JSON document. For other text,
// the result is arbitrary.
func arrayElements(document []byte) int {
	elements := 0
	var arrays []bool // which of the enclosing values are arrays, outermost first
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
	largeListElements = 50_000    // a list with more is large; large lists are read one at a time
	maxListElements   = 1_000_000 // a list with more is an error
)

// listElements counts the array elements in the pages of a list.
type listElements struct {
	turn chan struct{} // held while a large list is read; shared by all lists of a client

	mu    sync.Mutex
	count int
	large bool
}

// add counts the elements of a page. A list that becomes large waits until no other
// large list is being read. The result is false if the list has too many elements.
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

// release lets the next large list continue.
func (l *listElements) release() {
	if l.large {
		<-l.turn
	}
}
