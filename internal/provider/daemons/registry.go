package daemons

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// planned holds what the states and the plans of one process do with an object.
type planned struct {
	wholeobject.Planned
	ends bool // a state that was read would end it on destroy
}

// overwrites is the effect of two resources for one object.
const overwrites = "applying one overwrites the values of the other. Keep only one of them."

const (
	defaultWriteTimeout  = 10 * time.Minute
	defaultDeleteTimeout = 5 * time.Minute
)

// within returns a context that ends after a configured timeout.
func within(ctx context.Context, timeout func(context.Context, time.Duration) (time.Duration, diag.Diagnostics), unset time.Duration, diags *diag.Diagnostics) (context.Context, context.CancelFunc) {
	limit, found := timeout(ctx, unset)
	diags.Append(found...)
	return context.WithTimeout(ctx, limit)
}
