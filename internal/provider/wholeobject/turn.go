package wholeobject

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// turns lets the resources of a run change one object after the other, because each sends all of it. If
// the plan did not know the ID of what a creation adopts, that is also how a destroy of the same object
// notices it.
var turns connection.Shared[connection.Turns]

// TakeTurn waits for the turn to change an object, and returns a function that ends it. If ctx ends
// before, it adds an error, and returns nil. The name is that of the object in messages.
func TakeTurn(ctx context.Context, data *connection.Data, name, summary string, diags *diag.Diagnostics) (done func()) {
	done, err := turns.Of(data).Take(ctx, name)
	if err != nil {
		diags.AddError(summary, "Another resource of this run was changing "+name+" until the run was interrupted or the time was over. Nothing was changed. Apply again.")
		return nil
	}
	return done
}
