package providertest

import (
	"testing"
	"time"
)

// Await waits until a condition holds. If it doesn't within a minute, the test fails but continues, so that a
// goroutine can wait, too. It returns early if the test has ended.
func Await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		switch {
		case t.Context().Err() != nil:
			return
		case time.Now().After(deadline):
			t.Errorf("waited in vain for %s", what)
			return
		}
	}
}
