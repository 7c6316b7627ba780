package opsmanager

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestSegmentsOfAPathAreEscaped(t *testing.T) {
	t.Parallel()
	var requested string
	c := clientOf(func(r *http.Request) *http.Response {
		requested = r.URL.RequestURI()
		return answerOf(http.StatusNoContent, http.Header{}, nil)
	})
	e := get("admin", "x/y")
	e.query = map[string][]string{"a": {"b"}}
	if err := c.do(t.Context(), e, nil, nil); err != nil || requested != "/api/public/v1.0/admin/x%2Fy?a=b" {
		t.Errorf("requested %q (%v)", requested, err)
	}
}

func TestOnlyChangesHaveAGracePeriodAfterCancellation(t *testing.T) {
	t.Parallel()
	for _, effect := range []effect{changes, starts, readOnly} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := clientOf(func(r *http.Request) *http.Response {
				cancel()
				select {
				case <-r.Context().Done():
					return answerOf(http.StatusBadRequest, http.Header{}, nil)
				case <-time.After(20 * time.Millisecond):
					return answerOf(http.StatusNoContent, http.Header{}, nil)
				}
			})
			err := c.do(ctx, endpoint{method: "POST", effect: effect}, nil, nil)
			if answered := err == nil; answered == (effect == readOnly) {
				t.Errorf("%v: got %v", effect, err)
			}
		})
	}
}
