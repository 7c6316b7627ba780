package daemons

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// planned holds what the states and the plans of one process do with an object.
type planned struct {
	wholeobject.Planned
	ends bool // a state that was read would end it on destroy
}

// turns lets a creation and a destroy of one object follow each other: if the plan did not know the ID of
// what it creates, only the destroy can notice that both are the same, once the creation has ended.
var turns connection.Shared[connection.Turns]

// takeTurn waits for the turn of an object, and returns a function that ends it. If ctx ends before, it
// adds an error, and returns nil.
func takeTurn(ctx context.Context, data *connection.Data, id, summary string, diags *diag.Diagnostics) (done func()) {
	done, err := turns.Of(data).Take(ctx, id)
	if err != nil {
		diags.AddError(summary, "Another resource of this run was changing the same object until the run was interrupted or the time was over. Nothing was changed.")
		return nil
	}
	return done
}

// overwrites is the effect of two resources for one object.
const overwrites = "applying one overwrites the values of the other. Keep only one of them."

const (
	defaultWriteTimeout  = 10 * time.Minute
	defaultDeleteTimeout = 5 * time.Minute
)
