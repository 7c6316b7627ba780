package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// service is what the configuration comes to: a client, or the names of the
// settings that are not known yet.
type service struct {
	client     *opsmanager.Client // nil while a setting is unknown
	unknown    []string
	settleTime time.Duration
	regions    regionMemory
}

// settle calls agrees with growing pauses, until it returns true, Ops Manager has
// had the time to show what was written, or ctx is done. A server may show old
// values for some reads after a write, and ignores some fields for ever.
func (s *service) settle(ctx context.Context, agrees func() bool) {
	const reads = 6 // in 20 s: after 0.25, 0.75, 1.75, 3.75, 7.75 and 15.75 s
	pause := s.settleTime / 80
	for range reads {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if agrees() {
			return
		}
		pause *= 2
	}
}

// usable reports whether there is a client, and says what a call waits for where
// there is none.
func (s *service) usable(summary string, diags *diag.Diagnostics) bool {
	if s.client != nil {
		return true
	}
	diags.AddError(summary, fmt.Sprintf("The provider's %s is not known yet, so Ops Manager cannot be called. "+
		"Give it a value that is known when this runs: apply what it comes from first (-target), or keep that in a configuration of its own. "+
		"A data source can also wait for it with depends_on.", strings.Join(s.unknown, ", ")))
	return false
}

// keepsState reports whether a refresh has to leave the state as it is, because
// a setting of the provider is not known yet.
func (s *service) keepsState(diags *diag.Diagnostics) bool {
	if s.client != nil {
		return false
	}
	diags.AddWarning("Ops Manager Not Read",
		fmt.Sprintf("The provider's %s is not known yet, so the state was kept as it is and drift would not show.", strings.Join(s.unknown, ", ")))
	return true
}
