package connection

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
)

// Action is embedded by actions. It has the provider's data.
type Action struct {
	*Data
	TypeName string // without the provider's
}

// Metadata implements [action.Action].
func (a *Action) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + a.TypeName
}

// Configure implements [action.ActionWithConfigure].
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	a.Data, _ = req.ProviderData.(*Data)
}

type progressKey struct{}

// WithProgress returns the context of an action, which sends what Progress is called with to
// Terraform.
func (a *Action) WithProgress(ctx context.Context, resp *action.InvokeResponse) context.Context {
	return context.WithValue(ctx, progressKey{}, func(message string) {
		// After an interruption, the SDK ends the request with the next message, and
		// Terraform ends the provider.
		if ctx.Err() == nil {
			resp.SendProgress(action.InvokeProgressEvent{Message: message})
		}
	})
}

// Progress shows a message about the progress of an action. In an operation of a resource, it
// does nothing, because Terraform has no such messages for resources.
func Progress(ctx context.Context, message string) {
	if send, ok := ctx.Value(progressKey{}).(func(string)); ok {
		send(message)
	}
}
