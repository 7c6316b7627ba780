package connection_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/provider/connection"
)

func TestResourcesOfOneProviderShareTheValueOfAVariable(t *testing.T) {
	t.Parallel()
	data := &connection.Data{}
	*counted.Of(data)++
	*counted.Of(data)++
	if n := *counted.Of(data); n != 2 {
		t.Errorf("counted %d, want 2", n)
	}
	if n := *alsoCounted.Of(data); n != 0 {
		t.Errorf("another variable of the same type has %d", n)
	}
	if n := *counted.Of(&connection.Data{}); n != 0 {
		t.Errorf("another provider has %d", n)
	}
	if n := *counted.Of(nil); n != 0 {
		t.Errorf("an unconfigured provider has %d", n)
	}
}

var counted, alsoCounted connection.Shared[int]
