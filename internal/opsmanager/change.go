package opsmanager

import (
	"context"
	"errors"
	"time"
)

// Change changes or deletes an object that others may change as well. It calls write with live, the
// object as the caller has read it, and again with what read returns after each failure that may be
// temporary. Each time, write compares the object with the one that the change is meant for, and calls
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
