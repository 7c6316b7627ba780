package main

import (
	"log"
	"slices"
	"sync"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// answerTime is how long a client may take to answer a challenge.
const answerTime = time.Second

// requestLog logs requests without headers and bodies, which may contain secrets. With HTTP Digest, a
// client often gets a challenge first. It is logged only if the client doesn't answer it.
type requestLog struct {
	to *log.Logger

	mu         sync.Mutex
	unanswered []*unanswered // in the order of their arrival
}

// unanswered is a request whose challenge may still be answered.
type unanswered struct {
	target string
	status int
	end    *time.Timer
}

func (l *requestLog) add(r emulator.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	target := r.Method + " " + r.Path
	if r.Query != "" {
		target += "?" + r.Query
	}
	if r.Challenged {
		one := &unanswered{target: target, status: r.Status}
		one.end = time.AfterFunc(answerTime, func() { l.print(one) })
		l.unanswered = append(l.unanswered, one)
		return
	}
	if i := slices.IndexFunc(l.unanswered, func(one *unanswered) bool { return r.Authenticated && one.target == target }); i >= 0 {
		l.unanswered[i].end.Stop()
		l.unanswered = slices.Delete(l.unanswered, i, i+1)
	}
	if r.Status == 0 {
		l.to.Printf("%s: no response", target)
		return
	}
	l.to.Printf("%s %d", target, r.Status)
}

// print logs a request whose challenge was not answered.
func (l *requestLog) print(one *unanswered) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.unanswered, one); i >= 0 {
		l.unanswered = slices.Delete(l.unanswered, i, i+1)
		l.to.Printf("%s %d", one.target, one.status)
	}
}

// flush logs the requests whose challenge has not been answered yet.
func (l *requestLog) flush() {
	l.mu.Lock()
	waiting := slices.Clone(l.unanswered)
	l.mu.Unlock()
	for _, one := range waiting {
		one.end.Stop()
		l.print(one)
	}
}
