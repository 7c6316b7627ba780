package emulator

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOnlyARefusalBecomesAResponse(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	handle := func(cause any) (refused *refusal) {
		broken := route{handle: func(*call) any { panic(cause) }}
		_, refused = e.handle(broken, &call{Request: httptest.NewRequest(http.MethodGet, BasePath, nil)})
		return refused
	}
	if refused := handle(notAuthorized()); refused == nil || refused.code != "USER_UNAUTHORIZED" {
		t.Errorf("got %v", refused)
	}
	defer func() {
		if recover() != "a mistake" {
			t.Error("a mistake in a handler became a response")
		}
		e.lock()() // does not wait
	}()
	handle("a mistake")
}
