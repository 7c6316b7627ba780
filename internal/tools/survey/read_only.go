package main

import (
	"fmt"
	"net/http"
	"sync"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// readOnly is a transport below Digest that refuses every request but GET. The client alone doesn't do:
// it reads a schedule with an empty PATCH if GET is missing, and time ranges with a POST. The transport
// counts, and keeps what only the wire shows.
type readOnly struct {
	next http.RoundTripper

	mu       sync.Mutex
	sent     int // requests, also those that were challenged
	refused  int // requests that were not sent
	answered int // requests that carried credentials
	offers   []offer
}

// offer is a Digest challenge.
type offer struct {
	field string // WWW-Authenticate
	first bool   // whether the request carried no credentials
	after int    // number of requests with credentials before it
}

func (r *readOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		r.mu.Lock()
		r.refused++
		r.mu.Unlock()
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, fmt.Errorf("%s: %w", request.Method, opsmanager.ErrReadOnly)
	}
	isAnswer := request.Header.Get("Authorization") != ""
	r.mu.Lock()
	r.sent++
	if isAnswer {
		r.answered++
	}
	answered := r.answered
	r.mu.Unlock()
	response, err := r.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusUnauthorized && response.Header.Get("WWW-Authenticate") != "" {
		r.mu.Lock()
		r.offers = append(r.offers, offer{response.Header.Get("WWW-Authenticate"), !isAnswer, answered})
		r.mu.Unlock()
	}
	return response, err
}

// requests returns the number of requests that were sent.
func (r *readOnly) requests() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent
}
