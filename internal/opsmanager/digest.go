package opsmanager

import (
	"io"
	"net/http"
	"sync/atomic"

	"github.com/icholy/digest"
	"golang.org/x/sync/semaphore"
)

// How many challenges one request answers before it gives up: a nonce may be
// stale again by the time that it is used.
const maxChallenges = 5

// digestTransport authenticates requests with HTTP Digest. All requests share
// one challenge. The first request asks for it, and the others wait until it has
// been answered well. A request that finds it expired answers the one that it is
// offered instead, and shares that once it has been accepted: workers that shared
// it earlier could use it up for each other.
//
// Some servers keep one nonce for each client, or count its uses in their order.
// Requests side by side spoil that for each other. If such a request is refused,
// it is repeated when no other is under way. If that helps, requests take turns
// from then on.
//
// The library's own transport keeps a challenge too, but lets every concurrent
// request fetch one and gives up at the second refusal. So its computation is used
// here, without it.
type digestTransport struct {
	username, password string
	next               http.RoundTripper

	first    chan struct{} // held by the request that is to be accepted first
	accepted atomic.Bool   // a request has been: the key pair is right, or not needed
	shared   atomic.Pointer[challenge]

	turns         *semaphore.Weighted // a request holds one, or all where it has to be alone
	takeTurns     atomic.Bool         // every request has to be alone
	entered, left atomic.Int64        // requests, to tell whether one was alone
}

const allTurns = 1 << 30

// challenge is one nonce of the service, and how often it has been used.
type challenge struct {
	*digest.Challenge // nil: the service asks for no authentication
	uses              atomic.Int32
}

func newDigestTransport(username, password string, next http.RoundTripper) *digestTransport {
	return &digestTransport{username: username, password: password, next: next, first: make(chan struct{}, 1), turns: semaphore.NewWeighted(allTurns)}
}

// RoundTrip sends a request and answers the challenges that it meets. A 401 that
// is returned is final: the answer to a fresh nonce was refused, or there was no
// challenge to answer.
func (t *digestTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		defer func() { _ = request.Body.Close() }() // each attempt gets a body of its own
	}
	ctx := request.Context()
	if !t.accepted.Load() {
		select {
		case t.first <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !t.accepted.Load() {
			defer func() { <-t.first }()
			response, _, err := t.attempt(request)
			return response, err
		}
		<-t.first
	}
	turns := int64(1)
	if t.takeTurns.Load() {
		turns = allTurns
	}
	response, spoiled, err := t.inTurn(request, turns)
	if !spoiled {
		return response, err
	}
	discard(response.Body)
	response, _, err = t.inTurn(request, allTurns)
	if err == nil && response.StatusCode != http.StatusUnauthorized {
		t.takeTurns.Store(true)
	}
	return response, err
}

// inTurn sends a request while it holds some turns. It reports whether the request
// was refused although the key pair is right, and others may have been the reason.
func (t *digestTransport) inTurn(request *http.Request, turns int64) (response *http.Response, spoiled bool, err error) {
	if err := t.turns.Acquire(request.Context(), turns); err != nil {
		return nil, false, err
	}
	defer t.turns.Release(turns)
	number := t.entered.Add(1)
	alone := t.left.Load() == number-1
	defer t.left.Add(1)
	response, refused, err := t.attempt(request)
	alone = alone && t.entered.Load() == number
	return response, refused && !alone, err
}

// attempt sends a request with the answer to the shared challenge, and then to
// the ones that it is offered instead. It reports whether the last answer was
// refused.
func (t *digestTransport) attempt(request *http.Request) (response *http.Response, refused bool, err error) {
	shared := t.shared.Load()
	answered := shared
	if shared == nil {
		answered = &challenge{}
	}
	for answers := 0; ; {
		response, err := t.send(request, answered)
		if err != nil {
			return nil, false, err
		}
		if response.StatusCode != http.StatusUnauthorized {
			if answered.Challenge != nil || succeeded(response) {
				t.shared.CompareAndSwap(shared, answered.after(response))
				t.accepted.Store(true)
			}
			return response, false, nil
		}
		offered, _ := answerableChallenge(response)
		if offered == nil {
			return response, false, nil
		}
		if answered.Challenge != nil {
			answers++
			if answers == maxChallenges || t.isRefusal(answered != shared, offered.Stale) {
				return response, true, nil
			}
		}
		discard(response.Body)
		answered = &challenge{Challenge: offered}
		if shared == nil {
			t.shared.CompareAndSwap(nil, answered)
			shared = answered
		}
	}
}

// isRefusal says whether a 401 is about the key pair or its rights, rather than
// about a nonce that has had its time. Not every service says 'stale' of such a
// nonce. But a fresh one has not had its time, and a key pair that has never been
// accepted is wrong.
func (t *digestTransport) isRefusal(fresh, stale bool) bool {
	return !stale && (fresh || !t.accepted.Load())
}

// after returns the challenge to answer next: the same, or one with the nonce that
// a server announces along with its answer.
//
// Source: https://www.rfc-editor.org/rfc/rfc7616#section-3.5
func (c *challenge) after(response *http.Response) *challenge {
	next := parseParameters(response.Header.Get("Authentication-Info"))["nextnonce"]
	if c.Challenge == nil || next == "" || next == c.Nonce {
		return c
	}
	successor := *c.Challenge
	successor.Nonce = next
	return &challenge{Challenge: &successor}
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
		attempt.Header.Set("Authorization", authorization(credentials))
	}
	return t.next.RoundTrip(attempt)
}

// discard reads what is left of a short body, so that its connection is used
// again, and gives up the connection of a long one.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxFailureBytes)
	_ = body.Close()
}
