package opsmanager

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/icholy/digest"
	"golang.org/x/sync/semaphore"
)

// maxChallenges is the number of challenges that a request answers before it fails. A
// nonce may be stale by the time it is used.
const maxChallenges = 5

// digestTransport authenticates requests with HTTP Digest. All requests share one
// challenge. The first request obtains it, and other requests wait until the answer to it
// has been accepted. A request that finds the challenge expired answers a new one, and
// shares the new one only after its answer has been accepted. Otherwise, other workers
// could use it up first.
//
// Some servers keep one nonce per client, or require its uses in order, so concurrent
// requests invalidate each other's nonces. If such a request is rejected, it is repeated
// while no other request is in progress. If that succeeds a few times, requests are sent
// one at a time from then on.
//
// The transport of the digest library is not used, because each concurrent first
// request would obtain a challenge of its own, and a second rejection would be final.
type digestTransport struct {
	username, password string
	next               http.RoundTripper

	timeout time.Duration // of a request; 0: none

	first    *semaphore.Weighted // held by the request that obtains the first challenge
	accepted atomic.Bool         // whether any request was accepted: the key pair is valid, or not needed
	shared   atomic.Pointer[challenge]

	slots         *semaphore.Weighted // a request holds one, or all if it must be the only one
	entered, left atomic.Int64        // number of requests, to detect concurrent ones

	// The number of requests that were rejected while others were in progress, and then accepted when sent
	// alone, less the number of those that were rejected again.
	evidence atomic.Int32
}

const (
	allSlots = 1 << 30
	// enoughEvidence is the evidence for sending all requests one at a time. With as much against it, that
	// is no longer tried.
	enoughEvidence = 3
	// slotWaits is the maximum wait of a request for its slot, in request timeouts. One slow request
	// is not enough to end it.
	slotWaits = 2 * slowWrite
)

// challenge is a challenge and the number of times it has been answered.
type challenge struct {
	*digest.Challenge // nil if no authentication is required
	uses              atomic.Int32
}

func newDigestTransport(username, password string, timeout time.Duration, next http.RoundTripper) *digestTransport {
	return &digestTransport{
		username: username,
		password: password,
		timeout:  timeout,
		next:     next,
		first:    semaphore.NewWeighted(1),
		slots:    semaphore.NewWeighted(allSlots),
	}
}

// RoundTrip sends a request and answers challenges. A 401 that it returns is final: the
// answer to a new nonce was rejected, or there was no challenge that can be answered.
func (t *digestTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		defer func() { _ = request.Body.Close() }() // each attempt gets its own copy
	}
	if !t.accepted.Load() {
		// The wait for the first challenge counts toward the request's timeout. Otherwise, the waiting
		// requests would try an unavailable server one after another, each for a full timeout.
		if err := t.acquire(request, t.first, 1, t.timeout); err != nil {
			return nil, err
		}
		release := sync.OnceFunc(func() { t.first.Release(1) })
		defer release()
		if !t.accepted.Load() {
			response, _, err := t.attempt(request)
			return response, err
		}
		release()
	}
	slots := int64(1)
	wait := slotWaits * t.timeout
	if t.evidence.Load() >= enoughEvidence {
		slots = allSlots
	}
	if err := t.acquire(request, t.slots, slots, wait); err != nil {
		return nil, err
	}
	response, maybeConcurrent, err := t.withSlots(request, slots)
	if !maybeConcurrent || t.evidence.Load() <= -enoughEvidence {
		return response, err
	}
	if t.acquire(request, t.slots, allSlots, wait) != nil {
		return response, nil
	}
	_ = response.Body.Close()
	response, _, err = t.withSlots(request, allSlots)
	switch {
	case err != nil:
	case response.StatusCode == http.StatusUnauthorized:
		t.evidence.Add(-1)
	default:
		t.evidence.Add(1)
	}
	return response, err
}

// acquire waits for a number of slots, at most for a time unless that is 0. The wait also ends when the
// caller's context ends, so no change begins after an interrupt.
func (t *digestTransport) acquire(request *http.Request, from *semaphore.Weighted, slots int64, wait time.Duration) error {
	caller := callerContext(request.Context())
	ctx, cancel := context.WithTimeout(caller, cmp.Or(wait, math.MaxInt64))
	defer cancel()
	if from.Acquire(ctx, slots) != nil {
		return cmp.Or(caller.Err(), error(timeoutError(wait)))
	}
	return nil
}

// withSlots sends a request and then releases its slots. It reports whether the request was
// rejected and concurrent requests may be the reason.
func (t *digestTransport) withSlots(request *http.Request, slots int64) (response *http.Response, maybeConcurrent bool, err error) {
	defer t.slots.Release(slots)
	number := t.entered.Add(1)
	alone := t.left.Load() == number-1
	defer t.left.Add(1)
	response, refused, err := t.attempt(request)
	alone = alone && t.entered.Load() == number
	return response, refused && !alone, err
}

// mostSends is how often a read is sent until it has a response. The connections of a proxy that
// restarts gracefully may all be closed.
const mostSends = 3

// attempt sends a request with the answer to the shared challenge, and then to the new
// challenges in the responses. It reports whether the last answer was rejected.
func (t *digestTransport) attempt(request *http.Request) (response *http.Response, refused bool, err error) {
	shared := t.shared.Load()
	answered := shared
	if shared == nil {
		answered = &challenge{}
	}
	for answers, lost := 0, 0; ; {
		response, err := t.send(request, answered)
		if errors.Is(err, errNoResponse) && !isChange(request.Context()) {
			if lost++; lost < mostSends {
				continue
			}
			err = fmt.Errorf("%w, %d times in a row; it may be shutting down", err, lost)
		}
		if err != nil {
			return nil, false, err
		}
		if response.StatusCode != http.StatusUnauthorized {
			if answered.Challenge != nil || succeeded(response) {
				t.shared.CompareAndSwap(shared, answered)
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
			if answers == maxChallenges || t.isRefusal(answered != shared, offered.Stale || lost > 0) { // the server may know a lost answer
				return response, true, nil
			}
		}
		_ = response.Body.Close()
		answered = &challenge{Challenge: offered}
		if shared == nil {
			t.shared.CompareAndSwap(nil, answered)
			shared = answered
		}
	}
}

// isRefusal reports whether a 401 is about the key pair or its rights, and not about an
// expired nonce. Some servers don't mark an expired nonce as stale. But a new nonce
// cannot have expired, and a key pair that has never been accepted is wrong.
func (t *digestTransport) isRefusal(fresh, stale bool) bool {
	return !stale && (fresh || !t.accepted.Load())
}

// errNoResponse is the error of a request that net/http was about to send again.
var errNoResponse = errors.New("the server or a proxy closed the connection, or the stream of the request, without a response")

// send sends a copy of the request with the answer to a challenge, at most once. On its own, net/http
// sends requests again without a pause and without a limit: a read whose connection is closed, and over
// HTTP/2 also a change, even if it has taken effect. Besides, each answer to a challenge is valid once.
func (t *digestTransport) send(request *http.Request, answered *challenge) (*http.Response, error) {
	if err := callerContext(request.Context()).Err(); err != nil {
		return nil, err // the change has not begun
	}
	ctx, cancel := context.WithCancelCause(request.Context())
	defer cancel(nil)
	var sent atomic.Bool
	attempt := request.Clone(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { sent.Store(true) },
		GotConn: func(got httptrace.GotConnInfo) {
			if !sent.Load() {
				return
			}
			cancel(errNoResponse) // over HTTP/2, nothing is sent in a canceled context
			connection, ok := got.Conn.(*tls.Conn)
			if !ok || connection.ConnectionState().NegotiatedProtocol != "h2" {
				_ = got.Conn.Close() // over HTTP/1, it might be
			}
		},
	}))
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
	response, err := t.next.RoundTrip(attempt)
	if err != nil && errors.Is(context.Cause(ctx), errNoResponse) {
		err = errNoResponse
	}
	return response, err
}

// authChallenge is an authentication challenge: its scheme, and its parameters by name
// in lower case.
type authChallenge struct {
	scheme     string
	parameters map[string]string
	malformed  bool
}

// maxOffered is the maximum number of challenges of a response that are considered.
const maxOffered = 16

// parseChallenges parses WWW-Authenticate fields. A field may contain several
// challenges, which are separated by commas, like parameters.
//
// Source: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
func parseChallenges(fields []string) []authChallenge {
	var found []authChallenge
	for _, field := range fields {
		var challenges []authChallenge
		text := authText(field)
		for text.skip(" \t,"); text != ""; text.skip(" \t,") {
			if len(found)+len(challenges) == maxOffered {
				return append(found, challenges...)
			}
			name := text.token()
			value, hasValue, ok := text.value()
			last := len(challenges) - 1
			switch {
			case name == "" || !ok || hasValue && last < 0:
				if last < 0 {
					challenges = append(challenges, authChallenge{parameters: map[string]string{}})
					last = 0
				}
				challenges[last].malformed = true
				text.skipTo(",")
			case hasValue:
				challenges[last].parameters[strings.ToLower(name)] = value
			default:
				challenges = append(challenges, authChallenge{scheme: name, parameters: map[string]string{}})
				text.skipToken68()
			}
		}
		found = append(found, challenges...)
	}
	return found
}

// authText is the unparsed rest of a field. It may be invalid UTF-8.
type authText string

const authBlanks = " \t"

func (t *authText) skip(bytes string) { *t = authText(strings.TrimLeft(string(*t), bytes)) }

// skipTo skips everything before the first of some bytes, or everything.
func (t *authText) skipTo(bytes string) {
	if i := strings.IndexAny(string(*t), bytes); i >= 0 {
		*t = (*t)[i:]
		return
	}
	*t = ""
}

// token removes and returns a token from the front. It may be empty.
func (t *authText) token() string {
	n := 0
	for n < len(*t) && isTokenByte((*t)[n]) {
		n++
	}
	token := string((*t)[:n])
	*t = (*t)[n:]
	return token
}

func isTokenByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}

// value removes an equals sign and a value from the front. The value is a token or a
// quoted string. It is not ok if it contains control characters or is not terminated.
func (t *authText) value() (value string, hasValue, ok bool) {
	rest := strings.TrimLeft(string(*t), authBlanks)
	rest, hasValue = strings.CutPrefix(rest, "=")
	if !hasValue {
		return "", false, true
	}
	rest = strings.TrimLeft(rest, authBlanks)
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, ", \t") // more than a token allows, because paths are often not quoted
		if end < 0 {
			end = len(rest)
		}
		*t = authText(rest[end:])
		return rest[:end], true, !strings.ContainsFunc(rest[:end], unicode.IsControl)
	}
	var unquoted strings.Builder
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '"':
			*t = authText(rest[i+1:])
			return unquoted.String(), true, true
		case rest[i] == '\\' && i+1 < len(rest):
			i++
		}
		if b := rest[i]; b < ' ' && b != '\t' || b == 0x7f {
			break
		}
		unquoted.WriteByte(rest[i])
	}
	return "", true, false
}

// skipToken68 skips data that follows a scheme instead of parameters, as in 'Negotiate
// YIIB=='.
func (t *authText) skipToken68() {
	rest := *t
	rest.skip(authBlanks)
	n := 0
	for n < len(rest) && (isTokenByte(rest[n]) || rest[n] == '/') {
		n++
	}
	rest = rest[n:]
	rest.skip("=")
	rest.skip(authBlanks)
	if n > 0 && (rest == "" || rest[0] == ',') {
		*t = rest
	}
}

// digest returns the challenge in the form that the digest library uses, or nil if it cannot be answered.
func (c authChallenge) digest() *digest.Challenge {
	if c.malformed || !strings.EqualFold(c.scheme, "Digest") || c.parameters["nonce"] == "" {
		return nil
	}
	challenge := &digest.Challenge{
		Realm:     c.parameters["realm"],
		Nonce:     c.parameters["nonce"],
		Opaque:    c.parameters["opaque"],
		Stale:     strings.EqualFold(c.parameters["stale"], "true"),
		Algorithm: c.parameters["algorithm"],
		QOP:       strings.FieldsFunc(strings.ToLower(c.parameters["qop"]), func(r rune) bool { return strings.ContainsRune(" \t,", r) }),
		Userhash:  strings.EqualFold(c.parameters["userhash"], "true"),
	}
	if !digest.CanDigest(challenge) {
		return nil
	}
	return challenge
}

// answerableChallenge returns the first challenge of a 401 that can be answered. If there is none, it
// returns the schemes of the others. It leaves out the names of unknown ones, which may be anything.
func answerableChallenge(response *http.Response) (offered *digest.Challenge, others string) {
	challenges := parseChallenges(response.Header.Values("WWW-Authenticate"))
	for _, c := range challenges {
		if offered = c.digest(); offered != nil {
			return offered, ""
		}
	}
	var found []string
	for _, known := range []string{"Basic", "Bearer", "Digest", "Negotiate", "NTLM"} {
		if slices.ContainsFunc(challenges, func(c authChallenge) bool { return strings.EqualFold(c.scheme, known) }) {
			found = append(found, known)
		}
	}
	return nil, strings.Replace(strings.Join(found, ", "), "Digest", "an unsupported form of Digest", 1)
}

var quotedPairs = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// authorization returns the value of an Authorization field. The digest library is not
// used here, because it escapes non-ASCII characters in Go syntax, which servers don't
// understand.
//
// Source: https://www.rfc-editor.org/rfc/rfc7616#section-3.4
func authorization(c *digest.Credentials) string {
	quoted := func(text string) string { return `"` + quotedPairs.Replace(text) + `"` }
	var text strings.Builder
	fmt.Fprintf(&text, "Digest username=%s, realm=%s, nonce=%s, uri=%s", quoted(c.Username), quoted(c.Realm), quoted(c.Nonce), quoted(c.URI))
	if c.Algorithm != "" {
		text.WriteString(", algorithm=" + c.Algorithm)
	}
	if c.Opaque != "" {
		text.WriteString(", opaque=" + quoted(c.Opaque))
	}
	if c.QOP != "" {
		fmt.Fprintf(&text, ", qop=%s, nc=%08x, cnonce=%s", c.QOP, c.Nc, quoted(c.Cnonce))
	}
	if c.Userhash {
		text.WriteString(", userhash=true")
	}
	// Any order is valid, but some servers expect the response at the end.
	return text.String() + ", response=" + quoted(c.Response)
}
