package providertest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// PlanAction validates and plans an action.
func (w *Workspace) PlanAction(typeName string, config Values) Diagnostics {
	w.T.Helper()
	w.configureAgain()
	w.unused.Store(false)
	server, configured := w.action(typeName, config)
	validated, err := server.ValidateActionConfig(w.Context, &tfprotov6.ValidateActionConfigRequest{
		ActionType: typeName,
		Config:     configured,
	})
	if err != nil {
		w.T.Fatalf("validate: %v", err)
	}
	if diags := Diagnostics(validated.Diagnostics); len(diags.Errors()) > 0 {
		return diags
	}
	planned, err := server.PlanAction(w.Context, &tfprotov6.PlanActionRequest{ActionType: typeName, Config: configured})
	if err != nil {
		w.T.Fatalf("plan: %v", err)
	}
	return planned.Diagnostics
}

// InvokeAction invokes an action, and returns the messages about its progress.
func (w *Workspace) InvokeAction(typeName string, config Values) (progress []string, diags Diagnostics) {
	w.T.Helper()
	w.unused.Store(false)
	server, configured := w.action(typeName, config)
	stream, err := server.InvokeAction(w.Context, &tfprotov6.InvokeActionRequest{ActionType: typeName, Config: configured})
	if err != nil {
		w.T.Fatalf("invoke: %v", err)
	}
	completed := false
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			completed = true
			diags = event.Diagnostics
		}
	}
	if !completed {
		w.T.Fatalf("the action did not complete")
	}
	return progress, diags
}

func (w *Workspace) action(typeName string, config Values) (tfprotov6.ActionServer, *tfprotov6.DynamicValue) {
	w.T.Helper()
	schema, ok := w.Schema.ActionSchemas[typeName]
	server, serves := w.Server.(tfprotov6.ActionServer)
	if !ok || !serves {
		w.T.Fatalf("no action %s", typeName)
	}
	return server, w.Dynamic(schema.Schema, config)
}
