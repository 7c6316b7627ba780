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
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// retrying returns an HTTP client for one call of an endpoint, which retries it and
// counts the attempts. It reports whether an attempt that it repeats may have taken effect. An attempt
// has been sent if it had a connection.
func (c *Client) retrying(e endpoint, retries int, attempts *int, sent *atomic.Bool, unclear *bool) *retryablehttp.Client {
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
			fields := map[string]any{"method": e.method, "version": e.apiVersion(), "path": e.urlPath(), "attempt": *attempts}
			failed := Error{Err: err, sent: sent.Load()}
			if response != nil {
				failed.Status = response.StatusCode
				fields["status"] = response.StatusCode
			}
			if err != nil {
				fields["error"] = c.secrets.and().sanitize(err.Error(), longestText)
			}
			c.config.Log(ctx, "Called Ops Manager", fields)
			retry := ctx.Err() == nil && e.mayRetry(response, err)
			*unclear = *unclear || retry && IsUnclear(&failed)
			return retry, nil
		},
		RequestLogHook: func(retryablehttp.Logger, *http.Request, int) {
			*attempts++
			sent.Store(false)
		},
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// mayRetry reports whether a failure may be temporary and it is safe to send the request
// again.
func (e endpoint) mayRetry(response *http.Response, err error) bool {
	if err != nil {
		var (
			untrusted *tls.CertificateVerificationError
			notTLS    tls.RecordHeaderError
			network   *net.OpError
			refusal   ProxyRefusal
		)
		switch {
		case errors.As(err, &refusal):
			return refusal.isTemporary() // nothing was sent
		case errors.As(err, &untrusted), errors.As(err, &notTLS), errors.Is(err, http.ErrSchemeMismatch), errors.Is(err, ErrResponseTooLarge), IsOldTLS(err):
			return false // permanent: a setting is wrong
		case IsWriteTimeout(err):
			return false // Ops Manager may still be working on it
		case errors.As(err, &network) && network.Op == "remote error": // a TLS alert from the server
			return false
		}
		return e.effect != notIdempotent || isDialError(err)
	}
	switch {
	case response.StatusCode == http.StatusTooManyRequests:
		return true // rejected before anything was done
	case isUnavailable(response.StatusCode):
		return e.effect != notIdempotent
	case len(e.retryCodes) == 0 && response.StatusCode != http.StatusMethodNotAllowed || response.StatusCode < http.StatusBadRequest:
		return false
	}
	content, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(content))
	code := errorFromResponse(response, content, quoteAll, nil).Code
	return err == nil && (code == upgrading || slices.Contains(e.retryCodes, code))
}

// IsOldTLS reports whether a connection failed because the server does not support TLS
// 1.2 or newer. crypto/tls has no error type for that.
func IsOldTLS(err error) bool {
	text := err.Error()
	return strings.Contains(text, "tls: server selected unsupported protocol version") || strings.Contains(text, "tls: protocol version not supported")
}

// isDialError reports whether dialling the server or the proxy failed, so nothing was
// sent.
func isDialError(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && (network.Op == "dial" || network.Op == "proxyconnect" || network.Op == "socks connect")
}

// backoff returns the wait before a retry: the one in Retry-After, or else twice the
// previous one, with jitter so that workers don't retry at the same moment.
func backoff(least, most time.Duration, attempt int, response *http.Response) time.Duration {
	wait := retryablehttp.DefaultBackoff(least, most, attempt, response)
	if response == nil || response.Header.Get("Retry-After") == "" {
		wait += rand.N(wait/2 + 1)
	}
	return min(max(wait, least), most)
}
