package opsmanager

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Change changes or deletes an object that others may change as well. It calls write with live, the
// object as the caller has read it, and again with what read returns after each failure that may be
// temporary, as allowsRepeat says: no connection, a limit of requests, an outage, or an upgrade. Each time, write
// compares the object with the one that the change is meant for, and calls
// one method of the client with the context that it gets. It returns the object without such a call if
// nothing is left to do, or an error of its own, which ends the Change.
//
// The error of read is returned if it says that the object is missing. After any other one, the request is not repeated,
// and the error is that of the last request.
func Change[T any](
	ctx context.Context,
	c *Client,
	object Object,
	live *T,
	read func(context.Context) (*T, error),
	write func(ctx context.Context, live *T) (*T, error),
) (*T, error) {
	calls := callsOf(ctx)
	calls.attempts = c.newAttempts()
	ctx = calls.in(ctx)
	for {
		changed, err := write(ctx, live)
		failed, ok := errors.AsType[*Error](err)
		if !ok || !failed.mayRepeat || !c.pause(ctx, failed) {
			return changed, err
		}
		if live, failed.unread = read(ctx); failed.unread != nil {
			if IsMissing(failed.unread, object) {
				err = failed.unread
			}
			return nil, err
		}
	}
}

// pause waits before a failed request is repeated, and reports whether there is time for that.
func (c *Client) pause(ctx context.Context, failed *Error) bool {
	wait := failed.RetryAfter
	if wait == 0 {
		wait = backoff(c.config.RetryWaitMin, c.config.RetryWaitMax, failed.Attempts-1, nil)
	}
	if until := callsOf(ctx).until; !until.IsZero() && time.Until(until) < wait {
		return false
	}
	select {
	case <-ctx.Done():
		failed.Err = ctx.Err()
		return false
	case <-time.After(wait):
		return true
	}
}

// attempts are the attempts of one call, or those of one Change.
type attempts struct {
	since     time.Time
	answered  int64 // number of answered calls of the client when they began, and of the reads of the Change
	number    int
	sent      atomic.Bool // whether the last one had a connection
	mayRepeat bool        // whether the last one may be followed by another one
	unclear   bool        // whether an earlier one may have taken effect
}

func (c *Client) newAttempts() *attempts {
	return &attempts{since: time.Now(), answered: c.breaker.answered.Load()}
}

// observed returns a request whose attempts are observed.
func (a *attempts) observed(request *retryablehttp.Request) *retryablehttp.Request {
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { a.sent.Store(true) }}
	return request.WithContext(httptrace.WithClientTrace(request.Context(), trace))
}

// failure adds the attempts to the error of the last one.
func (a *attempts) failure(f Error) Error {
	f.Attempts = a.number
	f.Elapsed = time.Since(a.since)
	f.sent = a.sent.Load()
	f.unclearBefore = a.unclear
	f.mayRepeat = a.mayRepeat
	return f
}

// retrying returns an HTTP client for one call of an endpoint, which retries it.
func (c *Client) retrying(e endpoint, retries int, made *attempts) *retryablehttp.Client {
	client := *c.http
	if e.effect != readOnly {
		client.Transport = graceTransport{client.Transport}
	}
	return &retryablehttp.Client{
		HTTPClient:   &client,
		RetryWaitMin: c.config.RetryWaitMin,
		RetryWaitMax: c.config.RetryWaitMax,
		RetryMax:     retries,
		CheckRetry: func(ctx context.Context, response *http.Response, err error) (bool, error) {
			fields := map[string]any{
				"method":  e.method,
				"path":    e.urlPath(),
				"attempt": made.number,
			}
			failed := Error{Err: err, sent: made.sent.Load()}
			if response != nil {
				failed.Status = response.StatusCode
				fields["status"] = response.StatusCode
			}
			if err != nil {
				fields["error"] = c.secrets.and().sanitize(err.Error(), longestText)
			}
			c.config.Log(ctx, "Called Ops Manager", fields)
			made.mayRepeat = ctx.Err() == nil && e.allowsRepeat(response, err)
			made.unclear = made.unclear || made.mayRepeat && IsUnclear(&failed)
			repeats := made.mayRepeat && e.effect == readOnly
			if repeats {
				made.sent.Store(false) // the next one, which an interrupt may prevent
			}
			return repeats, nil
		},
		RequestLogHook: func(retryablehttp.Logger, *http.Request, int) {
			made.number++
			made.sent.Store(false)
		},
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// allowsRepeat decides whether a request may be sent twice: after a failure that may be temporary. One that starts something
// is sent again only if Ops Manager certainly did nothing, and one that changes something only by Change, after a read.
func (e endpoint) allowsRepeat(response *http.Response, err error) bool {
	mayTakeEffectTwice := e.effect != starts
	if err != nil {
		// If the server or the proxy was not reached, nothing was sent.
		network, isNetwork := errors.AsType[*net.OpError](err)
		isDial := isNetwork && slices.Contains([]string{"dial", "proxyconnect", "socks connect"}, network.Op)
		return mayPass(err) && (mayTakeEffectTwice || isDial || is[ProxyRefusal](err))
	}
	switch {
	case response.StatusCode == http.StatusTooManyRequests:
		return true // rejected before anything was done
	case isUnavailable(response.StatusCode):
		return mayTakeEffectTwice
	case len(e.retryCodes) == 0 && response.StatusCode != http.StatusMethodNotAllowed || response.StatusCode < http.StatusBadRequest:
		return false
	}
	content, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(content))
	code := errorFromResponse(response, content, quoteDocuments, nil).Code
	return err == nil && (code == upgrading || slices.Contains(e.retryCodes, code))
}

// mayPass reports whether a failure without a response may be temporary.
func mayPass(err error) bool {
	refusal, isRefusal := errors.AsType[ProxyRefusal](err)
	switch {
	case isRefusal:
		return refusal.isTemporary() // nothing was sent
	case is[*tls.CertificateVerificationError](err),
		is[tls.RecordHeaderError](err),
		errors.Is(err, http.ErrSchemeMismatch),
		errors.Is(err, ErrResponseTooLarge),
		IsOldTLS(err):
		return false // a setting is wrong
	case errors.Is(err, ErrReadOnly), errors.Is(err, ErrOtherMachine), errors.Is(err, errNotSent):
		return false
	case IsWriteTimeout(err):
		return false // Ops Manager may still be working on it
	}
	return !IsAlert(err, "")
}

// IsAlert reports whether the server, or an HTTPS proxy, ended a connection with a TLS alert whose text
// contains about. crypto/tls has no error type for that, and net/http hides the one of a proxy.
func IsAlert(err error, about string) bool {
	_, alert, isAlert := strings.Cut(err.Error(), "remote error: tls: ")
	return isAlert && strings.Contains(alert, about)
}

// IsTemporary reports whether the same request may succeed soon: Ops Manager was not reached, or had no
// time for it.
func IsTemporary(err error) bool {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		return false
	case e.Status == 0:
		return !IsUnclear(e) && mayPass(e.Err)
	}
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable || e.Code == upgrading
}

// IsOldTLS reports whether a connection failed because the server does not support TLS
// 1.2 or newer. crypto/tls has no error type for that.
func IsOldTLS(err error) bool {
	text := err.Error()
	return strings.Contains(text, "tls: server selected unsupported protocol version") || strings.Contains(text, "tls: protocol version not supported")
}

// is reports whether an error, or one that it wraps, has a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// backoff returns the wait before a retry: the one in Retry-After, or else twice the
// previous one, with jitter so that workers don't retry at the same moment.
func backoff(least, most time.Duration, attempt int, response *http.Response) time.Duration {
	wait := retryablehttp.DefaultBackoff(least, most, attempt, response)
	asked := ""
	if response != nil && (response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable) {
		asked = response.Header.Get("Retry-After")
	}
	seconds, err := strconv.ParseInt(asked, 10, 64)
	switch {
	case err == nil && seconds > int64(most/time.Second): // a Duration may have no room for them
		return most
	case asked == "":
		wait += rand.N(wait/2 + 1)
	}
	return min(max(wait, least), most)
}
