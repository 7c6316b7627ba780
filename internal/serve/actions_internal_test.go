package serve

import (
	"context"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	opsmanager "terraform-provider-opsmanager/internal/provider"
)

// withAction is the provider with one more action.
type withAction struct{ provider.Provider }

func (withAction) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return talking{} }}
}

// talking is an action that waits for an interruption. Its messages contain unprintable characters.
type talking struct{}

func (talking) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "opsmanager_talking"
}

func (talking) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{}
}

func (talking) ValidateConfig(_ context.Context, _ action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	resp.Diagnostics.AddWarning("validated\x1b\n", "validated\x1b\nline")
}

func (talking) ModifyPlan(_ context.Context, _ action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	resp.Diagnostics.AddWarning("planned\x1b\n", "planned\x1b\nline")
}

func (talking) Invoke(ctx context.Context, _ action.InvokeRequest, resp *action.InvokeResponse) {
	if ctx.Err() != nil {
		resp.Diagnostics.AddError("interrupted too early", "")
		return
	}
	resp.SendProgress(action.InvokeProgressEvent{Message: "running\x1b\n"})
	<-ctx.Done()
	resp.Diagnostics.AddError("interrupted\x1b\n", "interrupted\x1b\nline")
}

func TestActionsAreServedWithAndWithoutLogs(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{true, false} {
		server, ok := newServer(withAction{opsmanager.New("test")()}, quiet).(tfprotov6.ActionServer)
		if !ok {
			t.Fatalf("quiet %t: no actions are served", quiet)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		none := tftypes.Object{}
		config, err := tfprotov6.NewDynamicValue(none, tftypes.NewValue(none, map[string]tftypes.Value{}))
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		collect := func(diagnostics []*tfprotov6.Diagnostic) {
			for _, d := range diagnostics {
				messages = append(messages, d.Summary, d.Detail)
			}
		}
		validated, err := server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: "opsmanager_talking", Config: &config})
		if err != nil {
			t.Fatal(err)
		}
		collect(validated.Diagnostics)
		planned, err := server.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: "opsmanager_talking", Config: &config})
		if err != nil {
			t.Fatal(err)
		}
		collect(planned.Diagnostics)
		stream, err := server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: "opsmanager_talking", Config: &config})
		if err != nil {
			t.Fatal(err)
		}
		for event := range stream.Events {
			switch is := event.Type.(type) {
			case tfprotov6.ProgressInvokeActionEventType:
				messages = append(messages, is.Message)
				interrupt()
			case tfprotov6.CompletedInvokeActionEventType:
				collect(is.Diagnostics)
			}
		}
		interrupt()
		want := []string{
			"validated\ufffd ", "validated\ufffd\nline", "planned\ufffd ", "planned\ufffd\nline", "running\ufffd ",
			"interrupted\ufffd ", "interrupted\ufffd\nline",
		}
		if !slices.Equal(messages, want) {
			t.Errorf("quiet %t: got %q, want %q", quiet, messages, want)
		}
	}
}
