package connection_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"

	"terraform-provider-opsmanager/internal/provider/connection"
)

func TestProgressIsSentUntilTheActionIsInterrupted(t *testing.T) {
	t.Parallel()
	var sent []string
	ctx, interrupt := context.WithCancel(t.Context())
	connection.Progress(ctx, "no action")
	running := (&connection.Action{Data: new(connection.Data)}).WithProgress(
		ctx, &action.InvokeResponse{SendProgress: func(event action.InvokeProgressEvent) { sent = append(sent, event.Message) }},
	)
	connection.Progress(running, "running")
	interrupt()
	connection.Progress(running, "interrupted")
	if !slices.Equal(sent, []string{"running"}) {
		t.Errorf("sent %q", sent)
	}
}
