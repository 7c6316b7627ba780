package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress prints what is being done, at most once in a while.
type progress struct {
	to io.Writer

	mu   sync.Mutex
	next time.Time
}

// betweenProgress is the time between two lines. Work that is shorter prints none.
const betweenProgress = 3 * time.Second

func newProgress(to io.Writer) *progress {
	return &progress{to: to, next: time.Now().Add(betweenProgress)}
}

// report prints a line, unless one was printed a moment ago. Workers may call it at the same time.
func (p *progress) report(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(betweenProgress)
	fmt.Fprintf(p.to, format+"\n", args...)
}
