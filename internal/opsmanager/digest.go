package opsmanager

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/icholy/digest"
)

// How many challenges one request answers before it gives up: a nonce may be
// stale again by the time that it is used.
const maxChallenges = 5

// digestTransport authenticates requests with HTTP Digest. All requests share
// one challenge: the first asks for it while the others wait. A request that
// finds it expired answers the one that it is offered instead, and shares that
// once it has been accepted: workers that shared it earlier could use it up for
// each other.
//
// The library's own transport keeps a challenge too, but lets every concurrent
// request fetch one and gives up at the second refusal; so its parser and its
// computation are used here, without it.
type digestTransport struct {
	username, password string
	next               http.RoundTripper

	asking  chan struct{} // held by the request that asks for the first challenge
	shared  atomic.Pointer[challenge]
	trusted atomic.Bool // an answer has been accepted, so the key pair is right
}

// challenge is one nonce of the service, and how often it has been used.
type challenge struct {
	*digest.Challenge // nil: the service asks for no authentication
	uses              atomic.Int32
}

func newDigestTransport(username, password string, next http.RoundTripper) *digestTransport {
	return &digestTransport{username: username, password: password, next: next, asking: make(chan struct{}, 1)}
}

// RoundTrip sends a request and answers the challenges that it meets. A 401 that
// is returned is final: the answer to a fresh nonce was refused, or there was no
// challenge to answer.
func (t *digestTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		defer func() { _ = request.Body.Close() }() // each attempt gets a body of its own
	}
	shared, err := t.sharedOrTurn(request.Context())
	switch {
	case err != nil:
		return nil, err
	case shared == nil:
		return t.ask(request)
	}
	return t.answer(request, shared)
}

// sharedOrTurn returns the shared challenge, or nil to the one request that
// shall ask for it and then holds the turn to ask.
func (t *digestTransport) sharedOrTurn(ctx context.Context) (*challenge, error) {
	if shared := t.shared.Load(); shared != nil {
		return shared, nil
	}
	select {
	case t.asking <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	shared := t.shared.Load()
	if shared != nil {
		<-t.asking
	}
	return shared, nil
}

// ask sends the request that learns the first challenge. Its turn ends as soon
// as there is a challenge to share, or none is needed.
func (t *digestTransport) ask(request *http.Request) (*http.Response, error) {
	response, err := t.send(request, &challenge{})
	var first *challenge
	if err == nil {
		first = offeredBy(response)
		switch {
		case first != nil:
			t.shared.Store(first)
		case succeeded(response):
			t.shared.Store(&challenge{})
		}
	}
	<-t.asking
	if first == nil {
		return response, err
	}
	discard(response.Body)
	return t.answer(request, first)
}

// answer sends the request with the answer to the shared challenge, and then to
// the ones that it is offered instead.
func (t *digestTransport) answer(request *http.Request, shared *challenge) (*http.Response, error) {
	answered := shared
	for challenges := 1; ; challenges++ {
		response, err := t.send(request, answered)
		if err != nil {
			return nil, err
		}
		if response.StatusCode != http.StatusUnauthorized {
			t.shared.CompareAndSwap(shared, answered)
			if answered.Challenge != nil {
				t.trusted.Store(true)
			}
			return response, nil
		}
		offered := offeredBy(response)
		if offered == nil || challenges == maxChallenges || t.refused(answered, answered != shared, offered.Stale) {
			return response, nil
		}
		discard(response.Body)
		answered = offered
	}
}

// refused says whether a 401 is about the key pair or its rights, rather than
// about a nonce that has had its time. Not every service says 'stale' of such a
// nonce; but a fresh one has not had its time, and a key pair that has never
// been accepted is wrong.
func (t *digestTransport) refused(answered *challenge, fresh, stale bool) bool {
	if answered.Challenge == nil || stale {
		return false
	}
	return fresh || !t.trusted.Load()
}

// offeredBy returns the challenge of a 401, nil where it has none that can be
// answered.
func offeredBy(response *http.Response) *challenge {
	if response.StatusCode != http.StatusUnauthorized {
		return nil
	}
	offered, err := digest.FindChallenge(response.Header)
	if err != nil {
		return nil
	}
	return &challenge{Challenge: offered}
}

// send sends a copy of the request with the answer to a challenge.
func (t *digestTransport) send(request *http.Request, answered *challenge) (*http.Response, error) {
	attempt := request.Clone(request.Context())
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, err
		}
		attempt.Body = body
	}
	if answered.Challenge != nil {
		credentials, err := digest.Digest(answered.Challenge, digest.Options{
			Method:   request.Method,
			URI:      request.URL.RequestURI(),
			GetBody:  request.GetBody,
			Count:    int(answered.uses.Add(1)),
			Username: t.username,
			Password: t.password,
		})
		if err != nil {
			return nil, err
		}
		attempt.Header.Set("Authorization", credentials.String())
	}
	return t.next.RoundTrip(attempt)
}

// discard reads what is left of a short body, so that its connection is used
// again, and gives up the connection of a long one.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxFailureBytes)
	_ = body.Close()
}
