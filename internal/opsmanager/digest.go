package opsmanager

import (
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/icholy/digest"
)

// How often one request answers a challenge before it gives up. Workers share a
// nonce and may use up the fresh one before this request comes to use it.
const maxChallenges = 5

// digestTransport authenticates requests with HTTP Digest. All requests share
// one challenge: the first asks for it while the others wait, and when it has
// expired the first to learn so renews it for all.
//
// The library's own transport keeps a challenge too, but lets every concurrent
// request fetch one and gives up at the second refusal; so its parser and its
// computation are used here, without it.
type digestTransport struct {
	username, password string
	next               http.RoundTripper

	asking chan struct{} // held by the request that asks for the first challenge

	mu      sync.Mutex
	current *challenge
}

// challenge is one nonce of the service. The transport's lock guards its fields.
type challenge struct {
	*digest.Challenge
	uses     int
	accepted bool // an answer to it has been accepted, so the key pair is right
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
	answered, use, err := t.first(request.Context())
	if err != nil {
		return nil, err
	}
	if answered == nil {
		return t.ask(request)
	}
	return t.answer(request, answered, use)
}

// ask sends the request that learns the first challenge. Its turn ends as soon
// as there is a challenge to share.
func (t *digestTransport) ask(request *http.Request) (*http.Response, error) {
	response, offered, err := t.challenged(request, nil, 0)
	if offered == nil {
		<-t.asking
		return response, err
	}
	answered, use := t.renew(nil, offered)
	<-t.asking
	return t.answer(request, answered, use)
}

// answer sends the request with the answer to a challenge, and to the
// challenges that replace it.
func (t *digestTransport) answer(request *http.Request, answered *challenge, use int) (*http.Response, error) {
	for range maxChallenges {
		response, offered, err := t.challenged(request, answered, use)
		if offered == nil {
			return response, err
		}
		answered, use = t.renew(answered, offered)
	}
	return t.send(request, answered, use)
}

// challenged sends the request, and returns either the answer to it or the
// challenge that stands in its way.
func (t *digestTransport) challenged(request *http.Request, answered *challenge, use int) (*http.Response, *digest.Challenge, error) {
	response, err := t.send(request, answered, use)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusUnauthorized {
		t.accept(answered)
		return response, nil, nil
	}
	offered, err := digest.FindChallenge(response.Header)
	if err != nil || t.refused(answered, offered) {
		return response, nil, nil //nolint:nilerr // a 401 without a challenge is the caller's to report
	}
	discard(response.Body)
	return nil, offered, nil
}

// first returns the challenge in use, or nil to the one request that shall ask
// for it and then holds the turn to ask.
func (t *digestTransport) first(ctx context.Context) (*challenge, int, error) {
	if c, use := t.use(); c != nil {
		return c, use, nil
	}
	select {
	case t.asking <- struct{}{}:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	if c, use := t.use(); c != nil {
		<-t.asking
		return c, use, nil
	}
	return nil, 0, nil
}

// use counts one more use of the current challenge.
func (t *digestTransport) use() (*challenge, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		return nil, 0
	}
	t.current.uses++
	return t.current, t.current.uses
}

// renew makes the offered challenge the current one, unless another request has
// replaced the one that was refused.
func (t *digestTransport) renew(refused *challenge, offered *digest.Challenge) (*challenge, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == refused {
		t.current = &challenge{Challenge: offered}
	}
	t.current.uses++
	return t.current, t.current.uses
}

func (t *digestTransport) accept(answered *challenge) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if answered != nil {
		answered.accepted = true
	}
}

// refused says whether a 401 is about the key pair, rather than about a nonce
// that has had its time.
func (t *digestTransport) refused(answered *challenge, offered *digest.Challenge) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return answered != nil && !offered.Stale && !answered.accepted
}

// send sends a copy of the request with the answer to a challenge, or without
// one where there is none yet.
func (t *digestTransport) send(request *http.Request, answered *challenge, use int) (*http.Response, error) {
	attempt := request.Clone(request.Context())
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, err
		}
		attempt.Body = body
	}
	if answered != nil {
		credentials, err := digest.Digest(answered.Challenge, digest.Options{
			Method:   request.Method,
			URI:      request.URL.RequestURI(),
			GetBody:  request.GetBody,
			Count:    use,
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
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	_ = body.Close()
}
